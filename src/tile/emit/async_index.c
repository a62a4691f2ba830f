// Indices of prefetched loads that are read from memory, such as the numbers of pages (async.c).
//
// They arrive in shared memory as the tiles do, by cp.async, and are requested together with a tile
// that is copied `stages` - 1 iterations before theirs. When an iteration may copy its tile, that
// earlier tile has arrived, and so have the indices: no iteration waits for them. Each thread
// requests a few elements of a tile of indices, and reads those that it needs for its copies.
#include "async.h"

enum { PLACE_ALIGN = 16 };

bool tile_open_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    const struct tile_prefetch *p = r->plan;
    uint32_t bytes = 0;

    r->index_at = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*r->index_at));
    r->index_slots = tile_prefetch_index_slots(p);
    for (const struct tile_op *op = p->loop->block[0]->first; op && r->index_at; op = op->next) {
        if (op->result_count != 1 || !r->fetched[op->result[0]->id])
            continue;
        const struct tile_op *read = tile_prefetch_read_of(op);
        if (!tile_prefetch_can_copy(p, read))
            return false;
        if (r->index_at[read->result[0]->id])
            continue;
        r->index_at[read->result[0]->id] = p->stages * p->stage_bytes + bytes;
        bytes += (tile_shared_bytes(op->result[0]) + PLACE_ALIGN - 1) & ~(PLACE_ALIGN - 1u);
    }
    if (!r->index_at || !bytes || r->index_slots * bytes > TILE_MOST_INDEX_BYTES)
        return false;
    r->index_bytes = bytes;
    r->index_from = tile_number32(e, 0);
    r->index_to = tile_number32(e, 0);
    e->prefetch_bytes += r->index_slots * bytes;
    return true;
}

void tile_read_indices(struct tile_emitter *e)
{
    struct tile_prefetch_ring *r = e->prefetch_ring;
    uint32_t none = tile_label(e);

    if (!r->index_bytes)
        return;
    tile_branch(e, r->loads, true, none);
    tile_register place = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", r->base, r->index_from);
    for (const struct tile_op *op = r->plan->loop->block[0]->first; op; op = op->next)
        if (op->result_count == 1 && r->fetched[op->result[0]->id])
            tile_read_shared(e, op->result[0], r->fetched[op->result[0]->id], place,
                             r->index_at[tile_prefetch_read_of(op)->result[0]->id]);
    tile_put_label(e, none);
}

static bool repeats(const struct tile_value *value, uint32_t number)
{
    return value->layout && tile_repeats(value->layout, number);
}

// Returns a predicate that is true if this thread writes a register's element for all threads: the
// tile holds it, and no lower thread has it. Sets *none if no thread does.
static tile_register writes_element(struct tile_emitter *e, const struct tile_index_copies *c,
                                    uint32_t number, bool *none)
{
    *none = false;
    return tile_both(e, c->own,
                     c->value->layout ? tile_inside_tile(e, c->value, number, none)
                                      : TILE_NO_REGISTER);
}

// Copies a register's element to shared memory. If the predicate is false, stores the pad instead,
// which the register holds.
static void copy_element(struct tile_emitter *e, const struct tile_index_copies *c, uint32_t number,
                         tile_register address, int64_t offset, tile_register predicate)
{
    const tile_register *pad = &tile_registers(e, c->value)[number];
    int64_t at = c->at + tile_shared_offset(c->value, number, c->steps);
    bool none;
    tile_register own = writes_element(e, c, number, &none);

    c->copied[number] = true;
    if (none)
        return;
    tile_register there = tile_both(e, own, predicate);
    if (there)
        tile_put(e->text, "\t@%s", tile_name(there));
    tile_ins(e, "cp.async.ca.shared.global.L2::128B [%R+%l], [%R+%l], %u", c->place, at, address,
             offset, tile_bytes_of(c->value->type.dtype));
    if (!predicate)
        return;
    there = tile_both(e, own, tile_make(e, TILE_PRED, "not.pred %R, %R", predicate));
    tile_emit_store(e, "", "shared", c->value->type.dtype, pad, 1, c->place, at, there);
}

void tile_copy_indices(struct tile_emitter *e, const tile_register *to, uint32_t count,
                       tile_register address, int64_t offset, tile_register predicate)
{
    const struct tile_index_copies *c = e->index_copies;
    const tile_register *reg = tile_registers(e, c->value);
    uint32_t registers = tile_register_count(c->value), number = 0;

    for (uint32_t i = 0; i < count; i++) {
        while (number < registers && reg[number] != to[i])
            number++;
        e->failed |= number == registers;
        if (!e->failed && !repeats(c->value, number))
            copy_element(e, c, number, address, offset + i * tile_bytes_of(c->value->type.dtype),
                         predicate);
    }
}

// Emits a read as copies to shared memory. One thread copies an element, for all that need it.
// Elements outside the tile get the pad.
bool tile_copy_read(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_prefetch_ring *r = e->prefetch_ring;
    const struct tile_value *value = op->result[0];
    uint32_t count = tile_register_count(value);
    struct tile_index_copies c = { .value = value, .at = r->index_at[value->id] };

    c.copied = tile_take(e->module, count * sizeof(*c.copied));
    if (!c.copied)
        return false;
    c.place = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", r->base, r->index_to);
    c.place = tile_shared_place(e, value, c.place, c.steps);
    c.own = value->layout ? tile_one_copy(e, value->layout)
                          : tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->tid);
    e->index_copies = &c;
    bool ok = e->dispatch->one(e, op);
    e->index_copies = NULL;
    for (uint32_t i = 0; i < count && ok; i++) {
        bool none = true;
        tile_register own = c.copied[i] || repeats(value, i) ? TILE_NO_REGISTER
                                                             : writes_element(e, &c, i, &none);
        if (!none)
            tile_emit_store(e, "", "shared", value->type.dtype, &tile_registers(e, value)[i], 1,
                            c.place, c.at + tile_shared_offset(value, i, c.steps), own);
    }
    return ok;
}
