// Rules of memory accesses.
#include "base/arena.h"
#include "infer.h"
#include "tile/ir/scalar.h"

// Computes the type of the tile that a memory op moves: SHAPE without the axes in DROPPED, after a
// leading axis of `rows` for load_rows.
static bool need_moved(struct tile_builder *b, struct tile_op *op, uint32_t axes, int64_t rows,
                       struct tile_type *type)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0), extent[TILE_MAX_RANK + 1];
    uint32_t rank = 0;

    if (!shape || shape->count != axes)
        return tile_wrong(b, op, TILE_T301,
                          "expected %u extents, one an axis of the tensor, got %u", axes,
                          shape ? shape->count : 0);
    if (rows)
        extent[rank++] = rows;
    for (uint32_t i = 0; i < axes; i++) {
        if (dropped >> i & 1 && shape->ints[i] != 1)
            return tile_wrong(b, op, TILE_T301, "axis %u is dropped and has an extent of %lld", i,
                              (long long)shape->ints[i]);
        if (!(dropped >> i & 1))
            extent[rank++] = shape->ints[i];
    }
    return tile_need_shape(b, op, rank, extent, type);
}

// Names the operation that takes tiles of indices and otherwise does the same.
static const char *by_element(struct tile_builder *b, const struct tile_op *op)
{
    static const char *const combines[] = {
        [TILE_WITH_SUM] = "add", [TILE_WITH_MAX] = "max", [TILE_WITH_MIN] = "min",
        [TILE_WITH_AND] = "and", [TILE_WITH_OR] = "or",   [TILE_WITH_XOR] = "xor",
    };

    if (op->kind == TILE_STORE_REDUCE)
        return cuc__arena_print(b->module->arena,
                                "for tiles of indices, atomic_%s(t, [i], x, order=relaxed)",
                                combines[tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM)]);
    return op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT     ? "gather takes tiles of indices"
           : op->kind == TILE_STORE || op->kind == TILE_STORE_AT ? "scatter takes tiles of indices"
                                                                 : NULL;
}

static bool need_indices(struct tile_builder *b, struct tile_op *op, uint32_t first, uint32_t count,
                         uint32_t axes)
{
    if (count != axes)
        return tile_wrong(b, op, TILE_T301, "expected %u %s, one an axis of the tensor, got %u",
                          axes, axes == 1 ? "index" : "indices", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct tile_type *type = &op->operand[first + i]->type;
        if (!type->tensor && type->rank)
            return tile_wrong_operand_but(b, op, first + i, TILE_T209, "an integer scalar",
                                          by_element(b, op));
        if (!tile_need_integer_scalar(b, op, first + i))
            return false;
    }
    return true;
}

// Memory orders that each kind of access allows, as bits.
enum {
    LOADS = 1 << TILE_WEAK | 1 << TILE_RELAXED | 1 << TILE_ACQUIRE,
    STORES = 1 << TILE_WEAK | 1 << TILE_RELAXED | 1 << TILE_RELEASE,
    ATOMICS = 1 << TILE_RELAXED | 1 << TILE_ACQUIRE | 1 << TILE_RELEASE | 1 << TILE_ACQ_REL,
};

static bool need_order(struct tile_builder *b, struct tile_op *op, uint32_t orders)
{
    int64_t order = tile_int(op, TILE_ATTR_ORDER, TILE_WEAK);
    const struct tile_attribute *scope = tile_attribute(op, TILE_ATTR_SCOPE);
    int64_t latency = tile_int(op, TILE_ATTR_LATENCY, 1);

    if (!(orders >> order & 1))
        return tile_wrong(
            b, op, TILE_T303, "order: expected %s, got %s",
            orders == LOADS    ? "weak, relaxed or acquire"
            : orders == STORES ? "weak, relaxed or release"
                               : "relaxed, acquire, release or acq_rel",
            (const char *const[]){ "weak", "relaxed", "acquire", "release", "acq_rel" }[order]);
    if (order == TILE_WEAK && scope)
        return tile_wrong(b, op, TILE_T303, "a weak access has no scope: give it an order, too");
    if (latency < 1 || latency > 10)
        return tile_wrong(b, op, TILE_T304, "latency: expected 1 to 10, got %lld",
                          (long long)latency);
    return true;
}

