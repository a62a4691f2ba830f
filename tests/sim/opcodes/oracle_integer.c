// Computes integers in 128 bits, or bit by bit, as the ISA's text says.
#include "base/array.h"
#include "oracles.h"

#include <string.h>

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

static s128 value(const struct call *c, uint32_t k)
{
    const struct kind *kind = c->x->in[k];
    if (kind->is_signed)
        return sign_extended(c->in[k], kind->bits);
    return (s128)(c->in[k] & (kind->bits == 64 ? UINT64_MAX : (UINT64_C(1) << kind->bits) - 1));
}

static struct answer low(const struct call *c, s128 d)
{
    const uint32_t bits = c->x->out[0]->bits;
    return exactly((uint64_t)d & (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1));
}

static s128 clamp32(s128 x)
{
    return x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
}

static uint64_t bit(uint64_t x, uint64_t at)
{
    return at < 64 ? x >> at & 1 : 0;
}

void integer_add(const struct call *c, struct answer *out)
{
    s128 d = value(c, 0) + value(c, 1);
    *out = low(c, c->x->words & WORD_SAT ? clamp32(d) : d);
}

void integer_sub(const struct call *c, struct answer *out)
{
    s128 d = value(c, 0) - value(c, 1);
    *out = low(c, c->x->words & WORD_SAT ? clamp32(d) : d);
}

// Returns the product, or the half that the modifiers select. An unsigned 64-bit product does not
// fit in a signed number, but shifting it as unsigned gives the same low bits.
static s128 product(const struct call *c)
{
    const uint32_t bits = c->x->type[0]->bits;
    u128 d = (u128)value(c, 0) * (u128)value(c, 1);

    if (!(c->x->words & WORD_HI))
        return (s128)d;
    return c->x->type[0]->is_signed ? (s128)d >> bits : (s128)(d >> bits);
}

void integer_mul(const struct call *c, struct answer *out)
{
    *out = low(c, product(c));
}

void integer_mad(const struct call *c, struct answer *out)
{
    s128 d = (s128)((u128)product(c) + (u128)value(c, 2));
    *out = low(c, c->x->words & WORD_SAT ? clamp32(d) : d);
}

// Returns bits 0 to 31, or 16 to 47, of the product of two 24-bit numbers.
static s128 product24(const struct call *c)
{
    bool is_signed = c->x->type[0]->is_signed;
    s128 a = is_signed ? sign_extended(c->in[0], 24) : (s128)(c->in[0] & 0xffffff);
    s128 b = is_signed ? sign_extended(c->in[1], 24) : (s128)(c->in[1] & 0xffffff);
    s128 d = c->x->words & WORD_HI ? a * b >> 16 : a * b;
    return is_signed ? sign_extended((uint64_t)d, 32) : (s128)((uint64_t)d & 0xffffffff);
}

void integer_mul24(const struct call *c, struct answer *out)
{
    *out = low(c, product24(c));
}

void integer_mad24(const struct call *c, struct answer *out)
{
    s128 d = product24(c) + value(c, 2);
    *out = low(c, c->x->words & WORD_SAT ? clamp32(d) : d);
}

void integer_sad(const struct call *c, struct answer *out)
{
    s128 d = value(c, 0) - value(c, 1);
    *out = low(c, value(c, 2) + (d < 0 ? -d : d));
}

// The ISA leaves division by zero unspecified; this expects all ones.
void integer_div(const struct call *c, struct answer *out)
{
    s128 b = value(c, 1);
    *out = b ? low(c, value(c, 0) / b) : open_to(low(c, -1).bits);
}

void integer_rem(const struct call *c, struct answer *out)
{
    s128 b = value(c, 1);
    *out = b ? low(c, value(c, 0) % b) : open_to(low(c, -1).bits);
}

void integer_abs(const struct call *c, struct answer *out)
{
    s128 a = value(c, 0);
    *out = low(c, a < 0 ? -a : a);
}

void integer_neg(const struct call *c, struct answer *out)
{
    *out = low(c, -value(c, 0));
}

void integer_min_max(const struct call *c, struct answer *out)
{
    s128 a = value(c, 0), b = value(c, 1);
    s128 d = (a < b) == (strcmp(c->x->name, "min") == 0) ? a : b;
    *out = low(c, c->x->words & WORD_RELU && d < 0 ? 0 : d);
}

