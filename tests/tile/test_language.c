// Tests the meaning of programs: compares the values that they print on the interpreter with known
// answers. Other tests compare compiled code with the interpreter.
#include "base/array.h"
#include "testing.h"

#include <math.h>

// The head of each body: x is 1 NaN 3 NaN 3 -2, n is 3.
#define HEAD                                                                         \
    "fn pair(x, y) { return y, x }\n"                                                \
    "kernel k(x: f32[N], n: i32) const BIG = 0xffffffffffffffff, T = i16 grid 1 {\n" \
    "    v = load(x, [0], [6])\n"                                                    \
    "    w = reshape(v, [2, 3])\n"                                                   \
    "    m = cast(n, u64)\n"

// clang-format off
static const struct {
    const char *name, *body, *printed;
} rows[] = {
    // Positions of the smallest and the largest element
    { "the first of the largest, NaN left out", "print(\"{} {}\", argmax(v), argmin(v))", "2 5\n" },
    { "the first NaN", "print(\"{} {}\", argmax(v, nan=true), argmin(v, nan=true))", "1 1\n" },
    { "over all axes in the order of memory", "print(\"{} {}\", argmax(trans(w)), argmin(trans(w)))", "3 5\n" },
    { "along an axis, which is kept", "print(\"{} {}\", argmax(w, 0), argmin(w, 1))", "[0 1 0] [0 2]\n" },
    { "the first NaN along an axis", "print(\"{} {}\", argmax(w, 1, nan=true), argmin(w, axis=0, nan=true))", "[1 0] [1 0 1]\n" },
    { "of nothing but NaN the first", "y = v * nan\nprint(\"{} {}\", argmax(y), argmax(y, nan=true))", "0 0\n" },
    { "without a NaN", "y = where(isnan(v), 7.0, v)\nprint(\"{} {}\", argmax(y, nan=true), argmin(y, nan=true))", "1 5\n" },
    { "of integers", "y = iota(i32, 6) % 4\nprint(\"{} {}\", argmax(y, nan=true), argmin(y))", "3 0\n" },
    { "of a scalar", "print(\"{} {}\", argmax(n), argmin(n, nan=true))", "0 0\n" },
    { "axes by name", "y = iota(i32, 6)\nz = reshape(y, [2, 3])\nprint(\"{} {} {}\", sum(z, axes=0), sum(z, axes=[1, 0]), max(z, axes=[1]))", "[3 5 7] [15] [2 5]\n" },
    // Constants of 64 bits
    { "a literal from 2^63 on is u64 alone", "print(\"{}\", 9223372036854775808)", "9223372036854775808\n" },
    { "the largest literal", "print(\"{} {}\", BIG, 18446744073709551615)", "18446744073709551615 18446744073709551615\n" },
    { "the least literal is i64", "print(\"{} {}\", -9223372036854775808, ~9223372036854775807)", "-9223372036854775808 -9223372036854775808\n" },
    { "it takes the dtype of what it meets", "print(\"{} {}\", m + BIG, m < BIG)", "2 true\n" },
    { "constants are computed whole", "print(\"{} {} {}\", BIG // 3, BIG % 10, BIG - 1 - BIG)", "6148914691236517205 5 -1\n" },
    { "shifts of constants", "print(\"{} {} {}\", 1 << 63, (1 << 63) - 1, BIG >> 60)", "9223372036854775808 9223372036854775807 15\n" },
    { "bits of constants", "print(\"{} {} {}\", BIG & 255, BIG ^ 1 << 63, m | 1 << 63)", "255 9223372036854775807 9223372036854775811\n" },
    { "in tiles", "y = full(u64, [2], BIG)\nprint(\"{} {}\", y, bitcast(y, i64))", "[18446744073709551615 18446744073709551615] [-1 -1]\n" },
    { "lists of lists", "y = reshape(iota(i32, 4), [2, 2])\nprint(\"{:,} {:,3d} {} {:,}\", y, y, y, n)", "[[0, 1], [2, 3]] [[  0,   1], [  2,   3]] [0 1 2 3] 3\n" },
    { "as floats", "print(\"{} {}\", cast(BIG, f64), cast(m, f32) + BIG)", "1.84467e+19 1.84467e+19\n" },
    { "as a bound", "for i in 18446744073709551612 .. BIG step 2 { print(\"{}\", i) }", "18446744073709551612\n18446744073709551614\n" },
    { "from below 2^63 to above", "for i in 9223372036854775806 .. BIG step 9223372036854775807 { print(\"{}\", i) }", "9223372036854775806\n18446744073709551613\n" },
    { "compared", "print(\"{} {} {}\", BIG > -1, BIG == 0xffffffffffffffff, minimum(BIG, -1))", "true true -1\n" },
    { "a float remainder has the divisor's sign", "y = cast(full(i32, [4], [-46, 46, 5, -5]), f32)\nprint(\"{} {}\", y % full(f32, [4], [2.3, -2.3, 7, 7]), y % full(f32, [4], [1e30, -inf, inf, -inf]))", "[2.3 -2.3 5 2] [1e+30 -inf 5 -5]\n" },
    { "copysign takes the magnitude of its first argument", "y = cast(full(i32, [4], [2, -2, 3, -3]), f32)\nprint(\"{}\", copysign(y, full(f32, [4], [-0.0, 1, -5, -5])))", "[-2 2 -3 -3]\n" },
    // Tiles from lists
    { "elements one by one", "print(\"{} {}\", full(i32, [3], [n, 7, n + 1]), full(f16, [1], [0.5]))", "[3 7 4] [0.5]\n" },
    { "rows of elements", "y = full(i32, [2, 3], [[1, 2, 3], [4, 5, 6]])\nprint(\"{} {}\", sum(y, 1), y == full(i32, [2, 3], [1, 2, 3, 4, 5, 6]))", "[6 15] [true true true true true true]\n" },
    { "elements of 8-bit floats and bools", "print(\"{} {}\", cast(full(e4m3, [2], [1.5, -2]), f32), full(bool, [3], [true, n == 3, n == 4]))", "[1.5 -2] [true true false]\n" },
    // Casts
    { "toward zero to an integer", "print(\"{} {}\", cast(v + 0.5, i32), cast(-2.5, i8))", "[1 0 3 0 3 -1] -2\n" },
    { "to the nearest when it is said", "print(\"{} {}\", cast(v + 0.5, i32, round=rn), cast(-2.5, i8, round=rn))", "[2 0 4 0 4 -2] -2\n" },
    { "of what only f64 holds", "print(\"{} {}\", cast(1e50, f64), cast(5000000000, i64, round=rn))", "1e+50 5000000000\n" },
    { "up and down", "print(\"{} {}\", cast(v + 0.5, i32, round=rp), cast(v + 0.5, i32, round=rm))", "[2 0 4 0 4 -1] [1 0 3 0 3 -2]\n" },
    // Values that are far out of range
    { "an index that only u64 holds", "y = m - 4\nprint(\"{} {}\", load_at(x, [y], [2], pad=7.0), load_at(x, [BIG - 1 + 0 * m], [3], pad=8.0))", "[7 7] [8 8 8]\n" },
    { "bounds that only u64 holds", "s = slice(x, 0, m, m - 4)\nprint(\"{}\", dim(s, 0))", "3\n" },
    // Gradients
    { "of a value that is broadcast: the sum", "y = cast(reshape(iota(i32, 6), [2, 3]), f32)\ns = sum(y)\nprint(\"{} {}\", gradient(y * s, s), gradient(y * s, s, y))", "15 55\n" },
    { "of a row and of a column", "y = cast(reshape(iota(i32, 6), [2, 3]), f32)\nr = cast(iota(i32, 3), f32)\nc = cast(iota(i32, 2), f32)[:, None]\nprint(\"{} {}\", gradient(y * r, r, y), gradient(y * c * c, c))", "[9 17 29] [0 24]\n" },
    { "of permuted and reshaped values", "y = cast(reshape(iota(i32, 6), [2, 3]), f32)\nz = reshape(permute(y[None, :, :], [2, 0, 1]), [6]) * cast(iota(i32, 6), f32)\nprint(\"{}\", gradient(z, y))", "[0 2 4 1 3 5]\n" },
    { "of a value itself, of one used twice, of one not used", "y = where(isnan(v), 0.0, v)\nprint(\"{} {} {}\", gradient(y, y, 7), gradient(y * y + y, y, 2), gradient(w, y))", "[7 7 7 7 7 7] [6 2 14 2 14 -6] [0 0 0 0 0 0]\n" },
    { "in the dtype of each value", "y = full(f16, [2], [1.5, 2])\nz = cast(y, f32) * 3.0\ng = gradient(cast(z * z, f64), y)\nprint(\"{} {}\", g, g + full(f16, [1], [0.5]))", "[27 36] [27.5 36.5]\n" },
    { "of equal operands to the first, and of abs at 0", "y, z = full(f32, [2], [1, 0]), full(f32, [2], [1, 2])\nr = minimum(y, z) * 5.0\nprint(\"{} {} {}\", gradient(r, y), gradient(r, z), gradient(abs(y) * 3.0, y))", "[5 5] [0 0] [3 0]\n" },
    { "in a loop, of the values of a turn", "t = 0.0\nfor i in 0 .. 3 { y = cast(i, f32) + t * 0.0\nz = y * y\nt += gradient(z, y) }\nprint(\"{}\", t)", "6\n" },
    { "of elements of a tensor", "i = iota(i64, 3) * 2\ny = gather(x, [i]) * gather(x, [i], mask=i < 4)\nz = gather(x, [broadcast(i[:, None], [3, 2])]) * full(f32, [2], [3, 4])\nprint(\"{} {} {}\", gradient_at(x[5] * x[5] * 2.0, x, [5]), gradient_at(y, x, [i]), gradient_at(z, x, [i[:, None]]))", "-8 [2 6 0] [7 7 7]\n" },
    { "of elements of a tensor, not added up", "i = iota(i64, 2)[:, None] * 2\ny = cast(gather(x, [i]), f64) * full(f64, [3], [1, 2, 4])\ng = gradient_at(y * y, x, [i], 0.5, each=true)\nprint(\"{} {}\", sum(g, 1), bitcast(g + 1e-9, u64) == bitcast(g, u64))", "[21 63] [false false false false false false]\n" },
    // Names
    { "arguments by name, in any order", "a, b = pair(y=n, x=n + 1)\nprint(\"{} {}\", a, b)", "3 4\n" },
    { "what is not wanted", "a, _, _ = 1, 2, 3\nfor _ in 0 .. 2 { a += 1 }\n_ = a\nprint(\"{}\", a)", "3\n" },
    { "names exchanged", "a, b = 1, 2\na, b = b, a\nprint(\"{} {}\", a, b)", "2 1\n" },
};
// clang-format on

