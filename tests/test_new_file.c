// Tests that files are written completely or not at all: every system call of every writer in the
// library fails in turn, or a signal kills the process there. Afterwards the path has the old
// contents or the new ones, and nothing else is left in the folder.
#include "base/array.h"
#include "base/new_file.h"
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- System calls that fail (the test is linked with --wrap for each, see meson.build)

static struct {
    int at;         // number of the call that is hit, counted from now; 0: none
    int error;      // its errno; 0: the call succeeds
    int signal;     // a signal that is raised at that call; 0: none
    int calls;      // calls made since `at` was set
    bool anonymous; // the file system supports O_TMPFILE
    bool exchanges; // the file system supports RENAME_EXCHANGE
    int flags;      // open flags of the last named temporary file
    char name[64];
} hit = { .anonymous = true, .exchanges = true };

static bool fails(void)
{
    if (!hit.at || ++hit.calls != hit.at)
        return false;
    if (hit.signal)
        raise(hit.signal);
    errno = hit.error;
    return hit.error != 0;
}

#define WRAP(type, name, parameters, ...)                 \
    type __real_##name parameters;                        \
    type __wrap_##name parameters;                        \
    type __wrap_##name parameters                         \
    {                                                     \
        return fails() ? -1 : __real_##name(__VA_ARGS__); \
    }

WRAP(ssize_t, write, (int fd, const void *data, size_t bytes), fd, data, bytes)
WRAP(int, fsync, (int fd), fd)
WRAP(int, fchmod, (int fd, mode_t mode), fd, mode)
WRAP(int, linkat, (int from, const char *a, int to, const char *b, int flags), from, a, to, b,
     flags)
WRAP(int, renameat, (int from, const char *a, int to, const char *b), from, a, to, b)

WRAP(int, unlinkat, (int from, const char *name, int flags), from, name, flags)

int __real_renameat2(int from, const char *a, int to, const char *b, unsigned flags);
int __wrap_renameat2(int from, const char *a, int to, const char *b, unsigned flags);
int __wrap_renameat2(int from, const char *a, int to, const char *b, unsigned flags)
{
    if (fails())
        return -1;
    if (flags && !hit.exchanges) {
        errno = EINVAL;
        return -1;
    }
    return __real_renameat2(from, a, to, b, flags);
}