void integer_popc(const struct call *c, struct answer *out)
{
    uint64_t d = 0;
    for (uint32_t i = 0; i < c->x->in[0]->bits; i++)
        d += bit(c->in[0], i);
    *out = exactly(d);
}

void integer_clz(const struct call *c, struct answer *out)
{
    uint32_t d = 0;
    while (d < c->x->in[0]->bits && !bit(c->in[0], c->x->in[0]->bits - 1 - d))
        d++;
    *out = exactly(d);
}

void integer_bfind(const struct call *c, struct answer *out)
{
    const uint32_t bits = c->x->in[0]->bits;
    uint64_t a = c->in[0], d = UINT32_MAX;

    if (c->x->in[0]->is_signed && bit(a, bits - 1))
        a = ~a;
    for (uint32_t i = 0; i < bits; i++)
        d = bit(a, i) ? i : d;
    if (has(c->x, "shiftamt") && d != UINT32_MAX)
        d = bits - 1 - d;
    *out = exactly(d);
}

void integer_brev(const struct call *c, struct answer *out)
{
    const uint32_t bits = c->x->in[0]->bits;
    uint64_t d = 0;
    for (uint32_t i = 0; i < bits; i++)
        d |= bit(c->in[0], i) << (bits - 1 - i);
    *out = exactly(d);
}

// Reads a position or a length. The ISA takes the low 8 bits. An H200 does the same for 32-bit
// operands, for which it has an instruction, but takes all bits for 64-bit operands.
static uint64_t in_bits(const struct call *c, uint32_t k)
{
    return c->x->in[0]->bits == 64 ? c->in[k] : c->in[k] & 255;
}

void integer_bfe(const struct call *c, struct answer *out)
{
    const uint64_t bits = c->x->in[0]->bits, at = in_bits(c, 1), length = in_bits(c, 2);
    const uint64_t last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
    const uint64_t fill = c->x->in[0]->is_signed && length ? bit(c->in[0], last) : 0;
    uint64_t d = 0;

    for (uint64_t i = 0; i < bits; i++)
        d |= (i < length && at + i < bits ? bit(c->in[0], at + i) : fill) << i;
    *out = exactly(d);
}

void integer_bfi(const struct call *c, struct answer *out)
{
    const uint64_t bits = c->x->in[0]->bits, at = in_bits(c, 2), length = in_bits(c, 3);
    uint64_t d = c->in[1];

    for (uint64_t i = 0; i < length && at + i < bits; i++)
        d = (d & ~(UINT64_C(1) << (at + i))) | bit(c->in[0], i) << (at + i);
    *out = exactly(d);
}

void integer_szext(const struct call *c, struct answer *out)
{
    const uint64_t n = c->x->words & WORD_CLAMP && c->in[1] > 31 ? 32 : c->in[1] & 31;
    const bool is_signed = c->x->in[0]->is_signed;
    uint64_t d = 0;

    for (uint64_t i = 0; i < 32; i++)
        d |= (i < n ? bit(c->in[0], i) : is_signed && n ? bit(c->in[0], n - 1) : 0) << i;
    *out = exactly(d);
}

void integer_bmsk(const struct call *c, struct answer *out)
{
    const bool clamp = c->x->words & WORD_CLAMP;
    const uint64_t from = c->in[0] & 31, width = clamp && c->in[1] > 31 ? 32 : c->in[1] & 31;
    uint64_t d = 0;

    for (uint64_t i = from; i < from + width && i < 32; i++)
        d |= UINT64_C(1) << i;
    *out = exactly(clamp && c->in[0] > 31 ? 0 : d);
}

// The ISA does not specify an offset without magnitude bits; an H200 gives 0.
void integer_fns(const struct call *c, struct answer *out)
{
    const int64_t base = (int64_t)(c->in[1] & 31), offset = sign_extended(c->in[2], 32);
    int64_t left = offset < 0 ? -offset : offset;
    uint64_t d = UINT32_MAX;

    if (offset == 0)
        d = bit(c->in[0], (uint64_t)base) ? (uint64_t)base : UINT32_MAX;
    for (int64_t at = base; offset && at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
        if (bit(c->in[0], (uint64_t)at) && --left == 0) {
            d = (uint64_t)at;
            break;
        }
    }
    *out = exactly(offset == INT32_MIN ? 0 : d);
}

static s128 part(uint64_t x, uint32_t at, uint32_t bits, bool is_signed)
{
    x = x >> at & ((UINT64_C(1) << bits) - 1);
    return is_signed ? (s128)sign_extended(x, bits) : (s128)x;
}

