// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: a deadlock: each block waits for the other's flag before it sets its own
#include "../checks.h"

__global__ void rendezvous(volatile int *flags, int *out)
{
    if (threadIdx.x == 0) {
        int other = 1 - blockIdx.x;
        while (flags[other] == 0) continue; // BUG
        flags[blockIdx.x] = 1;
    }
    __syncthreads(); // BUG
    out[blockIdx.x * 64 + threadIdx.x] = 1;
}

int main()
{
    int *flags, *out;
    CHECK(cudaMalloc(&flags, 2 * sizeof(int)));
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    CHECK(cudaMemset(flags, 0, 2 * sizeof(int)));
    rendezvous<<<2, 64>>>(flags, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(flags);
    cudaFree(out);
    return 0;
}
