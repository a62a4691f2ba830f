// Integer and bit operations.
//
// Each line of INTEGER_OPERATIONS is an operation with all its types. The columns are its name, a
// suffix that makes handlers unique, its words, its operands, its types, and an expression for the
// result. The operands are letters as in machine.h; they also determine which of a, b, c and d the
// expression uses. In the expression, T is the type, U an unsigned type for intermediate results, D
// a type twice as wide, and BITS the width.
//
// Results that the ISA leaves open are those of the hardware. Division by zero gives a
// quotient and remainder of all ones. The smallest integer divided by -1 is itself, with remainder
// zero.
#include "base/array.h"
#include "alu.h"

#define T_U32(X, ...) X(U32, __VA_ARGS__)
#define T_S32(X, ...) X(S32, __VA_ARGS__)
#define T_W32(X, ...) X(U32, __VA_ARGS__) X(S32, __VA_ARGS__)
#define T_B32(X, ...) X(B32, __VA_ARGS__)
#define T_WIDE(X, ...) \
    X(U16, __VA_ARGS__) X(U32, __VA_ARGS__) X(S16, __VA_ARGS__) X(S32, __VA_ARGS__)
#define T_SIGNED(X, ...) X(S16, __VA_ARGS__) X(S32, __VA_ARGS__) X(S64, __VA_ARGS__)
#define T_UNSIGNED(X, ...) X(U16, __VA_ARGS__) X(U32, __VA_ARGS__) X(U64, __VA_ARGS__)
#define T_ALL(X, ...) T_UNSIGNED(X, __VA_ARGS__) T_SIGNED(X, __VA_ARGS__)
#define T_LONG(X, ...) \
    X(U32, __VA_ARGS__) X(U64, __VA_ARGS__) X(S32, __VA_ARGS__) X(S64, __VA_ARGS__)
#define T_BITS(X, ...) X(B16, __VA_ARGS__) X(B32, __VA_ARGS__) X(B64, __VA_ARGS__)
#define T_BITS2(X, ...) X(B32, __VA_ARGS__) X(B64, __VA_ARGS__)
#define T_SHIFT(X, ...) T_ALL(X, __VA_ARGS__) T_BITS(X, __VA_ARGS__)

#define ZERO_DIVISOR ((T) ~(T)0)
// Limits a position or length in bits. 32-bit forms use the low 8 bits. 64-bit forms use the whole
// operand, as on an H200, although the ISA says 8 bits for both.
#define PLACE(x) (BITS == 64 ? ((x) < 64 ? (x) : 64) : (x)&0xff)

