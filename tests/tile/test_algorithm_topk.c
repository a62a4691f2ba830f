// Compares the largest elements that <cucore/algorithm.h> finds with a sort on the host: their
// values, bit for bit, and their indices, of which the lower one of equal elements comes first.
// Nothing around outputs may be written.
#include "algorithm_testing.h"
#include "base/array.h"

#include <math.h>

CASE("topk", .setup = setup, .teardown = teardown, .timeout = 300);

// ---- Data

enum { RANDOM, EQUAL, FEW, ASCENDING, DESCENDING, STRANGE, ZEROS, KINDS };

// Returns element i of n.
static double element(int kind, cuc_dtype dtype, int64_t i, int64_t n)
{
    bool real = !tile_is_integer(dtype);
    double low = tile_is_integer(dtype) && !tile_is_signed(dtype) ? 0 : -50;
    double strange[] = { (double)NAN, -(double)NAN, INFINITY, -INFINITY, 0.0, -0.0 };
    uint64_t random = below(1 << 30);

    switch (kind) {
    case EQUAL:
        return 7;
    case FEW:
        return low + (double)(random % 4);
    case ASCENDING:
        return low + (double)(i * 100 / n);
    case DESCENDING:
        return low + (double)((n - i) * 100 / n);
    case STRANGE:
        return real && random % 3 == 0 ? strange[random % 6] : low + (double)(random % 100);
    case ZEROS:
        return real && random % 2 ? -0.0 : 0.0;
    default:
        return real ? (double)random / 977 - 1e5 : low + (double)(random % 100);
    }
}

static uint64_t bits_of(const struct array *a, int64_t i)
{
    uint64_t bits = 0;

    memcpy(&bits, at(a, i), cuc_dtype_bits(a->t.dtype) / 8);
    return bits;
}

// Returns true if x comes before y in ascending order, with -0 before 0 and NaN last.
static bool is_less(double x, double y)
{
    if (isnan(x) || isnan(y))
        return !isnan(x);
    return x < y || (x == 0 && y == 0 && signbit(x) && !signbit(y));
}

// Returns true if element i of `x` is found before element j.
static bool is_before(const struct array *x, int64_t i, int64_t j, bool smallest)
{
    double a = get(x, i), b = get(x, j);

    if (isnan(a) && isnan(b))
        return i < j;
    if (is_less(a, b) != is_less(b, a))
        return smallest ? is_less(a, b) : is_less(b, a);
    return i < j;
}

// Finds the indices of the elements to find, of n from `first` on, and returns their number.
static int64_t find(int64_t *found, const struct array *x, int64_t first, int64_t n, int64_t k,
                    bool smallest)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t place = count;
        while (place > 0 && is_before(x, first + i, first + found[place - 1], smallest))
            place--;
        if (place >= k)
            continue;
        count += count < k;
        for (int64_t j = count - 1; j > place; j--)
            found[j] = found[j - 1];
        found[place] = i;
    }
    return count;
}

// ---- Runs

static const struct topk {
    cuc_dtype dtype;
    int64_t k;
    bool smallest;
} topks[] = {
    { CUC_F32, 64, false },  { CUC_F32, 1, true },    { CUC_F32, 5, true },
    { CUC_F32, 200, false }, { CUC_F64, 33, true },   { CUC_F64, 64, false },
    { CUC_F16, 64, true },   { CUC_BF16, 50, false }, { CUC_I8, 64, false },
    { CUC_U8, 7, true },     { CUC_I16, 2, true },    { CUC_U16, 64, false },
    { CUC_I32, 64, true },   { CUC_U32, 128, false }, { CUC_I64, 3, true },
    { CUC_U64, 64, false },  { CUC_I32, 1024, true },
};

