// Making plans: options looked at, a tile chosen, the kernels compiled.
#include "gemm.h"

#include <cucore/error.h>
#include <cucore/object.h>
#include <cucore/program.h>

#include "device.h"
#include "options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TILE = 256, MOST_DEPTH = 1024, MOST_SPLIT = 8, MOST_PARTS = 64, TEXT_BYTES = 256 };

void cuc_gemm_options_init(cuc_gemm_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

void cuc_gemm_args_init(cuc_gemm_args *args, size_t caller_size)
{
    cuc__init_options(args, caller_size);
}

// ---- What a field may be

static cuc_status check_fields(const cuc_gemm_options *o, const char *function)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } rows[] = {
        { "form", o->form, CUC_GEMM_SINGLE, CUC_GEMM_GROUPED },
        { "flags", o->flags, 0, (CUC_GEMM_SCALED_COLUMNS << 1) - 1 },
        { "precision", o->precision, CUC_GEMM_IEEE, CUC_GEMM_TF32X3 },
        { "a_order", o->a_order, CUC_GEMM_ROW_MAJOR, CUC_GEMM_COLUMN_MAJOR },
        { "b_order", o->b_order, CUC_GEMM_ROW_MAJOR, CUC_GEMM_COLUMN_MAJOR },
        { "d_order", o->d_order, CUC_GEMM_ROW_MAJOR, CUC_GEMM_COLUMN_MAJOR },
        { "activation", o->activation, CUC_GEMM_LINEAR, CUC_GEMM_SILU },
        { "bias", o->bias, CUC_GEMM_NO_BIAS, CUC_GEMM_BIAS_ROWS },
        { "m", o->m, 0, INT64_MAX >> 16 },
        { "n", o->n, 0, INT64_MAX >> 16 },
        { "k", o->k, 0, INT64_MAX >> 16 },
        { "batch", o->batch, 0, INT32_MAX },
        { "tile_m", o->tile_m, 0, MOST_TILE },
        { "tile_n", o->tile_n, 0, MOST_TILE },
        { "tile_k", o->tile_k, 0, MOST_DEPTH },
        { "split", o->split, 0, MOST_SPLIT },
        { "parts", o->parts, 0, MOST_PARTS },
        { "reserved", o->reserved, 0, 0 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].value < rows[i].least || rows[i].value > rows[i].most)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s is %lld, expected %lld to %lld", rows[i].name,
                             (long long)rows[i].value, (long long)rows[i].least,
                             (long long)rows[i].most);
    return CUC_OK;
}

// ---- Element types

struct type {
    cuc_dtype dtype, accumulator, d; // of a and b; of sums; of d unless another is asked for
    cuc_dtype results[4];            // that d may be of, besides its own
};

static const struct type types[] = {
    { CUC_F16, CUC_F32, CUC_F16, { CUC_F32, CUC_BF16 } },
    { CUC_BF16, CUC_F32, CUC_BF16, { CUC_F32, CUC_F16 } },
    { CUC_F32, CUC_F32, CUC_F32, { CUC_F16, CUC_BF16 } },
    { CUC_TF32, CUC_F32, CUC_F32, { CUC_F16, CUC_BF16 } },
    { CUC_F64, CUC_F64, CUC_F64, { CUC_F32 } },
    { CUC_E4M3, CUC_F32, CUC_BF16, { CUC_F16, CUC_F32, CUC_E4M3, CUC_E5M2 } },
    { CUC_E5M2, CUC_F32, CUC_BF16, { CUC_F16, CUC_F32, CUC_E4M3, CUC_E5M2 } },
    { CUC_I8, CUC_I32, CUC_I32, { CUC_I8, CUC_F32, CUC_F16, CUC_BF16 } },
    { CUC_U8, CUC_I32, CUC_I32, { CUC_U8, CUC_F32, CUC_F16, CUC_BF16 } },
};

