// wmma: loads matrices into fragments, multiplies them, and stores them.
//
// The ISA does not specify which lanes hold which elements. Here, A as [m][k] and B as [n][k] are
// divided into 32 equal runs, one per lane. f16 has 8 registers per lane in every shape, so a
// shorter run is repeated. Accumulators are laid out as in mma.sync, for f32 and f16 alike: with g
// = lane / 4 and t = lane % 4, element e is in row g and column 2 t + e % 2 of the 8 x 8 tile e /
// 2. Tiles are numbered in column-major order.
#include "base/array.h"
#include "formats.h"
#include "matrix.h"
#include "memory.h"

enum which { LOAD_A, LOAD_B, LOAD_C };

struct shape {
    const char *word;
    uint32_t m, n, k;
};

static const struct shape shapes[] = {
    { "m16n16k16", 16, 16, 16 }, { "m32n8k16", 32, 8, 16 }, { "m8n32k16", 8, 32, 16 },
    { "m16n16k8", 16, 16, 8 },   { "m8n8k4", 8, 8, 4 },     { "m8n8k32", 8, 8, 32 },
    { "m8n8k128", 8, 8, 128 },
};

// The element types, with the shapes that allow them.
static const struct {
    enum sim_type type, accumulator, other; // `other`: a second type for accumulators
    uint32_t first, last;                   // range of indices in `shapes`
} elements[] = {
    { SIM_F16, SIM_F32, SIM_F16, 0, 2 },  { SIM_BF16, SIM_F32, SIM_F32, 0, 2 },
    { SIM_S8, SIM_S32, SIM_S32, 0, 2 },   { SIM_U8, SIM_S32, SIM_S32, 0, 2 },
    { SIM_TF32, SIM_F32, SIM_F32, 3, 3 }, { SIM_F64, SIM_F64, SIM_F64, 4, 4 },
    { SIM_S4, SIM_S32, SIM_S32, 5, 5 },   { SIM_U4, SIM_S32, SIM_S32, 5, 5 },
    { SIM_B1, SIM_S32, SIM_S32, 6, 6 },
};
enum { ELEMENT_KINDS = CUC_LENGTH(elements) };

// Fields of sim_op.extra of loads and stores
enum {
    TYPE = 0,   // 8 bits
    SPACE = 8,  // 4 bits
    WHICH = 12, // 2 bits
    COLUMNS = 1 << 14,
};
// Fields of sim_op.extra of products
enum {
    PRODUCT_A = 0,
    PRODUCT_B = 8,
    PRODUCT_C_HALF = 1 << 16,
    PRODUCT_D_HALF = 1 << 17,
    PRODUCT_SATFINITE = 1 << 18,
    PRODUCT_AND = 1 << 19,
    PRODUCT_ROUNDING = 20, // 2 bits
};

static const struct shape *shape_of(const struct sim_words *words)
{
    const struct shape *found = NULL;
    for (size_t i = 0; i < CUC_LENGTH(shapes); i++)
        if (sim_has(words, shapes[i].word))
            found = &shapes[i];
    return found;
}

// Returns true if a shape allows an element type, for accumulators or for A and B.
static bool takes(const struct shape *shape, enum sim_type type, bool accumulator)
{
    uint32_t index = (uint32_t)(shape - shapes);
    for (size_t i = 0; i < ELEMENT_KINDS; i++) {
        if (index < elements[i].first || index > elements[i].last)
            continue;
        if (accumulator ? elements[i].accumulator == type || elements[i].other == type
                        : elements[i].type == type)
            return true;
    }
    return false;
}

// Returns the number of registers of a fragment in each lane.
static uint32_t registers_of(uint32_t cells, enum sim_type type, bool accumulator)
{
    if (type == SIM_F16 && !accumulator)
        return 8;
    return cells * sim_element_bits(type) / (type == SIM_F64 ? 64 : 32) / SIM_WARP;
}

static uint32_t cells_of(const struct shape *shape, enum which which)
{
    return which == LOAD_A   ? shape->m * shape->k
           : which == LOAD_B ? shape->n * shape->k
                             : shape->m * shape->n;
}

// Returns the index in C, as [m][n], of a lane's accumulator e.
static uint32_t cell(const struct shape *shape, uint32_t lane, uint32_t e)
{
    uint32_t tile = e / 2, down = shape->m / 8;
    uint32_t row = lane / 4 + 8 * (tile % down), col = 2 * (lane % 4) + e % 2 + 8 * (tile / down);
    return row * shape->n + col;
}

