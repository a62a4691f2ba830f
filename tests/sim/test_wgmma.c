// Compares wgmma with products computed in double, for all layouts of its matrices in shared
// memory.
#include "base/array.h"
#include "elements.h"

#include <math.h>

#include "driver/cuda_abi.h"
#include "sim/shell/shell.h"
#include "tests.h"

// ---- A kernel of one warpgroup that fills shared memory from an image and multiplies once

enum { THREADS = 128, SHARED = 96 << 10, MAX_D = 128 };

struct product {
    const char *form;       // "f32.f16.f16", "satfinite.s32.s8.s8"
    const char *immediates; // operands after scale-d, including the comma
    uint32_t n, k;
    uint32_t d_registers;
    bool a_registers;
    uint64_t a, b; // descriptors
    bool scale_d;
    bool sparse;
    uint32_t selector;
};

struct data {
    unsigned char image[SHARED];
    uint32_t a[5 * THREADS]; // four registers of A, then its metadata
    uint32_t d[MAX_D * THREADS];
};

static char *ptx_of(const struct product *x)
{
    const size_t room = 1 << 16;
    char *ptx = calloc(room, 1);

    say(ptx, room,
        ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
        ".visible .entry k(.param .u64 pi, .param .u64 pa, .param .u64 pd, .param .u64 da,\n"
        "    .param .u64 db, .param .u32 ps)\n{\n"
        ".reg .b64 %%i, %%ia, %%id, %%a, %%b, %%at;\n.reg .b32 %%t, %%s, %%x, %%y, %%r<5>, "
        "%%d<128>;\n.reg .pred %%p, %%q;\n"
        "ld.param.u64 %%i, [pi];\nld.param.u64 %%ia, [pa];\nld.param.u64 %%id, [pd];\n"
        "ld.param.u64 %%a, [da];\nld.param.u64 %%b, [db];\nld.param.u32 %%x, [ps];\n"
        "setp.ne.u32 %%p, %%x, 0;\nmov.u32 %%t, %%tid.x;\nmov.u32 %%s, sm;\n"
        "shl.b32 %%x, %%t, 2;\n"
        "FILL: cvt.u64.u32 %%at, %%x;\nadd.u64 %%at, %%at, %%i;\nld.global.b32 %%y, [%%at];\n"
        "add.u32 %%r0, %%s, %%x;\nst.shared.b32 [%%r0], %%y;\nadd.u32 %%x, %%x, %u;\n"
        "setp.lt.u32 %%q, %%x, %u;\n@%%q bra FILL;\nfence.proxy.async;\nbar.sync 0;\n"
        "mad.wide.u32 %%ia, %%t, 4, %%ia;\nmad.wide.u32 %%id, %%t, 4, %%id;\n",
        THREADS * 4, SHARED);
    for (uint32_t i = 0; i < 5; i++)
        say(ptx, room, "ld.global.b32 %%r%u, [%%ia+%u];\n", i, i * THREADS * 4);
    for (uint32_t i = 0; i < x->d_registers; i++)
        say(ptx, room, "ld.global.b32 %%d%u, [%%id+%u];\n", i, i * THREADS * 4);
    say(ptx, room, "wgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.m64n%uk%u.%s ",
        x->sparse ? ".sp" : "", x->n, x->k, x->form);
    for (uint32_t i = 0; i < x->d_registers; i++)
        say(ptx, room, "%s%%d%u", i ? "," : "{", i);
    say(ptx, room, "},%s,%%b,", x->a_registers ? "{%r0,%r1,%r2,%r3}" : "%a");
    if (x->sparse)
        say(ptx, room, "%%r4,%u,", x->selector);
    say(ptx, room, "%%p%s;\n", x->immediates);
    say(ptx, room, "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
    for (uint32_t i = 0; i < x->d_registers; i++)
        say(ptx, room, "st.global.b32 [%%id+%u], %%d%u;\n", i * THREADS * 4, i);
    say(ptx, room, "ret;\n}\n");
    return ptx;
}

static int run(const struct product *x, struct data *data, uint32_t threads)
{
    void *const ours[3] = { data->image, data->a, data->d };
    const size_t bytes[3] = { sizeof data->image, sizeof data->a, sizeof data->d };
    struct harness_launch launch = { .block = { threads }, .shared_bytes = SHARED };
    char *ptx = ptx_of(x);
    struct sim_program *program = harness_load(ptx);

    for (int i = 0; i < 3; i++) {
        void *memory = harness_memory(bytes[i]);
        memcpy(memory, ours[i], bytes[i]);
        launch.arguments[i] = HARNESS_POINTER(memory);
    }
    launch.arguments[3] = x->a;
    launch.arguments[4] = x->b;
    launch.arguments[5] = x->scale_d;
    int fault = harness_run(program, &launch);
    for (int i = 0; i < 3; i++) {
        void *memory = (void *)(uintptr_t)launch.arguments[i];
        memcpy(ours[i], memory, bytes[i]);
        harness_release(memory);
    }
    sim_program_free(program);
    free(ptx);
    return fault;
}

// The layout of a matrix: a canonical layout of the ISA with swizzled 16-byte pieces.
struct layout {
    uint32_t swizzle; // bytes per row: 128, 64, 32; 0: no swizzle
    bool turned;      // whether m or n is the contiguous dimension
    uint32_t leading, stride, start;
    bool relative; // whether the pattern starts at the matrix, at any address
};

// Returns the offset of byte `part` of the element at k and at `row`, along m or n.
static uint32_t place(const struct layout *l, uint32_t row, uint32_t k, uint32_t size)
{
    const uint32_t t = 16 / size, s = l->swizzle;
    uint32_t at, mask = s ? s / 16 - 1 : 0;

    if (s == 0)
        at = l->turned ? row % t * size + row / t * l->stride + k % 8 * 16 + k / 8 * l->leading
                       : row % 8 * 16 + row / 8 * l->stride + k % t * size + k / t * l->leading;
    else if (l->turned)
        at = row % (s / 2) * 2 + row / (s / 2) * l->leading + k % 8 * s + k / 8 * l->stride;
    else
        at = row % 8 * s + row / 8 * l->stride + k * size;
    if (l->relative)
        return l->start + (at ^ (at >> 7 & mask) << 4);
    at += l->start;
    return at ^ (at >> 7 & mask) << 4;
}

static uint64_t descriptor(const struct layout *l)
{
    uint64_t mode = l->swizzle == 128 ? 1 : l->swizzle == 64 ? 2 : l->swizzle == 32 ? 3 : 0;
    uint64_t base = l->relative ? l->start >> 7 & 7 : 0;
    return (uint64_t)l->start >> 4 | (uint64_t)l->leading >> 4 << 16 |
           (uint64_t)l->stride >> 4 << 32 | base << 49 | mode << 62;
}

// A matrix of 256 rows, which may be B, must end below 64 KiB; a matrix of 64 rows must end below
// 32 KiB.
#define A_AT 0
#define B_AT 32768

static const struct {
    struct layout a, b;
    bool a_registers;
} layouts[] = {
    // k runs fastest
    { { 128, false, 16, 1024, A_AT, false }, { 128, false, 16, 1024, B_AT, false }, false },
    { { 64, false, 16, 512, A_AT, false }, { 64, false, 16, 512, B_AT, false }, false },
    { { 32, false, 16, 256, A_AT, false }, { 32, false, 16, 256, B_AT, false }, false },
    { { 0, false, 128, 256, A_AT, false }, { 0, false, 4096, 128, B_AT, false }, false },
    { { 0, false, 2064, 144, A_AT, false }, { 0, false, 144, 304, B_AT + 16, false }, false },
    // later steps along k, scattered rows, and each mode
    { { 128, false, 0, 2048, A_AT + 32, false }, { 64, false, 0, 1024, B_AT + 32, false }, false },
    { { 32, false, 0, 512, A_AT, false }, { 128, false, 0, 1024, B_AT + 96, false }, false },
    // starts that are not multiples of the pattern
    { { 128, false, 0, 1024, A_AT + 384, false }, { 64, false, 0, 512, B_AT + 128, false }, false },
    { { 128, false, 0, 1024, A_AT + 384, true }, { 64, false, 0, 512, B_AT + 128, true }, false },
    { { 128, false, 0, 1024, A_AT, false }, { 32, false, 0, 256, B_AT + 128, true }, true },
    { { 0 }, { 128, false, 16, 1024, B_AT, false }, true },
    // m and n contiguous: only for 16-bit elements
    { { 128, true, 16, 1024, A_AT, false }, { 128, true, 8192, 1024, B_AT, false }, false },
    { { 64, true, 1024, 512, A_AT, false }, { 64, true, 2048, 512, B_AT, false }, false },
    { { 32, true, 768, 256, A_AT, false }, { 32, true, 512, 256, B_AT, false }, false },
    { { 0, true, 128, 256, A_AT, false }, { 0, true, 8192, 128, B_AT, false }, false },
    { { 0, true, 2064, 144, A_AT, false }, { 0, true, 144, 304, B_AT + 16, false }, false },
    { { 128, true, 16, 2048, A_AT + 2048, false }, { 64, true, 4096, 1024, B_AT, false }, false },
    { { 128, false, 16, 1024, A_AT, false }, { 128, true, 4096, 1024, B_AT + 256, true }, false },
    { { 32, true, 512, 256, A_AT + 128, true }, { 128, false, 16, 1024, B_AT, false }, false },
    { { 0 }, { 128, true, 8192, 1024, B_AT, false }, true },
};
enum { LAYOUTS = CUC_LENGTH(layouts) };

static const struct {
    const char *words;
    enum element a, b;
    char d; // f f32, h f16, i s32
} forms[] = {
    { "f32.f16.f16", F16, F16, 'f' },       { "f16.f16.f16", F16, F16, 'h' },
    { "f32.bf16.bf16", BF16, BF16, 'f' },   { "f32.tf32.tf32", TF32, TF32, 'f' },
    { "f32.e4m3.e4m3", E4M3, E4M3, 'f' },   { "f32.e4m3.e5m2", E4M3, E5M2, 'f' },
    { "f32.e5m2.e4m3", E5M2, E4M3, 'f' },   { "f16.e5m2.e5m2", E5M2, E5M2, 'h' },
    { "f16.e4m3.e4m3", E4M3, E4M3, 'h' },   { "s32.s8.s8", S8, S8, 'i' },
    { "s32.u8.s8", U8, S8, 'i' },           { "satfinite.s32.s8.u8", S8, U8, 'i' },
    { "satfinite.s32.u8.u8", U8, U8, 'i' },
};
enum { FORMS = CUC_LENGTH(forms) };

static struct data data;
static uint64_t a[64][32], b[256][64]; // codes; b is stored by columns
static uint32_t at[64][32];            // the index along k in b for each stored element of a

// Returns whether rows of k elements fit a layout: rows of a pattern are complete, and no two bytes
// overlap.
static bool fits(const struct layout *l, uint32_t rows, uint32_t k, uint32_t size)
{
    static unsigned char taken[SHARED];

    if (l->swizzle && !l->turned && l->start % l->swizzle + k * size > l->swizzle)
        return false;
    memset(taken, 0, sizeof taken);
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t i = 0; i < k; i++)
            if (taken[place(l, row, i, size)]++)
                return false;
    return true;
}

