// PTX text: registers, instructions, labels and constants (ptx.c).
#ifndef CUCORE_TILE_EMIT_PTX_H
#define CUCORE_TILE_EMIT_PTX_H

#include "tile/ir/text.h"

// A PTX register, given by its class and a number.
enum tile_register_class { TILE_PRED, TILE_R16, TILE_R32, TILE_R64, TILE_REGISTER_CLASSES };
typedef uint32_t tile_register; // class << 28 | number; numbers start at 1
#define TILE_NO_REGISTER 0u
#define TILE_REGISTER_CLASS(r) ((enum tile_register_class)((r) >> 28))

// The constant that a 64-bit register holds.
struct tile_number {
    bool is_known;
    int64_t value;
};

// The inverse of a divisor (divide_integer.c). `word`: the divisor's low 32 bits.
struct tile_inverse {
    const struct tile_value *value;
    tile_register divisor, word, by;
};

struct tile_emitter;

tile_register tile_new(struct tile_emitter *e, enum tile_register_class class);
enum tile_register_class tile_class_of(cuc_dtype dtype);
// Returns the register's name, such as "%r12". One expression may use up to 16 names.
const char *tile_name(tile_register r);
// Returns a list such as "{%r1, %r2}", owned by the module.
const char *tile_register_list(struct tile_emitter *e, const tile_register *r, uint32_t count);
// Emits an instruction. `format` omits the semicolon; %R takes a tile_register.
void tile_ins(struct tile_emitter *e, const char *format, ...);
// Appends a part of an instruction, in the same format, without the tab before it and the
// semicolon.
void tile_ins_part(struct tile_emitter *e, const char *format, ...);
// Like tile_ins(), but its first %R is a new register, which it returns.
tile_register tile_make(struct tile_emitter *e, enum tile_register_class class, const char *format,
                        ...);
uint32_t tile_label(struct tile_emitter *e);
void tile_put_label(struct tile_emitter *e, uint32_t label);
void tile_branch(struct tile_emitter *e, tile_register predicate, bool negated, uint32_t label);
void tile_move(struct tile_emitter *e, tile_register to, tile_register from);
// Return a register that holds a constant: an element of a dtype, or a 32-bit or 64-bit number.
tile_register tile_constant_register(struct tile_emitter *e, cuc_dtype dtype, uint64_t element);
tile_register tile_number32(struct tile_emitter *e, int32_t value);
tile_register tile_number64(struct tile_emitter *e, int64_t value);
// True if a register is the result of tile_number64(). No code may write such a register again.
bool tile_is_number64(const struct tile_emitter *e, tile_register r, int64_t *value);
// Directs the code that follows to the prologue. Returns the previous text, to be restored.
struct tile_text *tile_into_prologue(struct tile_emitter *e);

#endif
