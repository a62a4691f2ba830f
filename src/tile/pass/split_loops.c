// Splits loops that only accumulate (accumulation.h) across the blocks of a cluster, for grids with
// fewer blocks than multiprocessors. Block p of n runs iterations p, p + n, ... After the loop, the
// blocks combine their results in the order of their numbers. After the last such loop, the first
// block continues alone.
//
//     rank, ranks                         for i in first + part * step .. last step parts * step
//     if parts > 1 {                      after the loop
//         own = share(x); meet()
//         leave()                         after the last loop
//         for p in 1 .. parts { sum = sum + peer(own, p) }        from peer(own, 0)
//         peers_read()
//     }
#include "pass.h"
#include "accumulation.h"

#include "base/arena.h"
#include "tile/ir/scalar.h"
#include "tile/ir/target.h"
#include "tile/ir/words.h"

#include <math.h>

enum {
    MOST_LOOPS = 8,
    MOST_EXAMINED = 32,
    MOST_CARRIED = 16,
    MOST_BYTES = 64 * 1024,
    REPLICAS = 8, // assumed copies of each element that a reduction leaves
    LEAST_ITERATIONS = 16
};

struct splitter {
    struct tile_kernel *kernel;
    uint32_t threads;
    struct {
        struct tile_op *loop;
        struct tile_accumulator *of;
    } found[MOST_LOOPS];
    uint32_t count;
    bool exact;
    const char *why; // reason why the last loop that could gain is not split
    struct tile_value *part, *parts;
    bool roles; // for an entry with roles, whose loops share tiles in memory of their own
    bool failed;
};

// ---- The loops

static void note_effect(struct tile_op *op, void *data)
{
    *(bool *)data |= tile_op_infos[op->kind].traits & TILE_WRITES && op->kind != TILE_GRID_WAIT &&
                     op->kind != TILE_GRID_LAUNCH;
}

static bool has_effect(struct tile_op *op)
{
    bool effect = false;

    note_effect(op, &effect);
    for (uint32_t i = 0; i < op->block_count; i++)
        tile_walk(op->block[i], note_effect, &effect);
    return effect;
}

// Returns the bytes that a block shares. A thread holds at least one element of each value, and
// often several replicas of the elements that a reduction leaves.
static int64_t shared_bytes(const struct splitter *s, const struct tile_op *loop)
{
    int64_t bytes = 0;

    for (uint32_t i = 0; i < loop->result_count; i++) {
        const struct tile_type *type = &loop->result[i]->type;
        int64_t elements = 1;
        for (uint32_t axis = 0; axis < type->rank; axis++) {
            int64_t extent = 1; // extent in the layout
            while (extent < type->extent[axis])
                extent *= 2;
            elements *= extent;
        }
        if (elements < s->threads)
            elements = s->threads;
        for (uint32_t axis = 0; axis < type->rank && type->rank > 1; axis++)
            if (type->extent[axis] == 1) {
                elements *= REPLICAS;
                break;
            }
        bytes += elements * tile_bytes_of(type->dtype);
    }
    return bytes;
}

static int64_t constant_of(const struct tile_value *value, int64_t otherwise)
{
    return value->op && value->op->kind == TILE_CONSTANT ? tile_int(value->op, TILE_ATTR_VALUE, 0)
                                                         : otherwise;
}

