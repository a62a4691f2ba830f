#include "program.h"

#include "cached.h"
#include "base/array.h"
#include "driver/nvrtc.h"
#include "find/find.h"
#include "known_options.h"
#include "linker.h"
#include "code/object.h"
#include "base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The toolkit headers that sources include: CUDA's own, the compiler's, which come in a separate
// wheel, and CCCL's.
static const char *const default_headers[] = { "cudart", "crt", "cccl" };

// Finds headers. Missing headers are not a failure yet, because most sources include none.
static cuc_found *find_headers(const char *name)
{
    cuc_found *found = cuc__found_create();

    if (found)
        cuc__search_headers(found, cuc__header_row_named(name));
    return found;
}

static cuc_status make_flags(cuc_program *p, const cuc_program_options *o, const char *function)
{
    cuc_found *found[CUC_LENGTH(default_headers)] = { 0 };
    bool no_default = o->no_default_headers == CUC_ON || o->use_bundled_headers == CUC_ON;
    cuc_status st = CUC_OK;

    for (size_t i = 0; i < CUC_LENGTH(default_headers) && !no_default; i++)
        found[i] = find_headers(default_headers[i]);
    for (int32_t target = CUC_CODE_PTX; target <= CUC_CODE_LTOIR && st == CUC_OK; target++) {
        cuc__flags *flags = &p->flags[target - 1];
        // The virtual architecture needs no assembler. It keeps the real one's suffix, because code
        // could not use the suffix's features otherwise.
        const char *start = target == CUC_CODE_PTX ? "--gpu-architecture=compute_"
                                                   : "--gpu-architecture=";
        if (target != CUC_CODE_LTOIR && p->needs_ltoir)
            continue;
        if (target == CUC_CODE_CUBIN && !p->arch.real)
            continue;
        cuc__flags_add(flags, start,
                       target == CUC_CODE_PTX ? strchr(p->arch.text, '_') + 1 : p->arch.text);
        if (target == CUC_CODE_LTOIR)
            cuc__flags_add(flags, "--dlink-time-opt", "");
        st = cuc__options_to_flags(flags, &cuc__program_options_table, o, function);
        for (size_t i = 0; i < CUC_LENGTH(default_headers); i++)
            if (*cuc_found_path(found[i]) &&
                (!i || strcmp(cuc_found_path(found[i]), cuc_found_path(found[i - 1])) != 0))
                cuc__flags_add(flags, "--include-path=", cuc_found_path(found[i]));
        if (flags->no_memory && st == CUC_OK)
            st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the flags");
    }
    for (size_t i = 0; i < CUC_LENGTH(default_headers); i++)
        cuc_found_release(found[i]);
    return st;
}

// Copies the names and strings listed in the options.
static cuc_status copy_lists(cuc_program *p, const cuc_program_options *o, const char *function)
{
    if (o->header_count && !o->headers)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "headers is NULL, with a count of %zu", o->header_count);
    for (size_t i = 0; i < o->header_count; i++) {
        const cuc_program_header *h = &o->headers[i];
        if (!h->name || !*h->name || !h->text)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "headers[%zu].%s is %s", i,
                             h->text ? "name" : "text", h->name && h->text ? "empty" : "NULL");
        size_t bytes = h->bytes ? h->bytes : strlen(h->text);
        char *text = strndup(h->text, bytes);
        if (text && strlen(text) + 1 < bytes) {
            size_t at = strlen(text);
            free(text);
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "headers[%zu], %s, has a zero byte at %zu of %zu", i, h->name, at,
                             bytes);
        }
        cuc__flags_add(&p->header_names, h->name, "");
        if (text)
            cuc__flags_add(&p->header_texts, text, "");
        p->header_texts.no_memory |= !text;
        free(text);
    }
    if (o->name_expression_count && !o->name_expressions)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "name_expressions is NULL, with a count of %zu", o->name_expression_count);
    for (size_t i = 0; i < o->name_expression_count; i++) {
        const char *e = o->name_expressions[i];
        if (!e || !*e)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "name_expressions[%zu] is %s", i,
                             e ? "empty" : "NULL");
        cuc__flags_add(&p->expressions, e, "");
    }
    if (p->header_names.no_memory || p->header_texts.no_memory || p->expressions.no_memory)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a program");
    return CUC_OK;
}

