// Records a library's error code as the thread's last error.
#ifndef CUCORE_DEVICE_FAILURE_H
#define CUCORE_DEVICE_FAILURE_H

#include "base/error.h"

struct cuc_context;

// Records that a driver call failed. `context` is the context of the call, or NULL. A sticky code
// marks the context as lost. If the context was already lost, the function instead reports the
// error that destroyed it. The formatted text says what was attempted, with its values. Do not pass
// CUDA_ERROR_NOT_READY.
cuc_status cuc__fail_driver(struct cuc_context *context, int code, const char *function,
                            const char *call, const char *fmt, ...) CUC__PRINTF(5, 6);

#define CUC_FAIL_CU(context, code, call, ...) \
    cuc__fail_driver((context), (code), __func__, (call), __VA_ARGS__)

// Reports a driver failure during a release or cleanup, which cannot return it, to the process-wide
// handler. Does nothing in a forked child, after the driver has shut down, or if the context is
// already lost.
void cuc__driver_cleanup_failed(struct cuc_context *context, int code, const char *call,
                                const void *handle);

// Calls a driver function during a release and reports its failure.
#define CUC_CLEANUP(context, call, handle, ...)                                \
    do {                                                                       \
        int cuc__code = cuc__cu.call(__VA_ARGS__);                             \
        if (cuc__code)                                                         \
            cuc__driver_cleanup_failed((context), cuc__code, #call, (handle)); \
    } while (0)

// Loads the driver and calls cuInit, once per process; later calls return the first outcome.
// Records a failure under the name in `function`, which is the public function's.
cuc_status cuc__driver_init(const char *function);

#endif
