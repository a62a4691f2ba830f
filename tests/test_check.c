// Tests CUC_MUST and CUC_SCOPED of check.h.
#include <cucore/check.h>

#include "base/handle.h"
#include "testing.h"

#include <sys/wait.h>
#include <unistd.h>

// Runs a function that ends the program in a child process; returns the exit status and stderr.
static int end_of(void (*program)(void), char *text, size_t room)
{
    int pipes[2], status;
    size_t used = 0;
    ssize_t got;

    ck_assert_int_eq(pipe(pipes), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        dup2(pipes[1], STDERR_FILENO);
        program();
        _exit(0);
    }
    close(pipes[1]);
    while (used < room - 1 && (got = read(pipes[0], text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = 0;
    close(pipes[0]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void fail_in_a_call(void)
{
    CUC_MUST(cuc_stream_create(NULL, NULL, NULL));
}

static void fail_elsewhere(void)
{
    CUC_MUST(CUC_ERROR_IO); // the thread's last error comes from another call
}

static void succeed(void)
{
    if (CUC_MUST(CUC_NOT_READY) == CUC_NOT_READY && CUC_MUST(CUC_OK) == CUC_OK)
        fprintf(stderr, "went on");
}

TEST(a_call_that_must_succeed_ends_the_program_with_its_place_and_message)
{
    char text[1024];

    ck_assert_int_eq(end_of(fail_in_a_call, text, sizeof(text)), 1);
    ck_assert_msg(strstr(text, "test_check.c:"), "%s", text);
    ck_assert_msg(strstr(text, ": cuc_stream_create: out is NULL\n"), "%s", text);
    ck_assert_int_eq(end_of(fail_elsewhere, text, sizeof(text)), 1);
    ck_assert_msg(strstr(text, "CUC_ERROR_IO: a file could not be read or written\n"), "%s", text);
    ck_assert_int_eq(end_of(succeed, text, sizeof(text)), 0);
    ck_assert_str_eq(text, "went on");
}

static cuc_status use_and_return(cuc_device *device, bool early)
{
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_event, event);

    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_STREAM), 1);
    if (early)
        return CUC_NOT_READY; // the event has not been recorded yet
    for (int i = 0; i < 2; i++) {
        CUC_SCOPED(cuc_buffer, buffer);
        ck_ok(cuc_buffer_create(&buffer, stream, NULL, 64));
        ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_BUFFER), 1);
    }
    ck_ok(cuc_event_create(&event, device, NULL));
    return CUC_OK;
}

TEST(a_scoped_handle_is_released_where_its_block_ends)
{
    cuc_device *device;

    ck_ok(cuc_device_get(&device, 0));
    ck_assert_int_eq(use_and_return(device, true), CUC_NOT_READY);
    ck_assert_int_eq(use_and_return(device, false), CUC_OK);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_STREAM), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_EVENT), 0);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_BUFFER), 0);
}

// Declares types that the list of the macro once lacked: what it lacks does not compile.
TEST(plans_and_caches_may_be_scoped)
{
    CUC_SCOPED(cuc_algorithm, algorithm);
    CUC_SCOPED(cuc_attention_plan, attention);
    CUC_SCOPED(cuc_gemm_plan, gemm);
    CUC_SCOPED(cuc_cache, cache);

    ck_assert(!algorithm && !attention && !gemm && !cache);
}

int main(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 1); // count live objects from the first handle on
    return run_device_tests("check");
}
