// Tests each pass by itself: programs that it changes, and programs that it must leave alone.
#include "base/array.h"
#include "tile/compile/compile_steps.h"
#include "tile/layout/assign.h"
#include "tile/layout/fragment.h"
#include "tile/pass/pass.h"
#include "tile/pass/pipeline.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

// Wraps a body in a kernel.
#define HEAD                                                                           \
    "kernel k(a: f32[N], b: f16[4, M], i: i32[N], u: u32[N], n: i32, m: i64, f: f32) " \
    "where noalias(a, u) grid N {\n"

typedef bool pass(struct tile_kernel *kernel);

struct row {
    const char *name;
    pass *run;
    const char *body;
    const char *has, *lacks; // in the printed IR after the pass; NULL: nothing to check
};

static bool everything(struct tile_kernel *kernel)
{
    tile_simplify(kernel);
    return true;
}

static const struct row rows[] = {
    // Folding
    { "integers that wrap", tile_fold, "store(i, [0], cast(2147483647, i32) + cast(1, i32))",
      "cast(-2147483648, i32)", " + " },
    { "a floor division of negatives", tile_fold, "store(i, [0], cast(-7, i32) // cast(2, i32))",
      "cast(-4, i32)", "//" },
    { "a modulo with the divisor's sign", tile_fold, "store(i, [0], cast(-7, i32) % cast(3, i32))",
      "cast(2, i32)", "%" },
    { "no division by zero", tile_fold, "store(i, [0], cast(7, i32) // cast(0, i32))", "//", NULL },
    { "no shift past the width", tile_fold, "store(i, [0], cast(1, i32) << cast(32, i32))", "<<",
      NULL },
    { "floats as f32 rounds them", tile_fold, "store(a, [0], cast(0.1, f32) + cast(0.2, f32))",
      "cast(0.30000001192092896, f32)", " + " },
    { "f16 as f16 rounds it", tile_fold,
      "store(b, [0, 0], cast(cast(2049.0, f32), f16), shape=[_, _])", "cast(2048.0, f16)", NULL },
    { "a cast to 8 bits that saturates", tile_fold,
      "store(a, [0], cast(cast(cast(1000.0, f32), e4m3), f32))", "cast(448.0, f32)", NULL },
    { "comparisons", tile_fold, "store(a, [0], where(cast(1, i32) < cast(2, i32), f, 2.0))", NULL,
      "where" },
    { "tiles all of one value", tile_fold, "store(a, [0], zeros(f32, [8]) + 3.0)", "cast(3.0, f32)",
      " + " },
    { "adding 0 to an integer", tile_fold, "store(i, [0], n + 0)", "store(i, [v0], n", " + " },
    { "not adding 0 to a float, which may be -0", tile_fold, "store(a, [0], f + 0.0)", " + ",
      NULL },
    { "multiplying by 1", tile_fold, "store(a, [0], f * 1.0)", NULL, " * " },
    { "not multiplying a float by 0, which may be NaN", tile_fold, "store(a, [0], f * 0.0)", " * ",
      NULL },
    { "multiplying an integer by 0", tile_fold, "store(i, [0], n * 0)", "cast(0, i32)", " * " },
    { "a difference with itself", tile_fold, "store(i, [0], n - n)", "cast(0, i32)", " - " },
    { "not a difference of floats, which may be NaN", tile_fold, "store(a, [0], f - f)", " - ",
      NULL },
    { "the minimum of a value and itself", tile_fold, "store(a, [0], minimum(f, f))", NULL,
      "minimum" },
    { "and with true", tile_fold,
      "x = true\nif n > 0 { x = n > 3 }\nstore(i, [0], where((n > 1) & cast(1, bool), n, 2))", NULL,
      " & " },
    { "a permutation there and back", everything,
      "store(b, [0, 0], trans(trans(load(b, [0, 0], [4, 8]))))", NULL, "permute" },
    { "permutations that become one", everything,
      "x = reshape(load(a, [0], [24]), [2, 3, 4])\n"
      "store(a, [0], reshape(permute(permute(x, [1, 2, 0]), [1, 2, 0]), [24]))",
      "permute(x, [2, 0, 1])", "[1, 2, 0]" },
    { "reshapes that become one", everything,
      "store(a, [0], reshape(reshape(load(a, [0], [24]), [2, 12]), [24]))", NULL, "reshape" },
    { "a broadcast of a broadcast", everything,
      "store(a, [0], reshape(broadcast(broadcast(f, [4]), [2, 4]), [8]))", "broadcast(f, [2, 4])",
      "[4])" },
    { "a dimension by its name", tile_fold, "store(i, [0], cast(dim(a, 0), i32))", "cast(N, i32)",
      "dim(" },
    { "a static extent", tile_fold, "store(i, [0], cast(dim(b, 0), i32))", "cast(4, i32)", "dim(" },
    { "an if that is known", everything, "x = n\nif cast(1, i32) == 1 { x = 5 }\nstore(i, [0], x)",
      "cast(5, i32)", "if" },
    { "a loop that never runs", everything,
      "x = n\nfor j in 4 .. cast(4, i32) { x = x * 2 }\nstore(i, [0], x)", "store(i, [v0], n",
      "for" },
    { "a loop of nothing that ends", everything, "for j in 0 .. n { }\nstore(a, [0], f)", NULL,
      "for" },
    { "not a loop of nothing that never ends", everything, "while true { }\nstore(a, [0], f)",
      "while true {", NULL },
    { "not one whose values nobody uses", everything,
      "x = n\nwhile true { x += 1 }\nstore(a, [0], f)", "while true {", " + " },
    { "not one in an if", everything, "if n > 3 { while true { } }\nstore(a, [0], f)",
      "while true {", NULL },
    { "not one that ends by a condition", everything, "while n == 0 { }\nstore(a, [0], f)",
      "while true {", NULL },
    // Common subexpressions
    { "the same product twice", everything, "store(a, [0], f * 3.0); store(a, [1], f * 3.0)", NULL,
      "v5 = " },
    { "a sum the other way round", tile_cse,
      "x = f + load_at(a, [0], [_])\ny = load_at(a, [0], [_])\nstore(a, [1], x)", NULL, NULL },
    { "no loads, which a store may come between", tile_cse,
      "x = load(a, [0], [4])\nstore(a, [0], x + 1.0)\ny = load(a, [0], [4])\nstore(a, [1], y)",
      "y = load", NULL },
    { "not what is known in another arm only", everything,
      "x = f\nif n > 0 { x = f * f } else { x = f * f + 1.0 }\nstore(a, [0], x)", "} else {",
      NULL },
    { "0 and -0 are two constants", tile_cse, "store(a, [0], -0.0 + f); store(a, [1], 0.0 + f)",
      "cast(-0.0, f32)", NULL },
    // Hoisting
    { "what does not change in a loop", everything,
      "x = 0.0\nfor j in 0 .. n { x = x + exp(f) }\nstore(a, [0], x)",
      "exp(f)\n    x = v0\n    for", NULL },
    { "out of two loops", everything,
      "x = 0.0\nfor j in 0 .. n { for l in 0 .. n { x = x + exp(f) } }\nstore(a, [0], x)",
      "exp(f)\n    x = v0\n    for", NULL },
    { "not what the loop changes", everything,
      "x = f\nfor j in 0 .. n { x = exp(x) }\nstore(a, [0], x)", "{\n        x_1 = exp(x)", NULL },
    { "not what stands in an if of the loop", everything,
      "x = 0.0\nfor j in 0 .. n { if j == 3 { x = x + exp(f) } }\nstore(a, [0], x)",
      "{\n            v4 = exp(f)", NULL },
    { "a load of a scalar", everything,
      "x = 0.0\nfor j in 0 .. n { x = x + cast(u[3], f32) }\nstore(a, [0], x)",
      "load_at(u, [v2], [_])\n    v4 = cast(v3, f32)\n    x = v0\n    for", NULL },
    { "not one from a tensor that a written one may overlap", everything,
      "x = 0.0\nfor j in 0 .. n { x = x + cast(i[3], f32) }\nstore(a, [0], x)",
      "{\n        v2 = cast(3, i64)\n        v3 = load_at", NULL },
    { "not one that does not check its bounds", everything,
      "x = 0.0\nfor j in 0 .. n { x = x + cast(load_at(u, [3], [_], inside=true), f32) }\nstore(a, "
      "[0], x)",
      "{\n        v2 = cast(3, i64)\n        v3 = load_at", NULL },
    { "not one beside an ordered load", everything,
      "x = 0.0\nfor j in 0 .. n { x = x + cast(u[3], f32) + load_at(a, [j], [_], order=acquire) }\n"
      "store(a, [0], x)",
      "{\n        v2 = cast(3, i64)\n        v3 = load_at", NULL },
    { "not a load of a tile", everything,
      "x = zeros(f32, [8])\nfor j in 0 .. n { x = x + load(a, [0], [8]) }\nstore(a, [0], x)",
      "{\n        v3 = cast(0, i64)\n        v4 = load(a, [v3], [8])", NULL },
    { "not a load, which a store may change", everything,
      "for j in 0 .. n { store(a, [j], load(a, [0], [4])) }", "        v", NULL },
    // Divisions
    { "dividing by a power of two", tile_fold, "store(a, [0], f / 8.0)", "cast(0.125, f32)", "/" },
    { "not dividing by another number", tile_fold, "store(a, [0], f / 10.0)", "/", NULL },
    { "not dividing by what has no inverse", tile_fold, "store(a, [0], f / 0.0)", "/", NULL },
    // Late widening
    { "the largest of f16 in f32", tile_widen_late,
      "store(a, [0], max(cast(load(b, [0, 0], [_, 8]), f32)), shape=[_])", "f32)", "max(v3" },
    { "a change of shape on the way to it", everything,
      "x = reshape(cast(load(b, [0, 0], [_, 8]), f32), [4, 2])\nstore(a, [0], squeeze(max(x, 1), "
      "1))",
      "reshape(v1", NULL },
    { "not a sum, which is rounded", tile_widen_late,
      "store(a, [0], sum(cast(load(b, [0, 0], [_, 8]), f32)), shape=[_])", "sum(v3", NULL },
    // Dead code
    { "a value that nobody uses", tile_drop_dead, "x = exp(f)\nstore(a, [0], f)", NULL, "exp" },
    { "a load that nobody uses", tile_drop_dead, "x = load(a, [0], [4])\nstore(a, [1], f)", NULL,
      "load" },
    { "not a load that acquires", tile_drop_dead,
      "x = load_at(i, [0], [_], order=acquire)\nstore(a, [1], f)", "order=acquire", NULL },
    { "not an atomic operation", tile_drop_dead, "x = atomic_add(i, [0], 1)", "atomic_add", NULL },
    { "a loop that does nothing", everything,
      "x = f\nfor j in 0 .. n { x = exp(x) }\nstore(a, [0], f)", NULL, "for" },
    { "one of two carried values", everything,
      "x, y = f, f\nfor j in 0 .. n { x = x + 1.0\n y = exp(y) }\nstore(a, [0], x)", "for", "exp" },
    { "not a carried value that feeds another", everything,
      "x, y = f, f\nfor j in 0 .. n { x = x + y\n y = exp(y) }\nstore(a, [0], x)", "exp", NULL },
    { "carried values that only feed each other", everything,
      "x, y, z = f, f, f\nfor j in 0 .. n { x = x + 1.0\n y, z = exp(z), y }\nstore(a, [0], x)",
      "for", "exp" },
    { "what an if gives and nobody uses", everything,
      "x, y = f, f\nif n > 0 { x = exp(f)\n y = f + 1.0 }\nstore(a, [0], y)", "if", "exp" },
    { "an if without an effect", everything, "x = f\nif n > 0 { x = exp(f) }\nstore(a, [0], f)",
      NULL, "if" },
    { "not an if that leaves", everything, "if n > 0 { return }\nstore(a, [0], f)", "return",
      NULL },
    { "not a loop that stores", everything, "for j in 0 .. n { store(a, [j], f) }", "for", NULL },
    { "not a break that ends a loop", everything,
      "x = 0\nwhile true { x += 1\n if x > n { break } }\nstore(i, [0], x)", "break", NULL },
    { "not an assertion", everything, "assert(n > 0, \"n\")", "assert", NULL },
};

