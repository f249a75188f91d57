// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: an access is out of bounds if any of its bytes is; the last 4-byte word has 2 bytes in bounds
#include "../checks.h"

/* Adds 1 to every byte, a word at a time. */
__global__ void add_bytes(unsigned *words, int bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i * 4 < bytes) words[i] = __vadd4(words[i], 0x01010101); // BUG
}

int main()
{
    const int bytes = 1022;
    unsigned *words;
    CHECK(cudaMalloc(&words, bytes));
    CHECK(cudaMemset(words, 7, bytes));
    add_bytes<<<2, 128>>>(words, bytes);
    unsigned char host[bytes];
    CHECK(cudaMemcpy(host, words, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(words));
    return verdict(host[bytes - 1] == 8);
}
