// Agents, which access a cluster's shared memory, and each warp's knowledge of their accesses.
// Internal interface of check_agents.c, check_async.c and check_race.c.
//
// The check uses vector clocks at the granularity of warps. An agent performs accesses in its own
// order. These are the agents: a warp, its cp.async copies, its bulk copies out of shared memory,
// its warpgroup's wgmma products, and the copies that complete on one mbarrier.
//
// An agent's clock advances at each point where others may learn of its progress, so an agent and
// its clock identify an access. A warp's view contains, for each agent, the clock up to which the
// warp knows the agent's accesses. Barriers and similar operations propagate views. An access that
// the warp's view does not cover is unordered with the warp's next access.
#ifndef CUCORE_SIM_CHECK_CHECK_AGENTS_H
#define CUCORE_SIM_CHECK_CHECK_AGENTS_H

#include "check_race.h"

enum sim_agent_kind {
    SIM_AGENT_WARP,
    SIM_AGENT_COPIES, // this kind and the next two are in the order of enum sim_groups
    SIM_AGENT_BULK,
    SIM_AGENT_PRODUCTS,
    SIM_AGENT_MBARRIER,
};

struct sim_agent {
    enum sim_agent_kind kind;
    uint32_t rank;  // rank of the agent's block in the cluster
    uint32_t index; // index of the warp or of the warpgroup's first warp; offset of the mbarrier
    uint32_t now;   // current clock
};

struct sim_view {
    uint32_t *known;  // [capacity]: known clock of each agent
    uint32_t *fenced; // [capacity]: known clock up to which the async proxy sees each agent's
                      // accesses
    uint32_t capacity;
};

// A recorded access. Clock 0 means none.
struct sim_mark {
    uint32_t clock, line;
    uint16_t agent;
    uint8_t lane;
    uint8_t bytes : 4; // mask of the cell's four bytes
    uint8_t atomic : 1;
};
enum {
    SIM_LANES_MANY = 0xff,  // several lanes accessed these bytes
    SIM_LANES_APART = 0xfe, // several lanes; which lane accessed which byte is unknown
};

// Four bytes of shared memory. Records the last write and, since then, two atomic operations and
// two reads.
struct sim_cell {
    struct sim_mark write, update[2], read[2];
};

// A warp's asynchronous operations of one kind, which it awaits in groups. Groups are counted per
// warp: no lane has more groups than its warp.
struct sim_stream {
    uint32_t agent;      // 0: none yet
    uint32_t now;        // clock of the open group
    uint32_t line, last; // line of the last access; clock of its group
    uint32_t commits;
    uint32_t clock[16]; // clocks of the last groups
};

struct sim_race_warp {
    uint32_t agent;
    struct sim_view view;
    struct sim_stream stream[SIM_GROUPS];
    uint32_t copies_met; // clock up to which the warp knew its cp.async copies when its lanes last
                         // converged
    bool products_fenced;
};

struct sim_race_mbarrier {
    uint64_t key; // rank and offset of the mbarrier, plus 1; 0: unused
    uint32_t agent;
    struct sim_view coming, passed; // views from arrivals in the current phase, and in all earlier
                                    // phases
};

enum { SIM_RACE_PLACES = 1024 };

// The race state of a cluster. Block 0 owns it.
struct sim_race_cluster {
    struct sim_cluster *cluster;
    struct sim_agent *agents; // warps first
    uint32_t agent_count, agent_capacity;
    struct sim_race_mbarrier *mbarriers; // hash table
    uint32_t mbarrier_count, mbarrier_capacity;
    struct sim_view arrived, passed; // at barrier.cluster: views from arrivals without .relaxed
    struct sim_view running, ran;    // views from all arrivals; they cover accesses made before the
                                     // arrivals, even if not yet visible
    struct sim_view places[SIM_RACE_PLACES]; // views from strong accesses, by a hash of the address
    bool fences;                             // a fence.proxy.async has been executed
    bool broken; // memory or agents have run out; the next access reports that
};

struct sim_race {
    struct sim_race_cluster *shared;
    struct sim_cell *cells;
    uint32_t cell_count;
    struct sim_race_warp *warps;
    uint32_t warp_count;
    struct sim_view barriers[SIM_BARRIER_CLUSTER];
    struct sim_mark *remote; // by agent: last access from another block
    uint32_t remote_capacity;
};

// The agent that performs an instruction's accesses.
enum sim_actor {
    SIM_ACTOR_LANE,
    SIM_ACTOR_STRONG,   // a lane, in an access that sim_race_strong() orders
    SIM_ACTOR_BLIND,    // a lane, in an atomic operation whose result is unused
    SIM_ACTOR_TOGETHER, // converged lanes
    SIM_ACTOR_COPIES,   // cp.async
    SIM_ACTOR_COPY_2,   // copy into shared memory that completes on the mbarrier in o[2]
    SIM_ACTOR_COPY_3,   // the same, with the mbarrier in o[3]
    SIM_ACTOR_STORED,   // st.async or red.async, which complete on an mbarrier but use the generic
                        // proxy
    SIM_ACTOR_BULK,     // copy out of shared memory
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
// Advances the warp's clock, so that the clocks others have learned so far do not cover the warp's
// later accesses.
void sim_race_tick(struct sim_race_cluster *c, struct sim_race_warp *w);

// check_async.c

// Returns the warp's stream of a kind, and creates its agent if needed. NULL if out of memory.
struct sim_stream *sim_race_stream(struct sim_warp *w, enum sim_groups which);
// Returns the state of the mbarrier at an offset in a block, and creates it if needed. NULL if out
// of memory.
struct sim_race_mbarrier *sim_race_mbarrier_at(struct sim_race_cluster *c, uint32_t rank,
                                               uint32_t offset);
// Resets the asynchronous operations of a cluster for new blocks.
void sim_race_async_begin(struct sim_race_cluster *c);

// check_race.c: describes who performed the access of a mark.
void sim_race_who(const struct sim_race_cluster *c, const struct sim_block *here,
                  const struct sim_mark *m, char *out, size_t bytes);

#endif
