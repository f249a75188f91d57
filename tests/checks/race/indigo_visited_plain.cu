// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: Indigo, missing atomicCAS: two threads see an unvisited vertex and both append it
#include "../array.h"

__global__ void expand(const int *rows, const int *columns, int *owner, const int *frontier, int count, int *next, int *next_count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int v = frontier[i];
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int to = columns[e];
        if (owner[to] < 0) { // BUG
            owner[to] = v; // BUG
            next[atomicAdd(next_count, 1)] = to;
        }
    }
}

int main()
{
    const int n = 128;
    std::vector<int> row(n + 1), column = random_ints(4 * n, n, 2), list(n), none(n, -1);
    for (int i = 0; i <= n; i++) row[i] = 4 * i;
    for (int i = 0; i < n; i++) list[i] = i;
    array<int> rows(row), columns(column), owner(none), frontier(list), next(4 * n), count(1);
    count.zero();
    expand<<<4, 16>>>(rows, columns, owner, frontier, 64, next, count);
    return verdict(count.get()[0] > 0);
}