// Returns element i in a thread's registers: bits i * size and up.
static uint32_t *word_of(uint32_t *registers, uint32_t thread, uint32_t i, uint32_t size)
{
    return &registers[i * size / 4 * THREADS + thread];
}

// Checks one instruction element by element. `sparse` is 0, or 1 plus a metadata selector.
static void check(int form, int layout, uint32_t n, bool scale_d, int sign_a, int sign_b,
                  uint32_t sparse, uint64_t *seed)
{
    const uint32_t size = elements[forms[form].a].bits / 8, k = 32 / size;
    const uint32_t k_b = sparse ? 2 * k : k, piece = piece_elements(forms[form].a);
    const char d = forms[form].d;
    const struct layout *la = &layouts[layout].a, *lb = &layouts[layout].b;
    const bool a_registers = layouts[layout].a_registers;
    static double before[64][256];
    char immediates[32] = "";

    if (d == 'i') // integers have no signs to choose
        sign_a = sign_b = 1;

    memset(&data, 0xff, sizeof data); // NaN, because bytes outside the matrices must not matter
    memset(data.a, 0, sizeof data.a);
    for (uint32_t row = 0; row < 64; row++) {
        for (uint32_t i = 0; i < k; i++) {
            a[row][i] = draw_code(forms[form].a, seed);
            if (!a_registers) {
                memcpy(data.image + place(la, row, i, size), &a[row][i], size);
                continue;
            }
            // 4-byte pieces, one for each of the four registers.
            uint32_t part = i * size / 4, lane = row % 8 * 4 + part % 4;
            uint32_t thread = row / 16 * 32 + lane, reg = row % 16 / 8 + part / 4 * 2;
            data.a[reg * THREADS + thread] |= (uint32_t)a[row][i] << i * size % 4 * 8;
        }
    }
    for (uint32_t thread = 0; thread < THREADS; thread++)
        data.a[4 * THREADS + thread] = draw(seed);
    for (uint32_t row = 0; row < 64; row++) {
        for (uint32_t p = 0; sparse && p < k_b / piece; p++) {
            uint32_t lane, bit, kept[4], code = draw_piece(forms[form].a, seed, kept);
            place_metadata(forms[form].a, k_b, sparse - 1, row % 16, p, &lane, &bit);
            uint32_t *word = &data.a[4 * THREADS + row / 16 * 32 + lane];
            *word = (*word & ~(15u << bit)) | code << bit;
            for (uint32_t i = 0; i < piece / 2; i++)
                at[row][p * piece / 2 + i] = p * piece + kept[i];
        }
        for (uint32_t i = 0; !sparse && i < k; i++)
            at[row][i] = i;
    }
    for (uint32_t row = 0; row < n; row++) {
        for (uint32_t i = 0; i < k_b; i++) {
            b[row][i] = draw_code(forms[form].b, seed);
            memcpy(data.image + place(lb, row, i, size), &b[row][i], size);
        }
    }
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < n / 2; i++) {
            uint32_t row = thread / 32 * 16 + thread % 32 / 4 + (i & 2 ? 8 : 0);
            uint32_t col = i / 4 * 8 + thread % 4 * 2 + i % 2;
            float unit = (float)(int32_t)draw(seed) * 0x1p-31f;
            uint32_t *word = word_of(data.d, thread, i, d == 'h' ? 2 : 4);
            if (d == 'f') {
                *word = sim_bits32(unit);
                before[row][col] = (double)unit;
            } else if (d == 'h') {
                uint32_t half = sim_f32_to_f16(unit);
                *word = i % 2 ? (*word & 0xffff) | half << 16 : half;
                before[row][col] = (double)sim_f16_to_f32(half);
            } else {
                // Both ends of the range, and values in between.
                *word = row % 3 == 0 ? 0x7fffffff - i : row % 3 == 1 ? 0x80000000 + i : draw(seed);
                before[row][col] = (double)(int32_t)*word;
            }
        }
    }
    if (d != 'i')
        say(immediates, sizeof immediates, ",%d,%d", sign_a, sign_b);
    if (size == 2 && !a_registers)
        say(immediates, sizeof immediates, ",%d", la->turned);
    if (size == 2)
        say(immediates, sizeof immediates, ",%d", lb->turned);

    struct product x = {
        .form = forms[form].words,
        .immediates = immediates,
        .n = n,
        .k = k_b,
        .d_registers = d == 'h' ? n / 4 : n / 2,
        .a_registers = a_registers,
        .a = descriptor(la),
        .b = descriptor(lb),
        .scale_d = scale_d,
        .sparse = sparse != 0,
        .selector = sparse ? sparse - 1 : 0,
    };
    int fault = run(&x, &data, THREADS);
    ck_assert_msg(fault == 0, "%s n %u layout %d: %d: %s", forms[form].words, n, layout, fault,
                  harness_report());

    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < n / 2; i++) {
            uint32_t row = thread / 32 * 16 + thread % 32 / 4 + (i & 2 ? 8 : 0);
            uint32_t col = i / 4 * 8 + thread % 4 * 2 + i % 2;
            double exact = scale_d ? before[row][col] : 0, magnitude = fabs(exact), got;
            double bound = 0;
            uint32_t word = *word_of(data.d, thread, i, d == 'h' ? 2 : 4);
            for (uint32_t j = 0; j < k; j++) {
                double one = value_of(forms[form].a, a[row][j]) *
                             value_of(forms[form].b, b[col][at[row][j]]);
                exact += sign_a * sign_b * one;
                magnitude += fabs(one);
            }
            if (d == 'f') {
                got = (double)sim_float32(word);
                bound = k * 0x1p-24 * magnitude; // one rounding for each product
            } else if (d == 'h') {
                got = (double)sim_f16_to_f32(word >> 16 * (i % 2) & 0xffff);
                bound = k * 0x1p-24 * magnitude + 0x1p-11 * fabs(exact) + 0x1p-25;
            } else {
                got = (double)(int32_t)word;
                exact = strncmp(forms[form].words, "sat", 3) == 0
                            ? fmin(fmax(exact, -0x1p31), 0x1p31 - 1)
                        : exact >= 0x1p31 ? exact - 0x1p32
                        : exact < -0x1p31 ? exact + 0x1p32
                                          : exact;
            }
            ck_assert_msg(fabs(got - exact) <= bound,
                          "%s n %u layout %d: D[%u][%u] is %.10g, not %.10g +- %.3g",
                          forms[form].words, n, layout, row, col, got, exact, bound);
        }
    }
}

