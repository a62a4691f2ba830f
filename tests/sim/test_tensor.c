// Tests tensor maps and the copies that they describe: boxes of tiles, images and gathered rows to
// shared memory and back, maps that a kernel makes, and reports of misuse.
#include "base/array.h"
#include "copies.h"

#include "driver/cuda_abi.h"
#include "sim/shell/shell.h"
#include "tests.h"

// Tiles

struct tensor {
    const char *name;
    uint32_t type, bytes, rank;
    uint64_t dims[5];
    uint64_t gap[5]; // bytes between rows, planes ...; gap[1] follows each row
    uint32_t box[5], step[5];
    int32_t at[5];
    uint32_t swizzle, nan;
};

static const struct tensor tensors[] = {
    { "a line", 0, 1, 1, { 100 }, { 0 }, { 48 }, { 1 }, { 16 }, 0, 0 },
    { "a line past both ends", 2, 4, 1, { 20 }, { 0 }, { 64 }, { 1 }, { -8 }, 0, 0 },
    { "a tile", 9, 2, 2, { 72, 50 }, { 0, 16 }, { 32, 16 }, { 1, 1 }, { 8, 3 }, 0, 0 },
    { "a tile of 32 bytes across, swizzled",
      6,
      2,
      2,
      { 64, 64 },
      { 0, 0 },
      { 16, 32 },
      { 1, 1 },
      { 16, 5 },
      1,
      0 },
    { "64 bytes", 7, 4, 2, { 64, 64 }, { 0, 32 }, { 16, 24 }, { 1, 1 }, { 4, -5 }, 2, 0 },
    { "128 bytes", 9, 2, 2, { 72, 40 }, { 0, 16 }, { 64, 32 }, { 1, 1 }, { 16, 20 }, 3, 1 },
    { "128 bytes of doubles",
      8,
      8,
      2,
      { 30, 40 },
      { 0, 16 },
      { 16, 20 },
      { 1, 1 },
      { -2, -1 },
      3,
      1 },
    { "every other row", 5, 8, 2, { 20, 40 }, { 0, 0 }, { 8, 21 }, { 4, 2 }, { 2, 30 }, 0, 0 },
    { "a cube",
      1,
      2,
      3,
      { 40, 10, 6 },
      { 0, 16, 32 },
      { 16, 4, 3 },
      { 1, 1, 1 },
      { 32, 8, -1 },
      0,
      0 },
    { "four dimensions",
      3,
      4,
      4,
      { 12, 5, 4, 3 },
      { 0, 0, 16, 48 },
      { 8, 3, 2, 2 },
      { 1, 1, 2, 1 },
      { 8, 4, 1, 2 },
      1,
      0 },
    { "five dimensions",
      0,
      1,
      5,
      { 64, 3, 4, 3, 2 },
      { 0, 0, 0, 0, 64 },
      { 128, 2, 2, 2, 3 },
      { 1, 1, 1, 3, 1 },
      { -16, 1, -1, 2, -1 },
      3,
      0 },
    { "pieces of 32 bytes", 7, 4, 2, { 72, 40 }, { 0, 16 }, { 32, 12 }, { 1, 1 }, { 16, 3 }, 4, 0 },
    { "pieces of 32 bytes, in halves",
      7,
      4,
      2,
      { 72, 40 },
      { 0, 16 },
      { 32, 12 },
      { 1, 1 },
      { 16, 3 },
      5,
      0 },
    { "pieces of 64 bytes", 9, 2, 2, { 72, 40 }, { 0, 16 }, { 64, 9 }, { 1, 1 }, { 16, 3 }, 6, 0 },
    { "a box outside altogether",
      7,
      4,
      2,
      { 8, 8 },
      { 0, 0 },
      { 8, 8 },
      { 1, 1 },
      { 100, -100 },
      0,
      1 },
};

static CUtensorMap *encode(const struct tensor *t, void *data)
{
    CUtensorMap *map = harness_memory(sizeof(*map));
    uint64_t strides[5], stride = t->bytes;
    for (uint32_t i = 0; i + 1 < t->rank; i++)
        strides[i] = stride = stride * t->dims[i] + t->gap[i + 1];
    ck_assert_int_eq(sim_encode_tiled(map, t->type, t->rank, data, t->dims, strides, t->box,
                                      t->step, 0, t->swizzle, 0, t->nan),
                     CUDA_SUCCESS);
    return map;
}

static size_t tensor_bytes(const struct tensor *t)
{
    size_t stride = t->bytes;
    for (uint32_t i = 0; i < t->rank; i++)
        stride = stride * t->dims[i] + (i + 1 < t->rank ? t->gap[i + 1] : 0);
    return stride;
}

// Returns the byte offset of the box's i-th element in the tensor, or SIZE_MAX if it is outside.
// Also returns its offset in shared memory.
static size_t element(const struct tensor *t, size_t i, size_t *shared)
{
    size_t left = i, at = 0, stride = t->bytes, row, chunk, inner;
    bool outside = false;

    for (uint32_t d = 0; d < t->rank; d++) {
        uint32_t step = d ? t->step[d] : 1, count = (t->box[d] + step - 1) / step;
        int64_t c = t->at[d] + (int64_t)(left % count) * step;
        left /= count;
        outside = outside || c < 0 || c >= (int64_t)t->dims[d];
        at += outside ? 0 : (size_t)c * stride;
        stride = stride * t->dims[d] + (d + 1 < t->rank ? t->gap[d + 1] : 0);
    }
    // The swizzle permutes 16-byte pieces of a row by the number of the row's 128-byte line in
    // shared memory.
    row = i * t->bytes / (t->box[0] * t->bytes);
    chunk = i * t->bytes % (t->box[0] * t->bytes) / 16;
    inner = i * t->bytes % 16;
    switch (t->swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_32B:
        chunk ^= row >> 2 & 1;
        break;
    case CU_TENSOR_MAP_SWIZZLE_64B:
        chunk ^= row >> 1 & 3;
        break;
    case CU_TENSOR_MAP_SWIZZLE_128B:
        chunk ^= row & 7;
        break;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B:
        inner = row % 2 ? (inner + 8) % 16 : inner;
        chunk = (chunk / 2 ^ row % 4) * 2 + chunk % 2;
        break;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B:
        chunk = (chunk / 2 ^ row % 4) * 2 + chunk % 2;
        break;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B:
        chunk = (chunk / 4 ^ row % 2) * 4 + chunk % 4;
        break;
    default:
        break;
    }
    *shared = row * t->box[0] * t->bytes + chunk * 16 + inner;
    return outside ? SIZE_MAX : at;
}

static size_t box_elements(const struct tensor *t)
{
    size_t n = t->box[0];
    for (uint32_t d = 1; d < t->rank; d++)
        n *= (t->box[d] + t->step[d] - 1) / t->step[d];
    return n;
}

static const char *coordinates(const struct tensor *t)
{
    static char words[128];
    int n = sprintf(words, "{");
    for (uint32_t d = 0; d < t->rank; d++)
        n += sprintf(words + n, "%s%d", d ? ", " : "", t->at[d]);
    memcpy(words + n, "}", 2);
    return words;
}

// Makes a kernel in which %rd2 is the address of the map.
static char *tensor_kernel(const struct tensor *t, const char *body)
{
    char rank[2] = { (char)('0' + t->rank), '\0' };
    return TEXT(body, rank, coordinates(t));
}

CASE("tiles");

TEST_ROWS(boxes_of_tensors_come_to_shared_memory, tensors)
{
    const struct tensor *t = &tensors[_i];
    unsigned char *data = noise(tensor_bytes(t)), *out = harness_memory(4096);
    // The fill: 0x7ff7 for elements of 16 bits; all bits but the sign for wider ones.
    uint64_t nan = !t->nan ? 0 : t->bytes == 2 ? 0x7ff7 : UINT64_MAX >> 1 >> (64 - 8 * t->bytes);
    size_t n = box_elements(t), shared;
    char *ptx = tensor_kernel(
        t, KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT(
               "%r9") "prefetch.tensormap [%rd2];\n"
                      "cp.async.bulk.prefetch.tensor.$1d.L2.global.tile [%rd2, $2];\n"
                      "cp.async.bulk.tensor.$1d.shared::cluster.global.tile.mbarrier::complete_tx::"
                      "bytes "
                      "[s], [%rd2, $2], [bar];\n" WAIT("w", "0") OUT("%rd1", "s", "%r9")));

    for (size_t i = 0; i < tensor_bytes(t); i += t->bytes)
        if (t->nan) // only numbers, because the fill is the canonical NaN
            data[i + t->bytes - 1] &= 0xbf;
    go(ptx, 1, 1, 0, out, encode(t, data), n * t->bytes);
    for (size_t i = 0; i < n; i++) {
        size_t at = element(t, i, &shared);
        const void *expected = at == SIZE_MAX ? (const void *)&nan : data + at;
        ck_assert_msg(memcmp(out + shared, expected, t->bytes) == 0, "%s: element %zu", t->name, i);
    }
    free(ptx);
}

