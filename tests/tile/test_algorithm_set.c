// Compares set operations of <cucore/algorithm.h> with loops over both sequences on the host.
#include "algorithm_testing.h"
#include "base/array.h"

CASE("set operations", .setup = setup, .teardown = teardown, .timeout = 300);

// Elements have up to two keys, and the number of the element in both sequences together.
struct element {
    double keys[2];
    int64_t number;
};

static int sign = 1; // -1: keys descend

static int compare(const struct element *x, const struct element *y)
{
    for (int i = 0; i < 2; i++) {
        double a = x->keys[i], b = y->keys[i];
        if (a < b || (isnan(b) && !isnan(a)))
            return -sign;
        if (b < a || (isnan(a) && !isnan(b)))
            return sign;
    }
    return 0;
}

static int by_keys(const void *x, const void *y)
{
    return compare(x, y);
}

// Merges as the algorithms of C++'s standard library do. Returns the number of elements kept.
static int64_t operate(struct element *out, int32_t kind, const struct element *a, int64_t na,
                       const struct element *b, int64_t nb)
{
    bool a_alone = kind != CUC_ALGORITHM_INTERSECTION;
    bool b_alone = kind == CUC_ALGORITHM_UNION || kind == CUC_ALGORITHM_SYMMETRIC_DIFFERENCE;
    bool both = kind == CUC_ALGORITHM_UNION || kind == CUC_ALGORITHM_INTERSECTION;
    int64_t i = 0, j = 0, kept = 0;

    while (i < na || j < nb) {
        int order = i == na ? 1 : j == nb ? -1 : compare(&a[i], &b[j]);
        if (order < 0 ? a_alone : order == 0 && both)
            out[kept++] = a[i];
        else if (order > 0 && b_alone)
            out[kept++] = b[j];
        i += order <= 0;
        j += order >= 0;
    }
    return kept;
}

enum data { DISTINCT, FEW, EQUAL, APART, EDGES, DATA };

static double value_of(enum data data, cuc_dtype dtype, int64_t i, bool second)
{
    static const double edges[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, 1 };
    int64_t most = cuc_dtype_bits(dtype) == 8 ? 100 : dtype == CUC_F16 ? 2000 : 30000;

    switch (data) {
    case FEW:
        return (double)below(7);
    case EQUAL:
        return 3;
    case APART:
        return second ? 50 : 20;
    case EDGES:
        return tile_is_integer(dtype) ? (double)(i % 100) : edges[below(6)];
    default:
        return (double)below((uint64_t)most);
    }
}

static const int32_t kinds[] = { CUC_ALGORITHM_UNION, CUC_ALGORITHM_INTERSECTION,
                                 CUC_ALGORITHM_DIFFERENCE, CUC_ALGORITHM_SYMMETRIC_DIFFERENCE };

static const struct row {
    cuc_dtype dtypes[2]; // of the keys
    const char *fn;
    int32_t sign, tile;
    bool values, no_second_values;
} rows[] = {
    { { CUC_I32 }, NULL, 1, 0, false, false },
    { { CUC_F32 }, NULL, 1, 256, true, false },
    { { CUC_F16 }, NULL, 1, 512, true, true },
    { { CUC_U8 }, NULL, 1, 256, true, false },
    { { CUC_I64 }, "fn more(a, b) { return a > b }", -1, 256, true, false },
    { { CUC_I32, CUC_F64 }, NULL, 1, 256, true, true },
    { { CUC_BF16, CUC_I8 }, NULL, 1, 0, false, false },
};

static const int64_t sizes[][2] = { { 0, 0 },    { 1, 0 },     { 0, 3 },      { 1, 1 },
                                    { 31, 33 },  { 255, 257 }, { 256, 256 },  { 1000, 24 },
                                    { 7, 3000 }, { 3000, 5 },  { 2100, 2000 } };

struct sequences {
    struct array in[6], out[4];
    struct element *items[2], *expected;
    cuc_tensor inputs[6], outputs[4];
    uint32_t inputs_of[2], keys;
};

