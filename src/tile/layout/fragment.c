// The accumulator layout of mma.sync. In a fragment of 16 rows and 8 columns, lane l holds rows l /
// 4 and l / 4 + 8, and columns 2 (l % 4) and 2 (l % 4) + 1. The warps divide the tile so that each
// warp's part is as square as possible. Registers hold the remaining rows, columns and batches. A
// tile smaller than a fragment is replicated.
#include "fragment.h"

#include "tile/ir/layout.h"

enum { ROW_BITS = 4, COLUMN_BITS = 3 };

static const struct tile_fragment fragments[] = {
    { CUC_F16, 0, 16, "f16", "f32" },
    { CUC_BF16, 0, 16, "bf16", "f32" },
    { CUC_TF32, 0, 8, "tf32", "f32" },
    { CUC_F32, 0, 8, "tf32", "f32" },
    { CUC_E4M3, TILE_HAS_MMA_FP8, 32, "e4m3", "f32" },
    { CUC_E5M2, TILE_HAS_MMA_FP8, 32, "e5m2", "f32" },
    { CUC_I8, 0, 32, "s8", "s32" },
    { CUC_U8, 0, 32, "u8", "s32" },
    { CUC_F64, 0, 4, "f64", "f64" },
};
enum { FRAGMENTS = sizeof(fragments) / sizeof(fragments[0]) };

static const struct tile_fragment *row_of(cuc_dtype operand)
{
    for (size_t i = 0; i < FRAGMENTS; i++)
        if (fragments[i].operand == operand)
            return &fragments[i];
    return NULL;
}

const char *tile_fragment_name(cuc_dtype operand)
{
    const struct tile_fragment *row = row_of(operand);

    return row ? row->name : "";
}

// Returns true if all batches fit in shared memory together. Only f64 needs this check, because f64
// products can also run without tensor cores.
static bool fits_shared(const struct tile_op *op, const struct tile_target *target)
{
    enum { STEP_BYTES = 32, LEAST_LINES = 16 };
    const struct tile_type *acc = &op->result[0]->type;
    int64_t lines = 0, batches = 1;

    for (uint32_t i = 0; i < acc->rank; i++)
        if (i + 2 < acc->rank)
            batches *= acc->extent[i];
        else
            lines += LEAST_LINES + (INT64_C(1) << tile_bits_of(acc->extent[i]));
    return batches * lines * STEP_BYTES <= (int64_t)target->shared_limit;
}

