// Meanings and remedies of the error codes of CUDA's libraries, for human readers. Needs no driver.
#ifndef CUCORE_EXPLAIN_EXPLAIN_H
#define CUCORE_EXPLAIN_EXPLAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The `code` of the row that stands for all codes unknown to a library. No library uses it.
#define CUC__EXPLAIN_UNKNOWN INT_MIN

typedef struct cuc__explanation {
    int code;
    const char *symbol;  // as in the library's header, such as "CUDA_ERROR_ILLEGAL_ADDRESS"
    const char *meaning; // one sentence
    const char *remedy;  // one to four short sentences, the usual cause first
    bool sticky;         // the process must be restarted
} cuc__explanation;

// `library` is a CUC_LIBRARY_ value of <cucore/error.h>. CUC_LIBRARY_NONE has no rows here, since
// the texts for a cuc_status are in a list of their own. All rows are static and contain no NULL.

// Returns the row of a code, never NULL: an unknown code or library gets a row that says so, with
// `code` CUC__EXPLAIN_UNKNOWN and a symbol such as "unknown CUresult".
const cuc__explanation *cuc__explain(int library, int code);

// Returns the row of a symbol, ignoring case and with or without the prefix:
// "CUDA_ERROR_NOT_FOUND", "ERROR_NOT_FOUND", "not_found". Full names have precedence. A short name
// that several libraries share means the driver's code first, then those of the others in the order
// of their values. NULL if there is none. `library`, which may be NULL, is set only if a row is
// found.
const cuc__explanation *cuc__explain_symbol(const char *symbol, int *library);

// Returns the number of codes of a library; returns the row of each code in ascending order, and
// NULL past the end.
size_t cuc__explain_count(int library);
const cuc__explanation *cuc__explain_at(int library, size_t index);

#endif
