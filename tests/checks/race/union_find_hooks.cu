// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: ECL-CC's rule (Indigo: missing atomic): labels are hooked by a plain store instead of atomicCAS
#include "../checks.h"

__global__ void hook(const int2 *edges, int *parent, int n)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n) return;
    int a = edges[e].x, b = edges[e].y;
    while (parent[a] != a) a = parent[a]; // BUG
    while (parent[b] != b) b = parent[b]; // BUG
    if (a < b) parent[b] = a; // BUG
    else if (b < a) parent[a] = b; // BUG
}

int main()
{
    const int n = 128;
    int2 host[n], *edges;
    int label[64], *parent;
    unsigned state = 9;
    for (int i = 0; i < n; i++) host[i] = make_int2((int)(next_random(&state) % 64), (int)(next_random(&state) % 64));
    for (int i = 0; i < 64; i++) label[i] = i;
    CHECK(cudaMalloc(&edges, sizeof host));
    CHECK(cudaMalloc(&parent, sizeof label));
    CHECK(cudaMemcpy(edges, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(parent, label, sizeof label, cudaMemcpyHostToDevice));
    hook<<<4, 32>>>(edges, parent, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(edges));
    CHECK(cudaFree(parent));
    return 0;
}
