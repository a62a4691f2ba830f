// A linker: its inputs and flags, kept until it is released, and the two who can link them.
#ifndef CUCORE_PROGRAM_LINKER_H
#define CUCORE_PROGRAM_LINKER_H

#include <cucore/linker.h>

#include "compile_log.h"
#include "base/handle.h"
#include "linker_options.h"

typedef struct cuc__link_input {
    int32_t kind; // a CUC_CODE_ value
    const char *name;
    const void *data; // with a NUL behind the last byte
    size_t bytes;
    cuc_object *object; // owns the data, retained; NULL: the input does
} cuc__link_input;

struct cuc_linker {
    cuc__handle head;
    char *name;
    char *arch;      // as given; NULL is the current device's
    int32_t backend; // CUC_LINKER_NVJITLINK or CUC_LINKER_DRIVER, chosen when it was made
    int32_t link_time_optimization;
    int32_t keep_ptx;
    cuc__flags flags;     // nvJitLink's
    cuc__jit_options jit; // the driver's
    bool for_program;     // the input is the source of a program: failures are COMPILE, not LINK

    cuc__link_input *inputs;
    size_t count, capacity;

    char *info_log, *error_log; // of the last link; NULL is none
};

// What a backend made.
typedef struct cuc__linked {
    int32_t kind;     // a CUC_CODE_ value: the target, but PTX of a driver that simulates
    char *code, *ptx; // malloc'ed; ptx may be NULL
    size_t bytes, ptx_bytes;
} cuc__linked;

// Link, and make the object. Failures are recorded under `function`'s name.
cuc_status cuc__linker_link(cuc_object **out, cuc_linker *linker, int32_t target,
                            const char *function);

// Forget what was added, so that something else can be linked in the same way.
void cuc__linker_drop_inputs(cuc_linker *linker);

// linker_nvjitlink.c

cuc_status cuc__linker_run_nvjitlink(cuc__linked *out, cuc_linker *linker, int32_t target,
                                     const char *function);

// linker_driver.c

cuc_status cuc__linker_run_driver(cuc__linked *out, cuc_linker *linker, int32_t target,
                                  const char *function);

// The inputs do not link: record the backend's code, with the linker's error log.
cuc_status cuc__linker_fail(cuc_linker *linker, cuc_status status, int library, int code,
                            const char *arch, const char *call, const char *function);

#endif
