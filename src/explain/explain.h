// What the codes of CUDA's libraries mean and what to do about them, for people. Needs no driver.
#ifndef CUCORE_EXPLAIN_EXPLAIN_H
#define CUCORE_EXPLAIN_EXPLAIN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// The `code` of the row that stands for every code that a library does not have; none uses it.
#define CUC__EXPLAIN_UNKNOWN INT_MIN

typedef struct cuc__explanation {
    int code;
    const char *symbol;  // as in the library's header, such as "CUDA_ERROR_ILLEGAL_ADDRESS"
    const char *meaning; // one sentence
    const char *remedy;  // one to four short ones: the usual cause first
    bool sticky;         // the process must be started anew after it
} cuc__explanation;

// `library` is a CUC_LIBRARY_ value of <cucore/error.h>. CUC_LIBRARY_NONE has no rows here: the
// texts of a cuc_status live with its list. All rows are static and never NULL inside.

// The row of a code. Never NULL: an unknown code or library gets a row that says so, whose own
// `code` is CUC__EXPLAIN_UNKNOWN and whose symbol reads "unknown CUresult" or the like.
const cuc__explanation *cuc__explain(int library, int code);

// The row of a symbol in any case of letters, also without its prefix: "CUDA_ERROR_NOT_FOUND",
// "ERROR_NOT_FOUND", "not_found". Full names come first; a short one that several libraries share
// is the driver's, then the others' in the order of their values. NULL if there is none.
// `library`, which may be NULL, is set only when a row is found.
const cuc__explanation *cuc__explain_symbol(const char *symbol, int *library);

// How many codes a library has, and each of them by ascending code; NULL past the end.
size_t cuc__explain_count(int library);
const cuc__explanation *cuc__explain_at(int library, size_t index);

#endif
