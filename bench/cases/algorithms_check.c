// Checks of the suite algorithms, on the host. Sorts and merges are checked by properties: the
// result is in order and has the same elements, compared by a sum of hashes.
#include "algorithms.h"
#include "reference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Elements

// Return an element's bits as an integer that compares like the element, with -0 before 0.
static uint64_t key(const void *x, int64_t i, cuc_dtype dtype)
{
    const uint32_t *x32 = x;
    const uint64_t *x64 = x;

    switch (dtype) {
    case CUC_U8:
        return ((const uint8_t *)x)[i];
    case CUC_U32:
        return x32[i];
    case CUC_I32:
        return x32[i] ^ 0x80000000u;
    case CUC_F32:
        return x32[i] ^ (x32[i] >> 31 ? 0xFFFFFFFFu : 0x80000000u);
    case CUC_I64:
        return x64[i] ^ 1ull << 63;
    case CUC_F64:
        return x64[i] ^ (x64[i] >> 63 ? UINT64_MAX : 1ull << 63);
    default:
        return x64[i];
    }
}

static double number(const void *x, int64_t i, cuc_dtype dtype)
{
    switch (dtype) {
    case CUC_U8:
        return ((const uint8_t *)x)[i];
    case CUC_U32:
        return ((const uint32_t *)x)[i];
    case CUC_I32:
        return ((const int32_t *)x)[i];
    case CUC_F32:
        return (double)((const float *)x)[i];
    case CUC_I64:
        return (double)((const int64_t *)x)[i];
    case CUC_U64:
        return (double)((const uint64_t *)x)[i];
    default:
        return ((const double *)x)[i];
    }
}

// The finalizer of splitmix64.
static uint64_t hash(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ x >> 27) * 0x94D049BB133111EBull;
    return x ^ x >> 31;
}

static uint64_t sum_of_hashes(const void *x, int64_t first, int64_t count, cuc_dtype dtype)
{
    uint64_t sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += hash(key(x, first + i, dtype));
    return sum;
}

// Host copies of a point's arrays, of the first set.
typedef struct copies {
    void *in[BENCH_ALGORITHM_ARRAYS], *out[BENCH_ALGORITHM_ARRAYS];
} copies;

static void free_copies(copies *c)
{
    for (int i = 0; i < BENCH_ALGORITHM_ARRAYS; i++) {
        free(c->in[i]);
        free(c->out[i]);
    }
}

static bool make_copies(copies *c, const algorithm_point *p)
{
    *c = (copies){ { NULL }, { NULL } };
    for (uint32_t i = 0; i < p->in_count; i++)
        if (!(c->in[i] = bench_read_input(p->in[i])))
            return false;
    for (uint32_t i = 0; i < p->out_count; i++)
        if (!(c->out[i] = bench_read_input(p->out[i])))
            return false;
    return true;
}

__attribute__((format(printf, 3, 4))) static cuc_status wrong(char *why, size_t size,
                                                              const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    vsnprintf(why, size, fmt, arguments);
    va_end(arguments);
    return 1;
}

// A check that has the copies.
typedef cuc_status compare(const algorithm_point *p, const copies *c, char *why, size_t size);

static cuc_status with_copies(algorithm_point *p, compare *function, char *why, size_t size)
{
    copies c;
    cuc_status st = make_copies(&c, p) ? function(p, &c, why, size) : cuc_error_status();

    free_copies(&c);
    return st;
}

#define CHECK(name)                                                                        \
    static compare compare_##name;                                                         \
    cuc_status bench_check_##name(algorithm_point *p, char *why, size_t why_size)          \
    {                                                                                      \
        return with_copies(p, compare_##name, why, why_size);                              \
    }                                                                                      \
    static cuc_status compare_##name(const algorithm_point *p, const copies *c, char *why, \
                                     size_t size)

// ---- Sums

// Bound the error of summing `count` elements between -1 and 1.
static double slack(cuc_dtype dtype, int64_t count, double of_f32)
{
    return (dtype == CUC_F32 ? of_f32 : of_f32 * 0x1p-29) * sqrt((double)count);
}

CHECK(sum)
{
    double sum = 0, got;

    if (p->dtype == CUC_I32 || p->dtype == CUC_I64) {
        uint64_t whole = 0, result;
        for (int64_t i = 0; i < p->n; i++)
            whole += p->dtype == CUC_I64 ? ((const uint64_t *)c->in[0])[i]
                                         : (uint64_t)((const int32_t *)c->in[0])[i];
        memcpy(&result, c->out[0], sizeof(result));
        return result == whole ? CUC_OK
                               : wrong(why, size, "the sum is %lld, expected %lld",
                                       (long long)result, (long long)whole);
    }
    for (int64_t i = 0; i < p->n; i++)
        sum += number(c->in[0], i, p->dtype);
    got = number(c->out[0], 0, p->dtype);
    return fabs(got - sum) <= slack(p->dtype, p->n, 1e-5)
               ? CUC_OK
               : wrong(why, size, "the sum is %g, expected %g", got, sum);
}

