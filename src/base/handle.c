#include "handle.h"
#include "array.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t cuc__modes;

static const char *const names[] = { [CUC__HANDLE_NONE] = "handle",
#define ROW(tag, name) [CUC__HANDLE_##tag] = name,
                                     CUC__HANDLE_LIST(ROW)
#undef ROW
};

enum { KINDS = CUC_LENGTH(names) };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A hash table, with open addressing, of all handles ever created. A released handle stays in the
// table and keeps its memory, so that no second object gets its address.
static struct entry {
    const void *object;
    uint32_t kind;
    bool alive;
} * table;
static size_t capacity, used, live[KINDS];

// Runs in a forked child. A thread that exists only in the parent may have held the lock halfway
// through a change, so the child resets the lock and stops checking.
static void forked_child(void)
{
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

    memcpy(&lock, &fresh, sizeof(lock));
    __atomic_fetch_and(&cuc__modes, ~(uint32_t)CUC__MODE_CHECK_HANDLES, __ATOMIC_RELAXED);
}

static void read_environment(void)
{
    const char *value = getenv("CUCORE_CHECK_HANDLES");

    if (value && *value && strcmp(value, "0") != 0)
        __atomic_fetch_or(&cuc__modes, CUC__MODE_CHECK_HANDLES, __ATOMIC_RELAXED);
    if (cuc__handle_checks())
        (void)pthread_atfork(NULL, NULL, forked_child);
}

static struct entry *find(const void *object)
{
    size_t at = (size_t)((uintptr_t)object >> 4) * 0x9E3779B97F4A7C15u & (capacity - 1);

    while (table[at].object && table[at].object != object)
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool grow(void)
{
    size_t old_capacity = capacity;
    struct entry *old = table;
    size_t wanted = capacity ? capacity * 2 : 1024;
    struct entry *made = calloc(wanted, sizeof(*made));

    if (!made)
        return false;
    table = made;
    capacity = wanted;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i].object)
            *find(old[i].object) = old[i];
    free(old);
    return true;
}

void cuc__handle_init(void *object, uint32_t kind)
{
    cuc__handle *h = object;

    pthread_once(&once, read_environment);
    atomic_init(&h->refs, 1);
    h->kind = kind;
    if (!cuc__handle_checks())
        return;
    pthread_mutex_lock(&lock);
    if (used * 2 < capacity || grow()) {
        struct entry *e = find(object);
        used += !e->object;
        *e = (struct entry){ object, kind, true };
        live[kind]++;
    } else {
        // The table cannot grow. Stop checking, because an incomplete table would report live
        // handles as invalid.
        __atomic_fetch_and(&cuc__modes, ~(uint32_t)CUC__MODE_CHECK_HANDLES, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
}

bool cuc__handle_alive(const void *object, uint32_t kind)
{
    pthread_mutex_lock(&lock);
    const struct entry *e = capacity ? find(object) : NULL;
    bool alive = e && e->object && e->alive && e->kind == kind;
    pthread_mutex_unlock(&lock);
    return alive;
}

bool cuc__handle_drop(void *object, uint32_t kind)
{
    cuc__handle *h = object;

    if (!h)
        return false;
    if (cuc__handle_checks() && !cuc__handle_alive(object, kind)) {
        cuc__unraisable("%s_release: %p is not a live %s: it was released twice, or never was one",
                        names[kind], object, names[kind]);
        return false;
    }
    if (atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) != 1)
        return false;
    if (cuc__handle_checks()) {
        pthread_mutex_lock(&lock);
        find(object)->alive = false;
        live[kind]--;
        pthread_mutex_unlock(&lock);
    }
    return true;
}

void cuc__handle_free(void *object)
{
    if (!cuc__handle_checks())
        free(object);
}

size_t cuc__handle_count(uint32_t kind)
{
    pthread_mutex_lock(&lock);
    size_t n = live[kind];
    pthread_mutex_unlock(&lock);
    return n;
}

cuc_status cuc__fail_handle(const void *object, uint32_t kind, const char *function,
                            const char *argument)
{
    if (!object)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is NULL, expected a %s",
                         argument, names[kind]);

    char was[64] = "never made by cucore";
    pthread_mutex_lock(&lock);
    const struct entry *e = capacity ? find(object) : NULL;
    if (e && e->object)
        snprintf(was, sizeof(was), e->alive ? "it is a %s" : "released already", names[e->kind]);
    pthread_mutex_unlock(&lock);
    return cuc__fail(CUC_ERROR_INVALID_HANDLE, function, "%s (%p) is not a live %s: %s", argument,
                     object, names[kind], was);
}
