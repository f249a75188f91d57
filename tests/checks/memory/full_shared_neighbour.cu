// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: two arrays fill all 48 KiB of shared memory; the first is overrun
#include "../array.h"
__global__ void two(int *out, int n)
{
    __shared__ int a[6144], b[6144];
    for (int i = threadIdx.x; i < 6144; i += blockDim.x) b[i] = i;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = -i; // BUG
    __syncthreads();
    for (int i = threadIdx.x; i < 6144; i += blockDim.x) out[i] = b[i] + a[6143 - i];
}

int main()
{
    array<int> out(6144);
    two<<<1, 128>>>(out, 6145);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
