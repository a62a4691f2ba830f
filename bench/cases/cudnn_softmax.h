// Row softmax with cuDNN, as a subject of a point with arrays x and y in this order.
#ifndef CUCORE_BENCH_CASES_CUDNN_SOFTMAX_H
#define CUCORE_BENCH_CASES_CUDNN_SOFTMAX_H

#include "point.h"

// Skipped with the reason if cuDNN is missing or does not support it.
void bench_point_cudnn_softmax(bench_point *p);

#endif
