// What mma.c, wmma.c and matrix.c share: matrices taken apart from the registers of a warp.
#ifndef CUCORE_SIM_MATRIX_H
#define CUCORE_SIM_MATRIX_H

#include "exec.h"

// A product D = A B + C. Fragments become rows of 32-bit words with k running along them, so that B
// lies as [n][k]; an element of less than 32 bits at a lower k is in lower bits.
struct sim_product {
    uint32_t m, n, k;
    enum sim_type a, b; // of the elements
    bool bits_and;      // b1: .and.popc, else .xor.popc
};
enum {
    SIM_PRODUCT_WORDS = 512, // of A or of B, at most
    SIM_PRODUCT_CELLS = 256, // of C
};

// Bits of an element of A or B.
uint32_t sim_element_bits(enum sim_type type);

// C += A B for elements that f32 holds (f16, bf16, tf32, e4m3, e5m2). Products are exact; they are
// added to C one after another, k ascending, each sum rounded to nearest even, so that the result
// is within k * 2^-24 * (|C| + sum of |a b|) of the exact one. NaN comes out canonical.
void sim_multiply_float(const struct sim_product *p, const uint32_t *a, const uint32_t *b,
                        float *c);

// C += A B for s8, u8, s4, u4 and b1, exact; past 32 bits it wraps around, or is the nearest there
// is.
void sim_multiply_int(const struct sim_product *p, const uint32_t *a, const uint32_t *b,
                      bool satfinite, int32_t *c);

// C += A B for f64, as fused multiply-adds with k ascending. `b` is [n][k].
void sim_multiply_f64(const struct sim_product *p, const double *a, const double *b, double *c);

// True when all lanes of the warp that have not exited are here. An aligned instruction that some
// have not come to yet is tried again later; lanes that its guard keeps out are not waited for.
static inline bool sim_together(const struct sim_warp *w)
{
    return (w->alive & ~w->active) == 0;
}

sim_pick sim_pick_mma;
sim_pick sim_pick_wmma_load, sim_pick_wmma_store, sim_pick_wmma_mma;

#endif
