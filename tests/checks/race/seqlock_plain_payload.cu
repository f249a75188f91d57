// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: sequence lock whose payload is written and read by plain accesses: the reader may run beside the writer
#include "../array.h"

__global__ void seqlock(int *sequence, int2 *payload, int *out)
{
    if (threadIdx.x) return;
    if (blockIdx.x == gridDim.x - 1) {
        for (int i = 1; i <= 3; i++) {
            atomicAdd(sequence, 1);
            __threadfence();
            *payload = make_int2(i, 2 * i); // BUG
            __threadfence();
            atomicAdd(sequence, 1);
        }
    } else {
        int before, after;
        int2 seen;
        do {
            before = *(volatile int *)sequence;
            __threadfence();
            seen = *payload; // BUG
            __threadfence();
            after = *(volatile int *)sequence;
        } while (before != after || before & 1);
        out[blockIdx.x] = seen.y - 2 * seen.x;
    }
}

int main()
{
    array<int> sequence(1), out(4);
    array<int2> payload(1);
    sequence.zero(), out.zero();
    CHECK(cudaMemset(payload, 0, sizeof(int2)));
    seqlock<<<4, 32>>>(sequence, payload, out);
    return verdict(out.get()[1] == 0);
}
