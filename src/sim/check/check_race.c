// Finds races in shared memory, and missing waits and proxy fences. Compares each access with
// earlier accesses recorded for the same four bytes.
//
// Two accesses, at least one of which is a write, are ordered if the warp of the later one knows of
// the earlier one (check_agents.h). Lanes of the same warp count as unordered only between .sync
// instructions and similar points. Between two writes, at most two readers are recorded.
#include "check_agents.h"
#include "sim/machine/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The access that is being compared with cells.
struct act {
    struct sim_warp *w;
    const struct sim_op *op;
    struct sim_block *owner;
    uint32_t offset, bytes;
    enum sim_access access;
    enum sim_actor actor;

    uint32_t lane;        // lane that performs or starts the access
    struct sim_mark mark; // mark to record
    const struct sim_view *view;
    uint32_t warp, warp_now; // agent that performs or starts the access, and its clock
    uint32_t copies, copies_met;
    bool writes;
    bool alone; // lanes of the warp may have diverged
    bool proxy; // uses the async proxy
    bool quiet; // a finding was reported
};

// Descriptions

static size_t thread_words(const struct sim_race_cluster *c, const struct sim_block *here,
                           const struct sim_mark *m, char *out, size_t bytes)
{
    const struct sim_agent *a = &c->agents[m->agent];
    const struct sim_block *block = c->cluster->blocks[a->rank];
    const struct sim_warp *w = &block->warps[a->index];
    const bool one = m->lane < SIM_WARP;
    const uint32_t lane = one ? m->lane : 0;
    int n = snprintf(out, bytes, "%s(%u,%u,%u)",
                     a->kind == SIM_AGENT_PRODUCTS ? "the warpgroup from "
                     : one                         ? "thread "
                                                   : "threads of the warp from ",
                     (uint32_t)sim_special_value(w, SIM_SR_TID_X, lane),
                     (uint32_t)sim_special_value(w, SIM_SR_TID_Y, lane),
                     (uint32_t)sim_special_value(w, SIM_SR_TID_Z, lane));

    if (n > 0 && (size_t)n < bytes && block != here)
        n += snprintf(out + n, bytes - (size_t)n, " of block (%u,%u,%u)", block->index[0],
                      block->index[1], block->index[2]);
    return (size_t)n;
}

void sim_race_who(const struct sim_race_cluster *c, const struct sim_block *here,
                  const struct sim_mark *m, char *out, size_t bytes)
{
    static const char *const names[] = { [SIM_AGENT_COPIES] = "the cp.async of ",
                                         [SIM_AGENT_BULK] = "the bulk copy of ",
                                         [SIM_AGENT_PRODUCTS] = "the wgmma of " };
    enum sim_agent_kind kind = c->agents[m->agent].kind;

    if (kind == SIM_AGENT_MBARRIER) {
        snprintf(out, bytes, "the copy");
        return;
    }
    int n = kind == SIM_AGENT_WARP ? 0 : snprintf(out, bytes, "%s", names[kind]);
    thread_words(c, here, m, out + n, bytes - (size_t)n);
}

// Describes the access, as in "write of 4 bytes at shared offset 0x40".
static void act_words(const struct act *a, char *out, size_t bytes)
{
    static const char *const by_lane[] = { [SIM_READ] = "read",
                                           [SIM_WRITE] = "write",
                                           [SIM_UPDATE] = "atomic access",
                                           [SIM_EXCHANGE] = "atomic access",
                                           [SIM_MBARRIER] = "mbarrier operation" };
    static const char *const names[] = {
        [SIM_ACTOR_COPIES] = "write by cp.async",   [SIM_ACTOR_COPY_2] = "asynchronous write",
        [SIM_ACTOR_COPY_3] = "asynchronous write",  [SIM_ACTOR_STORED] = "asynchronous write",
        [SIM_ACTOR_BULK] = "read by the bulk copy", [SIM_ACTOR_PRODUCT] = "read by wgmma",
    };
    const char *name = a->actor < SIM_ACTOR_COPIES    ? by_lane[a->access]
                       : a->writes                    ? names[a->actor]
                       : a->actor == SIM_ACTOR_COPY_3 ? "asynchronous read"
                                                      : names[a->actor];
    const uint32_t *index = a->owner->index;
    int n = snprintf(out, bytes, "%s of %u byte%s at shared offset 0x%x", name, a->bytes,
                     SIM_S(a->bytes), a->offset);

    if (n > 0 && (size_t)n < bytes && a->owner != a->w->block)
        snprintf(out + n, bytes - (size_t)n, " of block (%u,%u,%u)", index[0], index[1], index[2]);
}

