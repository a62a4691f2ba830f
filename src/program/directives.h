// Reads preprocessor directives without running the preprocessor: it considers every branch of
// every #if. If a file name cannot be determined this way, it refuses the cache key.
//
//   directives.c   reads #include and #define, and replaces the macros of an #include
//   presence.c     reads the operands of __has_include, and of macros that stand for it
#ifndef CUCORE_PROGRAM_DIRECTIVES_H
#define CUCORE_PROGRAM_DIRECTIVES_H

#include "base/arena.h"
#include "base/name_set.h"
#include "cache/key.h"
#include "word_search.h"

enum {
    CUC__PRESENCE_BUILT_IN = 2, // the compiler's own operators
    CUC__PRESENCE_OPERATORS = 32,
};

// A #define. Its strings point into the text that contains it.
struct cuc__definition {
    const char *name, *parameters, *body;
    size_t name_bytes, parameter_bytes, body_bytes;
    bool has_parameters;
};

// One definition of a macro.
struct cuc__macro {
    const char *name, *body; // `body` is NULL if the macro has parameters
    uint32_t name_bytes, body_bytes;
    uint32_t next; // index of the previous definition of this name, plus one; 0 if none
};

// A part of a text: the operand of an #include, or a word. `from` is the file.
struct cuc__part {
    const char *from, *at;
    size_t bytes;
};

// The state of the search for directives in all source texts of a program.
struct cuc__directives {
    cuc__key_maker *key;
    struct cuc__arena *arena; // holds copies of parts of files
    const char *name;         // name of the source, for messages
    // Called with the name of each file that an #include or __has_include in the file `from` may
    // mean. `from` is NULL for the source.
    void (*include)(void *user, const char *from, const char *name, bool quoted);
    // Reads a file again, into memory that remains valid until the next call, with
    // CUC__WORD_PADDING extra bytes. Returns NULL if the key is refused.
    char *(*reload)(void *user, const char *from, size_t *bytes);
    void *user;

    struct cuc__directive_text {
        const char *from;
        char *text; // its lines joined; NULL for a file, whose text is not kept
        size_t bytes;
        size_t checked; // number of operators already looked for
    } * texts;
    struct cuc__macro *definitions;
    struct cuc__name_set defined; // each value is the index of the name's last definition, plus one
    size_t indexed_count;         // number of definitions entered in `defined`
    struct cuc__part *macros;     // operands of #include that contain macros
    struct cuc__part *words;      // words in operands of __has_include; none of them may be a macro
    size_t text_count, text_room, read_count, definition_count, definition_room, macro_count,
        macro_room;
    size_t word_count, word_room;
    // __has_include, __has_include_next, and the macros that stand for them.
    struct cuc__presence_operator {
        char name[64];
        size_t bytes;
        // The word search cannot look for this name, so every byte of a text is checked for it.
        bool is_everywhere;
    } operators[CUC__PRESENCE_OPERATORS];
    size_t operator_count;
    struct {
        struct cuc__word_search words;
        size_t first, last; // the search has the operators [first, last)
    } search;
};

// directives.c

// Adds a copy of a text. `from` is its file's name and must remain valid, or NULL for the source.
void cuc__directives_add(struct cuc__directives *d, const char *from, const char *text);

// Joins the continued lines of a text, and zeroes the CUC__WORD_PADDING extra bytes that must
// follow it. Returns the new length, or SIZE_MAX if it refuses the text.
size_t cuc__directives_join(struct cuc__directives *d, const char *from, char *text, size_t bytes);

// Reads a file. CUC__WORD_PADDING extra bytes must follow its text. Changes the text and does not
// keep it.
void cuc__directives_read_file(struct cuc__directives *d, const char *from, char *text,
                               size_t bytes);

// Hashes the lines of a text that may name files: each #include, condition and definition. If two
// texts have the same such lines, and nothing else in them is refused, they name the same files.
// Returns the number of these lines.
size_t cuc__directives_skeleton(cuc__key_maker *key, const struct cuc__directive_text *text);

// Reads the texts that were added. Then looks in all texts for operators and macros that other
// texts define; this may call `include` again.
void cuc__directives_read(struct cuc__directives *d);
void cuc__directives_free(struct cuc__directives *d);

// Returns a text's name for messages.
const char *cuc__directives_name(const struct cuc__directives *d, const char *from);

// Skips blanks and comments within a line. Stops at a comment that continues on another line.
const char *cuc__skip_blanks(const char *p, const char *end);

// Returns the length of the common prefix of two texts.
static inline size_t cuc__same_bytes(const char *p, const char *name)
{
    size_t same = 0;

    while (name[same] && p[same] == name[same])
        same++;
    return same;
}

// Returns the end of the identifier or number at `p`, or `p` if there is none.
const char *cuc__word_end(const char *p, const char *end);

// Returns the text after the # of a line that begins with #, or NULL for any other line.
const char *cuc__directive_of(const char *line, const char *end);

// Reads the definition in a line. `p` is after the word "define". Returns false if there is no
// name.
bool cuc__definition_read(struct cuc__definition *out, const char *p, const char *end);

// Returns a definition of a macro, or NULL.
const struct cuc__macro *cuc__macro_of(struct cuc__directives *d, const char *name, size_t bytes);

// Returns true if the compiler may have a macro of this name even though no text defines it.
bool cuc__is_reserved(const char *word, size_t bytes);

// presence.c

// Begins with only the compiler's own operators.
void cuc__presence_begin(struct cuc__directives *d);

// Checks a text for the operators from index `first` on. If `first` is 0, also refuses a text that
// depends on the time or on #embed. Returns the number of operators that the text has now been
// checked for.
size_t cuc__presence_check(struct cuc__directives *d, const char *from, const char *text,
                           size_t bytes, size_t first);

// Checks all texts for the operators that they have not been checked for yet.
void cuc__presence_read(struct cuc__directives *d);

// Adds an operator that other texts define. Returns false if there is no room.
bool cuc__presence_add(struct cuc__directives *d, const char *name, size_t bytes);

// Refuses the key if a word of an operand is a macro.
void cuc__presence_finish(struct cuc__directives *d);

#endif