static bool begins_below_zero(const struct tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->at[i] < 0)
            return true;
    return false;
}

TEST_ROWS(boxes_go_back_to_tensors, tensors)
{
    const struct tensor *t = &tensors[_i];
    size_t bytes = tensor_bytes(t), n = box_elements(t), shared;
    unsigned char *data = noise(bytes), *in = noise(n * t->bytes), *expected = malloc(bytes);
    CUtensorMap *map = encode(t, data);
    static const char *const adds[] = { NULL,    NULL,    ".add.", ".add.", ".add.",
                                        ".add.", ".add.", ".add.", ".add.", ".add." };
    void (*const add[])(void *, const void *) = { NULL,    NULL,    add_u32, add_u32, add_u64,
                                                  add_u64, add_f16, add_f32, add_f64, add_bf16 };
    char class = t->type == 7 ? 'f' : t->type == 8 ? 'd' : t->type == 6 || t->type == 9 ? 'h' : 'i';

    // %rd1 is the address of the box's bytes, %rd2 of the map. The passes are a store and a
    // reduction.
    for (int pass = 0; pass < (adds[t->type] ? 2 : 1); pass++) {
        char *ptx = tensor_kernel(
            t,
            pass == 0
                ? KERNEL(
                      "mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT("%r9")
                          FETCH("s", "%rd1", "%r9") WAIT(
                              "w", "0") "cp.async.bulk.tensor.$1d.global.shared::cta.tile.bulk_"
                                        "group [%rd2, $2], [s];\n"
                                        "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n")
                : KERNEL("mbarrier.init.shared::cta.b64 [bar], 1; mov.u64 %rd5, 0;\n" EXPECT("%r9")
                             FETCH("s", "%rd1", "%r9")
                                 WAIT("w", "0") "cp.reduce.async.bulk.tensor.$1d.global.shared::"
                                                "cta.add.tile.bulk_group"
                                                ".L2::cache_hint [%rd2, $2], [s], %rd5;\n"));
        tame(in, n * t->bytes, class);
        tame(data, bytes, class);
        ck_assert_ptr_nonnull(expected);
        memcpy(expected, data, bytes);
        for (size_t i = 0; i < n; i++) {
            size_t at = element(t, i, &shared);
            if (at != SIZE_MAX && pass == 0)
                memcpy(expected + at, in + shared, t->bytes);
            else if (at != SIZE_MAX)
                add[t->type](expected + at, in + shared);
        }
        if (t->swizzle == CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B) {
            ck_assert_int_eq(run(ptx, 1, 1, 0, in, map, n * t->bytes), 715);
            ck_assert_ptr_nonnull(strstr(harness_report(), "of loads only"));
        } else if (begins_below_zero(t)) {
            ck_assert_int_eq(run(ptx, 1, 1, 0, in, map, n * t->bytes), 715);
            ck_assert_ptr_nonnull(strstr(harness_report(), "stores begin at 0 or more"));
        } else {
            go(ptx, 1, 1, 0, in, map, n * t->bytes);
            ck_assert_msg(memcmp(data, expected, bytes) == 0, "%s, pass %d", t->name, pass);
        }
        free(ptx);
    }
    free(expected);
}

// Returns the offset of a byte in rows that lie `span` bytes apart and are swizzled over the span.
static size_t narrow_at(size_t span, size_t row, size_t byte)
{
    size_t at = row * span + byte;

    return at ^ (at >> 3 & (span - 16));
}

// Observed on an H200: rows of a box that are narrower than the swizzle's span lie a span apart,
// but an mbarrier counts only the bytes of the rows.
static const struct {
    uint32_t row, swizzle;
} narrow[] = { { 16, 3 },  { 32, 3 }, { 64, 3 }, { 96, 3 },
               { 112, 3 }, { 16, 2 }, { 48, 2 }, { 16, 1 } };

TEST_ROWS(rows_narrower_than_the_swizzle_take_its_span, narrow)
{
    enum { ROWS = 24, PITCH = 144 };
    const size_t row = narrow[_i].row, span = (size_t)16 << narrow[_i].swizzle;
    const struct tensor t = { "narrow",
                              0,
                              1,
                              2,
                              { 128, ROWS },
                              { 0, 16 },
                              { (uint32_t)row, ROWS },
                              { 1, 1 },
                              { 0, 0 },
                              narrow[_i].swizzle,
                              0 };
    unsigned char *data = noise(ROWS * PITCH), *box = noise(ROWS * span), expected[ROWS * 128];
    char bytes[16];

    snprintf(bytes, sizeof(bytes), "%zu", ROWS * row);
    char *loads =
        TEXT(KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT("%r9")
                        FETCH("s", "%rd1", "%r9") WAIT("fetched", "0") EXPECT(
                            "$1") "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
                                  "mbarrier::complete_tx::bytes [s], [%rd2, {0, 0}], [bar];\n" WAIT(
                                      "w", "1") OUT("%rd1", "s", "%r9")),
             bytes);
    char *stores = TEXT(
        KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT("%r9") FETCH("s", "%rd1", "%r9")
                   WAIT("w", "0") "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_"
                                  "group [%rd2, {0, 0}], [s];\n"
                                  "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n$1"),
        "");

    memcpy(expected, box, ROWS * span);
    for (size_t i = 0; i < ROWS * row; i++)
        expected[narrow_at(span, i / row, i % row)] = data[i / row * PITCH + i % row];
    go(loads, 1, 1, 0, box, encode(&t, data), ROWS * span);
    ck_assert_mem_eq(box, expected, ROWS * span);
    memset(data, 0, ROWS * PITCH);
    go(stores, 1, 1, 0, box, encode(&t, data), ROWS * span);
    for (size_t i = 0; i < ROWS * row; i++)
        ck_assert_uint_eq(data[i / row * PITCH + i % row],
                          expected[narrow_at(span, i / row, i % row)]);
    free(loads);
    free(stores);
}

// Observed on an H200: for a row of 26 bytes, a store writes 32 bytes; the last 6 are what follows
// the row in shared memory.
TEST(stores_write_the_whole_piece_of_16_bytes_that_a_row_ends_in)
{
    static const struct tensor t = { "13 of 16", 1,        2,        2, { 13, 3 }, { 0, 6 },
                                     { 16, 2 },  { 1, 1 }, { 0, 1 }, 0, 0 };
    enum { PITCH = 32 };
    unsigned char *data = noise(3 * PITCH), *in = noise(2 * PITCH), expected[3 * PITCH];
    char *ptx = tensor_kernel(
        &t,
        KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT("%r9") FETCH("s", "%rd1", "%r9")
                   WAIT("w", "0") "cp.async.bulk.tensor.$1d.global.shared::cta.tile.bulk_"
                                  "group [%rd2, $2], [s];\n"
                                  "cp.async.bulk.commit_group; "
                                  "cp.async.bulk.wait_group 0;\n"));

    memcpy(expected, data, PITCH);
    memcpy(expected + PITCH, in, 2 * PITCH);
    go(ptx, 1, 1, 0, in, encode(&t, data), 2 * PITCH);
    ck_assert_mem_eq(data, expected, 3 * PITCH);
    free(ptx);
}

// Observed on an H200: a box that begins past the end of the tensor is no error, but one that
// begins below zero is an illegal instruction.
static const struct {
    int32_t at[2];
    int code;
} starts[] = { { { 0, 0 }, 0 },    { { 16, 0 }, 0 },    { { 0, 3 }, 0 },    { { 16, 100 }, 0 },
               { { -8, 0 }, 715 }, { { -16, 0 }, 715 }, { { 0, -1 }, 715 }, { { 16, -2 }, 715 } };

TEST_ROWS(stores_begin_at_zero_or_more, starts)
{
    const struct tensor t = { "start",   1,         2,
                              2,         { 16, 3 }, { 0, 32 },
                              { 16, 2 }, { 1, 1 },  { starts[_i].at[0], starts[_i].at[1] },
                              0,         0 };
    unsigned char *data = noise(96), *in = noise(64);
    char *ptx = tensor_kernel(&t, KERNEL("cp.async.bulk.tensor.$1d.global.shared::cta.tile.bulk_"
                                         "group [%rd2, $2], [s];\n"
                                         "cp.async.bulk.commit_group; "
                                         "cp.async.bulk.wait_group 0;\n"));

    ck_assert_int_eq(run(ptx, 1, 1, 0, in, encode(&t, data), 64), starts[_i].code);
    if (starts[_i].code)
        ck_assert_ptr_nonnull(strstr(harness_report(), "stores begin at 0 or more"));
    free(ptx);
}

