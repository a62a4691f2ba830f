// Tests the code of kernels that memory limits: the widths of their accesses, their barriers, and
// the warps of a block. test_emit.c tests the results.
#include "base/array.h"
#include "testing.h"

// A filter with three taps in each direction, whose rows are aligned.
#define POINTS                                                                                \
    "kernel k(x: f32[M, N], y: f32[M, N]) where N % 4 == 0 grid cdiv(N, 128), cdiv(M, 8) {\n" \
    "    n, m = block(0) * 128, block(1) * 8\n    a = zeros(f32, [8, 128])\n"                 \
    "    static for j in -1 .. 2 { a += load_at(x, [m, n + j], [8, 128]) }\n"                 \
    "    store_at(y, [m, n], a)\n}\n"
#define TAPS                                                                                    \
    "kernel k(x: f32[M, N], w: f32[3], y: f32[M, N]) where N % 4 == 0 grid cdiv(N, 512), M {\n" \
    "    n, m = block(0) * 512, block(1)\n    a = zeros(f32, [512])\n"                          \
    "    for j in 0 .. 3 { a += w[j] * load_at(x, [m, n + j - 1], [_, 512]) }\n"                \
    "    store_at(y, [m, n], a, shape=[_, 512])\n}\n"
#define MIDDLE                                                         \
    "kernel k(x: f32[B, C, P], y: f32[B, P]) grid cdiv(P, 128), B {\n" \
    "    v = load(x, [block(1), 0, block(0)], [_, 64, 128])\n"         \
    "    store(y, [block(1), block(0)], squeeze(sum(v, 0), 0), shape=[_, 128])\n}\n"
#define NARROW                                                        \
    "kernel k(x: f32[B, C, P], y: f32[B, P]) grid cdiv(P, 32), B {\n" \
    "    v = load(x, [block(1), 0, block(0)], [_, 64, 32])\n"         \
    "    store(y, [block(1), block(0)], squeeze(sum(v, 0), 0), shape=[_, 32])\n}\n"
#define RECURRENCE(output)                                                     \
    "kernel k(a: f32[T, D], x: f32[T, D], y: f32[T, D]) grid cdiv(D, 512) {\n" \
    "    d, h = block(0), zeros(f32, [512])\n    for t in 0 .. T {\n"          \
    "        h = h * load(a, [t, d], [_, 512]) + load(x, [t, d], [_, 512])\n"  \
    "        store(" output ", [t, d], h, shape=[_, 512])\n    }\n}\n"
// A recurrence that loads four of its steps at once.
#define STEPS                                                                                      \
    "kernel k(x: f32[T, D], y: f32[T, D]) where noalias(x, y) grid cdiv(D, 64) {\n"                \
    "    d, h = block(0), zeros(f32, [1, 64])\n    for t in 0 .. cdiv(T, 4) {\n"                   \
    "        v = load(x, [t, d], [4, 64])\n        static for i in 0 .. 4 {\n"                     \
    "            h = h * 0.9 + extract(v, [i, 0], [1, 64])\n            store(y, [t * 4 + i, d], " \
    "h)\n"                                                                                         \
    "        }\n    }\n}\n"
#define ROWS(result)                                                 \
    "kernel k(x: f32[M, 1024], y: f32[M, 1024]) grid cdiv(M, 8) {\n" \
    "    v = load(x, [block(0), 0], [8, 1024])\n"                    \
    "    store(y, [block(0), 0], " result ")\n}\n"
// Sums along a middle axis, up to each element.
#define DOWN                                                    \
    "kernel k(x: f32[M, N], y: f32[M, N]) grid cdiv(N, 32) {\n" \
    "    v = load(x, [0, block(0)], [64, 32])\n"                \
    "    store(y, [0, block(0)], cumsum(v, 0))\n}\n"

// The largest magnitudes of rows, in a loop over tiles.
#define LARGEST                                                                 \
    "kernel k(x: bf16[M, N], y: f32[M]) grid cdiv(M, 16) {\n    m = block(0)\n" \
    "    top = zeros(f32, [16, 1])\n    for n in 0 .. cdiv(N, 256) {\n"         \
    "        v = cast(load(x, [m, n], [16, 256]), f32)\n"                       \
    "        top = maximum(top, max(abs(v), 1))\n    }\n"                       \
    "    store(y, [m], squeeze(top, 1))\n}\n"