static const char *refusal(struct splitter *s, struct tile_op *loop, struct tile_accumulator **of)
{
    const char *why;
    cuc_dtype dtype = loop->operand[0]->type.dtype;

    if (!loop->result_count || !tile_loads(loop))
        return "";
    if (!(*of = tile_accumulators_of(s->kernel, loop, &why)))
        return why;
    if (dtype != CUC_I64 && dtype != CUC_I32)
        return "it counts in unsigned integers";
    if (loop->operand[2]->op->kind != TILE_CONSTANT || constant_of(loop->operand[2], 1) > INT16_MAX)
        return "its step is too large";
    if (loop->result_count > MOST_CARRIED)
        return "it carries more than 16 values";
    int64_t bytes = shared_bytes(s, loop);
    if (bytes > MOST_BYTES) {
        why = cuc__arena_print(s->kernel->module->arena,
                               "its carried values take %lld KB of shared memory, and the limit is "
                               "%d KB: use smaller tiles",
                               (long long)(bytes + 1023) / 1024, MOST_BYTES / 1024);
        return why ? why : "";
    }
    int64_t first = constant_of(loop->operand[0], INT64_MIN),
            last = constant_of(loop->operand[1], INT64_MIN);
    if (first > INT64_MIN && last > INT64_MIN &&
        (last - first) / constant_of(loop->operand[2], 1) < LEAST_ITERATIONS)
        return "";
    return NULL;
}

static void find_loops(struct splitter *s)
{
    uint32_t loops = 0;

    for (struct tile_op *op = s->kernel->body.first; op && s->count < MOST_LOOPS; op = op->next) {
        if (op->kind == TILE_FOR && loops++ < MOST_EXAMINED) {
            struct tile_accumulator *of = NULL;
            const char *why = refusal(s, op, &of);
            if (!why) {
                s->found[s->count].loop = op;
                s->found[s->count++].of = of;
                continue;
            }
            if (*why || !s->why)
                s->why = why;
        }
        if (has_effect(op)) {
            for (const struct tile_op *later = op->next; later && !s->count; later = later->next)
                if (later->kind == TILE_FOR && tile_loads(later))
                    s->why = "an op before it has an effect";
            return;
        }
    }
}

// ---- Scalars

static struct tile_value *two(struct splitter *s, struct tile_op *place, enum tile_op_kind kind,
                              cuc_dtype dtype, struct tile_value *x, struct tile_value *y)
{
    struct tile_type type = tile_scalar(dtype);

    return tile_make_before(s->kernel, place, kind, &type, 2, (struct tile_value *[]){ x, y });
}

static struct tile_value *as(struct splitter *s, struct tile_op *place, cuc_dtype dtype,
                             struct tile_value *x)
{
    struct tile_type type = tile_scalar(dtype);

    return !x || x->type.dtype == dtype
               ? x
               : tile_make_before(s->kernel, place, TILE_CAST, &type, 1, &x);
}

static void find_part(struct splitter *s)
{
    struct tile_type type = tile_scalar(CUC_I64);
    struct tile_op *place = s->found[0].loop;

    s->part = tile_make_before(s->kernel, place, TILE_CLUSTER_RANK, &type, 0, NULL);
    s->parts = tile_make_before(s->kernel, place, TILE_CLUSTER_SIZE, &type, 0, NULL);
}

// Makes the loop take every `parts`-th iteration, starting with number `part`. If it has too few
// iterations, it starts at its end, so that nothing overflows.
static void take_part(struct splitter *s, struct tile_op *loop)
{
    struct tile_value *first = loop->operand[0], *last = loop->operand[1];
    struct tile_type type = first->type;
    struct tile_value *step = as(s, loop, CUC_I64, loop->operand[2]);
    struct tile_value *skipped = two(s, loop, TILE_MUL, CUC_I64, s->part, step);
    struct tile_value *length =
        two(s, loop, TILE_SUB, CUC_I64, as(s, loop, CUC_I64, last), as(s, loop, CUC_I64, first));
    struct tile_value *some = two(s, loop, TILE_GT, CUC_BOOL, length, skipped);
    struct tile_value *from =
        two(s, loop, TILE_ADD, type.dtype, first, as(s, loop, type.dtype, skipped));
    struct tile_value *start = from && some
                                   ? tile_make_before(s->kernel, loop, TILE_WHERE, &type, 3,
                                                      (struct tile_value *[]){ some, from, last })
                                   : NULL;
    struct tile_value *by =
        as(s, loop, type.dtype, two(s, loop, TILE_MUL, CUC_I64, s->parts, step));

    s->failed |= !start || !by;
    if (s->failed)
        return;
    tile_set_operand(loop, 0, start);
    tile_set_operand(loop, 2, by);
}

