// Agents that access a cluster's shared memory, and what each warp knows of the others' accesses.
// Internal interface of check_agents.c, check_async.c and check_race.c.
//
// An agent performs accesses in its own order. Agents are a warp; its cp.async copies; its bulk
// copies out of shared memory; its warpgroup's wgmma products; and the copies that complete on an
// mbarrier. An agent's clock advances at each point where others may learn of its progress, so an
// access is identified by its agent and the agent's clock. A warp's view is the clock up to which
// it knows each agent. Barriers and similar operations propagate views. An access outside a view is
// unordered with the warp's next access (vector clocks, at the granularity of warps).
#ifndef CUCORE_SIM_CHECK_CHECK_AGENTS_H
#define CUCORE_SIM_CHECK_CHECK_AGENTS_H

#include "check_race.h"

enum sim_agent_kind {
    SIM_AGENT_WARP,
    SIM_AGENT_COPIES, // in the order of enum sim_groups, plus one
    SIM_AGENT_BULK,
    SIM_AGENT_PRODUCTS,
    SIM_AGENT_MBARRIER,
};

struct sim_agent {
    enum sim_agent_kind kind;
    uint32_t rank;  // rank of its block in the cluster
    uint32_t index; // index of the warp; of the first warp of a warpgroup; offset of the mbarrier
    uint32_t now;   // current clock
};

struct sim_view {
    uint32_t *known;  // [capacity]: the known clock of each agent
    uint32_t *fenced; // [capacity]: the known clock of accesses that the async proxy sees, too
    uint32_t capacity;
};

// A recorded access. Clock 0: none.
struct sim_mark {
    uint32_t clock, line;
    uint16_t agent;
    uint8_t lane;
    uint8_t bytes : 4; // accessed bytes of the cell's four
    uint8_t atomic : 1;
};
enum {
    SIM_LANES_MANY = 0xff,  // several lanes accessed these bytes
    SIM_LANES_APART = 0xfe, // several lanes, with unknown bytes each
};

// Four bytes of shared memory: the last writer, and since then two atomic operations and two
// readers.
struct sim_cell {
    struct sim_mark write, update[2], read[2];
};

// A warp's asynchronous operations of one kind, which it awaits in groups. Groups are counted for
// the warp; lanes that count on their own have at most as many.
struct sim_stream {
    uint32_t agent;      // 0: none yet
    uint32_t now;        // clock of the open group
    uint32_t line, last; // the last access: its line, and its group's clock
    uint32_t commits;
    uint32_t clock[16]; // clocks of the last groups
};

struct sim_race_warp {
    uint32_t agent;
    struct sim_view view;
    struct sim_stream stream[SIM_GROUPS];
    uint32_t copies_met; // cp.async: clock of the warp's copies that was known when the lanes last
                         // converged
    bool products_fenced;
};

struct sim_race_mbarrier {
    uint64_t key; // rank and offset of the mbarrier, plus one; 0: unused
    uint32_t agent;
    struct sim_view coming, passed; // views from arrivals of the current phase, and of all earlier
                                    // phases
};

enum { SIM_RACE_PLACES = 1024 };

// Race state of a cluster; block 0's race owns it.
struct sim_race_cluster {
    struct sim_cluster *cluster;
    struct sim_agent *agents; // warps first
    uint32_t agent_count, agent_capacity;
    struct sim_race_mbarrier *mbarriers; // hash table
    uint32_t mbarrier_count, mbarrier_capacity;
    struct sim_view arrived, passed; // at barrier.cluster, from arrivals without .relaxed
    struct sim_view running, ran;    // from all arrivals: the accesses made before them, visible or
                                     // not
    struct sim_view places[SIM_RACE_PLACES]; // strong accesses, by a hash of the address
    bool fences;                             // a fence.proxy.async was executed
    bool broken;                             // out of memory: the next access reports it
};

struct sim_race {
    struct sim_race_cluster *shared;
    struct sim_cell *cells;
    uint32_t cell_count;
    struct sim_race_warp *warps;
    uint32_t warp_count;
    struct sim_view barriers[SIM_BARRIER_CLUSTER];
    struct sim_mark *remote; // by agent: the last access from another block
    uint32_t remote_capacity;
};

// The agent that accesses memory for an instruction.
enum sim_actor {
    SIM_ACTOR_LANE,
    SIM_ACTOR_STRONG,   // a lane, with order, as in sim_race_strong()
    SIM_ACTOR_BLIND,    // a lane, by an atomic operation whose result is unused
    SIM_ACTOR_TOGETHER, // converged lanes
    SIM_ACTOR_COPIES,   // cp.async
    SIM_ACTOR_COPY_2,   // a copy into shared memory that completes on the mbarrier in o[2]
    SIM_ACTOR_COPY_3,   // the same, with the mbarrier in o[3]
    SIM_ACTOR_STORED,   // the same by st.async or red.async, which use the generic proxy
    SIM_ACTOR_BULK,     // a copy out of shared memory
    SIM_ACTOR_PRODUCT,  // wgmma
};

static inline struct sim_race_warp *sim_race_of(const struct sim_warp *w)
{
    return &w->block->race->warps[w->index];
}

// check_agents.c

static inline uint32_t sim_view_known(const struct sim_view *v, uint32_t agent)
{
    return agent < v->capacity ? v->known[agent] : 0;
}
static inline uint32_t sim_view_fenced(const struct sim_view *v, uint32_t agent)
{
    return agent < v->capacity ? v->fenced[agent] : 0;
}
// Raises the known clock of an agent to at least `clock`.
void sim_view_learn(struct sim_race_cluster *c, struct sim_view *v, uint32_t agent, uint32_t clock);
void sim_view_join(struct sim_race_cluster *c, struct sim_view *to, const struct sim_view *from);
void sim_view_clear(struct sim_view *v);
void sim_view_free(struct sim_view *v);
// Creates an agent; returns 0 if out of memory or if there are too many.
uint32_t sim_agent_new(struct sim_race_cluster *c, enum sim_agent_kind kind, uint32_t rank,
                       uint32_t index);
// Advances the warp's clock: what others have learned so far does not cover the warp's later
// accesses.
void sim_race_tick(struct sim_race_cluster *c, struct sim_race_warp *w);

// check_async.c

// Returns the warp's stream of a kind, with its agent; NULL if out of memory.
struct sim_stream *sim_race_stream(struct sim_warp *w, enum sim_groups which);
// Returns the mbarrier of a block at an offset, creating it if needed; NULL if out of memory.
struct sim_race_mbarrier *sim_race_mbarrier_at(struct sim_race_cluster *c, uint32_t rank,
                                               uint32_t offset);
// Resets the asynchronous operations of a cluster for new blocks.
void sim_race_async_begin(struct sim_race_cluster *c);

// check_race.c: describes the author of a mark.
void sim_race_who(const struct sim_race_cluster *c, const struct sim_block *here,
                  const struct sim_mark *m, char *out, size_t bytes);

#endif
