// Internal interface of the files that turn a syntax tree into IR.
#ifndef CUCORE_TILE_FRONT_ELABORATE_H
#define CUCORE_TILE_FRONT_ELABORATE_H

#include "tile/build/build.h"
#include "tile/ir/names.h"
#include "ast.h"

enum {
    TILE_MAX_VALUES = 16,              // results of a call or a function
    TILE_MAX_STATIC_ITERATIONS = 4096, // iterations of a static for
    TILE_MAX_INLINING = 64,
    TILE_MAX_DEPTH = 800, // nested expressions and statements, also through calls: limited by the
                          // stack
    TILE_MAX_WORK = 1 << 20, // expressions and blocks in total, with all iterations and calls
};

// The meaning of an expression or a name.
struct tile_meaning {
    enum {
        TILE_NOTHING, // after an error that was reported
        TILE_OPERAND, // a value, or a constant without a dtype
        TILE_TRUTH,   // a constant bool: operand.i
        TILE_DTYPE,
        TILE_STRING,
    } kind;
    struct tile_operand operand;
    cuc_dtype dtype;
    const char *text;
};

struct tile_binding {
    const char *name;
    struct tile_meaning what;
    struct tile_location where;
    bool fixed;            // a loop's variable or a parameter: may not be rebound
    uint32_t known, outer; // the name's index in the elaborator's table; the index of the binding
                           // that this one hides, from 1
};

// A name that only one arm of an `if` or a loop's body binds, and its position. It is unbound after
// the `if` or the loop.
struct tile_lost {
    const char *name;
    struct tile_location where;
    bool in_loop;
    const struct tile_lost *next;
};

// A loop around the code being elaborated.
struct tile_open_loop {
    struct tile_op *op; // NULL: a static for, whose iterations cannot be left
    bool wrong;         // NULL because of an error: leaving the loop is then valid
    const char **name;  // names of carried values
    uint32_t count;
    struct tile_open_loop *outer;
};

struct tile_elaborator {
    struct tile_builder b;
    struct tile_module *module;
    const struct tile_file_ast *file;
    const struct tile_kernel_ast *kernel;
    struct tile_binding *binding;
    uint32_t count, capacity;
    struct tile_names names; // all names ever bound: `number` is the latest binding of each name,
                             // from 1
    struct tile_names kernels;
    uint32_t frame; // the first binding visible to the running function
    uint32_t inlined;
    uint32_t depth, work;
    bool exhausted; // a limit was exceeded and reported: elaboration has stopped
    struct tile_open_loop *loop;
    const struct tile_lost *lost; // such names of the current function or kernel
    // The results of the running function, once it has returned.
    struct tile_meaning *result;
    uint32_t results;
    bool in_function, returned;
    struct tile_block *function_block; // the block that called it
    const char *const *setting;        // "NAME=VALUE"
    uint32_t settings;
    bool *setting_used;
};

// Bindings
struct tile_binding *tile_lookup(struct tile_elaborator *e, const char *name);
// Ends all but the first `count` bindings.
void tile_unbind(struct tile_elaborator *e, uint32_t count);
void tile_bind(struct tile_elaborator *e, const char *name, struct tile_meaning what,
               struct tile_location where);

// elaborate_expression.c: enters a nested expression or block; e->depth-- leaves it. Returns false
// after T006 or T007.
bool tile_elaborate_enter(struct tile_elaborator *e, struct tile_location where);
// Elaborates an expression with one meaning.
struct tile_meaning tile_elaborate_expression(struct tile_elaborator *e,
                                              const struct tile_ast *ast);
// Returns the op for `and`, `or` or `not`.
enum tile_op_kind tile_logical_op(const struct tile_ast *ast);
// Elaborates an expression that may have several meanings. Returns their number; 0 after an error.
uint32_t tile_elaborate_values(struct tile_elaborator *e, const struct tile_ast *ast,
                               struct tile_meaning *out);
// Elaborates an expression to an operand. Returns false after an error, or if the expression has no
// value.
bool tile_elaborate_operand(struct tile_elaborator *e, const struct tile_ast *ast,
                            struct tile_operand *out);
struct tile_value *tile_elaborate_value(struct tile_elaborator *e, const struct tile_ast *ast);
// Evaluate an expression that must be constant. They report T505 if it is not.
bool tile_elaborate_int(struct tile_elaborator *e, const struct tile_ast *ast, const char *what,
                        int64_t *out);
struct tile_meaning tile_meaning_of(struct tile_value *value);
struct tile_meaning tile_meaning_of_int(tile_wide i);
struct tile_meaning tile_meaning_of_real(double f);
struct tile_meaning tile_meaning_of_truth(bool truth);
bool tile_meaning_operand(struct tile_elaborator *e, const struct tile_meaning *meaning,
                          struct tile_operand *out);
