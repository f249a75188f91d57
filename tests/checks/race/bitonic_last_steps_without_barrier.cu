// SPDX-License-Identifier: Apache-2.0
// expect: warning race
// silent: yes
// why: steps within a warp leave out the barrier and have no __syncwarp() either
#include "../array.h"

__global__ void sort(int *data)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t && (s[t] > s[other]) == ((t & k) == 0)) { // BUG
                int swap = s[t];
                s[t] = s[other];
                s[other] = swap; // BUG
            }
            if (j >= 32 || j == 1) __syncthreads();
        }
    data[t] = s[t];
}

int main()
{
    array<int> data(random_ints(128, 1000));
    sort<<<1, 128>>>(data);
    return verdict(true);
}
