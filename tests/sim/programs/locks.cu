// Locks between lanes of a warp, and between blocks.
extern "C" __global__ void spin_lock(int *lock, int *count, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        while (atomicCAS(lock, 0, 1) != 0) { }
        __threadfence();
        *(volatile int *)count = *(volatile int *)count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void ticket_lock(unsigned *next, volatile unsigned *serving, int *order,
                                       int *count)
{
    unsigned own = atomicAdd(next, 1);
    while (*serving != own)
        __nanosleep(20);
    __threadfence();
    order[(*count)++] = own;
    __threadfence();
    *serving = own + 1;
}
