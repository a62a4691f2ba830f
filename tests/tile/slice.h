// `--slice I/N` runs every N-th case from the I-th on, to split slow GPU tests among processes.
#ifndef CUCORE_TESTS_TILE_SLICE_H
#define CUCORE_TESTS_TILE_SLICE_H

#include "tests.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct slice {
    int first, step; // 0, 1 selects everything
};

static inline bool slice_asked(int argc, char **argv)
{
    return argc > 2 && strcmp(argv[1], "--slice") == 0;
}

// Returns false if the following word is not a slice.
static inline bool slice_read(struct slice *s, char **argv)
{
    return sscanf(argv[2], "%d/%d", &s->first, &s->step) == 2 && s->step > 0 && s->first >= 0;
}

#define TEST_SLICE(name, slice, count)                                                 \
    TEST_ADDED(name, for (int at_ = (slice).first; at_ < (count); at_ += (slice).step) \
                         tcase_add_loop_test(tcase, ttest, at_, at_ + 1))

#endif
