// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: malloc in device code returns NULL if the heap has not enough memory
#include "../checks.h"

__global__ void tables(int **out, size_t entries)
{
    int *table = (int *)malloc(entries * sizeof(int));
    table[0] = 1; // BUG
    out[threadIdx.x] = table;
    free(table);
}

int main()
{
    int **out;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    CHECK(cudaMalloc(&out, 64 * sizeof(int *)));
    tables<<<1, 64>>>(out, 16 << 20);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(out);
    return 0;
}
