// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: only the low 16 bits of each word are stored, all 32 are compared; memory is followed by byte
#include "../checks.h"

__global__ void write_keys(int *keys)
{
    ((short *)keys)[2 * threadIdx.x] = (short)(threadIdx.x * 5);
}

__global__ void count_small(const int *keys, int *count)
{
    if (keys[threadIdx.x] < 100) atomicAdd(count, 1); // BUG
}

int main()
{
    int *keys, *count;
    CHECK(cudaMalloc(&keys, 64 * sizeof(int)));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    write_keys<<<1, 64>>>(keys);
    count_small<<<1, 64>>>(keys, count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(keys));
    CHECK(cudaFree(count));
    return 0;
}