// The number of times that an instruction is in one entry of a kernel k.
static const struct {
    const char *name, *source, *entry, *instruction;
    int warps, count;
} rows[] = {
    // Each load has a path for tiles inside and one for tiles at an edge. A thread has 8 rows of
    // one vector; three points need the vectors at -4, 0 and 4.
    { "points between vectors share whole vectors", POINTS, "idx32_aligned", "ld.global.v4", 1,
      2 * 3 * 8 },
    { "points between vectors load no single elements", POINTS, "idx32_aligned", "ld.global.b32", 1,
      0 },
    { "taps of a loop share whole vectors", TAPS, "idx32_aligned", "ld.global.v4", 4, 2 * 3 },
    { "lanes load neighbors if the tensor is not aligned", POINTS, "idx64", "ld.global.v4", 1, 0 },
    // 64 rows of 16 warps become 16 partial sums of 128 columns, four columns in a thread. A thread
    // reads 4 of 2048 partial sums, and then its 4 of 128 sums at once.
    { "many warps share the sums along a middle axis", MIDDLE, "idx32_aligned", "ld.shared", 16,
      4 + 1 },
    // With two warps, a thread reads the two parts of all its sums.
    { "two warps read the parts of their sums", MIDDLE, "idx32_aligned", "ld.shared", 2, 2 },
    // Four lanes have parts of four sums of 32 columns. The first exchange leaves each two, and the
    // second one.
    { "lanes divide the sums along a middle axis among themselves", NARROW, "idx32_aligned",
      "shfl.sync", 2, 2 + 1 },
    { "each lane writes its own sum", NARROW, "idx32_aligned", "st.shared", 2, 1 },
    { "a warp of several rows reduces whole rows", ROWS("v / sum(v, 1)"), "idx32_aligned",
      "bar.sync", 8, 0 },
    { "a row for two warps needs a barrier", ROWS("v / sum(v, 1)"), "idx32_aligned", "bar.sync", 16,
      1 },
    { "a warp of several rows scans whole rows", ROWS("cumsum(v, 1)"), "idx32_aligned", "bar.sync",
      4, 0 },
    { "warps share rows whose columns are reduced too", ROWS("cumsum(v, 1) - max(v, 0)"),
      "idx32_aligned", "bar.sync", 8, 1 },
    // A thread has eight neighbors in each of four columns: one run for each column. Four lanes
    // take
    // two steps, and a shuffle each for what precedes and for the total.
    { "a thread scans neighbors along another axis than the last", DOWN, "idx32_aligned",
      "shfl.sync", 2, 4 * (2 + 1 + 1) },
    // A thread has four words in each of four rows. Two iterations are unrolled, and a third stands
    // for the others.
    { "lanes exchange the largest of 16-bit elements once, after the loop", LARGEST,
      "idx32_aligned", "shfl.sync", 4, 4 * 5 },
    { "magnitudes of 16-bit elements are compared in pairs", LARGEST, "idx32_aligned", "max.bf16x2",
      4, 3 * 4 * 3 },
    { "a step of a recurrence needs no barrier", RECURRENCE("y"), "idx32_aligned", "bar.sync", 4,
      0 },
    { "a step of a recurrence in place needs no barrier", RECURRENCE("x"), "idx32_aligned",
      "bar.sync", 4, 0 },
    { "steps of a recurrence that are loaded together exchange nothing", STEPS, "idx32_aligned",
      "shared", 2, 0 },
    { "steps of a recurrence with overlap need barriers", RECURRENCE("y"), "idx32_overlap",
      "bar.sync", 4, 2 },
};

