// Compiles CUDA C++ with NVRTC. Each compilation has its own nvrtcProgram.
#include "base/array.h"
#include "program.h"

#include "compile_log.h"
#include "driver/driver.h"
#include "driver/nvrtc.h"
#include "explain/explain.h"
#include "code/object.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One run of the compiler, and its result.
struct run {
    cuc_program *program;
    int32_t target;
    const char *function;
    nvrtcProgram handle;
};

// NVRTC's functions for reading a text: one returns its length, the other fills a buffer.
typedef nvrtcResult (*size_fn)(nvrtcProgram, size_t *);
typedef nvrtcResult (*text_fn)(nvrtcProgram, char *);

// Returns the log, which may be "". Returns NULL if out of memory; then only the log is lost.
static char *read_log(nvrtcProgram handle)
{
    size_t bytes = 0;
    char *log;

    if (cuc__nvrtc.nvrtcGetProgramLogSize(handle, &bytes) || !(log = calloc(1, bytes + 1)))
        return NULL;
    if (cuc__nvrtc.nvrtcGetProgramLog(handle, log))
        *log = '\0';
    return log;
}

// Refuses an architecture that this NVRTC does not support, and lists the supported ones.
static cuc_status fail_arch(const cuc_program *p, const int *archs, int count, const char *function)
{
    char list[512] = "";
    size_t at = 0;

    for (int i = 0; i < count && at < sizeof(list); i++)
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%ssm_%d", i ? ", " : "", archs[i]);
    int version = cuc__nvrtc_toolkit.version();
    return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                     "arch is \"%s\", which NVRTC %d.%d does not support: expected one of %s, some "
                     "also with \"a\" or \"f\" at the end",
                     p->arch.text, version / 1000, version % 1000 / 10, list);
}

// Checks the architecture's number. If `refused` is set, always fails and lists the supported
// architectures.
static cuc_status check_arch(const cuc_program *p, bool refused, const char *function)
{
    int archs[256], count = 0;
    bool known = false;
    int code = cuc__nvrtc.nvrtcGetNumSupportedArchs(&count);

    if (!code && count <= CUC_LENGTH(archs))
        code = cuc__nvrtc.nvrtcGetSupportedArchs(archs);
    if (code)
        return cuc__fail_nvrtc(code, function, "nvrtcGetSupportedArchs", NULL, "compiling %s",
                               p->name);
    if (count > CUC_LENGTH(archs))
        return CUC_OK; // leave the check to the compiler
    for (int i = 0; i < count; i++)
        known |= archs[i] == p->arch.number;
    return known && !refused ? CUC_OK : fail_arch(p, archs, count, function);
}

static cuc_status create(struct run *r)
{
    cuc_program *p = r->program;
    int code = cuc__nvrtc.nvrtcCreateProgram(
        &r->handle, p->text, p->name, (int)p->header_names.count,
        (const char *const *)p->header_texts.at, (const char *const *)p->header_names.at);
    if (code)
        return cuc__fail_nvrtc(code, r->function, "nvrtcCreateProgram", NULL, "compiling %s",
                               p->name);
    for (size_t i = 0; i < p->expressions.count; i++) {
        code = cuc__nvrtc.nvrtcAddNameExpression(r->handle, p->expressions.at[i]);
        if (code)
            return cuc__fail_nvrtc(code, r->function, "nvrtcAddNameExpression", NULL,
                                   "name_expressions[%zu], %s, of %s", i, p->expressions.at[i],
                                   p->name);
    }
    return CUC_OK;
}

// Raises the process's heap for precompiled headers to the size that NVRTC requests.
static bool grow_pch_heap(nvrtcProgram handle)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    size_t have = 0, need = 0;
    bool ok;

    if (cuc__nvrtc.nvrtcGetPCHHeapSizeRequired(handle, &need))
        return false;
    pthread_mutex_lock(&lock); // another thread may have raised the heap further
    ok = !cuc__nvrtc.nvrtcGetPCHHeapSize(&have) &&
         (have >= need || !cuc__nvrtc.nvrtcSetPCHHeapSize(need));
    pthread_mutex_unlock(&lock);
    return ok;
}

static int32_t pch_status(nvrtcResult compiled, nvrtcResult created)
{
    switch (created) {
    case NVRTC_SUCCESS:
        // NVRTC reports success even if the compilation failed before it could write the header.
        return compiled ? CUC_PCH_FAILED : CUC_PCH_CREATED;
    case NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED:
        return CUC_PCH_NOT_ATTEMPTED;
    default:
        return CUC_PCH_FAILED;
    }
}

