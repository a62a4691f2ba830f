// Tests the store of compiled code under every kind of trouble: many processes, kills, failing
// system calls, damage, and folders of the wrong kind. An entry must always be either absent or
// right.
//
// CUCORE_TEST_KILLS sets how many writers one test kills.
#include "base/array.h"
#include "cache/store.h"
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
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
    bool locks;     // the file system supports locks
    const char
        *replaced; // a file that another process replaces before the next removal; NULL: no file
} hit = { .anonymous = true, .locks = true };

// A network file system that lacks features, answers late, or repeats calls.
struct network {
    const char *what;
    int link, lock, read; // the errors of these calls; 0: they work
    int replace;          // the error of a rename to the name of a file
    int again;  // calls whose reply is lost once: they succeed, but report a retry's error
    int late;   // number of opens that do not find a new entry yet
    bool named; // the file system lacks O_TMPFILE
};

static struct network network;

enum { LINK = 1, RENAME = 2, FOLDER = 4, REMOVAL = 8 };

// Returns true if a call must fail after it has been made.
static bool repeats(int result, int call, int error)
{
    if (result != 0 || !(network.again & call))
        return false;
    network.again &= ~call;
    errno = error;
    return true;
}

// Calls marked `slow` may be interrupted by signals: only they fail with EINTR.
static bool fails_if(bool slow)
{
    if (!hit.at || ++hit.calls != hit.at || (hit.error == EINTR && !slow))
        return false;
    if (hit.signal)
        raise(hit.signal);
    errno = hit.error;
    return hit.error != 0;
}

static bool fails(void)
{
    return fails_if(false);
}

static bool fails_slow(void)
{
    return fails_if(true);
}

#define WRAP_IF(fails, type, failed, name, parameters, ...)   \
    type __real_##name parameters;                            \
    type __wrap_##name parameters;                            \
    type __wrap_##name parameters                             \
    {                                                         \
        return fails() ? failed : __real_##name(__VA_ARGS__); \
    }

#define WRAP(...) WRAP_IF(fails, __VA_ARGS__)
#define WRAP_SLOW(...) WRAP_IF(fails_slow, __VA_ARGS__)

