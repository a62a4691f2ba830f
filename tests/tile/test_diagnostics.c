// Tests the tile language's diagnostics word for word: code, line and column, operand, expected and
// actual value, and suggestions. There is a row for each rule that a source can break.
//
// The rows cover the classes of rules that tile compilers have, as far as they exist in the
// language: shapes (no broadcast, wrong number of elements, axes out of range, repeated or missing,
// subtiles), dtypes (no common dtype, constants out of range, unsupported classes, rounding modes,
// padding, reduction functions), products, memory (indices, orders, scopes, masks, hints, atomics,
// tensors used as values), control flow (carried names, conditions, steps, break and return),
// names, and host code.
#include "base/array.h"
#include "explain/explain.h"
#include "tile/ir/target.h"
#include "tile/signature/entry.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/emit/emit.h"
#include "tile/front/elaborate.h"
#include "tile/ir/text.h"
#include "tests.h"

#include <cucore/error.h>

#include <stdio.h>
#include <string.h>

// Wraps the body in a kernel with functions and a head; the body's first line is line 1. A source
// that begins with a newline is used as it is; its line 1 follows the newline.
#define BEFORE                                                                                    \
    "fn add(x, y) { return x + y }\n"                                                             \
    "fn two(x, y) { return x, y }\n"                                                              \
    "fn two4(x, y, z, w) { return x + z, y + w }\n"                                               \
    "fn less(x, y) { return x < y }\n"                                                            \
    "fn wide(x, y) { return zeros(f32, [4]) }\n"                                                  \
    "fn loads(x, y) { return x + load(x, [0], [1]) }\n"                                           \
    "fn loops(x, y) { for j in 0 .. 4 { x = x + y }\n"                                            \
    "return x }\n"                                                                                \
    "fn sums(x, y) { return x + sum(zeros(f32, [4])) }\n"                                         \
    "fn ifs(x, y) { if x > y { x = y }\n"                                                         \
    "return x }\n"                                                                                \
    "kernel k(a: f32[N], b: f16[M, K], i: i32[N], u: u32[N], e: e4m3[N], q: bool[N], s: i32, f: " \
    "f32) grid N {\n"
enum { LINES_BEFORE = 12 };
#define TEN(x) x x x x x x x x x x
#define DEEP "x = " TEN(TEN("((")) "("

