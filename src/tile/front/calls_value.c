// Calls that compute values: shapes, casts, the grid, matrix products, random numbers.
#include "calls.h"

#include "base/arena.h"

#include <string.h>

typedef uint32_t make_call(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out);

// The elements of full(T, [2, 2], [[1, 2], [3, 4]]); a single flat list is valid too.
struct listed {
    const struct tile_ast *item[TILE_MAX_LISTED];
    uint32_t count;
    bool too_many, uneven;
};

static void flatten(const struct tile_ast *list, const int64_t *extent, uint32_t rank, bool nested,
                    struct listed *out)
{
    out->uneven |= nested && (!rank || (int64_t)list->count != *extent);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct tile_ast *item = list->child[i];
        bool deeper = item && item->kind == TILE_AST_LIST;
        out->uneven |= nested && deeper != (rank > 1);
        if (deeper)
            flatten(item, extent + 1, rank ? rank - 1 : 0, nested, out);
        else if (out->count < TILE_MAX_LISTED)
            out->item[out->count++] = item;
        else
            out->too_many = true;
    }
}

static struct tile_value *make_listed(struct tile_elaborator *e, const struct tile_call *c,
                                      cuc_dtype dtype, uint32_t rank, const int64_t *extent)
{
    const struct tile_ast *list = c->argument[2];
    struct listed all = { .count = 0 };
    struct tile_operand operand[TILE_MAX_LISTED];
    struct tile_location at[TILE_MAX_LISTED];
    int64_t elements = 1;
    bool nested = false, ok = true;

    for (uint32_t i = 0; i < list->count; i++)
        nested |= list->child[i] && list->child[i]->kind == TILE_AST_LIST;
    for (uint32_t i = 0; i < rank && elements <= TILE_MAX_LISTED; i++)
        elements *= extent[i] > 0 ? extent[i] : 1;
    flatten(list, extent, rank, nested, &all);
    if (all.too_many || all.uneven || all.count != elements) {
        tile_error(e->module, TILE_T203, list->where,
                   all.too_many ? "%s: a list of at most %lld elements"
                   : all.uneven ? "%s: lists in a list: expected those of the shape"
                                : "%s: the shape has %lld elements, the list %u",
                   c->ast->text, (long long)(all.too_many ? TILE_MAX_LISTED : elements), all.count);
        return NULL;
    }
    for (uint32_t i = 0; i < all.count; i++) {
        ok &= tile_elaborate_operand(e, all.item[i], &operand[i]);
        at[i] = all.item[i]->where;
    }
    tile_at_call(e, c);
    return ok ? tile_build_listed(&e->b, dtype, rank, extent, all.count, operand, at) : NULL;
}

static uint32_t make_full(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_operand x = tile_of_int(0);
    int64_t extent[TILE_MAX_RANK];
    cuc_dtype dtype;
    uint32_t rank;
    bool ok = tile_call_dtype(e, c, 0, &dtype);

    ok &= tile_call_extents(e, c, 1, false, extent, &rank);
    if (ok && row->which && c->argument[2]->kind == TILE_AST_LIST)
        return tile_call_gives(out, make_listed(e, c, dtype, rank, extent));
    if (row->which)
        ok &= tile_call_operand(e, c, 2, &x);
    tile_at_call(e, c);
    if (!ok)
        return 0;
    return tile_call_gives(out, tile_build_full(&e->b, dtype, rank, extent, x));
}

static uint32_t make_iota(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    int64_t count;
    cuc_dtype dtype;
    bool ok = tile_call_dtype(e, c, 0, &dtype);

    (void)row;
    ok &= tile_call_int(e, c, 1, 0, &count);
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build_iota(&e->b, dtype, count)) : 0;
}

// Builds broadcast, reshape or permute.
static uint32_t make_shaped(struct tile_elaborator *e, const struct tile_call *c,
                            struct tile_value *(*build)(struct tile_builder *, struct tile_value *,
                                                        uint32_t, const int64_t *),
                            struct tile_meaning *out)
{
    int64_t extent[TILE_MAX_RANK];
    uint32_t rank;
    struct tile_value *x = tile_call_value(e, c, 0);
    bool ok = tile_call_extents(e, c, 1, false, extent, &rank);

    tile_at_call(e, c);
    return x && ok ? tile_call_gives(out, build(&e->b, x, rank, extent)) : 0;
}

static uint32_t make_broadcast(struct tile_elaborator *e, const struct tile_call *c,
                               const struct tile_call_row *row, struct tile_meaning *out)
{
    (void)row;
    return make_shaped(e, c, tile_build_broadcast, out);
}

