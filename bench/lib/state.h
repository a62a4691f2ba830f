// A point during setup and measurement.
#ifndef CUCORE_BENCH_LIB_STATE_H
#define CUCORE_BENCH_LIB_STATE_H

#include "inputs.h"
#include "session.h"

struct cuc__bench_entry {
    cuc_bench_subject subject; // if skipped, only the name is set
    const char *reason;        // why the subject was skipped or failed; NULL: neither
    const char *checked;
    int32_t outcome;
    int32_t reserved;
};

struct cuc_bench_state {
    cuc_bench *bench;
    struct cuc__bench_entry *entries;
    size_t entry_count, entry_capacity;
    cuc_bench_input *inputs;
    uint32_t input_count;
    struct cuc__bench_deferred {
        void (*drop)(void *object);
        void *object;
    } * deferred;
    size_t deferred_count, deferred_capacity;
    cuc_bench_work work;
    const char *skipped; // why the point is skipped
    const char *failed;  // why setup did not get an axis value that it requested
};

// Finish the point: wait for the stream, and free everything.
void cuc__bench_state_end(cuc_bench_state *s);

// measure.c: check and time the subjects, and add their results.
cuc_status cuc__bench_measure(cuc_bench_state *s);

#endif