// Wraps a function, and its variant for large files on systems that have one.
#define WRAP_BOTH(type, name, parameters, ...)    \
    WRAP(type, -1, name, parameters, __VA_ARGS__) \
    WRAP(type, -1, name##64, parameters, __VA_ARGS__)

ssize_t __real_read(int fd, void *data, size_t bytes);
ssize_t __wrap_read(int fd, void *data, size_t bytes);
ssize_t __wrap_read(int fd, void *data, size_t bytes)
{
    if (network.read) {
        errno = network.read;
        return -1;
    }
    return fails_slow() ? -1 : __real_read(fd, data, bytes);
}

WRAP_SLOW(ssize_t, -1, write, (int fd, const void *data, size_t bytes), fd, data, bytes)
WRAP_BOTH(ssize_t, pread, (int fd, void *data, size_t bytes, off_t at), fd, data, bytes, at)
WRAP_BOTH(ssize_t, pwrite, (int fd, const void *data, size_t bytes, off_t at), fd, data, bytes, at)
WRAP_BOTH(int, fstat, (int fd, struct stat *about), fd, about)
WRAP(int, -1, mkdir, (const char *path, mode_t mode), path, mode)
int __real_mkdirat(int folder, const char *path, mode_t mode);
int __wrap_mkdirat(int folder, const char *path, mode_t mode);
int __wrap_mkdirat(int folder, const char *path, mode_t mode)
{
    int r = fails() ? -1 : __real_mkdirat(folder, path, mode);

    return repeats(r, FOLDER, EEXIST) ? -1 : r;
}

int __real_unlinkat(int folder, const char *path, int flags);
int __wrap_unlinkat(int folder, const char *path, int flags);
int __wrap_unlinkat(int folder, const char *path, int flags)
{
    if (hit.replaced)
        (void)utimensat(AT_FDCWD, hit.replaced, NULL, 0);
    hit.replaced = NULL;
    int r = fails() ? -1 : __real_unlinkat(folder, path, flags);
    return repeats(r, REMOVAL, ENOENT) ? -1 : r;
}

WRAP(int, -1, futimens, (int fd, const struct timespec times[2]), fd, times)
WRAP(DIR *, NULL, fdopendir, (int fd), fd)

int __real_linkat(int from, const char *a, int to, const char *b, int flags);
int __wrap_linkat(int from, const char *a, int to, const char *b, int flags);
int __wrap_linkat(int from, const char *a, int to, const char *b, int flags)
{
    if (network.link) {
        errno = network.link;
        return -1;
    }
    int r = fails() ? -1 : __real_linkat(from, a, to, b, flags);
    return repeats(r, LINK, EEXIST) ? -1 : r;
}

int __real_renameat(int from, const char *a, int to, const char *b);
int __wrap_renameat(int from, const char *a, int to, const char *b);
int __wrap_renameat(int from, const char *a, int to, const char *b)
{
    if (network.replace && faccessat(to, b, F_OK, 0) == 0) {
        errno = network.replace;
        return -1;
    }
    int r = fails() ? -1 : __real_renameat(from, a, to, b);
    return repeats(r, RENAME, ENOENT) ? -1 : r;
}

// close() closes a descriptor even when it fails.
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    bool failed = fails_slow();
    int error = errno, r = __real_close(fd);

    errno = failed ? error : errno;
    return failed ? -1 : r;
}

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    if (fails_slow())
        return -1;
    if ((flags & O_TMPFILE) == O_TMPFILE && (!hit.anonymous || network.named)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    if (network.late && strlen(path) == 2 * CUC__SHA256_BYTES - 2) {
        network.late--;
        errno = ENOENT;
        return -1;
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

#define WRAP_FCNTL(name)                                              \
    int __wrap_##name(int fd, int command, ...);                      \
    int __wrap_##name(int fd, int command, ...)                       \
    {                                                                 \
        va_list args;                                                 \
        va_start(args, command);                                      \
        void *argument = va_arg(args, void *);                        \
        va_end(args);                                                 \
        if (command == F_OFD_SETLK && (!hit.locks || network.lock)) { \
            errno = network.lock ? network.lock : ENOLCK;             \
            return -1;                                                \
        }                                                             \
        if (fails_slow())                                             \
            return -1;                                                \
        return (int)syscall(SYS_fcntl, fd, command, argument);        \
    }

WRAP_FCNTL(fcntl)
WRAP_FCNTL(fcntl64)

// ---- The folder and the entries

static char folder[] = "/dev/shm/cucore-store-XXXXXX"; // in memory: a test writes 100 000 files
static char dir[sizeof(folder) + 16];
static cuc__store store;

static void make_folder(void)
{
    strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/cucore-store-XXXXXX"
                                                 : "/tmp/cucore-store-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(dir, sizeof(dir), "%s/a/cache", folder);
    store = (cuc__store){ .dir = dir, .max_bytes = 1 << 30, .wait_ms = 10000 };
    umask(022);
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about, (void)type, (void)where;
    return remove(path);
}

static void remove_folder(void)
{
    ck_assert_int_eq(nftw(folder, remove_one, 10, FTW_DEPTH | FTW_PHYS), 0);
}

static cuc__key key_of(uint32_t number)
{
    cuc__key key;

    cuc__sha256_of(key.bytes, &number, sizeof(number));
    return key;
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

enum { MOST_BYTES = 40000 };

// Makes the only valid data for a key; its length also depends on the key.
static size_t make_data(unsigned char data[MOST_BYTES], const cuc__key *key)
{
    uint64_t state;

    memcpy(&state, key->bytes, sizeof(state));
    state |= 1;
    size_t bytes = next(&state) % MOST_BYTES;
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(next(&state) >> 11);
    return bytes;
}

static int put(uint32_t number)
{
    unsigned char data[MOST_BYTES];
    cuc__key key = key_of(number);
    size_t bytes = make_data(data, &key);

    return cuc__store_put(&store, &key, "label", data, bytes);
}

enum got { MISS, RIGHT, WRONG };

static enum got get(uint32_t number)
{
    unsigned char data[MOST_BYTES];
    cuc__key key = key_of(number);
    cuc__entry entry;

    if (!cuc__store_get(&entry, &store, &key))
        return MISS;
    size_t bytes = make_data(data, &key);
    bool right = entry.bytes == bytes && memcmp(entry.data, data, bytes) == 0 &&
                 entry.label_bytes == 5 && memcmp(entry.label, "label", 5) == 0;
    free(entry.file);
    return right ? RIGHT : WRONG;
}

// Returns the path of an entry.
static const char *path_of(uint32_t number)
{
    static char path[sizeof(dir) + 80];
    struct cuc__entry_path names;
    cuc__key key = key_of(number);

    cuc__entry_path(&names, &key);
    snprintf(path, sizeof(path), "%s/%s/%s", dir, names.folder, names.name);
    return path;
}

// Returns the number of files below a folder, not counting "state".
static int count_files(const char *where)
{
    char path[600];
    DIR *d = opendir(where);
    int count = 0;

    for (struct dirent *e; d && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            strcmp(e->d_name, "state") == 0)
            continue;
        snprintf(path, sizeof(path), "%s/%s", where, e->d_name);
        count += e->d_type == DT_DIR ? count_files(path) : 1;
    }
    if (d)
        closedir(d);
    return count;
}

static int count_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

// Runs a function in a child; returns its exit status, or minus the signal that ended it.
static int in_child(int (*run)(void))
{
    int status;

    fflush(NULL);
    pid_t child = fork();
    if (!child)
        _exit(run());
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// ---- Entries

CASE("entries", .setup = make_folder, .teardown = remove_folder);

TEST(entries_come_back)
{
    static char label[3 * CUC__ENTRY_LABEL];
    cuc__key key = key_of(7);
    cuc__entry entry;

    ck_assert_int_eq(get(1), MISS);
    for (uint32_t i = 0; i < 300; i++)
        ck_assert_int_eq(put(i), 0);
    for (uint32_t i = 0; i < 300; i++)
        ck_assert_int_eq(get(i), RIGHT);
    ck_assert_int_eq(get(300), MISS);
    ck_assert_int_eq(count_files(dir), 300);
    // The last label that was written counts, even if it is empty.
    memset(label, 'x', sizeof(label) - 1);
    ck_assert_int_eq(cuc__store_put(&store, &key, label, NULL, 0), 0);
    ck_assert(cuc__store_get(&entry, &store, &key));
    ck_assert_uint_eq(entry.bytes, 0);
    ck_assert_uint_eq(entry.label_bytes, CUC__ENTRY_LABEL);
    free(entry.file);
    ck_assert_int_eq(count_files(dir), 300);
    // A file under another key's name does not count as an entry.
    char other[sizeof(dir) + 80];
    strcpy(other, path_of(2));
    ck_assert_int_eq(rename(path_of(1), other), 0);
    ck_assert_int_eq(get(2), MISS);
}

TEST(without_a_folder_nothing_is_kept)
{
    store = (cuc__store){ .dir = NULL };
    ck_assert_int_eq(put(1), ENOENT);
    ck_assert_int_eq(get(1), MISS);
    cuc__key key = key_of(1);
    ck_assert_int_eq(cuc__store_lock(&store, &key), -1);
    store = (cuc__store){ .dir = dir, .max_bytes = 100 };
    ck_assert_int_eq(put(1), EFBIG);
    ck_assert_int_eq(count_files(folder), 0);
}

// ---- Folders

static int use_as_nobody(void)
{
    if (geteuid() == 0 && seteuid(65534) != 0)
        return 9;
    // Entries of a folder that can be read but not written are used.
    return get(1) == RIGHT && get(2) == MISS && put(2) == EACCES ? 0 : 1;
}

TEST(a_folder_must_be_the_users_own)
{
    static const struct {
        mode_t mode;
        int error;
    } rows[] = {
        { 0700, 0 },     { 0755, 0 },     { 0770, EPERM },
        { 0707, EPERM }, { 0777, EPERM }, { 01777, EPERM },
    };
    struct stat about;
    char command[128];

    ck_assert_int_eq(put(1), 0);
    ck_assert_int_eq(stat(dir, &about), 0);
    ck_assert_int_eq(about.st_mode & 07777, 0700);
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        ck_assert_int_eq(chmod(dir, rows[i].mode), 0);
        ck_assert_msg(put(2) == rows[i].error, "mode %o", rows[i].mode);
        ck_assert_int_eq(get(1), rows[i].error ? MISS : RIGHT);
        ck_assert_int_eq(unlink(path_of(2)), rows[i].error ? -1 : 0);
    }
    ck_assert_int_eq(chmod(dir, 0700), 0);
    if (geteuid() == 0) {
        ck_assert_int_eq(chown(dir, 65534, 65534), 0);
        ck_assert_int_eq(put(2), EPERM);
        ck_assert_int_eq(get(1), MISS);
    }
    // Make the folder read-only.
    ck_assert_int_eq(chmod(folder, 0755), 0);
    snprintf(command, sizeof(command), "chmod a+rx '%s/a' && chmod -R a=rX '%s'", folder, dir);
    ck_assert_int_eq(system(command), 0);
    if (geteuid() == 0) {
        snprintf(command, sizeof(command), "chown -R 65534 '%s'", dir);
        ck_assert_int_eq(system(command), 0);
    }
    ck_assert_int_eq(in_child(use_as_nobody), 0);
    snprintf(command, sizeof(command), "chmod -R u+w '%s'", dir);
    ck_assert_int_eq(system(command), 0);
    // Use a path that is not a folder.
    store.dir = path_of(1);
    ck_assert_int_eq(put(1), ENOTDIR);
    store.dir = "/proc/nothing/cache";
    ck_assert_int_eq(put(1), ENOENT);
}

// ---- File systems that the test mounts in a private namespace

enum { CANNOT_MOUNT = 77, FILLING = 200 };

static bool mount_in(const char *options, unsigned long flags)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", folder, "tmpfs", flags, options) == 0;
}

// Compiles a program through the store's folder. Returns true only on success with the complete
// code.
static bool compiles(void)
{
    static const char text[] = "kernel k(a: f32[N]) grid 1 { store(a, [0], load(a, [0], [64])) }\n";
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    cuc_cache *cache = NULL;
    const void *code;
    size_t bytes = 0;
    bool ok = cuc_cache_open(&cache, CUC_CACHE_OPTIONS(.dir = dir)) == CUC_OK;

    for (int i = 0; i < 2 && ok; i++) {
        ok = cuc_program_create(&program, CUC_SOURCE_TILE, text, 0,
                                CUC_PROGRAM_OPTIONS(.arch = "sm_90", .cache = cache)) == CUC_OK &&
             cuc_program_compile(&object, program, CUC_CODE_PTX) == CUC_OK &&
             cuc_object_get_code(&code, &bytes, object) == CUC_OK && bytes > 100;
        cuc_object_release(object);
        cuc_program_release(program);
        object = NULL;
        program = NULL;
    }
    cuc_cache_release(cache);
    return ok;
}

// Fills a file system with entries. Entries that fit are right; the others are absent and leave
// nothing behind.
static int fill(const char *options)
{
    enum got expected[FILLING];
    int written = 0;

    if (!mount_in(options, 0))
        return CANNOT_MOUNT;
    for (uint32_t i = 0; i < FILLING; i++) {
        int error = put(i);
        if (error && error != ENOSPC)
            return 1;
        expected[i] = error ? MISS : RIGHT;
        written += !error;
    }
    if (!written || written == FILLING || count_files(dir) != written)
        return 2;
    for (uint32_t i = 0; i < FILLING; i++)
        if (get(i) != expected[i])
            return 3;
    if (!compiles())
        return 4;
    for (uint32_t i = 0; i < FILLING; i++) // once there is room again, entries are kept again
        if (expected[i] == RIGHT && unlink(path_of(i)) != 0)
            return 5;
    return put(0) == 0 && get(0) == RIGHT && compiles() ? 0 : 6;
}

static int fill_bytes(void)
{
    return fill("size=256k");
}

static int fill_inodes(void)
{
    return fill("nr_inodes=40");
}

// Entries on a read-only file system are used.
static int make_read_only(void)
{
    if (!mount_in("size=1m", 0))
        return CANNOT_MOUNT;
    if (put(1) != 0 || mount("none", folder, NULL, MS_REMOUNT | MS_RDONLY, NULL) != 0)
        return 1;
    return get(1) == RIGHT && get(2) == MISS && put(2) == EROFS && put(1) == EROFS && compiles()
               ? 0
               : 2;
}

TEST_RANGE(a_file_system_may_be_full_or_read_only, 0, 3)
{
    static int (*const rows[])(void) = { fill_bytes, fill_inodes, make_read_only };
    int result = in_child(rows[_i]);

    if (result == CANNOT_MOUNT)
        SKIP("this user may not mount a file system");
    ck_assert_int_eq(result, 0);
}

// ---- Failing system calls

// Does everything that a compilation does with a store.
static void use(int *stored, enum got *first, enum got *second)
{
    cuc__key key = key_of(1);
    int lock = cuc__store_lock(&store, &key);

    *first = get(1);
    *stored = put(1);
    cuc__store_unlock(lock);
    *second = get(1);
}

CASE("failures", .setup = make_folder, .teardown = remove_folder, .timeout = 100);

TEST_RANGE(every_system_call_may_fail, 0, 6)
{
    static const int errors[] = {
        EIO, ENOSPC, EACCES, EMFILE, ENOLCK, ESTALE, EEXIST, EPERM, EINTR
    };
    enum { NEW, TOO_FULL, FULL_ENOUGH } kind = (unsigned)_i / 2;
    int made = 0, descriptors = count_descriptors();

    hit.anonymous = _i % 2 == 0;
    // A new or too full folder is walked, which takes a few hundred more calls, so only the last
    // two errors are tried.
    for (int e = kind == FULL_ENOUGH ? 0 : CUC_LENGTH(errors) - 2; e < CUC_LENGTH(errors); e++) {
        bool armed = true;
        for (int n = 1; armed; n++) {
            enum got first, second;
            int stored;
            remove_folder();
            ck_assert_int_eq(mkdir(folder, 0755), 0);
            store.max_bytes = 1 << 30;
            for (uint32_t i = 2; kind != NEW && i < 12; i++)
                ck_assert_int_eq(put(i), 0);
            if (kind == TOO_FULL)
                store.max_bytes = MOST_BYTES;
            int before = count_files(dir);
            hit.error = errors[e];
            hit.calls = 0;
            hit.at = n;
            use(&stored, &first, &second);
            armed = hit.calls >= n;
            hit.at = 0;
            enum got now = get(1);
            ck_assert_msg(first == MISS && second != WRONG && now != WRONG,
                          "call %d fails with %s: wrong data", n, strerror(errors[e]));
            ck_assert_msg(stored || now == RIGHT, "call %d fails with %s: %d, and it is not there",
                          n, strerror(errors[e]), stored);
            ck_assert_msg(errors[e] != EINTR || (!stored && now == RIGHT),
                          "call %d fails with EINTR: %d, then %d", n, stored, now);
            ck_assert_msg(count_files(dir) <= before + 1, "call %d fails with %s: %d files", n,
                          strerror(errors[e]), count_files(dir));
            ck_assert_int_eq(count_descriptors(), descriptors);
            // Afterwards the store works as if nothing had happened.
            ck_assert_int_eq(put(1), 0);
            ck_assert_int_eq(get(1), RIGHT);
            made += armed;
        }
    }
    printf("%d failed system calls\n", made);
    ck_assert_int_ge(made, kind == FULL_ENOUGH ? 40 * CUC_LENGTH(errors) : 300 * 2);
}

static const struct network networks[] = {
    { .what = "no O_TMPFILE", .named = true },
    { .what = "links are not permitted", .link = EPERM },
    { .what = "no links", .link = EOPNOTSUPP },
    { .what = "no locks", .lock = ENOLCK },
    { .what = "no locks of open files", .lock = EOPNOTSUPP },
    { .what = "locks of an old kernel", .lock = EINVAL },
    { .what = "a rename replaces nothing", .named = true, .replace = EEXIST },
    { .what = "a rename fails while the file is open", .named = true, .replace = ESTALE },
    { .what = "reads of stale files", .read = ESTALE },
    { .what = "new names are seen late", .late = 3 },
    { .what = "new names are seen late, without O_TMPFILE", .named = true, .late = 3 },
    { .what = "replies are lost", .again = LINK | FOLDER },
    { .what = "replies are lost, without O_TMPFILE", .named = true, .again = RENAME | FOLDER },
    { .what = "replies are lost, and a rename replaces nothing",
      .named = true,
      .replace = EEXIST,
      .again = REMOVAL },
    { .what = "nothing but files",
      .named = true,
      .link = EPERM,
      .lock = ENOLCK,
      .replace = EEXIST },
};

CASE("failures");

// An entry is right or absent, and written unless the file system prevents it.
TEST_ROWS(network_file_systems, networks)
{
    const struct network *n = &networks[_i];
    cuc__key key = key_of(1);

    network = *n;
    int lock = cuc__store_lock(&store, &key);
    ck_assert_int_eq(lock >= 0, !n->lock);
    for (int round = 0; round < 4; round++) {
        network.again = n->again;
        int stored = put(1);
        // A write may report a failure if a reply was lost, although the entry is there, or if the
        // file system cannot replace the old entry, which has the same data.
        ck_assert_msg(!stored || n->again || (round && n->replace == ESTALE), "%s: %s", n->what,
                      strerror(stored));
        for (int late = n->late && !round ? n->late : 0; late > 0; late--)
            ck_assert_int_eq(get(1), MISS);
        ck_assert_msg(get(1) == (n->read ? MISS : RIGHT), "%s, round %d", n->what, round);
        ck_assert_msg(count_files(dir) == 1, "%s: %d files", n->what, count_files(dir));
    }
    cuc__store_unlock(lock);
    // A damaged entry is absent, and the next one replaces it.
    ck_assert_int_eq(truncate(path_of(1), 10), 0);
    ck_assert_int_eq(get(1), MISS);
    int stored = put(1);
    ck_assert_msg(!stored || n->again || n->replace == ESTALE, "%s: %s", n->what, strerror(stored));
    ck_assert_msg(get(1) == (n->read || n->replace == ESTALE ? MISS : RIGHT), "%s", n->what);
    ck_assert(compiles());
    network = (struct network){ .what = NULL };
}

static int use_once(void)
{
    enum got first, second;
    int stored;

    signal(SIGTERM, SIG_DFL);
    hit.calls = 0;
    use(&stored, &first, &second);
    return stored != 0 || second != RIGHT;
}

TEST_RANGE(a_signal_may_come_before_every_system_call, 0, 2)
{
    static const int signals[] = { SIGTERM, SIGKILL };

    hit.anonymous = _i % 2 == 0;
    for (int s = 0; s < CUC_LENGTH(signals); s++) {
        int status = 1;
        for (int n = 1; status; n++) {
            remove_folder();
            ck_assert_int_eq(mkdir(folder, 0755), 0);
            hit.error = 0;
            hit.signal = signals[s];
            hit.at = n;
            status = in_child(use_once);
            hit.at = 0;
            ck_assert_msg(status == 0 || status == -signals[s], "status %d", status);
            ck_assert_int_ne(get(1), WRONG);
            ck_assert_int_eq(put(1), 0);
            ck_assert_int_eq(get(1), RIGHT);
        }
    }
}

static int write_with_a_limit(void)
{
    const struct rlimit limit = { 2000, 2000 };

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 9;
    for (uint32_t i = 0; i < 50; i++) {
        unsigned char data[MOST_BYTES];
        cuc__key key = key_of(i);
        bool fits = make_data(data, &key) + CUC__ENTRY_HEAD + 5 <= 2000;
        if (put(i) != (fits ? 0 : EFBIG) || get(i) != (fits ? RIGHT : MISS))
            return 1;
    }
    return 0;
}

CASE("entries");

// The disk becomes full after part of an entry has been written.
TEST_RANGE(a_full_disk_keeps_no_part_of_an_entry, 0, 2)
{
    hit.anonymous = _i % 2 == 0;
    ck_assert_int_eq(in_child(write_with_a_limit), 0);
    int kept = 0;
    for (uint32_t i = 0; i < 50; i++)
        kept += get(i) == RIGHT;
    ck_assert_int_eq(count_files(dir), kept);
}

// ---- Damage

CASE("failures");

TEST(damage_is_a_miss)
{
    enum { ENTRIES = 20, ROUNDS = 4000 };
    static char bytes[MOST_BYTES + 1000];
    uint64_t state = 88172645463325252u + (uint64_t)_i;
    int missed = 0;

    for (int i = 0; i < ROUNDS; i++) {
        uint32_t number = (uint32_t)(next(&state) % ENTRIES);
        ck_assert_int_eq(put(number), 0);
        int fd = open(path_of(number), O_RDWR);
        ssize_t size = read(fd, bytes, sizeof(bytes));
        ck_assert_int_ge(size, CUC__ENTRY_HEAD);
        size_t at = next(&state) % (size_t)size, length = 1 + next(&state) % 64;
        if (at + length > (size_t)size)
            length = (size_t)size - at;
        switch (next(&state) % 6) {
        case 0: // flips any bit
            bytes[at] = (char)(bytes[at] ^ 1 << next(&state) % 8);
            ck_assert_int_eq(pwrite(fd, bytes + at, 1, (off_t)at), 1);
            break;
        case 1: // flips a bit in the head
            at %= CUC__ENTRY_HEAD;
            bytes[at] = (char)(bytes[at] ^ 1 << next(&state) % 8);
            ck_assert_int_eq(pwrite(fd, bytes + at, 1, (off_t)at), 1);
            break;
        case 2: // cuts off the end
            ck_assert_int_eq(ftruncate(fd, (off_t)at), 0);
            break;
        case 3: // appends bytes
            ck_assert_int_eq(pwrite(fd, bytes, length, size), (ssize_t)length);
            break;
        case 4: // inverts some bytes
            for (size_t k = 0; k < length; k++)
                bytes[at + k] = (char)~bytes[at + k];
            ck_assert_int_eq(pwrite(fd, bytes + at, length, (off_t)at), (ssize_t)length);
            break;
        default: // makes the file all zeros, as if the file system had lost its blocks
            memset(bytes, 0, (size_t)size);
            ck_assert_int_eq(pwrite(fd, bytes, (size_t)size, 0), size);
        }
        close(fd);
        enum got got = get(number);
        ck_assert_int_ne(got, WRONG);
        missed += got == MISS;
        if (got == MISS && next(&state) % 2) // the next compilation replaces it
            ck_assert(put(number) == 0 && get(number) == RIGHT);
    }
    ck_assert_int_eq(missed, ROUNDS);
    ck_assert_int_eq(count_files(dir), ENTRIES);
}

// ---- Many processes

static struct shared {
    _Atomic int compiled, wrong, failed, hits, started;
} * shared;

enum { PROCESSES = 64, KEYS = 1000, KILL_KEYS = 40 };

static void work(uint32_t number)
{
    cuc__key key = key_of(number);
    enum got got = get(number);

    if (got == MISS) {
        int lock = cuc__store_lock(&store, &key);
        got = get(number);
        if (got == MISS) {
            shared->compiled++;
            shared->failed += put(number) != 0;
        }
        cuc__store_unlock(lock);
    }
    shared->wrong += got == WRONG;
    shared->hits += got == RIGHT;
}

static void run_processes(void)
{
    pid_t children[PROCESSES];
    int status;

    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i])
            continue;
        // Each process visits the keys in a different order.
        static const uint32_t steps[] = { 1, 3, 7, 9, 11, 13, 17, 19 };
        uint32_t at = (uint32_t)i * 15, step = steps[i % CUC_LENGTH(steps)];
        for (int k = 0; k < KEYS; k++, at += step)
            work(at % KEYS);
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert_int_eq(status, 0);
    }
}

