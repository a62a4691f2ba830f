// Elementwise ops on two 16-bit floats at once, packed in a word as memory and tensor cores need
// them: casts to 16 bits, sums and elementwise products. Each element is rounded once, as in an op
// on a single element. Also casts of two f32 to 8-bit floats, and of two of these to f16.
#include "element.h"

#include "tile/pass/range_analysis.h"

static bool is_half(cuc_dtype dtype)
{
    return dtype == CUC_F16 || dtype == CUC_BF16;
}

// Finds the number that all elements of a value equal. False if they may differ.
static bool splat(const struct tile_value *value, double *number)
{
    const struct tile_op *op = value->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    if (!op || op->kind != TILE_CONSTANT)
        return false;
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    *number = real ? real->f : (double)tile_int(op, TILE_ATTR_VALUE, 0);
    return true;
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
    return tile_make(e, TILE_R32,
                     to == CUC_F16 ? "cvt.rn.f16x2.f32 %R, %R, %R" : "cvt.rn.bf16x2.f32 %R, %R, %R",
                     x[1], x[0]);
}

// Conversion of small integers to a dtype: the bits of a power of two whose ulp is 1. ORing an
// integer below `span` into these bits adds it; subtracting the power leaves the integer as a
// float.
struct counting_form {
    int64_t power, span,
        least; // integers below 0 must be at least `least`, so that subtracting the lowest is exact
    uint32_t bits;
};

static const struct counting_form *form_of(cuc_dtype to)
{
    static const struct counting_form f16 = { 1024, 1024, -1024, 0x6400 };
    static const struct counting_form bf16 = { 128, 128, -128, 0x4300 };

    return to == CUC_F16 ? &f16 : &bf16;
}

// True if a cast's integers lie in a range that form_of() covers. Sets *low to the smaller of 0 and
// the range's lower bound.
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

// Lower and upper halves of bytes, concatenated in this order along the last axis: the usual form
// of 4-bit numbers. `byte` is NULL if a value is not of this form.
struct nibbles {
    const struct tile_value *low, *high, *byte;
};

static const struct tile_value *strip_reshapes(const struct tile_value *x)
{
    while (x->op && x->op->kind == TILE_RESHAPE)
        x = x->op->operand[0];
    return x;
}

// Returns the first operand of an op whose other operand is the constant `by`, or NULL.
static const struct tile_value *operand_of(const struct tile_value *x, enum tile_op_kind kind,
                                           double by)
{
    double constant;

    return x->op && x->op->kind == kind && splat(x->op->operand[1], &constant) && constant == by
               ? x->op->operand[0]
               : NULL;
}

static struct nibbles nibbles_of(const struct tile_value *x)
{
    const struct tile_op *cat = strip_reshapes(x)->op;
    struct nibbles n = { 0 };

    if (!cat || cat->kind != TILE_CAT)
        return n;
    n.low = strip_reshapes(cat->operand[0]);
    n.high = strip_reshapes(cat->operand[1]);
    n.byte = operand_of(n.low, TILE_AND, 0xf);
    if (!n.byte || n.byte->type.dtype != CUC_U8 || operand_of(n.high, TILE_SHR, 4) != n.byte)
        n.byte = NULL;
    return n;
}

// Returns the register of the byte whose two nibbles a value's registers `r` and `r` + 1 hold, or
// TILE_NO_REGISTER.
static tile_register byte_of_nibbles(struct tile_emitter *e, const struct tile_value *value,
                                     uint32_t r, struct nibbles *n)
{
    const tile_register *x = e->value[value->id] + r;

    *n = nibbles_of(value);
    return n->byte && e->value[n->low->id] && e->value[n->high->id] &&
                   r / 2 < tile_register_count(n->byte) && e->value[n->low->id][r / 2] == x[0] &&
                   e->value[n->high->id][r / 2] == x[1]
               ? e->value[n->byte->id][r / 2]
               : TILE_NO_REGISTER;
}

