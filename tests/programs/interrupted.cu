// SPDX-License-Identifier: Apache-2.0
// The time limit ends the kernel that runs, and asks the program, which here goes on, to end.
#include <csignal>
#include <cstdio>

static volatile std::sig_atomic_t asked;

static void on_signal(int) { asked = 1; }

__global__ void forever(volatile int *words)
{
    while (!words[1000]) words[0] = words[0] + 1;
}

int main()
{
    int *words;
    std::signal(SIGTERM, on_signal);
    if (cudaMalloc(&words, 8192) != cudaSuccess || cudaMemset(words, 0, 8192) != cudaSuccess) return 1;
    forever<<<1, 32>>>(words);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaErrorLaunchTimeout || !asked) {
        std::printf("%s, asked %d\n", cudaGetErrorName(error), static_cast<int>(asked));
        return 1;
    }
    std::puts("PASSED");
    return 0;
}
