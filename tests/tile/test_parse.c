// Tests parsing text to IR: every diagnostic with its code, place and words, and programs whose
// printed IR parses to itself.
#include "base/array.h"
#include "tile/pass/pass.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Wraps a body in kernel k(a: f32[N], b: f16[M, K], i: i32[N], s: i32) grid N { .. }; the body's
// first line is 1.
#define IN_KERNEL \
    "kernel k(a: f32[N], b: f16[M, K], i: i32[N], u: u32[N], e: e4m3[N], s: i32) grid N {"

struct wrong {
    const char *name;
    const char *body; // a body for the kernel above; a whole source if it begins with a newline
    const char *says; // "T101 1:88 part of the message"; columns count from the start of the body
};

static const struct wrong wrongs[] = {
    // The text
    { "a character that is none of the language", "x = 1 ? 2", "T001 7 no token starts with '?'" },
    { "a number that is too large", "x = 99999999999999999999", "T002 5 too large" },
    { "a number with letters in it", "x = 12abc", "T002 5 cannot be read" },
    { "a float that is too large", "x = 1e999", "T002 5 too large" },
    { "a string without its end", "assert(s > 0, \"oops)\n", "T003 15 before the end of the line" },
    { "a letter that is not ASCII, in two bytes", "\xc3\xa9 = 1", "T001 1 not ASCII (U+00E9)" },
    { "a name whose value cannot be read", "x = )\ny = x", "T004 5 expected an expression, got )" },
    { "a statement without a value", "x =", "T004 4 expected an expression, got }" },
    { "an expression that does nothing", "s + 1", "T004 1 does nothing" },
    { "a chain of comparisons", "x = 1 < s < 3",
      "T004 11 and & binds tighter: write (a < b) & (b < c)" },
    { "a keyword as a name", "for = 1",
      "T004 1 expected a name, got for, which is a keyword and cannot be a name" },
    { "a version that is not known", "\ntile 2\nkernel k() { }", "T005 2:6 version 1" },
    { "nothing that belongs in a file", "\n\nx = 1", "T004 3:1 expected kernel or fn" },
    { "a brace that is never closed", "\nkernel k() {\n x = 1\n", "T004 2:12 never closed" },
    { "a second grid", "\nkernel k(a: f32[N]) grid N grid N { }", "T502 2:28 second grid" },
    // Dtypes
    { "an op of floats on integers", "x = exp(s)",
      "T101 5 operand x: expected f16, bf16, f32 or f64" },
    { "bitwise ops on floats", "x = load(a, [0], [8]) & load(a, [0], [8])", "T101 23 got f32[8]" },
    { "arithmetic on bools", "x = (s < 1) + (s > 2)", "T101 13 got bool" },
    { "arithmetic on 8-bit floats", "x = load(e, [0], [8]) * load(e, [0], [8])",
      "T101 23 got e4m3[8]" },
    { "signed with unsigned", "x = load(i, [0], [8]) + load(u, [0], [8])",
      "T102 23 i32 and u32 have no common dtype" },
    { "f16 with bf16", "x = cast(1.0, f16) + cast(s, bf16)", "T102 20 f16 and bf16" },
    { "a constant out of its dtype's range", "x = cast(s, i8) + 300",
      "T103 17 300 is out of the range of i8" },
    { "a tile of a constant out of range", "x = full(u8, [4], 300)",
      "T103 5 300 is out of the range of u8" },
    { "iota past its dtype", "x = iota(i8, 200)", "T103 5 199 is out of the range of i8" },
    { "iota of floats", "x = iota(f32, 8)", "T101 5 an integer dtype" },
    { "a bitcast of another width", "x = bitcast(s, f16)",
      "T104 5 i32 and f16 have different widths" },
    { "a gradient of integers", "x = gradient(s * 2, s)",
      "T101 5 gradient: operand y: expected a tile of floats, got i32" },
    { "a gradient with respect to a tensor", "x = gradient(a[0] * 2.0, a)", "T302 5 operand x" },
    { "a gradient of too wide a dtype", "x = a[0]\ny = gradient(x, x, cast(1.0, f64))",
      "T101 2:5 gradient: operand d: expected f32, got f64" },
    { "a gradient of another shape", "x = a[0]\ny = gradient(x, x, zeros(f32, [4]))",
      "T201 2:5 f32" },
    { "a gradient through an op without derivative",
      "x = load(a, [0], [8])\ny = sort(x * 2.0, 0)\nz = gradient(y + x, x)",
      "T111 2:5 gradient: sort has no derivative" },
    { "a gradient through a product",
      "x = load(b, [0, 0], [16, 16])\ny = x @ x\nz = gradient(y, x)",
      "T111 2:7 gradient: mma has no derivative" },
    { "a gradient through an if", "x = a[0]\ny = x\nif s > 0 { y = x * 2.0 }\nz = gradient(y, x)",
      "T111 3:6 gradient: if has" },
    { "a gradient through a loop",
      "x = a[0]\ny = x\nfor j in 0 .. s { y = y * x }\nz = gradient(y, x)",
      "T111 3:1 gradient: for has" },
    { "a gradient through earlier turns of a loop",
      "x = a[0]\ny = x\nfor j in 0 .. s {\ny = y * x\nz = gradient(y, x) }",
      "T111 5:5 gradient: a value that a loop carries has no derivative" },
    { "a gradient of elements that are not read alone",
      "x = a[s] * a[s + 1]\nz = gradient_at(x, a, [s])",
      "T305 13 gradient_at: load_at reads other elements" },
    { "a gradient of each element of a permuted tile",
      "j = iota(i32, 4)[:, None]\nx = gather(a, [j]) * zeros(f32, [8])\n"
      "z = gradient_at(trans(x), a, [j], each=true)",
      "T111 3:17 gradient_at: permute has no derivative" },
    { "a gradient of elements of which a tile is read",
      "x = load(a, [s], [8])\nz = gradient_at(x, a, [s])", "T305 5 gradient_at: load reads other" },
    { "a rounding of integers", "x = cast(s, i64, round=rz)", "T105 5 no rounding to choose" },
    { "a sum of integers with a rounding", "x = add(s, 1, round=rz)",
      "T105 5 round: of i32 expected no rounding to choose, got rz" },
    { "a rounding that a sum does not have", "x = add(load(a, [0], [8]), 1.0, round=approx)",
      "T105 5 round: of f32 expected rn, rz, rm or rp, got approx" },
    { "an approximate quotient of halves", "x = div(cast(1.0, f16), cast(s, f16), round=full)",
      "T105 5 round: of f16 expected rn, rz, rm or rp, got full" },
    { "a square root that is full", "x = sqrt(load(a, [0], [8]), round=full)",
      "T105 5 round: of f32 expected rn, rz, rm, rp or approx, got full" },
    { "a direction of a power", "x = exp(load(a, [0], [8]), round=rz)",
      "T105 5 round: of f32 expected rn, full or approx, got rz" },
    { "an approximate cast", "x = cast(load(a, [0], [8]), f16, round=approx)",
      "T105 5 round: expected rn, rz, rm or rp, got approx" },
    { "halves without subnormals", "x = mul(cast(s, f16), cast(2.0, f16), ftz=true)",
      "T105 5 ftz: expected f32, got f16" },
    { "a cast of integers without subnormals", "x = cast(s, f32, ftz=true)",
      "T105 5 ftz: expected floats, one of them f32, got i32 to f32" },
    { "an approximate sum", "x = sum(load(a, [0], [8]), round=full)",
      "T105 5 round: of f32 expected rn, rz, rm or rp, got full" },
    { "a rounding that there is not", "x = add(s, 1, round=up)",
      "T505 21 expected one of rn, rz, rm, rp, approx, full, got up" },
    { "a rounding in a variable", "up = 1\nx = add(s, 1, round=up)",
      "T505 2:21 expected one of rn, rz, rm, rp, approx, full, got up, a variable: write the "
      "word" },
    { "bytes that do not fill an element", "x = bitcast(zeros(u8, [6]), f32)",
      "T104 5 u8 and f32 have different widths: expected a last axis that is a multiple of 4" },
    { "a format that there is not", "print(\"{:q}\", s)",
      "T504 1 expected {} or a format such as {:8.3f}" },
    { "a format that is too wide", "print(\"{:100d}\", s)", "T504 1 got {:100d}" },
    { "a float by a format of integers", "print(\"{}{:x}\", s, load(a, [0], [4]))",
      "T101 1 value 1: {:x} does not write f32" },
    { "a bool by a format", "print(\"{:d}\", s > 1)", "T101 1 value 0: {:d} does not write bool" },
    { "a value of a wait", "x = grid_dependency_wait()", "T508 1 this call gives no value" },
    { "a condition that is not a bool", "if s { }", "T106 4 expected a bool scalar, got i32" },
    { "a condition on a tile", "if load(a, [0], [8]) > 0.0 { }",
      "T106 22 expected a bool scalar, got bool[8]: where() selects elements" },
    { "a mask of integers", "x = gather(a, [iota(i32, 4)], mask=iota(i32, 4))",
      "T106 5 operand mask: expected a bool, got i32" },
    { "padding of another dtype", "x = load(a, [0], [8], pad=cast(s, f64))",
      "T102 5 operand pad: expected f32, got f64" },
    { "and on integers", "if s and s > 1 { }", "T106 4 expected a bool scalar" },
    { "where by an integer", "x = where(s, 1, 2)", "T106 5 operand c: expected a bool" },
    { "an index that is a float", "x = load(a, [0.5], [8])", "T107 5 operand index:" },
    { "a store that would lose", "store(b, [0, 0], load(a, [0], [8]))",
      "T108 1 write cast(.., f16)" },
    { "an mma of a dtype that has none",
      "x = mma(zeros(i16, [4, 4]), zeros(i16, [4, 4]), zeros(i32, [4, 4]))", "T109 5 operand a" },
    { "an mma of two dtypes",
      "x = mma(zeros(f16, [4, 4]), zeros(bf16, [4, 4]), zeros(f32, [4, 4]))",
      "T109 5 operand b: expected f16" },
    { "an accumulator of the wrong dtype",
      "x = mma(zeros(bf16, [4, 4]), zeros(bf16, [4, 4]), zeros(bf16, [4, 4]))",
      "T109 5 operand acc: expected f32" },
    { "an atomic op on f16 that has none", "store_max(b, [0, 0], zeros(f16, [4]))",
      "T110 1 operand tensor: expected i32, i64, u32 or u64, got f16" },
    { "an exchange of 16 bits", "x = atomic_xchg(b, [0, 0], zeros(f16, [4]))",
      "T110 5 operand tensor: expected i32, i64, u32, u64, f32 or f64, got f16" },
    { "a sum of bytes in memory", "store_add(e, [0], zeros(e4m3, [4]))",
      "T110 1 expected i32, i64, u32, u64, f16, bf16, f32 or f64, got e4m3" },
    // Shapes
    { "shapes that do not broadcast", "x = zeros(f32, [4]) + zeros(f32, [3])",
      "T201 21 f32[4] and f32[3]" },
    { "a broadcast to another shape", "x = broadcast(zeros(f32, [4]), [8])",
      "T201 5 f32[4] does not broadcast to f32[8]" },
    { "a reshape to more elements", "x = reshape(zeros(f32, [4, 4]), [3, 5])",
      "T203 5 has 15 elements, the operand 16" },
    { "a reshape that does not divide", "x = reshape(zeros(f32, [4, 4]), [3, -1])",
      "T203 5 16 elements do not divide by 3" },
    { "an axis that is not there", "x = sum(zeros(f32, [4]), 1)",
      "T204 5 sum: axis: expected 0 to 0, got 1" },
    { "an axis of a scalar", "x = cumsum(1.0, 0)", "T204 5 cumsum: axis: a scalar has none" },
    { "a fourth axis of the grid", "x = block(3)", "T204 5 expected 0, 1 or 2, got 3" },
    { "trans of one axis", "x = trans(zeros(f32, [4]))", "T204 5 at least 2 axes, got f32[4]" },
    { "squeeze of a long axis", "x = squeeze(zeros(f32, [4, 1]), 0)",
      "T204 5 axis 0 of f32[4, 1]" },
    { "axes that are not a permutation", "x = permute(zeros(f32, [4, 2]), [0, 0])",
      "T205 5 axis 0 is there twice" },
    { "an axis twice in a sum", "x = sum(zeros(f32, [4, 2]), 0, 0)",
      "T205 32 axis 0 is there twice" },
    { "an extent of zero", "x = zeros(f32, [4, 0])", "T206 5 extent 1: expected 1 to 2^24, got 0" },
    { "more elements than a tile may have", "x = zeros(f32, [4096, 8192])",
      "T206 5 expected at most 2^24 elements, got 4096 x 8192" },
    { "topk of more than there are", "x, y = topk(zeros(f32, [4]), 5, 0)",
      "T206 8 expected 1 to 4 elements, got 5" },
    { "nine axes", "x = zeros(f32, [1, 1, 1, 1, 1, 1, 1, 1, 1])", "T207 16 at most 8 axes, got 9" },
    { "a subtile that does not divide", "x = extract(zeros(f32, [8]), [0], [3])",
      "T208 5 3 does not divide 8" },
    { "a subtile outside", "x = extract(zeros(f32, [8]), [4], [2])",
      "T208 5 expected a subtile from 0 to 3, got 4" },
    { "an index that is a tile", "x = load(a, [iota(i32, 4)], [8])",
      "T209 5 expected an integer scalar, got i32[4]" },
    { "inner extents that differ", "x = zeros(f16, [4, 8]) @ zeros(f16, [4, 8])",
      "T210 24 axis 1 of a (8) and axis 0 of b (4)" },
    { "an accumulator of another shape",
      "x = mma(zeros(f16, [4, 8]), zeros(f16, [8, 2]), zeros(f32, [4, 4]))",
      "T210 5 expected [.., 4, 2]" },
    { "a product of vectors", "x = zeros(f16, [4]) @ zeros(f16, [4])", "T210 21 at least 2 axes" },
    // Memory
    { "too few indices", "x = load(b, [0], [8, 8])", "T301 5 expected 2 indices" },
    { "too few extents", "x = load(b, [0, 0], [8])", "T301 5 expected 2 extents" },
    { "a tensor in arithmetic", "x = a + 1", "T302 7 got a tensor: load from it first" },
    { "a load from a tile", "x = load(zeros(f32, [8]), [0], [8])",
      "T302 5 expected a tensor, got a tile" },
    { "a third operand of two in asm", "x = asm(\"add.s32 $0, $1, $3;\", i32, [s, s])",
      "T504 5 $3: expected $0, the result, to $2, the last operand" },
    { "operands of two shapes in asm",
      "x = asm(\"add.s32 $0, $1, $2;\", i32, [zeros(i32, [4]), zeros(i32, [8])])",
      "T201 5 i32[4] and i32[8]" },
    { "an operand that asm does not use", "x = asm(\"mov.b32 $0, $1;\", i32, [s, s])",
      "T504 5 $2: the text does not have it" },
    { "a result that asm does not write", "x = asm(\"mov.b32 t, $1;\", i32, [s])",
      "T504 5 $0: the text does not have it, which is the result" },
    { "a wide operand of a narrow instruction",
      "x = asm(\"add.s32 $0, $1, $1;\", i32, [cast(s, i64)])",
      "T101 5 operand $1: expected a .b32 register for add.s32, got i64, which is .b64" },
    { "a half where asm wants a word",
      "x = asm(\".reg .f32 t; mov.f32 t, 1.0; @p fma.rn.f32 $0, t, $1, t\", f32, [cast(s, f16)])",
      "T101 5 operand $1: expected a .b32 register for fma.rn.f32, got f16, which is .b16" },
    { "a result that asm has as a predicate", "x = asm(\"setp.lt.s32 $0, $1, 3;\", i32, [s])",
      "T101 5 operand $0: expected a .pred register for setp.lt.s32, got i32, which is .b32" },
    { "a product that asm has in 64 bits", "x = asm(\"mul.wide.s32 $0, $1, 3;\", i32, [s])",
      "T101 5 operand $0: expected a .b64 register for mul.wide.s32" },
    { "a conversion to less than asm has", "x = asm(\"cvt.s64.s32 $0, $1;\", i32, [s])",
      "T101 5 operand $0: expected a .b64 register for cvt.s64.s32" },
    { "a tensor in asm", "x = asm(\"mov.b32 $0, $2;\", i32, [s, a])", "T302 5 expected a tile" },
    { "a tile read by element", "x = zeros(f32, [8])\ny = x[3]", "T302 2:7 use extract or take" },
    { "an order that a load has not", "x = load(a, [0], [8], order=release)",
      "T303 5 order: expected weak, relaxed or acquire, got release" },
    { "a scope without an order", "x = load(a, [0], [8], scope=block)",
      "T303 5 a weak access has no scope" },
    { "a latency out of range", "x = load(a, [0], [8], latency=11)",
      "T304 5 expected 1 to 10, got 11" },
    { "an assumption that is none", "x = assume(s > 1)", "T504 14 expected x % D == 0" },
    // Control flow
    { "a loop that changes a type", "x = zeros(f32, [4])\nfor j in 0 .. 4 { x = zeros(f32, [8]) }",
      "T401 2:23 x: expected f32[4] on every path, got f32[8]" },
    { "a loop that widens a scalar", "x = 0\nfor j in 0 .. 4 { x = x + cast(j, i64) }",
      "T401 2:25 x: expected i32 on every path, got i64: write cast(.., i32)" },
    { "arms of two types", "x = zeros(f32, [4])\nif s > 0 { x = zeros(f32, [8]) }",
      "T401 2:16 x: expected f32[4] on every path, got f32[8]" },
    { "break outside of a loop", "break", "T402 1 it stands in no loop" },
    { "break out of a static for", "static for j in 0 .. 2 { break }",
      "T402 26 cannot leave a static for" },
    { "a kernel that returns a value", "return 1", "T402 1 gives no values" },
    { "a step that is not constant", "for j in 0 .. 4 step s { }",
      "T403 1 positive constant, got a value that is known when the kernel runs" },
    { "a step of zero", "for j in 0 .. 4 step 0 { }", "T403 1 positive constant, got 0" },
    { "a loop over floats", "for j in 0 .. 1.5 { }",
      "T107 1 operand last: expected an integer scalar, got a float" },
    { "a function that loads in a reduction",
      "\nfn f(x, y) { return x + load(x, [0], [1]) }\nkernel k(a: f32[N]) { x = reduce(f, [load(a, "
      "[0], [8])], 0, [0.0]) }",
      "T302 2:25 expected a tensor" },
    { "a function of too few values",
      "\nfn f(x, y) { return x, y }\nkernel k(a: f32[N]) { x = reduce(f, [load(a, [0], [8])], 0, "
      "[0.0]) }",
      "T404 3:27 gives 2 values, expected 1" },
    { "a static for over what is not known", "static for j in 0 .. s { }",
      "T505 22 where the loop ends: expected a constant integer" },
    { "a static for of too many iterations", "static for j in 0 .. 100000 { }",
      "T406 1 more than 4096 iterations" },
    { "an assertion that fails when it is compiled", "assert(1 > 2, \"never\")", "T407 1 never" },
    // Names, constants, calls
    { "a name that is not bound", "x = y", "T501 5 nothing binds y" },
    { "a name of one arm only", "if s > 0 { x = 1.0 }\ny = x",
      "T405 2:5 only one arm of an if binds x" },
    { "a loop's variable bound again", "for j in 0 .. 4 { j = 1 }",
      "T502 19 j cannot be bound again" },
    { "a constant bound again", "\nkernel k(a: f32[N]) const B = 4 { B = 5 }",
      "T502 2:35 B cannot be bound again" },
    { "a parameter named like a dimension", "\nkernel k(a: f32[n], n: i64) { }",
      "T502 2:21 parameter: n is bound already" },
    { "two kernels of a name", "\nkernel k() { }\nkernel k() { }", "T502 3:8 two of the name k" },
    { "a function of the language's name", "\nfn exp(x) { return x }\nkernel k() { }",
      "T502 2:4 exp is a call of the language" },
    { "a function of a dtype's name", "\nfn f16(x) { return x }\nkernel k() { }",
      "T502 2:4 f16 is a dtype of the language" },
    { "two parameters of a name", "\nfn f(x, x) { return x }\nkernel k() { }",
      "T502 2:4 two of its parameters have the name x" },
    { "a call whose name is that of a value", "sum = 3\nx = sum(y)", "T501 2:9 nothing binds y" },
    { "a loop's variable that is a dtype", "for i8 in 0 .. 4 { }",
      "T502 1 i8 is a dtype of the language" },
    { "a parameter that is a dtype", "\nkernel k(u8: i16[3]) { }",
      "T502 2:10 u8 is a dtype of the language" },
    { "an error before calls within calls", "x = y\nz = exp(sqrt(where(x > 0, x, 1)))",
      "T501 5 nothing binds y" },
    { "a call within a call that gives nothing", "x = exp(store(a, [0], 1.0))",
      "T508 9 store: gives 0 values" },
    { "a call of nothing", "x = frob(1)", "T503 5 there is no function frob" },
    { "a name that is misspelt", "scale = 1.0\nx = scael", "T501 2:5 did you mean scale?" },
    { "a name unlike all others", "scale = 1.0\nx = width", "T501 2:5 nothing binds width" },
    { "a call that is misspelt", "x = laod(a, [0], [8])", "T503 5 did you mean load?" },
    { "a function that is misspelt",
      "\nfn normalise(x) { return x }\nkernel k(s: i32) { y = normalize(s) }",
      "T503 3:24 did you mean normalise?" },
    { "a call of a value", "x = s(1)", "T503 5 s is not a function" },
    { "too many arguments", "x = sin(1.0, 2.0)", "T504 14 expected at most 1 arguments" },
    { "too few arguments", "x = load(a)", "T504 5 expected 3 arguments, got 1" },
    { "an argument that is not there", "x = load(a, [0], [8], padding=1)",
      "T504 23 there is no argument padding" },
    { "an argument twice", "x = load(a, [0], [8], shape=[8])", "T504 29 given twice" },
    { "an axis that is not constant", "x = sum(zeros(f32, [4]), s)",
      "T505 26 expected a constant integer, got a value that is known when the kernel runs" },
    { "a constant of a dimension", "\nkernel k(a: f32[N]) const B = N { }",
      "T501 2:31 nothing binds N" },
    { "a function that calls itself", "\nfn f(x) { return f(x) }\nkernel k(s: i32) { y = f(s) }",
      "T507 2:18 it calls itself" },
    { "two names for one value", "x, y = s", "T508 1 2 names for 1 value" },
    { "a value of a call that gives none", "x = store(a, [0], 1.0)", "T508 1 gives no value" },
    { "a division by zero", "x = 1 // 0", "T509 7 a division by zero" },
    { "a constant beyond 64 bits", "x = 18446744073709551615 + 1",
      "T509 26 out of the range of 64 bits" },
    // Host expressions
    { "a grid with a division of floats", "\nkernel k(a: f32[N]) grid N / 2 { }",
      "T701 2:28 write // or cdiv" },
    { "a grid of a float", "\nkernel k(a: f32[N], x: f32) grid x { }",
      "T701 2:34 expected a dimension" },
    { "four grid axes", "\nkernel k(a: f32[N]) grid N, N, N, N { }", "T702 2:35 got 4" },
    { "a constant extent below zero", "\nkernel k(a: f32[N, 2 - 3]) { }",
      "T206 2:22 a: axis 1: expected an extent of 0 or more, got -1" },
    { "a constant grid below zero", "\nkernel k(a: f32[N]) grid N, -1 { }",
      "T703 2:29 axis 1: expected 0 to 65535, got -1" },
    { "a constant grid that is too large", "\nkernel k() const B = 2 grid B * 1073741824 { }",
      "T703 2:31 axis 0: expected 0 to 2147483647, got 2147483648" },
    { "a fact that no constants keep", "\nkernel k(a: f32[N]) const B = 6 where B % 4 == 0 { }",
      "T704 2:45 where: B % 4 == 0 does not hold" },
    { "a division by zero on the host", "\nkernel k(a: f32[N]) where N < 4 // 0 { }",
      "T509 2:33 a division by zero" },
    { "an overflow on the host", "\nkernel k() grid 9223372036854775807 + 1 { }",
      "T509 2:37 beyond 64 bits" },
    { "an alignment that is not a power of two", "\nkernel k(a: f32[N]) where align(a, 12) { }",
      "T701 2:27 power of two" },
};

