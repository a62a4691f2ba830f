// Subjects measured by a child process (child.h).
#ifndef CUCORE_BENCH_CASES_FOREIGN_H
#define CUCORE_BENCH_CASES_FOREIGN_H

#include "child.h"
#include "support.h"

// Time limit for preparing a point, a check or a sample.
#define BENCH_ANSWER_S 300.0

// Add a subject that `child` measures; `point`, the request that prepares it there, is taken over.
// Reads name, limit, modes and flags of `subject`. If the child skips the point, so does the
// subject. Unless `answer` is NULL, it receives the child's answer, owned by the caller.
cuc_status bench_foreign_add(cuc_bench_state *state, const cuc_bench_subject *subject,
                             bench_child *child, json_t *point, json_t **answer);

#endif
