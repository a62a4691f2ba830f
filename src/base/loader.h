// Opens shared libraries. No other file calls dlopen().
//
// A program linked with -static has no dynamic loader. In it, glibc's dlopen() loads a second C
// library with uninitialized thread-local storage. The first access to a thread-local variable then
// crashes, whether in the simulated driver or in NVIDIA's. The library therefore refuses such a
// program before it loads anything.
#ifndef CUCORE_BASE_LOADER_H
#define CUCORE_BASE_LOADER_H

#include <stdbool.h>

// Returns true in a program linked with -static or -static-pie.
bool cuc__program_is_static(void);

// The explanation for every failure caused by static linking.
extern const char cuc__static_remedy[];

// Works like dlopen(). On failure, returns NULL and stores the reason in `why`, which may be NULL.
// The reason belongs to the thread and lasts until the thread's next call.
void *cuc__open_shared(const char *path, int flags, const char **why);

#endif
