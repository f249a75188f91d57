// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the mask of __ballot_sync names exactly the lanes that enter the branch
#include "../array.h"

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] > 50;
    unsigned mask = __ballot_sync(0xffffffffu, keep);
    if (keep) {
        int leader = __ffs(mask) - 1, first = 0;
        if (lane == leader) first = atomicAdd(count, __popc(mask));
        first = __shfl_sync(mask, first, leader);
        out[first + __popc(mask & ((1u << lane) - 1))] = in[i];
    }
}

int main()
{
    const int n = 500;
    std::vector<int> host = random_ints(n, 100);
    array<int> in(host), out(n), count(1);
    out.zero();
    count.zero();
    compact<<<4, 128>>>(in, out, count, n);
    long long sum = 0, got = 0;
    for (int one : host) sum += one > 50 ? one : 0;
    for (int one : out.get()) got += one;
    return verdict(got == sum);
}
