#include "reference.h"

#include "base/array.h"

#include <cucore/error.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Elements

// Convert a small float that has the given numbers of exponent and mantissa bits.
static double small_float(uint32_t bits, int exponent_bits, int mantissa_bits, bool has_infinity)
{
    uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
    int exponent = (int)(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    int bias = (1 << (exponent_bits - 1)) - 1, last = (1 << exponent_bits) - 1;
    double sign = bits >> (mantissa_bits + exponent_bits) ? -1 : 1;

    if (exponent == last && has_infinity)
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == last && mantissa + 1 == 1u << mantissa_bits)
        return NAN;
    if (exponent == 0)
        return sign * ldexp(mantissa, 1 - bias - mantissa_bits);
    return sign * ldexp(mantissa + (1u << mantissa_bits), exponent - bias - mantissa_bits);
}

static void read_f16(double *out, const void *from, size_t count, size_t stride)
{
    static float known[65536]; // indexed by the value's bits; filled on first use
    const uint16_t *x = from;

    if (known[0x3C00] == 0)
        for (uint32_t i = 0; i < 65536; i++)
            known[i] = (float)small_float(i, 5, 10, true);
    for (size_t i = 0; i < count; i++)
        out[i] = (double)known[x[i * stride]];
}

static void read_e4m3(double *out, const void *from, size_t count, size_t stride)
{
    static float known[256];
    const uint8_t *x = from;

    if (known[0x38] == 0)
        for (uint32_t i = 0; i < 256; i++)
            known[i] = (float)small_float(i, 4, 3, false);
    for (size_t i = 0; i < count; i++)
        out[i] = (double)known[x[i * stride]];
}

static void read_bf16(double *out, const void *from, size_t count, size_t stride)
{
    const uint16_t *x = from;

    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)x[i * stride] << 16;
        float f;
        memcpy(&f, &bits, sizeof(f));
        out[i] = (double)f;
    }
}

static void read_f32(double *out, const void *from, size_t count, size_t stride)
{
    const float *x = from;

    for (size_t i = 0; i < count; i++)
        out[i] = (double)x[i * stride];
}

static void read_i8(double *out, const void *from, size_t count, size_t stride)
{
    const int8_t *x = from;

    for (size_t i = 0; i < count; i++)
        out[i] = x[i * stride];
}

static void read_i32(double *out, const void *from, size_t count, size_t stride)
{
    const int32_t *x = from;

    for (size_t i = 0; i < count; i++)
        out[i] = x[i * stride];
}

static const struct form {
    cuc_dtype dtype;
    bench_reader *read;
    double epsilon;
} forms[] = {
    { CUC_F16, read_f16, 0x1p-10 },  { CUC_BF16, read_bf16, 0x1p-7 },
    { CUC_F32, read_f32, 0x1p-23 },  { CUC_TF32, read_f32, 0x1p-23 }, // stored as f32
    { CUC_E4M3, read_e4m3, 0x1p-3 }, { CUC_I8, read_i8, 0 },
    { CUC_I32, read_i32, 0 },
};

static const struct form *find_form(cuc_dtype dtype)
{
    for (size_t i = 0; i < CUC_LENGTH(forms); i++)
        if (forms[i].dtype == dtype)
            return &forms[i];
    bench_fail(CUC_ERROR_INVALID_ARGUMENT, "there is no reference of elements of %s",
               cuc_dtype_name(dtype));
    return NULL;
}

bench_reader *bench_reader_of(cuc_dtype dtype)
{
    const struct form *form = find_form(dtype);

    return form ? form->read : NULL;
}

double bench_epsilon(cuc_dtype dtype)
{
    const struct form *form = find_form(dtype);

    return form ? form->epsilon : (double)NAN;
}

void *bench_read_input(const cuc_bench_input *input)
{
    void *to = malloc(cuc_bench_input_bytes(input));

    if (!to) {
        bench_no_memory("a copy of an input");
        return NULL;
    }
    if (cuc_bench_input_read(to, input, 0) < 0) {
        free(to);
        return NULL;
    }
    return to;
}
