// Replaces loads that begin between two vectors by loads of whole vectors, as in a stencil:
//
//     load_at(x, [r, 4 * i - 1], [1, N])    becomes    a = load_at(x, [r, 4 * i - 4], [1, N])
//                                                      b = load_at(x, [r, 4 * i], [1, N])
//                                                      funnel(a, b)
//
// Each thread takes its elements out of the vectors of both tiles, which moves no data. Neighboring
// points of a stencil share the tiles: points at -1, 0 and 1 need three. Otherwise each element of
// a vector would be a load of its own, whose lanes access every fourth word.
#include "funnel.h"

#include "access_width.h"

#include "tile/ir/layout.h"
#include "tile/ir/scalar.h"
#include "tile/signature/entry.h"

#include <string.h>

enum { MOST_KNOWN = 64 };

// A load of a tile whose last index is `base` plus a constant. `base` is NULL for a constant index.
struct place {
    const struct tile_op *load;
    const struct tile_value *base;
    int64_t offset;
};

struct funnel {
    struct tile_kernel *kernel;
    const struct tile_ranges *ranges;
    struct place known[MOST_KNOWN]; // loads whose tiles are still current
    uint32_t count;
    bool changed, failed;
};

static bool constant_of(const struct tile_value *value, int64_t *out)
{
    if (!value->op || value->op->kind != TILE_CONSTANT)
        return false;
    *out = tile_int(value->op, TILE_ATTR_VALUE, 0);
    return true;
}

// Splits a scalar index into a value and a constant. Returns NULL if the index is a constant.
static const struct tile_value *split_offset(const struct tile_value *index, int64_t *offset)
{
    int64_t by;

    *offset = 0;
    while (index && index->op && !index->type.rank) {
        const struct tile_op *op = index->op;
        if (constant_of(index, &by)) {
            *offset += by;
            return NULL;
        }
        if (op->kind != TILE_ADD && op->kind != TILE_SUB)
            break;
        if (constant_of(op->operand[1], &by)) {
            *offset += op->kind == TILE_SUB ? -by : by;
            index = op->operand[0];
        } else if (op->kind == TILE_ADD && constant_of(op->operand[0], &by)) {
            *offset += by;
            index = op->operand[1];
        } else {
            break;
        }
    }
    return index;
}

static uint32_t last_operand(const struct tile_op *load)
{
    return tile_attribute(load, TILE_ATTR_SHAPE)->count;
}

// Finds the place of a load whose vectors begin at a constant distance from vectors of memory.
// Returns the elements of a vector; 0 for other loads.
static uint32_t find_place(const struct tile_op *op, const struct tile_ranges *ranges,
                           struct place *p)
{
    const struct tile_value *tile = op->result_count ? op->result[0] : NULL;

    if (op->kind != TILE_LOAD_AT || !tile->type.rank ||
        tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK ||
        tile_int(op, TILE_ATTR_DROPPED, 0) >> (last_operand(op) - 1) & 1)
        return 0;
    uint32_t bytes = tile_bytes_of(tile->type.dtype), vector = TILE_VECTOR_BYTES / bytes;
    const struct tile_value *index = op->operand[last_operand(op)];
    bool padded = tile_int(op, TILE_ATTR_PADDED, 0);
    *p = (struct place){ .load = op };
    p->base = split_offset(index, &p->offset);
    if (vector < 2 || tile_begins_anywhere(op->operand[0]) || !tile_is_signed(index->type.dtype) ||
        tile->type.extent[tile->type.rank - 1] % (int32_t)vector ||
        (padded && op->operand[op->operand_count - 1]->type.rank) ||
        (p->base && tile_index_alignment(ranges, p->base, 1, bytes) % TILE_VECTOR_BYTES))
        return 0;
    return vector;
}

bool tile_begins_between_vectors(const struct tile_op *load, const struct tile_ranges *ranges)
{
    struct place p;
    uint32_t vector = find_place(load, ranges, &p);

    return vector && p.offset % vector;
}

// True if each thread holds whole vectors of a tile.
static bool has_vectors(const struct tile_layout *layout, uint32_t vector)
{
    if (tile_bits_of(vector) > layout->register_bits)
        return false;
    for (uint32_t bit = 0; UINT32_C(1) << bit < vector; bit++)
        if (layout->basis[bit] != UINT32_C(1) << bit)
            return false;
    return true;
}

