// The table of constructs, one per row.
#ifndef CUCORE_TESTS_TILE_CONSTRUCTS_H
#define CUCORE_TESTS_TILE_CONSTRUCTS_H

#include "base/array.h"
#include "construct.h"

#include <stddef.h>

// clang-format off
static const struct construct constructs[] = {
    // Loads and stores
    { "a copy by blocks", EVERY, "N=1;N=7;N=64;N=200;N=0",
      "kernel k(x: T[N], o: T[N]) const T = f32 grid cdiv(N, 64) {\n"
      "    store(o, [block(0)], load(x, [block(0)], [64]))\n}", 0, 0, NULL },
    { "a copy of two axes", "i8 f16 f32 f64", "M=1 N=1;M=5 N=9;M=16 N=32;M=33 N=40",
      "kernel k(x: T[M, N], o: T[M, N]) const T = f32 grid cdiv(M, 8), cdiv(N, 16) {\n"
      "    store(o, [block(0), block(1)], load(x, [block(0), block(1)], [8, 16]))\n}", 0, 0, NULL },
    { "a copy of extents that are not powers of two", "i16 f32", "M=5 N=9;M=12 N=30;M=13 N=44",
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
    { "quotients as indices that would pass 64 bits", "i8 f32", "N=40 n=0;N=40 n=5;N=40 n=2305843009213693952;"
      "N=40 n=-2305843009213693952;N=40 n=1152921504606846976;N=40 n=9223372036854775807",
      "kernel k(x: T[N], u: T[N], o: T[2, 16], n: i64) const T = f32 {\n"
      "    y = load(x, [n // 2], [16], pad=1)\n    store(o, [0, 0], y)\n    store(u, [cdiv(n, 2)], y)\n"
      "    store(o, [1, 0], load(x, [n * 8], [16], pad=2))\n}", 0, 0, NULL },
    { "quotients by a divisor that many divisions share", "i32", "N=1 n=1;N=2 n=-37;N=7 n=34087042;N=64 n=-34087042;N=100 n=5;"
      "N=4097 n=-34087042",
      "kernel k(x: T[N], o: T[6, 64], q: i64[2, 64], n: i32) const T = i32 {\n    w, i = cast(N, i32), iota(i32, 64) * n\n"
      "    store(o, [0, 0], i // w, shape=[_, 64])\n    store(o, [1, 0], i % w, shape=[_, 64])\n"
      "    u, v = cast(iota(i64, 64) * 68174084, u32), cast(w, u32)\n"
      "    store(o, [2, 0], cast(u // v, i32), shape=[_, 64])\n    store(o, [3, 0], cast(u % v, i32), shape=[_, 64])\n"
      "    store(q, [0, 0], iota(i64, 64) * 31 // N, shape=[_, 64])\n    store(q, [1, 0], iota(i64, 64) * 31 % N, shape=[_, 64])\n"
      "    for j in cast(0, i32) .. 64 {\n        store(o, [4, j], j * 1000 // w)\n        store(o, [5, j], (7 - j) % w)\n    }\n}", 0, 0, NULL },
    { "quotients by divisors that share a register", NULL, "N=3 n=-3 m=5;N=1 n=5 m=300;N=70 n=2147483000 m=1",
      "kernel k(x: f32[N], o: i32[5, 64], oo: i16[64], q: i32[N, 64], n: i32, m: i16) grid N {\n"
      "    v, u = iota(i32, 64) - 32, cast(iota(i32, 64), u32) * 68174084\n"
      "    store(o, [0, 0], cast(u // cast(n, u32), i32), shape=[_, 64])\n    store(o, [1, 0], v * 7 // n, shape=[_, 64])\n"
      "    store(o, [2, 0], cast(u // cast(m, u32), i32), shape=[_, 64])\n    store(oo, [0], cast(v * 7, i16) // m)\n"
      "    y = iota(i64, 64) * 31\n"
      "    if n > 0 { y = y // num_blocks(0) } else { y = y % num_blocks(0) }\n    store(q, [block(0), 0], cast(y, i32), shape=[_, 64])\n"
      "    w = n\n    for j in 0 .. 3 {\n        store(o, [3, 0], cast(u // cast(w, u32), i32), shape=[_, 64])\n        w = w + 4\n    }\n"
      "    store(o, [4, 0], iota(i32, 64) * 68174 // w, shape=[_, 64])\n}", 0, 0, NULL },
    { "extents that are known to be multiples", "i8 f16 f32", "M=1 N=8;M=3 N=40;M=4 N=64;M=9 N=104;M=0 N=0",
      "kernel k(x: T[M, N], u: T[M, N], o: T[M, N]) const T = f32 where N % 8 == 0, M < 100 grid cdiv(M, 4), cdiv(N, 32) {\n"
      "    i, j = block(0), block(1)\n    y = load(x, [i, j], [4, 32], pad=1)\n    store(o, [i, j], y)\n"
      "    for c in 0 .. N step 8 { store_at(u, [i * 4, c], load_at(x, [i * 4, c], [4, 8])) }\n}", 0, 0, NULL },
    { "a kernel that ends in a turn of a static for", "i32 f16", "N=64 n=1;N=64 n=7",
      "kernel k(w: T[N], o: T[N], n: i32) const T = i32 {\n    x = load(w, [0], [8])\n"
      "    static for j in 0 .. 3 {\n        store(o, [j], x + j)\n        if j == 1 { return; x = x * 2 }\n    }\n"
      "    store(o, [5], x)\n    if n > 3 { x = x + 1; return } else { return }\n    store(o, [6], x)\n}", 0, 0, NULL },
    { "what comes behind an arm that is left", "i32 f16", "N=64 n=1;N=64 n=7",
      "kernel k(w: T[N], o: T[N], n: i32) const T = i32 {\n    x = load(w, [0], [8])\n"
      "    if n > 3 { y = x * 2; store(o, [3], y); return; y = x } else { y = x + 1 }\n    store(o, [0], y)\n"
      "    for j in 0 .. 4 { if j > n { break; y = y + 9 } else { z = y * 2 }\n        y = z\n        continue\n        y = y + 7 }\n"
      "    store(o, [1], y)\n}", 0, 0, NULL },
    { "tiles that the grid keeps inside", "i8 f16 f32", "M=1 N=8;M=3 N=40;M=4 N=64;M=9 N=104;M=0 N=8;M=5 N=0",
      "kernel k(x: T[M, N], u: T[M, N], y: T[M, 32], o: T[M, N], oo: T[M, 32]) const T = f32 where N % 8 == 0 grid M, N // 8 {\n"
      "    i, j = block(0), block(1)\n    store(o, [i, j], load(x, [i, j], [_, 8]), shape=[_, 8])\n"
      "    store(oo, [cast(i, i32), j], load(y, [i, j], [_, 8], pad=1), shape=[_, 8])\n"
      "    store(slice(u, 1, 0, N), [i, j], load(slice(u, 0, 0, M), [i, j], [1, 8]))\n}", 0, 0, NULL },
    { "tiles that are known to be inside", "i8 f16 f32", "N=64;N=70;N=1000",
      "kernel k(x: T[N], y: T[4, 64], o: T[N], oo: T[4, 64]) const T = f32 where N >= 64 grid 1 {\n"
      "    store(o, [0], load(x, [0], [64]))\n    for j in 0 .. 4 { store(oo, [j, 0], load(y, [j, 0], [_, 64])) }\n"
      "    for j in 0 .. 5 step 2 { store_at(oo, [0, j * 8], load_at(y, [3, 40 - j * 8], [_, 16])) }\n}", 0, 0, NULL },
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
    { "rows with a pad of each element's own", "i8 f32", "M=20 N=3",
      "kernel k(x: T[M, N], i: i32[32], y: T[4, 32], o: T[32, 4], oo: T[4, 32]) const T = f32 {\n"
      "    a = load(y, [0, 0], [4, 32])\n    store(oo, [0, 0], a)\n"
      "    store(o, [0, 0], load_rows(x, load(i, [0], [32]), [0], [4], pad=trans(a)))\n}", 0, 0, NULL },
    { "rows stored by ids", "i8 f16 f32", "M=20 N=24",
      "kernel k(x: T[16, N], p: i32[16], u: T[M, N]) const T = f32 {\n"
      "    store_rows(u, load(p, [0], [16]) * 3 - 7, [0], load(x, [0, 0], [16, 24]))\n}", 0, 0, NULL },
    { "sums into memory", "i32 u32 i64 u64 f16 bf16 f32 f64", "N=20",
      "kernel k(w: T[N], u: T[N]) const T = f32 grid 3 {\n"
      "    store_add(u, [0], load(w, [0], [32]))\n}", 0, 0, NULL },
    { "sums into rows by ids, in vectors", "i32 u64 f16 bf16 f32 f64", "M=9 N=40;M=9 N=64;M=5 N=13;M=3 N=80",
      "kernel k(w: T[16, N], p: i32[16], pp: i32[16], u: T[M, N], uu: T[M, N], uuu: T[M, N]) const T = f32 grid 2 {\n"
      "    ids = load(p, [0], [16]) % 11 - 1\n    x = load(w, [0, 0], [16, 64])\n    j = iota(i32, 64)\n"
      "    atomic_add(u, [ids[:, None], j], x, order=relaxed)\n"
      "    atomic_add(uu, [ids[:, None], j + cast(block(0) * 8, i32)], x, mask=(load(pp, [0], [16]) < 9)[:, None], order=relaxed)\n"
      "    atomic_add(uuu, [ids[:, None], j * 2], x, order=relaxed)\n    store_add(uuu, [3, 0], extract(x, [0, 0], [1, 64]))\n}", 0, 0, NULL },
    { "other operations into memory", "i32 u32 i64 u64", "N=20",
      "kernel k(x: T[N], u: T[N], v: T[N]) const T = i32 {\n"
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
    { "accesses that are promised to be inside", "i8 f16 f32", "M=12 N=40;M=16 N=64",
      "kernel k(x: T[M, N], u: T[M, N], p: i32[8], o: T[4, 24], oo: T[8], o1: T[3, 11]) const T = f32 grid 2, 2 {\n"
      "    i, j = block(0), block(1)\n    y = load(x, [i, j], [4, 8], inside=true)\n    store(u, [i, j], y, inside=true)\n"
      "    store_at(o, [0, 3], load_at(x, [1, 8], [3, 11], inside=true), inside=true)\n"
      "    ids = load(p, [0], [8], inside=true)\n    store(oo, [0], gather(x, [ids % 12, iota(i32, 8) * 5], mask=ids > 2, pad=1, inside=true))\n"
      "    store(o1, [0, 0], load_rows(x, iota(i32, 3) * 2, [0], [11], inside=true), inside=true)\n"
      "    scatter(oo, [iota(i32, 8)], gather(x, [ids % 12, iota(i32, 8)], inside=true), inside=true)\n}", 0, 0, NULL },
    // Pairs of 16-bit floats, and small integers that become such floats
    { "sums and products of 16-bit floats, of any values", "f16 bf16", "",
      "kernel k(x: T[4096], y: T[4096], z: T[64, 1], o: T[4096], o1: T[4096], o2: T[4096], oo: T[64, 64], o3: T[64, 64]) const T = f16 {\n"
      "    a, b = load(x, [0], [4096]), load(y, [0], [4096])\n"
      "    store(o, [0], a + b)\n    store(o1, [0], a - b)\n    store(o2, [0], a * b)\n"
      "    c, d = reshape(a, [64, 64]), load(z, [0, 0], [64, 1])\n"
      "    store(oo, [0, 0], (c - d) * d)\n    store(o3, [0, 0], 2.0 - c + d * -0.0)\n}", 0, 0, NULL },
    { "every integer of 8 bits as a 16-bit float", "f16 bf16", "",
      "kernel k(p: u8[256], p1: i8[256], o: T[256], o1: T[256], o2: T[8, 256], o3: T[8, 256], o4: T[8, 256], o5: T[6, 256]) const T = f16 {\n"
      "    a, b = load(p, [0], [256]), load(p1, [0], [256])\n    store(o, [0], cast(a, T))\n    store(o1, [0], cast(b, T))\n"
      "    static for j in 0 .. 8 {\n        store(o2, [j, 0], cast(a >> j, T)[None, :])\n"
      "        store(o3, [j, 0], cast(a & ((1 << j) * 2 - 1), T)[None, :])\n"
      "        store(o4, [j, 0], (cast(maximum(minimum(b, 17 * j), 3 - 16 * j), T) + (j * 5 - 9))[None, :])\n    }\n"
      "    n = reshape(cat((a & 15)[:, None], (a >> 4)[:, None], 1), [512])\n"
      "    static for j in 0 .. 3 {\n        x = reshape(cast(n, T) - (j * 24 - 8.0), [2, 256])\n"
      "        store(o5, [j * 2, 0], extract(x, [0, 0], [1, 256]))\n        store(o5, [j * 2 + 1, 0], extract(x, [1, 0], [1, 256]))\n    }\n}", 0, 0, NULL },
    { "integers of 32 bits in every range as 16-bit floats", "f16 bf16", "",
      "kernel k(p: i32[2304], o: T[60, 2304], oo: T[60, 2304]) const T = f16 {\n    a = load(p, [0], [2304])\n"
      "    static for j in 0 .. 60 {\n"
      "        b = a % (j * 41 + 1) - j * 22\n"
      "        if j % 4 == 1 { b = a % (127 + (j - 1) // 4) - 128 + (j - 1) // 4 * 9 }\n"
      "        if j % 4 == 2 { b = a % (1022 + (j - 2) // 4) - 1030 + (j - 2) // 4 }\n"
      "        store(o, [j, 0], cast(b, T)[None, :])\n        store(oo, [j, 0], (cast(b, T) - (j * 9 - 128))[None, :])\n    }\n}", 0, 0, NULL },
    // Elementwise
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
    // Casts and elements
    { "casts to every dtype", EVERY, "N=1000",
      "kernel k(x: T[N], ob: bool[N], o1: i8[N], o2: i16[N], o3: i32[N], o4: i64[N], o5: u8[N],\n"
      "         o6: u16[N], o7: u32[N], o8: u64[N], o9: f16[N], oa: bf16[N], oc: f32[N], od: f64[N],\n"
      "         oe: tf32[N], of: e4m3[N], og: e5m2[N]) const T = f32 grid cdiv(N, 128) {\n"
      "    i = block(0)\n    v = load(x, [i], [128])\n"
      "    store(ob, [i], cast(v, bool))\n    store(o1, [i], cast(v, i8))\n"
      "    store(o2, [i], cast(v, i16))\n    store(o3, [i], cast(v, i32))\n"
      "    store(o4, [i], cast(v, i64))\n    store(o5, [i], cast(v, u8))\n"
      "    store(o6, [i], cast(v, u16))\n    store(o7, [i], cast(v, u32))\n"
      "    store(o8, [i], cast(v, u64))\n    store(o9, [i], cast(v, f16))\n"
      "    store(oa, [i], cast(v, bf16))\n    store(oc, [i], cast(v, f32))\n"
      "    store(od, [i], cast(v, f64))\n    store(oe, [i], cast(v, tf32))\n"
      "    store(of, [i], cast(v, e4m3))\n    store(og, [i], cast(v, e5m2))\n}", 0, 0, NULL },
    { "casts with a rounding", FLOATS, "N=512",
      "kernel k(x: T[N], o1: i32[3, N], o2: i64[3, N], o3: f16[3, N], o4: bf16[3, N], o5: f32[3, N])\n"
      "    const T = f64 {\n    v = load(x, [0], [512])\n"
      "    store(o1, [0, 0], cast(v, i32, round=rz))\n    store(o1, [1, 0], cast(v, i32, round=rm))\n"
      "    store(o1, [2, 0], cast(v, i32, round=rp))\n    store(o2, [0, 0], cast(v, i64, round=rz))\n"
      "    store(o2, [1, 0], cast(v, i64, round=rm))\n    store(o2, [2, 0], cast(v, i64, round=rp))\n"
      "    store(o3, [0, 0], cast(v, f16, round=rz))\n    store(o3, [1, 0], cast(v, f16, round=rm))\n"
      "    store(o3, [2, 0], cast(v, f16, round=rp))\n    store(o4, [0, 0], cast(v, bf16, round=rz))\n"
      "    store(o4, [1, 0], cast(v, bf16, round=rm))\n    store(o4, [2, 0], cast(v, bf16, round=rp))\n"
      "    store(o5, [0, 0], cast(v, f32, round=rz))\n    store(o5, [1, 0], cast(v, f32, round=rm))\n"
      "    store(o5, [2, 0], cast(v, f32, round=rp))\n}", 0, 0, NULL },
    { "casts of integers with a rounding", INTEGERS, "N=256",
      "kernel k(x: T[N], o3: f16[3, N], o4: bf16[3, N], o5: f32[3, N], o6: f64[3, N]) const T = i64 {\n"
      "    v = load(x, [0], [256])\n"
      "    store(o3, [0, 0], cast(v, f16, round=rz))\n    store(o3, [1, 0], cast(v, f16, round=rm))\n"
      "    store(o3, [2, 0], cast(v, f16, round=rp))\n    store(o4, [0, 0], cast(v, bf16, round=rz))\n"
      "    store(o4, [1, 0], cast(v, bf16, round=rm))\n    store(o4, [2, 0], cast(v, bf16, round=rp))\n"
      "    store(o5, [0, 0], cast(v, f32, round=rz))\n    store(o5, [1, 0], cast(v, f32, round=rm))\n"
      "    store(o5, [2, 0], cast(v, f32, round=rp))\n    store(o6, [0, 0], cast(v, f64, round=rz))\n"
      "    store(o6, [1, 0], cast(v, f64, round=rm))\n    store(o6, [2, 0], cast(v, f64, round=rp))\n}", 0, 0, NULL },
    { "the bits of other dtypes, in elements of another width", NULL, "N=24",
      "kernel k(a: u32[N], b: f16[2, N], c: f64[N], d: u8[N], e: bf16[N], o1: u8[96], o2: e4m3[2, 48], o3: i32[48],\n"
      "         o4: f32[6], o5: i64[3], o6: u32[12], o7: i16[1, 48], o8: u32[2, 3, 4], o9: f64[2, 3]) {\n"
      "    x = load(a, [0], [24])\n    store(o1, [0], bitcast(x, u8))\n"
      "    store(o2, [0, 0], bitcast(load(b, [0, 0], [2, 24]), e4m3))\n    store(o3, [0], bitcast(load(c, [0], [24]), i32))\n"
      "    store(o4, [0], bitcast(bitcast(load(d, [0], [24]), u32) & 0x7f7fffff, f32)); store(o5, [0], bitcast(load(d, [0], [24]), i64))\n"
      "    store(o6, [0], bitcast(load(e, [0], [24]), u32)); store(o7, [0, 0], bitcast(x[None, :], i16))\n"
      "    store(o8, [0, 0, 0], bitcast(reshape(bitcast(x, u8), [2, 3, 16]), u32))\n"
      "    store(o9, [0, 0], bitcast(bitcast(load(d, [0], [24]), u32) & 0x3f7fffff, f64)[None, :])\n}", 0, 0, NULL },
    { "the bits of other dtypes", NULL, "N=32",
      "kernel k(a: i8[N], b: f16[N], c: f32[N], d: f64[N], e: u16[N], o1: u8[N], o2: e4m3[N], o3: i16[N],\n"
      "         o4: bf16[N], o5: i32[N], o6: tf32[N], o7: u64[N], o8: f16[N]) {\n"
      "    store(o1, [0], bitcast(load(a, [0], [32]), u8))\n    store(o2, [0], bitcast(load(a, [0], [32]), e4m3))\n"
      "    store(o3, [0], bitcast(load(b, [0], [32]), i16))\n    store(o4, [0], bitcast(load(b, [0], [32]), bf16))\n"
      "    store(o5, [0], bitcast(load(c, [0], [32]), i32))\n    store(o6, [0], bitcast(load(c, [0], [32]), tf32))\n"
      "    store(o7, [0], bitcast(load(d, [0], [32]), u64))\n    store(o8, [0], bitcast(load(e, [0], [32]), f16))\n}", 0, 0, NULL },
    { "arithmetic", NUMBERS, "N=256",
      "kernel k(x: T[N], y: T[N], o: T[5, N]) const T = f32 {\n"
      "    a, b = load(x, [0], [256]), load(y, [0], [256])\n"
      "    store(o, [0, 0], a + b)\n    store(o, [1, 0], a - b)\n    store(o, [2, 0], a * b)\n"
      "    store(o, [3, 0], minimum(a, b))\n    store(o, [4, 0], maximum(a, b))\n}", 0, 0, NULL },
    { "arithmetic of one operand", NUMBERS, "N=256",
      "kernel k(x: T[N], o: T[2, N]) const T = f32 {\n    a = load(x, [0], [256])\n"
      "    store(o, [0, 0], -a)\n    store(o, [1, 0], abs(a))\n}", 0, 0, NULL },
    { "division of integers", INTEGERS, "N=256",
      "kernel k(x: T[N], y: T[N], o: T[3, N], of: f32[N]) const T = i32 {\n"
      "    a, b = load(x, [0], [256]), load(y, [0], [256])\n"
      "    b = where(b == 0, 3, b)\n    b = where(~b == 0, 7, b)\n"
      "    store(o, [0, 0], a // b)\n    store(o, [1, 0], a % b)\n    store(o, [2, 0], cdiv(a, b))\n"
      "    store(of, [0], a / b)\n}", 0, 0, NULL },
    { "the least number by -1, which wraps", "i8 i16 i32 i64", "N=64 n=-1",
      "kernel k(x: T[N], o: T[3, N], n: i64) const T = i32 {\n"
      "    m = full(T, [64], 1)\n    for i in 0 .. 63 { m = where(m + m == 0, m, m + m) }\n"
      "    m, d = m + (load(x, [0], [64]) & 1), full(T, [64], 0) + cast(n, T)\n"
      "    store(o, [0, 0], m // d)\n    store(o, [1, 0], m % d)\n    store(o, [2, 0], cdiv(m, d))\n}", 0, 0, NULL },
    { "division by numbers that are known", NULL, "N=256 n=-9223372036854775807",
      "kernel k(x: i64[N], o: i64[12, N], n: i64) {\n    a = load(x, [0], [256])\n"
      "    store(o, [0, 0], a // 3)\n    store(o, [1, 0], a % 3)\n    store(o, [2, 0], cdiv(a, 3))\n"
      "    store(o, [3, 0], a // 112)\n    store(o, [4, 0], a % 112)\n    store(o, [5, 0], cdiv(a, 112))\n"
      "    store(o, [6, 0], a // 7)\n    store(o, [7, 0], a % 641)\n    store(o, [8, 0], cdiv(a * 112, 112))\n"
      "    store(o, [9, 0], (n + a % 5) // 9223372036854775807)\n    store(o, [10, 0], (n - a % 5) % 1000000007)\n"
      "    store(o, [11, 0], cdiv(n + a % 5, 4611686018427387905))\n}", 0, 0, NULL },
    { "bits", INTEGERS, "N=256",
      "kernel k(x: T[N], y: T[N], o: T[6, N]) const T = i32 {\n"
      "    a, b = load(x, [0], [256]), load(y, [0], [256])\n"
      "    store(o, [0, 0], a & b)\n    store(o, [1, 0], a | b)\n    store(o, [2, 0], a ^ b)\n"
      "    store(o, [3, 0], ~a)\n    store(o, [4, 0], a << (b & 7))\n    store(o, [5, 0], a >> (b & 7))\n}", 0, 0, NULL },
    { "bools", NULL, "N=64",
      "kernel k(x: bool[N], y: bool[N], z: bool[N], o: bool[8, N]) {\n"
      "    a, b, c = load(x, [0], [64]), load(y, [0], [64]), load(z, [0], [64])\n"
      "    store(o, [0, 0], a & b)\n    store(o, [1, 0], a | b)\n    store(o, [2, 0], a ^ b)\n"
      "    store(o, [3, 0], ~a)\n    store(o, [4, 0], a == b)\n    store(o, [5, 0], a != b)\n"
      "    store(o, [6, 0], where(a, b, c))\n}", 0, 0, NULL },
    { "comparisons", NUMBERS, "N=256",
      "kernel k(x: T[N], y: T[N], o: bool[6, N], oo: T[N]) const T = f32 {\n"
      "    a, b = load(x, [0], [256]), load(y, [0], [256])\n"
      "    store(o, [0, 0], a == b)\n    store(o, [1, 0], a != b)\n    store(o, [2, 0], a < b)\n"
      "    store(o, [3, 0], a <= b)\n    store(o, [4, 0], a > b)\n    store(o, [5, 0], a >= b)\n"
      "    store(oo, [0], where(a < b, a, b))\n}", 0, 0, NULL },
    { "division, rounding and signs of floats", FLOATS, "N=512",
      "kernel k(x: T[N], y: T[N], o: T[10, N], ob: bool[2, N]) const T = f32 {\n"
      "    a, b = load(x, [0], [512]), load(y, [0], [512])\n"
      "    store(o, [0, 0], a / b)\n    store(o, [1, 0], a // b)\n    store(o, [2, 0], a % b)\n"
      "    store(o, [3, 0], floor(a))\n    store(o, [4, 0], ceil(a))\n    store(o, [5, 0], round(a))\n"
      "    store(o, [6, 0], trunc(a))\n    store(o, [7, 0], sqrt(a))\n    store(o, [8, 0], fma(a, b, a))\n"
      "    store(o, [9, 0], copysign(a, b))\n"
      "    store(ob, [0, 0], isnan(a))\n    store(ob, [1, 0], isinf(a))\n}", 0, 0, NULL },
    { "arithmetic in a direction", FLOATS, "N=512",
      "kernel k(x: T[N], y: T[N], z: T[N], o: T[18, N]) const T = f32 grid cdiv(N, 64) {\n"
      "    a, b, c = load(x, [block(0)], [64]), load(y, [block(0)], [64]), load(z, [block(0)], [64])\n"
      "    store(o, [0, block(0)], add(a, b, round=rz)); store(o, [1, block(0)], add(a, b, round=rm))\n"
      "    store(o, [2, block(0)], add(a, b, round=rp)); store(o, [3, block(0)], sub(a, b, round=rz))\n"
      "    store(o, [4, block(0)], sub(a, b, round=rm)); store(o, [5, block(0)], sub(a, b, round=rp))\n"
      "    store(o, [6, block(0)], mul(a, b, round=rz)); store(o, [7, block(0)], mul(a, b, round=rm))\n"
      "    store(o, [8, block(0)], mul(a, b, round=rp)); store(o, [9, block(0)], div(a, b, round=rz))\n"
      "    store(o, [10, block(0)], div(a, b, round=rm)); store(o, [11, block(0)], div(a, b, round=rp))\n"
      "    store(o, [12, block(0)], fma(a, b, c, round=rz)); store(o, [13, block(0)], fma(a, b, c, round=rm))\n"
      "    store(o, [14, block(0)], fma(a, b, c, round=rp)); store(o, [15, block(0)], sqrt(a, round=rz))\n"
      "    store(o, [16, block(0)], sqrt(a, round=rm)); store(o, [17, block(0)], sqrt(a, round=rp))}", 0, 0, NULL },
    { "arithmetic around the least normal number, without subnormals", NULL, "N=256",
      "kernel k(x: u32[N], y: u32[N], o: f32[40, N]) grid cdiv(N, 32) {\n"
      "    i, j = load(x, [block(0)], [32]), load(y, [block(0)], [32])\n"
      "    a, b = bitcast(i & 0x81ffffff, f32), bitcast(j & 0x81ffffff, f32)\n"
      "    m = bitcast((j & 0x80ffffff) | 0x3f000000, f32)\n"
      "    p, q = bitcast((i & 0x80000003) | 0x00800000, f32), bitcast(0x3f800000 - (j & 3), f32)\n"
      "    store(o, [0, block(0)], add(a, b, round=rn, ftz=true)); store(o, [1, block(0)], add(a, b, round=rz, ftz=true))\n"
      "    store(o, [2, block(0)], add(a, b, round=rm, ftz=true)); store(o, [3, block(0)], add(a, b, round=rp, ftz=true))\n"
      "    store(o, [4, block(0)], sub(a, b, round=rn, ftz=true)); store(o, [5, block(0)], sub(a, b, round=rz, ftz=true))\n"
      "    store(o, [6, block(0)], sub(a, b, round=rm, ftz=true)); store(o, [7, block(0)], sub(a, b, round=rp, ftz=true))\n"
      "    store(o, [8, block(0)], mul(a, m, round=rn, ftz=true)); store(o, [9, block(0)], mul(a, m, round=rz, ftz=true))\n"
      "    store(o, [10, block(0)], mul(a, m, round=rm, ftz=true)); store(o, [11, block(0)], mul(a, m, round=rp, ftz=true))\n"
      "    store(o, [12, block(0)], div(a, m, round=rn, ftz=true)); store(o, [13, block(0)], div(a, m, round=rz, ftz=true))\n"
      "    store(o, [14, block(0)], div(a, m, round=rm, ftz=true)); store(o, [15, block(0)], div(a, m, round=rp, ftz=true))\n"
      "    store(o, [16, block(0)], fma(a, m, b, round=rn, ftz=true)); store(o, [17, block(0)], fma(a, m, b, round=rz, ftz=true))\n"
      "    store(o, [18, block(0)], fma(a, m, b, round=rm, ftz=true)); store(o, [19, block(0)], fma(a, m, b, round=rp, ftz=true))\n"
      "    store(o, [20, block(0)], fma(a, m, -a, round=rn, ftz=true)); store(o, [21, block(0)], fma(a, m, -a, round=rz, ftz=true))\n"
      "    store(o, [22, block(0)], fma(a, m, -a, round=rm, ftz=true)); store(o, [23, block(0)], fma(a, m, -a, round=rp, ftz=true))\n"
      "    store(o, [24, block(0)], mul(p, q, round=rn, ftz=true)); store(o, [25, block(0)], mul(p, q, round=rz, ftz=true))\n"
      "    store(o, [26, block(0)], mul(p, q, round=rm, ftz=true)); store(o, [27, block(0)], mul(p, q, round=rp, ftz=true))\n"
      "    store(o, [28, block(0)], div(p, q, round=rn, ftz=true)); store(o, [29, block(0)], div(p, q, round=rz, ftz=true))\n"
      "    store(o, [30, block(0)], div(p, q, round=rm, ftz=true)); store(o, [31, block(0)], div(p, q, round=rp, ftz=true))\n"
      "    store(o, [32, block(0)], sqrt(a, ftz=true)); store(o, [33, block(0)], minimum(a, b, ftz=true))\n"
      "    store(o, [34, block(0)], maximum(a, b, nan=true, ftz=true)); store(o, [35, block(0)], mul(a, m))\n"
      "    store(o, [36, block(0)], add(1.0, b)); store(o, [37, block(0)], fma(a, m, b))\n"
      "    store(o, [38, block(0)], sub(a, b, ftz=true)); store(o, [39, block(0)], div(a, m, round=rn))}", 0, 0, NULL },
    { "gradients", "f16 f32 f64", "M=1 N=8;M=3 N=40;M=20 N=64",
      "fn f(x, s, b) { return s * tanh(x / (s + 3.0)) + where(x > 0.0, b * x, sigmoid(b)) - sqrt(x * x + 1.0) }\n"
      "kernel k(sx: T[M, N], sy: T[M, N], sb: T[N], sc: T[M], o: T[M, N], ob: T[N], oc: T[M]) const T = f32 grid 1 {\n"
      "    i, j = iota(i32, 20)[:, None], iota(i32, 64)\n    a, d = gather(sx, [i, j]), load(sy, [0, 0], [20, 64])\n"
      "    r = f(a, gather(sc, [i]), gather(sb, [j]))\n    store(o, [0, 0], gradient(r, a, d))\n"
      "    store(ob, [0], gradient_at(r, sb, [j], d)); store(oc, [0], squeeze(gradient_at(r, sc, [i], d), 1))\n}", 64, 64, NULL },
    { "casts without subnormals", NULL, "N=512",
      "kernel k(x: u32[N], y: f64[N], z: f16[N], o1: f16[2, N], o2: f64[N], o3: f32[3, N], o4: bf16[N], o5: e5m2[N]) grid cdiv(N, 64) {\n"
      "    a, b, c = bitcast(load(x, [block(0)], [64]) & 0x81ffffff, f32), load(y, [block(0)], [64]), load(z, [block(0)], [64])\n"
      "    d = cast(a, f64) * 0.37\n    store(o1, [0, block(0)], cast(a, f16, round=rp, ftz=true))\n"
      "    store(o1, [1, block(0)], cast(a, f16, ftz=true)); store(o2, [block(0)], cast(a, f64, ftz=true))\n"
      "    store(o3, [0, block(0)], cast(b, f32, ftz=true)); store(o3, [1, block(0)], cast(d, f32, round=rz, ftz=true))\n"
      "    store(o3, [2, block(0)], cast(c, f32, ftz=true)); store(o4, [block(0)], cast(a, bf16, round=rm, ftz=true))\n"
      "    store(o5, [block(0)], cast(a, e5m2, ftz=true))\n}", 0, 0, NULL },
    { "functions that are approximate, and without subnormals", NULL, "N=64",
      "kernel k(w: f32[N], s: f32[N], o: f32[14, N]) {\n"
      "    a, b = load(w, [0], [64]), load(s, [0], [64]) + 3.0\n"
      "    store(o, [0, 0], div(a, b, round=approx)); store(o, [1, 0], div(a, b, round=full))\n"
      "    store(o, [2, 0], div(a, b, round=full, ftz=true)); store(o, [3, 0], sqrt(b, round=approx))\n"
      "    store(o, [4, 0], sqrt(b, round=approx, ftz=true)); store(o, [5, 0], rsqrt(b, round=approx))\n"
      "    store(o, [6, 0], rsqrt(b, ftz=true)); store(o, [7, 0], exp(a, round=approx))\n"
      "    store(o, [8, 0], exp(a, round=full)); store(o, [9, 0], exp(a, ftz=true))\n"
      "    store(o, [10, 0], exp2(a, round=approx, ftz=true)); store(o, [11, 0], exp2(a, ftz=true))\n"
      "    store(o, [12, 0], tanh(a, round=full)); store(o, [13, 0], tanh(a, ftz=true))\n}", 8, 0, NULL },
    { "approximations of what is subnormal, without subnormals", NULL, "N=64",
      "kernel k(x: u32[N], o: f32[3, N]) {\n    i = load(x, [0], [64])\n    a = bitcast(i & 0x81ffffff, f32)\n"
      "    large = bitcast(0x7b800000 + (i & 0), f32)\n"
      "    store(o, [0, 0], tanh(a, round=full, ftz=true) * large); store(o, [1, 0], rsqrt(abs(a), ftz=true))\n"
      "    store(o, [2, 0], exp2(-120.0 - cast(i & 15, f32), ftz=true) * large)\n}", 8, 0, NULL },
    { "an approximate tanh", NULL, "N=64",
      "kernel k(w: f32[N], o: f32[2, N]) {\n    a = load(w, [0], [64]) * 0.3\n"
      "    store(o, [0, 0], tanh(a, round=approx)); store(o, [1, 0], tanh(a, round=approx, ftz=true))\n}", 16384, 0, NULL },
    { "the least and the greatest, NaN kept", FLOATS, "N=256",
      "kernel k(x: T[N], y: T[N], o: T[2, N]) const T = f32 {\n"
      "    a, b = load(x, [0], [256]), load(y, [0], [256])\n"
      "    store(o, [0, 0], minimum(a, b, nan=true))\n    store(o, [1, 0], maximum(a, b, nan=true))\n}", 0, 0, NULL },
    { "scalars in registers", NULL, "a=-7 b=3 c=2.5 d=300 e=1",
      "kernel k(a: i64, b: i8, c: f16, d: u16, e: bool, o: i64[8], of: f32[4]) {\n"
      "    store(o, [0], a // b, shape=[_])\n    store(o, [1], a % b, shape=[_])\n"
      "    store(o, [2], cast(d, i64) * a, shape=[_])\n    store(o, [3], where(e, a, 1), shape=[_])\n"
      "    store(o, [4], block(0) + num_blocks(0), shape=[_])\n    store(of, [0], c * 3, shape=[_])\n"
      "    store(of, [1], a / b, shape=[_])\n    store(of, [2], cast(c, f32) + b, shape=[_])\n}", 0, 0, NULL },

    { "sums in a direction, rounded once", "f16 bf16", "M=5 N=77",
      "kernel k(w: T[M, N], o: T[5, M, 1]) const T = f16 {\n    a = load(w, [0, 0], [5, 64]) * 0.1\n"
      "    store(o, [0, 0, 0], sum(a, 1, round=rz)[None, :, :]); store(o, [1, 0, 0], sum(a, 1, round=rm)[None, :, :])\n"
      "    store(o, [2, 0, 0], sum(a, 1, round=rp)[None, :, :]); store(o, [3, 0, 0], sum(a, 1)[None, :, :])\n"
      "    store(o, [4, 0, 0], cast(sum(cast(a, f32), 1, round=rp), T, round=rp)[None, :, :])\n}", 0, 0, NULL },
    { "sums and products in a direction", "f32 f64", "M=5 N=77",
      "kernel k(w: T[M, N], o: T[7, M, 1], oo: T[2]) const T = f32 {\n    a = load(w, [0, 0], [5, 77]) * 0.1\n"
      "    store(o, [0, 0, 0], sum(a, 1, round=rz)[None, :, :]); store(o, [1, 0, 0], sum(a, 1, round=rm)[None, :, :])\n"
      "    store(o, [2, 0, 0], sum(a, 1, round=rp)[None, :, :]); store(o, [3, 0, 0], prod(a + 1.0, 1, round=rz)[None, :, :])\n"
      "    store(o, [4, 0, 0], prod(a + 1.0, 1, round=rp)[None, :, :]); store(o, [5, 0, 0], sum(a * a, 1, round=rm)[None, :, :])\n"
      "    store(o, [6, 0, 0], sum(mul(a, a, round=rz), 1)[None, :, :])\n"
      "    store(oo, [0], sum(a, round=rm), shape=[_]); store(oo, [1], prod(a + 1.0, round=rp), shape=[_])\n}", 800, 16, NULL },
    { "sums and products of two in a direction", "f32", "",
      "kernel k(w: T[40, 2], o: T[5, 40, 1]) const T = f32 {\n    a = load(w, [0, 0], [40, 2]) * 0.1\n"
      "    store(o, [0, 0, 0], sum(a, 1, round=rz)[None, :, :]); store(o, [1, 0, 0], sum(a, 1, round=rm)[None, :, :])\n"
      "    store(o, [2, 0, 0], sum(a, 1, round=rp)[None, :, :]); store(o, [3, 0, 0], prod(a, 1, round=rm)[None, :, :])\n"
      "    store(o, [4, 0, 0], prod(a, 1, round=rp)[None, :, :])\n}", 0, 0, NULL },
    { "the least, the largest and sums without subnormals", NULL, "M=5 N=40",
      "kernel k(x: u32[M, N], o: f32[4, M, 1], oo: f32[2, M, N]) {\n    a = bitcast(load(x, [0, 0], [5, 40]) & 0x81ffffff, f32)\n"
      "    store(o, [0, 0, 0], min(a, 1, ftz=true)[None, :, :]); store(o, [1, 0, 0], max(abs(a), 1, nan=true, ftz=true)[None, :, :])\n"
      "    store(o, [2, 0, 0], sum(bitcast(load(x, [0, 0], [5, 40]) & 0x807fffff, f32), 1, ftz=true)[None, :, :])\n"
      "    store(o, [3, 0, 0], max(minimum(a, 0.0), 1, ftz=true)[None, :, :])\n"
      "    store(oo, [0, 0, 0], sum(a[None, :, :], 0, ftz=true)); store(oo, [1, 0, 0], prod(a[None, :, :], 0, ftz=true))\n}", 0, 0, NULL },
    // Shapes
    { "broadcasts", "i8 f32 bool", "M=5 N=12",
      "kernel k(x: T[N], y: T[M, 1], z: T[], o: T[3, M, N]) const T = f32 {\n"
      "    a, b = load(x, [0], [12]), load(y, [0, 0], [5, 1])\n"
      "    store(o, [0, 0, 0], broadcast(a, [5, 12]))\n    store(o, [1, 0, 0], broadcast(b, [5, 12]))\n"
      "    store(o, [2, 0, 0], full(T, [5, 12], load(z, [], [])))\n}", 0, 0, NULL },
    { "products of rows and columns", "i32 f32", "M=5 N=12",
      "kernel k(w: T[N], ww: T[M], o: T[2, M, N]) const T = f32 {\n"
      "    a, b = load(w, [0], [12]), load(ww, [0], [5])\n"
      "    store(o, [0, 0, 0], b[:, None] * a[None, :])\n    store(o, [1, 0, 0], b[:, None] - a)\n}", 0, 0, NULL },
    { "reshapes", "i8 f32 bool", "",
      "kernel k(x: T[24], y: T[16, 8], o1: T[4, 6], o2: T[2, 3, 4], o3: T[128], o4: T[8, 1, 16], o5: T[24, 1]) const T = f32 {\n"
      "    a, b = load(x, [0], [24]), load(y, [0, 0], [16, 8])\n"
      "    store(o1, [0, 0], reshape(a, [4, 6]))\n    store(o2, [0, 0, 0], reshape(a, [2, 3, 4]))\n"
      "    store(o3, [0], reshape(b, [128]))\n    store(o4, [0, 0, 0], reshape(b, [8, 1, 16]))\n"
      "    store(o5, [0, 0], reshape(reshape(reshape(a, [4, 6]), [24]), [24, 1]))\n}", 0, 0, NULL },
    { "transpositions", "i8 f16 f32 f64 bool", "",
      "kernel k(x: T[12, 33], y: T[3, 5, 16], o1: T[33, 12], o2: T[16, 3, 5], o3: T[3, 16, 5]) const T = f32 {\n"
      "    a, b = load(x, [0, 0], [12, 33]), load(y, [0, 0, 0], [3, 5, 16])\n"
      "    store(o1, [0, 0], trans(a))\n    store(o2, [0, 0, 0], permute(b, [2, 0, 1]))\n"
      "    store(o3, [0, 0, 0], trans(b))\n}", 0, 0, NULL },
    { "a transposition of blocks", "i8 f16 f32", "M=70 N=40",
      "kernel k(x: T[M, N], o: T[N, M]) const T = f32 grid cdiv(M, 32), cdiv(N, 32) {\n"
      "    store(o, [block(1), block(0)], trans(load(x, [block(0), block(1)], [32, 32])))\n}", 0, 0, NULL },
    { "tiles put together", "i8 f32 bool", "",
      "kernel k(x: T[5, 7], y: T[5, 10], z: T[3, 7], o1: T[5, 17], o2: T[8, 7]) const T = f32 {\n"
      "    a = load(x, [0, 0], [5, 7])\n"
      "    store(o1, [0, 0], cat(a, load(y, [0, 0], [5, 10]), 1))\n"
      "    store(o2, [0, 0], cat(a, load(z, [0, 0], [3, 7]), 0))\n}", 0, 0, NULL },
    { "parts of tiles", "i8 f32 bool", "n=0;n=1;n=2;n=-1;n=9;n=4294967296",
      "kernel k(x: T[6, 10], y: T[2, 5], o1: T[2, 5], o2: T[6, 10], n: i64) const T = f32 {\n"
      "    a = load(x, [0, 0], [6, 10])\n    store(o1, [0, 0], extract(a, [n, 1], [2, 5]))\n"
      "    store(o2, [0, 0], insert(a, [1, n], load(y, [0, 0], [2, 5])))\n}", 0, 0, NULL },
    { "elements taken", "i8 f32 bool", "",
      "kernel k(x: T[6, 20], p: i32[13], q: i64[6, 11], o1: T[6, 13], o2: T[6, 11], o3: T[13]) const T = f32 {\n"
      "    a, i = load(x, [0, 0], [6, 20]), load(p, [0], [13])\n"
      "    j = load(q, [0, 0], [6, 11]) & 15\n"
      "    store(o1, [0, 0], take(a, i, 1))\n    store(o2, [0, 0], take(a, j, 1))\n"
      "    store(o3, [0], take(load(x, [0, 0], [_, 20]), i, 0))\n}", 0, 0, NULL },
    { "elements taken of several tiles in turn", "u8 f32 f64", "",
      "kernel k(x: T[256], y: i32[64], p: i32[256], o: T[3, 256], o2: i32[3, 256], o3: T[256]) const T = f32 {\n"
      "    a, b, i = load(x, [0], [256]), load(y, [0], [64]), load(p, [0], [256]) & 255\n"
      "    static for n in 0 .. 3 {\n"
      "        store(o, [n, 0], take(a, i, 0), shape=[_, 256])\n"
      "        i = (take(b, i & 63, 0) + take(b, (i >> 1) & 63, 0)) & 255\n"
      "        store(o2, [n, 0], take(i, iota(i32, 256) // 3, 0), shape=[_, 256])\n"
      "        i = (i + cumsum(i, 0)) & 255\n    }\n"
      "    if max(i) > 3 { a = take(a, i, 0) } else { a = take(a, 255 - i, 0) }\n"
      "    for n in 0 .. 3 { a = where(take(a, i, 0) == a, a, take(a, i >> n, 0)) }\n"
      "    store(o3, [0], a)\n}", 4, 16, NULL },
    { "elements taken in loops of a tile that lies in shared memory", "f32 i64", "n=0;n=1;n=5",
      "kernel k(x: T[256], y: i32[64], p: i32[256], o: T[256], o2: i32[3, 256], n: i32) const T = f32 {\n"
      "    a, b, i = load(x, [0], [256]), load(y, [0], [64]), load(p, [0], [256]) & 255\n"
      "    j = take(b, i & 63, 0) & 255\n    c = take(a, j, 0)\n"
      "    for s in 0 .. n {\n        j = (j + take(b, j & 63, 0)) & 255\n        c = c + take(a, j, 0)\n"
      "        if s == 2 { c = c - take(a, i, 0) }\n    }\n"
      "    c = c + take(a, i, 0)\n    store(o2, [0, 0], take(b, j & 63, 0), shape=[_, 256])\n"
      "    for s in 0 .. n {\n        j = (j + take(b, j & 63, 0)) & 255\n        j = (j + cumsum(j, 0)) & 255\n    }\n"
      "    store(o2, [1, 0], j, shape=[_, 256])\n"
      "    for s in 0 .. n { j = (j + take(b, j & 63, 0)) & 255 }\n"
      "    store(o2, [2, 0], j, shape=[_, 256])\n    store(o, [0], c + take(a, j, 0))\n}", 4, 16, NULL },
    { "rows taken", "f32", "",
      "kernel k(x: T[20, 6], p: u8[13], o1: T[13, 6]) const T = f32 {\n"
      "    store(o1, [0, 0], take(load(x, [0, 0], [20, 6]), load(p, [0], [13]), 0))\n}", 0, 0, NULL },
    { "shifts and rolls by constants", "f16 i64 bool", "",
      "kernel k(x: T[21, 45], o: T[7, 21, 45], o2: T[7, 21, 45], o3: T[7, 21, 45], o4: T[7, 21, 45]) const T = f32 {\n"
      "    a = load(x, [0, 0], [21, 45])\n    static for i in 0 .. 7 {\n"
      "        n = (i - 3) * (i - 3) * (i - 3) + i % 2\n"
      "        store(o, [i, 0, 0], shift(a, n, 1, pad=1))\n        store(o2, [i, 0, 0], shift(a, n, 0))\n"
      "        store(o3, [i, 0, 0], roll(a, n, 1))\n        store(o4, [i, 0, 0], roll(a, n, 0))\n    }\n}", 0, 0, NULL },
    { "shifts and rolls of whole powers of two", "u8 f32", "",
      "kernel k(w: T[2, 32, 64], o: T[6, 2, 32, 64], o2: T[6, 2, 32, 64], o3: T[6, 2, 32, 64], o4: T[6, 2, 32, 64]) const T = f32 {\n"
      "    a = load(w, [0, 0, 0], [2, 32, 64])\n    static for i in 0 .. 6 {\n        n = 3 ** i // 2 - i % 3\n"
      "        store(o, [i, 0, 0, 0], shift(a, -n, 2))\n        store(o2, [i, 0, 0, 0], shift(a, n, 1, pad=2))\n"
      "        store(o3, [i, 0, 0, 0], roll(a, n, 1) + roll(a, -n, 2))\n        store(o4, [i, 0, 0, 0], roll(a, i, 0))\n    }\n}", 0, 0, NULL },
    { "steps of a stencil", NULL, "M=40 N=72;M=33 N=27",
      "kernel k(s: f32[M, N], o: f32[M, N]) grid cdiv(M, 14), cdiv(N, 60) {\n    m, n = block(0), block(1)\n"
      "    v = load_at(s, [m * 14 - 1, n * 60 - 2], [16, 64])\n    static for i in 0 .. 2 {\n"
      "        v = v + 0.25 * (shift(v, 1, 0) + shift(v, -1, 0) + shift(v, 1, 1) + shift(v, -1, 1) - 4.0 * v)\n    }\n"
      "    if max(v) > 100.0 { v = shift(v, 1, 0) } else { v = v + shift(v, -2, 0) }\n"
      "    store_at(o, [m * 14, n * 60], take(take(v, iota(i32, 14) + 1, 0), iota(i32, 60) + 2, 1))\n}", 8, 16, NULL },
    { "points of a stencil between vectors", "i8 f16 f32 f64", "M=1 N=16;M=7 N=64;M=19 N=80;M=20 N=77",
      "kernel k(x: T[M, N], o: T[M, N], oo: T[M, N]) const T = f32 grid cdiv(M, 8), cdiv(N, 32) {\n"
      "    m, n = block(0) * 8, block(1) * 32\n    a, b = zeros(T, [8, 32]), zeros(T, [8, 32])\n"
      "    static for i in -1 .. 2 {\n        static for j in -2 .. 4 {\n"
      "            v = load_at(x, [m + i, n + j], [8, 32], pad=3)\n            a = where(v > a, v, a)\n            b = b + v * (i + 3)\n        }\n    }\n"
      "    store_at(o, [m, n], a)\n    store_at(oo, [m, n], b)\n}", 0, 0, NULL },
    { "taps of a filter in a loop", "i16 f32", "M=1 N=16;M=3 N=128;M=5 N=200;M=2 N=61",
      "kernel k(x: T[M, N], w: T[8], o: T[M, N], oo: T[M, N]) const T = f32 grid M, cdiv(N, 64) {\n"
      "    m, n = block(0), block(1) * 64\n    a, b = zeros(T, [64]), zeros(T, [64])\n"
      "    for j in 0 .. 5 { a += w[j] * load_at(x, [m, n + j - 2], [_, 64]) }\n"
      "    for i in 0 .. 2 { for j in 1 .. 8 step 3 { b += (w[i] + w[j]) * load_at(x, [m + i, j + n], [_, 64]) } }\n"
      "    store_at(o, [m, n], a, shape=[_, 64])\n    store_at(oo, [m, n], b, shape=[_, 64])\n}", 0, 0, NULL },
    { "loads between vectors around stores", "f32", "N=64;N=100",
      "kernel k(u: T[N], o: T[N]) const T = f32 grid 1 {\n    a = load_at(u, [1], [64])\n    store(u, [0], a + 1.0)\n"
      "    b = load_at(u, [1], [64])\n    store(u, [0], b + a)\n    store(o, [0], load_at(u, [3], [64]) + a * b)\n}", 0, 0, NULL },
    { "a recurrence that stores each step", "f16 f32", "M=1 N=8;M=9 N=64;M=40 N=150",
      "kernel k(x: T[M, N], y: T[M, N], o: T[M, N], oo: f32[M]) const T = f32 grid cdiv(N, 64) {\n    h = zeros(f32, [64])\n"
      "    for m in 0 .. M {\n        h = h * 0.5 + cast(load(x, [m, block(0)], [_, 64]), f32) * cast(load(y, [m, block(0)], [_, 64]), f32)\n"
      "        store(o, [m, block(0)], cast(h, T), shape=[_, 64])\n        if block(0) == 0 { store(oo, [m], sum(h), shape=[_]) }\n    }\n}", 0, 0, NULL },
    { "a recurrence in place", "f32", "M=1 N=8;M=9 N=64;M=40 N=150",
      "kernel k(u: T[M, N], x: T[M, N]) const T = f32 grid cdiv(N, 64) {\n    h = zeros(f32, [64])\n"
      "    for m in 0 .. M {\n        h = h * 0.5 + load(u, [m, block(0)], [_, 64]) + load(x, [m, block(0)], [_, 64])\n"
      "        store(u, [m, block(0)], h, shape=[_, 64])\n    }\n}", 0, 0, NULL },
    { "a recurrence through memory", "f32 i32", "M=2 N=8;M=9 N=64;M=40 N=150",
      "kernel k(u: T[M, N], x: T[M, N]) const T = f32 grid cdiv(N, 64) {\n"
      "    for m in 0 .. M {\n        store(u, [m + 1, block(0)], load(u, [m, block(0)], [_, 64]) - load(x, [m, block(0)], [_, 64]), shape=[_, 64])\n"
      "    }\n}", 0, 0, NULL },
    { "sums kept in memory", "f32 i32", "M=5 N=64;M=8 N=100",
      "kernel k(x: T[M, N], u: T[2, N], o: T[2, N]) const T = f32 grid 2 {\n    g = block(0)\n"
      "    for m in 0 .. M {\n        for n in 0 .. cdiv(N, 32) {\n"
      "            store(u, [g, n], load(u, [g, n], [_, 32]) + load(x, [m, n], [_, 32]), shape=[_, 32])\n"
      "            store(o, [g, n], load(u, [g, n], [_, 32]), shape=[_, 32])\n        }\n    }\n}", 0, 0, NULL },
    { "sums along the first axis by many warps", "f16 f32 f64 i32", "",
      "kernel k(w: T[64, 128], o: T[1, 128], oo: T[1, 32], o3: i32[1, 128], o4: T[4, 1, 32]) const T = f32 {\n    a = load(w, [0, 0], [64, 128])\n"
      "    store(o, [0, 0], sum(a, 0))\n    store(oo, [0, 0], max(extract(a, [0, 1], [64, 32]), 0))\n    store(o3, [0, 0], argmax(a, 0))\n"
      "    store(o4, [0, 0, 0], sum(reshape(load(w, [0, 0], [64, 32]), [4, 16, 32]), 1))\n}", 0, 0, NULL },
    { "a function along the first axis by many warps", NULL, "",
      "fn f(n, s, k, t) { return n + k, maximum(s, t) }\n"
      "kernel k(w: f32[64, 64], o: f32[1, 64], oo: f32[1, 64]) {\n    a = load(w, [0, 0], [64, 64])\n"
      "    n, s = reduce(f, [a, a], 0, [0.0, -inf])\n    store(o, [0, 0], n)\n    store(oo, [0, 0], s)\n}", 0, 0, NULL },
    { "a shift of what an earlier one shared", NULL, "",
      "kernel k(u: i32[16, 64]) grid 1 {\n    v = load(u, [0, 0], [16, 64])\n    store(u, [0, 0], v + shift(v, 1, 0))\n"
      "    w = load(u, [0, 0], [16, 64])\n    y = shift(v, -1, 0)\n    z = shift(w, 1, 0)\n"
      "    store(u, [0, 0], w + y + 3 * z)\n}", 0, 0, NULL },
    { "shifts and rolls", "i8 f32 bool", "n=0;n=1;n=-3;n=40;n=-1000000000000;n=6",
      "kernel k(x: T[6, 33], o: T[4, 6, 33], n: i64) const T = f32 {\n    a = load(x, [0, 0], [6, 33])\n"
      "    store(o, [0, 0, 0], shift(a, n, 1))\n    store(o, [1, 0, 0], shift(a, n, 0, pad=1))\n"
      "    store(o, [2, 0, 0], roll(a, n, 1))\n    store(o, [3, 0, 0], roll(a, n, 0))\n}", 0, 0, NULL },
    { "iotas", INTEGERS, "",
      "kernel k(o: T[100], oo: T[7, 12]) const T = i32 {\n    store(o, [0], iota(T, 100))\n"
      "    store(oo, [0, 0], iota(T, 7)[:, None] * 12 + iota(T, 12))\n}", 0, 0, NULL },
    { "squeezes", "f32", "",
      "kernel k(x: T[5, 7], o: T[7], oo: T[5, 7]) const T = f32 {\n    a = load(x, [0, 0], [5, 7])\n"
      "    store(o, [0], squeeze(extract(a, [3, 0], [1, 7]), 0))\n"
      "    store(oo, [0, 0], squeeze(squeeze(reshape(a, [5, 1, 7, 1]), 3), 1))\n}", 0, 0, NULL },

    // Reductions
    { "sums of whole numbers", NUMBERS, "",
      "kernel k(w: T[13, 33], o1: T[13, 1], o2: T[1, 33], o3: T[]) const T = f32 {\n"
      "    a = load(w, [0, 0], [13, 33]) + 1\n    store(o1, [0, 0], sum(a, 1))\n"
      "    store(o2, [0, 0], sum(a, 0))\n    store(o3, [], sum(a))\n}", 0, 0, NULL },
    { "sums", FLOATS, "",
      "kernel k(s: T[6, 300], o1: T[6, 1], o2: T[1, 300], o3: T[]) const T = f32 {\n"
      "    a = load(s, [0, 0], [6, 300])\n    store(o1, [0, 0], sum(a, 1))\n"
      "    store(o2, [0, 0], sum(a, 0))\n    store(o3, [], sum(a))\n}", 12, 64, NULL },
    { "totals of narrow boxes", NUMBERS, "B=2 M=37 N=30;B=1 M=40 N=28",
      "kernel k(w: T[B, M, N], o: T[B, M, N], o2: T[B, 3, 3]) const T = f32 grid 3, B {\n    n, b = block(0), block(1)\n"
      "    a = load(w, [b, 0, n], [1, 40, 10])\n    t = sum(sum(a, 1), 2)\n"
      "    store(o, [b, 0, n], a + t)\n    store(o2, [b, n, 0], sum(a), shape=[_, _, _])\n"
      "    store(o2, [b, n, 1], max(a), shape=[_, _, _])\n    store(o2, [b, n, 2], min(min(a, 2)), shape=[_, _, _])\n}", 0, 0, NULL },
    { "products", NUMBERS, "",
      "kernel k(w: T[5, 9], o1: T[5, 1], o2: T[1, 9], o3: T[]) const T = f32 {\n"
      "    a = load(w, [0, 0], [5, 9])\n    store(o1, [0, 0], prod(a, 1))\n"
      "    store(o2, [0, 0], prod(a, 0))\n    store(o3, [], prod(where(a < 2, cast(1, T), 2)))\n}", 0, 0, NULL },
    { "sums of integers that wrap", INTEGERS, "",
      "kernel k(x: T[3, 70], o1: T[3, 1], o2: T[3, 1]) const T = i32 {\n"
      "    a = load(x, [0, 0], [3, 70])\n    store(o1, [0, 0], sum(a, 1))\n    store(o2, [0, 0], prod(a, 1))\n}", 0, 0, NULL },
    { "the least and the greatest", NUMBERS, "",
      "kernel k(x: T[6, 33], o1: T[6, 1], o2: T[6, 1], o3: T[1, 33], o4: T[1, 33], o5: T[2]) const T = f32 {\n"
      "    a = load(x, [0, 0], [6, 33])\n    store(o1, [0, 0], min(a, 1))\n    store(o2, [0, 0], max(a, 1))\n"
      "    store(o3, [0, 0], min(a, 0))\n    store(o4, [0, 0], max(a, 0))\n"
      "    store(o5, [0], min(a), shape=[_])\n    store(o5, [1], max(a), shape=[_])\n}", 0, 0, NULL },
    { "the least and the greatest of tiles with NaN", FLOATS, "",
      "kernel k(x: T[9, 20], o1: T[9, 1], o2: T[9, 1], o3: T[9, 1], o4: T[9, 1]) const T = f32 {\n"
      "    a = load(x, [0, 0], [9, 20])\n    a = where(iota(i32, 9)[:, None] == 3, nan, a)\n"
      "    store(o1, [0, 0], min(a, 1, nan=true))\n    store(o2, [0, 0], max(a, 1, nan=true))\n"
      "    store(o3, [0, 0], min(a, 1))\n    store(o4, [0, 0], max(a, 1))\n}", 0, 0, NULL },
    { "exponentials that are rounded to 16 bits", "f16 bf16", "",
      "kernel k(x: T[3, 500], w: T[3, 500], o: T[3, 500], o1: T[3, 500], o2: T[3, 500]) const T = f16 grid 3 {\n"
      "    r = block(0)\n    a, b = cast(load(x, [r, 0], [_, 500]), f32), cast(load(w, [r, 0], [_, 500]), f32)\n"
      "    store(o, [r, 0], cast(exp(a), T))\n    store(o1, [r, 0], cast(exp2(a) * 0.25, T))\n"
      "    e = exp(b - max(b))\n    store(o2, [r, 0], cast(e / sum(e), T))\n}", 1, 1e-30, NULL },
    { "quotients of scalars", "f16 bf16 f32 f64", "",
      "kernel k(x: T[24], y: T[20], w: T[24], ww: T[20], o: T[24, 20], o1: T[24, 20], o2: T[24, 20], o3: T[24, 20]) const T = f32 grid 24, 20 {\n"
      "    i, j = block(0), block(1)\n    store(o, [i, j], x[i] / y[j], shape=[_, _])\n"
      "    store(o1, [i, j], w[i] / ww[j], shape=[_, _])\n    store(o2, [i, j], w[i] / y[j], shape=[_, _])\n"
      "    store(o3, [i, j], 1.0 / x[i], shape=[_, _])\n}", 0, 0, NULL },
    { "the least and the greatest of a row by all threads", NUMBERS, "",
      "kernel k(x: T[3, 256], w: T[3, 256], o: T[7, 3]) const T = f32 grid 3 {\n"
      "    r = block(0)\n    a, b = load(x, [r, 0], [_, 256]), load(w, [r, 0], [_, 256])\n"
      "    store(o, [0, r], min(a), shape=[_, _])\n    store(o, [1, r], max(a), shape=[_, _])\n"
      "    store(o, [2, r], sum(b), shape=[_, _])\n    c = reshape(a, [32, 8])\n"
      "    store(o, [3, r], min(max(c, 1)), shape=[_, _])\n    store(o, [4, r], max(min(c, 0)), shape=[_, _])\n"
      "    store(o, [5, r], max(max(c, 0)) - max(a), shape=[_, _])\n    store(o, [6, r], sum(sum(reshape(b, [32, 8]), 1)), shape=[_, _])\n}", 0, 0, NULL },
    { "the least and the greatest of a row with NaN by all threads", FLOATS, "",
      "kernel k(x: T[3, 256], o: T[8, 3]) const T = f32 grid 3 {\n"
      "    r = block(0)\n    a = load(x, [r, 0], [_, 256])\n"
      "    b, c = where(iota(i32, 256) % 5 < 3, nan, a), full(T, [256], nan)\n"
      "    store(o, [0, r], min(b), shape=[_, _])\n    store(o, [1, r], max(b), shape=[_, _])\n"
      "    store(o, [2, r], min(b, nan=true), shape=[_, _])\n    store(o, [3, r], max(b, nan=true), shape=[_, _])\n"
      "    store(o, [4, r], min(c), shape=[_, _])\n    store(o, [5, r], max(c), shape=[_, _])\n"
      "    d = reshape(cast(b, f64), [16, 16])\n"
      "    store(o, [6, r], cast(max(min(d, 1)), T), shape=[_, _])\n    store(o, [7, r], cast(min(max(d, 0)), T), shape=[_, _])\n}", 0, 0, NULL },
    { "where the least and the greatest are", NUMBERS, "",
      "kernel k(x: T[9, 33], w: T[9, 33], o1: i32[9, 1], o2: i32[9, 1], o3: i32[1, 33], o4: i32[9, 1], o5: i32[1, 33]) const T = f32 {\n"
      "    a, b = load(x, [0, 0], [9, 33]), load(w, [0, 0], [9, 33])\n"
      "    store(o1, [0, 0], argmin(a, 1))\n    store(o2, [0, 0], argmax(a, 1))\n    store(o3, [0, 0], argmin(a, 0))\n"
      "    store(o4, [0, 0], argmax(b, 1))\n    store(o5, [0, 0], argmin(b, 0))\n}", 0, 0, NULL },
    { "where the least of NaN alone is", FLOATS, "",
      "kernel k(x: T[9, 33], o1: i32[9, 1], o2: i32[1, 33]) const T = f32 {\n"
      "    a = load(x, [0, 0], [9, 33])\n    a = where(iota(i32, 9)[:, None] % 2 == 1, nan, a)\n"
      "    a = where(iota(i32, 33) == 4, nan, a)\n"
      "    store(o1, [0, 0], argmin(a, 1))\n    store(o2, [0, 0], argmax(a, 0))\n}", 0, 0, NULL },
    { "indices and bounds of u64 that no i64 holds", "f32", "N=16 m=18446744073709551615;N=16 m=3",
      "kernel k(x: T[N], o: T[4, 4], m: u64) const T = f32 {\n"
      "    store(o, [0, 0], load_at(x, [cast(18446744073709551615, u64)], [4], pad=1)[None, :])\n"
      "    store(o, [1, 0], load_at(x, [m], [4], pad=2)[None, :])\n"
      "    store(o, [2, 0], load(slice(x, 0, 1, m), [0], [4], pad=3)[None, :])\n"
      "    store(o, [3, 0], gather(x, [m + iota(u64, 4)], pad=4)[None, :])\n"
      "    store_at(x, [m], full(T, [4], 9))\n}", 0, 0, NULL },
    { "constant indices far outside", "f32", "N=16",
      "kernel k(x: T[N], o: T[4, 4]) const T = f32 {\n"
      "    store(o, [0, 0], load(x, [4611686018427387904], [4], pad=1)[None, :])\n"
      "    store(o, [1, 0], load(x, [-4611686018427387904], [4], pad=2)[None, :])\n"
      "    store(o, [2, 0], load_at(x, [9223372036854775807], [4], pad=3)[None, :])\n"
      "    store(o, [3, 0], load(x, [1], [4])[None, :])\n"
      "    store(x, [2305843009213693952], full(T, [4], 9))\n    store(x, [-2305843009213693952], full(T, [4], 9))\n}", 0, 0, NULL },
    { "where the least is of all, and where the first NaN is", "i8 i32 u64 f16 f32 f64", "",
      "kernel k(x: T[12, 40], y: T[2, 5, 3], o1: i32[4], o2: i32[12, 1], o3: i32[2, 1, 3]) const T = f32 {\n"
      "    a, b = load(x, [0, 0], [12, 40]), load(y, [0, 0, 0], [2, 5, 3])\n"
      "    store_at(o1, [0], argmin(a), shape=[_])\n    store_at(o1, [1], argmax(b), shape=[_])\n"
      "    store_at(o1, [2], argmax(a, nan=true), shape=[_])\n    store_at(o1, [3], argmin(b, nan=true), shape=[_])\n"
      "    store(o2, [0, 0], argmax(a, 1, nan=true))\n    store(o3, [0, 0, 0], argmin(b, 1, nan=true))\n}", 0, 0, NULL },
    { "any and all", NULL, "",
      "kernel k(x: bool[9, 33], o1: bool[9, 1], o2: bool[1, 33], o3: i32[1, 33], o4: bool[2]) {\n"
      "    a = load(x, [0, 0], [9, 33])\n    store(o1, [0, 0], any(a, 1))\n    store(o2, [0, 0], all(a, 0))\n"
      "    store(o3, [0, 0], sum(a, 0))\n    store(o4, [0], any(a), shape=[_])\n    store(o4, [1], all(a), shape=[_])\n}", 0, 0, NULL },
    { "sums of several axes", "i32 f64", "",
      "kernel k(w: T[3, 5, 16], o1: T[3, 1, 1], o2: T[1, 5, 1], o3: T[1, 5, 16], o4: T[]) const T = f32 {\n"
      "    a = load(w, [0, 0, 0], [3, 5, 16])\n    store(o1, [0, 0, 0], sum(a, 1, 2))\n"
      "    store(o2, [0, 0, 0], sum(a, 0, 2))\n    store(o3, [0, 0, 0], sum(a, 0))\n    store(o4, [], sum(a))\n}", 0, 0, NULL },
    { "a reduction by a function", "i32 i8 f32 f16 f64", "",
      "fn add(x, y) { return x + y }\n"
      "kernel k(w: T[9, 33], o1: T[9, 1], o2: T[1, 33]) const T = f32 {\n"
      "    a = load(w, [0, 0], [9, 33]) + 1\n    store(o1, [0, 0], reduce(add, [a], 1, [0]))\n"
      "    store(o2, [0, 0], reduce(add, [a], 0, [0]))\n}", 0, 0, NULL },
    { "a reduction of two tiles by a function", "i32 f32 f64", "",
      "fn first(x, i, y, j) {\n    later = y > x\n    return where(later, y, x), where(later, j, i)\n}\n"
      "kernel k(w: T[9, 33], o1: T[9, 1], o2: i32[9, 1]) const T = f32 {\n"
      "    a = load(w, [0, 0], [9, 33]) * 100 + cast(iota(i32, 33) % 32, T)\n"
      "    v, i = reduce(first, [a, broadcast(iota(i32, 33), [9, 33])], 1, [-10000, -1])\n"
      "    store(o1, [0, 0], v)\n    store(o2, [0, 0], i)\n}", 0, 0, NULL },
    { "sums of few in many threads", "f32 i8", "",
      "kernel k(w: T[4], ww: T[2, 2], o1: T[1], o2: T[2, 1]) const T = f32 {\n"
      "    store(o1, [0], sum(load(w, [0], [4]), 0))\n    store(o2, [0, 0], max(load(ww, [0, 0], [2, 2]), 1))\n}", 0, 0, NULL },
    { "means and deviations of rows", "f16 bf16 f32", "M=3 N=200",
      "kernel k(s: T[M, N], o: T[M, N]) const T = f32 grid M {\n"
      "    r = block(0)\n    v = cast(load(s, [r, 0], [_, 256]), f32)\n    inside = iota(i32, 256) < N\n"
      "    mu = sum(v) / N\n    d = where(inside, v - mu, 0)\n    q = sqrt(sum(d * d) / N + 0.00001)\n"
      "    store(o, [r, 0], cast(d / q, T))\n}", 16, 2, NULL },

    // Scans
    { "running sums of whole numbers", NUMBERS, "",
      "kernel k(w: T[6, 100], o: T[4, 6, 100]) const T = f32 {\n    a = load(w, [0, 0], [6, 100]) + 1\n"
      "    store(o, [0, 0, 0], cumsum(a, 1))\n    store(o, [1, 0, 0], cumsum(a, 0))\n"
      "    store(o, [2, 0, 0], cumsum(a, 1, reverse=true))\n    store(o, [3, 0, 0], cumsum(a, 0, reverse=true))\n}", 0, 0, NULL },
    { "running sums", FLOATS, "",
      "kernel k(s: T[1000], o: T[2, 1000]) const T = f32 {\n    a = load(s, [0], [1000])\n"
      "    store(o, [0, 0], cumsum(a, 0))\n    store(o, [1, 0], cumsum(a, 0, reverse=true))\n}", 12, 64, NULL },
    { "running products", NUMBERS, "",
      "kernel k(w: T[3, 21], o: T[2, 3, 21]) const T = f32 {\n    a = where(load(w, [0, 0], [3, 21]) < 2, cast(1, T), 2)\n"
      "    store(o, [0, 0, 0], cumprod(a, 1))\n    store(o, [1, 0, 0], cumprod(a, 1, reverse=true))\n}", 0, 0, NULL },
    { "running sums of extents of every size", "i32 f16", "",
      "kernel k(w: T[2048], o1: T[1], o2: T[2], o3: T[31], o4: T[32], o5: T[65], o6: T[2048]) const T = i32 {\n"
      "    store(o1, [0], cumsum(load(w, [0], [1]), 0))\n    store(o2, [0], cumsum(load(w, [0], [2]), 0, reverse=true))\n"
      "    store(o3, [0], cumsum(load(w, [0], [31]), 0))\n    store(o4, [0], cumsum(load(w, [0], [32]), 0, reverse=true))\n"
      "    store(o5, [0], cumsum(load(w, [0], [65]), 0, reverse=true))\n    store(o6, [0], cumsum(load(w, [0], [2048]), 0))\n}", 0, 0, NULL },
    { "running sums of transposed tiles", "i32 f64", "",
      "kernel k(w: T[40, 24], o: T[2, 24, 40]) const T = i32 {\n    a = trans(load(w, [0, 0], [40, 24]))\n"
      "    store(o, [0, 0, 0], cumsum(a, 1))\n    store(o, [1, 0, 0], cumsum(a, 0, reverse=true))\n}", 0, 0, NULL },
    { "running sums of three axes", "i32 u8", "",
      "kernel k(w: T[3, 20, 9], o: T[3, 20, 9], oo: T[3, 20, 9]) const T = i32 {\n    a = load(w, [0, 0, 0], [3, 20, 9])\n"
      "    store(o, [0, 0, 0], cumsum(a, 1))\n    store(oo, [0, 0, 0], cumsum(a, 0, reverse=true))\n}", 0, 0, NULL },
    { "a scan by a function that does not commute", "i32 i64 u8", "",
      // the map x -> a x + b, applied one after another
      "fn after(a, b, c, d) { return a * c, b * c + d }\n"
      "kernel k(w: T[3, 70], ww: T[3, 70], o: T[4, 3, 70]) const T = i32 {\n"
      "    a, b = load(w, [0, 0], [3, 70]), load(ww, [0, 0], [3, 70])\n"
      "    p, q = scan(after, [a, b], 1, [1, 0])\n    r, t = scan(after, [a, b], 1, [1, 0], reverse=true)\n"
      "    store(o, [0, 0, 0], p)\n    store(o, [1, 0, 0], q)\n    store(o, [2, 0, 0], r)\n    store(o, [3, 0, 0], t)\n}", 0, 0, NULL },
    { "scans and reductions of values of different widths", "i8 f16 bf16 i64", "",
      "fn restart(f, x, g, y) { return f | g, where(g, y, x + y) }\n"
      "fn sums(a, b, c, d, e, f) { return a + d, b + e, c + f }\n"
      "kernel k(w: i32[256], ww: f32[256], o1: f32[256], o2: i64[256], o3: T[256], o4: i32[256], o5: T[1], o6: i32[1]) const T = i8 {\n"
      "    n, x = load(w, [0], [256]), load(ww, [0], [256])\n    some, every = n == 2, cast(n == 2, T)\n"
      "    a, b = scan(restart, [some, x], 0, [false, 0.0])\n    store(o1, [0], where(a, b, -b))\n"
      "    a, c = scan(restart, [some, cast(n, i64)], 0, [false, 0], reverse=true)\n    store(o2, [0], where(a, c, -c))\n"
      "    d, e, f = scan(sums, [every, x, n], 0, [0, 0.0, 0])\n    store(o3, [0], d + cast(e, T))\n    store(o4, [0], f)\n"
      "    d, e, f = reduce(sums, [every, x, n], 0, [0, 0.0, 0])\n    store(o5, [0], reshape(d + cast(e, T), [1]))\n"
      "    store(o6, [0], reshape(f, [1]))\n}", 0, 0, NULL },
    { "a scan of bools and of the greatest so far", "f32 i16", "",
      "fn either(x, y) { return x | y }\nfn top(x, y) { return maximum(x, y) }\n"
      "kernel k(w: T[100], o: bool[100], oo: T[100]) const T = f32 {\n    a = load(w, [0], [100])\n"
      "    store(o, [0], scan(either, [a == 3], 0, [false]))\n    store(oo, [0], scan(top, [a], 0, [-100], reverse=true))\n}", 0, 0, NULL },

    // Sorts
    { "a sort", NUMBERS, "",
      "kernel k(x: T[3, 37], w: T[64], o: T[3, 37], oo: T[64]) const T = f32 {\n"
      "    store(o, [0, 0], sort(load(x, [0, 0], [3, 37]), 1))\n    store(oo, [0], sort(load(w, [0], [64]), 0))\n}", 0, 0, NULL },
    { "a sort along the first axis", "i32 f16 f64 u8", "",
      "kernel k(x: T[37, 5], o: T[37, 5]) const T = f32 {\n    store(o, [0, 0], sort(load(x, [0, 0], [37, 5]), 0))\n}", 0, 0, NULL },
    { "a sort of many", "i32 f32 u64", "",
      "kernel k(x: T[1000], o: T[1000]) const T = f32 {\n    store(o, [0], sort(load(x, [0], [1000]), 0))\n}", 0, 0, NULL },
    { "sorts of one and of two", "i8 f32", "",
      "kernel k(x: T[2], o1: T[1], o2: T[2], o3: T[2, 1]) const T = f32 {\n"
      "    a = load(x, [0], [2])\n    store(o1, [0], sort(load(x, [0], [1]), 0))\n    store(o2, [0], sort(a, 0))\n"
      "    store(o3, [0, 0], sort(a[:, None], 1))\n}", 0, 0, NULL },
    { "NaN of a sort and of the largest, bit for bit", NULL, "",
      "kernel k(x: i16[37], y: i32[37], z: i64[37], o: i16[4, 37], o1: i32[2, 37], o2: i64[2, 37], o3: i32[4, 9]) {\n"
      "    a, b, c = load(x, [0], [37]), load(y, [0], [37]), load(z, [0], [37])\n"
      "    f, g, h = sort(bitcast(a, f16), 0), sort(bitcast(b, f32), 0), sort(bitcast(c, f64), 0)\n"
      "    store(o, [0, 0], bitcast(f, i16))\n    store(o1, [0, 0], bitcast(g, i32))\n    store(o2, [0, 0], bitcast(h, i64))\n"
      "    store(o, [1, 0], bitcast(sort(bitcast(a, bf16), 0), i16))\n"
      "    v, i = topk(bitcast(a, f16), 9, 0)\n    store(o, [2, 0], bitcast(v, i16))\n    store(o3, [0, 0], i)\n"
      "    v, i = topk(bitcast(a, bf16), 9, 0)\n    store(o, [3, 0], bitcast(v, i16))\n    store(o3, [1, 0], i)\n"
      "    p, i = topk(bitcast(b, f32), 9, 0)\n    store(o1, [1, 0], bitcast(p, i32))\n    store(o3, [2, 0], i)\n"
      "    q, i = topk(bitcast(c, f64), 9, 0)\n    store(o2, [1, 0], bitcast(q, i64))\n    store(o3, [3, 0], i)\n}", 0, 0, NULL },
    { "the largest and where they are", NUMBERS, "",
      "kernel k(x: T[3, 37], w: T[3, 37], o: T[2, 3, 5], oo: i32[2, 3, 5]) const T = f32 {\n"
      "    v, i = topk(load(x, [0, 0], [3, 37]), 5, 1)\n    store(o, [0, 0, 0], v)\n    store(oo, [0, 0, 0], i)\n"
      "    v, i = topk(load(w, [0, 0], [3, 37]), 5, 1)\n    store(o, [1, 0, 0], v)\n    store(oo, [1, 0, 0], i)\n}", 0, 0, NULL },
    { "the largest of columns", "i16 f32 i64", "",
      "kernel k(w: T[20, 6], o: T[20, 6], oo: i32[20, 6], o1: T[1, 6]) const T = f32 {\n"
      "    a = load(w, [0, 0], [20, 6])\n    v, i = topk(a, 20, 0)\n    store(o, [0, 0], v)\n    store(oo, [0, 0], i)\n"
      "    v, i = topk(a, 1, 0)\n    store(o1, [0, 0], v)\n}", 0, 0, NULL },

    // Counts
    { "histograms", INTEGERS, "",
      "kernel k(w: T[300], x: T[40], o1: i32[5], o2: i32[100], o3: i32[1]) const T = i32 {\n"
      "    a = load(w, [0], [300])\n    store(o1, [0], histogram(a, 5))\n    store(o2, [0], histogram(load(x, [0], [40]), 100))\n"
      "    store(o3, [0], histogram(a, 1))\n}", 0, 0, NULL },
    { "a histogram of more bins than shared memory has", "i32 u64", "",
      "kernel k(x: T[300], o: i32[20000]) const T = i32 {\n"
      "    store(o, [0], histogram(load(x, [0], [300]) & 32767, 20000))\n}", 0, 0, NULL },
    { "a histogram in turns", "u16", "",
      "kernel k(x: T[500], o: u8[33000]) const T = u16 {\n    store(o, [0], cast(histogram(load(x, [0], [500]), 33000), u8))\n}", 0, 0, NULL },
    // Ranks and placement
    { "ranks of digits, some out of range", INTEGERS, "",
      "kernel k(x: T[300], w: T[300], o: i32[300], o1: i32[4], o2: i32[300], o3: i32[256], o4: i32[300], o5: i32[1]) const T = i32 {\n"
      "    a, b = load(w, [0], [300]), load(x, [0], [300])\n"
      "    p, n = rank(a, 4)\n    store(o, [0], p)\n    store(o1, [0], n)\n"
      "    p, n = rank(b, 256)\n    store(o2, [0], p)\n    store(o3, [0], n)\n"
      "    p, n = rank(a, 1)\n    store(o4, [0], p)\n    store(o5, [0], n)\n}", 0, 0, NULL },
    { "ranks of digits that are all in range", "i32 u64 u8", "",
      "kernel k(x: T[4096], w: T[1025], o: i32[4096], o1: i32[128], o2: i32[4096], o3: i32[2], oo: i32[1025], o4: i32[2048], o5: i32[4096]) const T = i32 {\n"
      "    a, b = load(x, [0], [4096]), load(w, [0], [1025])\n"
      "    p, n = rank(a & 127, 128)\n    store(o, [0], p)\n    store(o1, [0], n)\n"
      "    p, n = rank(a & 1, 2)\n    store(o2, [0], p)\n    store(o3, [0], n)\n"
      "    p, n = rank(cast(b & 7, i32) * 292, 2048)\n    store(oo, [0], p)\n    store(o4, [0], n)\n"
      "    p, n = rank(full(i32, [4096], 3), 16)\n    store(o5, [0], p)\n}", 0, 0, NULL },
    { "ranks of up to 4 digits", "i32 i8 u64", "",
      "kernel k(x: T[3000], o: i32[3000], o1: i32[4], o2: i32[3000], o3: i32[2], o4: i32[3000], o5: i32[1], oo: i32[3]) const T = i32 {\n"
      "    a = load(x, [0], [3000])\n"
      "    p, n = rank(a % 5, 4)\n    store(o, [0], p)\n    store(o1, [0], n)\n"
      "    q, m = rank(where(a % 3 == 0, 0, 1), 2)\n    store(o2, [0], q)\n    store(o3, [0], m)\n"
      "    r, c = rank(where(a % 7 == 0, 0, -1), 1)\n    store(o4, [0], r)\n    store(o5, [0], c)\n"
      "    store(oo, [0], full(i32, [3], [max(p), reshape(extract(m, [1], [1]), []), sum(n)]))\n}", 0, 0, NULL },
    { "ranks of sorted and of equal digits", "i32", "n=5;n=255",
      "kernel k(w: T[4096], o: i32[4096], o1: i32[4096], o2: i32[4096], oo: i32[16], n: i32) const T = i32 {\n"
      "    p, c = rank(iota(i32, 4096) >> 9, 16)\n    store(o, [0], p)\n    store(oo, [0], c)\n"
      "    p, c = rank((iota(i32, 4096) + n) >> 8, 32)\n    store(o1, [0], p)\n"
      "    p, c = rank(full(i32, [4096], n & 255), 256)\n    store(o2, [0], place(iota(i32, 4096) * 3 - cast(load(w, [0], [4096]), i32), p) + min(c))\n}", 0, 0, NULL },
    { "ranks of few elements", "i16 u32", "",
      "kernel k(w: T[64], o: i32[1], o1: i32[3], o2: i32[32], o3: i32[33], o4: i32[64], oo: i32[64], o5: i32[16]) const T = i32 {\n"
      "    p, n = rank(load(w, [0], [1]), 2)\n    store(o, [0], p)\n"
      "    p, n = rank(load(w, [0], [3]), 2)\n    store(o1, [0], p)\n"
      "    p, n = rank(load(w, [0], [32]) & 3, 4)\n    store(o2, [0], p)\n"
      "    p, n = rank(load(w, [0], [33]) & 15, 16)\n    store(o3, [0], p)\n    store(o5, [0], n)\n"
      "    a = load(w, [0], [64])\n    p, n = rank(a & 7, 512)\n    store(o4, [0], p)\n"
      "    static for j in 0 .. 3 { q, m = rank((a >> j) & 1, 2)\n        a = place(a, q) }\n    store(oo, [0], cast(a, i32))\n}", 0, 0, NULL },
    { "ranks in element order, whatever the layout", "u8 f32", "",
      "kernel k(w: T[64, 64], o: T[64, 64], oo: i32[4096], o1: i32[64, 64]) const T = f32 {\n"
      "    a = cast(trans(load(w, [0, 0], [64, 64])), i32)\n    p, n = rank(reshape(a, [4096]) & 7, 8)\n"
      "    store(oo, [0], p)\n    store(o1, [0, 0], trans(reshape(place(reshape(a, [4096]), p), [64, 64])))\n"
      "    store(o, [0, 0], reshape(place(reshape(load(w, [0, 0], [64, 64]), [4096]), p), [64, 64]))\n}", 0, 0, NULL },
    { "placed elements", EVERY, "",
      "kernel k(x: T[200], p: i32[200], o: T[200], o1: T[77], o2: T[333], o3: T[200], oo: T[200]) const T = f32 {\n"
      "    a, q = load(x, [0], [200]), load(p, [0], [200])\n"
      "    store(o, [0], place(a, q))\n    store(o1, [0], place(a, q - 9, extent=77))\n"
      "    store(o2, [0], place(a, cast(q, i64) + 40, extent=333, pad=1))\n"
      "    store(o3, [0], place(a, where(q < 150, 199 - q, -1), pad=x[3]))\n"
      "    r, n = rank(q % 5, 8)\n    store(oo, [0], place(a, r))\n}", 0, 0, NULL },
    { "elements sorted by digits", "u32 u16", "",
      "fn pass(key, value, low) {\n    p, n = rank(cast(key >> low, i32) & 255, 256)\n    return place(key, p), place(value, p)\n}\n"
      "kernel k(x: T[4000], o: T[4000], oo: i32[4000]) const T = u32 {\n"
      "    a, i = load(x, [0], [4000]), iota(i32, 4000)\n"
      "    static for j in 0 .. 4 { a, i = pass(a, i, j * 4) }\n    store(o, [0], a)\n    store(oo, [0], i)\n}", 0, 0, NULL },
    { "a histogram of a scalar", "i32", "n=3;n=9",
      "kernel k(n: T, o: i32[5]) const T = i32 {\n    store(o, [0], histogram(n, 5))\n}", 0, 0, NULL },

    // Products
    { "matrix products of whole numbers", "f16 bf16 f32 f64 i8 u8 tf32", "",
      "kernel k(w: T[13, 21], ww: T[21, 9], o: f64[13, 9]) const T = f32 {\n"
      "    store(o, [0, 0], cast(load(w, [0, 0], [13, 21]) @ load(ww, [0, 0], [21, 9]), f64))\n}", 0, 0, NULL },
    { "a matrix product of extents of every kind", "f32 f16", "M=40 K=70 N=50",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N]) const T = f32, BM = 16, BN = 32, BK = 16\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "matrix products of real numbers", "f16 bf16 f32 f64", "",
      "kernel k(s: T[16, 100], ss: T[100, 24], o: T[16, 24]) const T = f32 {\n"
      "    store(o, [0, 0], cast(load(s, [0, 0], [16, 100]) @ load(ss, [0, 0], [100, 24]), T))\n}", 20, 16, NULL },
    { "matrix products of pairs of dtypes", NULL, "",
      "kernel k(w: i8[5, 33], ww: u8[33, 7], u: i32[5, 7], wa: e4m3[5, 33], wb: e5m2[33, 7], o: f32[5, 7], oo: f16[5, 7]) {\n"
      "    store(u, [0, 0], mma(load(w, [0, 0], [5, 33]), load(ww, [0, 0], [33, 7]), load(u, [0, 0], [5, 7])))\n"
      "    a, b = load(wa, [0, 0], [5, 33]), load(wb, [0, 0], [33, 7])\n"
      "    store(o, [0, 0], a @ b)\n    store(oo, [0, 0], mma(a, b, zeros(f16, [5, 7])))\n}", 0, 0, NULL },
    { "an accumulator of f16", NULL, "",
      "kernel k(s: f16[5, 33], ss: f16[33, 7], sss: f16[5, 7], o: f16[5, 7]) {\n"
      "    store(o, [0, 0], mma(load(s, [0, 0], [5, 33]), load(ss, [0, 0], [33, 7]), load(sss, [0, 0], [5, 7])))\n}", 1, 1, NULL },
    { "products of f32 by way of tf32", NULL, "",
      "kernel k(s: f32[5, 33], ss: f32[33, 7], o: f32[2, 5, 7]) {\n"
      "    a, b = load(s, [0, 0], [5, 33]), load(ss, [0, 0], [33, 7])\n"
      "    store(o, [0, 0, 0], mma(a, b, zeros(f32, [5, 7]), precision=tf32))\n"
      "    store(o, [1, 0, 0], mma(a, b, zeros(f32, [5, 7]), precision=tf32x3))\n}", 16, 8, NULL },
    { "products in fragments of extents of every kind", "f16 bf16 tf32 i8 u8 e4m3 e5m2", "",
      "kernel k(w: T[45, 40], ww: T[40, 56], o: f64[19, 24], oo: f64[1, 33], o3: f64[7, 56], o4: f64[45, 9], o5: f64[33, 50])\n"
      "    const T = f32 {\n"
      "    store(o, [0, 0], cast(load(w, [0, 0], [19, 40]) @ load(ww, [0, 0], [40, 24]), f64))\n"
      "    store(oo, [0, 0], cast(load(w, [44, 0], [1, 40]) @ load(ww, [0, 0], [40, 64]), f64), shape=[1, 64])\n"
      "    store(o3, [0, 0], cast(load(w, [1, 0], [7, 33]) @ load(ww, [0, 0], [33, 56]), f64))\n"
      "    store(o4, [0, 0], cast(load(w, [0, 0], [45, 16]) @ load(ww, [1, 0], [16, 9]), f64))\n"
      "    store(o5, [0, 0], cast(load(w, [0, 0], [33, 5]) @ load(ww, [3, 0], [5, 50]), f64))\n}", 0, 0, NULL },
    { "products of turned operands", "f16 bf16 i8 e4m3", "",
      "kernel k(w: T[24, 40], ww: T[40, 24], o: f64[40, 40], oo: f64[24, 24]) const T = f32 {\n"
      "    store(o, [0, 0], cast(trans(load(w, [0, 0], [24, 40])) @ trans(load(ww, [0, 0], [40, 24])), f64))\n"
      "    a = load(w, [0, 0], [24, 40])\n"
      "    store(oo, [0, 0], cast(a @ trans(a), f64))\n}", 0, 0, NULL },
    { "products of batches in fragments", "f16 tf32 i8", "",
      "kernel k(w: T[3, 20, 24], ww: T[24, 16], www: T[2, 1, 16, 24], o: f64[3, 20, 16], oo: f64[2, 3, 16, 20], o3: f64[4, 16, 32])\n"
      "    const T = f32 {\n"
      "    a = load(w, [0, 0, 0], [3, 20, 24])\n"
      "    store(o, [0, 0, 0], cast(a @ load(ww, [0, 0], [24, 16]), f64))\n"
      "    c = load(www, [0, 0, 0, 0], [2, 1, 16, 24])\n"
      "    store(oo, [0, 0, 0, 0], cast(c @ trans(a), f64))\n"
      "    d = load(www, [0, 0, 0, 0], [4, _, 16, 8])\n"
      "    store(o3, [0, 0, 0], cast(d @ load(w, [1, 0, 0], [_, 8, 32]), f64))\n}", 0, 0, NULL },
    { "a product in several slices", "f16", "",
      "kernel k(w: T[16, 300], ww: T[300, 120], o: f64[16, 120]) const T = f32 {\n"
      "    store(o, [0, 0], cast(load(w, [0, 0], [16, 300]) @ load(ww, [0, 0], [300, 120]), f64))\n}", 0, 0, NULL },
    { "a product of a product", "f16 bf16", "",
      "kernel k(s: T[32, 16], ss: T[16, 32], sss: T[32, 24], o: f32[32, 24]) const T = f32 {\n"
      "    p = load(s, [0, 0], [32, 16]) @ load(ss, [0, 0], [16, 32])\n"
      "    top = max(p, 1)\n"
      "    store(o, [0, 0], cast(p, T) @ load(sss, [0, 0], [32, 24]) + top)\n}", 40, 64, NULL },
    // Pipelines: statements around the loop
    { "a pipeline whose accumulator is stored turned", "f16 bf16", "M=70 K=40 N=136;M=64 K=32 N=64",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[N, M])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(o, [n, m], trans(acc))\n}", 0, 0, NULL },
    { "a pipeline with work behind it", "f16", "M=100 K=40 N=72",
      "kernel k(w: T[M, K], ww: T[K, N], u: f32[N], o: f32[M, N], oo: f32[M], o3: T[M, N], o4: f64[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    acc = acc * 2.0 + load(u, [n], [BN])\n    store(o4, [m, n], cast(acc, f64))\n"
      "    top = max(acc, 1)\n    store(o, [m, n], acc - top)\n    store(o3, [m, n], cast(acc * 0.5, T))\n"
      "    if n == 0 { store(oo, [m], squeeze(top, 1)) }\n}", 0, 0, NULL },
    { "a pipeline that goes on from what is there", "bf16", "M=70 K=40 N=72;M=5 K=16 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], u: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = load(u, [m, n], [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(u, [m, n], acc)\n}", 0, 0, NULL },
    { "a pipeline of a part of the steps, or of no step", "f16 tf32", "M=70 K=136 N=72",
      "kernel k(w: T[M, K], ww: T[K, N], u: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN), 7\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    s = block(2)\n"
      "    for k in s * s .. minimum((s + 1) * s, cdiv(K, BK)) step 2 {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store_add(u, [m, n], acc)\n}", 0, 0, NULL },
    { "a pipeline with no place for many stages", "f16", "M=140 K=100 N=136",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[N, M])\n"
      "    const T = f16, BM = 128, BN = 256, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(o, [n, m], trans(acc))\n}", 0, 0, NULL },
    { "a pipeline of a cluster with work behind it", "f16", "M=300 K=40 N=72;M=10 K=200 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], u: f32[M, N], o: f32[1])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store_add(u, [m, n], acc)\n    store_add(o, [0], full(f32, [1], 1.0))\n}", 0, 0, NULL },
    { "a pipeline that stores to parts of a tensor, with ends of every kind", "f16", "M=130 K=40 N=64",
      "kernel k(w: T[M, K], ww: T[N, K], o: f32[M, N])\n"
      "    const T = f16, BM = 128, BN = 64, BK = 32\n    grid 3, 4\n{\n"
      "    m, s = block(0) - 1, block(1)\n"
      "    from = s * 50 - 60\n    to = from + 50\n    if s == 2 { to = from - 10 }\n"
      "    part, mine = slice(w, 0, from, to), slice(o, 0, from, to)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(part, [m, k], [BM, BK]), trans(load(ww, [0, k], [BN, BK])), acc)\n    }\n"
      "    store(mine, [m, 0], acc)\n}", 0, 0, NULL },
    { "a pipeline that stores tiles below zero", "f16 f32", "M=130 K=40 N=136;M=130 K=40 N=132",
      "kernel k(w: f16[M, K], ww: f16[N, K], o: T[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid 4, 4\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(o, [m - 1, n - 1], cast(acc, T))\n}", 0, 0, NULL },
    { "a pipeline that stores elements below zero", "f16 f32", "M=130 K=40 N=136;M=130 K=40 N=132",
      "kernel k(w: f16[M, K], ww: f16[N, K], o: T[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid 4, 4\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store_at(o, [m * BM - 23, n * BN - 24], cast(acc, T))\n}", 0, 0, NULL },
    { "a pipeline that stores to parts of a tensor, columns below zero", "f16", "M=130 K=40 N=136",
      "kernel k(w: T[M, K], ww: T[N, K], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid 4, 4\n{\n"
      "    m, n = block(0), block(1)\n    mine = slice(o, 0, 20, 100)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(mine, [m - 1, n - 1], acc)\n}", 0, 0, NULL },
    { "a pipeline that stores elements of parts of a tensor below zero", "f16", "M=130 K=40 N=136",
      "kernel k(w: T[M, K], ww: T[N, K], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid 4, 4\n{\n"
      "    m, n = block(0), block(1)\n    mine = slice(o, 0, 20, 100)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store_at(mine, [m * BM - 23, n * BN - 24], acc)\n}", 0, 0, NULL },
    { "a pipeline that stores tiles of several axes below zero", "f16", "B=2 P=8 M=130 K=40 N=136",
      "kernel k(w: T[M, K], ww: T[N, K], o: T[B, P, 16, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid 4, 4, B + 1\n{\n"
      "    m, n = block(0), block(1)\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(o, [block(2) - 1, m - 1, 0, n - 1], cast(reshape(acc, [4, 16, BN]), T), shape=[_, 4, 16, BN])\n}", 0, 0, NULL },
    { "a pipeline with a load beside, at one of several results", "f16", "M=130 K=320 N=136",
      "kernel k(w: T[M, K], ww: T[K, N], w3: f32[5, N], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 64\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        p, q, r, t = philox(3, k)\n"
      "        x = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), zeros(f32, [BM, BN]))\n"
      "        acc = acc + x * load(w3, [cast(q % 5, i64), n], [1, BN])\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a pipeline of operands at one of several results", "f16", "M=130 K=320 N=136",
      "kernel k(w: T[M, K], ww: T[K, N], w3: f32[5, N], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 64\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        p, q, r, t = philox(3, k)\n"
      "        acc = mma(load(w, [m, cast(q % 5, i64)], [BM, BK]), load(ww, [cast(t % 5, i64), n], [BK, BN]), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "prefetch of operands at one of several results", "f16", "M=130 K=320 N=136",
      "kernel k(w: T[M, K], ww: T[K, N], w3: f32[5, N], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 64\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        p, q, r, t = philox(3, k)\n"
      "        acc = mma(load(w, [m, cast(q % 5, i64)], [BM, BK]), load(ww, [cast(t % 5, i64), n], [BK, BN]), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "prefetch of a loop within control flow, of a slice", "f16 tf32 i8", "M=70 K=72 N=40;M=9 K=3 N=48",
      "kernel k(w: T[M, K], ww: T[N, K], o: f64[M, N]) const T = f16, BM = 32, BN = 32, BK = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    part = slice(w, 0, 5, M)\n"
      "    r = 0\n    total = zeros(f64, [BM, BN])\n"
      "    while r < 3 {\n        if r != 1 {\n"
      "            acc = load(part, [m, 0], [BM, BK]) @ trans(load(ww, [n, r], [BN, BK]))\n"
      "            for k in 0 .. cdiv(K, BK) {\n"
      "                acc = mma(load(part, [m, k], [BM, BK]), trans(load(ww, [n, k + r], [BN, BK])), acc)\n"
      "            }\n            total += cast(acc, f64)\n        }\n        r += 1\n    }\n"
      "    store(o, [m, n], total)\n}", 0, 0, NULL },
    { "prefetch of f32 in three products, exact to 22 bits", NULL, "K=128;K=70",
      "kernel k(u: f32[64, K], w: f32[K, 32], ww: f32[32, K], o: f32[64, 32], oo: f32[32, 64]) grid 1 {\n"
      "    i = iota(i32, 64)[:, None] * 131 + iota(i32, 128)\n"
      "    store(u, [0, 0], cast(i * 7 % 9001, f32))\n"
      "    acc, other = zeros(f32, [64, 32]), zeros(f32, [32, 64])\n    for k in 0 .. cdiv(K, 32) {\n"
      "        acc = mma(load(u, [0, k], [64, 32]), load(w, [k, 0], [32, 32]), acc, precision=tf32x3)\n    }\n"
      "    store(o, [0, 0], acc)\n    for k in 0 .. cdiv(K, 32) {\n"
      "        other = mma(load(ww, [0, k], [32, 32]), trans(load(u, [0, k], [64, 32])), other, precision=tf32x3)\n    }\n"
      "    store(oo, [0, 0], other)\n}", 0, 0, NULL },
    { "f32 in three products: infinities and NaN", NULL, "",
      "kernel k(x: f32[64, 1], y: f32[1, 32], o: bool[64, 32], oo: bool[64, 32]) {\n"
      "    a, b = load(x, [0, 0], [64, 1]), load(y, [0, 0], [1, 32])\n"
      "    a = where((abs(a) < 1e-15) | ((abs(a) > 1e18) & (abs(a) != inf)), 0, a)\n"
      "    b = where((abs(b) < 1e-15) | ((abs(b) > 1e18) & (abs(b) != inf)), 0, b)\n"
      "    z = mma(a, b, zeros(f32, [64, 32]), precision=tf32x3)\n"
      "    store(o, [0, 0], z != z)\n    store(oo, [0, 0], abs(z) == inf)\n}", 0, 0, NULL },
    { "products of 8 rows and 2, moved: all that hold an element have the same", "f64 tf32 bf16", "",
      "kernel k(w: T[8, 4], ww: T[4, 8], o: f64[8, 8], oo: f64[2, 8]) const T = f64 grid 1 {\n"
      "    a, b = load(w, [0, 0], [8, 4]), load(ww, [0, 0], [4, 8])\n"
      "    store(o, [0, 0], roll(cast(a @ b, f64), 1, 0))\n"
      "    store(oo, [0, 0], roll(cast(load(w, [0, 0], [2, 4]) @ b, f64), 1, 1))\n}", 0, 0, NULL },
    { "prefetch of tf32, turned", "tf32 bf16", "M=70 K=72 N=48;M=9 K=100 N=16",
      "kernel k(w: T[K, M], ww: T[K, N], o: f32[M, N]) const T = f16, BM = 32, BN = 32, BK = 16\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(trans(load(w, [k, m], [BK, BM])), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "prefetch of f64, in two orders", NULL, "M=70 K=34 N=48;M=9 K=100 N=16;M=65 K=2 N=34",
      "kernel k(w: f64[K, M], ww: f64[K, N], www: f64[M, K], wwww: f64[N, K], o: f64[M, N], oo: f64[M, N])\n"
      "    const BM = 32, BN = 32, BK = 16\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f64, [BM, BN])\n    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(trans(load(w, [k, m], [BK, BM])), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(o, [m, n], acc)\n    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(www, [m, k], [BM, BK]), trans(load(wwww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(oo, [m, n], acc)\n}", 0, 0, NULL },
    { "f64 of batches and odd extents", NULL, "",
      "kernel k(w: f64[3, 17, 5], ww: f64[3, 5, 9], o: f64[3, 17, 9], oo: f64[17, 9]) {\n"
      "    a, b = load(w, [0, 0, 0], [3, 17, 5]), load(ww, [0, 0, 0], [3, 5, 9])\n"
      "    store(o, [0, 0, 0], a @ b)\n"
      "    store(oo, [0, 0], reshape(extract(a, [1, 0, 0], [1, 17, 5]), [17, 5]) @ reshape(extract(b, [2, 0, 0], [1, 5, 9]), [5, 9]))\n}", 0, 0, NULL },
    { "prefetch from any iteration on, by steps", "f16 tf32", "M=40 K=200 N=64 n=0;n=-3;n=2;n=99;M=33 K=40 N=8 n=0",
      "kernel k(w: T[M, K], ww: T[N, K], n: i32, o: f32[2, M, N]) const T = f16, BM = 32, BN = 64, BK = 16\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in n .. cast(cdiv(K, BK), i32) step 2 {\n"
      "        acc = mma(load(w, [block(0), k], [BM, BK]), trans(load(ww, [block(1), k], [BN, BK])), acc)\n    }\n"
      "    store(o, [0, block(0), block(1)], acc[None, :, :])\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        i = (k * 3 + n) % 7\n"
      "        acc = mma(load(w, [block(0), i], [BM, BK]), trans(load(ww, [block(1), i], [BN, BK])), acc)\n"
      "        if i == 2 { acc = acc * 2 }\n    }\n    store(o, [1, block(0), block(1)], acc[None, :, :])\n}", 0, 0, NULL },
    { "prefetch of two products, and of work between them", "f16 bf16", "M=70 K=200 N=32;M=20 K=40 N=32",
      "kernel k(w: T[M, N], ww: T[K, N], www: T[K, N], o: f32[M, N], o2: f32[M]) const T = f16, BM = 64, BK = 32\n"
      "    grid cdiv(M, BM)\n{\n"
      "    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n"
      "    acc = zeros(f32, [BM, 32])\n    top = zeros(f32, [BM, 1])\n"
      "    for k in 1 .. cdiv(K, BK) step 2 {\n"
      "        p = a @ trans(load(ww, [k, 0], [BK, 32]))\n"
      "        p = where(k * BK + iota(i32, BK)[None, :] < K, p, 0.0)\n"
      "        top = maximum(top, max(p, 1))\n"
      "        acc = mma(cast(p, T), load(www, [k, 0], [BK, 32]), acc * 0.5)\n"
      "    }\n    store(o, [m, 0], acc)\n    store(o2, [m], squeeze(top, 1))\n}", 0, 0, NULL },
    { "prefetch of pages by numbers from memory", "f16 tf32", "M=40 K=200 N=48 n=0;M=33 K=40 N=32 n=0;M=9 K=400 N=16 n=-2;M=9 K=0 N=16 n=0",
      "kernel k(w: T[M, K], ww: T[5, N, 3, 32], w3: i32[9], n: i32, o: f32[M, N]) const T = f16, BM = 32, BN = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in n .. cast(cdiv(K, 32), i32) {\n        page = w3[k]\n"
      "        acc = mma(load(w, [block(0), k], [BM, 32]), trans(load(ww, [page, block(1), k % 3, 0], [_, BN, _, 32])), acc)\n"
      "    }\n    store(o, [block(0), block(1)], acc)\n}", 0, 0, NULL },
    { "prefetch of pages that pages number, in two products", "f16 bf16", "M=70 K=200 N=32;M=20 K=40 N=32",
      "kernel k(w: T[M, N], ww: T[6, 32, N], www: T[K, N], w3: i32[2, 9], w4: i64[9], o: f32[M, N]) const T = f16, BM = 64\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n    acc = zeros(f32, [BM, 32])\n"
      "    for k in 1 .. cdiv(K, 32) step 2 {\n        r = w3[1, k % 9] % 9\n        page = w4[r] + r\n"
      "        p = a @ trans(load(ww, [page, 0, 0], [_, 32, 32])) + cast(r, f32)\n"
      "        acc = mma(cast(p, T), load(www, [k, 0], [32, 32]), acc * 0.5)\n"
      "    }\n    store(o, [m, 0], acc)\n}", 0, 0, NULL },
    { "prefetch of rows by ids that are computed and read", "f16 bf16", "M=70 K=200 N=40 P=50 S=4;M=20 K=41 N=64 P=7 S=3",
      "kernel k(w: T[M, N], ww: T[P, 2, N], www: T[P, N], w3: i32[K], o: f32[M, 64], S: i32) const T = f16, BM = 64, BK = 48\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 64])\n    acc = zeros(f32, [BM, 64])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        at = cast(k * BK, i32) + iota(i32, BK)\n"
      "        ids = gather(w3, [at // S], mask=at < 100, pad=-1) * S + at % S\n"
      "        p = a @ trans(load_rows(ww, ids, [1, 0], [_, 64]))\n        p = where((at + ids)[None, :] < 90, p, 0.0)\n"
      "        acc = mma(cast(p, T), load_rows(www, ids, [0], [64]), acc * 0.5)\n"
      "    }\n    store(o, [m, 0], acc)\n}", 0, 0, NULL },
    { "prefetch of pages of lines that a reshape joins", "f16 bf16", "M=70 R=9 P=6 S=40;M=20 R=3 P=3 S=64",
      "kernel k(w: T[M, 32], ww: T[P, S, 2, 32], www: T[P, S, 32], w3: i32[R], o: f32[M, 32]) const T = f16, BM = 64\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n    acc = zeros(f32, [BM, 32])\n"
      "    for k in 0 .. cdiv(R, 2) {\n        ids = load(w3, [k], [2], pad=-1)\n"
      "        p = a @ trans(reshape(load_rows(ww, ids, [k % 3 - 1, 1, 0], [32, _, 32]), [64, 32]))\n"
      "        acc = mma(cast(p, T), reshape(load_rows(www, ids, [k % 2, 0], [32, 32]), [64, 32]), acc * 0.5)\n"
      "    }\n    store(o, [m, 0], acc)\n}", 0, 0, NULL },
    { "prefetch of pages of lines in a loop that waits", "f16 bf16", "M=70 R=9 P=6 S=40;M=20 R=3 P=3 S=64",
      "kernel k(w: T[M, 32], ww: T[P, S, 2, 32], www: T[P, S, 32], w3: i32[R], o: f32[M, 32]) const T = f16, BM = 16\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n    acc = zeros(f32, [BM, 32])\n"
      "    for k in 0 .. cdiv(R, 2) {\n        ids = load(w3, [k], [2], pad=-1)\n"
      "        p = a @ trans(reshape(load_rows(ww, ids, [k % 3 - 1, 1, 0], [32, _, 32]), [64, 32]))\n"
      "        acc = mma(cast(p, T), reshape(load_rows(www, ids, [k % 2, 0], [32, 32]), [64, 32]), acc * 0.5)\n"
      "    }\n    store(o, [m, 0], acc)\n}", 0, 0, NULL },
    { "prefetch of rows by ids from before the loop", "f16 tf32", "M=70 K=200 N=40 P=50;M=20 K=33 N=64 P=7",
      "kernel k(w: T[P, K], ww: T[N, K], w3: i32[M], o: f32[M, N], o2: i32[M]) const T = f16, BM = 64, BN = 16, BK = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n    m, n = block(0), block(1)\n    ids = load(w3, [m], [BM])\n"
      "    store(o2, [m], ids + 1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load_rows(w, ids, [k], [BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n"
      "    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "prefetch of rows by ids that share a term", "f16 bf16", "M=64 N=64 K=100;M=20 N=33 K=32",
      "kernel k(w: T[40, M], ww: T[40, N], w3: i32[K], w4: i64[K], o: f32[M, N]) const T = f16\n"
      "    grid cdiv(M, 32), cdiv(N, 32)\n{\n    m, n = block(0), block(1)\n    acc = zeros(f32, [32, 32])\n"
      "    for k in 0 .. cdiv(K, 32) {\n"
      "        y = load_rows(ww, load(w4, [k], [32], pad=-1) // 2 + k, [n], [32])\n"
      "        x = load_rows(w, load(w3, [k], [32], pad=-1) // 2 + k, [m], [32])\n"
      "        acc = mma(trans(x), y, acc)\n    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a pipeline of products that share tensors", NULL, "M=128 N=64 K=64;M=70 N=100 K=40",
      "kernel k(w: u8[M, K], ww: u8[N, K], o: i32[M, N]) grid cdiv(M, 64), cdiv(N, 64) {\n"
      "    m, n = block(0), block(1)\n    acc = zeros(i32, [64, 64])\n"
      "    for k in 0 .. cdiv(K, 32) {\n"
      "        acc = mma(load(w, [m, k], [64, 32]), trans(load(w, [n, k], [64, 32])), acc)\n"
      "        acc = mma(load(ww, [n, k], [64, 32]), trans(load(w, [m + 1, k], [64, 32])), acc)\n"
      "    }\n    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a pipeline of gathered rows in no loop", NULL, "M=160 N=64 K=128;M=128 N=112 K=200",
      "kernel k(w: u8[M, K], ww: u8[9, 11, K], o: i32[M, N]) grid cdiv(M, 128), cdiv(N, 64) {\n"
      "    m, n = block(0), block(1)\n    x = load_at(w, [m * 128, 32], [128, 64])\n"
      "    row = (cast(n * 64 + 1, i32) + iota(i32, 64))[:, None]\n"
      "    y = gather(ww, [row // 11 % 9 - 1, row % 11, 64 + iota(i64, 64)[None, :]], mask=row != 7)\n"
      "    store(o, [m, n], mma(x, trans(y), zeros(i32, [128, 64])))\n}", 0, 0, NULL },
    { "a pipeline of rows by ids in no loop", "f16 bf16", "M=128 N=64 K=128;M=64 N=64 K=0",
      "kernel k(w: T[40, M], ww: T[40, K], w3: i32[K], w4: i32[N], o: f32[M, N]) const T = f16\n"
      "    grid cdiv(M, 64), cdiv(N, 64)\n{\n    m, n = block(0), block(1)\n"
      "    x = load_rows(w, load(w3, [1], [64], pad=-1), [m], [64])\n"
      "    y = load_rows(ww, load(w4, [n], [64], pad=3) // 2 + n, [1], [64])\n"
      "    store(o, [m, n], trans(x) @ trans(y))\n}", 0, 0, NULL },
    { "prefetch of rows by ids as wide as bytes", NULL, "K=100 n=0;K=30 n=-1",
      "kernel k(w: f16[16, 64], ww: f16[200, 64], w3: u8[K], w4: i64[K], n: i32, o: f32[16, 64]) grid 1 {\n"
      "    acc = zeros(f32, [16, 64])\n    for k in n .. cast(cdiv(K, 16), i32) {\n"
      "        x, y = load(w3, [k], [16], pad=199), load_at(w4, [k * 16 + 1], [16])\n"
      "        p = load(w, [0, 0], [16, 64]) @ trans(load_rows(ww, x, [0], [64]))\n"
      "        acc = mma(cast(p, f16), load_rows(ww, y + cast(x, i64), [0], [64]), acc)\n"
      "    }\n    store(o, [0, 0], acc)\n}", 0, 0, NULL },
    { "prefetch of pages in iterations that end early", "f16 bf16", "m=7 n=3;m=10 n=0",
      "kernel k(w: T[16, 64], ww: T[3, 32, 64], www: T[64, 64], w3: i32[4], m: i32, n: i32, o: f32[16, 64]) const T = f16 grid 1 {\n"
      "    acc = zeros(f32, [16, 64])\n    a = load(w, [0, 0], [16, 64])\n    for k in 0 .. m {\n"
      "        if k > 3 - n { continue }\n        page = load(w3, [k], [_], inside=true)\n"
      "        ids = load(w3, [k], [1], inside=true) & 63 | (iota(i32, 32) & 1)\n"
      "        p = a @ trans(load(ww, [page, 0, 0], [_, 32, 64]))\n"
      "        acc = mma(cast(p, T), load_rows(www, ids, [0], [64], inside=true), acc)\n"
      "    }\n    store(o, [0, 0], acc)\n}", 0, 0, NULL },
    { "vectors along the depth axis of a pipeline", "f16 bf16", "M=130 K=200 N=72;M=64 K=33 N=64;M=20 K=7 N=8",
      "kernel k(w: T[M, K], ww: T[N, K], w3: f32[K], w4: T[K], w5: f32[M], w6: T[K, 3], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n    scale = load(w5, [m], [BM])[:, None]\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        a = cast(load(w, [m, k], [BM, BK]), f32) * scale * load(w3, [k], [BK]) + cast(load(w4, [k], [BK]), f32)\n"
      "        a = a - cast(load_at(w4, [k * BK - 1], [BK]), f32) + cast(trans(load(w6, [k, 1], [BK, 1])), f32)\n"
      "        acc = mma(cast(a, T), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "vectors along the depth axis of a pipeline, of other extents", "f16", "M=130 K=200 N=72;M=20 K=5 N=8",
      "kernel k(w: T[M, K], ww: T[N, K], w3: i64[4, K], w4: T[K], i: i32[K], o: f32[M, N])\n"
      "    const T = f16, BM = 128, BN = 32, BK = 48\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 1 .. cdiv(K, BK) step 2 {\n"
      "        a = cast(load(w, [m, k], [BM, BK]), f32) * cast(load(w3, [k % 3, k], [_, BK]), f32)\n"
      "        a = where(load(i, [k - 1], [BK]) > 3, a, cast(load_at(w4, [k * 5], [BK]), f32))\n"
      "        acc = mma(cast(a, T), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a vector along the depth axis of a product of few columns", "f16", "M=130 K=300 N=8;M=64 K=20 N=16",
      "kernel k(w: T[M, K], ww: T[N, K], w3: T[K], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 16, BK = 64\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        x = load(w, [m, k], [BM, BK]) * load(w3, [k], [BK]) - load_at(w3, [k * BK + 1], [BK])\n"
      "        acc = mma(x, trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a vector along the columns of products that run ahead", "f16", "M=130 K=200 N=72;M=64 K=33 N=64",
      "kernel k(w: T[M, K], ww: T[N, K], w3: f32[9, N], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        x = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), zeros(f32, [BM, BN]))\n"
      "        acc = acc + x * load(w3, [k, n], [_, BN])\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "attention with a vector that is added to its scores", "f16", "M=70 N=200;M=64 N=33",
      "kernel k(w: T[M, 32], ww: T[N, 32], www: T[N, 32], w4: f32[N], o: f32[M, 32], oo: f32[M]) const T = f16, BM = 64, BN = 64\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n"
      "    acc, top = zeros(f32, [BM, 32]), full(f32, [BM, 1], -1000.0)\n"
      "    for n in 0 .. cdiv(N, BN) {\n"
      "        p = a @ trans(load(ww, [n, 0], [BN, 32])) + load(w4, [n], [BN])\n"
      "        top = maximum(top, max(p, 1))\n"
      "        acc = mma(cast(p, T), load(www, [n, 0], [BN, 32]), acc)\n    }\n"
      "    store(o, [m, 0], acc)\n    store(oo, [m], squeeze(top, 1))\n}", 0, 0, NULL },
    { "attention whose length and pages of keys are read from memory", "f16 bf16", "M=70 N=200;M=64 N=33",
      "kernel k(w: T[M, 32], ww: T[N, 32], www: T[N, 32], n: u8[8], o: T[M, 32]) const T = f16, BM = 64, BN = 64\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n"
      "    acc = zeros(f32, [BM, 32])\n"
      "    for i in cast(n[0] % 2, i64) .. cast(n[1] % 4, i64) + m {\n"
      "        page = cast(n[i % 8] % 5, i64)\n"
      "        p = a @ trans(load(ww, [page, 0], [BN, 32]))\n"
      "        p = where(page * BN + iota(i32, BN) < N, p, 0.0)\n"
      "        acc = mma(cast(p, T), load_at(www, [page * BN, 0], [BN, 32]), acc)\n    }\n"
      "    store(slice(o, 0, cast(n[2] % 3, i64), M), [m, 0], cast(acc, T))\n}", 0, 0, NULL },
    { "products that share a left operand, loaded for each or once", "f16 bf16", "M=130 K=200 N=72;M=20 K=7 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], w3: T[K, N], w4: T[N, K], o: f32[M, N], oo: f32[M, N], o3: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    a, b, c = zeros(f32, [BM, BN]), full(f32, [BM, BN], 1), zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        x = load(w, [m, k], [BM, BK])\n"
      "        a = mma(x, load(ww, [k, n], [BK, BN]), a)\n        b = mma(x, load(w3, [k, n], [BK, BN]), b)\n"
      "        c = mma(load(w, [m, k], [BM, BK]), trans(load(w4, [n, k], [BN, BK])), c)\n    }\n"
      "    store(o, [m, n], a)\n    store(oo, [m, n], b)\n    store(o3, [m, n], c)\n}", 0, 0, NULL },
    { "products that share a right operand", "f16", "M=130 K=200 N=72;M=20 K=7 N=8",
      "kernel k(w: T[M, K], ww: T[N, K], w3: T[K, M], o: f32[M, N], oo: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    a, b = zeros(f32, [BM, BN]), zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        a = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), a)\n"
      "        b = mma(trans(load(w3, [k, m], [BK, BM])), trans(load(ww, [n, k], [BN, BK])), b)\n    }\n"
      "    store(o, [m, n], a)\n    store(oo, [m, n], b)\n}", 0, 0, NULL },
    { "products that run ahead and share an operand", "f16", "M=130 K=200 N=72;M=20 K=7 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], w3: T[K, N], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 32, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        x = load(w, [m, k], [BM, BK]) @ load(ww, [k, n], [BK, BN])\n"
      "        acc = acc + x * (load(w, [m, k], [BM, BK]) @ load(w3, [k, n], [BK, BN]))\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a product and the one that overlaps it, with an operand of both", "f16", "M=130 K=200;M=20 K=7",
      "kernel k(w: T[M, K], s: T[K, 64], o: f32[M, 64])\n    const T = f16, BM = 64, BK = 64\n    grid cdiv(M, BM)\n{\n"
      "    m = block(0)\n    acc = zeros(f32, [BM, 64])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        p = load(w, [m, k], [BM, BK]) @ load(s, [k, 0], [BK, 64])\n"
      "        acc = mma(cast(p, T), load(s, [k, 0], [BK, 64]), acc)\n    }\n"
      "    store(o, [m, 0], acc)\n}", 64, 64, NULL },
    { "an operand of two products that is loaded before the loop", "f16", "M=130 N=200;M=20 N=7",
      "kernel k(w: T[M, 32], ww: T[N, 32], w3: T[N, 32], o: f32[M, N]) const T = f16, BM = 64, BN = 32\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n    acc = zeros(f32, [BM, BN])\n"
      "    for n in 0 .. cdiv(N, BN) {\n"
      "        acc = acc + (a @ trans(load(ww, [n, 0], [BN, 32]))) * (a @ trans(load(w3, [n, 0], [BN, 32])))\n    }\n"
      "    store(o, [m, 0], acc)\n}", 0, 0, NULL },
    { "a left operand of a pipeline that other work reads", "f16", "M=130 K=200;M=20 K=7",
      "kernel k(w: T[M, K], ww: T[K, 64], o: f32[M, 64], oo: f32[M]) const T = f16, BM = 64, BK = 32\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    acc, top = zeros(f32, [BM, 64]), zeros(f32, [BM, 1])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        x = load(w, [m, k], [BM, BK])\n"
      "        acc = mma(x, load(ww, [k, 0], [BK, 64]), acc)\n        top = maximum(top, cast(max(x, 1), f32))\n    }\n"
      "    store(o, [m, 0], acc)\n    store(oo, [m], squeeze(top, 1))\n}", 0, 0, NULL },
    { "a computed left operand of a pipeline that other work reads", "f16", "M=130 K=200;M=20 K=7",
      "kernel k(w: f32[M, K], ww: T[K, 64], o: f32[M, 64], oo: f32[M]) const T = f16, BM = 64, BK = 32\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    acc, top = zeros(f32, [BM, 64]), zeros(f32, [BM, 1])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        x = cast(load(w, [m, k], [BM, BK]) * 2.0, T)\n"
      "        acc = mma(x, load(ww, [k, 0], [BK, 64]), acc)\n        top = maximum(top, cast(max(x, 1), f32))\n    }\n"
      "    store(o, [m, 0], acc)\n    store(oo, [m], squeeze(top, 1))\n}", 0, 0, NULL },
    { "a left operand of a pipeline at any element", "f16", "M=130 K=200;M=20 K=7",
      "kernel k(w: T[M, K], ww: T[K, 64], o: f32[M, 64]) const T = f16, BM = 64, BK = 16\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    acc = zeros(f32, [BM, 64])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load_at(w, [m * BM, k * BK + 3], [BM, BK]), load(ww, [k, 0], [BK, 64]), acc)\n    }\n"
      "    store(o, [m, 0], acc)\n}", 0, 0, NULL },
    { "a pipeline of four products that add to two sums", "f16 bf16", "M=130 K=72 N=136;M=20 K=16 N=8",
      "kernel k(w: T[M, K], ww: T[M, K], w3: T[K, N], w4: T[K, N], o: f32[M, N], oo: f32[M, N]) const T = f16\n"
      "    grid cdiv(M, 128), cdiv(N, 128) {\n    m, n = block(0), block(1)\n    re, im = zeros(f32, [128, 128]), zeros(f32, [128, 128])\n"
      "    for k in 0 .. cdiv(K, 32) {\n        u, v = load(w, [m, k], [128, 32]), load(ww, [m, k], [128, 32])\n"
      "        y, z = load(w3, [k, n], [32, 128]), load(w4, [k, n], [32, 128])\n"
      "        re = mma(-v, z, mma(u, y, re))\n        im = mma(u, z, im)\n        im = mma(v, y, im)\n    }\n"
      "    store(o, [m, n], re)\n    store(oo, [m, n], im)\n}", 0, 0, NULL },
    { "a product behind a pipeline, added to one of its sums", "f16 bf16", "M=130 K=200 N=72 R=16;M=20 K=7 N=8 R=5",
      "kernel k(w: T[M, K], ww: T[K, N], s: T[K, R], ss: T[R, N], o: T[M, N], a: f32)\n"
      "    const T = f16, BM = 128, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc, low = zeros(f32, [BM, BN]), zeros(f32, [BM, 16])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        x = load(w, [m, k], [BM, BK])\n"
      "        acc = mma(x, load(ww, [k, n], [BK, BN]), acc)\n        low = mma(x, load(s, [k, 0], [BK, 16]), low)\n    }\n"
      "    acc = mma(cast(low * 0.25, T), load(ss, [0, n], [16, BN]), acc)\n"
      "    store(o, [m, n], cast(acc, T))\n}", 64, 1000, NULL },
    { "products behind a pipeline, of other shapes and dtypes", "f16", "M=300 K=100;M=20 K=7",
      "kernel k(w: T[M, K], ww: T[K, 32], w3: T[32, 80], w4: f32[80, 8], w5: T[16, 16], o: f32[M, 80], oo: f32[M, 8], o3: f32[16, M])\n"
      "    const T = f16, BM = 256, BK = 32\n    grid cdiv(M, BM)\n{\n"
      "    m = block(0)\n    acc = zeros(f32, [BM, 32])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        x = cast(load(w, [m, k], [BM, BK]), f32) * 2.0\n"
      "        acc = mma(cast(x, T), load(ww, [k, 0], [BK, 32]), acc)\n    }\n"
      "    p = mma(cast(acc * 0.125, T), load(w3, [0, 0], [32, 80]), zeros(f32, [BM, 80]))\n    store(o, [m, 0], p)\n"
      "    store(oo, [m, 0], mma(p, load(w4, [0, 0], [80, 8]), zeros(f32, [BM, 8])))\n"
      "    store(o3, [0, m], mma(load(w5, [0, 0], [16, 16]), extract(trans(cast(p, T)), [0, 0], [16, BM]), zeros(f32, [16, BM])))\n}", 64, 10000, NULL },
    { "a product behind a pipeline that overlaps", "f16", "M=70 N=200;M=64 N=33",
      "kernel k(w: T[M, 32], ww: T[N, 32], www: T[N, 32], w4: T[32, 64], o: f32[M, 64]) const T = f16, BM = 64, BN = 64\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 32])\n    acc = zeros(f32, [BM, 32])\n"
      "    for n in 0 .. cdiv(N, BN) {\n        p = minimum(a @ trans(load(ww, [n, 0], [BN, 32])), 4.0)\n"
      "        acc = mma(cast(p, T), load(www, [n, 0], [BN, 32]), acc * 0.5)\n    }\n"
      "    store(o, [m, 0], cast(acc, T) @ load(w4, [0, 0], [32, 64]))\n}", 64, 1000, NULL },
    { "an operand of a pipeline, loaded again to compute with", "f16", "M=130 K=200 N=72;M=20 K=7 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N], oo: f32[M], o3: f32[N])\n"
      "    const T = f16, BM = 64, BN = 64, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc, top, low = zeros(f32, [BM, BN]), zeros(f32, [BM, 1]), zeros(f32, [1, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n"
      "        top = maximum(top, cast(max(load(w, [m, k], [BM, BK]), 1), f32))\n"
      "        low = minimum(low, cast(min(load(ww, [k, n], [BK, BN]), 0), f32))\n    }\n"
      "    store(o, [m, n], acc)\n    store(oo, [m], squeeze(top, 1))\n    store(o3, [n], squeeze(low, 0))\n}", 0, 0, NULL },
    { "operands of attention, loaded again to compute with", "f16", "M=70 N=200;M=64 N=33",
      "kernel k(w: T[M, 64], ww: T[N, 64], www: T[N, 64], o: f32[M, 64], oo: f32[M], o3: f32[M]) const T = f16, BM = 64, BN = 64\n"
      "    grid cdiv(M, BM)\n{\n    m = block(0)\n    a = load(w, [m, 0], [BM, 64])\n"
      "    acc, top, low = zeros(f32, [BM, 64]), full(f32, [BM, 1], -1000.0), zeros(f32, [BM, 1])\n"
      "    for n in 0 .. cdiv(N, BN) {\n"
      "        p = minimum(a @ trans(load(ww, [n, 0], [BN, 64])), 4.0)\n"
      "        top = maximum(top, cast(max(load(ww, [n, 0], [BN, 64]), 1), f32))\n"
      "        low = minimum(low, cast(min(load(www, [n, 0], [BN, 64]), 1), f32))\n"
      "        acc = mma(cast(p, T), load(www, [n, 0], [BN, 64]), acc)\n    }\n"
      "    store(o, [m, 0], acc)\n    store(oo, [m], squeeze(top, 1))\n    store(o3, [m], squeeze(low, 1))\n}", 0, 0, NULL },
    { "a tile of a pipeline that is loaded twice to compute with", "f16", "M=130 K=200 N=72;M=20 K=7 N=8",
      "kernel k(w: i8[M, K], ww: T[N, K], w3: T[N, K], w4: f32[K], o: f32[M, N])\n"
      "    const T = f16, BM = 64, BN = 32, BK = 32\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    a, b = zeros(f32, [BM, BN]), zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        a = mma(cast(load(w, [m, k], [BM, BK]), T), trans(load(ww, [n, k], [BN, BK])), a)\n"
      "        x = cast(load(w, [m, k], [BM, BK]), f32) * load(w4, [k], [BK])\n"
      "        b = mma(cast(x + load(w4, [k], [BK]), T), trans(load(w3, [n, k], [BN, BK])), b)\n    }\n"
      "    store(o, [m, n], a + b)\n}", 0, 0, NULL },
    { "a product that is left out of some turns", "f16 bf16", "M=70 K=200 N=64;M=20 K=40 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N]) const T = f16, BM = 64, BN = 64, BK = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n        if k == 1 { continue }\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "a product of blocks that the sum of a tile ends", "f16", "M=1300 K=40 N=128;M=200 K=100 N=64",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N]) const T = f16, BM = 64, BN = 16, BK = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    r, c = block(0), block(1)\n    if sum(load(w, [r * 2 + c, 0], [4, 8])) > 0.0 { return }\n"
      "    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(w, [r, k], [BM, BK]), load(ww, [k, c], [BK, BN]), acc)\n    }\n"
      "    store(o, [r, c], acc)\n}", 0, 0, NULL },
    { "rows of a part of a tensor, and what is largest of their products", "f16", "M=200 K=100 N=64 r=3;M=200 K=32 N=128 r=40",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N], r: i64) const T = f16, BM = 64, BN = 64, BK = 32\n"
      "    grid 1, cdiv(N, BN)\n{\n"
      "    part, own = slice(w, 0, r, r + 70), slice(o, 0, r, r + 70)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. cdiv(K, BK) {\n"
      "        acc = mma(load(part, [0, k], [BM, BK]), load(ww, [k, block(1)], [BK, BN]), acc)\n    }\n"
      "    store(own, [0, block(1)], acc - max(acc, 1))\n}", 0, 0, NULL },
    { "a pipeline whose copies and products divide by the same extent", "f16", "C=5 H=3 M=70 L=32 K=480 N=64;C=3 H=1 M=20 L=8 K=96 N=8",
      "kernel k(w: T[C, H, M, L], ww: T[K, N], w3: f32[C], o: f32[M, N]) const T = f16, BM = 64, BN = 64, BK = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. H * C {\n        j = k & 1023\n"
      "        acc = mma(load(w, [j % C, j // C, m, 0], [_, _, BM, BK]), load(ww, [k, n], [BK, BN]), acc)\n    }\n"
      "    at = iota(i64, BM)[:, None] * 3 % C + iota(i64, BN)[None, :] * 0\n"
      "    store(o, [m, n], acc + gather(w3, [at]))\n}", 0, 0, NULL },
    { "a pipeline of as many turns as it finds, with what is loaded meanwhile", "f16 bf16", "M=70 K=100 N=200",
      "kernel k(w: T[M, K], ww: T[N, K], w2: T[M, N], w3: T[N], o: f32[M, N]) const T = f16, BM = 64, BN = 64, BK = 16\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in 0 .. minimum(cdiv(K, BK), n % 3) {\n"
      "        acc = mma(load(w, [m, k], [BM, BK]), trans(load(ww, [n, k], [BN, BK])), acc)\n    }\n"
      "    store(o, [m, n], acc * 2.0 + cast(load(w2, [m, n], [BM, BN]), f32) + cast(load(w3, [n], [BN]), f32))\n}", 0, 0, NULL },
    { "turns that pass half of what an unsigned number holds", "f16", "M=70 K=200 N=64 a=2147483646 b=2147483650;a=1 b=3",
      "kernel k(w: T[M, K], ww: T[K, N], o: f32[M, N], a: u32, b: u32) const T = f16, BM = 64, BN = 64, BK = 32\n"
      "    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
      "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
      "    for k in a .. b {\n        i = cast(k - a, i64)\n"
      "        acc = mma(load(w, [m, i], [BM, BK]), load(ww, [i, n], [BK, BN]), acc * 0.5)\n    }\n"
      "    store(o, [m, n], acc)\n}", 0, 0, NULL },
    { "products of batches", "f16 f32 f64 i8", "",
      "kernel k(w: T[3, 5, 12], ww: T[12, 8], www: T[2, 1, 8, 12], o: f64[3, 5, 8], oo: f64[2, 3, 8, 5]) const T = f32 {\n"
      "    a = load(w, [0, 0, 0], [3, 5, 12])\n    store(o, [0, 0, 0], cast(a @ load(ww, [0, 0], [12, 8]), f64))\n"
      "    store(oo, [0, 0, 0, 0], cast(load(www, [0, 0, 0, 0], [2, 1, 8, 12]) @ trans(a), f64))\n}", 0, 0, NULL },
    { "a product whose operands do not fit in shared memory at once", "f64 i8", "",
      "kernel k(w: T[24, 1500], ww: T[1500, 20], o: f64[24, 20]) const T = f64 {\n"
      "    store(o, [0, 0], cast(load(w, [0, 0], [24, 1500]) @ load(ww, [0, 0], [1500, 20]), f64))\n}", 0, 0, NULL },
    { "products of one", "f32 i8", "",
      "kernel k(w: T[1, 1], ww: T[1, 40], o: f32[1, 40], oo: f32[1, 1]) const T = f32 {\n"
      "    a, b = load(w, [0, 0], [1, 1]), load(ww, [0, 0], [1, 40])\n"
      "    store(o, [0, 0], cast(a @ b, f32))\n    store(oo, [0, 0], cast(b @ trans(b), f32))\n}", 0, 0, NULL },
    { "what is done with a product of few rows", NULL, "N=5 M=3",
      "kernel k(w: i8[5, 7], ww: i8[7, 20], o: i32[5, 1], o1: i32[1, 20], oo: i32[9], u: i32[5, 20], o2: i32[5, 20], o3: i32[5, 20], o4: i32[5, 1]) {\n"
      "    a = load(w, [0, 0], [5, 7]) @ load(ww, [0, 0], [7, 20])\n    store(o, [0, 0], sum(a, 1))\n"
      "    store(o1, [0, 0], sum(a, 0))\n    store(oo, [0], histogram(a, 9))\n    store_add(u, [0, 0], a)\n"
      "    store(o2, [0, 0], cumsum(a, 1))\n    store(o3, [0, 0], sort(a, 0))\n    store(o4, [0, 0], argmax(a, 1))\n}", 0, 0, NULL },
    { "products of products", "f32", "",
      "kernel k(w: T[9, 12], ww: T[12, 10], www: T[10, 11], o: T[9, 11]) const T = f32 {\n"
      "    store(o, [0, 0], load(w, [0, 0], [9, 12]) @ load(ww, [0, 0], [12, 10]) @ load(www, [0, 0], [10, 11]))\n}", 0, 0, NULL },

    // Random numbers, inline instructions
    { "random numbers", NULL, "N=100 n=77;N=100 n=18446744073709551615",
      "kernel k(x: u64[N], n: u64, o: u32[4, N], oo: u32[N], o1: u32[4]) {\n"
      "    c = load(x, [0], [100])\n    a, b, d, e = philox(n, c)\n"
      "    store(o, [0, 0], a)\n    store(o, [1, 0], b)\n    store(o, [2, 0], d)\n    store(o, [3, 0], e)\n"
      "    a, b, d, e = philox(c, iota(u64, 100))\n    store(oo, [0], a ^ b ^ d ^ e)\n"
      "    a, b, d, e = philox(n, 3)\n    store(o1, [0], a, shape=[_])\n    store(o1, [1], e, shape=[_])\n}", 0, 0, NULL },
    { "random numbers that go several ways", NULL, "",
      "kernel k(x: u64[8, 20], y: u32[20, 8], o: u32[20, 8], oo: u32[8, 20], o1: u32[160]) {\n"
      "    a, b, c, d = philox(1, load(x, [0, 0], [8, 20]))\n"
      "    store(o, [0, 0], trans(a) + load(y, [0, 0], [20, 8]))\n    store(oo, [0, 0], b)\n"
      "    store(o1, [0], reshape(c ^ d, [160]))\n}", 0, 0, NULL },
    { "instructions", "i32 u32", "N=50",
      "kernel k(x: T[N], y: T[N], o: T[4, N]) const T = i32 {\n"
      "    a, b = load(x, [0], [50]), load(y, [0], [50])\n"
      "    store(o, [0, 0], asm(\"add.s32 $0, $1, $2\", T, [a, b]))\n"
      "    store(o, [1, 0], asm(\".reg .b32 t; mul.lo.s32 t, $1, $2\\n add.s32 $0, t, $1;\", T, [a, b]))\n"
      "    store(o, [2, 0], asm(\"lop3.b32 $0, $1, $2, $3, 0xe8\", T, [a, b, a]))\n"
      "    store(o, [3, 0], asm(\".reg .pred p; setp.lt.s32 p, $1, 0; @p bra NEG; mov.b32 $0, $1; bra END; NEG:\\n neg.s32 $0, $1; END:\", T, [a]))\n}", 0, 0, NULL },
    { "instructions that write to their operands", "i32 u32", "N=50",
      "kernel k(x: T[N], o: T[2, N]) const T = i32 {\n"
      "    a = load(x, [0], [50])\n"
      "    store(o, [0, 0], asm(\"add.s32 $1, $1, 1; mov.b32 $0, $1;\", T, [a]))\n    store(o, [1, 0], a)\n}", 0, 0, NULL },
    { "instructions of every class of register", NULL, "N=50",
      "kernel k(x: i8[N], y: f16[N], z: f64[N], w: bool[N], v: e4m3[N], o1: i8[N], o2: f16[N], o3: f64[N], o4: bool[N], o5: i64[N],\n"
      "         o6: u8[N], o7: e4m3[N], o8: u64[N], o9: i32[N]) {\n"
      "    i = load(x, [0], [50])\n"
      "    store(o1, [0], asm(\"add.s32 $0, $1, 300\", i8, [i]))\n"
      "    store(o2, [0], asm(\"xor.b16 $0, $1, 0x8000\", f16, [load(y, [0], [50])]))\n"
      "    store(o3, [0], asm(\"neg.f64 $0, $1\", f64, [load(z, [0], [50])]))\n"
      "    store(o4, [0], asm(\"xor.pred $0, $1, $2\", bool, [load(w, [0], [50]), i > 0]))\n"
      "    store(o5, [0], asm(\"mul.wide.s32 $0, $1, $2\", i64, [i, cast(i, i32) * 65537]))\n"
      "    store(o6, [0], asm(\"sub.u32 $0, $1, $2\", u8, [cast(i, u8), cast(17, u8)]))\n"
      "    store(o7, [0], asm(\"xor.b32 $0, $1, 0xffffff80\", e4m3, [load(v, [0], [50])]))\n"
      "    store(o8, [0], asm(\"cvt.u64.u16 $0, $1;\", u64, [load(y, [0], [50])]))\n"
      "    store(o9, [0], cast(asm(\"add.s32 $0, $1, 300\", i8, [i]), i32))\n}", 0, 0, NULL },
    { "instructions in a loop, on scalars and in a function", "f32", "n=0;n=3",
      "fn twice(x) { return asm(\"add.rn.f32 $0, $1, $1;\", f32, [x]) }\n"
      "kernel k(w: T[40], o: T[40], oo: T[1], n: i32) const T = f32 grid 2 {\n    a, c = load(w, [0], [40]), cast(1.5, f32)\n"
      "    for j in 0 .. n { a = twice(a); c = twice(c) + asm(\"cvt.rn.f32.s32 $0, $1;\", f32, [j]) }\n"
      "    store(o, [0], a)\n    store(oo, [0], c, shape=[_])\n}", 0, 0, NULL },
    { "the largest of what is negated, of which ptxas may lose the sign", "i8 i16 i32 i64", "N=50",
      "kernel k(x: T[N], y: T[N], z: T[N], o: T[6, N]) const T = i32 {\n"
      "    a, b, c = load(x, [0], [50]), load(y, [0], [50]), load(z, [0], [50])\n"
      "    store(o, [0, 0], maximum(maximum(a, -b), c))\n    store(o, [1, 0], minimum(minimum(-a, -b), c))\n"
      "    store(o, [2, 0], maximum(maximum(a, 0 - b), c))\n    store(o, [3, 0], maximum(maximum(a, b * full(T, [50], -1)), c))\n"
      "    store(o, [4, 0], maximum(maximum(a, -a), c))\n    store(o, [5, 0], minimum(abs(a), minimum(-c, b)))\n}", 0, 0, NULL },

    // Control
    { "loops", "i32 f32", "N=0;N=5;N=70",
      "kernel k(w: T[N], o: T[16], oo: i64[2]) const T = f32 {\n    acc, n = zeros(T, [16]), 0\n"
      "    for i in 0 .. cdiv(N, 16) {\n        acc += load(w, [i], [16])\n        n += cast(i, i32)\n    }\n"
      "    last = cast(0, i64)\n    for i in 3 .. N step 7 { last = i }\n"
      "    store(o, [0], acc)\n    store(oo, [0], n, shape=[_])\n    store(oo, [1], last, shape=[_])\n}", 0, 0, NULL },
    { "what is carried changes places", "i32 f32", "n=0;n=1;n=2;n=5",
      "kernel k(w: T[16], ww: T[16], o: T[3, 16], n: i32) const T = f32 {\n"
      "    a, b, c = load(w, [0], [16]), load(ww, [0], [16]), zeros(T, [16])\n"
      "    for i in 0 .. n {\n        a, b, c = b, c + a, a\n    }\n"
      "    store(o, [0, 0], a)\n    store(o, [1, 0], b)\n    store(o, [2, 0], c)\n}", 0, 0, NULL },
    { "while, break and continue", NULL, "n=0;n=1;n=10;n=57",
      "kernel k(o: i32[4], n: i32) {\n    a, b = 0, 1\n"
      "    while a < n {\n        a += 1\n        if a % 3 == 0 { continue }\n        if b > 1000 { break }\n        b = b * 2 + a\n    }\n"
      "    c = 0\n    for i in 0 .. n {\n        if i == 7 { break }\n        j = 0\n"
      "        while true {\n            j += 1\n            if j > 3 { break }\n            if j == 2 { continue }\n            c += j * cast(i, i32)\n        }\n    }\n"
      "    store(o, [0], a, shape=[_])\n    store(o, [1], b, shape=[_])\n    store(o, [2], c, shape=[_])\n}", 0, 0, NULL },
    { "a reduction of what all lanes of a warp have alike", "f32 i32 u32 bf16 i64", "",
      "kernel k(w: T[32, 128], x: T[32, 128], o: T[8]) const T = f32 {\n"
      "    v, y = load(w, [0, 0], [32, 128]), load(x, [0, 0], [32, 128])\n    m, n, s = max(v, 1), min(v, 1), sum(v, 1)\n"
      "    store(o, [0], max(m), shape=[_])\n    store(o, [1], min(m), shape=[_])\n    store(o, [2], sum(m), shape=[_])\n"
      "    store(o, [3], max(n), shape=[_])\n    store(o, [4], min(n), shape=[_])\n    store(o, [5], sum(s), shape=[_])\n"
      "    store(o, [6], max(max(y, 1)), shape=[_])\n    store(o, [7], min(min(y, 1)), shape=[_])\n}", 0, 0, NULL },
    { "a loop that one warp goes through for its block", "i32 i64", "n=0;n=1;n=5;n=40",
      "kernel k(n: i32, u: T[128], uu: T[1024], o: T[4, 1024], oo: T[2, 32], o1: i32[8]) const T = i32 {\n"
      "    v, lane = load(uu, [0], [1024]), iota(i32, 32)\n    store_at(u, [0], load_at(uu, [896], [128]))\n"
      "    many, seen, turns, last = zeros(T, [32]), cast(0, T), 0, lane * 3\n"
      "    while turns < n {\n        turns += 1\n        w = gather(u, [(last + turns) % 128], pad=7)\n"
      "        many += w\n        seen += max(w)\n        old = atomic_add(u, [turns], cast(sum(w) & 3, T))\n"
      "        if old % 7 == 3 { continue }\n        last = (last + cast(old & 15, i32)) % 128\n        if old % 11 == 5 { break }\n    }\n"
      "    store(o, [0, 0], v + seen)\n    store_at(u, [1], load_at(uu, [3], [127]))\n    store(oo, [0, 0], many)\n"
      "    store(oo, [1, 0], cast(last, T))\n    store(o1, [0], turns, shape=[_])\n    store(o, [1, 0], v + max(v))\n"
      "    at = 0\n    while atomic_or(u, [at], 1, order=acquire) & 1 == 0 { at += 1 }\n    store(o1, [1], at, shape=[_])\n"
      "    store(o, [2, 0], load_at(u, [0], [1024]))\n    while gather(u, [at]) == 0 { at += 1 }\n    store_at(u, [2], load_at(uu, [9], [100]))\n"
      "    store(o, [3, 0], load_at(u, [0], [1024]))\n}", 0, 0, NULL },
    { "if and return", "i32 f32", "N=40 n=0;N=40 n=1;N=40 n=5",
      "kernel k(w: T[N], u: T[N], o: T[16], n: i32) const T = f32 grid cdiv(N, 16) {\n"
      "    i = block(0)\n    a = load(w, [i], [16])\n    if n == 0 { return }\n"
      "    if i == 1 {\n        b = a * 2\n        a = b + 1\n    } else if n > 3 {\n        b = a\n        a = -a\n    } else {\n        b = a + 3\n    }\n"
      "    store(u, [i], a - b)\n    if i == 0 and n == 1 {\n        store(o, [0], a)\n        return\n    }\n"
      "    if i == 0 { store(o, [0], b) }\n}", 0, 0, NULL },
    { "a loop in a loop, tiles carried", "f32 i32", "N=40",
      "kernel k(w: T[N], o: T[8, 16]) const T = f32 {\n    acc = zeros(T, [8, 16])\n"
      "    for i in 0 .. 3 {\n        row = zeros(T, [16])\n        for j in i .. 5 {\n            row += load_at(w, [j * 3], [16])\n        }\n"
      "        acc = trans(trans(acc)) + row[None, :] * cast(iota(i32, 8)[:, None], T)\n    }\n"
      "    store(o, [0, 0], acc)\n}", 0, 0, NULL },
    { "what is carried is wanted in another layout inside than outside", "u64 bf16", "n=2;n=7",
      "kernel k(n: i32, w: T[17], o: T[17], oo: T[17, 17]) const T = u64 {\n"
      "    a = load(w, [0], [17])\n    b = a + 1\n    c = b[:, None] * a[None, :]\n"
      "    for i in 0 .. n step 2 {\n        if n > 5 { b = a }\n    }\n"
      "    store(o, [0], b)\n    store(oo, [0, 0], c)\n}", 0, 0, NULL },
    { "a barrier that a loop may go past", "i32", "n=0;n=1;n=2;n=3",
      "kernel k(n: i32, x: T[1024], u: T[1024], uu: T[1024], o: T[3, 1024]) const T = i32 where noalias(u, uu) {\n"
      "    store(u, [0], load(x, [0], [1024]))\n"
      "    for i in 0 .. n {\n        store_at(uu, [i], load_at(uu, [9 + i], [1000]))\n    }\n"
      "    store(o, [0, 0], load_at(u, [100], [1024]))\n"
      "    store(u, [0], load(x, [0], [1024]) * 3)\n    j = n\n"
      "    while j > 0 {\n        store_at(uu, [7], load_at(uu, [15 + j], [1000]))\n        j -= 1\n    }\n"
      "    store(o, [1, 0], load_at(u, [200], [1024]))\n"
      "    store(u, [0], load(x, [0], [1024]) + 9)\n"
      "    while true {\n        if j == n { break }\n        a = load_at(uu, [j], [1024])\n        store_at(uu, [3], a)\n        j += 1\n"
      "        if j == 2 { continue }\n        store_at(uu, [64], a)\n    }\n"
      "    store(o, [2, 0], load_at(u, [300], [1024]))\n}", 0, 0, NULL },
    { "loops of every kind, left at every turn", "i32 f16", "n=0 m=9;n=1 m=9;n=2 m=0;n=2 m=1;n=3 m=2",
      "kernel k(n: i32, m: i32, w: T[24], ww: T[24, 12], o: T[5, 24], oo: T[12, 24], o1: i32[8]) const T = i32 {\n"
      "    a, b, c = load(w, [0], [24]), zeros(T, [24]), load(ww, [0, 0], [24, 12])\n    s, t = 0, 0\n"
      "    for i in 0 .. n {\n        if i == m { break }\n        b += a\n        s += i\n    }\n    store(o, [0, 0], b)\n"
      "    for i in -2 .. 7 step 3 {\n        t += i\n        if t == n { continue }\n        a, b = b, a\n        if t > m { break }\n        b += 1\n    }\n    store(o, [1, 0], a - b)\n"
      "    while s < n + 2 {\n        s += 1\n        if s == m {\n            b = a\n            continue\n        } else if s > m {\n            a = a + b\n            break\n        }\n        c = trans(trans(c) + 1)\n    }\n"
      "    store(o, [2, 0], squeeze(sum(c, 1), 1) + a)\n    store(oo, [0, 0], trans(c) + b)\n    u = n\n"
      "    while true {\n        u += 1\n        for j in 0 .. u step 2 {\n            if j > m { break }\n            a = roll(a, 1, 0)\n"
      "            while t < j {\n                t += 1\n                if t == 2 { continue }\n                b = shift(b, 1, 0)\n            }\n"
      "            if u == 4 { continue }\n            s += t\n        }\n        if u > 4 { break }\n    }\n"
      "    store(o, [3, 0], a)\n    store(o, [4, 0], b)\n    store(o1, [0], s, shape=[_])\n    store(o1, [1], t, shape=[_])\n    store(o1, [2], u, shape=[_])\n}", 0, 0, NULL },
    { "a tile of two layouts, carried past a break", "f32 i8", "n=0;n=1;n=2;n=3",
      "kernel k(n: i32, w: T[16, 40], o: T[16, 40], oo: T[40, 16], o1: T[16], o2: T[40, 16]) const T = f32 {\n"
      "    a, r = load(w, [0, 0], [16, 40]), zeros(T, [16])\n    b = trans(a)\n"
      "    for i in 0 .. 3 {\n        r += squeeze(max(a, 1), 1)\n        if i == n {\n            a = trans(b)\n            break\n        }\n"
      "        b = trans(a) + r[None, :]\n        if i + 1 == n {\n            a = trans(where(b > 3, b, 1))\n            continue\n        }\n        a = a + trans(b)\n    }\n"
      "    store(o, [0, 0], a)\n    store(oo, [0, 0], b)\n    store(o1, [0], r)\n    store(o2, [0, 0], trans(a) - b)\n}", 0, 0, NULL },
    { "loads and stores around a break", "i32", "n=0;n=1;n=2;n=3",
      "kernel k(n: i32, u: T[1100], uu: T[1100], o: T[4, 1024]) const T = i32 where noalias(u, uu), noalias(u, o), noalias(uu, o) {\n"
      "    a = load(u, [0], [1024])\n"
      "    for i in 0 .. 3 {\n        store_at(u, [i * 7 + 1], a + i)\n        if i == n { break }\n        a = load_at(u, [5], [1024])\n"
      "        if i == 1 {\n            store_at(uu, [64], a)\n            continue\n        }\n        store_at(uu, [1], load_at(uu, [70], [1000]))\n    }\n"
      "    store(o, [0, 0], load_at(u, [33], [1024]))\n    store(o, [1, 0], load_at(uu, [40], [1024]))\n    j = 0\n"
      "    while j < 3 {\n        if j == n { store_at(uu, [9], load_at(u, [2], [1024])) } else { a = cumsum(a, 0) }\n"
      "        j += 1\n        if j > n { break }\n        store_at(u, [j], sort(load_at(u, [0], [1024]), 0))\n    }\n"
      "    store(o, [2, 0], load_at(u, [50], [1024]))\n    store(o, [3, 0], load_at(uu, [50], [1024]) + a)\n}", 0, 0, NULL },
    { "a widened tile that ends each iteration", "f16 bf16", "N=40;N=200",
      "kernel k(w: T[N], o: f32[64], oo: f32[1]) const T = f16 {\n    a, top = zeros(f32, [64]), zeros(f32, [1])\n"
      "    for i in 0 .. cdiv(N, 64) { a = cast(load(w, [i], [64]), f32) }\n"
      "    for i in 0 .. cdiv(N, 64) { top = maximum(top, max(abs(cast(load(w, [i], [64]), f32)), 0)) }\n"
      "    store(o, [0], a)\n    store(oo, [0], top)\n}", 0, 0, NULL },
    { "a loop that stores what it loads later", "i32", "N=64",
      "kernel k(u: T[N], o: T[N]) const T = f32 {\n    for i in 0 .. 3 {\n        a = load_at(u, [i], [32])\n"
      "        store_at(u, [i + 2], a + 1)\n    }\n    store(o, [0], load(u, [0], [64]))\n}", 0, 0, NULL },
    { "warps that read what others write next", "i32", "N=1100",
      "kernel k(u: T[N], o: T[N]) const T = f32 {\n    for i in 0 .. 2 {\n        a = load_at(u, [64], [1000])\n"
      "        store_at(u, [0], a + 1)\n        b = load_at(u, [0], [1000])\n        store_at(u, [100], b + 1)\n"
      "    }\n    store(o, [0], load(u, [0], [1100]))\n}", 0, 0, NULL },
    { "a loop to the end of its dtype", NULL, "n=2147483600;n=2147483647",
      "kernel k(n: i32, o: i32[2]) {\n    c, last = 0, 0\n"
      "    for i in n .. 2147483647 step 9 {\n        c += 1\n        last = i\n    }\n"
      "    store(o, [0], c, shape=[_])\n    store(o, [1], last, shape=[_])\n}", 0, 0, NULL },
    { "static loops and functions", "f32", "N=20",
      "fn twice(x) { return x + x }\nfn pair(x, y) { return x * y, x - y }\n"
      "kernel k(w: T[N], o: T[2, 16]) const T = f32, NN = 3 {\n    a = load(w, [0], [16])\n    b = a\n"
      "    static for i in 0 .. NN { b = twice(b) + i }\n    p, q = pair(a, b)\n"
      "    store(o, [0, 0], p)\n    store(o, [1, 0], q)\n}", 0, 0, NULL },
    // Messages of kernels
    { "prints of scalars", NULL, "n=-7 x=2.5 b=1",
      "kernel k(n: i64, x: f16, b: bool, u: u32[]) {\n    print(\"100% of {} is {}: {}, {} \\\"{}\\\"\", n, x, b, load(u, [], []), x < 2.0)\n"
      "    print(\"nothing\")\n    print(\"{}{}\", cast(n, u64), cast(x, f64) / 3.0)\n}", 0, 0, NULL },
    { "prints by formats", NULL, "n=-7 x=2.5 b=1",
      "kernel k(n: i64, x: f16, b: bool, w: i8[4], o: f32[4]) {\n    a, c = load(w, [0], [4]), cast(load(w, [0], [4]), f32) * 1.25\n"
      "    print(\"{:5d}|{:x}|{:#X}|{:o}|{:+.3e}|{:08.2f}|{{|}|{}{:G}\", n, n, cast(n, i16), cast(9, u8), x, x, b, cast(x, f64) / 3.0)\n"
      "    print(\"{:02x} and {:-7.1f}.\", a, c)\n    store(o, [0], c)\n}", 0, 0, NULL },
    { "prints of tiles", "i8 u16 i64 u64 f16 bf16 f32 f64 e4m3 bool", "N=21",
      "kernel k(w: T[N], ww: T[3, 5]) const T = f32 {\n    a = load(w, [0], [21])\n"
      "    print(\"a {}, b {}.\", a, load(ww, [0, 0], [3, 5]))\n    print(\"{}\", reshape(a, [3, 7]))\n"
      "    print(\"{:,}|{:,}|{:,}\", load(ww, [0, 0], [3, 5]), extract(reshape(a, [3, 1, 7]), [0, 0, 0], [1, 1, 7]), reshape(load(w, [0], [8]), [2, 2, 2]))\n}", 0, 0, NULL },
    { "prints in a loop", NULL, "n=3",
      "kernel k(n: i32, x: f32[8]) {\n    a = load(x, [0], [8])\n    for i in 0 .. n {\n"
      "        a = a + 1\n        if i != 1 { print(\"{}: {}\", i, a) }\n    }\n    print(\"{}\", sum(a) == sum(a))\n}", 0, 0, NULL },
    { "assertions that hold", NULL, "N=50 n=3",
      "kernel k(p: i32[N], o: i32[8], n: i32) {\n    a = load(p, [0], [50])\n    assert(a < 50, \"all are below 50\")\n"
      "    assert(n == 3)\n    store(o, [0], iota(i32, 8))\n}", 0, 0, NULL },

    { "waiting for other grids", "f32", "N=200",
      "kernel k(x: T[N], o: T[N], n: i32) const T = f32 grid cdiv(N, 64) {\n"
      "    i = block(0) * n + block(0)\n    grid_dependency_wait()\n    x1 = load(x, [i], [64])\n"
      "    grid_dependency_launch()\n    store(o, [i], x1)\n}", 0, 0, NULL },
    { "a pipeline that waits for other grids", NULL, "M=128 N=128 K=192",
      "kernel k(w: f16[M, K], ww: f16[K, N], o: f32[M, N]) where K % 8 == 0, N % 8 == 0 grid cdiv(M, 128), cdiv(N, 128) {\n"
      "    i, j = block(0), block(1)\n    grid_dependency_wait()\n    acc = zeros(f32, [128, 128])\n"
      "    for c in 0 .. cdiv(K, 64) { acc = mma(load(w, [i, c], [128, 64]), load(ww, [c, j], [64, 128]), acc) }\n"
      "    grid_dependency_launch()\n    store(o, [i, j], acc)\n}", 0, 0, NULL },

    // Between blocks
    { "the last block sums what all left", "f32 i64", "M=7 N=40",
      "kernel k(w: T[M, N], u: T[M], ou: i32[2], o: T[]) const T = f32 grid M {\n"
      "    b = block(0)\n    store(u, [b], sum(load(w, [b, 0], [_, 64])), shape=[_])\n"
      "    atomic_xchg(ou, [1], 0, order=relaxed)\n"
      "    old = atomic_add(ou, [0], 1)\n    n = old - cast(-1246382667, i32)\n"
      "    if n == num_blocks(0) - 1 {\n        store(o, [], sum(load(u, [0], [8])))\n    }\n}", 0, 0, NULL },
    { "accesses with an order", "i32 f16", "N=70",
      "kernel k(x: T[N], u: T[N], o: T[N]) const T = f32 {\n"
      "    a = load(x, [0], [70], order=relaxed)\n    store(u, [0], a, order=release)\n"
      "    b = load(u, [0], [70], order=acquire, scope=system)\n    store(o, [0], b, order=relaxed, scope=block)\n"
      "    store_at(o, [3], load_at(u, [5], [32], order=acquire, scope=block, latency=3, cache=first))\n}", 0, 0, NULL },

    { "values with the names of calls", "f32 i32", "N=8;N=5",
      "kernel k(w: T[N], o: T[N]) const T = f32 {\n    place = load(w, [0], [8])\n    max = max(place)\n"
      "    store(o, [0], place + max + max(place * max))\n}", 0, 0, NULL },
    // Large
    { "scans of many", "i32 f16 f64", "",
      "kernel k(w: T[8192], o: T[2, 8192]) const T = i32 {\n    a = load(w, [0], [8192])\n"
      "    a = where(a > 2, cast(1, T), 0)\n"
      "    store(o, [0, 0], cumsum(a, 0))\n    store(o, [1, 0], cumsum(a, 0, reverse=true))\n}", 0, 0, NULL },
    { "tiles that take dynamic shared memory", "f32 f64", "",
      "kernel k(w: T[128, 130], o: T[130, 128], oo: T[1, 130]) const T = f32 {\n    a = load(w, [0, 0], [128, 130])\n"
      "    store(o, [0, 0], trans(a))\n    store(oo, [0, 0], sum(a, 0))\n}", 0, 0, NULL },
    // Sorting networks that pass a few registers at a time through shared memory; ptxas takes
    // seconds for each
    { "a sort of as many as a block has threads and more", "i32 f16", "",
      "kernel k(x: T[5000], o: T[5000]) const T = i32 {\n    store(o, [0], sort(load(x, [0], [5000]), 0))\n}", 0, 0, NULL },
    { "the largest of as many as a block has threads and more", "i32", "",
      "kernel k(x: T[4100], o: i32[40]) const T = i32 {\n"
      "    v, i = topk(load(x, [0], [4100]), 40, 0)\n    store(o, [0], i)\n}", 0, 0, NULL },
    // Loops; the first three use one warp
    { "sorts in shared memory", "f16 u8", "",
      "kernel k(x: T[3, 600], o: T[3, 600]) const T = f16 {\n    store(o, [0, 0], sort(load(x, [0, 0], [3, 600]), 1))\n}", 0, 0, NULL },
    { "a sort in shared memory of the axis in the middle", "f16", "",
      "kernel k(x: T[2, 600, 2], o: T[2, 600, 2]) const T = f16 {\n"
      "    store(o, [0, 0, 0], sort(load(x, [0, 0, 0], [2, 600, 2]), 1))\n}", 0, 0, NULL },
    { "the largest by way of shared memory", "f16", "",
      "kernel k(w: T[600], o: T[7], oo: i32[7]) const T = f16 {\n"
      "    v, i = topk(load(w, [0], [600]), 7, 0)\n    store(o, [0], v)\n    store(oo, [0], i)\n}", 0, 0, NULL },
    { "sorts in shared memory, of 64 bits", "i64 f64", "",
      "kernel k(x: T[5, 1100], y: T[1100, 5], w: T[2, 1100, 2], o: T[5, 1100], oo: T[1100, 5], o1: T[2, 7, 2], o2: i32[2, 7, 2]) const T = f64 {\n"
      "    store(o, [0, 0], sort(load(x, [0, 0], [5, 1100]), 1))\n    store(oo, [0, 0], sort(load(y, [0, 0], [1100, 5]), 0))\n"
      "    v, i = topk(load(w, [0, 0, 0], [2, 1100, 2]), 7, 1)\n    store(o1, [0, 0, 0], v)\n    store(o2, [0, 0, 0], i)\n}", 0, 0, NULL },
    { "a product of large tiles", "f32 f16", "",
      "kernel k(w: T[128, 64], ww: T[64, 130], o: f32[128, 130]) const T = f32 {\n"
      "    store(o, [0, 0], load(w, [0, 0], [128, 64]) @ load(ww, [0, 0], [64, 130]))\n}", 0, 0, NULL },
    // Loops that accumulate
    { "sums along axes that a loop adds up", "i32 i64 f16 f32", "M=1 N=20;M=70 N=33;M=40 N=128",
      "kernel k(w: T[M, N], u: T[M, N], o: T[64], oo: T[16], o2: T[], o3: T[16, 1], o4: T[64]) const T = f32 grid 1 {\n"
      "    a, b, c, d, e = full(T, [64], 2), full(T, [16], 1), cast(3, T), full(T, [16, 1], 0), full(T, [64], -50)\n"
      "    for i in 0 .. cdiv(M, 16) {\n        x = load(w, [i, 0], [16, 64])\n        y = load(w, [i, 1], [16, 24])\n"
      "        a += squeeze(sum(x, 0), 0)\n        b = squeeze(sum(y, 1), 1) + b\n        c += sum(x)\n        d += sum(x * x, 1)\n"
      "        e = maximum(e, squeeze(max(x, 0), 0))\n        store(u, [i, 0], x + 1)\n    }\n"
      "    for i in 0 .. M { c += sum(load(w, [i, 0], [_, 16])); if i == 3 { break } }\n"
      "    for i in 0 .. M { c -= sum(load(w, [i, 0], [_, 48])); if i % 3 == 0 { b += sum(load(w, [i, 0], [_, 8])) } }\n"
      "    store(o, [0], a); store(oo, [0], b); store(o2, [], c); store(o3, [0, 0], d); store(o4, [0], e)\n}", 0, 0, NULL },
    { "loads of several iterations at once", "i8 f16 f32 i64", "M=1 N=20 n=0;M=70 N=33 n=5;M=129 N=64 n=-3;M=64 N=64 n=40",
      "kernel k(w: T[M, N], p: i32[M], o: T[64], oo: T[8, 32], o2: T[32], n: i64) const T = f32 grid 1 {\n"
      "    a, b, c = full(T, [64], 2), full(T, [8, 32], 0), full(T, [32], 1)\n"
      "    for i in 0 .. M { a = maximum(a * -1, load(w, [i, 0], [_, 64], pad=1)) }\n"
      "    for i in n .. cdiv(M, 8) { b = minimum(3 - b, load(w, [i, 0], [8, 32])) }\n"
      "    for i in 0 .. M - n step 2 { c = maximum(load_at(w, [i + n, 3], [_, 32]) - c, squeeze(load_rows(w, load(p, [i], [1]) % 9, [0], [32]), 0)) }\n"
      "    store(o, [0], a); store(oo, [0, 0], b); store(o2, [0], c)\n}", 0, 0, NULL },
    { "accumulations of integers, in several blocks", INTEGERS, "M=1 N=20;M=200 N=33;M=403 N=16;M=0 N=7",
      "kernel k(w: T[M, N], ww: T[M, N], o: T[N], o1: T[N], o2: T[N], o3: T[N], o4: T[N], o5: T[N], o6: T[N]) const T = i32 grid cdiv(N, 16) {\n"
      "    j = block(0)\n    s, p, a, b, x = full(T, [16], 3), full(T, [16], 5), full(T, [16], 1), full(T, [16], 2), full(T, [16], 7)\n"
      "    low, high = full(T, [16], 4), full(T, [16], 0)\n"
      "    for i in 0 .. cdiv(M, 8) {\n        y = load(w, [i, j], [8, 16])\n        z = load(ww, [i, j], [8, 16], pad=1)\n"
      "        s += squeeze(sum(y, 0), 0)\n        p = squeeze(prod(z | 1, 0), 0) * p\n        a = a & (load(w, [i * 8, j], [_, 16]) | 1)\n"
      "        b = b | load(w, [i * 8 + 1, j], [_, 16])\n        x = x ^ load(ww, [i * 8 + 2, j], [_, 16])\n"
      "        low = minimum(low, squeeze(min(y, 0), 0))\n        high = maximum(squeeze(max(z, 0), 0), high)\n    }\n"
      "    store(o, [j], s); store(o1, [j], p); store(o2, [j], a); store(o3, [j], b); store(o4, [j], x); store(o5, [j], low); store(o6, [j], high)\n}", 0, 0, NULL },
    { "extrema of floats, in several blocks", FLOATS, "M=1 N=20;M=200 N=33;M=403 N=16;M=0 N=7",
      "kernel k(x: T[M, N], o: T[N], o1: T[N], o2: T[], o3: T[N]) const T = f32 grid cdiv(N, 16) {\n"
      "    j = block(0)\n    low, high, top, odd = full(T, [16], inf), full(T, [16], -inf), full(T, [], 0), full(T, [16], 0)\n"
      "    for i in 0 .. cdiv(M, 8) {\n        y = load(x, [i, j], [8, 16], pad=1)\n        low = minimum(low, squeeze(min(y, 0), 0))\n"
      "        high = maximum(high, squeeze(max(y, 0, nan=true), 0), nan=true)\n        top = maximum(top, max(y))\n"
      "        if i % 2 == 1 { odd = maximum(odd, squeeze(max(y, 0), 0)) }\n    }\n"
      "    store(o, [j], low); store(o1, [j], high); store(o3, [j], odd)\n    if j == 0 { store(o2, [], top) }\n}", 0, 0, NULL },
    { "an accumulation with branches and loops in it, in several blocks", "i32 i64", "M=300 N=40 n=3;M=300 N=40 n=0;M=7 N=40 n=9",
      "kernel k(w: T[M, N], o: T[8], oo: bool[2], n: i32) const T = i32 grid 1 {\n    s, t, some, every = zeros(T, [8]), cast(0, T), false, true\n"
      "    for i in 2 .. M step 3 {\n        y = load_at(w, [i, 4], [_, 8])\n        if i % 5 == n { continue }\n"
      "        if i % 2 == 0 { s += y } else { s -= y * 2; t += sum(y) }\n"
      "        for c in 0 .. n { t += w[i, c]; if c == 2 { break } }\n        s = where(y > 0, s + 1, s)\n"
      "        some = some or any(y > 3)\n        every = every and any(y < 4)\n    }\n"
      "    store(o, [0], s + t)\n    store(oo, [0], some, shape=[_]); store(oo, [1], every, shape=[_])\n}", 0, 0, NULL },
    { "an accumulation that counts in 32 bits, in several blocks", "i32", "N=500 n=2147483647 m=2147483600;N=500 n=40 m=-9;N=500 n=-5 m=5",
      "kernel k(w: T[N], o: T[3], m: i32, n: i32) const T = i32 grid 1 {\n    s, t, x = 0, 0, 0\n"
      "    for i in m .. n step 7 { s += w[i % 500] + i; t += 1 }\n    for i in 0 .. 64 { x += w[i] * s }\n"
      "    store(o, [0], s, shape=[_]); store(o, [1], t, shape=[_]); store(o, [2], x, shape=[_])\n}", 0, 0, NULL },
    { "means and variances, split by 3", "f16 bf16 f32 f64", "M=1 N=20;M=200 N=33;M=403 N=16",
      "kernel k(s: T[M, N], o: A[N], oo: A[N]) const T = f32, A = f32 grid cdiv(N, 16) {\n"
      "    j = block(0)\n    a = full(f32, [16], 0.25)\n    for i in 0 .. cdiv(M, 16) { a += squeeze(sum(cast(load(s, [i, j], [16, 16]), f32), 0), 0) }\n"
      "    mean = a / M\n    v = full(f32, [16], 0.5)\n    for i in 0 .. M { d = cast(load(s, [i, j], [_, 16]), f32) - mean; v += d * d }\n"
      "    store(o, [j], mean); store(oo, [j], v / M)\n}", 64, 1, NULL },
    { "sums of products of floats, split by 8", "f32 f64", "M=3 N=20;M=64 N=512",
      "kernel k(s: T[M, N], ss: T[M, N], o: T[M], oo: T[M]) const T = f32 grid M {\n    r = block(0)\n    a, p = cast(0.5, T), cast(1.0, T)\n"
      "    for i in 0 .. cdiv(N, 32) { x = load(s, [r, i], [_, 32]); a += sum(x * load(ss, [r, i], [_, 32])); p = p * (1.0 + 0.01 * s[r, i]) }\n"
      "    store(o, [r], a, shape=[_]); store(oo, [r], p, shape=[_])\n}", 64, 2, NULL },
    { "sums and the largest of columns, split by 16", "f32 i32", "M=1 N=20;M=300 N=33;M=1003 N=16",
      "kernel k(u: T[M, N], o: T[N], oo: T[N]) const T = f32 grid cdiv(N, 16) {\n    j = block(0)\n"
      "    a, m = zeros(T, [16]), full(T, [16], -8)\n"
      "    for i in 0 .. cdiv(M, 8) { x = load(u, [i, j], [8, 16]); a += squeeze(sum(x, 0), 0); m = maximum(m, squeeze(max(x, 0), 0)) }\n"
      "    store(o, [j], a); store(oo, [j], m)\n}", 0, 0, NULL },
    { "a running softmax, split by 4", "f32 f64", "M=3 N=20;M=4 N=700;M=2 N=0",
      "kernel k(s: T[M, N], ss: T[N, 8], o: T[M], oo: T[M, 8]) const T = f32 grid M {\n    r = block(0)\n"
      "    m, l, acc = full(T, [1, 1], -inf), zeros(T, [1, 1]), zeros(T, [1, 8])\n"
      "    for i in 0 .. cdiv(N, 16) {\n        x = load(s, [r, i], [1, 16], pad=-inf) * 4.0\n        new = maximum(m, max(x, 1))\n"
      "        p = exp(x - new)\n        fade = exp(m - new)\n        l = l * fade + sum(p, 1)\n"
      "        acc = acc * fade + sum(trans(p) * load(ss, [i, 0], [16, 8]), 0)\n        m = new\n    }\n"
      "    store(o, [r], squeeze(m + log(l), 1)); store(oo, [r, 0], acc / l)\n}", 256, 2, NULL },
    { "a running softmax of blocks without numbers, split by 4", "f32 f64", "M=3 N=700",
      "kernel k(s: T[M, N], o: T[M], oo: T[M]) const T = f32 grid M {\n    r = block(0)\n"
      "    m, l = full(T, [1, 1], -inf), zeros(T, [1, 1])\n"
      "    for i in 0 .. cdiv(N, 16) {\n        x = load(s, [r, i], [1, 16], pad=-inf)\n        if i > 1 { x = full(T, [1, 16], -inf) }\n"
      "        new = maximum(m, max(x, 1))\n        l = l * exp(m - new) + sum(exp(x - new), 1)\n        m = new\n    }\n"
      "    store(o, [r], squeeze(m, 1)); store(oo, [r], squeeze(log(l), 1))\n}", 64, 1, NULL },
    { "a running softmax with two ends, split by 4", "f32", "M=3 N=700",
      "kernel k(s: T[M, N], o: T[M]) const T = f32 grid M {\n    r = block(0)\n"
      "    m, l = full(T, [1, 1], -100.0), zeros(T, [1, 1])\n"
      "    for i in 0 .. cdiv(N, 16) {\n        x = load(s, [r, i], [1, 16])\n"
      "        if i % 3 == 0 { l = l + 1.0; continue }\n"
      "        new = maximum(m, max(x, 1))\n        l = l * exp(m - new) + sum(exp(x - new), 1)\n        m = new\n    }\n"
      "    store(o, [r], squeeze(m + log(l), 1))\n}", 64, 2, NULL },
    { "sums scaled along another axis than their maximum's, split by 4", "f32", "N=500",
      "kernel k(s: T[16, N], o: T[16, 1], oo: T[16, 16], o3: T[16, 2]) const T = f32 grid 1 {\n"
      "    m, l = full(T, [16, 1], -100.0), zeros(T, [16, 1])\n    n, k = full(T, [16, 1], -100.0), zeros(T, [16, 16])\n"
      "    for i in 0 .. cdiv(N, 16) {\n        x = load(s, [0, i], [16, 16])\n"
      "        new = maximum(m, max(x, 1))\n        l = l * exp(m - new) + trans(sum(exp(x - new), 0))\n        m = new\n    }\n"
      "    for i in 0 .. cdiv(N, 16) {\n        x = load(s, [0, i], [16, 16])\n"
      "        new = maximum(n, trans(max(x, 0)))\n        c = reshape(new, [1, 16])\n"
      "        k = k * exp(reshape(n, [1, 16]) - c) + exp(x - c)\n        n = new\n    }\n"
      "    store(o, [0, 0], l); store(oo, [0, 0], k); store(o3, [0, 0], m); store(o3, [0, 1], n)\n}", 256, 20, NULL },
    { "a pipeline whose tiles are read with padding", "f16", "M=130 N=175 W=64;M=5 N=20 W=40",
      "kernel k(w: T[M, W], ww: T[N, W], o: f32[M]) const T = f32 where W <= 64, W % 8 == 0 grid cdiv(M, 128) {\n"
      "    m = block(0)\n    x = load(w, [m, 0], [128, 64])\n    best = full(f32, [128, 1], 1000)\n"
      "    for n in 0 .. cdiv(N, 24) {\n        y = load(ww, [n, 0], [24, 64])\n        z = cast(y, f32)\n"
      "        s = trans(sum(z * z, 1)) - 2.0 * mma(x, trans(y), zeros(f32, [128, 24]))\n        best = minimum(best, min(s, 1))\n    }\n"
      "    store(o, [m], squeeze(best, 1))\n}", 0, 0, NULL },
    { "a pipeline of a product and sums of its operands, split by 3", "bf16", "M=130 K=700 N=72;M=9 K=0 N=8",
      "kernel k(s: T[K, M], ss: T[K, N], o: f32[M, N], oo: f32[M], o3: f32[N]) const T = f32 grid cdiv(M, 64), cdiv(N, 64) {\n"
      "    m, n = block(0), block(1)\n    acc, a, b = zeros(f32, [64, 64]), zeros(f32, [1, 64]), zeros(f32, [1, 64])\n"
      "    for k in 0 .. cdiv(K, 64) {\n        x, y = load(s, [k, m], [64, 64]), load(ss, [k, n], [64, 64])\n"
      "        a += sum(cast(x, f32), 0)\n        b += sum(cast(y, f32), 0)\n        acc = mma(trans(x), y, acc)\n    }\n"
      "    store(oo, [m], squeeze(a, 0)); store(o3, [n], squeeze(b, 0))\n    store(o, [m, n], acc - trans(a) * b * 0.01)\n}", 64, 30, NULL },
    { "a pipeline of a product that goes on, and extrema, split by 2", "f16", "M=130 K=700 N=72;M=9 K=0 N=8",
      "kernel k(w: T[M, K], ww: T[K, N], u: f32[M, N], o: f32[M, N], oo: f32[M], o3: f32[M]) const T = f32 grid cdiv(M, 64), cdiv(N, 64) {\n"
      "    m, n = block(0), block(1)\n    acc = load(u, [m, n], [64, 64])\n    low, high = full(f32, [64, 1], 2), full(f32, [64, 1], -3)\n"
      "    for k in 0 .. cdiv(K, 64) {\n        x = load(w, [m, k], [64, 64])\n        y = cast(x, f32)\n"
      "        low = minimum(low, min(y, 1))\n        high = maximum(high, max(y, 1))\n"
      "        acc = mma(cast(maximum(y, 0.0), T), load(ww, [k, n], [64, 64]), acc)\n    }\n"
      "    store(oo, [m], squeeze(low, 1)); store(o3, [m], squeeze(high, 1))\n    store(o, [m, n], acc)\n}", 4, 30, NULL },
    { "a pipeline behind loops that need each other, split by 3", "bf16", "M=64 K=1100 N=64;M=9 K=0 N=8",
      "kernel k(s: T[M, K], ss: T[K, N], o: f32[M, N], oo: f32[M]) const T = f32 grid cdiv(M, 64), cdiv(N, 64) {\n"
      "    m, n = block(0), block(1)\n    a, v = full(f32, [64, 1], 0.5), zeros(f32, [64, 1])\n"
      "    for k in 0 .. cdiv(K, 32) { a += sum(cast(load(s, [m, k], [64, 32]), f32), 1) }\n    mean = a * 0.01\n"
      "    for k in 0 .. cdiv(K, 64) { d = cast(load(s, [m, k], [64, 64]), f32) - mean; v += sum(d * d, 1) }\n"
      "    acc = zeros(f32, [64, 64])\n"
      "    for k in 0 .. cdiv(K, 64) { acc = mma(load(s, [m, k], [64, 64]), load(ss, [k, n], [64, 64]), acc) }\n"
      "    store(oo, [m], squeeze(v, 1))\n    store(o, [m, n], (acc - mean) * rsqrt(v + 1.0))\n}", 4000, 30, NULL },
    { "a pipeline of a running softmax, split by 3", "f16 bf16", "M=130 N=700;M=64 N=20;M=3 N=0",
      "kernel k(s: T[M, 64], ss: T[N, 64], s3: T[N, 64], o: f32[M, 64], oo: f32[M]) const T = f32 grid cdiv(M, 64) {\n"
      "    i = block(0)\n    q = load(s, [i, 0], [64, 64])\n"
      "    acc, m, l = zeros(f32, [64, 64]), full(f32, [64, 1], -100.0), zeros(f32, [64, 1])\n"
      "    for n in 0 .. minimum(cdiv(N, 64), 3 * i + 2) {\n        x = mma(q, trans(load(ss, [n, 0], [64, 64])), zeros(f32, [64, 64])) * 0.5\n"
      "        x = where(n * 64 + iota(i32, 64)[None, :] < N, x, -inf)\n"
      "        new = maximum(m, max(x, 1))\n        p = exp2(x - new)\n        fade = exp2(m - new)\n        l = l * fade + sum(p, 1)\n"
      "        acc = mma(cast(p, T), load(s3, [n, 0], [64, 64]), acc * fade)\n        m = new\n    }\n"
      "    r = rsqrt(l)  # a division is a call, which would serialize the products of linked code\n"
      "    store(oo, [i], squeeze(m + log2(l), 1)); store(o, [i, 0], acc * r * r)\n}", 40000, 1, NULL },
    { "indices that are one of several results, in a loop of loads", NULL, "N=100",
      "kernel k(w: f32[N], ww: f32[64], o: f32[64], oo: f32[64]) grid 1 {\n    a, b = zeros(f32, [64]), zeros(f32, [64])\n"
      "    for j in 0 .. 64 {\n        p, q, r, s = philox(17, j * 64 + iota(i64, 64))\n"
      "        a = a + gather(w, [cast(q % 97, i32)])\n    }\n"
      "    for j in 0 .. 64 {\n        p, q, r, s = philox(17, j)\n"
      "        b = b + load_at(ww, [cast(r % 60, i64)], [64])\n    }\n"
      "    store(o, [0], a); store(oo, [0], b)\n}", 64, 64, NULL },
    // Ranks
    { "eight axes", "i32 f16", "A=2 B=3",
      "kernel k(w: T[A, 1, B, 1, 2, 2, 1, 3], p: i32[2], o1: T[A, 1, B, 1, 2, 2, 1, 3], o2: T[3, 1, 2, 2, 1, 3, 1, 2],\n"
      "         o3: T[2, 1, 3, 1, 1, 2, 1, 3], o4: T[A, 1, B, 1, 2, 2, 1, 3], o5: T[2, 3, 2, 6], o6: T[])\n"
      "    const T = i32 {\n    a = load(w, [0, 0, 0, 0, 0, 0, 0, 0], [2, 1, 3, 1, 2, 2, 1, 3])\n"
      "    store(o1, [0, 0, 0, 0, 0, 0, 0, 0], sort(a, 2))\n"
      "    store(o2, [0, 0, 0, 0, 0, 0, 0, 0], permute(a, [7, 6, 5, 4, 3, 2, 1, 0]))\n"
      "    store(o3, [0, 0, 0, 0, 0, 0, 0, 0], sum(a, 4))\n"
      "    store(o4, [0, 0, 0, 0, 0, 0, 0, 0], cumsum(take(a, load(p, [0], [2]), 0), 7))\n"
      "    store(o5, [0, 0, 0, 0], reshape(a, [2, 3, 2, 6]))\n    store(o6, [], max(a))\n}", 0, 0, NULL },
    { "no axes", NUMBERS, "",
      "kernel k(w: T[], x: T[], i: i32[], y: T[9], o1: T[1], o2: T[1, 1, 1], o3: T[], o4: T[], o5: T[3, 5], u: T[9]) const T = f32 {\n"
      "    a = load(w, [], [])\n    store(o1, [0], reshape(a, [1]))\n    store(o2, [0, 0, 0], reshape(a, [1, 1, 1]))\n"
      "    store(o3, [], reshape(o1[0] + full(T, [1, 1], a), []))\n    n = load(i, [], [])\n"
      "    store(o4, [], gather(y, [n], mask=n > 2, pad=a))\n    store(o5, [0, 0], full(T, [3, 5], load(x, [], [])))\n"
      "    scatter(u, [n], a)\n    store_at(u, [n + 1], reshape(a, [1]))\n}", 0, 0, NULL },
    { "results of one op in several layouts", "i32 f32", "",
      "fn both(a, b, c, d) { return a + c, maximum(b, d) }\n"
      "kernel k(w: T[20, 9], ww: T[9, 20], o1: T[20, 9], o2: T[9, 20], o3: T[9, 20], o4: i32[20, 3], o5: T[180]) const T = i32 {\n"
      "    a = load(w, [0, 0], [20, 9])\n    p, q = scan(both, [a, a * 2], 0, [0, -1000])\n"
      "    store(o1, [0, 0], p)\n    store(o2, [0, 0], trans(q) + load(ww, [0, 0], [9, 20]))\n"
      "    v, i = topk(trans(a), 20, 1)\n    store(o3, [0, 0], v)\n    store(o4, [0, 0], trans(extract(i, [1, 0], [3, 20])))\n"
      "    store(o5, [0], reshape(sort(a, 1), [180]))\n}", 0, 0, NULL },
};
// clang-format on
enum { CONSTRUCTS = CUC_LENGTH(constructs) };

#endif
