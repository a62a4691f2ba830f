// Measures a point: checks its subjects, times them in every mode, and adds the results.
#include "base/array.h"
#include "rounds.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fail_entry(cuc_bench *b, struct cuc__bench_entry *e)
{
    e->outcome = CUC_BENCH_FAILED;
    e->reason = cuc__bench_keep_error(b);
}

// Run a subject once with the first set and compare the result with its reference.
static void check_entry(cuc_bench_state *state, struct cuc__bench_entry *e)
{
    cuc_bench *b = state->bench;
    const cuc_bench_subject *s = &e->subject;
    cuc_stream *stream = b->gpu.stream;
    char why[512] = "";
    cuc_status st = CUC_OK;

    if (s->unchecked) {
        e->checked = s->unchecked;
        return;
    }
    cuc_error_clear(); // an older error must not explain a failure that records no error
    for (cuc_bench_input *input = state->inputs; input && st >= 0; input = input->next)
        if (input->result)
            st = cuc__bench_input_spoil(input);
    if (st >= 0 && s->prepare)
        st = s->prepare(s->data, stream, 0);
    if (st >= 0 && s->run)
        st = s->run(s->data, stream, 0);
    if (st >= 0 && stream)
        st = cuc_stream_synchronize(stream);
    if (st >= 0)
        st = s->check(s->data, stream, why, sizeof(why));
    why[sizeof(why) - 1] = '\0';
    if (st == CUC_OK) {
        e->checked = "passed";
    } else if (st < 0) {
        fail_entry(b, e);
    } else {
        e->outcome = CUC_BENCH_FAILED;
        e->reason = cuc__bench_keep_format(&b->texts, "the check failed: %s",
                                           *why ? why : "no reason given");
    }
}

// Return the modes in which a subject is timed.
static uint32_t modes_of(const cuc_bench *b, const cuc_bench_subject *s)
{
    static const uint32_t able[] = {
        [CUC_BENCH_KIND_GPU] = CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH | CUC_BENCH_CPU,
        [CUC_BENCH_KIND_CPU] = CUC_BENCH_CPU,
        [CUC_BENCH_KIND_FOREIGN] = CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH | CUC_BENCH_CPU,
    };
    uint32_t given = s->modes ? s->modes : b->point->bench_case->modes;

    if (!s->modes && s->kind == CUC_BENCH_KIND_FOREIGN)
        given = CUC_BENCH_COLD;
    if (!given)
        given = s->kind == CUC_BENCH_KIND_CPU ? CUC_BENCH_CPU : CUC_BENCH_COLD;
    given &= able[s->kind];
    if (s->flags & (CUC_BENCH_SYNCHRONISES | CUC_BENCH_NO_CAPTURE))
        given &= ~(uint32_t)CUC_BENCH_GRAPH;
    return b->options.modes ? given & b->options.modes : given;
}

static cuc_status tell_untimed(cuc_bench *b, const struct cuc__bench_entry *e, uint32_t mode)
{
    cuc_bench_result r = cuc__bench_no_result(b);

    r.subject = e->subject.name;
    r.kind = e->subject.kind;
    r.mode = mode;
    r.outcome = e->outcome;
    r.reason = e->reason;
    r.checked = e->checked;
    r.figures = e->subject.figures;
    r.figure_count = e->subject.figure_count;
    return cuc__bench_add_result(b, &r, NULL, 0);
}

