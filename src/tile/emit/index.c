// Ops on the grid, dimensions, tensors and slices.
#include "tile/pass/prefetch.h"
#include "ring.h"

// Returns a predicate: a bit of the parameter block is set. `at` is the offset of the first word of
// bits.
static tile_register parameter_bit(struct tile_emitter *e, uint32_t at, uint32_t bit)
{
    tile_register word = tile_make(e, TILE_R32, "ld.param.u32 %R, [args+%u]", at + bit / 32 * 4);
    word = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", word, UINT32_C(1) << bit % 32);
    return tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", word);
}

tile_register tile_parameter_is_aligned(struct tile_emitter *e, uint32_t parameter)
{
    return parameter_bit(e, e->parameter_bytes, parameter);
}

tile_register tile_has_map(struct tile_emitter *e, uint32_t map)
{
    return parameter_bit(e, tile_grid_at(e->parameter_bytes) + 4 * TILE_MAPS_WORD, map);
}

struct wide {
    const struct tile_prefetch *prefetch;
    uint32_t *root; // by value id of a tensor: 1 + the number of its parameter, or of the parameter
                    // that it slices
    uint64_t parameters, all;
};

// True if no thread moves neighboring elements along the tensor's last axis, regardless of the
// tensor's alignment.
static bool moves_elements(const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);

    if (op->kind == TILE_DIM || op->kind == TILE_GATHER || op->kind == TILE_SCATTER ||
        !op->operand[0]->type.rank)
        return true;
    if (op->kind == TILE_ATOMIC)
        return !op->result[0]->type.rank;
    if (!(tile_op_infos[op->kind].traits & TILE_MOVES) || !shape)
        return false;
    const struct tile_value *tile = op->result_count ? op->result[0]
                                                     : op->operand[op->operand_count - 1];
    // Unless dropped, the tensor's last axis is the tile's last axis and has the lowest coordinate
    // bits.
    return !shape->count || shape->ints[shape->count - 1] % 2 ||
           (tile->layout && (!tile->layout->register_bits || tile->layout->basis[0] != 1));
}

static bool is_prefetched(const struct wide *w, const struct tile_op *op)
{
    for (uint32_t i = 0; w->prefetch && i < w->prefetch->streams; i++)
        if (w->prefetch->stream[i].load == op)
            return true;
    return false;
}

static void note_wide(struct tile_op *op, void *data)
{
    struct wide *w = data;
    const struct tile_value *tensor = op->operand_count ? op->operand[0] : NULL;

    for (uint32_t i = 1; i < op->operand_count; i++)
        if (op->operand[i]->type.tensor)
            w->parameters = w->all;
    if (!tensor || !tensor->type.tensor)
        return;
    uint32_t root = w->root[tensor->id];
    if (op->kind == TILE_SLICE)
        w->root[op->result[0]->id] = root;
    else if (!root)
        w->parameters = w->all;
    else if (is_prefetched(w, op) || !moves_elements(op))
        w->parameters |= UINT64_C(1) << (root - 1);
}

uint64_t tile_wide_parameters(const struct tile_kernel *kernel,
                              const struct tile_prefetch *prefetch)
{
    size_t values = kernel->value_count + 1;
    struct wide w = { .prefetch = prefetch,
                      .root = tile_take(kernel->module, values * sizeof(*w.root)) };

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (kernel->parameter[i].value->type.tensor)
            w.all |= UINT64_C(1) << i;
    if (!w.root)
        return w.all;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        w.root[kernel->parameter[i].value->id] = i + 1;
    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, note_wide, &w);
    return w.parameters;
}

// Returns the tensors that are known to be aligned, one bit per parameter.
static uint64_t aligned_parameters(const struct tile_emitter *e)
{
    return e->ring                           ? tile_aligned_parameters(e->ring->plan)
           : tile_asks_alignment(e->variant) ? 0
                                             : tile_wide_parameters(e->kernel, e->prefetch);
}

