// mma.sync: the product of two small matrices in a warp's registers.
//
// The fragments of all shapes except the oldest follow one rule (PTX ISA, "Matrix Fragments for
// mma.m16n8k16" and similar sections). Let g = lane / 4 and t = lane % 4, and divide the rows of A
// into words along k. Then:
// - register i of A is word t + 4 * (i / (m / 8)) of row g + 8 * (i % (m / 8));
// - register j of B is word t + 4 j of column g;
// - accumulator i is in row g + 8 * (i / 2) and column 2 t + i % 2.
//
// For f64, a word is a 64-bit element. In mma.sp, A holds the nonzeros of a matrix twice as wide,
// and its words have the same layout.
#include "base/array.h"
#include "matrix.h"

// The shapes, each with its family of element types.
enum family { HALF, BHALF, TF32, FP8, INT8, INT4, BIT, DOUBLE, QUAD };

struct form {
    enum family family;
    const char *shape;
    uint32_t m, n, k;
};

static const struct form forms[] = {
    { HALF, "m16n8k8", 16, 8, 8 },     { HALF, "m16n8k16", 16, 8, 16 },
    { BHALF, "m16n8k8", 16, 8, 8 },    { BHALF, "m16n8k16", 16, 8, 16 },
    { TF32, "m16n8k4", 16, 8, 4 },     { TF32, "m16n8k8", 16, 8, 8 },
    { FP8, "m16n8k16", 16, 8, 16 },    { FP8, "m16n8k32", 16, 8, 32 },
    { INT8, "m8n8k16", 8, 8, 16 },     { INT8, "m16n8k16", 16, 8, 16 },
    { INT8, "m16n8k32", 16, 8, 32 },   { INT4, "m8n8k32", 8, 8, 32 },
    { INT4, "m16n8k32", 16, 8, 32 },   { INT4, "m16n8k64", 16, 8, 64 },
    { BIT, "m8n8k128", 8, 8, 128 },    { BIT, "m16n8k128", 16, 8, 128 },
    { BIT, "m16n8k256", 16, 8, 256 },  { DOUBLE, "m8n8k4", 8, 8, 4 },
    { DOUBLE, "m16n8k4", 16, 8, 4 },   { DOUBLE, "m16n8k8", 16, 8, 8 },
    { DOUBLE, "m16n8k16", 16, 8, 16 }, { QUAD, "m8n8k4", 8, 8, 4 },
};

static const struct form sparse_forms[] = {
    { HALF, "m16n8k16", 16, 8, 16 },   { HALF, "m16n8k32", 16, 8, 32 },
    { BHALF, "m16n8k16", 16, 8, 16 },  { BHALF, "m16n8k32", 16, 8, 32 },
    { TF32, "m16n8k8", 16, 8, 8 },     { TF32, "m16n8k16", 16, 8, 16 },
    { FP8, "m16n8k64", 16, 8, 64 },    { INT8, "m16n8k32", 16, 8, 32 },
    { INT8, "m16n8k64", 16, 8, 64 },   { INT4, "m16n8k64", 16, 8, 64 },
    { INT4, "m16n8k128", 16, 8, 128 },
};

// sim_op.extra
enum {
    MMA_A = 0, // element type of A, 8 bits
    MMA_B = 8, // element type of B
    MMA_C_HALF = 1 << 16,
    MMA_D_HALF = 1 << 17,
    MMA_SATFINITE = 1 << 18,
    MMA_AND = 1 << 19,
    MMA_A_COL = 1 << 20, // m8n8k4 only
    MMA_B_ROW = 1 << 21,
    MMA_ROUNDING = 22, // only f64; 2 bits
    MMA_SELECTOR = 24, // metadata selector, 2 bits
    MMA_SPARSE = 1 << 26,
};

// Fragments

static struct sim_product product_of(const struct sim_op *op)
{
    const struct form *form = op->data;
    return (struct sim_product){ .m = form->m,
                                 .n = form->n,
                                 .k = form->k,
                                 .a = (enum sim_type)(op->extra >> MMA_A & 255),
                                 .b = (enum sim_type)(op->extra >> MMA_B & 255),
                                 .bits_and = op->extra & MMA_AND,
                                 .rounding = (enum sim_rounding)(op->extra >> MMA_ROUNDING & 3) };
}

