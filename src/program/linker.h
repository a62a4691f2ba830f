// Linkers: the inputs and flags, which live as long as the linker, and the two backends.
#ifndef CUCORE_PROGRAM_LINKER_H
#define CUCORE_PROGRAM_LINKER_H

#include <cucore/linker.h>

#include "compile_log.h"
#include "base/handle.h"
#include "linker_options.h"

typedef struct cuc__link_input {
    int32_t kind; // a CUC_CODE_ value
    const char *name;
    const void *data; // a NUL follows
    size_t bytes;
    cuc_object *object; // owns the data, retained; NULL if the input owns it
} cuc__link_input;

struct cuc_linker {
    cuc__handle head;
    char *name;
    char *arch;      // as the user gave it; NULL means the current device's architecture
    int32_t backend; // CUC_LINKER_NVJITLINK or CUC_LINKER_DRIVER, chosen at creation
    int32_t link_time_optimization;
    int32_t keep_ptx;
    cuc__flags flags;     // for nvJitLink
    cuc__jit_options jit; // for the driver
    cuc_cache *cache;     // retained; NULL means the default cache
    char *library;        // nvJitLink's file if there is a cache; NULL if unknown
    char not_cached[160]; // why results are not cached; "" if they are
    bool for_program; // the input comes from a program's source: failures have the status COMPILE,
                      // not LINK

    cuc__link_input *inputs;
    size_t count, capacity;

    char *info_log, *error_log; // from the last link; NULL if none
};

// The output of a backend.
typedef struct cuc__linked {
    int32_t kind;     // a CUC_CODE_ value: the target, or PTX from a simulated driver
    char *code, *ptx; // malloc'ed; ptx may be NULL
    size_t bytes, ptx_bytes;
} cuc__linked;

// Links the inputs and creates the object. Records failures under the name in `function`.
cuc_status cuc__linker_link(cuc_object **out, cuc_linker *linker, int32_t target,
                            const char *function);

// Removes all inputs, so that others can be linked with the same options.
void cuc__linker_drop_inputs(cuc_linker *linker);

// linker_nvjitlink.c

// Reads the architecture of a link by nvJitLink: from the options, or else the current device's.
cuc_status cuc__linker_read_arch(cuc__arch *arch, const cuc_linker *linker, const char *function);
cuc_status cuc__linker_run_nvjitlink(cuc__linked *out, cuc_linker *linker, const cuc__arch *arch,
                                     int32_t target, const char *function);

// linker_cached.c

// cuc__linker_recall_nvjitlink() returns true if the cache records that this nvJitLink file has
// been loaded before, so that it need not be loaded now. cuc__linker_note_nvjitlink() stores this
// record once the file is loaded.
bool cuc__linker_recall_nvjitlink(cuc_linker *linker);
void cuc__linker_note_nvjitlink(cuc_linker *linker);

// Finds the result of a link by nvJitLink in the linker's cache, or else links and stores the
// result. A hit does not load nvJitLink.
cuc_status cuc__linker_run_cached(cuc__linked *out, cuc_linker *linker, int32_t target,
                                  const char *function);

// linker_driver.c

cuc_status cuc__linker_run_driver(cuc__linked *out, cuc_linker *linker, int32_t target,
                                  const char *function);

// Records that the inputs cannot be linked, with the backend's code and the linker's error log.
cuc_status cuc__linker_fail(cuc_linker *linker, cuc_status status, int library, int code,
                            const char *arch, const char *call, const char *function);

#endif
