// Compares merges, merge sorts and sorts of segments of <cucore/algorithm.h> with a stable sort on
// the host.
#include "algorithm_testing.h"
#include "base/array.h"

CASE("merges", .setup = setup, .teardown = teardown, .timeout = 300);

// ---- The reference

struct item {
    double key;
    int64_t index;
};

static int by_key(const void *x, const void *y)
{
    const struct item *a = x, *b = y;
    bool less = a->key < b->key || (!isnan(a->key) && isnan(b->key));
    bool more = a->key > b->key || (isnan(a->key) && !isnan(b->key));

    return less ? -1 : more ? 1 : a->index < b->index ? -1 : a->index > b->index;
}

// Replaces keys by the order in which a stable sort puts them.
static void sort_items(struct item *items, int64_t count)
{
    qsort(items, (size_t)count, sizeof(*items), by_key);
}

enum data { RANDOM, EQUAL, SORTED, REVERSED, WITH_NAN, DATA };

static double value_of(enum data data, cuc_dtype dtype, int64_t i, int64_t n)
{
    bool real = !tile_is_integer(dtype);
    int64_t most = cuc_dtype_bits(dtype) == 8 ? 100 : 1000;

    switch (data) {
    case EQUAL:
        return 7;
    case SORTED:
        return (double)(i * most / (n + 1));
    case REVERSED:
        return (double)((n - i) * most / (n + 1));
    case WITH_NAN:
        if (real && below(4) == 0)
            return below(2) ? (double)NAN : -(double)NAN;
        return real && below(4) == 0 ? (below(2) ? INFINITY : -INFINITY) : (double)below(5);
    default:
        return (double)below((uint64_t)most) - (tile_is_signed(dtype) || real ? 50 : 0);
    }
}

static void check_key(const struct array *out, int64_t i, double expected, int64_t n)
{
    double got = get(out, i);

    ck_assert_msg(got == expected || (isnan(got) && isnan(expected)),
                  "key %lld of %lld: got %g, expected %g", (long long)i, (long long)n, got,
                  expected);
}

// ---- Merges

static const struct merge {
    cuc_dtype dtype;
    const char *fn;
    int sign; // of the keys in the order
    int32_t tile;
} merges[] = {
    { CUC_F32, NULL, 1, 0 },    { CUC_F16, NULL, 1, 256 },
    { CUC_F64, NULL, 1, 1024 }, { CUC_I8, NULL, 1, 0 },
    { CUC_U64, NULL, 1, 256 },  { CUC_I32, "fn less(a, i, b, j) { return a > b }", -1, 0 },
    { CUC_E4M3, NULL, 1, 512 },
};

TEST_SLICE(merges_agree_with_the_host, slice, CUC_LENGTH(merges))
{
    static const int64_t sizes[][2] = { { 0, 0 },     { 1, 0 },     { 0, 3 },
                                        { 31, 33 },   { 255, 257 }, { 2048, 2048 },
                                        { 7, 10000 }, { 10000, 5 }, { 9001, 8002 } };
    const struct merge *m = &merges[_i];
    char a[16], b[16], k[16];
    const char *inputs[] = { a, "v: i32", b, "w: i32" }, *outputs[] = { k, "p: i32" };
    cuc_algorithm *plan;

    snprintf(a, sizeof(a), "a: %s", cuc_dtype_name(m->dtype));
    snprintf(b, sizeof(b), "b: %s", cuc_dtype_name(m->dtype));
    snprintf(k, sizeof(k), "k: %s", cuc_dtype_name(m->dtype));
    ck_ok(cuc_algorithm_create(&plan, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_MERGE, .inputs = inputs,
                                                     .input_count = 4, .outputs = outputs,
                                                     .output_count = 2, .fn = m->fn,
                                                     .tile = m->tile)));
    for (int i = 0; i < CUC_LENGTH(sizes) * DATA; i++) {
        const int64_t *size = sizes[i / DATA], n = size[0] + size[1];
        struct item *items = calloc((size_t)n + 1, sizeof(*items));
        struct array in[4], out[2];
        for (int s = 0; s < 2; s++) {
            struct item *own = items + (s ? size[0] : 0);
            make(&in[2 * s], m->dtype, size[s], 1 + i % 2);
            make(&in[2 * s + 1], CUC_I32, size[s], 1);
            for (int64_t j = 0; j < size[s]; j++) {
                set(&in[2 * s], j, value_of((enum data)(i % DATA), m->dtype, j, size[s]));
                own[j] = (struct item){ m->sign * get(&in[2 * s], j), j };
            }
            sort_items(own, size[s]);
            for (int64_t j = 0; j < size[s]; j++) {
                own[j].index = j + (s ? size[0] : 0);
                set(&in[2 * s], j, m->sign * own[j].key);
                set(&in[2 * s + 1], j, (double)own[j].index);
            }
            send(&in[2 * s]);
            send(&in[2 * s + 1]);
        }
        sort_items(items, n);
        make(&out[0], m->dtype, n, 1);
        make(&out[1], CUC_I32, n, 1 + i % 3);
        send(&out[0]);
        send(&out[1]);
        const cuc_tensor from[] = { in[0].t, in[1].t, in[2].t, in[3].t };
        const cuc_tensor to[] = { out[0].t, out[1].t };
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = from, .input_count = 4, .outputs = to,
                                                   .output_count = 2)));
        receive(&out[0], n);
        receive(&out[1], n);
        for (int64_t j = 0; j < n; j++) {
            check_key(&out[0], j, m->sign * items[j].key, n);
            check_value(&out[1], j, (double)items[j].index, n);
        }
        for (int s = 0; s < 4; s++)
            drop(&in[s]);
        drop(&out[0]);
        drop(&out[1]);
        free(items);
    }
    cuc_algorithm_release(plan);
}

