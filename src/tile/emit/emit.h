// PTX of a kernel: what the files of this folder share.
//
// A tile value is an array of registers, one for each register index of its layout; a scalar is one
// register, the same in every thread. bool is a predicate; integers up to 32 bits, f32 and 8-bit
// floats are .b32, small integers extended to it; f16 and bf16 are .b16; the rest .b64. What a loop
// carries keeps its registers: argument, result and the next value are the same ones.
#ifndef CUCORE_TILE_EMIT_EMIT_H
#define CUCORE_TILE_EMIT_EMIT_H

#include "tile/ir/budget.h"
#include "tile/ir/target.h"
#include "tile/signature/entry.h"
#include "tile/ir/diagnostic.h"
#include "tile/ir/words.h"
#include "tile/ir/layout.h"
#include "tile/pass/facts.h"
#include "tile/ir/scalar.h"
#include "tile/ir/text.h"

// A register, or a constant where an instruction takes one.
enum tile_register_class { TILE_PRED, TILE_R16, TILE_R32, TILE_R64, TILE_REGISTER_CLASSES };
typedef uint32_t tile_register; // class << 28 | number, from 1
#define TILE_NO_REGISTER 0u
#define TILE_REGISTER_CLASS(r) ((enum tile_register_class)((r) >> 28))

// A size that is known now or when the kernel runs: 64 bits, the same in every thread.
struct tile_size {
    tile_register reg; // TILE_NO_REGISTER: value
    int64_t value;
};

// A tensor or slice as accesses see it.
struct tile_emit_view {
    tile_register base;                                            // address of element 0
    struct tile_size extent[TILE_MAX_RANK], stride[TILE_MAX_RANK]; // stride in elements
    uint32_t rank;
    cuc_dtype dtype;
    uint32_t aligned; // bytes that base and all strides but the last are multiples of
};

// Coordinates of the calling thread along an axis of a layout, made once.
struct tile_coordinate_entry {
    const struct tile_layout *layout;
    uint32_t axis;
    tile_register reg;
};

// Where a 16-bit register came from.
struct tile_half {
    tile_register word; // TILE_NO_REGISTER: from no word that is known
    bool upper;
};

struct tile_ahead;
struct tile_ring;
struct tile_ring_ahead;

enum { TILE_SHARED_FREE, TILE_SHARED_BUSY, TILE_SHARED_PART };

struct tile_emitter {
    struct tile_module *module;
    const struct tile_kernel *kernel;
    const struct tile_target *target;
    enum tile_variant variant;
    uint32_t warps;
    const struct tile_facts *facts; // of the kernel's integers
    const struct tile_use_count *uses;   // by value id
    uint64_t stored; // tensors that the kernel writes, by the bit of the parameter
    struct tile_text *text;         // where instructions go: prologue or body
    struct tile_text prologue, body,
        globals; // what is computed once at the start; strings and the like
    uint32_t next[TILE_REGISTER_CLASSES];
    uint32_t next_label, next_global, instructions;
    tile_register **value;       // by value id
    struct tile_emit_view *view; // by value id
    struct tile_coordinate_entry *coordinate;
    uint32_t coordinates, coordinate_room;
    struct tile_half *half; // by the number of a 16-bit register
    uint32_t half_room;
    tile_register zero[3]; // what is 0 and does not look so, of each time that words are widened
    tile_register reduced; // 32 bits of what came together last; TILE_NO_REGISTER
    tile_register tid, lane, warp;     // made in the prologue
    tile_register block[3], blocks[3]; // 64 bits
    tile_register shared;              // address of the scratch in shared memory, 32 bits
    uint32_t shared_bytes;             // of the scratch: the most that an op needs
    uint32_t shared_busy; // somebody may still be reading it: TILE_SHARED_PART, or else all of it
    uint32_t busy_from, busy_to; // that part
    uint32_t parameter_at[64];   // of each parameter in the entry's block of bytes
    uint32_t parameter_bytes;
    // Tensors that were read or written since the last barrier, by the bit of the parameter.
    uint64_t read, written;
    bool presumes_apart; // a barrier was spared, since tensors are known to be apart at launch
    struct tile_emit_loop *loop;
    uint32_t line; // of the last .loc
    bool wants_printf, wants_assert;
    uint32_t frame_bytes;   // of local memory, for what vprintf is given
    bool has_two_over_pi;   // math_trig.c's table is among the globals
    struct tile_ring *ring; // of an entry with roles (pipeline.h); NULL: all threads do the same
    const struct tile_op **waiting; // by value id: the op whose registers are made when asked for
    struct tile_access *coming;     // the last load that waits so (access.h)
    const struct tile_ahead *ahead; // the loop whose loads run ahead (async.c); NULL
    struct tile_ring_ahead *ring_ahead;
    uint32_t ahead_bytes; // of its stages
    uint32_t ahead_below; // of the scratch, while they are there
    bool alone;           // one warp goes through the loop that is emitted (alone.c)
    bool failed;
};

