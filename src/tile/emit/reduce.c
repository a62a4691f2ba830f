// Reductions along an axis: first over the registers of a thread, then over lanes with shuffles,
// then over warps through shared memory. The layout fixes the order, so a compiled kernel gives the
// same bits at every launch.
//
// Sums and products of f16 and bf16 run in f32 and are rounded once. Padding beyond the extent is
// the identity element.
#include "reduce.h"

#include <string.h>

static uint32_t axis_mask(const struct tile_layout *layout, uint32_t axis)
{
    return ((UINT32_C(1) << layout->axis_bits[axis]) - 1) << tile_axis_shift(layout, axis);
}

// Returns the register of the result into which register `index` of the operand is reduced.
static uint32_t result_register(const struct tile_value *in, const struct tile_value *out,
                                uint32_t axis, uint32_t index)
{
    for (uint32_t i = 0; i < tile_register_count(out); i++) {
        bool same = true;
        for (uint32_t n = 0; same && n < in->type.rank; n++)
            same = n == axis || tile_register_coordinate(in->layout, index, n) ==
                                    tile_register_coordinate(out->layout, i, n);
        if (same)
            return i;
    }
    return 0;
}

// Reduces pairs of halves: combines words elementwise until one word is left, then combines its two
// halves.
static void own_halves(struct tile_reduction *r, tile_register (*in)[TILE_MOST_REDUCED],
                       tile_register (*out)[TILE_MOST_REDUCED])
{
    struct tile_emitter *e = r->e;
    const struct tile_value *x = r->op->operand[0], *y = r->op->result[0];
    cuc_dtype dtype = x->type.dtype;

    for (uint32_t k = 0; k < tile_register_count(x); k += 2) {
        if (tile_repeats(x->layout, k))
            continue;
        tile_register *to = out[result_register(x, y, r->axis, k)];
        tile_register word = tile_join(e, in[k][0], in[k + 1][0]);
        if (r->signless != r->op->operand[0])
            word = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x7fff7fff", word);
        to[0] = to[0] ? tile_make(e, TILE_R32, "%s%s.%s %R, %R, %R",
                                  r->with == TILE_WITH_MAX ? "max" : "min", r->nan ? ".NaN" : "",
                                  dtype == CUC_F16 ? "f16x2" : "bf16x2", to[0], word)
                      : word;
    }
    for (uint32_t i = 0; i < tile_register_count(y); i++) {
        tile_register low = tile_new(e, TILE_R16), high = tile_new(e, TILE_R16), both[2][1];
        tile_split(e, out[i][0], low, high);
        both[0][0] = tile_widen(e, dtype, low);
        both[1][0] = tile_widen(e, dtype, high);
        r->combine(r, both[0], both[1], out[i]);
    }
}

// Adds register k of a product to a sum, without rounding the product.
static tile_register add_product(struct tile_reduction *r, uint32_t k, tile_register sum)
{
    struct tile_emitter *e = r->e;
    tile_register x = e->value[r->factor[0]->id][k], y = e->value[r->factor[1]->id][k];

    return tile_make(e, TILE_REGISTER_CLASS(sum), "fma.rn.%s %R, %R, %R, %R",
                     r->dtype[0] == CUC_F64 ? "f64" : "f32", x, y, sum);
}

// Computes up to TILE_PART deferred registers, from `first` on. The caller reduces them before it
// asks for more.
static void ask(struct tile_reduction *r, tile_register (*in)[TILE_MOST_REDUCED], uint32_t first)
{
    struct tile_emitter *e = r->e;
    const struct tile_value *x = r->op->operand[0];
    uint32_t count = tile_register_count(x);
    uint32_t end = first + TILE_PART < count ? first + TILE_PART : count;
    bool made = tile_compute_registers(e, x, first, end);

    for (uint32_t i = 0; i < 2 && r->factor[i]; i++)
        made = made && tile_compute_registers(e, r->factor[i], first, end);
    for (uint32_t k = first; k < end && made; k++)
        in[k][0] = r->dtype[0] == x->type.dtype ? e->value[x->id][k]
                                                : tile_widen(e, x->type.dtype, e->value[x->id][k]);
    e->failed |= !made;
}

