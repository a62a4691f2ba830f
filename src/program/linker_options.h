// The linker's options, and their translation for the driver's linker.
#ifndef CUCORE_PROGRAM_LINKER_OPTIONS_H
#define CUCORE_PROGRAM_LINKER_OPTIONS_H

#include <cucore/linker.h>

#include "options.h"

extern const cuc__option_table cuc__linker_options_table;

// Refuses, by name, options that the driver's linker lacks.
cuc_status cuc__linker_options_check_driver(const cuc_linker_options *options,
                                            const char *function);

// Arguments of cuLinkCreate(): options, and their values cast to pointers.
enum { CUC__JIT_MAX = 16 };

typedef struct cuc__jit_options {
    unsigned count;
    unsigned option[CUC__JIT_MAX]; // CUjit_option
    void *value[CUC__JIT_MAX];
} cuc__jit_options;

void cuc__jit_add(cuc__jit_options *jit, unsigned option, size_t value);

// Adds the options that the driver's linker has, and ignores the others.
void cuc__linker_options_to_jit(cuc__jit_options *jit, const cuc_linker_options *options);

#endif
