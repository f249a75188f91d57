// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// why: neighbouring threads, also of other blocks, read cells that this step overwrites
#include "../checks.h"

__global__ void blur(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0 || i >= n - 1) return;
    data[i] = (data[i - 1] + data[i] + data[i + 1]) / 3; // BUG
}

int main()
{
    const int n = 256;
    float host[n], *data;
    for (int i = 0; i < n; i++) host[i] = (float)(i * i % 31);
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    blur<<<8, 32>>>(data, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    return 0;
}
