// Compares matrix instructions with products computed in double.
#include "base/array.h"
#include "elements.h"
#include "tests.h"

#include <math.h>

static void run(const struct exercise *x, const void *in, void *out, void *shared, size_t bytes)
{
    int fault = exercise(x, in, out, shared, bytes);
    ck_assert_msg(fault == 0, "%s\n%d: %s", x->body, fault, harness_report());
}

// A matrix of codes, and where its elements are in the registers of a warp.
struct matrix {
    uint32_t rows, cols;
    uint64_t code[32 * 256];
};

static void draw_matrix(struct matrix *m, enum element e, uint32_t rows, uint32_t cols,
                        uint64_t *seed)
{
    m->rows = rows;
    m->cols = cols;
    for (uint32_t i = 0; i < rows * cols; i++)
        m->code[i] = draw_code(e, seed);
}

// mma.sync

static const struct {
    const char *shape;
    uint32_t m, n, k;
    enum element a, b;
    char accumulator;           // h f16, f f32, i s32, d f64
    const char *before, *after; // the remaining words of the instruction
} products[] = {
    { "m16n8k8", 16, 8, 8, F16, F16, 'f', "", "" },
    { "m16n8k8", 16, 8, 8, F16, F16, 'h', "", "" },
    { "m16n8k16", 16, 8, 16, F16, F16, 'f', "", "" },
    { "m16n8k16", 16, 8, 16, F16, F16, 'h', "", "" },
    { "m16n8k8", 16, 8, 8, BF16, BF16, 'f', "", "" },
    { "m16n8k16", 16, 8, 16, BF16, BF16, 'f', "", "" },
    { "m16n8k4", 16, 8, 4, TF32, TF32, 'f', "", "" },
    { "m16n8k8", 16, 8, 8, TF32, TF32, 'f', "", "" },
    { "m16n8k16", 16, 8, 16, E4M3, E4M3, 'f', "", "" },
    { "m16n8k32", 16, 8, 32, E4M3, E5M2, 'f', "", "" },
    { "m16n8k32", 16, 8, 32, E5M2, E4M3, 'f', "", "" },
    { "m16n8k32", 16, 8, 32, E5M2, E5M2, 'h', "", "" },
    { "m16n8k16", 16, 8, 16, E4M3, E4M3, 'h', "", "" },
    { "m8n8k16", 8, 8, 16, S8, S8, 'i', "", "" },
    { "m8n8k16", 8, 8, 16, U8, S8, 'i', ".satfinite", "" },
    { "m16n8k16", 16, 8, 16, S8, U8, 'i', "", "" },
    { "m16n8k32", 16, 8, 32, U8, U8, 'i', "", "" },
    { "m16n8k32", 16, 8, 32, S8, S8, 'i', ".satfinite", "" },
    { "m8n8k32", 8, 8, 32, S4, U4, 'i', "", "" },
    { "m16n8k32", 16, 8, 32, S4, S4, 'i', "", "" },
    { "m16n8k64", 16, 8, 64, U4, S4, 'i', ".satfinite", "" },
    { "m16n8k64", 16, 8, 64, U4, U4, 'i', "", "" },
    { "m8n8k128", 8, 8, 128, B1, B1, 'i', "", ".xor.popc" },
    { "m16n8k128", 16, 8, 128, B1, B1, 'i', "", ".and.popc" },
    { "m16n8k256", 16, 8, 256, B1, B1, 'i', "", ".xor.popc" },
    { "m16n8k256", 16, 8, 256, B1, B1, 'i', "", ".and.popc" },
    { "m8n8k4", 8, 8, 4, F64, F64, 'd', "", "" },
    { "m16n8k4", 16, 8, 4, F64, F64, 'd', "", "" },
    { "m16n8k8", 16, 8, 8, F64, F64, 'd', "", "" },
    { "m16n8k16", 16, 8, 16, F64, F64, 'd', "", "" },
};

// Finds the row and column of element `i` of a lane's A, B or C fragment, from the ISA's tables. A
// register holds `per` elements.
static void place_a(uint32_t lane, uint32_t i, uint32_t per, uint32_t m, uint32_t *row,
                    uint32_t *col)
{
    uint32_t reg = i / per, tiles = m / 8;
    *row = lane / 4 + (tiles == 2 && reg % 2 ? 8 : 0);
    *col = lane % 4 * per + i % per + (reg / tiles ? reg / tiles * 4 * per : 0);
}
static void place_b(uint32_t lane, uint32_t i, uint32_t per, uint32_t *row, uint32_t *col)
{
    *row = lane % 4 * per + i % per + i / per * 4 * per;
    *col = lane / 4;
}
static void place_c(uint32_t lane, uint32_t i, uint32_t *row, uint32_t *col)
{
    *row = lane / 4 + (i >= 2 ? 8 : 0);
    *col = lane % 4 * 2 + i % 2;
}

static const char *accumulator_word(char accumulator)
{
    return accumulator == 'h'   ? "f16"
           : accumulator == 'f' ? "f32"
           : accumulator == 'i' ? "s32"
                                : "f64";
}

// Writes "{%i0,%i1}", starting at `first`.
static void say_list(char *text, size_t room, char letter, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        say(text, room, "%s%%%c%u", i ? "," : "{", letter, first + i);
    say(text, room, "}");
}

// Puts element `i` of a lane into arrays of registers, each with 32 values.
static void put(void *registers, uint32_t bits, uint32_t register_bits, uint32_t lane, uint32_t i,
                uint64_t code)
{
    uint32_t per = register_bits / bits;
    if (register_bits == 64) {
        ((uint64_t *)registers)[i * 32 + lane] = code;
    } else {
        uint32_t *at = &((uint32_t *)registers)[i / per * 32 + lane];
        *at |= (uint32_t)code << bits * (i % per);
    }
}

static struct matrix a, b;

static double dot(int row_index, uint32_t row, uint32_t col, double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (uint32_t i = 0; i < products[row_index].k; i++) {
        uint64_t x = a.code[row * a.cols + i], y = b.code[i * b.cols + col];
        double one;
        if (products[row_index].a == B1)
            one = (double)(strstr(products[row_index].after, "and") ? x & y : x ^ y);
        else
            one = value_of(products[row_index].a, x) * value_of(products[row_index].b, y);
        sum += one;
        *magnitude += fabs(one);
    }
    return sum;
}

CASE("matrix", .timeout = 60);

