// TMA stores of matrix products whose operands are exchanged (swap.c). The accumulators hold the
// transposed tile: each of their columns is a row of the tensor, and 64 of their rows hold 64
// consecutive elements of each such row. A warpgroup transposes each block of 64 x 64 on its way to
// a slab (emit/turned.c).
#include "pipeline.h"

#include "tile/ir/layout.h"

enum { ROWS = 64 }; // rows of a block of accumulators; also the rows of a slab

static uint32_t lines_of(const struct tile_pipeline *p)
{
    return (uint32_t)p->mma->result[0]->type.extent[1];
}

uint32_t tile_turned_slabs(const struct tile_pipeline *p)
{
    return (lines_of(p) + ROWS - 1) / ROWS;
}

struct tile_layout tile_turned_layout(const struct tile_layout *accumulators)
{
    return tile_layout_permute(accumulators, (const int64_t[]){ 1, 0 });
}

static bool has_shape(const struct tile_type *type, int32_t rows, int32_t columns)
{
    return type->rank == 2 && type->extent[0] == rows && type->extent[1] == columns;
}

// True if no op from `first` on moves another tile of the stored shape. Threads would load it in
// the accumulators' layout, where a lane has no neighbors in memory.
static bool moves_nothing_else(const struct tile_op *first, const struct tile_op *store)
{
    const struct tile_type *stored = &store->operand[store->operand_count - 1]->type;

    for (const struct tile_op *op = first; op; op = op->next) {
        const struct tile_value *moved =
            op->result_count ? op->result[0]
                             : (op->operand_count ? op->operand[op->operand_count - 1] : NULL);
        if (op != store && moved && tile_op_infos[op->kind].traits & (TILE_READS | TILE_WRITES) &&
            has_shape(&moved->type, stored->extent[0], stored->extent[1]))
            return false;
        for (uint32_t i = 0; i < op->block_count; i++)
            if (!moves_nothing_else(op->block[i]->first, store))
                return false;
    }
    return true;
}

bool tile_is_turned(const struct tile_value *x)
{
    const struct tile_op *op = x->op;

    if (!op || op->kind == TILE_PERMUTE)
        return op != NULL;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (tile_op_infos[op->kind].traits & TILE_ELEMENTWISE &&
            tile_shape_same(&op->operand[i]->type, &x->type) && tile_is_turned(op->operand[i]))
            return true;
    return false;
}

static void set_layouts(struct tile_op *first, const struct tile_type *sums,
                        const struct tile_layout *layout, const struct tile_layout *turned)
{
    for (struct tile_op *op = first; op; op = op->next) {
        for (uint32_t i = 0; i < op->block_count; i++)
            set_layouts(op->block[i]->first, sums, layout, turned);
        if (op->kind != TILE_PERMUTE ||
            !has_shape(&op->operand[0]->type, sums->extent[0], sums->extent[1]) ||
            !has_shape(&op->result[0]->type, sums->extent[1], sums->extent[0]))
            continue;
        op->operand[0]->layout = layout;
        op->result[0]->layout = turned;
    }
}

bool tile_set_turned_layouts(struct tile_kernel *kernel, const struct tile_pipeline *p)
{
    const struct tile_value *sums = p->mma->result[0];
    struct tile_layout *turned = tile_take(kernel->module, sizeof(*turned));

    if (!turned)
        return false;
    *turned = tile_turned_layout(sums->layout);
    set_layouts(p->loop->next, &sums->type, sums->layout, turned);
    return true;
}

// Returns the axis of the store's shape along which rows follow one another, or UINT32_MAX if there
// is no single one.
static uint32_t axis_of_lines(const struct tile_attribute *shape)
{
    uint32_t axis = UINT32_MAX;

    for (uint32_t i = 0; i + 1 < shape->count; i++) {
        if (shape->ints[i] == 1)
            continue;
        if (axis != UINT32_MAX)
            return UINT32_MAX;
        axis = i;
    }
    return axis;
}

void tile_set_turned_rows(struct tile_tensor_map *map, uint32_t rows)
{
    map->box[0] = rows;
    map->swizzle = tile_swizzle_of(rows * TILE_TURNED_BYTES);
}

static uint32_t plan_map(struct tile_pipeline *p, const struct tile_op *store, uint32_t lines)
{
    struct tile_tensor_map *map = &p->map[p->maps];
    uint32_t last = tile_attribute(store, TILE_ATTR_SHAPE)->count - 1u;

    map->parameter = store->operand[0]->index;
    map->optional = true;
    for (uint32_t i = 1; i <= last; i++)
        map->box[i] = 1;
    tile_set_turned_rows(map, ROWS);
    map->box[last - p->store_axis] = lines;
    return p->maps++;
}

bool tile_plan_turned_store(struct tile_pipeline *p, const struct tile_op *store)
{
    const struct tile_value *tensor = store->operand[0],
                            *x = store->operand[store->operand_count - 1];
    const struct tile_type *sums = &p->mma->result[0]->type;
    const struct tile_attribute *shape = tile_attribute(store, TILE_ATTR_SHAPE);
    uint32_t tail = lines_of(p) % ROWS, axis = axis_of_lines(shape);

    if (lines_of(p) < ROWS)
        tail = 0;
    if (store->kind != TILE_STORE || tensor->op || tensor->type.rank > TILE_MAP_RANK ||
        tile_int(store, TILE_ATTR_DROPPED, 0) ||
        tile_bytes_of(x->type.dtype) != TILE_TURNED_BYTES ||
        !has_shape(&x->type, sums->extent[1], sums->extent[0]) || axis == UINT32_MAX ||
        p->maps + 1 + (tail != 0) > TILE_MAX_MAPS ||
        !tile_starts_aligned(p, store, tile_bytes_of(x->type.dtype)) ||
        !moves_nothing_else(p->loop->next, store))
        return false;
    p->turned = true;
    p->store = store;
    p->store_axis = axis;
    p->store_step = ROWS;
    p->store_map = plan_map(p, store, lines_of(p) < ROWS ? lines_of(p) : ROWS);
    p->tail = tail;
    if (tail)
        p->tail_map = plan_map(p, store, tail);
    return true;
}