// Returns a word whose lower half has the byte's lower nibble, and whose upper half has 16 times
// its upper nibble, or TILE_NO_REGISTER. `bits` is ORed into it.
static tile_register nibbles_in_place(struct tile_emitter *e, const struct tile_value *value,
                                      uint32_t r, uint32_t bits)
{
    struct nibbles n;
    tile_register byte = byte_of_nibbles(e, value, r, &n);
    const tile_register *twice = byte && e->twice ? e->twice[n.byte->id] : NULL;

    if (!twice || !twice[r / 2])
        return TILE_NO_REGISTER;
    return bits ? tile_make(e, TILE_R32, "lop3.b32 %R, %R, %R, 0x%x, 0xea", twice[r / 2],
                            tile_number32(e, 0x00f0000f), (uint64_t)bits)
                : tile_make(e, TILE_R32, "and.b32 %R, %R, 0x00f0000f", twice[r / 2]);
}

// Puts two integers, less `low`, into the halves of a word and ORs `bits` into it. The two nibbles
// of one byte need only a multiplication and one logical instruction.
static tile_register join_counts(struct tile_emitter *e, const struct tile_value *value, uint32_t r,
                                 int64_t low, uint32_t bits)
{
    const tile_register *x = e->value[value->id] + r;
    struct nibbles n;
    tile_register byte = low ? TILE_NO_REGISTER : byte_of_nibbles(e, value, r, &n);
    tile_register moved[2] = { x[0], x[1] };

    if (byte) {
        byte = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, 0x1001", byte);
        return tile_make(e, TILE_R32, "lop3.b32 %R, %R, %R, 0x%x, 0xea", byte,
                         tile_number32(e, 0x000f000f), (uint64_t)bits);
    }
    for (uint32_t i = 0; i < 2 && low; i++)
        moved[i] = tile_make(e, TILE_R32, "add.s32 %R, %R, %d", x[i], (int)-low);
    tile_register word = tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x5410", moved[0], moved[1]);
    return tile_make(e, TILE_R32, "or.b32 %R, %R, 0x%x", word, (uint64_t)bits);
}

enum { MOST_LESS = 64 }; // magnitude up to which a constant can be subtracted in any form

// Converts two integers to floats and subtracts `less` from each.
static tile_register counted(struct tile_emitter *e, cuc_dtype to, const struct tile_value *value,
                             uint32_t r, int64_t low, int64_t less)
{
    const struct counting_form *form = form_of(to);
    uint32_t power = (uint32_t)tile_element_of_real(to, (double)(form->power - low + less));
    tile_register placed = to == CUC_F16 && !low && less >= -MOST_LESS && less <= MOST_LESS
                               ? nibbles_in_place(e, value, r, form->bits << 16 | form->bits)
                               : TILE_NO_REGISTER;

    if (placed) { // 1024 + x in the lower half, 1024 + 16 x in the upper one
        uint32_t upper = (uint32_t)tile_element_of_real(to, -(double)(form->power / 16 + less));
        return tile_make(e, TILE_R32, "fma.rn.f16x2 %R, %R, %R, %R", placed,
                         tile_number32(e, 0x2c003c00),
                         tile_number32(e, (int32_t)(upper << 16 | power | 0x8000)));
    }
    tile_register word = join_counts(e, value, r, low, form->bits << 16 | form->bits);

    if (to == CUC_F16)
        return tile_make(e, TILE_R32, "sub.rn.f16x2 %R, %R, %R", word,
                         tile_number32(e, (int32_t)(power << 16 | power)));
    return tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", word,
                     tile_number32(e, 0x3f803f80),
                     tile_number32(e, (int32_t)((power | 0x8000) << 16 | power | 0x8000)));
}

