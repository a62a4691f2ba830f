// Executes decoded PTX: warps of 32 lanes, with registers stored as structures of arrays.
//
// A register is 32 adjacent values, one per lane, at a byte offset in its function's frame.
// Constants and special registers have the same form, so instructions read them like other
// registers. A predicate is a 32-bit mask. To execute an instruction is to call its handler with
// the mask of the active lanes.
//
// Every lane has its own program counter and frame. The lanes of a warp that are at the same
// instruction run together. A warp picks the lanes deepest in calls, and among them those at the
// lowest instruction, so that diverged lanes reconverge. A group that keeps running while others
// wait yields to them, so that lanes may wait for one another. The same holds for the warps of a
// block and the blocks of a grid.
#ifndef CUCORE_SIM_MACHINE_MACHINE_H
#define CUCORE_SIM_MACHINE_MACHINE_H

#include "sim/ptx/ptx.h"

#include <stdatomic.h>

enum {
    SIM_WARP = 32,
    SIM_MAX_LIST = 256, // elements of all v and V operands of an instruction
    SIM_BARRIERS = 17,  // 0 to 15 of a block, then the cluster barrier
    SIM_BARRIER_CLUSTER = 16,
};
#define SIM_ALL_LANES UINT32_MAX
#define SIM_NO_OPERAND UINT32_MAX

struct sim_warp;
struct sim_op;
struct sim_race;
struct sim_steps;

// A handler's result, which tells its caller how to continue.
enum sim_next {
    SIM_NEXT,    // continue with the next instruction
    SIM_JUMP,    // all lanes of the group continue at w->pc, which the handler has set
    SIM_REGROUP, // lanes diverged: the handler has placed every lane of w->active (sim_place)
    SIM_WAIT,    // the handler has put lanes into w->blocked; once woken, they continue after this
                 // instruction
    SIM_RETRY,   // some lanes must repeat this instruction later; others run first
    SIM_FAULT,   // sim_fault() recorded an error: the grid ends
};

typedef enum sim_next sim_handler(struct sim_warp *w, const struct sim_op *op, uint32_t mask);

// A decoded instruction. Operands are byte offsets into the frame: o[0] is the destination, if
// there is one, and the sources follow in the order written. Everything else is in `extra` and
// `list`, whose use the instruction's table row defines.
struct sim_op {
    sim_handler *run;
    uint32_t guard;      // frame offset of the guard predicate, or SIM_NO_GUARD
    uint32_t guard_flip; // 0, or UINT32_MAX for @!p
    uint32_t o[6];
    int64_t offset;       // offset of an address operand
    uint32_t wide;        // bit i: the address base in o[i] is a 64-bit register, otherwise 32-bit
    uint32_t extra;       // sub-operation, flags or branch target, as the handler defines
    uint32_t cache;       // index of the range cache of ld or st
    uint32_t list_count;  // vector elements, call arguments
    const uint32_t *list; // frame offsets
    const void *data;     // such as the called function or a table of targets
    uint32_t line;        // line in the PTX
    uint32_t statement;   // index in the function, to find its .loc
};

// A function that is ready to run. A frame consists of registers and, from `image_at` on, the
// constants in `image`. Creating a frame fills its slots for launch constants (%ntid.x ...), lane
// constants (%tid.x ...) and addresses of shared and local variables.
struct sim_code {
    const char *name;
    const struct sim_function *source;
    struct sim_op *ops; // the last op exits or returns, if control gets there
    uint32_t op_count;
    uint32_t frame_bytes;
    uint32_t image_at, image_bytes;
    const unsigned char *image;
    struct {
        uint32_t special; // enum sim_special
        uint32_t at;      // frame offset
    } * specials; // special registers that the function reads and that are constant in a call
    uint32_t special_count;
    struct {
        enum sim_space space;
        uint32_t symbol; // SIM_SHARED: index in the entry's shared_at; SIM_LOCAL: byte offset
        uint32_t at;     // frame offset
        uint32_t bytes;  // 4 or 8
        int64_t addend;
    } * addresses; // addresses of shared and local variables
    uint32_t address_count;
    const struct sim_passed *arguments, *results; // functions: locations of arguments and results
    uint32_t argument_count, result_count;
    uint32_t entry_param_bytes;  // entries: size of the parameter buffer
    uint32_t param_bytes;        // each lane's .param area in a frame
    uint32_t local_bytes;        // .local variables of one lane in one call
    uint32_t stack_bytes;        // entries: stack of one lane, including callees
    bool deep;                   // entries: the call depth is unknown, or alloca is used
    uint32_t shared_bytes;       // entries: static shared memory of the entry and its callees
    uint32_t dynamic_at;         // entries: start of dynamic shared memory
    const uint32_t *shared_at;   // entries: offset of each shared variable of the program
    const unsigned char *actors; // [statements + 1]: agents for the race check (check_agents.h);
                                 // NULL: none
    uint32_t index;              // index of the function in its module
};

