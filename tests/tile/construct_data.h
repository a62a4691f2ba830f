// Declarations that construct.c and construct_data.c share.
#ifndef CUCORE_TESTS_TILE_CONSTRUCT_DATA_H
#define CUCORE_TESTS_TILE_CONSTRUCT_DATA_H

#include "construct.h"

#include "tile/ir/ir.h"

#include <cucore/cucore.h>

#define ck_ok(call)                                                                    \
    do {                                                                               \
        cuc_status got_ = (call);                                                      \
        if (got_ != CUC_OK)                                                            \
            ck_abort_msg("%s: %s gave %s: %s\n%.2000s", construct_where(), #call,      \
                         cuc_status_name(got_), cuc_error_message(), cuc_error_log()); \
    } while (0)

// The case under test, for messages.
struct construct_now {
    const struct construct *row;
    const char *dtype, *mode, *entry, *sizes;
    unsigned warps;
    const char *near; // from construct_check_as(); NULL: all tensors
};
extern struct construct_now construct_now;
const char *construct_where(void);

// construct.c defines these.
extern cuc_stream *construct_stream;
extern cuc_memory_resource *construct_memory; // managed

// Placements of a tensor in memory.
enum mode {
    PADDED,
    DENSE,
    TRANSPOSED,
    REVERSED,
    REPEATED,
    UNALIGNED, // DENSE, with any base
    MODES,
    // PADDED, but the base or the rows are not aligned to 16 bytes.
    OFF_BASE = MODES,
    OFF_ROWS,   // by one element
    OFF_ROWS_4, // by 4 bytes, or by one element if that is more
    OFF_ROWS_8,
    OFF_END,
};

struct tensor {
    cuc_tensor host, dev;
    cuc_buffer *buffer;
    unsigned char *bytes, *image; // the host's image, and the device's own image
    unsigned char *touched;       // 1 for each byte that is part of an element
    size_t size, before;          // `before`: bytes before the first element
    const char *name;
};

// Generates the same data for the same text.
void construct_seed(const char *text);
// Makes the tensor for a parameter, in both memories, filled as its name says.
void construct_make(struct tensor *t, const struct tile_parameter *p, const int64_t *dimension,
                    enum mode mode);
void construct_drop(struct tensor *t);
// Fails the test if the driver's memory differs from the host's.
void construct_compare(struct tensor *t);

#endif
