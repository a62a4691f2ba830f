#include "store.h"

#include "base/file.h"
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPEN_TRIES = 3 };

bool cuc__store_read(cuc__entry *entry, int *error, int folder, const char *name,
                     const cuc__key *key, bool touch)
{
    static const struct timespec now[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW } };
    int fd = cuc__store_open_at(folder, name, O_RDONLY);
    struct stat about;
    char *file = NULL;
    bool ok = false;

    *error = fd < 0 ? errno : 0;
    if (fd < 0)
        return false;
    if (fstat(fd, &about) != 0)
        *error = errno;
    else if (S_ISREG(about.st_mode) && !(file = malloc((size_t)about.st_size + 1)))
        *error = ENOMEM;
    else if (file && cuc__read_up_to(file, (size_t)about.st_size, fd) == (size_t)about.st_size)
        ok = cuc__entry_read(entry, file, (size_t)about.st_size, key);
    if (ok && touch)
        (void)futimens(fd, now); // records the use
    close(fd);
    if (!ok)
        free(file);
    return ok;
}

static bool get_in(cuc__entry *entry, int dir, const cuc__key *key)
{
    struct cuc__entry_path path;
    bool ok = false;
    int error;

    cuc__entry_path(&path, key);
    int folder = cuc__store_open_at(dir, path.folder, O_RDONLY | O_DIRECTORY);
    if (folder < 0)
        return false;
    ok = cuc__store_read(entry, &error, folder, path.name, key, true);
    close(folder);
    return ok;
}

bool cuc__store_get(cuc__entry *entry, const cuc__store *store, const cuc__key *key)
{
    int error, dir = cuc__store_open(store, false, &error);
    bool ok = dir >= 0 && get_in(entry, dir, key);

    if (dir >= 0)
        close(dir);
    return ok;
}

bool cuc__store_get_or_lock(cuc__entry *entry, int *lock, const cuc__store *store,
                            const cuc__key *key)
{
    int error, dir = cuc__store_open(store, true, &error);
    bool ok = dir >= 0 && get_in(entry, dir, key);

    *lock = ok || dir < 0 ? -1 : cuc__store_lock_in(dir, store, key);
    // Another process may have compiled the entry while this one waited for the lock.
    if (*lock >= 0 && get_in(entry, dir, key)) {
        ok = true;
        cuc__store_unlock(*lock);
        *lock = -1;
    }
    if (dir >= 0)
        close(dir);
    return ok;
}

// Opens an entry's folder and creates it if necessary. Retries, because another process may remove
// the folder between the two steps.
static int open_made(int dir, const char *name)
{
    int fd = cuc__store_open_at(dir, name, O_RDONLY | O_DIRECTORY);

    for (int i = 0; fd < 0 && errno == ENOENT && i < OPEN_TRIES; i++) {
        if (mkdirat(dir, name, 0700) != 0 && errno != EEXIST)
            return -1;
        fd = cuc__store_open_at(dir, name, O_RDONLY | O_DIRECTORY);
    }
    return fd;
}

// An entry to write.
struct written {
    const char *name;
    unsigned char start[CUC__ENTRY_HEAD + CUC__ENTRY_LABEL];
    size_t start_bytes;
    const void *data;
    size_t bytes;
};

static int write_as(int folder, const struct written *w, bool named)
{
    cuc__new_file file;
    int error = cuc__new_file_begin_in(&file, folder, w->name, named);

    if (!error)
        error = cuc__new_file_write(&file, w->start, w->start_bytes);
    if (!error)
        error = cuc__new_file_write(&file, w->data, w->bytes);
    if (!error)
        error = cuc__new_file_commit(&file);
    cuc__new_file_discard(&file);
    return error;
}

// Writes an entry without an fsync, which would take longer than some compilations. A power loss
// may leave an incomplete entry, which its checksum reveals.
static int write_entry(int folder, const char *name, const cuc__key *key, const char *label,
                       const void *data, size_t bytes)
{
    struct written w = { .name = name, .data = data, .bytes = bytes };
    size_t label_bytes;

    cuc__entry_head(w.start, &label_bytes, key, label, data, bytes);
    memcpy(w.start + CUC__ENTRY_HEAD, label, label_bytes);
    w.start_bytes = CUC__ENTRY_HEAD + label_bytes;
    int error = write_as(folder, &w, false);
    if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS) // the file system has no links
        error = write_as(folder, &w, true);
    if (error == EEXIST && unlinkat(folder, name, 0) == 0) // this rename replaces no file
        error = write_as(folder, &w, true);
    return error;
}

int cuc__store_put(const cuc__store *store, const cuc__key *key, const char *label,
                   const void *data, size_t bytes)
{
    struct cuc__entry_path path;
    uint64_t size = (uint64_t)bytes + CUC__ENTRY_HEAD + CUC__ENTRY_LABEL;
    int error, dir;

    if (store->dir && size > store->max_bytes)
        return EFBIG;
    if ((dir = cuc__store_open(store, true, &error)) < 0)
        return error;
    cuc__entry_path(&path, key);
    int folder = open_made(dir, path.folder);
    error = folder < 0 ? errno : write_entry(folder, path.name, key, label, data, bytes);
    if (folder >= 0)
        close(folder);
    // Also trim if the key ends in a zero byte, as one key in 256 does, because trimming corrects
    // the byte count.
    if (!error && (cuc__store_add(dir, size) > store->max_bytes || !key->bytes[31]))
        cuc__store_trim(dir, store->max_bytes, key);
    close(dir);
    return error;
}

int cuc__store_remove(const cuc__store *store, const cuc__key *key)
{
    int error, dir = cuc__store_open(store, false, &error);

    if (dir < 0)
        return error;
    error = cuc__entry_remove(dir, key);
    close(dir);
    return error;
}
