#include "results_compare.h"

#include "base/array.h"
#include "interval.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const compare_verdict_names[COMPARE_VERDICT_COUNT] = {
#define COMPARE_NAME(constant, name) name,
    COMPARE_VERDICTS(COMPARE_NAME)
#undef COMPARE_NAME
};

// Return why there is no time; NULL if there is one.
static const char *absent(const result *r)
{
    return r->skipped ? r->skipped : r->failed;
}

// ---- Comparison of two results

static bool interval_of_result(interval *out, const result *r)
{
    if (interval_of_samples(out, r->raw_s, r->raw_count))
        return true;
    // With fewer samples, the interval fields hold the minimum and maximum.
    bool few = r->samples >= 0 && r->samples < INTERVAL_LEAST_SAMPLES;
    *out = (interval){ .median = r->median_s, .low = r->ci_low_s, .high = r->ci_high_s };
    return !few && r->ci_low_s > 0 && r->ci_low_s <= r->median_s && r->ci_high_s >= r->median_s;
}

// Return half the interquartile range of the samples as a fraction of the median. Medians vary
// between runs for the same reasons that samples vary within a run: temperature, clocks, memory
// placement.
static double spread(const result *r)
{
    double half = (r->q3_s - r->q1_s) / 2 / r->median_s;

    return half > 0 ? half : 0; // this is false for NAN
}

static void unsure(comparison *c, const char *why)
{
    c->verdict = COMPARE_UNSURE;
    snprintf(c->why, sizeof(c->why), "%s", why);
}

static void judge(comparison *c, double threshold)
{
    interval before, after;
    bool known_before = interval_of_result(&before, c->before);
    bool known_after = interval_of_result(&after, c->after);
    char text[UNITS_SIZE];

    c->ratio = after.median / before.median;
    if (!known_before || !known_after) {
        unsure(c,
               known_before ? "NEW has no confidence interval" : "OLD has no confidence interval");
        return;
    }
    interval ratio = interval_of_ratio(&before, &after);
    double change = fabs(log(ratio.median));
    double noise = fmax(spread(c->before), spread(c->after));
    c->low = ratio.low;
    c->high = ratio.high;
    if (c->before->disturbed || c->after->disturbed) {
        unsure(c, c->before->disturbed ? "OLD was disturbed" : "NEW was disturbed");
    } else if (ratio.low >= 1 / (1 + threshold) && ratio.high <= 1 + threshold) {
        c->verdict = COMPARE_SAME;
    } else if (ratio.low <= 1 && ratio.high >= 1) {
        unsure(c, "the interval has 1 in it, and is too wide to say same");
    } else if (change <= log1p(threshold)) {
        unsure(c, "the change may be below the threshold");
    } else if (change <= log1p(noise)) {
        snprintf(c->why, sizeof(c->why), "within %s, the spread of samples in one run",
                 units_plus_minus(text, noise));
        c->verdict = COMPARE_UNSURE;
    } else {
        c->verdict = ratio.median < 1 ? COMPARE_FASTER : COMPARE_SLOWER;
    }
}

static void compare_pair(comparison *c, double threshold)
{
    const result *before = c->before && !absent(c->before) ? c->before : NULL;
    const result *after = c->after && !absent(c->after) ? c->after : NULL;

    c->ratio = c->low = c->high = (double)NAN;
    if (before && after) {
        judge(c, threshold);
        return;
    }
    const result *other = before ? c->after : c->before;
    c->verdict = before ? COMPARE_ONLY_OLD : COMPARE_ONLY_NEW;
    if (other)
        snprintf(c->why, sizeof(c->why), "%s in %s: %s", other->skipped ? "skipped" : "failed",
                 before ? "NEW" : "OLD", absent(other));
}

// ---- Matching of results

// The results of a file sorted by key.
typedef struct sorted {
    const result **list;
    size_t count;
} sorted;

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const result *const *)a)->key, (*(const result *const *)b)->key);
}

static bool sort_results(sorted *out, const results *r, cli_why *why)
{
    *out = (sorted){ .list = cli_allocate(r->count * sizeof(*out->list)), .count = r->count };
    for (size_t i = 0; i < r->count; i++)
        out->list[i] = &r->list[i];
    qsort(out->list, out->count, sizeof(*out->list), by_key);
    for (size_t i = 1; i < out->count; i++)
        if (by_key(&out->list[i - 1], &out->list[i]) == 0)
            return cli_because(why, "%s has '%s' twice", r->path, out->list[i]->key);
    return true;
}

static const result *find(const sorted *in, const result *r)
{
    const result **found = bsearch(&r, in->list, in->count, sizeof(*in->list), by_key);

    return found ? *found : NULL;
}

