// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: an address depends on memory that nothing wrote: the permutation has no last element
#include "../checks.h"

__global__ void permute(const float *in, const int *order, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[order[i]]; // BUG
}

int main()
{
    const int n = 256;
    float host[n], *in, *out;
    int order[n], *device_order;
    for (int i = 0; i < n; i++) host[i] = (float)i, order[i] = n - 1 - i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&device_order, sizeof order));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_order, order, (n - 1) * sizeof(int), cudaMemcpyHostToDevice));
    permute<<<2, 128>>>(in, device_order, out, n);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(device_order));
    return 0;
}
