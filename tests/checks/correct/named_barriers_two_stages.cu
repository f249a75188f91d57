// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: warp-specialised pipeline: full and empty barriers of two stages, bar.arrive and bar.sync with counts
#include "../array.h"

template <int id> __device__ void arrive()
{
    asm volatile("bar.arrive %0, 128;" ::"n"(id) : "memory");
}
template <int id> __device__ void wait()
{
    asm volatile("bar.sync %0, 128;" ::"n"(id) : "memory");
}

__global__ void pipe(const int *in, int *out, int tiles)
{
    __shared__ int s[2][64];
    int t = threadIdx.x % 64, sum = 0;
    if (threadIdx.x < 64) {
        for (int i = 0; i < tiles; i += 2) {
            wait<3>();
            s[0][t] = in[i * 64 + t];
            arrive<1>();
            wait<4>();
            s[1][t] = in[(i + 1) * 64 + t];
            arrive<2>();
        }
    } else {
        arrive<3>();
        arrive<4>();
        for (int i = 0; i < tiles; i += 2) {
            wait<1>();
            sum += s[0][63 - t];
            if (i + 2 < tiles) arrive<3>();
            wait<2>();
            sum += s[1][63 - t];
            if (i + 2 < tiles) arrive<4>();
        }
        out[t] = sum;
    }
}

int main()
{
    const int tiles = 6;
    std::vector<int> host = random_ints(64 * tiles, 50), wanted(64);
    for (int i = 0; i < 64 * tiles; i++) wanted[63 - i % 64] += host[i];
    array<int> in(host), out(64);
    pipe<<<1, 128>>>(in, out, tiles);
    return verdict(out.get() == wanted);
}
