// Tests choices: tiles of products by the model, candidates of auto() by the model and by records,
// and the contents of record files.
#include "base/array.h"
#include "gemm/gemm.h"
#include "testing.h"
#include "tile/compile/cost.h"

#include <cucore/tuned.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- Products

// Times on an H200 with bf16 and cold caches, in microseconds: the fastest tiles and a common one.
// The model's choice must not be much slower than the best.
struct measured {
    int64_t m, n, k;
    struct {
        int32_t rows, columns, depth, split;
        double us;
    } at[6];
};

static const struct measured products[] = {
    { 512,
      512,
      512,
      { { 64, 64, 64, 1, 6.50 },
        { 64, 64, 128, 1, 6.50 },
        { 64, 32, 64, 1, 6.78 },
        { 64, 128, 64, 1, 6.98 },
        { 128, 256, 64, 1, 12.6 } } },
    { 1024,
      1024,
      1024,
      { { 64, 128, 64, 1, 9.54 },
        { 64, 128, 128, 1, 9.82 },
        { 128, 64, 64, 1, 9.95 },
        { 64, 64, 128, 1, 10.59 },
        { 128, 256, 64, 1, 16.5 } } },
    { 1536,
      1536,
      1536,
      { { 128, 192, 64, 1, 18.08 },
        { 64, 192, 64, 1, 19.10 },
        { 64, 128, 64, 1, 19.84 },
        { 128, 256, 64, 1, 21.41 } } },
    { 2048,
      2048,
      2048,
      { { 256, 128, 64, 1, 27.39 },
        { 128, 256, 64, 1, 27.58 },
        { 128, 128, 64, 1, 28.16 },
        { 64, 128, 64, 1, 30.1 } } },
    { 4096,
      4096,
      4096,
      { { 128, 256, 64, 1, 175.9 },
        { 256, 128, 64, 1, 177.1 },
        { 128, 128, 64, 1, 182.1 },
        { 64, 256, 64, 1, 186 } } },
    { 8192,
      1024,
      8192,
      { { 128, 256, 64, 1, 191.2 }, { 256, 128, 64, 1, 191.7 }, { 128, 128, 64, 1, 196.2 } } },
    { 12288,
      4096,
      2560,
      { { 128, 256, 64, 1, 362.6 },
        { 256, 128, 64, 1, 365.0 },
        { 128, 192, 64, 1, 365.8 },
        { 128, 128, 64, 1, 367.8 } } },
    { 3072,
      1536,
      5120,
      { { 64, 192, 64, 1, 69.5 },
        { 64, 128, 64, 1, 82.5 },
        { 128, 192, 64, 1, 84.3 },
        { 128, 256, 64, 1, 106.5 } } },
    { 128,
      4096,
      4096,
      { { 64, 64, 128, 1, 18.94 },
        { 64, 64, 64, 1, 21.15 },
        { 64, 128, 64, 1, 21.22 },
        { 32, 128, 64, 1, 21.5 } } },
    { 16,
      8192,
      8192,
      { { 32, 128, 64, 1, 43.62 },
        { 16, 64, 128, 1, 43.71 },
        { 16, 128, 64, 1, 43.84 },
        { 16, 128, 128, 1, 44.58 },
        { 64, 128, 64, 1, 48.45 },
        { 128, 256, 64, 1, 81.2 } } },
    { 8192,
      128,
      8192,
      { { 64, 128, 64, 1, 46.62 },
        { 64, 128, 128, 1, 46.88 },
        { 128, 128, 64, 1, 51.07 },
        { 128, 64, 64, 1, 51.10 } } },
    // Widths between the common ones, which leave the last wave mostly empty.
    { 3328,
      3328,
      3328,
      { { 128, 224, 64, 1, 102.8 },
        { 256, 112, 64, 1, 104.0 },
        { 128, 240, 64, 1, 109.0 },
        { 128, 256, 64, 1, 111.7 } } },
    // Rows of b that are not aligned to cache lines.
    { 3000,
      5000,
      2000,
      { { 256, 128, 64, 1, 93.9 }, { 128, 256, 64, 1, 111.5 }, { 128, 192, 64, 1, 114.8 } } },
};

// The same for column-major b.
static const struct measured turned[] = {
    { 2304,
      2304,
      2304,
      { { 128, 128, 64, 1, 39.7 }, { 128, 192, 64, 1, 39.8 }, { 128, 256, 64, 1, 50.0 } } },
    { 2560,
      2560,
      2560,
      { { 128, 144, 64, 1, 48.8 },
        { 128, 224, 64, 1, 49.9 },
        { 256, 112, 64, 1, 50.9 },
        { 128, 208, 64, 1, 51.5 },
        { 128, 256, 64, 1, 55.1 } } },
    { 3328,
      3328,
      3328,
      { { 128, 224, 64, 1, 101.1 },
        { 256, 112, 64, 1, 103.3 },
        { 128, 176, 64, 1, 104.3 },
        { 128, 256, 64, 1, 112.2 } } },
    { 5120,
      5120,
      5120,
      { { 128, 144, 64, 1, 372.4 },
        { 128, 160, 64, 1, 373.6 },
        { 128, 224, 64, 1, 373.9 },
        { 256, 112, 64, 1, 377.9 },
        { 128, 256, 64, 1, 421.7 } } },
    { 4096,
      14336,
      4096,
      { { 128, 160, 64, 1, 629.7 },
        { 128, 176, 64, 1, 637.1 },
        { 128, 128, 64, 1, 639.6 },
        { 128, 144, 64, 1, 643.7 },
        { 128, 256, 64, 1, 665.2 } } },
};

static const struct cuc__gemm_kind bf16 = {
    .dtype = CUC_BF16, .d = CUC_BF16, .accumulator = CUC_F32, .compute = CUC_F32
};

static struct cuc__gemm_tile chosen(const struct cuc__gemm_kind *kind, int sm, int64_t m, int64_t n,
                                    int64_t k, uint64_t workspace)
{
    const struct tile_machine *machine = tile_machine_of(sm);
    struct cuc__gemm_shape shape = { m, n, k, 1, workspace, 0 };
    struct cuc__gemm_tile tile, wanted = { .path = cuc__gemm_path(kind, machine) };
    double seconds;

    ck_assert(cuc__gemm_choose(&tile, &seconds, kind, &shape, &wanted, machine));
    ck_assert(seconds > 0 && isfinite(seconds));
    return tile;
}

static double estimate(const struct cuc__gemm_kind *kind, const struct cuc__gemm_shape *shape,
                       const struct cuc__gemm_tile *tile)
{
    struct cuc__gemm_tile t = *tile;
    struct tile_work work;

    t.path = TILE_MMA_PATH_PIPELINE;
    cuc__gemm_work(&work, kind, shape, &t);
    ck_assert(tile_work_fits(tile_machine_of(90), &work));
    return tile_work_seconds(tile_machine_of(90), &work);
}

// Returns the time of a tile; 0 if it was not measured.
static double measured_us(const struct measured *p, const struct cuc__gemm_tile *t)
{
    for (int i = 0; i < CUC_LENGTH(p->at); i++)
        if (p->at[i].rows == t->rows && p->at[i].columns == t->columns &&
            p->at[i].depth == t->depth && p->at[i].split == t->split)
            return p->at[i].us;
    return 0;
}

CASE("model");

// The model must choose one of the measured tiles.
TEST_RANGE(choices_are_nearly_the_fastest, 0, CUC_LENGTH(products) + CUC_LENGTH(turned))
{
    const struct measured *p = _i < CUC_LENGTH(products) ? &products[_i]
                                                         : &turned[_i - CUC_LENGTH(products)];
    struct cuc__gemm_shape shape = { p->m, p->n, p->k, 1, 0, 0 };
    struct cuc__gemm_kind kind = bf16;
    double least = 0, us = 0;
    kind.transposed_b = _i >= CUC_LENGTH(products);

    for (int i = 0; i < CUC_LENGTH(p->at) && p->at[i].rows; i++) {
        struct cuc__gemm_tile t = { .path = TILE_MMA_PATH_PIPELINE,
                                    .rows = p->at[i].rows,
                                    .columns = p->at[i].columns,
                                    .depth = p->at[i].depth,
                                    .split = p->at[i].split,
                                    .parts = 1,
                                    .cluster = 1 };
        double seconds = estimate(&kind, &shape, &t);
        if (least <= 0 || seconds < least) {
            least = seconds;
            us = p->at[i].us;
        }
    }
    ck_assert_msg(us <= 1.22 * p->at[0].us, "%dx%dx%d: %g us are chosen, and %g is done", (int)p->m,
                  (int)p->n, (int)p->k, us, p->at[0].us);
}

