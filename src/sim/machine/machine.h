// Executes decoded PTX: warps of 32 lanes over registers stored as structures of arrays.
//
// A register is 32 adjacent values, one for each lane, at a byte offset in its function's frame.
// Constants and special registers have the same form, so an instruction reads them like any other
// register. A predicate is one 32-bit mask. Executing an instruction is one call of its handler,
// with the mask of the active lanes.
//
// Every lane has its own program counter and frame. A warp runs the lanes at one instruction
// together. It picks the lanes deepest in calls, and among those the lowest instruction, so
// diverged lanes reconverge. A group that keeps running while others wait yields to them, so lanes
// may wait for one another. The same holds for the warps of a block and the blocks of a grid.
#ifndef CUCORE_SIM_MACHINE_MACHINE_H
#define CUCORE_SIM_MACHINE_MACHINE_H

#include "sim/ptx/ptx.h"

#include <stdatomic.h>

enum {
    SIM_WARP = 32,
    SIM_MAX_LIST = 256, // total over all v and V operands of an instruction
    SIM_BARRIERS = 17,  // 0 to 15 of a block, and the cluster barrier
    SIM_BARRIER_CLUSTER = 16,
};
#define SIM_ALL_LANES UINT32_MAX
#define SIM_NO_OPERAND UINT32_MAX

struct sim_warp;
struct sim_op;
struct sim_race;
struct sim_steps;

// A handler's result, for the loop that called it.
enum sim_next {
    SIM_NEXT,    // continue with the next instruction
    SIM_JUMP,    // all lanes of the group continue at w->pc, which the handler set
    SIM_REGROUP, // lanes diverged: the handler placed every lane of w->active (sim_place)
    SIM_WAIT,    // lanes of the mask are in w->blocked, and continue after this instruction once
                 // woken
    SIM_RETRY,   // lanes of the mask repeat this instruction later; others run first
    SIM_FAULT,   // sim_fault() recorded an error: the grid ends
};

typedef enum sim_next sim_handler(struct sim_warp *w, const struct sim_op *op, uint32_t mask);

// A decoded instruction. Operands are byte offsets into the frame: o[0] is the destination if there
// is one, followed by the sources in the order written. `extra` and `list` hold everything else, as
// the instruction's table row defines.
struct sim_op {
    sim_handler *run;
    uint32_t guard;      // frame offset of the guard predicate, or SIM_NO_GUARD
    uint32_t guard_flip; // 0, or UINT32_MAX for @!p
    uint32_t o[6];
    int64_t offset;       // offset of an address operand
    uint32_t wide;        // bit i: the address base in o[i] is a 64-bit register, else 32-bit
    uint32_t extra;       // sub-operation, flags or branch target; each handler defines it
    uint32_t cache;       // index of the range cache, for ld/st
    uint32_t list_count;  // vector elements, call arguments
    const uint32_t *list; // frame offsets
    const void *data;     // the called function, a table of targets, ...
    uint32_t line;        // line in the PTX
    uint32_t statement;   // index in the function, to find its .loc
};

