/**
 * @file
 * All public headers of cucore.
 *
 * Each can also be included alone, in any order.
 */
#ifndef CUCORE_CUCORE_H
#define CUCORE_CUCORE_H

#include <cucore/base.h>
#include <cucore/error.h>
#include <cucore/system.h>
#include <cucore/algorithm.h>
#include <cucore/attention.h>
#include <cucore/find.h>
#include <cucore/gemm.h>
#include <cucore/device_attributes.h>
#include <cucore/device.h>
#include <cucore/context.h>
#include <cucore/stream.h>
#include <cucore/green.h>
#include <cucore/event.h>
#include <cucore/memory.h>
#include <cucore/buffer.h>
#include <cucore/cache.h>
#include <cucore/virtual.h>
#include <cucore/ipc.h>
#include <cucore/copy.h>
#include <cucore/tensor.h>
#include <cucore/tensor_map.h>
#include <cucore/object.h>
#include <cucore/kernel.h>
#include <cucore/program.h>
#include <cucore/library.h>
#include <cucore/linker.h>
#include <cucore/fatbin.h>
#include <cucore/launch.h>
#include <cucore/graph.h>
#include <cucore/node.h>
#include <cucore/condition.h>
#include <cucore/occupancy.h>
#include <cucore/runtime.h>
#include <cucore/python.h>
#include <cucore/tile.h>
#include <cucore/tile_builder.h>
#include <cucore/tuned.h>

#endif
