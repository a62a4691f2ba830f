// The largest elements of an array if they are many: radix select, then a stable radix sort.
//
// A key has rounds of digits, from the highest on. A round counts the digits of the elements whose
// higher digits are those of the k-th largest key, as far as it is known, and thereby finds the
// next digit of this key. Each kernel derives what is known from the counts of earlier rounds, so
// that none waits for another. After the last round the key is known in full: the elements with
// larger keys, and then the first ones of those with equal keys, are written to a list in their
// order. The sort keeps equal keys in this order.
#include "algorithm.h"

#include <cucore/copy.h>

#include "device/stream.h"

enum { COUNT, SIZES, LIST, ORDER_COUNT, ORDER, STORE };
enum { ROUND_BITS = 11, DIGIT_BITS = 8, RADIX = 1 << DIGIT_BITS, SORTED = 4096, MOST_PARTS = 2048 };

static void choose(struct cuc__algorithm_problem *p)
{
    enum { TILE = 8192, BLOCKS = 2, WARPS = 16 };

    if (!p->tile.elements)
        p->tile.elements = TILE;
    if (!p->tile.blocks)
        p->tile.blocks = BLOCKS;
    if (!p->tile.warps)
        p->tile.warps = WARPS;
}

static int key_bits(const struct cuc__algorithm_kind *k)
{
    return (int)cuc_dtype_bits(cuc__algorithm_key_type(k));
}

static int rounds_of(const struct cuc__algorithm_kind *k)
{
    return (key_bits(k) + ROUND_BITS - 1) / ROUND_BITS;
}

// Writes the functions of the selection.
static void put_select_functions(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    const char *key = cuc_dtype_name(cuc__algorithm_key_type(k));
    int bits = key_bits(k);

    cuc__text_put(t,
                  "\n# The first bit of a round's digit, and the number of its bits.\n"
                  "fn place_of_digit(round) {\n"
                  "    end = %d - round * %d\n"
                  "    first = maximum(end - %d, 0)\n"
                  "    return first, end - first\n"
                  "}\n",
                  bits, ROUND_BITS, ROUND_BITS);
    cuc__text_put(t,
                  "\n# The digits of the k-th largest key in the first rounds, and the number of\n"
                  "# elements to find that begin with these digits.\n"
                  "fn known_of(counts, rounds, k) {\n"
                  "    known, need, digit = cast(0, %s), cast(k, i64), iota(i32, %d)\n"
                  "    for round in 0 .. rounds {\n"
                  "        count = load(counts, [round, 0], [_, %d])\n"
                  "        best = max(where(cumsum(count, 0, reverse=true) >= need, digit, 0))\n"
                  "        need -= sum(where(digit > best, count, 0))\n"
                  "        _, width = place_of_digit(round)\n"
                  "        known = (known << cast(width, %s)) | cast(best, %s)\n"
                  "    }\n"
                  "    return known, need\n"
                  "}\n",
                  key, 1 << ROUND_BITS, 1 << ROUND_BITS, key, key);
}

// Writes the functions of the sort: a stable order of a tile's keys by a digit, as in
// examples/tile/radix_sort.tile.
static void put_sort_functions(struct cuc__text *t)
{
    enum { LOOK_BACK = 16 };

    cuc__text_put(
        t,
        "\nfn digit_of(key, low) { return cast((key >> low) & %d, i32) }\n"
        "\n# The number of keys with each digit in the tiles before tile i. A word has the\n"
        "# number of a tile's keys (its upper bits are 1) or that of all up to it (2).\n"
        "fn before_of(told, i, n) {\n"
        "    own, before = cast(n, u32), zeros(u32, [%d])\n"
        "    k = iota(i32, %d)[:, None]\n"
        "    store(told, [i], own | 1 << 30, order=relaxed)\n"
        "    at = full(i32, [%d], cast(i, i32) - 1)\n"
        "    while max(at) >= 0 {\n"
        "        words = gather(told, [at * %d + iota(i32, %d) - k * %d], pad=2 << 30, "
        "order=relaxed)\n"
        "        end = min(where(words >> 30 == 1, %d, 2 * k + 1 + (bitcast(words, i32) >> "
        "31)), 0)\n"
        "        before += squeeze(sum(where(2 * k <= end, words, 0), 0), 0)\n"
        "        end = squeeze(end, 0)\n"
        "        at = where((end < %d) & ((end & 1) == 0), -1, at - (end >> 1))\n"
        "    }\n"
        "    before = before & (1 << 30) - 1\n"
        "    store(told, [i], (before + own) | 2 << 30, order=relaxed)\n"
        "    return cast(before, i32)\n"
        "}\n",
        RADIX - 1, RADIX, LOOK_BACK, RADIX, RADIX, RADIX, RADIX, 2 * LOOK_BACK, 2 * LOOK_BACK);
}

