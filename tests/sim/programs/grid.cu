// Stencils, transposes, tiles.
extern "C" __global__ void stencil_line(const float *x, float *y, int n)
{
    enum { R = 3 };
    __shared__ float tile[128 + 2 * R];
    int i = blockIdx.x * 128 + threadIdx.x, t = threadIdx.x + R;
    tile[t] = i < n ? x[i] : 0;
    if (threadIdx.x < R) {
        tile[t - R] = i >= R ? x[i - R] : 0;
        tile[t + 128] = i + 128 < n ? x[i + 128] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = -R; k <= R; k++)
        sum += tile[t + k];
    if (i < n)
        y[i] = sum / (2 * R + 1);
}

extern "C" __global__ void stencil_plane(const float *x, float *y, int width, int height)
{
    __shared__ float tile[18][18];
    int left = blockIdx.x * 16 - 1, top = blockIdx.y * 16 - 1;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18; k += 256) {
        int px = left + k % 18, py = top + k / 18;
        bool in = px >= 0 && px < width && py >= 0 && py < height;
        tile[k / 18][k % 18] = in ? x[py * width + px] : 0;
    }
    __syncthreads();
    int px = left + 1 + threadIdx.x, py = top + 1 + threadIdx.y, i = threadIdx.x + 1;
    int j = threadIdx.y + 1;
    if (px < width && py < height)
        y[py * width + px] = tile[j - 1][i] + tile[j + 1][i] + tile[j][i - 1] + tile[j][i + 1] -
                             4 * tile[j][i];
}

extern "C" __global__ void stencil_volume(const double *x, double *y, int3 size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int k = blockIdx.z * blockDim.z + threadIdx.z, row = size.x, plane = size.x * size.y;
    if (i >= size.x || j >= size.y || k >= size.z)
        return;
    int at = k * plane + j * row + i;
    bool edge = i == 0 || j == 0 || k == 0 || i == size.x - 1 || j == size.y - 1 || k == size.z - 1;
    y[at] = edge ? x[at]
                 : (x[at - 1] + x[at + 1] + x[at - row] + x[at + row] + x[at - plane] +
                    x[at + plane]) / 6;
}

extern "C" __global__ void transpose(const float *x, float *y, int width, int height)
{
    __shared__ float tile[32][33];
    int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (i < width && j + k < height)
            tile[threadIdx.y + k][threadIdx.x] = x[(j + k) * width + i];
    __syncthreads();
    i = blockIdx.y * 32 + threadIdx.x;
    j = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (i < height && j + k < width)
            y[(j + k) * height + i] = tile[threadIdx.x][threadIdx.y + k];
}

// Uses more dynamic shared memory than the default limit: sums columns of a tile that fills it.
extern "C" __global__ void big_shared(const int *x, int *sums, int rows)
{
    extern __shared__ int whole[];
    for (int k = threadIdx.x; k < rows * 128; k += blockDim.x)
        whole[k] = x[k];
    __syncthreads();
    if (threadIdx.x < 128) {
        int sum = 0;
        for (int r = rows - 1; r >= 0; r--)
            sum += whole[r * 128 + threadIdx.x] * (r + 1);
        sums[threadIdx.x] = sum;
    }
}
