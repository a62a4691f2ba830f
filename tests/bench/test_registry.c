// Tests cases, axes and selections: the contents of a session, and the points that a selection
// yields.
#include "base/array.h"
#include "axis.h"

#include "bench_testing.h"

#include <stdio.h>

static cuc_bench *bench;

static cuc_status no_setup(cuc_bench_state *state, void *data)
{
    (void)data;
    return cuc_bench_state_skip(state, "there is nothing here");
}

static void setup(void)
{
    ck_ok(cuc_bench_create(&bench, CUC_BENCH_OPTIONS(.flags = CUC_BENCH_NO_DEVICE)));
}

static void teardown(void)
{
    cuc_bench_release(bench);
}

// Lists of axis values as text, and the expected values, separated by spaces.
static const struct {
    int32_t kind;
    const char *list, *expected;
} lists[] = {
    { CUC_BENCH_AXIS_INT, "1,8,-3", "1 8 -3" },
    { CUC_BENCH_AXIS_INT, "1:4", "1 2 3 4" },
    { CUC_BENCH_AXIS_INT, "100:350:100,7", "100 200 300 7" },
    { CUC_BENCH_AXIS_INT, "5:5", "5" },
    { CUC_BENCH_AXIS_INT, "9223372036854775806:9223372036854775807",
      "9223372036854775806 9223372036854775807" },
    { CUC_BENCH_AXIS_POW2, "10", "1024" },
    { CUC_BENCH_AXIS_POW2, "10:14:2", "1024 4096 16384" },
    { CUC_BENCH_AXIS_POW2, "0,62", "1 4611686018427387904" },
    { CUC_BENCH_AXIS_POW2, "2^4,1024,64", "16 1024 64" },
    { CUC_BENCH_AXIS_DTYPE, "f32,bf16", "f32 bf16" },
    { CUC_BENCH_AXIS_STRING, "nt,nn,a b", "nt nn a b" },
};

CASE("all", .setup = setup, .teardown = teardown);

TEST_ROWS(a_list_has_its_values, lists)
{
    struct cuc__bench_values v;
    char text[256] = "";

    ck_ok(cuc__bench_read_values(&v, lists[_i].kind, "x", lists[_i].list, "cuc_test"));
    for (size_t i = 0; i < v.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", v.at[i].text);
        if (lists[_i].kind <= CUC_BENCH_AXIS_POW2)
            ck_assert_int_eq(v.at[i].number, strtoll(v.at[i].text, NULL, 10));
        if (lists[_i].kind == CUC_BENCH_AXIS_DTYPE)
            ck_assert_int_eq(v.at[i].dtype, cuc_dtype_from_name(v.at[i].text));
    }
    ck_assert_str_eq(text, lists[_i].expected);
    cuc__bench_values_release(&v);
}

static const struct {
    int32_t kind;
    const char *list, *fragment;
} bad_lists[] = {
    { CUC_BENCH_AXIS_INT, "", "an empty value" },
    { CUC_BENCH_AXIS_INT, "1,,2", "an empty value" },
    { CUC_BENCH_AXIS_INT, "x", "\"x\" does not begin with a whole number" },
    { CUC_BENCH_AXIS_INT, "12k", "\"k\" follows a number" },
    { CUC_BENCH_AXIS_INT, "1:2:3:4", "\":4\" follows a number" },
    { CUC_BENCH_AXIS_INT, "4:1", "goes nowhere" },
    { CUC_BENCH_AXIS_INT, "1:4:0", "goes nowhere" },
    { CUC_BENCH_AXIS_INT, "1:1000000", "more than 10000 values" },
    { CUC_BENCH_AXIS_INT, "99999999999999999999", "does not begin with a whole number" },
    { CUC_BENCH_AXIS_POW2, "63", "63 is neither an exponent of 2" },
    { CUC_BENCH_AXIS_POW2, "1000", "1000 is neither an exponent of 2" },
    { CUC_BENCH_AXIS_POW2, "-1", "-1 is neither" },
    { CUC_BENCH_AXIS_DTYPE, "f32,float", "float is not an element type" },
    { CUC_BENCH_AXIS_STRING, "a,", "an empty value" },
    { CUC_BENCH_AXIS_INT, "1:3,2", "2 is there twice" },
    { CUC_BENCH_AXIS_POW2, "10,1024", "1024 is there twice" },
    { CUC_BENCH_AXIS_STRING, "nt,nn,nt", "nt is there twice" },
};

TEST_ROWS(an_invalid_list_is_reported_with_its_axis, bad_lists)
{
    struct cuc__bench_values v;

    ck_assert_int_eq(
        cuc__bench_read_values(&v, bad_lists[_i].kind, "size", bad_lists[_i].list, "cuc_test"),
        CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "axis size"));
    ck_assert_msg(strstr(cuc_error_message(), bad_lists[_i].fragment) != NULL, "%s lacks %s",
                  cuc_error_message(), bad_lists[_i].fragment);
    ck_assert_uint_eq(v.count, 0);
}

