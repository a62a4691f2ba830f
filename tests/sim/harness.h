// Runs PTX over host memory, without a driver: load, allocate, launch, look.
#ifndef CUCORE_TESTS_SIM_HARNESS_H
#define CUCORE_TESTS_SIM_HARNESS_H

#include "sim/exec/run.h"

#include <stddef.h>
#include <stdint.h>

// The lines that every module starts with; a test's text follows on line 4.
#define HARNESS_HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

// Load a module, or end the test with the log.
struct sim_program *harness_load(const char *ptx);
// Load a module that must be refused: its log, valid until the next call.
const char *harness_refused(const char *ptx);

// Memory that kernels may reach: zeroed, exactly as long as is said.
void *harness_memory(size_t bytes);
// The same on pages of its own, which nobody has written for all that SIM_CHECK_INIT knows.
void *harness_fresh(size_t bytes);
void harness_release(void *memory);

// How a kernel is launched. `arguments` are 8 bytes each, as many as the kernel has parameters; a
// parameter takes as many of the first bytes as it has.
struct harness_launch {
    const char *kernel;                     // NULL: the first
    uint32_t grid[3], block[3], cluster[3]; // 0 is 1, but for a cluster: none
    uint32_t shared_bytes;
    int cooperative;
    uint32_t stack_limit; // of a lane, where calls are not counted; 0: 64 KiB
    uint64_t arguments[16];
    const void *parameters; // all of them, laid out as the kernel has them; NULL: the arguments
};
// The code of the fault, or 0; harness_report() has what is known about it.
int harness_run(struct sim_program *program, const struct harness_launch *launch);
const char *harness_report(void);
uint64_t harness_instructions(void);

// Load, run, free: ends the test when anything fails.
void harness_go(const char *ptx, const struct harness_launch *launch);

#define HARNESS_POINTER(p) ((uint64_t)(uintptr_t)(p))

#endif
