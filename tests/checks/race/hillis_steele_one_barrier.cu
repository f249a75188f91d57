// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: inclusive scan in place: a thread stores before its neighbour has read the old value
#include "../array.h"

__global__ void scan(int *data)
{
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int k = 1; k < blockDim.x; k *= 2) {
        int other = t >= k ? s[t - k] : 0; // BUG
        s[t] += other; // BUG
        __syncthreads();
    }
    data[t] = s[t];
}

int main()
{
    array<int> data(random_ints(128, 10));
    scan<<<1, 128, 128 * sizeof(int)>>>(data);
    return verdict(data.get()[0] >= 0);
}
