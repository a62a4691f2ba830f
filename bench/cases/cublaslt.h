// The part of cuBLASLt that the benchmarks use: our own declarations of its ABI, and matrix
// products.
#ifndef CUCORE_BENCH_CASES_CUBLASLT_H
#define CUCORE_BENCH_CASES_CUBLASLT_H

#include "support.h"

// ---- The ABI of cuBLASLt 12 and 13. tests/bench/library_abi.c compares it with the real headers.

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
    LT_EPILOGUE = 7,            // an int: LT_GELU_BIAS
    LT_BIAS = 8,                // an address; it has the type of the result
    LT_FAST_SUMS = 25,          // a byte, 0 or 1
    LT_BATCHES = 5,             // attributes of a matrix: an int
    LT_STRIDE = 6,              // distance between matrices of a batch, an int64
    LT_MAX_WORKSPACE_BYTES = 1, // attributes of a preference: a size_t
    LT_ALIGNMENT_A = 5,         // an uint32, in bytes; 256 by default
    LT_ALIGNMENT_B = 6,
    LT_ALIGNMENT_C = 7,
    LT_ALIGNMENT_D = 8,
    LT_COMPUTE_F32 = 68,
    LT_COMPUTE_TF32 = 77,
    LT_COMPUTE_I32 = 72,
    LT_GELU_BIAS = 36,
    LT_F32 = 0, // element types
    LT_F16 = 2,
    LT_I8 = 3,
    LT_I32 = 10,
    LT_BF16 = 14,
    LT_E4M3 = 28,
};

struct lt_functions {
#define LT(name, params) int(*name) params;
#include "cublaslt.def"
#undef LT
};

// ---- Products

// Epilogue of a product, applied to each element before it is stored. BENCH_BIAS_GELU adds the bias
// of the element's row, one of m biases, and applies the tanh approximation of GELU. BENCH_RESIDUAL
// adds the element of an m x n matrix. cuBLASLt does not have BENCH_SILU.
enum bench_after { BENCH_NOTHING_AFTER, BENCH_BIAS_GELU, BENCH_RESIDUAL, BENCH_SILU };

// d = op(a) op(b) as in BLAS, column-major; in a layout such as "nt", t marks a matrix that is
// stored row-major. d is m x n, and the sum runs over k.
typedef struct bench_product {
    int64_t m, n, k;
    cuc_dtype dtype;     // element type of a and b
    cuc_dtype out_dtype; // of d
    bool transposed_a, transposed_b;
    int64_t batch;          // number of consecutive products of that shape; 0 means 1
    enum bench_after after; // epilogue of a single product
    bool fast_sums;         // for 8-bit floats
    int64_t skipped;        // elements before each matrix in its array; they misalign it
} bench_product;

// Number of elements of the epilogue operand.
int64_t bench_product_extra(const bench_product *product);
// Alignment of the operands' addresses in bytes, a power of two; 0: as allocated.
uint32_t bench_product_alignment(const bench_product *product);

typedef struct bench_lt bench_lt;

// Prepare products of one shape. `out` is NULL, with the reason in `why`, if cuBLASLt or a suitable
// algorithm is missing.
cuc_status bench_lt_create(bench_lt **out, const bench_product *product, char *why,
                           size_t why_size);
void bench_lt_release(void *lt);

// Time the algorithms that cuBLASLt proposes, and keep the fastest.
cuc_status bench_lt_choose(bench_lt *lt, cuc_stream *stream, cuc_device_ptr a, cuc_device_ptr b,
                           cuc_device_ptr d, cuc_device_ptr extra);
cuc_status bench_lt_run(bench_lt *lt, cuc_stream *stream, cuc_device_ptr a, cuc_device_ptr b,
                        cuc_device_ptr d, cuc_device_ptr extra);

// Report the chosen algorithm's index, the number proposed, and its workspace.
void bench_lt_figures(const bench_lt *lt, cuc_bench_figure out[3]);

#endif
