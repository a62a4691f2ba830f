// Reading code takes time in proportion to its size: four times the code takes about four times the
// CPU time, also of code that nobody's compiler would write.
#include <cucore/object.h>

#include "code/cubin.h"
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

// PTX with a kernel a line. `suffix` makes them look like the entries of tile kernels.
static void list_kernels(size_t n, const char *suffix)
{
    char *text = malloc(64 + n * 48);
    cuc_object *object = NULL;
    size_t bytes, count;

    ck_assert_ptr_nonnull(text);
    bytes = (size_t)sprintf(text, ".version 8.0\n.target sm_80\n.address_size 64\n");
    for (size_t i = 0; i < n; i++)
        bytes += (size_t)sprintf(text + bytes, ".entry k%zu%s() {}\n", i, suffix);
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, text, bytes + 1, NULL));
    ck_ok(cuc_object_get_kernel_count(&count, object));
    ck_assert_uint_eq(count, n);
    cuc_object_release(object);
    free(text);
}

static void list_plain(size_t n)
{
    list_kernels(n, "");
}

static void list_entries(size_t n)
{
    list_kernels(n, "$idx64");
}

static const struct {
    const char *what;
    void (*read)(size_t n);
    size_t n;
} rows[] = {
    { "symbols of a cubin", read_symbols, 15000 },
    { "kernels of PTX", list_plain, 10000 },
    { "entries like those of tile kernels", list_entries, 2000 },
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
