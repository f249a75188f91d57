// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: CUB block sort and scan that share their temporary storage in a union
#include "../array.h"
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

__global__ void sort_and_scan(const int *in, int *sorted, int *sums, int n)
{
    typedef cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE> load;
    typedef cub::BlockRadixSort<int, 128, 4> sort;
    typedef cub::BlockScan<int, 128> scan;
    typedef cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE> store;
    __shared__ union {
        typename load::TempStorage load;
        typename sort::TempStorage sort;
        typename scan::TempStorage scan;
        typename store::TempStorage store;
    } temp;
    int items[4];
    load(temp.load).Load(in, items, n, 1 << 30);
    __syncthreads();
    sort(temp.sort).Sort(items);
    __syncthreads();
    int copy[4]; /* Store exchanges them in place */
    for (int k = 0; k < 4; k++) copy[k] = items[k];
    store(temp.store).Store(sorted, copy, n);
    __syncthreads();
    for (int k = 0; k < 4; k++)
        if (items[k] == 1 << 30) items[k] = 0;
    scan(temp.scan).InclusiveSum(items, items);
    __syncthreads();
    store(temp.store).Store(sums, items, n);
}

int main()
{
    const int n = 477;
    std::vector<int> host = random_ints(n, 1000);
    array<int> in(host), sorted(n), sums(n);
    sort_and_scan<<<1, 128>>>(in, sorted, sums, n);
    std::vector<int> a = sorted.get(), b = sums.get();
    bool ok = true;
    for (int i = 0, sum = 0; i < n; i++) ok = ok && (i == 0 || a[i - 1] <= a[i]) && b[i] == (sum += a[i]);
    return verdict(ok);
}
