// cuBLASLt as far as it is measured: its ABI in our own words, and products of matrices.
#ifndef CUCORE_BENCH_CASES_CUBLASLT_H
#define CUCORE_BENCH_CASES_CUBLASLT_H

#include "support.h"

// ---- The ABI of cuBLASLt 12 and 13. tests/bench/library_abi.c holds it to the real headers.

typedef struct lt_handle_object *lt_handle;
typedef struct lt_product_object *lt_product;
typedef struct lt_matrix_object *lt_matrix;
typedef struct lt_preference_object *lt_preference;

typedef struct lt_algorithm {
    uint64_t data[8];
} lt_algorithm;

typedef struct lt_choice {
    lt_algorithm algorithm;
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
} lt_choice;

enum {
    LT_TRANSPOSE_A = 3, // attributes of a product: an int, 0 or 1
    LT_TRANSPOSE_B = 4,
    LT_MAX_WORKSPACE_BYTES = 1, // attribute of a preference: a size_t
    LT_COMPUTE_F32 = 68,
    LT_COMPUTE_TF32 = 77,
    LT_F32 = 0, // types of elements
    LT_F16 = 2,
    LT_BF16 = 14,
    LT_E4M3 = 28,
};

struct lt_functions {
#define LT(name, params) int(*name) params;
#include "cublaslt.def"
#undef LT
};

// ---- Products

// d = op(a) op(b), in the words of BLAS: columns lie one behind the other, and 't' of a matrix says
// that its rows do instead, as they are multiplied. d is m x n, and a product is over k.
typedef struct bench_product {
    int64_t m, n, k;
    cuc_dtype dtype;     // of a and b
    cuc_dtype out_dtype; // of d
    bool transposed_a, transposed_b;
} bench_product;

typedef struct bench_lt bench_lt;

// Make ready to compute products of that shape; NULL in `out` with the reason in `why` where
// cuBLASLt or an algorithm of it is missing.
cuc_status bench_lt_create(bench_lt **out, const bench_product *product, char *why,
                           size_t why_size);
void bench_lt_release(void *lt);

// Time the algorithms that cuBLASLt proposes, and keep the fastest.
cuc_status bench_lt_choose(bench_lt *lt, cuc_stream *stream, cuc_device_ptr a, cuc_device_ptr b,
                           cuc_device_ptr d);
cuc_status bench_lt_run(bench_lt *lt, cuc_stream *stream, cuc_device_ptr a, cuc_device_ptr b,
                        cuc_device_ptr d);

// What was chosen: its place among those proposed, how many these were, and its workspace.
void bench_lt_figures(const bench_lt *lt, cuc_bench_figure out[3]);

#endif
