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
    TILE_MAX_DEPTH = 800, // nested expressions and statements, including those in called functions:
                          // limited by the stack
    TILE_MAX_WORK = 1 << 20, // all expressions and blocks, counted once per iteration and call
};

// The meaning of an expression or a name.
struct tile_meaning {
    enum {
        TILE_NOTHING, // an error has been reported
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
    bool fixed;            // a loop variable or a parameter, which may not be rebound
    uint32_t known, outer; // index of the name in the elaborator's table; index from 1 of the
                           // binding that this one hides
};

// A name that is bound only in a loop's body or in one arm of an `if`, and is therefore unbound
// afterwards.
struct tile_lost {
    const char *name;
    struct tile_location where;
    bool in_loop;
    const struct tile_lost *next;
};

// A loop that encloses the code being elaborated.
struct tile_open_loop {
    struct tile_op *op; // NULL: a static for, whose iterations cannot be left
    bool wrong;         // `op` is NULL because of an error: code may leave the loop
    const char **name;  // names of the carried values
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
    struct tile_names names; // every name ever bound; `number` is the index from 1 of its latest
                             // binding
    struct tile_names kernels;
    uint32_t frame; // first binding visible in the function being inlined
    uint32_t inlined;
    uint32_t depth, work;
    bool exhausted; // a limit was exceeded and reported: elaboration stops
    struct tile_open_loop *loop;
    const struct tile_lost *lost; // names lost in the current function or kernel
    // The results of the function being inlined, once it has returned.
    struct tile_meaning *result;
    uint32_t results;
    bool in_function, returned;
    struct tile_block *function_block; // the block that contains the function's call
    const char *const *setting;        // "NAME=VALUE"
    uint32_t settings;
    bool *setting_used;
};

// Bindings
struct tile_binding *tile_lookup(struct tile_elaborator *e, const char *name);
// Removes all bindings after the first `count`.
void tile_unbind(struct tile_elaborator *e, uint32_t count);
void tile_bind(struct tile_elaborator *e, const char *name, struct tile_meaning what,
               struct tile_location where);

// elaborate_expression.c: enters a nested expression or block; e->depth-- leaves it. Reports T006
// or T007 and returns false if the nesting or the program is too large.
bool tile_elaborate_enter(struct tile_elaborator *e, struct tile_location where);
// Elaborates an expression that has one meaning.
struct tile_meaning tile_elaborate_expression(struct tile_elaborator *e,
                                              const struct tile_ast *ast);
// Returns the op for `and`, `or` or `not`.
enum tile_op_kind tile_logical_op(const struct tile_ast *ast);
// Elaborates an expression that may have several meanings. Returns the number of meanings; 0 after
// an error.
uint32_t tile_elaborate_values(struct tile_elaborator *e, const struct tile_ast *ast,
                               struct tile_meaning *out);
// Elaborates an expression that must be an operand. Returns false after an error, or if the
// expression has no value.
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

// Reports T501 or T405 for an unbound name. Binds the name to an erroneous meaning, to report it
// only once.
void tile_report_unbound(struct tile_elaborator *e, const struct tile_ast *name);
// Returns NULL if there is no function of that name.
struct tile_function_ast *tile_find_function(struct tile_elaborator *e, const char *name);
enum { TILE_MAX_FN_PARAMETERS = 64 }; // limit on a function's parameters
// Puts the arguments of a call into the order of the function's parameters. Returns false after
// T504.
bool tile_match_function(struct tile_elaborator *e, const struct tile_function_ast *fn,
                         const struct tile_ast *call, const struct tile_ast **argument);
// Reports T503 for a call of an unknown function.
void tile_report_no_function(struct tile_elaborator *e, const struct tile_ast *call);

// fold_constants.c: apply operators to constants without a dtype. They report T509 if there is no
// result.
struct tile_meaning tile_fold_unary(struct tile_elaborator *e, enum tile_op_kind op,
                                    const struct tile_meaning *x);
// True for operators, and for calls on integers, that yield a constant without a dtype if both
// operands are such constants.
bool tile_folds_binary(enum tile_op_kind op);
struct tile_meaning tile_fold_binary(struct tile_elaborator *e, enum tile_op_kind op,
                                     const struct tile_meaning *x, const struct tile_meaning *y);

// calls.c: elaborates a built-in call. Returns the number of meanings; 0 after an error. Sets
// *known if there is a built-in call with this name.
uint32_t tile_elaborate_call(struct tile_elaborator *e, const struct tile_ast *call,
                             struct tile_meaning *out, bool *known);
// Lists the arguments of a call that are expressions. Returns false after T503 or T504. `argument`
// must have space for TILE_MAX_FN_PARAMETERS.
bool tile_match_call(struct tile_elaborator *e, const struct tile_ast *call,
                     const struct tile_ast **argument, uint32_t *count);
bool tile_is_builtin(const char *name);
// Returns the built-in call whose name is closest to the written one; `best` if none is closer.
const char *tile_nearest_call(const char *written, const char *best);
// True for a call that is made only for its effect.
bool tile_only_acts(const struct tile_ast *ast);

// elaborate_statement.c: elaborates the statements of a block. Returns true if control leaves the
// block before its end.
bool tile_elaborate_statements(struct tile_elaborator *e, const struct tile_statement *s);
// Inlines a function at a call.
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

// nearest.c: returns `word` if it is closer to the written name than `best` and differs so little
// that the name may be a typo; otherwise `best`, which may be NULL.
const char *tile_nearer(const char *written, const char *best, const char *word);
// For the name of a function that only other languages have, returns the equivalent code in this
// language; otherwise NULL.
const char *tile_written_instead(const char *name);

// elaborate.c: functions that elaborate the parts of a kernel's head. tile_elaborate_kernel()
// creates an empty kernel and returns false if out of memory.
bool tile_elaborate_kernel(struct tile_elaborator *e, const struct tile_kernel_ast *ast);
// Creates parameter i of e->kernel, and before it the dimensions that it names. The kernel must
// have space for them. Returns NULL after an error.
struct tile_value *tile_elaborate_parameter(struct tile_elaborator *e, uint32_t i);
// Elaborates computed extents, facts and the grid. All parameters must exist.
void tile_elaborate_launch(struct tile_elaborator *e);

// Parses a text to a module. `setting`: "NAME=VALUE" or "KERNEL.NAME=VALUE" for constants. Returns
// NULL if out of memory; errors are in the module's diagnostics.
struct tile_module *tile_parse(const char *file, const char *text, size_t bytes,
                               const char *const *setting, uint32_t settings);
// Parses a text within a budget (NULL: no limits). If `only` is not NULL, parses only that kernel
// and ignores the settings of others. If the budget ends, the module counts as out of memory.
struct tile_module *tile_parse_kernel(struct tile_budget *budget, const char *file,
                                      const char *text, size_t bytes, const char *const *setting,
                                      uint32_t settings, const char *only);

#endif
