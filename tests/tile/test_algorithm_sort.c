// Compares sorts of <cucore/algorithm.h> with a stable sort on the host, bit for bit. Nothing
// around outputs may be written.
#include "algorithm/algorithm.h"
#include "algorithm_testing.h"
#include "base/array.h"

CASE("sort", .setup = setup, .teardown = teardown, .timeout = 300);

// ---- The order of keys on the host

static uint64_t bits_at(const struct array *a, int64_t i)
{
    uint64_t bits = 0;

    memcpy(&bits, at(a, i), cuc_dtype_bits(a->t.dtype) / 8);
    return bits;
}

static void set_bits(const struct array *a, int64_t i, uint64_t bits)
{
    memcpy(at(a, i), &bits, cuc_dtype_bits(a->t.dtype) / 8);
}

static int compare_unsigned(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

// Compares two elements: NaN come last, those with the sign after the others; -0 before 0.
static int compare_bits(cuc_dtype dtype, uint64_t x, uint64_t y)
{
    uint32_t width = cuc_dtype_bits(dtype);

    if (tile_is_integer(dtype) || dtype == CUC_BOOL) {
        uint64_t sign = tile_is_signed(dtype) ? UINT64_C(1) << (width - 1) : 0;
        return compare_unsigned(x ^ sign, y ^ sign);
    }
    double a = tile_element_real(dtype, x), b = tile_element_real(dtype, y);
    bool signs[] = { x >> (width - 1), y >> (width - 1) };
    if (isnan(a) || isnan(b)) {
        if (!isnan(a) || !isnan(b))
            return isnan(a) ? 1 : -1;
        return signs[0] != signs[1] ? (signs[0] ? 1 : -1)
                                    : (signs[0] ? -1 : 1) * compare_unsigned(x, y);
    }
    if (a == b)
        return signs[0] == signs[1] ? 0 : signs[0] ? -1 : 1;
    return a < b ? -1 : 1;
}

static const struct array *compared[3]; // keys, from the most significant one on
static uint64_t masks[3];               // the bits that count, if not all
static bool descending;

static int compare_elements(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    for (int k = 0; k < 3 && compared[k]; k++) {
        uint64_t mask = masks[k];
        int order = compare_bits(compared[k]->t.dtype, bits_at(compared[k], x) & mask,
                                 bits_at(compared[k], y) & mask);
        if (order)
            return descending ? -order : order;
    }
    return (x > y) - (x < y);
}

// ---- The sorts

// Arrays are x, y and z, of these types. An output has the elements of the array that `of` names,
// or indices, i.
static const struct work {
    cuc_dtype types[3];
    const char *inputs[6], *outputs[4], *of;
    int32_t keys, begin, end;
} works[] = {
    { { CUC_U8 }, { "x: u8" }, { "a: u8" }, "x", 1, 0, 0 },
    { { CUC_I8 }, { "x: i8", "x", "i" }, { "a: i8", "b: i32" }, "xi", 1, 0, 0 },
    { { CUC_U16 }, { "x: u16" }, { "a: u16" }, "x", 1, 0, 0 },
    { { CUC_I16 }, { "x: i16", "x", "i" }, { "_: i16", "b: i64" }, "_i", 1, 0, 0 },
    { { CUC_F16 }, { "x: f16", "x", "i" }, { "a: f16", "b: i64" }, "xi", 1, 0, 0 },
    { { CUC_BF16 }, { "x: bf16", "x", "i" }, { "a: bf16", "b: u32" }, "xi", 1, 0, 0 },
    { { CUC_E4M3 }, { "x: e4m3" }, { "a: e4m3" }, "x", 1, 0, 0 },
    { { CUC_E5M2 }, { "x: e5m2", "x", "i" }, { "a: e5m2", "b: i32" }, "xi", 1, 0, 0 },
    { { CUC_U32 }, { "x: u32" }, { "a: u32" }, "x", 1, 0, 0 },
    { { CUC_I32 }, { "x: i32", "x", "i" }, { "a: i32", "b: i64" }, "xi", 1, 0, 0 },
    { { CUC_F32 }, { "x: f32" }, { "a: f32" }, "x", 1, 0, 0 },
    { { CUC_F32 }, { "x: f32", "x", "i" }, { "_: f32", "b: i64" }, "_i", 1, 0, 0 },
    { { CUC_U64 }, { "x: u64" }, { "a: u64" }, "x", 1, 0, 0 },
    { { CUC_I64 }, { "x: i64", "x", "i" }, { "a: i64", "b: i64" }, "xi", 1, 0, 0 },
    { { CUC_F64 }, { "x: f64", "x", "i" }, { "a: f64", "_: i64" }, "x_", 1, 0, 0 },
    { { CUC_BOOL }, { "x: bool", "x", "i" }, { "a: bool", "b: i32" }, "xi", 1, 0, 0 },
    { { CUC_U32, CUC_F64, CUC_U8 },
      { "x: u32", "y: f64", "z: u8" },
      { "a: u32", "b: f64", "c: u8" },
      "xyz",
      1,
      0,
      0 },
    { { CUC_I16, CUC_BOOL, CUC_E4M3 },
      { "x: i16", "y: bool", "z: e4m3" },
      { "a: i16", "b: bool", "c: e4m3" },
      "xyz",
      1,
      0,
      0 },
    { { CUC_U64, CUC_U64 },
      { "x: u64", "y: u64", "x", "y", "i" },
      { "a: u64", "b: u64", "c: i32" },
      "xyi",
      2,
      0,
      0 },
    { { CUC_F32, CUC_I8, CUC_U16 },
      { "x: f32", "y: i8", "z: u16" },
      { "a: f32", "_: i8", "c: u16" },
      "x_z",
      3,
      0,
      0 },
    { { CUC_U32 }, { "x: u32", "x", "i" }, { "a: u32", "b: i32" }, "xi", 1, 3, 8 },
    { { CUC_I32 }, { "x: i32", "x", "i" }, { "a: i32", "b: i32" }, "xi", 1, 12, 32 },
    { { CUC_U64 }, { "x: u64", "x", "i" }, { "a: u64", "_: i32" }, "x_", 1, 30, 47 },
    { { CUC_U64, CUC_U64 },
      { "x: u64", "y: u64", "x", "y", "i" },
      { "a: u64", "b: u64", "c: i32" },
      "xyi",
      2,
      60,
      71 },
};

enum pattern { ANY_BITS, FEW, EQUAL, UPWARD, DOWNWARD, SPECIAL, PATTERNS };

// Fills an array: with random bits; few values; one value; sorted, in any of the two directions;
// zeros, infinities, NaN and the numbers beside.
static void fill(struct array *a, int64_t n, enum pattern pattern)
{
    uint32_t width = cuc_dtype_bits(a->t.dtype);
    uint64_t most = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    static const double specials[] = { 0.0,  -0.0, (double)NAN,      (double)-NAN, (double)INFINITY,
                                       -1.0, 1.0,  (double)-INFINITY };

    for (int64_t j = 0; j < n; j++) {
        uint64_t bits = below(1u << 31) << 40 ^ below(1u << 31) << 20 ^ below(1u << 31);
        switch (pattern) {
        case ANY_BITS:
            break;
        case FEW:
            bits %= 3;
            break;
        case EQUAL:
            bits = 0x5a5a5a5a5a5a5a5a;
            break;
        case UPWARD:
            bits = (uint64_t)j * (most / (uint64_t)(n + 1));
            break;
        case DOWNWARD:
            bits = (uint64_t)(n - j) * (most / (uint64_t)(n + 1));
            break;
        default:
            bits = tile_is_integer(a->t.dtype) || a->t.dtype == CUC_BOOL
                       ? (bits & 2 ? most : most / 2) + (bits & 1)
                       : tile_element_of_real(a->t.dtype, specials[bits % 8]) + (bits >> 8) % 2;
        }
        set_bits(a, j, a->t.dtype == CUC_BOOL ? bits & 1 : bits & most);
    }
}

// The arrays of a sort.
struct sort {
    const struct work *work;
    struct array in[3], out[4], count, workspace;
    cuc_tensor inputs[3], outputs[4];
    uint32_t input_count, output_count;
    int64_t *order;
};

static void make_sort(struct sort *s, const struct work *w, int64_t n, int64_t stride,
                      enum pattern pattern)
{
    memset(s, 0, sizeof(*s));
    s->work = w;
    for (; s->input_count < 3 && w->types[s->input_count]; s->input_count++) {
        struct array *in = &s->in[s->input_count];
        make(in, w->types[s->input_count], n, stride);
        fill(in, n, s->input_count ? (enum pattern)below(PATTERNS) : pattern);
        send(in);
        s->inputs[s->input_count] = in->t;
    }
    for (int i = 0; w->of[i]; i++) {
        cuc_dtype dtype = cuc_dtype_from_name(strchr(w->outputs[i], ':') + 2);
        if (w->of[i] == '_')
            continue;
        make(&s->out[i], dtype, n, stride > 1 ? 2 : 1);
        send(&s->out[i]);
        s->outputs[s->output_count++] = s->out[i].t;
    }
}

static void drop_sort(struct sort *s)
{
    for (int i = 0; i < 3; i++)
        drop(&s->in[i]);
    for (int i = 0; i < 4; i++)
        drop(&s->out[i]);
    drop(&s->count);
    drop(&s->workspace);
    free(s->order);
}

static void make_plan(cuc_algorithm **plan, const struct work *w, uint32_t flags, int32_t tile)
{
    ck_ok(cuc_algorithm_create(
        plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT, .flags = flags, .inputs = w->inputs,
                              .input_count = length_of(w->inputs), .outputs = w->outputs,
                              .output_count = length_of(w->outputs), .keys = w->keys,
                              .bit_begin = w->begin, .bit_end = w->end, .tile = tile)));
}

