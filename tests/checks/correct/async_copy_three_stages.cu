// SPDX-License-Identifier: Apache-2.0
// expect: none
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: cp.async with three stages: waited for, then a barrier; the stage that is refilled was read before that barrier
#include "../array.h"
#include <cuda_pipeline.h>

__global__ void sums(const int *in, int *out, int tiles)
{
    __shared__ int s[3][128];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&s[i][t], &in[i * 128 + t], 4);
        __pipeline_commit();
    }
    for (int i = 0; i < tiles; i++) {
        __pipeline_wait_prior(1);
        __syncthreads();
        if (i + 2 < tiles) __pipeline_memcpy_async(&s[(i + 2) % 3][t], &in[(i + 2) * 128 + t], 4);
        __pipeline_commit();
        sum += s[i % 3][127 - t];
    }
    out[t] = sum;
}

int main()
{
    const int tiles = 7;
    std::vector<int> host = random_ints(128 * tiles, 20), wanted(128);
    for (int i = 0; i < 128 * tiles; i++) wanted[127 - i % 128] += host[i];
    array<int> in(host), out(128);
    sums<<<1, 128>>>(in, out, tiles);
    return verdict(out.get() == wanted);
}