TEST_ROWS(mma_multiplies_within_its_bound, products)
{
    const uint32_t m = products[_i].m, n = products[_i].n, k = products[_i].k;
    const enum element ea = products[_i].a, eb = products[_i].b;
    const char accumulator = products[_i].accumulator;
    const uint32_t bits_a = elements[ea].bits, bits_b = elements[eb].bits;
    const uint32_t reg = ea == F64 ? 64 : 32;
    const uint32_t regs_a = m * k * bits_a / reg / 32, regs_b = n * k * bits_b / reg / 32;
    const uint32_t cells = m * n / 32, regs_c = accumulator == 'h' ? cells / 2 : cells;
    const char letter_c = accumulator == 'f' ? 'f' : accumulator == 'd' ? 'd' : 'b';
    char body[1024] = "", inputs[32] = "", outputs[16] = "";
    uint64_t seed = (uint64_t)_i;

    say(body, sizeof body, "mma.sync.aligned.%s.row.col%s.%s.%s.%s.%s%s ", products[_i].shape,
        products[_i].before, accumulator_word(accumulator), elements[ea].word, elements[eb].word,
        accumulator_word(accumulator), products[_i].after);
    say_list(body, sizeof body, 'o', 0, regs_c);
    say(body, sizeof body, ",");
    say_list(body, sizeof body, 'i', 0, regs_a);
    say(body, sizeof body, ",");
    say_list(body, sizeof body, 'i', regs_a, regs_b);
    say(body, sizeof body, ",");
    say_list(body, sizeof body, 'i', regs_a + regs_b, regs_c);
    say(body, sizeof body, ";");
    for (uint32_t i = 0; i < regs_a + regs_b; i++)
        say(inputs, sizeof inputs, reg == 64 ? "d" : "b");
    for (uint32_t i = 0; i < regs_c; i++) {
        say(inputs, sizeof inputs, "%c", letter_c);
        say(outputs, sizeof outputs, "%c", letter_c);
    }

    for (int round = 0; round < 4; round++) {
        uint64_t in[16 * 32] = { 0 }, out[4 * 32];
        double c[16][8];
        char *at_b = (char *)in + regs_a * 32 * reg / 8, *at_c = at_b + regs_b * 32 * reg / 8;
        uint32_t row, col;

        draw_matrix(&a, ea, m, k, &seed);
        draw_matrix(&b, eb, k, n, &seed);
        for (uint32_t lane = 0; lane < 32; lane++) {
            for (uint32_t i = 0; i < m * k / 32; i++) {
                place_a(lane, i, reg / bits_a, m, &row, &col);
                put(in, bits_a, reg, lane, i, a.code[row * k + col]);
            }
            for (uint32_t i = 0; i < n * k / 32; i++) {
                place_b(lane, i, reg / bits_b, &row, &col);
                put(at_b, bits_b, reg, lane, i, b.code[row * n + col]);
            }
            for (uint32_t i = 0; i < cells; i++) {
                double unit = (double)(int32_t)draw(&seed) * 0x1p-31;
                place_c(lane, i, &row, &col);
                if (accumulator == 'h') {
                    uint32_t half = sim_f32_to_f16((float)unit);
                    c[row][col] = (double)sim_f16_to_f32(half);
                    put(at_c, 16, 32, lane, i, half);
                } else if (accumulator == 'f') {
                    c[row][col] = (double)(float)unit;
                    put(at_c, 32, 32, lane, i, sim_bits32((float)unit));
                } else if (accumulator == 'd') {
                    c[row][col] = unit;
                    put(at_c, 64, 64, lane, i, sim_bits64(unit));
                } else {
                    // Include both ends of the range, where accumulators wrap around or saturate.
                    uint32_t x = round == 0   ? 0x7fffffff - i
                                 : round == 1 ? 0x80000000 + i
                                              : draw(&seed);
                    c[row][col] = (double)(int32_t)x;
                    put(at_c, 32, 32, lane, i, x);
                }
            }
        }
        struct exercise x = { .inputs = inputs, .outputs = outputs, .body = body };
        run(&x, in, out, NULL, 0);
        for (uint32_t lane = 0; lane < 32; lane++) {
            for (uint32_t i = 0; i < cells; i++) {
                place_c(lane, i, &row, &col);
                double size, exact = dot(_i, row, col, &size) + c[row][col], got, bound = 0;
                size += fabs(c[row][col]);
                if (accumulator == 'h') {
                    uint32_t word = ((uint32_t *)out)[i / 2 * 32 + lane];
                    got = (double)sim_f16_to_f32(word >> 16 * (i % 2) & 0xffff);
                    // Accumulates in f32, then rounds to 11 bits; 8-bit floats are rounded three
                    // times.
                    bound = k * 0x1p-24 * size + 0x1p-25 +
                            0x1p-11 * (bits_a == 8 ? 3 * size : fabs(exact));
                } else if (accumulator == 'f') {
                    got = (double)((float *)out)[i * 32 + lane];
                    bound = k * 0x1p-24 * size; // one rounding for each product
                } else if (accumulator == 'd') {
                    got = ((double *)out)[i * 32 + lane];
                    bound = 2 * k * 0x1p-53 * size; // the simulator's error plus the oracle's error
                } else {
                    got = (double)((int32_t *)out)[i * 32 + lane];
                    if (*products[_i].before)
                        exact = fmin(fmax(exact, -0x1p31), 0x1p31 - 1);
                    else
                        exact = exact >= 0x1p31   ? exact - 0x1p32
                                : exact < -0x1p31 ? exact + 0x1p32
                                                  : exact;
                }
                ck_assert_msg(fabs(got - exact) <= bound,
                              "%s: D[%u][%u] is %.10g, not %.10g +- %.3g", body, row, col, got,
                              exact, bound);
            }
        }
    }
}

TEST(mma_gives_infinity_and_canonical_nan)
{
    // Row 0 of A has an infinity at k = 0, row 1 a NaN, and row 2 infinities of both signs; B is
    // all ones.
    uint32_t in[10][32] = { { 0 } };
    float out[4][32];
    struct exercise x = {
        .inputs = "bbbbbbffff",
        .outputs = "ffff",
        .body = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%o0,%o1,%o2,%o3},"
                "{%i0,%i1,%i2,%i3},{%i4,%i5},{%i6,%i7,%i8,%i9};",
    };
    for (int lane = 0; lane < 32; lane++)
        in[4][lane] = in[5][lane] = 0x3c003c00;
    in[0][0] = 0x7c00;
    in[0][4] = 0x7e01;
    in[0][8] = 0xfc007c00;
    run(&x, in, out, NULL, 0);
    ck_assert(isinf(out[0][0]) && out[0][0] > 0);
    ck_assert_uint_eq(sim_bits32(out[0][4]), 0x7fffffff);
    ck_assert_uint_eq(sim_bits32(out[0][8]), 0x7fffffff);
    ck_assert(out[0][12] == 0);
}

