// CUCORE_LAUNCH_BLOCKING=1: each launch waits for its kernel or graph.
#ifndef CUCORE_DEVICE_LAUNCH_BLOCKING_H
#define CUCORE_DEVICE_LAUNCH_BLOCKING_H

#include "stream.h"

#include <cucore/launch.h>

// Waits for a stream's launches, unless the stream is being captured. For a default stream, the
// caller must have made its context current. `*call` names the driver function that returned the
// code.
CUresult cuc__launch_wait(cuc_stream *stream, const char **call);

#endif
