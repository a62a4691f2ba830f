// Requests such as {"kind": "ptx", "file": .., "launch": true} name a file with SAXPY as source or
// code. With "launch", the kernel is run and its result checked at once, to time a first launch.
// Without "launch", a sample times loading. compile_tile.h handles {"kind": "tile", "kernel": ..}.
#include "compile_service.h"

#include "compile_tile.h"
#include "serve.h"
#include "support.h"

#include <cucore/buffer.h>
#include <cucore/copy.h>
#include <cucore/error.h>
#include <cucore/launch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1024 };

typedef struct point {
    cuc_device *device;
    cuc_stream *stream;
    cuc_object *code;   // never loaded itself: each sample loads a copy
    cuc_kernel *kernel; // from the last sample
} point;

static void drop(void *data)
{
    point *p = data;

    cuc_kernel_release(p->kernel);
    cuc_object_release(p->code);
    cuc_stream_release(p->stream);
    free(p);
}

static cuc_status compile_file(cuc_object **out, cuc_device *device, const char *path)
{
    char text[4096];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

    if (f)
        fclose(f);
    if (!n)
        return bench_fail(CUC_ERROR_IO, "%s cannot be read", path);
    text[n] = '\0';
    return bench_compile(out, device, "saxpy.cu", text);
}

static cuc_status read_code(cuc_object **out, cuc_device *device, const json_t *request)
{
    const char *kind = json_string_value(json_object_get(request, "kind"));
    const char *path = json_string_value(json_object_get(request, "file"));

    if (!kind || !path)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "the request has no \"kind\" and \"file\"");
    return strcmp(kind, "source") == 0
               ? compile_file(out, device, path)
               : cuc_object_from_file(out, path, cuc_code_from_name(kind), NULL);
}

// Return 1 with `why` if the kernel's result is wrong.
static cuc_status launch(point *p, cuc_kernel *kernel, char *why, size_t why_size)
{
    float x[COUNT], y[COUNT];
    cuc_buffer *buffers[2] = { NULL, NULL };
    cuc_status st = CUC_OK;

    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = (float)(COUNT - i);
    }
    for (int i = 0; i < 2 && st >= 0; i++) {
        st = cuc_buffer_create(&buffers[i], p->stream, NULL, sizeof(x));
        if (st >= 0)
            st = cuc_buffer_write_async(p->stream, buffers[i], 0, i ? y : x, sizeof(x));
    }
    if (st >= 0)
        st = CUC_LAUNCH(p->stream, CUC_LAUNCH_CONFIG(.grid = { COUNT / 256 }, .block = { 256 }),
                        kernel, 2.0f, buffers[0], buffers[1], (int32_t)COUNT);
    if (st >= 0 && (st = cuc_buffer_read_async(p->stream, y, buffers[1], 0, sizeof(y))) >= 0)
        st = cuc_stream_synchronize(p->stream);
    for (int i = 0; i < COUNT && st == CUC_OK; i++)
        if (y[i] != 2 * x[i] + (float)(COUNT - i)) {
            snprintf(why, why_size, "element %d is %g, expected %g", i, (double)y[i],
                     2.0 * i + (COUNT - i));
            st = 1;
        }
    cuc_buffer_release(buffers[1]);
    cuc_buffer_release(buffers[0]);
    return st;
}

// Loading is complete no later than when the driver reports the kernel's attributes.
static cuc_status load(point *p)
{
    const void *code;
    size_t bytes;
    int32_t registers;
    cuc_object *object;
    cuc_status st = cuc_object_get_code(&code, &bytes, p->code);

    if (st < 0 ||
        (st = cuc_object_create(&object, cuc_object_kind(p->code), code, bytes, NULL)) < 0)
        return st;
    st = cuc_object_get_kernel(&p->kernel, object, "saxpy");
    cuc_object_release(object); // the kernel keeps it
    return st < 0 ? st
                  : cuc_kernel_get_attribute(&registers, p->kernel, p->device, CUC_KERNEL_NUM_REGS);
}

static cuc_status launch_first(point *p)
{
    cuc_kernel *kernel;
    char why[256];
    cuc_status st = cuc_object_get_kernel(&kernel, p->code, "saxpy");

    if (st < 0)
        return st;
    st = launch(p, kernel, why, sizeof(why));
    cuc_kernel_release(kernel);
    return st > 0 ? bench_fail(CUC_ERROR_IO, "%s", why) : st;
}

static cuc_status make_point(void **out, const json_t *request, json_t *answer)
{
    point *p = calloc(1, sizeof(*p));

    if (!p)
        return bench_no_memory("a point");
    const char *kind = json_string_value(json_object_get(request, "kind"));
    if (kind && strcmp(kind, "tile") == 0) { // measured at once, without a device
        *out = p;
        return bench_tile_first(request, answer);
    }
    cuc_status st = cuc_device_get(&p->device, 0);
    if (st >= 0)
        st = cuc_stream_create(&p->stream, p->device, NULL);
    if (st >= 0)
        st = read_code(&p->code, p->device, request);
    if (st >= 0 && json_is_true(json_object_get(request, "launch")) && (st = launch_first(p)) >= 0)
        json_object_set_new(answer, "checked", json_string("passed"));
    if (st < 0)
        drop(p);
    else
        *out = p;
    return st;
}

static cuc_status check(void *data, char *why, size_t why_size)
{
    point *p = data;
    cuc_status st = p->kernel ? CUC_OK : load(p);

    return st < 0 ? st : launch(p, p->kernel, why, why_size);
}

static cuc_status sample(void *data, uint64_t set, double *seconds)
{
    point *p = data;
    struct timespec begin, end;

    (void)set;
    cuc_kernel_release(p->kernel);
    p->kernel = NULL;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    cuc_status st = load(p);
    clock_gettime(CLOCK_MONOTONIC, &end);
    *seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    return st;
}

int bench_compile_serve(void)
{
    static const bench_service service = { make_point, check, sample, drop };

    return bench_serve(&service);
}