// Checks the padding value, which is a load's last operand if it has one.
static bool need_pad(struct tile_builder *b, struct tile_op *op, const struct tile_type *tile)
{
    uint32_t last = op->operand_count - 1;

    if (!tile_int(op, TILE_ATTR_PADDED, 0))
        return true;
    const struct tile_type *pad = &op->operand[last]->type;
    if (pad->tensor || pad->dtype != tile->dtype)
        return tile_wrong(b, op, TILE_T102, "operand pad: expected %s, got %s",
                          cuc_dtype_name(tile->dtype),
                          pad->tensor ? "a tensor" : cuc_dtype_name(pad->dtype));
    return !pad->rank || tile_need_same_shape(b, op, last, tile);
}

static uint32_t padded(const struct tile_op *op)
{
    return tile_int(op, TILE_ATTR_PADDED, 0) ? 1 : 0;
}

static uint32_t masked(const struct tile_op *op)
{
    return tile_int(op, TILE_ATTR_MASKED, 0) ? 1 : 0;
}

bool tile_infer_slice(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    uint32_t axis;

    (void)wanted;
    return tile_need_tensor(b, op, 0) && tile_need_axis(b, op, &op->operand[0]->type, &axis) &&
           tile_need_integer_scalar(b, op, 1) && tile_need_integer_scalar(b, op, 2) &&
           tile_set_result(b, op, 0, &op->operand[0]->type);
}

bool tile_infer_load(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type;

    (void)wanted;
    if (!tile_need_tensor(b, op, 0))
        return false;
    type = tile_scalar(op->operand[0]->type.dtype);
    uint32_t axes = op->operand[0]->type.rank;
    return need_indices(b, op, 1, op->operand_count - 1 - padded(op), axes) &&
           need_moved(b, op, axes, 0, &type) && need_pad(b, op, &type) &&
           need_order(b, op, LOADS) && tile_set_result(b, op, 0, &type);
}

// Checks that the stored value has the tensor's dtype and the op's shape.
static bool need_stored(struct tile_builder *b, struct tile_op *op, uint32_t operand,
                        const struct tile_type *type)
{
    if (!tile_need_tile(b, op, operand))
        return false;
    if (op->operand[operand]->type.dtype != type->dtype)
        return tile_wrong_operand(b, op, operand, TILE_T108, cuc_dtype_name(type->dtype));
    return tile_need_same_shape(b, op, operand, type);
}

bool tile_infer_store(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type;

    (void)wanted;
    if (!tile_need_tensor(b, op, 0))
        return false;
    type = tile_scalar(op->operand[0]->type.dtype);
    uint32_t axes = op->operand[0]->type.rank;
    return need_indices(b, op, 1, op->operand_count - 2, axes) &&
           need_moved(b, op, axes, 0, &type) && need_stored(b, op, op->operand_count - 1, &type) &&
           need_order(b, op, STORES);
}

// Checks `ids`: a tile of rank 1 that indexes axis 0.
static bool need_rows(struct tile_builder *b, struct tile_op *op, int64_t *rows)
{
    if (!tile_need_tensor(b, op, 0) || !tile_need_tile(b, op, 1))
        return false;
    if (!op->operand[0]->type.rank)
        return tile_wrong_operand(b, op, 0, TILE_T204, "a tensor of at least 1 axis");
    const struct tile_type *ids = &op->operand[1]->type;
    if (!tile_is_integer(ids->dtype))
        return tile_wrong_operand(b, op, 1, TILE_T107, "integers");
    if (ids->rank != 1)
        return tile_wrong_operand(b, op, 1, TILE_T202, "a tile of 1 axis");
    *rows = ids->extent[0];
    return true;
}

bool tile_infer_load_rows(struct tile_builder *b, struct tile_op *op,
                          const struct tile_type *wanted)
{
    struct tile_type type;
    int64_t rows;

    (void)wanted;
    if (!need_rows(b, op, &rows))
        return false;
    type = tile_scalar(op->operand[0]->type.dtype);
    uint32_t axes = op->operand[0]->type.rank - 1u;
    return need_indices(b, op, 2, op->operand_count - 2 - padded(op), axes) &&
           need_moved(b, op, axes, rows, &type) && need_pad(b, op, &type) &&
           need_order(b, op, LOADS) && tile_set_result(b, op, 0, &type);
}

