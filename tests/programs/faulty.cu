// SPDX-License-Identifier: Apache-2.0
/* Goes wrong on purpose: far out of bounds. The error comes with the next call that waits, and stays. */
#include "check.h"

__global__ void smash(int *p, long long far)
{
    if (blockIdx.x == 2 && threadIdx.x == 7) p[far] = 1;
}

int main()
{
    int *p, value;
    CHECK(cudaMalloc(&p, 1024));
    smash<<<4, 32>>>(p, 1ll << 34);
    bool ok = cudaGetLastError() == cudaSuccess; /* the launch itself was good */
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
    ok &= error == cudaErrorIllegalAddress;
    ok &= cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress;
    ok &= cudaGetLastError() == cudaErrorIllegalAddress;
    ok &= cudaGetLastError() == cudaErrorIllegalAddress; /* it stays */
    puts(ok ? "as expected" : "not as expected");
    return ok ? 3 : 1;
}
