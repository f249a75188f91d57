// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: PTX: a register has no value before the first write; here only lanes with a predicate write it
#include "../checks.h"

__global__ void threshold(const int *in, int *out, int n)
{
    int i = threadIdx.x, level;
    if (i >= n) return;
    asm volatile("{ .reg .pred is_large; .reg .s32 level;\n\t"
                 "setp.gt.s32 is_large, %1, 40;\n\t"
                 "@is_large mov.s32 level, 2;\n\t"
                 "mov.s32 %0, level; }"
                 : "=r"(level)
                 : "r"(in[i]));
    if (level == 2) atomicAdd(out, 1); // BUG
}

int main()
{
    const int n = 64;
    int host[n], *in, *out, count;
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(out, 0, sizeof(int)));
    threshold<<<1, n>>>(in, out, n);
    CHECK(cudaMemcpy(&count, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
