// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck: use after free of managed memory
#include "../checks.h"
__global__ void bump(int *p)
{
    p[threadIdx.x]++; // BUG
}

int main()
{
    int *p;
    CHECK(cudaMallocManaged(&p, 32 * sizeof(int)));
    for (int i = 0; i < 32; i++) p[i] = i;
    bump<<<1, 32>>>(p); // ALSO
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(p));
    bump<<<1, 32>>>(p); // ALSO
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
