// Calls along axes: reductions, scans, sorts.
#include "calls.h"

#include <string.h>

static uint32_t make_reduce(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    int64_t axes[TILE_MAX_RANK];
    struct tile_rounding how = { TILE_RN, false };
    bool extreme = row->which == TILE_WITH_MIN || row->which == TILE_WITH_MAX, nan = false;
    bool ok = !extreme || tile_call_truth(e, c, 2, &nan) || !c->argument[2];
    // For max(x, 0.0), suggest the op that takes two values.
    const char *what = !extreme                      ? c->ast->text
                       : row->which == TILE_WITH_MIN ? "min, which reduces along axes (of two "
                                                       "values it is minimum)"
                                                     : "max, which reduces along axes (of two "
                                                       "values it is maximum)";
    uint32_t seen = 0;

    for (uint32_t i = 0; i < c->rests; i++) {
        ok &= tile_elaborate_int(e, c->rest[i], what, &axes[i]);
        if (ok && axes[i] >= 0 && axes[i] < TILE_MAX_RANK) {
            if (seen >> axes[i] & 1) {
                tile_error(e->module, TILE_T205, c->rest[i]->where, "%s: axis %lld is there twice",
                           c->ast->text, (long long)axes[i]);
                ok = false;
            }
            seen |= UINT32_C(1) << axes[i];
        }
    }
    if (extreme)
        ok &= tile_call_truth(e, c, 3, &how.ftz) || !c->argument[3];
    else
        ok &= tile_call_rounding(e, c, 2, &how);
    tile_at_call(e, c);
    return ok && x ? tile_call_gives(out, tile_build_reduce(&e->b, (enum tile_combine)row->which, x,
                                                            c->rests, axes, nan, how))
                   : 0;
}

// Builds a call that takes a tile and an axis and returns a tile.
static uint32_t make_along(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    return tile_call_with_int(e, c, row, TILE_ATTR_AXIS, out);
}

static uint32_t make_arg(struct tile_elaborator *e, const struct tile_call *c,
                         const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    int64_t axis;
    bool nan, ok = tile_call_int(e, c, 1, 0, &axis);

    ok &= tile_call_truth(e, c, 2, &nan);
    tile_at_call(e, c);
    return ok && x ? tile_call_gives(out, tile_build_arg(&e->b, (enum tile_op_kind)row->which, x,
                                                         c->argument[1] ? &axis : NULL, nan))
                   : 0;
}

static uint32_t make_cumulative(struct tile_elaborator *e, const struct tile_call *c,
                                const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    int64_t axis;
    bool reverse, ok = tile_call_int(e, c, 1, 0, &axis);

    ok &= tile_call_truth(e, c, 2, &reverse) || !c->argument[2];
    tile_at_call(e, c);
    return ok && x ? tile_call_gives(out, tile_build_scan(&e->b, (enum tile_combine)row->which, x,
                                                          axis, reverse))
                   : 0;
}

static uint32_t make_topk(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    struct tile_attribute attributes[] = { { .key = TILE_ATTR_COUNT }, { .key = TILE_ATTR_AXIS } };
    bool ok = tile_call_int(e, c, 1, 0, &attributes[0].i);

    (void)row;
    ok &= tile_call_int(e, c, 2, 0, &attributes[1].i);
    tile_at_call(e, c);
    struct tile_op *op = ok ? tile_build_op(&e->b, TILE_TOPK, &x, 1, attributes, 2, NULL, NULL)
                            : NULL;
    if (!op)
        return 0;
    out[0] = tile_meaning_of(op->result[0]);
    out[1] = tile_meaning_of(op->result[1]);
    return 2;
}

static uint32_t make_rank(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    struct tile_attribute attribute = { .key = TILE_ATTR_COUNT };
    bool ok = tile_call_int(e, c, 1, 0, &attribute.i);

    (void)row;
    tile_at_call(e, c);
    struct tile_op *op = ok ? tile_build_op(&e->b, TILE_RANK, &x, 1, &attribute, 1, NULL, NULL)
                            : NULL;
    if (!op)
        return 0;
    out[0] = tile_meaning_of(op->result[0]);
    out[1] = tile_meaning_of(op->result[1]);
    return 2;
}

static uint32_t make_place(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0), *position = tile_call_value(e, c, 1);
    struct tile_operand pad = tile_of_int(0);
    int64_t extent;
    bool ok = tile_call_int(e, c, 2, 0, &extent);

    (void)row;
    if (c->argument[3])
        ok &= tile_call_operand(e, c, 3, &pad);
    tile_at_call(e, c);
    return ok ? tile_call_gives(
                    out, tile_build_place(&e->b, x, position, c->argument[2] ? &extent : NULL, pad))
              : 0;
}

