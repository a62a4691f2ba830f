// Tests that the C builder makes the same IR as source text does, and handles failed allocations.
#include "base/arena.h"
#include "base/array.h"
#include "wrap_malloc.h"

#include "builder_testing.h"

#include "tile/api/api.h"
#include "tile/front/calls.h"
#include "tests.h"

#include <math.h>

// ---- Programs of the language page, written as calls
//
// Calls nest only if their order does not matter, because C does not specify the order in which
// arguments are evaluated.

static void build_vadd(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "vadd");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile b = cuc_tile_tensor(K, "b", CUC_F32, "N");
    cuc_tile c = cuc_tile_tensor(K, "c", CUC_F32, "N");
    cuc_tile_grid(K, "cdiv(N, 1024)");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(i), CUC_SHAPE(1024), NULL);
    cuc_tile y = cuc_tile_load(K, b, CUC_TILES(i), CUC_SHAPE(1024), NULL);
    cuc_tile_store(K, c, CUC_TILES(i), cuc_tile_add(K, x, y), NULL);
    cuc_tile_kernel_end(K);
}

static void build_text(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "text");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_I32, "N");
    cuc_tile_grid(K, "1");
    cuc_tile_store(K, a, CUC_TILES(I(0)), cuc_tile_add(K, I(1000), I(0xff)), NULL);
    cuc_tile_kernel_end(K);
}

static void build_scale(cuc_tile_program *p)
{
    const cuc_dtype type = CUC_F16;
    const int wide = 256;
    char grid[64];

    cuc_tile_kernel_begin(K, "scale");
    cuc_tile x = cuc_tile_tensor(K, "x", type, "M, N");
    cuc_tile y = cuc_tile_tensor(K, "y", type, "M, N");
    cuc_tile factor = cuc_tile_scalar(K, "factor", CUC_F32);
    cuc_tile_scalar(K, "rows", CUC_I32);
    cuc_tile_fact(K, "N % 8 == 0");
    cuc_tile_fact(K, "rows <= M, noalias(x, y)");
    snprintf(grid, sizeof(grid), "cdiv(M, 4), cdiv(N, %d)", wide);
    cuc_tile_grid(K, grid);
    cuc_tile m = cuc_tile_block(K, 0), n = cuc_tile_block(K, 1);
    cuc_tile t = cuc_tile_load(K, x, CUC_TILES(m, n), CUC_SHAPE(4, wide), NULL);
    t = cuc_tile_mul(K, cuc_tile_cast(K, t, CUC_F32, CUC_TILE_RN), factor);
    cuc_tile_store(K, y, CUC_TILES(m, n), cuc_tile_cast(K, t, type, CUC_TILE_RN), NULL);
    cuc_tile_kernel_end(K);
}

static void build_values(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "values");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile_grid(K, "1");
    cuc_tile z = cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(3, 5));
    cuc_tile h = cuc_tile_full(K, CUC_BF16, CUC_SHAPE(7), F(0.5));
    cuc_tile i = cuc_tile_iota(K, CUC_I32, 5);
    cuc_tile x = cuc_tile_add(K, z, cuc_tile_cast(K, i, CUC_F32, CUC_TILE_RN));
    cuc_tile y = cuc_tile_dimension(K, "N");
    x = cuc_tile_add(K, x, F(1.0));
    cuc_tile s = cuc_tile_sum(K, x, 0, NULL);
    cuc_tile t = cuc_tile_cast(K, cuc_tile_sum(K, h, 0, NULL), CUC_F32, CUC_TILE_RN);
    cuc_tile_store(K, a, CUC_TILES(I(0)), cuc_tile_add(K, cuc_tile_add(K, s, t), y), NULL);
    cuc_tile_kernel_end(K);
}

static void build_dtypes(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "dtypes");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F16, "N");
    cuc_tile q = cuc_tile_tensor(K, "q", CUC_E4M3, "N");
    cuc_tile n = cuc_tile_tensor(K, "n", CUC_U8, "N");
    cuc_tile_grid(K, "cdiv(N, 64)");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(i), CUC_SHAPE(64), NULL);
    cuc_tile y = cuc_tile_add(K, cuc_tile_mul(K, x, I(2)), F(1.5));
    cuc_tile z = cuc_tile_cast(K, x, CUC_F32, CUC_TILE_RN);
    z = cuc_tile_add(K, z, cuc_tile_load(K, n, CUC_TILES(i), CUC_SHAPE(64), NULL));
    cuc_tile_store(K, q, CUC_TILES(i), cuc_tile_cast(K, z, CUC_E4M3, CUC_TILE_RN), NULL);
    cuc_tile_store(K, n, CUC_TILES(i), cuc_tile_cast(K, z, CUC_U8, CUC_TILE_RM), NULL);
    y = cuc_tile_bitxor(K, cuc_tile_bitcast(K, y, CUC_U16), I(0x8000));
    cuc_tile_store(K, a, CUC_TILES(i), cuc_tile_bitcast(K, y, CUC_F16), NULL);
    cuc_tile_kernel_end(K);
}

static void build_operators(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "operators");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_I32, "N");
    cuc_tile b = cuc_tile_tensor(K, "b", CUC_F32, "N");
    cuc_tile n = cuc_tile_scalar(K, "n", CUC_I32);
    cuc_tile_grid(K, "1");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0)), CUC_SHAPE(8), NULL);
    cuc_tile odd = cuc_tile_eq(K, cuc_tile_bitand(K, x, I(1)), I(1));
    cuc_tile positive = cuc_tile_gt(K, n, I(0));
    cuc_tile other = cuc_tile_bitnot(K, cuc_tile_eq(K, n, I(3)));
    cuc_tile_if(K, cuc_tile_bitand(K, positive, other));
    cuc_tile c = cuc_tile_bitor(K, odd, cuc_tile_lt(K, x, I(0)));
    cuc_tile t = cuc_tile_floordiv(K, cuc_tile_neg(K, x), I(2));
    cuc_tile u = cuc_tile_shl(K, cuc_tile_mod(K, x, I(3)), I(2));
    cuc_tile_store(K, a, CUC_TILES(I(0)), cuc_tile_where(K, c, t, u),
                   CUC_TILE_ACCESS_OPTIONS(.shape = (const int64_t[]){ 8 }, .rank = 1));
    cuc_tile_end(K);
    cuc_tile root = cuc_tile_pow(K, F(2.0), F(0.5));
    cuc_tile_store(K, b, CUC_TILES(I(0)), cuc_tile_add(K, cuc_tile_div(K, x, I(2)), root), NULL);
    cuc_tile_kernel_end(K);
}

static void build_shapes(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "shapes");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "M, N");
    cuc_tile o = cuc_tile_tensor(K, "o", CUC_F32, "M, N");
    cuc_tile_grid(K, "1");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0), I(0)), CUC_SHAPE(4, 6), NULL);
    cuc_tile r = cuc_tile_reshape(K, x, CUC_SHAPE(2, -1, 6));
    cuc_tile t = cuc_tile_trans(K, x);
    cuc_tile q = cuc_tile_permute(K, r, CUC_AXES(2, 0, 1));
    cuc_tile c = cuc_tile_expand(K, x, 1);
    cuc_tile s = cuc_tile_squeeze(K, c, 1);
    cuc_tile b = cuc_tile_broadcast(K, s, CUC_SHAPE(3, 4, 6));
    cuc_tile two = cuc_tile_cat(K, x, s, 0);
    cuc_tile e = cuc_tile_extract(K, two, CUC_TILES(I(1), I(0)), CUC_SHAPE(4, 3));
    cuc_tile w = cuc_tile_insert(K, two, CUC_TILES(I(0), I(1)), e);
    cuc_tile k = cuc_tile_mul(K, cuc_tile_iota(K, CUC_I32, 4), I(2));
    k = cuc_tile_take(K, w, k, 0);
    cuc_tile d = cuc_tile_shift(K, k, I(1), 0, F(-1.0));
    cuc_tile y = cuc_tile_roll(K, d, I(-1), 1);
    y = cuc_tile_add(K, y, cuc_tile_sum(K, q, 0, NULL));
    y = cuc_tile_add(K, y, cuc_tile_sum(K, b, 0, NULL));
    y = cuc_tile_add(K, y, cuc_tile_sum(K, t, 0, NULL));
    cuc_tile_store(K, o, CUC_TILES(I(0), I(0)), y, NULL);
    cuc_tile_kernel_end(K);
}