// Derive throughput and its share of a peak.
static void derive_rates(cuc_bench *b, cuc_bench_result *r, const cuc_bench_work *w)
{
    const struct rate {
        double work, *total, *rate;
    } rates[] = {
        [CUC_BENCH_PER_BYTES] = { w->bytes, &r->bytes, &r->bytes_per_s },
        [CUC_BENCH_PER_FLOP] = { w->flop, &r->flop, &r->flop_per_s },
        [CUC_BENCH_PER_ITEMS] = { w->items, &r->items, &r->items_per_s },
    };
    cuc_bench_peak peak = CUC_BENCH_PEAK_INIT;

    for (size_t i = 0; i < CUC_LENGTH(rates); i++) {
        if (rates[i].work > 0)
            *rates[i].total = rates[i].work;
        if (rates[i].work > 0 && r->median_s > 0)
            *rates[i].rate = rates[i].work / r->median_s;
    }
    if (w->items > 0)
        r->item = w->item;
    // Host call time says nothing about device utilization.
    if (!w->peak || !*w->peak || !b->gpu.device || b->gpu.simulated || r->mode == CUC_BENCH_CPU ||
        cuc_bench_get_peak(&peak, b, w->peak) < 0)
        return;
    r->peak_name = peak.name;
    r->peak_source = peak.source;
    r->peak = peak.value;
    r->share = *rates[peak.per].rate / peak.value;
}

// Return whether too many samples were discarded to trust the others.
static bool is_disturbed(uint64_t discarded, size_t count)
{
    return 3 * discarded > count;
}

static cuc_status compare(cuc_bench *b, cuc_bench_result *r, const struct cuc__bench_track *t,
                          const double *seconds, const struct cuc__bench_track *peer)
{
    cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;
    cuc_bench_thresholds thresholds = CUC_BENCH_THRESHOLDS_INIT;
    size_t pairs = t->count < peer->count ? t->count : peer->count;
    uint64_t discarded;
    double *other = malloc((peer->count + 1) * sizeof(*other));

    if (!other)
        return BENCH_NO_MEMORY("the peer's samples");
    thresholds.same_within = b->options.same_within;
    thresholds.noise_floor = b->options.noise_floor;
    cuc_status st =
        cuc__bench_track_times(peer, b->options.throttle_below, other, NULL, &discarded, NULL);
    r->peer = peer->entry->subject.name;
    if (st >= 0 && cuc_bench_compare_pairs(&c, seconds, other, pairs, &thresholds) >= 0) {
        r->ratio = c.ratio;
        r->ratio_low = c.low;
        r->ratio_high = c.high;
        r->verdict = r->disturbed || is_disturbed(discarded, peer->count) ? CUC_BENCH_UNSURE
                                                                          : c.verdict;
    }
    free(other);
    return st;
}

// Compute the figures of a track's samples.
static cuc_status summarise(cuc_bench_result *r, const struct cuc__bench_track *t,
                            const double *seconds, const double *cpu_seconds)
{
    cuc_bench_summary s = CUC_BENCH_SUMMARY_INIT, cpu = CUC_BENCH_SUMMARY_INIT;
    cuc_status st = cuc_bench_summarise(&s, seconds, t->count);

    if (st < 0)
        return st;
    r->samples = s.count;
    r->median_s = s.median;
    r->q1_s = s.q1;
    r->q3_s = s.q3;
    r->min_s = s.min;
    r->mean_s = s.mean;
    r->ci_low_s = s.ci_low;
    r->ci_high_s = s.ci_high;
    r->noise = s.noise;
    if (t->entry->subject.kind == CUC_BENCH_KIND_GPU && t->trial.mode != CUC_BENCH_CPU) {
        if ((st = cuc_bench_summarise(&cpu, cpu_seconds, t->count)) < 0)
            return st;
        r->cpu_median_s = cpu.median;
    }
    r->batch = t->trial.batch;
    r->stopped = t->stopped;
    if (t->entry->subject.limit > 0)
        r->limit = t->entry->subject.limit;
    return CUC_OK;
}