CASE("passes");

TEST_ROWS(each_pass_changes_programs_as_expected, rows)
{
    const struct row *row = &rows[_i];
    char text[1024];

    snprintf(text, sizeof(text), HEAD "%s\n}\n", row->body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s:\n%s", row->name,
                  tile_diagnostics_text(module, false));
    row->run(module->first);
    ck_assert_msg(tile_verify(module, "the pass"), "%s:\n%s", row->name,
                  tile_diagnostics_text(module, false));
    // Ignore dead code that folding leaves behind.
    if (row->run == tile_fold)
        tile_drop_dead(module->first);
    const char *dump = tile_print(module);
    const char *body = strstr(dump, "\n{\n");
    ck_assert_ptr_nonnull(body);
    ck_assert_msg(!row->has || strstr(body, row->has), "%s: expected \"%s\" in\n%s", row->name,
                  row->has, dump);
    ck_assert_msg(!row->lacks || !strstr(body, row->lacks), "%s: \"%s\" should be gone from\n%s",
                  row->name, row->lacks, dump);
    tile_module_free(module);
}

// ---- Counts powers and quotients whose error does not matter, so that they become approximate

static const struct {
    const char *name, *body;
    uint32_t approximate;
} powers[] = {
    { "one that is rounded to 16 bits",
      "store(b, [0, 0], cast(exp(load(a, [0], [8])), f16), shape=[_, 8])", 1 },
    { "not one that is stored as it is", "store(a, [0], exp(load(a, [0], [8])))", 0 },
    { "not one that is stored as it is, too",
      "e = exp(load(a, [0], [8]))\nstore(a, [0], e)\nstore(b, [0, 0], cast(e, f16), shape=[_, 8])",
      0 },
    { "of 2, with a factor",
      "store(b, [0, 0], cast(exp2(load(a, [0], [8])) * f, f16), shape=[_, 8])", 1 },
    { "not one of which something is left",
      "store(b, [0, 0], cast(exp(load(a, [0], [8])) - 1.0, f16), shape=[_, 8])", 0 },
    { "not one that something of any sign is added to",
      "store(b, [0, 0], cast(exp(load(a, [0], [8])) + f, f16), shape=[_, 8])", 0 },
    { "a sum of many", "store(a, [0], sum(exp(load(a, [0], [64]))), shape=[_])", 1 },
    { "not of few", "store(a, [0], sum(exp(load(a, [0], [63]))), shape=[_])", 0 },
    { "not of many that may be negative",
      "store(a, [0], sum(exp(load(a, [0], [64])) * f), shape=[_])", 0 },
    { "a sum of many in parts",
      "e = reshape(exp(load(a, [0], [512])), [64, 8])\nstore(a, [0], sum(sum(e, 1)), shape=[_])",
      1 },
    { "a sum in a loop, summed afterwards",
      "s = zeros(f32, [64])\nfor j in 0 .. n { s = s * 0.5 + exp(load(a, [j], [64])) }\n"
      "store(a, [0], sum(s), shape=[_])",
      1 },
    { "not a sum in a loop that may begin below 0",
      "s = full(f32, [64], f)\nfor j in 0 .. n { s = s + exp(load(a, [j], [64])) }\n"
      "store(a, [0], sum(s), shape=[_])",
      0 },
    { "not one that a loop raises again",
      "s = load(a, [0], [64])\nfor j in 0 .. n { s = exp(s) }\nstore(a, [0], sum(s), shape=[_])",
      0 },
    { "a softmax in 16 bits, with its quotient",
      "x = load(a, [0], [64])\ne = exp(x - max(x))\n"
      "store(b, [0, 0], cast(e / sum(e), f16), shape=[_, 64])",
      2 },
    { "a softmax in f32", "x = load(a, [0], [64])\ne = exp(x - max(x))\nstore(a, [0], e / sum(e))",
      0 },
    { "not a quotient of what is exact",
      "x = load(a, [0], [64])\nstore(b, [0, 0], cast(x / f * exp(f), f16), shape=[_, 64])", 1 },
};

