// Object code: the interface that compilers, linkers and kernels use.
#ifndef CUCORE_CODE_OBJECT_H
#define CUCORE_CODE_OBJECT_H

#include <cucore/object.h>

#include "driver/driver.h"
#include "base/handle.h"
#include "ptx_signature.h"

#include <pthread.h>

struct cuc__kernel_facts;
struct cuc__object_part;

// Load options, and the logs that the driver writes. The driver may compile lazily, long after the
// load, so this struct lives as long as the object.
struct cuc__load_logs {
    CUjit_option options[4];
    void *values[4];
    unsigned option_count;
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
    char *ptx; // NULL if none; equal to `code` for PTX
    size_t ptx_bytes;
    cuc_object_mapping *names; // one block: the pairs, followed by their strings
    size_t name_count;
    struct cuc__name_set symbols; // the name expressions; each value points to a mapping

    // Guards the lazily created members. A thread holds it while the driver loads the code, which
    // blocks only threads that need the same object.
    pthread_mutex_t lock;
    _Atomic(CUlibrary) library;
    struct cuc__load_logs *logs;
    // The entries of tile kernels, if each is an object of its own for the driver; or NULL.
    struct cuc__object_part *parts;
    size_t part_count;
    char *frame; // the text without the entries, in which launch data are found
    size_t frame_bytes;
    bool kernel_names_known;
    size_t kernel_count;
    const char **kernel_names;       // interned, owned
    struct cuc__kernel_facts *facts; // properties of the kernels that have been requested
    struct cuc__name_set facts_named;
    struct cuc__ptx_index ptx_index;
};

// Creates an object and copies all arguments. `ptx` accompanies a cubin and may be NULL. Each pair
// in `names` is an expression and its symbol. `name` and `log` may be NULL. Refuses data of the
// wrong kind. Records failures under the name in `function`.
cuc_status cuc__object_create(cuc_object **out, int32_t kind, const void *code, size_t bytes,
                              const void *ptx, size_t ptx_bytes, const char *name,
                              const char *const (*names)[2], size_t name_count, const char *log,
                              const char *function);

// Reads a whole file into memory, which the caller frees.
cuc_status cuc__file_read(char **out, size_t *bytes, const char *path, const char *function);

// object_format.c

// Guesses a kind from the first bytes of the data. Returns 0 if unknown.
int32_t cuc__code_guess(const void *data, size_t bytes);

// Refuses data of the wrong kind. Also refuses truncated data, because the driver does not take a
// length.
cuc_status cuc__code_check(int32_t kind, const void *data, size_t bytes, const char *function);

// Find a kernel, or a .b8 array, in an object's PTX.
enum cuc__ptx_found cuc__object_ptx_entry(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol);
enum cuc__ptx_found cuc__object_ptx_array(struct cuc__ptx *at, cuc_object *object,
                                          const char *symbol);

// object_load.c

// Returns an object's loaded library, and loads it on first use.
cuc_status cuc__object_load(CUlibrary *out, cuc_object *object, const char *function);

// Returns the symbol of a name expression, or `name` itself if it is not an expression.
const char *cuc__object_symbol(const cuc_object *object, const char *name);

// Adds the log of the driver's compiler to the last recorded failure, if the compiler has logged
// anything since the load. `object` may be NULL.
void cuc__object_add_log(const cuc_object *object);

// Records that the kernel does not exist, and lists the kernels that do.
cuc_status cuc__object_fail_no_kernel(cuc_object *object, const char *name, const char *function);

// Makes a device's primary context current. If `device` is NULL, the caller's context stays current
// and *context becomes NULL. Call cuc__context_leave() afterwards.
cuc_status cuc__device_enter(struct cuc_context **context, bool *pushed, cuc_device *device,
                             const char *function);

// Unloads the library, unless the process is exiting.
void cuc__object_unload(cuc_object *object);

// object_parts.c

// Makes each entry a part that is loaded on its own. The object is new and has PTX of the tile
// compiler. cuc__tile_kernel_get() then loads the first entry of the kernel, and launches load the
// others.
cuc_status cuc__object_divide(cuc_object *object, const char *function);
void cuc__object_free_parts(cuc_object *object);
// Returns the part that has an entry, or the object itself if it has no parts. It belongs to the
// object.
cuc_status cuc__object_get_part(cuc_object **out, cuc_object *object, const char *symbol,
                                const char *function);

// kernel.c

void cuc__kernel_facts_free(struct cuc__kernel_facts *facts);

#endif