// Creates and compiles a program and stores the compiler's result in *code. Tries again if the heap
// was too small.
static cuc_status compile(struct run *r, int *code)
{
    cuc_program *p = r->program;
    const cuc__flags *flags = &p->flags[r->target - 1];

    for (int attempt = 0;; attempt++) {
        cuc_status st = create(r);
        if (st < 0)
            return st;
        *code = cuc__nvrtc.nvrtcCompileProgram(r->handle, (int)flags->count,
                                               (const char *const *)flags->at);
        if (!p->pch)
            return CUC_OK;
        int created = cuc__nvrtc.nvrtcGetPCHCreateStatus(r->handle);
        p->pch_status = pch_status(*code, created);
        if (created != NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED || attempt ||
            !grow_pch_heap(r->handle))
            return CUC_OK;
        cuc__nvrtc.nvrtcDestroyProgram(&r->handle);
    }
}

static cuc_status fail_compile(const struct run *r, int code)
{
    const cuc_program *p = r->program;
    const char *log = p->log ? p->log : "";
    const cuc__explanation *e = cuc__explain(CUC_LIBRARY_NVRTC, code);
    cuc__log_summary summary;
    char explanation[1024];

    // NVRTC checks an architecture's suffix late and then reports a different option name.
    if (strstr(log, "--nv_arch") || strstr(log, "--gpu-architecture"))
        return check_arch(p, true, r->function);
    cuc__log_read(&summary, log);
    snprintf(explanation, sizeof(explanation), "%s %s", e->meaning, e->remedy);
    if (code == NVRTC_ERROR_INVALID_OPTION)
        return cuc__fail_library(CUC_ERROR_INVALID_ARGUMENT, CUC_LIBRARY_NVRTC, code, e->symbol,
                                 r->function, "nvrtcCompileProgram", explanation, log,
                                 "compiling %s: %s", p->name, summary.first);
    if (code != NVRTC_ERROR_COMPILATION)
        return cuc__fail_nvrtc(code, r->function, "nvrtcCompileProgram", log, "compiling %s%s%s",
                               p->name, *summary.first ? ": " : "", summary.first);

    size_t count = 1 + p->header_names.count;
    cuc__source *sources = malloc(count * sizeof(*sources));
    char *full = NULL;
    if (sources) {
        sources[0] = (cuc__source){ p->name, p->text };
        for (size_t i = 1; i < count; i++)
            sources[i] = (cuc__source){ p->header_names.at[i - 1], p->header_texts.at[i - 1] };
        full = cuc__log_with_excerpts(log, sources, count);
    }
    char more[32] = "";
    if (summary.errors > 1)
        snprintf(more, sizeof(more), " (%zu errors)", summary.errors);
    // NVRTC compiles name expressions as a separate file.
    const char *where = strncmp(summary.first, "__nv_name_map", 13) == 0 ? ", in a name expression"
                                                                         : "";
    cuc__fail_library(CUC_ERROR_COMPILE, CUC_LIBRARY_NVRTC, code, e->symbol, r->function,
                      "nvrtcCompileProgram", explanation, full ? full : log, "%s%s%s",
                      summary.first, where, more);
    free(full);
    free(sources);
    return CUC_ERROR_COMPILE;
}

static cuc_status take(char **out, size_t *bytes, const struct run *r, size_fn get_size,
                       text_fn get, const char *call)
{
    int code = get_size(r->handle, bytes);
    char *data = code ? NULL : malloc(*bytes + 1);

    if (!code && !data)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, r->function,
                         "no host memory for %zu bytes of "
                         "code",
                         *bytes);
    if (!code)
        code = get(r->handle, data);
    if (code) {
        free(data);
        return cuc__fail_nvrtc(code, r->function, call, r->program->log, "compiling %s",
                               r->program->name);
    }
    data[*bytes] = '\0';
    *out = data;
    return CUC_OK;
}