// Copies a matrix between memory and `bytes`, one contiguous row or column (a line) at a time. In
// `bytes`, lines follow one another without gaps.
static bool copy_lines(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint32_t lines,
                       uint32_t line_bytes, uint64_t pitch, unsigned char *bytes, bool write)
{
    enum sim_space space = (enum sim_space)(op->extra >> SPACE & 15);
    uint32_t element = sim_element_bits((enum sim_type)(op->extra >> TYPE & 255)) / 8;
    uint64_t address = sim_address(w, op, write ? 0 : 1, lane);
    void *host;

    for (uint32_t line = 0; line < lines; line++, address += pitch) {
        // Copy 16-byte pieces if they are aligned, otherwise single elements.
        uint32_t piece = (address | line_bytes) % 16 == 0 ? 16 : element ? element : 4;
        for (uint32_t at = 0; at < line_bytes; at += piece, bytes += piece) {
            if (!sim_reach(w, op, lane, space, address + at, piece, write ? SIM_WRITE : SIM_READ,
                           &host))
                return false;
            if (write)
                memcpy(host, bytes, piece);
            else
                memcpy(bytes, host, piece);
        }
    }
    return true;
}

// A matrix in memory. Its lines, which are its rows or its columns, have contiguous elements.
struct place {
    uint32_t lines, length; // number of lines; elements in a line
    uint32_t bits;          // width of an element
    uint64_t pitch;         // bytes
};

static struct place place_of(const struct sim_warp *w, const struct sim_op *op, uint32_t lane)
{
    const struct shape *shape = op->data;
    enum which which = (enum which)(op->extra >> WHICH & 3);
    uint32_t rows = which == LOAD_B ? shape->k : shape->m;
    uint32_t cols = which == LOAD_A ? shape->k : shape->n;
    bool by_columns = op->extra & COLUMNS;
    struct place p = { .lines = by_columns ? cols : rows,
                       .length = by_columns ? rows : cols,
                       .bits = sim_element_bits((enum sim_type)(op->extra >> TYPE & 255)) };
    uint32_t stride = op->o[2] == SIM_NO_OPERAND ? p.length : SIM_R32(w, op->o[2])[lane];
    p.pitch = (uint64_t)stride * p.bits / 8;
    return p;
}

// Transposes [lines][length] to [length][lines]. Elements must consist of whole bytes.
static void transpose(unsigned char *bytes, const struct place *p)
{
    unsigned char old[SIM_PRODUCT_WORDS * 4];
    uint32_t size = p->bits / 8;

    memcpy(old, bytes, p->lines * p->length * size);
    for (uint32_t line = 0; line < p->lines; line++)
        for (uint32_t i = 0; i < p->length; i++)
            memcpy(bytes + (i * p->lines + line) * size, old + (line * p->length + i) * size, size);
}

static enum sim_next run_load(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct shape *shape = op->data;
    enum which which = (enum which)(op->extra >> WHICH & 3);
    unsigned char bytes[SIM_PRODUCT_WORDS * 4];
    const uint32_t registers = op->list_count;

    if (!sim_together(w))
        return SIM_RETRY;
    // Address and stride are the same in all lanes.
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    struct place p = place_of(w, op, first);
    if (!copy_lines(w, op, first, p.lines, p.length * p.bits / 8, p.pitch, bytes, false))
        return SIM_FAULT;
    // Store A and C as rows, and B as columns.
    if ((which == LOAD_B) != ((op->extra & COLUMNS) != 0))
        transpose(bytes, &p);

    uint32_t size = p.bits == 64 ? 8 : 4;
    uint32_t run = p.lines * p.length * p.bits / 8 / SIM_WARP; // bytes per lane
    for (uint32_t left = mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        unsigned char own[64]; // this lane's registers
        if (which == LOAD_C) {
            uint32_t element = p.bits / 8;
            for (uint32_t e = 0; e < run / element; e++)
                memcpy(own + e * element, bytes + cell(shape, lane, e) * element, element);
        } else {
            for (uint32_t at = 0; at < registers * size; at += run)
                memcpy(own + at, bytes + lane * run, run);
        }
        for (uint32_t i = 0; i < registers; i++)
            memcpy(w->f + op->list[i] + lane * size, own + i * size, size);
    }
    return SIM_NEXT;
}

