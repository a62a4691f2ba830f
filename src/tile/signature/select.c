// Selects the entry for a launch's arguments, and fills its parameter block.
#include "signature.h"

#include "tile/ir/scalar.h"

#include <string.h>

// True if all extents, and the distances of all bytes from the base, are less than 2^31.
static bool fits_32(const cuc_tensor *t)
{
    int64_t bytes = cuc_dtype_bits(t->dtype) / 8, step, far, below = 0, above = bytes;

    for (int32_t axis = 0; axis < t->rank; axis++) {
        if (t->shape[axis] <= 1) // this stride only multiplies an index of 0
            continue;
        if (t->shape[axis] > INT32_MAX || __builtin_mul_overflow(t->strides[axis], bytes, &step) ||
            __builtin_mul_overflow(t->shape[axis] - 1, step, &far) || far > INT32_MAX ||
            far < -INT32_MAX)
            return false;
        *(far < 0 ? &below : &above) += far;
    }
    return above <= INT32_MAX && below >= -INT32_MAX;
}

static bool has_unit_stride(const cuc_tensor *t)
{
    return !t->rank || t->strides[t->rank - 1] == 1;
}

bool tile_is_aligned(const struct tile_parameter *p, const cuc_tensor *t)
{
    uint64_t bytes = cuc_dtype_bits(t->dtype) / 8, all = t->data;

    // Only the lowest bits matter, so overflow is harmless.
    for (int32_t axis = 0; axis + 1 < t->rank; axis++)
        if (t->shape[axis] > 1)
            all |= (uint64_t)t->strides[axis] * bytes;
    return all % tile_vector_bytes(p) == 0 && has_unit_stride(t);
}

enum { MOST_MAPPED = 1 << 30 };

// A tensor with a map must have 1 to 2^30 elements along each axis, so that an index past the end
// is still past the end as a 32-bit coordinate.
bool tile_map_shape_of(struct tile_map_shape *out, const cuc_tensor *t)
{
    enum { STRIDE_BITS = 40 };
    uint64_t bytes = cuc_dtype_bits(t->dtype) / 8, packed = bytes;

    if (t->rank < 1 || t->rank > TILE_MAP_RANK || t->data % TILE_VECTOR_BYTES ||
        (t->strides[t->rank - 1] != 1 && t->shape[t->rank - 1] > 1))
        return false;
    memset(out, 0, sizeof(*out)); // the result serves as a key that is compared bytewise
    out->rank = (uint32_t)t->rank;
    for (uint32_t i = 0; i < out->rank; i++) {
        uint32_t axis = out->rank - 1 - i;
        int64_t extent = t->shape[axis], stride = t->strides[axis];
        if (extent < 1 || extent > MOST_MAPPED)
            return false;
        out->dims[i] = (uint64_t)extent;
        if (extent == 1) // any stride would be correct
            stride = (int64_t)((packed + TILE_VECTOR_BYTES - 1) / TILE_VECTOR_BYTES *
                               TILE_VECTOR_BYTES / bytes);
        if (i && (stride < 1 || stride >= (INT64_C(1) << STRIDE_BITS) / (int64_t)bytes ||
                  (uint64_t)stride * bytes % TILE_VECTOR_BYTES))
            return false;
        if (i)
            out->strides[i - 1] = (uint64_t)stride * bytes;
        packed = (uint64_t)stride * bytes * (uint64_t)extent;
        packed &= (UINT64_C(1) << (STRIDE_BITS - 1)) - 1;
    }
    return true;
}

// True if 32-bit coordinates suffice. In a map with `ends`, the coordinates along the rows reach
// three times the number of rows. `map`: NULL if there is none.
static bool fits_coordinates(const struct tile_tensor_map *map, const cuc_tensor *t)
{
    const int64_t most_ended = INT64_C(1) << 29;

    for (int32_t axis = 0; axis < t->rank; axis++)
        if (t->shape[axis] < 1 || t->shape[axis] > MOST_MAPPED)
            return false;
    return !map || !map->ends || t->shape[t->rank - 2] <= most_ended;
}

