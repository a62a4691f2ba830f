// The syntax tree of PTX: modules of symbols and functions, and instructions with their words and
// operands. The parser knows only the grammar (PTX ISA, "Syntax" and "State Spaces, Types, and
// Variables"). decode.c interprets the instructions.
#ifndef CUCORE_SIM_PTX_PTX_H
#define CUCORE_SIM_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Fundamental types: X(tag, word, bytes, class), where class is b, u, s, f or p. Each packed or
// alternate format that instructions can name is a separate type.
#define SIM_TYPE_LIST(X)          \
    X(NONE, "", 0, 'n')           \
    X(B1, "b1", 1, 'b')           \
    X(B8, "b8", 1, 'b')           \
    X(B16, "b16", 2, 'b')         \
    X(B32, "b32", 4, 'b')         \
    X(B64, "b64", 8, 'b')         \
    X(B128, "b128", 16, 'b')      \
    X(U8, "u8", 1, 'u')           \
    X(U16, "u16", 2, 'u')         \
    X(U32, "u32", 4, 'u')         \
    X(U64, "u64", 8, 'u')         \
    X(S8, "s8", 1, 's')           \
    X(S16, "s16", 2, 's')         \
    X(S32, "s32", 4, 's')         \
    X(S64, "s64", 8, 's')         \
    X(F16, "f16", 2, 'f')         \
    X(F16X2, "f16x2", 4, 'f')     \
    X(BF16, "bf16", 2, 'f')       \
    X(BF16X2, "bf16x2", 4, 'f')   \
    X(TF32, "tf32", 4, 'f')       \
    X(F32, "f32", 4, 'f')         \
    X(F32X2, "f32x2", 8, 'f')     \
    X(F64, "f64", 8, 'f')         \
    X(E4M3, "e4m3", 1, 'f')       \
    X(E5M2, "e5m2", 1, 'f')       \
    X(E4M3X2, "e4m3x2", 2, 'f')   \
    X(E5M2X2, "e5m2x2", 2, 'f')   \
    X(E2M3X2, "e2m3x2", 2, 'f')   \
    X(E3M2X2, "e3m2x2", 2, 'f')   \
    X(E2M1X2, "e2m1x2", 1, 'f')   \
    X(E4M3X4, "e4m3x4", 4, 'f')   \
    X(E5M2X4, "e5m2x4", 4, 'f')   \
    X(E2M3X4, "e2m3x4", 4, 'f')   \
    X(E3M2X4, "e3m2x4", 4, 'f')   \
    X(E2M1X4, "e2m1x4", 2, 'f')   \
    X(UE8M0X2, "ue8m0x2", 2, 'f') \
    X(U16X2, "u16x2", 4, 'u')     \
    X(S16X2, "s16x2", 4, 's')     \
    X(U2, "u2", 1, 'u')           \
    X(S2, "s2", 1, 's')           \
    X(U4, "u4", 1, 'u')           \
    X(S4, "s4", 1, 's')           \
    X(PRED, "pred", 0, 'p')

enum sim_type {
#define ROW(tag, word, bytes, class) SIM_##tag,
    SIM_TYPE_LIST(ROW)
#undef ROW
        SIM_TYPES
};

enum sim_space {
    SIM_GENERIC,
    SIM_REG,
    SIM_CONST,
    SIM_GLOBAL,
    SIM_LOCAL,
    SIM_PARAM,
    SIM_SHARED,
    SIM_SHARED_CLUSTER,
    SIM_SPACES
};

// The source location of a PTX line, according to the preceding .loc.
struct sim_loc {
    uint32_t file; // index into the module's files; 0: unknown
    uint32_t line, column;
};

// A part of an initializer that holds the address of another symbol plus an offset.
struct sim_relocation {
    uint32_t at;    // byte offset in the variable
    uint32_t bytes; // 4 or 8; 1 for the parts of mask(), which have a `shift`
    uint32_t shift; // right shift of the address before its low `bytes` are stored
    bool generic;   // generic(symbol) stores a generic address; otherwise it is an address in the
                    // symbol's state space
    const char *symbol;
    int64_t addend;
};

// A variable of a module or function, or a parameter.
struct sim_variable {
    const char *name;
    enum sim_space space;
    enum sim_type type;
    uint32_t align;  // bytes
    uint64_t bytes;  // size of the whole variable; 0 for an array of unspecified length ([])
    uint32_t vector; // elements per value: 1, 2 or 4
    bool is_extern, is_visible, is_weak, is_common;
    bool is_managed;     // .attribute(.managed)
    bool is_pointer;     // .ptr parameters
    unsigned char *init; // [bytes], or NULL for zeros
    struct sim_relocation *relocations;
    size_t relocation_count;
    uint32_t line;
};

enum sim_operand_kind {
    SIM_OP_REGISTER, // `reg` is an index into function->registers
    SIM_OP_INTEGER,  // value in value.u
    SIM_OP_F32,      // 0f...: the bits in value.u
    SIM_OP_F64,      // 0d... or a decimal: the bits in value.u
    SIM_OP_SPECIAL,  // %tid.x: the SIM_SR_ number, in value.u (special.def)
    SIM_OP_SYMBOL,   // a variable's address, plus offset; or a function, or a label
    SIM_OP_ADDRESS,  // [...]: list[0] is the base (register, symbol or integer), plus offset
    SIM_OP_VECTOR,   // {a, b, ...}: list[0..count)
    SIM_OP_LIST,     // (a, b, ...) of a call: list[0..count)
    SIM_OP_TUPLE, // [a, {b, c}, ...] of tensor copies: list[0..count); list[0] has its own offset
    SIM_OP_SINK,  // _
};

