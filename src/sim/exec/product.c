// Computes matrix products for mma and wmma: of elements that f32 represents, of integers and bits,
// and of f64.
#include "formats.h"
#include "matrix.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

uint32_t sim_element_bits(enum sim_type type)
{
    switch (type) {
    case SIM_B1:
        return 1;
    case SIM_S4:
    case SIM_U4:
        return 4;
    default:
        return 8 * sim_type_bytes(type);
    }
}

typedef float vec4 __attribute__((vector_size(16)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef uint32_t words4 __attribute__((vector_size(16)));
typedef uint16_t halves4 __attribute__((vector_size(8)));

// Does the same as sim_f16_to_f32() for four values at a time, since conversions took most of a
// product's time.
void sim_unpack_f16(const void *from, uint32_t count, float *out)
{
    const unsigned char *codes = from;
    uint16_t code;

    for (; count >= 4; count -= 4, codes += 8, out += 4) {
        halves4 four;
        memcpy(&four, codes, sizeof four);
        words4 bits = __builtin_convertvector(four, words4);
        ints4 magnitude = (ints4)(bits & 0x7fff);
        words4 tiny = (words4)(magnitude < 0x400), nan = (words4)(magnitude > 0x7c00);
        words4 infinite = (words4)(magnitude > 0x7bff), sign = (bits & 0x8000) << 16;
        words4 scaled = (words4)(__builtin_convertvector(magnitude, vec4) * 0x1p-24f);
        words4 normal = ((words4)magnitude << 13) + (112u << 23);
        bits = (scaled & tiny) | (normal & ~tiny) | (infinite & 0x7f800000) | (sign & ~nan) |
               (nan & SIM_F32_NAN);
        memcpy(out, &bits, sizeof bits);
    }
    for (; count; count--, codes += 2) {
        memcpy(&code, codes, sizeof code);
        *out++ = sim_f16_to_f32(code);
    }
}

// Unpacks the elements in words to f32, which is exact even for integers of at most 8 bits.
static void unpack(enum sim_type type, const uint32_t *words, uint32_t count, float *out)
{
    switch (type) {
    case SIM_F16:
        sim_unpack_f16(words, 2 * count, out);
        break;
    case SIM_BF16:
        for (uint32_t i = 0; i < count; i++) {
            out[2 * i] = sim_float32(words[i] << 16);
            out[2 * i + 1] = sim_float32(words[i] & 0xffff0000);
        }
        break;
    case SIM_TF32:
        for (uint32_t i = 0; i < count; i++)
            out[i] = sim_float32(words[i] & 0xffffe000);
        break;
    case SIM_E4M3:
        for (uint32_t i = 0; i < 4 * count; i++)
            out[i] = sim_e4m3_to_f32(words[i / 4] >> 8 * (i % 4) & 0xff);
        break;
    case SIM_E5M2:
        for (uint32_t i = 0; i < 4 * count; i++)
            out[i] = sim_e5m2_to_f32(words[i / 4] >> 8 * (i % 4) & 0xff);
        break;
    case SIM_S8:
        for (uint32_t i = 0; i < 4 * count; i++)
            out[i] = (float)(int8_t)(words[i / 4] >> 8 * (i % 4) & 0xff);
        break;
    case SIM_U8:
        for (uint32_t i = 0; i < 4 * count; i++)
            out[i] = (float)(words[i / 4] >> 8 * (i % 4) & 0xff);
        break;
    case SIM_S4:
        for (uint32_t i = 0; i < 8 * count; i++)
            out[i] = (float)((int32_t)((words[i / 8] >> 4 * (i % 8) & 15) ^ 8) - 8);
        break;
    default: // SIM_U4
        for (uint32_t i = 0; i < 8 * count; i++)
            out[i] = (float)(words[i / 8] >> 4 * (i % 8) & 15);
    }
}

// Computes c[m][n] += a[m][kept] b[k][n], eight columns of a row at a time. `rows` gives the row of
// b for each element of a; if it is NULL, element i belongs to row i.
static inline __attribute__((always_inline)) void multiply_rows(const struct sim_product *p,
                                                                const float *a, uint32_t kept,
                                                                const float *b, float *c,
                                                                const uint8_t *rows)
{
    for (uint32_t row = 0; row < p->m; row++) {
        for (uint32_t col = 0; col < p->n; col += 8) {
            vec4 low, high, x, y;
            float *at = c + row * p->n + col;
            memcpy(&low, at, sizeof low);
            memcpy(&high, at + 4, sizeof high);
            for (uint32_t i = 0; i < kept; i++) {
                const float *from = b + (rows ? rows[row * kept + i] : i) * p->n + col;
                float by = a[row * kept + i];
                memcpy(&x, from, sizeof x);
                memcpy(&y, from + 4, sizeof y);
                low += by * x;
                high += by * y;
            }
            memcpy(at, &low, sizeof low);
            memcpy(at + 4, &high, sizeof high);
        }
    }
}

enum { ELEMENTS = 16 * 64 }; // maximum number of elements of A or B as f32

static void multiply_words(const struct sim_product *p, const uint32_t *a, const uint32_t *b,
                           float *c)
{
    float left[ELEMENTS], columns[ELEMENTS], right[ELEMENTS];
    const uint32_t kept = p->rows ? p->k / 2 : p->k;

    unpack(p->a, a, p->m * kept * sim_element_bits(p->a) / 32, left);
    unpack(p->b, b, p->n * p->k * sim_element_bits(p->b) / 32, columns);
    for (uint32_t i = 0; i < p->k; i++)
        for (uint32_t col = 0; col < p->n; col++)
            right[i * p->n + col] = columns[col * p->k + i];
    if (p->rows)
        multiply_rows(p, left, kept, right, c, p->rows);
    else
        multiply_rows(p, left, kept, right, c, NULL);
}

void sim_multiply_float(const struct sim_product *p, const uint32_t *a, const uint32_t *b, float *c)
{
    multiply_words(p, a, b, c);
    for (uint32_t i = 0; i < p->m * p->n; i++)
        c[i] = sim_float32(sim_canonical32(c[i]));
}

void sim_multiply_int(const struct sim_product *p, const uint32_t *a, const uint32_t *b,
                      bool satfinite, int32_t *c)
{
    // The sum of at most 64 products of bytes is an integer below 2^24, so f32 is exact.
    float accumulators[SIM_PRODUCT_CELLS] = { 0 };

    if (p->a != SIM_B1)
        multiply_words(p, a, b, accumulators);
    for (uint32_t i = 0; i < p->m * p->n; i++) {
        int64_t sum = (int64_t)accumulators[i];
        if (p->a == SIM_B1) {
            const uint32_t *x = a + i / p->n * (p->k / 32), *y = b + i % p->n * (p->k / 32);
            for (uint32_t word = 0; word < p->k / 32; word++)
                sum += __builtin_popcount(p->bits_and ? x[word] & y[word] : x[word] ^ y[word]);
        }
        sum += c[i];
        if (satfinite)
            sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        uint32_t wrapped = (uint32_t)(uint64_t)sum;
        memcpy(&c[i], &wrapped, sizeof wrapped);
    }
}

void sim_multiply_f64(const struct sim_product *p, const double *a, const double *b, double *c)
{
    static const int directions[] = { [SIM_RN] = FE_TONEAREST,
                                      [SIM_RZ] = FE_TOWARDZERO,
                                      [SIM_RM] = FE_DOWNWARD,
                                      [SIM_RP] = FE_UPWARD };
    const int before = fegetround();

    if (p->rounding != SIM_RN)
        fesetround(directions[p->rounding]);
    for (uint32_t row = 0; row < p->m; row++)
        for (uint32_t col = 0; col < p->n; col++)
            for (uint32_t i = 0; i < p->k; i++)
                c[row * p->n + col] =
                    fma(a[row * p->k + i], b[col * p->k + i], c[row * p->n + col]);
    if (p->rounding != SIM_RN)
        fesetround(before);
}
