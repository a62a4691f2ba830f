// Programs in memory, between loading and running them.
#ifndef CUCORE_SIM_SHELL_CODE_H
#define CUCORE_SIM_SHELL_CODE_H

#include "shell.h"

// A program in memory: code, and variables of one context.
struct image {
    struct image *next;
    struct context *context; // NULL: the first one, until a context takes it
    struct sim_program *program;
    bool allocates;        // its kernels may call malloc() or free()
    struct sim_heap *heap; // the context's, once one of them was launched
    int uses;              // launches that wait or run
    bool gone;
};

// With no launch that waits or runs.
void sim_image_free(struct image *image);

#endif