static struct tile_module *parse(const char *text)
{
    return tile_parse("p.tile", text, strlen(text), NULL, 0);
}

CASE("parse");

TEST_ROWS(errors_have_their_code_location_and_text, wrongs)
{
    const struct wrong *w = &wrongs[_i];
    char text[2048], code[8];
    unsigned line = 1, column = 0;
    int used = 0;
    bool whole = w->body[0] == '\n';

    snprintf(text, sizeof(text), whole ? "%s" : IN_KERNEL "%s}", w->body);
    if (sscanf(w->says, "%7s %u:%u %n", code, &line, &column, &used) != 3) {
        line = 1;
        ck_assert_int_eq(sscanf(w->says, "%7s %u %n", code, &column, &used), 2);
    }
    if (!whole && line == 1)
        column += (unsigned)strlen(IN_KERNEL);
    struct tile_module *module = parse(text);
    ck_assert_ptr_nonnull(module);
    const char *all = tile_diagnostics_text(module, false);
    const struct tile_diagnostic *first = module->diagnostics->first;
    ck_assert_msg(first != NULL, "%s: nothing was told", w->name);
    ck_assert_msg(strcmp(tile_code_name(first->code), code) == 0, "%s: expected %s\n%s", w->name,
                  code, all);
    ck_assert_msg(first->where.line == line && first->where.column == column,
                  "%s: expected %u:%u\n%s", w->name, line, column, all);
    ck_assert_msg(strstr(first->text, w->says + used), "%s: expected \"%s\"\n%s", w->name,
                  w->says + used, all);
    ck_assert_msg(module->diagnostics->errors == 1, "%s: expected one error\n%s", w->name, all);
    tile_module_free(module);
}

