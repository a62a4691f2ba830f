// Finds how the rows of a gathered operand are numbered.
//
// Such rows are contiguous along the tensor's last axis: the last index tile of a gather() rises by
// one along a row, and the others are constant along it. The other index tiles may be any
// elementwise arithmetic on integers, iotas, scalars and loaded tiles. A row's address is computed
// as soon as all its inputs are known, before the innermost loop on which it does not depend.
// Expensive parts of the address, such as divisions and loads, are computed before the outermost
// loop on which they do not depend.
#include "gather.h"
#include "fused.h"
#include "range_analysis.h"

#include "tile/ir/scalar.h"
#include "tile/ir/words.h"

#include <string.h>

enum {
    HEAVY = 4, // nodes of at least this weight are worth a register per row
    WEIGHT_OF_DIVISION = 8,
    WEIGHT_OF_LOAD = 100,
    MOST_WEIGHT = 1 << 20,
};

static const char too_much[] = "a gathered operand's rows are numbered by more than arithmetic";

struct finder {
    struct tile_pipeline *p;
    struct tile_gather *g;
    const struct tile_op *load;
    const char *why;
    uint32_t depth; // depth of the search
};

// ---- Places

static uint32_t depth_of(const struct tile_op *op)
{
    uint32_t depth = 0;

    for (; op; op = op->parent->parent)
        depth++;
    return depth;
}

// Returns the later of two ops. Both precede the product on every path to it, so one of them is in
// the other's block or in a block around that block.
static const struct tile_op *later(const struct tile_op *x, const struct tile_op *y)
{
    uint32_t depth = depth_of(x), other = depth_of(y);

    if (depth != other)
        return depth > other ? x : y;
    for (const struct tile_op *op = x; op; op = op->next)
        if (op == y)
            return y;
    return x;
}

static const struct tile_op *start_of_tile(const struct finder *f)
{
    return f->p->kernel->body.first;
}

// Returns the op before which a scalar is known.
static const struct tile_op *known_before(const struct finder *f, const struct tile_value *scalar)
{
    if (scalar->op)
        return scalar->op->next;
    return scalar->block && scalar->block->parent ? scalar->block->first : start_of_tile(f);
}

// ---- Nodes

static uint16_t find_node(struct finder *f, const struct tile_value *value, const int8_t *axis);

static uint16_t fails(struct finder *f, const char *why)
{
    if (!f->why)
        f->why = why;
    return TILE_NO_NODE;
}

static void depends_on(const struct finder *f, struct tile_row_node *node, uint16_t on)
{
    node->at = later(node->at, f->g->node[on].at);
    node->weight += f->g->node[on].weight;
    if (node->weight > MOST_WEIGHT)
        node->weight = MOST_WEIGHT;
}

static void depends_on_scalar(struct finder *f, struct tile_row_node *node,
                              const struct tile_value *scalar)
{
    if (!tile_want(f->p, scalar))
        (void)fails(f, too_much);
    else
        node->at = later(node->at, known_before(f, scalar));
}

// Maps the axes of an op's result to axes of its operand. False if the elements of the result do
// not correspond to elements of the operand.
static bool axes_of_operand(const struct tile_op *op, const int8_t *axis, int8_t *out)
{
    const struct tile_type *from = &op->operand[0]->type, *to = &op->result[0]->type;
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    uint32_t n = 0;

    for (uint32_t i = 0; i < from->rank; i++) {
        out[i] = -1;
        if (op->kind == TILE_PERMUTE) {
            for (uint32_t k = 0; k < axes->count; k++)
                if (axes->ints[k] == i)
                    out[i] = axis[k];
        } else if (from->extent[i] == 1) {
            continue;
        } else if (op->kind == TILE_BROADCAST) {
            out[i] = axis[i + to->rank - from->rank];
        } else { // a reshape that only adds or drops axes of extent 1
            while (n < to->rank && to->extent[n] == 1)
                n++;
            if (n == to->rank || to->extent[n] != from->extent[i])
                return false;
            out[i] = axis[n++];
        }
    }
    return true;
}

static bool is_of_numbers(const struct tile_value *value)
{
    return tile_is_integer(value->type.dtype) || value->type.dtype == CUC_BOOL;
}

