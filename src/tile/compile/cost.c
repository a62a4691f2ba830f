// Cost model of matrix products. See cost.h.
//
// An iteration of a block takes as long as the slower of two activities: multiplying and fetching
// the next operands. Products share the bandwidth of shared memory with arriving operands. A fetch
// by TMA takes a fixed time per row of 128 bytes, and all blocks share L2.
//
// A ring of few stages may delay its requests: a stage is requested again when it has arrived and
// its products have ended.
//
// A tile takes its iterations plus an epilogue, which stores the accumulators. If warpgroups
// alternate between tiles, the epilogue overlaps the next tile. Tiles run in waves, one tile per
// multiprocessor. Tiles that extend past the result take longer. The model assumes that they delay
// as many waves as they would fill by themselves, plus one. The time to transfer all data from and
// to memory is a lower bound.
#include "cost.h"

#include "tile/layout/wgmma.h"
#include "tile/signature/entry.h"

#include <math.h>
#include <stddef.h>

enum {
    STEP_BYTES = 32,         // bytes along the depth axis that one wgmma takes
    LINE_BYTES = 128,        // bytes of a row that TMA copies as a unit
    SECTOR_BYTES = 32,       // the unit of memory transfers
    MOST_ACCUMULATORS = 128, // registers per thread for accumulators, with any epilogue
    MOST_ALONE = 192,        // the same if each warpgroup has a tile of its own
    MOST_OF_THREE = 96,      // the same of three warpgroups, which suit light epilogues
    RING_BYTES = 1024,       // barriers, which precede the stages
    STAGING_BYTES = 16384,   // a warpgroup's staging buffer for stores
    // If operands are exchanged: bytes of a slab's row per row of accumulators. 128 bytes hold 64.
    SLAB_BYTES_OF_ROW = 2,
    MOST_STAGES = 16,
    GROUP_ROWS = 64,           // M of a wgmma
    COPIED_STAGES = 4,         // maximum number of stages that threads fill
    COPIED_PAD = 16,           // padding bytes per row of these stages
    MOST_OF_BLOCK = 128 * 256, // registers for a block's accumulators
};

// Fitted to 5900 measurements of bf16 on an H200 with cold caches, of programmatic launches in
// graphs: up to 40 tilings for each of 169 products, most with random extents from 64 to 16384, in
// every order; and to 1600 of 50 random products of f16, bf16, tf32, e4m3 and i8, of kernels that
// release stages earlier. The fit prefers constants whose choices are fast to those whose estimates
// are close.
// The units are clocks, bytes per clock of a multiprocessor, and fractions.
static const double launch_seconds = 0.10e-6;  // between consecutive kernels of a graph
static const double next_clocks = 3320;        // to launch a kernel that directly follows
static const double fill_clocks = 2050;        // until a block's first stage arrives
static const double ramp_share = 0.565;        // of an iteration's shorter activity, once per block
static const double cluster_clocks = 1160;     // extra if the blocks of a cluster share loads
static const double eight_clocks = 402;        // extra if a cluster has more than four blocks
static const double iteration_clocks = 0.224;  // fixed overhead of an iteration
static const double shared_load_clocks = 95.2; // extra per iteration if a cluster shares its loads
static const double split_load = 1.32;         // factor on the loads of blocks that share a tile
static const double latency_clocks = 850;      // from the request for a stage to its arrival
static const double tensor_share = 0.92;       // attainable share of the tensor cores' peak
static const double shared_rate = 196;         // of shared memory, for products and arriving stages
static const double copied_rate = 26;          // for copies by threads (cp.async)
static const double realigned_rate = 11.8;     // for copies by threads that realign
static const double realigned_clocks = 230;    // extra per iteration of such copies
static const double outside_clocks = 2.14;     // per row outside of its tensor
static const double filling_clocks = 1.47;  // per row of such a part of tiles that fill up clusters
static const double line_clocks = 0.385;    // per copied row
static const double end_clocks = 1.66;      // fixed cost per tile at its end, besides its stores
static const double store_rate = 23.1;      // for storing accumulators
static const double many_stores = 1.85;     // factor on that time if a thread has more than 128
                                            // accumulators
