// Tests that reading code takes time proportional to its size: four times the code takes about four
// times the CPU time. This holds even for code that no compiler would write.
#include <cucore/device.h>
#include <cucore/kernel.h>
#include <cucore/linker.h>
#include <cucore/object.h>

#include "base/array.h"
#include "code/cubin.h"
#include "testing.h"

#include <time.h>

// Reads a cubin that has as many symbol tables as symbols; all tables are the same bytes of the
// file.
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

// Reads PTX with a kernel on each line. `suffix` makes the kernels look like entries of tile
// kernels.
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

// Makes PTX that drivers accept, with one kernel per line.
static char *text_of_kernels(size_t n, size_t *bytes)
{
    char *text = malloc(64 + n * 64);

    ck_assert_ptr_nonnull(text);
    *bytes = (size_t)sprintf(text, ".version 8.0\n.target sm_80\n.address_size 64\n");
    for (size_t i = 0; i < n; i++)
        *bytes +=
            (size_t)sprintf(text + *bytes, ".visible .entry k%zu(.param .u32 n) { ret; }\n", i);
    return text;
}

static void need_a_driver(void)
{
    cuc_device *device = NULL;

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_set_current(device, NULL));
}

// Looks up every kernel, by its symbol or by an expression.
static void get_kernels(size_t n, bool by_expression)
{
    cuc_object_mapping *names = calloc(n, sizeof(*names));
    char *expressions = malloc(32 * n), *symbols = malloc(16 * n);
    cuc_object *object = NULL;
    size_t bytes;

    ck_assert(names && expressions && symbols);
    need_a_driver();
    char *text = text_of_kernels(n, &bytes);
    for (size_t i = 0; i < n; i++) {
        names[i] = (cuc_object_mapping){ expressions + 32 * i, symbols + 16 * i };
        sprintf(expressions + 32 * i, "kernel<%zu>", i);
        sprintf(symbols + 16 * i, "k%zu", i);
    }
    ck_ok(
        cuc_object_create(&object, CUC_CODE_PTX, text, bytes + 1,
                          CUC_OBJECT_OPTIONS(.names = names, .name_count = by_expression ? n : 0)));
    for (size_t i = 0; i < n; i++) {
        cuc_kernel *kernel = NULL;
        size_t count = 0;
        ck_ok(cuc_object_get_kernel(&kernel, object,
                                    by_expression ? names[i].expression : names[i].symbol));
        ck_ok(cuc_kernel_get_parameter_count(&count, kernel));
        ck_assert_uint_eq(count, 1);
        cuc_kernel_release(kernel);
    }
    cuc_kernel *none = NULL;
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&none, object, "none"), "and ");
    cuc_object_release(object);
    free(text);
    free(symbols);
    free(expressions);
    free(names);
}

static void get_by_symbol(size_t n)
{
    get_kernels(n, false);
}

static void get_by_expression(size_t n)
{
    get_kernels(n, true);
}

// Links with the driver's own linker.
static void link_kernels(size_t n)
{
    cuc_linker *linker = NULL;
    cuc_object *linked = NULL;
    size_t bytes;

    need_a_driver();
    char *text = text_of_kernels(n, &bytes);
    ck_ok(cuc_linker_create(&linker, CUC_LINKER_OPTIONS(.backend = CUC_LINKER_DRIVER)));
    ck_ok(cuc_linker_add_data(linker, CUC_CODE_PTX, text, bytes + 1, "kernels"));
    ck_ok(cuc_linker_link(&linked, linker, CUC_CODE_CUBIN));
    cuc_object_release(linked);
    cuc_linker_release(linker);
    free(text);
}

static const struct {
    const char *what;
    void (*read)(size_t n);
    size_t n;
} rows[] = {
    { "kernels asked for by their symbols", get_by_symbol, 2000 },
    { "kernels asked for by expressions", get_by_expression, 2000 },
    { "kernels that are linked", link_kernels, 4000 },
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

CASE("code_time", .timeout = 60);

TEST_ROWS(four_times_the_code_takes_about_four_times_the_time, rows)
{
    double once = seconds_of(rows[_i].read, rows[_i].n);
    double four = seconds_of(rows[_i].read, 4 * rows[_i].n);

    // Reading in quadratic time would take sixteen times as long.
    ck_assert_msg(four < 8 * once + 0.02, "%s: %zu take %.4f s, four times as many %.4f s",
                  rows[_i].what, rows[_i].n, once, four);
}

int main(void)
{
    return run_tests("code_time");
}