// Returns the number of dependency chains. Minimum and maximum beside tensor-core products use
// several, because few warps are resident to hide instruction latency.
static uint32_t chains_of(const struct tile_reduction *r)
{
    enum { CHAINS = 4, LONG = 16 };
    bool chains =
        r->e->ring && r->plain && (r->with == TILE_WITH_MIN || r->with == TILE_WITH_MAX) &&
        tile_register_count(r->op->operand[0]) >= LONG * tile_register_count(r->op->result[0]);

    return chains ? CHAINS : 1;
}

static void own_registers(struct tile_reduction *r, tile_register (*in)[TILE_MOST_REDUCED],
                          tile_register (*out)[TILE_MOST_REDUCED])
{
    struct tile_emitter *e = r->e;
    const struct tile_value *x = r->op->operand[0], *y = r->op->result[0];
    uint32_t chains = chains_of(r), results = tile_register_count(y);
    tile_register(*part)[TILE_MOST_REDUCED] =
        tile_take(e->module, results * chains * sizeof(*part));
    uint32_t *next_chain = tile_take(e->module, results * sizeof(*next_chain));

    for (uint32_t k = 0; part && next_chain && k < tile_register_count(x); k++) {
        bool none;
        if (r->plain && k % TILE_PART == 0)
            ask(r, in, k);
        tile_register inside = tile_inside_tile(e, x, k, &none);
        uint32_t to = result_register(x, y, r->axis, k);
        if (none || tile_repeats(x->layout, k))
            continue;
        tile_register value[TILE_MOST_REDUCED], next[TILE_MOST_REDUCED];
        tile_register *sum = part[to * chains + next_chain[to]++ % chains];
        for (uint32_t i = 0; i < r->n; i++) {
            value[i] = in[k][i];
            if (inside)
                value[i] = tile_select(e, inside, value[i], r->identity[i]);
        }
        if (!sum[0]) {
            memcpy(sum, value, sizeof(value));
            continue;
        }
        if (r->factor[0] && !inside)
            next[0] = add_product(r, k, sum[0]);
        else
            r->combine(r, sum, value, next);
        memcpy(sum, next, sizeof(next));
    }
    e->failed |= !part || !next_chain;
    for (uint32_t i = 0; i < results && !e->failed; i++) {
        tile_register(*own)[TILE_MOST_REDUCED] = &part[i * chains], next[TILE_MOST_REDUCED];
        for (uint32_t step = chains / 2; step; step /= 2)
            for (uint32_t k = 0; k < step && own[k + step][0]; k++) {
                r->combine(r, own[k], own[k + step], next);
                memcpy(own[k], next, sizeof(next));
            }
        memcpy(out[i], own[0][0] ? own[0] : r->identity,
               sizeof(out[i])); // without elements, there is only padding
    }
}

