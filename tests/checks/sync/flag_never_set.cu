// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: all blocks wait for a flag that only a block with an index beyond the grid would set
#include "../checks.h"

__global__ void wait_for_last(volatile int *flag, int *out)
{
    if (threadIdx.x == 0) {
        if (blockIdx.x == gridDim.x) *flag = 1; /* gridDim.x - 1 */
        while (*flag == 0) continue; // BUG
    }
    __syncthreads(); // BUG
    out[blockIdx.x * 32 + threadIdx.x] = 1;
}

int main()
{
    int *flag, *out;
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMalloc(&out, 4 * 32 * sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    wait_for_last<<<4, 32>>>(flag, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(flag);
    cudaFree(out);
    return 0;
}
