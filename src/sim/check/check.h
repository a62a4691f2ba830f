// Checks that no GPU makes, chosen by CUCORE_SIM_CHECK. What they find is told like a fault, and is
// one only when `error` is among the words.
//
//   check.c          which are on, how a finding is told
//   check_init.c     reads of memory that nobody wrote: a bit for every byte
//   check_race.c     cells of shared memory: who wrote and read them last
//   check_agents.c   who knows of whose accesses: clocks, what orders them
//   check_async.c    copies and products that complete later: waits and fences that are missing
//   check_barrier.c  what only a part of a warp comes to
//
// Accesses are looked at where memory.c has found them in bounds; what does not go through
// sim_reach() calls sim_check_access() itself.
#ifndef CUCORE_SIM_CHECK_CHECK_H
#define CUCORE_SIM_CHECK_CHECK_H

#include "sim/machine/machine.h"

enum {
    SIM_CHECK_INIT = 1 << 0,  // a byte of global or shared memory is read that nobody wrote
    SIM_CHECK_RACE = 1 << 1,  // accesses of shared memory that nothing orders
    SIM_CHECK_ASYNC = 1 << 2, // a wait or a proxy fence is missing before or after a copy or wgmma
    SIM_CHECK_BARRIER =
        1 << 3,               // part of a warp at a barrier that all its lanes must reach together
    SIM_CHECK_ERROR = 1 << 4, // findings are faults
    SIM_CHECK_ACCESS = SIM_CHECK_INIT | SIM_CHECK_RACE | SIM_CHECK_ASYNC, // look at accesses
};

// The checks that are on; set before the first program is loaded, and left alone from then on.
extern uint32_t sim_checks;
// Words apart by commas: init, race, async, barrier, all, error. False: one is not known, and `why`
// says which are; nothing is set then.
bool sim_checks_read(const char *words, char *why, size_t why_bytes);
// Who hears of a finding that is no fault: one call a finding, from any thread, one at a time.
// NULL, as it is first: nobody.
extern void (*sim_check_tell)(const char *report);
// The findings of a check so far, and in how many places.
uint64_t sim_findings(uint32_t check, uint64_t *places);

// A finding of a lane: told once for a kernel, a line and a check. SIM_NEXT, or SIM_FAULT when
// findings are faults.
enum sim_next sim_found(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t check,
                        const char *fmt, ...) __attribute__((format(printf, 5, 6), cold));

enum sim_access {
    SIM_READ,
    SIM_WRITE,
    SIM_UPDATE,   // an atomic operation
    SIM_EXCHANGE, // an atomic one that does not go by what was there
    SIM_MBARRIER, // an operation of an mbarrier that is there already
    SIM_BOUNDS,   // none: what is touched there is said piece by piece
};

// Look at an access that is in bounds: of shared memory at an offset in its owner, which may be
// another block of the cluster, or of global memory at an address, where `owner` is NULL. False
// when there is a finding and it is a fault. Called when sim_checks & SIM_CHECK_ACCESS.
bool sim_check_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      struct sim_block *owner, uint64_t at, uint32_t bytes, enum sim_access access);

// What checks keep for a block: made with it (false: no memory), fresh for each index it takes,
// and freed with it. schedule.c calls these whichever checks are on.
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
// Global memory, from any thread. All that was not called fresh counts as written.
void sim_init_fresh(uint64_t address, uint64_t bytes); // nobody has written it
void sim_init_gone(uint64_t address, uint64_t bytes);  // is no longer looked at
void sim_init_wrote(uint64_t address, uint64_t bytes);
bool sim_init_written(uint64_t address, uint32_t bytes);
void sim_init_copied(uint64_t to, uint64_t from, uint64_t bytes); // written where `from` is

// check_barrier.c: block->steps is its own. Called with SIM_CHECK_BARRIER.
bool sim_check_barrier_new(struct sim_block *block);
void sim_check_barrier_begin(struct sim_block *block);
void sim_check_barrier_free(struct sim_block *block);
// Lanes come to an aligned barrier: 0 to 15, or one of the next two. False when that is a fault.
enum { SIM_STEP_CLUSTER_ARRIVE = SIM_BARRIER_CLUSTER, SIM_STEP_CLUSTER_WAIT };
bool sim_check_barrier_come(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                            uint32_t index);
// A phase of a barrier from 0 to 15 is complete, and nobody has been woken yet.
void sim_check_barrier_complete(struct sim_block *block, uint32_t index);
// Lanes store while others of their warp are blocked; lanes exit.
void sim_check_barrier_pass(struct sim_warp *w, const struct sim_op *op, uint32_t lanes);
void sim_check_barrier_exit(struct sim_warp *w, uint32_t lanes);
// Lanes gave a membermask: each must be in it.
bool sim_check_members(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                       uint32_t members);

// check_race.c: block->race is its own. Called with SIM_CHECK_RACE or SIM_CHECK_ASYNC.
bool sim_check_race_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           struct sim_block *owner, uint32_t offset, uint32_t bytes,
                           enum sim_access access);
bool sim_check_race_new(struct sim_block *block);
void sim_check_race_begin(struct sim_block *block);
void sim_check_race_free(struct sim_block *block);

#endif
