// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: the keys beyond n are never written, but the network compares them
#include "../array.h"
__global__ void sort_64(const int *in, int *out, int n)
{
    __shared__ int keys[64];
    int i = threadIdx.x;
    if (i < n) keys[i] = in[i];
    __syncthreads();
    for (int phase = 0; phase < 64; phase++) {
        int k = 2 * i + (phase & 1);
        if (i < 32 && k + 1 < 64 && keys[k] > keys[k + 1]) { // BUG
            int other = keys[k];
            keys[k] = keys[k + 1];
            keys[k + 1] = other;
        }
        __syncthreads();
    }
    out[i] = keys[i];
}

int main()
{
    array<int> in(random_ints(50, 1000)), out(64);
    sort_64<<<1, 64>>>(in, out, 50);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
