// Ops with explicit rounding, using instructions with a rounding modifier. f16 and bf16 ops compute
// in f32 and then round again in the same direction. The result is right: rounding a value once or
// twice in one direction selects the same neighbor in the narrow format.
#include "emit.h"

#include <string.h>

static const char *word_of(struct tile_rounding how)
{
    static const char *const words[] = { "rn", "rz", "rm", "rp", "approx", "full" };

    return words[how.round];
}

// Flushes subnormals by adding -0, which changes no other f32.
tile_register tile_emit_flush(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "add.rn.ftz.f32 %R, %R, 0f80000000", x);
}

// Emits the named instruction for `count` operands.
static tile_register by_name(struct tile_emitter *e, const char *name, struct tile_rounding how,
                             const char *type, uint32_t count, const tile_register *x)
{
    tile_register out = tile_new(e, type[1] == '6' ? TILE_R64 : TILE_R32);
    char head[32], text[64];

    strcpy(head, name);
    for (uint32_t i = 0; i < 2; i++) {
        const char *word = i ? how.ftz ? "ftz" : "" : word_of(how);
        if (*word)
            strcat(strcat(head, "."), word);
    }
    strcat(strcpy(text, head), ".%s %R");
    for (uint32_t i = 0; i < count; i++)
        strcat(text, ", %R");
    tile_ins(e, text, type, out, x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0);
    return out;
}

static tile_register power(struct tile_emitter *e, enum tile_op_kind kind, struct tile_rounding how,
                           tile_register x)
{
    const char *ftz = how.ftz ? ".ftz" : "";
    tile_register out = tile_new(e, TILE_R32);

    if (kind == TILE_EXP) { // e^x as a power of 2
        tile_register of_two = tile_new(e, TILE_R32);
        tile_ins(e, "mul.rn%s.f32 %R, %R, 0f3FB8AA3B", ftz, of_two, x);
        x = of_two;
    }
    tile_ins(e, "ex2.approx%s.f32 %R, %R", ftz, out, x);
    return out;
}

// Emits functions of f32 that have no instruction with rounding.
static tile_register function(struct tile_emitter *e, enum tile_op_kind kind,
                              struct tile_rounding how, bool nan, const tile_register *x)
{
    const char *ftz = how.ftz ? ".ftz" : "";
    tile_register out = tile_new(e, TILE_R32), in = x[0];

    if (kind == TILE_MINIMUM || kind == TILE_MAXIMUM) {
        tile_ins(e, "%s%s%s.f32 %R, %R, %R", kind == TILE_MINIMUM ? "min" : "max", ftz,
                 nan ? ".NaN" : "", out, x[0], x[1]);
        return out;
    }
    if (kind == TILE_RSQRT) {
        tile_ins(e, "rsqrt.approx%s.f32 %R, %R", ftz, out, in);
        return out;
    }
    if (how.round == TILE_APPROX && kind != TILE_TANH)
        return power(e, kind, how, in);
    in = how.ftz ? tile_emit_flush(e, in) : in;
    out = how.round == TILE_APPROX ? tile_make(e, TILE_R32, "tanh.approx.f32 %R, %R", in)
                                   : tile_emit_math(e, kind, CUC_F32, in, TILE_NO_REGISTER);
    return how.ftz ? tile_emit_flush(e, out) : out;
}

tile_register tile_emit_rounded(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                struct tile_rounding how, bool nan, const tile_register *x)
{
    static const struct {
        enum tile_op_kind kind;
        const char *name;
        uint32_t operands;
    } rows[] = {
        { TILE_ADD, "add", 2 }, { TILE_SUB, "sub", 2 }, { TILE_MUL, "mul", 2 },
        { TILE_DIV, "div", 2 }, { TILE_FMA, "fma", 3 }, { TILE_SQRT, "sqrt", 1 },
    };
    tile_register wide[3];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].kind != kind)
            continue;
        for (uint32_t k = 0; k < rows[i].operands; k++)
            wide[k] = tile_widen(e, dtype, x[k]);
        tile_register out =
            by_name(e, rows[i].name, how, dtype == CUC_F64 ? "f64" : "f32", rows[i].operands, wide);
        return dtype == CUC_F64 ? out : tile_emit_cast(e, dtype, CUC_F32, how.round, out);
    }
    return function(e, kind, how, nan, x);
}
