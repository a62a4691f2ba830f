// Checks that no GPU makes, selected by CUCORE_SIM_CHECK. Findings are reported like faults, but
// are faults only if `error` is among the words.
//
//   check.c          enables checks, reports findings
//   check_init.c     reads of uninitialized memory: one bit for every byte
//   check_race.c     cells of shared memory: their last writers and readers
//   check_agents.c   agents, their clocks, and the order between them
//   check_async.c    asynchronous copies and products: missing waits and fences
//   check_barrier.c  barriers that only a part of a warp reaches
//
// memory.c calls the checks after an access is found in bounds. Accesses that do not go through
// sim_reach() call sim_check_access() themselves.
#ifndef CUCORE_SIM_CHECK_CHECK_H
#define CUCORE_SIM_CHECK_CHECK_H

#include "sim/machine/machine.h"

enum {
    SIM_CHECK_INIT = 1 << 0,  // reads of uninitialized global or shared memory
    SIM_CHECK_RACE = 1 << 1,  // unordered accesses of shared memory
    SIM_CHECK_ASYNC = 1 << 2, // missing waits or proxy fences before or after a copy or wgmma
    SIM_CHECK_BARRIER =
        1 << 3,               // part of a warp at a barrier that all its lanes must reach together
    SIM_CHECK_ERROR = 1 << 4, // findings are faults
    SIM_CHECK_ACCESS = SIM_CHECK_INIT | SIM_CHECK_RACE | SIM_CHECK_ASYNC, // checks that inspect
                                                                          // accesses
};

// The enabled checks; set before the first program is loaded, constant afterwards.
extern uint32_t sim_checks;
// Parses words separated by commas: init, race, async, barrier, all, error. Returns false for an
// unknown word, with the known ones in `why`, and sets nothing.
bool sim_checks_read(const char *words, char *why, size_t why_bytes);
// Receives findings that are not faults, one per call, from any thread, but one at a time.
// Initially NULL: findings are not passed on.
extern void (*sim_check_report)(const char *report);
// Returns the number of findings of a check so far, and the number of places at which they
// occurred.
uint64_t sim_findings(uint32_t check, uint64_t *places);

// Records a finding of a lane; reports it once for each kernel, line and check. Returns SIM_NEXT,
// or SIM_FAULT if findings are faults.
enum sim_next sim_found(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t check,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

enum sim_access {
    SIM_READ,
    SIM_WRITE,
    SIM_UPDATE,   // an atomic operation
    SIM_EXCHANGE, // an atomic operation whose new value does not depend on the old one
    SIM_MBARRIER, // an operation on an existing mbarrier
    SIM_BOUNDS,   // no access by itself: the accesses it consists of are reported separately
};

// Checks an access that is in bounds: of shared memory at an offset in its owner, which may be
// another block of the cluster, or of global memory at an address, with `owner` NULL. Returns false
// if a finding is a fault. Called if sim_checks & SIM_CHECK_ACCESS.
bool sim_check_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      struct sim_block *owner, uint64_t at, uint32_t bytes, enum sim_access access);

// A block's state of the checks: allocated with the block (false if out of memory), reset for each
// block index, and freed with the block. schedule.c calls these functions whichever checks are
// enabled.
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
// Tracking of global memory. The functions may be called from any thread. Memory that was never
// marked as fresh counts as written.
void sim_init_allocated(uint64_t address, uint64_t bytes); // allocated, and not yet written
void sim_init_freed(uint64_t address, uint64_t bytes);     // no longer checked
void sim_init_wrote(uint64_t address, uint64_t bytes);
bool sim_init_written(uint64_t address, uint32_t bytes);
void sim_init_copied(uint64_t to, uint64_t from, uint64_t bytes); // written exactly where `from` is
                                                                  // written

// check_barrier.c owns block->steps. Called with SIM_CHECK_BARRIER.
bool sim_check_barrier_new(struct sim_block *block);
void sim_check_barrier_begin(struct sim_block *block);
void sim_check_barrier_free(struct sim_block *block);
// Numbers of barrier.cluster.arrive and barrier.cluster.wait, after the barriers 0 to 15.
enum { SIM_STEP_CLUSTER_ARRIVE = SIM_BARRIER_CLUSTER, SIM_STEP_CLUSTER_WAIT };
// Lanes arrive at the aligned barrier `index`, one of these numbers. Returns false if that is a
// fault.
bool sim_check_barrier_come(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                            uint32_t index);
// A phase of one of the barriers 0 to 15 is complete, and no lane has been woken yet.
void sim_check_barrier_complete(struct sim_block *block, uint32_t index);
// Lanes store while others of their warp are blocked; lanes exit.
void sim_check_barrier_pass(struct sim_warp *w, const struct sim_op *op, uint32_t lanes);
void sim_check_barrier_exit(struct sim_warp *w, uint32_t lanes);
// Checks that the membermask of each lane contains the lane.
bool sim_check_members(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                       uint32_t members);

// check_race.c owns block->race. Called with SIM_CHECK_RACE or SIM_CHECK_ASYNC.
bool sim_check_race_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           struct sim_block *owner, uint32_t offset, uint32_t bytes,
                           enum sim_access access);
bool sim_check_race_new(struct sim_block *block);
void sim_check_race_begin(struct sim_block *block);
void sim_check_race_free(struct sim_block *block);

#endif
