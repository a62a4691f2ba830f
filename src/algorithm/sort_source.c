// Writes the program of a sort (sort.c).
#include "sort.h"

#include "base/array.h"
#include "tile/ir/scalar.h"

#include <inttypes.h>

enum { WINDOW = 8 }; // tiles that a step of the look-back takes

// ---- Keys

// Writes the functions between a key, its bits, and bits that are in order.
static void put_key(struct cuc__text *t, const struct cuc__algorithm_kind *k, uint32_t key)
{
    // The codes of NaN with the sign, which come first in the order of bits.
    static const struct {
        cuc_dtype dtype;
        uint64_t negative_nans;
    } floats[] = {
        { CUC_F64, (UINT64_C(1) << 52) - 1 },
        { CUC_F32, (1 << 23) - 1 },
        { CUC_TF32, (1 << 23) - 1 },
        { CUC_F16, (1 << 10) - 1 },
        { CUC_BF16, (1 << 7) - 1 },
        { CUC_E5M2, 3 },
        { CUC_E4M3, 1 },
    };
    cuc_dtype dtype = k->outputs[key].dtype, bits = cuc__sort_type_between(k, key);
    const char *name = cuc_dtype_name(dtype), *type = cuc_dtype_name(bits);
    const char *flip = k->descending ? "~" : "";
    uint32_t last = cuc_dtype_bits(bits) - 1;

    if (dtype == CUC_BOOL) {
        const char *order = k->descending ? "1 - " : "";
        cuc__text_put(t, "fn order_%u(b) { return %sb }\n", key, order);
        cuc__text_put(t, "fn bits_%u(x) { return order_%u(cast(cast(x, bool), u8)) }\n", key, key);
        cuc__text_put(t, "fn key_%u(b) { return %sb }\n", key, order);
    } else if (tile_is_integer(dtype)) {
        char sign[32] = "";
        if (tile_is_signed(dtype))
            snprintf(sign, sizeof(sign), " ^ 0x%" PRIx64, UINT64_C(1) << last);
        cuc__text_put(t, "fn order_%u(b) { return %s(b%s) }\n", key, flip, sign);
        cuc__text_put(t, "fn key_%u(b) { return %sb%s }\n", key, flip, sign);
    } else {
        uint64_t nans = 0, top = UINT64_C(1) << last;
        for (int i = 0; i < CUC_LENGTH(floats); i++)
            nans = floats[i].dtype == dtype ? floats[i].negative_nans : nans;
        cuc__text_put(t,
                      "fn order_%u(b) {\n"
                      "    return %s(where(b >= 0x%" PRIx64 ", ~b, b ^ 0x%" PRIx64 ") - %" PRIu64
                      ")\n}\n",
                      key, flip, top, top, nans);
        cuc__text_put(t,
                      "fn key_%u(b) {\n"
                      "    b = %sb + %" PRIu64 "\n"
                      "    return where(b >= 0x%" PRIx64 ", b ^ 0x%" PRIx64 ", ~b)\n}\n",
                      key, flip, nans, top, top);
    }
    if (dtype != CUC_BOOL)
        cuc__text_put(t, "fn bits_%u(x) { return order_%u(bitcast(cast(x, %s), %s)) }\n", key, key,
                      name, type);
}

// Returns true if a key's own bits are in order.
static bool is_in_order(const struct cuc__algorithm_kind *k, uint32_t key)
{
    cuc_dtype dtype = k->outputs[key].dtype;

    return !k->descending &&
           (dtype == CUC_BOOL || (tile_is_integer(dtype) && !tile_is_signed(dtype)));
}

static const char *ones_of(cuc_dtype bits)
{
    return bits == CUC_U8    ? "0xff"
           : bits == CUC_U16 ? "0xffff"
           : bits == CUC_U32 ? "0xffffffff"
                             : "0xffffffffffffffff";
}

