// Tests tensors that are not aligned to 16 bytes, one tensor at a time. The launch chooses the
// fastest entry that does not need that tensor's alignment, and the driver writes the same bytes as
// the interpreter.
#include "base/array.h"
#include "construct.h"
#include "construct_data.h"
#include "slice.h"

#include "tile/signature/signature.h"

#include <cucore/cucore.h>
#include <stdio.h>

// Computes a product with BM x BN tiles in steps of BK, as `acc`.
#define PRODUCT(load_a, load_b)                                     \
    "    m, n = block(0), block(1)\n    acc = zeros(A, [BM, BN])\n" \
    "    for k in 0 .. cdiv(K, BK) {\n"                             \
    "        acc = mma(" load_a ", " load_b ", acc)\n    }\n"
#define NT PRODUCT("load(w, [m, k], [BM, BK])", "trans(load(ww, [n, k], [BN, BK]))")
#define GRID "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"

// clang-format off
static const struct construct_alignment cases[] = {
    { { "a pipeline with a row and a column beside it", NULL, "M=130 K=40 N=136;M=64 K=64 N=65",
        "kernel k(w: f16[M, K], ww: f16[N, K], w3: f32[N], w4: f16[M, N], o: f32[M, N], oo: f32[M], o3: f16[M, N])\n"
        "    const A = f32, BM = 128, BN = 64, BK = 32\n" GRID NT
        "    acc = acc + load(w3, [n], [BN])\n"
        "    if n == 0 { store(oo, [m], squeeze(sum(acc, 1), 1)) }\n    store(o3, [m, n], cast(acc, f16))\n"
        "    store(o, [m, n], acc + cast(load(w4, [m, n], [BM, BN]), f32))\n}", 0, 0, NULL },
      "rr-----", "tma", 0, 0 },
    { { "a pipeline with an addend of the stored tile", NULL, "M=130 K=40 N=136;M=64 K=64 N=65;M=700 K=16 N=250",
        "kernel k(w: f16[M, K], ww: f16[N, K], w3: f16[M, N], o: f16[M, N])\n"
        "    const A = f32, BM = 128, BN = 128, BK = 64\n" GRID NT
        "    store(o, [m, n], cast(acc, f16) + load(w3, [m, n], [BM, BN]))\n}", 0, 0, NULL },
      "rr--", "tma", 0, 0 },
    { { "a pipeline with an addend of 32 bits, in place", NULL, "M=130 K=40 N=136;M=64 K=64 N=65",
        "kernel k(w: bf16[M, K], ww: bf16[N, K], u: f32[M, N])\n"
        "    const A = f32, BM = 64, BN = 96, BK = 64\n" GRID NT
        "    store(u, [m, n], acc + load(u, [m, n], [BM, BN]))\n}", 0, 0, NULL },
      "rr-", "tma", 0, 0 },
    { { "a pipeline of wide tiles", NULL, "M=130 K=40 N=300",
        "kernel k(w: f16[M, K], ww: f16[N, K], o: f32[M, N])\n"
        "    const A = f32, BM = 128, BN = 256, BK = 32\n" GRID NT "    store(o, [m, n], acc)\n}", 0, 0, NULL },
      "rr-", "tma", 0, 0 },
    { { "a pipeline of lines of 64 bytes", NULL, "M=130 K=40 N=136;M=70 K=40 N=101",
        "kernel k(w: f16[M, K], ww: f16[N, K], o: f16[M, N])\n"
        "    const A = f32, BM = 64, BN = 96, BK = 32\n" GRID NT "    store(o, [m, n], cast(acc, f16))\n}", 0, 0, NULL },
      "rr-", "tma", 0, 0 },
    { { "a pipeline of 8 bits", NULL, "M=130 K=48 N=144;M=70 K=48 N=133",
        "kernel k(w: e4m3[M, K], ww: e4m3[N, K], o: e4m3[M, N], oo: i8[M, N])\n"
        "    const A = f32, BM = 64, BN = 128, BK = 64\n" GRID NT
        "    store(o, [m, n], cast(acc * 0.125, e4m3))\n}", 0, 0, NULL },
      "rr--", "tma", 0, 0 },
    { { "a pipeline of integers", NULL, "M=130 K=48 N=144;M=70 K=48 N=133",
        "kernel k(w: i8[M, K], ww: i8[N, K], w3: i32[N], o: i32[M, N])\n"
        "    const A = i32, BM = 64, BN = 64, BK = 64\n" GRID NT
        "    store(o, [m, n], acc + load(w3, [n], [BN]))\n}", 0, 0, NULL },
      "rr--", "tma", 0, 0 },
    { { "a pipeline of few rows", NULL, "M=20 K=40 N=136;M=5 K=64 N=129",
        "kernel k(w: f16[M, K], ww: f16[N, K], w3: f32[N], o: f16[M, N])\n"
        "    const A = f32, BM = 16, BN = 64, BK = 32\n" GRID NT
        "    store(o, [m, n], cast(acc + load(w3, [n], [BN]), f16))\n}", 0, 0, NULL },
      "rr--", "tma", 0, 0 },
    { { "a pipeline in ping-pong", NULL, "M=330 K=40 N=136;M=70 K=64 N=133",
        "kernel k(w: f16[M, K], ww: f16[N, K], w3: f32[N], o: f16[M, N])\n"
        "    const A = f32, BM = 64, BN = 128, BK = 32\n" GRID NT
        "    store(o, [m, n], cast(acc + load(w3, [n], [BN]), f16))\n}", 0, 0, NULL },
      "rr--", "tma", 4, 0 },
    { { "a pipeline of split loops", NULL, "M=130 K=200 N=136;M=70 K=64 N=133",
        "kernel k(w: f16[M, K], ww: f16[N, K], w3: f32[N], o: f32[M, N])\n"
        "    const A = f32, BM = 128, BN = 64, BK = 32\n" GRID NT
        "    store(o, [m, n], acc + load(w3, [n], [BN]))\n}", 0, 0, NULL },
      "rr--", "tma", 0, 2 },
    { { "a pipeline of a cluster", NULL, "M=330 K=40 N=136;M=70 K=64 N=133",
        "kernel k(w: f16[M, K], ww: f16[N, K], o: f16[M, N])\n"
        "    const A = f32, BM = 64, BN = 128, BK = 32\n" GRID NT "    store(o, [m, n], cast(acc, f16))\n}", 0, 0, NULL },
      "rr-", "tma", 0, 0 },
    { { "a pipeline of batches", NULL, "B=3 M=70 K=40 N=72 P=40;B=2 M=64 K=32 N=67 P=64",
        "kernel k(w: f16[B, M, K], ww: f16[B, N, K], w3: f16[B, P, N], o: f16[B, M, N])\n"
        "    const A = f32, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN), B\n{\n    b = block(2)\n"
        PRODUCT("load(w, [b, m, k], [_, BM, BK])", "trans(load(ww, [b, n, k], [_, BN, BK]))")
        "    store(o, [b - 1, m, n], cast(acc, f16) + load(w3, [b + 1, m, n], [_, BM, BN]))\n}", 0, 0, NULL },
      "rr--", "tma", 0, 0 },
    { { "a pipeline of parts of rows", NULL, "M=130 K=40 N=64;M=130 K=40 N=61",
        "kernel k(w: f16[M, K], ww: f16[N, K], o: f32[M, N])\n"
        "    const BM = 128, BN = 64, BK = 32\n    grid 3, 4\n{\n"
        "    m, s = block(0) - 1, block(1)\n"
        "    from = s * 50 - 60\n    to = from + 50\n    if s == 2 { to = from - 10 }\n"
        "    part, mine = slice(w, 0, from, to), slice(o, 0, from, to)\n"
        "    acc = zeros(f32, [BM, BN])\n"
        "    for k in 0 .. cdiv(K, BK) {\n"
        "        acc = mma(load(part, [m, k], [BM, BK]), trans(load(ww, [0, k], [BN, BK])), acc)\n    }\n"
        "    store(mine, [m, 0], acc)\n}", 0, 0, NULL },
      "rr-", "tma", 0, 0 },
    { { "a pipeline of gathered rows", NULL, "M=130 K=40 N=136 V=30;M=70 K=72 N=133 V=45",
        "kernel k(w: f16[V, K], i: i32[M], ww: f16[N, K], w3: f16[M, N], o: f16[M, N])\n"
        "    const A = f32, BM = 128, BN = 64, BK = 32\n" GRID "    rows = load(i, [block(0)], [BM], pad=-1)\n"
        PRODUCT("load_rows(w, rows, [k], [BK])", "trans(load(ww, [n, k], [BN, BK]))")
        "    store(o, [m, n], cast(acc, f16) + load(w3, [m, n], [BM, BN]))\n}", 0, 0, NULL },
      "a-a--", "tma", 0, 0 },
    { { "a fused pipeline", NULL, "B=2 M=130 K=200 N=64;B=3 M=65 K=77 N=64;B=1 M=33 K=70 N=61",
        "kernel k(w: f16[B, M, N], ww: f16[B, K, N], w3: f16[B, K, N], w4: f32[K], o: f16[B, M, N], oo: f32[B, M])\n"
        "    const BM = 64, BK = 64\n    grid cdiv(M, BM), B\n{\n"
        "    m, b = block(0), block(1)\n    a = load(w, [b, m, 0], [_, BM, 64])\n"
        "    acc = zeros(f32, [BM, 64])\n    top = full(f32, [BM, 1], -1000.0)\n"
        "    for k in 0 .. cdiv(K, BK) {\n"
        "        p = a @ trans(load(ww, [b, k, 0], [_, BK, 64])) + load(w4, [k], [BK])\n"
        "        top = maximum(top, max(p, 1))\n"
        "        acc = mma(cast(p, f16), load(w3, [b, k, 0], [_, BK, 64]), acc)\n    }\n"
        "    store(oo, [b, m], squeeze(top, 1))\n    store(o, [b, m, 0], cast(acc, f16))\n}", 0, 0, NULL },
      "aaa---", "tma", 0, 0 },
    { { "vectors along the depth axis of a fused pipeline", NULL, "M=130 K=200 N=64;M=65 K=77 N=64;M=33 K=70 N=61",
        "kernel k(w: f16[M, K], ww: f16[N, K], w3: f16[K], w4: f32[2, K], o: f32[M, N])\n"
        "    const BM = 64, BK = 32\n    grid cdiv(M, BM)\n{\n"
        "    m = block(0)\n    acc = zeros(f32, [BM, 64])\n"
        "    for k in 0 .. cdiv(K, BK) {\n"
        "        x = cast(load(w, [m, k], [BM, BK]), f32) * load(w4, [1, k], [_, BK]) + cast(load(w3, [k], [BK]), f32)\n"
        "        acc = mma(cast(x, f16), trans(load(ww, [0, k], [64, BK])), acc)\n    }\n"
        "    store(o, [m, 0], acc)\n}", 0, 0, NULL },
      "aa---", "tma", 0, 0 },
    { { "elements of several tensors", NULL, "M=20 N=200;M=7 N=133",
        "kernel k(w: f32[M, N], ww: f16[M, N], w3: bf16[N], w4: i8[M, N], o: f32[M, N], oo: f16[M, N], o3: bool[M, N])\n"
        "    const A = f32, BM = 4, BN = 64\n" GRID
        "    m, n = block(0), block(1)\n    x = load(w, [m, n], [BM, BN])\n"
        "    x = x + cast(load(ww, [m, n], [BM, BN]), f32) + cast(load(w3, [n], [BN]), f32)\n"
        "    x = x + cast(load(w4, [m, n], [BM, BN]), f32)\n"
        "    store(o, [m, n], x)\n    store(oo, [m, n], cast(x, f16))\n    store(o3, [m, n], x > 2.0)\n}", 0, 0, NULL },
      "aaaaaaa", "idx32+aligned", 0, 0 },
    { { "rows of several warps, at any row and beyond both ends", NULL, "M=3 N=1000;M=2 N=1001;M=5 N=517;M=4 N=255;M=2 N=7",
        "kernel k(w: f16[M, N], ww: u8[2, M, N], w3: i16[M, N], o: f16[M, N], oo: u8[2, M, N], o3: i16[M, N], o4: f32[M, N])\n"
        "    const BM = 2, BN = 256\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
        "    m, n = block(0), block(1)\n    x = load(w, [m, n], [BM, BN])\n"
        "    y = load(ww, [1, m, n], [_, BM, BN])\n"
        "    z = load_at(w3, [m * BM - 1, n * BN - 16], [BM, BN], pad=9)\n"
        "    store(o, [m, n], x + cast(y, f16))\n    store(oo, [0, m, n], y, shape=[_, BM, BN])\n"
        "    store_at(o3, [m * BM, n * BN - 32], z + 1)\n"
        "    store(o4, [m, n], cast(x, f32) * cast(z, f32))\n}", 0, 0, NULL },
      "aaaaaaa", "idx32+aligned", 0, 0 },
    { { "rows with their sums", NULL, "M=5 N=256;M=3 N=201",
        "kernel k(w: f16[M, N], ww: f32[N], o: f16[M, N], oo: f32[M])\n"
        "    grid M\n{\n    m = block(0)\n    x = cast(load(w, [m, 0], [1, 256]), f32)\n"
        "    s = sum(x, 1)\n    store(oo, [m], squeeze(s, 1))\n"
        "    store(o, [m, 0], cast(x * load(ww, [0], [256]) - s, f16))\n}", 0, 0, NULL },
      "aaa-", "idx32+aligned", 0, 0 }, // single elements need no alignment
    { { "counters and columns beside rows", NULL, "M=5 N=256;M=8 N=201",
        "kernel k(w: f16[M, N], ww: f32[M, 3], o: f16[M, N], oo: f32[M, 3, 1], o3: i32[3, M])\n"
        "    grid M\n{\n    m = block(0)\n    x = cast(load(w, [m, 0], [1, 256]), f32)\n"
        "    s = sum(x, 1) + load(ww, [m, 2], [1, 1])\n"
        "    store(oo, [m, 1, 0], s, shape=[_, 1, 1])\n    atomic_add(o3, [1, m], 2)\n"
        "    store(slice(o3, 0, 1, 3), [1, m], 3, shape=[_, _])\n"
        "    store(o, [m, 0], cast(x - s, f16))\n}", 0, 0, NULL },
      "a-a--", "idx32+aligned", 0, 0 },
    { { "elements of whole tiles", NULL, "M=4 N=256",
        "kernel k(w: f16[8, 256], ww: f32[8, 256], o: f16[8, 256])\n    grid 2, 4\n{\n"
        "    m, n = block(0), block(1)\n"
        "    store(o, [m, n], load(w, [m, n], [4, 64]) + cast(load(ww, [m, n], [4, 64]), f16))\n}", 0, 0, NULL },
      "aaa", "idx32+aligned", 0, 0 },
    { { "elements of parts of a tensor", NULL, "M=20 N=200",
        "kernel k(w: f32[M, N], o: f32[M, N])\n    grid 3, 4\n{\n"
        "    m, n = block(0), block(1)\n    part, own = slice(w, 0, 3, 11), slice(o, 1, 7, 150)\n"
        "    store(own, [m, n], load(part, [m, n], [4, 64]))\n}", 0, 0, NULL },
      "a-", "idx32+aligned", 0, 0 }, // a slice along the last axis may begin anywhere
    { { "pages whose numbers are gathered from memory", NULL, "R=9 P=6;R=6 P=2",
        "kernel k(w: f16[16, 64], ww: f16[P, 16, 64], w3: i32[R], o: f32[16, 64], oo: i32[R])\n    grid 1\n{\n"
        "    x, acc = load(w, [0, 0], [16, 64]), zeros(f32, [16, 64])\n"
        "    for k in 0 .. cdiv(R, 2) {\n        i = cast(k * 2, i32) + iota(i32, 2)\n"
        "        ids = gather(w3, [i], mask=i < 7, pad=-1)\n"
        "        p = x @ trans(reshape(load_rows(ww, ids, [0, 0], [16, 64]), [32, 64]))\n"
        "        y = reshape(load_rows(ww, ids, [0, 0], [16, 64]), [32, 64])\n"
        "        acc = mma(cast(p, f16), y, acc)\n    }\n"
        "    store(o, [0, 0], acc)\n    scatter(oo, [iota(i32, 4)], iota(i32, 4))\n}", 0, 0, NULL },
      "aa-a-", "idx32+aligned", 0, 0 }, // threads move single elements
};
// clang-format on

