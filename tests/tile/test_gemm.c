// Compares cuc_gemm() and its variants with sums in double: element types, orders, shapes,
// epilogues, leading dimensions. Nothing around d may be written, and c is not read if beta is 0.
#include "base/array.h"
#include "device/context.h"
#include "gemm/gemm.h"
#include "code/kernel_tile.h"
#include "slice.h"
#include "device/stream.h"
#include "testing.h"
#include "tile/ir/scalar.h"
#include "tile/signature/signature.h"

#include <math.h>

static cuc_device *device;
static cuc_stream *stream;

static void setup(void)
{
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static void teardown(void)
{
    cuc_stream_release(stream);
}

// Returns whether the device has pipelines, which only Hopper does.
static bool has_pipelines(void)
{
    return strncmp(cuc_device_arch(device), "sm_90", 5) == 0;
}

// ---- Arrays

// GUARD: number of elements before and after an array; their bytes must stay POISON. NONE: the
// extent of an axis that the array lacks.
enum { GUARD = 64, POISON = 0x5a, NONE = -1 };

struct array {
    cuc_tensor t;
    cuc_buffer *buffer;
    unsigned char *bytes; // the host's copy
    size_t size;
    double *numbers; // of all elements of `bytes`, after decode(); the reference reads some often
};

static uint64_t seed = 1;

static double number(cuc_dtype dtype)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    int i = (int)(seed >> 40) % 9 - 4;
    return dtype == CUC_U8 ? abs(i) : cuc_dtype_bits(dtype) == 32 && dtype == CUC_I32 ? i : i / 2.0;
}

// Returns the number of an element in `bytes`.
static int64_t position(const struct array *a, int64_t z, int64_t i, int64_t j)
{
    const cuc_tensor *t = &a->t;
    int64_t index[3] = { z, i, j }, offset = GUARD;

    for (int32_t axis = 0; axis < t->rank; axis++)
        offset += index[3 - t->rank + axis] * t->strides[axis];
    return offset;
}

static unsigned char *at(const struct array *a, int64_t z, int64_t i, int64_t j)
{
    return a->bytes + position(a, z, i, j) * cuc_dtype_bits(a->t.dtype) / 8;
}

static double value(const struct array *a, int64_t z, int64_t i, int64_t j)
{
    return tile_element_real(a->t.dtype, tile_scalar_of(a->t.dtype, at(a, z, i, j)));
}

static void decode(struct array *a)
{
    size_t bytes = cuc_dtype_bits(a->t.dtype) / 8, count = a->size / bytes;

    free(a->numbers);
    a->numbers = malloc(count * sizeof(*a->numbers));
    for (size_t i = 0; i < count; i++)
        a->numbers[i] =
            tile_element_real(a->t.dtype, tile_scalar_of(a->t.dtype, a->bytes + i * bytes));
}

static void set(struct array *a, int64_t z, int64_t i, int64_t j, double x)
{
    cuc_dtype dtype = a->t.dtype;
    uint64_t element = tile_is_integer(dtype) ? tile_element_of_int(dtype, (int64_t)x)
                                              : tile_element_of_real(dtype, x);
    memcpy(at(a, z, i, j), &element, cuc_dtype_bits(dtype) / 8);
}

// Makes an array [batch][rows][columns] without the axes that are NONE. Lines are `gap` elements
// longer than their contents, and the first line begins `gap` elements after an aligned address.
static void make(struct array *a, cuc_dtype dtype, int64_t batch, int64_t rows, int64_t columns,
                 int32_t order, int64_t gap)
{
    int64_t shape[3], strides[3], lead = (order ? rows : columns) + gap;
    int32_t rank = 0;

    memset(a, 0, sizeof(*a));
    if (batch != NONE) {
        shape[rank] = batch;
        strides[rank++] = (order ? columns : rows) * lead;
    }
    if (rows != NONE) {
        shape[rank] = rows;
        strides[rank++] = order ? 1 : lead;
    }
    shape[rank] = columns;
    strides[rank++] = order ? lead : 1;
    size_t bytes = cuc_dtype_bits(dtype) / 8;
    int64_t lines = llabs(batch) * (order ? columns : llabs(rows));
    a->size = (size_t)(2 * GUARD + lines * lead) * bytes;
    a->bytes = malloc(a->size);
    memset(a->bytes, POISON, a->size);
    ck_ok(cuc_buffer_create(&a->buffer, stream, NULL, a->size));
    a->t.data = cuc_buffer_ptr(a->buffer) + GUARD * bytes;
    a->t.dtype = dtype;
    a->t.rank = rank;
    memcpy(a->t.shape, shape, (size_t)rank * sizeof(*shape));
    memcpy(a->t.strides, strides, (size_t)rank * sizeof(*strides));
}

static void fill(struct array *a, bool poison)
{
    const cuc_tensor *t = &a->t;
    int64_t z = t->rank > 2 ? t->shape[0] : 1, rows = t->rank > 1 ? t->shape[t->rank - 2] : 1;

    for (; z-- > 0;)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < t->shape[t->rank - 1]; j++)
                set(a, z, i, j, poison ? NAN : number(t->dtype));
    ck_ok(cuc_buffer_write_async(stream, a->buffer, 0, a->bytes, a->size));
}

static void drop(struct array *a)
{
    cuc_buffer_release(a->buffer);
    free(a->bytes);
    free(a->numbers);
}

// ---- Cases

struct row {
    const char *name;
    cuc_gemm_options o;
    int64_t m, n, k, batch; // extents of the call
    double alpha, beta;
    int64_t gap;
};

#define ROW(text, M, N, K, ...) \
    {                           \
        text, { .struct_size = sizeof(cuc_gemm_options), __VA_ARGS__ }, M, N, K
#define ONCE     \
    , 0, 1, 0, 0 \
    }

