// The tile compiler's intermediate representation: values in static single assignment, structured
// control flow, one kind of value.
//
// A module has kernels. A kernel has parameters and a body, which is a block. A block is a list of
// ops and ends with a terminator. An op has operands, results, attributes and, for control flow and
// combining functions, blocks of its own; what stands in an outer block is visible in an inner one.
//
//   for      operands first, last, step, then what is carried; one block (i, carried...), ended by
//            continue or break; results: what was carried at the end
//   loop     operands what is carried; one block (carried...), ended by continue or break. A
//            `while` is a loop that begins with an if that breaks
//   if       operand a rank-0 bool; two blocks without arguments, each ended by yield, break,
//            continue or return; results: what was yielded
//   reduce, scan with a function: one block (accumulators..., elements...), ended by yield
//
// break and continue mean the innermost for or loop that they stand in, through any number of ifs.
//
// Everything lives in the module's arena and is freed with it. A pass replaces a value by setting
// `forward` and calls tile_settle() once, when it is done.
#ifndef CUCORE_TILE_IR_IR_H
#define CUCORE_TILE_IR_IR_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TILE_MAX_RANK = 8 };
#define TILE_MAX_ELEMENTS (INT64_C(1) << 24)

// An integer constant that has no dtype yet: -2^63 to 2^64 - 1, what i64 and u64 hold between them.
// Aligned as others, since arrays of them lie on the stack.
__extension__ typedef __int128 tile_wide __attribute__((aligned(8)));
static inline bool tile_wide_fits_any(tile_wide x)
{
    return x >= INT64_MIN && x <= (tile_wide)UINT64_MAX;
}

struct cuc__arena;
struct tile_budget; // budget.h
struct tile_module;
struct tile_kernel;
struct tile_block;
struct tile_op;
struct tile_layout; // layout/layout.h: from layout assignment on

// What a value is: a tile of rank 0 or more, or a tensor, whose extents are not constants.
struct tile_type {
    cuc_dtype dtype;
    uint8_t rank;
    bool tensor;
    int32_t extent[TILE_MAX_RANK]; // of a tile; 0 from rank on
};

// Where something stands in the source; of a C builder, where it was called from.
struct tile_location {
    const char *file;
    uint32_t line, column;
    const struct tile_location *inlined_at; // the call of the fn it stands in
};

struct tile_value {
    struct tile_type type;
    struct tile_op *op;         // that it is a result of, or NULL
    struct tile_block *block;   // that it is an argument of, or NULL: a parameter of the kernel
    uint32_t index;             // of its op's results, block's arguments or kernel's parameters
    uint32_t id;                // dense in the kernel: passes keep tables by it
    const char *name;           // as the source calls it; NULL: it has none
    struct tile_value *forward; // what replaces it, until tile_settle()
    const struct tile_layout *layout;
};

enum tile_op_kind {
#define TILE_OP(id, name, operands, traits) TILE_##id,
#include "ops.def"
#undef TILE_OP
    TILE_OP_COUNT
};

// What passes may do with an op.
enum {
    TILE_PURE = 1 << 0,        // no effect: may go when its results are not used, may be done once
    TILE_ELEMENTWISE = 1 << 1, // each element by itself; operands and result have one shape
    TILE_COMMUTES = 1 << 2,
    TILE_READS = 1 << 3, // of global memory
    TILE_WRITES = 1 << 4,
    TILE_TERMINATES = 1 << 5, // the last op of a block
    TILE_LEAF = 1 << 6,       // so cheap that it is made again instead of kept: constants, iota
    TILE_NO_NAN = 1 << 7,     // a result is never NaN, whatever the operands
    TILE_INT_ONLY = 1 << 8,
    TILE_FLOAT_ONLY = 1 << 9, // of elementwise ones: dtypes they take
};

struct tile_op_info {
    const char *name, *operands; // a name an operand, apart by spaces; the last may end in ...
    uint32_t traits;
};
extern const struct tile_op_info tile_op_infos[TILE_OP_COUNT];
// TILE_OP_COUNT: none has that name.
enum tile_op_kind tile_op_find(const char *name, size_t length);

// Attributes: constants that belong to an op.
enum tile_attribute_key {
#define TILE_ATTRIBUTE(id, name, kind) TILE_ATTR_##id,
#include "attributes.def"
#undef TILE_ATTRIBUTE
    TILE_ATTRIBUTE_KEYS
};
enum tile_attribute_kind { TILE_INT, TILE_FLOAT, TILE_WORD, TILE_TEXT, TILE_INTS };
struct tile_attribute {
    enum tile_attribute_key key;
    uint32_t count; // of ints
    union {
        int64_t i; // also a bool, an axis, a dtype, an enumeration
        double f;
        const char *text;
        const int64_t *ints;
    };
};
struct tile_attribute_info {
    const char *name;
    enum tile_attribute_kind kind;
};
extern const struct tile_attribute_info tile_attribute_infos[TILE_ATTRIBUTE_KEYS];

