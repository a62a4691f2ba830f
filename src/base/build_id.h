// The build ID of an ELF file, which the linker computes from the file's contents.
#ifndef CUCORE_BASE_BUILD_ID_H
#define CUCORE_BASE_BUILD_ID_H

#include "file_state.h"

#include <stddef.h>

enum { CUC__BUILD_ID_BYTES = 64 };

// Writes the build ID of a 64-bit little-endian ELF file and returns its size in bytes. Returns 0
// for any other kind of file, or if there is no build ID. Reads only the headers and the notes.
// `state` comes from a stat() that the caller has just made. The function remembers the IDs of the
// last files, and does not read a file again while `state` proves that it has not changed.
size_t cuc__build_id(unsigned char id[CUC__BUILD_ID_BYTES], const char *path,
                     const struct cuc__file_state *state);

#endif
