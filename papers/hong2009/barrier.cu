// SPDX-License-Identifier: Apache-2.0
// Programs A and B of figure 31 of Hong's thesis: a load, a multiplication by 10, a store to the
// same place; in A a barrier before the store. Nothing but the cost of the barrier differs.

extern "C" __global__ void barrier_a(float *data)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float value = data[thread] * 10.0f;
    __syncthreads();
    data[thread] = value;
}

extern "C" __global__ void barrier_b(float *data)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float value = data[thread] * 10.0f;
    data[thread] = value;
}