// Writes the function that takes a digit from the keys' bits: the bits of `mask` from bit `low` of
// key `which` on.
static void put_digit(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__text_put(t, "fn digit_of(");
    cuc__algorithm_put_each(t, k->keys, "e%u");
    cuc__text_put(t, ", which, low, mask) {\n");
    for (uint32_t i = 0; i < k->keys; i++) {
        bool wide = cuc_dtype_bits(cuc__sort_type_between(k, i)) == 64;
        const char *word = wide ? "u64" : "u32";
        cuc__text_put(t, "    d%s = cast(cast(e%u, %s) >> cast(low, %s), i32)\n", i ? "i" : "", i,
                      word, word);
        if (i)
            cuc__text_put(t, "    d = where(which == %u, di, d)\n", i);
    }
    cuc__text_put(t, "    return d & mask & %d\n}\n", CUC__SORT_RADIX - 1);
}

// Writes the digit of elements named by a letter.
static void put_digit_call(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                           const char *each, const char *how)
{
    cuc__text_put(t, "digit_of(");
    cuc__algorithm_put_each(t, k->keys, each);
    cuc__text_put(t, ", %s)", how);
}

// Writes e0, e1 and so on: the bits of keys v0, v1 and so on, and of values. Keys behind the last
// one come last.
static void put_bits(struct cuc__text *t, const struct cuc__algorithm_kind *k, const char *indent,
                     uint32_t from, uint32_t to)
{
    cuc__text_put(t, "%sleft = cast(minimum(maximum(n - t * BN, 0), BN), i32)\n", indent);
    for (uint32_t i = from; i < to; i++) {
        const char *name = cuc_dtype_name(k->outputs[i].dtype);
        if (i < k->keys)
            cuc__text_put(t, "%se%u = where(iota(i32, BN) < left, bits_%u(v%u), %s)\n", indent, i,
                          i, i, ones_of(cuc__sort_type_between(k, i)));
        else if (cuc__sort_bits_of(k->outputs[i].dtype) == CUC_BOOL)
            cuc__text_put(t, "%se%u = broadcast(cast(v%u, bool), [BN])\n", indent, i, i);
        else
            cuc__text_put(t, "%se%u = broadcast(bitcast(cast(v%u, %s), %s), [BN])\n", indent, i, i,
                          name, cuc_dtype_name(cuc__sort_bits_of(k->outputs[i].dtype)));
    }
}

// ---- The count of digits

// Returns the number of digits from `at` on that are of one key.
static uint32_t digits_of_key(const struct cuc__sort_digit *digits, uint32_t count, uint32_t at)
{
    uint32_t rows = 1;

    while (at + rows < count && digits[at + rows].key == digits[at].key)
        rows++;
    return rows;
}

// Writes the count of the digits from `first` on, which are of one key, in a tile with a row for
// each, or the declaration of the counters. The number of rows is a power of two.
static void put_counting(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                         const struct cuc__sort_digit *first, uint32_t rows, bool declare)
{
    const struct cuc__sort_digit *last = first + rows - 1;
    uint32_t key = first->key, extent = 1;
    char how[160];

    while (extent < rows)
        extent *= 2;
    if (declare) {
        cuc__text_put(t,
                      "    counted_%u = zeros(i32, [%u])\n"
                      "    row_%u = iota(i32, %u)[:, None]\n",
                      key, extent * CUC__SORT_RADIX, key, extent);
        return;
    }
    int length = snprintf(how, sizeof(how), "%u, %u + row_%u * %d, ", key, first->low, key,
                          CUC__SORT_DIGIT_BITS);
    if (last->bits == CUC__SORT_DIGIT_BITS)
        snprintf(how + length, sizeof(how) - (size_t)length, "%d", CUC__SORT_RADIX - 1);
    else
        snprintf(how + length, sizeof(how) - (size_t)length, "where(row_%u == %u, %u, %d)", key,
                 rows - 1, (1u << last->bits) - 1, CUC__SORT_RADIX - 1);
    cuc__text_put(t, "        d = ");
    put_digit_call(t, k, "e%u", how);
    cuc__text_put(t, " + row_%u * %d\n", key, CUC__SORT_RADIX);
    if (extent > rows)
        cuc__text_put(t, "        d = where(row_%u < %u, d, -1)\n", key, rows);
    cuc__text_put(t, "        counted_%u += histogram(d, %u)\n", key, extent * CUC__SORT_RADIX);
}

