#include "llama.h"

#include <llama_kernels.h>
#include <stdarg.h>
#include <string.h>

cuc_tensor tensor_new(gpu *g, cuc_dtype dtype, int32_t rank, const int64_t *shape)
{
    cuc_tensor t;

    if (!(g->buffers = realloc(g->buffers, (g->count + 1) * sizeof(*g->buffers))))
        fail("no memory for %zu buffers", g->count + 1);
    CUC_MUST(cuc_tensor_from_pointer(&t, 256, dtype, rank, shape, 0)); // for its size
    CUC_MUST(
        cuc_buffer_create(&g->buffers[g->count], g->stream, NULL, (size_t)cuc_tensor_bytes(&t)));
    CUC_MUST(cuc_tensor_from_buffer(&t, g->buffers[g->count++], dtype, rank, shape));
    return t;
}

cuc_kernel *kernel_new(const char *name, const char *format, ...)
{
    char text[192], *end = NULL;
    const char *set[12], *source = strstr(name, "_w4")      ? four_bit_tile
                                   : strstr(name, "sample") ? sample_tile
                                                            : rows_tile;
    size_t count = 0;
    cuc_kernel *kernel;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (char *word = text; count < 12 && (word = strtok_r(word, " ", &end)); word = NULL)
        set[count++] = word;
    cuc_library_get_source(&source, name); // or else it is in one of the program's files
    CUC_MUST(cuc_kernel_from_source(
        &kernel, CUC_SOURCE_TILE, source, 0, name,
        CUC_PROGRAM_OPTIONS(.name = name, .constants = set, .constant_count = count)));
    return kernel;
}

typedef struct loader {
    gpu *g;
    const checkpoint *from;
    int four_bit, progress;
    cuc_tensor stage;     // bf16: the matrix that is quantized next
    cuc_kernel *quantize; // only with four_bit
    uint64_t done, total; // bytes
    int shown;            // percents
} loader;

static void show(loader *l, uint64_t bytes)
{
    int percent = (int)((l->done += bytes) * 100 / (l->total ? l->total : 1));

    if (!l->progress || percent == l->shown)
        return;
    l->shown = percent;
    fprintf(stderr, "\rloading [%-40.*s] %3d%% of %.1f GB", percent * 2 / 5,
            "########################################", percent, (double)l->total / 1e9);
}

// Copy a weight of a layer, or of none, behind the first `at` rows of a bf16 array.
static void load_rows(loader *l, const cuc_tensor *to, int64_t at, int64_t index, const char *name,
                      int64_t rows, int64_t columns)
{
    char text[128];
    size_t bytes = 2 * (size_t)(rows * columns);

    if (index >= 0)
        snprintf(text, sizeof(text), "model.layers.%lld.%s.weight", (long long)index, name);
    const void *from = checkpoint_find(l->from, index < 0 ? name : text, rows, columns);
    CUC_MUST(
        cuc_copy_to_device(l->g->stream, to->data + 2 * (uint64_t)(at * columns), from, bytes));
    show(l, bytes);
}

static cuc_tensor load_array(loader *l, int64_t index, const char *name, int64_t rows,
                             int64_t columns)
{
    cuc_tensor t = tensor_new(l->g, CUC_BF16, columns > 1 ? 2 : 1, (int64_t[]){ rows, columns });

    load_rows(l, &t, 0, index, name, rows, columns);
    return t;
}

// Load matrices of a layer, one under the other.
static matrix load_matrix(loader *l, int64_t index, int64_t k, int count, const char *const *names,
                          const int64_t *rows)
{
    matrix m = { .k = k };
    cuc_tensor to = l->stage;

    for (int i = 0; i < count; i++)
        m.n += rows[i];
    if (l->four_bit)
        CUC_MUST(cuc_tensor_from_pointer(&to, to.data, to.dtype, CUC_SHAPE(m.n, k), to.device));
    else
        to = tensor_new(l->g, CUC_BF16, CUC_SHAPE(m.n, k));
    for (int64_t i = 0, at = 0; i < count; at += rows[i++])
        load_rows(l, &to, at, index, names[i], rows[i], k);
    if (l->four_bit) {
        m.w = tensor_new(l->g, CUC_I32, CUC_SHAPE(m.n, k / 8));
        m.scale = tensor_new(l->g, CUC_BF16, CUC_SHAPE(m.n, k / GROUP));
        CUC_MUST(CUC_LAUNCH(l->g->stream, NULL, l->quantize, &to, &m.w, &m.scale));
    } else
        m.w = m.scale = to;
    return m;
}

static layer load_layer(loader *l, int64_t index, const config *c)
{
    static const char *const names[] = { "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
                                         "self_attn.o_proj", "mlp.gate_proj",    "mlp.up_proj",
                                         "mlp.down_proj" };
    const int64_t queries = c->heads * c->width, keys = c->key_heads * c->width;
    const int64_t rows[] = { queries, keys, keys, c->hidden, c->inner, c->inner, c->hidden };
    layer y;

    y.attention_norm = load_array(l, index, "input_layernorm", c->hidden, 1);
    y.mlp_norm = load_array(l, index, "post_attention_layernorm", c->hidden, 1);
    y.m[QKV] = load_matrix(l, index, c->hidden, 3, names, rows);
    y.m[OUT] = load_matrix(l, index, queries, 1, names + 3, rows + 3);
    y.m[GATE_UP] = load_matrix(l, index, c->hidden, 2, names + 4, rows + 4);
    y.m[DOWN] = load_matrix(l, index, c->inner, 1, names + 6, rows + 6);
    return y;
}

static void prepare_four_bit(loader *l, const config *c)
{
    int64_t queries = c->heads * c->width, most = c->hidden * (queries + 2 * c->inner);

    if (c->hidden % GROUP || queries % GROUP || c->inner % GROUP)
        fail("4-bit weights need rows of a multiple of %d, got %lld, %lld and %lld", GROUP,
             c->hidden, (long long)queries, c->inner);
    most += 2 * c->hidden * c->key_heads * c->width;
    l->stage = tensor_new(l->g, CUC_BF16, CUC_SHAPE(most));
    l->quantize = kernel_new("quantize_w4", "BN=32");
}

weights weights_load(gpu *g, const config *c, const checkpoint *from, int four_bit, int progress)
{
    loader l = { g, from, four_bit, progress, .total = from->bytes, .shown = -1 };
    weights w = { .layers = allocate((size_t)c->layers, sizeof(layer)) };

    if (four_bit)
        prepare_four_bit(&l, c);
    w.embedding = load_array(&l, -1, "model.embed_tokens.weight", c->vocabulary, c->hidden);
    for (int64_t i = 0; i < c->layers; i++) {
        w.layers[i] = load_layer(&l, i, c);
        for (int m = 0; m < MATRICES; m++)
            w.step_bytes += cuc_tensor_bytes(&w.layers[i].m[m].w) +
                            (four_bit ? cuc_tensor_bytes(&w.layers[i].m[m].scale) : 0);
    }
    w.norm = load_array(&l, -1, "model.norm.weight", c->hidden, 1);
    w.head = (matrix){ c->vocabulary, c->hidden, w.embedding, w.embedding };
    if (!c->tied)
        w.head.w = load_array(&l, -1, "lm_head.weight", c->vocabulary, c->hidden);
    w.step_bytes += cuc_tensor_bytes(&w.head.w);
    if (progress)
        fputc('\n', stderr);
    cuc_kernel_release(l.quantize);
    return w;
}
