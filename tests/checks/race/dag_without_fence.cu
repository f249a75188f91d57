// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a vertex is started by the last of its predecessors, but their results were not published by a fence
#include "../array.h"

__global__ void propagate(int *value, int *missing, int n)
{
    int v = blockIdx.x;
    if (threadIdx.x) return;
    while (atomicAdd(&missing[v], 0) > 0) {}
    __threadfence();
    int sum = 1;
    for (int k = 1; k <= 2; k++)
        if (v - k >= 0) sum += value[v - k]; // BUG
    value[v] = sum; // BUG
    for (int k = 1; k <= 2; k++)
        if (v + k < n) atomicSub(&missing[v + k], 1);
}

int main()
{
    const int n = 8;
    std::vector<int> need(n);
    for (int i = 0; i < n; i++) need[i] = i < 2 ? i : 2;
    array<int> value(n), missing(need);
    propagate<<<n, 32>>>(value, missing, n);
    return verdict(true);
}
