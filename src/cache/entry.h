// The format of an entry, the file that holds a compilation result.
//
//   0   magic and version      8 bytes
//   8   bytes of the label     4, little-endian
//   12  zero                   4
//   16  bytes of the data      8, little-endian
//   24  key                   32
//   56  checksum              32: SHA-256 of all other bytes
//   88  label, then data
//
// An entry is used only if its length, key and checksum are right, because its data goes to parsers
// that do not expect damaged input.
#ifndef CUCORE_CACHE_ENTRY_H
#define CUCORE_CACHE_ENTRY_H

#include "base/sha256.h"

#include <stdbool.h>

enum { CUC__ENTRY_HEAD = 88, CUC__ENTRY_LABEL = 200 }; // size of the head; maximum size of a label

// A key is a SHA-256 hash.
typedef struct cuc__key {
    unsigned char bytes[CUC__SHA256_BYTES];
} cuc__key;

// An entry that has been read. The label and the data point into `file`.
typedef struct cuc__entry {
    char *file; // malloc'ed
    const char *label;
    size_t label_bytes;
    const char *data;
    size_t bytes;
} cuc__entry;

// Writes the head of an entry. A label that is too long is truncated; `*label_bytes` is the number
// of bytes to write after the head.
void cuc__entry_head(unsigned char head[CUC__ENTRY_HEAD], size_t *label_bytes, const cuc__key *key,
                     const char *label, const void *data, size_t bytes);

// Checks the bytes of a file and finds its parts. False unless it is an undamaged entry of the key;
// `file` then remains the caller's.
bool cuc__entry_read(cuc__entry *entry, char *file, size_t bytes, const cuc__key *key);

#endif