static void find_loaded(struct finder *f, struct tile_row_node *node, const int8_t *axis)
{
    const struct tile_op *op = node->value->op, *slice = op->operand[0]->op;
    uint32_t axes = tile_attribute(op, TILE_ATTR_SHAPE)->count;

    if (tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK ||
        (slice && (slice->kind != TILE_SLICE || slice->operand[0]->op))) {
        (void)fails(f, too_much);
        return;
    }
    for (uint32_t i = 0; i < 2 && slice; i++)
        depends_on_scalar(f, node, slice->operand[1 + i]);
    if (slice)
        f->p->rows[slice->result[0]->id] = true;
    for (uint32_t i = 0; i < axes; i++)
        depends_on_scalar(f, node, op->operand[1 + i]);
    node->weight += WEIGHT_OF_LOAD;
    if (tile_int(op, TILE_ATTR_PADDED, 0) && !f->why) {
        const struct tile_value *pad = op->operand[op->operand_count - 1];
        node->operand[0] = find_node(f, pad, axis);
        if (!f->why)
            depends_on(f, node, node->operand[0]);
    }
}

static bool divides(const struct tile_op *op)
{
    return op->kind == TILE_FLOORDIV || op->kind == TILE_CDIV || op->kind == TILE_MOD ||
           op->kind == TILE_DIV;
}

// Finds the operand nodes of a node's value.
static void find_below(struct finder *f, struct tile_row_node *node, const int8_t *axis)
{
    const struct tile_op *op = node->value->op;
    int8_t below[TILE_MAX_RANK];

    if (!op || op->result_count != 1) {
        (void)fails(f, too_much);
        return;
    }
    bool moves = op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE || op->kind == TILE_PERMUTE;
    bool computes = tile_op_infos[op->kind].traits & TILE_ELEMENTWISE || op->kind == TILE_CONVERT;
    if (op->kind == TILE_IOTA)
        return;
    if (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT) {
        find_loaded(f, node, axis);
        return;
    }
    if (!(moves ? axes_of_operand(op, axis, below) : computes) ||
        op->operand_count > TILE_NODE_OPERANDS) {
        (void)fails(f, too_much);
        return;
    }
    node->weight = divides(op) ? WEIGHT_OF_DIVISION : !moves;
    for (uint32_t i = 0; i < op->operand_count && !f->why; i++) {
        node->operand[i] = find_node(f, op->operand[i], moves ? below : axis);
        if (!f->why)
            depends_on(f, node, node->operand[i]);
    }
}

// Returns the node for a value at one element per row. Creates the node if there is none.
static uint16_t find_node(struct finder *f, const struct tile_value *value, const int8_t *axis)
{
    struct tile_gather *g = f->g;
    struct tile_row_node node = { .value = value, .at = start_of_tile(f) };

    if (f->why)
        return TILE_NO_NODE;
    for (uint32_t i = 0; i < TILE_MAX_RANK; i++)
        node.axis[i] = i < value->type.rank && value->type.extent[i] > 1 ? axis[i] : -1;
    for (uint32_t i = 0; i < TILE_NODE_OPERANDS; i++)
        node.operand[i] = TILE_NO_NODE;
    for (uint32_t i = 0; i < g->nodes; i++)
        if (g->node[i].value == value && !memcmp(g->node[i].axis, node.axis, sizeof(node.axis)))
            return (uint16_t)i;
    if (value->type.tensor || !is_of_numbers(value))
        return fails(f, too_much);
    if (g->nodes + f->depth == TILE_MOST_NODES)
        return fails(f, "a gathered operand's rows are numbered by more than 96 values");
    f->depth++;
    if (value->type.rank) {
        f->p->rows[value->id] = true;
        find_below(f, &node, node.axis);
    } else {
        depends_on_scalar(f, &node, value);
    }
    f->depth--;
    if (f->why)
        return TILE_NO_NODE;
    g->node[g->nodes] = node;
    return (uint16_t)g->nodes++;
}

// ---- Placement of computations before loops

static void need(struct tile_gather *g, uint16_t number, const struct tile_op *before)
{
    struct tile_row_node *node = number == TILE_NO_NODE ? NULL : &g->node[number];

    if (node)
        node->needed = node->needed ? later(node->needed, before) : before;
}

// Marks the expensive nodes that are needed in a loop but can be computed before it.
static void keep(struct tile_gather *g, uint32_t axes)
{
    for (uint32_t i = 0; i < axes; i++)
        need(g, g->index[i], g->at);
    need(g, g->mask, g->at);
    for (uint32_t n = g->nodes; n-- > 0;) { // operands last
        struct tile_row_node *node = &g->node[n];
        if (!node->needed)
            continue;
        node->kept = node->value->type.rank && node->weight >= HEAVY &&
                     tile_loop_around(node->at) != tile_loop_around(node->needed);
        for (uint32_t i = 0; i < TILE_NODE_OPERANDS; i++)
            need(g, node->operand[i], node->kept ? node->at : node->needed);
    }
}

