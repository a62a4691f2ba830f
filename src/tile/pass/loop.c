// Finds the loop `acc = mma(load(..), load(..), acc)` of a kernel with a single matrix product.
// Each iteration loads both operands, possibly transposed, and does nothing else. Hence another
// thread can compute the loads' indices, or they can be computed ahead of time. The code before the
// loop may only compute and load.
#include "gather.h"

#include "tile/ir/words.h"
#include "tile/ir/layout.h"

struct search {
    const struct tile_op *mma;
    uint32_t count;
};

bool tile_take_marks(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    size_t bytes = (kernel->value_count + 1) * sizeof(*p->wanted);

    p->wanted = tile_take(kernel->module, bytes);
    p->known = tile_take(kernel->module, bytes);
    p->rows = tile_take(kernel->module, bytes);
    p->only_streamed = tile_take(kernel->module, bytes);
    return p->wanted && p->known && p->rows && p->only_streamed;
}

static void find_product(struct tile_op *op, void *data)
{
    struct search *s = data;

    if (op->kind != TILE_MMA)
        return;
    s->mma = op;
    s->count++;
}

// ---- Operands

// True if the operand may come from a slice of a tensor's rows. The slice's start becomes an
// additional coordinate. Rows past the slice's end may be read, because their results are unused.
static bool can_be_of(struct tile_pipeline *p, const struct tile_stream *s,
                      const struct tile_op *load, uint32_t which, bool transposed)
{
    uint32_t axis = (which == 0) == transposed ? s->last : s->other;

    return s->slice->kind == TILE_SLICE && !s->slice->operand[0]->op && which == p->swapped &&
           tile_int(s->slice, TILE_ATTR_AXIS, 0) == axis && tile_rows_unseen(p, load, axis) &&
           tile_want(p, s->slice->operand[1]);
}

bool tile_want_place(struct tile_pipeline *p, struct tile_stream *s)
{
    p->wanted[s->load->result[0]->id] = true;
    if (s->gather)
        return !tile_find_gather(p, s);
    if (s->slice && !tile_want(p, s->slice->operand[1]))
        return false;
    for (uint32_t i = 0; i < tile_attribute(s->load, TILE_ATTR_SHAPE)->count; i++)
        if (!tile_want(p, s->load->operand[1 + i]))
            return false;
    return true;
}

const char *tile_find_gathered(struct tile_pipeline *p, struct tile_stream *s)
{
    const struct tile_op *load = s->load;

    s->slice = load->operand[0]->op;
    s->last = load->operand[0]->type.rank - 1u;
    s->other = UINT32_MAX;
    s->gather = tile_take(p->kernel->module, sizeof(*s->gather));
    p->wanted[load->result[0]->id] = true;
    const char *why = tile_find_gather(p, s);
    s->by_threads = !why && !s->gather->is_box;
    return why;
}

const char *tile_find_stream(struct tile_pipeline *p, const struct tile_op *mma, uint32_t which,
                             struct tile_stream *s)
{
    const struct tile_value *x = mma->operand[which];
    bool transposed = false;

    if (x->type.rank != 2)
        return "it has batches";
    const struct tile_op *load = tile_loaded_box(x, &transposed);
    bool gathers = !load;
    if (gathers) {
        transposed = false;
        load = tile_gathered_box(x, &transposed);
    }
    if (!load || load->parent != mma->parent)
        return "an operand is not loaded for it alone in the loop";
    if (!tile_pads_zeros(load))
        return "an operand is padded with something else than zeros, or loaded in an order";
    s->load = load;
    s->element = tile_bytes_of(x->type.dtype);
    s->mn_major = (which == 0) == transposed; // a is [rows, depth], b is [depth, columns]
    if (gathers)
        return tile_find_gathered(p, s);
    const struct tile_attribute *shape = tile_attribute(load, TILE_ATTR_SHAPE);
    s->last = shape->count - 1u;
    if (tile_int(load, TILE_ATTR_DROPPED, 0) >> s->last & 1)
        return "the last axis of an operand's tensor is dropped";
    s->slice = load->operand[0]->op;
    s->other = tile_other_axis(load);
    if (s->slice && !can_be_of(p, s, load, which, transposed))
        return "an operand is of a slice of something else than rows";
    return tile_want_place(p, s) ? NULL : "an operand's place is not computed from scalars alone";
}

static void find_effect(struct tile_op *op, void *data)
{
    bool *has = data;
    uint32_t traits = tile_op_infos[op->kind].traits;

    *has |= (traits & TILE_WRITES && op->kind != TILE_MEET) || op->kind == TILE_LOOP ||
            op->kind == TILE_RETURN || tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK;
}

