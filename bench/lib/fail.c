#include "fail.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cuc_status cuc__bench_fail(cuc_status status, const char *function, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return cuc_error_set(status, function, text);
}

cuc_status cuc__bench_read(void *to, size_t size, const void *from, const char *type,
                           const char *function)
{
    size_t given;

    memset(to, 0, size);
    memcpy(to, &size, sizeof(size));
    if (!from)
        return CUC_OK;
    memcpy(&given, from, sizeof(given));
    if (given < sizeof(size_t) || given > 65536)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "%s.struct_size is %zu, expected sizeof(%s), which is %zu here: "
                               "start from its _INIT",
                               type, given, type, size);
    for (size_t i = size; i < given; i++)
        if (((const unsigned char *)from)[i])
            return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                   "%s sets a field at byte %zu, which this library (%zu bytes of "
                                   "it) does not know: update it, or leave the field zero",
                                   type, i, size);
    memcpy(to, from, given < size ? given : size);
    memcpy(to, &size, sizeof(size));
    return CUC_OK;
}

cuc_status cuc__bench_write(void *to, const void *from, size_t size, const char *type,
                            const char *function)
{
    size_t given;

    memcpy(&given, to, sizeof(given));
    if (given < sizeof(size_t) || given > 65536)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "out->struct_size is %zu, expected sizeof(%s), which is %zu here: "
                               "start from its _INIT",
                               given, type, size);
    size_t both = given < size ? given : size;
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t), both - sizeof(size_t));
    memset((char *)to + both, 0, given - both);
    return CUC_OK;
}

// Exported `_init` functions: zero the caller's struct up to `caller_size`, and set its size field.
#define INIT(name, type)                                    \
    void name(type *options, size_t caller_size)            \
    {                                                       \
        if (!options || caller_size < sizeof(size_t))       \
            return;                                         \
        memset(options, 0, caller_size);                    \
        memcpy(options, &caller_size, sizeof(caller_size)); \
    }

INIT(cuc_bench_thresholds_init, cuc_bench_thresholds)
INIT(cuc_bench_case_init, cuc_bench_case)
INIT(cuc_bench_options_init, cuc_bench_options)
INIT(cuc_bench_selection_init, cuc_bench_selection)
INIT(cuc_bench_work_init, cuc_bench_work)
INIT(cuc_bench_input_options_init, cuc_bench_input_options)
INIT(cuc_bench_subject_init, cuc_bench_subject)

static struct cuc__bench_text *new_text(struct cuc__bench_text **all, size_t length)
{
    struct cuc__bench_text *t = malloc(sizeof(*t) + length + 1);

    if (!t)
        return NULL;
    t->next = *all;
    *all = t;
    return t;
}

const char *cuc__bench_keep(struct cuc__bench_text **all, const char *text)
{
    struct cuc__bench_text *t = text ? new_text(all, strlen(text)) : NULL;

    return t ? strcpy(t->text, text) : NULL;
}

const char *cuc__bench_keep_format(struct cuc__bench_text **all, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    struct cuc__bench_text *t = length < 0 ? NULL : new_text(all, (size_t)length);
    if (!t)
        return NULL;
    va_start(args, fmt);
    vsnprintf(t->text, (size_t)length + 1, fmt, args);
    va_end(args);
    return t->text;
}

void *cuc__bench_keep_bytes(struct cuc__bench_text **all, const void *from, size_t bytes)
{
    struct cuc__bench_text *t = new_text(all, bytes);

    return t && bytes ? memcpy(t->text, from, bytes) : t ? t->text : NULL;
}

void cuc__bench_drop_texts(struct cuc__bench_text **all)
{
    while (*all) {
        struct cuc__bench_text *t = *all;
        *all = t->next;
        free(t);
    }
}

void *cuc__bench_grow(void **array, size_t *capacity, size_t count, size_t element)
{
    return cuc__array_reserve(array, capacity, count + 1, element)
               ? (char *)*array + count * element
               : NULL;
}
