// Object code: the interface for compilers, linkers and kernels.
#ifndef CUCORE_CODE_OBJECT_H
#define CUCORE_CODE_OBJECT_H

#include <cucore/object.h>

#include "driver/driver.h"
#include "base/handle.h"
#include "ptx_signature.h"

#include <pthread.h>

struct cuc__kernel_facts;

// Options of a load, and the logs that the driver writes. The driver may compile lazily, long after
// the load, so this struct lives as long as the object.
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
    char *code; // followed by a NUL
    size_t bytes;
    char *ptx; // NULL: none; for PTX the same as `code`
    size_t ptx_bytes;
    cuc_object_mapping *names; // one block: the pairs, followed by their text
    size_t name_count;
    struct cuc__name_set symbols; // the name expressions; each value points to its mapping

    // Guards the lazily created members. It is held while the driver loads the code; only threads
    // that need the same object wait.
    pthread_mutex_t lock;
    _Atomic(CUlibrary) library;
    struct cuc__load_logs *logs;
    bool kernel_names_known;
    size_t kernel_count;
    const char **kernel_names;       // interned, owned
    struct cuc__kernel_facts *facts; // facts of the kernels requested so far
    struct cuc__name_set facts_named;
    struct cuc__ptx_index ptx_index;
};

// Makes an object and copies all arguments. `ptx` accompanies a cubin and may be NULL; `names` are
// pairs of an expression and its symbol; `name` and `log` may be NULL. Data of the wrong kind is
// refused. Failures are recorded under `function`'s name.
cuc_status cuc__object_create(cuc_object **out, int32_t kind, const void *code, size_t bytes,
                              const void *ptx, size_t ptx_bytes, const char *name,
                              const char *const (*names)[2], size_t name_count, const char *log,
                              const char *function);

// Reads a whole file into memory, which the caller frees.
cuc_status cuc__file_read(char **out, size_t *bytes, const char *path, const char *function);

// object_format.c

// Guesses the kind of data from its first bytes; 0 if unknown.
int32_t cuc__code_guess(const void *data, size_t bytes);

// Refuses data of the wrong kind, and truncated data, because the driver is not told a length.
cuc_status cuc__code_check(int32_t kind, const void *data, size_t bytes, const char *function);

// Finds a kernel, or an array of .b8, in an object's PTX.
enum cuc__ptx_found cuc__object_ptx_entry(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol);
enum cuc__ptx_found cuc__object_ptx_array(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol);

// object_load.c

// Returns the loaded library of an object; loads it once.
cuc_status cuc__object_load(CUlibrary *out, cuc_object *object, const char *function);

// Returns the symbol of a name expression, or the name itself if it is not one.
const char *cuc__object_symbol(const cuc_object *object, const char *name);

// Adds the log of the driver's compiler to the last recorded failure, if the compiler has written
// one since the load. `object` may be NULL.
void cuc__object_add_log(const cuc_object *object);

// Records that the kernel does not exist, and lists the existing ones.
cuc_status cuc__object_fail_no_kernel(cuc_object *object, const char *name, const char *function);

// Makes a device's primary context current. Without a device, the caller's context stays current,
// and *context is NULL. Pairs with cuc__context_leave().
cuc_status cuc__device_enter(struct cuc_context **context, bool *pushed, cuc_device *device,
                             const char *function);

// Unloads the library, unless the process is exiting.
void cuc__object_unload(cuc_object *object);

// kernel.c

void cuc__kernel_facts_free(struct cuc__kernel_facts *facts);

#endif