// Collects the rows of A from its registers, or those of B, which is a matrix [n][k] with 8 rows.
// Four adjacent lanes hold four adjacent words.
static void rows_of(const struct sim_warp *w, const uint32_t *list, uint32_t rows, uint32_t words,
                    uint32_t *out)
{
    uint32_t tiles = rows / 8;

    for (uint32_t i = 0; i < tiles * words / 4; i++) {
        const uint32_t *from = SIM_R32(w, list[i]);
        uint32_t *to = out + 8 * (i % tiles) * words + 4 * (i / tiles);
        for (uint32_t g = 0; g < 8; g++)
            memcpy(to + g * words, from + 4 * g, 16);
    }
}

// A product whose A and B are stored as rows of words.
struct factors {
    struct sim_product p;
    uint32_t a[16 * 8], b[8 * 16];
    uint8_t rows[16 * 64]; // sparse A: the row of B that each element multiplies
};

static void load_factors(const struct sim_warp *w, const struct sim_op *op, struct factors *f)
{
    const bool sparse = op->extra & MMA_SPARSE;

    f->p = product_of(op);
    const struct sim_product *p = &f->p;
    rows_of(w, op->list + op->o[1], p->m, (sparse ? p->k / 2 : p->k) * sim_element_bits(p->a) / 32,
            f->a);
    rows_of(w, op->list + op->o[2], p->n, p->k * sim_element_bits(p->b) / 32, f->b);
    if (sparse) {
        sim_sparse_rows(p->a, p->k, SIM_R32(w, op->o[4]), op->extra >> MMA_SELECTOR & 3, f->rows);
        f->p.rows = f->rows;
    }
}

// Returns the index in C, as [m][8], of a lane's accumulator i.
static uint32_t cell(uint32_t lane, uint32_t i)
{
    return (lane / 4 + 8 * (i / 2)) * 8 + 2 * (lane % 4) + i % 2;
}

static void load_cells(const struct sim_warp *w, const uint32_t *list, uint32_t count, uint32_t *c)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *from = SIM_R32(w, list[i]);
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            c[cell(lane, i)] = from[lane];
    }
}

static void store_cells(const struct sim_warp *w, const uint32_t *list, uint32_t count,
                        uint32_t mask, const uint32_t *c)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *to = SIM_R32(w, list[i]);
        SIM_LANES(mask, lane, to[lane] = c[cell(lane, i)]);
    }
}

static void round_to_f16(float *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        c[i] = sim_f16_to_f32(sim_f32_to_f16(c[i]));
}

// Computes C += A B of 8-bit floats into f16 in the same steps as an H200, each rounded to f16. It
// sums the lower two of each four elements along k, then the upper two, and then adds C.
static void multiply_fp8_half(const struct factors *f, float *c)
{
    const uint32_t words = f->p.k / 4, cells = f->p.m * f->p.n;
    float sum[16 * 8] = { 0 };
    uint32_t a[16 * 8], b[8 * 8];

    for (uint32_t step = 0; step < 2; step++) {
        const uint32_t half = step ? 0xffff0000 : 0xffff;
        for (uint32_t i = 0; i < f->p.m * words; i++)
            a[i] = f->a[i] & half;
        for (uint32_t i = 0; i < f->p.n * words; i++)
            b[i] = f->b[i] & half;
        sim_multiply_float(&f->p, a, b, sum);
        round_to_f16(sum, cells);
    }
    for (uint32_t i = 0; i < cells; i++)
        c[i] += sum[i];
}

