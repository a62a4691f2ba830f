// Checks a plan's options, singly and together, and translates them to the kernel's terms.
#include "base/array.h"
#include "gemm.h"

#include "device/device.h"
#include "base/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_TILE = 256,
    MOST_DEPTH = 1024,
    MOST_STAGES = 24,
    MOST_CLUSTER = 8,
    MOST_WARPS = 32,
    MOST_RASTER = 64,
    MOST_SPLIT = 8,
    MOST_PARTS = 64,
    MOST_PACK = 31, // all bits
    MOST_STREAMED = 8,
    TEXT_BYTES = 256
};

void cuc_gemm_options_init(cuc_gemm_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

void cuc_gemm_args_init(cuc_gemm_args *args, size_t caller_size)
{
    cuc__init_options(args, caller_size);
}

// ---- Values of fields

static cuc_status check_fields(const cuc_gemm_options *o, const char *function)
{
    const struct cuc__range rows[] = {
        { "form", o->form, CUC_GEMM_SINGLE, CUC_GEMM_GROUPED, NULL },
        { "flags", o->flags, 0, (CUC_GEMM_AMAX << 1) - 1, NULL },
        { "precision", o->precision, CUC_GEMM_IEEE, CUC_GEMM_TF32X3, NULL },
        { "a_order", o->a_order, CUC_GEMM_ROW_MAJOR, CUC_GEMM_COLUMN_MAJOR, NULL },
        { "b_order", o->b_order, CUC_GEMM_ROW_MAJOR, CUC_GEMM_COLUMN_MAJOR, NULL },
        { "d_order", o->d_order, CUC_GEMM_ROW_MAJOR, CUC_GEMM_COLUMN_MAJOR, NULL },
        { "activation", o->activation, CUC_GEMM_LINEAR, CUC_GEMM_SILU_DERIVATIVE, NULL },
        { "bias", o->bias, CUC_GEMM_NO_BIAS, CUC_GEMM_BIAS_ROWS, NULL },
        { "bias_gradient", o->bias_gradient, CUC_GEMM_NO_GRADIENT, CUC_GEMM_GRADIENT_B, NULL },
        { "m", o->m, 0, INT64_MAX >> 16, NULL },
        { "n", o->n, 0, INT64_MAX >> 16, NULL },
        { "k", o->k, 0, INT64_MAX >> 16, NULL },
        { "batch", o->batch, 0, INT32_MAX, NULL },
        { "tile_m", o->tile_m, 0, MOST_TILE, NULL },
        { "tile_n", o->tile_n, 0, MOST_TILE, NULL },
        { "tile_k", o->tile_k, 0, MOST_DEPTH, NULL },
        { "stages", o->stages, 0, MOST_STAGES, NULL },
        { "cluster", o->cluster, 0, MOST_CLUSTER, NULL },
        { "cluster_n", o->cluster_n, 0, MOST_CLUSTER, NULL },
        { "reserved", o->reserved, 0, 0, NULL },
        { "warps", o->warps, 0, MOST_WARPS, NULL },
        { "raster", o->raster, 0, MOST_RASTER, NULL },
        { "split", o->split, 0, MOST_SPLIT, NULL },
        { "parts", o->parts, 0, MOST_PARTS, NULL },
        { "stream_k", o->stream_k, 0, MOST_STREAMED, NULL },
        { "pack", o->pack, 0, MOST_PACK, NULL },
        { "alignment", o->alignment, 0, INT32_MAX, NULL },
    };

    return cuc__check_ranges(rows, CUC_LENGTH(rows), function);
}

// ---- Element types

struct type {
    cuc_dtype dtype, accumulator, d; // of a and b; of the sum; of d by default
    cuc_dtype results[4];            // the other types that d may have
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

    for (size_t i = 0; !of && i < CUC_LENGTH(types); i++)
        at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%s", i ? ", " : "",
                               cuc_dtype_name(types[i].dtype));
    if (of)
        at = (size_t)snprintf(list, sizeof(list), "%s", cuc_dtype_name(of->d));
    for (size_t i = 0; of && i < CUC_LENGTH(of->results); i++)
        if (of->results[i])
            at += (size_t)snprintf(list + at, sizeof(list) - at, ", %s",
                                   cuc_dtype_name(of->results[i]));
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is %s, expected one of %s%s%s", name,
                     cuc_dtype_name(dtype), list, of ? ", as a and b are of " : "",
                     of ? cuc_dtype_name(of->dtype) : "");
}

