// Selects the entry for a launch's arguments, and fills its parameter block.
#include "signature.h"

#include "tile/ir/scalar.h"

#include <string.h>

enum { VECTOR_BYTES = 16 };

// Conditions that entries place on all tensors.
struct needs {
    bool index32; // every extent, and the distance of every byte from the base, is below 2^31
    bool aligned; // bases, and all strides but the last, which is 1, are multiples of a vector
};

static void add_needs(struct needs *needs, const cuc_tensor *t)
{
    int64_t bytes = cuc_dtype_bits(t->dtype) / 8, step, far, below = 0, above = bytes;

    needs->aligned &= t->data % VECTOR_BYTES == 0 && (!t->rank || t->strides[t->rank - 1] == 1);
    for (int32_t axis = 0; axis < t->rank; axis++) {
        if (t->shape[axis] <= 1) // this stride is only multiplied by index 0
            continue;
        // Only the product's lowest bits matter, and they survive an overflow.
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

// A tensor with a map must have 1 to 2^30 elements along each axis, so that an index past the end
// has a 32-bit coordinate past the end.
bool tile_map_shape_of(struct tile_map_shape *out, const cuc_tensor *t)
{
    enum { STRIDE_BITS = 40 };
    uint64_t bytes = cuc_dtype_bits(t->dtype) / 8, packed = bytes;

    if (t->rank < 1 || t->rank > TILE_MAP_RANK || t->data % VECTOR_BYTES ||
        (t->strides[t->rank - 1] != 1 && t->shape[t->rank - 1] > 1))
        return false;
    memset(out, 0, sizeof(*out)); // the key is compared bytewise
    out->rank = (uint32_t)t->rank;
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t axis = out->rank - 1 - i;
        int64_t extent = t->shape[axis], stride = t->strides[axis];
        if (extent < 1 || extent > INT64_C(1) << 30)
            return false;
        out->dims[i] = (uint64_t)extent;
        if (extent == 1) // any stride is correct
            stride = (int64_t)((packed + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES / bytes);
        if (i && (stride < 1 || stride >= (INT64_C(1) << STRIDE_BITS) / (int64_t)bytes ||
                  (uint64_t)stride * bytes % VECTOR_BYTES))
            return false;
        if (i)
            out->strides[i - 1] = (uint64_t)stride * bytes;
        packed = (uint64_t)stride * bytes * (uint64_t)extent;
        packed &= (UINT64_C(1) << (STRIDE_BITS - 1)) - 1;
    }
    return true;
}

// Stores by a map write pieces of 16 bytes, so a row must end at the end of a piece.
static bool can_have_maps(const struct tile_signature *s, const struct tile_entry *entry,
                          const struct tile_argument *argument)
{
    const uint64_t most_ended = UINT64_C(1) << 29; // three times as many still fit in a coordinate
    struct tile_map_shape shape;

    for (uint32_t i = 0; i < entry->map_count; i++) {
        uint32_t p = entry->map[i].parameter;
        const cuc_tensor *t = argument[p].tensor;
        if (!tile_map_shape_of(&shape, t) || (entry->map[i].ends && shape.dims[1] > most_ended) ||
            (s->written >> p & 1 && shape.dims[0] * cuc_dtype_bits(t->dtype) / 8 % VECTOR_BYTES))
            return false;
    }
    return true;
}

// True if no written tensor shares a byte with another tensor.
static bool are_disjoint(const struct tile_signature *s, const struct tile_argument *argument)
{
    for (uint32_t p = 0; p < s->kernel->parameter_count; p++)
        for (uint32_t q = 0; q < s->kernel->parameter_count && s->written >> p & 1; q++)
            if (q != p && argument[q].tensor &&
                !tile_tensors_disjoint(argument[p].tensor, argument[q].tensor))
                return false;
    return true;
}

// True if an entry assumes that its tensors do not overlap: either it has a counterpart with
// barriers, or its last store is by TMA and its other stores must go to different memory.
static bool assumes_no_overlap(const struct tile_signature *s, uint32_t entry)
{
    return s->entry[entry + 1].variant == TILE_OVERLAP_32 ||
           (s->entry[entry].variant == TILE_TMA && s->written & (s->written - 1));
}

const struct tile_entry *tile_select_entry(const struct tile_signature *s,
                                           const struct tile_argument *argument)
{
    struct needs needs = { true, true };
    uint32_t i = 0;

    for (uint32_t p = 0; p < s->kernel->parameter_count; p++)
        if (argument[p].tensor)
            add_needs(&needs, argument[p].tensor);
    for (; i + 1 < s->entries; i++) {
        enum tile_variant variant = s->entry[i].variant;
        bool wide = variant == TILE_INDEX_64 || variant == TILE_TMA;
        bool aligned = variant != TILE_INDEX_32 && variant != TILE_INDEX_64;
        if ((wide || needs.index32) && (!aligned || needs.aligned) &&
            can_have_maps(s, &s->entry[i], argument) &&
            (!assumes_no_overlap(s, i) || are_disjoint(s, argument)))
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

    memcpy(&element, bytes, bits / 8); // every host of a GPU is little-endian
    if (dtype == CUC_BOOL)
        return element & 1;
    if (tile_is_signed(dtype) && bits < 64 && element >> (bits - 1))
        element |= UINT64_MAX << bits;
    return element;
}
