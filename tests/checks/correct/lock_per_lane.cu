// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: programming guide, independent thread scheduling: lanes of one warp may hold locks one after the other from sm_70 on
#include "../array.h"

__global__ void deposit(int *locks, int *balance, const int *account)
{
    int a = account[blockIdx.x * blockDim.x + threadIdx.x];
    while (atomicCAS(&locks[a], 0, 1) != 0) __nanosleep(10);
    __threadfence();
    balance[a] += 1;
    __threadfence();
    atomicExch(&locks[a], 0);
}

int main()
{
    std::vector<int> account = random_ints(128, 5);
    array<int> locks(5), balance(5), accounts(account);
    locks.zero();
    balance.zero();
    deposit<<<2, 64>>>(locks, balance, accounts);
    std::vector<int> wanted(5), got = balance.get();
    for (int a : account) wanted[a]++;
    return verdict(got == wanted);
}
