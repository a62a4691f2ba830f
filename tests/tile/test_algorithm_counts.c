// Compares histograms, searches and segments of <cucore/algorithm.h> with loops on the host.
#include "algorithm_testing.h"
#include "base/array.h"

#include <math.h>

CASE("counts", .setup = setup, .teardown = teardown, .timeout = 300);

static const struct histogram {
    const char *inputs[3], *fn;
    cuc_dtype dtype, count;
    int32_t bins;
    int64_t low, values; // elements are low to low + values - 1
} histograms[] = {
    { { "x: u8" }, NULL, CUC_U8, CUC_I32, 256, 0, 256 },
    { { "x: u8" }, NULL, CUC_U8, CUC_I64, 256, 7, 1 },
    { { "x: i8" }, NULL, CUC_I8, CUC_U32, 7, -3, 12 },
    { { "x: i64" }, NULL, CUC_I64, CUC_U64, 1, -2, 5 },
    { { "x: i32" }, NULL, CUC_I32, CUC_I32, 1000, -10, 1200 },
    { { "x: i32" }, NULL, CUC_I32, CUC_I32, 20000, -10, 20020 },
    { { "x: f32", "floor(x / 4.0)" }, NULL, CUC_F32, CUC_I32, 16, -8, 100 },
    { { "x: f32" }, "fn bin(x) { return floor(x / 4.0) }", CUC_F32, CUC_I32, 16, -8, 100 },
};

TEST_SLICE(histograms_agree_with_the_host, slice, CUC_LENGTH(histograms))
{
    const struct histogram *h = &histograms[_i];
    char y[16];
    const char *outputs[] = { y };

    snprintf(y, sizeof(y), "y: %s", cuc_dtype_name(h->count));
    for (int i = 0; i < 2 * CUC_LENGTH(lengths); i++) {
        int64_t n = lengths[i / 2], *expected = calloc((size_t)h->bins, sizeof(*expected));
        cuc_algorithm *plan;
        struct array x, counts;
        ck_ok(cuc_algorithm_create(
            &plan, device,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_HISTOGRAM, .inputs = h->inputs,
                                  .input_count = length_of(h->inputs), .outputs = outputs,
                                  .output_count = 1, .fn = h->fn, .bins = h->bins,
                                  .tile = i % 2 ? 256 : 0)));
        make(&x, h->dtype, n, 1);
        make(&counts, h->count, h->bins, 1);
        for (int64_t j = 0; j < n; j++) {
            int64_t value = h->low + (int64_t)below((uint64_t)h->values);
            set(&x, j, (double)value);
            value = h->dtype == CUC_F32 ? (value + 400) / 4 - 100 : value;
            if (value >= 0 && value < h->bins)
                expected[value]++;
        }
        send(&x);
        send(&counts);
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1,
                                                   .outputs = &counts.t, .output_count = 1)));
        receive(&counts, h->bins);
        for (int32_t j = 0; j < h->bins; j++)
            check_value(&counts, j, (double)expected[j], n);
        free(expected);
        drop(&x);
        drop(&counts);
        cuc_algorithm_release(plan);
    }
}

// A histogram must not count numbers by their lower bits, nor NaN.
static const struct strange {
    const char *inputs[2], *fn;
    cuc_dtype dtype;
    double values[6]; // one of them is a bin: 2
} stranges[] = {
    { { "x: i64" }, NULL, CUC_I64, { 4294967296, 1099511627779, -1, 2, -4294967295, 1e18 } },
    { { "x: u64" }, NULL, CUC_U64, { 4294967296, 1099511627779, 4, 2, 5, 1e18 } },
    { { "x: u32" }, NULL, CUC_U32, { 4294967295, 2147483648, 4, 2, 5, 6 } },
    { { "x: i32" }, NULL, CUC_I32, { -2147483648.0, 2147483647, 4, 2, -1, 6 } },
    { { "x: f32" }, NULL, CUC_F32, { (double)NAN, 4294967296, -1, 2.5, 1e30, -1e30 } },
    { { "x: f64" }, NULL, CUC_F64, { (double)NAN, 4294967297, -1, 2.5, 1e30, -1e30 } },
    { { "x: f64", "x * 2.0" }, NULL, CUC_F64, { (double)NAN, 2147483648, -1, 1, 1e30, -1e30 } },
    { { "x: i64" }, "fn f(x) { return x + 1 }", CUC_I64, { 4294967295, 3, -2, 1, 1e15, 5 } },
};

TEST_SLICE(histograms_count_no_strange_numbers, slice, CUC_LENGTH(stranges))
{
    const struct strange *w = &stranges[_i];
    const char *outputs[] = { "y: i32" };
    static const int32_t bins[] = { 4, 10000 };

    for (int i = 0; i < CUC_LENGTH(bins); i++) {
        cuc_algorithm *plan;
        struct array x, counts;
        ck_ok(cuc_algorithm_create(
            &plan, device,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_HISTOGRAM, .inputs = w->inputs,
                                  .input_count = w->inputs[1] ? 2 : 1, .outputs = outputs,
                                  .output_count = 1, .fn = w->fn, .bins = bins[i])));
        make(&x, w->dtype, CUC_LENGTH(w->values), 1);
        make(&counts, CUC_I32, bins[i], 1);
        for (int j = 0; j < CUC_LENGTH(w->values); j++)
            set(&x, j, w->values[j]);
        send(&x);
        send(&counts);
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1,
                                                   .outputs = &counts.t, .output_count = 1)));
        receive(&counts, bins[i]);
        for (int j = 0; j < 4; j++)
            check_value(&counts, j, j == 2, bins[i]);
        drop(&x);
        drop(&counts);
        cuc_algorithm_release(plan);
    }
}

