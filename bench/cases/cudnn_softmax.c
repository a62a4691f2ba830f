#include "cudnn_softmax.h"

#include "base/array.h"
#include "cudnn_abi.h"
#include "library.h"

#include <cucore/error.h>
#include <cucore/stream.h>
#include <cucore/system.h>

#include <stdio.h>
#include <stdlib.h>

static struct dnn_functions dnn;

static bool load(char *why, size_t why_size)
{
    static const bench_symbol symbols[] = {
#define DNN(name, params) BENCH_SYMBOL(dnn, name),
#include "cudnn.def"
#undef DNN
    };

    return bench_load("cudnn", symbols, CUC_LENGTH(symbols), why, why_size);
}

typedef struct cudnn {
    bench_point *point;
    dnn_handle handle;
    dnn_tensor tensor;
} cudnn;

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    static const float one = 1, zero = 0;
    const cudnn *c = data;
    void *x = (void *)(uintptr_t)cuc_bench_input_ptr(c->point->arrays[0].input, set);
    void *y = (void *)(uintptr_t)cuc_bench_input_ptr(c->point->arrays[1].input, set);
    int code = dnn.cudnnSoftmaxForward(c->handle, DNN_SOFTMAX_ACCURATE, DNN_SOFTMAX_MODE_INSTANCE,
                                       &one, c->tensor, x, &zero, c->tensor, y);

    (void)stream;
    return code ? bench_fail(CUC_ERROR_NOT_SUPPORTED, "cudnnSoftmaxForward gave status %d", code)
                : CUC_OK;
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const cudnn *c = data;

    (void)stream;
    return bench_point_check_run(c->point, run, data, why, why_size);
}

static void drop(void *data)
{
    cudnn *c = data;

    if (c->tensor)
        (void)dnn.cudnnDestroyTensorDescriptor(c->tensor);
    if (c->handle)
        (void)dnn.cudnnDestroy(c->handle);
    free(c);
}

static int describe(cudnn *c)
{
    cuc_dtype dtype = c->point->dtype;
    int type = dtype == CUC_F16 ? DNN_F16 : dtype == CUC_BF16 ? DNN_BF16 : DNN_F32;
    int code;

    if ((code = dnn.cudnnCreate(&c->handle)) != 0 ||
        (code = dnn.cudnnSetStream(c->handle, cuc_stream_handle(c->point->stream))) != 0 ||
        (code = dnn.cudnnCreateTensorDescriptor(&c->tensor)) != 0)
        return code;
    return dnn.cudnnSetTensor4dDescriptor(c->tensor, DNN_NCHW, type, (int)c->point->rows,
                                          (int)c->point->columns, 1, 1);
}

static cuc_status add(bench_point *p)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    char why[512];
    cudnn *c;

    if (!load(why, sizeof(why)))
        return cuc_bench_state_skip_subject(p->state, "cudnn", why);
    if (!(c = calloc(1, sizeof(*c))))
        return bench_no_memory("a point");
    cuc_status st = cuc_bench_state_defer(p->state, drop, c);
    if (st < 0)
        return st;
    c->point = p;
    int code = describe(c);
    if (code) {
        snprintf(why, sizeof(why), "cuDNN cannot do it here (status %d)", code);
        return cuc_bench_state_skip_subject(p->state, "cudnn", why);
    }
    subject.name = "cudnn";
    subject.data = c;
    subject.run = run;
    subject.check = check;
    return cuc_bench_state_add_subject(p->state, &subject);
}

void bench_point_cudnn_softmax(bench_point *p)
{
    if (p->status >= 0)
        p->status = add(p);
}
