// A reader of 64-bit ELF files such as cubins. It accepts arbitrary bytes safely.
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

// Computes a file's size from its tables. The whole header must be available. Returns 0 if the
// tables are invalid.
uint64_t cuc__elf_extent(const void *data, size_t bytes);

// Finds a variable's initial contents in a cubin, borrowed from the data. Returns false if there is
// no such variable or if the file's tables are invalid.
bool cuc__cubin_variable(const unsigned char **out, size_t *count, const void *data, size_t bytes,
                         const char *name);

// Calls `take` for each symbol that begins with a prefix and passes the rest of the name. Stops
// when `take` returns false.
void cuc__cubin_each_symbol(const void *data, size_t bytes, const char *prefix,
                            bool (*take)(void *user, const char *rest, size_t bytes), void *user);

// Reads from the assembler's notes how many registers and stack bytes per thread a kernel in a
// cubin uses. Leaves a value unchanged if no note has it.
void cuc__cubin_resources(uint32_t *registers, uint32_t *stack_bytes, const void *data,
                          size_t bytes, const char *kernel);

#endif