// The default number of threads, which a model chooses.
static const struct {
    const char *name, *body;
    int threads;
} defaults[] = {
    { "a row, which 4 warps reduce with few exchanges",
      "v = load(x, [block(0), 0], [_, 4096], pad=-inf)\n    e = exp(v - max(v))\n"
      "    store(y, [block(0), 0], e / sum(e))",
      128 },
    { "a row whose loss each warp computes",
      "v = load(x, [block(0), 0], [_, 4096], pad=-inf)\n    e = exp(v - max(v))\n    l = sum(e)\n"
      "    p = exp(x[block(0), 3] - log(l))\n"
      "    store(y, [block(0), 0], e / l * (pow(1.0 - p, 2.5) - p * pow(1.0 - p, 1.5)))",
      128 },
    { "a norm along the middle axis, whose warps all exchange 16 sums",
      "v = load(x, [0, block(0)], [512, 16])\n    d = v - sum(v, 0) / 512.0\n"
      "    store(y, [0, block(0)], d * rsqrt(sum(d * d, 0) / 512.0))",
      128 },
    { "elements that need nothing of each other",
      "store(y, [block(0), 0], load(x, [block(0), 0], [_, 4096]) * 2.0)", 512 },
    { "a tile that fits in one warp",
      "store(y, [block(0), 0], load(x, [block(0), 0], [_, 128]) * 2.0)", 32 },
    { "steps of a recurrence, each of which waits for memory",
      "h = zeros(f32, [1024])\n    for t in 0 .. M {\n"
      "        h = h * 0.9 + load(x, [t, block(0)], [_, 1024])\n"
      "        store(y, [t, block(0)], h, shape=[_, 1024])\n    }",
      128 },
    { "a tile that needs the registers of 32 warps",
      "store(y, [block(0), 0], exp(load(x, [block(0), 0], [_, 65536])))", 1024 },
    { "a stencil of 25 points",
      "a = zeros(f32, [16, 128])\n    for i in 0 .. 5 {\n        for j in 0 .. 5 {\n"
      "            a += load_at(x, [block(0) * 16 + i, j], [16, 128])\n        }\n    }\n"
      "    store(y, [block(0), 0], a)",
      256 },
};

// Returns the code of one entry; the caller frees it.
static char *entry_of(const char *source, const char *entry, int warps)
{
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    const char *ptx;
    char name[64];

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, source, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = warps)));
    ck_assert_msg(cuc_program_compile(&object, program, CUC_CODE_PTX) == CUC_OK, "%s\n%s",
                  cuc_error_message(), cuc_error_log());
    ck_ok(cuc_object_get_ptx(&ptx, NULL, object));
    snprintf(name, sizeof(name), ".entry k$%s(", entry);
    const char *begin = strstr(ptx, name);
    ck_assert_msg(begin != NULL, "no entry %s", entry);
    char *copy = strdup(begin), *end = strstr(copy, "\n}\n");
    ck_assert(end != NULL);
    *end = 0;
    cuc_object_release(object);
    cuc_program_release(program);
    return copy;
}

TEST_ROWS(an_entry_has_the_instructions_that_it_needs, rows)
{
    char *code = entry_of(rows[_i].source, rows[_i].entry, rows[_i].warps);

    ck_assert_msg(testing_occurrences(code, rows[_i].instruction) == rows[_i].count,
                  "%s: %d of %s, expected %d", rows[_i].name,
                  testing_occurrences(code, rows[_i].instruction), rows[_i].instruction,
                  rows[_i].count);
    free(code);
}

TEST_ROWS(the_default_number_of_warps_suits_the_work, defaults)
{
    char source[1024], threads[32];

    snprintf(source, sizeof(source), "kernel k(x: f32[M, N], y: f32[M, N]) grid M {\n    %s\n}\n",
             defaults[_i].body);
    snprintf(threads, sizeof(threads), ".reqntid %d,", defaults[_i].threads);
    char *code = entry_of(source, "idx32_aligned", 0);
    ck_assert_msg(strstr(code, threads) != NULL, "%s: %.120s", defaults[_i].name,
                  strstr(code, ".reqntid"));
    free(code);
}

// A row of 16-bit elements that is loaded ahead is carried in the words of its load.
TEST(a_row_that_is_loaded_ahead_is_carried_in_words)
{
    static const char source[] =
        "kernel k(x: bf16[M, N], y: bf16[M, N]) grid 1 {\n    v = load(x, [0, 0], [_, 2048])\n"
        "    for m in 0 .. M {\n        w = cast(v, f32)\n        v = load(x, [m + 1, 0], [_, "
        "2048])\n"
        "        store(y, [m, 0], cast(w / sum(w), bf16))\n    }\n}\n";
    char *code = entry_of(source, "idx32_aligned", 4), *end = code;

    for (char *at = code; (at = strstr(at, "st.global")); at++)
        end = at;
    ck_assert_int_eq(testing_occurrences(end, "mov.b16"), 0);
    ck_assert_int_eq(testing_occurrences(end, "mov.b32"),
                     2 * 8); // carries 16 elements, and splits them
    free(code);
}

// A loop that stores loads several steps ahead, if its tensors do not overlap.
TEST(a_recurrence_loads_several_steps_at_once)
{
    char *code = entry_of(RECURRENCE("y"), "idx32_aligned", 4);
    char *store = strstr(code, "st.global");

    ck_assert(store != NULL);
    *store = 0;
    ck_assert_int_eq(testing_occurrences(code, "ld.global.v4"), 2 * 4);
    free(code);
}

int main(void)
{
    return run_tests("tile memory");
}
