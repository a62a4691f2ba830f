// Handles asynchronous operations: groups of copies and products, mbarriers, and the choice of the
// agent that accesses memory for an instruction.
#include "base/array.h"
#include "check_agents.h"
#include "sim/machine/code.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS_KEPT = 16 };

// Groups

struct sim_stream *sim_race_stream(struct sim_warp *w, enum sim_groups which)
{
    struct sim_race_cluster *c = w->block->race->shared;
    struct sim_race_warp *warps = w->block->race->warps;
    // The four warps of a warpgroup share the agent of its products.
    const bool grouped = which == SIM_GROUPS_PRODUCTS;
    const uint32_t first = grouped ? w->index / 4 * 4 : w->index, end = first + (grouped ? 4 : 1);
    struct sim_stream *s = &warps[w->index].stream[which];

    if (s->agent)
        return s;
    uint32_t agent = sim_agent_new(c, (enum sim_agent_kind)(SIM_AGENT_COPIES + (int)which),
                                   w->block->cluster_rank, first);
    if (!agent)
        return NULL;
    for (uint32_t i = first; i < end && i < w->block->warp_count; i++)
        warps[i].stream[which] = (struct sim_stream){ .agent = agent, .now = 1 };
    return s;
}

// Starts the next group.
static void continue_stream(struct sim_race_cluster *c, struct sim_stream *s)
{
    struct sim_agent *a = &c->agents[s->agent];

    s->now++;
    a->now = a->now > s->now ? a->now : s->now;
}

void sim_race_commit(struct sim_warp *w, enum sim_groups which)
{
    struct sim_stream *s = sim_race_stream(w, which);

    if (!s)
        return;
    s->clock[s->commits++ % GROUPS_KEPT] = s->now;
    continue_stream(w->block->race->shared, s);
}

void sim_race_wait(struct sim_warp *w, enum sim_groups which, uint64_t but)
{
    struct sim_stream *s = sim_race_stream(w, which);

    if (!s || but >= s->commits)
        return;
    // The wait leaves more groups pending than are recorded. Assume that it waits for all groups,
    // which cannot cause false findings.
    but = but < GROUPS_KEPT ? but : 0;
    sim_view_learn(w->block->race->shared, &sim_race_of(w)->view, s->agent,
                   s->clock[(s->commits - 1 - but) % GROUPS_KEPT]);
}

// mbarriers

static struct sim_race_mbarrier *slot_of(struct sim_race_mbarrier *table, uint32_t capacity,
                                         uint64_t key)
{
    uint32_t at = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (capacity - 1);

    while (table[at].key && table[at].key != key)
        at = (at + 1) & (capacity - 1);
    return &table[at];
}

static bool grow(struct sim_race_cluster *c)
{
    uint32_t capacity = c->mbarrier_capacity ? 2 * c->mbarrier_capacity : 64;
    struct sim_race_mbarrier *table = calloc(capacity, sizeof(*table));

    if (!table)
        return false;
    for (uint32_t i = 0; i < c->mbarrier_capacity; i++)
        if (c->mbarriers[i].key)
            *slot_of(table, capacity, c->mbarriers[i].key) = c->mbarriers[i];
    free(c->mbarriers);
    c->mbarriers = table;
    c->mbarrier_capacity = capacity;
    return true;
}

struct sim_race_mbarrier *sim_race_mbarrier_at(struct sim_race_cluster *c, uint32_t rank,
                                               uint32_t offset)
{
    const uint64_t key = ((uint64_t)rank << SIM_RANK_SHIFT | offset) + 1;

    if (2 * c->mbarrier_count >= c->mbarrier_capacity && !grow(c)) {
        c->broken = true;
        return NULL;
    }
    struct sim_race_mbarrier *b = slot_of(c->mbarriers, c->mbarrier_capacity, key);
    if (b->key)
        return b;
    b->agent = sim_agent_new(c, SIM_AGENT_MBARRIER, rank, offset);
    if (!b->agent)
        return NULL;
    b->key = key;
    c->mbarrier_count++;
    return b;
}

static struct sim_race_mbarrier *find(struct sim_warp *w, uint64_t address)
{
    return sim_race_mbarrier_at(w->block->race->shared, sim_rank_of(w, address),
                                (uint32_t)address & ((1 << SIM_RANK_SHIFT) - 1));
}

void sim_race_mbarrier_arrive(struct sim_warp *w, uint64_t address, bool relaxed)
{
    struct sim_race_cluster *c = w->block->race->shared;
    struct sim_race_mbarrier *b = find(w, address);

    if (b && !relaxed)
        sim_view_join(c, &b->coming, &sim_race_of(w)->view);
    sim_race_tick(c, sim_race_of(w));
}