TEST(a_tile_is_multicast_by_a_map_that_is_a_parameter)
{
    // Each of 2 blocks loads half of 8 rows of 128 bytes, and multicasts it to both blocks.
    static const struct tensor t = { "t",      0,        1, 2, { 256, 64 }, { 0, 0 }, { 128, 4 },
                                     { 1, 1 }, { 0, 0 }, 3, 0 };
    static const char ptx[] = HARNESS_HEADER
        ".visible .entry k(.param .align 128 .b8 map[128], .param .u64 out)\n"
        "{ .reg .pred %p<4>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .b64 %rd<9>;\n"
        ".shared .align 1024 .b8 s[1024]; .shared .align 8 .b64 bar;\n"
        "mov.u64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out];\n"
        "mbarrier.init.shared::cta.b64 [bar], 1; mov.u32 %r1, %cluster_ctarank;\n" CLUSTER
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 1024; mov.u16 %h1, 3;\n"
        "mov.u32 %r2, s; shl.b32 %r3, %r1, 9; add.u32 %r2, %r2, %r3; shl.b32 %r4, %r1, 2;\n"
        "mov.u32 %r5, 64; mov.u64 %rd5, 0;\n"
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
        ".multicast::cluster.L2::cache_hint [%r2], [%rd1, {%r5, %r4}], [bar], %h1, %rd5;\n"
        "w: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra w;\n"
        "mul.wide.u32 %rd3, %r1, 1024; add.u64 %rd3, %rd3, %rd2;\n"
        "cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 1024;\n" CLUSTER "ret; }\n";
    unsigned char *data = noise(256 * 64), *out = harness_memory(2048);
    struct {
        CUtensorMap map;
        uint64_t out;
    } params = { *encode(&t, data), HARNESS_POINTER(out) };
    struct sim_program *program = harness_load(ptx);
    struct sim_grid grid = { .program = program,
                             .entry = sim_program_kernel(program, 0)->code,
                             .grid = { 2, 1, 1 },
                             .block = { 1, 1, 1 },
                             .cluster = { 2, 1, 1 },
                             .params = (unsigned char *)&params };

    ck_assert_msg(sim_grid_run(&grid) == 0, "%s", grid.report);
    for (uint32_t i = 0; i < 2048; i++) {
        uint32_t row = i / 128 % 8, chunk = (i / 16 % 8) ^ row;
        ck_assert_uint_eq(out[i], data[row * 256 + 64 + chunk * 16 + i % 16]);
    }
    sim_program_free(program);
}

TEST(types_that_are_converted_on_their_way)
{
    static const struct {
        uint32_t type;
        uint32_t from[4], to[4];
    } rows[] = {
        { 10, { 0x00000001, 0x807fffff, 0x3f800001, 0 }, { 0, 0x80000000, 0x3f800001, 0 } },
        { 11,
          { 0x3f801001, 0x3f801000, 0x3f803000, 0x7f800000 },
          { 0x3f802000, 0x3f800000, 0x3f804000, 0x7f800000 } },
    };
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        struct tensor t = { "line", rows[i].type, 4, 1, { 4 }, { 0 }, { 4 }, { 1 }, { 0 }, 0, 0 };
        uint32_t *data = harness_memory(16), *out = harness_memory(16);
        char *ptx = tensor_kernel(
            &t,
            KERNEL("mbarrier.init.shared::cta.b64 [bar], 1;\n" EXPECT(
                "16") "cp.async.bulk.tensor.$1d.shared::cta.global.mbarrier::complete_tx::bytes "
                      "[s], [%rd2, $2], [bar];\n" WAIT("w", "0") OUT("%rd1", "s", "16")));
        memcpy(data, rows[i].from, 16);
        go(ptx, 1, 1, 0, out, encode(&t, data), 0);
        ck_assert_mem_eq(out, rows[i].to, 16);
        free(ptx);
    }
}

static const struct {
    const char *name;
    CUresult code;
    uint32_t type, rank;
    uint64_t address, dims[5], strides[4];
    uint32_t box[5], step[5], interleave, swizzle, promotion, nan;
} maps[] = {
    { "good", 0, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 256 }, { 1, 8 }, 0, 3, 3, 1 },
    { "the largest",
      0,
      0,
      5,
      16,
      { 1ull << 32, 1, 1, 1, 1 },
      { 16, (1ull << 40) - 16, 16, 16 },
      { 256, 1, 1, 1, 1 },
      { 1, 1, 1, 1, 1 },
      0,
      0,
      0,
      0 },
    { "type", 1, 16, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "packed type", 0, 13, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 0, 0, 0 },
    { "rank 0", 1, 9, 0, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "rank 6", 1, 9, 6, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "address", 1, 9, 2, 4104, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "no elements", 1, 9, 2, 4096, { 64, 0 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "too many",
      1,
      9,
      2,
      4096,
      { 64, (1ull << 32) + 1 },
      { 128 },
      { 64, 64 },
      { 1, 1 },
      0,
      3,
      0,
      0 },
    { "stride", 1, 9, 2, 4096, { 64, 64 }, { 136 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "far stride", 1, 9, 2, 4096, { 64, 64 }, { 1ull << 40 }, { 64, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "box 0", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 0 }, { 1, 1 }, 0, 3, 0, 0 },
    { "box 257", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 257 }, { 1, 1 }, 0, 3, 0, 0 },
    { "row of the box", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 60, 64 }, { 1, 1 }, 0, 0, 0, 0 },
    { "swizzle 32", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 32, 64 }, { 1, 1 }, 0, 1, 0, 0 },
    { "swizzle 64", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 2, 0, 0 },
    { "swizzle 128", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 128, 64 }, { 1, 1 }, 0, 3, 0, 0 },
    { "larger atoms", 0, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 4, 0, 0 },
    { "unknown swizzle", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 7, 0, 0 },
    { "step 0", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 0 }, 0, 3, 0, 0 },
    { "step 9", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 9 }, 0, 3, 0, 0 },
    { "half a byte of elements",
      1,
      13,
      2,
      4096,
      { 63, 8 },
      { 128 },
      { 32, 4 },
      { 1, 1 },
      0,
      0,
      0,
      0 },
    { "half a byte in a box", 1, 13, 2, 4096, { 64, 8 }, { 128 }, { 33, 4 }, { 1, 1 }, 0, 0, 0, 0 },
    { "padded", 0, 14, 2, 4096, { 256, 8 }, { 128 }, { 128, 4 }, { 1, 1 }, 0, 3, 0, 0 },
    { "padded, of 6 bits", 0, 15, 2, 4096, { 256, 8 }, { 192 }, { 128, 4 }, { 1, 1 }, 0, 6, 0, 0 },
    { "a narrow padded box", 1, 14, 2, 4096, { 256, 8 }, { 128 }, { 64, 4 }, { 1, 1 }, 0, 0, 0, 0 },
    { "a padded line that is not a multiple of 128",
      1,
      14,
      2,
      4096,
      { 192, 8 },
      { 96 },
      { 128, 4 },
      { 1, 1 },
      0,
      0,
      0,
      0 },
    { "padded lines 16 bytes off",
      1,
      15,
      2,
      4096,
      { 256, 8 },
      { 208 },
      { 128, 4 },
      { 1, 1 },
      0,
      0,
      0,
      0 },
    { "padded, swizzle 64", 1, 15, 2, 4096, { 256, 8 }, { 192 }, { 128, 4 }, { 1, 1 }, 0, 2, 0, 0 },
    { "padded, halves exchanged",
      1,
      15,
      2,
      4096,
      { 256, 8 },
      { 192 },
      { 128, 4 },
      { 1, 1 },
      0,
      5,
      0,
      0 },
    { "padded 4 bits, atoms of 64",
      1,
      14,
      2,
      4096,
      { 256, 8 },
      { 128 },
      { 128, 4 },
      { 1, 1 },
      0,
      6,
      0,
      0 },
    { "NaN of packed elements",
      1,
      13,
      2,
      4096,
      { 64, 8 },
      { 128 },
      { 32, 4 },
      { 1, 1 },
      0,
      0,
      0,
      1 },
    { "interleaved plane", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 1, 3, 0, 0 },
    { "interleaved",
      801,
      9,
      3,
      4096,
      { 8, 64, 4 },
      { 128, 128 },
      { 8, 64, 1 },
      { 1, 1, 1 },
      1,
      0,
      0,
      0 },
    { "promotion", 1, 9, 2, 4096, { 64, 64 }, { 128 }, { 64, 64 }, { 1, 1 }, 0, 3, 4, 0 },
    { "NaN of integers", 1, 2, 2, 4096, { 64, 64 }, { 256 }, { 32, 64 }, { 1, 1 }, 0, 3, 0, 1 },
};

