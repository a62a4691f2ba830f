// The tables of built-in calls, and functions that read a call's arguments.
#ifndef CUCORE_TILE_FRONT_CALLS_H
#define CUCORE_TILE_FRONT_CALLS_H

#include "elaborate.h"

enum { TILE_MAX_ARGUMENTS = 12 };

// A call whose arguments have been matched to the row's parameters. NULL: argument not given.
struct tile_call {
    const struct tile_ast *ast;
    const struct tile_ast *argument[TILE_MAX_ARGUMENTS];
    const struct tile_ast *rest[TILE_MAX_RANK]; // arguments of the parameter that ends in ...
    uint32_t rests;
};

struct tile_call_row {
    const char *name;
    const char *arguments; // names separated by spaces; the parameters after | are optional
    // Returns the number of meanings; 0 after an error, and for calls made only for their effect.
    uint32_t (*make)(struct tile_elaborator *e, const struct tile_call *call,
                     const struct tile_call_row *row, struct tile_meaning *out);
    int which; // selects the op or the combination, for rows that share a function
};

// calls_value.c, calls_reduce.c, calls_memory.c: tables of calls. Each table ends with a row
// without a name, and the list of tables ends with NULL.
extern const struct tile_call_row tile_value_calls[], tile_reduce_calls[], tile_memory_calls[];
extern const struct tile_call_row *const tile_call_tables[];

// Makes later errors show the call's position and name. Must be called after all arguments have
// been read.
void tile_at_call(struct tile_elaborator *e, const struct tile_call *c);
// Stores `value` as the only meaning of a call. Returns the number of meanings: 1, or 0 if `value`
// is NULL.
static inline uint32_t tile_call_gives(struct tile_meaning *out, struct tile_value *value)
{
    *out = tile_meaning_of(value);
    return value != NULL;
}
// Builds the row's op from a call with a value and an integer. The integer becomes attribute `key`.
uint32_t tile_call_with_int(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, enum tile_attribute_key key,
                            struct tile_meaning *out);
// Read argument i. They return false (or NULL) after an error, and give `otherwise` if the argument
// is missing.
bool tile_call_operand(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       struct tile_operand *out);
struct tile_value *tile_call_value(struct tile_elaborator *e, const struct tile_call *c,
                                   uint32_t i); // NULL also if the argument is missing
bool tile_call_int(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                   int64_t otherwise, int64_t *out);
bool tile_call_truth(struct tile_elaborator *e, const struct tile_call *c, uint32_t i, bool *out);
bool tile_call_dtype(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                     cuc_dtype *out);
bool tile_call_text(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                    const char **out);
// Reads a word, and gives its index in a list of words.
bool tile_call_word(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                    const char *const *words, int otherwise, int *out);
// Reads the rounding options from arguments i and i + 1.
bool tile_call_rounding(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                        struct tile_rounding *out);
// Reads a constant or a list of constants. `blanks`: reads `_` as -1, and requires extents of 1 or
// more.
bool tile_call_extents(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       bool blanks, int64_t *out, uint32_t *count);
// Reads a value or a list of values.
bool tile_call_operands(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                        struct tile_operand *out, uint32_t *count);

#endif
