// Recognizes loops that only accumulate (accumulation.h).
#include "accumulation.h"

#include "tile/ir/scalar.h"
#include "tile/ir/words.h"

struct finder {
    const struct tile_op *loop;
    bool *depends; // by value id: computed from a carried value
    uint8_t *part; // by value id: 1 + index of the carried value whose partial result it is
    const struct tile_value *from;   // the carried value under examination
    const struct tile_type *maximum; // type of the running maximum under examination, or NULL
    struct tile_accumulator found;
    uint32_t index;
    bool changed;
    const char *why;
};

static bool depends(const struct finder *f, const struct tile_value *value)
{
    return f->depends[value->id];
}

static void set_depends(struct finder *f, const struct tile_value *value)
{
    if (!f->depends[value->id])
        f->changed = f->depends[value->id] = true;
}

static void follow(struct tile_op *op, void *data)
{
    struct finder *f = data;
    const struct tile_op *target = op->kind == TILE_YIELD || op->kind == TILE_CONTINUE ||
                                           op->kind == TILE_BREAK
                                       ? tile_ended_by(op)
                                       : NULL;
    uint32_t lead = op->kind == TILE_FOR ? 3 : 0;
    bool any = false;

    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!depends(f, op->operand[i]))
            continue;
        any = true;
        if (target && target != f->loop && tile_op_infos[target->kind].traits & TILE_FLOWS) {
            set_depends(f, target->result[i]);
            if (target->kind != TILE_IF)
                set_depends(f, target->block[0]->argument[i + (target->kind == TILE_FOR)]);
        } else if ((op->kind == TILE_FOR || op->kind == TILE_LOOP) && i >= lead) {
            set_depends(f, op->result[i - lead]);
            set_depends(f, op->block[0]->argument[i - lead + (op->kind == TILE_FOR)]);
        }
    }
    if (!any || op->kind == TILE_FOR || op->kind == TILE_LOOP)
        return;
    for (uint32_t i = 0; i < op->result_count; i++)
        set_depends(f, op->result[i]);
}

static void check(struct tile_op *op, void *data)
{
    struct finder *f = data;
    uint32_t traits = tile_op_infos[op->kind].traits;
    int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);

    if (traits & TILE_WRITES || order == TILE_ACQUIRE || order == TILE_ACQ_REL)
        f->why = "an iteration has an effect";
    else if (op->kind == TILE_RETURN || (op->kind == TILE_BREAK && tile_loop_around(op) == f->loop))
        f->why = "it may end early";
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (depends(f, op->operand[i]) &&
            ((op->kind == TILE_IF && i == 0) || (op->kind == TILE_FOR && i < 3)))
            f->why = "its control flow depends on a carried value";
}

static bool set_op(struct finder *f, enum tile_op_kind kind, bool nan)
{
    if (f->found.op && (f->found.op != kind || f->found.nan != nan))
        return false;
    f->found.op = kind;
    f->found.nan = nan;
    return true;
}

static bool is_part(struct finder *f, const struct tile_value *value);

// True if all terminators of a nested loop or `if` return partial results as result `index`.
static bool all_ends_are(struct finder *f, const struct tile_block *block,
                         const struct tile_op *around, uint32_t index)
{
    bool all = true;

    for (const struct tile_op *op = block->first; op && all; op = op->next) {
        if ((op->kind == TILE_YIELD || op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) &&
            tile_ended_by(op) == around)
            all = is_part(f, op->operand[index]);
        for (uint32_t i = 0; i < op->block_count && all; i++)
            all = all_ends_are(f, op->block[i], around, index);
    }
    return all;
}

