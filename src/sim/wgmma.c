// wgmma: the product of 64 x n cells that the four warps of a warpgroup make together, each 16 rows
// of it (PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions"). B, and A unless it is in
// registers, lie in shared memory, where a descriptor says.
//
// It is computed when it is issued: what it reads may not change before it is waited for, so that
// fence, commit_group and wait_group have nothing to do. One instruction takes 32 bytes of k. With
// g = lane / 4 and t = lane % 4, register i of D is row g + 8 * (i / 2 % 2) of the warp's 16,
// column 8 * (i / 4) + 2 t + i % 2; registers of A are as in mma.c.
#include "formats.h"
#include "matrix.h"
#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ILLEGAL_ADDRESS = 700, ILLEGAL_INSTRUCTION = 715, MISALIGNED = 716 };

enum {
    ROWS = 16, // of a warp
    STEP = 32, // bytes of k
    MAX_K = 32,
    MAX_N = 256,
    CHUNK = 16, // bytes that stay together in every layout
};

// sim_op.extra
enum {
    WGMMA_A = 0,  // type of A's elements, 8 bits
    WGMMA_B = 8,  // of B's
    WGMMA_N = 16, // n / 8, 6 bits
    WGMMA_A_REGISTERS = 1 << 22,
    WGMMA_TURN_A = 1 << 23, // A lies with m running fastest
    WGMMA_TURN_B = 1 << 24,
    WGMMA_NEGATE = 1 << 25,
    WGMMA_D_HALF = 1 << 26,
    WGMMA_D_INT = 1 << 27,
    WGMMA_SATFINITE = 1 << 28,
};

// Matrices in shared memory

// A matrix of rows along m or n, whose k takes STEP bytes.
struct tile {
    const char *name;                // "A" or "B"
    uint64_t start, leading, stride; // byte offsets
    uint32_t row_bytes;              // that the swizzle goes over: 128, 64, 32, or 16 without one
    uint32_t base;                   // of the pattern, in units of 128 bytes
    bool turned; // elements side by side are neighbours along m or n, not along k
};

// Bits of a descriptor that have no meaning.
#define DESCRIPTOR_REST UINT64_C(0x3ff1c000c000c000)

// Take a descriptor apart that all lanes have to give alike. `rows` is how many the instruction
// reads: 64 of A, n of B.
static bool read_descriptor(struct sim_warp *w, const struct sim_op *op, const uint64_t *lanes,
                            uint32_t rows, struct tile *out)
{
    static const uint32_t row_bytes[] = { CHUNK, 128, 64, 32 };
    const uint32_t first = (uint32_t)__builtin_ctz(w->active);
    const uint64_t bits = lanes[first];

    for (uint32_t left = w->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (lanes[lane] != bits) {
            sim_fault(w, op, lane, ILLEGAL_INSTRUCTION,
                      "the descriptor of %s is 0x%016llx in lane %u and 0x%016llx in lane %u: all "
                      "of a warpgroup must have the same",
                      out->name, (unsigned long long)bits, first, (unsigned long long)lanes[lane],
                      lane);
            return false;
        }
    }
    if (bits & DESCRIPTOR_REST) {
        sim_fault(w, op, first, ILLEGAL_INSTRUCTION,
                  "the descriptor of %s, 0x%016llx, has bits set that belong to no field (0x%llx)",
                  out->name, (unsigned long long)bits,
                  (unsigned long long)(bits & DESCRIPTOR_REST));
        return false;
    }
    out->start = (bits & 0x3fff) << 4;
    out->leading = (bits >> 16 & 0x3fff) << 4;
    out->stride = (bits >> 32 & 0x3fff) << 4;
    out->base = bits >> 49 & 7;
    out->row_bytes = row_bytes[bits >> 62];

    // Rows of the pattern are whole: what starts in one has to end there.
    uint32_t used = out->turned ? 2 * rows : STEP;
    used = used < out->row_bytes ? used : out->row_bytes;
    if (out->row_bytes > CHUNK && out->start % out->row_bytes + used > out->row_bytes) {
        sim_fault(w, op, first, MISALIGNED,
                  "%s starts at offset 0x%llx of shared memory, where %u bytes reach past the end "
                  "of a row of its %u-byte swizzle",
                  out->name, (unsigned long long)out->start, used, out->row_bytes);
        return false;
    }
    return true;
}

