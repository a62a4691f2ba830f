// Finds a loop whose operands can be prefetched, and plans its stages.
//
// A load qualifies if its only use is one product per iteration, if it pads with zeros, and if its
// indices, or the ids of its rows, can be computed ahead of time. Indices and ids may come from
// memory, such as the number of a page. The loop must store nothing, because a store could write
// memory that a load reads.
#include "prefetch.h"
#include "pass.h"

#include "tile/ir/layout.h"
#include "tile/ir/words.h"
#include "tile/layout/fragment.h"

#include <string.h>

enum { USUAL_STAGES = 4, PIECE_BYTES = 16, STEP_BYTES = 32, OTHERS_BYTES = 48 * 1024 };
enum { FEW_THREADS = 128, FEW_ROWS = 16 };
enum { BLOCK_BYTES = 1024 };        // shared memory that the driver reserves per block
enum { EXCHANGE_BYTES = 8 * 1024 }; // needed beside the stages by a block of few threads
enum { STAGE_ALIGN = 128 };         // swizzles use address bits

bool tile_prefetch_reads(const struct tile_op *op)
{
    bool loads = op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT || op->kind == TILE_GATHER;

    return loads && tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_WEAK;
}

const struct tile_op *tile_prefetch_read_of(const struct tile_op *op)
{
    const struct tile_op *read = op->kind == TILE_CONVERT ? op->operand[0]->op : op;

    if (!read || !tile_prefetch_reads(read) || (read != op && read->kind != TILE_GATHER))
        return NULL;
    if (read != op)
        return read->parent == op->parent ? read : NULL;
    for (const struct tile_use *use = op->result[0]->use; use; use = use->next)
        if (use->user->kind != TILE_CONVERT)
            return op;
    return NULL;
}

// True for a value that is read from memory, or computed from such a value in the loop.
static bool depends_on_reads(const struct tile_prefetch *p, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (value->type.tensor || !op || !tile_is_within(op, p->loop->block[0]))
        return false;
    if (tile_prefetch_reads(op))
        return true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (depends_on_reads(p, op->operand[i]))
            return true;
    return false;
}

bool tile_prefetch_can_copy(const struct tile_prefetch *p, const struct tile_op *read)
{
    const struct tile_type *type = &read->result[0]->type;
    uint32_t size = tile_bytes_of(type->dtype);

    if ((size != 4 && size != 8) || (type->rank && read->kind != TILE_GATHER))
        return false;
    for (uint32_t i = 1; i < read->operand_count; i++)
        if (depends_on_reads(p, read->operand[i]))
            return false;
    return true;
}

int64_t tile_prefetch_extent(const struct tile_prefetch_stream *s, uint32_t axis)
{
    return tile_attribute(s->load, TILE_ATTR_SHAPE)->ints[axis - s->rows];
}

// True if an access may be made ahead of time. If iterations may end early, a promise that the
// access stays inside does not cover accesses that the source never reaches.
static bool may_read(const struct tile_prefetch *p, const struct tile_op *access)
{
    return !p->ends_early || !tile_int(access, TILE_ATTR_INSIDE, 0);
}

// True for an op whose result a thread computes by itself.
static bool computes(const struct tile_op *op)
{
    bool moves = op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE || op->kind == TILE_IOTA;

    return !op->result[0]->type.rank ? tile_is_recomputable(op)
                                     : moves || tile_op_infos[op->kind].traits & TILE_ELEMENTWISE;
}

// Marks the values in the loop on which an index or the ids of rows depend. With `ahead`, the value
// indexes a read of such an index or id. False if the value depends on anything that threads cannot
// compute ahead of time.
static bool want(struct tile_prefetch *p, const struct tile_value *value, bool ahead)
{
    const struct tile_op *op = value->op;
    const struct tile_block *body = p->loop->block[0];

    if (value->type.tensor) // a slice is not recomputed
        return !ahead || !op || !tile_is_within(op, body);
    if (!op)
        return value->block != body || value == body->argument[0];
    bool reads = tile_prefetch_reads(op) || (p->spreads && tile_prefetch_read_of(op));
    ahead |= reads;
    if (!tile_is_within(op, body) || (p->wanted[value->id] && p->ahead[value->id] >= ahead))
        return true;
    if (op->parent != body || !(reads ? may_read(p, op) : computes(op)))
        return false;
    p->wanted[value->id] = true;
    p->ahead[value->id] = ahead;
    p->reads |= reads;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!want(p, op->operand[i], ahead))
            return false;
    return true;
}

