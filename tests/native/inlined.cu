// SPDX-License-Identifier: Apache-2.0
// Code of CUDA's headers, inlined at lines of this file: in a kernel, and in what a kernel inlines.
__device__ __forceinline__ void count(int *p)
{
    atomicAdd(p, 3);
}

extern "C" __global__ void tally(int *p)
{
    atomicMax(p + 1, (int)threadIdx.x);
    count(p);
}
