// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: use after free on the device heap: the next pointer is read from a freed node
#include "../array.h"
struct node {
    int value;
    node *next;
};

__global__ void build_and_drop(int *out, int n)
{
    node *head = nullptr;
    for (int i = 0; i < n; i++) {
        node *one = new node;
        if (!one) return;
        one->value = i;
        one->next = head;
        head = one;
    }
    int sum = 0;
    for (node *one = head; one; one = one->next) { // BUG
        sum += one->value;
        delete one;
    }
    *out = sum;
}

int main()
{
    array<int> out(1);
    build_and_drop<<<1, 1>>>(out, 10);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
