// Runs reductions, scans, sorts and matrix products.
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The one-dimensional slices of a tile along an axis. Element n of slice i is at start(i) + n *
// step.
struct lines {
    int64_t count, length, step;
};

static struct lines lines_of(const struct tile_type *type, int64_t axis)
{
    struct lines l = { 1, type->extent[axis], 1 };

    for (int64_t i = axis + 1; i < type->rank; i++)
        l.step *= type->extent[i];
    l.count = tile_elements(type) / l.length;
    return l;
}

static int64_t start_of(const struct lines *l, int64_t line, int64_t length)
{
    return line / l->step * l->step * length + line % l->step;
}

// A running result. Sums and products of floats accumulate in `real`; `element` holds the result so
// far as an element.
struct sum {
    double real;
    uint64_t element;
};

static bool add(struct sum *s, enum tile_combine with, cuc_dtype dtype, bool nan,
                struct tile_rounding how, uint64_t x)
{
    bool summed = with == TILE_WITH_SUM || with == TILE_WITH_PROD;

    if (tile_is_float(dtype) && summed) {
        double value = tile_element_real(dtype, how.ftz ? tile_element_flush(dtype, x) : x);
        s->real = with == TILE_WITH_SUM ? s->real + value : s->real * value;
        s->element = tile_element_of_odd(dtype, s->real, how.round);
        if (how.ftz)
            s->element = tile_element_flush(dtype, s->element);
        return true;
    }
    return tile_element_combine(with, dtype, nan, s->element, x, &s->element);
}

static struct sum nothing(enum tile_combine with, cuc_dtype dtype)
{
    return (struct sum){ with == TILE_WITH_PROD ? 1.0 : -0.0, tile_element_identity(with, dtype) };
}

static bool step_fold(struct tile_machine *m, const struct tile_op *op, bool scan)
{
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    enum tile_combine with = (enum tile_combine)tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
    cuc_dtype dtype = op->operand[0]->type.dtype;
    bool nan = tile_int(op, TILE_ATTR_NAN, 0), reverse = tile_int(op, TILE_ATTR_REVERSE, 0);
    struct tile_rounding how = tile_rounding_of(op);
    struct lines l = lines_of(&op->operand[0]->type, tile_int(op, TILE_ATTR_AXIS, 0));

    for (int64_t line = 0; in && out && line < l.count; line++) {
        int64_t start = start_of(&l, line, l.length);
        struct sum s = nothing(with, dtype);
        bool drops = !nan && tile_is_float(dtype) &&
                     (with == TILE_WITH_MIN || with == TILE_WITH_MAX);
        if (drops) // if all are NaN, the result is NaN
            s.element = in[start];
        for (int64_t n = 0; n < l.length; n++) {
            int64_t at = start + (reverse ? l.length - 1 - n : n) * l.step;
            if (!add(&s, with, dtype, nan, how, in[at]))
                return tile_machine_fail(m, op, "this combination cannot be interpreted");
            if (scan)
                out[at] = s.element;
        }
        if (!scan)
            out[start_of(&l, line, 1)] = s.element;
    }
    return in && out;
}

// Runs a reduction or scan by a function. The function takes the accumulators and the elements, and
// yields the new accumulators.
static bool step_function(struct tile_machine *m, const struct tile_op *op, bool scan)
{
    uint32_t n = op->result_count;
    const struct tile_block *fn = op->block[0];
    bool reverse = tile_int(op, TILE_ATTR_REVERSE, 0);
    struct lines l = lines_of(&op->operand[0]->type, tile_int(op, TILE_ATTR_AXIS, 0));
    uint64_t accumulator[TILE_MAX_RANK];

    for (int64_t line = 0; line < l.count && !m->failed; line++) {
        int64_t start = start_of(&l, line, l.length);
        for (uint32_t i = 0; i < n; i++)
            accumulator[i] = *tile_machine_elements(m, op->operand[n + i]);
        for (int64_t k = 0; k < l.length; k++) {
            int64_t at = start + (reverse ? l.length - 1 - k : k) * l.step;
            for (uint32_t i = 0; i < n; i++) {
                *tile_machine_elements(m, fn->argument[i]) = accumulator[i];
                *tile_machine_elements(m, fn->argument[n + i]) =
                    tile_machine_elements(m, op->operand[i])[at];
            }
            tile_machine_block(m, fn);
            if (m->failed)
                return false;
            for (uint32_t i = 0; i < n; i++) {
                accumulator[i] = *tile_machine_elements(m, fn->last->operand[i]);
                if (scan)
                    tile_machine_elements(m, op->result[i])[at] = accumulator[i];
            }
        }
        for (uint32_t i = 0; i < n && !scan; i++)
            tile_machine_elements(m, op->result[i])[start_of(&l, line, 1)] = accumulator[i];
    }
    return !m->failed;
}