// Writes the facts that no array of a kernel overlaps one that it writes. Without them the compiler
// would add an entry for arrays that overlap.
static void put_facts(struct cuc__text *t, const struct cuc__algorithm_problem *p, int kernel)
{
    static const char *const of_kernel[] = {
        [COUNT] = "noalias(counts, sizes)",
        [SIZES] = "noalias(sizes, counts)",
        [LIST] = "noalias(key, counts), noalias(key, sizes), noalias(key, at), "
                 "noalias(at, counts), noalias(at, sizes)",
        [ORDER_COUNT] = "noalias(digits, key)",
        [ORDER] = "noalias(told, key), noalias(told, at), noalias(told, digits), "
                  "noalias(next_key, key), noalias(next_key, at), noalias(next_key, digits), "
                  "noalias(next_key, told), noalias(next_key, next_at), noalias(next_at, key), "
                  "noalias(next_at, at), noalias(next_at, digits), noalias(next_at, told)",
        [STORE] = "noalias(at, key)",
    };
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "    where %s", of_kernel[kernel]);
    for (uint32_t i = 0; i < k->input_count; i++) {
        const char *name = k->inputs[i].name;
        if (k->inputs[i].form > CUC__ALGORITHM_WHOLE)
            continue;
        if (kernel == SIZES)
            cuc__text_put(t, ", noalias(in_%s, sizes)", name);
        if (kernel == LIST)
            cuc__text_put(t, ", noalias(in_%s, key), noalias(in_%s, at)", name, name);
        for (uint32_t j = 0; j < k->output_count && kernel == STORE; j++)
            if (!k->outputs[j].dropped)
                cuc__text_put(t, ", noalias(in_%s, out_%s)", name, k->outputs[j].name);
    }
    for (uint32_t i = 0; i < k->output_count && kernel == STORE; i++) {
        if (k->outputs[i].dropped)
            continue;
        cuc__text_put(t, ", noalias(out_%s, at)", k->outputs[i].name);
        for (uint32_t j = 0; j < i; j++)
            if (!k->outputs[j].dropped)
                cuc__text_put(t, ", noalias(out_%s, out_%s)", k->outputs[j].name,
                              k->outputs[i].name);
    }
    cuc__text_put(t, "\n");
}

static void put_head(struct cuc__text *t, const struct cuc__algorithm_problem *p, int kernel,
                     const char *grid)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    const char *key = cuc_dtype_name(cuc__algorithm_key_type(k));
    char of_output[32];

    snprintf(of_output, sizeof(of_output), "%lld", (long long)k->k);
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[kernel]);
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs(t, p, of_output);
    cuc__text_put(t,
                  "counts: i64[%d, %d], sizes: i64[2, PARTS], key: %s[K], at: i64[K], next_key: "
                  "%s[K], next_at: i64[K],\n"
                  "        digits: i32[%d, %d], told: u32[T], turns: i64, round: i64)\n"
                  "    const BN = %d, SORTED = %d, FOUND = %lld, ROUNDS = %d\n",
                  rounds_of(k), 1 << ROUND_BITS, key, key, key_bits(k) / DIGIT_BITS, RADIX,
                  p->tile.elements, SORTED, (long long)k->k, rounds_of(k));
    put_facts(t, p, kernel);
    cuc__text_put(t, "    grid %s\n{\n", grid);
    cuc__algorithm_put_count(t, p);
}

