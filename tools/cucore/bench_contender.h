// A kernel that cucore bench kernel times: its arguments in several sets, and what it is run with.
#ifndef CUCORE_TOOLS_BENCH_CONTENDER_H
#define CUCORE_TOOLS_BENCH_CONTENDER_H

#include "launcher.h"

// The arguments of a launch, with arrays of their own.
typedef struct argument_set {
    cuc_arg *args;        // [argument_count]
    cuc_buffer **buffers; // [argument_count] NULL for scalars
    cuc_tensor *tensors;  // [argument_count]
} argument_set;

enum { MAX_SETS = 32 };

typedef struct contender {
    launcher launcher; // with the arguments of the first set
    char name[128];
    argument_set sets[MAX_SETS]; // used in turn, so that hot runs find nothing in L2
    size_t set_count;
    cuc_buffer **pristine; // [argument_count] what inout: arguments are before each launch
    void *request;         // whose it is, for its check
} contender;

// Make the sets on the stream, once the kernel is loaded.
cuc_status contender_prepare(contender *c, cuc_stream *stream);
void contender_release(contender *c);

// The callbacks of a subject; `contender` is one.
cuc_status contender_run(void *contender, cuc_stream *stream, uint64_t set);
// A launch changes its inout: arguments; the next one must find what the first one did.
cuc_status contender_restore(void *contender, cuc_stream *stream, uint64_t set);

#endif
