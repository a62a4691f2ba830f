// Emits a kernel's PTX: the internal interface of this folder's files.
//
// A tile value is an array of registers, one per register index of its layout. A scalar is one
// register, equal in every thread. bool is a predicate. Integers up to 32 bits, f32 and 8-bit
// floats are .b32, with small integers extended. f16 and bf16 are .b16, and all other types .b64.
// The argument, the result and the next value of a loop-carried variable share registers.
#ifndef CUCORE_TILE_EMIT_EMIT_H
#define CUCORE_TILE_EMIT_EMIT_H

#include "tile/ir/budget.h"
#include "tile/ir/target.h"
#include "tile/signature/entry.h"
#include "tile/ir/diagnostic.h"
#include "tile/ir/words.h"
#include "tile/ir/layout.h"
#include "tile/pass/range_analysis.h"
#include "tile/ir/scalar.h"

#include "access_order.h"
#include "distance.h"
#include "halves.h"
#include "index.h"
#include "ptx.h"
#include "scratch.h"
#include "thread.h"
#include "values.h"

struct tile_prefetch;
struct tile_ring;
struct tile_prefetch_ring;

struct tile_emitter;

// Functions of control.c that lower-level files of this folder call through pointers.
struct tile_dispatch {
    // Emits an op without blocks.
    bool (*one)(struct tile_emitter *e, const struct tile_op *op);
    // Computes registers `first` to `end` - 1 of a deferred op's result.
    bool (*deferred)(struct tile_emitter *e, const struct tile_op *op, uint32_t first,
                     uint32_t end);
};
extern const struct tile_dispatch tile_dispatch;

struct tile_emitter {
    const struct tile_dispatch *dispatch; // &tile_dispatch
    struct tile_module *module;
    const struct tile_kernel *kernel;
    const struct tile_target *target;
    enum tile_variant variant;
    uint32_t warps;
    const struct tile_ranges *ranges; // ranges of the kernel's integers
    bool narrow;                      // extents and distances in bytes are below 2^31
    uint64_t stored;                  // tensors that the kernel writes, one bit per parameter
    struct tile_text *text;           // where instructions go: prologue or body
    struct tile_text prologue, body,
        globals; // `prologue` runs once at the start; `globals` holds strings and other globals
    uint32_t next[TILE_REGISTER_CLASSES];
    uint32_t next_label, next_global, instructions;
    tile_register **value;       // by value id
    struct tile_emit_view *view; // by value id
    struct tile_coordinate_entry *coordinate;
    uint32_t coordinates, coordinate_capacity;
    struct tile_half *half; // indexed by the number of the 16-bit register
    uint32_t half_capacity;
    struct tile_half *byte; // likewise, indexed by the number of the 32-bit register with one byte
    uint32_t byte_capacity;
    struct tile_number *number; // likewise, indexed by the number of the 64-bit register
    uint32_t number_capacity;
    struct tile_inverse *inverse; // of divisors that many divisions share
    uint32_t inverses, inverse_capacity;
    // By value id, of the results of loops and ifs: the words that carry 16-bit elements, if any.
    tile_register **carried_words;
    // Zeros that ptxas cannot recognize as zeros. Successive widenings of words alternate among
    // them.
    tile_register zero[3];
    // A 32-bit register of the last reduction's result, or TILE_NO_REGISTER.
    tile_register reduced;
    tile_register tid, lane, warp;     // computed in the prologue
    tile_register block[3], blocks[3]; // 64 bits
    tile_register shared;              // address of the scratch in shared memory, 32 bits
    uint32_t shared_bytes;             // size of the scratch: the maximum over all ops
    uint32_t shared_busy;              // part of the scratch that a thread may still be reading:
                                       // TILE_SHARED_PART or all of it
    uint32_t busy_from, busy_to;       // the bounds of TILE_SHARED_PART
    // The tile that a shift wrote to the scratch, for later shifts in the block `shared_copy_in`;
    // NULL if there is none.
    const struct tile_value *shared_copy;
    const struct tile_block *shared_copy_in;
    // The tiles that tile_scratch_for() placed in the scratch, for later ops.
    struct {
        const struct tile_value *tile;
        uint32_t at; // offset
    } kept[TILE_MOST_KEPT];
    uint32_t kept_count, kept_end; // offset behind the last one
    uint32_t parameter_at[64];     // offset of each parameter in the parameter block
    uint32_t parameter_bytes;
    // Tensors that were read or written since the last barrier, one bit per parameter.
    uint64_t read, written;
    uint64_t owned;          // tensors each of whose elements only one thread accesses
    bool assumes_no_overlap; // the code omits a barrier, because the launch checks that tensors do
                             // not overlap
    struct tile_emit_loop *loop;
    uint32_t line; // line of the last .loc
    bool wants_printf, wants_assert;
    uint32_t frame_bytes;   // local memory for vprintf's arguments
    bool has_two_over_pi;   // the globals include math_trig.c's table
    struct tile_ring *ring; // ring of a warp-specialized entry (ring.h); NULL if all threads run
                            // the same code
    const struct tile_op **deferred; // by value id: the op to compute on demand, if any
    uint32_t deferred_ops;           // number of ops deferred so far
    // By value id, for tiles of bytes that are read from words which lanes share: registers with
    // each byte in both halves of a word, above it zeros; or NULL.
    tile_register **twice;
    tile_register nibble_factor;             // the factor of bytes in `twice` (packed.c)
    struct tile_access_state *deferred_load; // the last deferred load (access.h)
    const struct tile_prefetch *prefetch;    // the loop with prefetched operands (async.c), or NULL
    struct tile_prefetch_ring *prefetch_ring;
    const struct tile_index_copies *index_copies; // if set, loads become copies (async_index.c)
    uint32_t prefetch_bytes;                      // size of the stages of `prefetch`
    uint32_t prefetch_below; // scratch bytes used up to the loop's end; the stages follow them
    uint32_t *share_at;      // by value id: offset of a shared tile in the scratch (peer.c)
    uint32_t share_bytes;    // size of the tiles that are shared now
    tile_register tallies;   // address of a loop's counters, behind the scratch (histogram.c)
    uint32_t tally_bytes;    // their size; 0: none
    bool single_warp;        // one warp runs the current loop (single_warp.c)
    bool failed;
};