TEST(one_line_merges_natural_orders)
{
    const cuc_dtype dtypes[] = { CUC_F32, CUC_F32, CUC_I64 };

    for (int i = 0; i < CUC_LENGTH(dtypes); i++) { // the second one finds the plan of the first
        struct array x, y, out;
        make(&x, dtypes[i], 300, 1);
        make(&y, dtypes[i], 20 + i, 2);
        make(&out, dtypes[i], 320 + i, 1);
        for (int64_t j = 0; j < 300; j++)
            set(&x, j, (double)(j * 2));
        for (int64_t j = 0; j < 20 + i; j++)
            set(&y, j, (double)(2 * j + 599 - 40));
        send(&x);
        send(&y);
        send(&out);
        ck_ok(cuc_merge(stream, &x.t, &y.t, &out.t));
        receive(&out, 320 + i);
        for (int64_t j = 1; j < 320 + i; j++)
            ck_assert(get(&out, j - 1) < get(&out, j));
        check_value(&out, 0, 0, 320);
        check_value(&out, 319 + i, i ? 597 + 2 * i : 598, 320);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_merge(stream, &x.t, &y.t, &x.t),
                 "outputs[0], z, has 300 elements, expected 32");
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_merge(stream, &x.t, NULL, &out.t), "y is NULL");
        drop(&x);
        drop(&y);
        drop(&out);
    }
}

TEST(calls_of_merges_and_sorts_are_refused_by_name)
{
    const char *inputs[] = { "x: f32", "y: f32" }, *outputs[] = { "z: f32" };
    struct array x, out;
    cuc_algorithm *merge, *rows;

    make(&x, CUC_F32, 12, 1);
    make(&out, CUC_F32, 24, 1);
    ck_ok(cuc_algorithm_create(&merge, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_MERGE, .inputs = inputs,
                                                     .input_count = 2, .outputs = outputs,
                                                     .output_count = 1)));
    ck_ok(cuc_algorithm_create(&rows, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT_SEGMENTS,
                                                     .inputs = inputs, .input_count = 1,
                                                     .outputs = outputs, .output_count = 1,
                                                     .count = 8)));
    const cuc_tensor from[] = { x.t, x.t };
    ck_fails(
        CUC_ERROR_INVALID_ARGUMENT,
        cuc_algorithm_run(stream, merge,
                          CUC_ALGORITHM_ARGS(.inputs = from, .input_count = 2, .outputs = &out.t,
                                             .output_count = 1, .count = 4)),
        "count is 4, expected 0: two sequences are whole");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_algorithm_run(stream, rows,
                               CUC_ALGORITHM_ARGS(.inputs = from, .input_count = 1, .outputs = &x.t,
                                                  .output_count = 1, .count = 4)),
             "count is 4, expected 0: rows are whole");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_algorithm_run(stream, rows,
                               CUC_ALGORITHM_ARGS(.inputs = from, .input_count = 1, .outputs = &x.t,
                                                  .output_count = 1, .offsets = &out.t)),
             "offsets is given, but the plan has no segments");
    const cuc_tensor flat = {
        .data = 256, .dtype = CUC_F32, .rank = 1, .shape = { 100000 }, .strides = { 1 }
    };
    ck_assert(cuc_algorithm_workspace_bytes(rows, 100000) >= 400000);
    ck_fails(
        CUC_ERROR_INVALID_ARGUMENT,
        cuc_algorithm_run(stream, rows,
                          CUC_ALGORITHM_ARGS(.inputs = &flat, .input_count = 1, .outputs = &flat,
                                             .output_count = 1, .workspace = 256)),
        "workspace_bytes is 0, expected at least 4");
    // Rows that a block sorts need none, though as many elements in one row do.
    struct array table;
    make(&table, CUC_F32, 4096, 1);
    send(&table);
    cuc_tensor two = table.t;
    two.rank = 2;
    two.shape[0] = 2;
    two.shape[1] = two.strides[0] = 2048;
    two.strides[1] = 1;
    ck_assert(cuc_algorithm_workspace_bytes(rows, 4096) > 16384);
    ck_ok(cuc_algorithm_run(stream, rows,
                            CUC_ALGORITHM_ARGS(.inputs = &two, .input_count = 1, .outputs = &two,
                                               .output_count = 1, .workspace = 256)));
    ck_ok(cuc_stream_synchronize(stream));
    drop(&table);
    cuc_algorithm_release(merge);
    cuc_algorithm_release(rows);
    drop(&x);
    drop(&out);
}

