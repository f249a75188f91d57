// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the key is claimed by atomicCAS before its value is stored; who finds the key reads a value that may not be there
#include "../array.h"

__global__ void insert_or_find(const int *keys, int *table_keys, int *table_values, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i];
    for (int slot = key % 64;; slot = (slot + 1) % 64) {
        int old = atomicCAS(&table_keys[slot], 0, key);
        if (old == 0) {
            table_values[slot] = i; // BUG
            out[i] = i;
            return;
        }
        if (old == key) {
            out[i] = table_values[slot]; // BUG
            return;
        }
    }
}

int main()
{
    std::vector<int> host = random_ints(128, 20);
    for (int &one : host) one += 1;
    array<int> keys(host), table_keys(64), table_values(64), out(128);
    table_keys.zero(), table_values.zero();
    insert_or_find<<<4, 32>>>(keys, table_keys, table_values, out);
    return verdict(true);
}
