#include "base/array.h"
#include "tensor.h"

#include "memory/buffer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Element types in both forms. DLPack has no tf32.
static const struct {
    cuc_dtype dtype;
    uint8_t code, bits;
} types[] = {
    { CUC_BOOL, CUC_DL_BOOL, 8 },        { CUC_I8, CUC_DL_INT, 8 },
    { CUC_I16, CUC_DL_INT, 16 },         { CUC_I32, CUC_DL_INT, 32 },
    { CUC_I64, CUC_DL_INT, 64 },         { CUC_U8, CUC_DL_UINT, 8 },
    { CUC_U16, CUC_DL_UINT, 16 },        { CUC_U32, CUC_DL_UINT, 32 },
    { CUC_U64, CUC_DL_UINT, 64 },        { CUC_F16, CUC_DL_FLOAT, 16 },
    { CUC_BF16, CUC_DL_BFLOAT, 16 },     { CUC_F32, CUC_DL_FLOAT, 32 },
    { CUC_F64, CUC_DL_FLOAT, 64 },       { CUC_E4M3, CUC_DL_FLOAT8_E4M3FN, 8 },
    { CUC_E5M2, CUC_DL_FLOAT8_E5M2, 8 }, { CUC_E8M0, CUC_DL_FLOAT8_E8M0FNU, 8 },
    { CUC_C64, CUC_DL_COMPLEX, 64 },     { CUC_C128, CUC_DL_COMPLEX, 128 },
};

enum { TYPES = CUC_LENGTH(types) };

static size_t type_of(cuc_dtype dtype)
{
    size_t i = 0;

    while (i < TYPES && types[i].dtype != dtype)
        i++;
    return i;
}

static cuc_status read_tensor(cuc_tensor *out, const cuc_dl_tensor *dl, uint32_t flags,
                              const char *function)
{
    cuc_tensor t = { .flags = flags };
    cuc_status st;

    switch (dl->device.device_type) {
    case CUC_DL_CPU:
        t.device = -1;
        break;
    case CUC_DL_CUDA:
        t.device = dl->device.device_id;
        break;
    case CUC_DL_CUDA_HOST:
        t.device = -1;
        t.flags |= CUC_TENSOR_PINNED;
        break;
    case CUC_DL_CUDA_MANAGED:
        t.device = dl->device.device_id;
        t.flags |= CUC_TENSOR_MANAGED;
        break;
    default:
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "the DLPack tensor is on a device of type %d, expected CPU (1), CUDA (2), "
                         "CUDA host (3) or CUDA managed (13)",
                         dl->device.device_type);
    }
    for (size_t i = 0; i < TYPES && !t.dtype; i++)
        if (types[i].code == dl->dtype.code && types[i].bits == dl->dtype.bits)
            t.dtype = types[i].dtype;
    if (!t.dtype || dl->dtype.lanes != 1)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "the DLPack tensor's elements have type code %u, %u bits and %u lanes, "
                         "expected a cuc_dtype with 1 lane",
                         dl->dtype.code, dl->dtype.bits, dl->dtype.lanes);
    if (dl->ndim > CUC_TENSOR_MAX_RANK)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "the DLPack tensor has %d dimensions, a cuc_tensor at most %d", dl->ndim,
                         CUC_TENSOR_MAX_RANK);
    if (__builtin_add_overflow((cuc_device_ptr)(uintptr_t)dl->data, dl->byte_offset, &t.data))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the DLPack tensor's byte_offset is %" PRIu64
                         ", which from data %p passes "
                         "the end of the address space",
                         dl->byte_offset, dl->data);
    if ((st = cuc__tensor_lay_out(&t, dl->ndim, dl->shape, dl->strides, function)) < 0 ||
        (st = cuc__tensor_check(&t, function)) < 0)
        return st;
    *out = t;
    return CUC_OK;
}

cuc_status cuc_tensor_from_dlpack(cuc_tensor *out, const cuc_dl_managed_tensor_versioned *managed)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(managed);
    if (managed->version.major != CUC_DL_VERSION_MAJOR)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                        "the DLPack tensor is of version %u.%u, expected %d.x",
                        managed->version.major, managed->version.minor, CUC_DL_VERSION_MAJOR);
    return read_tensor(out, &managed->dl_tensor,
                       managed->flags & CUC_DL_READ_ONLY ? CUC_TENSOR_READ_ONLY : 0, __func__);
}

cuc_status cuc_tensor_from_dlpack_unversioned(cuc_tensor *out, const cuc_dl_managed_tensor *managed)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(managed);
    return read_tensor(out, &managed->dl_tensor, 0, __func__);
}

// An exported tensor, in a single block that its deleter frees.
struct given {
    union {
        cuc_dl_managed_tensor_versioned versioned;
        cuc_dl_managed_tensor unversioned;
    };
    cuc_buffer *owner;
    int64_t shape[CUC_TENSOR_MAX_RANK];
    int64_t strides[CUC_TENSOR_MAX_RANK];
};

static void drop(struct given *g)
{
    cuc_buffer_release(g->owner);
    free(g);
}

static void delete_versioned(cuc_dl_managed_tensor_versioned *self)
{
    if (self)
        drop(self->manager_ctx);
}