static void make_shared(void)
{
    make_folder();
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(shared != MAP_FAILED);
}

CASE("processes", .setup = make_shared, .teardown = remove_folder, .timeout = 500);

TEST(many_processes_compile_each_key_once)
{
    run_processes();
    printf("%d processes, %d keys: %d hits, %d compiled\n", PROCESSES, KEYS, shared->hits,
           shared->compiled);
    ck_assert_int_eq(shared->wrong, 0);
    ck_assert_int_eq(shared->failed, 0);
    ck_assert_int_eq(shared->compiled, KEYS);
    ck_assert_int_eq(shared->hits, PROCESSES * KEYS - KEYS);
    ck_assert_int_eq(count_files(dir), KEYS);
}

TEST(many_processes_get_along_in_a_store_that_is_too_small)
{
    store.max_bytes = KEYS * MOST_BYTES / 8; // about a fourth of the entries fit
    run_processes();
    ck_assert_int_eq(shared->wrong, 0);
    ck_assert_int_eq(shared->failed, 0);
    ck_assert_int_ge(shared->compiled, KEYS);
    ck_assert_int_eq(shared->hits + shared->compiled, PROCESSES * KEYS);
    // Entries that others use during a trim stay, so all may have stayed until now.
    ck_assert_int_eq(put(0), 0);
    ck_assert_int_le(count_files(dir), KEYS * 2 / 3);
}

