// Barriers in shared memory, and asynchronous copies.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

// Two producer warps and two consumer warps share a ring of two buffers.
extern "C" __global__ void produce_consume(const int *x, int *out, int rounds)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int buffer[2][64];
    __shared__ alignas(8) char room[4 * sizeof(barrier)];
    barrier *full = reinterpret_cast<barrier *>(room), *empty = full + 2;
    if (threadIdx.x == 0)
        for (int i = 0; i < 4; i++)
            init(full + i, 128);
    __syncthreads();
    int t = threadIdx.x % 64;
    if (threadIdx.x < 64) {
        for (int r = 0; r < rounds; r++) {
            empty[r % 2].arrive_and_wait();
            buffer[r % 2][t] = 3 * x[r * 64 + t] + 1;
            (void)full[r % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int r = 0; r < rounds; r++) {
            full[r % 2].arrive_and_wait();
            out[r * 64 + t] = buffer[r % 2][63 - t];
            (void)empty[r % 2].arrive();
        }
    }
}

// Copies run two stages ahead of the additions.
extern "C" __global__ void pipelined(const int *x, int *out, int rounds)
{
    namespace cg = cooperative_groups;
    cg::thread_block block = cg::this_thread_block();
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stage[2][128];
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0, next = 0;
    for (int r = 0; r < rounds; r++) {
        for (; next < rounds && next < r + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[next % 2], x + next * 128, sizeof(stage[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[r % 2][127 - threadIdx.x] * (r + 1);
        block.sync();
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
