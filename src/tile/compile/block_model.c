// The model of a block's work: instructions, exchanges between threads, waits for memory, registers
// and shared memory, by the number of warps. It runs before layouts exist, and assumes that all
// tiles have blocked layouts.
#include "block_layout.h"
#include "block_model.h"

#include <math.h>
#include <string.h>

// A value, as the model sees it.
struct known {
    uint32_t held;  // elements in a thread
    uint32_t waits; // loads that must complete before it, one after another
    uint32_t last;  // position of its last use
    bool shared;    // a take has written it to shared memory
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct tile_block_model {
    const struct tile_kernel *kernel;
    struct tile_block_layouts layouts;
    struct known *known; // by value id
    int64_t *change;     // by position: change of the bits that a thread holds
    uint32_t positions;  // positions count down to 1 in program order
    // The current op: its position, the iterations around it, and the end of the outermost loop
    // around it (0: none).
    uint32_t position;
    double times;
    uint32_t end;
    // The current loop: bytes and loads of a thread in an iteration, and whether it stores.
    double loop_bytes;
    uint32_t loop_loads;
    bool stores;
    struct tile_block_costs costs;
    double ahead; // registers for scans, or for loads of later iterations
};

// ---- Costs of ops

// About how many instructions an op takes for an element, if more than one.
static const uint8_t instructions[TILE_OP_COUNT] = {
    [TILE_POW] = 100,  [TILE_PHILOX] = 60, [TILE_SIN] = 40,      [TILE_COS] = 40,
    [TILE_TAN] = 40,   [TILE_ATAN2] = 40,  [TILE_LOG] = 20,      [TILE_LOG2] = 20,
    [TILE_LOG1P] = 20, [TILE_EXPM1] = 20,  [TILE_ERF] = 20,      [TILE_TANH] = 20,
    [TILE_SINH] = 20,  [TILE_COSH] = 20,   [TILE_FLOORDIV] = 15, [TILE_CDIV] = 15,
    [TILE_MOD] = 15,   [TILE_EXP] = 5,     [TILE_EXP2] = 5,      [TILE_SIGMOID] = 5,
    [TILE_SQRT] = 5,   [TILE_DIV] = 8,
};

enum { SHUFFLE = 30, SHARED = 80, SHARED_OF_WARP = 4 }; // clocks
enum { SHARE_BARRIER = 16 };                            // as in reduce_warps.c

// Adds an exchange through shared memory, in which each thread writes and reads so many words.
static void exchange_words(struct tile_block_model *m, double writes, double reads)
{
    m->costs.work += m->times * (writes + reads + 10);
    m->costs.chain += m->times * (SHARED + SHARED_OF_WARP * m->layouts.warps + writes + reads);
}

// Adds the shared memory of so many words of each thread.
static void share_words(struct tile_block_model *m, double words)
{
    m->costs.shared += 4 * words * 32 * m->layouts.warps;
}

static void element(struct tile_block_model *m, const struct tile_op *op)
{
    uint32_t each = instructions[op->kind] ? instructions[op->kind] : 1;

    if (op->result_count && !(tile_op_infos[op->kind].traits & (TILE_LEAF | TILE_REARRANGES)))
        m->costs.work += m->times * each * m->known[op->result[0]->id].held;
}

// True for a reduction that only adds to a value which the loop carries. It moves behind the loop
// (reduce_after_loop.c).
static bool is_accumulated(const struct tile_op *op)
{
    const struct tile_value *x = op->result[0];
    const struct tile_op *user = x->use ? x->use->user : NULL;

    while (user && x->uses == 1 && (user->kind == TILE_REDUCE || user->kind == TILE_RESHAPE)) {
        x = user->result[0];
        user = x->use ? x->use->user : NULL;
    }
    if (!user || x->uses != 1 || user->parent != op->parent || !tile_loop_around(op) ||
        (user->kind != TILE_ADD && user->kind != TILE_MAXIMUM && user->kind != TILE_MINIMUM))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (user->operand[i]->block == op->parent && user->operand[i]->uses == 1)
            return true;
    return false;
}

// The exchange of partial results over lanes and warps (reduce_threads.c, reduce_warps.c).
static void reduce_threads(struct tile_block_model *m, double each, double out,
                           struct tile_axis_parts a)
{
    enum { WIDE = 4, LANES_OF_WORD = 2 };
    double parts = (double)(1u << a.warps), own = out, loads = ceil(out / WIDE);

