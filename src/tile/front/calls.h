// The tables of calls, and the parsing of a call's arguments.
#ifndef CUCORE_TILE_FRONT_CALLS_H
#define CUCORE_TILE_FRONT_CALLS_H

#include "elaborate.h"

enum { TILE_MAX_ARGUMENTS = 12 };

// A call with its arguments matched to the row's parameters. NULL: argument not given.
struct tile_call {
    const struct tile_ast *ast;
    const struct tile_ast *argument[TILE_MAX_ARGUMENTS];
    const struct tile_ast *rest[TILE_MAX_RANK]; // arguments of a parameter that ends in ...
    uint32_t rests;
};

struct tile_call_row {
    const char *name;
    const char *arguments; // names separated by spaces; those after | are optional
    // Returns the number of meanings; 0 after an error, and for calls that only have an effect.
    uint32_t (*make)(struct tile_elaborator *e, const struct tile_call *call,
                     const struct tile_call_row *row, struct tile_meaning *out);
    int which; // selects the op or the combination, for calls that share a function
};

// calls_value.c, calls_reduce.c, calls_memory.c: tables of calls. A row without a name ends a
// table; NULL ends the list of tables.
extern const struct tile_call_row tile_value_calls[], tile_reduce_calls[], tile_memory_calls[];
extern const struct tile_call_row *const tile_call_tables[];

// Makes later errors report the call's position and name. Called once all arguments are read.
void tile_at_call(struct tile_elaborator *e, const struct tile_call *c);
// Stores a call's only value as its meaning. Returns the number of meanings: 1, or 0 for NULL.
static inline uint32_t tile_call_gives(struct tile_meaning *out, struct tile_value *value)
{
    *out = tile_meaning_of(value);
    return value != NULL;
}
// Builds a call with a value and an integer; the integer becomes attribute `key` of the row's op.
uint32_t tile_call_with_int(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, enum tile_attribute_key key,
                            struct tile_meaning *out);
// These functions read argument i, and return false (or NULL) after an error. If the argument is
// not given, the result is `otherwise`.
bool tile_call_operand(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       struct tile_operand *out);
struct tile_value *tile_call_value(struct tile_elaborator *e, const struct tile_call *c,
                                   uint32_t i); // NULL also if the argument is not given
bool tile_call_int(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                   int64_t otherwise, int64_t *out);
bool tile_call_truth(struct tile_elaborator *e, const struct tile_call *c, uint32_t i, bool *out);
bool tile_call_dtype(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                     cuc_dtype *out);
bool tile_call_text(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                    const char **out);
// Looks the argument up in a list of words and returns its index.
bool tile_call_word(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                    const char *const *words, int otherwise, int *out);
// Reads the rounding, from arguments i and i + 1.
bool tile_call_rounding(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                        struct tile_rounding *out);
// Reads a list of constants, or a single one. `blanks`: `_` is read as -1, and extents must be 1 or
// more.
bool tile_call_extents(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       bool blanks, int64_t *out, uint32_t *count);
// Reads a list of values.
bool tile_call_operands(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                        struct tile_operand *out, uint32_t *count);

#endif