bool tile_infer_store_rows(struct tile_builder *b, struct tile_op *op,
                           const struct tile_type *wanted)
{
    struct tile_type type;
    int64_t rows;

    (void)wanted;
    if (!need_rows(b, op, &rows))
        return false;
    type = tile_scalar(op->operand[0]->type.dtype);
    uint32_t axes = op->operand[0]->type.rank - 1u;
    return need_indices(b, op, 2, op->operand_count - 3, axes) &&
           need_moved(b, op, axes, rows, &type) &&
           need_stored(b, op, op->operand_count - 1, &type) && need_order(b, op, STORES);
}

// Checks an access by index tiles: one integer tile per axis, all of the same shape, followed by
// `values` operands of the tensor's dtype.
static bool need_elements(struct tile_builder *b, struct tile_op *op, uint32_t values,
                          struct tile_type *type)
{
    if (!tile_need_tensor(b, op, 0))
        return false;
    uint32_t axes = op->operand[0]->type.rank;
    uint32_t after = values + masked(op) + padded(op);
    uint32_t count = op->operand_count - 1 - after;

    if (count != axes)
        return tile_wrong(b, op, TILE_T301, "expected %u %s, one an axis of the tensor, got %u",
                          axes, axes == 1 ? "index" : "indices", count);
    *type = axes ? op->operand[1]->type : tile_scalar(CUC_I32);
    for (uint32_t i = 1; i <= axes; i++) {
        if (!tile_need_tile(b, op, i))
            return false;
        if (!tile_is_integer(op->operand[i]->type.dtype))
            return tile_wrong_operand(b, op, i, TILE_T107, "integers");
        if (!tile_need_same_shape(b, op, i, type))
            return false;
    }
    type->dtype = op->operand[0]->type.dtype;
    for (uint32_t i = 0; i < values; i++)
        if (!need_stored(b, op, 1 + axes + i, type))
            return false;
    uint32_t mask = 1 + axes + values;
    if (masked(op)) {
        if (!tile_need_tile(b, op, mask))
            return false;
        if (op->operand[mask]->type.dtype != CUC_BOOL)
            return tile_wrong(b, op, TILE_T106, "operand mask: expected a bool, got %s",
                              cuc_dtype_name(op->operand[mask]->type.dtype));
        if (!tile_need_same_shape(b, op, mask, type))
            return false;
    }
    return need_pad(b, op, type);
}

bool tile_infer_gather(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type;

    (void)wanted;
    return need_elements(b, op, 0, &type) && need_order(b, op, LOADS) &&
           tile_set_result(b, op, 0, &type);
}

bool tile_infer_scatter(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type;

    (void)wanted;
    return need_elements(b, op, 1, &type) && need_order(b, op, STORES);
}

static bool need_atomic(struct tile_builder *b, struct tile_op *op, cuc_dtype dtype)
{
    bool ok = tile_is_integer(dtype) && cuc_dtype_bits(dtype) >= 32;
    const char *expected = "i32, i64, u32 or u64";

    switch (tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM)) {
    case TILE_WITH_SUM:
        ok |= tile_is_float(dtype);
        expected = "i32, i64, u32, u64, f16, bf16, f32 or f64";
        break;
    case TILE_WITH_XCHG:
    case TILE_WITH_CAS:
        ok |= dtype == CUC_F32 || dtype == CUC_F64;
        expected = "i32, i64, u32, u64, f32 or f64";
        break;
    default:
        break;
    }
    return ok || tile_wrong(b, op, TILE_T110, "operand tensor: expected %s, got %s", expected,
                            cuc_dtype_name(dtype));
}

bool tile_infer_store_reduce(struct tile_builder *b, struct tile_op *op,
                             const struct tile_type *wanted)
{
    return tile_infer_store(b, op, wanted) && need_atomic(b, op, op->operand[0]->type.dtype);
}

bool tile_infer_atomic(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type;
    uint32_t values = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM) == TILE_WITH_CAS ? 2 : 1;

    (void)wanted;
    return need_elements(b, op, values, &type) && need_atomic(b, op, type.dtype) &&
           need_order(b, op, ATOMICS) && tile_set_result(b, op, 0, &type);
}

bool tile_infer_assert(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    return tile_need_tile(b, op, 0) && (op->operand[0]->type.dtype == CUC_BOOL ||
                                        tile_wrong_operand(b, op, 0, TILE_T106, "a bool"));
}

bool tile_infer_print(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!tile_need_tile(b, op, i))
            return false;
    return true;
}

bool tile_infer_grid(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)b;
    (void)op;
    (void)wanted;
    return true;
}