void sim_race_mbarrier_copies(struct sim_warp *w, uint64_t address)
{
    struct sim_race_cluster *c = w->block->race->shared;
    struct sim_race_mbarrier *b = find(w, address);
    struct sim_stream *s = sim_race_stream(w, SIM_GROUPS_COPIES);

    if (!b || !s)
        return;
    sim_view_learn(c, &b->coming, s->agent, s->now);
    continue_stream(c, s);
}

void sim_race_mbarrier_phase(struct sim_warp *w, uint64_t address)
{
    struct sim_race_cluster *c = w->block->race->shared;
    struct sim_race_mbarrier *b = find(w, address);

    if (!b)
        return;
    sim_view_join(c, &b->passed, &b->coming);
    sim_view_clear(&b->coming);
    // The clock in the mark of a copy that completes on the mbarrier is the number of the
    // mbarrier's phase.
    c->agents[b->agent].now++;
}

void sim_race_mbarrier_wait(struct sim_warp *w, uint64_t address, bool relaxed)
{
    struct sim_race_cluster *c = w->block->race->shared;
    struct sim_race_warp *rw = sim_race_of(w);
    struct sim_race_mbarrier *b = find(w, address);

    if (!b)
        return;
    sim_view_learn(c, &rw->view, b->agent, c->agents[b->agent].now - 1);
    if (!relaxed)
        sim_view_join(c, &rw->view, &b->passed);
    sim_race_tick(c, rw);
}

void sim_race_async_begin(struct sim_race_cluster *c)
{
    for (uint32_t b = 0; b < c->cluster->count; b++) {
        struct sim_race *race = c->cluster->blocks[b]->race;
        for (uint32_t i = 0; i < race->warp_count; i++) {
            race->warps[i].products_fenced = false;
            for (uint32_t n = 0; n < SIM_GROUPS; n++) {
                struct sim_stream *s = &race->warps[i].stream[n];
                s->commits = s->last = 0;
                s->now = s->agent ? c->agents[s->agent].now : 0;
            }
        }
    }
}

// wgmma

void sim_race_product_fence(struct sim_warp *w)
{
    sim_race_of(w)->products_fenced = true;
}

bool sim_race_product(struct sim_warp *w, const struct sim_op *op)
{
    struct sim_race_warp *rw = sim_race_of(w);
    bool fenced = rw->products_fenced;

    rw->products_fenced = true;
    return fenced || !(sim_checks & SIM_CHECK_ASYNC) ||
           sim_found(w, op, (uint32_t)__builtin_ctz(w->active), SIM_CHECK_ASYNC,
                     "the first wgmma.mma_async of a warp, and no wgmma.fence before it") ==
               SIM_NEXT;
}

// Exits

static bool is_known(const struct sim_race *race, uint32_t agent, uint32_t clock)
{
    for (uint32_t i = 0; i < race->warp_count; i++)
        if (sim_view_known(&race->warps[i].view, agent) >= clock)
            return true;
    return false;
}

bool sim_race_exit(struct sim_warp *w, const struct sim_op *op, uint32_t lanes)
{
    const struct sim_race *race = w->block->race;
    const struct sim_race_cluster *c = race->shared;
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    char who[96];

    if (w->block->alive != (uint32_t)__builtin_popcount(lanes))
        return true;
    // The block's last threads exit, so its shared memory ceases to exist.
    for (uint32_t i = 0; i < race->warp_count; i++) {
        const struct sim_race_warp *rw = &race->warps[i];
        const struct sim_stream *s = &rw->stream[SIM_GROUPS_BULK];
        if (s->last > sim_view_known(&rw->view, s->agent) && sim_checks & SIM_CHECK_ASYNC &&
            sim_found(w, op, lane, SIM_CHECK_ASYNC,
                      "the block ends while the bulk copy of line %u may still read its shared "
                      "memory: no cp.async.bulk.wait_group.read lies between",
                      s->line) == SIM_FAULT)
            return false;
    }
    for (uint32_t a = 0; a < race->remote_capacity; a++) {
        const struct sim_mark *m = &race->remote[a];
        const bool copy = c->agents[a < c->agent_count ? a : 0].kind == SIM_AGENT_MBARRIER;
        const uint32_t check = copy ? SIM_CHECK_ASYNC : SIM_CHECK_RACE;
        if (!m->clock || !(sim_checks & check) || is_known(race, a, m->clock) ||
            sim_view_known(&c->ran, a) >= m->clock)
            continue;
        sim_race_who(c, w->block, m, who, sizeof(who));
        if (sim_found(w, op, lane, check,
                      copy ? "the block ends while %s of line %u may still write its shared "
                             "memory: no wait for the mbarrier lies between"
                           : "the block ends while %s may still access its shared memory at line "
                             "%u: no barrier of the cluster lies between",
                      who, m->line) == SIM_FAULT)
            return false;
    }
    return true;
}

