// Range and divisibility analysis of integer values (range_analysis.h).
//
// The analysis walks the program once, in order. It repeats a loop until the divisors of the
// carried values are stable, and drops bounds that change. It assumes nothing about carried values
// of loops that are nested more than two deep.
#include "range_analysis.h"

#include "tile/ir/host.h"
#include "tile/ir/scalar.h"

enum { MOST_ROUNDS = 4, DEEPEST = 2 };

// Upper bound for the extent of any axis. Addresses have fewer bits.
#define MOST_EXTENT (INT64_C(1) << 60)
// Upper bound for an extent of a tensor with a map (signature/select.c).
#define MOST_MAPPED (INT64_C(1) << 30)

// No value has been seen yet.
static const struct tile_range nobody = { 1, 0, 0 };

static struct tile_range of(const struct tile_ranges *f, const struct tile_op *op, uint32_t operand)
{
    return tile_range_of(f, op->operand[operand]);
}

// The range rules of ops.def. Each computes the range of a result; `any` gives the full range.

typedef struct tile_range range_rule(const struct tile_ranges *f, const struct tile_op *op,
                                     uint32_t result);
#define RULE(name)                                                                               \
    static struct tile_range range_##name(const struct tile_ranges *f, const struct tile_op *op, \
                                          uint32_t result)

static cuc_dtype dtype_of(const struct tile_op *op, uint32_t result)
{
    return op->result[result]->type.dtype;
}

// Returns the extent of the first operand along the op's axis.
static int64_t axis_extent(const struct tile_op *op)
{
    return op->operand[0]->type.extent[tile_int(op, TILE_ATTR_AXIS, 0)];
}

RULE(any)
{
    (void)f;
    return tile_range_any(dtype_of(op, result));
}

static struct tile_range of_two(const struct tile_ranges *f, const struct tile_op *op,
                                uint32_t result, tile_range_of_two *rule)
{
    cuc_dtype dtype = dtype_of(op, result);

    return tile_is_integer(dtype) ? rule(op->kind, dtype, of(f, op, 0), of(f, op, 1))
                                  : tile_range_any(dtype);
}

