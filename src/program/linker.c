#include "linker.h"

#include "base/array.h"
#include "driver/nvjitlink.h"
#include "explain/explain.h"
#include "code/object.h"
#include "base/options.h"
#include "known_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Looks for nvJitLink. Refuses releases before 12.3, which have no version function and lack too
// many linker features. Returns 0 or a CUC__TOOLKIT_ code.
static int look_for_nvjitlink(cuc_linker *l)
{
    void (*fn)(void);

    if (cuc__linker_recall_nvjitlink(l))
        return 0;
    int code = cuc__toolkit_resolve(&cuc__nvjitlink_toolkit, "nvJitLinkVersion", &fn);
    if (!code)
        cuc__linker_note_nvjitlink(l);
    return code;
}

static cuc_status choose_backend(cuc_linker *l, const cuc_linker_options *o, const char *function)
{
    int code;

    switch (o->backend) {
    case CUC_LINKER_AUTO:
        if ((code = look_for_nvjitlink(l)) == CUC__TOOLKIT_NO_MEMORY)
            return cuc__fail_nvjitlink(code, function, "nvJitLinkVersion", NULL, "making a linker");
        l->backend = code ? CUC_LINKER_DRIVER : CUC_LINKER_NVJITLINK;
        break;
    case CUC_LINKER_NVJITLINK:
        if ((code = look_for_nvjitlink(l)) != 0)
            return cuc__fail_nvjitlink(code, function, "nvJitLinkVersion", NULL, "making a linker");
        l->backend = CUC_LINKER_NVJITLINK;
        break;
    case CUC_LINKER_DRIVER:
        l->backend = CUC_LINKER_DRIVER;
        break;
    default:
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "backend is %d, expected CUC_LINKER_AUTO (0), CUC_LINKER_NVJITLINK (1) or "
                         "CUC_LINKER_DRIVER (2)",
                         o->backend);
    }
    return l->backend == CUC_LINKER_DRIVER ? cuc__linker_options_check_driver(o, function) : CUC_OK;
}

// Notes why results are not cached: their logs differ each time, or options may name inputs that a
// key does not cover.
static void note_not_cached(cuc_linker *l, const cuc_linker_options *o)
{
    const char *extra =
        cuc__unknown_option(CUC__COMPILER_NVJITLINK, o->extra_options, o->extra_option_count);
    const char *ptxas =
        cuc__unknown_option(CUC__COMPILER_PTXAS, o->ptxas_options, o->ptxas_option_count);

    if (o->time == CUC_ON)
        snprintf(l->not_cached, sizeof(l->not_cached), "its log has times");
    else if (extra || ptxas)
        snprintf(l->not_cached, sizeof(l->not_cached),
                 "%s has \"%.80s\", whose effects are not known",
                 extra ? "extra_options" : "ptxas_options", extra ? extra : ptxas);
}

static cuc_status read_options(cuc_linker *l, const cuc_linker_options *o, const char *function)
{
    const char *name = o->name ? o->name : "linked";
    cuc__arch arch;
    cuc_status st;

    if ((st = cuc__name_check(name, function)) < 0)
        return st;
    if (o->arch && (st = cuc__arch_read(&arch, o->arch, function)) < 0)
        return st;
    if (o->arch && !arch.real)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "arch is \"%s\", but a link is for a real architecture: \"sm_%d\"",
                         o->arch, arch.number);
    // Make the flags for both backends, because this also checks the values.
    if ((st = cuc__check_switch("keep_ptx", o->keep_ptx, function)) < 0 ||
        (st = cuc__options_to_flags(&l->flags, &cuc__linker_options_table, o, function)) < 0)
        return st;
    if ((st = choose_backend(l, o, function)) < 0)
        return st;
    if (l->backend == CUC_LINKER_DRIVER)
        cuc__linker_options_to_jit(&l->jit, o);
    note_not_cached(l, o);
    l->link_time_optimization = o->link_time_optimization;
    l->keep_ptx = o->keep_ptx;
    l->name = strdup(name);
    l->arch = o->arch ? strdup(o->arch) : NULL;
    if (!l->name || (o->arch && !l->arch))
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a linker");
    return CUC_OK;
}

cuc_status cuc_linker_create(cuc_linker **out, const cuc_linker_options *options)
{
    cuc_linker_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_linker_options)) < 0)
        return st;
    cuc_linker *l = calloc(1, sizeof(*l));
    if (!l)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a linker");
    cuc__handle_init(l, CUC__HANDLE_LINKER);
    l->cache = cuc_cache_retain(o.cache);
    if ((st = read_options(l, &o, __func__)) < 0) {
        cuc_linker_release(l);
        return st;
    }
    *out = l;
    return CUC_OK;
}

