// Plans the Hopper pipeline of a loop whose iterations each compute a part of a matrix product: the
// roles of warpgroups, the operands' places in shared memory, and the number of stages.
//
// The last warpgroup is the producer. It runs the loop's loads and the arithmetic of their indices,
// usually in only one thread. The consumer warpgroups multiply and do everything else. The two
// roles communicate only through stages and barriers.
#include "gather.h"
#include "range_analysis.h"

#include "tile/ir/words.h"
#include "tile/layout/wgmma.h"

#include <string.h>

enum {
    MOST_BOX = 256,          // elements per copy along one axis
    MOST_COLUMNS = 256,      // columns of one wgmma
    MOST_ACCUMULATORS = 192, // registers per thread
    MOST_OF_THREE = 96,      // registers per thread of three warpgroups
    MOST_PROMOTED = 128,     // registers per thread, if partial sums are promoted
    MOST_REALIGNED = 160,    // registers per thread, if threads copy the operands
    STEP_BYTES = 32,         // bytes of one wgmma along the depth axis
    STAGE_ALIGN = 1024,
    SLAB_ROWS = 64,        // rows of a stored slab
    MULTIPROCESSORS = 132, // multiprocessors that share one L2 cache
};

const struct tile_wgmma *tile_wgmma_of(cuc_dtype operand)
{
    static const struct tile_wgmma rows[] = {
        { CUC_F16, CUC_F32, "f16", true, false, true },
        { CUC_BF16, CUC_F32, "bf16", true, false, true },
        { CUC_TF32, CUC_F32, "tf32", false, false, true },
        // Used only if the product allows tf32 precision.
        { CUC_F32, CUC_F32, "tf32", false, false, true },
        { CUC_E4M3, CUC_F32, "e4m3", false, true, true },
        { CUC_E5M2, CUC_F32, "e5m2", false, true, true },
        { CUC_I8, CUC_I32, "s8", false, false, false },
        { CUC_U8, CUC_I32, "u8", false, false, false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].operand == operand)
            return &rows[i];
    return NULL;
}

// ---- Operands

static uint32_t rounded(uint32_t bytes)
{
    return (bytes + STAGE_ALIGN - 1) & ~(uint32_t)(STAGE_ALIGN - 1);
}

// Returns the widest swizzle span that divides an operand's rows of `bytes` bytes, or 0.
static uint32_t span_of(uint32_t bytes)
{
    for (uint32_t span = 128; span >= 32; span /= 2)
        if (bytes % span == 0)
            return span;
    return 0;
}

uint32_t tile_swizzle_of(uint32_t span)
{
    return span == 128 ? 3 : span == 64 ? 2 : 1; // the tensor map's encoding
}

// Returns the number of rows in a loaded box, over all axes but the last. Sets *axis to the only
// axis with several elements, or to UINT32_MAX.
static uint32_t rows_of(const struct tile_attribute *shape, uint32_t last, uint32_t *axis)
{
    uint64_t rows = 1, tall = 0;

    for (uint32_t i = 0; i < last; i++) {
        if (shape->ints[i] > 1 || (!tall && i + 1 == last))
            *axis = tall++ ? UINT32_MAX : i;
        rows *= (uint64_t)shape->ints[i];
    }
    return rows > MOST_BOX ? UINT32_MAX : (uint32_t)rows;
}

// Returns the range of an access's index along an axis.
static struct tile_range index_range(struct tile_pipeline *p, const struct tile_op *access,
                                     uint32_t axis)
{
    if (!p->ranges)
        p->ranges = tile_analyze_ranges(p->kernel, 0, false);
    return tile_range_of(p->ranges, access->operand[1 + axis]);
}

bool tile_starts_aligned(struct tile_pipeline *p, const struct tile_op *access, uint32_t element)
{
    enum { PIECE = 16 };
    uint32_t last = tile_attribute(access, TILE_ATTR_SHAPE)->count - 1u;

    if (access->kind == TILE_LOAD || access->kind == TILE_STORE)
        return true; // a multiple of the tile's extent
    return index_range(p, access, last).divisor % (PIECE / element) == 0;
}

