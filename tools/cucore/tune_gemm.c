// cucore tune gemm: tunes cuc_gemm() plans for lists of shapes, orders and types.
#include "base/array.h"
#include "tune.h"

#include "bench_session.h"
#include "values.h"

#include <cucore/device.h>
#include <cucore/error.h>

#include <stdlib.h>
#include <string.h>

enum {
    GEMM_SHAPE = 970,
    GEMM_DTYPE,
    GEMM_LAYOUT,
    GEMM_OUT_DTYPE,
    GEMM_ACTIVATION,
    GEMM_FAST,
    GEMM_TF32,
    GEMM_BATCH,
    GEMM_WORKSPACE
};

static const cli_option options[] = {
    { "shape", GEMM_SHAPE, "MxNxK,...", "shapes; one number for all three" },
    { "dtype", GEMM_DTYPE, "TYPE,...", "of a and b; bf16" },
    { "layout", GEMM_LAYOUT, "WORD,...", "nn, nt, tn, tt: a and b by rows (n) or columns (t); nn" },
    { "d-dtype", GEMM_OUT_DTYPE, "TYPE", "of d, where it is not the usual one" },
    { "activation", GEMM_ACTIVATION, "WORD", "relu, gelu, gelu_tanh or silu, of the result" },
    { "fast-acc", GEMM_FAST, NULL, "accumulate 8-bit floats with fewer bits" },
    { "tf32", GEMM_TF32, NULL, "products of f32 on tensor cores" },
    { "batch", GEMM_BATCH, "N", "products of a batch" },
    { "workspace", GEMM_WORKSPACE, "MIB", "workspace of products for partial sums; 0" },
    TUNE_OPTIONS,
};

typedef struct request {
    const char *shapes, *dtypes, *layouts;
    cuc_gemm_options plan;
    cuc_tune_options tune;
    uint32_t batch, workspace;
    bool driver_given;
} request;

static int take_dtype(cuc_dtype *out, const char *option, const char *text)
{
    cuc_dtype dtype = cuc_dtype_from_name(text);

    if (dtype == CUC_DTYPE_UNKNOWN)
        return cli_usage_error("'--%s %s' is not an element type such as bf16", option, text);
    *out = dtype;
    return CLI_DONE;
}

static int take_activation(int32_t *out, const char *text)
{
    static const char *const names[] = { [CUC_GEMM_RELU] = "relu",
                                         [CUC_GEMM_GELU] = "gelu",
                                         [CUC_GEMM_GELU_TANH] = "gelu_tanh",
                                         [CUC_GEMM_SILU] = "silu" };

    for (size_t i = CUC_GEMM_RELU; i < CUC_LENGTH(names); i++)
        if (strcmp(text, names[i]) == 0) {
            *out = (int32_t)i;
            return CLI_DONE;
        }
    return cli_usage_error("'--activation %s' is none: relu, gelu, gelu_tanh and silu are", text);
}

static int take_option(request *q, int id, const char *value)
{
    switch (id) {
    case GEMM_SHAPE:
        q->shapes = value;
        return CLI_DONE;
    case GEMM_DTYPE:
        q->dtypes = value;
        return CLI_DONE;
    case GEMM_LAYOUT:
        q->layouts = value;
        return CLI_DONE;
    case GEMM_OUT_DTYPE:
        return take_dtype(&q->plan.d_dtype, "d-dtype", value);
    case GEMM_ACTIVATION:
        return take_activation(&q->plan.activation, value);
    case GEMM_FAST:
        q->plan.flags |= CUC_GEMM_FAST_ACC;
        return CLI_DONE;
    case GEMM_TF32:
        q->plan.precision = CUC_GEMM_TF32;
        return CLI_DONE;
    case GEMM_BATCH:
        return value_number(&q->batch, "batch", value, 1, 1 << 20);
    case GEMM_WORKSPACE:
        return value_number(&q->workspace, "workspace", value, 0, 1 << 20);
    default:
        break;
    }
    int status = tune_take(&q->tune, &q->driver_given, id, value);
    return status < 0 ? CLI_DONE : status;
}

static int read_shape(cuc_gemm_options *o, const char *text)
{
    long long m, n, k;
    char end;
    int count = sscanf(text, "%lldx%lldx%lld%c", &m, &n, &k, &end);

    if ((count != 1 && count != 3) || (count == 1 && text[strspn(text, "0123456789")]) || m < 1 ||
        (count == 3 && (n < 1 || k < 1)))
        return cli_usage_error("'--shape %s' is not a shape: MxNxK, or a number for all three",
                               text);
    o->m = m;
    o->n = count == 1 ? m : n;
    o->k = count == 1 ? m : k;
    return CLI_DONE;
}

