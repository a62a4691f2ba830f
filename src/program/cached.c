// Programs in the cache. The key of a program covers its source, its options, the files it may
// include, the target, and which compiler there is; an entry has the code, the log and the names.
#include "cached.h"

#include "base/array.h"
#include "base/bytes.h"
#include "cache/cache.h"
#include "cache/key.h"
#include "code/object.h"
#include "driver/driver.h"
#include "find/find.h"
#include "find/own_folder.h"
#include "includes.h"
#include "linker.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- Keys

static void add_texts(cuc__key_maker *key, const cuc__flags *texts)
{
    cuc__key_add_number(key, texts->count);
    for (size_t i = 0; i < texts->count; i++)
        cuc__key_add_text(key, texts->at[i]);
}

// The path of a library: as it was loaded, or as it would be. False without one.
static bool library_path(char path[PATH_MAX], const char *name)
{
    const cuc__library_row *row = cuc__library_row_named(name);
    cuc_found *found = cuc__library_opened(row);
    char *choice = NULL;

    if (!found && cuc__library_choice(row, &choice))
        found = cuc__search_library(row, choice, NULL);
    free(choice);
    const char *at = cuc_found_path(found);
    bool known = *at == '/' && strlen(at) < PATH_MAX;
    strcpy(path, known ? at : "");
    cuc_found_release(found);
    return known;
}

static void add_library(cuc__key_maker *key, char path[PATH_MAX], const char *name)
{
    if (library_path(path, name))
        cuc__key_add_identity(key, path);
    else
        cuc__key_refuse(key, "the library %s is not found", name);
}

// The key of a program, and what is known besides.
struct program_key {
    cuc__key_maker maker;
    cuc__key key;
    char path[PATH_MAX]; // of the compiler that a miss loads; "": cucore itself compiles
    cuc__key list_key;   // of the entry that lists the files included
    char *list;          // that entry, if it is to be written
    size_t list_bytes;
};

// Finds the key of a program whose included files have not changed since their list was written.
// The list begins with that key.
static bool recall_key(struct program_key *k, const cuc_program *p)
{
    cuc__key_maker list = k->maker;
    char here[PATH_MAX];
    cuc__entry entry;

    cuc__key_add_text(&list, getcwd(here, sizeof(here)));
    if (!cuc__key_finish(&k->list_key, &list) ||
        !cuc__store_get(&entry, cuc__cache_store(p->cache), &k->list_key))
        return false;
    bool same = entry.bytes > sizeof(k->key) &&
                cuc__includes_unchanged(entry.data + sizeof(k->key), entry.bytes - sizeof(k->key));
    if (same)
        memcpy(&k->key, entry.data, sizeof(k->key));
    free(entry.file);
    return same;
}

static void store_list(const struct program_key *k, const cuc_program *p)
{
    char label[CUC__ENTRY_LABEL + 1];
    size_t bytes = sizeof(k->key) + k->list_bytes;
    char *data = k->list ? malloc(bytes) : NULL;

    if (!data)
        return;
    memcpy(data, &k->key, sizeof(k->key));
    memcpy(data + sizeof(k->key), k->list, k->list_bytes);
    snprintf(label, sizeof(label), "files included by %.80s", p->name);
    (void)cuc__store_put(cuc__cache_store(p->cache), &k->list_key, label, data, bytes);
    free(data);
}

// Adds a program of CUDA C++. True if the whole key is known already.
static bool add_cuda(struct program_key *k, const cuc_program *p, int32_t target)
{
    cuc__key_maker *key = &k->maker;
    static const char include[] = "--include-path=", before[] = "--pre-include=";
    const cuc__flags *flags = &p->flags[target - 1];
    const char **folders = malloc(2 * (flags->count + 1) * sizeof(*folders)), **first = folders;
    struct cuc__include_source source = {
        .name = p->name,
        .text = p->text,
        .header_names = p->header_names.at,
        .header_texts = p->header_texts.at,
        .header_count = p->header_names.count,
        .folders = folders,
    };

    if (folders)
        source.first = first = folders + flags->count + 1;

    add_texts(key, flags);
    add_texts(key, &p->expressions);
    add_texts(key, &p->header_names);
    add_texts(key, &p->header_texts);
    // The log warns of a driver older than the PTX.
    cuc__key_add_number(key, target == CUC_CODE_PTX ? (uint64_t)cuc__driver_version() : 0);
    if (p->not_cached)
        cuc__key_refuse(key, "%s", p->not_cached);
    if (!folders)
        cuc__key_refuse(key, "there is no memory");
    for (size_t i = 0; i < flags->count && folders; i++) {
        if (strncmp(flags->at[i], include, strlen(include)) == 0)
            folders[source.folder_count++] = flags->at[i] + strlen(include);
        if (strncmp(flags->at[i], before, strlen(before)) == 0)
            first[source.first_count++] = flags->at[i] + strlen(before);
    }
    add_library(key, k->path, "nvrtc");
    bool known = !key->refused && recall_key(k, p);
    if (!key->refused && !known)
        cuc__key_add_includes(key, &k->list, &k->list_bytes, &source);
    free(folders);
    return known;
}

