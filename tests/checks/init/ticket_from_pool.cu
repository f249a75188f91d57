// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: memory of cudaMallocAsync is not cleared; a ticket counter is taken from it
#include "../checks.h"

__global__ void work(unsigned *ticket, int *out, int n)
{
    for (;;) {
        unsigned item = atomicAdd(ticket, 1u); // BUG
        if (item >= (unsigned)n) break; // ALSO
        out[item] = (int)item; // ALSO
    }
}

int main()
{
    const int n = 200;
    cudaStream_t stream;
    unsigned *ticket;
    int *out;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&ticket, sizeof(unsigned), stream));
    CHECK(cudaMallocAsync(&out, n * sizeof(int), stream));
    work<<<2, 32, 0, stream>>>(ticket, out, n);
    CHECK(cudaFreeAsync(ticket, stream));
    CHECK(cudaFreeAsync(out, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
