// Interface between the files of loop versioning: the version without masks while it is being built
// (loop_versioning.c), and its arithmetic (reassociate.c).
#ifndef TILE_PASS_LOOP_VERSIONING_H
#define TILE_PASS_LOOP_VERSIONING_H

#include "pass.h"

#include "tile/ir/words.h"

struct tile_form;

struct tile_versioning {
    struct tile_kernel *kernel;
    struct tile_op *place;    // the scalars and the choice go before this op
    struct tile_value *holds; // the condition so far; NULL if always true
    struct tile_value **map;  // value map for the version without masks
    struct tile_form *form;   // by value id
    bool *work;               // by value id: part of the work to duplicate
    uint32_t capacity;        // number of values at the start; the tables omit newer values
    // Used if each warp chooses for its own rows: the number of rows in a tile, and the distance
    // from a warp's first row to its last.
    int64_t rows, span;
    bool failed;
};

bool tile_is_work(const struct tile_versioning *v, const struct tile_value *value);
// Returns the value of the version without masks that corresponds to a value of the source.
struct tile_value *tile_versioned(const struct tile_versioning *v, struct tile_value *value);
// Computes a scalar before the choice of a version.
struct tile_value *tile_version_scalar(struct tile_versioning *v, enum tile_op_kind kind,
                                       cuc_dtype result, struct tile_value *x,
                                       struct tile_value *y);
// Adds a condition of the version without masks.
void tile_require(struct tile_versioning *v, struct tile_value *condition);

// reassociate.c. tile_take_forms() returns false if out of memory. tile_reassociate() appends the
// op in another form to the block, and returns false if there is none; it sets *simpler if the form
// saves work. tile_reassociate_same() says that two values are equal in this version.
bool tile_take_forms(struct tile_versioning *v);
bool tile_reassociate(struct tile_versioning *v, struct tile_block *block, const struct tile_op *op,
                      bool *simpler);
void tile_reassociate_same(struct tile_versioning *v, const struct tile_value *value,
                           struct tile_value *other);

#endif
