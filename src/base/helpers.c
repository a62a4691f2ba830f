#include "helpers.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct cuc__helpers {
    pthread_mutex_t lock;
    pthread_cond_t offered, done;
    struct cuc__task *first, *last; // the waiting tasks
    bool stops;
    pthread_t threads[CUC__HELPERS];
    size_t count;
};

// Takes a waiting task out of the list. The caller has the lock.
static void take(struct cuc__helpers *h, struct cuc__task *task)
{
    *(task->before ? &task->before->after : &h->first) = task->after;
    *(task->after ? &task->after->before : &h->last) = task->before;
    task->state = CUC__TASK_RUNS;
}

static void *help(void *helpers)
{
    struct cuc__helpers *h = helpers;
    struct cuc__task *task;

    pthread_mutex_lock(&h->lock);
    while (!h->stops) {
        if (!(task = h->first)) {
            pthread_cond_wait(&h->offered, &h->lock);
            continue;
        }
        take(h, task);
        pthread_mutex_unlock(&h->lock);
        task->run(task->user);
        pthread_mutex_lock(&h->lock);
        task->state = CUC__TASK_DONE;
        pthread_cond_broadcast(&h->done);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

struct cuc__helpers *cuc__helpers_start(size_t most)
{
    struct cuc__helpers *h = calloc(1, sizeof(*h));
    sigset_t all, before;

    if (!h)
        return NULL;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->offered, NULL);
    pthread_cond_init(&h->done, NULL);
    sigfillset(&all); // blocked, so that the process's signal handlers run on its own threads
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (h->count < most && h->count < CUC__HELPERS &&
           pthread_create(&h->threads[h->count], NULL, help, h) == 0)
        h->count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!h->count) {
        cuc__helpers_stop(h);
        return NULL;
    }
    return h;
}

void cuc__helpers_offer(struct cuc__helpers *h, struct cuc__task *task, bool next)
{
    pthread_mutex_lock(&h->lock);
    task->state = CUC__TASK_WAITS;
    task->before = next ? NULL : h->last;
    task->after = next ? h->first : NULL;
    *(task->before ? &task->before->after : &h->first) = task;
    *(task->after ? &task->after->before : &h->last) = task;
    pthread_cond_signal(&h->offered);
    pthread_mutex_unlock(&h->lock);
}

void cuc__helpers_finish(struct cuc__helpers *h, struct cuc__task *task)
{
    pthread_mutex_lock(&h->lock);
    bool waits = task->state == CUC__TASK_WAITS;
    if (waits)
        take(h, task);
    while (!waits && task->state != CUC__TASK_DONE)
        pthread_cond_wait(&h->done, &h->lock);
    pthread_mutex_unlock(&h->lock);
    if (waits)
        task->run(task->user);
    task->state = CUC__TASK_DONE; // no helper uses the task any more
}

void cuc__helpers_stop(struct cuc__helpers *h)
{
    if (!h)
        return;
    pthread_mutex_lock(&h->lock);
    h->stops = true;
    pthread_cond_broadcast(&h->offered);
    pthread_mutex_unlock(&h->lock);
    for (size_t i = 0; i < h->count; i++)
        pthread_join(h->threads[i], NULL);
    pthread_cond_destroy(&h->offered);
    pthread_cond_destroy(&h->done);
    pthread_mutex_destroy(&h->lock);
    free(h);
}