// True if `second` is the only user of the result of `first` and applies the same reduction along
// another axis. The threads then exchange their partial results once, for both axes. 16-bit floats
// are excluded, since the result of the first reduction would be rounded.
static bool continues(const struct tile_op *second, const struct tile_op *first)
{
    static const enum tile_attribute_key same[] = { TILE_ATTR_WITH, TILE_ATTR_NAN };
    const struct tile_value *between = second->operand[0];

    if (!first || first->kind != TILE_REDUCE || second->kind != TILE_REDUCE ||
        first->result[0] != between || between->uses != 1 || first->parent != second->parent ||
        first->block_count || tile_class_of(between->type.dtype) == TILE_R16 ||
        tile_is_rounded(first) || tile_is_rounded(second) ||
        tile_int(first, TILE_ATTR_PARTIAL, TILE_PARTIAL_NONE) != TILE_PARTIAL_NONE ||
        tile_int(second, TILE_ATTR_PARTIAL, TILE_PARTIAL_NONE) != TILE_PARTIAL_NONE)
        return false;
    for (uint32_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (tile_int(first, same[i], 0) != tile_int(second, same[i], 0))
            return false;
    return true;
}

// True if a later reduction exchanges this one's partial results.
static bool is_continued(const struct tile_op *first)
{
    const struct tile_op *second = first->next;

    while (second && !(second->operand_count && second->operand[0] == first->result[0]))
        second = second->next;
    return second && continues(second, first);
}

// Adds to `lanes` and `warps` the bits along the reduced axis. Threads that differ only in these
// bits hold elements of the same reductions.
static void add_threads(const struct tile_op *op, uint32_t *lanes, uint32_t *warps)
{
    const struct tile_layout *layout = op->operand[0]->layout;
    uint32_t mask = axis_mask(layout, (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));

    for (uint32_t bit = 0; bit < TILE_LANE_BITS; bit++)
        if (layout->basis[layout->register_bits + bit] & mask)
            *lanes |= UINT32_C(1) << bit;
    for (uint32_t bit = 0; bit < layout->warp_bits; bit++)
        if (layout->basis[layout->register_bits + TILE_LANE_BITS + bit] & mask)
            *warps |= UINT32_C(1) << bit;
}

// Reduces all operands. in[register][i] and out[register][i] belong to operand i.
static bool reduce(struct tile_reduction *r, tile_register (*in)[TILE_MOST_REDUCED],
                   tile_register (*out)[TILE_MOST_REDUCED])
{
    const struct tile_layout *layout = r->op->operand[0]->layout;
    uint32_t results = tile_register_count(r->op->result[0]), lanes = 0, warps = 0;
    int64_t parts = tile_int(r->op, TILE_ATTR_PARTIAL, TILE_PARTIAL_NONE);

    for (uint32_t i = 0; i < results; i++)
        out[i][0] = TILE_NO_REGISTER;
    (r->halves ? own_halves : own_registers)(r, in, out);
    if (r->e->failed)
        return false;
    if (parts == TILE_PARTIAL_KEPT || is_continued(r->op))
        return true;
    add_threads(r->op, &lanes, &warps);
    for (const struct tile_op *op = r->op; continues(op, op->operand[0]->op);) {
        op = op->operand[0]->op;
        add_threads(op, &lanes, &warps);
    }
    for (uint32_t bit = 0; bit < TILE_LANE_BITS && parts == TILE_PARTIAL_JOINED; bit++)
        // These lanes hold partial results, not copies.
        if (!layout->basis[layout->register_bits + bit])
            lanes |= UINT32_C(1) << bit;
    tile_reduce_threads(r, out, results, lanes, warps);
    return !r->e->failed;
}

// One value

static void combine_plain(struct tile_reduction *r, const tile_register *x, const tile_register *y,
                          tile_register *out)
{
    const tile_register both[] = { x[0], y[0] };

    out[0] = tile_is_rounded(r->op)
                 ? tile_emit_rounded(r->e, r->with == TILE_WITH_SUM ? TILE_ADD : TILE_MUL,
                                     r->dtype[0], tile_rounding_of(r->op), r->nan, both)
                 : tile_emit_combine(r->e, r->with, r->dtype[0], r->nan, x[0], y[0]);
}

static void combine_by_function(struct tile_reduction *r, const tile_register *x,
                                const tile_register *y, tile_register *out)
{
    tile_emit_function(r->e, r->op->block[0], r->n, x, y, out);
}

// Returns the upper half of an f32 as a bf16.
static tile_register upper_half(struct tile_emitter *e, tile_register x)
{
    tile_register low = tile_new(e, TILE_R16), high = tile_new(e, TILE_R16);

    tile_split(e, x, low, high);
    return high;
}

static bool give(struct tile_reduction *r, tile_register (*out)[TILE_MOST_REDUCED], uint32_t value,
                 const struct tile_value *result, bool narrows)
{
    uint32_t count = tile_register_count(result);
    tile_register *reg = tile_take(r->e->module, count * sizeof(*reg));
    struct tile_rounding how = tile_rounding_of(r->op);

    if (!reg)
        return false;
    for (uint32_t i = 0; i < count && how.ftz;
         i++) // a sum of a single element has no addition that flushes it
        out[i][value] = tile_emit_flush(r->e, out[i][value]);
    for (uint32_t i = 0; i < count; i++)
        reg[i] = !narrows ? out[i][value]
                 : r->halves && result->type.dtype == CUC_BF16
                     ? upper_half(r->e, out[i][value])
                     : tile_emit_cast(r->e, result->type.dtype, CUC_F32, how.round, out[i][value]);
    r->e->reduced = TILE_REGISTER_CLASS(out[0][value]) == TILE_R32 ? out[0][value]
                                                                   : TILE_NO_REGISTER;
    r->e->value[result->id] = reg;
    return true;
}

// True for a minimum or maximum of 16-bit floats that can run on packed pairs: both elements of a
// pair reduce into the same result, and there is no padding.
static bool in_halves(const struct tile_reduction *r)
{
    const struct tile_value *x = r->op->operand[0];
    uint32_t mask = axis_mask(x->layout, r->axis);

    for (uint32_t i = 0; i < x->type.rank; i++)
        if (x->type.extent[i] != INT32_C(1) << x->layout->axis_bits[i])
            return false;
    return (r->with == TILE_WITH_MIN || r->with == TILE_WITH_MAX) &&
           tile_class_of(x->type.dtype) == TILE_R16 && x->layout->register_bits &&
           x->layout->basis[0] & mask;
}

// Returns the operand, or if that is the magnitudes of a tile, the tile: the reduction then clears
// the signs of two elements at once.
static const struct tile_value *find_signless(const struct tile_reduction *r)
{
    const struct tile_value *operand = r->op->operand[0], *x = operand;

    while (x->op && x->op->kind == TILE_RESHAPE && x->uses == 1 &&
           tile_layout_matches(x->layout, x->op->operand[0]->layout))
        x = x->op->operand[0];
    return r->halves && x->op && x->op->kind == TILE_ABS && x->uses == 1 ? x->op->operand[0]
                                                                         : operand;
}

// Finds the factors of summed products. The order of a sum, and hence its rounding, is unspecified,
// so the products need not be rounded before they are added.
static void find_factors(struct tile_reduction *r)
{
    const struct tile_op *product = r->op->operand[0]->op;

    if (r->with != TILE_WITH_SUM || !r->e->target->contract || !product ||
        product->kind != TILE_MUL || tile_is_rounded(product) || tile_is_rounded(r->op) ||
        (r->dtype[0] != CUC_F32 && r->dtype[0] != CUC_F64) ||
        r->dtype[0] != product->result[0]->type.dtype)
        return;
    for (uint32_t i = 0; i < 2; i++)
        r->factor[i] = product->operand[i];
}

bool tile_emit_reduce(struct tile_emitter *e, const struct tile_op *op)
{
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    struct tile_reduction r = {
        .e = e,
        .op = op,
        .n = op->result_count,
        .axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0),
        .plain = with != TILE_WITH_FN,
        .with = with,
        .nan = tile_int(op, TILE_ATTR_NAN, 0) != 0,
    };
    uint32_t count = tile_register_count(op->operand[0]);
    uint32_t results = tile_register_count(op->result[0]);
    tile_register(*in)[TILE_MOST_REDUCED] = tile_take(e->module, count * sizeof(*in));
    tile_register(*out)[TILE_MOST_REDUCED] = tile_take(e->module, results * sizeof(*out));
    cuc_dtype dtype = op->operand[0]->type.dtype;
    bool widens = (dtype == CUC_F16 || dtype == CUC_BF16) && with != TILE_WITH_FN;

    if (!in || !out)
        return false;
    r.halves = in_halves(&r);
    r.signless = find_signless(&r);
    for (uint32_t i = 0; i < r.n; i++) {
        r.dtype[i] = widens ? CUC_F32 : op->operand[i]->type.dtype;
        r.identity[i] =
            with == TILE_WITH_FN
                ? tile_registers(e, op->operand[r.n + i])[0]
                : tile_constant_register(e, r.dtype[i], tile_element_identity(with, r.dtype[i]));
        if (r.plain && !r.halves) // these registers are computed a part at a time
            continue;
        const tile_register *x = tile_registers(e, i ? op->operand[i] : r.signless);
        for (uint32_t k = 0; k < count; k++)
            in[k][i] = x[k];
    }
    // A minimum without `nan` is NaN if all elements are NaN. PTX's min and max give that result if
    // padding is NaN, too.
    if ((with == TILE_WITH_MIN || with == TILE_WITH_MAX) && tile_is_float(dtype))
        r.identity[0] = tile_constant_register(e, r.dtype[0],
                                               r.nan ? tile_element_identity(with, r.dtype[0])
                                               : r.dtype[0] == CUC_F64
                                                   ? UINT64_C(0x7fffffffffffffff)
                                                   : UINT64_C(0x7fffffff));
    find_factors(&r);
    r.combine = r.plain ? combine_plain : combine_by_function;
    if (!reduce(&r, in, out))
        return false;
    for (uint32_t i = 0; i < r.n; i++)
        if (!give(&r, out, i, op->result[i], widens))
            return false;
    return true;
}

