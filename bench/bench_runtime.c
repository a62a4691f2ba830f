// Time every case on both sides in one run: samples alternate between raw and cucore, each sample
// is a batch of calls with a wait behind it that is not timed, and medians are compared.
//
//     bench_runtime [--samples N] [--json FILE] [--commit TEXT] [--command TEXT]
#include "runtime_cases.h"

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// Of sorted values.
static double quantile(const double *v, int n, double q)
{
    double at = q * (n - 1);
    int low = (int)at;

    return low + 1 < n ? v[low] + (at - low) * (v[low + 1] - v[low]) : v[n - 1];
}

struct summary {
    double median, p25, p75;
};

static struct summary summarise(double *v, int n)
{
    qsort(v, (size_t)n, sizeof(*v), by_value);
    return (struct summary){ quantile(v, n, 0.5), quantile(v, n, 0.25), quantile(v, n, 0.75) };
}

// Nanoseconds a call of one batch, or -1.
static double sample(struct bench *b, const struct bench_case *c, int (*side)(struct bench *, int))
{
    double start = now_ns();
    int bad = side(b, c->batch);
    double took = now_ns() - start;

    if (bad || cuc_device_synchronize(b->device) < 0)
        return -1;
    return took / c->batch;
}

static void cpu_name(char *to, size_t size)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");

    snprintf(to, size, "unknown");
    while (f && fgets(line, sizeof(line), f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(to, size, "%s", colon + 2);
            break;
        }
    }
    if (f)
        fclose(f);
}

static json_t *machine(const struct bench *b)
{
    int32_t driver = 0, major = 0, minor = 0;
    char cpu[200], toolkit[32] = "none";

    cpu_name(cpu, sizeof(cpu));
    cuc_driver_get_version(&driver);
    if (cuc_nvrtc_get_version(&major, &minor) >= 0)
        snprintf(toolkit, sizeof(toolkit), "%d.%d", major, minor);
    return json_pack("{s:s, s:s, s:s, s:i, s:b, s:s, s:s}", "gpu", cuc_device_name(b->device),
                     "arch", cuc_device_arch(b->device), "cpu", cpu, "driver", driver, "simulated",
                     cuc_driver_is_simulated(), "nvrtc", toolkit, "cucore", cuc_version_string());
}

static json_t *side_json(struct summary s)
{
    return json_pack("{s:f, s:f, s:f}", "median_ns", s.median, "p25_ns", s.p25, "p75_ns", s.p75);
}

static json_t *run_case(struct bench *b, const struct bench_case *c, int samples)
{
    double *raw = calloc((size_t)samples, sizeof(*raw));
    double *cuc = calloc((size_t)samples, sizeof(*cuc));
    double *ratio = calloc((size_t)samples, sizeof(*ratio));
    json_t *out = NULL;

    if (!raw || !cuc || !ratio)
        goto done;
    for (int i = -samples / 10 - 1; i < samples; i++) { // the first tenth warms up
        int at = i < 0 ? 0 : i;
        double first = sample(b, c, i & 1 ? c->raw : c->cuc);
        double second = sample(b, c, i & 1 ? c->cuc : c->raw);
        if (first < 0 || second < 0) {
            fprintf(stderr, "bench: %s: %s\n", c->name, cuc_error_message());
            goto done;
        }
        raw[at] = i & 1 ? first : second;
        cuc[at] = i & 1 ? second : first;
        ratio[at] = cuc[at] / raw[at];
    }
    struct summary r = summarise(raw, samples), s = summarise(cuc, samples);
    struct summary q = summarise(ratio, samples);
    const char *verdict = c->limit == 0 ? "-" : s.median / r.median <= c->limit ? "ok" : "OVER";
    printf("%-24s %10.1f %10.1f %10.3f %10.3f  %s\n", c->name, r.median, s.median,
           s.median / r.median, c->limit, verdict);
    fflush(stdout);
    out = json_pack("{s:s, s:i, s:i, s:o, s:o, s:f, s:f, s:f, s:f}", "name", c->name, "batch",
                    c->batch, "samples", samples, "raw", side_json(r), "cucore", side_json(s),
                    "ratio", s.median / r.median, "paired_ratio_p25", q.p25, "paired_ratio_p75",
                    q.p75, "limit", c->limit);
done:
    free(raw);
    free(cuc);
    free(ratio);
    return out;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "samples", required_argument, NULL, 's' },
        { "json", required_argument, NULL, 'j' },
        { "commit", required_argument, NULL, 'c' },
        { "command", required_argument, NULL, 'm' },
        { NULL, 0, NULL, 0 },
    };
    const char *json_path = NULL, *commit = "unknown", *command = "bench_runtime";
    int samples = 300, opt, status = 0;
    struct bench b;

    while ((opt = getopt_long(argc, argv, "", options, NULL)) >= 0) {
        switch (opt) {
        case 's':
            samples = atoi(optarg);
            break;
        case 'j':
            json_path = optarg;
            break;
        case 'c':
            commit = optarg;
            break;
        case 'm':
            command = optarg;
            break;
        default:
            return 2;
        }
    }
    if (samples < 10) {
        fprintf(stderr, "bench: --samples is %d, expected 10 or more\n", samples);
        return 2;
    }
    if (bench_open(&b) < 0)
        return 1;
    json_t *results = json_array();
    printf("%-24s %10s %10s %10s %10s\n", "case", "raw ns", "cucore ns", "ratio", "limit");
    for (size_t i = 0; i < bench_case_count; i++) {
        json_t *one = run_case(&b, &bench_cases[i], samples);
        if (one)
            json_array_append_new(results, one);
        else
            status = 1;
    }
    json_t *all = json_pack("{s:i, s:s, s:o, s:s, s:s, s:o}", "schema", 1, "bench", "runtime",
                            "machine", machine(&b), "commit", commit, "command", command, "results",
                            results);
    if (json_path && json_dump_file(all, json_path, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) != 0) {
        fprintf(stderr, "bench: cannot write %s\n", json_path);
        status = 1;
    }
    json_decref(all);
    bench_close(&b);
    return status;
}