static void make_plan(cuc_algorithm **plan, const struct topk *w, bool rows, uint32_t flags,
                      int32_t tile)
{
    char x[16], y[16];
    const char *inputs[] = { x, "x", "i" }, *outputs[] = { y, "at: i64" };

    snprintf(x, sizeof(x), "x: %s", cuc_dtype_name(w->dtype));
    snprintf(y, sizeof(y), "y: %s", cuc_dtype_name(w->dtype));
    ck_ok(cuc_algorithm_create(
        plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = rows ? CUC_ALGORITHM_TOPK_ROWS : CUC_ALGORITHM_TOPK,
                              .flags = flags | (w->smallest ? CUC_ALGORITHM_SMALLEST : 0),
                              .inputs = inputs, .input_count = 3, .outputs = outputs,
                              .output_count = 2, .k = w->k, .tile = tile)));
}

// Gives an array rows of n elements.
static void give_rows(struct array *a, int64_t rows, int64_t n)
{
    int64_t stride = a->t.strides[0];

    a->t.rank = 2;
    a->t.shape[0] = rows;
    a->t.shape[1] = n;
    a->t.strides[0] = n * stride;
    a->t.strides[1] = stride;
}

// Finds elements of `rows` rows, or of an array if there are none, of `more` elements more than n,
// which is the number of elements to consider.
static void run(const struct topk *w, cuc_algorithm *plan, int kind, int64_t rows, int64_t n,
                int64_t more, bool on_device, int64_t stride)
{
    int64_t each = n + more, of = rows ? rows : 1, *found = calloc((size_t)w->k, sizeof(*found));
    struct array x, y, places, count;

    make(&x, w->dtype, of * each, stride);
    make(&y, w->dtype, of * w->k, 1);
    make(&places, CUC_I64, of * w->k, 1);
    make(&count, CUC_I64, 1, 1);
    for (int64_t i = 0; i < of * each; i++)
        set(&x, i, element(kind, w->dtype, i % each, each));
    set(&count, 0, (double)n);
    send(&x);
    send(&y);
    send(&places);
    send(&count);
    if (rows) {
        give_rows(&x, rows, each);
        give_rows(&y, rows, w->k);
        give_rows(&places, rows, w->k);
    }
    const cuc_tensor outputs[] = { y.t, places.t };
    ck_ok(
        cuc_algorithm_run(stream, plan,
                          CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = outputs,
                                             .output_count = 2, .count = more && !on_device ? n : 0,
                                             .device_count = on_device ? &count.t : NULL)));
    x.t.strides[0] = stride;
    y.t.strides[0] = places.t.strides[0] = 1;
    int64_t expected = n < w->k ? n : w->k, whole = expected == w->k ? of * w->k : expected;
    if (expected == w->k || of == 1) { // otherwise outputs have gaps
        receive(&y, whole);
        receive(&places, whole);
        for (int64_t row = 0; row < of; row++) {
            ck_assert_int_eq(find(found, &x, row * each, n, w->k, w->smallest), expected);
            for (int64_t j = 0; j < expected; j++) {
                ck_assert_msg(get(&places, row * w->k + j) == (double)found[j],
                              "place %lld of row %lld, %lld elements: got element %g, not %lld",
                              (long long)j, (long long)row, (long long)n,
                              get(&places, row * w->k + j), (long long)found[j]);
                ck_assert_uint_eq(bits_of(&y, row * w->k + j), bits_of(&x, row * each + found[j]));
            }
        }
    }
    drop(&x);
    drop(&y);
    drop(&places);
    drop(&count);
    free(found);
}

TEST_SLICE(largest_elements_agree_with_the_host, slice, CUC_LENGTH(topks))
{
    const struct topk *w = &topks[_i];
    cuc_algorithm *plan, *whole, *on_device;

    make_plan(&plan, w, false, 0, 256);
    make_plan(&whole, w, false, 0, 0);
    make_plan(&on_device, w, false, CUC_ALGORITHM_DEVICE_COUNT, 256);
    for (int i = 0; i < CUC_LENGTH(lengths); i++)
        for (int kind = (i + _i) % 4; kind < KINDS; kind += 4) {
            run(w, plan, kind, 0, lengths[i], i % 3, false, 1 + i % 2);
            run(w, on_device, kind, 0, lengths[i], 5 * (i % 3), true, 1);
        }
    for (int kind = 0; kind < KINDS; kind += 3)
        run(w, whole, kind, 0, 40000, 0, false, 1);
    cuc_algorithm_release(plan);
    cuc_algorithm_release(whole);
    cuc_algorithm_release(on_device);
}

