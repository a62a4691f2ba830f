// Rows brought to a norm, by libraries: softmax of each row by cuDNN.
#include "cudnn_abi.h"
#include "library.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>
#include <cucore/stream.h>

#include <math.h>
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

    return bench_load("cudnn", symbols, BENCH_LENGTH(symbols), why, why_size);
}

typedef struct softmax {
    dnn_handle handle;
    dnn_tensor tensor;
    cuc_dtype dtype;
    int64_t rows, columns;
    cuc_bench_input *x, *y;
} softmax;

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    static const float one = 1, zero = 0;
    const softmax *s = data;
    void *x = (void *)(uintptr_t)cuc_bench_input_ptr(s->x, set);
    void *y = (void *)(uintptr_t)cuc_bench_input_ptr(s->y, set);
    int code = dnn.cudnnSoftmaxForward(s->handle, DNN_SOFTMAX_ACCURATE, DNN_SOFTMAX_MODE_INSTANCE,
                                       &one, s->tensor, x, &zero, s->tensor, y);

    (void)stream;
    return code ? bench_fail(CUC_ERROR_NOT_SUPPORTED, "cudnnSoftmaxForward gave status %d", code)
                : CUC_OK;
}

// A row in double precision, in place.
static void normalise(double *x, int64_t count)
{
    double most = -INFINITY, sum = 0;

    for (int64_t i = 0; i < count; i++)
        most = fmax(most, x[i]);
    for (int64_t i = 0; i < count; i++)
        sum += x[i] = exp(x[i] - most);
    for (int64_t i = 0; i < count; i++)
        x[i] /= sum;
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const softmax *s = data;
    bench_reader *read = bench_reader_of(s->dtype);
    size_t row_bytes = (size_t)s->columns * cuc_dtype_bits(s->dtype) / 8;
    double *expected = calloc(2 * (size_t)s->columns, sizeof(*expected));
    char *x = bench_read_input(s->x), *y = bench_read_input(s->y);
    cuc_status st = !expected ? bench_no_memory("a row") : x && y ? CUC_OK : cuc_error_status();

    (void)stream;
    for (int64_t row = 0; row < s->rows && st == CUC_OK; row += s->rows / 64 + 1) {
        double *got = expected + s->columns;
        read(expected, x + (size_t)row * row_bytes, (size_t)s->columns, 1);
        read(got, y + (size_t)row * row_bytes, (size_t)s->columns, 1);
        normalise(expected, s->columns);
        for (int64_t i = 0; i < s->columns && st == CUC_OK; i++) {
            // Rounding to the type, an exponential by approximation, and f16's smallest number.
            double bound = (bench_epsilon(s->dtype) + 0x1p-16) * expected[i] + 0x1p-24;
            if (fabs(got[i] - expected[i]) <= bound)
                continue;
            snprintf(why, why_size, "row %lld, column %lld is %g, expected %g", (long long)row,
                     (long long)i, got[i], expected[i]);
            st = 1;
        }
    }
    free(y);
    free(x);
    free(expected);
    return st;
}

static void drop(void *data)
{
    softmax *s = data;

    if (s->tensor)
        (void)dnn.cudnnDestroyTensorDescriptor(s->tensor);
    if (s->handle)
        (void)dnn.cudnnDestroy(s->handle);
    free(s);
}

static int describe(softmax *s, cuc_stream *stream)
{
    int type = s->dtype == CUC_F16 ? DNN_F16 : s->dtype == CUC_BF16 ? DNN_BF16 : DNN_F32;
    int code;

    if ((code = dnn.cudnnCreate(&s->handle)) != 0 ||
        (code = dnn.cudnnSetStream(s->handle, cuc_stream_handle(stream))) != 0 ||
        (code = dnn.cudnnCreateTensorDescriptor(&s->tensor)) != 0)
        return code;
    return dnn.cudnnSetTensor4dDescriptor(s->tensor, DNN_NCHW, type, (int)s->rows, (int)s->columns,
                                          1, 1);
}

static cuc_status add(cuc_bench_state *state, softmax *s)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    uint64_t count = (uint64_t)(s->rows * s->columns);

    work.bytes = 2.0 * (double)count * cuc_dtype_bits(s->dtype) / 8;
    subject.name = "cudnn";
    subject.data = s;
    subject.run = run;
    subject.check = check;
    subject.flags = CUC_BENCH_PEER;
    if (!(s->x = bench_input(state, s->dtype, count, CUC_BENCH_UNIFORM, 0)) ||
        !(s->y = bench_input(state, s->dtype, count, CUC_BENCH_ZEROS, 0)))
        return cuc_error_status();
    cuc_status st = cuc_bench_state_set_work(state, &work);
    return st < 0 ? st : cuc_bench_state_add_subject(state, &subject);
}

static cuc_status set_up_softmax(cuc_bench_state *state, void *data)
{
    char why[512];
    softmax *s = calloc(1, sizeof(*s));
    cuc_status st;

    (void)data;
    if (!s)
        return bench_no_memory("a point");
    if ((st = cuc_bench_state_defer(state, drop, s)) < 0)
        return st;
    s->dtype = cuc_bench_state_dtype(state, "dtype");
    s->rows = cuc_bench_state_int(state, "rows");
    s->columns = cuc_bench_state_int(state, "columns");
    if (!load(why, sizeof(why)))
        return cuc_bench_state_skip(state, why);
    if (s->rows < 1 || s->columns < 1 || s->rows > 1 << 24 || s->columns > 1 << 24 ||
        !bench_reader_of(s->dtype))
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "%lld rows of %lld %s are not measured",
                          (long long)s->rows, (long long)s->columns, cuc_dtype_name(s->dtype));
    // cuDNN goes by the thread's current context.
    if ((st = cuc_device_set_current(cuc_bench_state_device(state), NULL)) < 0)
        return st;
    int code = describe(s, cuc_bench_state_stream(state));
    if (code) {
        snprintf(why, sizeof(why), "cuDNN cannot do it here (status %d)", code);
        return cuc_bench_state_skip(state, why);
    }
    return add(state, s);
}

static const cuc_bench_axis softmax_axes[] = {
    BENCH_AXIS("rows", INT, "4096", NULL),
    BENCH_AXIS("columns", INT, "1024,4096,16384", "4096"),
    BENCH_AXIS("dtype", DTYPE, "f32,f16,bf16", "f16"),
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "norms", .name = "softmax", .about = "softmax of each row, by cuDNN",
               BENCH_AXES(softmax_axes), .setup = set_up_softmax,
               .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
};

const bench_suite bench_norms_suite = { "norms", cases, BENCH_LENGTH(cases), NULL };
