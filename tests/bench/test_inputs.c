// Tests inputs: the device and the host generate the same numbers, which match published values and
// have the right distributions.
#include "base/array.h"
#include "bench_testing.h"
#include "philox.h"

#include <cucore/system.h>

// Runs a function as the setup of a point that is then skipped.
static void in_setup(cuc_bench_setup setup, void *data, uint64_t seed)
{
    cuc_bench_result r = CUC_BENCH_RESULT_INIT;
    cuc_bench *bench;

    ck_ok(cuc_bench_create(&bench, CUC_BENCH_OPTIONS(.seed = seed)));
    ck_ok(cuc_bench_add_case(
        bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = setup, .data = data)));
    ck_ok(cuc_bench_run(bench, NULL));
    ck_ok(cuc_bench_get_result(&r, bench, 0));
    ck_assert_msg(r.outcome == CUC_BENCH_SKIPPED && strcmp(r.reason, "done") == 0, "%s", r.reason);
    cuc_bench_release(bench);
}

// The known answers of the Random123 library.
static const struct {
    unsigned counter[4], key[2], expected[4];
} answers[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
};

CASE("all", .timeout = 60);

TEST_ROWS(philox_gives_the_known_answers, answers)
{
    const unsigned *c = answers[_i].counter, *k = answers[_i].key;
    struct philox_recipe r = { .seed = (unsigned long long)k[1] << 32 | k[0],
                               .set = c[2],
                               .index = c[3] };
    unsigned w[4];

    philox(w, &r, (unsigned long long)c[1] << 32 | c[0]);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(w[i], answers[_i].expected[i]);
}

TEST(bits_are_the_first_two_words)
{
    uint64_t x[2];

    ck_ok(cuc_bench_generate(x, CUC_BENCH_INPUT(.count = 2, .dtype = CUC_U64), 0, 0, 0));
    ck_assert_uint_eq(x[0], 0xe169c58d6627e8d5);
    ck_assert_uint_ne(x[0], x[1]);
}

static const struct {
    int32_t fill;
    double low, high;
} fills[] = {
    { CUC_BENCH_UNIFORM, 0, 0 },  { CUC_BENCH_UNIFORM, 1, 100 }, { CUC_BENCH_NORMAL, 0, 0 },
    { CUC_BENCH_NORMAL, 3, 0.1 }, { CUC_BENCH_INTEGERS, 0, 0 },  { CUC_BENCH_INTEGERS, 0, 1 },
    { CUC_BENCH_ZEROS, 0, 0 },
};

enum { COUNT = 700 };

static const cuc_dtype types[] = {
    CUC_BOOL, CUC_I8,   CUC_I16, CUC_I32,  CUC_I64, CUC_U8,   CUC_U16,  CUC_U32, CUC_U64,
    CUC_F16,  CUC_BF16, CUC_F32, CUC_TF32, CUC_F64, CUC_E4M3, CUC_E5M2, CUC_C64, CUC_C128,
};

// Checks that the sets of an input on the device, and a set of an input in host memory, have the
// bytes that cuc_bench_generate() makes.
static void compare(cuc_bench_state *state, cuc_bench_input_options o, uint32_t *index)
{
    static uint8_t device[COUNT * 16], host[COUNT * 16];
    uint64_t seed = cuc_bench_state_seed(state);
    cuc_bench_input *input, *on_host;

    if (cuc_bench_generate(host, &o, seed, 0, 0) < 0)
        return; // another test covers inputs that cannot be made
    ck_ok(cuc_bench_state_add_input(&input, state, &o));
    uint64_t sets = cuc_bench_input_sets(input);
    if (cuc_driver_is_simulated())
        ck_assert_uint_eq(sets, 2);
    else
        ck_assert_uint_ge(sets, 2);
    ck_assert_uint_eq(cuc_bench_input_bytes(input), COUNT * cuc_dtype_bits(o.dtype) / 8);
    ck_assert_uint_eq(cuc_bench_input_ptr(input, 1) % 512, 0);
    ck_assert_uint_ne(cuc_bench_input_ptr(input, 0), cuc_bench_input_ptr(input, 1));
    ck_assert_uint_eq(cuc_bench_input_ptr(input, 0), cuc_bench_input_ptr(input, 3 * sets));
    ck_assert_ptr_null(cuc_bench_input_host(input, 0));
    for (uint32_t set = 0; set < 2; set++) {
        ck_ok(cuc_bench_generate(host, &o, seed, *index, set));
        ck_ok(cuc_bench_input_read(device, input, set));
        ck_assert_msg(memcmp(device, host, cuc_bench_input_bytes(input)) == 0,
                      "%s, fill %d, set %u", cuc_dtype_name(o.dtype), o.fill, set);
    }
    o.flags = CUC_BENCH_INPUT_HOST;
    o.sets = 3;
    ck_ok(cuc_bench_state_add_input(&on_host, state, &o));
    ck_assert_uint_eq(cuc_bench_input_sets(on_host), 3);
    ck_assert_uint_eq(cuc_bench_input_ptr(on_host, 0), 0);
    ck_ok(cuc_bench_generate(host, &o, seed, *index + 1, 2));
    ck_assert_int_eq(memcmp(cuc_bench_input_host(on_host, 5), host, cuc_bench_input_bytes(on_host)),
                     0);
    ck_ok(cuc_bench_input_read(device, on_host, 2));
    ck_assert_int_eq(memcmp(device, host, cuc_bench_input_bytes(on_host)), 0);
    *index += 2;
}