static void collect(void *user, const char *text)
{
    strncat(user, text, 511 - strlen(user));
}

CASE("language");

TEST_ROWS(a_program_prints_the_known_answers, rows)
{
    static const float x[] = { 1, NAN, 3, NAN, 3, -2 };
    const int64_t count = 6;
    char source[2048], printed[512] = "";
    cuc_program *p = NULL;
    cuc_tensor t;
    int32_t n = 3;

    snprintf(source, sizeof(source), HEAD "%s\n}\n", rows[_i].body);
    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, source, 0, NULL));
    ck_ok(cuc_tensor_from_pointer(&t, (cuc_device_ptr)(uintptr_t)x, CUC_F32, 1, &count, -1));
    const cuc_arg args[] = { CUC_ARG(&t), CUC_ARG(n) };
    ck_ok(cuc_tile_interpret(p, NULL, args, 2,
                             CUC_TILE_INTERPRET_OPTIONS(.print = collect, .user = printed)));
    ck_assert_msg(strcmp(printed, rows[_i].printed) == 0, "%s: expected %s, got %s", rows[_i].name,
                  rows[_i].printed, printed);

    // The printed IR has the same meaning.
    const char *ir;
    cuc_program *again = NULL;
    ck_ok(cuc_tile_get_ir(&ir, NULL, p));
    ck_ok(cuc_program_create(&again, CUC_SOURCE_TILE, ir, 0, NULL));
    *printed = '\0';
    ck_ok(cuc_tile_interpret(again, NULL, args, 2,
                             CUC_TILE_INTERPRET_OPTIONS(.print = collect, .user = printed)));
    ck_assert_msg(strcmp(printed, rows[_i].printed) == 0, "%s: expected %s, got %s of\n%s",
                  rows[_i].name, rows[_i].printed, printed, ir);
    cuc_program_release(again);
    cuc_program_release(p);
}

int main(void)
{
    return run_tests("tile language");
}
