// Budgets of a compilation: limits on steps, text, memory and time, beyond which a program is
// refused.
//
// One budget covers every module that a compilation makes, including those of auto()'s candidates.
// Exceeding a limit ends the budget: the module then counts as out of memory, so that all code
// stops on its paths for that, and tile_budget_tell() reports an error with the limit's code.
#ifndef CUCORE_TILE_IR_BUDGET_H
#define CUCORE_TILE_IR_BUDGET_H

#include "diagnostic.h"

#include "base/arena.h"

struct tile_limits {
    uint64_t operations;           // steps of the compiler, the same number on every machine
    uint64_t ptx_bytes;            // of one text: the PTX, or a dump
    uint64_t memory_bytes;         // that arenas hold at a time
    double seconds;                // of wall time; 0: no limit
    int32_t (*cancel)(void *user); // returns nonzero to end the compilation; NULL: is not called
    void *user;
};

struct tile_budget {
    struct tile_limits limits;
    struct cuc__arena_account memory;
    uint64_t operations, next_look; // steps so far; steps at the next look at clock and `cancel`
    double deadline, next_call; // times of the monotonic clock: the end; the next call of `cancel`
    struct tile_location where; // of the construct that is worked on
    const struct tile_op *op;   // the op that is worked on; NULL before there is IR
    enum tile_code ended;       // the code of the limit that ended the budget; TILE_T000: none has
    struct tile_location ended_at;
    char construct[160], amount[160];
};

// Starts a budget. A limit of 0 takes the default.
void tile_budget_open(struct tile_budget *budget, const struct tile_limits *limits);
// Replaces the limits. What was spent before counts against the new ones; seconds start anew.
void tile_budget_limit(struct tile_budget *budget, const struct tile_limits *limits);
// Creates a module within a budget that outlives it; NULL: without limits. See
// tile_module_create().
struct tile_module *tile_module_create_within(struct tile_budget *budget, const char *file,
                                              const char *text, size_t bytes);

// Ends the budget with a limit's code; only the first code is kept.
void tile_budget_end(struct tile_module *module, enum tile_code code);
// Checks the limits of steps and time, and calls `cancel`. Called when `operations` reaches
// `next_look`.
void tile_budget_look(struct tile_module *module);

// True if a limit has ended the budget. A budget of NULL never ends.
static inline bool tile_budget_ended(const struct tile_budget *budget)
{
    return budget && (budget->ended || budget->memory.refused);
}

// Counts steps, before they are done.
static inline void tile_spend(struct tile_module *module, uint64_t steps)
{
    struct tile_budget *b = module->budget;

    if (b && (b->operations += steps) >= b->next_look)
        tile_budget_look(module);
}

// Record the op, or the position, that is worked on; the error names it.
static inline void tile_work_on(struct tile_module *module, const struct tile_op *op)
{
    if (module->budget)
        module->budget->op = op;
}
static inline void tile_work_at(struct tile_module *module, struct tile_location where)
{
    if (module->budget)
        module->budget->where = where;
}

// Lifts the limits of a module, for good.
void tile_budget_lift(struct tile_module *module);

// If the budget has ended, replaces the module's report of lacking memory by the error with the
// limit's code.
void tile_budget_tell(struct tile_module *module);

#endif