TEST_RANGE(writers_may_be_killed_at_any_moment, 0, 2)
{
    const char *number = getenv("CUCORE_TEST_KILLS");
    int kills = number ? atoi(number) : 1000, hits = 0;
    uint64_t state = 2463534242u + (uint64_t)_i;

    hit.anonymous = _i % 2 == 0;
    store.max_bytes = KILL_KEYS * MOST_BYTES / 3;
    for (int i = 0; i < kills; i++) {
        int status, started = shared->started;
        pid_t child = fork();
        if (!child)
            for (;;) {
                uint32_t key = (uint32_t)(next(&state) % KILL_KEYS);
                shared->started++;
                shared->wrong += get(key) == WRONG;
                (void)put(key);
            }
        (void)next(&state);
        while (shared->started == started)
            sched_yield();
        const struct timespec pause = { .tv_nsec = (long)(next(&state) % 1500000) };
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        uint32_t key = (uint32_t)(next(&state) % KILL_KEYS);
        enum got got = get(key);
        ck_assert_int_ne(got, WRONG);
        hits += got == RIGHT;
    }
    ck_assert_int_eq(shared->wrong, 0);
    int left = count_files(dir), right = 0;
    for (uint32_t i = 0; i < KILL_KEYS; i++) {
        enum got got = get(i);
        ck_assert_int_ne(got, WRONG);
        right += got == RIGHT;
    }
    printf("%d kills between %d writes: %d files, %d right, %d temporary\n", kills,
           (int)shared->started, left, right, left - right);
    ck_assert_int_gt(right, 0);
    ck_assert_int_gt(hits, 0);
    for (uint32_t i = 0; i < KILL_KEYS; i++)
        ck_assert_int_eq(put(i), 0);
}

