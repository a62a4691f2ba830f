#include "base/array.h"
#include "argument.h"
#include "tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    cuc_dtype dtype;
    const char *text;
    uint64_t bits;
} numbers[] = {
    { CUC_BOOL, "true", 1 },
    { CUC_BOOL, "0", 0 },
    { CUC_BOOL, "False", 0 },
    { CUC_I8, "-128", 0x80 },
    { CUC_I8, "127", 0x7F },
    { CUC_U8, "255", 0xFF },
    { CUC_I16, "-1", 0xFFFF },
    { CUC_U16, "0xFfFf", 0xFFFF },
    { CUC_I32, "010", 10 }, // not octal
    { CUC_I32, "+7", 7 },
    { CUC_I32, "-2147483648", 0x80000000 },
    { CUC_U32, "4294967295", 0xFFFFFFFF },
    { CUC_I64, "-9223372036854775808", 0x8000000000000000 },
    { CUC_U64, "18446744073709551615", UINT64_MAX },
    { CUC_F64, "1", 0x3FF0000000000000 },
    { CUC_F64, "-inf", 0xFFF0000000000000 },
    { CUC_F32, "2.0", 0x40000000 },
    { CUC_F32, "0x1p-149", 1 },
    // A detour through double would round this first to the tie, and then the tie down.
    { CUC_F32, "1.000000059604644775390625000001", 0x3F800001 },
    { CUC_F32, "-0", 0x80000000 },
    { CUC_F32, "inf", 0x7F800000 },
    { CUC_F16, "1", 0x3C00 },
    { CUC_F16, "-2", 0xC000 },
    { CUC_F16, "65504", 0x7BFF },
    { CUC_F16, "65519", 0x7BFF },
    { CUC_F16, "6.103515625e-05", 0x0400 },       // the smallest normal number
    { CUC_F16, "6.097555160522461e-05", 0x03FF }, // the largest subnormal number
    { CUC_F16, "0x1p-24", 1 },
    { CUC_F16, "0x1p-25", 0 }, // a tie with zero
    { CUC_F16, "0x1.8p-25", 1 },
    { CUC_F16, "2049", 0x6800 }, // ties go to the even neighbor: down
    { CUC_F16, "2051", 0x6802 }, // and up
    { CUC_F16, "-inf", 0xFC00 },
    { CUC_F16, "nan", 0x7E00 },
    { CUC_BF16, "1", 0x3F80 },
    { CUC_BF16, "3.14159265", 0x4049 },
    { CUC_BF16, "257", 0x4380 },
    { CUC_BF16, "259", 0x4382 },
    { CUC_BF16, "0x1p-133", 1 },
    { CUC_TF32, "1", 0x3F800000 },
    { CUC_TF32, "0x1.001p0", 0x3F800000 | 0x0 }, // below half of the last place
    { CUC_TF32, "0x1.002p0", 0x3F800000 },       // a tie: down to even
    { CUC_TF32, "0x1.006p0", 0x3F804000 },       // a tie: up to even
    { CUC_E4M3, "1", 0x38 },
    { CUC_E4M3, "448", 0x7E },
    { CUC_E4M3, "464", 0x7E }, // a tie with 480, which E4M3 lacks
    { CUC_E4M3, "-0.015625", 0x88 },
    { CUC_E4M3, "0x1p-9", 1 },
    { CUC_E4M3, "nan", 0x7F },
    { CUC_E4M3, "17", 0x58 }, // a tie between 16 and 18
    { CUC_E4M3, "19", 0x5A }, // a tie between 18 and 20
    { CUC_E5M2, "1", 0x3C },
    { CUC_E5M2, "57344", 0x7B },
    { CUC_E5M2, "inf", 0x7C },
    { CUC_E5M2, "0x1p-16", 1 },
    { CUC_E8M0, "1", 127 },
    { CUC_E8M0, "0x1p-127", 0 },
    { CUC_E8M0, "0x1p127", 254 },
    { CUC_E8M0, "nan", 255 },
    { CUC_C64, "1+2j", 0x400000003F800000 },
    { CUC_C64, "-2j", 0xC000000000000000 },
    { CUC_C64, "1", 0x3F800000 },
};

CASE("scalars");

