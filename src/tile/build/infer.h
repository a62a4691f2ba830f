// Type rules: one function per op checks every rule of the op and gives its results their types.
// build.c has the table.
#ifndef CUCORE_TILE_BUILD_INFER_H
#define CUCORE_TILE_BUILD_INFER_H

#include "build.h"

// Creates op's results; false after a diagnostic. `wanted` is the caller's request if the operands
// do not determine the type: the dtype of a cast, the shape of a broadcast.
typedef bool tile_infer(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted);

tile_infer tile_infer_leaf, tile_infer_block_index, tile_infer_dim;
tile_infer tile_infer_unary, tile_infer_test, tile_infer_cast, tile_infer_bitcast,
    tile_infer_binary, tile_infer_compare, tile_infer_fma, tile_infer_where, tile_infer_philox,
    tile_infer_asm;
tile_infer tile_infer_broadcast, tile_infer_reshape, tile_infer_permute, tile_infer_cat,
    tile_infer_extract, tile_infer_insert, tile_infer_take, tile_infer_shift, tile_infer_roll,
    tile_infer_convert;
tile_infer tile_infer_reduce, tile_infer_arg, tile_infer_scan, tile_infer_sort, tile_infer_topk,
    tile_infer_histogram;
tile_infer tile_infer_mma;
tile_infer tile_infer_slice, tile_infer_load, tile_infer_store, tile_infer_load_rows,
    tile_infer_store_rows, tile_infer_gather, tile_infer_scatter, tile_infer_store_reduce,
    tile_infer_atomic, tile_infer_assert, tile_infer_print, tile_infer_grid;

// Reports "op: operand NAME: expected E, got G". Returns false.
bool tile_wrong_operand(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                        enum tile_code code, const char *expected);
// Reports "op: " and the problem. Returns false.
bool tile_wrong(struct tile_builder *b, const struct tile_op *op, enum tile_code code,
                const char *format, ...) __attribute__((format(printf, 4, 5)));
// The operand's name in ops.def; in a list with its number, "index 2".
const char *tile_operand_name(struct tile_builder *b, const struct tile_op *op, uint32_t operand);

// Checks that many ops share; false after a diagnostic.
bool tile_need_tile(struct tile_builder *b, const struct tile_op *op, uint32_t operand);
bool tile_need_tensor(struct tile_builder *b, const struct tile_op *op, uint32_t operand);
bool tile_need_axis(struct tile_builder *b, const struct tile_op *op, const struct tile_type *type,
                    uint32_t *axis);
bool tile_need_integer_scalar(struct tile_builder *b, const struct tile_op *op, uint32_t operand);
bool tile_need_same_shape(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                          const struct tile_type *type);
// Checks that the extents form a tile: at most 8, each 1 or more, at most 2^24 elements.
bool tile_need_shape(struct tile_builder *b, const struct tile_op *op, int64_t rank,
                     const int64_t *extent, struct tile_type *type);
// infer_elementwise.c: checks the explicit rounding of a sum or product along an axis.
bool tile_need_sum_rounding(struct tile_builder *b, const struct tile_op *op);
// Gives the i-th result its type.
bool tile_give(struct tile_builder *b, struct tile_op *op, uint32_t index,
               const struct tile_type *type);

#endif
