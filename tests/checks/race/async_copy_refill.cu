// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: cp.async may write its destination as soon as it is issued: the stage is refilled while other warps read it
#include "../array.h"
#include <cuda_pipeline.h>

__global__ void sums(const int *in, int *out, int tiles)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4); // BUG
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i & 1][127 - t]; // BUG
    }
    out[t] = sum;
}

int main()
{
    array<int> in(random_ints(128 * 6, 20)), out(128);
    sums<<<1, 128>>>(in, out, 6);
    return verdict(out.get()[0] >= 0);
}
