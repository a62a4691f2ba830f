// Compiles programs through the cache. A program's key covers its source, its options, the files
// that it may include, the target and the compiler. An entry has the code, the log and the names.
#include "cached.h"

#include "base/array.h"
#include "cache/cache.h"
#include "code/object.h"
#include "driver/driver.h"
#include "entry.h"
#include "find/own_folder.h"
#include "includes.h"
#include "known_options.h"
#include "linker.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Keys

static int is_of_nvrtc(const struct dirent *e)
{
    static const char start[] = "libnvrtc-builtins.";

    return strncmp(e->d_name, start, strlen(start)) == 0;
}

// Adds to the key the libraries that NVRTC loads from its folder, one for each NVRTC release there.
static void add_beside_nvrtc(cuc__key_maker *key, const char *nvrtc)
{
    char real[PATH_MAX], path[PATH_MAX];
    struct dirent **files = NULL;

    if (!*nvrtc || !realpath(nvrtc, real))
        return; // the key has already been refused
    *strrchr(real, '/') = '\0';
    int count = scandir(*real ? real : "/", &files, is_of_nvrtc, alphasort);
    for (int i = 0; i < count; i++) {
        if (snprintf(path, sizeof(path), "%s/%s", real, files[i]->d_name) < (int)sizeof(path))
            cuc__key_add_identity(key, path);
        free(files[i]);
    }
    free(files);
}

// Makes a key of NVRTC and the libraries that it loads. Returns false if they cannot be identified.
static bool make_nvrtc_key(cuc__key_maker *key, cuc__key *out, char path[PATH_MAX])
{
    cuc__key_begin(key, "nvrtc 1");
    cuc__key_add_compiler(key, path, "nvrtc");
    add_beside_nvrtc(key, path);
    return cuc__key_finish(out, key);
}

// A program's key, and what else is known about its compilation.
struct program_key {
    cuc__key_maker maker;
    cuc__key key;
    bool told;               // the log says why there is no key
    char path[PATH_MAX];     // path of the compiler that a miss loads; "" if cucore itself compiles
    cuc__key nvrtc;          // for CUDA C++: one key for NVRTC together with the libraries that it
                             // loads
    cuc__includes *included; // NULL: no files
};

// Writes a #define for each macro in the options. The caller frees the text. Returns NULL if out of
// memory.
static char *definitions_of(const cuc__flags *flags)
{
    static const char define[] = "--define-macro=";
    struct cuc__text text = { .at = NULL };

    cuc__text_append(&text, "", 0); // "" without macros
    for (size_t i = 0; i < flags->count; i++) {
        const char *macro = flags->at[i] + strlen(define);
        if (strncmp(flags->at[i], define, strlen(define)) == 0)
            cuc__text_put(&text, "#define %.*s %s\n", (int)strcspn(macro, "="), macro,
                          strchr(macro, '=') ? strchr(macro, '=') + 1 : "1");
    }
    if (text.lost) {
        free(text.at);
        return NULL;
    }
    return text.at;
}

static void add_cuda(struct program_key *k, const cuc_program *p, int32_t target)
{
    cuc__key_maker *key = &k->maker;
    static const char include[] = "--include-path=", before[] = "--pre-include=";
    const cuc__flags *flags = &p->flags[target - 1];
    cuc__key_maker nvrtc;
    const char **folders = malloc(2 * (flags->count + 1) * sizeof(*folders)), **first = folders;
    char *definitions = definitions_of(flags);
    struct cuc__include_source source = {
        .name = p->name,
        .text = p->text,
        .definitions = definitions,
        .header_names = p->header_names.at,
        .header_texts = p->header_texts.at,
        .header_count = p->header_names.count,
        .folders = folders,
    };

    k->told = true;
    if (folders)
        source.first = first = folders + flags->count + 1;

    cuc__key_add_texts(key, flags);
    cuc__key_add_texts(key, &p->expressions);
    cuc__key_add_texts(key, &p->header_names);
    cuc__key_add_texts(key, &p->header_texts);
    // The stored log may contain a warning that the driver is older than the PTX, so the driver's
    // version is part of the key.
    cuc__key_add_number(key, target == CUC_CODE_PTX ? (uint64_t)cuc__driver_version() : 0);
    if (*p->not_cached)
        cuc__key_refuse(key, "%s", p->not_cached);
    if (!folders || !definitions)
        cuc__key_refuse(key, "there is no memory");
    for (size_t i = 0; i < flags->count && folders; i++) {
        size_t bytes = strlen(flags->at[i]);
        if (strchr(flags->at[i], '\n') || isspace((unsigned char)flags->at[i][bytes - 1]))
            cuc__key_refuse(key, "an option has several lines, or ends with a blank");
        if (strncmp(flags->at[i], include, strlen(include)) == 0)
            folders[source.folder_count++] = flags->at[i] + strlen(include);
        if (strncmp(flags->at[i], before, strlen(before)) == 0)
            first[source.first_count++] = flags->at[i] + strlen(before);
    }
    if (make_nvrtc_key(&nvrtc, &k->nvrtc, k->path))
        cuc__key_add(key, k->nvrtc.bytes, sizeof(k->nvrtc.bytes));
    else
        cuc__key_refuse(key, "%s", nvrtc.why);
    if (!key->refused)
        k->included = cuc__key_add_includes(key, cuc__cache_store(p->cache), &source);
    free(definitions);
    free(folders);
}

