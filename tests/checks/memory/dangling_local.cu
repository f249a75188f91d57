// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// also: init
// why: C++: the lifetime of a local variable ends when its function returns
#include "../array.h"
struct view {
    const int *data;
    int count;
};

__device__ __noinline__ void make(view *out, const int *in, int n)
{
    int copy[8];
    for (int i = 0; i < 8; i++) copy[i] = i < n ? in[i] * 2 : 0;
    out->data = copy;
    out->count = n;
}

__device__ __noinline__ int total(const view *v)
{
    int sum = 0;
    for (int i = 0; i < v->count; i++) sum += v->data[i]; // BUG
    return sum;
}

__global__ void sums(const int *in, int *out)
{
    view v;
    make(&v, in, 8);
    out[threadIdx.x] = total(&v);
}

int main()
{
    array<int> in(random_ints(8, 100)), out(32);
    sums<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
