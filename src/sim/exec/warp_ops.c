// Operations across the lanes of a warp: shfl, vote, match, redux, elect, activemask.
//
// A .sync operation waits for every live lane in its membermask. It also synchronizes lanes that a
// branch has separated: sim_sync() checks where the other lanes are. Once all are at an instruction
// with the same words and the same membermask, it executes the operation for all of them at once,
// each with the operands in its own frame (PTX ISA, "Parallel Synchronization and Communication
// Instructions").
#include "base/array.h"
#include "warp.h"
#include "sim/check/check_race.h"
#include "sim/check/check.h"

#include <math.h>
#include <string.h>

// Returns true if a lane outside the running group is at an instruction with the same words and the
// same membermask, and its guard lets it execute.
static bool stands_at_same(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           uint32_t operand, uint32_t members)
{
    if ((w->active | w->blocked) >> lane & 1)
        return false;
    const struct sim_frame *frame = w->lane_frame[lane];
    const struct sim_op *there = frame->code->ops + w->lane_pc[lane];

    if (there->run != op->run || there->extra != op->extra)
        return false;
    if (there->guard != SIM_NO_GUARD) {
        uint32_t guard;
        memcpy(&guard, frame->f + there->guard, sizeof guard);
        if (!((guard ^ there->guard_flip) >> lane & 1))
            return false;
    }
    uint32_t given;
    memcpy(&given, frame->f + there->o[operand] + 4 * lane, sizeof given);
    return given == members;
}

enum sim_next sim_sync(struct sim_warp *w, const struct sim_op *op, uint32_t mask, uint32_t operand,
                       void (*what)(struct sim_warp *w, const struct sim_party *party))
{
    const uint32_t *members = SIM_R32(w, op->o[operand]);
    struct sim_party party;
    uint32_t done = 0, others = 0;

    for (uint32_t left = mask, set; left; left &= ~set) {
        party.members = members[__builtin_ctz(left)];
        party.parted = false;
        party.own = op;
        set = 0;
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            set |= (uint32_t)(members[lane] == party.members) << lane;
        set &= left;
        party.lanes = set;
        if (sim_checks & SIM_CHECK_BARRIER && !sim_check_members(w, op, set, party.members))
            return SIM_FAULT;

        uint32_t missing = party.members & w->alive & ~set;
        if (missing) {
            for (uint32_t m = missing; m; m &= m - 1) {
                uint32_t lane = (uint32_t)__builtin_ctz(m);
                if (!stands_at_same(w, op, lane, operand, party.members))
                    break;
                party.lanes |= UINT32_C(1) << lane;
            }
            if (missing & ~party.lanes)
                continue;
            party.parted = true;
            for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
                bool other = missing >> lane & 1;
                party.frame[lane] = other ? w->lane_frame[lane]->f : w->f;
                party.op[lane] = other ? w->lane_frame[lane]->code->ops + w->lane_pc[lane] : op;
            }
        }
        what(w, &party);
        if (sim_race_on())
            sim_race_warp_sync(w);
        done |= set;
        for (uint32_t m = missing; m; m &= m - 1)
            w->lane_pc[__builtin_ctz(m)]++;
        others |= missing;
    }
    if (!done)
        return SIM_RETRY;
    if (done == w->active && !others)
        return SIM_NEXT;

    // Some lanes stay or others join, so regroup.
    w->yielded &= ~others;
    sim_place(w, w->active, SIM_PC(w, op) + 1);
    sim_place(w, mask & ~done, SIM_PC(w, op));
    return SIM_REGROUP;
}

// Collects the values of an operand in the participating lanes. `value` has an entry for each of
// the 32 lanes.
static void gather(const struct sim_warp *w, const struct sim_party *party, uint32_t operand,
                   uint32_t value[SIM_WARP])
{
    if (!party->parted) {
        memcpy(value, w->f + party->own->o[operand], SIM_WARP * sizeof *value);
        return;
    }
    for (uint32_t lane = 0; lane < SIM_WARP; lane++)
        memcpy(&value[lane], party->frame[lane] + party->op[lane]->o[operand] + 4 * lane, 4);
}

static void gather_64(const struct sim_warp *w, const struct sim_party *party, uint32_t operand,
                      uint64_t value[SIM_WARP])
{
    if (!party->parted) {
        memcpy(value, w->f + party->own->o[operand], SIM_WARP * sizeof *value);
        return;
    }
    for (uint32_t lane = 0; lane < SIM_WARP; lane++)
        memcpy(&value[lane], party->frame[lane] + party->op[lane]->o[operand] + 8 * lane, 8);
}

