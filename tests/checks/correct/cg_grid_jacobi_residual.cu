// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: grid.sync() between sweeps, the residual gathered by an atomic and reset by one thread between two syncs
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void jacobi(float *a, float *b, int *changed, int *steps, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), k = 0;
    for (; k < 40; k++) {
        if (grid.thread_rank() == 0) *changed = 0;
        grid.sync();
        if (i > 0 && i < n - 1) {
            float next = (float)(int)(0.5f * (a[i - 1] + a[i + 1]));
            if (next != a[i]) atomicOr(changed, 1);
            b[i] = next;
        }
        grid.sync();
        bool more = *changed;
        grid.sync();
        if (!more) break;
        float *swap = a;
        a = b;
        b = swap;
    }
    if (i == 0) *steps = k;
}

int main()
{
    int n = 256;
    std::vector<float> start(n);
    for (int i = 0; i < n; i++) start[i] = (float)(i % 7);
    array<float> a(start), b(start);
    array<int> changed(1), steps(1);
    float *pa = a, *pb = b;
    int *pc = changed, *ps = steps;
    void *args[] = {&pa, &pb, &pc, &ps, &n};
    CHECK(cudaLaunchCooperativeKernel((void *)jacobi, dim3(4), dim3(64), args, 0, nullptr));
    return verdict(steps.get()[0] > 0);
}
