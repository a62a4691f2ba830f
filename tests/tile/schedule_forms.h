// The table of loops with products that must become pipelines on Hopper, one per row, as
// constructs.
#ifndef CUCORE_TESTS_TILE_SCHEDULE_FORMS_H
#define CUCORE_TESTS_TILE_SCHEDULE_FORMS_H

#include "construct.h"

// Iteration counts from 0 to more than there are stages, so that rings wrap around.
#define LENGTHS "M=128 N=64 K=0;M=128 N=64 K=32;M=70 N=64 K=40;M=64 N=72 K=96;M=130 N=136 K=300"

// clang-format off
static const struct form {
    struct construct as;
    uint32_t roles; // number of cases that the entry with roles runs; in the others an extent is 0
} forms[] = {
    // Regions
    { { "nested loops, a branch and a straight line", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[3, N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for r in 0 .. 3 {\n"
        "        for k in 0 .. cdiv(K, 32) {\n            if k + m != 1 {\n"
        "                acc = mma(load(w, [m, k], [64, 32]), trans(load(ww, [r, n, k], [_, 64, 32])), acc)\n"
        "            }\n        }\n    }\n"
        "    acc = mma(load(w, [m, 1], [64, 32]), trans(load(ww, [2, n, 0], [_, 64, 32])), acc)\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "several unrolled loops from something else than zero", "bf16 e4m3", LENGTHS,
        "kernel k(w: T[M, K], ww: T[N, K], w3: f32[M, N], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = load(w3, [m, n], [128, 64])\n    static for r in 0 .. 2 {\n"
        "        for k in r .. cdiv(K, 32) step 2 {\n"
        "            acc = mma(load(w, [m, k], [128, 32]), trans(load(ww, [n, k], [64, 32])), acc)\n        }\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a scalar of the loops that the op right behind them reads", "f16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n, t = block(0), block(1), 0\n    acc = zeros(f32, [64, 64])\n    for r in 0 .. 2 { for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load(w, [m, k], [64, 32]), load(ww, [k, n], [32, 64]), acc)\n        t += r + 1\n    } }\n"
        "    acc = mma(load(w, [m, 0], [64, 32]), load(ww, [0, n], [32, 64]), acc)\n"
        "    store(o, [m, n], acc + cast(t, f32))\n}", 0, 0, NULL }, 4 },
    { { "operands in as many shapes as there are maps, and a store", "f16", LENGTHS,
        "kernel k(w: T[M, K], w2: T[M, K], ww: T[K, N], w3: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load(w, [m, k], [64, 32]), load(ww, [k, n], [32, 64]), acc)\n"
        "        acc = mma(load(w2, [m, k], [64, 32]), load(w3, [k, n], [32, 64]), acc)\n    }\n"
        "    store(o, [m, n], acc - max(acc, 1))\n}", 0, 0, NULL }, 4 },
    { { "a page table", "bf16", "M=64 N=64 K=96;M=70 N=136 K=300",
        "kernel k(w: T[M, K], ww: T[9, 32, N], i: i32[9], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for r in 0 .. 1 { for k in 0 .. cdiv(K, 32) {\n"
        "        page = i[k]\n"
        "        acc = mma(load(w, [m, k], [64, 32]), load(ww, [page, 0, n], [_, 32, 64]), acc)\n    } }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    // Boxes
    { { "boxes across every edge, loaded and stored", "f16 bf16", "H=9 W=17 C=40 N=72;H=1 W=1 C=8 N=8",
        "kernel k(w: T[2, H, W, C], ww: T[N, 3, C], o: T[2, H, W, N]) const T = f16 grid cdiv(H, 4) * cdiv(W, 16), cdiv(N, 64), 2 {\n"
        "    p, q, n, b = block(0) // cdiv(W, 16), block(0) % cdiv(W, 16), block(1), block(2)\n"
        "    acc = zeros(f32, [64, 64])\n    for r in 0 .. 3 { for c in 0 .. cdiv(C, 32) {\n"
        "        t = load_at(w, [b, p * 4 + r - 1, q * 16 - r, c * 32], [_, 4, 16, 32])\n"
        "        acc = mma(reshape(t, [64, 32]), trans(load(ww, [n, r, c], [64, _, 32])), acc)\n    } }\n"
        "    store(o, [b, p, q, n], cast(reshape(acc, [4, 16, 64]), T), shape=[_, 4, 16, 64])\n}", 0, 0, NULL }, 2 },
    { { "boxes of elements at a distance, exchanged and stored", "f16 bf16", "H=9 W=17 C=40 N=72;H=1 W=2 C=8 N=8",
        "kernel k(w: T[2, 16, 50, C], ww: T[N, 3, C], o: T[2, H, W, N]) const T = f16 grid cdiv(H, 2) * cdiv(W, 6), cdiv(N, 64) {\n"
        "    p, q, n = block(0) // cdiv(W, 6), block(0) % cdiv(W, 6), block(1)\n"
        "    acc = zeros(f32, [24, 64])\n    for i in 0 .. cdiv(C, 32) * 3 {\n        r, c = i % 3, i // 3\n"
        "        t = gather(w, [iota(i64, 2)[:, None, None, None], p * 4 + r - 1 + iota(i64, 2)[:, None, None] * 2,\n"
        "                       q * 18 - r + 3 * iota(i64, 6)[:, None], c * 32 + iota(i64, 32)])\n"
        "        acc = mma(reshape(t, [24, 32]), trans(load(ww, [n, r, c], [64, _, 32])), acc)\n    }\n"
        "    store(o, [0, p, q, n], reshape(cast(acc, T), [2, 2, 6, 64]))\n}", 0, 0, NULL }, 2 },
    { { "transposed boxes", "f16 bf16", "H=9 W=17 C=72 N=72;H=4 W=16 C=64 N=64",
        "kernel k(w: T[H, W, C], ww: T[H, W, N], o: f32[C, N]) const T = f16 grid cdiv(C, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n"
        "    for p in 0 .. cdiv(H, 2) { for q in 0 .. cdiv(W, 16) {\n"
        "        a = reshape(load_at(w, [p * 2, q * 16 - 1, m * 64], [2, 16, 64]), [32, 64])\n"
        "        b = reshape(load_at(ww, [p * 2, q * 16 - 1, n * 64], [2, 16, 64]), [32, 64])\n"
        "        acc = mma(trans(a), b, acc)\n    } }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    { { "rows that an axis with one element follows", "f16", "M=128 N=9 K=64;M=70 N=9 K=40",
        "kernel k(w: T[M, K], ww: T[2, N, 3, K], o: f32[M, 16]) const T = f16 grid cdiv(M, 64), 2 {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 8])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load(w, [m, k], [64, 32]), trans(reshape(load(ww, [1, n, 2, k], [_, 8, 1, 32]), [8, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    // Gathered rows
    { { "gathered rows, some of them outside", "f16 bf16 e4m3", LENGTHS,
        "kernel k(w: T[45, K], i: i32[M], ww: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [128], pad=-1)\n    acc = zeros(f32, [128, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load_rows(w, rows, [k], [32]), trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "gathered rows of few, exchanged, and of several axes", "bf16", "M=16 N=64 K=64;M=20 N=136 K=520;M=7 N=64 K=192",
        "kernel k(w: T[20, 3, K], i: i64[M], ww: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 8), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load_at(i, [m * 8 - 1], [8], pad=3)\n    acc = zeros(f32, [8, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load_rows(w, rows, [k % 4, k], [_, 32]), trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "rows of both operands, turned, by numbers from each iteration", "f16 bf16", LENGTHS,
        "kernel k(w: T[45, M], i: i32[K], ii: i64[K], ww: T[45, N], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [128, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(trans(load_rows(w, load(i, [k], [32], pad=-1), [m], [128])),\n"
        "                  load_rows(ww, load(ii, [k], [32], pad=-1), [n], [64]), acc)\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "boxes with a step across every edge, masked", "f16 bf16", "H=9 W=17 C=40 P=5 Q=6 N=72;H=1 W=1 C=8 P=1 Q=1 N=8;H=20 W=64 C=64 P=10 Q=22 N=64",
        "kernel k(w: T[2, H, W, C], ww: T[N, 3, C], o: T[2, P, Q, N]) const T = f16 grid cdiv(P, 4) * cdiv(Q, 16), cdiv(N, 64), 2 {\n"
        "    p, q, n, b = block(0) // cdiv(Q, 16), block(0) % cdiv(Q, 16), block(1), block(2)\n"
        "    acc = zeros(f32, [64, 64])\n    for r in 0 .. 3 { for c in 0 .. cdiv(C, 32) {\n"
        "        y = p * 8 + r - 1 + 2 * iota(i64, 4)[:, None, None]\n        x = q * 48 - r + 3 * iota(i32, 16)[None, :, None]\n"
        "        t = gather(w, [b, y, x, (c - 1) * 32 + iota(i64, 32)[None, None, :]], mask=y + cast(x, i64) != 6)\n"
        "        acc = mma(reshape(t, [64, 32]), trans(load(ww, [n, r, c], [64, _, 32])), acc)\n    } }\n"
        "    store(o, [b, p, q, n], cast(reshape(acc, [4, 16, 64]), T), shape=[_, 4, 16, 64])\n}", 0, 0, NULL }, 3 },
    { { "pixels in a row, numbered by divisions outside of the loops", "f16 bf16", "H=9 W=17 C=40 M=306 N=72;H=1 W=1 C=8 M=2 N=8;H=20 W=12 C=64 M=480 N=64",
        "kernel k(w: T[2, H, W, C], ww: T[N, 2, 3, C], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    pixel = cast(m * 128, i32) + iota(i32, 128)\n"
        "    h, v = cast(H, i32), cast(W, i32)\n    b, p, q = pixel // (h * v), pixel // v % h, pixel % v\n"
        "    acc = zeros(f32, [128, 64])\n    for r in 0 .. 2 { for s in 0 .. 3 { for c in 0 .. cdiv(C, 32) {\n"
        "        t = gather(w, [b[:, None], (p + r - 1)[:, None], (q + s - 1)[:, None], c * 32 + iota(i64, 32)[None, :]])\n"
        "        acc = mma(t, trans(load(ww, [n, r, s, c], [64, _, _, 32])), acc)\n    } } }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "rows of a slice's numbers, behind a search", "f16", "M=128 N=64 K=32;M=70 N=72 K=96;M=50 N=136 K=300",
        "kernel k(w: T[24, K], i: i32[M], ww: T[N, K], o: f32[M, N]) const T = f16 grid 2, cdiv(N, 64) {\n"
        "    e, n = block(0), block(1)\n    from = 0\n    while from < 40 and i[from] != 7 { from += 1 }\n"
        "    to = from + 30 * (1 + e)\n    row = load(slice(i, 0, from, to), [e], [64], pad=-1)\n"
        "    half = where(row >= 0, row // 2, -1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(load_rows(w, half, [k], [64]), trans(load(ww, [n, k], [64, 64])), acc)\n    }\n"
        "    store(o, [e, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "gathered rows that are rounded as they arrive", "tf32", LENGTHS,
        "kernel k(s: T[45, K], i: i32[M], ss: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [128], pad=-1)\n    acc = zeros(f32, [128, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load_rows(s, rows, [k], [32]), trans(load(ss, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 64, 4, NULL }, 4 },
    { { "gathered rows of f32 in a product of tf32, and a box of equal distances", "f32", "M=128 N=64 K=64;M=70 N=72 K=100;M=50 N=136 K=304",
        "kernel k(s: T[45, K], i: i32[M], ss: T[300, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [64], pad=-1)\n    acc = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        b = gather(ss, [n * 128 - 3 + 2 * iota(i64, 64)[:, None], k * 32 + iota(i64, 32)[None, :]])\n"
        "        acc = mma(load_rows(s, rows, [k], [32]), trans(b), acc, precision=tf32)\n    }\n"
        "    store(o, [m, n], acc)\n}", 256, 16, NULL }, 3 },
    { { "rounded rows of both operands, in some products, of no power of two", "tf32", "M=128 N=64 K=64;M=70 N=72 K=100;M=50 N=136 K=304",
        "kernel k(s: T[45, K], s2: T[M, K], i: i32[M], ss: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 40) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [64], pad=-1)\n    acc = zeros(f32, [64, 40])\n"
        "    for k in 0 .. cdiv(K, 48) {\n"
        "        acc = mma(load_rows(s, rows, [k], [48]), trans(load(ss, [n, k], [40, 48])), acc)\n"
        "        if k != 1 { acc = mma(load(s2, [m, k], [64, 48]), trans(load(ss, [n, k], [40, 48])), acc) }\n"
        "        acc = mma(load_rows(s2, rows + 1, [k], [48]), trans(load_rows(ss, n * 40 + iota(i64, 40), [k], [48])), acc)\n    }\n"
        "    acc = mma(load(s2, [m, 0], [64, 48]), trans(load_rows(ss, n * 40 + iota(i64, 40), [0], [48])), acc)\n"
        "    store(o, [m, n], acc)\n}", 256, 32, NULL }, 3 },
    { { "rows of a slice, by numbers that leave it at both ends", "f16 e4m3", "M=128 N=64 K=32;M=70 N=72 K=96;M=50 N=136 K=304",
        "kernel k(w: T[60, K], i: i32[M], ii: i32[4], ww: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    from = cast(ii[m % 4], i64) + 10\n    part = slice(w, 0, from, from + 20)\n"
        "    rows = load(i, [m], [64], pad=-1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load_rows(part, rows, [k], [32]), trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "elements of slices that differ in each iteration of a loop around them", "bf16", "M=64 N=64 K=64;M=130 N=72 K=40",
        "kernel k(w: T[M, K], ww: T[3, 40, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for r in 0 .. 3 {\n"
        "        part = slice(ww, 1, r * 4, 40 - r)\n        for k in 0 .. cdiv(K, 32) {\n"
        "            t = gather(part, [r, (n * 64 - 2 + iota(i64, 64))[:, None], k * 32 + iota(i64, 32)[None, :]])\n"
        "            acc = mma(load(w, [m, k], [64, 32]), trans(t), acc)\n        }\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    { { "boxes of no power of two, and ids of loops around the products", "f16", "M=64 N=64 C=64;M=130 N=72 C=40",
        "kernel k(w: T[M, 3, C], i: u8[3, 24], ww: T[9, 40, C], o: f32[M, 72]) const T = f16 grid cdiv(M, 64) {\n"
        "    m = block(0)\n    acc = zeros(f32, [64, 72])\n    for r in 0 .. 3 {\n"
        "        x = load(i, [r, 0], [1, 24], pad=3) % 40\n        for c in 0 .. cdiv(C, 32) {\n"
        "            y = r + 2 * iota(i16, 3)[:, None, None]\n"
        "            t = gather(ww, [y, cast(x, i16)[:, :, None], c * 32 + iota(i64, 32)[None, None, :]])\n"
        "            acc = mma(load(w, [m, r, c], [64, _, 32]), trans(reshape(t, [72, 32])), acc)\n        }\n    }\n"
        "    store(o, [m, 0], acc)\n}", 0, 0, NULL }, 2 },
    { { "rows that some products gather, of numbers that the epilogue reads", "f16", "M=128 N=64 K=32 V=0;M=70 N=72 K=96 V=20;M=50 N=136 K=300 V=45",
        "kernel k(w: T[V, K], w2: T[M, K], i: i32[M], ww: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [64], pad=-1)\n    acc = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load_rows(w, rows, [k], [32]), trans(load(ww, [n, k], [64, 32])), acc)\n"
        "        acc = mma(load(w2, [m, k], [64, 32]), trans(load(ww, [n, k], [64, 32])), acc)\n"
        "        acc = mma(load_rows(w2, rows + 1, [k], [32]), trans(load_rows(ww, n * 64 + iota(i64, 64), [k], [32])), acc)\n    }\n"
        "    store(o, [m, n], where(rows[:, None] > 4, acc, 1.0))\n}", 0, 0, NULL }, 3 },
    { { "row numbers that no iteration loads, or each", "f16", "M=64 N=64 K=32 R=5;M=64 N=72 K=96 R=130",
        "kernel k(w: T[45, K], i: i32[R], ww: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for r in 0 .. R // 64 { for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load_rows(w, load(i, [m], [64], inside=true), [k], [32]), trans(load(ww, [n, k], [64, 32])), acc)\n    } }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    // Loops with work
    { { "vectors along the depth axis", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[N, K], w3: f32[K], w4: T[K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        x = cast(load(w, [m, k], [64, 32]), f32) * load(w3, [k], [32]) + cast(load(w4, [k], [32]), f32)\n"
        "        acc = mma(cast(x, T), trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "an operand of two products, loaded twice", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[K, N], w3: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    a, b = zeros(f32, [128, 64]), zeros(f32, [128, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        a = mma(load(w, [m, k], [128, 32]), load(ww, [k, n], [32, 64]), a)\n"
        "        b = mma(load(w, [m, k], [128, 32]), load(w3, [k, n], [32, 64]), b)\n    }\n"
        "    store(o, [m, n], a - b * 2.0)\n}", 0, 0, NULL }, 4 },
    { { "a product behind a loop of products of two shapes", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[K, N], w3: T[K, 16], w4: T[16, N], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    a, b = zeros(f32, [128, 64]), zeros(f32, [128, 16])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        x = load(w, [m, k], [128, 32])\n        a = mma(x, load(ww, [k, n], [32, 64]), a)\n"
        "        b = mma(x, load(w3, [k, 0], [32, 16]), b)\n    }\n"
        "    store(o, [m, n], mma(cast(minimum(b, 100.0), T), load(w4, [0, n], [16, 64]), a))\n}", 0, 0, NULL }, 4 },
    { { "factors that are loaded ahead, padded", "f16 bf16 e4m3", LENGTHS,
        "kernel k(w: T[M, K], ww: T[N, K], w1: f32[M, 9], w2: f32[4, 30], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [128, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        p = mma(load(w, [m, k], [128, 32]), trans(load(ww, [n, k], [64, 32])), zeros(f32, [128, 64]))\n"
        "        acc += p * load_at(w1, [m * 128 - 2, k - 1], [128, 1], pad=1) * w2[n, k]\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a pad that the iteration computes, and a scalar before and behind the product", "f16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[N, K], w1: f32[M, 9], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        s = (k * 3 + 1) % 5\n        f = load_at(w1, [m * 64 - 3, s + 2], [64, 1], pad=cast(k % 3, f32))\n"
        "        acc = mma(load(w, [m, s], [64, 32]), trans(load(ww, [n, k], [64, 32])), acc * -1.0)\n"
        "        acc = where(iota(i32, 64)[None, :] < s * 9, acc + f, acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "products one iteration ahead, with a carried scalar and a condition", "bf16 e5m2 f16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[N, K], w2: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n, t = block(0), block(1), 1\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        a, c = load(w, [m, k], [64, 32]), load(w, [m, k - 1], [64, 32])\n"
        "        p = mma(a, trans(load(ww, [n, k], [64, 32])), zeros(f32, [64, 64]))\n"
        "        q = mma(c, trans(load(w2, [n, k], [64, 32])), zeros(f32, [64, 64]))\n"
        "        if k % 2 == 0 { acc += p * cast(t, f32) } else { acc = acc - q }\n        t += 1\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a computed right operand", "bf16 f16", "M=64 N=64 K=64;M=72 N=136 K=512;M=8 N=8 K=2",
        "kernel k(w: T[M, K], x: u8[N, 300], w1: T[N, 9], o: T[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        p = load(x, [n, k], [64, 32])\n        h = reshape(cat((p & 15)[:, :, None], (p >> 4)[:, :, None], 2), [64, 64])\n"
        "        y = where(k * 64 + iota(i32, 64)[None, :] < K, cast(h, T) - 8.0, 0.0) * load(w1, [n, k], [64, 1])\n"
        "        acc = mma(load(w, [m, k], [64, 64]), trans(y), acc)\n    }\n    store(o, [m, n], cast(acc, T))\n}", 0, 0, NULL }, 3 },
    { { "a computed right operand, for few rows", "bf16", "M=16 N=64 K=64;M=20 N=136 K=1024;M=7 N=64 K=192;M=8 N=8 K=2",
        "kernel k(w: T[M, K], w2: i8[N, K], w1: T[N, 20], o: f32[M, N]) const T = f16 grid cdiv(M, 16), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [16, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        y = cast(load(w2, [n, k], [64, 64]), T) * load(w1, [n, k], [64, 1], pad=2)\n"
        "        acc = mma(load(w, [m, k], [16, 64]), trans(y), acc)\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "computed right operands that share the left one", "bf16 f16", "M=64 N=64 K=64;M=72 N=136 K=512;M=8 N=8 K=2",
        "kernel k(w: T[M, K], w2: i8[N, K], w3: i8[N, K], w1: T[N, 20], o: T[M, N]) const T = f16 grid cdiv(M, 32), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    g, u = zeros(f32, [32, 64]), zeros(f32, [32, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        x = load(w, [m, k], [32, 64])\n"
        "        g = mma(x, trans(cast(load(w2, [n, k], [64, 64]), T)), g)\n"
        "        u = mma(x, trans(cast(load(w3, [n, k], [64, 64]), T) * load(w1, [n, k], [64, 1], pad=2)), u)\n    }\n"
        "    store(o, [m, n], cast(where(g > 0.0, g, 0.25 * g) + u, T))\n}", 0, 0, NULL }, 3 },
    { { "two chains of products, one after the other", "bf16", "M=130 N=72 K=64;M=20 N=128 K=192;M=8 N=8 K=8",
        "kernel k(w: T[M, K], w2: T[M, K], ww: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 128) {\n"
        "    m = block(0)\n    a, b = zeros(f32, [128, 128]), zeros(f32, [128, 128])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        v = load(ww, [k, 0], [64, 128])\n"
        "        p = mma(load(w, [m, k], [128, 64]), load(ww, [k, 0], [64, 64]), zeros(f32, [128, 64]))\n"
        "        a = mma(cast(maximum(p, -3.0) * 0.25, T), v, a * 0.5)\n"
        "        q = mma(load(w2, [m, k], [128, 64]), load(ww, [k, 0], [64, 64]), zeros(f32, [128, 64]))\n"
        "        b = mma(cast(minimum(q, 3.0) * 0.25, T), v, b * 0.5)\n    }\n"
        "    store(o, [m, 0], a - 0.5 * b)\n}", 0, 0, NULL }, 3 },
    { { "transposed computed operands, of a tile that other work reads", "bf16", "M=64 K=64;M=72 K=200;M=8 K=8",
        "kernel k(w: T[K, M], w1: f32[K], o: f32[M, M], oo: f32[M, M]) const T = f16 grid cdiv(M, 64), cdiv(M, 64) {\n"
        "    m, n = block(0), block(1)\n    u, v = zeros(f32, [64, 64]), zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        r = cast(load(w, [k, n], [64, 64]), f32) * load(w1, [k], [64])[:, None]\n"
        "        u = mma(trans(cast(r, T)), load(w, [k, m], [64, 64]), u)\n"
        "        v = mma(trans(cast(minimum(r, 2.0), T)), load(w, [k, m], [64, 64]), v)\n    }\n"
        "    store(o, [n, m], u)\n    store(oo, [n, m], v)\n}", 0, 0, NULL }, 3 },
    { { "a lone transposed computed operand", "bf16", "M=128 K=64;M=72 K=200;M=8 K=8",
        "kernel k(w: T[K, M], w1: f32[K], o: f32[M, M]) const T = f16 grid cdiv(M, 128), cdiv(M, 128) {\n"
        "    m, n = block(0), block(1)\n    u = zeros(f32, [128, 128])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        r = cast(load(w, [k, n], [64, 128]), f32) * load(w1, [k], [64])[:, None]\n"
        "        u = mma(trans(load(w, [k, m], [64, 128])), cast(r, T), u)\n    }\n"
        "    store(o, [m, n], u)\n}", 0, 0, NULL }, 3 },
    { { "a branch on a scalar between products", "bf16", "M=130 N=64 K=64;M=20 N=64 K=200;M=8 N=8 K=8",
        "kernel k(w: T[M, 64], ww: T[K, 64], w2: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    a, acc = load(w, [m, 0], [64, 64]), zeros(f32, [64, 64])\n    total = zeros(f32, [64, 1])\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        x = mma(a, trans(load(ww, [k, 0], [64, 64])), zeros(f32, [64, 64])) * 0.25\n"
        "        if m > 0 { x = x * 2.0 }\n"
        "        x = where(k * 64 + iota(i32, 64)[None, :] < K, x, 0.0)\n        total += sum(x, 1)\n"
        "        acc = mma(cast(x, T), load(w2, [k, n], [64, 64]), acc)\n    }\n    store(o, [m, n], acc + total)\n}", 0, 0, NULL }, 3 },
    { { "a banded left operand", "f16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    i = m * 64 + iota(i64, 64)[:, None]\n"
        "    for k in 0 .. cdiv(K, 32) {\n        j = k * 32 + iota(i64, 32)\n"
        "        a = where((abs(i - j) <= K // 5) | (j - i > 40), load(w, [m, k], [64, 32]), 0.0)\n"
        "        acc = mma(a, load(ww, [k, n], [32, 64]), acc)\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a computed left operand of 32 bits", "f16", LENGTHS,
        "kernel k(w: f32[M, K], ww: T[K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        a = maximum(load(w, [m, k], [64, 32]) * 2.0, -3.0)\n"
        "        acc = mma(cast(a, T), load(ww, [k, n], [32, 64]), acc)\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a product that streams no operand", "bf16", "M=64 N=16 K=64;M=64 N=112 K=288",
        "kernel k(w: T[M, 32], w2: i8[N, K], w3: f32[5, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc, a = zeros(f32, [64, 64]), load(w, [m, 0], [64, 32])\n    for k in 0 .. cdiv(K, 16) {\n"
        "        q = load(w2, [n, k], [64, 16])\n        b = cast(reshape(cat(q[:, :, None], q[:, :, None] + 1, 2), [64, 32]), T)\n"
        "        p = mma(a, trans(b - 2.0), zeros(f32, [64, 64]))\n"
        "        if k % 2 == 0 { acc += p * load(w3, [m, n], [_, 64])[None, :] }\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    // Control flow of scalars before a loop with work
    { { "a search before a computed operand", "f16 bf16", "M=128 N=64 K=32;M=70 N=72 K=96;M=50 N=136 K=300",
        "kernel k(w: T[24, K], i: i32[M], w3: f32[M], ww: T[3, K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    e = 0\n    while e < 2 and i[e] != 7 { e += 1 }\n"
        "    last = cdiv(K, 32)\n    if i[m] == 3 { last -= 1 }\n"
        "    rows, s = load(i, [m], [64], pad=-1), load(w3, [m], [64])\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. last {\n"
        "        x = cast(load_rows(w, rows, [k], [32]), f32) * s[:, None]\n"
        "        acc = mma(cast(x, T), load(ww, [e, k, n], [_, 32, 64]), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "a group of rows that a search finds, dequantized", "bf16", "M=128 N=64 K=64;M=70 N=72 K=96;M=200 N=136 K=300",
        "kernel k(w: i8[M, K], w2: i32[5], w3: f32[5, K], ww: T[5, K, N], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    e, rows = 0, 0\n    while e < 4 and rows < m {\n        rows += maximum(w2[e], 0)\n        e += 1\n    }\n"
        "    acc = zeros(f32, [128, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        x = cast(load(w, [m, k], [128, 32]), f32) * load(w3, [e, k], [_, 32])[None, :]\n"
        "        acc = mma(cast(x, T), load(ww, [e, k, n], [_, 32, 64]), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    // Two computed operands
    { { "two computed operands, the right one transposed", "bf16 f16", LENGTHS,
        "kernel k(w: i8[M, K], ww: i8[N, K], w3: f32[M], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 128) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [128, 128])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        a = cast(load(w, [m, k], [128, 32]), f32) * load(w3, [m], [128])[:, None]\n"
        "        b = trans(cast(load(ww, [n, k], [128, 32]), T))\n        acc = mma(cast(a, T), b, acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "two computed operands, the right one divided by columns", "bf16 f16", LENGTHS,
        "kernel k(w: i8[45, K], i: i32[M], ww: i8[K, N], w3: f32[K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [128], pad=-1)\n    acc = zeros(f32, [128, 64])\n"
        "    for k in 0 .. cdiv(K, 64) {\n        a = cast(load_rows(w, rows, [k], [64]), T)\n"
        "        b = cast(load(ww, [k, n], [64, 64]), f32) * load(w3, [k], [64])[:, None]\n        acc = mma(a, cast(b, T), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "two computed operands of wide tiles", "bf16", "M=256 N=256 K=128;M=300 N=264 K=72",
        "kernel k(w: i8[M, K], ww: i8[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 256) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [128, 256])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(cast(load(w, [m, k], [128, 32]), T), trans(cast(load(ww, [n, k], [256, 32]), T)), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    { { "two computed operands of tall tiles, from something else than zero", "bf16", "M=256 N=64 K=128;M=300 N=72 K=72",
        "kernel k(w: i8[M, K], ww: i8[K, N], w3: f32[M, N], o: f32[M, N]) const T = f16 grid cdiv(M, 256), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = load(w3, [m, n], [256, 64])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(cast(load(w, [m, k], [256, 64]), T), cast(load(ww, [k, n], [64, 64]), T), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    // Gathered rows beside other work
    { { "gathered rows that are scaled, some of them outside", "f16 bf16", LENGTHS,
        "kernel k(w: T[45, K], i: i32[M], ww: T[N, K], w3: f32[M], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows, s = load(i, [m], [128], pad=-1), load(w3, [m], [128])\n"
        "    acc = zeros(f32, [128, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        x = cast(load_rows(w, rows, [k], [32]), f32) * s[:, None]\n"
        "        acc = mma(cast(x, T), trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "gathered rows of another dtype, scaled by column", "i8 e4m3 f32", LENGTHS,
        "kernel k(w: T[45, K], i: i64[M], ww: bf16[K, N], w3: f32[K], o: f32[M, N]) const T = i8 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [64], pad=-1)\n    acc = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        x = cast(load_rows(w, rows, [k], [32]), f32) * load(w3, [k], [32])[None, :]\n"
        "        acc = mma(cast(x, bf16), load(ww, [k, n], [32, 64]), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "gathered rows of a slice, scaled", "f16 i8", LENGTHS,
        "kernel k(w: T[60, K], i: i32[M], ii: i32[4], ww: bf16[N, K], w3: f32[M], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    from = cast(ii[n % 4], i64) + 10\n    part = slice(w, 0, from, from + 20)\n"
        "    rows, s = load(i, [m], [128], pad=-1), load(w3, [m], [128])\n"
        "    acc = zeros(f32, [128, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        x = cast(load_rows(part, rows, [k], [32]), f32) * s[:, None]\n"
        "        acc = mma(cast(x, bf16), trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "gathered rows of a slice for each iteration's keys, in a chain", "bf16", "M=128 N=64 K=64;M=70 N=64 K=200;M=130 N=16 K=33",
        "kernel k(w: T[M, 64], ww: T[99, 64], w3: T[2, 99, N], ii: i32[K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    q = load(w, [m, 0], [128, 64])\n    acc = zeros(f32, [128, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n        page = load(ii, [k], [32], pad=-1)\n"
        "        p = mma(q, trans(load_rows(slice(ww, 0, 5, 80), page, [0], [64])), zeros(f32, [128, 32]))\n"
        "        p = minimum(maximum(p, -8.0), 8.0)\n"
        "        v = reshape(gather(slice(w3, 1, k, 60), [1, page[:, None], n * 64 + iota(i64, 64)[None, :]]), [32, 64])\n"
        "        acc = mma(cast(p, T), v, acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "gathered rows of both operands, the left one computed", "f16 bf16", LENGTHS,
        "kernel k(w: T[45, K], i: i32[M], ww: T[45, N], ii: i64[K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [128], pad=-1)\n    acc = zeros(f32, [128, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        a = maximum(load_rows(w, rows, [k], [32]), 0.0)\n        b = load_rows(ww, load(ii, [k], [32], pad=-1), [n], [64])\n"
        "        acc = mma(a, b, acc)\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a gathered right operand beside a computed left one", "bf16", LENGTHS,
        "kernel k(w: i8[M, K], ww: T[45, K], i: i32[N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    keys = load(i, [n], [64], pad=-1) // 2\n    acc = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        a = cast(load(w, [m, k], [64, 32]), T)\n        acc = mma(a, trans(load_rows(ww, keys, [k], [32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a computed right operand of gathered rows, exchanged", "bf16 f16", "M=64 N=64 K=64;M=72 N=136 K=512;M=16 N=24 K=32",
        "kernel k(w: T[M, K], ww: i8[45, K], i: i32[N], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    keys = load(i, [n], [64], pad=-1)\n    acc = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        b = cast(load_rows(ww, keys, [k], [32]), T)\n        acc = mma(load(w, [m, k], [64, 32]), trans(b), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "gathered rows that a product and a sum share", "f16 bf16", LENGTHS,
        "kernel k(w: T[45, K], i: i32[M], ww: T[N, K], w3: T[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    rows = load(i, [m], [128], pad=-1)\n    a, b = zeros(f32, [128, 64]), zeros(f32, [128, 64])\n"
        "    total = zeros(f32, [128, 1])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        x = load_rows(w, rows, [k], [32])\n        a = mma(x, trans(load(ww, [n, k], [64, 32])), a)\n"
        "        b = mma(x, trans(load(w3, [n, k], [64, 32])), b)\n        y = cast(load_rows(w, rows, [k], [32]), f32)\n"
        "        total += sum(y * y, 1)\n    }\n"
        "    store(o, [m, n], maximum(a, b) + total)\n}", 0, 0, NULL }, 4 },
    { { "gathered rows once, and others in each iteration, in a chain", "f16 bf16", "M=128 N=64 K=64;M=70 N=64 K=200;M=130 N=16 K=33",
        "kernel k(w: T[45, 64], ww: T[99, 64], w3: T[99, N], i: i32[M], ii: i32[K], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    q = load_rows(w, load(i, [m], [128], pad=-1), [0], [64])\n    acc = zeros(f32, [128, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n        page = load(ii, [k], [32], pad=-1)\n"
        "        p = mma(q, trans(load_rows(ww, page, [0], [64])), zeros(f32, [128, 32]))\n"
        "        p = minimum(maximum(p, -8.0), 8.0)\n        acc = mma(cast(p, T), load_rows(w3, page, [n], [64]), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "pixels in a row, masked and computed", "f16 bf16", "H=9 W=17 C=40 M=306 N=72;H=1 W=1 C=8 M=2 N=8;H=20 W=12 C=64 M=480 N=64",
        "kernel k(w: T[2, H, W, C], ww: T[N, 3, C], o: f32[M, N]) const T = f16 grid cdiv(M, 128), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    pixel = cast(m * 128, i32) + iota(i32, 128)\n"
        "    h, v = cast(H, i32), cast(W, i32)\n    b, p, q = pixel // (h * v), pixel // v % h, pixel % v\n"
        "    acc = zeros(f32, [128, 64])\n    for j in 0 .. 3 * cdiv(C, 32) {\n        s, c = j % 3, j // 3\n"
        "        t = gather(w, [b[:, None], p[:, None], (q + cast(s, i32) - 1)[:, None], c * 32 + iota(i64, 32)[None, :]], mask=(q % 5 != 3)[:, None])\n"
        "        acc = mma(maximum(t, -1.0), trans(load(ww, [n, s, c], [64, _, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    { { "a box of elements at a distance beside a computed operand", "bf16", "M=64 N=64 C=64;M=130 N=72 C=40",
        "kernel k(w: i8[M, C], ww: T[130, C], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 32) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 32])\n    for c in 0 .. cdiv(C, 32) {\n"
        "        b = gather(ww, [n * 64 - 3 + 2 * iota(i64, 32)[:, None], c * 32 + iota(i64, 32)[None, :]])\n"
        "        acc = mma(cast(load(w, [m, c], [64, 32]), T), trans(b), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 2 },
    { { "gathered rows that many columns need, and their gradient's order", "bf16", "M=64 N=64 K=64;M=100 N=136 K=300;M=200 N=8 K=40",
        "kernel k(w: T[45, M], i: i32[K], ww: T[K, N], w3: f32[K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 128) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 128])\n    for k in 0 .. cdiv(K, 64) {\n"
        "        x = cast(load_rows(w, load(i, [k], [64], pad=-1), [m], [64]), f32) * load(w3, [k], [64])[:, None]\n"
        "        acc = mma(trans(cast(x, T)), load(ww, [k, n], [64, 128]), acc)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 3 },
    // Gradients: a tile in two orders, sums of computed operands, and products that add to memory
    { { "a product of a transposed computed operand", "f16 bf16", "M=128 K=64;M=256 K=400;M=70 K=40",
        "kernel k(w: T[M, 64], ww: T[K, 64], u: f32[K, 64], o: f32[M, 64], oo: f32[M, 64]) const T = f16 grid cdiv(M, 128) {\n"
        "    m = block(0)\n    x, z = load(w, [m, 0], [128, 64]), load(w, [m, 0], [128, 64])\n"
        "    a, b = zeros(f32, [128, 64]), zeros(f32, [128, 64])\n    for i in 0 .. cdiv(K, 64) {\n        k = (i + 1) % cdiv(K, 64)\n"
        "        s = mma(x, trans(load(ww, [k, 0], [64, 64])), zeros(f32, [128, 64]))\n"
        "        t = mma(z, trans(load(ww, [i, 0], [64, 64])), zeros(f32, [128, 64]))\n"
        "        p = cast(minimum(maximum(s, -7.0), 7.0), T)\n        q = cast(minimum(maximum(s + t, -5.0), 9.0), T)\n"
        "        a = mma(q, load(ww, [k, 0], [64, 64]), a)\n        b = mma(p, load(ww, [i, 0], [64, 64]), b)\n"
        "        r = mma(trans(p), load(w, [m, 0], [128, 64]), zeros(f32, [64, 64]))\n"
        "        store_add(u, [k, 0], r * cast(k, f32) + 1.0)\n    }\n"
        "    store(o, [m, 0], a)\n    store(oo, [m, 0], b)\n}", 0, 0, NULL }, 3 },
    { { "a computed right operand with more columns than the accumulator has rows", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: i8[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 128) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 128])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        acc = mma(load(w, [m, k], [64, 32]), trans(cast(load(ww, [n, k], [128, 32]), T)), acc * -1.0)\n    }\n"
        "    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "a branch on the result of a product of a computed operand", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: i8[N, K], o: f32[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        s = mma(load(w, [m, k], [64, 32]), trans(cast(load(ww, [n, k], [64, 32]), T)), zeros(f32, [64, 64]))\n"
        "        if k % 2 == 0 { acc += s }\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL }, 4 },
    { { "tiles that share scratch memory with a loop of one iteration", "f16 bf16", "M=64 N=256 K=32;M=200 N=100 K=32;M=64 N=256 K=96;M=64 N=64 K=0",
        "kernel k(w: T[M, K], ww: T[N, K], w3: f32[M, 8], o: f32[N, M]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    acc, top = zeros(f32, [64, 64]), 1.0\n    for k in 0 .. cdiv(K, 32) {\n"
        "        top = maximum(top, max(load(w3, [m, 0], [64, 8])) + cast(k, f32))\n"
        "        acc += mma(load(w, [m, k], [64, 32]), trans(load(ww, [n, k], [64, 32])), zeros(f32, [64, 64]))\n    }\n"
        "    store(o, [n, m], trans(acc + top))\n}", 0, 0, NULL }, 3 },
    { { "a computed right operand, scaled by a carried number", "bf16 f16", "M=64 K=32;M=128 K=300;M=33 K=40",
        "kernel k(w: T[M, 64], ww: T[K, 64], u: f32[M, 32], o: f32[M, 64]) const T = f16 grid cdiv(M, 64) {\n"
        "    m, t = block(0), 1.0\n    x = load(w, [m, 0], [64, 64])\n    a = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 32) {\n"
        "        s = mma(x, trans(load(ww, [k, 0], [32, 64])), zeros(f32, [64, 32]))\n"
        "        p = cast(minimum(maximum(s, -7.0), 7.0), T)\n"
        "        r = mma(trans(load(w, [m, 0], [64, 64])), p, zeros(f32, [64, 32]))\n"
        "        store_add(u, [m, 0], r * t)\n        t += 1.0\n"
        "        a = mma(p, load(ww, [k, 0], [32, 64]), a)\n    }\n    store(o, [m, 0], a)\n}", 0, 0, NULL }, 3 },
    { { "a computed operand of two products, and a mask of some iterations", "f16", "M=256 K=48;M=300 K=500;M=40 K=70",
        "kernel k(w: T[M, 64], ww: T[K, 64], u: f32[K, 64], o: f32[M, 64]) const T = f16 grid cdiv(M, 256) {\n"
        "    m = block(0)\n    x = load(w, [m, 0], [256, 64])\n    a = zeros(f32, [256, 64])\n    for k in 0 .. cdiv(K, 16) {\n"
        "        s = mma(x, trans(load(ww, [k, 0], [16, 64])), zeros(f32, [256, 16]))\n"
        "        if k % 3 == m { s = where(iota(i32, 256)[:, None] > cast(k, i32), s, 1.0) }\n"
        "        p = cast(minimum(maximum(s, -7.0), 7.0), T)\n"
        "        a = mma(p, load(ww, [k, 0], [16, 64]), a)\n"
        "        store_add(u, [k, 0], mma(p, load(ww, [k, 0], [16, 64]), zeros(f32, [256, 64])), shape=[256, 64])\n    }\n"
        "    store(o, [m, 0], a)\n}", 0, 0, NULL }, 3 },
    { { "the largest magnitude of rows before their products, and quotients that are truncated", "f16 bf16", LENGTHS,
        "kernel k(w: T[M, K], ww: T[N, K], o: f32[M, N], oo: i16[M, N]) const T = f16 grid cdiv(M, 64), cdiv(N, 64) {\n"
        "    m, n = block(0), block(1)\n    top = zeros(f32, [64, 1])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        top = maximum(top, max(abs(cast(load(w, [m, k], [64, 32]), f32)), 1))\n    }\n"
        "    s = where(top > 2.0, 4.0, 0.5)\n    acc = zeros(f32, [64, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
        "        q = cast(cast(load(w, [m, k], [64, 32]), f32) / s, T)\n"
        "        acc = mma(q, trans(load(ww, [n, k], [64, 32])), acc)\n    }\n"
        "    store(o, [m, n], acc + top)\n    store(oo, [m, n], cast(acc * 41.0 / (top * 41.0 + 41.0), i16))\n}", 0, 0, NULL }, 4 },
};
// clang-format on

#endif
