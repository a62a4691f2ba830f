#include "options.h"

#include <string.h>

enum { MOST_BYTES = 65536 }; // more than the size of any options struct

cuc_status cuc__check_size(const void *from, size_t least, size_t size, const char *field,
                           const char *type, const char *function)
{
    size_t given;

    memcpy(&given, from, sizeof(given));
    if (given >= least && given <= MOST_BYTES)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%s%sstruct_size is %zu, expected sizeof(%s), which is %zu here: start from "
                     "its _INIT",
                     field ? field : type, field ? "" : ".", given, type, size);
}

cuc_status cuc__read_options(void *to, size_t size, const void *from, const char *type,
                             const char *function)
{
    size_t given;

    memset(to, 0, size);
    if (!from) {
        memcpy(to, &size, sizeof(size));
        return CUC_OK;
    }
    memcpy(&given, from, sizeof(given));
    cuc_status st = cuc__check_size(from, sizeof(size_t), size, NULL, type, function);
    if (st < 0)
        return st;
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)from)[i])
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s sets a field at byte %zu, but this library knows only its first "
                             "%zu bytes: update cucore, or leave the field zero",
                             type, i, size);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof(size));
    return CUC_OK;
}

cuc_status cuc__write_struct(void *to, const void *from, size_t size, const char *type,
                             const char *function)
{
    size_t given;

    memcpy(&given, to, sizeof(given));
    cuc_status st = cuc__check_size(to, sizeof(size_t), size, "out->", type, function);
    if (st < 0)
        return st;
    size_t both = given < size ? given : size;
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t), both - sizeof(size_t));
    memset((char *)to + both, 0, given - both);
    return CUC_OK;
}

void cuc__init_options(void *options, size_t caller_size)
{
    if (!options || caller_size < sizeof(size_t))
        return;
    memset(options, 0, caller_size);
    memcpy(options, &caller_size, sizeof(caller_size));
}

cuc_status cuc__fail_bits(const char *field, uint32_t bits, uint32_t reserved, const char *expected,
                          const char *function)
{
    if (reserved)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is 0x%x and reserved %u, expected %s and 0", field, bits, reserved,
                         expected);
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is 0x%x, expected %s", field, bits,
                     expected);
}

cuc_status cuc__check_reserved(const char *field, uint32_t value, const char *function)
{
    return value ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is %u, expected 0", field,
                             value)
                 : CUC_OK;
}

cuc_status cuc__check_switch(const char *field, int32_t value, const char *function)
{
    if (value == CUC_DEFAULT || value == CUC_ON || value == CUC_OFF)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%s is %d, expected CUC_DEFAULT (0), CUC_ON (1) or CUC_OFF (2)", field, value);
}

cuc_status cuc__check_ranges(const struct cuc__range *rows, size_t count, const char *function)
{
    for (const struct cuc__range *r = rows; r < rows + count; r++) {
        if (r->value >= r->least && r->value <= r->most)
            continue;
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is %lld, expected %s%s%s%lld to %lld", r->field, (long long)r->value,
                         r->constants ? "a " : "", r->constants ? r->constants : "",
                         r->constants ? " constant, " : "", (long long)r->least,
                         (long long)r->most);
    }
    return CUC_OK;
}