static void count_approximate(struct tile_op *op, void *data)
{
    uint32_t *count = data;

    *count += tile_int(op, TILE_ATTR_APPROXIMATE, 0) != 0;
}

TEST_ROWS(approximations_are_enough_for_few_digits, powers)
{
    char text[1024];
    uint32_t count = 0;

    snprintf(text, sizeof(text), HEAD "%s\n}\n", powers[_i].body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s:\n%s", powers[_i].name,
                  tile_diagnostics_text(module, false));
    tile_simplify(module->first);
    tile_mark_approximate(module->first);
    tile_walk(&module->first->body, count_approximate, &count);
    ck_assert_msg(count == powers[_i].approximate, "%s: expected %u, got %u", powers[_i].name,
                  powers[_i].approximate, count);
    tile_module_free(module);
}

// ---- Counts rematerialized conversions: a row of 64 is kept in 16 bits and widened again

static const struct {
    const char *name, *body;
    uint32_t again;
} widened[] = {
    { "once behind each time that the row comes together",
      "x = cast(load(b, [0, 0], [_, 64]), f32)\ne = exp(x - sum(x))\n"
      "store(b, [0, 0], cast(e / sum(e), f16), shape=[_, 64])",
      2 },
    { "once for all that is made of it there",
      "x = cast(load(b, [0, 0], [_, 64]), f32)\ns = sum(x)\n"
      "store(a, [0], (x - s) * (x + s))",
      1 },
    { "not in front of it", "x = cast(load(b, [0, 0], [_, 64]), f32)\nstore(a, [0], x * x)", 0 },
    { "not what has 32 bits", "x = load(a, [0], [64])\nstore(a, [0], x - sum(x))", 0 },
    { "not short rows", "x = cast(load(b, [0, 0], [_, 63]), f32)\nstore(a, [0], x - sum(x))", 0 },
    { "not what takes long",
      "x = cast(load(b, [0, 0], [_, 64]), f32)\ny = sin(x)\nstore(a, [0], y - sum(y))", 0 },
};

