// Internal interface of the files that read the machine form: machine_parse.c, machine_reader.c,
// machine_type.c.
#ifndef CUCORE_TILE_MACHINE_MACHINE_READER_H
#define CUCORE_TILE_MACHINE_MACHINE_READER_H

#include "tile/front/lexer.h"

struct tile_reader {
    struct tile_lexer lexer;
    struct tile_token token;
    struct tile_module *module;
    struct tile_kernel *kernel;
    struct tile_value **value; // by a value's number
    uint32_t value_capacity;
    struct tile_layout **layout;
    uint32_t layout_count, layout_capacity, depth;
    bool failed;
};

// machine_reader.c: advances to the next token. After the first error, which says what was
// expected, the reader accepts no more tokens.
void tile_reader_next(struct tile_reader *r);
bool tile_reader_expected(struct tile_reader *r,
                          const char *what); // reports that `what` was expected; returns false
bool tile_reader_at(const struct tile_reader *r, char sign);
// Skips the sign if it is next.
bool tile_reader_take(struct tile_reader *r, char sign);
bool tile_reader_need(struct tile_reader *r, char sign);
bool tile_reader_need_word(struct tile_reader *r, const char *word);
int64_t tile_reader_need_int(struct tile_reader *r);
// Grows a table of pointers so that `index` is valid.
bool tile_reader_reserve(struct tile_reader *r, void ***table, uint32_t *capacity, uint64_t index);

// machine_type.c. tile_read_layout() reads the next layout definition. tile_read_layout_number()
// reads a layout's number and returns the layout.
void tile_read_layout(struct tile_reader *r);
const struct tile_layout *tile_read_layout_number(struct tile_reader *r,
                                                  const struct tile_type *type);
// Reads "%acc_12" and returns its number; *name gets the name before the number, or NULL.
uint32_t tile_read_name(struct tile_reader *r, const char **name);
// Reads a type. Sets *layout to NULL if the type names no layout.
void tile_read_type(struct tile_reader *r, struct tile_type *type,
                    const struct tile_layout **layout);

#endif
