// Shape ops of the C builder: reshaping, joining and splitting tiles.
#include "api.h"

#include "tile/ir/diagnostic.h"

#include <string.h>

typedef struct tile_value *reshape(struct tile_builder *b, struct tile_value *x, uint32_t rank,
                                   const int64_t *extent);

static cuc_tile shaped(cuc_tile_program *p, reshape *build, const char *what, cuc_tile x,
                       uint32_t rank, const int64_t *shape)
{
    struct tile_value *value = tile_use_value(p, "x", x);

    return tile_use_shape(p, what, rank, shape, false) && value
               ? tile_handle_of(p, build(&p->e.b, value, rank, shape))
               : 0;
}

cuc_tile cuc_tile_broadcast(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                            uint32_t rank, const int64_t *shape)
{
    return TILE_BEGIN("broadcast") ? shaped(program, tile_build_broadcast, "shape", x, rank, shape)
                                   : 0;
}

cuc_tile cuc_tile_reshape(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                          uint32_t rank, const int64_t *shape)
{
    return TILE_BEGIN("reshape") ? shaped(program, tile_build_reshape, "shape", x, rank, shape) : 0;
}

cuc_tile cuc_tile_permute(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                          uint32_t count, const int64_t *axes)
{
    return TILE_BEGIN("permute") ? shaped(program, tile_build_permute, "axes", x, count, axes) : 0;
}

cuc_tile cuc_tile_trans(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x)
{
    return TILE_BEGIN("trans")
               ? tile_handle_of(program,
                                tile_build_trans(&program->e.b, tile_use_value(program, "x", x)))
               : 0;
}

cuc_tile cuc_tile_expand(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                         int32_t axis)
{
    struct tile_value *value = TILE_BEGIN("expand") ? tile_use_value(program, "x", x) : NULL;
    int64_t extent[TILE_MAX_RANK + 1];
    uint32_t rank = 0;

    if (!value)
        return 0;
    const struct tile_type *type = &value->type;
    if (type->tensor || type->rank == TILE_MAX_RANK || axis < 0 || axis > type->rank) {
        const char *text = tile_type_text(program->module->arena, type);
        tile_error(program->module, type->tensor ? TILE_T302 : TILE_T204, program->e.b.where,
                   "expand: expected a tile of at most %d axes and an axis from 0 to their number, "
                   "got axis %d of %s",
                   TILE_MAX_RANK - 1, axis, text ? text : "?");
        return 0;
    }
    for (int32_t i = 0; i <= type->rank; i++)
        extent[rank++] = i == axis ? 1 : type->extent[i - (i > axis)];
    return tile_handle_of(program, tile_build_reshape(&program->e.b, value, rank, extent));
}

cuc_tile cuc_tile_squeeze(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                          int32_t axis)
{
    return TILE_BEGIN("squeeze")
               ? tile_handle_of(program, tile_build_squeeze(&program->e.b,
                                                            tile_use_value(program, "x", x), axis))
               : 0;
}

// Builds an op on x and a second tile along an axis. Errors call the second tile `name`.
static cuc_tile along(cuc_tile_program *program, enum tile_op_kind kind, cuc_tile x,
                      const char *name, cuc_tile other, int32_t axis)
{
    struct tile_value *first = tile_use_value(program, "x", x);
    struct tile_value *operands[] = { first, tile_use_value(program, name, other) };

    return tile_handle_of_op(program, kind, operands, 2, TILE_ATTR_AXIS, axis);
}

cuc_tile cuc_tile_cat(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                      cuc_tile y, int32_t axis)
{
    return TILE_BEGIN("cat") ? along(program, TILE_CAT, x, "y", y, axis) : 0;
}

cuc_tile cuc_tile_take(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                       cuc_tile index, int32_t axis)
{
    return TILE_BEGIN("take") ? along(program, TILE_TAKE, x, "index", index, axis) : 0;
}

// Reads indices, which count in subtiles.
static bool use_indices(cuc_tile_program *p, uint32_t count, const cuc_tile *index,
                        struct tile_value **to)
{
    struct tile_operand operand[TILE_MAX_RANK];

    if (!tile_use_list(p, "index", count, index, operand, TILE_MAX_RANK))
        return false;
    for (uint32_t i = 0; i < count; i++)
        to[i] = tile_build_value(&p->e.b, operand[i]);
    return true;
}

cuc_tile cuc_tile_extract(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                          uint32_t count, const cuc_tile *index, uint32_t rank,
                          const int64_t *shape)
{
    struct tile_value *operands[1 + TILE_MAX_RANK];
    struct tile_attribute attribute = { .key = TILE_ATTR_SHAPE, .count = rank };

    if (!TILE_BEGIN("extract"))
        return 0;
    operands[0] = tile_use_value(program, "x", x);
    bool ok = use_indices(program, count, index, operands + 1);
    ok &= tile_use_shape(program, "shape", rank, shape, false);
    int64_t *extent = ok ? tile_take(program->module, (rank + 1) * sizeof(*extent)) : NULL;
    if (!extent)
        return 0;
    if (rank)
        memcpy(extent, shape, rank * sizeof(*extent));
    attribute.ints = extent;
    return tile_handle_of(
        program, tile_build(&program->e.b, TILE_EXTRACT, operands, 1 + count, &attribute, 1, NULL));
}

cuc_tile cuc_tile_insert(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                         uint32_t count, const cuc_tile *index, cuc_tile y)
{
    struct tile_value *operands[2 + TILE_MAX_RANK];

    if (!TILE_BEGIN("insert"))
        return 0;
    operands[0] = tile_use_value(program, "x", x);
    operands[1] = tile_use_value(program, "y", y);
    return use_indices(program, count, index, operands + 2)
               ? tile_handle_of(program, tile_build(&program->e.b, TILE_INSERT, operands, 2 + count,
                                                    NULL, 0, NULL))
               : 0;
}

cuc_tile cuc_tile_shift(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                        cuc_tile n, int32_t axis, cuc_tile pad)
{
    struct tile_operand with = tile_of_int(0);

    if (!TILE_BEGIN("shift"))
        return 0;
    struct tile_value *value = tile_use_value(program, "x", x);
    struct tile_value *by = tile_use_value(program, "n", n);
    return !pad || tile_use(program, "pad", pad, &with)
               ? tile_handle_of(program, tile_build_shift(&program->e.b, value, by, axis, with))
               : 0;
}

cuc_tile cuc_tile_roll(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                       cuc_tile n, int32_t axis)
{
    return TILE_BEGIN("roll") ? along(program, TILE_ROLL, x, "n", n, axis) : 0;
}
