// Types of values: shapes, comparison, text.
#include "ir.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

struct tile_type tile_scalar(cuc_dtype dtype)
{
    return (struct tile_type){ .dtype = dtype };
}

struct tile_type tile_shaped(cuc_dtype dtype, uint32_t rank, const int32_t *extent)
{
    struct tile_type type = { .dtype = dtype, .rank = (uint8_t)rank };

    if (rank)
        memcpy(type.extent, extent, rank * sizeof(*extent));
    return type;
}

struct tile_type tile_tensor(cuc_dtype dtype, uint32_t rank)
{
    return (struct tile_type){ .dtype = dtype, .rank = (uint8_t)rank, .tensor = true };
}

bool tile_shape_same(const struct tile_type *a, const struct tile_type *b)
{
    return a->rank == b->rank && a->tensor == b->tensor &&
           memcmp(a->extent, b->extent, sizeof(a->extent)) == 0;
}

bool tile_type_same(const struct tile_type *a, const struct tile_type *b)
{
    return a->dtype == b->dtype && tile_shape_same(a, b);
}

int64_t tile_elements(const struct tile_type *type)
{
    int64_t count = 1;

    for (uint32_t i = 0; i < type->rank; i++)
        count *= type->extent[i];
    return count;
}

const char *tile_type_text(struct cuc__arena *arena, const struct tile_type *type)
{
    char text[TILE_MAX_RANK * 13 + 3] = "";
    size_t at = 0;

    if (type->tensor)
        return cuc__arena_print(arena, "tensor of %s, rank %u", cuc_dtype_name(type->dtype),
                                type->rank);
    for (uint32_t i = 0; i < type->rank; i++)
        at +=
            (size_t)snprintf(text + at, sizeof(text) - at, "%s%d", i ? ", " : "[", type->extent[i]);
    if (type->rank)
        text[at] = ']';
    return cuc__arena_print(arena, "%s%s", cuc_dtype_name(type->dtype), text);
}
