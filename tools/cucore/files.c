#include "cli.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_because(cli_why *why, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(why->text, sizeof(why->text), fmt, args);
    va_end(args);
    return false;
}

bool cli_read_file(void **data, size_t *bytes, const char *path, cli_why *why)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : cuc__open(path, O_RDONLY);
    char *text;

    if (fd < 0)
        return cli_because(why, "%s cannot be opened: %s", path, strerror(errno));
    int error = cuc__read_to_end(&text, bytes, fd, SIZE_MAX);
    if (!standard)
        close(fd);
    else
        path = "standard input";
    if (error == ENOMEM)
        return cli_because(why, "%s does not fit into the host's memory", path);
    if (error)
        return cli_because(why, "%s cannot be read: %s", path, strerror(error));
    *data = text;
    return true;
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat sa;
    struct stat sb;

    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev &&
           sa.st_ino == sb.st_ino;
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

bool cli_files_commit(cli_file files[], size_t count, cli_why *why)
{
    cuc__new_file **begun = cli_allocate(count * sizeof(*begun));
    size_t *number = cli_allocate(count * sizeof(*number));
    int used = 0, failed;

    for (size_t i = 0; i < count; i++)
        if (files[i].path) {
            number[used] = i;
            begun[used++] = &files[i].file;
        }
    int error = cuc__new_file_commit_all(begun, used, &failed);
    bool good = !error || written(error, &files[number[failed]], why);
    free(number);
    free(begun);
    return good;
}

void cli_file_discard(cli_file *file)
{
    cuc__new_file_discard(&file->file);
}
