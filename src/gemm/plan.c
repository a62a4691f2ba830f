// Creates plans: chooses a tile and compiles the kernels.
#include "base/array.h"
#include "gemm.h"

#include <cucore/error.h>
#include <cucore/object.h>
#include <cucore/program.h>

#include "device/device.h"
#include "code/kernel_tile.h"
#include "base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Choosing

static bool by_hand(const cuc_gemm_options *o)
{
    return o->tile_m || o->tile_k || o->stages || o->cluster || o->cluster_n || o->warps ||
           o->split || o->raster || o->parts || o->stream_k || o->pack;
}

static void report_choice(cuc_gemm_plan *p, const struct cuc__gemm_problem *q, const char *by)
{
    bool x = p->kind.exchanged;
    struct tile_work work;

    cuc__gemm_work(&work, &p->kind, &q->shape, &p->tile);
    p->choice.struct_size = sizeof(p->choice);
    p->choice.tile_m = x ? p->tile.columns : p->tile.rows;
    p->choice.tile_n = x ? p->tile.rows : p->tile.columns;
    p->choice.tile_k = p->tile.depth;
    p->choice.stages = p->tile.stages;
    p->choice.cluster = x ? p->tile.cluster_n : p->tile.cluster;
    p->choice.cluster_n = x ? p->tile.cluster : p->tile.cluster_n;
    p->choice.cluster += !p->choice.cluster;
    p->choice.cluster_n += !p->choice.cluster_n;
    p->choice.warps = p->tile.warps;
    p->choice.split = p->tile.split;
    p->choice.raster = p->tile.raster;
    p->choice.parts = p->tile.parts;
    p->choice.stream_k = p->tile.stream_k;
    p->choice.pack = cuc__gemm_exchange_pack(p->tile.pack, x) & ~CUC_GEMM_PACK_NONE;
    p->choice.tiles = q->shape.rows && q->shape.columns ? work.blocks : 0;
    p->choice.d_dtype = p->kind.d;
    p->choice.by = by;
    cuc__gemm_choice_text(p->text, sizeof(p->text), &p->tile);
    p->key.record.choice = p->text;
}

// Records the properties of the compiled code. The compiler builds a pipeline if the tile allows
// one, and only pipelines use clusters and split-K.
static void report_code(cuc_gemm_plan *p)
{
    const struct cuc__gemm_code *code = &p->code[CUC__GEMM_PLAIN];
    const cuc_kernel *product =
        code->parts ? code->parts : atomic_load_explicit(&code->kernel, memory_order_relaxed);

    const struct tile_entry *fastest = &product->tile->code->signature->entry[0];

    p->choice.pipeline = fastest->variant == TILE_TMA;
    p->choice.split = fastest->split > 1 ? (int32_t)fastest->split : 1;
    if (!p->choice.pipeline || fastest->cluster <= 1)
        p->choice.cluster = p->choice.cluster_n = 1;
}

// Returns false if, by the model, a tile that is fastest for a nearby shape is clearly slower for
// this shape than the best tile, for instance because it leaves much of its last wave empty.
static bool suits(const struct cuc__gemm_problem *q, const struct cuc__gemm_kind *kind,
                  const struct cuc__gemm_tile *tile)
{
    const double trusted = 1.05; // the model's error, as a factor of the best estimate
    struct cuc__gemm_tile best;
    double least, seconds;

    return cuc__gemm_choose(&best, &least, kind, &q->shape, &q->wanted, &q->machine) &&
           cuc__gemm_choose(&best, &seconds, kind, &q->shape, tile, &q->machine) &&
           seconds <= trusted * least;
}

