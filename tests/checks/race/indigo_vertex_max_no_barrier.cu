// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: Indigo, conditional-vertex by blocks: the barrier between the warps' partial maxima and their use is missing
#include "../array.h"

__global__ void biggest(const int *rows, const int *columns, const int *values, int *result, int n)
{
    __shared__ int carry[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, best = 0;
    if (warp == 0) carry[lane] = 0;
    __syncthreads();
    for (int v = blockIdx.x; v < n; v += gridDim.x)
        for (int e = rows[v] + threadIdx.x; e < rows[v + 1]; e += blockDim.x)
            if (v < columns[e]) best = max(best, values[columns[e]]);
    for (int k = 16; k > 0; k /= 2) best = max(best, __shfl_xor_sync(~0u, best, k));
    if (lane == 0) carry[warp] = best; // BUG
    if (warp == 0) {
        best = carry[lane]; // BUG
        for (int k = 16; k > 0; k /= 2) best = max(best, __shfl_xor_sync(~0u, best, k));
        if (lane == 0) atomicMax(result, best);
    }
}

int main()
{
    const int n = 40, degree = 9;
    std::vector<int> row(n + 1), column = random_ints(n * degree, n, 3), value = random_ints(n, 1000, 5);
    for (int i = 0; i <= n; i++) row[i] = i * degree;
    array<int> rows(row), columns(column), values(value), result(1);
    result.zero();
    biggest<<<4, 128>>>(rows, columns, values, result, n);
    return verdict(result.get()[0] > 0);
}