static const double by_threads = 1.85;      // factor on that time if threads store accumulators
static const double alone_share = 0.5;      // fraction of the store time if two warpgroups
                                            // alternate
static const double turn_clocks = 1500;     // until the other warpgroup's products run
static const double meet_clocks = 2020;     // until all blocks that share a reduction are in step
static const double meet_rate = 109;        // for reading the other blocks' partial sums
static const double handover_clocks = 1040; // for handing over a tile, or taking one over
static const double handover_rate = 34.8;   // for the accumulators of such a tile
static const double stream_k_gain = 1.085;  // streaming must gain at least this factor to be chosen
static const double sum_clocks = 2170;      // to launch the kernel that adds partial sums
static const double parts_share = 0.24;     // fraction of L2's rate while partial sums are added
static const double part_clocks = 24.8;     // for adding one part
static const double pack_share = 0.73;      // fraction of memory's rate while operands are packed

const struct tile_machine *tile_machine_of(int sm)
{
    // On sm_100 and later, only mma.sync uses the tensor cores, as on sm_80.
    static const struct tile_machine machines[] = {
        // sm   SMs   MHz  shared       registers  pipeline mma.sync fma  f64   L2  memory
        { 80, 108, 1410, 163 << 10, 65536, { 0, 2048, 128 }, 64, 5120, 1100 },
        { 86, 84, 1695, 99 << 10, 65536, { 0, 512, 256 }, 4, 3000, 550 },
        { 87, 16, 1300, 163 << 10, 65536, { 0, 1024, 256 }, 4, 600, 150 },
        { 88, 16, 1300, 99 << 10, 65536, { 0, 1024, 256 }, 4, 600, 150 },
        { 89, 142, 2235, 99 << 10, 65536, { 0, 1024, 256 }, 4, 4000, 450 },
        { 90, 132, 1755, 227 << 10, 65536, { 4096, 2500, 256 }, 128, 8770, 2450 },
        { 100, 148, 1850, 227 << 10, 65536, { 0, 2048, 256 }, 128, 8000, 3900 },
        { 103, 148, 1850, 227 << 10, 65536, { 0, 2048, 256 }, 4, 8000, 3900 },
        { 110, 20, 1575, 227 << 10, 65536, { 0, 2048, 256 }, 4, 1000, 170 },
        { 120, 170, 2400, 99 << 10, 65536, { 0, 1024, 256 }, 4, 6000, 740 },
        { 121, 48, 2400, 99 << 10, 65536, { 0, 1024, 256 }, 4, 1500, 110 },
    };

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        if (machines[i].sm == sm)
            return &machines[i];
    return NULL;
}

// True if warpgroups alternate between tiles: one multiplies while the other finishes its tile.
static bool uses_ping_pong(const struct tile_work *w)
{
    return w->path == TILE_MMA_PATH_PIPELINE && w->warps == 4 && !w->realigned;
}

static uint32_t element_bytes(const struct tile_work *w)
{
    return cuc_dtype_bits(w->operand) / 8;
}

static bool is_exchanged(const struct tile_work *w)
{
    return w->path == TILE_MMA_PATH_PIPELINE && tile_exchanges(w->rows, w->columns);
}

// Returns the rows of the product as wgmma computes it. If wgmma does not suit the number of rows,
// the operands are exchanged.
static uint32_t product_rows(const struct tile_work *w)
{
    return is_exchanged(w) ? w->columns : w->rows;
}

// Returns the warpgroups that multiply a tile together.
static uint32_t groups_of(const struct tile_work *w)
{
    uint32_t rows = product_rows(w);

    return uses_ping_pong(w) || rows <= GROUP_ROWS ? 1 : rows == TILE_ROWS_OF_THREE ? 3 : 2;
}

void tile_work_put_end(struct tile_work *w, int64_t extent, int64_t tile)
{
    int64_t tiles = extent / tile + (extent % tile != 0);
    double outside = tiles ? (double)(tile - 1 - (extent - 1) % tile) : 0;

    w->outside = fmax(w->outside, outside);
    w->ends = fmin(w->ends + (outside > 0 ? 1 / (double)tiles : 0), 1);
}