static bool wants_place(struct tile_prefetch *p, const struct tile_op *load)
{
    for (uint32_t i = 0; i < load->operand[0]->type.rank; i++)
        if (!want(p, load->operand[1 + i], false))
            return false;
    return true;
}

// True if a tensor's known alignment applies. A slice keeps the alignment unless it slices the last
// axis or is made in the loop.
static bool is_aligned(const struct tile_value *tensor, const struct tile_block *body)
{
    for (; tensor->op; tensor = tensor->op->operand[0])
        if (tile_is_within(tensor->op, body) ||
            tile_int(tensor->op, TILE_ATTR_AXIS, 0) + 1 == tensor->type.rank)
            return false;
    return true;
}

// Returns the load_rows() whose pages a reshape joins to one matrix, or NULL.
static const struct tile_op *pages_of(const struct tile_value *x)
{
    const struct tile_op *join = x->op, *load = NULL;

    if (join && join->kind == TILE_RESHAPE && x->uses == 1 && join->operand[0]->uses == 1)
        load = join->operand[0]->op;
    if (!load || load->kind != TILE_LOAD_ROWS || load->parent != join->parent)
        return NULL;
    const struct tile_type *pages = &load->result[0]->type;
    return pages->rank == 3 && pages->extent[2] == x->type.extent[1] ? load : NULL;
}

// Returns the axis of a load_rows() along which the lines of a page lie.
static uint32_t axis_of_lines(const struct tile_op *load)
{
    uint32_t axis = 1;

    while (tile_int(load, TILE_ATTR_DROPPED, 0) >> (axis - 1) & 1)
        axis++;
    return axis;
}

static const char *add_stream(struct tile_prefetch *p, const struct tile_op *mma, uint32_t which,
                              uint32_t threads)
{
    struct tile_prefetch_stream *s = &p->stream[p->streams];
    const struct tile_value *x = mma->operand[which];
    const struct tile_block *body = p->loop->block[0];
    bool transposed = false;

    if (p->streams == TILE_MOST_PREFETCHED || x->type.rank != 2)
        return "an operand has batches";
    x = tile_strip_transposes(x, &transposed);
    const struct tile_op *pages = pages_of(x), *load = pages ? pages : x->op;
    if (!load || (load->kind != TILE_LOAD && load->kind != TILE_LOAD_ROWS) ||
        load->parent != body || x->uses != 1)
        return "an operand is not loaded for it alone in the loop";
    if (!tile_pads_zeros(load))
        return "an operand is padded with something else than zeros, or loaded in an order";
    const struct tile_attribute *shape = tile_attribute(load, TILE_ATTR_SHAPE);
    bool rows = load->kind == TILE_LOAD_ROWS;
    *s = (struct tile_prefetch_stream){ .load = load,
                                        .rows = rows,
                                        .each = pages ? (uint32_t)load->result[0]->type.extent[1]
                                                      : 1,
                                        .element = tile_bytes_of(x->type.dtype),
                                        .last = load->operand[0]->type.rank - 1u,
                                        .other = pages  ? axis_of_lines(load)
                                                 : rows ? 0
                                                        : tile_other_axis(load) };
    if (tile_int(load, TILE_ATTR_DROPPED, 0) >> (shape->count - 1u) & 1 ||
        !is_aligned(load->operand[0], body))
        return "an operand's lines are not known to be aligned";
    uint32_t columns = (uint32_t)x->type.extent[1];
    uint32_t line = columns * s->element, pieces = line / PIECE_BYTES;
    uint32_t depth = (uint32_t)mma->operand[which]->type.extent[which ? 0 : 1];
    if (line % PIECE_BYTES || pieces & (pieces - 1) || pieces > threads)
        return "an operand's lines are not 1, 2, 4 ... times 16 bytes";
    if (s->each > 1 && s->each % (threads / pieces))
        return "its pages have fewer lines than the threads copy at once";
    if (depth * s->element % STEP_BYTES)
        return "its stages are not a multiple of 32 bytes deep";
    s->transposed = (which == 0) == transposed; // a is [rows, depth], b is [depth, columns]
    s->single = tile_fragment_single(x->type.dtype, s->transposed);
    if (s->transposed && (s->element == 1 || columns < (which ? 8 : 16)))
        return "operands of this dtype must have the summed axis last in memory";
    uint32_t side = (uint32_t)mma->operand[which]->type.extent[which];
    if (s->single && (side < (which ? 8 : 16) || side & (side - 1)))
        return "operands of this dtype must be 16, 32, 64 ... long";
    if (!wants_place(p, load) || (rows && !may_read(p, load)))
        return "an operand's place is not computed from scalars alone";
    s->lines = (uint32_t)x->type.extent[0];
    s->span = s->single ? 0 : tile_fragment_span(line);
    s->pitch = s->span ? line : tile_fragment_pitch(line, s->single);
    s->bytes = (s->pitch * s->lines + STAGE_ALIGN - 1) / STAGE_ALIGN * STAGE_ALIGN;
    s->at = p->stage_bytes;
    p->stage_bytes += s->bytes;
    p->streams++;
    return NULL;
}

