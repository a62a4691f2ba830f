// Set operations on two sorted sequences. A first kernel splits both sequences by the merge path;
// in a second one, a block finds for each element of its tile the place among the other sequence's
// elements, decides whether it is kept, and stores it after look-back.
//
// In a run of equal elements, element number `rank` of a sequence has a partner if the other
// sequence's run is longer than `rank`. All four operations are rules about partners.
#include "merge_path.h"

enum { TILES, SPLITS };
enum { COLUMNS = 4, BLOCK = 256 }; // elements of a thread, and of a block of the first kernel

static const struct cuc__algorithm_sums sums = {
    .count = 1, .dtypes = { CUC_I64 }, .counts = true, .combine = "plus_before", .identity = { "0" }
};

static const char *const kept[] = {
    [CUC_ALGORITHM_UNION] = "first | (second & ~partner)",
    [CUC_ALGORITHM_INTERSECTION] = "first & partner",
    [CUC_ALGORITHM_DIFFERENCE] = "first & ~partner",
    [CUC_ALGORITHM_SYMMETRIC_DIFFERENCE] = "(first | second) & ~partner",
};

// Returns true if elements of the second sequence are kept, too.
static bool keeps_second(const struct cuc__algorithm_kind *k)
{
    return k->kind == CUC_ALGORITHM_UNION || k->kind == CUC_ALGORITHM_SYMMETRIC_DIFFERENCE;
}

static void choose(struct cuc__algorithm_problem *p)
{
    cuc__algorithm_choose_merge(p, COLUMNS);
}

// Writes a comparison of the keys of element `x` of one sequence and of `y` of one.
static void put_compared(struct cuc__text *t, const struct cuc__algorithm_kind *k, bool x_second,
                         const char *x, bool y_second, const char *y, const char *mask)
{
    cuc__text_put(t, "comes_before(");
    for (uint32_t i = 0; i < 2 * k->keys; i++) {
        bool is_x = i < k->keys;
        cuc__text_put(t, "%s", i ? ", " : "");
        cuc__algorithm_put_value(t, k, is_x ? x_second : y_second, i % k->keys, is_x ? x : y, mask);
    }
    cuc__text_put(t, ")");
}

// Writes a binary search for each split.
static void put_search(struct cuc__text *t, const char *low, const char *high)
{
    cuc__text_put(t,
                  "    low, high = %s, %s\n"
                  "    while any(low < high) {\n"
                  "        middle, open = (low + high) >> 1, low < high\n",
                  low, high);
}

// Writes the kernel that finds for each tile how many elements before it are of the first sequence,
// and where the runs begin that are open at its start.
static void put_splits(struct cuc__text *t, const struct cuc__algorithm_kind *k, int32_t elements)
{
    cuc__text_put(t, "\nkernel set_splits(");
    cuc__algorithm_put_sequences(t, k);
    cuc__text_put(t,
                  "splits: i64[T], run_a: i64[T], run_b: i64[T])\n"
                  "    const BN = %d, BS = %d\n    grid cdiv(T, BS)\n{\n"
                  "    k = minimum((block(0) * BS + iota(i64, BS)) * BN, A + B)\n",
                  elements, BLOCK);
    put_search(t, "maximum(k - B, 0)", "minimum(k, A)");
    cuc__text_put(t, "        from_b = ");
    put_compared(t, k, true, "k - 1 - middle", false, "middle", "open");
    cuc__text_put(t, "\n"
                     "        high = where(open & from_b, middle, high)\n"
                     "        low = where(open & ~from_b, middle + 1, low)\n"
                     "    }\n"
                     "    a, b = low, k - low\n"
                     "    store(splits, [block(0)], a)\n");
    for (int second = 0; second < 2; second++) {
        const char *own = second ? "b" : "a";
        put_search(t, "a * 0", second ? "where(b < B, b, 0)" : "where(a < A, a, 0)");
        cuc__text_put(t, "        less = ");
        put_compared(t, k, second, "middle", second, own, "open");
        cuc__text_put(t,
                      "\n"
                      "        low = where(open & less, middle + 1, low)\n"
                      "        high = where(open & ~less, middle, high)\n"
                      "    }\n"
                      "    store(run_%s, [block(0)], low)\n",
                      own);
    }
    cuc__text_put(t, "}\n");
}

// Writes the elements of the tile, those of the first sequence first, and for each the number of
// elements before it of the other sequence's.
static void put_places(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "    e = iota(i32, BN)\n"
                     "    first, second = e < na, (e >= na) & (e < na + nb)\n"
                     "    own = where(first, a + e, b + e - na)\n");
    for (uint32_t i = 0; i < k->keys; i++) {
        cuc__text_put(t, "    x%u = where(first, ", i);
        cuc__algorithm_put_value(t, k, false, i, "own", "first");
        cuc__text_put(t, ", ");
        cuc__algorithm_put_value(t, k, true, i, "own", "second");
        cuc__text_put(t, ")\n");
    }
    cuc__text_put(t,
                  "    base, low, high = where(first, na, 0), e * 0, where(first, nb, na)\n"
                  "    static for s in 0 .. %d {\n"
                  "        middle, open = (low + high) >> 1, low < high\n        ",
                  cuc__algorithm_search_steps(p->tile.elements));
    cuc__algorithm_put_each(t, k->keys, "y%u");
    cuc__text_put(t, " = ");
    cuc__algorithm_put_each(t, k->keys, "take(x%u, base + middle, 0)");
    cuc__text_put(t, "\n        more = comes_before(");
    cuc__algorithm_put_each(t, k->keys, "where(first, y%u, x%u)");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->keys, "where(first, x%u, y%u)");
    cuc__text_put(t, ") == first\n"
                     "        low = where(open & more, middle + 1, low)\n"
                     "        high = where(open & ~more, middle, high)\n"
                     "    }\n");
}

