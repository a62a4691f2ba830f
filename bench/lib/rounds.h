// The subjects of a point in one mode, sampled in turns.
#ifndef CUCORE_BENCH_LIB_ROUNDS_H
#define CUCORE_BENCH_LIB_ROUNDS_H

#include "sample.h"
#include "state.h"

struct cuc__bench_round {
    struct cuc__bench_sample sample;
    struct cuc__bench_clock clock;
};

// One subject's samples: at[i] was taken in round i.
struct cuc__bench_track {
    struct cuc__bench_entry *entry;
    struct cuc__bench_trial trial;
    struct cuc__bench_round *at;
    size_t count, capacity;
    struct cuc__bench_entropy entropy;
    int32_t stopped;
    int32_t reserved;
};

// Take rounds, each a sample of every track in random order, until all know enough or a limit is
// met. A subject that fails has that in its entry, and takes no further part.
cuc_status cuc__bench_rounds(cuc_bench *b, struct cuc__bench_track *tracks, size_t count);

// Times of a track: those that are thrown away are NaN. `seconds` and `cpu_seconds` have room for
// count each; gives how many are thrown away, and the median clock.
cuc_status cuc__bench_track_times(const struct cuc__bench_track *t, double below, double *seconds,
                                  double *cpu_seconds, uint64_t *discarded, double *sm_mhz);

void cuc__bench_track_release(struct cuc__bench_track *t);

#endif
