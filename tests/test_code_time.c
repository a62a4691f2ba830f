// Reading code takes time in proportion to its size: four times the code takes about four times the
// CPU time, also of code that nobody's compiler would write.
#include <cucore/object.h>

#include "cubin.h"
#include "testing.h"

#include <time.h>

// A cubin with as many tables of symbols as symbols, all of them the same bytes of the file.
static void read_symbols(size_t n)
{
    enum { HEADER = 64, SECTION = 64, SYMBOL = 24, TABLE_OF_SYMBOLS = 2 };
    const uint64_t sections = HEADER, symbols = sections + n * SECTION;
    const uint64_t symbol_bytes = n * SYMBOL, bytes = symbols + symbol_bytes;
    unsigned char *file = calloc(1, bytes);
    const unsigned char *at;
    uint32_t registers, stack;
    size_t count;

    ck_assert_ptr_nonnull(file);
    memcpy(file + 40, &sections, 8);
    memcpy(file + 58, &(uint16_t){ SECTION }, 2);
    memcpy(file + 60, &(uint16_t){ (uint16_t)n }, 2);
    for (size_t i = 0; i < n; i++) {
        unsigned char *row = file + sections + i * SECTION;
        memcpy(row + 4, &(uint32_t){ TABLE_OF_SYMBOLS }, 4);
        memcpy(row + 24, &symbols, 8);
        memcpy(row + 32, &symbol_bytes, 8);
    }
    for (int i = 0; i < 20; i++) {
        ck_assert(!cuc__cubin_variable(&at, &count, file, bytes, "nothing"));
        cuc__cubin_resources(&registers, &stack, file, bytes, "nothing");
    }
    free(file);
}

static const struct {
    const char *what;
    void (*read)(size_t n);
    size_t n;
} rows[] = {
    { "symbols of a cubin", read_symbols, 15000 },
};

static double seconds_of(void (*read)(size_t n), size_t n)
{
    double best = 1e9;

    for (int i = 0; i < 3; i++) {
        struct timespec from, to;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        read(n);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        double took = (double)(to.tv_sec - from.tv_sec) +
                      1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        best = took < best ? took : best;
    }
    return best;
}

START_TEST(four_times_the_code_takes_about_four_times_the_time)
{
    double once = seconds_of(rows[_i].read, rows[_i].n);
    double four = seconds_of(rows[_i].read, 4 * rows[_i].n);

    // Quadratic reading would take sixteen times as long.
    ck_assert_msg(four < 8 * once + 0.02, "%s: %zu take %.4f s, four times as many %.4f s",
                  rows[_i].what, rows[_i].n, once, four);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("code_time");
    TCase *tcase = tcase_create("code_time");

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, four_times_the_code_takes_about_four_times_the_time, 0,
                        (int)(sizeof(rows) / sizeof(*rows)));
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