CASE("wgmma", .timeout = 60);

TEST_RANGE(every_type_multiplies_in_every_layout, 0, FORMS)
{
    static const uint32_t widths[] = { 8, 24, 64, 96, 256 };
    const uint32_t size = elements[forms[_i].a].bits / 8;
    uint64_t seed = (uint64_t)_i;

    for (int layout = 0; layout < LAYOUTS; layout++) {
        if (size != 2 && (layouts[layout].a.turned || layouts[layout].b.turned))
            continue;
        for (size_t i = 0; i < CUC_LENGTH(widths); i++)
            check(_i, layout, widths[i], i % 2 == 0, layout % 2 ? -1 : 1, layout % 3 ? 1 : -1, 0,
                  &seed);
    }
}

TEST_RANGE(every_n_multiplies, 1, 33)
{
    uint64_t seed = (uint64_t)_i;
    const uint32_t n = 8 * (uint32_t)_i;

    for (int form = 0; form < FORMS; form++)
        if (forms[form].d != 'i' || n % 16 == 0 || n <= 24)
            check(form, form % 2 ? 0 : 10, n, true, 1, 1, 0, &seed);
}

TEST_RANGE(a_sparse_matrix_multiplies_in_every_layout_that_its_b_fits, 0, FORMS)
{
    static const uint32_t widths[] = { 8, 24, 96, 256 };
    const uint32_t size = elements[forms[_i].a].bits / 8;
    uint64_t seed = (uint64_t)_i;
    int done = 0;

    for (int layout = 0; layout < LAYOUTS; layout++) {
        if (size != 2 && (layouts[layout].a.turned || layouts[layout].b.turned))
            continue;
        for (size_t i = 0; i < CUC_LENGTH(widths); i++) {
            if (!fits(&layouts[layout].b, widths[i], 64 / size, size))
                continue;
            check(_i, layout, widths[i], i % 2 == 0, layout % 2 ? -1 : 1, 1,
                  1 + (size > 1 ? (uint32_t)layout % 2 : 0), &seed);
            done++;
        }
    }
    ck_assert_int_ge(done, size == 2 ? 30 : 20);
}