static cuc_status fail_dtype(const char *name, cuc_dtype dtype, const struct type *of,
                             const char *function)
{
    char list[TEXT_BYTES];
    size_t at = 0;

    for (size_t i = 0; !of && i < sizeof(types) / sizeof(types[0]); i++)
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "",
                               cuc_dtype_name(types[i].dtype));
    if (of)
        at = (size_t)snprintf(list, sizeof(list), "%s", cuc_dtype_name(of->d));
    for (size_t i = 0; of && i < sizeof(of->results) / sizeof(of->results[0]); i++)
        if (of->results[i])
            at += (size_t)snprintf(list + at, sizeof(list) - at, ", %s",
                                   cuc_dtype_name(of->results[i]));
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is %s, expected one of %s%s%s", name,
                     cuc_dtype_name(dtype), list, of ? ", as a and b are of " : "",
                     of ? cuc_dtype_name(of->dtype) : "");
}

static bool is_result(const struct type *type, cuc_dtype dtype)
{
    for (size_t i = 0; i < sizeof(type->results) / sizeof(type->results[0]); i++)
        if (type->results[i] == dtype && dtype)
            return true;
    return type->d == dtype;
}

static cuc_status read_types(struct cuc__gemm_kind *k, const cuc_gemm_options *o,
                             const char *function)
{
    const struct type *type = NULL;

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].dtype == o->dtype)
            type = &types[i];
    if (!type)
        return fail_dtype("dtype", o->dtype, NULL, function);
    k->dtype = type->dtype;
    k->accumulator = type->accumulator;
    if (o->accumulator && o->accumulator != type->accumulator)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "accumulator is %s, expected %s, as a and b are of %s",
                         cuc_dtype_name(o->accumulator), cuc_dtype_name(type->accumulator),
                         cuc_dtype_name(k->dtype));
    k->d = o->d_dtype ? o->d_dtype : type->d;
    k->c = o->c_dtype;
    k->bias = o->bias ? o->bias_dtype ? o->bias_dtype : k->d : 0;
    k->residual = o->residual_dtype;
    k->compute = k->d == CUC_I32 ? CUC_I32 : k->accumulator == CUC_F64 ? CUC_F64 : CUC_F32;
    if (!is_result(type, k->d))
        return fail_dtype("d_dtype", k->d, type, function);
    const struct {
        const char *name;
        cuc_dtype dtype;
    } others[] = { { "c_dtype", k->c },
                   { "bias_dtype", k->bias },
                   { "residual_dtype", k->residual } };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!others[i].dtype)
            continue;
        if (k->compute == CUC_I32 ? others[i].dtype != CUC_I32 : !is_result(type, others[i].dtype))
            return k->compute == CUC_I32
                       ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                   "%s is %s, expected i32, as d is of i32", others[i].name,
                                   cuc_dtype_name(others[i].dtype))
                       : fail_dtype(others[i].name, others[i].dtype, type, function);
    }
    return CUC_OK;
}

// ---- What does not go together

static cuc_status check_together(const cuc_gemm_options *o, const struct cuc__gemm_kind *k,
                                 const char *function)
{
    const bool eight = k->dtype == CUC_E4M3 || k->dtype == CUC_E5M2;
    const bool batched = o->form == CUC_GEMM_BATCHED, grouped = o->form == CUC_GEMM_GROUPED;
    const uint32_t shared = CUC_GEMM_SHARED_A | CUC_GEMM_SHARED_B;
    const struct {
        bool wrong;
        const char *what;
    } rows[] = {
        { o->flags & shared && !batched,
          "CUC_GEMM_SHARED_A and _SHARED_B are for the form CUC_GEMM_BATCHED" },
        { o->flags & CUC_GEMM_FAST_ACC && !eight,
          "CUC_GEMM_FAST_ACC is for e4m3 and e5m2: leave it" },
        { o->precision && k->dtype != CUC_F32, "precision is for a dtype of f32: leave it 0" },
        { o->bias_dtype && !o->bias, "bias_dtype is given, and bias is CUC_GEMM_NO_BIAS" },
        { o->activation > CUC_GEMM_RELU && k->compute == CUC_I32,
          "a d of i32 takes CUC_GEMM_LINEAR and CUC_GEMM_RELU: ask for a d_dtype of f32" },
        { o->flags & (CUC_GEMM_SCALED_ROWS | CUC_GEMM_SCALED_COLUMNS) && k->compute != CUC_F32,
          "scales are of f32, and d of i32 or f64: ask for another d_dtype" },
        { grouped && (o->a_order || o->d_order),
          "a_order and d_order of grouped products are CUC_GEMM_ROW_MAJOR" },
        { grouped && o->bias == CUC_GEMM_BIAS_ROWS,
          "bias of grouped products is CUC_GEMM_BIAS_COLUMNS, [groups, n]" },
        { o->parts > 1 && o->form, "parts is for the form CUC_GEMM_SINGLE: leave it 0" },
        { !o->tile_m != !o->tile_n, "tile_m and tile_n are given together, or not at all" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].wrong)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s", rows[i].what);
    return CUC_OK;
}