// The oldest shape: four 8 x 8 x 4 products at once, with all layouts and accumulators.
static const struct {
    const char *layout_a, *layout_b;
    char d, c;
} quads[] = {
    { "row", "col", 'f', 'f' }, { "col", "row", 'f', 'f' }, { "row", "row", 'h', 'h' },
    { "col", "col", 'h', 'h' }, { "row", "col", 'f', 'h' }, { "row", "row", 'f', 'h' },
};

static void place_quad(uint32_t lane, uint32_t i, char type, uint32_t *row, uint32_t *col)
{
    uint32_t upper = lane >= 16 ? 4 : 0;
    if (type == 'h') {
        *row = lane % 4 + upper;
        *col = i;
    } else {
        *row = (lane & 1) + (i & 2) + upper;
        *col = (i & 4) + (lane & 2) + (i & 1);
    }
}

TEST_ROWS(mma_m8n8k4_multiplies_in_quads, quads)
{
    const char d = quads[_i].d, c = quads[_i].c;
    const uint32_t regs_d = d == 'h' ? 4 : 8, regs_c = c == 'h' ? 4 : 8;
    char body[1024] = "", inputs[32] = "bbbb", outputs[16] = "";
    uint32_t in[12 * 32] = { 0 }, out[8 * 32], row, col;
    double va[4][8][4], vb[4][4][8], vc[4][8][8];
    uint64_t seed = 9;

    say(body, sizeof body, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s ", quads[_i].layout_a,
        quads[_i].layout_b, accumulator_word(d), accumulator_word(c));
    say_list(body, sizeof body, 'o', 0, regs_d);
    say(body, sizeof body, ",{%%i0,%%i1},{%%i2,%%i3},");
    say_list(body, sizeof body, 'i', 4, regs_c);
    say(body, sizeof body, ";");
    for (uint32_t i = 0; i < regs_c; i++)
        say(inputs, sizeof inputs, c == 'h' ? "b" : "f");
    for (uint32_t i = 0; i < regs_d; i++)
        say(outputs, sizeof outputs, d == 'h' ? "b" : "f");
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t q = lane / 4 % 4, upper = lane >= 16 ? 4 : 0;
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t x = (uint32_t)draw_code(F16, &seed), y = (uint32_t)draw_code(F16, &seed);
            put(in, 16, 32, lane, i, x);
            put(in + 2 * 32, 16, 32, lane, i, y);
            if (quads[_i].layout_a[0] == 'r')
                va[q][lane % 4 + upper][i] = value_of(F16, x);
            else
                va[q][i + upper][lane % 4] = value_of(F16, x);
            if (quads[_i].layout_b[0] == 'r')
                vb[q][lane % 4][i + upper] = value_of(F16, y);
            else
                vb[q][i][lane % 4 + upper] = value_of(F16, y);
        }
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t half = (uint32_t)draw_code(F16, &seed);
            place_quad(lane, i, c, &row, &col);
            vc[q][row][col] = value_of(F16, half);
            if (c == 'h')
                put(in + 4 * 32, 16, 32, lane, i, half);
            else
                put(in + 4 * 32, 32, 32, lane, i, sim_bits32(sim_f16_to_f32(half)));
        }
    }
    struct exercise x = { .inputs = inputs, .outputs = outputs, .body = body };
    run(&x, in, out, NULL, 0);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t q = lane / 4 % 4;
        for (uint32_t i = 0; i < 8; i++) {
            place_quad(lane, i, d, &row, &col);
            double exact = vc[q][row][col], size = fabs(exact), got;
            for (uint32_t step = 0; step < 4; step++) {
                exact += va[q][row][step] * vb[q][step][col];
                size += fabs(va[q][row][step] * vb[q][step][col]);
            }
            got = d == 'h' ? (double)sim_f16_to_f32(out[i / 2 * 32 + lane] >> 16 * (i % 2) & 0xffff)
                           : (double)sim_float32(out[i * 32 + lane]);
            double bound = 4 * 0x1p-24 * size + (d == 'h' ? 0x1p-11 * fabs(exact) + 0x1p-25 : 0);
            ck_assert_msg(fabs(got - exact) <= bound, "%s: %g, not %g", body, got, exact);
        }
    }
}

// ---- mma.sp
//
// Half of A is zeros that are not stored; metadata gives the columns of the stored elements.

static const struct {
    const char *shape;
    uint32_t k, selectors;
    enum element a, b;
    char accumulator;
    const char *words, *before;
} sparse[] = {
    { "m16n8k16", 16, 4, F16, F16, 'f', "sp", "" },
    { "m16n8k16", 16, 4, F16, F16, 'h', "sp::ordered_metadata", "" },
    { "m16n8k32", 32, 2, F16, F16, 'f', "sp::ordered_metadata", "" },
    { "m16n8k32", 32, 2, F16, F16, 'h', "sp", "" },
    { "m16n8k16", 16, 4, BF16, BF16, 'f', "sp", "" },
    { "m16n8k32", 32, 2, BF16, BF16, 'f', "sp::ordered_metadata", "" },
    { "m16n8k8", 8, 4, TF32, TF32, 'f', "sp", "" },
    { "m16n8k16", 16, 2, TF32, TF32, 'f', "sp::ordered_metadata", "" },
    { "m16n8k64", 64, 1, E4M3, E5M2, 'f', "sp", "" },
    { "m16n8k64", 64, 1, E5M2, E4M3, 'f', "sp::ordered_metadata", "" },
    { "m16n8k32", 32, 2, S8, U8, 'i', "sp", "" },
    { "m16n8k32", 32, 2, U8, S8, 'i', "sp::ordered_metadata", ".satfinite" },
    { "m16n8k64", 64, 1, S8, S8, 'i', "sp", ".satfinite" },
    { "m16n8k64", 64, 1, U8, U8, 'i', "sp::ordered_metadata", "" },
    { "m16n8k64", 64, 2, S4, U4, 'i', "sp", "" },
    { "m16n8k128", 128, 1, U4, S4, 'i', "sp::ordered_metadata", "" },
    { "m16n8k128", 128, 1, S4, S4, 'i', "sp", ".satfinite" },
};

