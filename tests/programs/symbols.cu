// SPDX-License-Identifier: Apache-2.0
/* Variables of every kind, structs and many bytes as arguments, function pointers, recursion. */
#include "check.h"

struct table {
    double values[40];
    int n;
};
__constant__ int offsets[4];
__device__ float results[8];
__device__ int preset = 41;
__managed__ int shared_counter = 5;

__device__ int twice(int x)
{
    return 2 * x;
}
__device__ int square(int x)
{
    return x * x;
}
typedef int (*function)(int);
__device__ function functions[2] = {twice, square};

__device__ __noinline__ int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__global__ void use(table t, char tag, short small, int *out)
{
    int i = threadIdx.x;
    if (i < 8) results[i] = (float)(t.values[i] + offsets[i % 4]);
    if (i == 0) {
        out[0] = functions[0](t.n) + functions[1](t.n);
        out[1] = factorial(6);
        out[2] = tag * 1000 + small;
        out[3] = ++preset;
        shared_counter += 10;
    }
}

int main()
{
    const int host_offsets[4] = {100, 200, 300, 400};
    table t = {};
    t.n = 7;
    for (int i = 0; i < 40; i++)
        t.values[i] = i / 2.0;
    int *out, got[4];
    float values[8];
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpyToSymbol(offsets, host_offsets, sizeof offsets));
    shared_counter++;
    use<<<1, 32>>>(t, 'A', -5, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(values, results, sizeof values));
    bool ok = got[0] == 14 + 49 && got[1] == 720 && got[2] == 64995 && got[3] == 42;
    for (int i = 0; i < 8; i++)
        ok &= values[i] == (float)(t.values[i] + host_offsets[i % 4]);
    ok &= shared_counter == 16;
    size_t bytes;
    void *address;
    CHECK(cudaGetSymbolSize(&bytes, results));
    CHECK(cudaGetSymbolAddress(&address, results));
    float last;
    CHECK(cudaMemcpy(&last, (float *)address + 7, 4, cudaMemcpyDeviceToHost));
    ok &= bytes == sizeof values && last == values[7];
    return verdict(ok);
}
