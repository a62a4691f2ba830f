#include "store.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Creates a folder and its parents. It ignores errors: opening the folder reports them.
static void make_folders(const char *dir)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
        return;
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        (void)mkdir(path, 0700);
        *p = '/';
    }
    (void)mkdir(path, 0700);
}

static int open_folder(const char *dir)
{
    return cuc__open(dir, O_RDONLY | O_DIRECTORY);
}

int cuc__store_open(const cuc__store *store, bool make, int *error)
{
    struct stat about;

    *error = ENOENT;
    if (!store->dir)
        return -1;
    int fd = open_folder(store->dir);
    if (fd < 0 && errno == ENOENT && make) {
        make_folders(store->dir);
        fd = open_folder(store->dir);
    }
    *error = fd < 0 || fstat(fd, &about) != 0 ? errno : 0;
    // Refuse a folder that another user owns or that others can write to, because they could make
    // this user run arbitrary code.
    if (!*error && (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH))))
        *error = EPERM;
    if (*error && fd >= 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

int cuc__store_open_at(int folder, const char *name, int flags)
{
    return cuc__open_at(folder, name, flags | O_NOFOLLOW | O_NONBLOCK,
                        0600); // O_NONBLOCK: opening a pipe does not wait
}

void cuc__entry_path(struct cuc__entry_path *path, const cuc__key *key)
{
    char text[2 * CUC__SHA256_BYTES + 1];

    cuc__sha256_text(text, key->bytes);
    snprintf(path->folder, sizeof(path->folder), "%.2s", text);
    snprintf(path->name, sizeof(path->name), "%s", text + 2);
}

// Writes an entry's path within the store.
static void write_name(char name[sizeof(struct cuc__entry_path)], const cuc__key *key)
{
    struct cuc__entry_path path;

    cuc__entry_path(&path, key);
    snprintf(name, sizeof(path), "%s/%s", path.folder, path.name);
}

int cuc__entry_remove(int dir, const cuc__key *key)
{
    char name[sizeof(struct cuc__entry_path)];

    write_name(name, key);
    return unlinkat(dir, name, 0) == 0 ? 0 : errno;
}

int cuc__entry_remove_unused(int dir, const cuc__key *key, const struct timespec *used)
{
    char name[sizeof(struct cuc__entry_path)];
    struct stat about;

    write_name(name, key);
    if (fstatat(dir, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
        (about.st_mtim.tv_sec != used->tv_sec || about.st_mtim.tv_nsec != used->tv_nsec))
        return EBUSY;
    return cuc__entry_remove(dir, key);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool cuc__entry_key(cuc__key *key, const char *folder, const char *name)
{
    if (strlen(folder) != 2 || strlen(name) != 2 * (CUC__SHA256_BYTES - 1))
        return false;
    for (int i = 0; i < CUC__SHA256_BYTES; i++) {
        const char *p = i ? name + 2 * (i - 1) : folder;
        int high = digit(p[0]), low = digit(p[1]);
        if (high < 0 || low < 0)
            return false;
        key->bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}
