// Runs the selected points.
#include "select.h"
#include "state.h"

#include <stdlib.h>

// Report one result for the whole point, without a subject.
static cuc_status tell_whole(cuc_bench *b, int32_t outcome, const char *reason)
{
    cuc_bench_result r = cuc__bench_no_result(b);

    r.outcome = outcome;
    r.reason = reason;
    return cuc__bench_add_result(b, &r, NULL, 0);
}

static cuc_status run_point(cuc_bench *b)
{
    const cuc_bench_case *c = b->point->bench_case;
    cuc_bench_state s = { .bench = b };
    cuc_status st;

    if (!b->gpu.device && !(c->flags & CUC_BENCH_CASE_NO_DEVICE))
        return tell_whole(b, CUC_BENCH_SKIPPED,
                          cuc__bench_keep_format(&b->texts, "no device: %s", b->device_reason));
    // An older error must not explain a setup failure that records no error.
    cuc_error_clear();
    cuc_status made = c->setup(&s, c->data);
    if (s.skipped && made >= 0)
        st = tell_whole(b, CUC_BENCH_SKIPPED, s.skipped);
    else if (s.failed)
        st = tell_whole(b, CUC_BENCH_FAILED, s.failed);
    else if (made < 0)
        st = tell_whole(b, CUC_BENCH_FAILED, cuc__bench_keep_error(b));
    else if (!s.entry_count)
        st = tell_whole(b, CUC_BENCH_FAILED, "setup added no subject");
    else
        st = cuc__bench_measure(&s);
    cuc__bench_state_end(&s);
    return st;
}

static cuc_status run_case(cuc_bench *b, const struct cuc__bench_planned *planned)
{
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < planned->points && st >= 0 && !b->cancelled; i++) {
        struct cuc__bench_point *p = cuc__bench_plan_point(b, planned, i, &b->texts);
        if (!p)
            return cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, "cuc_bench_run",
                                   "no host memory for a point");
        p->next = b->points;
        b->points = p;
        b->point = p;
        cuc__bench_tell_point(b);
        if (!b->cancelled)
            st = run_point(b);
        b->point_index++;
    }
    return st;
}

cuc_status cuc_bench_run(cuc_bench *bench, const cuc_bench_selection *selection)
{
    struct cuc__bench_plan plan;

    BENCH_CHECK_NOT_NULL(bench);
    if (bench->point)
        return BENCH_FAIL(CUC_ERROR_BUSY, "the session is running: a callback cannot run it again");
    cuc_status st = cuc__bench_plan(&plan, bench, selection, __func__);
    if (st < 0)
        return st;
    bench->point_index = 0;
    bench->point_count = plan.point_count;
    bench->cancelled = false;
    for (size_t i = 0; i < plan.case_count && st >= 0 && !bench->cancelled; i++)
        st = run_case(bench, &plan.cases[i]);
    bench->point = NULL;
    cuc__bench_plan_release(&plan, bench);
    return st;
}