// Elements are multiples of a half from -20 to 20, if their type has them, and bins begin at such
// numbers, which are exact in every type.
static const struct {
    cuc_dtype dtype, count;
    double low, high;
    int64_t bins;
} evens[] = {
    { CUC_U8, CUC_I32, 0, 256, 256 },
    { CUC_U8, CUC_I64, 2, 12, 5 },
    { CUC_I8, CUC_I32, -128, 128, 256 },
    { CUC_U8, CUC_I32, -3, 300, 303 },
    { CUC_I8, CUC_I32, -127, 128, 255 },
    { CUC_U8, CUC_I32, 0, 20, 20 },
    { CUC_I16, CUC_I32, -32768, 32768, 65536 },
    { CUC_U16, CUC_I64, 0, 65536, 65536 },
    { CUC_I8, CUC_U32, -12, 12, 6 },
    { CUC_I32, CUC_I32, -7, 14, 7 },
    { CUC_I64, CUC_I64, -5, 2e9, 1 },
    { CUC_U64, CUC_I32, -4, 12, 4 },
    { CUC_I32, CUC_I32, 0, 1e12, 2 },
    { CUC_I16, CUC_I32, -8, 8, 64 },
    { CUC_F32, CUC_I32, -8, 8, 32 },
    { CUC_F16, CUC_I64, -2.5, 5.5, 16 },
    { CUC_F64, CUC_I32, -20, 20, 20 },
    { CUC_F32, CUC_I32, -1e30, 1e30, 2 },
    { CUC_BF16, CUC_I32, -8, 8, 4096 },
};

TEST_ROWS(bins_of_equal_width_agree_with_the_host, evens)
{
    enum { COUNT = 5000 };
    int64_t *expected = calloc((size_t)evens[_i].bins, sizeof(*expected));
    cuc_dtype dtype = evens[_i].dtype;
    bool whole = tile_is_integer(dtype), natural = whole && !tile_is_signed(dtype);
    double width = (evens[_i].high - evens[_i].low) / (double)evens[_i].bins;
    struct array x, counts;

    make(&x, dtype, COUNT, 1);
    make(&counts, evens[_i].count, evens[_i].bins, 1);
    for (int64_t i = 0; i < COUNT; i++) {
        double value = ((double)below(81) - (natural ? 0 : 40)) / (whole ? 1 : 2);
        if (!whole && i < 3)
            value = i ? i == 1 ? INFINITY : -INFINITY : (double)NAN;
        set(&x, i, value);
        if (value >= evens[_i].low && value < evens[_i].high)
            expected[(int64_t)floor((value - evens[_i].low) / width)]++;
    }
    send(&x);
    send(&counts);
    ck_ok(cuc_histogram(stream, evens[_i].low, evens[_i].high, &x.t, &counts.t));
    receive(&counts, evens[_i].bins);
    for (int64_t i = 0; i < evens[_i].bins; i++)
        check_value(&counts, i, (double)expected[i], COUNT);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_histogram(stream, 3, 3, &x.t, &counts.t),
             "low is 3 and high 3, expected finite numbers, low below high");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_histogram(stream, -(double)INFINITY, 3, &x.t, &counts.t),
             "expected finite numbers");
    counts.t.shape[0] = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_histogram(stream, 0, 3, &x.t, &counts.t),
             "counts has 0 elements, expected 1 to");
    free(expected);
    drop(&x);
    drop(&counts);
}

// Elements next to the ends of the range are counted in the first and the last bin.
TEST(the_last_number_below_the_range_ends_in_the_last_bin)
{
    static const double lows[] = { 0, 0.1, -3.3, 1e10 };

    for (int i = 0; i < CUC_LENGTH(lows); i++) {
        struct array x, counts;
        float low = (float)lows[i], high = low + (i == 3 ? 1e6f : 0.7f);
        make(&x, CUC_F32, 4, 1);
        make(&counts, CUC_I32, 49, 1);
        set(&x, 0, (double)low);
        set(&x, 1, (double)nextafterf(high, -INFINITY));
        set(&x, 2, (double)high);
        set(&x, 3, (double)nextafterf(low, -INFINITY));
        send(&x);
        send(&counts);
        ck_ok(cuc_histogram(stream, (double)low, (double)high, &x.t, &counts.t));
        receive(&counts, 49);
        for (int j = 0; j < 49; j++)
            check_value(&counts, j, j == 0 || j == 48, 4);
        drop(&x);
        drop(&counts);
    }
}

