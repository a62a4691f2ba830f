// Asynchronous stores and reductions by a thread: st.async and red.async. All complete when they
// are issued. With an mbarrier, they access shared memory of any block in the cluster and signal
// the mbarrier. Without one, they are release operations on any memory.
#include "async.h"
#include "sim/check/check_race.h"
#include "mbarrier.h"
#include "memory.h"

#include <string.h>

// sim_op.extra
enum {
    SPACE_MASK = 0xf,
    SIZE_SHIFT = 4,  // size of an element in bytes, 4 bits wide
    STRONG = 1 << 8, // has an order and a scope; used by the race check
};

static const unsigned char *element(const struct sim_warp *w, const struct sim_op *op, uint32_t i,
                                    uint32_t lane)
{
    return w->f + op->list[i] + (op->wide >> (8 + i) & 1 ? 8 : 4) * (size_t)lane;
}

// Runs st.async. o[0]: destination, o[1]: first element, o[2]: mbarrier or none.
static enum sim_next run_store(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const enum sim_space space = (enum sim_space)(op->extra & SPACE_MASK);
    const uint32_t size = op->extra >> SIZE_SHIFT & 0xf, bytes = size * op->list_count;
    const bool signals = op->o[2] != SIM_NO_OPERAND;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t to = sim_address(w, op, 0, lane);
        uint64_t barrier = signals ? sim_address(w, op, 2, lane) : 0;
        void *place;
        if (signals ? !sim_same_block(w, op, lane, to, barrier) ||
                          !sim_reach_shared(w, op, lane, space, to, bytes, bytes, SIM_WRITE, &place)
                    : !sim_reach(w, op, lane, space, to, bytes, SIM_WRITE, &place))
            return SIM_FAULT;
        if (op->extra & STRONG && sim_race_on())
            sim_race_strong(w, op, place, true, false);
        for (uint32_t i = 0; i < op->list_count; i++)
            memcpy((unsigned char *)place + i * size, element(w, op, i, lane), size);
        if (signals && !sim_mbarrier_complete(w, op, lane, space, barrier, bytes))
            return SIM_FAULT;
    }
    return SIM_NEXT;
}

// Runs red.async. o[0]: destination, o[1]: value, o[2]: mbarrier or none.
static enum sim_next run_reduce(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const enum sim_space space = (enum sim_space)(op->extra & SPACE_MASK);
    const struct sim_reduction *r = op->data;
    const uint32_t bytes = sim_type_bytes(r->type);
    const bool signals = op->o[2] != SIM_NO_OPERAND;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t to = sim_address(w, op, 0, lane);
        uint64_t barrier = signals ? sim_address(w, op, 2, lane) : 0;
        void *place;
        if (signals
                ? !sim_same_block(w, op, lane, to, barrier) ||
                      !sim_reach_shared(w, op, lane, space, to, bytes, bytes, SIM_UPDATE, &place)
                : !sim_reach(w, op, lane, space, to, bytes, SIM_UPDATE, &place))
            return SIM_FAULT;
        if (op->extra & STRONG && sim_race_on())
            sim_race_strong(w, op, place, true, false);
        sim_reduce(r, place, w->f + op->o[1] + (size_t)lane * bytes, bytes);
        if (signals && !sim_mbarrier_complete(w, op, lane, space, barrier, bytes))
            return SIM_FAULT;
    }
    return SIM_NEXT;
}

// Rows

// Checks the words. .release, .global and .mmio require sm_100; .weak stores and stores within a
// block have no scope.
static bool fits(const struct sim_words *words, bool signals)
{
    const bool ordered = sim_has(words, "release") || sim_has(words, "relaxed");
    const bool scope = sim_has(words, "cluster") || sim_has(words, "gpu") || sim_has(words, "sys");
    const bool late = sim_has(words, "release") || sim_has(words, "global");

    if ((sim_has(words, "mmio") && !sim_has(words, "release")) || (ordered && !scope) ||
        (scope && (sim_has(words, "weak") || sim_has(words, "shared::cta"))) ||
        (signals && (sim_has(words, "gpu") || sim_has(words, "sys"))))
        return false;
    return sim_async_target(words, late ? 100 : 90);
}

static sim_handler *pick_store(const struct sim_words *words, struct sim_op *op)
{
    const uint32_t count = sim_has(words, "v4") ? 4 : sim_has(words, "v2") ? 2 : 1;
    const uint32_t size = sim_type_bytes(words->type[0]);
    const bool signals = sim_has(words, "mbarrier::complete_tx::bytes");

    if (!sim_has(words, "async") || words->types != 1 || op->list_count != count ||
        signals != (op->o[2] != SIM_NO_OPERAND) || size > 8 || size < (signals ? 4 : 2) ||
        count * size > 16 || (!signals && count > 1) || !fits(words, signals))
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (op->list[i] == SIM_NO_OPERAND || (op->wide >> (8 + i) & 1) != (size == 8))
            return NULL;
    op->extra = (uint32_t)sim_space_of(words) | size << SIZE_SHIFT |
                (sim_has(words, "release") ? STRONG : 0);
    return run_store;
}

static sim_handler *pick_reduce(const struct sim_words *words, struct sim_op *op)
{
    const char *operation = sim_reduction_word(words);
    const struct sim_reduction *r =
        operation && words->types == 1 ? sim_reduction_find(operation, words->type[0]) : NULL;
    const bool signals = sim_has(words, "mbarrier::complete_tx::bytes");

    if (!sim_has(words, "async") || !r || !r->shared || signals != (op->o[2] != SIM_NO_OPERAND) ||
        (!sim_has(words, "relaxed") && !sim_has(words, "release")) || !fits(words, signals))
        return NULL;
    op->data = r;
    op->extra = (uint32_t)sim_space_of(words) | (signals ? 0 : STRONG);
    return run_reduce;
}

#define OPERATIONS "add min max inc dec and or xor "
#define SIGNAL "mbarrier::complete_tx::bytes "

const struct sim_instruction sim_async_store_instructions[] = {
    { "st", "!async weak cluster shared::cta shared::cluster v2 v4 " SIGNAL, "mVm", pick_store },
    { "st", "!async weak mmio release gpu sys global shared::cta", "mV", pick_store },
    { "red", "async relaxed cluster shared::cluster " OPERATIONS SIGNAL, "mam", pick_reduce },
    { "red", "async mmio relaxed release gpu sys global " OPERATIONS, "ma", pick_reduce },
    { NULL, NULL, NULL, NULL },
};