CHECK(scan)
{
    double sum = 0, most = slack(p->dtype, p->n, 1e-4);
    uint64_t whole = 0, mask = p->dtype == CUC_I32 ? UINT32_MAX : UINT64_MAX;

    for (int64_t i = 0; i < p->n; i++) {
        bool right;
        if (p->dtype == CUC_I32 || p->dtype == CUC_I64) {
            bool small = p->dtype == CUC_I32;
            const uint32_t *x32 = c->in[0], *y32 = c->out[0];
            const uint64_t *x64 = c->in[0], *y64 = c->out[0];
            whole += small ? x32[i] : x64[i];
            right = (small ? y32[i] : y64[i]) == (whole & mask);
        } else {
            sum += number(c->in[0], i, p->dtype);
            right = fabs(number(c->out[0], i, p->dtype) - sum) <= most;
        }
        if (!right)
            return wrong(why, size, "element %lld of the scan is %g", (long long)i,
                         number(c->out[0], i, p->dtype));
    }
    return CUC_OK;
}

// ---- Sorts

static cuc_status check_order(const void *y, int64_t first, int64_t count, cuc_dtype dtype,
                              uint64_t hashes, char *why, size_t size)
{
    for (int64_t i = first + 1; i < first + count; i++)
        if (key(y, i - 1, dtype) > key(y, i, dtype))
            return wrong(why, size, "element %lld is smaller than the one before it", (long long)i);
    if (sum_of_hashes(y, first, count, dtype) != hashes)
        return wrong(why, size, "from element %lld on, the sorted elements are others",
                     (long long)first);
    return CUC_OK;
}

CHECK(sort)
{
    cuc_status st = CUC_OK;

    for (int64_t row = 0; row < p->rows && st == CUC_OK; row++)
        st = check_order(c->out[0], row * p->n, p->n, p->dtype,
                         sum_of_hashes(c->in[0], row * p->n, p->n, p->dtype), why, size);
    return st;
}

CHECK(argsort)
{
    const int64_t *at = c->out[1];
    uint64_t given = 0, expected = 0;
    cuc_status st = check_order(c->out[0], 0, p->n, p->dtype,
                                sum_of_hashes(c->in[0], 0, p->n, p->dtype), why, size);

    for (int64_t i = 0; i < p->n && st == CUC_OK; i++) {
        given += hash((uint64_t)at[i]);
        expected += hash((uint64_t)i);
        if (at[i] < 0 || at[i] >= p->n)
            st = wrong(why, size, "index %lld is %lld", (long long)i, (long long)at[i]);
        else if (i && key(c->out[0], i - 1, p->dtype) == key(c->out[0], i, p->dtype) &&
                 at[i - 1] >= at[i])
            st = wrong(why, size, "equal elements changed their order at %lld", (long long)i);
        // Only some, because random reads of the input are slow.
        else if (i % 61 == 0 && key(c->in[0], at[i], p->dtype) != key(c->out[0], i, p->dtype))
            st = wrong(why, size, "index %lld is %lld, of another element", (long long)i,
                       (long long)at[i]);
    }
    if (st == CUC_OK && given != expected)
        st = wrong(why, size, "the indices are no permutation");
    return st;
}

CHECK(merge)
{
    int64_t half = p->n / 2;

    return check_order(c->out[0], 0, p->n, p->dtype,
                       sum_of_hashes(c->in[0], 0, half, p->dtype) +
                           sum_of_hashes(c->in[1], 0, p->n - half, p->dtype),
                       why, size);
}

CHECK(topk)
{
    int64_t k = p->k < p->n ? p->k : p->n;
    const int64_t *at = c->out[1];

    for (int64_t row = 0; row < p->rows; row++) {
        int64_t x = row * p->n, y = row * p->k, before = 0, ties = 0;
        uint64_t least = key(c->out[0], y + k - 1, p->dtype);
        for (int64_t j = 0; j < k; j++) {
            uint64_t this = key(c->out[0], y + j, p->dtype);
            if (at[y + j] < 0 || at[y + j] >= p->n ||
                key(c->in[0], x + at[y + j], p->dtype) != this)
                return wrong(why, size, "row %lld: element %lld is not that of its index",
                             (long long)row, (long long)j);
            uint64_t last = j ? key(c->out[0], y + j - 1, p->dtype) : UINT64_MAX;
            if (j && (this > last || (this == last && at[y + j - 1] >= at[y + j])))
                return wrong(why, size, "row %lld: element %lld is not in order", (long long)row,
                             (long long)j);
            before += this > least;
            ties += this == least;
        }
        for (int64_t i = 0; i < p->n; i++) {
            uint64_t this = key(c->in[0], x + i, p->dtype);
            before -= this > least;
            ties -= this == least && i <= at[y + k - 1];
        }
        if (before || ties)
            return wrong(why, size, "row %lld: other elements are larger", (long long)row);
    }
    return CUC_OK;
}

