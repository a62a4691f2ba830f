// Another process that measures: it is asked by a JSON object on a line of its standard input, and
// answers each by one on a line of its standard output. The keys of an answer are those of a result
// of the schema cucore-bench/1, as far as they say something then:
//
//   {"do": "point", "suite": .., "case": .., "axes": {..}, "seed": "0", "mode": "cold", ..}
//       make what a point takes, instead of the point before
//       -> {} or {"checked": "nothing to check: why", "items": .., "figures": {..}},
//          {"skipped": why}, {"failed": why}; beside "skipped", "everywhere": true says that no
//          other point will fare better
//   {"do": "check"}
//       compare what a run leaves with a reference
//       -> {"checked": "passed"} or {"failed": why}
//   {"do": "sample", "set": 7}
//       take one sample
//       -> {"raw_s": [seconds]} or {"failed": why}
//
// At the end of its input it exits.
#ifndef CUCORE_BENCH_CASES_CHILD_H
#define CUCORE_BENCH_CASES_CHILD_H

#include <cucore/base.h>

#include <jansson.h>

typedef struct bench_child bench_child;

// Start a program: argv as for exec, looked for in PATH, argv[0] "" is this program itself.
// `changes` are variables of its environment, "NAME=value", NULL at the end, or NULL. `name` is
// what failures call it.
cuc_status bench_child_start(bench_child **out, const char *name, const char *const *argv,
                             const char *const *changes);

// Ask and wait for the answer, an object that is the caller's to drop. The request's reference is
// taken over.
cuc_status bench_child_ask(json_t **answer, bench_child *child, json_t *request, double timeout_s);

// Have it exit, or end it. Takes NULL. Of this type so that a point can defer it.
void bench_child_end(void *child);

// What an answer has under a key that says why something is not: "skipped", "failed"; NULL:
// nothing.
const char *bench_answer(const json_t *answer, const char *key);

#endif
