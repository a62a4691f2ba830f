// The tile compiler's intermediate representation (IR): static single assignment form with
// structured control flow and a single kind of value.
//
// A module contains kernels. A kernel has parameters and a body, which is a block. A block is a
// list of ops that ends with a terminator. An op has operands, results, attributes and, for control
// flow and combining functions, blocks of its own. An inner block can use the values of the outer
// blocks.
//
//   for      operands: first, last, step, carried...; one block (i, carried...), ended by continue
//            or break; results: the carried values at the end
//   loop     operands: carried...; one block (carried...), ended by continue or break. A `while`
//            is a loop that begins with a conditional break
//   if       operand: a rank-0 bool; two blocks without arguments, each ended by yield, break,
//            continue or return; results: the yielded values
//   reduce, scan with a function: one block (accumulators..., elements...), ended by yield
//
// break and continue refer to the innermost enclosing for or loop, through any number of ifs.
//
// The module's arena holds everything and is freed with the module.
//
// Each value has a list of its uses, which are the operands that refer to it. tile_set_operand(),
// tile_replace() and tile_delete() maintain the lists, and tile_verify() checks them. Ids are dense
// until a pass adds or deletes values. Such a pass calls tile_renumber() once at its end.
#ifndef CUCORE_TILE_IR_IR_H
#define CUCORE_TILE_IR_IR_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TILE_MAX_RANK = 8 };
// The largest numbers of blocks that share a loop's iterations as a cluster: if the option `split`
// asks for it, and on every device that has clusters, which a launch may choose by itself.
enum { TILE_MOST_PARTS = 16, TILE_PORTABLE_PARTS = 8 };
#define TILE_MAX_ELEMENTS (INT64_C(1) << 24)

// An integer constant without a dtype, in the range -2^63 to 2^64 - 1, which covers i64 and u64. It
// has the usual alignment of 8 bytes, since arrays of it lie on the stack.
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
struct tile_layout; // ir/layout.h: set by layout assignment

// The type of a value: a tile of rank 0 or more, or a tensor, whose extents are not constants.
struct tile_type {
    cuc_dtype dtype;
    uint8_t rank;
    bool tensor;
    int32_t extent[TILE_MAX_RANK]; // extents of a tile; 0 for axes from `rank` on
};

// A position in the source; in the C builder, the position of a call.
struct tile_location {
    const char *file;
    uint32_t line, column;
    const struct tile_location *inlined_at; // the call into which the fn was inlined
};

// One operand of an op, linked into its value's list of uses.
struct tile_use {
    struct tile_op *user; // `this use - user->use` is the operand's index
    struct tile_use *previous, *next;
};

struct tile_value {
    struct tile_type type;
    struct tile_op *op;       // the op that has it as a result, or NULL
    struct tile_block *block; // the block that has it as an argument; NULL for a kernel parameter
    uint32_t index;           // index among the op's results, the block's arguments or the kernel's
                              // parameters
    uint32_t id;              // dense within the kernel, so that passes can index tables by it
    const char *name;         // its name in the source; NULL if it has none
    struct tile_use *use;     // the first use; the list is in no particular order
    uint32_t uses;            // number of uses
    const struct tile_layout *layout;
};

enum tile_op_kind {
#define TILE_OP(id, ...) TILE_##id,
#include "ops.def"
    TILE_OP_COUNT
};

// Traits of an op, on which passes rely.
enum {
    TILE_PURE = 1 << 0,        // no effect: may be removed if unused, or merged with an equal op
    TILE_ELEMENTWISE = 1 << 1, // acts on each element; operands and result have the same shape
    TILE_COMMUTES = 1 << 2,
    TILE_READS = 1 << 3, // reads global memory
    TILE_WRITES = 1 << 4,
    TILE_TERMINATES = 1 << 5, // the last op of a block
    TILE_LEAF = 1 << 6,       // cheap enough to rematerialize: constants, iota
    TILE_NO_NAN = 1 << 7,     // no result is NaN, whatever the operands are
    TILE_INT_ONLY = 1 << 8,
    TILE_FLOAT_ONLY = 1 << 9,    // for elementwise ops: the only dtypes they accept
    TILE_ON_HOST = 1 << 10,      // may also occur in host expressions
    TILE_NOT_NEGATIVE = 1 << 11, // no result is negative, whatever the operands are
    TILE_KEEPS_SIGN = 1 << 12,   // no result is negative unless an operand is
    TILE_KEEPS_ERROR = 1 << 13,  // the result's relative error is about that of the operands
    TILE_REARRANGES = 1 << 14,   // the result has the elements of the operand and no others
    TILE_MOVES = 1 << 15,        // moves a tile between global memory and registers
    TILE_ONE_WARP = 1 << 16,     // if each warp holds all operands, needs no other warp
    TILE_IN_PLACE = 1 << 17,     // elements stay in their threads' registers
    TILE_MONOTONIC = 1 << 18, // rises with the operands that a TILE_RISES_* names, and falls with
                              // the others
    TILE_RISES_X = 1 << 19,
    TILE_RISES_Y = 1 << 20,
    TILE_FLOWS = 1 << 21,    // control flow with blocks: for, loop, if
    TILE_COMPARES = 1 << 22, // returns bool; PTX has a comparison with the op's name
};

