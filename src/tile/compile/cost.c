// Cost model of matrix products. See cost.h.
//
// An iteration of a block takes as long as the slower of its multiplications and the fetch of its
// operands from L2, which all blocks share. A tile takes its iterations plus an epilogue that
// stores the accumulators. If warpgroups alternate between tiles, the epilogue overlaps the next
// tile. Tiles run in waves, one tile per multiprocessor. If some tiles extend past the result, each
// wave is assumed to contain one. The transfer from memory is a lower bound of the time.
#include "cost.h"

#include <math.h>
#include <stddef.h>

enum {
    STEP_BYTES = 32,         // bytes along the depth axis that one wgmma takes
    LINE_BYTES = 128,        // a line that TMA copies at a time
    SECTOR_BYTES = 32,       // of memory
    MOST_ACCUMULATORS = 128, // registers per thread for accumulators
    MOST_ALONE = 192,        // the same if a warpgroup has a tile of its own
    RING_BYTES = 1024,       // barriers, before the stages
    STAGING_BYTES = 16384,   // a warpgroup's staging for its stores
    MOST_STAGES = 8,
    GROUP_ROWS = 64,           // M of a wgmma
    COPIED_STAGES = 4,         // maximum number of stages that threads fill
    COPIED_PAD = 16,           // padding bytes per line of such stages
    MOST_OF_BLOCK = 128 * 256, // registers for a block's accumulators
};

// Fitted to 900 measurements of bf16 on an H200 with cold caches: 26 shapes from 128 x 256 x 256 to
// 16384 x 16384 x 4096. Among up to 40 tilings, the model's choice is 2 % slower than the fastest
// one (geometric mean); with the widths in between, for 76 combinations of dtype and shape from
// 1024^3 on, it is 0.7 % slower. The values are clocks, bytes per clock of a multiprocessor, and
// fractions.
static const double launch_seconds = 4.2e-6; // from the stream to the first block and back
static const double next_seconds = 3.4e-6;   // the launch of a directly following kernel
static const double fill_clocks = 2100;      // until a block's first stage arrives
static const double iteration_clocks = 59;   // overhead of an iteration
static const double latency_clocks = 1800;   // from the request for a stage to its arrival
static const double tensor_share = 0.974;    // attainable share of the tensor cores' peak
static const double shared_rate = 90;        // for products that read shared memory
static const double copied_rate = 26;        // for copies by threads (cp.async)
static const double realigned_rate =
    24; // for copies by threads that realign, with the products' reads
static const double outside_clocks = 6.5; // for a line outside of its tensor
static const double line_clocks = 1.5;    // for any line copied
static const double torn_clocks = 2.1;    // in addition, for a line that starts in the middle of
                                          // a line of memory
static const double end_clocks = 660;     // fixed cost of ending a tile, in addition to its stores
static const double store_rate = 34;      // for storing accumulators
static const double meet_clocks = 4750; // until the blocks that share a reduction have synchronized
static const double meet_rate = 35;     // for reading the other blocks' partial sums
static const double handover_clocks = 4000; // for handing a tile to another block, or taking it
                                            // over
static const double handover_rate = 40;     // for its accumulators
static const double stream_k_gain = 1.03;   // streamed tiles must gain at least this much to be
                                            // chosen
static const double parts_share = 0.27;     // share of L2's rate while partial sums are added
static const double steepness = 4;          // exponent of the smooth maximum of two times

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
        { 90, 132, 1755, 227 << 10, 65536, { 4096, 2500, 256 }, 128, 13000, 1800 },
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

static bool can_be_rows(uint32_t extent)
{
    return extent == GROUP_ROWS || extent == 2 * GROUP_ROWS || extent == 4 * GROUP_ROWS;
}

// Returns the rows of the product as wgmma computes it: operands are exchanged if there are few
// rows.
static uint32_t product_rows(const struct tile_work *w)
{
    bool exchanged = w->path == TILE_MMA_PATH_PIPELINE && !can_be_rows(w->rows);

    return exchanged ? w->columns : w->rows;
}

