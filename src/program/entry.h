// Compilation results in the cache: the fields of an entry, and the compilers in a key.
#ifndef CUCORE_PROGRAM_ENTRY_H
#define CUCORE_PROGRAM_ENTRY_H

#include "base/text.h"
#include "cache/key.h"
#include "options.h"

#include <limits.h>

// An entry is a list of fields. A field is a length of 8 bytes and that many bytes. A text is a
// field that ends with a NUL.
struct cuc__field {
    const char *at;
    size_t bytes;
};

void cuc__field_write(struct cuc__text *entry, const void *data, size_t bytes);
void cuc__text_write(struct cuc__text *entry, const char *text); // NULL becomes ""

// Take the first of the remaining fields. They return false if it is incomplete.
bool cuc__field_read(struct cuc__field *out, struct cuc__field *rest);
bool cuc__text_read(const char **out, struct cuc__field *rest);

void cuc__key_add_texts(cuc__key_maker *key, const cuc__flags *texts);

// Finds the path of a compiler's library: the file that was loaded, or else the one that would be
// loaded. Returns false if there is none.
bool cuc__compiler_path(char path[PATH_MAX], const char *name);

// Adds a compiler to a key without loading it. Refuses the key if the compiler is not found.
void cuc__key_add_compiler(cuc__key_maker *key, char path[PATH_MAX], const char *name);

#endif
