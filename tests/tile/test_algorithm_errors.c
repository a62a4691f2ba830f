// Checks that mistakes in options and calls of <cucore/algorithm.h> are refused by name.
#include "algorithm/algorithm.h"
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
#define TOPK(outputs) .kind = CUC_ALGORITHM_TOPK, .input_count = 1, .output_count = (outputs)
#define TOPK_ROWS .kind = CUC_ALGORITHM_TOPK_ROWS, .input_count = 1, .output_count = 1
#define SORT .kind = CUC_ALGORITHM_SORT, .input_count = 1, .output_count = 1
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
        { { SUM, IN("x: f32"), OUT("y: f32"), .tile = 100 },
          "tile is 100 and warps 0, expected powers of two" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .tile = 131072 }, "tile is 131072" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .warps = 3 },
          "tile is 0 and warps 3, expected powers of two" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = CUC_ALGORITHM_DESCENDING },
          "CUC_ALGORITHM_DESCENDING is only for CUC_ALGORITHM_SORT and _SORT_SEGMENTS" },
        { { MERGE, IN("x: f32", "x * 2.0"), OUT("y: f32"), .input_count = 2 },
          "inputs[1] to inputs[1], those of one sequence, have no array that is read by element" },
        { { MERGE, IN("x: f32", "y: f32[]"), OUT("z: f32"), .input_count = 2 },
          "inputs[1] to inputs[1], those of one sequence, have no array that is read by element" },
        { { MERGE, IN("x: f32", "x * 2.0", "y: f32", "z: f32"), OUT("w: f32"), .input_count = 4 },
          "the inputs of the first sequence have 1 values, those of the second 2" },
        { { .kind = CUC_ALGORITHM_UNION,
            .input_count = 2,
            .output_count = 2,
            IN("x: f32", "x * 2.0"),
            OUT("y: f32", "n: i64") },
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
        { { .kind = CUC_ALGORITHM_UNION,
            .input_count = 2,
            .output_count = 2,
            IN("x: f32", "y: f32"),
            OUT("z: f32", "n: i64"),
            .flags = CUC_ALGORITHM_DEVICE_COUNT },
          "CUC_ALGORITHM_DEVICE_COUNT is not for CUC_ALGORITHM_SORT_SEGMENTS and set" },
        { { MERGE, IN("x: f32", "y: f32"), OUT("z: f32"), .input_count = 2, .offsets = CUC_I32 },
          "offsets is i32, expected CUC_I32 or CUC_I64 for CUC_ALGORITHM_REDUCE_SEGMENTS and" },
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
          "fn is given, but CUC_ALGORITHM_SORT and _SORT_SEGMENTS have the natural order" },
        { { .kind = CUC_ALGORITHM_SORT_SEGMENTS,
            IN("x: f32"),
            OUT("y: f32"),
            .input_count = 1,
            .output_count = 1,
            .offsets = CUC_U32 },
          "offsets is u32, expected CUC_I32 or CUC_I64" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = 64 }, "flags is 64" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = CUC_ALGORITHM_SMALLEST },
          "CUC_ALGORITHM_SMALLEST is only for CUC_ALGORITHM_TOPK and _TOPK_ROWS" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .k = 4 }, "k is 4, expected 0 to 0" },
        { { TOPK(1), IN("x: f32"), OUT("y: f32") }, "k is 0, expected 1 to" },
        { { TOPK(1), IN("x: f32"), OUT("y: f32"), .k = -1 }, "k is -1, expected 1 to" },
        { { TOPK(2), IN("x: f32"), OUT("y: f32", "z: i64"), .k = 2 },
          "the inputs have 1 value, but there are 2 outputs: expected one for each value" },
        { { TOPK(1), IN("x: f32"), OUT("y: f32"), .k = 2, .fn = "fn f(x) { return x }" },
          "fn is not for CUC_ALGORITHM_TOPK and _TOPK_ROWS: leave it NULL" },
        { { TOPK_ROWS, IN("x: f32"), OUT("y: f32"), .k = 1025 }, "k is 1025, expected 1 to 1024" },
        { { TOPK_ROWS, IN("row: f32"), OUT("y: f32"), .k = 2 },
          "inputs[0] has the name row: expected another than i, n, row" },
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
        { { .kind = CUC_ALGORITHM_REDUCE,
            .fn = "fn f(a) { return a }",
            .identity = "0",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "fn f has 1 parameter, expected 2: the values of two elements" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .fn = "fn g(a) { return a }\nfn f(a, # one\n b) { return a }",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "fn f has 2 parameters, expected 1: the values of an element" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .fn = "fn element_of(a) { return a }\nfn f(a) { return a }",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "fn defines element_of, which the plan's program defines too" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .fn = "fn transform(a) { return a }",
            .input_count = 1,
            .output_count = 1,
            IN("x: f32"),
            OUT("y: f32") },
          "fn defines transform, which the plan's program defines too" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .fn = "fn lower_bound(a) { return a }",
            .input_count = 2,
            .output_count = 1,
            IN("x: f32", "lower_bound(x, x)"),
            OUT("y: f32") },
          "fn defines lower_bound, which" },
        { { SORT, IN("x: f32"), OUT("y: f32"), .fn = "sum" },
          "fn is given, but CUC_ALGORITHM_SORT and _SORT_SEGMENTS have the natural order" },
        { { SORT, IN("x: f32"), OUT("y: f32"), .fn = "fn f(x) { return x }" },
          "fn is given, but CUC_ALGORITHM_SORT and _SORT_SEGMENTS have the natural order" },
        { { SORT, IN("x: f32"), OUT("_: f32") }, "all outputs have the name _" },
        { { SORT, IN("x: f32"), OUT("y: f32"), .keys = 2 },
          "keys is 2, expected at most 1, the number of values" },
        { { SORT, IN("x: f32"), OUT("y: f32"), .bit_end = 8 },
          "bit_begin is 0 and bit_end 8, but outputs[0], a key, is of f32" },
        { { SORT, IN("x: u32"), OUT("y: u32"), .bit_begin = 9, .bit_end = 9 },
          "the keys have 32 bits, and bits 9 to 9 - 1 are sorted" },
        { { SORT, IN("x: u32"), OUT("y: u32"), .bit_end = 33 }, "the keys have 32 bits" },
        { { SUM, IN("x: u32"), OUT("y: u32"), .bit_end = 8 }, "bit_end is 8" },
        { { SUM, IN("x: f32"), OUT("y: f32"), .flags = CUC_ALGORITHM_DESCENDING },
          "CUC_ALGORITHM_DESCENDING is only for CUC_ALGORITHM_SORT and _SORT_SEGMENTS" },
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

