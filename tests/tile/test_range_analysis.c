// Tests the range analysis of integers: bounds and divisors of values by name, and their effects,
// which are vector accesses and omitted masks.
#include "base/array.h"
#include "tile/ir/target.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tile/pass/range_analysis.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST INT64_MIN
#define MOST INT64_MAX
#define EXTENT (INT64_C(1) << 60)

// Wraps a body in a kernel; the test examines x.
#define HEAD                                                                            \
    "kernel k(a: f32[N], b: i32[M, 48], n: i32, m: i64, u: u32, w: u64, h: i8, c: i32)" \
    " where N % 16 == 0, M <= 100 and 3 < M, c % 6 == 0, c % 4 == 0, c >= 0 grid 1 {\n"

static const struct {
    const char *name, *body;
    int64_t low, high;
    uint64_t divisor;
} rows[] = {
    // Sources of values
    { "a constant", "x = cast(-12, i32)", -12, -12, 12 },
    { "zero, which everything divides", "x = cast(0, i64)", 0, 0, 0 },
    { "a scalar argument", "x = n + 0", INT32_MIN, INT32_MAX, 1 },
    { "a scalar of 8 bits", "x = cast(h, i32)", -128, 127, 1 },
    { "a scalar without a sign", "x = cast(u, i64)", 0, UINT32_MAX, 1 },
    { "a scalar of 64 bits without a sign", "x = w + 0", LEAST, MOST, 1 },
    { "one that is as signed as it is large", "x = cast(w, i64)", LEAST, MOST, 1 },
    { "a block of the first axis", "x = block(0)", 0, INT32_MAX + INT64_C(16), 1 },
    { "a block of the second axis", "x = block(1)", 0, 65535 + 16, 1 },
    { "a count", "x = iota(i32, 40)", 0, 39, 1 },
    { "an element of memory", "x = b[0, 0]", INT32_MIN, INT32_MAX, 1 },
    { "where one of two is", "x = argmax(load(b, [0, 0], [4, 16]), 1)", 0, 15, 1 },
    { "counts of a histogram", "x = histogram(load(b, [0, 0], [4, 16]), 8)", 0, 64, 1 },
    { "ranks of digits in range", "x, n = rank(reshape(load(b, [0, 0], [1, 64]), [64]) & 7, 8)", 0,
      63, 1 },
    { "ranks of any digits", "x, n = rank(reshape(load(b, [0, 0], [1, 64]), [64]), 8)", -1, 63, 1 },
    { "counts of digits", "n, x = rank(reshape(load(b, [0, 0], [1, 64]), [64]), 8)", 0, 64, 1 },
    { "placed elements", "x = place(iota(i32, 9), iota(i32, 9), pad=-2)", -2, 8, 1 },
    // Facts
    { "a dimension of which a divisor is known", "x = N + 0", 0, EXTENT, 16 },
    { "a dimension with bounds", "x = M + 0", 4, 100, 1 },
    { "its extent by another name", "x = dim(b, 0)", 4, 100, 1 },
    { "a static extent", "x = dim(b, 1)", 48, 48, 48 },
    { "an argument with two divisors", "x = c + 0", 0, INT32_MAX, 12 },
    { "an assumption", "x = assume(n % 24 == 0)", INT32_MIN, INT32_MAX, 24 },
    { "an assumption about what is known of", "x = assume(c % 8 == 0)", 0, INT32_MAX, 24 },
    { "the extent of a slice", "x = dim(slice(b, 0, n, n + 4), 0)", 0, 100, 1 },
    { "another extent of a slice", "x = dim(slice(b, 0, n, n + 4), 1)", 48, 48, 48 },
    // Arithmetic
    { "a sum", "x = M + 8", 12, 108, 1 },
    { "a sum of multiples", "x = N + 24", 24, EXTENT + 24, 8 },
    { "a sum that may wrap keeps powers of two", "x = assume(n % 24 == 0) + 48", INT32_MIN,
      INT32_MAX, 8 },
    { "a difference", "x = M - 200", -196, -100, 1 },
    { "a product", "x = M * 48", 192, 4800, 48 },
    { "a product of negatives", "x = (M - 50) * -3", -150, 138, 3 },
    { "a product that may wrap", "x = n * 12", INT32_MIN, INT32_MAX, 4 },
    { "a negative", "x = -M", -100, -4, 1 },
    { "a size", "x = abs(M - 50)", 0, 50, 1 },
    { "a size that may wrap", "x = abs(n)", INT32_MIN, INT32_MAX, 1 },
    { "a quotient", "x = M // 8", 0, 12, 1 },
    { "a quotient rounded up", "x = cdiv(M, 8)", 1, 13, 1 },
    { "a quotient of negatives", "x = (M - 100) // 8", -12, 0, 1 },
    { "a quotient of a multiple", "x = N // 4", 0, EXTENT / 4, 4 },
    { "a quotient of 64 bits", "x = m // 2", LEAST / 2, MOST / 2, 1 },
    { "a quotient by what is not known", "x = M // m", LEAST, MOST, 1 },
    { "a rest", "x = m % 12", 0, 11, 1 },
    { "a rest of a multiple", "x = N % 24", 0, 23, 8 },
    { "a rest of what is smaller", "x = M % 128", 4, 100, 1 },
    { "the lesser", "x = minimum(M, 32)", 4, 32, 1 },
    { "the greater", "x = maximum(N, 32)", 32, EXTENT, 16 },
    { "bits", "x = n & 12", 0, 12, 4 },
    { "bits of negatives", "x = n & -16", INT32_MIN, INT32_MAX, 16 },
    { "a shift up", "x = M << 3", 32, 800, 8 },
    { "a shift down", "x = M >> 2", 1, 25, 1 },
    { "a shift by what is not known", "x = n << n", INT32_MIN, INT32_MAX, 1 },
    { "a cast that fits", "x = cast(M, i8)", 4, 100, 1 },
    { "a cast that may wrap", "x = cast(N * 3, i32)", INT32_MIN, INT32_MAX, 16 },
    { "one of two", "x = where(n > 0, M, 200)", 4, 200, 1 },
    { "u64 that is small", "x = cast(M, u64) * 8", 32, 800, 8 },
    { "u64 that may not be", "x = cast(M, u64) - 50", LEAST, MOST, 1 },
    // Tiles
    { "rows of a tile", "x = (iota(i32, 8) * 4)[:, None] + iota(i32, 2) * 2", 0, 30, 2 },
    { "a sum of elements", "x = sum(iota(i32, 8) * 4)", 0, 224, 4 },
    { "the largest element", "x = max(iota(i32, 8) * 4)", 0, 28, 4 },
    { "tiles side by side", "x = cat(iota(i32, 8), full(i32, [8], -2), 0)", -2, 7, 1 },
    { "what is moved in", "x = shift(iota(i32, 8), 1, 0, pad=-1)", -1, 7, 1 },
    // Control flow
    { "a loop's variable", "for i in 8 .. M step 8 { x = i + 0 }", 8, 99, 8 },
    { "what a loop adds up", "x = 0\nfor i in 0 .. n { x += 8 }", INT32_MIN, INT32_MAX, 8 },
    { "what a loop leaves", "x = 4\nwhile n > 0 { x = minimum(x, n) * 0 + 6\n n -= 1 }", 4,
      INT32_MAX, 2 },
    { "what two loops add up", "x = 0\nfor i in 0 .. n { for j in 0 .. n { x += 4 }\n x += 6 }",
      INT32_MIN, INT32_MAX, 2 },
    { "one of two arms", "x = 0\nif n > 0 { x = 24 } else { x = 40 }\ny = x + 1", 24, 40, 8 },
    { "an arm that leaves", "x = 4\nfor i in 0 .. 9 { if n > 0 { x = 12\n break } }", 4, INT32_MAX,
      4 },
};

