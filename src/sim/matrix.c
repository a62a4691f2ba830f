// ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16-bit elements between shared memory and the
// registers of a warp; and the table of all matrix instructions.
//
// A row of 16 bytes lies at the address that lane 8 m + r gives for row r of matrix m. In
// registers, lane l holds elements 2 (l % 4) and the next of row l / 4; with .trans, of column l
// / 4.
#include "matrix.h"
#include "memory.h"

#include <string.h>

enum { MATRIX_SPACE = 15, MATRIX_TRANS = 16 };

// Element 0 .. 7 of row 0 .. 7 is a 16-bit piece of it: turn all of one matrix.
static void turn(uint32_t words[SIM_WARP])
{
    uint16_t old[8][8], turned[8][8];

    memcpy(old, words, sizeof old);
    for (int row = 0; row < 8; row++)
        for (int col = 0; col < 8; col++)
            turned[col][row] = old[row][col];
    memcpy(words, turned, sizeof turned);
}

// The rows of a matrix as lanes give them: 8 host addresses.
static bool reach_rows(struct sim_warp *w, const struct sim_op *op, uint32_t operand,
                       uint32_t matrix, bool write, void *host[8])
{
    for (uint32_t row = 0; row < 8; row++) {
        uint32_t lane = 8 * matrix + row;
        if (!sim_reach(w, op, lane, (enum sim_space)(op->extra & MATRIX_SPACE),
                       sim_address(w, op, operand, lane), 16, write, &host[row]))
            return false;
    }
    return true;
}

static enum sim_next run_ldmatrix(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t words[4][SIM_WARP];
    void *host[8];

    if (!sim_together(w))
        return SIM_RETRY;
    // All are read first: a destination may be the address.
    for (uint32_t m = 0; m < op->list_count; m++) {
        if (!reach_rows(w, op, 1, m, false, host))
            return SIM_FAULT;
        for (uint32_t row = 0; row < 8; row++)
            memcpy(&words[m][4 * row], host[row], 16);
        if (op->extra & MATRIX_TRANS)
            turn(words[m]);
    }
    for (uint32_t m = 0; m < op->list_count; m++) {
        uint32_t *to = SIM_R32(w, op->list[m]);
        SIM_LANES(mask, lane, to[lane] = words[m][lane]);
    }
    return SIM_NEXT;
}

static enum sim_next run_stmatrix(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t words[SIM_WARP];
    void *host[8];

    (void)mask;
    if (!sim_together(w))
        return SIM_RETRY;
    for (uint32_t m = 0; m < op->list_count; m++) {
        memcpy(words, SIM_R32(w, op->list[m]), sizeof words);
        if (op->extra & MATRIX_TRANS)
            turn(words);
        if (!reach_rows(w, op, 0, m, true, host))
            return SIM_FAULT;
        for (uint32_t row = 0; row < 8; row++)
            memcpy(host[row], &words[4 * row], 16);
    }
    return SIM_NEXT;
}

static enum sim_next run_movmatrix(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t words[SIM_WARP], *to = SIM_R32(w, op->o[0]);

    if (!sim_together(w))
        return SIM_RETRY;
    memcpy(words, SIM_R32(w, op->o[1]), sizeof words);
    turn(words);
    SIM_LANES(mask, lane, to[lane] = words[lane]);
    return SIM_NEXT;
}

static bool is_m8n8(const struct sim_words *words)
{
    return sim_has(words, "sync") && sim_has(words, "aligned") && sim_has(words, "m8n8") &&
           words->types == 1 && words->type[0] == SIM_B16;
}

static bool matrices_fit(const struct sim_words *words, struct sim_op *op)
{
    uint32_t count = sim_has(words, "x1")   ? 1
                     : sim_has(words, "x2") ? 2
                     : sim_has(words, "x4") ? 4
                                            : 0;
    enum sim_space space = sim_space_of(words);

    op->extra = (uint32_t)space | (sim_has(words, "trans") ? MATRIX_TRANS : 0);
    return is_m8n8(words) && count && op->list_count == count &&
           (space == SIM_GENERIC || space == SIM_SHARED);
}

static sim_handler *pick_ldmatrix(const struct sim_words *words, struct sim_op *op)
{
    return matrices_fit(words, op) ? run_ldmatrix : NULL;
}

static sim_handler *pick_stmatrix(const struct sim_words *words, struct sim_op *op)
{
    return matrices_fit(words, op) ? run_stmatrix : NULL;
}

static sim_handler *pick_movmatrix(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return is_m8n8(words) && sim_has(words, "trans") ? run_movmatrix : NULL;
}

#define WMMA_WORDS \
    "sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 "
#define SHARED_WORDS "sync aligned m8n8 x1 x2 x4 trans shared shared::cta"

const struct sim_instruction sim_matrix_instructions[] = {
    { "ldmatrix", SHARED_WORDS, "vm", pick_ldmatrix },
    { "stmatrix", SHARED_WORDS, "mV", pick_stmatrix },
    { "movmatrix", "sync aligned m8n8 trans", "da", pick_movmatrix },
    { "mma",
      "sync aligned row col satfinite xor and popc m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 "
      "m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256",
      "vV1V2V3", sim_pick_mma },
    { "wmma", WMMA_WORDS "load a b c global shared shared::cta", "vmaw?", sim_pick_wmma_load },
    { "wmma", WMMA_WORDS "store d global shared shared::cta", "mVaw?", sim_pick_wmma_store },
    { "wmma", WMMA_WORDS "mma satfinite rn xor and popc", "vVVV", sim_pick_wmma_mma },
    { NULL, NULL, NULL, NULL },
};
