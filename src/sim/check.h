// Checks that no GPU makes, chosen by CUCORE_SIM_CHECK. What they find is told like a fault, and is
// one only when `error` is among the words.
//
//   check.c        which are on, how a finding is told, barriers that part of a warp reaches
//   check_init.c   reads of memory that nobody wrote: a shadow bit for every byte
//   check_race.c   who knows of whose accesses to shared memory: races, waits and fences that are missing
#ifndef CUCORE_SIM_CHECK_H
#define CUCORE_SIM_CHECK_H

#include "exec.h"

enum {
    SIM_CHECK_INIT = 1 << 0,    // a byte of global or shared memory is read that nobody wrote
    SIM_CHECK_RACE = 1 << 1,    // accesses of shared memory that nothing orders
    SIM_CHECK_ASYNC = 1 << 2,   // a wait or a proxy fence is missing before or after a copy or wgmma
    SIM_CHECK_BARRIER = 1 << 3, // part of a warp at a barrier that all its lanes must reach together
    SIM_CHECK_ACCESS = SIM_CHECK_INIT | SIM_CHECK_RACE | SIM_CHECK_ASYNC, // look at accesses
};

// The checks that are on; set before the first grid runs.
extern uint32_t sim_checks;
// Words apart by commas: init, race, async, barrier, all, error. False: one is not known, and *word
// is it.
bool sim_checks_read(const char *words, char *word, size_t word_bytes);

// A finding of a lane, told once for a kernel, a line and a kind. SIM_NEXT, or SIM_FAULT when
// findings are errors.
enum sim_next sim_found(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t check,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

enum sim_access {
    SIM_READ = 0, // as the bool `write` of sim_reach
    SIM_WRITE = 1,
    SIM_UPDATE = 2, // an atomic operation
};

#endif
