// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the colour is forgotten: all cells are relaxed in place, so neighbours are read while they are written
#include "../array.h"

__global__ void relax(float *u, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y + 1;
    if (x >= width - 1 || y >= height - 1) return;
    float *at = &u[y * width + x];
    *at = 0.25f * (at[-1] + at[1] + at[-width] + at[width]); // BUG
}

int main()
{
    const int width = 34, height = 10;
    std::vector<float> host(width * height);
    for (size_t i = 0; i < host.size(); i++) host[i] = (float)(i % 5);
    array<float> u(host);
    relax<<<dim3(1, height - 2), 32>>>(u, width, height);
    return verdict(true);
}