// clang-format off
static const struct row rows[] = {
    ROW("f16", 96, 80, 72, .dtype = CUC_F16) ONCE,
    ROW("bf16 in a pipeline", 130, 264, 200, .dtype = CUC_BF16, .m = 4096, .n = 4096, .k = 4096) ONCE,
    ROW("one element", 1, 1, 1, .dtype = CUC_F16) ONCE,
    ROW("one column", 65, 1, 33, .dtype = CUC_F16) ONCE,
    ROW("one row", 1, 127, 129, .dtype = CUC_BF16) ONCE,
    ROW("no sum", 5, 7, 0, .dtype = CUC_F16, .bias = CUC_GEMM_BIAS_ROWS) ONCE,
    ROW("nothing", 0, 7, 3, .dtype = CUC_F16) ONCE,
    ROW("lines of odd lengths", 67, 63, 65, .dtype = CUC_F16, .c_dtype = CUC_F16), 0, 0.5, -2, 1 },
    ROW("a by columns", 64, 128, 40, .dtype = CUC_F16, .a_order = 1) ONCE,
    ROW("b by columns", 64, 128, 40, .dtype = CUC_F16, .b_order = 1) ONCE,
    ROW("a and b by columns", 64, 128, 40, .dtype = CUC_F16, .a_order = 1, .b_order = 1) ONCE,
    ROW("d by columns", 72, 56, 40, .dtype = CUC_F16, .d_order = 1, .bias = CUC_GEMM_BIAS_COLUMNS) ONCE,
    ROW("all by columns, as BLAS", 72, 56, 40, .dtype = CUC_F16, .a_order = 1, .b_order = 1, .d_order = 1,
        .bias = CUC_GEMM_BIAS_ROWS, .c_dtype = CUC_F16, .residual_dtype = CUC_F32), 0, 2, 1, 8 },
    ROW("scales, d by columns", 40, 24, 32, .dtype = CUC_E4M3, .d_order = 1, .a_order = 0, .b_order = 1,
        .flags = CUC_GEMM_SCALED_ROWS | CUC_GEMM_SCALED_COLUMNS) ONCE,
    ROW("alpha", 70, 40, 50, .dtype = CUC_BF16, .d_dtype = CUC_F32), 0, -1.5, 0, 0 },
    ROW("c", 70, 40, 50, .dtype = CUC_BF16, .c_dtype = CUC_F32), 0, 1, 0.25, 0 },
    ROW("alpha 0", 70, 40, 50, .dtype = CUC_BF16, .c_dtype = CUC_BF16), 0, 0, 3, 0 },
    ROW("relu", 70, 40, 50, .dtype = CUC_F16, .activation = CUC_GEMM_RELU) ONCE,
    ROW("bias and gelu", 70, 40, 50, .dtype = CUC_BF16, .activation = CUC_GEMM_GELU,
        .bias = CUC_GEMM_BIAS_COLUMNS) ONCE,
    ROW("bias and gelu in a pipeline", 200, 136, 72, .dtype = CUC_BF16, .activation = CUC_GEMM_GELU_TANH,
        .bias = CUC_GEMM_BIAS_COLUMNS, .bias_dtype = CUC_F32, .tile_m = 128, .tile_n = 128) ONCE,
    ROW("silu and a residual", 70, 40, 50, .dtype = CUC_F16, .activation = CUC_GEMM_SILU,
        .residual_dtype = CUC_F16, .d_dtype = CUC_F32) ONCE,
    ROW("f32", 33, 34, 35, .dtype = CUC_F32, .c_dtype = CUC_F32), 0, 2, -1, 3 },
    ROW("f32 on tensor cores", 130, 64, 64, .dtype = CUC_F32, .precision = CUC_GEMM_TF32, .b_order = 1) ONCE,
    ROW("f32 on tensor cores, other order", 66, 64, 64, .dtype = CUC_F32, .precision = CUC_GEMM_TF32) ONCE,
    ROW("f32 three times", 66, 64, 64, .dtype = CUC_F32, .precision = CUC_GEMM_TF32X3) ONCE,
    ROW("tf32", 66, 64, 64, .dtype = CUC_TF32, .b_order = 1) ONCE,
    ROW("f64", 33, 17, 20, .dtype = CUC_F64, .activation = CUC_GEMM_GELU, .c_dtype = CUC_F64), 0, 0.5, 2, 1 },
    ROW("e4m3", 128, 64, 160, .dtype = CUC_E4M3, .b_order = 1) ONCE,
    ROW("e4m3, fast, other orders", 64, 64, 64, .dtype = CUC_E4M3, .flags = CUC_GEMM_FAST_ACC, .a_order = 1) ONCE,
    ROW("e5m2 to e5m2", 64, 64, 64, .dtype = CUC_E5M2, .d_dtype = CUC_E5M2, .b_order = 1), 0, 0.125, 0, 0 },
    ROW("i8", 128, 64, 96, .dtype = CUC_I8, .b_order = 1, .c_dtype = CUC_I32, .activation = CUC_GEMM_RELU), 0, 3, -2, 0 },
    ROW("i8 to i8", 64, 48, 96, .dtype = CUC_I8, .d_dtype = CUC_I8), 0, 4, 0, 0 },
    ROW("u8 to f32", 64, 48, 96, .dtype = CUC_U8, .d_dtype = CUC_F32, .bias = CUC_GEMM_BIAS_ROWS), 0, 0.5, 0, 0 },
    ROW("a batch", 40, 48, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16, .c_dtype = CUC_F16), 3, 1, 1, 0 },
    ROW("a batch in a pipeline", 130, 72, 64, .form = CUC_GEMM_BATCHED, .dtype = CUC_BF16, .b_order = 1,
        .bias = CUC_GEMM_BIAS_ROWS, .tile_m = 128, .tile_n = 64), 2, 1, 0, 8 },
    ROW("a batch with one b", 40, 48, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16,
        .flags = CUC_GEMM_SHARED_B, .d_order = 1), 3, 1, 0, 0 },
    ROW("a batch with one a", 40, 48, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16,
        .flags = CUC_GEMM_SHARED_A, .residual_dtype = CUC_F16), 3, 1, 0, 0 },
    ROW("groups", 100, 48, 56, .form = CUC_GEMM_GROUPED, .dtype = CUC_BF16, .tile_m = 32, .tile_n = 32), 5, 1, 0, 0 },
    ROW("groups with all there is", 100, 48, 56, .form = CUC_GEMM_GROUPED, .dtype = CUC_F16, .b_order = 1,
        .bias = CUC_GEMM_BIAS_COLUMNS, .residual_dtype = CUC_F16, .activation = CUC_GEMM_SILU,
        .c_dtype = CUC_F32, .flags = CUC_GEMM_SCALED_ROWS | CUC_GEMM_SCALED_COLUMNS), 4, 2, 0.5, 0 },
    ROW("groups of more tiles than multiprocessors, stored by ends of their own", 700, 704, 72, .form = CUC_GEMM_GROUPED,
        .dtype = CUC_BF16, .b_order = 1, .tile_m = 128, .tile_n = 64, .raster = 2), 6, 1, 0, 8 },
    ROW("groups by warpgroups in turns", 500, 704, 72, .form = CUC_GEMM_GROUPED,
        .dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .warps = 4), 4, 2, 0, 8 },
    ROW("groups by warpgroups in turns, of two blocks of rows", 500, 704, 40, .form = CUC_GEMM_GROUPED,
        .dtype = CUC_F16, .d_dtype = CUC_F32, .tile_m = 128, .tile_n = 32, .warps = 4, .raster = 3), 5, 1, 0, 0 },
    ROW("parts in a workspace", 70, 260, 300, .dtype = CUC_F16, .parts = 3, .c_dtype = CUC_F16,
        .bias = CUC_GEMM_BIAS_COLUMNS), 0, 0.5, 1, 0 },
    ROW("parts of integers", 33, 20, 300, .dtype = CUC_I8, .parts = 7) ONCE,
    ROW("parts, d by columns", 33, 20, 300, .dtype = CUC_BF16, .parts = 64, .d_order = 1) ONCE,
    ROW("packed operands", 70, 131, 301, .dtype = CUC_BF16, .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B,
        .c_dtype = CUC_BF16), 0, 2, 0.5, 3 },
    ROW("a packed a by columns, and an aligned b", 131, 264, 77, .dtype = CUC_F16, .a_order = 1, .pack = CUC_GEMM_PACK_A) ONCE,
    ROW("a packed b, d by columns", 72, 131, 264, .dtype = CUC_F16, .d_order = 1, .pack = CUC_GEMM_PACK_B) ONCE,
    ROW("packed operands that are aligned", 72, 136, 264, .dtype = CUC_F16, .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B) ONCE,
    ROW("packed operands and parts", 70, 131, 301, .dtype = CUC_BF16, .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B,
        .parts = 3) ONCE,
    ROW("packed operands and shared tiles", 300, 131, 301, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64,
        .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B, .stream_k = 1) ONCE,
    ROW("packed operands in clusters", 300, 131, 301, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64,
        .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B, .cluster = 2) ONCE,
    ROW("packed bytes", 70, 131, 301, .dtype = CUC_E4M3, .b_order = 1, .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B) ONCE,
    ROW("bytes of both orders that are transposed in the workspace", 70, 131, 301, .dtype = CUC_E4M3, .a_order = 1,
        .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B | CUC_GEMM_PACK_TRANSPOSED_A | CUC_GEMM_PACK_TRANSPOSED_B) ONCE,
    ROW("integers whose b is transposed in the workspace, d by columns", 70, 136, 304, .dtype = CUC_I8, .d_order = 1,
        .pack = CUC_GEMM_PACK_B | CUC_GEMM_PACK_TRANSPOSED_B) ONCE,
    ROW("tf32 with a transposed a and parts", 70, 136, 304, .dtype = CUC_TF32, .a_order = 1, .b_order = 1, .parts = 2,
        .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_TRANSPOSED_A) ONCE,
    ROW("more parts than are loaded at a time", 33, 21, 1300, .dtype = CUC_F16, .parts = 19) ONCE,
    ROW("blocks that do a sum together", 70, 130, 600, .dtype = CUC_F16, .split = 4,
        .tile_m = 64, .tile_n = 64, .activation = CUC_GEMM_RELU) ONCE,
    ROW("blocks that load for one another", 300, 130, 200, .dtype = CUC_F16, .cluster = 2, .raster = 2,
        .tile_m = 64, .tile_n = 128) ONCE,
    ROW("blocks that load for one another, an odd number of tiles side by side", 700, 130, 72, .dtype = CUC_F16, .cluster = 2, .raster = 3,
        .tile_m = 64, .tile_n = 128) ONCE,
    ROW("four blocks down a column that share b", 500, 300, 200, .dtype = CUC_BF16, .cluster = 4,
        .tile_m = 64, .tile_n = 64, .a_order = 1) ONCE,
    ROW("two blocks along a row that share a", 300, 500, 200, .dtype = CUC_F16, .cluster_n = 2,
        .tile_m = 128, .tile_n = 64, .residual_dtype = CUC_F16, .bias = CUC_GEMM_BIAS_ROWS) ONCE,
    ROW("blocks along a row that share a part of a", 300, 520, 700, .dtype = CUC_BF16,
        .cluster_n = 2, .parts = 3, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("blocks down a column that share a part of b", 520, 300, 700, .dtype = CUC_BF16,
        .cluster = 4, .parts = 2, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("four blocks along a row, d by columns", 700, 130, 136, .dtype = CUC_BF16, .cluster = 4,
        .tile_m = 64, .tile_n = 128, .d_order = 1, .activation = CUC_GEMM_RELU) ONCE,
    ROW("more tiles than multiprocessors", 1100, 128, 260, .dtype = CUC_BF16, .tile_m = 128,
        .tile_n = 8, .stages = 4, .residual_dtype = CUC_F32) ONCE,
    ROW("few turns of many tiles", 1100, 128, 130, .dtype = CUC_E4M3, .b_order = 1, .tile_m = 128, .tile_n = 8,
        .stages = 4) ONCE,
    ROW("warpgroups that take tiles in turns", 1100, 512, 130, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64,
        .warps = 4, .residual_dtype = CUC_F16, .bias = CUC_GEMM_BIAS_COLUMNS) ONCE,
    ROW("the same of two blocks that load for one another", 1100, 128, 260, .dtype = CUC_BF16, .tile_m = 128,
        .tile_n = 8, .stages = 3, .warps = 4, .cluster = 2) ONCE,
    ROW("the same of 8-bit floats", 1100, 128, 260, .dtype = CUC_E4M3, .b_order = 1, .tile_m = 128, .tile_n = 8,
        .stages = 4, .warps = 4) ONCE,
    ROW("results of 8 bits by whole lines", 200, 272, 160, .dtype = CUC_E4M3, .b_order = 1, .d_dtype = CUC_E4M3,
        .tile_m = 128, .tile_n = 128) ONCE,
    ROW("integers of 8 bits by whole lines", 100, 400, 160, .dtype = CUC_I8, .b_order = 1, .d_dtype = CUC_I8,
        .tile_m = 64, .tile_n = 256) ONCE,
    ROW("results of 8 bits by pieces of 64 bytes", 200, 400, 160, .dtype = CUC_E4M3, .b_order = 1, .d_dtype = CUC_E4M3,
        .tile_m = 128, .tile_n = 192) ONCE,
    ROW("integers of 8 bits by pieces of 32 bytes", 100, 464, 160, .dtype = CUC_I8, .b_order = 1, .d_dtype = CUC_I8,
        .tile_m = 64, .tile_n = 224) ONCE,
    ROW("pieces of 64 bytes by warpgroups that take tiles in turns", 1100, 160, 130, .dtype = CUC_BF16, .tile_m = 64,
        .tile_n = 80, .warps = 4, .d_dtype = CUC_F32, .bias = CUC_GEMM_BIAS_COLUMNS) ONCE,
    ROW("pieces of 32 bytes of groups", 300, 160, 72, .form = CUC_GEMM_GROUPED, .dtype = CUC_F16, .tile_m = 128,
        .tile_n = 80), 5, 1, 0, 8 },
    ROW("pieces of 32 bytes by blocks that do a sum together", 200, 456, 600, .dtype = CUC_F16, .split = 2,
        .tile_m = 128, .tile_n = 208) ONCE,
    ROW("a rest of 16 bytes", 300, 272, 72, .dtype = CUC_F16, .tile_m = 128, .tile_n = 136) ONCE,
    ROW("a rest of 16 bytes of f32", 150, 216, 72, .dtype = CUC_BF16, .d_dtype = CUC_F32, .tile_m = 64, .tile_n = 72,
        .activation = CUC_GEMM_RELU) ONCE,
    ROW("a rest of 16 bytes, stored by threads", 200, 205, 72, .dtype = CUC_F16, .tile_m = 128, .tile_n = 104), 0, 1, 0, 1 },
    ROW("a rest of 16 bytes by blocks that do a sum together", 130, 200, 600, .dtype = CUC_F16, .split = 2,
        .tile_m = 128, .tile_n = 200) ONCE,
    ROW("operands exchanged", 300, 272, 72, .dtype = CUC_BF16, .tile_m = 136, .tile_n = 128,
        .bias = CUC_GEMM_BIAS_COLUMNS, .activation = CUC_GEMM_GELU) ONCE,
    ROW("operands exchanged, one block of columns", 200, 150, 136, .dtype = CUC_F16, .tile_m = 200, .tile_n = 64,
        .bias = CUC_GEMM_BIAS_ROWS) ONCE,
    ROW("operands exchanged, two blocks of columns for a warpgroup", 100, 300, 136, .dtype = CUC_F16, .tile_m = 40,
        .tile_n = 256) ONCE,
    ROW("operands exchanged, fewer rows than a slab", 30, 130, 136, .dtype = CUC_F16, .tile_m = 24, .tile_n = 128) ONCE,
    ROW("192 accumulators a thread", 300, 200, 136, .dtype = CUC_BF16, .tile_m = 256, .tile_n = 192,
        .activation = CUC_GEMM_GELU) ONCE,
    ROW("176 accumulators a thread, two blocks that share loads", 300, 360, 136, .dtype = CUC_F16, .tile_m = 256,
        .tile_n = 176, .cluster_n = 2, .b_order = 1, .d_dtype = CUC_F32) ONCE,
    ROW("160 accumulators a thread and a bias", 300, 170, 72, .dtype = CUC_F16, .tile_m = 256, .tile_n = 160,
        .bias = CUC_GEMM_BIAS_COLUMNS, .activation = CUC_GEMM_RELU) ONCE,
    ROW("operands exchanged, 168 accumulators a thread", 200, 300, 136, .dtype = CUC_BF16, .tile_m = 168,
        .tile_n = 256, .a_order = 1) ONCE,
    ROW("operands exchanged, 144 accumulators a thread, blocks that do a sum together", 150, 260, 600,
        .dtype = CUC_F16, .tile_m = 144, .tile_n = 256, .split = 2) ONCE,
    ROW("eight blocks that share both operands", 600, 330, 200, .dtype = CUC_BF16, .cluster = 8, .tile_m = 64,
        .tile_n = 64) ONCE,
    ROW("eight blocks that share both operands, more along a row", 330, 600, 200, .dtype = CUC_F16, .cluster_n = 8,
        .tile_m = 128, .tile_n = 96, .a_order = 1, .b_order = 1, .bias = CUC_GEMM_BIAS_COLUMNS) ONCE,
    ROW("eight blocks that share both operands, d by columns", 300, 530, 136, .dtype = CUC_F16, .cluster_n = 8,
        .tile_m = 64, .tile_n = 128, .b_order = 1, .d_order = 1, .raster = 3) ONCE,
    ROW("eight blocks that share both operands of a batch", 150, 136, 200, .form = CUC_GEMM_BATCHED,
        .dtype = CUC_F16, .cluster = 8, .tile_m = 64, .tile_n = 64, .a_order = 1), 3, 1, 0, 0 },
    ROW("four blocks that share 104 columns unevenly", 500, 300, 200, .dtype = CUC_F16, .cluster = 4, .tile_m = 64,
        .tile_n = 104, .b_order = 1) ONCE,
    ROW("eight blocks that share 72 rows unevenly, exchanged", 700, 300, 200, .dtype = CUC_F16, .cluster = 8,
        .tile_m = 72, .tile_n = 64, .b_order = 1, .activation = CUC_GEMM_RELU) ONCE,
    ROW("eight blocks that share both operands, exchanged", 700, 300, 200, .dtype = CUC_F16, .cluster = 8,
        .tile_m = 80, .tile_n = 128) ONCE,
    ROW("eight blocks that share both operands, parts", 300, 200, 600, .dtype = CUC_F16, .cluster_n = 8,
        .parts = 3, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("eight blocks that share both operands, warpgroups in turns", 1100, 300, 200, .dtype = CUC_F16,
        .cluster = 8, .warps = 4, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("three warpgroups", 400, 300, 136, .dtype = CUC_BF16, .tile_m = 192, .tile_n = 144, .a_order = 1,
        .activation = CUC_GEMM_GELU) ONCE,
    ROW("three warpgroups, f32", 400, 200, 136, .dtype = CUC_F16, .tile_m = 192, .tile_n = 96, .d_dtype = CUC_F32,
        .b_order = 1, .c_dtype = CUC_F32), 0, 1, 0.5, 0 },
    ROW("three warpgroups, operands exchanged", 300, 400, 136, .dtype = CUC_F16, .tile_m = 88, .tile_n = 192,
        .bias = CUC_GEMM_BIAS_ROWS) ONCE,
    ROW("three warpgroups, operands exchanged, d by columns", 400, 300, 136, .dtype = CUC_BF16, .tile_m = 192,
        .tile_n = 112, .d_order = 1, .a_order = 1) ONCE,
    ROW("three warpgroups, two blocks that do a sum together", 300, 250, 600, .dtype = CUC_F16, .tile_m = 192,
        .tile_n = 112, .split = 2) ONCE,
    ROW("three warpgroups in parts", 300, 250, 600, .dtype = CUC_F16, .tile_m = 192, .tile_n = 112, .parts = 3) ONCE,
    ROW("three warpgroups, eight blocks that share both operands", 700, 600, 200, .dtype = CUC_F16, .tile_m = 192,
        .tile_n = 96, .cluster = 8, .b_order = 1) ONCE,
    ROW("three warpgroups, a batch", 300, 250, 136, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16, .tile_m = 192,
        .tile_n = 112), 3, 1, 0, 0 },
    ROW("three warpgroups, a residual", 300, 250, 136, .dtype = CUC_F16, .tile_m = 192, .tile_n = 192,
        .residual_dtype = CUC_F16) ONCE,
    ROW("three warpgroups, unaligned operands", 300, 251, 137, .dtype = CUC_F16, .tile_m = 192, .tile_n = 112,
        .pack = CUC_GEMM_PACK_NONE), 0, 1, 0, 1 },
    ROW("operands exchanged, stored by threads", 151, 135, 72, .dtype = CUC_F16, .tile_m = 104, .tile_n = 128), 0, 1, 0, 1 },
    ROW("operands exchanged, d by columns", 264, 100, 72, .dtype = CUC_F16, .tile_m = 128, .tile_n = 96, .d_order = 1) ONCE,
    ROW("operands exchanged, an addend", 150, 200, 72, .dtype = CUC_F16, .tile_m = 72, .tile_n = 128,
        .c_dtype = CUC_F16), 0, 1, 2, 0 },
    ROW("operands exchanged, f32", 150, 200, 72, .dtype = CUC_F16, .tile_m = 72, .tile_n = 128,
        .d_dtype = CUC_F32) ONCE,
    ROW("operands exchanged, by blocks that do a sum together", 150, 130, 600, .dtype = CUC_F16, .split = 2,
        .tile_m = 80, .tile_n = 128) ONCE,
    ROW("operands exchanged, by warpgroups that take tiles in turns", 1100, 256, 130, .dtype = CUC_F16, .tile_m = 72,
        .tile_n = 128, .warps = 4) ONCE,
    ROW("operands exchanged, two blocks that share loads", 300, 272, 200, .dtype = CUC_F16, .cluster = 2,
        .tile_m = 80, .tile_n = 128) ONCE,
    ROW("operands exchanged, stream-K", 300, 272, 400, .dtype = CUC_BF16, .stream_k = 1, .tile_m = 136,
        .tile_n = 128) ONCE,
    ROW("operands exchanged, stream-K of two waves", 1100, 272, 260, .dtype = CUC_F16, .stream_k = 2, .tile_m = 72,
        .tile_n = 64, .stages = 4, .activation = CUC_GEMM_RELU), 0, 1, 0, 1 },
    ROW("operands exchanged, stream-K of f32", 300, 272, 400, .dtype = CUC_F16, .d_dtype = CUC_F32, .stream_k = 1,
        .tile_m = 104, .tile_n = 64) ONCE,
    ROW("operands exchanged, a batch", 150, 136, 72, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16, .tile_m = 80,
        .tile_n = 128), 3, 1, 0, 0 },
    ROW("operands exchanged, groups", 300, 160, 72, .form = CUC_GEMM_GROUPED, .dtype = CUC_F16, .tile_m = 80,
        .tile_n = 128), 5, 1, 0, 8 },
    ROW("stream-K of fewer tiles than multiprocessors", 200, 130, 330, .dtype = CUC_F16, .stream_k = 1,
        .tile_m = 64, .tile_n = 64) ONCE,
    ROW("stream-K of more", 1100, 272, 260, .dtype = CUC_BF16, .stream_k = 1, .tile_m = 128, .tile_n = 16,
        .stages = 4, .activation = CUC_GEMM_RELU) ONCE,
    ROW("stream-K of two waves, with all there is", 1100, 272, 130, .dtype = CUC_F16, .stream_k = 2, .tile_m = 128,
        .tile_n = 16, .c_dtype = CUC_F32, .residual_dtype = CUC_F16, .bias = CUC_GEMM_BIAS_COLUMNS,
        .flags = CUC_GEMM_SCALED_ROWS), 0, 0.5, -1, 0 },
    ROW("stream-K of one turn", 150, 70, 40, .dtype = CUC_F16, .stream_k = 1, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("stream-K of nothing", 70, 70, 0, .dtype = CUC_F16, .stream_k = 1, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("stream-K of no rows", 0, 70, 33, .dtype = CUC_F16, .stream_k = 1) ONCE,
    ROW("stream-K of no columns", 70, 0, 33, .dtype = CUC_F16, .stream_k = 1, .d_order = 1) ONCE,
    ROW("stream-K, d by columns, lines of odd lengths", 130, 150, 333, .dtype = CUC_BF16, .stream_k = 1, .d_order = 1,
        .tile_m = 64, .tile_n = 64), 0, 1, 0, 1 },
    ROW("stream-K of 8-bit floats", 150, 70, 900, .dtype = CUC_E4M3, .b_order = 1, .stream_k = 1, .tile_m = 64,
        .tile_n = 64) ONCE,
    ROW("stream-K of integers", 150, 70, 900, .dtype = CUC_I8, .b_order = 1, .stream_k = 1, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("stream-K of f32 and tf32", 150, 70, 300, .dtype = CUC_F32, .b_order = 1, .precision = CUC_GEMM_TF32,
        .stream_k = 2, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("stream-K of f64", 70, 40, 100, .dtype = CUC_F64, .stream_k = 1, .tile_m = 32, .tile_n = 32) ONCE,
    ROW("stream-K of multiply-adds", 70, 40, 100, .dtype = CUC_F32, .stream_k = 1) ONCE,
    ROW("stream-K on sm_80", 130, 130, 400, .dtype = CUC_F16, .arch = "sm_80", .stream_k = 1, .tile_m = 64, .tile_n = 64) ONCE,
    ROW("tiles of few columns", 70, 37, 65, .dtype = CUC_F16, .tile_m = 64, .tile_n = 4) ONCE,
    ROW("tiles of a column, lines of odd lengths", 70, 9, 65, .dtype = CUC_I8, .tile_m = 32, .tile_n = 1), 0, 1, 0, 1 },
    ROW("tiles of few elements", 19, 9, 33, .dtype = CUC_BF16, .arch = "sm_80", .tile_m = 3, .tile_n = 2, .b_order = 1) ONCE,
    ROW("tiles of few elements of f64", 19, 9, 33, .dtype = CUC_F64, .tile_m = 4, .tile_n = 4, .tile_k = 8) ONCE,
    ROW("aux, before relu", 70, 40, 50, .dtype = CUC_F16, .activation = CUC_GEMM_RELU, .aux_dtype = CUC_F16,
        .bias = CUC_GEMM_BIAS_COLUMNS) ONCE,
    ROW("aux of f32 in a pipeline, before gelu, d by columns", 200, 136, 72, .dtype = CUC_BF16, .d_order = 1,
        .activation = CUC_GEMM_GELU_TANH, .aux_dtype = CUC_F32, .bias = CUC_GEMM_BIAS_ROWS, .tile_m = 128,
        .tile_n = 128), 0, 2, 0, 8 },
    ROW("aux, operands exchanged", 150, 200, 72, .dtype = CUC_F16, .tile_m = 72, .tile_n = 128, .aux_dtype = CUC_F16,
        .activation = CUC_GEMM_SILU) ONCE,
    ROW("aux of groups", 100, 48, 56, .form = CUC_GEMM_GROUPED, .dtype = CUC_BF16, .b_order = 1, .aux_dtype = CUC_BF16,
        .activation = CUC_GEMM_GELU, .flags = CUC_GEMM_AMAX, .bias = CUC_GEMM_BIAS_COLUMNS), 4, 1, 0, 0 },
    ROW("aux of a batch, lines of odd lengths", 40, 49, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16,
        .aux_dtype = CUC_F32, .activation = CUC_GEMM_SILU, .residual_dtype = CUC_F16), 3, 1, 0, 1 },
    ROW("the derivative of relu and the gradient of columns", 200, 136, 72, .dtype = CUC_BF16,
        .activation = CUC_GEMM_RELU_DERIVATIVE, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS, .bias = CUC_GEMM_BIAS_COLUMNS,
        .tile_m = 128, .tile_n = 64) ONCE,
    ROW("the derivative of gelu and the gradient of rows", 130, 201, 72, .dtype = CUC_F16,
        .activation = CUC_GEMM_GELU_DERIVATIVE, .bias_gradient = CUC_GEMM_GRADIENT_ROWS, .bias = CUC_GEMM_BIAS_ROWS,
        .d_dtype = CUC_F32), 0, 1, 0, 1 },
    ROW("the derivative of gelu by tanh, d by columns", 130, 200, 72, .dtype = CUC_BF16, .d_order = 1,
        .activation = CUC_GEMM_GELU_TANH_DERIVATIVE, .aux_dtype = CUC_F32, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS,
        .bias_gradient_dtype = CUC_BF16, .c_dtype = CUC_F32), 0, 2, 1, 0 },
    ROW("the derivative of silu in a batch", 130, 72, 64, .form = CUC_GEMM_BATCHED, .dtype = CUC_BF16, .b_order = 1,
        .activation = CUC_GEMM_SILU_DERIVATIVE, .residual_dtype = CUC_BF16, .bias_gradient = CUC_GEMM_GRADIENT_ROWS,
        .tile_m = 128, .tile_n = 64), 3, 1, 0, 8 },
    ROW("the derivative of relu of f64", 33, 17, 20, .dtype = CUC_F64, .activation = CUC_GEMM_RELU_DERIVATIVE,
        .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS) ONCE,
    ROW("the derivative of relu of integers, and the gradient", 70, 40, 96, .dtype = CUC_I8, .b_order = 1,
        .activation = CUC_GEMM_RELU_DERIVATIVE, .bias_gradient = CUC_GEMM_GRADIENT_ROWS) ONCE,
    ROW("the gradient of columns, with parts", 71, 260, 300, .dtype = CUC_F16, .parts = 3, .bias = CUC_GEMM_BIAS_COLUMNS,
        .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS, .flags = CUC_GEMM_AMAX, .aux_dtype = CUC_F32) ONCE,
    ROW("the gradient of rows, with parts", 71, 260, 300, .dtype = CUC_F16, .parts = 2, .bias = CUC_GEMM_BIAS_ROWS,
        .bias_gradient = CUC_GEMM_GRADIENT_ROWS, .activation = CUC_GEMM_RELU_DERIVATIVE) ONCE,
    ROW("the gradient of columns, with stream-K", 200, 130, 330, .dtype = CUC_F16, .stream_k = 1, .tile_m = 64,
        .tile_n = 64, .bias = CUC_GEMM_BIAS_COLUMNS, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS, .flags = CUC_GEMM_AMAX) ONCE,
    ROW("the gradient of rows, with stream-K of two waves", 1100, 272, 260, .dtype = CUC_BF16, .stream_k = 2, .tile_m = 128,
        .tile_n = 16, .stages = 4, .bias = CUC_GEMM_BIAS_ROWS, .bias_gradient = CUC_GEMM_GRADIENT_ROWS,
        .activation = CUC_GEMM_GELU_TANH, .aux_dtype = CUC_BF16) ONCE,
    ROW("the gradient of columns by blocks that do a sum together", 70, 130, 600, .dtype = CUC_F16, .split = 4,
        .tile_m = 64, .tile_n = 64, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS, .flags = CUC_GEMM_AMAX,
        .bias = CUC_GEMM_BIAS_COLUMNS, .aux_dtype = CUC_F16) ONCE,
    ROW("the gradient of rows in clusters", 300, 130, 200, .dtype = CUC_F16, .cluster = 2, .tile_m = 64, .tile_n = 128,
        .bias_gradient = CUC_GEMM_GRADIENT_ROWS, .flags = CUC_GEMM_AMAX, .activation = CUC_GEMM_SILU_DERIVATIVE) ONCE,
    ROW("the gradient of columns by warpgroups that take tiles in turns", 1100, 512, 130, .dtype = CUC_F16, .tile_m = 64,
        .tile_n = 64, .warps = 4, .activation = CUC_GEMM_RELU_DERIVATIVE, .flags = CUC_GEMM_AMAX,
        .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS) ONCE,
    ROW("the gradient of rows, operands exchanged", 150, 200, 72, .dtype = CUC_F16, .tile_m = 72, .tile_n = 128,
        .bias_gradient = CUC_GEMM_GRADIENT_ROWS, .flags = CUC_GEMM_AMAX, .bias = CUC_GEMM_BIAS_ROWS) ONCE,
    ROW("the gradient of columns, packed operands", 70, 131, 301, .dtype = CUC_BF16, .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B,
        .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS, .parts = 3), 0, 1, 0, 3 },
    ROW("the sum of a", 70, 131, 2301, .dtype = CUC_BF16, .bias_gradient = CUC_GEMM_GRADIENT_A), 0, 0.5, 0, 1 },
    ROW("the sum of a by columns, d by columns", 70, 40, 1100, .dtype = CUC_F16, .a_order = 1, .d_order = 1,
        .bias_gradient = CUC_GEMM_GRADIENT_A, .bias_gradient_dtype = CUC_F16) ONCE,
    ROW("the sum of b, by parts of packed bytes", 70, 136, 1304, .dtype = CUC_E4M3, .parts = 2,
        .pack = CUC_GEMM_PACK_B | CUC_GEMM_PACK_TRANSPOSED_B, .bias_gradient = CUC_GEMM_GRADIENT_B) ONCE,
    ROW("the sum of b by columns in a batch, alpha 0", 40, 48, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16, .b_order = 1,
        .c_dtype = CUC_F16, .bias_gradient = CUC_GEMM_GRADIENT_B), 3, 0, 1, 0 },
    ROW("the sum of one a of a batch", 40, 48, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_TF32,
        .flags = CUC_GEMM_SHARED_A, .bias_gradient = CUC_GEMM_GRADIENT_A), 3, 1, 0, 0 },
    ROW("the sum of integers", 40, 48, 2056, .dtype = CUC_I8, .d_dtype = CUC_I8, .bias_gradient = CUC_GEMM_GRADIENT_B) ONCE,
    ROW("the sum of a without columns", 40, 0, 56, .dtype = CUC_F16, .bias_gradient = CUC_GEMM_GRADIENT_A) ONCE,
    ROW("the gradient of columns without rows", 0, 48, 56, .dtype = CUC_F16, .flags = CUC_GEMM_AMAX,
        .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS) ONCE,
    ROW("the gradient of rows without a sum", 5, 7, 0, .dtype = CUC_F16, .bias = CUC_GEMM_BIAS_ROWS,
        .bias_gradient = CUC_GEMM_GRADIENT_ROWS) ONCE,
    ROW("the largest magnitude before it is rounded to 8 bits", 130, 200, 160, .dtype = CUC_E4M3, .b_order = 1,
        .d_dtype = CUC_E4M3, .flags = CUC_GEMM_AMAX | CUC_GEMM_SCALED_ROWS, .bias = CUC_GEMM_BIAS_COLUMNS, .tile_m = 128,
        .tile_n = 128), 0, 8, 0, 0 },
    ROW("the largest magnitude of a batch", 40, 48, 56, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16, .bias = CUC_GEMM_BIAS_ROWS,
        .flags = CUC_GEMM_AMAX), 3, -1, 0, 0 },
    ROW("all outputs on sm_80", 130, 130, 100, .dtype = CUC_F16, .arch = "sm_80", .aux_dtype = CUC_F16, .flags = CUC_GEMM_AMAX,
        .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS, .activation = CUC_GEMM_GELU, .bias = CUC_GEMM_BIAS_COLUMNS), 0, 1, 0, 1 },
    ROW("scales by block", 150, 200, 400, .dtype = CUC_E4M3, .b_order = 1, .a_scale_rows = 1, .b_scale_columns = 128) ONCE,
    ROW("scales by block in a pipeline", 300, 264, 656, .dtype = CUC_E4M3, .b_order = 1, .a_scale_rows = 1,
        .b_scale_columns = 128, .tile_m = 128, .tile_n = 128, .bias = CUC_GEMM_BIAS_COLUMNS,
        .activation = CUC_GEMM_SILU), 0, 2, 0, 0 },
    ROW("scales of lines, tiles of half a block", 130, 200, 272, .dtype = CUC_E5M2, .b_order = 1, .a_scale_rows = 128,
        .b_scale_columns = 1, .tile_m = 64, .tile_n = 64, .flags = CUC_GEMM_FAST_ACC) ONCE,
    ROW("scales of lines of both operands, d by columns", 130, 200, 272, .dtype = CUC_E4M3, .b_order = 1, .d_order = 1,
        .a_scale_rows = 1, .b_scale_columns = 1, .d_dtype = CUC_F32) ONCE,
    ROW("scales of a alone, d by columns", 300, 140, 272, .dtype = CUC_E4M3, .b_order = 1, .d_order = 1,
        .a_scale_rows = 128, .tile_m = 32, .tile_n = 64) ONCE,
    ROW("scales of b alone, other orders, lines of odd lengths", 67, 150, 301, .dtype = CUC_E4M3, .a_order = 1,
        .b_scale_columns = 128), 0, 1, 0, 1 },
    ROW("scales by block of packed operands", 70, 136, 304, .dtype = CUC_E4M3, .a_order = 1, .a_scale_rows = 1,
        .b_scale_columns = 128,
        .pack = CUC_GEMM_PACK_A | CUC_GEMM_PACK_B | CUC_GEMM_PACK_TRANSPOSED_A | CUC_GEMM_PACK_TRANSPOSED_B) ONCE,
    ROW("scales by block, parts", 70, 136, 904, .dtype = CUC_E4M3, .b_order = 1, .a_scale_rows = 1, .b_scale_columns = 128,
        .parts = 3, .flags = CUC_GEMM_AMAX) ONCE,
    ROW("scales by block of a batch", 130, 140, 272, .form = CUC_GEMM_BATCHED, .dtype = CUC_E4M3, .b_order = 1,
        .a_scale_rows = 1, .b_scale_columns = 128), 3, 1, 0, 0 },
    ROW("scales by block of a batch with one b", 130, 140, 272, .form = CUC_GEMM_BATCHED, .dtype = CUC_E4M3, .b_order = 1,
        .flags = CUC_GEMM_SHARED_B, .a_scale_rows = 128, .b_scale_columns = 128, .d_order = 1), 3, 1, 0, 0 },
    ROW("scales by block of groups", 100, 140, 272, .form = CUC_GEMM_GROUPED, .dtype = CUC_E4M3, .b_order = 1,
        .a_scale_rows = 1, .b_scale_columns = 128), 4, 1, 0, 0 },
    ROW("scales by block of no sum", 30, 40, 0, .dtype = CUC_E4M3, .b_order = 1, .a_scale_rows = 1, .b_scale_columns = 128) ONCE,
    ROW("sm_80", 130, 130, 100, .dtype = CUC_F16, .arch = "sm_80", .c_dtype = CUC_F16), 0, 1, 1, 0 },
};
// clang-format on