static bool below(cuc_dtype dtype, uint64_t a, uint64_t b)
{
    if (tile_is_integer(dtype))
        return tile_is_signed(dtype) ? (int64_t)a < (int64_t)b : a < b;
    double x = tile_element_real(dtype, a), y = tile_element_real(dtype, b);
    return x < y || (x == x && y != y);
}

bool tile_step_arg(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    cuc_dtype dtype = op->operand[0]->type.dtype;
    struct lines l = lines_of(&op->operand[0]->type, tile_int(op, TILE_ATTR_AXIS, 0));

    for (int64_t line = 0; in && out && line < l.count; line++) {
        int64_t start = start_of(&l, line, l.length), best = -1;
        for (int64_t n = 0; n < l.length; n++) {
            uint64_t x = in[start + n * l.step];
            if (!tile_is_integer(dtype) &&
                tile_element_real(dtype, x) != tile_element_real(dtype, x))
                continue;
            uint64_t y = best < 0 ? 0 : in[start + best * l.step];
            if (best < 0 || (op->kind == TILE_ARGMIN ? below(dtype, x, y) : below(dtype, y, x)))
                best = n;
        }
        out[start_of(&l, line, 1)] = best < 0 ? 0 : (uint64_t)best;
    }
    return in && out;
}

// True if `a` precedes `b` in the order of sort: -0 is below 0, and NaN is above everything.
static bool sorts_before(cuc_dtype dtype, uint64_t a, uint64_t b)
{
    if (tile_is_integer(dtype))
        return below(dtype, a, b);
    double x = tile_element_real(dtype, a), y = tile_element_real(dtype, b);
    return x < y || (x == x && y != y) || (x == y && signbit(x) && !signbit(y));
}

// Maps every NaN to the same one: positive, with all fraction bits set.
static uint64_t one_nan(cuc_dtype dtype, uint64_t x)
{
    bool nan = !tile_is_integer(dtype) && isnan(tile_element_real(dtype, x));

    return nan ? UINT64_MAX >> (65 - cuc_dtype_bits(dtype)) : x;
}

// Sorts by insertion, which is stable; `down`: largest first.
static void order(cuc_dtype dtype, uint64_t *key, uint64_t *index, int64_t count, bool down)
{
    for (int64_t i = 1; i < count; i++) {
        uint64_t k = key[i], n = index[i];
        int64_t at = i;
        while (at > 0 &&
               (down ? sorts_before(dtype, key[at - 1], k) : sorts_before(dtype, k, key[at - 1]))) {
            key[at] = key[at - 1];
            index[at] = index[at - 1];
            at--;
        }
        key[at] = k;
        index[at] = n;
    }
}

bool tile_step_sort(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    uint64_t *indices = op->kind == TILE_TOPK ? tile_machine_elements(m, op->result[1]) : NULL;
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0), kept = op->result[0]->type.extent[axis];
    struct lines l = lines_of(&op->operand[0]->type, axis);
    uint64_t *key = malloc(2 * (size_t)l.length * sizeof(*key)), *index = key + l.length;

    if (!key)
        return tile_machine_no_memory(m);
    for (int64_t line = 0; in && out && line < l.count; line++) {
        for (int64_t n = 0; n < l.length; n++) {
            key[n] =
                one_nan(op->operand[0]->type.dtype, in[start_of(&l, line, l.length) + n * l.step]);
            index[n] = (uint64_t)n;
        }
        order(op->operand[0]->type.dtype, key, index, l.length, op->kind == TILE_TOPK);
        for (int64_t n = 0; n < kept; n++) {
            int64_t at = start_of(&l, line, kept) + n * l.step;
            out[at] = key[n];
            if (indices)
                indices[at] = index[n];
        }
    }
    free(key);
    return in && out;
}

bool tile_step_histogram(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    int64_t bins = op->result[0]->type.extent[0];

    if (!in || !out)
        return false;
    memset(out, 0, (size_t)bins * sizeof(*out));
    for (int64_t i = 0; i < tile_elements(&op->operand[0]->type); i++)
        if (in[i] < (uint64_t)bins)
            out[in[i]]++;
    return true;
}

