// Compares cuc_attention() with sums in double: masks, windows, heads, widths, orders of memory,
// ragged and tiny extents. Nothing around o and lse may be written, and nothing around q, k and v
// may matter.
#include "attention/attention.h"
#include "base/array.h"
#include "code/kernel_tile.h"
#include "slice.h"
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

// ---- Arrays

// GUARD: number of elements before and after an array. The bytes of a gap are POISON, which is NaN
// in every float type.
enum { GUARD = 64, POISON = 0xff };

struct array {
    cuc_tensor t;
    cuc_buffer *buffer;
    unsigned char *bytes; // the host's copy
    size_t size;
    double *numbers; // of all elements of `bytes`, after decode(); the reference reads some often
};

static uint64_t seed = 1;

static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

// Returns a number between -2 and 2.
static double number(void)
{
    return ((double)below(1 << 20) / (1 << 19) - 1) * 2;
}

// Returns the number of an element in `bytes`.
static int64_t position(const struct array *a, const int64_t *index)
{
    int64_t offset = GUARD;

    for (int32_t i = 0; i < a->t.rank; i++)
        offset += index[i] * a->t.strides[i];
    return offset;
}

static unsigned char *at(const struct array *a, const int64_t *index)
{
    return a->bytes + position(a, index) * (int64_t)(cuc_dtype_bits(a->t.dtype) / 8);
}

// Calls `visit` for the address of each element.
static void each(const struct array *a, void (*visit)(cuc_dtype dtype, unsigned char *element))
{
    int64_t index[CUC_TENSOR_MAX_RANK] = { 0 };
    int32_t axis = 0;

    for (int32_t i = 0; i < a->t.rank; i++)
        if (!a->t.shape[i])
            return;
    do {
        visit(a->t.dtype, at(a, index));
        for (axis = 0; axis < a->t.rank && ++index[axis] == a->t.shape[axis]; axis++)
            index[axis] = 0;
    } while (axis < a->t.rank);
}

static void draw(cuc_dtype dtype, unsigned char *element)
{
    uint64_t bits = tile_element_of_real(dtype, number());

    memcpy(element, &bits, cuc_dtype_bits(dtype) / 8);
}

static void poison(cuc_dtype dtype, unsigned char *element)
{
    memset(element, POISON, cuc_dtype_bits(dtype) / 8);
}

// Makes an array whose axes lie in memory in the order of `memory`, a list of axes from the
// slowest to the fastest. The fastest axis is `gap` elements longer than its contents.
static void make(struct array *a, cuc_dtype dtype, int32_t rank, const int64_t *shape,
                 const char *memory, int64_t gap)
{
    size_t bytes = cuc_dtype_bits(dtype) / 8;
    int64_t stride = 1;

    memset(a, 0, sizeof(*a));
    a->t.dtype = dtype;
    a->t.rank = rank;
    memcpy(a->t.shape, shape, (size_t)rank * sizeof(*shape));
    for (int32_t i = rank - 1; i >= 0; i--) {
        int axis = memory[i] - '0';
        a->t.strides[axis] = stride;
        stride *= shape[axis] + (i == rank - 1 ? gap : 0);
    }
    a->size = (size_t)(2 * GUARD + stride) * bytes;
    a->bytes = malloc(a->size);
    memset(a->bytes, POISON, a->size);
    ck_ok(cuc_buffer_create(&a->buffer, stream, NULL, a->size));
    a->t.data = cuc_buffer_ptr(a->buffer) + GUARD * bytes;
}

static void send(const struct array *a)
{
    ck_ok(cuc_buffer_write_async(stream, a->buffer, 0, a->bytes, a->size));
}

static void drop(struct array *a)
{
    cuc_buffer_release(a->buffer);
    free(a->bytes);
    free(a->numbers);
}

static void decode(struct array *a)
{
    size_t bytes = cuc_dtype_bits(a->t.dtype) / 8, count = a->size / bytes;

    if (!a->buffer)
        return;
    free(a->numbers);
    a->numbers = malloc(count * sizeof(*a->numbers));
    for (size_t i = 0; i < count; i++)
        a->numbers[i] =
            tile_element_real(a->t.dtype, tile_scalar_of(a->t.dtype, a->bytes + i * bytes));
}

// ---- Score functions

struct arrays {
    struct array q, k, v, o, d_o, d_q, d_k, d_v, lse, sinks, offsets[2], table, key_lengths, new_k,
        new_v, scales[3], workspace, d_sinks, sides[2], d_sides[2];
    cuc_tensor tensors[2], gradients[2];
    cuc_attention_args args;
};

// A score function and its reference. Side arrays have extents of the call: b, h, q or k. They
// train in plans with a backward pass. Integers count documents, which begin at multiples of 23
// rows.
struct score {
    const char *text;
    cuc_attention_side sides[2];
    const char *extents[2];
    double (*expected)(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                       int64_t j);
};

static double nudge[2]; // added to the elements of side arrays, for differences

static double side(const struct arrays *x, int which, const int64_t *index)
{
    const struct array *a = &x->sides[which];

    return tile_is_integer(a->t.dtype)
               ? (double)(int64_t)tile_scalar_of(a->t.dtype, at(a, index))
               : tile_element_real(a->t.dtype, tile_scalar_of(a->t.dtype, at(a, index))) +
                     nudge[which];
}

static double alibi(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                    int64_t j)
{
    (void)b;
    return score - side(x, 0, &h) * (double)(i - j);
}

static double soft_cap(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                       int64_t j)
{
    (void)x, (void)b, (void)h, (void)i, (void)j;
    return 2 * tanh(score / 2);
}

static double of_document(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                          int64_t j)
{
    (void)h;
    return side(x, 0, (const int64_t[]){ b, i }) == side(x, 1, (const int64_t[]){ b, j })
               ? score
               : -INFINITY;
}

static double first_keys(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                         int64_t j)
{
    (void)x, (void)b, (void)h;
    return j < 4 || i - j < 30 ? score : -INFINITY;
}

static double with_bias(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                        int64_t j)
{
    return score + side(x, 0, (const int64_t[]){ b, h, i, j });
}

static double of_batch_and_head(const struct arrays *x, double score, int64_t b, int64_t h,
                                int64_t i, int64_t j)
{
    (void)x, (void)i, (void)j;
    return score * (1 + (double)b / 4) + (double)h;
}

static double square(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                     int64_t j)
{
    double t = score * (double)(i % 5 + 1) / (double)(j % 7 + 1);

    (void)x, (void)b, (void)h;
    return (j % 3 == 0 ? 0 : score) - 0.05 * t * t;
}

static double by_row(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                     int64_t j)
{
    (void)b;
    return 2 * tanh(score * side(x, 0, (const int64_t[]){ h, i }) / 2) +
           side(x, 1, (const int64_t[]){ j, i });
}

static double by_column(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                        int64_t j)
{
    (void)i;
    return score * side(x, 0, &b) + side(x, 1, (const int64_t[]){ j, h }) * score * 0.25;
}

static double by_batch(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                       int64_t j)
{
    double y = side(x, 0, (const int64_t[]){ b, h });

    return score + y * y * (double)(i % 3 - j % 4);
}

static double line(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i, int64_t j)
{
    (void)x, (void)b, (void)h;
    return (score * 1.5 + 0.25) * 0.5 - (double)i * 0.02 + (double)j * 0.01;
}

static double away(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i, int64_t j)
{
    (void)x, (void)b, (void)h;
    return (double)(3 + j - (i + 2)) * 0.02 - score * 0.5;
}

static double terms(const struct arrays *x, double score, int64_t b, int64_t h, int64_t i,
                    int64_t j)
{
    (void)b;
    return 0.5 * (side(x, 0, &i) - (side(x, 1, (const int64_t[]){ h, j }) - 2 * score));
}

enum {
    PLAIN,
    ALIBI,
    SOFT_CAP,
    DOCUMENTS,
    FIRST_KEYS,
    BIAS,
    BATCH_AND_HEAD,
    SQUARE,
    BY_ROW,
    BY_COLUMN,
    BY_BATCH,
    LINE,
    AWAY,
    TERMS,
    SCORES
};

// clang-format off
static const struct score scores[SCORES] = {
    [ALIBI] = { "score - slopes[head] * cast(row - column, f32)  # grows with the distance",
                { { "slopes", CUC_F32, 1, "head" } }, { "h" }, alibi },
    [SOFT_CAP] = { "    half = score * 0.5\n    return 2.0 * tanh(half)", { { NULL, 0, 0, NULL } }, { NULL }, soft_cap },
    [DOCUMENTS] = { "where(gather(mine, [batch, row]) == gather(theirs, [batch, column]),\nscore, -inf)",
                    { { "mine", CUC_I32, 2, NULL }, { "theirs", CUC_I32, 2, NULL } }, { "bq", "bk" }, of_document },
    [FIRST_KEYS] = { "where((column < 4) | (row - column < 30), score, -inf)", { { NULL, 0, 0, NULL } }, { NULL }, first_keys },
    [BIAS] = { "score + gather(returned, [batch, head, row, column])  # return", { { "returned", CUC_F16, 4, "batch, head, row, column" } }, { "bhqk" }, with_bias },
    [BATCH_AND_HEAD] = { "score * (1.0 + cast(batch, f32) / 4.0) + cast(head, f32)", { { NULL, 0, 0, NULL } }, { NULL },
                         of_batch_and_head },
    [BY_ROW] = { "2.0 * tanh(score * gather(t, [head, row]) * 0.5) + gather(u, [column, row])",
                 { { "t", CUC_F32, 2, "head, row" }, { "u", CUC_BF16, 2, "column,row" } }, { "hq", "kq" }, by_row },
    [BY_COLUMN] = { "score * v[batch] + gather(w, [column, head]) * score * 0.25",
                    { { "v", CUC_F16, 1, "batch" }, { "w", CUC_F32, 2, " column, head" } }, { "b", "kh" }, by_column },
    [BY_BATCH] = { "y = cast(vb[batch, head], f32)\n return score + y * y * cast(row % 3 - column % 4, f32)",
                   { { "vb", CUC_F64, 2, "batch, head" } }, { "bh" }, by_batch },
    [LINE] = { "(score * 1.5 + 0.25) * 0.5 - cast(row, f32) * 0.02 + cast(column, f32) * 0.01", { { NULL, 0, 0, NULL } },
               { NULL }, line },
    [AWAY] = { "cast(3 + column - (row + 2), f32) * 0.02 - score * 0.5", { { NULL, 0, 0, NULL } }, { NULL }, away },
    [TERMS] = { "0.5 * (gather(at_row, [row]) - (gather(at_column, [head, column]) - score * 2.0))",
                { { "at_row", CUC_F32, 1, "row" }, { "at_column", CUC_F32, 2, "head, column" } }, { "q", "hk" }, terms },
    [SQUARE] = { "t = score * cast(row % 5 + 1, f32) / cast(column % 7 + 1, f32)\n"
                 "return where(column % 3 == 0, 0.0, score) - 0.05 * t * t", { { NULL, 0, 0, NULL } }, { NULL }, square },
};
// clang-format on

// ---- Cases

enum { NOT_GIVEN = 0, CAUSAL = CUC_ATTENTION_CAUSAL, LAST = CUC_ATTENTION_BOTTOM_RIGHT };

struct row {
    const char *name;
    cuc_attention_options o;
    int64_t batch, heads, key_heads, queries, keys; // extents of the call
    const char *memory;                             // as for make()
    int64_t gap;
    double scale;
    int score;
    int lengths; // of the sequences; 0: queries and keys
};

// Queries and keys of sequences of any lengths; the last pair is -1, -1.
enum { MOST_SEQUENCES = 6, MOST_KEYS = 1024, MOST_WIDTH = 256 };
static const int64_t lengths[][MOST_SEQUENCES + 1][2] = {
    { { -1, -1 } },
    { { 70, 70 }, { 1, 1 }, { 130, 130 }, { 0, 0 }, { 64, 64 }, { -1, -1 } },
    { { 3, 200 }, { 66, 5 }, { 0, 40 }, { 140, 0 }, { 20, 150 }, { -1, -1 } },
    { { 40, 40 }, { -1, -1 } },
};

static bool is_variable(const struct row *r)
{
    return r->o.flags & CUC_ATTENTION_VARIABLE;
}

static bool is_cached(const struct row *r)
{
    return r->o.page_size || r->o.flags & CUC_ATTENTION_KEY_LENGTHS;
}

static int64_t sequences(const struct row *r)
{
    int64_t count = 0;

    while (is_variable(r) && lengths[r->lengths][count][0] >= 0)
        count++;
    return is_variable(r) ? count : r->batch;
}

static int64_t queries_of(const struct row *r, int64_t b)
{
    return is_variable(r) ? lengths[r->lengths][b][0] : r->queries;
}

static int64_t keys_of(const struct row *r, int64_t b)
{
    return r->lengths ? lengths[r->lengths][b][1] : r->keys;
}

// Returns where a sequence begins. One query and key before the first sequence and two behind the
// last one belong to none.
static int64_t offset_of(const struct row *r, bool keys, int64_t b)
{
    int64_t at = 1;

    for (int64_t i = 0; i < b; i++)
        at += lengths[r->lengths][i][keys];
    return at;
}

static int64_t pages_of(const struct row *r, int64_t b)
{
    return (keys_of(r, b) + r->o.page_size - 1) / r->o.page_size;
}

// Returns the number of a sequence's page in memory. Pages are scattered, and some are unused.
static int64_t page_of(const struct row *r, int64_t b, int64_t page, int64_t *count)
{
    enum { STEP = 7 }; // has no divisor in common with the number of pages
    int64_t at = page, all = 1;

    for (int64_t i = 0; i < sequences(r); i++) {
        at += i < b ? pages_of(r, i) : 0;
        all += pages_of(r, i);
    }
    all += STEP - all % STEP + 1;
    if (count)
        *count = all;
    return at * STEP % all;
}

static int64_t tokens_of(const struct row *r, bool keys)
{
    return offset_of(r, keys, sequences(r)) + 2;
}

#define ROW(text, B, HQ, HK, SQ, SK, ...)                                                       \
    {                                                                                           \
        text, { .struct_size = sizeof(cuc_attention_options), __VA_ARGS__ }, B, HQ, HK, SQ, SK, \
            "0123", 0, 0, 0, 0                                                                  \
    }
#define LAID(text, B, HQ, HK, SQ, SK, MEMORY, GAP, SCALE, ...)                                  \
    {                                                                                           \
        text, { .struct_size = sizeof(cuc_attention_options), __VA_ARGS__ }, B, HQ, HK, SQ, SK, \
            MEMORY, GAP, SCALE, 0, 0                                                            \
    }
#define SCORED(text, B, HQ, HK, SQ, SK, SCORE, ...)                                             \
    {                                                                                           \
        text, { .struct_size = sizeof(cuc_attention_options), __VA_ARGS__ }, B, HQ, HK, SQ, SK, \
            "0123", 0, 0, SCORE, 0                                                              \
    }
#define PAGED(text, HQ, HK, SQ, PAGE, SCORE, ...)                                                  \
    {                                                                                              \
        text, { .struct_size = sizeof(cuc_attention_options), .page_size = PAGE, __VA_ARGS__ }, 5, \
            HQ, HK, SQ, 0, "0123", 0, 0, SCORE, 2                                                  \
    }
#define CACHED(text, HQ, HK, SQ, ROOM, SCORE, FLAGS, ...)   \
    {                                                       \
        text,                                               \
            { .struct_size = sizeof(cuc_attention_options), \
              .flags = CUC_ATTENTION_KEY_LENGTHS | (FLAGS), \
              __VA_ARGS__ },                                \
            5, HQ, HK, SQ, ROOM, "0123", 0, 0, SCORE, 2     \
    }
#define VARIABLE(text, HQ, HK, LENGTHS, MEMORY, SCORE, FLAGS, ...) \
    {                                                              \
        text,                                                      \
            { .struct_size = sizeof(cuc_attention_options),        \
              .flags = CUC_ATTENTION_VARIABLE | (FLAGS),           \
              __VA_ARGS__ },                                       \
            0, HQ, HK, 0, 0, MEMORY, 0, 0, SCORE, LENGTHS          \
    }