// Fails because no candidate tile supports the given options, although each one is valid by itself.
static cuc_status fail_none(const cuc_gemm_options *o, const char *function)
{
    const struct {
        const char *name;
        int32_t value;
    } all[] = {
        { "tile_k", o->tile_k },       { "warps", o->warps }, { "cluster", o->cluster },
        { "cluster_n", o->cluster_n }, { "split", o->split }, { "parts", o->parts },
        { "stream_k", o->stream_k },   { "pack", o->pack },
    };
    char given[128] = "";
    size_t at = 0, count = 0;

    for (size_t i = 0; i < CUC_LENGTH(all); i++)
        if (all[i].value)
            at += (size_t)snprintf(given + at, sizeof(given) - at, "%s%s of %d",
                                   count++ ? ", " : "", all[i].name, all[i].value);
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "no candidate tile supports %s: leave %s 0, or give tile_m and tile_n too",
                     given, count == 1 ? "it" : "one of them");
}

static cuc_status choose(cuc_gemm_plan *p, struct cuc__gemm_problem *q, const cuc_gemm_options *o,
                         const char *function)
{
    int recalled = 0;

    cuc__gemm_key(&p->key, &p->kind, &q->shape, p->device);
    p->tile.path = q->wanted.path;
    if (!by_hand(o) && !o->arch)
        recalled = cuc__gemm_find_tuned(&p->tile, &p->key, o->tuned, function);
    if (recalled < 0)
        return recalled;
    const struct cuc__gemm_kind packed = cuc__gemm_packed_kind(&p->kind, &p->tile);
    p->tile.path = cuc__gemm_path(&packed, &q->machine);
    if (p->tile.stream_k)
        p->tile.programs = (int32_t)q->machine.multiprocessors;
    // A choice that was measured with a workspace is useless without one.
    if (recalled && !cuc__gemm_workspace_fits(&p->kind, &q->shape, &p->tile))
        recalled = 0;
    // Choices were measured with all multiprocessors.
    if (recalled && (recalled > 1 || p->multiprocessors) && !suits(q, &p->kind, &p->tile))
        recalled = 0;
    if (recalled) {
        cuc__gemm_add_stream_k(&p->tile, &p->kind, &q->shape, &q->machine);
        q->wanted = p->tile;
    }
    if (!cuc__gemm_choose(&p->tile, &p->choice.seconds, &p->kind, &q->shape, &q->wanted,
                          &q->machine))
        return fail_none(o, function);
    p->recalled = recalled;
    report_choice(p, q, recalled ? "tuned" : o->tile_m ? "options" : "model");
    return CUC_OK;
}

// ---- Compiling

static cuc_status compile(cuc_gemm_plan *p, int variant, const char *arch, cuc_cache *cache,
                          const char *function)
{
    struct cuc__gemm_code *code = &p->code[variant];
    cuc_program *program = NULL;
    cuc_status st;

    if (!(code->text = cuc__gemm_source(&p->kind, &p->tile, variant)))
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a plan");
    st = cuc_program_create(
        &program, CUC_SOURCE_TILE, code->text, 0,
        CUC_PROGRAM_OPTIONS(.name = "gemm.tile", .arch = arch, .stages = p->tile.stages,
                            .cluster = cuc__gemm_cluster(&p->tile), .warps = p->tile.warps,
                            .split = p->tile.split, .raster = p->tile.raster, .cache = cache));
    // Compile to PTX: the driver assembles the program as a whole, and can therefore reassign
    // registers between warp roles.
    if (st >= 0)
        st = cuc_program_compile(&code->object, program, CUC_CODE_PTX);
    cuc_program_release(program);
    return cuc__pass(st, function);
}

static void drop_code(cuc_gemm_plan *p)
{
    for (int i = 0; i < CUC__GEMM_VARIANTS; i++) {
        cuc_kernel_release(p->code[i].operand_sums);
        cuc_kernel_release(p->code[i].gradient);
        cuc_kernel_release(p->code[i].pack);
        cuc_kernel_release(p->code[i].parts);
        cuc_kernel_release(p->code[i].kernel);
        cuc_object_release(p->code[i].object);
        free(p->code[i].text);
        p->code[i] = (struct cuc__gemm_code){ .text = NULL };
    }
}

