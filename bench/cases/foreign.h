// Subjects measured by a child process (child.h).
#ifndef CUCORE_BENCH_CASES_FOREIGN_H
#define CUCORE_BENCH_CASES_FOREIGN_H

#include "child.h"
#include "support.h"

// Maximum number of seconds for the preparation of a point, for a check, or for a sample.
#define BENCH_ANSWER_S 300.0

// Add a subject that `child` measures. The call takes over `point`, the request that prepares the
// subject in the child. It reads name, limit, modes and flags of `subject`. If the child skips the
// point, the subject is skipped too. Unless `answer` is NULL, it receives the child's answer, which
// the caller owns.
cuc_status bench_foreign_add(cuc_bench_state *state, const cuc_bench_subject *subject,
                             bench_child *child, json_t *point, json_t **answer);

#endif
