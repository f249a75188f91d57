// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: cuda::barrier: it is initialised for all threads, but only the warps with work arrive
#include "../checks.h"
#include <cuda/barrier>

__global__ void exchange(int *data, int n)
{
    __shared__ int s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int t = threadIdx.x;
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
    if (t >= n) return;
    s[t] = data[t];
    barrier.arrive_and_wait(); // BUG
    data[t] = s[n - 1 - t];
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 128 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 128 * sizeof(int)));
    exchange<<<1, 128>>>(data, 96);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