// Random matrix products. A row with an m begins a product, and the rows after it are its tiles.
static const struct random {
    int64_t m, n, k;
    bool transposed_a, transposed_b;
    struct cuc__gemm_tile tile;
    double us;
} random_products[] = {
#define PRODUCT(m, n, k, a, b) { m, n, k, a, b, { .rows = 0 }, 0 },
#define TILE(r, c, d, clusters, across, splits, part, streams, warp, us) \
    { 0,                                                                 \
      0,                                                                 \
      0,                                                                 \
      false,                                                             \
      false,                                                             \
      { .rows = (r),                                                     \
        .columns = (c),                                                  \
        .depth = (d),                                                    \
        .cluster = (clusters),                                           \
        .cluster_n = (across),                                           \
        .split = (splits),                                               \
        .parts = (part),                                                 \
        .stream_k = (streams),                                           \
        .warps = (warp),                                                 \
        .programs = 132 },                                               \
      us },
#include "measured_products.def"
#undef PRODUCT
#undef TILE
};

TEST(choices_for_random_products_are_nearly_the_fastest)
{
    double loss = 0, worst = 1, count = 0, close = 0;

    for (size_t i = 0; i < CUC_LENGTH(random_products);) {
        const struct random *p = &random_products[i++];
        struct cuc__gemm_shape shape = { p->m, p->n, p->k, 1, UINT64_C(1) << 28, 0 };
        struct cuc__gemm_kind kind = bf16;
        double least = 0, us = 0, fastest = 0;
        kind.transposed_a = p->transposed_a;
        kind.transposed_b = p->transposed_b;
        for (; i < CUC_LENGTH(random_products) && random_products[i].us > 0; i++) {
            double seconds = estimate(&kind, &shape, &random_products[i].tile);
            fastest = fastest <= 0 ? random_products[i].us : fmin(fastest, random_products[i].us);
            if (least <= 0 || seconds < least) {
                least = seconds;
                us = random_products[i].us;
            }
        }
        loss += log(us / fastest);
        worst = fmax(worst, us / fastest);
        close += fabs(1e6 * least / us - 1) < 0.15;
        count++;
    }
    ck_assert_msg(exp(loss / count) <= 1.05, "geometric mean %g", exp(loss / count));
    ck_assert_msg(worst <= 1.3, "worst %g", worst);
    ck_assert_msg(close >= 0.8 * count, "%g of %g predicted within 15 %%", close, count);
}

// clang-format off
static const struct {
    const char *says;
    int64_t m, n, k;
    uint64_t workspace;
    int32_t alignment, pack;
} packed[] = {
    { "aligned operands are not packed", 4096, 4096, 4096, UINT64_C(1) << 28, 0, 0 },
    { "both operands are packed if their rows are odd", 4096, 4095, 4095, UINT64_C(1) << 28, 0, 3 },
    { "an operand of aligned rows gets room too, in case its address is unaligned", 4096, 4095, 4096, UINT64_C(1) << 28, 0, 3 },
    { "it gets none if the workspace has none", 4096, 511, 4096, 6 << 20, 0, 2 },
    { "operands at unaligned addresses are packed", 4096, 4096, 4096, UINT64_C(1) << 28, 2, 3 },
    { "a multiple of 16 bytes is an aligned address", 4096, 4096, 4096, UINT64_C(1) << 28, 256, 0 },
    { "without a workspace, threads realign", 4096, 4095, 4095, 0, 0, CUC_GEMM_PACK_NONE },
    { "a product that is too small for another kernel is not packed", 64, 65, 67, UINT64_C(1) << 28, 0, CUC_GEMM_PACK_NONE },
};
// clang-format on

TEST_ROWS(operands_are_packed_if_that_pays_off, packed)
{
    const struct tile_machine *machine = tile_machine_of(90);
    struct cuc__gemm_shape shape = { packed[_i].m,         packed[_i].n,        packed[_i].k, 1,
                                     packed[_i].workspace, packed[_i].alignment };
    struct cuc__gemm_tile tile, wanted = { .path = TILE_MMA_PATH_PIPELINE };
    double seconds;

    ck_assert(cuc__gemm_choose(&tile, &seconds, &bf16, &shape, &wanted, machine));
    ck_assert_msg(tile.pack == packed[_i].pack, "%s: pack is %d", packed[_i].says, tile.pack);
    ck_assert(cuc__gemm_workspace_fits(&bf16, &shape, &tile));
}

// Tensor cores take bytes only with a row-major a and a column-major b.
TEST(bytes_of_another_order_are_transposed_if_there_is_a_workspace)
{
    struct cuc__gemm_kind kind = bf16;

    kind.dtype = CUC_I8;
    kind.accumulator = kind.d = kind.compute = CUC_I32;
    struct cuc__gemm_tile tile = chosen(&kind, 90, 4096, 4096, 4096, UINT64_C(1) << 28);
    ck_assert_int_eq(tile.pack, CUC_GEMM_PACK_A | CUC_GEMM_PACK_B | CUC_GEMM_PACK_TRANSPOSED_B);
    ck_assert_int_eq(tile.path, TILE_MMA_PATH_PIPELINE);
    ck_assert_int_eq(chosen(&kind, 90, 4096, 4096, 4096, 0).path, TILE_MMA_PATH_SYNC);
    ck_assert_int_eq(chosen(&kind, 80, 4096, 4096, 4096, UINT64_C(1) << 28).path,
                     TILE_MMA_PATH_SYNC);
    kind.transposed_b = true;
    ck_assert_int_eq(chosen(&kind, 90, 4096, 4096, 4096, UINT64_C(1) << 28).pack, 0);
}

// A tile of 184 columns starts in the middle of a 128-byte line of memory. That matters only if the
// rows of b in memory run along the columns. Such matrix products took an H200 1.1 to 1.4 times as
// long as an estimate that ignores these lines.
TEST(lines_split_between_tiles_take_longer)
{
    struct cuc__gemm_kind along = bf16, across = bf16;
    const struct cuc__gemm_shape shape = { 64 * 132, 184 * 8, 4096, 1, 0, 0 };
    const struct cuc__gemm_tile torn = { .path = TILE_MMA_PATH_PIPELINE,
                                         .rows = 64,
                                         .columns = 184,
                                         .depth = 64,
                                         .cluster = 1,
                                         .split = 1,
                                         .parts = 1 };
    struct cuc__gemm_tile whole = torn;

    along.transposed_b = true;
    across.transposed_b = false;
    whole.columns = 192;
    ck_assert_double_gt(estimate(&across, &shape, &torn), 1.3 * estimate(&along, &shape, &torn));
    ck_assert_double_lt(estimate(&across, &shape, &whole), 1.1 * estimate(&along, &shape, &whole));
}

// Columns past the last whole slab take as long to store as a slab, so that the step from 128 to
// 144 columns costs more than half of the step from 144 to 192.
TEST(a_partial_slab_is_stored_like_a_whole_one)
{
    const struct cuc__gemm_tile three = { .path = TILE_MMA_PATH_PIPELINE,
                                          .rows = 128,
                                          .columns = 192,
                                          .depth = 64,
                                          .cluster = 1,
                                          .split = 1,
                                          .parts = 1 };
    struct cuc__gemm_tile rest = three, two = three;

    rest.columns = 144;
    two.columns = 128;
    const double seconds[] = {
        estimate(&bf16, &(struct cuc__gemm_shape){ 128 * 132, 192, 64, 1, 0, 0 }, &three),
        estimate(&bf16, &(struct cuc__gemm_shape){ 128 * 132, 144, 64, 1, 0, 0 }, &rest),
        estimate(&bf16, &(struct cuc__gemm_shape){ 128 * 132, 128, 64, 1, 0, 0 }, &two),
    };
    ck_assert_double_lt(seconds[0] - seconds[1], 2 * (seconds[1] - seconds[2]));
}

