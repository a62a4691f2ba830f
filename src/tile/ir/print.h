// What the files share that print IR as source: print.c, print_head.c, print_value.c.
#ifndef CUCORE_TILE_IR_PRINT_H
#define CUCORE_TILE_IR_PRINT_H

#include "text.h"

struct tile_printer {
    struct tile_text *text, *functions; // functions come first
    const struct tile_kernel *kernel;
    const char **name; // by id
    const char **used; // all of them, by hash
    uint32_t used_room, numbered;
    uint32_t function_count;
};

// print.c: the name that the source has, or that with a number when another value has it too: so a
// dump that is parsed keeps its names.
const char *tile_printed_name(struct tile_printer *p, const struct tile_value *value);
void tile_put_block(struct tile_printer *p, const struct tile_block *block, uint32_t depth);

// print_value.c: what stands right of the = of an op; names of operands in a row.
void tile_put_value(struct tile_printer *p, const struct tile_op *op);
void tile_put_operands(struct tile_printer *p, const struct tile_op *op, uint32_t first,
                       uint32_t end);
// "+"; NULL of an op that is written as a call.
const char *tile_op_sign(enum tile_op_kind kind);

#endif
