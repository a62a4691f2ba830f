// A kernel that cucore bench kernel times, with several sets of arguments.
#ifndef CUCORE_TOOLS_BENCH_CONTENDER_H
#define CUCORE_TOOLS_BENCH_CONTENDER_H

#include "launcher.h"

// The arguments of one launch; each set has its own arrays.
typedef struct argument_set {
    cuc_arg *args;        // [argument_count]
    cuc_buffer **buffers; // [argument_count], NULL for scalars
    cuc_tensor *tensors;  // [argument_count]
} argument_set;

enum { MAX_SETS = 32 };

typedef struct contender {
    launcher launcher; // its arguments are the first set
    char name[128];
    argument_set sets[MAX_SETS]; // used in rotation, so that no run finds its data in L2
    size_t set_count;
    cuc_buffer **pristine; // [argument_count], initial contents of inout: arguments
    void *request;         // the request that owns the contender, for its check
} contender;

// Create the sets on the stream; the kernel must be loaded.
cuc_status contender_prepare(contender *c, cuc_stream *stream);
void contender_release(contender *c);

// Callbacks of a subject; `contender` points to a contender.
cuc_status contender_run(void *contender, cuc_stream *stream, uint64_t set);
// Restore the inout: arguments that a launch changed, so that every launch gets the same input.
cuc_status contender_restore(void *contender, cuc_stream *stream, uint64_t set);

#endif
