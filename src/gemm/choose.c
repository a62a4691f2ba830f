// Chooses the tile with the lowest estimated time for a matrix product, by the cost model
// (tile/compile/cost.h).
#include "base/array.h"
#include "gemm.h"
#include "tile/layout/wgmma.h"
#include "tile/signature/entry.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    MOST_SPLIT = 8,
    MOST_PARTS = 64,
    LEAST_ITERATIONS = 2,
    LINE_BYTES = 128,
    LARGE = 8192,
    SMALL_TILE = 64 * 64,
    LOOSE_TILE = 128 * 128,
    LEAST_SIDE = 64,
    PING_PONG_WARPS = 4,
    MOST_STREAMED = 2, // waves; more only if the caller asks for them
    STEP = 8,          // by which the extents of tiles differ
    WIDEST = 256,
};

// Candidate tiles. Of tiles with equal estimates the first wins, because it reads the least. The
// rasters are the fastest ones on an H200; 0 leaves the choice to the compiler.
// clang-format off
static const struct {
    int32_t rows, columns, raster;
} tiles[TILE_MMA_PATHS][38] = {
    [TILE_MMA_PATH_PIPELINE] = {
        { 256, 192, 4 },  { 256, 176, 4 }, { 256, 160, 4 },  { 256, 144, 4 },
        { 128, 256, 16 }, { 256, 128, 4 }, { 128, 240, 16 }, { 128, 224, 16 }, { 128, 208, 16 },
        { 128, 192, 0 },  { 128, 176, 0 }, { 128, 160, 0 },  { 128, 144, 0 },  { 128, 128, 0 },
        { 256, 112, 0 },  { 256, 96, 0 },  { 256, 80, 0 },   { 256, 64, 0 },   { 64, 256, 0 },
        { 64, 224, 0 },   { 64, 192, 0 },   { 64, 160, 0 },   { 128, 112, 0 },  { 128, 96, 0 },
        { 128, 80, 0 },   { 128, 64, 0 },   { 64, 128, 0 },   { 64, 112, 0 },   { 64, 96, 0 },
        { 64, 80, 0 },    { 64, 64, 0 },
        { 32, 128, 0 },   { 16, 128, 0 },  { 16, 64, 0 },   { 128, 32, 0 },
        { 64, 32, 0 },    { 128, 16, 0 },  { 64, 16, 0 },
    },
    [TILE_MMA_PATH_SYNC] = {
        { 128, 256, 0 }, { 256, 128, 0 }, { 128, 128, 0 }, { 128, 64, 0 }, { 64, 128, 0 },
        { 64, 64, 0 },   { 32, 128, 0 },  { 64, 32, 0 },   { 32, 64, 0 },  { 32, 32, 0 },
        { 16, 64, 0 },   { 64, 16, 0 },   { 16, 32, 0 },
    },
    [TILE_MMA_PATH_FMA] = {
        { 64, 64, 0 }, { 32, 64, 0 }, { 64, 32, 0 }, { 32, 32, 0 }, { 16, 32, 0 }, { 16, 16, 0 },
    },
};
// clang-format on

static bool takes_tensor_cores(const struct cuc__gemm_kind *k)
{
    return k->dtype != CUC_F32 || k->precision != CUC_GEMM_IEEE;
}

enum tile_mma_path cuc__gemm_path(const struct cuc__gemm_kind *k,
                                  const struct tile_machine *machine)
{
    bool either_major = k->dtype == CUC_F16 ||
                        k->dtype == CUC_BF16; // row-major or column-major operands

    if (!takes_tensor_cores(k))
        return TILE_MMA_PATH_FMA;
    if (cuc__gemm_scales_blocks(k) && k->form == CUC_GEMM_GROUPED)
        return TILE_MMA_PATH_SYNC; // a pipeline of groups has no work between its products
    if (!machine->flop[TILE_MMA_PATH_PIPELINE] || k->precision == CUC_GEMM_TF32X3 ||
        k->dtype == CUC_F64 || (!either_major && (k->transposed_a || !k->transposed_b)))
        return TILE_MMA_PATH_SYNC;
    return TILE_MMA_PATH_PIPELINE;
}

// Multiplies two counts and saturates at INT64_MAX.
static int64_t times(int64_t x, int64_t y)
{
    int64_t product;

    return __builtin_mul_overflow(x, y, &product) ? INT64_MAX : product;
}

// Returns true if partial sums must be promoted, that is, added up in other registers, because
// tensor cores accumulate 8-bit floats with few bits.
static bool promotes(const struct cuc__gemm_kind *k)
{
    return cuc__gemm_scales_blocks(k) ||
           ((k->dtype == CUC_E4M3 || k->dtype == CUC_E5M2) && !k->fast_acc);
}