// Values whose bounds follow from the limits of tensor maps. `mapped` has a bit for each parameter
// with a map: 1 for a, 2 for b.
static const struct {
    const char *body;
    uint64_t mapped;
    int64_t low, high;
} with_maps[] = {
    { "x = N + 0", 0, 0, EXTENT },
    { "x = N + 0", 1, 1, INT64_C(1) << 30 },
    { "x = N + 0", 2, 0, EXTENT },
    { "x = M + 0", 2, 4, 100 }, // the clauses say more
    { "x = cdiv(N, 64)", 1, 1, INT64_C(1) << 24 },
    { "x = N // 64", 3, 0, INT64_C(1) << 24 },
    { "for i in 0 .. cdiv(N, 64) { x = i * 64 }", 1, 0, (INT64_C(1) << 30) - 64 },
};

struct search {
    const struct tile_value *found;
};

static void look(struct tile_op *op, void *data)
{
    struct search *s = data;

    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->result[i]->name && strcmp(op->result[i]->name, "x") == 0 &&
            (!s->found || !op->parent->parent)) // prefer the last top-level x
            s->found = op->result[i];
}

// Finds x in a kernel with this body, and returns its bounds.
static struct tile_range range_of_x(const char *body, uint64_t maps)
{
    char text[1024];
    struct search s = { NULL };