// clang-format off
#define INTEGER_OPERATIONS(OP)                                                                     \
    OP(add, , "", daa, T_ALL, (U)a + (U)b)                                                         \
    OP(add, _sat, "sat", daa, T_S32, clamp_s32((int64_t)a + b))                                    \
    OP(sub, , "", daa, T_ALL, (U)a - (U)b)                                                         \
    OP(sub, _sat, "sat", daa, T_S32, clamp_s32((int64_t)a - b))                                    \
    OP(mul, _lo, "lo", daa, T_ALL, (U)a * (U)b)                                                    \
    OP(mul, _hi, "hi", daa, T_ALL, (U)((D)a * (D)b >> BITS))                                       \
    OP(mul, _wide, "wide", Daa, T_WIDE, (D)a * (D)b)                                               \
    OP(mad, _lo, "lo", daaa, T_ALL, (U)a * (U)b + (U)c)                                            \
    OP(mad, _hi, "hi", daaa, T_ALL, (U)((D)a * (D)b >> BITS) + (U)c)                               \
    OP(mad, _hi_sat, "hi sat", daaa, T_S32, clamp_s32(((D)a * (D)b >> BITS) + c))                  \
    OP(mad, _wide, "wide", DaaA, T_WIDE, (DU)((D)a * (D)b) + (DU)c)                                \
    OP(mul24, _lo, "lo", daa, T_U32, low24(a) * low24(b))                                          \
    OP(mul24, _slo, "lo", daa, T_S32, low24s(a) * low24s(b))                                       \
    OP(mul24, _hi, "hi", daa, T_U32, low24(a) * low24(b) >> 16)                                    \
    OP(mul24, _shi, "hi", daa, T_S32, low24s(a) * low24s(b) >> 16)                                 \
    OP(mad24, _lo, "lo", daaa, T_U32, low24(a) * low24(b) + c)                                     \
    OP(mad24, _slo, "lo", daaa, T_S32, low24s(a) * low24s(b) + c)                                  \
    OP(mad24, _hi, "hi", daaa, T_U32, (low24(a) * low24(b) >> 16) + c)                             \
    OP(mad24, _shi, "hi", daaa, T_S32, (low24s(a) * low24s(b) >> 16) + c)                          \
    OP(mad24, _shis, "hi sat", daaa, T_S32, clamp_s32((int32_t)(low24s(a) * low24s(b) >> 16) + (int64_t)c)) \
    OP(sad, , "", daaa, T_ALL, (U)c + (a < b ? (U)b - (U)a : (U)a - (U)b))                         \
    OP(div, _u, "", daa, T_UNSIGNED, b ? a / (b ? b : 1) : ZERO_DIVISOR)                           \
    OP(div, _s, "", daa, T_SIGNED, b == -1 ? (T)(0 - (U)a) : b ? a / (b ? b : 1) : ZERO_DIVISOR)   \
    OP(rem, _u, "", daa, T_UNSIGNED, b ? a % (b ? b : 1) : ZERO_DIVISOR)                           \
    OP(rem, _s, "", daa, T_SIGNED, b == -1 ? 0 : b ? a % (b ? b : 1) : ZERO_DIVISOR)               \
    OP(abs, , "", da, T_SIGNED, a < 0 ? 0 - (U)a : (U)a)                                           \
    OP(neg, , "", da, T_SIGNED, 0 - (U)a)                                                          \
    OP(min, , "", daa, T_ALL, a < b ? a : b)                                                       \
    OP(max, , "", daa, T_ALL, a > b ? a : b)                                                       \
    OP(min, _relu, "relu", daa, T_S32, a < b ? (a < 0 ? 0 : a) : (b < 0 ? 0 : b))                  \
    OP(max, _relu, "relu", daa, T_S32, a > b ? (a < 0 ? 0 : a) : (b < 0 ? 0 : b))                  \
    OP(popc, , "", wa, T_BITS2, __builtin_popcountll(a))                                           \
    OP(clz, , "", wa, T_BITS2, a ? __builtin_clzll(a) - 64 + BITS : BITS)                          \
    OP(bfind, , "", wa, T_LONG, find_bit(a < 0 ? ~(uint64_t)a : (uint64_t)a))                      \
    OP(bfind, _amount, "shiftamt", wa, T_LONG, shift_amount(find_bit(a < 0 ? ~(uint64_t)a : (uint64_t)a), BITS)) \
    OP(brev, , "", da, T_BITS2, reverse(a) >> (64 - BITS))                                         \
    OP(bfe, , "", daww, T_LONG, extract((uint64_t)(int64_t)a, PLACE(b), PLACE(c), BITS, (T)~(T)0 < 0)) \
    OP(bfi, , "", daaww, T_BITS2, insert(a, b, PLACE(c), PLACE(d), BITS))                          \
    OP(bmsk, _clamp, "clamp", daa, T_B32, bit_mask(a, b, true))                                    \
    OP(bmsk, _wrap, "wrap", daa, T_B32, bit_mask(a, b, false))                                     \
    OP(szext, _clamp, "clamp", daw, T_W32, extend((uint32_t)a, b, true, (T)~(T)0 < 0))             \
    OP(szext, _wrap, "wrap", daw, T_W32, extend((uint32_t)a, b, false, (T)~(T)0 < 0))              \
    OP(and, , "", daa, T_BITS, a & b)                                                              \
    OP(or, , "", daa, T_BITS, a | b)                                                               \
    OP(xor, , "", daa, T_BITS, a ^ b)                                                              \
    OP(not, , "", da, T_BITS, ~a)                                                                  \
    OP(cnot, , "", da, T_BITS, a == 0)                                                             \
    OP(shl, , "", daw, T_BITS, b < BITS ? (U)a << (b & (BITS - 1)) : 0)                            \
    OP(shr, , "", daw, T_SHIFT, b < BITS ? a >> (b & (BITS - 1)) : a < 0 ? -1 : 0)                 \
    OP(shf, _l_clamp, "l clamp", daaw, T_B32, funnel_left(a, b, c < 32 ? c : 32))                  \
    OP(shf, _l_wrap, "l wrap", daaw, T_B32, funnel_left(a, b, c & 31))                             \
    OP(shf, _r_clamp, "r clamp", daaw, T_B32, funnel_right(a, b, c < 32 ? c : 32))                 \
    OP(shf, _r_wrap, "r wrap", daaw, T_B32, funnel_right(a, b, c & 31))                            \
    OP(prmt, , "", daaa, T_B32, permute(a, b, c))                                                  \
    OP(prmt, _f4e, "f4e", daaa, T_B32, permute(a, b, 0x3210 + 0x1111 * (c & 3)))                   \
    OP(prmt, _b4e, "b4e", daaa, T_B32, permute(a, b, backward[c & 3]))                             \
    OP(prmt, _rc8, "rc8", daaa, T_B32, permute(a, b, 0x1111 * (c & 3)))                            \
    OP(prmt, _ecl, "ecl", daaa, T_B32, permute(a, b, edge_left[c & 3]))                            \
    OP(prmt, _ecr, "ecr", daaa, T_B32, permute(a, b, edge_right[c & 3]))                           \
    OP(prmt, _rc16, "rc16", daaa, T_B32, permute(a, b, 0x1010 + 0x2222 * (c & 1)))                 \
    OP(fns, , "", daaa, T_B32, find_nth(a, b, (int32_t)c))
