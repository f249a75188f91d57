// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: definedness is by bit in registers: the field that is tested is the one that was never set
#include "../checks.h"

struct flags {
    unsigned kind : 4, depth : 12, is_leaf : 1, rest : 15;
};

__global__ void count_leaves(const short *depths, int *count, int n)
{
    __shared__ flags nodes[64];
    int i = threadIdx.x;
    if (i < n) {
        unsigned char *bytes = (unsigned char *)&nodes[i];
        bytes[0] = (unsigned char)(depths[i] << 4 | 1);
        bytes[1] = (unsigned char)(depths[i] >> 4);
    }
    __syncthreads();
    if (i < n && nodes[i].is_leaf) atomicAdd(count, 1); // BUG
}

int main()
{
    short host[64], *depths;
    int *count;
    for (int i = 0; i < 64; i++) host[i] = (short)(i * 3);
    CHECK(cudaMalloc(&depths, sizeof host));
    CHECK(cudaMalloc(&count, sizeof(int)));
    CHECK(cudaMemcpy(depths, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(count, 0, sizeof(int)));
    count_leaves<<<1, 64>>>(depths, count, 64);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(depths));
    CHECK(cudaFree(count));
    return 0;
}
