// Overhead of the object layer over the driver: a table of cases that do the same work with raw
// driver calls and through cucore. The suite runtime times them; bench_count counts instructions on
// a do-nothing driver.
#ifndef CUCORE_BENCH_CASES_RUNTIME_CASES_H
#define CUCORE_BENCH_CASES_RUNTIME_CASES_H

#include <cucore/cucore.h>

#include "driver/cuda_abi.h"

#include <stddef.h>

// Function pointers for the raw side, like those of a program without cucore.
struct raw_driver {
#define RAW(name, version, params) CUresult(*name) params;
#include "raw_driver.def"
#undef RAW
};

struct bench {
    struct raw_driver cu;
    cuc_device *device;
    cuc_stream *stream, *other;
    cuc_event *event;
    cuc_memory_resource *pool;
    cuc_object *object;
    cuc_kernel *kernel[3]; // with 0, 3 and 16 parameters
    cuc_buffer *buffer;

    CUstream raw_stream, raw_other;
    CUevent raw_event;
    CUmemoryPool raw_pool;
    CUkernel raw_kernel[3];
    CUdeviceptr raw_ptr;
};

struct bench_case {
    const char *name;
    double limit; // largest allowed ratio to raw; 0: none
    int batch;    // calls between two waits; the stream's queue depth limits it
    int (*raw)(struct bench *b, int calls);
    int (*cuc)(struct bench *b, int calls);
    const char *unchecked; // why there is nothing to check
    uint32_t word;         // otherwise: expected fill value of the second 4096 bytes of the buffer
};

// clang-format off
// The cases: X(name, limit, batch, raw, cuc, unchecked, word, about)
#define BENCH_RUNTIME_CASES(X) \
    X(launch_0_arguments,    1.02, 400, raw_launch_0,   cuc_launch_0,     empty,  0, "a kernel without arguments") \
    X(launch_3_arguments,    1.02, 400, raw_launch_3,   cuc_launch_3,     empty,  0, "a kernel of three arguments") \
    X(launch_16_arguments,   1.02, 400, raw_launch_16,  cuc_launch_16,    empty,  0, "a kernel of sixteen arguments") \
    X(event_record,          1.05, 400, raw_record,     cuc_record,       order,  0, "recording an event") \
    X(stream_wait_event,     1.05, 400, raw_wait,       cuc_wait,         order,  0, "having a stream wait for an event") \
    X(alloc_free,            1.05, 200, raw_alloc_free, cuc_alloc_free,   memory, 0, "4 KiB of a pool's memory, taken and given back") \
    X(buffer_create_release, 0,    200, raw_alloc_free, cuc_buffer_cycle, memory, 0, "the same as an object of cucore") \
    X(copy_4_kib,            0,    400, raw_copy,       cuc_copy_4k,      NULL, BENCH_FIRST, "a copy within the device") \
    X(fill_4_kib,            0,    400, raw_fill,       cuc_fill_4k,      NULL, BENCH_FILL,  "a fill") \
    X(stream_query,          0,    400, raw_query,      cuc_query,        order,  0, "asking whether a stream is done") \
    X(event_query,           0,    400, raw_query_event, cuc_query_event, order, 0, "asking whether an event is done")
// clang-format on

enum {
#define BENCH_RUNTIME_INDEX(name, limit, batch, raw, cuc, unchecked, word, about) BENCH_AT_##name,
    BENCH_RUNTIME_CASES(BENCH_RUNTIME_INDEX)
#undef BENCH_RUNTIME_INDEX
        BENCH_CASES
};

enum {
    BENCH_FIRST = 3, // fill value of each word in the first 4096 bytes of the buffer
    BENCH_FILL = 7,
};

extern struct bench_case bench_cases[BENCH_CASES]; // not const, because the `data` of the suite's
                                                   // cases points to these rows

// Create everything the cases use; with a NULL `stream`, also a stream. On failure the thread's
// last error has the reason.
cuc_status bench_open(struct bench *b, cuc_device *device, cuc_stream *stream);
void bench_close(struct bench *b);

#endif
