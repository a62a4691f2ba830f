#include "included.h"

#include "base/array.h"
#include "base/file.h"
#include "base/helpers.h"
#include "entry.h"
#include "word_search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 26, FEWEST_ROOM = 1 << 16, PART = 8, SLOW_PARTS = 2, FEWEST_PARTS = 4 };

bool cuc__included_slow;

int64_t cuc__included_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

// ---- Roots

void cuc__roots_add(struct cuc__roots *roots, const char *path)
{
    char *copy = roots->count < CUC__ROOTS && *path ? strdup(path) : NULL;

    if (!copy)
        return;
    roots->path[roots->count] = copy;
    roots->bytes[roots->count] = strlen(copy);
    roots->fd[roots->count++] = -1;
}

void cuc__roots_open(struct cuc__roots *roots)
{
    for (int i = 0; i < roots->count; i++)
        roots->fd[i] = cuc__open(roots->path[i], O_PATH | O_DIRECTORY);
}

void cuc__roots_close(struct cuc__roots *roots)
{
    for (int i = 0; i < roots->count; i++) {
        if (roots->fd[i] >= 0)
            close(roots->fd[i]);
        roots->fd[i] = -1;
    }
}

int cuc__roots_of(const struct cuc__roots *roots, const char **path)
{
    for (int i = 0; i < roots->count; i++) {
        const char *rest = *path + roots->bytes[i];
        // The rest must not be an absolute path.
        if (roots->fd[i] >= 0 && strncmp(*path, roots->path[i], roots->bytes[i]) == 0 &&
            rest[0] == '/' && rest[1] && rest[1] != '/') {
            *path = rest + 1;
            return roots->fd[i];
        }
    }
    return AT_FDCWD;
}

