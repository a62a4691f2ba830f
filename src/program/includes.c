#include "includes.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/name_set.h"
#include "directives.h"
#include "include_places.h"
#include "included.h"
#include "read_ahead.h"
#include "word_search.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_FILES = 20000,
    MOST_BYTES = 1 << 26,
    FIRST_FILES = 6,
    SLOW_FILES = 5,
    CALLS_PER_FILE = 4
};

// A name to look for. The file `from` includes it.
struct request {
    const char *from, *name;
    bool quoted;
};

// A walk over the files that a source may include.
struct scan {
    cuc__key_maker *key;
    const struct cuc__include_source *source;
    time_t began;
    cuc__includes *files;
    struct cuc__name_set seen;    // the files' paths; each value is a file's index plus one
    struct cuc__name_set folders; // searched folders; each value says whether the folder is missing
    struct cuc__name_set names;   // names already looked for everywhere except beside a file
    struct cuc__arena *arena;     // holds the texts of the sets and the requests
    struct request *requests;     // a stack: the last request is the next to handle
    size_t request_count, request_room, bytes;
    struct cuc__included_text text; // the text of the file read last
    int loaded_count, slow_count;   // among the first files: the number read, and the number that
                                    // took long
    struct cuc__read_ahead *ahead;  // NULL: the scan reads every file itself
    struct cuc__directives directives;
};

// Adds a path as missing. Returns NULL if the key is refused.
static struct cuc__included *add_path(struct scan *s, const char *path, size_t bytes)
{
    cuc__includes *files = s->files;
    char *copy = strndup(path, bytes);

    if (!copy || files->count > MOST_FILES ||
        !CUC_RESERVE(files->at, files->room, files->count + 1)) {
        free(copy);
        cuc__key_refuse(s->key, "it may include too many files");
        return NULL;
    }
    files->at[files->count] = (struct cuc__included){ .path = copy };
    if (!cuc__name_set_add(&s->seen, copy, bytes, files->count + 1))
        cuc__key_refuse(s->key, "there is no memory");
    return &files->at[files->count++];
}

static struct cuc__included *find_path(struct scan *s, const char *path, size_t bytes)
{
    const struct cuc__name *found = cuc__name_set_find(&s->seen, path, bytes);

    return found ? &s->files->at[found->value - 1] : NULL;
}

// Adds a copy of a text to a set. The arena owns the copy.
static void add_name(struct scan *s, struct cuc__name_set *set, const char *text, size_t bytes,
                     uintptr_t value)
{
    char *copy = cuc__arena_copy(s->arena, text, bytes);

    if (!copy || !cuc__name_set_add(set, copy, bytes, value))
        cuc__key_refuse(s->key, "there is no memory");
}

// Returns true if the folder does not exist. Adds only the topmost missing folder, which stands for
// all paths in it. Most paths at which a compiler looks for a header are in missing folders.
static bool is_missing_folder(struct scan *s, const char *path, size_t bytes)
{
    const struct cuc__name *known = cuc__name_set_find(&s->folders, path, bytes);
    size_t above = bytes;

    if (known || !bytes)
        return known && known->value;
    while (above && path[above - 1] != '/')
        above--;
    bool missing = above && is_missing_folder(s, path, above - 1);
    if (!missing) {
        missing = cuc__roots_miss_folder(&s->files->roots, path, bytes);
        struct cuc__included *added = missing ? find_path(s, path, bytes) : NULL;
        if (missing && !added)
            added = add_path(s, path, bytes);
        if (added)
            added->kind = CUC__INCLUDED_NO_FOLDER;
    }
    add_name(s, &s->folders, path, bytes, missing);
    return missing;
}

static bool is_in_missing_folder(struct scan *s, const char *path, size_t bytes)
{
    const char *slash = memrchr(path, '/', bytes);

    return slash && is_missing_folder(s, path, (size_t)(slash - path));
}

// Reverses the requests from `first` on.
static void reverse_requests(struct scan *s, size_t first)
{
    for (size_t last = s->request_count; first + 1 < last; first++) {
        struct request r = s->requests[first];
        s->requests[first] = s->requests[--last];
        s->requests[last] = r;
    }
}

// ---- Files

// Reads a file here. Begins to read the others ahead if most of the first files took long.
static enum cuc__included_result load(struct scan *s, struct cuc__included *file, const char *path)
{
    const struct cuc__roots *roots = &s->files->roots;
    const int64_t began = cuc__included_clock();
    enum cuc__included_result result = cuc__included_load(&s->text, file, path, roots, s->began);

