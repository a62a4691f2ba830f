// Tests the code of loops with several products on sm_90a: counts instructions in the text of the
// entry with roles. test_kernels.c tests the results of such kernels.
#include "base/array.h"
#include "tile/ir/target.h"
#include "tile/compile/compile.h"
#include "tile/ir/diagnostic.h"
#include "tile/front/elaborate.h"
#include "tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tile_module *module;

static void teardown(void)
{
    tile_module_free(module);
    module = NULL;
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    static char text[1 << 16];

    ck_assert_msg(file != NULL, "%s", path);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    return text;
}

// Returns the entry's text, up to the next entry.
static char *entry_of(const char *text, const char *const *settings, uint32_t count,
                      const char *name)
{
    struct tile_compiled compiled = { .ptx = NULL };
    struct tile_target target;
    char why[128];

    module = tile_parse("some.tile", text, strlen(text), settings, count);
    ck_assert_ptr_nonnull(module);
    ck_assert(tile_target_of(&target, 90, true, why, sizeof(why)));
    ck_assert_msg(!module->diagnostics->errors && tile_compile(module, &target, &compiled), "%s",
                  tile_diagnostics_text(module, true));
    char *entry = strstr(compiled.ptx, name);
    ck_assert_msg(entry != NULL, "there is no %s: %s", name, tile_diagnostics_text(module, true));
    char *next = strstr(entry + strlen(name), ".visible .entry ");
    if (next)
        *next = 0;
    return entry;
}

static int count_of(const char *text, const char *what)
{
    int count = 0;

    for (; (text = strstr(text, what)); text += strlen(what))
        count++;
    return count;
}

// The loop body appears twice, for the first iteration and for the others, and each time twice,
// without masks and with masks.
enum { COPIES = 2, ARMS = 2, ROWS_OF_THREAD = 2, STEPS_OF_LANES = 2 };

static const struct {
    const char *settings[4];
    int elements; // number of a thread's scores
} attentions[] = {
    { { "D=64", "CAUSAL=false", "BM=128", "BN=128" }, 64 },
    { { "D=64", "CAUSAL=true", "BM=128", "BN=128" }, 64 },
    { { "D=64", "CAUSAL=false", "BM=192", "BN=128" }, 64 },
    { { "D=64", "CAUSAL=true", "BM=192", "BN=112" }, 56 },
    { { "D=128", "CAUSAL=true", "BM=128", "BN=128" }, 64 },
    { { "D=128", "CAUSAL=false", "BM=128", "BN=96" }, 48 },
    { { "D=256", "CAUSAL=true", "BM=128", "BN=64" }, 32 },
};

// The layout of a tile has powers of two: the code also computes the padding, which nobody uses.
static int with_padding(int elements)
{
    int all = 1;

    while (all < elements)
        all *= 2;
    return all;
}

static const char *attention(int i)
{
    return entry_of(read_text(EXAMPLES "/attention.tile"), attentions[i].settings, 4,
                    "attention$tma(");
}

CASE("attention", .teardown = teardown);

TEST_ROWS(iterations_without_masks_scale_and_subtract_in_one_instruction, attentions)
{
    const char *text = attention(_i);
    int elements = attentions[_i].elements;

    // at least one for each element; the sums of the rows add more
    ck_assert_int_ge(count_of(text, "fma.rn.f32"), COPIES * elements);
    // iterations with masks multiply and subtract instead
    ck_assert_int_ge(count_of(text, "sub.rn.f32"), COPIES * elements);
    ck_assert_int_lt(count_of(text, "sub.rn.f32"), COPIES * (with_padding(elements) + 8));
    ck_assert_int_ge(count_of(text, "ex2.approx.ftz.f32"), COPIES * ARMS * elements);
}

// A score function multiplies once more, at the place of the given text.
static int products_with(const char *place, const char *factors)
{
    static const char *const settings[] = { "D=128", "CAUSAL=false", "BM=128", "BN=128" };
    static char text[1 << 16];
    char *all = read_text(EXAMPLES "/attention.tile"), *at = strstr(all, place);

    ck_assert_ptr_nonnull(at);
    at += strlen(place);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - all), all, factors, at);
    int count = count_of(entry_of(text, settings, 4, "attention$tma("), "mul.rn.f32");
    teardown();
    return count;
}

