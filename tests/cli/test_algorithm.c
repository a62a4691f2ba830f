// Tests cucore sort, reduce, scan and histogram on the driver that CUCORE_DRIVER selects.
#include "base/array.h"
#include "child.h"
#include "npy.h"
#include "tests.h"

#include <jansson.h>

static const char *program = CLI_PROGRAM;
static char folder[64];

// Saves rows of three elements.
static void save(const char *path, cuc_dtype dtype, int64_t rows, const void *data)
{
    int64_t shape[] = { rows, 3 };
    size_t bytes;
    char *header = npy_make_header(&bytes, dtype, shape, 2);
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(fwrite(header, 1, bytes, f), bytes);
    fwrite(data, 1, (size_t)rows * 3 * (cuc_dtype_bits(dtype) / 8), f);
    ck_assert_int_eq(fclose(f), 0);
    free(header);
}

static void make_folder(void)
{
    static const float reals[] = { 0.5f, -1, 0.25f, 1, 0, -0.5f };
    static const uint8_t bytes[] = { 200, 3, 100, 3, 3, 0 };
    static const uint16_t ones[] = { 0x3f80, 0x3f80, 0x4000 }; // 1, 1, 2 as bf16

    strcpy(folder, "/tmp/cucore-cli-algorithm-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    save("reals.npy", CUC_F32, 2, reals);
    save("bytes.npy", CUC_U8, 2, bytes);
    save("halves.npy", CUC_U16, 1, ones);
    save("empty.npy", CUC_I32, 0, "");
}

static void remove_folder(void)
{
    char command[128];

    ck_assert_int_eq(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

#define NORM "fn norm(a, b) { return sqrt(a * a + b * b) }", "--identity", "0.0"

// clang-format off
static const struct {
    const char *arguments[10];
    int status;
    const char *out, *err; // all of the output, NULL if none; a part of the messages
} rows[] = {
    { { "sort", "reals.npy" }, 0, .out = "-1\n-0.5\n0\n0.25\n0.5\n1\n" },
    { { "sort", "reals.npy", "--descending" }, 0, .out = "1\n0.5\n0.25\n0\n-0.5\n-1\n" },
    { { "sort", "bytes.npy" }, 0, .out = "0\n3\n3\n3\n100\n200\n" },
    { { "sort", "empty.npy" }, 0, .out = "" },
    { { "reduce", "reals.npy" }, 0, .out = "0.25\n" },
    { { "reduce", "reals.npy", "--fn", "min" }, 0, .out = "-1\n" },
    { { "reduce", "reals.npy", "--fn", "prod", "--to", "f64" }, 0, .out = "0\n" },
    { { "reduce", "bytes.npy" }, 0, .out = "309\n" },
    { { "reduce", "bytes.npy", "--fn", "max" }, 0, .out = "200\n" },
    { { "reduce", "bytes.npy", "--to", "u8" }, 0, .out = "53\n" },
    { { "reduce", "bytes.npy", "--fn", "fn either(a, b) { return a | b }", "--identity", "0" }, 0, .out = "239\n" },
    { { "reduce", "halves.npy", "--type", "bf16", "--to", "f32" }, 0, .out = "4\n" },
    { { "reduce", "empty.npy" }, 0, .out = "0\n" },
    { { "reduce", "empty.npy", "--fn", "max" }, 0, .out = "-2147483648\n" },
    { { "scan", "bytes.npy" }, 0, .out = "200\n203\n303\n306\n309\n309\n" },
    { { "scan", "bytes.npy", "--exclusive" }, 0, .out = "0\n200\n203\n303\n306\n309\n" },
    { { "scan", "reals.npy", "--fn", "max" }, 0, .out = "0.5\n0.5\n0.5\n1\n1\n1\n" },
    { { "scan", "empty.npy" }, 0, .out = "" },
    { { "histogram", "bytes.npy", "--bins", "5" }, 0, .out = "0\t1\n1\t0\n2\t0\n3\t3\n4\t0\n" },
    { { "histogram", "reals.npy", "--bins", "4", "--range", "-1,1" }, 0, .out = "-1\t1\n-0.5\t1\n0\t2\n0.5\t2\n" },
    { { "histogram", "empty.npy", "--bins", "2" }, 0, .out = "0\t0\n1\t0\n" },
    // usage
    { { "sort", "reals.npy", "--fn", "sum" }, 2, .err = "unknown option" },
    { { "reduce" }, 2, .err = "a FILE is missing" },
    { { "reduce", "a", "b" }, 2, .err = "one FILE is expected" },
    { { "histogram", "bytes.npy" }, 2, .err = "say how many bins to count in: --bins N" },
    { { "histogram", "bytes.npy", "--bins", "0" }, 2, .err = "--bins is '0'" },
    { { "histogram", "bytes.npy", "--bins", "4", "--range", "2,1" }, 2, .err = "--range is '2,1': two numbers" },
    { { "histogram", "bytes.npy", "--bins", "4", "--range", "0" }, 2, .err = "--range is '0': two numbers" },
    { { "reduce", "bytes.npy", "--to", "f33" }, 2, .err = "--to is 'f33': an element type" },
    { { "reduce", "bytes.npy", "--type", "f33" }, 2, .err = "--type is 'f33': an element type" },
    { { "scan", "bytes.npy", "--bins", "4" }, 2, .err = "unknown option" },
    // failures
    { { "reduce", "nothing.npy" }, 1, .err = "nothing.npy" },
    { { "reduce", "bytes.npy", "--type", "bf16" }, 1, .err = "--type is of another size" },
    { { "reduce", "reals.npy", "--fn", "mean" }, 1, .err = "fn is mean, expected sum, prod, min, max" },
    { { "reduce", "reals.npy", "--fn", "fn f(a, b) { return a + c }", "--identity", "0" }, 1, .err = "fn:1:25: error T501" },
    { { "scan", "reals.npy", "--fn", NORM, "-o", "nowhere/out.npy" }, 1, .err = "nowhere/out.npy" },
};
// clang-format on

CASE("algorithms", .setup = make_folder, .teardown = remove_folder, .timeout = 60);

TEST_ROWS(a_command_prints_results_and_says_its_mistakes, rows)
{
    child c = { .arguments = { NULL } };

    memcpy(c.arguments, rows[_i].arguments, sizeof(rows[_i].arguments));
    child_run(&c, program);
    ck_assert_msg(c.status == rows[_i].status, "exit status %d\n%s%s", c.status, c.out, c.err);
    ck_assert_str_eq(c.out, rows[_i].out ? rows[_i].out : "");
    ck_assert_msg(!rows[_i].err || strstr(c.err, rows[_i].err), "%s", c.err);
    child_free(&c);
}

TEST(a_scan_writes_a_file_of_the_same_shape)
{
    child c = { .arguments = { "scan", "reals.npy", "--fn", NORM, "--to", "f64", "-o",
                               "out.npy" } };
    npy_header header;
    void *file;
    size_t bytes;
    cli_why why;
    double x[6];

    child_run(&c, program);
    ck_assert_msg(c.status == 0, "%s", c.err);
    ck_assert_msg(cli_read_file(&file, &bytes, "out.npy", &why), "%s", why.text);
    ck_assert_msg(npy_parse(&header, file, bytes, "out.npy", &why), "%s", why.text);
    ck_assert_int_eq(header.dtype, CUC_F64);
    ck_assert_int_eq(header.rank, 2);
    ck_assert_int_eq(header.shape[0], 2);
    ck_assert_int_eq(header.shape[1], 3);
    memcpy(x, (char *)file + header.data_offset, sizeof(x));
    ck_assert_double_eq_tol(x[0], 0.5, 1e-15);
    ck_assert_double_eq_tol(x[5] * x[5], 0.25 + 1 + 0.0625 + 1 + 0.25, 1e-14);
    free(file);
    child_free(&c);
}

TEST(json_has_results_and_the_program)
{
    static const struct {
        const char *arguments[8];
        const char *key;
        int64_t value; // of the key, or its length; -1: a text
    } cases[] = {
        { { "reduce", "bytes.npy", "--json" }, "result", 309 },
        { { "scan", "bytes.npy", "--json" }, "last", 309 },
        { { "sort", "bytes.npy", "--json" }, "first", 0 },
        { { "sort", "bytes.npy", "--descending", "--json" }, "first", 200 },
        { { "scan", "empty.npy", "--json" }, "elements", 0 },
        { { "histogram", "bytes.npy", "--bins", "7", "--json" }, "counts", 7 },
        { { "scan", "bytes.npy", "--source", "--json" }, "source", -1 },
    };

    for (int i = 0; i < CUC_LENGTH(cases); i++) {
        child c = { .arguments = { NULL } };
        memcpy(c.arguments, cases[i].arguments, sizeof(cases[i].arguments));
        child_run(&c, program);
        json_t *document = json_loads(c.out, 0, NULL), *value;
        ck_assert_msg(document && json_is_true(json_object_get(document, "ok")), "%s", c.err);
        value = json_object_get(document, cases[i].key);
        if (cases[i].value < 0)
            ck_assert_ptr_nonnull(strstr(json_string_value(value), "kernel scan_all("));
        else
            ck_assert_int_eq(json_is_array(value) ? (json_int_t)json_array_size(value)
                                                  : json_integer_value(value),
                             cases[i].value);
        json_decref(document);
        child_free(&c);
    }
}

TEST(source_is_a_program_that_compiles)
{
    child c = { .arguments = { "histogram", "reals.npy", "--bins", "9", "--range", "-1e-3,2e5",
                               "--source" } };

    child_run(&c, program);
    ck_assert_int_eq(c.status, 0);
    child again = { .arguments = { "compile", "-", "--lang", "tile", "--arch", "sm_90" },
                    .input = c.out };
    child_run(&again, program);
    ck_assert_msg(again.status == 0, "%s", again.err);
    ck_assert_ptr_nonnull(strstr(again.out, ".entry histogram_all"));
    child_free(&c);
    child_free(&again);
}

int main(void)
{
    if (getenv("CUCORE_CLI"))
        program = getenv("CUCORE_CLI");
    return run_tests("cli algorithms");
}
