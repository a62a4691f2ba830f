// Plans the pipeline of a loop with several matrix products, or with other work between products
// (fused.h).
//
// In a product a @ b, b comes from shared memory, and a from shared memory or registers. A wgmma
// accumulator has the layout of a 16-bit a, so values computed elementwise from an accumulator feed
// the next product in place. An 8-bit a has another layout; if the program exchanges columns within
// every 16, threads hold the same elements in both.
#include "fused.h"
#include "gather.h"

#include "pass.h"
#include "tile/ir/layout.h"
#include "tile/ir/words.h"
#include "tile/ir/scalar.h"
#include "tile/layout/fragment.h"
#include "tile/layout/wgmma.h"
#include "tile/signature/signature.h"

#include <string.h>

enum {
    MOST_COLUMNS = 256,   // columns of one wgmma
    MOST_REGISTERS = 208, // per thread, for accumulators and a
    MOST_OF_THREE = 136,
    OF_GATHERING = 16, // registers for rows that a gathering thread has anyway
    MOST_LENT = 4,
    MOST_LENT_BY_THREE = 2,
    MOST_OF_THREE_SLICES =
        80, // registers up to which three warpgroups, not two, take iterations in turn
    MOST_COLUMNS_OF_SLICES = 64,
    MOST_DOUBLED = 256,  // registers per thread of a doubled loop, times warpgroups; linked code
                         // gives every role the same number of registers (C7504)
    MOST_AHEAD = 4,      // elements per thread to load ahead; larger tiles get a ring if there is
                         // room
    MOST_SMALL_BITS = 8, // log2 of the largest tile that the copying warp's lanes copy
    SMALL_ALIGN = 16,
    MOST_STAGES = 8,
    MOST_UNPROMOTED = 128,   // most products of 8-bit floats to add up in a wgmma accumulator
    MOST_OF_TWO_LEFTS = 176, // registers up to which a computed a has two sets of them
    MOST_KEPT = 192,         // registers up to which operands a are kept in registers
    NARROW = 64,             // columns up to which a wgmma reads as much of a as of b
    ALTERNATING_BYTES = 256, // warpgroups alternate if a row of the last product's b has fewer, or
                             // if several products start early
};

static const char too_deep[] =
    "sums of 8-bit floats need promotion, for which a product is at most "
    "128 deep, and starts from zero or overlaps the next iteration";