static void build_memory(cuc_tile_program *p)
{
    const int _ = CUC_NO_AXIS;

    cuc_tile_kernel_begin(K, "memory");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "B, M, N");
    cuc_tile o = cuc_tile_tensor(K, "o", CUC_F32, "M, N");
    cuc_tile row = cuc_tile_tensor(K, "row", CUC_I64, "M");
    cuc_tile_grid(K, "B");
    cuc_tile n = cuc_tile_block(K, 0);
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(n, I(2), I(0)), CUC_SHAPE(_, 4, 16),
                               CUC_TILE_ACCESS_OPTIONS(.pad = F(-INFINITY)));
    n = cuc_tile_block(K, 0);
    cuc_tile y = cuc_tile_load_at(K, a, CUC_TILES(n, I(2), I(5)), CUC_SHAPE(_, 4, 16), NULL);
    cuc_tile first = cuc_tile_element(K, a, CUC_TILES(I(0), I(0), I(0)));
    x = cuc_tile_sub(K, cuc_tile_maximum(K, x, y), first);
    cuc_tile_store(K, o, CUC_TILES(I(0), I(0)), x, NULL);
    cuc_tile_store_at(K, o, CUC_TILES(I(4), I(1)), F(1.0),
                      CUC_TILE_ACCESS_OPTIONS(.shape = (const int64_t[]){ 2, 3 }, .rank = 2));

    cuc_tile ids =
        cuc_tile_load(K, row, CUC_TILES(I(0)), CUC_SHAPE(8), CUC_TILE_ACCESS_OPTIONS(.pad = I(-1)));
    cuc_tile rows = cuc_tile_load_rows(K, o, ids, CUC_TILES(I(0)), CUC_SHAPE(32), NULL);
    cuc_tile_store_rows(K, o, ids, CUC_TILES(I(1)), rows, NULL);

    cuc_tile i = cuc_tile_expand(K, cuc_tile_iota(K, CUC_I32, 8), 1);
    cuc_tile j = cuc_tile_iota(K, CUC_I32, 4);
    cuc_tile mask = cuc_tile_ne(K, i, j);
    cuc_tile g = cuc_tile_gather(K, o, CUC_TILES(i, j),
                                 CUC_TILE_ACCESS_OPTIONS(.mask = mask, .pad = F(0.5)));
    cuc_tile twice = cuc_tile_mul(K, g, F(2.0));
    mask = cuc_tile_gt(K, g, F(0.0));
    cuc_tile_scatter(K, o, CUC_TILES(i, j), twice, CUC_TILE_ACCESS_OPTIONS(.mask = mask));

    cuc_tile from = cuc_tile_element(K, row, CUC_TILES(I(0)));
    cuc_tile to = cuc_tile_element(K, row, CUC_TILES(I(1)));
    cuc_tile part = cuc_tile_slice(K, o, 0, from, to);
    cuc_tile z = cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(4, 4));
    z = cuc_tile_add(K, z, cuc_tile_dim(K, part, 0));
    z = cuc_tile_add(K, z, cuc_tile_stride(K, part, 1));
    cuc_tile_store(K, part, CUC_TILES(I(0), I(0)), z, NULL);
    cuc_tile_kernel_end(K);
}

static void build_atomics(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "atomics");
    cuc_tile count = cuc_tile_tensor(K, "count", CUC_I32, "N");
    cuc_tile total = cuc_tile_tensor(K, "total", CUC_F32, "1");
    cuc_tile lock = cuc_tile_tensor(K, "lock", CUC_I32, "1");
    cuc_tile_grid(K, "64");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile x = cuc_tile_load(K, count, CUC_TILES(i), CUC_SHAPE(32), NULL);
    cuc_tile s = cuc_tile_cast(K, cuc_tile_sum(K, x, 0, NULL), CUC_F32, CUC_TILE_RN);
    s = cuc_tile_reshape(K, s, CUC_SHAPE(1));
    cuc_tile_store_add(K, total, CUC_TILES(I(0)), s, NULL);
    cuc_tile at = cuc_tile_mod(K, x, I(8));
    cuc_tile mask = cuc_tile_gt(K, x, I(0));
    cuc_tile old =
        cuc_tile_atomic_add(K, count, CUC_TILES(at), I(1), CUC_TILE_ACCESS_OPTIONS(.mask = mask));
    at = cuc_tile_mod(K, x, I(8));
    cuc_tile_atomic_add(K, count, CUC_TILES(at), I(1),
                        CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_RELAXED));
    cuc_tile_loop(K);
    cuc_tile was = cuc_tile_atomic_cas(K, lock, CUC_TILES(I(0)), I(0), I(1),
                                       CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_ACQUIRE));
    cuc_tile_while(K, cuc_tile_ne(K, was, I(0)));
    cuc_tile_end(K);
    cuc_tile y = cuc_tile_load(K, count, CUC_TILES(I(0)), CUC_SHAPE(32), NULL);
    cuc_tile_store(K, count, CUC_TILES(I(0)), cuc_tile_add(K, y, old), NULL);
    cuc_tile_atomic_xchg(K, lock, CUC_TILES(I(0)), I(0),
                         CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_RELEASE));
    cuc_tile_kernel_end(K);
}

static cuc_tile gelu(cuc_tile_program *p, const char *file, uint32_t line, cuc_tile x)
{
    cuc_tile_enter(p, file, line);
    cuc_tile half = cuc_tile_mul(K, F(0.5), x);
    cuc_tile e = cuc_tile_erf(K, cuc_tile_mul(K, x, F(0.7071067811865476)));
    cuc_tile y = cuc_tile_mul(K, half, cuc_tile_add(K, F(1.0), e));
    cuc_tile_leave(p);
    return y;
}

static void build_functions(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "functions");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile_grid(K, "cdiv(N, 128)");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile x = gelu(K, cuc_tile_load(K, a, CUC_TILES(i), CUC_SHAPE(128), NULL));
    cuc_tile low = cuc_tile_minimum(K, x, F(0.25));
    cuc_tile high = cuc_tile_maximum(K, x, F(0.25));
    i = cuc_tile_block(K, 0);
    cuc_tile none = cuc_tile_isnan(K, x);
    cuc_tile y = cuc_tile_fma(K, high, x, cuc_tile_sqrt(K, cuc_tile_abs(K, x)));
    cuc_tile_store(K, a, CUC_TILES(i), cuc_tile_where(K, none, low, y), NULL);
    cuc_tile_kernel_end(K);
}

static void welford(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                    const cuc_tile *y, cuc_tile *result)
{
    cuc_tile total = cuc_tile_add(K, x[0], y[0]);
    cuc_tile d = cuc_tile_sub(K, y[1], x[1]);
    cuc_tile some = cuc_tile_gt(K, total, F(0.0));
    cuc_tile part = cuc_tile_where(K, some, cuc_tile_div(K, y[0], total), F(0.0));

    if (count != 3 || user != p) // no Check assertion: Check allocates, and allocations fail here
        abort();
    result[0] = total;
    result[1] = cuc_tile_add(K, x[1], cuc_tile_mul(K, d, part));
    cuc_tile m2 = cuc_tile_add(K, x[2], y[2]);
    cuc_tile more = cuc_tile_mul(K, cuc_tile_mul(K, cuc_tile_mul(K, d, d), x[0]), part);
    result[2] = cuc_tile_add(K, m2, more);
}

