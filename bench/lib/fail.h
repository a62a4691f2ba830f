// Error reporting and struct reading for the bench library. They work like cucore's
// (src/base/error.h, src/base/options.h), but use only public functions, because this is a separate
// library.
#ifndef CUCORE_BENCH_LIB_FAIL_H
#define CUCORE_BENCH_LIB_FAIL_H

#include <cucore/bench.h>
#include <cucore/error.h>

#include <stdarg.h>
#include <stdbool.h>

// Record a failure of the enclosing public function and return its status.
#define BENCH_FAIL(status, ...) cuc__bench_fail((status), __func__, __VA_ARGS__)

#define BENCH_CHECK_NOT_NULL(argument)                                              \
    do {                                                                            \
        if (!(argument))                                                            \
            return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s is NULL", #argument); \
    } while (0)

#define BENCH_NO_MEMORY(what) \
    cuc__bench_fail(CUC_ERROR_OUT_OF_MEMORY, __func__, "no host memory for %s", (what))

cuc_status cuc__bench_fail(cuc_status status, const char *function, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));

// Copy the caller's struct into one of this library's size. NULL selects every default. A smaller
// struct leaves the remaining fields zero, and a larger one must have only zeros in its remaining
// fields.
cuc_status cuc__bench_read(void *to, size_t size, const void *from, const char *type,
                           const char *function);

#define BENCH_READ(to, from, type) cuc__bench_read((to), sizeof(type), (from), #type, __func__)

// Fill the caller's struct, up to its struct_size.
cuc_status cuc__bench_write(void *to, const void *from, size_t size, const char *type,
                            const char *function);

#define BENCH_WRITE(to, from, type) cuc__bench_write((to), (from), sizeof(type), #type, __func__)

// A copied string in a list; the list's owner frees all copies at once.
struct cuc__bench_text {
    struct cuc__bench_text *next;
    _Alignas(double) char text[];
};

// Copy a string into the list; return NULL for NULL and if out of memory.
const char *cuc__bench_keep(struct cuc__bench_text **all, const char *text);
const char *cuc__bench_keep_format(struct cuc__bench_text **all, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void *cuc__bench_keep_bytes(struct cuc__bench_text **all, const void *from, size_t bytes);
void cuc__bench_drop_texts(struct cuc__bench_text **all);

// Make room for one more element in a growing array; return NULL, with the array unchanged, if out
// of memory.
void *cuc__bench_grow(void **array, size_t *capacity, size_t count, size_t element);

#endif
