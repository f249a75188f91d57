// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: lock elision: the fast path reads a plain flag and the table without the lock, fence or acquire
#include "../array.h"

__device__ int ready, lock, table[32];

__global__ void use(int *out)
{
    if (threadIdx.x == 0 && !ready) { // BUG
        while (atomicCAS(&lock, 0, 1) != 0) {}
        __threadfence();
        if (!ready) { // BUG
            for (int i = 0; i < 32; i++) table[i] = i * i; // BUG
            __threadfence();
            ready = 1; // BUG
        }
        __threadfence();
        atomicExch(&lock, 0);
    }
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = table[threadIdx.x]; // BUG
}

int main()
{
    array<int> out(128);
    use<<<4, 32>>>(out);
    return verdict(out.get()[127] == 31 * 31);
}