static enum sim_next run_store(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct shape *shape = op->data;
    unsigned char bytes[SIM_PRODUCT_WORDS * 4];

    if (!sim_together(w))
        return SIM_RETRY;
    uint32_t first = (uint32_t)__builtin_ctz(mask);
    // In a store, the stride follows the fragment.
    struct place p = place_of(w, op, first);
    uint32_t element = p.bits / 8, size = p.bits == 64 ? 8 : 4;
    for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
        unsigned char own[64];
        for (uint32_t i = 0; i < op->list_count; i++)
            memcpy(own + i * size, w->f + op->list[i] + lane * size, size);
        for (uint32_t e = 0; e < op->list_count * size / element; e++)
            memcpy(bytes + cell(shape, lane, e) * element, own + e * element, element);
    }
    if (op->extra & COLUMNS) {
        // Transpose, so that the lines are columns.
        struct place rows = p;
        rows.lines = p.length;
        rows.length = p.lines;
        transpose(bytes, &rows);
    }
    if (!copy_lines(w, op, first, p.lines, p.length * element, p.pitch, bytes, true))
        return SIM_FAULT;
    return SIM_NEXT;
}

static sim_handler *pick_transfer(const struct sim_words *words, struct sim_op *op, bool store)
{
    const struct shape *shape = shape_of(words);
    enum sim_space space = sim_space_of(words);
    bool row = sim_has(words, "row"), col = sim_has(words, "col");
    enum which which = sim_has(words, "a") ? LOAD_A : sim_has(words, "b") ? LOAD_B : LOAD_C;

    if (!shape || words->types != 1 || !sim_has(words, "sync") || !sim_has(words, "aligned") ||
        row == col || !takes(shape, words->type[0], which == LOAD_C))
        return NULL;
    if (space != SIM_GENERIC && space != SIM_GLOBAL && space != SIM_SHARED)
        return NULL;
    enum sim_type type = words->type[0];
    // Elements smaller than a byte are always stored along k.
    if (sim_element_bits(type) < 8 && (which == LOAD_A ? col : row))
        return NULL;
    if (op->list_count != registers_of(cells_of(shape, which), type, which == LOAD_C))
        return NULL;
    op->data = shape;
    op->extra = (uint32_t)type << TYPE | (uint32_t)space << SPACE | (uint32_t)which << WHICH |
                (col ? COLUMNS : 0);
    return store ? run_store : run_load;
}

sim_handler *sim_pick_wmma_load(const struct sim_words *words, struct sim_op *op)
{
    static const char *const names[] = { "a", "b", "c" };
    int count = 0;
    for (int i = 0; i < 3; i++)
        count += sim_has(words, names[i]);
    return count == 1 && sim_has(words, "load") ? pick_transfer(words, op, false) : NULL;
}

sim_handler *sim_pick_wmma_store(const struct sim_words *words, struct sim_op *op)
{
    return sim_has(words, "d") && sim_has(words, "store") ? pick_transfer(words, op, true) : NULL;
}

// Collects A or B from the registers, run by run, as rows of words.
static void runs_of(const struct sim_warp *w, const uint32_t *list, uint32_t words, uint32_t *out)
{
    uint32_t run = words / SIM_WARP;
    for (uint32_t i = 0; i < run; i++)
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            out[lane * run + i] = SIM_R32(w, list[i])[lane];
}

