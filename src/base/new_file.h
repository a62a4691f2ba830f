// Files that are written whole or not at all.
//
// The data goes into a file without a name (O_TMPFILE) of the folder, or into a new file of an
// unpredictable name where the file system has no such files. It is on the disk before the name
// changes hands, so that after a failure, a signal or a loss of power the path has the old contents
// or the new ones. Nothing else stays behind: while a name of ours is in the folder, the thread
// holds signals back. A process of several threads that another thread's signal ends in that
// moment can leave one ".cucore-*.tmp".
//
// A link is followed as open() would, and the file that it leads to is replaced. That file's
// permissions are kept, and its owner and group where the process may set them; a file that the
// process may not write is refused. Devices, pipes and everything below /dev and /proc are written
// in place.
//
// Functions return 0 or an errno. The library, the bench library and the program share this file;
// it depends on nothing but libc.
#ifndef CUCORE_BASE_NEW_FILE_H
#define CUCORE_BASE_NEW_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// A file being written; zeroed: none. After a failure, discard it.
typedef struct cuc__new_file {
    bool begun;
    int fd;                  // -1: closed
    int folder;              // -1: written in place
    bool named;              // `temporary` is in the folder, and signals are held back
    char name[NAME_MAX + 1]; // in the folder
    char temporary[32];
} cuc__new_file;

// Prepare to write `path`, which keeps its contents.
int cuc__new_file_begin(cuc__new_file *file, const char *path);
int cuc__new_file_write(cuc__new_file *file, const void *data, size_t bytes);
// Bring all of it to the disk.
int cuc__new_file_finish(cuc__new_file *file);
// Put the file in its place. Of several files all can be finished before the first one is put
// there.
int cuc__new_file_commit(cuc__new_file *file);
// Give up, or release what a commit has left.
void cuc__new_file_discard(cuc__new_file *file);

// All of the above at once.
int cuc__write_file(const char *path, const void *data, size_t bytes);

#endif
