// Counts the library's own calls of malloc() and related functions, and makes them fail. Programs
// that include this are linked with --wrap for each function (tests/meson.build), so that neither
// the driver nor the C library is affected.
#ifndef CUCORE_TESTS_SUPPORT_WRAP_MALLOC_H
#define CUCORE_TESTS_SUPPORT_WRAP_MALLOC_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static _Atomic long wrap_calls;     // allocations requested
static _Atomic long wrap_live;      // blocks not yet freed
static _Atomic long wrap_fail_in;   // the n-th call from now fails; 0: none
static _Atomic long wrap_fail_more; // number of calls after that one that fail too
static _Atomic int wrap_failed;     // number of calls that failed

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
void __real_free(void *p);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);
void __wrap_free(void *p);

static inline int wrap_fails(void)
{
    wrap_calls++;
    if (wrap_fail_in > 0 && --wrap_fail_in == 0) {
        wrap_failed++;
        return 1;
    }
    if (wrap_failed && wrap_fail_more > 0) {
        wrap_fail_more--;
        wrap_failed++;
        return 1;
    }
    return 0;
}

static inline void *wrap_made(void *p)
{
    wrap_live += p != NULL;
    return p;
}

void *__wrap_malloc(size_t bytes)
{
    return wrap_fails() ? NULL : wrap_made(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return wrap_fails() ? NULL : wrap_made(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *old, size_t bytes)
{
    void *p = wrap_fails() ? NULL : __real_realloc(old, bytes);

    wrap_live += p && !old;
    return p;
}

char *__wrap_strdup(const char *text)
{
    return wrap_fails() ? NULL : wrap_made(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t bytes)
{
    return wrap_fails() ? NULL : wrap_made(__real_strndup(text, bytes));
}

void __wrap_free(void *p)
{
    wrap_live -= p != NULL;
    __real_free(p);
}

#endif
