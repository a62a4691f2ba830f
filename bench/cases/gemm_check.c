// See gemm_check.h.
#include "gemm_check.h"

#include "base/helpers.h"
#include "reference.h"

#include <cucore/copy.h>
#include <cucore/error.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// POISON fills bytes with a value that no product of floats yields: NaN or more than 10^38. An
// integer becomes one near 2^31.
enum { LINES = 16, POISON = 0x7F, PARTS = 64 };

// Selected rows of a matrix product. Its columns are handled as rows of the transposed product.
typedef struct lines {
    bench_product product;
    int64_t at[LINES];                      // which rows
    double (*factors)[LINES];               // [k] elements of the left operand, one per row
    double (*sums)[LINES], (*sizes)[LINES]; // [n] elements of the result, one per row, and their
                                            // sums of absolute values
} lines;

struct bench_product_reference {
    bench_product product;
    const cuc_bench_input *a, *b, *extra;
    lines rows, columns;
    bool computed;
};

// ---- The reference

static const void *element(const void *array, cuc_dtype dtype, int64_t index)
{
    return (const char *)array + (size_t)index * (cuc_dtype_bits(dtype) / 8);
}

static uint64_t scrambled(uint64_t x)
{
    x += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

// Choose the first row, the last, and a random one from each band between.
static void choose(lines *l, uint64_t seed)
{
    int64_t count = l->product.m;

    for (int i = 0; i < LINES; i++) {
        int64_t low = i * count / LINES, high = (i + 1) * count / LINES;
        uint64_t random = scrambled(seed + (uint64_t)i);
        l->at[i] = high > low ? low + (int64_t)(random % (uint64_t)(high - low)) : low;
    }
    l->at[0] = 0;
    l->at[LINES - 1] = count - 1;
}

static cuc_status make(lines *l, cuc_bench_state *state, const bench_product *product)
{
    size_t k = (size_t)product->k, n = (size_t)product->n;
    double(*block)[LINES] = bench_allocate(state, (k + 2 * n) * sizeof(*block));

    if (!block)
        return cuc_error_status();
    l->product = *product;
    l->factors = block;
    l->sums = block + k;
    l->sizes = l->sums + n;
    choose(l, cuc_bench_state_seed(state));
    return CUC_OK;
}

static bench_product transposed(const bench_product *p)
{
    bench_product t = *p;

    t.m = p->n;
    t.n = p->m;
    t.transposed_a = !p->transposed_b;
    t.transposed_b = !p->transposed_a;
    return t;
}

bench_product_reference *bench_product_reference_create(cuc_bench_state *state,
                                                        const bench_product *product,
                                                        const cuc_bench_input *a,
                                                        const cuc_bench_input *b,
                                                        const cuc_bench_input *extra)
{
    bench_product_reference *r = bench_allocate(state, sizeof(*r));
    bench_product of_columns = transposed(product);

    if (!r || make(&r->rows, state, product) < 0 || make(&r->columns, state, &of_columns) < 0)
        return NULL;
    r->product = *product;
    r->a = a;
    r->b = b;
    r->extra = extra;
    return r;
}

static void add(double sums[LINES], double sizes[LINES], const double factors[LINES], double by)
{
    for (int row = 0; row < LINES; row++) {
        double one = factors[row] * by;
        sums[row] += one;
        sizes[row] += fabs(one);
    }
}

// Some columns of `lines`, which a thread multiplies.
typedef struct part {
    struct cuc__task task;
    lines *lines;
    const void *right;
    int64_t first, end;
    double *line; // room for k or end - first elements
} part;

// Traverse `right` in memory order.
static void multiply_part(void *user)
{
    const part *t = user;
    lines *l = t->lines;
    const bench_product *p = &l->product;
    bench_reader *read = bench_reader_of(p->dtype);
    bool along_k = !p->transposed_b;
    int64_t first = along_k ? t->first : 0, end = along_k ? t->end : p->k;
    int64_t length = along_k ? p->k : t->end - t->first;

    for (int64_t i = first; i < end; i++) {
        int64_t at = along_k ? i * p->k : i * p->n + t->first;
        read(t->line, element(t->right, p->dtype, at), (size_t)length, 1);
        for (int64_t j = 0; j < length; j++) {
            int64_t k = along_k ? j : i, n = along_k ? i : t->first + j;
            add(l->sums[n], l->sizes[n], l->factors[k], t->line[j]);
        }
    }
}

static void read_factors(lines *l, const void *left, double *line)
{
    const bench_product *p = &l->product;
    bench_reader *read = bench_reader_of(p->dtype);

    for (int row = 0; row < LINES; row++) {
        int64_t first = p->transposed_a ? l->at[row] * p->k : l->at[row];
        read(line, element(left, p->dtype, first), (size_t)p->k,
             p->transposed_a ? 1 : (size_t)p->m);
        for (int64_t k = 0; k < p->k; k++)
            l->factors[k][row] = line[k];
    }
}

// Multiply, on as many threads as the columns occupy. `space` has room for PARTS * (k + n)
// elements.
static void multiply(lines *l, const void *left, const void *right, double *space,
                     struct cuc__helpers *helpers)
{
    const bench_product *p = &l->product;
    part parts[PARTS];
    int64_t step = (p->n + PARTS - 1) / PARTS;

    read_factors(l, left, space); // also fills the reader's table, before threads read it
    for (int i = 0; i < PARTS; i++) {
        int64_t first = i * step < p->n ? i * step : p->n;
        int64_t end = first + step < p->n ? first + step : p->n;
        parts[i] = (part){ .task = { .run = multiply_part, .user = &parts[i] },
                           .lines = l,
                           .right = right,
                           .first = first,
                           .end = end,
                           .line = space + i * (p->k + p->n) };
        if (helpers)
            cuc__helpers_offer(helpers, &parts[i].task, false);
    }
    for (int i = 0; i < PARTS; i++) {
        if (helpers)
            cuc__helpers_finish(helpers, &parts[i].task);
        else
            multiply_part(&parts[i]);
    }
}

static cuc_status compute(bench_product_reference *r)
{
    const bench_product *p = &r->product;
    int64_t longest = p->m > p->n ? p->m : p->n;
    double *space = malloc((size_t)(PARTS * (p->k + longest)) * sizeof(*space));
    void *a = bench_read_input(r->a), *b = bench_read_input(r->b);
    cuc_status st = !space ? bench_no_memory("a reference") : a && b ? CUC_OK : cuc_error_status();

    if (st >= 0) {
        int64_t last = p->batch > 1 ? p->batch - 1 : 0;
        const void *last_a = element(a, p->dtype, p->skipped + last * p->m * p->k);
        const void *last_b = element(b, p->dtype, p->skipped + last * p->k * p->n);
        // Without threads the caller does all parts.
        struct cuc__helpers *helpers = cuc__helpers_start(CUC__HELPERS);
        multiply(&r->rows, last_a, last_b, space, helpers);
        multiply(&r->columns, last_b, last_a, space, helpers);
        cuc__helpers_stop(helpers);
        r->computed = true;
    }
    free(b);
    free(a);
    free(space);
    return st;
}

// ---- Comparison of results with the reference

// Return the allowed error. The products are exact; their sums round as f32, in any order, and the
// result rounds once more. Partial sums, which grow with the square root of their length, may be
// rounded to the result type when combined. For 8-bit floats Hopper keeps fewer bits of the sums.
static double allowed(const bench_product *p, double sum, double size)
{
    double of_sums = p->dtype == CUC_E4M3 ? 0x1p-10 : 0x1p-16;

    return bench_epsilon(p->out_dtype) * (2 * fabs(sum) + sqrt((double)p->k) / 2) + of_sums * size +
           0x1p-24;
}

// Return the element at row and column after the epilogue.
static double finished(const bench_product *p, const void *extra, double sum, int64_t row,
                       int64_t at)
{
    double x = 0;

    if (p->after == BENCH_NOTHING_AFTER)
        return sum;
    if (p->after == BENCH_SILU)
        return sum / (1 + exp(-sum));
    bench_reader_of(p->out_dtype)(
        &x, element(extra, p->out_dtype, p->after == BENCH_BIAS_GELU ? row : at), 1, 1);
    x += sum;
    return p->after == BENCH_RESIDUAL
               ? x
               : x / 2 * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

// Compare the selected rows of the result, or its columns if `columns` is set, with d, which is
// column-major.
static cuc_status compare(const lines *l, bool columns, const void *d, const void *extra, char *why,
                          size_t why_size)
{
    const bench_product *p = &l->product;
    bench_reader *read = bench_reader_of(p->out_dtype);

    for (int line = 0; line < LINES; line++)
        for (int64_t n = 0; n < p->n; n++) {
            int64_t row = columns ? n : l->at[line], column = columns ? l->at[line] : n;
            int64_t at = row + column * (columns ? p->n : p->m);
            double got, expected = finished(p, extra, l->sums[n][line], row, at);
            read(&got, element(d, p->out_dtype, at), 1, 1);
            if (fabs(got - expected) <= allowed(p, expected, l->sizes[n][line]))
                continue;
            snprintf(why, why_size, "row %lld, column %lld is %g, expected %g", (long long)row,
                     (long long)column, got, expected);
            return 1;
        }
    return CUC_OK;
}

// Return the first index that still holds the poison, or `count`.
static int64_t find_poison(const void *d, uint32_t bits, int64_t count)
{
    const uint8_t *bytes = d;
    const uint16_t *halves = d;
    const uint32_t *words = d;
    int64_t i = 0;

    if (bits == 8)
        while (i < count && bytes[i] != POISON)
            i++;
    else if (bits == 16)
        while (i < count && halves[i] != POISON * 0x101)
            i++;
    else
        while (i < count && words[i] != POISON * 0x1010101)
            i++;
    return i;
}

static cuc_status find_unwritten(const bench_product *p, const void *d, char *why, size_t why_size)
{
    int64_t count = p->m * p->n * (p->batch > 1 ? p->batch : 1);
    int64_t at = find_poison(d, cuc_dtype_bits(p->out_dtype), count);

    if (at == count || p->out_dtype == CUC_I32) // any integer is a possible result
        return CUC_OK;
    snprintf(why, why_size, "row %lld, column %lld was not written", (long long)(at % p->m),
             (long long)(at / p->m));
    return 1;
}

cuc_status bench_product_poison(const cuc_bench_input *d, cuc_stream *stream)
{
    return cuc_fill(stream, cuc_bench_input_ptr(d, 0), POISON, 1, cuc_bench_input_bytes(d));
}

cuc_status bench_product_check(bench_product_reference *r, const cuc_bench_input *d, char *why,
                               size_t why_size)
{
    cuc_status st = r->computed ? CUC_OK : compute(r);
    void *got = st >= 0 ? bench_read_input(d) : NULL;
    void *extra = got && r->extra ? bench_read_input(r->extra) : NULL;

    if (!got || (r->extra && !extra)) {
        free(got);
        return st < 0 ? st : cuc_error_status();
    }
    const bench_product *p = &r->product;
    const void *d_data = element(got, p->out_dtype, p->skipped);
    const void *last =
        element(d_data, p->out_dtype, p->batch > 1 ? (p->batch - 1) * p->m * p->n : 0);
    if ((st = find_unwritten(p, d_data, why, why_size)) == CUC_OK &&
        (st = compare(&r->rows, false, last, extra, why, why_size)) == CUC_OK)
        st = compare(&r->columns, true, last, extra, why, why_size);
    free(extra);
    free(got);
    return st;
}