static bool is_result(const struct type *type, cuc_dtype dtype)
{
    for (size_t i = 0; i < CUC_LENGTH(type->results); i++)
        if (type->results[i] == dtype && dtype)
            return true;
    return type->d == dtype;
}

static cuc_status read_types(struct cuc__gemm_kind *k, const cuc_gemm_options *o,
                             const char *function)
{
    const struct type *type = NULL;

    for (size_t i = 0; i < CUC_LENGTH(types); i++)
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
    k->aux = o->aux_dtype || o->activation < CUC_GEMM_RELU_DERIVATIVE ? o->aux_dtype : k->d;
    k->compute = k->d == CUC_I32 ? CUC_I32 : k->accumulator == CUC_F64 ? CUC_F64 : CUC_F32;
    k->gradient_dtype = !o->bias_gradient        ? 0
                        : o->bias_gradient_dtype ? o->bias_gradient_dtype
                                                 : k->compute;
    if (!is_result(type, k->d))
        return fail_dtype("d_dtype", k->d, type, function);
    const struct {
        const char *name;
        cuc_dtype dtype;
    } others[] = { { "c_dtype", k->c },
                   { "bias_dtype", k->bias },
                   { "residual_dtype", k->residual },
                   { "aux_dtype", k->aux },
                   { "bias_gradient_dtype", k->gradient_dtype } };
    for (size_t i = 0; i < CUC_LENGTH(others); i++) {
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

// ---- Combinations

static bool is_scaled(int32_t lines)
{
    return lines == 0 || lines == 1 || lines == 128;
}

static bool is_whole(cuc_dtype dtype)
{
    return dtype == CUC_I8 || dtype == CUC_U8;
}

static cuc_status check_together(const cuc_gemm_options *o, const struct cuc__gemm_kind *k,
                                 const char *function)
{
    const bool derivative = o->activation >= CUC_GEMM_RELU_DERIVATIVE;
    const bool blocks = o->a_scale_rows || o->b_scale_columns;
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
          "CUC_GEMM_FAST_ACC is only for e4m3 and e5m2: leave it unset" },
        { o->precision && k->dtype != CUC_F32, "precision is for a dtype of f32: leave it 0" },
        { o->bias_dtype && !o->bias, "bias_dtype is given, but bias is CUC_GEMM_NO_BIAS" },
        { o->activation != CUC_GEMM_LINEAR && o->activation != CUC_GEMM_RELU &&
              o->activation != CUC_GEMM_RELU_DERIVATIVE && k->compute == CUC_I32,
          "a d of i32 allows only CUC_GEMM_LINEAR, CUC_GEMM_RELU and CUC_GEMM_RELU_DERIVATIVE: use "
          "a d_dtype of f32" },
        { o->flags & CUC_GEMM_AMAX && k->compute == CUC_F64,
          "CUC_GEMM_AMAX is set, but d is of f64, and amax of f32: leave the flag unset, or use "
          "another dtype" },
        { o->flags & CUC_GEMM_AMAX && k->compute == CUC_I32,
          "CUC_GEMM_AMAX is set, but d is of i32, and amax of f32: leave the flag unset, or use a "
          "d_dtype of f32" },
        { o->bias_gradient && grouped, "bias_gradient is not for grouped products: leave it 0" },
        { is_whole(k->gradient_dtype) || (is_whole(k->aux) && !derivative),
          "bias_gradient_dtype and the dtype of an aux that is written are not i8 or u8" },
        { o->bias_gradient_dtype && !o->bias_gradient,
          "bias_gradient_dtype is given, but bias_gradient is CUC_GEMM_NO_GRADIENT" },
        { o->flags & (CUC_GEMM_SCALED_ROWS | CUC_GEMM_SCALED_COLUMNS) && k->compute != CUC_F32,
          "scales of f32 do not combine with a d of i32 or f64: use another d_dtype" },
        { grouped && (o->a_order || o->d_order),
          "a_order and d_order of grouped products are CUC_GEMM_ROW_MAJOR" },
        { grouped && o->bias == CUC_GEMM_BIAS_ROWS,
          "bias of grouped products is CUC_GEMM_BIAS_COLUMNS, [groups, n]" },
        { o->parts > 1 && o->form, "parts is for the form CUC_GEMM_SINGLE: leave it 0" },
        { o->stream_k && o->form, "stream_k is for the form CUC_GEMM_SINGLE: leave it 0" },
        { o->pack && o->form, "pack is for the form CUC_GEMM_SINGLE: leave it 0" },
        { !cuc__gemm_is_pack(o->pack),
          "pack is CUC_GEMM_PACK_NONE alone, or bits of which _TRANSPOSED_A needs _A, and "
          "_TRANSPOSED_B needs _B" },
        { o->stream_k && (o->split > 1 || o->parts > 1 || o->cluster > 1 || o->cluster_n > 1),
          "stream_k does not combine with split, parts and clusters: leave them 0" },
        { o->cluster > 1 && o->split > 1,
          "cluster does not combine with split, whose blocks form a cluster: leave one of them 0" },
        { o->cluster > 1 && o->cluster_n > 1,
          "cluster and cluster_n do not combine: leave one of them 0" },
        { (o->cluster & (o->cluster - 1)) || (o->cluster_n & (o->cluster_n - 1)),
          "cluster and cluster_n are 1, 2, 4, 8 or 0" },
        { o->cluster_n > 1 && (grouped || o->split > 1),
          "cluster_n does not combine with split and grouped products: leave it 0" },
        { o->sm_count > 0 &&
              (o->cluster > o->sm_count || o->cluster_n > o->sm_count || o->split > o->sm_count),
          "cluster, cluster_n and split are at most sm_count" },
        { !is_scaled(o->a_scale_rows) || !is_scaled(o->b_scale_columns),
          "a_scale_rows and b_scale_columns are 1, 128 or 0" },
        { blocks && !eight, "scales by block are only for e4m3 and e5m2: leave a_scale_rows and "
                            "b_scale_columns 0" },
        { grouped && o->a_scale_rows > 1, "a_scale_rows of grouped products is 1 or 0" },
        { blocks && (o->split > 1 || o->stream_k || o->cluster > 1 || o->cluster_n > 1),
          "scales by block do not combine with split, stream_k and clusters: leave them 0" },
        { blocks && o->tile_k && o->tile_k != CUC__GEMM_SCALED_DEPTH,
          "tile_k of products with scales by block is 128 or 0" },
        { (o->a_scale_rows > 1 && o->tile_m && 128 % o->tile_m) ||
              (o->b_scale_columns > 1 && o->tile_n && 128 % o->tile_n),
          "tile_m and tile_n divide 128, if a_scale_rows and b_scale_columns are 128" },
        { !o->tile_m != !o->tile_n, "tile_m and tile_n are given together, or not at all" },
        { o->alignment & (o->alignment - 1), "alignment is a power of two, or 0" },
    };

    for (size_t i = 0; i < CUC_LENGTH(rows); i++)
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
    k->transposed_a = x ? !b : a;
    k->transposed_b = x ? !a : b;
    k->shared_a = o->flags & (x ? CUC_GEMM_SHARED_B : CUC_GEMM_SHARED_A);
    k->shared_b = o->flags & (x ? CUC_GEMM_SHARED_A : CUC_GEMM_SHARED_B);
    k->scaled_rows = o->flags & (x ? CUC_GEMM_SCALED_COLUMNS : CUC_GEMM_SCALED_ROWS);
    k->scaled_columns = o->flags & (x ? CUC_GEMM_SCALED_ROWS : CUC_GEMM_SCALED_COLUMNS);
    k->fast_acc = o->flags & CUC_GEMM_FAST_ACC;
    k->bias_of_rows = o->bias == (x ? CUC_GEMM_BIAS_COLUMNS : CUC_GEMM_BIAS_ROWS);
    k->activation = o->activation;
    // Rows and columns, and a and b, are exchanged.
    static const int32_t exchanged[] = {
        [CUC_GEMM_GRADIENT_COLUMNS] = CUC_GEMM_GRADIENT_ROWS,
        [CUC_GEMM_GRADIENT_ROWS] = CUC_GEMM_GRADIENT_COLUMNS,
        [CUC_GEMM_GRADIENT_A] = CUC_GEMM_GRADIENT_B,
        [CUC_GEMM_GRADIENT_B] = CUC_GEMM_GRADIENT_A,
    };
    k->gradient = x ? exchanged[o->bias_gradient] : o->bias_gradient;
    k->amax = o->flags & CUC_GEMM_AMAX;
    k->a_scale_rows = x ? o->b_scale_columns : o->a_scale_rows;
    k->b_scale_columns = x ? o->a_scale_rows : o->b_scale_columns;
    k->precision = o->precision;
}