// Returns CUC_GEMM_PACK_ bits for the operands of a pipeline that are not aligned for TMA. Unless
// they are packed, threads copy the operands.
static int32_t unaligned_operands(const struct cuc__gemm_kind *k, const struct cuc__gemm_shape *s,
                                  enum tile_mma_path path)
{
    enum { ALIGNED = 16 };
    int64_t bytes = cuc_dtype_bits(k->dtype) / 8;
    int32_t unaligned = 0;

    if (path != TILE_MMA_PATH_PIPELINE)
        return 0;
    if (s->alignment % ALIGNED)
        return CUC_GEMM_PACK_A | CUC_GEMM_PACK_B;
    if ((k->transposed_a ? s->rows : s->depth) * bytes % ALIGNED)
        unaligned |= CUC_GEMM_PACK_A;
    if ((k->transposed_b ? s->depth : s->columns) * bytes % ALIGNED)
        unaligned |= CUC_GEMM_PACK_B;
    return unaligned;
}

// Adds an operand to the description of a tile's work. If `across` is set, the operand's lines run
// along an axis of the result instead of along the depth. Packed lines are aligned.
static void put_operand(struct tile_work *w, bool of_columns, bool across, bool packed,
                        int64_t tile, int64_t extent, int64_t tile_depth, int64_t depth,
                        int64_t bytes)
{
    int64_t pitch = packed ? 0 : (across ? extent : depth) * bytes;

    if (packed)
        w->packed_bytes += 2.0 * (double)extent * (double)depth * (double)bytes;
    if (across)
        tile_work_put_lines(w, of_columns, tile_depth, tile * bytes, pitch | (tile * bytes));
    else
        tile_work_put_lines(w, of_columns, tile, tile_depth * bytes, pitch);
}

// Rounds a number of tiles up to a multiple of the cluster.
static int64_t filled(int64_t count, int32_t cluster)
{
    return cluster > 1 ? times(cuc__ceil_div(count, cluster), cluster) : count;
}

// Returns true if the epilogue only scales, adds a bias and applies an activation.
static bool has_light_epilogue(const struct cuc__gemm_kind *k)
{
    return !cuc__gemm_loads_more(k) && !k->aux && !k->gradient && !k->amax && !k->scaled_rows &&
           !k->scaled_columns;
}

// Returns the registers per thread that a pipeline leaves for accumulators; 0: as many as any
// epilogue allows. More than 128 suit light epilogues. Transposing so many on their way to memory
// is possible in single products. Threads that realign operands need registers too.
static uint32_t most_accumulators(const struct cuc__gemm_kind *k, const struct cuc__gemm_tile *t,
                                  bool realigned)
{
    enum { WITH_BIAS = 160, ALONE = 192 };
    bool turns = cuc__gemm_is_exchanged(t);
    bool three = !turns && !tile_has_wgmma_rows(t->rows);

    three |= turns && !tile_has_wgmma_rows(t->columns);
    if (realigned || promotes(k) || !has_light_epilogue(k) || (three && (k->bias || t->stream_k)) ||
        (turns &&
         (cuc_dtype_bits(k->d) != 16 || k->form != CUC_GEMM_SINGLE || t->parts > 1 || t->stream_k)))
        return 0;
    return k->bias ? WITH_BIAS : ALONE;
}

