// References in double precision for what libraries compute, over elements of every float type.
#ifndef CUCORE_BENCH_CASES_REFERENCE_H
#define CUCORE_BENCH_CASES_REFERENCE_H

#include "support.h"

// The elements of an array as doubles: `count` of them, `stride` apart. NULL, with the failure
// recorded, when the type is none of f16, bf16, f32, tf32, e4m3, i8 and
// i32.
typedef void bench_reader(double *out, const void *from, size_t count, size_t stride);
bench_reader *bench_reader_of(cuc_dtype dtype);

// The spacing of numbers near 1.
double bench_epsilon(cuc_dtype dtype);

// The first set of an input, to be freed; NULL with the failure recorded.
void *bench_read_input(const cuc_bench_input *input);

#endif
