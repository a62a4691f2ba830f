// Links with nvJitLink. A handle can link only once, so each link creates its own.
#include "linker.h"

#include "driver/nvjitlink.h"
#include "code/object.h"
#include "code/ptx_signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Indexed by CUC_CODE_ value.
static const nvJitLinkInputType input_types[] = {
    [CUC_CODE_PTX] = NVJITLINK_INPUT_PTX,       [CUC_CODE_CUBIN] = NVJITLINK_INPUT_CUBIN,
    [CUC_CODE_LTOIR] = NVJITLINK_INPUT_LTOIR,   [CUC_CODE_FATBIN] = NVJITLINK_INPUT_FATBIN,
    [CUC_CODE_OBJECT] = NVJITLINK_INPUT_OBJECT, [CUC_CODE_LIBRARY] = NVJITLINK_INPUT_LIBRARY,
};

// An nvJitLink code and the call that returned it.
struct outcome {
    int code;
    const char *call;
};

static char *read_log(nvJitLinkHandle handle, cuc__pfn_nvJitLinkGetErrorLogSize get_size,
                      cuc__pfn_nvJitLinkGetErrorLog get)
{
    size_t bytes = 0;
    char *log;

    if (!handle || get_size(handle, &bytes) || bytes <= 1 || !(log = calloc(1, bytes + 1)))
        return NULL;
    if (get(handle, log) || !*log) {
        free(log);
        return NULL;
    }
    return log;
}

static struct outcome link_once(nvJitLinkHandle *handle, const cuc_linker *l, const char **flags,
                                uint32_t count)
{
    int code = cuc__nvjitlink.nvJitLinkCreate(handle, count, flags);

    if (code)
        return (struct outcome){ code, "nvJitLinkCreate" };
    for (size_t i = 0; i < l->count; i++) {
        const cuc__link_input *in = &l->inputs[i];
        // PTX is text, so its terminating NUL counts.
        size_t bytes = in->bytes + (in->kind == CUC_CODE_PTX);
        code = cuc__nvjitlink.nvJitLinkAddData(*handle, input_types[in->kind], in->data, bytes,
                                               in->name);
        if (code)
            return (struct outcome){ code, "nvJitLinkAddData" };
    }
    code = cuc__nvjitlink.nvJitLinkComplete(*handle);
    return (struct outcome){ code, "nvJitLinkComplete" };
}