void integer_dot(const struct call *c, struct answer *out)
{
    const bool a_signed = c->x->type[0]->is_signed, b_signed = c->x->type[1]->is_signed;
    const uint32_t parts = strcmp(c->x->name, "dp4a") == 0 ? 4 : 2;
    const uint32_t from = c->x->words & WORD_HI ? 16 : 0;
    s128 d = (s128)c->in[2];

    for (uint32_t i = 0; i < parts; i++)
        d += part(c->in[0], i * 32 / parts, 32 / parts, a_signed) *
             part(c->in[1], from + 8 * i, 8, b_signed);
    *out = low(c, d);
}

// Returns the low words as unsigned numbers, with the carry above them.
static u128 plain(const struct call *c, uint32_t k)
{
    return (u128)c->in[k];
}
static struct answer split(const struct call *c, u128 sum, u128 *carry)
{
    const uint32_t bits = c->x->out[0]->bits;
    *carry = sum >> bits & 1;
    return low(c, (s128)sum);
}

void carry_add(const struct call *c, struct answer *out)
{
    u128 carry;
    out[0] = split(c, plain(c, 0) + plain(c, 1), &carry);
    out[1] = split(c, plain(c, 2) + plain(c, 3) + carry, &carry);
    out[2] = split(c, plain(c, 0) + plain(c, 2) + carry, &carry);
}

void carry_sub(const struct call *c, struct answer *out)
{
    u128 borrow; // a negative difference has all ones in its upper half
    out[0] = split(c, plain(c, 0) - plain(c, 1), &borrow);
    out[1] = split(c, plain(c, 2) - plain(c, 3) - borrow, &borrow);
    out[2] = split(c, plain(c, 0) - plain(c, 2) - borrow, &borrow);
}

// The second instruction is signed and takes the carry or borrow of the first one.
void carry_saturated(const struct call *c, struct answer *out)
{
    const bool subtract = strcmp(c->x->name, "subc") == 0;
    const s128 a = sign_extended(c->in[2], 32), b = sign_extended(c->in[3], 32);
    u128 carry;

    out[0] = split(c, subtract ? plain(c, 0) - plain(c, 1) : plain(c, 0) + plain(c, 1), &carry);
    const s128 d = subtract ? a - b - (s128)carry : a + b + (s128)carry;
    out[1] = low(c, c->x->words & WORD_SAT ? clamp32(d) : d);
}

void carry_narrow(const struct call *c, struct answer *out)
{
    const uint64_t carry = (c->in[0] + c->in[1]) >> 32;
    *out = low(c, (s128)(c->in[2] + c->in[3] + carry));
}

static u128 low_half(const struct call *c)
{
    return (u128)low(c, (s128)((u128)value(c, 0) * (u128)value(c, 1))).bits;
}
// Returns the high half, signed or unsigned like the text's second instruction if that has .hi.
static u128 high_half(const struct call *c, bool is_signed)
{
    const uint32_t bits = c->x->out[0]->bits;
    if (!is_signed)
        return plain(c, 0) * plain(c, 1) >> bits;
    s128 d = (s128)sign_extended(c->in[0], bits) * sign_extended(c->in[1], bits);
    return (u128)low(c, d >> bits).bits;
}

void carry_mad(const struct call *c, struct answer *out)
{
    const bool is_signed = strstr(c->x->text, "madc.hi.cc.s") != NULL;
    u128 carry;
    out[0] = split(c, low_half(c) + plain(c, 2), &carry);
    out[1] = split(c, high_half(c, is_signed) + plain(c, 3) + carry, &carry);
    out[2] = low(c, (s128)carry);
}

void carry_mad_high(const struct call *c, struct answer *out)
{
    u128 carry;
    out[0] = split(c, high_half(c, c->x->type[0]->is_signed) + plain(c, 2), &carry);
    out[1] = split(c, low_half(c) + plain(c, 3) + carry, &carry);
}

// ---- Logic, bit by bit

void logic_and(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[0] & c->in[1]);
}

void logic_or(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[0] | c->in[1]);
}

void logic_xor(const struct call *c, struct answer *out)
{
    *out = exactly((c->in[0] | c->in[1]) & ~(c->in[0] & c->in[1]));
}

void logic_not(const struct call *c, struct answer *out)
{
    *out = low(c, -(s128)c->in[0] - 1);
}

void logic_cnot(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[0] ? 0 : 1);
}

