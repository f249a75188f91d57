// SPDX-License-Identifier: Apache-2.0
// expect: note init
// silent: yes
// why: printf reads a variable that was never written
#include "../array.h"
__global__ void show(const int *p)
{
    if (threadIdx.x == 0) printf("%d\n", p[3]); // BUG
}

int main()
{
    array<int> p(4);
    CHECK(cudaMemset(p, 0, 12));
    show<<<1, 32>>>(p);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