// Positions of the metadata, copied from the figures in the ISA.
static const struct {
    enum element e;
    uint32_t k, selector, row, col, lane, bit;
} metadata[] = {
    { F16, 16, 0, 0, 0, 0, 0 },      { F16, 16, 0, 8, 4, 0, 20 },    { F16, 16, 3, 7, 12, 31, 12 },
    { BF16, 32, 0, 0, 16, 1, 0 },    { F16, 32, 1, 15, 28, 31, 28 }, { F16, 32, 1, 2, 12, 10, 12 },
    { TF32, 8, 1, 9, 6, 5, 28 },     { TF32, 16, 0, 1, 8, 5, 0 },    { S8, 32, 0, 8, 0, 1, 0 },
    { U8, 32, 1, 7, 28, 30, 28 },    { S8, 64, 0, 0, 32, 2, 0 },     { E4M3, 64, 0, 8, 28, 1, 28 },
    { E5M2, 64, 0, 15, 60, 31, 28 }, { U4, 64, 1, 3, 8, 14, 4 },     { S4, 128, 0, 9, 64, 7, 0 },
};

TEST_ROWS(metadata_lies_where_the_figures_show_it, metadata)
{
    uint32_t lane, bit;
    place_metadata(metadata[_i].e, metadata[_i].k, metadata[_i].selector, metadata[_i].row,
                   metadata[_i].col / piece_elements(metadata[_i].e), &lane, &bit);
    ck_assert_uint_eq(lane, metadata[_i].lane);
    ck_assert_uint_eq(bit, metadata[_i].bit);
}

TEST_ROWS(mma_sp_multiplies_what_is_stored, sparse)
{
    const uint32_t k = sparse[_i].k;
    const enum element ea = sparse[_i].a, eb = sparse[_i].b;
    const char accumulator = sparse[_i].accumulator;
    const uint32_t bits = elements[ea].bits, per = 32 / bits;
    const uint32_t regs_a = 16 * k / 2 * bits / 1024, regs_b = 8 * k * bits / 1024;
    const uint32_t regs_c = accumulator == 'h' ? 2 : 4, stored = k / 2;
    const uint32_t piece = piece_elements(ea);
    const char letter = accumulator == 'f' ? 'f' : 'b';
    uint32_t at[16][64]; // the column of each stored element
    uint64_t seed = (uint64_t)_i;

    for (uint32_t round = 0; round < 4 * sparse[_i].selectors; round++) {
        const uint32_t selector = round % sparse[_i].selectors;
        char body[1024] = "", inputs[32] = "", outputs[8] = "";
        uint32_t in[16 * 32], out[4 * 32], row, col, lane, bit;
        uint32_t *at_b = in + 32 * regs_a, *at_c = at_b + 32 * regs_b, *meta = at_c + 32 * regs_c;
        double c[16][8];

        say(body, sizeof body, "mma.%s.sync.aligned.%s.row.col%s.%s.%s.%s.%s ", sparse[_i].words,
            sparse[_i].shape, sparse[_i].before, accumulator_word(accumulator), elements[ea].word,
            elements[eb].word, accumulator_word(accumulator));
        say_list(body, sizeof body, 'o', 0, regs_c);
        say(body, sizeof body, ",");
        say_list(body, sizeof body, 'i', 0, regs_a);
        say(body, sizeof body, ",");
        say_list(body, sizeof body, 'i', regs_a, regs_b);
        say(body, sizeof body, ",");
        say_list(body, sizeof body, 'i', regs_a + regs_b, regs_c);
        say(body, sizeof body, ",%%i%u,%u;", regs_a + regs_b + regs_c, selector);
        for (uint32_t i = 0; i < regs_a + regs_b; i++)
            say(inputs, sizeof inputs, "b");
        for (uint32_t i = 0; i < regs_c; i++) {
            say(inputs, sizeof inputs, "%c", letter);
            say(outputs, sizeof outputs, "%c", letter);
        }
        say(inputs, sizeof inputs, "b");

        draw_matrix(&a, ea, 16, stored, &seed);
        draw_matrix(&b, eb, k, 8, &seed);
        memset(in, 0, sizeof in);
        for (uint32_t i = 0; i < 32; i++)
            meta[i] = draw(&seed); // the metadata of lanes that are not selected is ignored
        for (row = 0; row < 16; row++) {
            // In the first round, all rows store the same columns, and all other rows of B are NaN.
            uint64_t same = 77, *from = round == 0 ? &same : &seed;
            for (uint32_t p = 0; p < k / piece; p++) {
                uint32_t kept[4], code = draw_piece(ea, from, kept);
                place_metadata(ea, k, selector, row, p, &lane, &bit);
                meta[lane] = (meta[lane] & ~(15u << bit)) | code << bit;
                for (uint32_t i = 0; i < piece / 2; i++)
                    at[row][p * piece / 2 + i] = p * piece + kept[i];
            }
        }
        for (uint32_t i = 0; round == 0 && i < k; i++) {
            bool met = accumulator == 'i';
            for (uint32_t j = 0; j < stored; j++)
                met = met || at[0][j] == i;
            for (col = 0; !met && col < 8; col++)
                b.code[i * 8 + col] = eb == TF32                 ? 0x7fc00000
                                      : eb == E5M2 || eb == E4M3 ? 0x7f
                                                                 : 0x7fff;
        }
        for (lane = 0; lane < 32; lane++) {
            for (uint32_t i = 0; i < 16 * stored / 32; i++) {
                uint32_t reg = i / per, first = lane % 4 * 2 * per + (reg >= 2 ? 8 * per : 0);
                row = lane / 4 + (reg % 2 ? 8 : 0);
                put(in, bits, 32, lane, i, a.code[row * stored + first / 2 + i % per]);
            }
            for (uint32_t i = 0; i < 8 * k / 32; i++) {
                place_b(lane, i, per, &row, &col);
                put(at_b, bits, 32, lane, i, b.code[row * 8 + col]);
            }
            for (uint32_t i = 0; i < 4; i++) {
                double unit = (double)(int32_t)draw(&seed) * 0x1p-31;
                place_c(lane, i, &row, &col);
                if (accumulator == 'h') {
                    uint32_t half = sim_f32_to_f16((float)unit);
                    c[row][col] = (double)sim_f16_to_f32(half);
                    put(at_c, 16, 32, lane, i, half);
                } else if (accumulator == 'f') {
                    c[row][col] = (double)(float)unit;
                    put(at_c, 32, 32, lane, i, sim_bits32((float)unit));
                } else {
                    uint32_t x = round % 3 == 0   ? 0x7fffffff - i
                                 : round % 3 == 1 ? 0x80000000 + i
                                                  : draw(&seed);
                    c[row][col] = (double)(int32_t)x;
                    put(at_c, 32, 32, lane, i, x);
                }
            }
        }
        struct exercise x = { .inputs = inputs, .outputs = outputs, .body = body };
        run(&x, in, out, NULL, 0);
        for (lane = 0; lane < 32; lane++) {
            for (uint32_t i = 0; i < 4; i++) {
                place_c(lane, i, &row, &col);
                double exact = c[row][col], size = fabs(exact), got, bound = 0;
                for (uint32_t j = 0; j < stored; j++) {
                    double one = value_of(ea, a.code[row * stored + j]) *
                                 value_of(eb, b.code[at[row][j] * 8 + col]);
                    exact += one;
                    size += fabs(one);
                }
                if (accumulator == 'h') {
                    got = (double)sim_f16_to_f32(out[i / 2 * 32 + lane] >> 16 * (i % 2) & 0xffff);
                    bound = stored * 0x1p-24 * size + 0x1p-11 * fabs(exact) + 0x1p-25;
                } else if (accumulator == 'f') {
                    got = (double)sim_float32(out[i * 32 + lane]);
                    bound = stored * 0x1p-24 * size;
                } else {
                    got = (double)(int32_t)out[i * 32 + lane];
                    exact = *sparse[_i].before ? fmin(fmax(exact, -0x1p31), 0x1p31 - 1)
                            : exact >= 0x1p31  ? exact - 0x1p32
                            : exact < -0x1p31  ? exact + 0x1p32
                                               : exact;
                }
                ck_assert_msg(fabs(got - exact) <= bound,
                              "%s: D[%u][%u] is %.10g, not %.10g +- %.3g", body, row, col, got,
                              exact, bound);
            }
        }
    }
}

