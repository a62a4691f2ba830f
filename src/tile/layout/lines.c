// Rearranges mma.sync accumulators for their stores. A thread holds two neighboring elements, 4
// bytes in a 16-bit type, so one direct store instruction would write pieces of eight rows. Such
// tiles go through shared memory first. Then each thread stores 16 bytes, or one element if the
// tensor may be unaligned, and each warp stores whole rows.
#include "fragment.h"

#include "tile/ir/layout.h"

enum { VECTOR_BYTES = 16, MOST_BYTES = 2 };

struct storing {
    struct tile_kernel *kernel;
    const struct tile_target *target;
    uint32_t warp_bits;
    bool single; // elements move one at a time
    bool failed;
};

static bool is_fragments(const struct storing *s, const struct tile_value *value)
{
    struct tile_layout rows = tile_layout_fragment(&value->type, s->warp_bits, true);
    struct tile_layout squares = tile_layout_fragment(&value->type, s->warp_bits, false);

    return tile_layout_same(value->layout, &rows) || tile_layout_same(value->layout, &squares);
}

static void find_store(struct tile_op *op, void *data)
{
    struct storing *s = data;
    struct tile_value *value = op->operand_count ? op->operand[op->operand_count - 1] : NULL;
    uint8_t order[TILE_MAX_RANK];

    if (op->kind != TILE_STORE || s->failed || value->type.rank < 2 || !value->layout)
        return;
    uint32_t rank = value->type.rank, bytes = tile_bytes_of(value->type.dtype);
    uint64_t all = UINT64_C(1) << value->layout->coordinate_bits;
    if (bytes > MOST_BYTES || !is_fragments(s, value) ||
        all * bytes < (UINT64_C(32) << s->warp_bits) * VECTOR_BYTES ||
        all * bytes > s->target->shared_limit ||
        (uint32_t)value->type.extent[rank - 1u] * bytes < VECTOR_BYTES)
        return;
    for (uint32_t i = 0; i < rank && i < TILE_MAX_RANK; i++)
        order[i] = (uint8_t)(rank - 1 - i);
    struct tile_layout *layout = tile_take(s->kernel->module, sizeof(*layout));
    struct tile_value *lines =
        tile_make_before(s->kernel, op, TILE_CONVERT, &value->type, 1, &value);
    if (!layout || !lines) {
        s->failed = true;
        return;
    }
    *layout = tile_blocked(&value->type, s->warp_bits,
                           s->single ? 0 : tile_bits_of(VECTOR_BYTES / bytes), order);
    lines->layout = layout;
    lines->name = value->name;
    tile_set_operand(op, op->operand_count - 1, lines);
}

bool tile_store_lines(struct tile_kernel *kernel, const struct tile_target *target, uint32_t warps,
                      bool single)
{
    struct storing s = {
        .kernel = kernel, .target = target, .warp_bits = tile_bits_of(warps), .single = single
    };

    tile_walk(&kernel->body, find_store, &s);
    return !s.failed;
}