// ---- Selections, and runs of equal keys

static cuc_status check_count(const copies *c, int which, int64_t expected, char *why, size_t size)
{
    int64_t got;

    memcpy(&got, c->out[which], sizeof(got));
    return got == expected ? CUC_OK
                           : wrong(why, size, "the count is %lld, expected %lld", (long long)got,
                                   (long long)expected);
}

CHECK(select)
{
    int64_t kept = 0;

    for (int64_t i = 0; i < p->n; i++)
        if (number(c->in[0], i, p->dtype) > 0) {
            if (key(c->out[0], kept, p->dtype) != key(c->in[0], i, p->dtype))
                return wrong(why, size, "kept element %lld is not element %lld", (long long)kept,
                             (long long)i);
            kept++;
        }
    return check_count(c, 1, kept, why, size);
}

// Elements are whole numbers below n.
CHECK(unique)
{
    uint8_t *seen = calloc((size_t)p->n, 1);
    cuc_status st = seen ? CUC_OK : bench_no_memory("the elements");
    int64_t kept = 0;

    for (int64_t i = 0; i < p->n && st == CUC_OK; i++)
        seen[(int64_t)number(c->in[0], i, p->dtype)] = 1;
    for (int64_t v = 0; v < p->n && st == CUC_OK; v++)
        if (seen[v] && number(c->out[0], kept++, p->dtype) != (double)v)
            st = wrong(why, size, "element %lld is %g, expected %lld", (long long)kept - 1,
                       number(c->out[0], kept - 1, p->dtype), (long long)v);
    free(seen);
    return st ? st : check_count(c, 1, kept, why, size);
}

// Values are small whole numbers, whose sums are exact.
CHECK(reduce_by_key)
{
    const int32_t *keys = c->in[0], *got_keys = c->out[0];
    int64_t runs = 0;

    for (int64_t i = 0; i < p->n; runs++) {
        double sum = 0, got = number(c->out[1], runs, p->dtype);
        int32_t this = keys[i];
        while (i < p->n && keys[i] == this)
            sum += number(c->in[1], i++, p->dtype);
        if (got_keys[runs] != this || got != sum)
            return wrong(why, size, "run %lld has the key %d and sum %g, expected %d and %g",
                         (long long)runs, got_keys[runs], got, this, sum);
    }
    return check_count(c, 2, runs, why, size);
}

// A value that one half has n times and the other m times is max(n, m) times in their union.
CHECK(union)
{
    const int32_t *x = c->in[0], *y = c->in[1], *got = c->out[0];
    int64_t half = p->n / 2, rest = p->n - half, i = 0, j = 0, kept = 0;

    for (; i < half || j < rest; kept++) {
        bool from_x = i < half && (j == rest || x[i] <= y[j]);
        int32_t this = from_x ? x[i] : y[j];
        if (got[kept] != this)
            return wrong(why, size, "element %lld of the union is %d, expected %d", (long long)kept,
                         got[kept], this);
        j += j < rest && y[j] == this;
        i += from_x;
    }
    return check_count(c, 1, kept, why, size);
}

// ---- Others

CHECK(histogram)
{
    int64_t *expected = calloc((size_t)p->bins, sizeof(*expected));
    cuc_status st = expected ? CUC_OK : bench_no_memory("counts");
    const int32_t *got = c->out[0];
    double scale = p->bins / p->high; // a power of two, so products are exact

    for (int64_t i = 0; i < p->n && st == CUC_OK; i++) {
        double bin = number(c->in[0], i, p->dtype) * scale;
        if (bin >= 0 && bin < p->bins)
            expected[(int32_t)bin]++;
    }
    for (int32_t i = 0; i < p->bins && st == CUC_OK; i++)
        if (got[i] != expected[i])
            st = wrong(why, size, "bin %d has %d elements, expected %lld", i, got[i],
                       (long long)expected[i]);
    free(expected);
    return st;
}

CHECK(search)
{
    const int64_t *at = c->out[0];
    int64_t step = p->n >> 20 ? p->n >> 20 : 1; // each search reads far apart

    for (int64_t i = 0; i < p->n; i += step) {
        uint64_t value = key(c->in[1], i, p->dtype);
        if (at[i] < 0 || at[i] > p->n ||
            (at[i] > 0 && key(c->in[0], at[i] - 1, p->dtype) >= value) ||
            (at[i] < p->n && key(c->in[0], at[i], p->dtype) < value))
            return wrong(why, size, "value %lld is not found at %lld", (long long)i,
                         (long long)at[i]);
    }
    return CUC_OK;
}
