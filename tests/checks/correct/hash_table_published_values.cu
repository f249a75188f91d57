// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: slots go from empty over busy to full; the value is stored before the release, read after the acquire
#include "../array.h"
#include <cuda/atomic>
typedef cuda::atomic_ref<int, cuda::thread_scope_device> ref;

__global__ void insert_or_find(const int *keys, int *state, int *slot_key, int *slot_value, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i];
    for (int slot = key % 64;; slot = (slot + 1) % 64) {
        ref one(state[slot]);
        int expected = 0;
        if (one.compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) {
            slot_key[slot] = key;
            slot_value[slot] = key * 7;
            one.store(2, cuda::memory_order_release);
        }
        while (one.load(cuda::memory_order_acquire) != 2) {}
        if (slot_key[slot] == key) {
            out[i] = slot_value[slot];
            return;
        }
    }
}

int main()
{
    std::vector<int> host = random_ints(128, 20), wanted(128);
    for (int i = 0; i < 128; i++) wanted[i] = host[i] * 7;
    array<int> keys(host), state(64), slot_key(64), slot_value(64), out(128);
    state.zero();
    insert_or_find<<<4, 32>>>(keys, state, slot_key, slot_value, out);
    return verdict(out.get() == wanted);
}
