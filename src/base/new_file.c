#include "new_file.h"
#include "array.h"
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 100 };

// ---- Signals

// The number of this thread's files that have a temporary name in a folder, and the signal mask
// that the thread had before it created the first of them.
static _Thread_local struct {
    unsigned files;
    sigset_t before;
} held;

static void hold_signals(void)
{
    static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
    sigset_t all;

    if (held.files++)
        return;
    sigfillset(&all);
    for (size_t i = 0; i < CUC_LENGTH(faults); i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_BLOCK, &all, &held.before);
}

static void release_signals(void)
{
    int error = errno;

    if (!--held.files)
        pthread_sigmask(SIG_SETMASK, &held.before, NULL);
    errno = error;
}

// ---- The replaced file

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// Resolves the path once and follows links like the kernel. `real` receives the final path;
// `*there` tells whether a file exists there.
static int look_up(char real[PATH_MAX], bool *there, struct stat *about, const char *path)
{
    char link[64];
    int fd;

    if (snprintf(real, PATH_MAX, "%s", path) >= PATH_MAX)
        return ENAMETOOLONG;
    fd = cuc__open(path, O_PATH);
    *there = fd >= 0;
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    int error = fstat(fd, about) ? errno : 0;
    struct stat at_path;
    if (!error && lstat(path, &at_path) == 0 && S_ISLNK(at_path.st_mode)) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, real, PATH_MAX);
        if (n < 0 || n >= PATH_MAX)
            error = n < 0 ? errno : ENAMETOOLONG;
        else
            real[n] = 0;
    }
    close(fd);
    return error;
}

// Opens the folder of `path` and copies the file name.
static int open_folder(cuc__new_file *file, const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;

    if (!*name)
        return *path ? EISDIR : ENOENT;
    if (strlen(name) > NAME_MAX)
        return ENAMETOOLONG;
    strcpy(file->name, name);
    snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    file->folder = cuc__open(folder, O_PATH | O_DIRECTORY);
    return file->folder < 0 ? errno : 0;
}

// ---- The new file

// Opens an anonymous file in the folder if it can be linked to a name later. Returns false if the
// file system does not support this.
static bool open_anonymous(cuc__new_file *file, mode_t mode)
{
    char link[64];

    file->fd = cuc__open_at(file->folder, ".", O_TMPFILE | O_WRONLY, mode);
    if (file->fd < 0)
        return false;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
    if (access(link, F_OK) == 0)
        return true;
    close(file->fd);
    file->fd = -1;
    return false;
}

static int make_name(cuc__new_file *file)
{
    uint64_t random;
    ssize_t n;

    CUC_RETRY(n, getrandom(&random, sizeof(random), 0));
    if (n != (ssize_t)sizeof(random))
        return n < 0 ? errno : EIO;
    snprintf(file->temporary, sizeof(file->temporary), ".cucore-%016" PRIx64 ".tmp", random);
    return 0;
}