    snprintf(text, sizeof(text), "%s%s\n}\n", HEAD, body);
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_msg(module && !module->diagnostics->errors, "%s: %s", body,
                  module ? tile_diagnostics_text(module, false) : "no memory");
    struct tile_ranges *ranges = tile_analyze_ranges(module->first, maps, false);
    ck_assert_ptr_nonnull(ranges);
    tile_walk(&module->first->body, look, &s);
    ck_assert_msg(s.found != NULL, "%s: there is no x", body);
    struct tile_range range = tile_range_of(ranges, s.found);
    tile_module_free(module);
    return range;
}

CASE("ranges");

TEST_ROWS(a_tensor_with_a_map_has_few_elements_along_an_axis, with_maps)
{
    struct tile_range range = range_of_x(with_maps[_i].body, with_maps[_i].mapped);

    ck_assert_msg(range.low == with_maps[_i].low && range.high == with_maps[_i].high,
                  "%s: from %lld to %lld", with_maps[_i].body, (long long)range.low,
                  (long long)range.high);
}

TEST_ROWS(bounds_and_divisors_are_found, rows)
{
    struct tile_range range = range_of_x(rows[_i].body, 0);

    ck_assert_msg(range.low == rows[_i].low && range.high == rows[_i].high, "%s: from %lld to %lld",
                  rows[_i].name, (long long)range.low, (long long)range.high);
    ck_assert_msg(range.divisor == rows[_i].divisor, "%s: divided by %llu", rows[_i].name,
                  (unsigned long long)range.divisor);
}

