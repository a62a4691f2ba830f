// A point of kernels: arrays, and kernels of tile programs and of CUDA C++ that read and write
// them, each launched by cuc_launch() and checked by the same function. What the suites
// elementwise, norms and reductions have in common.
//
// Failures stick: after one, the bench_point_ calls do nothing, and `status` has it.
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

// As of a subject. What runs write had been cleared before the run that is looked at.
typedef cuc_status bench_point_check(bench_point *p, char *why, size_t why_size);

struct bench_point {
    cuc_bench_state *state;
    cuc_stream *stream;
    bench_point_check *check;
    cuc_status status;
    cuc_dtype dtype;       // of the axis of that name
    int64_t rows, columns; // what the suite takes them for
    const void *data;      // the suite's own
    double *expected;      // for the check: kept from one subject to the next, and freed
    bench_array arrays[BENCH_MOST_ARRAYS];
    int array_count;
    double bytes;                     // that a run reads and writes
    cuc_bench_input *source, *target; // of the copy
};

// A kernel as a subject.
typedef struct bench_kernel_spec {
    const char *name; // of the subject
    const char *file, *source, *kernel;
    // "BN=1024 BM=8": constants of a tile program, macros of CUDA C++. The dtype is one, too: T=f32
    // of the one, T_f32 of the other.
    const char *settings;
    uint32_t grid[3], block[3];              // of CUDA C++; without a block it is a tile program
    cuc_arg arguments[BENCH_MOST_ARGUMENTS]; // up to one of no bytes
    const bench_array *zeroed[3];            // what a run begins with filling with zeros
    double limit;                            // of the ratio to the peer; 0: none
    bool by_driver; // a tile program with roles: the driver's assembler gives them registers
    uint32_t flags;
} bench_kernel_spec;

// clang-format off
#define BENCH_TENSOR(array) { CUC_ARG_TENSOR, 8, { .pointer = (array) } } // the address of a bench_array
#define BENCH_F32(number)   { CUC_F32, 4, { .f32 = (number) } }
#define BENCH_I32(number)   { CUC_I32, 4, { .i64 = (number) } }
#define BENCH_I64(number)   { CUC_I64, 8, { .i64 = (number) } }
// clang-format on

// An axis of every such case: how the tile program is compiled in place of what the suite sets:
// constants, "warps=8", and "kernel=softmax_online" for another kernel that takes the same, with +
// in between; "default" is as it is.
#define BENCH_TILE_AXIS BENCH_AXIS("tile", STRING, "default", NULL)

// Of the state's axes `dtype` is read. NULL when a simulated device is asked for too much: the
// point is skipped then.
cuc_status bench_point_make(bench_point **out, cuc_bench_state *state, int64_t rows,
                            int64_t columns, bench_point_check *check);

// The axis `shape`: "8192x1024", rows and columns.
cuc_status bench_shape(int64_t *rows, int64_t *columns, cuc_bench_state *state);

// An extent that ends a shape.
enum { BENCH_END = -1 };

// Arrays without gaps: random, and read; written; worked on, which is no work that counts; whole
// numbers, 0 <= x < below. NULL after a failure.
bench_array *bench_point_read(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_written(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_scratch(bench_point *p, cuc_dtype dtype, const int64_t *shape);
bench_array *bench_point_indices(bench_point *p, int64_t count, int64_t below);
// The same memory as elements of another type of that size.
bench_array *bench_point_alias(bench_point *p, const bench_array *of, cuc_dtype dtype);
#define BENCH_SHAPE(...) ((const int64_t[]){ __VA_ARGS__, BENCH_END })

// One that cannot be compiled is a subject that failed.
void bench_point_kernel(bench_point *p, const bench_kernel_spec *spec);

// A copy within the device that reads and writes as many bytes as a run does; `flags` may make it
// the peer.
void bench_point_copy(bench_point *p, uint32_t flags);

void bench_point_skip(bench_point *p, const char *subject, const char *why);

// Say what the work is, when all arrays are there, and give the status.
cuc_status bench_point_done(bench_point *p);

// A subject's check: what is written is cleared, so that nothing of another one is taken for it,
// and what a run then leaves is checked.
typedef cuc_status bench_run(void *data, cuc_stream *stream, uint64_t set);
cuc_status bench_point_check_run(bench_point *p, bench_run *run, void *data, char *why,
                                 size_t why_size);

// ---- For checks

// The rows to look at, for i from 0 on: the first, the last, some between; -1: that were all.
int64_t bench_sampled(int64_t i, int64_t rows);

// Elements of the first set as doubles: `count` runs of `run` elements that are `pitch` apart.
// False with the failure recorded.
bool bench_get(bench_point *p, double *out, const bench_array *a, int64_t first, int64_t run,
               int64_t count, int64_t pitch);

// 0 when |got - expected| <= relative * |expected| + absolute for all; 1 with `why`, which calls
// the elements `what` and numbers them from `first` on. NaN is never right.
cuc_status bench_near(const double *got, const double *expected, int64_t count, double relative,
                      double absolute, const char *what, int64_t first, char *why, size_t why_size);

#endif