TEST(mma_of_doubles_uses_the_given_rounding)
{
    static const struct {
        const char *before, *after;
        double sum, minus; // the terms are 1 and 2^-60, and the negatives of both
    } rows[] = {
        { "", "", 1, -1 },
        { ".rn", "", 1, -1 },
        { ".rz", "", 1, -1 },
        { "", ".rm", 1, -1 - 0x1p-52 },
        { ".rp", "", 1 + 0x1p-52, -1 },
    };
    double in[4][32], out[2][32];

    for (size_t r = 0; r < CUC_LENGTH(rows); r++) {
        char body[256] = "";
        struct exercise x = { .inputs = "dddd", .outputs = "dd", .body = body };
        say(body, sizeof body,
            "mma.sync.aligned.m8n8k4.row.col%s.f64.f64.f64.f64%s {%%o0,%%o1},{%%i0},{%%i1},"
            "{%%i2,%%i3};",
            rows[r].before, rows[r].after);
        for (int lane = 0; lane < 32; lane++) {
            double sign = lane < 16 ? 1 : -1;
            in[0][lane] = lane % 4 ? 0 : sign * 0x1p-60;
            in[1][lane] = 1;
            in[2][lane] = in[3][lane] = sign;
        }
        run(&x, in, out, NULL, 0);
        for (int lane = 0; lane < 32; lane++)
            ck_assert(out[0][lane] == (lane < 16 ? rows[r].sum : rows[r].minus));
    }
}

// ldmatrix, stmatrix, movmatrix

static const struct {
    uint32_t count;
    bool trans;
} moves[] = { { 1, false }, { 2, false }, { 4, false }, { 1, true }, { 2, true }, { 4, true } };

// Returns the 16-byte slot for row r of matrix m; the rows are scattered over the slots.
static uint32_t slot_of(uint32_t m, uint32_t r)
{
    return (m * 8 + r) * 5 % 32;
}

TEST_ROWS(ldmatrix_and_stmatrix_are_inverse_of_each_other, moves)
{
    const uint32_t count = moves[_i].count;
    char body[1024] = "", outputs[8] = "", list[64] = "";
    _Alignas(16) uint16_t shared[2][32][8];
    uint32_t in[32], out[4][32];
    uint64_t seed = 4;

    for (uint32_t i = 0; i < 32 * 8; i++)
        (&shared[0][0][0])[i] = (uint16_t)draw(&seed);
    memset(shared[1], 0, sizeof shared[1]);
    for (uint32_t lane = 0; lane < 32; lane++)
        in[lane] = slot_of(lane / 8, lane % 8) * 16;
    for (uint32_t i = 0; i < count; i++)
        say(outputs, sizeof outputs, "b");
    say_list(list, sizeof list, 'o', 0, count);
    // Rows go to shared memory, to registers, back to shared memory, and then to the output.
    say(body, sizeof body,
        "mov.u32 %%r1, tile;\nmov.u64 %%x3, tile;\nmad.wide.u32 %%x1, %%t, 16, %%g;\n"
        "mad.wide.u32 %%x2, %%t, 16, %%x3;\n"
        "ld.global.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%x1];\nst.shared.v4.b32 [%%x2], "
        "{%%r4,%%r5,%%r6,%%r7};\n"
        "mov.b32 %%r8, 0;\nst.shared.v4.b32 [%%x2+512], {%%r8,%%r8,%%r8,%%r8};\nbar.sync 0;\n"
        "add.u32 %%r2, %%r1, %%i0;\n"
        "ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 %s, [%%r2];\n"
        "stmatrix.sync.aligned.m8n8.x%u%s.shared::cta.b16 [%%r2+512], %s;\nbar.sync 0;\n"
        "ld.shared.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%x2+512];\n"
        "st.global.v4.b32 [%%x1+512], {%%r4,%%r5,%%r6,%%r7};",
        count, moves[_i].trans ? ".trans" : "", list, count, moves[_i].trans ? ".trans" : "", list);
    struct exercise x = { .inputs = "b",
                          .outputs = outputs,
                          .outside = ".shared .align 16 .b8 tile[1024];",
                          .body = body };
    run(&x, in, out, shared, sizeof shared);
    for (uint32_t m = 0; m < count; m++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t row = lane / 4, col = 2 * (lane % 4), expect;
            if (moves[_i].trans)
                expect = shared[0][slot_of(m, col)][row] |
                         (uint32_t)shared[0][slot_of(m, col + 1)][row] << 16;
            else
                expect = shared[0][slot_of(m, row)][col] |
                         (uint32_t)shared[0][slot_of(m, row)][col + 1] << 16;
            ck_assert_uint_eq(out[m][lane], expect);
        }
    }
    for (uint32_t m = 0; m < 4; m++)
        for (uint32_t r = 0; r < 8; r++)
            for (uint32_t i = 0; i < 8; i++)
                ck_assert_uint_eq(shared[1][slot_of(m, r)][i],
                                  m < count ? shared[0][slot_of(m, r)][i] : 0);
}