static const char *add_product(struct tile_kernel *kernel, struct tile_fused *p,
                               const struct tile_op *mma)
{
    enum { STEP_BYTES = 32 };
    struct tile_fused_product *product = &p->product[p->products];
    const struct tile_type *acc = &mma->result[0]->type;
    cuc_dtype dtype = mma->operand[0]->type.dtype;
    const struct tile_wgmma *how = tile_wgmma_of(dtype);
    const char *why;

    if (p->products++ == TILE_MOST_PRODUCTS)
        return "the loop has more than 6 products";
    if (acc->rank != 2)
        return "it has batches";
    if (dtype == CUC_F32)
        return tile_int(mma, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32
                   ? "its operands are f32, and the loop does other work: declare the tensors tf32"
                   : "its operands are f32, and its precision is not tf32";
    if (!how || how->accumulator != acc->dtype)
        return "wgmma does not support its dtypes";
    product->mma = mma;
    product->columns = (uint32_t)acc->extent[1];
    product->depth = (uint32_t)mma->operand[0]->type.extent[1];
    product->from_zero = tile_is_zero(mma->operand[2]);
    product->promotes = how->promotes && !tile_int(mma, TILE_ATTR_FAST_ACC, 0) &&
                        !product->from_zero;
    if (how->promotes && !tile_int(mma, TILE_ATTR_FAST_ACC, 0) && product->depth > MOST_UNPROMOTED)
        return too_deep;
    if (product->columns % (how->signs ? 8 : 16) || product->columns > MOST_COLUMNS)
        return "its columns are not a multiple of 8, or more than 256";
    if (product->depth * tile_bytes_of(dtype) % STEP_BYTES)
        return "its stages are not a multiple of 32 bytes deep";
    product->feed[0] = tile_find_feed(kernel, p, product, 0, &why);
    if (!product->feed[0] && tile_bytes_of(dtype) > 2)
        return why;
    if (!product->feed[0] && how->either_major)
        product->feed[0] = tile_computed_feed(p, product, 0);
    product->feed[1] = tile_find_feed(kernel, p, product, 1, &why);
    if (!product->feed[1] && how->either_major)
        product->feed[1] = tile_computed_feed(p, product, 1);
    return product->feed[1] ? NULL : why;
}

// ---- The loop

struct search {
    const struct tile_kernel *kernel;
    const struct tile_op *loop;
    uint32_t count;
    const char *refused; // reason why an op is not allowed in an iteration
};

static void count_product(struct tile_op *op, void *data)
{
    struct search *s = data;

    s->count += op->kind == TILE_MMA;
}

// True for a store_add() and the like to a tensor that nothing else in the kernel touches. The
// kernel must write other tensors too, because the launch then checks that its tensors do not
// overlap (select.c).
static bool only_adds_to_memory(const struct search *s, const struct tile_op *op)
{
    const struct tile_value *tensor = op->operand[0];
    uint64_t written = tile_written_parameters(s->kernel);

    return op->kind == TILE_STORE_REDUCE && op->parent == s->loop->block[0] && !tensor->op &&
           tensor->uses == 1 && written & (written - 1);
}

static void check_work(struct tile_op *op, void *data)
{
    struct search *s = data;

    if ((tile_op_infos[op->kind].traits & TILE_WRITES && !only_adds_to_memory(s, op)) ||
        tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        s->refused = "the loop has stores, prints or accesses in an order";
    else if (op->kind == TILE_FOR || op->kind == TILE_LOOP)
        s->refused = "the loop has another loop in it";
    else if (op->kind == TILE_BREAK || op->kind == TILE_RETURN ||
             (op->kind == TILE_CONTINUE && op->parent->parent->kind == TILE_IF))
        s->refused = "the loop has a break, continue or return";
}

// Returns the first loop in the kernel's body that directly contains a product, or NULL.
static const struct tile_op *loop_with_product(const struct tile_kernel *kernel)
{
    for (const struct tile_op *loop = kernel->body.first; loop; loop = loop->next)
        for (const struct tile_op *op = loop->kind == TILE_FOR ? loop->block[0]->first : NULL; op;
             op = op->next)
            if (op->kind == TILE_MMA)
                return loop;
    return NULL;
}

const char tile_others_outside[] =
    "it is before the loop with the other products, or in a loop or branch behind it";

struct outside {
    const struct tile_op *loop, *mma;
};

// True for an op of the kernel's body after a loop. A product there is emitted with the epilogue.
static bool is_behind(const struct tile_op *op, const struct tile_op *loop)
{
    while (loop && loop != op)
        loop = loop->next;
    return loop;
}

static void find_outside(struct tile_op *op, void *data)
{
    struct outside *s = data;

    if (op->kind == TILE_MMA && !s->mma && !tile_is_within(op, s->loop->block[0]) &&
        !is_behind(op, s->loop))
        s->mma = op;
}

const struct tile_op *tile_product_outside(const struct tile_kernel *kernel)
{
    struct outside s = { loop_with_product(kernel), NULL };

    if (s.loop)
        tile_walk((struct tile_block *)(uintptr_t)&kernel->body, find_outside, &s);
    return s.mma;
}

static const char *find_loop(struct tile_kernel *kernel, struct tile_fused *p)
{
    struct search s = { .kernel = kernel };
    const struct tile_op *loop = loop_with_product(kernel);

    tile_walk(&kernel->body, count_product, &s);
    if (!s.count)
        return "";
    if (!loop || loop->block[0]->last->kind != TILE_CONTINUE)
        return tile_not_in_loop;
    p->base.loop = loop;
    const char *late = tile_check_before(kernel, &p->base, loop, true);
    if (late)
        return late;
    s.loop = loop;
    tile_walk(loop->block[0], check_work, &s);
    if (s.refused)
        return s.refused;
    for (uint32_t i = 0; i < 3; i++)
        if (!tile_fused_need(p, loop->operand[i]))
            return "the loop's bounds are not computed from scalars alone";
    tile_share_operands(loop);
    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next) {
        s.count -= op->kind == TILE_MMA;
        const char *why = op->kind == TILE_MMA ? add_product(kernel, p, op) : NULL;
        if (why)
            return why;
    }
    for (const struct tile_op *op = loop->next; op; op = op->next)
        s.count -= op->kind == TILE_MMA;
    if (s.count)
        return tile_others_outside;
    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next) {
        bool reads = op->result_count && tile_op_infos[op->kind].traits & TILE_READS;
        const char *why = reads ? tile_find_read(p, op) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

const struct tile_value *tile_fused_carried_in(const struct tile_op *loop,
                                               const struct tile_op *mma)
{
    const struct tile_op *end = loop->block[0]->last;

    for (uint32_t i = 0; i < end->operand_count; i++)
        if (end->operand[i] == mma->result[0] && mma->result[0]->uses == 1)
            return loop->block[0]->argument[1 + i];
    return NULL;
}

static bool is_between(const struct tile_op *mma, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    return op && op->parent == mma->parent && value->uses == 1 &&
           (op->kind == TILE_CAST || op->kind == TILE_RESHAPE || op->kind == TILE_PERMUTE ||
            op->kind == TILE_CONVERT);
}

const struct tile_value *tile_fused_source_of_left(const struct tile_op *mma)
{
    const struct tile_value *value = mma->operand[0];

    while (is_between(mma, value))
        value = value->op->operand[0];
    return value;
}

bool tile_fused_forms_left(const struct tile_op *mma, const struct tile_op *op)
{
    const struct tile_value *value = mma->operand[0];

    while (is_between(mma, value) && value->op != op)
        value = value->op->operand[0];
    return value->op == op && is_between(mma, value);
}

bool tile_only_adds(const struct tile_fused *p, uint32_t number)
{
    const struct tile_op *mma = p->product[number].mma;

    return mma->operand[2]->uses == 1 &&
           tile_fused_carried_in(p->base.loop, mma) == mma->operand[2];
}

// True if a product has only operands that are loaded.
static bool is_of_loads(const struct tile_fused_product *product)
{
    return product->feed[0] && !product->feed[0]->computed && !product->feed[1]->computed;
}

static bool is_plain_last(const struct tile_fused *p)
{
    const struct tile_fused_product *last = &p->product[p->products - 1];

    return tile_fused_carried_in(p->base.loop, last->mma) && (p->products > 1 || !last->feed[0]) &&
           (!last->feed[1]->computed || p->products == 1) &&
           (!last->feed[0] || !last->feed[0]->computed);
}

// True if the last products can overlap the next iteration's work: all other products have only
// streamed operands, so that they can start early. A single product qualifies if the loop carries
// its accumulator, but alone in its loop only if its operand a is computed.
static bool can_overlap(struct tile_fused *p)
{
    p->early = 0;
    while (p->early + 1 < p->products && is_of_loads(&p->product[p->early]) &&
           p->product[p->early].from_zero)
        p->early++;
    uint32_t late = p->products - p->early;
    if (late == 1 && is_plain_last(p))
        return true;
    for (uint32_t i = p->early; i < p->products && p->early; i++)
        if (!tile_only_adds(p, i))
            return false;
    return p->early && late > 1;
}

// True for a scalar that is determined by the loop variable and values from before the loop.
bool tile_depends_on_variable(const struct tile_fused *p, const struct tile_value *value)
{
    const struct tile_op *op = value->op, *loop = p->base.loop;

    if (value->type.tensor)
        return !op;
    if (!op)
        return !value->block || value == loop->block[0]->argument[0];
    if (!tile_is_within(op, loop->block[0]))
        return true;
    if (value->type.rank || !tile_is_recomputable(op))
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tile_depends_on_variable(p, op->operand[i]))
            return false;
    return true;
}

bool tile_is_loaded_ahead(const struct tile_fused *p, const struct tile_op *op)
{
    if ((op->kind != TILE_LOAD && op->kind != TILE_LOAD_AT) || op->operand[0]->op ||
        op->result[0]->type.dtype == CUC_BOOL || op->parent != p->base.loop->block[0])
        return false;
    if (tile_feed_of(p, op) || p->base.only_streamed[op->result[0]->id])
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i]->type.rank && !op->operand[i]->type.tensor)
            return false; // each element has its own padding value
        else if (!tile_depends_on_variable(p, op->operand[i]))
            return false;
    return true;
}

