// A child process that measures. Each request is a JSON object on a line of its standard input, and
// each answer is a JSON object on a line of its standard output. An answer uses the keys of a
// result in the schema cucore-bench/1 where they apply:
//
//   {"do": "point", "suite": .., "case": .., "axes": {..}, "seed": "0", "mode": "cold", ..}
//       prepare a point, replacing the previous one
//       -> {} or {"checked": "nothing to check: why", "items": .., "figures": {..}},
//          {"skipped": why}, {"failed": why}; beside "skipped", "everywhere": true says that all
//          other points would be skipped too
//   {"do": "check"}
//       compare the results of a run with a reference
//       -> {"checked": "passed"} or {"failed": why}
//   {"do": "sample", "set": 7}
//       take one sample
//       -> {"raw_s": [seconds]} or {"failed": why}
//
// The child exits at the end of its input.
#ifndef CUCORE_BENCH_CASES_CHILD_H
#define CUCORE_BENCH_CASES_CHILD_H

#include <cucore/base.h>

#include <jansson.h>

typedef struct bench_child bench_child;

// Start a program with `argv` as for exec, searching PATH for argv[0]. If argv[0] is "", start this
// program itself. `changes` are environment variables "NAME=value", NULL-terminated, or NULL.
// `name` identifies the child in messages.
cuc_status bench_child_start(bench_child **out, const char *name, const char *const *argv,
                             const char *const *changes);

// Send a request and wait for the answer, an object the caller must release. The call takes over
// the reference to the request.
cuc_status bench_child_ask(json_t **answer, bench_child *child, json_t *request, double timeout_s);

// Make the child exit, or kill it. Accepts NULL. Takes a void * so that a point can defer the call.
void bench_child_end(void *child);

// Return the answer's reason under the key "skipped" or "failed"; NULL if absent.
const char *bench_answer(const json_t *answer, const char *key);

#endif
