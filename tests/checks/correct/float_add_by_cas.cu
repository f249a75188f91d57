// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the programming guide's atomicAdd for doubles by atomicCAS: the first read may be old, atomicCAS finds out
#include "../array.h"

__device__ double add(double *address, double value)
{
    unsigned long long *word = (unsigned long long *)address, old = *word, assumed;
    do {
        assumed = old;
        old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}

__global__ void sums(const int *in, double *out)
{
    __shared__ double s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    add(&s, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x % 32 == 0) add(out, s / 2);
}

int main()
{
    std::vector<int> host = random_ints(256, 100);
    double wanted = 0;
    for (int one : host) wanted += one;
    array<int> in(host);
    array<double> out(1);
    out.zero();
    sums<<<4, 64>>>(in, out);
    return verdict(out.get()[0] == wanted);
}