static const cuc_bench_axis size_and_type[] = {
    { .name = "n", .values = "10:12", .quick = "10", .kind = CUC_BENCH_AXIS_POW2 },
    { .name = "dtype", .values = "f32,f16", .kind = CUC_BENCH_AXIS_DTYPE },
};
static const cuc_bench_axis layout[] = {
    { .name = "layout", .values = "nt,nn", .kind = CUC_BENCH_AXIS_STRING },
};

static void add(const char *suite, const char *name, const cuc_bench_axis *axes, size_t count)
{
    ck_ok(cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = suite, .name = name, .setup = no_setup,
                                                   .axes = axes, .axis_count = count)));
}

static void add_all(void)
{
    add("memory", "copy", size_and_type, 2);
    add("memory", "fill", size_and_type, 1);
    add("gemm", "square", layout, 1);
    add("runtime", "launch", NULL, 0);
}

static char visited[4096];

static int32_t note(void *data, size_t index, const cuc_bench_case *c, const char *axes)
{
    size_t used = strlen(visited);
    int *left = data;

    ck_assert_uint_lt(index, cuc_bench_case_count(bench));
    snprintf(visited + used, sizeof(visited) - used, "%s/%s[%s] ", c->suite, c->name, axes);
    return left && --*left == 0;
}

static const struct {
    cuc_bench_selection selection;
    bool quick;
    const char *expected;
} selections[] = {
    { { .filter = "copy" },
      false,
      "memory/copy[n=1024 dtype=f32] memory/copy[n=1024 dtype=f16] memory/copy[n=2048 dtype=f32] "
      "memory/copy[n=2048 dtype=f16] memory/copy[n=4096 dtype=f32] memory/copy[n=4096 "
      "dtype=f16] " },
    { { .filter = "copy" }, true, "memory/copy[n=1024 dtype=f32] memory/copy[n=1024 dtype=f16] " },
    { { .suites = (const char *const[]){ "gemm", "runtime" }, .suite_count = 2 },
      false,
      "gemm/square[layout=nt] gemm/square[layout=nn] runtime/launch[] " },
    { { .filter = "^(gemm|run)" },
      false,
      "gemm/square[layout=nt] gemm/square[layout=nn] runtime/launch[] " },
    { { .filter = "fill$", .axes = (const char *const[]){ "n=2^5,128" }, .axis_count = 1 },
      false,
      "memory/fill[n=32] memory/fill[n=128] " },
    { { .suites = (const char *const[]){ "memory" },
        .suite_count = 1,
        .axes = (const char *const[]){ "n=3", "dtype=i8", "n=4" },
        .axis_count = 3 },
      false,
      "memory/copy[n=16 dtype=i8] memory/fill[n=16] " },
    { { .filter = "square", .axes = (const char *const[]){ "layout=tt" }, .axis_count = 1 },
      true,
      "gemm/square[layout=tt] " },
};

TEST_ROWS(a_selection_has_its_points_in_order, selections)
{
    cuc_bench_selection s = selections[_i].selection;
    size_t count = 0, only = 0;

    if (selections[_i].quick) {
        cuc_bench_release(bench);
        ck_ok(cuc_bench_create(&bench,
                               CUC_BENCH_OPTIONS(.flags = CUC_BENCH_NO_DEVICE | CUC_BENCH_QUICK)));
    }
    add_all();
    s.struct_size = sizeof(s);
    visited[0] = '\0';
    ck_ok(cuc_bench_visit(&count, bench, &s, note, NULL));
    ck_assert_str_eq(visited, selections[_i].expected);
    ck_ok(cuc_bench_visit(&only, bench, &s, NULL, NULL));
    ck_assert_uint_eq(only, count);
    ck_ok(cuc_bench_run(bench, &s));
    ck_assert_uint_eq(cuc_bench_result_count(bench), count);
}

TEST(a_visitor_can_stop)
{
    int left = 3;
    size_t count = 0;

    add_all();
    visited[0] = '\0';
    ck_ok(cuc_bench_visit(&count, bench, NULL, note, &left));
    ck_assert_uint_eq(count, 3);
}

static const struct {
    cuc_bench_selection selection;
    cuc_status status;
    const char *fragment;
} bad_selections[] = {
    { { .suites = (const char *const[]){ "memory", "memroy" }, .suite_count = 2 },
      CUC_ERROR_NOT_FOUND,
      "there is no suite memroy" },
    { { .filter = "nothing" }, CUC_ERROR_NOT_FOUND, "no case matches \"nothing\"" },
    { { .filter = "(" }, CUC_ERROR_INVALID_ARGUMENT, "\"(\" is not a regular expression" },
    { { .axes = (const char *const[]){ "n" }, .axis_count = 1 },
      CUC_ERROR_INVALID_ARGUMENT,
      "expected name=values" },
    { { .axes = (const char *const[]){ "m=1" }, .axis_count = 1 },
      CUC_ERROR_NOT_FOUND,
      "none of the selected cases has the axis of \"m=1\"" },
    { { .axes = (const char *const[]){ "n=big" }, .axis_count = 1 },
      CUC_ERROR_INVALID_ARGUMENT,
      "axis n, values \"big\"" },
    { { .filter = "launch", .axes = (const char *const[]){ "n=4" }, .axis_count = 1 },
      CUC_ERROR_NOT_FOUND,
      "has the axis of \"n=4\"" },
};