// Relations between the layouts of an op's tiles. Layout assignment handles each class in a
// function of layout/spread.c, needed.c and convert.c.
enum tile_layout_class {
    TILE_LAYOUT_ANY,         // unrelated: elements pass through memory or shared memory
    TILE_LAYOUT_ELEMENT,     // operands and results share a layout
    TILE_LAYOUT_FIRST,       // the first operand and the results share a layout
    TILE_LAYOUT_SCAN,        // all operands and results share a layout
    TILE_LAYOUT_RANK,        // the operand and the first result have the layout in element order
    TILE_LAYOUT_PLACE,       // the first two operands share a layout
    TILE_LAYOUT_REDUCE,      // operands share a layout; the results have that layout without the
                             // op's axis
    TILE_LAYOUT_ACCUMULATOR, // the third operand and the result share a layout
    TILE_LAYOUT_BROADCAST,   // the operand has the result's layout without the added extents
    TILE_LAYOUT_RESHAPE,     // one layout is the other, reshaped
    TILE_LAYOUT_PERMUTE,     // one layout is the other, permuted
    TILE_LAYOUT_CAT,         // each operand has its part of the result's layout
    TILE_LAYOUT_EXTRACT,     // the result has its part of the operand's layout
    TILE_LAYOUT_TAKE,        // the indices have the layout of the result, or of its axis
    TILE_LAYOUT_PAD,         // a pad with a shape has the result's layout
    TILE_LAYOUT_ROWS,        // the ids have the layout of the tile's first axis; a pad has that of
                             // the tile
    TILE_LAYOUT_SCATTER,     // all operands have the stored value's layout
    TILE_LAYOUT_LOOP,        // a carried value has the same layout before, in and after the loop
    TILE_LAYOUT_END,         // operands have the layouts of the results they become
};

struct tile_op_info {
    const char *name, *operands; // operand names, separated by spaces; the last one may end in ...
    uint32_t results;
    uint32_t traits;
    enum tile_layout_class layout;
};
extern const struct tile_op_info tile_op_infos[TILE_OP_COUNT];
// Returns TILE_OP_COUNT if no op has that name.
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
    uint32_t count; // number of ints
    union {
        int64_t i; // also holds a bool, an axis, a dtype or an enumerator
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
    struct tile_value *const *operand; // tile_set_operand() writes it
    struct tile_use *use;              // by operand
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
    struct tile_op *parent; // NULL for a kernel's body
};

// Expressions that the host computes at launch, in exact 64-bit integers: grids, extent checks,
// facts.
enum tile_host_kind {
#define TILE_HOST(id, ...) TILE_HOST_##id,
#include "host.def"
    TILE_HOST_KINDS
};
struct tile_host_expression {
    enum tile_host_kind kind;
    enum tile_op_kind op;
    uint32_t index, axis;
    int64_t value;
    const struct tile_host_expression *operand[3];
};

// A named dimension. At launch, all extents with this name must be equal.
struct tile_dimension {
    const char *name;
    uint32_t parameter, axis; // its first occurrence
    int64_t given;            // its extent in the launch that the host expects; 0: unknown
};

// One extent of a tensor parameter.
struct tile_extent {
    enum { TILE_EXTENT_NAMED, TILE_EXTENT_STATIC, TILE_EXTENT_CHECKED } kind;
    uint32_t dimension;                       // number of the dimension, if the extent is named
    int64_t value;                            // the extent, if it is static
    const struct tile_host_expression *check; // equals the extent, if it is checked at launch
};

struct tile_parameter {
    const char *name;
    struct tile_value *value;
    struct tile_extent extent[TILE_MAX_RANK]; // extents of a tensor
    uint32_t vector_bytes; // of a tensor: the widest access, a power of two; 0: 16 bytes
    struct tile_location where;
};

struct tile_fact {
    const struct tile_host_expression *holds; // the fact holds if this is not 0
    const char *text;                         // the source text, for error messages at launch
    struct tile_location where;
};

struct tile_candidate {
    tile_wide i;
    double f;
};

