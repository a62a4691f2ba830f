// Values of the C builder: constants, elementwise ops, and others.
#include "api.h"

#include "tile/ir/diagnostic.h"

#include <string.h>

// Constants have no dtype yet. Fold them at once, as the front end does.

cuc_tile cuc_tile_int(cuc_tile_program *program, const char *file, uint32_t line, int64_t value)
{
    return tile_begin_call(program, "int", file, line, true)
               ? tile_handle_of_meaning(program, tile_meaning_of_int(value), true)
               : 0;
}

cuc_tile cuc_tile_uint(cuc_tile_program *program, const char *file, uint32_t line, uint64_t value)
{
    return tile_begin_call(program, "uint", file, line, true)
               ? tile_handle_of_meaning(program, tile_meaning_of_int((tile_wide)value), true)
               : 0;
}

cuc_tile cuc_tile_float(cuc_tile_program *program, const char *file, uint32_t line, double value)
{
    return tile_begin_call(program, "float", file, line, true)
               ? tile_handle_of_meaning(program, tile_meaning_of_real(value), true)
               : 0;
}

cuc_tile cuc_tile_bool(cuc_tile_program *program, const char *file, uint32_t line, int32_t value)
{
    return tile_begin_call(program, "bool", file, line, true)
               ? tile_handle_of_meaning(program, tile_meaning_of_truth(value != 0), true)
               : 0;
}

cuc_tile cuc_tile_full(cuc_tile_program *program, const char *file, uint32_t line, cuc_dtype dtype,
                       uint32_t rank, const int64_t *shape, cuc_tile value)
{
    struct tile_operand x;

    if (!TILE_BEGIN("full"))
        return 0;
    bool ok = tile_use_dtype(program, dtype);
    ok &= tile_use_shape(program, "shape", rank, shape, false);
    ok &= tile_use(program, "value", value, &x);
    return ok ? tile_handle_of(program, tile_build_full(&program->e.b, dtype, rank, shape, x)) : 0;
}

cuc_tile cuc_tile_full_list(cuc_tile_program *program, const char *file, uint32_t line,
                            cuc_dtype dtype, uint32_t rank, const int64_t *shape, uint32_t count,
                            const cuc_tile *values)
{
    struct tile_operand x[TILE_MAX_LISTED];
    int64_t elements = 1;

    if (!TILE_BEGIN("full"))
        return 0;
    if (!tile_use_dtype(program, dtype) || !tile_use_shape(program, "shape", rank, shape, false) ||
        !tile_use_list(program, "values", count, values, x, TILE_MAX_LISTED))
        return 0;
    for (uint32_t i = 0; i < rank && elements <= TILE_MAX_LISTED; i++)
        elements *= shape[i];
    if (elements != count) {
        tile_error(program->module, TILE_T203, program->e.b.where,
                   "full: the shape has %lld elements, the list %u", (long long)elements, count);
        return 0;
    }
    return tile_handle_of(program,
                          tile_build_listed(&program->e.b, dtype, rank, shape, count, x, NULL));
}

cuc_tile cuc_tile_zeros(cuc_tile_program *program, const char *file, uint32_t line, cuc_dtype dtype,
                        uint32_t rank, const int64_t *shape)
{
    if (!TILE_BEGIN("zeros"))
        return 0;
    bool ok = tile_use_dtype(program, dtype);
    ok &= tile_use_shape(program, "shape", rank, shape, false);
    return ok ? tile_handle_of(program,
                               tile_build_full(&program->e.b, dtype, rank, shape, tile_of_int(0)))
              : 0;
}

cuc_tile cuc_tile_iota(cuc_tile_program *program, const char *file, uint32_t line, cuc_dtype dtype,
                       int64_t count)
{
    return TILE_BEGIN("iota") && tile_use_dtype(program, dtype)
               ? tile_handle_of(program, tile_build_iota(&program->e.b, dtype, count))
               : 0;
}

cuc_tile tile_handle_of_op(cuc_tile_program *p, enum tile_op_kind kind,
                           struct tile_value **operands, uint32_t count,
                           enum tile_attribute_key key, int64_t i)
{
    struct tile_attribute attribute = { .key = key, .i = i };

    return tile_handle_of(p, tile_build(&p->e.b, kind, operands, count, &attribute, 1, NULL));
}

cuc_tile cuc_tile_block(cuc_tile_program *program, const char *file, uint32_t line, int32_t axis)
{
    return TILE_BEGIN("block")
               ? tile_handle_of_op(program, TILE_BLOCK, NULL, 0, TILE_ATTR_INDEX, axis)
               : 0;
}