static void put_count(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    struct cuc__sort_digit digits[CUC__SORT_MOST_DIGITS];
    uint32_t count = cuc__sort_find_digits(digits, k), rows;

    cuc__text_put(t, "\n# Adds the number of elements with each digit to totals.\nkernel %s(",
                  p->family->kernels[CUC__SORT_COUNT]);
    cuc__algorithm_put_inputs(t, p);
    cuc__text_put(t,
                  "%stotals: i64[DIGITS, RADIX], blocks: i64)\n"
                  "    const BN = %d, RADIX = %d\n    grid blocks\n{\n    b = block(0)\n",
                  cuc__sort_has_arrays(k) ? "" : "N: i64, ", cuc__sort_counted(&p->tile),
                  CUC__SORT_RADIX);
    cuc__algorithm_put_count(t, p);
    for (uint32_t at = 0; at < count; at += rows) {
        rows = digits_of_key(digits, count, at);
        put_counting(t, k, digits + at, rows, true);
    }
    cuc__text_put(t, "    for turn in 0 .. cdiv(cdiv(n, BN) - b, blocks) {\n"
                     "        t = b + turn * blocks\n");
    cuc__algorithm_put_values(t, p, "        ", "");
    put_bits(t, k, "        ", 0, k->keys);
    for (uint32_t at = 0; at < count; at += rows) {
        rows = digits_of_key(digits, count, at);
        put_counting(t, k, digits + at, rows, false);
    }
    cuc__text_put(t, "    }\n");
    for (uint32_t at = 0; at < count; at += rows) {
        rows = digits_of_key(digits, count, at);
        cuc__text_put(t,
                      "    atomic_add(totals, [%u + row_%u, iota(i32, RADIX)], "
                      "cast(reshape(counted_%u, [-1, RADIX]), i64), mask=row_%u < %u, "
                      "order=relaxed)\n",
                      at, digits[at].key, digits[at].key, digits[at].key, rows);
    }
    cuc__text_put(t, "}\n");
}

// ---- A pass

// Writes the function that returns the number of elements with each digit in the tiles before tile
// `i` of a launch, which has n of them. A tile publishes its own counts at once, and the counts of
// all tiles up to it as soon as it knows them; a word's upper two bits are 1 or 2. It looks back at
// W predecessors at a time, until it meets counts of the second kind.
//
// A launch leaves only words of the second kind. `flip`, which alternates between launches, inverts
// the highest bit, so that these have the upper bits 0 for the next launch.
static void put_look_back(struct cuc__text *t)
{
    cuc__text_put(
        t,
        "\n# The number of elements with each digit in the tiles before tile i, which has n.\n"
        "fn look_back(told, i, n, flip, w, radix) {\n"
        "    before, k = zeros(u32, [radix]), iota(i32, w)[:, None]\n"
        "    at = full(i32, [radix], i - 1)\n"
        "    while any(at >= 0) {\n"
        "        words = gather(told, [at * radix + iota(i32, radix) - k * radix], "
        "pad=flip ^ 2 << 30, order=relaxed) ^ flip\n"
        "        # Twice the number of tiles that have published only their own counts; plus 1 if "
        "the next has counted all before.\n"
        "        end = min(where(words >> 30 == 1, 2 * w, 2 * k + cast(words >> 31, i32)), 0)\n"
        "        before += squeeze(sum(where(2 * k < end, words, 0), 0), 0)\n"
        "        end = squeeze(end, 0)\n"
        "        at = where((end & 1) == 1, -1, at - (end >> 1))\n"
        "    }\n"
        "    return before & (1 << 30) - 1\n"
        "}\n");
}

// Writes the parameters of arrays that a pass reads.
static void put_sources(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "src_%u: %s[N], ", i, cuc_dtype_name(cuc__sort_type_between(k, i)));
    if (k->device_count)
        cuc__text_put(t, "count: i64[1], ");
}

