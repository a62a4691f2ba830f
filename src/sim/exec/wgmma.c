// wgmma: a matrix product of 64 x n cells, which the four warps of a warpgroup compute together, 16
// rows each (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). B is in shared memory,
// where a descriptor locates it. A is in shared memory too, or in registers.
//
// The product is computed when it is issued. Its inputs must not change before the wait, so fence,
// commit_group and wait_group do nothing. One instruction covers 32 bytes of k, and 64 bytes of B
// if A is sparse. With g = lane / 4 and t = lane % 4, register i of D is in row g + 8 * (i / 2 % 2)
// of the warp's 16 rows and in column 8 * (i / 4) + 2 t + i % 2. The registers of A and of its
// metadata are as in mma.c.
#include "wgmma.h"

#include "base/array.h"
#include "sim/check/check_race.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

enum { ILLEGAL_INSTRUCTION = 715 };

// sim_op.extra
enum {
    WGMMA_A = 0,  // element type of A, 8 bits
    WGMMA_B = 8,  // element type of B
    WGMMA_N = 16, // n / 8, 6 bits
    WGMMA_A_REGISTERS = 1 << 22,
    WGMMA_TRANSPOSE_A = 1 << 23, // A is stored with m innermost
    WGMMA_TRANSPOSE_B = 1 << 24,
    WGMMA_NEGATE = 1 << 25,
    WGMMA_D_HALF = 1 << 26,
    WGMMA_D_INT = 1 << 27,
    WGMMA_SATFINITE = 1 << 28,
    WGMMA_SPARSE = 1 << 29,
    WGMMA_SELECTOR = 30, // metadata selector, 1 bit
};

// Handlers

// Collects the warp's rows of A from registers, as [WGMMA_ROWS][WGMMA_STEP].
static void rows_of_registers(const struct sim_warp *w, const uint32_t *list, unsigned char *rows)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t g = 0; g < 8; g++)
            memcpy(rows + (g + 8 * (i % 2)) * WGMMA_STEP + i / 2 * 16, SIM_R32(w, list[i]) + 4 * g,
                   16);
}

static enum sim_next run_multiply(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const uint32_t n = (op->extra >> WGMMA_N & 63) * 8, group = w->index / 4 * 4;
    const enum sim_type type_a = (enum sim_type)(op->extra >> WGMMA_A & 255);
    const enum sim_type type_b = (enum sim_type)(op->extra >> WGMMA_B & 255);
    const bool sparse = op->extra & WGMMA_SPARSE;
    unsigned char a[WGMMA_ROWS * WGMMA_STEP], b[WGMMA_MAX_N * 2 * WGMMA_STEP];
    struct sim_wgmma p;

    if (!sim_together(w))
        return SIM_RETRY;
    if (sim_race_on() && !sim_race_product(w, op))
        return SIM_FAULT;
    if (group + 4 > w->block->warp_count)
        return sim_fault(w, op, (uint32_t)__builtin_ctz(w->active), ILLEGAL_INSTRUCTION,
                         "a warpgroup is four warps, and the last of this block has %u",
                         w->block->warp_count - group);

    uint32_t scale = SIM_RP(w, op->o[sparse ? 4 : 3]) & w->active;
    if (scale && scale != w->active)
        return sim_fault(w, op, (uint32_t)__builtin_ctz(w->active), ILLEGAL_INSTRUCTION,
                         "scale-d is true in lanes 0x%08x of 0x%08x: all of a warpgroup must have "
                         "the same",
                         scale, w->active);

    if (op->extra & WGMMA_A_REGISTERS) {
        rows_of_registers(w, op->list + op->o[1], a);
    } else {
        struct sim_tile tile = { .name = "A",
                                 .k_bytes = WGMMA_STEP,
                                 .mn_major = op->extra & WGMMA_TRANSPOSE_A };
        if (!sim_tile_read(w, op, SIM_R64(w, op->list[op->o[1]]), 4 * WGMMA_ROWS, &tile) ||
            !sim_tile_gather(w, op, &tile, (w->index - group) * WGMMA_ROWS, WGMMA_ROWS, a))
            return SIM_FAULT;
    }
    struct sim_tile tile = { .name = "B",
                             .k_bytes = sparse ? 2 * WGMMA_STEP : WGMMA_STEP,
                             .mn_major = op->extra & WGMMA_TRANSPOSE_B };
    if (!sim_tile_read(w, op, SIM_R64(w, op->o[2]), n, &tile) ||
        !sim_tile_gather(w, op, &tile, 0, n, b))
        return SIM_FAULT;

    p.kept = WGMMA_STEP / sim_type_bytes(type_a);
    p.k = sparse ? 2 * p.kept : p.kept;
    p.n = n;
    if (sparse)
        sim_sparse_rows(type_a, p.k, SIM_R32(w, op->o[3]), op->extra >> WGMMA_SELECTOR & 1, p.rows);
    sim_wgmma_load(&p, type_a, a, type_b, b, op->extra & WGMMA_NEGATE);
    if (op->extra & WGMMA_D_INT)
        sim_wgmma_int(&p, w, op->list + op->o[0], scale, op->extra & WGMMA_SATFINITE, mask);
    else if (op->extra & WGMMA_D_HALF)
        sim_wgmma_half(&p, w, op->list + op->o[0], scale, mask);
    else
        sim_wgmma_float(&p, w, op->list + op->o[0], scale, mask);
    return SIM_NEXT;
}