struct contents {
    const struct tile_block *body;
    bool stores, continues_early; // `stores`: the loop stores or may end early; `continues_early`:
                                  // an iteration may end early
    bool orders;                  // there are ordered loads, which later accesses must not overtake
    uint32_t products;
    bool rows; // a product has more than FEW_ROWS rows
};

static void look_into(struct tile_op *op, void *data)
{
    struct contents *c = data;

    c->stores |= tile_op_infos[op->kind].traits & TILE_WRITES || op->kind == TILE_BREAK ||
                 op->kind == TILE_RETURN;
    c->orders |= tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK;
    c->continues_early |= op->kind == TILE_CONTINUE && op->parent != c->body;
    c->products += op->kind == TILE_MMA;
    c->rows |= op->kind == TILE_MMA &&
               op->result[0]->type.extent[op->result[0]->type.rank - 2] > FEW_ROWS;
}

struct search {
    struct tile_kernel *kernel;
    const struct tile_target *target;
    uint32_t threads;
    struct tile_prefetch *best;
    const char *why;
    bool products;
    uint32_t count; // number of products
};

static bool take_marks(struct tile_kernel *kernel, struct tile_prefetch *p)
{
    size_t count = kernel->value_count + 1;

    p->reads = false;
    p->wanted = tile_take(kernel->module, count * sizeof(*p->wanted));
    p->ahead = tile_take(kernel->module, count * sizeof(*p->ahead));
    return p->wanted && p->ahead;
}

static void consider_loop(struct tile_op *op, void *data)
{
    struct search *s = data;
    struct contents contents = { .body = op->block_count ? op->block[0] : NULL };

    s->count += op->kind == TILE_MMA;
    s->products |= op->kind == TILE_MMA && tile_fragment_of(op, s->target);
    if (op->kind != TILE_FOR || op->block[0]->last->kind != TILE_CONTINUE)
        return;
    struct tile_prefetch *p = tile_take(s->kernel->module, sizeof(*p));
    if (!p || !take_marks(s->kernel, p))
        return;
    p->loop = op;
    tile_walk(op->block[0], look_into, &contents);
    p->ends_early = contents.continues_early;
    for (const struct tile_op *mma = op->block[0]->first; mma; mma = mma->next) {
        if (mma->kind != TILE_MMA || !tile_fragment_of(mma, s->target))
            continue;
        for (uint32_t which = 0; which < 2; which++) {
            const char *why = contents.stores   ? "the loop has stores, or ends early"
                              : contents.orders ? "the loop has accesses in an order"
                                                : add_stream(p, mma, which, s->threads);
            s->why = why ? why : s->why;
        }
        if (p->streams == 2 && contents.products == 1 && !contents.continues_early)
            p->only = mma;
    }
    p->waits = contents.products > 1 && !contents.rows;
    if (p->streams > (s->best ? s->best->streams : 0))
        s->best = p;
}

// Returns how many blocks should fit on a multiprocessor at once. With few threads per block, two
// blocks let one multiply while the other waits. Products of few rows mostly wait for memory, one
// after the other, and three blocks keep enough bytes in flight.
static uint32_t blocks_of(const struct tile_prefetch *p, uint32_t threads)
{
    return threads > FEW_THREADS ? 1 : p->only ? 2 : p->waits ? 3 : 1;
}

