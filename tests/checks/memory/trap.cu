// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck reports traps of the kernel
#include "../array.h"
__global__ void check_sum(const int *in, int *out)
{
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += in[threadIdx.x * 8 + i];
    if (sum > 64) __trap(); // BUG
    out[threadIdx.x] = sum;
}

int main()
{
    array<int> in(random_ints(256, 20)), out(32);
    check_sum<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
