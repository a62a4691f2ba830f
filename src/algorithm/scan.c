// Scans: a block scans one tile, and combines it with the prefix of the tiles before it, which it
// finds by look-back.
//
// Few elements are cut into short tiles. One kernel writes the sums of the tiles. A second one,
// which starts meanwhile, loads its tile again, waits for the sums, and combines those before its
// own. This reads the elements twice, but from the L2 cache, and no workspace has to be cleared.
#include "algorithm.h"

#include "launch/launch.h"

enum { ALL, SUMS, SHORT };
enum {
    BYTES_OF_WIDE = 32768, // of a tile's values, if one has more than 4 bytes
    SHORT_BYTES = 16384,   // most bytes of a short tile's values
    SHORT_ELEMENTS = 2048, // most elements of a short tile
    SUMS_AT_ONCE = 1024,   // of short tiles, that a block loads
    MOST_SHORT = 2048,     // short tiles
};

static struct cuc__algorithm_sums sums_of(const struct cuc__algorithm_kind *k)
{
    struct cuc__algorithm_sums s = { .count = k->values, .reduce = k->reduce };

    for (uint32_t i = 0; i < k->values; i++)
        s.dtypes[i] = k->accumulators[i];
    return s;
}

// Returns the most bytes of a tile's values, for values of so many bytes in all. On an H200, 2^26
// i64 take 385 us with 4096 in a tile, in blocks of 8 warps, and 408 to 454 us with other tiles and
// warps; 2^28 f32 take 579 us with 32768, in blocks of 16 warps, and 616 us with 16384.
static int32_t most_bytes(const struct cuc__algorithm_problem *p, uint32_t sums)
{
    // A function of the caller's may be long, and is inlined many times.
    enum { BYTES = 65536, BYTES_OF_MANY = 131072, FUNCTION_BYTES = 16384 };
    const int64_t many = 1 << 27;

    if (!p->named)
        return FUNCTION_BYTES;
    if (sums > 4)
        return BYTES_OF_WIDE;
    return p->count < many || p->kind.every_gpu ? BYTES : BYTES_OF_MANY;
}

static void choose(struct cuc__algorithm_problem *p)
{
    enum { MOST_OF_MODEL = 16384, LEAST = 1024, BLOCKS = 2, WARPS = 16, WARPS_OF_WIDE = 8 };
    uint32_t sums = 0;

    for (uint32_t i = 0; i < p->kind.values; i++)
        sums += cuc_dtype_bits(p->kind.accumulators[i]) / 8;
    if (p->kind.every_gpu && !p->tile.warps)
        p->tile.warps = WARPS;
    if (p->tile.elements) {
        p->tile.omitted = 1 << SUMS | 1 << SHORT;
        return;
    }
    p->tile.elements = cuc__algorithm_fit(most_bytes(p, sums), sums, LEAST);
    if (p->named && p->tile.elements * (int64_t)sums == BYTES_OF_WIDE && !p->tile.warps)
        p->tile.warps = WARPS_OF_WIDE;
    if (p->tile.elements > MOST_OF_MODEL && !p->tile.warps) // it would choose more warps
        p->tile.warps = WARPS;
    while (p->count && !p->kind.every_gpu && p->tile.elements > LEAST &&
           cuc__ceil_div(p->count, p->tile.elements) < (int64_t)BLOCKS * p->multiprocessors)
        p->tile.elements /= 2;
}

// Returns the number of elements of a short tile.
static int32_t short_of(const struct cuc__algorithm_kind *k, const struct cuc__algorithm_tile *tile)
{
    enum { LEAST = 256 };
    uint32_t sums = 0;

    for (uint32_t i = 0; i < k->values; i++)
        sums += cuc_dtype_bits(k->accumulators[i]) / 8;
    int32_t elements = cuc__algorithm_fit(SHORT_BYTES, sums, LEAST);
    if (elements > SHORT_ELEMENTS)
        elements = SHORT_ELEMENTS;
    return elements < tile->elements ? elements : tile->elements;
}

