#include "llama.h"

#include <math.h>

#define LAUNCH(m, ...) CUC_MUST(CUC_LAUNCH((m)->g->stream, &(m)->launch, __VA_ARGS__))

// Create the kernel or the plan of a product, and make sure that the workspace is large enough.
static void create_product(model *m, pass *p, int which, uint64_t *workspace)
{
    const char *fused[] = { "", "ADD=true", "NORM=true GATE=true", "ADD=true", "NORM=true T=f32" };
    const char *tiles[] = { "BM=16 BN=64", "BM=64 BN=128", "BM=192 BN=128" }; // for 4-bit weights
    const matrix *w = which == HEAD ? &m->w.head : &m->w.layers[0].m[which];
    int w4 = w->w.dtype == CUC_I32, add = which == OUT || which == DOWN;

    if (p->rows == 1)
        p->product[which] = kernel_new(which == QKV ? "rows_qkv" : "rows",
                                       "K=%d D=%d H=%d KH=%d PAGE=%d %s %s", (int)w->k,
                                       (int)m->c.width, (int)m->c.heads, (int)m->c.key_heads, PAGE,
                                       w4 ? "W=i32 W4=true" : "", fused[which]);
    else if (w4)
        p->product[which] = kernel_new(
            "linear_w4", "%s %s", tiles[(p->rows > 16) + (p->rows > 512)], add ? "ADD=true" : "");
    else {
        CUC_MUST(cuc_gemm_plan_create(
            &p->plan[which], m->g->device,
            CUC_GEMM_OPTIONS(.dtype = CUC_BF16, .d_dtype = which == HEAD ? CUC_F32 : CUC_BF16,
                             .b_order = CUC_GEMM_COLUMN_MAJOR, .residual_dtype = add ? CUC_BF16 : 0,
                             .m = p->rows, .n = w->n, .k = w->k, .workspace_bytes = 64 << 20)));
        uint64_t bytes = cuc_gemm_plan_workspace_bytes(p->plan[which], p->rows, w->n, w->k);
        *workspace = bytes > *workspace ? bytes : *workspace;
    }
}

// Write host memory to a tensor; the caller may then free it.
static void upload(model *m, const cuc_tensor *to, const void *from)
{
    CUC_MUST(cuc_copy_to_device(m->g->stream, to->data, from, (size_t)cuc_tensor_bytes(to)));
    CUC_MUST(cuc_stream_synchronize(m->g->stream));
}

// Tables of the rotary embedding, f32 [capacity][width / 2].
static void create_rope_tables(model *m)
{
    const config *c = &m->c;
    int64_t half = c->width / 2, n = m->capacity * half;
    float *cosine = allocate((size_t)n * 2, sizeof(float)), *sine = cosine + n;

    for (int64_t i = 0; i < n; i++) {
        double frequency = pow(c->theta, -(double)(i % half) / (double)half);
        if (c->factor > 1) { // slow rotations become slower, with a smooth transition
            double turns = c->original * frequency / (2 * 3.14159265358979323846);
            double keep = fmin(fmax((turns - c->low) / (c->high - c->low), 0), 1);
            frequency *= keep + (1 - keep) / c->factor;
        }
        cosine[i] = (float)cos((double)(i / half) * frequency);
        sine[i] = (float)sin((double)(i / half) * frequency);
    }
    m->cosine = tensor_new(m->g, CUC_F32, CUC_SHAPE(m->capacity, half));
    m->sine = tensor_new(m->g, CUC_F32, CUC_SHAPE(m->capacity, half));
    upload(m, &m->cosine, cosine);
    upload(m, &m->sine, sine);
    free(cosine);
}

