// Internal interface of tensors and of their DLPack form.
#ifndef CUCORE_TENSOR_TENSOR_H
#define CUCORE_TENSOR_TENSOR_H

#include <cucore/tensor.h>

#include "base/handle.h"

// Writes rank, shape and strides, and zeros after them. If `strides` is NULL, the tensor is
// contiguous.
cuc_status cuc__tensor_lay_out(cuc_tensor *tensor, int32_t rank, const int64_t *shape,
                               const int64_t *strides, const char *function);

// The flag bits that this version knows.
enum { CUC__TENSOR_FLAGS = CUC_TENSOR_READ_ONLY | CUC_TENSOR_PINNED | CUC_TENSOR_MANAGED };

cuc_status cuc__tensor_check(const cuc_tensor *tensor, const char *function);

// Computes how many bytes a checked tensor occupies before its data pointer, and how many from
// there on.
void cuc__tensor_byte_range(uint64_t *before, uint64_t *after, const cuc_tensor *tensor);

// Returns true if elements of a tensor with valid extents share an address along one axis, or along
// two axes together. Elements that only three or more axes together bring to one address are not
// found.
bool cuc__tensor_shares_addresses(const cuc_tensor *tensor);

// Returns DLPack's description of a tensor's location.
cuc_dl_device cuc__dlpack_device(const cuc_tensor *t);

// Describes a checked tensor. The result points to the tensor's shape and strides.
cuc_status cuc__dlpack_lend(cuc_dl_tensor *out, cuc_tensor *tensor, const char *function);

// cuc__dlpack_is_own() returns true if cuc_tensor_to_dlpack() exported the tensor.
// cuc__dlpack_is_own_unversioned() does the same for cuc_tensor_to_dlpack_unversioned().
bool cuc__dlpack_is_own(const cuc_dl_managed_tensor_versioned *managed);
bool cuc__dlpack_is_own_unversioned(const cuc_dl_managed_tensor *managed);

#endif