bool tile_step_rank(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    uint64_t *position = tile_machine_elements(m, op->result[0]);
    uint64_t *count = tile_machine_elements(m, op->result[1]);
    uint64_t digits = (uint64_t)op->result[1]->type.extent[0], before = 0;
    int64_t elements = tile_elements(&op->operand[0]->type);
    uint64_t *next = calloc(digits, sizeof(*next));

    if (!next)
        return tile_machine_no_memory(m);
    for (int64_t i = 0; in && i < elements; i++)
        if (in[i] < digits)
            next[in[i]]++;
    for (uint64_t digit = 0; count && digit < digits; digit++) {
        count[digit] = next[digit];
        next[digit] = before;
        before += count[digit];
    }
    for (int64_t i = 0; in && position && i < elements; i++)
        position[i] = in[i] < digits ? next[in[i]]++ : UINT64_MAX;
    free(next);
    return in && position && count;
}

bool tile_step_place(struct tile_machine *m, const struct tile_op *op)
{
    const uint64_t *in = tile_machine_elements(m, op->operand[0]);
    const uint64_t *position = tile_machine_elements(m, op->operand[1]);
    const uint64_t *pad = tile_machine_elements(m, op->operand[2]);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    int64_t extent = op->result[0]->type.extent[0];

    if (!in || !position || !pad || !out)
        return false;
    for (int64_t i = 0; i < extent; i++)
        out[i] = *pad;
    for (int64_t i = 0; i < tile_elements(&op->operand[0]->type); i++)
        if (position[i] < (uint64_t)extent)
            out[position[i]] = in[i];
    return true;
}

bool tile_step_along(struct tile_machine *m, const struct tile_op *op)
{
    bool scan = op->kind == TILE_SCAN;

    return op->block_count ? step_function(m, op, scan) : step_fold(m, op, scan);
}

// Converts all elements of a matrix product's operand to doubles, once for all results that use
// them.
static void read_reals(double *out, const struct tile_value *value, const uint64_t *element,
                       bool tf32)
{
    cuc_dtype dtype = value->type.dtype;
    int64_t count = tile_elements(&value->type);

    for (int64_t i = 0; i < count; i++)
        out[i] = tf32 ? tile_element_real(CUC_TF32,
                                          tile_element_cast(CUC_TF32, dtype, element[i], TILE_RN))
                      : tile_element_real(dtype, element[i]);
}

static void multiply_integers(const struct tile_op *op, const uint64_t *x, const uint64_t *y,
                              const uint64_t *z, uint64_t *out)
{
    const struct tile_type *acc = &op->operand[2]->type;
    const struct tile_type *a = &op->operand[0]->type;
    int64_t depth = a->extent[a->rank - 1], count = tile_elements(acc);
    int64_t rows = acc->extent[acc->rank - 2], columns = acc->extent[acc->rank - 1];

    for (int64_t i = 0; i < count; i++) {
        int64_t line = i / columns, column = i % columns, batch = line / rows;
        uint64_t sum = z[i];
        for (int64_t k = 0; k < depth; k++)
            sum += x[line * depth + k] * y[(batch * depth + k) * columns + column];
        out[i] = tile_element_of_int(CUC_I32, (int64_t)sum);
    }
}

bool tile_step_mma(struct tile_machine *m, const struct tile_op *op)
{
    const struct tile_type *acc = &op->operand[2]->type;
    const uint64_t *x = tile_machine_elements(m, op->operand[0]);
    const uint64_t *y = tile_machine_elements(m, op->operand[1]);
    const uint64_t *z = tile_machine_elements(m, op->operand[2]);
    uint64_t *out = tile_machine_elements(m, op->result[0]);
    int64_t rows = acc->extent[acc->rank - 2], columns = acc->extent[acc->rank - 1];
    int64_t depth = op->operand[0]->type.extent[op->operand[0]->type.rank - 1];
    int64_t elements[2] = { tile_elements(&op->operand[0]->type),
                            tile_elements(&op->operand[1]->type) };
    bool tf32 = tile_int(op, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32;

    if (!x || !y || !z || !out)
        return false;
    if (acc->dtype == CUC_I32) {
        multiply_integers(op, x, y, z, out);
        return true;
    }
    double *a = malloc((size_t)(elements[0] + elements[1] + columns) * sizeof(*a));
    if (!a)
        return tile_machine_no_memory(m);
    double *b = a + elements[0], *sum = b + elements[1];
    read_reals(a, op->operand[0], x, tf32);
    read_reals(b, op->operand[1], y, tf32);
    for (int64_t line = 0; line < tile_elements(acc) / columns; line++) {
        const double *p = a + line * depth, *q = b + line / rows * depth * columns;
        for (int64_t i = 0; i < columns; i++)
            sum[i] = tile_element_real(acc->dtype, z[line * columns + i]);
        for (int64_t k = 0; k < depth; k++)
            for (int64_t i = 0; i < columns; i++)
                sum[i] += p[k] * q[k * columns + i];
        for (int64_t i = 0; i < columns; i++)
            out[line * columns + i] = tile_element_of_real(acc->dtype, sum[i]);
    }
    free(a);
    return true;
}