static void build_along(cuc_tile_program *p)
{
    cuc_tile r[3], top, where;

    cuc_tile_kernel_begin(K, "along");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "M, N");
    cuc_tile o = cuc_tile_tensor(K, "o", CUC_F32, "M, 4");
    cuc_tile bins = cuc_tile_tensor(K, "bins", CUC_I32, "16");
    cuc_tile_grid(K, "M");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(i, I(0)), CUC_SHAPE(CUC_NO_AXIS, 256), NULL);
    cuc_tile ones = cuc_tile_add(K, cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(256)), F(1.0));
    cuc_tile zeros = cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(256));
    const cuc_tile tiles[] = { ones, x, zeros }, identity[] = { F(0.0), F(0.0), F(0.0) };
    cuc_tile_reduce(r, K, welford, p, 3, tiles, 0, identity);
    i = cuc_tile_block(K, 0);
    cuc_tile y = cuc_tile_load(K, a, CUC_TILES(i, I(0)), CUC_SHAPE(4, 64), NULL);
    cuc_tile most = cuc_tile_max(K, y, CUC_AXES(1));
    cuc_tile rows = cuc_tile_sub(K, most, cuc_tile_min(K, y, CUC_AXES(1)));
    cuc_tile best = cuc_tile_argmax(K, y, 1);
    best = cuc_tile_add(K, best, cuc_tile_argmin(K, y, 1));
    cuc_tile_topk(&top, &where, K, cuc_tile_sort(K, x, 0), 4, 0);
    cuc_tile running = cuc_tile_cumsum(K, x, 0, 1);
    running = cuc_tile_add(K, running, cuc_tile_cumprod(K, x, 0, 0));
    i = cuc_tile_block(K, 0);
    cuc_tile s = cuc_tile_div(K, r[1], cuc_tile_add(K, r[2], F(1.0)));
    s = cuc_tile_add(K, cuc_tile_add(K, top, s), r[0]);
    s = cuc_tile_add(K, s, cuc_tile_sum(K, rows, 0, NULL));
    s = cuc_tile_add(K, s, cuc_tile_sum(K, running, 0, NULL));
    cuc_tile t = cuc_tile_sum(K, cuc_tile_add(K, best, where), 0, NULL);
    s = cuc_tile_add(K, s, cuc_tile_cast(K, t, CUC_F32, CUC_TILE_RN));
    cuc_tile_store(K, o, CUC_TILES(i, I(0)), s, NULL);
    cuc_tile negative = cuc_tile_any(K, cuc_tile_lt(K, x, F(0.0)), 0, NULL);
    cuc_tile none = cuc_tile_all(K, cuc_tile_eq(K, x, F(0.0)), 0, NULL);
    cuc_tile_if(K, cuc_tile_bitand(K, negative, cuc_tile_bitnot(K, none)));
    x = cuc_tile_histogram(K, cuc_tile_cast(K, x, CUC_I32, CUC_TILE_RN), 16);
    cuc_tile_rank_digits(&where, &top, K, x, 4);
    x = cuc_tile_place(K, x, where, 0, I(-1));
    cuc_tile_store(K, bins, CUC_TILES(I(0)), cuc_tile_add(K, x, cuc_tile_sum(K, top, 0, NULL)),
                   NULL);
    cuc_tile_end(K);
    cuc_tile_kernel_end(K);
}

static void build_control(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "control");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile n = cuc_tile_scalar(K, "n", CUC_I32);
    cuc_tile_grid(K, "1");
    cuc_tile_variable acc = cuc_tile_declare(K, "acc", cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(16)));
    cuc_tile i = cuc_tile_for(K, I(0), n, 2);
    {
        cuc_tile x = cuc_tile_load(K, a, CUC_TILES(i), CUC_SHAPE(16), NULL);
        cuc_tile_if(K, cuc_tile_gt(K, cuc_tile_max(K, x, 0, NULL), F(1e6)));
        cuc_tile_break(K);
        cuc_tile_end(K);
        cuc_tile_if(K, cuc_tile_eq(K, cuc_tile_mod(K, i, I(3)), I(0)));
        cuc_tile_continue(K);
        cuc_tile_end(K);
        cuc_tile_set(K, acc, cuc_tile_add(K, cuc_tile_get(K, acc), x));
    }
    cuc_tile_end(K);
    cuc_tile_variable k = cuc_tile_declare(K, "k", n);
    cuc_tile_loop(K);
    cuc_tile some = cuc_tile_gt(K, cuc_tile_get(K, k), I(0));
    cuc_tile even = cuc_tile_eq(K, cuc_tile_mod(K, cuc_tile_get(K, k), I(2)), I(0));
    cuc_tile_while(K, cuc_tile_bitand(K, some, even));
    cuc_tile_set(K, k, cuc_tile_floordiv(K, cuc_tile_get(K, k), I(2)));
    cuc_tile_end(K);
    cuc_tile_variable sign = cuc_tile_declare(K, "sign", F(0.0));
    cuc_tile_if(K, cuc_tile_eq(K, cuc_tile_get(K, k), I(1)));
    cuc_tile_set(K, sign, F(1.0));
    cuc_tile_else(K);
    cuc_tile_if(K, cuc_tile_eq(K, cuc_tile_get(K, k), I(3)));
    cuc_tile_set(K, sign, F(-1.0));
    cuc_tile_else(K);
    cuc_tile_set(K, sign, F(0.0));
    cuc_tile_end(K);
    cuc_tile_end(K);
    for (int j = 0; j < 3; j++)
        cuc_tile_set(K, acc, cuc_tile_mul(K, cuc_tile_get(K, acc), I(j + 1)));
    cuc_tile_set(K, acc, cuc_tile_mul(K, cuc_tile_get(K, acc), cuc_tile_get(K, sign)));
    cuc_tile_if(K, cuc_tile_eq(K, n, I(0)));
    cuc_tile_return(K);
    cuc_tile_end(K);
    cuc_tile_store(K, a, CUC_TILES(I(0)), cuc_tile_get(K, acc), NULL);
    cuc_tile_kernel_end(K);
}

static void build_gemm(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "gemm");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F16, "M, K");
    cuc_tile b = cuc_tile_tensor(K, "b", CUC_F16, "K, N");
    cuc_tile c = cuc_tile_tensor(K, "c", CUC_F16, "M, N");
    cuc_tile_grid(K, "cdiv(M, 32), cdiv(N, 32)");
    cuc_tile m = cuc_tile_block(K, 0), n = cuc_tile_block(K, 1);
    cuc_tile_variable acc =
        cuc_tile_declare(K, "acc", cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(32, 32)));
    cuc_tile turns = cuc_tile_cdiv(K, cuc_tile_dimension(K, "K"), I(32));
    cuc_tile k = cuc_tile_for(K, I(0), turns, 1);
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(m, k), CUC_SHAPE(32, 32), NULL);
    cuc_tile y = cuc_tile_load(K, b, CUC_TILES(k, n), CUC_SHAPE(32, 32), NULL);
    cuc_tile_set(K, acc, cuc_tile_mma(K, x, y, cuc_tile_get(K, acc), CUC_TILE_IEEE, 0));
    cuc_tile_end(K);
    x = cuc_tile_cast(K, cuc_tile_get(K, acc), CUC_F16, CUC_TILE_RN);
    cuc_tile_store(K, c, CUC_TILES(m, n), x, NULL);
    cuc_tile_kernel_end(K);
}

static void build_rest(cuc_tile_program *p)
{
    cuc_tile bits[4];

    cuc_tile_kernel_begin(K, "rest");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_U32, "N");
    cuc_tile n = cuc_tile_scalar(K, "n", CUC_I64);
    cuc_tile_grid(K, "cdiv(N, 4)");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile first = cuc_tile_mul(K, i, I(4));
    cuc_tile counter = cuc_tile_add(K, first, cuc_tile_iota(K, CUC_I64, 4));
    cuc_tile_philox(bits, K, n, counter);
    cuc_tile one = cuc_tile_bitor(K, bits[0], I(1));
    cuc_tile top = cuc_tile_asm(K, "bfind.u32 $0, $1;", CUC_U32, CUC_TILES(one));
    cuc_tile base = cuc_tile_assume(K, n, 4);
    cuc_tile_assert(K, cuc_tile_ge(K, n, I(0)), "n is negative");
    cuc_tile_if(K, cuc_tile_eq(K, i, I(0)));
    cuc_tile_print(K, "n is {}", CUC_TILES(n));
    cuc_tile_end(K);
    base = cuc_tile_add(K, base, cuc_tile_mul(K, i, I(4)));
    for (int j = 1; j < 4; j++)
        top = cuc_tile_add(K, top, bits[j]);
    cuc_tile_store_at(K, a, CUC_TILES(base), top, NULL);
    cuc_tile_kernel_end(K);
}

