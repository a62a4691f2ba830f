// Chooses the number of warps of a block. For kernels without products, a model estimates the time
// that a multiprocessor takes for a block, with each number of warps. It is the time of the block's
// bytes at the rate of memory, or if longer, the sum of:
//
// - the instructions of all its warps at the rate of the multiprocessor;
// - its latency (waits for memory, exchanges between threads, the instructions of one warp), which
//   the resident blocks, as many as registers and shared memory allow, overlap.
//
// The model runs before layouts exist, and assumes that all tiles have blocked layouts. Its numbers
// come from measurements on an H200 of kernels made at random.
#include "compile_steps.h"

#include "block_model.h"
#include "tile/layout/fragment.h"
#include "tile/pass/accumulation.h"

#include <math.h>

enum { MOST_WARPS = 32 };

// Returns how many blocks a multiprocessor of an H200 holds at once; below 1 if none fits.
static double resident_blocks(const struct tile_block_costs *c, uint32_t warps)
{
    enum { BLOCKS = 32, WARPS = 64, REGISTERS = 65536, SHARED_BYTES = 232448, RESERVED = 1024 };
    const double most = 255, step = 8, none = 0.5;
    double given = fmin(most, step * ceil(c->registers / step));
    double blocks = fmin(BLOCKS, floor((double)WARPS / warps));

    blocks = fmin(blocks, floor(REGISTERS / (given * 32 * warps)));
    return fmax(none, fmin(blocks, floor(SHARED_BYTES / (c->shared + RESERVED))));
}

// Returns the clocks of a multiprocessor for each block.
static double clocks_of(const struct tile_block_costs *c, uint32_t warps, double blocks)
{
    const double each_clock = 1.6, bytes_each_clock = 18;             // instructions; bytes
    const double start = 300, wait = 700, instruction = 3, warp = 10; // latencies
    const double most_blocks = 12, alone = 0.35, spill = 2, most_registers = 255;
    double registers = c->registers, memory = c->bytes / bytes_each_clock;
    double work = c->work * (1 + spill * fmax(0, registers / most_registers - 1));
    // Warps that load the same tile fetch it for each other.
    double waits = c->deepest + c->waits * (1 + alone / warps);
    double latency = start + wait * waits + c->chain + instruction * work + memory;
    double together = fmin(resident_blocks(c, warps), fmin(most_blocks, blocks));

    return fmax(memory, warps * work / each_clock + latency / together + warp * warps);
}

// Returns the most elements that a thread should hold. More make the code long, take the registers
// of other blocks, or spill.
static uint32_t most_held(const struct tile_block_costs *c, const struct tile_measures *measures,
                          uint32_t warps)
{
    enum { ELEMENTS = 64, OF_ROW = 32, OF_SCAN = 32, OF_SORT = 16, MANY_WARPS = 16 };

    if (warps < MANY_WARPS && c->sorts)
        return OF_SORT;
    if (c->scans)
        return OF_SCAN;
    return tile_is_row(measures) && !(warps == MANY_WARPS && measures->halves) ? OF_ROW : ELEMENTS;
}

enum { USUAL_MOST = 16 }; // 32 warps leave no room for a second block

// Sets the clocks of a multiprocessor for each block, by the number of warps. Returns the least of
// them, INFINITY if no number of warps suits.
static double model_clocks(const struct tile_kernel *kernel, double clocks[USUAL_MOST + 1])
{
    struct tile_block_model *model = tile_create_block_model(kernel);
    struct tile_measures measures = tile_measures_of(kernel);
    double least = INFINITY, blocks = tile_usual_blocks(kernel);

    for (uint32_t warps = 1; warps <= USUAL_MOST; warps *= 2) {
        clocks[warps] = INFINITY;
        if (!model)
            continue;
        struct tile_block_costs c = tile_costs_of_block(model, warps);
        if (c.most <= most_held(&c, &measures, warps))
            clocks[warps] = clocks_of(&c, warps, blocks);
        least = fmin(least, clocks[warps]);
    }
    return least;
}

static uint32_t fastest(const struct tile_kernel *kernel)
{
    const double about_as_fast = 1.03; // the most warps, whose code is the shortest
    double clocks[USUAL_MOST + 1], least = model_clocks(kernel, clocks);
    uint32_t best = 0;

    for (uint32_t warps = 1; warps <= USUAL_MOST; warps *= 2)
        if (clocks[warps] <= about_as_fast * least && clocks[warps] < INFINITY)
            best = warps;
    return best ? best : MOST_WARPS;
}

double tile_block_clocks(const struct tile_kernel *kernel, const struct tile_target *target)
{
    const double of_huge = 1e6; // a tile for 32 warps, which the model does not describe
    double clocks[USUAL_MOST + 1], least = model_clocks(kernel, clocks);

    if (target->warps && target->warps <= USUAL_MOST && clocks[target->warps] < INFINITY)
        return clocks[target->warps];
    return fmin(least, of_huge);
}

static void find_most(struct tile_op *op, void *data)
{
    int64_t *most = data;

    for (uint32_t i = 0; i < op->result_count; i++)
        if (!op->result[i]->type.tensor && tile_elements(&op->result[i]->type) > *most)
            *most = tile_elements(&op->result[i]->type);
}

// Returns the number of warps for products without matrix instructions: a thread has up to 16
// elements, or 64 in blocks of 16 warps.
static uint32_t warps_for_products(const struct tile_kernel *kernel)
{
    enum { ELEMENTS = 16, MANY_ELEMENTS = 64, MANY_WARPS = 16 };
    int64_t most = 0;
    uint32_t warps = 1;

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, find_most, &most);
    while (warps < MOST_WARPS &&
           most > (int64_t)warps * 32 * (warps < MANY_WARPS ? ELEMENTS : MANY_ELEMENTS))
        warps *= 2;
    return warps;
}

uint32_t tile_choose_warps(const struct tile_kernel *kernel, const struct tile_target *target)
{
    uint32_t warps = tile_fragment_warps(kernel, target);

    if (warps)
        return warps;
    return tile_has_products(kernel) ? warps_for_products(kernel) : fastest(kernel);
}