TEST_ROWS(maps_are_checked_as_they_are_made, maps)
{
    CUtensorMap map;
    memset(&map, 0x55, sizeof(map));
    CUresult code =
        sim_encode_tiled(&map, maps[_i].type, maps[_i].rank, (void *)(uintptr_t)maps[_i].address,
                         maps[_i].dims, maps[_i].strides, maps[_i].box, maps[_i].step,
                         maps[_i].interleave, maps[_i].swizzle, maps[_i].promotion, maps[_i].nan);
    ck_assert_msg(code == maps[_i].code, "%s: %d", maps[_i].name, code);
    ck_assert((((unsigned char *)&map)[0] == 0x55) == (code != 0));
    ck_assert_int_eq(sim_cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)4096), code ? 1 : 0);
    ck_assert_int_eq(sim_cuTensorMapReplaceAddress(&map, (void *)(uintptr_t)4112),
                     code || maps[_i].type >= CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B ? 1 : 0);
}

// The same for im2col: 2-byte elements, dimensions of 16 except for the channels.

static const struct {
    const char *name;
    CUresult code;
    uint32_t rank, channels, pixels;
    int lower[3], upper[3];
    uint32_t interleave, swizzle;
} image_maps[] = {
    { "good", 0, 4, 64, 1024, { -1, -1 }, { -1, -1 }, 0, 3 },
    { "without corners", 1, 4, 64, 64, { -1, -1 }, { 0x7fffffff }, 0, 0 },
    { "rank 2", 1, 2, 64, 64, { 0 }, { 0 }, 0, 0 },
    { "the lowest of 3", 0, 3, 64, 64, { -32768 }, { 32767 }, 0, 0 },
    { "too low of 3", 1, 3, 64, 64, { -32769 }, { 0 }, 0, 0 },
    { "too high of 3", 1, 3, 64, 64, { 0 }, { 32768 }, 0, 0 },
    { "the lowest of 4", 0, 4, 64, 64, { 0, -128 }, { 127, 0 }, 0, 0 },
    { "too low of 4", 1, 4, 64, 64, { 0, -129 }, { 0 }, 0, 0 },
    { "too high of 4", 1, 4, 64, 64, { 0 }, { 128 }, 0, 0 },
    { "the lowest of 5", 0, 5, 64, 64, { 0, 0, -16 }, { 15, 15, 15 }, 0, 0 },
    { "too low of 5", 1, 5, 64, 64, { 0, 0, -17 }, { 0 }, 0, 0 },
    { "too high of 5", 1, 5, 64, 64, { 0 }, { 0, 16 }, 0, 0 },
    { "one pixel", 0, 3, 64, 64, { 10 }, { -5 }, 0, 0 },
    { "no pixel", 1, 3, 64, 64, { 10 }, { -6 }, 0, 0 },
    { "no channels", 1, 3, 0, 64, { 0 }, { 0 }, 0, 0 },
    { "257 channels", 1, 3, 257, 64, { 0 }, { 0 }, 0, 0 },
    { "channels of 120 bytes", 1, 3, 60, 64, { 0 }, { 0 }, 0, 0 },
    { "channels wider than the swizzle", 1, 3, 64, 64, { 0 }, { 0 }, 0, 2 },
    { "no column", 1, 3, 64, 0, { 0 }, { 0 }, 0, 0 },
    { "a column of 1025", 1, 3, 64, 1025, { 0 }, { 0 }, 0, 0 },
    { "interleaved", 801, 4, 8, 64, { 0 }, { 0 }, 1, 0 },
};

CASE("images");

TEST_ROWS(maps_of_images_are_checked_as_they_are_made, image_maps)
{
    static const uint64_t dims[] = { 256, 16, 16, 16, 16 };
    static const uint64_t strides[] = { 512, 8192, 131072, 2097152 };
    static const uint32_t step[] = { 1, 1, 1, 1, 1 };
    const bool without = image_maps[_i].upper[0] == 0x7fffffff;
    CUtensorMap map;

    memset(&map, 0x55, sizeof(map));
    CUresult code = sim_cuTensorMapEncodeIm2col(
        &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, image_maps[_i].rank, (void *)4096, dims, strides,
        image_maps[_i].lower, without ? NULL : image_maps[_i].upper, image_maps[_i].channels,
        image_maps[_i].pixels, step, image_maps[_i].interleave, image_maps[_i].swizzle, 0, 0);
    ck_assert_msg(code == image_maps[_i].code, "%s: %d", image_maps[_i].name, code);
    ck_assert((((unsigned char *)&map)[0] == 0x55) == (code != 0));
}

// ---- Pairs of blocks that share an mbarrier

CASE("tiles");

TEST(a_copy_signals_the_other_block_of_its_pair)
{
    // Block 0 waits for the loads of both blocks; block 1 without .cta_group::2 faults.
    static const struct tensor t = { "t",       0,        1,        2, { 64, 16 }, { 0, 0 },
                                     { 64, 8 }, { 1, 1 }, { 0, 0 }, 0, 0 };
    static const char body[] = KERNEL(
        ONE "mapa.shared::cluster.u32 %r10, %r2, 0; shl.b32 %r11, %r5, 3;\n"
            "setp.eq.u32 %p1, %r5, 0; mul.wide.u32 %rd5, %r5, 512; add.u64 %rd5, %rd5, %rd1;\n"
            "@%p1 " EXPECT("1024") CLUSTER
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
        ".mbarrier::complete_tx::bytes$1 [%r3], [%rd2, {0, %r11}], [%r10];\n"
        "@!%p1 bra end;\n" WAIT("w", "0") "end: " CLUSTER OUT("%rd5", "s", "512"));
    unsigned char *data = noise(1024), *out = harness_memory(1024);
    char *ptx = for_target(TEXT(body, ".cta_group::2"), "sm_100a");

    go(ptx, 2, 1, 2, out, encode(&t, data), 0);
    ck_assert_mem_eq(out, data, 1024);
    free(ptx);
    ptx = for_target(TEXT(body, ".cta_group::1"), "sm_100a");
    ck_assert_int_eq(run(ptx, 2, 1, 2, out, encode(&t, data), 0), 719);
    ck_assert_ptr_nonnull(strstr(harness_report(), "in block 1 of the cluster, its mbarrier in "
                                                   "block 0"));
    free(ptx);
}

TEST_RANGE(a_multicast_signals_one_block_of_each_pair, 0, 2)
{
    // Block 3 of 4 loads for all blocks. Its mbarrier operand is in block 2, then in block 3, so
    // the mbarriers of the even or the odd blocks each count the bytes of two blocks.
    static const struct tensor t = { "t",       0,        1,        2, { 64, 8 }, { 0, 0 },
                                     { 64, 8 }, { 1, 1 }, { 0, 0 }, 0, 0 };
    char *ptx = for_target(
        TEXT(KERNEL(ONE "mapa.shared::cluster.u32 %r10, %r2, $1; setp.eq.u32 %p1, %r5, 3;\n"
                        "and.b32 %r11, %r5, 1; setp.eq.u32 %p2, %r11, $2; mov.u16 %h1, 15;\n"
                        "mul.wide.u32 %rd5, %r5, 512; add.u64 %rd5, %rd5, %rd1;\n"
                        "@%p2 " EXPECT("1024") CLUSTER
                    "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx"
                    "::bytes.multicast::cluster.cta_group::2 [%r3], [%rd2, {0, 0}], [%r10], %h1;\n"
                    "@!%p2 bra end;\n" WAIT("w", "0") "end: " CLUSTER OUT("%rd5", "s", "512")),
             _i ? "3" : "2", _i ? "1" : "0"),
        "sm_100a");
    unsigned char *data = noise(512), *out = harness_memory(2048);

    go(ptx, 4, 1, 4, out, encode(&t, data), 0);
    for (uint32_t i = 0; i < 2048; i++)
        ck_assert_uint_eq(out[i], data[i % 512]);
    free(ptx);
}

// ---- Images: the pixels of a bounding box in order, continuing in the next image

struct image {
    const char *name;
    uint32_t type, bytes, rank;
    uint64_t dims[5];       // C; the dimensions W, H and D that exist; N
    int lower[3], upper[3]; // corners of the bounding box, as W, H, D
    uint32_t channels, pixels, step[5];
    int32_t at[5]; // a multiple of the steps
    uint32_t offset[3];
    uint32_t swizzle, nan;
};