TEST(each_error_of_a_source_is_reported_once)
{
    struct tile_module *module = parse("kernel k(s: i32) {\n"
                                       "    x = y + 1\n"  // y
                                       "    z = x * y\n"  // already reported
                                       "    w = exp(s)\n" // s
                                       "    v = w + x\n"  // caused by an earlier error
                                       "    t = sum(zeros(f32, [4]), 7)\n"
                                       "    if q { }\n"
                                       "    for j in 0 .. s { frob(j) }\n"
                                       "}\n");
    unsigned lines[] = { 2, 4, 6, 7, 8 }, i = 0;

    ck_assert_uint_eq(module->diagnostics->errors, 5);
    for (const struct tile_diagnostic *d = module->diagnostics->first; d; d = d->next)
        ck_assert_uint_eq(d->where.line, lines[i++]);
    tile_module_free(module);
}

// A source and its errors, one per line; none of the errors is caused by another.
static const struct {
    const char *name, *text;
    unsigned line[8];
} many_errors[] = {
    { "behind a return of a kernel",
      "kernel k(a: f32[N]) {\nreturn\nx = y\nz = x + 1\nstore(a, [0, 0], 1.0)\n}",
      { 3, 5 } },
    { "behind a break and a continue",
      "kernel k(n: i32) {\nfor j in 0 .. n { break\nx = y\ncontinue\nx = z }\n}",
      { 3, 5 } },
    { "behind the return of a function, whose value it is not",
      "fn f(x) { return x\ny = q\nreturn y\n}\nkernel k(s: i32) {\nz = f(s) + f(s)\nif z { }\n}",
      { 2, 7 } },
    { "in arms behind a return",
      "kernel k(s: i32) {\nif s > 0 { return\nx = y\n} else {\nx = z }\n}",
      { 3, 5 } },
    { "behind an if that is left in both arms",
      "kernel k(a: f32[N], s: i32) {\nif s > 0 { x = 1.0; return } else { x = 2.0; return }\n"
      "store(a, [0], x)\nstore(a, [0], y)\n}",
      { 4 } },
    { "behind a static for that returns",
      "kernel k(a: f32[N]) {\nstatic for j in 0 .. 2 { return\nx = y\n}\nx = z\n}",
      { 3, 5 } },
    { "in a loop whose bound is wrong",
      "kernel k(s: i32) {\nx = 1\nfor j in 0 .. q {\nx = j + y\nif s { }\nbreak }\nz = x\n}",
      { 3, 4, 5 } },
    { "in a loop that carries what is wrong",
      "kernel k(s: i32) {\nx = q\nwhile s > 1 {\nx = x + 1\ny = z }\n}",
      { 2, 5 } },
    { "in a static for over what is not known",
      "kernel k(s: i32) {\nstatic for j in 0 .. s {\nx = j + 1\ny = z\nbreak }\n}",
      { 2, 4, 5 } },
    { "in the arms of an if whose condition is not a bool",
      "kernel k(s: i32) {\nif s {\nx = y\nz = 1 } else {\nbreak }\nw = x + z\n}",
      { 2, 3, 5 } },
    { "in arms, which bind a name all the same",
      "kernel k(s: i32) {\nif s > 0 {\nx = y } else { x = 1 }\nz = x\n}",
      { 3 } },
    { "a loop's variable bound in both arms",
      "kernel k(s: i32) {\nfor j in 0 .. s { if j > 2 {\nj = 1 } else {\nj = 2 }\n}\n}",
      { 3, 4 } },
    { "of a condition that may have been a constant the arms are not read",
      "kernel k(s: i32) {\nif FAST { x = fast(s) } else { x = s }\nz = x\n}",
      { 2 } },
    { "behind a string without its end",
      "kernel k(s: i32) {\nif s > 0 { print(\"{}, s) }\n\nelse { x = y }\n\nz = w\n}\nkernel l() { "
      "x = y "
      "}",
      { 2, 4, 6, 8 } },
    { "of a condition with an error, nothing about the calls in the arms",
      "kernel k(a: f32[N]) {\nif q > 0.0 { store(a, [0], 1.0) } else { print(\"no\") }\n"
      "while r > 0.0 { store(a, [0], 1.0) }\nfor j in 0 .. t { store(a, [0], 1.0) }\n"
      "static for j in 0 .. u { store(a, [0], 1.0) }\n"
      "if zeros(bool, [8]) { store(a, [0], 1.0) }\n}",
      { 2, 3, 4, 5, 6 } },
    { "of names that are keywords, once for each place",
      "kernel k(a: f32[N]) {\nx, step = 1, 2\ny = x\nstep += 1\n}",
      { 2, 4 } },
    { "of a name that only an expression in an extent has, once",
      "kernel k(a: f32[N], b: i32[G + 1])\ngrid G {\nx = G\n}",
      { 1 } },
    { "in a head",
      "kernel k(a: f32[\n-1], b: i32[N])\nwhere 3 > 4,\nN > 4 // 0\ngrid -1,\n"
      "70000,\n65536 { }",
      { 2, 3, 4, 5, 6, 7 } },
};

