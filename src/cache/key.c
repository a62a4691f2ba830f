#include "key.h"

#include "base/build_id.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void cuc__key_begin(cuc__key_maker *key, const char *kind)
{
    key->refused = false;
    key->why[0] = '\0';
    cuc__sha256_init(&key->hash);
    cuc__key_add_text(key, kind);
}

void cuc__key_add(cuc__key_maker *key, const void *data, size_t bytes)
{
    const uint64_t length = bytes;

    cuc__sha256_update(&key->hash, &length, sizeof(length));
    cuc__sha256_update(&key->hash, data, bytes);
}

void cuc__key_add_text(cuc__key_maker *key, const char *text)
{
    cuc__key_add_number(key, text != NULL);
    cuc__key_add(key, text, text ? strlen(text) : 0);
}

void cuc__key_add_number(cuc__key_maker *key, uint64_t number)
{
    cuc__sha256_update(&key->hash, &number, sizeof(number));
}

void cuc__key_add_identity(cuc__key_maker *key, const char *path)
{
    unsigned char id[CUC__BUILD_ID_BYTES];
    struct stat about;

    if (stat(path, &about) != 0) {
        cuc__key_refuse(key, "%s cannot be identified", *path ? path : "a compiler");
        return;
    }
    const struct cuc__file_state state = cuc__file_state_of(&about);
    cuc__key_add_text(key, path);
    cuc__key_add_number(key, (uint64_t)about.st_size);
    cuc__key_add_number(key, (uint64_t)about.st_mtim.tv_sec);
    cuc__key_add_number(key, (uint64_t)about.st_mtim.tv_nsec);
    cuc__key_add(key, id, cuc__build_id(id, path, &state));
}

void cuc__key_refuse(cuc__key_maker *key, const char *fmt, ...)
{
    va_list args;

    if (key->refused)
        return;
    key->refused = true;
    va_start(args, fmt);
    vsnprintf(key->why, sizeof(key->why), fmt, args);
    va_end(args);
}

bool cuc__key_finish(cuc__key *out, cuc__key_maker *key)
{
    if (!key->refused)
        cuc__sha256_finish(out->bytes, &key->hash);
    return !key->refused;
}
