// SPDX-License-Identifier: Apache-2.0
// expect: note init
// silent: yes
// why: issue: a note where padding is copied to the host
#include "../checks.h"

struct hit {
    char kind;
    double distance;
};

__global__ void trace(hit *hits, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    hits[i].kind = (char)(i % 3);
    hits[i].distance = 0.5 * i;
}

int main()
{
    const int n = 100;
    static hit host[n];
    hit *hits;
    CHECK(cudaMalloc(&hits, sizeof host));
    trace<<<1, 128>>>(hits, n);
    CHECK(cudaMemcpy(host, hits, sizeof host, cudaMemcpyDeviceToHost)); // BUG
    CHECK(cudaFree(hits));
    return verdict(host[99].kind == 0 && host[99].distance == 49.5);
}
