// Candidates that race: what tuning a plan and tuning a tile program share.
#ifndef CUCORE_BENCH_LIB_TUNE_H
#define CUCORE_BENCH_LIB_TUNE_H

#include "fail.h"

#include <cucore/tune.h>

struct cuc__tune_race;

struct cuc__tune_candidate {
    struct cuc__tune_race *race;
    cuc_tune_candidate told;
    char choice[512], reason[512];
    void *subject; // what is run: a plan, a kernel
    bool ran;
};

struct cuc__tune_race {
    cuc_tune_options options;
    cuc_device *device;
    const char *function; // that failures are told of
    char *choice;         // gets the winner's text; NULL: it is not wanted
    size_t room;          // of choice, in bytes
    struct cuc__tune_candidate *all;
    size_t count, capacity;
    // Makes what candidates need; the caller's.
    cuc_status (*set_up)(struct cuc__tune_race *race, cuc_bench_state *state);
    cuc_status (*prepare)(void *candidate, cuc_stream *stream, uint64_t set); // NULL: nothing to do
    cuc_status (*run)(void *candidate, cuc_stream *stream, uint64_t set);
    cuc_status (*check)(void *candidate, cuc_stream *stream, char *why, size_t why_size);
    void *data;
};

cuc_status cuc__tune_begin(struct cuc__tune_race *race, cuc_device *device,
                           const cuc_tune_options *options, const char *function);
// Takes in a candidate: a cuc_tuned_visit, whose user is the race.
void cuc__tune_add(void *race, const char *choice, double seconds);
// Keeps those that the model likes best, which race->subject is then made for by the caller.
void cuc__tune_select(struct cuc__tune_race *race);
// Tells of a step, of a candidate or, where that is NULL, of all.
void cuc__tune_step(const struct cuc__tune_race *race, int32_t step,
                    const struct cuc__tune_candidate *candidate, uint64_t samples);
// A candidate that cannot take part, for the reason that the thread's last error has.
void cuc__tune_drop(struct cuc__tune_candidate *candidate);
// Lets them race; the winner is race->all[0], and all are told of.
cuc_status cuc__tune_run(struct cuc__tune_race *race);
// The winner's text, where it is wanted, and its record in the file; `key` has all but choice and
// seconds, and the device's gpu and toolkit where those are NULL.
cuc_status cuc__tune_keep(struct cuc__tune_race *race, cuc_tuned_record *key);
void cuc__tune_end(struct cuc__tune_race *race);

// tune_compare.c: whether two arrays of a dtype hold about the same, looking at `count` elements
// that lie `step` apart; false, and where not. `of_size`: the share of the elements' usual size,
// the root of their mean square, that one may be off besides roundings: sums that cancel are.
bool cuc__tune_same(cuc_dtype dtype, const void *expected, const void *got, uint64_t count,
                    uint64_t step, double of_size, char *why, size_t why_size);

#endif