static int open_named(cuc__new_file *file, mode_t mode)
{
    int error = 0;

    hold_signals();
    for (int i = 0; i < ATTEMPTS; i++) {
        if ((error = make_name(file)))
            break;
        file->fd = cuc__open_at(file->folder, file->temporary,
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
        error = file->fd < 0 ? errno : 0;
        if (error != EEXIST)
            break;
    }
    file->named = !error;
    if (error)
        release_signals();
    return error;
}

// Gives an anonymous file a name in the folder.
static int link_to(const cuc__new_file *file, const char *name)
{
    struct stat named, own;
    char link[64];
    int r;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", file->fd);
    CUC_RETRY(r, linkat(AT_FDCWD, link, file->folder, name, AT_SYMLINK_FOLLOW));
    int error = r ? errno : 0;
    // A network file system also reports EEXIST if it has made the link but lost the first reply.
    bool done = error == EEXIST && fstat(file->fd, &own) == 0 &&
                fstatat(file->folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                own.st_dev == named.st_dev && own.st_ino == named.st_ino;
    return done ? 0 : error;
}

// Gives an anonymous file a temporary name.
static int link_anonymous(cuc__new_file *file)
{
    int error = 0;

    hold_signals();
    for (int i = 0; i < ATTEMPTS; i++) {
        if ((error = make_name(file)))
            break;
        error = link_to(file, file->temporary);
        if (error != EEXIST)
            break;
    }
    file->named = !error;
    if (error)
        release_signals();
    return error;
}

// Gives the new file the old file's group, owner and permissions. If the group cannot be set,
// reduces the group's permissions to those that all users have.
static int take_after(int fd, const struct stat *old)
{
    struct stat about;
    mode_t mode = old->st_mode & 0777;
    int r;

    CUC_RETRY(r, fstat(fd, &about));
    if (r)
        return errno;
    if ((about.st_uid != old->st_uid || about.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0 && about.st_gid != old->st_gid &&
        fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= 0707 | (mode & 07) << 3;
    CUC_RETRY(r, fchmod(fd, mode));
    return r ? errno : 0;
}

int cuc__new_file_begin(cuc__new_file *file, const char *path)
{
    char real[PATH_MAX];
    struct stat old;
    bool there;

    *file = (cuc__new_file){ .begun = true, .fd = -1, .folder = -1 };
    int error = look_up(real, &there, &old, path);
    if (error)
        return error;
    if (there && S_ISDIR(old.st_mode))
        return EISDIR;
    if (there &&
        (!S_ISREG(old.st_mode) || starts_with(path, "/dev/") || starts_with(path, "/proc/"))) {
        file->fd = cuc__open(path, O_WRONLY);
        return file->fd < 0 ? errno : 0;
    }
    if ((error = open_folder(file, real)))
        return error;
    if (there && faccessat(file->folder, file->name, W_OK, AT_EACCESS) != 0)
        return errno;
    mode_t mode = there ? 0600 : 0666;
    if (!open_anonymous(file, mode) && (error = open_named(file, mode)))
        return error;
    return there ? take_after(file->fd, &old) : 0;
}

int cuc__new_file_begin_in(cuc__new_file *file, int folder, const char *name, bool named)
{
    *file = (cuc__new_file){ .begun = true, .fd = -1, .folder = -1 };
    if (strlen(name) > NAME_MAX)
        return ENAMETOOLONG;
    strcpy(file->name, name);
    CUC_RETRY(file->folder, fcntl(folder, F_DUPFD_CLOEXEC, 0));
    if (file->folder < 0)
        return errno;
    return !named && open_anonymous(file, 0600) ? 0 : open_named(file, 0600);
}

int cuc__new_file_write(cuc__new_file *file, const void *data, size_t bytes)
{
    const char *at = data;

    while (bytes) {
        ssize_t n;
        CUC_RETRY(n, write(file->fd, at, bytes));
        if (n <= 0)
            return n < 0 ? errno : EIO;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

// Closes the descriptor. Linux closes it even if close() fails with EINTR.
static int close_file(cuc__new_file *file)
{
    int error = close(file->fd) && errno != EINTR ? errno : 0;

    file->fd = -1;
    return error;
}

int cuc__new_file_finish(cuc__new_file *file)
{
    int r;

    if (file->folder < 0)
        return close_file(file);
    CUC_RETRY(r, fsync(file->fd));
    if (r)
        return errno;
    return file->named ? close_file(file) : 0; // an anonymous file stays open, because linking it
                                               // needs the descriptor
}

int cuc__new_file_commit(cuc__new_file *file)
{
    int error = 0, r;

    if (file->folder < 0)
        return 0;
    if (!file->named) {
        error = link_to(file, file->name); // usually there is no file to replace
        if (error != EEXIST || (error = link_anonymous(file)))
            return error;
    }
    CUC_RETRY(r, renameat(file->folder, file->temporary, file->folder, file->name));
    if (r)
        return errno;
    file->named = false;
    release_signals();
    return 0;
}

static int rename_to(const cuc__new_file *file, unsigned flags)
{
    int r;

    CUC_RETRY(r, renameat2(file->folder, file->temporary, file->folder, file->name, flags));
    return r ? errno : 0;
}

// Moves a file that has a temporary name into place. A file that it replaces gets the temporary
// name.
static int place(cuc__new_file *file)
{
    int r, error = rename_to(file, RENAME_EXCHANGE);

    if (!error) {
        file->place = CUC__NEW_FILE_EXCHANGED;
        return 0;
    }
    if (error == ENOENT) // there is no file to replace
        error = rename_to(file, RENAME_NOREPLACE);
    if (!error) {
        file->place = CUC__NEW_FILE_MADE;
        return 0;
    }
    if (error != EINVAL && error != ENOSYS && error != EOPNOTSUPP)
        return error;
    CUC_RETRY(r, renameat(file->folder, file->temporary, file->folder, file->name));
    return r ? errno : 0;
}

static void move_back(cuc__new_file *file)
{
    int r;

    if (file->place == CUC__NEW_FILE_EXCHANGED)
        (void)rename_to(file, RENAME_EXCHANGE);
    if (file->place == CUC__NEW_FILE_MADE)
        CUC_RETRY(r, unlinkat(file->folder, file->name, 0));
    file->place = CUC__NEW_FILE_WAITS;
}

int cuc__new_file_commit_all(cuc__new_file *const files[], int count, int *failed)
{
    int error = 0, r, i;

    // Give every file a temporary name before moving the first one, because moving then needs no
    // more disk space.
    for (i = 0; i < count && !error; i++)
        if (files[i]->folder >= 0 && !files[i]->named)
            error = link_anonymous(files[i]);
    for (i = error ? i : 0; i < count && !error; i++)
        error = files[i]->folder >= 0 ? place(files[i]) : 0;
    *failed = i - 1;
    for (i = count - 1; error && i >= 0; i--)
        move_back(files[i]);
    if (error)
        return error;
    for (i = 0; i < count; i++) {
        if (files[i]->folder < 0)
            continue;
        if (files[i]->place == CUC__NEW_FILE_EXCHANGED)
            CUC_RETRY(r, unlinkat(files[i]->folder, files[i]->temporary, 0));
        files[i]->named = false;
        release_signals();
    }
    return 0;
}

void cuc__new_file_discard(cuc__new_file *file)
{
    int r;

    if (!file->begun)
        return;
    if (file->fd >= 0)
        (void)close(file->fd);
    if (file->named) {
        CUC_RETRY(r, unlinkat(file->folder, file->temporary, 0));
        release_signals();
    }
    if (file->folder >= 0)
        (void)close(file->folder);
    *file = (cuc__new_file){ 0 };
}

int cuc__write_file(const char *path, const void *data, size_t bytes)
{
    cuc__new_file file;
    int error = cuc__new_file_begin(&file, path);

    if (!error)
        error = cuc__new_file_write(&file, data, bytes);
    if (!error)
        error = cuc__new_file_finish(&file);
    if (!error)
        error = cuc__new_file_commit(&file);
    cuc__new_file_discard(&file);
    return error;
}
