#include "included.h"

#include "base/array.h"
#include "base/file.h"
#include "entry.h"
#include "word_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 1 << 26, FEWEST_ROOM = 1 << 16 };

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

// ---- Files

bool cuc__included_read(struct cuc__included_text *text, struct cuc__included *file, int fd,
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

bool cuc__included_reread(struct cuc__included_text *text, struct cuc__included *file,
                          const struct cuc__roots *roots)
{
    const char *path = file->path;
    struct cuc__included now = *file;
    const time_t began = time(NULL);
    struct stat about;
    int folder = cuc__roots_of(roots, &path);
    int fd = cuc__open_at(folder, path, O_RDONLY | O_NONBLOCK, 0);
    bool same = fd >= 0 && fstat(fd, &about) == 0 &&
                cuc__included_read(text, &now, fd, &about, began) &&
                memcmp(now.digest, file->digest, sizeof(now.digest)) == 0;

    if (fd >= 0)
        close(fd);
    if (same)
        *file = now;
    return same;
}

// Returns true if a file's contents have not changed. Reads the file if its state does not prove
// that.
static bool has_same_contents(struct cuc__includes *files, struct cuc__included *file)
{
    struct cuc__included_text text = { .at = NULL };
    bool same = cuc__included_reread(&text, file, &files->roots);

    free(text.at);
    files->stored &= !same || file->kind != CUC__INCLUDED_KNOWN; // the store's entry lets the next
                                                                 // process skip the read
    return same;
}

static bool is_unchanged(struct cuc__includes *files, struct cuc__included *file, bool untouched)
{
    const char *path = file->path;
    int folder = cuc__roots_of(&files->roots, &path);
    struct stat about;
    bool there = fstatat(folder, path, &about, 0) == 0;

    if (!there && errno != ENOENT && errno != ENOTDIR)
        return false;
    if (file->kind == CUC__INCLUDED_NO_FOLDER)
        return !there;
    if (file->kind == CUC__INCLUDED_MISSING)
        return !there || S_ISDIR(about.st_mode);
    if (!there)
        return false;
    struct cuc__file_state now = cuc__file_state_of(&about);
    bool same = memcmp(&now, &file->state, sizeof(now)) == 0;
    if (untouched && !same)
        return false;
    return (same && file->kind == CUC__INCLUDED_KNOWN) || has_same_contents(files, file);
}

bool cuc__includes_unchanged(cuc__includes *files, bool untouched)
{
    bool same = true;

    cuc__roots_open(&files->roots);
    for (size_t i = 0; i < files->count && same; i++)
        same = is_unchanged(files, &files->at[i], untouched);
    cuc__roots_close(&files->roots);
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
