// Threads that do work before the caller needs it. They start and end within one call of the
// library. Use them for system calls that take long, such as those to a network file system.
#ifndef CUCORE_BASE_HELPERS_H
#define CUCORE_BASE_HELPERS_H

#include <stdbool.h>
#include <stddef.h>

enum { CUC__HELPERS = 15 };

// Work that either a helper or the caller does. It belongs to the caller and must remain valid
// until it has been finished or the helpers have been stopped.
struct cuc__task {
    void (*run)(void *user);
    void *user;
    // Set by the functions below.
    enum { CUC__TASK_WAITS, CUC__TASK_RUNS, CUC__TASK_DONE } state;
    struct cuc__task *before, *after; // in the list of waiting tasks
};

struct cuc__helpers;

// Starts `most` threads, but no more than CUC__HELPERS; `most` must be at least 1. Returns NULL if
// no thread could be started.
struct cuc__helpers *cuc__helpers_start(size_t most);

// Offers a task, whose `run` and `user` are set, to the helpers. They take the waiting tasks in the
// order of the offers, but a task offered with `next` goes before all others. A task may offer
// further tasks.
void cuc__helpers_offer(struct cuc__helpers *h, struct cuc__task *task, bool next);

// Runs an offered task on this thread if no helper has begun it; otherwise waits until it is done.
void cuc__helpers_finish(struct cuc__helpers *h, struct cuc__task *task);

// Waits for the tasks that have begun, drops the others, and ends the threads. `h` may be NULL.
void cuc__helpers_stop(struct cuc__helpers *h);

#endif
