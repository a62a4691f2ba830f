// Runs the built program as a child process.
#ifndef CUCORE_TESTS_CLI_CHILD_H
#define CUCORE_TESTS_CLI_CHILD_H

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_ARGUMENTS = 32 };

typedef struct child {
    const char *arguments[CHILD_ARGUMENTS]; // arguments after the program's name
    const char *environment[4];             // "NAME=VALUE", or "NAME" to remove it
    const char *input;                      // NULL: no input
    const char *output;                     // file for its output; NULL: store it in `out`
    // Result.
    int status; // 128 and more: a signal ended the child
    char *out;
    size_t out_bytes;
    char *err;
} child;

static char *child_read(int fd, size_t *bytes)
{
    off_t size = lseek(fd, 0, SEEK_END);
    char *text = malloc((size_t)size + 1);

    ck_assert_ptr_nonnull(text);
    ck_assert_int_eq(pread(fd, text, (size_t)size, 0), size);
    text[size] = '\0';
    *bytes = (size_t)size;
    close(fd);
    return text;
}

static int child_file(void)
{
    char path[] = "/tmp/cucore-child-XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    unlink(path);
    return fd;
}

// Uses files instead of pipes, so that no process waits for another.
static void child_run(child *c, const char *program)
{
    char *argv[CHILD_ARGUMENTS + 2];
    int in = child_file();
    int out = c->output ? open(c->output, O_WRONLY) : child_file();
    int err = child_file();
    size_t err_bytes;
    int n = 0;

    argv[n++] = strdup(program);
    for (int i = 0; i < CHILD_ARGUMENTS && c->arguments[i]; i++)
        argv[n++] = strdup(c->arguments[i]);
    argv[n] = NULL;
    if (c->input)
        ck_assert_int_eq(write(in, c->input, strlen(c->input)), (ssize_t)strlen(c->input));
    lseek(in, 0, SEEK_SET);
    fflush(NULL);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        for (int i = 0; i < 4 && c->environment[i]; i++) {
            char *entry = strdup(c->environment[i]);
            if (strchr(entry, '='))
                putenv(entry);
            else
                unsetenv(entry);
        }
        dup2(in, STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        dup2(err, STDERR_FILENO);
        execv(argv[0], argv);
        _exit(127);
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    c->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    close(in);
    c->out = c->output ? calloc(1, 1) : child_read(out, &c->out_bytes);
    if (c->output)
        close(out);
    c->err = child_read(err, &err_bytes);
    while (n)
        free(argv[--n]);
}

static void child_free(child *c)
{
    free(c->out);
    free(c->err);
}

#endif