// Writes the facts that arrays of a pass do not overlap.
static void put_facts(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool first,
                      bool last)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t,
                  "    where noalias(told, totals), noalias(told, carry), noalias(totals, carry)");
    for (uint32_t j = 0; !first && j < k->values; j++)
        cuc__text_put(t, ", noalias(src_%u, told), noalias(src_%u, carry)", j, j);
    for (uint32_t j = 0; first && j < k->input_count; j++)
        if (k->inputs[j].form <= CUC__ALGORITHM_WHOLE)
            cuc__text_put(t, ", noalias(in_%s, told), noalias(in_%s, carry)", k->inputs[j].name,
                          k->inputs[j].name);
    for (uint32_t i = 0; i < 2 * k->values; i++) {
        uint32_t value = i / 2;
        const char *name = i % 2 ? "last" : "dst";
        if (i % 2 ? first || !cuc__sort_is_index(k, value) : last && k->outputs[value].dropped)
            continue;
        cuc__text_put(t, ", noalias(%s_%u, told), noalias(%s_%u, totals), noalias(%s_%u, carry)",
                      name, value, name, value, name, value);
        for (uint32_t j = 0; j < k->values; j++)
            if (j < value + i % 2 && (!last || !k->outputs[j].dropped))
                cuc__text_put(t, ", noalias(%s_%u, dst_%u)", name, value, j);
        for (uint32_t j = 0; !first && j < k->values; j++)
            cuc__text_put(t, ", noalias(%s_%u, src_%u)", name, value, j);
        for (uint32_t j = 0; first && j < k->input_count; j++)
            if (k->inputs[j].form <= CUC__ALGORITHM_WHOLE)
                cuc__text_put(t, ", noalias(%s_%u, in_%s)", name, value, k->inputs[j].name);
    }
    cuc__text_put(t, "\n");
}

// Returns true if a value is placed before the look-back, whose time its load then takes no part
// of: a single one of 32 bits, which takes the register of the place in the tile.
static bool is_early(const struct cuc__algorithm_kind *k, uint32_t value)
{
    uint32_t values = k->values - k->keys;

    return value >= k->keys && values == 1 &&
           cuc_dtype_bits(cuc__sort_type_between(k, value)) <= 32;
}

// Writes a value in the order of the digit.
static void put_placed(struct cuc__text *t, const struct cuc__algorithm_kind *k, uint32_t i,
                       bool first)
{
    if (first && cuc__sort_is_index(k, i))
        cuc__text_put(t, "cast(cast(place(iota(i32, BN), to), i64) + t * BN, u32)");
    else if (first)
        cuc__text_put(t, "place(e%u, to)", i);
    else
        cuc__text_put(t,
                      k->device_count ? "place(load(slice(src_%u, 0, 0, n), [t], [BN]), to)"
                                      : "place(load(src_%u, [t], [BN]), to)",
                      i);
}

// Writes the stores of a tile in the order of its digit, with places of a type. Indices get 64 bits
// in the last pass.
static void put_scatters(struct cuc__text *t, const struct cuc__algorithm_kind *k, bool first,
                         bool only, const char *type)
{
    const char *part = k->device_count ? "scatter(slice(%s_%u, 0, 0, n), [places_%s], "
                                       : "scatter(%s_%u, [places_%s], ";

    cuc__text_put(t, "        places_%s = take(cast(less, %s), ", type, type);
    put_digit_call(t, k, "e%u", "which, low, mask");
    cuc__text_put(t, ", 0) + iota(%s, BN)\n", type);
    for (uint32_t i = 0; i < k->values; i++) {
        bool widens = cuc__sort_is_index(k, i) && !first;
        char name[32];
        if (only && k->outputs[i].dropped)
            continue;
        if (i >= k->keys && !is_early(k, i)) {
            cuc__text_put(t, "        f%u_%s = ", i, type);
            put_placed(t, k, i, first);
            cuc__text_put(t, "\n");
        }
        if (i < k->keys && !is_in_order(k, i))
            cuc__text_put(t,
                          "        if final > 0 { f%u_%s = key_%u(e%u) } else { f%u_%s = e%u }\n",
                          i, type, i, i, i, type, i);
        if (i < k->keys && is_in_order(k, i))
            snprintf(name, sizeof(name), "e%u", i);
        else if (is_early(k, i))
            snprintf(name, sizeof(name), "f%u", i);
        else
            snprintf(name, sizeof(name), "f%u_%s", i, type);
        if (widens) {
            cuc__text_put(t, "        if final > 0 { ");
            cuc__text_put(t, part, "last", i, type);
            cuc__text_put(t, "cast(%s, u64)) }\n        if final == 0 { ", name);
        } else {
            cuc__text_put(t, "        ");
        }
        cuc__text_put(t, part, "dst", i, type);
        cuc__text_put(t, widens ? "%s) }\n" : "%s)\n", name);
    }
}