// Adds an input. On success, the linker owns its data.
static cuc_status add(cuc_linker *l, cuc__link_input input, const char *function)
{
    if (l->backend == CUC_LINKER_DRIVER && input.kind == CUC_CODE_LTOIR)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "%s is LTO-IR, which the driver's linker cannot read: install nvJitLink, "
                         "or compile it to a cubin with relocatable_device_code",
                         input.name);
    if (!CUC_RESERVE(l->inputs, l->capacity, l->count + 1))
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for an input");
    l->inputs[l->count++] = input;
    return CUC_OK;
}

cuc_status cuc_linker_add(cuc_linker *linker, cuc_object *object)
{
    CUC_CHECK(linker, LINKER);
    CUC_CHECK(object, OBJECT);
    cuc__link_input input = {
        .kind = object->kind,
        .name = object->name && *object->name ? object->name : "input",
        .data = object->code,
        .bytes = object->bytes,
        .object = object,
    };
    cuc_status st = add(linker, input, __func__);
    if (st == CUC_OK)
        cuc__handle_retain(object);
    return st;
}

static cuc_status add_copy(cuc_linker *l, int32_t kind, const void *data, size_t bytes,
                           const char *name, const char *function)
{
    int32_t guess = cuc__code_guess(data, bytes);
    cuc_status st;

    if (!kind && !guess)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s (%zu bytes) is not recognized as object code: state its kind, or pass "
                         "PTX, a cubin, LTO-IR, a fatbin, an object or an archive",
                         name, bytes);
    if ((st = cuc__code_check(kind ? kind : guess, data, bytes, function)) < 0)
        return st;

    // One block holds the data, a NUL and the name.
    size_t name_bytes = strlen(name) + 1;
    char *copy = malloc(bytes + 1 + name_bytes);
    if (!copy)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for %zu bytes of %s",
                         bytes, name);
    memcpy(copy, data, bytes);
    copy[bytes] = '\0';
    memcpy(copy + bytes + 1, name, name_bytes);
    cuc__link_input input = {
        .kind = kind ? kind : guess,
        .name = copy + bytes + 1,
        .data = copy,
        .bytes = bytes,
    };
    if ((st = add(l, input, function)) < 0)
        free(copy);
    return st;
}

cuc_status cuc_linker_add_data(cuc_linker *linker, int32_t kind, const void *data, size_t bytes,
                               const char *name)
{
    CUC_CHECK(linker, LINKER);
    CUC_CHECK_NOT_NULL(data);
    if (!bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "bytes is 0: an input cannot be empty");
    return CUC_PASS(add_copy(linker, kind, data, bytes, name ? name : "input", __func__));
}

cuc_status cuc_linker_add_file(cuc_linker *linker, int32_t kind, const char *path)
{
    char *data = NULL;
    size_t bytes = 0;

    CUC_CHECK(linker, LINKER);
    CUC_CHECK_NOT_NULL(path);
    cuc_status st = cuc__file_read(&data, &bytes, path, __func__);
    if (st < 0)
        return st;
    st = bytes ? add_copy(linker, kind, data, bytes, path, __func__)
               : CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is empty", path);
    free(data);
    return st;
}

cuc_status cuc__linker_fail(cuc_linker *l, cuc_status status, int library, int code,
                            const char *arch, const char *call, const char *function)
{
    const cuc__explanation *e = cuc__explain(library, code);
    const char *log = l->error_log ? l->error_log : "";
    cuc__log_summary summary;
    char explanation[1024], *excerpts = NULL;
    char more[32] = "";

    cuc__log_read(&summary, log);
    if (summary.errors > 1)
        snprintf(more, sizeof(more), " (%zu errors)", summary.errors);
    snprintf(explanation, sizeof(explanation), "%s %s", e->meaning, e->remedy);
    if (l->for_program && status == CUC_ERROR_LINK) {
        const cuc__source source = { l->inputs[0].name, l->inputs[0].data };
        status = CUC_ERROR_COMPILE;
        excerpts = cuc__log_with_excerpts(log, &source, 1);
    }
    const char *given = excerpts ? excerpts : log;
    if (l->for_program)
        cuc__fail_library(status, library, code, e->symbol, function, call, explanation, given,
                          "assembling %s for %s: %s%s", l->inputs[0].name, arch, summary.first,
                          more);
    else
        cuc__fail_library(status, library, code, e->symbol, function, call, explanation, given,
                          "linking %zu input%s for %s: %s%s", l->count, l->count == 1 ? "" : "s",
                          arch, summary.first, more);
    free(excerpts);
    return status;
}

