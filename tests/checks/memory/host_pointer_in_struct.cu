// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: a shallow copy of a structure: its member still points to the host's memory
#include "../checks.h"

struct vector {
    int length;
    float *elements;
};

__global__ void add_one(vector *v)
{
    int i = threadIdx.x;
    if (i < v->length) v->elements[i] += 1.0f; // BUG
}

int main()
{
    vector host = {32, (float *)calloc(32, sizeof(float))}, *v;
    CHECK(cudaMalloc(&v, sizeof host));
    CHECK(cudaMemcpy(v, &host, sizeof host, cudaMemcpyHostToDevice));
    add_one<<<1, 64>>>(v);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(v);
    free(host.elements);
    return 0;
}