// Code for sm_80 running on an H200, where threads copy operands themselves. The times include a
// launch.
TEST(tiles_without_pipelines_are_nearly_the_fastest_too)
{
    enum { LAUNCH_US = 3 };
    static const struct measured copied[] = {
        { 1024,
          1024,
          1024,
          { { 64, 128, 64, 1, 14.18 },
            { 128, 64, 64, 1, 14.35 },
            { 64, 128, 32, 1, 15.86 },
            { 128, 128, 64, 1, 15.87 },
            { 64, 64, 64, 1, 16.99 } } },
        { 2048,
          2048,
          2048,
          { { 128, 256, 64, 1, 43.07 }, { 128, 128, 32, 1, 54.85 }, { 128, 64, 64, 1, 78.38 } } },
        { 4096,
          4096,
          4096,
          { { 128, 256, 64, 1, 302.7 }, { 256, 128, 64, 1, 304.4 }, { 128, 256, 32, 1, 310.9 } } },
    };

    for (int i = 0; i < CUC_LENGTH(copied); i++) {
        struct cuc__gemm_shape shape = { copied[i].m, copied[i].n, copied[i].k, 1, 0, 0 };
        struct cuc__gemm_tile wanted = { .path = TILE_MMA_PATH_SYNC }, t;
        double seconds, us;
        ck_assert(cuc__gemm_choose(&t, &seconds, &bf16, &shape, &wanted, tile_machine_of(90)));
        us = measured_us(&copied[i], &t);
        ck_assert_msg(us > 0 && us <= 1.05 * copied[i].at[0].us &&
                          fabs((1e6 * seconds + LAUNCH_US) / us - 1) < 0.2,
                      "%dx%dx%d takes %g us, thought to be %g", t.rows, t.columns, t.depth, us,
                      1e6 * seconds);
    }
}

TEST(with_many_tiles_warpgroups_alternate)
{
    struct cuc__gemm_kind kind = bf16;

    ck_assert_int_eq(chosen(&kind, 90, 16384, 8192, 1024, 0).warps, 4);
    ck_assert_int_eq(chosen(&kind, 90, 8192, 8192, 256, 0).warps, 4);
    ck_assert_int_eq(chosen(&kind, 90, 1024, 1024, 1024, 0).warps, 0); // too few tiles to overlap
    ck_assert_int_eq(chosen(&kind, 80, 8192, 8192, 8192, 0).cluster, 1);
    kind.dtype = CUC_E4M3;
    kind.transposed_b = true;
    ck_assert_int_eq(chosen(&kind, 90, 8192, 8192, 8192, 0).warps, 0);
}

// TMA takes longer for rows at odd multiples of 16 bytes, so sharing their loads in clusters pays.
TEST(neighbors_share_loads_of_split_lines)
{
    struct cuc__gemm_tile torn = chosen(&bf16, 90, 3664, 3480, 2008, 0),
                          aligned = chosen(&bf16, 90, 3584, 3584, 2048, 0);

    ck_assert_int_gt(cuc__gemm_cluster(&torn), 1);
    ck_assert_int_eq(cuc__gemm_cluster(&aligned), 1);
}

TEST(neighbors_share_the_larger_operand)
{
    struct cuc__gemm_kind kind = bf16;

    ck_assert_int_eq(chosen(&kind, 90, 4096, 128, 4096, 0).raster, 1);
    ck_assert_int_eq(chosen(&kind, 90, 128, 4096, 4096, 0).raster, 0);
}

TEST(small_grids_split_their_sums)
{
    struct cuc__gemm_tile t = chosen(&bf16, 90, 256, 256, 8192, 0);

    ck_assert_int_ge(t.split, 4);
    ck_assert_int_eq(t.parts, 1); // without a workspace
    t = chosen(&bf16, 80, 256, 256, 8192, 0);
    ck_assert_int_eq(t.split * t.parts, 1); // without clusters too
    t = chosen(&bf16, 80, 256, 256, 8192, 1 << 24);
    ck_assert_int_ge(t.parts, 2);
    ck_assert_int_le(256 * 256 * 4 * t.parts, 1 << 24);
    t = chosen(&bf16, 90, 8192, 8192, 256, 1 << 30);
    ck_assert_int_eq(t.split * t.parts, 1);
}

// Stream-K splits the sums of the last waves evenly if the last wave is nearly empty: here 136
// tiles of 128 x 256 on 132 multiprocessors, with a workspace.
TEST(nearly_empty_last_waves_are_divided)
{
    const uint64_t workspace = 1 << 25;
    struct cuc__gemm_kind kind = bf16;
    struct cuc__gemm_shape shape = { 4352, 1024, 8192, 1, workspace, 0 };
    struct cuc__gemm_tile t,
        wanted = { .path = TILE_MMA_PATH_PIPELINE, .rows = 128, .columns = 256 };
    double seconds;

    ck_assert(cuc__gemm_choose(&t, &seconds, &kind, &shape, &wanted, tile_machine_of(90)));

    ck_assert_int_eq(t.stream_k, 2);
    ck_assert_int_eq(t.programs, 132);
    ck_assert_int_eq(t.split * t.parts * cuc__gemm_cluster(&t), 1);
    ck_assert_uint_le(cuc__gemm_stream_k_bytes(&kind, &t), workspace);
    ck_assert_int_eq(chosen(&kind, 90, 4352, 1024, 8192, 1 << 20).stream_k, 0); // too small
    ck_assert_int_eq(chosen(&kind, 90, 4096, 4096, 4096, workspace).stream_k, 0);
    ck_assert_int_eq(chosen(&kind, 90, 2048, 2048, 2048, workspace).stream_k, 0);
    ck_assert_int_eq(chosen(&kind, 90, 256, 256, 8192, workspace).stream_k, 0);
    ck_assert_int_eq(chosen(&kind, 80, 5120, 5120, 5120, workspace).stream_k, 0);
    kind.residual = CUC_BF16; // the loads of a residual would not use TMA
    ck_assert_int_eq(chosen(&kind, 90, 5120, 5120, 5120, workspace).stream_k, 0);
}

// Threads would load a residual of another width, which suits only ping-pong warpgroups.
TEST(with_a_residual_tiles_have_whole_lines)
{
    struct cuc__gemm_kind kind = bf16;
    int64_t extents[] = { 2560, 3328, 5120 };

    kind.transposed_b = true;
    ck_assert_int_eq(chosen(&kind, 90, 3328, 3328, 3328, 0).columns, 224);
    kind.residual = CUC_BF16;
    for (int i = 0; i < CUC_LENGTH(extents); i++) {
        int64_t n = extents[i];
        struct cuc__gemm_tile t = chosen(&kind, 90, n, n, n, 0);
        ck_assert(t.columns % 64 == 0 || t.warps == 4);
    }
}

