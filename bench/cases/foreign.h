// Subjects that a child process measures (child.h).
#ifndef CUCORE_BENCH_CASES_FOREIGN_H
#define CUCORE_BENCH_CASES_FOREIGN_H

#include "child.h"
#include "support.h"

// How long a child may take to make a point, to check or to take a sample.
#define BENCH_ANSWER_S 300.0

// Add a subject that `child` measures: `point` is the request that makes the point there, taken
// over. Of `subject` are read name, limit, modes and flags. A point that the child cannot make is a
// subject that is skipped. The child's answer goes to `answer` when that is not NULL, and is the
// caller's then.
cuc_status bench_foreign_add(cuc_bench_state *state, const cuc_bench_subject *subject,
                             bench_child *child, json_t *point, json_t **answer);

#endif
