// Describes the machine that a session runs on.
#include "base/array.h"
#include "json.h"

#include <cucore/system.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool set_cpu(json_t *to)
{
    char line[256];
    const char *name = NULL;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *f = fopen("/proc/cpuinfo", "r");

    while (f && !name && fgets(line, sizeof(line), f)) {
        char *colon = strchr(line, ':');
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "model name", 10) == 0 && colon && colon[1] == ' ')
            name = colon + 2;
    }
    if (f)
        fclose(f);
    return cuc__bench_set_text(to, "cpu", name) &&
           (cores <= 0 || cuc__bench_set_count(to, "cores", (uint64_t)cores));
}

static bool set_version(json_t *to, const char *key, int32_t major, int32_t minor)
{
    char text[48];

    snprintf(text, sizeof(text), "%d.%d", major, minor);
    return cuc__bench_set_text(to, key, text);
}

static bool set_versions(json_t *to)
{
    char kernel[CUC_NVML_DRIVER_VERSION_BYTES];
    int32_t major, minor, number;
    bool ok = cuc__bench_set_text(to, "cucore", cuc_version_string());

    if (cuc_driver_get_version(&number) >= 0)
        ok = ok && set_version(to, "driver", number / 1000, number % 1000 / 10);
    if (!cuc_driver_is_simulated() && cuc_nvml_get_driver_version(kernel, sizeof(kernel)) >= 0)
        ok = ok && cuc__bench_set_text(to, "kernel_driver", kernel);
    if (cuc_runtime_get_version(&number) >= 0)
        ok = ok && set_version(to, "toolkit", number / 1000, number % 1000 / 10);
    if (cuc_nvrtc_get_version(&major, &minor) >= 0)
        ok = ok && set_version(to, "nvrtc", major, minor);
    return ok;
}

static bool set_device(json_t *to, const cuc_bench *b)
{
    uint64_t bytes;
    int32_t sms;

    if (!b->gpu.device)
        return true;
    bool ok = cuc__bench_set_text(to, "gpu", cuc_device_name(b->gpu.device)) &&
              cuc__bench_set_text(to, "arch", cuc_device_arch(b->gpu.device)) &&
              cuc__bench_set_count(to, "l2_bytes", b->gpu.l2_bytes);
    if (cuc_device_get_attribute(&sms, b->gpu.device, CUC_DEVICE_MULTIPROCESSOR_COUNT) >= 0)
        ok = ok && cuc__bench_set_count(to, "sms", (uint64_t)sms);
    if (cuc_device_get_memory_info(NULL, &bytes, b->gpu.device) >= 0)
        ok = ok && cuc__bench_set_count(to, "memory_bytes", bytes);
    return ok;
}

// Write clocks and throttle reasons, if there was a reading.
static bool set_clocks(json_t *to, const cuc_bench *b)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } reasons[] = {
#define ROW(constant, bit, name) { bit, name },
        CUC_THROTTLE_LIST(ROW)
#undef ROW
    };
    uint32_t min, median, max;

    if (!cuc__bench_clocks_range(&b->clocks, &min, &median, &max))
        return true;
    json_t *clocks = json_pack("{s:{s:I, s:I, s:I}}", "sm_mhz", "min", (json_int_t)min, "median",
                               (json_int_t)median, "max", (json_int_t)max);
    bool ok = json_object_set_new(to, "clocks", clocks) == 0;
    if (ok && b->clocks.memory_mhz)
        ok = cuc__bench_set_count(clocks, "memory_mhz", b->clocks.memory_mhz);
    json_t *words = json_array();
    ok = ok && json_object_set_new(to, "throttle", words) == 0;
    for (size_t i = 0; i < CUC_LENGTH(reasons) && ok; i++)
        if (b->clocks.throttle & reasons[i].bit)
            ok = json_array_append_new(words, json_string(reasons[i].name)) == 0;
    return ok;
}

json_t *cuc__bench_machine(const cuc_bench *b)
{
    json_t *to = json_object();

    if (to && set_device(to, b) && set_versions(to) &&
        json_object_set_new(to, "simulated", json_boolean(b->gpu.simulated)) == 0 && set_cpu(to) &&
        set_clocks(to, b))
        return to;
    json_decref(to);
    return NULL;
}
