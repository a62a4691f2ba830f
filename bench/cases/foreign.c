#include "foreign.h"

#include <cucore/error.h>

#include <stdio.h>
#include <string.h>

typedef struct foreign {
    bench_child *child;
    char name[64];
} foreign;

// Send a request without further fields; return the child's failure as this function's failure.
static cuc_status ask(json_t **answer, foreign *f, json_t *request)
{
    cuc_status st = bench_child_ask(answer, f->child, request, BENCH_ANSWER_S);
    const char *failed = st < 0 ? NULL : bench_answer(*answer, "failed");

    if (failed) {
        st = bench_fail(CUC_ERROR_IO, "%s: %s", f->name, failed);
        json_decref(*answer);
    }
    return st;
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    foreign *f = data;
    json_t *answer;

    (void)stream;
    cuc_status st =
        bench_child_ask(&answer, f->child, json_pack("{s:s}", "do", "check"), BENCH_ANSWER_S);
    if (st < 0)
        return st;
    const char *failed = bench_answer(answer, "failed");
    const char *checked = bench_answer(answer, "checked");
    if (!checked || strcmp(checked, "passed") != 0) {
        snprintf(why, why_size, "%s", failed ? failed : "it does not say that it passed");
        st = 1;
    }
    json_decref(answer);
    return st;
}

static cuc_status sample(void *data, uint64_t set, double *seconds)
{
    foreign *f = data;
    json_t *answer;
    cuc_status st =
        ask(&answer, f, json_pack("{s:s, s:I}", "do", "sample", "set", (json_int_t)set));

    if (st < 0)
        return st;
    json_t *raw = json_array_get(json_object_get(answer, "raw_s"), 0);
    if (json_is_number(raw))
        *seconds = json_number_value(raw);
    else
        st = bench_fail(CUC_ERROR_IO, "%s answered without \"raw_s\"", f->name);
    json_decref(answer);
    return st;
}

enum { MAX_FIGURES = 16 };

// Read an answer's figures into `out`. The answer keeps ownership of the names.
static size_t read_figures(cuc_bench_figure out[MAX_FIGURES], json_t *answer)
{
    size_t n = 0;
    const char *name;
    json_t *value;

    json_object_foreach(json_object_get(answer, "figures"), name, value)
    {
        if (json_is_number(value) && n < MAX_FIGURES)
            out[n++] = (cuc_bench_figure){ name, json_number_value(value) };
    }
    return n;
}

static cuc_status add(cuc_bench_state *state, const cuc_bench_subject *subject, foreign *f,
                      json_t *answer)
{
    static const char nothing[] = "nothing to check: ";
    const char *checked = bench_answer(answer, "checked");
    cuc_bench_figure figures[MAX_FIGURES];
    cuc_bench_subject s = CUC_BENCH_SUBJECT_INIT;

    s.name = subject->name;
    s.limit = subject->limit;
    s.modes = subject->modes;
    s.flags = subject->flags;
    s.kind = CUC_BENCH_KIND_FOREIGN;
    s.data = f;
    s.sample = sample;
    s.figure_count = read_figures(figures, answer);
    s.figures = s.figure_count ? figures : NULL;
    if (checked && strncmp(checked, nothing, strlen(nothing)) == 0)
        s.unchecked = checked + strlen(nothing);
    else
        s.check = check;
    return cuc_bench_state_add_subject(state, &s);
}

cuc_status bench_foreign_add(cuc_bench_state *state, const cuc_bench_subject *subject,
                             bench_child *child, json_t *point, json_t **answer)
{
    foreign *f = bench_allocate(state, sizeof(*f));
    json_t *got = NULL;

    if (!f) {
        json_decref(point);
        return cuc_error_status();
    }
    f->child = child;
    snprintf(f->name, sizeof(f->name), "%s", subject->name);
    cuc_status st = ask(&got, f, point);
    if (st < 0)
        return st;
    const char *skipped = bench_answer(got, "skipped");
    if (skipped)
        st = cuc_bench_state_skip_subject(state, subject->name, skipped);
    else
        st = add(state, subject, f, got);
    if (st >= 0 && answer)
        *answer = got;
    else
        json_decref(got);
    return st;
}
