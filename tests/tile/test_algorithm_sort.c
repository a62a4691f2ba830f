// Compares sorts of <cucore/algorithm.h> with a stable sort on the host, bit for bit. Nothing
// around outputs may be written.
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
    static const int64_t sizes[] = { 0, 1, 31, 32, 33, 255, 256, 257, 512, 8192, 8193, 20011 };
    const struct work *w = &works[_i];

    for (int way = 0; way < CUC_LENGTH(ways); way++) {
        cuc_algorithm *plan;
        uint32_t flags = ways[way].flags;
        make_plan(&plan, w, flags, ways[way].tile);
        for (int size = 0; size < CUC_LENGTH(sizes); size++) {
            int64_t n = sizes[size], sorted = n;
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

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("algorithm sort");
}