// True if a loaded tile may begin before its tensor along an axis and reach into it. Threads that
// copy rows do not support this.
static bool straddles_start(struct tile_pipeline *p, const struct tile_op *load)
{
    for (uint32_t i = 0; i < tile_attribute(load, TILE_ATTR_SHAPE)->count; i++)
        if (load->kind == TILE_LOAD_AT && index_range(p, load, i).low < 0)
            return true;
    return false;
}

const char tile_depth_not_last[] =
    "operands of this dtype must have the summed axis last in memory";

const char *tile_plan_lines(struct tile_pipeline *p, struct tile_stream *s, uint32_t line)
{
    // If the depth axis is not the contiguous one, the operand's last slab may extend past the part
    // in use.
    s->span = s->mn_major && line > 128 && !p->fused ? 128 : span_of(line);
    if (!s->span || s->rows % 8 || s->rows > MOST_BOX)
        return "an operand's lines are no multiple of 32 bytes, or its rows no multiple of 8 up to "
               "256";
    s->slabs = (line + s->span - 1) / s->span;
    s->bytes = rounded(s->span * s->rows * s->slabs);
    return NULL;
}

static const char *plan_gathered(struct tile_pipeline *p, struct tile_stream *s)
{
    const struct tile_type *box = &s->load->result[0]->type;
    int64_t rows = tile_elements(box) / box->extent[box->rank - 1];

    if (p->realigned)
        return "an operand's rows are gathered";
    // Warpgroups read f32 from a fused loop's ring only for computation.
    if (box->dtype == CUC_TF32 && p->fused)
        return "gathered operands of tf32 are not rounded in a loop that does other work";
    if (s->mn_major && !tile_wgmma_of(box->dtype)->either_major)
        return tile_depth_not_last;
    if (!tile_gather_starts_aligned(p, s))
        return "a gathered operand's lines start at no known multiple of 16 bytes";
    s->rows = rows > MOST_BOX ? UINT32_MAX : (uint32_t)rows;
    const char *why = tile_plan_lines(p, s, (uint32_t)box->extent[box->rank - 1] * s->element);
    if (s->by_threads)
        p->gathered |= UINT64_C(1) << tile_streamed_tensor(s)->index;
    if (why || s->by_threads)
        return why;
    s->map = p->maps++;
    struct tile_tensor_map *map = &p->map[s->map];
    map->parameter = s->load->operand[0]->index;
    map->swizzle = tile_swizzle_of(s->span);
    map->rounds = !p->fused && tile_rounds_to_tf32(s);
    map->box[0] = s->span / s->element;
    for (uint32_t i = 0; i < s->last; i++) {
        map->box[s->last - i] = (uint32_t)(s->gather->extent[i] * s->gather->step[i]);
        map->step[s->last - i] = (uint8_t)s->gather->step[i];
    }
    return NULL;
}

const char *tile_plan_stream(struct tile_pipeline *p, struct tile_stream *s)
{
    if (s->gather)
        return plan_gathered(p, s);
    const struct tile_value *tensor = tile_streamed_tensor(s);
    const struct tile_attribute *shape = tile_attribute(s->load, TILE_ATTR_SHAPE);
    cuc_dtype dtype = s->load->result[0]->type.dtype;

    if (tensor->op || tensor->type.rank > TILE_MAP_RANK)
        return "an operand is of a slice, or of more than 5 axes";
    if (!tile_starts_aligned(p, s->load, s->element))
        return "an operand's lines start at no known multiple of 16 bytes";
    if (s->mn_major && !tile_wgmma_of(dtype)->either_major)
        return tile_depth_not_last;
    s->rows = rows_of(shape, s->last, &s->other);
    const char *why = tile_plan_lines(p, s, (uint32_t)shape->ints[s->last] * s->element);
    if (why)
        return why;
    s->map = p->maps++;
    struct tile_tensor_map *map = &p->map[s->map];
    map->parameter = tensor->index;
    map->swizzle = tile_swizzle_of(s->span);
    map->rounds = tile_rounds_to_tf32(s);
    for (uint32_t i = 0; i < shape->count; i++)
        map->box[shape->count - 1 - i] = i == s->last ? s->span / s->element
                                                      : (uint32_t)shape->ints[i];
    return NULL;
}