struct tile_op {
    enum tile_op_kind kind;
    uint32_t operand_count, result_count, block_count, attribute_count;
    struct tile_value **operand;
    struct tile_value **result;
    struct tile_block **block;
    struct tile_attribute *attribute; // sorted by key
    struct tile_op *previous, *next;
    struct tile_block *parent;
    struct tile_location where;
};

struct tile_block {
    struct tile_op *first, *last;
    uint32_t argument_count;
    struct tile_value **argument;
    struct tile_op *parent; // NULL: a kernel's body
};

// What the host computes at launch, in exact 64-bit integers: grids, checks of dimensions, facts.
enum tile_host_kind {
    TILE_HOST_CONSTANT,  // value
    TILE_HOST_DIMENSION, // index
    TILE_HOST_SCALAR,    // index of an integer parameter
    TILE_HOST_EXTENT,    // extent `axis` of tensor parameter `index`
    TILE_HOST_STRIDE,    // in elements
    TILE_HOST_OP,        // kind of `op`: add sub mul floordiv mod cdiv minimum maximum neg,
                         // comparisons, and or not, where
    TILE_HOST_NOALIAS,   // parameters index and value: 1 when their bytes do not overlap
    TILE_HOST_ALIGNED,   // base of parameter index is a multiple of value bytes
    TILE_HOST_UNIT,      // stride of axis `axis` of parameter index is 1
};
struct tile_host_expression {
    enum tile_host_kind kind;
    enum tile_op_kind op;
    uint32_t index, axis;
    int64_t value;
    const struct tile_host_expression *operand[3];
};

// A named dimension: every place in which it appears must agree at launch.
struct tile_dimension {
    const char *name;
    uint32_t parameter, axis; // the first place
};

// One extent of a tensor parameter.
struct tile_extent {
    enum { TILE_EXTENT_NAMED, TILE_EXTENT_STATIC, TILE_EXTENT_CHECKED } kind;
    uint32_t dimension;                       // of a named one
    int64_t value;                            // of a static one
    const struct tile_host_expression *check; // of a checked one
};

struct tile_parameter {
    const char *name;
    struct tile_value *value;
    struct tile_extent extent[TILE_MAX_RANK]; // of a tensor
    struct tile_location where;
};

struct tile_fact {
    const struct tile_host_expression *holds; // not 0
    const char *text;                         // as written, for the message of a launch
    struct tile_location where;
};

struct tile_candidate {
    tile_wide i;
    double f;
};

// A constant of the kernel's header, with the value that it was compiled with.
struct tile_constant {
    const char *name;
    cuc_dtype dtype; // CUC_I64 of any integer, CUC_F64, CUC_BOOL; CUC_UNKNOWN: its value is a dtype
    tile_wide i;
    double f;
    bool chosen;                            // by auto()
    const struct tile_candidate *candidate; // of auto(), as `i` and `f` are
    uint32_t candidates;
};

struct tile_kernel {
    const char *name;
    struct tile_module *module;
    struct tile_parameter *parameter;
    uint32_t parameter_count;
    struct tile_dimension *dimension;
    uint32_t dimension_count;
    struct tile_constant *constant;
    uint32_t constant_count;
    struct tile_fact *fact;
    uint32_t fact_count;
    const struct tile_host_expression *grid[3];
    uint32_t grid_rank; // 0: the launch gives it
    // It waits for the grids ahead of it, lets those behind it start: known when PTX is made.
    bool waits_for_grids, launches_grids;
    bool keeps_order; // blocks may wait for those before them, so that these must start first
    struct tile_block body;
    uint32_t value_count; // ids given out
    struct tile_location where;
    struct tile_kernel *next;
};

struct tile_module {
    struct cuc__arena *arena;
    struct tile_diagnostics *diagnostics;
    struct tile_budget *budget; // NULL: no limits
    struct tile_kernel *first, *last;
    const struct tile_location *call; // while a fn is put in: where it is called
    const char *file, *text;          // of the source; NULL from the C builder
    size_t text_bytes;
};

// Types
struct tile_type tile_scalar(cuc_dtype dtype);
struct tile_type tile_shaped(cuc_dtype dtype, uint32_t rank, const int32_t *extent);
struct tile_type tile_tensor(cuc_dtype dtype, uint32_t rank);
bool tile_type_same(const struct tile_type *a, const struct tile_type *b);
bool tile_shape_same(const struct tile_type *a, const struct tile_type *b);
int64_t tile_elements(const struct tile_type *type);
// Bytes of an element in memory.
static inline uint32_t tile_bytes_of(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}
// "f16[128, 64]", "i32", "tensor f16 of rank 2"; in the arena.
const char *tile_type_text(struct cuc__arena *arena, const struct tile_type *type);

// Making and moving. NULL when there is no memory; the module's diagnostics then say so.
struct tile_module *tile_module_create(const char *file, const char *text, size_t bytes);
void tile_module_free(struct tile_module *module);
struct tile_kernel *tile_kernel_create(struct tile_module *module, const char *name);
struct tile_op *tile_op_create(struct tile_kernel *kernel, enum tile_op_kind kind,
                               uint32_t operands, uint32_t results, uint32_t blocks);
