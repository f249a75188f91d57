// SPDX-License-Identifier: Apache-2.0
/* A table of hashes that threads fill and search at the same time: keys by compare-and-swap, pairs of 128 bits as one, and
 * counts by 16 bits. */
#include <map>

#include "check.h"

enum { SLOTS = 1 << 12, EMPTY = 0xffffffffu };

struct __align__(16) pair {
    unsigned long long key, value;
};

__device__ unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ x >> 16;
}

__device__ unsigned slot_of(unsigned *keys, unsigned key)
{
    for (unsigned at = hash(key) % SLOTS;; at = (at + 1) % SLOTS) {
        unsigned old = atomicCAS(&keys[at], static_cast<unsigned>(EMPTY), key);
        if (old == EMPTY || old == key) return at;
    }
}

/* The greatest value of a key stays with the place where it is. */
__device__ void raise(pair *pairs, unsigned slot, pair wanted)
{
    pair seen = {0, 0};
    for (;;) {
        pair old = atomicCAS(&pairs[slot], seen, wanted);
        if (old.key == seen.key && old.value == seen.value) return;
        if (old.value >= wanted.value) return;
        seen = old;
    }
}

__global__ void insert(const unsigned *x, int n, unsigned *keys, unsigned short *counts, pair *pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = slot_of(keys, x[i] % 1000);
    raise(pairs, slot, {static_cast<unsigned long long>(x[i] % 1000), static_cast<unsigned long long>(x[i]) << 32 | i});
    unsigned short old = counts[slot], seen;
    do {
        seen = old;
        old = atomicCAS(&counts[slot], seen, static_cast<unsigned short>(seen + 1));
    } while (old != seen);
}

template <typename T> static T *managed(size_t count, int byte)
{
    T *pointer;
    CHECK(cudaMallocManaged(&pointer, count * sizeof(T)));
    CHECK(cudaMemset(pointer, byte, count * sizeof(T)));
    return pointer;
}

int main()
{
    const int n = 4000;
    unsigned *x = managed<unsigned>(n, 0), *keys = managed<unsigned>(SLOTS, 0xff), state = 43;
    unsigned short *counts = managed<unsigned short>(SLOTS, 0);
    pair *pairs = managed<pair>(SLOTS, 0);
    std::map<unsigned, unsigned> expected_counts;
    std::map<unsigned, unsigned long long> expected_most;
    for (int i = 0; i < n; i++) {
        x[i] = next_random(&state) + 1;
        expected_counts[x[i] % 1000]++;
        unsigned long long value = static_cast<unsigned long long>(x[i]) << 32 | i;
        unsigned long long &most = expected_most[x[i] % 1000];
        if (value > most) most = value;
    }
    insert<<<(n + 127) / 128, 128>>>(x, n, keys, counts, pairs);
    CHECK(cudaDeviceSynchronize());
    size_t found = 0;
    bool ok = true;
    for (int slot = 0; slot < SLOTS; slot++) {
        if (keys[slot] == EMPTY) continue;
        found++;
        ok &= counts[slot] == expected_counts[keys[slot]] && pairs[slot].key == keys[slot] &&
              pairs[slot].value == expected_most[keys[slot]];
    }
    ok &= found == expected_counts.size();
    return verdict(ok);
}
