// Compares searches and shuffles of <cucore/algorithm.h> with loops on the host.
#include "algorithm_testing.h"
#include "base/array.h"

CASE("searches", .setup = setup, .teardown = teardown, .timeout = 300);

// NaN comes last.
static bool is_less(double x, double y)
{
    return x < y || (!isnan(x) && isnan(y));
}

// Makes an ascending array in which each value is there about `times` times.
static void make_sorted(struct array *a, cuc_dtype dtype, int64_t count, int64_t times,
                        int64_t stride)
{
    bool real = !tile_is_integer(dtype);
    int64_t least = tile_is_integer(dtype) && !tile_is_signed(dtype) ? 0 : -100, range = 100;

    make(a, dtype, count, stride);
    for (int64_t i = 0; i < count; i++)
        set(a, i, (double)(least + (count > range * times ? i * range / count : i / times)));
    if (real && count > 2) {
        set(a, 0, -INFINITY);
        set(a, count - 1, NAN);
        set(a, count - 2, NAN);
    }
    send(a);
}

static const struct search {
    cuc_dtype dtype, at;
    int64_t times, stride;
} searches[] = {
    { CUC_F32, CUC_I64, 1, 1 }, { CUC_F32, CUC_I32, 7, 1 },   { CUC_F64, CUC_I64, 3, 2 },
    { CUC_F16, CUC_I64, 2, 1 }, { CUC_BF16, CUC_U32, 30, 1 }, { CUC_I8, CUC_I64, 5, 1 },
    { CUC_U8, CUC_I32, 1, 1 },  { CUC_I32, CUC_I64, 1, 3 },   { CUC_I64, CUC_U64, 40, 1 },
};

static const int64_t sizes[] = { 0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1000 };

static void check_search(const struct search *s, int64_t size, int64_t count, uint32_t flags)
{
    struct array sorted, values, at;

    make_sorted(&sorted, s->dtype, size, s->times, s->stride);
    make(&values, s->dtype, count, s->stride);
    make(&at, s->at, count, s->stride);
    for (int64_t i = 0; i < count; i++) {
        double edges[] = { NAN, INFINITY, -INFINITY, -0.0 };
        bool edge = !tile_is_integer(s->dtype) && i % 9 == 0;
        set(&values, i, edge ? edges[i / 9 % 4] : (double)below(110));
    }
    send(&values);
    send(&at);
    ck_ok(cuc_search(stream, flags, &sorted.t, &values.t, &at.t));
    receive(&at, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t expected = 0;
        double v = get(&values, i);
        for (int64_t j = 0; j < size; j++)
            expected += flags ? !is_less(v, get(&sorted, j)) : is_less(get(&sorted, j), v);
        check_value(&at, i, (double)expected, count);
    }
    drop(&sorted);
    drop(&values);
    drop(&at);
}

TEST_SLICE(searches_agree_with_the_host, slice, CUC_LENGTH(searches))
{
    for (int i = 0; i < CUC_LENGTH(sizes); i++)
        for (uint32_t flags = 0; flags <= CUC_SEARCH_UPPER; flags += CUC_SEARCH_UPPER)
            check_search(&searches[_i], sizes[i], sizes[CUC_LENGTH(sizes) - 1 - i], flags);
}

TEST(mistakes_in_searches_are_refused_by_name)
{
    const cuc_tensor x = {
        .data = 0x100000, .dtype = CUC_F32, .rank = 1, .shape = { 4 }, .strides = { 1 }
    };
    cuc_tensor half = x, at = x;

    half.dtype = CUC_F16;
    at.dtype = CUC_I64;
    at.data = 0x200000;
#define REFUSED(message, ...) \
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_search(stream, __VA_ARGS__), message)
    REFUSED("flags is 0x2, expected CUC_SEARCH_UPPER or 0", 2, &x, &x, &at);
    REFUSED("sorted is NULL", 0, NULL, &x, &at);
    REFUSED("values is NULL", 0, &x, NULL, &at);
    REFUSED("at is NULL", 0, &x, &x, NULL);
    REFUSED("values is of f16, expected f32, the type of sorted", 0, &x, &half, &at);
    REFUSED("at is of f32, expected i32, u32, i64 or u64 for positions", 0, &x, &x, &x);
    half.dtype = CUC_E4M3;
    REFUSED("sorted is of e4m3, expected an integer, f16, bf16, f32 or f64", 0, &half, &half, &at);
    at.shape[0] = 3;
    REFUSED("outputs[0], at, has 3 elements, expected 4", 0, &x, &x, &at);
}

// ---- Shuffles

// The permutation of functions.c, in other words.
static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

static int64_t shuffled(int64_t i, int64_t n, int64_t number)
{
    uint64_t word = (uint64_t)number * 0x9e3779b97f4a7c15, lows = 2, highs, at = (uint64_t)i;
    uint32_t key = mixed((uint32_t)word), stride = mixed((uint32_t)(word >> 32) ^ key) | 1;

    while (lows * lows < (uint64_t)n)
        lows *= 2;
    highs = ((uint64_t)n + lows - 1) / lows;
    do {
        uint64_t low = at % lows, high = at / lows;
        for (uint32_t round = 0; round < 10; round += 2) {
            low = (low ^ mixed((uint32_t)high ^ (key + stride * round))) % lows;
            high += mixed((uint32_t)low ^ (key + stride * (round + 1))) * highs >> 32;
            high %= highs;
        }
        at = high * lows + low;
    } while (at >= (uint64_t)n);
    return (int64_t)at;
}

