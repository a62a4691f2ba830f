// Softmax of each row by cuDNN, as a subject of a point with arrays x and y in this order.
#ifndef CUCORE_BENCH_CASES_CUDNN_SOFTMAX_H
#define CUCORE_BENCH_CASES_CUDNN_SOFTMAX_H

#include "point.h"

// Skipped with the reason when there is no cuDNN, or it cannot do it.
void bench_point_cudnn_softmax(bench_point *p);

#endif
