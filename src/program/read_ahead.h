// Reads the files of a scan before the scan comes to them, with several threads. Where system calls
// take long, the scan then waits for few of them.
#ifndef CUCORE_PROGRAM_READ_AHEAD_H
#define CUCORE_PROGRAM_READ_AHEAD_H

#include "included.h"

// A file, as cuc__included_load() has read it.
struct cuc__read_file {
    struct cuc__included file; // has no path
    struct cuc__included_text text;
    enum cuc__included_result result;
};

struct cuc__read_ahead;

// Returns NULL if out of memory or threads. The arguments must remain valid, and the roots open,
// until the end.
struct cuc__read_ahead *cuc__read_ahead_start(const struct cuc__include_source *source,
                                              const struct cuc__roots *roots, time_t began);

// Begins to read the files that an include in the file `from` may mean, and the files that these
// include. It follows only includes with a literal name, and ignores errors, which the scan finds.
void cuc__read_ahead_include(struct cuc__read_ahead *a, const char *from, const char *name,
                             bool quoted);

// Returns the file at a path, which remains valid until the next call, or NULL if the scan must
// read it itself. A path can be taken once.
struct cuc__read_file *cuc__read_ahead_take(struct cuc__read_ahead *a, const char *path,
                                            size_t bytes);

void cuc__read_ahead_stop(struct cuc__read_ahead *a); // may be NULL

#endif
