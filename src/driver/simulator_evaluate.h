// What libcucore-sim.so has beside the driver's functions: a kernel on host memory, without
// devices, contexts and streams. The interpreter of tile programs runs instructions with it that a
// source puts in.
#ifndef CUCORE_DRIVER_SIMULATOR_EVALUATE_H
#define CUCORE_DRIVER_SIMULATOR_EVALUATE_H

#include <stddef.h>
#include <stdint.h>

// A piece of host memory that the kernel reads, or that it writes.
struct sim_piece {
    void *at;
    size_t bytes;
    int is_read; // it has values before
};

struct sim_evaluation {
    uint32_t blocks, threads;
    const void *params; // of the entry, as large as it has it
    const struct sim_piece *piece;
    uint32_t pieces;
};

// The text's first entry, decoded; NULL, and the log says why.
typedef void *sim_evaluate_load_fn(const char *ptx, size_t bytes, char *log, size_t room);
// Run to its end. 0, or the CUresult of its fault, which the log tells.
typedef int sim_evaluate_run_fn(void *code, const struct sim_evaluation *run, char *log,
                                size_t room);
typedef void sim_evaluate_free_fn(void *code);

#define SIM_EVALUATE_LOAD "cucoreSimulatedLoad"
#define SIM_EVALUATE_RUN "cucoreSimulatedRun"
#define SIM_EVALUATE_FREE "cucoreSimulatedFree"

#endif
