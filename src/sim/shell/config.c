// The settings of libcucore-sim.so, which it reads from the environment when it is loaded:
//
//   CUCORE_SIM_ARCH     sm_80, sm_90 (default) or sm_100: an A100, H200 or B200
//   CUCORE_SIM_DEVICES  number of devices, 0 to 8; default 1
//   CUCORE_SIM_MEMORY   memory of each: bytes, or with suffix K, M, G or T; default 16G
//   CUCORE_SIM_FAIL     injected failures, separated by commas. For example,
//                       cuMemAlloc:3=CUDA_ERROR_OUT_OF_MEMORY makes the third cuMemAlloc() fail
//   CUCORE_SIM_CHECK    additional checks: init, race, async, barrier, all; with `error`, their
//                       findings are faults
//   CUCORE_SIM_TIMEOUT  time limit of a kernel, in seconds
//   CUCORE_SIM_REPORT   0: don't report kernel faults, refused launches and invalid settings on
//                       stderr
//   CUDA_VISIBLE_DEVICES  visible devices, as for the driver: numbers or UUIDs
//
// An invalid setting makes cuInit() fail with CUDA_ERROR_INVALID_VALUE. cuGetErrorString() and
// cuc_error_message() (simulator_finding.h) then name the setting.
#include "base/array.h"
#include "base/byte_size.h"
#include "complaint.h"
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sim/exec/builtin.h"
#include "sim/check/check.h"

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static int read_arch(void)
{
    static const char name[] = "CUCORE_SIM_ARCH";
    const char *value = setting(name);
    struct device any;

    if (!value)
        return 90;
    char *end;
    long arch = strncmp(value, "sm_", 3) == 0 ? strtol(value + 3, &end, 10) : 0;
    if (arch > 0 && arch < 1000 && !*end && sim_profile(&any, (int)arch, 0))
        return (int)arch;
    sim_complain(name, value, "expected sm_80, sm_90 or sm_100");
    return 90;
}

static int read_devices(void)
{
    static const char name[] = "CUCORE_SIM_DEVICES";
    const char *value = setting(name);

    if (!value)
        return 1;
    char *end;
    long count = strtol(value, &end, 10);
    if (end != value && !*end && count >= 0 && count <= SIM_DEVICES)
        return (int)count;
    sim_complain(name, value, "expected a number from 0 to %d", SIM_DEVICES);
    return 1;
}

// Returns the device that a word of CUDA_VISIBLE_DEVICES names, by a leading number or a UUID,
// which may be abbreviated. -1 if there is none.
static int named_device(const char *word, int count)
{
    int found = -1;

    if (strncmp(word, "GPU-", 4) != 0) {
        char *end;
        long n = strtol(word, &end, 10);
        return end != word && n >= 0 && n < count ? (int)n : -1;
    }
    for (int i = 0; word[4] && i < count; i++) { // "GPU-" by itself matches nothing
        char name[48];
        CUuuid uuid;
        int at = snprintf(name, sizeof(name), "GPU-");
        sim_uuid(i, &uuid);
        for (int b = 0; b < 16; b++)
            at += snprintf(name + at, sizeof(name) - (size_t)at, "%s%02x",
                           b == 4 || b == 6 || b == 8 || b == 10 ? "-" : "",
                           (unsigned)(unsigned char)uuid.bytes[b]);
        if (strncasecmp(name, word, strlen(word)) != 0)
            continue;
        if (found >= 0)
            return -1; // ambiguous
        found = i;
    }
    return found;
}

// Parses CUDA_VISIBLE_DEVICES as the driver does: the first word that names no device ends the
// list. Returns -1 if a device is named twice, which is an error.
static int read_visible(int count, int visible[SIM_DEVICES])
{
    const char *value = getenv("CUDA_VISIBLE_DEVICES");
    char *rest = NULL;
    int n = 0;

    for (int i = 0; !value && i < count; i++)
        visible[n++] = i;
    char *list = value ? strdup(value) : NULL;
    for (char *word = list ? strtok_r(list, ",", &rest) : NULL; word;
         word = strtok_r(NULL, ",", &rest)) {
        int device = named_device(word + strspn(word, " "), count);
        if (device < 0)
            break;
        for (int i = 0; i < n; i++) {
            if (visible[i] == device) {
                free(list);
                return -1;
            }
        }
        visible[n++] = device;
    }
    free(list);
    return n;
}

static void read_report(void)
{
    const char *value = getenv("CUCORE_SIM_REPORT");

    sim_report(!value || strcmp(value, "0") != 0);
}

// Reports unknown names, since a misspelled variable would have no effect.
static void check_names(void)
{
    static const char prefix[] = "CUCORE_SIM_";
    static const char *const known[] = { "ARCH",  "DEVICES", "MEMORY",  "FAIL",
                                         "CHECK", "TIMEOUT", "THREADS", "REPORT" };

    for (char **at = environ; at && *at; at++) {
        if (strncmp(*at, prefix, sizeof(prefix) - 1) != 0)
            continue;
        const char *name = *at + sizeof(prefix) - 1;
        size_t length = strcspn(name, "="), i = 0;
        while (i < CUC_LENGTH(known) &&
               !(strlen(known[i]) == length && strncmp(known[i], name, length) == 0))
            i++;
        if (i == CUC_LENGTH(known))
            sim_warn("%s%.*s is not read: CUCORE_SIM_ARCH, _DEVICES, _MEMORY, _FAIL, _CHECK, "
                     "_TIMEOUT, _THREADS and _REPORT are",
                     prefix, length < 64 ? (int)length : 64, name);
    }
}

