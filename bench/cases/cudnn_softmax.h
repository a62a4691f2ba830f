// cuDNN's row softmax, as a subject of a point whose arrays are x and y, in this order.
#ifndef CUCORE_BENCH_CASES_CUDNN_SOFTMAX_H
#define CUCORE_BENCH_CASES_CUDNN_SOFTMAX_H

#include "point.h"

// Adds the subject; skips it, with the reason, if cuDNN is missing or does not support the point.
void bench_point_cudnn_softmax(bench_point *p);

#endif
