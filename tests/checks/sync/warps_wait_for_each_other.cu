// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: a deadlock: the warps wait at two named barriers in opposite orders
#include "../checks.h"

__global__ void exchange(int *data)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = data[t];
    if (t < 32) {
        asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG
        asm volatile("bar.sync 2, 64;" ::: "memory"); // BUG
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory"); // BUG
        asm volatile("bar.sync 1, 64;" ::: "memory"); // BUG
    }
    data[t] = s[63 - t];
}

int main()
{
    int host[64], *data;
    for (int i = 0; i < 64; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    exchange<<<1, 64>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