// ---- Sorts

static const struct sort {
    const char *inputs[5], *outputs[4], *fn;
    cuc_dtype dtype;
    int32_t keys, tile;
    int sign;
    int64_t modulus; // keys are compared by their remainders; 0: by themselves
} sorts[] = {
    { { "x: f32", "x", "i" }, { "k: f32", "p: i64" }, NULL, CUC_F32, 0, 0, 1, 0 },
    { { "x: i32", "x", "i" },
      { "k: i32", "p: i32" },
      "fn less(a, i, b, j) { return a > b }",
      CUC_I32,
      0,
      512,
      -1,
      0 },
    { { "x: u16", "x", "i" },
      { "k: u16", "p: i32" },
      "fn less(a, i, b, j) { return a % 7 < b % 7 }",
      CUC_U16,
      0,
      256,
      1,
      7 },
    { { "x: u8", "x", "i", "x" }, { "k: u8", "p: u32", "_: i64" }, NULL, CUC_U8, 1, 0, 1, 0 },
    { { "x: bf16", "x", "i" }, { "k: bf16", "p: i64" }, NULL, CUC_BF16, 1, 256, 1, 0 },
    { { "x: f64", "x", "i" }, { "k: f64", "p: i64" }, NULL, CUC_F64, 2, 0, 1, 0 },
    { { "x: e5m2", "x", "i" }, { "k: e5m2", "p: i64" }, NULL, CUC_E5M2, 0, 256, 1, 0 },
};

static const int64_t lengths_of_sorts[] = { 0,    1,    2,    7,    8,    9,    31,
                                            32,   33,   255,  256,  257,  1023, 1024,
                                            1025, 2047, 2048, 2049, 4096, 5000, 20011 };

TEST_SLICE(merge_sorts_agree_with_the_host, slice, CUC_LENGTH(sorts))
{
    const struct sort *s = &sorts[_i];
    cuc_algorithm *plan;

    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_MERGE_SORT, .inputs = s->inputs,
                              .input_count = length_of(s->inputs), .outputs = s->outputs,
                              .output_count = length_of(s->outputs), .fn = s->fn, .keys = s->keys,
                              .tile = s->tile)));
    for (int i = 0; i < CUC_LENGTH(lengths_of_sorts) * DATA; i++) {
        int64_t n = lengths_of_sorts[i / DATA];
        struct item *items = calloc((size_t)n + 1, sizeof(*items));
        cuc_dtype index = strstr(s->outputs[1], "i64")   ? CUC_I64
                          : strstr(s->outputs[1], "u32") ? CUC_U32
                                                         : CUC_I32;
        struct array x, keys, places;
        make(&x, s->dtype, n, 1 + i % 2);
        make(&keys, s->dtype, n, 1);
        make(&places, index, n, 1);
        for (int64_t j = 0; j < n; j++) {
            set(&x, j, value_of((enum data)(i % DATA), s->dtype, j, n));
            double key = s->sign * get(&x, j);
            items[j] = (struct item){ s->modulus ? (double)((int64_t)key % s->modulus) : key, j };
        }
        sort_items(items, n);
        send(&x);
        send(&keys);
        send(&places);
        const cuc_tensor to[] = { keys.t, places.t };
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = to,
                                                   .output_count = 2)));
        receive(&keys, n);
        receive(&places, n);
        for (int64_t j = 0; j < n; j++) {
            check_value(&places, j, (double)items[j].index, n);
            check_key(&keys, j, get(&x, items[j].index), n);
        }
        drop(&x);
        drop(&keys);
        drop(&places);
        free(items);
    }
    cuc_algorithm_release(plan);
}

