// SPDX-License-Identifier: Apache-2.0
__device__ __forceinline__ int leaf(int *p, int i) { return p[i] + 1; }
__device__ __forceinline__ int middle(int *p, int i) {
  int a = leaf(p, i);
  int b = leaf(p, i + 100);
  return a * b;
}
__global__ void k(int *p, int *q) {
  q[threadIdx.x] = middle(p, threadIdx.x);
}