static void build_rounding(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "rounding");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile b = cuc_tile_tensor(K, "b", CUC_F16, "N");
    cuc_tile bounds = cuc_tile_tensor(K, "bounds", CUC_F32, "2");
    cuc_tile_grid(K, "1");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0)), CUC_SHAPE(64), NULL);
    cuc_tile y = cuc_tile_load(K, b, CUC_TILES(I(0)), CUC_SHAPE(64), NULL);
    cuc_tile up = cuc_tile_add_round(K, x, F(1e-8), CUC_TILE_RP);
    cuc_tile z = cuc_tile_mul_round(K, up, F(0.5), CUC_TILE_FTZ);
    cuc_tile q = cuc_tile_div_round(K, x, up, CUC_TILE_APPROX);
    q = cuc_tile_fma_round(K, x, z, q, CUC_TILE_RZ);
    q = cuc_tile_exp_round(K, q, CUC_TILE_APPROX);
    cuc_tile root = cuc_tile_sqrt_round(K, x, CUC_TILE_RN | CUC_TILE_FTZ);
    q = cuc_tile_add(K, q, cuc_tile_tanh_round(K, root, CUC_TILE_FULL));
    cuc_tile_store(K, a, CUC_TILES(I(0)), q, NULL);
    cuc_tile_store(K, b, CUC_TILES(I(0)), cuc_tile_mul_round(K, y, y, CUC_TILE_RM), NULL);
    cuc_tile_access_options one = CUC_TILE_ACCESS_OPTIONS_INIT;
    const int64_t dropped = CUC_NO_AXIS;
    one.shape = &dropped;
    one.rank = 1;
    cuc_tile low = cuc_tile_sum_round(K, x, 0, NULL, CUC_TILE_RM);
    cuc_tile_store(K, bounds, CUC_TILES(I(0)), low, &one);
    cuc_tile high = cuc_tile_sum_round(K, x, 0, NULL, CUC_TILE_RP);
    cuc_tile_store(K, bounds, CUC_TILES(I(1)), high, &one);
    cuc_tile_kernel_end(K);
}

static void build_dependent(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "dependent");
    cuc_tile x = cuc_tile_tensor(K, "x", CUC_F32, "N");
    cuc_tile y = cuc_tile_tensor(K, "y", CUC_F32, "N");
    cuc_tile_grid(K, "cdiv(N, 256)");
    cuc_tile i = cuc_tile_block(K, 0);
    cuc_tile_grid_dependency_wait(K);
    cuc_tile v = cuc_tile_load(K, x, CUC_TILES(i), CUC_SHAPE(256), NULL);
    cuc_tile_grid_dependency_launch(K);
    cuc_tile_store(K, y, CUC_TILES(i), cuc_tile_exp(K, v), NULL);
    cuc_tile_kernel_end(K);
}

static void build_rounded(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0)), CUC_SHAPE(8), NULL);
    x = cuc_tile_sub_round(K, x, F(0.1), CUC_TILE_RM | CUC_TILE_FTZ);
    x = cuc_tile_rsqrt_round(K, x, CUC_TILE_FTZ);
    x = cuc_tile_exp2_round(K, x, CUC_TILE_APPROX | CUC_TILE_FTZ);
    x = cuc_tile_minimum_round(K, x, F(4.0), CUC_TILE_FTZ);
    x = cuc_tile_maximum_round(K, x, F(0.0), CUC_TILE_FTZ);
    cuc_tile h = cuc_tile_cast(K, x, CUC_F16, CUC_TILE_RP | CUC_TILE_FTZ);
    cuc_tile b = cuc_tile_bitcast(K, h, CUC_U32);
    x = cuc_tile_mul(K, x, cuc_tile_prod_round(K, x, CUC_AXES(0), CUC_TILE_RZ));
    x = cuc_tile_mul(K, x, cuc_tile_min_round(K, x, 0, NULL, CUC_TILE_FTZ));
    x = cuc_tile_mul(K, x, cuc_tile_max_round(K, x, CUC_AXES(0), CUC_TILE_FTZ));
    cuc_tile_store(K, a, CUC_TILES(I(0)), x, NULL);
    cuc_tile_store(K, a, CUC_TILES(I(2)), cuc_tile_cast(K, b, CUC_F32, CUC_TILE_RN), NULL);
    cuc_tile_kernel_end(K);
}

// ---- Constructs that the page's programs lack, with their text

static void build_constants(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile s = cuc_tile_scalar(K, "s", CUC_I32);
    cuc_tile b = cuc_tile_scalar(K, "b", CUC_BOOL);
    cuc_tile three = cuc_tile_sub(K, cuc_tile_neg(K, I(-5)), I(2));
    cuc_tile x = cuc_tile_add(K, s, three);
    x = cuc_tile_bitand(K, x, cuc_tile_bitnot(K, I(0)));
    x = cuc_tile_where(K, cuc_tile_bool(K, 1), x, I(7));
    cuc_tile y = cuc_tile_bitxor(K, b, cuc_tile_bool(K, 1));
    cuc_tile_if(K, cuc_tile_lt(K, I(1), F(2.5)));
    cuc_tile_if(K, y);
    cuc_tile_store(K, a, CUC_TILES(x), cuc_tile_exp(K, F(1.0)), NULL);
    cuc_tile_end(K);
    cuc_tile_else(K);
    cuc_tile_store(K, a, CUC_TILES(I(9)), F(9.0), NULL);
    cuc_tile_end(K);
    cuc_tile_kernel_end(K);
}

static void build_elementwise(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile i = cuc_tile_tensor(K, "i", CUC_I32, "N");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0)), CUC_SHAPE(8), NULL);
    cuc_tile n = cuc_tile_load(K, i, CUC_TILES(I(0)), CUC_SHAPE(8), NULL);
    x = cuc_tile_neg(K, x);
    x = cuc_tile_abs(K, x);
    x = cuc_tile_exp(K, x);
    x = cuc_tile_exp2(K, x);
    x = cuc_tile_expm1(K, x);
    x = cuc_tile_log(K, x);
    x = cuc_tile_log2(K, x);
    x = cuc_tile_log1p(K, x);
    x = cuc_tile_sqrt(K, x);
    x = cuc_tile_rsqrt(K, x);
    x = cuc_tile_sin(K, x);
    x = cuc_tile_cos(K, x);
    x = cuc_tile_tan(K, x);
    x = cuc_tile_sinh(K, x);
    x = cuc_tile_cosh(K, x);
    x = cuc_tile_tanh(K, x);
    x = cuc_tile_erf(K, x);
    x = cuc_tile_sigmoid(K, x);
    x = cuc_tile_floor(K, x);
    x = cuc_tile_ceil(K, x);
    x = cuc_tile_round(K, x);
    x = cuc_tile_trunc(K, x);
    x = cuc_tile_pow(K, x, F(2.0));
    x = cuc_tile_atan2(K, x, F(3.0));
    x = cuc_tile_copysign(K, x, cuc_tile_copysign(K, F(3.0), F(-4.0)));
    x = cuc_tile_minimum_nan(K, x, F(4.0));
    x = cuc_tile_maximum_nan(K, x, F(5.0));
    x = cuc_tile_mod(K, x, F(6.0));
    x = cuc_tile_sub(K, x, cuc_tile_min_nan(K, x, 0, NULL));
    x = cuc_tile_sub(K, x, cuc_tile_max_nan(K, x, CUC_AXES(0)));
    x = cuc_tile_mul(K, x, cuc_tile_prod(K, x, CUC_AXES(0)));
    cuc_tile q = cuc_tile_isinf(K, x); // in an order that the C compiler cannot change
    cuc_tile c = cuc_tile_bitor(K, cuc_tile_isnan(K, x), q);
    c = cuc_tile_bitand(K, c, cuc_tile_ge(K, x, F(0.0)));
    c = cuc_tile_bitand(K, c, cuc_tile_le(K, x, F(1.0)));
    n = cuc_tile_bitnot(K, n);
    n = cuc_tile_cdiv(K, n, I(3));
    n = cuc_tile_shr(K, n, I(1));
    n = cuc_tile_where(K, c, n, I(0));
    cuc_tile_store(K, i, CUC_TILES(I(0)), n, NULL);
    cuc_tile_store(K, a, CUC_TILES(I(0)), x, NULL);
    cuc_tile_store(K, a, CUC_TILES(cuc_tile_num_blocks(K, 2)), F(0.0), NULL);
    cuc_tile_kernel_end(K);
}