// Writes the change of the inputs' bits to bits in order, if a pass may read inputs. Elements
// behind the last one stay the last ones.
static void put_start(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    bool any = false;

    for (uint32_t i = 0; i < k->keys; i++)
        any |= !is_in_order(k, i);
    if (!any || !cuc__sort_is_plain(k))
        return;
    cuc__text_put(
        t, "    if start > 0 {\n"
           "        inside = iota(i32, BN) < cast(minimum(maximum(n - t * BN, 0), BN), i32)\n");
    for (uint32_t i = 0; i < k->keys; i++)
        if (!is_in_order(k, i))
            cuc__text_put(t, "        e%u = where(inside, order_%u(e%u), %s)\n", i, i, i,
                          ones_of(cuc__sort_type_between(k, i)));
    cuc__text_put(t, "    }\n");
}

// Writes a kernel that orders the elements by one digit: those of the inputs, or those that another
// pass has written.
static void put_pass(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool first)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    bool only = first && cuc__sort_digit_count(k) == 1; // then dropped values have no array
    const char *src = k->device_count ? "slice(src_%u, 0, 0, n)" : "src_%u";

    cuc__text_put(t, "\n# Orders elements by their digit.\nkernel %s(",
                  p->family->kernels[first ? CUC__SORT_FIRST : CUC__SORT_NEXT]);
    if (first)
        cuc__algorithm_put_inputs(t, p);
    else
        put_sources(t, k);
    for (uint32_t i = 0; i < k->values; i++)
        if (!only || !k->outputs[i].dropped)
            cuc__text_put(t,
                          ((k->outputs[i].dropped || cuc__sort_is_index(k, i)) && !first)
                              ? "dst_%u: %s[M%u], "
                              : "dst_%u: %s[N], ",
                          i, cuc_dtype_name(cuc__sort_type_between(k, i)), i);
    for (uint32_t i = 0; i < k->values && !first; i++)
        if (cuc__sort_is_index(k, i))
            cuc__text_put(t, "last_%u: u64[L%u], ", i, i);
    cuc__text_put(t,
                  "totals: i64[DIGITS, RADIX], carry: i64[LAUNCHES, RADIX], told: u32[S], "
                  "from: i64, tiles: i64, part: i32, parts: i32, row: i32, which: i32, low: i32, "
                  "mask: i32, flip: u32, start: i32, final: i32)\n"
                  "    const BN = %d, RADIX = %d, W = %d, NARROW = %" PRId64 "\n",
                  p->tile.elements, CUC__SORT_RADIX, WINDOW, (INT64_C(1) << 31) - p->tile.elements);
    put_facts(t, p, first, only);
    cuc__text_put(t, "    grid tiles\n{\n");
    cuc__algorithm_put_count(t, p);
    if (k->device_count) // the same blocks in all launches, whose flips alternate
        cuc__text_put(t, "    if block(0) * BN >= n { return }\n");
    cuc__text_put(t, "    t = block(0) + from\n    digit = iota(i32, RADIX)\n"
                     "    own_row = cast(block(0), i32) * RADIX + digit\n"
                     "    total = gather(totals, [row, digit])\n");
    if (first) {
        cuc__algorithm_put_values(t, p, "    ", "");
        put_bits(t, k, "    ", 0, k->values);
    } else {
        for (uint32_t i = 0; i < k->keys; i++) {
            cuc__text_put(t, "    e%u = load(", i);
            cuc__text_put(t, src, i);
            cuc__text_put(t, ", [t], [BN], pad=%s)\n", ones_of(cuc__sort_type_between(k, i)));
        }
        put_start(t, k);
    }
    cuc__text_put(t, "    to, own = rank(");
    put_digit_call(t, k, "e%u", "which, low, mask");
    cuc__text_put(t, ", RADIX)\n"
                     "    own = cast(own, u32)\n"
                     "    scatter(told, [own_row], (own | 1 << 30) ^ flip, order=relaxed)\n");
    for (uint32_t i = 0; i < k->keys; i++)
        cuc__text_put(t, "    e%u = place(e%u, to)\n", i, i);
    for (uint32_t i = k->keys; i < k->values; i++)
        if (is_early(k, i) && (!only || !k->outputs[i].dropped)) {
            cuc__text_put(t, "    f%u = ", i);
            put_placed(t, k, i, first);
            cuc__text_put(t, "\n");
        }
    // Because of the acquiring load, blocks start in grid order.
    cuc__text_put(
        t,
        "    less = total - cast(own, i64)\n"
        "    less = cumsum(less, 0) - less  # the place of a digit's first element, less that in "
        "the tile\n"
        "    if part > 0 { less += gather(carry, [row * parts + part, digit], order=acquire) }\n"
        "    before = look_back(told, cast(block(0), i32), own, flip, W, RADIX)\n"
        "    scatter(told, [own_row], (before + own | 2 << 30) ^ flip, order=relaxed)\n");
    cuc__text_put(t,
                  "    if part + 1 < parts {\n        if block(0) + 1 == %s {\n"
                  "            done = cast(before + own, i64)\n"
                  "            if part > 0 { done += gather(carry, [row * parts + part, digit]) "
                  "}\n"
                  "            scatter(carry, [row * parts + part + 1, digit], done)\n"
                  "        }\n    }\n",
                  k->device_count ? "minimum(tiles, cdiv(n, BN))" : "tiles");
    cuc__text_put(t, "    less += cast(before, i64)\n    if N < NARROW {\n");
    put_scatters(t, k, first, only, "i32");
    cuc__text_put(t, "    } else {\n");
    put_scatters(t, k, first, only, "i64");
    cuc__text_put(t, "    }\n}\n");
}

