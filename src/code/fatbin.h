// A reader of fat binaries: a header, followed by entries of PTX, machine code and LTO code, each
// for one architecture and mostly compressed. The data may be anything, so all sizes in it are
// checked against the available bytes.
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

// Returns the fat binary's length according to its header, which must have
// CUC__FATBIN_HEADER_BYTES.
uint64_t cuc__fatbin_extent(const void *data);

struct cuc__fatbin_entry {
    unsigned kind;
    unsigned arch;  // 90
    bool specific;  // sm_90a: runs on this architecture only
    bool family;    // sm_100f: runs on this architecture's family only
    bool lz4, zstd; // compression
    const char *data;
    size_t bytes;      // size of `data`
    size_t full_bytes; // decompressed
};

struct cuc__fatbin {
    const char *at, *end;
    bool damaged; // the entries from `at` on are unreadable
};

// False if the data does not begin with a whole fat binary.
bool cuc__fatbin_open(struct cuc__fatbin *fatbin, const void *data, size_t bytes);

// Returns the next entry, borrowed from the data. False at the end, and at a damaged entry.
bool cuc__fatbin_next(struct cuc__fatbin *fatbin, struct cuc__fatbin_entry *out);

// True if an entry's code runs on a device of compute capability `arch`, such as 90. PTX runs on
// its own and later capabilities; machine code on its own and later ones of the same major number;
// code for one architecture only there; code for a family on later members of the family.
bool cuc__fatbin_runs(const struct cuc__fatbin_entry *entry, unsigned arch);

// Ranks the entries that can run, in the driver's order of preference: machine code before PTX,
// then the newest architecture, then the most specific code.
unsigned cuc__fatbin_worth(const struct cuc__fatbin_entry *entry);

enum cuc__fatbin_result {
    CUC__FATBIN_OK,
    CUC__FATBIN_DAMAGED,
    CUC__FATBIN_NO_MEMORY,
    CUC__FATBIN_NO_ZSTD, // CUC__ZSTD_REMEDY has the remedy
};

// Returns an entry's content as a copy of `entry->full_bytes` bytes and a NUL. free() it.
enum cuc__fatbin_result cuc__fatbin_unpack(char **out, const struct cuc__fatbin_entry *entry);

#endif