TEST_ROWS(an_empty_selection_is_reported, bad_selections)
{
    cuc_bench_selection s = bad_selections[_i].selection;
    size_t count = 42;

    add_all();
    s.struct_size = sizeof(s);
    ck_fails(bad_selections[_i].status, cuc_bench_visit(&count, bench, &s, NULL, NULL),
             bad_selections[_i].fragment);
    ck_fails(bad_selections[_i].status, cuc_bench_run(bench, &s), bad_selections[_i].fragment);
    ck_assert_uint_eq(count, 42);
    ck_assert_uint_eq(cuc_bench_result_count(bench), 0);
}

static const struct {
    cuc_bench_case c;
    const char *fragment;
} bad_cases[] = {
    { { .suite = "a", .setup = no_setup }, "name \"NULL\"" },
    { { .suite = "a b", .name = "c", .setup = no_setup }, "suite is \"a b\"" },
    { { .suite = "a", .name = "c" }, "setup is NULL" },
    { { .suite = "memory", .name = "copy", .setup = no_setup }, "there is a case memory/copy" },
    { { .suite = "a", .name = "c", .setup = no_setup, .axis_count = 1 }, "1 axes at" },
    { { .suite = "a",
        .name = "c",
        .setup = no_setup,
        .axis_count = 1,
        .axes = &(const cuc_bench_axis){ .name = "n", .values = "x" } },
      "axis n, values \"x\"" },
    { { .suite = "a",
        .name = "c",
        .setup = no_setup,
        .axis_count = 1,
        .axes = &(const cuc_bench_axis){ .name = "n", .values = "1", .quick = "1:" } },
      "axis n, values \"1:\"" },
    { { .suite = "a",
        .name = "c",
        .setup = no_setup,
        .axis_count = 1,
        .axes = &(const cuc_bench_axis){ .name = "n", .values = "1", .kind = 9 } },
      "axis 0 (\"n\", kind 9)" },
    { { .suite = "a",
        .name = "c",
        .setup = no_setup,
        .axis_count = 2,
        .axes = (const cuc_bench_axis[]){ { .name = "n", .values = "1" },
                                          { .name = "n", .values = "2" } } },
      "two axes of the name n" },
};

TEST_ROWS(an_invalid_case_is_reported, bad_cases)
{
    cuc_bench_case c = bad_cases[_i].c;

    add_all();
    c.struct_size = sizeof(c);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_add_case(bench, &c), bad_cases[_i].fragment);
    ck_assert_uint_eq(cuc_bench_case_count(bench), 4);
}

TEST(a_case_is_copied_with_its_texts)
{
    char suite[] = "memory", name[] = "copy", values[] = "1,2";
    cuc_bench_axis axis = { .name = name, .values = values };
    cuc_bench_case c = CUC_BENCH_CASE_INIT;

    add(suite, name, &axis, 1);
    add("gemm", name, NULL, 0); // a case with that name in another suite
    memset(suite, 'x', 6);
    memset(name, 'x', 4);
    memset(values, 'x', 3);
    ck_ok(cuc_bench_get_case(&c, bench, 0));
    ck_assert_str_eq(c.suite, "memory");
    ck_assert_str_eq(c.name, "copy");
    ck_assert_str_eq(c.axes[0].name, "copy");
    ck_assert_str_eq(c.axes[0].values, "1,2");
    ck_assert_str_eq(c.axes[0].quick, "1,2");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_get_case(&c, bench, 2), "there are 2 cases");
}

TEST(names_are_those_of_the_document)
{
    ck_assert_str_eq(cuc_bench_mode_name(CUC_BENCH_GRAPH), "graph");
    ck_assert_str_eq(cuc_bench_mode_name(3), "unknown");
    ck_assert_uint_eq(cuc_bench_mode_from_name("hot"), CUC_BENCH_HOT);
    ck_assert_uint_eq(cuc_bench_mode_from_name("warm"), 0);
    ck_assert_uint_eq(cuc_bench_mode_from_name(NULL), 0);
    ck_assert_str_eq(cuc_bench_kind_name(CUC_BENCH_KIND_FOREIGN), "foreign");
    ck_assert_str_eq(cuc_bench_outcome_name(CUC_BENCH_FAILED), "failed");
    ck_assert_str_eq(cuc_bench_stop_name(CUC_BENCH_STOP_ENTROPY), "entropy");
    ck_assert_str_eq(cuc_bench_verdict_name(CUC_BENCH_SLOWER), "SLOWER");
    ck_assert_str_eq(cuc_bench_verdict_name(CUC_BENCH_NO_VERDICT), "");
    ck_assert_str_eq(cuc_bench_verdict_name(-1), "unknown");
}

int main(void)
{
    return run_tests("bench_registry");
}