// ---- Matrices of bytes and of packed elements: row r is at slot (5 r) % 32.

static const struct {
    const char *words;
    uint32_t registers;
    uint32_t bits; // bits per element in memory
    bool turned;
} byte_loads[] = {
    { "m16n16.x1.trans.shared.b8", 2, 8, true },
    { "m16n16.x2.trans.shared::cta.b8", 4, 8, true },
    { "m16n16.x1.trans.shared.b8x16.b6x16_p32", 2, 6, true },
    { "m16n16.x2.trans.shared.b8x16.b4x16_p64", 4, 4, true },
    { "m8n16.x1.shared.b8x16.b6x16_p32", 1, 6, false },
    { "m8n16.x2.shared.b8x16.b4x16_p64", 2, 4, false },
    { "m8n16.x4.shared.b8x16.b6x16_p32", 4, 6, false },
    { "m8n16.x4.shared::cta.b8x16.b4x16_p64", 4, 4, false },
};

#define FILL_TILE                                                                          \
    "mov.u32 %%r1, tile;\nmov.u64 %%x3, tile;\nmad.wide.u32 %%x1, %%t, 16, %%g;\n"         \
    "mad.wide.u32 %%x2, %%t, 16, %%x3;\nld.global.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%x1];\n" \
    "st.shared.v4.b32 [%%x2], {%%r4,%%r5,%%r6,%%r7};\nbar.sync 0;\nadd.u32 %%r2, %%r1, %%i0;\n"

// Returns element `col` of a 16-byte row.
static uint32_t element_of(const unsigned char row[16], uint32_t bits, uint32_t col)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++)
        value |= (uint32_t)(row[(col * bits + i) / 8] >> (col * bits + i) % 8 & 1) << i;
    return value;
}

TEST_ROWS(ldmatrix_of_bytes_transposes_and_unpacks, byte_loads)
{
    char body[1024] = "", outputs[8] = "";
    _Alignas(16) unsigned char shared[32][16];
    uint32_t in[32], out[4][32];
    uint64_t seed = 6;

    for (uint32_t i = 0; i < sizeof shared; i++)
        (&shared[0][0])[i] = (unsigned char)draw(&seed);
    for (uint32_t lane = 0; lane < 32; lane++)
        in[lane] = lane * 5 % 32 * 16;
    say(body, sizeof body, FILL_TILE "ldmatrix.sync.aligned.%s ", byte_loads[_i].words);
    say_list(body, sizeof body, 'o', 0, byte_loads[_i].registers);
    say(body, sizeof body, ", [%%r2];");
    for (uint32_t i = 0; i < byte_loads[_i].registers; i++)
        say(outputs, sizeof outputs, "b");
    struct exercise x = { .inputs = "b",
                          .outputs = outputs,
                          .outside = ".shared .align 16 .b8 tile[512];",
                          .body = body,
                          .arch = 100 };
    run(&x, in, out, shared, sizeof shared);
    for (uint32_t reg = 0; reg < byte_loads[_i].registers; reg++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t g = lane / 4, t = lane % 4;
            for (uint32_t i = 0; i < 4; i++) {
                // If transposed, two registers hold a matrix of 16 rows; the second register holds
                // its upper columns.
                uint32_t row = byte_loads[_i].turned ? reg / 2 * 16 + 4 * t + i : reg * 8 + g;
                uint32_t col = byte_loads[_i].turned ? g + reg % 2 * 8 : 4 * t + i;
                ck_assert_uint_eq(out[reg][lane] >> 8 * i & 0xff,
                                  element_of(shared[row * 5 % 32], byte_loads[_i].bits, col));
            }
        }
    }
}

TEST_RANGE(stmatrix_of_bytes_writes_accumulators_by_columns, 0, 3)
{
    const uint32_t count = 1u << _i;
    char body[1024] = "";
    _Alignas(16) unsigned char shared[32][16];
    uint32_t in[5][32];
    uint64_t seed = 7;

    for (uint32_t lane = 0; lane < 32; lane++) {
        in[0][lane] = lane * 5 % 32 * 16;
        for (uint32_t reg = 0; reg < 4; reg++)
            in[1 + reg][lane] = draw(&seed);
    }
    memset(shared, 0x5a, sizeof shared);
    say(body, sizeof body, FILL_TILE "stmatrix.sync.aligned.m16n8.x%u.trans.shared.b8 [%%r2], ",
        count);
    say_list(body, sizeof body, 'i', 1, count);
    say(body, sizeof body,
        ";\nbar.sync 0;\nld.shared.v4.b32 {%%r4,%%r5,%%r6,%%r7}, [%%x2];\n"
        "st.global.v4.b32 [%%x1], {%%r4,%%r5,%%r6,%%r7};");
    struct exercise x = { .inputs = "bbbbb",
                          .outputs = "",
                          .outside = ".shared .align 16 .b8 tile[512];",
                          .body = body,
                          .arch = 100 };
    run(&x, in, NULL, shared, sizeof shared);
    for (uint32_t reg = 0; reg < 4; reg++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t row, col; // in the accumulators
                place_c(lane, i, &row, &col);
                ck_assert_uint_eq(shared[(8 * reg + col) * 5 % 32][row],
                                  reg < count ? in[1 + reg][lane] >> 8 * i & 0xff : 0x5a);
            }
        }
    }
}

TEST(movmatrix_transposes)
{
    uint32_t in[32], out[32];
    uint16_t from[8][8], to[8][8];
    uint64_t seed = 5;
    struct exercise x = { .inputs = "b",
                          .outputs = "b",
                          .body = "movmatrix.sync.aligned.m8n8.trans.b16 %o0, %i0;" };
    for (uint32_t lane = 0; lane < 32; lane++)
        in[lane] = draw(&seed);
    run(&x, in, out, NULL, 0);
    memcpy(from, in, sizeof from);
    memcpy(to, out, sizeof to);
    for (int row = 0; row < 8; row++)
        for (int col = 0; col < 8; col++)
            ck_assert_uint_eq(to[col][row], from[row][col]);
}

// ---- wmma: load, multiply, store; the fragments in between have the simulator's own layout.

