// Builds memory accesses with the language's conveniences: constant indices, default shapes,
// broadcasting, and implicit casts of stored values.
#include "build.h"

#include "infer.h"
#include "tile/ir/scalar.h"

#include <string.h>

enum { MOST_OPERANDS = 2 * TILE_MAX_RANK + 6, MOST_ATTRIBUTES = 10 };

// The operands and attributes of an op under construction.
struct draft {
    struct tile_value *operand[MOST_OPERANDS];
    uint32_t operands;
    struct tile_attribute attribute[MOST_ATTRIBUTES];
    uint32_t attributes;
};

static void add(struct draft *d, struct tile_value *value)
{
    d->operand[d->operands++] = value;
}

static void set(struct draft *d, enum tile_attribute_key key, int64_t i)
{
    d->attribute[d->attributes++] = (struct tile_attribute){ .key = key, .i = i };
}

// Returns the op's name in the source, where several calls map to one op of the IR.
static const char *name_of(const struct tile_builder *b, enum tile_op_kind kind)
{
    return b->op ? b->op : tile_op_infos[kind].name;
}

static bool is_tensor(struct tile_builder *b, enum tile_op_kind kind,
                      const struct tile_value *tensor)
{
    if (tensor && !tensor->type.tensor)
        tile_error(b->module, TILE_T302, b->where,
                   "%s: operand tensor: expected a tensor, got a tile", name_of(b, kind));
    return tensor && tensor->type.tensor;
}

static bool count_fits(struct tile_builder *b, enum tile_op_kind kind, const char *one,
                       const char *many, uint32_t count, uint32_t axes)
{
    if (count != axes)
        tile_error(b->module, TILE_T301, b->where,
                   "%s: expected %u %s, one an axis of the tensor, got %u", name_of(b, kind), axes,
                   axes == 1 ? one : many, count);
    return count == axes;
}

// Converts u64 to i64. Clamps a value that does not fit: it is far past the end of any tensor.
static struct tile_value *as_signed(struct tile_builder *b, struct tile_value *value)
{
    if (!value || value->type.tensor || value->type.rank || value->type.dtype != CUC_U64)
        return value;
    value = tile_build_binary(b, TILE_MINIMUM, tile_of(value), tile_of_int(INT64_MAX), false);
    return value ? tile_build_cast(b, tile_of(value), CUC_I64, TILE_RN) : NULL;
}

// Constant indices are i64, like dimensions and block indices.
static bool add_indices(struct tile_builder *b, struct draft *d, const struct tile_access_args *a)
{
    for (uint32_t i = 0; i < a->count; i++) {
        struct tile_value *value = a->index[i].loose && !a->index[i].real
                                       ? tile_build_constant(b, CUC_I64, a->index[i])
                                       : as_signed(b, tile_build_value(b, a->index[i]));
        if (!value)
            return false;
        add(d, value);
    }
    return true;
}

static bool set_shape(struct tile_builder *b, struct draft *d, const int64_t *shape, uint32_t axes)
{
    int64_t *extent = tile_take(b->module, (axes + 1) * sizeof(*extent)), dropped = 0;

    if (!extent)
        return false;
    for (uint32_t i = 0; i < axes; i++) {
        extent[i] = shape[i] == -1 ? 1 : shape[i];
        if (shape[i] == -1)
            dropped |= INT64_C(1) << i;
    }
    d->attribute[d->attributes++] =
        (struct tile_attribute){ .key = TILE_ATTR_SHAPE, .count = axes, .ints = extent };
    if (dropped)
        set(d, TILE_ATTR_DROPPED, dropped);
    return true;
}

static void set_hints(struct draft *d, const struct tile_access_args *a)
{
    if (a->order != TILE_WEAK)
        set(d, TILE_ATTR_ORDER, a->order);
    if (a->has_scope)
        set(d, TILE_ATTR_SCOPE, a->scope);
    if (a->latency)
        set(d, TILE_ATTR_LATENCY, a->latency);
    if (a->tma)
        set(d, TILE_ATTR_TMA, a->tma);
    if (a->cache != TILE_CACHE_ANY)
        set(d, TILE_ATTR_CACHE, a->cache);
    if (a->inside)
        set(d, TILE_ATTR_INSIDE, 1);
}