static const struct image images[] = {
    { .name = "a row of pixels",
      .type = 6,
      .bytes = 2,
      .rank = 3,
      .dims = { 24, 12, 3 },
      .lower = { 0 },
      .upper = { 0 },
      .channels = 16,
      .pixels = 20,
      .step = { 1, 1, 1 },
      .at = { 8, 5, 0 } },
    { .name = "a filter of 3 by 3 with a border",
      .type = 6,
      .bytes = 2,
      .rank = 4,
      .dims = { 64, 9, 7, 2 },
      .lower = { -1, -1 },
      .upper = { -1, -1 },
      .channels = 64,
      .pixels = 32,
      .step = { 1, 1, 1, 1 },
      .at = { 0, 3, 4, 0 },
      .offset = { 2, 1 },
      .swizzle = 3 },
    { .name = "pixels beyond the last image",
      .type = 7,
      .bytes = 4,
      .rank = 4,
      .dims = { 12, 6, 5, 2 },
      .lower = { -2, 0 },
      .upper = { 1, -3 },
      .channels = 16,
      .pixels = 40,
      .step = { 1, 1, 1, 1 },
      .at = { -4, 0, 1, 1 },
      .offset = { 1, 3 },
      .swizzle = 2,
      .nan = 1 },
    { .name = "every second and third pixel",
      .type = 1,
      .bytes = 2,
      .rank = 4,
      .dims = { 16, 11, 10, 3 },
      .lower = { -3, 1 },
      .upper = { 2, -1 },
      .channels = 8,
      .pixels = 50,
      .step = { 1, 2, 3, 1 },
      .at = { 8, 3, 4, 0 },
      .offset = { 0, 2 } },
    { .name = "a volume",
      .type = 0,
      .bytes = 1,
      .rank = 5,
      .dims = { 32, 5, 4, 3, 2 },
      .lower = { -1, 0, -1 },
      .upper = { -1, -2, 1 },
      .channels = 32,
      .pixels = 100,
      .step = { 1, 1, 1, 2, 1 },
      .at = { 0, 2, 1, -1, 0 },
      .offset = { 2, 1, 3 },
      .swizzle = 1 },
};

static CUtensorMap *encode_image(const struct image *t, void *data)
{
    CUtensorMap *map = harness_memory(sizeof(*map));
    uint64_t strides[5], stride = t->bytes;

    for (uint32_t i = 0; i + 1 < t->rank; i++)
        strides[i] = stride = stride * t->dims[i];
    ck_assert_int_eq(sim_cuTensorMapEncodeIm2col(map, t->type, t->rank, data, t->dims, strides,
                                                 t->lower, t->upper, t->channels, t->pixels,
                                                 t->step, 0, t->swizzle, 0, t->nan),
                     CUDA_SUCCESS);
    return map;
}

static size_t image_bytes(const struct image *t)
{
    size_t bytes = t->bytes;
    for (uint32_t i = 0; i < t->rank; i++)
        bytes *= t->dims[i];
    return bytes;
}

// Returns the byte offset of an element of the i-th pixel, or SIZE_MAX. The pixels that a column
// may contain are numbered along W, then H, then D of an image.
static size_t image_element(const struct image *t, uint32_t pixel, uint32_t channel, bool offsets)
{
    uint64_t number = 0, places[5], at[5];
    size_t place = 0;

    for (uint32_t d = t->rank - 1; d > 0; d--) {
        bool image = d == t->rank - 1;
        int64_t from = image ? 0 : t->lower[d - 1];
        int64_t to = (int64_t)t->dims[d] - 1 + (image ? 0 : t->upper[d - 1]);
        places[d] = (uint64_t)((to - from) / t->step[d] + 1);
        number = number * places[d] + (uint64_t)((t->at[d] - from) / t->step[d]);
    }
    number += pixel;
    for (uint32_t d = 1; d < t->rank; d++) {
        bool image = d == t->rank - 1;
        int64_t from = image ? 0 : t->lower[d - 1] + (offsets ? (int64_t)t->offset[d - 1] : 0);
        // The copy requests more images than the tensor has.
        at[d] = (uint64_t)(from + (int64_t)(image ? number : number % places[d]) * t->step[d]);
        number /= places[d];
    }
    at[0] = (uint64_t)((int64_t)t->at[0] + channel);
    for (uint32_t d = t->rank; d-- > 0;) {
        if (at[d] >= t->dims[d]) // also if below 0
            return SIZE_MAX;
        place = place * t->dims[d] + at[d];
    }
    return place * t->bytes;
}

static char *image_kernel(const struct image *t, const char *body)
{
    char rank[2] = { (char)('0' + t->rank), '\0' }, at[128], moves[128], offsets[64];
    int n = sprintf(at, "{"), m = 0, o = sprintf(offsets, "{");

    for (uint32_t d = 0; d < t->rank; d++)
        n += sprintf(at + n, "%s%d", d ? ", " : "", t->at[d]);
    for (uint32_t d = 0; d + 2 < t->rank; d++) {
        m += sprintf(moves + m, "mov.u16 %%h%u, %u; ", d + 1, t->offset[d]);
        o += sprintf(offsets + o, "%s%%h%u", d ? ", " : "", d + 1);
    }
    memcpy(at + n, "}", 2);
    memcpy(offsets + o, "}", 2);
    return TEXT(body, rank, at, moves, offsets);
}

// Returns where a byte of a box of rows is after swizzling.
static size_t swizzled(uint32_t mode, size_t row_bytes, size_t row, size_t byte)
{
    size_t at = row * row_bytes + byte, line = at / 128, chunk = at / 16 % 8;

    chunk ^= mode == 3 ? line % 8 : mode == 2 ? line % 4 : mode == 1 ? line % 2 : 0;
    return line * 128 + chunk * 16 + at % 16;
}

CASE("images");

TEST_ROWS(columns_of_images_come_to_shared_memory, images)
{
    const struct image *t = &images[_i];
    unsigned char *data = noise(image_bytes(t)), *out = harness_memory(4096);
    const uint32_t nan = t->nan ? 0x7fffffff : 0;
    char *ptx[] = {
        image_kernel(t, KERNEL("$3" ONE EXPECT(
                            "%r9") "cp.async.bulk.prefetch.tensor.$1d.L2.global.im2col "
                                   "[%rd2, $2], $4;\n"
                                   "cp.async.bulk.tensor.$1d.shared::cluster.global.im2col"
                                   ".mbarrier::complete_tx::bytes [s], [%rd2, $2], [bar], "
                                   "$4;\n" WAIT("w", "0") OUT("%rd1", "s", "%r9"))),
        image_kernel(t, KERNEL("$3" ONE EXPECT(
                            "%r9") "mov.u16 %h8, 1; mov.u64 %rd5, 0;\n"
                                   "cp.async.bulk.tensor.$1d.shared::cluster.global.im2col"
                                   ".mbarrier::complete_tx::bytes.multicast::cluster"
                                   ".L2::cache_hint [s], [%rd2, $2], [bar], $4, %h8, "
                                   "%rd5;\n" WAIT("w", "0") OUT("%rd1", "s", "%r9"))),
    };

    for (size_t n = 0; n < CUC_LENGTH(ptx); n++) {
        memset(out, 0x55, 4096);
        go(ptx[n], 1, 1, 0, out, encode_image(t, data), t->pixels * t->channels * t->bytes);
        for (uint32_t p = 0; p < t->pixels; p++) {
            for (uint32_t c = 0; c < t->channels; c++) {
                size_t at = image_element(t, p, c, true);
                size_t to = swizzled(t->swizzle, t->channels * t->bytes, p, c * t->bytes);
                ck_assert_msg(memcmp(out + to, at == SIZE_MAX ? (const void *)&nan : data + at,
                                     t->bytes) == 0,
                              "%s: channel %u of pixel %u", t->name, c, p);
            }
        }
        free(ptx[n]);
    }
}

TEST_ROWS(columns_go_back_to_images, images)
{
    const struct image *t = &images[_i];
    size_t bytes = image_bytes(t), column = t->pixels * t->channels * t->bytes;
    unsigned char *data = noise(bytes), *in = noise(column), *expected = malloc(bytes);
    char *ptx = image_kernel(
        t, KERNEL(ONE EXPECT("%r9") FETCH("s", "%rd1", "%r9")
                      WAIT("w", "0") "cp.async.bulk.tensor.$1d.global.shared::cta.im2col_no_offs"
                                     ".bulk_group [%rd2, $2], [s];\n"
                                     "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"));

    ck_assert_ptr_nonnull(expected);
    memcpy(expected, data, bytes);
    for (uint32_t p = 0; p < t->pixels; p++) {
        for (uint32_t c = 0; c < t->channels; c++) {
            size_t at = image_element(t, p, c, false);
            size_t from = swizzled(t->swizzle, t->channels * t->bytes, p, c * t->bytes);
            if (at != SIZE_MAX)
                memcpy(expected + at, in + from, t->bytes);
        }
    }
    go(ptx, 1, 1, 0, in, encode_image(t, data), column);
    ck_assert_msg(memcmp(data, expected, bytes) == 0, "%s", t->name);
    free(expected);
    free(ptx);
}

