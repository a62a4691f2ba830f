// ldmatrix, stmatrix and movmatrix, which move matrices of 16-bit elements or bytes between shared
// memory and a warp's registers; also the table of all matrix instructions.
//
// Lanes provide the addresses of 16-byte rows, eight rows per register: lane 8 j + r has the
// address of row r of group j. In registers, lane l holds word l % 4 of row l / 4, so four adjacent
// lanes hold a row. .trans transposes the matrix, which is 8 x 8 16-bit elements in one register or
// 16 x 16 bytes in two. stmatrix for bytes takes registers with one byte per element, in the layout
// of an mma's 16 x 8 accumulators, and writes columns.
#include "matrix.h"
#include "memory.h"

#include <string.h>

// sim_op.extra
enum {
    MATRIX_SPACE = 15,
    MATRIX_TRANS = 16,
    MATRIX_BYTES = 32,
    MATRIX_PACKED = 8, // width of an element in memory, 4 or 6 bits; 0: not packed
};

// Transposes an 8 x 8 matrix of 16-bit elements.
static void transpose(uint32_t words[SIM_WARP])
{
    uint16_t old[8][8], transposed[8][8];

    memcpy(old, words, sizeof old);
    for (int row = 0; row < 8; row++)
        for (int col = 0; col < 8; col++)
            transposed[col][row] = old[row][col];
    memcpy(words, transposed, sizeof transposed);
}

static void transpose_bytes(uint32_t words[2][SIM_WARP])
{
    unsigned char old[16][16], transposed[16][16];

    memcpy(old, words, sizeof old);
    for (int row = 0; row < 16; row++)
        for (int col = 0; col < 16; col++)
            transposed[col][row] = old[row][col];
    memcpy(words, transposed, sizeof transposed);
}

// Transposes 16 x 8 accumulator cells, so that columns become rows of 16 bytes.
static void transpose_cells(uint32_t words[SIM_WARP])
{
    unsigned char cells[SIM_WARP][4], rows[8][16];

    memcpy(cells, words, sizeof cells);
    for (uint32_t lane = 0; lane < SIM_WARP; lane++)
        for (uint32_t i = 0; i < 4; i++)
            rows[2 * (lane % 4) + i % 2][lane / 4 + 8 * (i / 2)] = cells[lane][i];
    memcpy(words, rows, sizeof rows);
}

// Expands a row of 16 packed elements, lowest bits first, to one byte per element.
static void spread(uint32_t bits, unsigned char row[16])
{
    uint64_t low, high;
    memcpy(&low, row, sizeof low);
    memcpy(&high, row + 8, sizeof high);
    for (uint32_t i = 0; i < 16; i++) {
        row[i] = (unsigned char)(low & ((1u << bits) - 1));
        low = low >> bits | high << (64 - bits);
        high >>= bits;
    }
}

// Resolves the host addresses of eight rows.
static bool reach_rows(struct sim_warp *w, const struct sim_op *op, uint32_t operand,
                       uint32_t eight, enum sim_access access, void *host[8])
{
    for (uint32_t row = 0; row < 8; row++) {
        uint32_t lane = 8 * eight + row;
        if (!sim_reach(w, op, lane, (enum sim_space)(op->extra & MATRIX_SPACE),
                       sim_address(w, op, operand, lane), 16, access, &host[row]))
            return false;
    }
    return true;
}