cuc_tile cuc_tile_num_blocks(cuc_tile_program *program, const char *file, uint32_t line,
                             int32_t axis)
{
    return TILE_BEGIN("num_blocks")
               ? tile_handle_of_op(program, TILE_NUM_BLOCKS, NULL, 0, TILE_ATTR_INDEX, axis)
               : 0;
}

cuc_tile cuc_tile_dim(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile tensor,
                      int32_t axis)
{
    struct tile_value *x = TILE_BEGIN("dim") ? tile_use_value(program, "tensor", tensor) : NULL;

    return x ? tile_handle_of_op(program, TILE_DIM, &x, 1, TILE_ATTR_AXIS, axis) : 0;
}

cuc_tile cuc_tile_stride(cuc_tile_program *program, const char *file, uint32_t line,
                         cuc_tile tensor, int32_t axis)
{
    struct tile_value *x = TILE_BEGIN("stride") ? tile_use_value(program, "tensor", tensor) : NULL;

    return x ? tile_handle_of_op(program, TILE_STRIDE, &x, 1, TILE_ATTR_AXIS, axis) : 0;
}

// Elementwise

static cuc_tile unary(cuc_tile_program *program, const char *file, uint32_t line,
                      enum tile_op_kind kind, cuc_tile value)
{
    bool folds = kind == TILE_NEG || kind == TILE_NOT;
    struct tile_meaning what;
    struct tile_operand x;

    if (!TILE_BEGIN(tile_op_infos[kind].name) || !tile_use_meaning(program, "x", value, &what))
        return 0;
    if (folds && tile_meaning_is_constant(&what)) {
        what = tile_fold_unary(&program->e, kind, &what);
        return tile_handle_of_meaning(program, what, true);
    }
    return tile_meaning_operand(&program->e, &what, &x)
               ? tile_handle_of(program, tile_build_unary(&program->e.b, kind, x))
               : 0;
}