static void make_sequences(struct sequences *s, const struct row *row, int32_t kind,
                           const int64_t *size, enum data data, int64_t stride)
{
    int64_t start = 0;
    uint32_t next = 0;

    memset(s, 0, sizeof(*s));
    s->keys = row->dtypes[1] ? 2 : 1;
    for (int q = 0; q < 2; q++) {
        struct element *items = s->items[q] = calloc((size_t)size[q] + 1, sizeof(*items));
        bool keeps = !q || kind == CUC_ALGORITHM_UNION ||
                     kind == CUC_ALGORITHM_SYMMETRIC_DIFFERENCE || !row->no_second_values;
        struct array *keys = &s->in[next], *value = keys + s->keys;
        for (uint32_t k = 0; k < s->keys; k++) {
            make(&keys[k], row->dtypes[k], size[q], stride);
            for (int64_t i = 0; i < size[q]; i++) {
                set(&keys[k], i, value_of(data, row->dtypes[k], i, q));
                items[i].keys[k] = get(&keys[k], i);
            }
        }
        qsort(items, (size_t)size[q], sizeof(*items), by_keys);
        next += s->keys;
        if (row->values && keeps) {
            make(value, CUC_I32, size[q], 1);
            next++;
        }
        for (int64_t i = 0; i < size[q]; i++) {
            items[i].number = start + i;
            for (uint32_t k = 0; k < s->keys; k++)
                set(&keys[k], i, items[i].keys[k]);
            if (row->values && keeps)
                set(value, i, (double)items[i].number);
        }
        start += size[q];
        s->inputs_of[q] = next;
    }
    for (uint32_t i = 0; i < next; i++) {
        send(&s->in[i]);
        s->inputs[i] = s->in[i].t;
    }
    for (uint32_t i = 0; i < s->keys + row->values + 1; i++) {
        bool count = i == s->keys + row->values;
        make(&s->out[i], count || i >= s->keys ? CUC_I64 : row->dtypes[i], count ? 1 : start,
             stride);
        send(&s->out[i]);
        s->outputs[i] = s->out[i].t;
    }
    s->expected = calloc((size_t)start + 1, sizeof(*s->expected));
}

static void drop_sequences(struct sequences *s)
{
    for (int i = 0; i < CUC_LENGTH(s->in); i++)
        drop(&s->in[i]);
    for (int i = 0; i < CUC_LENGTH(s->out); i++)
        drop(&s->out[i]);
    free(s->items[0]);
    free(s->items[1]);
    free(s->expected);
}

static void make_plan(cuc_algorithm **plan, const struct row *row, int32_t kind)
{
    bool two = row->dtypes[1] != 0;
    bool short_second = row->no_second_values &&
                        (kind == CUC_ALGORITHM_INTERSECTION || kind == CUC_ALGORITHM_DIFFERENCE);
    char texts[8][32];
    const char *inputs[6], *outputs[4];
    uint32_t in = 0, out = 0;

    for (int q = 0; q < 2; q++) {
        for (int i = 0; i <= two; i++, in++) {
            snprintf(texts[in], 32, "k%u: %s", in, cuc_dtype_name(row->dtypes[i]));
            inputs[in] = texts[in];
        }
        if (row->values && !(q && short_second))
            inputs[in++] = q ? "w: i32" : "v: i32";
    }
    for (int i = 0; i <= two; i++, out++) {
        snprintf(texts[6 + i], 32, "y%d: %s", i, cuc_dtype_name(row->dtypes[i]));
        outputs[out] = texts[6 + i];
    }
    if (row->values)
        outputs[out++] = "u: i64";
    outputs[out++] = "c: i64";
    ck_ok(cuc_algorithm_create(plan, device,
                               CUC_ALGORITHM_OPTIONS(.kind = kind, .inputs = inputs,
                                                     .input_count = in, .outputs = outputs,
                                                     .output_count = out, .fn = row->fn,
                                                     .keys = two ? 2 : 0, .tile = row->tile)));
}