static void add_tile(struct program_key *k, const cuc_program *p, int32_t target,
                     const char *function)
{
    cuc__key_maker *key = &k->maker;
    const struct cuc__program_tile *t = &p->tile;
    const struct tile_target *m = &t->target;
    const uint64_t numbers[] = {
        (uint64_t)m->sm,
        m->specific,
        m->warps,
        m->stages,
        m->cluster,
        m->split,
        m->raster,
        m->contract,
        m->lineinfo,
        m->require_tma,
        m->require_tensor_core,
        t->of_device,
        t->remarks,
        t->limits.operations,
        t->limits.ptx_bytes,
        t->limits.memory_bytes,
        (uint64_t)t->assemble.debug,
        (uint64_t)t->assemble.lineinfo,
        (uint64_t)t->assemble.max_register_count,
        (uint64_t)t->assemble.split_compile,
        (uint64_t)t->assemble.no_cache,
    };
    const char *unknown = cuc__unknown_option(
        CUC__COMPILER_PTXAS, (const char *const *)t->ptxas_options.at, t->ptxas_options.count);
    char own[PATH_MAX];

    if (!unknown)
        unknown = cuc__unknown_option(CUC__COMPILER_NVJITLINK, (const char *const *)t->further.at,
                                      t->further.count);
    cuc__key_add(key, numbers, sizeof(numbers));
    cuc__key_add(key, &t->limits.seconds, sizeof(t->limits.seconds));
    cuc__key_add_text(key, t->arch.text);
    cuc__key_add_texts(key, &t->constants);
    cuc__key_add_texts(key, &t->dimensions);
    cuc__key_add_texts(key, &t->ptxas_options);
    if (t->of_device && t->dimensions.count)
        cuc__program_add_records(key, p, function);
    cuc__key_add_texts(key, &t->further);
    if (t->assemble.time == CUC_ON || unknown) {
        cuc__key_refuse(key, "it has the option \"%.80s\", whose effects are not known",
                        unknown ? unknown : "time");
        k->told = true;
    }
    if (cuc__own_file(own, sizeof(own)))
        cuc__key_add_identity(key, own);
    else
        cuc__key_refuse(key, "the library's own file is not known");
    if (target == CUC_CODE_CUBIN)
        cuc__key_add_compiler(key, k->path, "nvjitlink");
}

// Makes a program's key. Returns false if there is none.
static bool make_key(struct program_key *k, const cuc_program *p, int32_t target,
                     const char *function)
{
    cuc__key_maker *key = &k->maker;

    cuc__key_begin(key, "program 2");
    cuc__key_add_text(key, cuc_version_string());
    cuc__key_add_number(key, (uint64_t)p->source_kind);
    cuc__key_add_number(key, (uint64_t)target);
    cuc__key_add_text(key, p->name);
    cuc__key_add(key, p->text, p->bytes);
    if (p->source_kind == CUC_SOURCE_TILE)
        add_tile(k, p, target, function);
    else
        add_cuda(k, p, target);
    return cuc__key_finish(&k->key, key);
}

// ---- Entries

static void encode(struct cuc__text *entry, const cuc_object *object, const cuc_program *p)
{
    const unsigned char kind = (unsigned char)object->kind;

    cuc__field_write(entry, &kind, 1);
    cuc__field_write(entry, object->code, object->bytes);
    cuc__field_write(entry, object->ptx == object->code ? NULL : object->ptx,
                     object->ptx == object->code ? 0 : object->ptx_bytes);
    cuc__text_write(entry, object->log);
    cuc__text_write(entry, p->log);
    for (size_t i = 0; i < object->name_count; i++) {
        cuc__text_write(entry, object->names[i].expression);
        cuc__text_write(entry, object->names[i].symbol);
    }
}

// Creates an object from an entry. Returns false if the entry has another format, or if out of
// memory.
static bool decode(cuc_object **out, cuc_program *p, const cuc__entry *entry, const char *function)
{
    struct cuc__field rest = { entry->data, entry->bytes }, kind, code, ptx;
    const char *object_log, *log;
    const char *(*names)[2] = NULL;
    size_t count = 0, capacity = 0;
    bool ok = cuc__field_read(&kind, &rest) && kind.bytes == 1 && cuc__field_read(&code, &rest) &&
              cuc__field_read(&ptx, &rest) && cuc__text_read(&object_log, &rest) &&
              cuc__text_read(&log, &rest);

    while (ok && rest.bytes) {
        ok = CUC_RESERVE(names, capacity, count + 1) && cuc__text_read(&names[count][0], &rest) &&
             cuc__text_read(&names[count][1], &rest);
        count += ok;
    }
    ok = ok && cuc__object_create(out, *kind.at, code.at, code.bytes, ptx.bytes ? ptx.at : NULL,
                                  ptx.bytes, p->name, (const char *const(*)[2])names, count,
                                  object_log, function) == CUC_OK;
    if (ok)
        cuc__program_add_log(p, log);
    free(names);
    return ok;
}

