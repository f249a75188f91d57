// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: racecheck (WAR): the leader writes the next index while slower warps still read the last
#include "../checks.h"

__global__ void work_queue(int *next, int *out, int n)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) item = atomicAdd(next, 1); // BUG
        __syncthreads();
        int mine = item; // BUG
        if (mine >= n) break;
        out[mine * 64 + threadIdx.x] = mine;
    }
}

int main()
{
    const int n = 12;
    int *next, *out;
    CHECK(cudaMalloc(&next, sizeof(int)));
    CHECK(cudaMemset(next, 0, sizeof(int)));
    CHECK(cudaMalloc(&out, n * 64 * sizeof(int)));
    work_queue<<<2, 64>>>(next, out, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(next));
    CHECK(cudaFree(out));
    return 0;
}
