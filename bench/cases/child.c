#include "child.h"
#include "base/array.h"
#include "base/file.h"
#include "support.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct bench_child {
    char *name;
    pid_t pid;
    int fd;     // standard input and output
    int errors; // memory file that receives the child's stderr
    char *line; // input read but not yet consumed
    size_t used, capacity;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// ---- Starting

static bool same_variable(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");

    return strncmp(a, b, length) == 0 && b[length] == '=';
}

// Return the environment with changes; the strings are borrowed.
static char **environment(const char *const *changes)
{
    size_t count = 0, more = 0, n = 0;

    while (environ[count])
        count++;
    while (changes && changes[more])
        more++;
    char **all = malloc((count + more + 1) * sizeof(*all));
    for (size_t i = 0; all && i < count; i++) {
        size_t at = 0;
        while (at < more && !same_variable(changes[at], environ[i]))
            at++;
        if (at == more)
            all[n++] = environ[i];
    }
    for (size_t i = 0; all && i < more; i++, n++)
        memcpy(&all[n], &changes[i], sizeof(*all)); // posix_spawn() takes non-const pointers
    if (all)
        all[n] = NULL;
    return all;
}

// Use a separate process group, so that Control-C reaches only this program, which then ends the
// child.
static int spawn(bench_child *c, const char *const *argv, const char *const *changes, int theirs)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char *const *words;
    char **env = environment(changes);

    if (!env)
        return ENOMEM;
    memcpy(&words, &argv, sizeof(words)); // posix_spawn() takes non-const pointers
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, c->errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    const char *program = *argv[0] ? argv[0] : "/proc/self/exe";
    int error = posix_spawnp(&c->pid, program, &actions, &attributes, words, env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    return error;
}

cuc_status bench_child_start(bench_child **out, const char *name, const char *const *argv,
                             const char *const *changes)
{
    int ends[2] = { -1, -1 };
    bench_child *c = calloc(1, sizeof(*c));

    if (!c || !(c->name = strdup(name))) {
        free(c);
        return bench_no_memory("a child process");
    }
    c->fd = c->errors = -1;
    int error = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
        (c->errors = memfd_create("stderr", MFD_CLOEXEC)) < 0)
        error = errno;
    c->fd = ends[0];
    if (!error)
        error = spawn(c, argv, changes, ends[1]);
    if (ends[1] >= 0)
        close(ends[1]);
    if (error) {
        c->pid = 0;
        bench_child_end(c);
        return bench_fail(CUC_ERROR_IO, "%s cannot be started: %s", name, strerror(error));
    }
    *out = c;
    return CUC_OK;
}

// ---- Asking

// Return the last line of the child's stderr; "" if there is none.
static void last_words(char *out, size_t size, const bench_child *c)
{
    char text[2048] = "";
    off_t end = lseek(c->errors, 0, SEEK_END);
    off_t begin = end > (off_t)sizeof(text) - 1 ? end - (off_t)sizeof(text) + 1 : 0;
    ssize_t n = end > 0 ? pread(c->errors, text, sizeof(text) - 1, begin) : 0;

    while (n > 0 && strchr(" \n", text[n - 1]))
        n--;
    text[n > 0 ? n : 0] = '\0';
    char *line = strrchr(text, '\n');
    snprintf(out, size, "%s%s", *text ? ": " : "", line ? line + 1 : text);
}

// Ask no further questions, since a late answer would be mistaken for the next one. Kill the
// child's process group, which includes processes it started, such as the interpreter behind a
// script.
static void give_up(const bench_child *c)
{
    if (c->pid > 0)
        kill(-c->pid, SIGKILL);
}

// Wait for the exit status. Kill the child if it has not ended after `seconds`.
static int wait_for_end(bench_child *c, double seconds)
{
    const struct timespec tick = { .tv_nsec = 5000000 };
    double until = now() + seconds;
    int status = 0;

    while (waitpid(c->pid, &status, WNOHANG) == 0) {
        if (now() > until)
            give_up(c);
        nanosleep(&tick, NULL);
    }
    c->pid = 0;
    return status;
}

static cuc_status fail_ended(bench_child *c)
{
    char words[512];
    char how[64] = "ended";

    if (c->pid > 0) {
        int status = wait_for_end(c, 1); // the child may run on after closing its output
        if (WIFSIGNALED(status))
            snprintf(how, sizeof(how), "was ended by signal %d", WTERMSIG(status));
        else
            snprintf(how, sizeof(how), "exited with status %d", WEXITSTATUS(status));
    }
    last_words(words, sizeof(words), c);
    return bench_fail(CUC_ERROR_IO, "%s %s without an answer%s", c->name, how, words);
}

static cuc_status send_line(bench_child *c, const char *text)
{
    size_t length = strlen(text), sent = 0;

    while (sent < length) {
        ssize_t n;
        CUC_RETRY(n, send(c->fd, text + sent, length - sent, MSG_NOSIGNAL));
        if (n < 0)
            return fail_ended(c);
        sent += (size_t)n;
    }
    return CUC_OK;
}

// Read more output; return false at its end or on timeout.
static bool read_more(bench_child *c, double until, cuc_status *st)
{
    struct pollfd poller = { .fd = c->fd, .events = POLLIN };
    double left = until - now();

    if (!CUC_RESERVE(c->line, c->capacity, c->used + 4096)) {
        *st = bench_no_memory("an answer");
        return false;
    }
    int ready = left > 0 ? poll(&poller, 1, left < 3600 ? (int)(left * 1e3) + 1 : -1) : 0;
    if (ready < 0 && errno == EINTR)
        return true;
    if (ready == 0) {
        give_up(c);
        *st = bench_fail(CUC_ERROR_IO, "%s has not answered in time", c->name);
        return false;
    }
    ssize_t n = read(c->fd, c->line + c->used, c->capacity - c->used);
    if (n > 0)
        c->used += (size_t)n;
    if (n > 0 || (n < 0 && errno == EINTR))
        return true;
    *st = fail_ended(c);
    return false;
}

cuc_status bench_child_ask(json_t **answer, bench_child *child, json_t *request, double timeout_s)
{
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    double until = now() + timeout_s;
    json_error_t error;
    char *end = NULL;

    json_decref(request);
    if (!text)
        return bench_no_memory("a request");
    cuc_status st = send_line(child, text);
    free(text);
    if (st >= 0)
        st = send_line(child, "\n");
    while (st >= 0 && !(end = child->used ? memchr(child->line, '\n', child->used) : NULL))
        (void)read_more(child, until, &st);
    if (st < 0)
        return st;
    *end = '\0';
    json_t *got = json_loads(child->line, 0, &error);
    if (!json_is_object(got)) {
        json_decref(got);
        give_up(child);
        return bench_fail(CUC_ERROR_IO, "%s gave an answer that is not a JSON object: %.200s",
                          child->name, child->line);
    }
    child->used -= (size_t)(end + 1 - child->line);
    memmove(child->line, end + 1, child->used);
    *answer = got;
    return CUC_OK;
}

const char *bench_answer(const json_t *answer, const char *key)
{
    return json_string_value(json_object_get(answer, key));
}

// ---- Ending

void bench_child_end(void *child)
{
    bench_child *c = child;

    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd); // signals end of input
    if (c->pid > 0)
        (void)wait_for_end(c, 5);
    if (c->errors >= 0)
        close(c->errors);
    free(c->line);
    free(c->name);
    free(c);
}