// Returns the symbols of the name expressions. The caller owns *pairs; NVRTC owns the strings.
static cuc_status lower_names(const char *(**pairs)[2], const struct run *r)
{
    const cuc__flags *expressions = &r->program->expressions;

    *pairs = malloc((expressions->count + 1) * sizeof(**pairs));
    if (!*pairs)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, r->function, "no host memory for %zu names",
                         expressions->count);
    for (size_t i = 0; i < expressions->count; i++) {
        (*pairs)[i][0] = expressions->at[i];
        int code = cuc__nvrtc.nvrtcGetLoweredName(r->handle, expressions->at[i], &(*pairs)[i][1]);
        if (code)
            return cuc__fail_nvrtc(code, r->function, "nvrtcGetLoweredName", r->program->log,
                                   "name_expressions[%zu], %s, of %s", i, expressions->at[i],
                                   r->program->name);
    }
    return CUC_OK;
}

// Warns if the PTX is newer than the driver, which then cannot load it. Does not warn without a
// driver, because the PTX may be meant for another machine.
static void warn_of_driver(cuc_program *p)
{
    char line[192];
    int nvrtc = cuc__nvrtc_toolkit.version(), driver = cuc__driver_version();

    if (!driver || nvrtc <= driver)
        return;
    snprintf(line, sizeof(line),
             "cucore: warning: PTX of CUDA %d.%d cannot be loaded by this driver (%d.%d): compile "
             "to a cubin\n",
             nvrtc / 1000, nvrtc % 1000 / 10, driver / 1000, driver % 1000 / 10);
    cuc__program_add_log(p, line);
}

static cuc_status make_object(cuc_object **out, const struct run *r)
{
    const char *(*names)[2] = NULL;
    char *code = NULL, *ptx = NULL;
    size_t bytes = 0, ptx_bytes = 0;
    cuc_status st = lower_names(&names, r);

    if (st == CUC_OK && r->target == CUC_CODE_LTOIR)
        st = take(&code, &bytes, r, cuc__nvrtc.nvrtcGetLTOIRSize, cuc__nvrtc.nvrtcGetLTOIR,
                  "nvrtcGetLTOIR");
    if (st == CUC_OK && r->target == CUC_CODE_CUBIN)
        st = take(&code, &bytes, r, cuc__nvrtc.nvrtcGetCUBINSize, cuc__nvrtc.nvrtcGetCUBIN,
                  "nvrtcGetCUBIN");
    if (st == CUC_OK && r->target != CUC_CODE_LTOIR)
        st = take(&ptx, &ptx_bytes, r, cuc__nvrtc.nvrtcGetPTXSize, cuc__nvrtc.nvrtcGetPTX,
                  "nvrtcGetPTX");
    if (st == CUC_OK && r->target == CUC_CODE_PTX)
        st = cuc__object_create(out, CUC_CODE_PTX, ptx, ptx_bytes, NULL, 0, r->program->name,
                                (const char *const(*)[2])names, r->program->expressions.count,
                                r->program->log, r->function);
    else if (st == CUC_OK)
        st = cuc__object_create(out, r->target, code, bytes, ptx, ptx_bytes, r->program->name,
                                (const char *const(*)[2])names, r->program->expressions.count,
                                r->program->log, r->function);
    free(names);
    free(code);
    free(ptx);
    return st;
}

static cuc_status check_target(const cuc_program *p, int32_t target, const char *function)
{
    if (target == CUC_CODE_CUBIN && !p->arch.real)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is CUC_CODE_CUBIN, but arch is \"%s\", which no machine runs: "
                         "create the program with \"sm_%s\", or compile to CUC_CODE_PTX",
                         p->arch.text, strchr(p->arch.text, '_') + 1);
    if (target != CUC_CODE_LTOIR && p->needs_ltoir)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is %s, but link_time_optimization gives only LTO-IR: compile to "
                         "CUC_CODE_LTOIR and link",
                         target == CUC_CODE_PTX ? "CUC_CODE_PTX" : "CUC_CODE_CUBIN");
    return CUC_OK;
}

cuc_status cuc__program_run_nvrtc(cuc_object **out, cuc_program *p, int32_t target,
                                  const char *function)
{
    struct run r = { .program = p, .target = target, .function = function };
    int code = 0;
    cuc_status st;

    if ((st = check_target(p, target, function)) < 0)
        return st;
    if ((st = check_arch(p, false, function)) < 0)
        return st;
    if ((st = compile(&r, &code)) == CUC_OK) {
        p->log = read_log(r.handle);
        if (code) {
            st = fail_compile(&r, code);
        } else {
            if (target == CUC_CODE_PTX)
                warn_of_driver(p);
            st = make_object(out, &r);
        }
    }
    if (r.handle)
        cuc__nvrtc.nvrtcDestroyProgram(&r.handle);
    return st;
}