// clang-format off
static const struct {
    const char *rule, *source;
    int line, column; // lines before the body have numbers below 1
    const char *says; // code and text
} rows[] = {
    // Shapes
    { "shapes that do not broadcast", "x = zeros(f32, [4, 3]) + zeros(f32, [4, 2])",
      1, 24, "T201 add: f32[4, 3] and f32[4, 2] do not broadcast together" },
    { "a tile that lacks a last axis", "x = zeros(f32, [4, 8]) * zeros(f32, [4])",
      1, 24, "T201 mul: f32[4, 8] and f32[4] do not broadcast together: [:, None] gives a tile "
             "a last axis of extent 1" },
    { "where of shapes that do not broadcast", "x = where(zeros(bool, [3]), zeros(f32, [4]), 0.0)",
      1, 5, "T201 where: bool[3] and f32[4] do not broadcast together" },
    { "a comparison of shapes that do not broadcast", "x = zeros(f32, [3]) < zeros(f32, [4])",
      1, 21, "T201 lt: f32[3] and f32[4] do not broadcast together" },
    { "fma of shapes that do not broadcast", "x = fma(zeros(f32, [3]), zeros(f32, [4]), 1.0)",
      1, 5, "T201 fma: f32[3] and f32[4] do not broadcast together" },
    { "a broadcast to fewer axes", "x = broadcast(zeros(f32, [4, 4]), [4])",
      1, 5, "T201 broadcast: f32[4, 4] does not broadcast to f32[4]" },
    { "a reshape to another number of elements", "x = reshape(zeros(f32, [4, 4]), [3, 5])",
      1, 5, "T203 reshape: f32[3, 5] has 15 elements, the operand 16" },
    { "a reshape that does not divide", "x = reshape(zeros(f32, [4, 4]), [3, -1])",
      1, 5, "T203 reshape: 16 elements do not divide by 3" },
    { "two extents to be found in a reshape", "x = reshape(zeros(f32, [4, 4]), [-1, -1])",
      1, 5, "T206 reshape: extent 1: at most one may be -1" },
    { "a negative extent in a reshape", "x = reshape(zeros(f32, [4, 4]), [-2, 8])",
      1, 5, "T206 reshape: extent 0: expected 1 to 2^24, got -2" },
    { "an extent of zero", "x = zeros(f32, [4, 0])",
      1, 5, "T206 zeros: extent 1: expected 1 to 2^24, got 0" },
    { "a negative extent", "x = zeros(f32, [-4])",
      1, 5, "T206 zeros: extent 0: expected 1 to 2^24, got -4" },
    { "an extent of zero of a load", "x = load(a, [0], [0])",
      1, 19, "T206 load: extent 0: expected 1 to 2^24, got 0" },
    { "an extent that is too long", "x = zeros(i8, [33554432])",
      1, 5, "T206 zeros: extent 0: expected 1 to 2^24, got 33554432" },
    { "more elements than a tile may have", "x = zeros(i8, [4096, 8192])",
      1, 5, "T206 zeros: expected at most 2^24 elements, got 4096 x 8192" },
    { "a broadcast to more elements than a tile may have", "x = zeros(i8, [4096, 1]) + zeros(i8, [8192])",
      1, 26, "T206 broadcast: expected at most 2^24 elements, got 4096 x 8192" },
    { "a product of more elements than a tile may have", "x = zeros(f16, [8192, 1]) @ zeros(f16, [1, 4096])",
      1, 27, "T206 mma: expected at most 2^24 elements, got 8192 x 4096" },
    { "nine axes", "x = zeros(f32, [1, 1, 1, 1, 1, 1, 1, 1, 1])",
      1, 16, "T207 zeros: at most 8 axes, got 9" },
    { "nine axes of a subscript", "x = zeros(f32, [1, 1, 1, 1, 1, 1, 1, 1])[None]",
      1, 41, "T207 subscript: at most 8 axes, got 9" },
    { "too few indices", "x = load(b, [0], [8, 8])",
      1, 5, "T301 load: expected 2 indices, one an axis of the tensor, got 1" },
    { "too many indices", "x = load(a, [0, 0], [8])",
      1, 5, "T301 load: expected 1 index, one an axis of the tensor, got 2" },
    { "too few extents", "x = load(b, [0, 0], [8])",
      1, 5, "T301 load: expected 2 extents, one an axis of the tensor, got 1" },
    { "too many extents of a store", "store(a, [0], zeros(f32, [4, 4]))",
      1, 1, "T301 store: expected 1 axis of the tile or fewer, one an axis of the tensor, got 2" },
    { "a store of a tile that is not a part of its shape", "store(a, [0], zeros(f32, [4]), shape=[8])",
      1, 1, "T201 store: f32[4] does not broadcast to f32[8]" },
    { "too few indices of an element", "x = b[0]",
      1, 6, "T301 load_at: expected 2 indices, one an axis of the tensor, got 1" },
    { "too few index tiles", "x = gather(b, [iota(i32, 4)])",
      1, 5, "T301 gather: expected 2 indices, one an axis of the tensor, got 1" },
    { "index tiles that do not broadcast", "x = gather(b, [iota(i32, 4), iota(i32, 3)])",
      1, 5, "T201 gather: i32[4] and i32[3] do not broadcast together" },
    { "an axis out of range", "x = sum(zeros(f32, [4, 2]), 2)",
      1, 5, "T204 sum: axis: expected 0 to 1, got 2" },
    { "an axis of argmax out of range", "x = argmax(zeros(f32, [4, 2]), 2)",
      1, 5, "T204 argmax: axis: expected 0 to 1, got 2" },
    { "argmax of bools", "x = argmax(load(q, [0], [8]))",
      1, 5, "T101 argmax: operand x: expected an integer, f16, bf16, f32 or f64, got bool[8]" },
    { "an axis below zero", "x = sum(zeros(f32, [4, 2]), -1)",
      1, 5, "T204 sum: axis: expected 0 to 1, got -1" },
    { "an axis twice", "x = sum(zeros(f32, [4, 2]), 0, 0)",
      1, 32, "T205 sum: axis 0 is there twice" },
    { "an axis of a scan out of range", "x = cumsum(zeros(f32, [4]), 1)",
      1, 5, "T204 cumsum: axis: expected 0 to 0, got 1" },
    { "an axis of a sort out of range", "x = sort(zeros(f32, [4]), 1)",
      1, 5, "T204 sort: axis: expected 0 to 0, got 1" },
    { "an axis of a tensor out of range", "x = dim(a, 1)",
      1, 5, "T204 dim: axis: expected 0 to 0, got 1" },
    { "an axis of a slice out of range", "x = slice(a, 1, 0, 4)",
      1, 5, "T204 slice: axis: expected 0 to 0, got 1" },
    { "an axis of the grid out of range", "x = num_blocks(3)",
      1, 5, "T204 num_blocks: axis: expected 0, 1 or 2, got 3" },
    { "a list of another number of elements", "x = full(f32, [2, 2], [1.0, 2.0, 3.0])",
      1, 23, "T203 full: the shape has 4 elements, the list 3" },
    { "lists of another shape", "x = full(f32, [2, 2], [[1, 2], [3, 4, 5]])",
      1, 23, "T203 full: lists in a list: expected those of the shape" },
    { "a list with tiles", "x = full(f32, [2], [1.0, zeros(f32, [2])])",
      1, 26, "T209 full: element 1: expected a scalar, got f32[2]" },
    { "an element out of range", "x = full(u8, [2], [1, 256])",
      1, 23, "T103 constant: 256 is out of the range of u8" },
    { "axes of a permutation too few", "x = permute(zeros(f32, [4, 2]), [0])",
      1, 5, "T205 permute: expected 2 axes, got 1" },
    { "axes of a permutation twice", "x = permute(zeros(f32, [4, 2]), [1, 1])",
      1, 5, "T205 permute: axis 1 is there twice" },
    { "axes of a permutation out of range", "x = permute(zeros(f32, [4, 2]), [0, 2])",
      1, 5, "T205 permute: axis 2 is not one of the tile's" },
    { "trans of one axis", "x = trans(zeros(f32, [4]))",
      1, 5, "T204 trans: expected a tile of at least 2 axes, got f32[4]" },
    { "squeeze of a long axis", "x = squeeze(zeros(f32, [4, 1]), 0)",
      1, 5, "T204 squeeze: expected an axis of extent 1, got axis 0 of f32[4, 1]" },
    { "cat of two dtypes", "x = cat(zeros(f32, [4]), zeros(i32, [4]), 0)",
      1, 5, "T102 cat: operands of f32 and i32 have no common dtype: cast one" },
    { "cat of two ranks", "x = cat(zeros(f32, [4]), zeros(f32, [4, 1]), 0)",
      1, 5, "T202 cat: operand y: expected f32[4], got f32[4, 1]" },
    { "cat of two shapes", "x = cat(zeros(f32, [4, 2]), zeros(f32, [4, 3]), 0)",
      1, 5, "T202 cat: operand y: expected f32[4, 2], got f32[4, 3]" },
    { "a subtile that does not divide", "x = extract(zeros(f32, [8]), [0], [3])",
      1, 5, "T208 extract: axis 0: 3 does not divide 8" },
    { "a subtile outside", "x = extract(zeros(f32, [8, 4]), [0, 2], [4, 2])",
      1, 5, "T208 extract: axis 1: expected a subtile from 0 to 1, got 2" },
    { "a subtile of another rank", "x = extract(zeros(f32, [8, 4]), [0], [4])",
      1, 5, "T208 extract: a subtile has as many axes as the tile: expected 2, got 1" },
    { "an inserted tile that does not divide", "x = insert(zeros(f32, [8]), [0], zeros(f32, [3]))",
      1, 5, "T208 insert: axis 0: 3 does not divide 8" },
    { "an inserted tile of another dtype", "x = insert(zeros(f32, [8]), [0], zeros(i32, [4]))",
      1, 5, "T102 insert: operand y: expected f32, got i32[4]" },
    { "a tile inserted outside", "x = insert(zeros(f32, [8]), [-1], zeros(f32, [4]))",
      1, 5, "T208 insert: axis 0: expected a subtile from 0 to 1, got -1" },
    { "a bitcast of another width", "x = bitcast(s, f16)",
      1, 5, "T104 bitcast: i32 and f16 have different widths: expected a last axis" },
    { "take by an index of another shape", "x = take(zeros(f32, [4, 4]), zeros(i32, [3, 2]), 0)",
      1, 5, "T202 take: operand index: expected i32[3, 4], got i32[3, 2]" },
    { "topk of more than there are", "x, y = topk(zeros(f32, [4]), 5, 0)",
      1, 8, "T206 topk: k: expected 1 to 4 elements, got 5" },
    { "histogram of no bins", "x = histogram(zeros(i32, [4]), 0)",
      1, 5, "T206 histogram: extent 0: expected 1 to 2^24, got 0" },
    { "iota of nothing", "x = iota(i32, 0)",
      1, 5, "T206 iota: extent 0: expected 1 to 2^24, got 0" },
    { "reductions of tiles of two shapes", "x, y = reduce(two4, [zeros(f32, [4]), zeros(f32, [8])], 0, [0.0, 0.0])",
      1, 8, "T201 reduce: f32[4] and f32[8] do not broadcast together" },
    // Dtypes, and the functions of reductions
    { "a scan of 8-bit floats", "x = cumsum(load(e, [0], [8]), 0)",
      1, 5, "T101 cumsum: operand x: expected an integer, f16, bf16, f32 or f64, got e4m3[8]: cast it to f16 or f32 first" },
    { "signed with unsigned", "x = load(i, [0], [8]) + load(u, [0], [8])",
      1, 23, "T102 add: operands of i32 and u32 have no common dtype: cast one" },
    { "bits of signed with unsigned", "x = s & load(u, [0], [8])",
      1, 7, "T102 bitand: operands of i32 and u32 have no common dtype: cast one" },
    { "bounds of signed and unsigned", "for j in s .. cast(s, u32) { }",
      1, 1, "T102 for: bounds of i32 and u32 have no common dtype: cast one" },
    { "f16 with bf16", "x = cast(f, f16) * cast(f, bf16)",
      1, 18, "T102 mul: operands of f16 and bf16 have no common dtype: cast one" },
    { "an 8-bit float with f32", "x = load(e, [0], [8]) + load(a, [0], [8])",
      1, 23, "T102 add: operands of e4m3 and f32 have no common dtype: cast one" },
    { "tf32 with f32", "x = where(s > 0, cast(f, tf32), f)",
      1, 5, "T102 where: operands of tf32 and f32 have no common dtype: cast one" },
    { "arithmetic on 8-bit floats", "x = load(e, [0], [8]) * load(e, [0], [8])",
      1, 23, "T101 mul: operand x: expected an integer, f16, bf16, f32 or f64, got e4m3[8]: cast it to f16 or f32 first" },
    { "a negative of tf32", "x = -cast(f, tf32)",
      1, 5, "T101 neg: operand x: expected an integer, f16, bf16, f32 or f64, got tf32: cast it to f32 first" },
    { "a comparison of 8-bit floats", "x = load(e, [0], [8]) < load(e, [0], [8])",
      1, 23, "T101 lt: operand x: expected an integer, f16, bf16, f32 or f64, got e4m3[8]: cast it to f16 or f32 first" },
    { "a sum of 8-bit floats", "x = sum(load(e, [0], [8]))",
      1, 5, "T101 sum: operand x: expected an integer, f16, bf16, f32 or f64, got e4m3[8]: cast it to f16 or f32 first" },
    { "a sort of 8-bit floats", "x = sort(load(e, [0], [8]), 0)",
      1, 5, "T101 sort: operand x: expected an integer, f16, bf16, f32 or f64, got e4m3[8]: cast it to f16 or f32 first" },
    { "arithmetic on bools", "x = load(q, [0], [8]) + load(q, [0], [8])",
      1, 23, "T101 add: operand x: expected an integer, f16, bf16, f32 or f64, got bool[8]" },
    { "a product of bools by a constant", "x = load(q, [0], [8]) * 2",
      1, 23, "T101 mul: operand x: expected an integer, f16, bf16, f32 or f64, got bool[8]" },
    { "an op of floats on integers", "x = exp(s)",
      1, 5, "T101 exp: operand x: expected f16, bf16, f32 or f64, got i32" },
    { "isnan of integers", "x = isnan(s)",
      1, 5, "T101 isnan: operand x: expected f16, bf16, f32 or f64, got i32" },
    { "an op of integers on floats", "x = cdiv(f, 2.0)",
      1, 5, "T101 cdiv: operand x: expected an integer, got f32" },
    { "bitwise ops on floats", "x = f & f",
      1, 7, "T101 bitand: operand x: expected a bool or an integer, got f32" },
    { "a shift of floats", "x = f << 1",
      1, 7, "T101 shl: operand x: expected an integer, got f32" },
    { "~ of floats", "x = ~f",
      1, 5, "T101 bitnot: operand x: expected a bool or an integer, got f32" },
    { "not of integers", "x = not s",
      1, 9, "T106 and, or, not: expected a bool scalar, got i32" },
    { "and of integers", "x = s and s > 1",
      1, 5, "T106 and, or, not: expected a bool scalar, got i32" },
    { "histogram of floats", "x = histogram(load(a, [0], [8]), 4)",
      1, 5, "T107 histogram: operand x: expected integers, got f32[8]" },
    { "rank of floats", "x, y = rank(load(a, [0], [8]), 4)",
      1, 8, "T107 rank: operand x: expected integers, got f32[8]" },
    { "rank of a matrix", "x, y = rank(zeros(i32, [2, 4]), 4)",
      1, 8, "T202 rank: operand x: expected a tile of rank 1, got i32[2, 4]" },
    { "rank of a scalar", "x, y = rank(s, 4)",
      1, 8, "T202 rank: operand x: expected a tile of rank 1, got i32" },
    { "rank of digits that are no power of two", "x, y = rank(zeros(i32, [4]), 10)",
      1, 8, "T206 rank: digits: expected a power of two up to 2048, got 10" },
    { "rank of too many digits", "x, y = rank(zeros(i32, [4]), 4096)",
      1, 8, "T206 rank: digits: expected a power of two up to 2048, got 4096" },
    { "positions of another shape", "x = place(zeros(f32, [4]), zeros(i32, [5]))",
      1, 5, "T202 place: operand position: expected i32[4], got i32[5]" },
    { "positions that are floats", "x = place(zeros(f32, [4]), zeros(f32, [4]))",
      1, 5, "T107 place: operand position: expected integers, got f32[4]" },
    { "a matrix to place", "x = place(zeros(f32, [4, 4]), zeros(i32, [4, 4]))",
      1, 5, "T202 place: operand x: expected a tile of rank 1, got f32[4, 4]" },
    { "a pad of another dtype", "x = place(zeros(i8, [4]), iota(i32, 4), pad=s)",
      1, 5, "T102 place: operand pad: expected i8, got i32" },
    { "place into nothing", "x = place(zeros(i8, [4]), iota(i32, 4), extent=0)",
      1, 5, "T206 place: extent 0: expected 1 to 2^24, got 0" },
    { "any of floats", "x = any(load(a, [0], [8]))",
      1, 5, "T106 any: operand x: expected a bool, got f32[8]" },
    { "iota of floats", "x = iota(f32, 8)",
      1, 5, "T101 iota: expected an integer dtype, got f32: write cast(iota(i32, ..), f32)" },
    { "take by floats", "x = take(zeros(f32, [4]), zeros(f32, [2]), 0)",
      1, 5, "T107 take: operand index: expected integers, got f32[2]" },
    { "a shift along an axis by a float", "x = shift(zeros(f32, [4]), 0.5, 0)",
      1, 5, "T107 shift: operand n: expected an integer scalar, got f32" },
    { "philox of a float", "x, y, z, w = philox(f, 1)",
      1, 14, "T101 philox: operand seed: expected an integer, got f32" },
    { "pow of integers", "x = pow(s, s)",
      1, 5, "T101 pow: operand x: expected f16, bf16, f32 or f64, got i32" },
    { "atan2 of two dtypes", "x = atan2(cast(f, f16), cast(f, bf16))",
      1, 5, "T102 atan2: operands of f16 and bf16 have no common dtype: cast one" },
    { "a literal past 64 bits", "x = 18446744073709551616",
      1, 5, "T002 number: 18446744073709551616 cannot be read or is too large" },
    { "a literal of 64 bits for i64", "x = cast(s, i64) + 9223372036854775808",
      1, 18, "T103 constant: 9223372036854775808 is out of the range of i64" },
    { "a literal of 64 bits for u32", "x = load(u, [0], [8]) + 0xffffffffffffffff",
      1, 23, "T103 constant: 18446744073709551615 is out of the range of u32" },
    { "a negative of what u64 alone holds", "x = -9223372036854775809",
      1, 5, "T509 constant: the result is out of the range of 64 bits" },
    { "a negative constant for u64", "x = cast(s, u64) + -1",
      1, 18, "T103 constant: -1 is out of the range of u64" },
    { "a shift of constants past 64 bits", "x = 3 << 63",
      1, 7, "T509 constant: the result is out of the range of 64 bits" },
    { "an axis of 64 bits", "x = sum(zeros(f32, [4]), 9223372036854775808)",
      1, 26, "T103 sum: 9223372036854775808 is out of the range of i64" },
    { "a constant out of range", "x = cast(s, i8) + 300",
      1, 17, "T103 constant: 300 is out of the range of i8" },
    { "a negative constant for an unsigned dtype", "x = load(u, [0], [8]) + -1",
      1, 23, "T103 constant: -1 is out of the range of u32" },
    { "a float constant for an integer", "x = s & 1.5",
      1, 7, "T101 bitand: operand x: expected a bool or an integer, got f32" },
    { "a float constant out of range", "x = cast(f, f16) + 1e6",
      1, 18, "T103 constant: 1e+06 is out of the range of f16" },
    { "a full tile of a constant out of range", "x = full(u8, [4], 300)",
      1, 5, "T103 constant: 300 is out of the range of u8" },
    { "iota past its dtype", "x = iota(i8, 200)",
      1, 5, "T103 iota: 199 is out of the range of i8" },
    { "an index constant out of range", "x = load(i, [0], [8]) == 5000000000",
      1, 23, "T103 constant: 5000000000 is out of the range of i32" },
    { "a rounding of integers", "x = cast(s, i64, round=rz)",
      1, 5, "T105 cast: a cast of i32 to i64 has no rounding to choose" },
    { "a rounding that there is not", "x = cast(f, f16, round=up)",
      1, 24, "T505 cast: expected one of rn, rz, rm, rp, approx, full, got up" },
    { "a rounding up to 8 bits", "x = cast(f, e4m3, round=rp)",
      1, 5, "T105 cast: a cast of f32 to e4m3 has no rounding to choose" },
    { "padding with infinity of integers", "x = load(i, [0], [8], pad=-inf)",
      1, 5, "T103 constant: -inf is a float where a i32 belongs: write a cast" },
    { "padding of another dtype", "x = load(a, [0], [8], pad=cast(f, f64))",
      1, 5, "T102 load: operand pad: expected f32, got f64" },
    { "padding that does not broadcast", "x = load(a, [0], [8], pad=zeros(f32, [4]))",
      1, 5, "T202 load: operand pad: expected f32[8], got f32[4]" },
    { "a store that would lose", "store(b, [0, 0], load(a, [0], [8]))",
      1, 1, "T108 store: operand x: expected f16, got f32: write cast(.., f16)" },
    { "a store of floats to integers", "store(i, [0], load(a, [0], [8]))",
      1, 1, "T108 store: operand x: expected i32, got f32: write cast(.., i32)" },
    { "a store of a constant out of range", "store(u, [0], -1)",
      1, 1, "T103 constant: -1 is out of the range of u32" },
    { "a parameter of no dtype", "\nkernel k(a: f31[N]) { }",
      1, 13, "T501 parameter: expected a dtype or a constant that is one, got f31" },
    { "a call for a dtype", "x = zeros(4, [8])",
      1, 11, "T505 zeros: expected a dtype" },
    { "a function of too few values", "x = reduce(two, [load(a, [0], [8])], 0, [0.0])",
      1, 5, "T404 reduce: the function gives 2 values, expected 1" },
    { "a function of other dtypes", "x = reduce(less, [load(a, [0], [8])], 0, [0.0])",
      1, 5, "T404 reduce: value 0 of the function: expected f32, got bool" },
    { "a function of tiles", "x = scan(wide, [load(a, [0], [8])], 0, [0.0])",
      1, 5, "T404 scan: the function may only compute with scalars: no memory, no control flow, no other reduction" },
    { "a function of another number of operands", "x = reduce(add, [load(a, [0], [8]), load(a, [1], [8])], 0, [0.0, 0.0])",
      1, 5, "T504 reduce: 2 tiles, 2 identities and a function of 2 parameters: expected as many identities as tiles, and twice as many parameters" },
    { "too few identities", "x = reduce(add, [load(a, [0], [8])], 0, [])",
      1, 5, "T504 reduce: 1 tiles, 0 identities and a function of 2 parameters: expected as many identities as tiles, and twice as many parameters" },
    { "an identity that is not a constant", "x = reduce(add, [load(a, [0], [8])], 0, [f])",
      1, 5, "T505 reduce: identity 0 is not a constant" },
    { "an identity out of range", "x = reduce(add, [cast(load(i, [0], [8]), i8)], 0, [300])",
      1, 5, "T103 constant: 300 is out of the range of i8" },
    { "a function that loads", "x = reduce(loads, [load(a, [0], [8])], 0, [0.0])",
      -6, 29, "T302 load: operand tensor: expected a tensor, got a tile" },
    { "a loop in a function of a reduction", "x = reduce(loops, [load(a, [0], [8])], 0, [0.0])",
      1, 5, "T404 reduce: the function may only compute with scalars: no memory, no control flow, no other reduction" },
    { "a reduction in a function of a reduction", "x = reduce(sums, [load(a, [0], [8])], 0, [0.0])",
      1, 5, "T404 reduce: the function may only compute with scalars: no memory, no control flow, no other reduction" },
    { "an if in a function of a scan", "x = scan(ifs, [load(a, [0], [8])], 0, [0.0])",
      1, 5, "T404 scan: the function may only compute with scalars: no memory, no control flow, no other reduction" },
    { "a call of the language as the function", "x = reduce(maximum, [load(a, [0], [8])], 0, [0.0])",
      1, 12, "T503 function: expected the name of a fn" },
    // Products of matrices
    { "a dtype that no mma has", "x = mma(zeros(i16, [4, 4]), zeros(i16, [4, 4]), zeros(i32, [4, 4]))",
      1, 5, "T109 mma: operand a: expected f16, bf16, tf32, f32, f64, e4m3, e5m2, i8 or u8, got i16[4, 4]: cast it" },
    { "operands of two dtypes", "x = mma(zeros(f16, [4, 4]), zeros(bf16, [4, 4]), zeros(f32, [4, 4]))",
      1, 5, "T109 mma: operand b: expected f16, got bf16[4, 4]: cast it" },
    { "an accumulator of the wrong dtype", "x = mma(zeros(bf16, [4, 4]), zeros(bf16, [4, 4]), zeros(bf16, [4, 4]))",
      1, 5, "T109 mma: operand acc: expected f32, got bf16[4, 4]: cast it, or begin with zeros of that dtype" },
    { "an accumulator of the wrong dtype of integers", "x = mma(zeros(i8, [4, 4]), zeros(u8, [4, 4]), zeros(f32, [4, 4]))",
      1, 5, "T109 mma: operand acc: expected i32, got f32[4, 4]: cast it, or begin with zeros of that dtype" },
    { "an accumulator of the wrong dtype of 8-bit floats", "x = mma(zeros(e4m3, [4, 4]), zeros(e5m2, [4, 4]), zeros(f64, [4, 4]))",
      1, 5, "T109 mma: operand acc: expected f32 or f16, got f64[4, 4]: cast it, or begin with zeros of that dtype" },
    { "inner extents that differ", "x = zeros(f16, [4, 8]) @ zeros(f16, [4, 8])",
      1, 24, "T210 mma: axis 1 of a (8) and axis 0 of b (4) are summed over: expected the same" },
    { "an accumulator of another shape", "x = mma(zeros(f16, [4, 8]), zeros(f16, [8, 2]), zeros(f32, [4, 4]))",
      1, 5, "T210 mma: acc is [.., 4, 4], expected [.., 4, 2]" },
    { "batches that do not broadcast", "x = zeros(f16, [2, 4, 8]) @ zeros(f16, [3, 8, 4])",
      1, 27, "T201 broadcast: f16[2, 4, 8] does not broadcast to f16[3, 4, 8]" },
    { "a product of vectors", "x = zeros(f16, [4]) @ zeros(f16, [4, 4])",
      1, 21, "T210 mma: operand a: expected a tile of at least 2 axes, got f16[4]" },
    { "a precision of f16", "x = mma(zeros(f16, [4, 4]), zeros(f16, [4, 4]), zeros(f32, [4, 4]), precision=tf32)",
      1, 5, "T109 mma: precision: expected operands of f32, got f16" },
    { "a precision that there is not", "x = mma(zeros(f32, [4, 4]), zeros(f32, [4, 4]), zeros(f32, [4, 4]), precision=bf16x3)",
      1, 79, "T505 mma: expected one of ieee, tf32, tf32x3, got bf16x3" },
    { "a product of two dtypes", "x = zeros(f32, [4, 4]) @ zeros(f16, [4, 4])",
      1, 24, "T109 mma: operand a: expected f16, got f32[4, 4]: cast it" },
    { "a gradient without derivative", "x = load(a, [0], [8]); y = gradient(cumsum(x, 0), x)",
      1, 37, "T111 gradient: cumsum has no derivative" },
    { "a gradient through the bits of a float", "x = load(a, [0], [8]); y = gradient(bitcast(bitcast(x, i32) & 255, f32), x)",
      1, 45, "T111 gradient: bitcast has no derivative" },
    { "a gradient through 8 bits", "x = load(a, [0], [8]); y = gradient(cast(cast(x, e4m3), f32), x)",
      1, 42, "T111 gradient: a cast to a float of 8 bits or tf32 has no derivative" },
    { "weights of 8 bits", "x = zeros(bf16, [4, 4]) @ zeros(i8, [4, 4])",
      1, 25, "T109 mma: operand b: expected bf16, got i8[4, 4]: cast it" },
    { "weights of 8 bits on the left", "x = zeros(e4m3, [4, 4]) @ zeros(f16, [4, 4])",
      1, 25, "T109 mma: operand a: expected f16, got e4m3[4, 4]: cast it" },
    // Memory
    { "a gradient of other elements", "x = gradient_at(a[s], a, [0])",
      1, 18, "T305 gradient_at: load_at reads other elements of the tensor than the given indices select: give "
      "the indices at which it reads, or read the others from another parameter" },
    { "a latency out of range", "x = load(a, [0], [8], latency=11)",
      1, 5, "T304 load: latency: expected 1 to 10, got 11" },
    { "tma= that is not a bool", "x = load(a, [0], [8], tma=2)",
      1, 27, "T505 load: expected true or false" },
    { "tma= that is not constant", "x = load(a, [0], [8], tma=s > 0)",
      1, 29, "T505 load: expected true or false" },
    { "a cache that there is not", "x = load(a, [0], [8], cache=never)",
      1, 29, "T505 load: expected one of any, first, last, stream, got never" },
    { "what is scattered that does not broadcast", "scatter(a, [iota(i32, 4)], zeros(f32, [3]))",
      1, 1, "T201 scatter: i32[4] and f32[3] do not broadcast together" },
    { "an atomic operation of what does not broadcast", "x = atomic_add(i, [iota(i32, 4)], zeros(i32, [3]))",
      1, 5, "T201 atomic_add: i32[4] and i32[3] do not broadcast together" },
    { "nine axes of a tensor", "\nkernel k(a: f32[A, B, C, D, E, F, G, H, I]) { }",
      1, 10, "T207 a: a tensor has at most 8 axes, got 9" },
    { "too many values for a print", "print(\"{}\", s, f)",
      1, 1, "T504 print: 1 {} for 2 values" },
    { "a latency of nothing", "x = load(a, [0], [8], latency=0)",
      1, 5, "T304 load: latency: expected 1 to 10, got 0" },
    { "what is added that would lose", "store_add(a, [0], cast(f, f64))",
      1, 1, "T108 store_add: operand x: expected f32, got f64: write cast(.., f32)" },
    { "padding of a shift that would lose", "x = shift(zeros(i32, [4]), 1, 0, pad=1.5)",
      1, 5, "T103 constant: 1.5 is a float where a i32 belongs: write a cast" },
    { "padding of a shift of a wider dtype", "x = shift(zeros(f32, [4]), 1, 0, pad=cast(f, f64))",
      1, 5, "T102 shift: operand pad: expected f32, got f64" },
    { "an order that a load has not", "x = load(a, [0], [8], order=release)",
      1, 5, "T303 load: order: expected weak, relaxed or acquire, got release" },
    { "an order that a store has not", "store(a, [0], 1.0, order=acquire)",
      1, 1, "T303 store: order: expected weak, relaxed or release, got acquire" },
    { "an order that no access has", "x = load(a, [0], [8], order=seq_cst)",
      1, 29, "T505 load: expected one of weak, relaxed, acquire, release, acq_rel, got seq_cst" },
    { "an order that an atomic operation has not", "x = atomic_add(i, [0], 1, order=weak)",
      1, 5, "T303 atomic_add: order: expected relaxed, acquire, release or acq_rel, got weak" },
    { "a scope without an order", "x = load(a, [0], [8], scope=block)",
      1, 5, "T303 load: a weak access has no scope: give it an order, too" },
    { "a scope that there is not", "x = atomic_add(i, [0], 1, scope=cluster)",
      1, 33, "T505 atomic_add: expected one of device, block, system, got cluster" },
    { "a mask of integers", "x = gather(a, [iota(i32, 4)], mask=iota(i32, 4))",
      1, 5, "T106 gather: operand mask: expected a bool, got i32" },
    { "a mask that does not broadcast", "x = gather(a, [iota(i32, 4)], mask=iota(i32, 3) > 0)",
      1, 5, "T201 gather: i32[4] and bool[3] do not broadcast together" },
    { "an index that is a float", "x = load(a, [0.5], [8])",
      1, 5, "T107 load: operand index: expected an integer scalar, got f32" },
    { "an index that is a tile", "x = load(a, [iota(i32, 4)], [8])",
      1, 5, "T209 load: operand index: expected an integer scalar, got i32[4]: gather takes tiles of indices" },
    { "tiles of indices of a store that adds", "store_add(a, [iota(i32, 4)], 1.0, shape=[4])",
      1, 1, "T209 store_add: operand index 0: expected an integer scalar, got i32[4]: for tiles of indices, "
      "atomic_add(t, [i], x, order=relaxed)" },
    { "tiles of indices of a store", "store_at(a, [iota(i32, 4)], 1.0, shape=[4])",
      1, 1, "T209 store_at: operand index 0: expected an integer scalar, got i32[4]: scatter takes tiles of indices" },
    { "index tiles of floats", "x = gather(a, [load(a, [0], [4])])",
      1, 5, "T107 gather: operand index: expected integers, got f32[4]" },
    { "ids of floats", "x = load_rows(b, load(a, [0], [4]), [0], [8])",
      1, 5, "T107 load_rows: operand ids: expected integers, got f32[4]" },
    { "ids of two axes", "x = load_rows(b, zeros(i32, [4, 4]), [0], [8])",
      1, 5, "T202 load_rows: operand ids: expected a tile of 1 axis, got i32[4, 4]" },
    { "an atomic operation on 16 bits", "store_max(b, [0, 0], zeros(f16, [4]))",
      1, 1, "T110 store_max: operand tensor: expected i32, i64, u32 or u64, got f16" },
    { "an exchange of 16 bits", "x = atomic_xchg(b, [0, 0], zeros(f16, [4]))",
      1, 5, "T110 atomic_xchg: operand tensor: expected i32, i64, u32, u64, f32 or f64, got f16" },
    { "bits of floats in memory", "x = atomic_and(a, [0], 1.0)",
      1, 5, "T110 atomic_and: operand tensor: expected i32, i64, u32 or u64, got f32" },
    { "a sum of bytes in memory", "store_add(e, [0], zeros(e4m3, [4]))",
      1, 1, "T110 store_add: operand tensor: expected i32, i64, u32, u64, f16, bf16, f32 or f64, got e4m3" },
    { "an atomic operation that would lose", "x = atomic_add(i, [0], 1.5)",
      1, 5, "T103 constant: 1.5 is a float where a i32 belongs: write a cast" },
    { "a tensor in arithmetic", "x = a + 1",
      1, 7, "T302 add: expected a tile, got a tensor: load from it first" },
    { "a tensor as an argument of an op", "x = exp(a)",
      1, 5, "T302 exp: operand x: expected a tile (load from the tensor first), got tensor of f32, rank 1" },
    { "a tensor that is stored", "store(a, [0], a)",
      1, 1, "T302 store: operand x: expected a tile (load from the tensor first), got tensor of f32, rank 1" },
    { "a tensor sliced by subscripts", "x = a[0:4]",
      1, 8, "T004 syntax: a part of a tensor is slice(t, axis, start, stop) or a load, of a tile extract" },
    { "a row of a tensor by subscripts", "x = b[0, :]",
      1, 10, "T302 subscript: a tensor is read by element: use load for tiles" },
    { "an assignment to an element", "a[0] = 1.0",
      1, 1, "T004 syntax: elements are not assigned to: write store(t, [i], x) or scatter, and insert(x, [i], y) for a new tile" },
    { "an assignment to an element of a tile", "x = zeros(f32, [4])\nx[0] = 1.0",
      2, 1, "T004 syntax: elements are not assigned to: write store(t, [i], x) or scatter, and insert(x, [i], y) for a new tile" },
    { "a tile read by element", "x = zeros(f32, [8])\ny = x[3]",
      2, 7, "T302 subscript: tiles take : and None only: use extract or take for elements" },
    { "a load from a tile", "x = load(zeros(f32, [8]), [0], [8])",
      1, 5, "T302 load: operand tensor: expected a tensor, got a tile" },
    { "a store to a scalar", "store(s, [0], 1)",
      1, 1, "T302 store: operand tensor: expected a tensor, got a tile" },
    { "a slice of a tile", "x = slice(zeros(f32, [8]), 0, 0, 4)",
      1, 5, "T302 slice: operand tensor: expected a tensor, got f32[8]" },
    { "a slice by floats", "x = slice(a, 0, 0.5, 4)",
      1, 5, "T107 slice: operand start: expected an integer scalar, got f32" },
    { "an alignment that is not a power of two", "\nkernel k(a: f32[N]) where align(a, 12) { }",
      1, 27, "T701 host: align: expected a power of two from 1 to 4096" },
    { "noalias of what is not a tensor", "\nkernel k(a: f32[N]) where noalias(a, N) { }",
      1, 38, "T701 host: expected a tensor parameter" },
    { "an assumption that is none", "x = assume(s > 1)",
      1, 14, "T504 assume: expected x % D == 0" },
    { "an assumption of a divisor below one", "x = assume(s % 0 == 0)",
      1, 5, "T304 assume: divisor: expected 1 or more, got 0" },
    // Control flow
    { "a loop that changes a shape", "x = zeros(f32, [4])\nfor j in 0 .. 4 { x = zeros(f32, [8]) }",
      2, 23, "T401 x: expected f32[4] on every path, got f32[8]" },
    { "a loop that changes a dtype", "x = zeros(f32, [4])\nwhile s > 0 { x = cast(x, f16) }",
      2, 19, "T401 x: expected f32[4] on every path, got f16[4]: write cast(.., f32)" },
    { "a continue that changes a dtype", "x = 1\nfor j in 0 .. 4 { if j > 2 { x = 1.5\ncontinue }\nx = 2 }",
      2, 30, "T401 x: expected i32 on every path, got f32: write cast(.., i32)" },
    { "a loop that changes an integer's size", "x = 0\nfor j in 0 .. N { x = j }",
      2, 19, "T401 x: expected i32 on every path, got i64: write cast(.., i32)" },
    { "a loop that takes an axis in", "x = zeros(f32, [4])\nfor j in 0 .. 4 { x = sum(zeros(f32, [4, 4]), 1) }",
      2, 23, "T401 x: expected f32[4] on every path, got f32[4, 1]: write reshape or squeeze" },
    { "an axis too many at the end of a loop", "x = zeros(f32, [4])\nfor j in 0 .. 3 { x += sum(zeros(f32, [4, 8]), 1) }",
      2, 19, "T401 x: expected f32[4] on every path, got f32[4, 4]: a reduction keeps its axis, with extent 1: squeeze() it" },
    { "an arm that changes a shape", "x = zeros(f32, [4])\nif s > 0 { x = zeros(f32, [8]) }",
      2, 16, "T401 x: expected f32[4] on every path, got f32[8]" },
    { "an else that changes a shape", "x = zeros(f32, [4])\nif s > 0 { } else { x = zeros(f32, [8]) }",
      2, 25, "T401 x: expected f32[4] on every path, got f32[8]" },
    { "an arm that changes a dtype", "x = zeros(f32, [4])\nif s > 0 { x = x * 2.0 } else { x = cast(x, f16) }",
      2, 37, "T401 x: expected f32[4] on every path, got f16[4]: write cast(.., f32)" },
    { "an arm that makes a float of an integer", "x = 1\nif s > 0 { x = 1.5 }",
      2, 12, "T401 x: expected i32 on every path, got f32: write cast(.., i32)" },
    { "arms of two types of a new name", "if s > 0 { x = zeros(f32, [4]) } else { x = zeros(f32, [8]) }",
      1, 45, "T401 x: expected f32[4] on every path, got f32[8]" },
    { "an arm that calls a function of another type", "x = zeros(f32, [8])\nif s > 0 { x = wide(s, s) }",
      2, 12, "T401 x: expected f32[8] on every path, got f32[4]" },
    { "a name that is bound nowhere", "x = y",
      1, 5, "T501 name: nothing binds y" },
    { "a name of one arm only", "if s > 0 { x = 1.0 }\ny = x",
      2, 5, "T405 name: only one arm of an if binds x" },
    { "a name of a loop's body", "for j in 0 .. 4 { x = j }\ny = x",
      2, 5, "T501 name: nothing binds x here, only a loop's body: bind it before the loop" },
    { "a loop's variable behind the loop", "for j in 0 .. 4 { }\ny = j",
      2, 5, "T501 name: nothing binds j" },
    { "a kernel that returns a value", "return 1",
      1, 1, "T402 return: a kernel gives no values" },
    { "a return in a loop of a function", "\nfn g(x) { for j in 0 .. 4 { return x } }\nkernel k(s: i32) { y = g(s) }",
      1, 29, "T402 return: a fn returns at its end, or in an if of a constant" },
    { "break outside of a loop", "break",
      1, 1, "T402 break: it stands in no loop" },
    { "continue outside of a loop", "if s > 0 { continue }",
      1, 12, "T402 continue: it stands in no loop" },
    { "break out of a static for", "static for j in 0 .. 2 { break }",
      1, 26, "T402 break: it cannot leave a static for" },
    { "a loop that takes a value of outside", "x = zeros(f32, [4])\ny = zeros(f32, [8])\nfor j in 0 .. 4 { x = y }",
      3, 19, "T401 x: expected f32[4] on every path, got f32[8]" },
    { "an arm that takes a value of outside", "x = zeros(f32, [4])\ny = zeros(f32, [8])\nif s > 0 { } else { x = y }",
      3, 21, "T401 x: expected f32[4] on every path, got f32[8]" },
    { "a loop that takes its own variable", "x = 0\nfor j in 0 .. N {\nx = j }",
      3, 1, "T401 x: expected i32 on every path, got i64: write cast(.., i32)" },
    { "a step of zero", "for j in 0 .. 4 step 0 { }",
      1, 1, "T403 for: step: expected a positive constant, got 0" },
    { "a step below zero", "for j in 4 .. 0 step -1 { }",
      1, 1, "T403 for: step: expected a positive constant, got -1" },
    { "a step that is not constant", "for j in 0 .. 4 step s { }",
      1, 1, "T403 for: step: expected a positive constant, got a value that is known when the kernel runs" },
    { "a step of a static for below one", "static for j in 0 .. 4 step -1 { }",
      1, 1, "T403 static for: expected a step of 1 or more, got -1" },
    { "a loop over floats", "for j in 0 .. 1.5 { }",
      1, 1, "T107 for: operand last: expected an integer scalar, got a float" },
    { "a loop over a tile", "for j in 0 .. iota(i32, 4) { }",
      1, 1, "T107 for: operand last: expected an integer scalar, got i32[4]" },
    { "a static for over what is not known", "static for j in 0 .. s { }",
      1, 22, "T505 where the loop ends: expected a constant integer, got a value that is known when the kernel runs: use a constant and a loop" },
    { "a condition that is not a bool", "if s { }",
      1, 4, "T106 if: condition: expected a bool scalar, got i32" },
    { "a condition that is a tile", "if load(q, [0], [8]) { }",
      1, 4, "T106 if: condition: expected a bool scalar, got bool[8]: where() selects elements; any() "
             "and all() give one bool" },
    { "a while whose condition is not a bool", "while s { }",
      1, 7, "T106 while: condition: expected a bool scalar, got i32" },
    { "where by an integer", "x = where(s, 1, 2)",
      1, 5, "T106 where: operand c: expected a bool, got i32" },
    { "a loop's variable bound again", "for j in 0 .. 4 { j = 1 }",
      1, 19, "T502 name: j cannot be bound again" },
    { "a dimension bound again", "N = 4",
      1, 1, "T502 name: N cannot be bound again" },
    { "a tensor bound again in a loop", "x = slice(a, 0, 0, 4)\nfor j in 0 .. 4 { x = slice(a, 0, j, 4) }",
      1, 1, "T302 x: a tensor cannot be bound again in a loop" },
    { "a function that calls itself", "\nfn g(x) { return g(x) }\nkernel k(s: i32) { y = g(s) }",
      1, 18, "T507 g: it calls itself" },
    { "two names for one value", "x, y = s",
      1, 1, "T508 binding: 2 names for 1 value" },
    { "names for a function that returns nothing", "\nfn nothing(x) { y = x }\nkernel k(s: i32) { p, q, r = nothing(s) }",
      2, 20, "T508 binding: this call gives no value" },
    { "an assertion that cannot hold", "assert(1 > 2, \"never\")",
      1, 1, "T407 assert: never" },
    { "an assertion without words that cannot hold", "assert(1 > 2)",
      1, 1, "T407 assert: it does not hold" },
    { "an assertion on a tile of integers", "assert(iota(i32, 4), \"all\")",
      1, 1, "T106 assert: operand c: expected a bool, got i32[4]" },
    { "a value that is printed and not there", "print(\"{} {}\", s)",
      1, 1, "T504 print: 2 {} for 1 value" },
    { "a string for a value", "x = \"text\" + 1",
      1, 12, "T505 value: expected a value, got a string" },
    { "a value for a string", "print(s)",
      1, 7, "T505 print: expected a string" },
    // Names, constants and calls
    { "a call of nothing", "x = laod(a, [0], [8])",
      1, 5, "T503 call: there is no function laod: did you mean load?" },
    { "a call of what other languages have", "x = relu(f)",
      1, 5, "T503 call: there is no function relu: write maximum(x, 0.0)" },
    { "a scatter that adds", "scatter_add(a, [iota(i32, 4)], 1.0)",
      1, 1, "T503 call: there is no function scatter_add: write atomic_add(t, [i], x, order=relaxed)" },
    { "a call of what is several calls", "x = softmax(load(a, [0], [8]))",
      1, 5, "T503 call: there is no function softmax: write e = exp(x - max(x)), then e / sum(e)" },
    { "a name of a loop's body behind it", "for j in 0 .. 4 { y = f }\nx = y",
      2, 5, "T501 name: nothing binds y here, only a loop's body: bind it before the loop" },
    { "a name of the body of a static for behind it", "static for j in 0 .. 4 { y = f }\nx = y",
      2, 5, "T501 name: nothing binds y here, only a loop's body: bind it before the loop" },
    { "a name that is misspelt", "scale = 1.0\nx = scael",
      2, 5, "T501 name: nothing binds scael: did you mean scale?" },
    { "too many arguments", "x = sin(1.0, 2.0)",
      1, 14, "T504 sin: expected at most 1 arguments, got 2" },
    { "too few arguments", "x = load(a)",
      1, 5, "T504 load: expected 3 arguments, got 1 (tensor index shape | pad order scope latency tma cache inside)" },
    { "an argument that is not there", "x = load(a, [0], [8], padd=1.0)",
      1, 23, "T504 load: there is no argument padd (tensor index shape | pad order scope latency tma cache inside)" },
    { "an argument twice", "x = load(a, [0], [8], shape=[8])",
      1, 29, "T504 load: an argument is given twice (tensor index shape | pad order scope latency tma cache inside)" },
    { "an argument of a function that is not there", "x = add(1, z=2)",
      1, 12, "T504 add: there is no parameter z" },
    { "max of two values", "x = max(f, 0.0)",
      1, 12, "T505 max, which reduces along axes (of two values it is maximum): expected a constant integer, got another constant" },
    { "an axis that is not constant", "x = sum(zeros(f32, [4]), s)",
      1, 26, "T505 sum: expected a constant integer, got a value that is known when the kernel runs: use a constant and a loop" },
    { "a shape that is not constant", "x = zeros(f32, [s])",
      1, 17, "T505 zeros: expected a constant integer, got a value that is known when the kernel runs: use a constant and a loop" },
    { "a shape of a dimension", "x = zeros(f32, [N])",
      1, 17, "T505 zeros: expected a constant integer, got a value that is known when the kernel runs: use a constant and a loop" },
    { "a constant of a dimension", "\nkernel k(a: f32[N]) const B = N { }",
      1, 31, "T501 name: nothing binds N" },
    { "a division of constants by zero", "x = 1 // 0",
      1, 7, "T509 constant: a division by zero" },
    { "a name twice on the left", "x, x = 1, 2",
      1, 4, "T502 binding: x is there twice" },
    { "what was bound to _", "_, x = 1, 2\ny = _",
      2, 5, "T501 name: nothing binds _" },
    { "a call without its arguments", "x = max",
      1, 5, "T501 name: nothing binds max, which is a call: write its arguments" },
    { "a constant of a later one", "\nkernel k() const A = B, B = 1 { }",
      1, 22, "T501 name: nothing binds B" },
    { "a constant twice", "\nkernel k() const A = 1, A = 2 { }",
      1, 25, "T502 const: A is bound already" },
    { "candidates of two kinds", "\nkernel k() const A = auto(1, 2.5) { }",
      1, 30, "T505 const: A: expected an integer, as the first candidate is, got a float" },
    { "a dtype among candidates", "\nkernel k() const A = auto(1, 2, f32) { }",
      1, 33, "T505 const: A: expected an integer, as the first candidate is, got a dtype" },
    { "a sum of bool constants", "x = true + 1",
      1, 10, "T509 constant: this operator is not for bools" },
    { "zero to a negative power", "x = 0 ** -1",
      1, 7, "T509 constant: a division by zero" },
    { "nan= of a sum", "x = sum(load(a, [0], [8]), nan=true)",
      1, 28, "T504 sum: there is no argument nan (x axes... | round ftz)" },
    { "nan= of any", "x = any(load(q, [0], [8]), nan=true)",
      1, 28, "T504 any: there is no argument nan (x axes...)" },
    { "a parameter given twice", "x = add(1, x=2)",
      1, 14, "T504 add: x is given twice" },
    // Functions without callers
    { "a name that nothing binds in a function that nobody calls", "\nfn g(x) { return x + y }\nkernel k() { }",
      1, 22, "T501 name: nothing binds y" },
    { "a slip in a function that nobody calls", "\nfn g(scale) { return scael }\nkernel k() { }",
      1, 22, "T501 name: nothing binds scael: did you mean scale?" },
    { "a name of a loop's body there", "\nfn g(x) { for j in 0 .. 4 { y = x }\nreturn y }\nkernel k() { }",
      2, 8, "T501 name: nothing binds y" },
    { "a name of the other arm there", "\nfn g(x) { if x > 0 { y = x } else { z = y }\nreturn x }\nkernel k() { }",
      1, 41, "T501 name: nothing binds y" },
    { "an update of nothing there", "\nfn g(x) { y += x\nreturn x }\nkernel k() { }",
      1, 11, "T501 name: nothing binds y" },
    { "a loop's variable bound again there", "\nfn g(x) { for j in 0 .. 4 { j = x }\nreturn x }\nkernel k() { }",
      1, 29, "T502 name: j cannot be bound again" },
    { "a call of nothing there", "\nfn g(x) { return frob(x) }\nkernel k() { }",
      1, 18, "T503 call: there is no function frob" },
    { "an argument too many there", "\nfn g(x) { return sin(x, 2.0) }\nkernel k() { }",
      1, 25, "T504 sin: expected at most 1 arguments, got 2" },
    { "an argument too few of a function there", "\nfn h(x, y) { return x + y }\nfn g(x) { return h(x) }\nkernel k() { }",
      2, 18, "T504 h: expected 2 arguments, got 1" },
    { "an argument that is not there in a call there", "\nfn g(x) { return load(x, [0], [8], padd=1.0) }\nkernel k() { }",
      1, 36, "T504 load: there is no argument padd (tensor index shape | pad order scope latency tma cache inside)" },
    { "a function of a reduction that is not there", "\nfn g(x) { return reduce(least, [x], 0, [0]) }\nkernel k() { }",
      1, 25, "T503 function: expected the name of a fn" },
    { "two names for one value there", "\nfn g(x) { y, z = x\nreturn y }\nkernel k() { }",
      1, 11, "T508 binding: 2 names for 1 value" },
    { "a break there that stands in no loop", "\nfn g(x) { break }\nkernel k() { }",
      1, 11, "T402 break: it stands in no loop" },
    { "a return there in a loop", "\nfn g(x) { while x > 0 { return x } }\nkernel k() { }",
      1, 25, "T402 return: a fn returns at its end, or in an if of a constant" },
    { "functions there that call each other", "\nfn g(x) { return h(x) }\nfn h(x) { return g(x) }\nkernel k() { }",
      2, 18, "T507 g: it calls itself" },
    { "a function of an arm that is not read", "\nfn g(x) { return x + y }\nkernel k() { if false { z = g(1) } }",
      1, 22, "T501 name: nothing binds y" },
    // The text
    { "a character that is not ASCII", "x = 1\ny = x \xe2\x80\x93 1",
      2, 7, "T001 text: a character that is not ASCII (U+2013)" },
    { "a character behind a string with others", "print(\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\") ; x = 1 ? 2",
      1, 22, "T001 text: no token starts with '?'" },
    { "a method", "x = load(a, [0], [8]).sum()",
      1, 22, "T001 text: no token starts with '.': functions are called as in sum(x), not x.sum()" },
    { "a range that is a call", "for j in range(4) { }",
      1, 19, "T004 syntax: expected 0 .. n in place of range(n), got {" },
    { "a keyword as a name", "step = 3.0",
      1, 1, "T004 syntax: expected a name, got step, which is a keyword and cannot be a name" },
    { "a keyword as a name after others", "x, in = s, s",
      1, 4, "T004 syntax: expected a name, got in, which is a keyword and cannot be a name" },
    { "a keyword that is updated", "step += 1",
      1, 1, "T004 syntax: expected a name, got step, which is a keyword and cannot be a name" },
    { "a keyword that continues a line as a name", "x = 1\ngrid = 3",
      2, 1, "T004 syntax: expected a name, got grid, which is a keyword and cannot be a name" },
    { "a keyword as a value", "x = 2 * step",
      1, 9, "T004 syntax: expected an expression, got step, which is a keyword and cannot be a name" },
    { "a keyword as a loop's variable", "for in in 0 .. 4 { }",
      1, 5, "T004 syntax: expected the name of the loop's variable, got in, which is a keyword and cannot be a name" },
    { "a keyword as a parameter", "\nkernel k(step: f32) { }",
      1, 10, "T004 syntax: expected the name of a parameter, got step, which is a keyword and cannot be a name" },
    { "a choice by if behind a value", "x = s if s > 0 else 0",
      1, 7, "T004 syntax: expected the end of the statement, got if: where(c, x, y) chooses by c" },
    { "a choice by if in a call", "x = exp(f if f > 0.0 else 0.0)",
      1, 11, "T004 syntax: expected , or ), got if: where(c, x, y) chooses by c" },
    { "a choice by if as a value", "x = if s > 0 { 1 } else { 0 }",
      1, 5, "T004 syntax: expected an expression, got if: where(c, x, y) chooses by c" },
    { "an update by another operator", "x = s\nx ^= 3",
      2, 4, "T004 syntax: expected an expression, got =: only += -= *= /= update a variable" },
    { "a dtype that is called", "x = f32(s)",
      1, 5, "T503 syntax: f32 is a dtype, not a function: write cast(x, f32)" },
    { "a dtype of Python that is called", "x = float(s)",
      1, 5, "T503 call: there is no function float: write cast(x, f32)" },
    { "a letter that is not ASCII in a name", "na\xc3\xafve = 1.0",
      1, 3, "T001 text: a character that is not ASCII (U+00EF)" },
    { "a byte that is not a character", "x = \xff 1",
      1, 5, "T001 text: a byte that is not ASCII (0xff)" },
    { "a control character", "x = 1 \x01",
      1, 7, "T001 text: a control character (0x1)" },
    { "a line that goes on too early", "x = (1 + 2\ny = 3",
      2, 1, "T004 syntax: expected ), got y" },
    { "brackets too deep", DEEP "1",
      1, 204, "T006 syntax: nested deeper than 200" },
    { "a string without its end", "print(\"text)",
      1, 7, "T003 string: expected a \" before the end of the line" },
    { "a version that there is not", "\ntile 2\nkernel k() { }",
      1, 6, "T005 tile: expected version 1, the only one that there is" },
    { "a static for of too many iterations", "static for j in 0 .. 5000 { }",
      1, 1, "T406 static for: more than 4096 iterations" },
    { "a program that is too large unrolled", "static for j in 0 .. 4000 { static for l in 0 .. 4000 { x = j + l } }",
      1, 65, "T007 program: more than 1048576 expressions and blocks, with every iteration of a static for and every call: make it with loops" },
    // Host expressions
    { "a grid of a condition", "\nkernel k(a: f32[N]) grid N > 3 { }",
      1, 28, "T701 host: expected an integer, got a condition" },
    { "a fact that is a number", "\nkernel k(a: f32[N]) where N % 4 { }",
      1, 29, "T701 host: expected a condition such as N > 0, got an integer" },
    { "a number among conditions", "\nkernel k(a: f32[N]) where N > 3 and N { }",
      1, 37, "T701 host: expected a condition such as N > 0, got an integer" },
    { "a condition that is added", "\nkernel k(a: f32[N]) where noalias(a, a) + 1 > 0 { }",
      1, 27, "T701 host: expected an integer, got a condition" },
    { "a grid of a bool", "\nkernel k(b: bool) grid b { }",
      1, 24, "T701 host: expected an integer, got a condition" },
    { "a division by zero of a dimension", "\nkernel k(a: f32[N]) grid N // 0 { }",
      1, 28, "T509 host: a division by zero" },
    { "a remainder by zero of a dimension", "\nkernel k(a: f32[N]) const B = 4 where N % (B - 4) == 0 { }",
      1, 41, "T509 host: a division by zero" },
    { "cdiv by zero of a dimension", "\nkernel k(a: f32[N]) grid cdiv(N, 0) { }",
      1, 26, "T509 host: a division by zero" },
    { "a remainder by zero of an extent", "\nkernel k(a: f32[N], b: f32[N % 0]) { }",
      1, 30, "T509 host: a division by zero" },
    { "a constant that the host does not have", "\nkernel k(a: f32[N]) where N < 0x8000000000000000 { }",
      1, 31, "T103 host: 9223372036854775808 is out of the range of i64" },
    { "a constant extent below zero", "\nkernel k(a: f32[-1]) { }",
      1, 17, "T206 a: axis 0: expected an extent of 0 or more, got -1" },
    { "a constant grid that is too large", "\nkernel k() grid 1, 65536 { }",
      1, 20, "T703 grid: axis 1: expected 0 to 65535, got 65536" },
    { "four axes of the grid", "\nkernel k(a: f32[N]) grid N, N, N, N { }",
      1, 35, "T702 grid: expected 1 to 3 expressions, got 4" },
    { "a grid with a division of floats", "\nkernel k(a: f32[N]) grid N / 2 { }",
      1, 28, "T701 host: / gives floats: write // or cdiv" },
    { "a dimension that only an expression in an extent has", "\nkernel k(a: i32[G + 1]) grid G { }",
      1, 17, "T501 name: nothing binds G: an extent that is an expression binds no name: write a name as the extent of a, "
      "and compute G from it" },
    { "a name of the grid that is misspelt", "\nkernel k(a: f32[rows]) grid row { }",
      1, 29, "T501 name: nothing binds row: did you mean rows?" },
    { "a grid of a float", "\nkernel k(a: f32[N], x: f32) grid x { }",
      1, 34, "T701 host: expected a dimension, a constant or an integer argument" },
    { "a grid of an unknown call", "\nkernel k(a: f32[N]) grid max(N, 2) { }",
      1, 26, "T701 host: the host has cdiv, minimum, maximum, where, dim, stride; facts also noalias, align, unit" },
    { "a fact that no constants keep", "\nkernel k(a: f32[N]) const B = 6 where B % 4 == 0 { }",
      1, 45, "T704 where: B % 4 == 0 does not hold" },
    { "a fact that the first candidates refute", "\nkernel k() const A = auto(3, 4), B = auto(1, 2) where A > B + 2 { }",
      1, 57, "T704 where: A > B + 2 does not hold: A=3, B=1 of auto()" },
};
// clang-format on

