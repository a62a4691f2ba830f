// Compiler options that are passed as text. The listed ones neither read nor write files, so a
// cache key covers their effect.
#ifndef CUCORE_PROGRAM_KNOWN_OPTIONS_H
#define CUCORE_PROGRAM_KNOWN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum cuc__compiler { CUC__COMPILER_NVRTC, CUC__COMPILER_NVJITLINK, CUC__COMPILER_PTXAS };

// Returns the first option that is not in the compiler's list of harmless options (known_options.c)
// and so may have side effects, or NULL if there is none.
const char *cuc__unknown_option(enum cuc__compiler compiler, const char *const *options,
                                size_t count);

#endif