// Findings

// Returns true if the warp that started the operation of a mark has waited for that operation.
static bool has_waited(const struct sim_race_cluster *c, const struct sim_mark *m)
{
    const struct sim_agent *a = &c->agents[m->agent];
    const struct sim_race *race = c->cluster->blocks[a->rank]->race;

    return sim_view_known(&race->warps[a->index].view, m->agent) >= m->clock;
}

// The synchronization missing between an access and an earlier one.
enum missing { BARRIER, WARP_SYNC, FENCE, WAIT };

static __attribute__((cold, noinline)) bool conflict(struct act *a, const struct sim_mark *m,
                                                     uint32_t cell, enum missing missing)
{
    static const char *const waits[] = { [SIM_AGENT_COPIES] = "cp.async.wait_group",
                                         [SIM_AGENT_BULK] = "cp.async.bulk.wait_group.read",
                                         [SIM_AGENT_PRODUCTS] = "wgmma.wait_group" };
    const struct sim_race_cluster *c = a->owner->race->shared;
    const struct sim_agent *agent = &c->agents[m->agent];
    const bool wrote = m < a->owner->race->cells[cell].read, waited = missing != WAIT;
    const uint32_t check = missing == FENCE || missing == WAIT ? SIM_CHECK_ASYNC : SIM_CHECK_RACE;
    char what[128], who[96], which[32] = "", lacks[80];

    if (a->quiet || !(sim_checks & check))
        return true;
    a->quiet = true;
    act_words(a, what, sizeof(what));
    sim_race_who(c, a->w->block, m, who, sizeof(who));
    if (4 * cell > a->offset + 12)
        snprintf(which, sizeof(which), "at 0x%x, ", 4 * cell);
    if (missing == WAIT && agent->kind == SIM_AGENT_MBARRIER)
        snprintf(lacks, sizeof(lacks), "wait for the mbarrier at 0x%x", agent->index);
    else
        snprintf(lacks, sizeof(lacks), "%s",
                 missing == WAIT        ? waits[agent->kind]
                 : missing == FENCE     ? "fence.proxy.async"
                 : missing == WARP_SYNC ? "bar.warp.sync"
                                        : "barrier");
    if (missing == WARP_SYNC && m->line == a->op->line && wrote && a->writes)
        return sim_found(a->w, a->op, a->lane, check,
                         "%s: %s%s writes something else there by the same instruction", what,
                         which, who) == SIM_NEXT;
    return sim_found(a->w, a->op, a->lane, check,
                     "%s: %s%s %s it at line %u%s, and no %s lies between", what, which, who,
                     agent->kind != SIM_AGENT_WARP ? wrote ? "writes" : "reads"
                     : !wrote                      ? "read"
                     : m->atomic                   ? "updated"
                                                   : "wrote",
                     m->line, agent->kind == SIM_AGENT_WARP || !waited ? "" : " and was waited for",
                     lacks) == SIM_NEXT;
}

// Reports two unordered accesses, and which synchronization would order them.
static __attribute__((cold, noinline)) bool out_of_order(struct act *a, const struct sim_mark *m,
                                                         uint32_t cell)
{
    const struct sim_race *race = a->owner->race;
    const enum sim_agent_kind kind = race->shared->agents[m->agent].kind;
    const bool is_own = m->agent == a->warp ||
                        (m->agent == a->copies && has_waited(race->shared, m));

    if (m == &race->cells[cell].write && a->access == SIM_WRITE && a->actor == SIM_ACTOR_LANE &&
        kind == SIM_AGENT_WARP &&
        a->w->block->grid->program->handlers->stores_same(a->w, a->op, a->lane,
                                                          a->owner->shared + a->offset))
        return true;
    return conflict(a, m, cell,
                    is_own                                                      ? WARP_SYNC
                    : kind == SIM_AGENT_WARP                                    ? BARRIER
                    : kind != SIM_AGENT_MBARRIER && has_waited(race->shared, m) ? BARRIER
                                                                                : WAIT);
}

