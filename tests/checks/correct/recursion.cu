// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: recursive device functions with local arrays: each call has its own frame on the stack
#include "../array.h"

__device__ __noinline__ int depth_first(const int *child, int node, int level)
{
    int children[2] = {child[2 * node], child[2 * node + 1]}, sum = node * level;
    for (int i = 0; i < 2; i++)
        if (children[i] >= 0) sum += depth_first(child, children[i], level + 1);
    return sum;
}

__global__ void walk(const int *child, int *out)
{
    out[threadIdx.x] = depth_first(child, threadIdx.x, 1);
}

static int reference(const std::vector<int> &child, int node, int level)
{
    int sum = node * level;
    for (int i = 0; i < 2; i++)
        if (child[2 * node + i] >= 0) sum += reference(child, child[2 * node + i], level + 1);
    return sum;
}

int main()
{
    const int n = 63;
    std::vector<int> child(2 * n);
    for (int i = 0; i < 2 * n; i++) child[i] = i + 1 < n ? i + 1 : -1;
    array<int> device(child), out(32);
    walk<<<1, 32>>>(device, out);
    std::vector<int> got = out.get();
    bool ok = true;
    for (int i = 0; i < 32; i++) ok &= got[i] == reference(child, i, 1);
    return verdict(ok);
}