CASE("diagnostics");

TEST_ROWS(each_broken_rule_has_its_exact_message, rows)
{
    bool whole = rows[_i].source[0] == '\n';
    int line = rows[_i].line + (whole ? 1 : LINES_BEFORE);
    char text[4096], says[512];

    snprintf(text, sizeof(text), whole ? "%s" : BEFORE "%s}\n", rows[_i].source);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    const char *all = tile_diagnostics_text(module, false);
    const struct tile_diagnostic *d = module->diagnostics->first;
    ck_assert_msg(d != NULL, "%s: nothing was told", rows[_i].rule);
    snprintf(says, sizeof(says), "%s %s", tile_code_name(d->code), d->text);
    ck_assert_msg(strcmp(says, rows[_i].says) == 0, "%s: expected %s, got\n%s", rows[_i].rule,
                  rows[_i].says, says);
    ck_assert_msg((int)d->where.line == line && (int)d->where.column == rows[_i].column,
                  "%s: expected %d:%d\n%s", rows[_i].rule, line, rows[_i].column, all);
    ck_assert_msg(module->diagnostics->errors == 1, "%s: expected one error\n%s", rows[_i].rule,
                  all);
    tile_module_free(module);
}

// Errors found during compilation, or in settings outside the source; these rows are whole sources.
// clang-format off
static const struct {
    const char *rule, *source, *setting;
    bool require_tma;
    int line, column; // 0: no place in the source
    const char *says;
} compiled[] = {
    { "a setting of a constant that there is not", "kernel k() const BM = 4 { }", "BN=4", false,
      0, 0, "T506 setting: BN=4: no kernel has that constant: expected one of BM" },
    { "a setting of another kind", "kernel k() const BM = 4 { }", "BM=f16", false,
      1, 18, "T506 setting: BM=f16: expected an integer" },
    { "a tile that does not fit into shared memory",
      "kernel k(o: f32[512, 512]) {\n    store(o, [0, 0], trans(load(o, [0, 0], [512, 512])))\n}", NULL, false,
      2, 22, "T602 permute: it needs 1048576 bytes of shared memory, the target has 166912: make the tile smaller" },
    { "a tile of zeros that is too large",
      "kernel k(o: f32[N]) {\n    x = zeros(f32, [4096, 2048])\n"
      "    store(o, [0], sum(sort(x, 1)), shape=[_])\n}", NULL, false,
      2, 9, "T602 zeros: a tile of 8388608 elements, expected no more than 4194304: make it smaller" },
    { "a tile of one number that is too large",
      "kernel k(o: f32[N]) {\n    store(o, [0], max(sort(full(f32, [8388608], 3), 0)), shape=[_])\n}", NULL, false,
      2, 28, "T602 full: a tile of 8388608 elements, expected no more than 4194304: make it smaller" },
    { "a copy by TMA that is asked for", "kernel k(a: f32[N]) {\n    store(a, [1], load(a, [0], [8], tma=true))\n}", NULL, true,
      2, 19, "T603 load: expected a copy by TMA, as require_tma requires, got loads and stores of threads" },
    { "a sort that takes too much code",
      "kernel k(o: f32[N]) {\n    store(o, [0], sort(load(o, [0], [65536]), 0))\n}", NULL, false,
      2, 19, "T604 sort: a tile of 65536 elements takes 1090 KB of PTX an entry, and the kernel's sorts, scans and "
      "histograms may take 1024 KB in all entries: sort tiles that fit in shared memory" },
    { "a scan that takes too much code",
      "kernel k(o: f64[N]) {\n    store(o, [0], cumsum(load(o, [0], [524288]), 0))\n}", NULL, false,
      2, 19, "T604 cumsum: a tile of 524288 elements takes 1078 KB of PTX an entry, and the kernel's sorts, scans and "
      "histograms may take 1024 KB in all entries: scan smaller tiles in a loop that carries the last result" },
    { "ranks that take too much code",
      "kernel k(o: i32[N]) {\n    p, n = rank(load(o, [0], [1048576]), 256)\n    store(o, [0], p)\n}", NULL, false,
      2, 12, "T604 rank: a tile of 1048576 elements takes 835 KB of PTX an entry, and the kernel's sorts, scans and "
      "histograms may take 1024 KB in all entries: rank smaller tiles, or take more warps" },
    { "an op that there is no code for in its layout", // only the machine form can express it
      "tile 1 machine\nlayout @0 = r: l:0,0,0,0,0 w: of []\nlayout @1 = r:1 l:3,4,8,16,32 w: of [64]\n"
      "kernel k(a: f32[N])\n{\n    %1 = constant() {value = 0} : i64 @0\n"
      "    %2 = load(%a_0, %1) {shape = [64]} : f32[64] @1\n    %3 = sort(%2) {axis = 0} : f32[64] @1\n"
      "    store(%a_0, %1, %3) {shape = [64]}\n    return()\n}\n", NULL, false,
      8, 5, "T601 sort: its layout splits a bit of the axis" },
};
// clang-format on