// Combines values with their indices: takes the smallest or largest value, and the smaller index
// among equal values. A NaN never wins.
static void combine_arg(struct tile_reduction *r, const tile_register *x, const tile_register *y,
                        tile_register *out)
{
    struct tile_emitter *e = r->e;
    enum tile_op_kind order = r->op->kind == TILE_ARGMIN ? TILE_LT : TILE_GT;
    cuc_dtype dtype = r->dtype[0];
    static const char *const types[] = { "pred", "b16", "b32", "b64" };
    tile_register better = tile_emit_binary(e, order, dtype, false, y[0], x[0]);
    tile_register equal = tile_emit_binary(e, TILE_EQ, dtype, false, y[0], x[0]);
    tile_register before = tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, %R", y[1], x[1]);
    tile_register tie = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", equal, before);
    tile_register takes = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", better, tie);

    if (tile_is_float(dtype)) { // x is NaN and y is not, or both are NaN and y comes first
        const char *type = dtype == CUC_F64 ? "f64" : "f32";
        tile_register nan = tile_new(e, TILE_PRED), number = tile_new(e, TILE_PRED);
        tile_ins(e, "testp.notanumber.%s %R, %R", type, nan, x[0]);
        tile_ins(e, "testp.number.%s %R, %R", type, number, y[0]);
        tile_register first = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", number, before);
        tile_register only = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", nan, first);
        takes = tile_make(e, TILE_PRED, "or.pred %R, %R, %R", takes, only);
    }
    out[0] = tile_new(e, tile_class_of(dtype));
    tile_ins(e, "selp.%s %R, %R, %R, %R", types[tile_class_of(dtype)], out[0], y[0], x[0], takes);
    out[1] = tile_new(e, TILE_R32);
    tile_ins(e, "selp.b32 %R, %R, %R, %R", out[1], y[1], x[1], takes);
}