TEST(infinity_and_nan_propagate)
{
    // Row 0 of A has an infinity, row 1 a NaN, and row 2 infinities of both signs; B is all ones.
    static const struct layout la = { 128, false, 0, 1024, A_AT, false };
    static const struct layout lb = { 128, false, 0, 1024, B_AT, false };
    static const uint16_t one = 0x3c00, infinity = 0x7c00, nan = 0xfe01, minus = 0xfc00;
    struct product x = { "f32.f16.f16",   ",1,1,0,0",      8,     16,    4, false,
                         descriptor(&la), descriptor(&lb), false, false, 0 };

    memset(&data, 0, sizeof data);
    for (uint32_t row = 0; row < 8; row++)
        for (uint32_t k = 0; k < 16; k++)
            memcpy(data.image + place(&lb, row, k, 2), &one, 2);
    memcpy(data.image + place(&la, 0, 5, 2), &infinity, 2);
    memcpy(data.image + place(&la, 1, 5, 2), &nan, 2);
    memcpy(data.image + place(&la, 2, 5, 2), &infinity, 2);
    memcpy(data.image + place(&la, 2, 6, 2), &minus, 2);
    ck_assert_int_eq(run(&x, &data, THREADS), 0);
    ck_assert_uint_eq(data.d[0], 0x7f800000);
    ck_assert_uint_eq(data.d[4], 0x7fffffff);
    ck_assert_uint_eq(data.d[8], 0x7fffffff);
    ck_assert_uint_eq(data.d[12], 0);
}