TEST(iterations_without_masks_join_factors)
{
    static const char place[] = "zeros(f32, [BM, BN])) * c";
    int elements = 64, none = products_with(place, "");

    // iterations with masks multiply as written; the joint factors take a few products of scalars
    ck_assert_int_lt(products_with(place, " * 3.0"), none + COPIES * elements + 8);
    ck_assert_int_lt(products_with(place, " * 3.0 * 0.5"), none + 2 * COPIES * elements + 8);
    // factors of rows are not joined
    ck_assert_int_ge(products_with(place, " * cast(iota(i32, BM)[:, None], f32)"),
                     none + 2 * COPIES * elements);
}

TEST_ROWS(row_sums_are_exchanged_between_lanes_only_after_the_loop, attentions)
{
    const char *text = attention(_i);

    ck_assert_int_eq(count_of(text, "shfl.sync.bfly"),
                     ROWS_OF_THREAD * STEPS_OF_LANES * (COPIES * ARMS + 1));
}

// Counts comparisons of a register with a constant, which test positions in a tile.
static int count_bounds(const char *text)
{
    char predicate[16], place[16], number[16];
    int count = 0;

    for (; (text = strstr(text, "\tsetp.g")); text++)
        if (sscanf(text, "\tsetp.g%*[te].s32 %15[^,], %15[^,], %15[^;]", predicate, place,
                   number) == 3)
            count += place[0] == '%' && number[0] != '%';
    return count;
}

TEST_ROWS(a_mask_takes_one_comparison_per_element, attentions)
{
    const char *text = attention(_i);
    bool causal = strstr(attentions[_i].settings[1], "true") != NULL;
    // Without a bound for each row, only columns are compared.
    int each = COPIES / (causal ? 1 : ROWS_OF_THREAD), elements = attentions[_i].elements;

    ck_assert_int_ge(count_bounds(text), each * elements);
    ck_assert_int_lt(count_bounds(text), each * with_padding(elements) + 8);
    ck_assert_int_lt(count_of(text, "and.pred"), 12);
}

// Broadcasts of warp-uniform values: two of the warpgroup's number. Causal masks add one of the
// warp's number.
enum { OF_ROLES = 2 };

TEST_ROWS(each_warp_tests_whether_its_own_rows_are_masked, attentions)
{
    const char *text = attention(_i);
    bool causal = strstr(attentions[_i].settings[1], "true") != NULL;

    ck_assert_int_eq(count_of(text, "shfl.sync.idx"), causal ? OF_ROLES + 1 : OF_ROLES);
}

TEST_ROWS(rows_with_a_factor_of_one_are_not_multiplied, attentions)
{
    ck_assert_int_eq(count_of(attention(_i), "vote.sync.any.pred"), COPIES);
}

TEST_ROWS(index_divisions_need_no_function_call, attentions)
{
    ck_assert_int_eq(count_of(attention(_i), "div.s64"), 0);
}

// The maximum of a column spans all rows, so the warps synchronize in each iteration and must take
// the same branch.
TEST(warps_that_synchronize_take_the_same_branch)
{
    static const char source[] =
        "kernel k(q: bf16[M, 64], k: bf16[N, 64], v: bf16[N, 64], o: bf16[M, 64])\n"
        "    grid cdiv(M, 128)\n"
        "{\n"
        "    m = block(0)\n"
        "    qt = load(q, [m, 0], [128, 64])\n"
        "    row = m * 128 + iota(i32, 128)[:, None]\n"
        "    acc = zeros(f32, [128, 64])\n"
        "    for n in 0 .. cdiv(N, 64) {\n"
        "        s = mma(qt, trans(load(k, [n, 0], [64, 64])), zeros(f32, [128, 64]))\n"
        "        s = where(n * 64 + iota(i32, 64)[None, :] <= row, s, 0.0)\n"
        "        p = s - max(s, 0)\n"
        "        acc = mma(cast(p, bf16), load(v, [n, 0], [64, 64]), acc)\n"
        "    }\n"
        "    store(o, [m, 0], cast(acc, bf16))\n"
        "}\n";
    const char *text = entry_of(source, NULL, 0, "k$tma(");

    ck_assert_int_eq(count_of(text, "shfl.sync.idx"), OF_ROLES);
}