static void shuffle(struct array *y, int64_t n, int64_t number)
{
    cuc_algorithm *plan;
    char text[64];
    const char *inputs[] = { text }, *outputs[] = { "y: i64" };

    snprintf(text, sizeof(text), "shuffle(i, n, %lld)", (long long)number);
    ck_ok(cuc_algorithm_create(&plan, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM,
                                                     .inputs = inputs, .input_count = 1,
                                                     .outputs = outputs, .output_count = 1)));
    make(y, CUC_I64, n, 1);
    send(y);
    ck_ok(cuc_algorithm_run(stream, plan, CUC_ALGORITHM_ARGS(.outputs = &y->t, .output_count = 1)));
    receive(y, n);
    cuc_algorithm_release(plan);
}

TEST_SLICE(a_shuffle_is_a_permutation, slice, CUC_LENGTH(lengths))
{
    static const int64_t numbers[] = { 0, 1, 7, -1, INT64_C(0x123456789abcdef) };
    int64_t n = lengths[_i];

    for (int k = 0; k < CUC_LENGTH(numbers); k++) {
        struct array y;
        char *seen = calloc((size_t)n + 1, 1);
        shuffle(&y, n, numbers[k]);
        for (int64_t i = 0; i < n; i++) {
            int64_t at = (int64_t)get(&y, i);
            ck_assert_int_eq(at, shuffled(i, n, numbers[k]));
            ck_assert(at >= 0 && at < n && !seen[at]);
            seen[at] = 1;
        }
        free(seen);
        drop(&y);
    }
}

// Each of the 24 orders of four elements, and each place of two of 100, is as likely as the others.
// The bounds are those of a chi-squared distribution, which a random permutation exceeds once in
// 10^6 times.
TEST(all_orders_are_equally_likely)
{
    enum { NUMBERS = 24000 };
    int orders[24] = { 0 }, places[100] = { 0 }, steps[100] = { 0 };
    double sum = 0, sum_of_places = 0, sum_of_steps = 0;

    for (int64_t number = 0; number < NUMBERS; number++) {
        int64_t p[4], order = 0;
        for (int i = 0; i < 4; i++)
            p[i] = shuffled(i, 4, number);
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++)
                order = p[i] > p[j] ? order + (int64_t[]){ 6, 2, 1 }[i] : order;
        orders[order]++;
        places[shuffled(17, 100, number)]++;
        steps[(shuffled(18, 100, number) - shuffled(17, 100, number) + 100) % 100]++;
    }
    ck_assert_int_eq(steps[0], 0);
    for (int i = 0; i < 24; i++)
        sum += pow(orders[i] - NUMBERS / 24.0, 2) / (NUMBERS / 24.0);
    for (int i = 0; i < 100; i++)
        sum_of_places += pow(places[i] - NUMBERS / 100.0, 2) / (NUMBERS / 100.0);
    for (int i = 1; i < 100; i++)
        sum_of_steps += pow(steps[i] - NUMBERS / 99.0, 2) / (NUMBERS / 99.0);
    ck_assert_double_lt(sum, 69);
    ck_assert_double_lt(sum_of_places, 181);
    ck_assert_double_lt(sum_of_steps, 180);
}

TEST(a_shuffle_gathers_elements_by_a_seed_on_the_device)
{
    enum { COUNT = 3000 };
    cuc_algorithm *plan;
    struct array x, number, y;
    const char *inputs[] = { "x: f32", "seed: i64[]", "x[shuffle(i, n, seed[0])]" };
    const char *outputs[] = { "y: f32" };

    ck_ok(cuc_algorithm_create(&plan, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM,
                                                     .inputs = inputs, .input_count = 3,
                                                     .outputs = outputs, .output_count = 1)));
    make(&x, CUC_F32, COUNT, 1);
    make(&y, CUC_F32, COUNT, 1);
    make(&number, CUC_I64, 1, 1);
    for (int64_t i = 0; i < COUNT; i++)
        set(&x, i, (double)i * 2);
    set(&number, 0, -12345);
    send(&x);
    send(&y);
    send(&number);
    const cuc_tensor in[] = { x.t, number.t };
    ck_ok(cuc_algorithm_run(
        stream, plan,
        CUC_ALGORITHM_ARGS(.inputs = in, .input_count = 2, .outputs = &y.t, .output_count = 1)));
    receive(&y, COUNT);
    for (int64_t i = 0; i < COUNT; i++)
        ck_assert_double_eq(get(&y, i), (double)shuffled(i, COUNT, -12345) * 2);
    drop(&x);
    drop(&y);
    drop(&number);
    cuc_algorithm_release(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("searches");
}