static void count_again(struct tile_op *op, void *data)
{
    uint32_t *count = data;

    *count += tile_int(op, TILE_ATTR_REMATERIALIZED, 0) != 0;
}

TEST_ROWS(long_rows_are_rematerialized, widened)
{
    char text[1024];
    uint32_t count = 0;

    snprintf(text, sizeof(text), HEAD "%s\n}\n", widened[_i].body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s:\n%s", widened[_i].name,
                  tile_diagnostics_text(module, false));
    tile_simplify(module->first);
    tile_mark_approximate(module->first);
    ck_assert_int_eq(tile_rematerialize(module->first, 64), widened[_i].again != 0);
    ck_assert(tile_verify(module, "the pass"));
    tile_walk(&module->first->body, count_again, &count);
    ck_assert_msg(count == widened[_i].again, "%s: expected %u, got %u in\n%s", widened[_i].name,
                  widened[_i].again, count, tile_print(module));
    tile_module_free(module);
}

// The number of resident blocks of 8 warps that a kernel requests, for rows of 8192.
static const struct {
    const char *name, *body;
    uint32_t blocks;
} rooms[] = {
    { "a row that waits", "x = load(a, [0], [8192])\nstore(a, [0], x - sum(x))", 4 },
    { "two rows that wait",
      "x, y = load(a, [0], [8192]), load(a, [1], [8192])\nstore(a, [0], x * sum(x * y) - y)", 0 },
    { "a row that is only summed", "store(a, [0], sum(load(a, [0], [8192])), shape=[_])", 0 },
    { "a row that moves between threads",
      "x = load(a, [0], [8192])\nstore(a, [0], shift(x, 1, 0) - sum(x))", 0 },
    { "a row with control flow", "x = load(a, [0], [8192])\nif n > 0 { store(a, [0], x - sum(x)) }",
      0 },
};