// Pages of keys and values for each layer, and a table that deals them out in turn.
static void create_cache(model *m)
{
    const config *c = &m->c;
    int64_t each = (m->capacity + PAGE - 1) / PAGE, pages = each * m->batch;
    int32_t *table = allocate((size_t)pages, sizeof(int32_t));

    m->keys = allocate((size_t)c->layers * 2, sizeof(cuc_tensor));
    m->values = m->keys + c->layers;
    for (int64_t i = 0; i < 2 * c->layers; i++) {
        m->keys[i] = tensor_new(m->g, CUC_BF16, CUC_SHAPE(pages * PAGE, c->key_heads, c->width));
        // Attention may read beyond a sequence's end, where values must be finite.
        CUC_MUST(cuc_fill(m->g->stream, m->keys[i].data, 0, 2,
                          (size_t)cuc_tensor_elements(&m->keys[i])));
    }
    for (int64_t i = 0; i < pages; i++)
        table[i] = (int32_t)(i % each * m->batch + i / each);
    m->page_table = tensor_new(m->g, CUC_I32, CUC_SHAPE(m->batch, each));
    upload(m, &m->page_table, table);
    free(table);
}

static void create_attention(model *m, pass *p, int64_t queries, uint32_t flags)
{
    const config *c = &m->c;

    CUC_MUST(cuc_attention_plan_create(
        &p->attention, m->g->device,
        CUC_ATTENTION_OPTIONS(.flags = flags, .dtype = CUC_BF16, .width = (int32_t)c->width,
                              .mask = flags ? CUC_ATTENTION_CAUSAL : CUC_ATTENTION_FULL,
                              .align = flags ? CUC_ATTENTION_BOTTOM_RIGHT : CUC_ATTENTION_TOP_LEFT,
                              .order = CUC_ATTENTION_SEQUENCE_FIRST, .batch = m->batch,
                              .heads = c->heads, .key_heads = c->key_heads, .queries = queries,
                              .keys = m->capacity, .page_size = PAGE)));
    uint64_t bytes = cuc_attention_plan_workspace_bytes(p->attention, m->batch, c->heads, queries,
                                                        c->key_heads, m->capacity);
    if (bytes)
        p->workspace = tensor_new(m->g, CUC_U8, CUC_SHAPE((int64_t)bytes));
}

// Create the arrays and plans of a pass. A pass over prompts has its own tokens and positions;
// decoding has those of the model.
static pass pass_new(model *m, int64_t rows, int64_t longest, uint64_t *workspace)
{
    const config *c = &m->c;
    pass p = { .rows = rows, .longest = longest, .token = m->token, .position = m->position };

    if (longest) {
        p.token = tensor_new(m->g, CUC_I32, CUC_SHAPE(rows));
        p.position = tensor_new(m->g, CUC_I32, CUC_SHAPE(rows));
    }
    p.sequence = tensor_new(m->g, CUC_I32, CUC_SHAPE(rows));
    p.x = tensor_new(m->g, CUC_BF16, CUC_SHAPE(rows, c->hidden));
    p.h = tensor_new(m->g, CUC_BF16, CUC_SHAPE(rows, c->hidden));
    p.rstd = tensor_new(m->g, CUC_F32, CUC_SHAPE(rows));
    p.qkv = tensor_new(m->g, CUC_BF16, CUC_SHAPE(rows, (c->heads + 2 * c->key_heads) * c->width));
    p.o = tensor_new(m->g, CUC_BF16, CUC_SHAPE(rows, c->heads * c->width));
    p.gate_up = tensor_new(m->g, CUC_BF16, CUC_SHAPE(rows, 2 * c->inner));
    p.act = tensor_new(m->g, CUC_BF16, CUC_SHAPE(rows, c->inner));
    create_attention(m, &p, longest ? longest : 1, longest ? CUC_ATTENTION_VARIABLE : 0);
    for (int i = 0; i < (longest ? MATRICES : PLANS); i++)
        create_product(m, &p, i, workspace);
    return p;
}

