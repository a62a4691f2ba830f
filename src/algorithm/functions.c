// Functions of the library that expressions may call. A program has the text of those it mentions.
#include "algorithm.h"

#include "base/array.h"

// Searches in a sorted array, in which NaN comes last. Each step reads one element for every x, and
// the number of steps depends only on the length.
#define SEARCH(name, before, result)                                               \
    "\nfn " name "(sorted, x) {\n"                                                 \
    "    size, left, at = dim(sorted, 0), dim(sorted, 0), cast(x != x, i64) * 0\n" \
    "    while left > 1 {\n"                                                       \
    "        half = left // 2\n"                                                   \
    "        s = gather(sorted, [at + (half - 1)], inside=true)\n"                 \
    "        at = where(" before ", at + half, at)\n"                              \
    "        left = left - half\n"                                                 \
    "    }\n"                                                                      \
    "    s = gather(sorted, [at])\n"                                               \
    "    at = where((at < size) & (" before "), at + 1, at)\n"                     \
    "    return " result "\n"                                                      \
    "}\n"

// A permutation of 0 to n - 1: a Feistel network of ten rounds on pairs (low, high), where low is
// below 2^k, which is at least the root of n, and high below n / 2^k, rounded up. A result from n
// on is mapped again. That is rare: there are fewer than n + 2^k pairs.
static const char shuffle[] =
    "\n"
    "fn shuffle_mix(x) {\n"
    "    y = (x ^ (x >> 16)) * 0x85ebca6b\n"
    "    z = (y ^ (y >> 13)) * 0xc2b2ae35\n"
    "    return z ^ (z >> 16)\n"
    "}\n"
    "fn shuffle_once(x, k, highs, key, stride) {\n"
    "    low = cast(x, u64) & ((cast(1, u64) << k) - 1)\n"
    "    high = cast(x, u64) >> k\n"
    "    static for j in 0 .. 5 {\n"
    "        f = shuffle_mix(cast(high, u32) ^ (key + stride * (2 * j)))\n"
    "        low = (low ^ cast(f, u64)) & ((cast(1, u64) << k) - 1)\n"
    "        g = shuffle_mix(cast(low, u32) ^ (key + stride * (2 * j + 1)))\n"
    "        high = high + (cast(g, u64) * highs >> 32)\n"
    "        high = where(high >= highs, high - highs, high)\n"
    "    }\n"
    "    return cast(high << k | low, i64)\n"
    "}\n"
    "fn shuffle(i, n, seed) {\n"
    "    k = cast(1, u64)\n"
    "    while (cast(1, u64) << 2 * k) < cast(n, u64) { k = k + 1 }\n"
    "    highs = cast(n, u64) + (cast(1, u64) << k) - 1 >> k\n"
    "    word = cast(cast(seed, i64), u64) * 0x9e3779b97f4a7c15\n"
    "    key = shuffle_mix(cast(word, u32))\n"
    "    stride = shuffle_mix(cast(word >> 32, u32) ^ key) | 1\n"
    "    there = (i >= 0) & (i < n)\n"
    "    at = shuffle_once(cast(i, i64), k, highs, key, stride)\n"
    "    while any((at >= n) & there) {\n"
    "        at = where(at < n, at, shuffle_once(at, k, highs, key, stride))\n"
    "    }\n"
    "    return where(there, at, -1)\n"
    "}\n";

static const struct {
    const char *name, *text;
} functions[] = {
    { "lower_bound", SEARCH("lower_bound", "(s < x) | ((x != x) & (s == s))", "at") },
    { "upper_bound", SEARCH("upper_bound", "s <= x", "where(x != x, size, at)") },
    { "shuffle", shuffle },
};

void cuc__algorithm_put_functions(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (int row = 0; row < CUC_LENGTH(functions); row++) {
        bool used = false;
        for (uint32_t i = 0; i < k->input_count; i++)
            used |= k->inputs[i].expression &&
                    cuc__algorithm_mentions(k->inputs[i].expression, functions[row].name);
        if (used)
            cuc__text_put(t, "%s", functions[row].text);
    }
}
