// Opens and reads files. Calls interrupted by a signal handler are repeated.
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

// Returns a descriptor that child programs do not inherit, or -1 with errno.
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

// Returns the number of bytes read, which is smaller if the file ends or cannot be read.
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

// Reads the rest of any kind of file and appends a NUL that `*bytes` does not count. Stops some
// time after `most` bytes. Returns 0 or an errno; after ENOMEM, `*bytes` is the size that could not
// be allocated. The caller frees `*out`.
static inline int cuc__read_to_end(char **out, size_t *bytes, int fd, size_t most)
{
    size_t used = 0, capacity = 0, room = 4096; // room to detect the end of the file without
                                                // growing
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