// ---- Values before the loop

static struct tile_value *identity_of(struct splitter *s, struct tile_op *place,
                                      enum tile_op_kind kind, const struct tile_type *type)
{
    cuc_dtype dtype = type->dtype;
    struct tile_value *one;

    if (tile_is_float(dtype)) // x + -0 is x
        one = tile_make_real_before(s->kernel, place, dtype, kind == TILE_MUL ? 1.0 : -0.0);
    else
        one = tile_make_int_before(s->kernel, place, dtype, kind == TILE_MUL ? 1 : 0);
    return type->rank ? tile_make_before(s->kernel, place, TILE_BROADCAST, type, 1, &one) : one;
}

// Counts a sum's initial values only in the first block. All blocks may count an extremum's initial
// values.
static void start_apart(struct splitter *s, struct tile_op *loop, const struct tile_accumulator *of)
{
    struct tile_value *none = tile_make_int_before(s->kernel, loop, CUC_I64, 0);
    struct tile_value *is_first = two(s, loop, TILE_EQ, CUC_BOOL, s->part, none);

    for (uint32_t i = 0; i < loop->result_count; i++) {
        const struct tile_type *type = &loop->result[i]->type;
        struct tile_type mask = *type;
        mask.dtype = CUC_BOOL;
        if (of[i].op == TILE_MINIMUM || of[i].op == TILE_MAXIMUM || of[i].op == TILE_OR ||
            of[i].op == TILE_AND || (of[i].op == TILE_ADD && tile_is_zero(loop->operand[3 + i])))
            continue;
        struct tile_value *identity = identity_of(s, loop, of[i].op, type);
        struct tile_value *chosen =
            type->rank ? tile_make_before(s->kernel, loop, TILE_BROADCAST, &mask, 1, &is_first)
                       : is_first;
        struct tile_value *start =
            tile_make_before(s->kernel, loop, TILE_WHERE, type, 3,
                             (struct tile_value *[]){ chosen, loop->operand[3 + i], identity });
        s->failed |= !start;
        if (start)
            tile_set_operand(loop, 3 + i, start);
    }
}

// ---- Values after the loop

static struct tile_op *make(struct splitter *s, struct tile_op *place, enum tile_op_kind kind,
                            uint32_t operands, uint32_t results, uint32_t blocks)
{
    struct tile_op *op = tile_op_create(s->kernel, kind, operands, results, blocks);

    s->failed |= !op;
    if (op)
        op->where = place->where;
    return op;
}

static struct tile_value *make_in(struct splitter *s, struct tile_block *block,
                                  const struct tile_op *like, enum tile_op_kind kind,
                                  const struct tile_type *type, uint32_t operands,
                                  struct tile_value *const *operand)
{
    struct tile_op *op = tile_op_create(s->kernel, kind, operands, 1, 0);
    bool all = op && tile_result_create(s->kernel, op, 0, type);

    for (uint32_t i = 0; all && i < operands; i++)
        all = operand[i] != NULL;
    if (!all) {
        s->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < operands; i++)
        tile_set_operand(op, i, operand[i]);
    op->where = like->where;
    tile_append(block, op);
    return op->result[0];
}

static struct tile_value *constant_in(struct splitter *s, struct tile_block *block,
                                      const struct tile_op *like, int64_t number)
{
    struct tile_type type = tile_scalar(CUC_I64);
    struct tile_value *value = make_in(s, block, like, TILE_CONSTANT, &type, 0, NULL);

    if (value)
        tile_set(s->kernel, value->op,
                 (struct tile_attribute){ .key = TILE_ATTR_VALUE, .i = number });
    return value;
}

