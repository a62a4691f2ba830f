// What PTX text tells of its kernels: names, and the layout and types of their parameters.
//
// The text may be anything and need not end in a NUL. What cannot be understood is reported as
// not found, so the caller falls back on what the driver tells.
#ifndef CUCORE_CODE_PTX_SIGNATURE_H
#define CUCORE_CODE_PTX_SIGNATURE_H

#include "kernel.h"
#include "base/name_set.h"

// A place in some text, moved on by cuc__ptx_next_entry() and cuc__ptx_next_bytes().
struct cuc__ptx {
    const char *at;
    const char *end;
};

// The kernels and the arrays of .b8 of a text by their names. The text is read as far as what was
// asked for, once.
struct cuc__ptx_index {
    struct cuc__ptx rest; // set to the text; behind what was read
    struct cuc__name_set entries, arrays;
};

enum cuc__ptx_found {
    CUC__PTX_NONE, // of that name
    CUC__PTX_FOUND,
    CUC__PTX_NO_MEMORY,
};

// The text from the directive of a kernel, or of an array, on: what the functions below read at
// once.
enum cuc__ptx_found cuc__ptx_index_entry(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at);
enum cuc__ptx_found cuc__ptx_index_array(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at);
void cuc__ptx_index_free(struct cuc__ptx_index *index);

// True when the first thing in the text, comments aside, is a .version directive.
bool cuc__ptx_is_text(const char *text, size_t bytes);

// The name of the next kernel; false at the end. The name points into the text.
bool cuc__ptx_next_entry(struct cuc__ptx *ptx, const char **name, size_t *bytes);

// The parameters of one kernel. `count` is how many there are, and the first `capacity` of them are
// stored. False when there is no such kernel, or its parameters are not understood: nothing is
// written then that may be used.
//
// Offsets follow from the alignments alone. From a parameter on that is aligned to more than 16
// bytes, an architecture may have others: it aligns addresses in its constant bank, where the
// parameters begin at a place of its own.
bool cuc__ptx_signature(const char *text, size_t bytes, const char *kernel,
                        struct cuc__parameter *out, size_t capacity, size_t *count);

// The block that a kernel's .reqntid requires, in `block`; false when there is no such kernel, or
// it requires none.
bool cuc__ptx_required_block(const char *text, size_t bytes, const char *kernel, uint32_t block[3]);

// The name of the next array of .b8; false at the end. The name points into the text.
bool cuc__ptx_next_bytes(struct cuc__ptx *ptx, const char **name, size_t *bytes);

// The bytes of an initialised array of .b8 at the top of a module. `count` is how long it is, and
// the first `capacity` bytes are stored. False when there is none of that name, or it is not
// understood.
bool cuc__ptx_bytes(const char *text, size_t bytes, const char *name, unsigned char *out,
                    size_t capacity, size_t *count);

#endif
