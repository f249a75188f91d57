// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a relaxed store publishes nothing: cuda::memory_order_release is needed
#include "../array.h"
#include <cuda/atomic>

__global__ void publish(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            data[0] = 99; // BUG
            ready.store(1, cuda::memory_order_relaxed);
        }
    } else if (threadIdx.x == 0) {
        while (!ready.load(cuda::memory_order_acquire)) {}
        out[0] = data[0]; // BUG
    }
}

int main()
{
    array<int> data(1), flag(1), out(1);
    flag.zero();
    publish<<<2, 32>>>(data, flag, out);
    return verdict(out.get()[0] == 99);
}