model model_new(gpu *g, const config *c, weights w, const prompts *p, int64_t capacity)
{
    const int64_t batch = p->count;
    uint64_t workspace = 256;
    int32_t major;
    model m = { g, *c, w, batch, capacity, CUC_LAUNCH_CONFIG_INIT, .decode = { 0 } };

    CUC_MUST(cuc_device_get_attribute(&major, g->device, CUC_DEVICE_COMPUTE_CAPABILITY_MAJOR));
    m.launch.flags = major >= 9 ? CUC_LAUNCH_PROGRAMMATIC : 0; // overlaps the kernel before
    m.rms_norm = kernel_new("rms_norm", "N=%lld", c->hidden);
    m.swiglu = kernel_new("swiglu", "T=bf16");
    m.embedding = kernel_new("embedding", "I=i32");
    m.rope = kernel_new("rope_cache", "D=%lld H=%lld KH=%lld PAGE=%d", c->width, c->heads,
                        c->key_heads, PAGE);
    m.begin = kernel_new("begin", "BB=1024");
    m.sample = kernel_new("sample", "BV=8192");
    create_rope_tables(&m);
    create_cache(&m);
    m.offsets = tensor_new(g, CUC_I32, CUC_SHAPE(batch + 1));
    m.last = tensor_new(g, CUC_I32, CUC_SHAPE(batch));
    m.token = tensor_new(g, CUC_I32, CUC_SHAPE(batch));
    m.position = tensor_new(g, CUC_I32, CUC_SHAPE(batch));
    m.length = tensor_new(g, CUC_I32, CUC_SHAPE(batch));
    m.history = tensor_new(g, CUC_I32, CUC_SHAPE(batch, capacity));
    m.logits = tensor_new(g, CUC_F32, CUC_SHAPE(batch, c->vocabulary));
    m.prefill = pass_new(&m, p->rows, p->longest, &workspace);
    m.decode = pass_new(&m, batch, 0, &workspace);
    m.workspace = tensor_new(g, CUC_U8, CUC_SHAPE((int64_t)workspace));
    return m;
}

// View the first heads of rows as [groups][group][heads][width]; rank 3: without the second axis.
static cuc_tensor heads_of(const model *m, cuc_tensor t, int64_t heads, int64_t group, int32_t rank)
{
    t.rank = rank;
    t.shape[0] /= group, t.shape[1] = group;
    t.strides[1] = t.strides[0], t.strides[0] *= group;
    t.shape[rank - 2] = heads, t.strides[rank - 2] = m->c.width;
    t.shape[rank - 1] = m->c.width, t.strides[rank - 1] = 1;
    return t;
}

// y = x w'; for GATE_UP, y = silu(gate) up; for OUT and DOWN, y += x w'. With a norm, that of x.
static void project(model *m, pass *p, const matrix *w, int which, const cuc_tensor *x,
                    const cuc_tensor *norm, const cuc_tensor *y)
{
    cuc_tensor b = w->w, gate = p->gate_up, up = gate;
    const cuc_tensor *d = which == GATE_UP ? &gate : y;
    float eps = (float)m->c.eps;

    if (p->rows == 1) {
        LAUNCH(m, p->product[which], x, &w->w, &w->scale, norm ? norm : &m->w.norm, y, eps);
        return;
    }
    if (norm)
        LAUNCH(m, m->rms_norm, x, norm, &p->h, &p->rstd, eps);
    x = norm ? &p->h : x;
    if (p->product[which])
        LAUNCH(m, p->product[which], x, &w->w, &w->scale, d);
    else {
        b.shape[0] = w->k, b.shape[1] = w->n, b.strides[0] = 1, b.strides[1] = w->k;
        CUC_MUST(cuc_gemm(m->g->stream, p->plan[which], 1, 0,
                          CUC_GEMM_ARGS(.a = x, .b = &b, .d = d,
                                        .residual = which == OUT || which == DOWN ? d : NULL,
                                        .workspace = m->workspace.data,
                                        .workspace_bytes = cuc_tensor_bytes(&m->workspace))));
    }
    if (which == GATE_UP) {
        gate.shape[1] = up.shape[1] = m->c.inner;
        up.data += 2 * (uint64_t)m->c.inner;
        LAUNCH(m, m->swiglu, &gate, &up, y);
    }
}