void cuc__gemm_work(struct tile_work *out, const struct cuc__gemm_kind *kind,
                    const struct cuc__gemm_shape *s, const struct cuc__gemm_tile *t)
{
    const struct cuc__gemm_kind computed = cuc__gemm_packed_kind(kind, t), *k = &computed;
    const int32_t unaligned = unaligned_operands(k, s, t->path);
    // Clocks of a multiprocessor per element of an activation. In a clock it computes 16
    // exponentials or reciprocals, or 128 other instructions, of which an erf takes about thirty.
    static const double behind[] = {
        [CUC_GEMM_GELU] = 0.24,
        [CUC_GEMM_GELU_TANH] = 0.13,
        [CUC_GEMM_SILU] = 0.13,
        [CUC_GEMM_GELU_DERIVATIVE] = 0.37,
        [CUC_GEMM_GELU_TANH_DERIVATIVE] = 0.16,
        [CUC_GEMM_SILU_DERIVATIVE] = 0.16,
    };
    double rows = (double)s->rows, columns = (double)s->columns, depth = (double)s->depth;
    double results = rows * columns;
    int64_t bytes = cuc_dtype_bits(k->dtype) / 8;
    double stored = cuc_dtype_bits(k->d) / 8;

    if (k->c)
        stored += cuc_dtype_bits(k->c) / 8;
    if (k->residual)
        stored += cuc_dtype_bits(k->residual) / 8;
    if (k->aux)
        stored += cuc_dtype_bits(k->aux) / 8;
    bool grouped = k->form == CUC_GEMM_GROUPED; // then s->rows counts the rows of all groups
    int64_t each = grouped ? cuc__ceil_div(s->rows, s->batch) : s->rows;
    int64_t down = times(cuc__ceil_div(each, t->rows), grouped ? s->batch : 1);
    int64_t up = filled(down, cuc__gemm_neighbors(t, false));
    int64_t across = cuc__ceil_div(s->columns, t->columns);
    int64_t along = filled(across, cuc__gemm_neighbors(t, true));
    int64_t grid = times(times(up, along), grouped ? 1 : s->batch);
    *out = (struct tile_work){
        .operand = k->dtype,
        .path = t->path,
        .rows = (uint32_t)t->rows,
        .columns = (uint32_t)t->columns,
        .depth = (uint32_t)t->depth,
        .blocks = times(grid, t->split * t->parts),
        .iterations = cuc__ceil_div(cuc__ceil_div(s->depth, t->depth), t->split * t->parts),
        .cluster = (uint32_t)cuc__gemm_cluster(t),
        .shares_rows = t->cluster_n > 1,
        .split = (uint32_t)t->split,
        .parts = (uint32_t)t->parts,
        .warps = (uint32_t)t->warps,
        .streamed = (uint32_t)t->stream_k,
        .accumulators = most_accumulators(k, t, unaligned & ~t->pack),
        .stored_bytes = cuc_dtype_bits(k->d) / 8,
        .behind = behind[k->activation],
        .unique_bytes = (double)s->batch * columns * depth * (double)bytes +
                        (grouped ? 1 : (double)s->batch) *
                            (rows * depth * (double)bytes + results * stored),
        .thrice = k->dtype == CUC_F32 && k->precision == CUC_GEMM_TF32X3,
        .realigned = unaligned & ~t->pack,
        .promotes = promotes(k),
    };
    tile_work_put_end(out, each, t->rows);
    tile_work_put_end(out, s->columns, t->columns);
    out->filling = (double)(up - down) / (double)up * t->rows +
                   (double)(along - across) / (double)along * t->columns;
    int32_t packed = unaligned & t->pack;
    packed |= t->pack & CUC_GEMM_PACK_TRANSPOSED_A ? CUC_GEMM_PACK_A : 0;
    packed |= t->pack & CUC_GEMM_PACK_TRANSPOSED_B ? CUC_GEMM_PACK_B : 0;
    put_operand(out, false, k->transposed_a, packed & CUC_GEMM_PACK_A, t->rows, s->rows, t->depth,
                s->depth, bytes);
    put_operand(out, true, !k->transposed_b, packed & CUC_GEMM_PACK_B, t->columns, s->columns,
                t->depth, s->depth, bytes);
}

// Returns the depth that makes lines of 128 bytes. Tiles that use scalar multiply-adds get a
// smaller depth, because their operands are in registers.
static int32_t depth_of(const struct cuc__gemm_kind *k, enum tile_mma_path path)
{
    int32_t bytes = (int32_t)cuc_dtype_bits(k->dtype) / 8;

    return path == TILE_MMA_PATH_FMA ? 16 : LINE_BYTES / bytes;
}

bool cuc__gemm_workspace_fits(const struct cuc__gemm_kind *k, const struct cuc__gemm_shape *s,
                              const struct cuc__gemm_tile *t)
{
    struct cuc__gemm_workspace layout;

    if (!cuc__gemm_lay_out_workspace(&layout, k, t, s->rows, s->columns, s->depth))
        return false;
    if (k->form != CUC_GEMM_SINGLE && t->pack & (CUC_GEMM_PACK_A | CUC_GEMM_PACK_B))
        return false;
    return !layout.bytes || (k->form == CUC_GEMM_SINGLE && layout.bytes <= s->workspace_bytes);
}

struct search {
    const struct cuc__gemm_kind *kind;
    const struct cuc__gemm_shape *shape;
    const struct tile_machine *machine;
    const struct cuc__gemm_tile *wanted;
    struct cuc__gemm_tile best;
    double seconds;                   // estimated time of the best tile; 0 if none was found
    uint64_t seen[WIDEST / STEP + 1]; // tiles besides those of the list, a bit for each number of
                                      // columns
    void (*visit)(void *user, const struct cuc__gemm_tile *tile, double seconds); // NULL: none
    void *user;
};

// Returns the usual raster. If all tiles run at the same time, the tiles that share the larger
// operand should be neighbors: adjacent multiprocessors then request that operand together, and
// memory delivers it once. For a grouped product, the raster is the height of a band of tiles; most
// groups have no more rows than that.
static int32_t usual_raster(const struct search *s, const struct tile_work *work)
{
    enum { MUCH_MORE = 4, OF_GROUPS = 16 };
    const struct cuc__gemm_shape *shape = s->shape;

    if (work->path != TILE_MMA_PATH_PIPELINE)
        return 0;
    if (s->kind->form == CUC_GEMM_GROUPED)
        return OF_GROUPS;
    return work->blocks <= s->machine->multiprocessors && shape->batch == 1 &&
                   shape->rows >= MUCH_MORE * shape->columns
               ? 1
               : 0;
}

