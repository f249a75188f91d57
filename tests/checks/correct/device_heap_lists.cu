// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: programming guide: memory of device malloc lives across launches; another kernel frees it
#include "../array.h"

struct node {
    int value;
    node *next;
};

__global__ void build(node **heads, int length)
{
    node *head = nullptr;
    for (int i = 0; i < length; i++) {
        node *one = (node *)malloc(sizeof(node));
        if (!one) break;
        one->value = i + threadIdx.x;
        one->next = head;
        head = one;
    }
    heads[threadIdx.x] = head;
}

__global__ void consume(node **heads, int *sums)
{
    int sum = 0;
    for (node *one = heads[threadIdx.x]; one;) {
        node *next = one->next;
        sum += one->value;
        free(one);
        one = next;
    }
    sums[threadIdx.x] = sum;
}

int main()
{
    array<node *> heads(32);
    array<int> sums(32);
    build<<<1, 32>>>(heads, 6);
    consume<<<1, 32>>>(heads, sums);
    return verdict(sums.get()[3] == 15 + 18);
}