static bool is_part_of_op(struct finder *f, const struct tile_op *op, uint32_t result)
{
    uint32_t lead = op->kind == TILE_FOR ? 3 : 0;
    struct tile_value *const *x = op->operand;

    if (tile_is_rounded(op))
        return false;
    switch (op->kind) {
    case TILE_ADD:
    case TILE_MUL:
    case TILE_MINIMUM:
    case TILE_MAXIMUM:
    case TILE_AND:
    case TILE_OR:
    case TILE_XOR:
        for (uint32_t i = 0; i < 2; i++)
            if (!depends(f, x[1 - i]))
                return set_op(f, op->kind, tile_int(op, TILE_ATTR_NAN, 0)) && is_part(f, x[i]);
        return false;
    case TILE_SUB:
        return !depends(f, x[1]) && set_op(f, TILE_ADD, false) && is_part(f, x[0]);
    case TILE_FMA:
    case TILE_MMA:
        return !depends(f, x[0]) && !depends(f, x[1]) && set_op(f, TILE_ADD, false) &&
               is_part(f, x[2]);
    case TILE_WHERE:
        return !depends(f, x[0]) && is_part(f, x[1]) && is_part(f, x[2]);
    case TILE_IF:
        return all_ends_are(f, op->block[0], op, result) &&
               all_ends_are(f, op->block[1], op, result);
    case TILE_FOR:
    case TILE_LOOP:
        f->part[op->block[0]->argument[result + (lead != 0)]->id] = (uint8_t)(f->index + 1);
        return is_part(f, x[lead + result]) && all_ends_are(f, op->block[0], op, result);
    default:
        return false;
    }
}

// True if a value is the carried value combined with values that depend on no carried value.
static bool is_part(struct finder *f, const struct tile_value *value)
{
    if (value == f->from || f->part[value->id] == f->index + 1)
        return true;
    if (!depends(f, value) || !value->op || f->part[value->id] ||
        !is_part_of_op(f, value->op, value->index))
        return false;
    f->part[value->id] = (uint8_t)(f->index + 1);
    return true;
}

// ---- Sums scaled by a running maximum

struct ends {
    const struct tile_op *loop;
    uint32_t count;
};

static void count_ends(struct tile_op *op, void *data)
{
    struct ends *ends = data;

    ends->count += (op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) &&
                   tile_loop_around(op) == ends->loop;
}

bool tile_ends_once(const struct tile_op *loop)
{
    struct ends ends = { .loop = loop };

    tile_walk(loop->block[0], count_ends, &ends);
    return ends.count == 1 && loop->block[0]->last->kind == TILE_CONTINUE;
}

// True if an op combines only elements that share one element of the running maximum, that is, if
// it leaves in place all axes along which the maximum varies.
static bool keeps_axes(const struct finder *f, const struct tile_op *op)
{
    const struct tile_type *m = f->maximum, *x = &op->operand[0]->type, *y = &op->result[0]->type;
    uint32_t axes = m ? m->rank : 0; // number of axes up to the last one with several elements

    while (axes && m->extent[axes - 1] == 1)
        axes--;
    if (!axes)
        return true;
    if (op->kind == TILE_PERMUTE || x->rank < axes || y->rank < axes ||
        (op->kind == TILE_BROADCAST && x->rank != y->rank))
        return false;
    for (uint32_t i = 0; i < axes; i++)
        if (x->extent[i] != y->extent[i] && (op->kind == TILE_RESHAPE || m->extent[i] != 1))
            return false;
    return true;
}

static const struct tile_value *unwrapped(const struct finder *f, const struct tile_value *value)
{
    while (value->op && (value->op->kind == TILE_BROADCAST || value->op->kind == TILE_RESHAPE) &&
           (keeps_axes(f, value->op) || tile_elements(&value->op->operand[0]->type) == 1))
        value = value->op->operand[0];
    return value;
}

// Returns the scalar that is broadcast to a tile, or NULL if there is none or it changes in the
// loop.
static struct tile_value *factor_of(const struct finder *f, const struct tile_value *value)
{
    const struct tile_value *x = unwrapped(f, value);

    return x->type.rank || depends(f, x) || (x->op && tile_is_within(x->op, f->loop->block[0]))
               ? NULL
               : (struct tile_value *)(uintptr_t)x;
}

// Matches exp(k (x - y)) or exp2(k (x - y)), where y is `from`, possibly broadcast. Returns x, or
// NULL if the value does not match. Records the power op and k, which must equal any that were
// recorded before.
static const struct tile_value *powered(struct finder *f, const struct tile_value *value,
                                        const struct tile_value *from)
{
    const struct tile_op *op = value->op;
    struct tile_value *factor = NULL;

    if (!op || (op->kind != TILE_EXP && op->kind != TILE_EXP2) || tile_is_rounded(op))
        return NULL;
    enum tile_op_kind power = op->kind;
    op = unwrapped(f, op->operand[0])->op;
    for (uint32_t i = 0; op && op->kind == TILE_MUL && i < 2; i++)
        if ((factor = factor_of(f, op->operand[i]))) {
            op = unwrapped(f, op->operand[1 - i])->op;
            break;
        }
    if (!op || op->kind != TILE_SUB || tile_is_rounded(op) ||
        unwrapped(f, op->operand[1]) != from ||
        (f->found.power && (f->found.power != power || f->found.exponent != factor)))
        return NULL;
    f->found.power = power;
    f->found.exponent = factor;
    return op->operand[0];
}

