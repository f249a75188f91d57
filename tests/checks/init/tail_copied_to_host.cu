// SPDX-License-Identifier: Apache-2.0
// expect: note init
// silent: yes
// why: issue: a note where bytes are copied to the host that nothing wrote (an unused tail)
#include "../checks.h"

__global__ void squares(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i * i;
}

int main()
{
    const int n = 1000, room = 1024;
    static int host[room];
    int *out;
    CHECK(cudaMalloc(&out, sizeof host));
    squares<<<4, 256>>>(out, n);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)); // BUG
    CHECK(cudaFree(out));
    return verdict(host[n - 1] == (n - 1) * (n - 1));
}
