// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the next tile is stored into the buffer that other warps still read: the index is toggled too late
#include "../checks.h"

__global__ void smooth(const int *in, int *out, int tiles)
{
    __shared__ int buffer[2][128];
    int t = threadIdx.x, now = 0, sum = 0;
    buffer[0][t] = in[t]; // BUG
    for (int tile = 0; tile < tiles; tile++) {
        __syncthreads();
        int next = tile + 1 < tiles ? in[(tile + 1) * 128 + t] : 0;
        sum += buffer[now][(t + 64) % 128]; // BUG
        buffer[now][t] = next;              // BUG
        if (tile % 2) now ^= 1;
    }
    out[t] = sum;
}

int main()
{
    int host[512], *in, *out;
    for (int i = 0; i < 512; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    smooth<<<1, 128>>>(in, out, 1);
    CHECK(cudaDeviceSynchronize());
    smooth<<<1, 128>>>(in, out, 4);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
