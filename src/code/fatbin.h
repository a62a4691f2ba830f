// A reader of fat binaries: a header, then entries of PTX, machine code and LTO code, each for one
// architecture and mostly packed. The data may be anything: all sizes in it are checked against the
// bytes that are there.
#ifndef CUCORE_CODE_FATBIN_H
#define CUCORE_CODE_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUC__FATBIN_HEADER_BYTES = 16,
    CUC__FATBIN_PTX = 1, // kinds of entries
    CUC__FATBIN_CUBIN = 2,
};

extern const char cuc__fatbin_magic[4];

// The fat binary's length by its own header, of which CUC__FATBIN_HEADER_BYTES are there.
uint64_t cuc__fatbin_extent(const void *data);

struct cuc__fatbin_entry {
    unsigned kind;
    unsigned arch;  // 90
    bool specific;  // sm_90a: runs on this architecture only
    bool family;    // sm_100f: runs on this architecture's family only
    bool lz4, zstd; // packed
    const char *data;
    size_t bytes;      // of `data`
    size_t full_bytes; // unpacked
};

struct cuc__fatbin {
    const char *at, *end;
    bool damaged; // the entries from `at` on cannot be read
};

// False when the data does not begin with a whole fat binary.
bool cuc__fatbin_open(struct cuc__fatbin *fatbin, const void *data, size_t bytes);

// The next entry, borrowed from the data. False at the end, and where an entry is damaged.
bool cuc__fatbin_next(struct cuc__fatbin *fatbin, struct cuc__fatbin_entry *out);

enum cuc__fatbin_result {
    CUC__FATBIN_OK,
    CUC__FATBIN_DAMAGED,
    CUC__FATBIN_NO_MEMORY,
    CUC__FATBIN_NO_ZSTD, // CUC__ZSTD_REMEDY says what to do
};

// An entry's content as a copy with a NUL behind it, `entry->full_bytes` long. free() it.
enum cuc__fatbin_result cuc__fatbin_unpack(char **out, const struct cuc__fatbin_entry *entry);

#endif
