// Type rules: one function per op checks every rule of the op and sets the types of its results.
// build.c has the table.
#ifndef CUCORE_TILE_BUILD_INFER_H
#define CUCORE_TILE_BUILD_INFER_H

#include "build.h"

// Creates the results of `op`; false after a diagnostic. `wanted`: the type that the caller
// requests if the operands do not determine it, such as the dtype of a cast or the shape of a
// broadcast.
typedef bool tile_infer(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted);

#define TILE_OP(id, name, operands, results, traits, infer, ...) tile_infer tile_infer_##infer;
#include "tile/ir/ops.def"

// Reports "op: operand NAME: expected E, got G". Returns false.
bool tile_wrong_operand(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                        enum tile_code code, const char *expected);
// Does the same, and appends a remedy (NULL: none) to the message.
bool tile_wrong_operand_but(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                            enum tile_code code, const char *expected, const char *cure);
// Reports that an operand is not a number. Returns false.
bool tile_no_number(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                    const char *expected);
// Reports "op: " followed by the problem. Returns false.
bool tile_wrong(struct tile_builder *b, const struct tile_op *op, enum tile_code code,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
// Returns the name of an operand from ops.def; an operand in a list also gets its number, as in
// "index 2".
const char *tile_operand_name(struct tile_builder *b, const struct tile_op *op, uint32_t operand);

// Checks shared by many ops. They return false after a diagnostic.
bool tile_need_tile(struct tile_builder *b, const struct tile_op *op, uint32_t operand);
bool tile_need_tensor(struct tile_builder *b, const struct tile_op *op, uint32_t operand);
bool tile_need_axis(struct tile_builder *b, const struct tile_op *op, const struct tile_type *type,
                    uint32_t *axis);
bool tile_need_integer_scalar(struct tile_builder *b, const struct tile_op *op, uint32_t operand);
bool tile_need_same_shape(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                          const struct tile_type *type);
// Checks that the extents form a valid tile: at most 8 extents of 1 or more, and at most 2^24
// elements.
bool tile_need_shape(struct tile_builder *b, const struct tile_op *op, int64_t rank,
                     const int64_t *extent, struct tile_type *type);
// infer_elementwise.c: checks the explicit rounding of a sum or product along an axis.
bool tile_need_sum_rounding(struct tile_builder *b, const struct tile_op *op);
// Sets the type of result `index`.
bool tile_set_result(struct tile_builder *b, struct tile_op *op, uint32_t index,
                     const struct tile_type *type);

#endif
