// Matrix products with cuc_gemm(), at the library's choice of tile size.
#ifndef CUCORE_BENCH_CASES_GEMM_PLAN_H
#define CUCORE_BENCH_CASES_GEMM_PLAN_H

#include "cublaslt.h"

typedef struct bench_plan_gemm bench_plan_gemm;

// Create an object that lives as long as the point. `out` is NULL, with the reason in `why`, if the
// library has no such plan.
cuc_status bench_plan_gemm_create(bench_plan_gemm **out, cuc_bench_state *state,
                                  const bench_product *product, char *why, size_t why_size);
cuc_status bench_plan_gemm_run(const bench_plan_gemm *gemm, cuc_stream *stream, cuc_device_ptr a,
                               cuc_device_ptr b, cuc_device_ptr d, cuc_device_ptr extra);
// Report the plan's choices; return the number of figures.
enum { BENCH_PLAN_FIGURES = 11 };
size_t bench_plan_gemm_figures(const bench_plan_gemm *gemm,
                               cuc_bench_figure out[BENCH_PLAN_FIGURES]);

#endif