// ---- Rows from arbitrary places (sm_100)

CASE("tiles");

TEST(four_rows_are_gathered_and_scattered)
{
    static const struct tensor t = { "rows",    7,        4,        2, { 24, 20 }, { 0, 16 },
                                     { 32, 1 }, { 1, 1 }, { 0, 0 }, 3, 1 };
    static const int32_t rows[] = { 17, 3, -1, 3 };
    unsigned char *data = noise(tensor_bytes(&t)), *out = harness_memory(1024);
    unsigned char *expected = malloc(tensor_bytes(&t));
    const size_t stride = 24 * 4 + 16;
    const uint32_t nan = 0x7fffffff;
    // The first copy begins at column 8, from which 16 of its 32 columns exist, and row -1 does not
    // exist. The second half of the result belongs to the second copy.
    char *ptx = for_target(
        TEXT(KERNEL(ONE EXPECT("1024") "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4 "
                                       "[%rd2, {8, 17, 3, -1, 3}];\n"
                                       "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
                                       ".mbarrier::complete_tx::bytes [s], [%rd2, {8, 17, 3, -1, "
                                       "3}], [bar];\n"
                                       "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4"
                                       ".mbarrier::complete_tx::bytes.cta_group::1.L2::cache_hint "
                                       "[s+512], [%rd2, {-12, 0, 19, 20, 5}], [bar], %rd3;\n" WAIT(
                                           "w", "0") OUT("%rd1", "s", "1024")),
             NULL),
        "sm_100a");

    for (size_t i = 3; i < tensor_bytes(&t); i += 4)
        data[i] &= 0xbf; // no NaN
    ck_assert_ptr_nonnull(expected);
    go(ptx, 1, 1, 0, out, encode(&t, data), 0);
    for (uint32_t i = 0; i < 256; i++) {
        static const int32_t second[] = { 0, 19, 20, 5 };
        int32_t row = i < 128 ? rows[i / 32] : second[i / 32 - 4];
        int32_t col = (int32_t)(i % 32) + (i < 128 ? 8 : -12);
        bool inside = row >= 0 && row < 20 && col >= 0 && col < 24;
        size_t at = swizzled(3, 128, i / 32, i % 32 * 4);
        ck_assert_mem_eq(
            out + at, inside ? data + (size_t)row * stride + (size_t)col * 4 : (const void *)&nan,
            4);
    }
    free(ptx);

    ptx = for_target(TEXT(KERNEL(ONE EXPECT("512") FETCH("s", "%rd1", "512") WAIT(
                              "w", "0") "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4"
                                        ".bulk_group [%rd2, {8, 17, 2, -1, 3}], [s];\n"),
                          NULL),
                     "sm_100");
    memcpy(expected, data, tensor_bytes(&t));
    for (size_t i = 0; i < 1024; i++)
        out[i] = (unsigned char)(i * 7);
    for (uint32_t i = 0; i < 128; i++) {
        static const int32_t to[] = { 17, 2, -1, 3 };
        if (to[i / 32] >= 0 && i % 32 < 16)
            memcpy(expected + (size_t)to[i / 32] * stride + (8 + i % 32) * 4,
                   out + swizzled(3, 128, i / 32, i % 32 * 4), 4);
    }
    go(ptx, 1, 1, 0, out, encode(&t, data), 0);
    ck_assert_mem_eq(data, expected, tensor_bytes(&t));
    free(expected);
    free(ptx);
}

// ---- Elements of 4 and 6 bits: 128 per row, packed in memory

static uint32_t code_at(const unsigned char *line, uint32_t bits, uint32_t i)
{
    uint32_t code = 0;
    for (uint32_t n = 0; n < bits; n++)
        code |= (uint32_t)(line[(i * bits + n) / 8] >> (i * bits + n) % 8 & 1) << n;
    return code;
}

static const struct {
    uint32_t type, bits, swizzle;
    bool padded; // 16 elements take 16 bytes in shared memory
} packed[] = {
    { 13, 4, 0, false }, { 13, 4, 2, false }, { 14, 4, 0, true },
    { 14, 4, 3, true },  { 15, 6, 0, true },  { 15, 6, 3, true },
};

TEST_ROWS(packed_elements_are_unpacked_on_their_way, packed)
{
    enum { COLUMNS = 256, ROWS = 6, BOX = 8 };
    const uint32_t bits = packed[_i].bits, line = COLUMNS * bits / 8;
    const uint32_t row = packed[_i].padded ? 128 : 64, each = packed[_i].padded ? 16 : 32;
    const uint32_t bytes = BOX * row;
    const struct tensor t = { .rank = 2, .at = { 128, 2 } };
    const uint64_t dims[] = { COLUMNS, ROWS }, strides[] = { line };
    const uint32_t box[] = { 128, BOX }, step[] = { 1, 1 };
    unsigned char *data = noise((size_t)line * ROWS), *out = harness_memory(bytes);
    CUtensorMap *map = harness_memory(sizeof(*map));
    // The mbarrier counts bytes of global memory; padding in shared memory stays untouched.
    char *ptx = tensor_kernel(
        &t,
        KERNEL("mov.u32 %r10, %r3; add.u32 %r11, %r3, 4096;\n"
               "fill: st.shared.u32 [%r10], 0x5a5a5a5a; add.u32 %r10, %r10, 4;\n"
               "setp.lt.u32 %p1, %r10, %r11; @%p1 bra fill;\n" ONE EXPECT(
                   "%r9") "cp.async.bulk.tensor.$1d.shared::cta.global.tile.mbarrier::complete_tx::"
                          "bytes "
                          "[s], [%rd2, $2], [bar];\n" WAIT(
                              "w", "0") "ld.global.u32 %r9, [%rd1];\n" OUT("%rd1", "s", "%r9")));

    ck_assert_int_eq(sim_encode_tiled(map, packed[_i].type, 2, data, dims, strides, box, step, 0,
                                      packed[_i].swizzle, 0, 0),
                     CUDA_SUCCESS);
    memcpy(out, &bytes, sizeof(bytes));
    go(ptx, 1, 1, 0, out, map, BOX * 128 * bits / 8);
    for (uint32_t i = 0; i < BOX * 128; i++) {
        uint32_t r = i / 128 + 2, c = i % 128;
        const unsigned char *piece = out +
                                     swizzled(packed[_i].swizzle, row, i / 128, c / each * 16);
        ck_assert_uint_eq(code_at(piece, bits, c % each),
                          r < ROWS ? code_at(data + r * line, bits, 128 + c) : 0);
        if (packed[_i].padded)
            for (uint32_t n = 2 * bits; n < 16; n++)
                ck_assert_uint_eq(piece[n], 0x5a);
    }
    free(ptx);
}

TEST_ROWS(packed_elements_go_back, packed)
{
    enum { COLUMNS = 256, ROWS = 6, BOX = 8 };
    const uint32_t bits = packed[_i].bits, line = COLUMNS * bits / 8;
    const uint32_t row = packed[_i].padded ? 128 : 64;
    const struct tensor t = { .rank = 2, .at = { 128, 2 } };
    const uint64_t dims[] = { COLUMNS, ROWS }, strides[] = { line };
    const uint32_t box[] = { 128, BOX }, step[] = { 1, 1 };
    unsigned char *data = noise((size_t)line * ROWS), *before = noise((size_t)line * ROWS);
    unsigned char *in = noise(BOX * row);
    CUtensorMap *map = harness_memory(sizeof(*map));
    char *ptx = tensor_kernel(
        &t, KERNEL(ONE EXPECT("%r9") FETCH("s", "%rd1", "%r9")
                       WAIT("w", "0") "cp.async.bulk.tensor.$1d.global.shared::cta.tile.bulk_group"
                                      " [%rd2, $2], [s];\n"));

    ck_assert_int_eq(sim_encode_tiled(map, packed[_i].type, 2, data, dims, strides, box, step, 0,
                                      packed[_i].swizzle, 0, 0),
                     CUDA_SUCCESS);
    int code = run(ptx, 1, 1, 0, in, map, BOX * row);
    free(ptx);
    if (packed[_i].type == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B) {
        ck_assert_msg(code == 715 && strstr(harness_report(), "of loads only"), "%s",
                      harness_report());
        return;
    }
    ck_assert_msg(code == 0, "%s", harness_report());
    // A byte of shared memory has one 6-bit element or two 4-bit elements.
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        uint32_t r = i / COLUMNS, c = i % COLUMNS, expected = code_at(before + r * line, bits, c);
        if (r >= 2 && c >= 128) {
            uint32_t at = bits == 6 ? c - 128 : (c - 128) / 2;
            uint32_t byte = in[swizzled(packed[_i].swizzle, row, r - 2, at)];
            expected = bits == 6 ? byte & 63 : byte >> 4 * (c % 2) & 15;
        }
        ck_assert_uint_eq(code_at(data + r * line, bits, c), expected);
    }
}

