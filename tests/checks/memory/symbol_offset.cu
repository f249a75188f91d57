// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaMemcpyToSymbol: offset and size must lie within the variable
#include "../array.h"
__constant__ float taps[9];

__global__ void blur(const float *in, float *out)
{
    float sum = 0;
    for (int k = 0; k < 9; k++) sum += taps[k] * in[threadIdx.x + k];
    out[threadIdx.x] = sum;
}

int main()
{
    array<float> in(std::vector<float>(40, 1.0f)), out(32);
    float host[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
    CHECK(cudaMemcpyToSymbol(taps, host, sizeof host));
    cudaMemcpyToSymbol(taps, host, 5 * sizeof(float), 5 * sizeof(float)); // BUG
    blur<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    return 0;
}