// Returns the participating lanes in which a predicate operand is true.
static uint32_t gather_predicate(const struct sim_warp *w, const struct sim_party *party,
                                 uint32_t operand)
{
    if (!party->parted)
        return SIM_RP(w, party->own->o[operand]) & party->lanes;
    uint32_t all = 0;
    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        uint32_t p;
        memcpy(&p, party->frame[lane] + party->op[lane]->o[operand], sizeof p);
        all |= p & UINT32_C(1) << lane;
    }
    return all & party->lanes;
}

static void scatter(const struct sim_warp *w, const struct sim_party *party, uint32_t operand,
                    const uint32_t value[SIM_WARP])
{
    for (uint32_t m = party->lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        unsigned char *f = party->parted ? party->frame[lane] : w->f;
        uint32_t at = (party->parted ? party->op[lane] : party->own)->o[operand];
        if (at != SIM_NO_OPERAND)
            memcpy(f + at + 4 * lane, &value[lane], sizeof *value);
    }
}

static void scatter_same(const struct sim_warp *w, const struct sim_party *party, uint32_t operand,
                         uint32_t same)
{
    uint32_t value[SIM_WARP];
    for (uint32_t lane = 0; lane < SIM_WARP; lane++)
        value[lane] = same;
    scatter(w, party, operand, value);
}

static void scatter_predicate(const struct sim_warp *w, const struct sim_party *party,
                              uint32_t operand, uint32_t value)
{
    for (uint32_t m = party->lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), bit = UINT32_C(1) << lane, p;
        unsigned char *f = party->parted ? party->frame[lane] : w->f;
        uint32_t at = (party->parted ? party->op[lane] : party->own)->o[operand];
        if (at == SIM_NO_OPERAND)
            continue;
        memcpy(&p, f + at, sizeof p);
        p = (p & ~bit) | (value & bit);
        memcpy(f + at, &p, sizeof p);
    }
}

// shfl.sync.mode.b32 d[|p], a, b, c, membermask

enum { UP, DOWN, BFLY, IDX };

static void shuffle(struct sim_warp *w, const struct sim_party *party)
{
    uint32_t a[SIM_WARP], b[SIM_WARP], c[SIM_WARP], d[SIM_WARP], in_range = 0;

    gather(w, party, 1, a);
    gather(w, party, 2, b);
    gather(w, party, 3, c);
    for (int lane = 0; lane < SIM_WARP; lane++) {
        int by = (int)(b[lane] & 31), clamp = (int)(c[lane] & 31), segment = c[lane] >> 8 & 31;
        int last = (lane & segment) | (clamp & ~segment), from = lane;
        bool in;
        switch (party->own->extra) {
        case UP:
            from = lane - by;
            break;
        case DOWN:
            from = lane + by;
            break;
        case BFLY:
            from = lane ^ by;
            break;
        default:
            from = (lane & segment) | (by & ~segment);
        }
        in = party->own->extra == UP ? from >= last : from <= last;
        // If the source lane does not participate, the value is undefined. Keep the lane's own
        // value.
        d[lane] = in && party->lanes >> from & 1 ? a[from] : a[lane];
        in_range |= (uint32_t)in << lane;
    }
    scatter(w, party, 0, d);
    scatter_predicate(w, party, 5, in_range);
}

static enum sim_next run_shuffle(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_sync(w, op, mask, 4, shuffle);
}