// Writes the head of a loop over a part's tiles, up to their keys.
static void put_loop(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "    for turn in 0 .. minimum(turns, cdiv(n, BN) - part * turns) {\n"
                     "        t = part * turns + turn\n");
    cuc__algorithm_put_values(t, p, "        ", "");
    cuc__text_put(t, "        x = broadcast(key_of(v0), [BN])\n"
                     "        there = t * BN + iota(i64, BN) < n\n");
}

static void put_select(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const char *key = cuc_dtype_name(cuc__algorithm_key_type(&p->kind));

    put_head(t, p, COUNT, "PARTS");
    cuc__text_put(t,
                  "    part = block(0)\n"
                  "    known, _ = known_of(counts, round, FOUND)\n"
                  "    low, width = place_of_digit(round)\n"
                  "    high = where(round > 0, low + width, 0)\n"
                  "    number = zeros(i32, [%d])\n",
                  1 << ROUND_BITS);
    put_loop(t, p);
    cuc__text_put(
        t,
        "        there = there & ((x >> cast(high, %s) == known) | (round == 0))\n"
        "        digit = cast((x >> cast(low, %s)) & ((cast(1, %s) << cast(width, %s)) - "
        "1), i32)\n"
        "        number += histogram(where(there, digit, -1), %d)\n"
        "    }\n"
        "    store_add(counts, [round, 0], reshape(cast(bitcast(number, u32), i64), [1, %d]))\n"
        "}\n",
        key, key, key, key, 1 << ROUND_BITS, 1 << ROUND_BITS);
    put_head(t, p, SIZES, "PARTS");
    cuc__text_put(t, "    part = block(0)\n"
                     "    known, _ = known_of(counts, ROUNDS, FOUND)\n"
                     "    above, same = zeros(i32, [BN]), zeros(i32, [BN])\n");
    put_loop(t, p);
    cuc__text_put(t, "        above += cast(there & (x > known), i32)\n"
                     "        same += cast(there & (x == known), i32)\n"
                     "    }\n"
                     "    store(sizes, [0, part], sum(cast(above, i64)), shape=[_, _])\n"
                     "    store(sizes, [1, part], sum(cast(same, i64)), shape=[_, _])\n"
                     "}\n");
    put_head(t, p, LIST, "PARTS");
    cuc__text_put(t,
                  "    part = block(0)\n"
                  "    known, need = known_of(counts, ROUNDS, FOUND)\n"
                  "    b = iota(i64, %d)\n"
                  "    above = sum(where(b < part, load(sizes, [0, 0], [_, %d]), 0))\n"
                  "    same = sum(where(b < part, load(sizes, [1, 0], [_, %d]), 0))\n",
                  MOST_PARTS, MOST_PARTS, MOST_PARTS);
    put_loop(t, p);
    cuc__text_put(t, "        larger, equal = there & (x > known), there & (x == known)\n"
                     "        of_larger = cumsum(cast(larger, i32), 0)\n"
                     "        of_equal = cumsum(cast(equal, i32), 0)\n"
                     "        rank = same + of_equal\n"
                     "        to = where(larger, above + of_larger - 1, FOUND - need + rank - 1)\n"
                     "        kept = larger | (equal & (rank <= need))\n"
                     "        scatter(key, [to], ~x, mask=kept)\n"
                     "        scatter(at, [to], t * BN + iota(i64, BN), mask=kept)\n"
                     "        above += sum(cast(larger, i32))\n"
                     "        same += sum(cast(equal, i32))\n"
                     "    }\n"
                     "}\n");
}

