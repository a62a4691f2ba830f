// How decoded PTX runs: warps of 32 lanes over registers kept as structures of arrays.
//
// A register is 32 values side by side, one a lane, at a byte offset of its function's frame;
// constants and special registers lie in the frame in the same way, so that an instruction reads
// them like any other register. A predicate is one 32-bit mask. An instruction is one call of a
// handler with the mask of the lanes that take part.
//
// Every lane has its own program counter and frame. A warp runs the lanes that stand at one place
// together, those deepest in calls first and the lowest place first, which brings diverged lanes
// together again; a group that runs on and on while others wait gives way to them, so that lanes
// may wait for one another. The same holds for warps of a block and blocks of a grid.
#ifndef CUCORE_SIM_MACHINE_MACHINE_H
#define CUCORE_SIM_MACHINE_MACHINE_H

#include "sim/ptx/ptx.h"

#include <stdatomic.h>

enum {
    SIM_WARP = 32,
    SIM_MAX_LIST = 256, // of all v and V operands of an instruction
    SIM_BARRIERS = 17,  // 0 to 15 of a block, and the cluster's
    SIM_BARRIER_CLUSTER = 16,
};
#define SIM_ALL_LANES UINT32_MAX
#define SIM_NO_OPERAND UINT32_MAX

struct sim_warp;
struct sim_op;
struct sim_race;
struct sim_steps;

// What a handler tells the loop that called it.
enum sim_next {
    SIM_NEXT,    // on to the next instruction
    SIM_JUMP,    // all of the group go on at w->pc, which the handler set
    SIM_REGROUP, // lanes were moved: the handler placed every lane of w->active (sim_place)
    SIM_WAIT,    // lanes of the mask are in w->blocked, and go on after this once they are woken
    SIM_RETRY,   // lanes of the mask try this instruction again later; others go first
    SIM_FAULT,   // an error was recorded with sim_fault(): the grid ends
};

typedef enum sim_next sim_handler(struct sim_warp *w, const struct sim_op *op, uint32_t mask);

// A decoded instruction. Operands are byte offsets into the frame: o[0] is the destination where
// there is one, then sources in the order in which they are written. What else an instruction needs
// stands in `extra` or `list`, as its row of instructions.def says.
struct sim_op {
    sim_handler *run;
    uint32_t guard;      // frame offset of the predicate; SIM_NO_GUARD
    uint32_t guard_flip; // 0, or UINT32_MAX for @!p
    uint32_t o[6];
    int64_t offset;       // of an address operand
    uint32_t wide;        // bit i: the address base in o[i] is a 64-bit register, else a 32-bit one
    uint32_t extra;       // sub-operation, flags, branch target: the handler's own
    uint32_t cache;       // index of the memory range cache, for ld/st
    uint32_t list_count;  // vector elements, call arguments
    const uint32_t *list; // frame offsets
    const void *data;     // the function of a call, a table of targets, ...
    uint32_t line;        // in the PTX
    uint32_t statement;   // index in the function, for its .loc
};

// A function ready to run. A frame is registers, then at `image_at` the constants that `image` has.
// Launch constants (%ntid.x ...), lane constants (%tid.x ...) and the addresses of shared and local
// variables have slots there that are filled in when a frame is made.
struct sim_code {
    const char *name;
    const struct sim_function *source;
    struct sim_op *ops; // closed by an op that exits, so that falling off the end is ret
    uint32_t op_count;
    uint32_t frame_bytes;
    uint32_t image_at, image_bytes;
    const unsigned char *image;
    struct {
        uint32_t special; // enum sim_special
        uint32_t at;      // frame offset
    } * specials;         // those that it reads and that do not change while it runs
    uint32_t special_count;
    struct {
        enum sim_space space;
        uint32_t symbol; // SIM_SHARED: index of the entry's shared_at; SIM_LOCAL: byte offset
        uint32_t at;     // frame offset
        uint32_t bytes;  // 4 or 8
        int64_t addend;
    } * addresses; // of shared and local variables
    uint32_t address_count;
    const struct sim_passed *arguments, *results; // of a function: where it has them
    uint32_t argument_count, result_count;
    uint32_t entry_param_bytes; // of an entry: its parameter buffer
    uint32_t param_bytes;       // of the .param area that each lane has in a frame
    uint32_t local_bytes;       // .local variables of one lane in one call
    uint32_t stack_bytes;       // of an entry: of one lane's stack, callees' part included
    bool deep;                  // of an entry: how deep its calls go is not known, or it has alloca
    uint32_t shared_bytes; // of an entry: static shared memory that it reaches, callees' included
    uint32_t dynamic_at;   // of an entry: where dynamic shared memory starts
    const uint32_t *shared_at;   // of an entry: where each shared variable of the program lies
    const unsigned char *actors; // [statements + 1] of the race check (check_agents.h), or NULL
    uint32_t index;              // of the function in its module
};