static const struct {
    const char *shape;
    uint32_t m, n, k;
    enum element e;
    char d, c;
    const char *layout_a, *layout_b, *layout_d;
    const char *before, *after;
} wmmas[] = {
    { "m16n16k16", 16, 16, 16, F16, 'f', 'f', "row", "col", "row", "", "" },
    { "m16n16k16", 16, 16, 16, F16, 'h', 'h', "col", "row", "col", "", "" },
    { "m16n16k16", 16, 16, 16, F16, 'f', 'h', "row", "row", "row", "", "" },
    { "m32n8k16", 32, 8, 16, F16, 'f', 'f', "col", "col", "row", "", "" },
    { "m8n32k16", 8, 32, 16, F16, 'h', 'f', "row", "col", "col", "", "" },
    { "m16n16k16", 16, 16, 16, BF16, 'f', 'f', "row", "col", "row", "", "" },
    { "m32n8k16", 32, 8, 16, BF16, 'f', 'f', "row", "row", "col", "", "" },
    { "m8n32k16", 8, 32, 16, BF16, 'f', 'f', "col", "row", "row", "", "" },
    { "m16n16k8", 16, 16, 8, TF32, 'f', 'f', "row", "row", "row", "", "" },
    { "m16n16k16", 16, 16, 16, S8, 'i', 'i', "row", "col", "row", "", "" },
    { "m32n8k16", 32, 8, 16, U8, 'i', 'i', "col", "row", "col", "", "" },
    { "m8n32k16", 8, 32, 16, S8, 'i', 'i', "row", "col", "row", ".satfinite", "" },
    { "m8n8k32", 8, 8, 32, S4, 'i', 'i', "row", "col", "row", "", "" },
    { "m8n8k32", 8, 8, 32, U4, 'i', 'i', "row", "col", "col", ".satfinite", "" },
    { "m8n8k128", 8, 8, 128, B1, 'i', 'i', "row", "col", "row", "", ".xor.popc" },
    { "m8n8k128", 8, 8, 128, B1, 'i', 'i', "row", "col", "row", "", ".and.popc" },
    { "m8n8k4", 8, 8, 4, F64, 'd', 'd', "row", "col", "row", "", "" },
    { "m8n8k4", 8, 8, 4, F64, 'd', 'd', "col", "row", "col", ".rn", "" },
};

static uint32_t accumulator_bits(char accumulator)
{
    return accumulator == 'h' ? 16 : accumulator == 'd' ? 64 : 32;
}

static uint32_t fragment_registers(uint32_t cells, uint32_t bits)
{
    return cells * bits / (bits == 64 ? 64 : 32) / 32;
}

// Writes the code of an element at (row, col) of a matrix in memory; the pitch counts elements.
static void poke(unsigned char *bytes, uint32_t bits, const char *layout, uint32_t pitch,
                 uint32_t row, uint32_t col, uint64_t code)
{
    uint32_t i = layout[0] == 'r' ? row * pitch + col : col * pitch + row;
    if (bits < 8)
        bytes[i * bits / 8] |= (unsigned char)(code << i * bits % 8);
    else
        memcpy(bytes + i * (bits / 8), &code, bits / 8);
}

static uint64_t peek(const unsigned char *bytes, uint32_t bits, const char *layout, uint32_t pitch,
                     uint32_t row, uint32_t col)
{
    uint32_t i = layout[0] == 'r' ? row * pitch + col : col * pitch + row;
    uint64_t code = 0;
    memcpy(&code, bytes + i * (bits / 8), bits / 8);
    return code;
}