// Errors of kernels

static const struct {
    uint64_t a, b;
    uint32_t threads;
    int code;
    const char *told;
} faults[] = {
    // B ends 2048 bytes past the end of shared memory: 128 rows
    { 0x4000004000010000, 0x4000004000010000 | (SHARED - 14336) >> 4, 128, 700,
      "B of wgmma has row 112 at offset 98304 of shared memory, which has 98304 bytes" },
    { 0x4000004000010000 | (SHARED - 1024) >> 4, 0x4000004000010000, 128, 700,
      "A of wgmma has row" },
    // the second half of the k step would be in the next row
    { 0x4000004000010000, 0x4000004000010007, 128, 716,
      "B starts at offset 0x70 of shared memory, where 32 bytes reach past the end of a row of its "
      "128-byte swizzle" },
    { 0xC000001000010001, 0x4000004000010000, 128, 716, "32-byte swizzle" },
    { 0x4010004000010000, 0x4000004000010000, 128, 715,
      "the descriptor of A, 0x4010004000010000, has bits set that belong to no field "
      "(0x10000000000000)" },
    { 0x4000004000010000, 0x400000400001c000, 128, 715, "the descriptor of B" },
    { 0x4000004000010000, 0x4000004000010000, 96, 715,
      "a warpgroup is four warps, and the last of this block has 3" },
};