// The registers of one call. Offsets in sim_op are relative to `f`.
struct sim_frame {
    struct sim_frame *caller;
    const struct sim_code *code;
    uint32_t return_pc;  // pc in the caller
    uint32_t lanes;      // lanes that are still running in this call
    uint32_t local_base; // offset of its .local variables in each lane's stack
    uint32_t depth;
    struct sim_frame *next_free;
    unsigned char *param; // [32][param_bytes]: arguments and results of each lane
    _Alignas(64) unsigned char f[];
};

struct sim_warp {
    // The lanes that are running, for use by handlers.
    unsigned char *f;
    struct sim_frame *frame;
    uint32_t pc;
    uint32_t active;

    struct sim_block *block;
    uint32_t index;                 // index in the block
    uint32_t exists;                // lanes that the block's size includes
    uint32_t alive;                 // lanes that have not exited
    uint32_t blocked;               // lanes that wait at a barrier
    uint32_t yielded;               // lanes that let other lanes of the warp run first
    uint32_t ready;                 // lanes woken from barrier.red that have yet to fetch their
                                    // result
    uint32_t waiting[SIM_BARRIERS]; // lanes that wait at each barrier
    uint32_t cluster_arrived;       // lanes that have arrived at barrier.cluster in the current
                                    // phase
    uint32_t lane_pc[SIM_WARP]; // pcs of the lanes in w->active; valid only if a handler has placed
                                // them
    struct sim_frame *lane_frame[SIM_WARP];
    uint32_t carry;               // carry flags of add.cc and similar instructions, one bit per
                                  // lane
    unsigned char *local;         // [32][stack_bytes of the grid]
    uint32_t stack_top[SIM_WARP]; // bytes that alloca has taken from the end of each lane's stack
    uint32_t asleep;              // lanes in nanosleep during the current scheduler round
    uint32_t sleep_ns;            // shortest sleep of these lanes
    bool looked; // in the current round, the warp has accessed global memory, which threads outside
                 // of its cluster may write
    uint32_t patience, try_failed; // at the last failure of mbarrier.try_wait: the cluster's
                                   // `patience`, and the lanes that failed
    uint64_t instructions;         // executed instructions times lanes, for the benchmark
    struct sim_frame *entry;       // frame in which lanes start
    struct sim_worker *worker;
    struct sim_range *caches; // [cache count of the program]; belongs to the worker
};

// A range of accessible memory: an allocation or a variable of a module.
struct sim_range {
    uint64_t base, end;  // [base, end)
    uint64_t generation; // generation of the memory table when the range was looked up
    int device;          // device that owns the range; SIM_ANY_DEVICE: all devices can access it
};
#define SIM_ANY_DEVICE (-1)

struct sim_barrier {
    uint32_t expected; // number of threads; 0: no thread has arrived; SIM_ALL_THREADS: all threads
                       // that have not exited
    uint32_t arrived;  // number of threads, counted in whole warps: lanes that have exited or never
                       // existed arrive with their warp
    uint32_t waiting;  // number of lanes
    uint32_t reduction, result; // for barrier.red
};
#define SIM_ALL_THREADS UINT32_MAX

struct sim_block {
    struct sim_grid *grid;
    uint32_t index[3], cluster_rank;
    struct sim_cluster *cluster;
    struct sim_warp *warps;
    uint32_t warp_count, threads;
    unsigned char *shared;   // static shared memory, followed by dynamic
    unsigned char *reserved; // [SIM_RESERVED_BYTES], after `shared`
    uint32_t shared_bytes;
    struct sim_barrier barriers[16];
    uint32_t alive;      // threads that have not exited
    uint32_t open;       // one bit per barrier at which threads wait or have arrived
    uint64_t *mbarriers; // one bit per 8 bytes of `shared`, set where an mbarrier is; NULL: no
                         // mbarrier so far
    // State of the checks (check.h); NULL for a check that is not enabled.
    uint64_t *written; // one bit per byte of `shared`
    struct sim_race *race;
    struct sim_steps *steps; // [warp_count]
};

struct sim_cluster {
    struct sim_block **blocks;
    uint32_t count;
    uint32_t arrived; // number of threads at barrier.cluster
    // mbarrier.try_wait blocks lanes until `patience` grows, and then reports failure to them.
    uint32_t patience;
    uint32_t stalled; // consecutive rounds in which nothing but such waits ran
    bool waits;       // such a wait blocked lanes in the current round
};

