// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: a deadlock: one path out of the critical section returns without giving the lock back
#include "../checks.h"

__global__ void transfer(int *lock, int *accounts, int amount)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) continue; // BUG
    __threadfence();
    if (accounts[0] < amount) return;
    accounts[0] -= amount;
    accounts[1] += amount;
    __threadfence();
    atomicExch(lock, 0);
}

int main()
{
    int *lock, *accounts, start[2] = {10, 0};
    CHECK(cudaMalloc(&lock, sizeof(int)));
    CHECK(cudaMalloc(&accounts, sizeof start));
    CHECK(cudaMemset(lock, 0, sizeof(int)));
    CHECK(cudaMemcpy(accounts, start, sizeof start, cudaMemcpyHostToDevice));
    transfer<<<5, 32>>>(lock, accounts, 4);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(lock);
    cudaFree(accounts);
    return 0;
}