// Decides whether results are cached. They are not if the options have side effects or name inputs
// that a key does not cover, such as NVRTC's own headers.
static void decide_cached(cuc_program *p, const cuc_program_options *o)
{
    const char *extra =
        cuc__unknown_option(CUC__COMPILER_NVRTC, o->extra_options, o->extra_option_count);
    const char *ptxas =
        cuc__unknown_option(CUC__COMPILER_PTXAS, o->ptxas_options, o->ptxas_option_count);
    const char *why = o->time || o->fdevice_time_trace ? "it writes a file of times"
                      : o->pch == CUC_ON || o->create_pch || o->use_pch
                          ? "it uses precompiled headers"
                      : o->fdevice_syntax_only == CUC_ON ? "it makes no code"
                      : o->use_bundled_headers == CUC_ON ? "it uses headers of NVRTC"
                                                         : NULL;

    if (why)
        snprintf(p->not_cached, sizeof(p->not_cached), "%s", why);
    else if (extra || ptxas)
        snprintf(p->not_cached, sizeof(p->not_cached),
                 "%s has \"%.80s\", whose effects are not known",
                 extra ? "extra_options" : "ptxas_options", extra ? extra : ptxas);
}

static cuc_status init_cuda(cuc_program *p, const cuc_program_options *o, const char *function)
{
    cuc_status st = cuc__program_refuse_tile_options(o, "CUDA C++", function);

    if (st < 0 ||
        (st = cuc__check_switch("link_time_optimization", o->link_time_optimization, function)) <
            0 ||
        (st = cuc__check_switch("no_default_headers", o->no_default_headers, function)) < 0)
        return st;
    p->needs_ltoir = o->link_time_optimization == CUC_ON;
    p->pch = o->pch == CUC_ON || o->create_pch;
    if ((st = copy_lists(p, o, function)) < 0 ||
        (st = cuc__arch_read(&p->arch, o->arch, function)) < 0 ||
        (st = make_flags(p, o, function)) < 0)
        return st;
    decide_cached(p, o); // the lists have been checked by now
    return CUC_OK;
}

// Source languages.
static const struct language {
    int32_t kind;     // a CUC_SOURCE_ value
    const char *name; // a source's default name
    cuc_status (*init)(cuc_program *p, const cuc_program_options *o, const char *function);
    cuc_status (*run)(cuc_object **out, cuc_program *p, int32_t target, const char *function);
} languages[] = {
    { CUC_SOURCE_CUDA, "program.cu", init_cuda, cuc__program_run_nvrtc },
    { CUC_SOURCE_PTX, "program.ptx", cuc__program_init_ptx, cuc__program_run_ptx },
    { CUC_SOURCE_TILE, "program.tile", cuc__program_init_tile, cuc__program_run_tile },
};

static const struct language *language_of(int32_t kind)
{
    for (size_t i = 0; i < CUC_LENGTH(languages); i++)
        if (languages[i].kind == kind)
            return &languages[i];
    return NULL;
}

static cuc_status init(cuc_program *p, const char *text, size_t bytes, const cuc_program_options *o,
                       const char *function)
{
    const struct language *language = language_of(p->source_kind);
    const char *name = o->name ? o->name : language->name;
    cuc_status st = cuc__name_check(name, function);

    if (st < 0)
        return st;
    if (!bytes)
        bytes = strlen(text);
    else if (!text[bytes - 1])
        bytes--;
    // Skip the byte order mark that editors put before UTF-8; NVRTC would reject it as stray
    // characters.
    if (bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        bytes -= 3;
    }
    const char *zero = memchr(text, 0, bytes);
    if (zero)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the source text has a zero byte at %zu of %zu: give the length of the "
                         "text, not of its buffer",
                         (size_t)(zero - text), bytes);
    p->name = strdup(name);
    p->text = malloc(bytes + 1);
    if (!p->name || !p->text)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a program of %zu bytes", bytes);
    memcpy(p->text, text, bytes);
    p->text[bytes] = '\0';
    p->bytes = bytes;
    return language->init(p, o, function);
}