static int read_layout(cuc_gemm_options *o, const char *text)
{
    if (strlen(text) != 2 || strspn(text, "nt") != 2)
        return cli_usage_error("'--layout %s' is none: nn, nt, tn and tt are", text);
    o->a_order = text[0] == 't' ? CUC_GEMM_COLUMN_MAJOR : CUC_GEMM_ROW_MAJOR;
    o->b_order = text[1] == 't' ? CUC_GEMM_COLUMN_MAJOR : CUC_GEMM_ROW_MAJOR;
    return CLI_DONE;
}

// Copy the next word of a comma-separated list; return false at its end.
static bool next(const char **list, char word[64])
{
    size_t length = strcspn(*list, ",");

    if (!**list)
        return false;
    snprintf(word, 64, "%.*s", (int)(length < 63 ? length : 63), *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

static int tune_one(request *q, cuc_device *device, json_t *all, const char *what)
{
    tune_report report = { .what = what, .all = all };

    q->tune.tell = tune_tell;
    q->tune.progress = tune_progress;
    q->tune.user = &report;
    cuc_status st = cuc_gemm_tune(NULL, 0, device, &q->plan, &q->tune);
    bench_progress_clear();
    if (st >= 0)
        return CLI_DONE;
    return all ? CLI_FAILED : cli_fail_cuc();
}

static int tune_all(request *q, cuc_device *device, json_t *all)
{
    char dtype[64], layout[64], shape[64], what[256];
    int status = CLI_DONE, one;

    for (const char *d = q->dtypes; next(&d, dtype);)
        for (const char *l = q->layouts; next(&l, layout);)
            for (const char *s = q->shapes; next(&s, shape);) {
                if ((one = take_dtype(&q->plan.dtype, "dtype", dtype)) ||
                    (one = read_layout(&q->plan, layout)) || (one = read_shape(&q->plan, shape)))
                    return one;
                snprintf(what, sizeof(what), "%s %s %s", dtype, layout, shape);
                if ((one = tune_one(q, device, all, what)))
                    status = one; // continue, because the others may succeed
            }
    return status;
}

static int run(int argc, char **argv)
{
    request q = { .dtypes = "bf16",
                  .layouts = "nn",
                  .plan = CUC_GEMM_OPTIONS_INIT,
                  .tune = CUC_TUNE_OPTIONS_INIT };
    cuc_device *device = NULL;
    cli_parser parser;
    const char *value;
    int id, status = CLI_DONE;

    cli_parse(&parser, &cli_tune_gemm, argc, argv);
    while ((id = cli_next(&parser, &value)) > 0 && !status)
        status = take_option(&q, id, value);
    if (!status)
        status = parser.status;
    if (status || !parser.operands)
        return status;
    if (!q.shapes || parser.operand_count)
        return cli_usage_error("%s", q.shapes ? "tune gemm takes no FILE"
                                              : "say which shapes: --shape MxNxK,...");
    q.plan.batch = q.batch;
    q.plan.workspace_bytes = (uint64_t)q.workspace << 20;
    q.plan.form = q.batch ? CUC_GEMM_BATCHED : CUC_GEMM_SINGLE;
    driver_settle(q.driver_given, "the kernel");
    if (cuc_device_get(&device, 0) < 0)
        return cli_fail_cuc();
    json_t *all = cli_json_wanted() ? cli_array() : NULL;
    status = tune_all(&q, device, all);
    return all ? tune_print(all, status) : status;
}

const cli_command cli_tune_gemm = {
    .name = "tune gemm",
    .summary = "Measure tiles of cuc_gemm() for shapes, and keep the fastest",
    .usage = "--shape MxNxK,... [--dtype TYPE,...] [--layout nn|nt|tn|tt,...] [-o FILE]",
    .examples = "  cucore tune gemm --shape 4096,8192x1024x8192 --dtype bf16 --layout nn,nt \\\n"
                "      -o tuned.tsv\n",
    .details = "f16 and bf16 share their records, and so do other types of one size. Matrices are "
               "random, and cold.\n",
    .options = options,
    .option_count = CUC_LENGTH(options),
    .run = run,
};
