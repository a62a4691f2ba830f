// Finds the tiles that an iteration of a fused loop takes from shared memory (fused.h): operands of
// products that are loaded or computed, and large tiles that are loaded for other work. Marks the
// scalars from which the copying thread computes the places of loads.
#include "fused.h"
#include "gather.h"
#include "pass.h"

#include "tile/ir/words.h"

enum { MOST_LOADED = 1024 }; // elements that warpgroups may load themselves, per iteration

// ---- Scalars that the copying thread computes

bool tile_fused_need(struct tile_fused *p, const struct tile_value *value)
{
    const struct tile_op *op = value->op, *loop = p->base.loop;

    if (value->type.rank || value->type.tensor)
        return value->type.tensor && !op;
    if (!op)
        return !value->block || value == loop->block[0]->argument[0];
    if (p->base.wanted[value->id] || (p->base.before && p->base.known[value->id]))
        return true;
    // A scalar may also be read from memory: the kernel stores nothing before the loop's end.
    if (!tile_is_recomputable(op) && (op->block_count || !tile_is_of_scalars(op)))
        return false;
    p->base.wanted[value->id] = true;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tile_fused_need(p, op->operand[i]))
            return false;
    return true;
}

bool tile_fused_need_place(struct tile_fused *p, const struct tile_op *load)
{
    p->base.wanted[load->result[0]->id] = true;
    for (uint32_t i = 0; i < tile_attribute(load, TILE_ATTR_SHAPE)->count; i++)
        if (!tile_fused_need(p, load->operand[1 + i]))
            return false;
    return true;
}

// ---- Operands