cuc_status cuc_program_create(cuc_program **out, int32_t source_kind, const char *text,
                              size_t bytes, const cuc_program_options *options)
{
    cuc_program_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(text);
    if (source_kind == CUC_SOURCE_NVVM)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                        "NVVM IR is not taken yet: pass CUDA C++ (CUC_SOURCE_CUDA), PTX "
                        "(CUC_SOURCE_PTX) or a tile program (CUC_SOURCE_TILE)");
    if (!language_of(source_kind))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "source_kind is %d, expected CUC_SOURCE_CUDA (1), CUC_SOURCE_PTX (2) or "
                        "CUC_SOURCE_TILE (4)",
                        source_kind);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_program_options)) < 0 ||
        (st = cuc__check_reserved("options.reserved", (uint32_t)o.reserved, __func__)) < 0)
        return st;
    if (o.cache)
        CUC_CHECK(o.cache, CACHE);
    cuc_program *p = calloc(1, sizeof(*p));
    if (!p)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a program");
    cuc__handle_init(p, CUC__HANDLE_PROGRAM);
    p->source_kind = source_kind;
    p->cache = cuc_cache_retain(o.cache);
    if ((st = init(p, text, bytes, &o, __func__)) < 0) {
        cuc_program_release(p);
        return st;
    }
    *out = p;
    return CUC_OK;
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

cuc_status cuc__program_check_target(int32_t target, const char *function)
{
    return target >= CUC_CODE_PTX && target <= CUC_CODE_LTOIR
               ? CUC_OK
               : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                           "target is %d (%s), expected CUC_CODE_PTX, CUC_CODE_CUBIN or "
                           "CUC_CODE_LTOIR",
                           target, cuc_code_name(target));
}

cuc_status cuc_program_compile(cuc_object **out, cuc_program *program, int32_t target)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(program, PROGRAM);
    cuc_status st = cuc__program_check_target(target, __func__);
    if (st < 0)
        return st;
    free(program->log);
    program->log = NULL;
    program->pch_status = CUC_PCH_NONE;
    uint64_t start = now_ns();
    st = cuc__program_run_cached(out, program, target, language_of(program->source_kind)->run,
                                 __func__);
    program->compile_ns = now_ns() - start;
    return CUC_PASS(st);
}

const char *cuc_program_log(const cuc_program *program)
{
    return program && program->log ? program->log : "";
}

const char *cuc_program_backend(const cuc_program *program)
{
    return !program                                  ? ""
           : program->source_kind == CUC_SOURCE_TILE ? "cucore"
           : program->linker                         ? cuc_linker_backend(program->linker)
                                                     : "NVRTC";
}

int32_t cuc_program_pch_status(const cuc_program *program)
{
    return program ? program->pch_status : CUC_PCH_NONE;
}

uint64_t cuc_program_compile_ns(const cuc_program *program)
{
    return program ? program->compile_ns : 0;
}

size_t cuc_program_flag_count(const cuc_program *program, int32_t target)
{
    if (!program || target < CUC_CODE_PTX || target > CUC_CODE_LTOIR)
        return 0;
    if (program->linker)
        return target == CUC_CODE_CUBIN ? cuc_linker_flag_count(program->linker) : 0;
    return program->flags[target - 1].count;
}

const char *cuc_program_flag(const cuc_program *program, int32_t target, size_t index)
{
    if (index >= cuc_program_flag_count(program, target))
        return NULL;
    return program->linker ? cuc_linker_flag(program->linker, index)
                           : program->flags[target - 1].at[index];
}

cuc_program *cuc_program_retain(cuc_program *program)
{
    return cuc__handle_retain(program);
}

void cuc_program_release(cuc_program *program)
{
    if (!cuc__handle_drop(program, CUC__HANDLE_PROGRAM))
        return;
    for (size_t i = 0; i < CUC__PROGRAM_TARGETS; i++)
        cuc__flags_free(&program->flags[i]);
    cuc__flags_free(&program->expressions);
    cuc__flags_free(&program->header_names);
    cuc__flags_free(&program->header_texts);
    cuc_linker_release(program->linker);
    cuc_cache_release(program->cache);
    cuc__program_release_tile(&program->tile);
    free(program->name);
    free(program->text);
    free(program->log);
    cuc__handle_free(program);
}