// Reports a fence, which matters only to the race check.
static enum sim_next run_fence(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    if (!sim_together(w))
        return SIM_RETRY;
    if (sim_race_on())
        sim_race_product_fence(w);
    return SIM_NEXT;
}

static enum sim_next run_commit(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    if (!sim_together(w))
        return SIM_RETRY;
    if (sim_race_on())
        sim_race_commit(w, SIM_GROUPS_PRODUCTS);
    return SIM_NEXT;
}

static enum sim_next run_wait(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)mask;
    if (!sim_together(w))
        return SIM_RETRY;
    if (sim_race_on())
        sim_race_wait(w, SIM_GROUPS_PRODUCTS, op->extra);
    return SIM_NEXT;
}

// Choice

static sim_handler *refuse(const struct sim_words *words, const char *why)
{
    *words->why = why;
    return NULL;
}

// Checks what all forms require. `first` is the word that distinguishes the instructions.
static bool is_form(const struct sim_words *words, const char *first)
{
    const struct sim_statement *s = words->statement;

    if (s->words < 2 || strcmp(s->word[1], first) != 0 || !sim_has(words, "sync") ||
        !sim_has(words, "aligned"))
        return false;
    if (words->module->target == 90 && words->module->target_suffix == 'a')
        return true;
    refuse(words, "it needs .target sm_90a");
    return false;
}

static sim_handler *pick_fence(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return is_form(words, "fence") && words->types == 0 ? run_fence : NULL;
}

static sim_handler *pick_commit(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return is_form(words, "commit_group") && words->types == 0 ? run_commit : NULL;
}

static int64_t integer(const struct sim_operand *o)
{
    return (int64_t)(o->negated ? 0 - o->value.u : o->value.u);
}

static sim_handler *pick_wait(const struct sim_words *words, struct sim_op *op)
{
    if (!is_form(words, "wait_group") || words->types != 0)
        return NULL;
    op->extra = (uint32_t)words->statement->operand[0].value.u;
    return integer(&words->statement->operand[0]) >= 0
               ? run_wait
               : refuse(words, "the number of groups is negative");
}

// Valid combinations of the types of D and of A and B, with the k of an instruction.
static const struct {
    enum sim_type d, d_too, a, a_too;
    uint32_t k;
} forms[] = {
    { SIM_F32, SIM_F16, SIM_F16, SIM_F16, 16 },  { SIM_F32, SIM_F32, SIM_BF16, SIM_BF16, 16 },
    { SIM_F32, SIM_F32, SIM_TF32, SIM_TF32, 8 }, { SIM_F32, SIM_F16, SIM_E4M3, SIM_E5M2, 32 },
    { SIM_S32, SIM_S32, SIM_S8, SIM_U8, 32 },
};

// Returns the n of a shape m64n...k...; 0 if its k is another one.
static uint32_t shape_of(const struct sim_words *words, uint32_t k)
{
    for (uint32_t i = 2; i < words->statement->words; i++) {
        const char *word = words->statement->word[i];
        if (strncmp(word, "m64n", 4) != 0)
            continue;
        char *end;
        unsigned long n = strtoul(word + 4, &end, 10);
        return *end == 'k' && strtoul(end + 1, NULL, 10) == k ? (uint32_t)n : 0;
    }
    return 0;
}