void logic_mov(const struct call *c, struct answer *out)
{
    *out = exactly(c->in[0]);
}

void logic_mov_each(const struct call *c, struct answer *out)
{
    for (uint32_t k = 0; k < c->x->outs; k++)
        out[k] = exactly(c->in[k]);
}

void logic_pack(const struct call *c, struct answer *out)
{
    uint64_t d = 0;
    for (uint32_t k = 0; k < c->x->ins; k++)
        d |= c->in[k] << (k * c->x->in[k]->bits);
    *out = exactly(d);
}

void logic_unpack(const struct call *c, struct answer *out)
{
    for (uint32_t k = 0; k < c->x->outs; k++)
        out[k] =
            exactly((uint64_t)part(c->in[0], k * c->x->out[k]->bits, c->x->out[k]->bits, false));
}

// lop3's table is its result for a = 0xf0, b = 0xcc, c = 0xaa; the last 0x.. of the text is the
// table.
static uint64_t looked_up(const struct call *c)
{
    unsigned table = 0;
    uint64_t d = 0;

    sscanf(strstr(c->x->text, "0x"), "%x", &table);
    for (uint32_t i = 0; i < 32; i++)
        d |= (uint64_t)(table >> (bit(c->in[0], i) * 4 + bit(c->in[1], i) * 2 + bit(c->in[2], i)) &
                        1)
             << i;
    return d;
}

void logic_lop3(const struct call *c, struct answer *out)
{
    *out = exactly(looked_up(c));
}

void logic_lop3_predicate(const struct call *c, struct answer *out)
{
    const uint64_t d = looked_up(c), set = d != 0;
    out[0] = exactly(d);
    out[1] = exactly(has(c->x, "and") ? set & c->in[3] : set | c->in[3]);
}

void logic_lop3_alone(const struct call *c, struct answer *out)
{
    struct answer both[2];
    logic_lop3_predicate(c, both);
    *out = both[1];
}

void logic_shl(const struct call *c, struct answer *out)
{
    const uint32_t bits = c->x->in[0]->bits;
    *out = c->in[1] >= bits ? exactly(0) : low(c, (s128)((u128)c->in[0] << c->in[1]));
}

void logic_shr(const struct call *c, struct answer *out)
{
    const uint32_t bits = c->x->in[0]->bits, by = c->in[1] >= bits ? bits : (uint32_t)c->in[1];
    *out = low(c, value(c, 0) >> by);
}

void logic_shf(const struct call *c, struct answer *out)
{
    const uint64_t both = c->in[1] << 32 | c->in[0];
    const uint64_t by = c->x->words & WORD_CLAMP ? (c->in[2] > 32 ? 32 : c->in[2]) : c->in[2] & 31;
    *out = exactly((has(c->x, "l") ? both >> (32 - by) : both >> by) & 0xffffffff);
}

static uint64_t permuted(const struct call *c, uint64_t selectors)
{
    const uint64_t both = c->in[1] << 32 | c->in[0];
    uint64_t d = 0;

    for (uint32_t i = 0; i < 4; i++) {
        uint64_t select = selectors >> (4 * i) & 15, byte = both >> (select & 7) * 8 & 0xff;
        if (select & 8) // replicate the sign
            byte = byte & 0x80 ? 0xff : 0;
        d |= byte << (8 * i);
    }
    return d;
}

void logic_prmt(const struct call *c, struct answer *out)
{
    *out = exactly(permuted(c, c->in[2]));
}

// The table in the ISA: selectors by mode and by the low two bits of c.
void logic_prmt_mode(const struct call *c, struct answer *out)
{
    static const struct {
        const char *mode;
        uint32_t selectors[4];
    } modes[] = {
        { "f4e", { 0x3210, 0x4321, 0x5432, 0x6543 } },
        { "b4e", { 0x5670, 0x6701, 0x7012, 0x0123 } },
        { "rc8", { 0x0000, 0x1111, 0x2222, 0x3333 } },
        { "ecl", { 0x3210, 0x3211, 0x3222, 0x3333 } },
        { "ecr", { 0x0000, 0x1110, 0x2210, 0x3210 } },
        { "rc16", { 0x1010, 0x3232, 0x1010, 0x3232 } },
    };

    for (size_t i = 0; i < CUC_LENGTH(modes); i++)
        if (has(c->x, modes[i].mode))
            *out = exactly(permuted(c, modes[i].selectors[c->in[2] & 3]));
}