// Ordered accesses before the loop, and in it.
static const char *const orders[][2] = { { "load(flag, [0], [_], order=acquire)", "1" },
                                         { "1", "load(flag, [k], [_], order=acquire)" } };

// Loads that follow an ordered access in the program must not be moved before it.
TEST_RANGE(nothing_is_loaded_before_an_ordered_access, 0, 2)
{
    static const char source[] =
        "kernel k(a: f16[M, K], b: f16[K, N], d: f32[M, N], flag: i32[G])\n"
        "    grid cdiv(M, 128), cdiv(N, 128)\n"
        "{\n"
        "    m, n, y = block(0), block(1), 0\n"
        "    x = %s\n"
        "    acc = zeros(f32, [128, 128])\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        y = %s\n"
        "        acc = mma(load(a, [m, k], [128, 64]), load(b, [k, n], [64, 128]), acc)\n"
        "    }\n"
        "    store(d, [m, n], acc + cast(x + y, f32))\n"
        "}\n";
    struct tile_compiled compiled = { .ptx = NULL };
    struct tile_target target;
    char why[128], text[1024];

    snprintf(text, sizeof(text), source, orders[_i][0], orders[_i][1]);
    module = tile_parse("some.tile", text, strlen(text), NULL, 0);
    ck_assert_ptr_nonnull(module);
    ck_assert(tile_target_of(&target, 90, true, why, sizeof(why)));
    ck_assert_msg(!module->diagnostics->errors && tile_compile(module, &target, &compiled), "%s",
                  tile_diagnostics_text(module, true));
    ck_assert_int_eq(count_of(compiled.ptx, "cp.async.bulk"), 0);
    if (_i == 1)
        ck_assert_int_eq(count_of(compiled.ptx, "cp.async"), 0);
}

// Statements after a product, and whether they may wait for other blocks.
static const struct {
    const char *behind;
    bool waits;
} behinds[] = {
    { "store(c, [m, n], acc)", false },
    { "store(c, [m, n], acc); atomic_add(told, [0], 1)", false },
    { "store(c, [m, n], acc); if atomic_add(told, [0], 1) == 7 { store(told, [0], 8, shape=[_]) }",
      true },
    { "while load(told, [m], [_], order=acquire) == 0 { }; store(c, [m, n], acc)", true },
    { "if gather(told, [m], order=relaxed) == 0 { store(c, [m, n], acc) }", true },
    { "if gather(told, [m]) == 0 { store(c, [m, n], acc) }", false },
};

TEST_ROWS(blocks_that_may_wait_for_others_stay_in_the_order_of_the_grid, behinds)
{
    static const char source[] =
        "kernel k(a: f16[M, K], b: f16[K, N], c: f32[M, N], told: i32[P]) grid cdiv(M, 128), "
        "cdiv(N, 256) {\n    m, n = block(0), block(1)\n    acc = zeros(f32, [128, 256])\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(load(a, [m, k], [128, 64]), load(b, [k, n], [64, 256]), acc)\n"
        "    }\n    %s\n}\n";
    struct tile_compiled compiled = { .ptx = NULL };
    struct tile_target target;
    char why[128], text[1024];

    snprintf(text, sizeof(text), source, behinds[_i].behind);
    const char *entry = entry_of(text, NULL, 0, ".entry k$tma(");
    // Waits need the grid's order. A raster of 2^15 tiles along the first axis keeps that order; a
    // shift by 15 reveals such a raster.
    ck_assert_int_eq(count_of(entry, ", 15;\n") > 0, behinds[_i].waits);
    teardown();
    module = tile_parse("some.tile", text, strlen(text), NULL, 0);
    ck_assert(tile_target_of(&target, 80, false, why, sizeof(why)));
    ck_assert(module && tile_compile(module, &target, &compiled));
    char *next = strstr(strstr(compiled.ptx, ".visible .entry ") + 1, ".visible .entry ");
    if (next)
        *next = 0;
    ck_assert_msg(strstr(compiled.ptx, "idx32_aligned(") && strstr(compiled.ptx, "cp.async"), "%s",
                  compiled.ptx);
    ck_assert_int_eq(count_of(compiled.ptx, "div.u32") == 0, behinds[_i].waits);
}

