// Matrix products: gathers elements from the lanes by the ISA's fragment tables, and sums in long
// double or in 64 bits.
#include "oracles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t of_lane(const struct call *c, uint32_t k, uint32_t lane)
{
    return c->column[k][c->n / WARP * WARP + lane];
}

// The shape of a product, and the types of A and B, which are the second and third type in the
// instruction's name. The f16 forms of wmma do not name the types of A and B.
struct product {
    uint32_t m, n, k;
    const struct kind *a, *b; // elements
    uint32_t a_registers, b_registers;
};

static struct product product_of(const struct call *c)
{
    const struct instance *x = c->x;
    struct product p = { 0 };

    shape_of(x, &p.m, &p.n, &p.k);
    p.a = x->types == 4 ? x->type[1] : kind_find("f16", 3);
    p.b = x->types == 4 ? x->type[2] : p.a;
    p.a_registers = p.m * p.k * p.a->bits / WARP / x->in[0]->elements / x->in[0]->bits;
    p.b_registers = p.n * p.k * p.b->bits / WARP / x->in[0]->elements / x->in[0]->bits;
    return p;
}

// The dot product of a row and a column.
struct sum {
    long double value, magnitude;
    int64_t whole; // sum of integers
    bool nan, plus, minus, exact;
};

static void add_term(struct sum *s, long double a, long double b)
{
    const long double term = a * b;

    s->exact = s->exact && a == floorl(a) && b == floorl(b) && fabsl(a) <= 64 && fabsl(b) <= 64;
    if (isnan(term))
        s->nan = true;
    else if (isinf(term))
        *(term > 0 ? &s->plus : &s->minus) = true;
    else {
        s->value += term;
        s->magnitude += fabsl(term);
    }
}

static void add_codes(const struct call *c, struct sum *s, uint64_t a, uint64_t b,
                      const struct product *p)
{
    if (p->a->format.exponent)
        add_term(s, float_value(a, p->a->format), float_value(b, p->b->format));
    else if (p->a->bits == 1)
        s->whole += (int64_t)(has(c->x, "and") ? a & b : a ^ b);
    else
        s->whole += (p->a->is_signed ? sign_extended(a, p->a->bits) : (int64_t)a) *
                    (p->b->is_signed ? sign_extended(b, p->b->bits) : (int64_t)b);
}

// Makes an answer from the sum plus an accumulator.
static struct answer finished(const struct call *c, struct sum s, uint64_t accumulator)
{
    const struct kind *kind = c->x->out[0];
    const struct soft_format f = kind->format;
    long double limit, slack;

    if (!f.exponent) {
        s.whole += sign_extended(accumulator, 32);
        if (c->x->words & WORD_SATFINITE)
            s.whole = s.whole < INT32_MIN ? INT32_MIN : s.whole > INT32_MAX ? INT32_MAX : s.whole;
        return exactly((uint64_t)s.whole & 0xffffffff);
    }
    const bool whole = s.exact;
    add_term(&s, float_value(accumulator, f), 1);
    if (s.nan || (s.plus && s.minus))
        return any_nan();
    if (s.plus || s.minus)
        return exactly(format_infinity(f) | (s.minus ? format_sign(f) : 0));
    // Integers with partial sums that are all exact.
    slack = whole && s.exact && s.magnitude < ldexpl(1, f.mantissa + 1)
                ? 0
                : s.magnitude * exp2l((long double)c->x->row->bound) +
                      ldexpl(1, 2 - (1 << (f.exponent - 1)) - f.mantissa);
    limit = ldexpl(2 - ldexpl(1, -f.mantissa - 1), (1 << (f.exponent - 1)) - 1);
    if (fabsl(s.value) - slack >= limit)
        return exactly(format_infinity(f) | (s.value < 0 ? format_sign(f) : 0));
    return (struct answer){ .is = ANSWER_NEAR, .value = s.value, .slack = slack };
}

// Products of 8-bit floats into f16. An H200 computes them in three steps, each rounded to f16: the
// lower two of each four along k, the other two, and the accumulator. An infinite sum stays
// infinite or becomes NaN.
static struct answer in_steps(const struct call *c, struct answer whole, const struct sum *lower,
                              const struct sum *all, uint64_t accumulator)
{
    const struct soft_format f = c->x->out[0]->format;
    const long double limit = 65520, with_c = all->value + float_value(accumulator, f);
    const long double step[] = { lower->value, all->value, with_c };

    if (whole.is == ANSWER_NAN || all->nan || all->plus || all->minus || isinf(with_c))
        return whole;
    for (uint32_t k = 0; k < 3; k++) {
        // Half an ulp, plus the bits that the sum may lose.
        const long double slack = k ? 32 + all->magnitude * 0x1p-12L : lower->magnitude * 0x1p-12L;
        const uint64_t infinity = format_infinity(f) | (step[k] < 0 ? format_sign(f) : 0);
        if (fabsl(step[k]) - slack >= limit)
            return exactly(infinity);
        if (fabsl(step[k]) + slack >= limit) {
            whole.or_bits = true;
            whole.bits = infinity;
        }
    }
    return whole;
}

