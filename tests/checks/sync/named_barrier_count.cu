// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: PTX bar: the count is that of the threads that take part; three warps are expected, two come
#include "../checks.h"

__global__ void pairs(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[t];
    if (t < 64) {
        asm volatile("bar.sync 1, 96;" ::: "memory"); // BUG
        data[t] = s[63 - t];
    } else {
        asm volatile("bar.sync 2, 64;" ::: "memory");
        data[t] = s[191 - t];
    }
}

int main()
{
    int host[128], *data;
    for (int i = 0; i < 128; i++) host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    pairs<<<1, 128>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    return 0;
}
