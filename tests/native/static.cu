// SPDX-License-Identifier: Apache-2.0
// Another .cu file of the program of basic.cu: variables of its own, and a kernel that is seen in this file only.
static __device__ int bias = 7;
__constant__ int factors[2] = {20, 40};

static __global__ void own(int *p)
{
    p[threadIdx.x] += bias;
}

extern "C" __global__ void scaled(int *p)
{
    p[threadIdx.x] = p[threadIdx.x] * factors[1] + bias;
}

void launch(int *p)
{
    own<<<1, 1>>>(p);
}
