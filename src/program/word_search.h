// Searches a text for the positions where one of several names may begin, either whole or as parts
// that a macro may join with ##. It reads 32 bytes at a time, because a program's headers can have
// megabytes.
#ifndef CUCORE_PROGRAM_WORD_SEARCH_H
#define CUCORE_PROGRAM_WORD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUC__WORD_BLOCK = 32,
    CUC__WORD_PART = 4,                      // least length of a beginning without gaps
    CUC__WORD_BEFORE = CUC__WORD_PART - 1,   // number of first bytes that an end may lack
    CUC__WORD_WINDOW = CUC__WORD_PART + 1,   // number of bytes to compare at a position
    CUC__WORD_FEWEST = 2 * CUC__WORD_PART,   // least length of a name to search for
    CUC__WORD_PADDING = 2 * CUC__WORD_BLOCK, // zero bytes that must follow a text
};

// Characters that may separate the parts of a name.
#define CUC__WORD_GAPS " \t\n,()#"

// A set of names, and the state of the search. A zeroed struct is empty.
struct cuc__word_search {
    // The forms that allow each value of each byte of the window, one bit per form. A position
    // matches if one form allows all bytes of the window there. `lower` and `upper` have the forms
    // that allow a byte's lower and upper four bits.
    unsigned char bytes[CUC__WORD_WINDOW][256];
    unsigned char lower[CUC__WORD_WINDOW][16], upper[CUC__WORD_WINDOW][16];
    const char *block, *rest, *end;
    uint32_t hits; // one bit for each byte of the block
    bool (*find_block)(struct cuc__word_search *s);
};

// Makes the search do without SIMD instructions. Tests set it.
extern bool cuc__word_search_in_c;

// Adds a name. Returns false if the name has fewer than CUC__WORD_FEWEST bytes, or if these are not
// all ASCII. The search then leaves the name out.
bool cuc__word_search_add(struct cuc__word_search *s, const char *name);

// Begins the search in a text of `bytes` bytes, which CUC__WORD_PADDING zero bytes must follow.
void cuc__word_search_begin(struct cuc__word_search *s, const char *text, size_t bytes);

// Returns the next position, or NULL. At least one position is in the first four bytes of each of
// these:
// - a name
// - a word that is the beginning of a name and has at least four bytes
// - the beginning of a name with gaps between its first bytes
// - the name without its first three bytes
//
// It may also return other positions.
const char *cuc__word_search_next(struct cuc__word_search *s);

#endif
