// Examines the cache of compiled code: its state, and possible reasons why it does not work.
#include "machine.h"

#include <cucore/error.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

// Try a lock on a byte that no entry uses; return false if the file system has no locks.
static bool has_locks(int folder)
{
    struct flock range = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = ((off_t)1 << 62) + 2, .l_len = 1
    };
    int fd = openat(folder, "state", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    bool has = true;

    if (fd < 0 && errno == ENOENT)
        fd = openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (fd >= 0) {
        has = fcntl(fd, F_OFD_SETLK, &range) == 0 || errno == EAGAIN || errno == EACCES ||
              errno == EINTR;
        close(fd); // releases the lock
    }
    return has;
}

// Find the nearest existing folder above `dir`, in which `dir` would be created.
static void nearest_folder(char path[PATH_BYTES], const char *dir)
{
    char *slash;

    snprintf(path, PATH_BYTES, "%s", dir);
    while (access(path, F_OK) != 0 && (slash = strrchr(path, '/')) != NULL)
        slash[slash == path] = '\0';
}

void machine_look_at_cache(machine *m)
{
    machine_cache *c = &m->cache;
    char path[PATH_BYTES];
    struct statvfs system;
    struct stat about;

    c->info = (cuc_cache_info)CUC_CACHE_INFO_INIT;
    if (cuc_cache_get_info(&c->info, cuc_cache_default()) < 0 || !*c->info.dir)
        return;
    nearest_folder(path, c->info.dir);
    c->exists = strcmp(path, c->info.dir) == 0;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    c->error = fd < 0 || fstat(fd, &about) != 0 ? errno : 0;
    if (!c->error) {
        c->foreign = c->exists && about.st_uid != geteuid();
        c->open = c->exists && (about.st_mode & (S_IWGRP | S_IWOTH));
        c->error = access(path, W_OK | X_OK) == 0 ? 0 : errno;
        c->no_locks = !c->error && !has_locks(fd);
        c->free_known = fstatvfs(fd, &system) == 0 && system.f_blocks;
        c->free_bytes = c->free_known ? (uint64_t)system.f_bavail * system.f_frsize : 0;
    }
    if (fd >= 0)
        close(fd);
}

void machine_set_cache(json_t *to, const cuc_cache_info *info)
{
    cli_set(to, "folder", cli_text(*info->dir ? info->dir : NULL));
    cli_set(to, "off", cli_text(*info->off ? info->off : NULL));
    cli_set(to, "entries", cli_integer((int64_t)info->entries));
    cli_set(to, "bytes", cli_integer((int64_t)info->bytes));
    cli_set(to, "max_bytes", cli_integer((int64_t)info->max_bytes));
}