// Validates CUCORE_SIM_THREADS, which the workers read themselves (schedule.c).
static void check_threads(void)
{
    static const char name[] = "CUCORE_SIM_THREADS";
    const char *value = setting(name);
    char *end = NULL;
    long count = value ? strtol(value, &end, 10) : 1;

    if (value && (end == value || *end || count < 1 || count > 256))
        sim_complain(name, value, "expected a number from 1 to 256");
}

static size_t read_memory(void)
{
    static const char name[] = "CUCORE_SIM_MEMORY";
    const char *value = setting(name);
    const uint64_t most = (uint64_t)4 << 40;
    uint64_t bytes;

    if (!value)
        return (size_t)16 << 30;
    if (cuc__read_byte_size(&bytes, value) && bytes && bytes <= most)
        return bytes;
    sim_complain(name, value, "expected a number of bytes up to 4T, with K, M, G or T as a suffix");
    return (size_t)16 << 30;
}

// Arms a failure given as "function:n=CODE".
static bool arm(char *wish)
{
    char *colon = strchr(wish, ':'), *equals = strchr(wish, '=');
    char *end;

    if (!colon || !equals || equals < colon)
        return false;
    *colon = *equals = '\0';
    long nth = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || nth < 1 || nth > 1000000000)
        return false;
    int fn = sim_function_number(wish);
    CUresult code = sim_result_number(equals + 1);
    if (fn == FN_COUNT || code <= 0)
        return false;
    sim_arm(fn, (int)nth, code);
    return true;
}

// Reports at exit which failures were armed but did not occur. A forked child leaves the report to
// its parent.
static pid_t owner;

static void report_unfired(void)
{
    int fn, nth, left;

    for (size_t i = 0; getpid() == owner && sim_fault_left(i, &fn, &nth, &left); i++)
        if (left)
            sim_warn("CUCORE_SIM_FAIL: %s:%d did not happen, there %s %d call%s",
                     sim_function_name(fn), nth, nth - left == 1 ? "was" : "were", nth - left,
                     nth - left == 1 ? "" : "s");
}

static void read_faults(void)
{
    static const char name[] = "CUCORE_SIM_FAIL";
    const char *value = setting(name);
    char *rest = NULL;

    if (!value)
        return;
    char *list = strdup(value);
    for (char *wish = list ? strtok_r(list, ", ", &rest) : NULL; wish;
         wish = strtok_r(NULL, ", ", &rest)) {
        char said[128];
        snprintf(said, sizeof(said), "%s", wish);
        if (!arm(wish))
            sim_complain(name, said,
                         "expected function:n=CODE, as in "
                         "cuMemAlloc:3=CUDA_ERROR_OUT_OF_MEMORY");
    }
    free(list);
    owner = getpid();
    atexit(report_unfired);
}

static void print_report(const char *report)
{
    sim_warn("%s", report);
}

// Reports at exit how often each check has found something. The findings themselves have been
// reported, once per place.
static void report_findings(void)
{
    static const struct {
        uint32_t check;
        const char *name;
    } checks[] = {
        { SIM_CHECK_INIT, "init" },
        { SIM_CHECK_RACE, "race" },
        { SIM_CHECK_ASYNC, "async" },
        { SIM_CHECK_BARRIER, "barrier" },
    };

    for (size_t i = 0; i < CUC_LENGTH(checks); i++) {
        uint64_t places, found = sim_findings(checks[i].check, &places);
        if (found)
            sim_warn("check %s: %llu finding%s in %llu place%s", checks[i].name,
                     (unsigned long long)found, found == 1 ? "" : "s", (unsigned long long)places,
                     places == 1 ? "" : "s");
    }
}

static void read_checks(void)
{
    static const char name[] = "CUCORE_SIM_CHECK";
    const char *value = setting(name);
    char why[160];

    if (!value)
        return;
    if (!sim_checks_read(value, why, sizeof(why)))
        sim_complain(name, value, "%s", why);
    else if (sim_checks == SIM_CHECK_ERROR)
        sim_complain(name, value, "error alone checks nothing: say what too, as in all,error");
    sim_check_report = print_report;
    if (!(sim_checks & SIM_CHECK_ERROR))
        atexit(report_findings);
}

static void read_timeout(void)
{
    static const char name[] = "CUCORE_SIM_TIMEOUT";
    const char *value = setting(name);

    if (!value)
        return;
    char *end;
    double seconds = strtod(value, &end);
    if (end != value && !*end && seconds >= 0.001 && seconds <= 1e6)
        sim_timeout = (uint64_t)(1e9 * seconds);
    else
        sim_complain(name, value, "expected seconds from 0.001 to 1000000");
}

void sim_configure(void)
{
    int arch = read_arch();
    size_t memory = read_memory();
    check_threads();

    read_report();
    check_names();
    int count = read_devices(), visible[SIM_DEVICES];

    sim.version = 13000;
    sim_set_conditional = sim_condition_set;
    sim.device_count = read_visible(count, visible);
    sim.device_twice = sim.device_count < 0;
    if (sim.device_twice)
        sim.device_count = 0;
    sim.async = false;
    sim.background = true;
    sim.guard = false;
    sim.fresh_most = (size_t)1 << 20;
    for (int i = 0; i < SIM_DEVICES; i++) {
        struct device *d = &sim.devices[i];
        sim_profile(d, arch, i < sim.device_count ? visible[i] : i);
        d->total = memory;
        // Kernels may access only memory that the driver knows. This check is more useful than
        // access to pageable memory.
        d->attributes[CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS] = 0;
    }
    read_faults();
    read_checks();
    read_timeout();
}

CUresult sim_started(void)
{
    const char *complaint = sim_complaint();

    if (!complaint)
        return CUDA_SUCCESS;
    sim_warn("%s", complaint);
    return CUDA_ERROR_INVALID_VALUE;
}

void sim_fault_fired(void)
{
}
