// Errors in a tile program, and remarks about its compilation.
//
//   FILE:LINE:COL: error T123: op: operand NAME: expected E, got G
//
// At most 20 errors per source are kept. Consequential errors are suppressed: if a value cannot be
// created, it is NULL or has dtype CUC_DTYPE_UNKNOWN, and its users report nothing.
#ifndef CUCORE_TILE_IR_DIAGNOSTIC_H
#define CUCORE_TILE_IR_DIAGNOSTIC_H

#include "ir.h"

#include <stdarg.h>

enum { TILE_MAX_ERRORS = 20 };

#define TILE_S(count) ((count) == 1 ? "" : "s") // plural ending

// Stable error numbers, by group. Each row includes the meaning and the remedy, which `cucore
// explain` prints.
enum tile_code {
#define TILE_CODE(id, number, meaning, remedy) TILE_##id,
#include "explain/tile_code.def"
#undef TILE_CODE
    TILE_CODE_COUNT
};

enum tile_severity { TILE_ERROR, TILE_REMARK, TILE_NOTE };

struct tile_diagnostic {
    enum tile_code code;
    enum tile_severity severity;
    struct tile_location where;
    const char *text; // the message from "op:" on
    bool explains;    // errors show this remark as a note
    struct tile_diagnostic *next;
};

enum { TILE_RECENT_REMARKS = 32 };

struct tile_diagnostics {
    struct cuc__arena *arena;
    struct tile_diagnostic *first, *last;
    const struct tile_diagnostic *recent[TILE_RECENT_REMARKS]; // ring buffer of the last remarks
    uint32_t remarks;                                          // number of remarks so far
    uint32_t errors;    // includes errors beyond the limit. During the compilation of a kernel,
                        // counts only that kernel's errors
    uint32_t earlier;   // errors in the kernels before the one being compiled
    bool silent;        // the last error was beyond the limit, so its notes are dropped too
    bool out_of_memory; // all results are invalid
};

// Return the name of a code, such as "T101", and its meaning.
const char *tile_code_name(enum tile_code code);
const char *tile_code_meaning(enum tile_code code);
// Returns the number of a code, such as 501 for T501.
int tile_code_number(enum tile_code code);

// Adds an error. Drops an error that repeats the position and code of another.
void tile_error(struct tile_module *module, enum tile_code code, struct tile_location where,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
// A check of a kernel after the pass `after`. `ok` must be true initially.
struct tile_check {
    struct tile_kernel *kernel;
    const char *after;
    bool ok;
};
// Reports the first rule that a check finds broken, as an internal error of cucore. `op`: NULL if
// the kernel itself breaks the rule.
void tile_broken(struct tile_check *check, const struct tile_op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// False if another error would be dropped, so that its text need not be formatted.
bool tile_error_is_kept(const struct tile_module *module);
// Reports an error if a module has no kernel and no other error.
void tile_expect_kernel(struct tile_module *module);
// Adds another position to the last error.
void tile_note(struct tile_module *module, struct tile_location where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tile_remark(struct tile_module *module, struct tile_location where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Makes the last diagnostic, which is a remark on a kernel, also appear as a note after that
// kernel's errors.
void tile_show_with_errors(struct tile_module *module);
// Formats all diagnostics in the arena. Those with a position show the source line and a caret.
// `remarks`: include remarks.
const char *tile_diagnostics_text(struct tile_module *module, bool remarks);

#endif