// If the pitch is not a multiple of 128 bytes, a row of 128 bytes spans two 128-byte lines of
// memory. If the pitch is not even a multiple of 32 bytes, it also touches one more sector.
void tile_work_put_lines(struct tile_work *w, bool of_columns, int64_t lines, int64_t bytes,
                         int64_t pitch)
{
    static const struct {
        int64_t multiple;
        double clocks, bytes; // extra cost per row; `bytes` models the additional load on L2
    } pitches[] = {
        { LINE_BYTES, 0, 0 },
        { 2 * SECTOR_BYTES, 1.19, 68.4 },
        { SECTOR_BYTES, 1.82, 41.3 },
        { 1, 2.69, 155 },
    };
    struct tile_lines *l = &w->lines[of_columns];
    size_t i = 0;

    while (pitch % pitches[i].multiple || (!i && bytes % LINE_BYTES))
        i++;
    *l = (struct tile_lines){
        .count = (double)(lines * ((bytes + LINE_BYTES - 1) / LINE_BYTES)),
        .lines = (double)lines,
        .torn_clocks = pitches[i].clocks,
        .torn_bytes = pitches[i].bytes,
    };
}

uint32_t tile_work_stage_bytes(const struct tile_work *w)
{
    return (w->rows + w->columns) * w->depth * element_bytes(w);
}

uint32_t tile_work_stages(const struct tile_machine *m, const struct tile_work *w)
{
    uint32_t groups = uses_ping_pong(w) ? 2 : groups_of(w);
    uint32_t bytes = tile_work_stage_bytes(w);

    if (w->path != TILE_MMA_PATH_PIPELINE) {
        bytes += (w->rows + w->columns) * COPIED_PAD;
        return m->shared_bytes / bytes < COPIED_STAGES ? m->shared_bytes / bytes : COPIED_STAGES;
    }
    uint32_t rest = m->shared_bytes - RING_BYTES - groups * STAGING_BYTES;
    // Threads that realign operands have a buffer of one stage, with 16 extra bytes per 128 bytes.
    uint32_t buffer = w->realigned ? bytes / 8 * 9 : 0;
    uint32_t stages = bytes && rest > buffer ? (rest - buffer) / bytes : 0;

    return stages < MOST_STAGES ? stages : MOST_STAGES;
}

bool tile_work_fits(const struct tile_machine *m, const struct tile_work *w)
{
    uint32_t elements = w->rows * w->columns, rows = product_rows(w);
    uint32_t most = w->accumulators ? w->accumulators : MOST_ACCUMULATORS;

    if (uses_ping_pong(w) && !w->promotes)
        most = MOST_ALONE;
    else if (rows == TILE_ROWS_OF_THREE)
        most = w->accumulators ? MOST_OF_THREE : 0;
    if (!m->flop[w->path] || !elements || !w->depth)
        return false;
    bool wide = w->operand == CUC_F64 || w->thrice;
    if (w->path != TILE_MMA_PATH_PIPELINE)
        return tile_work_stages(m, w) >= 2 && elements * (wide ? 2 : 1) <= MOST_OF_BLOCK;
    uint32_t columns = rows ? elements / rows : 0;
    bool whole = w->operand == CUC_I8 || w->operand == CUC_U8; // more than 32 columns must be a
                                                               // multiple of 16
    return (tile_has_wgmma_rows(rows) || rows == TILE_ROWS_OF_THREE) && columns % 8 == 0 &&
           columns <= 256 && !(whole && columns > 32 && columns % 16) &&
           w->depth * element_bytes(w) % STEP_BYTES == 0 &&
           elements / (groups_of(w) * 128) <= most && tile_work_stages(m, w) >= 2 &&
           !(uses_ping_pong(w) && (w->split > 1 || rows > 2 * GROUP_ROWS));
}