TEST_ROWS(errors_are_reported, faults)
{
    struct product x = { "f32.f16.f16", ",1,1,0,0",   128,   16,    64, false,
                         faults[_i].a,  faults[_i].b, false, false, 0 };

    memset(&data, 0, sizeof data);
    ck_assert_int_eq(run(&x, &data, faults[_i].threads), faults[_i].code);
    ck_assert_msg(strstr(harness_report(), faults[_i].told) != NULL, "%s", harness_report());
}

#define AROUND(text)                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"             \
    ".reg .b64 %a, %b;\n.reg .f32 %f<8>;\n.reg .b32 %r<8>;\n.reg .b16 %h<4>;\n.reg .pred " \
    "%p;\nmov.b64 %a, 0;\nmov.b64 %b, 0x4000004000010000;\n"                               \
    "setp.ne.b64 %p, %a, 0;\n" text "\nret;\n}\n"

TEST(lanes_must_agree)
{
    static const struct {
        const char *text, *told;
    } rows[] = {
        { AROUND("mov.u32 %r0, %laneid;\nand.b32 %r0, %r0, 1;\nsetp.eq.u32 %p, %r0, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%b,%b,%p,1,1,"
                 "0,0;"),
          "scale-d is true in lanes 0x55555555 of 0xffffffff" },
        { AROUND("mov.u32 %r0, %laneid;\ncvt.u64.u32 %a, %r0;\nadd.u64 %b, %b, %a;\n"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%b,%b,%p,1,1,"
                 "0,0;"),
          "the descriptor of A is 0x4000004000010000 in lane 0 and 0x4000004000010001 in lane 1" },
    };
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        struct sim_program *program = harness_load(rows[i].text);
        ck_assert_int_eq(harness_run(program, &(struct harness_launch){ .block = { 128 } }), 715);
        ck_assert_msg(strstr(harness_report(), rows[i].told) != NULL, "%s", harness_report());
        sim_program_free(program);
    }
}

