// The parts of wgmma.c: matrices in shared memory (wgmma_tile.c), and a warp's share of a product,
// which is 16 rows of A by all columns of B (wgmma_product.c).
#ifndef CUCORE_SIM_EXEC_WGMMA_H
#define CUCORE_SIM_EXEC_WGMMA_H

#include "run.h"

enum {
    WGMMA_ROWS = 16,  // rows of a warp
    WGMMA_STEP = 32,  // bytes of A along k
    WGMMA_MAX_K = 32, // maximum number of elements in a row of A
    WGMMA_MAX_N = 256,
};

// A matrix that is stored as rows along m or n.
struct sim_tile {
    const char *name; // "A" or "B"
    uint32_t k_bytes; // bytes along k in a row
    bool mn_major;    // adjacent elements are neighbors along m or n rather than k

    // From the descriptor.
    uint64_t start, leading, stride; // byte offsets
    uint32_t row_bytes;              // span of the swizzle: 128, 64 or 32; 16 without a swizzle
    uint32_t base;                   // offset of the swizzle pattern, in units of 128 bytes
};

// Decodes a descriptor, which must be equal in all lanes. The caller sets name, k_bytes and
// mn_major. `rows` is the number of rows that the instruction reads: 64 of A, n of B. False after
// sim_fault().
bool sim_tile_read(struct sim_warp *w, const struct sim_op *op, const uint64_t *lanes,
                   uint32_t rows, struct sim_tile *out);

// Copies rows to [count][k_bytes], with k innermost. `first` and `count` must be multiples of 8.
bool sim_tile_gather(struct sim_warp *w, const struct sim_op *op, const struct sim_tile *t,
                     uint32_t first, uint32_t count, unsigned char *rows);

typedef float sim_vec4 __attribute__((vector_size(16)));

// The factors of a product, arranged for computing one register of D at a time. The 32 lanes of a
// register hold 8 rows by 4 columns, which are 2 apart.
struct sim_wgmma {
    uint32_t n;
    uint32_t kept, k; // elements in a row of A, and in a column of B; `kept` is k / 2 if A is
                      // sparse
    uint8_t rows[WGMMA_ROWS * WGMMA_MAX_K];        // sparse A: result of sim_sparse_rows()
    sim_vec4 a[WGMMA_MAX_K][WGMMA_ROWS];           // each element four times
    sim_vec4 b[WGMMA_MAX_N / 4 * 2 * WGMMA_MAX_K]; // [column / 8][column % 2][k], four columns each
};

// Fills the factors from rows of codes with k innermost. The caller sets `n`, `kept` and `k`.
void sim_wgmma_load(struct sim_wgmma *p, enum sim_type type_a, const unsigned char *codes_a,
                    enum sim_type type_b, const unsigned char *codes_b, bool negate);

// Compute the registers of D in `list`, in the lanes of a mask, as f32, as pairs of f16, and as
// s32. `keep`: add to the present values. Float sums are rounded after every product, with k
// ascending.
void sim_wgmma_float(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                     uint32_t mask);
void sim_wgmma_half(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                    uint32_t mask);
void sim_wgmma_int(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                   bool satfinite, uint32_t mask);

#endif
