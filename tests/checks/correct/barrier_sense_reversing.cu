// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: barrier of all blocks by atomicInc, which wraps, and a generation; used again and again
#include "../array.h"

__device__ unsigned arrived;
__device__ volatile unsigned generation;

__device__ void meet()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned before = generation;
        __threadfence();
        if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
            __threadfence();
            generation = before + 1;
        } else {
            while (generation == before) {}
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void rotate(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 5; k++) {
        b[(i + 37) % n] = a[i] + 1;
        meet();
        a[i] = b[i];
        meet();
    }
}

int main()
{
    const int n = 192;
    std::vector<int> host = random_ints(n, 100), wanted(n);
    for (int i = 0; i < n; i++) wanted[(i + 5 * 37) % n] = host[i] + 5;
    array<int> a(host), b(n);
    rotate<<<3, 64>>>(a, b, n);
    return verdict(a.get() == wanted);
}
