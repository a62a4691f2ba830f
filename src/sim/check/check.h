// Checks for errors that a GPU does not detect, selected by CUCORE_SIM_CHECK. Findings are reported
// like faults, but end the kernel only if CUCORE_SIM_CHECK contains the word `error`.
//
//   check.c          enables checks, reports findings
//   check_init.c     finds reads of uninitialized memory, with one bit per byte
//   check_race.c     records the last writers and readers of each cell of shared memory
//   check_agents.c   implements agents, their clocks, and the order between them
//   check_async.c    handles asynchronous copies and products: missing waits and fences
//   check_barrier.c  finds barriers that only a part of a warp reaches
//
// load_store.c calls the checks once an access is known to be in bounds. Accesses that bypass
// sim_reach() must call sim_check_access() themselves.
#ifndef CUCORE_SIM_CHECK_CHECK_H
#define CUCORE_SIM_CHECK_CHECK_H

#include "sim/machine/machine.h"

enum {
    SIM_CHECK_INIT = 1 << 0,  // reads of uninitialized global or shared memory; undefined
                              // registers
    SIM_CHECK_RACE = 1 << 1,  // unordered accesses of shared memory
    SIM_CHECK_ASYNC = 1 << 2, // missing waits or proxy fences before or after a copy or wgmma
    SIM_CHECK_BARRIER =
        1 << 3,               // part of a warp at a barrier that all its lanes must reach together
    SIM_CHECK_ERROR = 1 << 4, // findings are faults
    SIM_CHECK_ACCESS = SIM_CHECK_INIT | SIM_CHECK_RACE | SIM_CHECK_ASYNC, // checks that inspect
                                                                          // accesses
};

// The enabled checks. They are set before the first program is loaded, and are constant afterwards.
extern uint32_t sim_checks;
// Parses words separated by commas: init, race, async, barrier, all, error. For an unknown word,
// lists the known ones in `why`, sets nothing and returns false.
bool sim_checks_read(const char *words, char *why, size_t why_bytes);
// Receives findings that are not faults. Any thread may call it, but only one at a time, with one
// finding per call. Initially NULL: findings are not passed on.
extern void (*sim_check_report)(const char *report);
// Returns how many findings a check has had so far, and at how many code locations.
uint64_t sim_findings(uint32_t check, uint64_t *places);

// Records a finding of a lane. Reports only the first one for each kernel, line and check. Returns
// SIM_NEXT, or SIM_FAULT if findings are faults.
enum sim_next sim_found(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t check,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

enum sim_access {
    SIM_READ,
    SIM_WRITE,
    SIM_UPDATE,   // an atomic operation
    SIM_EXCHANGE, // an atomic operation whose new value does not depend on the old one
    SIM_MBARRIER, // an operation on an existing mbarrier
    SIM_BOUNDS,   // only a bounds check; the individual accesses are reported separately
};

// Checks an access that is in bounds. If `owner` is not NULL, `at` is an offset in the shared
// memory of `owner`, which may be another block of the cluster. Otherwise `at` is an address in
// global memory. Returns false if a finding is a fault. Called only if sim_checks &
// SIM_CHECK_ACCESS.
bool sim_check_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      struct sim_block *owner, uint64_t at, uint32_t bytes, enum sim_access access);

// Allocate a block's check state (false if out of memory), reset it for each block index, and free
// it. schedule.c calls these functions whichever checks are enabled.
bool sim_check_block_new(struct sim_block *block);
void sim_check_block_begin(struct sim_block *block);
void sim_check_block_free(struct sim_block *block);

// check_init.c
bool sim_check_init_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           struct sim_block *owner, uint64_t at, uint32_t bytes,
                           enum sim_access access);
bool sim_check_init_new(struct sim_block *block);
void sim_check_init_begin(struct sim_block *block);
void sim_check_init_free(struct sim_block *block);
// Track global memory. These functions may be called from any thread. Memory counts as written
// unless sim_init_allocated() has marked it as not yet written.
void sim_init_allocated(uint64_t address, uint64_t bytes); // marks memory as not yet written
void sim_init_freed(uint64_t address, uint64_t bytes);     // no longer checked
void sim_init_wrote(uint64_t address, uint64_t bytes);
bool sim_init_written(uint64_t address, uint32_t bytes);
// Marks the memory at `to` as written exactly where the memory at `from` is.
void sim_init_copied(uint64_t to, uint64_t from, uint64_t bytes);

// check_barrier.c owns block->steps. Its functions are called only if SIM_CHECK_BARRIER is enabled.
bool sim_check_barrier_new(struct sim_block *block);
void sim_check_barrier_begin(struct sim_block *block);
void sim_check_barrier_free(struct sim_block *block);
// Numbers for barrier.cluster.arrive and barrier.cluster.wait. They follow the barriers 0 to 15.
enum { SIM_STEP_CLUSTER_ARRIVE = SIM_BARRIER_CLUSTER, SIM_STEP_CLUSTER_WAIT };
// Records that lanes arrive at an aligned barrier. `index` is the number of a barrier of the block,
// 0 to 15, or a SIM_STEP_CLUSTER_ value. Returns false if that is a fault.
bool sim_check_barrier_come(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                            uint32_t index);
// Called when a phase of one of the barriers 0 to 15 is complete and no lane has been woken yet.
void sim_check_barrier_complete(struct sim_block *block, uint32_t index);
// Called when lanes store while others of their warp are blocked, and when lanes exit.
void sim_check_barrier_pass(struct sim_warp *w, const struct sim_op *op, uint32_t lanes);
void sim_check_barrier_exit(struct sim_warp *w, uint32_t lanes);
// Checks that the membermask of each lane contains the lane.
bool sim_check_members(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                       uint32_t members);

// check_race.c owns block->race. Its functions are called only if SIM_CHECK_RACE or SIM_CHECK_ASYNC
// is enabled.
bool sim_check_race_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           struct sim_block *owner, uint32_t offset, uint32_t bytes,
                           enum sim_access access);
bool sim_check_race_new(struct sim_block *block);
void sim_check_race_begin(struct sim_block *block);
void sim_check_race_free(struct sim_block *block);

#endif