#define RULE_OF_TWO(name)                                \
    RULE(name)                                           \
    {                                                    \
        return of_two(f, op, result, tile_range_##name); \
    }
RULE_OF_TWO(sum)
RULE_OF_TWO(difference)
RULE_OF_TWO(multiple)
RULE_OF_TWO(extremum)
RULE_OF_TWO(quotient)
RULE_OF_TWO(masked)
RULE_OF_TWO(shifted)

RULE(constant)
{
    struct tile_range x = tile_range_exactly(tile_int(op, TILE_ATTR_VALUE, 0));

    (void)f;
    return tile_range_is_open(dtype_of(op, result), x) ? tile_range_any(dtype_of(op, result)) : x;
}

RULE(iota)
{
    (void)f;
    return tile_range_between(0, op->result[result]->type.extent[0] - 1, 1);
}

RULE(grid) // the grid's first axis may be rounded up to whole clusters
{
    (void)f;
    (void)result;
    return tile_range_between(0, tile_grid_limit((uint32_t)tile_int(op, TILE_ATTR_INDEX, 0)) + 16,
                              1);
}

RULE(warp)
{
    (void)f;
    (void)op;
    (void)result;
    return tile_range_between(0, 31, 1);
}

RULE(cluster_rank)
{
    (void)f;
    (void)op;
    (void)result;
    return tile_range_between(0, TILE_MOST_PARTS - 1, 1);
}

RULE(cluster_size)
{
    (void)f;
    (void)op;
    (void)result;
    return tile_range_between(1, TILE_MOST_PARTS, 1);
}

RULE(dimension)
{
    (void)result;
    return f->dimension[tile_int(op, TILE_ATTR_INDEX, 0)];
}

RULE(dim)
{
    (void)result;
    return tile_range_of_extent(f, op->operand[0], (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
}

RULE(assume)
{
    uint64_t divisor = (uint64_t)tile_int(op, TILE_ATTR_DIVISOR, 1), both;
    struct tile_range x = of(f, op, 0);

    (void)result;
    both = x.divisor ? divisor / tile_common_divisor(x.divisor, divisor) : 0;
    if (__builtin_mul_overflow(both, x.divisor, &x.divisor))
        x.divisor = divisor;
    return x;
}

RULE(cast)
{
    cuc_dtype to = dtype_of(op, result), from = op->operand[0]->type.dtype;
    struct tile_range x = of(f, op, 0);

    if (!tile_is_integer(to) || tile_range_is_open(from, x) ||
        (!tile_is_integer(from) && from != CUC_BOOL))
        return tile_range_any(to);
    return tile_range_convert(to, false, x);
}

RULE(neg)
{
    return tile_range_difference(TILE_SUB, dtype_of(op, result), tile_range_exactly(0),
                                 of(f, op, 0));
}

RULE(abs)
{
    cuc_dtype dtype = dtype_of(op, result);
    struct tile_range x = of(f, op, 0), out = { 0, 0, x.divisor };

    if (x.low == INT64_MIN || tile_range_is_open(dtype, x))
        return tile_range_any(dtype);
    if (x.low >= 0)
        return x;
    out.low = x.high < 0 ? -x.high : 0;
    out.high = -x.low > x.high ? -x.low : x.high;
    return tile_range_convert(dtype, false, out);
}

RULE(same)
{
    (void)result;
    return of(f, op, 0);
}

RULE(join)
{
    (void)result;
    return tile_range_join(of(f, op, 0), of(f, op, 1));
}

RULE(where)
{
    (void)result;
    return tile_range_join(of(f, op, 1), of(f, op, 2));
}

RULE(shift) // elements of the operand, or padding
{
    (void)result;
    return tile_range_join(of(f, op, 0), of(f, op, 2));
}

RULE(reduce)
{
    cuc_dtype dtype = dtype_of(op, result);
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    struct tile_range all = tile_range_any(dtype), x;

    if (with == TILE_WITH_MIN || with == TILE_WITH_MAX)
        return of(f, op, 0);
    if (with != TILE_WITH_SUM || !tile_is_integer(dtype))
        return all;
    x = tile_range_product(dtype, of(f, op, 0), tile_range_exactly(axis_extent(op)));
    x.divisor = of(f, op, 0).divisor;
    return tile_range_convert(dtype, tile_range_same(all, (struct tile_range){ x.low, x.high, 1 }),
                              x);
}

RULE(position)
{
    (void)f;
    (void)result;
    return tile_range_between(0, axis_extent(op) - 1, 1);
}

RULE(topk)
{
    return result ? range_position(f, op, result) : of(f, op, 0);
}

RULE(histogram)
{
    (void)f;
    (void)result;
    return tile_range_between(0, tile_elements(&op->operand[0]->type), 1);
}

RULE(rank)
{
    int64_t elements = tile_elements(&op->operand[0]->type);
    struct tile_range x = of(f, op, 0);
    bool all = x.low >= 0 && x.high < tile_int(op, TILE_ATTR_COUNT, 0);

    return result ? tile_range_between(0, elements, 1)
                  : tile_range_between(all ? 0 : -1, elements - 1, 1);
}

static range_rule *const rules[TILE_OP_COUNT] = {
#define TILE_OP(id, name, operands, results, traits, infer, print, range, ...) \
    [TILE_##id] = range_##range,
#include "tile/ir/ops.def"
};

static void visit_block(struct tile_ranges *f, const struct tile_block *block);

static void set(struct tile_ranges *f, const struct tile_value *value, struct tile_range range)
{
    if (value->id < f->count)
        f->value[value->id] = range;
}

// Visits a loop. The argument and the result of a carried value share one range.
static void visit_loop(struct tile_ranges *f, const struct tile_op *op)
{
    const struct tile_block *body = op->block[0];
    uint32_t lead = op->kind == TILE_FOR ? 3 : 0, first = op->kind == TILE_FOR ? 1 : 0;
    bool again = f->depth++ < DEEPEST;

    if (first) {
        struct tile_range from = of(f, op, 0), to = of(f, op, 1), step = of(f, op, 2);
        int64_t last = to.high > INT64_MIN ? to.high - 1 : to.high;
        struct tile_range i = { from.low, last > from.high ? last : from.high,
                                tile_common_divisor(from.divisor, step.divisor) };
        bool open = tile_range_is_open(body->argument[0]->type.dtype, from) ||
                    tile_range_is_open(body->argument[0]->type.dtype, to);
        set(f, body->argument[0], open ? tile_range_any(body->argument[0]->type.dtype) : i);
    }
    for (uint32_t i = 0; i < op->result_count; i++)
        set(f, op->result[i],
            again ? of(f, op, lead + i) : tile_range_any(op->result[i]->type.dtype));
    for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
        bool moved = false;
        for (uint32_t i = 0; i < op->result_count; i++)
            set(f, body->argument[first + i], tile_range_of(f, op->result[i]));
        visit_block(f, body);
        for (uint32_t i = 0; i < op->result_count; i++) {
            struct tile_range before = tile_range_of(f, body->argument[first + i]);
            struct tile_range now = tile_range_of(f, op->result[i]);
            struct tile_range all = tile_range_any(op->result[i]->type.dtype);
            if (tile_range_same(before, now))
                continue;
            moved = true;
            now.low = now.low < before.low ? all.low : now.low;
            now.high = now.high > before.high ? all.high : now.high;
            if (tile_range_is_open(op->result[i]->type.dtype, now))
                now.low = all.low, now.high = all.high;
            if (round + 2 >= MOST_ROUNDS) // the last round must converge
                now = all;
            set(f, op->result[i], now);
        }
        if (!moved)
            break;
    }
    f->depth--;
}

static void visit_op(struct tile_ranges *f, const struct tile_op *op)
{
    const struct tile_op *target = NULL;

    switch (op->kind) {
    case TILE_FOR:
    case TILE_LOOP:
        visit_loop(f, op);
        return;
    case TILE_IF:
        for (uint32_t i = 0; i < op->result_count; i++)
            set(f, op->result[i], nobody);
        visit_block(f, op->block[0]);
        visit_block(f, op->block[1]);
        for (uint32_t i = 0; i < op->result_count; i++)
            if (tile_range_is_none(tile_range_of(f, op->result[i])))
                set(f, op->result[i], tile_range_any(op->result[i]->type.dtype));
        return;
    case TILE_YIELD:
        target = op->parent->parent;
        break;
    case TILE_CONTINUE:
    case TILE_BREAK:
        target = tile_loop_around(op);
        break;
    default:
        for (uint32_t i = 0; i < op->result_count; i++)
            if (!op->result[i]->type.tensor)
                set(f, op->result[i], rules[op->kind](f, op, i));
        return; // nothing queries the scalars of a reduction's function
    }
    for (uint32_t i = 0; target && i < op->operand_count && i < target->result_count; i++)
        set(f, target->result[i],
            tile_range_join(tile_range_of(f, target->result[i]), of(f, op, i)));
}

static void visit_block(struct tile_ranges *f, const struct tile_block *block)
{
    for (const struct tile_op *op = block->first; op; op = op->next)
        visit_op(f, op);
}

// `where` clauses

// Returns the range of the dimension or scalar parameter that a host expression names.
static struct tile_range *named(struct tile_ranges *f, const struct tile_host_expression *x)
{
    return x->kind == TILE_HOST_DIMENSION ? &f->dimension[x->index]
           : x->kind == TILE_HOST_SCALAR  ? &f->value[f->kernel->parameter[x->index].value->id]
                                          : NULL;
}

// Applies the fact x op c, which can only tighten the bounds.
static void learn_order(struct tile_range *x, cuc_dtype dtype, enum tile_op_kind op, int64_t c)
{
    if (tile_range_is_open(dtype, *x))
        return;
    if ((op == TILE_LT && c > INT64_MIN && --c < x->high) || (op == TILE_LE && c < x->high))
        x->high = c;
    if ((op == TILE_GT && c < INT64_MAX && ++c > x->low) || (op == TILE_GE && c > x->low))
        x->low = c;
    if (op == TILE_EQ && c >= x->low && c <= x->high)
        *x = tile_range_exactly(c);
}

static void learn(struct tile_ranges *f, const struct tile_host_expression *fact)
{
    static const enum tile_op_kind transposed[][2] = {
        { TILE_LT, TILE_GT }, { TILE_LE, TILE_GE }, { TILE_GT, TILE_LT },
        { TILE_GE, TILE_LE }, { TILE_EQ, TILE_EQ },
    };
    const struct tile_host_expression *x = fact->operand[0], *y = fact->operand[1];

    if (fact->kind != TILE_HOST_OP)
        return;
    if (fact->op == TILE_AND) {
        learn(f, x);
        learn(f, y);
        return;
    }
    for (size_t i = 0; i < sizeof(transposed) / sizeof(transposed[0]); i++) {
        if (transposed[i][0] != fact->op)
            continue;
        enum tile_op_kind op = fact->op;
        if (x->kind == TILE_HOST_CONSTANT) {
            const struct tile_host_expression *swap = x;
            x = y;
            y = swap;
            op = transposed[i][1];
        }
        if (y->kind != TILE_HOST_CONSTANT)
            return;
        struct tile_range *range = named(f, x);
        cuc_dtype dtype = x->kind == TILE_HOST_SCALAR
                              ? f->kernel->parameter[x->index].value->type.dtype
                              : CUC_I64;
        if (range)
            learn_order(range, dtype, op, y->value);
        // Recognize x % c == 0.
        bool rest = op == TILE_EQ && !y->value && x->kind == TILE_HOST_OP && x->op == TILE_MOD &&
                    x->operand[1]->kind == TILE_HOST_CONSTANT && x->operand[1]->value > 0;
        range = rest ? named(f, x->operand[0]) : NULL;
        uint64_t both, divisor = rest ? (uint64_t)x->operand[1]->value : 1;
        if (range && range->divisor &&
            !__builtin_mul_overflow(divisor / tile_common_divisor(range->divisor, divisor),
                                    range->divisor, &both))
            range->divisor = both;
        return;
    }
}

static void learn_mapped(struct tile_ranges *f, const struct tile_parameter *tensor)
{
    for (uint32_t i = 0; i < tensor->value->type.rank; i++)
        if (tensor->extent[i].kind == TILE_EXTENT_NAMED) {
            struct tile_range *dimension = &f->dimension[tensor->extent[i].dimension];
            learn_order(dimension, CUC_I64, TILE_GE, 1);
            learn_order(dimension, CUC_I64, TILE_LE, MOST_MAPPED);
        }
}

struct tile_ranges *tile_analyze_ranges(const struct tile_kernel *kernel, uint64_t mapped,
                                        bool narrow)
{
    struct tile_ranges *f = tile_take(kernel->module, sizeof(*f));

    if (!f)
        return NULL;
    *f = (struct tile_ranges){ .kernel = kernel, .count = kernel->value_count };
    f->value = tile_take(kernel->module, (f->count + 1) * sizeof(*f->value));
    f->dimension = tile_take(kernel->module, (kernel->dimension_count + 1) * sizeof(*f->value));
    if (!f->value || !f->dimension)
        return NULL;
    for (uint32_t i = 0; i < f->count; i++)
        f->value[i] = (struct tile_range){ INT64_MIN, INT64_MAX, 1 };
    for (uint32_t i = 0; i < kernel->dimension_count; i++)
        f->dimension[i] = (struct tile_range){ 0, narrow ? INT32_MAX : MOST_EXTENT, 1 };
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        set(f, kernel->parameter[i].value, tile_range_any(kernel->parameter[i].value->type.dtype));
    for (uint32_t i = 0; i < kernel->fact_count; i++)
        learn(f, kernel->fact[i].holds);
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (i < 64 && mapped >> i & 1)
            learn_mapped(f, &kernel->parameter[i]);
    visit_block(f, &kernel->body);
    return f;
}

struct tile_range tile_range_of(const struct tile_ranges *ranges, const struct tile_value *value)
{
    return ranges && value->id < ranges->count ? ranges->value[value->id]
                                               : tile_range_any(value->type.dtype);
}

struct tile_range tile_range_of_extent(const struct tile_ranges *ranges,
                                       const struct tile_value *tensor, uint32_t axis)
{
    bool whole = true;

    // A slice has its tensor's extents, except along the sliced axis, where the tensor's extent is
    // only an upper bound.
    while (tensor->op && tensor->op->kind == TILE_SLICE) {
        whole &= tile_int(tensor->op, TILE_ATTR_AXIS, 0) != axis;
        tensor = tensor->op->operand[0];
    }
    struct tile_range range = { 0, MOST_EXTENT, 1 };
    const struct tile_extent *extent = ranges && !tensor->op && !tensor->block
                                           ? &ranges->kernel->parameter[tensor->index].extent[axis]
                                           : NULL;
    if (extent && extent->kind == TILE_EXTENT_NAMED)
        range = ranges->dimension[extent->dimension];
    else if (extent && extent->kind == TILE_EXTENT_STATIC)
        range = tile_range_exactly(extent->value);
    return whole ? range : (struct tile_range){ 0, range.high, 1 };
}

// Returns the parameter's extent along an axis, or NULL if a slice changes it.
static const struct tile_extent *extent_of(const struct tile_ranges *ranges,
                                           const struct tile_value *tensor, uint32_t axis)
{
    for (; tensor->op && tensor->op->kind == TILE_SLICE; tensor = tensor->op->operand[0])
        if (tile_int(tensor->op, TILE_ATTR_AXIS, 0) == axis)
            return NULL;
    return tensor->op || tensor->block ? NULL
                                       : &ranges->kernel->parameter[tensor->index].extent[axis];
}

static bool is_dimension(const struct tile_host_expression *x, const struct tile_extent *extent)
{
    return x->kind == TILE_HOST_DIMENSION && extent->kind == TILE_EXTENT_NAMED &&
           x->index == extent->dimension;
}

bool tile_grid_keeps_inside(const struct tile_ranges *ranges, const struct tile_value *index,
                            int64_t scale, int64_t extent, const struct tile_value *tensor,
                            uint32_t axis)
{
    while (index->op && index->op->kind == TILE_CAST && tile_is_integer(index->type.dtype) &&
           cuc_dtype_bits(index->type.dtype) >= 32) // wide enough for a block index, which is below
                                                    // 2^31
        index = index->op->operand[0];
    if (!ranges || !index->op || index->op->kind != TILE_BLOCK)
        return false;
    uint32_t of = (uint32_t)tile_int(index->op, TILE_ATTR_INDEX, 0);
    const struct tile_extent *size = extent_of(ranges, tensor, axis);
    const struct tile_host_expression *grid =
        of < ranges->kernel->grid_rank ? ranges->kernel->grid[of] : NULL;
    if (!grid || !size)
        return false;
    if (grid->kind == TILE_HOST_CONSTANT)
        return size->kind == TILE_EXTENT_STATIC && grid->value >= 1 && size->value >= extent &&
               grid->value - 1 <= (size->value - extent) / scale;
    if (scale == 1 && extent == 1)
        return is_dimension(grid, size);
    if (grid->kind != TILE_HOST_OP || (grid->op != TILE_CDIV && grid->op != TILE_FLOORDIV) ||
        grid->operand[1]->kind != TILE_HOST_CONSTANT || grid->operand[1]->value != scale ||
        extent != scale || !is_dimension(grid->operand[0], size))
        return false;
    return grid->op == TILE_FLOORDIV ||
           tile_is_multiple(ranges->dimension[size->dimension], (uint64_t)scale);
}
