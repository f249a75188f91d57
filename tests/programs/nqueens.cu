// SPDX-License-Identifier: Apache-2.0
/* Divergent depth-first search in local memory; the counts of solutions are well known (OEIS A000170). */
#include "check.h"

__global__ void solve(int n, unsigned long long *total)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x, first = id / n, second = id % n;
    if (id >= n * n || first == second || abs(first - second) == 1) return;
    unsigned all = (1u << n) - 1, columns[16], left[16], right[16], free_[16];
    unsigned a = 1u << first, b = 1u << second;
    int depth = 2;
    columns[2] = a | b;
    left[2] = (a << 2) | (b << 1);
    right[2] = (a >> 2) | (b >> 1);
    free_[2] = all & ~(columns[2] | left[2] | right[2]);
    unsigned long long found = 0;
    while (depth >= 2) {
        if (depth == n) {
            found++;
            depth--;
            continue;
        }
        unsigned bit = free_[depth] & -free_[depth];
        if (!bit) {
            depth--;
            continue;
        }
        free_[depth] ^= bit;
        columns[depth + 1] = columns[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        free_[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    atomicAdd(total, found);
}

int main()
{
    const unsigned long long known[] = {0, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724};
    unsigned long long *total, found;
    bool ok = true;
    CHECK(cudaMalloc(&total, sizeof *total));
    for (int n = 6; n <= 10; n++) {
        CHECK(cudaMemset(total, 0, sizeof *total));
        solve<<<(n * n + 31) / 32, 32>>>(n, total);
        CHECK(cudaMemcpy(&found, total, sizeof found, cudaMemcpyDeviceToHost));
        printf("%d queens: %llu\n", n, found);
        ok &= found == known[n];
    }
    return verdict(ok);
}
