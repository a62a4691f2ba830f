// Finds how wide accesses to memory can be, before layouts are chosen.
#include "access_width.h"

#include "tile/ir/words.h"
#include "tile/signature/entry.h"

uint64_t tile_index_alignment(const struct tile_ranges *ranges, const struct tile_value *index,
                              int64_t scale, uint32_t bytes)
{
    uint64_t divisor = tile_range_of(ranges, index).divisor;
    uint64_t power = divisor ? divisor & -divisor : TILE_VECTOR_BYTES;

    return (power < TILE_VECTOR_BYTES ? power : TILE_VECTOR_BYTES) * (uint64_t)scale * bytes;
}

// True if a tensor is a slice along its last axis, which may begin anywhere.
static bool begins_anywhere(const struct tile_value *tensor)
{
    for (; tensor->op && tensor->op->kind == TILE_SLICE; tensor = tensor->op->operand[0])
        if (tile_int(tensor->op, TILE_ATTR_AXIS, 0) + 1 == tensor->type.rank)
            return true;
    return false;
}

uint32_t tile_access_width(const struct tile_op *op, const void *ranges)
{
    enum { LEAST_VECTOR = 4 }; // bytes; smaller ones move as single elements
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    const struct tile_value *tensor = op->operand[0];
    bool rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS;
    bool by_tiles = op->kind != TILE_LOAD_AT && op->kind != TILE_STORE_AT;
    uint32_t bytes = tile_bytes_of(tensor->type.dtype), bits = 0;

    if (!shape->count || tile_int(op, TILE_ATTR_DROPPED, 0) >> (shape->count - 1) & 1 ||
        tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK || begins_anywhere(tensor))
        return 0;
    int64_t extent = shape->ints[shape->count - 1];
    uint64_t aligned = tile_index_alignment(ranges, op->operand[shape->count + rows],
                                            by_tiles ? extent : 1, bytes);
    while (bytes << (bits + 1) <= TILE_VECTOR_BYTES && extent % (INT64_C(2) << bits) == 0 &&
           aligned % (bytes << (bits + 1)) == 0)
        bits++;
    return bytes << bits < LEAST_VECTOR ? 0 : bits;
}
