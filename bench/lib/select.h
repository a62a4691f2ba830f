// Computes the points of the selected cases before any of them runs.
#ifndef CUCORE_BENCH_LIB_SELECT_H
#define CUCORE_BENCH_LIB_SELECT_H

#include "session.h"

struct cuc__bench_plan {
    struct cuc__bench_planned {
        size_t index;                   // of the case in the session
        struct cuc__bench_values *axes; // values of each of its axes
        size_t points;
    } * cases;
    size_t case_count, case_capacity, point_count;
};

cuc_status cuc__bench_plan(struct cuc__bench_plan *out, const cuc_bench *b,
                           const cuc_bench_selection *selection, const char *function);
void cuc__bench_plan_release(struct cuc__bench_plan *plan, const cuc_bench *b);

// Return point `number` of a planned case; NULL if out of memory. The caller frees it with free().
struct cuc__bench_point *cuc__bench_plan_point(const cuc_bench *b,
                                               const struct cuc__bench_planned *planned,
                                               size_t number, struct cuc__bench_text **texts);

#endif