// A constant in a kernel's header, with its value in this compilation.
struct tile_constant {
    const char *name;
    cuc_dtype dtype; // CUC_I64 for any integer, CUC_F64 or CUC_BOOL; CUC_DTYPE_UNKNOWN if the value
                     // is a dtype
    tile_wide i;
    double f;
    bool chosen;                            // auto() chose the value
    const struct tile_candidate *candidate; // candidates of auto(), stored like `i` and `f`
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
    uint32_t grid_rank; // 0: the launch specifies the grid
    // waits_for_grids: every entry waits for preceding grids. waits_by_itself: all blocks reach a
    // wait of the source, so entries without roles need none at their start. Set by tile_compile().
    bool waits_for_grids, waits_by_itself;
    bool lets_grids_begin; // the source of an entry with roles has a grid_dependency_launch(), so
                           // the entry may let the next grid begin before its epilogue
    // The launch that the host expects: its blocks, its grid, and the iterations of the first
    // product's loops; 0: unknown.
    int64_t blocks, given_grid[3], iterations;
    bool fills_device; // that launch has at least one block per multiprocessor
    bool may_split;    // several blocks can share a loop if the user asks for it
    bool splits;       // they do
    uint32_t parts;    // of a copy for an entry with roles: the blocks that share its loop with
                       // products; 0 if none do
    bool assumes_no_overlap; // a pass has moved loads before stores to other tensors
    bool keeps_order; // blocks may wait for earlier blocks, so earlier blocks must start first
    struct tile_block body;
    uint32_t value_count; // number of ids in use
    struct tile_location where;
    struct tile_kernel *next;
};

struct tile_module {
    struct cuc__arena *arena;
    struct tile_diagnostics *diagnostics;
    struct tile_budget *budget; // NULL: no limits
    struct tile_kernel *first, *last;
    // For the kernel being compiled: the sort, scan, topk or histogram with the most PTX, the bytes
    // of that PTX, and the total for all such ops.
    const struct tile_op *network;
    size_t network_bytes, networks_bytes;
    const struct tile_location *call; // the call of the fn being inlined
    const char *file, *text;          // name and text of the source; NULL in the C builder
    size_t text_bytes;
};

// Types
struct tile_type tile_scalar(cuc_dtype dtype);
struct tile_type tile_shaped(cuc_dtype dtype, uint32_t rank, const int32_t *extent);
struct tile_type tile_tensor(cuc_dtype dtype, uint32_t rank);
bool tile_type_same(const struct tile_type *a, const struct tile_type *b);
bool tile_shape_same(const struct tile_type *a, const struct tile_type *b);
int64_t tile_elements(const struct tile_type *type);
// Returns the size of an element in memory, in bytes.
static inline uint32_t tile_bytes_of(cuc_dtype dtype)
{
    return cuc_dtype_bits(dtype) / 8;
}
// Formats a type in the arena: "f16[128, 64]", "i32", "tensor f16 of rank 2".
const char *tile_type_text(struct cuc__arena *arena, const struct tile_type *type);

// Create and move parts of the IR. If out of memory, these functions return NULL, and the module's
// diagnostics record that.
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
// Returns zeroed memory from the module's arena.
void *tile_take(struct tile_module *module, size_t bytes);
void tile_append(struct tile_block *block, struct tile_op *op);
void tile_insert_before(struct tile_op *place, struct tile_op *op);
// Inserts an op with one result before `place`, and returns the result. The op gets the source
// position of `place`. Also returns NULL if an operand is NULL.
struct tile_value *tile_make_before(struct tile_kernel *kernel, struct tile_op *place,
                                    enum tile_op_kind kind, const struct tile_type *type,
                                    uint32_t operands, struct tile_value *const *operand);
// Insert a scalar constant in the same way.
struct tile_value *tile_make_int_before(struct tile_kernel *kernel, struct tile_op *place,
                                        cuc_dtype dtype, int64_t value);
struct tile_value *tile_make_real_before(struct tile_kernel *kernel, struct tile_op *place,
                                         cuc_dtype dtype, double value);
// Sets an operand. While an op is being built, an operand may be NULL.
void tile_set_operand(struct tile_op *op, uint32_t index, struct tile_value *value);
// Appends operands. Returns false if out of memory.
bool tile_add_operands(struct tile_kernel *kernel, struct tile_op *op, uint32_t count,
                       struct tile_value *const *operand);
