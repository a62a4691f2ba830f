// Computes c = a * b with mma.sync on f16, accumulating in f32; row-major, n a multiple of 64. A
// block of four warps computes a 64 x 64 tile, each warp a 32 x 32 part of it.
enum { TILE = 64, DEPTH = 32, PAD = 8 };

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void load_four(unsigned r[4], const unsigned short *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(from)));
}

static __device__ void load_four_transposed(unsigned r[4], const unsigned short *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(from)));
}

static __device__ void multiply(float d[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(128)
    matmul(const unsigned short *a, const unsigned short *b, float *c, int n)
{
    __shared__ __align__(16) unsigned short as[TILE][DEPTH + PAD], bs[DEPTH][TILE + PAD];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    int warp_row = warp / 2 * 32, warp_col = warp % 2 * 32;
    float sums[2][4][4] = {};

    for (int k = 0; k < n; k += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += 128) {
            int ar = i / (DEPTH / 8), ac = i % (DEPTH / 8) * 8;
            int br = i / (TILE / 8), bc = i % (TILE / 8) * 8;
            *(uint4 *)&as[ar][ac] = *(const uint4 *)&a[(size_t)(row + ar) * n + k + ac];
            *(uint4 *)&bs[br][bc] = *(const uint4 *)&b[(size_t)(k + br) * n + col + bc];
        }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < DEPTH; step += 16) {
            unsigned fa[2][4], fb[2][4];
            for (int m = 0; m < 2; m++)
                load_four(fa[m], &as[warp_row + 16 * m + lane % 16][step + lane / 16 * 8]);
            for (int j = 0; j < 2; j++)
                load_four_transposed(fb[j],
                                     &bs[step + lane % 16][warp_col + 16 * j + lane / 16 * 8]);
            for (int m = 0; m < 2; m++)
                for (int j = 0; j < 4; j++)
                    multiply(sums[m][j], fa[m], &fb[j / 2][j % 2 * 2]);
        }
        __syncthreads();
    }
    for (int m = 0; m < 2; m++)
        for (int j = 0; j < 4; j++) {
            size_t at = (size_t)(row + warp_row + 16 * m + lane / 4) * n + col + warp_col + 8 * j +
                        lane % 4 * 2;
            c[at] = sums[m][j][0];
            c[at + 1] = sums[m][j][1];
            c[at + 8 * (size_t)n] = sums[m][j][2];
            c[at + 8 * (size_t)n + 1] = sums[m][j][3];
        }
}
