// Input arrays in several sets, filled with random numbers.
#ifndef CUCORE_BENCH_LIB_INPUTS_H
#define CUCORE_BENCH_LIB_INPUTS_H

#include "gpu.h"

struct cuc_bench_input {
    cuc_bench_input *next; // next input of the point
    struct cuc__bench_gpu *gpu;
    cuc_buffer *buffer; // all sets, `stride` apart; NULL for host input
    void *host;
    uint64_t bytes, stride, sets;
    bool result; // whether to overwrite it before each check
};

// Create an input. `gpu` may be NULL for host input; `max_set_bytes` of 0 means an eighth of the
// free memory.
cuc_status cuc__bench_input_create(cuc_bench_input **out, struct cuc__bench_gpu *gpu,
                                   const cuc_bench_input_options *options, uint64_t seed,
                                   uint32_t index, uint64_t max_set_bytes);
void cuc__bench_input_release(cuc_bench_input *input);

// Set every bit of the first set to 1, as work on the session's stream.
cuc_status cuc__bench_input_spoil(cuc_bench_input *input);

#endif
