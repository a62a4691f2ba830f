// Data movement: copies between host and device and within the device, fills, and CUDA C++ memory
// streams with four elements per thread, at several sizes.
#include "base/array.h"
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

// A simulated device's speed does not depend on the size, so small sizes suffice.
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
    cuc_stream *stream;
    cuc_bench_input *source, *target; // on the device
    void *host;                       // replaces `source` or `target`
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
    bool pinned, pageable; // kind of the host memory, if any
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

// Write the expected device contents, starting at `offset`.
static cuc_status expected_of(void *data, void *to, uint64_t offset, size_t bytes)
{
    const copying *c = data;
    cuc_status st = CUC_OK;

    if (c->host)
        memcpy(to, (const char *)c->host + offset, bytes);
    else if ((st = cuc_copy_to_host(c->stream, to, cuc_bench_input_ptr(c->source, 0) + offset,
                                    bytes)) >= 0)
        st = cuc_stream_synchronize(c->stream);
    return st;
}

// Clear the destination first, so that an earlier copy's result cannot pass.
static cuc_status check_copy(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    copying *c = data;
    bool to_host_memory = !c->target;
    cuc_device_ptr device = cuc_bench_input_ptr(to_host_memory ? c->source : c->target, 0);
    cuc_status st = CUC_OK;

    if (to_host_memory)
        memset(c->host, 0, c->bytes);
    else
        st = cuc_fill(stream, device, 0, 1, c->bytes);
    if (st >= 0 && (st = run_copy(data, stream, 0)) >= 0)
        st = cuc_stream_synchronize(stream);
    return st < 0 ? st : bench_compare(stream, device, c->bytes, expected_of, data, why, why_size);
}

static cuc_status make_host(copying *c, cuc_bench_state *state)
{
    cuc_memory_resource *pinned;
    cuc_buffer *buffer;

    if (!c->path->pinned)
        return (c->host = bench_allocate(state, c->bytes)) ? CUC_OK : cuc_error_status();
    cuc_status st =
        cuc_memory_synchronous_create(&pinned, cuc_bench_state_device(state), CUC_MEMORY_PINNED);
    if (st < 0)
        return st;
    st = cuc_buffer_create(&buffer, NULL, pinned, c->bytes);
    cuc_memory_resource_release(pinned);
    if (st < 0 || (st = cuc_bench_state_defer(state, bench_drop_buffer, buffer)) < 0)
        return st;
    return cuc_buffer_get_host_pointer(&c->host, buffer);
}

static cuc_status make_arrays(copying *c, cuc_bench_state *state)
{
    bool host = c->path->pinned || c->path->pageable;
    bool writes_device = c->path->copy != to_host, reads_device = c->path->copy != to_device;
    cuc_status st = host ? make_host(c, state) : CUC_OK;

    if (st < 0)
        return st;
    // Provides the random numbers for host copies too.
    cuc_bench_input *random =
        bench_input(state, CUC_U8, c->bytes, CUC_BENCH_UNIFORM, reads_device ? 0 : 1);
    if (!random)
        return cuc_error_status();
    if (reads_device)
        c->source = random;
    else if ((st = cuc_bench_input_read(c->host, random, 0)) < 0)
        return st;
    if (writes_device && !(c->target = bench_input(state, CUC_U8, c->bytes, CUC_BENCH_NONE, 0)))
        return cuc_error_status();
    return CUC_OK;
}

static const struct path *find_path(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(paths); i++)
        if (strcmp(paths[i].name, name) == 0)
            return &paths[i];
    bench_fail(CUC_ERROR_INVALID_ARGUMENT,
               "path is %s: d2d, and h2d and d2h with _pinned and _pageable are known", name);
    return NULL;
}

static const char *const copy_peers[] = { "torch", "cupy", "cuda.core", "cucore-python", NULL };

