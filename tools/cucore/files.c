#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_because(cli_why *why, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(why->text, sizeof(why->text), fmt, args);
    va_end(args);
    return false;
}

// What it grows to is what it is given: a pipe has no size to ask for.
static bool read_all(int fd, char **data, size_t *bytes, size_t expected, const char *path,
                     cli_why *why)
{
    size_t room = expected + 1; // one more tells the end of a file from one that has grown
    size_t have = 0;
    char *text = malloc(room + 1);

    while (text) {
        ssize_t n = read(fd, text + have, room - have);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int error = errno;
            free(text);
            return cli_because(why, "%s cannot be read: %s", path, strerror(error));
        }
        have += (size_t)n;
        if (n == 0) {
            text[have] = '\0';
            *data = text;
            *bytes = have;
            return true;
        }
        if (have == room) {
            char *more = room < SIZE_MAX / 2 - 1 ? realloc(text, room * 2 + 1) : NULL;
            if (!more)
                break;
            text = more;
            room *= 2;
        }
    }
    free(text);
    return cli_because(why, "%s does not fit into the host's memory", path);
}

bool cli_read_file(void **data, size_t *bytes, const char *path, cli_why *why)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *text = NULL;

    if (fd < 0)
        return cli_because(why, "%s cannot be opened: %s", path, strerror(errno));
    size_t expected = 65535;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        expected = (size_t)st.st_size;
    bool ok = read_all(fd, &text, bytes, expected, standard ? "standard input" : path, why);
    if (!standard)
        close(fd);
    if (ok)
        *data = text;
    return ok;
}

// A new file beside the path, of a name that nothing has.
static int create_beside(char **out, const char *path)
{
    size_t size = strlen(path) + 32;
    char *name = cli_allocate(size);

    for (unsigned i = 0; i < 100; i++) {
        snprintf(name, size, "%s.%ld-%u.tmp", path, (long)getpid(), i);
        // Not mkstemp(), whose files only their owner can read.
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *out = name;
            return fd;
        }
        if (errno != EEXIST)
            break;
    }
    int error = errno;
    free(name);
    errno = error;
    return -1;
}

bool cli_file_begin(cli_file *file, const char *path, cli_why *why)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;

    *file = (cli_file){ .fd = -1 };
    if (exists && S_ISDIR(st.st_mode))
        return cli_because(why, "%s cannot be written: it is a directory", path);
    // Through a link the file at its other end is replaced, not the link.
    char *target = exists ? realpath(path, NULL) : NULL;
    file->path = target ? target : cli_copy_text(path, strlen(path));
    if (exists && !S_ISREG(st.st_mode))
        file->fd = open(path, O_WRONLY | O_CLOEXEC);
    else
        file->fd = create_beside(&file->temporary, file->path);
    if (file->fd < 0) {
        cli_because(why, "%s cannot be written: %s", path, strerror(errno));
        cli_file_discard(file);
        return false;
    }
    return true;
}

bool cli_file_write(cli_file *file, const void *data, size_t bytes, cli_why *why)
{
    const char *at = data;

    while (bytes) {
        ssize_t n = write(file->fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cli_because(why, "%s cannot be written: %s", file->path, strerror(errno));
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool cli_file_finish(cli_file *file, cli_why *why)
{
    int error = file->temporary && fsync(file->fd) ? errno : 0;

    if (close(file->fd) && !error)
        error = errno;
    file->fd = -1;
    return error ? cli_because(why, "%s cannot be written: %s", file->path, strerror(error)) : true;
}

bool cli_file_commit(cli_file *file, cli_why *why)
{
    if (file->temporary && rename(file->temporary, file->path))
        return cli_because(why, "%s cannot be put in place: %s", file->path, strerror(errno));
    free(file->temporary);
    file->temporary = NULL;
    return true;
}

void cli_file_discard(cli_file *file)
{
    if (file->path && file->fd >= 0)
        close(file->fd);
    if (file->temporary)
        unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    *file = (cli_file){ .fd = -1 };
}