static double activate(int32_t how, double x)
{
    if (how >= CUC_GEMM_RELU_DERIVATIVE)
        x = fmin(fmax(x, -1e3), 1e3); // derivatives have limits
    switch (how) {
    case CUC_GEMM_RELU:
        return x > 0 ? x : 0;
    case CUC_GEMM_GELU:
        return x * (1 + erf(x / sqrt(2))) / 2;
    case CUC_GEMM_GELU_TANH:
        return x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) / 2;
    case CUC_GEMM_SILU:
        return x / (1 + exp(-x));
    case CUC_GEMM_RELU_DERIVATIVE:
        return x > 0;
    case CUC_GEMM_GELU_DERIVATIVE:
        return (1 + erf(x / sqrt(2))) / 2 + x * exp(-x * x / 2) * 0.3989422804014327;
    case CUC_GEMM_GELU_TANH_DERIVATIVE: {
        double t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
        return (1 + t) / 2 + x * (1 - t * t) / 2 * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
    }
    case CUC_GEMM_SILU_DERIVATIVE: {
        double s = 1 / (1 + exp(-x));
        return s * (1 + x * (1 - s));
    }
    default:
        return x;
    }
}

static bool is_derivative(const struct row *r)
{
    return r->o.activation >= CUC_GEMM_RELU_DERIVATIVE;
}