// Plans the operands of an added product of a region. They share the first product's places in the
// stages.
static const char *plan_added(struct tile_pipeline *p, struct tile_added_product *product)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct tile_stream *s = &product->stream[i];
        if (p->maps == TILE_MAX_MAPS && !s->by_threads)
            return "operands need more than 6 tensor maps, one for each tensor and shape";
        const char *why = tile_plan_stream(p, s);
        if (why)
            return why;
        if (s->mn_major != p->stream[i].mn_major || s->rows != p->stream[i].rows ||
            s->span != p->stream[i].span || s->slabs != p->stream[i].slabs)
            return "products have operands in different orders in memory";
        for (uint32_t n = 0; !s->by_threads && n + 1 < p->maps; n++)
            if (!memcmp(&p->map[n], &p->map[s->map], sizeof(p->map[n]))) {
                p->maps--;
                s->map = n;
                break; // more maps may be equal to this one
            }
        memset(&p->map[p->maps], 0, sizeof(p->map[0]) * (p->maps < TILE_MAX_MAPS));
    }
    return NULL;
}

// Finds the loop or region. Exchanges the operands of a loop's product if the accumulator's number
// of columns suits wgmma and its number of rows does not.
static const char *find_loop(struct tile_kernel *kernel, struct tile_pipeline *p)
{
    bool realigned = p->realigned;
    const char *why = tile_find_loop(kernel, p);
    const struct tile_type *acc = why ? NULL : &p->mma->result[0]->type;

    if (why && *why && !realigned) {
        struct tile_pipeline region = { .loop = NULL };
        const char *no_region = tile_find_region(kernel, &region);
        if (no_region)
            return region.products > 1 || why == tile_not_in_loop ? no_region : why;
        *p = region;
        p->stream[0] = p->product[0].stream[0];
        p->stream[1] = p->product[0].stream[1];
        return NULL;
    }

    if (why || !tile_exchanges(acc->extent[0], acc->extent[1]))
        return why;
    if (!tile_swap_product(kernel, p))
        return "its operands cannot be exchanged";
    *p = (struct tile_pipeline){ .swapped = true, .realigned = realigned };
    return tile_find_loop(kernel, p);
}

// True if a value depends only on launch arguments, and hence is the same in all tiles.
static bool is_uniform(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (!op)
        return !value->type.rank;
    if (op->kind == TILE_DIMENSION || op->kind == TILE_DIM)
        return true;
    if (op->kind == TILE_BLOCK || !(tile_op_infos[op->kind].traits & TILE_PURE) || op->block_count)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_uniform(op->operand[i]))
            return false;
    return true;
}

static bool has_even_iterations(const struct tile_pipeline *p)
{
    return is_uniform(p->loop->operand[0]) && is_uniform(p->loop->operand[1]);
}

// True if two warpgroups can work on separate tiles, which the user requests with 4 warps: one
// finishes its tile while the other multiplies. Each must know how many iterations the other's tile
// takes, or must be told the stage at which that tile ended.
static bool can_ping_pong(const struct tile_pipeline *p, const struct tile_target *target)
{
    const struct tile_op *by = p->first ? NULL : p->loop->operand[2]->op;
    const int32_t *extent = p->mma->result[0]->type.extent;
    int32_t most = p->promotes ? MOST_PROMOTED : MOST_ACCUMULATORS;

    return !p->first && !tile_threads_copy(p) && target->warps == TILE_GROUP_THREADS / 32 &&
           target->split <= 1 && extent[0] <= 128 &&
           extent[0] * extent[1] / TILE_GROUP_THREADS <= most && by && by->kind == TILE_CONSTANT &&
           tile_int(by, TILE_ATTR_VALUE, 0) == 1 && (p->before || has_even_iterations(p));
}