struct tile_emit_loop {
    const struct tile_op *op;
    uint32_t next, end;     // labels
    uint64_t read, written; // tensors read and written before any of the exits, as in the emitter
    struct tile_emit_loop *outer;
};

// elementwise.c: computes the registers `first` to `end` - 1 of the result that are not computed
// yet.
bool tile_emit_elements_of(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                           uint32_t first, uint32_t end);
// side.c: loads the registers of a side tile (ring.h).
bool tile_emit_side(struct tile_emitter *e, const struct tile_op *op, uint32_t first, uint32_t end);
// ptx.c: reports an op that cannot be emitted; returns false.
bool tile_cannot(struct tile_emitter *e, const struct tile_op *op, const char *why);

// exchange.c, for registers of any class: selects p ? x : y.
tile_register tile_select(struct tile_emitter *e, tile_register p, tile_register x,
                          tile_register y);
// ANDs two predicates. TILE_NO_REGISTER counts as true.
tile_register tile_both(struct tile_emitter *e, tile_register p, tile_register q);
// Read the same register of another lane. tile_shuffle_xor() reads the lane whose number differs in
// the bits of `mask`. tile_shuffle_from() reads lane `lane`.
tile_register tile_shuffle_xor(struct tile_emitter *e, tile_register x, uint32_t mask);
tile_register tile_shuffle_from(struct tile_emitter *e, tile_register x, tile_register lane);
// Reads the same register of the lane whose number is `distance` lower, or higher if `behind`.
// Undefined if there is no such lane.
tile_register tile_shuffle_along(struct tile_emitter *e, tile_register x, uint32_t distance,
                                 bool behind);
// Gathers the bits of x that `mask` selects: the k-th set bit of `mask` becomes bit k.
tile_register tile_compress(struct tile_emitter *e, tile_register x, uint32_t mask);
// tile_copies() returns the thread-number bits that do not affect which elements a thread holds.
// tile_one_copy() returns a predicate that is true in exactly one of the threads that hold the same
// elements, or TILE_NO_REGISTER if no two threads do.
uint32_t tile_copies(const struct tile_layout *layout);
tile_register tile_one_copy(struct tile_emitter *e, const struct tile_layout *layout);
// True if a register holds the same element as a lower one.
bool tile_repeats(const struct tile_layout *layout, uint32_t r);
// Copies registers from the threads that tile_one_copy() selects to all threads with the same
// elements. Skips registers that repeat lower ones.
void tile_spread_copies(struct tile_emitter *e, const struct tile_value *value,
                        const tile_register *reg);
// Returns the coordinate, along an axis, of register `index` in the calling thread.
tile_register tile_element_coordinate(struct tile_emitter *e, const struct tile_value *value,
                                      uint32_t index, uint32_t axis);
// Write a tile from registers to shared memory, or read it back. The tile starts at `at`, a
// multiple of 16, in row-major order without padding. `needed` marks the registers to write: a
// vector with none of them is omitted. NULL: writes all.
uint32_t tile_shared_bytes(const struct tile_value *value);
bool tile_shared_fits(struct tile_emitter *e, const struct tile_op *op, uint64_t bytes);
void tile_write_shared(struct tile_emitter *e, const struct tile_value *value,
                       const tile_register *reg, tile_register shared, int64_t at,
                       const bool *needed);
