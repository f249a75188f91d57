// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// also: race init
// why: continue skips the __syncthreads() of the others
#include "../array.h"
__global__ void scan_rows(const int *in, int *out, int rows)
{
    __shared__ int s[128];
    int t = threadIdx.x, sum = 0;
    for (int row = 0; row < rows; row++) {
        int value = in[row * 128 + t];
        s[t] = value; // ALSO
        if (value == 0) continue;
        __syncthreads(); // BUG
        sum += s[(t + 1) % 128]; // ALSO
    }
    out[t] = sum; // ALSO
}

int main()
{
    array<int> in(random_ints(128 * 6, 5)), out(128);
    scan_rows<<<1, 128>>>(in, out, 6);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
