// The files that a source may include, found without running the preprocessor.
#ifndef CUCORE_PROGRAM_INCLUDES_H
#define CUCORE_PROGRAM_INCLUDES_H

#include "cache/key.h"
#include "cache/store.h"

// A source, its in-memory headers, and the folders of its include path.
struct cuc__include_source {
    const char *name, *text;
    const char *definitions; // lines with a #define for each macro in the options
    char *const *header_names, *const *header_texts;
    size_t header_count;
    const char *const *folders;
    size_t folder_count;
    const char *const *first; // headers included before the first line
    size_t first_count;
};

// The files that a source may include, and the places where a missing one would be found.
typedef struct cuc__includes cuc__includes;

// Adds to a key the contents of all files that an #include or __has_include of the source may find,
// and of the files that these include. Considers every branch of every #if, every definition of a
// macro in an #include, and every folder that may be searched. A file that is missing now and
// exists later therefore changes the key too. Refuses the key if the files cannot be determined, or
// if a text depends on the time.
//
// Returns these files, which the caller frees, or NULL if there are none. Takes them from the store
// if an earlier source with the same directives has stored them and none has changed. `store` may
// be NULL.
cuc__includes *cuc__key_add_includes(cuc__key_maker *key, const cuc__store *store,
                                     const struct cuc__include_source *source);

// Returns true if all files have the same contents and the missing ones are still missing. Relative
// paths are resolved in the current folder. Reads a file again if its state does not prove that its
// contents are the same. If `untouched` is set, each file must also have the same state: then
// nobody can have read other contents meanwhile.
bool cuc__includes_unchanged(cuc__includes *files, bool untouched);

// Writes the files to a store, unless the store already has them. `name` is the source's name.
void cuc__includes_store(cuc__includes *files, const cuc__store *store, const char *name);

void cuc__includes_free(cuc__includes *files);

#endif