struct tile_emit_loop {
    const struct tile_op *op;
    uint32_t again, end;    // labels
    uint64_t read, written; // as the emitter's, on all ways out
    struct tile_emit_loop *outer;
};

// ptx.c
tile_register tile_new(struct tile_emitter *e, enum tile_register_class class);
enum tile_register_class tile_class_of(cuc_dtype dtype);
// "%r12"; of several in one call up to 16 live at once.
const char *tile_name(tile_register r);
// "{%r1, %r2}", the module's.
const char *tile_register_list(struct tile_emitter *e, const tile_register *r, uint32_t count);
// An instruction: `format` without the semicolon; %R takes a tile_register.
void tile_ins(struct tile_emitter *e, const char *format, ...);
// The same with a new register of a class as its first %R, which is given back.
tile_register tile_make(struct tile_emitter *e, enum tile_register_class class, const char *format,
                        ...);
uint32_t tile_label(struct tile_emitter *e);
void tile_put_label(struct tile_emitter *e, uint32_t label);
void tile_branch(struct tile_emitter *e, tile_register predicate, bool negated, uint32_t label);
void tile_move(struct tile_emitter *e, tile_register to, tile_register from);
// Registers of a value; made, of its layout's number, when it has none yet.
tile_register *tile_registers(struct tile_emitter *e, const struct tile_value *value);
uint32_t tile_register_count(const struct tile_value *value);
// elementwise.c: registers `first` to `end` - 1 of a value that may be waiting are there, in
// e->value.
enum { TILE_PART = 8 }; // registers that are best made together
bool tile_hurry(struct tile_emitter *e, const struct tile_value *value, uint32_t first,
                uint32_t end);
// Whether a value is waiting, and is made of one tile alone, beside scalars.
bool tile_waits(const struct tile_emitter *e, const struct tile_value *value);
// All that waits as it is now, and back to it: what has been made since is made again.
struct tile_waiting {
    const struct tile_op **op; // by value id, as the emitter's
    tile_register **reg;
    tile_register zero[3];
};
bool tile_keep_waiting(struct tile_emitter *e, struct tile_waiting *kept);
void tile_wait_again(struct tile_emitter *e, const struct tile_waiting *kept);
// side.c: those of a tile that was loaded by the way (ring.h).
bool tile_emit_side(struct tile_emitter *e, const struct tile_op *op, uint32_t first, uint32_t end);
// A constant in a register: of a dtype, and a number of 32 or 64 bits.
tile_register tile_constant_register(struct tile_emitter *e, cuc_dtype dtype, uint64_t element);
tile_register tile_number32(struct tile_emitter *e, int32_t value);
tile_register tile_number64(struct tile_emitter *e, int64_t value);
tile_register tile_size_register(struct tile_emitter *e, const struct tile_size *size);
// Run what follows in the prologue, and back.
struct tile_text *tile_into_prologue(struct tile_emitter *e);
// The coordinate of the calling thread along an axis: registers of it are not counted in.
tile_register tile_thread_coordinate(struct tile_emitter *e, const struct tile_layout *layout,
                                     uint32_t axis);
