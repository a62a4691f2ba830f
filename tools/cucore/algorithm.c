// cucore sort, reduce, scan, histogram: an algorithm of the library on one .npy file.
#include "base/array.h"
#include "cli.h"
#include "npy.h"
#include "scalar.h"
#include "values.h"

#include <cucore/algorithm.h>
#include <cucore/buffer.h>
#include <cucore/copy.h>
#include <cucore/device.h>
#include <cucore/stream.h>
#include <cucore/system.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORK_FN = CLI_LONG,
    WORK_IDENTITY,
    WORK_EXCLUSIVE,
    WORK_DESCENDING,
    WORK_BINS,
    WORK_RANGE,
    WORK_TYPE,
    WORK_TO,
    WORK_SOURCE,
    WORK_DRIVER,
};

enum { TEXT = 64, EXPRESSION = 256, SHOWN = 3 };

#define FN_OPTIONS                                                                                \
    { "fn", WORK_FN, "FN",                                                                        \
      "sum, prod, min or max; or the text of a function, with --identity; default: sum" },        \
        { "identity", WORK_IDENTITY, "VALUE", "the value that FN leaves others unchanged by" },   \
    {                                                                                             \
        "to", WORK_TO, "TYPE",                                                                    \
            "type of the result; default: that of the file, but i64 or u64 for sums and products" \
            " of integers"                                                                        \
    }
#define COMMON_OPTIONS                                                                         \
    { "output", 'o', "OUT", "the .npy file to write" },                                        \
        { "type", WORK_TYPE, "TYPE",                                                           \
          "read the elements as this type of the same size, for one that NumPy lacks" },       \
        { "source", WORK_SOURCE, NULL, "print the tile program instead of running it" },       \
        { "driver", WORK_DRIVER, "WHICH",                                                      \
          "real, sim, or auto: CUCORE_DRIVER's choice, or else the real driver if there is a " \
          "device, or else the simulated one" },                                               \
        CLI_JSON_OPTION

static const cli_option sort_options[] = {
    { "descending", WORK_DESCENDING, NULL, "put the largest element first" },
    COMMON_OPTIONS,
};
static const cli_option reduce_options[] = { FN_OPTIONS, COMMON_OPTIONS };
static const cli_option scan_options[] = {
    FN_OPTIONS,
    { "exclusive", WORK_EXCLUSIVE, NULL, "combine the elements before each one, without it" },
    COMMON_OPTIONS,
};
static const cli_option histogram_options[] = {
    { "bins", WORK_BINS, "N", "number of bins" },
    { "range", WORK_RANGE, "LOW,HIGH",
      "bins of equal width from LOW to HIGH, which is in the last one; default: an element is the "
      "number of its bin" },
    COMMON_OPTIONS,
};

typedef struct work {
    const cli_command *command;
    int32_t kind;
    const char *path, *output, *fn, *identity, *type, *to;
    bool exclusive, descending, source, driver_given, ranged;
    uint32_t bins;
    double low, high;

    // State.
    void *file;
    npy_header header;
    int64_t count;
    cuc_dtype in, out;
    int64_t results;
    cuc_device *device;
    cuc_stream *stream;
    cuc_algorithm *plan;
    cuc_buffer *buffers[2]; // of the file's elements, and of the results
    void *data;             // the results
} work;

static int take_range(work *w, const char *value)
{
    char extra;

    if (sscanf(value, "%lf,%lf %c", &w->low, &w->high, &extra) != 2 || !isfinite(w->low) ||
        !isfinite(w->high) || !(w->low < w->high))
        return cli_usage_error("--range is '%s': two numbers are expected, LOW,HIGH, with LOW "
                               "below HIGH",
                               value);
    w->ranged = true;
    return CLI_DONE;
}

static int take_option(work *w, int id, const char *value)
{
    switch (id) {
    case 'o':
        w->output = value;
        return CLI_DONE;
    case WORK_FN:
        w->fn = value;
        return CLI_DONE;
    case WORK_IDENTITY:
        w->identity = value;
        return CLI_DONE;
    case WORK_TYPE:
        w->type = value;
        return CLI_DONE;
    case WORK_TO:
        w->to = value;
        return CLI_DONE;
    case WORK_EXCLUSIVE:
        w->exclusive = true;
        return CLI_DONE;
    case WORK_DESCENDING:
        w->descending = true;
        return CLI_DONE;
    case WORK_SOURCE:
        w->source = true;
        return CLI_DONE;
    case WORK_BINS:
        return value_number(&w->bins, "bins", value, 1, 1 << 30);
    case WORK_RANGE:
        return take_range(w, value);
    case WORK_DRIVER:
        return value_driver(&w->driver_given, value);
    default:
        return CLI_DONE;
    }
}

