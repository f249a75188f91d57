// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: a block has at most 1024 threads: the launch fails, and nobody looks
#include "../array.h"
__global__ void add_one(int *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

int main()
{
    array<int> p(4096);
    p.zero();
    add_one<<<2, 2048>>>(p); // BUG
    cudaDeviceSynchronize();
    return 0;
}
