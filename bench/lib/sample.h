// Takes one sample of a subject in any mode.
#ifndef CUCORE_BENCH_LIB_SAMPLE_H
#define CUCORE_BENCH_LIB_SAMPLE_H

#include "gpu.h"

#include <cucore/graph.h>

// A subject in one mode.
struct cuc__bench_trial {
    const cuc_bench_subject *subject;
    uint32_t mode;
    uint32_t reserved;
    uint64_t batch;
    cuc_graph_exec *graph; // the graph to replay in graph mode
};

struct cuc__bench_sample {
    double seconds;     // per run
    double cpu_seconds; // host time per call of run(); NaN if not separate
};

// Choose the batch, unless the subject fixes it, and warm up, so that one-time work such as loading
// code is not sampled. `gpu` is NULL without a device.
cuc_status cuc__bench_trial_begin(struct cuc__bench_trial *t, struct cuc__bench_gpu *gpu,
                                  const cuc_bench_subject *subject, uint32_t mode);
void cuc__bench_trial_end(struct cuc__bench_trial *t);

cuc_status cuc__bench_sample(struct cuc__bench_sample *out, struct cuc__bench_trial *t,
                             struct cuc__bench_gpu *gpu, uint64_t set);

#endif