// ---- Loops with products and little other work

#define LOOP(sums, body, behind)                                                        \
    "kernel k(x: bf16[M, K], g: f32[K], w: bf16[K, N], v: bf16[K, N], a: bf16[K, 16], " \
    "b: bf16[16, N], y: bf16[M, N]) grid cdiv(M, 128), cdiv(N, 128) {\n"                \
    "    m, n = block(0), block(1)\n    acc = zeros(f32, [128, 128])\n" sums            \
    "    for k in 0 .. cdiv(K, 64) {\n" body "    }\n" behind                           \
    "    store(y, [m, n], cast(acc, bf16))\n}\n"
#define PRODUCT(sum, a, b) "        " sum " = mma(" a ", " b ", " sum ")\n"
#define X "load(x, [m, k], [128, 64])"
#define W "load(w, [k, n], [64, 128])"
#define V "load(v, [k, n], [64, 128])"

// A loop's code appears for the first iteration and for the others, and a product has four steps.
enum { STEPS = 4 };

static const struct {
    const char *text;
    int copies;    // copies by TMA
    int vectors;   // loads by the lanes of the copying warp
    int products;  // products of warpgroups
    int fragments; // fragments of mma.sync
} loops[] = {
    // A vector along the depth axis is loaded through a ring. The computed operand has two sets of
    // registers, for each of which the code appears twice.
    { LOOP("", PRODUCT("acc", "cast(cast(" X ", f32) * load(g, [k], [64]), bf16)", W), ""), 3, 1,
      2 * 2 * STEPS, 0 },
    // An operand of two products has one ring, whether the source loads it once or twice.
    { LOOP("    c = acc\n", PRODUCT("acc", X, W) PRODUCT("c", X, V), "    acc = acc * c\n"), 5, 0,
      2 * 2 * STEPS, 0 },
    { LOOP("    c = acc\n", "        t = " X "\n" PRODUCT("acc", "t", W) PRODUCT("c", "t", V),
           "    acc = acc * c\n"),
      5, 0, 2 * 2 * STEPS, 0 },
    // A loop that another product follows is still a pipeline; that product takes 16 fragments.
    { LOOP("    low = zeros(f32, [128, 16])\n",
           PRODUCT("acc", X, W) PRODUCT("low", X, "load(a, [k, 0], [64, 16])"),
           "    acc = mma(cast(low, bf16), load(b, [0, n], [16, 128]), acc)\n"),
      4, 0, 2 * 2 * STEPS, 16 },
};

TEST_ROWS(loops_of_products_load_what_they_share_once, loops)
{
    const char *text = entry_of(loops[_i].text, NULL, 0, ".entry k$tma(");

    ck_assert_int_eq(count_of(text, "cp.async.bulk.tensor.2d.shared"), loops[_i].copies);
    ck_assert_int_eq(count_of(text, "cp.async.mbarrier.arrive.noinc"), loops[_i].vectors);
    ck_assert_int_eq(count_of(text, "wgmma.mma_async"), loops[_i].products);
    ck_assert_int_eq(count_of(text, "mma.sync.aligned.m16n8k16"), loops[_i].fragments);
}

// Iterations overlap: at the end of an iteration, its own products are still running.
TEST_RANGE(products_overlap_those_of_the_previous_iteration, 1, 3)
{
    const char *text = entry_of(loops[_i].text, NULL, 0, ".entry k$tma(");

    ck_assert_int_eq(count_of(text, "wgmma.wait_group.sync.aligned 2;"), 1);
    ck_assert_int_eq(count_of(text, "wgmma.wait_group.sync.aligned 0;"), 1);
}

