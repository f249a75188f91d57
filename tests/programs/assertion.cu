// SPDX-License-Identifier: Apache-2.0
/* assert in a kernel: what it says, and the error that stays until the program ends. */
#include <cassert>
#include <cstring>

#include "check.h"

__global__ void all_below(const int *x, int most)
{
    assert(x[blockIdx.x * blockDim.x + threadIdx.x] < most);
}

int main()
{
    const int n = 128;
    int host[n], *x;
    for (int i = 0; i < n; i++)
        host[i] = i;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    all_below<<<2, 64>>>(x, 128);
    CHECK(cudaDeviceSynchronize());
    all_below<<<2, 64>>>(x, 100);
    bool ok = cudaDeviceSynchronize() == cudaErrorAssert;
    ok &= cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorAssert;
    ok &= cudaGetLastError() == cudaErrorAssert && !strcmp(cudaGetErrorName(cudaErrorAssert), "cudaErrorAssert");
    return verdict(ok);
}