// ---- Lines

// A node's step along an axis of the box is the difference of its values at neighboring elements.
// CHANGES: the difference varies or is unknown.
enum { EQUAL = 0, RISES = 1, CHANGES = INT32_MAX, MOST_STEP = 1 << 10 };

// Returns a node's value if it is a small positive constant, otherwise 0.
static int64_t constant_of(const struct tile_row_node *node)
{
    const struct tile_op *op = node->value->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_CONVERT))
        op = op->operand[0]->op;
    int64_t value = op && op->kind == TILE_CONSTANT ? tile_int(op, TILE_ATTR_VALUE, 0) : 0;
    return value > 0 && value < MOST_STEP ? value : 0;
}

// Returns the step of an op's result. `below` holds the steps of the preceding nodes.
static int32_t result_step(const struct tile_gather *g, const struct tile_row_node *node,
                           const int32_t *below)
{
    const struct tile_op *op = node->value->op;
    int32_t x = below[node->operand[0]], y = op->operand_count > 1 ? below[node->operand[1]] : 0;

    switch (op->kind) {
    case TILE_CAST:
        return cuc_dtype_bits(op->operand[0]->type.dtype) <=
                       cuc_dtype_bits(op->result[0]->type.dtype)
                   ? x
                   : CHANGES;
    case TILE_BROADCAST:
    case TILE_RESHAPE:
    case TILE_PERMUTE:
    case TILE_CONVERT:
        return x;
    case TILE_ADD:
        return x + y;
    case TILE_SUB:
        return x - y;
    case TILE_MUL:
        x = x ? x * (int32_t)constant_of(&g->node[node->operand[1]])
              : y * (int32_t)constant_of(&g->node[node->operand[0]]);
        return x ? x : CHANGES;
    case TILE_SHL:
        y = y ? 0 : (int32_t)constant_of(&g->node[node->operand[1]]);
        return y && y < 10 ? x * (1 << y) : CHANGES;
    default:
        return CHANGES;
    }
}

// Returns a node's step. `below` holds the steps of the preceding nodes.
static int32_t step_of(const struct tile_gather *g, const struct tile_row_node *node, int8_t axis,
                       const int32_t *below)
{
    const struct tile_op *op = node->value->op;
    bool along = false, changes = false;

    for (uint32_t i = 0; i < node->value->type.rank; i++)
        along |= node->axis[i] == axis;
    if (!along)
        return EQUAL;
    if (op->kind == TILE_IOTA)
        return RISES;
    if (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT)
        return CHANGES;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (below[node->operand[i]] == CHANGES)
            return CHANGES;
        changes |= below[node->operand[i]] != EQUAL;
    }
    int32_t step = changes ? result_step(g, node, below) : EQUAL;
    return step < -MOST_STEP || step > MOST_STEP ? CHANGES : step;
}

static void find_steps(const struct tile_gather *g, int8_t axis, int32_t *step)
{
    for (uint32_t n = 0; n < g->nodes; n++)
        step[n] = step_of(g, &g->node[n], axis, step);
}

// True for a node whose value may wrap between two elements to another valid index. TMA would miss
// that, because it computes all indices from the first one, in 32 bits.
static bool may_wrap(const struct tile_row_node *node)
{
    cuc_dtype dtype = node->value->type.dtype;

    return node->value->op->kind != TILE_IOTA && dtype != CUC_I32 && dtype != CUC_I64;
}

