// Reads layouts, and the names and types of values, in the machine form.
#include "machine_reader.h"

#include "tile/ir/layout.h"
#include "base/arena.h"

#include <string.h>

// Reads basis vectors, such as "1,2,4", and appends them to the existing ones.
static uint32_t read_bases(struct tile_reader *r, const char *letter, uint32_t *basis,
                           uint32_t count)
{
    uint32_t first = count;

    if (!tile_reader_need_word(r, letter) || !tile_reader_need(r, ':'))
        return 0;
    if (r->token.kind != TILE_TOKEN_INT)
        return 0;
    do {
        if (count == TILE_MAX_HARDWARE_BITS)
            return (uint32_t)tile_reader_expected(r, "fewer bits");
        basis[count++] = (uint32_t)tile_reader_need_int(r);
    } while (tile_reader_take(r, ','));
    return count - first;
}

void tile_read_layout(struct tile_reader *r)
{
    struct tile_layout layout = { 0 };
    uint32_t lanes;

    tile_reader_next(r);
    if (!tile_reader_need(r, '@') || r->token.kind != TILE_TOKEN_INT ||
        r->token.value != r->layout_count) {
        tile_reader_expected(r, "the layout's number, one after the other from 0");
        return;
    }
    tile_reader_next(r);
    tile_reader_need(r, '=');
    layout.register_bits = (uint8_t)read_bases(r, "r", layout.basis, 0);
    lanes = read_bases(r, "l", layout.basis, layout.register_bits);
    layout.warp_bits = (uint8_t)read_bases(r, "w", layout.basis, layout.register_bits + lanes);
    if (!r->failed && (lanes != TILE_LANE_BITS || layout.warp_bits > TILE_MAX_WARP_BITS))
        tile_reader_expected(r, "5 bases of lanes, and at most 5 of warps");
    tile_reader_need_word(r, "of");
    for (tile_reader_need(r, '['); !r->failed && !tile_reader_at(r, ']'); layout.rank++) {
        int64_t extent = tile_reader_need_int(r);
        if (layout.rank == TILE_MAX_RANK || extent < 1 || extent > TILE_MAX_ELEMENTS ||
            (extent & (extent - 1))) {
            tile_reader_expected(r, "at most 8 powers of two");
            return;
        }
        layout.axis_bits[layout.rank] = (uint8_t)tile_bits_of(extent);
        layout.coordinate_bits = (uint8_t)(layout.coordinate_bits + layout.axis_bits[layout.rank]);
        tile_reader_take(r, ',');
    }
    tile_reader_need(r, ']');
    if (r->failed ||
        !tile_reader_reserve(r, (void ***)(void *)&r->layout, &r->layout_capacity, r->layout_count))
        return;
    struct tile_layout *kept = tile_take(r->module, sizeof(*kept));
    if (kept)
        *kept = layout;
    r->layout[r->layout_count++] = kept;
}

uint32_t tile_read_name(struct tile_reader *r, const char **name)
{
    uint64_t number = 0, scale = 1;

    if (!tile_reader_need(r, '%'))
        return 0;
    const char *text = r->token.at;
    size_t bytes = r->token.bytes, digits = bytes;
    while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9' && scale < 1000000000) {
        number += scale * (uint64_t)(text[--digits] - '0');
        scale *= 10;
    }
    bool named = r->token.kind == TILE_TOKEN_NAME && digits > 1 && text[digits - 1] == '_';
    if (digits == bytes || (!named && (r->token.kind != TILE_TOKEN_INT || digits)))
        return (uint32_t)tile_reader_expected(r, "a value's name and number");
    *name = named ? cuc__arena_copy(r->module->arena, text, digits - 1) : NULL;
    tile_reader_next(r);
    return tile_reader_reserve(r, (void ***)(void *)&r->value, &r->value_capacity, number)
               ? (uint32_t)number
               : 0;
}

const struct tile_layout *tile_read_layout_number(struct tile_reader *r,
                                                  const struct tile_type *type)
{
    int64_t number = tile_reader_need_int(r);

    if (r->failed || number < 0 || number >= r->layout_count) {
        tile_reader_expected(r, "a layout that is there");
        return NULL;
    }
    const struct tile_layout *layout = r->layout[number];
    bool fits = layout && layout->rank == type->rank;
    for (uint32_t i = 0; fits && i < type->rank; i++)
        fits = layout->axis_bits[i] == tile_bits_of(type->extent[i]);
    if (!fits)
        tile_reader_expected(r, "a layout of that shape");
    return layout;
}

void tile_read_type(struct tile_reader *r, struct tile_type *type,
                    const struct tile_layout **layout)
{
    char name[16] = "";

    *type = (struct tile_type){ 0 };
    *layout = NULL;
    if (r->token.kind == TILE_TOKEN_NAME && r->token.bytes < sizeof(name))
        memcpy(name, r->token.at, r->token.bytes);
    type->dtype = cuc_dtype_from_name(name);
    if (type->dtype == CUC_DTYPE_UNKNOWN) {
        tile_reader_expected(r, "a dtype");
        return;
    }
    tile_reader_next(r);
    if (tile_token_is(&r->token, "tensor")) {
        tile_reader_next(r);
        int64_t rank = tile_reader_need_int(r);
        if (rank < 0 || rank > TILE_MAX_RANK)
            tile_reader_expected(r, "at most 8 axes");
        else
            *type = tile_tensor(type->dtype, (uint32_t)rank);
        return;
    }
    if (tile_reader_take(r, '[')) {
        do {
            int64_t extent = tile_reader_need_int(r);
            if (type->rank == TILE_MAX_RANK || extent < 1 || extent > TILE_MAX_ELEMENTS) {
                tile_reader_expected(r, "at most 8 extents from 1 to 2^24");
                return;
            }
            type->extent[type->rank++] = (int32_t)extent;
        } while (tile_reader_take(r, ','));
        tile_reader_need(r, ']');
    }
    if (!tile_reader_take(r, '@'))
        return;
    *layout = tile_read_layout_number(r, type);
}
