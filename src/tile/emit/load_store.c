// Loads and stores elements in memory: moves vectors with the widest instruction, and packs small
// elements into words.
#include "async.h"

#include <string.h>

static const char *const vectors[] = { "", "", ".v2", "", ".v4" };

// Returns the PTX type that moves one element.
static const char *element_type(cuc_dtype dtype)
{
    switch (cuc_dtype_bits(dtype)) {
    case 8:
        return dtype == CUC_I8 ? "s8" : "u8";
    case 16:
        return dtype == CUC_I16 ? "s16" : dtype == CUC_U16 ? "u16" : "b16";
    case 32:
        return "b32";
    default:
        return "b64";
    }
}

static void put(struct tile_emitter *e, const char *what, const char *hint, const char *space,
                const char *vector, const char *type, tile_register predicate)
{
    tile_put_string(e->text, "\t");
    if (predicate)
        tile_ins_part(e, "@%R ", predicate);
    tile_ins_part(e, "%s%s.%s%s.%s ", what, hint, space, vector, type);
}

static void put_registers(struct tile_emitter *e, const tile_register *r, uint32_t count)
{
    tile_put_string(e->text, count > 1 ? tile_register_list(e, r, count) : tile_name(*r));
}

// Writes an address. TILE_NO_REGISTER stands for the entry's parameter block.
static void put_address(struct tile_emitter *e, tile_register address, int64_t offset)
{
    if (!address)
        tile_ins_part(e, "[args+%l]", offset);
    else
        tile_ins_part(e, "[%R+%l]", address, offset);
}

static void guarded(struct tile_emitter *e, tile_register predicate)
{
    if (predicate)
        tile_ins_part(e, "\t@%R", predicate);
}

void tile_unpack_words(struct tile_emitter *e, cuc_dtype dtype, const tile_register *word,
                       const tile_register *to, uint32_t count, tile_register predicate)
{
    bool half = cuc_dtype_bits(dtype) == 16;

    for (uint32_t i = 0; i < count; i++) {
        tile_register w = word[i / (half ? 2 : 4)];
        uint32_t at = i % (half ? 2 : 4) * (half ? 16 : 8);
        if (dtype == CUC_F16 || dtype == CUC_BF16) {
            if (i & 1)
                continue;
            guarded(e, predicate);
            tile_ins(e, "mov.b32 {%R, %R}, %R", to[i], to[i + 1], w);
        } else if (dtype == CUC_BOOL) {
            tile_register byte = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 8", w, at);
            guarded(e, predicate);
            tile_ins(e, "setp.ne.u32 %R, %R, 0", to[i], byte);
        } else {
            guarded(e, predicate);
            tile_ins(e, "bfe.%s %R, %R, %u, %u", tile_is_signed(dtype) ? "s32" : "u32", to[i], w,
                     at, half ? 16u : 8u);
        }
    }
}

void tile_emit_load(struct tile_emitter *e, const char *hint, const char *space, cuc_dtype dtype,
                    const tile_register *to, uint32_t count, tile_register address, int64_t offset,
                    tile_register predicate)
{
    uint32_t size = tile_bytes_of(dtype), bytes = count * size, words = bytes / 4;
    tile_register word[4];

    if (e->index_copies && strcmp(space, "global") == 0) {
        tile_copy_indices(e, to, count, address, offset, predicate);
        return;
    }
    if (size < 4 && count > 1 && bytes < 4) { // two elements of one byte
        for (uint32_t i = 0; i < count; i++)
            tile_emit_load(e, hint, space, dtype, to + i, 1, address, offset + i, predicate);
        return;
    }
    if (count == 1 || size >= 4) {
        bool byte = dtype == CUC_BOOL;
        tile_register loaded = byte ? tile_new(e, TILE_R32) : TILE_NO_REGISTER;
        put(e, "ld", hint, space, vectors[count], element_type(dtype), predicate);
        put_registers(e, byte ? &loaded : to, count);
        tile_put_string(e->text, ", ");
        put_address(e, address, offset);
        tile_put_string(e->text, ";\n");
        if (byte) {
            guarded(e, predicate);
            tile_ins(e, "setp.ne.u32 %R, %R, 0", to[0], loaded);
        }
        return;
    }
    for (uint32_t i = 0; i < words; i++)
        word[i] = tile_new(e, TILE_R32);
    put(e, "ld", hint, space, vectors[words], "b32", predicate);
    put_registers(e, word, words);
    tile_put_string(e->text, ", ");
    put_address(e, address, offset);
    tile_put_string(e->text, ";\n");
    tile_unpack_words(e, dtype, word, to, count, predicate);
}

tile_register tile_pack_word(struct tile_emitter *e, cuc_dtype dtype, const tile_register *from)
{
    tile_register byte[4];

    if (dtype == CUC_F16 || dtype == CUC_BF16)
        return tile_join(e, from[0], from[1]);
    if (cuc_dtype_bits(dtype) == 16)
        return tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x5410", from[0], from[1]);
    for (uint32_t i = 0; i < 4; i++)
        byte[i] = dtype == CUC_BOOL ? tile_make(e, TILE_R32, "selp.u32 %R, 1, 0, %R", from[i])
                                    : from[i];
    return tile_join_bytes(e, byte);
}

void tile_emit_store(struct tile_emitter *e, const char *hint, const char *space, cuc_dtype dtype,
                     const tile_register *from, uint32_t count, tile_register address,
                     int64_t offset, tile_register predicate)
{
    uint32_t size = tile_bytes_of(dtype), bytes = count * size, words = bytes / 4;
    tile_register word[4];

    if (size < 4 && count > 1 && bytes < 4) {
        for (uint32_t i = 0; i < count; i++)
            tile_emit_store(e, hint, space, dtype, from + i, 1, address, offset + i, predicate);
        return;
    }
    if (count == 1 || size >= 4) {
        tile_register byte = dtype == CUC_BOOL
                                 ? tile_make(e, TILE_R32, "selp.u32 %R, 1, 0, %R", from[0])
                                 : TILE_NO_REGISTER;
        put(e, "st", hint, space, vectors[count], element_type(dtype), predicate);
        put_address(e, address, offset);
        tile_put_string(e->text, ", ");
        put_registers(e, byte ? &byte : from, count);
        tile_put_string(e->text, ";\n");
        return;
    }
    for (uint32_t i = 0; i < words; i++)
        word[i] = tile_pack_word(e, dtype, from + i * count / words);
    put(e, "st", hint, space, vectors[words], "b32", predicate);
    put_address(e, address, offset);
    tile_put_string(e->text, ", ");
    put_registers(e, word, words);
    tile_put_string(e->text, ";\n");
}
