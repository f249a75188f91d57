// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: generator states live in global memory from kernel to kernel; sums by block, then one atomic each
#include "../array.h"

struct state {
    unsigned x, y, z, c;
};

__global__ void setup(state *states, unsigned seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    states[i] = {seed + i, 362436069u, 521288629u + i, 7654321u};
}

__device__ unsigned next(state &s)
{
    s.x = 69069u * s.x + 12345u;
    s.y ^= s.y << 13, s.y ^= s.y >> 17, s.y ^= s.y << 5;
    unsigned long long t = 698769069ull * s.z + s.c;
    s.c = (unsigned)(t >> 32);
    return s.x + s.y + (s.z = (unsigned)t);
}

__global__ void darts(state *states, unsigned *hits, int n)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    state mine = states[i];
    unsigned inside = 0;
    for (int k = 0; k < n; k++) {
        float x = next(mine) * 2.3283064e-10f, y = next(mine) * 2.3283064e-10f;
        inside += x * x + y * y < 1.0f;
    }
    states[i] = mine;
    atomicAdd(&sum, inside);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(hits, sum);
}

int main()
{
    array<state> states(256);
    array<unsigned> hits(1);
    hits.zero();
    setup<<<4, 64>>>(states, 77);
    for (int i = 0; i < 2; i++) darts<<<4, 64>>>(states, hits, 40);
    float pi = 4.0f * hits.get()[0] / (256 * 80);
    return verdict(pi > 3.05f && pi < 3.25f);
}