static cuc_status compare_all(cuc_bench_state *state, void *data)
{
    uint32_t index = 0;

    (void)data;
    for (int t = 0; t < CUC_LENGTH(types); t++)
        for (int f = 0; f < CUC_LENGTH(fills); f++)
            compare(state,
                    (cuc_bench_input_options){ .struct_size = sizeof(cuc_bench_input_options),
                                               .count = COUNT,
                                               .dtype = types[t],
                                               .fill = fills[f].fill,
                                               .low = fills[f].low,
                                               .high = fills[f].high },
                    &index);
    // 9 float types with seven fills, 8 integer types with five, and bool with four.
    ck_assert_uint_eq(index, 2 * (9 * 7 + 8 * 5 + 4));
    return cuc_bench_state_skip(state, "done");
}

TEST(the_device_makes_the_bytes_of_the_host)
{
    in_setup(compare_all, NULL, 0x123456789abcdef0);
}

// A small float format. Its codes are decoded according to the definition of the format.
struct format {
    cuc_dtype dtype;
    int exponent, mantissa;
    unsigned largest; // the largest finite code
};

static const struct format formats[] = {
    { CUC_F16, 5, 10, 0x7BFF },
    { CUC_BF16, 8, 7, 0x7F7F },
    { CUC_E4M3, 4, 3, 0x7E },
    { CUC_E5M2, 5, 2, 0x7B },
};

static double decode(const struct format *f, unsigned code)
{
    int bias = (1 << (f->exponent - 1)) - 1;
    unsigned e = code >> f->mantissa, m = code & ((1u << f->mantissa) - 1);

    return e ? ldexp(1 + ldexp(m, -f->mantissa), (int)e - bias) : ldexp(m, 1 - bias - f->mantissa);
}

// Returns the code of the finite number nearest to a magnitude, ties to the even one, by bisection.
static unsigned nearest(const struct format *f, double x)
{
    unsigned low = 0, high = f->largest;

    while (high - low > 1) {
        unsigned mid = (low + high) / 2;
        if (decode(f, mid) <= x)
            low = mid;
        else
            high = mid;
    }
    double down = x - decode(f, low), up = decode(f, high) - x;
    return down < up || (down == up && low % 2 == 0) ? low : high;
}

static const double scales[] = { 1, 1e-3, 1e-7, 3e-8, 1000, 1e5, 1e37, 0x1p-7, 0x1p-14, 0x1p-130 };

TEST_ROWS(small_floats_are_rounded_to_nearest_even, formats)
{
    const struct format *f = &formats[_i];
    static float x[5000];
    static uint16_t codes[5000];
    int bytes = (int)cuc_dtype_bits(f->dtype) / 8;

    for (int s = 0; s < CUC_LENGTH(scales); s++) {
        // For the scale 1000, use integers, which produce ties.
        cuc_bench_input_options o = { .struct_size = sizeof(o),
                                      .count = CUC_LENGTH(x),
                                      .dtype = CUC_F32,
                                      .low = -scales[s],
                                      .high = scales[s],
                                      .fill = s == 4 ? CUC_BENCH_INTEGERS : CUC_BENCH_UNIFORM };
        ck_ok(cuc_bench_generate(x, &o, 5, 0, 0));
        o.dtype = f->dtype;
        ck_ok(cuc_bench_generate(codes, &o, 5, 0, 0));
        for (int i = 0; i < CUC_LENGTH(x); i++) {
            unsigned code = bytes == 2 ? codes[i] : ((uint8_t *)codes)[i];
            unsigned sign = signbit(x[i]) ? 1u << (8 * bytes - 1) : 0;
            unsigned expected = sign | nearest(f, fabs((double)x[i]));
            ck_assert_msg(code == expected, "%s of %a is 0x%x, expected 0x%x",
                          cuc_dtype_name(f->dtype), (double)x[i], code, expected);
        }
    }
}

static double moment(const double *x, int n, double about, int power)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += pow(x[i] - about, power) / n;
    return sum;
}