// Returns true if the epilogue computes other outputs than d from the accumulators.
static bool has_more_outputs(const struct cuc__gemm_kind *k)
{
    return (k->aux && !cuc__gemm_reads_aux(k)) || (k->gradient && !cuc__gemm_sums_operand(k)) ||
           k->amax;
}

// Returns true if the epilogue needs more registers than the accumulators of the largest tiles
// leave: for sums, or for a bias that each of two outputs adds.
static bool needs_registers(const struct cuc__gemm_kind *k, const struct cuc__gemm_tile *t)
{
    enum { LARGEST = 128 * 256 };
    bool sums = k->gradient && !cuc__gemm_sums_operand(k);

    return t->path == TILE_MMA_PATH_PIPELINE && t->rows * t->columns >= LARGEST &&
           (sums || (k->aux && !cuc__gemm_reads_aux(k) && k->bias));
}

// Returns true if a tile can have scales by block: its lines along an axis share one scale or have
// a scale each. Unless the caller asked for the tile, a product and the sum of products must fit
// into the registers of a block.
static bool takes_block_scales(const struct cuc__gemm_kind *k, const struct cuc__gemm_tile *t,
                               bool asked_for)
{
    enum { MOST_SIDE = 128 };
    bool pipeline = t->path == TILE_MMA_PATH_PIPELINE;
    bool fits = t->rows <= MOST_SIDE && t->columns <= MOST_SIDE &&
                (!pipeline || t->rows % LEAST_SIDE == 0);

    return t->depth == CUC__GEMM_SCALED_DEPTH && t->split <= 1 && cuc__gemm_cluster(t) <= 1 &&
           !t->stream_k && t->warps != PING_PONG_WARPS && (fits || asked_for) &&
           (k->a_scale_rows <= 1 || k->a_scale_rows % t->rows == 0) &&
           (k->b_scale_columns <= 1 || k->b_scale_columns % t->columns == 0);
}

// Returns true if the tile suits the kind of product. A tile that the caller asked for needs only
// to be possible.
static bool suits_kind(const struct cuc__gemm_kind *k, const struct cuc__gemm_tile *t,
                       bool asked_for)
{
    return (asked_for || !needs_registers(k, t)) &&
           (!cuc__gemm_scales_blocks(k) || takes_block_scales(k, t, asked_for));
}

static void consider(struct search *s, const struct cuc__gemm_tile *tile, bool asked_for)
{
    struct cuc__gemm_tile own = *tile, *t = &own;
    struct tile_work work;

    if (!suits_kind(s->kind, t, asked_for))
        return;
    cuc__gemm_work(&work, s->kind, s->shape, t);
    if (!t->raster || s->kind->form == CUC_GEMM_GROUPED)
        t->raster = s->wanted->raster ? s->wanted->raster : usual_raster(s, &work);
    if (!asked_for && !tile_work_fits(s->machine, &work))
        return;
    double seconds = tile_work_seconds(s->machine, &work);
    if (s->visit)
        s->visit(s->user, t, seconds);
    if (s->seconds > 0 && seconds >= s->seconds)
        return;
    s->seconds = seconds;
    s->best = *t;
}

// Returns true if the shared operands have at least eight lines for each of the blocks that share
// them.
static bool can_share_loads(const struct cuc__gemm_kind *kind, const struct cuc__gemm_tile *t)
{
    const struct cuc__gemm_kind packed = cuc__gemm_packed_kind(kind, t), *k = &packed;
    int32_t of_a = k->transposed_a ? t->depth : t->rows;
    int32_t of_b = k->transposed_b ? t->columns : t->depth;
    int32_t down = cuc__gemm_neighbors(t, false), along = cuc__gemm_neighbors(t, true);

    return k->form != CUC_GEMM_GROUPED && (along == 1 || of_a >= STEP * along) &&
           (down == 1 || of_b >= STEP * down);
}