const char *tile_fragment_refusal(const struct tile_op *op, const struct tile_target *target)
{
    cuc_dtype x = op->operand[0]->type.dtype;
    const struct tile_fragment *row = row_of(x);

    if (x == CUC_F32 && tile_int(op, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_IEEE)
        return "f32 is exactly rounded where no precision=tf32 or tf32x3 is given";
    if (x == CUC_F64 && !fits_shared(op, target))
        return "its batches do not fit in shared memory at a time";
    return row && (!row->needs || tile_has(target, row->needs))
               ? ""
               : "the target's tensor cores have nothing for its dtype";
}

const struct tile_fragment *tile_fragment_of(const struct tile_op *op,
                                             const struct tile_target *target)
{
    return *tile_fragment_refusal(op, target) ? NULL : row_of(op->operand[0]->type.dtype);
}

bool tile_fragment_single(cuc_dtype operand, bool transposed)
{
    uint32_t bits = cuc_dtype_bits(operand);

    return bits == 64 || (bits == 32 && transposed);
}

// Pads rows against bank conflicts: ldmatrix reads 16 bytes of eight rows at a time, and
// single-element reads cover 32 bytes of four rows.
uint32_t tile_fragment_pitch(uint32_t bytes, bool single)
{
    uint32_t unit = single ? 32 : 16, pitch = (bytes + unit - 1) / unit * unit;

    return pitch / unit % 2 ? pitch : pitch + unit;
}

enum { ALL_BANKS = 128, PIECE_BYTES = 16 };

uint32_t tile_fragment_span(uint32_t bytes)
{
    return bytes <= PIECE_BYTES ? 0 : bytes < ALL_BANKS ? bytes : ALL_BANKS;
}

// XORs the row number into the piece number, so that eight consecutive rows use different banks.
// Two rows of 64 bytes share a flip but lie in different banks.
uint32_t tile_fragment_flip(uint32_t span, uint32_t line)
{
    return span ? line * span / ALL_BANKS % (span / PIECE_BYTES) * PIECE_BYTES : 0;
}

struct tile_layout tile_layout_fragment(const struct tile_type *type, uint32_t warp_bits, bool rows)
{
    struct tile_layout out = { .rank = type->rank, .warp_bits = (uint8_t)warp_bits };
    uint32_t m = type->rank - 2u, n = type->rank - 1u, bits = 0, warp = 0;
    uint32_t row, column, row_end, column_end, over;

    bool whole = true; // every batch extent is a power of two
    for (uint32_t i = 0; i < m; i++)
        whole &= !(type->extent[i] & (type->extent[i] - 1));
    for (uint32_t i = 0; i < type->rank; i++) {
        out.axis_bits[i] = (uint8_t)tile_bits_of(type->extent[i]);
        out.coordinate_bits = (uint8_t)(out.coordinate_bits + out.axis_bits[i]);
    }
    column_end = out.axis_bits[n];
    row_end = column_end + out.axis_bits[m];
    column = COLUMN_BITS < column_end ? COLUMN_BITS : column_end;
    row = column_end + ROW_BITS;
    over = row_end;
#define BIT(number, end) ((number) < (end) ? UINT32_C(1) << (number) : 0)
    // Give warps the highest bits, each time from the side with more elements left per warp. Take
    // batch bits last.
    uint32_t warps[TILE_MAX_WARP_BITS], rows_left = row < row_end ? row_end - row : 0,
                                        columns_left = column_end - column;
    uint32_t batches_left = out.coordinate_bits - row_end;
    for (; warp < warp_bits; warp++) {
        // A fragment has 16 rows and 8 columns, so a part is square if columns_left is rows_left +
        // 1.
        if (rows_left && (rows || rows_left + 1 >= columns_left))
            warps[warp] = UINT32_C(1) << (row + --rows_left);
        else if (columns_left)
            warps[warp] = UINT32_C(1) << (column + --columns_left);
        else if (batches_left && whole)
            warps[warp] = UINT32_C(1) << (over + --batches_left);
        else
            warps[warp] = 0; // replicated
    }
    out.basis[bits++] = BIT(0u, column_end);
    out.basis[bits++] = BIT(column_end + 3, row_end);
    for (uint32_t i = 0; i < columns_left; i++)
        out.basis[bits++] = UINT32_C(1) << (column + i);
    for (uint32_t i = 0; i < rows_left; i++)
        out.basis[bits++] = UINT32_C(1) << (row + i);
    for (uint32_t i = 0; i < batches_left; i++)
        out.basis[bits++] = UINT32_C(1) << (over + i);
    out.register_bits = (uint8_t)bits;
    out.basis[bits++] = BIT(1u, column_end);
    out.basis[bits++] = BIT(2u, column_end);
    for (uint32_t i = 0; i < 3; i++)
        out.basis[bits++] = BIT(column_end + i, row_end);
    for (uint32_t i = warp_bits; i-- > 0;)
        out.basis[bits++] = warps[i];
#undef BIT
    return out;
}

struct tile_layout tile_layout_left(const struct tile_type *type, uint32_t warp_bits)
{
    uint32_t row_bits = tile_bits_of(type->extent[type->rank - 2]);
    uint32_t most = row_bits > ROW_BITS ? row_bits - ROW_BITS : 0;
    uint32_t own = warp_bits < most ? warp_bits : most, copies = warp_bits - own;
    struct tile_layout out = tile_layout_fragment(type, own, true);
    uint32_t first = out.register_bits + TILE_LANE_BITS;

    out.warp_bits = (uint8_t)warp_bits;
    for (uint32_t i = warp_bits; i-- > 0;)
        out.basis[first + i] = i < copies ? 0 : out.basis[first + i - copies];
    return out;
}

struct giving {
    struct tile_kernel *kernel;
    const struct tile_target *target;
    uint32_t warp_bits;
    bool rows;
};

static void assign_value(const struct giving *g, struct tile_value *value,
                         struct tile_layout layout)
{
    struct tile_layout *kept = tile_take(g->kernel->module, sizeof(*kept));

    if (!kept)
        return;
    *kept = layout;
    value->layout = kept;
}

static void give(struct tile_op *op, void *data)
{
    const struct giving *g = data;

    if (op->kind != TILE_MMA || op->result[0]->layout || !tile_fragment_of(op, g->target))
        return;
    assign_value(g, op->result[0],
                 tile_layout_fragment(&op->result[0]->type, g->warp_bits, g->rows));
    // Keep a loop-invariant operand a in registers, in the layout of its fragments.
    struct tile_value *a = op->operand[0];
    if (g->rows && a->op && a->op->kind == TILE_LOAD && a->op->parent != op->parent && !a->layout &&
        a->type.rank == 2 && cuc_dtype_bits(a->type.dtype) == 16)
        assign_value(g, a, tile_layout_left(&a->type, g->warp_bits));
}

// True for a product's result and for values computed elementwise from a product.
static bool comes_from_product(const struct tile_value *value, uint32_t depth)
{
    enum { MOST_DEPTH = 8 };
    const struct tile_op *op = value->op;

    if (!op || depth > MOST_DEPTH || !value->type.rank)
        return false;
    if (op->kind == TILE_MMA)
        return true;
    for (uint32_t i = 0; tile_op_infos[op->kind].traits & TILE_ELEMENTWISE && i < op->operand_count;
         i++)
        if (comes_from_product(op->operand[i], depth + 1))
            return true;
    return false;
}

static void find_product(struct tile_op *op, void *data)
{
    bool *chained = data;

    if (op->kind == TILE_MMA)
        *chained |= comes_from_product(op->operand[0], 0);
}

void tile_assign_fragments(struct tile_kernel *kernel, const struct tile_target *target,
                           uint32_t warps)
{
    struct giving g = { .kernel = kernel, .target = target, .warp_bits = tile_bits_of(warps) };

    // If the result of one product is the operand a of another, give warps whole rows so that the
    // value stays in place.
    tile_walk(&kernel->body, find_product, &g.rows);
    tile_walk(&kernel->body, give, &g);
}

struct most {
    const struct tile_target *target;
    int64_t elements, bytes; // largest accumulator in elements, largest operand in bytes
};

static void measure(struct tile_op *op, void *data)
{
    struct most *most = data;

    if (op->kind != TILE_MMA || !tile_fragment_of(op, most->target))
        return;
    int64_t elements = tile_elements(&op->result[0]->type);
    if (op->result[0]->type.dtype == CUC_F64) // an element takes two registers
        elements *= 2;
    most->elements = elements > most->elements ? elements : most->elements;
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_type *type = &op->operand[i]->type;
        int64_t bytes = tile_elements(type) * cuc_dtype_bits(type->dtype) / 8;
        most->bytes = bytes > most->bytes ? bytes : most->bytes;
    }
}

uint32_t tile_fragment_warps(const struct tile_kernel *kernel, const struct tile_target *target)
{
    enum { OF_A_WARP = 64 * 32, FEW_OF_A_WARP = 1024, BYTES_OF_A_WARP = 4096 };
    enum { MOST_WARPS = 32, MANY_WARPS = 16 };
    struct most most = { .target = target };
    uint32_t warps = 1;

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, measure, &most);
    if (!most.elements)
        return 0;
    while (warps < MOST_WARPS &&
           (most.elements > (int64_t)warps * OF_A_WARP ||
            (warps < MANY_WARPS && most.bytes > (int64_t)warps * BYTES_OF_A_WARP) ||
            (warps < 4 && most.elements >= (int64_t)warps * FEW_OF_A_WARP)))
        warps *= 2;
    return warps;
}
