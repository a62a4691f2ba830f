// The table of constructs: one row each.
#ifndef CUCORE_TESTS_TILE_CONSTRUCTS_H
#define CUCORE_TESTS_TILE_CONSTRUCTS_H

#include "construct.h"

// clang-format off
static const struct construct constructs[] = {
    // Loads and stores
    { "a copy by blocks", EVERY, "N=1;N=7;N=64;N=200;N=0",
      "kernel k(x: T[N], o: T[N]) const T = f32 grid cdiv(N, 64) {\n"
      "    store(o, [block(0)], load(x, [block(0)], [64]))\n}", 0, 0, NULL },
    { "a copy of two axes", "i8 f16 f32 f64", "M=1 N=1;M=5 N=9;M=16 N=32;M=33 N=40",
      "kernel k(x: T[M, N], o: T[M, N]) const T = f32 grid cdiv(M, 8), cdiv(N, 16) {\n"
      "    store(o, [block(0), block(1)], load(x, [block(0), block(1)], [8, 16]))\n}", 0, 0, NULL },
    { "a copy of extents that are no powers of two", "i16 f32", "M=5 N=9;M=12 N=30;M=13 N=44",
      "kernel k(x: T[M, N], o: T[M, N]) const T = f32 grid cdiv(M, 3), cdiv(N, 11) {\n"
      "    store(o, [block(0), block(1)], load(x, [block(0), block(1)], [3, 11]))\n}", 0, 0, NULL },
    { "a copy of three axes, one dropped", "u8 f32", "L=3 M=5 N=9;L=1 M=16 N=32",
      "kernel k(x: T[L, M, N], o: T[L, M, N]) const T = f32 grid cdiv(M, 8), cdiv(N, 16), L {\n"
      "    store(o, [block(2), block(0), block(1)],\n"
      "          load(x, [block(2), block(0), block(1)], [_, 8, 16]), shape=[_, 8, 16])\n}", 0, 0, NULL },
    { "a scalar", EVERY, "",
      "kernel k(x: T[], o: T[]) const T = f32 {\n    store(o, [], load(x, [], []))\n}", 0, 0, NULL },
    { "pads", NUMBERS " bool", "N=5;N=64;N=70",
      "kernel k(x: T[N], o: T[96]) const T = f32 {\n"
      "    store(o, [0], load(x, [0], [96], pad=1))\n}", 0, 0, NULL },
    { "a pad of each element's own", "i32 f16", "N=5;N=32",
      "kernel k(x: T[N], y: T[32], o: T[32]) const T = f32 {\n"
      "    store(o, [0], load(x, [0], [32], pad=load(y, [0], [32])))\n}", 0, 0, NULL },
    { "indices outside", "i8 f32", "N=40 n=0;N=40 n=-1;N=40 n=2;N=40 n=3;N=40 n=9223372036854775807;"
      "N=40 n=-9223372036854775808;N=40 n=576460752303423488",
      "kernel k(x: T[N], u: T[N], o: T[16], n: i64) const T = f32 {\n"
      "    y = load(x, [n], [16], pad=1)\n    store(o, [0], y)\n    store(u, [n], y)\n}", 0, 0, NULL },
    { "accesses by element", "i8 f16 f32", "M=9 N=40 n=0;M=9 N=40 n=-3;M=9 N=40 n=25;M=9 N=40 n=4611686018427387904",
      "kernel k(x: T[M, N], u: T[M, N], n: i64) const T = f32 {\n"
      "    y = load_at(x, [n - 1, n], [4, 16], pad=1)\n    store_at(u, [n, n + 3], y)\n}", 0, 0, NULL },
    { "elements", "i16 f32 bool", "M=9 N=40 n=0;M=9 N=40 n=3;M=9 N=40 n=-2",
      "kernel k(x: T[M, N], o: T[M], n: i32) const T = f32 grid M {\n"
      "    store(o, [block(0)], x[block(0), n], shape=[_])\n}", 0, 0, NULL },
    { "rows by ids", "i8 f16 f32", "M=20 N=24",
      "kernel k(x: T[M, N], i: i32[16], o: T[16, 24]) const T = f32 {\n"
      "    store(o, [0, 0], load_rows(x, load(i, [0], [16]), [0], [24], pad=1))\n}", 0, 0, NULL },
    { "rows by 64-bit ids", "f32", "M=20 N=21",
      "kernel k(x: T[M, N], i: i64[5], o: T[5, 24]) const T = f32 {\n"
      "    store(o, [0, 0], load_rows(x, load(i, [0], [5]), [0], [24], pad=1))\n}", 0, 0, NULL },
    { "rows stored by ids", "i8 f16 f32", "M=20 N=24",
      "kernel k(x: T[16, N], p: i32[16], u: T[M, N]) const T = f32 {\n"
      "    store_rows(u, load(p, [0], [16]) * 3 - 7, [0], load(x, [0, 0], [16, 24]))\n}", 0, 0, NULL },
    { "sums into memory", "i32 u32 i64 u64 f16 bf16 f32 f64", "N=20",
      "kernel k(w: T[N], u: T[N]) const T = f32 grid 3 {\n"
      "    store_add(u, [0], load(w, [0], [32]))\n}", 0, 0, NULL },
    { "other operations into memory", "i32 u32 i64 u64", "N=20",
      "kernel k(x: T[N], u: T[N], v: T[N]) const T = i32 grid 2 {\n"
      "    y = load(x, [0], [32])\n    store_max(u, [0], y)\n    store_min(u, [0], y)\n"
      "    store_and(u, [0], y)\n    store_or(u, [0], y)\n    store_xor(u, [0], y)\n}", 0, 0, NULL },
    { "slices", "i8 f32", "N=40 a=3 b=30;N=40 a=-5 b=100;N=40 a=20 b=10",
      "kernel k(x: T[N], u: T[N], o: T[64], a: i32, b: i64) const T = f32 {\n"
      "    s = slice(x, 0, a, b)\n    store(o, [0], load(s, [0], [64], pad=1))\n"
      "    store(slice(u, 0, a, b), [0], load(s, [0], [32]))\n}", 0, 0, NULL },
    { "slices of slices, dim and stride", "f32", "M=9 N=40",
      "kernel k(x: T[M, N], o: T[4, 8], oo: i64[4]) const T = f32 {\n"
      "    s = slice(slice(x, 0, 2, 7), 1, 5, 11)\n    store(o, [0, 0], load(s, [0, 0], [4, 8]))\n"
      "    store(oo, [0], dim(s, 0), shape=[_])\n    store(oo, [1], dim(s, 1), shape=[_])\n"
      "    store(oo, [2], stride(x, 1), shape=[_])\n    store(oo, [3], dim(x, 0), shape=[_])\n}", 0, 0, NULL },
    { "a tensor written and read again", "f32 i8", "N=64",
      "kernel k(x: T[N], u: T[N], o: T[N]) const T = f32 {\n"
      "    store(u, [0], load(x, [0], [64]))\n    store(o, [0], load_at(u, [1], [64]))\n"
      "    store_at(u, [-1], load(o, [0], [64]))\n    store(o, [0], load(u, [0], [64]))\n}", 0, 0, NULL },
    // By element
    { "a gather", EVERY, "N=40",
      "kernel k(x: T[N], i: i32[33], o: T[33]) const T = f32 {\n"
      "    store(o, [0], gather(x, [load(i, [0], [33])]))\n}", 0, 0, NULL },
    { "a gather of two axes, with a mask and a pad", "i8 f16 f32 f64", "M=9 N=40",
      "kernel k(x: T[M, N], i: i64[5, 1], ii: i32[1, 24], m: bool[5, 24], o: T[5, 24]) const T = f32 {\n"
      "    store(o, [0, 0], gather(x, [load(i, [0, 0], [5, 1]), load(ii, [0, 0], [1, 24])],\n"
      "                            mask=load(m, [0, 0], [5, 24]), pad=3))\n}", 0, 0, NULL },
    { "indices of any integer dtype", INTEGERS, "N=40",
      "kernel k(x: f32[N], i: T[48], o: f32[48], u: f32[N]) const T = i32 {\n"
      "    j = load(i, [0], [48])\n    store(o, [0], gather(x, [j], pad=-1))\n"
      "    scatter(u, [j], full(f32, [48], 2.0))\n}", 0, 0, NULL },
    { "a gather of a scalar", "f32 i8", "N=40 n=3;N=40 n=41",
      "kernel k(x: T[N], y: T[], o: T[2], n: i32) const T = f32 {\n"
      "    store(o, [0], gather(x, [n]), shape=[_])\n    store(o, [1], gather(y, []), shape=[_])\n}", 0, 0, NULL },
    { "a gather with a pad of each element's own", "f32", "N=40",
      "kernel k(x: T[N], y: T[24], i: i32[24], o: T[24]) const T = f32 {\n"
      "    store(o, [0], gather(x, [load(i, [0], [24])], pad=load(y, [0], [24])))\n}", 0, 0, NULL },
    { "a scatter", EVERY, "N=40",
      "kernel k(x: T[33], p: i32[33], u: T[N]) const T = f32 {\n"
      "    scatter(u, [load(p, [0], [33]) * 2 - 5], load(x, [0], [33]))\n}", 0, 0, NULL },
    { "a scatter of few with a mask", "i8 f32", "M=7 N=40",
      "kernel k(x: T[3], p: i32[3], m: bool[3], u: T[M, N]) const T = f32 {\n"
      "    scatter(u, [2, load(p, [0], [3]) * 13], load(x, [0], [3]), mask=load(m, [0], [3]))\n}", 0, 0, NULL },
    { "acquire and release by element", "f32 i8", "N=40",
      "kernel k(x: T[N], p: i32[33], u: T[N]) const T = f32 {\n"
      "    j = load(p, [0], [33])\n    y = gather(x, [j], order=acquire)\n"
      "    scatter(u, [j], y, order=release)\n    z = gather(u, [j], order=relaxed, scope=block)\n"
      "    scatter(u, [(j + 1) % 33], z, order=relaxed, scope=system)\n}", 0, 0, NULL },
    { "atomic sums and what was there", "i32 u32 i64 u64 f16 bf16 f32 f64", "N=40",
      "kernel k(w: T[33], p: i32[33], u: T[N], o: T[33]) const T = f32 {\n"
      "    store(o, [0], atomic_add(u, [load(p, [0], [33]) * 2 - 3], load(w, [0], [33])))\n}", 0, 0, NULL },
    { "atomic sums of many in few places", "i32 u32 i64 u64 f16 bf16 f32 f64", "N=40",
      "kernel k(w: T[100], p: i32[100], u: T[N]) const T = f32 grid 2 {\n"
      "    i = load(p, [0], [100])\n    old = atomic_add(u, [i % 5], load(w, [0], [100]), order=relaxed)\n}", 0, 0, NULL },
    { "an atomic sum of a scalar", "i32 u32 i64 u64 f16 bf16 f32 f64", "N=40",
      "kernel k(u: T[N], v: T[], o: T[64]) const T = f32 {\n"
      "    old = atomic_add(u, [3], 2)\n    store(o, [0], broadcast(old, [64]))\n"
      "    atomic_add(u, [3], old, scope=block)\n    atomic_add(u, [41], old, scope=system)\n}", 0, 0, NULL },
    { "atomic operations with masks", "i32 u32 i64 u64", "N=40",
      "kernel k(x: T[33], p: i32[33], m: bool[33], u: T[N], o: T[6, 33]) const T = i32 {\n"
      "    i, y, z = load(p, [0], [33]) - 2, load(x, [0], [33]), load(m, [0], [33])\n"
      "    store(o, [0, 0], atomic_max(u, [i], y, mask=z, order=acquire))\n"
      "    store(o, [1, 0], atomic_min(u, [i], y, mask=z, order=release))\n"
      "    store(o, [2, 0], atomic_and(u, [i], y, order=relaxed))\n"
      "    store(o, [3, 0], atomic_or(u, [i], y))\n"
      "    store(o, [4, 0], atomic_xor(u, [i], y))\n"
      "    store(o, [5, 0], atomic_xchg(u, [i], y))\n}", 0, 0, NULL },
    { "exchanges", "i32 u64 f32 f64", "N=40",
      "kernel k(x: T[33], p: i32[33], u: T[N], o: T[2, 33]) const T = i32 {\n"
      "    i, y = load(p, [0], [33]) - 2, load(x, [0], [33])\n"
      "    store(o, [0, 0], atomic_xchg(u, [i], y))\n"
      "    store(o, [1, 0], atomic_cas(u, [i], where(i % 2 == 0, y, 1), 3))\n}", 0, 0, NULL },
    { "atomic results where copies of elements are", "i32 f32", "N=40",
      "kernel k(p: i32[4], u: T[N], o: T[4, 64]) const T = i32 {\n"
      "    old = atomic_add(u, [load(p, [0], [4])], full(T, [4], 5))\n"
      "    store(o, [0, 0], broadcast(old[:, None], [4, 64]))\n}", 0, 0, NULL },
};
// clang-format on
enum { CONSTRUCTS = sizeof(constructs) / sizeof(constructs[0]) };

#endif
