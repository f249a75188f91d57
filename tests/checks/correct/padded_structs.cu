// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: structures are copied with their padding, which nothing wrote and nothing reads
#include "../array.h"

struct particle {
    char kind;
    float x;
    short cell;
    double energy;
};

__global__ void create(particle *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    particle one;
    one.kind = (char)(i % 3);
    one.x = 0.5f * i;
    one.cell = (short)(i / 8);
    one.energy = 2.0 * i;
    p[i] = one;
}

__global__ void reorder(const particle *in, particle *out, int n)
{
    __shared__ particle tile[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i < n) tile[t] = in[i];
    __syncthreads();
    if (i < n) out[n - 1 - i] = tile[t];
}

int main()
{
    const int n = 150;
    array<particle> a(n), b(n);
    create<<<3, 64>>>(a, n);
    reorder<<<3, 64>>>(a, b, n);
    bool ok = true;
    std::vector<particle> got = b.get();
    for (int i = 0; i < n; i++) {
        int k = n - 1 - i;
        ok &= got[i].kind == k % 3 && got[i].x == 0.5f * k && got[i].cell == k / 8 && got[i].energy == 2.0 * k;
    }
    return verdict(ok);
}