void tile_read_shared(struct tile_emitter *e, const struct tile_value *value,
                      const tile_register *reg, tile_register shared, int64_t at);
// Returns the address of the calling thread's first element in such a tile, and the stride along
// each axis in bytes. tile_shared_offset() returns the distance from that element to register
// `index`, in bytes. tile_shared_vector() returns the number of consecutive registers that are
// contiguous in the tile.
tile_register tile_shared_place(struct tile_emitter *e, const struct tile_value *value,
                                tile_register shared, int64_t *steps);
int64_t tile_shared_offset(const struct tile_value *value, uint32_t index, const int64_t *steps);
uint32_t tile_shared_vector(const struct tile_value *value);

// shift.c: returns the registers of a shift or roll by a constant. NULL if the distance is not a
// constant, or if the layout is not supported.
const tile_register *tile_shift_registers(struct tile_emitter *e, const struct tile_op *op);

// convert.c: converts registers from one layout to another layout of the same elements.
// tile_rename() returns true if a thread's own registers suffice. tile_convert() goes through
// shared memory and needs tile_convert_bytes() bytes of it.
bool tile_rename(const struct tile_layout *from, const tile_register *in,
                 const struct tile_layout *to, tile_register *out);
void tile_convert(struct tile_emitter *e, cuc_dtype dtype, const struct tile_layout *from,
                  const tile_register *in, const struct tile_layout *to, const tile_register *out);
uint64_t tile_convert_bytes(cuc_dtype dtype, const struct tile_layout *layout);

// element.c, math.c: ops on one element.
tile_register tile_emit_scalar_op(struct tile_emitter *e, const struct tile_op *op, cuc_dtype dtype,
                                  const tile_register *x);
tile_register tile_emit_binary(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                               bool nan, tile_register x, tile_register y);
tile_register tile_emit_combine(struct tile_emitter *e, enum tile_combine with, cuc_dtype dtype,
                                bool nan, tile_register x, tile_register y);
// cast.c
tile_register tile_emit_cast(struct tile_emitter *e, cuc_dtype to, cuc_dtype from,
                             enum tile_round round, tile_register x);
// Convert f16 or bf16 to f32 and back. f64 and f32 stay unchanged.
tile_register tile_widen(struct tile_emitter *e, cuc_dtype dtype, tile_register x);
tile_register tile_narrow(struct tile_emitter *e, cuc_dtype dtype, tile_register x);
// rounded.c. tile_emit_rounded() emits an op with explicit rounding. tile_emit_flush() flushes a
// subnormal f32 to zero.
tile_register tile_emit_rounded(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                struct tile_rounding how, bool nan, const tile_register *x);
tile_register tile_emit_flush(struct tile_emitter *e, tile_register x);
// divide.c: divides two f32, with a branch instead of a call.
tile_register tile_divide(struct tile_emitter *e, tile_register n, tile_register d);
// counted.c: emits registers of an op on an iota along the tile: a conversion to f32, or a
// comparison or product that is marked `narrow`. False for other ops.
bool tile_emit_counted(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                       uint32_t first, uint32_t end);
// divide_integer.c: call it where `value` gets its register. If many divisions share this divisor,
// computes its inverse for them.
void tile_prepare_divisor(struct tile_emitter *e, const struct tile_value *value);
// divide_constant.c: floordiv, cdiv or mod of i64 by a constant above 2 that is not a power of two.
tile_register tile_divide_by_constant(struct tile_emitter *e, enum tile_op_kind kind,
                                      tile_register x, uint64_t divisor);
// fp8.c: converts an f32 to a byte of e4m3 or e5m2, or a byte to f32.
tile_register tile_to_fp8(struct tile_emitter *e, cuc_dtype to, tile_register x);
// Converts two f32 to a pair of bytes, on targets with the instruction.
tile_register tile_pair_to_fp8(struct tile_emitter *e, cuc_dtype to, const tile_register *x);
// Converts two bytes to a word of two f16, which is exact. Likewise.
tile_register tile_pair_of_fp8(struct tile_emitter *e, cuc_dtype from, tile_register low,
                               tile_register high);
tile_register tile_of_fp8(struct tile_emitter *e, cuc_dtype from, tile_register x);
// math.c: emits a function of f32 or f64. Returns TILE_NO_REGISTER if math.c lacks the function.
tile_register tile_emit_math(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                             tile_register x, tile_register y);

// Emits an op. Returns false after it reports a diagnostic.
typedef bool tile_emit_op(struct tile_emitter *e, const struct tile_op *op);
#define TILE_OP(id, name, operands, results, traits, infer, print, range, fold, layout, emit, ...) \
    tile_emit_op tile_emit_##emit;