static struct slice slice = { 0, 1 };

CASE("alignment", .timeout = 120);

TEST_SLICE(a_tensor_off_the_vectors_costs_its_own_bytes, slice, CUC_LENGTH(cases))
{
    construct_start();
    construct_check_alignment(&cases[_i]);
    construct_stop();
}

// Products whose operands have any extents and start at any element, so that threads copy them. The
// rows cover the orders that wgmma accepts, copied rows of 32, 64, 128 and more bytes, and tiles of
// few rows.
static const struct {
    const char *types; // "operands accumulators"
    int orders;        // 4: all orders; 1: the summed axis comes last
    int rows, columns, depth;
} unaligned[] = {
    { "f16 f32", 4, 64, 64, 64 },    { "bf16 f32", 4, 128, 256, 64 },
    { "bf16 f32", 4, 256, 128, 32 }, { "f16 f32", 4, 64, 96, 16 },
    { "f16 f32", 4, 128, 112, 32 },  { "f16 f32", 4, 16, 64, 64 },
    { "bf16 f32", 4, 64, 24, 128 },  { "e4m3 f32", 1, 64, 64, 128 },
    { "e5m2 f32", 1, 128, 80, 32 },  { "i8 i32", 1, 128, 64, 64 },
    { "u8 i32", 1, 64, 32, 256 },    { "tf32 f32", 1, 64, 64, 32 },
    { "tf32 f32", 1, 128, 40, 8 },
};