TEST_ROWS(resident_blocks_are_requested_where_a_row_waits, rooms)
{
    char text[1024];

    snprintf(text, sizeof(text), HEAD "%s\n}\n", rooms[_i].body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s:\n%s", rooms[_i].name,
                  tile_diagnostics_text(module, false));
    tile_simplify(module->first);
    uint32_t blocks = tile_occupancy(module->first, 8);
    ck_assert_msg(blocks == rooms[_i].blocks, "%s: expected %u, got %u", rooms[_i].name,
                  rooms[_i].blocks, blocks);
    tile_module_free(module);
}

// ---- Histograms in loops whose counters stay in shared memory

#define COUNTED(x) "c = c + histogram(" x ", 16)"

static const struct {
    const char *name, *body;
    int arch;
    uint32_t tallies;
} counted[] = {
    { "a loop that adds up a histogram",
      "c = zeros(i32, [16])\nfor j in 0 .. n { " COUNTED("load(i, [j], [64])") " }", 90, 1 },
    { "each of two loops",
      "c = zeros(i32, [16])\nfor j in 0 .. n { " COUNTED(
          "load(i, [j], [64])") " }\n"
                                "for j in 0 .. n { " COUNTED("load(i, [j + n], [64])") " }",
      90, 2 },
    { "one of two histograms, since a block has one set of counters",
      "c, d = zeros(i32, [16]), zeros(i32, [16])\nfor j in 0 .. n { x = load(i, [j], [64])\n"
      "    " COUNTED("x") "\n    d = d + histogram(x + 1, 16) }\nc = c + d",
      90, 1 },
    { "not one in a loop in a loop",
      "c = zeros(i32, [16])\nfor l in 0 .. n { for j in 0 .. n { " COUNTED(
          "load(i, [j + l], [64])") " } }",
      90, 0 },
    { "not one that is read in the loop",
      "c = zeros(i32, [16])\nfor j in 0 .. n { " COUNTED(
          "load(i, [j], [64])") "\n"
                                "    store(i, [j], c) }",
      90, 0 },
    { "not one under a condition",
      "c = zeros(i32, [16])\nfor j in 0 .. n { if j > 2 { " COUNTED("load(i, [j], [64])") " } }",
      90, 0 },
    { "not one of more counters than fit",
      "c = zeros(i32, [16384])\nfor j in 0 .. n { c = c + histogram(load(i, [j], [64]), 16384) }",
      90, 0 },
    { "not with little shared memory",
      "c = zeros(i32, [16])\nfor j in 0 .. n { " COUNTED("load(i, [j], [64])") " }", 86, 0 },
};