// Keys of two words, of which the second one decides between equal ones, and a count on the device.
TEST(sorts_compare_several_keys_of_a_count_on_the_device)
{
    const char *inputs[] = { "high: i32", "low: u32", "high", "low", "i" };
    const char *outputs[] = { "h: i32", "l: u32", "p: i32" };
    enum { COUNT = 5000, MORE = 1200 };
    struct array high, low, out[3], count;
    struct item *items = calloc(COUNT, sizeof(*items));
    cuc_algorithm *plan;

    make(&high, CUC_I32, COUNT + MORE, 1);
    make(&low, CUC_U32, COUNT + MORE, 1);
    make(&count, CUC_I64, 1, 1);
    set(&count, 0, COUNT);
    for (int i = 0; i < 3; i++) {
        make(&out[i], i == 1 ? CUC_U32 : CUC_I32, COUNT + MORE, 1);
        send(&out[i]);
    }
    for (int64_t i = 0; i < COUNT + MORE; i++) {
        set(&high, i, (double)below(20) - 10);
        set(&low, i, (double)below(50));
        if (i < COUNT)
            items[i] = (struct item){ get(&high, i) * 100 + get(&low, i), i };
    }
    sort_items(items, COUNT);
    send(&high);
    send(&low);
    send(&count);
    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_MERGE_SORT, .flags = CUC_ALGORITHM_DEVICE_COUNT,
                              .inputs = inputs, .input_count = 5, .outputs = outputs,
                              .output_count = 3, .keys = 2)));
    const cuc_tensor from[] = { high.t, low.t }, to[] = { out[0].t, out[1].t, out[2].t };
    ck_ok(cuc_algorithm_run(stream, plan,
                            CUC_ALGORITHM_ARGS(.inputs = from, .input_count = 2, .outputs = to,
                                               .output_count = 3, .device_count = &count.t)));
    for (int i = 0; i < 3; i++)
        receive(&out[i], COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        check_value(&out[2], i, (double)items[i].index, COUNT);
        check_value(&out[0], i, get(&high, items[i].index), COUNT);
        check_value(&out[1], i, get(&low, items[i].index), COUNT);
    }
    cuc_algorithm_release(plan);
    for (int i = 0; i < 3; i++)
        drop(&out[i]);
    drop(&high);
    drop(&low);
    drop(&count);
    free(items);
}

// An output may be the input. Lengths are up to one tile, and take odd and even numbers of passes.
static const struct in_place {
    int32_t kind;
    int64_t count;
} in_place[] = {
    { CUC_ALGORITHM_MERGE_SORT, 100 },      { CUC_ALGORITHM_MERGE_SORT, 4096 },
    { CUC_ALGORITHM_MERGE_SORT, 7000 },     { CUC_ALGORITHM_MERGE_SORT, (1 << 20) + 7 },
    { CUC_ALGORITHM_SORT_SEGMENTS, 30 },    { CUC_ALGORITHM_SORT_SEGMENTS, 500 },
    { CUC_ALGORITHM_SORT_SEGMENTS, 16000 }, { CUC_ALGORITHM_SORT_SEGMENTS, 30000 },
    { CUC_ALGORITHM_SORT_SEGMENTS, 40000 }, { CUC_ALGORITHM_SORT_SEGMENTS, (1 << 20) + 7 },
};

