// Measures how much data a kernel processes at once, and chooses the number of warps per block.
#include "compile_steps.h"

#include "tile/ir/layout.h"
#include "tile/layout/fragment.h"

enum { MOST_WARPS = 32 };

// Returns about how many instructions an op takes for an element, beyond those of the cheapest ops.
static int64_t instructions_of(const struct tile_op *op)
{
    switch (op->kind) {
    case TILE_POW:
        return 100;
    case TILE_SIN:
    case TILE_COS:
    case TILE_TAN:
    case TILE_ATAN2:
        return 40;
    case TILE_LOG:
    case TILE_LOG2:
    case TILE_LOG1P:
    case TILE_EXPM1:
    case TILE_ERF:
    case TILE_TANH:
    case TILE_SINH:
    case TILE_COSH:
        return 20;
    case TILE_EXP:
    case TILE_EXP2:
    case TILE_SIGMOID:
    case TILE_SQRT:
        return 5;
    case TILE_DIV:
        return 3;
    case TILE_CONSTANT:
    case TILE_BROADCAST:
    case TILE_RESHAPE:
        return 0;
    default:
        return 1;
    }
}

static void estimate(struct tile_measures *m, const struct tile_op *op)
{
    enum { OF_ACCESS = 30, OF_REDUCTION = 40 };
    const struct tile_value *tile = op->result_count ? op->result[0] : NULL;

    if (op->kind == TILE_SCATTER)
        tile = op->operand[op->operand[0]->type.rank + 1u];
    else if (!tile && tile_op_infos[op->kind].traits & TILE_MOVES)
        tile = op->operand[op->operand_count - 1];
    if (tile && tile_op_infos[op->kind].traits & (TILE_READS | TILE_WRITES)) {
        m->fixed += OF_ACCESS;
        m->bytes += tile_elements(&tile->type) * tile_bytes_of(tile->type.dtype);
    }
    if (op->kind == TILE_REDUCE) {
        m->fixed += OF_REDUCTION;
        tile = op->operand[0];
    }
    if (!tile || tile->type.tensor)
        return;
    bool single = tile_elements(&tile->type) == 1;
    *(single ? &m->fixed : &m->work) += instructions_of(op) *
                                        (single ? 1 : (tile_elements(&tile->type) + 31) / 32);
}

// Returns how often an op runs, as far as loops with constant bounds determine it.
static int64_t times_of(const struct tile_op *op)
{
    int64_t times = 1, bound[3];

    for (op = op->parent->parent; op; op = op->parent->parent) {
        bool known = op->kind == TILE_FOR;
        for (uint32_t i = 0; i < 3 && known; i++) {
            const struct tile_op *constant = op->operand[i]->op;
            known = constant && constant->kind == TILE_CONSTANT;
            bound[i] = known ? tile_int(constant, TILE_ATTR_VALUE, 0) : 0;
        }
        if (known && bound[1] > bound[0] && bound[2] > 0 && bound[1] - bound[0] < INT16_MAX)
            times *= (bound[1] - bound[0] - 1) / bound[2] + 1;
    }
    return times;
}

static void measure(struct tile_op *op, void *data)
{
    struct tile_measures *m = data;

    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_type *type = &op->result[i]->type;
        int64_t elements = type->tensor || !type->rank ? 0 : tile_elements(type);
        if (elements > m->most) {
            m->most = elements;
            m->loads = 0;
            m->points = 0;
        }
        m->loads += op->kind == TILE_LOAD && elements == m->most;
        m->points += op->kind == TILE_LOAD_AT && elements == m->most ? times_of(op) : 0;
    }
    estimate(m, op);
    m->loops |= op->kind == TILE_FOR || op->kind == TILE_LOOP;
    m->scans |= op->kind == TILE_SCAN;
    if (op->kind == TILE_PERMUTE)
        m->transposed = tile_bytes_of(op->operand[0]->type.dtype);
    m->halves |= op->kind == TILE_LOAD && cuc_dtype_bits(op->result[0]->type.dtype) == 16;
    if (op->kind != TILE_REDUCE)
        return;
    int64_t line = op->operand[0]->type.extent[tile_int(op, TILE_ATTR_AXIS, 0)];
    if (line > m->line)
        m->line = line;
}

struct tile_measures tile_measures_of(const struct tile_kernel *kernel)
{
    struct tile_measures m = { .most = 0 };

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, measure, &m);
    return m;
}

bool tile_is_row(const struct tile_measures *m)
{
    return m->line == m->most && !m->loops;
}

