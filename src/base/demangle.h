// Demangles C++ symbols for messages.
#ifndef CUCORE_BASE_DEMANGLE_H
#define CUCORE_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

// Writes "_Z5scaleIfEvPT_i" as "scale<float>(float*, int)". Omits the return type, which is always
// void for a kernel. Returns false if the symbol is not mangled or no C++ library is available. Use
// it only to report failures: the first call loads the C++ library (libstdc++.so.6), and every call
// allocates.
bool cuc__demangle(char *out, size_t capacity, const char *symbol);

// Does the same without the parameters: "scale<float>", which NVRTC accepts as a name expression.
bool cuc__demangle_name(char *out, size_t capacity, const char *symbol);

// Copies a text and demangles every mangled symbol in it, except symbols in quotation marks, which
// the user wrote.
void cuc__demangle_text(char *out, size_t capacity, const char *text);

#endif