// ---- Kernels that turn one map into another by replacing all of its fields

#define FIELDS(space, map)                                                           \
    "mov.u64 %rd10, 208; mov.u64 %rd11, 4176; mov.u32 %r10, 7;\n"                    \
    "tensormap.replace.tile.global_address" space ".b1024.b64 [" map "], %rd1;\n"    \
    "tensormap.replace.tile.rank" space ".b1024.b32 [" map "], 2;\n"                 \
    "tensormap.replace.tile.box_dim" space ".b1024.b32 [" map "], 0, 32;\n"          \
    "tensormap.replace.tile.box_dim" space ".b1024.b32 [" map "], 1, 5;\n"           \
    "tensormap.replace.tile.box_dim" space ".b1024.b32 [" map "], 2, %r10;\n"        \
    "tensormap.replace.tile.global_dim" space ".b1024.b32 [" map "], 0, 48;\n"       \
    "tensormap.replace.tile.global_dim" space ".b1024.b32 [" map "], 1, 20;\n"       \
    "tensormap.replace.tile.global_dim" space ".b1024.b32 [" map "], 2, 30;\n"       \
    "tensormap.replace.tile.global_stride" space ".b1024.b64 [" map "], 0, %rd10;\n" \
    "tensormap.replace.tile.global_stride" space ".b1024.b64 [" map "], 1, %rd11;\n" \
    "tensormap.replace.tile.element_stride" space ".b1024.b32 [" map "], 0, 1;\n"    \
    "tensormap.replace.tile.element_stride" space ".b1024.b32 [" map "], 1, 2;\n"    \
    "tensormap.replace.tile.element_stride" space ".b1024.b32 [" map "], 2, 3;\n"    \
    "tensormap.replace.tile.elemtype" space ".b1024.b32 [" map "], 8;\n"             \
    "tensormap.replace.tile.interleave_layout" space ".b1024.b32 [" map "], 0;\n"    \
    "tensormap.replace.tile.swizzle_mode" space ".b1024.b32 [" map "], 3;\n"         \
    "tensormap.replace.tile.swizzle_atomicity" space ".b1024.b32 [" map "], 3;\n"    \
    "tensormap.replace.tile.fill_mode" space ".b1024.b32 [" map "], 1;\n"

static const struct {
    const char *name, *ptx;
} replacements[] = {
    { "in global memory", KERNEL("@!%p9 bra end;\n" FIELDS(".global", "%rd2") "end:") },
    { "by a generic address", KERNEL("@!%p9 bra end;\n" FIELDS("", "%rd2") "end:") },
    { "in shared memory",
      KERNEL(
          "shl.b32 %r11, %r1, 2; add.u32 %r11, %r11, %r3; mul.wide.u32 %rd5, %r1, 4;\n"
          "add.u64 %rd5, %rd5, %rd2; ld.global.u32 %r12, [%rd5]; st.shared.u32 [%r11], %r12;\n"
          "bar.sync 0; @!%p9 bra end;\n" FIELDS(
              ".shared::cta",
              "s") "end: bar.sync 0;\n"
                   "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync"
                   ".aligned [%rd2], [s], 128;\n"
                   "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;\n") },
};

CASE("maps of maps");

TEST_ROWS(a_map_is_made_from_another, replacements)
{
    // Type 8 means .f32.ftz in a kernel, but FLOAT64 in the driver.
    static const uint64_t dims[2][3] = { { 1, 2, 3 }, { 48, 20, 30 } };
    static const uint64_t strides[2][2] = { { 16, 32 }, { 208, 4176 } };
    static const uint32_t box[2][3] = { { 8, 1, 1 }, { 32, 5, 7 } };
    static const uint32_t step[2][3] = { { 8, 8, 8 }, { 1, 2, 3 } };
    CUtensorMap *map = harness_memory(sizeof(*map)), *expected = harness_memory(sizeof(*expected));
    void *data = harness_memory(256);
    char *ptx = for_target(TEXT(replacements[_i].ptx, NULL), "sm_100a");

    ck_assert_int_eq(sim_encode_tiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 3, (void *)4096,
                                      dims[0], strides[0], box[0], step[0], 0, 0, 0, 0),
                     CUDA_SUCCESS);
    ck_assert_int_eq(sim_encode_tiled(expected, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 3, data,
                                      dims[1], strides[1], box[1], step[1], 0,
                                      CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, 0, 1),
                     CUDA_SUCCESS);
    go(ptx, 1, 32, 0, data, map, 0);
    ck_assert_msg(memcmp(map, expected, sizeof(*expected)) == 0, "%s", replacements[_i].name);
    free(ptx);
}

// Maps each type number in a kernel to the driver's name.
TEST_RANGE(element_types_have_numbers_of_their_own_in_kernels, 0, 16)
{
    static const uint32_t types[] = {
        CU_TENSOR_MAP_DATA_TYPE_UINT8,         CU_TENSOR_MAP_DATA_TYPE_UINT16,
        CU_TENSOR_MAP_DATA_TYPE_UINT32,        CU_TENSOR_MAP_DATA_TYPE_INT32,
        CU_TENSOR_MAP_DATA_TYPE_UINT64,        CU_TENSOR_MAP_DATA_TYPE_INT64,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16,       CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,   CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,      CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
        CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
    };
    static const uint64_t dims[] = { 128, 2 }, strides[] = { 1024 };
    static const uint32_t box[] = { 128, 1 }, step[] = { 1, 1 };
    CUtensorMap *map = harness_memory(sizeof(*map)), *expected = harness_memory(sizeof(*map));
    void *data = harness_memory(2048);
    char number[3], *ptx;

    sprintf(number, "%d", _i);
    ptx = for_target(
        TEXT(KERNEL("tensormap.replace.tile.elemtype.global.b1024.b32 [%rd2], $1;\n"), number),
        "sm_90a");
    ck_assert_int_eq(sim_encode_tiled(map, 0, 2, data, dims, strides, box, step, 0, 0, 0, 0),
                     CUDA_SUCCESS);
    ck_assert_int_eq(
        sim_encode_tiled(expected, types[_i], 2, data, dims, strides, box, step, 0, 0, 0, 0),
        CUDA_SUCCESS);
    go(ptx, 1, 1, 0, data, map, 0);
    ck_assert_mem_eq(map, expected, sizeof(*map));
    free(ptx);
}

// Errors are reported.

#define TENSOR(map, at)                                                                           \
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [" map \
    ", " at "], [bar];\n"
static const struct {
    int code;
    const char *ptx, *report;
} faults[] = {
    { 715, KERNEL(ONE TENSOR("%rd2", "{0, 0}")), "no tensor map" },
    { 715, KERNEL(ONE "cvta.shared.u64 %rd5, %rd5;\n" TENSOR("%rd5", "{0, 0}")),
      "in shared memory" },
};

CASE("misuse", .timeout = 60);

TEST_ROWS(invalid_maps_are_reported, faults)
{
    unsigned char *in = harness_memory(256);
    int code = run(faults[_i].ptx, 1, 1, 0, in, in, 0);
    ck_assert_msg(code == faults[_i].code && strstr(harness_report(), faults[_i].report), "%d %s",
                  code, harness_report());
}

static const struct {
    int code;
    const char *at, *words, *report;
    size_t missing; // bytes missing at the end of the tensor
} tensor_faults[] = {
    { 715, "{4, 0}", ".2d", "the innermost coordinate 4 of elements of 2 bytes", 0 },
    { 715, "{0, 0, 0}", ".3d", "2 dimensions, the copy 3", 0 },
    { 700, "{0, 0}", ".2d", "past the end of an allocation", 1536 },
    { 0, "{0, 8}", ".2d", "", 1536 },
};