// True if the next iteration's products can overlap the work on this iteration's results, and the
// registers can hold both.
static bool can_double(const struct tile_fused *p)
{
    const struct tile_op *loop = p->base.loop;
    uint32_t registers = 0;

    for (uint32_t i = 0; i < p->products; i++) {
        if (!is_of_loads(&p->product[i]) || !p->product[i].from_zero)
            return false;
        registers += 2 * (p->product[i].columns / 2 * p->base.blocks);
    }
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].reader)
            return false;
    for (uint32_t i = 0; i < loop->result_count; i++)
        registers += (uint32_t)(tile_elements(&loop->result[i]->type) *
                                cuc_dtype_bits(loop->result[i]->type.dtype) / 32 /
                                (p->base.groups * 128));
    return registers <= MOST_DOUBLED / p->base.groups;
}

// True if all products have only loaded operands, and the loop carries each product's accumulator
// for that product alone.
static bool can_chain(const struct tile_fused *p)
{
    for (uint32_t i = 0; i < p->products; i++)
        if (!is_of_loads(&p->product[i]) || !tile_only_adds(p, i))
            return false;
    return true;
}

// ---- Layouts and space

// Returns the number of warp bits in layouts. Layouts for three warpgroups include a fourth one,
// whose rows are padding.
static uint32_t warp_bits_of(const struct tile_fused *p)
{
    return p->base.groups == 1 ? 2 : p->base.groups == 2 ? 3 : 4;
}

// Plans products after the loop with mma.sync. Warps keep their rows of the accumulators.
static const char *plan_products_behind(struct tile_kernel *kernel, const struct tile_fused *p,
                                        const struct tile_target *target)
{
    uint32_t threads = p->base.groups * TILE_GROUP_THREADS, warp_bits = warp_bits_of(p);

    for (struct tile_op *op = p->base.loop->next; op; op = op->next) {
        if (op->kind != TILE_MMA)
            continue;
        struct tile_value *value = op->result[0];
        if (p->base.groups == 3)
            return "there are others behind it, and three warpgroups";
        if (tile_elements(&value->type) > (int64_t)MOST_REGISTERS * threads)
            return "accumulators behind it do not fit in registers";
        struct tile_layout *layout = tile_take(kernel->module, sizeof(*layout));
        if (!layout)
            return "";
        if (!tile_layout_wgmma(layout, &value->type, warp_bits)) {
            if (!tile_fragment_of(op, target))
                continue;
            *layout = tile_layout_fragment(&value->type, warp_bits, true);
        }
        value->layout = layout;
    }
    return NULL;
}

