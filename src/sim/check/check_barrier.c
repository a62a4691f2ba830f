// Finds barriers that only part of a warp has reached although all its lanes must reach them
// together.
//
// Lanes that the simulator runs separately may run together on a GPU. The check therefore ignores
// when lanes arrive, and considers only where: the n-th aligned barrier of a lane must be the n-th
// of every other lane of its warp. When the count of a barrier completes, either all live lanes of
// a warp or none must have arrived. An exiting lane need not arrive, unless it has bypassed the
// barrier. A lane has bypassed the barrier if it has stored at an instruction that the waiting
// lanes can still reach.
#include "check.h"
#include "sim/machine/code.h"

#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 16
}; // maximum number of barriers by which one lane of a warp may be ahead of
   // another

// The `number`-th barrier at which some lanes of a warp arrived.
struct step {
    const struct sim_op *op;
    uint32_t number, index, lane;
};

// The aligned barriers that a warp has reached.
struct sim_steps {
    bool parted;                          // false: each lane has reached `together` barriers
    uint32_t together, reached[SIM_WARP]; // `reached`: number of barriers that each lane has
                                          // reached
    struct step last[KEPT];               // indexed by number
    uint32_t came[16];                    // per barrier: lanes that have arrived in the current
                                          // phase
    const struct sim_op *at[SIM_STEP_CLUSTER_WAIT + 1];
    uint32_t passing; // lanes that have stored since their last barrier, while others waited at one
    struct {
        const struct sim_op *op, *barrier; // the store, and the barrier that it bypassed
    } passed[SIM_WARP];
};

bool sim_check_barrier_new(struct sim_block *block)
{
    block->steps = calloc(block->warp_count, sizeof(*block->steps));
    return block->steps != NULL;
}

void sim_check_barrier_begin(struct sim_block *block)
{
    memset(block->steps, 0, block->warp_count * sizeof(*block->steps));
}

void sim_check_barrier_free(struct sim_block *block)
{
    free(block->steps);
}

// Marks lanes as together again if all of them have reached the same number of barriers.
static void join(const struct sim_warp *w, struct sim_steps *steps)
{
    uint32_t number = steps->reached[__builtin_ctz(w->alive)];

    for (uint32_t m = w->alive; m; m &= m - 1)
        if (steps->reached[__builtin_ctz(m)] != number)
            return;
    steps->parted = false;
    steps->together = number;
}

// Records a lane's step. Returns true if another lane of the warp took a different step with the
// same number, and stores that step in `other`.
static bool step_differs(struct sim_steps *steps, const struct step *now, uint32_t number,
                         struct step *other)
{
    struct step *step = &steps->last[number % KEPT];

    if (step->number != number) {
        *step = *now;
        step->number = number;
        return false;
    }
    if (step->op == now->op && step->index == now->index)
        return false;
    *other = *step;
    return true;
}

bool sim_check_barrier_come(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                            uint32_t index)
{
    struct sim_steps *steps = &w->block->steps[w->index];
    struct step other = { 0 };
    uint32_t who = 0;

    steps->passing &= ~lanes;
    steps->at[index] = op;
    if (index < 16)
        steps->came[index] |= lanes;
    if (!steps->parted && lanes == w->alive) {
        struct step now = { op, 0, index, (uint32_t)__builtin_ctz(lanes) };
        step_differs(steps, &now, ++steps->together, &other);
        who = now.lane;
    } else {
        for (uint32_t lane = 0; !steps->parted && lane < SIM_WARP; lane++)
            steps->reached[lane] = steps->together;
        steps->parted = true;
        for (uint32_t m = lanes; m; m &= m - 1) {
            struct step now = { op, 0, index, (uint32_t)__builtin_ctz(m) };
            struct step found;
            if (step_differs(steps, &now, ++steps->reached[now.lane], &found) && !other.op) {
                other = found;
                who = now.lane;
            }
        }
        join(w, steps);
    }
    if (!other.op)
        return true;
    if (other.op == op)
        return sim_found(w, op, who, SIM_CHECK_BARRIER,
                         "lane %u comes to barrier %u, lane %u of its warp to barrier %u", who,
                         index, other.lane, other.index) != SIM_FAULT;
    return sim_found(w, op, who, SIM_CHECK_BARRIER,
                     "lane %u comes to this barrier, lane %u of its warp came to the one in line "
                     "%u: all of a warp must come to the same",
                     who, other.lane, other.op->line) != SIM_FAULT;
}