struct arrays {
    struct array a, b, c, d, bias, residual, row_scale, column_scale, offsets, workspace;
    struct array aux, bias_gradient, amax, a_scale, b_scale;
    cuc_gemm_args args;
};

// Returns where a group begins. The second group is empty; one row at the front and some at the end
// belong to no group.
static int64_t offset(const struct row *r, int64_t group)
{
    return group == 0 ? 1 : group <= 2 ? 1 + r->m / 3 : 1 + r->m / 3 + (group - 2) * (r->m / 8);
}

static int64_t group_of(const struct row *r, int64_t row)
{
    for (int64_t g = 0; g < r->batch; g++)
        if (row >= offset(r, g) && row < offset(r, g + 1))
            return g;
    return -1;
}

static int64_t blocks_of(int64_t extent, int32_t lines)
{
    return (extent + lines - 1) / lines;
}

static bool sums_rows(const struct row *r)
{
    return r->o.bias_gradient == CUC_GEMM_GRADIENT_ROWS ||
           r->o.bias_gradient == CUC_GEMM_GRADIENT_A;
}

// Numbers far from 0, where the terms of a derivative have no limits of their own.
static const double far[] = { INFINITY, -INFINITY, 3e38, -3e38, 6e4, -6e4, 20, -20 };

static void make_all(struct arrays *x, const struct row *r, const cuc_gemm_plan *plan)
{
    const cuc_gemm_options *o = &r->o;
    const struct cuc__gemm_kind *k = &plan->kind;
    int64_t batch = o->form == CUC_GEMM_BATCHED ? r->batch : NONE;
    int64_t groups = o->form == CUC_GEMM_GROUPED ? r->batch : NONE;

    memset(x, 0, sizeof(*x));
    x->args = (cuc_gemm_args){ .struct_size = sizeof(cuc_gemm_args) };
    make(&x->a, k->dtype, o->flags & CUC_GEMM_SHARED_A ? NONE : batch, r->m, r->k, o->a_order,
         r->gap);
    make(&x->b, k->dtype,
         o->flags & CUC_GEMM_SHARED_B ? NONE
         : groups != NONE             ? groups
                                      : batch,
         r->k, r->n, o->b_order, r->gap);
    x->a.t.flags = x->b.t.flags = CUC_TENSOR_READ_ONLY;
    make(&x->d, k->d, batch, r->m, r->n, o->d_order, r->gap);
    fill(&x->a, false);
    fill(&x->b, false);
    ck_ok(cuc_buffer_write_async(stream, x->d.buffer, 0, x->d.bytes, x->d.size));
    x->args.a = &x->a.t;
    x->args.b = &x->b.t;
    x->args.d = &x->d.t;
    const struct {
        struct array *array;
        const cuc_tensor **arg;
        cuc_dtype dtype;
        int64_t batch, rows, columns;
        bool poison;
    } others[] = {
        { &x->c, &x->args.c, k->c, batch, r->m, r->n, r->beta == 0 },
        { &x->residual, &x->args.residual, k->residual, batch, r->m, r->n, false },
        { &x->bias, &x->args.bias, k->bias, NONE, groups,
          o->bias == CUC_GEMM_BIAS_ROWS ? r->m : r->n, false },
        { &x->aux, &x->args.aux, is_derivative(r) ? k->aux : 0, batch, r->m, r->n, false },
        { &x->row_scale, &x->args.row_scale, o->flags & CUC_GEMM_SCALED_ROWS ? CUC_F32 : 0, NONE,
          NONE, r->m, false },
        { &x->column_scale, &x->args.column_scale, o->flags & CUC_GEMM_SCALED_COLUMNS ? CUC_F32 : 0,
          NONE, NONE, r->n, false },
        { &x->offsets, &x->args.offsets, groups != NONE ? CUC_I32 : 0, NONE, NONE, groups + 1,
          false },
    };
    for (int i = 0; i < CUC_LENGTH(others); i++) {
        if (!others[i].dtype)
            continue;
        bool matrix = others[i].rows != NONE && others[i].array != &x->bias;
        make(others[i].array, others[i].dtype, others[i].batch, others[i].rows, others[i].columns,
             matrix ? o->d_order : 0, matrix ? r->gap : 0);
        fill(others[i].array, others[i].poison);
        *others[i].arg = &others[i].array->t;
    }
    for (int64_t g = 0; groups != NONE && g <= groups; g++)
        set(&x->offsets, 0, 0, g, (double)offset(r, g));
    if (groups != NONE)
        ck_ok(cuc_buffer_write_async(stream, x->offsets.buffer, 0, x->offsets.bytes,
                                     x->offsets.size));
    if (is_derivative(r) && r->m > 0 && r->n >= CUC_LENGTH(far)) {
        for (int i = 0; i < CUC_LENGTH(far) && !tile_is_integer(x->aux.t.dtype); i++)
            set(&x->aux, 0, r->m / 2, i, far[i]);
        ck_ok(cuc_buffer_write_async(stream, x->aux.buffer, 0, x->aux.bytes, x->aux.size));
    }
    if (o->a_scale_rows) {
        make(&x->a_scale, CUC_F32, o->flags & CUC_GEMM_SHARED_A ? NONE : batch,
             blocks_of(r->m, o->a_scale_rows), blocks_of(r->k, 128), o->a_order, 0);
        fill(&x->a_scale, false);
        x->args.a_scale = &x->a_scale.t;
    }
    if (o->b_scale_columns) {
        make(&x->b_scale, CUC_F32,
             o->flags & CUC_GEMM_SHARED_B ? NONE
             : groups != NONE             ? groups
                                          : batch,
             blocks_of(r->k, 128), blocks_of(r->n, o->b_scale_columns), o->b_order, 0);
        fill(&x->b_scale, false);
        x->args.b_scale = &x->b_scale.t;
    }
    const struct {
        struct array *array;
        const cuc_tensor **arg;
        cuc_dtype dtype;
        int64_t batch, rows, columns;
    } outputs[] = {
        { &x->aux, &x->args.aux, is_derivative(r) ? 0 : k->aux, batch, r->m, r->n },
        { &x->bias_gradient, &x->args.bias_gradient, k->gradient_dtype, NONE, NONE,
          sums_rows(r) ? r->m : r->n },
        { &x->amax, &x->args.amax, k->amax ? CUC_F32 : 0, NONE, NONE, 1 },
    };
    for (int i = 0; i < CUC_LENGTH(outputs); i++) {
        struct array *y = outputs[i].array;
        bool matrix = outputs[i].rows != NONE;
        if (!outputs[i].dtype)
            continue;
        make(y, outputs[i].dtype, outputs[i].batch, outputs[i].rows, outputs[i].columns,
             matrix ? o->d_order : 0, matrix ? r->gap : 0);
        ck_ok(cuc_buffer_write_async(stream, y->buffer, 0, y->bytes, y->size));
        *outputs[i].arg = &y->t;
    }
    x->args.workspace_bytes = cuc_gemm_plan_workspace_bytes(plan, r->m, r->n, r->k) *
                              (uint64_t)(batch != NONE ? batch : 1);
    if (x->args.workspace_bytes) {
        ck_ok(cuc_buffer_create(&x->workspace.buffer, stream, NULL, x->args.workspace_bytes));
        x->args.workspace = cuc_buffer_ptr(x->workspace.buffer);
    }
}

static void drop_all(struct arrays *x)
{
    struct array *all = &x->a;

    for (size_t i = 0; i < 15; i++)
        if (all[i].buffer)
            drop(&all[i]);
}

static double scaled(const struct arrays *x, const struct row *r, int64_t i, int64_t j)
{
    return (r->o.flags & CUC_GEMM_SCALED_ROWS ? value(&x->row_scale, 0, 0, i) : 1) *
           (r->o.flags & CUC_GEMM_SCALED_COLUMNS ? value(&x->column_scale, 0, 0, j) : 1);
}

// Computes an element of d, its value before the activation, and the sum of the magnitudes of its
// terms.
static double expected(const struct arrays *x, const struct row *r, int64_t z, int64_t i, int64_t j,
                       double *size, double *before)
{
    int64_t g = r->o.form == CUC_GEMM_GROUPED ? group_of(r, i) : z;
    double sum = 0, y;

    const double *a = x->a.numbers + position(&x->a, z, i, 0);
    const double *b = x->b.numbers + position(&x->b, g, 0, j);
    int64_t next_a = x->a.t.strides[x->a.t.rank - 1], next_b = x->b.t.strides[x->b.t.rank - 2];
    *size = 0;
    for (int64_t k = 0; k < r->k; k++) {
        double one = a[k * next_a] * b[k * next_b];
        if (r->o.a_scale_rows)
            one *= value(&x->a_scale, x->a.t.rank > 2 ? z : 0, i / r->o.a_scale_rows, k / 128);
        if (r->o.b_scale_columns)
            one *= value(&x->b_scale, x->b.t.rank > 2 ? g : 0, k / 128, j / r->o.b_scale_columns);
        sum += one;
        *size += fabs(one);
    }
    double factor = r->alpha * scaled(x, r, i, j);
    y = r->alpha == 0 ? 0 : factor * sum;
    *size *= fabs(factor);
    if (r->beta != 0)
        y += r->beta * value(&x->c, z, i, j);
    if (r->o.bias)
        y += value(&x->bias, 0, r->o.form == CUC_GEMM_GROUPED ? g : 0,
                   r->o.bias == CUC_GEMM_BIAS_ROWS ? i : j);
    *size += fabs(y);
    *before = y;
    y = is_derivative(r) ? y * activate(r->o.activation, value(&x->aux, z, i, j))
                         : activate(r->o.activation, y);
    if (r->o.residual_dtype)
        y += value(&x->residual, z, i, j);
    return y;
}