TEST_ROWS(errors_in_unreachable_code_are_reported, many_errors)
{
    struct tile_module *module = parse(many_errors[_i].text);
    const char *all = tile_diagnostics_text(module, false);
    unsigned i = 0;

    for (const struct tile_diagnostic *d = module->diagnostics->first; d; d = d->next) {
        if (d->severity != TILE_ERROR)
            continue;
        ck_assert_msg(i < 8 && d->where.line == many_errors[_i].line[i], "%s: error %u\n%s",
                      many_errors[_i].name, i, all);
        i++;
    }
    ck_assert_msg(i == 8 || !many_errors[_i].line[i], "%s: too few\n%s", many_errors[_i].name, all);
    tile_module_free(module);
}

TEST(code_after_a_misplaced_break_is_checked)
{
    struct tile_module *module = parse("kernel k() {\n    break\n    x = y\n}\n");

    ck_assert_uint_eq(module->diagnostics->errors, 2);
    ck_assert_int_eq(module->diagnostics->first->code, TILE_T402);
    ck_assert_int_eq(module->diagnostics->first->next->code, TILE_T501);
    tile_module_free(module);
}

#define TEN(x) x x x x x x x x x x

// A source: `before`, then `times` copies of `part`, then `after`. `part` is a format that may take
// the copy's number and the previous copy's.
static const struct {
    const char *name, *before, *part, *after;
    int times;
    const char *expected; // text of the only error; NULL: no error
} large[] = {
    { "a sum of many", "kernel k(s: i32) { x = s", " + s", " }", 400, NULL },
    { "a sum of too many", "kernel k(s: i32) { x = s", " + s", "\ny = x }", 20000, "T006" },
    { "a power of powers", "kernel k() { x = 2.0", " ** 1.0", " }", 20000, "T006" },
    { "parts of parts", "kernel k() { x = zeros(f32, [4])", "[:]", " }", 20000, "T006" },
    { "signs before signs", "kernel k() { x = ", "-", "1 }", 20000, "T006" },
    { "a condition of many", "kernel k(s: i32) { if s > 0", " and s > 0", " { } }", 20000, "T006" },
    { "a grid of many", "kernel k(a: i32[N]) grid N", " + N", " { }", 20000, "T006" },
    { "functions in functions", "fn g0(x) { return x }\n", "fn g%d(x) { return g%d(x) }\n",
      "kernel k(s: i32) { x = g5000(s) }", 5000, "T006" },
    { "functions that double", "fn g0(x) { return x }\n", "fn g%d(x) { return g%d(x) + g%d(x) }\n",
      "kernel k(s: i32) { x = g40(s) }", 40, "T007" },
    { "a fact of calls in calls", "kernel k(a: i32[N]) where ", "cdiv(",
      "N" TEN(", 2)") TEN(", 2)") TEN(", 2)") TEN(", 2)") " > 0 { }", 40, NULL },
    { "functions of blocks in blocks", "fn g0(x) { return x }\n",
      "fn g%d(x) { " TEN("if x > 0 { ") TEN("if x > 0 { ") "x = g%d(x) " TEN("} ")
          TEN("} ") "\nreturn x }\n",
      "kernel k(s: i32) { x = g40(s) }", 40, "T006" },
    { "loops unrolled in loops", "kernel k(s: i32) { ", "static for j%d in 0 .. 4096 { ", "} } } }",
      3, "T007" },
};