static bool is_short(const cuc_algorithm *plan, int64_t count)
{
    return !(plan->tile.omitted >> SHORT & 1) &&
           cuc__ceil_div(count, short_of(&plan->kind, &plan->tile)) <= MOST_SHORT;
}

// Writes the sums of a tile, m0 and so on: of the operators that may be reordered before the scan,
// which takes longer.
static void put_sums(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    uint32_t values = p->kind.values;

    if (p->named)
        cuc__text_put(t, "    m0 = reshape(reduce(%s, [v0], 0, [%s]), [])\n", p->fn_name,
                      p->identity[0]);
    for (uint32_t i = 0; i < values && !p->named; i++)
        cuc__text_put(t, "    m%u = reshape(extract(s%u, [BN - 1], [1]), [])\n", i, i);
}

static void put_scan(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "    ");
    cuc__algorithm_put_each(t, p->kind.values, "s%u");
    cuc__text_put(t, " = scan(%s, [", p->fn_name);
    cuc__algorithm_put_each(t, p->kind.values, "v%u");
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_identities(t, p);
    cuc__text_put(t, ")\n");
}

static void put_stores(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->values && k->exclusive; i++)
        cuc__text_put(t, "    s%u = shift(s%u, 1, 0, pad=%s)\n", i, i, p->identity[i]);
    cuc__text_put(t, "    ");
    cuc__algorithm_put_combined(t, k->values, "r%u", p->fn_name, "b%u", "s%u");
    cuc__algorithm_put_stores(t, p);
}

// Writes a kernel for short tiles, up to the values of tile `t`.
static void put_short(struct cuc__text *t, const struct cuc__algorithm_problem *p, int kernel)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nkernel %s(", p->family->kernels[kernel]);
    cuc__algorithm_put_inputs(t, p);
    if (kernel == SHORT)
        cuc__algorithm_put_outputs(t, p, "N");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "part_%u: %s[P]%s", i, cuc_dtype_name(k->accumulators[i]),
                      i + 1 < k->values ? ", " : "");
    cuc__text_put(t, ")\n    const BN = %d, SUMS = %d\n", short_of(k, &p->tile), SUMS_AT_ONCE);
    cuc__algorithm_put_apart(t, k, "part_%u", k->values, kernel == SHORT);
    cuc__text_put(t, "    grid P\n{\n    t = block(0)\n");
    cuc__algorithm_put_count(t, p);
    if (kernel == SUMS)
        cuc__text_put(t, "    grid_dependency_launch()\n");
    cuc__algorithm_put_values(t, p, "    ", "");
}

static void put_short_sums(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    put_short(t, p, SUMS);
    if (!p->named)
        put_scan(t, p);
    put_sums(t, p);
    for (uint32_t i = 0; i < p->kind.values; i++)
        cuc__text_put(t, "    store(part_%u, [t], m%u, shape=[_])\n", i, i);
    cuc__text_put(t, "}\n");
}

// Writes the combination of the sums of all tiles before tile `t`, b0 and so on.
static void put_sums_before(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "    b%u = cast(%s, %s)\n", i, p->identity[i],
                      cuc_dtype_name(k->accumulators[i]));
    cuc__text_put(t, "    turn = cast(0, i64)\n"
                     "    while turn * SUMS < t {\n"
                     "        before = iota(i32, SUMS) < cast(t - turn * SUMS, i32)\n");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "        p%u = where(before, load(part_%u, [turn], [SUMS]), %s)\n", i, i,
                      p->identity[i]);
    cuc__text_put(t, "        ");
    cuc__algorithm_put_each(t, k->values, "p%u");
    cuc__text_put(t, " = %s(%s, [", p->named ? "reduce" : "scan", p->fn_name);
    cuc__algorithm_put_each(t, k->values, "p%u");
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_identities(t, p);
    cuc__text_put(t, ")\n");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t,
                      p->named ? "        p%u = reshape(p%u, [])\n"
                               : "        p%u = reshape(extract(p%u, [SUMS - 1], [1]), [])\n",
                      i, i);
    cuc__text_put(t, "        ");
    cuc__algorithm_put_combined(t, k->values, "b%u", p->fn_name, "b%u", "p%u");
    cuc__text_put(t, "        turn += 1\n"
                     "    }\n");
}