// Chooses a tile and compiles its programs.
static cuc_status make(cuc_gemm_plan *p, struct cuc__gemm_problem *q, const cuc_gemm_options *o,
                       const char *function)
{
    cuc_status st = choose(p, q, o, function);

    for (int i = 0; i < CUC__GEMM_VARIANTS && st >= 0; i++)
        if (i != CUC__GEMM_ADDED || p->kind.c)
            st = compile(p, i, q->arch, o->cache, function);
    return st;
}

cuc_status cuc__gemm_load(cuc_gemm_plan *p, int variant, const char *function)
{
    struct cuc__gemm_code *code = &p->code[variant];
    cuc_kernel *kernel = NULL;
    cuc_status st = CUC_OK;

    pthread_mutex_lock(&p->lock);
    if (!atomic_load_explicit(&code->kernel, memory_order_relaxed)) {
        if (p->tile.parts > 1 && !code->parts)
            st = cuc_object_get_kernel(&code->parts, code->object, "gemm_parts");
        if (st >= 0 && p->choice.pack && !code->pack)
            st = cuc_object_get_kernel(&code->pack, code->object, "gemm_pack");
        if (st >= 0 && p->kind.gradient && !code->gradient)
            st = cuc_object_get_kernel(&code->gradient, code->object, "gemm_gradient");
        if (st >= 0 && cuc__gemm_sums_operand(&p->kind) && !code->operand_sums)
            st = cuc_object_get_kernel(&code->operand_sums, code->object, "gemm_operand_sums");
        if (st >= 0)
            st = cuc_object_get_kernel(&kernel, code->object, "gemm");
        if (code->parts)
            code->parts->tile->multiprocessors = p->multiprocessors;
        if (st >= 0)
            kernel->tile->multiprocessors = p->multiprocessors;
        if (st >= 0)
            atomic_store_explicit(&code->kernel, kernel, memory_order_release);
    }
    pthread_mutex_unlock(&p->lock);
    return cuc__pass(st, function);
}

cuc_status cuc_gemm_plan_create(cuc_gemm_plan **out, cuc_device *device,
                                const cuc_gemm_options *options)
{
    cuc_gemm_options o;
    struct cuc__gemm_problem q;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(options);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_gemm_options)) < 0 ||
        (st = cuc__gemm_read_options(&q, &o, device, __func__)) < 0)
        return st;
    cuc_gemm_plan *p = calloc(1, sizeof(*p));
    if (!p)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    cuc__handle_init(p, CUC__HANDLE_GEMM_PLAN);
    p->device = device;
    p->kind = q.kind;
    p->multiprocessors = (uint32_t)o.sm_count;
    p->plain_launch = o.flags & CUC_GEMM_PLAIN_LAUNCH;
    pthread_mutex_init(&p->lock, NULL);
    struct cuc__gemm_problem asked = q;
    st = make(p, &q, &o, __func__);
    if (st == CUC_ERROR_COMPILE && p->recalled) { // the record comes from a file and may be wrong
        drop_code(p);
        o.tuned = "";
        st = make(p, &asked, &o, __func__);
    }
    if (st < 0)
        goto fail;
    // Load the code of the common variants now. A call without c and with an alpha other than 1 is
    // rare, so its code is loaded on first use.
    if ((st = cuc__gemm_load(p, CUC__GEMM_PLAIN, __func__)) < 0 ||
        (p->kind.c && (st = cuc__gemm_load(p, CUC__GEMM_ADDED, __func__)) < 0))
        goto fail;
    report_code(p);
    *out = p;
    return CUC_OK;

fail:
    cuc_gemm_plan_release(p);
    return st;
}

cuc_gemm_plan *cuc_gemm_plan_retain(cuc_gemm_plan *plan)
{
    return cuc__handle_retain(plan);
}

void cuc_gemm_plan_release(cuc_gemm_plan *plan)
{
    if (!cuc__handle_drop(plan, CUC__HANDLE_GEMM_PLAN))
        return;
    drop_code(plan);
    pthread_mutex_destroy(&plan->lock);
    cuc__handle_free(plan);
}

// ---- Inspection