static void add_tile(cuc__key_maker *key, char path[PATH_MAX], const cuc_program *p, int32_t target)
{
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
    char own[PATH_MAX];

    cuc__key_add(key, numbers, sizeof(numbers));
    cuc__key_add(key, &t->limits.seconds, sizeof(t->limits.seconds));
    cuc__key_add_text(key, t->arch.text);
    add_texts(key, &t->constants);
    add_texts(key, &t->dimensions);
    add_texts(key, &t->ptxas_options);
    if (t->of_device && t->dimensions.count)
        cuc__key_refuse(key, "records of this device may choose its constants");
    if (t->further.count || t->assemble.time == CUC_ON)
        cuc__key_refuse(key, "it has options whose effect is not known");
    if (cuc__own_file(own, sizeof(own)))
        cuc__key_add_identity(key, own);
    else
        cuc__key_refuse(key, "the library's own file is not known");
    if (target == CUC_CODE_CUBIN)
        add_library(key, path, "nvjitlink");
}

// Makes the key of a program; false if there is none.
static bool make_key(struct program_key *k, const cuc_program *p, int32_t target)
{
    cuc__key_maker *key = &k->maker;
    bool known = false;

    cuc__key_begin(key, "program 1");
    cuc__key_add_text(key, cuc_version_string());
    cuc__key_add_number(key, (uint64_t)p->source_kind);
    cuc__key_add_number(key, (uint64_t)target);
    cuc__key_add_text(key, p->name);
    cuc__key_add(key, p->text, p->bytes);
    if (p->source_kind == CUC_SOURCE_TILE)
        add_tile(key, k->path, p, target);
    else
        known = add_cuda(k, p, target);
    return known || cuc__key_finish(&k->key, key);
}

// ---- Entries: a list of fields, each a length of 8 bytes and as many bytes

static void write_field(FILE *f, const void *data, size_t bytes)
{
    unsigned char length[8];

    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)bytes >> 8 * i);
    fwrite(length, 1, sizeof(length), f);
    if (bytes)
        fwrite(data, 1, bytes, f);
}

static void write_text(FILE *f, const char *text)
{
    write_field(f, text ? text : "", text ? strlen(text) + 1 : 1);
}

static char *encode(size_t *bytes, const cuc_object *object, const cuc_program *p)
{
    const unsigned char kind = (unsigned char)object->kind;
    char *data = NULL;
    FILE *f = open_memstream(&data, bytes);

    if (!f)
        return NULL;
    write_field(f, &kind, 1);
    write_field(f, object->code, object->bytes);
    write_field(f, object->ptx == object->code ? NULL : object->ptx,
                object->ptx == object->code ? 0 : object->ptx_bytes);
    write_text(f, object->log);
    write_text(f, p->log);
    for (size_t i = 0; i < object->name_count; i++) {
        write_text(f, object->names[i].expression);
        write_text(f, object->names[i].symbol);
    }
    if (fclose(f) != 0) {
        free(data);
        return NULL;
    }
    return data;
}

struct field {
    const char *at;
    size_t bytes;
};

static bool read_field(struct field *out, struct field *rest)
{
    if (rest->bytes < 8)
        return false;
    uint64_t bytes = cuc__read_le(rest->at, 0, 8);
    if (bytes > rest->bytes - 8)
        return false;
    *out = (struct field){ rest->at + 8, (size_t)bytes };
    rest->at += 8 + bytes;
    rest->bytes -= 8 + bytes;
    return true;
}

static bool read_text(const char **out, struct field *rest)
{
    struct field field;

    if (!read_field(&field, rest) || !field.bytes || field.at[field.bytes - 1])
        return false;
    *out = field.at;
    return true;
}

