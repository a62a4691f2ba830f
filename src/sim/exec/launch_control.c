// clusterlaunchcontrol: a kernel takes over the work of blocks that have not begun.
//
// The ISA leaves the encoding of the response open. Here it consists of the coordinates of the
// canceled cluster's first block, and a word that tells if a cluster was canceled.
#include "async.h"
#include "handlers.h"
#include "mbarrier.h"
#include "memory.h"

#include <string.h>

enum { ANSWER_BYTES = 16, CANCELLED = 3 /* word of the response after x, y and z */ };

// Runs try_cancel. o[0]: address of the response, o[2]: mbarrier. With .multicast::cluster::all,
// every block of the cluster has both; otherwise one block has them.
static enum sim_next run_try_cancel(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const enum sim_space space = (enum sim_space)(op->extra >> 1);
    const uint32_t blocks = op->extra & 1 ? w->block->cluster->count : 1;

    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t to = sim_address(w, op, 0, lane), barrier = sim_address(w, op, 2, lane);
        uint32_t answer[ANSWER_BYTES / 4] = { 0, 0, 0, 0 };
        void *place;
        answer[CANCELLED] = sim_cancel_unit(w->worker, answer);
        for (uint32_t i = 0; i < blocks; i++) {
            if (op->extra & 1) {
                to = sim_in_rank(to, i);
                barrier = sim_in_rank(barrier, i);
            }
            if (!sim_reach_shared(w, op, lane, space, to, ANSWER_BYTES, ANSWER_BYTES, SIM_WRITE,
                                  &place))
                return SIM_FAULT;
            memcpy(place, answer, ANSWER_BYTES);
            if (!sim_mbarrier_complete(w, op, lane, space, barrier, ANSWER_BYTES))
                return SIM_FAULT;
        }
    }
    return SIM_NEXT;
}

// Returns a word of the response, which is in a 128-bit register.
static uint32_t answer_word(struct sim_warp *w, uint32_t at, uint32_t lane, uint32_t word)
{
    return (uint32_t)(SIM_R64(w, at + word / 2 * SIM_WARP * 8)[lane] >> word % 2 * 32);
}

static enum sim_next run_is_canceled(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t yes = 0;

    SIM_LANES(mask, lane, yes |= (answer_word(w, op->o[1], lane, CANCELLED) & 1) << lane);
    SIM_RP(w, op->o[0]) = (SIM_RP(w, op->o[0]) & ~mask) | (yes & mask);
    return SIM_NEXT;
}

static enum sim_next run_first(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    SIM_LANES(mask, lane, SIM_R32(w, op->o[0])[lane] = answer_word(w, op->o[1], lane, op->extra));
    return SIM_NEXT;
}

static enum sim_next run_first_all(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    for (uint32_t i = 0; i < 3; i++)
        if (op->list[i] != SIM_NO_OPERAND)
            SIM_LANES(mask, lane,
                      SIM_R32(w, op->list[i])[lane] = answer_word(w, op->o[1], lane, i));
    return SIM_NEXT;
}

// Rows

// Returns `form` if it matches the types in the statement. The last type is that of the response.
static sim_handler *fits(const struct sim_words *words, uint32_t types, enum sim_type first,
                         sim_handler *form)
{
    if (words->types != types || words->type[0] != first || words->type[types - 1] != SIM_B128)
        return NULL;
    return sim_async_target(words, 100) ? form : NULL;
}

static sim_handler *pick_try_cancel(const struct sim_words *words, struct sim_op *op)
{
    const bool all = sim_has(words, "multicast::cluster::all");

    if (!sim_has(words, "async") || !sim_has(words, "mbarrier::complete_tx::bytes"))
        return NULL;
    if (all && !words->module->target_suffix) {
        *words->why = "it needs .target sm_100a or its like";
        return NULL;
    }
    op->extra = (uint32_t)sim_space_of(words) << 1 | all;
    op->o[2] = op->o[1]; // where the race check expects the mbarrier
    op->wide |= (op->wide & 2) << 1;
    return fits(words, 1, SIM_B128, run_try_cancel);
}

static sim_handler *pick_is_canceled(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return fits(words, 2, SIM_PRED, run_is_canceled);
}

static sim_handler *pick_first(const struct sim_words *words, struct sim_op *op)
{
    static const char *const dimensions[] = { "get_first_ctaid::x", "get_first_ctaid::y",
                                              "get_first_ctaid::z" };

    for (op->extra = 0; op->extra < 3; op->extra++)
        if (sim_has(words, dimensions[op->extra]))
            return fits(words, 2, SIM_B32, run_first);
    return NULL;
}

static sim_handler *pick_first_all(const struct sim_words *words, struct sim_op *op)
{
    if (!sim_has(words, "get_first_ctaid") || !sim_has(words, "v4") || op->list_count != 4 ||
        op->wide >> 8)
        return NULL;
    return fits(words, 2, SIM_B32, run_first_all);
}

const struct sim_instruction sim_launch_instructions[] = {
    { "clusterlaunchcontrol",
      "try_cancel async shared::cta mbarrier::complete_tx::bytes multicast::cluster::all", "mm",
      pick_try_cancel },
    { "clusterlaunchcontrol", "query_cancel is_canceled", "Pa1", pick_is_canceled },
    { "clusterlaunchcontrol",
      "query_cancel get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z", "da1", pick_first },
    { "clusterlaunchcontrol", "query_cancel get_first_ctaid v4", "va1", pick_first_all },
    { NULL, NULL, NULL, NULL },
};