static void read_kind(struct cuc__gemm_kind *k, const cuc_gemm_options *o)
{
    bool a = o->a_order == CUC_GEMM_COLUMN_MAJOR, b = o->b_order == CUC_GEMM_COLUMN_MAJOR;
    bool x = o->d_order == CUC_GEMM_COLUMN_MAJOR;

    k->form = o->form;
    k->exchanged = x;
    k->turned_a = x ? !b : a;
    k->turned_b = x ? !a : b;
    k->shared_a = o->flags & (x ? CUC_GEMM_SHARED_B : CUC_GEMM_SHARED_A);
    k->shared_b = o->flags & (x ? CUC_GEMM_SHARED_A : CUC_GEMM_SHARED_B);
    k->scaled_rows = o->flags & (x ? CUC_GEMM_SCALED_COLUMNS : CUC_GEMM_SCALED_ROWS);
    k->scaled_columns = o->flags & (x ? CUC_GEMM_SCALED_ROWS : CUC_GEMM_SCALED_COLUMNS);
    k->fast_acc = o->flags & CUC_GEMM_FAST_ACC;
    k->bias_of_rows = o->bias == (x ? CUC_GEMM_BIAS_COLUMNS : CUC_GEMM_BIAS_ROWS);
    k->activation = o->activation;
    k->precision = o->precision;
}

// ---- Choosing

static cuc_status read_machine(struct tile_machine *machine, char arch[16],
                               const cuc_gemm_options *o, const cuc_device *device,
                               const char *function)
{
    int sm = 10 * device->major + device->minor;
    const struct tile_machine *known;
    char suffix = 0;

    if (!o->arch)
        snprintf(arch, 16, "sm_%d%s", sm, sm >= 90 ? "a" : "");
    else if (sscanf(o->arch, "sm_%d%c", &sm, &suffix) < 1 || strlen(o->arch) > 15)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "arch is \"%s\", expected such as \"sm_90a\"", o->arch);
    else
        snprintf(arch, 16, "%s", o->arch);
    if (!(known = tile_machine_of(sm)))
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "tile programs are not compiled for %s (device %d, %s)", arch,
                         device->ordinal, device->name);
    *machine = *known;
    machine->multiprocessors = device->limits.multiprocessors;
    return CUC_OK;
}

// What is asked for, as the kernel has it.
struct question {
    struct cuc__gemm_kind kind;
    struct cuc__gemm_shape shape;
    struct cuc__gemm_tile wanted;
    struct tile_machine machine;
    char arch[16];
};

