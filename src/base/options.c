#include "options.h"

#include <string.h>

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
    if (given < sizeof(size_t) || given > 65536)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s.struct_size is %zu, expected sizeof(%s), which is %zu here: start "
                         "from its _INIT",
                         type, given, type, size);
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
    if (given < sizeof(size_t) || given > 65536)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "out->struct_size is %zu, expected sizeof(%s), which is %zu here: start "
                         "from its _INIT",
                         given, type, size);
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
