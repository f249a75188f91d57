// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: Rodinia's hotspot: a pyramid of steps in shared memory; the halo is recomputed, only the middle is written
#include "../array.h"

constexpr int tile = 16, steps = 2, inner = tile - 2 * steps;

__global__ void heat(const float *in, float *out, int n)
{
    __shared__ float now[tile][tile], next[tile][tile];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = (int)blockIdx.x * inner + tx - steps, y = (int)blockIdx.y * inner + ty - steps;
    bool inside = x >= 0 && x < n && y >= 0 && y < n;
    now[ty][tx] = inside ? in[y * n + x] : 0;
    __syncthreads();
    bool written = false;
    for (int s = 0; s < steps; s++) {
        written = tx > s && tx < tile - 1 - s && ty > s && ty < tile - 1 - s && inside;
        if (written) next[ty][tx] = 0.25f * (now[ty][tx - 1] + now[ty][tx + 1] + now[ty - 1][tx] + now[ty + 1][tx]);
        __syncthreads();
        if (s == steps - 1) break;
        if (written) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (written) out[y * n + x] = next[ty][tx];
}

int main()
{
    const int n = 30, blocks = (n + inner - 1) / inner;
    std::vector<float> host(n * n), one(n * n), two(n * n), got;
    for (int i = 0; i < n * n; i++) host[i] = (float)(i * 7 % 64);
    array<float> in(host), out(n * n);
    heat<<<dim3(blocks, blocks), dim3(tile, tile)>>>(in, out, n);
    auto at = [n](const std::vector<float> &a, int x, int y) { return x < 0 || x >= n || y < 0 || y >= n ? 0 : a[y * n + x]; };
    for (auto step : {0, 1}) {
        std::vector<float> &from = step ? one : host, &to = step ? two : one;
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                to[y * n + x] = 0.25f * (at(from, x - 1, y) + at(from, x + 1, y) + at(from, x, y - 1) + at(from, x, y + 1));
    }
    return verdict(out.get() == two);
}
