// What the harness needs of the device: its stream, its kernels, events, and the memory beside
// them.
#ifndef CUCORE_BENCH_LIB_GPU_H
#define CUCORE_BENCH_LIB_GPU_H

#include "fail.h"

#include <cucore/buffer.h>
#include <cucore/event.h>
#include <cucore/kernel.h>
#include <cucore/memory.h>

struct cuc__bench_gpu {
    cuc_device *device;
    cuc_stream *stream;
    cuc_event *start, *stop;
    uint64_t l2_bytes;
    bool simulated;

    // Made at the first need, by cuc__bench_gpu_kernels(): a session that only times calls on the
    // host needs no compiler.
    cuc_kernel *fill, *flush, *block;
    cuc_buffer *flushed; // what cuc__bench_flush() reads
    cuc_buffer *words;   // pinned: what the blocking kernel looks at
    volatile uint32_t *host_words;
    uint64_t flush_bytes; // as asked for; 0: by the device
    double block_timeout_s;
    double busy_at; // when it was last at work, by cuc__bench_now(); 0: not yet
};

cuc_status cuc__bench_gpu_init(struct cuc__bench_gpu *g, cuc_device *device);
void cuc__bench_gpu_release(struct cuc__bench_gpu *g);

// The harness's kernels are compiled and loaded, and their memory is there.
cuc_status cuc__bench_gpu_kernels(struct cuc__bench_gpu *g);

// flush.c: enqueue what leaves nothing of earlier work in L2.
cuc_status cuc__bench_flush(struct cuc__bench_gpu *g);

// blocker.c: enqueue a kernel that holds the stream back until cuc__bench_unblock(), or until the
// timeout has passed: then cuc__bench_block_expired() is true once the stream has come past it.
cuc_status cuc__bench_block(struct cuc__bench_gpu *g);
void cuc__bench_unblock(struct cuc__bench_gpu *g);
bool cuc__bench_block_expired(const struct cuc__bench_gpu *g);

// A launch with as many threads as fill the device, at most one for each of `work` items.
uint32_t cuc__bench_grid(const struct cuc__bench_gpu *g, uint64_t work, uint32_t block);

#endif