// Where the piece of CHUNK bytes lies that has `row` and byte `k` of a tile that is not turned, or
// rows from `row` on at element k of one that is.
static uint64_t chunk_at(const struct tile *t, uint32_t row, uint32_t k)
{
    const uint32_t per = t->row_bytes / 2; // elements of a turned row
    uint64_t at = t->start;

    if (t->row_bytes == CHUNK)
        return t->turned ? at + row / 8 * t->stride + k % 8 * CHUNK + k / 8 * t->leading
                         : at + row % 8 * CHUNK + row / 8 * t->stride + k / CHUNK * t->leading;
    if (t->turned)
        at += row / per * t->leading + row % per * 2 + k % 8 * t->row_bytes + k / 8 * t->stride;
    else
        at += row % 8 * t->row_bytes + row / 8 * t->stride + k;
    // Pieces of a row change places as the row's number in the pattern says.
    uint64_t phase = ((at >> 7) - t->base) & (t->row_bytes / CHUNK - 1);
    return at ^ phase << 4;
}

// A piece's place in shared memory; NULL after a fault.
static const unsigned char *reach(struct sim_warp *w, const struct sim_op *op, const struct tile *t,
                                  uint32_t row, uint32_t k)
{
    const struct sim_block *block = w->block;
    uint64_t at = chunk_at(t, row, k);

    if (at + CHUNK <= block->shared_bytes)
        return block->shared + at;
    sim_fault(w, op, (uint32_t)__builtin_ctz(w->active), ILLEGAL_ADDRESS,
              "%s of wgmma has row %u at offset %llu of shared memory, which has %u bytes", t->name,
              row, (unsigned long long)at, block->shared_bytes);
    return NULL;
}

// Rows of a tile, k running along each: [count][STEP]. `first` and `count` are multiples of 8.
static bool gather(struct sim_warp *w, const struct sim_op *op, const struct tile *t,
                   uint32_t first, uint32_t count, unsigned char *rows)
{
    const unsigned char *from;

    if (!t->turned) {
        for (uint32_t row = 0; row < count; row++) {
            for (uint32_t k = 0; k < STEP; k += CHUNK) {
                if (!(from = reach(w, op, t, first + row, k)))
                    return false;
                memcpy(rows + row * STEP + k, from, CHUNK);
            }
        }
        return true;
    }
    for (uint32_t row = 0; row < count; row += 8) {
        for (uint32_t k = 0; k < STEP / 2; k++) {
            if (!(from = reach(w, op, t, first + row, k)))
                return false;
            for (uint32_t i = 0; i < 8; i++)
                memcpy(rows + (row + i) * STEP + 2 * k, from + 2 * i, 2);
        }
    }
    return true;
}

// Elements

// What the codes of 8 bits stand for.
static float e4m3_values[256], e5m2_values[256], s8_values[256], u8_values[256];
static pthread_once_t values_once = PTHREAD_ONCE_INIT;

static void make_values(void)
{
    for (uint32_t code = 0; code < 256; code++) {
        e4m3_values[code] = sim_e4m3_to_f32(code);
        e5m2_values[code] = sim_e5m2_to_f32(code);
        s8_values[code] = (float)(int8_t)code;
        u8_values[code] = (float)code;
    }
}

static void look_up(const float *values, const unsigned char *codes, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = values[codes[i]];
}

// `bytes` bytes of elements as f32, exact for all types.
static void unpack(enum sim_type type, const unsigned char *codes, uint32_t bytes, float *out)
{
    uint32_t words[STEP / 4];
    uint16_t halves[STEP / 2];

    switch (type) {
    case SIM_E4M3:
        look_up(e4m3_values, codes, bytes, out);
        return;
    case SIM_E5M2:
        look_up(e5m2_values, codes, bytes, out);
        return;
    case SIM_S8:
        look_up(s8_values, codes, bytes, out);
        return;
    case SIM_U8:
        look_up(u8_values, codes, bytes, out);
        return;
    default:
        break;
    }
    for (; bytes; bytes -= STEP, codes += STEP) {
        memcpy(words, codes, STEP);
        memcpy(halves, codes, STEP);
        if (type == SIM_TF32) {
            for (uint32_t i = 0; i < STEP / 4; i++)
                *out++ = sim_float32(words[i] & 0xffffe000);
        } else if (type == SIM_BF16) {
            for (uint32_t i = 0; i < STEP / 2; i++)
                *out++ = sim_float32((uint32_t)halves[i] << 16);
        } else {
            for (uint32_t i = 0; i < STEP / 2; i++)
                *out++ = sim_f16_to_f32(halves[i]);
        }
    }
}

