// Memory instructions: a load returns the stored value, extended as its type requires. Atomic
// operations use memory that no other thread accesses.
#include "oracles.h"

#include <string.h>

void memory_load(const struct call *c, struct answer *out)
{
    const struct kind *kind = c->x->out[0];
    uint64_t d = c->in[0] & (kind->bits == 64 ? UINT64_MAX : (UINT64_C(1) << kind->bits) - 1);

    if (kind->is_signed && kind->bits == 8)
        d = (uint64_t)sign_extended(d, 8) & kind_mask(kind);
    *out = exactly(d);
}

void memory_same(const struct call *c, struct answer *out)
{
    for (uint32_t k = 0; k < c->x->outs; k++)
        out[k] = exactly(
            c->in[k] &
            (c->x->out[k]->bits == 64 ? UINT64_MAX : (UINT64_C(1) << c->x->out[k]->bits) - 1));
}

void memory_halves(const struct call *c, struct answer *out)
{
    const uint32_t bits = c->x->out[0]->bits;
    for (uint32_t k = 0; k < c->x->outs; k++)
        out[k] = exactly(c->in[0] >> (k * bits) & ((UINT64_C(1) << bits) - 1));
}

void memory_byte(const struct call *c, struct answer *out)
{
    const uint32_t at = (uint32_t)(strchr(c->x->main, '+')[1] - '0') * 8;
    *out = exactly((c->in[0] & ~(UINT64_C(0xff) << at)) | (c->in[1] & 0xff) << at);
}

// The first address is in shared memory, the second in global memory.
void memory_space(const struct call *c, struct answer *out)
{
    out[0] = exactly(has(c->x, "shared") || strstr(c->x->main, "shared::cta"));
    out[1] = exactly(has(c->x, "global"));
}

// The bytes past the requested ones are zero.
void memory_partial(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[0] & ((UINT64_C(1) << (c->in[1] & 7) * 8) - 1));
}

// Returns the contents of a location after an operation.
static struct answer updated(const struct call *c, uint64_t a, uint64_t b)
{
    const struct kind *kind = c->x->type[0];
    const struct soft_format f = kind->format;
    const uint64_t mask = kind->bits == 64 ? UINT64_MAX : (UINT64_C(1) << kind->bits) - 1;

    if (f.exponent) {
        const bool least = has(c->x, "min");
        if (least || has(c->x, "max")) {
            const long double x = float_value(a, f), y = float_value(b, f);
            if (format_is_nan(a, f) || format_is_nan(b, f))
                return format_is_nan(a, f) && format_is_nan(b, f)
                           ? any_nan()
                           : exactly(format_is_nan(a, f) ? b : a);
            if (x == y) // negative zero is less than positive zero
                return exactly(((a & format_sign(f)) != 0) == least ? a : b);
            return exactly((x < y) == least ? a : b);
        }
        // f32 atomics in global memory flush subnormal numbers.
        const bool flush = kind->bits == 32 && !has(c->x, "shared");
        if (flush) {
            a = format_flush(a, f);
            b = format_flush(b, f);
        }
        struct soft sum = soft_add(soft_decode(a, f), soft_decode(b, f), SOFT_RN);
        uint64_t d = soft_encode(sum, f, SOFT_RN);
        return sum.kind == SOFT_NAN ? any_nan() : exactly(flush ? format_flush(d, f) : d);
    }
    if (has(c->x, "add"))
        return exactly((a + b) & mask);
    if (has(c->x, "inc"))
        return exactly(a >= b ? 0 : a + 1);
    if (has(c->x, "dec"))
        return exactly(a == 0 || a > b ? b : a - 1);
    if (has(c->x, "and"))
        return exactly(a & b);
    if (has(c->x, "or"))
        return exactly(a | b);
    if (has(c->x, "xor"))
        return exactly(a ^ b);
    if (has(c->x, "exch"))
        return exactly(b);
    const bool less = kind->is_signed ? sign_extended(a, kind->bits) < sign_extended(b, kind->bits)
                                      : a < b;
    return exactly(less == has(c->x, "min") ? a : b);
}

void atomic_pair(const struct call *c, struct answer *out)
{
    out[0] = exactly(c->in[0]);
    out[1] = updated(c, c->in[0], c->in[1]);
}

void atomic_red(const struct call *c, struct answer *out)
{
    *out = updated(c, c->in[0], c->in[1]);
}

void atomic_vector(const struct call *c, struct answer *out)
{
    out[0] = updated(c, c->in[0], c->in[2]);
    out[1] = updated(c, c->in[1], c->in[3]);
}

void atomic_cas(const struct call *c, struct answer *out)
{
    out[0] = exactly(c->in[0]);
    out[1] = exactly(c->in[0] == c->in[1] ? c->in[2] : c->in[0]);
}

// Memory holds inputs 0 and 1. The instruction compares them with 2 and 3, and replaces them with 1
// and 0.
void atomic_cas_pair(const struct call *c, struct answer *out)
{
    const bool same = c->in[0] == c->in[2] && c->in[1] == c->in[3];
    out[0] = exactly(c->in[0]);
    out[1] = exactly(c->in[1]);
    out[2] = exactly(c->in[same ? 1 : 0]);
    out[3] = exactly(c->in[same ? 0 : 1]);
}

void atomic_exchange_pair(const struct call *c, struct answer *out)
{
    for (uint32_t k = 0; k < 4; k++)
        out[k] = exactly(c->in[k]);
}

// Two adjacent numbers that a store wrote are read back by a wider load.
void memory_wider(const struct call *c, struct answer *out)
{
    const uint32_t stored = strstr(c->x->text, "v2.b16") ? 16 : 32;
    const struct kind *kind = c->x->type[0];
    const uint64_t both = (c->in[0] & ((UINT64_C(1) << stored) - 1)) | c->in[1] << stored;

    for (uint32_t k = 0; k < 2; k++) {
        const uint64_t bits = both >> (k * kind->bits) & ((UINT64_C(1) << kind->bits) - 1);
        out[k] = exactly(kind->is_signed ? (uint64_t)sign_extended(bits, kind->bits) : bits);
    }
}