// Orders the first n elements on the host.
static void order_on_host(struct sort *s, int64_t n, uint32_t flags)
{
    const struct work *w = s->work;
    int offset = 0;

    memset(compared, 0, sizeof(compared));
    descending = flags & CUC_ALGORITHM_DESCENDING;
    for (int k = w->keys; k-- > 0;) {
        int width = (int)cuc_dtype_bits(w->types[k]);
        compared[k] = &s->in[k];
        masks[k] = UINT64_MAX;
        for (int bit = 0; bit < width && w->end; bit++)
            if (bit + offset < w->begin || bit + offset >= w->end)
                masks[k] &= ~(UINT64_C(1) << bit);
        offset += width;
    }
    s->order = malloc((size_t)(n + 1) * sizeof(*s->order));
    for (int64_t i = 0; i < n; i++)
        s->order[i] = i;
    qsort(s->order, (size_t)n, sizeof(*s->order), compare_elements);
}

static void check_sorted(struct sort *s, int64_t n)
{
    for (int i = 0; s->work->of[i]; i++) {
        char of = s->work->of[i];
        if (of == '_')
            continue;
        receive(&s->out[i], n);
        for (int64_t j = 0; j < n; j++) {
            uint64_t expected = of == 'i' ? (uint64_t)s->order[j]
                                          : bits_at(&s->in[of - 'x'], s->order[j]);
            uint64_t got = bits_at(&s->out[i], j);
            ck_assert_msg(got == expected,
                          "output %d, element %lld of %lld: got 0x%llx, expected 0x%llx, element "
                          "%lld",
                          i, (long long)j, (long long)n, (unsigned long long)got,
                          (unsigned long long)expected, (long long)s->order[j]);
        }
    }
}