void tile_emit_parameters(struct tile_emitter *e)
{
    bool unit = e->variant != TILE_INDEX_64, asks = tile_asks_alignment(e->variant);
    uint64_t known = aligned_parameters(e);

    for (uint32_t i = 0; i < e->kernel->parameter_count; i++) {
        const struct tile_parameter *p = &e->kernel->parameter[i];
        const struct tile_type *type = &p->value->type;
        uint32_t at = e->parameter_at[i];
        if (!type->tensor) {
            tile_register *reg = tile_registers(e, p->value);
            if (reg)
                tile_emit_load(e, "", "param", type->dtype, reg, 1, TILE_NO_REGISTER, at,
                               TILE_NO_REGISTER);
            tile_prepare_divisor(e, p->value);
            continue;
        }
        struct tile_emit_view *view = &e->view[p->value->id];
        view->rank = type->rank;
        view->dtype = type->dtype;
        bool aligned = known >> i & 1;
        view->aligned = aligned ? tile_vector_bytes(p) : tile_bytes_of(type->dtype);
        view->asks = aligned || !asks ? 0 : i + 1;
        view->base = tile_make(e, TILE_R64, "ld.param.u64 %R, [args+%u]", at);
        view->base = tile_make(e, TILE_R64, "cvta.to.global.u64 %R, %R", view->base);
        for (uint32_t axis = 0; axis < type->rank; axis++) {
            const struct tile_extent *extent = &p->extent[axis];
            if (extent->kind == TILE_EXTENT_STATIC)
                view->extent[axis].value = extent->value;
            else
                view->extent[axis].reg =
                    tile_make(e, TILE_R64, "ld.param.u64 %R, [args+%u]", at + 8 + 8 * axis);
            if (unit && axis + 1u == type->rank)
                view->stride[axis].value = 1;
            else
                view->stride[axis].reg = tile_make(e, TILE_R64, "ld.param.u64 %R, [args+%u]",
                                                   at + 8 + 8 * type->rank + 8 * axis);
        }
    }
}

static tile_register clamped(struct tile_emitter *e, tile_register x, tile_register most)
{
    tile_register up = tile_make(e, TILE_R64, "max.s64 %R, %R, 0", x);

    return tile_make(e, TILE_R64, "min.s64 %R, %R, %R", up, most);
}

static bool emit_slice(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_emit_view view = e->view[op->operand[0]->id];
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0), bytes = tile_bytes_of(view.dtype);
    tile_register extent = tile_size_register(e, &view.extent[axis]), end[2];

    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_value *value = op->operand[1 + i];
        tile_register x =
            tile_emit_cast(e, CUC_I64, value->type.dtype, TILE_RN, tile_registers(e, value)[0]);
        end[i] = clamped(e, x, extent);
    }
    tile_register length = tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", end[1], end[0]);
    view.extent[axis].reg = tile_make(e, TILE_R64, "max.s64 %R, %R, 0", length);
    view.base = tile_move_along(e, view.base, end[0], &view.stride[axis], bytes);
    if (axis + 1 == view.rank) // the slice may start anywhere along the last axis
        view.aligned = bytes, view.asks = 0;
    e->view[op->result[0]->id] = view;
    return !e->failed;
}

bool tile_emit_index(struct tile_emitter *e, const struct tile_op *op)
{
    int64_t index = tile_int(op, TILE_ATTR_INDEX, 0);
    tile_register *out;

    if (op->kind == TILE_SLICE)
        return emit_slice(e, op);
    out = tile_take(e->module, sizeof(*out));
    if (!out)
        return false;
    e->value[op->result[0]->id] = out;
    if (op->kind == TILE_BLOCK || op->kind == TILE_NUM_BLOCKS) {
        *out = op->kind == TILE_BLOCK ? e->block[index] : e->blocks[index];
        return true;
    }
    if (op->kind == TILE_CLUSTER_RANK || op->kind == TILE_CLUSTER_SIZE) {
        tile_register number = tile_make(e, TILE_R32,
                                         op->kind == TILE_CLUSTER_RANK
                                             ? "mov.u32 %R, %%cluster_ctarank"
                                             : "mov.u32 %R, %%cluster_nctaid.x");
        *out = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", number);
        return true;
    }
    if (op->kind == TILE_WARP) { // the shuffle makes the value uniform for ptxas
        tile_register warp =
            tile_make(e, TILE_R32, "shfl.sync.idx.b32 %R, %R, 0, 0x1f, 0xffffffff", e->warp);
        *out = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", warp);
        return true;
    }
    const struct tile_emit_view *view;
    int64_t axis = tile_int(op, TILE_ATTR_AXIS, 0);
    if (op->kind == TILE_DIMENSION) {
        const struct tile_dimension *d = &e->kernel->dimension[index];
        view = &e->view[e->kernel->parameter[d->parameter].value->id];
        axis = d->axis;
    } else {
        view = &e->view[op->operand[0]->id];
    }
    *out =
        tile_size_register(e, op->kind == TILE_STRIDE ? &view->stride[axis] : &view->extent[axis]);
    return true;
}

// Before sm_90, a grid starts only after the preceding one has ended, so these ops emit nothing.
bool tile_emit_grid(struct tile_emitter *e, const struct tile_op *op)
{
    if (tile_has(e->target, TILE_HAS_GRID_CONTROL))
        tile_ins(e, op->kind == TILE_GRID_WAIT ? "griddepcontrol.wait"
                                               : "griddepcontrol.launch_dependents");
    return true;
}