// ---- The target

static cuc_status read_machine(struct tile_machine *machine, char arch[CUC__PLAN_ARCH],
                               const cuc_gemm_options *o, const cuc_device *device,
                               const char *function)
{
    int sm;
    cuc_status st = cuc__plan_arch(arch, &sm, o->arch, device, function);

    if (st < 0)
        return st;
    const struct tile_machine *known = tile_machine_of(sm);
    if (!known)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "%s is %s, of which the model knows "
                         "nothing",
                         o->arch ? "arch" : device->name, arch);
    *machine = *known;
    if (o->sm_count < 0 || (uint32_t)o->sm_count > device->limits.multiprocessors)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "sm_count is %d, expected 0 to %u, the multiprocessors of %s", o->sm_count,
                         device->limits.multiprocessors, device->name);
    machine->multiprocessors = o->sm_count ? (uint32_t)o->sm_count : device->limits.multiprocessors;
    if (!strchr(arch, 'a')) // code for all later architectures has no pipelines
        machine->flop[TILE_MMA_PATH_PIPELINE] = 0;
    return CUC_OK;
}

// Refuses a synchronous tile whose accumulators fill the registers of a block. The compiler would
// refuse it too (T602). Other limits apply to the tiles of a pipeline.
static cuc_status check_tile(const struct cuc__gemm_problem *q, const cuc_gemm_options *o,
                             const char *function)
{
    enum { REGISTERS = 65536 };
    int64_t rows = 1, columns = 1, each = q->kind.dtype == CUC_F64 ? 2 : 1;

    while (rows < o->tile_m)
        rows *= 2;
    while (columns < o->tile_n)
        columns *= 2;
    if (q->wanted.path != TILE_MMA_PATH_SYNC || rows * columns * each < REGISTERS)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "tile_m is %d and tile_n %d, whose accumulators of %s fill all %d registers "
                     "of a block: expected at most half, such as 128 and %d",
                     o->tile_m, o->tile_n, each == 2 ? "f64" : "32 bits", REGISTERS,
                     each == 2 ? 128 : 256);
}

cuc_status cuc__gemm_read_options(struct cuc__gemm_problem *q, const cuc_gemm_options *o,
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
    q->shape =
        (struct cuc__gemm_shape){ x ? o->n : o->m,         x ? o->m : o->n,    o->k,
                                  o->batch ? o->batch : 1, o->workspace_bytes, o->alignment };
    q->wanted = (struct cuc__gemm_tile){
        .rows = x ? o->tile_n : o->tile_m,
        .columns = x ? o->tile_m : o->tile_n,
        .depth = o->tile_k,
        .stages = o->stages,
        .cluster = x ? o->cluster_n : o->cluster,
        .cluster_n = x ? o->cluster : o->cluster_n,
        .warps = o->warps,
        .split = o->split,
        .raster = o->raster,
        .parts = o->parts,
        .stream_k = o->stream_k,
        .programs = o->stream_k ? (int32_t)q->machine.multiprocessors : 0,
        .pack = cuc__gemm_exchange_pack(o->pack, x),
    };
    const struct cuc__gemm_kind packed = cuc__gemm_packed_kind(&q->kind, &q->wanted);
    q->wanted.path = cuc__gemm_path(&packed, &q->machine);
    return check_tile(q, o, function);
}
