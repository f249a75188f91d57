// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: ECL-CC: hooks by atomicCAS; reads that may be stale are atomic loads
#include "../array.h"
#include <cuda/atomic>

__device__ int load(int *p)
{
    return cuda::atomic_ref<int, cuda::thread_scope_device>(*p).load(cuda::memory_order_relaxed);
}

__device__ int root(int *parent, int v)
{
    for (int up; (up = load(&parent[v])) != v; v = up) continue;
    return v;
}

__global__ void hook(const int *from, const int *to, int *parent, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int a = root(parent, from[e]), b = root(parent, to[e]);
    while (a != b) {
        int high = max(a, b), low = min(a, b), seen = atomicCAS(&parent[high], high, low);
        if (seen == high) break;
        a = root(parent, seen), b = root(parent, low);
    }
}

__global__ void flatten(int *parent, int *label, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) label[v] = root(parent, v);
}

int main()
{
    const int n = 200, m = 150;
    std::vector<int> from = random_ints(m, n, 2), to = random_ints(m, n, 3), start(n), wanted(n);
    for (int i = 0; i < n; i++) start[i] = wanted[i] = i;
    array<int> f(from), t(to), parent(start), label(n);
    hook<<<3, 64>>>(f, t, parent, m);
    flatten<<<4, 64>>>(parent, label, n);
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < m; e++) {
            int low = wanted[from[e]] < wanted[to[e]] ? wanted[from[e]] : wanted[to[e]];
            changed |= wanted[from[e]] != low || wanted[to[e]] != low;
            wanted[from[e]] = wanted[to[e]] = low;
        }
    }
    return verdict(label.get() == wanted);
}
