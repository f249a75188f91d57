// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: Rodinia's nw: tiles along anti-diagonals of the matrix, one kernel each; anti-diagonals in a tile by barriers
#include "../array.h"

constexpr int side = 16;

__global__ void diagonal(const int *a, const int *b, int *score, int tiles, int d, int width)
{
    __shared__ int s[side + 1][side + 1];
    int t = threadIdx.x, bx = blockIdx.x + max(0, d - tiles + 1), by = d - bx;
    int left = bx * side, top = by * side;
    if (t == 0) s[0][0] = score[top * width + left];
    s[0][t + 1] = score[top * width + left + t + 1];
    s[t + 1][0] = score[(top + t + 1) * width + left];
    for (int k = 0; k < 2 * side - 1; k++) {
        __syncthreads();
        int x = t + 1, y = k - t + 1;
        if (y >= 1 && y <= side) {
            int match = s[y - 1][x - 1] + (a[left + t] == b[top + y - 1] ? 2 : -1);
            s[y][x] = max(match, max(s[y - 1][x], s[y][x - 1]) - 1);
        }
    }
    __syncthreads();
    for (int y = 1; y <= side; y++) score[(top + y) * width + left + t + 1] = s[y][t + 1];
}

int main()
{
    const int tiles = 3, n = tiles * side, width = n + 1;
    std::vector<int> a = random_ints(n, 4, 1), b = random_ints(n, 4, 2), wanted(width * width);
    for (int i = 0; i < width; i++) wanted[i] = wanted[i * width] = -i;
    array<int> da(a), db(b), score(wanted);
    for (int d = 0; d < 2 * tiles - 1; d++) {
        int blocks = d < tiles ? d + 1 : 2 * tiles - 1 - d;
        diagonal<<<blocks, side>>>(da, db, score, tiles, d, width);
    }
    for (int y = 1; y <= n; y++)
        for (int x = 1; x <= n; x++) {
            int match = wanted[(y - 1) * width + x - 1] + (a[x - 1] == b[y - 1] ? 2 : -1);
            int gap = (wanted[(y - 1) * width + x] > wanted[y * width + x - 1] ? wanted[(y - 1) * width + x]
                                                                              : wanted[y * width + x - 1]) - 1;
            wanted[y * width + x] = match > gap ? match : gap;
        }
    return verdict(score.get() == wanted);
}