struct sim_operand {
    enum sim_operand_kind kind;
    bool negated;   // !p, or -x for a register; signs of constants are part of their values
    uint32_t reg;   // REGISTER: index; for a pair p|q, the index of p
    uint32_t pair;  // second register of p|q or _|q, or SIM_NO_PAIR
    int64_t offset; // SYMBOL, ADDRESS
    union {
        uint64_t u;
    } value;
    const char *symbol; // SYMBOL: its name, which decode_place.c looks up from the innermost scope
                        // outwards
    uint32_t scope;     // SYMBOL: the scope in which it is used
    struct sim_operand *list;
    uint32_t count;
    uint32_t component; // 0..3 for .x .y .z .w of a vector register (a whole register is a VECTOR)
    uint32_t parts;     // .b0, .h32 or .b7654 of a video instruction, as SIM_PARTS(); 0: none
};
// Selected parts of a register: 'b' or 'h', how many, and their indices as hexadecimal digits in
// the order written.
#define SIM_PARTS(kind, count, digits) ((uint32_t)(kind) << 24 | (count) << 16 | (digits))
#define SIM_PARTS_KIND(parts) ((parts) >> 24)
#define SIM_PARTS_COUNT(parts) ((parts) >> 16 & 0xff)
#define SIM_PARTS_DIGIT(parts, k) ((parts) >> 4 * (k)&15) // k-th digit from the right
#define SIM_NO_PAIR UINT32_MAX
#define SIM_NO_GUARD UINT32_MAX

enum { SIM_MAX_WORDS = 16, SIM_MAX_OPERANDS = 12 };

// An instruction. "add.rn.f32" has the words add, rn and f32. "::" does not separate words
// (shared::cluster, mbarrier::complete_tx::bytes).
struct sim_statement {
    const char *word[SIM_MAX_WORDS];
    uint32_t words;
    uint32_t guard; // index of the register in @p, or SIM_NO_GUARD
    bool guard_negated;
    struct sim_operand *operand; // [operands]
    uint32_t operands;
    uint32_t line;
    struct sim_loc loc;
};

struct sim_register {
    const char *name; // includes the %
    enum sim_type type;
    uint32_t vector; // 1, 2 or 4
    uint32_t scope;
};

// A label, a table of labels (.branchtargets) or of functions (.calltargets), or a prototype
// (.callprototype). Its name and scope identify it.
struct sim_label {
    const char *name;
    uint32_t scope;
    uint32_t at;          // index of the statement that follows it
    const char **targets; // .branchtargets / .calltargets; NULL for a plain label
    uint32_t target_count;
    const struct sim_function *prototype; // .callprototype: its parameters and results
};

// A function. Each { } in it is a scope. Scope 0 is the whole body, and every other scope has a
// parent.
struct sim_function {
    const char *name;
    bool is_entry, is_extern, is_visible, is_weak, is_defined, no_return;
    struct sim_variable *parameters;
    size_t parameter_count;
    struct sim_variable *results; // results of a .func
    size_t result_count;
    struct sim_register *registers; // registers that are used, in the order of their first use
    size_t register_count;
    struct sim_variable *variables; // .local, .shared, .param, .const and .global variables of the
                                    // body
    uint32_t *variable_scopes;      // [variable_count]
    size_t variable_count;
    struct sim_label *labels;
    size_t label_count;
    uint32_t *scope_parents; // [scope_count]; the body is its own parent
    size_t scope_count;
    struct sim_statement *statements;
    size_t statement_count;
    uint32_t max_threads[3]; // .maxntid; 0: none
    uint32_t required_threads[3];
    uint32_t required_cluster[3];
    uint32_t min_blocks, max_registers, max_cluster; // .minnctapersm .maxnreg .maxclusterrank
    bool explicit_cluster, blocks_are_clusters;
    uint32_t line;
};

struct sim_module {
    int version;        // 90 for .version 9.0
    int target;         // 90 for sm_90, sm_90a
    char target_suffix; // 'a', 'f' or 0
    const char **files; // by .file number; [0] is unused
    size_t file_count;
    struct sim_variable *variables;
    size_t variable_count;
    struct sim_function *functions;
    size_t function_count;
    struct cuc__arena *arena; // holds everything above
};

// Special registers by name ("%tid.x" is SIM_SR_TID_X): SPECIAL(tag, name, type), in special.def.
enum sim_special {
#define SPECIAL(tag, name, type) SIM_SR_##tag,
#include "special.def"
#undef SPECIAL
    SIM_SPECIALS
};

// Parses a module. On failure returns NULL, with "line N: found ..., expected ..." in `log`. The
// text need not end in NUL, and `bytes` does not include one.
struct sim_module *sim_ptx_parse(const char *text, size_t bytes, char *log, size_t log_bytes);
void sim_ptx_free(struct sim_module *module);

const char *sim_type_word(enum sim_type type);
uint32_t sim_type_bytes(enum sim_type type);
char sim_type_class(enum sim_type type);

#endif
