// Searches a text for the places where one of several names may be: whole, or as parts that a macro
// may join. It reads 32 bytes at a time, because a program's headers can have megabytes.
#ifndef CUCORE_PROGRAM_WORD_SEARCH_H
#define CUCORE_PROGRAM_WORD_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CUC__WORD_BLOCK = 32,
    CUC__WORD_PART = 4,    // number of bytes of a name to compare
    CUC__WORD_NAMES = 40,  // maximum number of names
    CUC__WORD_PADDING = 64 // zero bytes that must follow a text
};

typedef unsigned char cuc__word_bytes __attribute__((vector_size(CUC__WORD_BLOCK)));

// A set of names, and the state of the search. A zeroed struct is empty.
struct cuc__word_search {
    // `starts` has the first bytes of each name. `ends` has the bytes that follow each name's first
    // three. Each byte fills all lanes of a vector.
    struct cuc__word_part {
        cuc__word_bytes at[CUC__WORD_PART];
    } starts[CUC__WORD_NAMES], ends[CUC__WORD_NAMES];
    int start_count, end_count;
    bool every; // a name is too short, so every place counts
    const char *block, *rest, *end;
    unsigned char hits[CUC__WORD_BLOCK]; // which lanes of the block have hits
    int lane;
    bool (*find_block)(struct cuc__word_search *s);
};

// Makes the search do without the processor's wider vectors. Tests set it.
extern bool cuc__word_search_in_c;

// Adds a name. More than CUC__WORD_NAMES names make the search slow.
void cuc__word_search_add(struct cuc__word_search *s, const char *name);

// Begins the search in a text of `bytes` bytes, which CUC__WORD_PADDING zero bytes must follow.
void cuc__word_search_begin(struct cuc__word_search *s, const char *text, size_t bytes);

// Returns the next place, or NULL. Such a place has one of these:
// - the first four bytes of a name, perhaps with blanks and punctuation between them
// - the name without its first three bytes
//
// It may also return other places.
const char *cuc__word_search_next(struct cuc__word_search *s);

#endif
