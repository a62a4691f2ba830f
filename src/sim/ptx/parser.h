// The state of the parser, which its files share. Failures exit by longjmp, so the parser allocates
// memory only from the module's arena and in the vectors below.
#ifndef CUCORE_SIM_PTX_PARSER_H
#define CUCORE_SIM_PTX_PARSER_H

#include "base/arena.h"
#include "ptx/lexer.h"
#include "ptx.h"

#include <setjmp.h>

struct sim_binding;

// Directives in a module, in a function body, or between a function's name and its body.
#define SIM_DIRECTIVES(X)                           \
    X(ADDRESS_SIZE, "address_size")                 \
    X(ALIAS, "alias")                               \
    X(COMMON, "common")                             \
    X(CONST, "const")                               \
    X(ENTRY, "entry")                               \
    X(EXTERN, "extern")                             \
    X(FILE, "file")                                 \
    X(FUNC, "func")                                 \
    X(GLOBAL, "global")                             \
    X(LOC, "loc")                                   \
    X(LOCAL, "local")                               \
    X(PARAM, "param")                               \
    X(PRAGMA, "pragma")                             \
    X(REG, "reg")                                   \
    X(SECTION, "section")                           \
    X(SHARED, "shared")                             \
    X(TARGET, "target")                             \
    X(VERSION, "version")                           \
    X(VISIBLE, "visible")                           \
    X(WEAK, "weak")                                 \
    X(BRANCHTARGETS, "branchtargets")               \
    X(CALLTARGETS, "calltargets")                   \
    X(CALLPROTOTYPE, "callprototype")               \
    X(MAXNTID, "maxntid")                           \
    X(REQNTID, "reqntid")                           \
    X(REQNCTAPERCLUSTER, "reqnctapercluster")       \
    X(MINNCTAPERSM, "minnctapersm")                 \
    X(MAXNCTAPERSM, "maxnctapersm")                 \
    X(MAXNREG, "maxnreg")                           \
    X(MAXCLUSTERRANK, "maxclusterrank")             \
    X(EXPLICITCLUSTER, "explicitcluster")           \
    X(BLOCKSARECLUSTERS, "blocksareclusters")       \
    X(NORETURN, "noreturn")                         \
    X(ABI_PRESERVE, "abi_preserve")                 \
    X(ABI_PRESERVE_CONTROL, "abi_preserve_control") \
    X(ATTRIBUTE, "attribute")

enum sim_directive {
    SIM_AT_NONE,
#define ROW(tag, word) SIM_AT_##tag,
    SIM_DIRECTIVES(ROW)
#undef ROW
};

// An interned word. Names can be compared by pointer.
struct sim_name {
    const char *text; // NUL-terminated
    struct sim_name *next;
    uint32_t hash, bytes;
    struct sim_binding *binding; // its bindings in the open scopes, innermost first
    uint32_t checked;            // value of parser->ranges when the first binding was last
                                 // validated
    uint32_t function, variable; // in the module: index + 1; 0: none
    enum sim_type type;          // the type, if a directive names one
    uint16_t directive;          // enum sim_directive
    uint16_t special;            // 1 + enum sim_special
    bool special_vector;         // has .x, .y and .z, such as %tid
    const struct sim_opcode *opcode;
};

// An opcode, interned and split at its dots.
struct sim_opcode {
    const char *word[SIM_MAX_WORDS];
    uint32_t words;
    bool is_call;
};

enum sim_binding_kind { SIM_BIND_REGISTER, SIM_BIND_RANGE, SIM_BIND_SYMBOL };

struct sim_binding {
    enum sim_binding_kind kind;
    uint32_t scope;
    uint32_t reg; // REGISTER: index + 1; 0 until its first use
    enum sim_type type;
    uint32_t vector;
    uint64_t count; // RANGE
    struct sim_name *name;
    struct sim_binding *outer; // binding of the same name in an outer scope
    struct sim_binding *next;  // next binding in the same scope
};

struct sim_alias {
    struct sim_name *name, *of;
    uint32_t line;
};

// A growable vector. The parser owns its memory, and reuses it for the next function.
struct sim_grow {
    void *items;
    size_t count, capacity, size;
};

struct sim_parser {
    struct cuc__ptx_lexer lexer;
    struct cuc__ptx_token token; // the current token; the lexer is at the next one
    struct sim_name *name;       // the name, if the token is a name or directive
    struct cuc__arena *arena;
    struct sim_module *module;
    char *log;
    size_t log_bytes;
    jmp_buf failed;

    struct sim_name **buckets;
    size_t name_count, bucket_count; // bucket_count: a power of two

    struct sim_grow functions, variables; // of the module being parsed
    struct sim_grow files, aliases;
    uint64_t init_bytes; // total over all initializers

