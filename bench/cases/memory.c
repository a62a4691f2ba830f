// Moving bytes: copies between host and device and within the device, fills, and streams of
// hand-written CUDA C++ with four elements a thread, over sizes.
#include "bench_case_kernels.h"
#include "peers.h"
#include "suites.h"
#include "support.h"

#include <cucore/buffer.h>
#include <cucore/copy.h>
#include <cucore/error.h>
#include <cucore/launch.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A simulated device is no faster for large sizes, nor slower: these tell all there is.
static const int64_t simulated_most = 4 << 20;

static bool too_large(cuc_bench_state *state)
{
    if (!cuc_driver_is_simulated() || cuc_bench_state_int(state, "bytes") <= simulated_most)
        return false;
    (void)cuc_bench_state_skip(state, "simulated: 4 MiB is the most that is measured");
    return true;
}

// ---- Copies

typedef struct copying {
    const struct path *path;
    size_t bytes;
    cuc_bench_input *source, *target; // of the device
    void *host;                       // instead of the one or the other
} copying;

static cuc_status within(const copying *c, cuc_stream *stream, uint64_t set)
{
    return cuc_copy(stream, cuc_bench_input_ptr(c->target, set),
                    cuc_bench_input_ptr(c->source, set), c->bytes);
}

static cuc_status to_device(const copying *c, cuc_stream *stream, uint64_t set)
{
    return cuc_copy_to_device(stream, cuc_bench_input_ptr(c->target, set), c->host, c->bytes);
}

static cuc_status to_host(const copying *c, cuc_stream *stream, uint64_t set)
{
    return cuc_copy_to_host(stream, c->host, cuc_bench_input_ptr(c->source, set), c->bytes);
}

static const struct path {
    const char *name;
    cuc_status (*copy)(const copying *c, cuc_stream *stream, uint64_t set);
    bool pinned, pageable; // the host's memory, if it takes part
    uint32_t flags;
} paths[] = {
    { "d2d", within, false, false, 0 },
    { "h2d_pinned", to_device, true, false, 0 },
    { "h2d_pageable", to_device, false, true, CUC_BENCH_SYNCHRONISES },
    { "d2h_pinned", to_host, true, false, 0 },
    { "d2h_pageable", to_host, false, true, CUC_BENCH_SYNCHRONISES },
};

static cuc_status run_copy(void *data, cuc_stream *stream, uint64_t set)
{
    const copying *c = data;

    return c->path->copy(c, stream, set);
}

// What the source has; without one the host's memory.
static cuc_status source_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    const copying *c = data;
    cuc_stream *stream = cuc_buffer_stream(NULL);

    (void)stream;
    memcpy(to, (const char *)c->host + offset, bytes);
    return CUC_OK;
}
