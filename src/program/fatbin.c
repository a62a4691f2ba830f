// Packs code for several architectures into a fat binary with nvFatbin.
#include <cucore/fatbin.h>

#include "base/array.h"
#include "base/options.h"
#include "code/object.h"
#include "code/ptx_signature.h"
#include "driver/nvfatbin.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A member of the fat binary: a part's code, or the PTX that accompanies it.
struct member {
    size_t part;
    bool ptx;
    char arch[16]; // "sm_90a"
    const cuc_object *object;
};

struct members {
    struct member *at;
    size_t count, capacity;
};

void cuc_fatbin_options_init(cuc_fatbin_options *options, size_t struct_size)
{
    cuc__init_options(options, struct_size);
}

static cuc_status fail_memory(const char *function)
{
    return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a fat binary");
}

// Reads the architecture from PTX. Refuses PTX for an architecture other than the given one.
static cuc_status read_ptx_arch(struct member *m, const char *given, const char *function)
{
    if (!cuc__ptx_target(m->arch, sizeof(m->arch), m->object->ptx, m->object->ptx_bytes))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "parts[%zu] is PTX without a .target directive: pass the compiler's whole "
                         "text",
                         m->part);
    if (given && strcmp(given + strcspn(given, "_"), m->arch + strcspn(m->arch, "_")) != 0)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "parts[%zu].arch is \"%.64s\", but its PTX is for %s: leave it NULL",
                         m->part, given, m->arch);
    return CUC_OK;
}

static cuc_status read_cubin_arch(struct member *m, const char *given, const char *function)
{
    const cuc_object *o = m->object;
    cuc__arch arch;
    cuc_status st;

    if (!given) {
        if (o->ptx && cuc__ptx_target(m->arch, sizeof(m->arch), o->ptx, o->ptx_bytes))
            return CUC_OK;
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "parts[%zu].arch is NULL, and the cubin has no PTX beside it that says "
                         "its architecture: give the one it was compiled for, such as \"sm_90a\"",
                         m->part);
    }
    if ((st = cuc__arch_read(&arch, given, function)) < 0) {
        cuc__error_note("the architecture is that of parts[%zu]", m->part);
        return st;
    }
    if (!arch.real)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "parts[%zu].arch is \"%s\", but it is a cubin: expected sm_%d%.1s",
                         m->part, arch.text, arch.number, &arch.suffix);
    memcpy(m->arch, arch.text, sizeof(m->arch));
    return CUC_OK;
}

static cuc_status add_member(struct members *all, struct member m, const char *given,
                             const char *function)
{
    cuc_status st = m.ptx ? read_ptx_arch(&m, given, function)
                          : read_cubin_arch(&m, given, function);

    if (st < 0)
        return st;
    for (size_t i = 0; i < all->count; i++) {
        const struct member *other = &all->at[i];
        if (other->ptx != m.ptx || strcmp(other->arch, m.arch) != 0)
            continue;
        // Cubins assembled from the same PTX each carry a copy of it, so skip the second copy.
        if (m.ptx && m.object->kind == CUC_CODE_CUBIN &&
            m.object->ptx_bytes == other->object->ptx_bytes &&
            memcmp(m.object->ptx, other->object->ptx, m.object->ptx_bytes) == 0)
            return CUC_OK;
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "parts[%zu] and parts[%zu] both have %s for %s, and a driver loads "
                         "one: link them first, with cuc_linker_add() and cuc_linker_link()",
                         other->part, m.part, m.ptx ? "PTX" : "a cubin", m.arch);
    }
    if (!CUC_RESERVE(all->at, all->capacity, all->count + 1))
        return fail_memory(function);
    all->at[all->count++] = m;
    return CUC_OK;
}

static cuc_status collect(struct members *all, const cuc_fatbin_part *parts, size_t count,
                          bool with_ptx, const char *function)
{
    for (size_t i = 0; i < count; i++) {
        const cuc_object *o = parts[i].object;
        char argument[48];
        cuc_status st;

        if (!o)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "parts[%zu].object is NULL", i);
        snprintf(argument, sizeof(argument), "parts[%zu].object", i);
        if (!cuc__handle_is_valid(o, CUC__HANDLE_OBJECT))
            return cuc__fail_handle(o, CUC__HANDLE_OBJECT, function, argument);
        if (o->kind != CUC_CODE_PTX && o->kind != CUC_CODE_CUBIN)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "parts[%zu].object is of kind %s, expected ptx or cubin", i,
                             cuc_code_name(o->kind));
        const struct member m = { .part = i, .ptx = o->kind == CUC_CODE_PTX, .object = o };
        if ((st = add_member(all, m, parts[i].arch, function)) < 0)
            return st;
        if (!with_ptx || m.ptx)
            continue;
        if (!o->ptx)
            return cuc__fail(CUC_ERROR_NOT_FOUND, function,
                             "options.ptx is on, but parts[%zu] is a cubin without PTX beside it: "
                             "compile it with cuc_program_compile(), which keeps both, or give the "
                             "PTX in cuc_object_options",
                             i);
        if ((st = add_member(all, (struct member){ .part = i, .ptx = true, .object = o }, NULL,
                             function)) < 0)
            return st;
    }
    return CUC_OK;
}