// Returns the tolerance: one rounding to d's type, and some roundings of the terms to f32.
static double allowed(const struct row *r, cuc_dtype d, double y, double size)
{
    double unit = d == CUC_F16    ? 0x1p-11
                  : d == CUC_BF16 ? 0x1p-8
                  : d == CUC_E4M3 ? 0x1p-4
                  : d == CUC_E5M2 ? 0x1p-3
                  : d == CUC_F32  ? 0x1p-23
                                  : 0x1p-52;

    if (tile_is_integer(d))
        return d == CUC_I32 ? 0 : 0.5;
    double of_sums = r->o.dtype == CUC_F64 ? 0x1p-48 : 0x1p-20;
    if (r->o.activation && r->o.dtype != CUC_F64)
        of_sums = 0x1p-18;
    return 1.01 * unit * fabs(y) + of_sums * size + (d == CUC_F64 ? 1e-300 : 1e-7);
}

static double saturated(cuc_dtype d, double y)
{
    double most = d == CUC_I8     ? 127
                  : d == CUC_U8   ? 255
                  : d == CUC_E4M3 ? 448
                  : d == CUC_E5M2 ? 57344
                                  : INFINITY;
    double least = d == CUC_I8 ? -128 : d == CUC_U8 ? 0 : -most;

    return fmin(fmax(y, least), most);
}

// Reads an array back from the device.
static struct array read_back(const struct array *a)
{
    struct array got = *a;

    if (!a->buffer)
        return got;
    got.bytes = malloc(got.size);
    ck_ok(cuc_buffer_read_async(stream, got.bytes, a->buffer, 0, got.size));
    ck_ok(cuc_stream_synchronize(stream));
    return got;
}

// Compares an element and poisons it, so that only elements that were not compared are left.
static void compare_element(struct array *got, const char *name, const struct row *r, int64_t z,
                            int64_t i, int64_t j, double wanted, double tolerance)
{
    double have = value(got, z, i, j);

    ck_assert_msg(fabs(have - wanted) <= tolerance,
                  "%s: %s[%d][%d][%d] is %.9g, expected %.9g within %.3g", r->name, name, (int)z,
                  (int)i, (int)j, have, wanted, tolerance);
    memset(at(got, z, i, j), POISON, cuc_dtype_bits(got->t.dtype) / 8);
}

// Checks that nothing but the compared elements was written.
static void compare_rest(struct array *got, const char *name, const struct row *r)
{
    if (!got->buffer)
        return;
    for (size_t i = 0; i < got->size; i++)
        ck_assert_msg(got->bytes[i] == POISON, "%s: byte %zu beside %s was written", r->name, i,
                      name);
    free(got->bytes);
}

// Adds the numbers of an operand whose sum is the gradient of a bias.
static void add_operand(const struct arrays *x, const struct row *r, double *sum, double *size)
{
    bool of_a = r->o.bias_gradient == CUC_GEMM_GRADIENT_A;
    const struct array *operand = of_a ? &x->a : &x->b;

    for (int64_t z = 0; z < (operand->t.rank > 2 ? operand->t.shape[0] : 1); z++)
        for (int64_t i = 0; i < (of_a ? r->m : r->n); i++)
            for (int64_t k = 0; k < r->k; k++) {
                double one = of_a ? value(operand, z, i, k) : value(operand, z, k, i);
                sum[i] += one;
                size[i] += fabs(one);
            }
}

static void compare_gradient(const struct arrays *x, const struct row *r, const double *sum,
                             const double *size)
{
    struct array got = read_back(&x->bias_gradient);

    for (int64_t i = 0; r->o.bias_gradient && i < (sums_rows(r) ? r->m : r->n); i++)
        compare_element(&got, "bias_gradient", r, 0, 0, i, sum[i],
                        allowed(r, got.t.dtype, sum[i], 16 * size[i]));
    compare_rest(&got, "bias_gradient", r);
}

static void compare(struct arrays *x, const struct row *r)
{
    struct array d = read_back(&x->d), aux = read_back(&x->aux), amax = read_back(&x->amax);
    int64_t batch = r->o.form == CUC_GEMM_BATCHED ? r->batch : 1;
    size_t most = (size_t)(r->m > r->n ? r->m : r->n) + 1;
    double *sum = calloc(most, sizeof(*sum)), *sum_size = calloc(most, sizeof(*sum_size));
    double largest = 0, error = 0;

    decode(&x->a);
    decode(&x->b);
    for (int64_t z = 0; z < batch; z++)
        for (int64_t i = 0; i < r->m; i++)
            for (int64_t j = 0; j < r->n; j++) {
                if (r->o.form == CUC_GEMM_GROUPED && group_of(r, i) < 0)
                    continue; // this element must keep its value
                double size, before, y = expected(x, r, z, i, j, &size, &before);
                double rounded = saturated(d.t.dtype, y);
                compare_element(&d, "d", r, z, i, j, rounded, allowed(r, d.t.dtype, rounded, size));
                if (aux.buffer && !is_derivative(r))
                    compare_element(&aux, "aux", r, z, i, j, before,
                                    allowed(r, aux.t.dtype, before, size));
                sum[sums_rows(r) ? i : j] += y;
                sum_size[sums_rows(r) ? i : j] += size + fabs(y);
                largest = fmax(largest, fabs(y));
                error = fmax(error, allowed(r, CUC_F32, y, size));
            }
    if (r->o.bias_gradient >= CUC_GEMM_GRADIENT_A) {
        memset(sum, 0, most * sizeof(*sum));
        memset(sum_size, 0, most * sizeof(*sum_size));
        add_operand(x, r, sum, sum_size);
    }
    compare_gradient(x, r, sum, sum_size);
    if (amax.buffer)
        compare_element(&amax, "amax", r, 0, 0, 0, largest, error);
    compare_rest(&amax, "amax", r);
    compare_rest(&d, "d", r);
    if (is_derivative(r))
        free(aux.bytes); // an input
    else
        compare_rest(&aux, "aux", r);
    free(sum);
    free(sum_size);
}

static cuc_status call(cuc_gemm_plan *plan, const struct row *r, const cuc_gemm_args *args)
{
    switch (r->o.form) {
    case CUC_GEMM_BATCHED:
        return cuc_gemm_batched(stream, plan, r->alpha, r->beta, args);
    case CUC_GEMM_GROUPED:
        return cuc_gemm_grouped(stream, plan, r->alpha, r->beta, args);
    default:
        return cuc_gemm(stream, plan, r->alpha, r->beta, args);
    }
}

static struct slice slice = { 0, 1 };

static bool in_first_slice(void)
{
    return slice.first == 0;
}

CASE("products", .setup = setup, .teardown = teardown, .timeout = 120);