// close() closes a descriptor even when it fails.
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    bool failed = fails();
    int error = errno, r = __real_close(fd);

    errno = failed ? error : errno;
    return failed ? -1 : r;
}

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    if (fails())
        return -1;
    if ((flags & O_TMPFILE) == O_TMPFILE && !hit.anonymous) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (flags & O_CREAT) {
        hit.flags = flags;
        snprintf(hit.name, sizeof(hit.name), "%s", path);
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define WRAP_OPEN(name, parameters, folder)                                     \
    int __wrap_##name parameters;                                               \
    int __wrap_##name parameters                                                \
    {                                                                           \
        va_list args;                                                           \
        va_start(args, flags);                                                  \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; \
        va_end(args);                                                           \
        return open_file(folder, path, flags, mode);                            \
    }

WRAP_OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
WRAP_OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
WRAP_OPEN(openat, (int at, const char *path, int flags, ...), at)
WRAP_OPEN(openat64, (int at, const char *path, int flags, ...), at)

// ---- The folder

static char folder[] = "/tmp/cucore-files-XXXXXX";
static char path[sizeof(folder) + 16];

static const char *in_folder(const char *name)
{
    static char full[600];

    snprintf(full, sizeof(full), "%s/%s", folder, name);
    return full;
}

static void put(const char *name, const char *text, mode_t mode)
{
    FILE *f = fopen(in_folder(name), "wb");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
    ck_assert_int_eq(chmod(in_folder(name), mode), 0);
}

static char *get(const char *name)
{
    static char text[1 << 16];
    FILE *f = fopen(in_folder(name), "rb");

    if (!f)
        return NULL;
    text[fread(text, 1, sizeof(text) - 1, f)] = 0;
    fclose(f);
    return text;
}

static int count_entries(const char *where)
{
    DIR *dir = opendir(where);
    int count = 0;

    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e; (e = readdir(dir));)
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void make_folder(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    strcpy(path, in_folder("file"));
    umask(022);
}

static void remove_folder(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

// ---- The writers

static const cuc_tuned_record record = { .struct_size = sizeof(record),
                                         .gpu = "g",
                                         .toolkit = "13.0",
                                         .program = "p",
                                         .kernel = "k",
                                         .constants = "",
                                         .dimensions = "N=1",
                                         .choice = "B=1",
                                         .seconds = 0.5 };
static cuc_object *object;
static cuc_graph *graph;

static cuc_status write_text(void)
{
    return cuc__write_file(path, "new text\n", 9) ? CUC_ERROR_IO : CUC_OK;
}

static cuc_status save_object(void)
{
    return cuc_object_save(object, path);
}

static cuc_status add_record(void)
{
    return cuc_tuned_add(path, &record);
}

static cuc_status draw_graph(void)
{
    return cuc_graph_write_dot(graph, path, 0);
}

static const struct {
    const char *name;
    cuc_status (*write)(void);
    const char *before; // NULL: there is no file
    const char *after;  // text that only the new file has
} writers[] = {
    { "cuc__write_file() of a new file", write_text, NULL, "new text\n" },
    { "cuc__write_file() over a file", write_text, "old text\n", "new text\n" },
    { "cuc_object_save()", save_object, "old text\n", ".version 8.0" },
    { "cuc_tuned_add()", add_record, "cucore-tuned 1\na\tb\tc\td\te\tf\tg\t1\n", "B=1\t0.5\n" },
    // The last writer needs the driver, which a forked process does not have.
    { "cuc_graph_write_dot()", draw_graph, "old text\n", "digraph" },
};

enum { FORKED = CUC_LENGTH(writers) - 1 };

static void make_things(void)
{
    static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n";

    make_folder();
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL));
    cuc_device *device = NULL;
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_graph_create(&graph, device));
}

static void release_things(void)
{
    cuc_graph_release(graph);
    cuc_object_release(object);
    remove_folder();
}

static void start_over(int writer)
{
    (void)unlink(path);
    if (writers[writer].before)
        put("file", writers[writer].before, 0640);
}

// Returns a description of the first violation after success (`done`), a failure or a kill; NULL if
// there is none.
static const char *look(int writer, bool done, bool ended)
{
    const char *text = get("file"), *before = writers[writer].before;
    bool is_new = text && strstr(text, writers[writer].after) != NULL;
    bool is_old = before ? text && strcmp(text, before) == 0 : !text;
    struct stat about;

    if (done && !is_new)
        return "it succeeded, and the file is not the new one";
    if (!done && !is_old && !(ended && is_new))
        return "it failed, and the file is another";
    if (count_entries(folder) != (text != NULL))
        return "something is left in the folder";
    if (before && (stat(path, &about) != 0 || (about.st_mode & 07777) != 0640))
        return "the permissions are others";
    return NULL;
}

CASE("calls", .setup = make_things, .teardown = release_things);

TEST_RANGE(every_system_call_may_fail, 0, 2 * CUC_LENGTH(writers))
{
    static const int errors[] = { EIO, ENOSPC, EACCES, EMFILE, EINTR };
    int made = 0, descriptors = count_entries("/proc/self/fd");

    hit.anonymous = _i % 2 == 0;
    for (int e = 0; e < CUC_LENGTH(errors); e++) {
        bool armed = true;
        for (int n = 1; armed; n++) {
            start_over(_i / 2);
            hit.error = errors[e];
            hit.calls = 0;
            hit.at = n;
            cuc_status st = writers[_i / 2].write();
            armed = hit.calls >= n;
            hit.at = 0;
            const char *wrong = errors[e] == EINTR && st < 0 ? "EINTR is a failure"
                                                             : look(_i / 2, st >= 0, false);
            ck_assert_msg(!wrong, "%s, call %d fails with %s: %s", writers[_i / 2].name, n,
                          strerror(errors[e]), wrong);
            ck_assert_int_eq(count_entries("/proc/self/fd"), descriptors);
            made += armed;
        }
    }
    ck_assert_int_ge(made, 6 * CUC_LENGTH(errors));
}

