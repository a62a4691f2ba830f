// Reads and writes files of tuning records: a header line, then one record per line, with
// tab-separated fields.
#include "tuned.h"

#include "base/array.h"
#include "base/file.h"
#include "device/device.h"
#include "driver/driver.h"
#include "base/new_file.h"
#include "base/options.h"
#include "find/own_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FIELDS = 8, PATH_BYTES = 4096, MOST_BYTES = 1 << 24, SMALL_EXTENT = 64, STEP = 8 };

// Give up on a lock after 400 waits of 5 ms without a change of the file.
enum { PAUSE_NS = 5000000, MOST_WAITS = 400, ATTEMPTS = 100 };

static const char head[] = "cucore-tuned 1\n";
// Paths relative to the library's folder, which is lib or a subfolder of lib.
static const char *const installed[] = { "/../share/cucore/tuned.tsv",
                                         "/../../share/cucore/tuned.tsv" };

static const char *const names[FIELDS] = { "gpu",       "toolkit",    "program", "kernel",
                                           "constants", "dimensions", "choice",  "seconds" };

// ---- Records as strings

static void fields_of(const char *field[FIELDS], const cuc_tuned_record *r)
{
    const char *const all[] = { r->gpu,       r->toolkit,    r->program, r->kernel,
                                r->constants, r->dimensions, r->choice };

    memcpy(field, all, sizeof(all));
    field[FIELDS - 1] = "";
}

static cuc_status check(const cuc_tuned_record *r, int count, const char *function)
{
    const char *field[FIELDS];

    fields_of(field, r);
    for (int i = 0; i < count; i++) {
        if (!field[i])
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is NULL", names[i]);
        if (strpbrk(field[i], "\t\n\r"))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s is \"%s\", expected a text without tabs and newlines", names[i],
                             field[i]);
    }
    return CUC_OK;
}

// Splits a line into its fields in place. Returns false if their number is wrong.
static bool split(char *line, char *field[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        field[i] = line;
        line += strcspn(line, "\t");
        if ((*line == '\t') != (i + 1 < FIELDS))
            return false;
        if (*line)
            *line++ = 0;
    }
    return true;
}

// ---- Files

static int fail_read(const char *path, int error, const char *function)
{
    return cuc__fail(CUC_ERROR_IO, function, "%s could not be read: %s", path, strerror(error));
}

// Refuses a text that is not a file of tuning records, is too long, or contains a NUL, which would
// end it early.
static int check_text(const char *text, size_t length, const char *path, const char *function)
{
    if (length > MOST_BYTES)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is larger than %d MiB, the maximum of a file of records", path,
                         MOST_BYTES >> 20);
    if (strncmp(text, head, sizeof(head) - 1) != 0)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is not a file of records: its first line is not \"%.*s\"", path,
                         (int)sizeof(head) - 2, head);
    if (strlen(text) != length)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is damaged: byte %zu is a NUL, expected text; restore the file, or "
                         "remove that byte",
                         path, strlen(text));
    return 0;
}

// Reads the whole text and the file's identity. Returns 0 if there is no such file.
static int read_file(char **out, struct stat *about, const char *path, const char *function)
{
    int fd = cuc__open(path, O_RDONLY);
    size_t length = 0;

    if (fd < 0)
        return errno == ENOENT ? 0 : fail_read(path, errno, function);
    int error = fstat(fd, about) ? errno : cuc__read_to_end(out, &length, fd, MOST_BYTES);
    close(fd);
    if (error == ENOMEM)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for %s", path);
    if (error)
        return fail_read(path, error, function);
    int st = check_text(*out, length, path, function);
    if (st < 0)
        free(*out);
    return st < 0 ? st : 1;
}

// Returns the next line of a text; the first one is the header. Skips comments and empty lines.
static char *next_line(char **at, int *number)
{
    while (**at) {
        char *line = *at;
        *at += strcspn(line, "\n");
        if (**at)
            *(*at)++ = 0;
        ++*number;
        if (*line && *line != '#')
            return line;
    }
    return NULL;
}

