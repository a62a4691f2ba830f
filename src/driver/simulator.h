// The simulator as a library that runs PTX on host memory. The library, libcucore-sim.so, is loaded
// on first use and does not depend on the driver.
#ifndef CUCORE_DRIVER_SIMULATOR_H
#define CUCORE_DRIVER_SIMULATOR_H

#include "simulator_evaluate.h"

typedef struct cuc__simulator {
    sim_evaluate_load_fn *load;
    sim_evaluate_run_fn *run;
    sim_evaluate_free_fn *free;
} cuc__simulator;

// Returns NULL if there is no simulator. `why` receives a list of the places searched, never NULL.
const cuc__simulator *cuc__simulator_get(const char **why);

#endif