static void build_hints(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_I32, "N");
    cuc_tile x = cuc_tile_load(
        K, a, CUC_TILES(I(0)), CUC_SHAPE(8),
        CUC_TILE_ACCESS_OPTIONS(.latency = 3, .tma = CUC_ON, .cache = CUC_TILE_CACHE_STREAM));
    cuc_tile y = cuc_tile_load_at(
        K, a, CUC_TILES(I(0)), CUC_SHAPE(8),
        CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_ACQUIRE, .scope = CUC_TILE_SCOPE_SYSTEM));
    cuc_tile z = cuc_tile_gather(
        K, a, CUC_TILES(x), CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_RELAXED, .tma = CUC_OFF));
    cuc_tile_store(
        K, a, CUC_TILES(I(0)), y,
        CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_RELEASE, .scope = CUC_TILE_SCOPE_BLOCK));
    cuc_tile_store_at(K, a, CUC_TILES(I(0)), x,
                      CUC_TILE_ACCESS_OPTIONS(.cache = CUC_TILE_CACHE_FIRST, .inside = 1));
    cuc_tile_scatter(K, a, CUC_TILES(x), z, CUC_TILE_ACCESS_OPTIONS(.cache = CUC_TILE_CACHE_LAST));
    cuc_tile_atomic_max(
        K, a, CUC_TILES(x), y,
        CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_RELAXED, .scope = CUC_TILE_SCOPE_DEVICE));
    cuc_tile_atomic_min(K, a, CUC_TILES(x), y, NULL);
    cuc_tile_atomic_and(K, a, CUC_TILES(x), y, NULL);
    cuc_tile_atomic_or(K, a, CUC_TILES(x), y, NULL);
    cuc_tile_atomic_xor(K, a, CUC_TILES(x), y, NULL);
    cuc_tile_store_max(K, a, CUC_TILES(I(0)), y, NULL);
    cuc_tile_store_min(K, a, CUC_TILES(I(0)), y, NULL);
    cuc_tile_store_and(K, a, CUC_TILES(I(0)), y, NULL);
    cuc_tile_store_or(K, a, CUC_TILES(I(0)), y, NULL);
    cuc_tile_store_xor(K, a, CUC_TILES(I(0)), I(1),
                       CUC_TILE_ACCESS_OPTIONS(.shape = (const int64_t[]){ 4 }, .rank = 1));
    cuc_tile_kernel_end(K);
}

static void add(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    result[0] = cuc_tile_add(K, x[0], y[0]);
}

static void last(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                 const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)p;
    for (uint32_t i = 0; i < count; i++)
        result[i] = i ? y[i] : x[i];
}

static void build_scans(cuc_tile_program *p)
{
    cuc_tile r[2];

    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F64, "M, N");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0), I(0)), CUC_SHAPE(4, 8), NULL);
    const cuc_tile zero = F(0.0), zeros[] = { F(0.0), F(0.0) };
    cuc_tile_scan(r, K, add, NULL, 1, &x, 1, &zero, 1);
    const cuc_tile pair[] = { r[0], cuc_tile_sum(K, x, CUC_AXES(0, 1)) };
    cuc_tile_scan(r, K, last, NULL, 2, pair, 0, zeros, 0);
    cuc_tile_store(K, a, CUC_TILES(I(0), I(0)), cuc_tile_add(K, r[0], r[1]), NULL);
    cuc_tile y = cuc_tile_matmul(K, cuc_tile_trans(K, x), x);
    y = cuc_tile_mma(K, x, y, x, CUC_TILE_IEEE, 0);
    cuc_tile_store(K, a, CUC_TILES(I(0), I(0)), y, NULL);
    cuc_tile f = cuc_tile_zeros(K, CUC_F32, CUC_SHAPE(2, 2));
    f = cuc_tile_mma(K, f, f, f, CUC_TILE_TF32X3, 1);
    cuc_tile_store(K, a, CUC_TILES(I(1), I(1)), f, NULL);
    cuc_tile_kernel_end(K);
}

// Arms and loops with every kind of exit, and variables that they set or leave alone.
static void build_nested(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_I32, "N");
    cuc_tile s = cuc_tile_scalar(K, "s", CUC_I32);
    cuc_tile_variable x = cuc_tile_declare(K, "x", s);
    cuc_tile_variable y = cuc_tile_declare(K, "y", cuc_tile_mul(K, s, I(2)));
    cuc_tile_variable z = cuc_tile_declare(K, "z", cuc_tile_mul(K, s, I(3)));
    cuc_tile i = cuc_tile_for(K, I(0), s, 1);
    {
        cuc_tile j = cuc_tile_for(K, i, s, 4);
        {
            cuc_tile_if(K, cuc_tile_gt(K, j, cuc_tile_get(K, z)));
            cuc_tile_set(K, y, cuc_tile_get(K, x));
            cuc_tile_break(K);
            cuc_tile_else(K);
            cuc_tile_set(K, x, cuc_tile_add(K, cuc_tile_get(K, x), cuc_tile_get(K, y)));
            cuc_tile_end(K);
            cuc_tile_if(K, cuc_tile_eq(K, j, I(2)));
            cuc_tile_continue(K);
            cuc_tile_end(K);
            cuc_tile_set(K, y, cuc_tile_add(K, cuc_tile_get(K, y), I(1)));
        }
        cuc_tile_end(K);
        cuc_tile_if(K, cuc_tile_eq(K, cuc_tile_get(K, x), I(3)));
        cuc_tile_return(K);
        cuc_tile_else(K);
        cuc_tile_if(K, cuc_tile_eq(K, cuc_tile_get(K, x), I(4)));
        cuc_tile_break(K);
        cuc_tile_else(K);
        cuc_tile_continue(K);
        cuc_tile_end(K);
        cuc_tile_end(K);
    }
    cuc_tile_end(K);
    cuc_tile_if(K, cuc_tile_eq(K, s, I(5)));
    cuc_tile_set(K, x, I(1));
    cuc_tile_set(K, y, cuc_tile_get(K, z));
    cuc_tile_else(K);
    cuc_tile_set(K, y, cuc_tile_get(K, z));
    cuc_tile_end(K);
    cuc_tile t = cuc_tile_add(K, cuc_tile_get(K, x), cuc_tile_get(K, y));
    cuc_tile_store(K, a, CUC_TILES(I(0)), cuc_tile_add(K, t, cuc_tile_get(K, z)), NULL);
    cuc_tile_kernel_end(K);
}

static void build_behind(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_I32, "N");
    cuc_tile s = cuc_tile_scalar(K, "s", CUC_I32);
    cuc_tile_variable x = cuc_tile_declare(K, "x", s);
    cuc_tile_variable y = cuc_tile_declare(K, "y", cuc_tile_neg(K, s));
    cuc_tile_loop(K);
    cuc_tile_set(K, x, cuc_tile_sub(K, cuc_tile_get(K, x), I(1)));
    cuc_tile_while(K, cuc_tile_bool(K, 1));
    cuc_tile_if(K, cuc_tile_lt(K, cuc_tile_get(K, x), I(0)));
    cuc_tile_return(K);
    cuc_tile_store(K, a, CUC_TILES(I(1)), I(1), NULL); // unreachable, so it is dropped
    cuc_tile_for(K, I(0), I(4), 1);
    cuc_tile_set(K, x, I(9));
    cuc_tile_set(K, y, I(9));
    cuc_tile_if(K, cuc_tile_eq(K, s, I(0)));
    cuc_tile_break(K);
    cuc_tile_end(K);
    cuc_tile_end(K);
    cuc_tile_end(K);
    cuc_tile_if(K, cuc_tile_bool(K, 0));
    cuc_tile_set(K, x, I(8));
    cuc_tile_break(K);
    cuc_tile_else(K);
    cuc_tile_break(K);
    cuc_tile_end(K);
    cuc_tile_store(K, a, CUC_TILES(I(2)), I(2), NULL);
    cuc_tile_end(K);
    cuc_tile last = cuc_tile_sub(K, cuc_tile_get(K, x), cuc_tile_get(K, y));
    cuc_tile_store(K, a, CUC_TILES(I(0)), last, NULL);
    cuc_tile_kernel_end(K);
}