// The ranges cover every iteration of the split tiles once, and each range has enough units.
TEST(ranges_cover_all_iterations)
{
    static const int64_t shapes[][3] = { { 4096, 4096, 4096 }, { 3072, 3072, 3072 },
                                         { 130, 300, 77 },     { 1, 1, 1 },
                                         { 16896, 256, 640 },  { 5120, 5120, 0 },
                                         { 128, 256, 1 << 29 } };

    for (int i = 0; i < CUC_LENGTH(shapes); i++)
        for (int32_t waves = 1; waves <= 8; waves++) {
            struct cuc__gemm_tile t = { .rows = 128, .columns = 256, .depth = 64 };
            struct cuc__gemm_stream_k d;
            t.stream_k = waves;
            t.programs = 132;
            cuc__gemm_schedule_stream_k(&d, &t, shapes[i][0], shapes[i][1], shapes[i][2]);
            int64_t iterations = (shapes[i][2] + 63) / 64;
            int64_t tiles = (shapes[i][0] + 127) / 128 * ((shapes[i][1] + 255) / 256);
            ck_assert_int_eq(d.units, d.shared + tiles - d.spread);
            ck_assert_int_eq(132 * (int64_t)d.each + d.more, d.spread * iterations);
            ck_assert_uint_lt(d.more, 132);
            if (!d.spread) {
                ck_assert_uint_eq(d.shared, 0);
                continue;
            }
            ck_assert_int_eq((tiles - d.spread) % 132, 0);
            ck_assert_int_eq(d.shared % 132, 0);
            for (int64_t r = 0, begin = 0; r < 132; r++) {
                int64_t end = begin + d.each + (r < d.more);
                ck_assert(end == begin ||
                          (end - 1) / iterations - begin / iterations < d.shared / 132);
                ck_assert_int_eq(begin / iterations,
                                 (int64_t)((uint64_t)begin * d.over_iterations >> 40));
                begin = end;
            }
        }
}

TEST(tiles_fit_where_they_run)
{
    static const int machines[] = { 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 };
    static const cuc_dtype dtypes[] = { CUC_F16, CUC_TF32, CUC_E4M3, CUC_I8, CUC_F64, CUC_F32 };

    for (int i = 0; i < CUC_LENGTH(machines); i++)
        for (int j = 0; j < CUC_LENGTH(dtypes); j++)
            for (int64_t size = 1; size <= 16384; size *= 4) {
                struct cuc__gemm_kind kind = bf16;
                struct cuc__gemm_shape shape = { size, size, size, 1, 0, 0 };
                struct tile_work work;
                kind.dtype = dtypes[j];
                kind.transposed_b = true;
                if (dtypes[j] == CUC_I8)
                    kind.accumulator = CUC_I32;
                struct cuc__gemm_tile t = chosen(&kind, machines[i], size, size, size, 0);
                cuc__gemm_work(&work, &kind, &shape, &t);
                ck_assert(tile_work_fits(tile_machine_of(machines[i]), &work));
                ck_assert_int_eq(t.path == TILE_MMA_PATH_PIPELINE,
                                 machines[i] == 90 && dtypes[j] != CUC_F64 && dtypes[j] != CUC_F32);
                ck_assert_int_eq(t.path == TILE_MMA_PATH_FMA, dtypes[j] == CUC_F32);
            }
    ck_assert_ptr_null(tile_machine_of(70));
}

// Accumulating 8-bit floats outside the tensor cores takes longer, but the same tiles fit.
TEST(promotion_takes_time_but_no_room)
{
    const struct tile_machine *machine = tile_machine_of(90);
    struct tile_work work = { .operand = CUC_E4M3,
                              .rows = 128,
                              .columns = 256,
                              .depth = 128,
                              .blocks = 512,
                              .iterations = 32,
                              .cluster = 1,
                              .split = 1,
                              .parts = 1,
                              .stored_bytes = 2 };
    double fast = tile_work_seconds(machine, &work);

    ck_assert(tile_work_fits(machine, &work));
    work.promotes = true;
    ck_assert(tile_work_fits(machine, &work));
    double exact = tile_work_seconds(machine, &work);
    ck_assert(exact > 1.02 * fast && exact < 1.1 * fast);
    work.columns = 512;
    ck_assert(!tile_work_fits(machine, &work));
}

// ---- Candidates of auto()

static const char program[] =
    "kernel gemm(a: T[M, K], b: T[K, N], c: T[M, N])\n"
    "    const T = bf16, BM = auto(128, 64), BN = auto(256, 128, 64), BK = 64\n"
    "    grid cdiv(M, BM), cdiv(N, BN)\n"
    "{\n"
    "    m, n = block(0), block(1)\n"
    "    acc = zeros(f32, [BM, BN])\n"
    "    for k in 0 .. cdiv(K, BK) {\n"
    "        acc = mma(load(a, [m, k], [BM, BK]), load(b, [k, n], [BK, BN]), acc)\n"
    "    }\n"
    "    store(c, [m, n], cast(acc, T))\n"
    "}\n"
    "kernel softmax(x: T[M, N], y: T[M, N])\n"
    "    const T = bf16, BN = auto(1024, 2048, 4096, 8192)\n"
    "    where N <= BN\n"
    "    grid M\n"
    "{\n"
    "    r = block(0)\n"
    "    v = cast(load(x, [r, 0], [_, BN], pad=-inf), f32)\n"
    "    e = exp(v - max(v))\n"
    "    store(y, [r, 0], cast(e / sum(e), T))\n"
    "}\n";

static const struct {
    const char *arch, *dimensions[4], *constants[3];
    const char *says[3]; // expected in the remarks
} choices[] = {
    { "sm_90a",
      { "M=4096", "N=4096", "K=4096" },
      { NULL },
      { "gemm: BM=128 BN=256 of auto() by the model", "softmax: BN=4096 of auto()" } },
    { "sm_90a",
      { "M=1024", "N=1024", "K=1024" },
      { NULL },
      { "gemm: BM=64 BN=128 of auto()", "softmax: BN=1024 of auto()" } },
    { "sm_90a", { "M=1024", "N=1025", "K=1024" }, { NULL }, { "softmax: BN=2048 of auto()" } },
    { "sm_90a",
      { "M=1024", "N=1024", "K=1024" },
      { "gemm.BN=64" },
      { "gemm: BM=128 of auto()", "softmax: BN=1024" } },
    { "sm_90a",
      { "M=1024", "N=9000", "K=64" },
      { NULL },
      { "softmax: BN=1024, the first of auto() everywhere", "where N <= BN" } },
    { "sm_90a",
      { "M=1024", "N=1024" },
      { NULL },
      { "gemm: BM=128 BN=256, the first of auto() everywhere: its dimension K is not given",
        "BN=1024" } },
    { "sm_80", { "M=256", "N=256", "K=64" }, { NULL }, { "gemm: BM=64 BN=64 of auto()" } },
};

static cuc_program *made(const char *arch, const char *const *dimensions,
                         const char *const *constants, const char *tuned)
{
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *p = NULL;

    o.name = "program.tile";
    o.arch = arch;
    o.dimensions = dimensions;
    while (dimensions[o.dimension_count])
        o.dimension_count++;
    o.constants = constants;
    while (constants && constants[o.constant_count])
        o.constant_count++;
    o.tuned = tuned;
    o.remarks = CUC_ON;
    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, program, 0, &o));
    return p;
}

static void compile(cuc_program *p)
{
    cuc_object *object = NULL;

    ck_assert_msg(cuc_program_compile(&object, p, CUC_CODE_PTX) == CUC_OK, "%s\n%s",
                  cuc_error_message(), cuc_error_log());
    cuc_object_release(object);
}

TEST_ROWS(candidates_are_chosen_for_dimensions, choices)
{
    cuc_program *p = made(choices[_i].arch, choices[_i].dimensions, choices[_i].constants, "");

    compile(p);
    for (int i = 0; i < 3 && choices[_i].says[i]; i++)
        ck_assert_msg(strstr(cuc_program_log(p), choices[_i].says[i]) != NULL, "%s lacks %s",
                      cuc_program_log(p), choices[_i].says[i]);
    cuc_program_release(p);
}

struct seen {
    int count;
    double least;
    char best[64];
};

static void look(void *user, const char *choice, double seconds)
{
    struct seen *s = user;

    ck_assert(seconds > 0);
    if (!s->count++ || seconds < s->least) {
        s->least = seconds;
        snprintf(s->best, sizeof(s->best), "%s", choice);
    }
}