struct tile_prefetch *tile_plan_prefetch(struct tile_kernel *kernel,
                                         const struct tile_target *target, uint32_t warps,
                                         const char **why)
{
    struct search s = {
        .kernel = kernel, .target = target, .threads = 32 * warps, .why = "it is not in a for loop"
    };

    *why = "";
    tile_walk(&kernel->body, consider_loop, &s);
    if (!s.best) {
        *why = s.products ? s.why : "";
        return NULL;
    }
    uint32_t rest = target->shared_limit, most = target->stages ? target->stages : USUAL_STAGES;
    // Limit the plan, because the rest of the kernel needs shared memory, too.
    if (s.count > 1 || s.best->streams < 2)
        rest -= OTHERS_BYTES;
    s.best->stages = rest / s.best->stage_bytes;
    if (s.best->stages > most)
        s.best->stages = most;
    // If two stages fit in the block's share of shared memory, use no more than that share.
    uint32_t blocks = blocks_of(s.best, s.threads);
    uint32_t part = (target->shared_limit + BLOCK_BYTES) / blocks - BLOCK_BYTES -
                    (s.best->waits ? EXCHANGE_BYTES : 0);
    uint32_t beside = part / s.best->stage_bytes;
    if (!target->stages && blocks > 1 && beside >= 2 && s.best->stages > beside)
        s.best->stages = beside;
    if (s.best->stages < 2)
        *why = "two stages of it do not fit in shared memory";
    return s.best->stages < 2 || !tile_settle_prefetch(kernel, s.best) ? NULL : s.best;
}

bool tile_settle_prefetch(struct tile_kernel *kernel, struct tile_prefetch *p)
{
    bool places = take_marks(kernel, p);

    for (uint32_t i = 0; i < p->streams && places; i++)
        places = wants_place(p, p->stream[i].load);
    return places;
}

// ---- Layouts of ids

// Returns a copy of a tile that only one op uses. Also copies the tiles in the loop from which it
// is computed.
static struct tile_value *own_ids(struct tile_kernel *kernel, const struct tile_prefetch *p,
                                  struct tile_value *ids, struct tile_op *before,
                                  struct tile_value **map)
{
    if (!ids->type.rank || !ids->op || !tile_is_within(ids->op, p->loop->block[0]) || map[ids->id])
        return map[ids->id] ? map[ids->id] : ids;
    for (uint32_t i = 0; i < ids->op->operand_count; i++)
        if (!ids->op->operand[i]->type.tensor)
            (void)own_ids(kernel, p, ids->op->operand[i], before, map);
    struct tile_op *copy = tile_clone(kernel, ids->op, map);
    if (!copy)
        return NULL;
    tile_insert_before(before, copy);
    return copy->result[0];
}

// Returns ids that come from outside the loop, in a layout of their own.
static struct tile_value *outer_ids(struct tile_kernel *kernel, const struct tile_prefetch *p,
                                    struct tile_value *ids)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->loop;

    return tile_make_before(kernel, loop, TILE_CONVERT, &ids->type, 1, &ids);
}

// Adds up the bytes of the indices in memory on which a value depends. False if cp.async cannot
// copy them.
static bool add_reads(const struct tile_prefetch *p, const struct tile_value *value, bool *seen,
                      uint32_t *bytes)
{
    enum { PLACE_ALIGN = 16 };
    const struct tile_op *op = value->op;

    if (value->type.tensor || !op || op->parent != p->loop->block[0] || seen[value->id])
        return true;
    seen[value->id] = true;
    if (tile_prefetch_reads(op)) {
        if (!tile_prefetch_can_copy(p, op))
            return false;
        *bytes += (uint32_t)((tile_elements(&value->type) * tile_bytes_of(value->type.dtype) +
                              PLACE_ALIGN - 1) /
                             PLACE_ALIGN * PLACE_ALIGN);
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!add_reads(p, op->operand[i], seen, bytes))
            return false;
    return true;
}

