// Runs matrix products of random kinds and shapes, one after another. Compares each element bit for
// bit with a plain kernel's sum of whole numbers, and checks that the memory around the result is
// untouched.
//
//     soak_gemm [--seconds S] [--plans N] [--seed N] [--most EXTENT]
//
// Elements are halves of whole numbers, from -2 to 2, so every sum is exact in every accumulator,
// and the expected result is one rounding to the result's type. Both kernels run on the device, so
// extents of several thousand exercise whole grids. Prints each failure with the command that
// repeats it; exits with 1 if a product failed, and with 77 without NVRTC.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cucore/cucore.h>

#include "base/array.h"
#include "tile/ir/scalar.h"

enum { LEVELS = 9, POISON = 0xc7, SHAPES_OF_A_PLAN = 32, MAX_BATCH = 5 };
enum { FROM_F16, FROM_BF16, FROM_F32, FROM_F64, FROM_I32 }; // as declared in the kernel

static const char source[] =
    "typedef unsigned long long u64; typedef long long i64; typedef unsigned char u8;\n"
    "struct place { u64 data; i64 batch, row, column; };\n"
    "struct matrix { place at; u64 seed, table[9]; int bytes, of_u8; };\n"
    // The i-th number of an array, -4 to 4.
    "__device__ int number(const matrix &m, u64 i) {\n"
    "  u64 h = (i + m.seed) * 0x9e3779b97f4a7c15ull; h ^= h >> 29; h *= 0xbf58476d1ce4e5b9ull;\n"
    "  int x = (int)((h >> 40) % 9) - 4; return m.of_u8 && x < 0 ? -x : x; }\n"
    "__device__ u8 *find(const place &p, i64 z, i64 i, i64 j, int bytes) {\n"
    "  return (u8 *)p.data + (z * p.batch + i * p.row + j * p.column) * bytes; }\n"
    "__device__ void put(u8 *to, u64 bits, int bytes) {\n"
    "  for (int n = 0; n < bytes; n++) to[n] = (u8)(bits >> 8 * n); }\n"
    "extern \"C\" __global__ void fill(matrix m, i64 batches, i64 rows, i64 columns) {\n"
    "  i64 all = batches * rows * columns, step = (i64)gridDim.x * blockDim.x;\n"
    "  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < all; n += step) {\n"
    "    i64 z = n / (rows * columns), r = n % (rows * columns);\n"
    "    put(find(m.at, z, r / columns, r % columns, m.bytes), m.table[number(m, n) + 4],\n"
    "        m.bytes); } }\n"
    "extern \"C\" __global__ void poison(u8 *at, i64 bytes, int value) {\n"
    "  i64 step = (i64)gridDim.x * blockDim.x;\n"
    "  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < bytes; n += step)\n"
    "    at[n] = (u8)value; }\n"
    "extern \"C\" __global__ void touched(const u8 *at, i64 bytes, int value, u64 *count) {\n"
    "  i64 step = (i64)gridDim.x * blockDim.x;\n"
    "  for (i64 n = (i64)blockIdx.x * blockDim.x + threadIdx.x; n < bytes; n += step)\n"
    "    if (at[n] != (u8)value) atomicAdd(count, 1ull); }\n"
    "struct product { matrix a, b, c, bias, residual; place d; i64 m, n, k, batch;\n"
    "  int has_c, bias_of, has_residual, relu, to, shared_a, shared_b, whole, d_bytes;\n"
    "  double alpha, beta; u64 offsets; i64 groups; u64 *wrong; int poison; };\n"
    "__device__ u64 rounded(double x, int to) {\n"
    "  float f = (float)x; unsigned w = __float_as_uint(f); unsigned short h;\n"
    "  switch (to) {\n"
    "  case 0: asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(f)); return h;\n"
    "  case 1: return (w + 0x7fff + (w >> 16 & 1)) >> 16;\n"
    "  case 2: return w;\n"
    "  case 3: return (u64)__double_as_longlong(x);\n"
    "  default: return (u64)(unsigned)(int)x; } }\n"
    // Counts wrong elements, and restores the poison.
    "extern \"C\" __global__ void check(product p) {\n"
    "  i64 all = p.batch * p.m * p.n, step = (i64)gridDim.x * blockDim.x;\n"
    "  double one = p.whole ? 1 : 0.5;\n"
    "  for (i64 e = (i64)blockIdx.x * blockDim.x + threadIdx.x; e < all; e += step) {\n"
    "    i64 z = e / (p.m * p.n), r = e % (p.m * p.n), i = r / p.n, j = r % p.n;\n"
    "    i64 za = p.shared_a ? 0 : z, zb = p.shared_b ? 0 : z;\n"
    "    u8 *d = find(p.d, z, i, j, p.d_bytes); u64 bits = 0;\n"
    "    for (int n = 0; n < p.d_bytes; n++) bits |= (u64)d[n] << 8 * n;\n"
    "    if (p.groups) { zb = -1; const int *o = (const int *)p.offsets;\n"
    "      for (i64 g = 0; g < p.groups; g++) if (i >= o[g] && i < o[g + 1]) zb = g;\n"
    "      if (zb < 0) continue; }\n" // in no group: not written
    "    i64 sum = 0;\n"
    "    for (i64 l = 0; l < p.k; l++)\n"
    "      sum += number(p.a, (za * p.m + i) * p.k + l) * number(p.b, (zb * p.k + l) * p.n + j);\n"
    "    double x = p.alpha * (double)sum * one * one;\n"
    "    if (p.has_c && p.beta != 0) x += p.beta * number(p.c, e) * one;\n"
    "    if (p.bias_of == 1) x += number(p.bias, (p.groups ? zb * p.n : 0) + j) * one;\n"
    "    if (p.bias_of == 2) x += number(p.bias, i) * one;\n"
    "    if (p.relu && x < 0) x = 0;\n"
    "    if (p.has_residual) x += number(p.residual, e) * one;\n"
    "    u64 expected = rounded(x, p.to);\n"
    "    if (x == 0 && (bits << (64 - 8 * p.d_bytes) + 1) == 0) bits = expected;\n" // any sign
    "    if (bits != expected) atomicAdd(p.wrong, 1ull);\n"
    "    put(d, 0x0101010101010101ull * p.poison, p.d_bytes); } }\n";

