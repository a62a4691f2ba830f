#include "tensor.h"

#include "memory/buffer.h"
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

static bool has_rank(const cuc_tensor *t)
{
    return t && t->rank >= 0 && t->rank <= CUC_TENSOR_MAX_RANK;
}

static bool is_empty(const cuc_tensor *t)
{
    for (int32_t i = 0; i < t->rank; i++)
        if (t->shape[i] == 0)
            return true;
    return false;
}

int64_t cuc_tensor_elements(const cuc_tensor *tensor)
{
    int64_t n = 1;

    // A tensor with an empty dimension is empty, however large the other dimensions are.
    if (!has_rank(tensor) || is_empty(tensor))
        return 0;
    for (int32_t i = 0; i < tensor->rank; i++)
        if (tensor->shape[i] < 0 || __builtin_mul_overflow(n, tensor->shape[i], &n))
            return 0;
    return n;
}

uint64_t cuc_tensor_bytes(const cuc_tensor *tensor)
{
    uint64_t bytes;
    uint64_t n = (uint64_t)cuc_tensor_elements(tensor);

    if (!n || __builtin_mul_overflow(n, (uint64_t)cuc_dtype_bits(tensor->dtype) / 8, &bytes))
        return 0;
    return bytes;
}

int32_t cuc_tensor_is_contiguous(const cuc_tensor *tensor)
{
    int64_t expected = 1;

    if (!has_rank(tensor))
        return 0;
    if (is_empty(tensor))
        return 1;
    for (int32_t i = tensor->rank - 1; i >= 0; i--) {
        if (tensor->shape[i] != 1 && tensor->strides[i] != expected)
            return 0;
        if (__builtin_mul_overflow(expected, tensor->shape[i], &expected))
            return 0;
    }
    return 1;
}

cuc_status cuc__tensor_lay_out(cuc_tensor *tensor, int32_t rank, const int64_t *shape,
                               const int64_t *strides, const char *function)
{
    int64_t stride = 1;

    if (rank < 0 || rank > CUC_TENSOR_MAX_RANK)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "rank is %d, expected 0 to %d", rank,
                         CUC_TENSOR_MAX_RANK);
    if (rank && !shape)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "shape is NULL, expected %d extents",
                         rank);
    memset(tensor->shape, 0, sizeof(tensor->shape));
    memset(tensor->strides, 0, sizeof(tensor->strides));
    tensor->rank = rank;
    for (int32_t i = rank - 1; i >= 0; i--) {
        tensor->shape[i] = shape[i];
        tensor->strides[i] = strides ? strides[i] : stride;
        // The next check refuses too many elements, unless the tensor is empty.
        if (shape[i] > 1 && __builtin_mul_overflow(stride, shape[i], &stride))
            stride = INT64_MAX;
    }
    return CUC_OK;
}

// Computes how far the elements extend from `data`, in elements: upwards through positive strides
// and downwards through negative ones. Returns false if a distance exceeds 64 bits.
static bool reach(uint64_t *up, uint64_t *down, const cuc_tensor *t)
{
    *up = *down = 0;
    for (int32_t i = 0; i < t->rank; i++) {
        bool back = t->strides[i] < 0;
        uint64_t stride = back ? 0 - (uint64_t)t->strides[i] : (uint64_t)t->strides[i];
        uint64_t *sum = back ? down : up;
        uint64_t span;
        if (__builtin_mul_overflow(stride, (uint64_t)(t->shape[i] - 1), &span) ||
            __builtin_add_overflow(*sum, span, sum))
            return false;
    }
    return true;
}

// Does the same in bytes, and includes the size of the last element.
static bool byte_range(uint64_t *before, uint64_t *after, const cuc_tensor *t)
{
    uint64_t size = cuc_dtype_bits(t->dtype) / 8;
    uint64_t up, down;

    return reach(&up, &down, t) && !__builtin_mul_overflow(down, size, before) &&
           !__builtin_mul_overflow(up, size, after) && !__builtin_add_overflow(*after, size, after);
}

void cuc__tensor_byte_range(uint64_t *before, uint64_t *after, const cuc_tensor *tensor)
{
    if (is_empty(tensor) || !byte_range(before, after, tensor))
        *before = *after = 0;
}