// True for integers that f32 holds exactly, so that only the cast to 16 bits rounds.
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
            wide[i] = tile_make(e, TILE_R32,
                                tile_is_signed(from->type.dtype) ? "cvt.rn.f32.s32 %R, %R"
                                                                 : "cvt.rn.f32.u32 %R, %R",
                                wide[i]);
        split(e, counted_in ? counted(e, to, from, r, low, 0) : joined_cast(e, to, wide), out + r);
    }
    return true;
}

static bool cast_to_bytes(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                          uint32_t first, uint32_t end, const tile_register *x)
{
    cuc_dtype to = op->result[0]->type.dtype;

    if (op->operand[0]->type.dtype != CUC_F32 || !tile_has(e->target, TILE_HAS_CVT_FP8))
        return false;
    for (uint32_t r = first; r < end; r += 2)
        if (!out[r])
            tile_split_pair(e, tile_pair_to_fp8(e, to, x + r), &out[r], &out[r + 1]);
    return true;
}

static bool cast_of_bytes(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                          uint32_t first, uint32_t end, const tile_register *x)
{
    cuc_dtype from = op->operand[0]->type.dtype;

    if (!tile_has(e->target, TILE_HAS_CVT_FP8))
        return false;
    for (uint32_t r = first; r < end; r += 2)
        if (!out[r])
            split(e, tile_pair_of_fp8(e, from, x[r], x[r + 1]), out + r);
    return true;
}

// ---- Sums and products

static tile_register combined(struct tile_emitter *e, const struct tile_op *op, tile_register x,
                              tile_register y)
{
    // Before sm_90, bf16 has only fma: x + y = 1 x + y, x - y = -1 y + x, and x y = x y + -0.
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

// Returns the constant that an op subtracts from a cast of small integers, if the cast can subtract
// it for free. Both the result and the power of two minus the constant must be exact. Returns
// INT64_MIN otherwise.
static int64_t moved_by(const struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_op *cast = op->operand[0]->op;
    cuc_dtype to = op->result[0]->type.dtype;
    int64_t low, most = to == CUC_F16 ? 2048 : 256; // integers up to `most` are exact
    double by;

    if ((op->kind != TILE_SUB && op->kind != TILE_ADD) || !cast || cast->kind != TILE_CAST ||
        tile_is_rounded(cast) || !counts(e, cast, &low) || !splat(op->operand[1], &by) ||
        by != (double)(int64_t)by || by < (double)-most || by > (double)most)
        return INT64_MIN;
    int64_t less = op->kind == TILE_SUB ? (int64_t)by : -(int64_t)by;
    struct tile_range range = tile_range_of(e->ranges, cast->operand[0]);
    int64_t power = form_of(to)->power - low + less;
    return power >= -most && power <= most && range.low - less >= -most && range.high - less <= most
               ? less
               : INT64_MIN;
}

// A product of bf16: nibbles, less a constant, times a scale.
struct scaled_nibbles {
    const struct tile_value *nibbles, *difference, *factor, *scale;
    int64_t less;
};

static struct scaled_nibbles scaled_nibbles_of(const struct tile_emitter *e,
                                               const struct tile_op *op)
{
    struct scaled_nibbles s = { 0 };

    for (uint32_t i = 0; i < 2 && op->kind == TILE_MUL && e->twice; i++) {
        const struct tile_op *from = strip_reshapes(op->operand[i])->op;
        if (!from || from->kind != TILE_SUB || from->result[0]->type.dtype != CUC_BF16 ||
            tile_is_rounded(from))
            continue;
        s.less = moved_by(e, from);
        if (s.less < -MOST_LESS || s.less > MOST_LESS)
            continue;
        s.difference = from->result[0];
        s.factor = op->operand[i];
        s.scale = op->operand[1 - i];
        s.nibbles = from->operand[0]->op->operand[0];
        break;
    }
    return s;
}

// Returns a register with the factors 2^127 and 2^123, in a form that ptxas does not recognize as a
// constant. Otherwise it moves the constant to a register for each use.
static tile_register nibble_factor(struct tile_emitter *e)
{
    struct tile_text *before = tile_into_prologue(e);

    if (!e->nibble_factor) {
        tile_register own = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_eq");
        tile_register lower = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_lt");
        tile_register zero = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", own, lower);
        e->nibble_factor = tile_make(e, TILE_R32, "or.b32 %R, %R, 0x7d007f00", zero);
    }
    e->text = before;
    return e->nibble_factor;
}

// The bits of an integer below 256 are a bf16 of 2^-133 times the integer: below 128 a subnormal
// number, else one of the first normal ones, which are as far apart. So nibbles need not be moved
// to where a power of two could be ORed to them: one instruction multiplies them by 2^127, 16 times
// as large ones by 2^123, and subtracts the constant. The scale then has the factor 64 that is
// left, so that scales of 2^122 or more overflow.
static tile_register scaled(struct tile_emitter *e, const struct scaled_nibbles *s, uint32_t r,
                            tile_register scale)
{
    enum { LEFT = 64 };
    const tile_register *factor = e->value[s->factor->id] + r,
                        *difference = e->value[s->difference->id] + r;
    bool same = factor[0] == difference[0] && factor[1] == difference[1];
    tile_register placed = same ? nibbles_in_place(e, s->nibbles, r, 0) : TILE_NO_REGISTER;
    uint32_t less = (uint32_t)tile_element_of_real(CUC_BF16, -(double)s->less / LEFT);

    if (!placed)
        return TILE_NO_REGISTER;
    placed = tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", placed, nibble_factor(e),
                       tile_number32(e, (int32_t)(less << 16 | less)));
    scale = tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", scale,
                      tile_number32(e, 0x42804280), tile_number32(e, (int32_t)0x80008000));
    return tile_make(e, TILE_R32, "fma.rn.bf16x2 %R, %R, %R, %R", placed, scale,
                     tile_number32(e, (int32_t)0x80008000));
}

