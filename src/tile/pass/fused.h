// Pipelines on Hopper for loops with several matrix products, or with other work between products,
// such as attention. As in pass/pipeline.h, one thread copies and warpgroups do the rest. Unlike
// there, every streamed operand has a separate ring, and operands that are loaded once stay in
// shared memory.
#ifndef CUCORE_TILE_PASS_FUSED_H
#define CUCORE_TILE_PASS_FUSED_H

#include "pipeline.h"

enum {
    TILE_MOST_FEEDS = 8,
    TILE_MOST_PRODUCTS = 6,
    TILE_MOST_FEED_STAGES = 64, // stages of all feeds' rings together
};

// An operand or another tile that an iteration reads from shared memory.
struct tile_feed {
    struct tile_stream stream; // `at`: offset of its ring
    bool held;                 // loaded once, before the loop, into a ring of one stage
    // An equal load, for a product that uses the tile in the other order or as the other operand.
    const struct tile_op *other;
    // The load that warpgroups read into registers for computation, or NULL. If products use the
    // feed too, this is a second load op, equal to `stream.load`.
    const struct tile_op *reader;
    // A tile that warpgroups compute and write to the ring, for products that take it as b, or
    // transposed as a.
    const struct tile_value *computed;
    bool by_columns; // `computed` has 64 rows, and warpgroups divide its columns, not its rows
    // A small tile in row-major order of its physical shape. The lanes of the copying warp copy it,
    // and warpgroups read it.
    bool small;
};

struct tile_fused_product {
    const struct tile_op *mma;
    const struct tile_feed *feed[2]; // feeds of a and b, which products may share; NULL for an `a`
                                     // in registers
    bool mn_major[2];                // the depth axis of the operand is not its contiguous axis
    uint32_t columns, depth;         // of a warpgroup
    bool from_zero;
    bool shares_rows; // all warpgroups have the same 64 rows, and a part of the columns each
    // Sums of 8-bit floats that are added up outside the tensor cores, after each product.
    bool promotes;
    // The operand a is loaded once for each tile, and warpgroups read it into registers before the
    // loop.
    bool keeps_left;
};

struct tile_fused {
    struct tile_pipeline base; // `mma` is the last product; also holds the stages of each ring, the
                               // maps and the store
    struct tile_feed feed[TILE_MOST_FEEDS];
    uint32_t feeds;
    struct tile_fused_product product[TILE_MOST_PRODUCTS];
    uint32_t products;
    uint32_t registers; // per thread, for accumulators and operands a
    // The last products, from number `early` on, overlap the next iteration's work: all other
    // products of the next iteration start before them. Without `overlaps`, `doubles` and `chains`,
    // an op that needs a product's result waits for it.
    bool overlaps;
    uint32_t early;
    // All products have only loaded operands and start from zero. The next iteration's products
    // then overlap this iteration's work, in separate registers.
    bool doubles;
    // All products have only loaded operands and add to accumulators that nothing else reads. An
    // iteration's products then start while the previous iteration's run, in the same registers.
    bool chains;
    // A loop that overlaps has a single product, whose computed operand a has two sets of registers
    // in turn: an iteration forms the next one while the product still reads the previous one.
    bool two_lefts;
    bool alternates;       // warpgroups take turns to start their products
    const char *why_whole; // reason why blocks of a cluster cannot share the loop
    bool uneven;           // the loop's length depends on the block's first index
    bool falls;            // and falls with it
    // Bytes that an iteration streams from places that differ only along the grid's first axis, and
    // only along its other axes.
    uint32_t bytes_by_first, bytes_by_others;
    // For a loop that overlaps: the op that scales the last product's accumulator by one factor per
    // row before the product adds to it, or NULL.
    const struct tile_op *scaling;
    // By value id: must wait for the previous iteration's last product or, if the loop does not
    // overlap, for all products.
    bool *late;
    bool *needed; // by value id: computed by warpgroups
    // A warpgroup computes its blocks of 64 rows one after another: the lone product's result and
    // the work on it need the registers of one block only.
    bool by_blocks;
    bool *behind; // by value id, if `by_blocks`: computed from the product's result in an iteration
};

// Plans a kernel with one loop over such products, and sets the layouts of the values that hold
// accumulators. If that is impossible, returns NULL with a reason in *why for a remark.
struct tile_fused *tile_plan_fused(struct tile_kernel *kernel, const struct tile_target *target,
                                   const char **why);
// tile_others_outside is the reason given for a product that lies outside the loop with the first
// product. tile_product_outside() returns the first such product.
extern const char tile_others_outside[];
const struct tile_op *tile_product_outside(const struct tile_kernel *kernel);
// Returns how many times 8 registers each multiplying thread of two warpgroups lends to threads
// that gather.
uint32_t tile_lent_registers(const struct tile_fused *p);
// Sets the layout in which warpgroups compute a feed's tile. False if there is none.
bool tile_lay_out_computed(const struct tile_fused *p, const struct tile_feed *feed,
                           struct tile_layout *layout);
// fused_settle.c: after layouts are assigned and values renumbered, recomputes what each role
// needs. Returns NULL, or the reason why the plan fails after all.
const char *tile_settle_fused(struct tile_kernel *kernel, struct tile_fused *p,
                              const struct tile_target *target);
// fused.c, after layouts are assigned: gives rings to small tiles that hold many elements per
// thread. Loaded ahead, such tiles would fill the registers.
void tile_find_small_feeds(struct tile_kernel *kernel, struct tile_fused *p,
                           const struct tile_target *target);