// The PTX of all entries of a kernel.
static const struct {
    const char *name, *source, *has, *lacks;
} codes[] = {
    { "a vector of a multiple by `where`",
      "kernel k(a: f32[N], n: i32) where n % 4 == 0 { store(a, [0], load_at(a, [n], [512])) }",
      "ld.global.v4", NULL },
    { "no vector of what is no multiple",
      "kernel k(a: f32[N], n: i32) where n % 3 == 0 { store_at(a, [1], load_at(a, [n], [512])) }",
      NULL, "global.v4" },
    { "a vector in a loop by fours",
      "kernel k(a: f32[N], n: i32) { x = zeros(f32, [512])\n"
      "for i in 0 .. n step 4 { x += load_at(a, [i], [512]) }\nstore_at(a, [1], x) }",
      "ld.global.v4", NULL },
    { "no mask where the tile is always inside",
      "kernel k(a: f32[N], o: f32[512]) where N >= 512 { store(o, [0], load(a, [0], [512])) }",
      "ld.global.v4", "@" },
    { "masks where it is not",
      "kernel k(a: f32[N], o: f32[512]) where N >= 511 { store(o, [0], load(a, [0], [512])) }", "@",
      NULL },
    { "no mask of rows of which there is a block each",
      "kernel k(x: f32[M, 512], y: f32[M, 512]) grid M { r = block(0)\n"
      "store(y, [r, 0], load(x, [r, 0], [_, 512])) }",
      NULL, "@" },
    { "a mask of rows of another extent",
      "kernel k(x: f32[M, 512], y: f32[N, 512]) grid M { r = block(0)\n"
      "store(y, [r, 0], load(x, [r, 0], [_, 512])) }",
      "@", NULL },
    { "no mask of tiles that the grid has whole",
      "kernel k(x: f32[N], y: f32[M]) where M % 512 == 0 grid N // 512, cdiv(M, 512) {\n"
      "store(y, [block(1)], load(x, [block(0)], [512])) }",
      NULL, "@" },
    { "masks of tiles that it may not",
      "kernel k(x: f32[N], y: f32[N]) where N % 256 == 0 grid cdiv(N, 512) {\n"
      "store(y, [block(0)], load(x, [block(0)], [512])) }",
      "@", NULL },
    { "masks of tiles between those of the grid",
      "kernel k(x: f32[N], y: f32[N]) grid N // 512 {\n"
      "store(y, [block(0)], load(x, [block(0) + 1], [512])) }",
      "@", NULL },
    { "no mask of a grid of constants",
      "kernel k(x: f32[2048], y: f32[2048]) grid 4 {\n"
      "store(y, [block(0)], load(x, [block(0)], [512])) }",
      NULL, "@" },
    { "masks of a grid of constants that is larger",
      "kernel k(x: f32[2047], y: f32[2048]) grid 4 {\n"
      "store(y, [block(0)], load(x, [block(0)], [512])) }",
      "@", NULL },
    { "no clamp of an index that is small",
      "kernel k(a: f32[N]) { i = block(0)\nstore(a, [i * 4], load(a, [i * 4 + 1], [512])) }", NULL,
      "274877906944" },
    { "no division where copies look how many tiles lie inside",
      "kernel k(a: f16[M, K], b: f16[K, N], c: f16[M, N]) grid cdiv(M, 64), cdiv(N, 64) {\n"
      "m, n = block(0), block(1)\nacc = zeros(f32, [64, 64])\n"
      "for i in 0 .. cdiv(K, 32) {\n"
      "acc = mma(load(a, [m, i], [64, 32]), load(b, [i, n], [32, 64]), acc) }\n"
      "store(c, [m, n], cast(acc, f16)) }",
      "cp.async", "div.s64" },
    { "no shared memory for a shift in a warp",
      "kernel k(a: f32[64, 64], o: f32[64, 64]) grid 1 {\n"
      "store(o, [0, 0], shift(load(a, [0, 0], [64, 64]), 1, 1)) }",
      "shfl.sync.idx", "shared" },
    { "no exchange for a shift of whole vectors of registers",
      "kernel k(a: f32[64, 64], o: f32[64, 64]) grid 1 {\n"
      "store(o, [0, 0], roll(load(a, [0, 0], [64, 64]), 64, 1)) }",
      NULL, "shfl" },
    { "a clamp of one that may not be",
      "kernel k(a: f32[N], n: i64) { store(a, [0], load(a, [n // 2], [512])) }", "274877906944",
      NULL },
};

TEST_ROWS(code_uses_the_facts, codes)
{
    struct tile_target target;
    struct tile_compiled out;
    char why[128];
    struct tile_module *module =
        tile_parse("p.tile", codes[_i].source, strlen(codes[_i].source), NULL, 0);

    ck_assert(tile_target_of(&target, 80, false, why, sizeof(why)));
    ck_assert_msg(module && !module->diagnostics->errors && tile_compile(module, &target, &out),
                  "%s: %s", codes[_i].name,
                  module ? tile_diagnostics_text(module, false) : "no memory");
    // Keep only the entry for aligned tensors.
    const char *entry = strstr(out.ptx, ".visible .entry");
    ck_assert_ptr_nonnull(entry);
    const char *end = strstr(entry, "\n}\n");
    char *one = strndup(entry, (size_t)(end - entry));
    ck_assert_msg(!codes[_i].has || strstr(one, codes[_i].has), "%s: no %s in\n%.3000s",
                  codes[_i].name, codes[_i].has, one);
    ck_assert_msg(!codes[_i].lacks || !strstr(one, codes[_i].lacks), "%s: %s in\n%.3000s",
                  codes[_i].name, codes[_i].lacks, one);
    free(one);
    tile_module_free(module);
}