// clang-format on

static inline int32_t clamp_s32(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

static inline uint64_t low24(uint32_t x)
{
    return x & 0xffffff;
}

static inline int64_t low24s(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}

static inline uint32_t find_bit(uint64_t x)
{
    return x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static inline uint32_t shift_amount(uint32_t bit, uint32_t bits)
{
    return bit == UINT32_MAX ? bit : bits - 1 - bit;
}

static inline uint64_t reverse(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555) | (x & 0x5555555555555555) << 1;
    x = (x >> 2 & 0x3333333333333333) | (x & 0x3333333333333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0f) | (x & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(x);
}

// Extracts a bit field from `a`. Sign- or zero-extends `a` to 64 bits first, so that a field that
// reaches past its end has the right bits.
static inline uint64_t extract(uint64_t a, uint32_t at, uint32_t length, uint32_t bits,
                               bool is_signed)
{
    if (!length)
        return 0;
    uint32_t last = at + length - 1 < bits - 1 ? at + length - 1 : bits - 1;
    uint64_t fill = is_signed && (a >> last & 1) ? ~UINT64_C(0) : 0;
    if (at >= bits)
        return fill;
    uint32_t kept = last - at + 1;
    uint64_t mask = kept < 64 ? (UINT64_C(1) << kept) - 1 : ~UINT64_C(0);
    return (a >> at & mask) | (fill & ~mask);
}

static inline uint64_t insert(uint64_t a, uint64_t b, uint32_t at, uint32_t length, uint32_t bits)
{
    if (!length || at >= bits)
        return b;
    uint64_t mask = (length < 64 ? (UINT64_C(1) << length) - 1 : ~UINT64_C(0)) << at;
    return (b & ~mask) | (a << at & mask);
}

static inline uint32_t bit_mask(uint32_t at, uint32_t width, bool clamp)
{
    if (clamp && at >= 32)
        return 0;
    uint32_t end = (at & 31) + (width & 31);
    uint32_t from = UINT32_MAX << (at & 31);
    if (end >= 32 || (clamp && width >= 32))
        return from;
    return from & ~(UINT32_MAX << end);
}

static inline uint32_t extend(uint32_t a, uint32_t bits, bool clamp, bool is_signed)
{
    if (clamp && bits >= 32)
        return a;
    bits &= 31;
    uint32_t mask = UINT32_MAX << bits;
    bool sign = is_signed && bits && (a >> (bits - 1) & 1);
    return sign ? a | mask : a & ~mask;
}

static inline uint32_t funnel_left(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << by >> 32);
}

static inline uint32_t funnel_right(uint32_t low, uint32_t high, uint32_t by)
{
    return (uint32_t)(((uint64_t)high << 32 | low) >> by);
}

// Selects bytes by four-bit selectors. If the top bit of a selector is set, the byte's sign is
// replicated.
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t selector = selectors >> (4 * k) & 15;
        uint32_t byte = bytes >> (8 * (selector & 7)) & 0xff;
        if (selector & 8)
            byte = 0xff * (byte >> 7);
        result |= byte << (8 * k);
    }
    return result;
}
static const uint32_t backward[] = { 0x5670, 0x6701, 0x7012, 0x0123 };
static const uint32_t edge_left[] = { 0x3210, 0x3211, 0x3222, 0x3333 };
static const uint32_t edge_right[] = { 0x0000, 0x1110, 0x2210, 0x3210 };

static uint32_t find_nth(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == INT32_MIN && base < 32) // as on an H200; the ISA leaves it open
        return 0;
    if (offset == 0)
        return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
    uint32_t left = offset > 0 ? (uint32_t)offset : 0 - (uint32_t)offset;
    for (uint32_t at = base; at<32; at += offset> 0 ? 1 : UINT32_MAX)
        if ((mask >> at & 1) && --left == 0)
            return at;
    return UINT32_MAX;
}