#define UNARY(function, id, text)                                                             \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x) \
    {                                                                                         \
        return unary(program, file, line, TILE_##id, x);                                      \
    }
CUC_TILE_UNARY_LIST(UNARY)

static cuc_tile rounded(cuc_tile_program *program, const char *file, uint32_t line, const char *op,
                        enum tile_op_kind kind, uint32_t count, const cuc_tile *x, int32_t round)
{
    static const char *const names[] = { "x", "y", "z" };
    struct tile_operand operand[3];
    struct tile_rounding how;

    if (!TILE_BEGIN(op))
        return 0;
    bool nan = false, extreme = kind == TILE_MINIMUM || kind == TILE_MAXIMUM;
    bool ok = tile_use_rounding(program, round, &how, extreme ? &nan : NULL);
    for (uint32_t i = 0; i < count; i++)
        ok &= tile_use(program, names[i], x[i], &operand[i]);
    return ok ? tile_handle_of(program,
                               tile_build_rounded(&program->e.b, kind, operand, count, how, nan))
              : 0;
}

#define UNARY_ROUND(function, id, text)                                                       \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, \
                      int32_t round)                                                          \
    {                                                                                         \
        return rounded(program, file, line, TILE_OP_OF(function), TILE_##id, 1, &x, round);   \
    }
CUC_TILE_UNARY_ROUND_LIST(UNARY_ROUND)

#define BINARY_ROUND(function, id, text)                                                      \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, \
                      cuc_tile y, int32_t round)                                              \
    {                                                                                         \
        const cuc_tile both[] = { x, y };                                                     \
        return rounded(program, file, line, TILE_OP_OF(function), TILE_##id, 2, both, round); \
    }
CUC_TILE_BINARY_ROUND_LIST(BINARY_ROUND)

cuc_tile cuc_tile_fma_round(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                            cuc_tile y, cuc_tile z, int32_t round)
{
    const cuc_tile all[] = { x, y, z };

    return rounded(program, file, line, "fma_round", TILE_FMA, 3, all, round);
}

static cuc_tile binary(cuc_tile_program *program, const char *file, uint32_t line,
                       enum tile_op_kind kind, bool nan, cuc_tile left, cuc_tile right)
{
    struct tile_meaning x, y;
    struct tile_operand a, b;

    if (!TILE_BEGIN(tile_op_infos[kind].name))
        return 0;
    bool ok = tile_use_meaning(program, "x", left, &x);
    ok &= tile_use_meaning(program, "y", right, &y);
    if (!ok)
        return 0;
    if (tile_folds_binary(kind) && tile_meaning_is_constant(&x) && tile_meaning_is_constant(&y)) {
        x = tile_fold_binary(&program->e, kind, &x, &y);
        return tile_handle_of_meaning(program, x, true);
    }
    ok = tile_meaning_operand(&program->e, &x, &a);
    ok &= tile_meaning_operand(&program->e, &y, &b);
    return ok ? tile_handle_of(program, tile_build_binary(&program->e.b, kind, a, b, nan)) : 0;
}

#define BINARY_OF(function, id, nan)                                                          \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, \
                      cuc_tile y)                                                             \
    {                                                                                         \
        return binary(program, file, line, TILE_##id, nan, x, y);                             \
    }
#define BINARY(function, id, text) BINARY_OF(function, id, false)
#define BINARY_NAN(function, id, text) BINARY_OF(function, id, true)
CUC_TILE_BINARY_LIST(BINARY)
CUC_TILE_BINARY_NAN_LIST(BINARY_NAN)

void cuc_tile_divmod(cuc_tile *quotient, cuc_tile *rest, cuc_tile_program *program,
                     const char *file, uint32_t line, cuc_tile x, cuc_tile y)
{
    if (quotient)
        *quotient = binary(program, file, line, TILE_FLOORDIV, false, x, y);
    if (rest)
        *rest = binary(program, file, line, TILE_MOD, false, x, y);
}

cuc_tile cuc_tile_fma(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                      cuc_tile y, cuc_tile z)
{
    struct tile_operand a, b, c;

    if (!TILE_BEGIN("fma"))
        return 0;
    bool ok = tile_use(program, "x", x, &a);
    ok &= tile_use(program, "y", y, &b);
    ok &= tile_use(program, "z", z, &c);
    return ok ? tile_handle_of(program, tile_build_fma(&program->e.b, a, b, c)) : 0;
}

cuc_tile cuc_tile_where(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile c,
                        cuc_tile x, cuc_tile y)
{
    static const char *const names[] = { "c", "x", "y" };
    const cuc_tile given[] = { c, x, y };
    struct tile_meaning what[3];
    struct tile_operand operand[3];
    struct tile_builder *b;
    bool ok = true;

    if (!TILE_BEGIN("where"))
        return 0;
    b = &program->e.b;
    for (uint32_t i = 0; i < 3; i++)
        ok &= tile_use_meaning(program, names[i], given[i], &what[i]);
    if (ok && what[0].kind == TILE_TRUTH && tile_meaning_is_constant(&what[1]) &&
        tile_meaning_is_constant(&what[2]))
        return what[0].operand.i ? x : y;
    for (uint32_t i = 0; i < 3 && ok; i++)
        ok = tile_meaning_operand(&program->e, &what[i], &operand[i]);
    return ok ? tile_handle_of(program, tile_build_where(b, tile_build_value(b, operand[0]),
                                                         operand[1], operand[2]))
              : 0;
}

cuc_tile cuc_tile_gradient(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile y,
                           cuc_tile x, cuc_tile d)
{
    struct tile_operand of_y = tile_of_int(1);

    if (!TILE_BEGIN("gradient"))
        return 0;
    struct tile_value *result = tile_use_value(program, "y", y);
    struct tile_value *from = tile_use_value(program, "x", x);
    return result && from && (!d || tile_use(program, "d", d, &of_y))
               ? tile_handle_of(program, tile_build_gradient(&program->e.b, result, from, of_y))
               : 0;
}

cuc_tile cuc_tile_gradient_at(cuc_tile_program *program, const char *file, uint32_t line,
                              cuc_tile y, cuc_tile tensor, uint32_t count, const cuc_tile *index,
                              cuc_tile d, int32_t each)
{
    struct tile_operand at[TILE_MAX_RANK], of_y = tile_of_int(1);

    if (!TILE_BEGIN("gradient_at"))
        return 0;
    struct tile_value *result = tile_use_value(program, "y", y);
    struct tile_value *from = tile_use_value(program, "tensor", tensor);
    return result && from && tile_use_list(program, "index", count, index, at, TILE_MAX_RANK) &&
                   (!d || tile_use(program, "d", d, &of_y))
               ? tile_handle_of(program, tile_build_gradient_at(&program->e.b, result, from, at,
                                                                count, of_y, each != 0))
               : 0;
}

cuc_tile cuc_tile_cast(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                       cuc_dtype dtype, int32_t round)
{
    struct tile_rounding how;
    struct tile_operand operand;

    if (!TILE_BEGIN("cast"))
        return 0;
    bool ok = tile_use(program, "x", x, &operand);
    ok &= tile_use_dtype(program, dtype);
    ok &= tile_use_rounding(program, round, &how, NULL);
    return ok ? tile_handle_of(program, tile_build_cast_rounded(&program->e.b, operand, dtype, how))
              : 0;
}

cuc_tile cuc_tile_bitcast(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                          cuc_dtype dtype)
{
    if (!TILE_BEGIN("bitcast") || !tile_use_dtype(program, dtype))
        return 0;
    return tile_handle_of(
        program, tile_build_bitcast(&program->e.b, tile_use_value(program, "x", x), dtype));
}

cuc_tile cuc_tile_assume(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                         int64_t divisor)
{
    struct tile_value *value = TILE_BEGIN("assume") ? tile_use_value(program, "x", x) : NULL;

    return value ? tile_handle_of_op(program, TILE_ASSUME, &value, 1, TILE_ATTR_DIVISOR, divisor)
                 : 0;
}

// Other ops

void cuc_tile_philox(cuc_tile *result, cuc_tile_program *program, const char *file, uint32_t line,
                     cuc_tile seed, cuc_tile counter)
{
    struct tile_operand x, y;

    if (result)
        memset(result, 0, 4 * sizeof(*result));
    if (!TILE_BEGIN("philox"))
        return;
    if (!result)
        tile_error(program->module, TILE_T511, program->e.b.where, "philox: result is NULL");
    bool ok = tile_use(program, "seed", seed, &x);
    ok &= tile_use(program, "counter", counter, &y);
    struct tile_op *op = ok && result ? tile_build_philox(&program->e.b, x, y) : NULL;
    for (uint32_t i = 0; op && i < 4; i++)
        result[i] = tile_handle_of(program, op->result[i]);
}

cuc_tile cuc_tile_asm(cuc_tile_program *program, const char *file, uint32_t line, const char *text,
                      cuc_dtype dtype, uint32_t count, const cuc_tile *x)
{
    struct tile_operand operand[TILE_MAX_RANK];

    if (!TILE_BEGIN("asm"))
        return 0;
    const char *copy = tile_use_text(program, "text", text);
    bool ok = copy && tile_use_dtype(program, dtype);
    ok &= tile_use_list(program, "x", count, x, operand, TILE_MAX_RANK);
    return ok ? tile_handle_of(program, tile_build_asm(&program->e.b, copy, dtype, count, operand))
              : 0;
}

void cuc_tile_assert(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile condition,
                     const char *text)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_TEXT };
    struct tile_meaning what;
    struct tile_operand x;

    if (!TILE_BEGIN("assert") || !tile_use_meaning(program, "c", condition, &what))
        return;
    attribute.text = text ? tile_use_text(program, "text", text) : "";
    if (what.kind == TILE_TRUTH) { // known at compile time
        if (!what.operand.i && attribute.text && !program->frame->dead)
            tile_error(program->module, TILE_T407, program->e.b.where, "assert: %s",
                       attribute.text);
        return;
    }
    if (!tile_meaning_operand(&program->e, &what, &x) || !attribute.text)
        return;
    struct tile_value *value = tile_build_value(&program->e.b, x);
    tile_build(&program->e.b, TILE_ASSERT, &value, 1, &attribute, 1, NULL);
}