// Agents of instructions

static bool says(const struct sim_statement *s, const char *word)
{
    for (uint32_t i = 0; i < s->words; i++)
        if (strcmp(s->word[i], word) == 0)
            return true;
    return false;
}

static enum sim_actor actor_of(const struct sim_statement *s)
{
    // The first row whose words all occur in the statement applies.
    static const struct {
        const char *word[3];
        enum sim_actor actor;
    } rows[] = {
        { { "st", "async", "mbarrier::complete_tx::bytes" }, SIM_ACTOR_STORED },
        { { "red", "async", "mbarrier::complete_tx::bytes" }, SIM_ACTOR_STORED },
        { { "clusterlaunchcontrol", "try_cancel", NULL }, SIM_ACTOR_STORED },
        { { "ld", "volatile", NULL }, SIM_ACTOR_STRONG },
        { { "ld", "relaxed", NULL }, SIM_ACTOR_STRONG },
        { { "ld", "acquire", NULL }, SIM_ACTOR_STRONG },
        { { "ld", "mmio", NULL }, SIM_ACTOR_STRONG },
        { { "st", "volatile", NULL }, SIM_ACTOR_STRONG },
        { { "st", "relaxed", NULL }, SIM_ACTOR_STRONG },
        { { "st", "release", NULL }, SIM_ACTOR_STRONG },
        { { "st", "mmio", NULL }, SIM_ACTOR_STRONG },
        { { "cp", "tensor", "mbarrier::complete_tx::bytes" }, SIM_ACTOR_COPY_2 },
        { { "cp", "bulk", "mbarrier::complete_tx::bytes" }, SIM_ACTOR_COPY_3 },
        { { "cp", "bulk", "bulk_group" }, SIM_ACTOR_BULK },
        { { "cp", "mbarrier", "arrive" }, SIM_ACTOR_LANE },
        { { "cp", "async", NULL }, SIM_ACTOR_COPIES },
        { { "ldmatrix", NULL, NULL }, SIM_ACTOR_TOGETHER },
        { { "stmatrix", NULL, NULL }, SIM_ACTOR_TOGETHER },
        { { "wmma", NULL, NULL }, SIM_ACTOR_TOGETHER },
        { { "wgmma", NULL, NULL }, SIM_ACTOR_PRODUCT },
    };

    for (size_t i = 0; i < CUC_LENGTH(rows); i++)
        if (strcmp(s->word[0], rows[i].word[0]) == 0 &&
            (!rows[i].word[1] || says(s, rows[i].word[1])) &&
            (!rows[i].word[2] || says(s, rows[i].word[2])))
            return rows[i].actor;
    return SIM_ACTOR_LANE;
}

// Counts the uses of the registers in an operand. A count of 2 means two or more.
static void count_uses(const struct sim_operand *o, unsigned char *uses)
{
    if (o->kind == SIM_OP_REGISTER) {
        uses[o->reg] = uses[o->reg] ? 2 : 1;
        if (o->pair != SIM_NO_PAIR)
            uses[o->pair] = uses[o->pair] ? 2 : 1;
    }
    for (uint32_t i = 0; i < o->count; i++)
        count_uses(&o->list[i], uses);
}

unsigned char *sim_race_actors(struct sim_program *program, const struct sim_function *f)
{
    unsigned char *actors = sim_program_keep(program, f->statement_count + 1);
    unsigned char *uses = calloc(f->register_count + 1, 1);

    for (size_t i = 0; actors && uses && i < f->statement_count; i++) {
        const struct sim_statement *s = &f->statements[i];
        actors[i] = (unsigned char)actor_of(s);
        for (uint32_t n = 0; n < s->operands; n++)
            count_uses(&s->operand[n], uses);
    }
    // Instead of red, compilers also emit an atom whose result is unused.
    for (size_t i = 0; actors && uses && i < f->statement_count; i++) {
        const struct sim_statement *s = &f->statements[i];
        if (strcmp(s->word[0], "atom") == 0 && s->operands &&
            (s->operand[0].kind == SIM_OP_SINK ||
             (s->operand[0].kind == SIM_OP_REGISTER && uses[s->operand[0].reg] == 1)))
            actors[i] = SIM_ACTOR_BLIND;
    }
    bool ok = uses != NULL;
    free(uses);
    return ok ? actors : NULL;
}