// ---- Few elements

static void put_small(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    struct cuc__sort_digit digits[CUC__SORT_MOST_DIGITS];
    uint32_t count = cuc__sort_find_digits(digits, k), rows;

    cuc__text_put(t, "\n# Orders the elements of one tile.\nkernel %s(",
                  p->family->kernels[CUC__SORT_SMALL]);
    cuc__algorithm_put_inputs(t, p);
    for (uint32_t i = 0; i < k->values; i++)
        if (!k->outputs[i].dropped)
            cuc__text_put(t, "dst_%u: %s[N], ", i, cuc_dtype_name(cuc__sort_type_last(k, i)));
    t->length -= 2; // the last comma
    cuc__text_put(t, ")\n    const BN = %d, RADIX = %d\n    grid 1\n{\n    t = cast(0, i64)\n",
                  p->tile.elements, CUC__SORT_RADIX);
    cuc__algorithm_put_count(t, p);
    cuc__algorithm_put_values(t, p, "    ", "");
    put_bits(t, k, "    ", 0, k->values);
    for (uint32_t at = 0; at < count; at += rows) {
        rows = digits_of_key(digits, count, at);
        char how[96];
        snprintf(how, sizeof(how), "%u, low, (1 << minimum(%u - low, 8)) - 1", digits[at].key,
                 digits[at + rows - 1].low + digits[at + rows - 1].bits);
        cuc__text_put(t, "    for turn in 0 .. %u {\n        low = %u + cast(turn, i32) * %d\n",
                      rows, digits[at].low, CUC__SORT_DIGIT_BITS);
        cuc__text_put(t, "        to, own = rank(");
        put_digit_call(t, k, "e%u", how);
        cuc__text_put(t, ", RADIX)\n");
        for (uint32_t i = 0; i < k->values; i++)
            if (i < k->keys || !k->outputs[i].dropped)
                cuc__text_put(t, "        e%u = place(e%u, to)\n", i, i);
        cuc__text_put(t, "    }\n");
    }
    for (uint32_t i = 0; i < k->values; i++) {
        if (k->outputs[i].dropped)
            continue;
        cuc__text_put(t,
                      k->device_count ? "    store(slice(dst_%u, 0, 0, n), [0], "
                                      : "    store(dst_%u, [0], ",
                      i);
        cuc__text_put(t, i < k->keys ? "key_%u(e%u), shape=[BN])\n" : "e%u, shape=[BN])\n", i, i);
    }
    cuc__text_put(t, "}\n");
}

void cuc__sort_put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    for (uint32_t i = 0; i < p->kind.keys; i++)
        put_key(t, &p->kind, i);
    put_digit(t, &p->kind);
    put_look_back(t);
    put_count(t, p);
    for (int kernel = CUC__SORT_FIRST; kernel <= CUC__SORT_NEXT; kernel++)
        if (!cuc__sort_lacks(&p->kind, kernel))
            put_pass(t, p, kernel == CUC__SORT_FIRST);
    put_small(t, p);
}
