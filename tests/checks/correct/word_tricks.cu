// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: words whose last bytes were never written: the written ones decide what is found in them
#include "../array.h"
__device__ int length_of(const unsigned *words)
{
    for (int i = 0;; i++) {
        unsigned w = words[i], zeros = (w - 0x01010101u) & ~w & 0x80808080u;
        if (zeros) return 4 * i + (__ffs(zeros) - 1) / 8;
    }
}

__global__ void measure(const unsigned *words, int *lengths, unsigned *bits, int stride)
{
    const unsigned *mine = words + threadIdx.x * stride;
    int n = length_of(mine);
    lengths[threadIdx.x] = n;
    unsigned last = mine[n / 4], kept = n % 4 ? last & (0xffffffffu >> (32 - 8 * (n % 4))) : 0;
    if (__popc(kept) > 8) atomicAdd(bits, __popc(kept));
    if (__vcmpeq4(last, 0) >> 8 * (n % 4) & 1) atomicAdd(bits + 1, 1);
    if (__byte_perm(last, 0, 0x4440 + n % 4) == 0) atomicAdd(bits + 2, 1);
}

int main()
{
    const int count = 32, stride = 8;
    unsigned *words;
    array<int> lengths(count);
    array<unsigned> bits(3);
    bits.zero();
    CHECK(cudaMalloc(&words, count * stride * 4));
    for (int i = 0; i < count; i++) {
        char text[32] = "abcdefghijklmnopqrstuvwxyz";
        text[i % 20] = 0;
        CHECK(cudaMemcpy(words + i * stride, text, i % 20 + 1, cudaMemcpyHostToDevice));
    }
    measure<<<1, count>>>(words, lengths, bits, stride);
    std::vector<int> found = lengths.get();
    std::vector<unsigned> counted = bits.get();
    bool ok = counted[1] == count && counted[2] == count;
    for (int i = 0; i < count; i++) ok = ok && found[i] == i % 20;
    CHECK(cudaFree(words));
    return verdict(ok);
}
