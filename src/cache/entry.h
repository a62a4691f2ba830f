// The format of a cache entry, the file that holds one compilation result.
//
//   offset  contents
//   0       magic and version, 8 bytes
//   8       bytes of the label, 4 bytes, little-endian
//   12      zero, 4 bytes
//   16      bytes of the data, 8 bytes, little-endian
//   24      key, 32 bytes
//   56      SHA-256 of all other bytes, 32 bytes
//   88      label, then data
//
// A reader accepts an entry only if its length, key and checksum are right, because the parsers of
// its data do not expect damaged input.
#ifndef CUCORE_CACHE_ENTRY_H
#define CUCORE_CACHE_ENTRY_H

#include "base/sha256.h"

#include <stdbool.h>

// Size of the header; maximum size of a label.
enum { CUC__ENTRY_HEAD = 88, CUC__ENTRY_LABEL = 200 };

// A key is a SHA-256 hash.
typedef struct cuc__key {
    unsigned char bytes[CUC__SHA256_BYTES];
} cuc__key;

// An entry in memory. The label and the data point into `file`.
typedef struct cuc__entry {
    char *file; // malloc'ed
    const char *label;
    size_t label_bytes;
    const char *data;
    size_t bytes;
} cuc__entry;

// Writes the header of an entry. Truncates a label that is too long; `*label_bytes` is the number
// of label bytes to write after the header.
void cuc__entry_head(unsigned char head[CUC__ENTRY_HEAD], size_t *label_bytes, const cuc__key *key,
                     const char *label, const void *data, size_t bytes);

// Checks a file's bytes and locates the label and the data. Returns false unless they are an
// undamaged entry for the key; `file` then still belongs to the caller.
bool cuc__entry_read(cuc__entry *entry, char *file, size_t bytes, const cuc__key *key);

#endif
