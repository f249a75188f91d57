// SPDX-License-Identifier: Apache-2.0
// y = a x + y, one element a thread: three coalesced accesses and one fma. Bound by DRAM bandwidth
// on every GPU, so it is the first kernel to compare with the speed of light.

extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) // the last block may stick out of the array
        y[i] = a * x[i] + y[i];
}
