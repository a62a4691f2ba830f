// Checks that mistakes in options and calls of <cucore/algorithm.h> are refused by name.
#include "base/array.h"
#include "testing.h"

static cuc_device *device;
static cuc_stream *stream;

static void setup(void)
{
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static void teardown(void)
{
    cuc_stream_release(stream);
}

#define IN(...)                \
    .inputs = (const char *[]) \
    {                          \
        __VA_ARGS__            \
    }
#define OUT(...)                \
    .outputs = (const char *[]) \
    {                           \
        __VA_ARGS__             \
    }
#define HISTOGRAM .kind = CUC_ALGORITHM_HISTOGRAM, .input_count = 1, .output_count = 1
#define SUM .kind = CUC_ALGORITHM_REDUCE, .fn = "sum", .input_count = 1, .output_count = 1
#define MERGE .kind = CUC_ALGORITHM_MERGE, .output_count = 1

#define DOT                                                                         \
    .kind = CUC_ALGORITHM_REDUCE, .fn = "sum", .input_count = 3, .output_count = 1, \
    IN("x: f32", "y: f32", "x * y"), OUT("s: f32")

CASE("refusals", .setup = setup, .teardown = teardown, .timeout = 60);

TEST(options_are_refused_by_name)
{
    const struct {
        cuc_algorithm_options options;
        const char *message;
    } rows[] = {
        { { SUM, IN("x: f32") }, "outputs is NULL" },
        { { SUM, OUT("x: f32") }, "inputs is NULL" },
        { { SUM, IN(NULL), OUT("y: f32") }, "inputs[0] is NULL" },
        { { SUM, IN(" "), OUT("y: f32") }, "inputs[0] is empty" },
        { { SUM, IN("x: f33"), OUT("y: f32") }, "inputs[0] is \"x: f33\", expected an element" },
        { { SUM, IN("x: f32 x"), OUT("y: f32") }, "inputs[0] is \"x: f32 x\"" },
        { { SUM, IN("x: c64"), OUT("y: f32") }, "inputs[0] is \"x: c64\"" },
        { { SUM, IN("x: f32[]"), OUT("y: f32") }, "only expressions read, but no expression" },
        { { SUM, IN("i: f32"), OUT("y: f32") }, "inputs[0] has the name i" },
        { { SUM, IN("i = 1"), OUT("y: f32") }, "inputs[0] has the name i" },
        { { SUM, IN(": f32"), OUT("y: f32") },
          "inputs[0] is \": f32\", expected a name of at most" },
        { { SUM, IN("2x: f32"), OUT("y: f32") }, "that does not begin with a digit" },
        { { SUM, IN("a_name_that_is_longer_than_others: f32"), OUT("y: f32") },
          "expected a name of at most 31 letters" },
        { { SUM, IN("a_name_that_is_longer_than_others = 1"), OUT("y: f32") },
          "expected a name of at most 31 letters" },
        { { SUM, IN("i # 1"), OUT("y: f32") }, "inputs[0] has \"i # 1\", expected one expression" },
        { { SUM, IN("i, i"), OUT("y: f32") }, "inputs[0] has \"i, i\", expected one expression" },
        { { SUM, IN("(i"), OUT("y: f32") }, "inputs[0] has \"(i\", expected one expression" },
        { { SUM, IN("i) + (i"), OUT("y: f32") }, "expected one expression: brackets in pairs" },
        { { SUM, IN("i; j = 1"), OUT("y: f32") }, "expected one expression" },
        { { SUM, IN("d ="), OUT("y: f32") }, "inputs[0] has \"\", expected one expression" },
        { { SUM, IN("d = i\n i = 1"), OUT("y: f32") }, "expected one expression" },
        { { SUM, IN("1\n}\nfn g() { return 1"), OUT("y: f32") }, "expected one expression" },
        { { SUM, IN("in_x: f32"), OUT("y: f32") }, "inputs[0] has the name in_x" },
        { { SUM, IN("x: f32"), OUT("y") }, "outputs[0] is y, expected a name and a type" },
        { { SUM, IN("x: f32"), OUT("y: f32[]") }, "outputs[0] is \"y: f32[]\"" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .tile = 100 }, "tile is a power of two" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .tile = 131072 }, "tile is 131072" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .warps = 3 }, "warps is a power of two" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = CUC_ALGORITHM_DESCENDING },
          "CUC_ALGORITHM_DESCENDING is only for CUC_ALGORITHM_SORT_SEGMENTS" },
        { { MERGE, IN("x: f32", "x * 2.0"), OUT("y: f32"), .input_count = 2 },
          "inputs[1] is no array that is read by element" },
        { { MERGE, IN("x: f32", "y: f32[]"), OUT("z: f32"), .input_count = 2 },
          "inputs[1] is no array that is read by element" },
        { { MERGE, IN("x: f32", "y: f32", "z: f32"), OUT("w: f32"), .input_count = 3 },
          "input_count is 3, expected an even number" },
        { { .kind = CUC_ALGORITHM_MERGE,
            IN("x: f32", "y: f32"),
            OUT("z: f32", "w: f32"),
            .input_count = 2,
            .output_count = 2 },
          "the inputs have 1 value, but there are 2 outputs" },
        { { MERGE, IN("x: f32", "y: f32"), OUT("z: f32"), .input_count = 2, .keys = 2 },
          "keys is 2, expected at most 1, the number of values" },
        { { MERGE, IN("x: f32", "y: f32"), OUT("z: f32"), .input_count = 2,
            .flags = CUC_ALGORITHM_DEVICE_COUNT },
          "CUC_ALGORITHM_DEVICE_COUNT is not for CUC_ALGORITHM_MERGE" },
        { { MERGE, IN("x: f32", "y: f32"), OUT("z: f32"), .input_count = 2, .offsets = CUC_I32 },
          "offsets is CUC_I32 or CUC_I64 for CUC_ALGORITHM_REDUCE_SEGMENTS and _SORT_SEGMENTS" },
        { { MERGE, IN("x: f32", "y: f32"), OUT("z: f32"), .input_count = 2, .fn = "less" },
          "fn is less, expected a function" },
        { { MERGE, IN("x: f32", "y: f32"), OUT("z: f32"), .input_count = 2, .identity = "0" },
          "identity is given, but fn combines no values" },
        { { .kind = CUC_ALGORITHM_SORT_SEGMENTS,
            IN("x: f32"),
            OUT("y: f32"),
            .input_count = 1,
            .output_count = 1,
            .fn = "fn less(a, b) { return a < b }" },
          "fn is given, but CUC_ALGORITHM_SORT_SEGMENTS has the natural order" },
        { { .kind = CUC_ALGORITHM_SORT_SEGMENTS,
            IN("x: f32"),
            OUT("y: f32"),
            .input_count = 1,
            .output_count = 1,
            .offsets = CUC_U32 },
          "offsets is CUC_I32 or CUC_I64" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = 64 }, "flags is 64" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = CUC_ALGORITHM_EXCLUSIVE },
          "CUC_ALGORITHM_EXCLUSIVE is only for CUC_ALGORITHM_SCAN" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .identity = "0" }, "expected identity to be NULL" },
        { { .kind = CUC_ALGORITHM_REDUCE,
            .input_count = 2,
            .output_count = 1,
            IN("x: f32", "x: f32"),
            OUT("y: f32") },
          "inputs[1] has the name x, as has inputs[0]" },
        { { .kind = CUC_ALGORITHM_REDUCE,
            .fn = "sum",
            .input_count = 2,
            .output_count = 1,
            IN("x: f32", "y: f32"),
            OUT("y: f32") },
          "the inputs have 2 values, but there is 1 output: expected one for each value" },
        { { .kind = CUC_ALGORITHM_REDUCE,
            .fn = "sum",
            .input_count = 2,
            .output_count = 2,
            IN("x: f32", "y: f32"),
            OUT("a: f32", "b: f32") },
          "expected a function for several values" },
        { { .kind = CUC_ALGORITHM_REDUCE,
            .input_count = 1,
            .output_count = 2,
            IN("x: f32"),
            OUT("a: f32", "a: f32") },
          "outputs[1] has the name a, as has outputs[0]" },
        { { .kind = CUC_ALGORITHM_REDUCE,
            .fn = "fn f(a, b) { return a }",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "identity is NULL, expected the values" },
        { { .kind = CUC_ALGORITHM_REDUCE,
            .fn = "fn f(a, b) { return a }",
            .identity = "1, 2",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "identity is \"1, 2\", expected 1 number, separated by commas" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .fn = "twice",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "fn is twice, expected a function" },
        { { .kind = CUC_ALGORITHM_SELECT,
            .input_count = 1,
            .output_count = 2,
            IN("x: f32"),
            OUT("y: f32", "c: i64") },
          "fn is NULL, expected a function" },
        { { .kind = CUC_ALGORITHM_SELECT,
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "expected one for each value, and the count" },
        { { .kind = CUC_ALGORITHM_PARTITION,
            .input_count = 1,
            .output_count = 2,
            IN("x: f32"),
            OUT("y: f32", "c: i64") },
          "expected two for each value, and the count" },
        { { .kind = CUC_ALGORITHM_UNIQUE,
            .input_count = 1,
            .output_count = 2,
            IN("x: f32"),
            OUT("y: f32", "c: f32") },
          "outputs[1], the count, is of f32, expected an integer" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .identity = "0",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "identity is given, but fn combines no values" },
        { { .kind = CUC_ALGORITHM_REDUCE_BY_KEY,
            .fn = "sum",
            .input_count = 1,
            .output_count = 2,
            IN("x: f32"),
            OUT("y: f32", "c: i64") },
          "the inputs have 1 value, and 1 of them keys: expected more values" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .keys = 1 }, "keys is only for" },
        { { HISTOGRAM, IN("x: u8"), OUT("y: i32") }, "bins is 0, expected 1 to" },
        { { SUM, IN("x: u8"), OUT("y: i32"), .bins = 4 }, "bins is 4" },
        { { HISTOGRAM, IN("x: u8"), OUT("y: u8"), .bins = 4 },
          "outputs[0] is of u8, expected i32, u32, i64 or u64 for counts" },
        { { HISTOGRAM, IN("x: u8"), OUT("_: i32"), .bins = 4 }, "outputs[0] has the name _" },
        { { .kind = CUC_ALGORITHM_HISTOGRAM,
            .bins = 4,
            .input_count = 2,
            .output_count = 1,
            IN("x: u8", "y: u8"),
            OUT("z: i32") },
          "there are 1 outputs and 2 values, expected 1 of each, or fn" },
        { { .kind = 0, .input_count = 1, .output_count = 1, IN("x: f32"), OUT("y: f32") },
          "kind is 0" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_algorithm *plan = NULL;
        cuc_algorithm_options o = rows[i].options;
        o.struct_size = sizeof(o);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_create(&plan, device, &o),
                 rows[i].message);
        ck_assert_ptr_null(plan);
    }
}