// fused_operands.c: mark a scalar, or everything on which a load's indices depend, as computed by
// the copying thread. False if that thread cannot compute it.
bool tile_fused_need(struct tile_fused *p, const struct tile_value *value);
bool tile_fused_need_place(struct tile_fused *p, const struct tile_op *load);
// fused_operands.c. tile_groups_for() returns the number of warpgroups that divide the rows of a
// product. tile_find_feed() finds the feed of a product's operand, also through permutations;
// returns NULL if there is none, with a reason in *why. tile_computed_feed() gives a ring to an
// operand that an iteration computes; only b and a transposed a need one. tile_find_read() gives a
// ring to a large tile that an iteration loads and computes with.
uint32_t tile_groups_for(int32_t rows);
struct tile_feed *tile_find_feed(struct tile_kernel *kernel, struct tile_fused *p,
                                 struct tile_fused_product *product, uint32_t which,
                                 const char **why);
const struct tile_feed *tile_computed_feed(struct tile_fused *p, struct tile_fused_product *product,
                                           uint32_t which);
const char *tile_find_read(struct tile_fused *p, const struct tile_op *load);
// fused_share.c: true if only products in the loop use a value, and all of them as operand `which`.
bool tile_only_products_use(const struct tile_op *loop, const struct tile_value *value,
                            uint32_t which);
// Merges equal loads of an iteration, so that each operand is loaded once.
void tile_share_operands(const struct tile_op *loop);
// Returns the feed of a load, or NULL.
const struct tile_feed *tile_feed_of(const struct tile_fused *p, const struct tile_op *load);
// True if a product takes a feed's tile from shared memory.
bool tile_is_multiplied(const struct tile_fused *p, const struct tile_feed *feed);
// True if no later operand of an iteration's products comes from the feed of product `number`'s
// operand `which`.
bool tile_is_last_use(const struct tile_fused *p, uint32_t number, uint32_t which);
// swap.c: exchanges the operands of a loop's products if each has a computed b and a loaded a,
// because wgmma can take only a from registers. True if it exchanged them.
bool tile_swap_computed(struct tile_kernel *kernel);
// tile_depends_on_variable() is true for a scalar that is determined by the loop variable and
// values from before the loop. tile_is_loaded_ahead() is true for a load by warpgroups that an
// earlier iteration can issue.
bool tile_depends_on_variable(const struct tile_fused *p, const struct tile_value *value);
bool tile_is_loaded_ahead(const struct tile_fused *p, const struct tile_op *op);
// Returns the value that is rounded, and its elements rearranged, to become a product's operand a;
// values between them have no other use. Returns the operand itself if it is made otherwise.
const struct tile_value *tile_fused_source_of_left(const struct tile_op *mma);
// True for an op whose result only becomes a product's operand a in this way.
bool tile_fused_forms_left(const struct tile_op *mma, const struct tile_op *op);
// Returns the loop argument that carries an accumulator, or NULL if the product's result has
// another use.
const struct tile_value *tile_fused_carried_in(const struct tile_op *loop,
                                               const struct tile_op *mma);
// True if the loop carries an accumulator to which product `number` adds, and nothing else in the
// loop reads it.
bool tile_only_adds(const struct tile_fused *p, uint32_t number);
// Returns the number of multiplying warps, whose threads hold tiles. Layouts do not include the
// copying warps.
uint32_t tile_fused_warps(const struct tile_fused *p);
// Returns the fused plan that contains a pipeline, or NULL for a plain pipeline.
struct tile_fused *tile_fused_of(const struct tile_pipeline *plan);

// fused_split.c. tile_split_fused() lets the blocks of a cluster share the loop, and adds ops that
// combine their results; the kernel then needs a new plan. Returns NULL, or the reason why the loop
// stays whole, which is "" if nobody asked to split it. Once layouts are assigned,
// tile_settle_fused_split() returns NULL, or tile_split_too_large if the ring has no room for the
// results.
extern const char tile_split_too_large[];
const char *tile_split_fused(struct tile_kernel *kernel, const struct tile_fused *p,
                             const struct tile_target *target);
const char *tile_settle_fused_split(const struct tile_fused *p);
// Returns the bytes in which an op shares a tile with other blocks.
uint32_t tile_shared_bytes_of(const struct tile_fused *p, const struct tile_op *op);
// loop_versioning.c: creates two versions of the loop's work, one for iterations without a masked
// element and one for all others. With `by_warps`, each warp chooses for its own rows, if warps.c
// finds that the layouts allow it.
void tile_version_loop(struct tile_kernel *kernel, const struct tile_fused *p, bool by_warps);
bool tile_warps_are_independent(const struct tile_fused *p);
// approximate_division.c: relaxes the rounding of quotients in and after the loop that are then
// rounded to floats of 8 or 16 bits. For loops whose products have such operands.
void tile_approximate_divisions(struct tile_kernel *kernel, const struct tile_fused *p);
// deferred_reduction.c. tile_defer_reductions() defers the reduction of loop-carried sums to the
// end of the loop. tile_settle_deferred_reductions() returns NULL, or the reason why the layouts do
// not allow this.
void tile_defer_reductions(struct tile_kernel *kernel, const struct tile_fused *p);
const char *tile_settle_deferred_reductions(struct tile_kernel *kernel);
// contract.c: fuses a product with the addition that is its only use, and rounds once.
void tile_contract(struct tile_kernel *kernel);
// narrow_indices.c: narrows comparisons of indices to 32 bits.
void tile_narrow_indices(struct tile_kernel *kernel);
// Before layouts are assigned: gives each use of an index tile a separate copy, which is cheaper
// than a layout conversion.
void tile_unshare_iotas(struct tile_kernel *kernel);

#endif