TEST_SLICE(sorts_work_in_place, slice, CUC_LENGTH(in_place))
{
    const char *inputs[] = { "x: i32" }, *outputs[] = { "y: i32" };
    const struct in_place *p = &in_place[_i];
    cuc_algorithm *plan;
    struct array x;

    ck_ok(cuc_algorithm_create(&plan, device,
                               CUC_ALGORITHM_OPTIONS(.kind = p->kind, .inputs = inputs,
                                                     .input_count = 1, .outputs = outputs,
                                                     .output_count = 1, .count = p->count)));
    make(&x, CUC_I32, p->count, 1);
    for (int64_t j = 0; j < p->count; j++)
        set(&x, j, (double)((j * 7919) % p->count));
    send(&x);
    ck_ok(cuc_algorithm_run(
        stream, plan,
        CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = &x.t, .output_count = 1)));
    receive(&x, p->count);
    for (int64_t j = 0; j < p->count; j++)
        check_value(&x, j, (double)j, p->count);
    drop(&x);
    cuc_algorithm_release(plan);
}

// ---- Rows and segments

static const struct segments {
    const char *inputs[4], *outputs[4];
    cuc_dtype dtype;
    cuc_dtype offsets; // 0: rows
    bool descending;
} segments[] = {
    { { "x: f32" }, { "y: f32" }, CUC_F32, 0, false },
    { { "x: f32", "x", "i" }, { "y: f32", "p: i32" }, CUC_F32, 0, true },
    { { "x: i64", "x", "i" }, { "y: i64", "p: i32" }, CUC_I64, 0, false },
    { { "x: u8", "x", "i" }, { "_: u8", "p: i32" }, CUC_U8, 0, true },
    { { "x: bf16" }, { "y: bf16" }, CUC_BF16, 0, true },
    { { "x: e4m3" }, { "y: e4m3" }, CUC_E4M3, 0, false },
    { { "x: f32" }, { "y: f32" }, CUC_F32, CUC_I32, true },
    { { "x: f32", "x", "i" }, { "y: f32", "p: i32" }, CUC_F32, CUC_I64, false },
    { { "x: f64", "x", "i" }, { "_: f64", "p: i32" }, CUC_F64, CUC_I64, true },
    { { "x: i16" }, { "y: i16" }, CUC_I16, CUC_I32, false },
};

// Sorts segments with these offsets, which are rows if the plan has none.
static void check_segments(cuc_algorithm *plan, const struct segments *s, const int64_t *offsets,
                           int64_t count, enum data data)
{
    int64_t n = offsets[count];
    struct item *items = calloc((size_t)n + 1, sizeof(*items));
    struct array x, keys, places, there;
    bool drops = s->outputs[0][0] == '_';
    uint32_t outputs = 0;
    cuc_tensor from, to[2];

    make(&x, s->dtype, n, 1);
    make(&keys, s->dtype, n, 1);
    make(&places, CUC_I32, n, 1);
    make(&there, s->offsets ? s->offsets : CUC_I64, count + 1, 1);
    for (int64_t j = 0; j <= count; j++)
        set(&there, j, (double)offsets[j]);
    for (int64_t j = 0; j < n; j++) {
        set(&x, j, value_of(data, s->dtype, j, n));
        double key = get(&x, j); // NaN is the largest
        items[j] = (struct item){ !s->descending ? key : isnan(key) ? -0x1p1023 * 2 : -key, j };
        if (s->descending && isinf(key))
            items[j].key = key > 0 ? -0x1p1023 : INFINITY;
    }
    for (int64_t j = 0; j < count; j++)
        sort_items(items + offsets[j], offsets[j + 1] - offsets[j]);
    send(&x);
    send(&keys);
    send(&places);
    send(&there);
    from = x.t;
    if (!drops)
        to[outputs++] = keys.t;
    if (s->outputs[1])
        to[outputs++] = places.t;
    if (!s->offsets) {
        from.rank = to[0].rank = 2;
        from.shape[0] = to[0].shape[0] = count;
        from.shape[1] = to[0].shape[1] = offsets[1];
        from.strides[0] = to[0].strides[0] = offsets[1];
        from.strides[1] = to[0].strides[1] = 1;
    }
    ck_ok(cuc_algorithm_run(stream, plan,
                            CUC_ALGORITHM_ARGS(.inputs = &from, .input_count = 1, .outputs = to,
                                               .output_count = outputs,
                                               .offsets = s->offsets ? &there.t : NULL)));
    receive(&keys, drops ? 0 : n);
    receive(&places, s->outputs[1] ? n : 0);
    for (int64_t j = 0; j < n; j++) {
        if (!drops)
            check_key(&keys, j, get(&x, items[j].index), n);
        if (s->outputs[1])
            check_value(&places, j, (double)items[j].index, n);
    }
    drop(&x);
    drop(&keys);
    drop(&places);
    drop(&there);
    free(items);
}

