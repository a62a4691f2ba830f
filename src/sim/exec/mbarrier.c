// Barrier objects in shared memory (mbarrier).
//
// A barrier has the following 64 bits. An arrival returns the bits from before the arrival as its
// state.
//
//   bits 0-19   pending arrivals of the phase
//   bits 20-39  expected arrivals of a phase
//   bits 40-60  pending bytes of the phase, two's complement
//   bit  61     the phase, 0 first
//   bits 62-63  2 in a valid barrier
//
// Only threads of one cluster can access a barrier, and a single host thread runs them, so no
// operation here needs to be atomic. Copies complete when they are issued, so only instructions
// change a barrier, and if all threads wait, they wait forever. mbarrier.try_wait therefore blocks
// lanes until others have run, as the ISA allows (see unit_run() in schedule.c).
#include "mbarrier.h"
#include "async.h"
#include "sim/check/check_race.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    LAUNCH_FAILED = 719,
    WRONG_SPACE = 717,
    MAX_COUNT = (1 << 20) - 1, // maximum number of arrivals, and of bytes
    ADDRESS_SPACE = 0xf,       // in `extra`
    DROP = 1 << 4,
    NO_COMPLETE = 1 << 5,
    EXPECT_TX = 1 << 6,
    PARITY = 1 << 7,
    TRY = 1 << 8,
    NOINC = 1 << 9,
    RELAXED = 1 << 10,
};

struct state {
    uint32_t pending, expected;
    int32_t tx;
    uint32_t phase;
    bool valid;
};

static struct state unpack(uint64_t bits)
{
    return (struct state){
        .pending = (uint32_t)bits & MAX_COUNT,
        .expected = (uint32_t)(bits >> 20) & MAX_COUNT,
        .tx = (int32_t)((int64_t)(bits << 3) >> 43),
        .phase = (uint32_t)(bits >> 61) & 1,
        .valid = bits >> 62 == 2,
    };
}

static uint64_t pack(const struct state *s)
{
    return (uint64_t)s->pending | (uint64_t)s->expected << 20 |
           ((uint64_t)(int64_t)s->tx & 0x1fffff) << 40 | (uint64_t)s->phase << 61 |
           UINT64_C(2) << 62;
}

bool sim_reach_shared(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                      enum sim_access access, void **host)
{
    if (space == SIM_GENERIC && SIM_WINDOW(address) != SIM_WINDOW(SIM_WINDOW_SHARED)) {
        sim_fault(w, op, lane, WRONG_SPACE, "0x%llx is not in shared memory",
                  (unsigned long long)address);
        return false;
    }
    return sim_reach_range(w, op, lane, space, address, bytes, align, access, host);
}

// Returns the word of block->mbarriers that contains the bit for a location in shared memory. NULL
// for the reserved memory of cooperative groups, which follows shared memory. The bits prevent
// contents left by an earlier block from counting as a barrier.
static uint64_t *mark_of(struct sim_warp *w, uint64_t address, const void *host, uint64_t *bit)
{
    struct sim_block *owner = w->block->cluster->blocks[sim_rank_of(w, address)];
    size_t at = (size_t)((const unsigned char *)host - owner->shared);

    if (at >= owner->shared_bytes)
        return NULL;
    if (!owner->mbarriers)
        owner->mbarriers = calloc(owner->shared_bytes / 512 + 1, sizeof(*owner->mbarriers));
    *bit = UINT64_C(1) << at / 8 % 64;
    return owner->mbarriers ? &owner->mbarriers[at / 512] : NULL;
}

// Finds a barrier. It must have been initialized.
static uint64_t *find(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      enum sim_space space, uint64_t address, struct state *s)
{
    void *host;

    if (!sim_reach_shared(w, op, lane, space, address, 8, 8, SIM_MBARRIER, &host))
        return NULL;
    uint64_t bit, *mark = mark_of(w, address, host, &bit);
    *s = unpack(*(uint64_t *)host);
    if (s->valid && (!mark || *mark & bit))
        return host;
    sim_fault(w, op, lane, LAUNCH_FAILED,
              "there is no mbarrier at 0x%llx: not initialised, or "
              "invalidated",
              (unsigned long long)(address & 0xffffffffffffff));
    return NULL;
}

static void settle(struct sim_warp *w, struct state *s, uint64_t address)
{
    if (!s->pending && !s->tx) {
        s->phase ^= 1;
        s->pending = s->expected;
        if (sim_race_on())
            sim_race_mbarrier_phase(w, address);
    }
    w->block->cluster->stalled = 0;
}

