// SPDX-License-Identifier: Apache-2.0
#include "check.h"

__global__ void speak(int n, float x, const char *word)
{
    if (threadIdx.x == 0) printf("block %d of %d: %.2f %s\n", blockIdx.x, n, x, word);
}

int main()
{
    char *word;
    CHECK(cudaMallocManaged(&word, 8));
    snprintf(word, 8, "hello");
    puts("before");
    speak<<<3, 64>>>(3, 1.5f, word);
    CHECK(cudaDeviceSynchronize());
    puts("after");
    return verdict(true);
}