TEST_SLICE(segments_agree_with_the_host, slice, CUC_LENGTH(segments))
{
    static const int64_t rows[][2] = { { 3, 1 },    { 70, 31 },   { 65, 32 },   { 9, 33 },
                                       { 3, 512 },  { 2, 513 },   { 3, 2047 },  { 2, 2049 },
                                       { 1, 7000 }, { 2, 16384 }, { 2, 16389 }, { 1, 40001 } };
    // Lengths of segments in turn, up to the first that is negative.
    static const int64_t turns[][7] = { { 5, -1 },
                                        { 0, 3, 0, 32, 33, 0, -1 },
                                        { 100, 512, 513, 1, -1 },
                                        { 2048, 2049, 0, 31, -1 },
                                        { 16385, 0, 4097, 9000, 7, 40000, -1 } };
    const struct segments *s = &segments[_i];
    uint32_t flags = s->descending ? CUC_ALGORITHM_DESCENDING : 0;
    cuc_algorithm *plan;

    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT_SEGMENTS, .flags = flags,
                              .inputs = s->inputs, .input_count = length_of(s->inputs),
                              .outputs = s->outputs, .output_count = length_of(s->outputs),
                              .offsets = s->offsets)));
    for (int i = 0; i < CUC_LENGTH(rows) && !s->offsets; i++) {
        int64_t offsets[80];
        for (int64_t j = 0; j <= rows[i][0]; j++)
            offsets[j] = j * rows[i][1];
        check_segments(plan, s, offsets, rows[i][0], (enum data)(i % DATA));
        check_segments(plan, s, offsets, rows[i][0], RANDOM);
    }
    for (int i = 0; i < CUC_LENGTH(turns) && s->offsets; i++) {
        enum { SEGMENTS = 150, MOST = 80000 };
        int64_t offsets[SEGMENTS + 1] = { 0 }, count = 0;
        for (int64_t j = 0; count < SEGMENTS && offsets[count] < MOST; j++, count++) {
            j = turns[i][j] < 0 ? 0 : j;
            offsets[count + 1] = offsets[count] + turns[i][j];
        }
        check_segments(plan, s, offsets, count, (enum data)(i % DATA));
        check_segments(plan, s, offsets, count, RANDOM);
    }
    cuc_algorithm_release(plan);
}

// Every launch of a sort of long segments, and the clearing of its counters, become nodes.
TEST(a_sort_of_segments_is_captured_with_its_workspace)
{
    const char *inputs[] = { "x: i32" }, *outputs[] = { "y: i32" };
    enum { COUNT = 50000, RUNS = 2 };
    cuc_algorithm *plan;
    cuc_graph *graph;
    cuc_graph_exec *exec;
    struct array x, y, offsets;

    make(&x, CUC_I32, COUNT, 1);
    make(&y, CUC_I32, COUNT, 1);
    make(&offsets, CUC_I64, 3, 1);
    set(&offsets, 0, 0);
    set(&offsets, 1, 10);
    set(&offsets, 2, COUNT);
    send(&offsets);
    send(&y);
    ck_ok(cuc_algorithm_create(&plan, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT_SEGMENTS,
                                                     .inputs = inputs, .input_count = 1,
                                                     .outputs = outputs, .output_count = 1,
                                                     .offsets = CUC_I64)));
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_algorithm_run(stream, plan,
                            CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = &y.t,
                                               .output_count = 1, .offsets = &offsets.t)));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    for (int run = 0; run < RUNS; run++) {
        for (int64_t i = 0; i < COUNT; i++)
            set(&x, i, (double)(((i < 10 ? 9 - i : 10 + (i * 7919) % (COUNT - 10))) + run));
        send(&x);
        ck_ok(cuc_graph_exec_launch(stream, exec));
        receive(&y, COUNT);
        for (int64_t i = 1; i < COUNT; i++)
            ck_assert(get(&y, i - 1) <= get(&y, i));
        check_value(&y, 9, 9 + run, COUNT);
    }
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    cuc_algorithm_release(plan);
    drop(&x);
    drop(&y);
    drop(&offsets);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("algorithm merges");
}