// True if warpgroups can share the 64 rows of a product, whose other operand they divide by
// columns.
static bool can_share_rows(const struct tile_fused *p, const struct tile_fused_product *product)
{
    const struct tile_type *type = &product->mma->result[0]->type;

    return p->base.groups == 2 && p->base.blocks == 1 && type->extent[0] == 64 &&
           type->extent[1] % 16 == 0 && !(type->extent[1] & (type->extent[1] - 1)) &&
           product->feed[0] && product->from_zero;
}

typedef bool (*layout_function)(struct tile_layout *layout, const struct tile_type *type,
                                uint32_t warp_bits);

static bool give_layout(struct tile_kernel *kernel, const struct tile_fused *p,
                        struct tile_value *value, layout_function lay_out)
{
    struct tile_layout *layout = tile_take(kernel->module, sizeof(*layout));

    value->layout = layout;
    return layout && lay_out(layout, &value->type, warp_bits_of(p));
}

bool tile_lay_out_computed(const struct tile_fused *p, const struct tile_feed *feed,
                           struct tile_layout *layout)
{
    layout_function lay_out = feed->by_columns ? tile_layout_wgmma_columns : tile_layout_wgmma;

    if (feed->by_columns && (p->base.groups == 3 || feed->computed->type.extent[1] < 32))
        return false;
    return lay_out(layout, &feed->computed->type, warp_bits_of(p));
}

// True if a value is computed from a product's result in the same iteration. `seen` has a flag for
// each value.
static bool is_computed_from(const struct tile_fused *p, const struct tile_value *value,
                             const struct tile_value *result, bool *seen)
{
    const struct tile_op *op = value->op;

    if (value == result)
        return true;
    if (!op || seen[value->id] || !tile_is_within(op, p->base.loop->block[0]))
        return false;
    seen[value->id] = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_computed_from(p, op->operand[i], result, seen))
            return true;
    for (uint32_t n = 0; n < op->block_count; n++) // an `if` yields its results
        for (uint32_t i = 0; i < op->block[n]->last->operand_count; i++)
            if (is_computed_from(p, op->block[n]->last->operand[i], result, seen))
                return true;
    return false;
}

// Returns the number of products that precede an op in an iteration.
static uint32_t products_before(const struct tile_fused *p, const struct tile_op *op)
{
    uint32_t count = 0;

    while (op->parent != p->base.loop->block[0])
        op = op->parent->parent;
    for (const struct tile_op *at = p->base.loop->block[0]->first; at && at != op; at = at->next)
        count += at->kind == TILE_MMA;
    return count;
}

// Returns the number of products that precede the op which forms a product's operand, or 0 if the
// operand is loaded or comes from outside the iteration.
static uint32_t formed_behind(const struct tile_fused *p, uint32_t number, uint32_t which)
{
    const struct tile_fused_product *product = &p->product[number];
    const struct tile_feed *feed = product->feed[which];
    const struct tile_value *value = feed ? feed->computed : product->mma->operand[which];

    return value && value->op && tile_is_within(value->op, p->base.loop->block[0])
               ? products_before(p, value->op)
               : 0;
}

// Returns the number of products that have started when the last operand is formed that is computed
// from product `from`'s result, or the number of products if there is none.
static uint32_t last_taker(const struct tile_kernel *kernel, const struct tile_fused *p,
                           uint32_t from)
{
    const struct tile_value *result = p->product[from].mma->result[0];
    uint32_t last = 0;

    for (uint32_t i = from + 1; i < p->products; i++)
        for (uint32_t which = 0; which < 2; which++) {
            bool *seen = tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*seen));
            if (!seen || !is_computed_from(p, p->product[i].mma->operand[which], result, seen))
                continue;
            uint32_t formed = formed_behind(p, i, which);
            last = formed > last ? formed : last;
        }
    return last ? last : p->products;
}

// True if a later product goes on in the accumulators of a product, whose result nothing else uses.
static bool goes_on(const struct tile_fused *p, uint32_t number)
{
    const struct tile_value *result = p->product[number].mma->result[0];

    for (uint32_t i = number + 1; i < p->products; i++)
        if (result->uses == 1 && p->product[i].mma->operand[2] == result)
            return true;
    return false;
}

