// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: accesses beyond a shared array; here they land in the next one of the kernel
#include "../checks.h"

__global__ void row_sums(const float *in, float *out)
{
    __shared__ float tile[16][16];
    __shared__ float sums[16];
    int x = threadIdx.x, y = threadIdx.y;
    if (y == 0) sums[x] = 0;
    tile[y][x] = in[y * 16 + x];
    __syncthreads();
    float next = tile[y + 1][x]; // BUG
    __syncthreads();
    atomicAdd(&sums[y], next - tile[y][x]);
    __syncthreads();
    if (y == 0) out[x] = sums[x];
}

int main()
{
    float host[256], *in, *out;
    for (int i = 0; i < 256; i++) host[i] = (float)(i / 16);
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 16 * sizeof(float)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    row_sums<<<1, dim3(16, 16)>>>(in, out);
    CHECK(cudaMemcpy(host, out, 16 * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(host[0] == 16);
}
