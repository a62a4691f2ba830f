// Tuning races between candidates, which plans and tile programs share.
#ifndef CUCORE_BENCH_LIB_TUNE_H
#define CUCORE_BENCH_LIB_TUNE_H

#include "fail.h"

#include <cucore/tune.h>

struct cuc__tune_race;

struct cuc__tune_candidate {
    struct cuc__tune_race *race;
    cuc_tune_candidate told;
    char choice[512], reason[512];
    void *subject; // the plan or kernel to run
    bool ran;
};

struct cuc__tune_race {
    cuc_tune_options options;
    cuc_device *device;
    const char *function;   // public function to name in failures
    char *choice;           // receives the winner's choice; NULL: not wanted
    size_t choice_capacity; // in bytes
    struct cuc__tune_candidate *all;
    size_t count, capacity;
    // Sets up the candidates.
    cuc_status (*set_up)(struct cuc__tune_race *race, cuc_bench_state *state);
    cuc_status (*prepare)(void *candidate, cuc_stream *stream, uint64_t set); // NULL: nothing to do
    cuc_status (*run)(void *candidate, cuc_stream *stream, uint64_t set);
    cuc_status (*check)(void *candidate, cuc_stream *stream, char *why, size_t why_size);
    void *data;
};

cuc_status cuc__tune_begin(struct cuc__tune_race *race, cuc_device *device,
                           const cuc_tune_options *options, const char *function);
// Add a candidate; this is a cuc_tuned_visit callback whose user data is the race.
void cuc__tune_add(void *race, const char *choice, double seconds);
// Keep the candidates that the model ranks best; the caller then creates their `subject`.
void cuc__tune_select(struct cuc__tune_race *race);
// Report a candidate's step, or a step of all candidates if `candidate` is NULL.
void cuc__tune_step(const struct cuc__tune_race *race, int32_t step,
                    const struct cuc__tune_candidate *candidate, uint64_t samples);
// Remove a candidate that cannot take part; the thread's last error has the reason.
void cuc__tune_drop(struct cuc__tune_candidate *candidate);
// Run the race and report all candidates; race->all[0] is the winner.
cuc_status cuc__tune_run(struct cuc__tune_race *race);
// Copy the winner's choice, if wanted, and store its record in the file. `key` has everything but
// choice and seconds; a NULL gpu or toolkit defaults to the device's.
cuc_status cuc__tune_keep(struct cuc__tune_race *race, cuc_tuned_record *key);
void cuc__tune_end(struct cuc__tune_race *race);

// tune_compare.c: compare two arrays approximately, at `count` elements with a stride of `step`.
// Returns false, with the location in `why`, if they differ. `of_size` is the allowed error besides
// rounding, as a fraction of the elements' root mean square, because sums may cancel.
bool cuc__tune_same(cuc_dtype dtype, const void *expected, const void *got, uint64_t count,
                    uint64_t step, double of_size, char *why, size_t why_size);

#endif