cuc_status cuc__tensor_check(const cuc_tensor *t, const char *function)
{
    uint64_t before, after;

    if (!t)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "tensor is NULL");
    uint64_t size = cuc_dtype_bits(t->dtype) / 8;
    if (!size)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "dtype is %d (%s), expected the type of an element", t->dtype,
                         cuc_dtype_name(t->dtype));
    if (t->rank < 0 || t->rank > CUC_TENSOR_MAX_RANK)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "rank is %d, expected 0 to %d",
                         t->rank, CUC_TENSOR_MAX_RANK);
    if (t->device < -1)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "device is %d, expected an ordinal or -1 for the host", t->device);
    cuc_status st = cuc__check_bits("flags", t->flags, CUC__TENSOR_FLAGS, 0,
                                    "CUC_TENSOR_ bits (0x7)", function);
    if (st < 0)
        return st;
    for (int32_t i = 0; i < t->rank; i++)
        if (t->shape[i] < 0)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "shape[%d] is %" PRId64 ", expected 0 or more", i, t->shape[i]);
    if (is_empty(t))
        return CUC_OK; // nothing reads an element, so data may be anything
    if (!cuc_tensor_bytes(t))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the %d extents multiply to more elements of %" PRIu64
                         " bytes than 64 bits can count",
                         t->rank, size);
    if (!t->data)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "data is 0, and the shape has %" PRId64 " elements",
                         cuc_tensor_elements(t));
    // A complex number has the alignment of its parts.
    uint64_t align = t->dtype == CUC_C64 || t->dtype == CUC_C128 ? size / 2 : size;
    if (t->data % align)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "data is 0x%" PRIx64 ", which is not aligned to the %" PRIu64
                         " bytes that %s needs",
                         t->data, align, cuc_dtype_name(t->dtype));
    if (!byte_range(&before, &after, t) || before > t->data || t->data + (after - 1) < t->data)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "shape and strides reach past the 64-bit address space from data 0x%" PRIx64, t->data);
    return CUC_OK;
}

cuc_status cuc_tensor_check(const cuc_tensor *tensor)
{
    return cuc__tensor_check(tensor, __func__);
}

cuc_status cuc_tensor_from_pointer(cuc_tensor *out, cuc_device_ptr data, cuc_dtype dtype,
                                   int32_t rank, const int64_t *shape, int32_t device)
{
    cuc_tensor t = { .data = data, .dtype = dtype, .device = device };

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__tensor_lay_out(&t, rank, shape, NULL, __func__);
    if (st < 0 || (st = cuc__tensor_check(&t, __func__)) < 0)
        return st;
    *out = t;
    return CUC_OK;
}

static uint32_t flags_of_access(uint32_t access)
{
    if (access & CUC_MEMORY_ACCESS_MANAGED)
        return CUC_TENSOR_MANAGED;
    return access & CUC_MEMORY_ACCESS_HOST && access & CUC_MEMORY_ACCESS_DEVICE ? CUC_TENSOR_PINNED
                                                                                : 0;
}

cuc_status cuc_tensor_from_buffer(cuc_tensor *out, const cuc_buffer *buffer, cuc_dtype dtype,
                                  int32_t rank, const int64_t *shape)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = cuc__buffer_describe(buffer, __func__);
    if (st < 0)
        return st;
    const cuc_device *device = cuc__buffer_device(buffer);
    cuc_tensor t = {
        .data = buffer->ptr,
        .dtype = dtype,
        .device = device ? device->ordinal : -1,
        .flags = flags_of_access(cuc__buffer_access(buffer)),
    };
    if ((st = cuc__tensor_lay_out(&t, rank, shape, NULL, __func__)) < 0)
        return st;
    // Check this first, because the check below would only say that an empty buffer has no address.
    uint64_t bytes = cuc_tensor_bytes(&t);
    if (bytes > buffer->bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "%" PRId64 " elements of %s take %" PRIu64
                        " bytes, the buffer has %zu bytes",
                        cuc_tensor_elements(&t), cuc_dtype_name(dtype), bytes, buffer->bytes);
    if ((st = cuc__tensor_check(&t, __func__)) < 0)
        return st;
    *out = t;
    return CUC_OK;
}

// ---- Elements that share an address

static uint64_t magnitude(int64_t x)
{
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

// Returns true if at most `firsts` steps of size `first` along one axis can reach the same address
// as at most `seconds` steps of size `second` along another axis.
static bool steps_meet(uint64_t first, uint64_t firsts, uint64_t second, uint64_t seconds)
{
    uint64_t shared = first, y = second; // ends up as the greatest common divisor

    if (first == 1 || second == 1) // the usual case needs no division
        return second <= firsts && first <= seconds;
    while (y) {
        uint64_t rest = shared % y;
        shared = y;
        y = rest;
    }
    return shared && second / shared <= firsts && first / shared <= seconds;
}

bool cuc__tensor_shares_addresses(const cuc_tensor *t)
{
    bool meet = false;

    for (int32_t i = 0; i < t->rank; i++)
        if (!t->shape[i])
            return false;
    for (int32_t i = 0; i < t->rank && !meet; i++)
        for (int32_t j = 0; j <= i && !meet; j++) {
            uint64_t x = magnitude(t->strides[i]), y = magnitude(t->strides[j]);
            uint64_t across = (uint64_t)t->shape[i] - 1, up = (uint64_t)t->shape[j] - 1;
            meet = i == j ? !x && across : across && up && steps_meet(x, across, y, up);
        }
    return meet;
}
