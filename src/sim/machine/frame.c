// Creates frames, and initializes the registers of a call.
#include "code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Stack bytes that a call uses besides its .local variables if the call depth is unknown: for the
// return address and the registers that the caller saves.
enum { CALL_BYTES = 16 };

// The period for which a special register keeps its value.
enum span {
    FOR_GRID, // the same in every block; each lane may have its own value
    FOR_WARP, // equal for warps with the same index in all blocks of a grid
    FOR_BLOCK,
};

static enum span span_of(uint32_t special)
{
    switch (special) {
    case SIM_SR_TID_X:
    case SIM_SR_TID_Y:
    case SIM_SR_TID_Z:
    case SIM_SR_WARPID:
        return FOR_WARP;
    case SIM_SR_CTAID_X:
    case SIM_SR_CTAID_Y:
    case SIM_SR_CTAID_Z:
    case SIM_SR_CLUSTERID_X:
    case SIM_SR_CLUSTERID_Y:
    case SIM_SR_CLUSTERID_Z:
    case SIM_SR_CLUSTER_CTAID_X:
    case SIM_SR_CLUSTER_CTAID_Y:
    case SIM_SR_CLUSTER_CTAID_Z:
    case SIM_SR_CLUSTER_CTARANK:
        return FOR_BLOCK;
    default:
        return FOR_GRID;
    }
}

static uint64_t nanoseconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

// Returns the value of %clock64. It advances at the device's reported rate, so that a number of
// cycles takes as long as on a GPU.
static uint64_t cycles(uint32_t khz)
{
    const uint64_t ns = nanoseconds(CLOCK_MONOTONIC), million = 1000000;

    return khz ? ns / million * khz + ns % million * khz / million : ns;
}

// Returns the value of a special register that describes the block's cluster or shared memory.
static uint64_t block_special_value(const struct sim_block *block, uint32_t special)
{
    const struct sim_grid *grid = block->grid;
    const uint32_t *cluster = grid->cluster;
    uint32_t n; // blocks of a cluster along one dimension

    switch ((enum sim_special)special) {
    case SIM_SR_CLUSTERID_X:
    case SIM_SR_CLUSTERID_Y:
    case SIM_SR_CLUSTERID_Z:
        n = cluster[special - SIM_SR_CLUSTERID_X];
        return block->index[special - SIM_SR_CLUSTERID_X] / (n ? n : 1);
    case SIM_SR_NCLUSTERID_X:
    case SIM_SR_NCLUSTERID_Y:
    case SIM_SR_NCLUSTERID_Z:
        n = cluster[special - SIM_SR_NCLUSTERID_X];
        return grid->grid[special - SIM_SR_NCLUSTERID_X] / (n ? n : 1);
    case SIM_SR_CLUSTER_CTAID_X:
    case SIM_SR_CLUSTER_CTAID_Y:
    case SIM_SR_CLUSTER_CTAID_Z:
        n = cluster[special - SIM_SR_CLUSTER_CTAID_X];
        return block->index[special - SIM_SR_CLUSTER_CTAID_X] % (n ? n : 1);
    case SIM_SR_CLUSTER_NCTAID_X:
    case SIM_SR_CLUSTER_NCTAID_Y:
    case SIM_SR_CLUSTER_NCTAID_Z:
        n = cluster[special - SIM_SR_CLUSTER_NCTAID_X];
        return n ? n : 1;
    case SIM_SR_CLUSTER_CTARANK:
        return block->cluster_rank;
    case SIM_SR_CLUSTER_NCTARANK:
        return block->cluster->count;
    case SIM_SR_IS_EXPLICIT_CLUSTER:
        return cluster[0] != 0;
    case SIM_SR_TOTAL_SMEM_SIZE:
    case SIM_SR_AGGR_SMEM_SIZE:
        return block->shared_bytes;
    case SIM_SR_DYNAMIC_SMEM_SIZE:
        return grid->shared_bytes;
    case SIM_SR_RESERVED_SMEM_BEGIN:
    case SIM_SR_RESERVED_SMEM_0:
        return SIM_RESERVED_AT;
    case SIM_SR_RESERVED_SMEM_1:
        return SIM_RESERVED_AT + SIM_RESERVED_BYTES / 2;
    case SIM_SR_RESERVED_SMEM_END:
        return SIM_RESERVED_AT + SIM_RESERVED_BYTES;
    case SIM_SR_RESERVED_SMEM_CAP:
        return SIM_RESERVED_BYTES;
    default: // %pm, %current_graph_exec and most of %envreg are zero
        return 0;
    }
}

