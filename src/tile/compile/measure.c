// Measures how much data a kernel processes at once.
#include "compile_steps.h"

#include "tile/ir/layout.h"

enum { MOST_WARPS = 32 };

static void measure(struct tile_op *op, void *data)
{
    struct tile_measures *m = data;

    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_type *type = &op->result[i]->type;
        int64_t elements = type->tensor || !type->rank ? 0 : tile_elements(type);
        if (elements > m->most)
            m->most = elements;
    }
    m->loops |= op->kind == TILE_FOR || op->kind == TILE_LOOP;
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
