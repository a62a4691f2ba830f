// State of a loop that prefetches the operands of its matrix products: see async.c and
// async_copy.c.
#ifndef CUCORE_TILE_EMIT_ASYNC_H
#define CUCORE_TILE_EMIT_ASYNC_H

#include "tile/pass/prefetch.h"
#include "emit.h"

// A thread's share of a stream's copies.
struct tile_copier {
    const struct tile_prefetch_stream *stream;
    const struct tile_emit_view *view;
    uint32_t pieces, lines; // pieces per row; rows that all threads together copy at a time
    uint32_t iterations;
    tile_register piece, line; // the thread's first piece and row
    // `origin` is the loop-invariant part of the address of the thread's first piece, 64 bits.
    // `inside` is a predicate: the tile lies inside along the loop-invariant axes
    // (TILE_NO_REGISTER: always).
    tile_register origin, inside;
    // Used if one index of the tile is the loop's variable and no other index changes. Then
    // `origin` includes that index and grows by `advance` per iteration, and the tile lies inside
    // while the variable is below `until`, 64 bits. Otherwise TILE_NO_REGISTER.
    tile_register advance, until;
    tile_register step; // address difference between successive pieces, 64 bits
    tile_register to;   // position of the first piece in stage 0
    // State of the current stage: addresses of the first piece (`from`) and of the last piece
    // copied so far (`next`), position of the first piece (`place`), and a predicate: there is a
    // tile and all of it lies inside (`whole`).
    tile_register from, next, place, whole;
    // Used for load_rows(), where `from` does not include the row. `ids` has a register for each of
    // the thread's lines, or for each page. `bytes` is the number of bytes of the thread's piece
    // that exist in a line of the tensor, and `size` the number that exist in the current row.
    // `left` is the number of a page's lines from the thread's first one on that exist
    // (TILE_NO_REGISTER: all).
    const tile_register *ids;
    tile_register bytes, size, left;
    tile_register pitch; // distance between rows that ids number, 64 bits
    bool always;         // no row ends outside the tensor along the other axes
};

struct tile_prefetch_ring {
    const struct tile_prefetch *plan;
    tile_register base; // address of the stages in shared memory
    tile_register stage,
        copied; // offsets from `base` of the stage to multiply and the stage to copy
    struct tile_copier copier[TILE_MOST_PREFETCHED];
    const char *type; // type of the loop's variable
    tile_register variable, last, step;
    tile_register loads; // predicate: there is more to copy
    // By value id: the registers of indices or ids that were read from memory for the next stage to
    // copy, otherwise NULL.
    tile_register **fetched;
    // Used if indices and ids arrive in shared memory (async_index.c): the place of each, by value
    // id, in the first of `index_slots` slots of `index_bytes`. Otherwise index_bytes is 0.
    // `index_from` and `index_to` are the offsets of the slots to read and to copy, and the others
    // are like `variable` and `loads`, for the stage whose indices are copied.
    uint32_t *index_at, index_bytes, index_slots;
    tile_register index_from, index_to, index_variable, index_loads;
    struct tile_product
        *carried; // the product whose first step is read an iteration ahead (mma_prefetch.c)
};

// A read whose elements are copied to shared memory.
struct tile_index_copies {
    const struct tile_value *value;
    tile_register place, own; // `own`: predicate of one of the threads that hold an element
    int64_t at, steps[TILE_MAX_RANK];
    bool *copied; // by register
};

// async_index.c. tile_open_indices() decides if indices arrive in shared memory, and reserves it.
// tile_copy_read() emits a read of the next slot, and tile_copy_indices() a load of it.
// tile_read_indices() reads the slot of the next stage to copy, if there is one.
bool tile_open_indices(struct tile_emitter *e);
bool tile_copy_read(struct tile_emitter *e, const struct tile_op *op);
void tile_copy_indices(struct tile_emitter *e, const tile_register *to, uint32_t count,
                       tile_register address, int64_t offset, tile_register predicate);
void tile_read_indices(struct tile_emitter *e);

// async_copy.c. tile_open_copier() sets up a thread's part of a stream whose stages begin at
// `shared`. tile_open_copier_stage() sets up the next stage. tile_copy_pieces() copies pieces
// `first` to `end` - 1 of a tile that lies entirely inside. tile_copy_edges() copies all pieces of
// any other tile.
void tile_open_copier(struct tile_emitter *e, struct tile_copier *c,
                      const struct tile_prefetch_stream *s, tile_register shared);
void tile_open_copier_stage(struct tile_emitter *e, struct tile_copier *c);
void tile_copy_pieces(struct tile_emitter *e, struct tile_copier *c, uint32_t first, uint32_t end);
void tile_copy_edges(struct tile_emitter *e, struct tile_copier *c);

// async.c: hooks of a loop, in the order of their calls. They run before the loop, once its
// variable is set; before the first iteration, if there is one; at the start of each iteration; at
// its end; and after the loop.
bool tile_begin_prefetch(struct tile_emitter *e, const struct tile_op *loop);
void tile_enter_prefetch(struct tile_emitter *e);
void tile_begin_prefetch_iteration(struct tile_emitter *e);
void tile_end_prefetch_iteration(struct tile_emitter *e);
void tile_end_prefetch(struct tile_emitter *e);
// Copy the next stage, if any, in parts spread among the products of an iteration.
void tile_open_copies(struct tile_emitter *e);
void tile_copy_part(struct tile_emitter *e, uint32_t part, uint32_t parts);
void tile_close_copies(struct tile_emitter *e);
// tile_await_stage() waits until the next stage has arrived and all threads have read the current
// one. tile_advance_stage() makes the next stage current.
void tile_await_stage(struct tile_emitter *e);
void tile_advance_stage(struct tile_emitter *e);
// mma_prefetch.c: reads the first step's fragments of the first iteration, for a loop with a single
// product whose operands are both prefetched. At its end, each iteration reads the first fragments
// of the next iteration.
void tile_carry_product(struct tile_emitter *e);
// True for an op in a loop that mostly waits for memory. There, the time counts that steps and
// threads wait for one another. Scratch of up to TILE_WAITS_BESIDE bytes is used beside other.
enum { TILE_WAITS_BESIDE = 4096 };
bool tile_counts_waits(const struct tile_emitter *e, const struct tile_op *op);
// True for an op of the loop that the prefetch replaces.
bool tile_is_prefetched(const struct tile_emitter *e, const struct tile_op *op);
// True for an op of the loop that only copies need.
bool tile_prefetch_skips(const struct tile_emitter *e, const struct tile_op *op);

#endif