TEST_RANGE(a_signal_may_come_before_every_system_call, 0, 2 * FORKED)
{
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGKILL };

    hit.anonymous = _i % 2 == 0;
    for (int s = 0; s < CUC_LENGTH(signals); s++) {
        int status = 1;
        for (int n = 1; status; n++) {
            start_over(_i / 2);
            fflush(NULL);
            pid_t child = fork();
            ck_assert_int_ge(child, 0);
            if (!child) {
                signal(signals[s], SIG_DFL);
                hit.error = 0;
                hit.signal = signals[s];
                hit.calls = 0;
                hit.at = n;
                _exit(writers[_i / 2].write() < 0);
            }
            ck_assert_int_eq(waitpid(child, &status, 0), child);
            ck_assert_msg(!status || (WIFSIGNALED(status) && WTERMSIG(status) == signals[s]),
                          "status 0x%x", (unsigned)status);
            const char *wrong = look(_i / 2, !status, true);
            if (signals[s] == SIGKILL && wrong && strstr(wrong, "left")) {
                wrong = NULL; // nobody can clean up after that
                remove_folder();
                ck_assert_int_eq(mkdir(folder, 0755), 0);
            }
            ck_assert_msg(!wrong, "%s, %s before call %d: %s", writers[_i / 2].name,
                          strsignal(signals[s]), n, wrong);
        }
    }
}

// ---- Several files

static const char *const several[] = { "a", "b", "c" };

enum { SEVERAL = CUC_LENGTH(several) };

static int write_several(int *failed)
{
    cuc__new_file files[SEVERAL] = { { .begun = false } }, *all[SEVERAL];
    int error = 0;

    for (int i = 0; i < SEVERAL && !error; i++) {
        char full[600];
        all[i] = &files[i];
        error = cuc__new_file_begin(&files[i], strcpy(full, in_folder(several[i])));
        if (!error)
            error = cuc__new_file_write(&files[i], "new", 3);
        if (!error)
            error = cuc__new_file_finish(&files[i]);
    }
    if (!error)
        error = cuc__new_file_commit_all(all, SEVERAL, failed);
    for (int i = 0; i < SEVERAL; i++)
        cuc__new_file_discard(&files[i]);
    return error;
}

// Each value is a set of bits: which files exist at the start.
static const int existing[] = { 0, 2, 5, 7 };

static void put_several(int there)
{
    for (int i = 0; i < SEVERAL; i++) {
        (void)unlink(in_folder(several[i]));
        if (there >> i & 1)
            put(several[i], "old", 0640);
    }
}

// Returns how many files are new; -1 if anything is wrong.
static int count_new(int there)
{
    int new = 0, expected = 0;

    for (int i = 0; i < SEVERAL; i++) {
        const char *text = get(several[i]);
        bool is_new = text && strcmp(text, "new") == 0;
        new += is_new;
        expected += text != NULL;
        if (!is_new && (there >> i & 1 ? !text || strcmp(text, "old") != 0 : text != NULL))
            return -1;
    }
    return count_entries(folder) == expected ? new : -1;
}

CASE("several", .setup = make_folder, .teardown = remove_folder);