static struct outcome take(char **out, size_t *bytes, nvJitLinkHandle handle, bool ptx)
{
    char *code = NULL;
    int rc = ptx ? cuc__nvjitlink.nvJitLinkGetLinkedPtxSize(handle, bytes)
                 : cuc__nvjitlink.nvJitLinkGetLinkedCubinSize(handle, bytes);
    if (rc)
        return (struct outcome){ rc, ptx ? "nvJitLinkGetLinkedPtxSize"
                                         : "nvJitLinkGetLinkedCubinSize" };
    if (!(code = malloc(*bytes + 1)))
        return (struct outcome){ 0, NULL };
    rc = ptx ? cuc__nvjitlink.nvJitLinkGetLinkedPtx(handle, code)
             : cuc__nvjitlink.nvJitLinkGetLinkedCubin(handle, code);
    if (rc) {
        free(code);
        return (struct outcome){ rc, ptx ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetLinkedCubin" };
    }
    code[*bytes] = '\0';
    if (ptx)
        *bytes = strlen(code);
    *out = code;
    return (struct outcome){ 0, NULL };
}

// Returns the status of an outcome. Failures that the inputs do not cause have their own statuses.
// An undefined symbol also yields "internal", but comes with an error log.
static cuc_status status_of(struct outcome o, const char *error_log)
{
    switch (o.code) {
    case NVJITLINK_ERROR_UNRECOGNIZED_ARCH:
    case NVJITLINK_ERROR_UNSUPPORTED_ARCH:
    case NVJITLINK_ERROR_OUTDATED_LIBRARY:
        return CUC_ERROR_NOT_SUPPORTED;
    case NVJITLINK_ERROR_UNRECOGNIZED_OPTION:
        return CUC_ERROR_INVALID_ARGUMENT;
    case NVJITLINK_ERROR_THREADPOOL:
        return CUC_ERROR_TOOLKIT;
    case NVJITLINK_ERROR_INTERNAL:
        return error_log ? CUC_ERROR_LINK : CUC_ERROR_TOOLKIT;
    default:
        return strcmp(o.call, "nvJitLinkCreate") == 0 ? CUC_ERROR_INVALID_ARGUMENT : CUC_ERROR_LINK;
    }
}

static bool any_input(const cuc_linker *l, bool is_ltoir)
{
    for (size_t i = 0; i < l->count; i++)
        if ((l->inputs[i].kind == CUC_CODE_LTOIR) == is_ltoir)
            return true;
    return false;
}

// Runs one link, from creating the handle to reading the code and logs. Records no failure.
static struct outcome attempt(char **out, size_t *bytes, cuc_linker *l, const char *arch, bool lto,
                              bool ptx)
{
    const char **flags = malloc((l->flags.count + 3) * sizeof(*flags));
    char arch_flag[32];
    nvJitLinkHandle handle = NULL;
    uint32_t count = 0;

    if (!flags)
        return (struct outcome){ 0, NULL };
    snprintf(arch_flag, sizeof(arch_flag), "-arch=%s", arch);
    flags[count++] = arch_flag;
    if (lto && l->link_time_optimization == CUC_DEFAULT)
        flags[count++] = "-lto";
    if (ptx)
        flags[count++] = "-ptx";
    for (size_t i = 0; i < l->flags.count; i++)
        flags[count++] = l->flags.at[i];

    struct outcome o = link_once(&handle, l, flags, count);
    if (o.code == 0)
        o = take(out, bytes, handle, ptx);
    free(l->info_log);
    free(l->error_log);
    l->info_log = read_log(handle, cuc__nvjitlink.nvJitLinkGetInfoLogSize,
                           cuc__nvjitlink.nvJitLinkGetInfoLog);
    l->error_log = o.code ? read_log(handle, cuc__nvjitlink.nvJitLinkGetErrorLogSize,
                                     cuc__nvjitlink.nvJitLinkGetErrorLog)
                          : NULL;
    if (handle)
        cuc__nvjitlink.nvJitLinkDestroy(&handle);
    free(flags);
    return o;
}

// Adopts the suffix of an input's PTX if the architecture is the current device's by default,
// because PTX for sm_90a can only be assembled for sm_90a.
static void take_target(cuc__arch *arch, const cuc_linker *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const cuc__link_input *in = &l->inputs[i];
        char target[16];
        int number;
        char suffix;

        if (in->kind == CUC_CODE_PTX &&
            cuc__ptx_target(target, sizeof(target), in->data, in->bytes) &&
            sscanf(target, "sm_%d%c", &number, &suffix) == 2 && number == arch->number &&
            (suffix == 'a' || suffix == 'f')) {
            snprintf(arch->text, sizeof(arch->text), "sm_%d%c", number, suffix);
            arch->suffix = suffix;
        }
    }
}

cuc_status cuc__linker_read_arch(cuc__arch *arch, const cuc_linker *l, const char *function)
{
    cuc_status st = cuc__arch_read(arch, l->arch, function);

    if (st == CUC_OK && !l->arch)
        take_target(arch, l);
    return st;
}

cuc_status cuc__linker_run_nvjitlink(cuc__linked *out, cuc_linker *l, const cuc__arch *arch,
                                     int32_t target, const char *function)
{
    bool lto = l->link_time_optimization == CUC_ON ||
               (l->link_time_optimization == CUC_DEFAULT && any_input(l, true));
    bool ptx = target == CUC_CODE_PTX;

    if (ptx && !lto)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is CUC_CODE_PTX, but no input is LTO-IR (%s is %s): only LTO-IR "
                         "links to PTX",
                         l->inputs[0].name, cuc_code_name(l->inputs[0].kind));

    // Produce the PTX first, so that the cubin's logs are the ones that remain. If producing the
    // PTX fails, the cubin either fails too or has no PTX.
    if (!ptx && lto && l->keep_ptx != CUC_OFF && !any_input(l, false))
        (void)attempt(&out->ptx, &out->ptx_bytes, l, arch->text, lto, true);
    struct outcome o = attempt(&out->code, &out->bytes, l, arch->text, lto, ptx);
    if (o.code < 0)
        return cuc__fail_nvjitlink(o.code, function, o.call, NULL, "linking for %s", arch->text);
    if (o.code)
        return cuc__linker_fail(l, status_of(o, l->error_log), CUC_LIBRARY_NVJITLINK, o.code,
                                arch->text, o.call, function);
    if (!out->code)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the linked code");
    return CUC_OK;
}
