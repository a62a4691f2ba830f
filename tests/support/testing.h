// Helpers that all test programs share: assertions about statuses and messages, skipping of tests
// that need the fake driver, and running tests on a device.
//
// On the fake driver, Check runs each test in its own process, so that state that the library keeps
// for the life of a process does not affect the next test. On a real driver, all tests run in one
// process, because starting the driver takes longer than all tests together.
#ifndef CUCORE_TESTS_SUPPORT_TESTING_H
#define CUCORE_TESTS_SUPPORT_TESTING_H

#include <cucore/cucore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "driver/driver.h"
#include "fake.h"
#include "tests.h"

#define SKIP(...)                          \
    do {                                   \
        printf("skipped: %s: ", __func__); \
        printf(__VA_ARGS__);               \
        printf("\n");                      \
        return;                            \
    } while (0)

#define NEED_FAKE()                                                                  \
    do {                                                                             \
        if (!fake_available())                                                       \
            SKIP("it tells the driver what to do, which only the fake one lets it"); \
    } while (0)

// Defines tests that exist only in programs on the fake driver.
#define FAKE_TEST(name) FAKE_TEST_RANGE(name, 0, 1)
#define FAKE_TEST_ROWS(name, rows) FAKE_TEST_RANGE(name, 0, CUC_LENGTH(rows))
#define FAKE_TEST_RANGE(name, from, end) TEST_RANGE(name, from, fake_available() ? (end) : (from))

// Checks that the call returns CUC_OK.
#define ck_ok(call) testing_ok((call), #call, __FILE__, __LINE__)

// Checks that the call returns this status. The thread's last error must have the same status and
// name the called function, and its message must contain each of the fragments.
#define ck_fails(status, call, ...)                                                              \
    testing_fails((status), (call), #call, (const char *const[]){ __VA_ARGS__, NULL }, __FILE__, \
                  __LINE__)

static inline void testing_ok(cuc_status got, const char *call, const char *file, int line)
{
    ck_assert_msg(got == CUC_OK, "%s:%d: %s gave %s: %s", file, line, call, cuc_status_name(got),
                  cuc_error_message());
}

static inline void testing_fails(cuc_status expected, cuc_status got, const char *call,
                                 const char *const *fragments, const char *file, int line)
{
    const char *name = strncmp(call, "CUC_LAUNCH(", 11) == 0 ? "cuc_launch" : call;
    size_t length = strcspn(name, "(");
    const char *function = cuc_error_function();

    ck_assert_msg(got == expected, "%s:%d: %s gave %s, expected %s; last error: %s", file, line,
                  call, cuc_status_name(got), cuc_status_name(expected), cuc_error_message());
    ck_assert_msg(cuc_error_status() == expected, "%s:%d: the record of %s says %s: %s", file, line,
                  call, cuc_status_name(cuc_error_status()), cuc_error_message());
    for (size_t i = 0; fragments[i]; i++)
        ck_assert_msg(strstr(cuc_error_message(), fragments[i]) != NULL,
                      "%s:%d: the message of %s lacks \"%s\": %s", file, line, call, fragments[i],
                      cuc_error_message());
    if (strncmp(name, "cuc_", 4) == 0 && name[4] != '_')
        ck_assert_msg(strlen(function) == length && strncmp(name, function, length) == 0,
                      "%s:%d: the failure of %s names %s", file, line, call, function);
}

static inline CUcontext testing_current(void)
{
    CUcontext current = NULL;

    (void)cuc__cu.cuCtxGetCurrent(&current);
    return current;
}

static inline int testing_occurrences(const char *text, const char *of)
{
    int n = 0;

    for (; (text = strstr(text, of)) != NULL; text++)
        n++;
    return n;
}

static inline void testing_sleep_ms(long ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&t, NULL);
}

// Waits up to ten seconds for another thread's action.
#define ck_soon(condition)                                                             \
    do {                                                                               \
        for (int waited = 0; waited < 10000 && !(condition); waited++)                 \
            testing_sleep_ms(1);                                                       \
        ck_assert_msg((condition), "%s did not come true in ten seconds", #condition); \
    } while (0)

// Counts failures that no call can return, for tests that set testing_failed() as the handler.
struct testing_failures {
    _Atomic int count;
    char last[1024];
};

static inline void testing_failed(const char *message, void *user)
{
    struct testing_failures *f = user;

    snprintf(f->last, sizeof(f->last), "%s", message);
    f->count++;
}

// Gets the first device with its primary context, and the second device, or NULL if there is none.
static inline void testing_devices(cuc_device **device, cuc_context **primary, cuc_device **other)
{
    int32_t count;

    ck_ok(cuc_device_get_count(&count));
    ck_ok(cuc_device_get(device, 0));
    ck_ok(cuc_device_get_context(primary, *device));
    *other = NULL;
    if (count > 1)
        ck_ok(cuc_device_get(other, 1));
}

// Returns whether a compiler is missing; without it there is nothing to test.
static inline bool testing_lacks(const char *name)
{
    cuc_found *found = NULL;

    if (cuc_find_library(&found, name) < 0) {
        printf("skipped: %s\n", cuc_error_message());
        return true;
    }
    cuc_found_release(found);
    return false;
}

// Writes the hash of bytes that may include zeros.
static inline void testing_print_hash(FILE *f, const void *data, size_t bytes)
{
    unsigned char digest[CUC__SHA256_BYTES];
    char text[2 * CUC__SHA256_BYTES + 1];

    cuc__sha256_of(digest, data, bytes);
    cuc__sha256_text(text, digest);
    fprintf(f, "%s\n", text);
}

// Returns whether a file whose path contains `name` is mapped into the process.
static inline bool testing_maps(const char *name)
{
    char line[4096];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f))
        found |= strstr(line, name) != NULL;
    fclose(f);
    return found;
}

// Runs the tests of this file; exits with 77, a skip, on a machine without a device.
static inline int run_device_tests(const char *name)
{
    int32_t devices = 0;

    if (fake_available())
        return run_tests(name);
    if (cuc_device_get_count(&devices) < 0 || devices == 0) {
        printf("skipped: no device: %s\n", cuc_error_message());
        return 77;
    }
    return run_tests_as(name, CK_NOFORK, CK_ENV);
}

#endif