static bool can_stream(const struct tile_op *load)
{
    const struct tile_attribute *shape = tile_attribute(load, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(load, TILE_ATTR_DROPPED, 0);

    return tile_pads_zeros(load) && (tile_is_gather(load) || !(dropped >> (shape->count - 1u) & 1));
}

// Completes a feed's stream. Returns NULL, or the reason why the copying threads cannot find its
// tiles.
static const char *find_place(struct tile_fused *p, struct tile_stream *s)
{
    if (tile_is_gather(s->load))
        return tile_find_gathered(&p->base, s);
    s->last = tile_attribute(s->load, TILE_ATTR_SHAPE)->count - 1u;
    return tile_fused_need_place(p, s->load)
               ? NULL
               : "an operand's place is not computed from scalars alone";
}

// Finds the feed of an equal load, whose tile lies in shared memory in the same way.
static struct tile_feed *equal_feed(struct tile_fused *p, const struct tile_op *load, bool mn_major)
{
    for (uint32_t i = 0; i < p->feeds; i++) {
        struct tile_feed *feed = &p->feed[i];
        const struct tile_op *own = feed->stream.load;
        if (own && !feed->reader && (!feed->other || feed->other == load) &&
            own->parent == load->parent && tile_same_op(own, load) &&
            (!mn_major || tile_wgmma_of(load->result[0]->type.dtype)->either_major))
            return feed;
    }
    return NULL;
}

static const char too_many[] =
    "the loop has more than 8 loaded operands, or more than 6 tensor maps";

static struct tile_feed *new_feed(struct tile_fused *p, const struct tile_op *load, bool mn_major,
                                  const char **why)
{
    struct tile_feed *feed = &p->feed[p->feeds];
    struct tile_stream *s = &feed->stream;

    if (p->feeds == TILE_MOST_FEEDS) {
        *why = too_many;
        return NULL;
    }
    *feed = (struct tile_feed){ .held = load->parent == &p->base.kernel->body };
    s->load = load;
    s->element = tile_bytes_of(load->result[0]->type.dtype);
    s->mn_major = mn_major;
    *why = find_place(p, s);
    if (!*why && !s->by_threads && p->base.maps == TILE_MAX_MAPS)
        *why = too_many;
    if (!*why)
        *why = tile_plan_stream(&p->base, s);
    if (!*why) {
        p->feeds++;
        p->base.gathers |= s->by_threads;
        return feed;
    }
    p->base.wanted[load->result[0]->id] = false; // warpgroups may load the operand instead
    return NULL;
}

struct tile_feed *tile_find_feed(struct tile_kernel *kernel, struct tile_fused *p,
                                 struct tile_fused_product *product, uint32_t which,
                                 const char **why)
{
    bool transposed = false;
    const struct tile_value *own = product->mma->operand[which];
    const struct tile_op *load = tile_streamed_box(own, 1, &transposed);

    if (own->uses > 1 && tile_only_products_use(p->base.loop, own, which)) {
        for (uint32_t i = 0; i + 1 < p->products; i++)
            if (p->product[i].mma->operand[which] == own && p->product[i].feed[which]) {
                product->mn_major[which] = p->product[i].mn_major[which];
                return (struct tile_feed *)(uintptr_t)p->product[i].feed[which];
            }
        load = tile_streamed_box(own, own->uses, &transposed);
    }
    *why = "an operand is computed, or its load has another use";
    bool held = load && load->parent == &kernel->body;
    if (!load || (!held && load->parent != p->base.loop->block[0]))
        return NULL;
    *why = "an operand is padded with something else than zeros, or loaded in an order";
    if (!can_stream(load))
        return NULL;
    // a is [rows, depth], b is [depth, columns]
    bool mn_major = (which == 0) == transposed;
    struct tile_feed *feed = equal_feed(p, load, mn_major);
    product->mn_major[which] = mn_major;
    if (feed) {
        feed->other = load;
        return feed;
    }
    return new_feed(p, load, mn_major, why);
}

uint32_t tile_groups_for(int32_t rows)
{
    return rows == 192 ? 3 : rows > 64 ? 2 : 1;
}

// True if a loop has one product.
static bool is_lone(const struct tile_op *loop)
{
    uint32_t count = 0;

    for (const struct tile_op *op = loop->block[0]->first; op; op = op->next)
        count += op->kind == TILE_MMA;
    return count < 2;
}

const struct tile_feed *tile_computed_feed(struct tile_fused *p, struct tile_fused_product *product,
                                           uint32_t which)
{
    bool transposed = false;
    const struct tile_value *own = product->mma->operand[which],
                            *tile = tile_strip_transposes(own, &transposed);
    struct tile_feed *feed = &p->feed[p->feeds];

    product->mn_major[which] = (which == 0) == transposed;
    for (uint32_t i = 0; i < p->feeds && (which || transposed); i++)
        if (p->feed[i].computed == tile)
            return &p->feed[i];
    // Each warpgroup computes whole blocks of 64 rows. Another transposed a stays in registers, and
    // so does that of a lone product, which overlaps the next iteration.
    int32_t rows = 64 * (int32_t)tile_groups_for(product->mma->result[0]->type.extent[0]);
    if ((!which && (!transposed || tile->type.extent[0] % rows || is_lone(p->base.loop))) ||
        p->feeds == TILE_MOST_FEEDS || !tile->op || tile->op->parent != p->base.loop->block[0] ||
        !(tile_op_infos[tile->op->kind].traits & TILE_ELEMENTWISE) || tile->type.extent[1] % 16)
        return NULL;
    *feed = (struct tile_feed){ .computed = tile };
    feed->stream.element = tile_bytes_of(tile->type.dtype);
    feed->stream.rows = (uint32_t)tile->type.extent[0];
    if (tile_plan_lines(&p->base, &feed->stream,
                        (uint32_t)tile->type.extent[1] * feed->stream.element))
        return NULL;
    p->feeds++;
    return feed;
}

const char *tile_find_read(struct tile_fused *p, const struct tile_op *load)
{
    const char *why = "the loop loads a tile of more than 1024 elements that is no plain matrix";

    if (tile_feed_of(p, load) || tile_elements(&load->result[0]->type) <= MOST_LOADED)
        return NULL;
    if (!tile_is_tile_load(load) || load->result[0]->type.rank != 2 || !can_stream(load))
        return why;
    for (uint32_t i = 0; i < p->feeds; i++) {
        const struct tile_op *own = p->feed[i].stream.load; // NULL if warpgroups compute the feed
        if (own && !p->feed[i].reader && !p->feed[i].held && tile_same_op(own, load)) {
            p->feed[i].reader = load;
            return NULL;
        }
    }
    struct tile_feed *feed = new_feed(p, load, false, &why);
    if (feed)
        feed->reader = load;
    else if (load->kind == TILE_GATHER)
        why = "the loop gathers a tile of more than 1024 elements that are no rows";
    return why;
}