// Declare the operands by their letters. A capital letter has twice the width; w has 32 bits.
#define GET(type, k) const type *const at##k = (const type *)(const void *)(w->f + op->o[k])
#define PUT(type) type *const at0 = (type *)(void *)(w->f + op->o[0])
#define SOURCES_a GET(SLOT, 1)
#define SOURCES_aa \
    SOURCES_a;     \
    GET(SLOT, 2)
#define SOURCES_aaa \
    SOURCES_aa;     \
    GET(SLOT, 3)
#define VALUE(k, name) T name __attribute__((unused)) = (T)at##k[i]
#define WORD(k, name) uint32_t name = at##k[i]

// clang-format off
#define OPERANDS_daa PUT(SLOT); SOURCES_aa
#define OPERANDS_da PUT(SLOT); SOURCES_a
#define OPERANDS_daaa PUT(SLOT); SOURCES_aaa
#define OPERANDS_Daa PUT(DU); SOURCES_aa
#define OPERANDS_DaaA PUT(DU); SOURCES_aa; GET(DU, 3)
#define OPERANDS_wa PUT(uint32_t); SOURCES_a
#define OPERANDS_daw PUT(SLOT); SOURCES_a; GET(uint32_t, 2)
#define OPERANDS_daww PUT(SLOT); SOURCES_a; GET(uint32_t, 2); GET(uint32_t, 3)
#define OPERANDS_daaw PUT(SLOT); SOURCES_aa; GET(uint32_t, 3)
#define OPERANDS_daaww PUT(SLOT); SOURCES_aa; GET(uint32_t, 3); GET(uint32_t, 4)

#define VALUES_daa VALUE(1, a); VALUE(2, b)
#define VALUES_da VALUE(1, a)
#define VALUES_daaa VALUE(1, a); VALUE(2, b); VALUE(3, c)
#define VALUES_Daa VALUE(1, a); VALUE(2, b)
#define VALUES_DaaA VALUE(1, a); VALUE(2, b); DU c = at3[i]
#define VALUES_wa VALUE(1, a)
#define VALUES_daw VALUE(1, a); WORD(2, b)
#define VALUES_daww VALUE(1, a); WORD(2, b); WORD(3, c)
#define VALUES_daaw VALUE(1, a); VALUE(2, b); WORD(3, c)
#define VALUES_daaww VALUE(1, a); VALUE(2, b); WORD(3, c); WORD(4, d)

// Extend a result that is narrower than its register, by its sign if T is signed.
#define RESULT_d(...) (SLOT)(T)(__VA_ARGS__)
#define RESULT_D(...) (DU)(__VA_ARGS__)
#define RESULT_w(...) (uint32_t)(__VA_ARGS__)
#define RESULT_daa RESULT_d
#define RESULT_da RESULT_d
#define RESULT_daaa RESULT_d
#define RESULT_daw RESULT_d
#define RESULT_daww RESULT_d
#define RESULT_daaw RESULT_d
#define RESULT_daaww RESULT_d
#define RESULT_Daa RESULT_D
#define RESULT_DaaA RESULT_D
#define RESULT_wa RESULT_w

#define LETTERS_daa "daa"
#define LETTERS_da "da"
#define LETTERS_daaa "daaa"
#define LETTERS_Daa "d+aa"
#define LETTERS_DaaA "d+aaa+"
#define LETTERS_wa "dwa"
#define LETTERS_daw "daaw"
#define LETTERS_daww "daawaw"
#define LETTERS_daaw "daaaw"
#define LETTERS_daaww "daaawaw"
// clang-format on

#define WIDE_16 uint32_t
#define WIDE_32 uint64_t
#define WIDE_64 uint64_t

