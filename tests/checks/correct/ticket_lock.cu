// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a ticket lock: an atomic ticket, acquire and release of the turn
#include "../array.h"
#include <cuda/atomic>

__global__ void chain(unsigned *ticket, unsigned *turn, long long *state)
{
    if (threadIdx.x != 0) return;
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(*ticket), now(*turn);
    unsigned mine = next.fetch_add(1u, cuda::memory_order_relaxed);
    while (now.load(cuda::memory_order_acquire) != mine) continue;
    *state = *state * 3 + 1;
    now.store(mine + 1, cuda::memory_order_release);
}

int main()
{
    array<unsigned> ticket(1), turn(1);
    array<long long> state(1);
    ticket.zero();
    turn.zero();
    state.zero();
    chain<<<20, 32>>>(ticket, turn, state);
    long long wanted = 0;
    for (int i = 0; i < 20; i++) wanted = wanted * 3 + 1;
    return verdict(state.get()[0] == wanted);
}
