// What the suites share: cases as rows, failures, kernels from text, and comparing memory.
#ifndef CUCORE_BENCH_CASES_SUPPORT_H
#define CUCORE_BENCH_CASES_SUPPORT_H

#include <cucore/bench.h>
#include <cucore/kernel.h>
#include <cucore/object.h>

#include <stdbool.h>

#define BENCH_LENGTH(array) (sizeof(array) / sizeof(*(array)))

// Rows of tables: BENCH_CASE(.suite = "memory", .name = "copy", BENCH_AXES(copy_axes), ...).
#define BENCH_CASE(...)                                    \
    {                                                      \
        .struct_size = sizeof(cuc_bench_case), __VA_ARGS__ \
    }
#define BENCH_AXES(array) .axes = (array), .axis_count = BENCH_LENGTH(array)
#define BENCH_AXIS(name, kind, values, quick)               \
    {                                                       \
        (name), (values), (quick), CUC_BENCH_AXIS_##kind, 0 \
    }

// Record a failure of the benchmarks themselves, and give its status.
cuc_status bench_fail(cuc_status status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
cuc_status bench_no_memory(const char *what);

// Zeroed, and freed when the point is done; NULL, with the failure recorded, without memory.
void *bench_allocate(cuc_bench_state *state, size_t bytes);

// An input with so many sets, or 0 for as many as the library takes; NULL with the failure
// recorded.
cuc_bench_input *bench_input(cuc_bench_state *state, cuc_dtype dtype, uint64_t count, int32_t fill,
                             uint32_t sets);

// A subject that failed before it could be measured, with the thread's last error as the reason.
cuc_status bench_failed_subject(cuc_bench_state *state, const char *name, uint32_t modes);

// CUDA C++ as code for a device; NULL is compute capability 9.0 and needs none.
cuc_status bench_compile(cuc_object **out, cuc_device *device, const char *name,
                         const char *source);

// Inputs to a cubin by nvJitLink, those that are not NULL; what `*out` had before is let go of. Its
// cache is left out, else the second time would be a look-up. `ptxas`: an option of it, or NULL.
cuc_status bench_link(cuc_object **out, cuc_object *const *inputs, size_t count, const char *arch,
                      const char *ptxas);

// A kernel of such a source, let go of when the point is done.
cuc_status bench_kernel(cuc_kernel **out, cuc_bench_state *state, const char *file,
                        const char *source, const char *kernel);

// What lets go of something, for cuc_bench_state_defer().
void bench_drop_kernel(void *kernel);
void bench_drop_buffer(void *buffer);

// Hold memory of the device against what is expected of it, piece by piece: `expect` writes what
// belongs at `offset`. 0, 1 with `why`, or a failure.
typedef cuc_status bench_expect(void *data, void *to, uint64_t offset, size_t bytes);
cuc_status bench_compare(cuc_stream *stream, cuc_device_ptr at, uint64_t bytes,
                         bench_expect *expect, void *data, char *why, size_t why_size);

// A file of this program: beside it in a build folder, or where it was installed to.
bool bench_find_file(char *out, size_t size, const char *name);

#endif