static bool reads_same(const struct place *a, const struct place *b)
{
    const struct tile_op *x = a->load, *y = b->load;
    uint32_t last = last_operand(x);

    if (a->base != b->base || a->offset != b->offset || x->operand_count != y->operand_count ||
        !tile_type_same(&x->result[0]->type, &y->result[0]->type) ||
        !tile_layout_same(x->result[0]->layout, y->result[0]->layout) ||
        x->operand[last]->type.dtype != y->operand[last]->type.dtype)
        return false;
    for (uint32_t i = 0; i < x->operand_count; i++)
        if (i != last && x->operand[i] != y->operand[i])
            return false;
    const struct tile_attribute *s = tile_attribute(x, TILE_ATTR_SHAPE),
                                *t = tile_attribute(y, TILE_ATTR_SHAPE);
    return memcmp(s->ints, t->ints, s->count * sizeof(*s->ints)) == 0 &&
           tile_int(x, TILE_ATTR_DROPPED, 0) == tile_int(y, TILE_ATTR_DROPPED, 0) &&
           tile_int(x, TILE_ATTR_PADDED, 0) == tile_int(y, TILE_ATTR_PADDED, 0);
}

static struct tile_value *known_tile(const struct funnel *f, const struct place *p)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (reads_same(&f->known[i], p))
            return f->known[i].load->result[0];
    return NULL;
}

static void note(struct funnel *f, const struct place *p)
{
    if (f->count < MOST_KNOWN)
        f->known[f->count++] = *p;
}

// Returns a scalar that every thread holds.
static struct tile_value *scalar(struct tile_value *value, const struct tile_value *like)
{
    if (value)
        value->layout = like->layout;
    return value;
}

static struct tile_value *index_at(struct funnel *f, struct tile_op *place, const struct place *p,
                                   const struct tile_value *like)
{
    struct tile_value *base = (struct tile_value *)(uintptr_t)p->base;
    struct tile_value *by =
        p->offset || !base
            ? scalar(tile_make_int_before(f->kernel, place, like->type.dtype, p->offset), like)
            : NULL;

    if (!base || !by)
        return base ? base : by;
    return scalar(tile_make_before(f->kernel, place, TILE_ADD, &like->type, 2,
                                   (struct tile_value *[]){ base, by }),
                  like);
}

// Returns the tile at an offset, which the kernel may have loaded already.
static struct tile_value *tile_at(struct funnel *f, struct tile_op *load, struct place p,
                                  int64_t offset)
{
    struct tile_value **none =
        tile_take(f->kernel->module, (f->kernel->value_count + 1) * sizeof(*none));
    uint32_t last = last_operand(load);

    p.offset = offset;
    struct tile_value *tile = known_tile(f, &p);
    if (tile || !none)
        return tile;
    struct tile_value *index = index_at(f, load, &p, load->operand[last]);
    struct tile_op *copy = index ? tile_clone(f->kernel, load, none) : NULL;
    if (!copy)
        return NULL;
    tile_set_operand(copy, last, index);
    // The promise that the tile lies inside does not hold for the vectors around it.
    tile_set(f->kernel, copy, (struct tile_attribute){ .key = TILE_ATTR_INSIDE, .i = 0 });
    copy->result[0]->layout = load->result[0]->layout;
    tile_insert_before(load, copy);
    p.load = copy;
    note(f, &p);
    return copy->result[0];
}

static void visit_load(struct funnel *f, struct tile_op *op)
{
    struct place p;
    uint32_t vector = find_place(op, f->ranges, &p);

    if (!vector || !has_vectors(op->result[0]->layout, vector))
        return;
    int64_t past = ((p.offset % vector) + vector) % vector;
    struct tile_value *tile = past ? NULL : known_tile(f, &p);
    if (!past && !tile) {
        note(f, &p);
        return;
    }
    if (past) {
        struct tile_value *both[2] = { tile_at(f, op, p, p.offset - past), NULL };
        both[1] = both[0] ? tile_at(f, op, p, p.offset - past + vector) : NULL;
        tile = tile_make_before(f->kernel, op, TILE_FUNNEL, &op->result[0]->type, 2, both);
        if (!tile) {
            f->failed = true;
            return;
        }
        tile_set(f->kernel, tile->op, (struct tile_attribute){ .key = TILE_ATTR_VALUE, .i = past });
        tile_set(f->kernel, tile->op,
                 (struct tile_attribute){ .key = TILE_ATTR_COUNT, .i = vector });
        tile->layout = op->result[0]->layout;
    }
    tile->name = op->result[0]->name;
    tile_replace(op->result[0], tile, NULL);
    tile_delete(op);
    f->changed = true;
}

static void visit_block(struct funnel *f, struct tile_block *block)
{
    f->count = 0;
    for (struct tile_op *op = block->first, *next; op && !f->failed; op = next) {
        next = op->next;
        for (uint32_t i = 0; i < op->block_count; i++)
            visit_block(f, op->block[i]);
        if (op->block_count || tile_op_infos[op->kind].traits & (TILE_WRITES | TILE_FLOWS))
            f->count = 0; // the tensors may have changed
        visit_load(f, op);
    }
    f->count = 0;
}

bool tile_funnel_loads(struct tile_kernel *kernel, const struct tile_ranges *ranges)
{
    struct funnel f = { .kernel = kernel, .ranges = ranges };

    visit_block(&f, &kernel->body);
    if (f.changed)
        tile_renumber(kernel);
    return !f.failed;
}
