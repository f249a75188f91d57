// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: arrays of a structure of arrays in one allocation, each padded to 256 bytes; capacity beyond the count is never read
#include "../array.h"
struct bodies {
    float *x, *y;
    unsigned char *alive;
    int count;
};

static size_t padded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

__global__ void spawn(bodies all, int n)
{
    int i = threadIdx.x;
    if (i >= n) return;
    all.x[i] = (float)i;
    all.y[i] = 2.0f * i;
    all.alive[i] = i % 3 != 0;
}
__global__ void move(bodies all)
{
    int i = threadIdx.x;
    if (i < all.count && all.alive[i]) all.x[i] += all.y[i];
}

int main()
{
    const int capacity = 100, n = 77;
    char *memory;
    CHECK(cudaMalloc(&memory, 2 * padded(capacity * sizeof(float)) + padded(capacity)));
    bodies all;
    all.x = (float *)memory;
    all.y = (float *)(memory + padded(capacity * sizeof(float)));
    all.alive = (unsigned char *)(memory + 2 * padded(capacity * sizeof(float)));
    all.count = n;
    spawn<<<1, 128>>>(all, n);
    move<<<1, 128>>>(all);
    float host[capacity];
    CHECK(cudaMemcpy(host, all.x, sizeof host, cudaMemcpyDeviceToHost)); /* with the unused rest */
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && host[i] == (i % 3 ? 3.0f * i : 1.0f * i);
    CHECK(cudaFree(memory));
    return verdict(ok);
}