// Returns an element of a row of A or of a column of B. Each row is cut into words or 64-bit
// numbers; four adjacent lanes hold four of these. The registers cover `tiles` groups of eight
// rows.
static uint64_t fragment(const struct call *c, uint32_t base, uint32_t row, uint32_t k,
                         uint32_t tiles, uint32_t bits)
{
    const uint32_t each = bits == 64 ? 1 : 32 / bits, word = k / each;
    const uint32_t lane = row % 8 * 4 + word % 4, i = row / 8 + tiles * (word / 4);
    const uint64_t value = of_lane(c, base + i, lane);
    return bits == 64 ? value : value >> (k % each * bits) & ((UINT64_C(1) << bits) - 1);
}

// Output elements are accumulator elements: lane l has rows l / 4 and l / 4 + 8, and columns 2 (l %
// 4) and the next one.
void matrix_mma(const struct call *c, struct answer *out)
{
    const struct product p = product_of(c);
    const uint32_t lane = c->n % WARP, count = p.m * p.n / WARP, each = c->x->out[0]->elements;
    const uint32_t c_base = p.a_registers + p.b_registers;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
        const uint64_t accumulator = c->in[c_base + i / each] >> (i % each * c->x->out[0]->bits);
        struct sum s = { .exact = true }, lower = s;
        for (uint32_t k = 0; k < p.k; k++) {
            const uint64_t a = fragment(c, 0, row, k, p.m / 8, p.a->bits),
                           b = fragment(c, p.a_registers, column, k, 1, p.b->bits);
            add_codes(c, &s, a, b, &p);
            if (k % 4 < 2)
                add_codes(c, &lower, a, b, &p);
        }
        out[i] = finished(c, s, each == 1 ? accumulator : accumulator & 0xffff);
        if (each == 2 && p.a->bits == 8)
            out[i] = in_steps(c, out[i], &lower, &s, accumulator & 0xffff);
    }
}

// m8n8k4 of f16: lanes 4q to 4q + 3, together with the lanes 16 above them, compute one product.
static uint64_t quad_element(const struct call *c, uint32_t base, uint32_t along, uint32_t k,
                             bool k_is_inner)
{
    // `along` is a row of A or a column of B.
    const uint32_t quad = c->n % 16 / 4 * 4;
    uint32_t lane, i;

    if (k_is_inner) { // a lane holds a row of A or a column of B
        lane = quad + along % 4 + along / 4 * 16;
        i = k;
    } else {
        lane = quad + k + along / 4 * 16;
        i = along % 4;
    }
    return of_lane(c, base + i / 2, lane) >> (i % 2 * 16) & 0xffff;
}

void matrix_quad(const struct call *c, struct answer *out)
{
    const struct product p = product_of(c);
    const char *layouts = strstr(c->x->main, "m8n8k4.") + 7;
    const bool a_rows = layouts[0] == 'r', b_columns = layouts[4] == 'c',
               halves = c->x->out[0]->elements == 2;
    const uint32_t lane = c->n % WARP, upper = lane < 16 ? 0 : 4;

    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t row = (halves ? lane % 4 : (lane & 1) + (i & 2)) + upper;
        const uint32_t column = halves ? i : (i & 4) + (lane & 2) + (i & 1);
        const uint64_t accumulator = halves ? c->in[4 + i / 2] >> (i % 2 * 16) & 0xffff
                                            : c->in[4 + i];
        struct sum s = { .exact = true };
        for (uint32_t k = 0; k < 4; k++)
            add_codes(c, &s, quad_element(c, 0, row, k, a_rows),
                      quad_element(c, 2, column, k, b_columns), &p);
        out[i] = finished(c, s, accumulator);
    }
}

// Lane l wrote the 16-byte row that it addresses.
static uint32_t address_of(uint32_t lane)
{
    return (lane * 5 + 3) % WARP;
}

static uint64_t half_of(const struct call *c, uint32_t lane, uint32_t column)
{
    return of_lane(c, column / 2, lane) >> (column % 2 * 16) & 0xffff;
}

