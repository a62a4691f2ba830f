// Writes files completely or not at all.
//
// The data goes into an unnamed file (O_TMPFILE) in the target folder or, if the file system does
// not support this, into a new file with an unpredictable name. The data reaches the disk before
// the file gets its final name. After a failure, a signal or a power loss, the path therefore has
// either the old contents or the new. No other file remains, because the thread blocks signals
// while a temporary name is in the folder. A ".cucore-*.tmp" file can remain only if a signal to
// another thread ends the process at that moment.
//
// Links are followed as by open(), and their target is replaced. The new file keeps the target's
// permissions, and its owner and group if the process may set them. A file that the process may not
// write is refused. Devices, pipes and everything below /dev and /proc are written in place.
//
// Functions return 0 or an errno. The library, the bench library and the program share this file;
// it depends only on libc.
#ifndef CUCORE_BASE_NEW_FILE_H
#define CUCORE_BASE_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// A file being written. A zeroed struct means no file. After a failure, discard it.
typedef struct cuc__new_file {
    bool begun;
    int fd;     // -1: closed
    int folder; // -1: written in place
    bool named; // `temporary` is in the folder, and signals are blocked
    enum {
        CUC__NEW_FILE_WAITS,
        CUC__NEW_FILE_MADE,
        CUC__NEW_FILE_EXCHANGED
    } place;                 // progress of cuc__new_file_commit_all()
    char name[NAME_MAX + 1]; // the final name in the folder
    char temporary[32];
} cuc__new_file;

// Prepares to write to `path`, whose contents stay until the commit.
int cuc__new_file_begin(cuc__new_file *file, const char *path);
// Does the same for a name in an open folder. Only the user may read the new file. The commit
// replaces whatever has the name and does not follow links. With `named`, the file has a temporary
// name from the start, for file systems that cannot give a name to an unnamed file.
int cuc__new_file_begin_in(cuc__new_file *file, int folder, const char *name, bool named);
int cuc__new_file_write(cuc__new_file *file, const void *data, size_t bytes);
// Writes all data to disk. Skip it if the readers of the file can recognize incomplete contents.
int cuc__new_file_finish(cuc__new_file *file);
// Moves the file into place.
int cuc__new_file_commit(cuc__new_file *file);
// Moves several finished files into place, all or none. After a failure, *failed is the index of
// the file that failed, and the files moved before it are moved back. On a file system that cannot
// exchange two files, files that already replaced others stay. Files written in place have already
// changed.
int cuc__new_file_commit_all(cuc__new_file *const files[], int count, int *failed);
// Abandons the file, or frees what remains after a commit.
void cuc__new_file_discard(cuc__new_file *file);

// Writes a file with the steps above.
int cuc__write_file(const char *path, const void *data, size_t bytes);

#endif
