// The only place that opens shared libraries.
//
// A program linked with -static has no loader. glibc's dlopen() then loads a second C library with
// uninitialized thread-local storage: the first access to a thread-local variable, in the simulated
// driver or in NVIDIA's, is a segmentation fault. The library therefore refuses such a program
// before it loads anything.
#ifndef CUCORE_BASE_LOADER_H
#define CUCORE_BASE_LOADER_H

#include <stdbool.h>

// True in a program linked with -static or -static-pie.
bool cuc__program_is_static(void);

// The explanation of every failure with this cause.
extern const char cuc__static_remedy[];

// Works as dlopen(). On failure returns NULL and stores the reason in `why`, which may be NULL; the
// text belongs to the thread and lasts until its next call.
void *cuc__open_shared(const char *path, int flags, const char **why);

#endif