bool cuc__roots_miss_folder(const struct cuc__roots *roots, const char *path, size_t bytes)
{
    char text[PATH_MAX];
    const char *rest = text;
    struct stat about;

    snprintf(text, sizeof(text), "%.*s", (int)bytes, path);
    int folder = cuc__roots_of(roots, &rest);
    return fstatat(folder, rest, &about, 0) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// ---- Files

// Reads an open file. Returns false if it is not a regular file, cannot be read, is too large,
// contains a zero byte, or shrinks meanwhile.
static bool read_text(struct cuc__included_text *text, struct cuc__included *file, int fd,
                      const struct stat *about, time_t began)
{
    if (!S_ISREG(about->st_mode) || about->st_size > MOST_BYTES)
        return false;
    size_t bytes = (size_t)about->st_size, room = bytes + CUC__WORD_PADDING;
    if (text->room < room) {
        free(text->at);
        text->room = room < FEWEST_ROOM ? FEWEST_ROOM : room;
        text->at = malloc(text->room);
        if (!text->at) {
            text->room = 0;
            return false;
        }
    }
    if (cuc__read_up_to(text->at, bytes, fd) != bytes || memchr(text->at, 0, bytes))
        return false;
    file->state = cuc__file_state_of(about);
    file->kind = cuc__file_is_settled(&file->state, began) ? CUC__INCLUDED_KNOWN
                                                           : CUC__INCLUDED_NEW;
    cuc__sha256_of_halves(file->digest, text->at, bytes);
    return true;
}

enum cuc__included_result cuc__included_load(struct cuc__included_text *text,
                                             struct cuc__included *file, const char *path,
                                             const struct cuc__roots *roots, time_t began)
{
    int folder = cuc__roots_of(roots, &path);
    // O_NONBLOCK: opening a pipe does not wait for a writer.
    int fd = cuc__open_at(folder, path, O_RDONLY | O_NONBLOCK, 0);
    enum cuc__included_result result = CUC__INCLUDED_REFUSED;
    struct stat about;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? CUC__INCLUDED_ABSENT : CUC__INCLUDED_REFUSED;
    if (fstat(fd, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            result = CUC__INCLUDED_ABSENT;
        else if (read_text(text, file, fd, &about, began))
            result = CUC__INCLUDED_READ;
    }
    close(fd);
    return result;
}

bool cuc__included_reread(struct cuc__included_text *text, struct cuc__included *file,
                          const struct cuc__roots *roots)
{
    struct cuc__included now = *file;
    bool same = cuc__included_load(text, &now, file->path, roots, time(NULL)) ==
                    CUC__INCLUDED_READ &&
                memcmp(now.digest, file->digest, sizeof(now.digest)) == 0;

    if (same)
        *file = now;
    return same;
}

// Reads a file again. Returns true if its contents have not changed.
static bool has_same_contents(struct cuc__includes *files, struct cuc__included *file)
{
    struct cuc__included_text text = { .at = NULL };
    bool same = cuc__included_reread(&text, file, &files->roots);

    free(text.at);
    files->stored &= !same || file->kind != CUC__INCLUDED_KNOWN; // storing the new state lets the
                                                                 // next process skip the read
    return same;
}

// ---- Checks

enum verdict { CHANGED, SAME, READ_AGAIN };

static enum verdict verdict_of(const struct cuc__included *file, const struct cuc__roots *roots,
                               bool untouched)
{
    const char *path = file->path;
    int folder = cuc__roots_of(roots, &path);
    struct stat about;
    bool there = fstatat(folder, path, &about, 0) == 0;

    if (!there && errno != ENOENT && errno != ENOTDIR)
        return CHANGED;
    if (file->kind == CUC__INCLUDED_NO_FOLDER)
        return there ? CHANGED : SAME;
    if (file->kind == CUC__INCLUDED_MISSING)
        return there && !S_ISDIR(about.st_mode) ? CHANGED : SAME;
    if (!there)
        return CHANGED;
    struct cuc__file_state now = cuc__file_state_of(&about);
    bool same = memcmp(&now, &file->state, sizeof(now)) == 0;
    if (same && file->kind == CUC__INCLUDED_KNOWN)
        return SAME;
    return untouched && !same ? CHANGED : READ_AGAIN;
}

// A part of the files. A helper may check it, but not read files again.
struct part {
    struct cuc__task task;
    const cuc__includes *files;
    size_t first, count;
    bool untouched, changed;
    bool again[PART]; // the files to read again
};

static void check_part(void *user)
{
    struct part *part = user;

    for (size_t i = 0; i < part->count && !part->changed; i++) {
        enum verdict verdict =
            verdict_of(&part->files->at[part->first + i], &part->files->roots, part->untouched);
        part->changed = verdict == CHANGED;
        part->again[i] = verdict == READ_AGAIN;
    }
}

// Checks a part here. Starts helpers for the later parts if two parts in a row have taken long; the
// system may have interrupted this thread during one.
static struct cuc__helpers *check_here(struct part *parts, size_t at, size_t count, int *slow)
{
    const int64_t began = cuc__included_clock();
    struct cuc__helpers *helpers = NULL;

    check_part(&parts[at]);
    int64_t most = (int64_t)parts[at].count * CUC__SLOW_CALL_NS;
    *slow = cuc__included_clock() - began > most ? *slow + 1 : 0;
    if (count - at >= FEWEST_PARTS && (*slow == SLOW_PARTS || cuc__included_slow))
        helpers = cuc__helpers_start((count - at) / 2);
    for (size_t i = at + 1; helpers && i < count; i++)
        cuc__helpers_offer(helpers, &parts[i].task, false);
    return helpers;
}

bool cuc__includes_unchanged(cuc__includes *files, bool untouched)
{
    size_t count = (files->count + PART - 1) / PART;
    struct part *parts = calloc(count, sizeof(*parts));
    struct cuc__helpers *helpers = NULL;
    bool same = parts != NULL;
    int slow = 0;

    cuc__roots_open(&files->roots);
    for (size_t i = 0; i < count && parts; i++) {
        parts[i] = (struct part){ .task = { .run = check_part, .user = &parts[i] },
                                  .files = files,
                                  .first = i * PART,
                                  .count = PART,
                                  .untouched = untouched };
        if (i == count - 1)
            parts[i].count = files->count - parts[i].first;
    }
    for (size_t i = 0; i < count && same; i++) {
        struct part *part = &parts[i];
        if (helpers)
            cuc__helpers_finish(helpers, &part->task);
        else
            helpers = check_here(parts, i, count, &slow);
        same = !part->changed;
        for (size_t k = 0; k < part->count && same; k++)
            same = !part->again[k] || has_same_contents(files, &files->at[part->first + k]);
    }
    cuc__helpers_stop(helpers);
    cuc__roots_close(&files->roots);
    free(parts);
    return same;
}

// ---- Entries
//
// The fields of an entry are the hash of all contents, the names of the operators, and the files.
// Each file has its kind and path; a file that exists also has its state and its hash.

void cuc__includes_store(cuc__includes *files, const cuc__store *store, const char *name)
{
    char label[CUC__ENTRY_LABEL + 1];
    struct cuc__text entry = { .at = NULL };

    if (files->stored)
        return;
    cuc__field_write(&entry, files->contents, sizeof(files->contents));
    cuc__field_write(&entry, files->operators.at, files->operators.length);
    for (size_t i = 0; i < files->count; i++) {
        const struct cuc__included *f = &files->at[i];
        const unsigned char kind = (unsigned char)f->kind;
        cuc__field_write(&entry, &kind, sizeof(kind));
        cuc__text_write(&entry, f->path);
        if (kind >= CUC__INCLUDED_KNOWN) {
            cuc__field_write(&entry, &f->state, sizeof(f->state));
            cuc__field_write(&entry, f->digest, sizeof(f->digest));
        }
    }
    snprintf(label, sizeof(label), "files included by %.80s", name);
    if (!entry.lost && !files->operators.lost)
        files->stored = cuc__store_put(store, &files->key, label, entry.at, entry.length) == 0;
    free(entry.at);
}

static bool read_bytes(void *to, size_t bytes, struct cuc__field *rest)
{
    struct cuc__field field;

    if (!cuc__field_read(&field, rest) || field.bytes != bytes)
        return false;
    memcpy(to, field.at, bytes);
    return true;
}

static bool read_file(struct cuc__includes *files, struct cuc__field *rest)
{
    struct cuc__included *file;
    unsigned char kind;
    const char *path;

    if (!read_bytes(&kind, sizeof(kind), rest) || kind >= CUC__INCLUDED_KINDS ||
        !cuc__text_read(&path, rest) || !CUC_RESERVE(files->at, files->room, files->count + 1))
        return false;
    file = &files->at[files->count];
    *file = (struct cuc__included){ .path = strdup(path), .kind = kind };
    files->count++;
    return file->path &&
           (kind < CUC__INCLUDED_KNOWN || (read_bytes(&file->state, sizeof(file->state), rest) &&
                                           read_bytes(file->digest, sizeof(file->digest), rest)));
}

cuc__includes *cuc__includes_decode(const char *data, size_t bytes)
{
    struct cuc__field rest = { data, bytes }, operators;
    cuc__includes *files = calloc(1, sizeof(*files));

    if (!files)
        return NULL;
    bool ok = read_bytes(files->contents, sizeof(files->contents), &rest) &&
              cuc__field_read(&operators, &rest);
    if (ok)
        cuc__text_append(&files->operators, operators.at, operators.bytes);
    ok = ok && !files->operators.lost;
    while (ok && rest.bytes)
        ok = read_file(files, &rest);
    if (!ok) {
        cuc__includes_free(files);
        return NULL;
    }
    files->stored = true;
    return files;
}

void cuc__includes_free(cuc__includes *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->count; i++)
        free(files->at[i].path);
    for (int i = 0; i < files->roots.count; i++)
        free(files->roots.path[i]);
    free(files->at);
    free(files->operators.at);
    free(files);
}
