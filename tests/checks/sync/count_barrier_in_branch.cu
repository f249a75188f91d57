// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// also: race
// why: __syncthreads_count() is a barrier of the whole block: odd warps go past it
#include "../array.h"
__global__ void count(const int *in, int *out)
{
    int t = threadIdx.x, votes = 0;
    if ((t / 32) % 2 == 0) votes = __syncthreads_count(in[t] > 3); // BUG
    __shared__ int total;
    if (t == 0) total = votes;
    __syncthreads(); // BUG
    out[t] = total;
}

int main()
{
    array<int> in(random_ints(128, 8)), out(128);
    count<<<1, 128>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
