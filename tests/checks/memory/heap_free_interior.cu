// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// also: memory
// why: programming guide: free() takes the pointer that malloc() returned
#include "../array.h"
__global__ void parse(const char *text, int *words, int n)
{
    char *copy = (char *)malloc(n + 1), *at = copy;
    if (!copy) return;
    for (int i = 0; i < n; i++) copy[i] = text[i];
    copy[n] = 0;
    int count = 0;
    for (; *at; at++) count += *at == ' ';
    *words = count + 1;
    free(at); // BUG
}

int main()
{
    const char text[] = "the quick brown fox";
    array<char> in(std::vector<char>(text, text + sizeof text));
    array<int> words(1);
    parse<<<1, 1>>>(in, words, (int)sizeof text - 1);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
