// C++ symbols as C++ writes them, for messages.
#ifndef CUCORE_BASE_DEMANGLE_H
#define CUCORE_BASE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

// "_Z5scaleIfEvPT_i" as "scale<float>(float*, int)": without the return type, which of a kernel is
// always void. False where the symbol is not mangled or no C++ library is at hand. For failures
// only: the C++ library (libstdc++.so.6) is loaded by the first call, and allocates.
bool cuc__demangle(char *out, size_t room, const char *symbol);

// The same up to the parameters: "scale<float>", which NVRTC takes as a name expression.
bool cuc__demangle_name(char *out, size_t room, const char *symbol);

// Copy a text with every mangled symbol in it demangled; symbols in quotation marks stay, since
// those are a user's own words.
void cuc__demangle_text(char *out, size_t room, const char *text);

#endif