static void build_host(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile_fact(K,
                  "n % 2 == 0 or not (n > 3), align(a, 16), unit(a, 1), stride(a, 0) >= dim(a, 1)");
    cuc_tile_scalar(K, "n", CUC_I64);
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "M, 2 * M + n");
    cuc_tile_tensor(K, "b", CUC_F32, "M, n, 64, 2 * 3");
    cuc_tile c = cuc_tile_tensor(K, "c", CUC_F32, "");
    cuc_tile_grid(K, "maximum(M, n), where(n > 4, 1, -n), 3");
    cuc_tile x = cuc_tile_element(K, a, CUC_TILES(cuc_tile_dimension(K, "M"), I(0)));
    cuc_tile_store(K, c, 0, NULL, x, NULL);
    cuc_tile_kernel_end(K);
    cuc_tile_kernel_begin(K, "second");
    a = cuc_tile_tensor(K, "a", CUC_F32, NULL);
    cuc_tile_store(K, a, 0, NULL, F(1.0), NULL);
    cuc_tile_kernel_end(K);
}

static void build_places(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "M, N");
    cuc_tile o = cuc_tile_tensor(K, "o", CUC_I32, "M, N");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0), I(0)), CUC_SHAPE(4, 8), NULL);
    cuc_tile least = cuc_tile_argmin_nan(K, x, 0), most = cuc_tile_argmax_nan(K, x, 1);
    cuc_tile_store(K, o, CUC_TILES(I(0), I(0)), cuc_tile_add(K, least, most), NULL);
    cuc_tile_kernel_end(K);
}

static void build_places_of_all(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "M, N");
    cuc_tile o = cuc_tile_tensor(K, "o", CUC_I32, "N");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0), I(0)), CUC_SHAPE(4, 8), NULL);
    cuc_tile least = cuc_tile_argmin(K, x, CUC_NO_AXIS);
    cuc_tile most = cuc_tile_argmax_nan(K, x, CUC_NO_AXIS);
    cuc_tile_store(K, o, CUC_TILES(I(0)), cuc_tile_add(K, least, most),
                   CUC_TILE_ACCESS_OPTIONS(.rank = 1, .shape = (const int64_t[]){ CUC_NO_AXIS }));
    cuc_tile_kernel_end(K);
}

static void build_listed(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile o = cuc_tile_tensor(K, "o", CUC_U64, "N");
    cuc_tile s = cuc_tile_scalar(K, "s", CUC_I32);
    cuc_tile x = cuc_tile_full_list(K, CUC_F32, CUC_SHAPE(3), CUC_TILES(F(0.25), s, I(1)));
    cuc_tile one = cuc_tile_full_list(K, CUC_F32, CUC_SHAPE(1), CUC_TILES(F(2.0)));
    cuc_tile_store(K, a, CUC_TILES(I(0)), cuc_tile_mul(K, x, one), NULL);
    cuc_tile y = cuc_tile_full_list(
        K, CUC_U64, CUC_SHAPE(2, 2),
        CUC_TILES(cuc_tile_uint(K, UINT64_MAX), I(0), cuc_tile_uint(K, 7), I(1)));
    y = cuc_tile_add(K, y, cuc_tile_uint(K, UINT64_C(1) << 63));
    cuc_tile_store(K, o, CUC_TILES(I(0)), cuc_tile_reshape(K, y, CUC_SHAPE(4)), NULL);
    cuc_tile_kernel_end(K);
}

static void build_pairs(cuc_tile_program *p)
{
    cuc_tile q, r, none;

    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile s = cuc_tile_scalar(K, "s", CUC_I32);
    cuc_tile_divmod(&q, &r, K, s, I(3));
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(q), CUC_SHAPE(8), NULL);
    x = cuc_tile_minimum_round(K, x, F(4.0), CUC_TILE_FTZ | CUC_TILE_NAN);
    x = cuc_tile_maximum_round(K, x, F(2.0), CUC_TILE_NAN);
    x = cuc_tile_mul(K, x, cuc_tile_min_round(K, x, 0, NULL, CUC_TILE_FTZ | CUC_TILE_NAN));
    cuc_tile_store(K, a, CUC_TILES(r), x, NULL);
    cuc_tile_divmod(NULL, &none, K, s, I(5));
    cuc_tile_store(K, a, CUC_TILES(none), x, NULL);
    cuc_tile_kernel_end(K);
}

static void build_gradients(cuc_tile_program *p)
{
    cuc_tile_kernel_begin(K, "gradients");
    cuc_tile x = cuc_tile_tensor(K, "x", CUC_F32, "N"), dy = cuc_tile_tensor(K, "dy", CUC_F32, "N");
    cuc_tile dx = cuc_tile_tensor(K, "dx", CUC_F32, "N");
    cuc_tile cap = cuc_tile_tensor(K, "cap", CUC_F32, "1");
    cuc_tile d_cap = cuc_tile_tensor(K, "d_cap", CUC_F32, "1");
    cuc_tile_grid(K, "1");
    cuc_tile t = cuc_tile_load(K, x, CUC_TILES(I(0)), CUC_SHAPE(64), NULL);
    cuc_tile d = cuc_tile_load(K, dy, CUC_TILES(I(0)), CUC_SHAPE(64), NULL);
    cuc_tile c = cuc_tile_element(K, cap, CUC_TILES(I(0)));
    cuc_tile y = cuc_tile_mul(K, c, cuc_tile_tanh(K, cuc_tile_div(K, t, c)));
    cuc_tile_store(K, dx, CUC_TILES(I(0)), cuc_tile_gradient(K, y, t, d), NULL);
    cuc_tile_store(K, d_cap, CUC_TILES(I(0)),
                   cuc_tile_gradient_at(K, y, cap, CUC_TILES(I(0)), d, 0),
                   CUC_TILE_ACCESS_OPTIONS(.shape = (const int64_t[]){ 1 }, .rank = 1));
    cuc_tile_kernel_end(K);
}

