#include "store.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FOLDERS = 256, STALE_SECONDS = 3600 };

// Removes a temporary file that a killed process left behind.
static void remove_stale(int folder, const char *name, const struct stat *about)
{
    if (strncmp(name, ".cucore-", 8) == 0 && S_ISREG(about->st_mode) &&
        about->st_mtim.tv_sec + STALE_SECONDS < time(NULL))
        (void)unlinkat(folder, name, 0);
}

enum walked { FAILED, ENDED, ALL };

static enum walked walk_folder(int fd, const char *name, cuc__store_visit visit, void *user)
{
    DIR *dir = fdopendir(fd);
    bool go_on = true;
    struct stat about;
    cuc__key key;

    if (!dir) {
        close(fd);
        return FAILED;
    }
    for (struct dirent *e; go_on && (errno = 0, e = readdir(dir));) {
        if (fstatat(fd, e->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (!S_ISREG(about.st_mode) || !cuc__entry_key(&key, name, e->d_name))
            remove_stale(fd, e->d_name, &about);
        else
            go_on = visit(user, fd, e->d_name, &key, &about);
    }
    enum walked walked = !go_on ? ENDED : errno ? FAILED : ALL;
    closedir(dir);
    return walked;
}

bool cuc__store_walk(int folder, cuc__store_visit visit, void *user)
{
    bool all = true;

    for (int i = 0; i < FOLDERS; i++) {
        char name[3];
        snprintf(name, sizeof(name), "%02x", i);
        int fd = cuc__store_open_at(folder, name, O_RDONLY | O_DIRECTORY);
        enum walked walked = fd >= 0           ? walk_folder(fd, name, visit, user)
                             : errno == ENOENT ? ALL
                                               : FAILED;
        if (walked == ENDED)
            return true;
        all &= walked == ALL;
    }
    return all;
}

struct file {
    cuc__key key;
    uint64_t bytes;
    struct timespec used;
};

struct files {
    struct file *at;
    size_t count, capacity;
    uint64_t bytes;
};

static bool collect(void *user, int folder, const char *name, const cuc__key *key,
                    const struct stat *about)
{
    struct files *files = user;

    (void)folder;
    (void)name;
    if (!CUC_RESERVE(files->at, files->capacity, files->count + 1))
        return false;
    files->at[files->count++] = (struct file){ *key, (uint64_t)about->st_size, about->st_mtim };
    files->bytes += (uint64_t)about->st_size;
    return true;
}

static int by_use(const void *left, const void *right)
{
    const struct timespec a = ((const struct file *)left)->used;
    const struct timespec b = ((const struct file *)right)->used;

    return a.tv_sec != b.tv_sec ? (a.tv_sec > b.tv_sec ? 1 : -1)
                                : (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

// Shrinks the store to 7/8 of the limit if it exceeds the limit, by removing the least recently
// used entries. Returns the number of bytes left. An entry that another process uses or replaces
// after the walk stays, unless that happens between the last check of the entry's time of use and
// its removal. Losing that entry is harmless: a reader either has it open or compiles again.
static uint64_t trim(int folder, uint64_t max_bytes, const cuc__key *keep)
{
    uint64_t goal = max_bytes - max_bytes / 8;
    struct files files = { .at = NULL };

    (void)cuc__store_walk(folder, collect, &files);
    if (files.bytes > max_bytes) {
        qsort(files.at, files.count, sizeof(*files.at), by_use);
        for (size_t i = 0; i < files.count && files.bytes > goal; i++) {
            if (keep && memcmp(keep, &files.at[i].key, sizeof(*keep)) == 0)
                continue;
            int error = cuc__entry_remove_unused(folder, &files.at[i].key, &files.at[i].used);
            if (!error || error == ENOENT)
                files.bytes -= files.at[i].bytes;
        }
    }
    free(files.at);
    return files.bytes;
}

void cuc__store_trim(int folder, uint64_t max_bytes, const cuc__key *keep)
{
    enum { MOST_ROUNDS = 8 };
    int lock = cuc__store_lock_trim(folder);
    uint64_t before, left;
    int rounds = 0;

    if (lock < 0)
        return;
    // A writer that finds the lock taken leaves its new entry to the next trim.
    do {
        before = cuc__store_add(folder, 0);
        left = cuc__store_correct(folder, before, trim(folder, max_bytes, keep));
    } while (left > max_bytes && ++rounds < MOST_ROUNDS);
    cuc__store_unlock(lock);
}
