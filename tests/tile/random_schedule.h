// Random kernels whose loops hold products, in the forms that pipelines take and in those beside
// them. All numbers are whole and small, so that sums are exact in any order.
#ifndef CUCORE_TESTS_TILE_RANDOM_SCHEDULE_H
#define CUCORE_TESTS_TILE_RANDOM_SCHEDULE_H

#include "construct.h"

struct random_schedule {
    char *source;    // freed with free()
    char sizes[256]; // cases as in construct.h
    struct construct_options options;
};

// Makes the same kernel for the same seed.
void random_schedule_make(struct random_schedule *p, uint64_t seed);

#endif