// A product with a computed operand; its largest tiles do not fit in any block's registers.
static const char dequantized[] =
    "kernel other(x: f32[M]) const B = auto(32, 64) grid cdiv(M, B) { store(x, [block(0)], "
    "zeros(f32, [B])) }\n"
    "kernel product(x: bf16[M, K], q: i8[K, N], y: f32[M, N])\n"
    "    const BM = auto(%s), BN = auto(256, 512), BK = 64\n"
    "    grid cdiv(M, BM), cdiv(N, BN)\n"
    "{\n"
    "    m, n = block(0), block(1)\n"
    "    acc = zeros(f32, [BM, BN])\n"
    "    for k in 0 .. cdiv(K, BK) {\n"
    "        b = cast(load(q, [k, n], [BK, BN]), bf16)\n"
    "        acc = mma(load(x, [m, k], [BM, BK]), b, acc)\n"
    "    }\n"
    "    store(y, [m, n], acc)\n"
    "}\n";

static cuc_program *dequantized_with(char text[1024], const char *rows)
{
    const char *const dimensions[] = { "M=4096", "N=4096", "K=4096" };
    cuc_program *p = NULL;

    snprintf(text, 1024, dequantized, rows);
    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, text, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .dimensions = dimensions,
                                                 .dimension_count = 3, .name = "p.tile")));
    return p;
}

TEST(candidates_that_do_not_compile_are_not_chosen)
{
    char text[1024];
    cuc_program *p = dequantized_with(text, "128, 256, 512");

    compile(p);
    struct seen seen = { 0, 0, "" };
    ck_ok(cuc_tile_visit_candidates(p, "product", look, &seen));
    ck_assert_int_eq(seen.count, 1);
    ck_assert_str_eq(seen.best, "BM=128 BN=256");
    cuc_program_release(p);
    // If no candidate compiles, the error names the choice for that kernel, and for no other
    // kernel.
    cuc_object *object = NULL;
    p = dequantized_with(text, "256, 512");
    ck_fails(CUC_ERROR_COMPILE, cuc_program_compile(&object, p, CUC_CODE_PTX), "T602");
    ck_assert_str_eq(cuc_error_library_symbol(), "T602");
    ck_assert_msg(strstr(cuc_error_message(), "registers") != NULL, "%s", cuc_error_message());
    ck_assert_msg(strstr(cuc_error_log(),
                         "note: kernel: product: BM=256 BN=256, the first of "
                         "auto() everywhere: tiles are too large for a block") != NULL,
                  "%s", cuc_error_log());
    ck_assert_msg(strstr(cuc_error_log(), "kernel: other") == NULL, "%s", cuc_error_log());
    cuc_program_release(p);
}

TEST(invalid_dimensions_are_refused)
{
    static const char *const bad[] = {
        "M", "=4", "M=", "M=-1", "M=4x", "M=four", "M=9223372036854775808"
    };
    cuc_program *p = NULL;

    for (int i = 0; i < CUC_LENGTH(bad); i++)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_program_create(&p, CUC_SOURCE_TILE, program, 0,
                                    CUC_PROGRAM_OPTIONS(.arch = "sm_80", .dimensions = &bad[i],
                                                        .dimension_count = 1)),
                 "dimensions[0]", bad[i], "NAME=EXTENT");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_program_create(&p, CUC_SOURCE_PTX, "", 1,
                                CUC_PROGRAM_OPTIONS(.dimensions = bad, .dimension_count = 1)),
             "dimensions");
}

TEST(dimensions_that_no_kernel_has_are_refused)
{
    static const char source[] = "kernel a(x: f32[M], f: f32) grid 1 { }\n"
                                 "kernel b(x: f32[M, N], n: i32) grid 1 { }\n";
    static const struct {
        const char *dimension, *says; // `says` is NULL: the name is a dimension
    } rows[] = {
        { "M=4", NULL },
        { "N=4", NULL },
        { "n=4", NULL },
        { "Q=4", "dimensions[1] is \"Q=4\", and no kernel of p.tile has that dimension or integer "
                 "argument: expected one of M, N, n" },
        { "f=4", "expected one of M, N, n" },
        { "x=4", "expected one of M, N, n" },
    };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        const char *const dimensions[] = { "M=8", rows[i].dimension };
        cuc_program *p = NULL;
        cuc_object *object = NULL;
        ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, source, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .name = "p.tile",
                                                     .dimensions = dimensions,
                                                     .dimension_count = 2)));
        if (rows[i].says)
            ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_compile(&object, p, CUC_CODE_PTX),
                     rows[i].says);
        else
            compile(p);
        cuc_program_release(p);
    }
}

TEST(all_valid_candidates_are_visited)
{
    const char *const dimensions[] = { "M=1024", "N=3000", "K=1024", NULL };
    cuc_program *p = made("sm_90a", dimensions, NULL, "");
    struct seen seen = { 0, 0, "" };

    ck_ok(cuc_tile_visit_candidates(p, "gemm", look, &seen));
    ck_assert_int_eq(seen.count, 6);
    seen = (struct seen){ 0, 0, "" };
    ck_ok(cuc_tile_visit_candidates(p, "softmax", look, &seen));
    ck_assert_int_eq(seen.count, 2);
    ck_assert_str_eq(seen.best, "BN=4096");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_visit_candidates(p, "other", look, &seen), "other");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_visit_candidates(p, NULL, look, &seen),
             "has several kernels: name one of ");
    cuc_program_release(p);
}

static void join(void *user, const char *dimension)
{
    char *text = user;

    snprintf(text + strlen(text), 256 - strlen(text), "%s%s", *text ? " " : "", dimension);
}

TEST(dimensions_follow_from_the_arguments)
{
    static const char source[] =
        "kernel k(a: f32[M, N], b: f32[N, 3], n: i32, x: f32) where N % 2 == 0 grid 1 { }\n";
    cuc_program *p = NULL;
    int64_t shape_a[] = { 5, 7 }, shape_b[] = { 7, 3 };
    cuc_tensor a, b;
    char told[256] = "";
    cuc_arg args[] = { { CUC_ARG_TENSOR, 8, { .pointer = &a } },
                       { CUC_ARG_TENSOR, 8, { .pointer = &b } },
                       { CUC_I32, 4, { .u64 = (uint32_t)-9 } },
                       { CUC_F32, 4, { .f32 = 1.5f } } };

    ck_ok(
        cuc_program_create(&p, CUC_SOURCE_TILE, source, 0, CUC_PROGRAM_OPTIONS(.arch = "sm_90a")));
    ck_ok(cuc_tensor_from_pointer(&a, 4096, CUC_F32, 2, shape_a, 0));
    ck_ok(cuc_tensor_from_pointer(&b, 8192, CUC_F32, 2, shape_b, 0));
    ck_ok(cuc_tile_visit_dimensions(p, "k", args, 4, join, told)); // facts apply to the launch
    ck_assert_str_eq(told, "M=5 N=7 n=-9");
    *told = '\0';
    b.shape[0] = 8;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_visit_dimensions(p, NULL, args, 4, join, told),
             "k: argument b: axis 0: expected 7");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_visit_dimensions(p, NULL, args, 3, join, told),
             "k: expected 4 arguments, got 3");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_visit_dimensions(p, "z", args, 4, join, told), "\"z\"");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_visit_dimensions(p, NULL, args, 4, NULL, told),
             "visit is NULL");
    ck_assert_str_eq(told, "");
    cuc_program_release(p);
}

// ---- Records

static char path[] = "/tmp/cucore-tuned-XXXXXX";

