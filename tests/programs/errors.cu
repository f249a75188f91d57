// SPDX-License-Identifier: Apache-2.0
/* Errors that are not sticky, and what comes back for them. */
#include "check.h"

__global__ void nothing(int *p)
{
    if (p) *p = 1;
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
    if (p) *p = 1;
}

static bool expect(cudaError_t got, cudaError_t wanted, const char *what)
{
    if (got != wanted) printf("%s: %s\n", what, cudaGetErrorName(got));
    bool ok = got == wanted && cudaGetLastError() == wanted;
    return ok && cudaGetLastError() == cudaSuccess;
}

int main()
{
    int *p, host = 0;
    bool ok = true;
    CHECK(cudaMalloc(&p, 64));
    nothing<<<1, 2048>>>(p);
    ok &= cudaPeekAtLastError() == cudaErrorInvalidConfiguration;
    ok &= cudaGetLastError() == cudaErrorInvalidConfiguration && !cudaGetLastError();
    nothing<<<0, 32>>>(p);
    ok &= cudaGetLastError() == cudaErrorInvalidConfiguration;
    nothing<<<1, 32, 200000>>>(p);
    ok &= cudaGetLastError() == cudaErrorInvalidValue;
    bounded<<<1, 128>>>(p);
    ok &= cudaGetLastError() != cudaSuccess;
    ok &= expect(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation, "huge");
    CHECK(cudaMalloc(&p, 64));
    ok &= expect(cudaMemcpy(p, &host, 128, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "long");
    ok &= expect(cudaMemcpy(&host, &host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue, "host");
    ok &= expect(cudaMemcpy(p, &host, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection,
                 "kind");
    ok &= expect(cudaMemset(p, 0, 1000), cudaErrorInvalidValue, "memset");
    ok &= expect(cudaSetDevice(5), cudaErrorInvalidDevice, "device");
    ok &= expect(cudaFree((void *)((char *)p + 4)), cudaErrorInvalidValue, "inside");
    CHECK(cudaFree(p));
    ok &= expect(cudaFree(p), cudaErrorInvalidValue, "twice");
    CHECK(cudaFree(0));
    nothing<<<1, 32>>>(nullptr);
    CHECK(cudaDeviceSynchronize());
    return verdict(ok);
}