// A function ready to run. A frame consists of registers and, from `image_at` on, the constants in
// `image`. Its slots for launch constants (%ntid.x ...), lane constants (%tid.x ...) and addresses
// of shared and local variables are filled when a frame is created.
struct sim_code {
    const char *name;
    const struct sim_function *source;
    struct sim_op *ops; // ends with an exiting op, so falling off the end is ret
    uint32_t op_count;
    uint32_t frame_bytes;
    uint32_t image_at, image_bytes;
    const unsigned char *image;
    struct {
        uint32_t special; // enum sim_special
        uint32_t at;      // frame offset
    } * specials;         // special registers it reads that do not change while it runs
    uint32_t special_count;
    struct {
        enum sim_space space;
        uint32_t symbol; // SIM_SHARED: index of the entry's shared_at; SIM_LOCAL: byte offset
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
    uint32_t stack_bytes;        // entries: one lane's stack, including callees
    bool deep;                   // entries: the call depth is unknown, or it uses alloca
    uint32_t shared_bytes;       // entries: reachable static shared memory, including callees
    uint32_t dynamic_at;         // entries: start of dynamic shared memory
    const uint32_t *shared_at;   // entries: offset of each shared variable of the program
    const unsigned char *actors; // [statements + 1] for the race check (check_agents.h), or NULL
    uint32_t index;              // index of the function in its module
};

// The registers of one call: offsets in sim_op start at `f`.
struct sim_frame {
    struct sim_frame *caller;
    const struct sim_code *code;
    uint32_t return_pc;  // pc in the caller
    uint32_t lanes;      // lanes still running in it
    uint32_t local_base; // start of its locals in each lane's stack
    uint32_t depth;
    struct sim_frame *next_free;
    unsigned char *param; // [32][param_bytes]: arguments and results, one copy for each lane
    _Alignas(64) unsigned char f[];
};

struct sim_warp {
    // The running group, for handlers.
    unsigned char *f;
    struct sim_frame *frame;
    uint32_t pc;
    uint32_t active;