// Handles an access to another block's memory. If that block may have ended, reports a finding.
// Otherwise that block checks, when it ends, that synchronization orders the access before the
// block's end.
static bool reach_other(struct act *a)
{
    struct sim_race *race = a->owner->race;
    char what[128];

    if (!a->owner->alive) {
        act_words(a, what, sizeof(what));
        return !(sim_checks & SIM_CHECK_RACE) ||
               sim_found(a->w, a->op, a->lane, SIM_CHECK_RACE,
                         "%s, which has ended: no barrier of the cluster keeps it",
                         what) == SIM_NEXT;
    }
    if (a->access == SIM_MBARRIER)
        return true;
    if (a->mark.agent >= race->remote_capacity) {
        uint32_t capacity = race->shared->agent_capacity;
        struct sim_mark *remote = realloc(race->remote, capacity * sizeof(*remote));
        if (!remote) {
            race->shared->broken = true;
            return true;
        }
        memset(remote + race->remote_capacity, 0,
               (capacity - race->remote_capacity) * sizeof(*remote));
        race->remote = remote;
        race->remote_capacity = capacity;
    }
    race->remote[a->mark.agent] = a->mark;
    return true;
}

// Cells

static bool in_order(const struct act *a, const struct sim_mark *m, uint32_t bytes)
{
    if (!m->clock || !(m->bytes & bytes) || (m->atomic && a->mark.atomic))
        return true;
    if (m->agent == a->warp)
        return !a->alone || m->clock != a->warp_now || m->lane == a->lane ||
               m->lane == SIM_LANES_APART;
    if (m->clock > sim_view_known(a->view, m->agent))
        return false;
    // A wait covers only the copies of the lane that waits. The other lanes know of these copies
    // once the lanes converge.
    return m->agent != a->copies || !a->alone || m->clock <= a->copies_met || m->lane == a->lane ||
           m->lane == SIM_LANES_APART;
}

static bool in_proxy(const struct act *a, const struct sim_mark *m, uint32_t bytes)
{
    const struct sim_agent *agents = a->owner->race->shared->agents;

    return !m->clock || !(m->bytes & bytes) ||
           (agents[m->agent].kind != SIM_AGENT_WARP && agents[m->agent].kind != SIM_AGENT_COPIES) ||
           m->clock <= sim_view_fenced(a->view, m->agent);
}

// Adds an access to a mark with the same agent and clock.
static void merge(struct sim_mark *m, const struct act *a, uint32_t bytes)
{
    if (m->lane != a->mark.lane && m->lane != SIM_LANES_APART)
        m->lane = m->bytes == bytes && !a->writes ? SIM_LANES_MANY : SIM_LANES_APART;
    m->bytes |= bytes & 15;
    m->atomic = m->atomic && a->mark.atomic;
    m->line = a->mark.line;
}

static bool is_same(const struct sim_mark *m, const struct act *a)
{
    return m->agent == a->mark.agent && m->clock == a->mark.clock;
}

static void put(struct sim_mark *m, const struct act *a, uint32_t bytes)
{
    *m = a->mark;
    m->bytes = bytes & 15;
}

// Records an access in one of two marks. Prefers to replace a mark that is ordered before the
// access.
static void keep(struct sim_mark two[2], const struct act *a, uint32_t bytes)
{
    for (int i = 0; i < 2; i++) {
        if (is_same(&two[i], a)) {
            merge(&two[i], a, bytes);
            return;
        }
    }
    for (int i = 0; i < 2; i++) {
        if (!two[i].clock || two[i].agent == a->mark.agent ||
            two[i].clock <= sim_view_known(a->view, two[i].agent)) {
            put(&two[i], a, bytes);
            return;
        }
    }
    two[1] = two[0];
    put(&two[0], a, bytes);
}

static void remember(struct sim_cell *cell, const struct act *a, uint32_t bytes)
{
    if (!a->writes || a->mark.atomic) {
        keep(a->writes ? cell->update : cell->read, a, bytes);
        return;
    }
    if (is_same(&cell->write, a))
        merge(&cell->write, a, bytes);
    else
        put(&cell->write, a, bytes);
    // Whatever is ordered after this write is also ordered after these accesses.
    for (int i = 0; i < 2; i++) {
        if (!(cell->update[i].bytes & ~bytes))
            cell->update[i].clock = 0;
        if (!(cell->read[i].bytes & ~bytes))
            cell->read[i].clock = 0;
    }
}

static bool follows(struct act *a, const struct sim_mark *written, uint32_t at, uint32_t bytes)
{
    if (!in_order(a, written, bytes))
        return out_of_order(a, written, at);
    return !a->proxy || in_proxy(a, written, bytes) || conflict(a, written, at, FENCE);
}