TEST_ROWS(a_number_has_the_bits_of_its_type, numbers)
{
    uint8_t bytes[SCALAR_MAX_BYTES];
    uint64_t bits;
    cli_why why;

    ck_assert_msg(scalar_parse(bytes, numbers[_i].dtype, numbers[_i].text, &why), "%s", why.text);
    memcpy(&bits, bytes, sizeof(bits));
    ck_assert_msg(bits == numbers[_i].bits, "%s %s is 0x%llx, not 0x%llx",
                  cuc_dtype_name(numbers[_i].dtype), numbers[_i].text, (unsigned long long)bits,
                  (unsigned long long)numbers[_i].bits);
}

static const struct {
    cuc_dtype dtype;
    const char *text;
    const char *says;
} refused[] = {
    { CUC_BOOL, "2", "'2' is not a bool" },
    { CUC_I32, "", "not a whole number" },
    { CUC_I32, "-", "not a whole number" },
    { CUC_I32, "1.5", "not a whole number" },
    { CUC_I32, "1e3", "not a whole number" },
    { CUC_I32, " 1", "not a whole number" },
    { CUC_I32, "0x", "not a whole number" },
    { CUC_I32, "--1", "not a whole number" },
    { CUC_I32, "2147483648", "out of the range of i32, -2147483648 to 2147483647" },
    { CUC_I8, "-129", "-128 to 127" },
    { CUC_U8, "256", "0 to 255" },
    { CUC_U8, "-1", "0 to 255" },
    { CUC_U64, "18446744073709551616", "out of the range" },
    { CUC_F32, "", "not a number of type f32" },
    { CUC_F32, "1.0x", "not a number" },
    { CUC_F32, " 1", "not a number" },
    { CUC_F32, "1e39", "beyond the largest f32" },
    { CUC_F64, "1e999", "beyond the largest f64" },
    { CUC_F16, "65520", "beyond the largest f16, 65504" },
    { CUC_F16, "1e999", "beyond the largest f16" },
    { CUC_BF16, "1e39", "beyond the largest bf16" },
    { CUC_E4M3, "465", "beyond the largest e4m3, 448" },
    { CUC_E4M3, "inf", "e4m3 has no infinity" },
    { CUC_E5M2, "61440", "beyond the largest e5m2, 57344" },
    { CUC_E8M0, "0", "not a power of two" },
    { CUC_E8M0, "3", "not a power of two" },
    { CUC_E8M0, "-1", "not a power of two" },
    { CUC_E8M0, "inf", "not a power of two" },
    { CUC_C64, "1+2", "not a complex number" },
    { CUC_C64, "1+2jj", "not a complex number" },
    { CUC_C64, "1-inf", "not a complex number" },
    { CUC_C64, "j", "not a complex number" },
    { CUC_C64, "1e39", "beyond the largest c64" },
};

TEST_ROWS(a_number_that_does_not_fit_is_refused, refused)
{
    uint8_t bytes[SCALAR_MAX_BYTES] = { 77 };
    cli_why why;

    ck_assert_msg(!scalar_parse(bytes, refused[_i].dtype, refused[_i].text, &why), "taken: %s",
                  refused[_i].text);
    ck_assert_msg(strstr(why.text, refused[_i].says) != NULL, "%s", why.text);
    ck_assert_int_eq(bytes[0], 77);
}

static const struct {
    cuc_dtype dtype;
    int exponent_bits, mantissa_bits;
    bool ieee;
} small_floats[] = {
    { CUC_F16, 5, 10, true },
    { CUC_BF16, 8, 7, true },
    { CUC_E5M2, 5, 2, true },
    { CUC_E4M3, 4, 3, false },
};

// Returns the number that a bit pattern represents, by the definition of these formats.
static double decode(int row, uint32_t bits)
{
    int e = small_floats[row].exponent_bits;
    int m = small_floats[row].mantissa_bits;
    int exponent = (int)(bits >> m) & ((1 << e) - 1);
    int mantissa = (int)(bits & ((1u << m) - 1));
    double sign = bits >> (e + m) ? -1 : 1;
    int bias = (1 << (e - 1)) - 1;

    if (!exponent)
        return sign * ldexp(mantissa, 1 - bias - m);
    return sign * ldexp((1 << m) + mantissa, exponent - bias - m);
}

