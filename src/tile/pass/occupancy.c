// Chooses how many of a kernel's blocks should fit on a multiprocessor at once (occupancy). While a
// row waits in registers until it is complete, ptxas tends to use more registers than necessary, so
// fewer blocks can load in the meantime. Given the number of blocks, ptxas limits itself to the
// registers that this number allows.
#include "pass.h"

// Ranges of the number of waiting registers per thread, and the number of warps that should fit at
// once. With 40 or 64 registers per thread, 48 or 32 warps share the four register files of a
// multiprocessor, 16384 registers each.
static const struct {
    int64_t from, to;
    uint32_t warps;
} classes[] = { { 12, 20, 48 }, { 24, 40, 32 } };

struct lives {
    int64_t threads;
    uint32_t *last; // by value id: position of the value's last use
};

// Returns the registers per thread that a value takes. A value with equal elements takes none.
static int64_t registers_of(const struct lives *l, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    if (value->type.tensor || !op || tile_elements(&op->result[0]->type) == 1)
        return 0;
    return tile_elements(&value->type) * (int64_t)cuc_dtype_bits(value->type.dtype) /
           (32 * l->threads);
}

// Returns the largest number of registers that wait at a reduction. Sweeps over the body once.
static int64_t most_waiting(const struct tile_kernel *kernel, struct lives *l)
{
    int64_t waiting = 0, most = 0;
    uint32_t position = 0;

    for (const struct tile_op *op = kernel->body.first; op; op = op->next) {
        position++;
        for (uint32_t i = 0; i < op->operand_count; i++)
            l->last[op->operand[i]->id] = position;
    }
    position = 0;
    for (const struct tile_op *op = kernel->body.first; op; op = op->next) {
        position++;
        for (uint32_t i = 0; i < op->operand_count; i++) {
            const struct tile_value *value = op->operand[i];
            if (value->op && value->op->parent == &kernel->body && l->last[value->id] == position) {
                waiting -= registers_of(l, value);
                l->last[value->id] = 0; // cleared because an op may use a value twice
            }
        }
        if (op->kind == TILE_REDUCE && waiting > most)
            most = waiting;
        for (uint32_t i = 0; i < op->result_count; i++)
            if (l->last[op->result[i]->id])
                waiting += registers_of(l, op->result[i]);
    }
    return most;
}

uint32_t tile_occupancy(struct tile_kernel *kernel, uint32_t warps)
{
    size_t values = kernel->value_count + 1;
    struct lives l = { .threads = 32 * (int64_t)warps,
                       .last = tile_take(kernel->module, values * sizeof(uint32_t)) };

    if (!l.last)
        return 0;
    // The register counts hold only if all elements stay in the same thread.
    for (const struct tile_op *op = kernel->body.first; op; op = op->next)
        if (!(tile_op_infos[op->kind].traits & TILE_IN_PLACE))
            return 0;
    int64_t waiting = most_waiting(kernel, &l);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (waiting >= classes[i].from && waiting <= classes[i].to)
            return classes[i].warps / warps;
    return 0;
}

// Sizes of a kernel's ranked tiles: the most elements, and the most bits of one that is placed; and
// the number of places.
struct ranked {
    int64_t elements, bits, places;
    bool wait; // a thread holds all of its ranks, or digits with their ranks, at once
};

// True if a place op uses each rank as soon as votes have found it (emit/rank_votes.c).
static bool is_used_at_once(const struct tile_op *rank)
{
    enum { VOTED_DIGITS = 4 };
    const struct tile_op *op = rank->next;

    if (tile_int(rank, TILE_ATTR_COUNT, 0) > VOTED_DIGITS || rank->result[0]->uses != 1)
        return false;
    while (op && op->kind != TILE_PLACE && tile_op_infos[op->kind].traits & TILE_IN_PLACE)
        op = op->next;
    return op && op->kind == TILE_PLACE && op->operand[1] == rank->result[0];
}

// The tiles in memory that a value is computed from, as far as steps are left.
struct sources {
    const struct tile_op *first;
    bool several;
    int steps;
};

static void find_sources(struct sources *s, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (s->several || !op || value->type.tensor || tile_elements(&value->type) == 1)
        return;
    if (s->steps-- == 0 || (tile_op_infos[op->kind].traits & TILE_READS && s->first != op)) {
        s->several = s->first != NULL || s->steps < 0;
        s->first = op;
        return;
    }
    for (uint32_t i = 0; s->first != op && i < op->operand_count; i++)
        find_sources(s, op->operand[i]);
}

// True if digits wait beside the elements: they are more than two, or come from several tiles. A
// thread computes others again, from elements that wait anyway.
static bool digits_wait(const struct tile_op *rank)
{
    enum { STEPS = 100 };
    struct sources s = { .steps = STEPS };

    find_sources(&s, rank->operand[0]);
    return s.several || tile_int(rank, TILE_ATTR_COUNT, 0) > 2;
}

static void find_ranked(struct tile_op *op, void *data)
{
    struct ranked *r = data;
    const struct tile_type *type =
        op->kind == TILE_RANK || op->kind == TILE_PLACE ? &op->operand[0]->type : NULL;

    if (op->kind == TILE_RANK && tile_elements(type) > r->elements)
        r->elements = tile_elements(type);
    r->wait |= op->kind == TILE_RANK && (!is_used_at_once(op) || digits_wait(op));
    if (op->kind == TILE_PLACE && cuc_dtype_bits(type->dtype) > r->bits)
        r->bits = cuc_dtype_bits(type->dtype);
    r->places += op->kind == TILE_PLACE;
}

uint32_t tile_rank_occupancy(struct tile_kernel *kernel, uint32_t warps)
{
    enum { REGISTERS = 65536, OTHERS = 16, LEAST_WARPS = 16 };
    struct ranked r = { .bits = 32 };

    tile_walk(&kernel->body, find_ranked, &r);
    // An element, and its digit and place in one register, wait while others are ranked. Places in
    // the tile wait beside those in the result if more tiles follow.
    int64_t words = r.bits / 32 + r.wait + (r.places > 1);
    int64_t each = r.elements / (32 * (int64_t)warps) * words + OTHERS;
    int64_t blocks = REGISTERS / (32 * warps * each), least = LEAST_WARPS / (int64_t)warps;
    return !r.elements ? 0 : (uint32_t)(blocks > least ? blocks : least);
}
