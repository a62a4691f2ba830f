// What is read of 64-bit ELF files, which cubins are. Files may be anything.
#ifndef CUCORE_CODE_CUBIN_H
#define CUCORE_CODE_CUBIN_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUC__ELF_HEADER_BYTES = 64,
    CUC__ELF_MACHINE_CUDA = 190, // in the two bytes at 18
};

// How far a file of a header at least reaches by its own account; 0 when its tables make no sense.
uint64_t cuc__elf_extent(const void *data, size_t bytes);

// The initial bytes of a variable in a cubin, borrowed. False when there is none of that name, or
// the file's tables make no sense.
bool cuc__cubin_variable(const unsigned char **out, size_t *count, const void *data, size_t bytes,
                         const char *name);

// Calls `take` with each symbol that begins with a prefix, and the rest of its name, until it
// returns false.
void cuc__cubin_each_symbol(const void *data, size_t bytes, const char *prefix,
                            bool (*take)(void *user, const char *rest, size_t bytes), void *user);

// What the assembler noted of a kernel in a cubin: registers and bytes of stack of a thread.
// Untouched where it did not.
void cuc__cubin_resources(uint32_t *registers, uint32_t *stack_bytes, const void *data,
                          size_t bytes, const char *kernel);

#endif
