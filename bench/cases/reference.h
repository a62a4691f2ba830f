// Reads the elements of matrices as doubles, for the references with which results are compared.
#ifndef CUCORE_BENCH_CASES_REFERENCE_H
#define CUCORE_BENCH_CASES_REFERENCE_H

#include "support.h"

// Reads `count` elements, `stride` apart, as doubles. bench_reader_of() returns NULL, with the
// failure recorded, for a type other than f16, bf16, f32, tf32, e4m3, i8 and i32.
typedef void bench_reader(double *out, const void *from, size_t count, size_t stride);
bench_reader *bench_reader_of(cuc_dtype dtype);

// Return the spacing of numbers near 1.
double bench_epsilon(cuc_dtype dtype);

// Return a copy of an input's first set, which the caller frees; NULL with the failure recorded.
void *bench_read_input(const cuc_bench_input *input);

#endif