static void put_sort(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const char *key = cuc_dtype_name(cuc__algorithm_key_type(&p->kind));
    int digits = key_bits(&p->kind) / DIGIT_BITS;

    put_head(t, p, ORDER_COUNT, "cdiv(FOUND, SORTED)");
    cuc__text_put(t,
                  "    size = minimum(n, FOUND)\n"
                  "    x = load(slice(key, 0, 0, size), [block(0)], [SORTED])\n"
                  "    there = block(0) * SORTED + iota(i64, SORTED) < size\n"
                  "    static for d in 0 .. %d {\n"
                  "        number = histogram(where(there, digit_of(x, d * %d), -1), %d)\n"
                  "        store_add(digits, [d, 0], reshape(number, [1, %d]))\n"
                  "    }\n"
                  "}\n",
                  digits, DIGIT_BITS, RADIX, RADIX);
    put_head(t, p, ORDER, "cdiv(FOUND, SORTED)");
    cuc__text_put(
        t,
        "    i, size = block(0), minimum(n, FOUND)\n"
        "    if i * SORTED >= size { return }\n"
        "    low, ones = cast(round * %d, %s), ~cast(0, %s)\n"
        "    place_in_list = i * SORTED + iota(i64, SORTED)\n"
        "    x = where(place_in_list < size, load(slice(key, 0, 0, size), [i], [SORTED]), ones)\n"
        "    digit = digit_of(x, low)\n"
        "    to, number = rank(digit, %d)\n"
        "    before = before_of(told, i, number)\n"
        "    less = load(digits, [round, 0], [_, %d]) - number\n"
        "    first = before + cumsum(less, 0) - less\n"
        "    x = place(x, to)\n"
        "    into = take(first, digit_of(x, low), 0) + iota(i32, SORTED)\n"
        "    scatter(next_key, [into], x, mask=into < size)\n"
        "    y = load(slice(at, 0, 0, size), [i], [SORTED])\n"
        "    scatter(next_at, [into], place(y, to), mask=into < size)\n"
        "}\n",
        DIGIT_BITS, key, key, RADIX, RADIX);
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__algorithm_put_key(t, k);
    put_select_functions(t, k);
    put_sort_functions(t);
    put_select(t, p);
    put_sort(t, p);
    put_head(t, p, STORE, "cdiv(FOUND, SORTED)");
    cuc__text_put(t, "    j, size = block(0) * SORTED + iota(i64, SORTED), minimum(n, FOUND)\n"
                     "    there = j < size\n"
                     "    i = load(slice(at, 0, 0, size), [block(0)], [SORTED])\n");
    cuc__algorithm_put_found(t, p, "    ");
    cuc__text_put(t, "}\n");
}

// Returns the number of parts into which an array is divided, of `turns` tiles each.
static int64_t parts_of(const cuc_algorithm *plan, int64_t count, int64_t *turns)
{
    int64_t blocks = (int64_t)plan->tile.blocks * plan->multiprocessors;
    int64_t tiles = cuc__ceil_div(count, plan->tile.elements);

    if (blocks > MOST_PARTS)
        blocks = MOST_PARTS;
    *turns = cuc__ceil_div(tiles, blocks);
    return *turns ? cuc__ceil_div(tiles, *turns) : 0;
}

// The arrays of the workspace, in the order of the parameters. The lists trade places.
enum { COUNTS, PART_SIZES, KEYS, PLACES, NEXT_KEYS, NEXT_PLACES, DIGITS, TOLD, ARRAYS };

struct shape {
    cuc_dtype dtype;
    int64_t rows, columns; // rows is 0 if there is one axis
};

static void get_shapes(struct shape out[ARRAYS], const struct cuc__algorithm_kind *k, int64_t parts)
{
    cuc_dtype key = cuc__algorithm_key_type(k);

    out[COUNTS] = (struct shape){ CUC_I64, rounds_of(k), 1 << ROUND_BITS };
    out[PART_SIZES] = (struct shape){ CUC_I64, 2, parts };
    out[KEYS] = out[NEXT_KEYS] = (struct shape){ key, 0, k->k };
    out[PLACES] = out[NEXT_PLACES] = (struct shape){ CUC_I64, 0, k->k };
    out[DIGITS] = (struct shape){ CUC_I32, key_bits(k) / DIGIT_BITS, RADIX };
    out[TOLD] = (struct shape){ CUC_U32, 0, cuc__ceil_div(k->k, SORTED) * RADIX };
}