cuc_status cuc_gemm_plan_get_choice(cuc_gemm_choice *out, const cuc_gemm_plan *plan)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(plan, GEMM_PLAN);
    return CUC_WRITE_STRUCT(out, &plan->choice, cuc_gemm_choice);
}

cuc_status cuc_gemm_plan_get_record(cuc_tuned_record *out, const cuc_gemm_plan *plan)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(plan, GEMM_PLAN);
    return CUC_WRITE_STRUCT(out, &plan->key.record, cuc_tuned_record);
}

uint64_t cuc_gemm_plan_workspace_bytes(const cuc_gemm_plan *plan, int64_t m, int64_t n, int64_t k)
{
    struct cuc__gemm_workspace layout = { .bytes = 0 };
    struct cuc__gemm_gradient gradient;
    uint64_t bytes;

    if (!plan || m < 0 || n < 0 || k < 0)
        return 0;
    bool x = plan->kind.exchanged;
    int64_t rows = x ? n : m, columns = x ? m : n;
    return (!m || !n || // an empty result
            cuc__gemm_lay_out_workspace(&layout, &plan->kind, &plan->tile, rows, columns, k)) &&
                   cuc__gemm_lay_out_gradient(&gradient, &plan->kind, &plan->tile, rows, columns,
                                              k) &&
                   !__builtin_add_overflow(layout.bytes, gradient.bytes, &bytes)
               ? bytes
               : UINT64_MAX; // more than any workspace
}

const char *cuc_gemm_plan_source(const cuc_gemm_plan *plan, size_t index)
{
    return plan && index < CUC__GEMM_VARIANTS ? plan->code[index].text : NULL;
}

// ---- For tuners

struct visitor {
    cuc_tuned_visit visit;
    void *user;
};

static void visit_tile(void *data, const struct cuc__gemm_tile *tile, double seconds)
{
    const struct visitor *v = data;
    char text[CUC__TUNED_CHOICE];

    cuc__gemm_choice_text(text, sizeof(text), tile);
    v->visit(v->user, text, seconds);
}

cuc_status cuc_gemm_visit_candidates(cuc_device *device, const cuc_gemm_options *options,
                                     cuc_tuned_visit visit, void *user)
{
    struct visitor v = { visit, user };
    cuc_gemm_options o;
    struct cuc__gemm_problem q;
    cuc_status st;

    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(options);
    CUC_CHECK_NOT_NULL(visit);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_gemm_options)) < 0 ||
        (st = cuc__gemm_read_options(&q, &o, device, __func__)) < 0)
        return st;
    cuc__gemm_visit(&q.kind, &q.shape, &q.wanted, &q.machine, visit_tile, &v);
    return CUC_OK;
}

cuc_status cuc_gemm_options_set_choice(cuc_gemm_options *options, const char *choice)
{
    struct cuc__gemm_tile t = { .rows = 0 };

    CUC_CHECK_NOT_NULL(options);
    CUC_CHECK_NOT_NULL(choice);
    cuc_status st = cuc__check_size(options, sizeof(*options), sizeof(*options), "options->",
                                    "cuc_gemm_options", __func__);
    if (st < 0)
        return st;
    if (!cuc__gemm_read_choice(&t, choice))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "choice is \"%s\", expected such as \"BM=128 BN=256 BK=64 :cluster=2\"",
                        choice);
    bool x = options->d_order == CUC_GEMM_COLUMN_MAJOR;
    options->tile_m = x ? t.columns : t.rows;
    options->tile_n = x ? t.rows : t.columns;
    options->tile_k = t.depth;
    options->stages = t.stages;
    options->cluster = x ? t.cluster_n : t.cluster;
    options->cluster_n = x ? t.cluster : t.cluster_n;
    options->warps = t.warps;
    options->split = t.split;
    options->raster = t.raster;
    options->parts = t.parts;
    options->stream_k = t.stream_k;
    options->pack = cuc__gemm_exchange_pack(t.pack, x);
    return CUC_OK;
}
