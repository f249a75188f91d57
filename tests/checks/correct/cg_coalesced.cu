// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: coalesced_threads() names those that are active; warp-aggregated atomics in a branch
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void filter(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] % 3) return;
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0) first = atomicAdd(count, (int)active.size());
    first = active.shfl(first, 0);
    out[first + active.thread_rank()] = in[i];
}

int main()
{
    const int n = 700;
    std::vector<int> host = random_ints(n, 500);
    array<int> in(host), out(n), count(1);
    out.zero();
    count.zero();
    filter<<<6, 128>>>(in, out, count, n);
    long long sum = 0, kept = 0, got = 0;
    for (int one : host)
        if (one % 3 == 0) sum += one, kept++;
    for (int one : out.get()) got += one;
    return verdict(got == sum && count.get()[0] == kept);
}
