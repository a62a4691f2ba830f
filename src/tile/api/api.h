// The C builder: calls that create the same IR as the front end creates from text.
// <cucore/tile_builder.h> is the public header. The front end and the builder create ops through
// build.h, so the same rules apply to both.
//
// The builder tracks the state that a text expresses by names and braces: the block in which each
// handle was made, the values of variables, and open loops and ifs. Once memory has run out, every
// call returns at once, and the IR made so far may be incomplete.
#ifndef CUCORE_TILE_BUILDER_H_INTERNAL
#define CUCORE_TILE_BUILDER_H_INTERNAL

#include <cucore/tile_builder.h>

#include "tile/ir/budget.h"
#include "tile/front/elaborate.h"
#include "base/handle.h"

enum {
    TILE_MOST_VARIABLES = 64, // variables visible at one point
    TILE_MOST_OPEN = 100,     // nested loops and ifs
};

// The value or variable behind a handle. The low 24 bits of a handle are its index, counted from 1;
// the high 8 bits distinguish programs.
struct tile_handle {
    struct tile_meaning what; // the value's meaning
    uint32_t scope;    // scope of the block in which the handle was made; 0: a constant, visible
                       // everywhere
    uint32_t variable; // number of the variable + 1; 0: the handle is a value
};

struct tile_held { // the state of a variable
    struct tile_value *now;
    const char *name;
    struct tile_location where;
};

// A continue or break, with the values of all variables at that point.
struct tile_departure {
    struct tile_op *op;
    struct tile_value *now[TILE_MOST_VARIABLES];
    struct tile_departure *next;
};

// A loop's block argument for a variable that the body does not set. `before`, the variable's value
// before the loop, replaces it.
struct tile_unset {
    struct tile_value *argument, *before;
    struct tile_unset *next;
};

enum tile_frame_kind {
    TILE_IN_KERNEL,
    TILE_IN_FOR,
    TILE_IN_LOOP,
    TILE_IN_IF,
    TILE_IN_ELSE,
    TILE_IN_FUNCTION, // block of a reduction's function, which cannot see outer values
};

// An open block.
struct tile_frame {
    enum tile_frame_kind kind;
    struct tile_frame *outer;
    struct tile_location where;
    struct tile_op *op; // NULL for a kernel, a function, or an `if` on a constant, and after an
                        // error
    struct tile_block *outside;
    uint32_t scope;
    // The code is unreachable: after a break, in the untaken arm of an `if` on a constant, or after
    // an error in the head. Ops are checked as usual, in a block that is then discarded.
    bool dead;
    // `variables` counts the outer variables, and `before` has their values on entry. `set` lists
    // the variables set since then, in the order of their first assignment.
    uint32_t variables, set_count;
    struct tile_value *before[TILE_MOST_VARIABLES];
    uint32_t set[TILE_MOST_VARIABLES];
    // For a loop: one block argument per variable, since it is not yet known which variables the
    // body sets. If the body does not set a variable, its value before the loop replaces the
    // argument at the kernel's end.
    bool alive; // the loop is reachable
    struct tile_value *argument[TILE_MOST_VARIABLES];
    struct tile_departure *departure;
    // For each arm of an if: whether it belongs to the kernel (`taken`), whether control leaves it
    // (`leaves`), its last block, and the variables' values there.
    struct {
        bool taken, leaves;
        struct tile_block *end;
        struct tile_value *after[TILE_MOST_VARIABLES];
    } arm[2];
};

struct cuc_tile_program {
    cuc__handle head;
    struct tile_module *module;
    struct tile_budget budget;
    struct tile_elaborator e; // the position of new ops, and the names of the kernel's head
    const char *op;           // the op under construction, for messages
    struct tile_handle *handle;
    uint32_t handles, capacity, tag;
    const char **file; // names of source files
    uint32_t files, file_capacity;
    struct tile_frame *frame; // the innermost open block; NULL: no kernel is open
    uint32_t scopes;          // number of scopes created so far
    uint32_t kernel_scope;
    struct tile_held variable[TILE_MOST_VARIABLES];
    uint32_t variables;
    // The open kernel's head.
    struct tile_kernel_ast header;
    uint32_t parameter_capacity, fact_capacity;
    struct tile_unset *unset, *last_unset; // unused arguments of the kernel's loops, inner loops
                                           // first
    bool finished;
    const char *source;
};

// Begins every call. Returns false if the call must return at once: memory has run out, there is no
// program, the program is finished, or no kernel is open (unless `anywhere`). `op` is the name that
// messages show.
bool tile_begin_call(cuc_tile_program *p, const char *op, const char *file, uint32_t line,
                     bool anywhere);
#define TILE_BEGIN(op) tile_begin_call(program, (op), file, line, false)
// Derives the op's name from the name of a function of the header: "sum" from cuc_tile_sum.
#define TILE_OP_OF(function) (&#function[sizeof("cuc_tile_") - 1])

// Create handles. They return 0 for NULL and for a meaning that is not a value.
cuc_tile tile_handle_of(cuc_tile_program *p, struct tile_value *value);
cuc_tile tile_handle_of_meaning(cuc_tile_program *p, struct tile_meaning what, bool anywhere);
// api_value.c: adds an op with at most one attribute and the given operands, and returns a handle
// to its result.
cuc_tile tile_handle_of_op(cuc_tile_program *p, enum tile_op_kind kind,
                           struct tile_value **operands, uint32_t count,
                           enum tile_attribute_key key, int64_t i);
cuc_tile_variable tile_handle_of_variable(cuc_tile_program *p, uint32_t variable);
const struct tile_handle *tile_find_handle(const cuc_tile_program *p, uint32_t handle);
// Get operands from handles. On failure they report T510, which names `operand`, and return false
// or NULL. A handle of 0 is reported only if there was no earlier error.
bool tile_use_meaning(cuc_tile_program *p, const char *operand, cuc_tile x,
                      struct tile_meaning *out);
bool tile_use(cuc_tile_program *p, const char *operand, cuc_tile x, struct tile_operand *out);
struct tile_value *tile_use_value(cuc_tile_program *p, const char *operand, cuc_tile x);
bool tile_use_list(cuc_tile_program *p, const char *operand, uint32_t count, const cuc_tile *x,
                   struct tile_operand *out,
                   uint32_t most); // reports T504 if `count` exceeds `most`
struct tile_held *tile_use_variable(cuc_tile_program *p, cuc_tile_variable x);

// Check arguments that are not values. On failure they report T511, T206 or T207, and return false
// or NULL.
bool tile_use_dtype(cuc_tile_program *p, cuc_dtype dtype);
bool tile_use_shape(cuc_tile_program *p, const char *what, uint32_t rank, const int64_t *shape,
                    bool blanks);
bool tile_use_word(cuc_tile_program *p, const char *what, int32_t word, int32_t most);
// Reads flags such as CUC_TILE_RZ | CUC_TILE_FTZ. If `nan` is NULL, CUC_TILE_NAN is refused.
bool tile_use_rounding(cuc_tile_program *p, int32_t round, struct tile_rounding *how, bool *nan);
const char *tile_use_text(cuc_tile_program *p, const char *what, const char *text); // a copy
const char *tile_use_name(cuc_tile_program *p, const char *text);                   // a copy

// api_control.c: open and close blocks.
struct tile_frame *tile_open_frame(cuc_tile_program *p, enum tile_frame_kind kind,
                                   struct tile_op *op);
// Closes all frames inside `frame`, and reports that each of them was left open.
void tile_close_to(cuc_tile_program *p, const struct tile_frame *frame);
void tile_drop_frame(cuc_tile_program *p);

#endif