    struct sim_block *block;
    uint32_t index;                 // index in the block
    uint32_t exists;                // lanes within the block's size
    uint32_t alive;                 // lanes that have not exited
    uint32_t blocked;               // lanes that wait at a barrier
    uint32_t yielded;               // lanes that let other lanes of the warp run first
    uint32_t ready;                 // lanes woken from barrier.red that still fetch their result
    uint32_t waiting[SIM_BARRIERS]; // lanes that wait at each barrier
    uint32_t cluster_arrived;       // lanes at barrier.cluster, in the current phase
    uint32_t lane_pc[SIM_WARP]; // pcs of the lanes in w->active: valid only when a handler placed
                                // them
    struct sim_frame *lane_frame[SIM_WARP];
    uint32_t carry;               // carry flags of add.cc and its kin: one bit for each lane
    unsigned char *local;         // [32][stack_bytes of the grid]
    uint32_t stack_top[SIM_WARP]; // bytes taken by alloca, from the end of a lane's stack
    uint32_t asleep;              // lanes in nanosleep, in the current scheduler round
    uint32_t sleep_ns;            // shortest of their times
    bool looked; // read global memory that threads outside its cluster write, in the
                 // current round
    uint32_t patience, try_failed; // the cluster's value when mbarrier.try_wait last failed, and
                                   // the failing lanes
    uint64_t instructions;         // executed instructions times lanes, for the bench
    struct sim_frame *entry;       // frame in which lanes start
    struct sim_worker *worker;
    struct sim_range *caches; // [module's cache count], of the worker
};

// A range of accessible memory: an allocation or a module's variable.
struct sim_range {
    uint64_t base, end;  // [base, end)
    uint64_t generation; // generation of the memory table at the lookup
    int device;          // device that owns it; SIM_ANY_DEVICE: accessible to all
};
#define SIM_ANY_DEVICE (-1)

struct sim_barrier {
    uint32_t expected; // number of threads; 0: none wait; SIM_ALL_THREADS: all that have not exited
    uint32_t arrived;  // counts whole warps: a nonexistent lane arrives with its warp
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
    unsigned char *shared;   // static, then dynamic shared memory
    unsigned char *reserved; // [SIM_RESERVED_BYTES], behind `shared`
    uint32_t shared_bytes;
    struct sim_barrier barriers[16];
    uint32_t alive;      // threads that have not exited
    uint32_t open;       // barriers with waiting or arrived threads: one bit each
    uint64_t *mbarriers; // locations of mbarriers in `shared`, one bit for each 8 bytes; NULL: none
                         // yet
    // State of the enabled checks (check.h), else NULL.
    uint64_t *written; // one bit for each byte of `shared`
    struct sim_race *race;
    struct sim_steps *steps; // [warp_count]
};

struct sim_cluster {
    struct sim_block **blocks;
    uint32_t count;
    uint32_t arrived; // threads at barrier.cluster
    // mbarrier.try_wait blocks lanes until `patience` grows; then it reports failure to them.
    uint32_t patience;
    uint32_t stalled; // consecutive rounds in which only such waits ran
    bool waits;       // lanes were blocked this way in the current round
};

// One kernel launch.
struct sim_grid {
    const struct sim_program *program;
    const struct sim_code *entry;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes; // dynamic shared memory
    unsigned char *params; // the entry's parameter buffer
    int cooperative;
    uint64_t workspace; // cooperative grids: their size and a word for barriers; %envreg1 and 2
    uint64_t id;
    uint32_t stack_limit;  // stack of a lane in a deep entry; 0: 1 KiB
    uint32_t stack_bytes;  // stack of a lane; sim_grid_run() computes it
    struct sim_heap *heap; // heap of malloc(); NULL: none
    int device;
    uint32_t clock_khz; // rate of %clock; 0: it counts nanoseconds
    uint64_t context;   // driver's handle
    // Returns true if the grid may access memory of another device; otherwise `why` says how to
    // allow it. NULL: all accesses are allowed.
    bool (*peer)(const struct sim_grid *grid, const struct sim_range *range, char *why,
                 size_t why_bytes);
    uint64_t deadline; // on the monotonic clock, in ns; 0: none
    _Atomic int fault; // CUresult of the first fault; 0: none
    char report[1024]; // kernel, line, block, thread, address of the first fault
    _Atomic uint64_t instructions;
};

// Address windows. Global and constant memory is host memory under its own address. Addresses of
// .shared and .local are offsets; their generic forms lie in windows that contain no host address.
#define SIM_WINDOW_SHARED (UINT64_C(1) << 56) // | cluster rank << 24 | offset
#define SIM_WINDOW_LOCAL (UINT64_C(2) << 56)  // | offset in the lane's stack
#define SIM_WINDOW_PARAM (UINT64_C(3) << 56)  // | offset in the entry's parameters
#define SIM_WINDOW(address) ((address) >> 56)
#define SIM_RANK_SHIFT 24
// Memory of a block beside its shared memory, for the toolkit's headers: cooperative groups keep
// barriers there (%reserved_smem_offset_1). It is separate, so all other accesses to it are out of
// bounds.
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
// 8- and 16-bit registers occupy 32 bits. The bits above the value are undefined, so mask a source.
// A 128-bit register is two 64-bit ones, low half first: SIM_R64(w, at) and SIM_R64(w, at + 256).

// Sets where lanes continue in the running frame, before SIM_REGROUP.
static inline void sim_place(struct sim_warp *w, uint32_t lanes, uint32_t pc)
{
    for (; lanes; lanes &= lanes - 1)
        w->lane_pc[__builtin_ctz(lanes)] = pc;
}
// The index of an instruction in the running frame.
#define SIM_PC(w, op) ((uint32_t)((op) - (w)->frame->code->ops))

// Returns the address of an m operand in a lane: its base, 32 or 64 bits wide, plus its offset.
static inline uint64_t sim_address(const struct sim_warp *w, const struct sim_op *op,
                                   uint32_t operand, uint32_t lane)
{
    if (op->wide >> operand & 1)
        return SIM_R64(w, op->o[operand])[lane] + (uint64_t)op->offset;
    return SIM_R32(w, op->o[operand])[lane] + (uint64_t)op->offset;
}

// Returns the rank, from 0, of the block that a shared address refers to.
static inline uint32_t sim_rank_of(const struct sim_warp *w, uint64_t address)
{
    uint32_t rank = (uint32_t)((address & ((UINT64_C(1) << 56) - 1)) >> SIM_RANK_SHIFT);
    return rank ? rank - 1 : w->block->cluster_rank;
}
// Maps a shared address to the same offset in another block; a generic address stays generic.
static inline uint64_t sim_in_rank(uint64_t address, uint32_t rank)
{
    return (address & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank + 1) << SIM_RANK_SHIFT;
}

// Runs a statement for every lane of a mask; vectorizes when all 32 are set.
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

// Records a fault of a lane. `code` is the CUresult, `fmt` describes the fault, such as "read of 4
// bytes past the end of an allocation of 400 bytes". Adds kernel, PTX line, source line, block and
// thread. Returns SIM_FAULT.
enum sim_next sim_fault(struct sim_warp *w, const struct sim_op *op, uint32_t lane, int code,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

// A row of an instruction table: the name, the words it accepts, its operands, and `pick`.
//
// Words match as a set; words after a ! are required. Types are separate, in the order written.
// `operands` has one letter for each operand: d destination register, a register or constant
// source, p predicate source, P predicate destination, m memory address, t tensor map and
// coordinates, v vector or register destination, V vector or register source, l label, f function,
// c call list, x an operand that is ignored and has no slot, i a constant that `pick` reads from
// the statement and that has no slot either. `pick` inspects words and types and returns the
// handler, or NULL if there is no such form (decode.c then reports it).
//
// A register must agree with the type of its operand, and a constant takes the operand's width.
// The operand's type is the instruction's first type unless a mark after the letter selects another
// one: a digit n for types[n] ("da1" of set), w for 32 bits ("daaaw" of shf, "dwa" of popc), + for
// twice the first type ("d+aaa+" of mad.wide.u32), q for 64 bits (a descriptor), h for 16 (a mask
// of blocks). Further marks follow: ? the operand is optional, > its register may be wider (loads,
// stores, conversions), _ it may be the sink, | it may be a pair d|p, - its register may have a
// minus, . its register may have a selector such as .h1. The elements of v and V are checked only
// with >.
//
// An omitted optional operand or a sink has o[i] SIM_NO_OPERAND. The second register of a pair is
// o[5], or SIM_NO_OPERAND. `list` holds the elements of all v and V operands in the order written
// (a lone register counts as one element), and o[i] of such an operand is the index of its first
// element. For a t operand o[i] is the map's address and o[5] the index of its first coordinate in
// `list`. o[], list and wide are complete when `pick` is called.
struct sim_words {
    enum sim_type type[4];
    uint32_t types;
    const struct sim_statement *statement;
    const struct sim_function *function; // function that contains the statement
    const struct sim_module *module;
    enum sim_space named; // space of the variable whose address is an operand; SIM_GENERIC: none
    // Before `pick` returns NULL, it may set this to an error message, or to "" when the statement
    // belongs to another row.
    const char **why;
};
// Returns true if the statement has the word.
bool sim_has(const struct sim_words *words, const char *word);
// Returns the space that the words name; `shared::cta` is SIM_SHARED.
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

// Looks up an address in the driver's table of the memory that a grid may access, on a cache miss.
// Returns true and the range that contains the address. `generation` changes whenever a range is
// freed.
bool sim_memory_find(uint64_t address, struct sim_range *out);
extern _Atomic uint64_t sim_memory_generation;
// Registers a range; module variables are ranges too.
void sim_memory_add(uint64_t base, uint64_t bytes, int device);
// Removes a range. Reports name the freeing call `by`, which must be a static string; NULL: reports
// do not mention the call.
void sim_memory_remove(uint64_t base, const char *by);
// Sets the owning device.
void sim_memory_own(uint64_t base, int device);
// Describes the position of an access that lies in no single allocation: "4 bytes past the end of
// an allocation of 400 bytes", ...
void sim_memory_words(uint64_t address, uint64_t bytes, char *out, size_t out_bytes);
#define SIM_S(count) ((count) == 1 ? "" : "s") // plural ending

#endif