static const struct same {
    const char *name; // a kernel of the page, or the subject of the test
    void (*build)(cuc_tile_program *p);
    const char *text; // NULL: the page's text
    bool without_dead_code;
} sames[] = {
    { "vadd", build_vadd, NULL, false },
    { "text", build_text, NULL, false },
    { "scale", build_scale, NULL, false },
    { "values", build_values, NULL, false },
    { "dtypes", build_dtypes, NULL, false },
    { "operators", build_operators, NULL, false },
    { "shapes", build_shapes, NULL, false },
    { "memory", build_memory, NULL, false },
    { "atomics", build_atomics, NULL, false },
    { "functions", build_functions, NULL, false },
    { "gradients", build_gradients, NULL, true },
    { "along", build_along, NULL, false },
    // The page's text binds `sign` first in the arms; the builder must make the variable before.
    { "control", build_control, NULL, true },
    { "gemm", build_gemm, NULL, false },
    { "rest", build_rest, NULL, false },
    { "rounding", build_rounding, NULL, false },
    { "dependent", build_dependent, NULL, false },
    { "roundings and flushes of the rest", build_rounded,
      "kernel k(a: f32[N]) {\n"
      "    x = load(a, [0], [8]); x = sub(x, 0.1, round=rm, ftz=true); x = rsqrt(x, ftz=true)\n"
      "    x = exp2(x, round=approx, ftz=true); x = minimum(x, 4.0, ftz=true)\n"
      "    x = maximum(x, 0.0, ftz=true); h = cast(x, f16, round=rp, ftz=true)\n"
      "    b = bitcast(h, u32)\n"
      "    x = x * prod(x, 0, round=rz); x = x * min(x, ftz=true); x = x * max(x, 0, ftz=true)\n"
      "    store(a, [0], x); store(a, [2], cast(b, f32))\n"
      "}",
      false },
    { "where the first NaN is", build_places,
      "kernel k(a: f32[M, N], o: i32[M, N]) {\n"
      "    x = load(a, [0, 0], [4, 8])\n"
      "    store(o, [0, 0], argmin(x, 0, nan=true) + argmax(x, 1, nan=true))\n"
      "}",
      false },
    { "where the least of all is", build_places_of_all,
      "kernel k(a: f32[M, N], o: i32[N]) {\n"
      "    x = load(a, [0, 0], [4, 8])\n"
      "    store(o, [0], argmin(x) + argmax(x, nan=true), shape=[_])\n"
      "}",
      false },
    { "lists, and integers from 2^63 on", build_listed,
      "kernel k(a: f32[N], o: u64[N], s: i32) {\n"
      "    x = full(f32, [3], [0.25, s, 1])\n"
      "    store(a, [0], x * full(f32, [1], [2.0]))\n"
      "    y = full(u64, [2, 2], [[18446744073709551615, 0], [7, 1]])\n"
      "    store(o, [0], reshape(y + 9223372036854775808, [4]))\n"
      "}",
      false },
    { "quotients with rests, and NaN that stay", build_pairs,
      "kernel k(a: f32[N], s: i32) {\n"
      "    q, r = divmod(s, 3)\n"
      "    x = load(a, [q], [8]); x = minimum(x, 4.0, ftz=true, nan=true); x = maximum(x, 2.0, "
      "nan=true)\n"
      "    x = x * min(x, ftz=true, nan=true)\n"
      "    store(a, [r], x); store(a, [s % 5], x)\n"
      "}",
      false },
    { "constants are computed, and take dtypes", build_constants,
      "kernel k(a: f32[N], s: i32, b: bool) {\n"
      "    x = s + (-(-5) - 2)\n"
      "    x = x & ~0\n"
      "    x = where(true, x, 7)\n"
      "    y = b ^ true\n"
      "    if 1 < 2.5 { if y { store(a, [x], exp(1.0)) } } else { store(a, [9], 9.0) }\n"
      "}",
      false },
    { "every elementwise function", build_elementwise,
      "kernel k(a: f32[N], i: i32[N]) {\n"
      "    x = load(a, [0], [8]); n = load(i, [0], [8])\n"
      "    x = -x; x = abs(x); x = exp(x); x = exp2(x); x = expm1(x); x = log(x); x = log2(x)\n"
      "    x = log1p(x); x = sqrt(x); x = rsqrt(x); x = sin(x); x = cos(x); x = tan(x)\n"
      "    x = sinh(x); x = cosh(x); x = tanh(x); x = erf(x); x = sigmoid(x); x = floor(x)\n"
      "    x = ceil(x); x = round(x); x = trunc(x); x = pow(x, 2.0); x = atan2(x, 3.0)\n"
      "    x = copysign(x, copysign(3.0, -4.0))\n"
      "    x = minimum(x, 4.0, nan=true); x = maximum(x, 5.0, nan=true); x = x % 6.0\n"
      "    x = x - min(x, nan=true); x = x - max(x, 0, nan=true); x = x * prod(x, 0)\n"
      "    q = isinf(x); c = isnan(x) | q; c = c & (x >= 0.0); c = c & (x <= 1.0)\n"
      "    n = ~n; n = cdiv(n, 3); n = n >> 1; n = where(c, n, 0)\n"
      "    store(i, [0], n); store(a, [0], x); store(a, [num_blocks(2)], 0.0)\n"
      "}",
      false },
    { "orders, scopes and hints", build_hints,
      "kernel k(a: i32[N]) {\n"
      "    x = load(a, [0], [8], latency=3, tma=true, cache=stream)\n"
      "    y = load_at(a, [0], [8], order=acquire, scope=system)\n"
      "    z = gather(a, [x], order=relaxed, tma=false)\n"
      "    store(a, [0], y, order=release, scope=block)\n"
      "    store_at(a, [0], x, cache=first, inside=true)\n"
      "    scatter(a, [x], z, cache=last)\n"
      "    o = atomic_max(a, [x], y, order=relaxed, scope=device); o = atomic_min(a, [x], y)\n"
      "    o = atomic_and(a, [x], y); o = atomic_or(a, [x], y); o = atomic_xor(a, [x], y)\n"
      "    store_max(a, [0], y); store_min(a, [0], y); store_and(a, [0], y); store_or(a, [0], y)\n"
      "    store_xor(a, [0], 1, shape=[4])\n"
      "}",
      false },
    { "scans by functions, and products", build_scans,
      "fn add(x, y) { return x + y }\n"
      "fn last(a, b, x, y) { return a, y }\n"
      "kernel k(a: f64[M, N]) {\n"
      "    x = load(a, [0, 0], [4, 8])\n"
      "    r = scan(add, [x], 1, [0.0], reverse=true)\n"
      "    r, q = scan(last, [r, sum(x, 0, 1)], 0, [0.0, 0.0])\n"
      "    store(a, [0, 0], r + q)\n"
      "    y = trans(x) @ x\n"
      "    store(a, [0, 0], mma(x, y, x))\n"
      "    f = zeros(f32, [2, 2])\n"
      "    store(a, [1, 1], mma(f, f, f, precision=tf32x3, fast_acc=true))\n"
      "}",
      false },
    { "arms and loops that are left in every way", build_nested,
      "kernel k(a: i32[N], s: i32) {\n"
      "    x = s; y = s * 2; z = s * 3\n"
      "    for i in 0 .. s {\n"
      "        for j in i .. s step 4 {\n"
      "            if j > z { y = x; break } else { x = x + y }\n"
      "            if j == 2 { continue }\n"
      "            y = y + 1\n"
      "        }\n"
      "        if x == 3 { return } else { if x == 4 { break } else { continue } }\n"
      "    }\n"
      "    if s == 5 { x = 1; y = z } else { y = z }\n"
      "    store(a, [0], x + y + z)\n"
      "}",
      false },
    { "what stands behind a way out is not put in", build_behind,
      "kernel k(a: i32[N], s: i32) {\n"
      "    x = s; y = -s\n"
      "    while true {\n"
      "        x = x - 1\n"
      "        if x < 0 { return }\n"
      "        break\n"
      "    }\n"
      "    store(a, [0], x - y)\n"
      "}",
      false },
    { "extents, facts and grids", build_host,
      "kernel k(n: i64, a: f32[M, 2 * M + n], b: f32[M, n, 64, 2 * 3], c: f32[])\n"
      "    where n % 2 == 0 or not (n > 3), align(a, 16), unit(a, 1), stride(a, 0) >= dim(a, 1)\n"
      "    grid maximum(M, n), where(n > 4, 1, -n), 3\n"
      "{ store(c, [], a[M, 0]) }\n"
      "kernel second(a: f32[]) { store(a, [], 1.0) }",
      false },
};

// Returns the page's program that contains this kernel; the caller frees it.
static char *page_program(const char *kernel)
{
    char *page = malloc(1 << 18), head[64];
    FILE *f = fopen(PAGE, "rb");

    ck_assert_msg(page && f, "%s cannot be read", PAGE);
    page[fread(page, 1, (1 << 18) - 1, f)] = '\0';
    fclose(f);
    snprintf(head, sizeof(head), "kernel %s(", kernel);
    char *at = strstr(page, head), *from = page;
    ck_assert_msg(at != NULL, "%s is not on the page", kernel);
    for (char *next; (next = strstr(from, "```tile\n")) && next < at;)
        from = next + strlen("```tile\n");
    *strstr(at, "```") = '\0';
    memmove(page, from, strlen(from) + 1);
    return page;
}

CASE("builder", .timeout = 60);

