// Elementwise ops on two 16-bit floats at once, which lie side by side in a word as memory and
// tensor cores need them: casts to 16 bits, and sums and products. Each element is rounded once, so
// the result is that of an op on one element.
#include "element.h"

#include "tile/pass/range_analysis.h"

static bool is_half(cuc_dtype dtype)
{
    return dtype == CUC_F16 || dtype == CUC_BF16;
}

static void split(struct tile_emitter *e, tile_register word, tile_register *out)
{
    for (uint32_t i = 0; i < 2; i++)
        out[i] = tile_new(e, TILE_R16);
    tile_split(e, word, out[0], out[1]);
}

// ---- Casts

static tile_register joined_cast(struct tile_emitter *e, cuc_dtype to, const tile_register *x)
{
    return tile_make(
        e, TILE_R32, to == CUC_F16 ? "cvt.rn.f16x2.f32 %R, %R, %R" : "cvt.rn.bf16x2.f32 %R, %R, %R",
        x[1], x[0]);
}

// A dtype's format for small integers: the bits of a power of two whose last fraction bits count
// ones. An integer below `span` is or-ed to these bits, and the power is subtracted again.
struct counting_form {
    int64_t power, span, least; // integers from `least` on can be moved to 0 exactly
    uint32_t bits;
};

static const struct counting_form *form_of(cuc_dtype to)
{
    static const struct counting_form f16 = { 1024, 1024, -1024, 0x6400 };
    static const struct counting_form bf16 = { 128, 128, -128, 0x4300 };

    return to == CUC_F16 ? &f16 : &bf16;
}

// True if a cast's integers lie in a range that the form covers: the lowest goes to *low.
static bool counts(const struct tile_emitter *e, const struct tile_op *op, int64_t *low)
{
    const struct tile_value *x = op->operand[0];
    const struct counting_form *form = form_of(op->result[0]->type.dtype);

    if (!tile_is_integer(x->type.dtype) || cuc_dtype_bits(x->type.dtype) == 64)
        return false;
    struct tile_range range = tile_range_of(e->ranges, x);
    *low = range.low < 0 ? range.low : 0;
    return range.low <= range.high && *low >= form->least && range.high - *low < form->span;
}

static tile_register counted(struct tile_emitter *e, cuc_dtype to, int64_t low,
                             const tile_register *x)
{
    const struct counting_form *form = form_of(to);
    tile_register word, moved[2] = { x[0], x[1] };
    uint32_t power = (uint32_t)tile_element_of_real(to, (double)(form->power - low));

    for (uint32_t i = 0; i < 2 && low; i++)
        moved[i] = tile_make(e, TILE_R32, "add.s32 %R, %R, %d", x[i], (int)-low);
    word = tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x5410", moved[0], moved[1]);
    word = tile_make(e, TILE_R32, "or.b32 %R, %R, 0x%x", word,
                     (uint64_t)form->bits << 16 | form->bits);
    if (to == CUC_F16)
        return tile_make(e, TILE_R32, "sub.rn.f16x2 %R, %R, %R", word,
                         tile_number32(e, (int32_t)(power << 16 | power)));
    return tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", word,
                     tile_number32(e, 0x3f803f80),
                     tile_number32(e, (int32_t)((power | 0x8000) << 16 | power | 0x8000)));
}

// True for integers that f32 holds exactly, so that a second rounding is the only one.
static bool fits_f32(const struct tile_emitter *e, const struct tile_value *x)
{
    enum { MOST = 1 << 24 };
    struct tile_range range = tile_range_of(e->ranges, x);

    return tile_is_integer(x->type.dtype) && cuc_dtype_bits(x->type.dtype) < 64 &&
           range.low <= range.high && range.low >= -MOST && range.high <= MOST;
}

static bool cast_pairs(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                       uint32_t first, uint32_t end, const tile_register *x)
{
    const struct tile_value *from = op->operand[0];
    cuc_dtype to = op->result[0]->type.dtype;
    int64_t low;
    bool counted_in = counts(e, op, &low), whole = !counted_in && fits_f32(e, from);

    if (from->type.dtype != CUC_F32 && !counted_in && !whole)
        return false;
    for (uint32_t r = first; r < end; r += 2) {
        tile_register wide[2] = { x[r], x[r + 1] };
        if (out[r])
            continue;
        for (uint32_t i = 0; i < 2 && whole; i++)
            wide[i] = tile_make(e, TILE_R32, tile_is_signed(from->type.dtype)
                                                 ? "cvt.rn.f32.s32 %R, %R"
                                                 : "cvt.rn.f32.u32 %R, %R",
                                wide[i]);
        split(e, counted_in ? counted(e, to, low, wide) : joined_cast(e, to, wide), out + r);
    }
    return true;
}

// ---- Sums and products

static tile_register combined(struct tile_emitter *e, const struct tile_op *op, tile_register x,
                              tile_register y)
{
    // bf16 has only fma before sm_90: x + y = 1 x + y, x - y = -1 y + x, and x y = x y + -0.
    static const int32_t ones = 0x3f803f80, minus_ones = (int32_t)0xbf80bf80,
                         minus_zeros = (int32_t)0x80008000;
    const char *name = op->kind == TILE_ADD ? "add" : op->kind == TILE_SUB ? "sub" : "mul";

    if (op->result[0]->type.dtype == CUC_F16) {
        tile_register out = tile_new(e, TILE_R32);
        tile_ins(e, "%s.rn.f16x2 %R, %R, %R", name, out, x, y);
        return out;
    }
    switch (op->kind) {
    case TILE_ADD:
        return tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", x, tile_number32(e, ones), y);
    case TILE_SUB:
        return tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", y,
                         tile_number32(e, minus_ones), x);
    default:
        return tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", x, y,
                         tile_number32(e, minus_zeros));
    }
}

static bool combines_pairs(const struct tile_op *op)
{
    return (op->kind == TILE_ADD || op->kind == TILE_SUB || op->kind == TILE_MUL) &&
           is_half(op->operand[0]->type.dtype);
}

bool tile_emit_packed(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                      uint32_t first, uint32_t end, const tile_register *const *in)
{
    if (first % 2 || end % 2 || tile_is_rounded(op) || !is_half(op->result[0]->type.dtype))
        return false;
    if (op->kind == TILE_CAST)
        return cast_pairs(e, op, out, first, end, in[0]);
    if (!combines_pairs(op))
        return false;
    for (uint32_t r = first; r < end; r += 2)
        if (!out[r])
            split(e,
                  combined(e, op, tile_join(e, in[0][r], in[0][r + 1]),
                           tile_join(e, in[1][r], in[1][r + 1])),
                  out + r);
    return true;
}
