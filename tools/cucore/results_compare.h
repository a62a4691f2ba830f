// Compares two result files and tells which results became faster or slower.
#ifndef CUCORE_TOOLS_RESULTS_COMPARE_H
#define CUCORE_TOOLS_RESULTS_COMPARE_H

#include "results.h"

// X(constant, displayed name)
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
    double ratio; // time ratio after / before; NAN unless both exist
    double low;   // ends of the ratio's 95 % confidence interval; NAN if unknown
    double high;
    char why[160]; // for UNSURE and for results in one file only
} comparison;

// Compares two runs of a drawn case by the geometric means of a subject's speedups.
typedef struct summary_comparison {
    const summary *before;
    const summary *after;
    bool paired; // both runs have the same points, so each point is compared with itself
    compare_verdict verdict;
    double ratio; // geometric mean after / before; above 1 means faster
    double low;   // ends of its 95 % confidence interval
    double high;
    char why[160]; // for UNSURE
} summary_comparison;

typedef struct comparisons {
    comparison *list; // all but drawn cases: first those in NEW, in its order, then those only in
                      // OLD
    size_t count;
    summary_comparison *summaries; // those in both files, in the order of NEW
    size_t summary_count;
    size_t counts[COMPARE_VERDICT_COUNT];
    size_t absent; // results without a time in both files; not in the list
    size_t failed; // listed results that were measured in OLD and failed in NEW
} comparisons;

// Return the compared result from either file, for the fields that identify it.
const result *comparison_shown(const comparison *c);

// Compare two files. `threshold` is the smallest relevant change of a time, as a fraction: 0.01.
// Returns false if a file has a duplicate result, only one file is simulated, or no result has a
// time in both.
bool compare_results(comparisons *out, const results *before, const results *after,
                     double threshold, cli_why *why);
void comparisons_release(comparisons *c);

// Return false if both files name their GPU and the names differ: the machine changed.
bool compare_same_gpu(const results *before, const results *after, cli_why *why);

// A difference between the two runs other than the measured code.
typedef struct difference {
    const char *what; // "driver"
    char before[64];
    char after[64];
} difference;

enum { COMPARE_MAX_DIFFERENCES = 16 };

size_t compare_machines(difference out[COMPARE_MAX_DIFFERENCES], const results *before,
                        const results *after);

#endif