TEST(mistakes_in_texts_are_reported_at_their_place)
{
    const struct {
        const char *inputs[3], *fn, *message, *log;
    } rows[] = {
        { { "x: f32" }, "fn f(x) { return x + c }", "fn:1:22: error T501", "return x + c }\n" },
        { { "x: f32" },
          "# one\nfn g(x) { return x }\nfn f(x) {\n    return g(x, 1)\n}",
          "fn:4:12: error T504: g: expected 1 argument, got 2",
          "        return g(x, 1)\n               ^\n" },
        { { "x: f32", "x +" }, NULL, "inputs[1]:1:4: error T004", "    x +\n       ^\n" },
        { { "x: f32", "d = x * q", "d" },
          NULL,
          "inputs[1]:1:9: error T501: name: nothing binds q",
          "    d = x * q\n            ^\n" },
        { { "x: f32", "x", "x[i - 1] + lower_bound(x, q)" },
          NULL,
          "inputs[2]:1:27: error T501",
          "    x[i - 1] + lower_bound(x, q)\n                              ^\n" },
        { { "x: f32", "(x +\n  q(1))" },
          NULL,
          "inputs[1]:2:3: error T503: call: there is no",
          "      q(1))\n      ^\n" },
        { { "x: f32", " x[j]" },
          NULL,
          "inputs[1]:1:4: error T501: name: nothing binds j",
          "     x[j]\n       ^\n" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_algorithm *plan = NULL;
        uint32_t inputs = rows[i].inputs[2] ? 3 : rows[i].inputs[1] ? 2 : 1;
        ck_fails(
            CUC_ERROR_COMPILE,
            cuc_algorithm_create(
                &plan, device,
                CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM, .inputs = rows[i].inputs,
                                      .input_count = inputs, OUT("y: f32", "z: f32"),
                                      .fn = rows[i].fn, .output_count = i == 4 ? 2 : 1)),
            rows[i].message);
        ck_assert_msg(strstr(cuc_error_log(), rows[i].log), "row %d: %s", i, cuc_error_log());
        ck_assert_int_eq(cuc_error_library(), CUC_LIBRARY_TILE);
        ck_assert_int_gt(cuc_error_library_code(), 0);
        ck_assert_str_eq(cuc_error_function(), "cuc_algorithm_create");
    }
}

