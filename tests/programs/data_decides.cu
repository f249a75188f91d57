// SPDX-License-Identifier: Apache-2.0
/* Launches of equal shape and equal arguments whose work is decided by data: breadth-first searches of
 * graphs that grow slowly, at once and unevenly; gathers along three kinds of indices. */
#include "check.h"

struct Node {
    int first, count;
};

__global__ void expand(const Node *nodes, const int *edges, const int *level, bool *found,
                       const int *now, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || level[i] != *now) return;
    for (int e = nodes[i].first; e < nodes[i].first + nodes[i].count; e++)
        if (level[edges[e]] < 0) found[edges[e]] = true;
}

__global__ void gather(const int *index, const float *from, float *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[index[i]];
}

template <typename T> static T *managed(size_t count)
{
    T *memory;
    CHECK(cudaMallocManaged(&memory, count * sizeof(T)));
    return memory;
}

/* Levels of the nodes on the host. */
static std::vector<int> search(const Node *nodes, const int *edges, int n)
{
    std::vector<int> level(n, -1), queue{0};
    level[0] = 0;
    for (size_t at = 0; at < queue.size(); at++) {
        const Node &node = nodes[queue[at]];
        for (int e = node.first; e < node.first + node.count; e++)
            if (level[edges[e]] < 0) {
                level[edges[e]] = level[queue[at]] + 1;
                queue.push_back(edges[e]);
            }
    }
    return level;
}

static std::vector<int> neighbours(int kind, int i, int n, unsigned *state)
{
    std::vector<int> out;
    if (kind == 0) /* a grid of 64 columns */
        for (int j : {i - 64, i + 64, i % 64 ? i - 1 : -1, i % 64 < 63 ? i + 1 : -1})
            if (j >= 0 && j < n) out.push_back(j);
    if (kind == 1) /* few levels */
        for (int k = 0; k < 6; k++)
            out.push_back(next_random(state) % n);
    if (kind == 2) /* a few nodes have many */
        for (int k = next_random(state) % 50 ? 1 : 120; k >= 0; k--)
            out.push_back((i + next_random(state) % 700) % n);
    return out;
}

static bool breadth_first(int kind, int n)
{
    unsigned state = 7;
    Node *nodes = managed<Node>(n);
    int *edges = managed<int>(16 * n), *level = managed<int>(n), *now = managed<int>(1), count = 0;
    bool *found = managed<bool>(n);
    for (int i = 0; i < n; i++) {
        nodes[i].first = count;
        for (int j : neighbours(kind, i, n, &state))
            edges[count++] = j;
        nodes[i].count = count - nodes[i].first;
        level[i] = i ? -1 : 0;
        found[i] = false;
    }
    bool goes_on = true;
    for (*now = 0; goes_on; ++*now) {
        expand<<<(n + 255) / 256, 256>>>(nodes, edges, level, found, now, n);
        CHECK(cudaDeviceSynchronize());
        goes_on = false;
        for (int i = 0; i < n; i++) {
            if (!found[i]) continue;
            goes_on = true;
            level[i] = *now + 1;
            found[i] = false;
        }
    }
    return std::vector<int>(level, level + n) == search(nodes, edges, n);
}

static bool gathers(int n)
{
    int *index[3];
    float *from = managed<float>(n), *to = managed<float>(n);
    unsigned state = 3;
    bool ok = true;
    for (int k = 0; k < 3; k++)
        index[k] = managed<int>(n);
    for (int i = 0; i < n; i++) {
        from[i] = i;
        index[0][i] = i;
        index[1][i] = (i * 32) % n + i * 32 / n;
        index[2][i] = next_random(&state) % n;
    }
    for (int round = 0; round < 30; round++) {
        const int *one = index[round < 6 ? round % 2 : 2];
        gather<<<(n + 255) / 256, 256>>>(one, from, to, n);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < n; i++)
            ok &= to[i] == from[one[i]];
    }
    return ok;
}

int main()
{
    bool ok = gathers(1 << 15);
    for (int kind = 0; kind < 3; kind++)
        ok &= breadth_first(kind, (1 << 12) + 256 * kind);
    return verdict(ok);
}
