// A benchmark point of kernels: arrays, and kernels of tile programs and CUDA C++ that read and
// write them, each launched with cuc_launch() and checked by one function. Shared by the suites
// elementwise, norms and reductions.
//
// Failures stick: after one, the bench_point_ calls do nothing, and `status` holds it.
#ifndef CUCORE_BENCH_CASES_POINT_H
#define CUCORE_BENCH_CASES_POINT_H

#include "support.h"

#include <cucore/launch.h>
#include <cucore/tensor.h>

enum { BENCH_MOST_ARRAYS = 8, BENCH_MOST_ARGUMENTS = 10 };

typedef struct bench_array {
    cuc_bench_input *input;
    cuc_tensor tensor;
    bool written; // by a run
} bench_array;

typedef struct bench_point bench_point;

// Check function of a subject. Written arrays are cleared before the run it examines.
typedef cuc_status bench_point_check(bench_point *p, char *why, size_t why_size);

struct bench_point {
    cuc_bench_state *state;
    cuc_stream *stream;
    bench_point_check *check;
    cuc_status status;
    cuc_dtype dtype;       // from the axis of that name, unless the suite gives it
    int64_t rows, columns; // extents, as the suite interprets them
    const void *data;      // owned by the suite
    double *expected;      // for checks: kept across subjects, freed with the point
    bench_array arrays[BENCH_MOST_ARRAYS];
    int array_count;
    double bytes;                     // read and written by a run
    cuc_bench_input *source, *target; // of the copy
};

// A kernel as a subject.
typedef struct bench_kernel_spec {
    const char *name; // of the subject
    const char *file, *source, *kernel;
    // "BN=1024 BM=8": constants of a tile program, macros of CUDA C++. The dtype is included: T=f32
    // for the former, T_f32 for the latter.
    const char *settings;
    uint32_t grid[3], block[3];              // launch of CUDA C++; no block means a tile program
    cuc_arg arguments[BENCH_MOST_ARGUMENTS]; // ends at an argument of no bytes
    const bench_array *zeroed[3];            // arrays that a run zeroes first
    double limit;                            // largest passing ratio to the peer; 0: none
    // A tile program with roles, whose registers the driver's assembler assigns: only this kernel
    // of it.
    bool by_driver;
    uint32_t flags, modes;           // of the subject
    const cuc_bench_figure *figures; // [figure_count] of the subject
    size_t figure_count;
} bench_kernel_spec;

// clang-format off
#define BENCH_TENSOR(array) { CUC_ARG_TENSOR, 8, { .pointer = (array) } } // of a bench_array
#define BENCH_F32(number)   { CUC_F32, 4, { .f32 = (number) } }
#define BENCH_I32(number)   { CUC_I32, 4, { .i64 = (number) } }
#define BENCH_I64(number)   { CUC_I64, 8, { .i64 = (number) } }
// clang-format on

// Axis of all such cases with compile settings that replace the suite's, joined by +: constants,
// "warps=8", or "kernel=softmax_online" for another kernel with the same parameters. "default"
// changes nothing.
#define BENCH_TILE_AXIS BENCH_AXIS("tile", STRING, "default", NULL)

// Reads the state's axis `dtype`. Returns NULL and skips the point if it is too large for a
// simulated device.
cuc_status bench_point_make(bench_point **out, cuc_bench_state *state, int64_t rows,
                            int64_t columns, bench_point_check *check);

// The same with an element type that is no axis.
cuc_status bench_point_make_of(bench_point **out, cuc_bench_state *state, cuc_dtype dtype,
                               int64_t rows, int64_t columns, bench_point_check *check);

// Parse the axis `shape`: "8192x1024", rows and columns.
cuc_status bench_shape(int64_t *rows, int64_t *columns, cuc_bench_state *state);

// Terminates the extents of a shape.
enum { BENCH_END = -1 };

// Contiguous arrays: random input; output; scratch, which does not count as work; whole numbers, 0
// <= x < below. NULL after a failure.
bench_array *bench_point_read(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_written(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_scratch(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_indices(bench_point *p, int64_t count, int64_t below);
// The same memory with another element type of equal size.
bench_array *bench_point_alias(bench_point *p, const bench_array *of, cuc_dtype dtype);
#define BENCH_SHAPE(...) ((const int64_t[]){ __VA_ARGS__, BENCH_END })

// A kernel that does not compile becomes a failed subject.
void bench_point_kernel(bench_point *p, const bench_kernel_spec *spec);

// Add a device copy that reads and writes as many bytes as a run; `flags` may make it the peer.
void bench_point_copy(bench_point *p, uint32_t flags);

void bench_point_skip(bench_point *p, const char *subject, const char *why);

// Declare the work after all arrays exist, and return the status.
cuc_status bench_point_done(bench_point *p);

// Check a subject: clear the outputs, so that another subject's result cannot pass, run, and check
// the result.
typedef cuc_status bench_run(void *data, cuc_stream *stream, uint64_t set);
cuc_status bench_point_check_run(bench_point *p, bench_run *run, void *data, char *why,
                                 size_t why_size);

// ---- For checks

// Rows to examine, for i from 0 on: the first, the last and some between; -1 at the end.
int64_t bench_sampled(int64_t i, int64_t rows);

// Read elements of the first set as doubles: `count` runs of `run` elements, `pitch` apart. False
// with the failure recorded.
bool bench_get(bench_point *p, double *out, const bench_array *a, int64_t first, int64_t run,
               int64_t count, int64_t pitch);

// Return 0 if |got - expected| <= relative * |expected| + absolute for all; otherwise 1 with `why`,
// which calls the elements `what` and numbers them from `first` on. NaN never passes.
cuc_status bench_near(const double *got, const double *expected, int64_t count, double relative,
                      double absolute, const char *what, int64_t first, char *why, size_t why_size);

#endif
