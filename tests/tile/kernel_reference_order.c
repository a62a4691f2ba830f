// References for kernels that move elements: sorting, rows selected by id, stencils, messages. See
// kernel_reference.h.
#include "kernel_reference.h"

#include <stdlib.h>
#include <string.h>

// ---- Histograms, sorting

void prepare_bins(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] = (double)kernel_random(40);
}

void expect_histogram(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        if (a[0].at[i] < (double)a[1].count)
            a[1].at[(int64_t)a[0].at[i]]++;
}

// Arguments: x, id, total
void prepare_segments(struct numbers *a)
{
    for (int64_t i = 0; i < a[1].count; i++)
        a[1].at[i] = (double)kernel_random((uint64_t)a[2].count + 3) - 1;
}

void expect_segmented_sum(struct numbers *a)
{
    for (int64_t i = 0; i < a[1].count; i++)
        if (a[1].at[i] >= 0 && a[1].at[i] < (double)a[2].count)
            a[2].at[(int64_t)a[1].at[i]] += a[0].at[i];
}

void prepare_ties(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] = (double)kernel_random(12) - 6;
}

// Arguments: x, value, at. Repeatedly takes the largest remaining element; the first of equal
// elements wins.
void expect_top(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        const double *x = row_of(&a[0], r);
        bool *taken = calloc((size_t)a[0].extent[1], sizeof(*taken));
        for (int64_t k = 0; taken && k < a[1].extent[1]; k++) {
            int64_t best = -1;
            for (int64_t n = 0; n < a[0].extent[1]; n++)
                if (!taken[n] && (best < 0 || x[n] > x[best]))
                    best = n;
            taken[best] = true;
            row_of(&a[1], r)[k] = x[best];
            row_of(&a[2], r)[k] = (double)best;
        }
        free(taken);
    }
}

static int compare_doubles(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return a != a || b != b ? (a != a) - (b != b) : (a > b) - (a < b);
}

void expect_sorted_rows(struct numbers *a)
{
    expect_copy(a);
    for (int64_t r = 0; r < a[1].extent[0]; r++)
        qsort(row_of(&a[1], r), (size_t)a[1].extent[1], sizeof(double), compare_doubles);
}

static int64_t digit_of(double key, double shift, int64_t radix)
{
    return (int64_t)key >> (int64_t)shift & (radix - 1);
}

// Arguments: key, count. Keys past the last one have the last digit.
void expect_radix_count(struct numbers *a)
{
    int64_t radix = a[1].extent[1], bits = 32 / a[1].extent[0], length = 64;

    for (int64_t i = 0; i < (a[0].count + length - 1) / length * length; i++)
        for (int64_t row = 0; row < a[1].extent[0]; row++) {
            double key = i < a[0].count ? a[0].at[i] : UINT32_MAX;
            a[1].at[row * radix + digit_of(key, (double)(row * bits), radix)]++;
        }
}

// Arguments: key, count, ...
void prepare_counts(struct numbers *a)
{
    memset(a[1].at, 0, (size_t)a[1].count * sizeof(double));
    expect_radix_count(a);
}

// Arguments: key, value, told, ticket, out, values, row; a[1] and a[5] may be NULL. The last
// message of each tile holds 2 << 30 plus the number of keys with the digit up to the tile's end,
// where keys past the last one have the last digit.
static void radix_pass(struct numbers *const *a)
{
    int64_t radix = a[7]->extent[1], bits = 32 / a[7]->extent[0], at = 0;
    int64_t tiles = a[2]->count / radix;
    int64_t length = 64; // the smallest BN in the table that suffices

    while (length * tiles < a[0]->count)
        length *= 2;
    for (int64_t digit = 0; digit < radix; digit++) {
        int64_t before = at;
        for (int64_t i = 0; i < tiles * length; i++) {
            bool there = i < a[0]->count;
            if (there && digit_of(a[0]->at[i], a[6]->at[0] * (double)bits, radix) == digit) {
                a[4]->at[at] = a[0]->at[i];
                if (a[5])
                    a[5]->at[at] = a[1]->at[i];
                at++;
            }
            int64_t pads = there || digit + 1 < radix ? 0 : i + 1 - a[0]->count;
            a[2]->at[i / length * radix + digit] = 0x2p30 + (double)(at - before + pads);
        }
    }
    a[3]->at[0] = (double)tiles;
}

// Arguments: key, count, told, ticket, out, row
void expect_radix_pass(struct numbers *a)
{
    radix_pass((struct numbers *[]){ &a[0], NULL, &a[2], &a[3], &a[4], NULL, &a[5], &a[1] });
}

// Arguments: key, value, count, told, ticket, out, values, row
void prepare_counts_of_pairs(struct numbers *a)
{
    struct numbers keys[] = { a[0], a[2] };

    prepare_counts(keys);
}

