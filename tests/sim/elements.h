// Matrix elements for the tests: codes and their values.
#ifndef CUCORE_TEST_SIM_ELEMENTS_H
#define CUCORE_TEST_SIM_ELEMENTS_H

#include "exercise.h"
#include "sim/exec/formats.h"

// ---- The bits of each type, its values, and codes that are finite and moderate

enum element { F16, BF16, TF32, E4M3, E5M2, S8, U8, S4, U4, B1, F64 };

static const struct {
    const char *word;
    uint32_t bits;
} elements[] = {
    [F16] = { "f16", 16 },  [BF16] = { "bf16", 16 }, [TF32] = { "tf32", 32 },
    [E4M3] = { "e4m3", 8 }, [E5M2] = { "e5m2", 8 },  [S8] = { "s8", 8 },
    [U8] = { "u8", 8 },     [S4] = { "s4", 4 },      [U4] = { "u4", 4 },
    [B1] = { "b1", 1 },     [F64] = { "f64", 64 },
};

static inline double value_of(enum element e, uint64_t code)
{
    switch (e) {
    case F16:
        return (double)sim_f16_to_f32((uint32_t)code);
    case BF16:
        return (double)sim_bf16_to_f32((uint32_t)code);
    case TF32: // the low 13 bits are ignored
        return (double)sim_float32((uint32_t)code & 0xffffe000);
    case E4M3:
        return (double)sim_e4m3_to_f32((uint32_t)code);
    case E5M2:
        return (double)sim_e5m2_to_f32((uint32_t)code);
    case S8:
        return (double)(int8_t)code;
    case S4:
        return (double)((int)(code ^ 8) - 8);
    case F64:
        return sim_float64(code);
    default:
        return (double)code;
    }
}

static inline uint64_t draw_code(enum element e, uint64_t *seed)
{
    double unit = (double)(int32_t)draw(seed) * 0x1p-31;
    switch (e) {
    case F16:
        return sim_f32_to_f16((float)(4 * unit));
    case BF16:
        return sim_f32_to_bf16((float)(4 * unit));
    case TF32:
        return sim_bits32((float)(4 * unit));
    case E4M3:
        return sim_f32_to_e4m3((float)(4 * unit));
    case E5M2:
        return sim_f32_to_e5m2((float)(4 * unit));
    case F64:
        return sim_bits64(unit);
    default:
        return draw(seed) & ((UINT64_C(1) << elements[e].bits) - 1);
    }
}

// The operand A of a sparse product. A row of k elements consists of pieces of 4 elements (2 for
// TF32, 8 for S4 and U4), of which half are stored. Returns the number of elements in a piece; the
// next function returns how many stored ones are adjacent.
static inline uint32_t piece_elements(enum element e)
{
    return elements[e].bits == 32 ? 2 : elements[e].bits == 4 ? 8 : 4;
}
static inline uint32_t piece_side(enum element e)
{
    return elements[e].bits == 4 ? 2 : 1;
}

// Finds the lane that holds the 4 bits of metadata for a piece of a row from 0 to 15, and the
// lowest of these bits.
static inline void place_metadata(enum element e, uint32_t k, uint32_t selector, uint32_t row,
                                  uint32_t piece, uint32_t *lane, uint32_t *bit)
{
    uint32_t pieces = k / piece_elements(e), of_four;

    if (elements[e].bits >= 16) { // a lane has four pieces of row g, and then four of row g + 8
        of_four = pieces == 4 ? selector : 2 * selector + piece / 4;
        *bit = 4 * (piece % 4) + (row >= 8 ? 16 : 0);
    } else { // a lane has eight pieces of one row
        of_four = (pieces == 8 ? 2 * selector : piece / 8 * 2) + (row >= 8 ? 1 : 0);
        *bit = 4 * (piece % 8);
    }
    *lane = 4 * (row % 8) + of_four;
}

// Draws the metadata of a piece at random: its 4 bits, and the stored elements in order.
static inline uint32_t draw_piece(enum element e, uint64_t *seed, uint32_t stored[4])
{
    static const uint32_t first[] = { 0, 0, 0, 1, 1, 2 }, second[] = { 1, 2, 3, 2, 3, 3 };
    uint32_t which = draw(seed) % 6, side = piece_side(e);

    if (elements[e].bits == 32) {
        stored[0] = which & 1;
        return which & 1 ? 14 : 4;
    }
    for (uint32_t i = 0; i < side; i++) {
        stored[i] = side * first[which] + i;
        stored[side + i] = side * second[which] + i;
    }
    return first[which] | second[which] << 2;
}

#endif
