// Opens and reads files, and retries calls that a signal handler interrupted.
#ifndef CUCORE_BASE_FILE_H
#define CUCORE_BASE_FILE_H

#include "array.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define CUC_RETRY(result, call) \
    do                          \
        (result) = (call);      \
    while ((result) < 0 && errno == EINTR)

// Returns a close-on-exec descriptor, or -1 with errno set.
static inline int cuc__open_at(int folder, const char *path, int flags, mode_t mode)
{
    int fd;

    CUC_RETRY(fd, openat(folder, path, flags | O_CLOEXEC, mode));
    return fd;
}

static inline int cuc__open(const char *path, int flags)
{
    return cuc__open_at(AT_FDCWD, path, flags, 0);
}

// Returns the number of bytes read. It is less than `bytes` at the end of the file or after an
// error.
static inline size_t cuc__read_up_to(void *to, size_t bytes, int fd)
{
    size_t at = 0;

    while (at < bytes) {
        ssize_t n;
        CUC_RETRY(n, read(fd, (char *)to + at, bytes - at));
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    return at;
}

// Reads the rest of a file of any kind and appends a NUL that `*bytes` does not count. Stops soon
// after `most` bytes. Returns 0 or an errno; after ENOMEM, `*bytes` is the size that could not be
// allocated. The caller frees `*out`.
static inline int cuc__read_to_end(char **out, size_t *bytes, int fd, size_t most)
{
    size_t used = 0, capacity = 0, room = 4096; // spare room, so that reading the end of the file
                                                // does not grow the buffer
    struct stat about;
    char *text = NULL;
    ssize_t n = 1;
    int error = 0;

    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
        room += (uint64_t)about.st_size < most ? (size_t)about.st_size : most;
    while (!error && n && used <= most) {
        if (!CUC_RESERVE(text, capacity, room)) {
            error = ENOMEM;
            break;
        }
        CUC_RETRY(n, read(fd, text + used, capacity - used - 1));
        error = n < 0 ? errno : 0;
        used += n > 0 ? (size_t)n : 0;
        room = used + 2;
    }
    *bytes = error ? room : used;
    if (error) {
        free(text);
        return error;
    }
    text[used] = '\0';
    *out = text;
    return 0;
}

#endif