// ---- Compilation

// Looks up an entry. A miss locks the key.
static bool find(cuc_object **out, int *lock, cuc_program *p, const cuc__key *key,
                 const char *function)
{
    cuc__entry entry;

    if (!cuc__cache_get(&entry, lock, p->cache, key))
        return false;
    bool ok = decode(out, p, &entry, function);
    free(entry.file);
    return ok;
}

// Returns true if the compiler that ran is the one in the key: the library at `path`, or only
// cucore if `path` is "".
static bool was_compiled_by(const cuc_program *p, const char *path)
{
    char loaded[PATH_MAX];

    if (!*path)
        return true;
    if (p->source_kind == CUC_SOURCE_TILE && p->linker->backend != CUC_LINKER_NVJITLINK)
        return false;
    return cuc__compiler_path(loaded, p->source_kind == CUC_SOURCE_TILE ? "nvjitlink" : "nvrtc") &&
           strcmp(loaded, path) == 0;
}

static void store(const cuc_object *object, const cuc_program *p, const cuc__key *key)
{
    char label[CUC__ENTRY_LABEL + 1];
    struct cuc__text entry = { .at = NULL };

    encode(&entry, object, p);
    snprintf(label, sizeof(label), "%s of %.80s for %s", cuc_code_name(object->kind), p->name,
             p->source_kind == CUC_SOURCE_TILE ? p->tile.arch.text : p->arch.text);
    if (!entry.lost)
        cuc__cache_put(p->cache, key, label, entry.at, entry.length);
    free(entry.at);
}

// Returns true if the files that went into the key did not change while the compiler read them, and
// if the installed compiler is still the one in the key. In that case, no other compiler was
// loaded.
static bool is_unchanged(const struct program_key *k, const cuc_program *p, int32_t target,
                         const char *function)
{
    struct program_key now = { .included = NULL };

    if (k->included)
        return make_nvrtc_key(&now.maker, &now.nvrtc, now.path) &&
               memcmp(&now.nvrtc, &k->nvrtc, sizeof(now.nvrtc)) == 0 &&
               cuc__includes_unchanged(k->included, true);
    bool same = make_key(&now, p, target, function) &&
                memcmp(&now.key, &k->key, sizeof(now.key)) == 0;
    cuc__includes_free(now.included);
    return same;
}

// Compiles, and stores the result.
static cuc_status compile(cuc_object **out, struct program_key *k, bool may, cuc_program *p,
                          int32_t target, cuc__program_run run, const char *function)
{
    char line[400];
    cuc_status st = run(out, p, target, function);

    if (st < 0)
        return st;
    if (may && was_compiled_by(p, k->path) && is_unchanged(k, p, target, function))
        store(*out, p, &k->key);
    if (!may && k->told) {
        snprintf(line, sizeof(line), "cucore: not cached: %s\n", k->maker.why);
        cuc__program_add_log(p, line);
    }
    return st;
}

cuc_status cuc__program_run_cached(cuc_object **out, cuc_program *p, int32_t target,
                                   cuc__program_run run, const char *function)
{
    struct program_key k = { .included = NULL };
    cuc_object *made = NULL;
    cuc_status st = CUC_OK;
    int lock = -1;

    // Results of linking PTX are cached by the linker. PTX that is returned unchanged needs no
    // compiler.
    if (p->source_kind == CUC_SOURCE_PTX || !cuc__cache_works(p->cache))
        return run(out, p, target, function);
    if (p->source_kind == CUC_SOURCE_TILE && target != CUC_CODE_LTOIR &&
        (st = cuc__program_read_arch(p, function)) < 0)
        return st;
    bool may = make_key(&k, p, target, function);
    if (!may || !find(&made, &lock, p, &k.key, function))
        st = compile(&made, &k, may, p, target, run, function);
    cuc__store_unlock(lock);
    if (k.included) // even if the source did not compile
        cuc__includes_store(k.included, cuc__cache_store(p->cache), p->name);
    cuc__includes_free(k.included);
    if (st == CUC_OK)
        *out = made;
    return st;
}

cuc_status cuc_program_get_key(uint8_t *out, cuc_program *program, int32_t target)
{
    struct program_key k = { .included = NULL };
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(program, PROGRAM);
    if ((st = cuc__program_check_target(target, __func__)) < 0)
        return st;
    if (program->source_kind == CUC_SOURCE_PTX)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                        "%s has no key: a PTX source is linked, and its link is cached",
                        program->name);
    if (program->source_kind == CUC_SOURCE_TILE &&
        (st = cuc__program_read_arch(program, __func__)) < 0)
        return st;
    bool made = make_key(&k, program, target, __func__);
    cuc__includes_free(k.included);
    if (!made)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "%s has no key: %s", program->name, k.maker.why);
    memcpy(out, k.key.bytes, sizeof(k.key.bytes));
    return CUC_OK;
}