struct tile_value *tile_value_create(struct tile_kernel *kernel, const struct tile_type *type);
struct tile_value *tile_result_create(struct tile_kernel *kernel, struct tile_op *op,
                                      uint32_t index, const struct tile_type *type);
struct tile_block *tile_block_create(struct tile_kernel *kernel, struct tile_op *parent,
                                     uint32_t arguments);
struct tile_value *tile_argument_create(struct tile_kernel *kernel, struct tile_block *block,
                                        uint32_t index, const struct tile_type *type);
// Zeroed memory of the module's arena.
void *tile_take(struct tile_module *module, size_t bytes);
void tile_append(struct tile_block *block, struct tile_op *op);
void tile_insert_before(struct tile_op *place, struct tile_op *op);
// An op of one result before `place`, which stands where that does in the source; its result. NULL
// also when an operand is.
struct tile_value *tile_make_before(struct tile_kernel *kernel, struct tile_op *place,
                                    enum tile_op_kind kind, const struct tile_type *type,
                                    uint32_t operands, struct tile_value *const *operand);
// The same of constants: scalars.
struct tile_value *tile_make_int_before(struct tile_kernel *kernel, struct tile_op *place,
                                        cuc_dtype dtype, int64_t value);
struct tile_value *tile_make_real_before(struct tile_kernel *kernel, struct tile_op *place,
                                         cuc_dtype dtype, double value);
void tile_remove(struct tile_op *op);
// A copy of an op with its blocks, operands looked up in map[id] (NULL: the same).
struct tile_op *tile_clone(struct tile_kernel *kernel, const struct tile_op *op,
                           struct tile_value **map);

// Attributes
void tile_set(struct tile_kernel *kernel, struct tile_op *op, struct tile_attribute attribute);
const struct tile_attribute *tile_attribute(const struct tile_op *op, enum tile_attribute_key key);
int64_t tile_int(const struct tile_op *op, enum tile_attribute_key key, int64_t otherwise);

// ir/walk.c: every op of a kernel, outer before inner, in program order; `visit` may remove the op
// it is given.
void tile_walk(struct tile_block *block, void (*visit)(struct tile_op *op, void *data), void *data);
// How often each value of a kernel is an operand, by id, and how often of ops elsewhere than in its own
// block: the one of the op that it is a result of. Walked through once, for who asks of many. NULL:
// there is no memory.
struct tile_use_count {
    uint32_t all, outside;
};
struct tile_use_count *tile_count_uses(const struct tile_kernel *kernel);
// How often a value is an operand in a kernel, which is walked through for it.
uint32_t tile_uses(const struct tile_kernel *kernel, const struct tile_value *value);
// Whether a value is 0 everywhere, by a constant that may be broadcast or reshaped.
bool tile_is_zero(const struct tile_value *value);
// The innermost for or loop that an op stands in, NULL for none; and what a yield, continue or
// break ends or leaves.
const struct tile_op *tile_loop_around(const struct tile_op *op);
const struct tile_op *tile_ended_by(const struct tile_op *terminator);
// Whether ops elsewhere than in the block itself take a value.
bool tile_is_used_outside(const struct tile_kernel *kernel, const struct tile_value *value,
                          const struct tile_block *block);
// Whether an op is in a block, or in one within it.
bool tile_is_within(const struct tile_op *op, const struct tile_block *block);
// What is turned by permutations of two axes that nobody else takes; an odd number of them flips
// *turned.
const struct tile_value *tile_unturned(const struct tile_kernel *kernel,
                                       const struct tile_value *value, bool *turned);
// A load in no order, and padded with nothing but zeros.
bool tile_is_plain_load(const struct tile_op *op);
// Of a load or store by the last axis of its tensor: the next that the tile has, UINT32_MAX for
// none.
uint32_t tile_other_axis(const struct tile_op *access);
// Put `to` into every operand that is `from`, but those of `except`, which may be NULL.
void tile_replace_uses(struct tile_kernel *kernel, const struct tile_value *from,
                       struct tile_value *to, const struct tile_op *except);
// Put what replaces values into every operand, and give dense ids again.
void tile_settle(struct tile_kernel *kernel);

// ir/print.c: the kernel or the whole module as source that parses to itself; in the arena.
const char *tile_print(struct tile_module *module);
// ir/machine.c: the same with layouts and attributes, for what the language has no words for; from
// layout assignment on. ir/machine_parse.c reads it: a module, whose diagnostics have the errors;
// NULL without memory.
const char *tile_print_machine(struct tile_module *module);
struct tile_module *tile_parse_machine(const char *file, const char *text, size_t bytes);
// What the language calls an op: sum, of a reduce that sums.
const char *tile_op_word(const struct tile_op *op);
// ir/verify.c: true when every rule of this page and of the ops holds; else a diagnostic that names
// `after`, the pass that ran last.
bool tile_verify(struct tile_module *module, const char *after);
bool tile_verify_kernel(struct tile_kernel *kernel, const char *after);

#endif