static void run_sort(struct sort *s, cuc_algorithm *plan, int64_t count)
{
    ck_ok(cuc_algorithm_run(
        stream, plan,
        CUC_ALGORITHM_ARGS(.inputs = s->inputs, .input_count = s->input_count,
                           .outputs = s->outputs, .output_count = s->output_count, .count = count,
                           .device_count = s->count.buffer ? &s->count.t : NULL,
                           .workspace = s->workspace.buffer ? s->workspace.t.data : 0,
                           .workspace_bytes = s->workspace.size)));
}

static const struct {
    uint32_t flags;
    int32_t tile;
    int64_t stride;
} ways[] = {
    { 0, 0, 1 },
    { 0, 256, 1 },
    { CUC_ALGORITHM_DESCENDING, 256, 3 },
    { CUC_ALGORITHM_DEVICE_COUNT, 256, 1 },
    { CUC_ALGORITHM_DEVICE_COUNT | CUC_ALGORITHM_DESCENDING, 0, 1 },
};

TEST_SLICE(sorts_agree_with_the_host, slice, CUC_LENGTH(works))
{
    static const int64_t sizes[][9] = { { 0, 1, 4096, 4097, 8192, 8193, 20011, -1 },
                                        { 0, 1, 31, 32, 33, 255, 256, 257, 5003 } };
    const struct work *w = &works[_i];

    for (int way = 0; way < CUC_LENGTH(ways); way++) {
        cuc_algorithm *plan;
        uint32_t flags = ways[way].flags;
        make_plan(&plan, w, flags, ways[way].tile);
        for (int size = 0; size < 9 && sizes[ways[way].tile > 0][size] >= 0; size++) {
            int64_t n = sizes[ways[way].tile > 0][size], sorted = n;
            struct sort s;
            make_sort(&s, w, n, ways[way].stride, (enum pattern)((size + way + _i) % PATTERNS));
            if (flags & CUC_ALGORITHM_DEVICE_COUNT) {
                sorted = size % 3 ? n / 2 : n;
                make(&s.count, CUC_I64, 1, 1);
                set(&s.count, 0, (double)(size % 3 ? sorted : n + 5));
                send(&s.count);
            }
            run_sort(&s, plan, 0);
            order_on_host(&s, sorted, flags);
            check_sorted(&s, sorted);
            drop_sort(&s);
        }
        cuc_algorithm_release(plan);
    }
}