static enum sim_next run_float(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    struct factors f;
    uint32_t bits[16 * 8];
    float c[16 * 8];

    if (!sim_together(w))
        return SIM_RETRY;
    load_factors(w, op, &f);
    const uint32_t cells = f.p.m / 4, all = f.p.m * f.p.n;
    if (op->extra & MMA_C_HALF) {
        for (uint32_t i = 0; i < cells; i++) {
            const uint32_t *from = SIM_R32(w, op->list[op->o[3] + i / 2]);
            for (uint32_t lane = 0; lane < SIM_WARP; lane++)
                c[cell(lane, i)] = sim_f16_to_f32(from[lane] >> 16 * (i % 2) & 0xffff);
        }
    } else {
        load_cells(w, op->list + op->o[3], cells, bits);
        memcpy(c, bits, all * sizeof *c);
    }
    if (op->extra & MMA_D_HALF && !f.p.rows && sim_element_bits(f.p.a) == 8)
        multiply_fp8_half(&f, c);
    else
        sim_multiply_float(&f.p, f.a, f.b, c);
    if (op->extra & MMA_D_HALF) {
        for (uint32_t i = 0; i < cells; i += 2) {
            uint32_t *to = SIM_R32(w, op->list[op->o[0] + i / 2]);
            SIM_LANES(mask, lane,
                      to[lane] = sim_f32_to_f16(c[cell(lane, i)]) |
                                 sim_f32_to_f16(c[cell(lane, i + 1)]) << 16);
        }
    } else {
        memcpy(bits, c, all * sizeof *c);
        store_cells(w, op->list + op->o[0], cells, mask, bits);
    }
    return SIM_NEXT;
}

static enum sim_next run_int(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    struct factors f;
    uint32_t bits[16 * 8];
    int32_t c[16 * 8];

    if (!sim_together(w))
        return SIM_RETRY;
    load_factors(w, op, &f);
    const uint32_t cells = f.p.m / 4, all = f.p.m * f.p.n;
    load_cells(w, op->list + op->o[3], cells, bits);
    memcpy(c, bits, all * sizeof *c);
    sim_multiply_int(&f.p, f.a, f.b, op->extra & MMA_SATFINITE, c);
    memcpy(bits, c, all * sizeof *c);
    store_cells(w, op->list + op->o[0], cells, mask, bits);
    return SIM_NEXT;
}

static enum sim_next run_double(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct sim_product p = product_of(op);
    const uint32_t tiles = p.m / 8;
    double a[16 * 16], b[8 * 16], c[16 * 8];

    if (!sim_together(w))
        return SIM_RETRY;
    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        uint32_t g = lane / 4, t = lane % 4;
        for (uint32_t i = 0; i < tiles * p.k / 4; i++)
            a[(g + 8 * (i % tiles)) * p.k + t + 4 * (i / tiles)] =
                SIM_RF64(w, op->list[op->o[1] + i])[lane];
        for (uint32_t i = 0; i < p.k / 4; i++)
            b[g * p.k + t + 4 * i] = SIM_RF64(w, op->list[op->o[2] + i])[lane];
        for (uint32_t i = 0; i < p.m / 4; i++)
            c[cell(lane, i)] = SIM_RF64(w, op->list[op->o[3] + i])[lane];
    }
    sim_multiply_f64(&p, a, b, c);
    for (uint32_t i = 0; i < p.m / 4; i++) {
        double *to = SIM_RF64(w, op->list[op->o[0] + i]);
        SIM_LANES(mask, lane, to[lane] = c[cell(lane, i)]);
    }
    return SIM_NEXT;
}

// m8n8k4 for f16 computes four products at once. Eight lanes compute product q: lanes 4 q to
// 4 q + 3, and the lanes 16 above them. A and B take 2 registers of two halves each. Accumulators
// are 8 f32, or 4 registers of two halves.

static void quad_cell(uint32_t lane, uint32_t i, bool half, uint32_t *row, uint32_t *col)
{
    uint32_t upper = lane / 16 * 4;
    if (half) {
        *row = lane % 4 + upper;
        *col = i;
    } else {
        *row = (lane & 1) + (i & 2) + upper;
        *col = (i & 4) + (lane & 2) + (i & 1);
    }
}

