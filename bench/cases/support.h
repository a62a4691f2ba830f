// Helpers that the suites share: case tables, failures, kernels from text, memory comparison.
#ifndef CUCORE_BENCH_CASES_SUPPORT_H
#define CUCORE_BENCH_CASES_SUPPORT_H

#include <cucore/bench.h>
#include <cucore/kernel.h>
#include <cucore/object.h>

#include <stdbool.h>

#include "base/array.h"

// Table row: BENCH_CASE(.suite = "memory", .name = "copy", BENCH_AXES(copy_axes), ...).
#define BENCH_CASE(...)                                    \
    {                                                      \
        .struct_size = sizeof(cuc_bench_case), __VA_ARGS__ \
    }
#define BENCH_AXES(array) .axes = (array), .axis_count = CUC_LENGTH(array)
#define BENCH_AXIS(name, kind, values, quick)               \
    {                                                       \
        (name), (values), (quick), CUC_BENCH_AXIS_##kind, 0 \
    }

// Record a failure of the benchmarks themselves, not of a subject, and return its status.
cuc_status bench_fail(cuc_status status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
cuc_status bench_no_memory(const char *what);

// Allocate zeroed memory that is freed with the point; NULL, with the failure recorded, if out of
// memory.
void *bench_allocate(cuc_bench_state *state, size_t bytes);

// Create an input with `sets` sets; 0 lets the library choose. Returns NULL with the failure
// recorded.
cuc_bench_input *bench_input(cuc_bench_state *state, cuc_dtype dtype, uint64_t count, int32_t fill,
                             uint32_t sets);

// Add a subject that failed before measurement, with the thread's last error as the reason.
cuc_status bench_failed_subject(cuc_bench_state *state, const char *name, uint32_t modes);

// Compile CUDA C++ for a device; a NULL device means compute capability 9.0, and no GPU is needed.
cuc_status bench_compile(cuc_object **out, cuc_device *device, const char *name,
                         const char *source);

// Divide and round up.
static inline int64_t bench_ceil_div(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

// Link the non-NULL inputs to a cubin with nvJitLink, releasing the previous `*out`. Bypasses
// nvJitLink's cache, which would answer the second time. `ptxas` is an option for ptxas, or NULL.
cuc_status bench_link(cuc_object **out, cuc_object *const *inputs, size_t count, const char *arch,
                      const char *ptxas);

// Compile CUDA C++ and get a kernel, which is released with the point.
cuc_status bench_kernel(cuc_kernel **out, cuc_bench_state *state, const char *file,
                        const char *source, const char *kernel);

// Extract one kernel of a tile program, and the text before the first kernel, so that the other
// kernels are not assembled. The caller frees the text. Returns NULL, with the failure recorded, if
// there is no such kernel.
char *bench_one_kernel(const char *file, const char *name);

// Release functions for cuc_bench_state_defer().
void bench_drop_kernel(void *kernel);
void bench_drop_buffer(void *buffer);

// Compare device memory with the expected contents, piece by piece: `expect` writes the contents at
// `offset`. Returns 0, 1 with `why`, or a failure.
typedef cuc_status bench_expect(void *data, void *to, uint64_t offset, size_t bytes);
cuc_status bench_compare(cuc_stream *stream, cuc_device_ptr at, uint64_t bytes,
                         bench_expect *expect, void *data, char *why, size_t why_size);

// Locate a file that belongs to this program: beside it in a build folder, or where it is
// installed.
bool bench_find_file(char *out, size_t size, const char *name);

#endif