// As a sort of more elements than a launch takes.
TEST_SLICE(sorts_in_several_launches_agree_with_the_host, slice, CUC_LENGTH(works))
{
    static const int64_t launches[] = { 256, 2048, 4096 };
    const struct work *w = &works[_i];
    uint32_t flags = _i % 2 ? CUC_ALGORITHM_DEVICE_COUNT : 0;
    cuc_algorithm *plan;

    make_plan(&plan, w, flags, 256);
    for (int i = 0; i < CUC_LENGTH(launches); i++)
        for (int few = 0; few < 3; few++) {
            int64_t n = 5003, sorted = few ? few * 1800 : n;
            struct sort s;
            plan->tile.launch = launches[i];
            make_sort(&s, w, flags ? n : sorted, 1, (enum pattern)((i + few + _i) % PATTERNS));
            if (flags) {
                make(&s.count, CUC_I64, 1, 1);
                set(&s.count, 0, (double)sorted);
                send(&s.count);
            }
            run_sort(&s, plan, 0);
            order_on_host(&s, sorted, flags);
            check_sorted(&s, sorted);
            drop_sort(&s);
        }
    cuc_algorithm_release(plan);
}

TEST(many_elements_are_sorted)
{
    const struct work w = {
        { CUC_F32 }, { "x: f32", "x", "i" }, { "a: f32", "b: i32" }, "xi", 1, 0, 0
    };
    const int64_t n = (1 << 20) + 7;
    cuc_algorithm *plan;
    struct sort s;

    make_plan(&plan, &w, 0, 0);
    make_sort(&s, &w, n, 1, ANY_BITS);
    make(&s.workspace, CUC_U8, (int64_t)cuc_algorithm_workspace_bytes(plan, n) + 256, 1);
    s.workspace.t.data = (s.workspace.t.data + 255) / 256 * 256;
    run_sort(&s, plan, 0);
    order_on_host(&s, n, 0);
    check_sorted(&s, n);
    drop_sort(&s);
    cuc_algorithm_release(plan);
}

TEST(a_plan_for_many_elements_keeps_wide_indices)
{
    const struct work *w = &works[9]; // i32 with indices
    cuc_tensor long_keys = { .data = 0x100000,
                             .dtype = CUC_I32,
                             .rank = 1,
                             .shape = { INT64_C(1) << 33 },
                             .strides = { 1 } };
    cuc_tensor long_out[] = { long_keys, long_keys };

    long_out[1].dtype = CUC_I64;
    for (int many = 0; many < 2; many++) {
        cuc_algorithm *plan;
        struct sort s;
        ck_ok(cuc_algorithm_create(
            &plan, device,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT, .inputs = w->inputs, .input_count = 3,
                                  .outputs = w->outputs, .output_count = 2, .tile = 256,
                                  .count = many ? INT64_C(1) << 33 : 0)));
        ck_assert_int_eq(cuc_algorithm_workspace_bytes(plan, 1 << 20) > 14 << 20, many);
        make_sort(&s, w, 5003, 1 + many, ANY_BITS);
        run_sort(&s, plan, 0);
        order_on_host(&s, 5003, 0);
        check_sorted(&s, 5003);
        drop_sort(&s);
        if (!many)
            ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                     cuc_algorithm_run(stream, plan,
                                       CUC_ALGORITHM_ARGS(.inputs = &long_keys, .input_count = 1,
                                                          .outputs = long_out, .output_count = 2,
                                                          .workspace = 0x100000,
                                                          .workspace_bytes = UINT64_MAX)),
                     "the plan has indices for at most 2^32 elements");
        cuc_algorithm_release(plan);
    }
}