static void append_plain(struct splitter *s, struct tile_block *block, const struct tile_op *like,
                         enum tile_op_kind kind)
{
    struct tile_op *op = tile_op_create(s->kernel, kind, 0, 0, 0);

    s->failed |= !op;
    if (!op)
        return;
    op->where = like->where;
    tile_append(block, op);
}

static struct tile_value *expanded(struct splitter *s, struct tile_block *block,
                                   const struct tile_op *like, struct tile_value *x,
                                   const struct tile_type *to)
{
    struct tile_type type = *to;

    if (!x || tile_shape_same(&x->type, to))
        return x;
    type.dtype = x->type.dtype;
    return make_in(s, block, like, TILE_BROADCAST, &type, 1, &x);
}

// Returns sum exp(m - M), which rescales a sum from the running maximum m to M. A block without
// iterations has no maximum and no sum. Where m equals M, the sum stays unchanged. Where m is -inf
// and M is not, the result is 0, even if the sum is NaN.
static struct tile_value *rescaled(struct splitter *s, struct tile_block *block,
                                   struct tile_op *like, const struct tile_accumulator *a,
                                   struct tile_value *sum, struct tile_value *m,
                                   struct tile_value *maximum)
{
    const struct tile_type *type = &sum->type;
    struct tile_type small = m->type, truth = m->type, mask = *type;
    struct tile_value *factor = a->exponent;

    truth.dtype = mask.dtype = CUC_BOOL;
    struct tile_value *less =
        make_in(s, block, like, TILE_SUB, &small, 2, (struct tile_value *[]){ m, maximum });
    struct tile_value *least = tile_make_real_before(s->kernel, like, small.dtype, -INFINITY);
    struct tile_value *none =
        make_in(s, block, like, TILE_EQ, &truth, 2,
                (struct tile_value *[]){ m, expanded(s, block, like, least, &small) });
    struct tile_value *same =
        make_in(s, block, like, TILE_EQ, &truth, 2, (struct tile_value *[]){ m, maximum });
    if (factor && factor->op && factor->op->kind == TILE_CONSTANT) {
        struct tile_value *copy = make_in(s, block, like, TILE_CONSTANT, &factor->type, 0, NULL);
        for (uint32_t i = 0; copy && i < factor->op->attribute_count; i++)
            tile_set(s->kernel, copy->op, factor->op->attribute[i]);
        factor = copy;
    }
    if (factor)
        less = make_in(s, block, like, TILE_MUL, &small, 2,
                       (struct tile_value *[]){ less, expanded(s, block, like, factor, &small) });
    struct tile_value *fade = make_in(s, block, like, a->power, &small, 1, &less);
    struct tile_value *product =
        make_in(s, block, like, TILE_MUL, type, 2,
                (struct tile_value *[]){ sum, expanded(s, block, like, fade, type) });
    struct tile_value *zero = tile_make_real_before(s->kernel, like, type->dtype, 0.0);
    product = make_in(s, block, like, TILE_WHERE, type, 3,
                      (struct tile_value *[]){ expanded(s, block, like, none, &mask),
                                               expanded(s, block, like, zero, type), product });
    same = expanded(s, block, like, same, &mask);
    return make_in(s, block, like, TILE_WHERE, type, 3,
                   (struct tile_value *[]){ same, sum, product });
}

