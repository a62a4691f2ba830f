// Locks and the byte count, both in the folder's file "state".
//
// The locks are the kernel's open-file-description locks on byte ranges (F_OFD_SETLK). One file
// therefore provides a lock for each key, the locks exclude threads as well as processes, and the
// kernel releases the locks of a process that ends.
#include "store.h"

#include "base/bytes.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

// Offsets of the locks. A key's lock is at an offset below TRIM.
#define TRIM ((off_t)1 << 62)
#define COUNT (TRIM + 1)

enum { MOST_PAUSE_MS = 20, COUNT_TRIES = 20 };

static int open_state(int folder)
{
    return cuc__store_open_at(folder, "state", O_RDWR | O_CREAT);
}

// Returns 0 on success, EAGAIN if another holder has the lock, or the error of a file system
// without locks.
static int lock(int fd, off_t at)
{
    struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1 };
    int r;

    CUC_RETRY(r, fcntl(fd, F_OFD_SETLK, &range));
    return r == 0 ? 0 : errno == EACCES ? EAGAIN : errno;
}

static void pause_ms(uint32_t ms)
{
    struct timespec time = { .tv_nsec = (long)ms * 1000000 };

    (void)nanosleep(&time, NULL);
}

int cuc__store_lock_in(int dir, const cuc__store *store, const cuc__key *key)
{
    off_t at = (off_t)(cuc__read_le(key->bytes, 0, 8) >> 2);
    int fd = open_state(dir);
    uint32_t waited = 0;

    for (uint32_t pause = 1; fd >= 0; pause += pause < MOST_PAUSE_MS) {
        int error = lock(fd, at);
        if (!error)
            return fd;
        if (error != EAGAIN || waited >= store->wait_ms)
            break;
        pause_ms(pause);
        waited += pause;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int cuc__store_lock(const cuc__store *store, const cuc__key *key)
{
    int error, dir = cuc__store_open(store, true, &error);
    int fd = dir < 0 ? -1 : cuc__store_lock_in(dir, store, key);

    if (dir >= 0)
        close(dir);
    return fd;
}

void cuc__store_unlock(int fd)
{
    struct flock all = { .l_type = F_UNLCK, .l_whence = SEEK_SET };

    if (fd < 0)
        return;
    (void)fcntl(fd, F_OFD_SETLK, &all); // close() does not unlock if a forked child also has the
                                        // file open
    close(fd);
}

int cuc__store_lock_trim(int folder)
{
    int fd = open_state(folder);

    // Without locks, several processes may trim at the same time, which only removes more entries
    // than necessary.
    if (fd >= 0 && lock(fd, TRIM) == EAGAIN) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool write_count(int fd, uint64_t bytes)
{
    unsigned char data[8];

    cuc__write_le(data, 0, sizeof(data), bytes);
    return pwrite(fd, data, sizeof(data), 0) == (ssize_t)sizeof(data);
}

// Opens the file and locks the byte count. Gives up on the lock, but not on the file, after
// COUNT_TRIES attempts.
static int open_count(int folder)
{
    int fd = open_state(folder);

    for (int i = 0; fd >= 0 && i < COUNT_TRIES && lock(fd, COUNT) == EAGAIN; i++)
        pause_ms(1);
    return fd;
}

uint64_t cuc__store_add(int folder, uint64_t bytes)
{
    uint64_t count = UINT64_MAX;
    unsigned char data[8];
    int fd = open_count(folder);

    if (fd < 0)
        return count;
    if (pread(fd, data, sizeof(data), 0) == (ssize_t)sizeof(data)) {
        count = cuc__read_le(data, 0, sizeof(data));
        count = count < UINT64_MAX - bytes ? count + bytes : UINT64_MAX;
        if (!write_count(fd, count))
            count = UINT64_MAX;
    }
    cuc__store_unlock(fd);
    return count;
}

uint64_t cuc__store_correct(int folder, uint64_t before, uint64_t bytes)
{
    unsigned char data[8];
    int fd = open_count(folder);

    if (fd >= 0) {
        if (pread(fd, data, sizeof(data), 0) == (ssize_t)sizeof(data)) {
            uint64_t now = cuc__read_le(data, 0, sizeof(data));
            bytes += now != UINT64_MAX && now > before ? now - before : 0;
        }
        (void)write_count(fd, bytes);
    }
    cuc__store_unlock(fd);
    return bytes;
}

void cuc__store_set(int folder, uint64_t bytes)
{
    int fd = open_count(folder);

    if (fd >= 0)
        (void)write_count(fd, bytes);
    cuc__store_unlock(fd);
}