static cuc_status fail_line(const char *path, int number, const char *function)
{
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%s, line %d: expected %d fields separated by tabs: gpu, toolkit, program, "
                     "kernel, constants, dimensions, choice, seconds",
                     path, number, FIELDS);
}

// ---- Finding

bool cuc__tuned_next(const char **list, char one[128], bool *option)
{
    size_t length;

    *list += strspn(*list, " ");
    *option = **list == ':';
    *list += *option;
    length = strcspn(*list, " ");
    if (!length || length >= 128)
        return false;
    memcpy(one, *list, length);
    one[length] = 0;
    *list += length;
    return true;
}

// Returns the distance of two extents in octaves, or a negative number if they are too far apart.
static double distance_of(long long a, long long b)
{
    if (a == b)
        return 0;
    if (a < SMALL_EXTENT || b < SMALL_EXTENT || (a % STEP == 0) != (b % STEP == 0))
        return -1;
    double octaves = fabs(log2((double)a / (double)b));
    return octaves <= 0.5 ? octaves : -1;
}

static double distance_between(const char *a, const char *b)
{
    char x[128], y[128];
    bool option;
    double sum = 0;

    for (;;) {
        bool more = cuc__tuned_next(&a, x, &option), same = cuc__tuned_next(&b, y, &option);
        if (!more || !same)
            return more == same ? sum : -1;
        size_t name = strcspn(x, "=") + 1;
        if (strncmp(x, y, name) != 0 || !x[name - 1])
            return -1;
        double one = distance_of(atoll(x + name), atoll(y + name));
        if (one < 0)
            return -1;
        sum += one;
    }
}

static bool same_toolkit(const char *a, const char *b)
{
    return atoi(a) == atoi(b);
}

// Returns true if a record has the same device, toolkit and program as a key.
static bool is_of_program(char *const field[FIELDS], const cuc_tuned_record *key)
{
    return strcmp(field[0], key->gpu) == 0 && same_toolkit(field[1], key->toolkit) &&
           strcmp(field[2], key->program) == 0;
}

// Finds the choice in the nearest record.
static int search(char choice[CUC__TUNED_CHOICE], char *text, const char *path,
                  const cuc_tuned_record *key, const char *function)
{
    const char *wanted[FIELDS];
    char *field[FIELDS], *line;
    double least = INFINITY;
    int number = 0;

    fields_of(wanted, key);
    (void)next_line(&text, &number);
    while ((line = next_line(&text, &number)) != NULL) {
        if (!split(line, field))
            return fail_line(path, number, function);
        if (!is_of_program(field, key) || strcmp(field[3], wanted[3]) != 0 ||
            strcmp(field[4], wanted[4]) != 0 || strlen(field[6]) >= CUC__TUNED_CHOICE)
            continue;
        double distance = distance_between(field[5], wanted[5]);
        if (distance < 0 || distance >= least)
            continue;
        least = distance;
        strcpy(choice, field[6]);
    }
    return least == 0 ? 1 : least < INFINITY ? 2 : 0;
}

// Finds the records file that was installed with the library.
static bool installed_path(char path[PATH_BYTES])
{
    char folder[PATH_BYTES];

    if (!cuc__own_folder(folder, sizeof(folder)))
        return false;
    for (size_t i = 0; i < CUC_LENGTH(installed); i++)
        if (snprintf(path, PATH_BYTES, "%s%s", folder, installed[i]) < PATH_BYTES &&
            access(path, R_OK) == 0)
            return true;
    return false;
}

// Reads the records file at `path`. NULL means the usual place, whose path this writes to `usual`.
// `*named` points to the path that was read. Returns 0 if `path` is empty or no file is installed.
static int read_records(char **text, const char **named, char usual[PATH_BYTES], const char *path,
                        const char *function)
{
    const char *variable = path ? NULL : secure_getenv("CUCORE_TUNED");
    const char *given = path ? path : variable;
    struct stat about;

    *named = given ? given : usual;
    if (given ? !*given : !installed_path(usual))
        return 0;
    int got = read_file(text, &about, *named, function);
    return got || !given ? got
                         : cuc__fail(CUC_ERROR_IO, function, "%s%s: there is no such file",
                                     variable ? "CUCORE_TUNED names " : "", given);
}

