// Samples the subjects of a point alternately in one mode.
#ifndef CUCORE_BENCH_LIB_ROUNDS_H
#define CUCORE_BENCH_LIB_ROUNDS_H

#include "sample.h"
#include "state.h"

struct cuc__bench_round {
    struct cuc__bench_sample sample;
    struct cuc__bench_clock clock;
};

// The samples of one subject: at[i] was taken in round i.
struct cuc__bench_track {
    struct cuc__bench_entry *entry;
    struct cuc__bench_trial trial;
    struct cuc__bench_round *at;
    size_t count, capacity;
    struct cuc__bench_entropy entropy;
    int32_t stopped;
    int32_t reserved;
};

// Run rounds until all tracks have enough samples or a limit is reached; each round samples every
// track, in random order. A failing subject records its failure in its entry and drops out.
cuc_status cuc__bench_rounds(cuc_bench *b, struct cuc__bench_track *tracks, size_t count);

// Copy a track's times, with discarded ones as NaN. `seconds` and `cpu_seconds` each have room for
// `count` times. Also reports the number discarded and the median clock.
cuc_status cuc__bench_track_times(const struct cuc__bench_track *t, double below, double *seconds,
                                  double *cpu_seconds, uint64_t *discarded, double *sm_mhz);

void cuc__bench_track_release(struct cuc__bench_track *t);

#endif
