// Device state of the harness: stream, kernels, events, and buffers.
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

    // cuc__bench_gpu_kernels() creates these on first use, so that a session that times only host
    // calls needs no compiler.
    cuc_kernel *fill, *flush, *block;
    cuc_buffer *flushed; // read by cuc__bench_flush()
    cuc_buffer *words;   // pinned: polled by the blocking kernel
    volatile uint32_t *host_words;
    uint64_t flush_bytes; // the requested size; 0: chosen for the device
    double block_timeout_s;
    double busy_at; // time of the last work, as cuc__bench_now(); 0: none yet
};

cuc_status cuc__bench_gpu_init(struct cuc__bench_gpu *g, cuc_device *device);
void cuc__bench_gpu_release(struct cuc__bench_gpu *g);

// Compile and load the harness's kernels and allocate their memory.
cuc_status cuc__bench_gpu_kernels(struct cuc__bench_gpu *g);

// flush.c: enqueue work that evicts earlier data from L2.
cuc_status cuc__bench_flush(struct cuc__bench_gpu *g);

// blocker.c: enqueue a kernel that holds the stream until cuc__bench_unblock() or a timeout. If it
// timed out, cuc__bench_block_expired() returns true once the stream has passed the kernel.
cuc_status cuc__bench_block(struct cuc__bench_gpu *g);
void cuc__bench_unblock(struct cuc__bench_gpu *g);
bool cuc__bench_block_expired(const struct cuc__bench_gpu *g);

// Return a grid that fills the device, with at most one thread per `work` item.
uint32_t cuc__bench_grid(const struct cuc__bench_gpu *g, uint64_t work, uint32_t block);

#endif
