#include "session.h"

#include "base/array.h"

#include <cucore/system.h>

#include <float.h>
#include <stdlib.h>

// Replace a zero by a default: `quick` in a quick session, otherwise `usual`.
static void set_count(uint64_t *value, bool is_quick, uint64_t usual, uint64_t quick)
{
    if (!*value)
        *value = is_quick ? quick : usual;
}

static void set_number(double *value, bool is_quick, double usual, double quick)
{
    if (*value == 0)
        *value = is_quick ? quick : usual;
}

static cuc_status read_options(cuc_bench_options *o, const cuc_bench_options *given,
                               const char *function)
{
    const uint32_t flags = CUC_BENCH_QUICK | CUC_BENCH_KEEP_SAMPLES | CUC_BENCH_NO_ENTROPY |
                           CUC_BENCH_NO_DEVICE;
    const uint32_t modes = CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH | CUC_BENCH_CPU;
    cuc_status st = cuc__bench_read(o, sizeof(*o), given, "cuc_bench_options", function);
    const struct {
        const char *name;
        double value, most;
    } numbers[] = {
        { "min_seconds", o->min_seconds, DBL_MAX },
        { "max_seconds", o->max_seconds, DBL_MAX },
        { "target", o->target, 1 },
        { "throttle_below", o->throttle_below, 1 },
        { "same_within", o->same_within, 1 },
        { "noise_floor", o->noise_floor, 1 },
        { "block_timeout_s", o->block_timeout_s, 3600 },
    };
    bool quick = o->flags & CUC_BENCH_QUICK;

    if (st < 0)
        return st;
    for (size_t i = 0; i < CUC_LENGTH(numbers); i++)
        if (!(numbers[i].value >= 0 && numbers[i].value <= numbers[i].most))
            return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                   "%s is %g, expected 0 to %g", numbers[i].name, numbers[i].value,
                                   numbers[i].most);
    if ((o->flags & ~flags) || (o->modes & ~modes))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "flags is 0x%x and modes 0x%x, bits of 0x%x and 0x%x are known",
                               o->flags, o->modes, flags, modes);
    if (o->device && (o->flags & CUC_BENCH_NO_DEVICE))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "a device is given, and CUC_BENCH_NO_DEVICE with it");
    set_count(&o->min_samples, quick, 20, 10);
    set_count(&o->max_samples, quick, 10000, 1000);
    if (o->max_samples < o->min_samples)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "max_samples is %llu, less than min_samples, %llu",
                               (unsigned long long)o->max_samples,
                               (unsigned long long)o->min_samples);
    set_number(&o->min_seconds, quick, 0.1, 0.02);
    set_number(&o->max_seconds, quick, 3, 0.3);
    set_number(&o->target, quick, 0.005, 0.005);
    set_number(&o->throttle_below, quick, 0.75, 0.75);
    set_number(&o->same_within, quick, 0.01, 0.01);
    set_number(&o->noise_floor, quick, 0.005, 0.005);
    set_number(&o->block_timeout_s, quick, 5, 5);
    return CUC_OK;
}

// Find the requested device, or the first one. A machine without a device is not a failure.
static cuc_status find_device(cuc_bench *b)
{
    cuc_device *device = b->options.device;

    b->device_reason = "";
    if (b->options.flags & CUC_BENCH_NO_DEVICE)
        b->device_reason = "no device was wanted";
    else if (!device && cuc_device_get(&device, 0) < 0)
        b->device_reason = cuc__bench_keep_error(b);
    if (!device)
        return CUC_OK;
    cuc_status st = cuc__bench_gpu_init(&b->gpu, device);
    b->gpu.flush_bytes = b->options.flush_bytes;
    b->gpu.block_timeout_s = b->options.block_timeout_s;
    return st;
}

cuc_status cuc_bench_create(cuc_bench **out, const cuc_bench_options *options)
{
    cuc_bench_options o;
    cuc_status st;

    BENCH_CHECK_NOT_NULL(out);
    if ((st = read_options(&o, options, __func__)) < 0)
        return st;
    cuc_bench *b = calloc(1, sizeof(*b));
    if (!b)
        return BENCH_NO_MEMORY("a session");
    b->options = o;
    b->options.command = cuc__bench_keep(&b->texts, o.command);
    b->options.commit = cuc__bench_keep(&b->texts, o.commit);
    b->rule = (struct cuc__bench_rule){ .min_samples = o.min_samples,
                                        .max_samples = o.max_samples,
                                        .min_seconds = o.min_seconds,
                                        .max_seconds = o.max_seconds,
                                        .target = o.target,
                                        .entropy = !(o.flags & CUC_BENCH_NO_ENTROPY) };
    if ((st = find_device(b)) < 0) {
        cuc_bench_release(b);
        return st;
    }
    cuc__bench_clocks_init(&b->clocks, b->gpu.device);
    *out = b;
    return CUC_OK;
}

void cuc_bench_release(cuc_bench *bench)
{
    if (!bench)
        return;
    cuc__bench_results_release(bench);
    while (bench->points) {
        struct cuc__bench_point *p = bench->points;
        bench->points = p->next;
        free(p);
    }
    cuc__bench_cases_release(bench);
    free(bench->peaks);
    free(bench->json);
    cuc__bench_gpu_release(&bench->gpu);
    cuc__bench_drop_texts(&bench->texts);
    free(bench);
}

cuc_device *cuc_bench_device(const cuc_bench *bench)
{
    return bench ? bench->gpu.device : NULL;
}

const char *cuc_bench_device_reason(const cuc_bench *bench)
{
    return bench ? bench->device_reason : "";
}

const char *cuc__bench_keep_error(cuc_bench *b)
{
    bool told = cuc_error_status() != CUC_OK;
    const char *text = cuc__bench_keep(&b->texts, told ? cuc_error_message() : "no reason given");

    return text ? text : "no host memory for the reason";
}
