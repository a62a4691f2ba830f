// Declares the session struct and the functions that its files share.
#ifndef CUCORE_BENCH_LIB_SESSION_H
#define CUCORE_BENCH_LIB_SESSION_H

#include "axis.h"
#include "clocks.h"
#include "gpu.h"
#include "stop.h"

// The value of one axis at a point.
struct cuc__bench_coordinate {
    const char *name;
    int32_t kind;
    int32_t reserved;
    struct cuc__bench_value value;
};

// A point as stored with results.
struct cuc__bench_point {
    struct cuc__bench_point *next;
    const cuc_bench_case *bench_case;
    const char *axes; // readable form: "n=1024 dtype=f32"
    size_t count;
    struct cuc__bench_coordinate at[]; // [count]
};

struct cuc__bench_record {
    cuc_bench_result result;
    const struct cuc__bench_point *point;
    double *samples; // the result's samples_s, which the record owns
    size_t sample_count;
};

struct cuc_bench {
    cuc_bench_options options; // defaults filled in
    struct cuc__bench_rule rule;
    struct cuc__bench_text *texts; // strings referenced by cases, points, peaks and results
    struct cuc__bench_gpu gpu;     // all zero without a device
    const char *device_reason;
    struct cuc__bench_clocks clocks;

    cuc_bench_case **cases; // allocated individually, because points refer to them
    size_t case_count, case_capacity;
    cuc_bench_peak *peaks;
    size_t peak_count, peak_capacity;
    struct cuc__bench_point *points;
    struct cuc__bench_record *records;
    size_t record_count, record_capacity;
    char *json;

    // State of the current run.
    const struct cuc__bench_point *point;
    size_t point_index, point_count;
    double told; // time of the last progress report about samples
    bool cancelled;
};

// Return the device state; NULL without a device.
static inline struct cuc__bench_gpu *cuc__bench_gpu_of(cuc_bench *b)
{
    return b->gpu.device ? &b->gpu : NULL;
}

// registry.c
void cuc__bench_cases_release(cuc_bench *b);

// result.c: add a result of the current point; its strings must live as long as the session. Takes
// over `samples`, even on failure.
cuc_status cuc__bench_add_result(cuc_bench *b, const cuc_bench_result *result, double *samples,
                                 size_t sample_count);
void cuc__bench_results_release(cuc_bench *b);

// Return a result for the current point with all figures unknown.
cuc_bench_result cuc__bench_no_result(const cuc_bench *b);

// progress.c: report progress, and record whether the run should stop.
void cuc__bench_tell_point(cuc_bench *b);
void cuc__bench_tell_result(cuc_bench *b, const cuc_bench_result *result);
bool cuc__bench_tells_samples(cuc_bench *b); // true if a report about samples is due
void cuc__bench_tell_samples(cuc_bench *b, const char *subject, uint32_t mode, uint64_t samples,
                             double median_s);

// peaks.c: return a data sheet rate per second for a device and peak name; 0: not listed.
double cuc__bench_datasheet(const char *device, const char *name, int32_t *per);

// Copy the thread's last failure to a string of the session.
const char *cuc__bench_keep_error(cuc_bench *b);

#endif
