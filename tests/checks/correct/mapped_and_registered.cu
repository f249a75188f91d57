// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: memory that the host registers, and mapped memory, both read and written by kernels
#include "../array.h"
__global__ void add(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

int main()
{
    const int n = 500;
    int *mapped, *mapped_device, *registered_device;
    std::vector<int> registered = random_ints(n, 1000);
    CHECK(cudaHostAlloc(&mapped, 2 * n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostRegister(registered.data(), n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&mapped_device, mapped, 0));
    CHECK(cudaHostGetDevicePointer(&registered_device, registered.data(), 0));
    for (int i = 0; i < n; i++) mapped[i] = i;
    add<<<4, 128>>>(mapped_device, registered_device, mapped_device + n, n);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && mapped[n + i] == i + registered[i];
    CHECK(cudaHostUnregister(registered.data()));
    CHECK(cudaFreeHost(mapped));
    return verdict(ok);
}
