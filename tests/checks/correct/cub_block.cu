// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB block algorithms on a partial tile: load, scan, reduce, sort, store in one union of shared memory
#include "../array.h"
#include <algorithm>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

__global__ void tile(const int *in, int *scanned, int *sorted, int *sums, int n)
{
    constexpr int threads = 64, items = 3, size = threads * items;
    using load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using store = cub::BlockStore<int, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
    using scan = cub::BlockScan<int, threads>;
    using reduce = cub::BlockReduce<int, threads>;
    using sort = cub::BlockRadixSort<int, threads, items>;
    __shared__ union {
        load::TempStorage l;
        store::TempStorage st;
        scan::TempStorage sc;
        reduce::TempStorage r;
        sort::TempStorage so;
    } u;
    int first = blockIdx.x * size, valid = min(size, n - first), value[items], running[items];
    load(u.l).Load(in + first, value, valid, 1 << 20);
    __syncthreads();
    scan(u.sc).InclusiveSum(value, running);
    __syncthreads();
    int mine = 0;
    for (int i = 0; i < items; i++)
        if (threadIdx.x * items + i < valid) mine += value[i];
    int sum = reduce(u.r).Sum(mine);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    __syncthreads();
    sort(u.so).Sort(value);
    __syncthreads();
    store(u.st).Store(sorted + first, value, valid);
    __syncthreads();
    store(u.st).Store(scanned + first, running, valid);
}

int main()
{
    const int n = 500, size = 192, tiles = 3;
    std::vector<int> host = random_ints(n, 1000);
    array<int> in(host), scanned(n), sorted(n), sums(tiles);
    tile<<<tiles, 64>>>(in, scanned, sorted, sums, n);
    std::vector<int> a = scanned.get(), b = sorted.get(), c = sums.get();
    bool ok = true;
    for (int t = 0; t < tiles; t++) {
        int sum = 0, end = std::min(n, (t + 1) * size);
        for (int i = t * size; i < end; i++) sum += host[i], ok &= a[i] == sum;
        ok &= c[t] == sum;
        std::sort(host.begin() + t * size, host.begin() + end);
    }
    return verdict(ok && b == host);
}