TEST_SLICE(largest_elements_of_rows_agree_with_the_host, slice, CUC_LENGTH(topks))
{
    const struct topk *w = &topks[_i];
    cuc_algorithm *plan, *on_device;

    make_plan(&plan, w, true, 0, 256);
    make_plan(&on_device, w, true, CUC_ALGORITHM_DEVICE_COUNT, 256);
    for (int i = 0; i < CUC_LENGTH(lengths); i++) {
        run(w, plan, i % KINDS, 1 + i % 5, lengths[i], i % 3, false, 1 + i % 2);
        run(w, on_device, i % KINDS, 1 + i % 3, lengths[i], 5 * (i % 3), true, 1);
    }
    cuc_algorithm_release(plan);
    cuc_algorithm_release(on_device);
}

// More elements than one block sorts.
static const struct topk larges[] = {
    { CUC_F32, 1025, false }, { CUC_F16, 2000, true },  { CUC_U8, 9000, true },
    { CUC_F64, 5000, true },  { CUC_I64, 1500, false },
};

TEST_SLICE(many_largest_elements_agree_with_the_host, slice, CUC_LENGTH(larges))
{
    static const int64_t few[] = { 0, 1, 33, 1000, 20011 };
    const struct topk *w = &larges[_i];
    cuc_algorithm *plan, *on_device;

    make_plan(&plan, w, false, 0, 0);
    make_plan(&on_device, w, false, CUC_ALGORITHM_DEVICE_COUNT, 1024);
    for (int i = 0; i < CUC_LENGTH(few); i++)
        run(w, plan, (i + _i) % KINDS, 0, few[i], i % 3, false, 1 + i % 2);
    for (int kind = _i % 2; kind < KINDS; kind += 2)
        run(w, kind % 4 ? on_device : plan, kind, 0, 10007, 5, kind % 4, 1);
    cuc_algorithm_release(plan);
    cuc_algorithm_release(on_device);
}

// Finds elements by a graph, whose memory is its own, after each change of the array.
static const struct topk captured[] = { { CUC_F32, 50, false }, { CUC_F32, 1500, false } };

TEST_ROWS(calls_are_captured_with_their_workspace, captured)
{
    enum { COUNT = 20011 };
    const struct topk *w = &captured[_i];
    int64_t *found = calloc((size_t)w->k, sizeof(*found));
    struct array x, y, places;
    cuc_graph_exec *exec;
    cuc_algorithm *plan;
    cuc_graph *graph;

    make_plan(&plan, w, false, 0, 1024);
    ck_assert_uint_gt(cuc_algorithm_workspace_bytes(plan, COUNT), 0);
    ck_assert_uint_eq(cuc_algorithm_workspace_bytes(plan, 0), 0);
    make(&x, w->dtype, COUNT, 1);
    make(&y, w->dtype, w->k, 1);
    make(&places, CUC_I64, w->k, 1);
    send(&y);
    send(&places);
    const cuc_tensor outputs[] = { y.t, places.t };
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_algorithm_run(stream, plan,
                            CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = outputs,
                                               .output_count = 2)));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    for (int turn = 0; turn < 2; turn++) {
        for (int64_t i = 0; i < COUNT; i++)
            set(&x, i, element(RANDOM, w->dtype, i, COUNT));
        send(&x);
        ck_ok(cuc_graph_exec_launch(stream, exec));
        receive(&places, w->k);
        find(found, &x, 0, COUNT, w->k, false);
        for (int64_t i = 0; i < w->k; i++)
            ck_assert(get(&places, i) == (double)found[i]);
    }
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_algorithm_release(plan);
    drop(&x);
    drop(&y);
    drop(&places);
    free(found);
}

