// Reads options structs, whose first field holds the caller's struct size, and checks their fields.
#ifndef CUCORE_BASE_OPTIONS_H
#define CUCORE_BASE_OPTIONS_H

#include "error.h"

// Copies the caller's options into the library's own struct. NULL means all defaults. If the
// caller's struct is smaller, the remaining fields become zero. If it is larger, the bytes that
// this version does not know must be zero.
cuc_status cuc__read_options(void *to, size_t size, const void *from, const char *type,
                             const char *function);

#define CUC_READ_OPTIONS(to, from, type) \
    cuc__read_options((to), sizeof(type), (from), #type, __func__)

// Fills a struct whose first field holds the caller's struct size. Writes no more than that size,
// and zeroes the fields that only the caller knows.
cuc_status cuc__write_struct(void *to, const void *from, size_t size, const char *type,
                             const char *function);

#define CUC_WRITE_STRUCT(to, from, type) \
    cuc__write_struct((to), (from), sizeof(type), #type, __func__)

// Implements the exported `_init` functions: zeroes the caller's bytes, but no more, and writes the
// size.
void cuc__init_options(void *options, size_t caller_size);

// Refuses a struct_size that is below `least` or larger than any struct. In the message, `field`
// precedes "struct_size", as in "out->".
cuc_status cuc__check_size(const void *from, size_t least, size_t size, const char *field,
                           const char *type, const char *function);

// Field checks. `field` is the name in messages, such as "options->flags"; `expected` is the text
// after "expected", such as "CUC_GRAPH_ bits (0x7)".

cuc_status cuc__fail_bits(const char *field, uint32_t bits, uint32_t reserved, const char *expected,
                          const char *function);

// Refuses bits outside `known` and a nonzero `reserved` field. Pass 0 for a struct without a
// reserved field.
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

// The range of a numeric field. `constants` is the prefix of an enumeration's names, or NULL for a
// plain number.
struct cuc__range {
    const char *field;
    int64_t value, least, most;
    const char *constants;
};

cuc_status cuc__check_ranges(const struct cuc__range *rows, size_t count, const char *function);

#endif
