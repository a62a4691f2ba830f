#include "rounds.h"

#include "philox.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cuc_status cuc__bench_track_times(const struct cuc__bench_track *t, double below, double *seconds,
                                  double *cpu_seconds, uint64_t *discarded, double *sm_mhz)
{
    struct cuc__bench_clock *clocks = malloc((t->count + 1) * sizeof(*clocks));
    bool *discard = malloc(t->count + 1);

    if (!clocks || !discard) {
        free(clocks);
        free(discard);
        return BENCH_NO_MEMORY("the clocks of the samples");
    }
    for (size_t i = 0; i < t->count; i++)
        clocks[i] = t->at[i].clock;
    *discarded = cuc__bench_clocks_judge(discard, sm_mhz, clocks, t->count, below);
    // If all samples were to be discarded, keep them, so that there is a figure, and mark the
    // result disturbed.
    bool all = *discarded == t->count;
    for (size_t i = 0; i < t->count; i++) {
        bool gone = discard[i] && !all;
        seconds[i] = gone ? NAN : t->at[i].sample.seconds;
        if (cpu_seconds)
            cpu_seconds[i] = gone ? NAN : t->at[i].sample.cpu_seconds;
    }
    free(clocks);
    free(discard);
    return CUC_OK;
}

void cuc__bench_track_release(struct cuc__bench_track *t)
{
    cuc__bench_trial_end(&t->trial);
    cuc__bench_entropy_release(&t->entropy);
    free(t->at);
    *t = (struct cuc__bench_track){ 0 };
}

static cuc_status append(struct cuc__bench_track *t, const struct cuc__bench_round *round)
{
    void *array = t->at;
    struct cuc__bench_round *to = cuc__bench_grow(&array, &t->capacity, t->count, sizeof(*to));

    t->at = array;
    if (!to)
        return BENCH_NO_MEMORY("a sample");
    *to = *round;
    t->count++;
    return cuc__bench_entropy_add(&t->entropy, round->sample.seconds);
}

// Shuffle the tracks, seeded by the session's seed, the point and the round.
static void shuffle(size_t *order, size_t count, const cuc_bench *b, uint64_t round)
{
    struct philox_recipe r = { .seed = ~b->options.seed, .set = (unsigned)b->point_index };
    unsigned w[4];

    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; i > 1; i--) {
        r.index = (unsigned)i;
        philox(w, &r, round);
        size_t with = w[0] % i, kept = order[i - 1];
        order[i - 1] = order[with];
        order[with] = kept;
    }
}

// Take one sample of every active track.
static cuc_status take_round(cuc_bench *b, struct cuc__bench_track *tracks, size_t count,
                             size_t *order, uint64_t round, struct cuc__bench_clock *clock)
{
    cuc_status st = CUC_OK;

    shuffle(order, count, b, round);
    for (size_t i = 0; i < count && st >= 0; i++) {
        struct cuc__bench_track *t = &tracks[order[i]];
        struct cuc__bench_round r;
        if (t->entry->reason)
            continue;
        cuc_error_clear(); // an older error must not explain a failure that records no error
        if (cuc__bench_sample(&r.sample, &t->trial, cuc__bench_gpu_of(b), round * t->trial.batch) <
            0) {
            t->entry->outcome = CUC_BENCH_FAILED;
            t->entry->reason = cuc__bench_keep_error(b);
            continue;
        }
        r.clock = (struct cuc__bench_clock){ 0 };
        if (t->trial.mode != CUC_BENCH_CPU) { // the device clock is irrelevant to host work
            // The reading after a sample also serves as the one before the next.
            struct cuc__bench_clock after = cuc__bench_clocks_read(&b->clocks);
            r.clock = cuc__bench_clocks_between(*clock, after);
            *clock = after;
        }
        st = append(t, &r);
    }
    return st;
}

// Decide whether a track has enough samples; store the reason to stop, and the current median.
static cuc_status judge(const cuc_bench *b, struct cuc__bench_track *t, double *median)
{
    double *seconds = malloc((t->count + 1) * sizeof(*seconds));
    uint64_t discarded;

    if (!seconds)
        return BENCH_NO_MEMORY("the samples in order");
    cuc_status st =
        cuc__bench_track_times(t, b->options.throttle_below, seconds, NULL, &discarded, NULL);
    size_t n = st < 0 ? 0 : cuc__bench_sort(seconds, t->count);
    *median = n ? cuc__bench_quantile(seconds, n, 0.5) : NAN;
    t->stopped = n ? cuc__bench_stop(&b->rule, &t->entropy, seconds, n) : CUC_BENCH_STOP_NONE;
    free(seconds);
    return st;
}

static size_t first_left(const struct cuc__bench_track *tracks, size_t count)
{
    size_t i = 0;

    while (i < count && tracks[i].entry->reason)
        i++;
    return i;
}

static cuc_status judge_all(const cuc_bench *b, struct cuc__bench_track *tracks, size_t count,
                            bool *enough)
{
    double median;
    cuc_status st = CUC_OK;

    *enough = true;
    for (size_t i = 0; i < count && st >= 0; i++) {
        if (tracks[i].entry->reason)
            continue;
        st = judge(b, &tracks[i], &median);
        *enough = *enough && tracks[i].stopped != CUC_BENCH_STOP_NONE;
    }
    return st;
}

static cuc_status tell(cuc_bench *b, struct cuc__bench_track *tracks, size_t count, uint64_t rounds)
{
    size_t first = first_left(tracks, count);
    double median;

    if (first == count || !cuc__bench_tells_samples(b))
        return CUC_OK;
    cuc_status st = judge(b, &tracks[first], &median);
    if (st >= 0)
        cuc__bench_tell_samples(b, tracks[first].entry->subject.name, tracks[first].trial.mode,
                                rounds, median);
    return st;
}

cuc_status cuc__bench_rounds(cuc_bench *b, struct cuc__bench_track *tracks, size_t count)
{
    double begun = cuc__bench_now();
    uint64_t rounds = 0, next = b->rule.min_samples;
    int32_t limit = CUC_BENCH_STOP_NONE;
    bool enough = false;
    cuc_status st = CUC_OK;
    size_t *order = malloc((count + 1) * sizeof(*order));

    if (!order)
        return BENCH_NO_MEMORY("the order of a round");
    struct cuc__bench_clock clock = cuc__bench_clocks_read(&b->clocks);
    while (st >= 0 && !enough && limit == CUC_BENCH_STOP_NONE &&
           first_left(tracks, count) < count) {
        st = take_round(b, tracks, count, order, rounds++, &clock);
        if (st >= 0)
            st = tell(b, tracks, count, rounds);
        // Sorting takes longer as samples accumulate, so sort less often.
        double seconds = cuc__bench_now() - begun;
        if (st >= 0 && rounds >= next && seconds >= b->rule.min_seconds) {
            st = judge_all(b, tracks, count, &enough);
            next = rounds + 1 + rounds / 20;
        }
        limit = b->cancelled ? CUC_BENCH_STOP_CANCELLED
                             : cuc__bench_limit(&b->rule, rounds, seconds);
    }
    // At a limit, a subject that finished earlier keeps its own reason.
    if (st >= 0 && !enough)
        st = judge_all(b, tracks, count, &enough);
    for (size_t i = 0; i < count; i++)
        if (tracks[i].stopped == CUC_BENCH_STOP_NONE)
            tracks[i].stopped = limit;
    free(order);
    return st;
}