static uint32_t make_histogram(struct tile_elaborator *e, const struct tile_call *c,
                               const struct tile_call_row *row, struct tile_meaning *out)
{
    return tile_call_with_int(e, c, row, TILE_ATTR_COUNT, out);
}

static struct tile_function_ast *function_named(struct tile_elaborator *e,
                                                const struct tile_ast *ast)
{
    struct tile_function_ast *fn = ast->kind == TILE_AST_NAME ? tile_find_function(e, ast->text)
                                                              : NULL;

    if (!fn)
        tile_error(e->module, TILE_T503, ast->where, "function: expected the name of a fn");
    return fn;
}

// Builds reduce(FN, [x..], AXIS, [identity..]) or scan(..). Inlines FN once, on scalars.
static uint32_t make_by_function(struct tile_elaborator *e, const struct tile_call *c,
                                 const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_function_ast *fn = function_named(e, c->argument[0]);
    struct tile_operand x[TILE_MAX_RANK], identity[TILE_MAX_RANK];
    struct tile_value *value[TILE_MAX_RANK], *yield[TILE_MAX_VALUES];
    struct tile_meaning argument[2 * TILE_MAX_RANK], result[TILE_MAX_VALUES];
    uint32_t n, identities, results;
    bool reverse, ok = tile_call_operands(e, c, 1, x, &n);
    int64_t axis;

    ok &= tile_call_int(e, c, 2, 0, &axis);
    ok &= tile_call_operands(e, c, 3, identity, &identities);
    ok &= tile_call_truth(e, c, 4, &reverse) || !c->argument[4];
    tile_at_call(e, c);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = (value[i] = tile_build_value(&e->b, x[i])) != NULL;
    if (!ok || !fn || !tile_broadcast_together(&e->b, (enum tile_op_kind)row->which, value, n))
        return 0;
    if (n != identities || fn->parameters != 2 * n || n > TILE_MAX_RANK || !n) {
        tile_error(e->module, TILE_T504, c->ast->where,
                   "%s: %u tiles, %u identities and a function of %u parameters: expected as many "
                   "identities as tiles, and twice as many parameters",
                   c->ast->text, n, identities, fn->parameters);
        return 0;
    }
    struct tile_block *outside = e->b.block, *block = tile_begin_function(&e->b, n, value);
    if (!block)
        return 0;
    for (uint32_t i = 0; i < 2 * n; i++) {
        block->argument[i]->name = fn->parameter[i];
        argument[i] = tile_meaning_of(block->argument[i]);
    }
    e->b.block = block;
    results = tile_elaborate_function(e, fn, argument, c->ast->where, result);
    for (uint32_t i = 0; i < results && ok; i++) {
        struct tile_operand operand;
        yield[i] = NULL;
        if (tile_meaning_operand(e, &result[i], &operand))
            yield[i] = i < n && operand.loose
                           ? tile_build_constant(&e->b, value[i]->type.dtype, operand)
                           : tile_build_value(&e->b, operand);
        ok = yield[i] != NULL;
    }
    ok = ok && results && tile_build_yield(&e->b, yield, results);
    e->b.block = outside;
    tile_at_call(e, c);
    struct tile_op *op = ok ? tile_build_by_function(&e->b, (enum tile_op_kind)row->which, n, value,
                                                     identity, block, axis, reverse)
                            : NULL;
    for (uint32_t i = 0; op && i < n; i++)
        out[i] = tile_meaning_of(op->result[i]);
    return op ? n : 0;
}

const struct tile_call_row tile_reduce_calls[] = {
    { "sum", "x axes... | round ftz", make_reduce, TILE_WITH_SUM },
    { "prod", "x axes... | round ftz", make_reduce, TILE_WITH_PROD },
    { "min", "x axes... | nan ftz", make_reduce, TILE_WITH_MIN },
    { "max", "x axes... | nan ftz", make_reduce, TILE_WITH_MAX },
    { "any", "x axes...", make_reduce, TILE_WITH_ANY },
    { "all", "x axes...", make_reduce, TILE_WITH_ALL },
    { "argmin", "x | axis nan", make_arg, TILE_ARGMIN },
    { "argmax", "x | axis nan", make_arg, TILE_ARGMAX },
    { "sort", "x axis", make_along, TILE_SORT },
    { "cumsum", "x axis | reverse", make_cumulative, TILE_WITH_SUM },
    { "cumprod", "x axis | reverse", make_cumulative, TILE_WITH_PROD },
    { "topk", "x count axis", make_topk, 0 },
    { "histogram", "x count", make_histogram, TILE_HISTOGRAM },
    { "rank", "x digits", make_rank, 0 },
    { "place", "x position | extent pad", make_place, 0 },
    { "reduce", "function x axis identity", make_by_function, TILE_REDUCE },
    { "scan", "function x axis identity | reverse", make_by_function, TILE_SCAN },
    { NULL, NULL, NULL, 0 },
};