static void count_tallies(struct tile_op *op, void *data)
{
    uint32_t *count = data;

    *count += op->kind == TILE_TALLY;
}

TEST_ROWS(counters_of_loops_stay_in_shared_memory, counted)
{
    struct tile_target target;
    char text[1024], why[256];
    uint32_t count = 0;

    ck_assert(tile_target_of(&target, counted[_i].arch, false, why, sizeof(why)));
    snprintf(text, sizeof(text), HEAD "%s\nstore(i, [0], c)\n}\n", counted[_i].body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s:\n%s", counted[_i].name,
                  tile_diagnostics_text(module, false));
    tile_simplify(module->first);
    tile_tally_loops(module->first, &target);
    ck_assert(tile_verify(module, "the pass"));
    tile_walk(&module->first->body, count_tallies, &count);
    ck_assert_msg(count == counted[_i].tallies, "%s: expected %u, got %u in\n%s", counted[_i].name,
                  counted[_i].tallies, count, tile_print(module));
    tile_module_free(module);
}

// ---- The verifier: damage that a pass could do, made by hand

static struct tile_op *find(struct tile_block *block, enum tile_op_kind kind)
{
    for (struct tile_op *op = block->first; op; op = op->next) {
        if (op->kind == kind)
            return op;
        for (uint32_t i = 0; i < op->block_count; i++) {
            struct tile_op *inner = find(op->block[i], kind);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

static void use_later(struct tile_kernel *k)
{
    struct tile_op *add = find(&k->body, TILE_ADD), *store = find(&k->body, TILE_STORE);

    tile_remove(add);
    tile_insert_before(store->next, add);
}

static void replace_with_another_type(struct tile_kernel *k)
{
    tile_set_operand(find(&k->body, TILE_ADD), 0, k->parameter[4].value);
}

static void keep_a_removed_user(struct tile_kernel *k)
{
    struct tile_op *dead = tile_op_create(k, TILE_NEG, 1, 1, 0);

    tile_set_operand(dead, 0, find(&k->body, TILE_ADD)->operand[0]);
}

static void lose_a_use(struct tile_kernel *k)
{
    struct tile_op *add = find(&k->body, TILE_ADD);

    add->operand[0]->use = add->operand[0]->use->next;
}

static void miscount_uses(struct tile_kernel *k)
{
    find(&k->body, TILE_ADD)->result[0]->uses++;
}

static void lose_the_end(struct tile_kernel *k)
{
    tile_remove(k->body.last);
}

static void lose_a_carried_value(struct tile_kernel *k)
{
    find(&k->body, TILE_CONTINUE)->operand_count = 0;
}

static void lose_an_operand(struct tile_kernel *k)
{
    tile_set_operand(find(&k->body, TILE_ADD), 1, NULL);
}

static void use_from_inside_a_loop(struct tile_kernel *k)
{
    struct tile_op *store = find(&k->body, TILE_STORE);

    tile_set_operand(store, store->operand_count - 1, find(&k->body, TILE_ADD)->result[0]);
}

static void take_an_id_twice(struct tile_kernel *k)
{
    find(&k->body, TILE_ADD)->result[0]->id = k->parameter[0].value->id;
}

static const struct {
    void (*damage)(struct tile_kernel *kernel);
    const char *says;
} damages[] = {
    { use_later, "is not made before it is used" },
    { replace_with_another_type, "operand 1 has another dtype than operand 0" },
    { lose_the_end, "a block has no end" },
    { lose_a_carried_value, "0 values for 1 results" },
    { lose_an_operand, "operand 1 is missing" },
    { use_from_inside_a_loop, "is not made before it is used" },
    { take_an_id_twice, "is made twice" },
    { keep_a_removed_user, "counts 2 uses and is 1 operands" },
    { lose_a_use, "is not among the uses of its value" },
    { miscount_uses, "counts 2 uses and is 1 operands" },
};

TEST_ROWS(the_verifier_finds_what_a_pass_broke, damages)
{
    static const char loop[] = HEAD "x = f\nfor j in 0 .. n { x = x + f }\nstore(a, [0], x)\n}\n";
    static const char line[] = HEAD "x = f + 1.0\nstore(a, [0], x)\n}\n";
    const char *text = damages[_i].damage == use_later ? line : loop;
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);

    ck_assert_ptr_nonnull(module);
    ck_assert(tile_verify(module, "nothing"));
    damages[_i].damage(module->first);
    ck_assert(!tile_verify(module, "the damage"));
    const char *all = tile_diagnostics_text(module, false);
    ck_assert_msg(strstr(all, damages[_i].says) && strstr(all, "after the damage") &&
                      strstr(all, "T901"),
                  "expected \"%s\" in\n%s", damages[_i].says, all);
    tile_module_free(module);
}

// Properties that a program's IR has after certain passes, a property that it lacks, and what the
// verifier says about the latter.
enum { AFTER_NOTHING, AFTER_SIMPLIFY, AFTER_FRAGMENTS, AFTER_LAYOUTS };
static const struct {
    int after;
    const char *body;
    uint32_t holds, lacks; // enum tile_property
    const char *says;
} properties[] = {
    { AFTER_NOTHING, "x = f + 1.0\nstore(a, [0], f)", TILE_IR_SOURCE, TILE_IR_SIMPLE, "is dead" },
    { AFTER_NOTHING, "store(a, [0], zeros(f32, [8388608]))", TILE_IR_SOURCE, TILE_IR_SIZED,
      "has too many elements" },
    { AFTER_SIMPLIFY, "x = f + 1.0\nstore(a, [0], f)",
      TILE_IR_SOURCE | TILE_IR_SIMPLE | TILE_IR_SIZED, TILE_IR_LAYOUTS, "has no layout" },
    { AFTER_SIMPLIFY,
      "x = load(b, [0, 0], [64, 64])\nstore(a, [0], sum(sum(mma(x, x, zeros(f32, [64, 64])))), "
      "shape=[_])",
      TILE_IR_SOURCE, TILE_IR_FRAGMENTS, "its accumulators have no layout" },
    { AFTER_FRAGMENTS,
      "x = load(b, [0, 0], [64, 64])\nstore(a, [0], sum(sum(mma(x, x, zeros(f32, [64, 64])))), "
      "shape=[_])",
      TILE_IR_FRAGMENTS, TILE_IR_SOURCE, "of the source form has a layout" },
    { AFTER_LAYOUTS, "for j in 0 .. n { store(a, [j], load(a, [j], [8]) + f) }",
      TILE_IR_FRAGMENTS | TILE_IR_LAYOUTS, TILE_IR_SOURCE, "of the source form has a layout" },
};

TEST_ROWS(a_property_that_a_pass_broke_is_found, properties)
{
    struct tile_target target;
    char text[1024], why[256];

    ck_assert(tile_target_of(&target, 80, false, why, sizeof(why)));
    snprintf(text, sizeof(text), HEAD "%s\n}\n", properties[_i].body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert_msg(!module->diagnostics->errors, "%s", tile_diagnostics_text(module, false));
    struct tile_kernel *kernel = module->first;
    if (properties[_i].after >= AFTER_SIMPLIFY)
        tile_simplify(kernel);
    if (properties[_i].after >= AFTER_FRAGMENTS)
        tile_assign_fragments(kernel, &target, 4);
    if (properties[_i].after >= AFTER_LAYOUTS)
        ck_assert(tile_assign_layouts(kernel, 4, NULL));
    ck_assert_msg(tile_verify_properties(kernel, &target, properties[_i].holds, "nothing"), "%s",
                  tile_diagnostics_text(module, false));
    ck_assert(!tile_verify_properties(kernel, &target, properties[_i].lacks, "the pass"));
    const char *all = tile_diagnostics_text(module, false);
    ck_assert_msg(strstr(all, properties[_i].says) && strstr(all, "after the pass") &&
                      strstr(all, "T901"),
                  "expected \"%s\" in\n%s", properties[_i].says, all);
    tile_module_free(module);
}

// Tiles that are stored 64 rows at a time: the box of a store, last axis first, and the axis and
// step of the next 64 rows.
static const struct {
    const char *shape;
    bool has_box;
    uint32_t box[5], axis, step;
} slabs[] = {
    { "128, 64", true, { 32, 64 }, 0, 64 },
    { "64, 64", true, { 32, 64 }, 0, 64 },
    { "32, 64", false, { 0 }, 0, 0 },
    { "96, 64", false, { 0 }, 0, 0 },
    { "8, 16, 64", true, { 32, 16, 4 }, 0, 4 },
    { "4, 16, 64", true, { 32, 16, 4 }, 0, 4 },
    { "2, 64, 64", true, { 32, 64, 1 }, 0, 1 },
    { "1, 128, 64", true, { 32, 64, 1 }, 1, 64 },
    { "2, 128, 64", false, { 0 }, 0, 0 }, // the next rows follow along two axes
    { "2, 2, 16, 64", true, { 32, 16, 2, 2 }, 0, 2 },
    { "4, 2, 8, 64", true, { 32, 8, 2, 4 }, 0, 4 },
    { "3, 32, 64", false, { 0 }, 0, 0 },
};

static void find_store(struct tile_op *op, void *data)
{
    if (op->kind == TILE_STORE)
        *(const struct tile_op **)data = op;
}

CASE("slabs");

TEST_ROWS(rows_are_stored_in_boxes_of_64, slabs)
{
    char text[256];
    const struct tile_op *store = NULL;
    uint32_t box[5] = { 0 }, axis = 9, step = 9, axes = 1;

    for (const char *s = slabs[_i].shape; *s; s++)
        axes += *s == ',';
    snprintf(text, sizeof(text), "kernel k(o: f32[%s]) {\n    store(o, [%s], zeros(f32, [%s]))\n}",
             axes == 2   ? "9, 9"
             : axes == 3 ? "9, 9, 9"
                         : "9, 9, 9, 9",
             axes == 2   ? "0, 0"
             : axes == 3 ? "0, 0, 0"
                         : "0, 0, 0, 0",
             slabs[_i].shape);
    struct tile_module *m = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_msg(m && !m->diagnostics->errors, "%s", m ? tile_diagnostics_text(m, false) : "");
    tile_walk(&m->first->body, find_store, &store);
    ck_assert_ptr_nonnull(store);
    ck_assert_msg(tile_slab_box(store, 32, box, &axis, &step) == slabs[_i].has_box, "%s",
                  slabs[_i].shape);
    if (slabs[_i].has_box) {
        for (uint32_t i = 0; i < axes; i++)
            ck_assert_msg(box[i] == slabs[_i].box[i], "%s: %u along axis %u", slabs[_i].shape,
                          box[i], axes - 1 - i);
        ck_assert_msg(axis == slabs[_i].axis && step == slabs[_i].step, "%s: %u along axis %u",
                      slabs[_i].shape, step, axis);
    }
    tile_module_free(m);
}

// Operands of a product, and the number of axes of the box from which each is loaded; 0: computed.
static const struct {
    const char *value;
    uint32_t axes;
    bool transposed;
} boxes[] = {
    { "load(a, [0, 0], [16, 8])", 2, false },
    { "trans(load(a, [0, 0], [16, 8]))", 2, true },
    { "trans(trans(load_at(a, [3, 0], [16, 8])))", 2, false },
    { "reshape(load(b, [0, 0, 0], [2, 8, 8]), [16, 8])", 3, false },
    { "trans(reshape(load_at(b, [0, -1, 0], [2, 8, 8]), [16, 8]))", 3, true },
    { "reshape(load(b, [0, 0, 0], [2, 8, 8]), [8, 16])", 0, false }, // rows are split
    { "reshape(load(a, [0, 0], [16, 8]), [8, 16])", 0, false },
    { "load(a, [0, 0], [16, 8]) + 1.0", 0, false },
};

static void find_last(struct tile_op *op, void *data)
{
    if (op->kind == TILE_STORE)
        *(const struct tile_value **)data = op->operand[op->operand_count - 1];
}

TEST_ROWS(an_operand_is_loaded_through_reshapes_and_transposes, boxes)
{
    char text[256];
    const struct tile_value *x = NULL;
    bool transposed = false;

    snprintf(text, sizeof(text),
             "kernel k(a: f32[M, N], b: f32[9, M, N], o: f32[M, N]) {\n"
             "    store(o, [0, 0], %s)\n}",
             boxes[_i].value);
    struct tile_module *m = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_msg(m && !m->diagnostics->errors, "%s", m ? tile_diagnostics_text(m, false) : "");
    tile_walk(&m->first->body, find_last, &x);
    const struct tile_op *load = tile_loaded_box(x, &transposed);
    ck_assert_msg((load != NULL) == (boxes[_i].axes > 0), "%s", boxes[_i].value);
    if (load) {
        ck_assert_uint_eq(tile_attribute(load, TILE_ATTR_SHAPE)->count, boxes[_i].axes);
        ck_assert_int_eq(transposed, boxes[_i].transposed);
    }
    tile_module_free(m);
}

int main(void)
{
    return run_tests("tile passes");
}
