#include "runtime_cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// Use empty kernels, to measure only the launch path.
static const char ptx[] =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry empty0()\n{\n ret;\n}\n"
    ".visible .entry empty3(.param .f32 a, .param .u64 x, .param .u32 n)\n{\n ret;\n}\n"
    ".visible .entry empty16(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3,\n"
    " .param .u64 p4, .param .u64 p5, .param .u64 p6, .param .u64 p7,\n"
    " .param .u32 p8, .param .u32 p9, .param .u32 p10, .param .u32 p11,\n"
    " .param .f32 p12, .param .f32 p13, .param .f32 p14, .param .f32 p15)\n{\n ret;\n}\n";

static const char *const kernel_names[] = { "empty0", "empty3", "empty16" };

static cuc_status fail(const char *fmt, const char *what)
{
    char text[512];

    snprintf(text, sizeof(text), fmt, what);
    return cuc_error_set(CUC_ERROR_NOT_SUPPORTED, NULL, text);
}

static cuc_status resolve_raw(struct raw_driver *cu)
{
    const char *path;
    void *handle;
    CUresult (*get)(const char *, void **, int, uint64_t, int *);
    cuc_status st = cuc_driver_get_path(&path);

    if (st < 0)
        return st;
    handle = dlopen(path, RTLD_NOW);
    void *symbol = handle ? dlsym(handle, "cuGetProcAddress_v2") : NULL;
    if (!symbol)
        return fail("%s exports no cuGetProcAddress_v2", path);
    memcpy(&get, &symbol, sizeof(get));
#define RAW(name, version, params)                        \
    if (get(#name, &symbol, version, 0, NULL) || !symbol) \
        return fail("the driver has no %s", #name);       \
    memcpy(&cu->name, &symbol, sizeof(symbol));
#include "raw_driver.def"
#undef RAW
    return CUC_OK;
}

static cuc_status open_kernels(struct bench *b)
{
    cuc_status st = cuc_object_create(&b->object, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL);

    for (int i = 0; i < 3 && st >= 0; i++) {
        st = cuc_object_get_kernel(&b->kernel[i], b->object, kernel_names[i]);
        b->raw_kernel[i] = st < 0 ? NULL : cuc_kernel_handle(b->kernel[i]);
    }
    return st;
}

cuc_status bench_open(struct bench *b, cuc_device *device, cuc_stream *stream)
{
    cuc_status st;

    memset(b, 0, sizeof(*b));
    b->device = device;
    b->stream = cuc_stream_retain(stream);
    // Make the context current for the raw side, as a program without cucore would.
    if ((st = cuc_device_set_current(device, NULL)) < 0 ||
        (!stream && (st = cuc_stream_create(&b->stream, device, NULL)) < 0) ||
        (st = cuc_stream_create(&b->other, device, NULL)) < 0 ||
        (st = cuc_event_create(&b->event, device, NULL)) < 0 ||
        (st = cuc_event_record(b->stream, b->event)) < 0 || // an event to wait for
        (st = cuc_memory_pool_get_current(&b->pool, device, CUC_MEMORY_DEVICE)) < 0 ||
        (st = cuc_buffer_create(&b->buffer, b->stream, b->pool, 1 << 20)) < 0 ||
        (st = open_kernels(b)) < 0 || (st = resolve_raw(&b->cu)) < 0) {
        bench_close(b);
        return st;
    }
    b->raw_stream = cuc_stream_handle(b->stream);
    b->raw_other = cuc_stream_handle(b->other);
    b->raw_event = cuc_event_handle(b->event);
    b->raw_pool = cuc_memory_pool_handle(b->pool);
    b->raw_ptr = cuc_buffer_ptr(b->buffer);
    return CUC_OK;
}

void bench_close(struct bench *b)
{
    cuc_buffer_release(b->buffer);
    for (int i = 0; i < 3; i++)
        cuc_kernel_release(b->kernel[i]);
    cuc_object_release(b->object);
    cuc_memory_resource_release(b->pool);
    cuc_event_release(b->event);
    cuc_stream_release(b->other);
    cuc_stream_release(b->stream);
}

// Both sides read new arguments in each call, as a program's loop does, and share one config.
static CUlaunchConfig raw_config(const struct bench *b)
{
    return (CUlaunchConfig){
        .gridDimX = 1,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = 32,
        .blockDimY = 1,
        .blockDimZ = 1,
        .hStream = b->raw_stream,
    };
}

static int raw_launch_0(struct bench *b, int calls)
{
    const CUlaunchConfig config = raw_config(b);
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuLaunchKernelEx(&config, (CUfunction)b->raw_kernel[0], NULL, NULL);
    return bad;
}

static int raw_launch_3(struct bench *b, int calls)
{
    const CUlaunchConfig config = raw_config(b);
    int bad = 0;

    for (int i = 0; i < calls; i++) {
        float a = 2.0f;
        uint32_t n = 1024;
        void *params[] = { &a, &b->raw_ptr, &n };
        bad |= b->cu.cuLaunchKernelEx(&config, (CUfunction)b->raw_kernel[1], params, NULL);
    }
    return bad;
}

static int raw_launch_16(struct bench *b, int calls)
{
    const CUlaunchConfig config = raw_config(b);
    uint64_t *p = &b->raw_ptr;
    int bad = 0;

    for (int i = 0; i < calls; i++) {
        uint32_t n[4] = { 1024, 1024, 1024, 1024 };
        float a[4] = { 2.0f, 2.0f, 2.0f, 2.0f };
        void *params[] = { p,     p,     p,     p,     p,     p,     p,     p,
                           &n[0], &n[1], &n[2], &n[3], &a[0], &a[1], &a[2], &a[3] };
        bad |= b->cu.cuLaunchKernelEx(&config, (CUfunction)b->raw_kernel[2], params, NULL);
    }
    return bad;
}

static int cuc_launch_0(struct bench *b, int calls)
{
    const cuc_launch_config *config = CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 });
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_launch(b->stream, config, b->kernel[0], NULL, 0);
    return bad;
}

static int cuc_launch_3(struct bench *b, int calls)
{
    const cuc_launch_config *config = CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 });
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= CUC_LAUNCH(b->stream, config, b->kernel[1], 2.0f, b->buffer, 1024u);
    return bad;
}

