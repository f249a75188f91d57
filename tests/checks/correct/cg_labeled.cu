// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: labeled_partition makes groups by key; each lane takes part in its own
#include "../array.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void bucket_sums(const int *keys, const int *values, int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    cg::coalesced_group active = cg::coalesced_threads();
    cg::coalesced_group same = cg::labeled_partition(active, keys[i]);
    int sum = cg::reduce(same, values[i], cg::plus<int>());
    if (same.thread_rank() == 0) atomicAdd(&sums[keys[i]], sum);
}

int main()
{
    const int n = 300;
    std::vector<int> keys = random_ints(n, 7), values = random_ints(n, 50, 4), wanted(7);
    array<int> k(keys), v(values), sums(7);
    sums.zero();
    bucket_sums<<<3, 128>>>(k, v, sums, n);
    for (int i = 0; i < n; i++) wanted[keys[i]] += values[i];
    return verdict(sums.get() == wanted);
}
