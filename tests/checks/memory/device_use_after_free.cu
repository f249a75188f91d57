// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: an access to memory that free in device code has given back
#include "../checks.h"

struct node {
    int value;
    node *next;
};

__global__ void list_sum(int *sums, int length)
{
    node *head = nullptr;
    for (int i = 0; i < length; i++) {
        node *one = (node *)malloc(sizeof(node));
        if (!one) break;
        one->value = i;
        one->next = head;
        head = one;
    }
    int sum = 0;
    for (node *one = head; one; one = one->next) { // BUG
        sum += one->value;
        free(one);
    }
    sums[threadIdx.x] = sum;
}

int main()
{
    int *sums, host[32];
    CHECK(cudaMalloc(&sums, sizeof host));
    list_sum<<<1, 32>>>(sums, 5);
    puts(cudaGetErrorName(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost)));
    cudaFree(sums);
    return 0;
}
