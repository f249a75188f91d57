// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: calls through pointers in a table of device functions, lanes of a warp to different ones
#include "../array.h"

typedef int (*operation)(int, int);
__device__ __noinline__ int plus(int a, int b) { return a + b; }
__device__ __noinline__ int times(int a, int b) { return a * b; }
__device__ __noinline__ int power(int a, int b) { return b == 0 ? 1 : a * power(a, b - 1); }
__device__ operation operations[3] = {plus, times, power};

__global__ void apply(const int *which, int *out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = operations[which[i]](i % 5, 3);
}

int main()
{
    std::vector<int> which = random_ints(50, 3), got;
    array<int> w(which), out(50);
    apply<<<1, 64>>>(w, out, 50);
    got = out.get();
    bool ok = true;
    for (int i = 0; i < 50; i++) {
        int a = i % 5, wanted[3] = {a + 3, a * 3, a * a * a};
        ok &= got[i] == wanted[which[i]];
    }
    return verdict(ok);
}