void sim_check_barrier_complete(struct sim_block *block, uint32_t index)
{
    for (uint32_t i = 0; i < block->warp_count; i++) {
        struct sim_warp *w = &block->warps[i];
        struct sim_steps *steps = &block->steps[i];
        uint32_t came = steps->came[index], missing = w->alive & ~came;
        const struct sim_op *at = steps->at[index];
        steps->came[index] = 0;
        steps->at[index] = NULL;
        if (came && missing)
            sim_found(w, at, (uint32_t)__builtin_ctz(came), SIM_CHECK_BARRIER,
                      "barrier %u is complete without lane %u, though lanes 0x%08x of its warp "
                      "came to it: all of a warp must come",
                      index, (uint32_t)__builtin_ctz(missing), came);
    }
}

// Returns the aligned barrier at which other lanes of a warp wait; NULL if there is none.
static const struct sim_op *barrier_of(const struct sim_warp *w, uint32_t others)
{
    const struct sim_steps *steps = &w->block->steps[w->index];

    for (uint32_t i = 0; i < SIM_BARRIER_CLUSTER; i++)
        if (w->waiting[i] & ~others && steps->at[i])
            return steps->at[i];
    return w->waiting[SIM_BARRIER_CLUSTER] & ~others ? steps->at[SIM_STEP_CLUSTER_WAIT] : NULL;
}

void sim_check_barrier_pass(struct sim_warp *w, const struct sim_op *op, uint32_t lanes)
{
    const struct sim_op *barrier = barrier_of(w, lanes);

    for (uint32_t m = barrier ? lanes : 0; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        w->block->steps[w->index].passed[lane].op = op;
        w->block->steps[w->index].passed[lane].barrier = barrier;
    }
    w->block->steps[w->index].passing |= barrier ? lanes : 0;
}

// A walk over the ops of a function.
struct walk {
    const struct sim_code *code;
    const struct sim_handlers *handlers;
    uint32_t *left, count; // ops that are still to be visited
    bool *seen;
};

static void go(struct walk *walk, uint32_t at)
{
    if (at >= walk->code->op_count || walk->seen[at])
        return;
    walk->seen[at] = true;
    walk->left[walk->count++] = at;
}

// Adds the successors of an op. Does not enter called functions, since calls return.
static void continue_walk(struct walk *walk, uint32_t at)
{
    const struct sim_op *op = &walk->code->ops[at];
    const struct sim_handlers *known = walk->handlers;
    bool leaves = op->run == known->exit || op->run == known->ret;

    if (op->run == known->branch) {
        go(walk, op->extra);
        leaves = true;
    } else if (op->run == known->branch_indexed) {
        const struct sim_targets *targets = op->data;
        for (uint32_t i = 0; i < targets->count; i++)
            go(walk, targets->at[i]);
        leaves = true;
    }
    if (!leaves || op->guard != SIM_NO_GUARD)
        go(walk, at + 1);
}

// Returns true if a path leads from one op of a function to another.
static bool leads_to(const struct sim_program *program, const struct sim_code *code,
                     const struct sim_op *from, const struct sim_op *to)
{
    struct walk walk = { .code = code,
                         .handlers = program->handlers,
                         .left = calloc(code->op_count, sizeof(*walk.left)),
                         .seen = calloc(code->op_count, sizeof(*walk.seen)) };
    bool found = false;

    if (walk.left && walk.seen) {
        continue_walk(&walk, (uint32_t)(from - code->ops));
        while (walk.count)
            continue_walk(&walk, walk.left[--walk.count]);
        found = walk.seen[to - code->ops];
    }
    free(walk.left);
    free(walk.seen);
    return found;
}

void sim_check_barrier_exit(struct sim_warp *w, uint32_t lanes)
{
    const struct sim_steps *steps = &w->block->steps[w->index];
    const uint32_t passing = lanes & steps->passing;
    const struct sim_op *barrier = passing ? barrier_of(w, lanes) : NULL;

    for (uint32_t m = barrier ? passing : 0; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        const struct sim_op *op = steps->passed[lane].op;
        const struct sim_program *program = w->block->grid->program;
        const struct sim_code *code = sim_code_of(program, barrier);
        if (steps->passed[lane].barrier != barrier || op < code->ops ||
            op >= code->ops + code->op_count || !leads_to(program, code, barrier, op))
            continue;
        sim_found(w, barrier, (uint32_t)__builtin_ctz(w->blocked & ~lanes), SIM_CHECK_BARRIER,
                  "lane %u of the warp went past this barrier, to the store in line %u, and "
                  "exited: all of a warp must come to it",
                  lane, op->line);
        return;
    }
}

bool sim_check_members(struct sim_warp *w, const struct sim_op *op, uint32_t lanes,
                       uint32_t members)
{
    uint32_t strange = lanes & ~members;

    return !strange || sim_found(w, op, (uint32_t)__builtin_ctz(strange), SIM_CHECK_BARRIER,
                                 "lane %u is not in the membermask 0x%08x that it gives",
                                 (uint32_t)__builtin_ctz(strange), members) != SIM_FAULT;
}