static void check_unaligned(int at, int order)
{
    enum { ROUNDS = 3 };
    char x[8], sum[8], text[1024], sizes[128];
    size_t length = 0;
    uint32_t state = (uint32_t)(4 * at + order + 1) * 2654435761u;
    bool a = order & 1, b = order & 2; // transposed: a is stored by columns, b by rows
    struct construct row = { .name = "a pipeline of any operands", .source = text, .sizes = sizes };

    sscanf(unaligned[at].types, "%7s %7s", x, sum);
    for (int i = 0; i < ROUNDS; i++) {
        const int most[] = { 2 * unaligned[at].rows, 2 * unaligned[at].columns,
                             4 * unaligned[at].depth };
        int extent[3];
        for (int n = 0; n < 3; n++) {
            state = state * 1664525u + 1013904223u;
            extent[n] = 1 + (int)((state >> 8) % (uint32_t)(i ? most[n] : 24));
        }
        length += (size_t)snprintf(sizes + length, sizeof(sizes) - length, "%sM=%d N=%d K=%d",
                                   i ? ";" : "", extent[0], extent[1], extent[2]);
    }
    snprintf(text, sizeof(text),
             "kernel k(w: %s[%s], ww: %s[%s], o: %s[M, N])\n"
             "    const A = %s, BM = %d, BN = %d, BK = %d\n" GRID
             "    m, n = block(0), block(1)\n    acc = zeros(A, [BM, BN])\n"
             "    for k in 0 .. cdiv(K, BK) {\n        acc = mma(%s, %s, acc)\n    }\n"
             "    store(o, [m, n], acc)\n}",
             x, a ? "K, M" : "M, K", x, b ? "N, K" : "K, N", sum, sum, unaligned[at].rows,
             unaligned[at].columns, unaligned[at].depth,
             a ? "trans(load(w, [k, m], [BK, BM]))" : "load(w, [m, k], [BM, BK])",
             b ? "trans(load(ww, [n, k], [BN, BK]))" : "load(ww, [k, n], [BK, BN])");
    construct_check_as(&row, 0, UNALIGNED, "");
}

