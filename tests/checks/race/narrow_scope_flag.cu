// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: PTX memory model: release and acquire of block scope do not synchronise threads of different blocks
#include "../checks.h"
#include <cuda/atomic>

__global__ void message(int *payload, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(*flag);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *payload = 42; // BUG
        ready.store(1, cuda::memory_order_release); // BUG
    } else {
        while (ready.load(cuda::memory_order_acquire) == 0) continue; // BUG
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
