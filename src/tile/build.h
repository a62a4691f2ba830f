// Making IR, one function for each construct: what the parser and the C builder stand on, so that
// both give the same ops and the same errors.
//
// A function gives NULL after an error, which it has reported with the place in `where`; given a
// NULL operand it gives NULL and reports nothing, so that a caller needs no checks between.
#ifndef CUCORE_TILE_BUILD_H
#define CUCORE_TILE_BUILD_H

#include "diagnostic.h"
#include "ir/ir.h"
#include "ir/words.h"

struct tile_builder {
    struct tile_module *module;
    struct tile_kernel *kernel;
    struct tile_block *block; // ops are appended here
    struct tile_location where;
};

// A literal or compile-time constant that has no dtype yet takes that of what it meets.
struct tile_operand {
    struct tile_value *value; // or NULL: a loose constant
    bool loose, real;
    int64_t i;
    double f;
};

// An op with its operands and attributes as they are: result types are inferred, and every rule of
// the op is checked. The one way in which ops are made. results: NULL, or room for them all.
struct tile_value *tile_build(struct tile_builder *b, enum tile_op_kind kind,
                              struct tile_value *const *operands, uint32_t count,
                              const struct tile_attribute *attributes, uint32_t attribute_count,
                              const struct tile_type *wanted);

// With the language's conveniences: loose constants, promotion, broadcasting.
struct tile_value *tile_build_constant(struct tile_builder *b, cuc_dtype dtype,
                                       const struct tile_operand *value);
struct tile_value *tile_build_unary(struct tile_builder *b, enum tile_op_kind kind,
                                    struct tile_operand x);
struct tile_value *tile_build_binary(struct tile_builder *b, enum tile_op_kind kind,
                                     struct tile_operand x, struct tile_operand y);
struct tile_value *tile_build_where(struct tile_builder *b, struct tile_value *c,
                                    struct tile_operand x, struct tile_operand y);
struct tile_value *tile_build_cast(struct tile_builder *b, struct tile_operand x, cuc_dtype dtype,
                                   enum tile_round round);
struct tile_value *tile_build_broadcast(struct tile_builder *b, struct tile_value *x, uint32_t rank,
                                        const int32_t *extent);

// The dtype of x op y by the promotion rules; CUC_DTYPE_UNKNOWN when they need a cast.
cuc_dtype tile_promote(cuc_dtype x, cuc_dtype y);

#endif