static int read_type(cuc_dtype *out, const char *option, const char *name)
{
    cuc_dtype dtype = cuc_dtype_from_name(name);

    if (dtype == CUC_DTYPE_UNKNOWN)
        return cli_usage_error("--%s is '%s': an element type is expected, such as f32", option,
                               name);
    *out = dtype;
    return CLI_DONE;
}

static bool is_integer(cuc_dtype dtype, bool *is_signed)
{
    const char *name = cuc_dtype_name(dtype);

    *is_signed = name[0] == 'i';
    return (name[0] == 'i' || name[0] == 'u') && strchr("0123456789", name[1]);
}

static int read_file(work *w)
{
    size_t bytes;
    cli_why why;

    if (!cli_read_file(&w->file, &bytes, w->path, &why) ||
        !npy_parse(&w->header, w->file, bytes, w->path, &why))
        return cli_fail("%s", why.text);
    npy_order_by_rows(&w->header, w->file);
    w->in = w->header.dtype;
    int status = w->type ? read_type(&w->in, "type", w->type) : CLI_DONE;
    if (status)
        return status;
    if (w->in == CUC_DTYPE_UNKNOWN || cuc_dtype_bits(w->in) != 8 * w->header.item_bytes)
        return cli_fail("%s has elements of type %s, %" PRIu32 " bytes each: %s", w->path,
                        w->header.descr, w->header.item_bytes,
                        w->type ? "--type is of another size" : "name theirs with --type");
    w->count = (int64_t)(w->header.bytes / w->header.item_bytes);
    return CLI_DONE;
}

// Chooses the type and the number of results.
static int choose_results(work *w)
{
    bool is_signed, sums = !w->fn || (strcmp(w->fn, "min") != 0 && strcmp(w->fn, "max") != 0);

    w->results = w->kind == CUC_ALGORITHM_REDUCE ? 1 : w->bins ? (int64_t)w->bins : w->count;
    w->out = w->in;
    if (w->bins)
        w->out = CUC_I64;
    else if (w->kind == CUC_ALGORITHM_SORT)
        w->out = w->in;
    else if (w->to)
        return read_type(&w->out, "to", w->to);
    else if (sums && is_integer(w->in, &is_signed))
        w->out = is_signed ? CUC_I64 : CUC_U64;
    else if (sums && w->in == CUC_BOOL)
        w->out = CUC_I64;
    return CLI_DONE;
}

// Writes a number as the tile language reads it.
static void put_real(char out[TEXT], double value)
{
    snprintf(out, TEXT, "%.17g", value);
    if (!strpbrk(out, ".e"))
        strcat(out, ".0");
}

// Writes the expression for the number of the bin. The upper end is in the last bin.
static void put_bin(const work *w, char out[EXPRESSION])
{
    char low[TEXT], high[TEXT], scale[TEXT];

    put_real(low, w->low);
    put_real(high, w->high);
    put_real(scale, w->bins / (w->high - w->low));
    snprintf(out, EXPRESSION,
             "where(cast(x, f64) == %s, %" PRIu32 ".0, floor((cast(x, f64) - %s) * %s))", high,
             w->bins - 1, low, scale);
}

static int make_plan(work *w)
{
    char array[TEXT], result[TEXT], bin[EXPRESSION];
    const char *inputs[] = { array, bin }, *outputs[] = { result };
    const cuc_algorithm_options options = {
        .struct_size = sizeof(options),
        .kind = w->kind,
        .flags = (w->exclusive ? CUC_ALGORITHM_EXCLUSIVE : 0) |
                 (w->descending ? CUC_ALGORITHM_DESCENDING : 0),
        .inputs = inputs,
        .outputs = outputs,
        .input_count = w->ranged ? 2 : 1,
        .output_count = 1,
        .fn = w->bins || w->fn || w->kind == CUC_ALGORITHM_SORT ? w->fn : "sum",
        .identity = w->identity,
        .bins = (int32_t)w->bins,
    };

    snprintf(array, sizeof(array), "x: %s", cuc_dtype_name(w->in));
    snprintf(result, sizeof(result), "y: %s", cuc_dtype_name(w->out));
    if (w->ranged)
        put_bin(w, bin);
    if (cuc_device_get_current(&w->device) < 0 ||
        cuc_algorithm_create(&w->plan, w->device, &options) < 0)
        return cli_fail_cuc();
    return CLI_DONE;
}

