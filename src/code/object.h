// Object code: what compilers, linkers and kernels know of it.
#ifndef CUCORE_CODE_OBJECT_H
#define CUCORE_CODE_OBJECT_H

#include <cucore/object.h>

#include "driver/driver.h"
#include "base/handle.h"
#include "ptx_signature.h"

#include <pthread.h>

struct cuc__kernel_facts;

// What a load tells the driver, and where the driver writes. It may compile lazily, long after
// the call, so this lives as long as the object.
struct cuc__load_logs {
    CUjit_option options[4];
    void *values[4];
    char info[4096];
    char error[16384];
};

struct cuc_object {
    cuc__handle head;
    int32_t kind;
    char *name;
    char *log;
    char *code; // with a NUL behind the last byte
    size_t bytes;
    char *ptx; // NULL: none; of PTX the code itself
    size_t ptx_bytes;
    cuc_object_mapping *names; // one block: the pairs, then their text
    size_t name_count;
    struct cuc__name_set symbols; // of the expressions, the values are theirs

    // Guards what is made on first need. Held while the driver loads the code, so that only
    // those wait who need the same object.
    pthread_mutex_t lock;
    _Atomic(CUlibrary) library;
    struct cuc__load_logs *logs;
    bool kernel_names_known;
    size_t kernel_count;
    const char **kernel_names;       // interned, owned
    struct cuc__kernel_facts *facts; // of the kernels asked for so far
    struct cuc__name_set facts_named;
    struct cuc__ptx_index ptx_index;
};

// Make an object; everything is copied. `ptx` goes beside a cubin, NULL for none; `names` are
// pairs of an expression and its symbol; `name` and `log` may be NULL. Data that is not of its
// kind is refused. Failures are recorded under `function`'s name.
cuc_status cuc__object_create(cuc_object **out, int32_t kind, const void *code, size_t bytes,
                              const void *ptx, size_t ptx_bytes, const char *name,
                              const char *const (*names)[2], size_t name_count, const char *log,
                              const char *function);

// A whole file in memory, which the caller frees.
cuc_status cuc__file_read(char **out, size_t *bytes, const char *path, const char *function);

// object_format.c

// The kind of some data by its first bytes; 0 when they tell nothing.
int32_t cuc__code_guess(const void *data, size_t bytes);

// Refuse data that is not of its kind, or is cut short: a driver is told no length.
cuc_status cuc__code_check(int32_t kind, const void *data, size_t bytes, const char *function);

// The text of an object's PTX from a kernel, or from an array of .b8, on.
enum cuc__ptx_found cuc__object_ptx_entry(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol);
enum cuc__ptx_found cuc__object_ptx_array(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol);

// object_load.c

// The loaded library of an object, loading it once.
cuc_status cuc__object_load(CUlibrary *out, cuc_object *object, const char *function);

// The symbol of a name expression, or the name itself when it is none.
const char *cuc__object_symbol(const cuc_object *object, const char *name);

// Give the failure just recorded the driver's compiler log, where it wrote one since the load.
// NULL is no object.
void cuc__object_add_log(const cuc_object *object);

// Record that there is no such kernel, with the names there are.
cuc_status cuc__object_fail_no_kernel(cuc_object *object, const char *name, const char *function);

// Make a device's primary context current; with no device the caller's stays, and *context is
// NULL. Goes with cuc__context_leave().
cuc_status cuc__device_enter(struct cuc_context **context, bool *pushed, cuc_device *device,
                             const char *function);

// Unload the library, unless the process exits.
void cuc__object_unload(cuc_object *object);

// kernel.c

void cuc__kernel_facts_free(struct cuc__kernel_facts *facts);

#endif
