// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: C++ and PTX memory models: a relaxed store of a flag orders nothing before it; it must be release
#include "../checks.h"
#include <cuda/atomic>

__global__ void message(int *payload, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *payload = 42; // BUG
        ready.store(1, cuda::memory_order_relaxed);
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) continue;
        *out = *payload; // BUG
    }
}

int main()
{
    int *memory, host;
    CHECK(cudaMalloc(&memory, 3 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, 3 * sizeof(int)));
    message<<<2, 32>>>(memory, memory + 1, memory + 2);
    CHECK(cudaMemcpy(&host, memory + 2, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(memory));
    return verdict(host == 42);
}