// Makes the object of an entry. False if it has another format, or without memory.
static bool decode(cuc_object **out, cuc_program *p, const cuc__entry *entry, const char *function)
{
    struct field rest = { entry->data, entry->bytes }, kind, code, ptx;
    const char *object_log, *log;
    const char *(*names)[2] = NULL;
    size_t count = 0, capacity = 0;
    bool ok = read_field(&kind, &rest) && kind.bytes == 1 && read_field(&code, &rest) &&
              read_field(&ptx, &rest) && read_text(&object_log, &rest) && read_text(&log, &rest);

    while (ok && rest.bytes) {
        ok = CUC_RESERVE(names, capacity, count + 1) && read_text(&names[count][0], &rest) &&
             read_text(&names[count][1], &rest);
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

static bool find(cuc_object **out, cuc_program *p, const cuc__key *key, const char *function)
{
    cuc__entry entry;

    if (!cuc__cache_get(&entry, p->cache, key))
        return false;
    bool ok = decode(out, p, &entry, function);
    free(entry.file);
    return ok;
}

// True if the compiler that ran is the one in the key: `path`, "" for cucore alone.
static bool was_compiled_by(const cuc_program *p, const char *path)
{
    char loaded[PATH_MAX];

    if (!*path)
        return true;
    if (p->source_kind == CUC_SOURCE_TILE && p->linker->backend != CUC_LINKER_NVJITLINK)
        return false;
    return library_path(loaded, p->source_kind == CUC_SOURCE_TILE ? "nvjitlink" : "nvrtc") &&
           strcmp(loaded, path) == 0;
}

static void store(const cuc_object *object, const cuc_program *p, const cuc__key *key)
{
    char label[CUC__ENTRY_LABEL + 1];
    size_t bytes = 0;
    char *data = encode(&bytes, object, p);

    if (!data)
        return;
    snprintf(label, sizeof(label), "%s of %.80s for %s", cuc_code_name(object->kind), p->name,
             p->source_kind == CUC_SOURCE_TILE ? p->tile.arch.text : p->arch.text);
    cuc__cache_put(p->cache, key, label, data, bytes);
    free(data);
}

// Compiles and stores the result.
static cuc_status compile(cuc_object **out, struct program_key *k, bool may, cuc_program *p,
                          int32_t target, cuc__program_run run, const char *function)
{
    char line[400];
    cuc_status st = run(out, p, target, function);

    if (st < 0)
        return st;
    if (may && was_compiled_by(p, k->path)) {
        store(*out, p, &k->key);
        store_list(k, p);
    }
    if (!may && p->source_kind == CUC_SOURCE_CUDA) {
        snprintf(line, sizeof(line), "cucore: not cached: %s\n", k->maker.why);
        cuc__program_add_log(p, line);
    }
    return st;
}

cuc_status cuc__program_run_cached(cuc_object **out, cuc_program *p, int32_t target,
                                   cuc__program_run run, const char *function)
{
    struct program_key k = { .list = NULL };
    cuc_object *made = NULL;
    cuc_status st = CUC_OK;

    // The linker of PTX has loaded nvJitLink by now, and PTX as it is needs no compiler.
    if (p->source_kind == CUC_SOURCE_PTX || !cuc__cache_works(p->cache))
        return run(out, p, target, function);
    if (p->source_kind == CUC_SOURCE_TILE && target != CUC_CODE_LTOIR &&
        (st = cuc__program_read_arch(p, function)) < 0)
        return st;
    bool may = make_key(&k, p, target);
    if (may && find(&made, p, &k.key, function)) {
        store_list(&k, p); // the files have new times, or there is another list of them
    } else {
        int lock = may ? cuc__cache_lock(p->cache, &k.key) : -1;
        // Another process may have compiled it while this one waited.
        if (lock < 0 || !find(&made, p, &k.key, function))
            st = compile(&made, &k, may, p, target, run, function);
        cuc__store_unlock(lock);
    }
    free(k.list);
    if (st == CUC_OK)
        *out = made;
    return st;
}

cuc_status cuc_program_get_key(uint8_t *out, cuc_program *program, int32_t target)
{
    struct program_key k = { .list = NULL };
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(program, PROGRAM);
    if ((st = cuc__program_check_target(target, __func__)) < 0)
        return st;
    if (program->source_kind == CUC_SOURCE_PTX)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "%s has no key: PTX sources are not cached",
                        program->name);
    if (program->source_kind == CUC_SOURCE_TILE &&
        (st = cuc__program_read_arch(program, __func__)) < 0)
        return st;
    bool made = make_key(&k, program, target);
    free(k.list);
    if (!made)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "%s has no key: %s", program->name, k.maker.why);
    memcpy(out, k.key.bytes, sizeof(k.key.bytes));
    return CUC_OK;
}
