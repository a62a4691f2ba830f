#include "entry.h"

#include "base/bytes.h"
#include "find/find.h"

#include <stdlib.h>
#include <string.h>

void cuc__field_write(struct cuc__text *entry, const void *data, size_t bytes)
{
    unsigned char length[8];

    cuc__write_le(length, 0, sizeof(length), bytes);
    cuc__text_append(entry, (const char *)length, sizeof(length));
    if (bytes)
        cuc__text_append(entry, data, bytes);
}

void cuc__text_write(struct cuc__text *entry, const char *text)
{
    cuc__field_write(entry, text ? text : "", text ? strlen(text) + 1 : 1);
}

bool cuc__field_read(struct cuc__field *out, struct cuc__field *rest)
{
    if (rest->bytes < 8)
        return false;
    uint64_t bytes = cuc__read_le(rest->at, 0, 8);
    if (bytes > rest->bytes - 8)
        return false;
    *out = (struct cuc__field){ rest->at + 8, (size_t)bytes };
    rest->at += 8 + bytes;
    rest->bytes -= 8 + bytes;
    return true;
}

bool cuc__text_read(const char **out, struct cuc__field *rest)
{
    struct cuc__field field;

    if (!cuc__field_read(&field, rest) || !field.bytes || field.at[field.bytes - 1])
        return false;
    *out = field.at;
    return true;
}

void cuc__key_add_texts(cuc__key_maker *key, const cuc__flags *texts)
{
    cuc__key_add_number(key, texts->count);
    for (size_t i = 0; i < texts->count; i++)
        cuc__key_add_text(key, texts->at[i]);
}

bool cuc__compiler_path(char path[PATH_MAX], const char *name)
{
    const cuc__library_row *row = cuc__library_row_named(name);
    cuc_found *found = cuc__library_opened(row);
    char *choice = NULL;

    if (!found && cuc__library_choice(row, &choice))
        found = cuc__search_library(row, choice, NULL);
    free(choice);
    const char *at = cuc_found_path(found);
    bool known = *at == '/' && strlen(at) < PATH_MAX;
    strcpy(path, known ? at : "");
    cuc_found_release(found);
    return known;
}

void cuc__key_add_compiler(cuc__key_maker *key, char path[PATH_MAX], const char *name)
{
    if (cuc__compiler_path(path, name))
        cuc__key_add_identity(key, path);
    else
        cuc__key_refuse(key, "the library %s is not found", name);
}