TEST_ROWS(errors_found_during_compilation_have_their_exact_message, compiled)
{
    const char *source = compiled[_i].source, *rule = compiled[_i].rule;
    const char *const *setting = compiled[_i].setting ? &compiled[_i].setting : NULL;
    bool machine = strncmp(source, "tile 1 machine", 14) == 0;
    struct tile_module *module =
        machine ? tile_parse_machine("p.tile", source, strlen(source))
                : tile_parse("p.tile", source, strlen(source), setting, setting != NULL);
    struct tile_compiled out;
    struct tile_target target;
    char says[512], why[128];

    ck_assert_ptr_nonnull(module);
    ck_assert(tile_target_of(&target, 80, false, why, sizeof(why)));
    target.require_tma = compiled[_i].require_tma;
    if (!module->diagnostics->errors && !machine) {
        ck_assert_msg(!tile_compile(module, &target, &out), "%s: it is compiled", rule);
    } else if (!module->diagnostics->errors) {
        struct tile_text text = { .module = module };
        struct tile_entry entry;
        ck_assert_msg(!tile_emit_entry(module, module->first, &target, 1, TILE_ALIGNED_32, NULL,
                                       &text, &entry),
                      "%s: it is compiled", rule);
    }
    const char *all = tile_diagnostics_text(module, false);
    const struct tile_diagnostic *d = module->diagnostics->first;
    while (d && d->severity != TILE_ERROR)
        d = d->next;
    ck_assert_msg(d != NULL, "%s: nothing was told", rule);
    snprintf(says, sizeof(says), "%s %s", tile_code_name(d->code), d->text);
    ck_assert_msg(strcmp(says, compiled[_i].says) == 0, "%s: expected %s, got\n%s", rule,
                  compiled[_i].says, says);
    ck_assert_msg((int)d->where.line == compiled[_i].line &&
                      (int)d->where.column == compiled[_i].column,
                  "%s: expected %d:%d\n%s", rule, compiled[_i].line, compiled[_i].column, all);
    ck_assert_msg(module->diagnostics->errors == 1, "%s: expected one error\n%s", rule, all);
    tile_module_free(module);
}

