// Who acts on the shared memory of a cluster, and who knows of what others did there. What
// check_agents.c, check_async.c and check_race.c share.
//
// An agent does things in an order of its own: a warp; what a warp has started with cp.async, with
// bulk copies out of shared memory, and its warpgroup with wgmma; the copies that complete on an
// mbarrier. Its clock goes on where others may learn how far it has come, so that an access is the
// agent and its clock then. A warp's view is how far it knows of each agent: barriers and the like
// hand views on, and an access that a view does not reach may come before or after what the warp
// does (vector clocks, at the grain of warps).
#ifndef CUCORE_SIM_CHECK_CHECK_AGENTS_H
#define CUCORE_SIM_CHECK_CHECK_AGENTS_H

#include "check_race.h"

enum sim_agent_kind {
    SIM_AGENT_WARP,
    SIM_AGENT_COPIES, // as enum sim_groups, one more
    SIM_AGENT_BULK,
    SIM_AGENT_PRODUCTS,
    SIM_AGENT_MBARRIER,
};

struct sim_agent {
    enum sim_agent_kind kind;
    uint32_t rank;  // of its block in the cluster
    uint32_t index; // the warp; the first warp of a warpgroup; the offset of the mbarrier
    uint32_t now;   // its clock
};

struct sim_view {
    uint32_t *known;  // [room]: the clock up to which it knows of each agent
    uint32_t *fenced; // [room]: the same of what the async proxy sees of it, too
    uint32_t room;
};

// What is remembered of an access. A clock of 0: nothing.
struct sim_mark {
    uint32_t clock, line;
    uint16_t agent;
    uint8_t lane;
    uint8_t bytes : 4; // of the cell's four
    uint8_t atomic : 1;
};
enum {
    SIM_LANES_MANY = 0xff,  // more than one lane did it to these bytes
    SIM_LANES_APART = 0xfe, // several lanes, who knows which to which byte
};

// Four bytes of shared memory: who wrote them last, and two each of those that did atomic
// operations on them and that read them since.
struct sim_cell {
    struct sim_mark write, update[2], read[2];
};

// What a warp has started and waits for in groups. Groups are counted by warp: lanes that count by
// themselves have at most as many.
struct sim_stream {
    uint32_t agent;      // 0: none yet
    uint32_t now;        // the clock of the group that is open
    uint32_t line, last; // of its last access: where, and the group's clock
    uint32_t commits;
    uint32_t clock[16]; // of the last groups
};

struct sim_race_warp {
    uint32_t agent;
    struct sim_view view;
    struct sim_stream stream[SIM_GROUPS];
    uint32_t copies_met; // of cp.async: what was known when lanes came together last
    bool products_fenced;
};

struct sim_race_mbarrier {
    uint64_t key; // rank and offset, one more; 0: none
    uint32_t agent;
    struct sim_view coming, passed; // from arrivals of the phase, and of those before it
};

enum { SIM_RACE_PLACES = 1024 };

// Of a cluster: block 0's race has it.
struct sim_race_cluster {
    struct sim_cluster *cluster;
    struct sim_agent *agents; // first the warps
    uint32_t agent_count, agent_room;
    struct sim_race_mbarrier *mbarriers; // by hash
    uint32_t mbarrier_count, mbarrier_room;
    struct sim_view arrived, passed; // at barrier.cluster, by arrivals that are not relaxed
    struct sim_view running, ran;    // by all of them: what was done, if not seen, before it
    struct sim_view places[SIM_RACE_PLACES]; // of strong accesses, by a hash of the address
    bool fences;                             // fence.proxy.async was there
    bool broken;                             // no memory: the next access says so
};

struct sim_race {
    struct sim_race_cluster *shared;
    struct sim_cell *cells;
    uint32_t cell_count;
    struct sim_race_warp *warps;
    uint32_t warp_count;
    struct sim_view barriers[SIM_BARRIER_CLUSTER];
    struct sim_mark *remote; // by agent: the last access from another block
    uint32_t remote_room;
};

// Who accesses memory for an instruction.
enum sim_actor {
    SIM_ACTOR_LANE,
    SIM_ACTOR_STRONG,   // a lane, as in sim_race_strong()
    SIM_ACTOR_BLIND,    // a lane, by an atomic operation whose result nobody looks at
    SIM_ACTOR_TOGETHER, // lanes that have come together
    SIM_ACTOR_COPIES,   // cp.async
    SIM_ACTOR_COPY_2,   // a copy into shared memory that completes on the mbarrier in o[2]
    SIM_ACTOR_COPY_3,   // in o[3]
    SIM_ACTOR_STORED,   // the same by st.async or red.async, which are of no other proxy
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
    return agent < v->room ? v->known[agent] : 0;
}
static inline uint32_t sim_view_fenced(const struct sim_view *v, uint32_t agent)
{
    return agent < v->room ? v->fenced[agent] : 0;
}
// Know at least that.
void sim_view_learn(struct sim_race_cluster *c, struct sim_view *v, uint32_t agent, uint32_t clock);
void sim_view_join(struct sim_race_cluster *c, struct sim_view *to, const struct sim_view *from);
void sim_view_clear(struct sim_view *v);
void sim_view_free(struct sim_view *v);
// A new agent; 0 without memory or when there are too many.
uint32_t sim_agent_new(struct sim_race_cluster *c, enum sim_agent_kind kind, uint32_t rank,
                       uint32_t index);
// The warp goes on: what it does from now on is not what others have learnt of.
void sim_race_tick(struct sim_race_cluster *c, struct sim_race_warp *w);

// check_async.c

// What a warp starts now: the stream, with its agent, NULL without memory.
struct sim_stream *sim_race_stream(struct sim_warp *w, enum sim_groups which);
// The mbarrier of a block at an offset, made when it is not there; NULL without memory.
struct sim_race_mbarrier *sim_race_mbarrier_at(struct sim_race_cluster *c, uint32_t rank,
                                               uint32_t offset);
// Its groups, fresh for other blocks.
void sim_race_async_begin(struct sim_race_cluster *c);

// check_race.c: who left a mark, in words.
void sim_race_who(const struct sim_race_cluster *c, const struct sim_block *here,
                  const struct sim_mark *m, char *out, size_t bytes);

#endif