TEST(an_extent_of_a_tensor_with_a_map_is_not_0)
{
    static const char text[] = "kernel k(a: f32[N, 4], b: f32[M]) { x = N\ny = M }";
    struct tile_module *module = tile_parse("p.tile", text, sizeof(text) - 1, NULL, 0);

    ck_assert(module && !module->diagnostics->errors);
    for (uint64_t mapped = 0; mapped < 4; mapped++) {
        struct tile_ranges *ranges = tile_analyze_ranges(module->first, mapped, false);
        const struct tile_parameter *p = module->first->parameter;
        ck_assert_ptr_nonnull(ranges);
        ck_assert_int_eq(tile_range_of_extent(ranges, p[0].value, 0).low, (int)mapped & 1);
        ck_assert_int_eq(tile_range_of_extent(ranges, p[0].value, 1).low, 4);
        ck_assert_int_eq(tile_range_of_extent(ranges, p[1].value, 0).low, (int)mapped >> 1);
    }
    tile_module_free(module);
}

// Entries of a product by name, with limits on their lines, because assembly time grows with
// length.
static const struct {
    const char *entry;
    int most;
} briefs[] = { { "$tma(", 800 }, { "$realigned(", 1350 }, { "$idx64(", 900 } };

static int lines_with(const char *text, const char *end, const char *words)
{
    int count = 0;

    for (const char *at = text; (at = strstr(at, words)) && at < end; at += strlen(words))
        count++;
    return count;
}

// `from` is the start of the loop.
static struct tile_module *compile_product(struct tile_compiled *out, const char *from)
{
    char text[512], why[128];
    struct tile_target target;

    snprintf(text, sizeof(text),
             "kernel k(a: f16[M, K], b: f16[K, N], c: f16[M, N], s: i32) "
             "grid cdiv(M, 128), cdiv(N, 256) {\n"
             "m, n = block(0), block(1)\nacc = zeros(f32, [128, 256])\n"
             "for i in %s .. cdiv(K, 64) {\n"
             "acc = mma(load(a, [m, i], [128, 64]), load(b, [i, n], [64, 256]), acc) }\n"
             "store(c, [m, n], cast(acc, f16)) }",
             from);
    ck_assert(tile_target_of(&target, 90, true, why, sizeof(why)));
    struct tile_module *module = tile_parse("p.tile", text, strlen(text), NULL, 0);
    ck_assert_msg(module && !module->diagnostics->errors && tile_compile(module, &target, out),
                  "%s", module ? tile_diagnostics_text(module, false) : "no memory");
    return module;
}

TEST_ROWS(entries_beside_a_pipeline_are_brief, briefs)
{
    struct tile_compiled out;
    struct tile_module *module = compile_product(&out, "0");
    const char *entry = strstr(out.ptx, briefs[_i].entry);

    ck_assert_ptr_nonnull(entry);
    int lines = lines_with(entry, strstr(entry, "\n}\n"), "\n");
    ck_assert_msg(lines <= briefs[_i].most, "%s...) has %d lines", briefs[_i].entry, lines);
    tile_module_free(module);
}

TEST(a_pipeline_starts_with_zeros_if_its_loop_may_have_no_iteration)
{
    struct tile_compiled out;

    for (int range = 0; range < 2; range++) {
        struct tile_module *module = compile_product(&out, range ? "0" : "s");
        const char *entry = strstr(out.ptx, "$tma("), *end = strstr(entry, "\n}\n");
        int zeros = lines_with(entry, end, ", 0;\n\tmov.b32");
        ck_assert_msg(range ? zeros < 64 : zeros >= 127, "%d registers are 0", zeros);
        tile_module_free(module);
    }
}

int main(void)
{
    return run_tests("tile range analysis");
}
