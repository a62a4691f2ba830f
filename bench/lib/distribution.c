// Summarizes cases whose points are drawn from a distribution. A speedup is the peer's time divided
// by the subject's, the inverse of a result's ratio; a low speedup means a bad point.
#include "json.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOWEST = 10 }; // points listed by name

// One subject of a case, over all its points.
struct sample {
    const cuc_bench_result *first; // any of its results
    const char *peer;
    const struct cuc__bench_record **compared; // [count], sorted by speedup from the lowest
    double *speedups;                          // [count], in the same order
    size_t count, measured, failed, skipped;
};

static bool is_drawn(const struct cuc__bench_record *r)
{
    return (r->point->bench_case->flags & CUC_BENCH_CASE_DISTRIBUTION) != 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static bool same_case(const struct cuc__bench_record *a, const struct cuc__bench_record *b)
{
    return a->point->bench_case == b->point->bench_case;
}

static bool is_peer(const cuc_bench *b, const struct cuc__bench_record *r)
{
    for (size_t i = 0; i < b->record_count; i++)
        if (same_case(&b->records[i], r) && same_text(b->records[i].result.peer, r->result.subject))
            return true;
    return false;
}

// Return whether the record is the first one of a subject that the summary includes: the result is
// measured or failed, and the subject is not a peer.
static bool begins(const cuc_bench *b, size_t index)
{
    const struct cuc__bench_record *r = &b->records[index];

    if (!is_drawn(r) || !r->result.subject || r->result.outcome == CUC_BENCH_SKIPPED ||
        is_peer(b, r))
        return false;
    for (size_t i = 0; i < index; i++)
        if (same_case(&b->records[i], r) && b->records[i].result.outcome != CUC_BENCH_SKIPPED &&
            same_text(b->records[i].result.subject, r->result.subject))
            return false;
    return true;
}

static int by_speedup(const void *a, const void *b)
{
    const struct cuc__bench_record *x = *(const struct cuc__bench_record *const *)a;
    const struct cuc__bench_record *y = *(const struct cuc__bench_record *const *)b;

    return (x->result.ratio < y->result.ratio) - (x->result.ratio > y->result.ratio);
}

static void collect(struct sample *s, const cuc_bench *b, size_t begin)
{
    const struct cuc__bench_record *first = &b->records[begin];

    s->first = &first->result;
    for (size_t i = 0; i < b->record_count; i++) {
        const struct cuc__bench_record *one = &b->records[i];
        const cuc_bench_result *r = &one->result;
        // A result without a subject is that of the point as a whole.
        if (!same_case(one, first) || (r->subject && strcmp(r->subject, s->first->subject) != 0))
            continue;
        s->measured += r->outcome == CUC_BENCH_MEASURED;
        s->failed += r->outcome == CUC_BENCH_FAILED;
        s->skipped += r->outcome == CUC_BENCH_SKIPPED;
        if (r->outcome == CUC_BENCH_MEASURED && r->ratio > 0) {
            s->peer = r->peer;
            s->compared[s->count++] = one;
        }
    }
    qsort(s->compared, s->count, sizeof(const struct cuc__bench_record *), by_speedup);
    for (size_t i = 0; i < s->count; i++)
        s->speedups[i] = 1 / s->compared[i]->result.ratio;
}

// Return the peer's time at a point; NaN if unknown.
static double peer_time(const cuc_bench *b, const struct cuc__bench_record *of)
{
    for (size_t i = 0; i < b->record_count; i++) {
        const struct cuc__bench_record *one = &b->records[i];
        if (one->point == of->point && one->result.mode == of->result.mode &&
            same_text(one->result.subject, of->result.peer))
            return one->result.median_s;
    }
    return NAN;
}

static json_t *point_of(const cuc_bench *b, const struct cuc__bench_record *record)
{
    const cuc_bench_result *r = &record->result;
    json_t *to = json_object();
    bool ok = to && json_object_set_new(to, "axes", cuc__bench_axes(record->point)) == 0 &&
              cuc__bench_set_text(to, "mode", cuc_bench_mode_name(r->mode)) &&
              cuc__bench_set_number(to, "median_s", r->median_s) &&
              cuc__bench_set_number(to, "peer_s", peer_time(b, record)) &&
              cuc__bench_set_number(to, "speedup", 1 / r->ratio) && cuc__bench_set_figures(to, r);

    if (ok)
        return to;
    json_decref(to);
    return NULL;
}

static bool set_statistics(json_t *to, const struct sample *s)
{
    double sum = 0, squares = 0, n = (double)s->count;

    if (!s->count)
        return true;
    for (size_t i = 0; i < s->count; i++)
        sum += log(s->speedups[i]);
    for (size_t i = 0; i < s->count; i++)
        squares += pow(log(s->speedups[i]) - sum / n, 2);
    return cuc__bench_set_number(to, "geomean", exp(sum / n)) &&
           cuc__bench_set_number(to, "log_sd", s->count > 1 ? sqrt(squares / (n - 1)) : NAN) &&
           cuc__bench_set_number(to, "p5", cuc__bench_quantile(s->speedups, s->count, 0.05)) &&
           cuc__bench_set_number(to, "median", cuc__bench_quantile(s->speedups, s->count, 0.5)) &&
           cuc__bench_set_number(to, "worst", s->speedups[0]);
}

static json_t *summary_of(const cuc_bench *b, const struct sample *s)
{
    json_t *to = json_object(), *lowest = json_array();
    bool ok = to && cuc__bench_set_text(to, "suite", s->first->suite) &&
              cuc__bench_set_text(to, "case", s->first->name) &&
              cuc__bench_set_text(to, "subject", s->first->subject) &&
              cuc__bench_set_text(to, "peer", s->peer) &&
              cuc__bench_set_count(to, "points", s->count) &&
              cuc__bench_set_count(to, "measured", s->measured) &&
              cuc__bench_set_count(to, "failed", s->failed) &&
              cuc__bench_set_count(to, "skipped", s->skipped) && set_statistics(to, s);

    for (size_t i = 0; i < s->count && i < LOWEST && ok; i++)
        ok = json_array_append_new(lowest, point_of(b, s->compared[i])) == 0;
    if (json_object_set_new(to, "lowest", lowest) == 0 && ok)
        return to;
    json_decref(to);
    return NULL;
}

json_t *cuc__bench_distributions(const cuc_bench *b)
{
    struct sample s = { 0 };
    json_t *to = json_array();

    s.compared = calloc(b->record_count + 1, sizeof(const struct cuc__bench_record *));
    s.speedups = calloc(b->record_count + 1, sizeof(*s.speedups));
    bool ok = to && s.compared && s.speedups;
    for (size_t i = 0; i < b->record_count && ok; i++) {
        if (!begins(b, i))
            continue;
        s = (struct sample){ .compared = s.compared, .speedups = s.speedups };
        collect(&s, b, i);
        ok = json_array_append_new(to, summary_of(b, &s)) == 0;
    }
    free(s.compared);
    free(s.speedups);
    if (ok)
        return to;
    json_decref(to);
    return NULL;
}
