// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: what was found before a program dies is not lost: memcheck reports errors as they happen
#include "../checks.h"
#include <csignal>
#include <unistd.h>

__global__ void fill(int *data)
{
    data[threadIdx.x] = 1; // BUG
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 31 * sizeof(int)));
    fill<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    kill(getpid(), SIGKILL);
    return 0;
}
