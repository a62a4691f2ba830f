// Propagates bounds and divisors of integers through ops (range.h).
#include "range.h"

#include "tile/ir/scalar.h"

uint64_t tile_common_divisor(uint64_t x, uint64_t y)
{
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static uint64_t size_of(int64_t x)
{
    return x < 0 ? -(uint64_t)x : (uint64_t)x;
}

struct tile_range tile_range_any(cuc_dtype dtype)
{
    uint32_t bits = cuc_dtype_bits(dtype);

    if (dtype == CUC_BOOL)
        return (struct tile_range){ 0, 1, 1 };
    if (!tile_is_integer(dtype) || bits == 64)
        return (struct tile_range){ INT64_MIN, INT64_MAX, 1 };
    if (tile_is_signed(dtype))
        return (struct tile_range){ -(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1,
                                    1 };
    return (struct tile_range){ 0, (INT64_C(1) << bits) - 1, 1 };
}

bool tile_range_is_none(struct tile_range x)
{
    return x.low > x.high;
}

struct tile_range tile_range_exactly(int64_t i)
{
    return (struct tile_range){ i, i, size_of(i) };
}

struct tile_range tile_range_between(int64_t low, int64_t high, uint64_t divisor)
{
    return low == high ? tile_range_exactly(low) : (struct tile_range){ low, high, divisor };
}

struct tile_range tile_range_join(struct tile_range x, struct tile_range y)
{
    if (tile_range_is_none(x) || tile_range_is_none(y))
        return tile_range_is_none(x) ? y : x;
    return (struct tile_range){ x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high,
                                tile_common_divisor(x.divisor, y.divisor) };
}

bool tile_range_same(struct tile_range x, struct tile_range y)
{
    return x.low == y.low && x.high == y.high && x.divisor == y.divisor;
}

bool tile_range_is_open(cuc_dtype dtype, struct tile_range x)
{
    return dtype == CUC_U64 && (x.low < 0 || x.high == INT64_MAX);
}

struct tile_range tile_range_convert(cuc_dtype dtype, bool overflows, struct tile_range x)
{
    struct tile_range all = tile_range_any(dtype);
    bool fits = !overflows && x.low >= all.low && x.high <= all.high &&
                !tile_range_is_open(dtype, x);

    if (fits)
        return tile_range_between(x.low, x.high, x.divisor);
    uint32_t bits = cuc_dtype_bits(dtype);
    uint64_t power = x.divisor & -x.divisor;
    all.divisor = !x.divisor                                 ? 1
                  : bits < 64 && power > UINT64_C(1) << bits ? UINT64_C(1) << bits
                                                             : power;
    return all;
}

struct tile_range tile_range_product(cuc_dtype dtype, struct tile_range x, struct tile_range y)
{
    int64_t corner[4];
    bool overflows = __builtin_mul_overflow(x.low, y.low, &corner[0]);
    struct tile_range out = { INT64_MAX, INT64_MIN, 0 };

    overflows |= __builtin_mul_overflow(x.low, y.high, &corner[1]);
    overflows |= __builtin_mul_overflow(x.high, y.low, &corner[2]);
    overflows |= __builtin_mul_overflow(x.high, y.high, &corner[3]);
    for (uint32_t i = 0; i < 4; i++) {
        out.low = corner[i] < out.low ? corner[i] : out.low;
        out.high = corner[i] > out.high ? corner[i] : out.high;
    }
    if (__builtin_mul_overflow(x.divisor, y.divisor, &out.divisor))
        out.divisor = x.divisor > y.divisor ? x.divisor : y.divisor;
    return tile_range_convert(dtype, overflows, out);
}

static bool is_open_either(cuc_dtype dtype, struct tile_range x, struct tile_range y)
{
    return tile_range_is_open(dtype, x) || tile_range_is_open(dtype, y);
}

// Returns a range with unknown bounds and the common divisor of both operands.
static struct tile_range unbounded(cuc_dtype dtype, struct tile_range x, struct tile_range y)
{
    struct tile_range out = tile_range_any(dtype);

    out.divisor = tile_common_divisor(x.divisor, y.divisor);
    return tile_range_convert(dtype, true, out);
}

struct tile_range tile_range_sum(enum tile_op_kind kind, cuc_dtype dtype, struct tile_range x,
                                 struct tile_range y)
{
    struct tile_range out = { 0, 0, tile_common_divisor(x.divisor, y.divisor) };
    bool overflows;

    (void)kind;
    if (is_open_either(dtype, x, y))
        return unbounded(dtype, x, y);
    overflows = __builtin_add_overflow(x.low, y.low, &out.low);
    overflows |= __builtin_add_overflow(x.high, y.high, &out.high);
    return tile_range_convert(dtype, overflows, out);
}

struct tile_range tile_range_difference(enum tile_op_kind kind, cuc_dtype dtype,
                                        struct tile_range x, struct tile_range y)
{
    struct tile_range out = { 0, 0, tile_common_divisor(x.divisor, y.divisor) };
    bool overflows;

    (void)kind;
    if (is_open_either(dtype, x, y))
        return unbounded(dtype, x, y);
    overflows = __builtin_sub_overflow(x.low, y.high, &out.low);
    overflows |= __builtin_sub_overflow(x.high, y.low, &out.high);
    return tile_range_convert(dtype, overflows, out);
}

struct tile_range tile_range_extremum(enum tile_op_kind kind, cuc_dtype dtype, struct tile_range x,
                                      struct tile_range y)
{
    bool least = kind == TILE_MINIMUM;

    if (is_open_either(dtype, x, y))
        return unbounded(dtype, x, y);
    return tile_range_between((x.low < y.low) == least ? x.low : y.low,
                              (x.high < y.high) == least ? x.high : y.high,
                              tile_common_divisor(x.divisor, y.divisor));
}

struct tile_range tile_range_multiple(enum tile_op_kind kind, cuc_dtype dtype, struct tile_range x,
                                      struct tile_range y)
{
    (void)kind;
    return is_open_either(dtype, x, y) ? tile_range_any(dtype) : tile_range_product(dtype, x, y);
}

static int64_t divided(enum tile_op_kind kind, int64_t x, int64_t y)
{
    const tile_wide operand[3] = { x, y, 0 };
    tile_wide out = 0;

    tile_int_compute(kind, operand, 64, &out);
    return (int64_t)out;
}

// Returns the range of a quotient, which is unknown unless the divisor is a positive constant.
struct tile_range tile_range_quotient(enum tile_op_kind kind, cuc_dtype dtype, struct tile_range x,
                                      struct tile_range y)
{
    uint64_t divisor = 1;

    if (is_open_either(dtype, x, y) || y.low != y.high || y.low < 1)
        return tile_range_any(dtype);
    if (kind == TILE_MOD)
        return x.low >= 0 && x.high < y.low
                   ? x
                   : tile_range_between(0, y.low - 1,
                                        tile_common_divisor(x.divisor, (uint64_t)y.low));
    if (x.divisor % (uint64_t)y.low == 0)
        divisor = x.divisor / (uint64_t)y.low;
    return tile_range_between(divided(kind, x.low, y.low), divided(kind, x.high, y.low), divisor);
}

// Returns the range of x & y. Every bit set in the result is set in both operands. The result
// therefore keeps the trailing zeros of x and y, and a non-negative operand bounds it.
struct tile_range tile_range_masked(enum tile_op_kind kind, cuc_dtype dtype, struct tile_range x,
                                    struct tile_range y)
{
    struct tile_range out = tile_range_any(dtype);
    uint64_t a = x.divisor & -x.divisor, b = y.divisor & -y.divisor;

    (void)kind;
    if (is_open_either(dtype, x, y))
        return out;
    if (!x.divisor || !y.divisor)
        return tile_range_exactly(0);
    out.divisor = a > b ? a : b;
    if (x.low >= 0 || y.low >= 0) {
        out.low = 0;
        out.high = x.low < 0 ? y.high : y.low < 0 ? x.high : x.high < y.high ? x.high : y.high;
    }
    return out;
}

struct tile_range tile_range_shifted(enum tile_op_kind kind, cuc_dtype dtype, struct tile_range x,
                                     struct tile_range y)
{
    if (is_open_either(dtype, x, y) || y.low != y.high || y.low < 0 ||
        y.low >= (int64_t)cuc_dtype_bits(dtype) || y.low > 62)
        return tile_range_any(dtype);
    struct tile_range power = tile_range_exactly(INT64_C(1) << y.low);
    return kind == TILE_SHL ? tile_range_product(dtype, x, power)
                            : tile_range_quotient(TILE_FLOORDIV, dtype, x, power);
}