TEST_SLICE(every_kind_of_product_is_right, slice, CUC_LENGTH(rows))
{
    const struct row *r = &rows[_i];
    struct arrays x;
    cuc_gemm_plan *plan = NULL;

    seed = (uint64_t)_i + 1;
    ck_assert_msg(cuc_gemm_plan_create(&plan, device, &r->o) == CUC_OK, "%s: %s\n%s", r->name,
                  cuc_error_message(), cuc_error_log());
    make_all(&x, r, plan);
    ck_assert_msg(call(plan, r, &x.args) == CUC_OK, "%s: %s", r->name, cuc_error_message());
    compare(&x, r);
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// ---- Random cases: edges of tiles, in every type and order

static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

static int64_t edge(void)
{
    static const int64_t edges[] = { 1,  2,  7,  8,  15, 16,  17,  31,  32,
                                     33, 63, 64, 65, 72, 127, 128, 129, 136 };

    return edges[below(CUC_LENGTH(edges))];
}

// Values of the option pack. 8 and 16 transpose a and b.
static const int32_t packs[] = { 1,      2,     3,      CUC_GEMM_PACK_NONE, 1 | 8,
                                 2 | 16, 3 | 8, 3 | 16, 3 | 8 | 16 };

static void make_row(struct row *r)
{
    static const cuc_dtype dtypes[] = { CUC_F16,  CUC_BF16, CUC_F32, CUC_F64,  CUC_E4M3,
                                        CUC_E5M2, CUC_I8,   CUC_U8,  CUC_TF32, CUC_F16 };
    cuc_gemm_options *o = &r->o;

    *r = (struct row){ .name = "random", .alpha = 1 };
    o->struct_size = sizeof(*o);
    o->dtype = dtypes[below(CUC_LENGTH(dtypes))];
    o->form = (int32_t)below(4) % 3;
    o->b_order = (int32_t)below(2);
    if (o->form != CUC_GEMM_GROUPED) {
        o->a_order = (int32_t)below(2);
        o->d_order = (int32_t)below(2);
    }
    r->m = edge();
    r->n = edge();
    r->k = edge();
    r->batch = o->form ? 1 + (int64_t)below(4) : 0;
    r->gap = below(3) ? 0 : below(2) ? 1 : 8;
    bool whole = o->dtype == CUC_I8 || o->dtype == CUC_U8;
    cuc_dtype d = whole ? CUC_I32 : o->dtype == CUC_F64 ? CUC_F64 : CUC_F32;
    if (below(2))
        o->d_dtype = d;
    if (!below(3)) {
        o->c_dtype = d;
        r->beta = below(4) ? 2 : 0;
    }
    if (!below(3))
        r->alpha = -2;
    if (!below(3))
        o->bias = 1 + (o->form != CUC_GEMM_GROUPED && below(2));
    if (!whole && !below(3))
        o->activation = (int32_t)below(9);
    if (!below(4))
        o->residual_dtype = d;
    if (o->dtype == CUC_F32)
        o->precision = (int32_t)below(3);
    if (!below(2)) { // tiles of a pipeline, for any shape
        o->tile_m = 64 << below(2);
        o->tile_n = 64 << below(2);
        o->tile_k = 64;
        if (below(2))
            o->cluster = 1 << below(3);
        else if (o->form != CUC_GEMM_GROUPED)
            o->cluster_n = 1 << below(3);
        if (!o->form && o->cluster < 2 && o->cluster_n < 2 && !below(3))
            o->split = 2;
        else if (below(2))
            o->warps = 4;
    }
    if (!o->form && !o->split && !below(5))
        o->parts = 2 + (int32_t)below(3);
    else if (!o->form && !o->split && o->cluster < 2 && o->cluster_n < 2 && !below(4))
        o->stream_k = 1 + (int32_t)below(2);
    if (!o->form && !below(3))
        o->pack = packs[below(CUC_LENGTH(packs))];
    else if (!below(3))
        o->alignment = 1 << below(6);
    if (!below(3))
        o->aux_dtype = d;
    if (o->form != CUC_GEMM_GROUPED && !below(3))
        o->bias_gradient = 1 + (int32_t)below(4);
    if (d == CUC_F32 && !below(3))
        o->flags |= CUC_GEMM_AMAX;
    bool eight = o->dtype == CUC_E4M3 || o->dtype == CUC_E5M2;
    if (eight && o->split < 2 && o->cluster < 2 && o->cluster_n < 2 && !o->stream_k &&
        o->warps != 4 && (!o->tile_k || o->tile_k == 128) && below(3)) {
        o->a_scale_rows = o->form == CUC_GEMM_GROUPED || below(2) ? 1 : 128;
        o->b_scale_columns = below(2) ? 1 : 128;
    }
}

enum { RANDOM_PRODUCTS = 200 };

TEST_SLICE(random_products_are_right, slice, RANDOM_PRODUCTS)
{
    struct row r;
    struct arrays x;
    cuc_gemm_plan *plan = NULL;

    seed = 1000 + (uint64_t)_i;
    make_row(&r);
    cuc_status st = cuc_gemm_plan_create(&plan, device, &r.o);
    ck_assert_msg(st == CUC_OK, "%s\n%s", cuc_error_message(), cuc_error_log());
    make_all(&x, &r, plan);
    ck_assert_msg(call(plan, &r, &x.args) == CUC_OK, "%s", cuc_error_message());
    compare(&x, &r);
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// ---- Refusals

static const struct {
    cuc_gemm_options o;
    const char *words[3]; // expected parts of the message
} bad_options[] = {
#define BAD(...)                                             \
    {                                                        \
        .struct_size = sizeof(cuc_gemm_options), __VA_ARGS__ \
    }
    { BAD(.m = 1), { "dtype is unknown", "f16, bf16" } },
    { BAD(.dtype = CUC_I32), { "dtype is i32", "u8" } },
    { BAD(.dtype = CUC_F16, .d_dtype = CUC_I8), { "d_dtype is i8", "f16, f32, bf16" } },
    { BAD(.dtype = CUC_F16, .accumulator = CUC_F16), { "accumulator is f16", "f32" } },
    { BAD(.dtype = CUC_F16, .c_dtype = CUC_F64), { "c_dtype is f64" } },
    { BAD(.dtype = CUC_I8, .c_dtype = CUC_F32), { "c_dtype is f32", "expected i32" } },
    { BAD(.dtype = CUC_F16, .form = 3), { "form is 3", "0 to 2" } },
    { BAD(.dtype = CUC_F16, .m = -1), { "m is -1" } },
    { BAD(.dtype = CUC_F16, .flags = 1 << 20), { "flags is 1048576" } },
    { BAD(.dtype = CUC_F16, .tile_m = 64), { "tile_m and tile_n" } },
    { BAD(.dtype = CUC_F64, .tile_m = 256, .tile_n = 128),
      { "tile_m is 256", "f64", "128 and 128" } },
    { BAD(.dtype = CUC_TF32, .arch = "sm_80", .tile_m = 192, .tile_n = 256),
      { "tile_m is 192", "128 and 256" } },
    { BAD(.dtype = CUC_F16, .flags = CUC_GEMM_SHARED_A), { "CUC_GEMM_BATCHED" } },
    { BAD(.dtype = CUC_F16, .flags = CUC_GEMM_FAST_ACC), { "e4m3" } },
    { BAD(.dtype = CUC_F16, .precision = CUC_GEMM_TF32), { "precision", "f32" } },
    { BAD(.dtype = CUC_F16, .bias_dtype = CUC_F16), { "bias_dtype", "CUC_GEMM_NO_BIAS" } },
    { BAD(.dtype = CUC_I8, .activation = CUC_GEMM_GELU), { "i32", "CUC_GEMM_RELU" } },
    { BAD(.dtype = CUC_F64, .flags = CUC_GEMM_SCALED_ROWS), { "scales", "f32" } },
    { BAD(.dtype = CUC_I8, .activation = CUC_GEMM_SILU_DERIVATIVE), { "i32", "RELU_DERIVATIVE" } },
    { BAD(.dtype = CUC_F16, .activation = 9), { "activation is 9", "0 to 8" } },
    { BAD(.dtype = CUC_F16, .aux_dtype = CUC_F64), { "aux_dtype is f64" } },
    { BAD(.dtype = CUC_I8, .d_dtype = CUC_I8, .aux_dtype = CUC_I8), { "aux", "i8 or u8" } },
    { BAD(.dtype = CUC_I8, .d_dtype = CUC_F32, .bias_gradient = 1, .bias_gradient_dtype = CUC_I8),
      { "bias_gradient_dtype", "i8 or u8" } },
    { BAD(.dtype = CUC_F64, .flags = CUC_GEMM_AMAX), { "CUC_GEMM_AMAX", "f64", "another dtype" } },
    { BAD(.dtype = CUC_I8, .flags = CUC_GEMM_AMAX), { "CUC_GEMM_AMAX", "i32", "d_dtype of f32" } },
    { BAD(.dtype = CUC_F16, .bias_gradient = 5), { "bias_gradient is 5", "0 to 4" } },
    { BAD(.dtype = CUC_F16, .bias_gradient_dtype = CUC_F32), { "CUC_GEMM_NO_GRADIENT" } },
    { BAD(.dtype = CUC_F16, .form = CUC_GEMM_GROUPED, .bias_gradient = 1), { "grouped" } },
    { BAD(.dtype = CUC_F16, .form = CUC_GEMM_GROUPED, .a_order = 1), { "a_order" } },
    { BAD(.dtype = CUC_F16, .form = CUC_GEMM_BATCHED, .parts = 2), { "parts" } },
    { BAD(.dtype = CUC_F16, .arch = "sm_70"), { "arch is sm_70", "sm_80, 86" } },
    { BAD(.dtype = CUC_F16, .cluster = -1), { "cluster is -1", "0 to 8" } },
    { BAD(.dtype = CUC_F16, .cluster = 3), { "cluster_n are 1, 2, 4, 8 or 0" } },
    { BAD(.dtype = CUC_F16, .cluster = 2, .cluster_n = 2), { "do not combine" } },
    { BAD(.dtype = CUC_F16, .cluster_n = 2, .split = 2), { "cluster_n does not combine" } },
    { BAD(.dtype = CUC_F16, .cluster = 2, .split = 2), { "cluster does not combine with split" } },
    { BAD(.dtype = CUC_F16, .raster = 65), { "raster is 65", "0 to 64" } },
    { BAD(.dtype = CUC_F16, .warps = -4), { "warps is -4", "0 to 32" } },
    { BAD(.dtype = CUC_F16, .warps = 12), { "warps is 12", "power of two" } },
    { BAD(.dtype = CUC_F16, .warps = 4, .split = 2, .arch = "sm_90a"),
      { "warps of 4, split of 2", "one of them 0", "tile_m and tile_n" } },
    { BAD(.dtype = CUC_F16, .tile_k = 7, .arch = "sm_90a"),
      { "tile_k of 7: leave it 0", "tile_m and tile_n" } },
    { BAD(.dtype = CUC_F16, .arch = "hopper"), { "hopper", "sm_90a" } },
    { BAD(.dtype = CUC_F16, .stages = 25), { "stages is 25" } },
    { BAD(.dtype = CUC_F16, .stream_k = 9), { "stream_k is 9", "0 to 8" } },
    { BAD(.dtype = CUC_F16, .form = CUC_GEMM_GROUPED, .stream_k = 1), { "stream_k" } },
    { BAD(.dtype = CUC_F16, .stream_k = 1, .parts = 2), { "stream_k", "parts" } },
    { BAD(.dtype = CUC_F16, .pack = CUC_GEMM_PACK_TRANSPOSED_A),
      { "pack", "_TRANSPOSED_A needs _A" } },
    { BAD(.dtype = CUC_F16, .pack = CUC_GEMM_PACK_NONE | CUC_GEMM_PACK_A), { "pack", "alone" } },
    { BAD(.dtype = CUC_F16, .form = CUC_GEMM_BATCHED, .pack = CUC_GEMM_PACK_A),
      { "pack", "CUC_GEMM_SINGLE" } },
    { BAD(.dtype = CUC_F16, .sm_count = 3, .cluster = 4), { "cluster", "at most sm_count" } },
    { BAD(.dtype = CUC_F16, .sm_count = -1), { "sm_count is -1", "0 to" } },
    { BAD(.dtype = CUC_F16, .sm_count = 100000), { "sm_count is 100000", "multiprocessors of" } },
    { BAD(.dtype = CUC_F16, .a_scale_rows = 1), { "scales by block", "e5m2" } },
    { BAD(.dtype = CUC_E4M3, .a_scale_rows = 64), { "a_scale_rows", "128 or 0" } },
    { BAD(.dtype = CUC_E4M3, .b_scale_columns = 1, .stream_k = 1),
      { "scales by block", "stream_k" } },
    { BAD(.dtype = CUC_E4M3, .b_scale_columns = 1, .tile_k = 64), { "tile_k", "128 or 0" } },
    { BAD(.dtype = CUC_E4M3, .b_scale_columns = 128, .tile_m = 64, .tile_n = 96),
      { "divide 128" } },
    { BAD(.dtype = CUC_E4M3, .a_scale_rows = 128, .form = CUC_GEMM_GROUPED), { "grouped" } },
    { BAD(.dtype = CUC_F16, .alignment = 3), { "alignment", "power of two" } },
};

CASE("products", .only_if = in_first_slice);

TEST_ROWS(invalid_options_are_refused_by_name, bad_options)
{
    cuc_gemm_plan *plan = (cuc_gemm_plan *)&plan;
    cuc_status st = cuc_gemm_plan_create(&plan, device, &bad_options[_i].o);

    ck_assert_int_lt(st, 0);
    ck_assert_ptr_eq(plan, &plan); // unchanged
    ck_assert_str_eq(cuc_error_function(), "cuc_gemm_plan_create");
    for (int i = 0; i < 3 && bad_options[_i].words[i]; i++)
        ck_assert_msg(strstr(cuc_error_message(), bad_options[_i].words[i]) != NULL, "%s lacks %s",
                      cuc_error_message(), bad_options[_i].words[i]);
}

static cuc_tensor tensor(cuc_dtype dtype, int32_t rank, int64_t m, int64_t n)
{
    cuc_tensor t;

    ck_ok(cuc_tensor_from_pointer(&t, 0x10000, dtype, rank, (const int64_t[]){ m, n }, 0));
    return t;
}

TEST(arguments_that_do_not_fit_are_refused_by_name)
{
    const cuc_tensor a = tensor(CUC_F16, 2, 8, 16), b = tensor(CUC_F16, 2, 16, 24);
    const cuc_tensor d = tensor(CUC_F16, 2, 8, 24), bias = tensor(CUC_F16, 1, 24, 0);
    const cuc_tensor other = tensor(CUC_BF16, 2, 8, 24), turned = tensor(CUC_F16, 2, 24, 8);
    const cuc_tensor offsets = tensor(CUC_I32, 1, 2, 0);
    cuc_tensor constant = d, many = b, negative = a;
    cuc_gemm_plan *plan, *whole, *batched, *grouped, *outputs;

    constant.flags = CUC_TENSOR_READ_ONLY;
    ck_ok(cuc_gemm_plan_create(
        &plan, device,
        CUC_GEMM_OPTIONS(.dtype = CUC_F16, .bias = CUC_GEMM_BIAS_COLUMNS, .parts = 2)));
    ck_ok(cuc_gemm_plan_create(&whole, device, CUC_GEMM_OPTIONS(.dtype = CUC_I8, .m = 8, .n = 8)));
    ck_ok(cuc_gemm_plan_create(&batched, device,
                               CUC_GEMM_OPTIONS(.dtype = CUC_F16, .form = CUC_GEMM_BATCHED)));
    ck_ok(cuc_gemm_plan_create(&outputs, device,
                               CUC_GEMM_OPTIONS(.dtype = CUC_F16, .aux_dtype = CUC_F16,
                                                .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS,
                                                .flags = CUC_GEMM_AMAX)));
    const cuc_gemm_args good = {
        .struct_size = sizeof(good), .a = &a, .b = &b, .d = &d, .bias = &bias
    };
    cuc_gemm_args g = good;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, NULL), "args is NULL");
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "workspace has 0 bytes", "expected 1536");
    g.workspace = 0x100080;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "multiple of 256");
    ck_fails(bad, cuc_gemm(stream, plan, 1, 1, &g), "beta is 1", "c_dtype");
    ck_fails(bad, cuc_gemm(stream, batched, 1, 0, &g), "cuc_gemm_batched");
    ck_fails(bad, cuc_gemm(stream, whole, 0.5, 0, &g), "alpha is 0.5", "i32");
    g = good;
    g.a = NULL;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "a is NULL");
    g = good;
    g.b = &turned;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "b is [24, 8]", "expected [16, 8]", "[k, n]");
    g = good;
    g.d = &other;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "d is of bf16", "f16");
    g = good;
    g.bias = NULL;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "bias is NULL");
    g = good;
    g.residual = &d;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "residual is given");
    g = good;
    g.d = &constant;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "d is read-only");
    cuc_tensor gradient = tensor(CUC_F32, 1, 24, 0), amax = tensor(CUC_F32, 1, 2, 0);
    g = good;
    g.aux = &d;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "aux is given", "NULL");
    g = (cuc_gemm_args){ .struct_size = sizeof(g), .a = &a, .b = &b, .d = &d, .amax = &amax };
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "aux is NULL");
    g.aux = &constant;
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "bias_gradient is NULL");
    g.bias_gradient = &bias;
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "bias_gradient is of f16", "f32");
    g.bias_gradient = &gradient;
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "amax is [2]", "expected [1]");
    amax.shape[0] = 1;
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "aux is read-only");
    g.aux = &d;
    gradient.strides[0] = 0;
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "bias_gradient is [24]", "other than 0");
    gradient.strides[0] = 1;
    ck_fails(bad, cuc_gemm(stream, outputs, 1, 0, &g), "workspace has 0 bytes", "expected 256");
    g = good;
    negative.shape[0] = -8;
    g.a = &negative;
    ck_fails(bad, cuc_gemm(stream, plan, 1, 0, &g), "a is [-8, 16]", "0 and more");
    // The array of group offsets must not overlap d.
    ck_ok(cuc_gemm_plan_create(&grouped, device,
                               CUC_GEMM_OPTIONS(.dtype = CUC_F16, .form = CUC_GEMM_GROUPED)));
    ck_ok(cuc_tensor_from_pointer(&many, 0x10000, CUC_F16, 3, (const int64_t[]){ 1, 16, 24 }, 0));
    g = (cuc_gemm_args){
        .struct_size = sizeof(g), .a = &a, .b = &many, .d = &d, .offsets = &offsets
    };
    ck_fails(bad, cuc_gemm_grouped(stream, grouped, 1, 0, &g), "noalias(d, offsets)");
    cuc_gemm_plan_release(grouped);
    ck_assert_uint_eq(cuc_gemm_plan_workspace_bytes(plan, 8, 24, 64), 1536);
    cuc_gemm_plan_release(outputs);
    cuc_gemm_plan_release(batched);
    cuc_gemm_plan_release(whole);
    cuc_gemm_plan_release(plan);
}

// A plan with split sums whose workspace would exceed 64 bits.
TEST(a_workspace_size_beyond_64_bits_saturates)
{
    enum { PARTS = 4 };
    const int64_t large = INT64_C(1) << 31;
    cuc_tensor a = tensor(CUC_F16, 2, large, 16), b = tensor(CUC_F16, 2, 16, large);
    cuc_tensor d = tensor(CUC_F16, 2, large, large);
    cuc_gemm_args g = { .struct_size = sizeof(g), .a = &a, .b = &b, .d = &d };
    cuc_gemm_plan *plan;

    ck_ok(cuc_gemm_plan_create(&plan, device, CUC_GEMM_OPTIONS(.dtype = CUC_F16, .parts = PARTS)));
    ck_assert_uint_eq(cuc_gemm_plan_workspace_bytes(plan, large, large / 8, 64),
                      (uint64_t)large * (uint64_t)large / 8 * PARTS * 4);
    ck_assert_uint_eq(cuc_gemm_plan_workspace_bytes(plan, large, large, 64), UINT64_MAX);
    ck_assert_uint_eq(cuc_gemm_plan_workspace_bytes(plan, INT64_MAX, INT64_MAX, 64), UINT64_MAX);
    ck_assert_uint_eq(cuc_gemm_plan_workspace_bytes(plan, 0, INT64_MAX, 64), 0);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_gemm(stream, plan, 1, 0, &g), "m 2147483648",
             "64 bits");
    g.workspace = 0x100000;
    g.workspace_bytes = UINT64_MAX;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_gemm(stream, plan, 1, 0, &g), "m 2147483648",
             "64 bits");
    cuc_gemm_plan_release(plan);
}

