// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: accesses beyond local memory's array; a stack of 8 takes 9 entries
#include "../checks.h"

/* Depth-first walk of a heap-ordered tree with a stack of its own in each thread. */
__global__ void walk(const int *left, const int *right, int *visited, int root)
{
    int stack[8], top = 0, count = 0;
    stack[top++] = root;
    while (top > 0) {
        int node = stack[--top]; // ALSO
        count++;
        if (left[node] >= 0) stack[top++] = left[node]; // BUG
        if (right[node] >= 0) stack[top++] = right[node]; // BUG
    }
    visited[threadIdx.x] = count;
}

int main()
{
    /* A comb: the right child goes on, the left ones are leaves and pile up on the stack. */
    const int n = 41;
    int left[n], right[n], *l, *r, *visited, counts[32];
    for (int i = 0; i < n; i++) {
        left[i] = i % 2 == 0 && i + 1 < n ? i + 1 : -1;
        right[i] = i % 2 == 0 && i + 2 < n ? i + 2 : -1;
    }
    CHECK(cudaMalloc(&l, sizeof left));
    CHECK(cudaMalloc(&r, sizeof right));
    CHECK(cudaMalloc(&visited, sizeof counts));
    CHECK(cudaMemcpy(l, left, sizeof left, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(r, right, sizeof right, cudaMemcpyHostToDevice));
    walk<<<1, 32>>>(l, r, visited, 0);
    cudaError_t error = cudaDeviceSynchronize();
    puts(cudaGetErrorName(error));
    cudaFree(l);
    cudaFree(r);
    cudaFree(visited);
    return 0;
}
