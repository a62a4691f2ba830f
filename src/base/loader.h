// The one way to open a shared library.
//
// A program linked with -static has no loader. glibc's dlopen() then loads a second C library,
// whose thread-local storage nobody has set up: the first access to a thread-local variable, of the
// simulated driver as of NVIDIA's, is a segmentation fault. Such a program is refused before
// anything is loaded.
#ifndef CUCORE_BASE_LOADER_H
#define CUCORE_BASE_LOADER_H

#include <stdbool.h>

// True in a program that was linked with -static or -static-pie.
bool cuc__program_is_static(void);

// The explanation of every failure that comes of it.
extern const char cuc__static_remedy[];

// As dlopen(). NULL with the reason in `why`, which may be NULL; the text is the thread's until the
// next call.
void *cuc__open_shared(const char *path, int flags, const char **why);

#endif
