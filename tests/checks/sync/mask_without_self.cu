// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: programming guide: "each calling thread must have its own bit set in the mask"
#include "../checks.h"

__global__ void vote(const int *in, int *out)
{
    int lane = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffffu, in[lane] > 10);
    int any = __any_sync(mask, in[lane] == 20); // BUG
    out[lane] = any;
}

int main()
{
    int host[32], *in, *out;
    for (int i = 0; i < 32; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    vote<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