// Arithmetic

typedef float vec4 __attribute__((vector_size(16)));

// The operands of a warp, laid out for one register of D at a time: its 32 lanes are 8 rows of 4
// columns that lie 2 apart.
struct operands {
    vec4 a[MAX_K][ROWS];       // an element four times
    vec4 b[MAX_N / 4 * MAX_K]; // [column / 8][column % 2][k] of column % 8 / 2
};

static void lay_out(struct operands *o, const float *a, const float *b, uint32_t n, uint32_t k,
                    bool negate)
{
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < k; i++) {
            float x = negate ? -a[row * k + i] : a[row * k + i];
            o->a[i][row] = (vec4){ x, x, x, x };
        }
    }
    for (uint32_t pair = 0; pair < n / 4; pair++) {
        const float *from = b + (8 * (pair / 2) + pair % 2) * k;
        for (uint32_t i = 0; i < k; i++)
            o->b[pair * k + i] =
                (vec4){ from[i], from[2 * k + i], from[4 * k + i], from[6 * k + i] };
    }
}

// Add the k products of register i of D to its 32 lanes: one after another, k ascending, each sum
// rounded to nearest even.
static void accumulate(const struct operands *o, uint32_t i, uint32_t k, float *lanes)
{
    const vec4 *b = o->b + (i / 4 * 2 + i % 2) * k;
    const uint32_t first = 8 * (i / 2 % 2);
    vec4 sum[8];

    memcpy(sum, lanes, sizeof sum);
    vec4 s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    vec4 s4 = sum[4], s5 = sum[5], s6 = sum[6], s7 = sum[7];
    for (uint32_t step = 0; step < k; step++) {
        const vec4 *a = o->a[step] + first, by = b[step];
        s0 += a[0] * by;
        s1 += a[1] * by;
        s2 += a[2] * by;
        s3 += a[3] * by;
        s4 += a[4] * by;
        s5 += a[5] * by;
        s6 += a[6] * by;
        s7 += a[7] * by;
    }
    const vec4 done[8] = { s0, s1, s2, s3, s4, s5, s6, s7 };
    memcpy(lanes, done, sizeof done);
}

static void accumulate_float(struct sim_warp *w, const struct sim_op *op, const struct operands *o,
                             uint32_t k, bool keep, uint32_t mask)
{
    const uint32_t *list = op->list + op->o[0], cells = (op->extra >> WGMMA_N & 63) * 4;
    float sum[SIM_WARP];

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t *d = SIM_R32(w, list[i]);
        if (keep)
            memcpy(sum, d, sizeof sum);
        else
            memset(sum, 0, sizeof sum);
        accumulate(o, i, k, sum);
        SIM_LANES(mask, lane, d[lane] = sim_canonical32(sum[lane]));
    }
}

static void accumulate_half(struct sim_warp *w, const struct sim_op *op, const struct operands *o,
                            uint32_t k, bool keep, uint32_t mask)
{
    const uint32_t *list = op->list + op->o[0], cells = (op->extra >> WGMMA_N & 63) * 4;
    float low[SIM_WARP], high[SIM_WARP];

    for (uint32_t i = 0; i < cells; i += 2) {
        uint32_t *d = SIM_R32(w, list[i / 2]);
        for (uint32_t lane = 0; lane < SIM_WARP; lane++) {
            low[lane] = keep ? sim_f16_to_f32(d[lane] & 0xffff) : 0;
            high[lane] = keep ? sim_f16_to_f32(d[lane] >> 16) : 0;
        }
        accumulate(o, i, k, low);
        accumulate(o, i + 1, k, high);
        SIM_LANES(mask, lane,
                  d[lane] = sim_f32_to_f16(low[lane]) | sim_f32_to_f16(high[lane]) << 16);
    }
}

