// The search for toolkit libraries and headers, and the one place that loads them.
//
//   find_table.c   what there is: names, sonames, folders, packages
//   find_places.c  where to look, from the environment and the usual folders
//   find_system.c  what the system's loader would open
//   find_search.c  the search itself
//   find.c         the public side, and what it reports
//   find_open.c    libraries loaded once for the process
#ifndef CUCORE_FIND_FIND_H
#define CUCORE_FIND_FIND_H

#include "base/handle.h"

#include <cucore/find.h>

// find_table.c. Lists are words between single spaces; NULL is none.

typedef struct cuc__library_row {
    const char *name;
    const char *sonames; // newest first
    const char *wheels;  // folders below site-packages; NULL for a library of the driver
    const char *toolkit; // folders below a toolkit's root, before lib64, lib and targets
    const char *depends; // names of rows that are loaded before
    const char *beside;  // start of the names of files that it opens by bare name when it works
    const char *symbol;  // when the program itself shows it, it has the library linked in
    const char *pip;     // the wheel
    const char *package; // of NVIDIA's apt repository
} cuc__library_row;

typedef struct cuc__header_row {
    const char *name;
    const char *probe; // the file that must be in the folder
    const char *wheels;
    const char *toolkit; // folders below a toolkit's root, before include
    const char *within;  // folders below an include folder that are looked into first
    const char *pip;
    const char *package;
} cuc__header_row;

enum { CUC__LIBRARY_MAX = 64 };

const cuc__library_row *cuc__library_row_named(const char *name); // NULL if there is none
const cuc__header_row *cuc__header_row_named(const char *name);
const cuc__library_row *cuc__library_row_at(size_t index);
size_t cuc__library_index(const cuc__library_row *row);

// Copy the next word of a list, which may be NULL, and move on; false at the end.
bool cuc__next_word(const char **list, char *out, size_t size);

// A list for people: "a b" as "a or b". Returns `out`.
const char *cuc__alternatives(char *out, size_t size, const char *list);

// The variable that names a library's file (suffix "") or a folder of headers ("_INCLUDE"), and
// its value: NULL when it is unset or empty, or the program is setuid.
void cuc__find_variable(char *out, size_t size, const char *name, const char *suffix);
const char *cuc__find_environment(const char *name, const char *suffix);

// find_places.c

typedef struct cuc__place {
    const char *method;
    char *dir;        // NULL: see `note`, or the system's loader when that is NULL too
    const char *note; // for the trail
} cuc__place;

typedef struct cuc__places {
    cuc__place *at;
    size_t count, capacity;
    bool no_memory;
} cuc__places;

// In front of the absolute folders of method "standard" and of the system's Python: "" but in
// tests.
extern const char *cuc__find_root;

void cuc__places_of_library(cuc__places *places, const cuc__library_row *row);
void cuc__places_of_header(cuc__places *places, const cuc__header_row *row);
void cuc__places_free(cuc__places *places);

// find_system.c

// ldconfig's file: another one in tests.
extern const char *cuc__find_cache;

// The file that dlopen(soname) would load. False says only that it is not known: ask dlopen().
bool cuc__system_library(const char *soname, char *out, size_t size);

struct cuc_found {
    cuc__handle head;
    const char *method; // static; "" while nothing is found
    char *path;
    char **tried;
    size_t tried_count, tried_capacity;
    bool chosen; // an explicit path was the only place
    bool no_memory;
};

// find_search.c

cuc_found *cuc__found_create(void);

// Search in order. With `handle` the library is loaded from the first place where that works, and
// stays loaded; without, it is enough that the file is there. NULL without memory; otherwise the
// path is NULL when nothing was found.
cuc_found *cuc__search_library(const cuc__library_row *row, const char *choice, void **handle);

// The same for headers; the path stays NULL when there are none.
void cuc__search_headers(cuc_found *found, const cuc__header_row *row);

// find.c

// The failure of a search that found nothing. `what` is put in front, and may be "".
cuc_status cuc__fail_library_not_found(const char *name, const cuc_found *found,
                                       const char *function, const char *what);

// find_open.c

// Load a library, once in the process; NULL when it is nowhere. `found`, which may be NULL, is
// set to how it went in either case, and is the caller's to release; without memory it is NULL.
void *cuc__library_open(const char *name, cuc_found **found);

// What cuc__library_open() has loaded, retained; NULL if it has not.
cuc_found *cuc__library_opened(const cuc__library_row *row);

// The path of cuc_set_library_path(), or of the environment, copied; NULL when there is none.
// False without memory.
bool cuc__library_choice(const cuc__library_row *row, char **out);

#endif