static cuc_status set_up_copy(cuc_bench_state *state, void *data)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    copying *c = bench_allocate(state, sizeof(*c));
    cuc_status st;

    (void)data;
    if (too_large(state))
        return CUC_OK;
    if (!c || !(c->path = find_path(cuc_bench_state_text(state, "path"))))
        return cuc_error_status();
    c->bytes = (size_t)cuc_bench_state_int(state, "bytes");
    c->stream = cuc_bench_state_stream(state);
    bool within_device = c->path->copy == within;
    // Within the device, count bytes read and bytes written, against the data sheet's memory rate.
    // Between host and device, count each byte once, because it crosses the bus once.
    work.bytes = (within_device ? 2.0 : 1.0) * (double)c->bytes;
    work.peak = within_device ? "memory" : "";
    subject.name = "cucore";
    subject.data = c;
    subject.run = run_copy;
    subject.check = check_copy;
    subject.flags = c->path->flags | (within_device ? CUC_BENCH_PEER : 0);
    if ((st = cuc_bench_state_set_work(state, &work)) < 0 || (st = make_arrays(c, state)) < 0 ||
        (st = cuc_bench_state_add_subject(state, &subject)) < 0 || !within_device)
        return st;
    return bench_peers_add(state, copy_peers, CUC_BENCH_COLD, "memory", "copy",
                           json_pack("{s:I}", "bytes", (json_int_t)c->bytes));
}

// ---- Fills

static const uint32_t fill_word = 0x9E3779B9;

static cuc_status run_fill(void *data, cuc_stream *stream, uint64_t set)
{
    return cuc_fill(stream, cuc_bench_input_ptr(data, set), fill_word, 4,
                    cuc_bench_input_bytes(data) / 4);
}

static cuc_status is_filled(void *data, void *to, uint64_t offset, size_t bytes)
{
    (void)data;
    (void)offset;
    for (size_t i = 0; i < bytes / 4; i++)
        memcpy((char *)to + 4 * i, &fill_word, 4);
    return CUC_OK;
}

static cuc_status check_fill(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    return bench_compare(stream, cuc_bench_input_ptr(data, 0), cuc_bench_input_bytes(data),
                         is_filled, NULL, why, why_size);
}

static cuc_status set_up_fill(cuc_bench_state *state, void *data)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    uint64_t bytes = (uint64_t)cuc_bench_state_int(state, "bytes");

    (void)data;
    if (too_large(state))
        return CUC_OK;
    work.bytes = (double)bytes;
    work.peak = "memory";
    subject.name = "cucore";
    subject.run = run_fill;
    subject.check = check_fill;
    subject.data = bench_input(state, CUC_U32, bytes / 4, CUC_BENCH_ZEROS, 0);
    cuc_status st = subject.data ? cuc_bench_state_set_work(state, &work) : cuc_error_status();
    return st < 0 ? st : cuc_bench_state_add_subject(state, &subject);
}

// ---- Memory streams in CUDA C++

static const float scale = 3.0f;

static float copy_one(float a, float b)
{
    (void)b;
    return a;
}

static float scale_one(float a, float b)
{
    (void)b;
    return scale * a;
}

static float add_one(float a, float b)
{
    return a + b;
}

static float triad_one(float a, float b)
{
    return fmaf(scale, b, a);
}

static const struct operation {
    const char *name; // name of the case and of the kernel
    int arrays;       // arrays read and written
    float (*one)(float a, float b);
} operations[] = {
    { "copy", 2, copy_one },
    { "scale", 2, scale_one },
    { "add", 3, add_one },
    { "triad", 3, triad_one },
};

typedef struct streaming {
    const struct operation *operation;
    cuc_kernel *kernel;
    cuc_stream *stream;
    cuc_bench_input *a, *b, *c;
    cuc_launch_config config;
    uint64_t vectors; // number of vectors of four elements
} streaming;

static cuc_status run_stream(void *data, cuc_stream *stream, uint64_t set)
{
    const streaming *s = data;

    return CUC_LAUNCH(stream, &s->config, s->kernel, cuc_bench_input_ptr(s->c, set),
                      cuc_bench_input_ptr(s->a, set), cuc_bench_input_ptr(s->b, set), scale,
                      s->vectors);
}

// Compute the kernel's result, and round each operation separately, as the kernel does.
static cuc_status streamed(void *data, void *to, uint64_t offset, size_t bytes)
{
    const streaming *s = data;
    float *c = to, *b = malloc(bytes);
    cuc_status st = b ? CUC_OK : bench_no_memory("what is compared");

    if (st >= 0 &&
        (st = cuc_copy_to_host(s->stream, c, cuc_bench_input_ptr(s->a, 0) + offset, bytes)) >= 0 &&
        (st = cuc_copy_to_host(s->stream, b, cuc_bench_input_ptr(s->b, 0) + offset, bytes)) >= 0)
        st = cuc_stream_synchronize(s->stream);
    for (size_t i = 0; i < bytes / 4 && st >= 0; i++)
        c[i] = s->operation->one(c[i], b[i]);
    free(b);
    return st;
}

