#include "loader.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

static const char static_program[] =
    "a program linked with -static cannot load shared libraries: link it without -static, and "
    "libcucore.a with -l:libcucore.a";

const char cuc__static_remedy[] =
    "glibc cannot load a driver or a compiler into a program that was linked with -static. Leave "
    "-static out and name the static library itself: cc program.c -l:libcucore.a -ldl -pthread "
    "-lm. The program then needs no libcucore.so when it runs.";

// Only a dynamically linked program has a PT_INTERP segment.
bool cuc__program_is_static(void)
{
    const ElfW(Phdr) *header = (const void *)getauxval(AT_PHDR);
    unsigned long count = getauxval(AT_PHNUM);

    for (unsigned long i = 0; header && i < count; i++)
        if (header[i].p_type == PT_INTERP)
            return false;
    return header && count;
}

void *cuc__open_shared(const char *path, int flags, const char **why)
{
    const char *unused;

    if (!why)
        why = &unused;
    if (cuc__program_is_static()) {
        *why = static_program;
        return NULL;
    }
    void *handle = dlopen(path, flags);
    if (!handle && !(*why = dlerror()))
        *why = "cannot be loaded";
    return handle;
}
