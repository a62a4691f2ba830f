// Two files of results, result by result: what has become faster or slower.
#ifndef CUCORE_TOOLS_RESULTS_COMPARE_H
#define CUCORE_TOOLS_RESULTS_COMPARE_H

#include "results.h"

// X(constant, what it is called)
#define COMPARE_VERDICTS(X)            \
    X(COMPARE_SAME, "SAME")            \
    X(COMPARE_FASTER, "FASTER")        \
    X(COMPARE_SLOWER, "SLOWER")        \
    X(COMPARE_UNSURE, "UNSURE")        \
    X(COMPARE_ONLY_OLD, "only in OLD") \
    X(COMPARE_ONLY_NEW, "only in NEW")

typedef enum compare_verdict {
#define COMPARE_ENUM(constant, name) constant,
    COMPARE_VERDICTS(COMPARE_ENUM)
#undef COMPARE_ENUM
        COMPARE_VERDICT_COUNT
} compare_verdict;

extern const char *const compare_verdict_names[COMPARE_VERDICT_COUNT];

typedef struct comparison {
    const result *before; // NULL: only in NEW
    const result *after;  // NULL: only in OLD
    compare_verdict verdict;
    double ratio; // of the times, after / before; NAN where there are not two
    double low;   // its 95 % confidence interval; NAN where there is none
    double high;
    char why[160]; // of UNSURE and of what is only in one
} comparison;

typedef struct comparisons {
    comparison *list; // in the order of NEW, then what is only in OLD
    size_t count;
    size_t counts[COMPARE_VERDICT_COUNT];
    size_t absent; // without a time in both files; not in the list
    size_t failed; // of those in the list: measured in OLD, and failed in NEW
} comparisons;

// The one of the two that says what was compared.
const result *comparison_shown(const comparison *c);

// `threshold` is the least change of a time that counts, as a fraction: 0.01. False when a file has
// the same result twice, one is simulated and the other is not, or no result has a time in both.
bool compare_results(comparisons *out, const results *before, const results *after,
                     double threshold, cli_why *why);
void comparisons_release(comparisons *c);

// False when both know their GPU, and it is not the same: what changed is the machine then.
bool compare_same_gpu(const results *before, const results *after, cli_why *why);

// In what the two runs differ, beside the code that was measured.
typedef struct difference {
    const char *what; // "driver"
    char before[64];
    char after[64];
} difference;

enum { COMPARE_MAX_DIFFERENCES = 16 };

size_t compare_machines(difference out[COMPARE_MAX_DIFFERENCES], const results *before,
                        const results *after);

#endif