// The most that it can be.
uint32_t tile_thread_reach(const struct tile_layout *layout, uint32_t axis);
// The part of the coordinate that a register index gives.
uint32_t tile_register_coordinate(const struct tile_layout *layout, uint32_t index, uint32_t axis);
// A barrier of the block.
void tile_barrier(struct tile_emitter *e);
// The scratch in shared memory, free to be written by all: a barrier goes before when it is needed.
tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes);
// A small part of it, at *at: beside what is still being read, so that mostly no barrier goes
// before.
tile_register tile_scratch_beside(struct tile_emitter *e, uint32_t bytes, uint32_t *at);
// Everybody has written; it is read from now on.
void tile_scratch_written(struct tile_emitter *e);
// True for elements of the logical tile; TILE_NO_REGISTER when register `index` holds such in every
// thread. Another when it holds none: *none.
tile_register tile_inside_tile(struct tile_emitter *e, const struct tile_value *value,
                               uint32_t index, bool *none);
bool tile_cannot(struct tile_emitter *e, const struct tile_op *op, const char *why);

// halves.c: a word's two 16-bit registers; the word of two such, made when it is none that they
// came from; and the word that one came from, of which it is the upper half or not.
void tile_split(struct tile_emitter *e, tile_register word, tile_register low, tile_register high);
tile_register tile_join(struct tile_emitter *e, tile_register low, tile_register high);
tile_register tile_word_of(const struct tile_emitter *e, tile_register half, bool *upper);
// A move to a register of any class; to a half its word comes along.
void tile_move_half(struct tile_emitter *e, tile_register to, tile_register from);

// An f32 of a half, by other instructions than the last time.
tile_register tile_widen_again(struct tile_emitter *e, cuc_dtype dtype, tile_register x,
                               uint32_t time);

// exchange.c: registers of any class.
// p ? x : y
tile_register tile_select(struct tile_emitter *e, tile_register p, tile_register x,
                          tile_register y);
// p and q, of which either may be TILE_NO_REGISTER: true.
tile_register tile_both(struct tile_emitter *e, tile_register p, tile_register q);
// What the lane with the other bits of `mask`, or lane `lane`, has in the same register.
tile_register tile_shuffle_xor(struct tile_emitter *e, tile_register x, uint32_t mask);
tile_register tile_shuffle_from(struct tile_emitter *e, tile_register x, tile_register lane);
// What the lane `distance` lanes before has, or behind; nothing of use where there is none.
tile_register tile_shuffle_along(struct tile_emitter *e, tile_register x, uint32_t distance,
                                 bool behind);
// Bits of x moved together: the k-th bit of `mask` becomes bit k.
tile_register tile_compress(struct tile_emitter *e, tile_register x, uint32_t mask);
// The bits of a thread's number that make no other element: copies. True in one thread of those
// that hold the same; TILE_NO_REGISTER when no two do.
uint32_t tile_copies(const struct tile_layout *layout);
tile_register tile_one_copy(struct tile_emitter *e, const struct tile_layout *layout);
// A register that holds the same element as a lower one.
bool tile_repeats(const struct tile_layout *layout, uint32_t r);
// What the thread that tile_one_copy() names has in its registers that repeat no other, to all that
// hold the same elements.
void tile_spread_copies(struct tile_emitter *e, const struct tile_value *value,
                        const tile_register *reg);
// The hardware bit that flips this coordinate bit alone; TILE_MAX_HARDWARE_BITS: there is none.
uint32_t tile_hardware_bit(const struct tile_layout *layout, uint32_t coordinate);
// The coordinate of register `index` along an axis in the calling thread.
tile_register tile_element_coordinate(struct tile_emitter *e, const struct tile_value *value,
                                      uint32_t index, uint32_t axis);
