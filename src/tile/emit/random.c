// Elementwise Philox 4x32-10 from a seed and a 64-bit counter (Salmon, Moraes, Dror, Shaw:
// "Parallel random numbers: as easy as 1, 2, 3", 2011).
#include "emit.h"

enum { ROUNDS = 10 };

struct words {
    tile_register at[4];
};

// Computes the keys of all rounds for a seed.
static void make_keys(struct tile_emitter *e, tile_register seed, tile_register (*key)[2])
{
    static const uint32_t steps[] = { UINT32_C(0x9e3779b9), UINT32_C(0xbb67ae85) };

    key[0][0] = tile_new(e, TILE_R32);
    key[0][1] = tile_new(e, TILE_R32);
    tile_ins(e, "mov.b64 {%R, %R}, %R", key[0][0], key[0][1], seed);
    for (uint32_t i = 1; i < ROUNDS; i++)
        for (uint32_t n = 0; n < 2; n++)
            key[i][n] = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", key[i - 1][n], steps[n]);
}

static struct words next_round(struct tile_emitter *e, struct words c, const tile_register *key)
{
    tile_register low[2], high[2];

    for (uint32_t n = 0; n < 2; n++) {
        unsigned factor = n ? UINT32_C(0xcd9e8d57) : UINT32_C(0xd2511f53);
        low[n] = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", c.at[2 * n], factor);
        high[n] = tile_make(e, TILE_R32, "mul.hi.u32 %R, %R, %u", c.at[2 * n], factor);
        high[n] = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", high[n], c.at[3 - 2 * n]);
        high[n] = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", high[n], key[1 - n]);
    }
    return (struct words){ { high[1], low[1], high[0], low[0] } };
}

bool tile_emit_philox(struct tile_emitter *e, const struct tile_op *op)
{
    const tile_register *seed = tile_registers(e, op->operand[0]);
    const tile_register *counter = tile_registers(e, op->operand[1]);
    uint32_t count = tile_register_count(op->result[0]);
    tile_register *out[4], key[ROUNDS][2], zero = tile_number32(e, 0);

    for (uint32_t n = 0; n < 4; n++)
        if (!(out[n] = tile_registers(e, op->result[n])))
            return false;
    for (uint32_t r = 0; seed && counter && r < count; r++) {
        tile_register low = tile_new(e, TILE_R32), high = tile_new(e, TILE_R32);
        struct words c = { { low, high, zero, zero } };
        if (!r || seed[r] != seed[r - 1]) // if all elements share a seed, compute its keys once
            make_keys(e, seed[r], key);
        tile_ins(e, "mov.b64 {%R, %R}, %R", c.at[0], c.at[1], counter[r]);
        for (uint32_t i = 0; i < ROUNDS; i++)
            c = next_round(e, c, key[i]);
        for (uint32_t n = 0; n < 4; n++)
            tile_move(e, out[n][r], c.at[n]);
    }
    return seed && counter && !e->failed;
}
