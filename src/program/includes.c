#include "includes.h"

#include "base/array.h"
#include "base/file.h"
#include "base/name_set.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 4000, MOST_BYTES = 1 << 26, SETTLED_SECONDS = 2 };

// The state of a file, which differs after a change. All zero: the file does not exist.
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

// A walk over the files. Those read, or found missing, are in `seen`; those to scan in `waiting`.
struct scan {
    cuc__key_maker *key;
    const struct cuc__include_source *source;
    struct cuc__name_set seen;
    struct included {
        char *path;
        struct state state;
    } * paths; // the texts of `seen`
    size_t path_count, path_room;
    struct file {
        const char *path; // NULL: the source, or a header in memory
        char *text;       // owned if there is a path
    } * waiting;
    size_t count, capacity;
    size_t bytes;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// Skips blanks and comments within a line.
static const char *skip_blanks(const char *p, const char *end)
{
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (end - p < 2 || p[0] != '/' || p[1] != '*')
            return p;
        const char *close = p + 2;
        while (close + 1 < end && (close[0] != '*' || close[1] != '/'))
            close++;
        if (close + 1 >= end)
            return p; // it ends on another line
        p = close + 2;
    }
}

// Reads a whole file. NULL: it does not exist, or the key is refused.
static char *read_file(struct scan *s, const char *path, struct state *state)
{
    char *text = NULL;
    struct stat about;
    size_t at = 0;
    int fd = cuc__open(path, O_RDONLY);

    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            cuc__key_refuse(s->key, "%s cannot be read", path);
        return NULL;
    }
    bool known = fstat(fd, &about) == 0;
    if (known && S_ISDIR(about.st_mode)) { // the compiler goes on searching
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

static void add_waiting(struct scan *s, const char *path, char *text)
{
    if (!CUC_RESERVE(s->waiting, s->capacity, s->count + 1)) {
        cuc__key_refuse(s->key, "there is no memory");
        if (path)
            free(text);
        return;
    }
    s->waiting[s->count++] = (struct file){ path, text };
}

// Adds a file that an include may read, or its absence, once.
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
    add_waiting(s, copy, text);
}

static void add_in(struct scan *s, const char *folder, size_t folder_bytes, const char *name)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%.*s/%s", (int)folder_bytes, folder, name) <
        (int)sizeof(path))
        add_candidate(s, path);
    else
        cuc__key_refuse(s->key, "a path is too long");
}

// Adds every file that an include of `name` in the file `from` may read: it counts for more places
// than the compiler searches, not for fewer.
static void add_include(struct scan *s, const char *from, const char *name)
{
    const char *slash = from ? strrchr(from, '/') : NULL;
    const char *own = strrchr(s->source->name, '/');

    if (*name == '/') {
        add_candidate(s, name);
        return;
    }
    if (slash)
        add_in(s, from, (size_t)(slash - from), name);
    if (own)
        add_in(s, s->source->name, (size_t)(own - s->source->name), name);
    add_candidate(s, name); // in the current folder
    for (size_t i = 0; i < s->source->folder_count; i++)
        add_in(s, s->source->folders[i], strlen(s->source->folders[i]), name);
}

// Reads what follows a #.
static void read_directive(struct scan *s, const char *from, const char *p, const char *end)
{
    static const char *const others[] = { "include_next", "import", "embed" };
    char name[PATH_MAX];

    p = skip_blanks(p, end);
    if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
        cuc__key_refuse(s->key, "a directive goes on after a comment of several lines");
        return;
    }
    for (size_t i = 0; i < CUC_LENGTH(others); i++)
        if ((size_t)(end - p) >= strlen(others[i]) &&
            memcmp(p, others[i], strlen(others[i])) == 0) {
            cuc__key_refuse(s->key, "it uses #%s", others[i]);
            return;
        }
    if (end - p < 7 || memcmp(p, "include", 7) != 0)
        return;
    p = skip_blanks(p + 7, end);
    const char *close = p < end && (*p == '"' || *p == '<')
                            ? memchr(p + 1, *p == '"' ? '"' : '>', (size_t)(end - p - 1))
                            : NULL;
    if (!close || (size_t)(close - p) >= sizeof(name)) {
        cuc__key_refuse(s->key, "an #include does not name its file: %.*s",
                        end - p < 60 ? (int)(end - p) : 60, p);
        return;
    }
    memcpy(name, p + 1, (size_t)(close - p - 1));
    name[close - p - 1] = '\0';
    add_include(s, from, name);
}