// True for a value that is proportional to exp(-M), where M is `maximum`.
static bool is_scaled(struct finder *f, const struct tile_value *value,
                      const struct tile_value *maximum)
{
    const struct tile_op *op = value->op;

    if (!op || tile_is_rounded(op))
        return false;
    switch (op->kind) {
    case TILE_EXP:
    case TILE_EXP2: {
        const struct tile_value *x = powered(f, value, maximum);
        return x && !depends(f, x);
    }
    case TILE_REDUCE:
        return tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM) == TILE_WITH_SUM && keeps_axes(f, op) &&
               is_scaled(f, op->operand[0], maximum);
    case TILE_MMA:
        return !depends(f, op->operand[1]) && tile_is_zero(op->operand[2]) && keeps_axes(f, op) &&
               is_scaled(f, op->operand[0], maximum);
    case TILE_CAST:
        return tile_is_float(op->operand[0]->type.dtype) && tile_is_float(value->type.dtype) &&
               is_scaled(f, op->operand[0], maximum);
    case TILE_BROADCAST:
    case TILE_RESHAPE:
    case TILE_PERMUTE:
        return keeps_axes(f, op) && is_scaled(f, op->operand[0], maximum);
    case TILE_MUL:
        for (uint32_t i = 0; i < 2; i++)
            if (!depends(f, op->operand[i]))
                return is_scaled(f, op->operand[1 - i], maximum);
        return false;
    case TILE_WHERE:
        return !depends(f, op->operand[0]) &&
               (tile_is_zero(op->operand[1]) || is_scaled(f, op->operand[1], maximum)) &&
               (tile_is_zero(op->operand[2]) || is_scaled(f, op->operand[2], maximum));
    case TILE_ADD:
        return is_scaled(f, op->operand[0], maximum) && is_scaled(f, op->operand[1], maximum);
    default:
        return false;
    }
}

// True if `fade` is exp(m - M).
static bool is_fade(struct finder *f, const struct tile_value *fade, const struct tile_value *m,
                    const struct tile_value *maximum)
{
    const struct tile_value *x = powered(f, unwrapped(f, fade), maximum);

    return x && unwrapped(f, x) == m;
}

// True if a value is x exp(m - M).
static bool is_faded(struct finder *f, const struct tile_value *value, const struct tile_value *m,
                     const struct tile_value *maximum)
{
    const struct tile_op *op = value->op;

    for (uint32_t i = 0; op && op->kind == TILE_MUL && !tile_is_rounded(op) && i < 2; i++)
        if (op->operand[i] == f->from && is_fade(f, op->operand[1 - i], m, maximum))
            return true;
    return false;
}

// True if `next` is x exp(m - M) plus a value that is proportional to exp(-M).
static bool is_scaled_sum(struct finder *f, const struct tile_value *next,
                          const struct tile_value *m, const struct tile_value *maximum)
{
    const struct tile_op *op = next->op;
    const struct tile_value *x = f->from;

    f->found = (struct tile_accumulator){ .op = TILE_ADD, .scaled = true };
    if (!op || tile_is_rounded(op))
        return false;
    if (op->kind == TILE_MMA)
        return is_faded(f, op->operand[2], m, maximum) && !depends(f, op->operand[1]) &&
               keeps_axes(f, op) && is_scaled(f, op->operand[0], maximum);
    for (uint32_t i = 0; i < 2; i++)
        if ((op->kind == TILE_FMA && op->operand[i] == x &&
             is_fade(f, op->operand[1 - i], m, maximum) && is_scaled(f, op->operand[2], maximum)) ||
            (op->kind == TILE_ADD && is_faded(f, op->operand[i], m, maximum) &&
             is_scaled(f, op->operand[1 - i], maximum)))
            return true;
    return false;
}