static const char *plan_product(struct tile_pipeline *p, const struct tile_target *target)
{
    const struct tile_type *acc = &p->mma->result[0]->type;
    cuc_dtype x = p->mma->operand[0]->type.dtype;
    const struct tile_wgmma *how = tile_wgmma_of(x);

    if (!how || how->accumulator != acc->dtype)
        return "wgmma does not support its dtypes";
    if (x == CUC_F32 && tile_int(p->mma, TILE_ATTR_PRECISION, TILE_IEEE) != TILE_TF32)
        return "its operands are f32, and its precision is not tf32";
    p->promotes = how->promotes && !tile_int(p->mma, TILE_ATTR_FAST_ACC, 0);
    bool three = acc->extent[0] == TILE_ROWS_OF_THREE && !p->first;
    if (!three && !tile_has_wgmma_rows(acc->extent[0])) // only a single loop's product is exchanged
        return p->first ? "its rows are not 64, 128 or 256; columns count instead only in a single "
                          "for loop"
                        : "its rows are not 64, 128 or 256, nor are its columns";
    p->columns = (uint32_t)acc->extent[1];
    p->depth = (uint32_t)p->mma->operand[0]->type.extent[1];
    p->teams = can_ping_pong(p, target) ? 2 : 1;
    p->groups = three ? 3 : acc->extent[0] > 64 && p->teams == 1 ? 2 : 1;
    p->even = p->teams == 1 && !p->before && !p->first && has_even_iterations(p);
    p->blocks = (uint32_t)acc->extent[0] / 64 / p->groups;
    if (p->columns % 8 || p->columns > MOST_COLUMNS)
        return "its columns are not a multiple of 8, or more than 256";
    if (!how->signs && p->columns > 32 && p->columns % 16)
        return "its columns are not a multiple of 16, which integers require";
    if (p->columns / 2 * p->blocks > (three         ? MOST_OF_THREE
                                      : p->promotes ? MOST_PROMOTED
                                                    : MOST_ACCUMULATORS))
        return "its accumulators do not fit in registers";
    if (three && (p->promotes || tile_threads_copy(p)))
        return "its accumulators leave no registers for threads that copy";
    if (tile_threads_copy(p) && p->groups > 1 && p->columns / 2 * p->blocks > MOST_REALIGNED)
        return "its accumulators leave no registers for threads that copy";
    if (p->promotes && p->columns > TILE_PART_COLUMNS && p->columns % 16)
        return "its columns are more than 128, and no multiple of 16";
    if (p->depth * tile_bytes_of(x) % STEP_BYTES)
        return "its stages are not a multiple of 32 bytes deep";
    return NULL;
}

// ---- Clusters

bool tile_differs_by_block(const struct tile_value *value, uint32_t axis)
{
    const struct tile_op *op = value->op;

    if (!op)
        return false; // a parameter, or the loop variable
    if (op->kind == TILE_BLOCK)
        return tile_int(op, TILE_ATTR_INDEX, 0) == axis;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (tile_differs_by_block(op->operand[i], axis))
            return true;
    return false;
}

uint32_t tile_shared_rows(const struct tile_stream *s)
{
    enum { UNIT = 8 }; // rows of a swizzled block

    return s->sharers > 1 ? (s->rows + UNIT * s->sharers - 1) / (UNIT * s->sharers) * UNIT
                          : s->rows;
}

// Returns true if an operand's tiles differ between neighbors along an axis of the grid.
static bool loads_differ(const struct tile_stream *s, uint32_t axis)
{
    bool apart = s->gather;

    for (uint32_t i = 0; !apart && i < tile_attribute(s->load, TILE_ATTR_SHAPE)->count; i++)
        apart = tile_differs_by_block(s->load->operand[1 + i], axis);
    return apart;
}

// Divides the loads of each operand among the blocks of a cluster that use the same tiles of it.
// Each of them then loads one part for all. Returns false unless neighbors along each axis of the
// cluster share exactly one operand.
static bool share_loads(struct tile_pipeline *p, uint32_t blocks)
{
    uint32_t across = tile_cluster_across(blocks);

    for (uint32_t axis = 0; axis < (across > 1 ? 2 : 1); axis++) {
        uint32_t sharers = axis ? across : blocks / across, sharing = 0;
        for (uint32_t i = 0; i < 3; i++)
            if (tile_differs_by_block(p->loop->operand[i], axis))
                return false;
        for (uint32_t which = 0; which < 2; which++) {
            struct tile_stream *s = &p->stream[which];
            if (loads_differ(s, axis) || s->other == UINT32_MAX || s->rows < 8 * sharers)
                continue;
            if (s->sharers > 1) // along the other axis too
                return false;
            s->sharers = sharers;
            s->across = axis;
            sharing++;
        }
        if (sharing != 1)
            return false;
    }
    return true;
}