// Returns the clocks for an iteration's multiplications.
static double product_clocks(const struct tile_machine *m, const struct tile_work *w)
{
    double bytes = element_bytes(w), flop = 2.0 * w->rows * w->columns * w->depth, clocks;

    if (w->path == TILE_MMA_PATH_FMA)
        return flop / (w->operand == CUC_F64 ? m->fma64 : m->flop[TILE_MMA_PATH_FMA]);
    clocks = flop * bytes / 2 / m->flop[w->path] / tensor_share * (w->thrice ? 3 : 1);
    if (w->operand == CUC_F64) // twice the rate of multiply-adds
        clocks = flop / (2.0 * m->fma64);
    if (w->path != TILE_MMA_PATH_PIPELINE)
        return clocks;
    // Each wgmma reads 64 rows of a, and all of b, from shared memory.
    double rows = product_rows(w), columns = w->rows * (double)w->columns / rows;
    double steps = rows / GROUP_ROWS * w->depth * bytes / STEP_BYTES;
    double moved = steps * (GROUP_ROWS + columns) * STEP_BYTES + tile_work_stage_bytes(w);
    double shared = w->realigned ? 0 : moved / shared_rate;
    // 128 lanes add the promoted partial sums, mostly while the other group, if any, multiplies.
    double added = w->promotes ? w->rows * w->columns / 128.0 * (w->depth * bytes / 128) : 0;
    if (groups_of(w) > 1)
        added /= 4;
    return fmax(clocks, shared) + added;
}

// Returns the share of an operand's lines that a block loads for all blocks that use them. Shares
// are multiples of eight lines.
static double share_of(const struct tile_lines *l, uint32_t blocks)
{
    enum { UNIT = 8 };
    double lines = l->lines > 0 ? l->lines : UNIT * blocks;

    return blocks > 1 ? ceil(lines / (UNIT * blocks)) * UNIT / lines : 1;
}

// Returns the clocks to fetch the operands of an iteration while `busy` multiprocessors do the
// same.
static double load_clocks(const struct tile_machine *m, const struct tile_work *w, double busy)
{
    double bytes = tile_work_stage_bytes(w), fetched = 0, clocks = 0;

    if (w->path != TILE_MMA_PATH_PIPELINE) {
        clocks = bytes * busy / m->l2_bytes;
        return w->path == TILE_MMA_PATH_SYNC ? fmax(clocks, bytes / copied_rate) : clocks;
    }
    for (int i = 0; i < 2; i++) {
        const struct tile_lines *l = &w->lines[i];
        uint32_t extent = i ? w->columns : w->rows;
        double count = l->count > 0 ? l->count
                                    : extent * (bytes / (w->rows + w->columns)) / LINE_BYTES;
        uint32_t across = tile_cluster_across(w->cluster);
        count *= share_of(l, i == !w->shares_rows ? w->cluster / across : across);
        clocks += count * (line_clocks + l->torn_clocks);
        fetched += count * (LINE_BYTES + l->torn_bytes);
    }
    if (w->realigned)
        clocks = bytes / realigned_rate + realigned_clocks;
    return fmax(clocks, fetched * busy / m->l2_bytes) * (w->split > 1 ? split_load : 1);
}

// Returns the extra clocks per iteration for a tile that extends past the result.
static double outside_clocks_of(const struct tile_work *w, double load, double iteration)
{
    double bytes = w->depth * (double)element_bytes(w),
           inside = 1 - w->outside / (w->rows + w->columns);

    if (w->path == TILE_MMA_PATH_SYNC || w->realigned) // the outside part is not copied
        return 0;
    return fmax(load * inside + w->outside * outside_clocks * bytes / LINE_BYTES - iteration, 0) +
           w->filling * filling_clocks * bytes / LINE_BYTES;
}

// Returns a smooth maximum of two durations, the 2^n-th root of the sum of their 2^n-th powers. It
// exceeds both if they are about equal.
static double smooth_max(double x, double y, int n)
{
    for (int i = 0; i < n; i++) {
        x *= x;
        y *= y;
    }
    x += y;
    for (int i = 0; i < n; i++)
        x = sqrt(x);
    return x;
}

// Returns the clocks of an iteration whose operands take `load` clocks to fetch.
static double iteration_clocks_of(const struct tile_machine *m, const struct tile_work *w,
                                  double load)
{
    double stages = tile_work_stages(m, w), products = product_clocks(m, w), latency = 0;
    double clocks = fmax(products, load);

    if (w->path == TILE_MMA_PATH_PIPELINE) {
        // A stage is requested again once it has arrived and its products have ended.
        clocks = smooth_max(products, load, 3);
        clocks = smooth_max(clocks, (latency_clocks + load + products) / stages, 3);
    } else if (w->path == TILE_MMA_PATH_SYNC) { // on average, half of a stage is still in flight at
                                                // the request
        latency = (latency_clocks + load / 2) / fmax(stages - 1, 1);
    }
    return fmax(clocks, latency) + iteration_clocks + (w->cluster > 1 ? shared_load_clocks : 0);
}