// Finds out if TMA can copy the elements: each axis of the box runs along one axis of the tensor,
// and these axes have the same order in both.
static void find_box(struct tile_gather *g, const struct tile_type *box, uint32_t last)
{
    enum { MOST_DISTANCE = 8, MOST_BOX = 256 };
    int32_t step[TILE_MOST_NODES];
    uint32_t next = 0; // axis of the tensor

    g->is_box = last < TILE_MAP_RANK && g->mask == TILE_NO_NODE;
    for (uint32_t i = 0; i <= last; i++)
        g->extent[i] = g->step[i] = 1;
    g->extent[last] = box->extent[box->rank - 1];
    for (int8_t axis = 0; axis + 1 < box->rank && g->is_box; axis++) {
        uint32_t along = last, axes = 0;
        if (box->extent[axis] == 1)
            continue;
        find_steps(g, axis, step);
        for (uint32_t i = 0; i < last; i++)
            if (step[g->index[i]] != EQUAL) {
                along = i;
                axes++;
            }
        for (uint32_t n = 0; n < g->nodes; n++)
            if (step[n] != EQUAL && may_wrap(&g->node[n]))
                axes = 0;
        int32_t distance = axes == 1 ? step[g->index[along]] : 0;
        g->is_box = along >= next && distance > 0 && distance <= MOST_DISTANCE &&
                    box->extent[axis] * distance <= MOST_BOX;
        g->extent[along] = box->extent[axis];
        g->step[along] = distance;
        next = along + 1;
    }
}

// Returns a divisor of a node's value at the element with all coordinates 0.
static uint64_t divisor_of(const struct tile_pipeline *p, const struct tile_row_node *node,
                           const uint64_t *below)
{
    const struct tile_op *op = node->value->op;

    if (!node->value->type.rank)
        return tile_range_of(p->ranges, node->value).divisor;
    switch (op->kind) {
    case TILE_IOTA:
        return 0;
    case TILE_BROADCAST:
    case TILE_RESHAPE:
    case TILE_PERMUTE:
    case TILE_CONVERT:
    case TILE_CAST:
        return below[node->operand[0]];
    case TILE_ADD:
    case TILE_SUB:
        return tile_common_divisor(below[node->operand[0]], below[node->operand[1]]);
    default:
        return tile_range_of(p->ranges, node->value).divisor;
    }
}

bool tile_gather_starts_aligned(struct tile_pipeline *p, const struct tile_stream *s)
{
    if (s->load->kind == TILE_LOAD_ROWS)
        return true; // a multiple of the tile's extent
    if (!p->ranges)
        p->ranges = tile_analyze_ranges(p->kernel, 0, false);
    uint64_t divisor[TILE_MOST_NODES];
    for (uint32_t n = 0; n < s->gather->nodes; n++)
        divisor[n] = divisor_of(p, &s->gather->node[n], divisor);
    return divisor[s->gather->index[s->last]] % (TILE_WORD_BYTES / s->element) == 0;
}

// ---- The operand

// Maps each axis of a box to itself.
static void own_axes(int8_t *axis)
{
    for (int8_t i = 0; i < TILE_MAX_RANK; i++)
        axis[i] = i;
}

// For load_rows(): the ids are indices along the first axis, and the other indices count tiles.
static void find_rows(struct finder *f)
{
    const struct tile_op *op = f->load;
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    int8_t axis[TILE_MAX_RANK], next = 1;

    own_axes(axis);
    f->g->index[0] = find_node(f, op->operand[1], axis);
    for (uint32_t i = 0; i < shape->count; i++) {
        f->g->index[1 + i] = find_node(f, op->operand[2 + i], axis);
        f->g->scale[1 + i] = shape->ints[i];
        f->g->plus[1 + i] = dropped >> i & 1 ? -1 : next++;
    }
    if (dropped >> (shape->count - 1u) & 1)
        (void)fails(f, "the last axis of an operand's tensor is dropped");
}

static void find_elements(struct finder *f, uint32_t last)
{
    const struct tile_op *op = f->load;
    int8_t axis[TILE_MAX_RANK], line = (int8_t)(op->result[0]->type.rank - 1u);

    own_axes(axis);
    for (uint32_t i = 0; i <= last; i++)
        f->g->index[i] = find_node(f, op->operand[1 + i], axis);
    if (tile_int(op, TILE_ATTR_MASKED, 0))
        f->g->mask = find_node(f, op->operand[2 + last], axis);
    if (f->why)
        return;
    int32_t step[TILE_MOST_NODES];
    find_steps(f->g, line, step);
    for (uint32_t i = 0; i < last; i++)
        if (step[f->g->index[i]] != EQUAL)
            f->why = "a gathered operand's lines do not run along the last axis of its tensor";
    if (step[f->g->index[last]] != RISES)
        f->why = "a gathered operand's elements do not follow one another along its lines";
    if (f->g->mask != TILE_NO_NODE && step[f->g->mask] != EQUAL)
        f->why = "a gathered operand is masked by element";
    for (int8_t i = 0; i < line; i++) {
        find_steps(f->g, i, step);
        if (step[f->g->index[last]] != EQUAL)
            f->why = "a gathered operand's lines begin at different columns";
    }
    if (!f->why)
        find_box(f->g, &op->result[0]->type, last);
}

