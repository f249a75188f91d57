// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: Gauss-Seidel in two colours: a launch writes one colour and reads the other, in place
#include "../array.h"

__global__ void relax(float *grid, int n, int colour)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x <= 0 || y <= 0 || x >= n - 1 || y >= n - 1 || (x + y) % 2 != colour) return;
    grid[y * n + x] = 0.25f * (grid[y * n + x - 1] + grid[y * n + x + 1] + grid[(y - 1) * n + x] + grid[(y + 1) * n + x]);
}

int main()
{
    const int n = 40;
    std::vector<float> host(n * n);
    for (int i = 0; i < n; i++) host[i] = 64.0f;
    array<float> grid(host);
    for (int i = 0; i < 4; i++)
        for (int colour = 0; colour < 2; colour++) relax<<<dim3(3, 3), dim3(16, 16)>>>(grid, n, colour);
    for (int i = 0; i < 4; i++)
        for (int colour = 0; colour < 2; colour++)
            for (int y = 1; y < n - 1; y++)
                for (int x = 1; x < n - 1; x++)
                    if ((x + y) % 2 == colour)
                        host[y * n + x] = 0.25f * (host[y * n + x - 1] + host[y * n + x + 1] + host[(y - 1) * n + x] +
                                                   host[(y + 1) * n + x]);
    return verdict(grid.get() == host);
}
