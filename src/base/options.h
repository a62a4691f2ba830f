// Reading option structs whose size the caller declares in the first field.
#ifndef CUCORE_BASE_OPTIONS_H
#define CUCORE_BASE_OPTIONS_H

#include "error.h"

// Copy what the caller gave into the library's own struct: NULL means every default, a smaller
// struct leaves the rest zero, a larger one may only have zeros in the bytes not known here.
cuc_status cuc__read_options(void *to, size_t size, const void *from, const char *type,
                             const char *function);

#define CUC_READ_OPTIONS(to, from, type) \
    cuc__read_options((to), sizeof(type), (from), #type, __func__)

// Fill a struct whose size the caller declares in its first field: as much of it as the caller has,
// and zeros where the caller knows more.
cuc_status cuc__write_struct(void *to, const void *from, size_t size, const char *type,
                             const char *function);

#define CUC_WRITE_STRUCT(to, from, type) \
    cuc__write_struct((to), (from), sizeof(type), #type, __func__)

// The body of an exported `_init`: zeroes what the caller has, never more, and writes its size.
void cuc__init_options(void *options, size_t caller_size);

#endif
