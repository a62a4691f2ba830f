// What the matrix instructions share: products (product.c), and the A of sparse ones (sparse.c).
#ifndef CUCORE_SIM_EXEC_MATRIX_H
#define CUCORE_SIM_EXEC_MATRIX_H

#include "run.h"
#include "sim/check/check_race.h"
#include "formats.h"

// A product D = A B + C. Fragments become rows of 32-bit words with k running along them, so that B
// lies as [n][k]; an element of less than 32 bits at a lower k is in lower bits.
struct sim_product {
    uint32_t m, n, k;
    enum sim_type a, b;         // of the elements
    bool bits_and;              // b1: .and.popc, else .xor.popc
    enum sim_rounding rounding; // f64: SIM_RN, SIM_RZ, SIM_RM or SIM_RP
    // Of a sparse A, which has k / 2 elements a row: with which row of B, 0 to k - 1, each of them
    // is multiplied, [m][k / 2]. NULL: A is dense.
    const uint8_t *rows;
};
enum {
    SIM_PRODUCT_WORDS = 512, // of A or of B, at most
    SIM_PRODUCT_CELLS = 256, // of C
};

// Bits of an element of A or B.
uint32_t sim_element_bits(enum sim_type type);
// f16 that lie side by side, as f32.
void sim_unpack_f16(const void *from, uint32_t count, float *out);

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

// Which rows of B the elements of a sparse A meet, as metadata says that lies in the registers of a
// warp: for 16 rows of k / 2 elements of a type, [16][k / 2]. `selector` says which lanes of each
// four have it, where that are not all of them.
void sim_sparse_rows(enum sim_type type, uint32_t k, const uint32_t metadata[SIM_WARP],
                     uint32_t selector, uint8_t *rows);
// How many selectors there are.
uint32_t sim_sparse_selectors(enum sim_type type, uint32_t k);

// True when all lanes of the warp that have not exited are here. An aligned instruction that some
// have not come to yet is tried again later; lanes that its guard keeps out are not waited for.
static inline bool sim_together(const struct sim_warp *w)
{
    if (w->alive & ~w->active)
        return false;
    if (sim_race_on())
        sim_race_warp_sync(w);
    return true;
}

// The layouts of A and B, in the order written: 'r' or 'c' each. False when there are not two.
bool sim_layouts_of(const struct sim_words *words, char layout[2]);
// How the words say that f64 is rounded; SIM_RN when they do not.
enum sim_rounding sim_rounding_of(const struct sim_words *words);

sim_pick sim_pick_mma, sim_pick_mma_sparse;
sim_pick sim_pick_wmma_load, sim_pick_wmma_store, sim_pick_wmma_mma;

#endif
