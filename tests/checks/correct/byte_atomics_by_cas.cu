// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a byte is added to by compare-and-swap of its word, whose other bytes may never have been written
#include "../array.h"
__device__ void add_byte(unsigned char *p, unsigned char value)
{
    size_t address = (size_t)p;
    unsigned *word = (unsigned *)(address & ~(size_t)3);
    unsigned shift = 8 * (unsigned)(address & 3), old = *(volatile unsigned *)word, seen;
    do {
        seen = old;
        unsigned byte = ((seen >> shift) + value) & 0xff;
        old = atomicCAS(word, seen, (seen & ~(0xffu << shift)) | byte << shift);
    } while (old != seen);
}

__global__ void count(const int *in, unsigned char *bins, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) add_byte(&bins[in[i]], 1);
}

int main()
{
    const int n = 500, bins = 30; /* the last word has two bytes that nobody writes */
    std::vector<int> host = random_ints(n, bins);
    array<int> in(host);
    unsigned char *counts, found[bins];
    CHECK(cudaMalloc(&counts, 32));
    CHECK(cudaMemset(counts, 0, bins));
    count<<<1, 128>>>(in, counts, n);
    CHECK(cudaMemcpy(found, counts, bins, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(counts));
    bool ok = true;
    for (int b = 0; b < bins; b++) {
        int expected = 0;
        for (int one : host) expected += one == b;
        ok = ok && found[b] == expected;
    }
    return verdict(ok);
}
