// SPDX-License-Identifier: Apache-2.0
// C = A B for square row-major matrices, one element of C a thread, everything from global memory.
// Each element of A and B is loaded n times; a warp of a 16x16 block reads two rows of A (one
// address a half-warp) and 16 consecutive elements of B twice.

extern "C" __global__ void sgemm_naive(int n, const float *__restrict__ a,
                                       const float *__restrict__ b, float *__restrict__ c)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n) return;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}