// Returns the registers per thread for the products' results and computed operands a. Unless
// products overlap, a result that starts at zero is needed until the last operand is formed that is
// computed from it. The first such operand is formed beside it, and an operand is needed while its
// product runs.
static uint32_t count_registers(const struct tile_kernel *kernel, const struct tile_fused *p)
{
    uint32_t most = 0, all = 0, last[TILE_MOST_PRODUCTS], formed[TILE_MOST_PRODUCTS],
             result[TILE_MOST_PRODUCTS], operand[TILE_MOST_PRODUCTS];

    for (uint32_t i = 0; i < p->products; i++) {
        const struct tile_fused_product *product = &p->product[i];
        uint32_t bytes = tile_bytes_of(product->mma->operand[0]->type.dtype);
        last[i] = product->from_zero ? last_taker(kernel, p, i) : p->products;
        formed[i] = formed_behind(p, i, 0);
        operand[i] = product->feed[0] ? 0 : product->depth * bytes / 8;
        result[i] = goes_on(p, i) ? 0 : product->columns / 2 * (product->promotes ? 2 : 1);
        all += result[i] + operand[i];
    }
    for (uint32_t now = 0; now < p->products; now++) {
        uint32_t registers = 0, next = 0;
        for (uint32_t i = 0; i < p->products; i++) {
            if (!p->product[i].from_zero || (i <= now && now < last[i]))
                registers += result[i];
            if (formed[i] <= now && (i >= now || formed[now] <= i))
                registers += operand[i];
            else if (formed[i] == now + 1 && operand[i] > next)
                next = operand[i];
        }
        most = registers + next > most ? registers + next : most;
    }
    return (p->overlaps ? all : most) * p->base.blocks;
}

uint32_t tile_lent_registers(const struct tile_fused *p)
{
    bool three = tile_all_groups(&p->base) == 3;
    uint32_t registers = 0;

    for (uint32_t i = 0; i < p->feeds; i++)
        registers += tile_gather_registers(&p->feed[i].stream);
    uint32_t lent = (registers + OF_GATHERING - 1) / OF_GATHERING;
    uint32_t most = three ? MOST_LENT_BY_THREE : MOST_LENT;
    lent = lent > most ? most : lent;
    return lent ? lent - !three : 0;
}

// Keeps operands a in registers that are loaded once for each tile, if the registers suffice. A
// wgmma of few columns otherwise reads a as often as b, and shared memory cannot deliver both while
// the ring is filled.
static void keep_left(struct tile_fused *p, uint32_t most)
{
    for (uint32_t i = 0; i < p->products; i++) {
        struct tile_fused_product *product = &p->product[i];
        const struct tile_feed *feed = product->feed[0];
        uint32_t bytes = tile_bytes_of(product->mma->operand[0]->type.dtype);
        uint32_t registers = product->depth * bytes / 8;
        product->keeps_left = feed && feed->held && !product->mn_major[0] &&
                              !product->shares_rows && product->columns <= NARROW &&
                              p->base.blocks == 1 && p->registers + registers <= most;
        p->registers += product->keeps_left ? registers : 0;
    }
}

// Gives the computed operand a of a lone product a second set of registers, if they suffice.
// Without it, the last step of computing a would wait for the previous product.
static void plan_two_lefts(struct tile_fused *p, uint32_t most)
{
    const struct tile_fused_product *product = &p->product[0];
    uint32_t words = p->base.blocks * product->depth *
                     tile_bytes_of(product->mma->operand[0]->type.dtype) / 8;

    p->two_lefts = p->overlaps && p->products == 1 && !product->feed[0] &&
                   !product->feed[1]->computed && p->registers + words <= most;
    if (p->two_lefts)
        p->registers += words;
}

static const char *plan_rows(struct tile_kernel *kernel, struct tile_fused *p,
                             const struct tile_target *target)
{
    int32_t rows = p->product[0].mma->result[0]->type.extent[0];

    if (rows != 64 && rows != 128 && rows != 192 && rows != 256)
        return "its rows are not 64, 128, 192 or 256";
    p->base.groups = tile_groups_for(rows);
    p->base.blocks = (uint32_t)rows / 64 / p->base.groups;
    for (uint32_t i = 0; i < p->products; i++) {
        struct tile_fused_product *product = &p->product[i];
        int32_t own_rows = product->mma->result[0]->type.extent[0];
        product->shares_rows = own_rows != rows && can_share_rows(p, product);
        product->columns = (uint32_t)product->mma->result[0]->type.extent[1];
        if (product->shares_rows)
            product->columns /= p->base.groups;
        else if (own_rows != rows)
            return "products have different rows";
    }
    p->registers = count_registers(kernel, p);
    uint32_t most = p->base.groups == 3 ? MOST_OF_THREE : MOST_REGISTERS;
    uint32_t lent = p->base.groups > 1 ? 8 * tile_lent_registers(p) : 0;
    if (p->registers + lent > most)
        return "accumulators do not fit in registers";
    keep_left(p, (most < MOST_KEPT ? most : MOST_KEPT) - lent);
    plan_two_lefts(p, (most < MOST_OF_TWO_LEFTS ? most : MOST_OF_TWO_LEFTS) - lent);
    for (uint32_t i = 0; i < p->products; i++) {
        const struct tile_fused_product *product = &p->product[i];
        if (!give_layout(kernel, p, product->mma->result[0],
                         product->shares_rows ? tile_layout_wgmma_columns : tile_layout_wgmma) ||
            (!product->feed[0] &&
             !give_layout(kernel, p, product->mma->operand[0], tile_layout_wgmma_left)))
            return "its accumulators are not made of whole blocks";
    }
    for (uint32_t i = 0; i < p->feeds; i++) {
        struct tile_feed *feed = &p->feed[i];
        struct tile_layout *layout = feed->computed ? tile_take(kernel->module, sizeof(*layout))
                                                    : NULL;
        if (!feed->computed)
            continue;
        feed->by_columns = feed->computed->type.extent[0] % (64 * (int32_t)p->base.groups) != 0;
        if (!layout || !tile_lay_out_computed(p, feed, layout))
            return "a computed operand is not made of whole blocks";
        ((struct tile_value *)(uintptr_t)feed->computed)->layout = layout;
    }
    return plan_products_behind(kernel, p, target);
}