static cuc_status make_buffer(work *w, int at, cuc_tensor *tensor, cuc_dtype dtype, int64_t count)
{
    size_t bytes = (size_t)count * (cuc_dtype_bits(dtype) / 8);
    cuc_status st = cuc_buffer_create(&w->buffers[at], w->stream, NULL, bytes ? bytes : 1);

    return st < 0 ? st : cuc_tensor_from_buffer(tensor, w->buffers[at], dtype, 1, &count);
}

static int run_plan(work *w)
{
    size_t bytes = (size_t)w->results * (cuc_dtype_bits(w->out) / 8);
    cuc_tensor in, out;
    cuc_status st;

    w->data = cli_allocate(bytes ? bytes : 1);
    st = cuc_stream_create(&w->stream, w->device, NULL);
    if (st >= 0)
        st = make_buffer(w, 0, &in, w->in, w->count);
    if (st >= 0)
        st = make_buffer(w, 1, &out, w->out, w->results);
    if (st >= 0 && w->header.bytes)
        st = cuc_buffer_write_async(w->stream, w->buffers[0], 0,
                                    (const char *)w->file + w->header.data_offset,
                                    (size_t)w->header.bytes);
    if (st >= 0)
        st = cuc_algorithm_run(w->stream, w->plan,
                               CUC_ALGORITHM_ARGS(.inputs = &in, .input_count = 1, .outputs = &out,
                                                  .output_count = 1));
    if (st >= 0 && bytes)
        st = cuc_buffer_read_async(w->stream, w->data, w->buffers[1], 0, bytes);
    if (st >= 0)
        st = cuc_stream_synchronize(w->stream);
    return st < 0 ? cli_fail_cuc() : CLI_DONE;
}

static int save(const work *w)
{
    cli_file file = { 0 };
    cli_why why;
    size_t bytes;

    if (!w->output)
        return CLI_DONE;
    bool one = w->kind == CUC_ALGORITHM_REDUCE, same = !one && !w->bins;
    char *header = npy_make_header(&bytes, w->out, same ? w->header.shape : &w->results,
                                   one    ? 0
                                   : same ? w->header.rank
                                          : 1);
    bool ok =
        cli_file_begin(&file, w->output, &why) && cli_file_write(&file, header, bytes, &why) &&
        cli_file_write(&file, w->data, (size_t)w->results * (cuc_dtype_bits(w->out) / 8), &why) &&
        cli_file_finish(&file, &why) && cli_file_commit(&file, &why);
    cli_file_discard(&file);
    free(header);
    return ok ? CLI_DONE : cli_fail("%s", why.text);
}

// ---- The report

// Reads a result: an integer, which this returns true for, or a real number.
static bool read_result(const work *w, int64_t i, int64_t *integer, double *real)
{
    size_t size = cuc_dtype_bits(w->out) / 8;
    const char *at = (const char *)w->data + (size_t)i * size;
    bool is_signed, whole = is_integer(w->out, &is_signed);
    uint64_t bits = 0;

    *real = 0;
    (void)scalar_value(real, w->out, at);
    memcpy(&bits, at, size > 8 ? 8 : size);
    if (is_signed && size < 8 && bits >> (8 * size - 1))
        bits |= UINT64_MAX << (8 * size);
    *integer = (int64_t)bits;
    return whole && (is_signed || bits <= INT64_MAX);
}

static json_t *result_json(const work *w, int64_t i)
{
    int64_t integer;
    double real;

    return read_result(w, i, &integer, &real) ? cli_integer(integer) : cli_real(real);
}

static void print_result(const work *w, int64_t i)
{
    int64_t integer;
    double real;

    if (read_result(w, i, &integer, &real))
        printf("%" PRId64, integer);
    else
        printf("%.*g", w->out == CUC_F64 || w->out == CUC_U64 ? 17 : 9, real);
}

static int print_json(const work *w)
{
    json_t *document = cli_document(true), *list;

    cli_set(document, "source", cli_text(w->source ? cuc_algorithm_source(w->plan) : NULL));
    cli_set(document, "elements", cli_integer(w->count));
    cli_set(document, "dtype", cli_text(cuc_dtype_name(w->in)));
    cli_set(document, "result_dtype", cli_text(cuc_dtype_name(w->out)));
    cli_set(document, "device", cli_text(cuc_device_name(w->device)));
    cli_set(document, "simulated", cli_bool(cuc_driver_is_simulated()));
    cli_set(document, "output", cli_text(w->output));
    if (w->source)
        return cli_print_json(document, CLI_DONE);
    if (w->kind == CUC_ALGORITHM_REDUCE) {
        cli_set(document, "result", result_json(w, 0));
    } else if (w->bins) {
        cli_set(document, "counts", list = cli_array());
        for (int64_t i = 0; i < w->results; i++)
            cli_append(list, result_json(w, i));
    } else if (w->results) {
        cli_set(document, "first", result_json(w, 0));
        cli_set(document, "last", result_json(w, w->results - 1));
    }
    return cli_print_json(document, CLI_DONE);
}