TEST(an_expression_may_have_blanks_and_lines_between_brackets)
{
    cuc_algorithm *plan;

    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM, .input_count = 2, .output_count = 1,
                              IN("x: f32", " (x\n + x\t[i - 1])\n"), OUT("y: f32"))));
    ck_assert_ptr_nonnull(strstr(cuc_algorithm_source(plan), "gather(in_x, [i - 1])"));
    cuc_algorithm_release(plan);
}

TEST(mistakes_in_texts_are_compile_errors)
{
    cuc_algorithm *plan = NULL;

    ck_fails(CUC_ERROR_COMPILE,
             cuc_algorithm_create(
                 &plan, device,
                 CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE, .input_count = 1,
                                       .output_count = 1, IN("x: f32"), OUT("y: f32"),
                                       .fn = "fn f(a, b) { return a + c }", .identity = "0")),
             "algorithm.tile");
    ck_fails(
        CUC_ERROR_COMPILE,
        cuc_algorithm_create(&plan, device, CUC_ALGORITHM_OPTIONS(SUM, IN("x +"), OUT("y: f32"))),
        "algorithm.tile");
}

TEST(calls_are_refused_by_name)
{
    const cuc_tensor good[] = {
        { .data = 0x100000, .dtype = CUC_F32, .rank = 1, .shape = { 9 }, .strides = { 1 } },
        { .data = 0x100000, .dtype = CUC_F32, .rank = 1, .shape = { 9 }, .strides = { 1 } }
    };
    const cuc_tensor one = { .data = 0x200000, .dtype = CUC_F32, .rank = 0 };
    const cuc_tensor two = {
        .data = 0x200000, .dtype = CUC_I64, .rank = 1, .shape = { 2 }, .strides = { 1 }
    };
    const cuc_algorithm_args fits =
        *CUC_ALGORITHM_ARGS(.inputs = good, .input_count = 2, .outputs = &one, .output_count = 1);
    cuc_tensor bad[2];
    cuc_algorithm_args a;
    cuc_algorithm *plan;

    ck_ok(cuc_algorithm_create(&plan, device, CUC_ALGORITHM_OPTIONS(DOT)));
#define REFUSED(change, message)    \
    memcpy(bad, good, sizeof(bad)); \
    a = fits;                       \
    a.inputs = bad;                 \
    change;                         \
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &a), message)
    REFUSED(a.inputs = NULL, "inputs is NULL");
    REFUSED(a.input_count = 1, "the call has 1 inputs, expected 2, the arrays of the plan");
    REFUSED(a.output_count = 0, "the call has 0 outputs, expected 1");
    REFUSED(bad[1].dtype = CUC_F16, "inputs[1], y, is of f16, expected f32");
    REFUSED(bad[1].shape[0] = 8, "inputs[1], y, has 8 elements, expected 9");
    REFUSED(a.count = 10, "inputs[0], x, has 9 elements, but count is 10");
    REFUSED(a.count = -1, "count is -1");
    REFUSED(bad[0].shape[0] = -1, "shape");
    REFUSED(a.outputs = &two, "outputs[0], s, is of i64, expected f32");
    REFUSED(a.outputs = good, "outputs[0], s, has 9 elements, expected 1");
    REFUSED(a.device_count = &two, "the plan has no CUC_ALGORITHM_DEVICE_COUNT");
    REFUSED(a.workspace = 128, "workspace is 0x80, expected a multiple of 256");
    REFUSED((bad[0].rank = 2, bad[0].shape[1] = 1, bad[0].strides[0] = 7),
            "inputs[0], x, has 2 axes and is not contiguous");
    a = fits;
    a.workspace = 256;
    a.count = 1 << 20;
    cuc_tensor wide[] = { good[0], good[1] };
    wide[0].shape[0] = wide[1].shape[0] = 1 << 20;
    a.inputs = wide;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &a),
             "workspace_bytes is 0, expected at least");
    cuc_algorithm_release(plan);
    ck_ok(cuc_algorithm_create(&plan, device,
                               CUC_ALGORITHM_OPTIONS(DOT, .flags = CUC_ALGORITHM_DEVICE_COUNT)));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &fits),
             "device_count is NULL");
    a = fits;
    a.device_count = &two;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &a),
             "device_count has 2 elements of i64, expected one of i64");
    cuc_algorithm_release(plan);
}

int main(void)
{
    return run_device_tests("algorithm errors");
}