// The compiler sees these mistakes only where the plan's program uses a text.
TEST(mistakes_in_the_use_of_texts_are_reported_at_the_text)
{
#define REDUCE(text, none)                                                                         \
    .kind = CUC_ALGORITHM_REDUCE, .input_count = 1, .output_count = 1, .fn = (text), IN("x: f32"), \
    OUT("y: f32"), .identity = (none)
    const struct {
        cuc_algorithm_options options;
        const char *message, *log;
    } rows[] = {
        { { REDUCE("fn g(a) { return a }\nfn f(a, b) { return a, b }", "0") },
          "fn:2:4: error T508: binding: 1 name for 2 values, where the plan has r0 = f(r0, v0).",
          "    fn f(a, b) { return a, b }\n       ^\n" },
        { { REDUCE("fn f(a, b) { return a }", "zero") },
          "identity:1:1: error T501: name: nothing binds zero, where the plan has r0 = full(",
          "    zero\n    ^\n" },
        { { .kind = CUC_ALGORITHM_SELECT,
            .input_count = 1,
            .output_count = 2,
            IN("x: f32"),
            OUT("y: f32", "n: i64"),
            .fn = "fn f(x) { return x }" },
          "fn:1:4: error T101: bitand: operand x: expected a bool or an integer, got f32",
          "    fn f(x) { return x }\n       ^\n" },
        { { .kind = CUC_ALGORITHM_TRANSFORM,
            .input_count = 3,
            .output_count = 2,
            IN("x: f32", "x", "zeros(f32, [3])"),
            OUT("y: f32", "z: f32") },
          "inputs[2]:1:1: error T201: store: f32[3] does not broadcast",
          "    zeros(f32, [3])\n    ^\n" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_algorithm *plan = NULL;
        cuc_algorithm_options o = rows[i].options;
        o.struct_size = sizeof(o);
        ck_fails(CUC_ERROR_COMPILE, cuc_algorithm_create(&plan, device, &o), rows[i].message);
        ck_assert_msg(strstr(cuc_error_log(), rows[i].log), "row %d: %s", i, cuc_error_log());
    }
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

TEST(calls_for_rows_are_refused_by_name)
{
    const char *inputs[] = { "x: f32", "w: f32", "x * w", "i" };
    const char *outputs[] = { "y: f32", "at: i64" };
    const cuc_tensor rows = {
        .data = 0x100000, .dtype = CUC_F32, .rank = 2, .shape = { 3, 9 }, .strides = { 9, 1 }
    };
    const cuc_tensor found = {
        .data = 0x200000, .dtype = CUC_F32, .rank = 2, .shape = { 3, 4 }, .strides = { 4, 1 }
    };
    cuc_tensor in[2], out[2];
    cuc_algorithm *plan;

    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TOPK_ROWS, .inputs = inputs, .input_count = 4,
                              .outputs = outputs, .output_count = 2, .k = 4)));
#define REFUSED_ROWS(change, message)                                                             \
    in[0] = in[1] = rows;                                                                         \
    out[0] = out[1] = found;                                                                      \
    out[1].dtype = CUC_I64;                                                                       \
    change;                                                                                       \
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,                                                          \
             cuc_algorithm_run(stream, plan,                                                      \
                               CUC_ALGORITHM_ARGS(.inputs = in, .input_count = 2, .outputs = out, \
                                                  .output_count = 2)),                            \
             message)
    REFUSED_ROWS(in[1].shape[0] = 2, "inputs[1], w, has 2 rows, expected 3, as those before");
    REFUSED_ROWS(in[1].shape[1] = 8, "inputs[1], w, has 8 elements, expected 9");
    REFUSED_ROWS(in[1].dtype = CUC_F16, "inputs[1], w, is of f16, expected f32");
    REFUSED_ROWS((in[1].rank = 3, in[1].shape[2] = 2), "inputs[1], w, has 3 axes and is not");
    REFUSED_ROWS(out[0].shape[1] = 5, "outputs[0], y, has 5 elements, expected 4");
    REFUSED_ROWS(out[1].shape[0] = 4, "outputs[1], at, has 4 rows, expected 3");
    REFUSED_ROWS((out[1].rank = 1, out[1].shape[0] = 4, out[1].strides[0] = 1),
                 "outputs[1], at, has 1 rows, expected 3");
    cuc_algorithm_release(plan);
}

// Arrays of 4-byte elements at an address, with a stride.
struct place {
    uint64_t at;
    int64_t count, stride;
};

