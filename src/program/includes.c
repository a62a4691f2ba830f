#include "includes.h"

#include "base/array.h"
#include "base/file.h"
#include "base/name_set.h"
#include "base/text.h"
#include "directives.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 20000, MOST_BYTES = 1 << 26, SETTLED_SECONDS = 2 };

// The state of a file, which differs after a change. All fields zero: the file does not exist.
struct state {
    uint64_t there, bytes, device, inode;
    int64_t modified_s, modified_ns, changed_s, changed_ns;
};

static struct state state_of(const struct stat *about)
{
    return (struct state){
        .there = 1,
        .bytes = (uint64_t)about->st_size,
        .device = about->st_dev,
        .inode = about->st_ino,
        .modified_s = about->st_mtim.tv_sec,
        .modified_ns = about->st_mtim.tv_nsec,
        .changed_s = about->st_ctim.tv_sec,
        .changed_ns = about->st_ctim.tv_nsec,
    };
}

// A walk over the files. `seen` has those that were read or found missing.
struct scan {
    cuc__key_maker *key;
    const struct cuc__include_source *source;
    struct cuc__name_set seen;
    struct included {
        char *path;
        struct state state;
    } * paths; // the texts of `seen`
    size_t path_count, path_room;
    size_t bytes;
    struct cuc__directives directives;
};

// Reads a whole file. NULL: it does not exist, or the key has been refused.
static char *read_file(struct scan *s, const char *path, struct state *state)
{
    char *text = NULL;
    struct stat about;
    size_t at = 0;
    int fd = cuc__open(path, O_RDONLY | O_NONBLOCK); // does not wait for the writer of a pipe

    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            cuc__key_refuse(s->key, "%s cannot be read", path);
        return NULL;
    }
    bool known = fstat(fd, &about) == 0;
    if (known && S_ISDIR(about.st_mode)) { // the compiler continues to search
        close(fd);
        return NULL;
    }
    if (known && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES)
        text = malloc((size_t)about.st_size + 1);
    if (text)
        at = cuc__read_up_to(text, (size_t)about.st_size, fd);
    close(fd);
    if (!text) {
        cuc__key_refuse(s->key, "%s cannot be read", path);
        return NULL;
    }
    text[at] = '\0';
    *state = state_of(&about);
    if (strlen(text) != (size_t)about.st_size)
        cuc__key_refuse(s->key, "%s has a zero byte, or changes", path);
    return text;
}

// Adds, once, a file that an include may read, or its absence.
static void add_candidate(struct scan *s, const char *path)
{
    if (s->key->refused || cuc__name_set_find(&s->seen, path, strlen(path)))
        return;
    char *copy = strdup(path);
    if (!copy || s->path_count > MOST_FILES ||
        !CUC_RESERVE(s->paths, s->path_room, s->path_count + 1)) {
        free(copy);
        cuc__key_refuse(s->key, "it may include too many files");
        return;
    }
    struct included *added = &s->paths[s->path_count++];
    *added = (struct included){ .path = copy };
    if (!cuc__name_set_add(&s->seen, copy, strlen(copy), 0))
        cuc__key_refuse(s->key, "there is no memory");
    char *text = read_file(s, copy, &added->state);
    cuc__key_add_text(s->key, copy);
    cuc__key_add_text(s->key, text);
    if (!text)
        return;
    s->bytes += strlen(text);
    if (s->bytes > MOST_BYTES)
        cuc__key_refuse(s->key, "it may include too many files");
    cuc__directives_add(&s->directives, copy, text);
    free(text);
}

// Adds `name` in a folder, which ends with a slash or is "". For a name without a dot, NVRTC also
// accepts the file name.stdh.
static void add_in(struct scan *s, const char *folder, size_t folder_bytes, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *last = strchr(slash ? slash : name, '.') ? "" : ".stdh";
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof(path), "%.*s%s", (int)folder_bytes, folder, name);

    if (bytes < 0 || (size_t)bytes + strlen(last) >= sizeof(path)) {
        cuc__key_refuse(s->key, "a path is too long");
        return;
    }
    add_candidate(s, path);
    if (*last) {
        strcpy(path + bytes, last);
        add_candidate(s, path);
    }
}