// Adds pending bytes; removes them if `bytes` is negative.
static bool add_bytes(struct sim_warp *w, const struct sim_op *op, uint32_t lane, struct state *s,
                      int64_t bytes)
{
    int64_t tx = s->tx + bytes;

    if (tx > MAX_COUNT || tx < -MAX_COUNT) {
        sim_fault(w, op, lane, LAUNCH_FAILED,
                  "the mbarrier would wait for %lld bytes, it counts to %d", (long long)tx,
                  MAX_COUNT);
        return false;
    }
    s->tx = (int32_t)tx;
    return true;
}

bool sim_mbarrier_complete(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           enum sim_space space, uint64_t address, uint32_t bytes)
{
    struct state s;
    uint64_t *barrier = find(w, op, lane, space, address, &s);

    if (!barrier || !add_bytes(w, op, lane, &s, -(int64_t)bytes))
        return false;
    settle(w, &s, address);
    *barrier = pack(&s);
    return true;
}

static enum sim_space space_in(const struct sim_op *op)
{
    return (enum sim_space)(op->extra & ADDRESS_SPACE);
}

static enum sim_next run_init(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), count = SIM_R32(w, op->o[1])[lane];
        uint64_t address = sim_address(w, op, 0, lane), bit, *mark;
        void *host;
        if (!sim_reach_shared(w, op, lane, space_in(op), address, 8, 8, SIM_WRITE, &host))
            return SIM_FAULT;
        if (!count || count > MAX_COUNT)
            return sim_fault(w, op, lane, LAUNCH_FAILED,
                             "an mbarrier for %u arrivals, it takes 1 to %d", count, MAX_COUNT);
        mark = mark_of(w, address, host, &bit);
        if (sim_checks & SIM_CHECK_BARRIER && mark && *mark & bit &&
            unpack(*(uint64_t *)host).valid &&
            sim_found(w, op, lane, SIM_CHECK_BARRIER,
                      "an mbarrier is initialised where there is one: it must be invalidated "
                      "before") == SIM_FAULT)
            return SIM_FAULT;
        if (mark)
            *mark |= bit;
        *(uint64_t *)host = pack(&(struct state){ .pending = count, .expected = count });
        w->block->cluster->stalled = 0;
    }
    return SIM_NEXT;
}

static enum sim_next run_inval(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        struct state s;
        uint64_t *barrier = find(w, op, lane, space_in(op), sim_address(w, op, 0, lane), &s);
        if (!barrier)
            return SIM_FAULT;
        *barrier = 0;
    }
    return SIM_NEXT;
}

// Runs expect_tx and complete_tx. o[0]: barrier, o[1]: bytes.
static enum sim_next run_bytes(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        int64_t bytes = SIM_R32(w, op->o[1])[lane];
        uint64_t address = sim_address(w, op, 0, lane);
        struct state s;
        uint64_t *barrier = find(w, op, lane, space_in(op), address, &s);
        if (!barrier || !add_bytes(w, op, lane, &s, op->extra & EXPECT_TX ? bytes : -bytes))
            return SIM_FAULT;
        settle(w, &s, address);
        *barrier = pack(&s);
    }
    return SIM_NEXT;
}

static bool arrive(struct sim_warp *w, const struct sim_op *op, uint32_t lane, struct state *s,
                   uint32_t count)
{
    if (!count || count > s->pending) {
        sim_fault(w, op, lane, LAUNCH_FAILED,
                  "%u arrivals at an mbarrier that waits for %u of %u more", count, s->pending,
                  s->expected);
        return false;
    }
    if (op->extra & NO_COMPLETE && count == s->pending && !s->tx) {
        sim_fault(w, op, lane, LAUNCH_FAILED,
                  "mbarrier.arrive.noComplete of %u, which completes the phase", count);
        return false;
    }
    if (op->extra & DROP)
        s->expected -= count;
    s->pending -= count;
    return true;
}

