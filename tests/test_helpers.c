// Tests the helper threads that run tasks ahead of the caller: each task runs once, on a helper or
// on the caller's thread.
#include "base/helpers.h"
#include "base/array.h"
#include "testing.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { TASKS = 2000 };

struct work {
    struct cuc__task task;
    int runs; // written by whoever runs the task, without a lock
    pthread_t by;
};

static struct work works[TASKS];

static void run(void *user)
{
    struct work *w = user;

    w->runs++;
    w->by = pthread_self();
    testing_sleep_ms(w - works < 8 ? 20 : 0);
}

static void offer(struct cuc__helpers *h, int first, int last)
{
    for (int i = first; i < last; i++) {
        works[i] = (struct work){ .task = { .run = run, .user = &works[i] } };
        cuc__helpers_offer(h, &works[i].task, i % 3 == 0);
    }
}

// Returns how many of the tasks the helpers did.
static int finish(struct cuc__helpers *h, int first, int last)
{
    int helped = 0;

    for (int i = first; i < last; i++) {
        cuc__helpers_finish(h, &works[i].task);
        ck_assert_int_eq(works[i].runs, 1);
        helped += !pthread_equal(works[i].by, pthread_self());
    }
    return helped;
}

TEST(each_task_is_done_once)
{
    struct cuc__helpers *h = cuc__helpers_start(CUC__HELPERS);

    ck_assert_ptr_nonnull(h);
    for (int i = 0; i < TASKS; i += 100)
        offer(h, i, i + 100);
    ck_assert_int_gt(finish(h, 0, TASKS), 0);
    for (int i = 0; i < TASKS; i += 10) { // alternate between offering and finishing
        offer(h, i, i + 10);
        finish(h, i, i + 10);
    }
    finish(h, TASKS - 10, TASKS); // a task that is done may be finished again
    cuc__helpers_stop(h);
}

// Helpers that are stopped finish the tasks that they have begun, and drop the rest.
TEST(tasks_that_nobody_needs_are_dropped)
{
    for (int round = 0; round < 20; round++) {
        int done = 0;
        struct cuc__helpers *h = cuc__helpers_start(CUC__HELPERS);
        offer(h, 0, TASKS);
        finish(h, 0, round);
        cuc__helpers_stop(h);
        for (int i = 0; i < TASKS; i++) {
            ck_assert_int_le(works[i].runs, 1);
            ck_assert_int_eq(works[i].task.state, works[i].runs ? CUC__TASK_DONE : CUC__TASK_WAITS);
            done += works[i].runs;
        }
        ck_assert_int_ge(done, round);
    }
    cuc__helpers_stop(NULL);
}

static int interrupted;

static void interrupt(int signal)
{
    interrupted += signal == SIGUSR1 ? 1 : 0;
    ck_assert(pthread_equal(works[0].by, pthread_self()));
}

// A signal's handler runs on a thread of the program.
TEST(helpers_take_no_signals)
{
    struct cuc__helpers *h = cuc__helpers_start(CUC__HELPERS);
    sigset_t mask, now;

    works[0].by = pthread_self();
    ck_assert(signal(SIGUSR1, interrupt) != SIG_ERR);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    ck_assert_int_eq(kill(getpid(), SIGUSR1), 0);
    testing_sleep_ms(50);
    ck_assert_int_eq(interrupted, 0);
    pthread_sigmask(SIG_UNBLOCK, &mask, &now);
    ck_assert_int_eq(interrupted, 1);
    ck_assert_int_eq(sigismember(&now, SIGUSR2), 0); // the caller's signal mask is unchanged
    cuc__helpers_stop(h);
}

int main(void)
{
    return run_tests("helpers");
}