// Every finite number converts to itself. Values just beside a midpoint go to the nearer neighbor,
// the midpoint to the even one.
TEST_ROWS(every_small_float_rounds_to_nearest_even, small_floats)
{
    int e = small_floats[_i].exponent_bits;
    int m = small_floats[_i].mantissa_bits;
    cuc_dtype dtype = small_floats[_i].dtype;
    uint32_t largest = small_floats[_i].ieee ? (((1u << e) - 1) << m) - 1 : (1u << (e + m)) - 2;
    uint32_t sign = 1u << (e + m);
    uint32_t got;

    for (uint32_t bits = 0; bits <= largest; bits++) {
        double x = decode(_i, bits);
        ck_assert(scalar_round(&got, dtype, x) && got == bits);
        ck_assert(scalar_round(&got, dtype, -x) && got == (bits | sign));
        if (bits == largest)
            break;
        double middle = (x + decode(_i, bits + 1)) / 2;
        ck_assert(scalar_round(&got, dtype, nextafter(middle, 0)) && got == bits);
        ck_assert(scalar_round(&got, dtype, middle) && got == bits + (bits & 1));
        ck_assert(scalar_round(&got, dtype, nextafter(middle, INFINITY)) && got == bits + 1);
    }
}

static const struct {
    const char *text;
    int kind;
    cuc_dtype dtype;
    const char *in;
    const char *out;
    int32_t rank;
    uint64_t bytes;
    const char *expected;
} good[] = {
    { "f32:2.0", ARGUMENT_SCALAR, CUC_F32, NULL, NULL, 0, 4, NULL },
    { "c128:1+2j", ARGUMENT_SCALAR, CUC_C128, NULL, NULL, 0, 16, NULL },
    { "in:x.npy", ARGUMENT_IN, CUC_DTYPE_UNKNOWN, "x.npy", NULL, 0, 0, NULL },
    { "in:bf16:x.npy", ARGUMENT_IN, CUC_BF16, "x.npy", NULL, 0, 0, NULL },
    { "in:a=b.npy", ARGUMENT_IN, CUC_DTYPE_UNKNOWN, "a=b.npy", NULL, 0, 0, NULL },
    { "in:dir:x.npy", ARGUMENT_IN, CUC_DTYPE_UNKNOWN, "dir:x.npy", NULL, 0, 0, NULL },
    { "inout:y.npy=out.npy", ARGUMENT_INOUT, CUC_DTYPE_UNKNOWN, "y.npy", "out.npy", 0, 0, NULL },
    { "inout:e4m3:a=b=c", ARGUMENT_INOUT, CUC_E4M3, "a=b", "c", 0, 0, NULL },
    { "out:f32[1024]=z.npy", ARGUMENT_OUT, CUC_F32, NULL, "z.npy", 1, 4096, NULL },
    { "out:e4m3[64,32]=y.npy", ARGUMENT_OUT, CUC_E4M3, NULL, "y.npy", 2, 2048, NULL },
    { "out:f64[]=y.npy", ARGUMENT_OUT, CUC_F64, NULL, "y.npy", 0, 8, NULL },
    { "out:i32[0]=a=b", ARGUMENT_OUT, CUC_I32, NULL, "a=b", 1, 0, NULL },
    { "inout:y.npy==want.npy", ARGUMENT_INOUT, CUC_DTYPE_UNKNOWN, "y.npy", NULL, 0, 0, "want.npy" },
    { "inout:a=b==c", ARGUMENT_INOUT, CUC_DTYPE_UNKNOWN, "a=b", NULL, 0, 0, "c" },
    { "out:f32[4]==want.npy", ARGUMENT_OUT, CUC_F32, NULL, NULL, 1, 16, "want.npy" },
    { "inout:y.npy=-", ARGUMENT_INOUT, CUC_DTYPE_UNKNOWN, "y.npy", NULL, 0, 0, NULL },
    { "out:f32[4]=-", ARGUMENT_OUT, CUC_F32, NULL, NULL, 1, 16, NULL },
};

