#include "failure.h"

#include "base/array.h"
#include "capture_hooks.h"
#include "context.h"
#include "driver/driver.h"
#include "explain/explain.h"
#include "base/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Driver codes that have their own status. All others become CUC_ERROR_DRIVER.
static const struct {
    int code;
    cuc_status status;
} mapped[] = {
    { CUC__CU_NO_DRIVER, CUC_ERROR_NO_DRIVER },
    { CUC__CU_TOO_OLD, CUC_ERROR_DRIVER_TOO_OLD },
    { CUC__CU_MISSING, CUC_ERROR_NOT_SUPPORTED },
    { CUC__CU_FORKED, CUC_ERROR_FORKED },
    { CUDA_ERROR_STUB_LIBRARY, CUC_ERROR_NO_DRIVER },
    { CUDA_ERROR_OUT_OF_MEMORY, CUC_ERROR_OUT_OF_DEVICE_MEMORY },
    { CUDA_ERROR_NO_DEVICE, CUC_ERROR_NO_DEVICE },
    { CUDA_ERROR_NOT_SUPPORTED, CUC_ERROR_NOT_SUPPORTED },
    { CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, CUC_ERROR_BUSY },
    { CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, CUC_ERROR_BUSY },
    { CUDA_ERROR_CAPTURED_EVENT, CUC_ERROR_BUSY },
    { CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, CUC_ERROR_NOT_SUPPORTED },
};

static cuc_status status_of(int code)
{
    for (size_t i = 0; i < CUC_LENGTH(mapped); i++)
        if (mapped[i].code == code)
            return mapped[i].status;
    return CUC_ERROR_DRIVER;
}

// Reports a failure to load the driver. The loader's own codes are not CUresults; they describe the
// machine, not the call.
static cuc_status fail_loading(int code, const char *function, const char *call)
{
    cuc_status status = status_of(code);
    int have = cuc__driver_version();

    switch (code) {
    case CUC__CU_NO_DRIVER:
        status = cuc__fail(status, function, "no CUDA driver: %s", cuc__driver_trail());
        cuc__error_set_explanation(
            cuc__program_is_static() ? cuc__static_remedy
            : cuc__driver_chosen()
                ? "CUCORE_DRIVER names the driver to load: unset it for the machine's own, set it "
                  "to sim for the simulated one, or to the path of a driver library; `cucore "
                  "doctor` checks the rest."
                : "Install the NVIDIA driver, or give the container access to it, or simulate one "
                  "with CUCORE_DRIVER=sim; `cucore doctor` checks the rest.");
        cuc__error_set_log(cuc__driver_trail());
        return status;
    case CUC__CU_TOO_OLD:
        return cuc__fail(status, function,
                         "the CUDA driver is of CUDA %d.%d, cucore needs %d.%d or later: update "
                         "the NVIDIA driver",
                         have / 1000, have % 1000 / 10, CUC__MIN_DRIVER / 1000,
                         CUC__MIN_DRIVER % 1000 / 10);
    case CUC__CU_FORKED:
        return cuc__fail(status, function,
                         "the driver was initialised before fork(), and no child can use it: "
                         "start processes before the first cucore call, or with exec");
    default: {
        int need = cuc__driver_function_version(call);
        return cuc__fail(status, function,
                         "this driver (CUDA %d.%d) has no %s, which came with CUDA %d.%d: update "
                         "the NVIDIA driver",
                         have / 1000, have % 1000 / 10, call, need / 1000, need % 1000 / 10);
    }
    }
}

// Adds a simulated driver's details, which go beyond a code: the kernel, its position, the address,
// the setting.
static void note_finding(const char *call, int code)
{
    char text[1024];

    if (cuc__driver_finding(call, code, text, sizeof(text)))
        cuc__error_note("the simulated driver: %s", text);
}

