// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: both threads of a pair swap the same two elements of the matrix
#include "../array.h"

__global__ void transpose(int *m, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n || x == y) return;
    int a = m[y * n + x], b = m[x * n + y]; // BUG
    m[y * n + x] = b; // BUG
    m[x * n + y] = a; // BUG
}

int main()
{
    array<int> m(random_ints(32 * 32, 1000));
    transpose<<<dim3(4, 4), dim3(8, 8)>>>(m, 32);
    return verdict(true);
}