// One call's registers: `f` is where offsets of sim_op start.
struct sim_frame {
    struct sim_frame *caller;
    const struct sim_code *code;
    uint32_t return_pc;  // in the caller
    uint32_t lanes;      // that still run in it
    uint32_t local_base; // of its locals in each lane's stack
    uint32_t depth;
    struct sim_frame *next_free;
    unsigned char *param; // [32][param_bytes]: arguments and results, one copy a lane
    _Alignas(64) unsigned char f[];
};

struct sim_warp {
    // The group that runs: what handlers use.
    unsigned char *f;
    struct sim_frame *frame;
    uint32_t pc;
    uint32_t active;

    struct sim_block *block;
    uint32_t index;                 // in the block
    uint32_t exists;                // lanes that the block's size gives it
    uint32_t alive;                 // that have not exited
    uint32_t blocked;               // that wait at a barrier
    uint32_t yielded;               // that let other lanes of the warp go first
    uint32_t ready;                 // woken from barrier.red, with a result to fetch
    uint32_t waiting[SIM_BARRIERS]; // blocked at each barrier
    uint32_t cluster_arrived;       // at barrier.cluster, in the phase that is under way
    uint32_t lane_pc[SIM_WARP]; // of lanes in w->active: only current when a handler placed them
    struct sim_frame *lane_frame[SIM_WARP];
    uint32_t carry;               // of add.cc and its kin: one bit a lane
    unsigned char *local;         // [32][the grid's stack_bytes]
    uint32_t stack_top[SIM_WARP]; // what alloca took, from the end of a lane's stack
    uint32_t asleep;              // lanes in nanosleep, in this turn
    uint32_t sleep_ns;            // the shortest of their times
    bool looked;             // at global memory, where others than its cluster write, in this turn
    uint32_t patience, told; // the cluster's when mbarrier.try_wait failed last, and in which lanes
    uint64_t instructions;   // lane-instructions, for the bench
    struct sim_frame *entry; // the frame that lanes start in
    struct sim_worker *worker;
    struct sim_range *caches; // [module's cache count] of the worker
};

// A piece of memory that may be reached: an allocation, a module's variable.
struct sim_range {
    uint64_t base, end;  // [base, end)
    uint64_t generation; // of the memory table it was looked up in
    int device;          // whose memory it is; SIM_ANY_DEVICE: everyone's
};
#define SIM_ANY_DEVICE (-1)

struct sim_barrier {
    uint32_t expected; // threads; 0: nobody waits; SIM_ALL_THREADS: all that have not exited
    uint32_t arrived;  // whole warps: a lane that does not exist arrives with its warp
    uint32_t waiting;  // lanes
    uint32_t reduction, result; // of barrier.red
};
#define SIM_ALL_THREADS UINT32_MAX

struct sim_block {
    struct sim_grid *grid;
    uint32_t index[3], cluster_rank;
    struct sim_cluster *cluster;
    struct sim_warp *warps;
    uint32_t warp_count, threads;
    unsigned char *shared;   // static, then dynamic
    unsigned char *reserved; // [SIM_RESERVED_BYTES], after those
    uint32_t shared_bytes;
    struct sim_barrier barriers[16];
    uint32_t alive;      // threads that have not exited
    uint32_t open;       // barriers at which threads wait or have arrived: one bit each
    uint64_t *mbarriers; // where in `shared` they are, one bit for 8 bytes; NULL: there is none yet
    // Of the checks that are on (check.h), else NULL.
    uint64_t *written; // a bit for each byte of `shared`
    struct sim_race *race;
    struct sim_steps *steps; // [warp_count]
};