TEST(numbers_have_the_distribution_that_their_name_says)
{
    enum { N = 100000 };
    double *x = malloc(N * sizeof(*x));
    int within = 0, seen[9] = { 0 };

    ck_assert_ptr_nonnull(x);
    ck_ok(cuc_bench_generate(x, CUC_BENCH_INPUT(.count = N, .dtype = CUC_F64), 1, 2, 3));
    ck_assert_double_eq_tol(moment(x, N, 0, 1), 0, 0.005);
    ck_assert_double_eq_tol(moment(x, N, 0, 2), 1.0 / 3, 0.005);
    for (int i = 0; i < N; i++)
        ck_assert(x[i] >= -1 && x[i] < 1);
    ck_ok(cuc_bench_generate(
        x, CUC_BENCH_INPUT(.count = N, .dtype = CUC_F64, .fill = CUC_BENCH_NORMAL), 1, 2, 3));
    ck_assert_double_eq_tol(moment(x, N, 0, 1), 0, 0.01);
    ck_assert_double_eq_tol(moment(x, N, 0, 2), 1, 0.015);
    ck_assert_double_eq_tol(moment(x, N, 0, 3), 0, 0.04);
    ck_assert_double_eq_tol(moment(x, N, 0, 4), 3 - 1.2 / 8, 0.07); // a sum of eight
    for (int i = 0; i < N; i++)
        within += fabs(x[i]) < 1.96;
    ck_assert_double_eq_tol((double)within / N, 0.95, 0.004);
    ck_ok(cuc_bench_generate(
        x, CUC_BENCH_INPUT(.count = N, .dtype = CUC_F64, .fill = CUC_BENCH_INTEGERS), 1, 2, 3));
    for (int i = 0; i < N; i++) {
        ck_assert(x[i] == floor(x[i]) && x[i] >= -4 && x[i] <= 4);
        seen[(int)x[i] + 4]++;
    }
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol((double)seen[i] / N, 1.0 / 9, 0.003);
    free(x);
}

static const struct {
    uint64_t seed;
    uint32_t index, set;
} others[] = { { 8, 0, 0 }, { 7 + (UINT64_C(1) << 32), 0, 0 }, { 7, 1, 0 }, { 7, 0, 1 } };

TEST_ROWS(each_seed_input_and_set_has_different_numbers, others)
{
    uint32_t a[256], b[256];
    int same = 0;
    const cuc_bench_input_options *o = CUC_BENCH_INPUT(.count = 256, .dtype = CUC_U32);

    ck_ok(cuc_bench_generate(a, o, 7, 0, 0));
    ck_ok(cuc_bench_generate(b, o, others[_i].seed, others[_i].index, others[_i].set));
    for (int i = 0; i < 256; i++)
        same += a[i] == b[i];
    ck_assert_int_le(same, 1);
    ck_ok(cuc_bench_generate(b, o, 7, 0, 0));
    ck_assert_int_eq(memcmp(a, b, sizeof(a)), 0);
}

static const struct {
    cuc_bench_input_options o;
    const char *fragment;
} bad[] = {
    { { .dtype = CUC_F32 }, "0 elements of dtype 12 (f32)" },
    { { .count = 1 }, "1 elements of dtype 0 (unknown)" },
    { { .count = UINT64_MAX, .dtype = CUC_F32 }, "18446744073709551615 elements" },
    { { .count = 1, .dtype = CUC_F32, .fill = 9 }, "fill is 9" },
    { { .count = 1, .dtype = CUC_F32, .flags = 4 }, "flags is 0x4" },
    { { .count = 1, .dtype = CUC_I32, .fill = CUC_BENCH_NORMAL },
      "i32 elements cannot be filled with normal numbers" },
    { { .count = 1, .dtype = CUC_E8M0 }, "e8m0 elements cannot be filled with uniform numbers" },
    { { .count = 1, .dtype = CUC_I8, .low = -200, .high = 5 }, "i8 is from -128 to 127" },
    { { .count = 1, .dtype = CUC_U8, .fill = CUC_BENCH_INTEGERS, .low = -1, .high = 5 },
      "u8 is from 0 to 255" },
    { { .count = 1, .dtype = CUC_I32, .low = 0.5, .high = 5 }, "expected whole numbers" },
    { { .count = 1, .dtype = CUC_F32, .fill = CUC_BENCH_INTEGERS, .low = 5, .high = 4 },
      "expected whole numbers, in order" },
    { { .count = 1, .dtype = CUC_F32, .low = NAN }, "expected two finite numbers" },
};

static cuc_status ask_for_bad(cuc_bench_state *state, void *data)
{
    int i = *(int *)data;
    cuc_bench_input_options o = bad[i].o;
    cuc_bench_input *input = NULL;

    o.struct_size = sizeof(o);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_state_add_input(&input, state, &o),
             bad[i].fragment);
    ck_assert_ptr_null(input);
    return cuc_bench_state_skip(state, "done");
}

TEST_ROWS(an_input_that_cannot_be_made_is_reported, bad)
{
    int i = _i;

    in_setup(ask_for_bad, &i, 0);
}

static cuc_status ask_for_much(cuc_bench_state *state, void *data)
{
    cuc_bench_input *input = data;

    cuc_status st = cuc_bench_state_add_input(
        &input, state,
        CUC_BENCH_INPUT(.count = UINT64_C(1) << 44, .dtype = CUC_F32, .fill = CUC_BENCH_NONE));
    ck_assert_int_eq(st, CUC_ERROR_OUT_OF_DEVICE_MEMORY);
    return cuc_bench_state_skip(state, "done");
}

TEST(an_input_larger_than_the_device_does_not_fit)
{
    in_setup(ask_for_much, NULL, 0);
}

int main(void)
{
    return run_tests("bench_inputs");
}
