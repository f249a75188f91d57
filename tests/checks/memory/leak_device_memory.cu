// SPDX-License-Identifier: Apache-2.0
// expect: error|warning memory
// silent: yes
// why: memcheck, leak checking: allocations of cudaMalloc that were not freed when the context is destroyed
#include "../checks.h"

__global__ void square(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= data[i];
}

static bool process(int n)
{
    float *data, *scratch;
    CHECK(cudaMalloc(&data, n * sizeof(float)));
    CHECK(cudaMalloc(&scratch, n * sizeof(float))); // BUG
    CHECK(cudaMemset(data, 0, n * sizeof(float)));
    square<<<(n + 127) / 128, 128>>>(data, n);
    CHECK(cudaMemcpy(scratch, data, n * sizeof(float), cudaMemcpyDeviceToDevice));
    CHECK(cudaFree(data));
    return true;
}

int main()
{
    bool ok = true;
    for (int i = 0; i < 3; i++) ok &= process(500 + i);
    CHECK(cudaDeviceReset());
    return verdict(ok);
}
