// What wgmma.c consists of: matrices in shared memory (wgmma_tile.c), and what a warp makes of
// them, 16 rows of A by all columns of B (wgmma_product.c).
#ifndef CUCORE_SIM_EXEC_WGMMA_H
#define CUCORE_SIM_EXEC_WGMMA_H

#include "run.h"

enum {
    WGMMA_ROWS = 16,  // of a warp
    WGMMA_STEP = 32,  // bytes of k of A
    WGMMA_MAX_K = 32, // elements of a row of A
    WGMMA_MAX_N = 256,
};

// A matrix of rows along m or n.
struct sim_tile {
    const char *name; // "A" or "B"
    uint32_t k_bytes; // of k in a row
    bool turned;      // elements side by side are neighbours along m or n, not along k

    // From the descriptor.
    uint64_t start, leading, stride; // byte offsets
    uint32_t row_bytes;              // that the swizzle goes over: 128, 64, 32, or 16 without one
    uint32_t base;                   // of the pattern, in units of 128 bytes
};

// Take a descriptor apart that all lanes have to give alike; name, k_bytes and turned are set.
// `rows` is how many the instruction reads: 64 of A, n of B. False after sim_fault().
bool sim_tile_read(struct sim_warp *w, const struct sim_op *op, const uint64_t *lanes,
                   uint32_t rows, struct sim_tile *out);

// Rows of it, k running along each: [count][k_bytes]. `first` and `count` are multiples of 8.
bool sim_tile_gather(struct sim_warp *w, const struct sim_op *op, const struct sim_tile *t,
                     uint32_t first, uint32_t count, unsigned char *rows);

typedef float sim_vec4 __attribute__((vector_size(16)));

// The factors, laid out for one register of D: its 32 lanes are 8 rows of 4 columns that lie 2
// apart.
struct sim_wgmma {
    uint32_t n;
    uint32_t kept, k; // elements of a row of A and of a column of B: half as many of a sparse A
    uint8_t rows[WGMMA_ROWS * WGMMA_MAX_K];        // of a sparse A: what sim_sparse_rows() gives
    sim_vec4 a[WGMMA_MAX_K][WGMMA_ROWS];           // an element four times
    sim_vec4 b[WGMMA_MAX_N / 4 * 2 * WGMMA_MAX_K]; // [column / 8][column % 2][k] of column % 8 / 2
};

// Fill in the factors from rows of codes, k running along them; `n`, `kept` and `k` are set.
void sim_wgmma_load(struct sim_wgmma *p, enum sim_type type_a, const unsigned char *codes_a,
                    enum sim_type type_b, const unsigned char *codes_b, bool negate);

// The registers of D at `list`, of f32, of pairs of f16, and of s32, in the lanes of a mask.
// `keep`: products are added to what is there. Sums of floats are rounded after every product, k
// ascending.
void sim_wgmma_float(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                     uint32_t mask);
void sim_wgmma_half(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                    uint32_t mask);
void sim_wgmma_int(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                   bool satfinite, uint32_t mask);

#endif
