// Declarations for the matrix instructions: matrix products (product.c) and sparse operands A
// (sparse.c).
#ifndef CUCORE_SIM_EXEC_MATRIX_H
#define CUCORE_SIM_EXEC_MATRIX_H

#include "run.h"
#include "sim/check/check_race.h"
#include "formats.h"

// A product D = A B + C. Fragments become rows of 32-bit words along k, so B is stored as [n][k].
// Elements of less than 32 bits are packed, with lower k in lower bits.
struct sim_product {
    uint32_t m, n, k;
    enum sim_type a, b;         // element types
    bool bits_and;              // b1: .and.popc, otherwise .xor.popc
    enum sim_rounding rounding; // f64: SIM_RN, SIM_RZ, SIM_RM or SIM_RP
    // [m][k / 2]: the row of B, from 0 to k - 1, by which each stored element of a sparse A is
    // multiplied. NULL: A is dense.
    const uint8_t *rows;
};
enum {
    SIM_PRODUCT_WORDS = 512, // maximum number of words of A or B
    SIM_PRODUCT_CELLS = 256, // maximum number of cells of C
};

// Returns the width of an element of A or B in bits.
uint32_t sim_element_bits(enum sim_type type);
// Converts contiguous f16 to f32.
void sim_unpack_f16(const void *from, uint32_t count, float *out);

// Computes C += A B for types that f32 represents: f16, bf16, tf32, e4m3, e5m2. Products are exact.
// They are added to C one after another, with k ascending and each sum rounded to nearest even. The
// error of the result is thus at most k * 2^-24 * (|C| + sum of |a b|). NaN results are canonical.
void sim_multiply_float(const struct sim_product *p, const uint32_t *a, const uint32_t *b,
                        float *c);

// Computes C += A B exactly for s8, u8, s4, u4 and b1. Results that exceed 32 bits wrap around, or
// saturate with `satfinite`.
void sim_multiply_int(const struct sim_product *p, const uint32_t *a, const uint32_t *b,
                      bool satfinite, int32_t *c);

// Computes C += A B for f64 by fused multiply-adds, with k ascending. `b` is [n][k].
void sim_multiply_f64(const struct sim_product *p, const double *a, const double *b, double *c);

// Decodes the metadata of a sparse A, which is in the registers of a warp, to rows of B: [16][k /
// 2], for 16 rows of k / 2 elements. If only some of each four lanes hold metadata, `selector`
// determines which.
void sim_sparse_rows(enum sim_type type, uint32_t k, const uint32_t metadata[SIM_WARP],
                     uint32_t selector, uint8_t *rows);
// Returns the number of valid selectors.
uint32_t sim_sparse_selectors(enum sim_type type, uint32_t k);

// Returns true if all live lanes of the warp are at the aligned instruction, whether its guard
// enables them or not. Otherwise the instruction must be retried later.
static inline bool sim_together(const struct sim_warp *w)
{
    if (w->alive & ~w->active)
        return false;
    if (sim_race_on())
        sim_race_warp_sync(w);
    return true;
}

// Returns the layouts of A and B, each 'r' or 'c', in the order written. False unless there are
// two.
bool sim_layouts_of(const struct sim_words *words, char layout[2]);
// Returns the rounding of f64 that the words specify; default: SIM_RN.
enum sim_rounding sim_rounding_of(const struct sim_words *words);

sim_pick sim_pick_mma, sim_pick_mma_sparse;
sim_pick sim_pick_wmma_load, sim_pick_wmma_store, sim_pick_wmma_mma;

#endif
