// Random points of `cucore bench --random`. A drawn case has one axis, `point`, whose values are
// texts such as bf16.nt.1024x8x300: a text names its point in results and runs it again by --axis.
#ifndef CUCORE_BENCH_CASES_DRAW_H
#define CUCORE_BENCH_CASES_DRAW_H

#include "support.h"

// Independent random numbers by seed and case; equal on all machines.
typedef struct bench_random {
    uint64_t seed;
    uint32_t stream, at;
} bench_random;

// 0 <= x < 1.
double bench_random_unit(bench_random *r);
// Whole numbers from low to high, both included: uniform, and log-uniform (as many from 64 to 128
// as from 8192 to 16384).
int64_t bench_random_uniform(bench_random *r, int64_t low, int64_t high);
int64_t bench_random_log(bench_random *r, int64_t low, int64_t high);
// The same, rounded to a multiple of `step`, which divides both.
int64_t bench_random_multiple(bench_random *r, int64_t low, int64_t high, int64_t step);
#define BENCH_RANDOM_OF(r, array) ((array)[bench_random_uniform(r, 0, CUC_LENGTH(array) - 1)])

// Write the text of one point; on the simulated driver of a small one.
typedef void bench_draw_point(char *out, size_t size, bench_random *r);

// The cases of a suite that can be drawn; a row without a name ends the list.
typedef struct bench_draw {
    const char *name; // of the case
    bench_draw_point *draw;
} bench_draw;

// Draw up to `count` different points, joined by commas as values of the axis; freed by the caller.
// NULL with the failure recorded.
char *bench_draw_points(const cuc_bench_case *c, bench_draw_point *draw, uint64_t seed,
                        uint32_t count);

// Mode of a point's subjects by the work of a run: a graph of repeats below some 100 microseconds
// on a large GPU, where launches and events would count; otherwise cold. The repeats take up to 32
// sets of the inputs in turn, and nothing flushes L2 between them.
uint32_t bench_draw_mode(double flop, double bytes);

#endif
