// Reads kernels in PTX text: their names, and the layout and types of their parameters.
//
// The text may be anything and need not end in a NUL. A kernel that cannot be parsed counts as not
// found, so that the caller uses the driver's answer.
#ifndef CUCORE_CODE_PTX_SIGNATURE_H
#define CUCORE_CODE_PTX_SIGNATURE_H

#include "kernel.h"
#include "base/name_set.h"

// A position in a text. cuc__ptx_next_entry() and cuc__ptx_next_bytes() advance it.
struct cuc__ptx {
    const char *at;
    const char *end;
};

// An index by name of a text's kernels and .b8 arrays. It reads the text once, and only as far as
// the requests require.
struct cuc__ptx_index {
    struct cuc__ptx rest; // the part not yet read; initialize it to the whole text
    struct cuc__name_set entries, arrays;
};

enum cuc__ptx_found {
    CUC__PTX_NONE, // nothing has that name
    CUC__PTX_FOUND,
    CUC__PTX_NO_MEMORY,
};

// Find the text that starts at a kernel's or array's directive, so that the functions below need
// not search for it.
enum cuc__ptx_found cuc__ptx_index_entry(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at);
enum cuc__ptx_found cuc__ptx_index_array(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at);
void cuc__ptx_index_free(struct cuc__ptx_index *index);

// Returns true if the text begins with a .version directive. Comments may precede it.
bool cuc__ptx_is_text(const char *text, size_t bytes);

// Copies the architecture from the .target directive, such as "sm_90a". Returns false if there is
// none.
bool cuc__ptx_target(char *out, size_t capacity, const char *text, size_t bytes);

// Returns the name of the next kernel, which points into the text. Returns false at the end.
bool cuc__ptx_next_entry(struct cuc__ptx *ptx, const char **name, size_t *bytes);

// Reads the parameters of one kernel. Writes their number to `count` and stores the first
// `capacity` of them. Returns false if there is no such kernel or if its parameters cannot be
// parsed; then nothing in `out` is usable.
//
// Offsets come from the alignments alone. From the first parameter with an alignment above 16 bytes
// on, the actual offsets may differ by architecture. Addresses are aligned within the constant
// bank, where the parameters start at an architecture-specific offset.
bool cuc__ptx_signature(const char *text, size_t bytes, const char *kernel,
                        struct cuc__parameter *out, size_t capacity, size_t *count);

// Reads the block size that a kernel's .reqntid requires. Returns false if there is no such kernel
// or directive.
bool cuc__ptx_required_block(const char *text, size_t bytes, const char *kernel, uint32_t block[3]);

// Returns the name of the next .b8 array, which points into the text. Returns false at the end.
bool cuc__ptx_next_bytes(struct cuc__ptx *ptx, const char **name, size_t *bytes);

// Reads an initialized .b8 array at module scope. Writes its length to `count` and stores the first
// `capacity` bytes. Returns false if no array has that name or if it cannot be parsed.
bool cuc__ptx_bytes(const char *text, size_t bytes, const char *name, unsigned char *out,
                    size_t capacity, size_t *count);

#endif
