// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: programming guide: shared variables cannot have an initialiser; the counter starts with anything
#include "../checks.h"

__global__ void compact(const int *in, int *out, int *counts, int n)
{
    __shared__ int kept;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __syncthreads();
    if (i < n && in[i] % 3 == 0) {
        int at = atomicAdd(&kept, 1); // BUG
        if (at < 128) out[blockIdx.x * 128 + at] = in[i]; // ALSO
    }
    __syncthreads();
    if (threadIdx.x == 0) counts[blockIdx.x] = kept;
}

int main()
{
    const int n = 256;
    int host[n], *in, *out, *counts;
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&counts, 2 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    compact<<<2, 128>>>(in, out, counts, n);
    CHECK(cudaMemcpy(host, counts, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(counts));
    return 0;
}
