// Results of cucore bench: reads and validates documents of the schema cucore-bench/1.
#ifndef CUCORE_TOOLS_RESULTS_H
#define CUCORE_TOOLS_RESULTS_H

#include "cli.h"
#include "table.h"

#define RESULTS_SCHEMA "cucore-bench/1"

// Fields of a result in CSV column order: X(type, member, JSON key). A dot in a key denotes a
// nested object. A field missing from the JSON was not measured: a string is NULL, a number is NAN,
// a count is -1, and a flag is false.
// clang-format off
#define RESULT_FIELDS(X)                             \
    X(TEXT,   suite,          "suite")               \
    X(TEXT,   name,           "case")                \
    X(AXES,   axes,           "axes")                \
    X(TEXT,   subject,        "subject")             \
    X(TEXT,   mode,           "mode")                \
    X(TEXT,   kind,           "kind")                \
    X(TEXT,   peer,           "peer")                \
    X(COUNT,  samples,        "samples")             \
    X(COUNT,  batch,          "batch")               \
    X(COUNT,  discarded,      "discarded")           \
    X(TEXT,   stopped,        "stopped")             \
    X(NUMBER, median_s,       "median_s")            \
    X(NUMBER, q1_s,           "q1_s")                \
    X(NUMBER, q3_s,           "q3_s")                \
    X(NUMBER, min_s,          "min_s")               \
    X(NUMBER, mean_s,         "mean_s")              \
    X(NUMBER, ci_low_s,       "ci_low_s")            \
    X(NUMBER, ci_high_s,      "ci_high_s")           \
    X(NUMBER, noise,          "noise")               \
    X(NUMBER, cpu_median_s,   "cpu_median_s")        \
    X(NUMBER, bytes,          "bytes")               \
    X(NUMBER, flop,           "flop")                \
    X(NUMBER, items,          "items")               \
    X(TEXT,   item,           "item")                \
    X(NUMBER, bytes_per_s,    "bytes_per_s")         \
    X(NUMBER, flop_per_s,     "flop_per_s")          \
    X(NUMBER, items_per_s,    "items_per_s")         \
    X(TEXT,   peak_name,      "peak.name")           \
    X(TEXT,   peak_source,    "peak.source")         \
    X(NUMBER, peak_value,     "peak.value")          \
    X(NUMBER, share,          "share")               \
    X(TEXT,   checked,        "checked")             \
    X(NUMBER, ratio,          "ratio")               \
    X(NUMBER, ratio_low,      "ratio_low")           \
    X(NUMBER, ratio_high,     "ratio_high")          \
    X(TEXT,   verdict,        "verdict")             \
    X(NUMBER, limit,          "limit")               \
    X(NUMBER, sm_mhz,         "sm_mhz")              \
    X(FLAG,   disturbed,      "disturbed")           \
    X(TEXT,   skipped,        "skipped")             \
    X(TEXT,   failed,         "failed")
// clang-format on

typedef struct result {
#define RESULT_TEXT const char *
#define RESULT_AXES char *
#define RESULT_NUMBER double
#define RESULT_COUNT int64_t
#define RESULT_FLAG bool
#define RESULT_MEMBER(type, member, key) RESULT_##type member;
    RESULT_FIELDS(RESULT_MEMBER)
#undef RESULT_MEMBER
    char *key;     // identifies the same result in several files
    double *raw_s; // samples in measuring order; NULL if the file has none
    size_t raw_count;
    json_t *json;
} result;

// Distribution of a subject's speedups over the points of a case: the peer's time divided by the
// subject's. The numbers are NAN if no point was compared.
typedef struct summary {
    const char *suite, *name, *subject;
    const char *peer; // NULL: no point was compared
    int64_t points, measured, failed, skipped;
    double geomean, log_sd, p5, median, worst;
    json_t *lowest; // an array of points, sorted by speedup from the lowest
} summary;

typedef struct results {
    const char *path; // for messages; borrowed
    json_t *root;
    bool simulated;
    bool unfinished; // the run did not complete
    result *list;
    size_t count;
    summary *summaries;
    size_t summary_count;
} results;

// Read a document; "-" is stdin. Rejects a document that violates the schema, with the location and
// what was expected.
bool results_read(results *out, const char *path, cli_why *why);
// Read a parsed document. Takes ownership of the reference, even on failure.
bool results_take(results *out, json_t *root, const char *path, cli_why *why);
void results_release(results *r);

// Return the summary after `after` among those of the result's case; the first one if `after` is
// NULL. Returns NULL at the end.
const summary *results_summary(const results *all, const result *r, const summary *after);

// A comparison of a ratio with its limit. Only an interval entirely beyond the limit exceeds it, so
// that chance does not fail a CI job.
typedef enum result_limit {
    LIMIT_NONE,
    LIMIT_KEPT,
    LIMIT_UNSURE, // the interval contains the limit, or is unreliable
    LIMIT_BROKEN,
} result_limit;
result_limit results_limit(const result *r);

// Return the value at a dotted path such as "machine.clocks.sm_mhz"; NULL if absent.
json_t *results_at(json_t *object, const char *dotted);
const char *results_text(const results *r, const char *dotted); // NULL: absent or not a string
// Return an axis value as text; it is formatted into `out` unless it is a string already.
const char *results_axis_text(char *out, size_t size, const json_t *value);

// results_print.c: print documents as tables, as Markdown, or as one CSV (table.h), each document
// with its machine and, if the machine is simulated, a mark.
void results_print(FILE *to, const results *documents, size_t count, table_style style);
// Print the summaries of a case, its lowest points and its failed ones. `list` has the case's
// results.
void results_print_summaries(FILE *to, const results *all, const result *list, size_t count,
                             table_style style);
// Append the figures after `used` characters, as "rows 128, resident 1.1 MiB"; return the new
// length.
size_t results_figures(char *out, size_t size, size_t used, json_t *figures);
// Describe the machine in one line: "ExampleGPU (sm_90, 132 SMs), driver 13.0, ...".
void results_machine(char *out, size_t size, const results *r);

#endif