static void check(const struct row *row, cuc_algorithm *plan, int32_t kind, const int64_t *size,
                  enum data data, int64_t stride)
{
    struct sequences s;
    int64_t n = size[0] + size[1];

    sign = row->sign;
    make_sequences(&s, row, kind, size, data, stride);
    ck_ok(cuc_algorithm_run(stream, plan,
                            CUC_ALGORITHM_ARGS(.inputs = s.inputs, .input_count = s.inputs_of[1],
                                               .outputs = s.outputs,
                                               .output_count = s.keys + row->values + 1)));
    int64_t kept = operate(s.expected, kind, s.items[0], size[0], s.items[1], size[1]);
    receive(&s.out[s.keys + row->values], 1);
    check_value(&s.out[s.keys + row->values], 0, (double)kept, n);
    for (uint32_t i = 0; i < s.keys + row->values; i++) {
        receive(&s.out[i], kept);
        for (int64_t j = 0; j < kept; j++) {
            double got = get(&s.out[i], j);
            double expected = i < s.keys ? s.expected[j].keys[i] : (double)s.expected[j].number;
            ck_assert_msg(got == expected || (isnan(got) && isnan(expected)),
                          "output %u, element %lld of %lld: got %g, expected %g", i, (long long)j,
                          (long long)kept, got, expected);
        }
    }
    drop_sequences(&s);
}

TEST_SLICE(set_operations_agree_with_the_host, slice, CUC_LENGTH(rows) * CUC_LENGTH(kinds))
{
    const struct row *row = &rows[_i / CUC_LENGTH(kinds)];
    int32_t kind = kinds[_i % CUC_LENGTH(kinds)];
    cuc_algorithm *plan;

    make_plan(&plan, row, kind);
    for (int i = 0; i < CUC_LENGTH(sizes); i++)
        for (int data = 0; data < DATA; data++)
            check(row, plan, kind, sizes[i], (enum data)data, 1 + (i + data) % 3 / 2);
    cuc_algorithm_release(plan);
}

TEST(elements_without_room_are_not_written_but_counted)
{
    const int64_t size[] = { 400, 500 };
    struct sequences s;
    cuc_algorithm *plan;

    sign = 1;
    make_plan(&plan, &rows[0], CUC_ALGORITHM_UNION);
    make_sequences(&s, &rows[0], CUC_ALGORITHM_UNION, size, DISTINCT, 1);
    s.outputs[0].shape[0] = 300;
    ck_ok(cuc_algorithm_run(stream, plan,
                            CUC_ALGORITHM_ARGS(.inputs = s.inputs, .input_count = 2,
                                               .outputs = s.outputs, .output_count = 2)));
    int64_t kept = operate(s.expected, CUC_ALGORITHM_UNION, s.items[0], 400, s.items[1], 500);
    receive(&s.out[0], 300);
    receive(&s.out[1], 1);
    check_value(&s.out[1], 0, (double)kept, 900);
    for (int64_t i = 0; i < 300; i++)
        check_value(&s.out[0], i, s.expected[i].keys[0], 300);
    drop_sequences(&s);
    cuc_algorithm_release(plan);
}

TEST(a_set_operation_takes_a_workspace_and_may_be_captured)
{
    const int64_t size[] = { 3000, 2000 };
    struct sequences s;
    struct array workspace;
    cuc_algorithm *plan;
    cuc_graph *graph;
    cuc_graph_exec *exec;

    sign = 1;
    make_plan(&plan, &rows[0], CUC_ALGORITHM_SYMMETRIC_DIFFERENCE);
    make_sequences(&s, &rows[0], CUC_ALGORITHM_SYMMETRIC_DIFFERENCE, size, FEW, 1);
    uint64_t bytes = cuc_algorithm_workspace_bytes(plan, 5000);
    make(&workspace, CUC_U8, (int64_t)bytes + 256, 1);
    cuc_algorithm_args args = *CUC_ALGORITHM_ARGS(.inputs = s.inputs, .input_count = 2,
                                                  .outputs = s.outputs, .output_count = 2,
                                                  .workspace = (workspace.t.data + 255) / 256 * 256,
                                                  .workspace_bytes = bytes);
    int64_t kept = operate(s.expected, CUC_ALGORITHM_SYMMETRIC_DIFFERENCE, s.items[0], size[0],
                           s.items[1], size[1]);
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_algorithm_run(stream, plan, &args));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    for (int run = 0; run < 2; run++) {
        ck_ok(cuc_graph_exec_launch(stream, exec));
        receive(&s.out[0], kept);
        receive(&s.out[1], 1);
        check_value(&s.out[1], 0, (double)kept, 5000);
    }
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    drop(&workspace);
    drop_sequences(&s);
    cuc_algorithm_release(plan);
}