// Considers the tile itself, and versions of it in which the blocks of a cluster share loads. If
// there are enough tiles for the raster to matter, also considers other rasters. The model rates
// rasters as equal, so only measurement can distinguish them.
static void consider_variants(struct search *s, const struct cuc__gemm_tile *t,
                              const struct cuc__gemm_tile *wanted)
{
    static const int32_t rasters[] = { 4, 8, 16 };
    static const struct {
        int32_t down, across;
    } clusters[] = { { 2, 0 }, { 1, 2 }, { 4, 0 }, { 1, 4 }, { 8, 0 }, { 1, 8 } };
    const double behind = 1.02; // the estimate for another raster, relative to that of the tile
    struct cuc__gemm_tile other = *t;
    struct tile_work work;

    consider(s, t, wanted->rows);
    if (t->path != TILE_MMA_PATH_PIPELINE || t->split > 1 || !suits_kind(s->kind, t, wanted->rows))
        return;
    for (size_t i = 0; i < CUC_LENGTH(clusters) && !wanted->cluster && !wanted->cluster_n; i++) {
        other.cluster = clusters[i].down;
        other.cluster_n = clusters[i].across;
        if ((uint32_t)cuc__gemm_cluster(&other) <= s->machine->multiprocessors &&
            can_share_loads(s->kind, &other))
            consider(s, &other, wanted->rows);
    }
    cuc__gemm_work(&work, s->kind, s->shape, t);
    if (!s->visit || t->parts > 1 || work.blocks < s->machine->multiprocessors ||
        !tile_work_fits(s->machine, &work))
        return;
    double seconds = behind * tile_work_seconds(s->machine, &work);
    other.cluster = t->cluster;
    other.cluster_n = t->cluster_n;
    for (size_t i = 0; i < CUC_LENGTH(rasters) && !wanted->raster; i++) {
        other.raster = rasters[i];
        if (other.raster != t->raster)
            s->visit(s->user, &other, seconds);
    }
}

// Returns true if stream-K is possible. With stream-K, TMA cannot load c and the residual, which
// have the result's shape.
static bool can_use_stream_k(const struct cuc__gemm_kind *k, const struct cuc__gemm_tile *t)
{
    return t->path == TILE_MMA_PATH_PIPELINE && k->form == CUC_GEMM_SINGLE &&
           !cuc__gemm_loads_more(k) && t->split <= 1 && t->parts <= 1 &&
           cuc__gemm_cluster(t) <= 1 && t->warps != PING_PONG_WARPS;
}

// Considers stream-K, which distributes the tiles of the last waves evenly if they would not fill
// these waves.
static void consider_stream_k(struct search *s, struct cuc__gemm_tile t,
                              const struct cuc__gemm_tile *wanted)
{
    int32_t last = wanted->stream_k ? wanted->stream_k : MOST_STREAMED;
    struct tile_work work;

    t.split = t.parts = t.cluster = 1;
    t.cluster_n = 0;
    t.programs = (int32_t)s->machine->multiprocessors;
    cuc__gemm_work(&work, s->kind, s->shape, &t);
    if (!wanted->stream_k && (!can_use_stream_k(s->kind, &t) || work.blocks % t.programs == 0 ||
                              work.iterations < LEAST_ITERATIONS))
        return;
    for (t.stream_k = wanted->stream_k ? wanted->stream_k : 1; t.stream_k <= last; t.stream_k++)
        if (wanted->stream_k || cuc__gemm_workspace_fits(s->kind, s->shape, &t))
            consider(s, &t, wanted->rows);
}

// Returns true if threads would store the partial sums, which is so for larger tiles with exchanged
// operands.
static bool stores_slowly(const struct cuc__gemm_tile *t)
{
    return cuc__gemm_is_exchanged(t) && t->rows > LEAST_SIDE;
}

// Returns the next number of parts to consider: a power of two, or the largest number that gives no
// multiprocessor two blocks. Splits stay powers of two: clusters of 3, 5, 6 or 7 blocks leave so
// many multiprocessors idle that they never pay off.
static int32_t next_count(int32_t count, int32_t fill)
{
    int32_t next = 1;

    while (next <= count)
        next *= 2;
    return fill > count && fill < next ? fill : next;
}

// Considers splitting the reduction over the blocks of a cluster or over the grid, as long as each
// part keeps several iterations.
static void consider_splits(struct search *s, struct cuc__gemm_tile t,
                            const struct cuc__gemm_tile *wanted)
{
    int64_t iterations = cuc__ceil_div(s->shape->depth, t.depth);
    bool one = t.path != TILE_MMA_PATH_PIPELINE || s->kind->form == CUC_GEMM_GROUPED;
    int32_t most = one ? 1 : MOST_SPLIT;
    struct tile_work whole;

    if (wanted->stream_k) {
        consider_stream_k(s, t, wanted);
        return;
    }
    t.split = t.parts = 1;
    cuc__gemm_work(&whole, s->kind, s->shape, &t);
    int32_t fill = whole.blocks < s->machine->multiprocessors
                       ? (int32_t)(s->machine->multiprocessors / whole.blocks)
                       : 1;
    for (t.split = 1; t.split <= MOST_SPLIT; t.split *= 2)
        for (t.parts = 1; t.parts <= MOST_PARTS; t.parts = next_count(t.parts, fill)) {
            struct cuc__gemm_tile tile = t;
            bool few = t.split * t.parts > 1 && iterations < LEAST_ITERATIONS * t.split * t.parts;
            if (wanted->split)
                tile.split = wanted->split;
            else if (t.split > most || (uint32_t)t.split > s->machine->multiprocessors || few ||
                     (t.split > 1 && wanted->cluster > 1)) // its blocks form a cluster of their own
                continue;
            if (wanted->parts)
                tile.parts = wanted->parts;
            else if ((t.split > 1 && t.parts > 1) || few || (t.parts > 1 && stores_slowly(&t)) ||
                     (t.parts > 1 && !cuc__gemm_workspace_fits(s->kind, s->shape, &t)))
                continue;
            consider_variants(s, &tile, wanted);
        }
    if (!wanted->split && !wanted->parts && !wanted->warps && cuc__gemm_cluster(wanted) <= 1)
        consider_stream_k(s, t, wanted);
}

