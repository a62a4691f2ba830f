// Files of tuning records. See <cucore/tuned.h>.
#ifndef CUCORE_PROGRAM_TUNED_H
#define CUCORE_PROGRAM_TUNED_H

#include <cucore/tuned.h>

#include "base/error.h"

enum { CUC__TUNED_CHOICE = 512 };

// Looks up a choice. Returns 1 if it is found, 2 if it is found for nearby dimensions, and 0 if
// there is no such record. Returns a negative status if the named file could not be read.
int cuc__tuned_find(char choice[CUC__TUNED_CHOICE], const char *path, const cuc_tuned_record *key,
                    const char *function);

// Visits the data on which the choices for a program on a device depend: the kernel, constants,
// dimensions and choice of each record with the key's gpu, toolkit and program. Returns 0 if there
// is no file, and a negative status if it could not be read.
typedef void (*cuc__tuned_visit_field)(void *user, const char *text);
int cuc__tuned_visit(const char *path, const cuc_tuned_record *key, cuc__tuned_visit_field visit,
                     void *user, const char *function);

struct cuc_device;
// Fills in the first fields of a device's tuning records. `toolkit` has room for 16 bytes.
void cuc__tuned_device(cuc_tuned_record *key, char *toolkit, const struct cuc_device *device);

// Copies the next "NAME=VALUE" from a space-separated list. Returns false at its end. `*option`
// tells whether a colon precedes it.
bool cuc__tuned_next(const char **list, char one[128], bool *option);

#endif
