// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: reads beyond a __constant__ variable; the filter has 9 taps, the loop takes 10
#include "../checks.h"

__constant__ float taps[9];
__constant__ float gain[4];

__global__ void filter(const float *in, float *out, int n, int radius)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k <= 2 * radius + 1; k++) sum += taps[k] * in[min(i + k, n - 1)]; // BUG
    out[i] = sum * gain[0];
}

int main()
{
    const int n = 256;
    float host[n], *in, *out, some[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, one[4] = {1, 1, 1, 1};
    for (int i = 0; i < n; i++) host[i] = 1.0f;
    CHECK(cudaMemcpyToSymbol(taps, some, sizeof some));
    CHECK(cudaMemcpyToSymbol(gain, one, sizeof one));
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    filter<<<2, 128>>>(in, out, n, 4);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(host[0] >= 9);
}