// Combines the accumulated values of two blocks.
static void combine(struct splitter *s, struct tile_block *block, struct tile_op *loop,
                    const struct tile_accumulator *of, struct tile_value *const *x,
                    struct tile_value *const *y, struct tile_value **out)
{
    for (uint32_t i = 0; i < loop->result_count; i++)
        out[i] = NULL;
    for (uint32_t i = 0; i < loop->result_count; i++) {
        if (of[i].scaled)
            continue;
        out[i] = make_in(s, block, loop, of[i].op, &x[i]->type, 2,
                         (struct tile_value *[]){ x[i], y[i] });
        if (out[i] && of[i].nan)
            tile_set(s->kernel, out[i]->op,
                     (struct tile_attribute){ .key = TILE_ATTR_NAN, .i = 1 });
    }
    for (uint32_t i = 0; i < loop->result_count && !s->failed; i++) {
        uint32_t m = of[i].maximum;
        if (!of[i].scaled)
            continue;
        struct tile_value *both[] = {
            rescaled(s, block, loop, &of[i], x[i], x[m], out[m]),
            rescaled(s, block, loop, &of[i], y[i], y[m], out[m]),
        };
        out[i] = make_in(s, block, loop, TILE_ADD, &x[i]->type, 2, both);
    }
}

static void join(struct splitter *s, struct tile_op *loop, const struct tile_accumulator *of,
                 bool last)
{
    uint32_t n = loop->result_count;
    struct tile_op *next = loop->next;
    struct tile_value *one = tile_make_int_before(s->kernel, next, CUC_I64, 1);
    struct tile_value *several = two(s, next, TILE_GT, CUC_BOOL, s->parts, one);
    struct tile_op *choice = make(s, loop, TILE_IF, 1, n, 2), *each = NULL, *end[3];
    struct tile_value *own[MOST_CARRIED], *sum[MOST_CARRIED], *peer[MOST_CARRIED];
    struct tile_value *all[MOST_CARRIED];

    for (uint32_t i = 0; choice && i < 2; i++)
        s->failed |= !(choice->block[i] = tile_block_create(s->kernel, choice, 0));
    if (s->failed || !several)
        return;
    tile_set_operand(choice, 0, several);
    struct tile_block *yes = choice->block[0];
    for (uint32_t i = 0; i < n; i++) {
        struct tile_value *result =
            tile_result_create(s->kernel, choice, i, &loop->result[i]->type);
        if (!result)
            return;
        result->name = loop->result[i]->name;
        tile_replace(loop->result[i], result, NULL);
    }
    for (uint32_t i = 0; i < n; i++)
        own[i] = make_in(s, yes, loop, TILE_SHARE, &loop->result[i]->type, 1, &loop->result[i]);
    append_plain(s, yes, loop, TILE_MEET);
    if (last)
        append_plain(s, yes, loop, TILE_LEAVE);
    struct tile_value *number[2];
    for (uint32_t i = 0; i < 2; i++)
        number[i] = constant_in(s, yes, loop, i);
    for (uint32_t i = 0; i < n && !s->failed; i++)
        sum[i] = make_in(s, yes, loop, TILE_PEER, &own[i]->type, 2,
                         (struct tile_value *[]){ own[i], number[0] });
    each = s->failed ? NULL : make(s, loop, TILE_FOR, 3 + n, n, 1);
    if (!each || !(each->block[0] = tile_block_create(s->kernel, each, 1 + n)))
        return;
    tile_set_operand(each, 0, number[1]);
    tile_set_operand(each, 1, s->parts);
    tile_set_operand(each, 2, number[1]);
    struct tile_value *turn = tile_argument_create(s->kernel, each->block[0], 0, &s->parts->type);
    for (uint32_t i = 0; i < n; i++) {
        tile_set_operand(each, 3 + i, sum[i]);
        sum[i] = tile_argument_create(s->kernel, each->block[0], 1 + i, &own[i]->type);
        s->failed |= !sum[i] || !turn || !tile_result_create(s->kernel, each, i, &own[i]->type);
    }
    for (uint32_t i = 0; i < n && !s->failed; i++)
        peer[i] = make_in(s, each->block[0], loop, TILE_PEER, &own[i]->type, 2,
                          (struct tile_value *[]){ own[i], turn });
    if (s->failed)
        return;
    combine(s, each->block[0], loop, of, sum, peer, all);
    end[0] = make(s, loop, TILE_CONTINUE, n, 0, 0);
    end[1] = make(s, loop, TILE_YIELD, n, 0, 0);
    end[2] = make(s, loop, TILE_YIELD, n, 0, 0);
    if (s->failed)
        return;
    for (uint32_t i = 0; i < n; i++) {
        tile_set_operand(end[0], i, all[i]);
        tile_set_operand(end[1], i, each->result[i]);
        tile_set_operand(end[2], i, loop->result[i]);
    }
    tile_append(each->block[0], end[0]);
    tile_append(yes, each);
    if (last || !s->roles)
        append_plain(s, yes, loop, TILE_PEERS_READ);
    tile_append(yes, end[1]);
    tile_append(choice->block[1], end[2]);
    tile_insert_before(next, choice);
}