static void open_file(void)
{
    strcpy(path + strlen(path) - 6, "XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    unlink(path); // created by cuc_tuned_add()
}

static void close_file(void)
{
    unlink(path);
}

static void write_file(const char *text)
{
    FILE *f = fopen(path, "wb");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static const cuc_tuned_record record = { .struct_size = sizeof(record),
                                         .gpu = "NVIDIA H200",
                                         .toolkit = "13.0",
                                         .program = "cuc_gemm",
                                         .kernel = "f16 nn d16",
                                         .constants = "",
                                         .dimensions = "M=1024 N=4096 K=33",
                                         .choice = "BM=64",
                                         .seconds = 1e-5 };

static const char *find(const char *dimensions, const char *toolkit)
{
    static char choice[64];
    cuc_tuned_record key = record;

    key.dimensions = dimensions;
    key.toolkit = toolkit;
    key.choice = NULL;
    cuc_status st = cuc_tuned_find(choice, sizeof(choice), path, &key);
    ck_assert(st == CUC_OK || st == CUC_ERROR_NOT_FOUND);
    return st == CUC_OK ? choice : "";
}

CASE("records", .setup = open_file, .teardown = close_file);

TEST(records_apply_to_nearby_dimensions)
{
    cuc_tuned_record other = record;

    ck_ok(cuc_tuned_add(path, &record));
    other.dimensions = "M=1280 N=4096 K=33";
    other.choice = "BM=128";
    ck_ok(cuc_tuned_add(path, &other));
    ck_assert_str_eq(find("M=1024 N=4096 K=33", "13.0"), "BM=64");
    ck_assert_str_eq(find("M=1024 N=4096 K=33", "13.2"), "BM=64");
    ck_assert_str_eq(find("M=1024 N=4096 K=33", "12.9"), "");
    ck_assert_str_eq(find("M=1056 N=4096 K=33", "13.0"), "BM=64"); // the nearer record
    ck_assert_str_eq(find("M=1200 N=4096 K=33", "13.0"), "BM=128");
    ck_assert_str_eq(find("M=1800 N=4096 K=33", "13.0"), "BM=128"); // within half an octave
    ck_assert_str_eq(find("M=2048 N=4096 K=33", "13.0"), "");
    ck_assert_str_eq(find("M=1025 N=4096 K=33", "13.0"), ""); // not a multiple of 8
    ck_assert_str_eq(find("M=1024 N=4096 K=34", "13.0"), ""); // small dimensions must match exactly
    ck_assert_str_eq(find("M=1024 K=33 N=4096", "13.0"), "");
    ck_assert_str_eq(find("M=1024 N=4096", "13.0"), "");
    other.choice = "BM=256";
    ck_ok(cuc_tuned_add(path, &other)); // replaces the previous record
    ck_assert_str_eq(find("M=1280 N=4096 K=33", "13.0"), "BM=256");
    ck_assert_str_eq(find("M=1024 N=4096 K=33", "13.0"), "BM=64");
}

static void *add_some(void *first)
{
    char dimensions[32];
    cuc_tuned_record own = record;

    own.dimensions = dimensions;
    for (int i = 0; i < 20; i++) {
        snprintf(dimensions, sizeof(dimensions), "M=%d", *(const int *)first + i);
        if (cuc_tuned_add(path, &own) < 0)
            return first;
    }
    return NULL;
}

// Two processes add records, with two threads each.
TEST(records_added_concurrently_are_all_kept)
{
    static const int first[] = { 100, 200, 300, 400 };
    pthread_t threads[2];
    void *wrong = NULL;
    int status = 0;
    char own[32];

    ck_ok(cuc_tuned_add(path, &record));
    pid_t child = fork();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add_some, (void *)(uintptr_t)&first[2 * !child + i]);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        wrong = result ? result : wrong;
    }
    if (!child)
        _exit(wrong != NULL);
    ck_assert_ptr_null(wrong);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    for (int i = 0; i < 80; i++) {
        snprintf(own, sizeof(own), "M=%d", first[i / 20] + i % 20);
        ck_assert_msg(*find(own, "13.0"), "%s", own);
    }
    FILE *f = fopen(path, "rb");
    int lines = 0, c;
    while ((c = fgetc(f)) != EOF)
        lines += c == '\n';
    fclose(f);
    ck_assert_int_eq(lines, 82);
}

TEST(adding_a_record_keeps_links_and_permissions)
{
    char link[sizeof(path) + 8], choice[64];
    struct stat s;

    write_file("cucore-tuned 1\n");
    snprintf(link, sizeof(link), "%s.link", path);
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_ok(cuc_tuned_add(link, &record));
    ck_assert_int_eq(lstat(link, &s), 0);
    ck_assert(S_ISLNK(s.st_mode));
    ck_assert_int_eq(lstat(path, &s), 0);
    ck_assert(S_ISREG(s.st_mode));
    ck_assert_int_eq(s.st_mode & 0777, 0640);
    ck_ok(cuc_tuned_find(choice, sizeof(choice), path, &record));
    unlink(link);
}

TEST(invalid_files_are_refused_with_their_line)
{
    char choice[64];
    cuc_tuned_record bad = record;

    write_file("something else\n");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_find(choice, 64, path, &record), path,
             "cucore-tuned 1");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_add(path, &record), "cucore-tuned 1");
    write_file("cucore-tuned 1\n# a comment\n\nonly\ttwo\n");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_find(choice, 64, path, &record), "line 4");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_add(path, &record), "line 4");
    write_file("cucore-tuned 1\n# a comment stays\n");
    ck_ok(cuc_tuned_add(path, &record));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_find(choice, 2, path, &record), "capacity is 2");
    ck_ok(cuc_tuned_find(choice, 64, path, &record));
    ck_assert_str_eq(choice, "BM=64");
    bad.kernel = "a\tb";
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_add(path, &bad), "kernel", "tab");
    bad.kernel = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_add(path, &bad), "kernel is NULL");
    ck_fails(CUC_ERROR_IO, cuc_tuned_find(choice, 64, "/nowhere/tuned", &record), "/nowhere");
    ck_fails(CUC_ERROR_IO, cuc_tuned_add("/nowhere/tuned", &record), "/nowhere");
    ck_fails(CUC_ERROR_IO, cuc_tuned_find(choice, 64, "/", &record), "/ could not be read: ");
    // A file of zeros that occupies no disk blocks.
    ck_assert_int_eq(truncate(path, INT64_C(17) << 20), 0);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_find(choice, 64, path, &record), path,
             "larger than 16 MiB");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_add(path, &record), "larger than 16 MiB");
}

TEST(records_after_a_nul_are_not_lost)
{
    static const char line[] = "g\t13.0\tp\tk\t\tN=1\tB=1\t0.5";
    char choice[64], text[256], after[256];

    int length = snprintf(text, sizeof(text), "cucore-tuned 1\n%s#%s\n", line, line);
    text[strcspn(text, "#")] = 0;
    FILE *f = fopen(path, "wb");
    fwrite(text, 1, (size_t)length, f);
    fclose(f);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_add(path, &record), path, "byte 38 is a NUL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tuned_find(choice, 64, path, &record), "is a NUL");
    f = fopen(path, "rb");
    ck_assert_uint_eq(fread(after, 1, sizeof(after), f), (size_t)length);
    fclose(f);
    ck_assert_mem_eq(after, text, (size_t)length);
}

TEST(a_file_named_by_the_environment_must_exist)
{
    static const struct {
        const char *value;
        cuc_status status;
        const char *message;
    } rows[] = {
        { "/nowhere/tuned.tsv", CUC_ERROR_IO,
          "CUCORE_TUNED names /nowhere/tuned.tsv: there is no such file" },
        { "/", CUC_ERROR_IO, "/ could not be read: Is a directory" },
        { "", CUC_ERROR_NOT_FOUND, "no record of " },
    };
    char choice[64], very_long[5000];

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        ck_assert_int_eq(setenv("CUCORE_TUNED", rows[i].value, 1), 0);
        ck_fails(rows[i].status, cuc_tuned_find(choice, 64, NULL, &record), rows[i].message);
    }
    memset(very_long, 'x', sizeof(very_long));
    very_long[sizeof(very_long) - 1] = 0;
    ck_assert_int_eq(setenv("CUCORE_TUNED", very_long, 1), 0);
    ck_fails(CUC_ERROR_IO, cuc_tuned_find(choice, 64, NULL, &record), "xxxxxxxx");
    // Programs compiled for the measured dimensions report the record too.
    const char *const dimensions[] = { "M=4096", "N=4096", "K=4096", NULL };
    const char *const constants[] = { "T=f16", NULL };
    cuc_program *p = made(NULL, dimensions, constants, NULL);
    cuc_object *object = NULL;
    ck_assert_int_eq(setenv("CUCORE_TUNED", rows[0].value, 1), 0);
    ck_fails(CUC_ERROR_IO, cuc_program_compile(&object, p, CUC_CODE_PTX), rows[0].message);
    cuc_program_release(p);
}