static cuc_tensor array_at(struct place p, cuc_dtype dtype)
{
    return (cuc_tensor){
        .data = p.at, .dtype = dtype, .rank = 1, .shape = { p.count }, .strides = { p.stride }
    };
}

TEST(outputs_of_elements_that_are_kept_overlap_no_array)
{
    static const struct {
        const char *message; // NULL: the call is right
        struct place x, y, z, c;
    } rows[] = {
        { NULL, { 0x1000, 9, 1 }, { 0x2000, 9, 1 }, { 0x3000, 9, 1 }, { 0x4000, 1, 1 } },
        { NULL, { 0x1000, 9, 1 }, { 0x1024, 9, 1 }, { 0x1048, 9, 1 }, { 0x1070, 1, 1 } },
        { NULL, { 0x1000, 9, 3 }, { 0x1004, 9, 3 }, { 0x1008, 9, 3 }, { 0x4000, 1, 1 } },
        { NULL, { 0x1060, 9, -3 }, { 0x1004, 9, 3 }, { 0x1008, 9, 3 }, { 0x4000, 1, 1 } },
        { "outputs[0], y, overlaps inputs[0], x: expected outputs that share no byte with any",
          { 0x1000, 9, 1 },
          { 0x1000, 9, 1 },
          { 0x3000, 9, 1 },
          { 0x4000, 1, 1 } },
        { "outputs[0], y, overlaps inputs[0], x",
          { 0x1000, 9, 1 },
          { 0x1020, 9, 1 },
          { 0x3000, 9, 1 },
          { 0x4000, 1, 1 } },
        { "outputs[1], z, overlaps inputs[0], x",
          { 0x1000, 9, 1 },
          { 0x2000, 9, 1 },
          { 0x0fe0, 9, 1 },
          { 0x4000, 1, 1 } },
        { "outputs[1], z, overlaps outputs[0], y",
          { 0x1000, 9, 1 },
          { 0x2000, 9, 1 },
          { 0x2010, 9, 1 },
          { 0x4000, 1, 1 } },
        { "outputs[2], c, overlaps outputs[1], z",
          { 0x1000, 9, 1 },
          { 0x2000, 9, 1 },
          { 0x3000, 9, 1 },
          { 0x3020, 1, 1 } },
        { "outputs[2], c, overlaps inputs[0], x",
          { 0x1000, 9, 2 },
          { 0x2000, 9, 1 },
          { 0x3000, 9, 1 },
          { 0x1008, 1, 1 } },
        { "outputs[0], y, overlaps inputs[0], x",
          { 0x1000, 9, 3 },
          { 0x1004, 9, 2 },
          { 0x3000, 9, 1 },
          { 0x4000, 1, 1 } },
        { "outputs[0], y, overlaps inputs[0], x",
          { 0x1000, 9, 0 },
          { 0x1000, 9, 1 },
          { 0x3000, 9, 1 },
          { 0x4000, 1, 1 } },
    };
    cuc_algorithm *plan;

    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_PARTITION, .fn = "fn keep(x) { return x > 0 }",
                              IN("x: i32"), OUT("y: i32", "z: f32", "c: i64"), .input_count = 1,
                              .output_count = 3)));
    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        const cuc_tensor x = array_at(rows[i].x, CUC_I32);
        const cuc_tensor out[] = { array_at(rows[i].y, CUC_I32), array_at(rows[i].z, CUC_F32),
                                   array_at(rows[i].c, CUC_I64) };
        struct cuc__algorithm_call c = {
            .plan = plan,
            .stream = stream,
            .args = CUC_ALGORITHM_ARGS(.inputs = &x, .input_count = 1, .outputs = out,
                                       .output_count = 3),
            .function = "call",
        };
        if (rows[i].message)
            ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc__algorithm_check(&c), rows[i].message);
        else
            ck_ok(cuc__algorithm_check(&c));
    }
    cuc_algorithm_release(plan);
}

TEST(a_tile_that_is_too_large_is_refused_with_the_largest)
{
    cuc_algorithm *plan;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_algorithm_create(
                 &plan, device,
                 CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE_BY_KEY, .fn = "sum",
                                       IN("k: i64", "x: f64"), OUT("l: i64", "s: f64", "c: i64"),
                                       .input_count = 2, .output_count = 3, .tile = 65536)),
             "tile is 65536, expected at most ");
}

int main(void)
{
    return run_device_tests("algorithm errors");
}
