// Tests opening and reading files when calls are interrupted, end early or fail.
#include "base/array.h"
#include "base/file.h"
#include "testing.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// ---- Calls that fail (the test is linked with --wrap for each, see meson.build)

enum { STEPS = 6 };

static struct {
    int step[STEPS]; // for each read() call: most bytes to return, or a negative errno; 0: as usual
    int reads;
    int interrupted; // how many of the next openat() calls are interrupted
    int no_memory;   // the n-th realloc() from now on fails; 0: none
} hit;

ssize_t __real_read(int fd, void *data, size_t bytes);
ssize_t __wrap_read(int fd, void *data, size_t bytes);
ssize_t __wrap_read(int fd, void *data, size_t bytes)
{
    int step = hit.reads < STEPS ? hit.step[hit.reads] : 0;

    hit.reads++;
    if (step < 0) {
        errno = -step;
        return -1;
    }
    return __real_read(fd, data, step && (size_t)step < bytes ? (size_t)step : bytes);
}

void *__real_realloc(void *data, size_t bytes);
void *__wrap_realloc(void *data, size_t bytes);
void *__wrap_realloc(void *data, size_t bytes)
{
    return hit.no_memory && !--hit.no_memory ? NULL : __real_realloc(data, bytes);
}

#define WRAP_OPENAT(name)                                            \
    int __wrap_##name(int folder, const char *path, int flags, ...); \
    int __wrap_##name(int folder, const char *path, int flags, ...)  \
    {                                                                \
        va_list args;                                                \
        va_start(args, flags);                                       \
        mode_t mode = va_arg(args, mode_t);                          \
        va_end(args);                                                \
        if (hit.interrupted) {                                       \
            hit.interrupted--;                                       \
            errno = EINTR;                                           \
            return -1;                                               \
        }                                                            \
        return (int)syscall(SYS_openat, folder, path, flags, mode);  \
    }

WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

// ---- Opens

TEST(an_interrupted_open_is_repeated)
{
    hit.interrupted = 2;
    int fd = cuc__open("/", O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(hit.interrupted, 0);
    ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
    ck_assert_int_lt(cuc__open_at(fd, "no such file", O_RDONLY, 0), 0);
    ck_assert_int_eq(errno, ENOENT);
    close(fd);
}

// ---- Reads

enum { REGULAR, PIPE, FOLDER };

static const struct row {
    const char *name;
    int kind, size;
    size_t most;
    int step[STEPS];
    int no_memory;
    int error, read; // `read`: the value of `*bytes`; -1: more than `most`, but not all
} rows[] = {
    { .name = "an empty file" },
    { .name = "a file", .size = 100, .read = 100 },
    { .name = "an empty pipe", .kind = PIPE },
    { .name = "a pipe", .kind = PIPE, .size = 60000, .read = 60000 },
    { .name = "a folder", .kind = FOLDER, .error = EISDIR },
    { .name = "parts", .size = 100, .step = { 1, 70, -EINTR, -EINTR, 3 }, .read = 100 },
    { .name = "a failure", .size = 100, .step = { 1, 70, -EINTR, -EIO }, .error = EIO },
    { .name = "all that is allowed", .size = 9000, .most = 9000, .read = 9000 },
    { .name = "one more", .size = 9000, .most = 8999, .read = 9000 },
    { .name = "a file that is too long", .size = 9000, .most = 100, .read = -1 },
    { .name = "a pipe that is too long", .kind = PIPE, .size = 60000, .most = 9999, .read = -1 },
    { .name = "no memory", .size = 9000, .no_memory = 1, .error = ENOMEM, .read = 13096 },
    { .name = "no more memory",
      .kind = PIPE,
      .size = 60000,
      .no_memory = 2,
      .error = ENOMEM,
      .read = 4097 },
};

static char content[60000];

// Returns a descriptor positioned at the start of the content.
static int open_content(const struct row *r)
{
    int ends[2];

    for (size_t i = 0; i < sizeof(content); i++)
        content[i] = (char)(i % 251);
    if (r->kind == FOLDER)
        return cuc__open("/", O_RDONLY | O_DIRECTORY);
    if (r->kind == PIPE)
        ck_assert_int_eq(pipe(ends), 0);
    else
        ends[0] = ends[1] = memfd_create("content", 0);
    ck_assert_int_eq(write(ends[1], content, (size_t)r->size), r->size);
    if (r->kind == PIPE)
        close(ends[1]);
    else
        lseek(ends[0], 0, SEEK_SET);
    return ends[0];
}

TEST_ROWS(the_rest_of_a_file_is_read, rows)
{
    const struct row *r = &rows[_i];
    int fd = open_content(r);
    char untouched, *text = &untouched;
    size_t bytes = 12345;

    hit.reads = 0;
    memcpy(hit.step, r->step, sizeof(hit.step));
    hit.no_memory = r->no_memory;
    int error = cuc__read_to_end(&text, &bytes, fd, r->most ? r->most : SIZE_MAX);
    close(fd);
    ck_assert_msg(error == r->error, "%s: %s", r->name, strerror(error));
    if (r->read < 0)
        ck_assert_msg(bytes > r->most && bytes < (size_t)r->size, "%s: %zu", r->name, bytes);
    else if (error != EIO && error != EISDIR)
        ck_assert_msg(bytes == (size_t)r->read, "%s: %zu", r->name, bytes);
    if (error) {
        ck_assert_ptr_eq(text, &untouched);
        return;
    }
    ck_assert_mem_eq(text, content, bytes);
    ck_assert_int_eq(text[bytes], '\0');
    free(text);
}

TEST(as_many_bytes_are_read_as_there_are)
{
    static const struct {
        int size, wanted, step[STEPS], read;
    } parts[] = {
        { 100, 100, { 0 }, 100 },
        { 100, 0, { 0 }, 0 },
        { 100, 40, { 0 }, 40 },
        { 40, 100, { 0 }, 40 },
        { 100, 100, { 1, -EINTR, 70, -EINTR, -EINTR }, 100 },
        { 100, 100, { 1, -EINTR, 70, -EIO }, 71 },
    };

    for (int i = 0; i < CUC_LENGTH(parts); i++) {
        const struct row row = { .size = parts[i].size };
        int fd = open_content(&row);
        char data[101];
        memset(data, '!', sizeof(data));
        hit.reads = 0;
        memcpy(hit.step, parts[i].step, sizeof(hit.step));
        size_t n = cuc__read_up_to(data, (size_t)parts[i].wanted, fd);
        close(fd);
        ck_assert_msg(n == (size_t)parts[i].read, "row %d: %zu", i, n);
        ck_assert_mem_eq(data, content, n);
        ck_assert_int_eq(data[n], '!');
    }
}

int main(void)
{
    return run_tests("file");
}
