// Computes addresses without accessing memory: conversions between state spaces, tests for a space,
// addresses in other blocks of a cluster, cache hints, and the stack.
#include "base/array.h"
#include "alu.h"
#include "handlers.h"
#include "memory.h"

#include <string.h>

#define OFFSET_OF(address) ((address) & ((UINT64_C(1) << 56) - 1))
// True if list element i is a 64-bit register. In `wide`, decode_operand.c sets bits for list
// elements above those for operands.
#define ELEMENT_WIDE(op, i) ((op)->wide >> (8 + (i)) & 1)

static uint64_t window_of(enum sim_space space)
{
    return space == SIM_SHARED || space == SIM_SHARED_CLUSTER ? SIM_WINDOW_SHARED
           : space == SIM_LOCAL                               ? SIM_WINDOW_LOCAL
           : space == SIM_PARAM                               ? SIM_WINDOW_PARAM
                                                              : 0;
}

static enum sim_next run_cvta(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint64_t window = window_of((enum sim_space)op->extra);
    const uint64_t *from = SIM_R64(w, op->o[1]);
    uint64_t *to = SIM_R64(w, op->o[0]);

    SIM_ALU_LANES(mask, to[i] = from[i] | window);
    return SIM_NEXT;
}

static enum sim_next run_cvta_to(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint64_t window = window_of((enum sim_space)op->extra);
    const uint64_t *from = SIM_R64(w, op->o[1]);
    uint64_t *to = SIM_R64(w, op->o[0]);

    SIM_ALU_LANES(mask, to[i] = from[i] & ~window);
    return SIM_NEXT;
}

static sim_handler *pick_cvta(const struct sim_words *words, struct sim_op *op)
{
    enum sim_space space = sim_space_of(words);

    if (words->types != 1 || words->type[0] != SIM_U64 || space == SIM_GENERIC)
        return NULL;
    if (words->named != SIM_GENERIC &&
        words->named != (space == SIM_SHARED_CLUSTER ? SIM_SHARED : space)) {
        *words->why = "the variable is not of the space that it names";
        return NULL;
    }
    op->extra = space;
    return sim_has(words, "to") ? run_cvta_to : run_cvta;
}

static enum sim_next run_isspacep(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    enum sim_space space = (enum sim_space)op->extra;
    const struct sim_grid *grid = w->block->grid;
    uint32_t holds = 0;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = ELEMENT_WIDE(op, 0) ? SIM_R64(w, op->list[0])[lane]
                                               : SIM_R32(w, op->list[0])[lane],
                 rank = OFFSET_OF(address) >> SIM_RANK_SHIFT;
        bool is = SIM_WINDOW(address) == SIM_WINDOW(window_of(space));
        if (space == SIM_SHARED)
            is = is && (rank == 0 || rank == w->block->cluster_rank + 1);
        if (space == SIM_CONST || space == SIM_GLOBAL) {
            bool is_const = false;
            const struct sim_module *module = grid->program->module;
            for (size_t v = 0; is && !is_const && v < module->variable_count; v++)
                is_const = module->variables[v].space == SIM_CONST &&
                           address - grid->program->addresses[v] < module->variables[v].bytes;
            for (uint32_t v = 0; is && !is_const && v < grid->program->inner_count; v++)
                is_const = grid->program->inner[v].variable->space == SIM_CONST &&
                           address - grid->program->inner[v].address <
                               grid->program->inner[v].variable->bytes;
            is = is && is_const == (space == SIM_CONST);
        }
        holds |= (uint32_t)is << lane;
    }
    SIM_RP(w, op->o[0]) = (SIM_RP(w, op->o[0]) & ~mask) | holds;
    return SIM_NEXT;
}

static sim_handler *pick_isspacep(const struct sim_words *words, struct sim_op *op)
{
    enum sim_space space = sim_space_of(words);

    if (words->types || space == SIM_GENERIC || op->list_count != 1)
        return NULL;
    op->extra = space;
    return run_isspacep;
}

static enum sim_next run_mapa(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const uint32_t *rank = SIM_R32(w, op->o[2]);

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t a = op->extra ? SIM_R64(w, op->o[1])[lane] : SIM_R32(w, op->o[1])[lane];
        if (rank[lane] >= w->block->cluster->count)
            return sim_fault(w, op, lane, 719, "mapa to block %u of a cluster of %u", rank[lane],
                             w->block->cluster->count);
        a = (a & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank[lane] + 1)
                                                            << SIM_RANK_SHIFT;
        if (op->extra)
            SIM_R64(w, op->o[0])[lane] = a;
        else
            SIM_R32(w, op->o[0])[lane] = (uint32_t)a;
    }
    return SIM_NEXT;
}

static enum sim_next run_getctarank(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t a = op->extra ? SIM_R64(w, op->o[1])[lane] : SIM_R32(w, op->o[1])[lane];
        uint32_t rank = (uint32_t)(OFFSET_OF(a) >> SIM_RANK_SHIFT);
        SIM_R32(w, op->o[0])[lane] = rank ? rank - 1 : w->block->cluster_rank;
    }
    return SIM_NEXT;
}

static bool is_wide_address(const struct sim_words *words, struct sim_op *op)
{
    op->extra = words->types == 1 && words->type[0] == SIM_U64;
    return words->types == 1 &&
           (op->extra || words->type[0] == SIM_U32 || words->type[0] == SIM_S32);
}

