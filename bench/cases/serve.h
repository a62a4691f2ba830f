// The child's side of the protocol in child.h: a process that measures on request.
#ifndef CUCORE_BENCH_CASES_SERVE_H
#define CUCORE_BENCH_CASES_SERVE_H

#include <cucore/base.h>

#include <jansson.h>

// Callbacks of a suite's child processes (`cucore bench --serve SUITE`). If one returns a negative
// status, the thread's last error is the reason.
typedef struct bench_service {
    // Create the point that a request names, and add fields to `answer`.
    cuc_status (*point)(void **out, const json_t *request, json_t *answer);
    // Return 1 with `why` on a wrong result, like a subject's check. NULL: nothing to check.
    cuc_status (*check)(void *point, char *why, size_t why_size);
    cuc_status (*sample)(void *point, uint64_t set, double *seconds);
    void (*drop)(void *point);
} bench_service;

// Answer requests on standard input until it ends; returns an exit status.
int bench_serve(const bench_service *service);

#endif
