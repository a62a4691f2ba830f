// Where the file is that this code is in: what goes with it lies beside it.
#ifndef CUCORE_FIND_OWN_FOLDER_H
#define CUCORE_FIND_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

// The folder of the shared library, or of the program that it is linked into; false: nobody knows.
bool cuc__own_folder(char *folder, size_t size);

#endif