static bool visit(struct act *a, uint32_t at, uint32_t bytes)
{
    struct sim_cell *cell = &a->owner->race->cells[at];

    if (!follows(a, &cell->write, at, bytes) || !follows(a, &cell->update[0], at, bytes) ||
        !follows(a, &cell->update[1], at, bytes))
        return false;
    for (int i = 0; a->writes && i < 2; i++)
        if (!in_order(a, &cell->read[i], bytes) && !out_of_order(a, &cell->read[i], at))
            return false;
    remember(cell, a, bytes);
    return true;
}

// Determines the agent of the access, and creates it if needed. Returns false if out of memory.
static bool introduce(struct act *a)
{
    struct sim_race_cluster *c = a->owner->race->shared;
    const struct sim_race_warp *rw = sim_race_of(a->w);
    uint32_t agent = rw->agent, now;

    a->view = &rw->view;
    a->warp = agent;
    a->warp_now = now = c->agents[agent].now;
    a->copies = rw->stream[SIM_GROUPS_COPIES].agent;
    a->copies_met = rw->copies_met;
    a->writes = a->access != SIM_READ;
    a->alone = a->actor != SIM_ACTOR_TOGETHER && a->actor != SIM_ACTOR_PRODUCT;
    a->mark.atomic = a->access > SIM_WRITE || a->actor == SIM_ACTOR_STRONG;
    a->mark.lane = a->alone ? (uint8_t)a->lane : SIM_LANES_APART;
    if (!a->copies)
        a->copies = UINT32_MAX;
    switch (a->actor) {
    case SIM_ACTOR_LANE:
    case SIM_ACTOR_STRONG:
    case SIM_ACTOR_BLIND:
    case SIM_ACTOR_TOGETHER:
        break;
    case SIM_ACTOR_COPIES:
    case SIM_ACTOR_BULK:
    case SIM_ACTOR_PRODUCT: {
        struct sim_stream *s =
            sim_race_stream(a->w, a->actor == SIM_ACTOR_COPIES ? SIM_GROUPS_COPIES
                                  : a->actor == SIM_ACTOR_BULK ? SIM_GROUPS_BULK
                                                               : SIM_GROUPS_PRODUCTS);
        if (!s)
            return false;
        a->proxy = a->actor != SIM_ACTOR_COPIES;
        s->line = a->op->line;
        s->last = s->now;
        agent = s->agent;
        now = s->now;
        break;
    }
    default: {
        uint64_t address = sim_address(a->w, a->op, a->actor == SIM_ACTOR_COPY_3 ? 3 : 2, a->lane);
        // The mbarriers of a multicast are in the blocks to which it writes.
        struct sim_race_mbarrier *b =
            sim_race_mbarrier_at(c, a->writes ? a->owner->cluster_rank : sim_rank_of(a->w, address),
                                 (uint32_t)address & ((1 << SIM_RANK_SHIFT) - 1));
        if (!b)
            return false;
        a->proxy = a->actor != SIM_ACTOR_STORED;
        agent = b->agent;
        now = c->agents[agent].now;
    }
    }
    a->mark.agent = (uint16_t)agent;
    a->mark.clock = now;
    return true;
}

bool sim_check_race_access(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           struct sim_block *owner, uint32_t offset, uint32_t bytes,
                           enum sim_access access)
{
    const struct sim_code *code = w->frame->code;
    const uint32_t end = offset + bytes;
    struct act a = { .w = w,
                     .op = op,
                     .owner = owner,
                     .offset = offset,
                     .bytes = bytes,
                     .access = access,
                     .actor = access == SIM_MBARRIER || !code->actors
                                  ? SIM_ACTOR_LANE
                                  : (enum sim_actor)code->actors[op->statement],
                     .lane = lane,
                     .mark = { .line = op->line } };

    if (!bytes || end > 4 * owner->race->cell_count)
        return true;
    if (owner->race->shared->broken || !introduce(&a)) {
        sim_fault(w, op, lane, 2, "no host memory for the race check");
        return false;
    }
    if (owner != w->block && !reach_other(&a))
        return false;
    for (uint32_t at = offset / 4; 4 * at < end; at++) {
        uint32_t mask = 15;
        if (4 * at < offset)
            mask &= 15u << (offset - 4 * at);
        if (4 * at + 4 > end)
            mask &= 15u >> (4 * at + 4 - end);
        if (!visit(&a, at, mask & 15))
            return false;
    }
    return true;
}