// ---- Locks

static int hold_a_lock(void)
{
    cuc__key key = key_of(1);

    if (cuc__store_lock(&store, &key) < 0)
        return 1;
    shared->started++;
    pause();
    return 0;
}

TEST(a_lock_excludes_one_key_only_and_not_forever)
{
    cuc__key key = key_of(1), other = key_of(2);
    int status;

    pid_t child = fork();
    if (!child)
        _exit(hold_a_lock());
    ck_soon(shared->started);
    store.wait_ms = 50;
    ck_assert_int_eq(cuc__store_lock(&store, &key), -1);
    int lock = cuc__store_lock(&store, &other);
    ck_assert_int_ge(lock, 0);
    // Locks also exclude threads of the same process: a lock belongs to the descriptor.
    ck_assert_int_eq(cuc__store_lock(&store, &other), -1);
    cuc__store_unlock(lock);
    // Reading and writing need no lock.
    ck_assert_int_eq(put(1), 0);
    ck_assert_int_eq(get(1), RIGHT);
    kill(child, SIGKILL);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    lock = cuc__store_lock(&store, &key);
    ck_assert_int_ge(lock, 0);
    cuc__store_unlock(lock);
    hit.locks = false; // on a file system without locks
    ck_assert_int_eq(cuc__store_lock(&store, &key), -1);
    ck_assert_int_eq(put(2), 0);
    ck_assert_int_eq(get(2), RIGHT);
}

