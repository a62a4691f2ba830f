// The syntax tree of a tile program before name lookup.
#ifndef CUCORE_TILE_FRONT_AST_H
#define CUCORE_TILE_FRONT_AST_H

#include "tile/ir/ir.h"
#include "tile/ir/names.h"

enum tile_ast_kind {
#define TILE_AST(id, ...) TILE_AST_##id,
#include "ast.def"
    TILE_AST_KINDS
};

struct tile_ast {
    enum tile_ast_kind kind;
    enum tile_op_kind op;
    struct tile_location where;
    tile_wide i;
    double f;
    const char *text;
    struct tile_ast **child;
    uint32_t count;
    uint32_t height; // height of the subtree
};

enum tile_statement_kind {
#define TILE_STATEMENT(id, ...) TILE_STATEMENT_##id,
#include "ast.def"
    TILE_STATEMENT_KINDS
};

struct tile_statement {
    enum tile_statement_kind kind;
    enum tile_op_kind op;
    struct tile_location where;
    const char **name;
    uint32_t names;
    struct tile_ast **value;
    uint32_t values;
    struct tile_statement *body, *otherwise; // the first statement of each block
    bool has_otherwise;
    struct tile_statement *next;
};

struct tile_function_ast {
    const char *name;
    const char **parameter;
    uint32_t parameters;
    struct tile_statement *body;
    struct tile_location where;
    bool running; // is being inlined: a nested call would not terminate
    bool read;    // inlined, or checked by uncalled.c
    struct tile_function_ast *next;
};

struct tile_parameter_ast {
    const char *name;
    struct tile_ast *dtype; // a dtype, or the name of a constant that holds a dtype
    bool tensor;
    struct tile_ast **extent;
    uint32_t extents;
    struct tile_location where;
};

struct tile_constant_ast {
    const char *name;
    struct tile_ast **value; // one value, or several candidates of auto()
    uint32_t values;
    bool is_auto;
    struct tile_location where;
};

struct tile_kernel_ast {
    const char *name;
    struct tile_location where;
    struct tile_parameter_ast *parameter;
    uint32_t parameters;
    struct tile_constant_ast *constant;
    uint32_t constants;
    struct tile_ast **fact;
    uint32_t facts;
    struct tile_ast **grid;
    uint32_t grids;
    struct tile_statement *body;
    struct tile_kernel_ast *next;
};

struct tile_file_ast {
    struct tile_function_ast *function, *last_function;
    struct tile_kernel_ast *kernel, *last_kernel;
    struct tile_names functions; // `value` points to the first function with that name
};

// parser.c: parses a module's text to a tree. Errors go to the module's diagnostics, and the tree
// then contains everything that could be parsed.
struct tile_file_ast *tile_parse_text(struct tile_module *module);

#endif