// Codes that none of the rows above can trigger.
static const struct {
    enum tile_code code;
    const char *why;
} elsewhere[] = {
    { TILE_T000, "no error" },
    { TILE_T008, "programs that may only have functions when they are read: test_program.c" },
    { TILE_T009, "memory that runs out once: test_no_memory.c" },
    { TILE_T408, "of the C builder alone: test_builder_errors.c" },
    { TILE_T510, "of the C builder alone: test_builder_errors.c" },
    { TILE_T511, "of the C builder alone: test_builder_errors.c" },
    { TILE_T801, "budgets: test_budget.c" },
    { TILE_T802, "budgets: test_budget.c" },
    { TILE_T803, "budgets: test_budget.c" },
    { TILE_T804, "budgets: test_budget.c" },
    { TILE_T805, "budgets: test_budget.c" },
    { TILE_T901, "rules that a pass broke: test_pass.c" },
};

TEST(every_code_has_a_row)
{
    for (int code = 0; code < TILE_CODE_COUNT; code++) {
        const char *name = tile_code_name((enum tile_code)code), *why = NULL;
        int count = 0;
        for (size_t i = 0; i < CUC_LENGTH(rows); i++)
            count += strncmp(rows[i].says, name, strlen(name)) == 0;
        for (size_t i = 0; i < CUC_LENGTH(compiled); i++)
            count += strncmp(compiled[i].says, name, strlen(name)) == 0;
        for (size_t i = 0; i < CUC_LENGTH(elsewhere); i++)
            if (elsewhere[i].code == (enum tile_code)code)
                why = elsewhere[i].why;
        ck_assert_msg(count || why, "%s, %s: no row shows it", name,
                      tile_code_meaning((enum tile_code)code));
        ck_assert_msg(!count || !why, "%s has %d rows: \"%s\" is not so", name, count, why);
    }
}

