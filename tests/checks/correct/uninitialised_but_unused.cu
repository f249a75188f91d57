// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: values that were never written are loaded, moved, shuffled and stored, but nothing depends on them
#include "../array.h"
struct wide {
    int used[3], rest[5];
};

__global__ void turn(const wide *in, wide *out, int *sum)
{
    int lane = threadIdx.x;
    wide mine = in[lane], other;
    for (int k = 0; k < 3; k++) other.used[k] = __shfl_xor_sync(0xffffffffu, mine.used[k], 1);
    for (int k = 0; k < 5; k++) other.rest[k] = __shfl_xor_sync(0xffffffffu, mine.rest[k], 1);
    out[lane ^ 1] = other;
    int largest = mine.rest[0] > mine.rest[1] ? mine.rest[0] : mine.rest[1];
    int chosen = mine.used[0] > 100 ? largest : mine.used[1];
    atomicAdd(sum, chosen);
}

int main()
{
    wide *in, *out;
    array<int> sum(1);
    sum.zero();
    CHECK(cudaMalloc(&in, 32 * sizeof(wide)));
    CHECK(cudaMalloc(&out, 32 * sizeof(wide)));
    std::vector<int> columns(32 * 3, 2);
    CHECK(cudaMemcpy2D(in, sizeof(wide), columns.data(), 12, 12, 32, cudaMemcpyHostToDevice));
    turn<<<1, 32>>>(in, out, sum);
    CHECK(cudaMemcpy2D(columns.data(), 12, out, sizeof(wide), 12, 32, cudaMemcpyDeviceToHost));
    bool ok = sum.get()[0] == 64;
    for (int one : columns) ok = ok && one == 2;
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(ok);
}