int cuc__tuned_find(char choice[CUC__TUNED_CHOICE], const char *path, const cuc_tuned_record *key,
                    const char *function)
{
    char usual[PATH_BYTES], *text = NULL;
    const char *named;
    int got = read_records(&text, &named, usual, path, function);

    if (got <= 0)
        return got;
    got = search(choice, text, named, key, function);
    free(text);
    return got;
}

int cuc__tuned_visit(const char *path, const cuc_tuned_record *key, cuc__tuned_visit_field visit,
                     void *user, const char *function)
{
    char usual[PATH_BYTES], *text = NULL, *line, *at;
    char *field[FIELDS] = { NULL };
    const char *named;
    int number = 0, got = read_records(&text, &named, usual, path, function);

    if (got <= 0)
        return got;
    at = text;
    (void)next_line(&at, &number);
    while (got > 0 && (line = next_line(&at, &number)) != NULL) {
        if (!split(line, field))
            got = fail_line(named, number, function);
        for (int i = 3; got > 0 && i < FIELDS - 1 && is_of_program(field, key); i++)
            visit(user, field[i]);
    }
    free(text);
    return got;
}

void cuc__tuned_device(cuc_tuned_record *key, char *toolkit, const cuc_device *device)
{
    int version = 0;

    if (cuc__cu.cuDriverGetVersion)
        (void)cuc__cu.cuDriverGetVersion(&version);
    snprintf(toolkit, 16, "%d.%d", version / 1000 % 1000, version % 1000 / 10);
    key->toolkit = toolkit;
    key->gpu = device->name;
}

cuc_status cuc_tuned_program(char *out, const char *text, size_t bytes)
{
    uint64_t sum = UINT64_C(14695981039346656037);

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(text);
    bytes = bytes ? strnlen(text, bytes) : strlen(text);
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    snprintf(out, 17, "%016" PRIx64, sum);
    return CUC_OK;
}

cuc_status cuc_tuned_find(char *choice, size_t capacity, const char *path,
                          const cuc_tuned_record *key)
{
    char found[CUC__TUNED_CHOICE];
    cuc_tuned_record k;
    cuc_status st;
    int got;

    CUC_CHECK_NOT_NULL(choice);
    CUC_CHECK_NOT_NULL(key);
    if ((st = CUC_READ_OPTIONS(&k, key, cuc_tuned_record)) < 0 ||
        (st = check(&k, FIELDS - 2, __func__)) < 0)
        return st;
    if ((got = cuc__tuned_find(found, path, &k, __func__)) < 0)
        return got;
    if (!got)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "no record of %s, %s on %s for %s", k.program,
                        k.kernel, k.gpu, k.dimensions);
    if (strlen(found) >= capacity)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "capacity is %zu, the choice needs %zu",
                        capacity, strlen(found) + 1);
    strcpy(choice, found);
    return CUC_OK;
}

// ---- Adding

static bool same_key(char *const field[FIELDS], const char *const wanted[FIELDS])
{
    for (int i = 0; i < FIELDS - 2; i++)
        if (strcmp(field[i], wanted[i]) != 0)
            return false;
    return true;
}

// Copies the old text with the new record in it, which replaces an old record with the same key.
static int put_record(FILE *f, char *text, const char *path, const cuc_tuned_record *r,
                      const char *function)
{
    const char *wanted[FIELDS];
    char *field[FIELDS];
    int number = 1;

    fields_of(wanted, r);
    fputs(head, f);
    text = text ? text + sizeof(head) - 1 : NULL;
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        bool last = !text[length];
        text[length] = 0;
        char *copy = strdup(text);
        number++;
        if (!copy)
            return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a record");
        bool record = *copy && *copy != '#', whole = !record || split(copy, field);
        if (whole && !(record && same_key(field, wanted)))
            fprintf(f, "%s\n", text);
        free(copy);
        if (!whole)
            return fail_line(path, number, function);
        text += length + !last;
    }
    for (int i = 0; i < FIELDS - 1; i++)
        fprintf(f, "%s\t", wanted[i]);
    fprintf(f, "%.4g\n", r->seconds);
    return 0;
}

