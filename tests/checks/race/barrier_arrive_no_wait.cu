// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: cuda::barrier: arrive does not wait; what others wrote before their arrival is visible after wait only
#include "../checks.h"
#include <cuda/barrier>

__global__ void exchange(int *data)
{
    __shared__ int s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    int t = threadIdx.x;
    if (t == 0) init(&barrier, blockDim.x);
    __syncthreads();
    s[t] = data[t]; // BUG
    (void)barrier.arrive();
    data[t] = s[127 - t]; // BUG
}

int main()
{
    int host[128], *data;
    for (int i = 0; i < 128; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    exchange<<<1, 128>>>(data);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    return 0;
}