TEST_ROWS(a_large_program_is_refused_before_it_exhausts_stack_or_time, large)
{
    size_t room = 1 << 20;
    char *text = malloc(room), *end = text;
    ck_assert_ptr_nonnull(text);

    end += sprintf(end, "%s", large[_i].before);
    for (int i = 1; i <= large[_i].times; i++)
        end += snprintf(end, room - (size_t)(end - text), large[_i].part, i, i - 1, i - 1);
    snprintf(end, room - (size_t)(end - text), "%s", large[_i].after);
    struct tile_module *module = parse(text);
    const struct tile_diagnostic *first = module->diagnostics->first;
    ck_assert_uint_eq(module->diagnostics->errors, large[_i].expected ? 1 : 0);
    if (large[_i].expected)
        ck_assert_msg(strcmp(tile_code_name(first->code), large[_i].expected) == 0, "%s: %s",
                      large[_i].name, first->text);
    tile_module_free(module);
    free(text);
}

TEST(facts_are_printed_with_the_brackets_that_they_need)
{
    static const char *const facts[] = {
        "N % (N - 3) == 0",
        "N - M - (N - 1) > 0",
        "(N > 3) == (M > 3)",
        "-(N - M) * 2 < 4",
        "not (N > 1 or M > 1) and N < cdiv(M, N - 1)",
    };

    for (size_t i = 0; i < CUC_LENGTH(facts); i++) {
        char text[256];
        snprintf(text, sizeof(text), "kernel k(a: f32[N, M]) where %s { }", facts[i]);
        struct tile_module *module = parse(text);
        ck_assert_uint_eq(module->diagnostics->errors, 0);
        ck_assert_str_eq(module->first->fact[0].text, facts[i]);
        tile_module_free(module);
    }
}