TEST_ROWS(misuse_of_tensors_is_reported, tensor_faults)
{
    static const struct tensor t = { "t",       9,        2,        2, { 64, 16 }, { 0, 0 },
                                     { 64, 8 }, { 1, 1 }, { 0, 0 }, 3, 0 };
    unsigned char *data = harness_memory(2048 - tensor_faults[_i].missing);
    char *ptx =
        TEXT(KERNEL(ONE EXPECT("1024") "cp.async.bulk.tensor$2.shared::cluster.global.tile"
                                       ".mbarrier::complete_tx::bytes [s], [%rd2, $1], [bar];\n"),
             tensor_faults[_i].at, tensor_faults[_i].words);
    struct tensor moved = t;
    moved.dims[1] = tensor_faults[_i].code ? 16 : 8;
    int code = run(ptx, 1, 1, 0, data, encode(&moved, data), 0);
    ck_assert_msg(code == tensor_faults[_i].code &&
                      strstr(harness_report(), tensor_faults[_i].report),
                  "%d %s", code, harness_report());
    free(ptx);
}

#define IN(rank, how, at, rest)                                                                   \
    "cp.async.bulk.tensor." rank "d.shared::cluster.global." how ".mbarrier::complete_tx::bytes " \
    "[s], [%rd2, " at "], [bar]" rest ";\n"
#define REPLACE(words, value) "tensormap.replace.tile." words " [%rd2], " value ";\n"

static const struct {
    char map; // t tile, c cube, i image, n no map
    const char *ptx, *report;
} map_faults[] = {
    { 'c', IN("3", "im2col", "{0, 0, 0}", ", {%h1}"), "the tensor map is tiled, the copy im2col" },
    { 'i', IN("4", "tile", "{0, 0, 0, 0}", ""), "the tensor map is im2col, the copy tiled" },
    { 'i', IN("4", "im2col", "{0, -2, 0, 0}", ", {%h1, %h1}"),
      "coordinate -2 of dimension 1 is outside of the bounding box, -1 to 7" },
    { 'i', IN("4", "im2col", "{0, 0, 6, 0}", ", {%h1, %h1}"), "coordinate 6 of dimension 2" },
    { 'i', "mov.u16 %h1, 256;\n" IN("4", "im2col", "{0, 0, 0, 0}", ", {%h1, %h1}"),
      "an im2col offset of 256 in 4 dimensions, where they go up to 255" },
    { 'i', IN("4", "im2col", "{4, 0, 0, 0}", ", {%h1, %h1}"), "the innermost coordinate 4" },
    { 't', IN("2", "tile::gather4", "{0, 0, 1, 2, 3}", ""), "has more than one row" },
    { 't',
      "st.shared.u32 [s], 0; mov.u64 %rd2, s; cvta.shared.u64 %rd2, %rd2;\n" //
      IN("2", "tile", "{0, 0}", ""),
      "in shared memory" },
    { 'n', REPLACE("rank.global.b1024.b32", "1"), "there is no tensor map" },
    { 't', REPLACE("rank.global.b1024.b32", "5") IN("2", "tile", "{0, 0}", ""), "a rank" },
    { 't', REPLACE("rank.global.b1024.b32", "2") IN("2", "tile", "{0, 0}", ""),
      "a box of no elements" },
    { 't', REPLACE("box_dim.global.b1024.b32", "1, 257") IN("2", "tile", "{0, 0}", ""),
      "more than 256" },
    { 't', REPLACE("box_dim.global.b1024.b32", "0, 65544") IN("2", "tile", "{0, 0}", ""),
      "a box of no elements" },
    { 't', REPLACE("box_dim.global.b1024.b32", "0, 60") IN("2", "tile", "{0, 0}", ""),
      "not a multiple of 16 bytes" },
    { 't', REPLACE("global_address.global.b1024.b64", "%rd3") IN("2", "tile", "{0, 0}", ""),
      "an address that is not a multiple of 16" },
    { 't', REPLACE("global_stride.global.b1024.b64", "0, %rd3") IN("2", "tile", "{0, 0}", ""),
      "a stride that is not a multiple of 16" },
    { 't', REPLACE("element_stride.global.b1024.b32", "1, 9") IN("2", "tile", "{0, 0}", ""),
      "an element stride that is not 1 to 8" },
    { 't', REPLACE("interleave_layout.global.b1024.b32", "1") IN("2", "tile", "{0, 0}", ""),
      "an interleaved layout" },
    { 't', REPLACE("swizzle_mode.global.b1024.b32", "2") IN("2", "tile", "{0, 0}", ""),
      "wider than its swizzle" },
    { 't',
      REPLACE("swizzle_mode.global.b1024.b32", "0")
          REPLACE("swizzle_atomicity.global.b1024.b32", "1") IN("2", "tile", "{0, 0}", ""),
      "a type, swizzle or atomicity" },
    { 't', REPLACE("global_dim.global.b1024.b32", "1, 4096") IN("2", "tile", "{0, 1000}", ""),
      "read of 128 bytes" },
};

TEST_ROWS(copies_that_do_not_fit_their_map_are_reported, map_faults)
{
    static const struct tensor tile = { "t",       9,        2,        2, { 64, 16 }, { 0, 0 },
                                        { 64, 8 }, { 1, 1 }, { 0, 0 }, 3, 0 };
    static const struct tensor cube = {
        "c", 9, 2, 3, { 64, 4, 4 }, { 0, 0, 0 }, { 64, 2, 2 }, { 1, 1, 1 }, { 0 }, 3, 0
    };
    char kind = map_faults[_i].map;
    unsigned char *data = harness_memory(16384);
    void *map = kind == 't'   ? encode(&tile, data)
                : kind == 'c' ? encode(&cube, data)
                : kind == 'i' ? encode_image(&images[1], data)
                              : harness_memory(128);
    char *ptx = for_target(TEXT(KERNEL(ONE "mov.u16 %h1, 0;\n$1"), map_faults[_i].ptx), "sm_100a");
    int code = run(ptx, 1, 1, 0, data, map, 8);

    ck_assert_msg(code != 0 && strstr(harness_report(), map_faults[_i].report), "%d %s", code,
                  harness_report());
    free(ptx);
}

#define NOT_YET ".target sm_100 or above"

static const struct {
    const char *target, *statement, *log;
} refused[] = {
    { "sm_90", IN("2", "tile", "{%r1}", ""), "no such form" },
    { "sm_90", IN("2", "im2col", "{%r1, %r1}", ", {}"), "" },
    { "sm_90", IN("4", "im2col", "{%r1, %r1, %r1, %r1}", ", {%h1}"), "no such form" },
    { "sm_90", IN("4", "im2col", "{%r1, %r1, %r1, %r1}", ", {%h1, %h1, %h1}"), "no such form" },
    { "sm_90", IN("4", "im2col", "{%r1, %r1, %r1, %r1}", ""), "needs more" },
    { "sm_100a", IN("4", "im2col::w", "{%r1, %r1, %r1, %r1}", ", {%h1, %h1}"),
      "im2col::w, which only sm_100 and its like have, is not simulated" },
    { "sm_90", IN("2", "tile::gather4", "{%r1, %r1, %r1, %r1, %r1}", ""), NOT_YET },
    { "sm_100", IN("2", "tile::gather4", "{%r1, %r1, %r1, %r1}", ""), "no such form" },
    { "sm_90",
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%rd2, {0, 0, 0, 0, "
      "0}], [s];",
      NOT_YET },
    { "sm_90",
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".cta_group::1 [s], [%rd2, {0, 0}], [bar];",
      NOT_YET },
    { "sm_90", REPLACE("rank.global.b1024.b32", "1"), "needs .target sm_90a" },
    { "sm_90a", REPLACE("swizzle_atomicity.global.b1024.b32", "1"), "needs .target sm_100a" },
    { "sm_90a", REPLACE("rank.global.b1024.b64", "%rd1"), "" },
    { "sm_90a", REPLACE("rank.global.b1024.b32", "1, 1"), "" },
    { "sm_90a", REPLACE("box_dim.global.b1024.b32", "5, 1"), "not that of a dimension" },
    { "sm_90a", REPLACE("global_stride.global.b1024.b64", "4, %rd1"), "not that of a dimension" },
    { "sm_90a", REPLACE("elemtype.global.b1024.b32", "16"), "not one that the field has" },
    { "sm_90a", REPLACE("fill_mode.global.b1024.b32", "2"), "not one that the field has" },
    { "sm_90a", REPLACE("rank.local.b1024.b32", "1"), "" },
    { "sm_90",
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[%rd2], [s], 64;",
      "a tensor map has 128 bytes" },
    { "sm_90", "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 64;",
      "a tensor map has 128 bytes" },
};

TEST_ROWS(nonexistent_forms_are_refused, refused)
{
    char *ptx = for_target(TEXT(KERNEL("$1"), refused[_i].statement), refused[_i].target);
    const char *log = harness_refused(ptx);
    ck_assert_msg(strstr(log, refused[_i].log) && strstr(log, "line 2"), "%s", log);
    free(ptx);
}

int main(void)
{
    return run_tests("tensor");
}