#define DEFINE_TYPED(tag, value, slot, unsigned_type, wide, bits, name, operands, ...)   \
    SIM_HANDLER(name)                                                                    \
    {                                                                                    \
        typedef value T;                                                                 \
        typedef slot SLOT;                                                               \
        typedef unsigned_type U __attribute__((unused));                                 \
        typedef wide D __attribute__((unused));                                          \
        typedef WIDE_##bits DU __attribute__((unused));                                  \
        enum { BITS = bits };                                                            \
        OPERANDS_##operands;                                                             \
        SIM_ALU_LANES(mask, VALUES_##operands; at0[i] = RESULT_##operands(__VA_ARGS__)); \
        return SIM_NEXT;                                                                 \
    }
#define DEFINE_EXPANDED(...) DEFINE_TYPED(__VA_ARGS__)
#define DEFINE(tag, name, operands, ...) \
    DEFINE_EXPANDED(tag, SIM_DESCRIBE_##tag, name##_##tag, operands, __VA_ARGS__)
#define DEFINE_ALL(name, suffix, words, operands, types, ...) \
    types(DEFINE, run_##name##suffix, operands, __VA_ARGS__)

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits" // `a < 0` for unsigned types
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wconversion" // every result is cast to its type
#endif
INTEGER_OPERATIONS(DEFINE_ALL)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

// Defines an operation on predicates, which are masks.
#define PREDICATE(name, expression)              \
    SIM_HANDLER(run_##name##_PRED)               \
    {                                            \
        uint32_t a = SIM_RP(w, op->o[1]);        \
        uint32_t *d = &SIM_RP(w, op->o[0]);      \
        *d = (*d & ~mask) | ((expression)&mask); \
        return SIM_NEXT;                         \
    }
PREDICATE(and, a &SIM_RP(w, op->o[2]))
PREDICATE(or, a | SIM_RP(w, op->o[2]))
PREDICATE(xor, a ^ SIM_RP(w, op->o[2]))
PREDICATE(not, ~a)

// Defines an operation on two packed halves.
#define HALVES(name, type, expression)                                                     \
    SIM_HANDLER(run_##name)                                                                \
    {                                                                                      \
        uint32_t *at0 = SIM_R32(w, op->o[0]);                                              \
        const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);           \
        SIM_ALU_LANES(                                                                     \
            mask, uint32_t result = 0; for (uint32_t shift = 0; shift < 32; shift += 16) { \
                type a = (type)(at1[i] >> shift), b = (type)(at2[i] >> shift);             \
                result |= (uint32_t)(uint16_t)(expression) << shift;                       \
            } at0[i] = result);                                                            \
        return SIM_NEXT;                                                                   \
    }
HALVES(add_halves, uint16_t, a + b)
HALVES(min_U16X2, uint16_t, a < b ? a : b)
HALVES(max_U16X2, uint16_t, a > b ? a : b)
HALVES(min_S16X2, int16_t, a < b ? a : b)
HALVES(max_S16X2, int16_t, a > b ? a : b)
HALVES(min_relu_S16X2, int16_t, (a < b ? a : b) < 0 ? 0 : (a < b ? a : b))
HALVES(max_relu_S16X2, int16_t, (a > b ? a : b) < 0 ? 0 : (a > b ? a : b))

// Defines an operation with carry. w->carry has one bit per lane; in subtractions it is the borrow.
enum { CARRY_IN = 1, CARRY_OUT = 2 };
#define CARRIED(name, tag, wide, value, ...)                                               \
    SIM_HANDLER(run_##name##_##tag)                                                        \
    {                                                                                      \
        const uint32_t in = op->extra & CARRY_IN ? w->carry : 0, bits = sizeof(value) * 8; \
        uint32_t out = 0;                                                                  \
        value *at0 = (value *)(void *)(w->f + op->o[0]);                                   \
        const value *at1 = (const value *)(const void *)(w->f + op->o[1]);                 \
        const value *at2 = (const value *)(const void *)(w->f + op->o[2]);                 \
        __VA_ARGS__                                                                        \
        if (op->extra & CARRY_OUT)                                                         \
            w->carry = (w->carry & ~mask) | out;                                           \
        return SIM_NEXT;                                                                   \
    }
#define CARRIED_SUM(name, tag, wide, value, expression)  \
    CARRIED(name, tag, wide, value, SIM_LANES(mask, i, { \
                wide carry = in >> i & 1;                \
                wide sum = expression;                   \
                at0[i] = (value)sum;                     \
                out |= (uint32_t)(sum >> bits & 1) << i; \
            });)
// Defines a multiply-add with carry. The carry depends only on the half of the product that is
// added.
#define CARRIED_PRODUCT(name, tag, wide, value, multiplied, product)           \
    CARRIED(name, tag, wide, value,                                            \
            const value *at3 = (const value *)(const void *)(w->f + op->o[3]); \
            SIM_LANES(mask, i, {                                               \
                multiplied a = (multiplied)at1[i], b = (multiplied)at2[i];     \
                wide sum = (wide)(value)(product) + at3[i] + (in >> i & 1);    \
                at0[i] = (value)sum;                                           \
                out |= (uint32_t)(sum >> bits & 1) << i;                       \
            });)
// Defines a 16-bit or clamped form, in which only the incoming carry is defined.
#define CARRIED_NARROW(name, ...)                                                              \
    SIM_HANDLER(run_##name)                                                                    \
    {                                                                                          \
        uint32_t *at0 = SIM_R32(w, op->o[0]);                                                  \
        const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);               \
        const uint32_t *at3 = op->o[3] == SIM_NO_OPERAND ? at2 : SIM_R32(w, op->o[3]);         \
        SIM_LANES(mask, i, const int64_t carry = w->carry >> i & 1; const uint32_t a = at1[i]; \
                  const uint32_t b = at2[i]; const uint32_t c = at3[i]; (void)c;               \
                  at0[i] = (uint32_t)(__VA_ARGS__));                                           \
        return SIM_NEXT;                                                                       \
    }
CARRIED_NARROW(add_carry_16, (uint16_t)(a + b + (uint32_t)carry))
CARRIED_NARROW(sub_carry_16, (uint16_t)(a - b - (uint32_t)carry))
CARRIED_NARROW(mad_lo_carry_16, (uint16_t)(a *b + c + (uint32_t)carry))
CARRIED_NARROW(mad_hi_carry_U16,
               (uint16_t)(((a & 0xffff) * (b & 0xffff) >> 16) + c + (uint32_t)carry))
CARRIED_NARROW(mad_hi_carry_S16,
               (uint16_t)((uint32_t)((int16_t)a *(int16_t)b >> 16) + c + (uint32_t)carry))
CARRIED_NARROW(add_carry_sat, clamp_s32((int64_t)(int32_t)a + (int32_t)b + carry))
CARRIED_NARROW(sub_carry_sat, clamp_s32((int64_t)(int32_t)a - (int32_t)b - carry))
CARRIED_NARROW(mad_hi_carry_sat,
               clamp_s32(((int64_t)(int32_t)a * (int32_t)b >> 32) + (int32_t)c + carry))

CARRIED_SUM(add_carry, 32, uint64_t, uint32_t, (uint64_t)at1[i] + at2[i] + carry)
CARRIED_SUM(add_carry, 64, sim_u128, uint64_t, (sim_u128)at1[i] + at2[i] + carry)
CARRIED_SUM(sub_carry, 32, uint64_t, uint32_t, (uint64_t)at1[i] - at2[i] - carry)
CARRIED_SUM(sub_carry, 64, sim_u128, uint64_t, (sim_u128)at1[i] - at2[i] - carry)
CARRIED_PRODUCT(mad_lo_carry, 32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
CARRIED_PRODUCT(mad_lo_carry, 64, sim_u128, uint64_t, uint64_t, (sim_u128)a *b)
CARRIED_PRODUCT(mad_hi_carry, U32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b >> 32)
CARRIED_PRODUCT(mad_hi_carry, U64, sim_u128, uint64_t, uint64_t, (sim_u128)a *b >> 64)
CARRIED_PRODUCT(mad_hi_carry, S32, uint64_t, uint32_t, int32_t, (int64_t)a *b >> 32)
CARRIED_PRODUCT(mad_hi_carry, S64, sim_u128, uint64_t, int64_t, (sim_s128)a *b >> 64)

#define CARRY_FORMS(name, words, low, U32_, U64_, S32_, S64_)                                     \
    { #name, words, SIM_U32, run_##low##_##U32_ }, { #name, words, SIM_S32, run_##low##_##S32_ }, \
        { #name, words, SIM_U64, run_##low##_##U64_ },                                            \
    {                                                                                             \
#name, words, SIM_S64, run_##low##_##S64_                                                 \
    }
static const struct sim_form carry_forms[] = {
    CARRY_FORMS(add, "cc", add_carry, 32, 64, 32, 64),
    CARRY_FORMS(addc, "", add_carry, 32, 64, 32, 64),
    CARRY_FORMS(addc, "cc", add_carry, 32, 64, 32, 64),
    CARRY_FORMS(sub, "cc", sub_carry, 32, 64, 32, 64),
    CARRY_FORMS(subc, "", sub_carry, 32, 64, 32, 64),
    CARRY_FORMS(subc, "cc", sub_carry, 32, 64, 32, 64),
    CARRY_FORMS(mad, "lo cc", mad_lo_carry, 32, 64, 32, 64),
    CARRY_FORMS(madc, "lo", mad_lo_carry, 32, 64, 32, 64),
    CARRY_FORMS(madc, "lo cc", mad_lo_carry, 32, 64, 32, 64),
    CARRY_FORMS(mad, "hi cc", mad_hi_carry, U32, U64, S32, S64),
    CARRY_FORMS(madc, "hi", mad_hi_carry, U32, U64, S32, S64),
    CARRY_FORMS(madc, "hi cc", mad_hi_carry, U32, U64, S32, S64),
    { "addc", "", SIM_U16, run_add_carry_16 },
    { "addc", "", SIM_S16, run_add_carry_16 },
    { "subc", "", SIM_U16, run_sub_carry_16 },
    { "subc", "", SIM_S16, run_sub_carry_16 },
    { "madc", "lo", SIM_U16, run_mad_lo_carry_16 },
    { "madc", "lo", SIM_S16, run_mad_lo_carry_16 },
    { "madc", "hi", SIM_U16, run_mad_hi_carry_U16 },
    { "madc", "hi", SIM_S16, run_mad_hi_carry_S16 },
    { "addc", "sat", SIM_S32, run_add_carry_sat },
    { "subc", "sat", SIM_S32, run_sub_carry_sat },
    { "madc", "hi sat", SIM_S32, run_mad_hi_carry_sat },
};

// Dot products of parts of two words.
enum { DOT_SIGNED_A = 1, DOT_SIGNED_B = 2, DOT_HIGH = 4 };
static inline int32_t part(uint32_t x, uint32_t at, uint32_t bits, bool is_signed)
{
    uint32_t top = x << (32 - bits - at);
    return is_signed ? (int32_t)top >> (32 - bits) : (int32_t)(top >> (32 - bits));
}
SIM_HANDLER(run_dp4a)
{
    const bool sa = op->extra & DOT_SIGNED_A, sb = op->extra & DOT_SIGNED_B;
    uint32_t *at0 = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[3]);
    SIM_ALU_LANES(mask, uint32_t sum = at3[i];
                  for (uint32_t k = 0; k < 32; k += 8)
                      sum += (uint32_t)(part(at1[i], k, 8, sa) * part(at2[i], k, 8, sb));
                  at0[i] = sum);
    return SIM_NEXT;
}
SIM_HANDLER(run_dp2a)
{
    const bool sa = op->extra & DOT_SIGNED_A, sb = op->extra & DOT_SIGNED_B;
    const uint32_t first = op->extra & DOT_HIGH ? 16 : 0;
    uint32_t *at0 = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[3]);
    SIM_ALU_LANES(mask, uint32_t sum = at3[i];
                  for (uint32_t k = 0; k < 2; k++) sum +=
                  (uint32_t)(part(at1[i], 16 * k, 16, sa) * part(at2[i], first + 8 * k, 8, sb));
                  at0[i] = sum);
    return SIM_NEXT;
}

// Computes any function of three bits. `extra` is its truth table, indexed by a, then b, then c.
SIM_HANDLER(run_lop3)
{
    uint32_t t[8];
    for (uint32_t k = 0; k < 8; k++)
        t[k] = op->extra >> k & 1 ? UINT32_MAX : 0;
    const uint32_t x0 = t[0] ^ t[1], x1 = t[2] ^ t[3], x2 = t[4] ^ t[5], x3 = t[6] ^ t[7];
    const uint32_t t0 = t[0], t2 = t[2], t4 = t[4], t6 = t[6];
    uint32_t *at0 = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[3]);
    SIM_ALU_LANES(mask, uint32_t a = at1[i], b = at2[i], c = at3[i];
                  uint32_t with_a = (((x3 & c) ^ t6) & b) | (((x2 & c) ^ t4) & ~b);
                  uint32_t without = (((x1 & c) ^ t2) & b) | (((x0 & c) ^ t0) & ~b);
                  at0[i] = (with_a & a) | (without & ~a));
    return SIM_NEXT;
}

// Lists all forms, with name, words and type.
#define FORM(tag, name, suffix, words) { #name, words, SIM_##tag, run_##name##suffix##_##tag },
#define FORM_ALL(name, suffix, words, operands, types, ...) types(FORM, name, suffix, words)
static const struct sim_form forms[] = {
    // clang-format off
    INTEGER_OPERATIONS(FORM_ALL)
    { "and", "", SIM_PRED, run_and_PRED },
    { "or", "", SIM_PRED, run_or_PRED },
    { "xor", "", SIM_PRED, run_xor_PRED },
    { "not", "", SIM_PRED, run_not_PRED },
    { "add", "", SIM_U16X2, run_add_halves },
    { "add", "", SIM_S16X2, run_add_halves },
    { "min", "", SIM_U16X2, run_min_U16X2 },
    { "max", "", SIM_U16X2, run_max_U16X2 },
    { "min", "", SIM_S16X2, run_min_S16X2 },
    { "max", "", SIM_S16X2, run_max_S16X2 },
    { "min", "relu", SIM_S16X2, run_min_relu_S16X2 },
    { "max", "relu", SIM_S16X2, run_max_relu_S16X2 },
    // clang-format on
};

static sim_handler *pick_form(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return words->types == 1 ? sim_form_find(forms, CUC_LENGTH(forms), words) : NULL;
}

static sim_handler *pick_carry(const struct sim_words *words, struct sim_op *op)
{
    const char *name = words->statement->word[0];
    op->extra = (name[strlen(name) - 1] == 'c' ? CARRY_IN : 0) |
                (sim_has(words, "cc") ? CARRY_OUT : 0);
    return words->types == 1 ? sim_form_find(carry_forms, CUC_LENGTH(carry_forms), words) : NULL;
}

static sim_handler *pick_dot(const struct sim_words *words, struct sim_op *op)
{
    bool two = strcmp(words->statement->word[0], "dp2a") == 0, high = sim_has(words, "hi");
    if (words->types != 2 || (two && high == sim_has(words, "lo")))
        return NULL;
    for (uint32_t k = 0; k < 2; k++)
        if (words->type[k] != SIM_U32 && words->type[k] != SIM_S32)
            return NULL;
    op->extra = (words->type[0] == SIM_S32 ? DOT_SIGNED_A : 0) |
                (words->type[1] == SIM_S32 ? DOT_SIGNED_B : 0) | (high ? DOT_HIGH : 0);
    return two ? run_dp2a : run_dp4a;
}

// Runs lop3 with a predicate: d|p = lop3(a, b, c), p = (d != 0) op q.
enum { LOP3_TABLE = 0xff, LOP3_AND = 0x100 };
SIM_HANDLER(run_lop3_predicate)
{
    uint32_t any = 0;
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[3]);
    uint32_t *at0 = op->o[0] == SIM_NO_OPERAND ? NULL : SIM_R32(w, op->o[0]);
    const uint32_t q = SIM_RP(w, op->o[4]);
    SIM_LANES(mask, i, uint32_t d = 0;
              for (uint32_t k = 0; k < 8; k++) if (op->extra >> k & 1) d |=
              (k & 4 ? at1[i] : ~at1[i]) & (k & 2 ? at2[i] : ~at2[i]) & (k & 1 ? at3[i] : ~at3[i]);
              any |= (uint32_t)(d != 0) << i; if (at0) at0[i] = d);
    uint32_t *p = &SIM_RP(w, op->o[5]);
    *p = (*p & ~mask) | ((op->extra & LOP3_AND ? any & q : any | q) & mask);
    return SIM_NEXT;
}

// Discards the result.
SIM_HANDLER(run_lop3_nowhere)
{
    (void)w;
    (void)op;
    (void)mask;
    return SIM_NEXT;
}

static sim_handler *pick_lop3(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_operand *table = &words->statement->operand[4];
    if (words->types != 1 || words->type[0] != SIM_B32 || table->kind != SIM_OP_INTEGER)
        return NULL;
    op->extra = (uint32_t)table->value.u & LOP3_TABLE;
    if (words->statement->operands == 5)
        return op->o[0] == SIM_NO_OPERAND ? run_lop3_nowhere : run_lop3;
    if (sim_has(words, "or") == sim_has(words, "and") || op->o[5] == SIM_NO_OPERAND)
        return NULL;
    op->extra |= sim_has(words, "and") ? LOP3_AND : 0;
    return run_lop3_predicate;
}

#define ROW(name, suffix, words, operands, types, ...) \
    { #name, words, LETTERS_##operands, pick_form },
const struct sim_instruction sim_integer_instructions[] = {
    // clang-format off
    INTEGER_OPERATIONS(ROW)
    { "add", "cc", "daa", pick_carry },
    { "addc", "cc sat", "daa", pick_carry },
    { "sub", "cc", "daa", pick_carry },
    { "subc", "cc sat", "daa", pick_carry },
    { "mad", "lo hi cc", "daaa", pick_carry },
    { "madc", "lo hi cc sat", "daaa", pick_carry },
    { "dp4a", "", "daaa", pick_dot },
    { "dp2a", "lo hi", "daaa", pick_dot },
    { "lop3", "", "d_aaai", pick_lop3 },
    { "lop3", "or and", "d_|aaaip", pick_lop3 },
    { NULL, NULL, NULL, NULL },
    // clang-format on
};