#include "tile/ir/ops.def"
tile_emit_op tile_emit_mma_sync; // emits mma as mma.sync
void tile_emit_parameters(struct tile_emitter *e);
// Emits the atomic operation on one element. `old` is TILE_NO_REGISTER if the old value is unused.
// `words` are the order and scope. x[1] is the second operand of cas.
void tile_emit_atomic(struct tile_emitter *e, const char *words, enum tile_combine with,
                      cuc_dtype dtype, tile_register old, tile_register address, int64_t offset,
                      const tile_register *x, tile_register predicate);
// tile_atomic_bytes() returns the width of the widest atomic operation without a result.
// tile_emit_atomics() applies such an operation to `count` contiguous elements, aligned to their
// total size.
uint32_t tile_atomic_bytes(const struct tile_emitter *e, enum tile_combine with, cuc_dtype dtype);
void tile_emit_atomics(struct tile_emitter *e, const char *words, enum tile_combine with,
                       cuc_dtype dtype, tile_register address, int64_t offset,
                       const tile_register *x, uint32_t count, tile_register predicate);
// control.c. tile_emit_one() emits an op without blocks. tile_emit_block() emits the ops of a
// block.
bool tile_emit_one(struct tile_emitter *e, const struct tile_op *op);
bool tile_emit_block(struct tile_emitter *e, const struct tile_block *block);
// tile_emit_next() emits any op except a terminator. tile_move_values() copies values to others
// with the same layouts, all in parallel.
bool tile_emit_next(struct tile_emitter *e, const struct tile_op *op);
void tile_move_values(struct tile_emitter *e, struct tile_value *const *to,
                      struct tile_value *const *from, uint32_t count);
// Applies a combining function to `count` values x and `count` values y, all of rank 0. `out` may
// be x or y.
void tile_emit_function(struct tile_emitter *e, const struct tile_block *fn, uint32_t count,
                        const tile_register *x, const tile_register *y, tile_register *out);

// single_warp.c. tile_is_single_warp_loop() is true for a loop that one warp can run for its block.
// tile_begin_single_warp() emits the code before such a loop and sends the other warps to the label
// `together`. tile_end_single_warp() emits the code after it.
bool tile_is_single_warp_loop(const struct tile_emitter *e, const struct tile_op *loop);
void tile_begin_single_warp(struct tile_emitter *e, const struct tile_op *loop, uint32_t together);
void tile_end_single_warp(struct tile_emitter *e, const struct tile_op *loop, uint32_t together);

// kernel.c: declarations, and the code that all entries share before their body.
void tile_begin_entry(struct tile_emitter *e);
bool tile_open_values(struct tile_emitter *e);
void tile_put_declarations(struct tile_emitter *e, struct tile_text *out);
void tile_put_functions(const struct tile_emitter *e, struct tile_text *out);
const char *tile_entry_name(struct tile_module *module, const struct tile_kernel *kernel,
                            enum tile_variant variant);
// entry.c: emits an entry in which all threads run the same code. `prefetch` is the loop with
// prefetched loads, or NULL. Returns false after a diagnostic, or without one if the stages of
// `prefetch` need too much shared memory.
bool tile_emit_entry(struct tile_module *module, const struct tile_kernel *kernel,
                     const struct tile_target *target, uint32_t warps, enum tile_variant variant,
                     const struct tile_prefetch *prefetch, struct tile_text *out,
                     struct tile_entry *entry);

// load_store.c: loads or stores contiguous elements at an address: a 64-bit register (32-bit for
// shared memory) plus a constant. `count` elements take 1 to 16 bytes and are aligned to their
// total size. `space` is "global" or "shared"; `hint` holds the PTX words before `space`. A bool or
// an 8-bit element takes one byte.
void tile_emit_load(struct tile_emitter *e, const char *hint, const char *space, cuc_dtype dtype,
                    const tile_register *to, uint32_t count, tile_register address, int64_t offset,
                    tile_register predicate);
void tile_emit_store(struct tile_emitter *e, const char *hint, const char *space, cuc_dtype dtype,
                     const tile_register *from, uint32_t count, tile_register address,
                     int64_t offset, tile_register predicate);
// tile_pack_word() packs the elements of less than 32 bits that start at `from` into a word.
// tile_unpack_words() extracts `count` such elements from words.
tile_register tile_pack_word(struct tile_emitter *e, cuc_dtype dtype, const tile_register *from);
void tile_unpack_words(struct tile_emitter *e, cuc_dtype dtype, const tile_register *word,
                       const tile_register *to, uint32_t count, tile_register predicate);

#endif
