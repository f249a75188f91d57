// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: Indigo, populate-worklist with a missing atomic: the size of the list is read, used and stored
#include "../array.h"

__global__ void fill(const int *rows, int *list, int *size, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && rows[v + 1] - rows[v] > 2) {
        int at = *size; // BUG
        *size = at + 1; // BUG
        list[at] = v; // ALSO
    }
}

int main()
{
    const int n = 100;
    std::vector<int> row(n + 1), degree = random_ints(n, 5, 7);
    for (int i = 0; i < n; i++) row[i + 1] = row[i] + degree[i];
    array<int> rows(row), list(n), size(1);
    size.zero();
    fill<<<2, 64>>>(rows, list, size, n);
    return verdict(size.get()[0] > 0);
}