// The inputs were complete when the kernel of the sums let this one begin, so they are read before
// the wait.
static void put_short_tiles(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    put_short(t, p, SHORT);
    cuc__text_put(t, "    grid_dependency_wait()\n"
                     "    grid_dependency_launch()\n");
    put_scan(t, p);
    put_sums_before(t, p);
    put_stores(t, p);
    cuc__text_put(t, "}\n");
}

static void put_all(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    struct cuc__algorithm_sums s = sums_of(k);

    s.combine = p->fn_name;
    for (uint32_t i = 0; i < k->values; i++)
        s.identity[i] = p->identity[i];
    cuc__algorithm_put_look_back_functions(t, &s);
    cuc__text_put(t, "\nkernel scan_all(");
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs(t, p, "N");
    cuc__algorithm_put_look_back_head(t, p, &s);
    cuc__text_put(t, "    grid cdiv(N, BN)\n{\n    t = block(0)\n");
    cuc__algorithm_put_count(t, p);
    if (k->device_count)
        cuc__text_put(t, "    if t * BN >= n { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    if (p->named) {
        put_sums(t, p);
        cuc__algorithm_put_publish(t, &s);
        put_scan(t, p);
    } else {
        put_scan(t, p);
        put_sums(t, p);
        cuc__algorithm_put_publish(t, &s);
    }
    cuc__algorithm_put_look_back(t, &s);
    put_stores(t, p);
    cuc__text_put(t, "}\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    put_all(t, p);
    if (p->tile.omitted >> SHORT & 1)
        return;
    put_short_sums(t, p);
    put_short_tiles(t, p);
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_kind *k = &plan->kind;
    const struct cuc__algorithm_sums s = sums_of(k);
    uint64_t bytes = 0;

    if (!count)
        return 0;
    if (!is_short(plan, count))
        return cuc__algorithm_look_back_bytes(&s, cuc__ceil_div(count, plan->tile.elements));
    for (uint32_t i = 0; i < k->values; i++)
        bytes += cuc__algorithm_bytes(k->accumulators[i],
                                      cuc__ceil_div(count, short_of(k, &plan->tile)));
    return bytes;
}

static cuc_status run_short(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    int64_t tiles = cuc__ceil_div(c->count, short_of(k, &c->plan->tile));
    cuc_arg sums[CUC__ALGORITHM_ARGUMENTS], args[CUC__ALGORITHM_ARGUMENTS];
    cuc_tensor parts[CUC__ALGORITHM_MAX];
    size_t sum_count = cuc__algorithm_add_inputs(sums, 0, c);
    size_t count = cuc__algorithm_add_outputs(args, cuc__algorithm_add_inputs(args, 0, c), c);
    cuc_device_ptr at = c->workspace;
    cuc_status st;

    for (uint32_t i = 0; i < k->values; i++) {
        at = cuc__algorithm_scratch(&parts[i], c, at, k->accumulators[i], tiles);
        sums[sum_count++] = args[count++] = CUC_ARG(&parts[i]);
    }
    // The only tile has none before it. Nothing but the kernel of the sums makes the inputs
    // complete when the other one begins early.
    if (tiles == 1)
        return cuc__launch_plan_kernel(c->stream, c->plan->kernels[SHORT], args, count, true);
    if ((st = cuc__algorithm_launch(c, SUMS, sums, sum_count)) < 0)
        return st;
    return cuc__algorithm_launch(c, SHORT, args, count);
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_sums s = sums_of(&c->plan->kind);

    if (!c->count)
        return CUC_OK;
    if (is_short(c->plan, c->count))
        return run_short(c);
    return cuc__algorithm_run_look_back(c, &s, cuc__ceil_div(c->count, c->plan->tile.elements));
}

const struct cuc__algorithm_family cuc__algorithm_scan = {
    .kernels = { "scan_all", "scan_sums", "scan_short" },
    .has_identity = true,
    .outputs_of_value = 1,
    .by_element = true,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
