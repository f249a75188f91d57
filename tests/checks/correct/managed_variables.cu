// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: managed variables and memory, to which a kernel writes padding and the host whole structs, by turns
#include "../checks.h"
struct item {
    char tag;
    int value;
};
__managed__ item items[32];
__managed__ int total;

__global__ void make(item *out, int n)
{
    item mine;
    mine.tag = 'k';
    mine.value = threadIdx.x;
    if (threadIdx.x < n) out[threadIdx.x] = mine;
}
__global__ void sum(const item *in)
{
    if (in[threadIdx.x].tag == 'h') atomicAdd(&total, in[threadIdx.x].value);
}

int main()
{
    item *dynamic;
    CHECK(cudaMallocManaged(&dynamic, 32 * sizeof(item)));
    bool ok = true;
    for (int round = 0; round < 2; round++) {
        make<<<1, 32>>>(items, 16);
        make<<<1, 32>>>(dynamic, 16);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 32; i++) {
            item one;
            one.tag = i % 2 ? 'h' : 'x';
            one.value = i < 16 ? items[i].value + dynamic[i].value : 1;
            items[i] = one;
            dynamic[i] = one;
        }
        total = 0;
        sum<<<1, 32>>>(items);
        sum<<<1, 32>>>(dynamic);
        CHECK(cudaDeviceSynchronize());
        ok = ok && total == 2 * (2 * 64 + 8);
    }
    CHECK(cudaFree(dynamic));
    return verdict(ok);
}
