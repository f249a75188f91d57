// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: no
// why: issue: loops that never end; the cursor of a binary search does not move when two entries are left
#include "../checks.h"

__global__ void lower_bound(const int *sorted, int n, const int *wanted, int *place)
{
    int t = threadIdx.x, low = 0, high = n;
    while (low < high) { // BUG
        int middle = (low + high) / 2; // BUG
        if (sorted[middle] < wanted[t]) low = middle; // BUG
        else high = middle; // BUG
    }
    place[t] = low;
}

int main()
{
    int host[64], *sorted, *wanted, *place;
    for (int i = 0; i < 64; i++) host[i] = 2 * i;
    CHECK(cudaMalloc(&sorted, sizeof host));
    CHECK(cudaMalloc(&wanted, 32 * sizeof(int)));
    CHECK(cudaMalloc(&place, 32 * sizeof(int)));
    CHECK(cudaMemcpy(sorted, host, sizeof host, cudaMemcpyHostToDevice));
    for (int i = 0; i < 64; i++) host[i] = 3 * i + 1;
    CHECK(cudaMemcpy(wanted, host, 32 * sizeof(int), cudaMemcpyHostToDevice));
    lower_bound<<<1, 32>>>(sorted, 64, wanted, place);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(sorted);
    cudaFree(wanted);
    cudaFree(place);
    return 0;
}