TEST(at_most_twenty_errors_are_reported_and_the_rest_counted)
{
    char text[4096] = "kernel k() {\n";

    for (int i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "    x%d = y%d\n", i, i);
    strcat(text, "}\n");
    struct tile_module *module = parse(text);
    ck_assert_uint_eq(module->diagnostics->errors, 30);
    ck_assert_ptr_nonnull(strstr(tile_diagnostics_text(module, false), "10 more errors"));
    tile_module_free(module);
}

TEST(an_error_in_a_function_shows_where_it_was_called)
{
    struct tile_module *module = parse("fn f(x) { return exp(x) }\n"
                                       "fn g(x) { return f(x) }\n"
                                       "kernel k(s: i32) {\n"
                                       "    y = g(s)\n"
                                       "}\n");
    const char *text = tile_diagnostics_text(module, false);

    ck_assert_ptr_nonnull(strstr(text, "p.tile:1:18: error T101: exp: operand x: expected"));
    ck_assert_ptr_nonnull(strstr(text, "p.tile:2:18: note: called from here"));
    ck_assert_ptr_nonnull(strstr(text, "p.tile:4:9: note: called from here"));
    tile_module_free(module);
}

TEST(a_caret_marks_the_location)
{
    struct tile_module *module = parse("kernel k(s: i32) {\n\tx = y\n}\n");

    ck_assert_str_eq(tile_diagnostics_text(module, false),
                     "p.tile:2:6: error T501: name: nothing binds y\n    \tx = y\n    \t    ^\n");
    tile_module_free(module);
}

TEST(a_type_that_a_loop_changes_is_reported_with_both_locations)
{
    struct tile_module *module = parse("kernel k(n: i32) {\n"
                                       "    x = zeros(f32, [4])\n"
                                       "    for j in 0 .. n {\n"
                                       "        x = zeros(f16, [4])\n"
                                       "    }\n"
                                       "}\n");
    const char *text = tile_diagnostics_text(module, false);

    ck_assert_ptr_nonnull(strstr(text, "p.tile:4:13: error T401: x: expected f32[4]"));
    ck_assert_ptr_nonnull(strstr(text, "p.tile:2:9: note: it is f32[4] here"));
    tile_module_free(module);
}

// Settings

static const struct {
    const char *name, *setting, *expected; // part of a dump, or of the diagnostics
    const char *second;                    // setting; NULL: none
} settings[] = {
    { "an integer", "BN=2048", "[_, 2048]", NULL },
    { "an integer in hexadecimal", "BN=0x400", "[_, 1024]", NULL },
    { "a dtype", "T=f16", "x: f16[M, N]", NULL },
    { "a name that no kernel has", "WIDTH=4",
      "T506: setting: WIDTH=4: no kernel has that constant: expected one of T, BN", NULL },
    { "a name that is misspelt", "BNN=4",
      "T506: setting: BNN=4: no kernel has that constant: did you mean BN?", NULL },
    { "a kernel that is not there", "max.BN=4",
      "T506: setting: max.BN=4: no kernel has that constant", NULL },
    { "no value", "BN", "T506: setting: BN: expected NAME=VALUE", NULL },
    { "a constant set twice", "BN=2048", "T506: setting: BN=4096: that constant is set already",
      "BN=4096" },
    { "two constants", "BN=2048", "[_, 2048]", "T=f16" },
    { "a dtype for an integer", "BN=f32", "T506: setting: BN=f32: expected an integer", NULL },
    { "an integer for a dtype", "T=4", "T506: setting: T=4: expected a dtype", NULL },
    { "a float for an integer", "BN=1.5", "T506: setting: BN=1.5: expected an integer", NULL },
    { "nothing", "BN=", "T506: setting: BN=: expected an integer", NULL },
};

static char *read_program(const char *name, size_t *bytes)
{
    char path[512];

    snprintf(path, sizeof(path), PROGRAMS "/%s.tile", name);
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s cannot be read", path);
    char *text = malloc(1 << 16);
    ck_assert_ptr_nonnull(text);
    *bytes = fread(text, 1, 1 << 16, f);
    fclose(f);
    return text;
}

TEST_ROWS(a_setting_replaces_a_constant, settings)
{
    size_t bytes;
    char *text = read_program("softmax", &bytes);
    const char *const given[] = { settings[_i].setting, settings[_i].second };
    struct tile_module *module =
        tile_parse("softmax.tile", text, bytes, given, settings[_i].second ? 2 : 1);
    const char *shown = module->diagnostics->errors ? tile_diagnostics_text(module, false)
                                                    : tile_print(module);

    ck_assert_msg(strstr(shown, settings[_i].expected), "%s: expected %s in\n%s", settings[_i].name,
                  settings[_i].expected, shown);
    tile_module_free(module);
    free(text);
}

// Programs

static const char *const programs[] = { "vadd",      "softmax",   "layer_norm",   "gemm_bias_gelu",
                                        "attention", "embedding", "gemm_split_k", "grouped_gemm" };

