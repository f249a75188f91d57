// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaDeviceReset destroys all allocations of the context
#include "../checks.h"
__global__ void bump(int *p)
{
    p[threadIdx.x] += 1; // BUG
}

int main()
{
    int *p;
    CHECK(cudaMalloc(&p, 128));
    CHECK(cudaMemset(p, 0, 128));
    CHECK(cudaFree(p));
    CHECK(cudaDeviceReset());
    bump<<<1, 32>>>(p); // ALSO
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