// Checks the slice from which rows are gathered. Returns the op before which its bounds are known.
static const struct tile_op *find_slice(struct finder *f, const struct tile_op *slice,
                                        uint32_t last)
{
    const struct tile_op *at = start_of_tile(f);

    if (slice->kind != TILE_SLICE || slice->operand[0]->op)
        f->why = "a gathered operand is of a slice of a slice";
    else if (tile_int(slice, TILE_ATTR_AXIS, 0) == last)
        f->why = "a gathered operand is of a slice along its lines";
    for (uint32_t i = 1; i < 3 && !f->why; i++) {
        if (!tile_want(f->p, slice->operand[i]))
            f->why = "the bounds of a gathered operand's slice are not computed from scalars alone";
        at = later(at, known_before(f, slice->operand[i]));
    }
    if (!f->why)
        f->p->rows[slice->result[0]->id] = true; // emitted where the rows' addresses are computed
    return at;
}

const char *tile_find_gather(struct tile_pipeline *p, struct tile_stream *s)
{
    struct finder f = { .p = p, .g = s->gather, .load = s->load };
    struct tile_gather *g = s->gather;

    if (!g)
        return ""; // out of memory
    memset(g, 0, sizeof(*g));
    g->mask = TILE_NO_NODE;
    for (uint32_t i = 0; i < TILE_MAX_RANK; i++) {
        g->scale[i] = 1;
        g->plus[i] = -1;
    }
    if (s->load->kind == TILE_LOAD_ROWS)
        find_rows(&f);
    else
        find_elements(&f, s->last);
    g->at = s->slice && !f.why ? find_slice(&f, s->slice, s->last) : start_of_tile(&f);
    if (f.why)
        return f.why;
    g->is_box &= !s->slice; // a map ends where the tensor does
    for (uint32_t i = 0; i < s->last; i++)
        g->at = later(g->at, g->node[g->index[i]].at);
    if (g->mask != TILE_NO_NODE)
        g->at = later(g->at, g->node[g->mask].at);
    keep(g, s->last);
    return NULL;
}

uint32_t tile_gather_registers(const struct tile_stream *s)
{
    uint32_t words = 2; // of a row's address

    if (!s->by_threads)
        return 0;
    for (uint32_t n = 0; n < s->gather->nodes; n++)
        if (s->gather->node[n].kept)
            words += cuc_dtype_bits(s->gather->node[n].value->type.dtype) > 32 ? 2 : 1;
    return words * tile_rounds_of(s).rounds;
}

// ---- Values that no warpgroup needs

struct users {
    const struct tile_pipeline *p;
    bool changed;
};

static bool is_gathered_load(const struct tile_pipeline *p, const struct tile_op *op)
{
    for (uint32_t i = 0; i < 2; i++)
        if (p->stream[i].gather && p->stream[i].load == op)
            return true;
    return p->fused && tile_is_gather(op) && tile_feed_of(tile_fused_of(p), op);
}

static void drop_used(struct tile_op *op, void *data)
{
    struct users *u = data;
    bool *only = u->p->only_streamed;

    for (uint32_t i = 0; i < op->result_count; i++)
        for (const struct tile_use *use = op->result[i]->use; use && only[op->result[i]->id];
             use = use->next) {
            const struct tile_op *user = use->user;
            if (is_gathered_load(u->p, user) ||
                (u->p->products && user->kind == TILE_MMA && use - user->use < 2) ||
                (user->result_count == 1 && only[user->result[0]->id]))
                continue;
            only[op->result[i]->id] = false;
            u->changed = true;
        }
}

// Marks a product's operands, from the loads on: the ring delivers them.
static void mark_streamed(const struct tile_pipeline *p, const struct tile_op *mma)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_value *x = mma->operand[i];
        for (; !(tile_op_infos[x->op->kind].traits & TILE_READS); x = x->op->operand[0])
            p->only_streamed[x->id] = true;
        p->only_streamed[x->id] = true;
    }
}

void tile_mark_only_streamed(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    struct users u = { .p = p, .changed = true };

    memcpy(p->only_streamed, p->rows, kernel->value_count * sizeof(*p->rows));
    for (uint32_t n = 0; n < p->products; n++)
        mark_streamed(p, p->product[n].mma);
    while (u.changed) {
        u.changed = false;
        tile_walk(&kernel->body, drop_used, &u);
    }
}