// One kernel launch.
struct sim_grid {
    const struct sim_program *program;
    const struct sim_code *entry;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes; // dynamic shared memory
    unsigned char *params; // the entry's parameter buffer
    int cooperative;
    uint64_t workspace; // cooperative grids: address of the workspace, which holds its own size and
                        // a word for barriers; given in %envreg1 and %envreg2
    uint64_t id;
    uint32_t stack_limit;  // stack of a lane if the entry is `deep`; 0: 1 KiB
    uint32_t stack_bytes;  // stack of a lane, set by sim_grid_run()
    struct sim_heap *heap; // heap for malloc(), or NULL
    int device;
    uint32_t clock_khz; // rate of %clock; 0: nanoseconds
    uint64_t context;   // driver's handle
    // Returns true if the grid may access memory of another device; otherwise writes to `why` how
    // to permit it. NULL: all accesses are permitted.
    bool (*peer)(const struct sim_grid *grid, const struct sim_range *range, char *why,
                 size_t why_bytes);
    uint64_t deadline; // on the monotonic clock, in ns; 0: none
    _Atomic int fault; // CUresult of the first fault; 0: none
    char report[1024]; // the first fault, with its kernel, line, block, thread and address
    _Atomic uint64_t instructions;
};

// Address windows. Global and constant memory is host memory at its own address. Addresses in
// .shared and .local are offsets. Their generic forms lie in windows that contain no host address.
#define SIM_WINDOW_SHARED (UINT64_C(1) << 56) // | cluster rank << 24 | offset
#define SIM_WINDOW_LOCAL (UINT64_C(2) << 56)  // | offset in the lane's stack
#define SIM_WINDOW_PARAM (UINT64_C(3) << 56)  // | offset in the entry's parameters
#define SIM_WINDOW(address) ((address) >> 56)
#define SIM_RANK_SHIFT 24
// Memory that a block has besides its shared memory, for CUDA's headers: cooperative groups keep
// barriers there (%reserved_smem_offset_1). It is separate, so an access that runs past the end of
// shared memory does not reach it and is out of bounds.
#define SIM_RESERVED_AT (UINT32_C(1) << 23)
#define SIM_RESERVED_BYTES 1024

// Access a register in the running frame.
#define SIM_R32(w, at) ((uint32_t *)(void *)((w)->f + (at)))
#define SIM_R64(w, at) ((uint64_t *)(void *)((w)->f + (at)))
#define SIM_RS32(w, at) ((int32_t *)(void *)((w)->f + (at)))
#define SIM_RS64(w, at) ((int64_t *)(void *)((w)->f + (at)))
#define SIM_RF32(w, at) ((float *)(void *)((w)->f + (at)))
#define SIM_RF64(w, at) ((double *)(void *)((w)->f + (at)))
#define SIM_RP(w, at) (*(uint32_t *)(void *)((w)->f + (at)))
// An 8- or 16-bit register occupies 32 bits. Mask it when reading: the upper bits are undefined. A
// 128-bit register consists of two 64-bit ones, low half first: SIM_R64(w, at) and SIM_R64(w, at +
// 256).

// Sets where lanes continue in the running frame. Handlers call it before they return SIM_REGROUP.
static inline void sim_place(struct sim_warp *w, uint32_t lanes, uint32_t pc)
{
    for (; lanes; lanes &= lanes - 1)
        w->lane_pc[__builtin_ctz(lanes)] = pc;
}
// Index of an instruction in the running frame's function.
#define SIM_PC(w, op) ((uint32_t)((op) - (w)->frame->code->ops))

// Returns the address that an m operand has in a lane: its base of 32 or 64 bits plus its offset.
static inline uint64_t sim_address(const struct sim_warp *w, const struct sim_op *op,
                                   uint32_t operand, uint32_t lane)
{
    if (op->wide >> operand & 1)
        return SIM_R64(w, op->o[operand])[lane] + (uint64_t)op->offset;
    return SIM_R32(w, op->o[operand])[lane] + (uint64_t)op->offset;
}

// Returns the rank of the block in whose memory a shared address lies.
static inline uint32_t sim_rank_of(const struct sim_warp *w, uint64_t address)
{
    uint32_t rank = (uint32_t)((address & ((UINT64_C(1) << 56) - 1)) >> SIM_RANK_SHIFT);
    return rank ? rank - 1 : w->block->cluster_rank;
}
// Returns the address of the same offset in another block's shared memory. A generic address stays
// generic.
static inline uint64_t sim_in_rank(uint64_t address, uint32_t rank)
{
    return (address & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank + 1) << SIM_RANK_SHIFT;
}

