// Reductions, scans and matrix products of the C builder.
#include "api.h"

#include "tile/ir/diagnostic.h"

#include <string.h>

static cuc_tile reduction(cuc_tile_program *program, const char *file, uint32_t line,
                          const char *op, enum tile_combine with, int32_t round, cuc_tile x,
                          uint32_t count, const int64_t *axes)
{
    cuc_tile_program *p = program;
    uint32_t seen = 0;
    bool nan = false;

    if (!TILE_BEGIN(op))
        return 0;
    struct tile_value *value = tile_use_value(p, "x", x);
    bool extreme = with == TILE_WITH_MIN || with == TILE_WITH_MAX;
    struct tile_rounding how;
    if (!tile_use_shape(p, "axes", count, axes, false) || !value ||
        !tile_use_rounding(p, round, &how, extreme ? &nan : NULL))
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (axes[i] < 0 || axes[i] >= TILE_MAX_RANK)
            continue; // the op's own rules report the error
        if (seen >> axes[i] & 1) {
            tile_error(p->module, TILE_T205, p->e.b.where, "%s: axis %lld is there twice", op,
                       (long long)axes[i]);
            return 0;
        }
        seen |= UINT32_C(1) << axes[i];
    }
    return tile_handle_of(p, tile_build_reduce(&p->e.b, with, value, count, axes, nan, how));
}

#define REDUCE_OF(function, with, round)                                                        \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,   \
                      uint32_t count, const int64_t *axes)                                      \
    {                                                                                           \
        return reduction(program, file, line, TILE_OP_OF(function), TILE_WITH_##with, round, x, \
                         count, axes);                                                          \
    }
#define REDUCE(function, with, text) REDUCE_OF(function, with, CUC_TILE_RN)
#define REDUCE_NAN(function, with, text) REDUCE_OF(function, with, CUC_TILE_NAN)
CUC_TILE_REDUCE_LIST(REDUCE)
CUC_TILE_REDUCE_NAN_LIST(REDUCE_NAN)

#define REDUCE_ROUND(function, with, text)                                                      \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,   \
                      uint32_t count, const int64_t *axes, int32_t round)                       \
    {                                                                                           \
        return reduction(program, file, line, TILE_OP_OF(function), TILE_WITH_##with, round, x, \
                         count, axes);                                                          \
    }
CUC_TILE_REDUCE_ROUND_LIST(REDUCE_ROUND)

static cuc_tile along(cuc_tile_program *program, const char *file, uint32_t line,
                      enum tile_op_kind kind, bool nan, cuc_tile x, int32_t axis)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS, .i = axis };

    if (!TILE_BEGIN(tile_op_infos[kind].name))
        return 0;
    struct tile_value *value = tile_use_value(program, "x", x);
    return tile_handle_of(program,
                          kind == TILE_SORT
                              ? tile_build(&program->e.b, kind, &value, 1, &attribute, 1, NULL)
                              : tile_build_arg(&program->e.b, kind, value,
                                               axis == CUC_NO_AXIS ? NULL : &attribute.i, nan));
}