// ---- An operand of 8 bits that is computed

#define EIGHT(weights, how)                                                                   \
    "kernel k(q: e4m3[M, K], k: e4m3[N, K], v: e4m3[D, N], o: bf16[M, D]) grid cdiv(M, 128) " \
    "{\n    m, acc = block(0), zeros(f32, [128, 64])\n"                                       \
    "    x = load(q, [m, 0], [128, 64])\n    for n in 0 .. cdiv(N, 64) {\n"                   \
    "        s = mma(x, trans(load(k, [n, 0], [64, 64])), zeros(f32, [128, 64]))\n"           \
    "        p = cast(exp2(s), e4m3)\n        acc = mma(" weights                             \
    ", trans(load(v, [0, n], [64, 64])), acc" how ")\n    }\n"                                \
    "    store(o, [m, 0], cast(acc, bf16))\n}\n"
#define EXCHANGED "reshape(permute(reshape(p, [128, 4, 2, 4, 2]), [0, 1, 3, 2, 4]), [128, 64])"

static const struct {
    const char *text;
    bool moves; // columns move between threads
    bool adds;  // partial sums are added up outside the tensor cores
} eights[] = {
    { EIGHT(EXCHANGED, ", fast_acc=true"), false, false },
    { EIGHT("p", ", fast_acc=true"), true, false },
    { EIGHT(EXCHANGED, ""), false, true },
};

TEST_ROWS(operands_of_8_bits_are_computed_in_their_threads, eights)
{
    enum { ELEMENTS = 32, PAIR = 2, STEPS_OF_TWO = 4 };
    const char *text = entry_of(eights[_i].text, NULL, 0, ".entry k$tma(");

    ck_assert_int_eq(count_of(text, "wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3"),
                     COPIES * STEPS_OF_TWO);
    ck_assert_int_eq(count_of(text, "cvt.rn.satfinite.e4m3x2.f32"), COPIES * ELEMENTS / PAIR);
    ck_assert_int_eq(count_of(text, "st.shared") > 0, eights[_i].moves);
    ck_assert_int_eq(count_of(text, "add.rn.f32") >= COPIES * ELEMENTS, eights[_i].adds);
    ck_assert_ptr_nonnull(strstr(tile_diagnostics_text(module, true), "overlapped with the next"));
}

// ---- Gradients: products of tiles that the iteration computes

#define GRADIENTS(sums, body, behind)                                                   \
    "kernel k(x: bf16[M, W], y: bf16[K, W], u: f32[K, W], o: bf16[M, W], oo: f32[1]) "  \
    "const W = 64, BK = 64 grid cdiv(M, 128) {\n    m = block(0)\n"                     \
    "    a, z = load(x, [m, 0], [128, W]), load(x, [m, 0], [128, W])\n"                 \
    "    acc = zeros(f32, [128, W])\n" sums "    for k in 0 .. cdiv(K, BK) {\n"         \
    "        s = mma(a, trans(load(y, [k, 0], [BK, W])), zeros(f32, [128, BK]))\n" body \
    "    }\n    store(o, [m, 0], cast(acc, bf16))\n" behind "}\n"
#define ADDED "        p = cast(s, bf16)\n        acc = mma(p, load(y, [k, 0], [BK, W]), acc)\n"
#define HANDED_OVER ADDED "        store_add(u, [k, 0], mma(trans(p), z, zeros(f32, [BK, W])))\n"
#define ONE "    store_add(oo, [0], zeros(f32, [1]))\n"