bool tile_meaning_is_constant(const struct tile_meaning *meaning);

// Reports T501 or T405 for an unbound name, and binds the name to an erroneous meaning, so that it
// is reported once.
void tile_report_unbound(struct tile_elaborator *e, const struct tile_ast *name);
// Returns NULL if there is no function of that name.
struct tile_function_ast *tile_find_function(struct tile_elaborator *e, const char *name);
enum { TILE_MAX_FN_PARAMETERS = 64 }; // parameters of a called function
// Puts the arguments of a call in the order of the function's parameters; false after T504.
bool tile_match_function(struct tile_elaborator *e, const struct tile_function_ast *fn,
                         const struct tile_ast *call, const struct tile_ast **argument);
// Reports T503 for a call of an unknown function.
void tile_report_no_function(struct tile_elaborator *e, const struct tile_ast *call);

// fold_constants.c: apply operators to constants without a dtype. They report T509 if there is no
// result.
struct tile_meaning tile_fold_unary(struct tile_elaborator *e, enum tile_op_kind op,
                                    const struct tile_meaning *x);
// True for an operator, or for a call on integers, whose result is a constant without a dtype if
// both operands are.
bool tile_folds_binary(enum tile_op_kind op);
struct tile_meaning tile_fold_binary(struct tile_elaborator *e, enum tile_op_kind op,
                                     const struct tile_meaning *x, const struct tile_meaning *y);

// calls.c: elaborates a call of the language. Returns the number of meanings; 0 after an error.
// *known: the language has a call of this name.
uint32_t tile_elaborate_call(struct tile_elaborator *e, const struct tile_ast *call,
                             struct tile_meaning *out, bool *known);
// Lists those arguments of a call that are expressions; false after T503 and T504. `argument` has
// space for TILE_MAX_FN_PARAMETERS.
bool tile_match_call(struct tile_elaborator *e, const struct tile_ast *call,
                     const struct tile_ast **argument, uint32_t *count);
bool tile_is_builtin(const char *name);
// Returns the language's call whose name is closest to the written one; `best` if none is closer.
const char *tile_nearest_call(const char *written, const char *best);
// True for a call that is made for its effect.
bool tile_only_acts(const struct tile_ast *ast);

// elaborate_statement.c: elaborates a block's statements. Returns true if control leaves the block
// before its end.
bool tile_elaborate_statements(struct tile_elaborator *e, const struct tile_statement *s);
// Inlines a function at its call.
uint32_t tile_elaborate_function(struct tile_elaborator *e, struct tile_function_ast *fn,
                                 const struct tile_meaning *argument, struct tile_location call,
                                 struct tile_meaning *out);

enum tile_host_wish { TILE_HOST_INTEGER, TILE_HOST_CONDITION, TILE_HOST_EITHER };
// host.c: elaborates an expression that the host computes at launch; NULL after T701.
const struct tile_host_expression *tile_elaborate_host(struct tile_elaborator *e,
                                                       const struct tile_ast *ast,
                                                       enum tile_host_wish wish);
const char *tile_ast_text(struct tile_elaborator *e, const struct tile_ast *ast);

// uncalled.c: checks functions that no kernel calls, as far as possible without arguments.
void tile_check_uncalled(struct tile_elaborator *e);

// nearest.c: returns `word` if it is closer to the written name than `best`, and close enough to be
// a typo; otherwise returns `best`, which may be NULL.
const char *tile_nearer(const char *written, const char *best, const char *word);
// Returns the replacement of a function that other languages have; NULL if it is none of them.
const char *tile_written_instead(const char *name);

// elaborate.c: elaborates the parts of a kernel's head. This function creates an empty kernel;
// false if out of memory.
bool tile_elaborate_kernel(struct tile_elaborator *e, const struct tile_kernel_ast *ast);
// Creates parameter i of e->kernel, after the dimensions that it names. The kernel must have space
// for them. Returns NULL after an error.
struct tile_value *tile_elaborate_parameter(struct tile_elaborator *e, uint32_t i);
// Elaborates computed extents, facts and the grid, once all parameters exist.
void tile_elaborate_launch(struct tile_elaborator *e);

// Parses a text to a module. `setting`: "NAME=VALUE" or "KERNEL.NAME=VALUE" for constants. Returns
// NULL if out of memory; errors are in the module's diagnostics.
struct tile_module *tile_parse(const char *file, const char *text, size_t bytes,
                               const char *const *setting, uint32_t settings);
// Parses a text within a budget (NULL: none), for a single kernel, ignoring settings of other
// kernels (NULL: for all kernels). If the budget ends, the module counts as out of memory.
struct tile_module *tile_parse_kernel(struct tile_budget *budget, const char *file,
                                      const char *text, size_t bytes, const char *const *setting,
                                      uint32_t settings, const char *only);

#endif