// Return the entry that explains a missing result; NULL if there is none. An entry that was skipped
// or failed before timing has no mode; an entry for a whole point has no subject.
static const result *find_untimed(const results *in, const char *key)
{
    for (size_t i = 0; i < in->count; i++) {
        size_t length = strlen(in->list[i].key);
        if (absent(&in->list[i]) && strncmp(in->list[i].key, key, length) == 0 &&
            strncmp(key + length, " / ", 3) == 0)
            return &in->list[i];
    }
    return NULL;
}

const result *comparison_shown(const comparison *c)
{
    return c->after && c->verdict != COMPARE_ONLY_OLD ? c->after : c->before;
}

static void add(comparisons *all, const result *before, const result *after, double threshold)
{
    comparison *c = &all->list[all->count];

    if ((!before || absent(before)) && (!after || absent(after))) {
        all->absent++;
        return;
    }
    c->before = before;
    c->after = after;
    compare_pair(c, threshold);
    all->failed += c->verdict == COMPARE_ONLY_OLD && after && after->failed;
    all->counts[c->verdict]++;
    all->count++;
}

// ---- Drawn cases

static bool is_drawn(const results *in, const result *r)
{
    return results_summary(in, r, NULL) != NULL;
}

static bool is_of(const result *r, const summary *s)
{
    return r->subject && r->ratio > 0 && strcmp(r->suite, s->suite) == 0 &&
           strcmp(r->name, s->name) == 0 && strcmp(r->subject, s->subject) == 0;
}

// Over the points in both files, sum the changes of the logarithm of the speedup, and their
// squares; return the number of points.
static int64_t sum_changes(double sums[2], const summary *s, const results *before,
                           const sorted *after)
{
    int64_t pairs = 0;

    sums[0] = sums[1] = 0;
    for (size_t i = 0; i < before->count; i++) {
        const result *old = &before->list[i], *new = is_of(old, s) ? find(after, old) : NULL;
        if (!new || !(new->ratio > 0))
            continue;
        double change = log(old->ratio / new->ratio);
        sums[0] += change;
        sums[1] += change * change;
        pairs++;
    }
    return pairs;
}

static void judge_summary(summary_comparison *c, const results *before, const sorted *after,
                          double threshold)
{
    const summary *old = c->before, *new = c->after;
    double sums[2], n = (double)new->points, error;
    int64_t pairs = sum_changes(sums, old, before, after);

    c->paired = pairs == old->points && pairs == new->points;
    c->ratio = new->geomean / old->geomean;
    if (c->paired)
        error = sqrt(fmax(0, sums[1] - sums[0] * sums[0] / n) / (n - 1) / n);
    else
        error = hypot(old->log_sd / sqrt((double)old->points), new->log_sd / sqrt(n));
    c->low = c->ratio * exp(-1.96 * error);
    c->high = c->ratio * exp(1.96 * error);
    c->verdict = COMPARE_UNSURE;
    if (old->points < INTERVAL_LEAST_SAMPLES || new->points < INTERVAL_LEAST_SAMPLES)
        snprintf(c->why, sizeof(c->why), "fewer than %d points", INTERVAL_LEAST_SAMPLES);
    else if (c->low >= 1 / (1 + threshold) && c->high <= 1 + threshold)
        c->verdict = COMPARE_SAME;
    else if (c->low <= 1 && c->high >= 1)
        snprintf(c->why, sizeof(c->why), "the interval has 1 in it%s",
                 c->paired ? "" : ": the same --seed compares the same points");
    else if (fabs(log(c->ratio)) <= log1p(threshold))
        snprintf(c->why, sizeof(c->why), "the change may be below the threshold");
    else
        c->verdict = c->ratio > 1 ? COMPARE_FASTER : COMPARE_SLOWER;
}

static void compare_summaries(comparisons *all, const results *before, const results *after,
                              const sorted *new_ones, double threshold)
{
    all->summaries = cli_allocate(after->summary_count * sizeof(*all->summaries));
    for (size_t i = 0; i < after->summary_count; i++)
        for (size_t j = 0; j < before->summary_count; j++) {
            const summary *old = &before->summaries[j], *new = &after->summaries[i];
            if (!old->points || !new->points || strcmp(old->suite, new->suite) != 0 ||
                strcmp(old->name, new->name) != 0 || strcmp(old->subject, new->subject) != 0)
                continue;
            summary_comparison *c = &all->summaries[all->summary_count++];
            *c = (summary_comparison){ .before = old, .after = new };
            judge_summary(c, before, new_ones, threshold);
            all->counts[c->verdict]++;
            break;
        }
}