    if (result != CUC__INCLUDED_READ || s->loaded_count == FIRST_FILES)
        return result;
    // Hashing takes about a nanosecond a byte.
    int64_t most = CALLS_PER_FILE * CUC__SLOW_CALL_NS + (int64_t)file->state.bytes;
    s->slow_count += cuc__included_clock() - began > most;
    s->loaded_count++;
    if (!cuc__included_slow && (s->loaded_count < FIRST_FILES || s->slow_count < SLOW_FILES))
        return result;
    s->loaded_count = FIRST_FILES;
    s->ahead = cuc__read_ahead_start(s->source, roots, s->began);
    for (size_t i = 0; i < s->request_count && s->ahead; i++) {
        const struct request *r = &s->requests[i];
        cuc__read_ahead_include(s->ahead, r->from, r->name, r->quoted);
    }
    return result;
}

static char *reload(void *scan, const char *from, size_t *bytes)
{
    struct scan *s = scan;
    struct cuc__included *file = find_path(s, from, strlen(from)), now = *file;

    if (!cuc__included_reread(&s->text, &now, &s->files->roots)) {
        cuc__key_refuse(s->key, "%s changes", from);
        return NULL;
    }
    *bytes = (size_t)now.state.bytes;
    return s->text.at;
}

static void read_file(struct scan *s, const struct cuc__included *file,
                      const struct cuc__included_text *text)
{
    size_t first = s->request_count, bytes = (size_t)file->state.bytes;

    s->bytes += bytes;
    if (s->bytes > MOST_BYTES)
        cuc__key_refuse(s->key, "it may include too many files");
    cuc__directives_read_file(&s->directives, file->path, text->at, bytes);
    reverse_requests(s, first);
}

// Adds, once, a file that an include may read, or a record that it is absent.
static void add_candidate(void *scan, const char *path, size_t bytes)
{
    struct scan *s = scan;
    struct cuc__included file = { .path = NULL };
    const struct cuc__included_text *text = &s->text;
    enum cuc__included_result result;

    if (s->key->refused || find_path(s, path, bytes) || is_in_missing_folder(s, path, bytes))
        return;
    struct cuc__read_file *read = s->ahead ? cuc__read_ahead_take(s->ahead, path, bytes) : NULL;
    if (read) {
        file = read->file;
        text = &read->text;
        result = read->result;
    } else {
        result = load(s, &file, path);
    }
    if (result == CUC__INCLUDED_REFUSED)
        cuc__key_refuse(s->key, "%s cannot be read, or has a zero byte", path);
    struct cuc__included *added = add_path(s, path, bytes);
    if (!added || result != CUC__INCLUDED_READ)
        return;
    file.path = added->path;
    *added = file;
    read_file(s, &file, text);
}

// Looks for every file that a request may mean. A name in angle brackets is not looked for beside
// the file.
static void look_for(struct scan *s, const struct request *r)
{
    size_t bytes = strlen(r->name);
    bool fits = !r->quoted || cuc__visit_beside(r->from, r->name, add_candidate, s);

    if (!cuc__name_set_find(&s->names, r->name, bytes)) {
        if (!cuc__name_set_add(&s->names, r->name, bytes, 0))
            cuc__key_refuse(s->key, "there is no memory");
        fits &= cuc__visit_places(s->source, r->name, add_candidate, s);
    }
    if (!fits)
        cuc__key_refuse(s->key, "a path is too long");
}

// Requests a name, unless it is in angle brackets and has already been looked for.
static void add_include(void *scan, const char *from, const char *name, bool quoted)
{
    struct scan *s = scan;
    size_t bytes = strlen(name);

    if (!quoted && cuc__name_set_find(&s->names, name, bytes))
        return;
    name = cuc__arena_copy(s->arena, name, bytes);
    if (name && CUC_RESERVE(s->requests, s->request_room, s->request_count + 1))
        s->requests[s->request_count++] = (struct request){ from, name, quoted };
    else
        cuc__key_refuse(s->key, "there is no memory");
}

static void ignore(void *scan, const char *from, const char *name, bool quoted)
{
    (void)scan, (void)from, (void)name, (void)quoted;
}

// ---- The list of an earlier source

// Makes the key of the list. Sources with the same directives, search places and in-memory headers
// have the same list. Returns false if a source cannot have one.
static bool make_list_key(struct scan *s)
{
    const struct cuc__include_source *source = s->source;
    cuc__key_maker key;
    char here[PATH_MAX];

    cuc__key_begin(&key, "includes 2");
    cuc__key_add_text(&key, cuc_version_string());
    cuc__key_add_text(&key, getcwd(here, sizeof(here)));
    cuc__key_add_text(&key, source->name); // the name may contain a folder
    cuc__key_add_text(&key, source->definitions);
    cuc__key_add_number(&key, source->header_count);
    for (size_t i = 0; i < source->header_count; i++) {
        cuc__key_add_text(&key, source->header_names[i]);
        cuc__key_add_text(&key, source->header_texts[i]);
    }
    cuc__key_add_number(&key, source->folder_count);
    for (size_t i = 0; i < source->folder_count; i++)
        cuc__key_add_text(&key, source->folders[i]);
    cuc__key_add_number(&key, source->first_count);
    for (size_t i = 0; i < source->first_count; i++)
        cuc__key_add_text(&key, source->first[i]);
    size_t lines = cuc__directives_skeleton(&key, &s->directives.texts[0]);
    return cuc__key_finish(&s->files->key, &key) &&
           (lines || source->header_count || source->first_count);
}