static const struct work in_place[] = {
    { { CUC_U32 }, { "x: u32" }, { "a: u32" }, "x", 1, 0, 0 },
    { { CUC_F16, CUC_I64 }, { "x: f16", "y: i64" }, { "a: f16", "b: i64" }, "xy", 1, 0, 0 },
    { { CUC_U64, CUC_U8 }, { "x: u64", "y: u8" }, { "a: u64", "b: u8" }, "xy", 1, 5, 20 },
    { { CUC_U8 }, { "x: u8" }, { "a: u8" }, "x", 1, 0, 0 },
};

TEST_ROWS(an_output_may_be_its_input, in_place)
{
    const struct work *w = &in_place[_i];
    static const int64_t sizes[] = { 200, 256, 5003 };

    for (int size = 0; size < CUC_LENGTH(sizes); size++) {
        int64_t n = sizes[size];
        cuc_algorithm *plan;
        struct sort s;
        make_plan(&plan, w, 0, 256);
        make_sort(&s, w, n, 1, ANY_BITS);
        for (uint32_t i = 0; i < s.input_count; i++) {
            memcpy(s.out[i].bytes, s.in[i].bytes, s.in[i].size);
            send(&s.out[i]);
            s.inputs[i] = s.outputs[i];
        }
        if (w->types[0] == CUC_U8 && n > 256) { // one pass
            ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                     cuc_algorithm_run(stream, plan,
                                       CUC_ALGORITHM_ARGS(.inputs = s.inputs, .input_count = 1,
                                                          .outputs = s.outputs, .output_count = 1)),
                     "dst_0 and src_0 share bytes");
        } else {
            run_sort(&s, plan, 0);
            order_on_host(&s, n, 0);
            check_sorted(&s, n);
        }
        drop_sort(&s);
        cuc_algorithm_release(plan);
    }
}

TEST(a_sort_is_captured_with_its_workspace)
{
    const struct work *w = &works[9]; // i32 with indices
    const int64_t n = 5003;
    cuc_graph_exec *exec;
    cuc_graph *graph;
    cuc_algorithm *plan;
    struct sort s;

    make_plan(&plan, w, 0, 256);
    make_sort(&s, w, n, 1, ANY_BITS);
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    run_sort(&s, plan, 0);
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    for (int run = 0; run < 2; run++) {
        fill(&s.in[0], n, run ? SPECIAL : ANY_BITS);
        send(&s.in[0]);
        ck_ok(cuc_graph_exec_launch(stream, exec));
        free(s.order);
        order_on_host(&s, n, 0);
        check_sorted(&s, n);
    }
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    drop_sort(&s);
    cuc_algorithm_release(plan);
}

TEST(one_line_sorts_take_keys_values_and_indices)
{
    static const struct work w = {
        { CUC_I16, CUC_F64 }, { NULL }, { "a: i16", "b: f64", "c: u32" }, "xyi", 1, 0, 0
    };
    const int64_t n = 9000;

    for (uint32_t flags = 0; flags <= CUC_ALGORITHM_DESCENDING; flags += CUC_ALGORITHM_DESCENDING) {
        struct sort s;
        make_sort(&s, &w, n, 1, FEW);
        ck_ok(cuc_sort(stream, flags, &s.in[0].t, &s.out[0].t, &s.in[1].t, &s.out[1].t));
        ck_ok(cuc_sort(stream, flags, &s.in[0].t, NULL, NULL, &s.out[2].t));
        order_on_host(&s, n, flags);
        check_sorted(&s, n);
        ck_ok(cuc_sort(stream, flags, &s.in[0].t, &s.in[0].t, NULL, NULL));
        memcpy(s.out[1].bytes, s.in[0].bytes, s.in[0].size);
        receive(&s.in[0], n);
        ck_assert_int_eq(memcmp(at(&s.in[0], 0), at(&s.out[0], 0), (size_t)n * 2), 0);
        drop_sort(&s);
    }
    struct array x;
    make(&x, CUC_F32, 9, 1);
    cuc_tensor other = x.t;
    other.dtype = CUC_I32;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_sort(stream, 4, &x.t, &x.t, NULL, NULL),
             "flags is 0x4, expected CUC_ALGORITHM_DESCENDING or 0");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_sort(stream, 0, NULL, &x.t, NULL, NULL),
             "keys_in is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_sort(stream, 0, &x.t, NULL, NULL, NULL),
             "keys_out and values_out are NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_sort(stream, 0, &x.t, &x.t, &x.t, NULL),
             "values_in is given, but values_out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_sort(stream, 0, &x.t, &other, NULL, NULL),
             "keys_out is of i32, expected f32, as keys_in");
    drop(&x);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("algorithm sort");
}
