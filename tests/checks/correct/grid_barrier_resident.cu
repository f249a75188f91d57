// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a barrier of one's own over blocks that are all resident: sense-reversing, fences on both sides
#include "../array.h"

__device__ void grid_barrier(unsigned *count, volatile unsigned *generation)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned now = *generation;
        __threadfence();
        if (atomicAdd(count, 1u) == gridDim.x - 1) {
            *(volatile unsigned *)count = 0;
            __threadfence();
            *generation = now + 1;
        } else {
            while (*generation == now) continue;
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void iterate(int *a, int *b, int n, unsigned *barrier)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < 4; step++) {
        int *from = step % 2 ? b : a, *to = step % 2 ? a : b;
        if (i < n) to[i] = from[(i + 1) % n] + from[(i + n - 1) % n];
        grid_barrier(&barrier[0], &barrier[1]);
    }
}

int main()
{
    const int n = 300;
    std::vector<int> now = random_ints(n, 10), next(n);
    array<int> a(now), b(n);
    array<unsigned> barrier(2);
    barrier.zero();
    iterate<<<5, 64>>>(a, b, n, barrier);
    for (int step = 0; step < 4; step++, now = next)
        for (int i = 0; i < n; i++) next[i] = now[(i + 1) % n] + now[(i + n - 1) % n];
    return verdict(a.get() == now);
}