// Compute queries, keys and values of a layer, and attention.
static void attention(model *m, pass *p, int64_t index)
{
    const layer *l = &m->w.layers[index];
    const config *c = &m->c;
    int decode = p == &m->decode, n = decode ? 4 : 3;
    cuc_tensor q = heads_of(m, p->qkv, c->heads, 1, n), o = heads_of(m, p->o, c->heads, 1, n);
    cuc_tensor k = heads_of(m, m->keys[index], c->key_heads, PAGE, 4);
    cuc_tensor v = heads_of(m, m->values[index], c->key_heads, PAGE, 4);

    if (p->rows == 1)
        LAUNCH(m, p->product[QKV], &p->x, &l->m[QKV].w, &l->m[QKV].scale, &l->attention_norm,
               &p->qkv, (float)m->c.eps, &p->position, &p->sequence, &m->page_table, &m->cosine,
               &m->sine, &m->keys[index], &m->values[index]);
    else {
        project(m, p, &l->m[QKV], QKV, &p->x, &l->attention_norm, &p->qkv);
        LAUNCH(m, m->rope, &p->qkv, &p->position, &p->sequence, &m->page_table, &m->cosine,
               &m->sine, &m->keys[index], &m->values[index]);
    }
    CUC_MUST(
        cuc_attention(m->g->stream, p->attention,
                      CUC_ATTENTION_ARGS(.q = &q, .k = &k, .v = &v, .o = &o,
                                         .query_offsets = decode ? NULL : &m->offsets,
                                         .most_queries = p->longest, .page_table = &m->page_table,
                                         .key_lengths = &m->length, .workspace = p->workspace.data,
                                         .workspace_bytes = cuc_tensor_bytes(&p->workspace))));
}

// Run the network on the tokens of a pass, and choose the next token of each sequence.
static void run(model *m, pass *p, const sampling *s)
{
    pass *d = &m->decode;

    LAUNCH(m, m->embedding, &p->token, &m->w.embedding, &p->x);
    for (int64_t i = 0; i < m->c.layers; i++) {
        const layer *l = &m->w.layers[i];
        attention(m, p, i);
        project(m, p, &l->m[OUT], OUT, &p->o, NULL, &p->x);
        project(m, p, &l->m[GATE_UP], GATE_UP, &p->x, &l->mlp_norm, &p->act);
        project(m, p, &l->m[DOWN], DOWN, &p->act, NULL, &p->x);
    }
    if (p != d) // only the last rows of prompts have a next token
        LAUNCH(m, m->embedding, &m->last, &p->x, &d->x);
    project(m, d, &m->w.head, HEAD, &d->x, &m->w.norm, &m->logits);
    LAUNCH(m, m->sample, &m->logits, &m->token, &m->position, &m->length, &m->history,
           s->temperature, s->top_k, s->top_p, s->seed);
}

void model_prefill(model *m, const prompts *p, const sampling *s)
{
    upload(m, &m->prefill.token, p->token);
    upload(m, &m->prefill.position, p->position);
    upload(m, &m->prefill.sequence, p->sequence);
    upload(m, &m->offsets, p->offsets);
    LAUNCH(m, m->begin, &m->offsets, &m->last, &m->position, &m->length, &m->decode.sequence);
    run(m, &m->prefill, s);
}

cuc_graph_exec *model_capture(model *m, const sampling *s)
{
    CUC_SCOPED(cuc_graph, graph);
    cuc_graph_exec *exec;

    CUC_MUST(cuc_stream_begin_capture(m->g->stream, CUC_CAPTURE_THREAD_LOCAL));
    run(m, &m->decode, s);
    CUC_MUST(cuc_stream_end_capture(&graph, m->g->stream));
    CUC_MUST(cuc_graph_instantiate(&exec, graph, CUC_GRAPH_EXEC_OPTIONS(.upload = m->g->stream)));
    return exec;
}
