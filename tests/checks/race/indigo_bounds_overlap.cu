// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: Indigo, wrong bounds: each block updates one element of the next block's part, too
#include "../array.h"

__global__ void scale(int *data, int part, int n)
{
    int begin = blockIdx.x * part, end = min(n, begin + part);
    for (int i = begin + threadIdx.x; i <= end && i < n; i += blockDim.x) data[i] = data[i] * 3 + 1; // BUG
}

int main()
{
    const int n = 200;
    array<int> data(random_ints(n, 9));
    scale<<<4, 32>>>(data, 50, n);
    return verdict(data.get()[0] > 0);
}