static const struct {
    const char *text, *told;
} refused[] = {
    { "wgmma.fence.aligned;", "no such form" },
    { "wgmma.wait_group.sync.aligned -1;", "the number of groups is negative" },
    { "wgmma.wait_group.sync.aligned;", "needs more" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2},%a,%b,%p,1,1,0,0;",
      "D is not as many registers" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%h1},%a,%b,%p,1,1,0,0;",
      "D is not as many registers" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,_},%a,%b,%p,1,1,0,0;",
      "D is not as many registers" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%r0,%b,%p,1,1,0,0;",
      "A is neither four registers of 32 bits nor a descriptor" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%a,%r0,%p,1,1,0,0;",
      "%r0 is a .b32 register" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0;",
      "not as many operands" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},%b,%p,1,1,0,0;",
      "not as many operands" },
    { "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0,0;",
      "not as many operands" },
    { "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%r0,%r1,%r2,%r3},%a,%b,%p,1,1;",
      "not as many operands" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%a,%b,%p,2,1,0,0;",
      "imm-scale is 1 or -1" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0,2;",
      "imm-trans is 0 or 1" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16 {%r0,%r1},%a,%b,%p,1,1,0,0;",
      "no product of these types" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16 {%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0,0;",
      "no product of these types" },
    { "wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0,0;",
      "no such shape" },
    { "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r0},%a,%b,%p;", "no such shape" },
    { "wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f0},%a,%b,%p,1,1,0,0;",
      "unknown word m64n12k16" },
    { "wgmma.mma_async.sync.aligned.m64n8k16.satfinite.f32.f16.f16 "
      "{%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0,0;",
      "satfinite is for s32" },
    { "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 "
      "{%f0,%f1,%f2,%f3},%a,%b,%r0,2,%p,1,1,0,0;",
      "the sparsity selector is not one of this shape" },
    { "wgmma.mma_async.sp.sync.aligned.m64n8k64.f32.e4m3.e4m3 "
      "{%f0,%f1,%f2,%f3},%a,%b,%r0,1,%p,1,1;",
      "the sparsity selector is not one of this shape" },
    { "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%f0,%f1,%f2,%f3},%a,%b,%r0,0,%p,1,1,0,0;",
      "no such shape" },
    { "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 "
      "{%f0,%f1,%f2,%f3},%a,%b,%p,1,1,0,0;",
      "" },
};