void cuc_tile_print(cuc_tile_program *program, const char *file, uint32_t line, const char *text,
                    uint32_t count, const cuc_tile *x)
{
    struct tile_operand operand[TILE_MAX_RANK];
    struct tile_value *value[TILE_MAX_RANK];

    if (!TILE_BEGIN("print"))
        return;
    const char *copy = tile_use_text(program, "text", text);
    if (!copy || !tile_use_list(program, "x", count, x, operand, TILE_MAX_RANK))
        return;
    for (uint32_t i = 0; i < count; i++)
        value[i] = tile_build_value(&program->e.b, operand[i]);
    tile_build_print(&program->e.b, copy, count, value);
}

static void grid_dependency(cuc_tile_program *program, const char *file, uint32_t line,
                            enum tile_op_kind kind)
{
    if (TILE_BEGIN(tile_op_infos[kind].name))
        tile_build(&program->e.b, kind, NULL, 0, NULL, 0, NULL);
}

void cuc_tile_grid_dependency_wait(cuc_tile_program *program, const char *file, uint32_t line)
{
    grid_dependency(program, file, line, TILE_GRID_WAIT);
}

void cuc_tile_grid_dependency_launch(cuc_tile_program *program, const char *file, uint32_t line)
{
    grid_dependency(program, file, line, TILE_GRID_LAUNCH);
}
