// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: issue: nothing for registers that only select; a value is loaded before its guard and dropped by it
#include "../array.h"

__global__ void masked_sum(const int *values, const int *is_valid, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = values[i], valid = is_valid[i];
    out[i] = valid ? value : -1;
}

__global__ void count(const int *in, int *negative, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] < 0) atomicAdd(negative, 1);
}

int main()
{
    const int n = 128;
    std::vector<int> valid(n), half(n / 2, 7);
    for (int i = 0; i < n; i++) valid[i] = i < n / 2;
    array<int> values(n), flags(valid), out(n), negative(1);
    negative.zero();
    CHECK(cudaMemcpy(values, half.data(), n / 2 * sizeof(int), cudaMemcpyHostToDevice));
    masked_sum<<<1, n>>>(values, flags, out, n);
    count<<<1, n>>>(out, negative, n);
    return verdict(negative.get()[0] == n / 2);
}
