// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// also: race init
// why: programming guide: __syncthreads() in conditional code only if the condition is the same for the whole block: here a loop that threads leave at different times
#include "../array.h"
__global__ void rows(const int *counts, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < counts[t]; k++) {
        s[t] = k;
        __syncthreads(); // BUG
        sum += s[63 - t];
        __syncthreads(); // BUG
    }
    s[t] = sum; // ALSO
    __syncthreads(); // BUG
    out[t] = s[(t + 1) % 64];
}

int main()
{
    array<int> counts(random_ints(64, 9)), out(64);
    rows<<<1, 64>>>(counts, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
