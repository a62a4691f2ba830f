// Makes random kernels with products in loops, both in the forms that become pipelines and in
// similar forms that do not. All numbers are whole and small, so that sums are exact in any order.
#ifndef CUCORE_TESTS_TILE_RANDOM_SCHEDULE_H
#define CUCORE_TESTS_TILE_RANDOM_SCHEDULE_H

#include "construct.h"

struct random_schedule {
    char *source;    // free it with free()
    char sizes[256]; // cases as in construct.h
    struct construct_options options;
};

// Makes the same kernel for the same seed.
void random_schedule_make(struct random_schedule *p, uint64_t seed);

#endif