// Plans clusters. If blocks that are neighbors along both axes of the grid cannot share loads,
// those along the first axis may.
static void plan_cluster(struct tile_pipeline *p, const struct tile_kernel *kernel, uint32_t blocks)
{
    enum { MOST_ALONG = 4 };

    p->cluster = p->across = 1;
    if (blocks > MOST_ALONG && kernel->keeps_order)
        blocks = MOST_ALONG;
    for (; blocks > 1 && !p->first; blocks = blocks > MOST_ALONG ? MOST_ALONG : 1) {
        p->stream[0].sharers = p->stream[1].sharers = 1;
        if (share_loads(p, blocks)) {
            p->cluster = blocks;
            p->across = tile_cluster_across(blocks);
            break;
        }
    }
    for (uint32_t which = 0; which < 2; which++) {
        struct tile_stream *s = &p->stream[which];
        if (p->cluster == 1)
            s->sharers = 1;
        for (uint32_t i = 1; i < TILE_MAP_RANK && s->sharers > 1; i++)
            if (p->map[s->map].box[i] == s->rows) {
                p->map[s->map].box[i] = tile_shared_rows(s);
                break;
            }
    }
}

// ---- Split loops

// Sets the number of rows of accumulators that one store writes.
static void set_store_rows(struct tile_pipeline *p, uint32_t from, uint32_t to)
{
    const uint32_t maps[] = { p->store_map, p->tail_map };

    for (uint32_t n = 0; n < (p->tail ? 2u : 1u); n++) {
        struct tile_tensor_map *map = &p->map[maps[n]];
        if (p->turned) {
            tile_set_turned_rows(map, to);
            continue;
        }
        for (uint32_t i = 1; i < TILE_MAP_RANK; i++)
            if (map->box[i] == from)
                map->box[i] = to;
    }
}

void tile_finish_in_one_block(struct tile_pipeline *p)
{
    p->apart = false;
    set_store_rows(p, 16, 64);
}

// Plans a split loop. The blocks of a cluster share one tile, and exchange their partial sums
// through the stages.
static void plan_split(struct tile_pipeline *p, uint32_t parts)
{
    uint32_t bytes = p->groups * p->blocks * p->columns * 64 * 4;

    p->may_split = !p->before && !p->first && p->from_zero && bytes <= p->stages * p->stage_bytes;
    p->split = p->may_split && parts > 1 ? parts : 1;
    p->apart = p->split > 1 && p->store && p->store_step == SLAB_ROWS;
    if (p->apart)
        set_store_rows(p, 64, 16);
}

// ---- Stores

bool tile_slab_box(const struct tile_op *access, uint32_t line, uint32_t *box, uint32_t *axis,
                   uint32_t *step)
{
    const struct tile_attribute *shape = tile_attribute(access, TILE_ATTR_SHAPE);
    uint32_t last = shape->count - 1u, left = SLAB_ROWS;

    *axis = UINT32_MAX;

    bool follows = false; // the next 64 rows continue along `*axis`
    box[0] = line;
    for (uint32_t i = last; i-- > 0;) {
        uint32_t extent = (uint32_t)shape->ints[i], take = extent < left ? extent : left;
        if (left % take || extent % take || (follows && extent > 1))
            return false;
        box[last - i] = take;
        left /= take;
        if (left > 1 || (extent == 1 && *axis != UINT32_MAX))
            continue;
        *axis = i;
        *step = take;
        follows = extent > take;
    }
    return left == 1;
}

uint32_t tile_plan_slab_map(struct tile_pipeline *p, const struct tile_op *access, uint32_t line)
{
    const struct tile_value *x = access->result_count ? access->result[0]
                                                      : access->operand[access->operand_count - 1];
    uint32_t axis, step;
    struct tile_tensor_map *map = &p->map[p->maps];
    const struct tile_op *slice = access->operand[0]->op;

    map->parameter = (slice ? slice->operand[0] : access->operand[0])->index;
    map->swizzle = tile_swizzle_of(TILE_SLAB_LINE);
    (void)tile_slab_box(access, line / tile_bytes_of(x->type.dtype), map->box, &axis, &step);
    map->optional = step == SLAB_ROWS; // threads can replace TMA only for whole slabs of rows
    if ((map->ends = slice))
        map->box[2] = 1;
    return p->maps++;
}

