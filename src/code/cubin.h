// A reader of 64-bit ELF files, such as cubins. The data may be anything.
#ifndef CUCORE_CODE_CUBIN_H
#define CUCORE_CODE_CUBIN_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUC__ELF_HEADER_BYTES = 64,
    CUC__ELF_MACHINE_CUDA = 190, // in bytes 18 and 19
};

// Computes the size of a file from its tables; at least the whole header must be available. 0 if
// the tables are invalid.
uint64_t cuc__elf_extent(const void *data, size_t bytes);

// Finds the initial contents of a variable in a cubin, borrowed. False if there is no such
// variable, or if the file's tables are invalid.
bool cuc__cubin_variable(const unsigned char **out, size_t *count, const void *data, size_t bytes,
                         const char *name);

// Calls `take` for each symbol that begins with a prefix, passing the rest of the name, until
// `take` returns false.
void cuc__cubin_each_symbol(const void *data, size_t bytes, const char *prefix,
                            bool (*take)(void *user, const char *rest, size_t bytes), void *user);

// Reads the assembler's notes about a kernel in a cubin: registers and stack bytes per thread.
// Values that the notes lack are left unchanged.
void cuc__cubin_resources(uint32_t *registers, uint32_t *stack_bytes, const void *data,
                          size_t bytes, const char *kernel);

#endif
