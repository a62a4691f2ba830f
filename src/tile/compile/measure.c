// How much a kernel does at once, and how many warps a block has for it.
#include "compile_steps.h"

#include "tile/layout/fragment.h"

enum { MOST_WARPS = 32 };

static void measure(struct tile_op *op, void *data)
{
    struct tile_measures *m = data;

    for (uint32_t i = 0; i < op->result_count; i++) {
        const struct tile_type *type = &op->result[i]->type;
        int64_t elements = type->tensor || !type->rank ? 0 : tile_elements(type);
        if (elements > m->most) {
            m->most = elements;
            m->loads = 0;
        }
        m->loads += op->kind == TILE_LOAD && elements == m->most;
    }
    m->loops |= op->kind == TILE_FOR || op->kind == TILE_LOOP;
    m->scans |= op->kind == TILE_SCAN;
    if (op->kind == TILE_PERMUTE)
        m->turned = tile_bytes_of(op->operand[0]->type.dtype);
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

// How many elements a thread has at most, before there are more warps than so many.
//
// 16 keep enough of memory busy and leave registers to compute with: fewer were slower in all norms
// of 16 bits on an H200, where more warps wait for one another. Of a row of 4096 elements of 32
// bits that comes together as a whole 8 were 1 % faster than 16, and of one of 8192 16 than 32. Of
// one of 16 bits that takes other rows with it 32 are better, since what threads do once is done
// for more of them, but 8 warps are to have it. Past 16 warps a thread takes up to 64, since blocks
// of 32 leave no room for a second one that loads meanwhile; of a row of 32 bits, and of what is
// scanned, 64 leave none either. What is transposed and no more waits for memory alone:
// 128 bytes a thread are loaded before the first is needed.
static int64_t most_elements(const struct tile_measures *m, uint32_t warps)
{
    enum { SOME_WARPS = 8, MANY_WARPS = 16, TURNED_BYTES = 128, LONG_ROW = 4096 };
    bool row = tile_is_row(m);

    if (warps >= MANY_WARPS)
        return (row && !m->halves) || m->scans ? 32 : 64;
    if (m->turned && !m->loops)
        return m->turned > 1 ? TURNED_BYTES / m->turned : 64;
    if (row && m->halves && m->loads > 1 && warps >= SOME_WARPS)
        return 32;
    return row && !m->halves && m->most >= LONG_ROW ? 8 : 16;
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
    return warps;
}

// Rows of 32 bits with 8 elements a thread were faster on an H200 when neighbours start at the same
// time, perhaps since they then read and write side by side: softmax of 65536 rows by 0.7 % in
// clusters of 2 blocks and by 1.8 % in those of 4, of 8192 rows by no more than runs are apart.
// With 16 elements it made no difference, and with 32 warps it was slower.
uint32_t tile_blocks_together(const struct tile_measures *m, const struct tile_target *target,
                              uint32_t warps)
{
    enum { ELEMENTS = 8, WARPS = 16, TOGETHER = 2 };

    return target->sm == 90 && warps == WARPS && tile_is_row(m) && !m->halves &&
                   m->most == (int64_t)ELEMENTS * 32 * WARPS
               ? TOGETHER
               : 1;
}