bool tile_emit_arg(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_reduction r = { .e = e,
                                .op = op,
                                .n = 2,
                                .combine = combine_arg,
                                .axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0) };
    const struct tile_value *x = op->operand[0];
    uint32_t count = tile_register_count(x), results = tile_register_count(op->result[0]);
    tile_register(*in)[TILE_MOST_REDUCED] = tile_take(e->module, count * sizeof(*in));
    tile_register(*out)[TILE_MOST_REDUCED] = tile_take(e->module, results * sizeof(*out));
    cuc_dtype dtype = x->type.dtype;
    bool widens = dtype == CUC_F16 || dtype == CUC_BF16;

    if (!in || !out)
        return false;
    r.dtype[0] = widens ? CUC_F32 : dtype;
    r.dtype[1] = CUC_I32;
    // Padding loses to everything: it is NaN or the worst integer, with the largest index.
    r.identity[0] = tile_constant_register(
        e, r.dtype[0],
        tile_is_integer(dtype)
            ? tile_element_identity(op->kind == TILE_ARGMIN ? TILE_WITH_MIN : TILE_WITH_MAX, dtype)
        : r.dtype[0] == CUC_F64 ? UINT64_C(0x7fffffffffffffff)
                                : UINT64_C(0x7fffffff));
    r.identity[1] = tile_number32(e, INT32_MAX);
    const tile_register *reg = tile_registers(e, x);
    tile_register thread = tile_thread_coordinate(e, x->layout, r.axis);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t own = tile_register_coordinate(x->layout, k, r.axis);
        in[k][0] = widens ? tile_widen(e, dtype, reg[k]) : reg[k];
        in[k][1] = own ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", thread, own) : thread;
    }
    return reduce(&r, in, out) && give(&r, out, 1, op->result[0], false);
}