static void print_bins(const work *w)
{
    for (int64_t i = 0; i < w->results; i++) {
        if (w->ranged)
            printf("%g\t", w->low + (double)i * ((w->high - w->low) / w->bins));
        else
            printf("%" PRId64 "\t", i);
        print_result(w, i);
        putchar('\n');
    }
}

static int print_text(const work *w)
{
    if (w->source) {
        fputs(cuc_algorithm_source(w->plan), stdout);
    } else if (w->bins) {
        print_bins(w);
    } else {
        for (int64_t i = 0; i < w->results; i++) {
            if (i == SHOWN && w->results > 2 * SHOWN) {
                printf("...\n");
                i = w->results - SHOWN;
            }
            print_result(w, i);
            putchar('\n');
        }
    }
    return CLI_DONE;
}

// ---- The commands

static int finish(work *w, int status)
{
    if (w->stream) // copies may still be pending after a failure
        (void)cuc_stream_synchronize(w->stream);
    for (int i = 0; i < CUC_LENGTH(w->buffers); i++)
        cuc_buffer_release(w->buffers[i]);
    cuc_algorithm_release(w->plan);
    cuc_stream_release(w->stream);
    free(w->file);
    free(w->data);
    return status;
}

static int run(const cli_command *command, int32_t kind, int argc, char **argv)
{
    work w = { .command = command, .kind = kind };
    cli_parser parser;
    const char *value;
    int id;

    cli_parse(&parser, command, argc, argv);
    while ((id = cli_next(&parser, &value)) > 0) {
        int status = take_option(&w, id, value);
        if (status)
            return status;
    }
    if (id < 0)
        return parser.status;
    if (parser.operand_count != 1)
        return cli_usage_error(parser.operand_count ? "one FILE is expected" : "a FILE is missing");
    if (kind == CUC_ALGORITHM_HISTOGRAM && !w.bins)
        return cli_usage_error("say how many bins to count in: --bins N");
    w.path = parser.operands[0];
    int status = read_file(&w);
    if (!status)
        status = choose_results(&w);
    if (!status)
        driver_settle(w.driver_given, "the algorithm");
    if (!status)
        status = make_plan(&w);
    if (!status && !w.source)
        status = run_plan(&w);
    if (!status && !w.source)
        status = save(&w);
    if (!status)
        status = cli_json_wanted() ? print_json(&w) : print_text(&w);
    return finish(&w, status);
}

#define DETAILS                                                                                  \
    "FILE is a .npy file; - is standard input. Its elements count in row-major order. FN is in " \
    "the tile\n"                                                                                 \
    "language, as in cuc_algorithm_create().\n"

#define COMMAND(word, constant, ...)                                             \
    static int run_##word(int argc, char **argv)                                 \
    {                                                                            \
        return run(&cli_##word, CUC_ALGORITHM_##constant, argc, argv);           \
    }                                                                            \
    const cli_command cli_##word = { .name = #word,                              \
                                     .usage = "FILE.npy [OPTION...]",            \
                                     .details = DETAILS,                         \
                                     .options = word##_options,                  \
                                     .option_count = CUC_LENGTH(word##_options), \
                                     .run = run_##word,                          \
                                     __VA_ARGS__ }

COMMAND(sort, SORT, .summary = "Sort the elements of a NumPy file",
        .examples = "  cucore sort x.npy -o sorted.npy\n"
                    "  cucore sort x.npy --descending\n"
                    "  cucore sort x.npy --source\n");
COMMAND(reduce, REDUCE, .summary = "Combine the elements of a NumPy file to one",
        .examples = "  cucore reduce x.npy\n"
                    "  cucore reduce x.npy --fn max\n"
                    "  cucore reduce x.npy --fn 'fn norm(a, b) { return sqrt(a * a + b * b) }' "
                    "--identity 0.0\n"
                    "  cucore reduce x.npy --source\n");
COMMAND(scan, SCAN, .summary = "Combine each element of a NumPy file with those before it",
        .examples = "  cucore scan x.npy -o sums.npy\n"
                    "  cucore scan x.npy --fn max --exclusive -o largest.npy\n");
COMMAND(histogram, HISTOGRAM, .summary = "Count the elements of a NumPy file by bin",
        .examples = "  cucore histogram bytes.npy --bins 256 -o counts.npy\n"
                    "  cucore histogram x.npy --bins 20 --range -1,1\n");