// clang-format off
static const struct {
    int64_t shape[3], strides[3]; // shape and strides of a batch
    bool meet;
} results[] = {
    { { 2, 8, 24 }, { 192, 24, 1 }, false },
    { { 2, 8, 24 }, { 192, 23, 1 }, true },
    { { 2, 8, 24 }, { 192, 0, 1 }, true },
    { { 2, 8, 24 }, { 0, 24, 1 }, true },
    { { 2, 8, 24 }, { 24, 48, 1 }, false }, // interleaved rows of two matrices
    { { 2, 8, 24 }, { 24, 24, 1 }, true },
    { { 2, 8, 24 }, { -192, -24, -1 }, false },
    { { 2, 8, 24 }, { 192, -23, 1 }, true },
    { { 2, 8, 24 }, { 192, 1, 8 }, false },
    { { 2, 8, 24 }, { 192, 1, 7 }, true },
    { { 2, 8, 24 }, { 1000, 6, 15 }, true }, // 5 row strides equal 2 column strides
    { { 2, 8, 24 }, { 768, 4, 32 }, false },
    { { 1, 1, 24 }, { 0, 0, 1 }, false },
    { { 2, 0, 24 }, { 0, 0, 0 }, false },
};
// clang-format on

TEST_ROWS(results_with_two_elements_at_one_address_are_refused, results)
{
    enum { DEPTH = 4, BYTES = 1 << 17 };
    const int64_t *shape = results[_i].shape;
    cuc_tensor a, b, d;
    cuc_gemm_plan *plan;
    cuc_buffer *buffer;

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, BYTES));
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 0, 1, BYTES));
    cuc_device_ptr at = cuc_buffer_ptr(buffer);
    ck_ok(cuc_gemm_plan_create(&plan, device,
                               CUC_GEMM_OPTIONS(.dtype = CUC_F16, .form = CUC_GEMM_BATCHED)));
    ck_ok(cuc_tensor_from_pointer(&a, at, CUC_F16, 3,
                                  (const int64_t[]){ shape[0], shape[1], DEPTH }, 0));
    ck_ok(cuc_tensor_from_pointer(&b, at, CUC_F16, 3,
                                  (const int64_t[]){ shape[0], DEPTH, shape[2] }, 0));
    ck_ok(cuc_tensor_from_pointer(&d, at + BYTES / 2, CUC_F16, 3, shape, 0));
    memcpy(d.strides, results[_i].strides, sizeof(results[_i].strides));
    cuc_gemm_args g = { .struct_size = sizeof(g), .a = &a, .b = &b, .d = &d };
    if (results[_i].meet)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_gemm_batched(stream, plan, 1, 0, &g),
                 "d is [2, 8, 24] with strides of [", "one address");
    else
        ck_ok(cuc_gemm_batched(stream, plan, 1, 0, &g));
    ck_ok(cuc_stream_synchronize(stream));
    cuc_buffer_release(buffer);
    cuc_gemm_plan_release(plan);
}

// Checks divisions by reciprocals at the ends of bands, where errors would show first.
static void check_bands(const struct cuc__gemm_tile *t, int64_t up, int64_t across)
{
    enum { SAMPLES = 100 };
    int64_t band = (t->raster ? t->raster : CUC__GEMM_RASTER) * across, tiles = up * across;
    struct cuc__gemm_stream_k dealt;
    uint64_t product;

    cuc__gemm_schedule_stream_k(&dealt, t, up * t->rows, across * t->columns, 4096);
    ck_assert_uint_ge(dealt.units, (uint64_t)tiles);
    int64_t bands = (tiles + band - 1) / band, step = bands / SAMPLES + 1;
    for (int64_t q = 0; q < bands; q += q + step < bands || q == bands - 1 ? step : bands - 1 - q)
        for (int last = 0; last < 2; last++) {
            int64_t x = last ? (q + 1) * band - 1 : q * band;
            x = x < tiles ? x : tiles - 1;
            ck_assert(!__builtin_mul_overflow((uint64_t)x, dealt.over_band, &product));
            ck_assert_msg((int64_t)(product >> 40) == x / band, "%lld / %lld is no %lld",
                          (long long)x, (long long)band, (long long)(product >> 40));
        }
}

TEST_RANGE(divisions_by_reciprocals_are_exact_for_all_tiles_of_a_launch, 0, 3)
{
    static const struct cuc__gemm_tile tiles[] = {
        { .rows = 16, .columns = 16, .depth = 64, .raster = 64, .stream_k = 1, .programs = 132 },
        { .rows = 1, .columns = 1, .depth = 64, .raster = 1, .stream_k = 1, .programs = 132 },
        { .rows = 128, .columns = 256, .depth = 64, .stream_k = 1, .programs = 132 },
    };
    const struct cuc__gemm_tile *t = &tiles[_i];

    for (int64_t up = 1; up < INT64_C(1) << 40; up += up / 3 + 1) {
        int64_t across = cuc__gemm_stream_k_max_width(t, up * t->rows);
        ck_assert_int_le(across, CUC__GEMM_MAX_WIDTH);
        ck_assert_msg(across > 0 || up > 1 << 23, "none of %lld", (long long)up);
        for (; across > 0; across -= across / 5 + 1)
            check_bands(t, up, across);
    }
}

static const struct {
    cuc_gemm_options o;
    int32_t pipeline, split, cluster;
} outcomes[] = {
    { BAD(.dtype = CUC_F16, .tile_m = 128, .tile_n = 128, .cluster = 1), 1, 1, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 100, .tile_n = 100), 0, 1, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 16, .tile_n = 16), 0, 1, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 128, .tile_n = 12), 0, 1, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .split = 4), 1, 4, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 100, .tile_n = 64, .tile_k = 8, .split = 4), 0, 1, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .cluster = 2), 1, 1, 2 },
    { BAD(.dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .parts = 2, .cluster = 1), 1, 1, 1 },
    { BAD(.dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .parts = 2, .cluster = 2), 1, 1, 2 },
    { BAD(.dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .arch = "sm_90", .split = 2), 0, 1, 1 },
    { BAD(.dtype = CUC_F32, .split = 2), 0, 1, 1 },
    { BAD(.dtype = CUC_F32, .cluster = 2), 0, 1, 1 },
    { BAD(.dtype = CUC_F16, .m = 256, .n = 256, .k = 8192, .cluster = 2), 1, 1, 2 },
    { BAD(.dtype = CUC_F16, .m = 128, .n = 512, .k = 16384, .cluster = 4), 1, 1, 4 },
    { BAD(.dtype = CUC_E4M3, .tile_m = 128, .tile_n = 128, .cluster = 1, .b_order = 1), 1, 1, 1 },
    { BAD(.dtype = CUC_E4M3, .tile_m = 128, .tile_n = 128), 0, 1, 1 },
};

TEST_ROWS(a_plan_reports_pipeline_split_and_cluster, outcomes)
{
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    cuc_gemm_plan *plan;

    if (!has_pipelines())
        return;
    ck_ok(cuc_gemm_plan_create(&plan, device, &outcomes[_i].o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_int_eq(choice.pipeline, outcomes[_i].pipeline);
    ck_assert_int_eq(choice.split, outcomes[_i].split);
    ck_assert_int_eq(choice.cluster, outcomes[_i].cluster);
    cuc_gemm_plan_release(plan);
}

#define LARGE(...) \
    BAD(.dtype = CUC_BF16, .b_order = 1, .m = 8192, .n = 8192, .k = 4096, __VA_ARGS__)

// The epilogues of a large product, and whether they leave registers for ping-pong and for the
// largest tiles.
static const struct {
    cuc_gemm_options o;
    bool ping_pong, largest;
} ends[] = {
    { LARGE(.activation = CUC_GEMM_GELU_TANH), true, true },
    { LARGE(.activation = CUC_GEMM_GELU_TANH, .aux_dtype = CUC_BF16), false, true },
    { LARGE(.activation = CUC_GEMM_GELU_TANH, .aux_dtype = CUC_BF16, .bias = 1), false, false },
    { LARGE(.activation = CUC_GEMM_GELU_TANH_DERIVATIVE), false, true },
    { LARGE(.activation = CUC_GEMM_GELU_TANH_DERIVATIVE, .bias_gradient = 1), false, false },
    { LARGE(.activation = CUC_GEMM_GELU_TANH, .flags = CUC_GEMM_AMAX), false, true },
    { LARGE(.activation = CUC_GEMM_GELU_TANH, .bias_gradient = CUC_GEMM_GRADIENT_A), true, true },
};

struct found {
    bool ping_pong, largest;
};

static void find(void *user, const char *choice, double seconds)
{
    struct found *f = user;

    (void)seconds;
    f->ping_pong |= strstr(choice, ":warps=4") != NULL;
    f->largest |= strstr(choice, "BM=128 BN=256 ") != NULL;
}

TEST_ROWS(epilogues_that_need_registers_get_tiles_that_leave_them, ends)
{
    struct found f = { .largest = false };

    if (!has_pipelines())
        return;
    ck_ok(cuc_gemm_visit_candidates(device, &ends[_i].o, find, &f));
    ck_assert_int_eq(f.ping_pong, ends[_i].ping_pong);
    ck_assert_int_eq(f.largest, ends[_i].largest);
}

TEST_RANGE(tiles_of_the_largest_shape_are_counted, 0, 2)
{
    const int64_t most = (INT64_C(1) << 47) - 1;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    cuc_gemm_options o = { .struct_size = sizeof(o), .dtype = CUC_F16, .k = 64 };
    cuc_gemm_plan *plan;

    o.form = _i ? CUC_GEMM_BATCHED : CUC_GEMM_SINGLE;
    o.batch = _i ? INT32_MAX : 0;
    o.m = o.n = most;
    o.tile_m = o.tile_n = _i ? 64 : 1;
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_int_eq(choice.tiles, INT64_MAX);
    ck_assert(choice.seconds > 1 && isfinite(choice.seconds));
    cuc_gemm_plan_release(plan);
}

TEST_RANGE(even_tiles_use_as_few_blocks_as_need_no_more_rounds, 0, 7)
{
    enum { ROWS = 128, COLUMNS = 64, DEPTH = 64, MULTIPROCESSORS = 132 };
    static const struct {
        int64_t rows, columns, blocks;
        int32_t warps, form;
    } cases[] = {
        { 64, 32, 128, 0, 0 }, // 2048 tiles in 16 rounds
        { 10, 10, 100, 0, 0 },
        { 12, 11, 132, 0, 0 },
        { 19, 7, 67, 0, 0 },
        { 24, 11, 132, 0, 0 },
        { 64, 32, 132, 4, 0 },                // ping-pong warpgroups
        { 64, 32, 132, 0, CUC_GEMM_GROUPED }, // at run time there may be fewer groups
    };
    struct tile_argument argument[4] = { { .tensor = NULL } };
    static uint64_t block[CUC__TILE_BLOCK_BYTES / 8];
    cuc_tensor t[4];
    cuc_gemm_plan *plan;

    if (!has_pipelines())
        return;
    ck_ok(
        cuc_gemm_plan_create(&plan, device,
                             CUC_GEMM_OPTIONS(.form = cases[_i].form, .dtype = CUC_F16,
                                              .tile_m = ROWS, .tile_n = COLUMNS, .tile_k = DEPTH,
                                              .cluster = 1, .split = 1, .warps = cases[_i].warps)));
    ck_ok(cuc__gemm_load(plan, CUC__GEMM_PLAIN, "this test"));
    const struct tile_signature *s = atomic_load(&plan->code[0].kernel)->tile->code->signature;
    int64_t m = cases[_i].rows * ROWS, n = cases[_i].columns * COLUMNS;
    int64_t grid[3] = { cases[_i].rows, cases[_i].columns, 1 };
    t[0] = tensor(CUC_F16, 2, m, DEPTH);
    t[1] = tensor(CUC_F16, 2, DEPTH, n);
    if (cases[_i].form)
        ck_ok(cuc_tensor_from_pointer(&t[1], 0x10000, CUC_F16, 3, (const int64_t[]){ 1, DEPTH, n },
                                      0));
    t[2] = tensor(CUC_F16, 2, m, n);
    t[3] = tensor(CUC_I32, 1, 2, 0);
    for (int i = 0; i < 4; i++) {
        t[i].data = UINT64_C(1) << 40; // leaves room before the array
        argument[i] = (struct tile_argument){ .dtype = t[i].dtype, .tensor = &t[i] };
    }
    ck_assert(s->entry[0].persistent);
    ck_assert(cuc__tile_fill_block(s, &s->entry[0], argument, grid, MULTIPROCESSORS,
                                   stream->context, block));
    ck_assert_int_eq(grid[0], cases[_i].blocks);
    cuc_gemm_plan_release(plan);
}

TEST(a_plan_shows_its_programs)
{
    cuc_gemm_plan *plan;
    cuc_program *program;
    cuc_object *object;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;

    ck_ok(cuc_gemm_plan_create(
        &plan, device,
        CUC_GEMM_OPTIONS(.dtype = CUC_BF16, .m = 4096, .n = 4096, .k = 4096, .c_dtype = CUC_F32)));
    for (size_t i = 0; i < 3; i++) {
        const char *text = cuc_gemm_plan_source(plan, i);
        ck_assert_ptr_nonnull(text);
        ck_assert_int_eq(strstr(text, "beta") != NULL, i == 2);
        ck_assert_int_eq(strstr(text, "alpha") != NULL, i >= 1);
        ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, text, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = "sm_80")));
        ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
        cuc_object_release(object);
        cuc_program_release(program);
    }
    ck_assert_ptr_null(cuc_gemm_plan_source(plan, 3));
    ck_assert_ptr_null(cuc_gemm_plan_source(NULL, 0));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_str_eq(choice.by, "model");
    ck_assert_int_eq(choice.tiles, 4096 / choice.tile_m * 4096 / choice.tile_n);
    ck_assert(choice.seconds > 1e-6 && choice.seconds < 1);
    ck_assert_ptr_eq(cuc_gemm_plan_retain(plan), plan);
    cuc_gemm_plan_release(plan);
    cuc_gemm_plan_release(plan);
    cuc_gemm_plan_release(NULL);
}