static uint32_t make_reshape(struct tile_elaborator *e, const struct tile_call *c,
                             const struct tile_call_row *row, struct tile_meaning *out)
{
    (void)row;
    return make_shaped(e, c, tile_build_reshape, out);
}

static uint32_t make_permute(struct tile_elaborator *e, const struct tile_call *c,
                             const struct tile_call_row *row, struct tile_meaning *out)
{
    (void)row;
    return make_shaped(e, c, tile_build_permute, out);
}

static uint32_t make_squeeze(struct tile_elaborator *e, const struct tile_call *c,
                             const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    int64_t axis;
    bool ok = tile_call_int(e, c, 1, 0, &axis);

    (void)row;
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build_squeeze(&e->b, x, axis)) : 0;
}

static uint32_t make_trans(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);

    (void)row;
    tile_at_call(e, c);
    return tile_call_gives(out, tile_build_trans(&e->b, x));
}

static uint32_t make_cat(struct tile_elaborator *e, const struct tile_call *c,
                         const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *first = tile_call_value(e, c, 0), *second = tile_call_value(e, c, 1);
    struct tile_value *operands[] = { first, second };
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS };
    bool ok = tile_call_int(e, c, 2, 0, &attribute.i);

    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build(&e->b, (enum tile_op_kind)row->which, operands, 2,
                                                &attribute, 1, NULL))
              : 0;
}

// Adds indices, which count in subtiles.
static uint32_t add_indices(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                            struct tile_value **to, bool *ok)
{
    struct tile_operand index[TILE_MAX_RANK];
    uint32_t count;

    *ok &= tile_call_operands(e, c, i, index, &count);
    tile_at_call(e, c);
    for (uint32_t n = 0; *ok && n < count; n++)
        to[n] = tile_build_value(&e->b, index[n]);
    return count;
}

static uint32_t make_extract(struct tile_elaborator *e, const struct tile_call *c,
                             const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *operands[1 + TILE_MAX_RANK] = { tile_call_value(e, c, 0) };
    int64_t *extent = tile_take(e->module, TILE_MAX_RANK * sizeof(*extent));
    bool ok = extent != NULL;
    uint32_t rank = 0, count = add_indices(e, c, 1, operands + 1, &ok);

    (void)row;
    ok = ok && tile_call_extents(e, c, 2, false, extent, &rank);
    tile_at_call(e, c);
    struct tile_attribute shape = { .key = TILE_ATTR_SHAPE, .count = rank, .ints = extent };
    return ok ? tile_call_gives(
                    out, tile_build(&e->b, TILE_EXTRACT, operands, 1 + count, &shape, 1, NULL))
              : 0;
}

static uint32_t make_insert(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *into = tile_call_value(e, c, 0), *part = tile_call_value(e, c, 2);
    struct tile_value *operands[2 + TILE_MAX_RANK] = { into, part };
    bool ok = true;
    uint32_t count = add_indices(e, c, 1, operands + 2, &ok);

    (void)row;
    return ok ? tile_call_gives(out,
                                tile_build(&e->b, TILE_INSERT, operands, 2 + count, NULL, 0, NULL))
              : 0;
}

static uint32_t make_shift(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0), *by = tile_call_value(e, c, 1);
    struct tile_value *operands[2] = { x, by };
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS };
    struct tile_operand pad = tile_of_int(0);
    bool ok = tile_call_int(e, c, 2, 0, &attribute.i);

    if (row->which == TILE_SHIFT && c->argument[3])
        ok &= tile_call_operand(e, c, 3, &pad);
    tile_at_call(e, c);
    if (!ok)
        return 0;
    return tile_call_gives(out,
                           row->which == TILE_SHIFT
                               ? tile_build_shift(&e->b, operands[0], operands[1], attribute.i, pad)
                               : tile_build(&e->b, TILE_ROLL, operands, 2, &attribute, 1, NULL));
}

static uint32_t make_cast(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_rounding how = { TILE_RN, false };
    struct tile_operand x;
    cuc_dtype dtype;
    bool ok = tile_call_operand(e, c, 0, &x);

    ok &= tile_call_dtype(e, c, 1, &dtype);
    if (row->which == TILE_CAST)
        ok &= tile_call_rounding(e, c, 2, &how);
    tile_at_call(e, c);
    if (!ok)
        return 0;
    if (row->which == TILE_BITCAST)
        return tile_call_gives(out, tile_build_bitcast(&e->b, tile_build_value(&e->b, x), dtype));
    // By default, a cast to an integer rounds toward zero.
    if (c->argument[2] && how.round == TILE_RN && tile_is_integer(dtype)) {
        struct tile_value *value = tile_build_value(&e->b, x);
        bool real = value && !value->type.tensor && tile_is_float(value->type.dtype);
        x = tile_of(real ? tile_build_unary(&e->b, TILE_ROUND, tile_of(value)) : value);
    }
    return tile_call_gives(out, tile_build_cast_rounded(&e->b, x, dtype, how));
}

