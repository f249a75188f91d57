// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: Blelloch's scan in shared memory with padding against bank conflicts: up-sweep, down-sweep, a barrier in each step
#include "../array.h"

#define AT(i) ((i) + ((i) >> 5))

__global__ void scan(const int *in, int *out, int *sums)
{
    __shared__ int s[AT(256)];
    int t = threadIdx.x, first = blockIdx.x * 256, step = 1;
    s[AT(t)] = in[first + t];
    s[AT(t + 128)] = in[first + t + 128];
    for (int d = 128; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d) s[AT(step * (2 * t + 2) - 1)] += s[AT(step * (2 * t + 1) - 1)];
    }
    if (t == 0) {
        sums[blockIdx.x] = s[AT(255)];
        s[AT(255)] = 0;
    }
    for (int d = 1; d < 256; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            int a = AT(step * (2 * t + 1) - 1), b = AT(step * (2 * t + 2) - 1), was = s[a];
            s[a] = s[b];
            s[b] += was;
        }
    }
    __syncthreads();
    out[first + t] = s[AT(t)];
    out[first + t + 128] = s[AT(t + 128)];
}

__global__ void add(int *data, const int *offsets)
{
    data[blockIdx.x * 256 + threadIdx.x] += offsets[blockIdx.x];
}

int main()
{
    const int n = 256 * 256 / 32;
    std::vector<int> host = random_ints(n, 20), wanted(n), padded(256);
    array<int> in(host), out(n), sums(256), offsets(256), total(1);
    sums.zero();
    scan<<<n / 256, 128>>>(in, out, sums);
    scan<<<1, 128>>>(sums, offsets, total);
    add<<<n / 256, 256>>>(out, offsets);
    for (int i = 1; i < n; i++) wanted[i] = wanted[i - 1] + host[i - 1];
    return verdict(out.get() == wanted);
}
