// Parses strings that are not whole programs: names, and the C builder's host expressions.
#ifndef CUCORE_TILE_FRONT_SNIPPET_H
#define CUCORE_TILE_FRONT_SNIPPET_H

#include "ast.h"

// Parses expressions separated by commas, and gives all of them the position `where`. Returns false
// after an error.
bool tile_parse_snippet(struct tile_module *module, const char *text, struct tile_location where,
                        struct tile_ast ***out, uint32_t *count);
// True for a name that a program may bind: neither a keyword nor a dtype.
bool tile_is_name(struct tile_module *module, const char *text);

#endif
