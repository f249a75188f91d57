// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: an open hash table whose keys are set by atomicCAS and values added by atomics; only used slots are read
#include "../array.h"
enum { SLOTS = 256, EMPTY = -1 };

__global__ void insert(const int *keys, int *table, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = (unsigned)keys[i] * 2654435761u % SLOTS;
    for (;; slot = (slot + 1) % SLOTS) {
        int seen = atomicCAS(&table[slot], (int)EMPTY, keys[i]);
        if (seen == EMPTY || seen == keys[i]) break;
    }
    atomicAdd(&counts[slot], 1);
}

__global__ void collect(const int *table, const int *counts, int *total, int *most)
{
    int slot = threadIdx.x;
    if (table[slot] == EMPTY) return;
    atomicAdd(total, counts[slot]);
    atomicMax(most, counts[slot]);
}

int main()
{
    const int n = 700;
    std::vector<int> host = random_ints(n, 100);
    array<int> keys(host), table(SLOTS), counts(SLOTS), result(2);
    CHECK(cudaMemset(table, 0xff, SLOTS * sizeof(int)));
    counts.zero();
    result.zero();
    insert<<<6, 128>>>(keys, table, counts, n);
    collect<<<1, SLOTS>>>(table, counts, result, result + 1);
    std::vector<int> found = result.get();
    int most = 0;
    for (int key = 0; key < 100; key++) {
        int count = 0;
        for (int one : host) count += one == key;
        most = count > most ? count : most;
    }
    bool ok = found[0] == n && found[1] == most;
    return verdict(ok);
}