TEST(every_code_has_a_meaning_and_a_remedy)
{
    for (int code = TILE_T000 + 1; code < TILE_CODE_COUNT; code++) {
        int number = tile_code_number((enum tile_code)code);
        const cuc__explanation *e = cuc__explain(CUC_LIBRARY_TILE, number);
        char symbol[8];

        snprintf(symbol, sizeof(symbol), "T%03d", number);
        ck_assert_msg(e != NULL, "%s has no explanation", symbol);
        ck_assert_str_eq(e->symbol, symbol);
        ck_assert_msg(*e->meaning && *e->remedy, "%s has an empty explanation", symbol);
    }
}

TEST(an_unknown_target_is_reported_with_the_known_ones)
{
    static const int none[] = { 0, 75, 81, 91, 101, 130 };
    static const int some[] = { 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
    struct tile_target target;
    char why[256];

    for (size_t i = 0; i < CUC_LENGTH(none); i++) {
        ck_assert(!tile_target_of(&target, none[i], false, why, sizeof(why)));
        ck_assert_str_eq(why, "tile programs are compiled for sm_80, 86, 87, 88, 89, 90, 100, 103, "
                              "110, 120 and 121");
    }
    for (size_t i = 0; i < CUC_LENGTH(some); i++)
        ck_assert(tile_target_of(&target, some[i], false, why, sizeof(why)));
}

// Expected numbers of resident blocks: CUDA 13.0, cuda_occupancy.h,
// cudaOccMaxBlocksPerMultiprocessor().
TEST(targets_have_the_limits_of_their_machines)
{
    static const struct {
        int sm;
        uint32_t most_blocks;
        bool specific; // ptxas knows the target with the suffix `a`
    } limits[] = {
        { 80, 32, false }, { 86, 16, false }, { 87, 16, false }, { 88, 16, false },
        { 89, 24, false }, { 90, 32, true },  { 100, 32, true }, { 103, 32, true },
        { 110, 24, true }, { 120, 24, true }, { 121, 24, true },
    };
    struct tile_target target;
    char why[256];

    for (size_t i = 0; i < CUC_LENGTH(limits); i++) {
        ck_assert(tile_target_of(&target, limits[i].sm, false, why, sizeof(why)));
        ck_assert_msg(target.most_blocks == limits[i].most_blocks, "sm_%d: %u blocks", limits[i].sm,
                      target.most_blocks);
        ck_assert_msg(tile_has(&target, TILE_HAS_SPECIFIC) == limits[i].specific, "sm_%d",
                      limits[i].sm);
    }
}

int main(void)
{
    return run_tests("tile diagnostics");
}