void tile_work_put_end(struct tile_work *w, int64_t extent, int64_t tile)
{
    int64_t tiles = extent / tile + (extent % tile != 0);
    double outside = tiles ? (double)(tile - 1 - (extent - 1) % tile) : 0;

    w->outside = fmax(w->outside, outside);
    w->ends = fmin(w->ends + (outside > 0 ? 1 / (double)tiles : 0), 1);
}

void tile_work_put_rows(struct tile_work *w, int64_t rows, int64_t bytes, int64_t row_bytes)
{
    const double much = 1.6; // if rows are not even aligned to sectors

    if (bytes % LINE_BYTES || row_bytes % LINE_BYTES)
        w->torn += (double)(rows * ((bytes + LINE_BYTES - 1) / LINE_BYTES)) *
                   (row_bytes % SECTOR_BYTES ? much : 1);
}

uint32_t tile_work_stage_bytes(const struct tile_work *w)
{
    return (w->rows + w->columns) * w->depth * element_bytes(w);
}

uint32_t tile_work_stages(const struct tile_machine *m, const struct tile_work *w)
{
    uint32_t groups = product_rows(w) > GROUP_ROWS || uses_ping_pong(w) ? 2 : 1;
    uint32_t bytes = tile_work_stage_bytes(w);

    if (w->path != TILE_MMA_PATH_PIPELINE) {
        bytes += (w->rows + w->columns) * COPIED_PAD;
        return m->shared_bytes / bytes < COPIED_STAGES ? m->shared_bytes / bytes : COPIED_STAGES;
    }
    uint32_t rest = m->shared_bytes - RING_BYTES - groups * STAGING_BYTES;
    // Threads that realign operands have a buffer of a stage, with a word more per 128 bytes.
    uint32_t buffer = w->realigned ? bytes / 8 * 9 : 0;
    uint32_t stages = bytes && rest > buffer ? (rest - buffer) / bytes : 0;

    return stages < MOST_STAGES ? stages : MOST_STAGES;
}

bool tile_work_fits(const struct tile_machine *m, const struct tile_work *w)
{
    uint32_t elements = w->rows * w->columns, rows = product_rows(w);
    uint32_t groups = rows > GROUP_ROWS && !uses_ping_pong(w) ? 2 : 1;
    uint32_t most = uses_ping_pong(w) && !w->promotes ? MOST_ALONE : MOST_ACCUMULATORS;

    if (!m->flop[w->path] || !elements || !w->depth)
        return false;
    bool wide = w->operand == CUC_F64 || w->thrice;
    if (w->path != TILE_MMA_PATH_PIPELINE)
        return tile_work_stages(m, w) >= 2 && elements * (wide ? 2 : 1) <= MOST_OF_BLOCK;
    uint32_t columns = rows ? elements / rows : 0;
    bool whole = w->operand == CUC_I8 || w->operand == CUC_U8; // above 32 columns, only multiples
                                                               // of 16
    return can_be_rows(rows) && columns % 8 == 0 && columns <= 256 &&
           !(whole && columns > 32 && columns % 16) &&
           w->depth * element_bytes(w) % STEP_BYTES == 0 && elements / (groups * 128) <= most &&
           tile_work_stages(m, w) >= 2 &&
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
    // Each wgmma reads its rows of one operand and all of the other from shared memory.
    double rows = product_rows(w), columns = w->rows * (double)w->columns / rows;
    double steps = rows / GROUP_ROWS * w->depth * bytes / STEP_BYTES;
    double read = steps * (GROUP_ROWS + columns) * STEP_BYTES / shared_rate;
    // Promoted sums are added by 128 lanes, mostly while the other group multiplies.
    double added = w->promotes ? w->rows * w->columns / 128.0 * (w->depth * bytes / 128) / 4 : 0;
    return fmax(clocks, read) + added;
}

