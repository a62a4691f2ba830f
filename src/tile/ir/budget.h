// Budgets of a compilation: limits on its steps, text, memory and time. A program that exceeds one
// is rejected.
//
// One budget covers all modules of a compilation, including those of auto()'s candidates. Exceeding
// a limit ends the budget. From then on the module counts as out of memory, so that all code stops
// on its out-of-memory paths, and tile_budget_report() reports an error with the limit's code.
#ifndef CUCORE_TILE_IR_BUDGET_H
#define CUCORE_TILE_IR_BUDGET_H

#include "diagnostic.h"

#include "base/arena.h"

struct tile_limits {
    uint64_t operations;           // compiler steps, the same number on every machine
    uint64_t ptx_bytes;            // size of one text, which is the PTX or a dump
    uint64_t memory_bytes;         // memory that arenas hold at a time
    double seconds;                // wall time; 0: no limit
    int32_t (*cancel)(void *user); // returns nonzero to end the compilation; may be NULL
    void *user;
};

struct tile_budget {
    struct tile_limits limits;
    struct cuc__arena_account memory;
    uint64_t operations, next_look; // steps so far; step at which to check the clock and `cancel`
                                    // next
    double deadline, next_call; // on the monotonic clock: end of the time limit; time of the next
                                // call of `cancel`
    struct tile_location where; // position of the construct being compiled
    const struct tile_op *op;   // the op being compiled; NULL until there is IR
    enum tile_code ended;       // code of the limit that ended the budget; TILE_T000 if none did
    struct tile_location ended_at;
    char construct[160], amount[160];
};

// Starts a budget. A limit of 0 means the default.
void tile_budget_open(struct tile_budget *budget, const struct tile_limits *limits);
// Replaces the limits. What has been spent still counts, except time.
void tile_budget_limit(struct tile_budget *budget, const struct tile_limits *limits);
// Creates a module within a budget, which must outlive it; NULL: no budget. See
// tile_module_create().
struct tile_module *tile_module_create_within(struct tile_budget *budget, const char *file,
                                              const char *text, size_t bytes);

// Ends the compilation with the code of a limit. Later calls have no effect.
void tile_budget_end(struct tile_module *module, enum tile_code code);
// Checks the limits. Must be called when `operations` reaches `next_look`.
void tile_budget_check(struct tile_module *module);

// True if a limit ended the compilation. `budget` may be NULL.
static inline bool tile_budget_ended(const struct tile_budget *budget)
{
    return budget && (budget->ended || budget->memory.refused);
}

// Counts steps that are about to be done.
static inline void tile_spend(struct tile_module *module, uint64_t steps)
{
    struct tile_budget *b = module->budget;

    if (b && (b->operations += steps) >= b->next_look)
        tile_budget_check(module);
}

// Record the op or the position being compiled, which errors then name.
static inline void tile_set_construct(struct tile_module *module, const struct tile_op *op)
{
    if (module->budget)
        module->budget->op = op;
}
static inline void tile_set_location(struct tile_module *module, struct tile_location where)
{
    if (module->budget)
        module->budget->where = where;
}

// Lifts the limits of a module permanently.
void tile_budget_lift(struct tile_module *module);

// If a limit ended the compilation, reports that limit's error and clears the out-of-memory state.
void tile_budget_report(struct tile_module *module);

#endif