static const struct {
    const char *text;
    int copies, matrices; // by TMA to shared memory; written with stmatrix
    const char *says;     // a remark
    bool wide;            // tiles of 128 x 128
} gradients[] = {
    { GRADIENTS("", ADDED, ""), 2, 4, "overlapped with the next iteration", false },
    { GRADIENTS("", HANDED_OVER, ONE), 2, 4, "left operand from shared memory, computed", false },
    { GRADIENTS("", HANDED_OVER, ONE), 4, 8, "left operand from shared memory, computed", true },
    { GRADIENTS("    t = 1.0\n",
                ADDED "        store_add(u, [k, 0], mma(trans(p), z, zeros(f32, "
                      "[BK, W])) * t)\n        t += 1.0\n",
                ONE),
      2, 4,
      "wgmma m64n32, left operand from shared memory, computed, right operand loaded once by "
      "TMA, 2 warpgroups (tma)",
      false },
    { GRADIENTS("", ADDED "        store_add(u, [0, 0], mma(trans(z), p, zeros(f32, [W, BK])))\n",
                ONE),
      2, 4, "right operand in shared memory, computed", false },
    // The launch would not check that u is apart from x and y, or the loop reads u.
    { GRADIENTS("",
                "        acc = mma(cast(s, bf16), load(y, [k, 0], [BK, W]), acc)\n"
                "        store_add(o, [k, 0], cast(s, bf16))\n",
                ""),
      0, 0, "the loop has stores, prints or accesses in an order", false },
    { GRADIENTS("",
                "        acc = mma(cast(s, bf16), load(y, [k, 0], [BK, W]), acc) + "
                "load(u, [k, 0], [128, W])\n        store_add(u, [k, 0], s)\n",
                ""),
      0, 0, "the loop has stores, prints or accesses in an order", false },
};

TEST_ROWS(tiles_that_an_iteration_computes_are_operands, gradients)
{
    static const char *const wide[] = { "W=128", "BK=128" };
    const char *name = gradients[_i].copies ? ".entry k$tma(" : ".visible .entry ";
    const char *text = entry_of(gradients[_i].text, wide, gradients[_i].wide ? 2 : 0, name);
    const char *said = tile_diagnostics_text(module, true);

    ck_assert_int_eq(count_of(text, "cp.async.bulk.tensor.2d.shared"), gradients[_i].copies);
    ck_assert_int_eq(count_of(text, "stmatrix"), gradients[_i].matrices);
    ck_assert_msg(strstr(said, gradients[_i].says) != NULL, "%.2000s", said);
}

static const struct {
    const char *text, *says;
} elsewhere[] = {
    { LOOP("    acc = mma(load(x, [m, 0], [128, 64]), load(w, [0, n], [64, 128]), acc)\n    c = "
           "acc\n",
           PRODUCT("acc", X, W) PRODUCT("c", X, V), "    acc = acc * c\n"),
      "it is before the loop with the other products" },
    { LOOP("    c = acc\n", PRODUCT("acc", X, W) PRODUCT("c", X, V),
           "    if m == 3 { acc = mma(cast(c, bf16), load(v, [0, n], [128, 128]), acc) }\n"),
      "no pipeline by TMA" },
};

TEST_ROWS(products_elsewhere_prevent_a_pipeline, elsewhere)
{
    const char *text = entry_of(elsewhere[_i].text, NULL, 0, ".visible .entry ");

    ck_assert_int_eq(count_of(text, "wgmma"), 0);
    ck_assert_msg(strstr(tile_diagnostics_text(module, true), elsewhere[_i].says) != NULL, "%s",
                  tile_diagnostics_text(module, true));
}

// ---- Operands with other uses

#define USES(other)                                                                            \
    "kernel k(x: bf16[K, M], w: bf16[K, N], y: f32[M, N]) grid cdiv(M, 128), cdiv(N, 128) {\n" \
    "    m, n = block(0), block(1)\n"                                                          \
    "    acc, s, t = zeros(f32, [128, 128]), zeros(f32, [1, 128]), zeros(f32, [1, 128])\n"     \
    "    for k in 0 .. cdiv(K, 64) {\n"                                                        \
    "        a, b = load(x, [k, m], [64, 128]), load(w, [k, n], [64, 128])\n"                  \
    "        acc = mma(trans(a), b, acc)\n" other "    }\n"                                    \
    "    store(y, [m, n], acc - trans(s) * t)\n}\n"

