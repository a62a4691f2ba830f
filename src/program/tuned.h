// Files of what was measured to be fastest. See <cucore/tuned.h>.
#ifndef CUCORE_PROGRAM_TUNED_H
#define CUCORE_PROGRAM_TUNED_H

#include <cucore/tuned.h>

#include "base/error.h"

enum { CUC__TUNED_CHOICE = 512 };

// 1: found; 2: found for dimensions that are near; 0: there is no such record, nor is that a
// failure; negative: a file that was named could not be read.
int cuc__tuned_find(char choice[CUC__TUNED_CHOICE], const char *path, const cuc_tuned_record *key,
                    const char *function);

struct cuc_device;
// What records of a device begin with; `toolkit` has room for 16 bytes.
void cuc__tuned_device(cuc_tuned_record *key, char *toolkit, const struct cuc_device *device);

// The next "NAME=VALUE" of a list apart by spaces, copied; false at its end. `*option`: it stood
// behind a colon.
bool cuc__tuned_next(const char **list, char one[128], bool *option);

#endif