TEST_ROWS(other_forms_are_refused, refused)
{
    char text[2048] = AROUND("");
    char *end = strstr(text, "\nret;");
    snprintf(end, sizeof text - (size_t)(end - text), "\n%s\nret;\n}\n", refused[_i].text);
    const char *log = harness_refused(text);
    ck_assert_msg(strstr(log, refused[_i].told) != NULL, "%s", log);
}

TEST(the_target_is_sm_90a)
{
    static const char *const lines[] = {
        "wgmma.fence.sync.aligned;",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3},%a,%a,0,1,1,0,0;",
    };
    for (size_t i = 0; i < CUC_LENGTH(lines); i++) {
        char text[512] = "";
        say(text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 "
            "%%a;\n"
            ".reg .f32 %%f<4>;\n%s\nret;\n}\n",
            lines[i]);
        const char *log = harness_refused(text);
        ck_assert_msg(strstr(log, "it needs .target sm_90a") != NULL, "%s", log);
    }
}

// A whole kernel

static void *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1 << 16, 1);
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_uint_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1);
    fclose(file);
    return text;
}

// Encodes a map of a bf16 matrix for boxes of `box_rows` rows and 64 columns.
static void encode(CUtensorMap *map, void *matrix, uint64_t rows, uint64_t cols, uint32_t box_rows)
{
    const uint64_t dims[] = { cols, rows }, strides[] = { cols * 2 };
    const uint32_t box[] = { 64, box_rows }, steps[] = { 1, 1 };
    ck_assert_int_eq(
        sim_encode_tiled(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, dims, strides, box,
                         steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
        0);
}

static uint16_t *draw_bf16(uint32_t count, uint64_t *seed)
{
    uint16_t *matrix = harness_memory(count * sizeof *matrix);
    for (uint32_t i = 0; i < count; i++)
        matrix[i] = (uint16_t)draw_code(BF16, seed);
    return matrix;
}

TEST(a_whole_product_of_matrices_is_right)
{
    // Tiles of 128 x 256 x 64, none of which divides these sizes.
    enum { M = 200, N = 520, K = 328 };
    struct {
        CUtensorMap a, b, c;
        uint32_t m, n, k;
    } parameters = { .m = M, .n = N, .k = K };
    uint64_t seed = 20;
    uint16_t *x = draw_bf16(M * K, &seed), *y = draw_bf16(N * K, &seed);
    uint16_t *z = harness_memory(M * N * sizeof *z);
    char *text = read_file(TEST_DATA "/gemm_nt.ptx");
    struct sim_program *program = harness_load(text);

    encode(&parameters.a, x, M, K, 128);
    encode(&parameters.b, y, N, K, 256);
    encode(&parameters.c, z, M, N, 64);
    int fault = harness_run(program, &(struct harness_launch){ .grid = { 4 },
                                                               .block = { 384 },
                                                               .shared_bytes = 230400,
                                                               .parameters = &parameters });
    ck_assert_msg(fault == 0, "%s", harness_report());
    for (uint32_t row = 0; row < M; row++) {
        for (uint32_t col = 0; col < N; col++) {
            double exact = 0, magnitude = 0, got = (double)sim_bf16_to_f32(z[row * N + col]);
            for (uint32_t i = 0; i < K; i++) {
                double one = (double)sim_bf16_to_f32(x[row * K + i]) *
                             (double)sim_bf16_to_f32(y[col * K + i]);
                exact += one;
                magnitude += fabs(one);
            }
            ck_assert_msg(fabs(got - exact) <= 0x1p-8 * fabs(exact) + K * 0x1p-24 * magnitude,
                          "C[%u][%u] is %g, not %g", row, col, got, exact);
        }
    }
    sim_program_free(program);
    free(text);
    harness_release(x);
    harness_release(y);
    harness_release(z);
}

int main(void)
{
    return run_tests("wgmma");
}