// Omits a padding constant of zero, which is the default.
static bool add_pad(struct tile_builder *b, struct draft *d, const struct tile_access_args *a)
{
    cuc_dtype dtype = a->tensor->type.dtype;

    if (!a->pad || (a->pad->loose && !a->pad->real && a->pad->i == 0))
        return true;
    struct tile_value *pad = a->pad->loose ? tile_build_constant(b, dtype, *a->pad) : a->pad->value;
    if (!pad)
        return false;
    if (tile_promote(pad->type.dtype, dtype) == dtype)
        pad = tile_build_cast(b, tile_of(pad), dtype, TILE_RN);
    if (!pad)
        return false;
    add(d, pad);
    set(d, TILE_ATTR_PADDED, 1);
    return true;
}

static struct tile_value *finish(struct tile_builder *b, enum tile_op_kind kind, struct draft *d,
                                 bool *made)
{
    struct tile_op *op =
        tile_build_op(b, kind, d->operand, d->operands, d->attribute, d->attributes, NULL, NULL);

    if (made)
        *made = op != NULL;
    return op && op->result_count ? op->result[0] : NULL;
}

// Returns the number of axes that need an index and an extent: all axes, except that `ids` replaces
// the index of axis 0 in load_rows and store_rows.
static uint32_t axes_of(enum tile_op_kind kind, const struct tile_access_args *a)
{
    bool rows = kind == TILE_LOAD_ROWS || kind == TILE_STORE_ROWS;

    return a->tensor->type.rank - (rows && a->tensor->type.rank ? 1u : 0u);
}

struct tile_value *tile_build_load(struct tile_builder *b, enum tile_op_kind kind,
                                   const struct tile_access_args *a)
{
    struct draft d = { 0 };

    if (!is_tensor(b, kind, a->tensor) ||
        !count_fits(b, kind, "index", "indices", a->count, axes_of(kind, a)) ||
        !count_fits(b, kind, "extent", "extents", a->axes, axes_of(kind, a)))
        return NULL;
    add(&d, a->tensor);
    if (kind == TILE_LOAD_ROWS)
        add(&d, a->ids);
    if (!add_indices(b, &d, a) || !add_pad(b, &d, a) || !set_shape(b, &d, a->shape, a->axes))
        return NULL;
    set_hints(&d, a);
    return finish(b, kind, &d, NULL);
}

// Returns the value to store, cast to the tensor's dtype if promotion allows it.
static struct tile_value *stored(struct tile_builder *b, enum tile_op_kind kind,
                                 struct tile_operand x, cuc_dtype dtype)
{
    if (x.loose)
        return tile_build_constant(b, dtype, x);
    if (!x.value)
        return NULL;
    if (x.value->type.tensor || x.value->type.dtype == dtype)
        return x.value;
    if (tile_promote(x.value->type.dtype, dtype) == dtype)
        return tile_build_cast(b, x, dtype, TILE_RN);
    tile_error(b->module, TILE_T108, b->where,
               "%s: operand x: expected %s, got %s: write cast(.., %s)", name_of(b, kind),
               cuc_dtype_name(dtype), cuc_dtype_name(x.value->type.dtype), cuc_dtype_name(dtype));
    return NULL;
}

bool tile_build_store(struct tile_builder *b, enum tile_op_kind kind,
                      const struct tile_access_args *a, struct tile_operand x,
                      enum tile_combine with)
{
    struct draft d = { 0 };
    int64_t shape[TILE_MAX_RANK], moved[TILE_MAX_RANK + 1];
    uint32_t rank = 0;
    bool made;

