#include "demangle.h"

#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// __cxa_demangle() of the Itanium C++ ABI.
typedef char *(*demangle_fn)(const char *symbol, char *buffer, size_t *bytes, int *status);

static demangle_fn demangle;

static void find_demangler(void)
{
    void *library =
        cuc__open_shared("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL, NULL); // never unloaded
    void *found = library ? dlsym(library, "__cxa_demangle")
                          : dlsym(RTLD_DEFAULT, "__cxa_demangle");

    memcpy(&demangle, &found, sizeof(found));
}

bool cuc__demangle(char *out, size_t capacity, const char *symbol)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = -1;

    if (strncmp(symbol, "_Z", 2) != 0)
        return false;
    pthread_once(&once, find_demangler);
    char *text = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
    if (!text || status) {
        free(text);
        return false;
    }
    snprintf(out, capacity, "%s", strncmp(text, "void ", 5) == 0 ? text + 5 : text);
    free(text);
    return true;
}

// Returns the bracket that opens the parameter list: the last top-level one, which follows template
// arguments such as f<(int)3>.
static char *parameters_of(char *text)
{
    char *open = NULL;
    int angles = 0, rounds = 0;

    for (char *at = text; *at; at++) {
        angles += (*at == '<') - (*at == '>');
        if (*at == '(' && !rounds++ && !angles)
            open = at;
        rounds -= *at == ')';
    }
    return open;
}

bool cuc__demangle_name(char *out, size_t capacity, const char *symbol)
{
    char *parameters;

    if (!cuc__demangle(out, capacity, symbol))
        return false;
    parameters = parameters_of(out);
    if (parameters && parameters != out)
        *parameters = '\0';
    return true;
}

static size_t symbol_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.");
}

void cuc__demangle_text(char *out, size_t capacity, const char *text)
{
    char symbol[512], plain[512];
    size_t used = 0;

    while (*text && used + 1 < capacity) {
        size_t bytes = symbol_length(text);
        const char *piece = text;

        if (!bytes) { // copies a quoted name together with its quotation mark
            bytes = 1 + (*text == '"' ? symbol_length(text + 1) : 0);
        } else if (bytes < sizeof(symbol)) {
            snprintf(symbol, sizeof(symbol), "%.*s", (int)bytes, text);
            if (cuc__demangle(plain, sizeof(plain), symbol))
                piece = plain;
        }
        text += bytes;
        bytes = piece == plain ? strlen(plain) : bytes;
        bytes = bytes < capacity - 1 - used ? bytes : capacity - 1 - used;
        memcpy(out + used, piece, bytes);
        used += bytes;
    }
    if (capacity)
        out[used] = '\0';
}
