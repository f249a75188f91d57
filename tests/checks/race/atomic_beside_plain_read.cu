// SPDX-License-Identifier: Apache-2.0
// expect: note race
// silent: yes
// why: issue: a plain read beside an atomic on the same word is a note (the shortcut before atomicMin)
#include "../checks.h"

__global__ void minimum(const int *in, int *least, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < *least) // BUG
        atomicMin(least, in[i]); // BUG
}

int main()
{
    const int n = 512;
    int host[n], *in, *least, start = 1 << 30;
    for (int i = 0; i < n; i++) host[i] = (n - i) * 3;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&least, sizeof(int)));
    CHECK(cudaMemcpy(least, &start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    minimum<<<4, 128>>>(in, least, n);
    CHECK(cudaMemcpy(&start, least, sizeof start, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(least));
    return verdict(start == 3);
}
