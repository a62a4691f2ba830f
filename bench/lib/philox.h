// Random numbers by philox4x32-10, and their conversion to every element type. Host and device
// (kernels.cu) compile the same text. Every operation is exact or rounds as IEEE 754 specifies, so
// both produce the same bytes.
//
// Source: J. Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011.
#ifndef CUCORE_BENCH_LIB_PHILOX_H
#define CUCORE_BENCH_LIB_PHILOX_H

#ifdef __CUDACC__
#define PHILOX_FN static __device__ __forceinline__
#define PHILOX_BITS_OF_FLOAT(x) __float_as_uint(x)
#else
#include <string.h>
#define PHILOX_FN static inline
static inline unsigned philox_bits_of_float(float x)
{
    unsigned bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}
#define PHILOX_BITS_OF_FLOAT(x) philox_bits_of_float(x)
#endif

// Distribution of a number.
enum {
    PHILOX_BITS,    // all 64 bits
    PHILOX_UNIFORM, // low + u * scale, u from 0 up to 1
    PHILOX_NORMAL,  // low + z * scale
    PHILOX_INTEGER, // first + a whole number from 0 to span - 1
};

// Storage of a number.
enum {
    PHILOX_U8,
    PHILOX_U16,
    PHILOX_U32,
    PHILOX_U64,
    PHILOX_F16,
    PHILOX_BF16,
    PHILOX_F32,
    PHILOX_TF32,
    PHILOX_F64,
    PHILOX_E4M3,
    PHILOX_E5M2,
};

struct philox_recipe {
    unsigned long long seed;
    unsigned long long span; // PHILOX_INTEGER: 1 to 2^32
    long long first;         // PHILOX_INTEGER
    double low, scale;
    unsigned set, index; // which set, and which input
    int make, store;
};

PHILOX_FN void philox(unsigned out[4], const struct philox_recipe *r, unsigned long long i)
{
    unsigned c0 = (unsigned)i, c1 = (unsigned)(i >> 32), c2 = r->set, c3 = r->index;
    unsigned k0 = (unsigned)r->seed, k1 = (unsigned)(r->seed >> 32);

    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
        c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
        c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
        c1 = (unsigned)b;
        c3 = (unsigned)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

// Sum eight uniform 16-bit numbers, centered at 0 and scaled to unit standard deviation. Values end
// at 4.9 deviations. Unlike a method with a logarithm, this gives the same result on every machine.
PHILOX_FN double philox_normal(const unsigned w[4])
{
    int sum = 0;

    for (int i = 0; i < 4; i++)
        sum += (int)(w[i] & 0xFFFF) + (int)(w[i] >> 16);
    return (double)(sum - 262140) * 1.8688123650118534e-05; // 1 / (65536 * sqrt(2 / 3))
}

// Encode a magnitude as a small float with the given mantissa and bias, rounded to nearest even and
// saturated at `largest`. The sign is separate.
PHILOX_FN unsigned philox_small(unsigned magnitude, int mantissa, int bias, unsigned largest)
{
    int exponent = (int)(magnitude >> 23) - 127 + bias, shift = 23 - mantissa;
    unsigned m = (magnitude & 0x7FFFFF) | 0x800000, code;

    if (exponent < 1) { // subnormal: use the exponent of the smallest normal number
        shift += 1 - exponent;
        exponent = 1;
    }
    if (shift > 24)
        return 0;
    code = m >> shift;
    unsigned rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
    if (rest > half || (rest == half && (code & 1)))
        code++;
    code += (unsigned)(exponent - 1) << mantissa; // the leading 1 carries into the exponent
    return code < largest ? code : largest;
}

// Round the magnitude of an f32 to nearest even at bit `at`, saturating at the largest number.
PHILOX_FN unsigned philox_cut(unsigned magnitude, int at)
{
    unsigned rounded = magnitude + ((1u << (at - 1)) - 1) + ((magnitude >> at) & 1);

    if (rounded >= 0x7F800000)
        rounded = 0x7F7FFFFF;
    return rounded >> at << at;
}

PHILOX_FN void philox_store_float(void *to, unsigned long long i, double x, int store)
{
    float f = (float)x;
    unsigned bits = PHILOX_BITS_OF_FLOAT(f), magnitude = bits & 0x7FFFFFFF;
    unsigned sign = bits >> 31;

    if (magnitude >= 0x7F800000) // beyond f32: use its largest number
        magnitude = 0x7F7FFFFF;
    switch (store) {
    case PHILOX_F64:
        ((double *)to)[i] = x;
        break;
    case PHILOX_F32:
        ((unsigned *)to)[i] = sign << 31 | magnitude;
        break;
    case PHILOX_TF32:
        ((unsigned *)to)[i] = sign << 31 | philox_cut(magnitude, 13);
        break;
    case PHILOX_BF16:
        ((unsigned short *)to)[i] = (unsigned short)(sign << 15 | philox_cut(magnitude, 16) >> 16);
        break;
    case PHILOX_F16:
        ((unsigned short *)to)[i] =
            (unsigned short)(sign << 15 | philox_small(magnitude, 10, 15, 0x7BFF));
        break;
    case PHILOX_E4M3:
        ((unsigned char *)to)[i] = (unsigned char)(sign << 7 | philox_small(magnitude, 3, 7, 0x7E));
        break;
    case PHILOX_E5M2:
        ((unsigned char *)to)[i] =
            (unsigned char)(sign << 7 | philox_small(magnitude, 2, 15, 0x7B));
        break;
    }
}

PHILOX_FN void philox_store_bits(void *to, unsigned long long i, unsigned long long x, int store)
{
    switch (store) {
    case PHILOX_U8:
        ((unsigned char *)to)[i] = (unsigned char)x;
        break;
    case PHILOX_U16:
        ((unsigned short *)to)[i] = (unsigned short)x;
        break;
    case PHILOX_U32:
        ((unsigned *)to)[i] = (unsigned)x;
        break;
    case PHILOX_U64:
        ((unsigned long long *)to)[i] = x;
        break;
    }
}

// Generate number i.
PHILOX_FN void philox_element(void *to, unsigned long long i, const struct philox_recipe *r)
{
    unsigned w[4];
    long long whole;

    philox(w, r, i);
    switch (r->make) {
    case PHILOX_BITS:
        philox_store_bits(to, i, (unsigned long long)w[1] << 32 | w[0], r->store);
        break;
    case PHILOX_UNIFORM:
        philox_store_float(to, i, r->low + w[0] * 0x1p-32 * r->scale, r->store);
        break;
    case PHILOX_NORMAL:
        philox_store_float(to, i, r->low + philox_normal(w) * r->scale, r->store);
        break;
    case PHILOX_INTEGER:
        // Take the upper half of 32 random bits times the span; a span of 2^32 keeps all bits.
        whole = r->first + (long long)(r->span >> 32 ? w[0] : (w[0] * r->span) >> 32);
        if (r->store <= PHILOX_U64)
            philox_store_bits(to, i, (unsigned long long)whole, r->store);
        else
            philox_store_float(to, i, (double)whole, r->store);
        break;
    }
}

#endif