// ---- Leaving

static void set_age(const char *path, long seconds)
{
    struct timespec times[2];

    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

CASE("entries");

TEST_RANGE(the_least_recently_used_entries_are_removed_first, 0, 2)
{
    enum { ENTRIES = 40 };
    unsigned char data[1000] = { 1 };
    char temporary[sizeof(dir) + 100];
    cuc__entry entry;

    hit.locks = _i == 0; // trimming needs no locks
    store.max_bytes = ENTRIES * 1093;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        cuc__key key = key_of(i);
        ck_assert_int_eq(cuc__store_put(&store, &key, "label", data, sizeof(data)), 0);
        set_age(path_of(i), 1000 - i);
    }
    for (uint32_t i = 0; i < 3; i++) { // using these entries makes them the youngest
        cuc__key key = key_of(i);
        ck_assert(cuc__store_get(&entry, &store, &key));
        free(entry.file);
    }
    // Trimming removes old files that killed processes left behind; the user's files stay.
    snprintf(temporary, sizeof(temporary), "%s", path_of(0));
    strcpy(strrchr(temporary, '/') + 1, ".cucore-0123456789abcdef.tmp");
    ck_assert_int_eq(close(open(temporary, O_CREAT | O_WRONLY, 0600)), 0);
    set_age(temporary, 7200);
    strcpy(strrchr(temporary, '/') + 1, "notes");
    ck_assert_int_eq(close(open(temporary, O_CREAT | O_WRONLY, 0600)), 0);
    set_age(temporary, 7200);
    int error, opened = cuc__store_open(&store, false, &error);
    ck_assert_int_ge(opened, 0);
    cuc__store_set(opened, 1); // trimming corrects a wrong count
    cuc__store_trim(opened, store.max_bytes, NULL);
    ck_assert_int_eq(count_files(dir), ENTRIES + 1);
    ck_assert_uint_eq(cuc__store_add(opened, 0), ENTRIES * 1093);
    close(opened);
    cuc__key key = key_of(ENTRIES);
    ck_assert_int_eq(cuc__store_put(&store, &key, "label", data, sizeof(data)), 0);
    for (uint32_t i = 0; i <= ENTRIES; i++) {
        bool there = access(path_of(i), F_OK) == 0;
        ck_assert_msg(there == (i < 3 || i >= 9), "entry %u is %s", i, there ? "there" : "gone");
    }
    ck_assert_int_eq(access(temporary, F_OK), 0);
    // A new entry stays, even if the other entries seem newer.
    set_age(path_of(ENTRIES), 5000);
    opened = cuc__store_open(&store, false, &error);
    cuc__store_trim(opened, 1093, &key);
    close(opened);
    ck_assert_int_eq(access(path_of(ENTRIES), F_OK), 0);
    ck_assert_int_eq(count_files(dir), 2); // the new entry and the user's file
}

// Another process may use or replace an entry during trimming.
TEST(an_entry_that_is_replaced_meanwhile_stays)
{
    enum { ENTRIES = 8 };
    unsigned char data[1000] = { 1 };
    char replaced[sizeof(dir) + 100];
    int error;

    for (uint32_t i = 0; i < ENTRIES; i++) {
        cuc__key key = key_of(i);
        ck_assert_int_eq(cuc__store_put(&store, &key, "label", data, sizeof(data)), 0);
        set_age(path_of(i), 1000 - i);
    }
    int opened = cuc__store_open(&store, false, &error);
    ck_assert_int_ge(opened, 0);
    snprintf(replaced, sizeof(replaced), "%s", path_of(1)); // the second entry to be removed
    hit.replaced = replaced;
    cuc__store_trim(opened, ENTRIES * 1093 / 2, NULL);
    close(opened);
    ck_assert_ptr_null(hit.replaced);
    ck_assert_int_ne(access(path_of(0), F_OK), 0);
    ck_assert_int_eq(access(path_of(1), F_OK), 0);
    ck_assert_int_ne(access(path_of(2), F_OK), 0);
    ck_assert_int_eq(count_files(dir), 3);
}

int main(void)
{
    return run_tests("cache_store");
}
