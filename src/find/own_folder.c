#include "own_folder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/types.h>
#include <unistd.h>

static const char here; // an address in this library or program

// Returns true if the file is the program itself. The loader knows the program by its argv[0],
// which may not be its path.
static bool is_program(const Dl_info *self)
{
    Dl_info program;

    return dladdr((void *)getauxval(AT_PHDR), &program) && program.dli_fbase == self->dli_fbase;
}

bool cuc__own_file(char *file, size_t size)
{
    Dl_info self;

    if (!dladdr(&here, &self) || !self.dli_fname)
        return false;
    if (is_program(&self)) {
        ssize_t n = readlink("/proc/self/exe", file, size);
        if (n <= 0 || (size_t)n >= size)
            return false;
        file[n] = '\0';
        return true;
    }
    return snprintf(file, size, "%s", self.dli_fname) < (int)size;
}

bool cuc__own_folder(char *folder, size_t size)
{
    char *slash = cuc__own_file(folder, size) ? strrchr(folder, '/') : NULL;

    if (slash)
        *slash = '\0';
    return slash != NULL;
}
