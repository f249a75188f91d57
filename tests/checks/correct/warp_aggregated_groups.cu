// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: coalesced and labeled groups: one atomic a group, ranks by shuffle
#include "../array.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__global__ void scatter(const int *in, int *out, int *used, int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bucket = in[i] % 4;
    auto active = cg::coalesced_threads();
    auto same = cg::labeled_partition(active, bucket);
    int sum = cg::reduce(same, in[i], cg::plus<int>());
    int base = 0;
    if (same.thread_rank() == 0) {
        base = atomicAdd(&used[bucket], (int)same.size());
        atomicAdd(&sums[bucket], sum);
    }
    base = same.shfl(base, 0);
    out[bucket * n + base + same.thread_rank()] = in[i];
}

int main()
{
    const int n = 500;
    std::vector<int> host = random_ints(n, 1000), sum(4), count(4);
    for (int one : host) sum[one % 4] += one, count[one % 4]++;
    array<int> in(host), out(4 * n), used(4), sums(4);
    used.zero(), sums.zero();
    scatter<<<4, 128>>>(in, out, used, sums, n);
    return verdict(sums.get() == sum && used.get() == count);
}
