// SPDX-License-Identifier: Apache-2.0
// Every thread of the grid takes one lock, the lanes of a warp among them, and counts under it.
// Since sm_70 (independent thread scheduling) the lane that holds the lock makes progress while its
// neighbours spin; on older GPUs a warp may wait for itself for ever. The increment is a plain
// load, add and store: the counter is right only if the lock is.

extern "C" __global__ void spinlock(unsigned *lock, unsigned *counter)
{
    while (atomicCAS(lock, 0u, 1u) != 0u)
        ;
    __threadfence(); // see what the last holder wrote
    *counter = *counter + 1;
    __threadfence(); // let the next holder see it
    atomicExch(lock, 0u);
}
