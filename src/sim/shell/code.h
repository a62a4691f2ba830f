// Programs in memory, which code.c loads and code_run.c runs.
#ifndef CUCORE_SIM_SHELL_CODE_H
#define CUCORE_SIM_SHELL_CODE_H

#include "shell.h"

// A program in memory: its code, and its variables in one context.
struct image {
    struct image *next;
    struct context *context; // NULL: the first image, before a context has taken it
    struct sim_program *program;
    bool allocates;        // its kernels may call malloc() or free()
    struct sim_heap *heap; // heap of the context; NULL until one of the image's kernels is launched
    int uses;              // launches that are queued or running
    bool gone;
};

// Frees an image. No launch of it may be queued or running.
void sim_image_free(struct image *image);

#endif