static uint32_t make_divmod(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_operand x, y;
    bool ok = tile_call_operand(e, c, 0, &x);

    (void)row;
    ok &= tile_call_operand(e, c, 1, &y);
    tile_at_call(e, c);
    if (!ok)
        return 0;
    out[0] = tile_meaning_of(tile_build_binary(&e->b, TILE_FLOORDIV, x, y, false));
    out[1] = tile_meaning_of(tile_build_binary(&e->b, TILE_MOD, x, y, false));
    return out[0].operand.value && out[1].operand.value ? 2 : 0;
}

// Builds assume(x % D == 0). Takes the divisor from the syntax tree.
static uint32_t make_assume(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    const struct tile_ast *fact = c->argument[0];
    struct tile_attribute divisor = { .key = TILE_ATTR_DIVISOR };
    int64_t zero = 1;

    (void)row;
    if (fact->kind != TILE_AST_BINARY || fact->op != TILE_EQ ||
        fact->child[0]->kind != TILE_AST_BINARY || fact->child[0]->op != TILE_MOD ||
        !tile_elaborate_int(e, fact->child[1], "assume", &zero) || zero) {
        tile_error(e->module, TILE_T504, fact->where, "assume: expected x %% D == 0");
        return 0;
    }
    struct tile_value *x = tile_elaborate_value(e, fact->child[0]->child[0]);
    bool ok = tile_elaborate_int(e, fact->child[0]->child[1], "assume", &divisor.i);
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build(&e->b, TILE_ASSUME, &x, 1, &divisor, 1, NULL)) : 0;
}

// Builds block, num_blocks, dim or stride, which query an axis.
static uint32_t make_index(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_INDEX };
    bool ok = tile_call_int(e, c, 0, 0, &attribute.i);

    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build(&e->b, (enum tile_op_kind)row->which, NULL, 0,
                                                &attribute, 1, NULL))
              : 0;
}

static uint32_t make_dim(struct tile_elaborator *e, const struct tile_call *c,
                         const struct tile_call_row *row, struct tile_meaning *out)
{
    return tile_call_with_int(e, c, row, TILE_ATTR_AXIS, out);
}

static uint32_t make_mma(struct tile_elaborator *e, const struct tile_call *c,
                         const struct tile_call_row *row, struct tile_meaning *out)
{
    static const char *const precisions[] = { "ieee", "tf32", "tf32x3", NULL };
    struct tile_value *x = tile_call_value(e, c, 0), *y = tile_call_value(e, c, 1);
    struct tile_value *acc = tile_call_value(e, c, 2);
    int precision;
    bool fast, ok = tile_call_word(e, c, 3, precisions, TILE_IEEE, &precision);

    (void)row;
    ok &= tile_call_truth(e, c, 4, &fast) || !c->argument[4];
    tile_at_call(e, c);
    return ok ? tile_call_gives(
                    out, tile_build_mma(&e->b, x, y, acc, (enum tile_precision)precision, fast))
              : 0;
}

static uint32_t make_philox(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_operand seed, counter;
    bool ok = tile_call_operand(e, c, 0, &seed);

    (void)row;
    ok &= tile_call_operand(e, c, 1, &counter);
    tile_at_call(e, c);
    struct tile_op *op = ok ? tile_build_philox(&e->b, seed, counter) : NULL;
    for (uint32_t i = 0; op && i < 4; i++)
        out[i] = tile_meaning_of(op->result[i]);
    return op ? 4 : 0;
}

static uint32_t make_asm(struct tile_elaborator *e, const struct tile_call *c,
                         const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_operand x[TILE_MAX_RANK];
    const char *text;
    cuc_dtype dtype;
    uint32_t count;
    bool ok = tile_call_text(e, c, 0, &text);

    (void)row;
    ok &= tile_call_dtype(e, c, 1, &dtype);
    ok &= tile_call_operands(e, c, 2, x, &count);
    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build_asm(&e->b, text, dtype, count, x)) : 0;
}