static cuc_status read_question(struct question *q, const cuc_gemm_options *o,
                                const cuc_device *device, const char *function)
{
    bool x = o->d_order == CUC_GEMM_COLUMN_MAJOR;
    cuc_status st;

    memset(q, 0, sizeof(*q));
    if ((st = check_fields(o, function)) < 0 || (st = read_types(&q->kind, o, function)) < 0 ||
        (st = check_together(o, &q->kind, function)) < 0 ||
        (st = read_machine(&q->machine, q->arch, o, device, function)) < 0)
        return st;
    read_kind(&q->kind, o);
    q->shape = (struct cuc__gemm_shape){ x ? o->n : o->m, x ? o->m : o->n, o->k,
                                         o->batch ? o->batch : 1, o->workspace_bytes };
    q->wanted = (struct cuc__gemm_tile){
        .road = cuc__gemm_road(&q->kind, &q->machine, strchr(q->arch, 'a')),
        .rows = x ? o->tile_n : o->tile_m,
        .columns = x ? o->tile_m : o->tile_n,
        .depth = o->tile_k,
        .stages = o->stages,
        .cluster = o->cluster,
        .warps = o->warps,
        .split = o->split,
        .raster = o->raster,
        .parts = o->parts,
    };
    return CUC_OK;
}

static bool by_hand(const cuc_gemm_options *o)
{
    return o->tile_m || o->tile_k || o->stages || o->cluster || o->warps || o->split || o->raster ||
           o->parts;
}

static void tell_choice(cuc_gemm_plan *p, const struct question *q, const char *by)
{
    bool x = p->kind.exchanged;
    struct tile_work work;

    cuc__gemm_work(&work, &p->kind, &q->shape, &p->tile);
    p->choice.struct_size = sizeof(p->choice);
    p->choice.tile_m = x ? p->tile.columns : p->tile.rows;
    p->choice.tile_n = x ? p->tile.rows : p->tile.columns;
    p->choice.tile_k = p->tile.depth;
    p->choice.stages = p->tile.stages;
    p->choice.cluster = p->tile.cluster;
    p->choice.warps = p->tile.warps;
    p->choice.split = p->tile.split;
    p->choice.raster = p->tile.raster;
    p->choice.parts = p->tile.parts;
    p->choice.pipeline = p->tile.road == TILE_ROAD_PIPELINE;
    p->choice.tiles = q->shape.rows && q->shape.columns ? work.blocks : 0;
    p->choice.d_dtype = p->kind.d;
    p->choice.by = by;
    cuc__gemm_choice_text(p->text, sizeof(p->text), &p->tile);
    p->key.record.choice = p->text;
}

static cuc_status choose(cuc_gemm_plan *p, struct question *q, const cuc_gemm_options *o,
                         const char *function)
{
    int recalled = 0;

    cuc__gemm_key(&p->key, &p->kind, &q->shape, p->device);
    p->tile.road = q->wanted.road;
    if (!by_hand(o) && !o->arch)
        recalled = cuc__gemm_recall(&p->tile, &p->key, o->tuned, function);
    if (recalled < 0)
        return recalled;
    // What was measured with a workspace is of no use without one.
    if (recalled && !cuc__gemm_has_room(&p->kind, &q->shape, p->tile.parts))
        recalled = 0;
    if (recalled)
        q->wanted = p->tile;
    if (!cuc__gemm_choose(&p->tile, &p->choice.seconds, &p->kind, &q->shape, &q->wanted,
                          &q->machine))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "no tile has a tile_k of %d with a split of %d and %d parts: leave "
                         "them 0",
                         o->tile_k, o->split, o->parts);
    tell_choice(p, q, recalled ? "tuned" : o->tile_m ? "options" : "model");
    return CUC_OK;
}

// ---- Compiling

static cuc_status compile(cuc_gemm_plan *p, int variant, const char *arch, const char *function)
{
    struct cuc__gemm_code *code = &p->code[variant];
    cuc_program *program = NULL;
    cuc_status st;

    if (!(code->text = cuc__gemm_source(&p->kind, &p->tile, variant)))
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a plan");
    st = cuc_program_create(&program, CUC_SOURCE_TILE, code->text, 0,
                            CUC_PROGRAM_OPTIONS(.name = "gemm.tile", .arch = arch,
                                                .stages = p->tile.stages,
                                                .cluster = p->tile.cluster, .warps = p->tile.warps,
                                                .split = p->tile.split, .raster = p->tile.raster));
    // The driver assembles a program as a whole, and gives registers from role to role.
    if (st >= 0)
        st = cuc_program_compile(&code->object, program, CUC_CODE_PTX);
    cuc_program_release(program);
    if (st >= 0)
        st = cuc_object_get_kernel(&code->kernel, code->object, "gemm");
    if (st >= 0 && p->tile.parts > 1)
        st = cuc_object_get_kernel(&code->parts, code->object, "gemm_parts");
    return cuc__pass(st, function);
}

