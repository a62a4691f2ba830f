// A reader of fat binaries: a header, followed by entries of PTX, machine code and LTO code, each
// for one architecture and usually compressed. The reader accepts arbitrary bytes: it checks every
// size against the available data.
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

// Returns a fat binary's length according to its header. `data` must have CUC__FATBIN_HEADER_BYTES.
uint64_t cuc__fatbin_extent(const void *data);

struct cuc__fatbin_entry {
    unsigned kind;
    unsigned arch;  // 90
    bool specific;  // sm_90a: runs only on this architecture
    bool family;    // sm_100f: runs only on this architecture's family
    bool lz4, zstd; // compression
    const char *data;
    size_t bytes;      // size of `data`
    size_t full_bytes; // decompressed
};

struct cuc__fatbin {
    const char *at, *end;
    bool damaged; // the entries from `at` on are unreadable
};

// Returns false if the data does not begin with a complete fat binary.
bool cuc__fatbin_open(struct cuc__fatbin *fatbin, const void *data, size_t bytes);

// Returns the next entry, borrowed from the data. Returns false at the end and at a damaged entry.
bool cuc__fatbin_next(struct cuc__fatbin *fatbin, struct cuc__fatbin_entry *out);

// Returns true if an entry's code runs on a device of compute capability `arch`, such as 90. PTX
// runs on its own and all later capabilities. Machine code runs on its own and later capabilities
// of the same major version. Architecture-specific code runs only on its own architecture, and
// family-specific code on later members of the family too.
bool cuc__fatbin_runs(const struct cuc__fatbin_entry *entry, unsigned arch);

// Ranks an entry that can run, in the driver's order of preference: machine code before PTX, then
// the newest architecture, then the most specific code.
unsigned cuc__fatbin_worth(const struct cuc__fatbin_entry *entry);

enum cuc__fatbin_result {
    CUC__FATBIN_OK,
    CUC__FATBIN_DAMAGED,
    CUC__FATBIN_NO_MEMORY,
    CUC__FATBIN_NO_ZSTD, // CUC__ZSTD_REMEDY has the remedy
};

// Returns a copy of an entry's content: `entry->full_bytes` bytes and a NUL. The caller frees it.
enum cuc__fatbin_result cuc__fatbin_unpack(char **out, const struct cuc__fatbin_entry *entry);

#endif