static sim_handler *pick_mapa(const struct sim_words *words, struct sim_op *op)
{
    return is_wide_address(words, op) ? run_mapa : NULL;
}

static sim_handler *pick_getctarank(const struct sim_words *words, struct sim_op *op)
{
    return is_wide_address(words, op) ? run_getctarank : NULL;
}

// Does nothing: hints have no effect in the simulator.
static enum sim_next run_hint(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)w;
    (void)op;
    (void)mask;
    return SIM_NEXT;
}

static sim_handler *pick_hint(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return words->types ? NULL : run_hint;
}

static enum sim_next run_policy(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, i, SIM_R64(w, op->o[0])[i] = 0);
    return SIM_NEXT;
}

static sim_handler *pick_policy(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    // A policy has an eviction kind, and a second one for accesses outside its fraction or range.
    static const char *const kinds[] = { "L2::evict_last", "L2::evict_normal", "L2::evict_first",
                                         "L2::evict_unchanged" };
    uint32_t found = 0;
    for (size_t i = 0; i < CUC_LENGTH(kinds); i++)
        found += sim_has(words, kinds[i]);
    return words->types == 1 && words->type[0] == SIM_B64 &&
                   (sim_has(words, "cvt") ? sim_has(words, "L2") : found > 0)
               ? run_policy
               : NULL;
}

// Stack instructions with 32- or 64-bit addresses. alloca allocates downwards from the end of a
// lane's stack.
enum { STACK_ALIGN = 0xffff, STACK_64 = 1 << 16 };
static bool words_are_64(const struct sim_op *op)
{
    return op->extra & STACK_64;
}
static bool stack_words(const struct sim_words *words, struct sim_op *op)
{
    op->extra = words->type[0] == SIM_U64 ? STACK_64 : 0;
    return words->types == 1 && (op->extra || words->type[0] == SIM_U32);
}

static enum sim_next run_alloca(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_frame *frame = w->frame;
    uint32_t stack = w->block->grid->stack_bytes;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t bytes = words_are_64(op) ? SIM_R64(w, op->o[1])[lane] : SIM_R32(w, op->o[1])[lane];
        uint64_t align = op->extra & STACK_ALIGN;
        uint64_t used = frame->local_base + frame->code->local_bytes;
        uint64_t top = w->stack_top[lane] + bytes;
        top = (top + align - 1) & ~(align - 1);
        if (bytes > stack || top + used > stack)
            return sim_fault(w, op, lane, 719,
                             "stack overflow: alloca of %llu byte%s, %llu of %u are left: a larger "
                             "CU_LIMIT_STACK_SIZE gives more",
                             (unsigned long long)bytes, SIM_S(bytes),
                             (unsigned long long)(stack - used - w->stack_top[lane]), stack);
        w->stack_top[lane] = (uint32_t)top;
        if (words_are_64(op))
            SIM_R64(w, op->o[0])[lane] = stack - top;
        else
            SIM_R32(w, op->o[0])[lane] = stack - (uint32_t)top;
    }
    return SIM_NEXT;
}

static sim_handler *pick_alloca(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_statement *s = words->statement;

    uint64_t align = s->operands > 2 ? s->operand[2].value.u : 8;

    if (!stack_words(words, op) || !align || align & (align - 1) || align > 4096)
        return NULL;
    op->extra |= (uint32_t)align;
    return run_alloca;
}

static enum sim_next run_stacksave(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    if (words_are_64(op))
        SIM_LANES(mask, i, SIM_R64(w, op->o[0])[i] = w->stack_top[i]);
    else
        SIM_LANES(mask, i, SIM_R32(w, op->o[0])[i] = w->stack_top[i]);
    return SIM_NEXT;
}

static enum sim_next run_stackrestore(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    if (words_are_64(op))
        SIM_LANES(mask, i, w->stack_top[i] = (uint32_t)SIM_R64(w, op->o[0])[i]);
    else
        SIM_LANES(mask, i, w->stack_top[i] = SIM_R32(w, op->o[0])[i]);
    return SIM_NEXT;
}

static sim_handler *pick_stack(const struct sim_words *words, struct sim_op *op)
{
    if (!stack_words(words, op))
        return NULL;
    return strcmp(words->statement->word[0], "stacksave") == 0 ? run_stacksave : run_stackrestore;
}

#define SPACES \
    "global shared shared::cta shared::cluster local const param param::entry param::func "
#define EVICTIONS "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged"

const struct sim_instruction sim_address_instructions[] = {
    { "cvta", SPACES "to", "da", pick_cvta },
    { "isspacep", SPACES, "PV", pick_isspacep },
    { "mapa", "shared::cluster", "daaw", pick_mapa },
    { "getctarank", "shared::cluster", "dwa", pick_getctarank },
    { "prefetch", "global local const param tensormap L1 L2 L2::evict_last L2::evict_normal", "m",
      pick_hint },
    { "prefetchu", "L1", "m", pick_hint },
    { "applypriority", "global L2::evict_normal", "mi", pick_hint },
    { "discard", "global L2", "mi", pick_hint },
    { "createpolicy", "fractional " EVICTIONS, "dx?", pick_policy },
    { "createpolicy", "range global " EVICTIONS, "dmawaw", pick_policy },
    { "createpolicy", "cvt L2", "da", pick_policy },
    { "alloca", "", "dai?", pick_alloca },
    { "stacksave", "", "d", pick_stack },
    { "stackrestore", "", "a", pick_stack },
    { NULL, NULL, NULL, NULL },
};