static enum sim_next run_ldmatrix(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    uint32_t words[4][SIM_WARP];
    const uint32_t packed = op->extra >> MATRIX_PACKED;
    void *host[8];

    if (!sim_together(w))
        return SIM_RETRY;
    // Read all rows before writing any, since a destination may also be the address.
    for (uint32_t i = 0; i < op->list_count; i++) {
        if (!reach_rows(w, op, 1, i, SIM_READ, host))
            return SIM_FAULT;
        for (uint32_t row = 0; row < 8; row++) {
            memcpy(&words[i][4 * row], host[row], 16);
            if (packed)
                spread(packed, (unsigned char *)&words[i][4 * row]);
        }
        if (!(op->extra & MATRIX_TRANS))
            continue;
        if (!(op->extra & MATRIX_BYTES))
            transpose(words[i]);
        else if (i % 2 == 1)
            transpose_bytes(words + i - 1);
    }
    for (uint32_t i = 0; i < op->list_count; i++) {
        uint32_t *to = SIM_R32(w, op->list[i]);
        SIM_LANES(mask, lane, to[lane] = words[i][lane]);
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
    for (uint32_t i = 0; i < op->list_count; i++) {
        memcpy(words, SIM_R32(w, op->list[i]), sizeof words);
        if (op->extra & MATRIX_BYTES)
            transpose_cells(words);
        else if (op->extra & MATRIX_TRANS)
            transpose(words);
        if (!reach_rows(w, op, 0, i, SIM_WRITE, host))
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
    transpose(words);
    SIM_LANES(mask, lane, to[lane] = words[lane]);
    return SIM_NEXT;
}

// Choice

static bool is_m8n8(const struct sim_words *words)
{
    return sim_has(words, "sync") && sim_has(words, "aligned") && sim_has(words, "m8n8") &&
           words->types == 1 && words->type[0] == SIM_B16;
}

static bool matrices_fit(const struct sim_words *words, struct sim_op *op, uint32_t registers)
{
    uint32_t count = sim_has(words, "x1")   ? 1
                     : sim_has(words, "x2") ? 2
                     : sim_has(words, "x4") ? 4
                                            : 0;
    enum sim_space space = sim_space_of(words);

    op->extra = (uint32_t)space | (sim_has(words, "trans") ? MATRIX_TRANS : 0);
    return sim_has(words, "sync") && sim_has(words, "aligned") && count &&
           op->list_count == count * registers && op->list_count <= 4 &&
           (space == SIM_GENERIC || space == SIM_SHARED);
}

// Matrices of bytes require a target such as sm_100a.
static bool has_bytes(const struct sim_words *words)
{
    if (words->module->target >= 100 && words->module->target_suffix)
        return true;
    *words->why = "matrices of bytes need .target sm_100a";
    return false;
}

static sim_handler *pick_ldmatrix(const struct sim_words *words, struct sim_op *op)
{
    return is_m8n8(words) && matrices_fit(words, op, 1) ? run_ldmatrix : NULL;
}

// Picks forms with elements of 8, 6 or 4 bits. Transposing takes two registers per matrix.
static sim_handler *pick_ldmatrix_bytes(const struct sim_words *words, struct sim_op *op)
{
    bool six = sim_has(words, "b6x16_p32"), four = sim_has(words, "b4x16_p64");
    bool packed = words->types == 0 && sim_has(words, "b8x16") && six != four;
    bool bytes = words->types == 1 && words->type[0] == SIM_B8 && !sim_has(words, "b8x16") &&
                 !six && !four;
    bool wide = sim_has(words, "m16n16");

    if (wide == sim_has(words, "m8n16") || wide != sim_has(words, "trans") ||
        !(wide ? bytes || packed : packed) || !matrices_fit(words, op, wide ? 2 : 1) ||
        !has_bytes(words))
        return NULL;
    op->extra |= MATRIX_BYTES | (packed ? six ? 6u : 4u : 0u) << MATRIX_PACKED;
    return run_ldmatrix;
}

static sim_handler *pick_stmatrix(const struct sim_words *words, struct sim_op *op)
{
    return is_m8n8(words) && matrices_fit(words, op, 1) ? run_stmatrix : NULL;
}

static sim_handler *pick_stmatrix_bytes(const struct sim_words *words, struct sim_op *op)
{
    if (words->types != 1 || words->type[0] != SIM_B8 || !sim_has(words, "m16n8") ||
        !sim_has(words, "trans") || !matrices_fit(words, op, 1) || !has_bytes(words))
        return NULL;
    op->extra |= MATRIX_BYTES;
    return run_stmatrix;
}

static sim_handler *pick_movmatrix(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return is_m8n8(words) && sim_has(words, "trans") ? run_movmatrix : NULL;
}

#define WMMA_WORDS \
    "sync aligned row col m16n16k16 m32n8k16 m8n32k16 m16n16k8 m8n8k4 m8n8k32 m8n8k128 "
#define SHARED_WORDS "sync aligned x1 x2 x4 trans shared shared::cta "

const struct sim_instruction sim_matrix_instructions[] = {
    { "ldmatrix", SHARED_WORDS "m8n8", "vm", pick_ldmatrix },
    { "ldmatrix", SHARED_WORDS "m16n16 m8n16 b8x16 b6x16_p32 b4x16_p64", "vm",
      pick_ldmatrix_bytes },
    { "stmatrix", SHARED_WORDS "m8n8", "mV", pick_stmatrix },
    { "stmatrix", SHARED_WORDS "m16n8", "mV", pick_stmatrix_bytes },
    { "movmatrix", "sync aligned m8n8 trans", "dwaw", pick_movmatrix },
    { "mma",
      "sp sp::ordered_metadata sync aligned row col satfinite m16n8k8 m16n8k16 m16n8k32 m16n8k64 "
      "m16n8k128",
      "vV1V2V3awi", sim_pick_mma_sparse },
    { "mma",
      "sync aligned row col satfinite xor and popc rn rz rm rp m8n8k4 m8n8k16 m8n8k32 m8n8k128 "
      "m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256",
      "vV1V2V3", sim_pick_mma },
    { "wmma", WMMA_WORDS "load a b c global shared shared::cta", "vmaw?", sim_pick_wmma_load },
    { "wmma", WMMA_WORDS "store d global shared shared::cta", "mVaw?", sim_pick_wmma_store },
    { "wmma", WMMA_WORDS "mma satfinite rn rz rm rp xor and popc", "vVVV", sim_pick_wmma_mma },
    { NULL, NULL, NULL, NULL },
};
