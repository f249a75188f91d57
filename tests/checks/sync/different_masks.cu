// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: programming guide: the lanes of one operation must give the same mask
#include "../checks.h"

__global__ void pair_sum(const int *in, int *out)
{
    int lane = threadIdx.x;
    unsigned mask = 0xfu << (lane & ~3) | 1u << 0; /* the leader's lane is in every quad's mask */
    int sum = in[lane];
    sum += __shfl_xor_sync(mask, sum, 1); // BUG
    sum += __shfl_xor_sync(mask, sum, 2); // BUG
    out[lane] = sum;
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pair_sum<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
