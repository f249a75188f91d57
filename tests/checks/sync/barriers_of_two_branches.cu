// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: warps of a block wait at different __syncthreads()
#include "../array.h"
__global__ void pipeline(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = data[t];
        __syncthreads(); // BUG
    } else {
        s[t] = 2 * data[t];
        __syncthreads(); // BUG
        s[t] += 1;
    }
    __syncthreads();
    data[t] = s[127 - t];
}

int main()
{
    array<int> data(128);
    data.zero();
    pipeline<<<1, 128>>>(data);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
