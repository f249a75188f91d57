// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: conjugateGradientMultiBlockCG: atomics on doubles, reset by one thread between two grid barriers
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ void dot(const float *a, const float *b, int n, double *out, cg::grid_group grid)
{
    double sum = 0;
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) sum += (double)a[i] * b[i];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int k = 16; k > 0; k /= 2) sum += warp.shfl_down(sum, k);
    if (warp.thread_rank() == 0) atomicAdd(out, sum);
}

__global__ void solve(const float *rhs, float *x, float *r, float *p, float *ap, double *sums, int n)
{
    cg::grid_group grid = cg::this_grid();
    int first = (int)grid.thread_rank(), step = (int)grid.size();
    for (int i = first; i < n; i += step) x[i] = 0, r[i] = p[i] = rhs[i];
    if (first == 0) sums[0] = sums[1] = 0;
    grid.sync();
    dot(r, r, n, &sums[0], grid);
    grid.sync();
    double rr = sums[0];
    for (int k = 0; k < 12 && rr > 1e-12; k++) {
        for (int i = first; i < n; i += step)
            ap[i] = 4 * p[i] - (i > 0 ? p[i - 1] : 0) - (i + 1 < n ? p[i + 1] : 0);
        if (first == 0) sums[1] = 0;
        grid.sync();
        dot(p, ap, n, &sums[1], grid);
        grid.sync();
        float alpha = (float)(rr / sums[1]);
        for (int i = first; i < n; i += step) x[i] += alpha * p[i], r[i] -= alpha * ap[i];
        if (first == 0) sums[0] = 0;
        grid.sync();
        dot(r, r, n, &sums[0], grid);
        grid.sync();
        float beta = (float)(sums[0] / rr);
        rr = sums[0];
        for (int i = first; i < n; i += step) p[i] = r[i] + beta * p[i];
        grid.sync();
    }
}

int main()
{
    int n = 150;
    std::vector<float> host(n, 1.0f), got;
    array<float> rhs(host), x(n), r(n), p(n), ap(n);
    array<double> sums(2);
    float *a = rhs, *b = x, *c = r, *d = p, *e = ap;
    double *s = sums;
    void *arguments[] = {&a, &b, &c, &d, &e, &s, &n};
    CHECK(cudaLaunchCooperativeKernel((void *)solve, dim3(3), dim3(64), arguments, 0, 0));
    got = x.get();
    return verdict(fabsf(4 * got[70] - got[69] - got[71] - 1) < 0.001f);
}