void expect_radix_pass_pairs(struct numbers *a)
{
    radix_pass((struct numbers *[]){ &a[0], &a[1], &a[3], &a[4], &a[5], &a[6], &a[7], &a[2] });
}

// ---- Rows by ids

static void random_ids(struct numbers *id, int64_t rows)
{
    for (int64_t i = 0; i < id->count; i++)
        id->at[i] = (double)kernel_random((uint64_t)rows + 3) - 2;
}

// Arguments: id, table, out
void prepare_rows(struct numbers *a)
{
    random_ids(&a[0], a[1].extent[0]);
}

// Arguments: id, x, table
void prepare_rows_again(struct numbers *a)
{
    random_ids(&a[0], a[2].extent[0]);
}

// Arguments: id, x, table. All ids differ, because any one of the rows with equal ids may win. One
// id is out of range.
void prepare_rows_once(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] = (double)((i * 7) % a[0].count - 1);
}

void expect_gathered_rows(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].count; r++)
        for (int64_t i = 0; i < a[1].extent[1]; i++) {
            bool there = a[0].at[r] >= 0 && a[0].at[r] < (double)a[1].extent[0];
            row_of(&a[2], r)[i] = there ? row_of(&a[1], (int64_t)a[0].at[r])[i] : 0;
        }
}

// Arguments: id, table, w, out
void expect_gemm_rows(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].count; r++)
        for (int64_t n = 0; n < a[2].extent[0]; n++) {
            bool there = a[0].at[r] >= 0 && a[0].at[r] < (double)a[1].extent[0];
            double sum = 0;
            for (int64_t i = 0; there && i < a[1].extent[1]; i++)
                sum += row_of(&a[1], (int64_t)a[0].at[r])[i] * row_of(&a[2], n)[i];
            row_of(&a[3], r)[n] = sum;
        }
}

static void write_rows(struct numbers *a, bool add)
{
    for (int64_t r = 0; r < a[0].count; r++)
        for (int64_t i = 0; i < a[2].extent[1]; i++)
            if (a[0].at[r] >= 0 && a[0].at[r] < (double)a[2].extent[0]) {
                double *to = &row_of(&a[2], (int64_t)a[0].at[r])[i];
                *to = row_of(&a[1], r)[i] + (add ? *to : 0);
            }
}

void expect_scattered_rows(struct numbers *a)
{
    write_rows(a, false);
}

void expect_added_rows(struct numbers *a)
{
    write_rows(a, true);
}

// ---- Stencils. Arguments: x, y, rate

static double element(const struct numbers *x, const int64_t *at)
{
    int64_t flat = 0;

    for (int32_t i = 0; i < x->rank; i++) {
        if (at[i] < 0 || at[i] >= x->extent[i])
            return 0;
        flat = flat * x->extent[i] + at[i];
    }
    return x->at[flat];
}

static void diffuse(struct numbers *a)
{
    for (int64_t n = 0; n < a[0].count; n++) {
        int64_t at[3], rest = n;
        double around = 0;
        for (int32_t i = a[0].rank; i-- > 0; rest /= a[0].extent[i])
            at[i] = rest % a[0].extent[i];
        for (int32_t i = 0; i < a[0].rank; i++)
            for (int step = -1; step <= 1; step += 2) {
                at[i] += step;
                around += element(&a[0], at);
                at[i] -= step;
            }
        a[1].at[n] = a[0].at[n] + a[2].at[0] * (around - 2 * a[0].rank * a[0].at[n]);
    }
}

void expect_diffused_2d(struct numbers *a)
{
    diffuse(a);
}

void expect_diffused_3d(struct numbers *a)
{
    diffuse(a);
}

// ---- Messages

// Arguments: x, mail, sent, y, ticket
void expect_produced(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++) {
        a[1].at[i] = a[0].at[i];
        a[3].at[i] = a[0].at[i] + 1;
    }
    for (int64_t g = 0; g < a[2].count; g++)
        a[2].at[g] = 1;
    a[4].at[0] = 2 * (double)a[2].count;
}

// Arguments: mail, told, ticket
void expect_relayed(struct numbers *a)
{
    for (int64_t t = 0; t < a[1].count; t++) {
        for (int64_t i = 0; i < a[0].extent[1]; i++)
            row_of(&a[0], t + 1)[i] = row_of(&a[0], t)[i] + (double)t;
        a[1].at[t] = 1;
    }
    a[2].at[0] = (double)a[1].count;
}

// Arguments: total, lock, blocks
void expect_added_locked(struct numbers *a)
{
    double blocks = a[2].at[0];

    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] += blocks * (blocks - 1) / 2;
}

// Arguments: total, next, serving, order_of
void expect_added_in_turn(struct numbers *a)
{
    double first = a[0].at[0];

    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] += (double)a[3].count;
    for (int64_t t = 0; t < a[3].count; t++)
        a[3].at[t] = first + (double)t + 1;
    a[1].at[0] = a[2].at[0] = (double)a[3].count;
}
