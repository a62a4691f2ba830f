// Computes matrix products for wgmma: converts elements to f32, which represents all of them, and
// accumulates the products for one register of D at a time.
#include "wgmma.h"

#include "formats.h"
#include "matrix.h"

#include <pthread.h>
#include <string.h>

// The values of all 8-bit codes.
static float e4m3_values[256], e5m2_values[256], s8_values[256], u8_values[256];
static pthread_once_t values_once = PTHREAD_ONCE_INIT;

static void make_values(void)
{
    for (uint32_t code = 0; code < 256; code++) {
        e4m3_values[code] = sim_e4m3_to_f32(code);
        e5m2_values[code] = sim_e5m2_to_f32(code);
        s8_values[code] = (float)(int8_t)code;
        u8_values[code] = (float)code;
    }
}

static void look_up(const float *values, const unsigned char *codes, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = values[codes[i]];
}

// Unpacks elements, which take `bytes` bytes together, to f32. This is exact for all types.
static void unpack(enum sim_type type, const unsigned char *codes, uint32_t bytes, float *out)
{
    uint32_t words[WGMMA_STEP / 4];
    uint16_t halves[WGMMA_STEP / 2];

    switch (type) {
    case SIM_E4M3:
        look_up(e4m3_values, codes, bytes, out);
        return;
    case SIM_E5M2:
        look_up(e5m2_values, codes, bytes, out);
        return;
    case SIM_S8:
        look_up(s8_values, codes, bytes, out);
        return;
    case SIM_U8:
        look_up(u8_values, codes, bytes, out);
        return;
    default:
        break;
    }
    if (type == SIM_F16) {
        sim_unpack_f16(codes, bytes / 2, out);
        return;
    }
    for (; bytes; bytes -= WGMMA_STEP, codes += WGMMA_STEP) {
        memcpy(words, codes, WGMMA_STEP);
        memcpy(halves, codes, WGMMA_STEP);
        if (type == SIM_TF32) {
            for (uint32_t i = 0; i < WGMMA_STEP / 4; i++)
                *out++ = sim_float32(words[i] & 0xffffe000);
        } else {
            for (uint32_t i = 0; i < WGMMA_STEP / 2; i++)
                *out++ = sim_float32((uint32_t)halves[i] << 16);
        }
    }
}

// Arithmetic

void sim_wgmma_load(struct sim_wgmma *p, enum sim_type type_a, const unsigned char *codes_a,
                    enum sim_type type_b, const unsigned char *codes_b, bool negate)
{
    float a[WGMMA_ROWS * WGMMA_MAX_K], b[WGMMA_MAX_N * 2 * WGMMA_MAX_K];
    const uint32_t kept = p->kept, k = p->k;

    pthread_once(&values_once, make_values);
    unpack(type_a, codes_a, WGMMA_ROWS * WGMMA_STEP, a);
    unpack(type_b, codes_b, p->n * k / kept * WGMMA_STEP, b);
    for (uint32_t row = 0; row < WGMMA_ROWS; row++) {
        for (uint32_t i = 0; i < kept; i++) {
            float x = negate ? -a[row * kept + i] : a[row * kept + i];
            p->a[i][row] = (sim_vec4){ x, x, x, x };
        }
    }
    for (uint32_t pair = 0; pair < p->n / 4; pair++) {
        const float *from = b + (8 * (pair / 2) + pair % 2) * k;
        for (uint32_t i = 0; i < k; i++)
            p->b[pair * k + i] =
                (sim_vec4){ from[i], from[2 * k + i], from[4 * k + i], from[6 * k + i] };
    }
}

// Adds the products for register i of D to its 32 lanes one after another, with k ascending and
// each sum rounded to nearest even.
static void accumulate(const struct sim_wgmma *p, uint32_t i, float *lanes)
{
    const sim_vec4 *b = p->b + (i / 4 * 2 + i % 2) * p->k;
    const uint32_t first = 8 * (i / 2 % 2);
    sim_vec4 sum[8];

    memcpy(sum, lanes, sizeof sum);
    if (p->kept != p->k) {
        for (uint32_t row = 0; row < 8; row++) {
            const uint8_t *rows = p->rows + (first + row) * p->kept;
            for (uint32_t step = 0; step < p->kept; step++)
                sum[row] += p->a[step][first + row] * b[rows[step]];
        }
        memcpy(lanes, sum, sizeof sum);
        return;
    }
    sim_vec4 s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    sim_vec4 s4 = sum[4], s5 = sum[5], s6 = sum[6], s7 = sum[7];
    for (uint32_t step = 0; step < p->k; step++) {
        const sim_vec4 *a = p->a[step] + first, by = b[step];
        s0 += a[0] * by;
        s1 += a[1] * by;
        s2 += a[2] * by;
        s3 += a[3] * by;
        s4 += a[4] * by;
        s5 += a[5] * by;
        s6 += a[6] * by;
        s7 += a[7] * by;
    }
    const sim_vec4 done[8] = { s0, s1, s2, s3, s4, s5, s6, s7 };
    memcpy(lanes, done, sizeof done);
}

void sim_wgmma_float(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                     uint32_t mask)
{
    const uint32_t cells = p->n / 2;
    float sum[SIM_WARP];

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t *d = SIM_R32(w, list[i]);
        if (keep)
            memcpy(sum, d, sizeof sum);
        else
            memset(sum, 0, sizeof sum);
        accumulate(p, i, sum);
        SIM_LANES(mask, lane, d[lane] = sim_canonical32(sum[lane]));
    }
}

void sim_wgmma_half(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                    uint32_t mask)
{
    const uint32_t cells = p->n / 2;
    float low[SIM_WARP], high[SIM_WARP];

    for (uint32_t i = 0; i < cells; i += 2) {
        uint32_t *d = SIM_R32(w, list[i / 2]);
        for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
            low[lane] = keep ? sim_f16_to_f32(d[lane] & 0xffff) : 0;
            high[lane] = keep ? sim_f16_to_f32(d[lane] >> 16) : 0;
        }
        accumulate(p, i, low);
        accumulate(p, i + 1, high);
        SIM_LANES(mask, lane,
                  d[lane] = sim_f32_to_f16(low[lane]) | sim_f32_to_f16(high[lane]) << 16);
    }
}

void sim_wgmma_int(const struct sim_wgmma *p, struct sim_warp *w, const uint32_t *list, bool keep,
                   bool satfinite, uint32_t mask)
{
    const uint32_t cells = p->n / 2;
    float sum[SIM_WARP];

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t *d = SIM_R32(w, list[i]);
        // The sum of 32 products of bytes is an integer below 2^24, so f32 is exact.
        memset(sum, 0, sizeof sum);
        accumulate(p, i, sum);
        if (!satfinite) {
            SIM_LANES(mask, lane, d[lane] = (keep ? d[lane] : 0) + (uint32_t)(int32_t)sum[lane]);
            continue;
        }
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            int64_t exact = (int64_t)sum[lane] + (keep ? SIM_RS32(w, list[i])[lane] : 0);
            exact = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
            d[lane] = (uint32_t)(uint64_t)exact;
        }
    }
}
