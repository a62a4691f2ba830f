// Creates plans: chooses a tile, and compiles and loads the kernel.
#include "attention.h"

#include <cucore/error.h>
#include <cucore/object.h>
#include <cucore/program.h>

#include "base/options.h"
#include "code/kernel_tile.h"
#include "device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_pipeline(const cuc_attention_plan *p)
{
    return p->kernel->tile->code->signature->entry[0].variant == TILE_TMA;
}

static void report_choice(cuc_attention_plan *p, const struct cuc__attention_problem *q)
{
    const struct cuc__attention_shape *s = &q->shape;

    p->choice.struct_size = sizeof(p->choice);
    p->choice.tile_q = p->tile.queries;
    p->choice.tile_k = p->tile.keys;
    p->choice.stages = p->tile.stages;
    p->choice.warps = p->tile.warps;
    p->choice.parts = p->tile.parts;
    p->choice.pipeline = is_pipeline(p);
    double tiles = (double)s->batch * (double)s->heads * p->tile.parts / p->tile.heads *
                   ceil((double)s->queries / p->tile.queries);
    p->choice.tiles = tiles < (double)INT64_MAX ? (int64_t)ceil(tiles) : INT64_MAX;
    p->choice.by = q->wanted.queries && q->wanted.keys ? "options" : "rules";
}

// Compiles to PTX: the driver assembles the program as a whole, and can therefore reassign
// registers between warp roles. Takes over the text.
static cuc_status compile(cuc_object **out, char **kept, char *text, const cuc_program_options *o)
{
    cuc_program *program = NULL;
    cuc_status st;

    if (!(*kept = text))
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    st = cuc_program_create(&program, CUC_SOURCE_TILE, text, 0, o);
    if (st >= 0)
        st = cuc_program_compile(out, program, CUC_CODE_PTX);
    cuc_program_release(program);
    return st;
}

static cuc_status make_forward(cuc_attention_plan *p, const struct cuc__attention_problem *q,
                               cuc_cache *cache)
{
    bool parts = p->tile.parts > 1;
    cuc_status st = compile(&p->object, &p->text, cuc__attention_source(q, &p->tile),
                            CUC_PROGRAM_OPTIONS(.name = "attention.tile", .arch = q->arch,
                                                .stages = p->tile.stages, .warps = p->tile.warps,
                                                .cache = cache));

    if (st >= 0)
        st = cuc_object_get_kernel(&p->kernel, p->object, parts ? "attention_parts" : "attention");
    if (st >= 0 && parts)
        st = cuc_object_get_kernel(&p->join, p->object, "attention");
    if (st >= 0 && q->kind.cached)
        st = cuc_object_get_kernel(&p->append, p->object, "append");
    if (st >= 0 && q->kind.packs)
        st = cuc_object_get_kernel(&p->pack, p->object, "pack_values");
    return st;
}

static void drop_forward(cuc_attention_plan *p)
{
    cuc_kernel_release(p->append);
    cuc_kernel_release(p->pack);
    cuc_kernel_release(p->join);
    cuc_kernel_release(p->kernel);
    cuc_object_release(p->object);
    free(p->text);
    p->append = p->pack = p->join = p->kernel = NULL;
    p->object = NULL;
    p->text = NULL;
}

static cuc_status make_backward(cuc_attention_plan *p, const struct cuc__attention_problem *q,
                                cuc_cache *cache)
{
    static const char *const names[] = {
        [CUC__ATTENTION_SUMS] = "sums_of_rows",
        [CUC__ATTENTION_D_Q] = "gradient_of_queries",
        [CUC__ATTENTION_D_KV] = "gradients_of_keys_and_values",
        [CUC__ATTENTION_D_K] = "gradient_of_keys",
        [CUC__ATTENTION_D_V] = "gradient_of_values",
        [CUC__ATTENTION_COLUMNS] = "sums_of_columns",
        [CUC__ATTENTION_D_SINKS] = "gradient_of_sinks",
    };
    const struct cuc__attention_kind *k = &q->kind;
    char name[32];
    cuc_status st = compile(
        &p->backward_object, &p->backward_text, cuc__attention_backward_source(q),
        CUC_PROGRAM_OPTIONS(.name = "attention_backward.tile", .arch = q->arch, .cache = cache));

    for (int i = 0; i < CUC__ATTENTION_D_SIDE && st >= 0; i++)
        if (cuc__attention_backward_has(q, i))
            st = cuc_object_get_kernel(&p->backward[i], p->backward_object, names[i]);
    for (uint32_t i = 0; i < k->side_count && st >= 0; i++) {
        if (!k->sides[i].trains)
            continue;
        snprintf(name, sizeof(name), "gradient_of_side_%u", i);
        st = cuc_object_get_kernel(&p->backward[CUC__ATTENTION_D_SIDE + i], p->backward_object,
                                   name);
    }
    return st;
}