// Runs arrive and arrive_drop. o[0]: state or none, o[1]: barrier, o[2]: number of arrivals or,
// with .expect_tx, of bytes.
static enum sim_next run_arrive(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), count = 1;
        uint64_t address = sim_address(w, op, 1, lane);
        struct state s;
        uint64_t *barrier = find(w, op, lane, space_in(op), address, &s);
        if (!barrier)
            return SIM_FAULT;
        if (op->o[2] != SIM_NO_OPERAND)
            count = SIM_R32(w, op->o[2])[lane];
        if (op->extra & EXPECT_TX) {
            if (!add_bytes(w, op, lane, &s, count))
                return SIM_FAULT;
            count = 1;
        }
        if (!arrive(w, op, lane, &s, count))
            return SIM_FAULT;
        if (sim_race_on())
            sim_race_mbarrier_arrive(w, address, op->extra & RELAXED);
        settle(w, &s, address);
        if (op->o[0] != SIM_NO_OPERAND)
            SIM_R64(w, op->o[0])[lane] = *barrier;
        *barrier = pack(&s);
    }
    return SIM_NEXT;
}

// Runs cp.async.mbarrier.arrive. The copies are complete, so it arrives at once. Without .noinc it
// increments the pending count before it arrives, so the count does not change.
static enum sim_next run_copies_arrive(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = sim_address(w, op, 0, lane);
        struct state s;
        uint64_t *barrier = find(w, op, lane, space_in(op), address, &s);
        if (!barrier)
            return SIM_FAULT;
        if (sim_race_on())
            sim_race_mbarrier_copies(w, address);
        if (!(op->extra & NOINC))
            continue;
        if (!arrive(w, op, lane, &s, 1))
            return SIM_FAULT;
        settle(w, &s, address);
        *barrier = pack(&s);
    }
    return SIM_NEXT;
}

// Runs test_wait and try_wait. o[0]: predicate, o[1]: barrier, o[2]: state or parity.
static enum sim_next run_wait(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    struct sim_cluster *cluster = w->block->cluster;
    uint32_t done = 0, try_failed, held;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), phase;
        uint64_t address = sim_address(w, op, 1, lane);
        uint64_t rank = (address & ((UINT64_C(1) << 56) - 1)) >> SIM_RANK_SHIFT;
        struct state s;
        if (rank && rank != w->block->cluster_rank + 1)
            return sim_fault(w, op, lane, WRONG_SPACE,
                             "a wait at an mbarrier of another block of the cluster");
        if (!find(w, op, lane, space_in(op), address, &s))
            return SIM_FAULT;
        phase = op->extra & PARITY ? SIM_R32(w, op->o[2])[lane] & 1
                                   : unpack(SIM_R64(w, op->o[2])[lane]).phase;
        done |= (uint32_t)(s.phase != phase) << lane;
        if (s.phase != phase && sim_race_on())
            sim_race_mbarrier_wait(w, address, op->extra & RELAXED);
    }
    // Lanes that fail let others run first. try_wait holds its lanes back until the cluster's
    // `patience` grows.
    try_failed = mask & ~done;
    if (op->extra & TRY) {
        if (w->patience != cluster->patience) {
            w->patience = cluster->patience;
            w->try_failed = 0;
        }
        try_failed &= ~w->try_failed;
        w->try_failed |= try_failed;
    }
    held = mask & ~done & ~try_failed;
    if (op->o[0] != SIM_NO_OPERAND)
        SIM_RP(w, op->o[0]) = (SIM_RP(w, op->o[0]) & ~(done | try_failed)) | done;
    if (op->extra & TRY) {
        cluster->waits = cluster->waits || held;
        if (!held)
            return SIM_NEXT;
        if (held == mask)
            return SIM_RETRY;
    } else if (!try_failed) {
        return SIM_NEXT;
    }
    sim_place(w, w->active & ~held, SIM_PC(w, op) + 1);
    sim_place(w, held, SIM_PC(w, op));
    w->yielded |= held | try_failed;
    return SIM_REGROUP;
}

static enum sim_next run_pending(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, i, SIM_R32(w, op->o[0])[i] = unpack(SIM_R64(w, op->o[1])[i]).pending);
    return SIM_NEXT;
}

// Rows

// Checks the type, that the space is shared memory under one of its names, and that an order
// (.relaxed or `order`) comes with a scope. `late`: the form does not exist on sm_80.
static bool fits(const struct sim_words *words, struct sim_op *op, const char *order, bool late)
{
    const bool relaxed = sim_has(words, "relaxed"), cluster = sim_has(words, "cluster");
    const bool scoped = cluster || sim_has(words, "cta");
    const bool ordered = relaxed || (order && sim_has(words, order));

    op->extra = sim_space_of(words) | (relaxed ? RELAXED : 0);
    late = late || relaxed || cluster || (op->extra & ADDRESS_SPACE) == SIM_SHARED_CLUSTER;
    return words->types == 1 && words->type[0] == SIM_B64 && ordered == scoped &&
           (!late || sim_async_target(words, 90));
}

