// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: initcheck: global memory that was never written; the field decides a branch
#include "../array.h"
struct task {
    int first, count, is_urgent;
};

__global__ void plan(task *tasks)
{
    tasks[threadIdx.x].first = threadIdx.x * 4;
    tasks[threadIdx.x].count = 4;
}

__global__ void pick(const task *tasks, int *out)
{
    const task &mine = tasks[threadIdx.x];
    if (mine.is_urgent) // BUG
        out[threadIdx.x] = mine.first;
    else
        out[threadIdx.x] = mine.first + mine.count;
}

int main()
{
    array<task> tasks(32);
    array<int> out(32);
    plan<<<1, 32>>>(tasks);
    pick<<<1, 32>>>(tasks, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
