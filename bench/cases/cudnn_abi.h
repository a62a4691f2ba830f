// The part of cuDNN's ABI that the benchmarks use, in our own declarations.
// tests/bench/library_abi.c checks it against the real headers.
#ifndef CUCORE_BENCH_CASES_CUDNN_ABI_H
#define CUCORE_BENCH_CASES_CUDNN_ABI_H

typedef struct dnn_handle_object *dnn_handle;
typedef struct dnn_tensor_object *dnn_tensor;

enum {
    DNN_F32 = 0,
    DNN_F16 = 2,
    DNN_BF16 = 9,
    DNN_NCHW = 0,
    DNN_SOFTMAX_ACCURATE = 1,      // subtracts the maximum first
    DNN_SOFTMAX_MODE_INSTANCE = 0, // over all of C, H and W
};

struct dnn_functions {
#define DNN(name, params) int(*name) params;
#include "cudnn.def"
#undef DNN
};

#endif
