// Reads option structs whose first field holds the caller's size.
#ifndef CUCORE_BASE_OPTIONS_H
#define CUCORE_BASE_OPTIONS_H

#include "error.h"

// Copies the caller's options into the library's own struct: NULL means every default, a smaller
// struct leaves the rest zero, and a larger one must have zeros in the bytes unknown here.
cuc_status cuc__read_options(void *to, size_t size, const void *from, const char *type,
                             const char *function);

#define CUC_READ_OPTIONS(to, from, type) \
    cuc__read_options((to), sizeof(type), (from), #type, __func__)

// Fills a struct whose first field holds the caller's size: writes as much as the caller has, and
// zeros into fields that only the caller knows.
cuc_status cuc__write_struct(void *to, const void *from, size_t size, const char *type,
                             const char *function);

#define CUC_WRITE_STRUCT(to, from, type) \
    cuc__write_struct((to), (from), sizeof(type), #type, __func__)

// The body of an exported `_init`: zeroes the caller's bytes, never more, and writes their number.
void cuc__init_options(void *options, size_t caller_size);

#endif