cuc_status cuc_attention_plan_create(cuc_attention_plan **out, cuc_device *device,
                                     const cuc_attention_options *options)
{
    cuc_attention_options o;
    struct cuc__attention_problem q;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(options);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_attention_options)) < 0 ||
        (st = cuc__attention_read_options(&q, &o, device, __func__)) < 0)
        return st;
    cuc_attention_plan *p = calloc(1, sizeof(*p));
    if (!p)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    cuc__handle_init(p, CUC__HANDLE_ATTENTION_PLAN);
    p->device = device;
    p->kind = q.kind;
    p->plain_launch = o.flags & CUC_ATTENTION_PLAIN_LAUNCH;
    cuc__attention_choose(&p->tile, &q);
    st = make_forward(p, &q, o.cache);
    if (st >= 0 && q.pipelined && !is_pipeline(p)) {
        const struct cuc__attention_tile before = p->tile;
        q.slow = true;
        cuc__attention_choose(&p->tile, &q);
        if (p->tile.queries != before.queries) {
            drop_forward(p);
            st = make_forward(p, &q, o.cache);
        }
    }
    if (st < 0 || (q.kind.backward && (st = make_backward(p, &q, o.cache)) < 0)) {
        cuc_attention_plan_release(p);
        return CUC_PASS(st);
    }
    report_choice(p, &q);
    *out = p;
    return CUC_OK;
}

cuc_attention_plan *cuc_attention_plan_retain(cuc_attention_plan *plan)
{
    return cuc__handle_retain(plan);
}

void cuc_attention_plan_release(cuc_attention_plan *plan)
{
    if (!cuc__handle_drop(plan, CUC__HANDLE_ATTENTION_PLAN))
        return;
    for (int i = 0; i < CUC__ATTENTION_STEPS; i++)
        cuc_kernel_release(plan->backward[i]);
    cuc_object_release(plan->backward_object);
    free(plan->backward_text);
    drop_forward(plan);
    cuc__handle_free(plan);
}

// ---- Inspection

cuc_status cuc_attention_plan_get_choice(cuc_attention_choice *out, const cuc_attention_plan *plan)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(plan, ATTENTION_PLAN);
    return CUC_WRITE_STRUCT(out, &plan->choice, cuc_attention_choice);
}

// Returns a product, or UINT64_MAX, which is more than any workspace has.
static uint64_t bytes_of(int64_t batch, int64_t heads, int64_t rows, uint64_t each)
{
    uint64_t bytes;

    if (batch <= 0 || heads <= 0 || rows <= 0)
        return 0;
    if (__builtin_mul_overflow((uint64_t)batch, (uint64_t)heads, &bytes) ||
        __builtin_mul_overflow(bytes, (uint64_t)rows, &bytes) ||
        __builtin_mul_overflow(bytes, each, &bytes))
        return UINT64_MAX;
    return bytes;
}

// Returns the size of a workspace that has more bytes at its end, aligned.
static uint64_t behind(uint64_t bytes, uint64_t more)
{
    return bytes > UINT64_MAX - CUC__ATTENTION_WORKSPACE_ALIGN ||
                   __builtin_add_overflow(cuc__attention_aligned(bytes), more, &bytes)
               ? UINT64_MAX
               : bytes;
}

uint64_t cuc_attention_plan_workspace_bytes(const cuc_attention_plan *plan, int64_t batch,
                                            int64_t heads, int64_t queries, int64_t key_heads,
                                            int64_t keys)
{
    const struct cuc__attention_kind *k = plan ? &plan->kind : NULL;
    uint64_t floats = 0; // for each query of each head

    // A plan needs at most one of the three.
    if (k && k->packs)
        return keys > INT32_MAX ? UINT64_MAX
                                : bytes_of(k->variable ? 1 : batch, key_heads,
                                           keys > 0 ? cuc__attention_columns(k, batch, keys) : 0,
                                           (uint64_t)k->value_width);
    if (k && plan->tile.parts > 1)
        floats = (uint64_t)plan->tile.parts * (uint64_t)(k->value_width + 1);
    if (k && k->backward)
        floats = 1;
    uint64_t bytes = bytes_of(k && k->variable ? 1 : batch, heads, queries, floats * sizeof(float));
    for (uint32_t i = 0; k && i < k->side_count; i++) {
        enum cuc__attention_summands summands = cuc__attention_summands(&k->sides[i]);
        int64_t length = summands == CUC__ATTENTION_OF_COLUMNS ? keys : queries;
        if (summands == CUC__ATTENTION_OF_ROWS || summands == CUC__ATTENTION_OF_COLUMNS)
            bytes = behind(bytes, bytes_of(k->variable ? 1 : batch, heads, length, sizeof(float)));
    }
    return bytes;
}

const char *cuc_attention_plan_source(const cuc_attention_plan *plan, size_t index)
{
    return !plan || index > 1 ? NULL : index ? plan->backward_text : plan->text;
}