static enum sim_next run_quad(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    float a[4][8][4], b[4][8][4], c[4][8][8];
    uint32_t row, col;
    const bool c_half = op->extra & MMA_C_HALF, d_half = op->extra & MMA_D_HALF;

    if (!sim_together(w))
        return SIM_RETRY;
    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        uint32_t q = lane / 4 % 4, own = lane % 4, upper = lane / 16 * 4;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t shift = 16 * (i % 2);
            float x =
                sim_f16_to_f32(SIM_R32(w, op->list[op->o[1] + i / 2])[lane] >> shift & 0xffff);
            float y =
                sim_f16_to_f32(SIM_R32(w, op->list[op->o[2] + i / 2])[lane] >> shift & 0xffff);
            if (op->extra & MMA_A_COL)
                a[q][i + upper][own] = x;
            else
                a[q][own + upper][i] = x;
            if (op->extra & MMA_B_ROW)
                b[q][i + upper][own] = y;
            else
                b[q][own + upper][i] = y;
        }
        for (uint32_t i = 0; i < 8; i++) {
            quad_cell(lane, i, c_half, &row, &col);
            c[q][row][col] = c_half ? sim_f16_to_f32(SIM_R32(w, op->list[op->o[3] + i / 2])[lane] >>
                                                         16 * (i % 2) &
                                                     0xffff)
                                    : SIM_RF32(w, op->list[op->o[3] + i])[lane];
        }
    }
    for (uint32_t q = 0; q < 4; q++)
        for (row = 0; row < 8; row++)
            for (col = 0; col < 8; col++)
                for (uint32_t i = 0; i < 4; i++)
                    c[q][row][col] += a[q][row][i] * b[q][col][i];
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), q = lane / 4 % 4, half = 0;
        for (uint32_t i = 0; i < 8; i++) {
            quad_cell(lane, i, d_half, &row, &col);
            if (!d_half) {
                SIM_R32(w, op->list[op->o[0] + i])[lane] = sim_canonical32(c[q][row][col]);
            } else if (i % 2 == 0) {
                half = sim_f32_to_f16(c[q][row][col]);
            } else {
                SIM_R32(w, op->list[op->o[0] + i / 2])
                [lane] = half | sim_f32_to_f16(c[q][row][col]) << 16;
            }
        }
    }
    return SIM_NEXT;
}

// Choice

// Returns the family of an element type, and whether the accumulator may be f16 as well as f32.
static bool family_of(enum sim_type type, enum family *out)
{
    switch (type) {
    case SIM_F16:
        *out = HALF;
        return true;
    case SIM_BF16:
        *out = BHALF;
        return true;
    case SIM_TF32:
        *out = TF32;
        return true;
    case SIM_E4M3:
    case SIM_E5M2:
        *out = FP8;
        return true;
    case SIM_S8:
    case SIM_U8:
        *out = INT8;
        return true;
    case SIM_S4:
    case SIM_U4:
        *out = INT4;
        return true;
    case SIM_B1:
        *out = BIT;
        return true;
    case SIM_F64:
        *out = DOUBLE;
        return true;
    default:
        return false;
    }
}

static bool accumulates(enum family family, enum sim_type type)
{
    switch (family) {
    case HALF:
    case FP8:
        return type == SIM_F32 || type == SIM_F16;
    case BHALF:
    case TF32:
        return type == SIM_F32;
    case DOUBLE:
        return type == SIM_F64;
    default:
        return type == SIM_S32;
    }
}

bool sim_layouts_of(const struct sim_words *words, char layout[2])
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < words->statement->words; i++) {
        const char *word = words->statement->word[i];
        if (strcmp(word, "row") != 0 && strcmp(word, "col") != 0)
            continue;
        if (count == 2)
            return false;
        layout[count++] = word[0];
    }
    return count == 2;
}

enum sim_rounding sim_rounding_of(const struct sim_words *words)
{
    return sim_has(words, "rz")   ? SIM_RZ
           : sim_has(words, "rm") ? SIM_RM
           : sim_has(words, "rp") ? SIM_RP
                                  : SIM_RN;
}

