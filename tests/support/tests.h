// Tests that register themselves: a file defines its tests, and main() runs them with run_tests().
//
//     CASE("records", .setup = make_folder, .teardown = remove_folder, .timeout = 60);
//
//     TEST(a_record_is_read_back)
//     {
//     }
//
//     TEST_ROWS(a_bad_record_is_refused, bad_records) // row _i of the table
//     {
//     }
//
//     int main(void)
//     {
//         return run_tests("records");
//     }
//
// Tests run in the order of the file. Tests before the first CASE() belong to a case with the
// suite's name. run_tests() evaluates ranges and conditions, so main() can set them up first.
#ifndef CUCORE_TESTS_SUPPORT_TESTS_H
#define CUCORE_TESTS_SUPPORT_TESTS_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A test case. A second CASE() with the same name continues the first, with the first one's
// settings.
struct tests_case {
    const char *name;
    void (*setup)(void);
    void (*teardown)(void);
    double timeout;        // seconds for each test; 0 means Check's default
    bool (*only_if)(void); // NULL is always; otherwise tests up to the next CASE() depend on it
};

struct tests_entry {
    int place;
    const struct tests_case *begins; // NULL for a test
    void (*add)(TCase *);            // NULL for a case
    TCase *tcase;
    struct tests_entry *next;
};

static struct tests_entry *tests_first;

// Compilers run a file's constructors in any order, so sort by line.
static inline void tests_register(struct tests_entry *entry)
{
    struct tests_entry **at = &tests_first;

    while (*at && (*at)->place < entry->place)
        at = &(*at)->next;
    entry->next = *at;
    *at = entry;
}

#define CASE(...) TESTS_CASE(__COUNTER__, __VA_ARGS__)
#define TESTS_CASE(place, ...) TESTS_CASE_AT(place, __VA_ARGS__)
#ifdef __cplusplus // C++17 has no designated initializers: pass every member
#define TESTS_FIRST
#else
#define TESTS_FIRST .name =
#endif
#define TESTS_CASE_AT(place, ...)                                                          \
    __attribute__((constructor)) static void tests_register_case_##place(void)             \
    {                                                                                      \
        static const struct tests_case tests_begins = { TESTS_FIRST __VA_ARGS__ };         \
        static struct tests_entry tests_this = { place, &tests_begins, NULL, NULL, NULL }; \
        tests_register(&tests_this);                                                       \
    }                                                                                      \
    struct tests_case

#define TEST(name) TEST_RANGE(name, 0, 1)

// Gets the array's length with the macro of base/array.h.
#define TEST_ROWS(name, rows) TEST_RANGE(name, 0, CUC_LENGTH(rows))

// Runs the test for each _i from `from` up to but not including `end`.
#define TEST_RANGE(name, from, end) TEST_ADDED(name, tcase_add_loop_test(tcase, ttest, from, end))

// Each run must end by the signal.
#define TEST_SIGNAL(name, signal, from, end) \
    TEST_ADDED(name, tcase_add_loop_test_raise_signal(tcase, ttest, signal, from, end))

// Defines a test; the statement adds `ttest` to `tcase`.
#define TEST_ADDED(name, ...)                                                                 \
    static void name(int);                                                                    \
    static void name##_add(TCase *tcase)                                                      \
    {                                                                                         \
        static const TTest tests_named = { #name, name, __FILE__, __LINE__ };                 \
        const TTest *ttest = &tests_named;                                                    \
        __VA_ARGS__;                                                                          \
    }                                                                                         \
    __attribute__((constructor)) static void name##_register(void)                            \
    {                                                                                         \
        static struct tests_entry tests_this = { __COUNTER__, NULL, name##_add, NULL, NULL }; \
        tests_register(&tests_this);                                                          \
    }                                                                                         \
    static void name(int _i CK_ATTRIBUTE_UNUSED)

// Returns the case with this name if it has begun; otherwise NULL.
static inline TCase *tests_find(const char *name)
{
    for (const struct tests_entry *e = tests_first; e; e = e->next)
        if (e->begins && e->tcase && strcmp(e->begins->name, name) == 0)
            return e->tcase;
    return NULL;
}

static inline TCase *tests_begin(Suite *suite, const char *name)
{
    TCase *tcase = tcase_create(name);

    suite_add_tcase(suite, tcase);
    return tcase;
}

static inline TCase *tests_begin_case(Suite *suite, const struct tests_entry *entry)
{
    const struct tests_case *c = entry->begins;
    TCase *tcase = tests_find(c->name);

    if (tcase)
        return tcase;
    tcase = tests_begin(suite, c->name);
    if (c->setup || c->teardown)
        tcase_add_checked_fixture(tcase, c->setup, c->teardown);
    if (c->timeout > 0)
        tcase_set_timeout(tcase, c->timeout);
    return tcase;
}

// Runs the tests of this file; returns the status for main() to exit with.
static inline int run_tests_as(const char *name, enum fork_status forks, enum print_output output)
{
    Suite *suite = suite_create(name);
    SRunner *runner = srunner_create(suite);
    TCase *tcase = NULL;
    bool wanted = true;

    setvbuf(stdout, NULL, _IOLBF, 0); // so that a fork neither loses nor doubles a line of output
    for (struct tests_entry *e = tests_first; e; e = e->next) {
        if (e->begins) {
            wanted = !e->begins->only_if || e->begins->only_if();
            if (wanted)
                tcase = e->tcase = tests_begin_case(suite, e);
        } else if (wanted) {
            e->add(tcase ? tcase : (tcase = tests_begin(suite, name)));
        }
    }
    srunner_set_fork_status(runner, forks);
    srunner_run_all(runner, output);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static inline int run_tests(const char *name)
{
    return run_tests_as(name, CK_FORK_GETENV, CK_ENV);
}

#endif
