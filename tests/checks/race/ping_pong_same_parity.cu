// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: two buffers and one barrier a step, but reads and writes use the same buffer
#include "../array.h"

__global__ void smooth(float *data, int steps)
{
    __shared__ float s[2][66];
    int t = threadIdx.x;
    s[0][t + 1] = s[1][t + 1] = data[t];
    if (t < 2) s[t][0] = s[t][65] = 0;
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        float next = (s[k & 1][t] + s[k & 1][t + 1] + s[k & 1][t + 2]) / 3; // BUG
        s[k & 1][t + 1] = next; // BUG
        __syncthreads();
    }
    data[t] = s[steps & 1][t + 1];
}

int main()
{
    std::vector<float> start(64);
    for (int i = 0; i < 64; i++) start[i] = (float)(i * i % 11);
    array<float> data(start);
    smooth<<<1, 64>>>(data, 3);
    return verdict(data.get()[0] >= 0);
}
