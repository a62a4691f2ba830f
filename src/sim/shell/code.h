// Programs in memory: code.c loads them, code_run.c runs them.
#ifndef CUCORE_SIM_SHELL_CODE_H
#define CUCORE_SIM_SHELL_CODE_H

#include "shell.h"

// A program in memory: its code, and its variables in one context.
struct image {
    struct image *next;
    struct context *context; // NULL: the first image, until a context takes it
    struct sim_program *program;
    bool allocates;        // its kernels may call malloc() or free()
    struct sim_heap *heap; // the context's heap, once one of its kernels was launched
    int uses;              // launches waiting or running
    bool gone;
};

// Requires that no launch of the image is queued or running.
void sim_image_free(struct image *image);

#endif