uint32_t tile_split_loops(struct tile_kernel *kernel, const struct tile_target *target,
                          uint32_t warps, bool *flexible, const char **why)
{
    struct splitter s = { .kernel = kernel, .threads = 32 * warps };

    *flexible = target->split == 0;
    *why = "";
    if (tile_has_products(kernel)) // tile_compile_roles() has split it if it can be split
        return 0;
    kernel->may_split = kernel->splits = false;
    if (target->split == 1)
        return 0;
    find_loops(&s);
    *why = !s.count && s.why ? s.why : "";
    if (!s.count && !**why && target->split > 1)
        *why = "no loop carries values, loads and has 16 iterations or more";
    if (!s.count || kernel->keeps_order || !tile_has(target, TILE_HAS_CLUSTERS)) {
        if (s.count)
            *why = kernel->keeps_order ? "its blocks may wait for earlier blocks"
                                       : "the target has no clusters";
        return 0;
    }
    s.exact = true;
    for (uint32_t i = 0; i < s.count; i++)
        for (uint32_t n = 0; n < s.found[i].loop->result_count; n++)
            s.exact &= s.found[i].of[n].exact;
    kernel->may_split = !s.exact;
    if (*flexible && !s.exact) {
        *why = "their number would change its rounding: set split";
        return 0;
    }
    find_part(&s);
    for (uint32_t i = 0; i < s.count && !s.failed; i++) {
        take_part(&s, s.found[i].loop);
        start_apart(&s, s.found[i].loop, s.found[i].of);
        join(&s, s.found[i].loop, s.found[i].of, i + 1 == s.count);
    }
    tile_renumber(kernel);
    tile_simplify(kernel);
    kernel->splits = !s.failed;
    return s.failed ? 0 : *flexible ? TILE_PORTABLE_PARTS : target->split;
}

// Splits the loops before the one with products.
static void split_before(struct splitter *s, const struct tile_op *loop)
{
    for (struct tile_op *op = s->kernel->body.first, *next; op != loop && !s->failed; op = next) {
        struct tile_accumulator *of = NULL;
        next = op->next;
        if (op->kind != TILE_FOR || refusal(s, op, &of))
            continue;
        take_part(s, op);
        start_apart(s, op, of);
        join(s, op, of, false);
    }
}

bool tile_join_loop(struct tile_kernel *kernel, struct tile_op *loop,
                    const struct tile_accumulator *of, uint32_t warps, uint32_t parts)
{
    struct splitter s = { .kernel = kernel, .threads = 32 * warps, .roles = true };
    struct tile_type type = tile_scalar(CUC_I64);

    if (loop->result_count > MOST_CARRIED)
        return false;
    s.part = tile_make_before(kernel, kernel->body.first, TILE_CLUSTER_RANK, &type, 0, NULL);
    s.parts = tile_make_int_before(kernel, kernel->body.first, CUC_I64, parts);
    split_before(&s, loop);
    start_apart(&s, loop, of);
    join(&s, loop, of, true);
    tile_renumber(kernel);
    tile_simplify(kernel);
    kernel->parts = s.failed ? 0 : parts;
    return !s.failed;
}
