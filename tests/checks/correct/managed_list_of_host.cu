// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a list in managed memory that the host builds and extends between kernels
#include "../checks.h"
struct node {
    int value;
    node *next;
};

static node *push(node *head, int value)
{
    node *one;
    CHECK(cudaMallocManaged(&one, sizeof *one));
    one->value = value;
    one->next = head;
    return one;
}

__global__ void sum(const node *head, int *out)
{
    int total = 0;
    for (const node *one = head; one; one = one->next) total += one->value;
    *out = total;
}

int main()
{
    int *out;
    node *head = nullptr;
    CHECK(cudaMallocManaged(&out, sizeof *out));
    bool ok = true;
    for (int round = 1; round <= 3; round++) {
        for (int i = 0; i < 5; i++) head = push(head, round);
        sum<<<1, 1>>>(head, out);
        CHECK(cudaDeviceSynchronize());
        ok = ok && *out == 5 * round * (round + 1) / 2;
    }
    while (head) {
        node *next = head->next;
        CHECK(cudaFree(head));
        head = next;
    }
    CHECK(cudaFree(out));
    return verdict(ok);
}