static const struct form *form_of(const struct sim_words *words, enum family family, bool sparse)
{
    const struct form *table = sparse ? sparse_forms : forms;
    size_t count = sparse ? CUC_LENGTH(sparse_forms) : CUC_LENGTH(forms);

    for (size_t i = 0; i < count; i++) {
        enum family wanted = table[i].family == QUAD ? HALF : table[i].family;
        if (wanted == family && sim_has(words, table[i].shape))
            return &table[i];
    }
    return NULL;
}

static sim_handler *pick(const struct sim_words *words, struct sim_op *op, bool sparse)
{
    enum family family, other;
    const enum sim_type *type = words->type;
    char layout[2];

    if (words->types != 4 || !sim_has(words, "sync") || !sim_has(words, "aligned") ||
        !sim_layouts_of(words, layout) || !family_of(type[1], &family) ||
        !family_of(type[2], &other) || other != family || !accumulates(family, type[0]) ||
        !accumulates(family, type[3]))
        return NULL;

    const struct form *form = form_of(words, family, sparse);
    if (!form)
        return NULL;

    bool quad = form->family == QUAD;
    bool bits_and = sim_has(words, "and"), bits_xor = sim_has(words, "xor");
    bool satfinite = sim_has(words, "satfinite");
    bool rounds = sim_has(words, "rn") || sim_rounding_of(words) != SIM_RN;
    if (quad ? type[0] == SIM_F16 && type[3] == SIM_F32
             : layout[0] != 'r' || layout[1] != 'c' || type[0] != type[3])
        return NULL;
    if ((family == BIT) != (bits_and != bits_xor) || (family == BIT) != sim_has(words, "popc") ||
        (satfinite && family != INT8 && family != INT4) || (rounds && family != DOUBLE) ||
        (sparse && family == FP8 && type[0] == SIM_F16))
        return NULL;

    // Number of registers per lane. A register has 64 bits for f64 and 32 bits for other types.
    uint32_t bits = family == DOUBLE ? 64 : 32, share = quad ? 8 : SIM_WARP;
    uint32_t a = form->m * form->k * sim_element_bits(type[1]) / bits / share / (sparse ? 2 : 1);
    uint32_t b = form->n * form->k * sim_element_bits(type[2]) / bits / share;
    uint32_t c = form->m * form->n / share / (type[3] == SIM_F16 ? 2 : 1);
    uint32_t d = form->m * form->n / share / (type[0] == SIM_F16 ? 2 : 1);
    if (op->o[1] - op->o[0] != d || op->o[2] - op->o[1] != a || op->o[3] - op->o[2] != b ||
        op->list_count - op->o[3] != c)
        return NULL;

    op->data = form;
    op->extra = (uint32_t)type[1] << MMA_A | (uint32_t)type[2] << MMA_B |
                (type[3] == SIM_F16 ? MMA_C_HALF : 0) | (type[0] == SIM_F16 ? MMA_D_HALF : 0) |
                (satfinite ? MMA_SATFINITE : 0) | (bits_and ? MMA_AND : 0) |
                (layout[0] == 'c' ? MMA_A_COL : 0) | (layout[1] == 'r' ? MMA_B_ROW : 0) |
                (uint32_t)sim_rounding_of(words) << MMA_ROUNDING | (sparse ? MMA_SPARSE : 0);
    switch (form->family) {
    case QUAD:
        return run_quad;
    case DOUBLE:
        return run_double;
    case INT8:
    case INT4:
    case BIT:
        return run_int;
    default:
        return run_float;
    }
}

sim_handler *sim_pick_mma(const struct sim_words *words, struct sim_op *op)
{
    return pick(words, op, false);
}

sim_handler *sim_pick_mma_sparse(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_operand *selector = &words->statement->operand[5];

    if (sim_has(words, "sp") == sim_has(words, "sp::ordered_metadata"))
        return NULL;
    sim_handler *run = pick(words, op, true);
    if (!run)
        return NULL;
    uint32_t count = sim_sparse_selectors(words->type[1], ((const struct form *)op->data)->k);
    if (selector->negated || selector->value.u >= count) {
        *words->why = "the sparsity selector is not one of this shape";
        return NULL;
    }
    op->extra |= (uint32_t)selector->value.u << MMA_SELECTOR;
    return run;
}