static void accumulate_int(struct sim_warp *w, const struct sim_op *op, const struct operands *o,
                           uint32_t k, bool keep, uint32_t mask)
{
    const uint32_t *list = op->list + op->o[0], cells = (op->extra >> WGMMA_N & 63) * 4;
    const bool satfinite = op->extra & WGMMA_SATFINITE;
    float sum[SIM_WARP];

    for (uint32_t i = 0; i < cells; i++) {
        uint32_t *d = SIM_R32(w, list[i]);
        // 32 products of two bytes: a whole number below 2^24, which f32 holds.
        memset(sum, 0, sizeof sum);
        accumulate(o, i, k, sum);
        if (!satfinite) {
            SIM_LANES(mask, lane, d[lane] = (keep ? d[lane] : 0) + (uint32_t)(int32_t)sum[lane]);
            continue;
        }
        for (uint32_t left = mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            int64_t exact = (int64_t)sum[lane] + (keep ? SIM_RS32(w, list[i])[lane] : 0);
            exact = exact > INT32_MAX ? INT32_MAX : exact < INT32_MIN ? INT32_MIN : exact;
            d[lane] = (uint32_t)(uint64_t)exact;
        }
    }
}

// Handlers

// The warp's rows of A, [ROWS][STEP], from registers.
static void rows_of_registers(const struct sim_warp *w, const uint32_t *list, unsigned char *rows)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t g = 0; g < 8; g++)
            memcpy(rows + (g + 8 * (i % 2)) * STEP + i / 2 * CHUNK, SIM_R32(w, list[i]) + 4 * g,
                   CHUNK);
}

static enum sim_next run_multiply(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    const uint32_t n = (op->extra >> WGMMA_N & 63) * 8, group = w->index / 4 * 4;
    const enum sim_type type_a = (enum sim_type)(op->extra >> WGMMA_A & 255);
    const enum sim_type type_b = (enum sim_type)(op->extra >> WGMMA_B & 255);
    const uint32_t k = STEP / sim_type_bytes(type_a);
    unsigned char codes[MAX_N * STEP];
    float a[ROWS * MAX_K], b[MAX_N * MAX_K];
    struct operands o;

    if (!sim_together(w))
        return SIM_RETRY;
    if (group + 4 > w->block->warp_count)
        return sim_fault(w, op, (uint32_t)__builtin_ctz(w->active), ILLEGAL_INSTRUCTION,
                         "a warpgroup is four warps, and the last of this block has %u",
                         w->block->warp_count - group);

    uint32_t scale = SIM_RP(w, op->o[3]) & w->active;
    if (scale && scale != w->active)
        return sim_fault(w, op, (uint32_t)__builtin_ctz(w->active), ILLEGAL_INSTRUCTION,
                         "scale-d is true in lanes 0x%08x of 0x%08x: all of a warpgroup must have "
                         "the same",
                         scale, w->active);

    if (op->extra & WGMMA_A_REGISTERS) {
        rows_of_registers(w, op->list + op->o[1], codes);
    } else {
        struct tile tile = { .name = "A", .turned = op->extra & WGMMA_TURN_A };
        if (!read_descriptor(w, op, SIM_R64(w, op->list[op->o[1]]), 4 * ROWS, &tile) ||
            !gather(w, op, &tile, (w->index - group) * ROWS, ROWS, codes))
            return SIM_FAULT;
    }
    unpack(type_a, codes, ROWS * STEP, a);

    struct tile tile = { .name = "B", .turned = op->extra & WGMMA_TURN_B };
    if (!read_descriptor(w, op, SIM_R64(w, op->o[2]), n, &tile) ||
        !gather(w, op, &tile, 0, n, codes))
        return SIM_FAULT;
    unpack(type_b, codes, n * STEP, b);

    lay_out(&o, a, b, n, k, op->extra & WGMMA_NEGATE);
    if (op->extra & WGMMA_D_INT)
        accumulate_int(w, op, &o, k, scale, mask);
    else if (op->extra & WGMMA_D_HALF)
        accumulate_half(w, op, &o, k, scale, mask);
    else
        accumulate_float(w, op, &o, k, scale, mask);
    return SIM_NEXT;
}

static enum sim_next run_nothing(struct sim_warp *w, const struct sim_op *op, uint32_t mask)
{
    (void)op;
    (void)mask;
    return sim_together(w) ? SIM_NEXT : SIM_RETRY;
}

// Choice

