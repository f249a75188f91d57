// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: grid.sync() of a cooperative launch orders all memory of the grid
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void sort_step(int *data, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    for (int phase = 0; phase < n; phase++) {
        int a = 2 * i + phase % 2;
        if (a + 1 < n && data[a] > data[a + 1]) {
            int swap = data[a];
            data[a] = data[a + 1];
            data[a + 1] = swap;
        }
        grid.sync();
    }
}

int main()
{
    int n = 120;
    std::vector<int> host = random_ints(n, 1000);
    array<int> data(host);
    int *p = data;
    void *arguments[] = {&p, &n};
    CHECK(cudaLaunchCooperativeKernel((void *)sort_step, dim3(2), dim3(32), arguments, 0, 0));
    std::vector<int> got = data.get();
    bool ok = true;
    for (int i = 1; i < n; i++) ok &= got[i - 1] <= got[i];
    return verdict(ok);
}