// Scans a line without its continuations. A directive begins a line, after blanks and comments; one
// in a comment or a literal counts, too, which does no harm.
static void scan_line(struct scan *s, const char *from, const char *line, const char *end)
{
    const char *start = line; // after the last comment before p

    for (const char *p = line; p < end; p++) {
        if (p > line && p[-1] == '*' && *p == '/') {
            start = p + 1;
        } else if (*p == '#' || (*p == '%' && p + 1 < end && p[1] == ':')) {
            const char *q = skip_blanks(start, p);
            if (q == p)
                read_directive(s, from, p + (*p == '#' ? 1 : 2), end);
        }
    }
}

// Copies a text with continued lines joined and without its byte order mark. NULL: refused.
static char *join_lines(struct scan *s, const char *name, const char *text)
{
    char *joined = malloc(strlen(text) + 1), *to = joined;

    if (!joined) {
        cuc__key_refuse(s->key, "there is no memory");
        return NULL;
    }
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    for (const char *p = text; *p; p++) {
        const char *end = p + 1;
        while (*p == '\\' && is_blank(*end) && *end != '\r')
            end++;
        if (*p == '\\' && *end == '\r' && end[1] == '\n')
            end++;
        // Compilers differ in how they treat these.
        if ((*p == '\r' && p[1] != '\n') ||
            (*p == '\\' && *end == '\n' && is_blank(p[1]) && p[1] != '\r')) {
            cuc__key_refuse(s->key, "%s has a %s", name,
                            *p == '\r' ? "carriage return within a line"
                                       : "line that ends with a backslash and blanks");
            free(joined);
            return NULL;
        }
        if (*p == '\\' && *end == '\n')
            p = end;
        else
            *to++ = *p;
    }
    *to = '\0';
    return joined;
}

static void scan_text(struct scan *s, const char *from, const char *text)
{
    static const char *const unknown[] = { "__has_include", "__has_embed", "__TIME__", "__DATE__",
                                           "__TIMESTAMP__", "?\?=",        "?\?/" };
    const char *name = from ? from : s->source->name;
    char *joined = join_lines(s, name, text);

    if (!joined)
        return;
    text = joined;
    for (size_t i = 0; i < CUC_LENGTH(unknown); i++)
        if (strstr(text, unknown[i]))
            cuc__key_refuse(s->key, "%s has %s", name, unknown[i]);
    while (*text && !s->key->refused) {
        const char *end = text + strcspn(text, "\n");
        scan_line(s, from, text, end);
        text = *end ? end + 1 : end;
    }
    free(joined);
}

// Writes the files and their states. NULL: one of them is so new that another change might not show
// in its times.
static char *write_list(size_t *bytes, const struct scan *s, time_t began)
{
    bool settled = true;
    char *list = NULL;

    for (size_t i = 0; i < s->path_count; i++)
        settled &= s->paths[i].state.changed_s < began - SETTLED_SECONDS &&
                   s->paths[i].state.modified_s < began - SETTLED_SECONDS;
    FILE *f = settled ? open_memstream(&list, bytes) : NULL;
    for (size_t i = 0; f && i < s->path_count; i++) {
        fwrite(&s->paths[i].state, sizeof(struct state), 1, f);
        fwrite(s->paths[i].path, strlen(s->paths[i].path) + 1, 1, f);
    }
    if (f && fclose(f) != 0) {
        free(list);
        list = NULL;
    }
    return list;
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
    struct scan s = { .key = key, .source = source };
    char here[PATH_MAX];

    scan_text(&s, NULL, source->text);
    for (size_t i = 0; i < source->first_count; i++)
        add_include(&s, NULL, source->first[i]);
    for (size_t i = 0; i < source->header_count; i++)
        scan_text(&s, NULL, source->header_texts[i]);
    for (size_t i = 0; i < s.count && !key->refused; i++) {
        const struct file file = s.waiting[i]; // the array may move
        scan_text(&s, file.path, file.text);
    }
    if (s.path_count) { // relative paths
        if (getcwd(here, sizeof(here)))
            cuc__key_add_text(key, here);
        else
            cuc__key_refuse(key, "there is no current folder");
    }
    *list = s.path_count && !key->refused ? write_list(list_bytes, &s, began) : NULL;
    for (size_t i = 0; i < s.count; i++)
        free(s.waiting[i].text);
    for (size_t i = 0; i < s.path_count; i++)
        free(s.paths[i].path);
    free(s.waiting);
    free(s.paths);
    cuc__name_set_free(&s.seen);
}
