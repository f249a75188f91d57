// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: cuda-samples' reduction: the second step takes the lanes of a ballot only, and reads lanes of it
#include "../array.h"

__device__ __forceinline__ int warp_sum(unsigned mask, int value)
{
    for (int k = 16; k > 0; k /= 2) value += __shfl_down_sync(mask, value, k);
    return value;
}

__global__ void sum(const int *in, int *out, unsigned n)
{
    extern __shared__ int partial[];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t, threads = blockDim.x;
    unsigned rest = threads & 31, mask = 0xffffffffu >> ((32 - rest) & 31);
    int value = 0;
    for (; i < n; i += 2 * gridDim.x * threads) {
        value += in[i];
        if (i + threads < n) value += in[i + threads];
    }
    if (t / 32 < threads / 32) mask = 0xffffffffu;
    value = warp_sum(mask, t / 32 < threads / 32 || t % 32 < rest ? value : 0);
    if (t % 32 == 0) partial[t / 32] = value;
    __syncthreads();
    unsigned warps = (threads + 31) / 32;
    unsigned ballot = __ballot_sync(mask, t < warps);
    if (t < warps) {
        value = partial[t];
        for (unsigned k = 16; k > 0; k /= 2) {
            int other = __shfl_sync(ballot, value, min(t + k, warps - 1));
            if (t + k < warps && t < k) value += other;
        }
        if (t == 0) atomicAdd(out, value);
    }
}

int main()
{
    const int n = 2000;
    std::vector<int> host = random_ints(n, 100);
    array<int> in(host), out(1);
    int wanted = 0;
    bool ok = true;
    for (int one : host) wanted += one;
    for (int threads : {128, 96, 64}) {
        out.zero();
        sum<<<3, threads, 16>>>(in, out, n);
        ok &= out.get()[0] == wanted;
    }
    return verdict(ok);
}
