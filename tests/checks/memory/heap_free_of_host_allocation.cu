// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: free() in a kernel takes what malloc() in a kernel returned, not memory of cudaMalloc
#include "../array.h"
struct list {
    int *items, count;
};

__global__ void drop(list *lists)
{
    list *mine = &lists[threadIdx.x];
    mine->count = 0;
    if (mine->items) free(mine->items); // BUG
}

int main()
{
    array<int> items(1024);
    std::vector<list> host(32);
    for (int i = 0; i < 32; i++) host[i] = {items + 32 * i, 32};
    array<list> lists(host);
    drop<<<1, 32>>>(lists);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
