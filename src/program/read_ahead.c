#include "read_ahead.h"

#include "base/arena.h"
#include "base/helpers.h"
#include "base/name_set.h"
#include "directives.h"
#include "include_places.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PATHS = 1 << 16, NAME_BYTES = 1024 };

// A file that is being read.
struct job {
    struct cuc__task task;
    struct cuc__read_ahead *ahead;
    const char *path;
    struct cuc__read_file read;
    struct job *next; // in the list of all
};

struct cuc__read_ahead {
    const struct cuc__include_source *source;
    const struct cuc__roots *roots;
    time_t began;
    struct cuc__helpers *helpers;
    pthread_t scan;
    struct job *taken; // the job whose file the scan has taken last
    // The threads share the rest.
    pthread_mutex_t lock;
    struct cuc__arena *arena;
    struct cuc__name_set paths;   // each value is a job, or 0
    struct cuc__name_set names;   // names whose paths in the search folders are in `paths`
    struct cuc__name_set folders; // each value says whether the folder is missing
    struct job *jobs;
    bool full;
};

// Adds a name to a set. Returns NULL if the name is there already, or if the sets are full or
// memory has run out. The caller has the lock.
static struct cuc__name *add(struct cuc__read_ahead *a, struct cuc__name_set *set, const char *text,
                             size_t bytes)
{
    if (a->full || cuc__name_set_find(set, text, bytes))
        return NULL;
    const char *copy = cuc__arena_copy(a->arena, text, bytes);
    struct cuc__name *added = copy ? cuc__name_set_get(set, copy, bytes) : NULL;
    a->full |= !added || a->paths.count >= MOST_PATHS;
    return added;
}

// Returns true if the folder of a path does not exist. Most paths are in such folders.
static bool is_in_missing_folder(struct cuc__read_ahead *a, const char *path, size_t bytes)
{
    const char *slash = memrchr(path, '/', bytes);
    size_t folder_bytes = slash ? (size_t)(slash - path) : 0;

    if (!folder_bytes)
        return false;
    pthread_mutex_lock(&a->lock);
    const struct cuc__name *known = cuc__name_set_find(&a->folders, path, folder_bytes);
    bool missing = known && known->value;
    pthread_mutex_unlock(&a->lock);
    if (known)
        return missing;
    missing = cuc__roots_miss_folder(a->roots, path, folder_bytes);
    pthread_mutex_lock(&a->lock);
    struct cuc__name *added = add(a, &a->folders, path, folder_bytes);
    if (added)
        added->value = missing;
    pthread_mutex_unlock(&a->lock);
    return missing;
}

static void run(void *user);

static void offer(void *user, const char *path, size_t bytes)
{
    struct cuc__read_ahead *a = user;

    if (is_in_missing_folder(a, path, bytes))
        return;
    pthread_mutex_lock(&a->lock);
    struct cuc__name *added = add(a, &a->paths, path, bytes);
    struct job *job = added ? cuc__arena_allocate(a->arena, sizeof(*job)) : NULL;
    if (job) {
        *job = (struct job){
            .task = { .run = run, .user = job }, .ahead = a, .path = added->text, .next = a->jobs
        };
        added->value = (uintptr_t)job;
        a->jobs = job;
        // The includes of the file that the scan waits for go first, because the scan needs them
        // next.
        cuc__helpers_offer(a->helpers, &job->task, pthread_equal(pthread_self(), a->scan));
    }
    pthread_mutex_unlock(&a->lock);
}

void cuc__read_ahead_include(struct cuc__read_ahead *a, const char *from, const char *name,
                             bool quoted)
{
    if (quoted)
        (void)cuc__visit_beside(from, name, offer, a);
    pthread_mutex_lock(&a->lock);
    bool is_new = add(a, &a->names, name, strlen(name)) != NULL;
    pthread_mutex_unlock(&a->lock);
    if (is_new)
        (void)cuc__visit_places(a->source, name, offer, a);
}

// Follows the directive whose # is at `p`, if it is an #include with a literal name.
static void follow(struct job *job, const char *p, const char *end)
{
    static const char include[] = "include";
    char name[NAME_BYTES];

    p = cuc__skip_blanks(p + 1, end);
    if ((size_t)(end - p) < sizeof(include) || memcmp(p, include, sizeof(include) - 1) != 0)
        return;
    p = cuc__skip_blanks(p + sizeof(include) - 1, end);
    if (p == end || (*p != '"' && *p != '<'))
        return;
    const char *close = memchr(p + 1, *p == '"' ? '"' : '>', (size_t)(end - p - 1));
    if (!close || (size_t)(close - p) > sizeof(name))
        return;
    memcpy(name, p + 1, (size_t)(close - p - 1));
    name[close - p - 1] = '\0';
    cuc__read_ahead_include(job->ahead, job->path, name, *p == '"');
}

// Reads a file, and follows the includes in it.
static void run(void *user)
{
    struct job *job = user;
    struct cuc__read_file *read = &job->read;

    read->result = cuc__included_load(&read->text, &read->file, job->path, job->ahead->roots,
                                      job->ahead->began);
    if (read->result != CUC__INCLUDED_READ)
        return;
    const char *p = read->text.at, *end = p + read->file.state.bytes;
    while ((p = memchr(p, '#', (size_t)(end - p))) != NULL) {
        const char *line = memchr(p, '\n', (size_t)(end - p));
        line = line ? line : end;
        follow(job, p, line);
        p = line;
    }
}

struct cuc__read_ahead *cuc__read_ahead_start(const struct cuc__include_source *source,
                                              const struct cuc__roots *roots, time_t began)
{
    struct cuc__read_ahead *a = calloc(1, sizeof(*a));

    if (!a)
        return NULL;
    pthread_mutex_init(&a->lock, NULL);
    a->source = source;
    a->roots = roots;
    a->began = began;
    a->scan = pthread_self();
    a->arena = cuc__arena_create();
    a->helpers = a->arena ? cuc__helpers_start(CUC__HELPERS) : NULL;
    if (a->helpers)
        return a;
    cuc__read_ahead_stop(a);
    return NULL;
}

static void drop_taken(struct cuc__read_ahead *a)
{
    if (a->taken)
        free(a->taken->read.text.at);
    if (a->taken)
        a->taken->read.text.at = NULL;
    a->taken = NULL;
}

struct cuc__read_file *cuc__read_ahead_take(struct cuc__read_ahead *a, const char *path,
                                            size_t bytes)
{
    drop_taken(a);
    offer(a, path, bytes); // unless an include has offered it
    pthread_mutex_lock(&a->lock);
    const struct cuc__name *known = cuc__name_set_find(&a->paths, path, bytes);
    struct job *job = known ? (struct job *)known->value : NULL;
    pthread_mutex_unlock(&a->lock);
    if (!job)
        return NULL;
    cuc__helpers_finish(a->helpers, &job->task);
    a->taken = job;
    return &job->read;
}

void cuc__read_ahead_stop(struct cuc__read_ahead *a)
{
    if (!a)
        return;
    cuc__helpers_stop(a->helpers);
    for (struct job *job = a->jobs; job; job = job->next)
        free(job->read.text.at);
    cuc__name_set_free(&a->paths);
    cuc__name_set_free(&a->names);
    cuc__name_set_free(&a->folders);
    if (a->arena)
        cuc__arena_free(a->arena);
    pthread_mutex_destroy(&a->lock);
    free(a);
}
