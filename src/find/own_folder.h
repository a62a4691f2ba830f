// The folder of the library or program that contains this code, and its companion files.
#ifndef CUCORE_FIND_OWN_FOLDER_H
#define CUCORE_FIND_OWN_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

// Writes the folder of the shared library or, if this code is linked statically, of the program.
// Returns false if it is unknown.
bool cuc__own_folder(char *folder, size_t size);
// Writes the path of that library or program itself.
bool cuc__own_file(char *file, size_t size);

#endif