bool tile_has_effect(struct tile_op *op)
{
    bool has = false;

    find_effect(op, &has);
    for (uint32_t i = 0; i < op->block_count; i++)
        tile_walk(op->block[i], find_effect, &has);
    return has;
}

const char *tile_check_before(struct tile_kernel *kernel, struct tile_pipeline *p,
                              const struct tile_op *first, bool flows)
{
    for (struct tile_op *op = kernel->body.first; op != first; op = op->next) {
        bool alone = tile_can_know(p, op);
        if (!alone && ((op->block_count && !flows) || tile_has_effect(op)))
            return flows ? "the loop comes after stores, accesses in an order or while loops of "
                           "tiles"
                         : "the loop comes after stores, accesses in an order or control flow of "
                           "tiles";
        p->before |= alone &&
                     (op->block_count || (!flows && tile_op_infos[op->kind].traits & TILE_READS));
    }
    return NULL;
}

const char tile_not_in_loop[] = "it is not in a for loop of the kernel's own";

static const char *find_loop(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    const struct tile_op *loop = p->mma->parent->parent;

    if (!loop || loop->kind != TILE_FOR || loop->parent != &kernel->body)
        return tile_not_in_loop;
    p->loop = loop;
    const char *why = tile_check_before(kernel, p, loop, false);
    if (why)
        return why;
    if (loop->result_count != 1 || p->mma->operand[2] != loop->block[0]->argument[1] ||
        loop->block[0]->last->kind != TILE_CONTINUE ||
        loop->block[0]->last->operand[0] != p->mma->result[0] || p->mma->result[0]->uses != 1 ||
        loop->block[0]->argument[1]->uses != 1)
        return "the loop does not carry its accumulator, and nothing else";
    for (uint32_t i = 0; i < 3; i++)
        if (!tile_want(p, loop->operand[i]))
            return "the loop's bounds are not computed from scalars alone";
    p->from_zero = tile_is_zero(loop->operand[3]);
    return NULL;
}

// Checks that the copying thread can do all other work in the loop.
static const char *check_other_ops(const struct tile_pipeline *p)
{
    for (const struct tile_op *op = p->loop->block[0]->first; op; op = op->next) {
        uint32_t traits = tile_op_infos[op->kind].traits;
        if (op == p->mma || op->kind == TILE_PERMUTE || op->kind == TILE_RESHAPE ||
            traits & TILE_TERMINATES)
            continue;
        if (op->result_count != 1 || (!p->wanted[op->result[0]->id] && !p->rows[op->result[0]->id]))
            return "the loop does something else besides";
    }
    return NULL;
}

const char *tile_find_loop(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    struct search s = { NULL, 0 };
    const char *why;

    p->kernel = kernel;
    tile_walk(&kernel->body, find_product, &s);
    p->mma = s.mma;
    if (!s.count || !tile_take_marks(kernel, p))
        return "";
    if (s.count > 1)
        return "there are several in the kernel";
    why = find_loop(kernel, p);
    for (uint32_t i = 0; i < 2 && !why; i++)
        why = tile_find_stream(p, p->mma, i, &p->stream[i]);
    return why ? why : check_other_ops(p);
}

bool tile_can_stream(struct tile_pipeline *p, const struct tile_op *load)
{
    for (uint32_t i = 0; i < tile_attribute(load, TILE_ATTR_SHAPE)->count; i++)
        if (!tile_want(p, load->operand[1 + i]))
            return false;
    return tile_is_plain_load(load) && !tile_is_used_outside(load->result[0], load->parent);
}

bool tile_settle_pipeline(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    if (!tile_take_marks(kernel, p))
        return false;
    if (p->first) {
        tile_settle_region(kernel, p);
    } else {
        for (const struct tile_op *op = kernel->body.first; op != p->loop; op = op->next)
            (void)tile_can_know(p, op);
        for (uint32_t i = 0; i < 3; i++)
            (void)tile_want(p, p->loop->operand[i]);
        for (uint32_t which = 0; which < 2; which++)
            (void)tile_want_place(p, &p->stream[which]);
    }
    tile_mark_only_streamed(kernel, p);
    // If the layout of the side tile or of the stored tile differs from the product's, threads load
    // the side tile, not TMA.
    if (p->side && (!tile_layout_same(p->side->result[0]->layout, p->mma->result[0]->layout) ||
                    !tile_layout_same(p->store->operand[p->store->operand_count - 1]->layout,
                                      p->mma->result[0]->layout)))
        p->side = NULL;
    for (uint32_t i = 0; p->side && i < tile_attribute(p->side, TILE_ATTR_SHAPE)->count; i++)
        (void)tile_want(p, p->side->operand[1 + i]);
    return true;
}