// Returns true if a path leads to the same file as before and the file is unchanged.
static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void look_at(struct stat *about, const char *path)
{
    if (stat(path, about) != 0)
        memset(about, 0, sizeof(*about)); // no file
}

// Locks the file's folder against other writers of tuning records. The file itself cannot be
// locked, because it is replaced. Anyone who can read the folder can hold this lock, so the wait is
// short unless the file keeps changing. Returns a negative number if the folder is not locked,
// which is always so on a file system without such locks.
static int lock_folder(const char *path)
{
    const struct timespec pause = { .tv_nsec = PAUSE_NS };
    const char *end = strrchr(path, '/');
    char folder[PATH_BYTES];
    struct stat before, now;
    int fd, locked;

    snprintf(folder, sizeof(folder), "%.*s", end ? (int)(end - path) + 1 : 1, end ? path : ".");
    fd = cuc__open(folder, O_RDONLY | O_DIRECTORY);
    look_at(&before, path);
    for (int waits = 0; fd >= 0 && waits < MOST_WAITS; waits++) {
        CUC_RETRY(locked, flock(fd, LOCK_EX | LOCK_NB));
        if (!locked)
            return fd;
        if (errno != EWOULDBLOCK)
            break;
        nanosleep(&pause, NULL);
        look_at(&now, path);
        if (!same_file(&before, &now)) // another writer is active, so keep waiting
            waits = 0;
        before = now;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

// Replaces the file with a text that has its records and the new one. Returns 1 if another writer
// was faster.
static int replace(const char *path, const char *text, size_t bytes, const struct stat *old,
                   const char *function)
{
    cuc__new_file file = { 0 };
    struct stat now;

    int error = cuc__new_file_begin(&file, path);
    if (!error)
        error = cuc__new_file_write(&file, text, bytes);
    if (!error)
        error = cuc__new_file_finish(&file);
    look_at(&now, path);
    bool changed = !error && !same_file(old, &now);
    if (!error && !changed)
        error = cuc__new_file_commit(&file);
    cuc__new_file_discard(&file);
    if (error)
        return cuc__fail(CUC_ERROR_IO, function, "%s could not be written: %s", path,
                         strerror(error));
    return changed;
}

static int add(const char *path, const cuc_tuned_record *r, const char *function)
{
    char *old = NULL, *text = NULL;
    struct stat about = { 0 };
    size_t bytes = 0;

    int st = read_file(&old, &about, path, function);
    if (st < 0)
        return st;
    FILE *f = open_memstream(&text, &bytes);
    st = f ? put_record(f, old, path, r, function) : 0;
    free(old);
    if ((!f || fclose(f) != 0) && st >= 0)
        st = cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the records of %s",
                       path);
    if (st >= 0)
        st = replace(path, text, bytes, &about, function);
    free(text);
    return st;
}

cuc_status cuc_tuned_add(const char *path, const cuc_tuned_record *record)
{
    char real[PATH_MAX];
    cuc_tuned_record r;
    cuc_status st;

    CUC_CHECK_NOT_NULL(path);
    CUC_CHECK_NOT_NULL(record);
    if ((st = CUC_READ_OPTIONS(&r, record, cuc_tuned_record)) < 0 ||
        (st = check(&r, FIELDS - 1, __func__)) < 0)
        return st;
    int folder = lock_folder(realpath(path, real) ? real : path), added = 1;
    for (int i = 0; i < ATTEMPTS && added == 1; i++)
        added = add(path, &r, __func__);
    if (folder >= 0)
        close(folder);
    return added == 1 ? CUC_FAIL(CUC_ERROR_BUSY,
                                 "%s changed %d times while a record was added to it: try again",
                                 path, ATTEMPTS)
                      : added;
}
