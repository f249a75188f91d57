// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: persistent blocks take items by an atomic counter; one barrier before and one after the shared index is read
#include "../array.h"

__global__ void rows(const int *in, int *sums, int *next, int count, int width)
{
    __shared__ int item, sum;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1), sum = 0;
        __syncthreads();
        int mine = item;
        if (mine >= count) break;
        int part = 0;
        for (int i = threadIdx.x; i < width; i += blockDim.x) part += in[mine * width + i];
        atomicAdd(&sum, part);
        __syncthreads();
        if (threadIdx.x == 0) sums[mine] = sum;
    }
}

int main()
{
    const int count = 9, width = 100;
    std::vector<int> host = random_ints(count * width, 50), wanted(count);
    array<int> in(host), sums(count), next(1);
    next.zero();
    rows<<<3, 64>>>(in, sums, next, count, width);
    for (int i = 0; i < count * width; i++) wanted[i / width] += host[i];
    return verdict(sums.get() == wanted);
}
