// Files of measured choices. See <cucore/tuned.h>.
#ifndef CUCORE_PROGRAM_TUNED_H
#define CUCORE_PROGRAM_TUNED_H

#include <cucore/tuned.h>

#include "base/error.h"

enum { CUC__TUNED_CHOICE = 512 };

// Looks up a choice. 1: found; 2: found for nearby dimensions; 0: no such record, which is not a
// failure; negative: the named file could not be read.
int cuc__tuned_find(char choice[CUC__TUNED_CHOICE], const char *path, const cuc_tuned_record *key,
                    const char *function);

// Visits the data on which the choices for a program on a device depend: from each record with the
// key's gpu, toolkit and program, the kernel, constants, dimensions and choice. 0: there is no
// file; negative: it could not be read.
typedef void (*cuc__tuned_visit_field)(void *user, const char *text);
int cuc__tuned_visit(const char *path, const cuc_tuned_record *key, cuc__tuned_visit_field visit,
                     void *user, const char *function);

struct cuc_device;
// Fills in the first fields of a device's records. `toolkit` has room for 16 bytes.
void cuc__tuned_device(cuc_tuned_record *key, char *toolkit, const struct cuc_device *device);

// Copies the next "NAME=VALUE" of a space-separated list; false at its end. `*option`: a colon
// precedes it.
bool cuc__tuned_next(const char **list, char one[128], bool *option);

#endif