// Returns the clocks to fetch an iteration's operands while `busy` multiprocessors do the same.
static double load_clocks(const struct tile_machine *m, const struct tile_work *w, double busy)
{
    double bytes = w->depth * (double)element_bytes(w);
    double lines = w->rows + w->columns / (double)w->cluster;
    double shared = lines * bytes * busy / m->l2_bytes;

    if (w->path == TILE_MMA_PATH_SYNC)
        return fmax(shared, lines * bytes / copied_rate);
    if (w->path == TILE_MMA_PATH_PIPELINE)
        shared = fmax(shared, lines * bytes / LINE_BYTES * line_clocks + w->torn * torn_clocks);
    if (w->realigned)
        shared = fmax(shared, lines * bytes / realigned_rate);
    return shared;
}

// Returns the additional clocks per iteration of a tile that extends past the result.
static double outside_clocks_of(const struct tile_work *w, double load, double iteration)
{
    double bytes = w->depth * (double)element_bytes(w),
           inside = 1 - w->outside / (w->rows + w->columns);

    if (w->path == TILE_MMA_PATH_SYNC) // the outside part is not copied
        return 0;
    return fmax(load * inside + w->outside * outside_clocks * bytes / LINE_BYTES - iteration, 0);
}

// Returns the number of multiprocessors that blocks can use if `cluster` of them must be
// neighbours.
static double places(const struct tile_machine *m, const struct tile_work *w)
{
    double together = w->split > w->cluster ? w->split : w->cluster;
    double share = together > 4 ? 0.85 : together > 2 ? 0.97 : 1;

    return fmax(floor(m->multiprocessors * share / together) * together, together);
}

double tile_work_seconds(const struct tile_machine *m, const struct tile_work *w)
{
    double blocks = (double)w->blocks, clock = 1e6 * m->megahertz, seconds = launch_seconds;
    double accumulators = w->rows * (double)w->columns, slots = places(m, w);
    double waves = ceil(blocks / slots), stages = tile_work_stages(m, w);
    double load = load_clocks(m, w, fmin(blocks, slots)),
           iteration = fmax(product_clocks(m, w), load);
    double each = w->parts > 1 ? 4 / store_rate : w->stored_bytes / store_rate + w->behind;
    double end = end_clocks + accumulators * each;

    if (w->path == TILE_MMA_PATH_PIPELINE)
        iteration = fmax(iteration, latency_clocks / fmax(stages - 1, 1));
    else if (w->path == TILE_MMA_PATH_SYNC) // half of a stage is in flight when it is requested
        iteration = fmax(iteration, (latency_clocks + load / 2) / fmax(stages - 1, 1));
    if (w->split > 1) // the other blocks send the first one their sums through shared memory
        end += meet_clocks + accumulators * 4 * (w->split - 1) / meet_rate;
    double ends = waves;
    if (uses_ping_pong(w)) { // ping-pong hides every epilogue but the last, which only half of the
                             // threads execute
        end += accumulators * each;
        ends = 1;
    }
    if (w->streamed) { // each block hands one tile over, and finishes one that it took over
        double spread = fmod(blocks, slots) + slots * fmin(waves - 1, w->streamed - 1.0);
        waves = blocks / slots;
        ends = ceil(waves) + 1;
        double handover = handover_clocks + accumulators * 4 / handover_rate;
        // With more waves, concurrent tiles share less of the data they load.
        end += handover * (1 + fmax(1, slots / spread) + (w->streamed - 1.0) / 2) / ends;
    }
    double past = fmin(waves, 1 + w->ends * blocks / slots) * outside_clocks_of(w, load, iteration);
    double clocks = fill_clocks +
                    (waves * (iteration + iteration_clocks) + past) * (double)w->iterations;
    clocks += ends * end;
    double memory = fill_clocks + w->unique_bytes / m->memory_bytes;
    clocks = pow(pow(clocks, steepness) + pow(memory, steepness), 1 / steepness);
    if (w->streamed)
        clocks *= stream_k_gain;
    if (w->parts > 1) { // partial sums are written, then read by a separate kernel
        double results = blocks / w->split / w->parts * accumulators;
        clocks += results * (4.0 * w->parts + w->stored_bytes) / (parts_share * m->l2_bytes);
        seconds += next_seconds;
    }
    return seconds + clocks / clock;
}