// Returns the index in a list of the only word that the statement contains; -1 if there is none or
// several.
static int which(const struct sim_words *words, const char *const *list, int count)
{
    int found = -1;
    for (int i = 0; i < count; i++) {
        if (!sim_has(words, list[i]))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}
#define WHICH(words, list) which(words, list, CUC_LENGTH(list))

static bool one_type(const struct sim_words *words, enum sim_type type)
{
    return words->types == 1 && words->type[0] == type;
}

static sim_handler *pick_shuffle(const struct sim_words *words, struct sim_op *op)
{
    static const char *const modes[] = {
        [UP] = "up", [DOWN] = "down", [BFLY] = "bfly", [IDX] = "idx"
    };
    int mode = WHICH(words, modes);
    if (mode < 0 || !sim_has(words, "sync") || !one_type(words, SIM_B32))
        return NULL;
    op->extra = (uint32_t)mode;
    return run_shuffle;
}

// vote.sync.{all,any,uni}.pred p, [!]a, membermask and vote.sync.ballot.b32 d, [!]a, membermask

enum { ALL, ANY, UNI, BALLOT };

static void vote(struct sim_warp *w, const struct sim_party *party)
{
    uint32_t mode = party->own->extra;
    uint32_t set = gather_predicate(w, party, 1);

    if (mode == BALLOT) {
        scatter_same(w, party, 0, set);
        return;
    }
    bool all = set == party->lanes, any = set != 0;
    bool result = mode == ALL ? all : mode == ANY ? any : all || !any;
    scatter_predicate(w, party, 0, result ? SIM_ALL_LANES : 0);
}

static enum sim_next run_vote(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_sync(w, op, mask, 2, vote);
}

static sim_handler *pick_vote_as(const struct sim_words *words, struct sim_op *op, bool ballot)
{
    static const char *const modes[] = {
        [ALL] = "all", [ANY] = "any", [UNI] = "uni", [BALLOT] = "ballot"
    };
    int mode = WHICH(words, modes);
    if (mode < 0 || !sim_has(words, "sync") || ballot != (mode == BALLOT) ||
        !one_type(words, ballot ? SIM_B32 : SIM_PRED))
        return NULL;
    op->extra = (uint32_t)mode;
    return run_vote;
}

static sim_handler *pick_vote(const struct sim_words *words, struct sim_op *op)
{
    return pick_vote_as(words, op, false);
}

static sim_handler *pick_ballot(const struct sim_words *words, struct sim_op *op)
{
    return pick_vote_as(words, op, true);
}

// match.any.sync.type d, a, membermask and match.all.sync.type d[|p], a, membermask

enum { MATCH_ALL = 1, MATCH_64 = 2 };

static void match(struct sim_warp *w, const struct sim_party *party)
{
    uint64_t a[SIM_WARP];
    uint32_t narrow[SIM_WARP], d[SIM_WARP] = { 0 };
    bool same = true;

    if (party->own->extra & MATCH_64) {
        gather_64(w, party, 1, a);
    } else {
        gather(w, party, 1, narrow);
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            a[lane] = narrow[lane];
    }
    for (uint32_t left = party->lanes, equal; left; left &= ~equal) {
        uint64_t value = a[__builtin_ctz(left)];
        equal = 0;
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            equal |= (uint32_t)(a[lane] == value) << lane;
        equal &= left;
        same = same && equal == party->lanes;
        for (uint32_t m = equal; m; m &= m - 1)
            d[__builtin_ctz(m)] = equal;
    }
    if (party->own->extra & MATCH_ALL) {
        scatter_same(w, party, 0, same ? party->lanes : 0);
        scatter_predicate(w, party, 5, same ? SIM_ALL_LANES : 0);
    } else {
        scatter(w, party, 0, d);
    }
}

static enum sim_next run_match(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_sync(w, op, mask, 2, match);
}

static sim_handler *pick_match(const struct sim_words *words, struct sim_op *op)
{
    static const char *const modes[] = { "any", "all" };
    int mode = WHICH(words, modes);
    bool wide = one_type(words, SIM_B64);
    if (mode < 0 || !sim_has(words, "sync") || !(wide || one_type(words, SIM_B32)))
        return NULL;
    if (mode != MATCH_ALL && op->o[5] != SIM_NO_OPERAND)
        return NULL;
    op->extra = (uint32_t)mode | (wide ? MATCH_64 : 0);
    return run_match;
}

// redux.sync.op.type d, a, membermask

enum {
    ADD,
    MIN,
    MAX,
    AND,
    OR,
    XOR,
    REDUX_OP = 7,
    REDUX_SIGNED = 8,
    REDUX_F32 = 16,
    REDUX_ABS = 32,
    REDUX_NAN = 64
};

static uint32_t reduce_float(const struct sim_party *party, const uint32_t a[SIM_WARP])
{
    uint32_t how = party->own->extra, best = 0;
    bool some = false, nan = false;

    // As signed magnitudes, bits are ordered like the numbers, with -0 less than +0.
    int64_t best_key = 0;
    for (uint32_t m = party->lanes; m; m &= m - 1) {
        uint32_t x = a[__builtin_ctz(m)] & (how & REDUX_ABS ? 0x7fffffffu : UINT32_MAX);
        if ((x & 0x7fffffffu) > 0x7f800000u) {
            nan = true;
            continue;
        }
        int64_t key = x >> 31 ? -(int64_t)(x & 0x7fffffffu) - 1 : (int64_t)x;
        if (!some || ((how & REDUX_OP) == MAX ? key > best_key : key < best_key)) {
            best = x;
            best_key = key;
        }
        some = true;
    }
    return !some || (nan && how & REDUX_NAN) ? 0x7fffffffu : best;
}

static void reduce(struct sim_warp *w, const struct sim_party *party)
{
    uint32_t a[SIM_WARP], how = party->own->extra, all = 0;
    bool first = true;

    gather(w, party, 1, a);
    if (how & REDUX_F32) {
        scatter_same(w, party, 0, reduce_float(party, a));
        return;
    }
    for (uint32_t m = party->lanes; m; m &= m - 1, first = false) {
        uint32_t x = a[__builtin_ctz(m)];
        bool less = how & REDUX_SIGNED ? (int32_t)x < (int32_t)all : x < all;
        if (first) {
            all = x;
            continue;
        }
        switch (how & REDUX_OP) {
        case ADD:
            all += x;
            break;
        case MIN:
            all = less ? x : all;
            break;
        case MAX:
            all = less ? all : x;
            break;
        case AND:
            all &= x;
            break;
        case OR:
            all |= x;
            break;
        default:
            all ^= x;
        }
    }
    scatter_same(w, party, 0, all);
}

static enum sim_next run_redux(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_sync(w, op, mask, 2, reduce);
}

static sim_handler *pick_redux(const struct sim_words *words, struct sim_op *op)
{
    static const char *const operations[] = {
        [ADD] = "add", [MIN] = "min", [MAX] = "max", [AND] = "and", [OR] = "or", [XOR] = "xor"
    };
    int operation = WHICH(words, operations);
    bool abs = sim_has(words, "abs"), nan = sim_has(words, "NaN");
    if (operation < 0 || !sim_has(words, "sync") || words->types != 1)
        return NULL;

    bool bits = operation >= AND;
    switch (words->type[0]) {
    case SIM_B32:
        if (!bits || abs || nan)
            return NULL;
        op->extra = (uint32_t)operation;
        return run_redux;
    case SIM_U32:
    case SIM_S32:
        if (bits || abs || nan)
            return NULL;
        op->extra = (uint32_t)operation | (words->type[0] == SIM_S32 ? REDUX_SIGNED : 0);
        return run_redux;
    case SIM_F32:
        if (operation != MIN && operation != MAX)
            return NULL;
        op->extra = (uint32_t)operation | REDUX_F32 | (abs ? REDUX_ABS : 0) | (nan ? REDUX_NAN : 0);
        return run_redux;
    default:
        return NULL;
    }
}

// elect.sync d|p, membermask: elects the lowest lane, as an H200 does.

static void elect(struct sim_warp *w, const struct sim_party *party)
{
    uint32_t leader = (uint32_t)__builtin_ctz(party->lanes);
    scatter_same(w, party, 0, leader);
    scatter_predicate(w, party, 5, UINT32_C(1) << leader);
}

static enum sim_next run_elect(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    return sim_sync(w, op, mask, 1, elect);
}

static sim_handler *pick_elect(const struct sim_words *words, struct sim_op *op)
{
    return sim_has(words, "sync") && !words->types && op->o[5] != SIM_NO_OPERAND ? run_elect : NULL;
}

static enum sim_next run_activemask(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t *d = SIM_R32(w, op->o[0]);
    SIM_LANES(mask, lane, d[lane] = mask);
    return SIM_NEXT;
}

static sim_handler *pick_activemask(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return one_type(words, SIM_B32) ? run_activemask : NULL;
}

// Rejects votes and shuffles without .sync, which sm_70 removed.
static sim_handler *pick_ended(const struct sim_words *words, struct sim_op *op)
{
    (void)words, (void)op;
    return NULL;
}

const struct sim_instruction sim_warp_instructions[] = {
    { "shfl", "sync up down bfly idx", "d|aaaaw", pick_shuffle },
    { "vote", "sync all any uni", "Ppaw", pick_vote },
    { "vote", "sync ballot", "dpaw", pick_ballot },
    { "match", "sync any all", "dw_|aaw", pick_match },
    { "redux", "sync add min max and or xor abs NaN", "daaw", pick_redux },
    { "shfl", "up down bfly idx", "daaa", pick_ended },
    { "vote", "all any uni", "Pp", pick_ended },
    { "vote", "ballot", "dp", pick_ended },
    { "elect", "sync", "dw_|aw", pick_elect },
    { "activemask", "", "d", pick_activemask },
    { NULL, NULL, NULL, NULL },
};
