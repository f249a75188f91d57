// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a relaxed atomicExch releases the lock before the writes inside it are visible to other blocks
#include "../checks.h"

__global__ void append(int *lock, int *sum, int value)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) continue;
    *sum = *sum + value; // BUG
    atomicExch(lock, 0);
}

int main()
{
    int *lock, *sum, host;
    CHECK(cudaMalloc(&lock, sizeof(int)));
    CHECK(cudaMalloc(&sum, sizeof(int)));
    CHECK(cudaMemset(lock, 0, sizeof(int)));
    CHECK(cudaMemset(sum, 0, sizeof(int)));
    append<<<8, 32>>>(lock, sum, 3);
    CHECK(cudaMemcpy(&host, sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(lock));
    CHECK(cudaFree(sum));
    return verdict(host == 24);
}