bool tile_emit_packed(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                      uint32_t first, uint32_t end, const tile_register *const *in)
{
    cuc_dtype to = op->result[0]->type.dtype;

    if (first % 2 || end % 2 || tile_is_rounded(op))
        return false;
    if (op->kind == TILE_CAST && (to == CUC_E4M3 || to == CUC_E5M2))
        return cast_to_bytes(e, op, out, first, end, in[0]);
    if (!is_half(to))
        return false;
    cuc_dtype from = op->operand[0]->type.dtype;
    if (op->kind == TILE_CAST && to == CUC_F16 && (from == CUC_E4M3 || from == CUC_E5M2))
        return cast_of_bytes(e, op, out, first, end, in[0]);
    if (op->kind == TILE_CAST)
        return cast_pairs(e, op, out, first, end, in[0]);
    if (!combines_pairs(op))
        return false;
    int64_t less = moved_by(e, op), low = 0;
    const struct tile_value *whole = less == INT64_MIN ? NULL : op->operand[0]->op->operand[0];
    if (whole &&
        (!counts(e, op->operand[0]->op, &low) || !tile_compute_registers(e, whole, first, end)))
        return false;
    for (uint32_t r = first; r < end && whole; r += 2)
        if (!out[r])
            split(e, counted(e, op->result[0]->type.dtype, whole, r, low, less), out + r);
    struct scaled_nibbles s = scaled_nibbles_of(e, op);
    for (uint32_t r = first; r < end && s.nibbles; r += 2) {
        const tile_register *scale = e->value[s.scale->id] + r;
        tile_register word = out[r] ? TILE_NO_REGISTER
                                    : scaled(e, &s, r, tile_join(e, scale[0], scale[1]));
        if (word)
            split(e, word, out + r);
    }
    for (uint32_t r = first; r < end; r += 2)
        if (!out[r])
            split(e,
                  combined(e, op, tile_join(e, in[0][r], in[0][r + 1]),
                           tile_join(e, in[1][r], in[1][r + 1])),
                  out + r);
    return true;
}