#define OPTIONS(...)                                                                              \
    .inputs = (const char *[]){ __VA_ARGS__ }, .outputs = (const char *[]){ "y: i32", "c: i64" }, \
    .output_count = 2

TEST(mistakes_in_set_operations_are_refused_by_name)
{
    const struct {
        cuc_algorithm_options options;
        const char *message;
    } wrong[] = {
        { { .kind = CUC_ALGORITHM_UNION, .input_count = 1, OPTIONS("a: i32") },
          "input_count is 1, expected an even number" },
        { { .kind = CUC_ALGORITHM_UNION, .input_count = 2, OPTIONS("a: i32", "a + 1") },
          "inputs[1] is no array that is read by element" },
        { { .kind = CUC_ALGORITHM_UNION,
            .input_count = 4,
            OPTIONS("a: i32", "v: i32", "b: i32", "w: i32") },
          "the inputs have 2 values, but there are 2 outputs" },
        { { .kind = CUC_ALGORITHM_UNION,
            .flags = CUC_ALGORITHM_DEVICE_COUNT,
            .input_count = 2,
            OPTIONS("a: i32", "b: i32") },
          "CUC_ALGORITHM_DEVICE_COUNT is not for CUC_ALGORITHM_SORT_SEGMENTS" },
        { { .kind = CUC_ALGORITHM_DIFFERENCE,
            .keys = 2,
            .input_count = 2,
            OPTIONS("a: i32", "b: i32") },
          "keys is 2, expected at most 1, the number of values" },
        { { .kind = CUC_ALGORITHM_UNION,
            .fn = "fn less(a, b, c) { return a < b }",
            .input_count = 2,
            OPTIONS("a: i32", "b: i32") },
          "fn less has 3 parameters, expected 2: the keys of two elements" },
        { { .kind = CUC_ALGORITHM_MERGE_SORT,
            .fn = "fn less(a, b) { return a < b }",
            .input_count = 2,
            OPTIONS("a: i32", "b: i64") },
          "fn less has 2 parameters, expected 4: the values of two elements" },
        { { .kind = CUC_ALGORITHM_INTERSECTION,
            .identity = "0",
            .input_count = 2,
            OPTIONS("a: i32", "b: i32") },
          "identity is given, but fn combines no values" },
    };
    const int64_t size[] = { 4, 4 };
    struct sequences s;
    cuc_algorithm *plan = NULL;

    for (int i = 0; i < CUC_LENGTH(wrong); i++) {
        cuc_algorithm_options o = wrong[i].options;
        o.struct_size = sizeof(o);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_create(&plan, device, &o),
                 wrong[i].message);
    }
    sign = 1;
    make_plan(&plan, &rows[0], CUC_ALGORITHM_UNION);
    make_sequences(&s, &rows[0], CUC_ALGORITHM_UNION, size, FEW, 1);
    ck_fails(
        CUC_ERROR_INVALID_ARGUMENT,
        cuc_algorithm_run(stream, plan,
                          CUC_ALGORITHM_ARGS(.inputs = s.inputs, .input_count = 2,
                                             .outputs = s.outputs, .output_count = 2, .count = 3)),
        "count is 3, expected 0: two sequences are whole");
    drop_sequences(&s);
    cuc_algorithm_release(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("set operations");
}