// Returns true if a pipeline of half the usual depth may pay off: it reads 16-bit operands of which
// at least one has lines along an axis of the result, so that half the depth does not shorten them.
static bool may_halve(const struct cuc__gemm_kind *kind, const struct cuc__gemm_tile *t)
{
    const struct cuc__gemm_kind k = cuc__gemm_packed_kind(kind, t);

    return t->path == TILE_MMA_PATH_PIPELINE && cuc_dtype_bits(k.dtype) == 16 &&
           !cuc__gemm_scales_blocks(&k) && (k.transposed_a || !k.transposed_b);
}

// Considers other depths. In a small pipelined tile, doubling the depth halves the loop overhead
// per byte with the same number of bytes in flight. In a large one, halving the depth makes the
// ring finer, so that its first stage arrives sooner. In a synchronous tile, halving the depth
// makes room for more stages.
static void consider_depths(struct search *s, struct cuc__gemm_tile t,
                            const struct cuc__gemm_tile *wanted)
{
    if (wanted->depth) {
        consider_splits(s, t, wanted);
        return;
    }
    t.depth = depth_of(s->kind, t.path);
    consider_splits(s, t, wanted);
    if (t.path == TILE_MMA_PATH_PIPELINE && !wanted->rows && t.rows * t.columns <= SMALL_TILE) {
        t.depth *= 2;
        consider_splits(s, t, wanted);
    }
    bool halves = !wanted->rows && t.rows * t.columns > SMALL_TILE && may_halve(s->kind, &t);
    if ((t.path == TILE_MMA_PATH_SYNC && !wanted->rows) || halves) {
        t.depth /= 2;
        consider_splits(s, t, wanted);
    }
}

// Returns true if the tile's rows are longer than a 128-byte line but not whole lines, and the
// product has c or a residual, which TMA loads only in whole lines.
static bool is_in_pieces(const struct cuc__gemm_tile *t, const struct cuc__gemm_kind *k)
{
    uint32_t bits = (uint32_t)t->columns * cuc_dtype_bits(k->d);

    return t->path == TILE_MMA_PATH_PIPELINE && cuc__gemm_loads_more(k) && bits > 8 * LINE_BYTES &&
           bits % (8 * LINE_BYTES);
}

// Considers ping-pong, in which warpgroups alternate between tiles. The epilogue of one tile runs
// during the matrix multiplication of the other, and so costs nothing. Promoted partial sums and
// further outputs leave too few registers for it, and TMA cannot load aux.
static void consider_ping_pong(struct search *s, struct cuc__gemm_tile t,
                               const struct cuc__gemm_tile *wanted)
{
    static const int32_t columns[] = { 192, 160, 128 };
    bool ragged = s->kind->form == CUC_GEMM_GROUPED; // ping-pong does not always pay off for groups

    if (t.path != TILE_MMA_PATH_PIPELINE || (ragged && !s->visit) || promotes(s->kind) ||
        has_more_outputs(s->kind) || cuc__gemm_reads_aux(s->kind) || wanted->rows ||
        wanted->split > 1 || wanted->parts > 1 || cuc__gemm_cluster(wanted) > 1 || wanted->warps ||
        wanted->stream_k)
        return;
    t.warps = PING_PONG_WARPS;
    t.split = t.parts = t.cluster = 1;
    t.rows = 128;
    t.depth = wanted->depth ? wanted->depth : depth_of(s->kind, t.path);
    for (size_t i = 0; i < CUC_LENGTH(columns); i++) {
        t.columns = columns[i];
        consider(s, &t, false);
    }
}