static struct tile_module *good(const char *text, const char *what)
{
    struct tile_module *module = tile_parse(what, text, strlen(text), NULL, 0);

    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s:\n%s\n%s", what,
                  tile_diagnostics_text(module, false), text);
    return module;
}

// The printed IR must parse to itself, before and after the passes.
static void dump_parses_to_itself(const char *text, const char *name)
{
    for (int simplified = 0; simplified < 2; simplified++) {
        struct tile_module *module = good(text, name);
        for (struct tile_kernel *k = module->first; k && simplified; k = k->next)
            tile_simplify(k);
        const char *dump = tile_print(module);
        struct tile_module *again = good(dump, "a dump");
        ck_assert_str_eq(tile_print(again), dump);
        tile_module_free(again);
        tile_module_free(module);
    }
}

// Host checks, as written and as printed, with the brackets that they need.
static const struct {
    const char *name, *written, *printed; // NULL: the same
} facts[] = {
    { "a comparison", "(N > 3)", "N > 3" },
    { "a sum of differences", "N - 1 + N > N - (1 + N)", NULL },
    { "a product of sums", "(N + 1) * (N - 1) // N % 3 == 0", NULL },
    { "a quotient of a product", "N // (N * 2) >= (N // N) * 2", "N // (N * 2) >= N // N * 2" },
    { "a sign", "-(N + 1) * -N < - -N", "-(N + 1) * -N < --N" },
    { "words", "not (N > 1 and N < 3) or not N > 1 and N != 8", NULL },
    { "a word in a comparison", "(N > 1) == (N > 2 or N > 3)", NULL },
    { "calls", "cdiv((N + 1), 2) * (minimum(N, (2 * N))) > 0",
      "cdiv(N + 1, 2) * minimum(N, 2 * N) > 0" },
    { "signs deeper than brackets may be",
      "----------------------------------------------------------------------------------"
      "----------------------------------------------------------------------------------N < 1",
      NULL },
#define TEN(x) x x x x x x x x x x
    { "a sum of more terms than brackets may be deep", TEN(TEN("N + ") TEN("N - ") "1 + ") "N > 3",
      NULL },
#undef TEN
};

TEST_ROWS(host_checks_are_printed_with_the_brackets_they_need, facts)
{
    char text[4096], expected[4096];

    snprintf(text, sizeof(text), "kernel k(a: f32[N]) where %s grid N { store(a, [0], 1.0) }",
             facts[_i].written);
    snprintf(expected, sizeof(expected), "\n    where %s\n",
             facts[_i].printed ? facts[_i].printed : facts[_i].written);
    struct tile_module *module = good(text, facts[_i].name);
    const char *dump = tile_print(module);
    ck_assert_msg(strstr(dump, expected) != NULL, "%s: expected%sin\n%s", facts[_i].name, expected,
                  dump);
    tile_module_free(module);
    dump_parses_to_itself(text, facts[_i].name);
}

TEST_ROWS(a_program_of_the_language_page_parses_and_so_does_its_dump, programs)
{
    size_t bytes;
    char *text = read_program(programs[_i], &bytes);

    text[bytes] = '\0';
    dump_parses_to_itself(text, programs[_i]);
    free(text);
}

static const struct {
    const char *path;
    int programs; // minimum number of programs
} pages[] = { { PAGE, 14 }, { TILE_PAGE, 1 } };

TEST_ROWS(the_programs_of_the_documentation_parse_and_so_do_their_dumps, pages)
{
    char *page = malloc(1 << 18), name[64];
    FILE *f = fopen(pages[_i].path, "rb");

    ck_assert_msg(page && f, "%s cannot be read", pages[_i].path);
    page[fread(page, 1, (1 << 18) - 1, f)] = '\0';
    fclose(f);
    int count = 0;
    for (char *at = page, *end; (at = strstr(at, "```tile\n")); at = end + 3, count++) {
        at += strlen("```tile\n");
        end = strstr(at, "```");
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        snprintf(name, sizeof(name), "program %d of the page", count);
        dump_parses_to_itself(at, name);
    }
    ck_assert_int_ge(count, pages[_i].programs);
    free(page);
}

