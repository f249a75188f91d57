// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: tasks of a graph start when their counter of missing inputs is 0; fences before the decrement and after the wait
#include "../array.h"

__global__ void propagate(int *value, int *missing, int n)
{
    int v = blockIdx.x;
    if (threadIdx.x) return;
    while (atomicAdd(&missing[v], 0) > 0) {}
    __threadfence();
    int sum = 1;
    for (int k = 1; k <= 2; k++)
        if (v - k >= 0) sum += value[v - k];
    value[v] = sum;
    __threadfence();
    for (int k = 1; k <= 2; k++)
        if (v + k < n) atomicSub(&missing[v + k], 1);
}

int main()
{
    const int n = 10;
    std::vector<int> need(n), wanted(n);
    for (int i = 0; i < n; i++) need[i] = i < 2 ? i : 2;
    for (int i = 0; i < n; i++) wanted[i] = 1 + (i > 0 ? wanted[i - 1] : 0) + (i > 1 ? wanted[i - 2] : 0);
    array<int> value(n), missing(need);
    propagate<<<n, 32>>>(value, missing, n);
    return verdict(value.get() == wanted);
}
