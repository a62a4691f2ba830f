// Declarations that the subcommands of cucore tune share.
#ifndef CUCORE_TOOLS_TUNE_H
#define CUCORE_TOOLS_TUNE_H

#include "cli.h"

#include <cucore/tune.h>

enum { TUNE_OUT = 'o', TUNE_MOST = 900, TUNE_SECONDS, TUNE_SEED, TUNE_DRIVER };

#define TUNE_OPTIONS                                                                     \
    { "out", TUNE_OUT, "FILE", "put the fastest into FILE, which compilers look into" }, \
        { "most", TUNE_MOST, "N", "measure the N that the model likes best; 12" },       \
        { "max-seconds", TUNE_SECONDS, "S", "of measuring a shape; 3" },                 \
        { "seed", TUNE_SEED, "N", "of random inputs and of the order" },                 \
        { "driver", TUNE_DRIVER, "WHICH", "real, sim or auto, as for cucore run" },      \
        CLI_JSON_OPTION

// One item to tune, and the report about its candidates.
typedef struct tune_report {
    const char *what; // "bf16 nt 4096x4096x4096"
    json_t *all;      // an array; NULL: print a table
    bool begun;
    bool sampled; // whether the start of sampling was reported
} tune_report;

// Return 0 if the option was accepted, -1 if it is unknown here, or an exit status. `driver_given`
// is set if the option chooses the driver.
int tune_take(cuc_tune_options *options, bool *driver_given, int id, const char *value);
// Report progress on stderr: on a terminal in one line, otherwise with a line for each candidate.
void tune_progress(void *report, const cuc_tune_progress *progress);
void tune_tell(void *report, const cuc_tune_candidate *candidate);
// Print all reports as one document.
int tune_print(json_t *reports, int status);

extern const cli_command cli_tune_gemm;

#endif