// Anyone who can read a folder can lock it.
TEST(a_lock_that_is_never_released_only_delays)
{
    int folder = open("/tmp", O_RDONLY | O_DIRECTORY);

    ck_assert_int_ge(folder, 0);
    ck_assert_int_eq(flock(folder, LOCK_EX), 0);
    ck_ok(cuc_tuned_add(path, &record));
    close(folder);
    ck_assert_str_eq(find("M=1024 N=4096 K=33", "13.0"), "BM=64");
}

// A program compiled for the device looks up records by its kernels' text.
TEST(programs_use_measured_records)
{
    const char *const dimensions[] = { "M=4096", "N=4096", "K=4096", NULL };
    const char *const constants[] = { "T=f16", NULL };
    cuc_program *p = made(NULL, dimensions, constants, path);
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_device *device = NULL;
    int32_t version = 0;
    char toolkit[16];

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_driver_get_version(&version));
    snprintf(toolkit, sizeof(toolkit), "%d.%d", version / 1000, version % 1000 / 10);
    ck_ok(cuc_tile_get_record(&key, p, "gemm"));
    ck_assert_str_eq(key.constants, "T=f16");
    ck_assert_str_eq(key.dimensions, "M=4096 K=4096 N=4096");
    key.gpu = cuc_device_name(device);
    key.toolkit = toolkit;
    key.kernel = "gemm";
    key.choice = "BM=64 BN=64 :stages=3";
    ck_ok(cuc_tuned_add(path, &key));
    compile(p);
    ck_assert_msg(strstr(cuc_program_log(p), "gemm: BM=64 BN=64 :stages=3 as was measured") != NULL,
                  "%s", cuc_program_log(p));
    if (strcmp(cuc_device_arch(device), "sm_90") == 0)
        ck_assert_msg(strstr(cuc_program_log(p), "3 stages") != NULL, "%s", cuc_program_log(p));
    cuc_program_release(p);
    p = made(NULL, dimensions, NULL, path); // other constants, so there is no measurement
    compile(p);
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), "gemm: BM=128 BN=256 of auto() by the model"));
    cuc_program_release(p);
    write_file("no file of records\n");
    p = made(NULL, dimensions, NULL, path);
    cuc_object *object = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_program_compile(&object, p, CUC_CODE_PTX), path);
    cuc_program_release(p);
}

// Nine tiles of 32 x 256 elements would fill the registers, and some would spill.
TEST(tiles_that_are_all_live_fit_the_registers)
{
    static const char stencil[] =
        "kernel stencil(u: f32[H, W], c: f32[H, W], o: f32[H, W])\n"
        "    const BH = auto(8, 32, 16), BW = 256\n"
        "    grid cdiv(W, BW), cdiv(H, BH)\n{\n"
        "    i, j = block(1) * BH, block(0) * BW\n"
        "    x = load_at(u, [i, j], [BH, BW]) * load_at(c, [i, j], [BH, BW])\n"
        "    x += load_at(u, [i - 1, j], [BH, BW]) * load_at(c, [i - 1, j], [BH, BW])\n"
        "    x += load_at(u, [i, j - 1], [BH, BW]) * load_at(c, [i, j - 1], [BH, BW])\n"
        "    store_at(o, [i, j], x + load_at(u, [i, j + 1], [BH, BW]))\n}\n";
    const char *const dimensions[] = { "H=8192", "W=8192" };
    cuc_program *p = NULL;
    cuc_object *object = NULL;

    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, stencil, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .dimensions = dimensions,
                                                 .dimension_count = 2, .remarks = CUC_ON)));
    ck_ok(cuc_program_compile(&object, p, CUC_CODE_PTX));
    ck_assert_ptr_nonnull(strstr(cuc_program_log(p), " of auto() by the model"));
    ck_assert_ptr_null(strstr(cuc_program_log(p), "BH=32"));
    cuc_object_release(object);
    cuc_program_release(p);
}

// A record may contain these words, but a valid choice has only candidates of the program's
// constants, each once.
static const char *const wrong_words[] = { "BM=7 BN=64", "BM=64 BM=128", "BM=64 OTHER=1",
                                           "BM=64 BN",   "BM=64 BN=",    "BM=64 BN=64x" };

TEST_ROWS(records_invalid_for_a_program_are_ignored, wrong_words)
{
    const char *const dimensions[] = { "M=4096", "N=4096", "K=4096", NULL };
    cuc_program *p = made(NULL, dimensions, NULL, path);
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_device *device = NULL;
    int32_t version = 0;
    char toolkit[16];

    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_driver_get_version(&version));
    snprintf(toolkit, sizeof(toolkit), "%d.%d", version / 1000, version % 1000 / 10);
    ck_ok(cuc_tile_get_record(&key, p, "gemm"));
    key.gpu = cuc_device_name(device);
    key.toolkit = toolkit;
    key.kernel = "gemm";
    key.choice = wrong_words[_i];
    ck_ok(cuc_tuned_add(path, &key));
    compile(p);
    ck_assert_msg(strstr(cuc_program_log(p), "of auto() by the model") != NULL, "%s",
                  cuc_program_log(p));
    // An invalid option is ignored, and the others apply.
    cuc_program *other = made(NULL, dimensions, NULL, path);
    key.choice = "BM=64 BN=64 :warps=12 :stages=1 :raster=65";
    ck_ok(cuc_tuned_add(path, &key));
    compile(other);
    ck_assert_msg(
        strstr(cuc_program_log(other), "BM=64 BN=64 :warps=12 :stages=1 :raster=65 as was") != NULL,
        "%s", cuc_program_log(other));
    cuc_program_release(other);
    cuc_program_release(p);
}

// A record's clusters of three blocks are ignored, even if three blocks could share tiles.
TEST_RANGE(clusters_of_a_record_are_powers_of_two, 2, 5)
{
    static const char text[] =
        "kernel gemm(a: bf16[M, K], b: bf16[N, K], c: bf16[M, N])\n"
        "    const BM = 128, BN = auto(192, 96)\n    grid cdiv(M, BM), cdiv(N, BN)\n{\n"
        "    m, n = block(0), block(1)\n    acc = zeros(f32, [BM, BN])\n"
        "    for k in 0 .. cdiv(K, 64) { acc = mma(load(a, [m, k], [BM, 64]), "
        "trans(load(b, [n, k], [BN, 64])), acc) }\n"
        "    store(c, [m, n], cast(acc, bf16))\n}\n";
    const char *const dimensions[] = { "M=4096", "N=4096", "K=4096" };
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    char choice[32], clusters[32], toolkit[16];
    cuc_device *device = NULL;
    cuc_object *object = NULL;
    cuc_program *p = NULL;
    int32_t version = 0;
    const void *code;
    size_t bytes;

    ck_ok(cuc_device_get(&device, 0));
    if (strcmp(cuc_device_arch(device), "sm_90") != 0)
        return; // no pipeline
    ck_ok(cuc_driver_get_version(&version));
    snprintf(toolkit, sizeof(toolkit), "%d.%d", version / 1000, version % 1000 / 10);
    ck_ok(cuc_program_create(
        &p, CUC_SOURCE_TILE, text, 0,
        CUC_PROGRAM_OPTIONS(.dimensions = dimensions, .dimension_count = 3, .tuned = path)));
    ck_ok(cuc_tile_get_record(&key, p, "gemm"));
    key.gpu = cuc_device_name(device);
    key.toolkit = toolkit;
    key.kernel = "gemm";
    key.choice = choice;
    snprintf(choice, sizeof(choice), "BN=192 :cluster=%d", _i);
    ck_ok(cuc_tuned_add(path, &key));
    ck_ok(cuc_program_compile(&object, p, CUC_CODE_PTX));
    ck_ok(cuc_object_get_code(&code, &bytes, object));
    snprintf(clusters, sizeof(clusters), ".reqnctapercluster %d", _i);
    ck_assert_int_eq(memmem(code, bytes, clusters, strlen(clusters)) != NULL, _i != 3);
    cuc_object_release(object);
    cuc_program_release(p);
}

