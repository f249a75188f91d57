// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: one thread resets the shared counter while others may count already
#include "../array.h"

__global__ void compact(const int *in, int *out, int *sizes, int n)
{
    __shared__ int used;
    if (threadIdx.x == 0) used = 0; // BUG
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 3 == 0) out[blockIdx.x * blockDim.x + atomicAdd(&used, 1)] = in[i]; // BUG
    __syncthreads();
    if (threadIdx.x == 0) sizes[blockIdx.x] = used;
}

int main()
{
    array<int> in(random_ints(256, 90)), out(256), sizes(2);
    compact<<<2, 128>>>(in, out, sizes, 256);
    return verdict(sizes.get()[0] > 0);
}