// Collects the name expressions of all inputs. The caller owns *pairs; the objects own the strings.
static cuc_status collect_names(const char *(**pairs)[2], size_t *count, const cuc_linker *l,
                                const char *function)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < l->count; i++)
        n += l->inputs[i].object ? l->inputs[i].object->name_count : 0;
    *count = n;
    *pairs = n ? malloc(n * sizeof(**pairs)) : NULL;
    if (n && !*pairs)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for %zu names", n);
    for (size_t i = 0; i < l->count; i++) {
        const cuc_object *object = l->inputs[i].object;
        for (size_t k = 0; object && k < object->name_count; k++, at++) {
            (*pairs)[at][0] = object->names[k].expression;
            (*pairs)[at][1] = object->names[k].symbol;
        }
    }
    return CUC_OK;
}

cuc_status cuc__linker_link(cuc_object **out, cuc_linker *l, int32_t target, const char *function)
{
    cuc__linked linked = { .kind = target };
    const char *(*names)[2] = NULL;
    size_t name_count = 0;
    cuc_status st;

    free(l->info_log);
    free(l->error_log);
    l->info_log = l->error_log = NULL;

    if (target != CUC_CODE_CUBIN && target != CUC_CODE_PTX)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is %d (%s), expected CUC_CODE_CUBIN or CUC_CODE_PTX", target,
                         cuc_code_name(target));
    if (!l->count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "there is nothing to link: add inputs first");
    st = l->backend == CUC_LINKER_NVJITLINK ? cuc__linker_run_cached(&linked, l, target, function)
                                            : cuc__linker_run_driver(&linked, l, target, function);
    if (st < 0)
        goto done;

    // If the link made no PTX, the result has the PTX of its only input.
    const cuc__link_input *in = &l->inputs[0];
    const char *ptx = linked.ptx;
    size_t ptx_bytes = linked.ptx_bytes;
    if (!ptx && linked.kind == CUC_CODE_CUBIN && l->count == 1 && l->keep_ptx != CUC_OFF) {
        ptx = in->kind == CUC_CODE_PTX ? in->data : in->object ? in->object->ptx : NULL;
        ptx_bytes = in->kind == CUC_CODE_PTX ? in->bytes : ptx ? in->object->ptx_bytes : 0;
    }
    if ((st = collect_names(&names, &name_count, l, function)) == CUC_OK)
        st = cuc__object_create(out, linked.kind, linked.code, linked.bytes, ptx, ptx_bytes,
                                l->name, (const char *const(*)[2])names, name_count, l->info_log,
                                function);
done:
    free(names);
    free(linked.code);
    free(linked.ptx);
    return st;
}

cuc_status cuc_linker_link(cuc_object **out, cuc_linker *linker, int32_t target)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(linker, LINKER);
    return CUC_PASS(cuc__linker_link(out, linker, target, __func__));
}

const char *cuc_linker_info_log(const cuc_linker *linker)
{
    return linker && linker->info_log ? linker->info_log : "";
}

const char *cuc_linker_error_log(const cuc_linker *linker)
{
    return linker && linker->error_log ? linker->error_log : "";
}

const char *cuc_linker_backend(const cuc_linker *linker)
{
    return !linker ? "" : linker->backend == CUC_LINKER_NVJITLINK ? "nvJitLink" : "driver";
}

size_t cuc_linker_flag_count(const cuc_linker *linker)
{
    return linker && linker->backend == CUC_LINKER_NVJITLINK ? linker->flags.count : 0;
}

const char *cuc_linker_flag(const cuc_linker *linker, size_t index)
{
    return index < cuc_linker_flag_count(linker) ? linker->flags.at[index] : NULL;
}

cuc_linker *cuc_linker_retain(cuc_linker *linker)
{
    return cuc__handle_retain(linker);
}

void cuc__linker_drop_inputs(cuc_linker *linker)
{
    for (size_t i = 0; i < linker->count; i++) {
        cuc__link_input *in = &linker->inputs[i];
        void *own;
        memcpy(&own, &in->data, sizeof(own)); // this linker owns the data; const only protects it
                                              // from readers
        if (in->object)
            cuc_object_release(in->object);
        else
            free(own);
    }
    linker->count = 0;
}

void cuc_linker_release(cuc_linker *linker)
{
    if (!cuc__handle_drop(linker, CUC__HANDLE_LINKER))
        return;
    cuc__linker_drop_inputs(linker);
    free(linker->inputs);
    cuc__flags_free(&linker->flags);
    free(linker->name);
    free(linker->arch);
    free(linker->library);
    cuc_cache_release(linker->cache);
    free(linker->info_log);
    free(linker->error_log);
    cuc__handle_free(linker);
}