TEST_SLICE(operands_of_any_extents_and_addresses_are_multiplied, slice, CUC_LENGTH(unaligned))
{
    construct_start();
    for (int order = 0; order < 4; order++)
        if (unaligned[_i].orders == 4 || order == 2)
            check_unaligned(_i, order);
    construct_stop();
}

// Attention whose rows of log-sum-exp values are not aligned to 16 bytes.
static const struct {
    int64_t s, off; // length of the sequence; bytes by which the output is off
    const char *entry;
} attentions[] = {
    { 768, 0, "tma" },
    { 777, 0, "tma" },
    { 3333, 0, "tma" },
    { 777, 2, "tma" },
};

TEST_ROWS(attention_keeps_its_pipeline, attentions)
{
    enum { Q, K, V, O, LSE, SCALE };
    const int64_t s = attentions[_i].s;
    struct tile_argument argument[] = { [SCALE] = { .dtype = CUC_F32 } };
    cuc_tensor tensor[SCALE];

    for (int i = 0; i < SCALE; i++) {
        const int64_t rows[] = { 4, 16, s, 128 };
        ck_assert_int_eq(cuc_tensor_from_pointer(&tensor[i], (uint64_t)(i + 1) << 32,
                                                 i == LSE ? CUC_F32 : CUC_BF16, i == LSE ? 3 : 4,
                                                 rows, 0),
                         CUC_OK);
        argument[i] = (struct tile_argument){ .dtype = tensor[i].dtype, .tensor = &tensor[i] };
    }
    tensor[O].data += (uint64_t)attentions[_i].off;
    struct tile_signature *signature = construct_signature(EXAMPLES "/attention.tile", 90);
    const struct tile_entry *entry = tile_select_entry(signature, argument);
    ck_assert_str_eq(tile_variant_name(entry->variant), attentions[_i].entry);
    tile_signature_free(signature);
}

int main(int argc, char **argv)
{
    if (slice_asked(argc, argv) && !slice_read(&slice, argv))
        return 2;
    return run_tests("tile alignment");
}