// Returns the last product whose result has this shape and is divided by rows, or NULL.
static const struct tile_op *product_like(const struct tile_fused *p, const struct tile_type *type)
{
    const struct tile_op *mma = NULL;

    for (uint32_t i = 0; i < p->products; i++)
        if (!p->product[i].shares_rows &&
            tile_shape_same(type, &p->product[i].mma->result[0]->type))
            mma = p->product[i].mma;
    return mma;
}

// True if a store's tile is shaped like a product's result, or like the only product's result
// transposed.
static bool is_stored_like_product(const struct tile_fused *p, const struct tile_op *store)
{
    const struct tile_value *x = store->operand[store->operand_count - 1];
    const struct tile_type *sums = &p->base.mma->result[0]->type;

    if (tile_is_turned(x))
        return p->products == 1 && x->type.rank == 2 && x->type.extent[0] == sums->extent[1] &&
               x->type.extent[1] == sums->extent[0];
    return product_like(p, &x->type);
}

// Plans the last store of a tile shaped like a product's result as a TMA store. The launch checks
// that the other stores go to different memory (select.c).
static void plan_store(struct tile_fused *p)
{
    const struct tile_op *store = NULL;

    for (struct tile_op *op = p->base.loop->next; op; op = op->next) {
        if (op->kind == TILE_MEET || op->kind == TILE_LEAVE || op->kind == TILE_PEERS_READ)
            continue; // blocks of a cluster combine their results
        if (op->block_count
                ? store || tile_has_effect(op)
                : tile_op_infos[op->kind].traits & TILE_WRITES && op->kind != TILE_STORE)
            return;
        if (op->kind == TILE_STORE && is_stored_like_product(p, op))
            store = op;
    }
    if (!store || tile_int(store, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK ||
        p->base.maps == TILE_MAX_MAPS)
        return;
    const struct tile_value *tensor = store->operand[0],
                            *x = store->operand[store->operand_count - 1];
    const struct tile_attribute *shape = tile_attribute(store, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(store, TILE_ATTR_DROPPED, 0);
    if (tile_is_turned(x)) {
        (void)tile_plan_turned_store(&p->base, store);
        return;
    }
    if (tensor->op || tensor->type.rank > TILE_MAP_RANK || dropped >> (shape->count - 1) & 1 ||
        (x->type.dtype != CUC_F16 && x->type.dtype != CUC_BF16 && x->type.dtype != CUC_F32) ||
        (uint32_t)x->type.extent[1] * tile_bytes_of(x->type.dtype) % TILE_SLAB_LINE)
        return;
    if (!tile_slab_box(store, 1, (uint32_t[TILE_MAP_RANK]){ 0 }, &p->base.store_axis,
                       &p->base.store_step))
        return;
    p->base.store = store;
    p->base.like = product_like(p, &x->type);
    p->base.store_map = tile_plan_slab_map(&p->base, store, TILE_SLAB_LINE);
}

// True if the loop carries one tile, starts it at zero and only adds to it.
static bool is_sum(const struct tile_op *loop)
{
    const struct tile_value *sum = loop->block[0]->argument[1], *next;

    if (loop->result_count != 1 || !tile_is_zero(loop->operand[3]) || sum->uses != 1)
        return false;
    next = loop->block[0]->last->operand[0];
    switch (next->op ? next->op->kind : TILE_CONSTANT) {
    case TILE_ADD:
        return !tile_is_rounded(next->op) &&
               (next->op->operand[0] == sum || next->op->operand[1] == sum);
    case TILE_MMA:
    case TILE_FMA:
        return next->op->operand[2] == sum;
    default:
        return false;
    }
}

// Plans sliced-K: warpgroups take the iterations of a tile in turn and add up their partial sums at
// its end. This helps products with few columns, which take less time than the work on their
// operand a.
static void plan_slices(struct tile_fused *p, const struct tile_target *target)
{
    const struct tile_op *step = p->base.loop->operand[2]->op;

    if (target->joint || p->base.groups > 1 || p->base.blocks > 1 || !p->overlaps ||
        p->products > 1 || p->uneven || !is_sum(p->base.loop) ||
        p->base.columns > MOST_COLUMNS_OF_SLICES || !step || step->kind != TILE_CONSTANT ||
        tile_int(step, TILE_ATTR_VALUE, 0) != 1)
        return;
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].held || p->feed[i].computed)
            return;
    p->base.slices = p->registers <= MOST_OF_THREE_SLICES ? 3 : 2;
}