// Register i of lane l holds columns 2 (l % 4) and the next one, in row l / 4 of matrix i or of its
// transpose.
void matrix_load(const struct call *c, struct answer *out)
{
    const uint32_t lane = c->n % WARP;
    const bool transposed = has(c->x, "trans");

    for (uint32_t i = 0; i < c->x->outs; i++) {
        uint64_t d = 0;
        for (uint32_t e = 0; e < 2; e++) {
            const uint32_t row = lane / 4, column = lane % 4 * 2 + e;
            d |= half_of(c, address_of(8 * i + (transposed ? column : row)),
                         transposed ? row : column)
                 << (16 * e);
        }
        out[i] = exactly(d);
    }
}

// The inverse of matrix_load(): each lane reads back 16 bytes, which hold a stored row, or zeros if
// no lane addressed them for a store.
void matrix_store(const struct call *c, struct answer *out)
{
    const uint32_t lane = c->n % WARP;
    const bool transposed = has(c->x, "trans");
    uint32_t from = 0;

    while (address_of(from) != lane)
        from++;
    for (uint32_t word = 0; word < 4; word++) {
        uint64_t d = 0;
        for (uint32_t e = 0; e < 2 && from < 8 * c->x->ins; e++) {
            const uint32_t row = transposed ? word * 2 + e : from % 8,
                           column = transposed ? from % 8 : word * 2 + e;
            d |= (of_lane(c, from / 8, row * 4 + column / 2) >> (column % 2 * 16) & 0xffff)
                 << (16 * e);
        }
        out[word] = exactly(d);
    }
}

void matrix_move(const struct call *c, struct answer *out)
{
    const uint32_t row = c->n % WARP / 4;
    uint64_t d = 0;

    for (uint32_t e = 0; e < 2; e++) {
        const uint32_t column = c->n % WARP % 4 * 2 + e; // the result's column
        d |= (of_lane(c, 0, column * 4 + row / 2) >> (row % 2 * 16) & 0xffff) << (16 * e);
    }
    *out = exactly(d);
}

// Returns element `at` of a matrix in memory. Each lane wrote its `registers` registers after those
// of the previous lane; more than four are written in blocks of four, all lanes' first blocks
// first.
static uint64_t in_memory(const struct call *c, uint32_t base, uint32_t registers, uint32_t at,
                          uint32_t bits)
{
    const uint32_t reg_bits = c->x->in[base]->reg == 'l' ? 64 : 32;
    const uint32_t bit = at * bits, word = bit / reg_bits;
    const uint32_t block = registers > 4 ? 4 : registers, lane = word / block % WARP;
    const uint32_t i = word % block + word / block / WARP * block;
    const uint64_t value = of_lane(c, base + i, lane);
    return bits == 64 ? value : value >> (bit % reg_bits) & ((UINT64_C(1) << bits) - 1);
}

void matrix_wmma(const struct call *c, struct answer *out)
{
    const struct product p = product_of(c);
    const char *layouts = strstr(c->x->main, "aligned.") + 8;
    const bool a_rows = layouts[0] == 'r', b_rows = layouts[4] == 'r';
    const bool d_rows = !strstr(c->x->text, "load.c.sync.aligned.col");
    const uint32_t c_base = p.a_registers + p.b_registers, lane = c->n % WARP;
    const struct kind *kind = c->x->out[0];
    const uint32_t each = kind->elements;

    for (uint32_t i = 0; i < c->x->outs * each; i++) {
        // Find this element in D, in which each lane in turn has 16 bytes, or 8 bytes for f64.
        const uint32_t reg = i / each;
        const uint32_t word = kind->reg == 'l' ? lane + reg * WARP
                                               : lane * 4 + reg % 4 + reg / 4 * 128;
        const uint32_t at = word * each + i % each;
        const uint32_t row = d_rows ? at / p.n : at % p.m, column = d_rows ? at % p.n : at / p.m;
        const uint64_t accumulator = each == 1
                                         ? c->in[c_base + reg]
                                         : c->in[c_base + reg] >> (i % each * kind->bits) & 0xffff;
        struct sum s = { .exact = true };
        for (uint32_t k = 0; k < p.k; k++)
            add_codes(
                c, &s,
                in_memory(c, 0, p.a_registers, a_rows ? row * p.k + k : k * p.m + row, p.a->bits),
                in_memory(c, p.a_registers, p.b_registers,
                          b_rows ? k * p.n + column : column * p.k + k, p.b->bits),
                &p);
        out[i] = finished(c, s, accumulator);
    }
}
