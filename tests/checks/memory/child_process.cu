// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: compute-sanitizer: --target-processes all tells errors of child processes, too; here of one that was forked and
// why: then executes this program again
#include "../checks.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *data)
{
    data[threadIdx.x] = 1; // BUG
}

static int run_child()
{
    int *data;
    CHECK(cudaMalloc(&data, 31 * sizeof(int)));
    fill<<<1, 32>>>(data);
    cudaDeviceSynchronize();
    cudaFree(data);
    return 0;
}

int main(int argc, char **argv)
{
    int status;
    if (argc > 1) return run_child();
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], "child", (char *)NULL);
        _exit(127);
    }
    return verdict(waitpid(child, &status, 0) == child && WIFEXITED(status));
}
