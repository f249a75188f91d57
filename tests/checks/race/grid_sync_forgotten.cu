// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: cooperative kernel: between two phases of Jacobi all blocks have to meet, a barrier of the block is not enough
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void jacobi(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    for (int k = 0; k < steps; k++) {
        if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]); // BUG
        cg::this_thread_block().sync();
        float *swap = a;
        a = b;
        b = swap;
    }
    grid.sync();
}

int main()
{
    int n = 256, steps = 4;
    std::vector<float> start(n);
    for (int i = 0; i < n; i++) start[i] = (float)(i % 7);
    array<float> a(start), b(start);
    float *pa = a, *pb = b;
    void *args[] = {&pa, &pb, &n, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)jacobi, dim3(4), dim3(64), args, 0, nullptr));
    return verdict(a.get()[0] == 0);
}