// Creates the nvFatbin handle. Chooses LZ4, which every driver and cucore itself can unpack without
// a library. nvFatbin before 12.8 does not know this mode, but always compresses with LZ4.
static int create(nvFatbinHandle *handle, bool compress)
{
    const char *options[] = { "-compress-all", "-compress-mode=speed" };
    const char *none[] = { "-compress=false" };

    if (!compress)
        return cuc__nvfatbin.nvFatbinCreate(handle, none, 1);
    int code = cuc__nvfatbin.nvFatbinCreate(handle, options, 2);
    if (code == NVFATBIN_ERROR_UNRECOGNIZED_OPTION) {
        if (*handle)
            cuc__nvfatbin.nvFatbinDestroy(handle);
        code = cuc__nvfatbin.nvFatbinCreate(handle, options, 1);
    }
    return code;
}

static cuc_status add_all(nvFatbinHandle handle, const struct members *all, const char *function)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct member *m = &all->at[i];
        const cuc_object *o = m->object;
        const char *arch = m->arch + strcspn(m->arch, "_"), *name = o->name ? o->name : "";
        const char *call = m->ptx ? "nvFatbinAddPTX" : "nvFatbinAddCubin";

        arch += *arch == '_';
        // PTX is text, so its terminating NUL counts.
        int code =
            m->ptx ? cuc__nvfatbin.nvFatbinAddPTX(handle, o->ptx, o->ptx_bytes + 1, arch, name, "")
                   : cuc__nvfatbin.nvFatbinAddCubin(handle, o->code, o->bytes, arch, name);
        if (code)
            return cuc__fail_nvfatbin(code, function, call, NULL, "adding %s for %s, parts[%zu]",
                                      m->ptx ? "PTX" : "a cubin", m->arch, m->part);
    }
    return CUC_OK;
}

// Returns the packed code, which the caller frees.
static cuc_status pack(char **out, size_t *bytes, const struct members *all, bool compress,
                       const char *function)
{
    nvFatbinHandle handle = NULL;
    char *data = NULL;
    const char *call = "nvFatbinCreate";
    int code = create(&handle, compress);
    cuc_status st = code ? CUC_OK : add_all(handle, all, function);

    if (!code && st == CUC_OK) {
        call = "nvFatbinSize";
        code = cuc__nvfatbin.nvFatbinSize(handle, bytes);
        if (!code && !(data = malloc(*bytes + 1)))
            st = fail_memory(function);
        if (data) {
            call = "nvFatbinGet";
            code = cuc__nvfatbin.nvFatbinGet(handle, data);
        }
    }
    if (code)
        st = cuc__fail_nvfatbin(code, function, call, NULL, "packing a fat binary of %zu members",
                                all->count);
    if (handle)
        cuc__nvfatbin.nvFatbinDestroy(&handle);
    if (st < 0) {
        free(data);
        return st;
    }
    *out = data;
    return CUC_OK;
}

// Collects the name expressions of all parts, each once. The strings are borrowed.
static bool collect_names(const char *(**out)[2], size_t *count, const cuc_fatbin_part *parts,
                          size_t part_count)
{
    size_t most = 0, n = 0;

    for (size_t i = 0; i < part_count; i++)
        most += parts[i].object->name_count;
    const char *(*names)[2] = calloc(most + 1, sizeof(*names));
    if (!names)
        return false;
    for (size_t i = 0; i < part_count; i++)
        for (size_t k = 0; k < parts[i].object->name_count; k++) {
            const cuc_object_mapping *m = &parts[i].object->names[k];
            size_t at = 0;
            while (at < n && strcmp(names[at][0], m->expression) != 0)
                at++;
            names[at][0] = m->expression;
            names[at][1] = m->symbol;
            n += at == n;
        }
    *out = names;
    *count = n;
    return true;
}

cuc_status cuc_fatbin_create(cuc_object **out, const cuc_fatbin_part *parts, size_t count,
                             const cuc_fatbin_options *options)
{
    struct members all = { .count = 0 };
    const char *(*names)[2] = NULL;
    size_t bytes = 0, name_count = 0;
    char *data = NULL;
    cuc_fatbin_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(parts);
    if (!count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "count is 0, expected at least one part");
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_fatbin_options)) < 0 ||
        (st = cuc__check_switch("options.compress", o.compress, __func__)) < 0 ||
        (st = cuc__check_switch("options.ptx", o.ptx, __func__)) < 0 ||
        (o.name && (st = cuc__name_check(o.name, __func__)) < 0))
        return st;
    if ((st = collect(&all, parts, count, o.ptx == CUC_ON, __func__)) == CUC_OK &&
        (st = pack(&data, &bytes, &all, o.compress != CUC_OFF, __func__)) == CUC_OK)
        st = collect_names(&names, &name_count, parts, count)
                 ? cuc__object_create(
                       out, CUC_CODE_FATBIN, data, bytes, NULL, 0, o.name ? o.name : "fatbin",
                       (const char *const(*)[2])(uintptr_t)names, name_count, NULL, __func__)
                 : fail_memory(__func__);
    free(names);
    free(data);
    free(all.at);
    return st;
}