static sim_handler *pick_init(const struct sim_words *words, struct sim_op *op)
{
    return fits(words, op, NULL, false) ? run_init : NULL;
}

static sim_handler *pick_inval(const struct sim_words *words, struct sim_op *op)
{
    return fits(words, op, NULL, false) ? run_inval : NULL;
}

static sim_handler *pick_bytes(const struct sim_words *words, struct sim_op *op)
{
    bool expect = sim_has(words, "expect_tx");

    if (!fits(words, op, NULL, true) || expect == sim_has(words, "complete_tx"))
        return NULL;
    op->extra |= expect ? EXPECT_TX : 0;
    return run_bytes;
}

static sim_handler *pick_arrive(const struct sim_words *words, struct sim_op *op)
{
    bool drop = sim_has(words, "arrive_drop"), expect = sim_has(words, "expect_tx");
    bool no_complete = sim_has(words, "noComplete");

    // Only a barrier of the thread's own block returns a state. .noComplete always returns one.
    if (drop == sim_has(words, "arrive") || (expect && no_complete) ||
        ((expect || no_complete) && op->o[2] == SIM_NO_OPERAND) ||
        (sim_has(words, "shared::cluster") && (no_complete || op->o[0] != SIM_NO_OPERAND)) ||
        !fits(words, op, "release", op->o[2] != SIM_NO_OPERAND && !no_complete))
        return NULL;
    op->extra |= (drop ? DROP : 0) | (expect ? EXPECT_TX : 0) | (no_complete ? NO_COMPLETE : 0);
    return run_arrive;
}

static sim_handler *pick_copies_arrive(const struct sim_words *words, struct sim_op *op)
{
    if (!fits(words, op, NULL, false) || !sim_has(words, "async") || !sim_has(words, "mbarrier") ||
        !sim_has(words, "arrive"))
        return NULL;
    op->extra |= sim_has(words, "noinc") ? NOINC : 0;
    return run_copies_arrive;
}

static sim_handler *pick_wait(const struct sim_words *words, struct sim_op *op)
{
    bool try = sim_has(words, "try_wait"), parity = sim_has(words, "parity");

    if (!fits(words, op, "acquire", try) || try == sim_has(words, "test_wait") || parity ||
        words->statement->operands > (try ? 4u : 3u))
        return NULL;
    op->extra |= try ? TRY : 0;
    return run_wait;
}

// Picks a wait for a parity, which has 32 bits. A wait for a state, which has 64 bits, has its own
// row. Each of the two rows refuses the other form.
static sim_handler *pick_wait_parity(const struct sim_words *words, struct sim_op *op)
{
    bool try = sim_has(words, "try_wait");

    if (!fits(words, op, "acquire", try) || try == sim_has(words, "test_wait") ||
        !sim_has(words, "parity") || words->statement->operands > (try ? 4u : 3u))
        return NULL;
    op->extra |= (try ? TRY : 0) | PARITY;
    return run_wait;
}

static sim_handler *pick_pending(const struct sim_words *words, struct sim_op *op)
{
    return fits(words, op, NULL, false) ? run_pending : NULL;
}

#define SHARED "shared shared::cta "
#define SCOPES "cta cluster "

const struct sim_instruction sim_mbarrier_instructions[] = {
    { "mbarrier", "init " SHARED, "maw", pick_init },
    { "mbarrier", "inval " SHARED, "m", pick_inval },
    { "mbarrier", "expect_tx complete_tx shared::cluster relaxed " SHARED SCOPES, "maw",
      pick_bytes },
    { "mbarrier", "arrive arrive_drop expect_tx shared::cluster release relaxed " SHARED SCOPES,
      "d_maw?", pick_arrive },
    { "mbarrier", "arrive arrive_drop noComplete release cta " SHARED, "d_maw", pick_arrive },
    { "mbarrier", "test_wait try_wait parity acquire relaxed " SHARED SCOPES, "Pmawx?",
      pick_wait_parity },
    { "mbarrier", "test_wait try_wait acquire relaxed " SHARED SCOPES, "Pmax?", pick_wait },
    { "mbarrier", "pending_count", "dwa", pick_pending },
    { "cp", "async mbarrier arrive noinc " SHARED, "m", pick_copies_arrive },
    { NULL, NULL, NULL, NULL },
};
