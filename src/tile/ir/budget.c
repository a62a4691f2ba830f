// Ends compilations that exceed their budget, and names the construct that was being compiled. See
// budget.h.
#include "budget.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

// The default limits. They keep every source of 2 kB within 512 MB and 2 s, or 1 s on a fast
// machine (tests/tile/stress_budget.py). Practical kernels take less than a thirtieth of the
// operations.
static const struct tile_limits usual = {
    .operations = UINT64_C(4) << 20,
    .ptx_bytes = UINT64_C(32) << 20,
    .memory_bytes = UINT64_C(256) << 20,
};

enum { STEPS_A_LOOK = 4096 };
static const double seconds_a_call = 0.005;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void tile_budget_open(struct tile_budget *b, const struct tile_limits *limits)
{
    *b = (struct tile_budget){ .ended = TILE_T000 };
    tile_budget_limit(b, limits ? limits : &usual);
}

void tile_budget_limit(struct tile_budget *b, const struct tile_limits *limits)
{
    b->limits = *limits;
    if (!b->limits.operations)
        b->limits.operations = usual.operations;
    if (!b->limits.ptx_bytes)
        b->limits.ptx_bytes = usual.ptx_bytes;
    if (!b->limits.memory_bytes)
        b->limits.memory_bytes = usual.memory_bytes;
    b->memory.limit = b->limits.memory_bytes < SIZE_MAX ? (size_t)b->limits.memory_bytes : SIZE_MAX;
    b->deadline = b->limits.seconds > 0 ? now() + b->limits.seconds : 0;
    b->next_call = 0;
    b->next_look = b->operations + 1; // check short compilations too
}

void tile_budget_check(struct tile_module *module)
{
    struct tile_budget *b = module->budget;

    b->next_look = b->operations + STEPS_A_LOOK;
    if (b->operations > b->limits.operations)
        tile_budget_end(module, TILE_T801);
    else if (b->next_look > b->limits.operations)
        b->next_look = b->limits.operations + 1; // stop at the same step on every machine
    if (b->ended || (b->deadline <= 0 && !b->limits.cancel))
        return;
    double time = now();
    if (b->deadline > 0 && time >= b->deadline)
        tile_budget_end(module, TILE_T804);
    if (!b->ended && b->limits.cancel && time >= b->next_call) {
        b->next_call = time + seconds_a_call;
        if (b->limits.cancel(b->limits.user))
            tile_budget_end(module, TILE_T805);
    }
}

// Names the construct being compiled, such as "sin of f64[4194304]". During parsing only the
// position is known, and the name is "program".
static void name_construct(struct tile_budget *b, struct tile_module *module)
{
    const struct tile_op *op = b->op;
    const struct tile_type *type = op && op->result_count ? &op->result[0]->type
                                   : op && op->operand_count && op->operand[op->operand_count - 1]
                                       ? &op->operand[op->operand_count - 1]->type
                                       : NULL;
    const char *text = type && !type->tensor ? tile_type_text(module->arena, type) : NULL;

    if (op)
        snprintf(b->construct, sizeof(b->construct), "%s%s%s", tile_op_word(op), text ? " of " : "",
                 text ? text : "");
    else
        snprintf(b->construct, sizeof(b->construct), "program");
}

void tile_budget_end(struct tile_module *module, enum tile_code code)
{
    struct tile_budget *b = module->budget;
    const struct tile_limits *limits = &b->limits;
    char *text = b->amount;
    const size_t capacity = sizeof(b->amount);

    module->diagnostics->out_of_memory = true;
    if (b->ended)
        return;
    b->ended = code;
    b->ended_at = b->op ? b->op->where : b->where;
    name_construct(b, module);
    switch (code) {
    case TILE_T801:
        snprintf(text, capacity, "%llu operations so far, and its budget is %llu",
                 (unsigned long long)b->operations, (unsigned long long)limits->operations);
        break;
    case TILE_T802:
        snprintf(text, capacity, "more than the %llu bytes of text that its budget is",
                 (unsigned long long)limits->ptx_bytes);
        break;
    case TILE_T803:
        snprintf(text, capacity,
                 "%zu bytes of memory so far, and more than its budget of %llu next",
                 b->memory.held, (unsigned long long)limits->memory_bytes);
        break;
    case TILE_T804:
        snprintf(text, capacity, "more than the %g seconds of its budget", limits->seconds);
        break;
    default:
        snprintf(text, capacity, "cancelled by the caller");
        break;
    }
}

void tile_budget_lift(struct tile_module *module)
{
    if (module->budget)
        module->budget->memory.limit = SIZE_MAX;
    module->budget = NULL;
}

void tile_budget_report(struct tile_module *module)
{
    struct tile_diagnostics *d = module->diagnostics;
    struct tile_budget *b = module->budget;

    if (!tile_budget_ended(b))
        return;
    if (!b->ended && b->memory.refused)
        tile_budget_end(module, TILE_T803);
    if (!b->ended)
        return;
    tile_budget_lift(module); // the error itself needs memory
    d->out_of_memory = false;
    struct tile_location where = b->ended_at;
    where.inlined_at = NULL;                               // the call may belong to a freed module
    where.file = module->file ? module->file : where.file; // calls belong to this module
    tile_error(
        module, b->ended, where, "budget: %s: %s%s", b->construct, b->amount,
        b->ended == TILE_T805
            ? ""
            : ": make tiles and unrolled loops smaller, or give the program a larger budget");
}
