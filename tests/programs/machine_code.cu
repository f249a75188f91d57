// SPDX-License-Identifier: Apache-2.0
/* Compiled without PTX: a launch fails as on a GPU that the machine code is not for. */
#include "check.h"

__global__ void never(int *out)
{
    *out = 1;
}

int main()
{
    int *out;
    CHECK(cudaMalloc(&out, sizeof *out));
    never<<<1, 1>>>(out);
    return verdict(cudaGetLastError() == cudaErrorNoKernelImageForDevice);
}