static int64_t elements_of(const struct shape *s)
{
    return (s->rows ? s->rows : 1) * s->columns;
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    struct shape shapes[ARRAYS];
    int64_t turns;
    uint64_t bytes = 0;

    get_shapes(shapes, &plan->kind, parts_of(plan, count, &turns));
    for (int i = 0; i < ARRAYS && count; i++)
        bytes += cuc__algorithm_bytes(shapes[i].dtype, elements_of(&shapes[i]));
    return bytes;
}

static void make_arrays(cuc_tensor out[ARRAYS], const struct cuc__algorithm_call *c, int64_t parts)
{
    struct shape shapes[ARRAYS];
    cuc_device_ptr at = c->workspace;

    get_shapes(shapes, &c->plan->kind, parts);
    for (int i = 0; i < ARRAYS; i++) {
        const struct shape *s = &shapes[i];
        at = cuc__algorithm_scratch(&out[i], c, at, s->dtype, elements_of(s));
        if (!s->rows)
            continue;
        out[i].rank = 2;
        out[i].shape[0] = s->rows;
        out[i].shape[1] = out[i].strides[0] = s->columns;
        out[i].strides[1] = 1;
    }
}

static cuc_status launch(const struct cuc__algorithm_call *c, int kernel, const cuc_tensor *arrays,
                         int64_t turns, int64_t round)
{
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_outputs(args, cuc__algorithm_add_inputs(args, 0, c), c);

    for (int i = 0; i < ARRAYS; i++)
        args[count++] = CUC_ARG(&arrays[i]);
    args[count++] = CUC_ARG(turns);
    args[count++] = CUC_ARG(round);
    return cuc__algorithm_launch(c, kernel, args, count);
}

static cuc_status clear(const struct cuc__algorithm_call *c, const cuc_tensor *t)
{
    return cuc_fill(c->stream, t->data, 0, sizeof(uint32_t),
                    (size_t)cuc_tensor_elements(t) * (cuc_dtype_bits(t->dtype) / 32));
}

static void swap(cuc_tensor *x, cuc_tensor *y)
{
    cuc_tensor kept = *x;

    *x = *y;
    *y = kept;
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    int64_t turns, parts = parts_of(c->plan, c->count, &turns);
    cuc_tensor arrays[ARRAYS];
    cuc_status st;

    if (!c->count)
        return CUC_OK;
    make_arrays(arrays, c, parts);
    if ((st = clear(c, &arrays[COUNTS])) < 0 || (st = clear(c, &arrays[DIGITS])) < 0)
        return st;
    for (int round = 0; round < rounds_of(k) && st >= 0; round++)
        st = launch(c, COUNT, arrays, turns, round);
    for (int kernel = SIZES; kernel <= ORDER_COUNT && st >= 0; kernel++)
        st = launch(c, kernel, arrays, turns, 0);
    for (int digit = 0; digit < key_bits(k) / DIGIT_BITS && st >= 0; digit++) {
        st = clear(c, &arrays[TOLD]);
        st = st < 0 ? st : launch(c, ORDER, arrays, turns, digit);
        swap(&arrays[KEYS], &arrays[NEXT_KEYS]);
        swap(&arrays[PLACES], &arrays[NEXT_PLACES]);
    }
    return st < 0 ? st : launch(c, STORE, arrays, turns, 0);
}

const struct cuc__algorithm_family cuc__algorithm_topk_large = {
    .kernels = { "topk_count", "topk_sizes", "topk_list", "topk_order_count", "topk_order",
                 "topk_store" },
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
