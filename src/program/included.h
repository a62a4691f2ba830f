// The list of included files, in memory and as a cache entry.
#ifndef CUCORE_PROGRAM_INCLUDED_H
#define CUCORE_PROGRAM_INCLUDED_H

#include "base/file_state.h"
#include "base/text.h"
#include "includes.h"

enum cuc__included_kind {
    CUC__INCLUDED_MISSING,   // no file there, though maybe a folder
    CUC__INCLUDED_NO_FOLDER, // the folder does not exist; stands for all paths in it
    CUC__INCLUDED_KNOWN,     // a file whose state shows any change
    CUC__INCLUDED_NEW,       // a file so new that its state might not show another change
    CUC__INCLUDED_KINDS,
};

struct cuc__included {
    char *path;
    enum cuc__included_kind kind;
    // For a file that exists: its state, and the hash of its contents.
    struct cuc__file_state state;
    unsigned char digest[CUC__SHA256_BYTES];
};

// Folders that contain most of the paths. While they are open, the system looks a path up from its
// folder instead of from the root of the file system.
enum { CUC__ROOTS = 8 };

struct cuc__roots {
    char *path[CUC__ROOTS];
    size_t bytes[CUC__ROOTS];
    int fd[CUC__ROOTS]; // -1 if the folder is not open or does not exist
    int count;
};

struct cuc__includes {
    struct cuc__included *at;
    size_t count, room;
    struct cuc__roots roots;
    cuc__key key;                              // of the entry
    unsigned char contents[CUC__SHA256_BYTES]; // the hash of all paths and digests
    struct cuc__text operators;                // names of macros that stand for __has_include
    bool recalled;                             // the list belongs to an earlier source
    bool stored;                               // the store already has this list unchanged
};

// Adds a root without opening it. Does nothing if there are CUC__ROOTS already, or if out of
// memory.
void cuc__roots_add(struct cuc__roots *roots, const char *path);
void cuc__roots_open(struct cuc__roots *roots);
void cuc__roots_close(struct cuc__roots *roots);

// Returns the folder to pass to openat() for a path, and shortens the path to what follows the
// folder.
int cuc__roots_of(const struct cuc__roots *roots, const char **path);

// Returns true if a folder, whose path has `bytes` bytes, does not exist.
bool cuc__roots_miss_folder(const struct cuc__roots *roots, const char *path, size_t bytes);

// Memory that holds the text of one file at a time.
struct cuc__included_text {
    char *at;
    size_t room;
};

enum cuc__included_result {
    CUC__INCLUDED_READ,
    CUC__INCLUDED_ABSENT,  // nothing or a folder is there, so the compiler searches further
    CUC__INCLUDED_REFUSED, // the file cannot be read, is too large, contains a zero byte, or
                           // changes
};

// Reads a file, with room for CUC__WORD_PADDING bytes after its text, and fills in *file except its
// path. `began` is a time before the scan. Several threads may do this at once.
enum cuc__included_result cuc__included_load(struct cuc__included_text *text,
                                             struct cuc__included *file, const char *path,
                                             const struct cuc__roots *roots, time_t began);

// Reads a file again, by its path. Returns false if that fails or if the contents have changed.
bool cuc__included_reread(struct cuc__included_text *text, struct cuc__included *file,
                          const struct cuc__roots *roots);

// System calls on the headers' file system count as slow if most take longer than this. Then
// several threads make them at once.
enum { CUC__SLOW_CALL_NS = 15000 };

// Makes every file system count as slow. Tests set it.
extern bool cuc__included_slow;

// Returns the time of a clock that is never set, in nanoseconds.
int64_t cuc__included_clock(void);

// Reads an entry's list. Returns NULL if the entry has another format, or if out of memory.
cuc__includes *cuc__includes_decode(const char *data, size_t bytes);

#endif