// Returns the remedy for a code. On the simulated driver, the remedy may be a setting.
static const char *remedy_of(const cuc__explanation *e)
{
    static const struct {
        int code;
        const char *remedy;
    } simulated[] = {
        { CUDA_ERROR_OUT_OF_MEMORY,
          "The device is simulated: CUCORE_SIM_MEMORY sets its memory, 16G without it. Give cached "
          "blocks back with cuc_memory_pool_trim once the streams are idle, release buffers, or "
          "work in smaller pieces." },
        { CUDA_ERROR_NO_DEVICE,
          "The driver is simulated: CUCORE_SIM_DEVICES sets how many devices it has, 1 without it, "
          "and CUDA_VISIBLE_DEVICES can hide them." },
    };

    for (size_t i = 0; cuc__driver_simulated() && i < CUC_LENGTH(simulated); i++)
        if (simulated[i].code == e->code)
            return simulated[i].remedy;
    return e->remedy;
}

cuc_status cuc__fail_driver(struct cuc_context *context, int code, const char *function,
                            const char *call, const char *fmt, ...)
{
    char what[1024];
    char explanation[1024];
    va_list args;

    if (code < 0)
        return fail_loading(code, function, call);

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);

    if (cuc__capturing() && code >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
        code <= CUDA_ERROR_CAPTURED_EVENT) {
        const struct cuc__capture_hooks *captures = atomic_load(&cuc__capture_hooks);
        if (captures)
            captures->refused(code, function, call);
    }
    const cuc__explanation *e = cuc__explain(CUC_LIBRARY_DRIVER, code);
    if (e->sticky)
        cuc__context_lose(context, code, function, call);
    struct cuc__loss *loss = cuc__context_loss(context);
    if (!context && e->sticky)
        loss = cuc__latest_loss();
    if (loss) {
        const cuc__explanation *first = cuc__explain(CUC_LIBRARY_DRIVER, loss->code);
        // Only the first failure reports the loss in full; later ones just list the launches in
        // their log.
        const bool whole = !atomic_exchange(&loss->reported, true);
        explanation[0] = '\0';
        if (whole)
            snprintf(explanation, sizeof(explanation), "%s %s", first->meaning, first->remedy);
        cuc_status status = cuc__fail_library(
            CUC_ERROR_CONTEXT_LOST, CUC_LIBRARY_DRIVER, loss->code, first->symbol, function,
            loss->call, explanation, loss->launches,
            "%s: the context was destroyed by an asynchronous failure, first seen by %s", what,
            loss->function);
        if (whole && loss->launches[0])
            cuc__error_note("launched lately, the latest first, one of which may be the cause: %s",
                            loss->launches);
        note_finding(call, loss->code);
        return status;
    }
    snprintf(explanation, sizeof(explanation), "%s %s", e->meaning, remedy_of(e));
    // A sticky error means that a context is lost, even if it is unknown which.
    cuc_status status = e->sticky ? CUC_ERROR_CONTEXT_LOST : status_of(code);
    status = cuc__fail_library(status, CUC_LIBRARY_DRIVER, code, e->symbol, function, call,
                               explanation, NULL, "%s", what);
    note_finding(call, code);
    return status;
}

void cuc__driver_cleanup_failed(struct cuc_context *context, int code, const char *call,
                                const void *handle)
{
    if (code < 0 || code == CUDA_ERROR_DEINITIALIZED || cuc__context_loss(context))
        return;
    const cuc__explanation *e = cuc__explain(CUC_LIBRARY_DRIVER, code);
    if (!context && e->sticky && cuc__latest_loss())
        return;
    if (e->sticky)
        cuc__context_lose(context, code, "a release", call);
    cuc__unraisable("%s(%p) returned %d, %s, while releasing: the object may be leaked", call,
                    handle, code, e->symbol);
}

cuc_status cuc__driver_init(const char *function)
{
    int code = cuc__driver_start();

    if (!code)
        return CUC_OK;
    cuc_status st = cuc__fail_driver(NULL, code, function, "cuInit",
                                     "the CUDA driver (%s) cannot be initialised",
                                     cuc__driver_path());
    char setting[64];
    if (code > 0 && cuc__driver_finding("cuInit", code, setting, sizeof(setting)))
        cuc__error_set_explanation("A setting of the simulated driver is not valid: correct the "
                                   "variable that the note names, or unset it.");
    return st;
}
