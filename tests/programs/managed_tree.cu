// SPDX-License-Identifier: Apache-2.0
/* A search tree in managed memory that the host builds, kernels search and change, and the host reads again; advice and
 * prefetches on the way. */
#include "check.h"

struct node {
    unsigned key;
    int hits;
    node *children[2];
};

__managed__ node *root;
__managed__ int missing;

static void insert(unsigned key)
{
    node **at = &root;
    while (*at && (*at)->key != key)
        at = &(*at)->children[key > (*at)->key];
    if (*at) return;
    CHECK(cudaMallocManaged(at, sizeof(node)));
    **at = {key, 0, {nullptr, nullptr}};
}

__global__ void search(const unsigned *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    node *at = root;
    while (at && at->key != keys[i])
        at = at->children[keys[i] > at->key];
    atomicAdd(at ? &at->hits : &missing, 1);
}

static int sum_hits(const node *at, int *most)
{
    if (!at) return 0;
    if (at->hits > *most) *most = at->hits;
    return at->hits + sum_hits(at->children[0], most) + sum_hits(at->children[1], most);
}

int main()
{
    const int n = 4096;
    unsigned state = 7, *keys;
    CHECK(cudaMallocManaged(&keys, n * sizeof *keys));
    for (int i = 0; i < 300; i++)
        insert(next_random(&state) % 1000);
    int expected_missing = 0;
    for (int i = 0; i < n; i++) {
        keys[i] = next_random(&state) % 1000;
        const node *at = root;
        while (at && at->key != keys[i])
            at = at->children[keys[i] > at->key];
        expected_missing += !at;
    }
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    CHECK(cudaMemAdvise(keys, n * sizeof *keys, cudaMemAdviseSetReadMostly, device));
    CHECK(cudaMemPrefetchAsync(keys, n * sizeof *keys, device, 0, 0));
    for (int round = 0; round < 2; round++) {
        search<<<n / 128, 128>>>(keys, n);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMemPrefetchAsync(keys, n * sizeof *keys, host, 0, 0));
    CHECK(cudaDeviceSynchronize());
    int most = 0, hits = sum_hits(root, &most);
    bool ok = missing == 2 * expected_missing && hits == 2 * (n - expected_missing) && most > 2;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, root));
    ok &= attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == root;
    return verdict(ok);
}
