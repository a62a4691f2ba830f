// The files that a source may include, found without running the preprocessor.
#ifndef CUCORE_PROGRAM_INCLUDES_H
#define CUCORE_PROGRAM_INCLUDES_H

#include "cache/key.h"

// A source with its headers in memory and the folders of its include path.
struct cuc__include_source {
    const char *name, *text;
    const char *definitions; // lines with a #define for each macro of the options
    char *const *header_names, *const *header_texts;
    size_t header_count;
    const char *const *folders;
    size_t folder_count;
    const char *const *first; // headers before the first line
    size_t first_count;
};

// Adds to a key the contents of all files that an #include or a __has_include of the source may
// find, and of the files that these include. It considers every branch of every #if, every
// definition of a macro in an #include, and every folder that may be searched. So a file that is
// missing now and exists later changes the key, too. Refuses the key if the files cannot be
// determined, or if a text depends on the time.
//
// `*list` becomes a list of the files for cuc__includes_unchanged(), which the caller frees; NULL
// if there are none, or if they may change unnoticed.
void cuc__key_add_includes(cuc__key_maker *key, char **list, size_t *list_bytes,
                           const struct cuc__include_source *source);

// True if all files of a list have the same sizes, inodes and times as before, and those that were
// missing are still missing. Relative paths refer to the current folder.
bool cuc__includes_unchanged(const char *list, size_t bytes);

#endif