// Checks that an operand is a vector of `count` 32-bit registers.
static bool are_registers(const struct sim_words *words, const struct sim_operand *o,
                          uint32_t count)
{
    if (o->kind != SIM_OP_VECTOR || o->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (o->list[i].kind != SIM_OP_REGISTER ||
            sim_type_bytes(words->function->registers[o->list[i].reg].type) != 4)
            return false;
    return true;
}

static bool is_descriptor(const struct sim_words *words, const struct sim_operand *o)
{
    return o->kind == SIM_OP_INTEGER ||
           (o->kind == SIM_OP_REGISTER &&
            sim_type_bytes(words->function->registers[o->reg].type) == 8);
}

// Picks dense and sparse products. `after` is the index of the operand that follows scale-d.
static sim_handler *pick(const struct sim_words *words, struct sim_op *op, uint32_t after,
                         bool sparse)
{
    const struct sim_statement *s = words->statement;
    const enum sim_type *type = words->type;
    const bool satfinite = sim_has(words, "satfinite");
    size_t form = 0;

    if (!is_form(words, "mma_async"))
        return NULL;
    if (words->types != 3)
        return refuse(words, "it needs the types of D, A and B");
    while (form < CUC_LENGTH(forms) &&
           ((type[0] != forms[form].d && type[0] != forms[form].d_too) ||
            (type[1] != forms[form].a && type[1] != forms[form].a_too) ||
            (type[2] != forms[form].a && type[2] != forms[form].a_too)))
        form++;
    if (form == CUC_LENGTH(forms))
        return refuse(words, "there is no product of these types");

    const bool whole = type[0] == SIM_S32;
    const uint32_t n = shape_of(words, sparse ? 2 * forms[form].k : forms[form].k);
    if (n == 0 || (whole && n % 16 != 0 && n != 8 && n != 24))
        return refuse(words, "there is no such shape for these types");
    if (satfinite && !whole)
        return refuse(words, ".satfinite is for s32");

    const bool registers = s->operand[1].kind == SIM_OP_VECTOR;
    if (!are_registers(words, &s->operand[0], type[0] == SIM_F16 ? n / 4 : n / 2))
        return refuse(words, "D is not as many registers of 32 bits as its shape has");
    if (registers ? !are_registers(words, &s->operand[1], 4)
                  : !is_descriptor(words, &s->operand[1]))
        return refuse(words, "A is neither four registers of 32 bits nor a descriptor of 64");

    // After scale-d come the signs of A and B, then the layouts of A (if in shared memory) and B.
    const uint32_t signs = whole ? 0 : 2, transposes = forms[form].k != 16 ? 0 : registers ? 1 : 2;
    if (s->operands != after + signs + transposes)
        return refuse(words, "it has not as many operands as its types need");
    bool negate = false;
    for (uint32_t i = after; i < s->operands; i++) {
        int64_t value = integer(&s->operand[i]);
        if (i < after + signs ? value != 1 && value != -1 : value != 0 && value != 1)
            return refuse(words,
                          i < after + signs ? "imm-scale is 1 or -1" : "imm-trans is 0 or 1");
        negate ^= value == -1;
    }
    bool transpose_a = transposes == 2 && integer(&s->operand[after + 2]) == 1;
    bool transpose_b = transposes > 0 && integer(&s->operand[s->operands - 1]) == 1;

    op->extra = (uint32_t)type[1] << WGMMA_A | (uint32_t)type[2] << WGMMA_B | n / 8 << WGMMA_N |
                (registers ? WGMMA_A_REGISTERS : 0) | (transpose_a ? WGMMA_TRANSPOSE_A : 0) |
                (transpose_b ? WGMMA_TRANSPOSE_B : 0) | (negate ? WGMMA_NEGATE : 0) |
                (type[0] == SIM_F16 ? WGMMA_D_HALF : 0) | (whole ? WGMMA_D_INT : 0) |
                (satfinite ? WGMMA_SATFINITE : 0) | (sparse ? WGMMA_SPARSE : 0);
    return run_multiply;
}

static sim_handler *pick_multiply(const struct sim_words *words, struct sim_op *op)
{
    return pick(words, op, 4, false);
}

// Picks sparse products. Their metadata and its selector precede scale-d.
static sim_handler *pick_sparse(const struct sim_words *words, struct sim_op *op)
{
    sim_handler *run = sim_has(words, "sp") ? pick(words, op, 6, true) : NULL;
    if (!run)
        return NULL;
    int64_t selector = integer(&words->statement->operand[4]);
    uint32_t k = 2 * WGMMA_STEP / sim_type_bytes(words->type[1]);
    if (selector < 0 || selector >= sim_sparse_selectors(words->type[1], k))
        return refuse(words, "the sparsity selector is not one of this shape");
    op->extra |= (uint32_t)selector << WGMMA_SELECTOR;
    return run;
}

// Lists the shapes with every n for one k.
#define SHAPES(k)                                                                                 \
    "m64n8" k " m64n16" k " m64n24" k " m64n32" k " m64n40" k " m64n48" k " m64n56" k " m64n64" k \
    " m64n72" k " m64n80" k " m64n88" k " m64n96" k " m64n104" k " m64n112" k " m64n120" k        \
    " m64n128" k " m64n136" k " m64n144" k " m64n152" k " m64n160" k " m64n168" k " m64n176" k    \
    " m64n184" k " m64n192" k " m64n200" k " m64n208" k " m64n216" k " m64n224" k " m64n232" k    \
    " m64n240" k " m64n248" k " m64n256" k

const struct sim_instruction sim_wgmma_instructions[] = {
    { "wgmma", "fence sync aligned", "", pick_fence },
    { "wgmma", "commit_group sync aligned", "", pick_commit },
    { "wgmma", "wait_group sync aligned", "i", pick_wait },
    { "wgmma",
      "mma_async sp sync aligned satfinite " SHAPES("k16") " " SHAPES("k32") " " SHAPES("k64"),
      "vVqaqawipi?i?i?i?", pick_sparse },
    { "wgmma", "mma_async sync aligned satfinite " SHAPES("k8") " " SHAPES("k16") " " SHAPES("k32"),
      "vVqaqpi?i?i?i?", pick_multiply },
    { NULL, NULL, NULL, NULL },
};