static const char *const uses[] = {
    USES("        s += sum(cast(a, f32), 0)\n"),
    USES("        t += sum(cast(b, f32), 0)\n"),
    USES("        s += sum(cast(a, f32), 0)\n        t += sum(cast(b, f32), 0)\n"),
    USES("        t += sum(cast(load(w, [k, n], [64, 128]), f32), 0)\n"),
};

TEST_ROWS(operands_with_other_uses_are_streamed_and_copied_once, uses)
{
    const char *text = entry_of(uses[_i], NULL, 0, ".entry k$tma(");

    ck_assert_int_gt(count_of(text, "wgmma.mma_async"), 0);
    // two operands, each as two boxes of 128 bytes by 64 rows
    ck_assert_int_eq(count_of(text, "cp.async.bulk.tensor.2d.shared"), 4);
    ck_assert_int_eq(count_of(text, "ld.global"), 0);
}

TEST(sums_before_a_loop_with_transposed_operands_stay_in_their_threads)
{
    static const char source[] =
        "kernel k(x: bf16[K, M], y: f32[M, M]) grid cdiv(M, 128), cdiv(M, 128) {\n"
        "    m, n = block(0), block(1)\n"
        "    acc, s = zeros(f32, [128, 128]), zeros(f32, [1, 128])\n"
        "    for k in 0 .. cdiv(K, 64) { s += sum(cast(load(x, [k, n], [64, 128]), f32), 0) }\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(trans(load(x, [k, m], [64, 128])), load(x, [k, n], [64, 128]), acc)\n"
        "    }\n    store(y, [m, n], acc - s)\n}\n";
    const char *text = entry_of(source, NULL, 0, ".entry k$tma(");

    // one exchange of the sums after their loop; 15 barriers if each iteration exchanges
    ck_assert_int_le(count_of(text, "bar.sync 1,"), 6);
}

// ---- Work before the loop

#define QUANTIZED(before)                                                                    \
    "kernel k(x: bf16[M, K], w: e4m3[N, K], y: bf16[M, N]) grid cdiv(M, 128), cdiv(N, 128) " \
    "{\n    m, n = block(0), block(1)\n    top = full(f32, [128, 1], 1)\n" before            \
    "    acc = zeros(f32, [128, 128])\n    for k in 0 .. cdiv(K, 128) {\n"                   \
    "        q = cast(cast(load(x, [m, k], [128, 128]), f32) / top, e4m3)\n"                 \
    "        acc = mma(q, trans(load(w, [n, k], [128, 128])), acc)\n    }\n"                 \
    "    store(y, [m, n], cast(acc * top, bf16))\n}\n"
#define LARGEST "top = maximum(top, max(abs(cast(load(x, [m, k], [128, 128]), f32)), 1))"

static const struct {
    const char *before;
} work_before[] = {
    { QUANTIZED("    for k in 0 .. cdiv(K, 128) { " LARGEST " }\n") },
    { QUANTIZED("    k = n\n    if n > 0 { " LARGEST " }\n") },
    { QUANTIZED("    for k in 0 .. 4 { if k != m { " LARGEST " } }\n") },
};

TEST_ROWS(loops_and_branches_may_come_before_the_products, work_before)
{
    const char *text = entry_of(work_before[_i].before, NULL, 0, ".entry k$tma(");

    ck_assert_int_gt(count_of(text, "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3"), 0);
}

// The maxima of a thread's elements are exchanged once, after the loop. Two iterations of 8 vectors
// a thread load together; single iterations have a path for edges.
TEST(a_loop_before_the_products_loads_ahead_and_reduces_after_its_last_iteration)
{
    char *text = entry_of(work_before[0].before, NULL, 0, ".entry k$tma("), *products;

    ck_assert_int_eq(count_of(text, "ld.global.v4.b32"), 2 * 8 + 8 + 8);
    text = strstr(text, "shfl.sync.bfly");
    ck_assert_ptr_nonnull(text);
    products = strstr(text, "mbarrier.try_wait");
    ck_assert_ptr_nonnull(products);
    *products = 0;
    ck_assert_int_eq(count_of(text, "bra.uni"), 0);
}

int main(void)
{
    return run_tests("tile fused");
}
