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
    // Of the helpers
    enum { CUC__TASK_WAITS, CUC__TASK_RUNS, CUC__TASK_DONE } state;
    struct cuc__task *before, *after; // in the list of waiting tasks
};

struct cuc__helpers;

// Starts up to `most` threads, which is at least 1; CUC__HELPERS is the limit. Returns NULL if
// there is not one.
struct cuc__helpers *cuc__helpers_start(size_t most);

// Offers a task, of which `run` and `user` are set, to the helpers. They begin with the first one,
// and `next` puts a task before all others. A task may offer others.
void cuc__helpers_offer(struct cuc__helpers *h, struct cuc__task *task, bool next);

// Returns when a task that was offered is done. Runs it here if no helper has begun it.
void cuc__helpers_finish(struct cuc__helpers *h, struct cuc__task *task);

// Waits for the tasks that have begun, drops the others, and ends the threads. `h` may be NULL.
void cuc__helpers_stop(struct cuc__helpers *h);

#endif
