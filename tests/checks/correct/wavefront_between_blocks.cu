// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: each block waits, tile by tile, for the one above it through counters, with fences on both sides
#include "../array.h"

__global__ void wavefront(int *table, int width, int *done)
{
    int row = blockIdx.x, t = threadIdx.x;
    for (int tile = 0; tile < width / 32; tile++) {
        if (row > 0) {
            if (t == 0) {
                while (*(volatile int *)&done[row - 1] <= tile) {}
                __threadfence();
            }
            __syncthreads();
        }
        int x = tile * 32 + t, above = row > 0 ? table[(row - 1) * width + x] : 1;
        table[row * width + x] = above * 2 + x % 3;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            *(volatile int *)&done[row] = tile + 1;
        }
    }
}

int main()
{
    const int width = 128, height = 5;
    std::vector<int> wanted(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) wanted[y * width + x] = (y ? wanted[(y - 1) * width + x] : 1) * 2 + x % 3;
    array<int> table(width * height), done(height);
    done.zero();
    wavefront<<<height, 32>>>(table, width, done);
    return verdict(table.get() == wanted);
}
