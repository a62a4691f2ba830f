// Reads option structs whose first field holds the caller's size, and checks their fields.
#ifndef CUCORE_BASE_OPTIONS_H
#define CUCORE_BASE_OPTIONS_H

#include "error.h"

// Copies the caller's options into the library's own struct. NULL means all defaults. A smaller
// struct leaves the remaining fields zero. A larger one must have zeros in the bytes that this
// version does not know.
cuc_status cuc__read_options(void *to, size_t size, const void *from, const char *type,
                             const char *function);

#define CUC_READ_OPTIONS(to, from, type) \
    cuc__read_options((to), sizeof(type), (from), #type, __func__)

// Fills a struct whose first field holds the caller's size. Writes no more than the caller's size,
// and zeros to fields that only the caller knows.
cuc_status cuc__write_struct(void *to, const void *from, size_t size, const char *type,
                             const char *function);

#define CUC_WRITE_STRUCT(to, from, type) \
    cuc__write_struct((to), (from), sizeof(type), #type, __func__)

// The body of an exported `_init`: zeroes the caller's bytes, but no more, and writes the size.
void cuc__init_options(void *options, size_t caller_size);

// Refuses a struct_size below `least`, or larger than any struct. `field` precedes "struct_size" in
// the message, as in "out->".
cuc_status cuc__check_size(const void *from, size_t least, size_t size, const char *field,
                           const char *type, const char *function);

// Checks of fields. `field` is the name in messages, as in "options->flags"; `expected` is the text
// after "expected", as in "CUC_GRAPH_ bits (0x7)".

cuc_status cuc__fail_bits(const char *field, uint32_t bits, uint32_t reserved, const char *expected,
                          const char *function);

// Refuses bits outside of `known`, and a nonzero `reserved` field (pass 0 for a struct without
// one).
static inline cuc_status cuc__check_bits(const char *field, uint32_t bits, uint32_t known,
                                         uint32_t reserved, const char *expected,
                                         const char *function)
{
    if (__builtin_expect(!(bits & ~known) && !reserved, 1))
        return CUC_OK;
    return cuc__fail_bits(field, bits, reserved, expected, function);
}

// Refuses a nonzero reserved field in a struct without flags.
cuc_status cuc__check_reserved(const char *field, uint32_t value, const char *function);

// Refuses values other than CUC_DEFAULT, CUC_ON and CUC_OFF.
cuc_status cuc__check_switch(const char *field, int32_t value, const char *function);

// The range of a numeric field. `constants` is the prefix of an enumeration's names, NULL for a
// number.
struct cuc__range {
    const char *field;
    int64_t value, least, most;
    const char *constants;
};

cuc_status cuc__check_ranges(const struct cuc__range *rows, size_t count, const char *function);

#endif