static int cuc_launch_16(struct bench *b, int calls)
{
    const cuc_launch_config *config = CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 });
    cuc_buffer *p = b->buffer;
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= CUC_LAUNCH(b->stream, config, b->kernel[2], p, p, p, p, p, p, p, p, 1024u, 1024u,
                          1024u, 1024u, 2.0f, 2.0f, 2.0f, 2.0f);
    return bad;
}

static int raw_record(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuEventRecord(b->raw_event, b->raw_stream);
    return bad;
}

static int cuc_record(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_event_record(b->stream, b->event);
    return bad;
}

static int raw_wait(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuStreamWaitEvent(b->raw_other, b->raw_event, 0);
    return bad;
}

static int cuc_wait(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_stream_wait_event(b->other, b->event);
    return bad;
}

static int raw_alloc_free(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++) {
        CUdeviceptr ptr = 0;
        bad |= b->cu.cuMemAllocFromPoolAsync(&ptr, 4096, b->raw_pool, b->raw_stream);
        bad |= b->cu.cuMemFreeAsync(ptr, b->raw_stream);
    }
    return bad;
}

static int cuc_alloc_free(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++) {
        cuc_device_ptr ptr = 0;
        bad |= cuc_memory_allocate(&ptr, b->stream, b->pool, 4096);
        bad |= cuc_memory_free(b->stream, b->pool, ptr, 4096);
    }
    return bad;
}

static int cuc_buffer_cycle(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++) {
        cuc_buffer *buffer = NULL;
        bad |= cuc_buffer_create(&buffer, b->stream, b->pool, 4096);
        cuc_buffer_release(buffer);
    }
    return bad;
}

static int raw_copy(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuMemcpyAsync(b->raw_ptr + 4096, b->raw_ptr, 4096, b->raw_stream);
    return bad;
}

static int cuc_copy_4k(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_buffer_copy(b->stream, b->buffer, 4096, b->buffer, 0, 4096);
    return bad;
}

static int raw_fill(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuMemsetD32Async(b->raw_ptr + 4096, BENCH_FILL, 1024, b->raw_stream);
    return bad;
}

static int cuc_fill_4k(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_buffer_fill(b->stream, b->buffer, 4096, BENCH_FILL, 4, 4096);
    return bad;
}

static int raw_query(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuStreamQuery(b->raw_other) & ~CUDA_ERROR_NOT_READY;
    return bad;
}

static int cuc_query(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_stream_query(b->other) < 0;
    return bad;
}

static int raw_query_event(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= b->cu.cuEventQuery(b->raw_event) & ~CUDA_ERROR_NOT_READY;
    return bad;
}

static int cuc_query_event(struct bench *b, int calls)
{
    int bad = 0;

    for (int i = 0; i < calls; i++)
        bad |= cuc_event_query(b->event) < 0;
    return bad;
}

static const char empty[] = "the kernel is empty";
static const char order[] = "it orders work, and there is none";
static const char memory[] = "nothing is done with the memory";

struct bench_case bench_cases[BENCH_CASES] = {
#define ROW(name, limit, batch, raw, cuc, unchecked, word, about) \
    { #name, limit, batch, raw, cuc, unchecked, word },
    BENCH_RUNTIME_CASES(ROW)
#undef ROW
};
