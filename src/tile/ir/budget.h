// Budgets of a compilation: how much it may do, write, hold and take before it is refused.
//
// One budget covers every module that a compilation makes, those of auto()'s candidates included.
// Spending past a limit ends it: the module counts as out of memory, so that everything stops on
// the paths that are there for that, and tile_budget_report() then turns it into an error with a
// code.
#ifndef CUCORE_TILE_IR_BUDGET_H
#define CUCORE_TILE_IR_BUDGET_H

#include "diagnostic.h"

#include "base/arena.h"

struct tile_limits {
    uint64_t operations;           // steps of the compiler, the same number on every machine
    uint64_t ptx_bytes;            // of one text: the PTX, or a dump
    uint64_t memory_bytes;         // that arenas hold at a time
    double seconds;                // of wall time; 0: any
    int32_t (*cancel)(void *user); // not 0: end it; NULL: nobody asks
    void *user;
};

struct tile_budget {
    struct tile_limits limits;
    struct cuc__arena_account memory;
    uint64_t operations, next_look; // spent; at which the clock and `cancel` are looked at
    double deadline, next_call;     // by the monotonic clock; of `cancel`
    struct tile_location where;     // of the construct that is worked on
    const struct tile_op *op;       // it, once there is IR; NULL
    enum tile_code ended;           // TILE_T000: it has not
    struct tile_location ended_at;
    char construct[160], amount[160];
};

// Limits of 0 get the default.
void tile_budget_open(struct tile_budget *budget, const struct tile_limits *limits);
// Other limits from here on, for what was spent before, too; seconds count from here.
void tile_budget_limit(struct tile_budget *budget, const struct tile_limits *limits);
// A module, within a budget that outlives it; NULL: without one. See tile_module_create().
struct tile_module *tile_module_create_within(struct tile_budget *budget, const char *file,
                                              const char *text, size_t bytes);

// Ends it with the code of a limit, once.
void tile_budget_end(struct tile_module *module, enum tile_code code);
// Called when `operations` has come to `next_look`.
void tile_budget_look(struct tile_module *module);

// Whether a limit ended it; NULL: never.
static inline bool tile_budget_ended(const struct tile_budget *budget)
{
    return budget && (budget->ended || budget->memory.refused);
}

// Steps that are about to be done.
static inline void tile_spend(struct tile_module *module, uint64_t steps)
{
    struct tile_budget *b = module->budget;

    if (b && (b->operations += steps) >= b->next_look)
        tile_budget_look(module);
}

// The construct that is worked on now, for the error that names it.
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

// Takes the limits off a module, for good.
void tile_budget_lift(struct tile_module *module);

// If the budget has ended, the error that says so in place of that the module ran out of memory.
void tile_budget_report(struct tile_module *module);

#endif
