// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: key and index packed in 64 bits, made smaller by atomicMin and by a loop of atomicCAS
#include "../array.h"
__global__ void argmin(const float *in, unsigned long long *best, unsigned long long *by_cas, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long mine = (unsigned long long)__float_as_uint(in[i]) << 32 | (unsigned)i;
        atomicMin(best, mine);
        unsigned long long old = *(volatile unsigned long long *)by_cas, seen;
        while (mine < old && (seen = atomicCAS(by_cas, old, mine)) != old) old = seen;
    }
}

int main()
{
    const int n = 3000;
    std::vector<float> host(n);
    unsigned state = 3;
    int least = 0;
    for (int i = 0; i < n; i++) {
        host[i] = (float)(next_random(&state) % 100000) + 1;
        if (host[i] < host[least]) least = i;
    }
    array<float> in(host);
    array<unsigned long long> best(2);
    CHECK(cudaMemset(best, 0xff, 16));
    argmin<<<4, 128>>>(in, best, best + 1, n);
    std::vector<unsigned long long> found = best.get();
    bool ok = (int)(unsigned)found[0] == least && found[1] == found[0];
    return verdict(ok);
}
