// Rules of matrix products: extents, and the dtypes that can be combined.
#include "infer.h"

// Supported dtypes. Diagnostics list the accumulators in this order.
static const struct {
    cuc_dtype operand, accumulator[2];
    bool mixed; // the operands may be of both dtypes of a pair: i8 and u8, or e4m3 and e5m2
} products[] = {
    { CUC_F16, { CUC_F32, CUC_F16 }, false },
    { CUC_BF16, { CUC_F32 }, false },
    { CUC_TF32, { CUC_F32 }, false },
    { CUC_F32, { CUC_F32 }, false },
    { CUC_F64, { CUC_F64 }, false },
    { CUC_E4M3, { CUC_F32, CUC_F16 }, true },
    { CUC_E5M2, { CUC_F32, CUC_F16 }, true },
    { CUC_I8, { CUC_I32 }, true },
    { CUC_U8, { CUC_I32 }, true },
};

static bool pair(cuc_dtype a, cuc_dtype b)
{
    return a == b || ((a == CUC_I8 || a == CUC_U8) && (b == CUC_I8 || b == CUC_U8)) ||
           ((a == CUC_E4M3 || a == CUC_E5M2) && (b == CUC_E4M3 || b == CUC_E5M2));
}

static bool is_operand(cuc_dtype dtype)
{
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
        if (products[i].operand == dtype)
            return true;
    return false;
}

static bool need_dtypes(struct tile_builder *b, const struct tile_op *op)
{
    cuc_dtype x = op->operand[0]->type.dtype, y = op->operand[1]->type.dtype;
    cuc_dtype acc = op->operand[2]->type.dtype;

    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
        if (products[i].operand != x)
            continue;
        // A computation probably widened the wider operand, unless the other one has 8 bits, like
        // weights.
        uint32_t bits = cuc_dtype_bits(x), other = cuc_dtype_bits(y);
        if (y != x && is_operand(y) && (other == 8 || bits == 8 ? bits < other : bits > other))
            return tile_wrong_operand_but(b, op, 0, TILE_T109, cuc_dtype_name(y), "cast it");
        if (y != x && !(products[i].mixed && pair(x, y)))
            return tile_wrong_operand_but(b, op, 1, TILE_T109, cuc_dtype_name(x), "cast it");
        if (acc == products[i].accumulator[0] || (acc && acc == products[i].accumulator[1]))
            return true;
        return tile_wrong_operand_but(
            b, op, 2, TILE_T109,
            products[i].accumulator[1] ? "f32 or f16" : cuc_dtype_name(products[i].accumulator[0]),
            "cast it, or begin with zeros of that dtype");
    }
    return tile_wrong_operand_but(b, op, 0, TILE_T109,
                                  "f16, bf16, tf32, f32, f64, e4m3, e5m2, i8 or u8", "cast it");
}

bool tile_infer_mma(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    const struct tile_type *x = &op->operand[0]->type, *y = &op->operand[1]->type;
    const struct tile_type *acc = &op->operand[2]->type;

    (void)wanted;
    for (uint32_t i = 0; i < 3; i++) {
        if (!tile_need_tile(b, op, i))
            return false;
        if (op->operand[i]->type.rank < 2)
            return tile_wrong_operand(b, op, i, TILE_T210, "a tile of at least 2 axes");
    }
    if (!need_dtypes(b, op))
        return false;
    if (x->rank != acc->rank || y->rank != acc->rank)
        return tile_wrong(b, op, TILE_T210, "a has %d axes, b %d and acc %d: expected as many",
                          x->rank, y->rank, acc->rank);
    if (x->dtype != CUC_F32 && tile_int(op, TILE_ATTR_PRECISION, TILE_IEEE) != TILE_IEEE)
        return tile_wrong(b, op, TILE_T109, "precision: expected operands of f32, got %s",
                          cuc_dtype_name(x->dtype));
    uint32_t m = acc->rank - 2u, n = acc->rank - 1u;
    if (x->extent[n] != y->extent[m])
        return tile_wrong(b, op, TILE_T210,
                          "axis %u of a (%d) and axis %u of b (%d) are summed "
                          "over: expected the same",
                          n, x->extent[n], m, y->extent[m]);
    if (acc->extent[m] != x->extent[m] || acc->extent[n] != y->extent[n])
        return tile_wrong(b, op, TILE_T210, "acc is [.., %d, %d], expected [.., %d, %d]",
                          acc->extent[m], acc->extent[n], x->extent[m], y->extent[n]);
    for (uint32_t i = 0; i < m; i++)
        if (x->extent[i] != acc->extent[i] || y->extent[i] != acc->extent[i])
            return tile_wrong(b, op, TILE_T210, "batch axis %u is %d in a, %d in b and %d in acc",
                              i, x->extent[i], y->extent[i], acc->extent[i]);
    return tile_set_result(b, op, 0, acc);
}