static sim_handler *refuse(const struct sim_words *words, const char *why)
{
    *words->why = why;
    return NULL;
}

// What all of them need. The first word tells them apart.
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
    return is_form(words, "fence") && words->types == 0 ? run_nothing : NULL;
}

static sim_handler *pick_commit(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    return is_form(words, "commit_group") && words->types == 0 ? run_nothing : NULL;
}

static int64_t integer(const struct sim_operand *o)
{
    return (int64_t)(o->negated ? 0 - o->value.u : o->value.u);
}

static sim_handler *pick_wait(const struct sim_words *words, struct sim_op *op)
{
    (void)op;
    if (!is_form(words, "wait_group") || words->types != 0)
        return NULL;
    return integer(&words->statement->operand[0]) >= 0
               ? run_nothing
               : refuse(words, "the number of groups is negative");
}

// Types that go together, those of D and those of A and of B, and the k of an instruction.
static const struct {
    enum sim_type d, d_too, a, a_too;
    uint32_t k;
} forms[] = {
    { SIM_F32, SIM_F16, SIM_F16, SIM_F16, 16 },  { SIM_F32, SIM_F32, SIM_BF16, SIM_BF16, 16 },
    { SIM_F32, SIM_F32, SIM_TF32, SIM_TF32, 8 }, { SIM_F32, SIM_F16, SIM_E4M3, SIM_E5M2, 32 },
    { SIM_S32, SIM_S32, SIM_S8, SIM_U8, 32 },
};

// The n of m64n...k..., 0 when that is not the shape for k.
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

// A vector of so many registers of 32 bits.
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

static sim_handler *pick_multiply(const struct sim_words *words, struct sim_op *op)
{
    const struct sim_statement *s = words->statement;
    const enum sim_type *type = words->type;
    const bool satfinite = sim_has(words, "satfinite");
    size_t form = 0;

    if (!is_form(words, "mma_async"))
        return NULL;
    if (words->types != 3)
        return refuse(words, "it needs the types of D, A and B");
    while (form < sizeof(forms) / sizeof(*forms) &&
           ((type[0] != forms[form].d && type[0] != forms[form].d_too) ||
            (type[1] != forms[form].a && type[1] != forms[form].a_too) ||
            (type[2] != forms[form].a && type[2] != forms[form].a_too)))
        form++;
    if (form == sizeof(forms) / sizeof(*forms))
        return refuse(words, "there is no product of these types");

    const bool whole = type[0] == SIM_S32;
    const uint32_t n = shape_of(words, forms[form].k);
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

    // After scale-d: the signs of A and B; how A (if in shared memory) and B lie.
    const uint32_t signs = whole ? 0 : 2, turns = forms[form].k != 16 ? 0 : registers ? 1 : 2;
    if (s->operands != 4 + signs + turns)
        return refuse(words, "it has not as many operands as its types need");
    bool negate = false;
    for (uint32_t i = 4; i < s->operands; i++) {
        int64_t value = integer(&s->operand[i]);
        if (i < 4 + signs ? value != 1 && value != -1 : value != 0 && value != 1)
            return refuse(words, i < 4 + signs ? "imm-scale is 1 or -1" : "imm-trans is 0 or 1");
        negate ^= value == -1;
    }
    bool turn_a = turns == 2 && integer(&s->operand[6]) == 1;
    bool turn_b = turns > 0 && integer(&s->operand[s->operands - 1]) == 1;

    pthread_once(&values_once, make_values);
    op->extra = (uint32_t)type[1] << WGMMA_A | (uint32_t)type[2] << WGMMA_B | n / 8 << WGMMA_N |
                (registers ? WGMMA_A_REGISTERS : 0) | (turn_a ? WGMMA_TURN_A : 0) |
                (turn_b ? WGMMA_TURN_B : 0) | (negate ? WGMMA_NEGATE : 0) |
                (type[0] == SIM_F16 ? WGMMA_D_HALF : 0) | (whole ? WGMMA_D_INT : 0) |
                (satfinite ? WGMMA_SATFINITE : 0);
    return run_multiply;
}

// Every n for one k.
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
    { "wgmma", "mma_async sync aligned satfinite " SHAPES("k8") " " SHAPES("k16") " " SHAPES("k32"),
      "vVqaqpi?i?i?i?", pick_multiply },
    { NULL, NULL, NULL, NULL },
};