static const struct {
    const char *name, *text;
} constructs[] = {
    { "newlines and semicolons", "kernel k(\n  a: f32[N],\n\n b: f32[N])\n\n  grid N\n{\n\n x = 1 "
                                 "+\n 2; y = cast(\n x, f32)\n\n store(b, [0], y)\n}" },
    { "every clause in another order",
      "kernel k(a: f32[N, M]) where N > 0, noalias(a, a), unit(a, 1), align(a, 16) grid cdiv(N, "
      "B), M const B = auto(4, 8), C = B * 2, T = f16, Q = true { x = zeros(T, [B, C]) }" },
    { "extents that are scalar parameters", "kernel k(n: i64, a: f32[n, n + 1, M]) { }" },
    { "an if that is left in both arms",
      "kernel k(a: i32[N], s: i32) { for j in 0 .. s { if j > 2 { break } else { continue } }\n"
      "if s > 3 { return } else { return } }" },
    { "extents that are checked",
      "kernel k(a: f32[G + 1], b: f32[G], c: f32[4, 2 * 3]) { x = a[0] + b[dim(b, 0) - 1] }" },
    { "tensors of rank 0", "kernel k(a: f32[]) { store(a, [], load(a, [], []) + 1.0) }" },
    { "an arm behind one that is left",
      "kernel k(a: i32[N], s: i32) { x = s\n if s > 7 { store(a, [0], x); return } else { x = 1 + "
      "s }\n"
      " if s > 8 { return } else { y = x * 2 }\n store(a, [1], x + y) }" },
    { "code that control does not come to", "kernel k(a: i32[N], s: i32) { for j in 0 .. s { if j "
                                            "> 3 { break; s += 1; continue }\n continue\n"
                                            " while s > 0 { break; s = 3 } }\n static for j in 0 "
                                            ".. 2 { store(a, [j], s); return; s = 2 }\n"
                                            " store(a, [3], s)\n return\n store(a, [4], s) }" },
    { "a function with code behind its return",
      "fn f(x) { y = x + 1\n return y\n z = y * 2\n return z }\nkernel k(a: i32[N], s: i32) { "
      "store(a, [0], "
      "f(s)) }" },
    { "an else if", "kernel k(s: i32, a: i32[N]) { x = 0\n if s > 2 { x = 1 } else if s > 1 { x = "
                    "2 } else { x = s }\n store(a, [0], x) }" },
    { "a constant condition drops the other arm",
      "kernel k(a: f32[N]) const C = false { if C { nonsense(a) } else { store(a, [0], 1.0) } }" },
    { "loops with break and continue",
      "kernel k(n: i32, a: i32[N]) { x = 0\n for j in 0 .. n step 3 { if j == 4 { continue }\n if "
      "j > 9 { break }\n x += j }\n while x > 3 { x -= 1\n if x == 5 { break } }\n store(a, [0], "
      "x) }" },
    { "a loop that binds a name to itself",
      "kernel k(n: i32, a: i32[N]) { x = 1\n for j in 0 .. n { x "
      "= x }\n while x > 3 { x = x; break }\n store(a, [0], x) }" },
    { "values exchanged in a loop", "kernel k(n: i32, a: i32[N]) { x, y = 1, 2\n for j in 0 .. n { "
                                    "x, y = y, x }\n store(a, [0], x); store(a, [1], y) }" },
    { "a loop in a loop", "kernel k(n: i32, a: f32[N]) { x = zeros(f32, [4])\n for j in 0 .. n { "
                          "for l in j .. n { x += 1.0 } }\n store(a, [0], x) }" },
    { "an unrolled loop", "kernel k(a: f32[N]) { x = 0.0\n static for j in 0 .. 3 { x = x + a[j] * "
                          "(j + 1) }\n store(a, [0], x) }" },
    { "a return from a kernel",
      "kernel k(s: i32, a: f32[N]) { if s == 0 { return }\n store(a, [0], 1.0) }" },
    { "functions with several results", "fn two(x) { return x + 1, x * 2 }\nkernel k(a: f32[N]) { "
                                        "p, q = two(a[0])\n store(a, [0], p * q) }" },
    { "named arguments of a function",
      "fn f(x, y) { return x - y }\nkernel k(a: f32[N]) { store(a, [0], f(y=a[0], x=a[1])) }" },
    { "reductions by functions",
      "fn least(v, i, w, j) { c = v < w\n return where(c, v, w), where(c, i, j) }\nkernel k(a: "
      "f32[N]) { v, i = reduce(least, [load(a, [0], [8]), iota(i32, 8)], 0, [inf, 0])\n store(a, "
      "[0], v); p, q = scan(least, [load(a, [0], [8]), iota(i32, 8)], 0, [inf, 0], reverse=true)\n "
      "store(a, [1], p) }" },
    { "every shape op",
      "kernel k(a: f32[N, M]) { x = load(a, [0, 0], [4, 6])\n y = cat(trans(x), permute(x, [1, "
      "0]), 0)\n z = extract(y, [1, 0], [6, 2])\n w = insert(y, [0, 1], z)\n v = take(w, iota(i32, "
      "1), 0) + take(w, zeros(i32, [12, 1]), 1)[None, :, :] * 2.0\n r = roll(shift(w, 2, 0, "
      "pad=1.0), 1, 1) + squeeze(v, 0)\n store(a, [0, 0], r) }" },
    { "hints and orders",
      "kernel k(a: f32[N], b: i32[N]) { x = load(a, [0], [8], pad=nan, latency=4, tma=false, "
      "cache=stream)\n f = load_at(b, [0], [_], order=acquire, scope=device)\n store(a, [1], x, "
      "cache=first)\n store_at(b, [0], f, shape=[_], order=release, scope=system) }" },
    { "atomics", "kernel k(a: i32[N]) { x = iota(i32, 8)\n y = atomic_add(a, [x], 1)\n z = "
                 "atomic_cas(a, [x], 0, y, mask=y > 2, order=acquire, scope=block)\n store_add(a, "
                 "[0], z); store_or(a, [1], z, shape=[8]) }" },
    { "rows", "kernel k(t: f16[V, D], o: f16[R, D], ids: i64[R]) { x = load_rows(t, load(ids, [0], "
              "[4], pad=-1), [1], [8], pad=1.0)\n store_rows(o, load(ids, [0], [4]), [0], x) }" },
    { "slices of slices",
      "kernel k(a: f32[N, M], n: i32) { r = slice(slice(a, 0, n, n + 4), 1, 0, 8)\n store(r, [0, "
      "0], load(r, [0, 0], [4, 8]) + cast(dim(r, 0) * stride(a, 0), f32)) }" },
    { "random numbers, assembly, prints and assertions",
      "kernel k(a: u32[N], n: i32) { p, q, r, s = philox(7, iota(i64, 4))\n t = asm(\"add.u32 $0, "
      "$1, $2;\", u32, [p, q])\n assert(all(t == t), \"a \\\"quoted\\\" text\")\n print(\"n {} t "
      "{}\\n\", n, t)\n store(a, [0], t ^ r ^ s) }" },
    { "casts, bitcasts and assumptions",
      "kernel k(a: f32[N], n: i32) { m = assume(n % 16 == 0)\n x = load_at(a, [m], [4])\n y = "
      "cast(cast(x, bf16), i8, round=rm) + bitcast(cast(x, e5m2), i8)\n store(a, [0], cast(y, "
      "f32)) }" },
    { "roundings, bytes and waits",
      "kernel k(a: f32[N]) { x = load(a, [0], [8])\n grid_dependency_wait()\n y = add(x, 1.5, "
      "round=rz, ftz=true)\n "
      "z = div(y, fma(x, y, x, round=rm), round=approx) + sqrt(x, round=rp) + minimum(x, y, "
      "nan=true, ftz=true)\n "
      "w = cast(cast(tanh(z, round=full), f16, round=rp, ftz=true), f32)\n "
      "grid_dependency_launch()\n "
      "store(a, [0], w + sum(x, 0, round=rm) + prod(x, 0, ftz=true) + max(y, 0, ftz=true) + "
      "bitcast(bitcast(exp(z, round=approx), u8), f32)) }" },
    { "sorts and scans", "kernel k(a: f32[N]) { x = sort(load(a, [0], [8]), 0)\n v, i = topk(x, 3, "
                         "0)\n h = histogram(i, 4)\n store(a, [0], cumsum(x, 0, reverse=true) * "
                         "cumprod(x, 0) + cast(sum(h), f32) + max(v, nan=true)) }" },
    { "ranks", "kernel k(a: i32[N]) { x = load(a, [0], [8])\n p, n = rank(x, 16)\n store(a, [0], "
               "place(x, p) + place(n, iota(i64, 16) - 2, extent=8, pad=-1)) }" },
    { "products", "kernel k(a: f32[B, M, K], b: f32[K, N], c: f32[B, M, N]) { x = load(a, [0, 0, "
                  "0], [2, 4, 8])\n y = load(b, [0, 0], [8, 4])\n z = mma(x, y, x @ y, "
                  "precision=tf32x3)\n store(c, [0, 0, 0], z) }" },
    { "constants of every dtype",
      "kernel k(a: f64[N], b: u64[N], c: bool[N]) { store(a, [0], -inf); store(a, [1], 1e-300); "
      "store(b, [0], 0xffff_ffff)\n store(c, [0], true); x = cast(-9223372036854775807 - 1, i64)\n "
      "store(c, [1], x == 0) }" },
};

TEST_ROWS(a_construct_parses_and_so_does_its_dump, constructs)
{
    dump_parses_to_itself(constructs[_i].text, constructs[_i].name);
}

int main(void)
{
    return run_tests("tile parse");
}
