// Finds toolkit libraries and headers. Only this folder loads such libraries.
//
//   table.c             the table: names, sonames, folders, packages
//   places.c            folders to search, from the environment and the usual places
//   system_libraries.c  the file that the system's loader would open
//   search.c            the search itself
//   find.c              the public functions and their reports
//   open.c              libraries, loaded once in the process
#ifndef CUCORE_FIND_FIND_H
#define CUCORE_FIND_FIND_H

#include "base/handle.h"

#include <cucore/find.h>

// table.c. Lists are words between single spaces; NULL is an empty list.

typedef struct cuc__library_row {
    const char *name;
    const char *sonames; // newest first
    const char *wheels;  // folders below site-packages; NULL for a library of the driver
    const char *toolkit; // folders below a toolkit's root, to search before lib64, lib and targets
    const char *depends; // names of rows to load first
    const char *beside;  // prefix of the files beside it that it opens by bare name at run time
    const char *symbol;  // a symbol: if the program itself exports it, the library is linked in
    const char *pip;     // the wheel
    const char *package; // its package in NVIDIA's apt repository
} cuc__library_row;

typedef struct cuc__header_row {
    const char *name;
    const char *probe; // the file that the folder must contain
    const char *wheels;
    const char *toolkit; // folders below a toolkit's root, to search before include
    const char *within;  // folders below an include folder to search first
    const char *pip;
    const char *package;
} cuc__header_row;

enum { CUC__LIBRARY_MAX = 64 };

const cuc__library_row *cuc__library_row_named(const char *name); // NULL if there is none
const cuc__header_row *cuc__header_row_named(const char *name);
const cuc__library_row *cuc__library_row_at(size_t index);
size_t cuc__library_index(const cuc__library_row *row);

// Copies the next word of a list, which may be NULL, and advances; false at the end.
bool cuc__next_word(const char **list, char *out, size_t size);

// Formats a list for messages: "a b" as "a or b". Returns `out`.
const char *cuc__alternatives(char *out, size_t size, const char *list);

// Returns the name of the environment variable for a library's file (suffix "") or for a folder of
// headers ("_INCLUDE"); returns its value, NULL if it is unset or empty, or if the program is
// setuid.
void cuc__find_variable(char *out, size_t size, const char *name, const char *suffix);
const char *cuc__find_environment(const char *name, const char *suffix);

// places.c

typedef struct cuc__place {
    const char *method;
    char *dir;        // NULL for a place without a folder, which `note` describes; if that is NULL
                      // too, the place is the system's loader
    const char *note; // for the trail
} cuc__place;

typedef struct cuc__places {
    cuc__place *at;
    size_t count, capacity;
    bool no_memory;
} cuc__places;

// A prefix for the absolute folders of the method "standard" and of the system's Python. It is ""
// outside of tests.
extern const char *cuc__find_root;

void cuc__places_of_library(cuc__places *places, const cuc__library_row *row);
void cuc__places_of_header(cuc__places *places, const cuc__header_row *row);
void cuc__places_free(cuc__places *places);

// system_libraries.c

// The path of ldconfig's cache; tests set another one.
extern const char *cuc__find_cache;

// Finds the file that dlopen(soname) would load. False if that is unknown: try dlopen().
bool cuc__system_library(const char *soname, char *out, size_t size);

struct cuc_found {
    cuc__handle head;
    const char *method; // static; "" until something is found
    char *path;
    char **tried;
    size_t tried_count, tried_capacity;
    bool chosen; // the only candidate was an explicit path
    bool no_memory;
};

// search.c

cuc_found *cuc__found_create(void);

// Searches the places in order. With `handle`, loads the library from the first place where that
// succeeds and keeps it loaded; without it, an existing file is enough. Returns NULL if out of
// memory. Otherwise the path is NULL if nothing was found.
cuc_found *cuc__search_library(const cuc__library_row *row, const char *choice, void **handle);

// Searches for headers; the path stays NULL if there are none.
void cuc__search_headers(cuc_found *found, const cuc__header_row *row);

// find.c

// Records the failure of a search that found nothing. The message begins with `what`, which may be
// "".
cuc_status cuc__fail_library_not_found(const char *name, const cuc_found *found,
                                       const char *function, const char *what);

// open.c

// Loads a library, once per process; NULL if it is not found. Unless `found` is NULL, `*found`
// receives the result of the search in both cases (NULL if out of memory); the caller releases it.
void *cuc__library_open(const char *name, cuc_found **found);

// Returns the search result of cuc__library_open(), retained; NULL if the library is not loaded.
cuc_found *cuc__library_opened(const cuc__library_row *row);

// Copies the path from cuc_set_library_path() or the environment; NULL if there is none. False if
// out of memory.
bool cuc__library_choice(const cuc__library_row *row, char **out);

#endif
