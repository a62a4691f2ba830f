// One run of cucore bench: the options that SUITE and kernel share, progress, and reports.
#ifndef CUCORE_TOOLS_BENCH_SESSION_H
#define CUCORE_TOOLS_BENCH_SESSION_H

#include "cli.h"

#include <cucore/bench.h>

typedef struct bench_session {
    cuc_bench_options options;
    bool driver_given;
    bool device_given;
    bool seed_given;
    uint32_t device;
    double target_percent;       // 0: the library's default
    char *command;               // the command line, recorded in the JSON
    const char *json, *csv, *md; // output paths; "-" is stdout; NULL: not wanted
    bool keeps;                  // whether to update the JSON as results arrive
    double next_kept_at;         // earliest time of the next update
    bool fails_over_limit;
    cuc_bench *bench;
} bench_session;

enum {
    BENCH_QUICK = CLI_LONG + 100, // above the option ids of source.h
    BENCH_MODE,
    BENCH_MIN_SAMPLES,
    BENCH_MAX_SAMPLES,
    BENCH_MAX_SECONDS,
    BENCH_TARGET,
    BENCH_SEED,
    BENCH_DEVICE,
    BENCH_DRIVER,
    BENCH_JSON,
    BENCH_CSV,
    BENCH_MD,
    BENCH_SAMPLES,
    BENCH_COMMIT,
    BENCH_LIMITS,
    BENCH_NEXT_ID
};

// clang-format off
#define BENCH_SESSION_OPTIONS                                                                      \
    { "quick", BENCH_QUICK, NULL, "fewer axis values, and less time per point" },                  \
    { "mode", BENCH_MODE, "LIST", "use only these modes: cold, hot, graph, cpu" },                 \
    { "max-seconds", BENCH_MAX_SECONDS, "S", "per point and mode; 3 by default, 0.3 quick" },      \
    { "min-samples", BENCH_MIN_SAMPLES, "N", "20 by default, 10 quick; overrides --max-seconds" }, \
    { "max-samples", BENCH_MAX_SAMPLES, "N", "10000 by default, 1000 quick" },                     \
    { "target", BENCH_TARGET, "PERCENT", "target half width of the 95 % interval; 0.5" },          \
    { "seed", BENCH_SEED, "N", "seed of inputs, order and --random; 0, or a new one, by default" }, \
    { "device", BENCH_DEVICE, "N", "the device's ordinal; 0 by default" },                         \
    { "driver", BENCH_DRIVER, "WHICH", "real, sim or auto, as for cucore run" },                   \
    { "json", BENCH_JSON, "FILE", "write the results; - is standard output, here and below" },     \
    { "csv", BENCH_CSV, "FILE", "write every figure as CSV" },                                     \
    { "md", BENCH_MD, "FILE", "write tables in Markdown" },                                        \
    { "samples", BENCH_SAMPLES, NULL, "keep every sample in the JSON" },                           \
    { "commit", BENCH_COMMIT, "TEXT", "the measured version, for the JSON" },                      \
    { "limits", BENCH_LIMITS, NULL, "exit status 1 if a ratio's interval is above the limit" }
// clang-format on

void bench_session_begin(bench_session *s, const cli_command *command, int argc, char **argv);
// Return 0 if the option was accepted, -1 if it is unknown here, or an exit status.
int bench_session_take(bench_session *s, int id, const char *value);
// Check constraints between options.
int bench_session_check(const bench_session *s);
// Create the session; `what`, such as "the kernel", appears in messages about the driver.
int bench_session_open(bench_session *s, const char *what);
// Run and report; if interrupted, report the results so far.
int bench_session_run(bench_session *s, const cuc_bench_selection *selection);
void bench_session_end(bench_session *s);

// bench_progress.c: show a progress line during a run, if stderr is a terminal.
void bench_progress_show(const cuc_bench_progress *p);
// Replace the progress line; return false if stderr is not a terminal.
bool bench_progress_line(const char *text);
void bench_progress_clear(void);

#endif
