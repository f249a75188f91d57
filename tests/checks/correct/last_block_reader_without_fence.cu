// SPDX-License-Identifier: Apache-2.0
// expect: warning race
// why: issue: no fence on the reader's side, as in NVIDIA's threadFenceReduction, is a warning
#include "../array.h"

__device__ unsigned retired = 0;

__global__ void total(const int *in, int *partial, int *out, int n)
{
    __shared__ bool is_last;
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 32 + t; i < n; i += gridDim.x * 32) sum += in[i];
    for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (t == 0) {
        partial[blockIdx.x] = sum; // BUG
        __threadfence();
        is_last = atomicInc(&retired, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last) {
        sum = t < gridDim.x ? partial[t] : 0; // BUG
        for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (t == 0) *out = sum, retired = 0;
    }
}

int main()
{
    const int n = 3000;
    array<int> in(std::vector<int>(n, 3)), partial(24), out(1);
    total<<<24, 32>>>(in, partial, out, n);
    return verdict(out.get()[0] == 3 * n);
}
