// Places elements at given positions, through shared memory.
#include "emit.h"

// True if the positions are those of a rank that counts every element: each element of the result
// gets one.
static bool fills(const struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *position = op->operand[1];

    return position->op && position->op->kind == TILE_RANK && position->index == 0 &&
           tile_range_of(e->ranges, position).low >= 0 &&
           tile_shape_same(&position->type, &op->result[0]->type);
}

static bool write_padding(struct tile_emitter *e, const struct tile_op *op, tile_register shared,
                          uint32_t at)
{
    const struct tile_value *result = op->result[0];
    const tile_register *pad = tile_registers(e, op->operand[2]);
    uint32_t count = tile_register_count(result);
    tile_register *all = tile_take(e->module, count * sizeof(*all));

    if (!pad || !all)
        return false;
    for (uint32_t r = 0; r < count; r++)
        all[r] = pad[0];
    tile_write_shared(e, result, all, shared, at, NULL);
    tile_barrier(e);
    return true;
}

bool tile_emit_place(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0], *position = op->operand[1],
                            *result = op->result[0];
    const tile_register *in = tile_registers(e, x), *to = tile_registers(e, position);
    uint32_t extent = (uint32_t)result->type.extent[0], size = tile_bytes_of(x->type.dtype), at;
    bool wide = tile_class_of(position->type.dtype) == TILE_R64;
    struct tile_range range = tile_range_of(e->ranges, position);
    bool inside = range.low >= 0 && range.high < extent;
    tile_register single = tile_one_copy(e, position->layout);

    if (!in || !to || !tile_shared_fits(e, op, tile_shared_bytes(result)))
        return false;
    tile_register shared =
        tile_scratch_beside(e, tile_shared_bytes(result), TILE_STATIC_SHARED, &at);
    if (!fills(e, op) && !write_padding(e, op, shared, at))
        return false;
    for (uint32_t r = 0; r < tile_register_count(position); r++) {
        bool none;
        tile_register place = to[r];
        tile_register p = tile_both(e, tile_inside_tile(e, position, r, &none), single);
        if (none || tile_repeats(position->layout, r))
            continue;
        if (!inside) // as an unsigned number, a negative position is large
            p = tile_both(e, p,
                          tile_make(e, TILE_PRED,
                                    wide ? "setp.lt.u64 %R, %R, %u" : "setp.lt.u32 %R, %R, %u",
                                    place, extent));
        if (wide)
            place = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", place);
        tile_register address =
            tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", place, size, shared);
        tile_emit_store(e, "", "shared", x->type.dtype, &in[r], 1, address, at, p);
    }
    tile_scratch_written(e);
    const tile_register *out = tile_registers(e, result);
    if (out)
        tile_read_shared(e, result, out, shared, at);
    return out && !e->failed;
}