static enum sim_next run_product(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const struct shape *shape = op->data;
    const struct sim_product p = { .m = shape->m,
                                   .n = shape->n,
                                   .k = shape->k,
                                   .a = (enum sim_type)(op->extra >> PRODUCT_A & 255),
                                   .b = (enum sim_type)(op->extra >> PRODUCT_B & 255),
                                   .bits_and = op->extra & PRODUCT_AND,
                                   .rounding =
                                       (enum sim_rounding)(op->extra >> PRODUCT_ROUNDING & 3) };
    const uint32_t each = p.m * p.n / SIM_WARP, *d = op->list + op->o[0];
    const uint32_t *list_a = op->list + op->o[1], *list_b = op->list + op->o[2];
    const uint32_t *list_c = op->list + op->o[3];
    const bool c_half = op->extra & PRODUCT_C_HALF, d_half = op->extra & PRODUCT_D_HALF;
    uint32_t a[SIM_PRODUCT_WORDS], b[SIM_PRODUCT_WORDS];

    if (!sim_together(w))
        return SIM_RETRY;
    if (p.a == SIM_F64) {
        double left[8 * 4], right[8 * 4], accumulators[8 * 8];
        memcpy(left, SIM_RF64(w, list_a[0]), sizeof left);
        memcpy(right, SIM_RF64(w, list_b[0]), sizeof right);
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            for (uint32_t e = 0; e < each; e++)
                accumulators[cell(shape, lane, e)] = SIM_RF64(w, list_c[e])[lane];
        sim_multiply_f64(&p, left, right, accumulators);
        for (uint32_t e = 0; e < each; e++)
            SIM_LANES(mask, lane, SIM_RF64(w, d[e])[lane] = accumulators[cell(shape, lane, e)]);
        return SIM_NEXT;
    }
    runs_of(w, list_a, p.m * p.k * sim_element_bits(p.a) / 32, a);
    runs_of(w, list_b, p.n * p.k * sim_element_bits(p.b) / 32, b);
    if (sim_type_class(p.a) != 'f') {
        int32_t accumulators[SIM_PRODUCT_CELLS];
        for (uint32_t lane = 0; lane < SIM_WARP; lane++)
            for (uint32_t e = 0; e < each; e++)
                accumulators[cell(shape, lane, e)] = SIM_RS32(w, list_c[e])[lane];
        sim_multiply_int(&p, a, b, op->extra & PRODUCT_SATFINITE, accumulators);
        for (uint32_t e = 0; e < each; e++)
            SIM_LANES(mask, lane, SIM_RS32(w, d[e])[lane] = accumulators[cell(shape, lane, e)]);
        return SIM_NEXT;
    }
    float accumulators[SIM_PRODUCT_CELLS];
    for (uint32_t lane = 0; lane < SIM_WARP; lane++)
        for (uint32_t e = 0; e < each; e++)
            accumulators[cell(shape, lane, e)] =
                c_half ? sim_f16_to_f32(SIM_R32(w, list_c[e / 2])[lane] >> 16 * (e % 2) & 0xffff)
                       : SIM_RF32(w, list_c[e])[lane];
    sim_multiply_float(&p, a, b, accumulators);
    for (uint32_t e = 0; e < each; e += d_half ? 2 : 1) {
        uint32_t *to = SIM_R32(w, d[d_half ? e / 2 : e]);
        SIM_LANES(mask, lane,
                  to[lane] = d_half
                                 ? sim_f32_to_f16(accumulators[cell(shape, lane, e)]) |
                                       sim_f32_to_f16(accumulators[cell(shape, lane, e + 1)]) << 16
                                 : sim_bits32(accumulators[cell(shape, lane, e)]));
    }
    return SIM_NEXT;
}

sim_handler *sim_pick_wmma_mma(const struct sim_words *words, struct sim_op *op)
{
    const struct shape *shape = shape_of(words);
    char layout[2];
    // f16 forms specify only the types of the accumulators.
    bool f16 = words->types == 2;
    enum sim_type d = words->type[0], c = words->type[f16 ? 1 : 3];
    enum sim_type a = f16 ? SIM_F16 : words->type[1], b = f16 ? SIM_F16 : words->type[2];

    if (!shape || !sim_layouts_of(words, layout) || !sim_has(words, "mma") ||
        !sim_has(words, "sync") || !sim_has(words, "aligned") || (!f16 && words->types != 4) ||
        (!f16 && (a == SIM_F16 || c != d)))
        return NULL;
    if (!takes(shape, a, false) || a != b)
        return NULL;
    bool fits_c = false, fits_d = false;
    for (size_t i = 0; i < ELEMENT_KINDS; i++) {
        if (elements[i].type != a)
            continue;
        fits_c = c == elements[i].accumulator || c == elements[i].other;
        fits_d = d == elements[i].accumulator || d == elements[i].other;
    }
    bool bits = a == SIM_B1, bits_and = sim_has(words, "and"), bits_xor = sim_has(words, "xor");
    bool satfinite = sim_has(words, "satfinite");
    enum sim_rounding rounding = sim_rounding_of(words);
    bool rounds = sim_has(words, "rn") || rounding != SIM_RN;
    if (!fits_c || !fits_d || bits != (bits_and != bits_xor) || bits != sim_has(words, "popc") ||
        (satfinite && (bits || sim_type_class(a) == 'f')) || (rounds && a != SIM_F64))
        return NULL;
    // Elements smaller than a byte are always stored along k.
    if (sim_element_bits(a) < 8 && (layout[0] != 'r' || layout[1] != 'c'))
        return NULL;
    if (op->o[1] - op->o[0] != registers_of(shape->m * shape->n, d, true) ||
        op->o[2] - op->o[1] != registers_of(shape->m * shape->k, a, false) ||
        op->o[3] - op->o[2] != registers_of(shape->n * shape->k, b, false) ||
        op->list_count - op->o[3] != registers_of(shape->m * shape->n, c, true))
        return NULL;
    op->data = shape;
    op->extra = (uint32_t)a << PRODUCT_A | (uint32_t)b << PRODUCT_B |
                (c == SIM_F16 ? PRODUCT_C_HALF : 0) | (d == SIM_F16 ? PRODUCT_D_HALF : 0) |
                (satfinite ? PRODUCT_SATFINITE : 0) | (bits_and ? PRODUCT_AND : 0) |
                (uint32_t)rounding << PRODUCT_ROUNDING;
    return run_product;
}
