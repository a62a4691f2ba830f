// What is wrong with a tile program, and remarks about how it was compiled.
//
//   FILE:LINE:COL: error T123: op: operand NAME: expected E, got G
//
// All of a source are kept, at most 20 errors, and none that an earlier one caused: a value that
// could not be made is NULL or of dtype CUC_DTYPE_UNKNOWN, and whoever is given one says nothing.
#ifndef CUCORE_TILE_IR_DIAGNOSTIC_H
#define CUCORE_TILE_IR_DIAGNOSTIC_H

#include "ir.h"

#include <stdarg.h>

enum { TILE_MAX_ERRORS = 20 };

#define TILE_S(count) ((count) == 1 ? "" : "s") // of a plural

// Stable numbers, by group. Each row has the meaning and the remedy, which cucore explain prints.
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
    struct tile_diagnostic *next;
};

struct tile_diagnostics {
    struct cuc__arena *arena;
    struct tile_diagnostic *first, *last;
    uint32_t errors;    // also those beyond the limit; while a kernel is compiled, its own
    uint32_t earlier;   // then: those of kernels before it
    bool silent;        // the last error was beyond it: its notes go too
    bool out_of_memory; // everything after is void
};

// "T101", and what it means.
const char *tile_code_name(enum tile_code code);
const char *tile_code_meaning(enum tile_code code);
// 501 of T501.
int tile_code_number(enum tile_code code);

// Add one; a second error at the same place with the same code is dropped.
void tile_error(struct tile_module *module, enum tile_code code, struct tile_location where,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
// Whether there is still room for an error: beyond that its text need not be made.
bool tile_error_is_kept(const struct tile_module *module);
// Of a module that is right otherwise, the error that it has no kernel.
void tile_expect_kernel(struct tile_module *module);
// About the error before it: the other place.
void tile_note(struct tile_module *module, struct tile_location where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tile_remark(struct tile_module *module, struct tile_location where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// All as text, each with its source line and a caret where there is one; in the arena. `remarks`:
// those as well.
const char *tile_diagnostics_text(struct tile_module *module, bool remarks);

#endif
