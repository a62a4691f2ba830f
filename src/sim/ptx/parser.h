// The parser's state, shared by its parts. A failure leaves by longjmp: all that the parts allocate
// lies in the module's arena or in the vectors here.
#ifndef CUCORE_SIM_PTX_PARSER_H
#define CUCORE_SIM_PTX_PARSER_H

#include "base/arena.h"
#include "lexer.h"
#include "ptx.h"

#include <setjmp.h>

struct sim_binding;

// Directives: of the module, of a body, between a function's name and its body.
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

// A word of the text, once: names compare by pointer.
struct sim_name {
    const char *text; // closed by NUL
    struct sim_name *next;
    uint32_t hash, bytes;
    struct sim_binding *binding; // what it is in the scopes that are open, innermost first
    uint32_t checked;            // parser->ranges when its binding was last seen to be right
    uint32_t function, variable; // of the module: 1 + index, 0 for none
    enum sim_type type;          // of a directive that names a type
    uint16_t directive;          // enum sim_directive
    uint16_t special;            // 1 + enum sim_special
    bool special_vector;         // %tid: has .x .y .z
    const struct sim_opcode *opcode;
};

// An opcode as written, cut at its dots once.
struct sim_opcode {
    const char *word[SIM_MAX_WORDS];
    uint32_t words;
    bool is_call;
};

enum sim_binding_kind { SIM_BIND_REGISTER, SIM_BIND_RANGE, SIM_BIND_SYMBOL };

struct sim_binding {
    enum sim_binding_kind kind;
    uint32_t scope;
    uint32_t reg; // REGISTER: 1 + index, 0 until its first use
    enum sim_type type;
    uint32_t vector;
    uint64_t count; // RANGE
    struct sim_name *name;
    struct sim_binding *outer; // of the same name
    struct sim_binding *next;  // of the same scope
};

struct sim_alias {
    struct sim_name *name, *of;
    uint32_t line;
};

// A vector that grows; its memory is the parser's and is used again for the next function.
struct sim_grow {
    void *items;
    size_t count, capacity, size;
};

struct sim_parser {
    struct sim_lexer lexer;
    struct sim_token token; // the current one; the lexer stands right after it
    struct sim_name *name;  // of a name or directive
    struct cuc__arena *arena;
    struct sim_module *module;
    char *log;
    size_t log_bytes;
    jmp_buf failed;

    struct sim_name **buckets;
    size_t name_count, bucket_count; // a power of two

    struct sim_grow functions, variables; // of the module
    struct sim_grow files, aliases;
    uint64_t init_bytes; // of all initialisers

    // The function that is read.
    struct sim_loc loc;
    struct sim_grow statements, registers, locals, local_scopes, labels, scopes;
    struct sim_grow open; // struct sim_binding *: of each open scope
    uint32_t scope;
    uint32_t ranges; // how many were declared: those of names must be looked for anew after each

    struct sim_grow operands;            // of the statement, and of the lists in it that are open
    struct sim_grow parameters, targets; // of what is being read
    struct sim_grow bytes, relocations;  // of an initialiser
};

// parser.c: tokens and failures.

// "line N: ..." of the current token.
_Noreturn void sim_parser_fail(struct sim_parser *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), cold));
// "line N: found <the token>, expected <what>".
_Noreturn void sim_parser_expected(struct sim_parser *p, const char *what) __attribute__((cold));
void sim_parser_next(struct sim_parser *p);
bool sim_parser_is(const struct sim_parser *p, int sign);
// Take a sign when it is there.
bool sim_parser_accept(struct sim_parser *p, int sign);
void sim_parser_expect(struct sim_parser *p, int sign, const char *what);
// The directive that is current; SIM_AT_NONE for another one or none.
enum sim_directive sim_parser_directive(const struct sim_parser *p);
// Take a name, an unsigned integer of 32 bits.
struct sim_name *sim_parser_name(struct sim_parser *p, const char *what);
uint32_t sim_parser_u32(struct sim_parser *p, const char *what);
void *sim_parser_take(struct sim_parser *p, size_t bytes);
// A zeroed item at the end.
void *sim_parser_push(struct sim_parser *p, struct sim_grow *g);
// Zeroed items up to a count.
void sim_parser_extend(struct sim_parser *p, struct sim_grow *g, size_t count);
// Items from `from` on, moved to the arena; NULL for none.
void *sim_parser_keep(struct sim_parser *p, struct sim_grow *g, size_t from);

// parser_names.c: words, scopes and registers.

struct sim_name *sim_parser_intern(struct sim_parser *p, const char *text, size_t bytes);
// Types, special registers.
void sim_parser_intern_known(struct sim_parser *p);
const struct sim_opcode *sim_parser_opcode(struct sim_parser *p, const char *text, size_t bytes);
void sim_parser_scope_open(struct sim_parser *p);
void sim_parser_scope_close(struct sim_parser *p);
// Declare a name in the innermost scope; of a register with its type and vector size, of a range
// (%r<count>) with its count.
struct sim_binding *sim_parser_bind(struct sim_parser *p, struct sim_name *name,
                                    enum sim_binding_kind kind);
// The binding of a name, innermost scope first; NULL when it has none.
struct sim_binding *sim_parser_lookup(struct sim_parser *p, struct sim_name *name);
// The index of a register.
uint32_t sim_parser_register(struct sim_parser *p, struct sim_binding *binding);

// parser_expression.c: constants.

enum sim_constant_kind { SIM_CONSTANT_S64, SIM_CONSTANT_U64, SIM_CONSTANT_F64, SIM_CONSTANT_F32 };
struct sim_constant {
    enum sim_constant_kind kind;
    uint64_t bits;
};
struct sim_constant sim_parser_constant(struct sim_parser *p);
// Of integers alone.
uint64_t sim_parser_integer(struct sim_parser *p, const char *what);
// Zero or more "+ constant" and "- constant".
int64_t sim_parser_offset(struct sim_parser *p);

// parser_operand.c

void sim_parser_operand(struct sim_parser *p, struct sim_operand *out, bool in_call);
// The register of @p.
uint32_t sim_parser_guard(struct sim_parser *p);

// parser_variable.c

// The current token is the state space; what follows a name, such as "= 3", is read as well. Each
// variable is given to `add`. `linking` has the flags that stood before.
void sim_parser_variables(struct sim_parser *p, const struct sim_variable *linking,
                          void (*add)(struct sim_parser *p, struct sim_name *name,
                                      const struct sim_variable *v));
// ( ... ): parameters, into the arena. Those in .reg become registers when `bind` is set.
struct sim_variable *sim_parser_parameters(struct sim_parser *p, size_t *count, bool bind);
// .reg declarations.
void sim_parser_registers(struct sim_parser *p);

// parser_body.c

// Directives that stand anywhere.
void sim_parser_loc(struct sim_parser *p);
void sim_parser_pragma(struct sim_parser *p);
void sim_parser_file(struct sim_parser *p);
// { ... } into the function; the scope of the body is open.
void sim_parser_body(struct sim_parser *p, struct sim_function *f);

// parser_module.c

// One that stands after a function's parameters; false when there is none.
bool sim_parser_function_directive(struct sim_parser *p, struct sim_function *f);
// All of the text.
void sim_parser_module(struct sim_parser *p);

#endif