// Returns the clocks to store an element of the result. A last slab that is narrower takes as long
// as a whole one. Threads store the elements of exchanged operands that do not have 16 bits.
static double store_clocks(const struct tile_work *w)
{
    uint32_t stored = w->parts > 1 ? 4 : w->stored_bytes;
    uint32_t line = is_exchanged(w) ? w->rows * SLAB_BYTES_OF_ROW : w->columns * stored;
    double slowness = 1;

    if (is_exchanged(w) && stored != 2)
        slowness = by_threads;
    else if (w->path == TILE_MMA_PATH_PIPELINE && line > LINE_BYTES)
        slowness = (double)((line + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES) / line;
    if (w->path == TILE_MMA_PATH_PIPELINE && !uses_ping_pong(w) &&
        w->rows * w->columns > MOST_OF_BLOCK)
        slowness *= many_stores;
    return slowness * stored / store_rate + (w->parts > 1 ? 0 : w->behind);
}

double tile_work_seconds(const struct tile_machine *m, const struct tile_work *w)
{
    uint32_t together = w->split > w->cluster ? w->split : w->cluster;
    double slots = tile_resident_blocks(m->multiprocessors, together);
    double blocks = (double)w->blocks, accumulators = w->rows * (double)w->columns;
    double waves = ceil(blocks / slots), ends = waves, iterations = (double)w->iterations;
    double load = load_clocks(m, w, w->streamed ? slots : fmin(blocks, slots));
    double iteration = iteration_clocks_of(m, w, load);
    double end = end_clocks + accumulators * store_clocks(w);

    if (w->split > 1) // the other blocks send their partial sums to the first one through shared
                      // memory
        end += meet_clocks + accumulators * 4 * (w->split - 1) / meet_rate;
    if (uses_ping_pong(w)) {
        // Half of the threads execute each epilogue. The epilogue overlaps the products of the
        // other half if these products take as long.
        double alone = end_clocks + 2 * alone_share * accumulators * store_clocks(w);
        end = alone + waves * (turn_clocks + fmax((alone - iteration * iterations) / 2, 0));
        ends = 1;
    }
    if (w->streamed) { // each block hands over one tile, and finishes one that it took over
        double spread = fmod(blocks, slots) + slots * fmin(waves - 1, w->streamed - 1.0);
        waves = blocks / slots;
        ends = ceil(waves) + 1;
        double handover = handover_clocks + accumulators * 4 / handover_rate;
        // With more streamed waves, concurrent tiles share less of the data they load.
        end += handover * (1 + fmax(1, slots / fmax(spread, 1)) + (w->streamed - 1.0) / 2) / ends;
    }
    double past = fmin(waves, 1 + w->ends * blocks / slots) * outside_clocks_of(w, load, iteration);
    double ramp = w->path == TILE_MMA_PATH_PIPELINE ? ramp_share * fmin(load, product_clocks(m, w))
                                                    : 0;
    double clocks = fill_clocks + ramp + (w->cluster > 1 ? cluster_clocks : 0) +
                    (tile_cluster_across(w->cluster) > 1 ? eight_clocks : 0) +
                    (waves * iteration + past) * iterations + ends * end;
    double memory = fill_clocks + w->unique_bytes / m->memory_bytes;
    clocks = smooth_max(clocks, memory, 2);
    if (w->streamed)
        clocks *= stream_k_gain;
    if (w->packed_bytes > 0) // another kernel copies operands first
        clocks += next_clocks + w->packed_bytes / (pack_share * m->memory_bytes);
    if (w->parts > 1) { // this kernel writes partial sums, and a second kernel adds them
        double results = blocks / w->split / w->parts * accumulators;
        clocks += sum_clocks + part_clocks * w->parts +
                  results * (4.0 * w->parts + w->stored_bytes) / (parts_share * m->l2_bytes);
    }
    return launch_seconds + clocks / (1e6 * m->megahertz);
}
