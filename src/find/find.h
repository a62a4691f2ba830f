// Finds toolkit libraries and headers. Only the code in this folder loads toolkit libraries.
//
//   table.c             the table: names, sonames, folders, packages
//   places.c            folders to search, from the environment and the usual places
//   system_libraries.c  the file that the system's dynamic loader would open
//   search.c            the search itself
//   find.c              the public functions and their reports
//   open.c              loads each library once per process
#ifndef CUCORE_FIND_FIND_H
#define CUCORE_FIND_FIND_H

#include "base/handle.h"

#include <cucore/find.h>

// Defined in table.c. A list is words separated by single spaces; NULL is an empty list.

typedef struct cuc__library_row {
    const char *name;
    const char *sonames; // newest first
    const char *wheels;  // folders below site-packages; NULL for a library of the driver
    const char *toolkit; // folders below a toolkit's root, searched before lib64, lib and targets
    const char *depends; // names of the rows to load first
    const char *beside;  // name prefix of files in the library's own folder that the library opens
                         // by bare name at run time
    const char *symbol;  // if the program itself exports this symbol, the library is linked into
                         // the program
    const char *pip;     // the wheel
    const char *package; // the package in NVIDIA's apt repository
} cuc__library_row;

typedef struct cuc__header_row {
    const char *name;
    const char *probe; // a file that the folder must contain
    const char *wheels;
    const char *toolkit; // folders below a toolkit's root, searched before include
    const char *within;  // folders below an include folder, searched first
    const char *pip;
    const char *package;
} cuc__header_row;

enum { CUC__LIBRARY_MAX = 64 };

const cuc__library_row *cuc__library_row_named(const char *name); // NULL if there is none
const cuc__header_row *cuc__header_row_named(const char *name);
const cuc__library_row *cuc__library_row_at(size_t index);
size_t cuc__library_index(const cuc__library_row *row);

// Copies the next word of a list, which may be NULL, and advances the list. Returns false at the
// end.
bool cuc__next_word(const char **list, char *out, size_t size);

// Formats a list for messages: "a b" as "a or b". Returns `out`.
const char *cuc__alternatives(char *out, size_t size, const char *list);

// cuc__find_variable() writes the name of the environment variable for a library's file (suffix "")
// or for a folder of headers ("_INCLUDE"). cuc__find_environment() returns the variable's value, or
// NULL if it is unset or empty, or if the program is setuid.
void cuc__find_variable(char *out, size_t size, const char *name, const char *suffix);
const char *cuc__find_environment(const char *name, const char *suffix);

// places.c

typedef struct cuc__place {
    const char *method;
    char *dir;        // NULL for a place without a folder; `note` then describes the place, or is
                      // NULL for the system's loader
    const char *note; // for the trail
} cuc__place;

typedef struct cuc__places {
    cuc__place *at;
    size_t count, capacity;
    bool no_memory;
} cuc__places;

// A prefix for the absolute folders of the method "standard" and of the system's Python. Only tests
// set it; otherwise it is "".
extern const char *cuc__find_root;

void cuc__places_of_library(cuc__places *places, const cuc__library_row *row);
void cuc__places_of_header(cuc__places *places, const cuc__header_row *row);
void cuc__places_free(cuc__places *places);

// system_libraries.c

// The path of ldconfig's cache. Tests change it.
extern const char *cuc__find_cache;

// Finds the file that dlopen(soname) would load. Returns false if that is unknown; the caller then
// tries dlopen().
bool cuc__system_library(const char *soname, char *out, size_t size);

struct cuc_found {
    cuc__handle head;
    const char *method; // static; "" until something is found
    char *path;
    char **tried;
    size_t tried_count, tried_capacity;
    bool chosen; // an explicit path was the only candidate
    bool no_memory;
};

// search.c

cuc_found *cuc__found_create(void);

// Searches the places in order. If `handle` is set, loads the library from the first place where
// loading succeeds, and keeps it loaded; otherwise an existing file is enough. Returns NULL if out
// of memory. If nothing was found, the result's path is NULL.
cuc_found *cuc__search_library(const cuc__library_row *row, const char *choice, void **handle);

// Searches for headers. The path stays NULL if there are none.
void cuc__search_headers(cuc_found *found, const cuc__header_row *row);

// find.c

// Records the failure of a search that found nothing. The message begins with `what`, which may be
// "".
cuc_status cuc__fail_library_not_found(const char *name, const cuc_found *found,
                                       const char *function, const char *what);

// open.c

// Loads a library, once per process. Returns NULL if it is not found. If `found` is not NULL,
// `*found` receives the search result in both cases, or NULL if out of memory; the caller releases
// it.
void *cuc__library_open(const char *name, cuc_found **found);

// Returns the search result from cuc__library_open(), retained, or NULL if the library is not
// loaded.
cuc_found *cuc__library_opened(const cuc__library_row *row);

// Copies the path from cuc_set_library_path() or the environment; `*out` becomes NULL if neither
// has one. Returns false if out of memory.
bool cuc__library_choice(const cuc__library_row *row, char **out);

#endif