// Invalid choices.
static const char *const no_choices[] = {
    "BM=banana",
    "BM=64x BN=64 BK=64",
    "BM=64 BN=64 BK=64 :",
    "BM=64 BN=64 BK=64 :stages=25",
    "BM=64 BN=64 BK=64 :cluster=3",
    "BM=64 BN=64 BK=64 :warps=6",
    "BM=64 BN=64 BK=64 :split=9",
    "BM=64 BN=64 BK=64 :raster=65",
    "BM=64 BN=64 BK=64 :parts=65",
    "BM=64 BN=64 BK=64 :pack=8",
    "BM=64 BN=64 BK=64 :pack=5",
    "BM=512 BN=64 BK=64",
    "BM=64 BN=64",
};

// A file may contain anything: if its choice is invalid, the model chooses.
TEST_ROWS(records_invalid_for_a_plan_are_ignored, no_choices)
{
    cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT, none = CUC_GEMM_OPTIONS_INIT;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_device *device = NULL;
    cuc_gemm_plan *plan;

    ck_ok(cuc_device_get(&device, 0));
    o.dtype = CUC_BF16;
    o.m = o.n = o.k = 64;
    o.tuned = "";
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_record(&key, plan));
    key.choice = no_choices[_i];
    ck_ok(cuc_tuned_add(path, &key));
    cuc_gemm_plan_release(plan);
    o.tuned = path;
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_str_eq(choice.by, "model");
    cuc_gemm_plan_release(plan);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_gemm_options_set_choice(&none, key.choice),
             key.choice);
}

// Each word is valid, but together they exceed a block's limits.
TEST(records_that_cannot_be_compiled_are_ignored)
{
    cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_device *device = NULL;
    cuc_gemm_plan *plan;

    ck_ok(cuc_device_get(&device, 0));
    o.dtype = CUC_F64;
    o.c_dtype = CUC_F64;
    o.m = o.n = o.k = 256;
    o.tuned = "";
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_record(&key, plan));
    key.choice = "BM=256 BN=256 BK=64";
    ck_ok(cuc_tuned_add(path, &key));
    cuc_gemm_plan_release(plan);
    o.tuned = path;
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_str_eq(choice.by, "model");
    ck_assert_ptr_nonnull(cuc_gemm_plan_source(plan, 2));
    cuc_gemm_plan_release(plan);
}

TEST(plans_use_measured_records)
{
    cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT;
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_device *device = NULL;
    cuc_gemm_plan *plan, *kept; // owns the texts of the key

    ck_ok(cuc_device_get(&device, 0));
    o.dtype = CUC_BF16;
    o.m = o.n = o.k = 4096;
    o.tuned = "";
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_record(&key, plan));
    ck_assert_str_eq(key.kernel, "f16 nn d16");
    key.choice = "BM=64 BN=128 BK=64 :stages=4 :parts=1";
    ck_ok(cuc_tuned_add(path, &key));
    key.dimensions = "M=512 N=512 K=512 Z=1";
    key.choice = "BM=64 BN=64 BK=64 :parts=4"; // needs a workspace
    ck_ok(cuc_tuned_add(path, &key));
    key.dimensions = "M=256 N=256 K=256 Z=1";
    key.choice = "BM=banana";
    ck_ok(cuc_tuned_add(path, &key));
    kept = plan;
    o.tuned = path;
    o.dtype = CUC_F16; // as fast as bf16
    o.activation = CUC_GEMM_RELU;
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
    ck_assert_str_eq(choice.by, "tuned");
    ck_assert_int_eq(choice.tile_m, 64);
    ck_assert_int_eq(choice.tile_n, 128);
    ck_assert_int_eq(choice.stages, 4);
    cuc_gemm_plan_release(plan);
    for (o.m = 256; o.m <= 512; o.m *= 2) {
        o.n = o.k = o.m;
        ck_ok(cuc_gemm_plan_create(&plan, device, &o));
        ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
        ck_assert_str_eq(choice.by, "model");
        cuc_gemm_plan_release(plan);
    }
    // Near 4096, the model estimates this tile as slower than the best by more than the model's
    // possible error.
    for (o.m = 4080; o.m >= 3072; o.m -= 1008) {
        o.n = o.k = o.m;
        ck_ok(cuc_gemm_plan_create(&plan, device, &o));
        ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
        ck_assert_str_eq(choice.by, "model");
        cuc_gemm_plan_release(plan);
    }
    key.dimensions = "M=4096 N=4096 K=4096 Z=1";
    key.choice = "BM=128 BN=256 BK=64 :raster=16";
    ck_ok(cuc_tuned_add(path, &key));
    for (o.m = 4080; o.m >= 3072; o.m -= 1008) { // 3072 leaves most of its third wave empty
        o.n = o.k = o.m;
        ck_ok(cuc_gemm_plan_create(&plan, device, &o));
        ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
        ck_assert_str_eq(choice.by, o.m == 3072 ? "model" : "tuned");
        cuc_gemm_plan_release(plan);
    }
    // There are 6 waves of 128 x 256 tiles and 8 more tiles, which stream-K splits if there is a
    // workspace.
    key.dimensions = "M=5120 N=5120 K=5120 Z=1";
    ck_ok(cuc_tuned_add(path, &key));
    o.activation = CUC_GEMM_LINEAR;
    o.m = o.n = o.k = 5120;
    for (o.workspace_bytes = 0; o.workspace_bytes <= 1 << 25; o.workspace_bytes += 1 << 25) {
        ck_ok(cuc_gemm_plan_create(&plan, device, &o));
        ck_ok(cuc_gemm_plan_get_choice(&choice, plan));
        ck_assert_str_eq(choice.by, "tuned");
        ck_assert_int_eq(choice.stream_k, o.workspace_bytes ? 2 : 0);
        cuc_gemm_plan_release(plan);
    }
    o.tuned = "/nowhere/tuned";
    ck_fails(CUC_ERROR_IO, cuc_gemm_plan_create(&plan, device, &o), "/nowhere");
    cuc_gemm_plan_release(kept);
}

// The installed file has records, and a plan can be created with each of their choices.
TEST(the_installed_records_are_valid)
{
    FILE *f = fopen(TUNED, "rb");
    char line[1024], choice[CUC__TUNED_CHOICE], *field[8];
    int records = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof(line), f)) {
        char *rest = line;
        int fields = 0;
        if (!strchr(line, '\t') || *line == '#')
            continue;
        while (fields < 8 && (field[fields] = strsep(&rest, "\t\n")) != NULL)
            fields++;
        ck_assert_int_eq(fields, 8);
        const cuc_tuned_record key = { .struct_size = sizeof(key),
                                       .gpu = field[0],
                                       .toolkit = field[1],
                                       .program = field[2],
                                       .kernel = field[3],
                                       .constants = field[4],
                                       .dimensions = field[5] };
        cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT;
        ck_ok(cuc_tuned_find(choice, sizeof(choice), TUNED, &key));
        ck_assert_str_eq(choice, field[6]);
        ck_ok(cuc_gemm_options_set_choice(&o, choice));
        ck_assert(atof(field[7]) > 0);
        records++;
    }
    fclose(f);
    ck_assert_int_ge(records, 20);
}

// Candidates that a fact about constants excludes are never chosen, even if they are the first.
TEST(facts_about_constants_exclude_candidates)
{
    static const char *const dimensions[] = { "M=4096" };
    cuc_program *p = NULL;
    cuc_object *object = NULL;

    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE,
                             "kernel k(x: f32[M]) const B = auto(64, 32, 256) where B > 100\n"
                             "    grid cdiv(M, B) { store(x, [block(0)], zeros(f32, [B])) }\n",
                             0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .remarks = CUC_ON,
                                                 .dimensions = dimensions, .dimension_count = 1)));
    ck_ok(cuc_program_compile(&object, p, CUC_CODE_PTX));
    ck_assert_msg(strstr(cuc_program_log(p), "k: B=256 of auto()") != NULL, "%s",
                  cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
}

int main(void)
{
    return run_device_tests("choose");
}