// A tile in shared memory, row by row from `at` on, which is a multiple of 16, without padding:
// from the registers of a value's layout and into them.
uint32_t tile_shared_bytes(const struct tile_value *value);
bool tile_shared_fits(struct tile_emitter *e, const struct tile_op *op, uint64_t bytes);
void tile_write_shared(struct tile_emitter *e, const struct tile_value *value,
                       const tile_register *reg, tile_register shared, int64_t at);
void tile_read_shared(struct tile_emitter *e, const struct tile_value *value,
                      const tile_register *reg, tile_register shared, int64_t at);

// convert.c: the registers of one layout from those of another of the same elements. True when
// registers of the thread are enough: they are given other names. Else through shared memory, of
// which it takes so much.
bool tile_rename(const struct tile_layout *from, const tile_register *in,
                 const struct tile_layout *to, tile_register *out);
void tile_convert(struct tile_emitter *e, cuc_dtype dtype, const struct tile_layout *from,
                  const tile_register *in, const struct tile_layout *to, const tile_register *out);
uint64_t tile_convert_bytes(cuc_dtype dtype, const struct tile_layout *layout);

// element.c, math.c: one element.
tile_register tile_emit_scalar_op(struct tile_emitter *e, const struct tile_op *op, cuc_dtype dtype,
                                  const tile_register *x);
tile_register tile_emit_binary(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                               bool nan, tile_register x, tile_register y);
tile_register tile_emit_combine(struct tile_emitter *e, enum tile_combine with, cuc_dtype dtype,
                                bool nan, tile_register x, tile_register y);
// cast.c
tile_register tile_emit_cast(struct tile_emitter *e, cuc_dtype to, cuc_dtype from,
                             enum tile_round round, tile_register x);
// f32 of f16 or bf16 and back; f64 and f32 stay.
tile_register tile_widen(struct tile_emitter *e, cuc_dtype dtype, tile_register x);
tile_register tile_narrow(struct tile_emitter *e, cuc_dtype dtype, tile_register x);
// rounded.c: one that says how it rounds; an f32 without what is subnormal.
tile_register tile_emit_rounded(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                struct tile_rounding how, bool nan, const tile_register *x);
tile_register tile_emit_flush(struct tile_emitter *e, tile_register x);
// divide.c: of two f32, a branch for a call.
tile_register tile_divide(struct tile_emitter *e, tile_register n, tile_register d);
// places.c: registers of a comparison that is `near`, where its left side is a count; else false.
bool tile_emit_near(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                    uint32_t first, uint32_t end);
// divide_constant.c: a floor, cdiv or modulus of i64 by a number above 2 that is no power of two.
tile_register tile_divide_by_constant(struct tile_emitter *e, enum tile_op_kind kind,
                                      tile_register x, uint64_t divisor);
// fp8.c: a byte of e4m3 or e5m2 of an f32, and back.
tile_register tile_to_fp8(struct tile_emitter *e, cuc_dtype to, tile_register x);
tile_register tile_of_fp8(struct tile_emitter *e, cuc_dtype from, tile_register x);
// math.c: a function of f32 or f64; TILE_NO_REGISTER when it is none of its own.
tile_register tile_emit_math(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                             tile_register x, tile_register y);

// An op; false after a diagnostic.
typedef bool tile_emit_op(struct tile_emitter *e, const struct tile_op *op);
tile_emit_op tile_emit_elementwise, tile_emit_leaf; // elementwise.c
tile_emit_op tile_emit_index;                       // index.c: block, dim, slice and the like
void tile_emit_parameters(struct tile_emitter *e);
tile_emit_op tile_emit_access;   // access.c: load, store and the like
tile_emit_op tile_emit_elements; // gather.c: gather, scatter, atomic
// Whether any op takes the value.
bool tile_is_used(const struct tile_emitter *e, const struct tile_value *value);
// One element's atomic operation; `old`: TILE_NO_REGISTER when nobody asks for it. `words`: its
// order and scope; x[1] of cas.
void tile_emit_atomic(struct tile_emitter *e, const char *words, enum tile_combine with,
                      cuc_dtype dtype, tile_register old, tile_register address, int64_t offset,
                      const tile_register *x, tile_register predicate);