TEST(searches_find_bounds)
{
    const char *inputs[] = { "levels: f32[]", "x: f32", "lower_bound(levels, x)",
                             "upper_bound ( levels, x + 0.0) - 1" };
    const char *outputs[] = { "low: i64", "bin: i32" };
    enum { COUNT = 3000 };

    for (int64_t size = 0; size < 40; size += 1 + size / 9) {
        struct array levels, x, low, bin;
        cuc_algorithm *plan;
        make(&levels, CUC_F32, size, 1);
        make(&x, CUC_F32, COUNT, 1);
        make(&low, CUC_I64, COUNT, 1);
        make(&bin, CUC_I32, COUNT, 1);
        for (int64_t i = 0; i < size; i++)
            set(&levels, i, (double)(i / 3 * 5)); // each level three times
        for (int64_t i = 0; i < COUNT; i++)
            set(&x, i, (double)below(80) - 5);
        send(&levels);
        send(&x);
        send(&low);
        send(&bin);
        ck_ok(cuc_algorithm_create(&plan, device,
                                   CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM,
                                                         .inputs = inputs, .input_count = 4,
                                                         .outputs = outputs, .output_count = 2)));
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = (const cuc_tensor[]){ levels.t, x.t },
                                                   .input_count = 2,
                                                   .outputs = (const cuc_tensor[]){ low.t, bin.t },
                                                   .output_count = 2)));
        receive(&low, COUNT);
        receive(&bin, COUNT);
        for (int64_t i = 0; i < COUNT; i++) {
            int64_t less = 0, most_equal = -1;
            for (int64_t j = 0; j < size; j++) {
                less += get(&levels, j) < get(&x, i);
                most_equal += get(&levels, j) <= get(&x, i);
            }
            check_value(&low, i, (double)less, size);
            check_value(&bin, i, (double)most_equal, size);
        }
        drop(&levels);
        drop(&x);
        drop(&low);
        drop(&bin);
        cuc_algorithm_release(plan);
    }
}

static const struct {
    cuc_dtype offsets;
    uint32_t flags;
    int32_t tile;
    int64_t count;
    uint64_t longest;
} segments[] = {
    { 0, 0, 0, 0, 10 },
    { CUC_I32, 0, 0, 3000, 10 },
    { CUC_I64, 0, 64, 20011, 700 },
    { CUC_I32, CUC_ALGORITHM_DEVICE_COUNT, 64, 20011, 70 },
    { 0, 0, 0, 20011, 40000 },
};

TEST_ROWS(segments_agree_with_the_host, segments)
{
    const char *inputs[] = { "x: i32", "x", "1" }, *outputs[] = { "m: i32", "n: i64" };
    const int64_t count = segments[_i].count;
    struct array x, offsets, most, sizes, limit;
    int64_t begins[4096] = { 0 }, of = 0, end = 0;
    cuc_algorithm *plan;

    while (end < count && of < 4000) {
        end += below(4) ? (int64_t)below(segments[_i].longest) : 0;
        begins[++of] = end < count ? end : count;
    }
    make(&x, CUC_I32, count, 1);
    make(&offsets, segments[_i].offsets ? segments[_i].offsets : CUC_I64, of + 1, 1);
    make(&most, CUC_I32, of, 2);
    make(&sizes, CUC_I64, of, 1);
    make(&limit, CUC_I64, 1, 1);
    for (int64_t i = 0; i < count; i++)
        set(&x, i, (double)below(1000) - 500);
    for (int64_t i = 0; i <= of; i++)
        set(&offsets, i, (double)begins[i]);
    bool limited = segments[_i].flags;
    int64_t n = limited ? count / 2 : count;
    set(&limit, 0, (double)n);
    send(&x);
    send(&offsets);
    send(&most);
    send(&sizes);
    send(&limit);
    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE_SEGMENTS, .flags = segments[_i].flags,
                              .inputs = inputs, .input_count = 3, .outputs = outputs,
                              .output_count = 2, .tile = segments[_i].tile,
                              .fn = "fn both(m, n, k, l) { return maximum(m, k), n + l }",
                              .identity = "-1000, 0", .offsets = segments[_i].offsets)));
    cuc_algorithm_args args =
        *CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1,
                            .outputs = (const cuc_tensor[]){ most.t, sizes.t }, .output_count = 2,
                            .offsets = &offsets.t, .device_count = limited ? &limit.t : NULL);
    ck_ok(cuc_algorithm_run(stream, plan, &args));
    receive(&most, of);
    receive(&sizes, of);
    for (int64_t s = 0; s < of; s++) {
        double largest = -1000, size = 0;
        for (int64_t i = begins[s]; i < begins[s + 1] && i < n; i++) {
            largest = fmax(largest, get(&x, i));
            size++;
        }
        check_value(&most, s, largest, count);
        check_value(&sizes, s, size, count);
    }
    args.offsets = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &args), "offsets is NULL");
    args.offsets = &x.t;
    if (segments[_i].offsets != CUC_I32)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &args),
                 "offsets[0], offsets, is of i32, expected i64");
    drop(&x);
    drop(&offsets);
    drop(&most);
    drop(&sizes);
    drop(&limit);
    cuc_algorithm_release(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("algorithm counts");
}
