// A reader of kernels in PTX text: names, and the layout and types of their parameters.
//
// The text may be anything and need not end in a NUL. Kernels that cannot be parsed are reported as
// not found, so that the caller uses the driver's answer.
#ifndef CUCORE_CODE_PTX_SIGNATURE_H
#define CUCORE_CODE_PTX_SIGNATURE_H

#include "kernel.h"
#include "base/name_set.h"

// A position in some text, advanced by cuc__ptx_next_entry() and cuc__ptx_next_bytes().
struct cuc__ptx {
    const char *at;
    const char *end;
};

// Index by name of the kernels and the .b8 arrays in a text. The text is read once, only as far as
// the requests require.
struct cuc__ptx_index {
    struct cuc__ptx rest; // initialized to the whole text; the part not yet read
    struct cuc__name_set entries, arrays;
};

enum cuc__ptx_found {
    CUC__PTX_NONE, // none of that name
    CUC__PTX_FOUND,
    CUC__PTX_NO_MEMORY,
};

// Finds the text from the directive of a kernel or array on, so that the functions below need not
// search for it.
enum cuc__ptx_found cuc__ptx_index_entry(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at);
enum cuc__ptx_found cuc__ptx_index_array(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at);
void cuc__ptx_index_free(struct cuc__ptx_index *index);

// True if the text begins with a .version directive, comments aside.
bool cuc__ptx_is_text(const char *text, size_t bytes);

// Copies the architecture of the .target directive, such as "sm_90a"; false if there is none.
bool cuc__ptx_target(char *out, size_t capacity, const char *text, size_t bytes);

// Returns the name of the next kernel; false at the end. The name points into the text.
bool cuc__ptx_next_entry(struct cuc__ptx *ptx, const char **name, size_t *bytes);

// Reads the parameters of one kernel. `count` is their number; the first `capacity` of them are
// stored. False if there is no such kernel or if its parameters cannot be parsed; then nothing in
// `out` is usable.
//
// Offsets are computed from the alignments alone. From the first parameter with an alignment above
// 16 bytes on, the actual offsets may differ by architecture: addresses are aligned within the
// constant bank, where the parameters start at an architecture-specific offset.
bool cuc__ptx_signature(const char *text, size_t bytes, const char *kernel,
                        struct cuc__parameter *out, size_t capacity, size_t *count);

// Reads the block that a kernel's .reqntid requires; false if there is no such kernel or directive.
bool cuc__ptx_required_block(const char *text, size_t bytes, const char *kernel, uint32_t block[3]);

// Returns the name of the next array of .b8; false at the end. The name points into the text.
bool cuc__ptx_next_bytes(struct cuc__ptx *ptx, const char **name, size_t *bytes);

// Reads an initialised array of .b8 at module scope. `count` is its length; the first `capacity`
// bytes are stored. False if there is none of that name, or it cannot be parsed.
bool cuc__ptx_bytes(const char *text, size_t bytes, const char *name, unsigned char *out,
                    size_t capacity, size_t *count);

#endif
