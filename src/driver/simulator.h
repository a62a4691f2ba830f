// The simulator as an executor of PTX on host memory: libcucore-sim.so, loaded when it is first
// needed, whatever the driver is.
#ifndef CUCORE_DRIVER_SIMULATOR_H
#define CUCORE_DRIVER_SIMULATOR_H

#include "simulator_evaluate.h"

typedef struct cuc__simulator {
    sim_evaluate_load_fn *load;
    sim_evaluate_run_fn *run;
    sim_evaluate_free_fn *free;
} cuc__simulator;

// NULL when there is none: the text says where it was looked for, and is never NULL.
const cuc__simulator *cuc__simulator_get(const char **why);

#endif
