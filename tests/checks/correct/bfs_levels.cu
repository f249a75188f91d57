// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: breadth-first search by atomicCAS of the distance and an atomic frontier; plain stores of one winner each
#include "../array.h"

__global__ void expand(const int *rows, const int *columns, int *distance, const int *frontier, int count, int *next,
                       int *next_count, int level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int v = frontier[i];
    for (int e = rows[v]; e < rows[v + 1]; e++)
        if (atomicCAS(&distance[columns[e]], -1, level + 1) == -1) next[atomicAdd(next_count, 1)] = columns[e];
}

int main()
{
    const int n = 300, degree = 3;
    std::vector<int> row(n + 1), column = random_ints(n * degree, n), start(n, -1), wanted(n, -1);
    for (int i = 0; i <= n; i++) row[i] = i * degree;
    start[0] = wanted[0] = 0;
    array<int> rows(row), columns(column), distance(start), a(n), b(n), count(1);
    a.zero();
    int *now = a, *next = b, size = 1;
    for (int level = 0; size > 0; level++) {
        count.zero();
        expand<<<(size + 63) / 64, 64>>>(rows, columns, distance, now, size, next, count, level);
        size = count.get()[0];
        int *swap = now;
        now = next;
        next = swap;
    }
    for (int level = 0; level < n; level++)
        for (int v = 0; v < n; v++)
            for (int e = row[v]; wanted[v] == level && e < row[v + 1]; e++)
                if (wanted[column[e]] < 0) wanted[column[e]] = level + 1;
    return verdict(distance.get() == wanted);
}
