// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: double buffering by __pipeline_memcpy_async, each stage waited for and then a barrier
#include "../array.h"
#include <cuda_pipeline.h>

__global__ void stencil(const float *in, float *out, int tiles)
{
    __shared__ float s[2][128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(float));
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 128 + t], sizeof(float));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[i * 128 + t] = s[i % 2][t] + s[i % 2][t ^ 127];
        __syncthreads();
    }
}

int main()
{
    const int tiles = 5;
    std::vector<float> host(tiles * 128), got;
    for (size_t i = 0; i < host.size(); i++) host[i] = (float)(i * 7 % 31);
    array<float> in(host), out(host.size());
    stencil<<<1, 128>>>(in, out, tiles);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < tiles * 128; i++) ok &= got[i] == host[i] + host[i / 128 * 128 + (i % 128 ^ 127)];
    return verdict(ok);
}
