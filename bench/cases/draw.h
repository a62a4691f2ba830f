// Random points for `cucore bench --random`. A drawn case has one axis, `point`, with values such
// as bf16.nt.1024x8x300. The value names the point in results, and --axis runs it again.
#ifndef CUCORE_BENCH_CASES_DRAW_H
#define CUCORE_BENCH_CASES_DRAW_H

#include "support.h"

// Random numbers that depend only on the seed and the case, and are equal on all machines.
typedef struct bench_random {
    uint64_t seed;
    uint32_t stream, at;
} bench_random;

// 0 <= x < 1.
double bench_random_unit(bench_random *r);
// Draw a whole number from low to high, inclusive: uniform, or log-uniform (64 to 128 is as likely
// as 8192 to 16384).
int64_t bench_random_uniform(bench_random *r, int64_t low, int64_t high);
int64_t bench_random_log(bench_random *r, int64_t low, int64_t high);
// Draw a log-uniform number rounded to a multiple of `step`, which divides both bounds.
int64_t bench_random_multiple(bench_random *r, int64_t low, int64_t high, int64_t step);
#define BENCH_RANDOM_OF(r, array) ((array)[bench_random_uniform(r, 0, CUC_LENGTH(array) - 1)])

// Write the text of one point; on the simulated driver, a small point.
typedef void bench_draw_point(char *out, size_t size, bench_random *r);

// A case of a suite that can be drawn; a row without a name ends the list.
typedef struct bench_draw {
    const char *name; // name of the case
    bench_draw_point *draw;
} bench_draw;

// Draw up to `count` different points and return them as a comma-separated axis value, which the
// caller frees. Returns NULL with the failure recorded.
char *bench_draw_points(const cuc_bench_case *c, bench_draw_point *draw, uint64_t seed,
                        uint32_t count);

// Return the mode for a point's subjects. If the work of one run takes less than some 100
// microseconds on a large GPU, launches and events would distort the time, so the mode is a graph
// of repeated runs; otherwise it is cold. The repeated runs take up to 32 sets of the inputs in
// turn, and nothing flushes L2 between them.
uint32_t bench_draw_mode(double flop, double bytes);

#endif
