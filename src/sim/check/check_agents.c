// Implements agents, the views of warps, and the operations that propagate clocks between them.
#include "check_agents.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_AGENTS = UINT16_MAX };

// Views

static bool reserve(struct sim_race_cluster *c, struct sim_view *v, uint32_t count)
{
    if (count <= v->capacity)
        return true;
    uint32_t capacity = c->agent_count + 8 > count ? c->agent_count + 8 : count;
    uint32_t *at = calloc(capacity, 2 * sizeof(*at));
    if (!at) {
        c->broken = true;
        return false;
    }
    if (v->capacity) {
        memcpy(at, v->known, v->capacity * sizeof(*at));
        memcpy(at + capacity, v->fenced, v->capacity * sizeof(*at));
    }
    free(v->known);
    *v = (struct sim_view){ at, at + capacity, capacity };
    return true;
}

void sim_view_learn(struct sim_race_cluster *c, struct sim_view *v, uint32_t agent, uint32_t clock)
{
    if (clock <= sim_view_known(v, agent) || !reserve(c, v, agent + 1))
        return;
    v->known[agent] = clock;
}

static void join(uint32_t *restrict to, const uint32_t *restrict from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

void sim_view_join(struct sim_race_cluster *c, struct sim_view *to, const struct sim_view *from)
{
    if (to == from || !from->capacity || !reserve(c, to, from->capacity))
        return;
    join(to->known, from->known, from->capacity);
    if (c->fences)
        join(to->fenced, from->fenced, from->capacity);
}

void sim_view_clear(struct sim_view *v)
{
    if (v->capacity)
        memset(v->known, 0, 2 * v->capacity * sizeof(*v->known));
}

void sim_view_free(struct sim_view *v)
{
    free(v->known);
    *v = (struct sim_view){ NULL, NULL, 0 };
}

// Agents

uint32_t sim_agent_new(struct sim_race_cluster *c, enum sim_agent_kind kind, uint32_t rank,
                       uint32_t index)
{
    if (c->agent_count == c->agent_capacity) {
        uint32_t capacity = 2 * c->agent_capacity;
        struct sim_agent *agents =
            capacity > MAX_AGENTS ? NULL : realloc(c->agents, capacity * sizeof(*agents));
        if (!agents) {
            c->broken = true;
            return 0;
        }
        c->agents = agents;
        c->agent_capacity = capacity;
    }
    c->agents[c->agent_count] = (struct sim_agent){ kind, rank, index, 1 };
    return c->agent_count++;
}

void sim_race_tick(struct sim_race_cluster *c, struct sim_race_warp *w)
{
    uint32_t copies = w->stream[SIM_GROUPS_COPIES].agent;

    w->view.known[w->agent] = ++c->agents[w->agent].now;
    if (copies)
        w->copies_met = sim_view_known(&w->view, copies);
}

// Ordering operations

void sim_race_warp_sync(const struct sim_warp *w)
{
    sim_race_tick(w->block->race->shared, sim_race_of(w));
}

void sim_race_arrive(struct sim_warp *w, uint32_t barrier, bool relaxed)
{
    struct sim_race *race = w->block->race;
    struct sim_race_cluster *c = race->shared;
    struct sim_race_warp *rw = sim_race_of(w);

    if (barrier == SIM_BARRIER_CLUSTER)
        sim_view_join(c, &c->running, &rw->view);
    if (!relaxed)
        sim_view_join(c, barrier == SIM_BARRIER_CLUSTER ? &c->arrived : &race->barriers[barrier],
                      &rw->view);
    sim_race_tick(c, rw);
}

void sim_race_complete(struct sim_block *block, uint32_t barrier)
{
    struct sim_race_cluster *c = block->race->shared;
    struct sim_view passed = c->passed;

    if (barrier != SIM_BARRIER_CLUSTER) {
        sim_view_clear(&block->race->barriers[barrier]);
        return;
    }
    c->passed = c->arrived;
    c->arrived = passed;
    sim_view_clear(&c->arrived);
    sim_view_join(c, &c->ran, &c->running);
}

void sim_race_pass(struct sim_warp *w, uint32_t barrier)
{
    struct sim_race *race = w->block->race;
    struct sim_race_warp *rw = sim_race_of(w);

    sim_view_join(race->shared, &rw->view,
                  barrier == SIM_BARRIER_CLUSTER ? &race->shared->passed
                                                 : &race->barriers[barrier]);
    sim_race_tick(race->shared, rw);
}

// Assumes more order than the memory model guarantees, so that locks built from atomics cause no
// findings: ignores fences and scopes, and treats locations with equal hashes as one.
void sim_race_strong(struct sim_warp *w, const struct sim_op *op, const void *place, bool writes,
                     bool reads)
{
    const unsigned char *actors = w->frame->code->actors;
    struct sim_race_cluster *c = w->block->race->shared;
    struct sim_race_warp *rw = sim_race_of(w);
    uint64_t hash = ((uint64_t)(uintptr_t)place >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    struct sim_view *v = &c->places[(hash >> 32) % SIM_RACE_PLACES];

    if (reads && !(actors && actors[op->statement] == SIM_ACTOR_BLIND))
        sim_view_join(c, &rw->view, v);
    if (writes)
        sim_view_join(c, v, &rw->view);
    sim_race_tick(c, rw);
}

void sim_race_fence(struct sim_warp *w)
{
    struct sim_race_warp *rw = sim_race_of(w);

    w->block->race->shared->fences = true;
    memcpy(rw->view.fenced, rw->view.known, rw->view.capacity * sizeof(*rw->view.known));
    sim_race_tick(w->block->race->shared, rw);
}

// Blocks

static struct sim_race_cluster *cluster_new(struct sim_cluster *cluster, uint32_t warps)
{
    struct sim_race_cluster *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->cluster = cluster;
    c->agent_capacity = cluster->count * warps + 16;
    c->agents = calloc(c->agent_capacity, sizeof(*c->agents));
    if (!c->agents) {
        free(c);
        return NULL;
    }
    for (uint32_t i = 0; i < cluster->count * warps; i++)
        sim_agent_new(c, SIM_AGENT_WARP, i / warps, i % warps);
    return c;
}

bool sim_check_race_new(struct sim_block *block)
{
    struct sim_race *race = calloc(1, sizeof(*race));

    block->race = race;
    if (!race)
        return false;
    race->cell_count = (block->shared_bytes + 3) / 4;
    race->warp_count = block->warp_count;
    race->cells = calloc(race->cell_count + 1, sizeof(*race->cells));
    race->warps = calloc(race->warp_count, sizeof(*race->warps));
    race->shared = block->cluster_rank ? block->cluster->blocks[0]->race->shared
                                       : cluster_new(block->cluster, block->warp_count);
    if (!race->cells || !race->warps || !race->shared)
        return false;
    for (uint32_t i = 0; i < race->warp_count; i++) {
        struct sim_race_warp *rw = &race->warps[i];
        rw->agent = block->cluster_rank * block->warp_count + i;
        if (!reserve(race->shared, &rw->view, race->shared->agent_count))
            return false;
    }
    return true;
}

// Makes all work of earlier blocks known to every warp. The views of barriers need no reset, since
// they cover only such work.
void sim_check_race_begin(struct sim_block *block)
{
    struct sim_race_cluster *c = block->race->shared;

    if (block->cluster_rank)
        return; // the first block has reset the whole cluster
    for (uint32_t b = 0; b < c->cluster->count; b++) {
        struct sim_race *race = c->cluster->blocks[b]->race;
        for (uint32_t i = 0; i < race->warp_count; i++) {
            struct sim_race_warp *rw = &race->warps[i];
            if (!reserve(c, &rw->view, c->agent_count))
                return;
            for (uint32_t a = 0; a < c->agent_count; a++)
                rw->view.known[a] = rw->view.fenced[a] = c->agents[a].now;
        }
        if (race->remote)
            memset(race->remote, 0, race->remote_capacity * sizeof(*race->remote));
    }
    for (uint32_t a = 0; a < c->agent_count; a++)
        c->agents[a].now++;
    sim_race_async_begin(c);
    for (uint32_t b = 0; b < c->cluster->count; b++)
        for (uint32_t i = 0; i < c->cluster->blocks[b]->race->warp_count; i++)
            sim_race_tick(c, &c->cluster->blocks[b]->race->warps[i]);
}

static void cluster_free(struct sim_race_cluster *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; i < c->mbarrier_capacity; i++) {
        sim_view_free(&c->mbarriers[i].coming);
        sim_view_free(&c->mbarriers[i].passed);
    }
    sim_view_free(&c->arrived);
    sim_view_free(&c->passed);
    sim_view_free(&c->running);
    sim_view_free(&c->ran);
    for (uint32_t i = 0; i < SIM_RACE_PLACES; i++)
        sim_view_free(&c->places[i]);
    free(c->mbarriers);
    free(c->agents);
    free(c);
}

void sim_check_race_free(struct sim_block *block)
{
    struct sim_race *race = block->race;

    if (!race)
        return;
    for (uint32_t i = 0; race->warps && i < race->warp_count; i++)
        sim_view_free(&race->warps[i].view);
    for (uint32_t i = 0; i < SIM_BARRIER_CLUSTER; i++)
        sim_view_free(&race->barriers[i]);
    if (!block->cluster_rank)
        cluster_free(race->shared);
    free(race->remote);
    free(race->cells);
    free(race->warps);
    free(race);
    block->race = NULL;
}