// Adds `name` in the folder of a file, if its path has one.
static void add_beside(struct scan *s, const char *file, const char *name)
{
    const char *slash = file ? strrchr(file, '/') : NULL;

    if (slash)
        add_in(s, file, (size_t)(slash + 1 - file), name);
}

// Adds every file that an include of `name` in the file `from` may read, in at least the places
// that the compiler searches. A name in angle brackets is not searched beside the file.
static void add_include(void *scan, const char *from, const char *name, bool quoted)
{
    struct scan *s = scan;

    add_in(s, "", 0, name); // in the current folder, or absolute
    if (*name == '/')
        return;
    if (quoted)
        add_beside(s, from, name);
    add_beside(s, s->source->name, name);
    for (size_t i = 0; i < s->source->folder_count; i++) {
        const char *folder = s->source->folders[i];
        char path[PATH_MAX];
        if (snprintf(path, sizeof(path), "%s/", folder) < (int)sizeof(path))
            add_in(s, path, strlen(path), name);
        else
            cuc__key_refuse(s->key, "a path is too long");
    }
}

// Writes the files and their states. NULL: one of them is so new that another change might not be
// visible in its times.
static char *write_list(size_t *bytes, const struct scan *s, time_t began)
{
    struct cuc__text list = { .at = NULL };
    bool settled = true;

    cuc__text_append(&list, "", 0); // ensures that the list is not NULL if there are no files
    for (size_t i = 0; i < s->path_count && settled; i++) {
        const struct state *state = &s->paths[i].state;
        settled = state->changed_s < began - SETTLED_SECONDS &&
                  state->modified_s < began - SETTLED_SECONDS;
        cuc__text_append(&list, (const char *)state, sizeof(*state));
        cuc__text_append(&list, s->paths[i].path, strlen(s->paths[i].path) + 1);
    }
    if (!settled || list.lost) {
        free(list.at);
        return NULL;
    }
    *bytes = list.length;
    return list.at;
}

bool cuc__includes_unchanged(const char *list, size_t bytes)
{
    for (const char *p = list, *end = list + bytes; p < end;) {
        struct state then, now = { .there = 0 };
        struct stat about;
        size_t rest = (size_t)(end - p);
        const char *path = p + sizeof(then);
        if (rest <= sizeof(then) || !memchr(path, 0, rest - sizeof(then)))
            return false;
        memcpy(&then, p, sizeof(then));
        if (stat(path, &about) == 0) {
            if (!S_ISDIR(about.st_mode))
                now = state_of(&about);
        } else if (errno != ENOENT && errno != ENOTDIR) {
            return false;
        }
        if (memcmp(&then, &now, sizeof(now)) != 0)
            return false;
        p = path + strlen(path) + 1;
    }
    return true;
}

void cuc__key_add_includes(cuc__key_maker *key, char **list, size_t *list_bytes,
                           const struct cuc__include_source *source)
{
    const time_t began = time(NULL);
    struct scan s = {
        .key = key,
        .source = source,
        .directives = { .key = key, .name = source->name, .include = add_include, .user = &s },
    };
    char here[PATH_MAX];

    cuc__directives_add(&s.directives, NULL, source->text);
    cuc__directives_add(&s.directives, NULL, source->definitions);
    for (size_t i = 0; i < source->first_count; i++)
        add_include(&s, NULL, source->first[i], true);
    for (size_t i = 0; i < source->header_count; i++)
        cuc__directives_add(&s.directives, source->header_names[i], source->header_texts[i]);
    cuc__directives_read(&s.directives);
    if (s.path_count) { // relative paths
        if (getcwd(here, sizeof(here)))
            cuc__key_add_text(key, here);
        else
            cuc__key_refuse(key, "there is no current folder");
    }
    *list = s.path_count && !key->refused ? write_list(list_bytes, &s, began) : NULL;
    cuc__directives_free(&s.directives);
    for (size_t i = 0; i < s.path_count; i++)
        free(s.paths[i].path);
    free(s.paths);
    cuc__name_set_free(&s.seen);
}