static const char *plan_shared(struct tile_fused *p, const struct tile_target *target)
{
    uint32_t rest = target->shared_limit - TILE_RING_AT, held = 0;
    uint32_t most = target->stages ? target->stages : MOST_STAGES;

    p->base.stage_bytes = 0;
    for (uint32_t i = 0; i < p->feeds; i++)
        *(p->feed[i].held ? &held : &p->base.stage_bytes) += p->feed[i].stream.bytes *
                                                             tile_slices(&p->base);
    held += tile_slice_bytes(&p->base);
    if (p->base.store) {
        tile_plan_slabs(&p->base);
        held += p->base.groups * tile_staging_bytes(&p->base);
    }
    if (!p->base.stage_bytes || held > rest)
        return "its operands do not fit in shared memory";
    if (p->base.store)
        held -= tile_save_slabs(&p->base, rest - held);
    p->base.stages = (rest - held) / p->base.stage_bytes;
    if (most > TILE_MOST_FEED_STAGES / p->feeds)
        most = TILE_MOST_FEED_STAGES / p->feeds;
    if (p->base.stages > most)
        p->base.stages = most;
    return p->base.stages < 2 ? "two stages of it do not fit in shared memory" : NULL;
}

// ---- Small tiles

// True if each element's offset in shared memory, in row-major order, is the sum of a thread's part
// and a register's part.
static bool has_places(const struct tile_layout *layout)
{
    uint32_t own = 0, threads = 0, bits = tile_hardware_bits(layout);

    for (uint32_t i = 0; i < bits; i++)
        *(i < layout->register_bits ? &own : &threads) |= layout->basis[i];
    return !(own & threads);
}

static bool suits_small_feed(const struct tile_fused *p, const struct tile_op *op)
{
    const struct tile_value *value = op->result_count ? op->result[0] : NULL;
    int most = p->by_blocks ? MOST_AHEAD / 2 : MOST_AHEAD; // blocks leave few registers

    return tile_is_loaded_ahead(p, op) && tile_is_plain_load(op) && value->layout &&
           1 << value->layout->register_bits > most &&
           value->layout->coordinate_bits <= MOST_SMALL_BITS &&
           tile_bytes_of(value->type.dtype) > 1 && has_places(value->layout);
}

// Adds a small feed, unless the ring has no room for it or the copying thread cannot compute its
// place.
static bool add_small_feed(struct tile_fused *p, const struct tile_op *load,
                           const struct tile_target *target)
{
    struct tile_feed *feed = &p->feed[p->feeds];
    struct tile_pipeline before = p->base;
    uint32_t element = tile_bytes_of(load->result[0]->type.dtype);
    uint32_t bytes = element << load->result[0]->layout->coordinate_bits;

    if (p->feeds == TILE_MOST_FEEDS || !tile_fused_need_place(p, load))
        return false;
    *feed = (struct tile_feed){ .small = true };
    feed->stream.load = load;
    feed->stream.element = element;
    feed->stream.bytes = (bytes + SMALL_ALIGN - 1) / SMALL_ALIGN * SMALL_ALIGN;
    p->feeds++;
    if (!plan_shared(p, target) && (p->base.split < 2 || p->base.stages == before.stages))
        return true;
    p->feeds--;
    p->base = before;
    return false;
}

void tile_find_small_feeds(struct tile_kernel *kernel, struct tile_fused *p,
                           const struct tile_target *target)
{
    size_t bytes = (kernel->value_count + 1) * sizeof(bool);
    bool *wanted = tile_take(kernel->module, bytes);
    const struct tile_block *body = p->base.loop->block[0];

    for (const struct tile_op *op = body->first; wanted && op != body->last; op = op->next) {
        if (!suits_small_feed(p, op))
            continue;
        memcpy(wanted, p->base.wanted, bytes);
        if (!add_small_feed(p, op, target)) // undo the marks of the failed attempt
            memcpy(p->base.wanted, wanted, bytes);
    }
}

// Estimates whether a scalar rises (1) or falls (-1) along the grid's first axis: its factors are
// mostly positive.
static int slope_of(const struct tile_value *value)
{
    const struct tile_op *op = value->op;
    int sum = 0;

    if (!op)
        return 0;
    if (op->kind == TILE_BLOCK)
        return tile_int(op, TILE_ATTR_INDEX, 0) == 0;
    for (uint32_t i = op->kind == TILE_WHERE; i < op->operand_count; i++)
        sum += i && op->kind == TILE_SUB ? -slope_of(op->operand[i]) : slope_of(op->operand[i]);
    return (sum > 0) - (sum < 0);
}

