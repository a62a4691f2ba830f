// Sorts in shared memory, and a selection that allocates on the device heap.
extern "C" __global__ void sort_bitonic(unsigned *x, int n)
{
    extern __shared__ unsigned key[];
    int size = 2 * blockDim.x;
    for (int i = threadIdx.x; i < size; i += blockDim.x)
        key[i] = i < n ? x[i] : ~0u;
    for (int run = 2; run <= size; run *= 2) {
        for (int d = run / 2; d; d /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - (threadIdx.x & (d - 1));
            bool up = (low & run) == 0;
            unsigned a = key[low], b = key[low + d];
            if ((a > b) == up) {
                key[low] = b;
                key[low + d] = a;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = key[i];
}

extern "C" __global__ void sort_odd_even(int *x, int n)
{
    for (int round = 0; round < n; round++) {
        for (int i = 2 * threadIdx.x + round % 2; i + 1 < n; i += 2 * blockDim.x) {
            int a = x[i], b = x[i + 1];
            x[i] = min(a, b);
            x[i + 1] = max(a, b);
        }
        __syncthreads();
    }
}

// Each thread finds the k-th smallest element of its own part.
extern "C" __global__ void select(const int *x, int *out, int *failed, int part, int k)
{
    int *own = (int *)malloc(part * sizeof(int));
    if (!own) {
        atomicAdd(failed, 1);
        return;
    }
    int t = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = part - 1;
    for (int i = 0; i < part; i++)
        own[i] = x[t * part + i];
    while (low < high) {
        int pivot = own[(low + high) / 2], i = low, j = high;
        while (i <= j) {
            while (own[i] < pivot)
                i++;
            while (own[j] > pivot)
                j--;
            if (i <= j) {
                int v = own[i];
                own[i++] = own[j];
                own[j--] = v;
            }
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    out[t] = own[k];
    free(own);
}
