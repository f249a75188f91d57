// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: each thread sorts its row with a stack of its own in local memory, of exactly the depth it needs
#include "../array.h"
__global__ void sort_rows(int *data, int n)
{
    int *row = data + threadIdx.x * n, stack[2 * 16], top = 0;
    stack[top++] = 0;
    stack[top++] = n - 1;
    while (top) {
        int high = stack[--top], low = stack[--top], at = low;
        if (low >= high) continue;
        int pivot = row[high];
        for (int i = low; i < high; i++)
            if (row[i] < pivot) {
                int other = row[i];
                row[i] = row[at];
                row[at++] = other;
            }
        row[high] = row[at];
        row[at] = pivot;
        int left_first = at - low > high - at; /* the larger part waits: the depth is logarithmic */
        stack[top++] = left_first ? low : at + 1;
        stack[top++] = left_first ? at - 1 : high;
        stack[top++] = left_first ? at + 1 : low;
        stack[top++] = left_first ? high : at - 1;
    }
}

int main()
{
    const int rows = 32, n = 50;
    std::vector<int> host = random_ints(rows * n, 1000);
    array<int> data(host);
    sort_rows<<<1, rows>>>(data, n);
    host = data.get();
    bool ok = true;
    for (int r = 0; r < rows; r++)
        for (int i = 1; i < n; i++) ok = ok && host[r * n + i - 1] <= host[r * n + i];
    return verdict(ok);
}
