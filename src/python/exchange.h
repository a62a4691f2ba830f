// DLPack's C exchange API: functions of an array class that consumers call without going through
// Python.
#ifndef CUCORE_PYTHON_EXCHANGE_H
#define CUCORE_PYTHON_EXCHANGE_H

#include <cucore/tensor.h>

#include <stdbool.h>

// The name of the capsule that contains the API. The class has the capsule as
// __dlpack_c_exchange_api__.
#define CUC__EXCHANGE_API "dlpack_exchange_api"

// DLPackExchangeAPI of DLPack 1.3. Each function but the first needs the interpreter's lock. On
// failure, it returns -1 with an exception set. None orders streams.
struct cuc__exchange_api {
    cuc_dl_version version;
    struct cuc__exchange_api *previous;
    int (*allocate)(cuc_dl_tensor *prototype, cuc_dl_managed_tensor_versioned **out, void *context,
                    void (*set_error)(void *context, const char *kind, const char *message));
    int (*give)(void *object, cuc_dl_managed_tensor_versioned **out);
    int (*take)(cuc_dl_managed_tensor_versioned *managed, void **out); // always consumes `managed`
    int (*borrow)(void *object, cuc_dl_tensor *out);                   // valid while the object is
                                                                       // alive
    int (*current_stream)(int32_t device_type, int32_t device_id, void **out);
};

// Adds the API to a class of views.
bool cuc__python_add_exchange(void *type);

// Calls a producer's __dlpack__() without ordering streams. Returns the capsule. Defined in
// dlpack.c.
void *cuc__python_export(void *value, bool on_host);

// Takes the array out of a capsule. Returns NULL with an exception set. Defined in dlpack.c.
cuc_dl_managed_tensor_versioned *cuc__python_unwrap(void *capsule);

// Creates an object of an array class. The object owns `managed`; on failure, this deletes it.
// Defined in dlpack.c.
void *cuc__python_import(void *type, cuc_dl_managed_tensor_versioned *managed);

#endif