#define ALONG_OF(function, id, nan)                                                           \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x, \
                      int32_t axis)                                                           \
    {                                                                                         \
        return along(program, file, line, TILE_##id, nan, x, axis);                           \
    }
#define ALONG(function, id, text) ALONG_OF(function, id, false)
#define ALONG_NAN(function, id, text) ALONG_OF(function, id, true)
CUC_TILE_ALONG_LIST(ALONG)
CUC_TILE_ALONG_NAN_LIST(ALONG_NAN)

#define SCAN(function, with, text)                                                              \
    cuc_tile function(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,   \
                      int32_t axis, int32_t reverse)                                            \
    {                                                                                           \
        struct tile_value *value =                                                              \
            TILE_BEGIN(TILE_OP_OF(function)) ? tile_use_value(program, "x", x) : NULL;          \
        return value ? tile_handle_of(program, tile_build_scan(&program->e.b, TILE_WITH_##with, \
                                                               value, axis, reverse != 0))      \
                     : 0;                                                                       \
    }
CUC_TILE_SCAN_LIST(SCAN)

void cuc_tile_topk(cuc_tile *values, cuc_tile *indices, cuc_tile_program *program, const char *file,
                   uint32_t line, cuc_tile x, int64_t count, int32_t axis)
{
    const struct tile_attribute attributes[] = { { .key = TILE_ATTR_COUNT, .i = count },
                                                 { .key = TILE_ATTR_AXIS, .i = axis } };

    if (values)
        *values = 0;
    if (indices)
        *indices = 0;
    if (!TILE_BEGIN("topk"))
        return;
    struct tile_value *value = tile_use_value(program, "x", x);
    struct tile_op *op =
        tile_build_op(&program->e.b, TILE_TOPK, &value, 1, attributes, 2, NULL, NULL);
    if (op && values)
        *values = tile_handle_of(program, op->result[0]);
    if (op && indices)
        *indices = tile_handle_of(program, op->result[1]);
}

void cuc_tile_rank_digits(cuc_tile *positions, cuc_tile *counts, cuc_tile_program *program,
                          const char *file, uint32_t line, cuc_tile x, int64_t digits)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_COUNT, .i = digits };

    if (positions)
        *positions = 0;
    if (counts)
        *counts = 0;
    if (!TILE_BEGIN("rank"))
        return;
    struct tile_value *value = tile_use_value(program, "x", x);
    struct tile_op *op =
        tile_build_op(&program->e.b, TILE_RANK, &value, 1, &attribute, 1, NULL, NULL);
    if (op && positions)
        *positions = tile_handle_of(program, op->result[0]);
    if (op && counts)
        *counts = tile_handle_of(program, op->result[1]);
}

cuc_tile cuc_tile_place(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                        cuc_tile position, int64_t extent, cuc_tile pad)
{
    struct tile_operand with = tile_of_int(0);

    if (!TILE_BEGIN("place"))
        return 0;
    struct tile_value *value = tile_use_value(program, "x", x);
    struct tile_value *to = tile_use_value(program, "position", position);
    return !pad || tile_use(program, "pad", pad, &with)
               ? tile_handle_of(program, tile_build_place(&program->e.b, value, to,
                                                          extent ? &extent : NULL, with))
               : 0;
}

cuc_tile cuc_tile_histogram(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile x,
                            int64_t count)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_COUNT, .i = count };

    if (!TILE_BEGIN("histogram"))
        return 0;
    struct tile_value *value = tile_use_value(program, "x", x);
    return tile_handle_of(
        program, tile_build(&program->e.b, TILE_HISTOGRAM, &value, 1, &attribute, 1, NULL));
}

// Reductions with a caller's function

// Builds the caller's function into a block that takes scalars and yields the function's results;
// false after an error. An error in the function also shows the position of the reduction, as an
// error in a fn shows the fn's call.
static bool build_function(cuc_tile_program *p, cuc_tile_combine combine, void *user,
                           struct tile_block *block, uint32_t n, struct tile_value *const *x)
{
    cuc_tile argument[2 * TILE_MAX_RANK], result[TILE_MAX_RANK] = { 0 };
    struct tile_location where = p->e.b.where;
    const struct tile_location *outer = p->module->call;
    struct tile_location *call = tile_take(p->module, sizeof(*call));
    struct tile_value *yield[TILE_MAX_RANK];
    const char *op = p->op;
    struct tile_frame *frame = tile_open_frame(p, TILE_IN_FUNCTION, NULL);
    bool ok = true;

    if (!call || !frame)
        return false;
    frame->dead = false; // check the function even if the reduction is unreachable
    *call = where;
    call->inlined_at = outer;
    p->module->call = call;
    p->e.b.block = block;
    for (uint32_t i = 0; i < 2 * n; i++)
        argument[i] = tile_handle_of(p, block->argument[i]);
    combine(user, p, n, argument, argument + n, result);
    if (p->finished || p->module->diagnostics->out_of_memory)
        return false;
    tile_close_to(p, frame);
    p->module->call = outer;
    p->e.b.where = where;
    p->op = op;
    for (uint32_t i = 0; i < n; i++) {
        struct tile_operand operand;
        yield[i] = NULL;
        if (tile_use(p, "result of the function", result[i], &operand))
            yield[i] = operand.loose ? tile_build_constant(&p->e.b, x[i]->type.dtype, operand)
                                     : tile_build_value(&p->e.b, operand);
        ok &= yield[i] != NULL;
    }
    ok = ok && tile_build_yield(&p->e.b, yield, n);
    tile_drop_frame(p);
    return ok;
}

