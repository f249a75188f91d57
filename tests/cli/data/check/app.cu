// SPDX-License-Identifier: Apache-2.0
__device__ void put(int *p, int i) { p[i] = i; }
__global__ void fill(int *p, int n)
{
	put(p, threadIdx.x + blockIdx.x * blockDim.x);
}
void leak() { int *q; cudaMalloc(&q, 400); } // warpsage: ignore init freed by the driver
