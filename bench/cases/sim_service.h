// The sim suite's child processes.
#ifndef CUCORE_BENCH_CASES_SIM_SERVICE_H
#define CUCORE_BENCH_CASES_SIM_SERVICE_H

int bench_sim_serve(void);

#endif