#define BF .dtype = CUC_BF16
#define HF .dtype = CUC_F16
#define E4 .dtype = CUC_E4M3
#define LSE .flags = CUC_ATTENTION_LSE
#define BACK .flags = CUC_ATTENTION_BACKWARD

// clang-format off
static const struct row rows[] = {
    ROW("whole tiles", 1, 2, 2, 192, 256, BF, .width = 64, LSE),
    ROW("whole tiles, causal", 1, 1, 1, 256, 256, HF, .width = 64, .mask = CAUSAL, LSE),
    ROW("ragged", 2, 2, 2, 77, 203, BF, .width = 64, LSE),
    ROW("ragged, causal", 1, 2, 2, 203, 203, HF, .width = 64, .mask = CAUSAL),
    ROW("width 128", 1, 1, 1, 131, 150, BF, .width = 128, .mask = CAUSAL, LSE),
    ROW("width 256", 1, 1, 1, 70, 90, HF, .width = 256, .mask = CAUSAL, .align = LAST),
    ROW("width 192 and 128", 1, 2, 1, 130, 140, BF, .width = 192, .value_width = 128, .mask = CAUSAL, LSE),
    ROW("width 128 and 64", 1, 1, 1, 65, 140, HF, .width = 128, .value_width = 64),
    ROW("width 32", 1, 2, 2, 200, 300, BF, .width = 32, LSE),
    ROW("width 80", 1, 1, 1, 140, 150, HF, .width = 80, .mask = CAUSAL),
    ROW("width 96", 1, 1, 1, 70, 150, BF, .width = 96),
    ROW("width 40 and 24", 1, 2, 1, 70, 150, HF, .width = 40, .value_width = 24, LSE),
    ROW("width 7 and 33", 1, 1, 1, 20, 40, BF, .width = 7, .value_width = 33, .mask = CAUSAL),
    ROW("width 1", 1, 1, 1, 9, 12, HF, .width = 1, LSE),
    ROW("one query", 2, 2, 1, 1, 300, BF, .width = 64, LSE),
    ROW("one key", 1, 2, 2, 70, 1, HF, .width = 64, LSE),
    ROW("one of each", 1, 1, 1, 1, 1, BF, .width = 128, .mask = CAUSAL, LSE),
    ROW("no key", 1, 2, 2, 5, 0, BF, .width = 64, LSE),
    ROW("no query", 1, 2, 2, 0, 5, BF, .width = 64, LSE),
    ROW("no head", 1, 0, 0, 5, 5, BF, .width = 64, LSE),
    ROW("no batch", 0, 2, 2, 5, 5, BF, .width = 64, LSE),
    ROW("more queries than keys, from the first", 1, 1, 1, 150, 70, HF, .width = 64, .mask = CAUSAL, LSE),
    ROW("more queries than keys, to the last: rows see nothing", 1, 1, 1, 300, 70, HF, .width = 64, .mask = CAUSAL,
        .align = LAST, LSE),
    ROW("more keys than queries, to the last", 1, 2, 1, 70, 333, BF, .width = 64, .mask = CAUSAL, .align = LAST, LSE),
    ROW("more keys than queries, from the first", 1, 1, 1, 70, 333, BF, .width = 64, .mask = CAUSAL, LSE),
    ROW("groups of heads", 2, 6, 2, 66, 70, BF, .width = 64, .mask = CAUSAL),
    ROW("one key head", 1, 4, 1, 66, 70, HF, .width = 32),
    ROW("a causal window", 1, 1, 1, 400, 400, BF, .width = 64, .mask = CAUSAL, .window_left = 100, LSE),
    ROW("a causal window of one key before", 1, 1, 1, 200, 200, HF, .width = 64, .mask = CAUSAL, .window_left = 1),
    ROW("a window on both sides", 1, 1, 1, 300, 350, BF, .width = 64, .window_left = 30, .window_right = 17, LSE),
    ROW("a window on the right", 1, 1, 1, 200, 300, HF, .width = 64, .window_right = 5, .align = LAST),
    ROW("a window on the left", 1, 1, 1, 200, 300, HF, .width = 128, .window_left = 40, LSE),
    ROW("a window past the keys: rows see nothing", 1, 1, 1, 400, 100, BF, .width = 64, .mask = CAUSAL,
        .window_left = 20, LSE),
    ROW("a window before the keys: rows see nothing", 1, 1, 1, 400, 100, BF, .width = 64, .window_left = 20,
        .window_right = 9, .align = LAST, LSE),
    ROW("few queries", 3, 2, 2, 33, 128, BF, .width = 64, .queries = 33, .batch = 3, .heads = 2, LSE),
    LAID("sequence before heads in memory", 2, 2, 2, 70, 90, "0213", 0, 0, BF, .width = 64, .mask = CAUSAL, LSE),
    LAID("sequence first in memory", 2, 2, 1, 70, 90, "2013", 0, 0, HF, .width = 64),
    LAID("sequence first in the shape", 2, 2, 1, 70, 90, "0123", 0, 0, BF, .width = 64, .value_width = 32,
         .order = CUC_ATTENTION_SEQUENCE_FIRST, .mask = CAUSAL, LSE),
    LAID("sequence first in the shape alone", 1, 3, 3, 70, 90, "0213", 0, 0, HF, .width = 64,
         .order = CUC_ATTENTION_SEQUENCE_FIRST, LSE),
    LAID("rows with gaps", 1, 2, 2, 70, 90, "0123", 8, 0, BF, .width = 64, .mask = CAUSAL),
    LAID("rows of odd lengths", 1, 2, 2, 70, 90, "0123", 1, 0, BF, .width = 64, .mask = CAUSAL, LSE),
    LAID("the width is not last in memory", 1, 2, 2, 30, 40, "0132", 0, 0, HF, .width = 32),
    LAID("a large scale", 1, 1, 1, 70, 140, "0123", 0, 1.5, BF, .width = 64, .mask = CAUSAL, LSE),
    LAID("a negative scale", 1, 1, 1, 140, 140, "0123", 0, -0.2, HF, .width = 64, .mask = CAUSAL, LSE),
    ROW("tiles given", 1, 1, 1, 140, 140, HF, .width = 64, .tile_q = 64, .tile_k = 64, .stages = 2, .mask = CAUSAL),
    ROW("tiles of few elements", 1, 1, 1, 40, 50, HF, .width = 32, .tile_q = 16, .tile_k = 16, .warps = 1),
    ROW("sm_80", 1, 2, 1, 140, 150, HF, .width = 64, .mask = CAUSAL, .arch = "sm_80", LSE),
    ROW("sm_80, width 128, a window", 1, 1, 1, 200, 200, BF, .width = 128, .mask = CAUSAL, .window_left = 50,
        .arch = "sm_80", LSE),
    ROW("sm_80, width 256", 1, 1, 1, 70, 80, BF, .width = 256, .mask = CAUSAL, .align = LAST, .arch = "sm_80"),
    ROW("sm_80, width 192 and 128", 1, 1, 1, 70, 80, HF, .width = 192, .value_width = 128, .arch = "sm_80"),
    ROW("sm_80, rows see nothing", 1, 1, 1, 200, 70, BF, .width = 64, .mask = CAUSAL, .align = LAST, .arch = "sm_80", LSE),
    LAID("sm_80, sequence before heads", 1, 2, 2, 70, 90, "0213", 1, 0, BF, .width = 64, .arch = "sm_80"),
    ROW("sinks", 2, 4, 2, 70, 150, BF, .width = 64, .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_LSE),
    ROW("sinks, causal", 1, 2, 2, 200, 200, HF, .width = 128, .mask = CAUSAL, .flags = CUC_ATTENTION_SINKS),
    ROW("sinks, rows see nothing else", 1, 2, 2, 150, 70, HF, .width = 64, .mask = CAUSAL, .align = LAST,
        .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_LSE),
    ROW("sinks on sm_80", 1, 2, 1, 70, 90, BF, .width = 64, .flags = CUC_ATTENTION_SINKS, .arch = "sm_80"),
    SCORED("ALiBi", 1, 2, 1, 200, 200, ALIBI, BF, .width = 64, .mask = CAUSAL, LSE),
    SCORED("ALiBi, width 128", 2, 2, 2, 77, 150, ALIBI, HF, .width = 128),
    SCORED("soft cap", 1, 2, 1, 150, 200, SOFT_CAP, BF, .width = 64, LSE),
    SCORED("soft cap, causal", 1, 1, 1, 200, 200, SOFT_CAP, HF, .width = 128, .mask = CAUSAL),
    SCORED("documents", 2, 2, 1, 150, 150, DOCUMENTS, BF, .width = 64, .mask = CAUSAL, LSE),
    SCORED("documents, some rows see nothing", 1, 1, 1, 200, 70, DOCUMENTS, HF, .width = 64, LSE),
    SCORED("the first keys and a window", 1, 1, 1, 300, 300, FIRST_KEYS, BF, .width = 64, .mask = CAUSAL, LSE),
    SCORED("a bias", 2, 2, 2, 70, 90, BIAS, HF, .width = 64),
    SCORED("batch and head", 3, 4, 2, 20, 30, BATCH_AND_HEAD, BF, .width = 32, LSE),
    SCORED("a sum with indices", 1, 2, 1, 200, 330, LINE, BF, .width = 64, LSE),
    SCORED("a sum with indices, causal", 1, 1, 1, 200, 200, LINE, HF, .width = 128, .mask = CAUSAL, LSE),
    SCORED("a negative multiple of the score", 1, 2, 1, 150, 270, AWAY, BF, .width = 64, LSE),
    SCORED("terms of the row and of the column", 1, 2, 1, 200, 280, TERMS, HF, .width = 64, LSE),
    SCORED("ALiBi with sinks", 1, 2, 1, 80, 80, ALIBI, HF, .width = 64, .mask = CAUSAL, .flags = CUC_ATTENTION_SINKS),
    SCORED("ALiBi on sm_80", 1, 2, 1, 90, 90, ALIBI, BF, .width = 64, .mask = CAUSAL, .arch = "sm_80", LSE),
    SCORED("documents on sm_80", 2, 1, 1, 90, 90, DOCUMENTS, HF, .width = 64, .arch = "sm_80"),
    SCORED("a bias on sm_80", 1, 2, 1, 40, 60, BIAS, BF, .width = 128, .mask = CAUSAL, .arch = "sm_80"),
    VARIABLE("variable lengths", 2, 2, 1, "012", PLAIN, CUC_ATTENTION_LSE, BF, .width = 64),
    VARIABLE("variable lengths, causal", 4, 2, 1, "102", PLAIN, CUC_ATTENTION_LSE, HF, .width = 64, .mask = CAUSAL),
    VARIABLE("variable lengths, sequence first, width 128", 2, 2, 1, "012", PLAIN, CUC_ATTENTION_LSE, BF, .width = 128,
             .mask = CAUSAL, .order = CUC_ATTENTION_SEQUENCE_FIRST),
    VARIABLE("variable lengths, other keys, to the last", 2, 1, 2, "102", PLAIN, CUC_ATTENTION_LSE, BF, .width = 64,
             .mask = CAUSAL, .align = LAST),
    VARIABLE("variable lengths, other keys, a window", 1, 1, 2, "102", PLAIN, CUC_ATTENTION_LSE, HF, .width = 32,
             .value_width = 64, .window_left = 20, .window_right = 10),
    VARIABLE("one sequence of a variable length", 2, 2, 3, "012", PLAIN, CUC_ATTENTION_SINKS, HF, .width = 64),
    VARIABLE("variable lengths with ALiBi", 2, 1, 1, "102", ALIBI, CUC_ATTENTION_LSE, BF, .width = 64, .mask = CAUSAL),
    VARIABLE("variable lengths by batch and head", 2, 1, 2, "102", BATCH_AND_HEAD, CUC_ATTENTION_LSE, BF, .width = 64),
    VARIABLE("sm_80, variable lengths", 2, 1, 1, "102", PLAIN, CUC_ATTENTION_LSE, BF, .width = 64, .mask = CAUSAL,
             .arch = "sm_80"),
    VARIABLE("sm_80, variable lengths, other keys", 1, 1, 2, "012", PLAIN, CUC_ATTENTION_SINKS, HF, .width = 64,
             .mask = CAUSAL, .align = LAST, .arch = "sm_80"),
    ROW("few queries", 2, 8, 2, 1, 300, BF, .width = 64, .queries = 1, .heads = 8, .key_heads = 2, LSE),
    ROW("few queries in parts", 2, 8, 2, 1, 300, HF, .width = 64, .queries = 1, .heads = 8, .key_heads = 2, .parts = 3,
        LSE),
    ROW("few queries in more parts than steps", 2, 4, 2, 1, 70, BF, .width = 128, .queries = 1, .heads = 4,
        .key_heads = 2, .parts = 7, LSE),
    ROW("few queries in 64 parts", 1, 4, 2, 1, 700, BF, .width = 256, .queries = 1, .parts = 64),
    ROW("few queries with sinks", 1, 6, 2, 3, 100, BF, .width = 64, .queries = 3, .heads = 6, .key_heads = 2,
        .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_LSE, .mask = CAUSAL, .align = LAST),
    ROW("few queries with sinks in parts", 1, 6, 2, 3, 100, HF, .width = 64, .queries = 3, .heads = 6, .key_heads = 2,
        .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_LSE, .mask = CAUSAL, .align = LAST, .parts = 2),
    ROW("few queries, causal, in parts", 1, 6, 2, 5, 300, BF, .width = 64, .queries = 5, .heads = 6, .key_heads = 2,
        .mask = CAUSAL, .align = LAST, .window_left = 150, .parts = 4, LSE),
    ROW("few queries that see nothing, in parts", 1, 4, 2, 9, 4, HF, .width = 32, .value_width = 40, .queries = 9,
        .heads = 4, .key_heads = 2, .mask = CAUSAL, .align = LAST, .parts = 2, LSE),
    ROW("few queries and no key, in parts", 1, 4, 2, 2, 0, BF, .width = 64, .queries = 2, .parts = 2, LSE),
    ROW("few queries, parts chosen", 1, 8, 1, 1, 512, BF, .width = 64, .queries = 1, .heads = 8, .key_heads = 1,
        .batch = 1, .keys = 100000, LSE),
    ROW("more queries than the plan was made for, in parts", 1, 8, 2, 40, 100, HF, .width = 64, .queries = 1,
        .heads = 8, .key_heads = 2, .mask = CAUSAL, .parts = 2, LSE),
    SCORED("few queries with ALiBi in parts", 2, 4, 2, 3, 150, ALIBI, BF, .width = 64, .queries = 3, .heads = 4,
           .key_heads = 2, .parts = 3, LSE),
    LAID("few queries, sequence first, in parts", 2, 4, 2, 2, 90, "0123", 8, 0, BF, .width = 64, .queries = 2, .heads = 4,
         .key_heads = 2, .parts = 2, .order = CUC_ATTENTION_SEQUENCE_FIRST, LSE),
    ROW("few queries on sm_80", 2, 8, 2, 1, 300, BF, .width = 64, .queries = 1, .heads = 8, .key_heads = 2, .parts = 2,
        .arch = "sm_80", LSE),
    PAGED("pages of 16, one query", 4, 2, 1, 16, PLAIN, BF, .width = 64, .queries = 1, .heads = 4, .key_heads = 2, LSE),
    PAGED("pages of 32, one query in parts, window", 4, 1, 1, 32, PLAIN, HF, .width = 128, .queries = 1, .heads = 4,
          .key_heads = 1, .parts = 3, .window_left = 90, .align = LAST, LSE),
    PAGED("pages of 16, sequence first, three queries", 2, 2, 3, 16, PLAIN, BF, .width = 64, .queries = 3, .heads = 2,
          .mask = CAUSAL, .align = LAST, .order = CUC_ATTENTION_SEQUENCE_FIRST),
    PAGED("pages of 16, narrow, one query", 2, 2, 1, 16, ALIBI, BF, .width = 32, .queries = 1, .heads = 2),
    PAGED("pages of 64, one query in parts", 4, 2, 1, 64, PLAIN, HF, .width = 64, .queries = 1, .heads = 4,
          .key_heads = 2, .parts = 2, LSE),
    PAGED("pages of 48, sequence first, one query", 4, 2, 1, 48, PLAIN, BF, .width = 128, .queries = 1, .heads = 4,
          .key_heads = 2, .order = CUC_ATTENTION_SEQUENCE_FIRST),
    PAGED("pages of 128, many queries", 2, 1, 70, 128, PLAIN, BF, .width = 64, .mask = CAUSAL, .align = LAST, LSE),
    PAGED("pages of 32, many queries", 2, 2, 70, 32, ALIBI, HF, .width = 64, LSE),
    CACHED("a cache, one query", 4, 2, 1, 211, PLAIN, CUC_ATTENTION_LSE, BF, .width = 64, .queries = 1, .heads = 4,
           .key_heads = 2),
    CACHED("a cache, one query in parts", 6, 1, 1, 200, PLAIN, CUC_ATTENTION_SINKS, HF, .width = 72, .queries = 1,
           .heads = 6, .key_heads = 1, .parts = 3),
    CACHED("a cache, many queries, sequence first", 9, 9, 70, 208, PLAIN, CUC_ATTENTION_LSE, BF, .width = 64,
           .value_width = 40, .mask = CAUSAL, .align = LAST, .order = CUC_ATTENTION_SEQUENCE_FIRST),
    CACHED("a cache with ALiBi", 2, 2, 3, 333, ALIBI, CUC_ATTENTION_LSE, HF, .width = 128),
    CACHED("a cache and variable lengths", 4, 2, 0, 200, PLAIN, CUC_ATTENTION_LSE | CUC_ATTENTION_VARIABLE, BF,
           .width = 64, .mask = CAUSAL, .align = LAST),
    CACHED("a cache and variable lengths on sm_80", 2, 1, 0, 220, PLAIN, CUC_ATTENTION_VARIABLE, HF, .width = 64,
           .mask = CAUSAL, .align = LAST, .arch = "sm_80"),
    PAGED("pages on sm_80", 2, 2, 30, 64, PLAIN, HF, .width = 64, .arch = "sm_80", LSE),
    VARIABLE("pages and variable lengths", 2, 1, 2, "102", PLAIN, CUC_ATTENTION_LSE, BF, .width = 64, .mask = CAUSAL,
             .align = LAST, .page_size = 64),
    VARIABLE("pages and variable lengths on sm_80", 2, 1, 2, "012", PLAIN, CUC_ATTENTION_LSE, HF, .width = 64,
             .mask = CAUSAL, .align = LAST, .page_size = 16, .arch = "sm_80"),
    ROW("backward", 1, 2, 2, 150, 140, BF, .width = 64, BACK),
    ROW("backward, causal", 1, 2, 1, 150, 150, HF, .width = 64, .mask = CAUSAL, BACK),
    ROW("backward, width 128, causal, to the last", 1, 1, 1, 70, 150, BF, .width = 128, .mask = CAUSAL, .align = LAST,
        BACK),
    ROW("backward, rows see nothing", 1, 1, 1, 150, 70, HF, .width = 64, .mask = CAUSAL, .align = LAST, BACK),
    ROW("backward, groups of heads, a window", 2, 4, 2, 140, 140, BF, .width = 64, .mask = CAUSAL, .window_left = 40,
        BACK),
    ROW("backward, a window on both sides", 1, 1, 1, 150, 200, HF, .width = 64, .window_left = 30, .window_right = 20,
        .align = LAST, BACK),
    ROW("backward, width 192 and 128", 1, 1, 1, 40, 70, BF, .width = 192, .value_width = 128, .mask = CAUSAL, BACK),
    ROW("backward, width 256", 1, 1, 1, 40, 70, HF, .width = 256, BACK),
    ROW("backward, width 40 and 24", 1, 2, 1, 70, 150, HF, .width = 40, .value_width = 24, BACK),
    ROW("backward of one query", 1, 2, 1, 1, 70, BF, .width = 64, .queries = 1, BACK),
    ROW("backward of one key", 1, 2, 1, 70, 1, HF, .width = 32, BACK),
    ROW("backward of no query", 1, 2, 1, 0, 70, HF, .width = 32, BACK),
    ROW("backward of no key", 1, 2, 1, 70, 0, HF, .width = 32, BACK),
    ROW("backward, keys and values together", 1, 2, 2, 150, 140, BF, .width = 64, BACK),
    ROW("backward, keys and values together, width 128, causal", 2, 2, 1, 150, 150, HF, .width = 128, .mask = CAUSAL, BACK),
    ROW("backward, keys and values together, causal, to the last", 1, 1, 1, 70, 300, BF, .width = 128, .mask = CAUSAL, .align = LAST,
        BACK),
    ROW("backward, keys and values together, a window, width 120 and 72", 1, 4, 2, 300, 290, BF, .width = 120, .value_width = 72,
        .window_left = 30, .window_right = 20, BACK),
    ROW("backward, keys and values together, rows see nothing", 1, 1, 1, 150, 70, HF, .width = 64, .mask = CAUSAL, .align = LAST,
        BACK),
    ROW("backward, keys and values together, one query", 1, 2, 1, 1, 70, BF, .width = 64, BACK),
    ROW("backward, keys and values together, one key", 1, 2, 1, 130, 1, HF, .width = 128, BACK),
    ROW("backward, keys and values together of no query", 1, 2, 1, 0, 70, HF, .width = 64, BACK),
    ROW("backward, keys and values together of no key", 1, 2, 1, 70, 0, HF, .width = 64, BACK),
    ROW("backward, keys and values together, another width", 1, 1, 1, 90, 100, BF, .width = 80, BACK),
    LAID("backward, keys and values together, sequence first", 1, 4, 2, 70, 90, "0213", 8, -0.3, BF, .width = 64, .mask = CAUSAL,
         .order = CUC_ATTENTION_SEQUENCE_FIRST, BACK),
    VARIABLE("backward, keys and values together, variable lengths", 2, 1, 1, "102", PLAIN,
             CUC_ATTENTION_BACKWARD, BF, .width = 64),
    VARIABLE("backward, keys and values together, variable lengths, causal, to the last", 4, 2, 2, "012", PLAIN,
             CUC_ATTENTION_BACKWARD, HF, .width = 128, .mask = CAUSAL, .align = LAST),
    LAID("backward, sequence first, a scale", 1, 4, 2, 70, 90, "0123", 8, -0.3, BF, .width = 64, .mask = CAUSAL,
         .order = CUC_ATTENTION_SEQUENCE_FIRST, BACK),
    LAID("backward, rows of odd lengths", 1, 2, 2, 70, 90, "0213", 1, 0, HF, .width = 64, .mask = CAUSAL, BACK),
    VARIABLE("backward of variable lengths", 4, 2, 1, "012", PLAIN, CUC_ATTENTION_BACKWARD, BF, .width = 64),
    VARIABLE("backward of variable lengths, causal", 2, 2, 1, "102", PLAIN, CUC_ATTENTION_BACKWARD, HF, .width = 128,
             .mask = CAUSAL),
    VARIABLE("backward of variable lengths, other keys, to the last", 2, 1, 2, "012", PLAIN, CUC_ATTENTION_BACKWARD, BF,
             .width = 64, .mask = CAUSAL, .align = LAST, .order = CUC_ATTENTION_SEQUENCE_FIRST),
    VARIABLE("backward of variable lengths, a window", 1, 1, 2, "102", PLAIN, CUC_ATTENTION_BACKWARD, HF, .width = 32,
             .value_width = 64, .window_left = 20, .window_right = 10),
    VARIABLE("sm_80, backward of variable lengths", 2, 1, 1, "102", PLAIN, CUC_ATTENTION_BACKWARD, BF, .width = 64,
             .mask = CAUSAL, .arch = "sm_80"),
    ROW("sm_80, backward", 1, 2, 1, 90, 100, BF, .width = 64, .mask = CAUSAL, .arch = "sm_80", BACK),
    ROW("sm_80, backward, width 128, a window", 1, 1, 1, 70, 100, HF, .width = 128, .window_left = 20, .window_right = 9,
        .arch = "sm_80", BACK),
    SCORED("backward, ALiBi", 1, 2, 1, 150, 150, ALIBI, BF, .width = 64, .mask = CAUSAL, BACK),
    SCORED("backward, ALiBi, width 128, groups of heads", 2, 4, 2, 77, 150, ALIBI, HF, .width = 128, BACK),
    SCORED("backward, a sum with indices", 1, 1, 1, 150, 200, LINE, BF, .width = 64, .mask = CAUSAL, BACK),
    SCORED("backward, terms of the row and of the column", 1, 2, 1, 90, 150, TERMS, BF, .width = 64, BACK),
    SCORED("backward, soft cap", 1, 2, 1, 150, 140, SOFT_CAP, HF, .width = 64, BACK),
    SCORED("backward, soft cap, causal, width 192 and 128", 1, 1, 1, 90, 70, SOFT_CAP, BF, .width = 192, .value_width = 128,
           .mask = CAUSAL, BACK),
    SCORED("backward, documents", 2, 2, 1, 150, 150, DOCUMENTS, BF, .width = 64, .mask = CAUSAL, BACK),
    SCORED("backward, documents, some rows see nothing", 1, 1, 1, 200, 70, DOCUMENTS, HF, .width = 64, BACK),
    SCORED("backward, the first keys and a window", 1, 1, 1, 200, 200, FIRST_KEYS, BF, .width = 64, .mask = CAUSAL, BACK),
    SCORED("backward, a bias", 2, 2, 2, 70, 90, BIAS, HF, .width = 64, BACK),
    SCORED("backward, batch and head", 3, 4, 2, 20, 30, BATCH_AND_HEAD, BF, .width = 32, BACK),
    SCORED("backward, a square, a window to the last", 1, 2, 1, 70, 150, SQUARE, HF, .width = 64, .mask = CAUSAL,
           .align = LAST, .window_left = 40, BACK),
    SCORED("backward of one query, soft cap", 1, 2, 1, 1, 70, SOFT_CAP, BF, .width = 64, .queries = 1, BACK),
    SCORED("backward of no key, soft cap", 1, 2, 1, 70, 0, SOFT_CAP, HF, .width = 32, BACK),
    VARIABLE("backward of variable lengths with ALiBi", 2, 1, 1, "102", ALIBI, CUC_ATTENTION_BACKWARD, BF, .width = 64,
             .mask = CAUSAL),
    VARIABLE("backward of variable lengths, a square, to the last", 2, 1, 2, "012", SQUARE, CUC_ATTENTION_BACKWARD, HF,
             .width = 64, .mask = CAUSAL, .align = LAST),
    SCORED("sm_80, backward, ALiBi", 1, 2, 1, 90, 90, ALIBI, BF, .width = 64, .mask = CAUSAL, .arch = "sm_80", BACK),
    SCORED("sm_80, backward, a square", 2, 2, 1, 90, 70, SQUARE, HF, .width = 128, .arch = "sm_80", BACK),
    SCORED("sm_80, backward, documents", 2, 1, 1, 90, 90, DOCUMENTS, HF, .width = 64, .arch = "sm_80", BACK),
    ROW("backward, sinks", 2, 4, 2, 70, 150, BF, .width = 64, .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    ROW("backward, sinks, rows see nothing else", 1, 2, 2, 150, 70, HF, .width = 64, .mask = CAUSAL, .align = LAST,
        .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    ROW("backward, sinks, causal, a window", 1, 4, 1, 150, 150, HF, .width = 32, .mask = CAUSAL, .window_left = 20,
        .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    ROW("backward, sinks and no key", 1, 2, 2, 70, 0, HF, .width = 32, .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    ROW("backward, sinks and no query", 1, 2, 2, 0, 70, HF, .width = 32, .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    VARIABLE("backward of variable lengths, sinks", 4, 2, 2, "012", PLAIN, CUC_ATTENTION_BACKWARD | CUC_ATTENTION_SINKS, BF,
             .width = 64, .mask = CAUSAL, .align = LAST),
    SCORED("backward, ALiBi and sinks", 2, 4, 2, 90, 80, ALIBI, BF, .width = 64,
           .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    SCORED("backward, arrays by row and by row and column", 2, 4, 2, 90, 150, BY_ROW, BF, .width = 64, BACK),
    SCORED("backward, arrays by row, a window to the last", 1, 2, 1, 150, 90, BY_ROW, HF, .width = 128, .mask = CAUSAL,
           .align = LAST, .window_left = 40, BACK),
    SCORED("backward, arrays by batch and by column", 3, 4, 2, 90, 150, BY_COLUMN, HF, .width = 64, BACK),
    SCORED("backward, arrays by column, causal", 1, 2, 2, 150, 90, BY_COLUMN, BF, .width = 40, .mask = CAUSAL, BACK),
    SCORED("backward, an array by batch and head", 3, 4, 1, 70, 80, BY_BATCH, BF, .width = 64, .mask = CAUSAL, BACK),
    SCORED("backward, an array by batch and head, no query", 3, 4, 1, 0, 80, BY_BATCH, BF, .width = 64, BACK),
    SCORED("backward, arrays by row, no key", 2, 2, 1, 70, 0, BY_ROW, BF, .width = 64, BACK),
    SCORED("backward, ALiBi and no batch", 0, 4, 1, 70, 80, ALIBI, BF, .width = 64, BACK),
    SCORED("backward, a bias, causal", 2, 4, 2, 70, 150, BIAS, BF, .width = 128, .mask = CAUSAL, BACK),
    VARIABLE("backward of variable lengths, arrays by row", 2, 1, 2, "012", BY_ROW, CUC_ATTENTION_BACKWARD, HF,
             .width = 64, .mask = CAUSAL, .align = LAST),
    VARIABLE("backward of variable lengths, arrays by column", 2, 1, 2, "102", BY_COLUMN, CUC_ATTENTION_BACKWARD, BF,
             .width = 64, .mask = CAUSAL),
    VARIABLE("backward of variable lengths, a bias", 2, 2, 1, "012", BIAS, CUC_ATTENTION_BACKWARD, HF, .width = 64),
    VARIABLE("backward of variable lengths, an array by batch and head", 4, 2, 2, "012", BY_BATCH, CUC_ATTENTION_BACKWARD,
             BF, .width = 64, .window_left = 20),
    LAID("backward, sequence first, sinks", 1, 4, 2, 70, 90, "0123", 8, -0.3, BF, .width = 64, .mask = CAUSAL,
         .order = CUC_ATTENTION_SEQUENCE_FIRST, .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_BACKWARD),
    SCORED("sm_80, backward, arrays by row and by row and column", 1, 4, 2, 70, 90, BY_ROW, BF, .width = 64,
           .arch = "sm_80", BACK),
    SCORED("sm_80, backward, arrays by column", 2, 2, 1, 90, 70, BY_COLUMN, HF, .width = 128, .arch = "sm_80", BACK),
    ROW("e4m3", 2, 2, 2, 200, 300, E4, .width = 128, LSE),
    ROW("e4m3, causal, f16", 1, 4, 2, 203, 203, E4, .o_dtype = CUC_F16, .width = 64, .mask = CAUSAL, LSE),
    ROW("e4m3, whole tiles", 1, 1, 1, 256, 384, E4, .width = 128, .mask = CAUSAL, .align = LAST),
    ROW("e4m3, long", 1, 1, 1, 70, 1000, E4, .width = 64, LSE),
    ROW("e4m3, width 256", 1, 1, 1, 70, 150, E4, .width = 256, .mask = CAUSAL, LSE),
    ROW("e4m3, width 256, fast sums", 1, 1, 1, 130, 150, E4, .width = 256, .flags = CUC_ATTENTION_FAST_ACC),
    ROW("e4m3, fast sums", 2, 2, 1, 200, 300, E4, .width = 128, .flags = CUC_ATTENTION_FAST_ACC | CUC_ATTENTION_LSE),
    ROW("e4m3, fast sums in wide steps", 1, 1, 1, 140, 500, E4, .width = 128, .tile_q = 128, .tile_k = 192,
        .mask = CAUSAL, .flags = CUC_ATTENTION_FAST_ACC),
    ROW("e4m3, width 192 and 128", 1, 2, 1, 130, 140, E4, .width = 192, .value_width = 128, .mask = CAUSAL),
    ROW("e4m3, width 48 and 80", 1, 1, 1, 70, 150, E4, .width = 48, .value_width = 80, LSE),
    ROW("e4m3, width 7 and 33", 1, 1, 1, 20, 40, E4, .width = 7, .value_width = 33),
    ROW("e4m3, a window on both sides", 1, 1, 1, 300, 350, E4, .width = 64, .window_left = 30, .window_right = 17, LSE),
    ROW("e4m3, one query and one key", 1, 2, 2, 1, 1, E4, .width = 64, LSE),
    ROW("e4m3, no key", 1, 2, 2, 5, 0, E4, .width = 64, LSE),
    ROW("e4m3, rows see nothing, sinks", 1, 2, 2, 150, 70, E4, .width = 64, .mask = CAUSAL, .align = LAST,
        .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_LSE),
    ROW("e4m3, tiles given", 1, 1, 1, 140, 500, E4, .width = 128, .tile_q = 64, .tile_k = 192, .mask = CAUSAL, LSE),
    ROW("e4m3, narrow tiles given", 1, 1, 1, 140, 150, E4, .width = 64, .tile_q = 192, .tile_k = 48),
    LAID("e4m3, sequence first, a scale", 2, 4, 2, 70, 90, "0123", 16, -0.3, E4, .width = 64, .mask = CAUSAL,
         .order = CUC_ATTENTION_SEQUENCE_FIRST, LSE),
    LAID("e4m3, rows of odd lengths", 1, 2, 2, 70, 90, "0213", 1, 0, E4, .width = 64, .mask = CAUSAL),
    SCORED("e4m3 with ALiBi", 1, 2, 1, 200, 200, ALIBI, E4, .width = 64, .mask = CAUSAL, LSE),
    VARIABLE("e4m3 of variable lengths", 4, 2, 1, "012", PLAIN, CUC_ATTENTION_LSE, E4, .width = 128),
    VARIABLE("e4m3 of variable lengths, other keys, to the last", 2, 1, 2, "102", PLAIN, CUC_ATTENTION_LSE, E4,
             .width = 64, .mask = CAUSAL, .align = LAST, .order = CUC_ATTENTION_SEQUENCE_FIRST),
    VARIABLE("sm_89, e4m3 of variable lengths", 2, 1, 2, "012", PLAIN, CUC_ATTENTION_LSE, E4, .width = 64,
             .mask = CAUSAL, .align = LAST, .arch = "sm_89"),
    ROW("sm_89, e4m3", 1, 2, 1, 90, 100, E4, .width = 64, .mask = CAUSAL, .arch = "sm_89", LSE),
    ROW("e4m3, few queries in parts", 2, 8, 2, 3, 300, E4, .width = 64, .queries = 3, .heads = 8, .key_heads = 2,
        .parts = 3, .mask = CAUSAL, .align = LAST, .flags = CUC_ATTENTION_SINKS | CUC_ATTENTION_LSE),
    SCORED("e4m3, few queries by batch and head", 2, 4, 2, 1, 150, BATCH_AND_HEAD, E4, .width = 128, .queries = 1,
           .heads = 4, .key_heads = 2, LSE),
    PAGED("e4m3 in pages, one query", 4, 2, 1, 64, PLAIN, E4, .width = 128, .queries = 1, .heads = 4, .key_heads = 2,
          LSE),
    PAGED("e4m3 in pages, many queries", 2, 1, 70, 128, PLAIN, E4, .width = 64, .mask = CAUSAL, .align = LAST, LSE),
    CACHED("e4m3 in a cache, variable lengths", 4, 2, 0, 208, PLAIN, CUC_ATTENTION_LSE | CUC_ATTENTION_VARIABLE, E4,
           .width = 64, .mask = CAUSAL, .align = LAST),
    ROW("sm_80, one query", 1, 2, 1, 1, 90, BF, .width = 64, .arch = "sm_80", LSE),
};
// clang-format on

static void number_documents(struct array *a)
{
    for (int64_t b = 0; b < a->t.shape[0]; b++)
        for (int64_t i = 0; i < a->t.shape[1]; i++) {
            int32_t document = (int32_t)(i / 23 + b);
            memcpy(at(a, (const int64_t[]){ b, i }), &document, sizeof(document));
        }
}

static void make_sides(struct arrays *x, const struct row *r)
{
    const struct score *s = &scores[r->score];
    int trained = 0;

    for (int i = 0; i < 2 && s->sides[i].name; i++) {
        int64_t shape[4], queries = r->queries, keys = r->keys;
        for (int64_t b = 0; is_variable(r) && b < sequences(r); b++) {
            queries = queries_of(r, b) > queries ? queries_of(r, b) : queries;
            keys = keys_of(r, b) > keys ? keys_of(r, b) : keys;
        }
        for (int32_t axis = 0; axis < s->sides[i].rank; axis++)
            shape[axis] = s->extents[i][axis] == 'b'   ? sequences(r)
                          : s->extents[i][axis] == 'h' ? r->heads
                          : s->extents[i][axis] == 'q' ? queries
                                                       : keys;
        make(&x->sides[i], s->sides[i].dtype, s->sides[i].rank, shape, "0123", 0);
        if (s->sides[i].dtype == CUC_I32)
            number_documents(&x->sides[i]);
        else
            each(&x->sides[i], draw);
        send(&x->sides[i]);
        x->tensors[i] = x->sides[i].t;
        x->args.side_count++;
        if (!s->sides[i].gradient || !(r->o.flags & CUC_ATTENTION_BACKWARD))
            continue;
        make(&x->d_sides[i], s->sides[i].dtype, s->sides[i].rank, shape, "0123", 0);
        send(&x->d_sides[i]);
        x->gradients[trained++] = x->d_sides[i].t;
    }
    x->args.sides = x->args.side_count ? x->tensors : NULL;
}

static void make_lengths(struct arrays *x, const struct row *r)
{
    make(&x->key_lengths, CUC_I32, 1, (const int64_t[]){ sequences(r) }, "0", 0);
    for (int64_t b = 0; b < sequences(r); b++) {
        int32_t length = (int32_t)keys_of(r, b);
        memcpy(at(&x->key_lengths, &b), &length, sizeof(length));
    }
    send(&x->key_lengths);
    x->args.key_lengths = &x->key_lengths.t;
}

static void make_pages(struct arrays *x, const struct row *r)
{
    enum { TABLE = 24, NO_PAGE = 1 << 30 };

    make(&x->table, CUC_I32, 2, (const int64_t[]){ sequences(r), TABLE }, "01", 3);
    for (int64_t b = 0; b < sequences(r); b++)
        for (int64_t i = 0; i < TABLE; i++) {
            int32_t page = i < pages_of(r, b) ? (int32_t)page_of(r, b, i, NULL) : NO_PAGE;
            memcpy(at(&x->table, (const int64_t[]){ b, i }), &page, sizeof(page));
        }
    send(&x->table);
    x->args.page_table = &x->table.t;
}

static void make_all(struct arrays *x, const struct row *r)
{
    const cuc_attention_options *o = &r->o;
    int64_t values = o->value_width ? o->value_width : o->width;
    bool last = o->order == CUC_ATTENTION_SEQUENCE_FIRST;
    const struct {
        struct array *array;
        int64_t heads, sequence, width;
    } all[] = {
        { &x->q, r->heads, r->queries, o->width },    { &x->k, r->key_heads, r->keys, o->width },
        { &x->v, r->key_heads, r->keys, values },     { &x->o, r->heads, r->queries, values },
        { &x->d_o, r->heads, r->queries, values },    { &x->d_q, r->heads, r->queries, o->width },
        { &x->d_k, r->key_heads, r->keys, o->width }, { &x->d_v, r->key_heads, r->keys, values },
    };
    int count = o->flags & CUC_ATTENTION_BACKWARD ? CUC_LENGTH(all) : 4;

    memset(x, 0, sizeof(*x));
    for (int i = 0; i < count; i++) {
        bool keys = i == 1 || i == 2 || i >= 6, paged = keys && o->page_size;
        bool cached = keys && is_cached(r);
        int64_t sequence = paged                       ? o->page_size
                           : is_variable(r) && !cached ? tokens_of(r, keys)
                                                       : all[i].sequence;
        int64_t first = sequences(r), axes = is_variable(r) && !cached ? 3 : 4;
        if (paged)
            (void)page_of(r, 0, 0, &first);
        const int64_t shape[] = { first, last ? sequence : all[i].heads,
                                  last ? all[i].heads : sequence, all[i].width };
        cuc_dtype dtype = i != 3 || o->dtype != CUC_E4M3 ? o->dtype
                          : o->o_dtype                   ? o->o_dtype
                                                         : CUC_BF16;
        make(all[i].array, dtype, (int32_t)axes, shape + 4 - axes,
             axes == 3 && r->memory[3] ? "012"
             : cached                  ? "0123"
                                       : r->memory,
             r->gap);
        if (i < 3 || all[i].array == &x->d_o)
            each(all[i].array, draw);
        send(all[i].array);
    }
    x->args = (cuc_attention_args){ .struct_size = sizeof(x->args),
                                    .q = &x->q.t,
                                    .k = &x->k.t,
                                    .v = &x->v.t,
                                    .o = &x->o.t,
                                    .scale = r->scale };
    if (o->flags & (CUC_ATTENTION_LSE | CUC_ATTENTION_BACKWARD)) {
        const int64_t shape[] = { r->batch, r->heads,
                                  is_variable(r) ? tokens_of(r, false) : r->queries };
        make(&x->lse, CUC_F32, is_variable(r) ? 2 : 3, shape + is_variable(r), "012", r->gap);
        send(&x->lse);
        x->args.lse = &x->lse.t;
    }
    if (o->flags & CUC_ATTENTION_SINKS) {
        make(&x->sinks, CUC_F32, 1, &r->heads, "0", 0);
        each(&x->sinks, draw);
        send(&x->sinks);
        x->args.sinks = &x->sinks.t;
    }
    if ((o->flags & CUC_ATTENTION_SINKS) && (o->flags & CUC_ATTENTION_BACKWARD)) {
        make(&x->d_sinks, CUC_F32, 1, &r->heads, "0", 0);
        send(&x->d_sinks);
    }
    for (int i = 0; o->dtype == CUC_E4M3 && i < CUC_LENGTH(x->scales); i++) {
        const cuc_tensor **scales[] = { &x->args.q_scale, &x->args.k_scale, &x->args.v_scale };
        const int64_t shape[] = { sequences(r), i ? r->key_heads : r->heads };
        make(&x->scales[i], CUC_F32, 2, shape, "10", i);
        each(&x->scales[i], draw);
        send(&x->scales[i]);
        *scales[i] = &x->scales[i].t;
    }
    for (int64_t b = 0; is_variable(r) && o->dtype == CUC_E4M3 && !is_cached(r) && b < sequences(r);
         b++)
        if (keys_of(r, b) > x->args.most_keys)
            x->args.most_keys = keys_of(r, b);
    if (is_cached(r))
        make_lengths(x, r);
    if (o->page_size)
        make_pages(x, r);
    for (int i = 0; is_variable(r) && i < (is_cached(r) ? 1 : 2); i++) {
        make(&x->offsets[i], CUC_I32, 1, (const int64_t[]){ sequences(r) + 1 }, "0", 0);
        for (int64_t b = 0; b <= sequences(r); b++) {
            int32_t offset = (int32_t)offset_of(r, i, b);
            memcpy(at(&x->offsets[i], &b), &offset, sizeof(offset));
            if (b < sequences(r) && queries_of(r, b) > x->args.most_queries)
                x->args.most_queries = queries_of(r, b);
        }
        send(&x->offsets[i]);
        *(i ? &x->args.key_offsets : &x->args.query_offsets) = &x->offsets[i].t;
    }
    make_sides(x, r);
}

static void drop_all(struct arrays *x)
{
    struct array *all[] = { &x->q,         &x->k,          &x->v,          &x->o,
                            &x->lse,       &x->offsets[0], &x->offsets[1], &x->sides[0],
                            &x->sides[1],  &x->sinks,      &x->table,      &x->key_lengths,
                            &x->d_o,       &x->d_q,        &x->d_k,        &x->d_v,
                            &x->new_k,     &x->new_v,      &x->workspace,  &x->scales[0],
                            &x->scales[1], &x->scales[2],  &x->d_sinks,    &x->d_sides[0],
                            &x->d_sides[1] };

    for (int i = 0; i < CUC_LENGTH(all); i++)
        if (all[i]->buffer)
            drop(all[i]);
}

// ---- The reference

// Returns the number of an element of q, k, v or o in `bytes`.
static int64_t spot(const struct array *a, const struct row *r, bool keys, int64_t b, int64_t h,
                    int64_t i, int64_t d)
{
    bool last = r->o.order == CUC_ATTENTION_SEQUENCE_FIRST;
    int64_t row = i, first = b;

    if (keys && r->o.page_size) {
        first = page_of(r, b, i / r->o.page_size, NULL);
        row = i % r->o.page_size;
    } else if (is_variable(r) && !(keys && is_cached(r))) {
        row += offset_of(r, keys, b);
    }
    const int64_t index[] = { first, last ? row : h, last ? h : row, d };

    return position(a, index + 4 - a->t.rank);
}

static unsigned char *place(const struct array *a, const struct row *r, bool keys, int64_t b,
                            int64_t h, int64_t i, int64_t d)
{
    return a->bytes + spot(a, r, keys, b, h, i, d) * (int64_t)(cuc_dtype_bits(a->t.dtype) / 8);
}

// The numbers of a query or key: at[d * step], in an array that was decoded.
struct line {
    const double *at;
    int64_t step;
};

static struct line line_of(const struct array *a, const struct row *r, bool keys, int64_t b,
                           int64_t h, int64_t i)
{
    return (struct line){ a->numbers + spot(a, r, keys, b, h, i, 0), a->t.strides[a->t.rank - 1] };
}

static double element(const struct array *a, const struct row *r, bool keys, int64_t b, int64_t h,
                      int64_t i, int64_t d)
{
    return tile_element_real(a->t.dtype, tile_scalar_of(a->t.dtype, place(a, r, keys, b, h, i, d)));
}

// Returns the address of an element of lse.
static unsigned char *lse_place(const struct array *a, const struct row *r, int64_t b, int64_t h,
                                int64_t i)
{
    const int64_t index[] = { b, h, is_variable(r) ? offset_of(r, false, b) + i : i };

    return at(a, index + is_variable(r));
}

static bool is_visible(const struct row *r, int64_t b, int64_t i, int64_t j)
{
    int64_t diagonal = i + (r->o.align ? keys_of(r, b) - queries_of(r, b) : 0);

    return !(r->o.mask == CUC_ATTENTION_CAUSAL && j > diagonal) &&
           !(r->o.window_left && j < diagonal - r->o.window_left) &&
           !(r->o.window_right && j > diagonal + r->o.window_right);
}

// The softmax weights of a row, the derivatives of its scores by the scaled products, and a bound
// of the error of a score.
struct weights {
    double of[MOST_KEYS], slope[MOST_KEYS], score[MOST_KEYS]; // `score`: the scaled products
    double lse, error;
};

// Returns the scale of q, k or v.
static double scale_of(const struct arrays *x, int which, int64_t b, int64_t h)
{
    const struct array *a = &x->scales[which];
    const int64_t index[] = { b, h };

    return a->buffer ? tile_element_real(CUC_F32, tile_scalar_of(CUC_F32, at(a, index))) : 1;
}

// The relative error of a wgmma of 8-bit elements: 32 products and a sum, cut 13 bits below the
// largest of them.
static const double cut_error = 33 * 0x1p-13;

static double side_of(const struct array *a, int64_t i)
{
    return tile_element_real(a->t.dtype, tile_scalar_of(a->t.dtype, at(a, &i)));
}

static void weigh(struct weights *w, const struct arrays *x, const struct row *r, int64_t b,
                  int64_t h, int64_t i)
{
    double scale = r->scale != 0 ? (double)(float)r->scale
                                 : (double)(float)(1 / sqrt((double)r->o.width));
    double top = -INFINITY, sum = 0;
    int64_t g = h / (r->heads / r->key_heads);

    struct line q = line_of(&x->q, r, false, b, h, i);
    scale *= scale_of(x, 0, b, h) * scale_of(x, 1, b, g);
    w->error = 0;
    for (int64_t j = 0; j < keys_of(r, b); j++) {
        struct line k = line_of(&x->k, r, true, b, g, j);
        double score = 0, size = 0, most = 0;
        for (int64_t d = 0; d < r->o.width; d++) {
            double one = q.at[d * q.step] * k.at[d * k.step];
            score += one;
            size += fabs(one);
            if (r->o.dtype == CUC_E4M3)
                most = fmax(most, fmax(fabs(one), fabs(score)));
        }
        if (r->o.dtype == CUC_E4M3)
            w->error =
                fmax(w->error, cut_error * fabs(scale) * most * (double)((r->o.width + 31) / 32));
        // Sums in f32, and roundings of the score and of its distance to the maximum.
        w->error = fmax(w->error, 0x1p-20 * fabs(scale) * size);
        score *= scale;
        w->score[j] = score;
        w->slope[j] = 1;
        if (r->score) {
            const double step = 1e-4; // a central difference
            double (*f)(const struct arrays *, double, int64_t, int64_t, int64_t, int64_t) =
                scores[r->score].expected;
            w->slope[j] = (f(x, score + step, b, h, i, j) - f(x, score - step, b, h, i, j)) /
                          (2 * step);
            score = f(x, score, b, h, i, j);
        }
        w->error = fmax(w->error, isfinite(score) ? 0x1p-20 * fabs(score) : 0);
        w->of[j] = is_visible(r, b, i, j) ? score : -INFINITY;
        top = fmax(top, w->of[j]);
    }
    if (x->sinks.buffer) {
        double sink = side_of(&x->sinks, h);
        top = fmax(top, sink);
        sum = exp(sink - top);
    }
    for (int64_t j = 0; j < keys_of(r, b); j++)
        sum += w->of[j] = top == -INFINITY ? 0 : exp(w->of[j] - top);
    for (int64_t j = 0; j < keys_of(r, b); j++) {
        w->of[j] = sum > 0 ? w->of[j] / sum : 0;
        w->slope[j] = w->of[j] > 0 ? w->slope[j] : 0;
    }
    w->lse = top == -INFINITY ? top : top + log(sum);
}

// Compares a row and poisons it. Errors: the weights are rounded to the type of v, and the result
// to its type; in f16 the small weights lose bits, down to 2^-25. In e4m3 they are multiplied by
// 2^8 before.
static void compare_row(struct arrays *got, const struct arrays *x, const struct row *r,
                        const struct weights *w, int64_t b, int64_t h, int64_t i)
{
    bool eight = r->o.dtype == CUC_E4M3;
    const double unit = x->o.t.dtype == CUC_BF16 ? 0x1p-8 : 0x1p-11;
    // Weights for a cache are f16.
    bool packs = eight && !is_cached(r) && !(r->o.queries && r->o.queries <= 16);
    double cuts = r->o.flags & CUC_ATTENTION_FAST_ACC ? (double)(keys_of(r, b) / 32 + 1) : 4;
    const double unit_of_weights = packs ? 0x1p-4 + cut_error * cuts : eight ? 0x1p-11 : unit;
    const double least_of_o = x->o.t.dtype == CUC_BF16 ? 0 : 0x1p-25;
    const double least = packs ? 0x1p-18 : eight ? 0x1p-25 : least_of_o;
    int64_t g = h / (r->heads / r->key_heads), width = x->o.t.shape[x->o.t.rank - 1];
    double y[MOST_WIDTH] = { 0 }, size[MOST_WIDTH] = { 0 }, small[MOST_WIDTH] = { 0 };
    double scale = scale_of(x, 2, b, g);

    for (int64_t j = 0; j < keys_of(r, b); j++) {
        struct line v = line_of(&x->v, r, true, b, g, j);
        double weight = w->of[j], lost = weight > 0 ? least : 0;
        for (int64_t d = 0; d < width; d++) {
            double one = v.at[d * v.step] * scale;
            y[d] += weight * one;
            size[d] += weight * fabs(one);
            small[d] += lost * fabs(one);
        }
    }
    for (int64_t d = 0; d < width; d++) {
        double have = element(&got->o, r, false, b, h, i, d);
        double allowed = 1.01 * (unit * fabs(y[d]) + unit_of_weights * size[d]) +
                         (2 * w->error + 0x1p-18) * size[d] + small[d] + least_of_o;
        ck_assert_msg(fabs(have - y[d]) <= allowed,
                      "%s: o[%d][%d][%d][%d] is %.9g, expected %.9g within %.3g", r->name, (int)b,
                      (int)h, (int)i, (int)d, have, y[d], allowed);
        poison(got->o.t.dtype, place(&got->o, r, false, b, h, i, d));
    }
    if (!got->lse.buffer)
        return;
    unsigned char *lse = lse_place(&got->lse, r, b, h, i);
    double have = tile_element_real(CUC_F32, tile_scalar_of(CUC_F32, lse)),
           allowed = w->error + 0x1p-20 * (fabs(w->lse) + 8);
    ck_assert_msg(w->lse == -INFINITY ? have == w->lse : fabs(have - w->lse) <= allowed,
                  "%s: lse[%d][%d][%d] is %.9g, expected %.9g within %.3g", r->name, (int)b, (int)h,
                  (int)i, have, w->lse, allowed);
    poison(CUC_F32, lse);
}

static void receive(struct array *got)
{
    if (!got->buffer)
        return;
    got->bytes = malloc(got->size);
    ck_ok(cuc_buffer_read_async(stream, got->bytes, got->buffer, 0, got->size));
    ck_ok(cuc_stream_synchronize(stream));
}

static void expect_poison(const struct array *a, const char *name, const char *array)
{
    for (size_t i = 0; a->buffer && i < a->size; i++)
        ck_assert_msg(a->bytes[i] == POISON, "%s: byte %zu beside %s was written", name, i, array);
}

static void compare(struct arrays *x, const struct row *r)
{
    struct arrays got = *x;
    struct weights w;

    decode(&x->q);
    decode(&x->k);
    decode(&x->v);
    decode(&x->d_o);
    receive(&got.o);
    receive(&got.lse);
    for (int64_t b = 0; b < sequences(r); b++)
        for (int64_t h = 0; h < r->heads; h++)
            for (int64_t i = 0; i < queries_of(r, b); i++) {
                weigh(&w, x, r, b, h, i);
                compare_row(&got, x, r, &w, b, h, i);
            }
    expect_poison(&got.o, r->name, "o");
    expect_poison(&got.lse, r->name, "lse");
    free(got.o.bytes);
    free(got.lse.bytes);
}

// ---- Gradients

// The gradients in double, and bounds of their errors. Those of sinks and of side arrays lie like
// the arrays' elements.
struct gradients {
    double *q, *q_error, *k, *k_error, *v, *v_error;
    double *sinks, *sinks_error, *sides[2], *sides_error[2];
};

// Adds a score's contribution to the gradients of side arrays. `ds` is the score's gradient.
static void add_sides(struct gradients *g, const struct arrays *x, const struct row *r, int64_t b,
                      int64_t h, int64_t i, int64_t j, double score, double ds, double error)
{
    const struct score *s = &scores[r->score];
    const double step = 1e-4; // of a central difference

    for (int which = 0; which < 2 && s->sides[which].name; which++) {
        if (!g->sides[which])
            continue;
        int64_t offset = 0;
        for (int32_t axis = 0; axis < s->sides[which].rank; axis++) {
            char e = s->extents[which][axis];
            offset += (e == 'b'   ? b
                       : e == 'h' ? h
                       : e == 'q' ? i
                                  : j) *
                      x->sides[which].t.strides[axis];
        }
        nudge[which] = step;
        double slope = s->expected(x, score, b, h, i, j);
        nudge[which] = -step;
        slope = (slope - s->expected(x, score, b, h, i, j)) / (2 * step);
        nudge[which] = 0;
        g->sides[which][offset] += ds * slope;
        g->sides_error[which][offset] += fabs(slope) * (error + fabs(ds) * 0x1p-18) + 1e-8;
    }
}

// Adds a row's contribution to the gradients of its key head, of sinks and of side arrays. `o` is
// the result that the call has given, whose roundings are thus no errors of the gradients.
static void add_row(struct gradients *g, const struct arrays *x, const struct array *o,
                    const struct row *r, const struct weights *w, int64_t b, int64_t h, int64_t i,
                    double scale)
{
    const double unit = r->o.dtype == CUC_BF16 ? 0x1p-8 : 0x1p-11;
    const double least = r->o.dtype == CUC_BF16 ? 0 : 0x1p-25;
    int64_t head = h / (r->heads / r->key_heads);
    int64_t width = r->o.width, values = x->o.t.shape[x->o.t.rank - 1];
    double e = 0, e_error = 0, of_p = 2 * w->error + 0x1p-17;
    struct line q = line_of(&x->q, r, false, b, h, i), d_o = line_of(&x->d_o, r, false, b, h, i);

    for (int64_t d = 0; d < values; d++) {
        double one = element(o, r, false, b, h, i, d) * d_o.at[d * d_o.step];
        e += one;
        e_error += fabs(one) * 0x1p-20;
    }
    if (g->sinks) {
        double p = exp(side_of(&x->sinks, h) - w->lse);
        g->sinks[h] -= p * e;
        g->sinks_error[h] += p * (e_error + fabs(e) * of_p) + 1e-8;
    }
    for (int64_t j = 0; j < keys_of(r, b); j++) {
        struct line k = line_of(&x->k, r, true, b, head, j);
        struct line v = line_of(&x->v, r, true, b, head, j);
        double p = w->of[j], dp = 0, dp_size = 0;
        for (int64_t d = 0; d < values; d++) {
            double at = d_o.at[d * d_o.step], one = at * v.at[d * v.step];
            dp += one;
            dp_size += fabs(one);
            g->v[j * values + d] += p * at;
            g->v_error[j * values + d] += (p * (unit + of_p) + least) * fabs(at);
        }
        double ds = p * (dp - e);
        double error = p * (e_error + 0x1p-20 * (dp_size + fabs(e))) + fabs(ds) * of_p;
        if (r->score && p > 0)
            add_sides(g, x, r, b, h, i, j, w->score[j], ds, error);
        ds *= w->slope[j];
        error = fabs(w->slope[j]) * error + fabs(ds) * unit;
        error += p > 0 ? least : 0;
        for (int64_t d = 0; d < width; d++) {
            double q_d = q.at[d * q.step], k_d = k.at[d * k.step];
            g->q[d] += scale * ds * k_d;
            g->q_error[d] += fabs(scale * k_d) * error;
            g->k[j * width + d] += scale * ds * q_d;
            g->k_error[j * width + d] += fabs(scale * q_d) * error;
        }
    }
}

static void compare_gradient(struct array *got, const struct row *r, const char *name, bool keys,
                             int64_t b, int64_t h, int64_t i, int64_t width, const double *expected,
                             const double *error)
{
    const double unit = r->o.dtype == CUC_BF16 ? 0x1p-8 : 0x1p-11;

    for (int64_t d = 0; d < width; d++) {
        double have = element(got, r, keys, b, h, i, d), y = expected[d];
        double allowed = 1.01 * (unit * fabs(y) + error[d]) + 0x1p-24;
        ck_assert_msg(fabs(have - y) <= allowed,
                      "%s: %s[%d][%d][%d][%d] is %.9g, expected %.9g within %.3g", r->name, name,
                      (int)b, (int)h, (int)i, (int)d, have, y, allowed);
        poison(got->t.dtype, place(got, r, keys, b, h, i, d));
    }
}

// Compares the gradient of sinks or of a side array.
static void compare_sums(struct array *got, const struct row *r, const char *name,
                         const double *expected, const double *error)
{
    const double unit = got->t.dtype == CUC_BF16  ? 0x1p-8
                        : got->t.dtype == CUC_F16 ? 0x1p-11
                                                  : 0x1p-20;
    size_t bytes = cuc_dtype_bits(got->t.dtype) / 8;
    int64_t count = 1;

    for (int32_t i = 0; i < got->t.rank; i++)
        count *= got->t.shape[i];
    for (int64_t i = 0; i < count; i++) {
        unsigned char *place = got->bytes + (GUARD + i) * (int64_t)bytes;
        double have = tile_element_real(got->t.dtype, tile_scalar_of(got->t.dtype, place));
        double allowed = 1.01 * (unit * fabs(expected[i]) + error[i]) + 0x1p-24;
        ck_assert_msg(fabs(have - expected[i]) <= allowed,
                      "%s: %s, element %d is %.9g, expected %.9g within %.3g", r->name, name,
                      (int)i, have, expected[i], allowed);
        poison(got->t.dtype, place);
    }
    expect_poison(got, r->name, name);
    free(got->bytes);
}

static double *zeros_of(const struct array *a)
{
    return a->buffer ? calloc(a->size, sizeof(double)) : NULL;
}

static void compare_gradients(const struct arrays *x, const struct row *r)
{
    enum { MOST = MOST_KEYS * MOST_WIDTH };
    struct arrays got = *x;
    struct weights w;
    double *all = malloc(6 * MOST * sizeof(*all));
    struct gradients g = {
        all,
        all + MOST,
        all + 2 * MOST,
        all + 3 * MOST,
        all + 4 * MOST,
        all + 5 * MOST,
        zeros_of(&x->d_sinks),
        zeros_of(&x->d_sinks),
        { zeros_of(&x->d_sides[0]), zeros_of(&x->d_sides[1]) },
        { zeros_of(&x->d_sides[0]), zeros_of(&x->d_sides[1]) },
    };
    int64_t width = r->o.width, values = x->o.t.shape[x->o.t.rank - 1],
            group = r->heads / r->key_heads;
    double scale = (double)(float)(r->scale != 0 ? r->scale : 1 / sqrt((double)width));

    receive(&got.o);
    receive(&got.d_q);
    receive(&got.d_k);
    receive(&got.d_v);
    for (int64_t b = 0; b < sequences(r); b++)
        for (int64_t h = 0; h < r->heads; h++) {
            if (h % group == 0)
                memset(all, 0, 6 * MOST * sizeof(*all));
            for (int64_t i = 0; i < queries_of(r, b); i++) {
                weigh(&w, x, r, b, h, i);
                memset(g.q, 0, MOST / MOST_KEYS * sizeof(*g.q));
                memset(g.q_error, 0, MOST / MOST_KEYS * sizeof(*g.q));
                add_row(&g, x, &got.o, r, &w, b, h, i, scale);
                compare_gradient(&got.d_q, r, "d_q", false, b, h, i, width, g.q, g.q_error);
            }
            for (int64_t j = 0; j < keys_of(r, b) && h % group == group - 1; j++) {
                compare_gradient(&got.d_k, r, "d_k", true, b, h / group, j, width, g.k + j * width,
                                 g.k_error + j * width);
                compare_gradient(&got.d_v, r, "d_v", true, b, h / group, j, values,
                                 g.v + j * values, g.v_error + j * values);
            }
        }
    receive(&got.d_sinks);
    if (g.sinks)
        compare_sums(&got.d_sinks, r, "d_sinks", g.sinks, g.sinks_error);
    for (int i = 0; i < 2; i++) {
        receive(&got.d_sides[i]);
        if (g.sides[i])
            compare_sums(&got.d_sides[i], r, scores[r->score].sides[i].name, g.sides[i],
                         g.sides_error[i]);
        free(g.sides[i]);
        free(g.sides_error[i]);
    }
    free(g.sinks);
    free(g.sinks_error);
    expect_poison(&got.d_q, r->name, "d_q");
    expect_poison(&got.d_k, r->name, "d_k");
    expect_poison(&got.d_v, r->name, "d_v");
    free(got.o.bytes);
    free(got.d_q.bytes);
    free(got.d_k.bytes);
    free(got.d_v.bytes);
    free(all);
}

static void check_backward(struct arrays *x, const struct row *r, cuc_attention_plan *plan)
{
    x->args.d_o = &x->d_o.t;
    x->args.d_q = &x->d_q.t;
    x->args.d_k = &x->d_k.t;
    x->args.d_v = &x->d_v.t;
    x->args.d_sinks = x->d_sinks.buffer ? &x->d_sinks.t : NULL;
    x->args.d_sides = x->gradients[0].rank ? x->gradients : NULL;
    for (int64_t b = 0; is_variable(r) && b < sequences(r); b++)
        if (keys_of(r, b) > x->args.most_keys)
            x->args.most_keys = keys_of(r, b);
    ck_assert_msg(cuc_attention_backward(stream, plan, &x->args) == CUC_OK, "%s: %s", r->name,
                  cuc_error_message());
    compare_gradients(x, r);
}

// ---- Appending

// Moves the last keys of each sequence, one for each query, from a cache to an array of new keys.
// Keys before the sequence's first one are poisoned.
static void take_last(struct array *to, struct array *cache, const struct row *r)
{
    bool last = r->o.order == CUC_ATTENTION_SEQUENCE_FIRST;
    int64_t width = cache->t.shape[3], first = is_variable(r);
    int64_t tokens = is_variable(r) ? tokens_of(r, false) : r->queries;
    const int64_t shape[] = { sequences(r), last ? tokens : r->key_heads,
                              last ? r->key_heads : tokens, width };

    make(to, cache->t.dtype, (int32_t)(4 - first), shape + first, first ? "102" : "0213", 8);
    for (int64_t b = 0; b < sequences(r); b++)
        for (int64_t g = 0; g < r->key_heads; g++)
            for (int64_t i = 0; i < queries_of(r, b); i++)
                for (int64_t d = 0; d < width; d++) {
                    int64_t j = keys_of(r, b) - queries_of(r, b) + i;
                    if (j < 0)
                        continue;
                    unsigned char *key = place(cache, r, true, b, g, j, d);
                    memcpy(place(to, r, false, b, g, i, d), key, cuc_dtype_bits(to->t.dtype) / 8);
                    poison(cache->t.dtype, key);
                }
    send(to);
    send(cache);
}

static void expect_whole(const struct array *cache, const unsigned char *expected, const char *name,
                         const char *array)
{
    struct array got = *cache;

    receive(&got);
    for (size_t i = 0; i < cache->size; i++)
        ck_assert_msg(got.bytes[i] == expected[i], "%s: byte %zu of %s is 0x%x, expected 0x%x",
                      name, i, array, got.bytes[i], expected[i]);
    free(got.bytes);
}

// Takes the last keys away and appends them: the cache, with all around it, is as before.
static void check_append(struct arrays *x, const struct row *r, cuc_attention_plan *plan)
{
    struct array *caches[] = { &x->k, &x->v }, *news[] = { &x->new_k, &x->new_v };
    unsigned char *whole[2];
    const cuc_attention_args args = { .struct_size = sizeof(args),
                                      .k = &x->k.t,
                                      .v = &x->v.t,
                                      .new_k = &x->new_k.t,
                                      .new_v = &x->new_v.t,
                                      .query_offsets = x->args.query_offsets,
                                      .page_table = x->args.page_table,
                                      .key_lengths = x->args.key_lengths };

    for (int i = 0; i < 2; i++) {
        whole[i] = malloc(caches[i]->size);
        memcpy(whole[i], caches[i]->bytes, caches[i]->size);
        take_last(news[i], caches[i], r);
    }
    ck_assert_msg(cuc_attention_append(stream, plan, &args) == CUC_OK, "%s: %s", r->name,
                  cuc_error_message());
    for (int i = 0; i < 2; i++) {
        expect_whole(caches[i], whole[i], r->name, i ? "v" : "k");
        memcpy(caches[i]->bytes, whole[i], caches[i]->size);
        free(whole[i]);
    }
}

static bool has_8_bit_floats(void)
{
    return atoi(cuc_device_arch(device) + strlen("sm_")) >= 89;
}

static void check(const struct row *r)
{
    struct arrays x;
    cuc_attention_plan *plan = NULL;
    cuc_attention_options o = r->o;
    const struct score *s = &scores[r->score];

    cuc_attention_side sides[2] = { s->sides[0], s->sides[1] };
    o.score = s->text;
    o.sides = sides;
    for (; o.side_count < 2 && sides[o.side_count].name; o.side_count++)
        if (!(o.flags & CUC_ATTENTION_BACKWARD))
            sides[o.side_count].gradient = NULL;
    if (o.dtype == CUC_E4M3 && !has_8_bit_floats()) {
        ck_assert_int_lt(cuc_attention_plan_create(&plan, device, &o), 0);
        ck_assert_ptr_nonnull(strstr(cuc_error_message(), "sm_89"));
        return;
    }
    ck_assert_msg(cuc_attention_plan_create(&plan, device, &o) == CUC_OK, "%s: %s\n%s", r->name,
                  cuc_error_message(), cuc_error_log());
    make_all(&x, r);
    x.args.workspace_bytes = cuc_attention_plan_workspace_bytes(
        plan, sequences(r), r->heads, is_variable(r) ? tokens_of(r, false) : r->queries,
        r->key_heads, is_variable(r) ? tokens_of(r, true) : r->keys);
    if (x.args.workspace_bytes) {
        ck_ok(cuc_buffer_create(&x.workspace.buffer, stream, NULL, x.args.workspace_bytes));
        x.args.workspace = cuc_buffer_ptr(x.workspace.buffer);
    }
    if (is_cached(r))
        check_append(&x, r, plan);
    ck_assert_msg(cuc_attention(stream, plan, &x.args) == CUC_OK, "%s: %s", r->name,
                  cuc_error_message());
    compare(&x, r);
    if (r->o.flags & CUC_ATTENTION_BACKWARD)
        check_backward(&x, r, plan);
    drop_all(&x);
    cuc_attention_plan_release(plan);
}

static struct slice slice = { 0, 1 };

static bool in_first_slice(void)
{
    return slice.first == 0;
}

CASE("attention", .setup = setup, .teardown = teardown, .timeout = 120);

TEST_SLICE(every_kind_of_attention_is_right, slice, CUC_LENGTH(rows))
{
    seed = (uint64_t)_i + 1;
    check(&rows[_i]);
}

// ---- Random cases: edges of tiles, in every mask and order

static int64_t edge(void)
{
    static const int64_t edges[] = { 1, 2, 7, 15, 16, 17, 63, 64, 65, 127, 128, 129, 191, 193 };

    return edges[below(CUC_LENGTH(edges))];
}

static void make_row(struct row *r)
{
    static const int32_t widths[] = { 32, 64, 64, 72, 128 };
    static const char *const orders[] = { "0123", "0213", "2013", "1203" };
    cuc_attention_options *o = &r->o;

    *r = (struct row){ .name = "random", .memory = orders[below(4)], .gap = below(3) ? 0 : 8 };
    o->struct_size = sizeof(*o);
    o->dtype = below(2) ? CUC_BF16 : CUC_F16;
    o->width = widths[below(CUC_LENGTH(widths))];
    o->value_width = below(3) ? 0 : widths[below(CUC_LENGTH(widths))];
    o->order = (int32_t)below(2);
    o->mask = (int32_t)below(2);
    if (below(3) == 0)
        o->window_left = (int32_t)edge();
    if (!o->mask && below(3) == 0)
        o->window_right = (int32_t)edge();
    if (o->mask || o->window_left || o->window_right)
        o->align = (int32_t)below(2);
    if (below(2))
        o->flags = CUC_ATTENTION_LSE;
    if (!below(4))
        o->arch = "sm_80";
    if (!below(3))
        r->score = (int)below(SCORES);
    if (!below(4))
        o->flags |= CUC_ATTENTION_SINKS;
    if (!below(4))
        o->flags |= CUC_ATTENTION_BACKWARD;
    r->batch = 1 + (int64_t)below(2);
    r->key_heads = 1 + (int64_t)below(2);
    r->heads = r->key_heads * (1 + (int64_t)below(2));
    r->queries = edge();
    r->keys = edge();
    if (below(2)) {
        o->batch = r->batch;
        o->heads = r->heads;
        o->queries = r->queries;
    }
}

enum { RANDOM_CASES = 40 };

TEST_SLICE(attention_at_random_is_right, slice, RANDOM_CASES)
{
    struct row r;

    seed = 1000 + (uint64_t)_i;
    make_row(&r);
    check(&r);
}

// ---- Refusals

static const struct {
    cuc_attention_options o;
    const char *words[3]; // expected parts of the message
} bad_options[] = {
#define BAD(...)                                                  \
    {                                                             \
        .struct_size = sizeof(cuc_attention_options), __VA_ARGS__ \
    }
    { BAD(.width = 64), { "dtype is unknown", "f16, bf16 or e4m3" } },
    { BAD(.dtype = CUC_F32, .width = 64), { "dtype is f32", "f16, bf16 or e4m3" } },
    { BAD(HF, .width = 64, .o_dtype = CUC_BF16), { "o_dtype is bf16", "otherwise 0" } },
    { BAD(E4, .width = 64, .o_dtype = CUC_F32), { "o_dtype is f32", "f16 or bf16" } },
    { BAD(E4, .width = 64, .arch = "sm_80"), { "e4m3", "sm_89 or later" } },
    { BAD(HF, .width = 64, .flags = CUC_ATTENTION_FAST_ACC), { "FAST_ACC", "only for e4m3" } },
    { BAD(E4, .width = 64, .flags = CUC_ATTENTION_FAST_ACC, .page_size = 64),
      { "FAST_ACC", "pages", "leave it unset" } },
    { BAD(E4, .width = 64, .flags = CUC_ATTENTION_FAST_ACC | CUC_ATTENTION_KEY_LENGTHS),
      { "FAST_ACC", "CUC_ATTENTION_KEY_LENGTHS", "leave it unset" } },
    { BAD(E4, .width = 64, BACK), { "CUC_ATTENTION_BACKWARD", "e4m3" } },
    { BAD(HF), { "width is 0", "1 to 256" } },
    { BAD(HF, .width = 257), { "width is 257", "1 to 256" } },
    { BAD(HF, .width = 64, .value_width = -1), { "value_width is -1", "0 to 256" } },
    { BAD(HF, .width = 64, .mask = 2), { "mask is 2", "0 to 1" } },
    { BAD(HF, .width = 64, .align = LAST), { "align", "no mask or window" } },
    { BAD(HF, .width = 64, .mask = CAUSAL, .window_right = 1), { "window_right", "causal" } },
    { BAD(HF, .width = 64, .window_left = -1), { "window_left is -1" } },
    { BAD(HF, .width = 64, .heads = 6, .key_heads = 4), { "key_heads does not divide heads" } },
    { BAD(HF, .width = 64, .tile_q = 65), { "tile_q and tile_k", "multiples of 16" } },
    { BAD(HF, .width = 64, .tile_k = 512), { "tile_k is 512", "0 to 256" } },
    { BAD(HF, .width = 64, .warps = 3), { "warps", "power of two" } },
    { BAD(HF, .width = 64, .stages = 1), { "stages", "2 to 24" } },
    { BAD(HF, .width = 64, .flags = 1 << 20), { "flags is 1048576" } },
    { BAD(HF, .width = 64, .order = 2), { "order is 2" } },
    { BAD(HF, .width = 64, .score = "score", .side_count = 1), { "sides is NULL" } },
    { BAD(HF, .width = 64, .score = "score", .side_count = 9), { "side_count is 9", "0 to 8" } },
    { BAD(HF, .width = 64, .sides = (const cuc_attention_side[]){ { "x", CUC_F32, 1, NULL } },
          .side_count = 1),
      { "no score function" } },
#define SIDES(...)                                                          \
    .score = "score", .sides = (const cuc_attention_side[]){ __VA_ARGS__ }, \
    .side_count = sizeof((const cuc_attention_side[]){ __VA_ARGS__ }) / sizeof(cuc_attention_side)
    { BAD(HF, .width = 64, SIDES({ "2x", CUC_F32, 1, NULL })),
      { "sides[0].name is 2x", "letters" } },
    { BAD(HF, .width = 64, SIDES({ NULL, CUC_F32, 1, NULL })), { "sides[0].name is NULL" } },
    { BAD(HF, .width = 64, SIDES({ "head", CUC_F32, 1, NULL })),
      { "sides[0].name is head", "another" } },
    { BAD(HF, .width = 64, SIDES({ "x", CUC_F32, 1, NULL }, { "x", CUC_F32, 1, NULL })),
      { "sides[1].name is x" } },
    { BAD(HF, .width = 64, SIDES({ "x", 0, 1, NULL })), { "sides[0].dtype is unknown" } },
    { BAD(HF, .width = 64, SIDES({ "x", CUC_F32, 9, NULL })), { "sides[0].rank is 9", "1 to 8" } },
    { BAD(HF, .width = 64, .score = "scor + 1.0"), { "scor" } },
    { BAD(HF, .width = 64, .score = "cumsum(score, 1)", BACK), { "T111", "cumsum" } },
    { BAD(HF, .width = 64, .score = "score + cast(reshape(row, [-1]), f32)[:, None]", BACK),
      { "T201" } },
    { BAD(HF, .width = 64, SIDES({ "x", CUC_F32, 1, "head" })),
      { "sides[0].gradient is given", "CUC_ATTENTION_BACKWARD" } },
    { BAD(HF, .width = 64, BACK, SIDES({ "x", CUC_I32, 1, "head" })),
      { "sides[0] trains and is of i32", "f32" } },
    { BAD(HF, .width = 64, BACK, SIDES({ "x", CUC_F32, 1, "heads" })),
      { "sides[0].gradient is \"heads\"", "column" } },
    { BAD(HF, .width = 64, BACK, SIDES({ "x", CUC_F32, 2, "row, row" })),
      { "gradient is \"row, row\"", "at most once" } },
    { BAD(HF, .width = 64, BACK, SIDES({ "x", CUC_F32, 2, "row" })),
      { "gradient is \"row\"", "each of 2 axes" } },
    { BAD(HF, .width = 64, BACK, SIDES({ "x", CUC_F32, 1, "" })),
      { "gradient is \"\"", "each of 1 axes" } },
    { BAD(HF, .width = 64, BACK, .score = "score + gather(x, [head, row - column + 64])",
          .side_count = 1,
          .sides = (const cuc_attention_side[]){ { "x", CUC_F32, 2, "head, row" } }),
      { "T305", "gather" } },
    { BAD(HF, .width = 64, .flags = CUC_ATTENTION_KEY_LENGTHS | CUC_ATTENTION_BACKWARD),
      { "CUC_ATTENTION_BACKWARD", "pages and CUC_ATTENTION_KEY_LENGTHS" } },
    { BAD(HF, .width = 64, .page_size = 24), { "page_size is a multiple of 16" } },
    { BAD(HF, .width = 64, .page_size = 64, .tile_k = 128),
      { "tile_k does not divide page_size" } },
    { BAD(HF, .width = 64, .parts = 65), { "parts is 65", "0 to 64" } },
    { BAD(HF, .width = 64, .queries = 20, .parts = 2), { "parts is for 1 to 16 queries" } },
    { BAD(HF, .width = 64, .arch = "sm_70"), { "arch is sm_70", "sm_80, 86" } },
    { BAD(HF, .width = 64, .arch = "hopper"), { "hopper", "sm_90a" } },
};

CASE("attention", .only_if = in_first_slice);

TEST_ROWS(options_that_cannot_be_are_refused_by_name, bad_options)
{
    cuc_attention_plan *plan = (cuc_attention_plan *)&plan;
    cuc_status st = cuc_attention_plan_create(&plan, device, &bad_options[_i].o);

    ck_assert_int_lt(st, 0);
    ck_assert_ptr_eq(plan, &plan); // unchanged
    ck_assert_str_eq(cuc_error_function(), "cuc_attention_plan_create");
    for (int i = 0; i < 3 && bad_options[_i].words[i]; i++)
        ck_assert_msg(strstr(cuc_error_message(), bad_options[_i].words[i]) != NULL, "%s lacks %s",
                      cuc_error_message(), bad_options[_i].words[i]);
}

static cuc_tensor tensor(cuc_dtype dtype, int32_t rank, int64_t b, int64_t h, int64_t s, int64_t d)
{
    cuc_tensor t;

    ck_ok(cuc_tensor_from_pointer(&t, 0x10000, dtype, rank, (const int64_t[]){ b, h, s, d }, 0));
    return t;
}

TEST(arguments_that_do_not_fit_are_refused_by_name)
{
    const cuc_tensor q = tensor(CUC_F16, 4, 2, 6, 8, 64), k = tensor(CUC_F16, 4, 2, 3, 9, 64);
    const cuc_tensor v = tensor(CUC_F16, 4, 2, 3, 9, 32), o = tensor(CUC_F16, 4, 2, 6, 8, 32);
    const cuc_tensor lse = tensor(CUC_F32, 3, 2, 6, 8, 0), flat = tensor(CUC_F16, 3, 2, 6, 8, 0);
    const cuc_tensor other = tensor(CUC_BF16, 4, 2, 6, 8, 32),
                     four = tensor(CUC_F16, 4, 2, 4, 9, 64);
    const cuc_tensor values = tensor(CUC_F16, 4, 2, 4, 9, 32);
    cuc_tensor constant = o, same = o, negative = q;
    cuc_attention_plan *plan, *plain;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    ck_ok(cuc_attention_plan_create(
        &plan, device, CUC_ATTENTION_OPTIONS(HF, .width = 64, .value_width = 32, LSE)));
    ck_ok(cuc_attention_plan_create(&plain, device,
                                    CUC_ATTENTION_OPTIONS(HF, .width = 64, .value_width = 32)));
    constant.flags = CUC_TENSOR_READ_ONLY;
    same.strides[1] = 0;
    negative.shape[2] = -8;
    const cuc_attention_args good = {
        .struct_size = sizeof(good), .q = &q, .k = &k, .v = &v, .o = &o, .lse = &lse
    };
    cuc_attention_args a = good;
#define REFUSED(field, array, ...) \
    a = good;                      \
    a.field = (array);             \
    ck_fails(bad, cuc_attention(stream, plan, &a), __VA_ARGS__)
    ck_fails(bad, cuc_attention(stream, plan, NULL), "args is NULL");
    ck_fails(bad, cuc_attention(stream, plain, &good), "lse is given", "CUC_ATTENTION_LSE");
    REFUSED(q, NULL, "q is NULL");
    REFUSED(lse, NULL, "lse is NULL");
    REFUSED(q, &flat, "q has 3 axes, expected 4", "batch, heads, queries, width");
    REFUSED(o, &other, "o is of bf16, expected f16");
    REFUSED(k, &v, "k is [2, 3, 9, 32], expected [2, 3, 9, 64]", "batch, key heads, keys, width");
    REFUSED(q, &negative, "q is [2, 6, -8, 64]", "from 0");
    REFUSED(o, &constant, "o is read-only");
    REFUSED(o, &same, "o is [2, 6, 8, 32] with strides of [1536, 0, 32, 1]");
    REFUSED(query_offsets, &lse, "query_offsets is given", "CUC_ATTENTION_VARIABLE");
    REFUSED(d_q, &q, "d_q is given", "cuc_attention_backward()");
    ck_fails(bad, cuc_attention_backward(stream, plan, &good), "CUC_ATTENTION_BACKWARD");
    REFUSED(most_queries, 5, "most_queries is 5", "CUC_ATTENTION_VARIABLE");
    REFUSED(sides, &q, "sides is given", "leave it NULL");
    REFUSED(reserved, 7, "reserved is 7, expected 0");
    REFUSED(lse, &flat, "lse is of f16, expected f32");
    a = good;
    a.k = &four;
    a.v = &values;
    ck_fails(bad, cuc_attention(stream, plan, &a), "q has 6 heads and k has 4");
    a = good;
    a.scale = INFINITY;
    ck_fails(bad, cuc_attention(stream, plan, &a), "scale is inf", "1 / sqrt(width)");
    cuc_attention_plan_release(plain);
    cuc_attention_plan_release(plan);
}

TEST(arguments_of_gradients_are_refused_by_name)
{
    const cuc_tensor q = tensor(CUC_F16, 4, 2, 6, 8, 64), k = tensor(CUC_F16, 4, 2, 3, 9, 64);
    const cuc_tensor lse = tensor(CUC_F32, 3, 2, 6, 8, 0), sinks = tensor(CUC_F32, 1, 6, 0, 0, 0);
    const cuc_tensor bias = tensor(CUC_BF16, 2, 6, 9, 0, 0), f32 = tensor(CUC_F32, 2, 6, 9, 0, 0);
    const cuc_tensor fewer = tensor(CUC_BF16, 2, 6, 8, 0, 0), five = tensor(CUC_F32, 1, 5, 0, 0, 0);
    cuc_tensor constant = bias, same = bias;
    cuc_attention_plan *plan, *plain;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_attention_args a;

    constant.flags = CUC_TENSOR_READ_ONLY;
    same.strides[0] = 0;
    ck_ok(cuc_attention_plan_create(
        &plan, device,
        CUC_ATTENTION_OPTIONS(
            HF, .width = 64, .flags = CUC_ATTENTION_BACKWARD | CUC_ATTENTION_SINKS,
            .score = "score + gather(x, [head, column])", .side_count = 1,
            .sides = (const cuc_attention_side[]){ { "x", CUC_BF16, 2, "head, column" } })));
    ck_ok(cuc_attention_plan_create(&plain, device, CUC_ATTENTION_OPTIONS(HF, .width = 64, BACK)));
    const cuc_attention_args good = { .struct_size = sizeof(good),
                                      .q = &q,
                                      .k = &k,
                                      .v = &k,
                                      .o = &q,
                                      .lse = &lse,
                                      .sinks = &sinks,
                                      .sides = &bias,
                                      .side_count = 1,
                                      .d_o = &q,
                                      .d_q = &q,
                                      .d_k = &k,
                                      .d_v = &k,
                                      .d_sinks = &sinks,
                                      .d_sides = &bias };
#define WRONG(field, array, ...) \
    a = good;                    \
    a.field = (array);           \
    ck_fails(bad, cuc_attention_backward(stream, plan, &a), __VA_ARGS__)
    WRONG(d_sides, NULL, "d_sides is NULL", "trains");
    WRONG(d_sides, &f32, "d_sides[0] (x) is of f32, expected bf16");
    WRONG(d_sides, &fewer, "d_sides[0] (x) is [6, 8], expected [6, 9]");
    WRONG(d_sides, &constant, "d_sides[0] (x) is read-only");
    WRONG(d_sides, &same, "d_sides[0] (x) is [6, 9] with strides of [0, 1]");
    WRONG(sides, &fewer, "sides[0] (x) is [6, 8], expected [6, 9]");
    WRONG(d_sinks, &five, "d_sinks is [5], expected [6]");
    ck_fails(bad, cuc_attention(stream, plan, &good), "d_o is given", "cuc_attention_backward()");
    a = good;
    a.d_o = a.d_q = a.d_k = a.d_v = a.d_sinks = NULL;
    ck_fails(bad, cuc_attention(stream, plan, &a), "d_sides is given", "cuc_attention_backward()");
    a = good;
    a.sinks = NULL;
    a.sides = NULL;
    a.side_count = 0;
    ck_fails(bad, cuc_attention_backward(stream, plain, &a), "d_sinks is given",
             "CUC_ATTENTION_SINKS");
    a.d_sinks = NULL;
    ck_fails(bad, cuc_attention_backward(stream, plain, &a), "d_sides is given",
             "no side array trains");
    cuc_attention_plan_release(plain);
    cuc_attention_plan_release(plan);
}

// Warps store gradients without waiting for others, which may still read lse.
TEST(gradients_that_overlap_lse_are_refused)
{
    enum { BYTES = 2048, ARRAYS = 10 };
    cuc_tensor array[ARRAYS], lse;
    cuc_attention_plan *plan;
    cuc_buffer *buffer;

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, ARRAYS * BYTES));
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 0, 1, ARRAYS * BYTES));
    for (int i = 0; i < ARRAYS; i++)
        ck_ok(cuc_tensor_from_pointer(&array[i], cuc_buffer_ptr(buffer) + (uint64_t)i * BYTES,
                                      CUC_F16, 4, (const int64_t[]){ 1, 1, 16, 64 }, 0));
    ck_ok(cuc_attention_plan_create(&plan, device, CUC_ATTENTION_OPTIONS(HF, .width = 64, BACK)));
    cuc_attention_args a = {
        .struct_size = sizeof(a),
        .q = &array[0],
        .k = &array[1],
        .v = &array[2],
        .o = &array[3],
        .lse = &lse,
        .d_o = &array[4],
        .d_q = &array[5],
        .d_k = &array[6],
        .d_v = &array[7],
        .workspace = array[9].data,
        .workspace_bytes = BYTES,
    };
    for (int i = 5; i < 9; i++) {
        ck_ok(cuc_tensor_from_pointer(&lse, array[i].data, CUC_F32, 3,
                                      (const int64_t[]){ 1, 1, 16 }, 0));
        if (i < 8)
            ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_attention_backward(stream, plan, &a), "lse",
                     i == 5   ? "d_q"
                     : i == 6 ? "d_k"
                              : "d_v");
        else
            ck_ok(cuc_attention_backward(stream, plan, &a));
    }
    cuc_attention_plan_release(plan);
    cuc_buffer_release(buffer);
}

TEST(arguments_of_variable_lengths_are_refused_by_name)
{
    const cuc_tensor q = tensor(CUC_F16, 3, 6, 80, 64, 0), k = tensor(CUC_F16, 3, 3, 90, 64, 0);
    const cuc_tensor four = tensor(CUC_F16, 4, 1, 6, 80, 64);
    const cuc_tensor offsets = tensor(CUC_I32, 1, 4, 0, 0, 0),
                     more = tensor(CUC_I32, 1, 5, 0, 0, 0);
    const cuc_tensor none = tensor(CUC_I32, 1, 0, 0, 0, 0), sums = tensor(CUC_F32, 2, 6, 80, 0, 0);
    const cuc_attention_args good = { .struct_size = sizeof(good),
                                      .q = &q,
                                      .k = &k,
                                      .v = &k,
                                      .o = &q,
                                      .query_offsets = &offsets,
                                      .key_offsets = &offsets,
                                      .most_queries = 80 };
    cuc_attention_args a;
    cuc_attention_plan *plan;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    ck_ok(cuc_attention_plan_create(
        &plan, device, CUC_ATTENTION_OPTIONS(HF, .width = 64, .flags = CUC_ATTENTION_VARIABLE)));
    REFUSED(q, &four, "q has 4 axes, expected 3: [heads, queries, width]");
    REFUSED(query_offsets, NULL, "query_offsets is NULL");
    REFUSED(key_offsets, &more, "key_offsets is [5], expected [4]", "[batch + 1]");
    REFUSED(query_offsets, &q, "query_offsets is of f16, expected i32");
    REFUSED(most_queries, -1, "most_queries is -1", "0 to 2147483647");
    REFUSED(most_queries, 0, "most_queries is 0, but q has 80 rows", "such as 80");
    REFUSED(most_keys, 3, "most_keys is 3", "cuc_attention_backward()");
    REFUSED(page_table, &offsets, "page_table is given", "with a page_size");
    REFUSED(k_scale, &offsets, "k_scale is given", "with the dtype e4m3");
    REFUSED(side_count, 1, "side_count is 1, expected 0", "give them in the plan's options");
    a = good;
    a.query_offsets = a.key_offsets = &none;
    ck_fails(bad, cuc_attention(stream, plan, &a), "query_offsets has no element");
    cuc_attention_plan_release(plan);
    ck_ok(cuc_attention_plan_create(
        &plan, device, CUC_ATTENTION_OPTIONS(HF, .width = 64, BACK | CUC_ATTENTION_VARIABLE)));
    a = good;
    a.lse = &sums;
    a.d_o = a.d_q = &q;
    a.d_k = a.d_v = &k;
    ck_fails(bad, cuc_attention_backward(stream, plan, &a), "most_keys is 0, but k has 90 rows",
             "such as 90");
    a.most_keys = 90;
    a.most_queries = 0;
    ck_fails(bad, cuc_attention_backward(stream, plan, &a), "most_queries is 0, but q has 80 rows");
    cuc_attention_plan_release(plan);
}

TEST(arguments_of_a_cache_are_refused_by_name)
{
    const cuc_tensor keys = tensor(CUC_F16, 4, 2, 3, 90, 64),
                     news = tensor(CUC_F16, 4, 2, 3, 4, 64);
    const cuc_tensor more = tensor(CUC_F16, 4, 2, 4, 4, 64), q = tensor(CUC_F16, 4, 2, 6, 4, 64);
    const cuc_tensor two = tensor(CUC_I32, 1, 2, 0, 0, 0), three = tensor(CUC_I32, 1, 3, 0, 0, 0);
    cuc_tensor constant = keys;
    const cuc_attention_args good = { .struct_size = sizeof(good),
                                      .new_k = &news,
                                      .new_v = &news,
                                      .k = &keys,
                                      .v = &keys,
                                      .key_lengths = &two };
    const cuc_attention_args attends = { .struct_size = sizeof(attends),
                                         .q = &q,
                                         .k = &keys,
                                         .v = &keys,
                                         .o = &q,
                                         .new_k = &news,
                                         .key_lengths = &two };
    cuc_attention_args a;
    cuc_attention_plan *plan, *plain;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    constant.flags = CUC_TENSOR_READ_ONLY;
    ck_ok(cuc_attention_plan_create(&plain, device, CUC_ATTENTION_OPTIONS(HF, .width = 64)));
    ck_ok(cuc_attention_plan_create(
        &plan, device,
        CUC_ATTENTION_OPTIONS(HF, .width = 64, .flags = CUC_ATTENTION_KEY_LENGTHS,
                              .score = "score + gather(x, [row + column])",
                              .sides = (const cuc_attention_side[]){ { "x", CUC_F32, 1, NULL } },
                              .side_count = 1)));
#define NOT_APPENDED(field, array, ...) \
    a = good;                           \
    a.field = (array);                  \
    ck_fails(bad, cuc_attention_append(stream, plan, &a), __VA_ARGS__)
    NOT_APPENDED(new_k, NULL, "new_k is NULL, expected f16 [batch, key heads, new keys, width]");
    NOT_APPENDED(new_v, &more, "new_v is [2, 4, 4, 64], expected [2, 3, 4, 64]", "new keys");
    NOT_APPENDED(key_lengths, NULL, "key_lengths is NULL");
    NOT_APPENDED(key_lengths, &three, "key_lengths is [3], expected [2]");
    NOT_APPENDED(k, &constant, "k is read-only");
    NOT_APPENDED(q, &q, "q is given", "cuc_attention_append() does not use it");
    NOT_APPENDED(page_table, &two, "page_table is given", "with a page_size");
    NOT_APPENDED(side_count, 1, "side_count is 1, expected 0", "takes no side arrays");
    NOT_APPENDED(sides, &q, "sides is given", "cuc_attention_append()");
    ck_fails(bad, cuc_attention(stream, plan, &attends), "new_k is given",
             "only cuc_attention_append() takes it");
    a = attends;
    a.new_k = NULL;
    ck_fails(bad, cuc_attention(stream, plan, &a), "side_count is 0, expected 1", "options: x");
    a.side_count = 1;
    ck_fails(bad, cuc_attention(stream, plan, &a), "sides is NULL", "options: x");
    ck_fails(bad, cuc_attention_append(stream, plain, &good), "no cache to append to",
             "CUC_ATTENTION_KEY_LENGTHS");
    cuc_attention_plan_release(plain);
    cuc_attention_plan_release(plan);
}

// ---- Plans

// The kernels for few queries, for joining their parts and for appending leave room for the blocks
// of the kernel behind them.
TEST(kernels_of_few_queries_let_their_successor_begin)
{
    static const int queries[] = { 1, 100 }, kernels[] = { 3, 1 };

    for (size_t i = 0; i < CUC_LENGTH(queries); i++) {
        cuc_attention_plan *plan;
        ck_ok(cuc_attention_plan_create(
            &plan, device,
            CUC_ATTENTION_OPTIONS(BF, .width = 64, .queries = queries[i], .page_size = 64,
                                  .parts = queries[i] == 1 ? 2 : 0)));
        ck_assert_int_eq(testing_occurrences(cuc_attention_plan_source(plan, 0),
                                             "{\n    grid_dependency_launch()"),
                         kernels[i]);
        cuc_attention_plan_release(plan);
    }
}

// A step of one query has several pages, if threads can copy them ahead: not if rows are narrow.
TEST(a_step_of_one_query_has_several_pages)
{
    static const struct {
        int width, page_size, keys;
    } cases[] = { { 128, 16, 64 }, { 64, 16, 128 }, { 64, 128, 64 }, { 256, 16, 32 },
                  { 32, 16, 16 },  { 80, 16, 16 },  { 64, 48, 16 },  { 32, 32, 128 } };

    for (size_t i = 0; i < CUC_LENGTH(cases); i++) {
        cuc_attention_choice choice = CUC_ATTENTION_CHOICE_INIT;
        cuc_attention_plan *plan;
        ck_ok(cuc_attention_plan_create(&plan, device,
                                        CUC_ATTENTION_OPTIONS(BF, .width = cases[i].width,
                                                              .queries = 1,
                                                              .page_size = cases[i].page_size)));
        ck_ok(cuc_attention_plan_get_choice(&choice, plan));
        ck_assert_int_eq(choice.tile_k, cases[i].keys);
        cuc_attention_plan_release(plan);
    }
}

TEST(a_plan_shows_its_choice_and_program)
{
    cuc_attention_choice choice = CUC_ATTENTION_CHOICE_INIT;
    cuc_attention_plan *plan;

    ck_ok(cuc_attention_plan_create(&plan, device,
                                    CUC_ATTENTION_OPTIONS(BF, .width = 128, .mask = CAUSAL,
                                                          .batch = 4, .heads = 16, .queries = 4096,
                                                          .arch = "sm_80")));
    ck_ok(cuc_attention_plan_get_choice(&choice, plan));
    ck_assert_int_eq(choice.tile_q, 128);
    ck_assert_int_eq(choice.tile_k, 64);
    ck_assert_int_eq(choice.pipeline, 0);
    ck_assert_int_eq(choice.tiles, 4 * 16 * 32);
    ck_assert_str_eq(choice.by, "rules");
    ck_assert_ptr_nonnull(strstr(cuc_attention_plan_source(plan, 0), "kernel attention(q: T["));
    ck_assert_ptr_null(cuc_attention_plan_source(plan, 1));
    ck_assert_ptr_null(cuc_attention_plan_source(NULL, 0));
    ck_assert_ptr_eq(cuc_attention_plan_retain(plan), plan);
    cuc_attention_plan_release(plan);
    cuc_attention_plan_release(plan);
}

TEST(arguments_of_8_bits_are_refused_by_name)
{
    const cuc_tensor q = tensor(CUC_E4M3, 4, 2, 6, 8, 64), k = tensor(CUC_E4M3, 4, 2, 3, 9, 64);
    const cuc_tensor o = tensor(CUC_F16, 4, 2, 6, 8, 64), of_q = tensor(CUC_F32, 2, 2, 6, 0, 0);
    const cuc_tensor of_k = tensor(CUC_F32, 2, 2, 3, 0, 0), wide = tensor(CUC_F16, 2, 2, 3, 0, 0);
    const cuc_attention_args good = { .struct_size = sizeof(good),
                                      .q = &q,
                                      .k = &k,
                                      .v = &k,
                                      .o = &o,
                                      .q_scale = &of_q,
                                      .k_scale = &of_k,
                                      .v_scale = &of_k,
                                      .workspace = 0x100000,
                                      .workspace_bytes = 2 * 3 * 64 * 16 };
    cuc_attention_args a;
    cuc_attention_plan *plan;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    if (!has_8_bit_floats())
        SKIP("only sm_89 and later have e4m3");
    ck_ok(cuc_attention_plan_create(&plan, device,
                                    CUC_ATTENTION_OPTIONS(E4, .o_dtype = CUC_F16, .width = 64)));
    ck_assert_uint_eq(cuc_attention_plan_workspace_bytes(plan, 2, 6, 8, 3, 9),
                      good.workspace_bytes);
    REFUSED(q_scale, NULL, "q_scale is NULL");
    REFUSED(q_scale, &of_k, "q_scale is [2, 3], expected [2, 6]", "batch, heads");
    REFUSED(v_scale, &wide, "v_scale is of f16, expected f32");
    REFUSED(o, &q, "o is of e4m3, expected f16");
    REFUSED(workspace_bytes, 100, "workspace has 100 bytes, expected 6144");
    cuc_attention_plan_release(plan);
    ck_ok(cuc_attention_plan_create(&plan, device,
                                    CUC_ATTENTION_OPTIONS(.dtype = CUC_F16, .width = 64)));
    a = good;
    a.q = a.k = a.v = a.o = &o;
    ck_fails(bad, cuc_attention(stream, plan, &a), "q_scale is given", "leave it NULL");
    cuc_attention_plan_release(plan);
}

// The kernel of each usual plan on Hopper is a pipeline.
static const struct {
    int32_t width, value_width, tile_q, tile_k;
    int64_t queries;
    cuc_dtype dtype;
    uint32_t flags;
} pipelines[] = {
    { 64, 64, 192, 128, 4096, CUC_BF16, 0 },
    { 128, 128, 128, 128, 4096, CUC_BF16, 0 },
    { 256, 256, 128, 64, 4096, CUC_BF16, 0 },
    { 192, 128, 128, 64, 4096, CUC_BF16, 0 },
    { 80, 80, 128, 128, 4096, CUC_BF16, 0 },
    { 64, 64, 64, 128, 50, CUC_BF16, 0 },
    { 128, 128, 128, 128, 4096, CUC_E4M3, 0 },
    { 192, 128, 128, 128, 4096, CUC_E4M3, 0 },
    { 64, 64, 192, 96, 4096, CUC_E4M3, 0 },
    { 64, 64, 192, 128, 4096, CUC_E4M3, CUC_ATTENTION_FAST_ACC },
    { 128, 128, 128, 192, 4096, CUC_E4M3, CUC_ATTENTION_FAST_ACC },
    { 256, 256, 128, 64, 4096, CUC_E4M3, CUC_ATTENTION_FAST_ACC },
};

TEST_ROWS(plans_are_pipelines_on_hopper, pipelines)
{
    cuc_attention_choice choice = CUC_ATTENTION_CHOICE_INIT;

    if (strncmp(cuc_device_arch(device), "sm_90", 5) != 0)
        SKIP("only Hopper has these pipelines");
    for (int mask = 0; mask < (pipelines[_i].dtype == CUC_E4M3 ? 8 : 16); mask++) {
        cuc_attention_plan *plan;
        ck_ok(cuc_attention_plan_create(
            &plan, device,
            CUC_ATTENTION_OPTIONS(.dtype = pipelines[_i].dtype, .width = pipelines[_i].width,
                                  .value_width = pipelines[_i].value_width,
                                  .queries = pipelines[_i].queries, .mask = mask & 1,
                                  .window_left = mask & 2 ? 500 : 0,
                                  .flags = pipelines[_i].flags |
                                           (mask & 4 ? CUC_ATTENTION_VARIABLE : 0) |
                                           (mask & 8 ? CUC_ATTENTION_KEY_LENGTHS : 0) |
                                           (_i % 3 == mask % 3 ? CUC_ATTENTION_SINKS : 0))));
        ck_ok(cuc_attention_plan_get_choice(&choice, plan));
        ck_assert_int_eq(choice.pipeline, 1);
        bool three = pipelines[_i].tile_k == 192 && !(mask & 3); // warpgroups, without a mask
        ck_assert_int_eq(choice.tile_q, three ? 192 : pipelines[_i].tile_q);
        ck_assert_int_eq(choice.tile_k, three ? 96 : pipelines[_i].tile_k);
        cuc_attention_plan_release(plan);
    }
}

// Each role divides once for a tile, but not in the loop: ptxas calls a function for a division of
// 64 bits.
TEST(steps_of_keys_divide_nothing)
{
    static const char *const kernels[] = { ".entry gradient_of_keys$tma",
                                           ".entry gradient_of_values$tma" };
    cuc_attention_plan *plan;
    const void *code;
    size_t bytes;

    if (strncmp(cuc_device_arch(device), "sm_90", 5) != 0)
        SKIP("only Hopper has these pipelines");
    ck_ok(cuc_attention_plan_create(
        &plan, device,
        CUC_ATTENTION_OPTIONS(BF, .width = 64, BACK, .mask = CAUSAL, .score = "score * 0.5")));
    ck_ok(cuc_object_get_code(&code, &bytes, plan->backward_object));
    for (int i = 0; i < CUC_LENGTH(kernels); i++) {
        const char *text = strstr(code, kernels[i]), *end;
        int count = 0;
        ck_assert_ptr_nonnull(text);
        end = strstr(text + 1, ".entry ");
        for (; (text = strstr(text, "\tdiv.")) && (!end || text < end); text++)
            count += strncmp(text + 5, "s64", 3) == 0 || strncmp(text + 5, "u64", 3) == 0;
        ck_assert_int_eq(count, 2);
    }
    cuc_attention_plan_release(plan);
}

static int count_words(const char *from, const char *end, const char *word)
{
    int count = 0;

    for (const char *at = from; (at = strstr(at, word)) && (!end || at < end); at++)
        count++;
    return count;
}

// The code has two copies of a step's work, with 64 scores for a thread. Only steps with a mask
// convert the distance of each score, and multiply each score before its maximum is taken.
TEST(steps_without_a_mask_convert_and_scale_no_score)
{
    static const struct {
        const char *score, *word;
        int most;
    } cases[] = { { "score - 0.25 * cast(row - column, f32)", "cvt.rn.f32.s32", 2 * 64 + 8 },
                  { "score * 1.5 + 0.25", "fma.rn.f32", 2 * (64 + 64) + 16 } };

    if (strncmp(cuc_device_arch(device), "sm_90", 5) != 0)
        SKIP("only Hopper has these pipelines");
    for (int i = 0; i < CUC_LENGTH(cases); i++) {
        cuc_attention_plan *plan;
        const void *code;
        size_t bytes;
        ck_ok(cuc_attention_plan_create(
            &plan, device, CUC_ATTENTION_OPTIONS(BF, .width = 64, .score = cases[i].score)));
        ck_ok(cuc_object_get_code(&code, &bytes, plan->object));
        const char *text = strstr(code, ".entry attention$tma");
        ck_assert_ptr_nonnull(text);
        ck_assert_int_le(count_words(text, strstr(text + 1, ".entry "), cases[i].word),
                         cases[i].most);
        cuc_attention_plan_release(plan);
    }
}

// Two warpgroups take turns at the products of d_q; the operands that are loaded once for each tile
// stay in registers.
TEST_RANGE(products_of_queries_alternate_and_keep_operands, 0, 2)
{
    static const struct {
        int32_t width;
        bool alternates;
    } cases[] = { { 64, false }, { 128, true } };
    cuc_attention_plan *plan;
    const void *code;
    size_t bytes;

    if (strncmp(cuc_device_arch(device), "sm_90", 5) != 0)
        SKIP("only Hopper has these pipelines");
    ck_ok(cuc_attention_plan_create(&plan, device,
                                    CUC_ATTENTION_OPTIONS(BF, .width = cases[_i].width, BACK)));
    ck_ok(cuc_object_get_code(&code, &bytes, plan->backward_object));
    const char *text = strstr(code, ".entry gradient_of_queries$tma");
    ck_assert_ptr_nonnull(text);
    const char *turn = strstr(text, "bar.arrive"), *kept = strstr(text, "ldmatrix"),
               *end = strstr(text + 1, ".entry ");
    ck_assert_int_eq(turn && turn < end, cases[_i].alternates);
    ck_assert(kept && kept < end);
    cuc_attention_plan_release(plan);
}

TEST_ROWS(gradients_are_pipelines_on_hopper, pipelines)
{
    cuc_attention_plan *plan;

    if (pipelines[_i].dtype == CUC_E4M3)
        return; // has no gradients
    if (strncmp(cuc_device_arch(device), "sm_90", 5) != 0)
        SKIP("only Hopper has these pipelines");
    for (int score = PLAIN; score < SCORES; score++) {
        const struct score *s = &scores[score];
        bool by_scores = score == BIAS || score == BY_ROW; // reads an element for each score
        ck_ok(cuc_attention_plan_create(
            &plan, device,
            CUC_ATTENTION_OPTIONS(
                BF, .width = pipelines[_i].width, .value_width = pipelines[_i].value_width,
                .mask = CAUSAL, .score = s->text, .sides = s->sides,
                .side_count = s->sides[1].name   ? 2
                              : s->sides[0].name ? 1
                                                 : 0,
                .flags = CUC_ATTENTION_BACKWARD | (_i % 2 ? CUC_ATTENTION_VARIABLE : 0))));
        ck_assert(plan->choice.pipeline || by_scores);
        ck_assert_int_eq(plan->choice.tile_q == 192,
                         pipelines[_i].width <= 64 && plan->choice.pipeline);
        for (int i = CUC__ATTENTION_D_Q; i <= CUC__ATTENTION_COLUMNS && !by_scores; i++)
            ck_assert(!plan->backward[i] ||
                      plan->backward[i]->tile->code->signature->entry[0].variant == TILE_TMA);
        bool narrow = pipelines[_i].width <= 64 && pipelines[_i].value_width <= 64 && !s->text;
        ck_assert_int_eq(strstr(plan->backward_text, "BM = 192") != NULL, narrow);
        bool apart = s->text || pipelines[_i].width + pipelines[_i].value_width > 400;
        ck_assert_int_eq(!plan->backward[CUC__ATTENTION_D_KV], apart);
        ck_assert_int_eq(!plan->backward[CUC__ATTENTION_D_K], !apart);
        ck_assert_int_eq(!plan->backward[CUC__ATTENTION_D_V], !apart);
        bool columns = score == BY_COLUMN || score == TERMS; // sums over rows
        ck_assert_int_eq(!plan->backward[CUC__ATTENTION_COLUMNS], !columns);
        ck_assert_ptr_nonnull(
            strstr(cuc_attention_plan_source(plan, 1), "kernel gradient_of_queries("));
        ck_assert_ptr_null(cuc_attention_plan_source(plan, 2));
        // Sums of rows, and of columns, begin at multiples of 256 bytes.
        uint64_t heads = _i % 2 ? 3 : 6, needed = heads * 5 * 4;
        ck_assert_uint_eq(cuc_attention_plan_workspace_bytes(plan, 2, 3, 5, 3, 9),
                          score == ALIBI || score == BY_ROW || score == BY_BATCH ? 256 + needed
                          : columns ? 512 + heads * 9 * 4
                                    : needed);
        ck_assert_uint_eq(cuc_attention_plan_workspace_bytes(plan, 2, 3, INT64_MAX, 3, 9),
                          UINT64_MAX);
        cuc_attention_plan_release(plan);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("attention");
}
