// State and services for all files of the shell: the lock, waiting threads, and memory.
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sim_shell sim = { .lock = PTHREAD_MUTEX_INITIALIZER };
_Thread_local struct sim_thread sim_thread;

void sim_bug(const char *what, const char *name)
{
    fprintf(stderr, "simulated driver: %s: %s\n", what, name);
    abort();
}

void sim_crash(const char *what, const char *name)
{
    if (!sim.clearing)
        sim_bug(what, name);
}

void *sim_alloc(size_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (!p)
        p = sim_reserve_take(bytes);
    if (!p)
        sim_bug("no memory", "calloc");
    return p;
}

void sim_array_reserve(void *array, size_t *capacity, size_t count, size_t least, size_t item)
{
    size_t more = *capacity ? 2 * *capacity : least;
    void *items;

    if (count <= *capacity)
        return;
    while (more < count)
        more *= 2;
    memcpy(&items, array, sizeof(items));
    void *grown = sim_alloc(more * item);
    if (*capacity)
        memcpy(grown, items, *capacity * item);
    free(items);
    memcpy(array, &grown, sizeof(grown));
    *capacity = more;
}

void sim_lock(void)
{
    pthread_mutex_lock(&sim.lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&sim.lock);
}

// Removes a sleeper from its lists.
static void leave(struct sleeper **at, struct sleeper *next, bool all)
{
    if (!at)
        return;
    *at = next;
    if (next && all)
        next->at_all = at;
    else if (next)
        next->at = at;
}

static void awaken(struct sleeper *s)
{
    leave(s->at, s->next, false);
    leave(s->at_all, s->next_all, true);
    s->at = s->at_all = NULL;
    s->next = s->next_all = NULL;
}

void sim_wake_one(struct sleeper *sleeper)
{
    awaken(sleeper);
    pthread_cond_signal(&sleeper->wake);
}

void sim_wake(struct sleeper **list, uint64_t done)
{
    for (struct sleeper *s = *list, *next; s; s = next) {
        next = s->next;
        if (s->until <= done)
            sim_wake_one(s);
    }
}

void sim_changed(void)
{
    while (sim.sleepers)
        sim_wake_one(sim.sleepers);
}

void sim_sleep(struct sleeper **mine, struct sleeper **list, uint64_t until, bool a_little)
{
    struct sleeper s = { .wake = PTHREAD_COND_INITIALIZER, .until = until };
    struct timespec time;

    s.next_all = sim.sleepers;
    s.at_all = &sim.sleepers;
    if (s.next_all)
        s.next_all->at_all = &s.next_all;
    sim.sleepers = &s;
    if (list) {
        s.next = *list;
        s.at = list;
        if (s.next)
            s.next->at = &s.next;
        *list = &s;
    }
    if (mine)
        *mine = &s;
    if (a_little) {
        clock_gettime(CLOCK_REALTIME, &time);
        time.tv_nsec += 200000;
        if (time.tv_nsec >= 1000000000) {
            time.tv_nsec -= 1000000000;
            time.tv_sec++;
        }
        pthread_cond_timedwait(&s.wake, &sim.lock, &time);
    } else {
        pthread_cond_wait(&s.wake, &sim.lock);
    }
    awaken(&s);
    if (mine)
        *mine = NULL;
    pthread_cond_destroy(&s.wake);
}

void sim_wait(void)
{
    sim_sleep(NULL, NULL, 0, false);
}

void sim_wait_for(struct sleeper **list, uint64_t until)
{
    sim_sleep(NULL, list, until, false);
}

size_t sim_round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}