    // The function being parsed.
    struct sim_loc loc;
    struct sim_grow statements, registers, locals, local_scopes, labels, scopes;
    struct sim_grow open; // struct sim_binding *: a list for each open scope
    uint32_t scope;
    uint32_t ranges; // number of ranges declared so far; a new one invalidates cached bindings

    struct sim_grow operands;            // operands of the statement and of its unfinished lists
    struct sim_grow parameters, targets; // of the construct being parsed
    struct sim_grow bytes, relocations;  // an initializer's content
};

// parser.c: tokens and failures.

// Fails with "line N: ...", where N is the current token's line.
_Noreturn void sim_parser_fail(struct sim_parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));
// Fails with "line N: found <the token>, expected <what>".
_Noreturn void sim_parser_expected(struct sim_parser *p, const char *what) __attribute__((cold));
void sim_parser_next(struct sim_parser *p);
bool sim_parser_is(const struct sim_parser *p, int sign);
// Consumes a sign if it is the current token.
bool sim_parser_accept(struct sim_parser *p, int sign);
void sim_parser_expect(struct sim_parser *p, int sign, const char *what);
// Returns the current directive. SIM_AT_NONE if the token is an unknown directive or no directive.
enum sim_directive sim_parser_directive(const struct sim_parser *p);
// Consume a name, and an unsigned 32-bit integer.
struct sim_name *sim_parser_name(struct sim_parser *p, const char *what);
uint32_t sim_parser_u32(struct sim_parser *p, const char *what);
void *sim_parser_take(struct sim_parser *p, size_t bytes);
// Appends a zeroed item.
void *sim_parser_push(struct sim_parser *p, struct sim_grow *g);
// Appends zeroed items until there are `count`.
void sim_parser_extend(struct sim_parser *p, struct sim_grow *g, size_t count);
// Moves all items from index `from` on into the arena. Returns NULL if there are none.
void *sim_parser_keep(struct sim_parser *p, struct sim_grow *g, size_t from);

// parser_names.c: words, scopes and registers.

struct sim_name *sim_parser_intern(struct sim_parser *p, const char *text, size_t bytes);
// Interns the names of types and special registers.
void sim_parser_intern_known(struct sim_parser *p);
const struct sim_opcode *sim_parser_opcode(struct sim_parser *p, const char *text, size_t bytes);
void sim_parser_scope_open(struct sim_parser *p);
void sim_parser_scope_close(struct sim_parser *p);
// Declares a name in the innermost scope. The caller sets a register's type and vector size, and
// the count of a range (%r<count>).
struct sim_binding *sim_parser_bind(struct sim_parser *p, struct sim_name *name,
                                    enum sim_binding_kind kind);
// Finds the innermost binding of a name; NULL if there is none.
struct sim_binding *sim_parser_lookup(struct sim_parser *p, struct sim_name *name);
// Returns a register's index in the function.
uint32_t sim_parser_register(struct sim_parser *p, struct sim_binding *binding);

// parser_expression.c: constant expressions.

enum sim_constant_kind { SIM_CONSTANT_S64, SIM_CONSTANT_U64, SIM_CONSTANT_F64, SIM_CONSTANT_F32 };
struct sim_constant {
    enum sim_constant_kind kind;
    uint64_t bits;
};
struct sim_constant sim_parser_constant(struct sim_parser *p);
// Parses an expression that must be an integer.
uint64_t sim_parser_integer(struct sim_parser *p, const char *what);
// Parses zero or more "+ constant" and "- constant".
int64_t sim_parser_offset(struct sim_parser *p);

// parser_operand.c

void sim_parser_operand(struct sim_parser *p, struct sim_operand *out, bool in_call);
// Parses the register of a guard @p.
uint32_t sim_parser_guard(struct sim_parser *p);

// parser_variable.c

// Parses declarations, up to and including an initializer such as "= 3". The current token must be
// their state space. Passes each variable to `add`. `linking` has the flags of the preceding
// directives.
void sim_parser_variables(struct sim_parser *p, const struct sim_variable *linking,
                          void (*add)(struct sim_parser *p, struct sim_name *name,
                                      const struct sim_variable *v));
// Parses parameters, ( ... ), into the arena. `bind`: .reg parameters become registers.
struct sim_variable *sim_parser_parameters(struct sim_parser *p, size_t *count, bool bind);
// Parses .reg declarations.
void sim_parser_registers(struct sim_parser *p);

// parser_body.c

// Parse directives that are allowed anywhere.
void sim_parser_loc(struct sim_parser *p);
void sim_parser_pragma(struct sim_parser *p);
void sim_parser_file(struct sim_parser *p);
// Parses { ... } into the function. The scope of the body must be open.
void sim_parser_body(struct sim_parser *p, struct sim_function *f);

// parser_module.c

// Parses a directive between a function's parameters and its body. False if there is none.
bool sim_parser_function_directive(struct sim_parser *p, struct sim_function *f);
// Parses the whole text.
void sim_parser_module(struct sim_parser *p);

#endif