uint64_t sim_special_value(const struct sim_warp *w, uint32_t special, uint32_t lane)
{
    const struct sim_block *block = w->block;
    const struct sim_grid *grid = block->grid;
    const uint32_t *size = grid->block;
    uint32_t thread = w->index * SIM_WARP + lane;

    switch ((enum sim_special)special) {
    case SIM_SR_TID_X:
        return thread % size[0];
    case SIM_SR_TID_Y:
        return thread / size[0] % size[1];
    case SIM_SR_TID_Z:
        return thread / size[0] / size[1];
    case SIM_SR_NTID_X:
    case SIM_SR_NTID_Y:
    case SIM_SR_NTID_Z:
        return size[special - SIM_SR_NTID_X];
    case SIM_SR_LANEID:
        return lane;
    case SIM_SR_WARPID:
        return w->index;
    case SIM_SR_NWARPID:
        return block->warp_count;
    case SIM_SR_CTAID_X:
    case SIM_SR_CTAID_Y:
    case SIM_SR_CTAID_Z:
        return block->index[special - SIM_SR_CTAID_X];
    case SIM_SR_NCTAID_X:
    case SIM_SR_NCTAID_Y:
    case SIM_SR_NCTAID_Z:
        return grid->grid[special - SIM_SR_NCTAID_X];
    case SIM_SR_SMID:
        return w->worker->index;
    case SIM_SR_NSMID:
        return w->worker->index + 1 > 132 ? w->worker->index + 1 : 132;
    case SIM_SR_GRIDID:
        return grid->id;
    case SIM_SR_ENVREG1:
        return grid->workspace >> 32;
    case SIM_SR_ENVREG2:
        return (uint32_t)grid->workspace;
    case SIM_SR_LANEMASK_EQ:
        return UINT32_C(1) << lane;
    case SIM_SR_LANEMASK_LT:
        return (UINT32_C(1) << lane) - 1;
    case SIM_SR_LANEMASK_LE:
        return (UINT64_C(2) << lane) - 1;
    case SIM_SR_LANEMASK_GT:
        return (uint32_t) ~((UINT64_C(2) << lane) - 1);
    case SIM_SR_LANEMASK_GE:
        return ~((UINT32_C(1) << lane) - 1);
    case SIM_SR_CLOCK64:
    case SIM_SR_CLOCK:
        return cycles(grid->clock_khz);
    case SIM_SR_CLOCK_HI:
        return cycles(grid->clock_khz) >> 32;
    case SIM_SR_GLOBALTIMER:
    case SIM_SR_GLOBALTIMER_LO:
        return nanoseconds(CLOCK_REALTIME);
    case SIM_SR_GLOBALTIMER_HI:
        return nanoseconds(CLOCK_REALTIME) >> 32;
    case SIM_SR_WARP_SZ:
        return SIM_WARP;
    default:
        return block_special_value(block, special);
    }
}

static void fill_special(const struct sim_warp *w, unsigned char *at, uint32_t special)
{
    static const unsigned char types[] = {
#define SPECIAL(tag, name, type) SIM_##type,
#include "sim/ptx/special.def"
#undef SPECIAL
    };
    bool same = span_of(special) == FOR_BLOCK; // the same in all lanes
    uint64_t value = sim_special_value(w, special, 0);
    uint32_t mask = 0;

    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        if (!same)
            value = sim_special_value(w, special, lane);
        if (types[special] == SIM_U64)
            memcpy(at + 8 * lane, &value, 8);
        else
            mask |= (uint32_t)(value != 0) << lane;
        uint32_t low = (uint32_t)value;
        if (types[special] == SIM_U32)
            memcpy(at + 4 * lane, &low, 4);
    }
    if (types[special] == SIM_PRED)
        memcpy(at, &mask, 4);
}

static void fill_specials(const struct sim_warp *w, struct sim_frame *frame, enum span from)
{
    const struct sim_code *code = frame->code;

    for (uint32_t i = 0; i < code->special_count; i++)
        if (span_of(code->specials[i].special) >= from)
            fill_special(w, frame->f + code->specials[i].at, code->specials[i].special);
}

static void fill_addresses(const struct sim_warp *w, struct sim_frame *frame, enum sim_space space)
{
    const struct sim_code *code = frame->code;

    for (uint32_t i = 0; i < code->address_count; i++) {
        if (code->addresses[i].space != space)
            continue;
        uint64_t base = space == SIM_SHARED
                            ? w->block->grid->entry->shared_at[code->addresses[i].symbol]
                            : frame->local_base + code->addresses[i].symbol;
        base += (uint64_t)code->addresses[i].addend;
        uint32_t low = (uint32_t)base;
        unsigned char *at = frame->f + code->addresses[i].at;
        for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
            if (code->addresses[i].bytes == 8)
                memcpy(at + 8 * lane, &base, 8);
            else
                memcpy(at + 4 * lane, &low, 4);
        }
    }
}