// A row is a combination of the files that exist, O_TMPFILE and RENAME_EXCHANGE.
TEST_RANGE(all_files_are_new_or_none, 0, 4 * CUC_LENGTH(existing))
{
    int there = existing[_i / 4], descriptors = count_entries("/proc/self/fd"), made = 0, failed;
    bool armed = true;

    hit.anonymous = _i & 1;
    hit.exchanges = _i & 2;
    for (int n = 1; armed; n++) {
        put_several(there);
        hit.error = EIO;
        hit.calls = 0;
        hit.at = n;
        int error = write_several(&failed);
        armed = hit.calls >= n;
        hit.at = 0;
        int new = count_new(there);
        // A call that removes an old file may also fail; then the file's temporary name remains.
        if (!error && new < 0) {
            remove_folder();
            ck_assert_int_eq(mkdir(folder, 0755), 0);
            continue;
        }
        ck_assert_msg(error ? new == 0 || (!hit.exchanges && new > 0) : new == SEVERAL,
                      "call %d: %d files are new after %s", n, new, strerror(error));
        ck_assert_int_eq(count_entries("/proc/self/fd"), descriptors);
        made += armed;
    }
    ck_assert_int_gt(made, 6 * SEVERAL);
}

TEST_RANGE(a_signal_leaves_all_files_new_or_none, 0, 2 * CUC_LENGTH(existing))
{
    int there = existing[_i / 2], status = 1, failed;

    hit.anonymous = _i & 1;
    for (int n = 1; status; n++) {
        put_several(there);
        fflush(NULL);
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (!child) {
            signal(SIGTERM, SIG_DFL);
            hit.error = 0;
            hit.signal = SIGTERM;
            hit.calls = 0;
            hit.at = n;
            _exit(write_several(&failed) != 0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(!status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
        int new = count_new(there);
        ck_assert_msg(new == 0 || new == SEVERAL, "call %d: %d files are new", n, new);
    }
}

TEST(the_file_that_fails_is_named)
{
    int failed = -1, error = 0;

    for (int n = 1; failed != 1; n++) {
        ck_assert_int_lt(n, 100);
        put_several(7);
        hit.error = EIO;
        hit.calls = 0;
        hit.at = n;
        error = write_several(&failed);
    }
    hit.at = 0;
    ck_assert_int_eq(error, EIO);
    ck_assert_int_eq(count_new(7), 0);
}

// ---- Paths

CASE("paths", .setup = make_folder, .teardown = remove_folder);

TEST(what_is_at_a_path_decides_what_is_written)
{
    enum { FILE_, LINK, DANGLING, DIRECTORY, NONE };
    static char long_name[NAME_MAX + 2];
    static const struct {
        const char *what;
        int there;
        mode_t mode, after;
        const char *name;
        int error;
    } rows[] = {
        { "a new file has the usual permissions", NONE, 0, 0644, "new", 0 },
        { "a file keeps its permissions", FILE_, 0640, 0640, "file", 0 },
        { "a file is not set-user-ID afterwards", FILE_, 04755, 0755, "file", 0 },
        { "a link stays, and its target is replaced", LINK, 0600, 0600, "link", 0 },
        { "a link that leads nowhere is replaced", DANGLING, 0, 0644, "link", 0 },
        { "a directory is refused", DIRECTORY, 0, 0, "folder", EISDIR },
        { "so is a path that ends as one", NONE, 0, 0, "new/", EISDIR },
        { "a folder that is not there is refused", NONE, 0, 0, "none/new", ENOENT },
        { "a name of 255 bytes is a name", NONE, 0, 0644, long_name + 1, 0 },
        { "one of 256 is not", NONE, 0, 0, long_name, ENAMETOOLONG },
    };
    char target[sizeof(path)];
    struct stat about;

    memset(long_name, 'x', NAME_MAX + 1);
    for (int i = 0; i < CUC_LENGTH(rows) * 2; i++) {
        const int r = i / 2;
        hit.anonymous = i % 2 == 0;
        remove_folder();
        ck_assert_int_eq(mkdir(folder, 0755), 0);
        if (rows[r].there == FILE_ || rows[r].there == LINK)
            put("file", "old", rows[r].mode);
        strcpy(target, in_folder("file"));
        if (rows[r].there == LINK || rows[r].there == DANGLING)
            ck_assert_int_eq(symlink(target, in_folder("link")), 0);
        if (rows[r].there == DIRECTORY)
            ck_assert_int_eq(mkdir(in_folder("folder"), 0755), 0);
        int error = cuc__write_file(in_folder(rows[r].name), "new", 3);
        ck_assert_msg(error == rows[r].error, "%s: %s", rows[r].what, strerror(error));
        if (error)
            continue;
        ck_assert_msg(strcmp(get(rows[r].name), "new") == 0, "%s", rows[r].what);
        ck_assert_int_eq(stat(in_folder(rows[r].name), &about), 0);
        ck_assert_msg((about.st_mode & 07777) == rows[r].after, "%s: 0%o", rows[r].what,
                      about.st_mode & 07777);
        ck_assert_int_eq(count_entries(folder), 1 + (rows[r].there == LINK));
        ck_assert_int_eq(lstat(in_folder("link"), &about) == 0 && S_ISLNK(about.st_mode),
                         rows[r].there == LINK);
    }
    ck_assert_int_eq(cuc__write_file("", "new", 3), ENOENT);
}

TEST(devices_and_pipes_are_written_in_place)
{
    char text[8] = "";
    int fds[2];

    ck_assert_int_eq(cuc__write_file("/dev/null", "new", 3), 0);
    ck_assert_int_eq(cuc__write_file("/dev/full", "new", 3), ENOSPC);
    ck_assert_int_eq(pipe(fds), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
    ck_assert_int_eq(cuc__write_file(path, "new", 3), 0);
    ck_assert_int_eq(read(fds[0], text, sizeof(text)), 3);
    ck_assert_str_eq(text, "new");
    close(fds[0]);
    close(fds[1]);
    // Writing to a descriptor's path works for a regular file too: the shell owns the file and
    // continues writing to it.
    put("file", "old", 0644);
    int fd = open(in_folder("file"), O_WRONLY | O_APPEND);
    snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    struct stat before, after;
    ck_assert_int_eq(fstat(fd, &before), 0);
    ck_assert_int_eq(cuc__write_file(path, "new", 3), 0);
    ck_assert_int_eq(stat(in_folder("file"), &after), 0);
    ck_assert(before.st_ino == after.st_ino);
    close(fd);
}

TEST(a_file_that_must_not_be_written_is_refused)
{
    int status;

    put("file", "old", 0444);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    pid_t child = fork();
    if (!child) {
        if (geteuid() == 0 && seteuid(65534) != 0)
            _exit(1);
        _exit(cuc__write_file(path, "new", 3) == EACCES ? 0 : 2);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_str_eq(get("file"), "old");
}

// An attacker could create links at every predictable name.
TEST(temporary_names_cannot_be_guessed)
{
    static const char *const forms[] = { "file.%ld", "file.%ld.new", "file.try%ld",
                                         "file.%ld.0.tmp", "file.%ld-0.tmp" };
    char name[64], last[64] = "", victim[sizeof(path)];

    put("victim", "precious", 0600);
    strcpy(victim, in_folder("victim"));
    for (int i = 0; i < CUC_LENGTH(forms); i++) {
        snprintf(name, sizeof(name), forms[i], (long)getpid());
        ck_assert_int_eq(symlink(victim, in_folder(name)), 0);
    }
    hit.anonymous = false;
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(cuc__write_file(path, "new", 3), 0);
        ck_assert((hit.flags & (O_EXCL | O_NOFOLLOW)) == (O_EXCL | O_NOFOLLOW));
        ck_assert_str_ne(hit.name, last);
        strcpy(last, hit.name);
    }
    ck_assert_str_eq(get("victim"), "precious");
    ck_assert_int_eq(count_entries(folder), 2 + CUC_LENGTH(forms));
}

int main(void)
{
    return run_tests("new_file");
}