tile_emit_op tile_emit_reduce, tile_emit_arg;   // reduce.c
tile_emit_op tile_emit_scan;                    // scan.c
tile_emit_op tile_emit_sort;                    // sort.c: sort, topk
tile_emit_op tile_emit_histogram;               // histogram.c
tile_emit_op tile_emit_shape;                   // shape.c
tile_emit_op tile_emit_mma, tile_emit_mma_sync; // mma.c, mma_sync.c
tile_emit_op tile_emit_philox, tile_emit_asm;   // random.c, inline.c
tile_emit_op tile_emit_print, tile_emit_assert; // report.c
tile_emit_op tile_emit_grid;                    // index.c
// control.c: one op that is no control flow; the ops of a block.
bool tile_emit_one(struct tile_emitter *e, const struct tile_op *op);
bool tile_emit_block(struct tile_emitter *e, const struct tile_block *block);
// One op, control flow too, but no terminator. Values to others of the same layouts, all at once.
bool tile_emit_next(struct tile_emitter *e, const struct tile_op *op);
void tile_move_values(struct tile_emitter *e, struct tile_value *const *to,
                      struct tile_value *const *from, uint32_t count);
// What a function that combines two makes of `count` values x and as many y, of rank 0; `out` may
// be either of them.
void tile_emit_function(struct tile_emitter *e, const struct tile_block *fn, uint32_t count,
                        const tile_register *x, const tile_register *y, tile_register *out);

// alone.c: a loop that one warp can go through for its block; what comes before it, which leads the
// others to the label `together`; and what comes behind it.
bool tile_is_for_one_warp(const struct tile_emitter *e, const struct tile_op *loop);
void tile_go_alone(struct tile_emitter *e, const struct tile_op *loop, uint32_t together);
void tile_come_together(struct tile_emitter *e, const struct tile_op *loop, uint32_t together);

// kernel.c: one entry; what comes before its body.
void tile_begin_entry(struct tile_emitter *e);
bool tile_open_values(struct tile_emitter *e);
void tile_put_declarations(struct tile_emitter *e, struct tile_text *out);
void tile_put_functions(const struct tile_emitter *e, struct tile_text *out);
// `ahead`: the loop whose loads are to run ahead of it; NULL. False without a diagnostic: not with
// that.
bool tile_emit_entry(struct tile_module *module, const struct tile_kernel *kernel,
                     const struct tile_target *target, uint32_t warps, enum tile_variant variant,
                     const struct tile_ahead *ahead, struct tile_text *out,
                     struct tile_entry *entry);
const char *tile_entry_name(struct tile_module *module, const struct tile_kernel *kernel,
                            enum tile_variant variant);

// memory.c: elements that lie side by side, at an address, which is a 64-bit register (or a 32-bit
// one of shared memory) and a constant. `count` of them make 1 to 16 bytes and are aligned to that.
// `space`: "global", "shared"; `hint`: words that go before it. bool and 8-bit elements have a
// byte.
void tile_emit_load(struct tile_emitter *e, const char *hint, const char *space, cuc_dtype dtype,
                    const tile_register *to, uint32_t count, tile_register address, int64_t offset,
                    tile_register predicate);
void tile_emit_store(struct tile_emitter *e, const char *hint, const char *space, cuc_dtype dtype,
                     const tile_register *from, uint32_t count, tile_register address,
                     int64_t offset, tile_register predicate);
// ".acquire.gpu" and the like of an access; "" of a weak one.
const char *tile_order_words(const struct tile_op *op);
// Before an op that reads or writes a tensor: a barrier when another thread of the block may have
// to come first.
void tile_order_access(struct tile_emitter *e, const struct tile_op *op);
// Whether what it reads or writes may have been written since the last barrier.
bool tile_is_behind_stores(struct tile_emitter *e, const struct tile_op *op);

#endif
