// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// also: race
// silent: yes
// also: race
// why: warps leave the loop after different numbers of barriers and meet at one of another place
#include "../checks.h"

__global__ void converge(float *data, int *steps)
{
    __shared__ float s[64];
    int t = threadIdx.x, step = 0;
    s[t] = data[t];
    __syncthreads();
    while (true) {
        float next = 0.5f * s[t];
        if (next < 1.0f) break;
        __syncthreads(); // BUG
        s[t] = next;
        step++;
    }
    __syncthreads(); // BUG
    steps[t] = step;
    data[t] = s[63 - t];
}

int main()
{
    float host[64], *data;
    int *steps;
    for (int i = 0; i < 64; i++) host[i] = i < 32 ? 4.0f : 64.0f;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMalloc(&steps, 64 * sizeof(int)));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    converge<<<1, 64>>>(data, steps);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    cudaFree(steps);
    return 0;
}
