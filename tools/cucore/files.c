#include "cli.h"

#include <errno.h>
#include <fcntl.h>
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

// The buffer grows as data arrives: a pipe has no size to query.
static bool read_all(int fd, char **data, size_t *bytes, size_t expected, const char *path,
                     cli_why *why)
{
    size_t capacity = expected + 1; // one extra byte tells end of file from a file that grew
    size_t have = 0;
    char *text = malloc(capacity + 1);

    while (text) {
        ssize_t n = read(fd, text + have, capacity - have);
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
        if (have == capacity) {
            char *more = capacity < SIZE_MAX / 2 - 1 ? realloc(text, capacity * 2 + 1) : NULL;
            if (!more)
                break;
            text = more;
            capacity *= 2;
        }
    }
    free(text);
    return cli_because(why, "%s does not fit into the host's memory", path);
}

bool cli_read_file(void **data, size_t *bytes, const char *path, cli_why *why)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = STDIN_FILENO;
    struct stat st;
    char *text = NULL;

    while (!standard && (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0 && errno == EINTR)
        ;
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

static bool written(int error, const cli_file *file, cli_why *why)
{
    return !error || cli_because(why, "%s cannot be written: %s", file->path, strerror(error));
}

bool cli_file_begin(cli_file *file, const char *path, cli_why *why)
{
    file->path = path;
    return written(cuc__new_file_begin(&file->file, path), file, why);
}

bool cli_file_write(cli_file *file, const void *data, size_t bytes, cli_why *why)
{
    return written(cuc__new_file_write(&file->file, data, bytes), file, why);
}

bool cli_file_finish(cli_file *file, cli_why *why)
{
    return written(cuc__new_file_finish(&file->file), file, why);
}

bool cli_file_commit(cli_file *file, cli_why *why)
{
    return written(cuc__new_file_commit(&file->file), file, why);
}

void cli_file_discard(cli_file *file)
{
    cuc__new_file_discard(&file->file);
}