// Returns true for a pipeline's tile with a side below 64, unless the product itself is that small.
// Lines of 32 and 64 bytes load slowly.
static bool is_too_small(const struct cuc__gemm_tile *t, const struct cuc__gemm_shape *s)
{
    return t->path == TILE_MMA_PATH_PIPELINE &&
           ((t->rows < LEAST_SIDE && t->rows < s->rows) ||
            (t->columns < LEAST_SIDE && t->columns < s->columns));
}

// Returns true if the operands must pass through registers, because they cannot be copied to shared
// memory in their own order, and the tile is too large for that.
static bool is_too_large(const struct cuc__gemm_tile *t, const struct cuc__gemm_kind *k)
{
    bool loose = cuc_dtype_bits(k->dtype) == 8 && (k->transposed_a || !k->transposed_b);

    return t->path == TILE_MMA_PATH_SYNC && loose && t->rows * t->columns > LOOSE_TILE;
}

// Returns true the first time that it is called for a tile, and false for listed tiles.
static bool is_new(struct search *s, const struct cuc__gemm_tile *t)
{
    uint64_t bit = UINT64_C(1) << t->columns / STEP, *seen = &s->seen[t->rows / STEP];

    for (size_t i = 0; i < CUC_LENGTH(tiles[0]); i++)
        if (tiles[t->path][i].rows == t->rows && tiles[t->path][i].columns == t->columns)
            return false;
    if (*seen & bit)
        return false;
    *seen |= bit;
    return true;
}

// Considers a tile that divides an axis of the result into `count` equal parts, rounded up to a
// multiple of 8, so that little is left over. wgmma takes 64, 128 or 256 rows and any multiple of 8
// columns up to 256. With `across`, the rows are divided, and the operands of wgmma are exchanged.
static void consider_fit(struct search *search, bool across, int64_t count, int32_t other,
                         const struct cuc__gemm_tile *wanted)
{
    int64_t extent = across ? search->shape->rows : search->shape->columns;
    int64_t fit = times(cuc__ceil_div(cuc__ceil_div(extent, count), STEP), STEP);
    struct cuc__gemm_tile t = *wanted;

    if (fit < LEAST_SIDE || fit > WIDEST)
        return;
    t.cluster = t.cluster ? t.cluster : 1;
    t.rows = across ? (int32_t)fit : other;
    t.columns = across ? other : (int32_t)fit;
    if (is_new(search, &t) && !is_too_small(&t, search->shape) && !is_in_pieces(&t, search->kind))
        consider_depths(search, t, wanted);
}

// Considers tiles that divide an axis into a few parts, and tiles of which as many as possible, but
// not more, fit into each of the first waves, or into one wave if their sums have several parts.
// Larger clusters leave some multiprocessors unused, and the number of their tiles along an axis is
// even or a multiple of four.
static void consider_fits(struct search *search, bool across, const struct cuc__gemm_tile *wanted)
{
    enum { MOST_TILES = 8, LARGEST_CLUSTER = 8 };
    static const int32_t others[] = { 128, 64, 256, TILE_ROWS_OF_THREE };
    static const struct {
        int64_t waves, parts;
    } fills[] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 },
                  { 1, 2 }, { 1, 3 }, { 1, 4 }, { 1, 5 }, { 1, 6 }, { 1, 8 } };
    const struct cuc__gemm_shape *s = search->shape;
    uint32_t most = search->machine->multiprocessors;
    const int64_t slots[] = { most, tile_resident_blocks(most, LARGEST_CLUSTER) };

    for (size_t i = 0; i < CUC_LENGTH(others); i++) {
        int64_t extent = across ? s->columns : s->rows;
        int64_t along = times(cuc__ceil_div(extent, others[i]), s->batch);
        for (int64_t count = 1; count <= MOST_TILES; count++)
            consider_fit(search, across, count, others[i], wanted);
        for (size_t n = 0; n < 2 * CUC_LENGTH(fills); n++) {
            int64_t count = slots[n % 2] * fills[n / 2].waves / fills[n / 2].parts / along;
            for (int64_t unit = 1; unit <= 4 && count >= unit; unit *= 2)
                consider_fit(search, across, count - count % unit, others[i], wanted);
        }
    }
}

// True if warpgroups can transpose the result on its way to memory (tile/pass/turned_store.c).
static bool can_turn(const struct cuc__gemm_kind *k)
{
    return cuc_dtype_bits(k->d) == 16 && !cuc__gemm_loads_more(k) && !k->aux &&
           k->form != CUC_GEMM_GROUPED;
}

