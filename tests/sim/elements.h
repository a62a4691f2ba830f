// Elements of matrices in the tests: codes and what they stand for.
#ifndef CUCORE_TEST_SIM_ELEMENTS_H
#define CUCORE_TEST_SIM_ELEMENTS_H

#include "exercise.h"
#include "sim/formats.h"

// How many bits, what they stand for, and codes that are finite and moderate.

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
    case TF32: // the low 13 bits do not count
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

#endif
