// The places where the compiler looks for an included file.
#ifndef CUCORE_PROGRAM_INCLUDE_PLACES_H
#define CUCORE_PROGRAM_INCLUDE_PLACES_H

#include "includes.h"

// Receives a path where an include may find a file.
typedef void cuc__visit_path(void *user, const char *path, size_t bytes);

// Visits the paths of a name in the folder of the file `from`; `from` may be NULL. Returns false if
// a path is too long.
bool cuc__visit_beside(const char *from, const char *name, cuc__visit_path *visit, void *user);

// Visits the paths of a name in all other places; an absolute path names only one place. Covers at
// least the places that the compiler searches. Returns false if a path is too long.
bool cuc__visit_places(const struct cuc__include_source *source, const char *name,
                       cuc__visit_path *visit, void *user);

#endif
