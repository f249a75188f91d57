// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: convolutionSeparable: threads load the halo of the tile, constants for the taps, guarded edges
#include "../array.h"

constexpr int radius = 4, width = 64;
__constant__ float taps[2 * radius + 1];

__global__ void rows(const float *in, float *out, int n)
{
    __shared__ float s[width + 2 * radius];
    int t = threadIdx.x, i = blockIdx.x * width + t;
    s[t + radius] = i < n ? in[i] : 0;
    if (t < radius) {
        s[t] = i >= radius ? in[i - radius] : 0;
        s[t + width + radius] = i + width < n ? in[i + width] : 0;
    }
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = -radius; k <= radius; k++) sum += taps[radius + k] * s[t + radius + k];
    if (i < n) out[i] = sum;
}

int main()
{
    const int n = 333;
    std::vector<float> host(n), got;
    float some[2 * radius + 1];
    for (int i = 0; i < n; i++) host[i] = (float)(i % 11);
    for (int k = 0; k <= 2 * radius; k++) some[k] = (float)(k + 1);
    CHECK(cudaMemcpyToSymbol(taps, some, sizeof some));
    array<float> in(host), out(n);
    rows<<<(n + width - 1) / width, width>>>(in, out, n);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = -radius; k <= radius; k++)
            if (i + k >= 0 && i + k < n) sum += some[radius + k] * host[i + k];
        ok &= got[i] == sum;
    }
    return verdict(ok);
}