// Builds gradient(y, x, d) or gradient_at(y, tensor, index, d, each).
static uint32_t make_gradient(struct tile_elaborator *e, const struct tile_call *c,
                              const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_operand index[TILE_MAX_RANK], d = tile_of_int(1);
    struct tile_value *y = tile_call_value(e, c, 0), *x = tile_call_value(e, c, 1);
    bool at = row->which, each = false, ok = y && x;
    uint32_t count = 0;

    if (at)
        ok &= tile_call_operands(e, c, 2, index, &count);
    ok &= !at || !c->argument[4] || tile_call_truth(e, c, 4, &each);
    if (c->argument[2 + at])
        ok &= tile_call_operand(e, c, 2 + at, &d);
    tile_at_call(e, c);
    if (!ok)
        return 0;
    return tile_call_gives(out, at ? tile_build_gradient_at(&e->b, y, x, index, count, d, each)
                                   : tile_build_gradient(&e->b, y, x, d));
}

static uint32_t make_assert(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_meaning m = tile_elaborate_expression(e, c->argument[0]);
    struct tile_attribute text = { .key = TILE_ATTR_TEXT };
    struct tile_operand x;

    (void)row;
    (void)out;
    if (!tile_call_text(e, c, 1, &text.text))
        return 0;
    tile_at_call(e, c);
    if (m.kind == TILE_TRUTH) { // the condition is known at compile time
        if (!m.operand.i)
            tile_error(e->module, TILE_T407, c->ast->where, "assert: %s",
                       text.text && *text.text ? text.text : "it does not hold");
        return 0;
    }
    if (tile_meaning_operand(e, &m, &x)) {
        struct tile_value *value = tile_build_value(&e->b, x);
        tile_build(&e->b, TILE_ASSERT, &value, 1, &text, 1, NULL);
    }
    return 0;
}

static uint32_t make_print(struct tile_elaborator *e, const struct tile_call *c,
                           const struct tile_call_row *row, struct tile_meaning *out)
{
    struct tile_value *operands[TILE_MAX_RANK];
    const char *text;
    bool ok = tile_call_text(e, c, 0, &text);

    (void)row;
    (void)out;
    for (uint32_t i = 0; i < c->rests; i++)
        ok &= (operands[i] = tile_elaborate_value(e, c->rest[i])) != NULL;
    tile_at_call(e, c);
    if (ok)
        tile_build_print(&e->b, text, c->rests, operands);
    return 0;
}

static uint32_t make_grid(struct tile_elaborator *e, const struct tile_call *c,
                          const struct tile_call_row *row, struct tile_meaning *out)
{
    (void)out;
    tile_at_call(e, c);
    tile_build(&e->b, (enum tile_op_kind)row->which, NULL, 0, NULL, 0, NULL);
    return 0;
}

const struct tile_call_row tile_value_calls[] = {
    { "zeros", "dtype shape", make_full, 0 },
    { "full", "dtype shape value", make_full, 1 },
    { "iota", "dtype count", make_iota, 0 },
    { "broadcast", "x shape", make_broadcast, 0 },
    { "reshape", "x shape", make_reshape, 0 },
    { "permute", "x axes", make_permute, 0 },
    { "squeeze", "x axis", make_squeeze, 0 },
    { "trans", "x", make_trans, 0 },
    { "cat", "x y axis", make_cat, TILE_CAT },
    { "take", "x index axis", make_cat, TILE_TAKE },
    { "extract", "x index shape", make_extract, 0 },
    { "insert", "x index y", make_insert, 0 },
    { "shift", "x n axis | pad", make_shift, TILE_SHIFT },
    { "roll", "x n axis", make_shift, TILE_ROLL },
    { "cast", "x dtype | round ftz", make_cast, TILE_CAST },
    { "bitcast", "x dtype", make_cast, TILE_BITCAST },
    { "divmod", "x y", make_divmod, 0 },
    { "assume", "fact", make_assume, 0 },
    { "block", "axis", make_index, TILE_BLOCK },
    { "num_blocks", "axis", make_index, TILE_NUM_BLOCKS },
    { "dim", "tensor axis", make_dim, TILE_DIM },
    { "stride", "tensor axis", make_dim, TILE_STRIDE },
    { "mma", "a b acc | precision fast_acc", make_mma, 0 },
    { "philox", "seed counter", make_philox, 0 },
    { "asm", "text dtype operands", make_asm, 0 },
    { "gradient", "y x | d", make_gradient, 0 },
    { "gradient_at", "y tensor index | d each", make_gradient, 1 },
    { "assert", "condition | text", make_assert, 0 },
    { "print", "text x...", make_print, 0 },
    { "grid_dependency_wait", "", make_grid, TILE_GRID_WAIT },
    { "grid_dependency_launch", "", make_grid, TILE_GRID_LAUNCH },
    { NULL, NULL, NULL, 0 },
};

const struct tile_call_row *const tile_call_tables[] = { tile_value_calls, tile_reduce_calls,
                                                         tile_memory_calls, NULL };
