// SPDX-License-Identifier: Apache-2.0
// With linked_b.cu: a kernel that calls a function of another file, and reads its variable. nvcc -dc -cubin -arch=sm_80.
extern __device__ int offsets[4];
extern __device__ int twice(int);

extern "C" __global__ void linked(int *p)
{
    p[threadIdx.x] = twice(p[threadIdx.x]) + offsets[threadIdx.x & 3];
}
