// A list of included files, in memory and as an entry of the cache.
#ifndef CUCORE_PROGRAM_INCLUDED_H
#define CUCORE_PROGRAM_INCLUDED_H

#include "base/text.h"
#include "includes.h"

#include <time.h>

enum cuc__included_kind {
    CUC__INCLUDED_MISSING,   // no file, but perhaps a folder
    CUC__INCLUDED_NO_FOLDER, // a folder that does not exist, for all paths in it
    CUC__INCLUDED_KNOWN,     // a file that any change shows in its state
    CUC__INCLUDED_NEW,       // one so new that another change might not show there
    CUC__INCLUDED_KINDS,
};

struct cuc__included {
    char *path;
    enum cuc__included_kind kind;
    // For a file: its state, which a change alters, and the hash of its contents
    struct cuc__included_state {
        uint64_t bytes, device, inode;
        int64_t modified_s, modified_ns, changed_s, changed_ns;
    } state;
    unsigned char digest[CUC__SHA256_BYTES];
};

struct cuc__includes {
    struct cuc__included *at;
    size_t count, room;
    cuc__key key;                              // of the entry
    unsigned char contents[CUC__SHA256_BYTES]; // the hash of all paths and digests
    struct cuc__text operators;                // names of macros that stand for __has_include
    bool recalled;                             // the list is of an earlier source
    bool stored;                               // the store has the list as it is
};

// Reads a file that was opened, with CUC__WORD_PADDING bytes after its text, and fills in the rest
// of *file. NULL: it cannot be read, is too large, has a zero byte, or changes.
char *cuc__included_read(struct cuc__included *file, int fd, time_t began);

// Reads the list of an entry; NULL if it has another format, or without memory.
cuc__includes *cuc__includes_decode(const char *data, size_t bytes);

#endif