// Parameters of the kernels.
struct place {
    uint64_t data;
    int64_t batch, row, column;
};

struct matrix {
    struct place at;
    uint64_t seed, table[LEVELS];
    int32_t bytes, of_u8;
};

struct product {
    struct matrix a, b, c, bias, residual;
    struct place d;
    int64_t m, n, k, batch;
    int32_t has_c, bias_of, has_residual, relu, to, shared_a, shared_b, whole, d_bytes;
    double alpha, beta;
    uint64_t offsets;
    int64_t groups;
    uint64_t wrong;
    int32_t poison;
};

static cuc_stream *stream;
static cuc_kernel *fill, *poison, *touched, *check;
static uint64_t state;

static void must(cuc_status st)
{
    if (st < 0) {
        fprintf(stderr, "%s\n%s\n", cuc_error_message(), cuc_error_log());
        exit(st == CUC_ERROR_NOT_FOUND ? 77 : 1);
    }
}

static uint64_t below(uint64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

// ---- Arrays

struct array {
    cuc_tensor t;
    cuc_buffer *buffer;
    size_t bytes;
    struct matrix m;
};

static void launch_over(cuc_kernel *kernel, int64_t count, const cuc_arg *args, size_t n)
{
    uint32_t blocks = (uint32_t)(count / 128 + 1 < 4096 ? count / 128 + 1 : 4096);

    must(cuc_launch(stream, CUC_LAUNCH_CONFIG(.grid = { blocks }, .block = { 128 }), kernel, args,
                    n));
}

// Makes an array [batch][rows][columns]; 0 omits an axis. Lines are `gap` elements longer than
// their contents, and the first line begins `gap` elements after an aligned address; poison
// surrounds it all.
static void make(struct array *a, cuc_dtype dtype, int64_t batch, int64_t rows, int64_t columns,
                 int32_t order, int64_t gap, bool filled)
{
    enum { AROUND = 256 };
    int64_t lead = (order ? rows : columns) + gap, lines = order ? columns : rows ? rows : 1;
    int64_t bytes = cuc_dtype_bits(dtype) / 8;
    int32_t rank = 0;

    *a = (struct array){ .bytes = (size_t)((batch ? batch : 1) * lines * lead * bytes) };
    a->bytes += 2 * AROUND + (size_t)(gap * bytes);
    must(cuc_buffer_create(&a->buffer, stream, NULL, a->bytes));
    a->t.data = cuc_buffer_ptr(a->buffer) + AROUND + (uint64_t)(gap * bytes);
    a->t.dtype = dtype;
    if (batch) {
        a->t.shape[rank] = batch;
        a->t.strides[rank++] = lines * lead;
    }
    if (rows) {
        a->t.shape[rank] = rows;
        a->t.strides[rank++] = order ? 1 : lead;
    }
    a->t.shape[rank] = columns;
    a->t.strides[rank++] = order ? lead : 1;
    a->t.rank = rank;
    a->m = (struct matrix){ .at = { a->t.data, lines * lead, order ? 1 : lead, order ? lead : 1 },
                            .seed = below(UINT64_C(1) << 30),
                            .bytes = (int32_t)bytes,
                            .of_u8 = dtype == CUC_U8 };
    for (int i = 0; i < LEVELS; i++)
        a->m.table[i] = tile_is_integer(dtype) ? tile_element_of_int(dtype, i - 4)
                                               : tile_element_of_real(dtype, (i - 4) / 2.0);
    int64_t all = (int64_t)a->bytes;
    cuc_arg bytewise[] = { CUC_ARG(a->buffer), CUC_ARG(all), CUC_ARG((int32_t)POISON) };
    launch_over(poison, all, bytewise, 3);
    if (filled) {
        int64_t z = batch ? batch : 1, r = rows ? rows : 1;
        cuc_arg args[] = { CUC_ARG_STRUCT(a->m), CUC_ARG(z), CUC_ARG(r), CUC_ARG(columns) };
        launch_over(fill, z * r * columns, args, 4);
    }
}

static void drop(struct array *a)
{
    cuc_buffer_release(a->buffer);
    *a = (struct array){ .buffer = NULL };
}

// ---- Kinds and shapes

struct kind {
    cuc_gemm_options o;
    double alpha, beta;
};

// Values of the option pack. 8 and 16 transpose a and b.
static const int32_t packs[] = { 1,      2,     3,      CUC_GEMM_PACK_NONE, 1 | 8,
                                 2 | 16, 3 | 8, 3 | 16, 3 | 8 | 16 };

static void make_kind(struct kind *kind, int64_t most)
{
    static const cuc_dtype dtypes[] = { CUC_F16, CUC_BF16, CUC_BF16, CUC_E4M3, CUC_E5M2, CUC_I8,
                                        CUC_U8,  CUC_TF32, CUC_F16,  CUC_BF16, CUC_F32,  CUC_F64 };
    cuc_gemm_options *o = &kind->o;

    *kind = (struct kind){ .o = CUC_GEMM_OPTIONS_INIT, .alpha = 1 };
    o->dtype = dtypes[below(CUC_LENGTH(dtypes))];
    o->form = below(3) ? CUC_GEMM_SINGLE : (int32_t)below(3);
    o->b_order = (int32_t)below(2);
    if (o->form != CUC_GEMM_GROUPED) {
        o->a_order = (int32_t)below(2);
        o->d_order = (int32_t)below(2);
    }
    if (o->form == CUC_GEMM_BATCHED && !below(3))
        o->flags |= below(2) ? CUC_GEMM_SHARED_A : CUC_GEMM_SHARED_B;
    bool whole = o->dtype == CUC_I8 || o->dtype == CUC_U8;
    cuc_dtype wide = whole ? CUC_I32 : o->dtype == CUC_F64 ? CUC_F64 : CUC_F32;
    o->d_dtype = o->dtype == CUC_F16 || o->dtype == CUC_BF16 ? (below(3) ? o->dtype : wide)
                 : cuc_dtype_bits(o->dtype) == 8 && !whole   ? (below(3) ? CUC_BF16 : wide)
                                                             : wide;
    if (!below(4)) {
        o->c_dtype = below(2) ? o->d_dtype : wide;
        kind->beta = below(4) ? 2 : 0;
    }
    if (!below(4))
        kind->alpha = below(2) ? -2 : whole ? 3 : 0.5;
    if (!below(4)) {
        o->bias = 1 + (o->form != CUC_GEMM_GROUPED && below(2));
        o->bias_dtype = o->d_dtype;
    }
    if (!below(4))
        o->activation = CUC_GEMM_RELU;
    if (!below(4))
        o->residual_dtype = o->d_dtype;
    if (o->dtype == CUC_F32)
        o->precision = (int32_t)below(3);
    if (!below(3)) { // tiles of a pipeline, for any shape
        o->tile_m = 64 << below(3);
        o->tile_n = o->tile_m == 256 ? 128 : 64 << below(3);
        if (o->dtype == CUC_F64 && o->tile_m * o->tile_n > 128 * 128)
            o->tile_n = 128 * 128 / o->tile_m;
        o->tile_k = 64;
        if (below(2))
            o->cluster = 1 << below(4);
        else if (o->form != CUC_GEMM_GROUPED)
            o->cluster_n = 1 << below(4);
        o->raster = (int32_t)below(12);
        if (!o->form && o->cluster < 2 && o->cluster_n < 2 && !below(3))
            o->split = 2 + (int32_t)below(2);
        else if (below(2))
            o->warps = 4; // per tile: ping-pong warpgroups
    } else {
        o->m = 1 + (int64_t)below((uint64_t)most);
        o->n = 1 + (int64_t)below((uint64_t)most);
        o->k = 1 + (int64_t)below((uint64_t)most);
        o->batch = o->form ? MAX_BATCH : 0;
        o->workspace_bytes = below(2) ? UINT64_C(1) << 28 : 0;
    }
    if (!o->form && !o->split && !below(5))
        o->parts = 2 + (int32_t)below(3);
    else if (!o->form && !o->split && o->cluster < 2 && o->cluster_n < 2 && !below(4))
        o->stream_k = 1 + (int32_t)below(3);
    if (!o->form && !below(3))
        o->pack = packs[below(CUC_LENGTH(packs))];
}

// Draws an extent from 1 up: small ones as often as large ones, and often near a multiple of 64.
static int64_t extent(int64_t most)
{
    int64_t bits = 0;

    while (INT64_C(1) << bits < most)
        bits++;
    int64_t x = 1 + (int64_t)below(UINT64_C(1) << below((uint64_t)bits + 1));
    if (x > 48 && below(2))
        x = (x + 32) / 64 * 64 + (int64_t)below(3) - 1;
    return x < most ? x : most;
}

static struct array add(bool there, cuc_dtype dtype, int64_t batch, int64_t rows, int64_t columns,
                        int32_t order, int64_t gap)
{
    struct array a = { .buffer = NULL };

    if (there)
        make(&a, dtype, batch, rows, columns, order, gap, true);
    return a;
}

static const cuc_tensor *tensor(const struct array *a)
{
    return a->buffer ? &a->t : NULL;
}

// Runs one product; counts wrong elements, and changed bytes around the result.
static void run(const struct kind *kind, cuc_gemm_plan *plan, const int64_t shape[4], int64_t gap,
                cuc_buffer *counts, uint64_t *wrong, uint64_t *beside)
{
    const cuc_gemm_options *o = &kind->o;
    int64_t m = shape[0], n = shape[1], k = shape[2];
    bool grouped = o->form == CUC_GEMM_GROUPED;
    int64_t batch = o->form == CUC_GEMM_BATCHED ? shape[3] : 0, groups = grouped ? shape[3] : 0;
    int32_t offset[MAX_BATCH + 1] = { (int32_t)below(3) };
    struct array a =
        add(true, o->dtype, o->flags & CUC_GEMM_SHARED_A ? 0 : batch, m, k, o->a_order, gap);
    struct array b = add(true, o->dtype, o->flags & CUC_GEMM_SHARED_B ? 0 : batch + groups, k, n,
                         o->b_order, gap);
    struct array c = add(o->c_dtype != 0, o->c_dtype, batch, m, n, o->d_order, gap);
    struct array residual =
        add(o->residual_dtype != 0, o->residual_dtype, batch, m, n, o->d_order, gap);
    struct array bias =
        add(o->bias != 0, o->bias_dtype, 0, groups, o->bias == CUC_GEMM_BIAS_ROWS ? m : n, 0, 0);
    struct array offsets = add(grouped, CUC_I32, 0, 0, groups + 1, 0, 0);
    struct array d = { .buffer = NULL };
    cuc_buffer *workspace = NULL;
    uint64_t zeros[2] = { 0 };

    make(&d, o->d_dtype, batch, m, n, o->d_order, gap, false);
    for (int64_t g = 0; g < groups; g++)
        offset[g + 1] = offset[g] + (int32_t)below((uint64_t)(2 * m / groups) + 1);
    for (int64_t g = 0; g <= groups; g++)
        offset[g] = offset[g] < m ? offset[g] : (int32_t)m;
    if (grouped)
        must(cuc_buffer_write_async(stream, offsets.buffer,
                                    offsets.t.data - cuc_buffer_ptr(offsets.buffer), offset,
                                    (size_t)(groups + 1) * sizeof(*offset)));
    must(cuc_buffer_write_async(stream, counts, 0, zeros, sizeof(zeros)));
    cuc_gemm_args args = CUC_GEMM_ARGS_INIT;
    args.a = &a.t;
    args.b = &b.t;
    args.c = tensor(&c);
    args.d = &d.t;
    args.bias = tensor(&bias);
    args.residual = tensor(&residual);
    args.offsets = tensor(&offsets);
    args.workspace_bytes = cuc_gemm_plan_workspace_bytes(plan, m, n, k);
    if (args.workspace_bytes) {
        must(cuc_buffer_create(&workspace, stream, NULL, args.workspace_bytes));
        args.workspace = cuc_buffer_ptr(workspace);
    }
    must(o->form == CUC_GEMM_BATCHED
             ? cuc_gemm_batched(stream, plan, kind->alpha, kind->beta, &args)
         : o->form == CUC_GEMM_GROUPED
             ? cuc_gemm_grouped(stream, plan, kind->alpha, kind->beta, &args)
             : cuc_gemm(stream, plan, kind->alpha, kind->beta, &args));

    struct product p = {
        .a = a.m,
        .b = b.m,
        .c = c.m,
        .bias = bias.m,
        .residual = residual.m,
        .d = d.m.at,
        .m = m,
        .n = n,
        .k = k,
        .batch = batch ? batch : 1,
        .has_c = c.buffer != NULL,
        .bias_of = o->bias,
        .has_residual = residual.buffer != NULL,
        .relu = o->activation == CUC_GEMM_RELU,
        .to = o->d_dtype == CUC_F16    ? FROM_F16
              : o->d_dtype == CUC_BF16 ? FROM_BF16
              : o->d_dtype == CUC_F32  ? FROM_F32
              : o->d_dtype == CUC_F64  ? FROM_F64
                                       : FROM_I32,
        .shared_a = (o->flags & CUC_GEMM_SHARED_A) != 0,
        .shared_b = (o->flags & CUC_GEMM_SHARED_B) != 0,
        .whole = tile_is_integer(o->dtype),
        .d_bytes = d.m.bytes,
        .alpha = kind->alpha,
        .beta = kind->beta,
        .offsets = offsets.t.data,
        .groups = groups,
        .wrong = cuc_buffer_ptr(counts),
        .poison = POISON,
    };
    cuc_arg whole[] = { CUC_ARG_STRUCT(p) };
    launch_over(check, p.batch * m * n, whole, 1);
    int64_t bytes = (int64_t)d.bytes;
    cuc_device_ptr second = cuc_buffer_ptr(counts) + sizeof(uint64_t);
    cuc_arg around[] = { CUC_ARG(d.buffer), CUC_ARG(bytes), CUC_ARG((int32_t)POISON),
                         CUC_ARG(second) };
    launch_over(touched, bytes, around, 4);
    must(cuc_buffer_read_async(stream, zeros, counts, 0, sizeof(zeros)));
    must(cuc_stream_synchronize(stream));
    *wrong = zeros[0];
    *beside = zeros[1];
    drop(&a);
    drop(&b);
    drop(&c);
    drop(&d);
    drop(&residual);
    drop(&bias);
    drop(&offsets);
    cuc_buffer_release(workspace);
}

// ---- Main

static void open_kernels(cuc_device *device)
{
    static const struct {
        cuc_kernel **kernel;
        const char *name;
    } all[] = {
        { &fill, "fill" }, { &poison, "poison" }, { &touched, "touched" }, { &check, "check" }
    };
    cuc_program *program;
    cuc_object *object;

    must(cuc_program_create(
        &program, CUC_SOURCE_CUDA, source, 0,
        CUC_PROGRAM_OPTIONS(.name = "soak.cu", .arch = cuc_device_arch(device))));
    must(cuc_program_compile(&object, program, CUC_CODE_PTX));
    for (size_t i = 0; i < CUC_LENGTH(all); i++)
        must(cuc_object_get_kernel(all[i].kernel, object, all[i].name));
    cuc_object_release(object);
    cuc_program_release(program);
}

int main(int argc, char **argv)
{
    double seconds = 10;
    uint64_t seed = 1, plans = UINT64_MAX, failures = 0, products = 0;
    int64_t most = 3000;
    cuc_device *device;
    cuc_buffer *counts;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0)
            seconds = strtod(argv[i + 1], NULL);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--plans") == 0)
            plans = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--most") == 0)
            most = strtoll(argv[i + 1], NULL, 10);
    }
    must(cuc_device_get(&device, 0));
    must(cuc_stream_create(&stream, device, NULL));
    must(cuc_buffer_create(&counts, stream, NULL, 2 * sizeof(uint64_t)));
    open_kernels(device);
    time_t end = time(NULL) + (time_t)seconds;
    uint64_t made = 0;
    for (; made < plans && (made == 0 || plans != UINT64_MAX || time(NULL) < end); made++) {
        struct kind kind;
        cuc_gemm_plan *plan;
        state = (seed + made) * UINT64_C(0x9e3779b97f4a7c15);
        make_kind(&kind, most);
        if (cuc_gemm_plan_create(&plan, device, &kind.o) < 0) {
            fprintf(stderr, "--seed %" PRIu64 " --plans 1: no plan: %s\n%s\n", seed + made,
                    cuc_error_message(), cuc_error_log());
            failures++;
            continue;
        }
        for (int i = 0; i < SHAPES_OF_A_PLAN; i++) {
            static const int64_t gaps[] = { 0, 0, 1, 8, 16 };
            int64_t shape[] = { extent(most), extent(most), extent(most),
                                1 + (int64_t)below(MAX_BATCH) };
            int64_t gap = gaps[below(5)];
            uint64_t wrong, beside;
            run(&kind, plan, shape, gap, counts, &wrong, &beside);
            products++;
            if (!wrong && !beside)
                continue;
            failures++;
            fprintf(stderr,
                    "--seed %" PRIu64 " --plans 1: product %d of %s, m %" PRId64 ", n %" PRId64
                    ", k %" PRId64 ", gap %" PRId64 ": %" PRIu64 " elements are wrong, %" PRIu64
                    " bytes beside them were touched\n",
                    seed + made, i, cuc_dtype_name(kind.o.dtype), shape[0], shape[1], shape[2], gap,
                    wrong, beside);
        }
        cuc_gemm_plan_release(plan);
    }
    printf("%s: %" PRIu64 " products of %" PRIu64 " plans, %" PRIu64 " of them wrong\n",
           cuc_device_name(device), products, made, failures);
    cuc_buffer_release(counts);
    cuc_kernel_release(fill);
    cuc_kernel_release(poison);
    cuc_kernel_release(touched);
    cuc_kernel_release(check);
    cuc_stream_release(stream);
    return failures != 0;
}