    if (!a.warps || out == 1) {
        m->costs.work += m->times * 2 * each * out * a.lanes;
        m->costs.chain += m->times * a.lanes * (SHUFFLE + 2 * each * out);
        if (a.warps)
            exchange_words(m, each, each * fmin(parts, WIDE));
        m->costs.shared += 4 * each * parts;
        if (a.warps > LANES_OF_WORD)
            m->costs.chain += m->times * (a.warps - LANES_OF_WORD) * SHUFFLE;
        return;
    }
    for (uint32_t i = 0; i < a.lanes; i++, own = fmax(1, own / 2)) {
        double work = each * (own > 1 ? 2 * own : 2);
        m->costs.work += m->times * work;
        m->costs.chain += m->times * (SHUFFLE + work);
    }
    double all = parts * (out + loads), threads = 32 * m->layouts.warps;
    double results = fmax(1, out * 32 * m->layouts.warps / ((1u << a.lanes) * parts));
    double together = fmin(fmin(parts, 32), fmax(1, threads / results));
    double share = fmax(1, results / threads) * (parts / together + log2(together) + 1);
    m->costs.shared += 4 * each * results * (parts + 2);
    if (all <= 2 * share + loads + SHARE_BARRIER) {
        exchange_words(m, each * own, each * all);
    } else {
        exchange_words(m, each * own, each * parts / together);
        m->costs.chain += m->times * log2(together) * SHUFFLE;
        exchange_words(m, each * (2 * share - parts / together), each * loads);
    }
}

// A thread combines its own elements, and then threads exchange their partial results.
static void reduce(struct tile_block_model *m, const struct tile_op *op)
{
    struct tile_axis_parts a = tile_axis_in_block(&m->layouts, op);
    uint32_t own = tile_held_in_block(&m->layouts, &op->operand[0]->type),
             in = m->known[op->operand[0]->id].held;
    double each = op->kind == TILE_REDUCE && !op->block_count ? 1 : 3;
    double out = fmax(1, least(in, own) >> (a.neighbors + a.registers)), times = m->times;

    m->costs.work += m->times * each * in;
    if (is_accumulated(op))
        m->times = 1;
    reduce_threads(m, each, out, a);
    m->times = times;
    for (uint32_t i = 0; i < op->result_count; i++)
        m->known[op->result[i]->id].held = (uint32_t)out;
}

static void scan(struct tile_block_model *m, const struct tile_op *op)
{
    struct tile_axis_parts a = tile_axis_in_block(&m->layouts, op);
    double held = tile_held_in_block(&m->layouts, &op->operand[0]->type),
           each = op->block_count ? 4 : 1;
    double runs = held / (double)(1u << a.neighbors), threads = a.lanes + a.warps;

    m->costs.work += m->times * each * (2 * held + 2 * runs * a.registers + 4 * runs * a.lanes);
    m->costs.chain += m->times * each * (a.lanes * (SHUFFLE + 3 * runs) + 5 * held);
    if (a.warps) {
        exchange_words(m, each * runs, 4 * each * runs * (double)(1u << a.warps));
        share_words(m, each * runs);
    }
    m->costs.scans = true;
    m->ahead = fmax(m->ahead, each * runs * (a.warps ? 3 : threads > 0 ? 1 : 0));
}

// A sort compares along each bit of the axis as often as there are bits from it on.
static void sort(struct tile_block_model *m, const struct tile_op *op)
{
    enum { OF_REGISTERS = 2, OF_THREADS = 5, LANES = 35, REGISTERS = 8 };
    const struct tile_type *type = &op->operand[0]->type;
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    struct tile_layout layout = tile_layout_in_block(&m->layouts, type);
    uint32_t first = tile_axis_shift(&layout, axis), lanes = layout.register_bits;
    double held = tile_held_in_block(&m->layouts, type);

    for (uint32_t i = 0, bits = tile_bits_of(type->extent[axis]); i < bits; i++) {
        uint32_t bit = tile_hardware_bit(&layout, first + i);
        bool own = bit < lanes, warp = bit >= lanes + TILE_LANE_BITS;
        double stages = m->times * op->result_count * (bits - i);
        m->costs.work += stages * held * (own ? OF_REGISTERS : OF_THREADS);
        m->costs.chain += stages * (warp  ? SHARED + SHARED_OF_WARP * m->layouts.warps
                                    : own ? REGISTERS
                                          : LANES);
    }
    share_words(m, held);
    m->costs.sorts = true;
}

static void histogram(struct tile_block_model *m, const struct tile_op *op)
{
    double held = m->known[op->operand[0]->id].held;

    exchange_words(m, 4 * held, 3 * tile_held_in_block(&m->layouts, &op->result[0]->type));
    share_words(m, 4 * held);
    m->costs.shared += 4.0 * (double)tile_elements(&op->result[0]->type);
}

// Moves a tile through shared memory.
static void exchange_tile(struct tile_block_model *m, const struct tile_op *op)
{
    const struct tile_type *type = &op->result[0]->type;
    double words = tile_held_in_block(&m->layouts, type) * (double)cuc_dtype_bits(type->dtype) / 32;

    exchange_words(m, words, words);
    share_words(m, words);
}

static void shift(struct tile_block_model *m, const struct tile_op *op)
{
    m->costs.work += m->times * 4 * tile_held_in_block(&m->layouts, &op->result[0]->type);
    m->costs.chain += m->times * 2 * SHUFFLE;
}

// Returns the elements of a thread if threads share a tile evenly, as unroll_loads.c counts.
static double shared_out(const struct tile_block_model *m, const struct tile_type *type)
{
    return ceil((double)tile_elements(type) / (32 * m->layouts.warps));
}

static void access(struct tile_block_model *m, const struct tile_op *op)
{
    enum { FIXED = 30, FIXED_IN_LOOP = 10, OF_VECTOR = 2, OF_ELEMENT = 6 };
    const struct tile_type *type = tile_moved_type(op);
    bool vectors = tile_op_infos[op->kind].traits & TILE_MOVES;
    double held = tile_held_in_block(&m->layouts, type), bytes = tile_bytes_of(type->dtype);
    double moves = vectors ? held / (double)(1u << tile_vector_in_block(&m->layouts, type)) : held;

    m->costs.work += m->times * ((m->times > 1 ? FIXED_IN_LOOP : FIXED) +
                                 moves * (vectors ? OF_VECTOR : OF_ELEMENT));
    m->costs.bytes += m->times * (double)tile_elements(type) * bytes;
    m->loop_bytes += op->result_count ? shared_out(m, type) * bytes : 0;
    m->loop_loads += op->result_count;
    m->stores |= !op->result_count;
}

// Takes of one tile after another share its copy (scratch.c).
static void take(struct tile_block_model *m, const struct tile_op *op)
{
    enum { OF_ELEMENT = 3 }; // instructions
    struct known *from = &m->known[op->operand[0]->id];
    double held = tile_held_in_block(&m->layouts, &op->result[0]->type);

    if (!from->shared)
        exchange_tile(m, op);
    else {
        m->costs.work += m->times * OF_ELEMENT * held;
        m->costs.chain += m->times * (SHUFFLE + OF_ELEMENT * held);
    }
    from->shared = true;
}

static void (*const costs[TILE_OP_COUNT])(struct tile_block_model *m, const struct tile_op *op) = {
    [TILE_REDUCE] = reduce,       [TILE_ARGMIN] = reduce,
    [TILE_ARGMAX] = reduce,       [TILE_SCAN] = scan,
    [TILE_SORT] = sort,           [TILE_TOPK] = sort,
    [TILE_HISTOGRAM] = histogram, [TILE_PERMUTE] = exchange_tile,
    [TILE_TAKE] = take,           [TILE_SHIFT] = shift,
    [TILE_ROLL] = shift,          [TILE_LOAD] = access,
    [TILE_LOAD_AT] = access,      [TILE_STORE] = access,
    [TILE_STORE_AT] = access,     [TILE_LOAD_ROWS] = access,
    [TILE_STORE_ROWS] = access,   [TILE_GATHER] = access,
    [TILE_SCATTER] = access,      [TILE_STORE_REDUCE] = access,
    [TILE_ATOMIC] = access,
};

// ---- Registers

// True for ops whose results are computed a few registers at a time when an op needs them.
static bool is_deferred(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & (TILE_ELEMENTWISE | TILE_REARRANGES) &&
           op->kind != TILE_PERMUTE && op->result_count == 1 && op->result[0]->uses <= 1;
}

static bool is_loop(const struct tile_op *op)
{
    return op->kind == TILE_FOR || op->kind == TILE_LOOP;
}

static void note_use(struct tile_block_model *m, const struct tile_value *value, uint32_t at,
                     const struct tile_block *block)
{
    struct known *known = &m->known[value->id];
    const struct tile_block *of = value->op ? value->op->parent : value->block;
    uint32_t use = m->end && of != block && m->end < at ? m->end : at;

    if (!known->last || use < known->last)
        known->last = use;
}

// Numbers the ops from the last one, and notes the last use of each value. The end of a loop has a
// position of its own, at which values from outside are last used.
static void find_uses(struct tile_block_model *m, const struct tile_block *block)
{
    for (const struct tile_op *op = block->last; op; op = op->previous) {
        uint32_t end = is_loop(op) ? ++m->positions : 0, outer = m->end;
        bool flows = tile_op_infos[op->kind].traits & TILE_FLOWS;
        m->end = outer ? outer : end;
        for (uint32_t i = 0; flows && i < op->block_count; i++) {
            for (uint32_t k = 0; k < op->block[i]->argument_count; k++)
                m->known[op->block[i]->argument[k]->id].last = end;
            find_uses(m, op->block[i]);
        }
        m->end = outer;
        uint32_t at = ++m->positions;
        for (uint32_t i = 0; i < op->operand_count; i++)
            note_use(m, op->operand[i], at, block);
    }
}

// Adds the registers of a value from a position to its last use.
static void hold(struct tile_block_model *m, const struct tile_value *value, uint32_t from)
{
    const struct tile_op *op = value->op;
    const struct known *known = &m->known[value->id];
    int64_t bits = (int64_t)known->held * (int64_t)cuc_dtype_bits(value->type.dtype);

    if (value->type.tensor || !value->type.rank || !known->last ||
        (op && (is_deferred(op) || tile_op_infos[op->kind].traits & (TILE_LEAF | TILE_REARRANGES))))
        return;
    bits = bits < 32 ? 32 : bits;
    m->change[from] += bits;
    m->change[known->last] -= bits;
}

// Returns about how many registers ptxas gives a thread. With many values it also moves loads
// ahead.
static double registers_of(const struct tile_block_model *m)
{
    const double others = 22, of_value = 1.2, many = 32, of_many = 0.9;
    int64_t most = 0, now = 0;

    for (uint32_t i = m->positions; i; i--) {
        now += m->change[i];
        most = now > most ? now : most;
    }
    double values = (double)most / 32;
    return others + of_value * (values + m->ahead) + of_many * fmax(0, values - many);
}

// ---- The walk

static void walk(struct tile_block_model *m, const struct tile_block *block);

static void walk_blocks(struct tile_block_model *m, const struct tile_op *op)
{
    for (uint32_t i = 0; i < op->block_count; i++) {
        for (uint32_t k = 0; k < op->block[i]->argument_count; k++) {
            const struct tile_value *value = op->block[i]->argument[k];
            m->known[value->id].held = tile_held_in_block(&m->layouts, &value->type);
            m->known[value->id].waits = 0;
            hold(m, value, m->position + 1);
        }
        walk(m, op->block[i]);
    }
}

// Several iterations of an unrolled loop wait together (unroll_loads.c).
static void walk_loop(struct tile_block_model *m, const struct tile_op *loop)
{
    enum { WANTED_BYTES = 64, MOST_BYTES = 160, MOST_TURNS = 8 };
    struct tile_block_model outer = *m;
    double turns = 1, ahead;

    m->times *= tile_usual_iterations(m->kernel, loop);
    m->loop_bytes = m->loop_loads = m->costs.deepest = 0;
    m->stores = false;
    walk_blocks(m, loop);
    while (turns < MOST_TURNS && m->loop_bytes > 0 &&
           m->loop_bytes * turns < WANTED_BYTES * (m->stores ? 2 : 1) &&
           m->loop_bytes * turns * 2 <= MOST_BYTES)
        turns *= 2;
    m->costs.waits = outer.costs.waits + m->times * m->costs.deepest / turns;
    ahead = (turns - 1) * (m->loop_bytes / 4 + 3 * m->loop_loads);
    m->ahead = fmax(m->ahead, ahead);
    m->times = outer.times;
    m->costs.deepest = outer.costs.deepest;
    m->loop_bytes = outer.loop_bytes;
    m->loop_loads = outer.loop_loads;
    m->stores = outer.stores;
    m->position--;
}

static void note_results(struct tile_block_model *m, const struct tile_op *op)
{
    uint32_t traits = tile_op_infos[op->kind].traits, waits = 0, held = 1;

    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct known *known = &m->known[op->operand[i]->id];
        waits = known->waits > waits ? known->waits : waits;
        held = known->held > held ? known->held : held;
    }
    waits += traits & TILE_READS ? 1 : 0;
    m->costs.deepest = waits > m->costs.deepest ? waits : m->costs.deepest;
    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_value *value = op->result[i];
        uint32_t own = tile_held_in_block(&m->layouts, &value->type);
        m->costs.most = own > m->costs.most ? own : m->costs.most;
        m->known[value->id].waits = waits;
        m->known[value->id].held = traits & TILE_ELEMENTWISE ? held : own;
    }
}