static cuc_status tell_track(cuc_bench_state *state, const struct cuc__bench_track *t,
                             const struct cuc__bench_track *peer)
{
    cuc_bench *b = state->bench;
    cuc_bench_result r = cuc__bench_no_result(b);
    double *seconds = malloc((t->count + 1) * sizeof(*seconds));
    double *cpu_seconds = malloc((t->count + 1) * sizeof(*cpu_seconds));
    cuc_status st = seconds && cpu_seconds ? CUC_OK : BENCH_NO_MEMORY("a result");

    r.subject = t->entry->subject.name;
    r.kind = t->entry->subject.kind;
    r.mode = t->trial.mode;
    r.outcome = CUC_BENCH_MEASURED;
    r.checked = t->entry->checked;
    r.figures = t->entry->subject.figures;
    r.figure_count = t->entry->subject.figure_count;
    if (st >= 0)
        st = cuc__bench_track_times(t, b->options.throttle_below, seconds, cpu_seconds,
                                    &r.discarded, &r.sm_mhz);
    if (st >= 0)
        st = summarise(&r, t, seconds, cpu_seconds);
    r.disturbed = is_disturbed(r.discarded, t->count);
    free(cpu_seconds);
    if (st >= 0 && !(r.median_s > 0)) {
        free(seconds);
        t->entry->outcome = CUC_BENCH_FAILED;
        t->entry->reason = "it takes less time than the timer resolves: time a batch (hot, graph)";
        return tell_untimed(b, t->entry, t->trial.mode);
    }
    if (st >= 0 && peer && peer != t && peer->count)
        st = compare(b, &r, t, seconds, peer);
    if (st < 0) {
        free(seconds);
        return st;
    }
    if (!(r.sm_mhz > 0))
        r.sm_mhz = NAN;
    if (r.samples == t->count)
        r.discarded = 0; // the clock was low in every sample, so none was discarded
    derive_rates(b, &r, &state->work);
    return cuc__bench_add_result(b, &r, seconds, t->count);
}

static cuc_status measure_mode(cuc_bench_state *state, struct cuc__bench_track *tracks,
                               uint32_t mode)
{
    cuc_bench *b = state->bench;
    const struct cuc__bench_track *peer = NULL;
    size_t count = 0;
    cuc_status st;

    for (size_t i = 0; i < state->entry_count; i++) {
        struct cuc__bench_entry *e = &state->entries[i];
        if (e->reason || !(modes_of(b, &e->subject) & mode))
            continue;
        struct cuc__bench_track *t = &tracks[count++];
        *t = (struct cuc__bench_track){ .entry = e };
        cuc_error_clear();
        if (cuc__bench_trial_begin(&t->trial, cuc__bench_gpu_of(b), &e->subject, mode) < 0)
            fail_entry(b, e);
    }
    st = count ? cuc__bench_rounds(b, tracks, count) : CUC_OK;
    for (size_t i = 0; i < count; i++)
        if ((tracks[i].entry->subject.flags & CUC_BENCH_PEER) && !tracks[i].entry->reason)
            peer = &tracks[i];
    for (size_t i = 0; i < count && st >= 0; i++) {
        struct cuc__bench_track *t = &tracks[i];
        if (t->entry->reason)
            st = tell_untimed(b, t->entry, mode);
        else if (t->count)
            st = tell_track(state, t, peer);
    }
    for (size_t i = 0; i < count; i++)
        cuc__bench_track_release(&tracks[i]);
    return st;
}

cuc_status cuc__bench_measure(cuc_bench_state *s)
{
    static const uint32_t modes[] = { CUC_BENCH_COLD, CUC_BENCH_HOT, CUC_BENCH_GRAPH,
                                      CUC_BENCH_CPU };
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < s->entry_count && st >= 0; i++) {
        struct cuc__bench_entry *e = &s->entries[i];
        if (!e->reason)
            check_entry(s, e);
        if (e->reason)
            st = tell_untimed(s->bench, e, 0);
    }
    struct cuc__bench_track *tracks = calloc(s->entry_count + 1, sizeof(*tracks));
    if (!tracks)
        return BENCH_NO_MEMORY("the subjects");
    for (size_t i = 0; i < CUC_LENGTH(modes) && st >= 0 && !s->bench->cancelled; i++)
        st = measure_mode(s, tracks, modes[i]);
    free(tracks);
    return st;
}