static void by_function(cuc_tile *result, cuc_tile_program *p, enum tile_op_kind kind,
                        cuc_tile_combine combine, void *user, uint32_t n, const cuc_tile *x,
                        int32_t axis, const cuc_tile *identity, bool reverse)
{
    struct tile_operand operand[TILE_MAX_RANK], neutral[TILE_MAX_RANK];
    struct tile_value *value[TILE_MAX_RANK];
    struct tile_builder *b = &p->e.b;
    const char *name = b->op;

    if (n < 1 || n > TILE_MAX_RANK) {
        tile_error(p->module, TILE_T504, b->where, "%s: expected 1 to %d tiles, got %u", p->op,
                   TILE_MAX_RANK, n);
        return;
    }
    if (!combine || !result) {
        tile_error(p->module, TILE_T511, b->where, "%s: %s is NULL", p->op,
                   combine ? "result" : "combine");
        return;
    }
    bool ok = tile_use_list(p, "x", n, x, operand, TILE_MAX_RANK);
    ok &= tile_use_list(p, "identity", n, identity, neutral, TILE_MAX_RANK);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = (value[i] = tile_build_value(b, operand[i])) != NULL;
    if (!ok || !tile_broadcast_together(b, kind, value, n))
        return;
    struct tile_block *block = tile_begin_function(b, n, value);
    if (!block || !build_function(p, combine, user, block, n, value))
        return;
    b->op = name; // restores the name that the function's calls replaced
    struct tile_op *op = tile_build_by_function(b, kind, n, value, neutral, block, axis, reverse);
    for (uint32_t i = 0; op && i < n; i++)
        result[i] = tile_handle_of(p, op->result[i]);
}

static void clear(cuc_tile *result, uint32_t count)
{
    if (result && count <= TILE_MAX_RANK)
        memset(result, 0, count * sizeof(*result));
}

void cuc_tile_reduce(cuc_tile *result, cuc_tile_program *program, const char *file, uint32_t line,
                     cuc_tile_combine combine, void *user, uint32_t count, const cuc_tile *x,
                     int32_t axis, const cuc_tile *identity)
{
    clear(result, count);
    if (TILE_BEGIN("reduce"))
        by_function(result, program, TILE_REDUCE, combine, user, count, x, axis, identity, false);
}

void cuc_tile_scan(cuc_tile *result, cuc_tile_program *program, const char *file, uint32_t line,
                   cuc_tile_combine combine, void *user, uint32_t count, const cuc_tile *x,
                   int32_t axis, const cuc_tile *identity, int32_t reverse)
{
    clear(result, count);
    if (TILE_BEGIN("scan"))
        by_function(result, program, TILE_SCAN, combine, user, count, x, axis, identity,
                    reverse != 0);
}

// Products

cuc_tile cuc_tile_mma(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile a,
                      cuc_tile b, cuc_tile acc, int32_t precision, int32_t fast_acc)
{
    if (!TILE_BEGIN("mma"))
        return 0;
    struct tile_value *x = tile_use_value(program, "a", a);
    struct tile_value *y = tile_use_value(program, "b", b);
    struct tile_value *z = tile_use_value(program, "acc", acc);
    return tile_use_word(program, "precision", precision, CUC_TILE_TF32X3)
               ? tile_handle_of(program,
                                tile_build_mma(&program->e.b, x, y, z,
                                               (enum tile_precision)precision, fast_acc != 0))
               : 0;
}

cuc_tile cuc_tile_matmul(cuc_tile_program *program, const char *file, uint32_t line, cuc_tile a,
                         cuc_tile b)
{
    if (!TILE_BEGIN("mma"))
        return 0;
    struct tile_value *x = tile_use_value(program, "a", a);
    struct tile_value *y = tile_use_value(program, "b", b);
    return tile_handle_of(program, tile_build_product(&program->e.b, x, y));
}
