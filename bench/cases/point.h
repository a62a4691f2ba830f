// A benchmark point whose subjects are kernels: its arrays, and the tile and CUDA C++ kernels that
// read and write them. cuc_launch() launches each kernel, and one function checks all. The suites
// attention, conv, decode, elementwise, norms and reductions use it.
//
// Failures stick: `status` holds the first one, and later bench_point_ calls do nothing.
#ifndef CUCORE_BENCH_CASES_POINT_H
#define CUCORE_BENCH_CASES_POINT_H

#include "support.h"

#include <cucore/launch.h>
#include <cucore/tensor.h>

enum { BENCH_MOST_ARRAYS = 12, BENCH_MOST_ARGUMENTS = 10 };

typedef struct bench_array {
    cuc_bench_input *input;
    cuc_tensor tensor;
    bool written; // whether a run has written it
} bench_array;

typedef struct bench_point bench_point;

// Check function of a subject. The arrays that the subject writes are cleared before the run that
// is checked.
typedef cuc_status bench_point_check(bench_point *p, char *why, size_t why_size);

struct bench_point {
    cuc_bench_state *state;
    cuc_stream *stream;
    bench_point_check *check;
    cuc_status status;
    cuc_dtype dtype;       // from the axis dtype, unless the suite gives it
    int64_t rows, columns; // extents, as the suite interprets them
    const void *data;      // owned by the suite
    double *expected; // reference values for checks, shared by subjects and freed with the point
    bench_array arrays[BENCH_MOST_ARRAYS];
    int array_count;
    double bytes;                     // read and written by a run
    cuc_bench_input *source, *target; // of the copy
};

// A kernel as a subject.
typedef struct bench_kernel_spec {
    const char *name; // of the subject
    const char *file, *source, *kernel;
    // "BN=1024 BM=8": constants of a tile program or macros of CUDA C++. The dtype is added
    // automatically: T=f32 for tile programs, T_f32 for CUDA C++.
    const char *settings;
    uint32_t grid[3], block[3];              // CUDA C++ launch; no block means a tile program
    cuc_arg arguments[BENCH_MOST_ARGUMENTS]; // an argument of zero bytes ends the list
    const bench_array *zeroed[3];            // arrays to zero before each run
    double limit;                            // largest passing ratio to the peer; 0: none
    // Give the driver's assembler only this kernel of the program. Used for programs with warp
    // roles, because only this assembler assigns registers to each role.
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

// Axis of all cases with such points: compile settings that replace the suite's, joined by +. A
// setting is a constant, "warps=8", "split=4", "stages=3", or "kernel=softmax_online" for another
// kernel with the same parameters. "default" changes nothing.
#define BENCH_TILE_AXIS BENCH_AXIS("tile", STRING, "default", NULL)

// Create a point, reading the state's axis `dtype`. `out` is NULL, and the point is skipped, if it
// is too large for a simulated device.
cuc_status bench_point_make(bench_point **out, cuc_bench_state *state, int64_t rows,
                            int64_t columns, bench_point_check *check);

// Create a point whose element type is not an axis.
cuc_status bench_point_make_of(bench_point **out, cuc_bench_state *state, cuc_dtype dtype,
                               int64_t rows, int64_t columns, bench_point_check *check);

// Parse the axis `shape`: "8192x1024", rows and columns.
cuc_status bench_shape(int64_t *rows, int64_t *columns, cuc_bench_state *state);

// Terminates the extents of a shape.
enum { BENCH_END = -1 };

// Add contiguous arrays: random input; output; scratch, which does not count as work; random whole
// numbers, 0 <= x < below. Each returns NULL after a failure.
bench_array *bench_point_read(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_written(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_scratch(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_indices(bench_point *p, int64_t count, int64_t below);
// Add a contiguous array that is read and holds the given numbers.
bench_array *bench_point_numbers(bench_point *p, const int32_t *numbers, const int64_t *shape);
// Return an array that views the same memory as another element type of equal size.
bench_array *bench_point_alias(bench_point *p, const bench_array *of, cuc_dtype dtype);
#define BENCH_SHAPE(...) ((const int64_t[]){ __VA_ARGS__, BENCH_END })

// Add a kernel as a subject; if it does not compile, the subject fails.
void bench_point_kernel(bench_point *p, const bench_kernel_spec *spec);

// Add a device copy that reads and writes as many bytes as a run; `flags` may make the copy the
// peer.
void bench_point_copy(bench_point *p, uint32_t flags);

void bench_point_skip(bench_point *p, const char *subject, const char *why);

// Declare the work after all arrays exist, and return the status.
cuc_status bench_point_done(bench_point *p);

// Check a subject: clear the outputs, so that another subject's result cannot pass, then run and
// compare.
typedef cuc_status bench_run(void *data, cuc_stream *stream, uint64_t set);
cuc_status bench_point_check_run(bench_point *p, bench_run *run, void *data, char *why,
                                 size_t why_size);

// ---- For checks

// Return the i-th row to examine, counting from 0: the first row, the last and some between; -1 at
// the end.
int64_t bench_sampled(int64_t i, int64_t rows);

// Read elements of the first set as doubles: `count` runs of `run` elements, `pitch` apart. Returns
// false with the failure recorded.
bool bench_get(bench_point *p, double *out, const bench_array *a, int64_t first, int64_t run,
               int64_t count, int64_t pitch);

// Return 0 if |got - expected| <= relative * |expected| + absolute for all; otherwise 1 with `why`,
// where `what` names the elements and numbering starts at `first`. NaN never passes.
cuc_status bench_near(const double *got, const double *expected, int64_t count, double relative,
                      double absolute, const char *what, int64_t first, char *why, size_t why_size);

#endif
