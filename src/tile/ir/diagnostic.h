// Errors of a tile program, and remarks about its compilation.
//
//   FILE:LINE:COL: error T123: op: operand NAME: expected E, got G
//
// At most 20 errors of a source are kept. Consequential errors are suppressed: a value that could
// not be created is NULL or has dtype CUC_DTYPE_UNKNOWN, and its users report nothing.
#ifndef CUCORE_TILE_IR_DIAGNOSTIC_H
#define CUCORE_TILE_IR_DIAGNOSTIC_H

#include "ir.h"

#include <stdarg.h>

enum { TILE_MAX_ERRORS = 20 };

#define TILE_S(count) ((count) == 1 ? "" : "s") // plural ending

// Stable error numbers, by group. Each row has the meaning and the remedy, which `cucore explain`
// prints.
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
    const char *text; // from "op:" on
    bool explains;    // a remark that errors show as a note
    struct tile_diagnostic *next;
};

enum { TILE_RECENT_REMARKS = 32 };

struct tile_diagnostics {
    struct cuc__arena *arena;
    struct tile_diagnostic *first, *last;
    const struct tile_diagnostic *recent[TILE_RECENT_REMARKS]; // the last remarks, in a ring
    uint32_t remarks;                                          // their number so far
    uint32_t errors;    // includes errors beyond the limit; while a kernel is compiled, counts only
                        // that kernel's
    uint32_t earlier;   // errors of the kernels before the one being compiled
    bool silent;        // the last error was beyond the limit: its notes are dropped too
    bool out_of_memory; // no later result is valid
};

// Returns the name of a code, such as "T101"; its meaning.
const char *tile_code_name(enum tile_code code);
const char *tile_code_meaning(enum tile_code code);
// 501 for T501.
int tile_code_number(enum tile_code code);

// Adds an error. A repeated error with the same position and code is dropped.
void tile_error(struct tile_module *module, enum tile_code code, struct tile_location where,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
// A check of a kernel after the pass `after`; starts with `ok` true.
struct tile_check {
    struct tile_kernel *kernel;
    const char *after;
    bool ok;
};
// Reports the first broken rule of a check as an internal error of cucore. `op` is NULL if the
// kernel itself breaks the rule.
void tile_broken(struct tile_check *check, const struct tile_op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// True if another error would be kept; otherwise its text need not be formatted.
bool tile_error_is_kept(const struct tile_module *module);
// Reports that a module without other errors has no kernel.
void tile_expect_kernel(struct tile_module *module);
// Adds another position to the last error.
void tile_note(struct tile_module *module, struct tile_location where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tile_remark(struct tile_module *module, struct tile_location where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Lets the last diagnostic, a remark on a kernel, follow that kernel's errors as a note.
void tile_show_with_errors(struct tile_module *module);
// Formats all diagnostics in the arena, each with its source line and a caret if it has a position.
// `remarks`: include remarks.
const char *tile_diagnostics_text(struct tile_module *module, bool remarks);

#endif
