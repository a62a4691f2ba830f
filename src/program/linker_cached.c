// Links with nvJitLink through the cache. The key covers the inputs, the options, the architecture
// and the installed nvJitLink. An entry has the code, its PTX and the log. The result gets its
// names from the inputs.
#include "cache/cache.h"
#include "driver/nvjitlink.h"
#include "entry.h"
#include "linker.h"

#include <stdlib.h>
#include <string.h>

// ---- nvJitLink itself

// Makes the key of the entry that records that a file has been loaded as nvJitLink. Returns false
// if the file cannot be identified.
static bool make_library_key(cuc__key *out, char path[PATH_MAX])
{
    cuc__key_maker key;

    cuc__key_begin(&key, "nvjitlink 1");
    cuc__key_add_text(&key, cuc_version_string());
    cuc__key_add_compiler(&key, path, "nvjitlink");
    return cuc__key_finish(out, &key);
}

bool cuc__linker_recall_nvjitlink(cuc_linker *l)
{
    char path[PATH_MAX];
    cuc__entry entry;
    cuc__key key;

    if (!cuc__cache_works(l->cache) || !make_library_key(&key, path) ||
        !cuc__store_get(&entry, cuc__cache_store(l->cache), &key))
        return false;
    free(entry.file);
    l->library = strdup(path);
    return l->library != NULL;
}

void cuc__linker_note_nvjitlink(cuc_linker *l)
{
    char path[PATH_MAX];
    cuc__entry entry;
    cuc__key key;

    if (!cuc__cache_works(l->cache) || !make_library_key(&key, path) ||
        !(l->library = strdup(path)))
        return;
    if (cuc__store_get(&entry, cuc__cache_store(l->cache), &key))
        free(entry.file);
    else
        (void)cuc__store_put(cuc__cache_store(l->cache), &key, "nvJitLink, as it was loaded", path,
                             strlen(path));
}

// ---- Keys and entries

static bool make_key(cuc__key *out, const cuc_linker *l, const cuc__arch *arch, int32_t target)
{
    cuc__key_maker key;

    cuc__key_begin(&key, "link 1");
    cuc__key_add_text(&key, cuc_version_string());
    cuc__key_add_number(&key, (uint64_t)target);
    cuc__key_add_text(&key, arch->text);
    cuc__key_add_number(&key, (uint64_t)l->link_time_optimization);
    cuc__key_add_number(&key, (uint64_t)l->keep_ptx);
    cuc__key_add_texts(&key, &l->flags);
    cuc__key_add_number(&key, l->count);
    for (size_t i = 0; i < l->count; i++) {
        cuc__key_add_number(&key, (uint64_t)l->inputs[i].kind);
        cuc__key_add_text(&key, l->inputs[i].name);
        cuc__key_add(&key, l->inputs[i].data, l->inputs[i].bytes);
    }
    cuc__key_add_identity(&key, l->library);
    return cuc__key_finish(out, &key);
}

static void encode(struct cuc__text *entry, const cuc__linked *linked, const cuc_linker *l)
{
    const unsigned char kind = (unsigned char)linked->kind;

    cuc__field_write(entry, &kind, 1);
    cuc__field_write(entry, linked->code, linked->bytes);
    cuc__field_write(entry, linked->ptx, linked->ptx ? linked->ptx_bytes : 0);
    cuc__text_write(entry, l->info_log);
}

static void store(const cuc__linked *linked, const cuc_linker *l, const char *arch,
                  const cuc__key *key)
{
    char label[CUC__ENTRY_LABEL + 1];
    struct cuc__text entry = { .at = NULL };

    encode(&entry, linked, l);
    snprintf(label, sizeof(label), "%s of %zu input%s, %.80s, for %s", cuc_code_name(linked->kind),
             l->count, l->count == 1 ? "" : "s", l->inputs[0].name, arch);
    if (!entry.lost)
        cuc__cache_put(l->cache, key, label, entry.at, entry.length);
    free(entry.at);
}

// Copies a field and appends a NUL.
static char *copy_of(struct cuc__field field)
{
    char *copy = malloc(field.bytes + 1);

    if (copy) {
        memcpy(copy, field.at, field.bytes);
        copy[field.bytes] = '\0';
    }
    return copy;
}

// Takes the result from an entry. Returns false if the entry has another format, or if out of
// memory.
static bool decode(cuc__linked *out, cuc_linker *l, const cuc__entry *entry)
{
    struct cuc__field rest = { entry->data, entry->bytes }, kind, code, ptx;
    const char *log;

    if (!cuc__field_read(&kind, &rest) || kind.bytes != 1 || !cuc__field_read(&code, &rest) ||
        !cuc__field_read(&ptx, &rest) || !cuc__text_read(&log, &rest))
        return false;
    cuc__linked linked = {
        .kind = *kind.at,
        .code = copy_of(code),
        .bytes = code.bytes,
        .ptx = ptx.bytes ? copy_of(ptx) : NULL,
        .ptx_bytes = ptx.bytes,
    };
    char *info_log = *log ? strdup(log) : NULL;
    if (!linked.code || (ptx.bytes && !linked.ptx) || (*log && !info_log)) {
        free(linked.code);
        free(linked.ptx);
        free(info_log);
        return false;
    }
    *out = linked;
    l->info_log = info_log;
    return true;
}

// ---- Links

// Links without the cache and explains why in the log.
static cuc_status run_uncached(cuc__linked *out, cuc_linker *l, const cuc__arch *arch,
                               int32_t target, const char *function)
{
    char line[200];
    cuc_status st = cuc__linker_run_nvjitlink(out, l, arch, target, function);

    snprintf(line, sizeof(line), "cucore: not cached: %s\n",
             *l->not_cached ? l->not_cached : "the file of nvJitLink is not known");
    if (st == CUC_OK)
        cuc__log_add(&l->info_log, line);
    return st;
}

cuc_status cuc__linker_run_cached(cuc__linked *out, cuc_linker *l, int32_t target,
                                  const char *function)
{
    char loaded[PATH_MAX];
    cuc__entry entry;
    cuc__arch arch;
    cuc__key key;
    int lock;
    cuc_status st = cuc__linker_read_arch(&arch, l, function);

    if (st < 0)
        return st;
    if (!cuc__cache_works(l->cache))
        return cuc__linker_run_nvjitlink(out, l, &arch, target, function);
    if (*l->not_cached || !l->library || !make_key(&key, l, &arch, target))
        return run_uncached(out, l, &arch, target, function);
    bool hit = cuc__cache_get(&entry, &lock, l->cache, &key);
    bool done = hit && decode(out, l, &entry);
    if (hit)
        free(entry.file);
    if (!done)
        st = cuc__linker_run_nvjitlink(out, l, &arch, target, function);
    if (!done && st == CUC_OK && cuc__compiler_path(loaded, "nvjitlink") &&
        strcmp(loaded, l->library) == 0)
        store(out, l, arch.text, &key);
    cuc__store_unlock(lock);
    return st;
}
