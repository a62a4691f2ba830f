// Which entry fits the arguments of a launch, and the block of bytes that it takes.
#include "signature.h"

#include "scalar.h"

#include <string.h>

enum { VECTOR_BYTES = 16 };

// What entries may ask of all tensors.
struct needs {
    bool index32; // every extent and every byte's distance from the base is below 2^31
    bool aligned; // bases, and all strides but the last, which is 1, are multiples of a vector
};

static void look_at(struct needs *needs, const cuc_tensor *t)
{
    int64_t bytes = cuc_dtype_bits(t->dtype) / 8, step, far, below = 0, above = bytes;

    needs->aligned &= t->data % VECTOR_BYTES == 0 && (!t->rank || t->strides[t->rank - 1] == 1);
    for (int32_t axis = 0; axis < t->rank; axis++) {
        if (t->shape[axis] <= 1) // no index is multiplied with this stride
            continue;
        // Of the product the lowest bits count, which it keeps when it overflows.
        if (axis + 1 < t->rank && (uint64_t)t->strides[axis] * (uint64_t)bytes % VECTOR_BYTES)
            needs->aligned = false;
        if (t->shape[axis] > INT32_MAX || __builtin_mul_overflow(t->strides[axis], bytes, &step) ||
            __builtin_mul_overflow(t->shape[axis] - 1, step, &far) || far > INT32_MAX ||
            far < -INT32_MAX)
            needs->index32 = false;
        else
            *(far < 0 ? &below : &above) += far;
    }
    needs->index32 &= above <= INT32_MAX && below >= -INT32_MAX;
}

const struct tile_entry *tile_select_entry(const struct tile_signature *s,
                                           const struct tile_argument *argument)
{
    struct needs needs = { true, true };
    uint32_t i = 0;

    for (uint32_t p = 0; p < s->kernel->parameter_count; p++)
        if (argument[p].tensor)
            look_at(&needs, argument[p].tensor);
    for (; i + 1 < s->entries; i++) {
        enum tile_variant variant = s->entry[i].variant;
        if ((variant == TILE_INDEX_64 || needs.index32) &&
            (variant != TILE_ALIGNED_32 || needs.aligned))
            break;
    }
    return &s->entry[i];
}

void tile_pack_arguments(const struct tile_kernel *kernel, const struct tile_argument *argument,
                         void *block)
{
    unsigned char *to = block;

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const cuc_tensor *t = argument[i].tensor;
        if (!t) {
            memcpy(to, &argument[i].scalar, 8);
            to += 8;
            continue;
        }
        size_t bytes = (size_t)t->rank * sizeof(int64_t);
        memcpy(to, &t->data, sizeof(t->data));
        memcpy(to + 8, t->shape, bytes);
        memcpy(to + 8 + bytes, t->strides, bytes);
        to += 8 + 2 * bytes;
    }
}

uint64_t tile_scalar_of(cuc_dtype dtype, const void *bytes)
{
    uint32_t bits = cuc_dtype_bits(dtype);
    uint64_t element = 0;

    memcpy(&element, bytes, bits / 8); // every host of a GPU has the lowest byte first
    if (dtype == CUC_BOOL)
        return element & 1;
    if (tile_is_signed(dtype) && bits < 64 && element >> (bits - 1))
        element |= UINT64_MAX << bits;
    return element;
}
