// The interface of libcucore-sim.so beyond the driver API: runs a kernel on host memory, without
// devices, contexts or streams. The interpreter of tile programs uses it to execute inline PTX.
#ifndef CUCORE_DRIVER_SIMULATOR_EVALUATE_H
#define CUCORE_DRIVER_SIMULATOR_EVALUATE_H

#include <stddef.h>
#include <stdint.h>

// A piece of host memory that the kernel reads or writes.
struct sim_piece {
    void *at;
    size_t bytes;
    int is_read; // holds input values
};

struct sim_evaluation {
    uint32_t blocks, threads;
    const void *params; // the entry's parameter buffer; the entry determines its size
    const struct sim_piece *piece;
    uint32_t pieces;
};

// Decodes the first entry in a PTX text. On failure, returns NULL and writes the reason to the log.
typedef void *sim_evaluate_load_fn(const char *ptx, size_t bytes, char *log, size_t capacity);
// Runs the code to its end. Returns 0. On a fault, returns its CUresult and writes a report to the
// log.
typedef int sim_evaluate_run_fn(void *code, const struct sim_evaluation *run, char *log,
                                size_t capacity);
typedef void sim_evaluate_free_fn(void *code);

#define SIM_EVALUATE_LOAD "cucoreSimulatedLoad"
#define SIM_EVALUATE_RUN "cucoreSimulatedRun"
#define SIM_EVALUATE_FREE "cucoreSimulatedFree"

#endif