// True if broadcasting and reshaping lead from the maximum's shape to the sum's.
static bool goes_to_shape(const struct tile_value *maximum, const struct tile_value *sum)
{
    if (!tile_is_float(sum->type.dtype) || maximum->type.dtype != sum->type.dtype)
        return false;
    if (tile_shape_same(&maximum->type, &sum->type) || !maximum->type.rank)
        return true;
    if (maximum->type.rank != sum->type.rank)
        return false;
    for (uint32_t i = 0; i < sum->type.rank; i++)
        if (maximum->type.extent[i] != sum->type.extent[i] && maximum->type.extent[i] != 1)
            return false;
    return true;
}

static bool find_scaled(struct finder *f, const struct tile_op *end, struct tile_accumulator *all)
{
    const struct tile_block *body = f->loop->block[0];

    if (!tile_ends_once(f->loop)) // with several ends, a carried value has several next values
        return false;
    for (uint32_t m = 0; m < end->operand_count; m++) {
        const struct tile_value *carried = body->argument[1 + m], *maximum = end->operand[m];
        if (all[m].op != TILE_MAXIMUM || !goes_to_shape(carried, f->from) || m == f->index)
            continue;
        f->maximum = &carried->type;
        if (is_scaled_sum(f, end->operand[f->index], carried, maximum)) {
            f->found.maximum = m;
            return true;
        }
    }
    return false;
}

// ---- All carried values

static bool is_exact(const struct tile_accumulator *a, cuc_dtype dtype)
{
    return !tile_is_float(dtype) || a->op == TILE_MINIMUM || a->op == TILE_MAXIMUM;
}

struct tile_accumulator *tile_accumulators_of(const struct tile_kernel *kernel,
                                              const struct tile_op *loop, const char **why)
{
    enum { MOST = 250 };
    struct tile_module *module = kernel->module;
    struct finder f = { .loop = loop,
                        .depends = tile_take(module, kernel->value_count + 1),
                        .part = tile_take(module, kernel->value_count + 1) };
    struct tile_accumulator *all = tile_take(module, (loop->result_count + 1) * sizeof(*all));
    struct tile_block *body = loop->block[0];
    const struct tile_op *end = body->last;

    *why = "";
    if (!f.depends || !f.part || !all || loop->result_count > MOST)
        return NULL;
    if (end->kind != TILE_CONTINUE) {
        *why = "it may end early";
        return NULL;
    }
    for (uint32_t i = 0; i < loop->result_count; i++)
        set_depends(&f, body->argument[1 + i]);
    while (f.changed) {
        f.changed = false;
        tile_walk(body, follow, &f);
    }
    tile_walk(body, check, &f);
    if (f.why) {
        *why = f.why;
        return NULL;
    }
    uint32_t plain = 0;
    for (uint32_t i = 0; i < loop->result_count; i++) {
        f.from = body->argument[1 + i];
        f.index = i;
        f.found = (struct tile_accumulator){ .op = (enum tile_op_kind)0 };
        if (!all_ends_are(&f, body, loop, i) || !f.found.op)
            continue;
        all[i] = f.found;
        all[i].exact = is_exact(&all[i], f.from->type.dtype);
        plain++;
    }
    for (uint32_t i = 0; i < loop->result_count && plain < loop->result_count; i++) {
        if (all[i].op)
            continue;
        f.from = body->argument[1 + i];
        f.index = i;
        if (!find_scaled(&f, end, all)) {
            *why = "a carried value is not a sum, product, maximum or the like";
            return NULL;
        }
        all[i] = f.found;
    }
    return all;
}

static void note_product(struct tile_op *op, void *data)
{
    *(bool *)data |= op->kind == TILE_MMA;
}

bool tile_has_products(const struct tile_kernel *kernel)
{
    bool found = false;

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, note_product, &found);
    return found;
}

bool tile_is_beside_product(const struct tile_op *loop)
{
    bool found = false;

    for (; loop && !found; loop = tile_loop_around(loop))
        for (uint32_t i = 0; i < loop->block_count; i++)
            tile_walk(loop->block[i], note_product, &found);
    return found;
}

static void note_load(struct tile_op *op, void *data)
{
    *(bool *)data |= (tile_op_infos[op->kind].traits & TILE_READS) != 0;
}

bool tile_loads(const struct tile_op *loop)
{
    bool found = false;

    tile_walk(loop->block[0], note_load, &found);
    return found;
}