static void add_roots(cuc__includes *files, const struct cuc__include_source *source)
{
    for (size_t i = 0; i < source->folder_count; i++)
        cuc__roots_add(&files->roots, source->folders[i]);
}

// Takes the list from the store. Still checks the source for lines that make a key impossible and
// that the list's key does not cover.
static bool recall(struct scan *s, const cuc__store *store)
{
    struct cuc__directives *d = &s->directives;
    cuc__includes *files;
    cuc__entry entry;

    if (!cuc__store_get(&entry, store, &s->files->key))
        return false;
    files = cuc__includes_decode(entry.data, entry.bytes);
    free(entry.file);
    if (files)
        add_roots(files, s->source);
    bool same = files && cuc__includes_unchanged(files, false);
    const char *end = same ? files->operators.at + files->operators.length : NULL;
    for (const char *p = same ? files->operators.at : NULL; same && p < end; p += strlen(p) + 1)
        same = cuc__presence_add(d, p, strlen(p));
    if (!same) {
        cuc__includes_free(files);
        cuc__presence_begin(d);
        return false;
    }
    files->key = s->files->key;
    files->recalled = true;
    cuc__includes_free(s->files);
    s->files = files;
    d->include = ignore;
    cuc__presence_read(d);
    return true;
}

// ---- The scan

static void scan(struct scan *s)
{
    const struct cuc__include_source *source = s->source;
    struct cuc__directives *d = &s->directives;
    cuc__includes *files = s->files;
    cuc__key_maker contents;
    char here[PATH_MAX];

    cuc__roots_open(&files->roots);
    cuc__directives_add(d, NULL, source->definitions);
    for (size_t i = 0; i < source->first_count; i++)
        add_include(s, NULL, source->first[i], true);
    for (size_t i = 0; i < source->header_count; i++)
        cuc__directives_add(d, source->header_names[i], source->header_texts[i]);
    for (size_t texts = 0; texts < d->text_count && !s->key->refused;) {
        texts = d->text_count;
        cuc__directives_read(d);
        // Follow the includes of a file before those that come after it in the including file, as
        // the compiler does. A macro that stands for __has_include is then usually known before a
        // text uses it.
        reverse_requests(s, 0);
        while (s->request_count && !s->key->refused) {
            const struct request r = s->requests[--s->request_count]; // a copy: the array may move
            look_for(s, &r);
        }
    }
    cuc__read_ahead_stop(s->ahead);
    cuc__presence_finish(d);
    cuc__roots_close(&files->roots);
    cuc__key_begin(&contents, "contents 1");
    if (files->count) { // relative paths depend on the folder
        if (getcwd(here, sizeof(here)))
            cuc__key_add_text(&contents, here);
        else
            cuc__key_refuse(s->key, "there is no current folder");
    }
    // The hash omits missing files. If one appears, the hash changes, because it then includes that
    // file.
    for (size_t i = 0; i < files->count; i++) {
        const struct cuc__included *f = &files->at[i];
        if (f->kind < CUC__INCLUDED_KNOWN)
            continue;
        cuc__key_add_text(&contents, f->path);
        cuc__key_add(&contents, f->digest, sizeof(f->digest));
    }
    cuc__sha256_finish(files->contents, &contents.hash);
    for (size_t i = 0; i < d->operator_count; i++)
        cuc__text_append(&files->operators, d->operators[i].name, d->operators[i].bytes + 1);
}

cuc__includes *cuc__key_add_includes(cuc__key_maker *key, const cuc__store *store,
                                     const struct cuc__include_source *source)
{
    struct scan s = {
        .key = key,
        .source = source,
        .began = time(NULL),
        .files = calloc(1, sizeof(*s.files)),
        .arena = cuc__arena_create(),
        .directives = { .key = key,
                        .name = source->name,
                        .include = add_include,
                        .reload = reload,
                        .user = &s },
    };

    s.directives.arena = s.arena;

    cuc__presence_begin(&s.directives);
    if (s.files && s.arena) {
        add_roots(s.files, source);
        cuc__directives_add(&s.directives, NULL, source->text);
    } else {
        cuc__key_refuse(key, "there is no memory");
    }
    if (!key->refused && (!make_list_key(&s) || !store || !recall(&s, store)))
        scan(&s);
    if (!key->refused)
        cuc__key_add(key, s.files->contents, sizeof(s.files->contents));
    if (key->refused || !s.files->count) {
        cuc__includes_free(s.files);
        s.files = NULL;
    }
    cuc__directives_free(&s.directives);
    cuc__name_set_free(&s.seen);
    cuc__name_set_free(&s.folders);
    cuc__name_set_free(&s.names);
    cuc__arena_free(s.arena);
    free(s.requests);
    free(s.text.at);
    return s.files;
}