// Adds the axes of the grid along which a scalar differs between blocks to a mask.
static uint32_t grid_axes_of(const struct tile_value *value)
{
    const struct tile_op *op = value->op;
    uint32_t axes = 0;

    if (!op || value->type.rank)
        return 0;
    if (op->kind == TILE_BLOCK)
        return 1u << tile_int(op, TILE_ATTR_INDEX, 0);
    for (uint32_t i = 0; i < op->operand_count; i++)
        axes |= grid_axes_of(op->operand[i]);
    return axes;
}

// Returns a mask of the axes of the grid along which a feed's place differs.
static uint32_t axes_of_place(const struct tile_stream *s)
{
    uint32_t axes = 0;

    for (uint32_t i = 0; i < s->load->operand_count; i++)
        axes |= grid_axes_of(s->load->operand[i]);
    for (uint32_t n = 0; s->gather && n < s->gather->nodes; n++) {
        const struct tile_value *value = s->gather->node[n].value;
        axes |= grid_axes_of(value);
        for (uint32_t i = 0; value->op && value->type.rank && i < value->op->operand_count; i++)
            axes |= grid_axes_of(value->op->operand[i]);
    }
    return axes;
}

static void find_streamed_bytes(struct tile_fused *p)
{
    for (uint32_t i = 0; i < p->feeds; i++) {
        const struct tile_feed *feed = &p->feed[i];
        uint32_t axes = feed->held || feed->computed ? 0 : axes_of_place(&feed->stream);
        if (axes == 1)
            p->bytes_by_first += feed->stream.bytes;
        else if (axes && !(axes & 1))
            p->bytes_by_others += feed->stream.bytes;
    }
}

struct tile_fused *tile_plan_fused(struct tile_kernel *kernel, const struct tile_target *target,
                                   const char **why)
{
    struct tile_fused *p = tile_take(kernel->module, sizeof(*p));

    *why = "";
    if (!p || !tile_take_marks(kernel, &p->base) || !tile_has_pipelines(target))
        return NULL;
    if (kernel->keeps_order) {
        *why = "blocks see what others do, and stay in the order of the grid";
        return NULL;
    }
    p->base.kernel = kernel;
    p->base.fused = true;
    p->base.cluster = p->base.across = 1;
    *why = find_loop(kernel, p);
    if (*why)
        return NULL;
    p->base.mma = p->product[p->products - 1].mma;
    p->base.columns = p->product[p->products - 1].columns;
    p->overlaps = can_overlap(p);
    for (uint32_t i = 0; i < p->products && !*why; i++)
        if (p->product[i].promotes && (!p->overlaps || p->early + 1 < p->products))
            *why = too_deep;
    if (*why)
        return NULL;
    // The blocks of a split take one tile each.
    p->uneven = !kernel->parts && (tile_differs_by_block(p->base.loop->operand[0], 0) ||
                                   tile_differs_by_block(p->base.loop->operand[1], 0));
    p->falls = slope_of(p->base.loop->operand[1]) < slope_of(p->base.loop->operand[0]);
    *why = plan_rows(kernel, p, target);
    if (*why && p->overlaps && p->products - p->early > 1) {
        p->overlaps = false;
        *why = plan_rows(kernel, p, target);
    }
    if (*why)
        return NULL;
    p->doubles = !p->overlaps && can_double(p);
    p->chains = !p->overlaps && can_chain(p);
    // Beside small products, the other work takes most of the time, so warpgroups must not do it
    // simultaneously. On an H200, large products ran 0.5 % faster without alternation. If several
    // products precede the work, two warpgroups should alternate: the gradients of causal attention
    // of 128 columns took 3.6 % less time. Three should not: those of 64 columns took 2.9 % more.
    uint32_t row = p->base.columns * tile_bytes_of(p->base.mma->operand[1]->type.dtype);
    p->alternates = p->overlaps && p->products - p->early == 1 && p->base.groups > 1 &&
                    !p->product[p->products - 1].feed[1]->computed &&
                    (p->early > 1 ? p->base.groups == 2 : row < ALTERNATING_BYTES);
    plan_store(p);
    if (p->base.turned && !tile_set_turned_layouts(kernel, &p->base))
        return NULL;
    plan_slices(p, target);
    *why = plan_shared(p, target);
    if (*why)
        return NULL;
    p->base.split = kernel->parts > 1 ? kernel->parts : 1;
    find_streamed_bytes(p);
    return p;
}

uint32_t tile_fused_warps(const struct tile_fused *p)
{
    return UINT32_C(1) << warp_bits_of(p);
}

struct tile_fused *tile_fused_of(const struct tile_pipeline *plan)
{
    // `base` is the first member.
    return plan->fused ? (struct tile_fused *)(uintptr_t)plan : NULL;
}
