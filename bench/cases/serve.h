// The other end of child.h: what a process that measures for another one does.
#ifndef CUCORE_BENCH_CASES_SERVE_H
#define CUCORE_BENCH_CASES_SERVE_H

#include <cucore/base.h>

#include <jansson.h>

// A suite's own processes (`cucore bench --serve SUITE`). Of each function the thread's last error
// is the reason for a negative status.
typedef struct bench_service {
    // Make what a request names, and write what is to be said of it to `answer`.
    cuc_status (*point)(void **out, const json_t *request, json_t *answer);
    // As of a subject: 1 with `why` when something is wrong. NULL: there is nothing to check.
    cuc_status (*check)(void *point, char *why, size_t why_size);
    cuc_status (*sample)(void *point, uint64_t set, double *seconds);
    void (*drop)(void *point);
} bench_service;

// Answer requests on standard input until it ends; an exit status.
int bench_serve(const bench_service *service);

#endif
