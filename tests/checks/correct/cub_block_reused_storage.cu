// SPDX-License-Identifier: Apache-2.0
// expect: none
// heavy: yes
// why: block-wide CUB primitives share temporary storage, with a barrier before each reuse
#include "../array.h"
#include <cub/cub.cuh>

__global__ void mixed(const int *in, int *out)
{
    typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE> load;
    typedef cub::BlockScan<int, 64> scan;
    typedef cub::BlockRadixSort<int, 64, 4> sort;
    typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE> store;
    __shared__ union {
        typename load::TempStorage load;
        typename scan::TempStorage scan;
        typename sort::TempStorage sort;
        typename store::TempStorage store;
    } temp;
    int items[4];
    load(temp.load).Load(in + blockIdx.x * 256, items);
    __syncthreads();
    sort(temp.sort).Sort(items);
    __syncthreads();
    scan(temp.scan).InclusiveSum(items, items);
    __syncthreads();
    store(temp.store).Store(out + blockIdx.x * 256, items);
}

int main()
{
    std::vector<int> host = random_ints(512, 1000);
    int sum = 0;
    for (int i = 0; i < 256; i++) sum += host[i];
    array<int> in(host), out(512);
    mixed<<<2, 64>>>(in, out);
    return verdict(out.get()[255] == sum);
}