// Bit patterns of each real type, and their values.
static const struct {
    cuc_dtype dtype;
    uint64_t bits;
    double value;
} values[] = {
    { CUC_F16, 0x3C00, 1 },
    { CUC_F16, 0x0001, 0x1p-24 },
    { CUC_F16, 0xFBFF, -65504 },
    { CUC_F16, 0x7C00, INFINITY },
    { CUC_F16, 0x7E00, NAN },
    { CUC_BF16, 0xC049, -3.140625 },
    { CUC_F32, 0x40490FDB, 3.1415927410125732 },
    { CUC_F32, 0x00000001, 0x1p-149 },
    { CUC_TF32, 0x3F802000, 1 + 0x1p-10 },
    { CUC_F64, 0x400921FB54442D18, 3.141592653589793 },
    { CUC_E4M3, 0x7E, 448 },
    { CUC_E4M3, 0x7F, NAN },
    { CUC_E4M3, 0x81, -0x1p-9 },
    { CUC_E5M2, 0x7B, 57344 },
    { CUC_E5M2, 0xFC, -INFINITY },
    { CUC_E8M0, 0x80, 2 },
    { CUC_E8M0, 0xFF, NAN },
    { CUC_BOOL, 1, 1 },
    { CUC_I8, 0x80, -128 },
    { CUC_U8, 0x80, 128 },
    { CUC_I16, 0xFFFF, -1 },
    { CUC_U16, 0xFFFF, 65535 },
    { CUC_I32, 0x80000000, -2147483648.0 },
    { CUC_U32, 0x80000000, 2147483648.0 },
    { CUC_I64, 0xFFFFFFFFFFFFFFFE, -2 },
    { CUC_U64, 0x8000000000000000, 0x1p63 },
};

TEST_ROWS(bits_are_decoded_by_their_type, values)
{
    double value;

    ck_assert(scalar_value(&value, values[_i].dtype, &values[_i].bits));
    if (isnan(values[_i].value))
        ck_assert(isnan(value));
    else
        ck_assert_msg(value == values[_i].value, "row %d is %.17g", _i, value);
}

TEST(a_complex_number_is_not_a_real_number)
{
    static const double zeros[2];
    double value;

    ck_assert(!scalar_value(&value, CUC_C64, zeros));
    ck_assert(!scalar_value(&value, CUC_C128, zeros));
}

CASE("arguments");

TEST_ROWS(an_argument_is_split_into_its_fields, good)
{
    argument a;
    cli_why why;

    ck_assert_msg(argument_parse(&a, good[_i].text, &why), "%s", why.text);
    ck_assert_int_eq(a.kind, good[_i].kind);
    ck_assert_int_eq(a.dtype, good[_i].dtype);
    ck_assert_pstr_eq(a.in_path, good[_i].in);
    ck_assert_pstr_eq(a.out_path, good[_i].out);
    ck_assert_pstr_eq(a.expected_path, good[_i].expected);
    ck_assert_int_eq(a.rank, good[_i].rank);
    ck_assert_uint_eq(a.bytes, good[_i].bytes);
    argument_release(&a);
}

static const char *const bad[][2] = {
    { "", "'' is not an argument" },
    { "x.npy", "is not an argument" },
    { ":3", "is not an argument" },
    { "float:3", "one of bool i8" },
    { "f32", "is not an argument" },
    { "f32:", "not a number of type f32" },
    { "unknown:3", "is not an argument" },
    { "in:", "names no file" },
    { "in:f32:", "names no file" },
    { "inout:y.npy", "expected inout:FILE=FILE to write it" },
    { "inout:y.npy=", "does not say where its result goes" },
    { "inout:y.npy==", "does not say where its result goes" },
    { "inout:==want.npy", "names no file" },
    { "inout:=out.npy", "names no file" },
    { "out:z.npy", "names no type" },
    { "out:f32=z.npy", "has no shape" },
    { "out:f32[4", "has no shape" },
    { "out:f32[4,]=z", "has no shape" },
    { "out:f32[,4]=z", "has no shape" },
    { "out:f32[-4]=z", "has no shape" },
    { "out:f32[4x4]=z", "has no shape" },
    { "out:f32[4]", "does not say where its result goes" },
    { "out:f32[4]=", "does not say where its result goes" },
    { "out:f32[4]z", "does not say where its result goes" },
    { "out:f32[99999999999999999999]=z", "more elements than memory" },
    { "out:f32[4294967296,4294967296]=z", "more elements than memory" },
    { "out:f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]=z",
      "more than 32 dimensions" },
};