// Lets each thread read a few of the ids, if all of them reach the threads through shared memory
// (emit/async_index.c).
static bool spread_reads(struct tile_kernel *kernel, struct tile_prefetch *p, uint32_t warps)
{
    bool *seen = tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*seen)), can = true;
    size_t map_bytes = (kernel->value_count + 1) * sizeof(struct tile_value *);
    struct tile_value **map = tile_take(kernel->module, map_bytes);
    uint8_t order[TILE_MAX_RANK];
    uint32_t bytes = 0;

    for (uint32_t i = 0; seen && i < p->streams; i++)
        for (uint32_t n = 1; n < p->stream[i].load->operand_count; n++)
            can = can && add_reads(p, p->stream[i].load->operand[n], seen, &bytes);
    if (!seen || !can || tile_prefetch_index_slots(p) * bytes > TILE_MOST_INDEX_BYTES)
        return seen != NULL;
    if (!map)
        return false;
    for (struct tile_op *op = p->loop->block[0]->first; op; op = op->next) {
        if (op->kind != TILE_GATHER || !op->result[0]->type.rank || !seen[op->result[0]->id])
            continue;
        struct tile_value *read = op->result[0];
        // The rest of the ids' computation has the layout of the copies.
        memset(map, 0, map_bytes);
        for (uint32_t i = 1; i < op->operand_count; i++) {
            struct tile_value *own = own_ids(kernel, p, op->operand[i], op, map);
            if (!own)
                return false;
            tile_set_operand(op, i, own);
        }
        struct tile_layout *layout = tile_take(kernel->module, sizeof(*layout));
        struct tile_value *all =
            tile_make_before(kernel, op->next, TILE_CONVERT, &read->type, 1, &read);
        if (!layout || !all)
            return false;
        for (uint32_t i = 0; i < read->type.rank; i++)
            order[i] = (uint8_t)(read->type.rank - 1 - i);
        *layout = tile_blocked(&read->type, tile_bits_of(warps), 0, order);
        read->layout = layout;
        tile_replace(read, all, all->op);
        op = all->op;
        p->spreads = true;
    }
    return true;
}

bool tile_lay_out_prefetch(struct tile_kernel *kernel, struct tile_prefetch *p, uint32_t warps)
{
    static const uint8_t columns_first[] = { 1, 0 }, columns_of_pages_first[] = { 2, 1, 0 };
    size_t bytes = (kernel->value_count + 1) * sizeof(struct tile_value *);
    struct tile_value **map = tile_take(kernel->module, bytes);
    bool rows = false;

    for (uint32_t i = 0; i < p->streams; i++) {
        const struct tile_prefetch_stream *s = &p->stream[i];
        struct tile_op *load = (struct tile_op *)(uintptr_t)s->load;
        struct tile_layout *layout = tile_take(kernel->module, sizeof(*layout));
        if (!layout || !map)
            return false;
        if (!s->rows)
            continue;
        *layout = tile_blocked(&load->result[0]->type, tile_bits_of(warps),
                               tile_bits_of(PIECE_BYTES / s->element),
                               s->each > 1 ? columns_of_pages_first : columns_first);
        load->result[0]->layout = layout;
        memset(map, 0, bytes); // loads share no copies: one may come before another's
        struct tile_value *ids = load->operand[1];
        bool inner = ids->op && tile_is_within(ids->op, p->loop->block[0]);
        ids = inner           ? own_ids(kernel, p, ids, load, map)
              : ids->uses > 1 ? outer_ids(kernel, p, ids)
                              : ids;
        if (!ids)
            return false;
        tile_set_operand(load, 1, ids);
        rows = true;
    }
    if (!rows || !spread_reads(kernel, p, warps))
        return !rows;
    (void)tile_drop_dead(kernel);
    return true;
}

const struct tile_prefetch_stream *tile_prefetch_stream_of(const struct tile_prefetch *plan,
                                                           const struct tile_value *operand,
                                                           bool *transposed)
{
    *transposed = false;
    for (; operand->op && (operand->op->kind == TILE_PERMUTE || operand->op->kind == TILE_RESHAPE);
         operand = operand->op->operand[0])
        *transposed ^= operand->op->kind == TILE_PERMUTE &&
                       tile_attribute(operand->op, TILE_ATTR_AXES)->ints[0] == 1;
    for (uint32_t i = 0; i < plan->streams; i++)
        if (plan->stream[i].load == operand->op)
            return &plan->stream[i];
    return NULL;
}
