// The simulator as a library that runs PTX on host memory: libcucore-sim.so, loaded on first use,
// independent of the driver.
#ifndef CUCORE_DRIVER_SIMULATOR_H
#define CUCORE_DRIVER_SIMULATOR_H

#include "simulator_evaluate.h"

typedef struct cuc__simulator {
    sim_evaluate_load_fn *load;
    sim_evaluate_run_fn *run;
    sim_evaluate_free_fn *free;
} cuc__simulator;

// Returns NULL if there is none. `why` lists the places searched, and is never NULL.
const cuc__simulator *cuc__simulator_get(const char **why);

#endif
