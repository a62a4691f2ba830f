// Peak rates of a device: measured, from its data sheet, or set by a case.
#include "base/array.h"
#include "philox.h"
#include "sample.h"
#include "session.h"

#include <cucore/copy.h>
#include <cucore/launch.h>
#include <cucore/system.h>

#include <math.h>
#include <string.h>

// Data sheet rates of dense arithmetic, in 10^12 per second; 0: not listed. A row matches a device
// whose name contains its words; the first match wins.
static const struct sheet {
    const char *device;
    double memory, f64, f32, tf32, f16, f8, i8;
} sheets[] = {
    // clang-format off
    //  name             memory  f64   f32    tf32   f16/bf16  f8     i8
    { "GB200",           8.000,  40,   80,   1250,    2500,   5000,   5000 },
    { "B200",            8.000,  37,   75,   1125,    2250,   4500,   4500 },
    { "GH200 144G HBM3e", 4.900, 67,   67,    494.7,   989.5, 1979,   1979 },
    { "GH200 480GB",     4.000,  67,   67,    494.7,   989.5, 1979,   1979 },
    { "H200 NVL",        4.800,  60,   60,    417.5,   835.5, 1670.5, 1670.5 },
    { "H200",            4.800,  67,   67,    494.7,   989.5, 1979,   1979 },
    { "H100 NVL",        3.900,  60,   60,    417.5,   835.5, 1670.5, 1670.5 },
    { "H100 PCIe",       2.000,  51,   51,    378,     756,   1513,   1513 },
    { "H100",            3.350,  67,   67,    494.7,   989.5, 1979,   1979 },
    { "A100-SXM4-80GB",  2.039,  19.5, 19.5,  156,     312,      0,    624 },
    { "A100 80GB PCIe",  1.935,  19.5, 19.5,  156,     312,      0,    624 },
    { "A100",            1.555,  19.5, 19.5,  156,     312,      0,    624 },
    { "L40S",            0.864,   0,   91.6,  183,     362,    733,    733 },
    { "L40",             0.864,   0,   90.5,   90.5,   181,    362,    362 },
    { "L4",              0.300,   0,   30.3,   60,     121,    242,    242 },
    { "V100",            0.900,   7.8, 15.7,    0,       0,      0,      0 },
    // clang-format on
};

// Maps each peak name to its column.
static const struct column {
    const char *name;
    size_t at;
    int32_t per;
} columns[] = {
    { "memory", offsetof(struct sheet, memory), CUC_BENCH_PER_BYTES },
    { "f64", offsetof(struct sheet, f64), CUC_BENCH_PER_FLOP },
    { "f32", offsetof(struct sheet, f32), CUC_BENCH_PER_FLOP },
    { "tf32", offsetof(struct sheet, tf32), CUC_BENCH_PER_FLOP },
    { "f16", offsetof(struct sheet, f16), CUC_BENCH_PER_FLOP },
    { "bf16", offsetof(struct sheet, f16), CUC_BENCH_PER_FLOP },
    { "e4m3", offsetof(struct sheet, f8), CUC_BENCH_PER_FLOP },
    { "e5m2", offsetof(struct sheet, f8), CUC_BENCH_PER_FLOP },
    { "i8", offsetof(struct sheet, i8), CUC_BENCH_PER_FLOP },
};

static cuc_bench_peak *find(const cuc_bench *b, const char *name)
{
    for (size_t i = 0; i < b->peak_count; i++)
        if (strcmp(b->peaks[i].name, name) == 0)
            return &b->peaks[i];
    return NULL;
}

// Store a peak; the returned address is valid until the next call.
static cuc_bench_peak *keep(cuc_bench *b, const char *name, double value, int32_t per,
                            const char *source)
{
    cuc_bench_peak *to = find(b, name);
    void *array = b->peaks;

    name = to ? to->name : cuc__bench_keep(&b->texts, name);
    source = cuc__bench_keep(&b->texts, source);
    if (!name || !source)
        return NULL;
    if (!to) {
        to = cuc__bench_grow(&array, &b->peak_capacity, b->peak_count, sizeof(*to));
        b->peaks = array;
        if (!to)
            return NULL;
        b->peak_count++;
    }
    *to = (cuc_bench_peak){
        .struct_size = sizeof(*to), .name = name, .source = source, .value = value, .per = per
    };
    return to;
}