TEST_ROWS(wmma_multiplies_what_it_loads, wmmas)
{
    const uint32_t m = wmmas[_i].m, n = wmmas[_i].n, k = wmmas[_i].k;
    const enum element e = wmmas[_i].e;
    const uint32_t bits = elements[e].bits, bits_c = accumulator_bits(wmmas[_i].c);
    const uint32_t bits_d = accumulator_bits(wmmas[_i].d);
    // Each row ends with 128 bits of padding.
    const uint32_t gap = 128 / bits;
    const uint32_t pitch_a = (wmmas[_i].layout_a[0] == 'r' ? k : m) + gap;
    const uint32_t pitch_b = (wmmas[_i].layout_b[0] == 'r' ? n : k) + gap;
    const uint32_t pitch_c = n + 16, pitch_d = (wmmas[_i].layout_d[0] == 'r' ? n : m) + 8;
    const uint32_t regs_a = e == F16 ? 8 : fragment_registers(m * k, bits);
    const uint32_t regs_b = e == F16 ? 8 : fragment_registers(n * k, bits);
    const uint32_t regs_c = fragment_registers(m * n, bits_c),
                   regs_d = fragment_registers(m * n, bits_d);
    const char *type = elements[e].word, *type_c = accumulator_word(wmmas[_i].c);
    const char *type_d = accumulator_word(wmmas[_i].d);
    char body[2048] = "";
    static _Alignas(16) unsigned char memory[4][8192];
    double c[32][32];
    uint64_t seed = (uint64_t)_i;

    memset(memory, 0, sizeof memory);
    const char reg = e == F64 ? 'd' : 'b';
    say(body, sizeof body, "{\n.reg .%s %%A<8>, %%B<8>;\n.reg .%s %%C<8>;\n.reg .%s %%D<8>;\n",
        letter_type(reg),
        wmmas[_i].c == 'h'   ? "b32"
        : wmmas[_i].c == 'i' ? "b32"
                             : type_c,
        wmmas[_i].d == 'h'   ? "b32"
        : wmmas[_i].d == 'i' ? "b32"
                             : type_d);
    static const char names[] = { 'A', 'B', 'C' };
    const uint32_t regs[] = { regs_a, regs_b, regs_c }, pitches[] = { pitch_a, pitch_b, pitch_c };
    const char *layouts[] = { wmmas[_i].layout_a, wmmas[_i].layout_b, "row" };
    const char *types[] = { type, type, type_c };
    for (uint32_t i = 0; i < 3; i++) {
        say(body, sizeof body, "wmma.load.%c.sync.aligned.%s.%s.global.%s ", "abc"[i], layouts[i],
            wmmas[_i].shape, types[i]);
        say_list(body, sizeof body, names[i], 0, regs[i]);
        say(body, sizeof body, ", [%%g+%u], %u;\n", i * 8192, pitches[i]);
    }
    say(body, sizeof body, "wmma.mma%s.sync.aligned.%s.%s.%s%s", wmmas[_i].after,
        wmmas[_i].layout_a, wmmas[_i].layout_b, wmmas[_i].shape,
        strcmp(wmmas[_i].before, ".rn") == 0 ? ".rn" : "");
    if (e == F16)
        say(body, sizeof body, ".%s.%s", type_d, type_c);
    else
        say(body, sizeof body, ".%s.%s.%s.%s", type_d, type, type, type_c);
    say(body, sizeof body, "%s ", strcmp(wmmas[_i].before, ".rn") == 0 ? "" : wmmas[_i].before);
    say_list(body, sizeof body, 'D', 0, regs_d);
    for (uint32_t i = 0; i < 3; i++) {
        say(body, sizeof body, ",");
        say_list(body, sizeof body, names[i], 0, regs[i]);
    }
    say(body, sizeof body, ";\nwmma.store.d.sync.aligned.%s.%s.global.%s [%%g+24576], ",
        wmmas[_i].layout_d, wmmas[_i].shape, type_d);
    say_list(body, sizeof body, 'D', 0, regs_d);
    say(body, sizeof body, ", %u;\n}", pitch_d);

    draw_matrix(&a, e, m, k, &seed);
    draw_matrix(&b, e, k, n, &seed);
    for (uint32_t row = 0; row < m; row++)
        for (uint32_t i = 0; i < k; i++)
            poke(memory[0], bits, wmmas[_i].layout_a, pitch_a, row, i, a.code[row * k + i]);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t col = 0; col < n; col++)
            poke(memory[1], bits, wmmas[_i].layout_b, pitch_b, i, col, b.code[i * n + col]);
    for (uint32_t row = 0; row < m; row++) {
        for (uint32_t col = 0; col < n; col++) {
            double v = (double)((int)(draw(&seed) % 4001) - 2000);
            uint64_t code;
            v = wmmas[_i].c == 'i' ? v : v / 1024;
            switch (wmmas[_i].c) {
            case 'h':
                code = sim_f32_to_f16((float)v);
                v = (double)sim_f16_to_f32((uint32_t)code);
                break;
            case 'f':
                code = sim_bits32((float)v);
                break;
            case 'd':
                code = sim_bits64(v);
                break;
            default:
                code = (uint32_t)(int32_t)v;
            }
            c[row][col] = v;
            poke(memory[2], bits_c, "row", pitch_c, row, col, code);
        }
    }
    struct exercise x = { .inputs = "", .outputs = "", .body = body };
    run(&x, NULL, NULL, memory, sizeof memory);
    for (uint32_t row = 0; row < m; row++) {
        for (uint32_t col = 0; col < n; col++) {
            double exact = c[row][col], size = fabs(exact), got, bound = 0;
            for (uint32_t i = 0; i < k; i++) {
                uint64_t xa = a.code[row * k + i], xb = b.code[i * n + col];
                double one = e == B1 ? (double)(strstr(wmmas[_i].after, "and") ? xa & xb : xa ^ xb)
                                     : value_of(e, xa) * value_of(e, xb);
                exact += one;
                size += fabs(one);
            }
            uint64_t code = peek(memory[3], bits_d, wmmas[_i].layout_d, pitch_d, row, col);
            switch (wmmas[_i].d) {
            case 'h':
                got = (double)sim_f16_to_f32((uint32_t)code);
                bound = k * 0x1p-24 * size + 0x1p-11 * fabs(exact) + 0x1p-25;
                break;
            case 'f':
                got = (double)sim_float32((uint32_t)code);
                bound = k * 0x1p-24 * size;
                break;
            case 'd':
                got = sim_float64(code);
                bound = 2 * k * 0x1p-53 * size;
                break;
            default:
                got = (double)(int32_t)(uint32_t)code;
            }
            ck_assert_msg(fabs(got - exact) <= bound, "%s\nD[%u][%u] is %.10g, not %.10g", body,
                          row, col, got, exact);
        }
    }
    // The padding must not be written.
    for (uint32_t line = 0; line < (wmmas[_i].layout_d[0] == 'r' ? m : n); line++)
        for (uint32_t i = pitch_d - 8; i < pitch_d; i++)
            ck_assert_uint_eq(peek(memory[3], bits_d, "row", pitch_d, line, i), 0);
}

static const char *const refused[] = {
    "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 "
    "{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7},{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
    "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4},{%f0,%f1,%f2,%f3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7};",
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32 "
    "{%r0,%r1,%r2,%r3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r0,%r1,%r2,%r3};",
    "mma.sync.aligned.m16n8k4.row.col.f32.bf16.bf16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4},{%f0,%f1,%f2,%f3};",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4,%r5},{%f0,%f1,%f2,%f3},%r9,4;",
    "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1},{%r4,%r5},{%f0,%f1,%f2,%f3},%r9,%r8;",
    "mma.sp.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 "
    "{%r10,%r11},{%r0,%r1,%r2,%r3},{%r4,%r5,%r6,%r7},{%r10,%r11},%r9,0;",
    "mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32 "
    "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
    "wmma.mma.sync.aligned.row.row.m8n8k32.s32.s4.s4.s32 {%r0,%r1},{%r2},{%r3},{%r4,%r5};",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4}, [%r2];",
    "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r4}, [%x2];",
    "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r4,%r5,%r6,%r7}, [%r2];",
    "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3}, [%g], 16;",
    "wmma.load.b.sync.aligned.row.m8n8k128.global.b1 {%r0}, [%g], 128;",
    "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32 "
    "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7},{%r0,%r1,%r2,%r3,%r4,%r5,%"
    "r6,%r7},{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
};

TEST_ROWS(forms_that_do_not_exist_are_refused_at_load, refused)
{
    struct exercise x = { .inputs = "", .outputs = "", .body = refused[_i] };
    char *ptx = exercise_ptx(&x);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strncmp(log, "line ", 5) == 0, "%s: %s", refused[_i], log);
    free(ptx);
}

TEST(ldmatrix_checks_every_row)
{
    struct exercise x = { .inputs = "",
                          .outputs = "b",
                          .outside = ".shared .align 16 .b8 tile[128];",
                          .body = "mov.u32 %r1, tile;\nmad.lo.u32 %r1, %t, 16, %r1;\n"
                                  "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%o0}, [%r1+8];" };
    uint32_t out[32];
    ck_assert_int_eq(exercise(&x, NULL, out, NULL, 0), 716);
    x.body = "mov.u32 %r1, tile;\nmad.lo.u32 %r1, %t, 16, %r1;\n"
             "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%o0}, [%r1+16];";
    ck_assert_int_eq(exercise(&x, NULL, out, NULL, 0), 700);
}

int main(void)
{
    return run_tests("matrix");
}