static cuc_status check_stream(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const streaming *s = data;

    return bench_compare(stream, cuc_bench_input_ptr(s->c, 0), 16 * s->vectors, streamed, data, why,
                         why_size);
}

static const struct operation *find_operation(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(operations); i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    bench_fail(CUC_ERROR_INVALID_ARGUMENT, "op is %s: copy, scale, add and triad are known", name);
    return NULL;
}

static cuc_status make_stream(streaming *s, cuc_bench_state *state)
{
    uint64_t bytes = (uint64_t)cuc_bench_state_int(state, "bytes");

    s->operation = find_operation(cuc_bench_state_text(state, "op"));
    s->stream = cuc_bench_state_stream(state);
    s->vectors = bytes / 16;
    s->config = (cuc_launch_config)CUC_LAUNCH_CONFIG_INIT;
    s->config.grid[0] = (uint32_t)((s->vectors + 255) / 256);
    s->config.grid[1] = s->config.grid[2] = 1;
    s->config.block[0] = 256;
    s->config.block[1] = s->config.block[2] = 1;
    if (!s->operation || !(s->a = bench_input(state, CUC_F32, bytes / 4, CUC_BENCH_UNIFORM, 0)) ||
        !(s->b = bench_input(state, CUC_F32, bytes / 4, CUC_BENCH_UNIFORM, 0)) ||
        !(s->c = bench_input(state, CUC_F32, bytes / 4, CUC_BENCH_ZEROS, 0)))
        return cuc_error_status();
    return bench_kernel(&s->kernel, state, "streams.cu", streams_cu, s->operation->name);
}

static const char *const stream_peers[] = { "torch", "triton", "cupy", "numba", NULL };

static cuc_status set_up_stream(cuc_bench_state *state, void *data)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    streaming *s = bench_allocate(state, sizeof(*s));
    cuc_status st;

    (void)data;
    if (too_large(state))
        return CUC_OK;
    if (!s)
        return cuc_error_status();
    if ((st = make_stream(s, state)) < 0)
        return st;
    work.bytes = 16.0 * (double)s->vectors * s->operation->arrays;
    work.peak = "memory";
    subject.name = "cuda";
    subject.data = s;
    subject.run = run_stream;
    subject.check = check_stream;
    subject.flags = CUC_BENCH_PEER;
    if ((st = cuc_bench_state_set_work(state, &work)) < 0 ||
        (st = cuc_bench_state_add_subject(state, &subject)) < 0)
        return st;
    return bench_peers_add(
        state, stream_peers, CUC_BENCH_COLD, "memory", "stream",
        json_pack("{s:s, s:I}", "op", s->operation->name, "bytes", (json_int_t)(16 * s->vectors)));
}

// ---- The cases

#define SIZES BENCH_AXIS("bytes", POW2, "12:30:3", "12,20")

static const cuc_bench_axis copy_axes[] = {
    BENCH_AXIS("path", STRING, "d2d,h2d_pinned,h2d_pageable,d2h_pinned,d2h_pageable", NULL),
    SIZES,
};
static const cuc_bench_axis fill_axes[] = { SIZES };
static const cuc_bench_axis stream_axes[] = {
    BENCH_AXIS("op", STRING, "copy,scale,add,triad", NULL),
    SIZES,
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "memory", .name = "copy",
               .about = "copies within the device, and to and from the host's memory",
               BENCH_AXES(copy_axes), .setup = set_up_copy,
               .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
    BENCH_CASE(.suite = "memory", .name = "fill", .about = "a word repeated", BENCH_AXES(fill_axes),
               .setup = set_up_fill, .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
    BENCH_CASE(.suite = "memory", .name = "stream",
               .about = "c = a, s a, a + b or a + s b of f32, with arrays of that many bytes",
               BENCH_AXES(stream_axes), .setup = set_up_stream,
               .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
};

const bench_suite bench_memory_suite = { "memory", cases, CUC_LENGTH(cases), NULL, NULL };