// Removes an operand, and shifts later operands down.
void tile_drop_operand(struct tile_op *op, uint32_t index);
// Replaces operand `from` with `to` in all ops but `except`, which may be NULL.
void tile_replace(struct tile_value *from, struct tile_value *to, const struct tile_op *except);
// Rebuilds the use lists of a kernel's values. Must be called once a kernel has been built: ops
// that are not part of it, such as unreachable ones, have used its values too.
void tile_list_uses(struct tile_kernel *kernel);
// Takes an op out of its block, so that it can be inserted elsewhere.
void tile_remove(struct tile_op *op);
// Takes an op out of its block, if it is in one. Removes the op, and the ops in its blocks, from
// the use lists.
void tile_delete(struct tile_op *op);
// Copies an op with its blocks. An operand with id i becomes map[i]; if that is NULL, it stays.
struct tile_op *tile_clone(struct tile_kernel *kernel, const struct tile_op *op,
                           struct tile_value **map);

// Attributes
void tile_set(struct tile_kernel *kernel, struct tile_op *op, struct tile_attribute attribute);
const struct tile_attribute *tile_attribute(const struct tile_op *op, enum tile_attribute_key key);
int64_t tile_int(const struct tile_op *op, enum tile_attribute_key key, int64_t otherwise);

// ir/walk.c: visits all ops of a block and of nested blocks in program order, outer ones first.
// `visit` may remove the op that it visits.
void tile_walk(struct tile_block *block, void (*visit)(struct tile_op *op, void *data), void *data);
// True if all elements of a value are 0: a constant 0, possibly broadcast or reshaped.
bool tile_is_zero(const struct tile_value *value);
// True if an op has a result that depends only on its operands, so that it can be computed again
// elsewhere.
bool tile_is_recomputable(const struct tile_op *op);
// True for sorts, scans, histograms and the like, whose code grows with their tile and whose
// threads exchange less if each holds neighbors.
bool tile_is_network(const struct tile_op *op);
// Return the innermost for or loop around an op (NULL if there is none), and the op that a yield,
// continue or break ends or leaves.
const struct tile_op *tile_loop_around(const struct tile_op *op);
const struct tile_op *tile_ended_by(const struct tile_op *terminator);
// True if a value is used by any op that is not directly in the block.
bool tile_is_used_outside(const struct tile_value *value, const struct tile_block *block);
// True if an op is in a block or nested in it.
bool tile_is_within(const struct tile_op *op, const struct tile_block *block);
// Strips permutations of two axes from a value while each value on the way has a single use. Flips
// *transposed for each permutation that exchanges the axes.
const struct tile_value *tile_strip_transposes(const struct tile_value *value, bool *transposed);
// Returns the load from which a matrix comes, directly, through permutations, or through a reshape
// that joins all axes of the loaded box except the last. Returns NULL if there is no such load, or
// if a value on the way has several uses.
const struct tile_op *tile_loaded_box(const struct tile_value *value, bool *transposed);
// Does the same for a value with the given number of uses.
const struct tile_op *tile_shared_box(const struct tile_value *value, uint32_t uses,
                                      bool *transposed);
// Does the same as tile_loaded_box() for a gather() or load_rows().
const struct tile_op *tile_gathered_box(const struct tile_value *value, bool *transposed);
bool tile_is_gather(const struct tile_op *op); // true for a gather() or load_rows()
// True for a load(), load_at(), gather() or load_rows().
bool tile_is_tile_load(const struct tile_op *op);
// Does the same as tile_shared_box() for a load of any of these kinds.
const struct tile_op *tile_streamed_box(const struct tile_value *value, uint32_t uses,
                                        bool *transposed);
// True for any kind of load that has no memory order and no padding but zeros.
bool tile_pads_zeros(const struct tile_op *op);
// True for a load or load_at for which tile_pads_zeros() is true.
bool tile_is_plain_load(const struct tile_op *op);
// For a load or store along the last axis of its tensor, returns the tensor axis that the tile's
// other axis covers; UINT32_MAX if there is none.
uint32_t tile_other_axis(const struct tile_op *access);
// Numbers the values densely, in program order.
void tile_renumber(struct tile_kernel *kernel);

// ir/print.c: prints the kernel or the whole module, in the arena, as source that parses to the
// same IR.
const char *tile_print(struct tile_module *module);
// machine/machine.c: prints the machine form, used from layout assignment on. It adds layouts, and
// attributes that the language cannot express. machine/machine_parse.c parses it to a module, whose
// diagnostics hold the errors; NULL if out of memory.
const char *tile_print_machine(struct tile_module *module);
struct tile_module *tile_parse_machine(const char *file, const char *text, size_t bytes);
// Returns the name of an op in the language, such as "sum" for a reduce that sums.
const char *tile_op_word(const struct tile_op *op);
// ir/verify.c: returns true if the IR obeys all rules of this header and of the ops. Otherwise adds
// a diagnostic that names `after`, the pass that ran last.
bool tile_verify(struct tile_module *module, const char *after);
bool tile_verify_kernel(struct tile_kernel *kernel, const char *after);

#endif
