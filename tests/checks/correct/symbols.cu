// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: device and constant variables by cudaMemcpyToSymbol with offsets, and by their address
#include "../array.h"

__device__ int table[50];
__device__ float *where;
__constant__ int limits[3];
__device__ unsigned calls = 0;

__global__ void count(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || in[i] < limits[0] || in[i] >= limits[1]) return;
    atomicAdd(&table[in[i]], limits[2]);
    where[i] = (float)in[i];
    atomicAdd(&calls, 1u);
}

int main()
{
    const int n = 300;
    std::vector<int> host = random_ints(n, 60);
    int bounds[2] = {10, 50}, step = 3, got[50];
    array<int> in(host);
    array<float> out(n);
    out.zero();
    float *p = out;
    void *address;
    CHECK(cudaMemcpyToSymbol(limits, bounds, sizeof bounds));
    CHECK(cudaMemcpyToSymbol(limits, &step, sizeof step, 2 * sizeof(int)));
    CHECK(cudaMemcpyToSymbol(where, &p, sizeof p));
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaMemset(address, 0, sizeof got));
    count<<<3, 128>>>(in, n);
    CHECK(cudaMemcpyFromSymbol(got, table, sizeof got));
    int wanted[50] = {};
    for (int one : host)
        if (one >= 10 && one < 50) wanted[one] += 3;
    bool ok = true;
    for (int i = 0; i < 50; i++) ok &= got[i] == wanted[i];
    return verdict(ok);
}