bool tile_can_have_map(const struct tile_signature *s, const struct tile_tensor_map *map,
                       const cuc_tensor *t)
{
    struct tile_map_shape shape;

    // TMA stores write pieces of 16 bytes, so a row must end where its last piece ends.
    return tile_map_shape_of(&shape, t) && fits_coordinates(map, t) &&
           !(s->written >> map->parameter & 1 &&
             shape.dims[0] * cuc_dtype_bits(t->dtype) / 8 % TILE_VECTOR_BYTES);
}

static bool can_have_maps(const struct tile_signature *s, const struct tile_entry *entry,
                          const struct tile_argument *argument)
{
    for (uint32_t i = 0; i < entry->map_count; i++) {
        const struct tile_tensor_map *map = &entry->map[i];
        const cuc_tensor *t = argument[map->parameter].tensor;
        if (map->optional ? !fits_coordinates(map, t) : !tile_can_have_map(s, map, t))
            return false;
    }
    return true;
}

// True if no element of a written tensor shares a byte with another element or tensor.
static bool are_disjoint(const struct tile_signature *s, const struct tile_argument *argument)
{
    for (uint32_t p = 0; p < s->kernel->parameter_count; p++) {
        if (!(s->written >> p & 1))
            continue;
        if (tile_tensor_has_overlap(argument[p].tensor))
            return false;
        for (uint32_t q = 0; q < s->kernel->parameter_count; q++)
            if (q != p && argument[q].tensor &&
                !tile_tensors_disjoint(argument[p].tensor, argument[q].tensor))
                return false;
    }
    return true;
}

// True if written tensors must not overlap others. This holds if the next entry is the same code
// with barriers, or if the entry stores to several tensors, the last by TMA: nothing orders that
// store after the others.
static bool requires_no_overlap(const struct tile_signature *s, uint32_t entry)
{
    return s->entry[entry + 1].variant == TILE_OVERLAP_32 ||
           (tile_has_roles(s->entry[entry].variant) && s->written & (s->written - 1));
}

// Checks the conditions that the entry's variant sets for all tensors, and those for tensors that
// must be aligned or that threads realign.
static bool takes_tensors(const struct tile_signature *s, const struct tile_entry *entry,
                          const struct tile_argument *argument)
{
    bool any_stride = entry->variant == TILE_INDEX_64;

    for (uint32_t p = 0; p < s->kernel->parameter_count; p++) {
        const cuc_tensor *t = argument[p].tensor;
        if (t && ((entry->narrow && !fits_32(t)) || (!any_stride && !has_unit_stride(t)) ||
                  (entry->aligned >> p & 1 && !tile_is_aligned(&s->kernel->parameter[p], t)) ||
                  (entry->realigned >> p & 1 && !fits_coordinates(NULL, t))))
            return false;
    }
    return true;
}

bool tile_entry_takes(const struct tile_signature *s, uint32_t entry,
                      const struct tile_argument *argument)
{
    if (entry + 1 == s->entries) // takes all arguments
        return true;
    return takes_tensors(s, &s->entry[entry], argument) &&
           can_have_maps(s, &s->entry[entry], argument) &&
           (!requires_no_overlap(s, entry) || are_disjoint(s, argument));
}

const struct tile_entry *tile_select_entry(const struct tile_signature *s,
                                           const struct tile_argument *argument)
{
    uint32_t i = 0;

    while (!tile_entry_takes(s, i, argument))
        i++;
    return &s->entry[i];
}

void tile_pack_arguments(const struct tile_kernel *kernel, enum tile_variant variant,
                         const struct tile_argument *argument, void *block)
{
    unsigned char *to = block;
    uint64_t aligned = 0;

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
    if (!tile_asks_alignment(variant))
        return;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (argument[i].tensor && tile_is_aligned(&kernel->parameter[i], argument[i].tensor))
            aligned |= UINT64_C(1) << i;
    memcpy(to, &aligned, sizeof(aligned));
}

uint64_t tile_scalar_of(cuc_dtype dtype, const void *bytes)
{
    uint32_t bits = cuc_dtype_bits(dtype);
    uint64_t element = 0;

    memcpy(&element, bytes, bits / 8); // hosts of GPUs are little-endian
    if (dtype == CUC_BOOL)
        return element & 1;
    if (tile_is_signed(dtype) && bits < 64 && element >> (bits - 1))
        element |= UINT64_MAX << bits;
    return element;
}