static void walk(struct tile_block_model *m, const struct tile_block *block)
{
    for (const struct tile_op *op = block->first; op; op = op->next) {
        uint32_t at = m->position--;
        note_results(m, op);
        (costs[op->kind] ? costs[op->kind] : element)(m, op);
        for (uint32_t i = 0; i < op->result_count; i++)
            hold(m, op->result[i], at);
        if (is_loop(op))
            walk_loop(m, op);
        else if (op->kind == TILE_IF)
            walk_blocks(m, op);
    }
}

struct tile_block_model *tile_create_block_model(const struct tile_kernel *kernel)
{
    struct tile_block_model *m = tile_take(kernel->module, sizeof(*m));

    if (!m)
        return NULL;
    *m = (struct tile_block_model){ .kernel = kernel, .layouts.kernel = kernel };
    m->known = tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*m->known));
    if (!m->known)
        return NULL;
    find_uses(m, &kernel->body);
    m->change = tile_take(kernel->module, (m->positions + 1) * sizeof(*m->change));
    return m->change ? m : NULL;
}

struct tile_block_costs tile_costs_of_block(struct tile_block_model *m, uint32_t warps)
{
    m->layouts.warps = warps;
    m->position = m->positions;
    m->times = 1;
    m->ahead = m->loop_bytes = m->loop_loads = 0;
    m->stores = false;
    m->costs = (struct tile_block_costs){ 0 };
    memset(m->change, 0, (m->positions + 1) * sizeof(*m->change));
    walk(m, &m->kernel->body);
    m->costs.registers = registers_of(m);
    return m->costs;
}
