// Runs PTX on host memory without a driver: loads, allocates, launches, inspects.
#ifndef CUCORE_TESTS_SIM_HARNESS_H
#define CUCORE_TESTS_SIM_HARNESS_H

#include "sim/exec/run.h"

#include <stddef.h>
#include <stdint.h>

// The first lines of every module; a test's text follows on line 4.
#define HARNESS_HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

// Loads a module; on failure, ends the test with the log.
struct sim_program *harness_load(const char *ptx);
// Loads a module that must be refused; returns the log, which is valid until the next call.
const char *harness_refused(const char *ptx);

// Allocates zeroed memory of exactly this size, which kernels may access.
void *harness_memory(size_t bytes);
// Does the same on separate pages, which count as unwritten for SIM_CHECK_INIT.
void *harness_fresh(size_t bytes);
void harness_release(void *memory);

// A kernel launch. arguments[i] holds parameter i in its first bytes; if the parameter has fewer
// than 8 bytes, the rest of arguments[i] is ignored.
struct harness_launch {
    const char *kernel;                     // NULL: the module's first kernel
    uint32_t grid[3], block[3], cluster[3]; // 0 means 1; for `cluster`, no cluster
    uint32_t shared_bytes;
    int cooperative;
    uint32_t stack_limit; // size of a lane's stack if its depth is unknown; 0: 64 KiB
    uint64_t arguments[16];
    const void *parameters; // all parameters in the kernel's layout; NULL: use `arguments`
};
// Returns the code of the fault, or 0; harness_report() describes the fault.
int harness_run(struct sim_program *program, const struct harness_launch *launch);
const char *harness_report(void);
uint64_t harness_instructions(void);

// Loads, runs and frees a module; ends the test on any failure.
void harness_go(const char *ptx, const struct harness_launch *launch);

#define HARNESS_POINTER(p) ((uint64_t)(uintptr_t)(p))

#endif