// True for a stored tile that is the product's result, possibly with its rows divided among several
// axes.
static bool is_matrix_of(const struct tile_type *stored, const struct tile_type *matrix)
{
    return stored->rank >= 2 && stored->extent[stored->rank - 1] == matrix->extent[1] &&
           tile_elements(stored) == tile_elements(matrix);
}

// True for the dtypes that warpgroups can write to slabs.
static bool fills_slabs(cuc_dtype dtype)
{
    static const cuc_dtype known[] = { CUC_F16,  CUC_BF16, CUC_F32, CUC_I32,
                                       CUC_E4M3, CUC_E5M2, CUC_I8,  CUC_U8 };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i] == dtype)
            return true;
    return false;
}

// Returns the last access after the loop if it is a store, so that nothing waits for it. Only other
// stores and reductions may precede it.
static const struct tile_op *last_store(const struct tile_pipeline *p)
{
    const struct tile_op *last = NULL;

    for (const struct tile_op *op = p->loop->next; op; op = op->next) {
        bool stores = op->kind == TILE_STORE || op->kind == TILE_STORE_AT;
        uint32_t traits = tile_op_infos[op->kind].traits;
        if (op->kind == TILE_RETURN)
            continue;
        // An op with blocks may have any effect, and may even skip to the next tile.
        if (traits & TILE_WRITES && !stores && op->kind != TILE_STORE_REDUCE && !op->block_count)
            return NULL;
        if (op->block_count || traits & (TILE_READS | TILE_WRITES))
            last = stores ? op : NULL;
    }
    return last;
}

