// How a loop with several products of matrices, or with work between them, becomes a pipeline on
// Hopper: attention is one. As pass/pipeline.h has it one thread copies and warpgroups do the rest,
// but every streamed operand has a ring of its own, and what is loaded once stays.
#ifndef CUCORE_TILE_PASS_FUSED_H
#define CUCORE_TILE_PASS_FUSED_H

#include "pipeline.h"

enum { TILE_MOST_FEEDS = 6, TILE_MOST_PRODUCTS = 4 };

// An operand that lies in shared memory.
struct tile_feed {
    struct tile_stream stream; // `at`: where its ring begins
    bool held;                 // loaded once, before the loop: a ring of one stage
    bool read;                 // into registers, to be computed with
};

struct tile_fused_product {
    const struct tile_op *mma;
    const struct tile_feed *feed[2]; // of a, NULL: it comes from registers; of b
    uint32_t columns, depth;
    bool from_zero;
};

struct tile_fused {
    struct tile_pipeline base; // `mma`: the last product; stages of every ring; maps; the store
    struct tile_feed feed[TILE_MOST_FEEDS];
    uint32_t feeds;
    struct tile_fused_product product[TILE_MOST_PRODUCTS];
    uint32_t products;
    // The last product runs under the work of the next turn: all others of that turn are started
    // before it. Else each is waited for where it stands.
    bool turns;
    bool alternates; // warpgroups start their products in turns
    bool uneven;     // the loop is of another length where the block's first index is
    // Of a loop that turns: the accumulator of the last product times a number for each row, before
    // more is added to it. NULL: there is none.
    const struct tile_op *scaling;
    bool *late;   // by value id: what waits for the last product of the turn before
    bool *needed; // by value id: what warpgroups compute
};

// Whether a kernel is one loop over products that can be fed so; layouts of what holds accumulators
// are given. NULL, and why not: for a remark.
struct tile_fused *tile_plan_fused(struct tile_kernel *kernel, const struct tile_target *target,
                                   const char **why);
// fused_settle.c: when layouts are assigned, and values have other numbers: what each role needs.
// Why it cannot be after all, or NULL.
const char *tile_settle_fused(struct tile_kernel *kernel, struct tile_fused *p);
// fused.c: a scalar, and what the place of a load is made of, as the copying thread computes them
// for itself; false: it cannot.
bool tile_fused_want(struct tile_fused *p, const struct tile_value *value);
bool tile_fused_want_place(struct tile_fused *p, const struct tile_op *load);
// The argument that an accumulator is carried in; NULL: the product's result goes elsewhere too.
const struct tile_value *tile_fused_carried_in(const struct tile_kernel *kernel,
                                               const struct tile_op *loop,
                                               const struct tile_op *mma);
// Warps that layouts are of.
uint32_t tile_fused_warps(const struct tile_fused *p);
// The plan that a pipeline is part of; NULL: it is a plain one.
struct tile_fused *tile_fused_of(const struct tile_pipeline *plan);

// version.c: the work of a turn twice, for turns of which no element is masked, and for the others;
// `by_warps`: each warp chooses by its own rows, where warps.c finds that layouts allow it.
void tile_version_work(struct tile_kernel *kernel, const struct tile_fused *p, bool by_warps);
bool tile_warps_are_apart(const struct tile_fused *p);
// quotient.c: behind the loop, of sums of products of 16 bits: quotients that are cut to 16 bits
// need not be rounded to the nearest before.
void tile_let_quotients_be_rough(struct tile_kernel *kernel, const struct tile_fused *p);
// parts.c: sums that go round the loop are joined behind it; why layouts do not allow it, or NULL.
void tile_join_sums_late(struct tile_kernel *kernel, const struct tile_fused *p);
const char *tile_settle_parts(struct tile_kernel *kernel);
// contract.c: a product that is added to something, and only that, with it in one rounding.
void tile_contract(struct tile_kernel *kernel);
// places.c: comparisons of places in 32 bits.
void tile_narrow_places(struct tile_kernel *kernel);
// Before layouts: what counts elements once for each use, since that costs less than a conversion.
void tile_unshare_counts(struct tile_kernel *kernel);

#endif
