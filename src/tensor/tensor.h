// What tensors and their DLPack form share.
#ifndef CUCORE_TENSOR_TENSOR_H
#define CUCORE_TENSOR_TENSOR_H

#include <cucore/tensor.h>

#include "base/handle.h"

// Write rank, shape and strides, with zeros behind them; `strides` NULL: contiguous.
cuc_status cuc__tensor_lay_out(cuc_tensor *tensor, int32_t rank, const int64_t *shape,
                               const int64_t *strides, const char *function);

// Bits of flags that this version knows.
enum { CUC__TENSOR_FLAGS = CUC_TENSOR_READ_ONLY | CUC_TENSOR_PINNED | CUC_TENSOR_MANAGED };

cuc_status cuc__tensor_check(const cuc_tensor *tensor, const char *function);

// The bytes that the elements of a checked tensor touch: `before` its data, and from there on.
void cuc__tensor_reach(uint64_t *before, uint64_t *after, const cuc_tensor *tensor);

// What DLPack calls the place that a tensor is in.
cuc_dl_device cuc__dlpack_device(const cuc_tensor *t);

// Whether a tensor that was given away was so by cuc_tensor_to_dlpack(), or by the other one.
bool cuc__dlpack_is_own(const cuc_dl_managed_tensor_versioned *managed);
bool cuc__dlpack_is_own_unversioned(const cuc_dl_managed_tensor *managed);

#endif
