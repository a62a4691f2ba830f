// The files that a source may include, found without running the preprocessor.
#ifndef CUCORE_PROGRAM_INCLUDES_H
#define CUCORE_PROGRAM_INCLUDES_H

#include "cache/key.h"
#include "cache/store.h"

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

// The files that a source may include, and the places where one that is missing would be found.
typedef struct cuc__includes cuc__includes;

// Adds to a key the contents of all files that an #include or a __has_include of the source may
// find, and of the files that these include. It considers every branch of every #if, every
// definition of a macro in an #include, and every folder that may be searched. So a file that is
// missing now and exists later changes the key, too. Refuses the key if the files cannot be
// determined, or if a text depends on the time.
//
// Returns these files, which the caller frees; NULL if there are none. It takes them from the store
// if an earlier source with the same directives has stored them, and none has changed. NULL: no
// store.
cuc__includes *cuc__key_add_includes(cuc__key_maker *key, const cuc__store *store,
                                     const struct cuc__include_source *source);

// True if all files have the contents they had, and those that were missing are missing. Relative
// paths count from the current folder. A file is read again if its state does not show a change or
// the lack of one. If `untouched` is set, it must also have the state it had: then nobody can have
// read other contents meanwhile.
bool cuc__includes_unchanged(cuc__includes *files, bool untouched);

// Writes the files to a store, unless it has them as they are. `name` is the source's.
void cuc__includes_store(cuc__includes *files, const cuc__store *store, const char *name);

void cuc__includes_free(cuc__includes *files);

#endif