static void delete_unversioned(cuc_dl_managed_tensor *self)
{
    if (self)
        drop(self->manager_ctx);
}

bool cuc__dlpack_is_own(const cuc_dl_managed_tensor_versioned *managed)
{
    return managed->deleter == delete_versioned;
}

bool cuc__dlpack_is_own_unversioned(const cuc_dl_managed_tensor *managed)
{
    return managed->deleter == delete_unversioned;
}

// Describes where a tensor is. By convention, the host and memory that every device can access have
// device number 0.
cuc_dl_device cuc__dlpack_device(const cuc_tensor *t)
{
    if (t->flags & CUC_TENSOR_MANAGED)
        return (cuc_dl_device){ CUC_DL_CUDA_MANAGED, 0 };
    if (t->flags & CUC_TENSOR_PINNED)
        return (cuc_dl_device){ CUC_DL_CUDA_HOST, 0 };
    if (t->device < 0)
        return (cuc_dl_device){ CUC_DL_CPU, 0 };
    return (cuc_dl_device){ CUC_DL_CUDA, t->device };
}

static cuc_status check_owner(const cuc_tensor *t, const cuc_buffer *owner, const char *function)
{
    uint64_t before, after;

    cuc__tensor_byte_range(&before, &after, t);
    if (!after)
        return CUC_OK;
    uint64_t offset = t->data - owner->ptr;
    if (t->data >= owner->ptr && before <= offset && offset <= owner->bytes &&
        after <= owner->bytes - offset)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "the tensor's elements are from 0x%" PRIx64 " to 0x%" PRIx64
                     ", the owner is %zu bytes at 0x%" PRIx64,
                     t->data - before, t->data + after, owner->bytes, owner->ptr);
}

static cuc_status check_type(const cuc_tensor *tensor, const char *function)
{
    if (type_of(tensor->dtype) < TYPES)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                     "DLPack has no element type for %s: export it as another type, such as f32",
                     cuc_dtype_name(tensor->dtype));
}

// Creates the block, except for the parts that differ between the two forms.
static cuc_status give(struct given **out, const cuc_tensor *tensor, cuc_buffer *owner,
                       const char *function)
{
    cuc_status st = cuc__tensor_check(tensor, function);
    if (st < 0)
        return st;
    if (owner && !cuc__handle_is_valid(owner, CUC__HANDLE_BUFFER))
        return cuc__fail_handle(owner, CUC__HANDLE_BUFFER, function, "owner");
    if (owner && (st = check_owner(tensor, owner, function)) < 0)
        return st;
    if ((st = check_type(tensor, function)) < 0)
        return st;
    struct given *g = calloc(1, sizeof(*g));
    if (!g)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a DLPack tensor");
    memcpy(g->shape, tensor->shape, sizeof(g->shape));
    memcpy(g->strides, tensor->strides, sizeof(g->strides));
    g->owner = cuc_buffer_retain(owner);
    *out = g;
    return CUC_OK;
}

static void fill(cuc_dl_tensor *dl, int64_t *shape, int64_t *strides, const cuc_tensor *t)
{
    size_t type = type_of(t->dtype);

    *dl = (cuc_dl_tensor){
        .data = (void *)(uintptr_t)t->data,
        .device = cuc__dlpack_device(t),
        .ndim = t->rank,
        .dtype = { types[type].code, types[type].bits, 1 },
        .shape = shape,
        .strides = strides,
    };
}

cuc_status cuc__dlpack_lend(cuc_dl_tensor *out, cuc_tensor *tensor, const char *function)
{
    cuc_status st = check_type(tensor, function);

    if (st >= 0)
        fill(out, tensor->shape, tensor->strides, tensor);
    return st;
}

cuc_status cuc_tensor_to_dlpack(cuc_dl_managed_tensor_versioned **out, const cuc_tensor *tensor,
                                cuc_buffer *owner)
{
    struct given *g;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = give(&g, tensor, owner, __func__);
    if (st < 0)
        return st;
    fill(&g->versioned.dl_tensor, g->shape, g->strides, tensor);
    g->versioned.version = (cuc_dl_version){ CUC_DL_VERSION_MAJOR, CUC_DL_VERSION_MINOR };
    g->versioned.flags = tensor->flags & CUC_TENSOR_READ_ONLY ? CUC_DL_READ_ONLY : 0;
    g->versioned.manager_ctx = g;
    g->versioned.deleter = delete_versioned;
    *out = &g->versioned;
    return CUC_OK;
}

cuc_status cuc_tensor_to_dlpack_unversioned(cuc_dl_managed_tensor **out, const cuc_tensor *tensor,
                                            cuc_buffer *owner)
{
    struct given *g;

    CUC_CHECK_NOT_NULL(out);
    if (tensor && tensor->flags & CUC_TENSOR_READ_ONLY)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "the tensor is read-only, which this form of DLPack cannot express: use "
                        "cuc_tensor_to_dlpack()");
    cuc_status st = give(&g, tensor, owner, __func__);
    if (st < 0)
        return st;
    fill(&g->unversioned.dl_tensor, g->shape, g->strides, tensor);
    g->unversioned.manager_ctx = g;
    g->unversioned.deleter = delete_unversioned;
    *out = &g->unversioned;
    return CUC_OK;
}