struct sim_cluster {
    struct sim_block **blocks;
    uint32_t count;
    uint32_t arrived; // threads at barrier.cluster
    // mbarrier.try_wait holds lanes back until `patience` grows, then they are told that it failed.
    uint32_t patience;
    uint32_t stalled; // turns in which nothing but such waits ran
    bool waits;       // lanes were held back since the turn began
};

// One launch.
struct sim_grid {
    const struct sim_program *program;
    const struct sim_code *entry;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes; // dynamic
    unsigned char *params; // the entry's parameter buffer
    int cooperative;
    uint64_t workspace; // of a cooperative grid: its size and a word for barriers; %envreg1 and 2
    uint64_t id;
    uint32_t stack_limit;  // bytes of a lane's stack, of a deep entry; 0: 1 KiB
    uint32_t stack_bytes;  // of a lane's stack: sim_grid_run() says
    struct sim_heap *heap; // of malloc(); NULL: there is none
    int device;
    uint32_t clock_khz; // of %clock; 0: it counts nanoseconds
    uint64_t context;   // the driver's, by handle
    // Whether it may reach memory of another device than its own. If not, `why` says what to do.
    // NULL: it may.
    bool (*peer)(const struct sim_grid *grid, const struct sim_range *range, char *why,
                 size_t why_bytes);
    uint64_t deadline; // of the monotonic clock, in ns; 0: none
    _Atomic int fault; // CUresult of the first fault, 0: none
    char report[1024]; // kernel, line, block, thread, address of the first fault
    _Atomic uint64_t instructions;
};

// Address windows. Global and constant memory is host memory under its own address. Addresses of
// .shared and .local are offsets; their generic forms lie in windows that no host address is in.
#define SIM_WINDOW_SHARED (UINT64_C(1) << 56) // | cluster rank << 24 | offset
#define SIM_WINDOW_LOCAL (UINT64_C(2) << 56)  // | offset in the lane's own stack
#define SIM_WINDOW_PARAM (UINT64_C(3) << 56)  // | offset in the entry's parameters
#define SIM_WINDOW(address) ((address) >> 56)
#define SIM_RANK_SHIFT 24
// What a block has beside its shared memory, for the toolkit's headers: cooperative groups keep
// barriers there (%reserved_smem_offset_1). Apart, so that it is out of bounds for everyone else.
#define SIM_RESERVED_AT (UINT32_C(1) << 23)
#define SIM_RESERVED_BYTES 1024

// Registers of the running frame.
#define SIM_R32(w, at) ((uint32_t *)(void *)((w)->f + (at)))
#define SIM_R64(w, at) ((uint64_t *)(void *)((w)->f + (at)))
#define SIM_RS32(w, at) ((int32_t *)(void *)((w)->f + (at)))
#define SIM_RS64(w, at) ((int64_t *)(void *)((w)->f + (at)))
#define SIM_RF32(w, at) ((float *)(void *)((w)->f + (at)))
#define SIM_RF64(w, at) ((double *)(void *)((w)->f + (at)))
#define SIM_RP(w, at) (*(uint32_t *)(void *)((w)->f + (at)))
// 8 and 16 bit registers take 32 bits; what is above the value is not defined, so mask what you
// read. A 128-bit register is two of 64, low half first: SIM_R64(w, at) and SIM_R64(w, at + 256).

// Say where lanes go on, in the running frame, before SIM_REGROUP.
static inline void sim_place(struct sim_warp *w, uint32_t lanes, uint32_t pc)
{
    for (; lanes; lanes &= lanes - 1)
        w->lane_pc[__builtin_ctz(lanes)] = pc;
}
// The index of an instruction of the running frame.
#define SIM_PC(w, op) ((uint32_t)((op) - (w)->frame->code->ops))

// The address that an m operand has in a lane: its base, 32 or 64 bits wide, plus its offset.
static inline uint64_t sim_address(const struct sim_warp *w, const struct sim_op *op,
                                   uint32_t operand, uint32_t lane)
{
    if (op->wide >> operand & 1)
        return SIM_R64(w, op->o[operand])[lane] + (uint64_t)op->offset;
    return SIM_R32(w, op->o[operand])[lane] + (uint64_t)op->offset;
}

