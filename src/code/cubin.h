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

// The size of a file according to its tables, from at least a whole header; 0 if the tables are
// invalid.
uint64_t cuc__elf_extent(const void *data, size_t bytes);

// Finds the initial bytes of a variable in a cubin, borrowed. False if there is none of that name,
// or the file's tables are invalid.
bool cuc__cubin_variable(const unsigned char **out, size_t *count, const void *data, size_t bytes,
                         const char *name);

// Calls `take` for each symbol that begins with a prefix, with the rest of its name, until it
// returns false.
void cuc__cubin_each_symbol(const void *data, size_t bytes, const char *prefix,
                            bool (*take)(void *user, const char *rest, size_t bytes), void *user);

// Reads the assembler's notes about a kernel in a cubin: registers and bytes of stack of a thread.
// Values that the notes lack are left as they are.
void cuc__cubin_resources(uint32_t *registers, uint32_t *stack_bytes, const void *data,
                          size_t bytes, const char *kernel);

#endif
