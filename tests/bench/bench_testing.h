// Helpers that the tests of the bench library share: assertions, and independent random numbers.
#ifndef CUCORE_TESTS_BENCH_TESTING_H
#define CUCORE_TESTS_BENCH_TESTING_H

#include "tests.h"

#include <cucore/bench.h>
#include <cucore/error.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ck_ok(call)                                                                       \
    do {                                                                                  \
        cuc_status ck_got = (call);                                                       \
        ck_assert_msg(ck_got == CUC_OK, "%s gave %s: %s", #call, cuc_status_name(ck_got), \
                      cuc_error_message());                                               \
    } while (0)

// Checks that the call returns this status, that its name is recorded, and that the message
// contains the fragment.
#define ck_fails(status, call, fragment)                                                 \
    do {                                                                                 \
        cuc_status ck_got = (call);                                                      \
        size_t ck_length = strlen(cuc_error_function());                                 \
        ck_assert_msg(ck_got == (status), "%s gave %s, expected %s: %s", #call,          \
                      cuc_status_name(ck_got), #status, cuc_error_message());            \
        ck_assert_msg(strncmp(#call, cuc_error_function(), ck_length) == 0 && ck_length, \
                      "the failure of %s names %s", #call, cuc_error_function());        \
        ck_assert_msg(strstr(cuc_error_message(), (fragment)) != NULL,                   \
                      "the message of %s lacks \"%s\": %s", #call, (fragment),           \
                      cuc_error_message());                                              \
    } while (0)

// splitmix64
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

// Returns a number greater than 0 and less than 1.
static inline double test_uniform(uint64_t *state)
{
    return ((double)(test_random(state) >> 12) + 0.5) * 0x1p-52;
}

static inline double test_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(test_uniform(state)));

    return radius * cos(6.283185307179586 * test_uniform(state));
}

static inline double test_exponential(uint64_t *state)
{
    return -log(test_uniform(state));
}

#endif
