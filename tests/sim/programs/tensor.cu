// Matrix products on the tensor cores, through wmma and through mma.sync with ldmatrix.
#include <cuda_fp16.h>
#include <mma.h>

// One warp for each 16 x 16 tile of C; sizes are multiples of 16.
extern "C" __global__ void matmul_wmma(const __half *a, const __half *b, float *c, int m, int n,
                                       int k)
{
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    int row = blockIdx.y * 16, col = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
    if (col >= n)
        return;
    fill_fragment(fc, 0.0f);
    for (int t = 0; t < k; t += 16) {
        load_matrix_sync(fa, a + row * k + t, k);
        load_matrix_sync(fb, b + t * n + col, n);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(c + row * n + col, fc, n, mem_row_major);
}

__device__ unsigned shared_address(const void *p)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// One warp for each 16 x 8 tile of C; A goes through shared memory with ordinary copies.
template <bool async>
__device__ void matmul_mma(const __half *a, const __half *b, float *c, int n, int k)
{
    __shared__ alignas(16) __half ta[16][16], tb[16][8];
    int lane = threadIdx.x, row = blockIdx.y * 16, col = blockIdx.x * 8;
    float d[4] = {};
    for (int t = 0; t < k; t += 16) {
        const __half *pa = &a[(row + lane / 2) * k + t + lane % 2 * 8];
        const __half *pb = &b[(t + lane % 16) * n + col];
        if (async) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             shared_address(&ta[lane / 2][lane % 2 * 8])),
                         "l"(pa)
                         : "memory");
            if (lane < 16)
                asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(
                                 shared_address(tb[lane])),
                             "l"(pb)
                             : "memory");
            asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
        } else {
            *(uint4 *)&ta[lane / 2][lane % 2 * 8] = *(const uint4 *)pa;
            if (lane < 16)
                *(uint4 *)tb[lane] = *(const uint4 *)pb;
        }
        __syncwarp();
        unsigned fa[4], fb[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                     : "r"(shared_address(&ta[lane % 16][lane / 16 * 8])));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1])
                     : "r"(shared_address(tb[lane % 16])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        __syncwarp();
    }
    float *out = c + (row + lane / 4) * n + col + lane % 4 * 2;
    *(float2 *)out = make_float2(d[0], d[1]);
    *(float2 *)(out + 8 * n) = make_float2(d[2], d[3]);
}

extern "C" __global__ void matmul_ldmatrix(const __half *a, const __half *b, float *c, int n, int k)
{
    matmul_mma<false>(a, b, c, n, k);
}

#ifdef ASYNC
extern "C" __global__ void matmul_async(const __half *a, const __half *b, float *c, int n, int k)
{
    matmul_mma<true>(a, b, c, n, k);
}
#endif
