#include "intern.h"

#include "launch_ring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct name {
    struct name *next;      // in its bucket
    struct name *next_dead; // valid while listed
    size_t owners;
    bool listed; // in the list of dead names; a name that is interned again stays in the list until
                 // the next sweep
    char text[];
};

enum { FIRST_BUCKETS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // the innermost lock: its holder calls no
                                                         // other function that locks
static struct name *first_buckets[FIRST_BUCKETS];
// The hash table's buckets. Their number is a power of two, and grows when there are more than two
// names for each bucket.
static struct name **buckets = first_buckets;
static size_t bucket_count = FIRST_BUCKETS;
static size_t count;

static struct name *dead;
static size_t dead_count, sweep_at = CUC__INTERN_DEAD;
static struct cuc__launch_ring *rings;

static size_t bucket_of(const char *text)
{
    unsigned h = 2166136261u; // FNV-1a

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h & (bucket_count - 1);
}

// Adds buckets. If out of memory, lets the chains grow longer instead. The caller holds the lock.
static void add_buckets(void)
{
    const size_t old_count = bucket_count;
    struct name **old = buckets, **more = calloc(4 * old_count, sizeof(struct name *)), *next;

    if (!more)
        return;
    buckets = more;
    bucket_count = 4 * old_count;
    for (size_t i = 0; i < old_count; i++) {
        for (struct name *n = old[i]; n; n = next) {
            struct name **bucket = &buckets[bucket_of(n->text)];
            next = n->next;
            n->next = *bucket;
            *bucket = n;
        }
    }
    if (old != first_buckets)
        free(old);
}

static struct name *make(const char *text, struct name **bucket)
{
    const size_t bytes = strlen(text) + 1;
    struct name *n = malloc(sizeof(*n) + bytes);

    if (!n)
        return NULL;
    *n = (struct name){ .next = *bucket };
    memcpy(n->text, text, bytes);
    *bucket = n;
    count++;
    return n;
}

const char *cuc__intern(const char *text)
{
    struct name *n;

    pthread_mutex_lock(&lock);
    if (count > 2 * bucket_count)
        add_buckets();
    struct name **bucket = &buckets[bucket_of(text)];
    for (n = *bucket; n && strcmp(n->text, text) != 0; n = n->next)
        ;
    if (n || (n = make(text, bucket)))
        n->owners++;
    pthread_mutex_unlock(&lock);
    return n ? n->text : NULL;
}

static bool is_in_a_ring(const struct name *n)
{
    for (const struct cuc__launch_ring *ring = rings; ring; ring = ring->next)
        if (cuc__ring_holds(ring, n->text))
            return true;
    return false;
}

static void discard(struct name *n)
{
    struct name **link = &buckets[bucket_of(n->text)];

    while (*link != n)
        link = &(*link)->next;
    *link = n->next;
    free(n);
    count--;
}

// Frees the dead names that no ring holds. Dead names that remain do not count toward the next
// sweep. A sweep therefore always follows the same number of releases, even if many rings still
// hold dead names.
static void sweep(void)
{
    struct name *next, *kept = NULL;

    dead_count = 0;
    for (struct name *n = dead; n; n = next) {
        next = n->next_dead;
        if (n->owners) {
            n->listed = false;
        } else if (is_in_a_ring(n)) {
            n->next_dead = kept;
            kept = n;
            dead_count++;
        } else {
            discard(n);
        }
    }
    dead = kept;
    sweep_at = dead_count + CUC__INTERN_DEAD;
}

void cuc__intern_release(const char *name)
{
    // A forked child takes no lock, because a thread of the parent may hold it forever.
    if (!name || cuc__driver_forked())
        return;
    struct name *n = (struct name *)((uintptr_t)name - offsetof(struct name, text));

    pthread_mutex_lock(&lock);
    if (!--n->owners && !n->listed) {
        n->listed = true;
        n->next_dead = dead;
        dead = n;
        if (++dead_count >= sweep_at)
            sweep();
    }
    pthread_mutex_unlock(&lock);
}

void cuc__intern_add_ring(struct cuc__launch_ring *ring)
{
    pthread_mutex_lock(&lock);
    ring->next = rings;
    rings = ring;
    pthread_mutex_unlock(&lock);
}

void cuc__intern_remove_ring(const struct cuc__launch_ring *ring)
{
    struct cuc__launch_ring **link = &rings;

    pthread_mutex_lock(&lock);
    while (*link && *link != ring)
        link = &(*link)->next;
    if (*link)
        *link = ring->next;
    pthread_mutex_unlock(&lock);
}

void cuc__intern_lock(void)
{
    pthread_mutex_lock(&lock);
}

void cuc__intern_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

size_t cuc__intern_count(void)
{
    pthread_mutex_lock(&lock);
    const size_t now = count;
    pthread_mutex_unlock(&lock);
    return now;
}