cuc_status cuc_gemm_plan_create(cuc_gemm_plan **out, cuc_device *device,
                                const cuc_gemm_options *options)
{
    cuc_gemm_options o;
    struct question q;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(options);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_gemm_options)) < 0 ||
        (st = read_question(&q, &o, device, __func__)) < 0)
        return st;
    cuc_gemm_plan *p = calloc(1, sizeof(*p));
    if (!p)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a plan");
    cuc__handle_init(p, CUC__HANDLE_GEMM_PLAN);
    p->device = device;
    p->kind = q.kind;
    if ((st = choose(p, &q, &o, __func__)) < 0)
        goto fail;
    for (int i = 0; i < CUC__GEMM_VARIANTS; i++)
        if ((i != CUC__GEMM_ADDED || p->kind.c) && (st = compile(p, i, q.arch, __func__)) < 0)
            goto fail;
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
    for (int i = 0; i < CUC__GEMM_VARIANTS; i++) {
        cuc_kernel_release(plan->code[i].parts);
        cuc_kernel_release(plan->code[i].kernel);
        cuc_object_release(plan->code[i].object);
        free(plan->code[i].text);
    }
    cuc__handle_free(plan);
}

// ---- Looking at it

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

uint64_t cuc_gemm_plan_workspace_bytes(const cuc_gemm_plan *plan, int64_t m, int64_t n)
{
    uint64_t bytes;

    if (!plan || plan->tile.parts <= 1 || m <= 0 || n <= 0 ||
        __builtin_mul_overflow((uint64_t)m, (uint64_t)n, &bytes) ||
        __builtin_mul_overflow(
            bytes, (uint64_t)plan->tile.parts * cuc_dtype_bits(plan->kind.accumulator) / 8, &bytes))
        return 0;
    return bytes;
}

const char *cuc_gemm_plan_source(const cuc_gemm_plan *plan, size_t index)
{
    return plan && index < CUC__GEMM_VARIANTS ? plan->code[index].text : NULL;
}

// ---- For who tunes

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
    struct question q;
    cuc_status st;

    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(options);
    CUC_CHECK_NOT_NULL(visit);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_gemm_options)) < 0 ||
        (st = read_question(&q, &o, device, __func__)) < 0)
        return st;
    cuc__gemm_visit(&q.kind, &q.shape, &q.wanted, &q.machine, visit_tile, &v);
    return CUC_OK;
}

cuc_status cuc_gemm_options_set_choice(cuc_gemm_options *options, const char *choice)
{
    struct cuc__gemm_tile t = { .rows = 0 };

    CUC_CHECK_NOT_NULL(options);
    CUC_CHECK_NOT_NULL(choice);
    if (options->struct_size < sizeof(*options))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "options->struct_size is %zu, expected %zu: start from its _INIT",
                        options->struct_size, sizeof(*options));
    if (!cuc__gemm_read_choice(&t, choice))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "choice is \"%s\", expected such as \"BM=128 BN=256 BK=64 :cluster=2\"",
                        choice);
    bool x = options->d_order == CUC_GEMM_COLUMN_MAJOR;
    options->tile_m = x ? t.columns : t.rows;
    options->tile_n = x ? t.rows : t.columns;
    options->tile_k = t.depth;
    options->stages = t.stages;
    options->cluster = t.cluster;
    options->warps = t.warps;
    options->split = t.split;
    options->raster = t.raster;
    options->parts = t.parts;
    return CUC_OK;
}