TEST_ROWS(an_invalid_argument_is_explained, bad)
{
    argument a = { .kind = 77 };
    cli_why why;

    ck_assert_msg(!argument_parse(&a, bad[_i][0], &why), "taken: %s", bad[_i][0]);
    ck_assert_msg(strstr(why.text, bad[_i][1]) != NULL, "%s: %s", bad[_i][0], why.text);
    ck_assert_int_eq(a.kind, 77);
}

static void save(const char *path, const char *descr, size_t bytes)
{
    char header[128];
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    int n = snprintf(header, sizeof(header),
                     "{'descr': '%s', 'fortran_order': False, 'shape': (2,)}", descr);
    fwrite("\x93NUMPY\x01", 1, 8, f);
    fputc(n, f);
    fputc(0, f);
    fwrite(header, 1, (size_t)n, f);
    for (size_t i = 0; i < bytes; i++)
        fputc((int)i, f);
    ck_assert_int_eq(fclose(f), 0);
}

static const struct {
    const char *descr;
    size_t bytes; // size of the two elements together
    const char *argument;
    cuc_dtype dtype; // UNKNOWN: the call is refused
    const char *says;
} files[] = {
    { "<f4", 8, "in:a.npy", CUC_F32, NULL },
    { "<f4", 8, "in:f32:a.npy", CUC_F32, NULL },
    { "<u2", 4, "in:bf16:a.npy", CUC_BF16, NULL },
    { "<f2", 4, "in:bf16:a.npy", CUC_BF16, NULL },
    { "|V2", 4, "inout:bf16:a.npy=b.npy", CUC_BF16, NULL },
    { "|u1", 2, "in:e4m3:a.npy", CUC_E4M3, NULL },
    { "<f1", 2, "in:e5m2:a.npy", CUC_E5M2, NULL },
    { "<f4", 8, "in:tf32:a.npy", CUC_TF32, NULL },
    { "|V2", 4, "in:a.npy", CUC_DTYPE_UNKNOWN, "name it, in:bf16:a.npy" },
    { "<f4", 8, "in:f64:a.npy", CUC_DTYPE_UNKNOWN, "f64 has 8 bytes" },
    { "<f4", 8, "in:i32:a.npy", CUC_DTYPE_UNKNOWN, "another type" },
    { "<f4", 8, "in:bf16:a.npy", CUC_DTYPE_UNKNOWN, "bf16 has 2 bytes" },
    { ">f4", 8, "in:a.npy", CUC_DTYPE_UNKNOWN, "big endian" },
    { "<f4", 8, "in:missing.npy", CUC_DTYPE_UNKNOWN, "missing.npy cannot be opened" },
};

TEST_ROWS(a_file_is_loaded_if_its_type_fits, files)
{
    char folder[] = "/tmp/cucore-argument-XXXXXX";
    char type[64];
    argument a;
    cli_why why;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    save("a.npy", files[_i].descr, files[_i].bytes);
    ck_assert(argument_parse(&a, files[_i].argument, &why));
    bool ok = argument_load(&a, &why);
    if (files[_i].dtype) {
        ck_assert_msg(ok, "%s", why.text);
        ck_assert_int_eq(a.dtype, files[_i].dtype);
        ck_assert_uint_eq(a.bytes, files[_i].bytes);
        ck_assert_int_eq(((uint8_t *)a.file)[a.data_offset + 1], 1);
        snprintf(type, sizeof(type), "%s[2]", cuc_dtype_name(a.dtype));
        char got[64];
        ck_assert_str_eq(argument_type(&a, got, sizeof(got)), type);
    } else {
        ck_assert_msg(!ok && strstr(why.text, files[_i].says), "%s: %s", files[_i].argument,
                      ok ? "taken" : why.text);
    }
    argument_release(&a);
    unlink("a.npy");
    ck_assert_int_eq(chdir("/"), 0);
    rmdir(folder);
}

int main(void)
{
    return run_tests("argument");
}