// Returns the maximum number of elements per thread before the block gets more warps. The numbers
// come from measurements on an H200:
//
// - 16 is the default. It keeps enough memory requests in flight and leaves registers for
//   computation. Fewer were slower in all 16-bit norms, where more warps wait for one another.
// - 8 for a row of at least 4096 32-bit elements that is reduced as a whole: 1 % faster than 16 at
//   4096 elements. At 8192 elements, 16 were faster than 32.
// - 32 for a 16-bit row that is loaded together with other rows, since a thread's fixed work serves
//   more elements. The block should have at least 8 warps.
// - 64 in blocks of 16 warps, since blocks of 32 warps leave no room for a second block that loads
//   in the meantime. For rows of 32-bit elements and for scans, 64 leave no such room either, so
//   the maximum is 32.
// - 8 for a stencil of many points. A thread's elements share nothing, and the values of many
//   elements take the registers of other warps, which hide the latency of the loads: a bilateral
//   filter of 25 points took 0.70 times as long with 8 as with 16.
// - 128 bytes for a mere transpose, which only waits for memory: a thread issues all these loads
//   before it needs the first result.
static int64_t most_elements(const struct tile_measures *m, uint32_t warps)
{
    enum { SOME_WARPS = 8, MANY_WARPS = 16, TRANSPOSED_BYTES = 128, LONG_ROW = 4096 };
    enum { MANY_POINTS = 9 };
    bool row = tile_is_row(m);

    if (warps >= MANY_WARPS)
        return (row && !m->halves) || m->scans ? 32 : 64;
    if (m->transposed && !m->loops)
        return m->transposed > 1 ? TRANSPOSED_BYTES / m->transposed : 64;
    if (row && m->halves && m->loads > 1 && warps >= SOME_WARPS)
        return 32;
    return (row && !m->halves && m->most >= LONG_ROW) || (m->points >= MANY_POINTS && !m->line)
               ? 8
               : 16;
}

// Returns the clocks that a multiprocessor takes to issue a block's instructions.
static double issue_clocks(const struct tile_measures *m, uint32_t warps)
{
    const double each_clock = 3.5; // of 4

    return (double)(warps * m->fixed + m->work) / each_clock;
}

// Lowers the number of warps of a row's block if instructions take longer than memory, since each
// warp repeats the work on scalars, such as a row's loss, and its part of the reductions. In a
// gradient of a loss with two pow() for each row of 2657 elements, 8 warps took 0.84 times as long
// as 16, and 4 took 0.79 times as long.
static uint32_t fewer_warps(const struct tile_measures *m, uint32_t warps)
{
    enum { MOST_ELEMENTS = 32 };
    const double bytes_each_clock = 18, excess = 1.2, gain = 0.9;

    while (tile_is_row(m) && warps > 1 && m->most <= (int64_t)MOST_ELEMENTS * 32 * (warps / 2) &&
           issue_clocks(m, warps) > excess * (double)m->bytes / bytes_each_clock &&
           issue_clocks(m, warps / 2) < gain * issue_clocks(m, warps))
        warps /= 2;
    return warps;
}

uint32_t tile_choose_warps(const struct tile_kernel *kernel, const struct tile_target *target)
{
    uint32_t warps = tile_fragment_warps(kernel, target);

    if (warps)
        return warps;
    struct tile_measures m = tile_measures_of(kernel);
    warps = 1;
    while (warps < MOST_WARPS && m.most > (int64_t)warps * 32 * most_elements(&m, warps))
        warps *= 2;
    return fewer_warps(&m, warps);
}

struct held {
    int64_t most; // registers of a block
};

static int64_t registers_of(const struct tile_type *type)
{
    int64_t registers = cuc_dtype_bits(type->dtype) > 32 ? 2 : 1;

    for (uint32_t i = 0; i < type->rank; i++)
        registers <<= tile_bits_of(type->extent[i]);
    return registers;
}

// Counts the registers of an accumulator and of all others that the same loop carries.
static void measure_accumulators(struct tile_op *op, void *data)
{
    struct held *held = data;
    int64_t registers = 0;

    if (op->kind != TILE_MMA)
        return;
    for (const struct tile_op *other = op->parent->first; other; other = other->next)
        if (other == op || (other->kind == TILE_MMA && other->operand[2]->block == op->parent))
            registers += registers_of(&other->result[0]->type);
    if (registers > held->most)
        held->most = registers;
}

uint32_t tile_enough_warps(const struct tile_kernel *kernel, uint32_t warps)
{
    enum { MOST_OF_THREAD = 192 }; // of 255: the rest is for operands and addresses
    struct held held = { 0 };

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, measure_accumulators, &held);
    while (warps < MOST_WARPS && held.most > (int64_t)MOST_OF_THREAD * 32 * warps)
        warps *= 2;
    return warps;
}

// Returns the number of neighboring blocks that start together, as a cluster. On an H200, rows of
// 32-bit elements with 8 elements per thread were faster if neighboring blocks start at the same
// time, perhaps because they then access adjacent memory. Softmax of 65536 rows gained 0.7 % in
// clusters of 2 blocks and 1.8 % in clusters of 4; for 8192 rows the gain was within noise.
// Starting together made no difference with 16 elements per thread, and was slower with 32 warps.
uint32_t tile_blocks_together(const struct tile_measures *m, const struct tile_target *target,
                              uint32_t warps)
{
    enum { ELEMENTS = 8, WARPS = 16, TOGETHER = 2 };

    return tile_has(target, TILE_PAIRS_ROWS) && warps == WARPS && tile_is_row(m) && !m->halves &&
                   m->most == (int64_t)ELEMENTS * 32 * WARPS
               ? TOGETHER
               : 1;
}
