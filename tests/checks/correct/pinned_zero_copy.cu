// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: mapped page-locked memory, and memory that cudaHostRegister has locked, are accessible to kernels
#include "../checks.h"

__global__ void sum(const int *in, int *out, int n)
{
    int total = 0;
    for (int i = threadIdx.x; i < n; i += 32) total += in[i];
    for (int k = 16; k > 0; k /= 2) total += __shfl_down_sync(0xffffffffu, total, k);
    if (threadIdx.x == 0) *out = total;
}

int main()
{
    const int n = 1000;
    int *in = (int *)malloc(n * sizeof(int)), *out, *device_in, *device_out;
    for (int i = 0; i < n; i++) in[i] = i;
    CHECK(cudaHostRegister(in, n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostAlloc(&out, sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device_in, in, 0));
    CHECK(cudaHostGetDevicePointer(&device_out, out, 0));
    sum<<<1, 32>>>(device_in, device_out, n);
    CHECK(cudaDeviceSynchronize());
    bool ok = *out == n * (n - 1) / 2;
    CHECK(cudaHostUnregister(in));
    CHECK(cudaFreeHost(out));
    free(in);
    return verdict(ok);
}
