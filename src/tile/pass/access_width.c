// Finds how wide accesses to memory can be, before layouts are chosen.
#include "access_width.h"

#include "funnel.h"

#include "tile/ir/words.h"
#include "tile/signature/entry.h"

uint64_t tile_index_alignment(const struct tile_ranges *ranges, const struct tile_value *index,
                              int64_t scale, uint32_t bytes)
{
    uint64_t divisor = tile_range_of(ranges, index).divisor;
    uint64_t power = divisor ? divisor & -divisor : TILE_VECTOR_BYTES;

    return (power < TILE_VECTOR_BYTES ? power : TILE_VECTOR_BYTES) * (uint64_t)scale * bytes;
}

bool tile_begins_anywhere(const struct tile_value *tensor)
{
    for (; tensor->op && tensor->op->kind == TILE_SLICE; tensor = tensor->op->operand[0])
        if (tile_int(tensor->op, TILE_ATTR_AXIS, 0) + 1 == tensor->type.rank)
            return true;
    return false;
}

uint32_t tile_access_width(const struct tile_op *op, const void *ranges)
{
    enum { LEAST_VECTOR = 4 }; // bytes; smaller vectors move as single elements
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    const struct tile_value *tensor = op->operand[0];
    bool rows = op->kind == TILE_LOAD_ROWS || op->kind == TILE_STORE_ROWS;
    bool by_tiles = op->kind != TILE_LOAD_AT && op->kind != TILE_STORE_AT;
    uint32_t bytes = tile_bytes_of(tensor->type.dtype), bits = 0;

    if (!shape->count || tile_int(op, TILE_ATTR_DROPPED, 0) >> (shape->count - 1) & 1 ||
        tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK || tile_begins_anywhere(tensor))
        return 0;
    int64_t extent = shape->ints[shape->count - 1];
    const struct tile_value *index = op->operand[shape->count + rows];
    uint64_t aligned = tile_index_alignment(ranges, index, by_tiles ? extent : 1, bytes);
    if (op->kind == TILE_LOAD_AT && tile_begins_between_vectors(op, ranges))
        aligned = TILE_VECTOR_BYTES;
    while (bytes << (bits + 1) <= TILE_VECTOR_BYTES && extent % (INT64_C(2) << bits) == 0 &&
           aligned % (bytes << (bits + 1)) == 0)
        bits++;
    return bytes << bits < LEAST_VECTOR ? 0 : bits;
}

struct widest {
    struct tile_kernel *kernel;
    const struct tile_ranges *ranges;
    struct tile_parameter **of; // by value id of a tensor: the parameter, or the one that it slices
    bool unknown;               // the width of some access is unknown
};

// True for ops that never move several neighboring elements at once, whatever the alignment.
static bool moves_single(const struct tile_op *op)
{
    return op->kind == TILE_DIM || op->kind == TILE_STRIDE || !op->operand[0]->type.rank ||
           ((op->kind == TILE_ATOMIC || op->kind == TILE_GATHER) && !op->result[0]->type.rank);
}

static void note_access(struct tile_op *op, void *data)
{
    struct widest *w = data;
    const struct tile_value *tensor = op->operand_count ? op->operand[0] : NULL;

    w->unknown |= op->kind == TILE_MMA;
    for (uint32_t i = 1; i < op->operand_count; i++)
        w->unknown |= op->operand[i]->type.tensor;
    if (!tensor || !tensor->type.tensor)
        return;
    struct tile_parameter *p = w->of[tensor->id];
    if (op->kind == TILE_SLICE)
        w->of[op->result[0]->id] = p;
    if (op->kind == TILE_SLICE || moves_single(op))
        return;
    bool known = p && tile_op_infos[op->kind].traits & TILE_MOVES &&
                 tile_attribute(op, TILE_ATTR_SHAPE);
    uint32_t bytes = known ? tile_bytes_of(tensor->type.dtype) << tile_access_width(op, w->ranges)
                           : 0;
    w->unknown |= !known;
    if (known && bytes > p->vector_bytes)
        p->vector_bytes = bytes;
}

bool tile_find_vector_bytes(struct tile_kernel *kernel, const struct tile_ranges *ranges)
{
    struct widest w = { .kernel = kernel, .ranges = ranges };

    w.of = tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*w.of));
    if (!w.of)
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        struct tile_parameter *p = &kernel->parameter[i];
        w.of[p->value->id] = p;
        p->vector_bytes = p->value->type.tensor ? tile_bytes_of(p->value->type.dtype) : 0;
    }
    tile_walk(&kernel->body, note_access, &w);
    for (uint32_t i = 0; i < kernel->parameter_count && w.unknown; i++)
        kernel->parameter[i].vector_bytes = 0;
    return true;
}
