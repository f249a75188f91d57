// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB warp algorithms with fewer valid items than lanes
#include "../array.h"
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

__global__ void warps(const int *in, int *sums, int *scans, int n)
{
    using reduce = cub::WarpReduce<int, 16>;
    using scan = cub::WarpScan<int>;
    __shared__ reduce::TempStorage r[4];
    __shared__ scan::TempStorage s[2];
    int t = threadIdx.x, value = t < n ? in[t] : 0;
    int sum = reduce(r[t / 16]).Sum(value, max(0, min(16, n - t / 16 * 16)));
    if (t % 16 == 0) sums[t / 16] = sum;
    int running;
    scan(s[t / 32]).InclusiveSum(value, running);
    scans[t] = running;
}

int main()
{
    const int n = 57;
    std::vector<int> host = random_ints(n, 100), wanted(4);
    array<int> in(host), sums(4), scans(64);
    warps<<<1, 64>>>(in, sums, scans, n);
    for (int i = 0; i < n; i++) wanted[i / 16] += host[i];
    return verdict(sums.get() == wanted && scans.get()[33] == host[32] + host[33]);
}