// Plans a TMA store, which must keep the accumulators' layout. The launch checks that other stores
// go to different memory (select.c).
static void plan_store(struct tile_pipeline *p)
{
    const struct tile_op *store = last_store(p);

    if (!store || tile_int(store, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK ||
        p->maps == TILE_MAX_MAPS)
        return;
    const struct tile_op *slice = store->operand[0]->op;
    const struct tile_value *tensor = slice ? slice->operand[0] : store->operand[0],
                            *x = store->operand[store->operand_count - 1];
    const struct tile_attribute *shape = tile_attribute(store, TILE_ATTR_SHAPE);
    uint32_t element = tile_bytes_of(x->type.dtype), last = shape->count - 1u;
    int64_t dropped = tile_int(store, TILE_ATTR_DROPPED, 0);
    uint32_t box[TILE_MAP_RANK];
    if (p->swapped && tile_plan_turned_store(p, store))
        return;
    if (tensor->op || tensor->type.rank > TILE_MAP_RANK || dropped >> last & 1 ||
        !tile_starts_aligned(p, store, element) ||
        !tile_slab_box(store, 1, box, &p->store_axis, &p->store_step))
        return;
    // A tile may begin below zero. TMA cannot store it then, and threads can store only whole slabs
    // of rows.
    if (store->kind == TILE_STORE_AT && (slice || p->store_step != SLAB_ROWS))
        return;
    if (slice && (slice->kind != TILE_SLICE || tile_int(slice, TILE_ATTR_AXIS, 0) ||
                  tensor->type.rank != 2)) // the rows of a matrix must end where the slice ends
        return;
    if (!is_matrix_of(&x->type, &p->mma->result[0]->type))
        return;
    // Threads store narrow tiles, which do not fill a slab's rows.
    uint32_t line = (uint32_t)p->mma->result[0]->type.extent[1] * element;
    uint32_t tail = line % TILE_SLAB_LINE;
    if (!fills_slabs(x->type.dtype) || line < TILE_SLAB_LINE || tail % 16 ||
        (tail && p->maps + 1 == TILE_MAX_MAPS))
        return;
    p->store = store;
    p->store_map = tile_plan_slab_map(p, store, TILE_SLAB_LINE);
    p->tail = tail;
    if (tail)
        p->tail_map = tile_plan_slab_map(p, store, tail);
}

// True for a load of a tile like the stored one, which TMA could move.
static bool can_be_side(struct tile_pipeline *p, const struct tile_op *op,
                        const struct tile_type *stored)
{
    if (op->kind != TILE_LOAD || cuc_dtype_bits(stored->dtype) < 16 ||
        !tile_shape_same(&op->result[0]->type, stored) || stored->rank != 2 ||
        cuc_dtype_bits(op->result[0]->type.dtype) != cuc_dtype_bits(stored->dtype) ||
        !tile_can_stream(p, op))
        return false;
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    return !op->operand[0]->op && shape->count <= TILE_MAP_RANK &&
           !(dropped >> (shape->count - 1) & 1);
}

// Finds a load after the loop whose tile matches the stored one. Takes at most one load, and none
// if some blocks of a cluster skip the epilogue or if the other team owns the ring by then.
static void plan_side(struct tile_pipeline *p, const struct tile_target *target)
{
    const struct tile_type *stored =
        p->store ? &p->store->operand[p->store->operand_count - 1]->type : NULL;

    if (!stored || tile_threads_copy(p))
        return;
    for (const struct tile_op *op = p->loop->next; op && op != p->store; op = op->next) {
        if (op->block_count) // the op may skip to the next tile
            return;
        if (tile_op_infos[op->kind].traits & TILE_WRITES) // a later load may read what it wrote
            return;
        if (!can_be_side(p, op, stored))
            continue;
        p->left_side = op;
        p->why_left = p->teams > 1        ? "two warpgroups take turns (warps=4)"
                      : p->cluster > 1    ? "blocks share loads (cluster)"
                      : target->split > 1 ? "several blocks share the product (split)"
                      : p->before         ? "the tile is chosen by code before the loop"
                      : p->tail || p->turned || p->maps == TILE_MAX_MAPS
                          ? "the output's rows are not multiples of 128 bytes, or it is transposed"
                          : NULL;
        if (p->why_left)
            return;
        p->side = op;
        p->side_map = tile_plan_slab_map(p, op, TILE_SLAB_LINE);
        return;
    }
}

uint32_t tile_staging_bytes(const struct tile_pipeline *p)
{
    return p->buffers * TILE_SLAB_BYTES;
}

// ---- The grid

// Chooses the raster, so that concurrent tiles form a rectangle as nearly square as possible. Among
// rectangles with the same number of tiles, a square one reads the least.
static uint32_t choose_raster(const struct tile_kernel *kernel, const struct tile_pipeline *p,
                              const struct tile_target *target)
{
    enum { WHOLE = 1 << 15 }; // all tiles along the first axis, in the grid's order
    uint32_t rows = p->groups * p->blocks * 64, columns = p->columns, side = 1;

    if (kernel->keeps_order)
        return WHOLE;
    if (target->raster)
        return target->raster;
    if (p->swapped) {
        columns = rows;
        rows = p->columns;
    }
    while ((side + 1) * (side + 1) * rows <= MULTIPROCESSORS * columns)
        side++;
    return side;
}

// ---- The whole plan

// Plans the slabs of a store. The warpgroup stores one or two slabs at a time, between one pair of
// barriers: all of them if there are at most two, pairs if their number is even, otherwise one.
void tile_plan_slabs(struct tile_pipeline *p)
{
    enum { FEW = 2 };
    const struct tile_value *x = p->store->operand[p->store->operand_count - 1];
    uint32_t line = (uint32_t)x->type.extent[x->type.rank - 1] * tile_bytes_of(x->type.dtype);

    p->slabs = (p->turned ? tile_turned_slabs(p) : (line + TILE_SLAB_LINE - 1) / TILE_SLAB_LINE) *
               p->blocks;
    p->together = p->slabs <= FEW ? p->slabs : p->slabs % FEW ? 1 : FEW;
    p->buffers = p->together > 1 || p->slabs < FEW ? p->together : FEW;
}

uint32_t tile_save_slabs(struct tile_pipeline *p, uint32_t rest)
{
    enum { ENOUGH = 3 };
    uint32_t saved = tile_all_groups(p) * (tile_staging_bytes(p) - TILE_SLAB_BYTES);

    if (rest >= ENOUGH * p->stage_bytes || rest + saved < ENOUGH * p->stage_bytes)
        return 0;
    p->together = p->buffers = 1;
    return saved;
}

static const char *plan_shared(struct tile_pipeline *p, const struct tile_target *target)
{
    uint32_t rest = target->shared_limit - TILE_RING_AT;

    if (p->store)
        tile_plan_slabs(p);
    p->stream[1].at = p->stream[0].bytes;
    p->stage_bytes = p->stream[0].bytes + p->stream[1].bytes;
    if (p->side && p->groups * p->together * TILE_SLAB_BYTES > p->stage_bytes)
        return "a stage is smaller than its parts: a larger BK makes room";
    if (p->store)
        rest -= tile_all_groups(p) * tile_staging_bytes(p);
    if (p->realigned) {
        p->buffer_bytes =
            rounded(tile_rounds_of(&p->stream[0]).buffer + tile_rounds_of(&p->stream[1]).buffer);
        if (p->buffer_bytes > rest)
            return "two stages of it do not fit in shared memory";
        rest -= p->buffer_bytes;
        if (p->store)
            rest += tile_save_slabs(p, rest);
    }
    p->stages = rest / p->stage_bytes;
    if (p->stages > TILE_MOST_STAGES)
        p->stages = TILE_MOST_STAGES;
    if (target->stages && p->stages > target->stages)
        p->stages = target->stages;
    return p->stages < 2 ? "two stages of it do not fit in shared memory" : NULL;
}

struct tile_pipeline *tile_plan_pipeline(struct tile_kernel *kernel,
                                         const struct tile_target *target, bool realigned,
                                         const char **why)
{
    struct tile_layout *layout = tile_take(kernel->module, sizeof(*layout));
    struct tile_pipeline *p = tile_take(kernel->module, sizeof(*p));

    *why = "";
    if (!p || !layout || !tile_has_pipelines(target))
        return NULL;
    p->realigned = realigned;
    *why = find_loop(kernel, p);
    if (!*why)
        *why = plan_product(p, target);
    for (uint32_t i = 0; i < 2 && !*why; i++)
        *why = tile_plan_stream(p, &p->stream[i]);
    if (!*why && realigned &&
        (p->stream[0].other == UINT32_MAX || p->stream[1].other == UINT32_MAX))
        *why = "an operand is a box of several axes";
    for (uint32_t i = 0; i < 2 && !*why && realigned; i++)
        if (straddles_start(p, p->stream[i].load))
            *why = "an operand's tile may begin before its tensor";
    for (uint32_t i = 0; i < p->products && !*why; i++)
        *why = plan_added(p, &p->product[i]);
    if (*why)
        return NULL;
    uint32_t warp_bits = p->groups > 2 ? 4 : p->groups > 1 ? 3 : 2;
    // Blocks that look up their work may get different work, so they neither split a loop nor form
    // clusters.
    uint32_t split = p->before || p->first ? 1 : tile_product_split(target);
    plan_cluster(p, kernel, split > 1 || p->before || tile_threads_copy(p) ? 1 : target->cluster);
    if (realigned)
        p->maps = 0;
    plan_store(p);
    plan_side(p, target);
    *why = plan_shared(p, target);
    if (*why && p->side) {
        p->why_left = *why;
        p->side = NULL;
        p->maps--;
        *why = plan_shared(p, target);
    }
    if (!*why && !tile_layout_wgmma(layout, &p->mma->result[0]->type, warp_bits))
        *why = "its accumulators are not made of whole blocks";
    if (*why)
        return NULL;
    plan_split(p, split);
    p->raster = choose_raster(kernel, p, target);
    uint32_t along = p->cluster /
                     p->across; // round up, so that the tiles of a cluster are adjacent
    p->raster = (p->raster + along - 1) / along * (p->across > 1 ? 1 : along);
    p->mma->result[0]->layout = layout;
    if (p->turned && !tile_set_turned_layouts(kernel, p))
        return NULL;
    for (uint32_t i = 0; i < p->products; i++)
        p->product[i].mma->result[0]->layout = layout;
    return p;
}