// Writes `partner`.
static void put_partner(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__text_put(t, "    head = (e == 0) | (e == na) | comes_before(");
    cuc__algorithm_put_each(t, k->keys, "take(x%u, e - 1, 0)");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->keys, "x%u");
    cuc__text_put(t, ")\n"
                     "    start = scan(later, [where(head, e, 0)], 0, [0])\n"
                     "    rank = where(first & (start == 0), own - run_a[t],\n"
                     "                 where(second & (start == na), own - run_b[t], "
                     "cast(e - start, i64)))\n"
                     "    at = where(first, b + low + rank, a + low - 1 - rank)\n"
                     "    there = where(first, at < B, second & (at >= 0))\n    ");
    cuc__algorithm_put_each(t, k->keys, "y%u");
    cuc__text_put(t, " = ");
    for (uint32_t i = 0; i < k->keys; i++) {
        cuc__text_put(t, "%swhere(first, ", i ? ", " : "");
        cuc__algorithm_put_value(t, k, true, i, "at", "first & there");
        cuc__text_put(t, ", ");
        cuc__algorithm_put_value(t, k, false, i, "at", "second & there");
        cuc__text_put(t, ")");
    }
    cuc__text_put(t, "\n    partner = there & ~comes_before(");
    cuc__algorithm_put_each(t, k->keys, "where(first, x%u, y%u)");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->keys, "where(first, y%u, x%u)");
    cuc__text_put(t, ")\n");
}

static void put_scatters(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (uint32_t i = 0; i < k->values; i++) {
        const struct cuc__algorithm_output *out = &k->outputs[i];
        if (out->dropped)
            continue;
        cuc__text_put(t, "    scatter(out_%s, [b0 + up_to - 1], cast(", out->name);
        if (i < k->keys) {
            cuc__text_put(t, "x%u", i);
        } else if (!keeps_second(k)) {
            cuc__algorithm_put_value(t, k, false, i, "own", "keep");
        } else {
            cuc__text_put(t, "where(first, ");
            cuc__algorithm_put_value(t, k, false, i, "own", "keep & first");
            cuc__text_put(t, ", ");
            cuc__algorithm_put_value(t, k, true, i, "own", "keep & second");
            cuc__text_put(t, ")");
        }
        cuc__text_put(t, ", %s), mask=keep)\n", cuc_dtype_name(out->dtype));
    }
}

static void put_tiles(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nkernel set_tiles(");
    cuc__algorithm_put_sequences(t, k);
    cuc__algorithm_put_outputs_of_kept(t, p);
    cuc__text_put(t, "splits: i64[T], run_a: i64[T], run_b: i64[T], ");
    cuc__algorithm_put_look_back_head(t, p, &sums);
    cuc__text_put(t, "    grid maximum(cdiv(A + B, BN), 1)\n{\n    t = block(0)\n"
                     "    last = maximum(cdiv(A + B, BN) - 1, 0)\n"
                     "    a, a_end = splits[t], splits[t + 1]\n"
                     "    b, b_end = t * BN - a, minimum(t * BN + BN, A + B) - a_end\n"
                     "    na, nb = cast(a_end - a, i32), cast(b_end - b, i32)\n");
    put_places(t, p);
    put_partner(t, k);
    cuc__text_put(t, "    keep = %s\n    m0 = cast(sum(cast(keep, i32)), i64)\n", kept[k->kind]);
    cuc__algorithm_put_publish(t, &sums);
    if (keeps_second(k))
        cuc__text_put(t,
                      "    merged = where(first, e + low, where(second, e - na + low, e))\n"
                      "    up_to = take(cumsum(place(cast(keep, i32), merged), 0), merged, 0)\n");
    else
        cuc__text_put(t, "    up_to = cumsum(cast(keep, i32), 0)\n");
    cuc__algorithm_put_look_back(t, &sums);
    put_scatters(t, k);
    cuc__algorithm_put_kept(t, k);
    cuc__text_put(t, "}\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    struct cuc__algorithm_problem of_keys = *p;

    of_keys.kind.values = p->kind.keys;
    cuc__algorithm_put_order(t, &of_keys);
    cuc__text_put(t, "\nfn %s(a, b) { return a + b }\nfn later(a, b) { return maximum(a, b) }\n",
                  sums.combine);
    cuc__algorithm_put_look_back_functions(t, &sums);
    put_splits(t, &p->kind, p->tile.elements);
    put_tiles(t, p);
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    return CUC__ALGORITHM_SPLITS *
               cuc__algorithm_bytes(CUC_I64, cuc__algorithm_tiles(plan, count) + 1) +
           cuc__algorithm_look_back_bytes(&sums, cuc__algorithm_tiles(plan, count));
}

static cuc_status run(const struct cuc__algorithm_call *call)
{
    struct cuc__algorithm_call c = *call;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, &c);
    int64_t tiles = cuc__algorithm_tiles(c.plan, c.count);

    c.split_count = CUC__ALGORITHM_SPLITS;
    for (int i = 0; i < CUC__ALGORITHM_SPLITS; i++) {
        c.workspace = cuc__algorithm_scratch(&c.splits[i], &c, c.workspace, CUC_I64, tiles + 1);
        args[count++] = CUC_ARG(&c.splits[i]);
    }
    cuc_status st = cuc__algorithm_launch(&c, SPLITS, args, count);
    return st < 0 ? st : cuc__algorithm_run_look_back(&c, &sums, tiles);
}

const struct cuc__algorithm_family cuc__algorithm_set = {
    .kernels = { "set_tiles", "set_splits" },
    .ordered = true,
    .pairs = true,
    .outputs_of_value = 1,
    .counts = true,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
