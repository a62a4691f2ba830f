// Internal interface of the files that print IR as source: print.c, print_head.c, print_value.c.
#ifndef CUCORE_TILE_IR_PRINT_H
#define CUCORE_TILE_IR_PRINT_H

#include "text.h"

struct tile_printer {
    struct tile_text *text, *functions; // functions come first
    const struct tile_kernel *kernel;
    const char **name; // by id
    const char **used; // hash set of all names in use
    uint32_t used_capacity, numbered;
    uint32_t function_count;
};

// print.c: returns the value's name in the source. If another value has the same name, appends a
// number, so that the name survives when a dump is parsed.
const char *tile_printed_name(struct tile_printer *p, const struct tile_value *value);
void tile_put_block(struct tile_printer *p, const struct tile_block *block, uint32_t depth);

// print_value.c: print the right-hand side of an op, and a list of operands.
void tile_put_value(struct tile_printer *p, const struct tile_op *op);
void tile_put_operands(struct tile_printer *p, const struct tile_op *op, uint32_t first,
                       uint32_t end);
// Returns the operator that prints an op, such as "+"; NULL for an op that is printed as a call.
const char *tile_op_sign(enum tile_op_kind kind);

#endif