bool compare_results(comparisons *out, const results *before, const results *after,
                     double threshold, cli_why *why)
{
    comparisons all = { 0 };
    sorted old_ones = { 0 }, new_ones = { 0 };
    bool ok = false;

    if (before->simulated != after->simulated)
        return cli_because(why, "%s is simulated and %s is not: their times do not compare",
                           before->simulated ? before->path : after->path,
                           before->simulated ? after->path : before->path);
    if (!sort_results(&old_ones, before, why) || !sort_results(&new_ones, after, why))
        goto done;
    all.list = cli_allocate((before->count + after->count) * sizeof(*all.list));
    for (size_t i = 0; i < after->count; i++)
        if (!is_drawn(after, &after->list[i]))
            add(&all, find(&old_ones, &after->list[i]), &after->list[i], threshold);
    for (size_t i = 0; i < before->count; i++)
        if (!is_drawn(before, &before->list[i]) && !find(&new_ones, &before->list[i]))
            add(&all, &before->list[i], find_untimed(after, before->list[i].key), threshold);
    compare_summaries(&all, before, after, &new_ones, threshold);
    ok = all.summary_count ||
         all.count > all.counts[COMPARE_ONLY_OLD] + all.counts[COMPARE_ONLY_NEW] ||
         cli_because(why, "%s and %s have no result in common", before->path, after->path);
done:
    free(old_ones.list);
    free(new_ones.list);
    if (ok)
        *out = all;
    else
        comparisons_release(&all);
    return ok;
}

void comparisons_release(comparisons *c)
{
    free(c->list);
    free(c->summaries);
    *c = (comparisons){ 0 };
}

// ---- The machines

static const struct {
    const char *what;
    const char *at;
    double tolerance; // for a number, as a fraction
} machine_values[] = {
    { "gpu", "machine.gpu", 0 },
    { "arch", "machine.arch", 0 },
    { "SMs", "machine.sms", 0 },
    { "memory", "machine.memory_bytes", 0.01 },
    { "driver", "machine.driver", 0 },
    { "kernel driver", "machine.kernel_driver", 0 },
    { "toolkit", "machine.toolkit", 0 },
    { "NVRTC", "machine.nvrtc", 0 },
    { "cucore", "machine.cucore", 0 },
    { "cpu", "machine.cpu", 0 },
    { "cores", "machine.cores", 0 },
    { "SM clock", "machine.clocks.sm_mhz.median", 0.01 },
    { "memory clock", "machine.clocks.memory_mhz", 0.01 },
    { "throttling", "machine.throttle", 0 },
    { "commit", "commit", 0 },
};

_Static_assert(CUC_LENGTH(machine_values) <= COMPARE_MAX_DIFFERENCES,
               "every difference has its place");

static bool differ(json_t *a, json_t *b, double tolerance)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) > tolerance * fmax(fabs(x), fabs(y));
    }
    return !(a == b || json_equal(a, b));
}

static void value_text(char out[64], json_t *value)
{
    char number[64];

    if (json_is_array(value)) {
        size_t used = 0;
        for (size_t i = 0; i < json_array_size(value) && used < 64; i++)
            used += (size_t)snprintf(
                out + used, 64 - used, "%s%s", i ? ", " : "",
                results_axis_text(number, sizeof(number), json_array_get(value, i)));
        if (!used)
            snprintf(out, 64, "none");
    } else {
        snprintf(out, 64, "%s",
                 value && !json_is_null(value) ? results_axis_text(number, sizeof(number), value)
                                               : "unknown");
    }
}

bool compare_same_gpu(const results *before, const results *after, cli_why *why)
{
    static const char *const at[] = { "machine.gpu", "machine.arch", "machine.sms" };
    char old_text[64], new_text[64];

    for (size_t i = 0; i < CUC_LENGTH(at); i++) {
        json_t *a = results_at(before->root, at[i]), *b = results_at(after->root, at[i]);
        if (!a || !b || json_equal(a, b))
            continue;
        value_text(old_text, a);
        value_text(new_text, b);
        return cli_because(why,
                           "%s and %s are of different GPUs (%s is %s and %s): their times show "
                           "the difference of the GPUs, not a change; --force compares them anyway",
                           before->path, after->path, at[i] + strlen("machine."), old_text,
                           new_text);
    }
    return true;
}

size_t compare_machines(difference out[COMPARE_MAX_DIFFERENCES], const results *before,
                        const results *after)
{
    size_t n = 0;

    for (size_t i = 0; i < CUC_LENGTH(machine_values); i++) {
        json_t *a = results_at(before->root, machine_values[i].at);
        json_t *b = results_at(after->root, machine_values[i].at);
        if (!differ(a, b, machine_values[i].tolerance))
            continue;
        out[n].what = machine_values[i].what;
        value_text(out[n].before, a);
        value_text(out[n++].after, b);
    }
    return n;
}