// Results must not depend on the workspace's contents or on the repetition. The workspace holds the
// flags, then 64 x 64 sums for each multiprocessor.
TEST(stream_k_is_deterministic)
{
    static const struct row row = {
        .name = "stream-K",
        .o = { .struct_size = sizeof(cuc_gemm_options),
               .dtype = CUC_BF16,
               .d_dtype = CUC_F32,
               .tile_m = 64,
               .tile_n = 64,
               .stream_k = 1 },
        .m = 190,
        .n = 136,
        .k = 500,
        .alpha = 1,
    };
    struct arrays x;
    cuc_gemm_plan *plan;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    unsigned char *first = NULL;

    ck_ok(cuc_gemm_plan_create(&plan, device, &row.o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_int_eq(choice.stream_k, 1);
    ck_assert_int_eq(choice.tiles, 0);
    make_all(&x, &row, plan);
    for (int64_t i = 0; i < row.m; i++) // inexact sums
        for (int64_t k = 0; k < row.k; k++)
            set(&x.a, 0, i, k, sin((double)(i * row.k + k)));
    ck_ok(cuc_buffer_write_async(stream, x.a.buffer, 0, x.a.bytes, x.a.size));
    size_t bytes = x.args.workspace_bytes, multiprocessors = device->limits.multiprocessors;
    size_t flags = (multiprocessors * 8 + 255) / 256 * 256;
    ck_assert_uint_eq(bytes, flags + multiprocessors * 64 * 64 * 4);
    unsigned char *noise = malloc(bytes);
    memset(noise, POISON, bytes);
    ck_ok(cuc_buffer_write_async(stream, x.workspace.buffer, 0, noise, bytes));
    for (int turn = 0; turn < 3; turn++) {
        unsigned char *got = malloc(x.d.size);
        ck_ok(call(plan, &row, &x.args));
        ck_ok(cuc_buffer_read_async(stream, got, x.d.buffer, 0, x.d.size));
        ck_ok(cuc_stream_synchronize(stream));
        if (first)
            ck_assert_mem_eq(first, got, x.d.size);
        else
            compare(&x, &row);
        free(first);
        first = got;
    }
    x.args.workspace_bytes = bytes - 1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, call(plan, &row, &x.args), "workspace has", "expected");
    free(first);
    free(noise);
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// A thread without a current context can launch a pipeline, whose blocks have three warpgroups.
TEST(a_pipeline_needs_no_current_context)
{
    static const struct row row = {
        .name = "pipeline",
        .o = { .struct_size = sizeof(cuc_gemm_options),
               .dtype = CUC_F16,
               .tile_m = 128,
               .tile_n = 64 },
        .m = 128,
        .n = 64,
        .k = 64,
        .alpha = 1,
    };
    struct arrays x;
    cuc_gemm_plan *plan;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;

    ck_assert_ptr_null(testing_current());
    ck_ok(cuc_gemm_plan_create(&plan, device, &row.o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    make_all(&x, &row, plan);
    ck_ok(call(plan, &row, &x.args));
    compare(&x, &row);
    const cuc_context *context = stream->context;
    const struct cuc__launch_record *last =
        &context->recent.records[CUC__RECORD_OF(context->recent.count - 1)];
    if (choice.pipeline)
        ck_assert_uint_eq(last->block_x, 384);
    ck_assert_ptr_null(testing_current());
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// clang-format off
static const struct {
    struct row row;
    uint32_t blocks; // of the last launch
} limited[] = {
    { ROW("more tiles than multiprocessors", 400, 400, 72, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64,
          .sm_count = 9) ONCE, 9 },
    { ROW("warpgroups that take tiles in turns", 400, 400, 72, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64,
          .warps = 4, .sm_count = 9) ONCE, 9 },
    { ROW("clusters", 400, 400, 72, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .cluster = 2,
          .sm_count = 9) ONCE, 8 },
    { ROW("a batch", 130, 130, 72, .form = CUC_GEMM_BATCHED, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64,
          .sm_count = 7), 3, 1, 0, 0 }, 7 },
    { ROW("stream-K", 400, 400, 200, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .stream_k = 2,
          .sm_count = 10) ONCE, 10 },
    { ROW("chosen by the model", 400, 400, 72, .dtype = CUC_F16, .m = 4096, .n = 4096, .k = 4096,
          .sm_count = 3) ONCE, 3 },
    { ROW("fewer tiles", 100, 100, 72, .dtype = CUC_F16, .tile_m = 64, .tile_n = 64, .sm_count = 9) ONCE, 4 },
};
// clang-format on

TEST_ROWS(a_pipeline_uses_no_more_multiprocessors_than_it_is_given, limited)
{
    const struct row *r = &limited[_i].row;
    struct arrays x;
    cuc_gemm_plan *plan;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;

    ck_ok(cuc_gemm_plan_create(&plan, device, &r->o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    make_all(&x, r, plan);
    ck_assert_msg(call(plan, r, &x.args) == CUC_OK, "%s", cuc_error_message());
    compare(&x, r);
    const cuc_context *context = stream->context;
    const struct cuc__launch_record *last =
        &context->recent.records[CUC__RECORD_OF(context->recent.count - 1)];
    if (has_pipelines())
        ck_assert_msg(last->grid_x == limited[_i].blocks, "%s: %u blocks", r->name, last->grid_x);
    if (r->o.stream_k) // the flags and a tile for each multiprocessor
        ck_assert_uint_eq(x.args.workspace_bytes,
                          256 + (uint64_t)r->o.sm_count * 64 * 64 * sizeof(float));
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// Returns a tensor with the same elements in reverse order along an axis.
static cuc_tensor reversed(const cuc_tensor *t, int32_t axis)
{
    cuc_tensor out = *t;

    out.data += (uint64_t)((t->shape[axis] - 1) * t->strides[axis]) *
                (cuc_dtype_bits(t->dtype) / 8);
    out.strides[axis] = -t->strides[axis];
    return out;
}

// A grid has at most 65535 blocks along its second and third axes. Reversing both b and d must not
// change the result.
TEST_RANGE(products_beyond_the_grid_limit_are_divided, 0, 4)
{
    static const struct row both[] = {
        { .name = "wide",
          .o = { .struct_size = sizeof(cuc_gemm_options),
                 .dtype = CUC_F64,
                 .bias = CUC_GEMM_BIAS_COLUMNS,
                 .tile_m = 1,
                 .tile_n = 1,
                 .tile_k = 2 },
          .m = 1,
          .n = 65540,
          .k = 2,
          .alpha = 1 },
        { .name = "many",
          .o = { .struct_size = sizeof(cuc_gemm_options),
                 .dtype = CUC_F64,
                 .form = CUC_GEMM_BATCHED,
                 .flags = CUC_GEMM_SHARED_A,
                 .tile_m = 1,
                 .tile_n = 1,
                 .tile_k = 2 },
          .m = 1,
          .n = 1,
          .k = 2,
          .batch = 65540,
          .alpha = 1 },
    };
    const struct row *row = &both[_i % 2];
    struct arrays x;
    cuc_gemm_plan *plan;

    ck_ok(cuc_gemm_plan_create(&plan, device, &row->o));
    make_all(&x, row, plan);
    bool bias = x.args.bias != NULL, batched = row->o.form == CUC_GEMM_BATCHED;
    int32_t axis = batched ? 0 : 1;
    cuc_tensor b = reversed(x.args.b, axis), d = reversed(x.args.d, axis);
    cuc_tensor of_columns = bias ? reversed(x.args.bias, 0) : b;
    if (_i >= 2) {
        x.args.b = &b;
        x.args.d = &d;
        x.args.bias = bias ? &of_columns : NULL;
    }
    ck_assert_msg(call(plan, row, &x.args) == CUC_OK, "%s", cuc_error_message());
    compare(&x, row);
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// clang-format off
static const struct row divided[] = {
    ROW("rows", 1, 65540, 2, .dtype = CUC_F64, .tile_m = 1, .tile_n = 1, .tile_k = 2, .aux_dtype = CUC_F64,
        .activation = CUC_GEMM_RELU, .bias_gradient = CUC_GEMM_GRADIENT_ROWS) ONCE,
    ROW("columns", 1, 65540, 2, .dtype = CUC_F64, .tile_m = 1, .tile_n = 1, .tile_k = 2,
        .activation = CUC_GEMM_RELU_DERIVATIVE, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS) ONCE,
    ROW("rows, d by columns", 65540, 1, 2, .dtype = CUC_F64, .tile_m = 1, .tile_n = 1, .tile_k = 2, .d_order = 1,
        .bias_gradient = CUC_GEMM_GRADIENT_ROWS) ONCE,
    ROW("rows, with parts", 1, 65540, 4, .dtype = CUC_F64, .tile_m = 1, .tile_n = 1, .tile_k = 2, .parts = 2,
        .bias_gradient = CUC_GEMM_GRADIENT_ROWS) ONCE,
    ROW("columns of a batch", 1, 1, 2, .dtype = CUC_F64, .form = CUC_GEMM_BATCHED, .flags = CUC_GEMM_SHARED_A,
        .tile_m = 1, .tile_n = 1, .tile_k = 2, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS), 65540, 1, 0, 0 },
    ROW("b of a batch", 1, 1, 2, .dtype = CUC_F64, .form = CUC_GEMM_BATCHED, .flags = CUC_GEMM_SHARED_A,
        .tile_m = 1, .tile_n = 1, .tile_k = 2, .bias_gradient = CUC_GEMM_GRADIENT_B), 65540, 1, 0, 0 },
};
// clang-format on

TEST_ROWS(gradients_of_divided_products_are_complete, divided)
{
    const struct row *r = &divided[_i];
    struct arrays x;
    cuc_gemm_plan *plan;

    ck_ok(cuc_gemm_plan_create(&plan, device, &r->o));
    make_all(&x, r, plan);
    ck_assert_msg(call(plan, r, &x.args) == CUC_OK, "%s", cuc_error_message());
    compare(&x, r);
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// The order of additions is fixed, whatever the workspace contains.
TEST(gradients_are_deterministic)
{
    static const struct row row = ROW("gradient", 190, 136, 500, .dtype = CUC_BF16, .tile_m = 64,
                                      .tile_n = 64, .bias_gradient = CUC_GEMM_GRADIENT_COLUMNS)
        ONCE;
    enum { TURNS = 3 };
    struct arrays x;
    cuc_gemm_plan *plan;
    unsigned char *got[TURNS];

    ck_ok(cuc_gemm_plan_create(&plan, device, &row.o));
    make_all(&x, &row, plan);
    for (int64_t i = 0; i < row.m; i++) // inexact sums
        for (int64_t k = 0; k < row.k; k++)
            set(&x.a, 0, i, k, sin((double)(i * row.k + k)));
    ck_ok(cuc_buffer_write_async(stream, x.a.buffer, 0, x.a.bytes, x.a.size));
    for (int turn = 0; turn < TURNS; turn++) {
        ck_ok(cuc_buffer_fill(stream, x.workspace.buffer, 0, turn ? POISON : 0xff, 1,
                              x.args.workspace_bytes));
        ck_ok(call(plan, &row, &x.args));
        got[turn] = malloc(x.bias_gradient.size);
        ck_ok(cuc_buffer_read_async(stream, got[turn], x.bias_gradient.buffer, 0,
                                    x.bias_gradient.size));
        ck_ok(cuc_stream_synchronize(stream));
        ck_assert_mem_eq(got[0], got[turn], x.bias_gradient.size);
    }
    compare(&x, &row);
    for (int turn = 0; turn < TURNS; turn++)
        free(got[turn]);
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

// NaN beats infinity, which beats numbers; the value of an earlier call is not kept.
TEST(a_largest_magnitude_is_nan_if_an_element_is)
{
    static const struct row row = ROW("amax", 70, 90, 40, .dtype = CUC_BF16, .flags = CUC_GEMM_AMAX)
        ONCE;
    const double placed[] = { NAN, -INFINITY, 1 };
    struct arrays x;
    cuc_gemm_plan *plan;
    float got;

    ck_ok(cuc_gemm_plan_create(&plan, device, &row.o));
    make_all(&x, &row, plan);
    for (int64_t j = 0; j < row.n; j++) // the last row of b selects the last column of a
        for (int64_t k = 0; k < row.k; k++)
            set(&x.b, 0, k, j, k == row.k - 1);
    ck_ok(cuc_buffer_write_async(stream, x.b.buffer, 0, x.b.bytes, x.b.size));
    for (int i = 0; i < CUC_LENGTH(placed); i++) {
        for (int64_t m = 0; m < row.m; m++)
            for (int64_t k = 0; k < row.k; k++)
                set(&x.a, 0, m, k, k < row.k - 1 ? 0 : m == 33 ? placed[i] : 0.25);
        ck_ok(cuc_buffer_write_async(stream, x.a.buffer, 0, x.a.bytes, x.a.size));
        ck_ok(call(plan, &row, &x.args));
        ck_ok(cuc_copy_to_host(stream, &got, x.amax.t.data, sizeof(got)));
        ck_ok(cuc_stream_synchronize(stream));
        if (isnan(placed[i]))
            ck_assert(isnan(got));
        else
            ck_assert_float_eq(got, (float)fabs(placed[i]));
    }
    drop_all(&x);
    cuc_gemm_plan_release(plan);
}

int main(int argc, char **argv)
{
    unsetenv("CUCORE_TUNED"); // so that the model chooses
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("gemm");
}
