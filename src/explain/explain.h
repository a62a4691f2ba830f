// Meanings and remedies of the error codes of CUDA's libraries, for human readers. Needs no driver.
#ifndef CUCORE_EXPLAIN_EXPLAIN_H
#define CUCORE_EXPLAIN_EXPLAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The `code` of the row for unknown codes. No library uses this value.
#define CUC__EXPLAIN_UNKNOWN INT_MIN

typedef struct cuc__explanation {
    int code;
    const char *symbol;  // as in the library's header, such as "CUDA_ERROR_ILLEGAL_ADDRESS"
    const char *meaning; // one sentence
    const char *remedy;  // one to four short sentences, the usual cause first
    bool sticky;         // the process must be restarted
} cuc__explanation;

// `library` is a CUC_LIBRARY_ value from <cucore/error.h>. CUC_LIBRARY_NONE has no rows here,
// because a separate list holds the strings for cuc_status. All rows are static and contain no
// NULL.

// Returns the row of a code, never NULL. An unknown code or library gets a row that says so, with
// the `code` CUC__EXPLAIN_UNKNOWN and a symbol such as "unknown CUresult".
const cuc__explanation *cuc__explain(int library, int code);

// Returns the row of a symbol, or NULL if there is none. Case does not matter, and the prefix is
// optional: "CUDA_ERROR_NOT_FOUND", "ERROR_NOT_FOUND", "not_found". A full name takes precedence
// over a short one. If several libraries share a short name, the driver comes first, then the
// others in the order of their values. Sets `library`, which may be NULL, only if it finds a row.
const cuc__explanation *cuc__explain_symbol(const char *symbol, int *library);

// cuc__explain_count() returns the number of a library's codes. cuc__explain_at() returns their
// rows in ascending order of code, and NULL past the end.
size_t cuc__explain_count(int library);
const cuc__explanation *cuc__explain_at(int library, size_t index);

#endif