// Memory of large frames, kept for later launches of any program: the kernel of the host spends
// more time on handing out and clearing new pages than many launches take. A frame's memory is a
// power of two of bytes, and only what the frame uses is ever touched.
enum { LEAST_KEPT = 16, MOST_KEPT = 26 }; // binary logarithms of sizes
static const size_t kept_limit = (size_t)128 << 20;
static struct {
    pthread_mutex_t lock;
    struct sim_frame *free[MOST_KEPT + 1];
    size_t bytes;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

// Returns the binary logarithm of the size of a frame's memory; 0 if it is not kept.
static uint32_t kept_class(size_t bytes)
{
    uint32_t class = LEAST_KEPT;

    while (class <= MOST_KEPT && bytes > (size_t)1 << class)
        class ++;
    return bytes <= (size_t)1 << (LEAST_KEPT - 1) || class > MOST_KEPT ? 0 : class;
}

static size_t frame_size(const struct sim_code *code)
{
    return sizeof(struct sim_frame) + code->frame_bytes + (size_t)SIM_WARP * code->param_bytes;
}

static struct sim_frame *frame_allocate(size_t bytes)
{
    uint32_t class = kept_class(bytes);
    struct sim_frame *frame = NULL;

    if (!class)
        return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    pthread_mutex_lock(&kept.lock);
    if ((frame = kept.free[class]) != NULL) {
        kept.free[class] = frame->next_free;
        kept.bytes -= (size_t)1 << class;
    }
    pthread_mutex_unlock(&kept.lock);
    return frame ? frame : aligned_alloc(64, (size_t)1 << class);
}

static void frame_free(struct sim_frame *frame)
{
    uint32_t class = kept_class(frame_size(frame->code));
    bool keep = false;

    if (class) {
        pthread_mutex_lock(&kept.lock);
        if ((keep = kept.bytes + ((size_t)1 << class) <= kept_limit) == true) {
            frame->next_free = kept.free[class];
            kept.free[class] = frame;
            kept.bytes += (size_t)1 << class;
        }
        pthread_mutex_unlock(&kept.lock);
    }
    if (!keep)
        free(frame);
}

// Returns a frame for a function, with its constants and grid-wide values in place.
static struct sim_frame *take(struct sim_warp *w, const struct sim_code *code)
{
    struct sim_frame **list = &w->worker->free_frames[code->index];
    struct sim_frame *frame = *list;

    if (frame) {
        *list = frame->next_free;
        return frame;
    }
    frame = frame_allocate(frame_size(code));
    if (!frame)
        return NULL;
    memset(frame, 0, frame_size(code));
    frame->code = code;
    frame->param = frame->f + code->frame_bytes;
    if (code->image_bytes)
        memcpy(frame->f + code->image_at, code->image, code->image_bytes);
    fill_specials(w, frame, FOR_GRID);
    fill_addresses(w, frame, SIM_SHARED);
    fill_addresses(w, frame, SIM_LOCAL);
    return frame;
}

struct sim_frame *sim_frame_push(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                                 const struct sim_code *code, struct sim_frame *caller,
                                 uint32_t return_pc)
{
    uint32_t depth = caller->depth + 1;
    const struct sim_grid *grid = w->block->grid;
    uint32_t used = caller->local_base + caller->code->local_bytes;
    uint32_t base = used + (grid->entry->deep ? CALL_BYTES : 0);
    uint32_t stack = grid->stack_bytes;

    if (base + code->local_bytes + w->stack_top[lane] > stack) {
        sim_fault(w, op, lane, 719,
                  "stack overflow: a call of %s, %u deep, takes %u bytes, %u of %u are left: a "
                  "larger CU_LIMIT_STACK_SIZE gives more",
                  code->name, depth, base - used + code->local_bytes,
                  stack - used - w->stack_top[lane], stack);
        return NULL;
    }
    struct sim_frame *frame = take(w, code);
    if (!frame) {
        sim_fault(w, op, lane, 2, "no host memory for a frame of %s", code->name);
        return NULL;
    }
    frame->caller = caller;
    frame->return_pc = return_pc;
    frame->lanes = 0;
    frame->depth = depth;
    frame->local_base = base;
    fill_specials(w, frame, FOR_WARP);
    if (code->local_bytes)
        fill_addresses(w, frame, SIM_LOCAL);
    return frame;
}

void sim_frame_drop(struct sim_warp *w, struct sim_frame *frame)
{
    frame->next_free = w->worker->free_frames[frame->code->index];
    w->worker->free_frames[frame->code->index] = frame;
}

bool sim_frame_enter(struct sim_warp *w)
{
    const struct sim_code *code = w->block->grid->entry;

    if (w->entry) {
        fill_specials(w, w->entry, FOR_BLOCK);
    } else {
        w->entry = take(w, code);
        if (!w->entry)
            return false;
        fill_specials(w, w->entry, FOR_WARP);
    }
    w->entry->caller = NULL;
    w->entry->depth = 0;
    w->entry->local_base = 0;
    w->entry->lanes = w->exists;
    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        w->lane_frame[lane] = w->entry;
        w->lane_pc[lane] = 0;
    }
    return true;
}

void sim_frames_free(struct sim_worker *worker)
{
    size_t functions = worker->grid->program->module->function_count;

    for (size_t i = 0; i < functions; i++) {
        while (worker->free_frames[i]) {
            struct sim_frame *frame = worker->free_frames[i];
            worker->free_frames[i] = frame->next_free;
            frame_free(frame);
        }
    }
}