// Runs a statement for every lane of a mask. The compiler can vectorize the case of all 32 lanes.
#define SIM_LANES(mask, lane, ...)                                     \
    do {                                                               \
        if ((mask) == SIM_ALL_LANES) {                                 \
            for (uint32_t lane = 0; lane < SIM_WARP; lane++) {         \
                __VA_ARGS__;                                           \
            }                                                          \
        } else {                                                       \
            for (uint32_t sim_m = (mask); sim_m; sim_m &= sim_m - 1) { \
                uint32_t lane = (uint32_t)__builtin_ctz(sim_m);        \
                __VA_ARGS__;                                           \
            }                                                          \
        }                                                              \
    } while (0)

// Records a fault of a lane. `code` is the CUresult. `fmt` describes the fault, as in "read of 4
// bytes past the end of an allocation of 400 bytes". Adds the kernel, PTX line, source line, block
// and thread. Returns SIM_FAULT.
enum sim_next sim_fault(struct sim_warp *w, const struct sim_op *op, uint32_t lane, int code,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

// A row of an instruction table: the instruction's name, the words it accepts, its operands, and
// `pick`.
//
// Words match as a set; words after a ! are required. Types are matched separately, in the order
// written. `operands` has one letter per operand:
//
//   d destination register                 v vector or register destination
//   a register or constant source          V vector or register source
//   p predicate source                     l label
//   P predicate destination                f function
//   m memory address                       c call list
//   t tensor map and coordinates
//   x operand that is ignored and has no slot
//   i constant that `pick` reads from the statement; it has no slot either
//
// `pick` inspects words and types. It returns the handler, or NULL if there is no such form, which
// decode.c then reports.
//
// A register must agree with the type of its operand, and a constant takes the operand's width. An
// operand has the instruction's first type, unless a mark after its letter selects another one: a
// digit n for types[n] ("da1" of set), w for 32 bits ("daaaw" of shf, "dwa" of popc), + for twice
// the first type ("d+aaa+" of mad.wide.u32), q for 64 bits (a descriptor), h for 16 bits (a mask of
// blocks). These marks may follow:
//
//   ?  the operand is optional
//   >  its register may be wider (loads, stores, conversions); for v and V, elements are checked
//      only with this mark
//   _  it may be the sink
//   |  it may be a pair d|p
//   -  its register may have a minus
//   .  its register may have a selector such as .h1
//
// For an omitted optional operand and for a sink, o[i] is SIM_NO_OPERAND. The second register of a
// pair is o[5], or SIM_NO_OPERAND. `list` holds the elements of all v and V operands in the order
// written, where a lone register counts as one element, and o[i] is the index of the operand's
// first element. For a t operand, o[i] is the map's address and o[5] the index of its first
// coordinate in `list`. `o`, `list` and `wide` are complete when `pick` is called.
struct sim_words {
    enum sim_type type[4];
    uint32_t types;
    const struct sim_statement *statement;
    const struct sim_function *function; // function that contains the statement
    const struct sim_module *module;
    enum sim_space named; // state space of the variable whose address is an operand; SIM_GENERIC:
                          // none
    // If `pick` returns NULL, it may first set this to an error message, or to "" if the statement
    // belongs to another row.
    const char **why;
};
// Returns true if the statement has the word.
bool sim_has(const struct sim_words *words, const char *word);
// Returns the state space that the words name. For `shared::cta` it is SIM_SHARED.
enum sim_space sim_space_of(const struct sim_words *words);

typedef sim_handler *sim_pick(const struct sim_words *words, struct sim_op *op);

struct sim_instruction {
    const char *name, *words, *operands;
    sim_pick *pick;
};
// A loaded module: its code, its variables in memory, and its kernels.
struct sim_program;
struct sim_kernel {
    const char *name;
    const struct sim_code *code;
};

// Looks up an address in the driver's table of accessible memory, after a miss in the cache. On
// success returns true, with the range that contains the address in `out`. `generation` changes
// whenever a range is freed.
bool sim_memory_find(uint64_t address, struct sim_range *out);
extern _Atomic uint64_t sim_memory_generation;
// Registers a range. Variables of modules are ranges too.
void sim_memory_add(uint64_t base, uint64_t bytes, int device);
// Removes a range. `by` is the name of the freeing call, for reports: a static string or NULL.
void sim_memory_remove(uint64_t base, const char *by);
// Sets the device that owns a range.
void sim_memory_own(uint64_t base, int device);
// Describes an access that does not lie in a single allocation, as in "4 bytes past the end of an
// allocation of 400 bytes".
void sim_memory_words(uint64_t address, uint64_t bytes, char *out, size_t out_bytes);
#define SIM_S(count) ((count) == 1 ? "" : "s") // plural ending

#endif
