// What the object layer costs over the driver: one table of cases, each the same work by raw driver
// calls and by cucore. bench_runtime times them on a GPU, bench_count counts instructions on a
// do-nothing driver.
#ifndef CUCORE_BENCH_RUNTIME_CASES_H
#define CUCORE_BENCH_RUNTIME_CASES_H

#include <cucore/cucore.h>

#include "driver/cuda_abi.h"

#include <stddef.h>

// The raw side's own function pointers, as a program without cucore would have them.
struct raw_driver {
#define RAW(name, version, params) CUresult(*name) params;
#include "raw_driver.def"
#undef RAW
};

struct bench {
    struct raw_driver cu;
    cuc_device *device;
    cuc_context *context;
    cuc_stream *stream, *other;
    cuc_event *event;
    cuc_memory_resource *pool;
    cuc_object *object;
    cuc_kernel *kernel[3]; // of 0, 3 and 16 parameters
    cuc_buffer *buffer;

    CUstream raw_stream, raw_other;
    CUevent raw_event;
    CUmemoryPool raw_pool;
    CUkernel raw_kernel[3];
    CUdeviceptr raw_ptr;
    void *host; // pinned, one word
};

struct bench_case {
    const char *name;
    double limit; // the most that cucore may take, as a multiple of raw
    int batch;    // calls between two waits: what a stream's queue takes without blocking
    int (*raw)(struct bench *b, int calls);
    int (*cuc)(struct bench *b, int calls);
};

extern const struct bench_case bench_cases[];
extern const size_t bench_case_count;

// Make everything that the cases use. On failure prints why and returns -1.
int bench_open(struct bench *b);
void bench_close(struct bench *b);

#endif
