// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: __match_any_sync groups lanes by key; each group's mask is used by its own lanes only
#include "../array.h"

__global__ void histogram(const int *in, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned in_range = __ballot_sync(0xffffffffu, i < n);
    if (i >= n) return;
    unsigned same = __match_any_sync(in_range, in[i]);
    if ((int)(threadIdx.x % 32) == __ffs(same) - 1) atomicAdd(&bins[in[i]], __popc(same));
}

int main()
{
    const int n = 1000;
    std::vector<int> host = random_ints(n, 16), wanted(16);
    array<int> in(host), bins(16);
    bins.zero();
    histogram<<<4, 256>>>(in, bins, n);
    for (int one : host) wanted[one]++;
    return verdict(bins.get() == wanted);
}
