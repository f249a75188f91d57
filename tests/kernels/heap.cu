// SPDX-License-Identifier: Apache-2.0
// malloc and free in kernels, as nvcc compiles them: calls of functions that the file only declares.
#include <stdlib.h>

struct Node {
    int value;
    Node *next;
};

// Each thread makes a list of its index's length and sums it up.
extern "C" __global__ void heap_lists(int *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Node *list = nullptr;
    for (int k = 1; k <= i; k++) {
        Node *node = static_cast<Node *>(malloc(sizeof *node));
        if (!node) return;
        *node = {k, list};
        list = node;
    }
    int sum = 0;
    while (list) {
        Node *next = list->next;
        sum += list->value;
        free(list);
        list = next;
    }
    sums[i] = sum;
}

// Where blocks lie; every second one is given back, and the gaps serve those that fit.
extern "C" __global__ void heap_gaps(int *offsets)
{
    char *blocks[4], *first;
    for (int k = 0; k < 4; k++)
        blocks[k] = static_cast<char *>(malloc(48));
    first = blocks[0];
    free(blocks[1]);
    free(blocks[2]); // joined with the gap before it
    char *two = static_cast<char *>(malloc(96));
    char *last = static_cast<char *>(malloc(16));
    offsets[0] = static_cast<int>(blocks[3] - first);
    offsets[1] = static_cast<int>(two - first);
    offsets[2] = static_cast<int>(last - first);
    offsets[3] = malloc(static_cast<size_t>(1) << 40) == nullptr;
}

extern "C" __global__ void heap_twice(int *out)
{
    void *p = malloc(64);
    *out = 1;
    free(p);
    free(p);
}

extern "C" __global__ void heap_inside(int *out)
{
    char *p = static_cast<char *>(malloc(64));
    *out = 1;
    free(p + 16);
}