// The block of the cluster, from 0, that a shared address means.
static inline uint32_t sim_rank_of(const struct sim_warp *w, uint64_t address)
{
    uint32_t rank = (uint32_t)((address & ((UINT64_C(1) << 56) - 1)) >> SIM_RANK_SHIFT);
    return rank ? rank - 1 : w->block->cluster_rank;
}
// The same place in the shared memory of another block; a generic address stays one.
static inline uint64_t sim_in_rank(uint64_t address, uint32_t rank)
{
    return (address & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank + 1) << SIM_RANK_SHIFT;
}

// Run a statement for every lane of a mask, at vector speed for all 32.
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

// Record a fault of a lane: `code` is the CUresult, `what` such as "read of 4 bytes past the end
// of an allocation of 400 bytes". Adds kernel, PTX line, source line, block and thread. Returns
// SIM_FAULT.
enum sim_next sim_fault(struct sim_warp *w, const struct sim_op *op, uint32_t lane, int code,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

// Instructions, in instructions.def:  INSTRUCTION("name", "words it may have", "operands", pick)
//
// Words are matched as a set, and those after a ! must be there; types come apart, in the order
// written. `operands` has one letter an operand: d destination register, a register or constant
// source, p predicate source, P predicate destination, m memory address, t tensor map and
// coordinates, v vector or register destination, V vector or register source, l label, f function,
// c call list, x one that is not looked at and takes no place, i a constant that pick reads from
// the statement itself, which takes no place either. `pick` looks at words and types, and gives the
// handler, or NULL when there is no such form (decode.c then names it).
//
// A register must agree with the type of its operand, and a constant takes its width. That is the
// first type, unless a mark after the letter says otherwise: a digit n for types[n] ("da1" of set),
// w for 32 bits ("daaaw" of shf, "dwa" of popc), + for twice the first type ("d+aaa+" of
// mad.wide.u32), q for 64 bits (a descriptor), h for 16 (a mask of blocks). More marks, after
// those: ? the operand may be left out, > its register may be wider (loads, stores, conversions), _
// it may be the sink, | it may be a pair d|p, - its register may have a minus, . its register may
// have a selector such as .h1. The elements of v and V are not checked, but with >.
//
// An optional operand that is left out has o[i] SIM_NO_OPERAND, and so has a sink; the second of a
// pair is o[5], or SIM_NO_OPERAND. The elements of v and V operands stand in `list`, one operand's
// after the other's in the order written (a lone register counts as one element); o[i] of such an
// operand is the index of its first element there. Of a t operand o[i] is the map's address and
// o[5] the index of its first coordinate in `list`. `pick` is called when o[], list and wide are
// filled.
struct sim_words {
    enum sim_type type[4];
    uint32_t types;
    const struct sim_statement *statement;
    const struct sim_function *function; // that it stands in
    const struct sim_module *module;
    enum sim_space named; // of the variable whose address is an operand; SIM_GENERIC: none
    // pick may say here what it has against a form, before it gives NULL; "" when the statement is
    // one of another row.
    const char **why;
};
// True when the statement has the word.
bool sim_has(const struct sim_words *words, const char *word);
// The space that the words name; `shared::cta` is SIM_SHARED.
enum sim_space sim_space_of(const struct sim_words *words);

typedef sim_handler *sim_pick(const struct sim_words *words, struct sim_op *op);

struct sim_instruction {
    const char *name, *words, *operands;
    sim_pick *pick;
};
// A loaded module: code, variables in memory, kernels.
struct sim_program;
struct sim_kernel {
    const char *name;
    const struct sim_code *code;
};

// The memory that a grid may reach: the driver's table (driver side), consulted on a cache miss.
// True and the range that holds the address; `generation` changes whenever one is freed.
bool sim_memory_find(uint64_t address, struct sim_range *out);
extern _Atomic uint64_t sim_memory_generation;
// Module variables are ranges too.
void sim_memory_add(uint64_t base, uint64_t bytes, int device);
// `by` is what frees it, as a report says it, in memory that stays; NULL: not worth a word.
void sim_memory_remove(uint64_t base, const char *by);
// Say whose it is.
void sim_memory_own(uint64_t base, int device);
// Where an access of some bytes lies that is not in one piece: "4 bytes past the end of an
// allocation of 400 bytes", ...
void sim_memory_words(uint64_t address, uint64_t bytes, char *out, size_t out_bytes);
#define SIM_S(count) ((count) == 1 ? "" : "s") // of a plural

#endif