    if (!is_tensor(b, kind, a->tensor))
        return false;
    uint32_t axes = axes_of(kind, a), rows = kind == TILE_STORE_ROWS;
    struct tile_value *value = stored(b, kind, x, a->tensor->type.dtype);
    if (!value || (rows && !a->ids) || !count_fits(b, kind, "index", "indices", a->count, axes))
        return false;
    if (value->type.tensor) {
        const char *text = tile_type_text(b->module->arena, &value->type);
        tile_error(b->module, TILE_T302, b->where,
                   "%s: operand x: expected a tile (load from the tensor first), got %s",
                   name_of(b, kind), text ? text : "a tensor");
        return false;
    }
    if (a->axes) {
        if (!count_fits(b, kind, "extent", "extents", a->axes, axes))
            return false;
        memcpy(shape, a->shape, axes * sizeof(*shape));
    } else {
        // Use the tile's own shape, with `_` in front for axes that the tile lacks.
        uint32_t have = value->type.rank > rows ? value->type.rank - rows : 0;
        if (have > axes) {
            count_fits(b, kind, "axis of the tile or fewer", "axes of the tile or fewer", have,
                       axes);
            return false;
        }
        for (uint32_t i = 0; i < axes; i++)
            shape[i] = i < axes - have ? -1 : value->type.extent[rows + i - (axes - have)];
    }
    if (rows && !a->ids->type.tensor)
        moved[rank++] = a->ids->type.rank ? a->ids->type.extent[0] : 1;
    for (uint32_t i = 0; i < axes; i++)
        if (shape[i] != -1)
            moved[rank++] = shape[i];
    if (!value->type.tensor)
        value = tile_build_broadcast(b, value, rank, moved);
    if (!value)
        return false;
    add(&d, a->tensor);
    if (rows)
        add(&d, a->ids);
    if (!add_indices(b, &d, a) || !set_shape(b, &d, shape, axes))
        return false;
    add(&d, value);
    set_hints(&d, a);
    if (kind == TILE_STORE_REDUCE)
        set(&d, TILE_ATTR_WITH, with);
    finish(b, kind, &d, &made);
    return made;
}

// Adds the operands of an access by element (indices, values, mask), broadcast to one shape.
static bool add_elements(struct tile_builder *b, enum tile_op_kind kind, struct draft *d,
                         const struct tile_access_args *a, const struct tile_operand *x,
                         uint32_t values)
{
    if (!is_tensor(b, kind, a->tensor) ||
        !count_fits(b, kind, "index", "indices", a->count, a->tensor->type.rank))
        return false;
    add(d, a->tensor);
    if (!add_indices(b, d, a))
        return false;
    for (uint32_t i = 0; i < values; i++) {
        struct tile_value *value = stored(b, kind, x[i], a->tensor->type.dtype);
        if (!value)
            return false;
        add(d, value);
    }
    if (a->mask) {
        add(d, a->mask);
        set(d, TILE_ATTR_MASKED, 1);
    }
    return tile_broadcast_together(b, kind, d->operand + 1, d->operands - 1);
}

struct tile_value *tile_build_gather(struct tile_builder *b, const struct tile_access_args *a)
{
    struct draft d = { 0 };

    if (!add_elements(b, TILE_GATHER, &d, a, NULL, 0) || !add_pad(b, &d, a))
        return NULL;
    set_hints(&d, a);
    return finish(b, TILE_GATHER, &d, NULL);
}

bool tile_build_scatter(struct tile_builder *b, const struct tile_access_args *a,
                        struct tile_operand x)
{
    struct draft d = { 0 };
    bool made;

    if (!add_elements(b, TILE_SCATTER, &d, a, &x, 1))
        return false;
    set_hints(&d, a);
    finish(b, TILE_SCATTER, &d, &made);
    return made;
}

struct tile_value *tile_build_atomic(struct tile_builder *b, const struct tile_access_args *a,
                                     enum tile_combine with, const struct tile_operand *x,
                                     uint32_t values)
{
    struct draft d = { 0 };

    if (!add_elements(b, TILE_ATOMIC, &d, a, x, values))
        return NULL;
    set(&d, TILE_ATTR_WITH, with);
    set(&d, TILE_ATTR_ORDER, a->order);
    if (a->has_scope)
        set(&d, TILE_ATTR_SCOPE, a->scope);
    return finish(b, TILE_ATOMIC, &d, NULL);
}

struct tile_value *tile_build_slice(struct tile_builder *b, struct tile_value *tensor, int64_t axis,
                                    struct tile_operand start, struct tile_operand stop)
{
    struct tile_attribute attribute = { .key = TILE_ATTR_AXIS, .i = axis };
    struct tile_value *operands[3] = { tensor };
    const struct tile_operand ends[] = { start, stop };

    for (uint32_t i = 0; i < 2; i++)
        operands[1 + i] = ends[i].loose && !ends[i].real
                              ? tile_build_constant(b, CUC_I64, ends[i])
                              : as_signed(b, tile_build_value(b, ends[i]));
    return tile_build(b, TILE_SLICE, operands, 3, &attribute, 1, NULL);
}
