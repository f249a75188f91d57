// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaMemcpyToSymbol: offset plus count must lie in the symbol
#include "../checks.h"

__constant__ float weights[25];

__global__ void apply(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x];
}

int main()
{
    float host[36], *out;
    for (int i = 0; i < 36; i++) host[i] = 1.0f / 36;
    CHECK(cudaMalloc(&out, 25 * sizeof(float)));
    cudaMemcpyToSymbol(weights, host, sizeof host); // BUG
    apply<<<1, 25>>>(out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(out));
    return 0;
}