// Match whole words, because an L40 is not an L4 and a GB200 is not a B200.
static bool has_words(const char *text, const char *words)
{
    static const char alphanumeric[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

    for (const char *at = text; (at = strstr(at, words)) != NULL; at++) {
        char before = at > text ? at[-1] : ' ', after = at[strlen(words)];
        if (!strchr(alphanumeric, before) && (!after || !strchr(alphanumeric, after)))
            return true;
    }
    return false;
}

double cuc__bench_datasheet(const char *device, const char *name, int32_t *per)
{
    const struct column *c = columns, *end = columns + CUC_LENGTH(columns);
    const struct sheet *s = sheets, *last = sheets + CUC_LENGTH(sheets);
    double value;

    while (c < end && strcmp(c->name, name) != 0)
        c++;
    while (s < last && !has_words(device, s->device))
        s++;
    // A MIG instance has only part of the peaks.
    if (c == end || s == last || has_words(device, "MIG"))
        return 0;
    memcpy(&value, (const char *)s + c->at, sizeof(value));
    *per = c->per;
    return value * 1e12;
}

static const cuc_bench_peak *from_sheet(cuc_bench *b, const char *name)
{
    const char *device = cuc_device_name(b->gpu.device);
    int32_t per = 0;
    double value = cuc__bench_datasheet(device, name, &per);
    const char *source = cuc__bench_keep_format(&b->texts, "datasheet: %s", device);

    return value > 0 && source ? keep(b, name, value, per, source) : NULL;
}

// Use random bits: zeros take less power to move and might therefore be faster than real data.
static cuc_status fill_randomly(struct cuc__bench_gpu *g, cuc_device_ptr to, size_t bytes)
{
    struct philox_recipe random = { .make = PHILOX_BITS, .store = PHILOX_U64 };
    uint64_t count = bytes / 8;
    cuc_status st = cuc__bench_gpu_kernels(g);

    if (st < 0)
        return st;
    return CUC_LAUNCH(
        g->stream, CUC_LAUNCH_CONFIG(.grid = { cuc__bench_grid(g, count, 256) }, .block = { 256 }),
        g->fill, to, count, CUC_ARG_STRUCT(random));
}

// Time copies between the halves of a buffer far larger than L2; return the highest rate of bytes
// read and written per second.
static cuc_status time_copies(double *out, struct cuc__bench_gpu *g, cuc_buffer *buffer)
{
    size_t half = cuc_buffer_bytes(buffer) / 2;
    cuc_device_ptr from = cuc_buffer_ptr(buffer);
    double best = INFINITY;
    cuc_status st = fill_randomly(g, from, half);

    for (int i = 0; i < 20 && st >= 0; i++) {
        float ms = 0;
        if ((st = cuc_event_record(g->stream, g->start)) >= 0 &&
            (st = cuc_copy(g->stream, from + half, from, half)) >= 0 &&
            (st = cuc_event_record(g->stream, g->stop)) >= 0 &&
            (st = cuc_event_synchronize(g->stop)) >= 0)
            st = cuc_event_get_elapsed(&ms, g->start, g->stop);
        if (ms > 0 && (double)ms < best)
            best = (double)ms;
    }
    if (st >= 0 && isinf(best))
        st = cuc__bench_fail(CUC_ERROR_NOT_SUPPORTED, "cuc_bench_get_peak",
                             "copies of %zu bytes took no time", half);
    *out = 2 * (double)half / (best * 1e-3);
    return st;
}

static cuc_status measure_copy(const cuc_bench_peak **out, cuc_bench *b)
{
    struct cuc__bench_gpu *g = &b->gpu;
    uint64_t free_bytes = 0, bytes = UINT64_C(1) << 30;
    cuc_buffer *buffer;
    double value = 0;
    cuc_status st = cuc_device_get_memory_info(&free_bytes, NULL, g->device);

    if (st < 0)
        return st;
    while (bytes > free_bytes / 4 && bytes > 1 << 20)
        bytes /= 2;
    if ((st = cuc_buffer_create(&buffer, g->stream, NULL, bytes)) < 0)
        return st;
    st = time_copies(&value, g, buffer);
    cuc_buffer_release(buffer);
    if (st < 0)
        return st;
    const char *source = cuc__bench_keep_format(&b->texts, "measured: copies of %llu MiB",
                                                (unsigned long long)(bytes >> 21));
    *out = source ? keep(b, "copy", value, CUC_BENCH_PER_BYTES, source) : NULL;
    return *out ? CUC_OK
                : cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, "cuc_bench_get_peak",
                                  "no host memory for a peak");
}

cuc_status cuc_bench_get_peak(cuc_bench_peak *out, cuc_bench *bench, const char *name)
{
    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(bench);
    BENCH_CHECK_NOT_NULL(name);
    if (!bench->gpu.device || bench->gpu.simulated)
        return BENCH_FAIL(CUC_ERROR_NOT_SUPPORTED, "%s: there is no peak, since %s", name,
                          bench->gpu.device ? "the device is simulated" : "there is no device");
    const cuc_bench_peak *p = find(bench, name);
    if (!p && strcmp(name, "copy") == 0) {
        cuc_status st = measure_copy(&p, bench);
        if (st < 0)
            return st;
    }
    if (!p)
        p = from_sheet(bench, name);
    if (!p)
        return BENCH_FAIL(CUC_ERROR_NOT_FOUND, "no peak \"%s\" is known of %s", name,
                          cuc_device_name(bench->gpu.device));
    return BENCH_WRITE(out, p, cuc_bench_peak);
}

cuc_status cuc_bench_set_peak(cuc_bench *bench, const cuc_bench_peak *peak)
{
    cuc_bench_peak p;

    BENCH_CHECK_NOT_NULL(bench);
    BENCH_CHECK_NOT_NULL(peak);
    cuc_status st = BENCH_READ(&p, peak, cuc_bench_peak);
    if (st < 0)
        return st;
    if (!p.name || !p.source || !(p.value > 0) || p.per < CUC_BENCH_PER_BYTES ||
        p.per > CUC_BENCH_PER_ITEMS)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                          "peak \"%s\" from \"%s\" is %g, of kind %d: expected a name, a source, a "
                          "value above 0 and a CUC_BENCH_PER_ kind",
                          p.name ? p.name : "NULL", p.source ? p.source : "NULL", p.value, p.per);
    return keep(bench, p.name, p.value, p.per, p.source) ? CUC_OK : BENCH_NO_MEMORY("a peak");
}