TEST_ROWS(calls_give_the_ir_that_the_text_gives, sames)
{
    const struct same *s = &sames[_i];
    cuc_tile_program *p = program();
    const char *source = NULL;

    s->build(p);
    cuc_status st = cuc_tile_program_finish(&source, p);
    ck_assert_msg(st == CUC_OK, "%s:\n%s", s->name, cuc_tile_program_log(p));
    char *text = s->text ? strdup(s->text) : page_program(s->name);
    char *expected = parsed(text, s->without_dead_code);
    char *printed = parsed(source, s->without_dead_code); // the text that users see
    char *got = numbered(p->module, s->without_dead_code);
    ck_assert_msg(strcmp(got, expected) == 0, "%s: expected\n%s\ngot\n%s", s->name, expected, got);
    char *again = parsed(expected, false);
    ck_assert_str_eq(printed, again);
    free(text);
    free(expected);
    free(printed);
    free(got);
    free(again);
    cuc_tile_program_release(p);
}

// Checks that the builder has a function for each call of the language. Operators are tested above.
#define HAS(name)                              \
    {                                          \
#name, (void (*)(void))cuc_tile_##name \
    }
#define LISTED(function, op, text) { TILE_OP_OF(function), (void (*)(void))function },
static const struct {
    const char *call;
    void (*function)(void);
} calls[] = {
    // clang-format off
    HAS(load), HAS(load_at), HAS(load_rows), HAS(store), HAS(store_at), HAS(store_rows),
    HAS(gather), HAS(scatter), HAS(atomic_cas), HAS(slice), HAS(topk), HAS(histogram),
    { "rank", (void (*)(void))cuc_tile_rank_digits }, HAS(place),
    HAS(reduce), HAS(scan), HAS(zeros), HAS(full), HAS(iota), HAS(broadcast), HAS(reshape),
    HAS(permute), HAS(squeeze), HAS(trans), HAS(cat), HAS(take), HAS(extract), HAS(insert),
    HAS(shift), HAS(roll), HAS(cast), HAS(bitcast), HAS(divmod), HAS(assume), HAS(block),
    HAS(num_blocks), HAS(dim), HAS(stride), HAS(mma), HAS(philox), HAS(asm), HAS(assert),
    HAS(print), HAS(grid_dependency_wait), HAS(grid_dependency_launch), HAS(fma), HAS(where),
    HAS(gradient), HAS(gradient_at),
    CUC_TILE_UNARY_LIST(LISTED) CUC_TILE_BINARY_LIST(LISTED) CUC_TILE_STORE_LIST(LISTED)
    CUC_TILE_ATOMIC_LIST(LISTED) CUC_TILE_REDUCE_LIST(LISTED) CUC_TILE_ALONG_LIST(LISTED)
    CUC_TILE_SCAN_LIST(LISTED)
    // clang-format on
};

static bool has_function(const char *call)
{
    for (size_t i = 0; i < CUC_LENGTH(calls); i++)
        if (strcmp(calls[i].call, call) == 0)
            return calls[i].function != NULL;
    return false;
}

TEST(every_call_of_the_language_has_a_function)
{
    for (size_t i = 0; tile_call_tables[i]; i++)
        for (const struct tile_call_row *row = tile_call_tables[i]; row->name; row++)
            ck_assert_msg(has_function(row->name), "%s", row->name);
    for (int kind = 0; kind < TILE_OP_COUNT; kind++)
        ck_assert_msg(!tile_is_builtin(tile_op_infos[kind].name) ||
                          has_function(tile_op_infos[kind].name),
                      "%s", tile_op_infos[kind].name);
}

TEST(names_go_into_the_text)
{
    cuc_tile_program *p = program();
    const char *source;

    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    cuc_tile row = cuc_tile_name(K, cuc_tile_block(K, 0), "row");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(row), CUC_SHAPE(8), NULL);
    ck_assert_uint_eq(cuc_tile_name(K, x, "x"), x);
    cuc_tile y = cuc_tile_name(K, cuc_tile_exp(K, x), "x");
    cuc_tile_store(K, a, CUC_TILES(row), y, NULL);
    cuc_tile_kernel_end(K);
    ck_assert_int_eq(cuc_tile_program_finish(&source, p), CUC_OK);
    ck_assert_str_eq(source, "tile 1\n"
                             "kernel k(a: f32[N])\n"
                             "{\n"
                             "    row = block(0)\n"
                             "    x = load(a, [row], [8])\n"
                             "    x_0 = exp(x)\n"
                             "    store(a, [row], x_0, shape=[8])\n"
                             "}\n");
    const char *again;
    ck_assert_int_eq(cuc_tile_program_finish(&again, p), CUC_OK);
    ck_assert_ptr_eq(again, source);
    cuc_tile_program_release(p);
}

TEST(types_can_be_queried)
{
    cuc_tile_program *p = program(), *other = program();

    cuc_tile_kernel_begin(K, "k");
    cuc_tile a = cuc_tile_tensor(K, "a", CUC_F16, "M, N");
    cuc_tile x = cuc_tile_load(K, a, CUC_TILES(I(0), I(0)), CUC_SHAPE(4, 8), NULL);
    cuc_tile n = cuc_tile_dimension(K, "N");
    cuc_tile_variable v = cuc_tile_declare(K, NULL, x);
    ck_assert_int_eq(cuc_tile_dtype(p, a), CUC_F16);
    ck_assert_int_eq(cuc_tile_rank(p, a), 2);
    ck_assert_int_eq(cuc_tile_extent(p, a, 0), -1);
    ck_assert_int_eq(cuc_tile_dtype(p, x), CUC_F16);
    ck_assert_int_eq(cuc_tile_rank(p, x), 2);
    ck_assert_int_eq(cuc_tile_extent(p, x, 1), 8);
    ck_assert_int_eq(cuc_tile_extent(p, x, 2), -1);
    ck_assert_int_eq(cuc_tile_extent(p, x, -1), -1);
    ck_assert_int_eq(cuc_tile_dtype(p, n), CUC_I64);
    ck_assert_int_eq(cuc_tile_rank(p, n), 0);
    ck_assert_int_eq(cuc_tile_dtype(p, I(1)), CUC_DTYPE_UNKNOWN);
    ck_assert_int_eq(cuc_tile_dtype(p, cuc_tile_bool(K, 1)), CUC_BOOL);
    ck_assert_int_eq(cuc_tile_rank(p, I(1)), 0);
    const cuc_tile wrong[] = { 0, v, 0xffffffff, cuc_tile_int(CUC_HERE(other), 1) };
    for (size_t i = 0; i < CUC_LENGTH(wrong); i++) {
        ck_assert_int_eq(cuc_tile_dtype(p, wrong[i]), CUC_DTYPE_UNKNOWN);
        ck_assert_int_eq(cuc_tile_rank(p, wrong[i]), -1);
        ck_assert_int_eq(cuc_tile_extent(p, wrong[i], 0), -1);
    }
    ck_assert_int_eq(cuc_tile_rank(NULL, x), -1);
    ck_assert_str_eq(cuc_tile_program_log(p), "");
    cuc_tile_program_release(other);
    cuc_tile_program_release(p);
}

// Without memory

TEST_ROWS(a_lack_of_memory_is_reported_at_the_end_and_nothing_is_left, sames)
{
    const struct same *s = &sames[_i];

    for (long n = 1;; n++) {
        cuc_tile_program *p;
        cuc__arena_free_spares();
        long live = wrap_live;
        bool failed = false;
        wrap_failed = 0;
        wrap_fail_in = n;
        wrap_fail_more = 1000000;
        cuc_status st = cuc_tile_program_create(&p);
        if (st == CUC_OK) {
            s->build(p);
            st = cuc_tile_program_finish(NULL, p);
            failed = wrap_failed > 0;
            cuc_tile_program_log(p);
            cuc_tile_program_release(p);
        }
        failed |= st != CUC_OK && wrap_failed > 0;
        wrap_fail_in = wrap_fail_more = 0;
        ck_assert_int_eq(st, failed ? CUC_ERROR_OUT_OF_MEMORY : CUC_OK);
        cuc_error_clear();
        cuc__arena_free_spares();
        ck_assert_int_eq(wrap_live, live);
        if (!wrap_failed)
            break;
    }
}

int main(void)
{
    return run_tests("tile builder");
}
