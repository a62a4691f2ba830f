// Links with the driver, if nvJitLink is not installed.
#include "linker.h"

#include "device/context.h"
#include "driver/driver.h"
#include "driver/nvjitlink.h"
#include "code/object.h"
#include "driver/relaxed.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOG_BYTES = 1 << 20, // the driver truncates longer logs
};

// Indexed by CUC_CODE_ value. The linker refuses LTO-IR when it is added.
static const CUjitInputType input_types[] = {
    [CUC_CODE_PTX] = CU_JIT_INPUT_PTX,          [CUC_CODE_CUBIN] = CU_JIT_INPUT_CUBIN,
    [CUC_CODE_FATBIN] = CU_JIT_INPUT_FATBINARY, [CUC_CODE_OBJECT] = CU_JIT_INPUT_OBJECT,
    [CUC_CODE_LIBRARY] = CU_JIT_INPUT_LIBRARY,
};

// The arguments of a link. The driver writes to the logs and the values until the link is
// destroyed.
struct link {
    cuc__jit_options jit;
    char *info, *error;
    CUlinkState state;
};

static cuc_status prepare(struct link *link, const cuc_linker *l, const char *function)
{
    cuc__arch arch;

    link->jit = l->jit;
    if (l->arch) {
        cuc_status st = cuc__arch_read(&arch, l->arch, function);
        if (st < 0)
            return st;
        // The driver's numbers for "sm_90a" and "sm_100f" are the numbers of the plain
        // architectures with one more bit set.
        size_t variant = arch.suffix == 'a' ? 0x10000 : arch.suffix == 'f' ? 0x20000 : 0;
        cuc__jit_add(&link->jit, CU_JIT_TARGET, (size_t)arch.number + variant);
    }
    link->info = calloc(1, LOG_BYTES);
    link->error = calloc(1, LOG_BYTES);
    if (!link->info || !link->error)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the linker's logs");
    cuc__jit_add(&link->jit, CU_JIT_INFO_LOG_BUFFER, (uintptr_t)link->info);
    cuc__jit_add(&link->jit, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, LOG_BYTES - 1);
    cuc__jit_add(&link->jit, CU_JIT_ERROR_LOG_BUFFER, (uintptr_t)link->error);
    cuc__jit_add(&link->jit, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, LOG_BYTES - 1);
    return CUC_OK;
}

// Makes all driver calls of a link. A context must be current. Returns 0, or a driver code and the
// call that failed.
static int run(struct link *link, cuc__linked *out, const cuc_linker *l, const char **call)
{
    void *code;
    size_t bytes;
    int cu;

    *call = "cuLinkCreate";
    cu = cuc__cu.cuLinkCreate(link->jit.count, link->jit.option, link->jit.value, &link->state);
    *call = cu ? *call : "cuLinkAddData";
    for (size_t i = 0; i < l->count && !cu; i++) {
        const cuc__link_input *in = &l->inputs[i];
        void *data;
        memcpy(&data, &in->data, sizeof(data)); // the driver's prototype lacks const
        // PTX is text, so its terminating NUL counts.
        cu = cuc__cu.cuLinkAddData(link->state, input_types[in->kind], data,
                                   in->bytes + (in->kind == CUC_CODE_PTX), in->name, 0, NULL, NULL);
    }
    if (cu)
        return cu;
    *call = "cuLinkComplete";
    if ((cu = cuc__cu.cuLinkComplete(link->state, &code, &bytes)) != 0)
        return cu;
    // Copy the code, because the link state owns it.
    if ((out->code = malloc(bytes + 1)) != NULL) {
        memcpy(out->code, code, bytes);
        out->code[bytes] = '\0';
        out->bytes = bytes;
        if (cuc__driver_simulated())
            out->kind = CUC_CODE_PTX;
    }
    return 0;
}

static cuc_status run_in_context(struct link *link, cuc__linked *out, cuc_linker *l,
                                 cuc_context *context, const char *function)
{
    const char *call;
    bool pushed;
    cuc_status st = cuc__context_enter(context, &pushed, function);

    if (st < 0)
        return st;
    int cu;
    CUC_RELAXED(cu, run(link, out, l, &call));
    l->info_log = *link->info ? strdup(link->info) : NULL;
    l->error_log = cu && *link->error ? strdup(link->error) : NULL;
    if (cu > 0 && l->error_log)
        st = cuc__linker_fail(l, CUC_ERROR_LINK, CUC_LIBRARY_DRIVER, cu,
                              l->arch ? l->arch : "the current device", call, function);
    else if (cu)
        st = cuc__fail_driver(context, cu, function, call, "linking %zu input%s", l->count,
                              l->count == 1 ? "" : "s");
    else if (!out->code)
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the linked code");
    if (link->state)
        CUC_CLEANUP(context, cuLinkDestroy, link->state, link->state);
    return cuc__context_leave(context, pushed, st, function);
}

// Returns the caller's current context, retained, or else the primary context of device 0.
static cuc_status some_context(cuc_context **out, const char *function)
{
    cuc_device *device;
    cuc_status st = cuc__driver_init(function);

    if (st < 0 || (st = cuc__context_current(out, function)) < 0 || *out)
        return st;
    if ((st = cuc_device_get_current(&device)) < 0)
        return cuc__pass_failure(st, function);
    if ((st = cuc__device_primary(out, device, function)) < 0)
        return st;
    cuc__handle_retain(*out);
    return CUC_OK;
}

cuc_status cuc__linker_run_driver(cuc__linked *out, cuc_linker *l, int32_t target,
                                  const char *function)
{
    cuc_context *context = NULL;
    struct link link = { 0 };
    cuc_status st;

    if (target != CUC_CODE_CUBIN)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "the driver's linker makes cubins only: install nvJitLink to link to PTX");
    if ((st = some_context(&context, function)) < 0) {
        cuc__error_note("the driver's linker was chosen %s",
                        cuc__toolkit_has(&cuc__nvjitlink_toolkit, "nvJitLinkVersion")
                            ? "because the options say so"
                            : "because nvJitLink, which needs no driver, is not installed");
        return st;
    }
    if ((st = prepare(&link, l, function)) == CUC_OK)
        st = run_in_context(&link, out, l, context, function);
    free(link.info);
    free(link.error);
    cuc_context_release(context);
    return st;
}