static void consider_tiles(struct search *search, const struct cuc__gemm_shape *s,
                           const struct cuc__gemm_tile *wanted)
{
    struct cuc__gemm_tile t = *wanted;

    search->wanted = wanted;
    memset(search->seen, 0, sizeof(search->seen));
    if (!t.cluster)
        t.cluster = 1;
    if (wanted->rows)
        consider_depths(search, t, wanted);
    for (size_t i = 0; !wanted->rows && i < CUC_LENGTH(tiles[0]); i++) {
        t.rows = tiles[t.path][i].rows;
        t.columns = tiles[t.path][i].columns;
        t.raster = wanted->raster ? wanted->raster : tiles[t.path][i].raster;
        if (t.rows && !is_too_small(&t, s) && !is_too_large(&t, search->kind) &&
            !is_in_pieces(&t, search->kind))
            consider_depths(search, t, wanted);
    }
    if (!wanted->rows && wanted->path == TILE_MMA_PATH_PIPELINE) {
        consider_fits(search, false, wanted);
        if (can_turn(search->kind))
            consider_fits(search, true, wanted);
    }
    consider_ping_pong(search, *wanted, wanted);
}

// Considers the pipeline's tiles for a product that has no pipeline because of its operands' order,
// if packed operands of the right order fit into the workspace.
static void consider_transposed(struct search *search, const struct cuc__gemm_shape *s,
                                const struct cuc__gemm_tile *wanted)
{
    struct cuc__gemm_tile t = *wanted;

    t.pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B;
    t.pack |= search->kind->transposed_a ? CUC_GEMM_PACK_TRANSPOSED_A : 0;
    t.pack |= search->kind->transposed_b ? 0 : CUC_GEMM_PACK_TRANSPOSED_B;
    const struct cuc__gemm_kind packed = cuc__gemm_packed_kind(search->kind, &t);
    t.path = cuc__gemm_path(&packed, search->machine);
    if (t.path == TILE_MMA_PATH_PIPELINE && cuc__gemm_workspace_fits(search->kind, s, &t))
        consider_tiles(search, s, &t);
}

// Considers all tiles, and all tiles again with packed operands, if some operand is unaligned or
// has the wrong order.
static void consider_all(struct search *search, struct cuc__gemm_shape *s,
                         const struct cuc__gemm_tile *wanted)
{
    struct cuc__gemm_tile packed = *wanted, unpacked = *wanted;

    s->rows = s->rows ? s->rows : LARGE;
    s->columns = s->columns ? s->columns : LARGE;
    s->depth = s->depth ? s->depth : LARGE;
    s->batch = s->batch ? s->batch : 1;
    search->shape = s;
    int32_t unaligned = unaligned_operands(search->kind, s, wanted->path);
    unpacked.pack = unaligned ? CUC_GEMM_PACK_NONE : wanted->pack;
    consider_tiles(search, s, wanted->pack ? wanted : &unpacked);
    if (wanted->path == TILE_MMA_PATH_SYNC && !wanted->rows && !wanted->pack)
        consider_transposed(search, s, wanted);
    if (!unaligned || wanted->pack)
        return;
    // An operand of aligned rows may begin at an unaligned address, so it gets room too.
    packed.pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B;
    if (!cuc__gemm_workspace_fits(search->kind, s, &packed))
        packed.pack = unaligned;
    if (cuc__gemm_workspace_fits(search->kind, s, &packed))
        consider_tiles(search, s, &packed);
}

bool cuc__gemm_choose(struct cuc__gemm_tile *out, double *seconds,
                      const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                      const struct cuc__gemm_tile *wanted, const struct tile_machine *machine)
{
    struct search search = { .kind = kind, .machine = machine };
    struct cuc__gemm_shape s = *shape;

    consider_all(&search, &s, wanted);
    *out = search.best;
    *seconds = search.seconds;
    return search.seconds > 0;
}

void cuc__gemm_add_stream_k(struct cuc__gemm_tile *tile, const struct cuc__gemm_kind *kind,
                            const struct cuc__gemm_shape *shape, const struct tile_machine *machine)
{
    struct cuc__gemm_tile t, wanted = *tile;
    double least, seconds;

    if (tile->stream_k || !can_use_stream_k(kind, tile) ||
        !cuc__gemm_choose(&t, &least, kind, shape, tile, machine))
        return;
    wanted.programs = (int32_t)machine->multiprocessors;
    for (wanted.stream_k = 1; wanted.stream_k <= MOST_STREAMED; wanted.stream_k++)
        if (cuc__gemm_workspace_fits(kind, shape, &wanted) &&
            cuc__gemm_choose(&t, &seconds, kind, shape, &wanted, machine) && seconds < least) {
            least = seconds;
            *tile = wanted;
        }
}

void cuc__gemm_visit(const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                     const struct cuc__gemm_tile *wanted, const struct tile_machine *machine,
                     void (*visit)(void *user, const struct cuc__gemm_tile *tile, double seconds),
                     void *user)
{
    struct search search = { .kind = kind, .machine = machine, .visit = visit, .user = user };
    struct cuc__gemm_shape s = *shape;

    consider_all(&search, &s, wanted);
}