TEST(a_million_elements_agree_with_the_host)
{
    static const struct topk rows[] = { { CUC_F32, 64, false }, { CUC_F32, 64, true } };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_algorithm *plan;
        make_plan(&plan, &rows[i], false, 0, 0);
        run(&rows[i], plan, RANDOM, 0, (1 << 20) + 7, 0, false, 1);
        run(&rows[i], plan, FEW, 0, (1 << 20) + 7, 0, false, 1);
        cuc_algorithm_release(plan);
    }
}

// ---- One-line calls

static void make_result(struct array *a, cuc_dtype dtype, int64_t n)
{
    make(a, dtype, n, 1);
    send(a);
}

TEST(one_line_calls_find_values_or_indices_or_both)
{
    static const struct topk first = { CUC_F32, 5, false }, least = { CUC_F32, 5, true };
    struct array x, y, places;
    int64_t found[5];

    make(&x, CUC_F32, 6000, 1);
    for (int64_t i = 0; i < 6000; i++)
        set(&x, i, element(RANDOM, CUC_F32, i, 6000));
    send(&x);
    for (int calls = 0; calls < 6; calls++) {
        const struct topk *w = calls % 2 ? &least : &first;
        bool values = calls / 2 != 1, indices = calls / 2 != 2;
        make_result(&y, CUC_F32, 5);
        make_result(&places, CUC_I32, 5);
        ck_ok(cuc_topk(stream, 5, w->smallest ? CUC_ALGORITHM_SMALLEST : 0, &x.t,
                       values ? &y.t : NULL, indices ? &places.t : NULL));
        ck_assert_int_eq(find(found, &x, 0, 6000, 5, w->smallest), 5);
        receive(&y, values ? 5 : 0);
        receive(&places, indices ? 5 : 0);
        for (int64_t j = 0; j < 5; j++) {
            ck_assert(!values || get(&y, j) == get(&x, found[j]));
            ck_assert(!indices || get(&places, j) == (double)found[j]);
        }
        drop(&y);
        drop(&places);
    }
    make_result(&places, CUC_I32, 5);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_topk(stream, 5, 1, &x.t, NULL, &places.t),
             "flags is 0x1, expected CUC_ALGORITHM_SMALLEST or 0");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_topk(stream, 5, 0, &x.t, &places.t, NULL),
             "values is of i32, expected f32, the type of x");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_topk(stream, 5, 0, &x.t, NULL, &x.t),
             "indices is of f32, expected i32, u32, i64 or u64");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_topk(stream, 5, 0, &x.t, NULL, NULL),
             "values and indices are NULL, expected one of them or both");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_topk(stream, 0, 0, &x.t, NULL, &places.t),
             "k is 0, expected 1 to");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_topk(stream, 4, 0, &x.t, NULL, &places.t),
             "at, has 5 elements, expected 4");
    drop(&x);
    drop(&places);
}

TEST(one_line_calls_find_elements_of_rows)
{
    struct array x, places;
    int64_t found[3];

    make(&x, CUC_I16, 7 * 100, 1);
    make_result(&places, CUC_I64, 7 * 3);
    for (int64_t i = 0; i < 700; i++)
        set(&x, i, element(RANDOM, CUC_I16, i, 700));
    send(&x);
    give_rows(&x, 7, 100);
    give_rows(&places, 7, 3);
    ck_ok(cuc_topk(stream, 3, 0, &x.t, NULL, &places.t));
    x.t.strides[0] = places.t.strides[0] = 1;
    receive(&places, 21);
    for (int64_t row = 0; row < 7; row++) {
        find(found, &x, 100 * row, 100, 3, false);
        for (int64_t j = 0; j < 3; j++)
            ck_assert(get(&places, 3 * row + j) == (double)found[j]);
    }
    drop(&x);
    drop(&places);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("topk");
}
